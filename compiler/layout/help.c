/* help.c — see help.h. Candidates come from the same choices that inference uses, so what a help proposes is legal. */
#include "help.h"

#include "../op/signature.h"
#include "choice.h"
#include "proposals.h"

void help_convert(struct stage *st, struct diag *d, bool other, struct span at, bool edits, const struct node *x,
		  const struct layout *has, const struct layout *to)
{
	struct conversion c = {.x = x, .at = at, .edits = edits, .has = *has, .to = *to, .lines = x->lines};
	proposals_print_one(st, d, other, &c);
}

/* ---- operands of maps ---- */

struct search {
	struct proposals *out;
	const struct node *n;
	struct layout has[MAX_OPERANDS];
	struct choice *choices;
	int nchoices;
};

static bool is_legal(const struct search *s)
{
	for (int k = 0; k < s->nchoices; k++)
		if (choice_conversions(s->n, &s->choices[k], s->has, false) >= 0)
			return true;
	return false;
}

/* Whether a P would become a P of another reduction, or one be finished and another begun: legal, but never what is
 * meant. */
static bool changes_reduction(const struct place *p, const struct layout *has, const struct layout *to)
{
	bool finishes = false, begins = false;
	for (int a = 0; a < p->naxes; a++) {
		if (atom_equal(has->atom[a], to->atom[a]))
			continue;
		finishes |= has->atom[a].kind == SHARD_P;
		begins |= to->atom[a].kind == SHARD_P;
	}
	return finishes && begins;
}

/* Whether a value that is whole on ranks, or split, would become parts. */
static bool begins_parts(const struct conversion *c)
{
	const struct place *p = c->x->place;
	return !layout_has_partial(p, &c->has) && layout_has_partial(p, &c->to);
}

/* A value has one layout, however often it is read: sort reads its operand against itself. */
static void see_as(struct search *s, int i, const struct layout *l)
{
	for (int k = 0; k < s->n->nin; k++)
		if (s->n->in[k] == s->n->in[i])
			s->has[k] = *l;
}

static bool is_repeated(const struct node *n, int i)
{
	for (int k = 0; k < i; k++)
		if (n->in[k] == n->in[i])
			return true;
	return false;
}

/* Whether a layout is cut in shares that no operand has: other values of the program are, and nobody would write them
 * here. */
static bool has_foreign_shares(const struct search *s, const struct layout *l)
{
	for (int a = 0; a < s->n->place->naxes; a++) {
		bool known = l->atom[a].kind != SHARD_S || !l->atom[a].shares;
		for (int k = 0; k < s->n->nin && !known; k++)
			known = s->has[k].atom[a].kind == SHARD_S && cuts_equal(s->has[k].atom[a], l->atom[a]);
		if (!known)
			return true;
	}
	return false;
}

/* Layouts worth proposing for operand i: those some choice takes. */
static int layouts_taken(const struct search *s, int i, struct layout *out, int max)
{
	int n = 0;
	for (int k = 0; k < s->nchoices && n < max; k++) {
		bool known = layout_equal(s->n->place, &s->has[i], &s->choices[k].in[i]) ||
			     changes_reduction(s->n->place, &s->has[i], &s->choices[k].in[i]) ||
			     layout_has_window(s->n->place, &s->choices[k].in[i]) ||
			     has_foreign_shares(s, &s->choices[k].in[i]);
		for (int m = 0; m < n && !known; m++)
			known = layout_equal(s->n->place, &out[m], &s->choices[k].in[i]);
		if (!known)
			out[n++] = s->choices[k].in[i];
	}
	return n;
}

static bool is_open(const struct search *s, int i)
{
	return !s->out->st->notes[s->n->in[i]->id].is_free && !trial_is_inside(s->n, s->n->in[i]) &&
	       !is_repeated(s->n, i);
}

static struct conversion of_operand(const struct search *s, int i, const struct layout *to)
{
	struct conversion c = {.x = s->n->in[i], .has = s->has[i], .to = *to};
	struct session *session = s->out->st->session;
	struct span both[2];
	c.edits = help_site(session, s->n, c.x, &c.at) && (s->n->in_library || !help_is_joined(s->n));
	if (c.edits || !help_two_sites(session, s->n, c.x, both))
		return c;
	c.edits = true;
	c.at = both[0];
	c.also = both[1];
	return c;
}

/* What the choice that inference will take reads of the operands as they are now. What is written in a call of the
 * library changes all that it computes of the argument: it is read as it is. */
static void read_by_choice(const struct search *s, struct conversion *c, int i)
{
	enum reach reach;
	const struct choice *best = choice_best(s->out->st->arena, s->n, s->has, VIEW_OWN,
						s->out->st->session->options.last_choice, &reach);
	c->is_read_as =
		best && !s->n->in_library && reach != REACH_HALO && !layout_has_window(s->n->place, &best->in[i]);
	if (c->is_read_as)
		c->read_as = best->in[i];
}

static void try_second(struct search *s, struct conversion *c, int i)
{
	struct layout b[MAX_PER_VALUE];
	for (int j = i + 1; j < s->n->nin; j++) {
		if (!is_open(s, j))
			continue;
		struct layout old = s->has[j];
		int n = layouts_taken(s, j, b, MAX_PER_VALUE);
		for (int k = 0; k < n; k++) {
			see_as(s, j, &old);
			c[1] = of_operand(s, j, &b[k]);
			see_as(s, j, &b[k]);
			if (is_legal(s) && !(begins_parts(&c[0]) && begins_parts(&c[1])))
				proposals_add(s->out, 2, c);
		}
		see_as(s, j, &old);
	}
}

static void try_operands(struct search *s, bool two)
{
	struct layout a[MAX_PER_VALUE];
	for (int i = 0; i < s->n->nin; i++) {
		if (!is_open(s, i))
			continue;
		struct layout old = s->has[i];
		int n = layouts_taken(s, i, a, MAX_PER_VALUE);
		for (int k = 0; k < n; k++) {
			see_as(s, i, &old);
			struct conversion c[2] = {of_operand(s, i, &a[k])};
			see_as(s, i, &a[k]);
			if (two)
				try_second(s, c, i);
			else if (is_legal(s)) {
				read_by_choice(s, c, i);
				proposals_add(s->out, 1, c);
			}
		}
		see_as(s, i, &old);
	}
}

void help_operands(struct stage *st, struct diag *d, const struct node *n, bool finish)
{
	if (st->is_trial)
		return;
	struct proposals *p = ARENA_NEW(st->arena, struct proposals);
	struct search s = {.out = p, .n = n};
	p->st = st;
	p->user = n;
	for (int i = 0; i < n->nin; i++)
		s.has[i] = stage_seen(st, n->in[i]);
	s.nchoices = choices_of(st->arena, n, &s.choices);
	try_operands(&s, false);
	/* No conversion alone fits, or none does what a call of the library wants further on, where nobody can edit. */
	if (!p->n || (n->in_library && !proposals_any_holds(p)))
		try_operands(&s, true);
	for (int i = 0; i < n->nin; i++)
		if (trial_is_inside(n, n->in[i]))
			proposals_add_arguments(p, n->in[i]);
	proposals_print_best(p, d, finish);
}

/* ---- one value, of which it is known what would do ---- */

void help_layouts(struct stage *st, struct diag *d, const struct node *n, struct span at, bool edits,
		  const struct layout *has, int count, const struct layout *would_do)
{
	if (st->is_trial)
		return;
	struct proposals *p = ARENA_NEW(st->arena, struct proposals);
	p->st = st;
	p->user = n;
	bool inside = trial_is_inside(n, n->in[0]), unfinished = false;
	for (int a = 0; a < n->in[0]->place->naxes; a++)
		unfinished |= has->atom[a].kind == SHARD_P;
	if (inside)
		proposals_add_arguments(p, n->in[0]);
	bool of_call = p->n > 0;
	for (int k = 0; k < count && !of_call; k++) {
		struct conversion c = {
			.x = n->in[0], .at = at, .edits = edits && !inside, .has = *has, .to = would_do[k]};
		proposals_add(p, 1, &c);
	}
	proposals_print_best(p, d, unfinished);
}

/* Each axis of parts whole, or split along one of the dimensions: which of these the `number`-th layout has. */
static struct layout finished(const struct node *x, const struct layout *has, int number)
{
	struct layout to = *has, none = layout_broadcast();
	for (int i = 0; i < x->place->naxes; i++) {
		if (has->atom[i].kind != SHARD_P)
			continue;
		int dim = number % (1 + x->shape.rank) - 1;
		to.atom[i] = dim < 0 ? none.atom[i] : (struct shard_atom){.kind = SHARD_S, .dim = (int8_t)dim};
		number /= 1 + x->shape.rank;
	}
	return to;
}

int help_finished(struct arena *a, const struct node *x, const struct layout *has, struct layout **out)
{
	enum { AT_MOST = 64 };
	int all = 1, n = 0, ways = 1 + x->shape.rank;
	for (int i = 0; i < x->place->naxes; i++)
		all *= has->atom[i].kind == SHARD_P && all <= AT_MOST ? ways : 1;
	*out = ARENA_ARRAY(a, struct layout, 1 + x->place->naxes * MAX_RANK + AT_MOST);
	for (int k = 0; all <= AT_MOST && k < all; k++)
		(*out)[n++] = finished(x, has, k);
	/* Of too many those that split along one axis. */
	for (int i = 0, step = 1; all > AT_MOST && i < x->place->naxes; i++) {
		for (int k = n ? 1 : 0; has->atom[i].kind == SHARD_P && k < ways; k++)
			(*out)[n++] = finished(x, has, k * step);
		step *= has->atom[i].kind == SHARD_P ? ways : 1;
	}
	return n;
}
