/* help.c — see help.h. Candidates come from the same choices that inference uses, so what a help proposes is legal;
 * bytes are the planner's; and inference of what follows is tried with it before it is offered. */
#include "help.h"

#include "../op/signature.h"
#include "choice.h"
#include "exchange.h"
#include "redist.h"
#include "trial.h"

#include <stdlib.h>

enum { MAX_PROPOSALS = 256, MAX_PER_VALUE = 64, MAX_TRIALS = 24, MAX_HELPS = 2 };

/* A value converted where it is read. */
struct conversion {
	const struct node *x;
	struct span at;
	bool edits; /* it can be edited there */
	struct layout has, to;
};

struct proposal {
	int n; /* conversions */
	struct conversion c[TRIAL_PATCHES];
	int64_t bytes; /* over all ranks */
	bool plain;    /* axes stay as they are or become B */
	int order;
};

struct proposals {
	struct stage *st;
	const struct node *user;
	int n;
	struct proposal at[MAX_PROPOSALS];
};

static bool is_plain(const struct conversion *c)
{
	struct layout whole = layout_broadcast();
	for (int a = 0; a < c->x->place->naxes; a++)
		if (!atom_equal(c->to.atom[a], c->has.atom[a]) && !atom_equal(c->to.atom[a], whole.atom[a]))
			return false;
	return true;
}

static void add(struct proposals *p, int n, const struct conversion *c)
{
	if (p->n == MAX_PROPOSALS)
		return;
	struct proposal *new = &p->at[p->n];
	*new = (struct proposal){.n = n, .plain = true, .order = p->n};
	p->n++;
	for (int i = 0; i < n; i++) {
		const struct node *x = c[i].x;
		new->c[i] = c[i];
		new->bytes = count_add(new->bytes, convert_bytes(p->st->costs, x->dtype, &x->shape, x->place, &c[i].has,
								 x->place, &c[i].to));
		new->plain = new->plain &&is_plain(&c[i]);
	}
}

/* ---- trying ---- */

static bool holds(const struct proposals *p, const struct proposal *x)
{
	struct trial_patch patches[TRIAL_PATCHES];
	for (int i = 0; i < x->n; i++)
		patches[i] = (struct trial_patch){p->user, x->c[i].x, x->c[i].to};
	return trial_errors(p->st, patches, x->n) == 0;
}

static int by_bytes(const void *a, const void *b)
{
	const struct proposal *x = a, *y = b;
	if (x->plain != y->plain)
		return x->plain ? -1 : 1;
	return x->bytes != y->bytes ? (x->bytes < y->bytes ? -1 : 1) : x->order - y->order;
}

/* The cheapest of a kind that holds; if none of the first few does, the cheapest, with *sure false. -1: there is none.
 */
static int choose(const struct proposals *p, bool plain, bool *sure)
{
	int first = -1, tried = 0;
	*sure = true;
	for (int i = 0; i < p->n && tried < MAX_TRIALS; i++) {
		if (p->at[i].plain != plain)
			continue;
		first = first < 0 ? i : first;
		tried++;
		if (holds(p, &p->at[i]))
			return i;
	}
	*sure = false;
	return first;
}

static bool any_holds(struct proposals *p)
{
	bool sure[2];
	qsort(p->at, (size_t)p->n, sizeof *p->at, by_bytes);
	return (choose(p, true, &sure[0]) >= 0 && sure[0]) || (choose(p, false, &sure[1]) >= 0 && sure[1]);
}

/* ---- printing ---- */

static void print_one(struct stage *st, struct diag *d, bool other, const struct conversion *c)
{
	struct session *s = st->session;
	const struct node *x = c->x;
	const char *layout = help_layout(s->arena, x->place, &c->to);
	const char *name = help_plain_name(s, x, c->edits ? c->at : (struct span){0});
	bool moves = help_moves(name);
	diag_help(d, "%s%s (%s): `%s%s%s to %s`", other ? "or " : "", help_deed(s->arena, x->place, &c->has, &c->to),
		  help_cost(s->arena, x, &c->has, &c->to), moves ? "(" : "", name ? name : "…", moves ? ")" : "",
		  layout);
	diag_bytes(d, help_bytes(x, &c->has, &c->to));
	if (c->edits)
		help_edit(st, d, c->at, layout);
}

static void print_two(struct stage *st, struct diag *d, bool other, const struct conversion *c)
{
	struct session *s = st->session;
	struct text t;
	int64_t bytes = 0;
	text_init(&t, s->arena);
	for (int i = 0; i < 2; i++) {
		const struct node *x = c[i].x;
		text_printf(&t, "%s%s to %s (%s)", i ? " and " : "", help_name(s, x, c[i].at),
			    help_layout(s->arena, x->place, &c[i].to), help_cost(s->arena, x, &c[i].has, &c[i].to));
		bytes = count_add(bytes, help_bytes(x, &c[i].has, &c[i].to));
	}
	diag_help(d, "%sconvert both: %s", other ? "or " : "", text_get(&t));
	diag_bytes(d, bytes);
	bool apart = c[0].at.end <= c[1].at.begin || c[1].at.end <= c[0].at.begin;
	for (int i = 0; i < 2 && c[0].edits && c[1].edits && apart; i++)
		help_edit(st, d, c[i].at, help_layout(s->arena, c[i].x->place, &c[i].to));
}

static void print(struct proposals *p, struct diag *d, int i, bool other)
{
	(p->at[i].n == 1 ? print_one : print_two)(p->st, d, other, p->at[i].c);
}

/* Those that hold come first; then, where `plain_first` is not set, the cheaper. */
static void print_best(struct proposals *p, struct diag *d, bool plain_first)
{
	bool sure[MAX_HELPS];
	qsort(p->at, (size_t)p->n, sizeof *p->at, by_bytes);
	int best[MAX_HELPS] = {choose(p, true, &sure[0]), choose(p, false, &sure[1])};
	bool both = best[0] >= 0 && best[1] >= 0;
	int first = best[0] >= 0 ? 0 : 1;
	if (both && sure[0] != sure[1])
		first = sure[0] ? 0 : 1;
	else if (both && !plain_first && p->at[best[1]].bytes < p->at[best[0]].bytes)
		first = 1;
	if (best[first] < 0)
		return;
	print(p, d, best[first], false);
	if (both && sure[first] == sure[1 - first])
		print(p, d, best[1 - first], true);
}

void help_convert(struct stage *st, struct diag *d, bool other, struct span at, bool edits, const struct node *x,
		  const struct layout *has, const struct layout *to)
{
	struct conversion c = {.x = x, .at = at, .edits = edits, .has = *has, .to = *to};
	print_one(st, d, other, &c);
}

/* ---- values that can be converted ---- */

/* Values from outside that the part of a library call before `x` reads, and that stand in the call. */
struct arguments {
	int n;
	struct conversion at[MAX_OPERANDS];
};

static void find_arguments(struct stage *st, const struct node *user, const struct node *x, bool *seen,
			   struct arguments *out)
{
	if (seen[x->id])
		return;
	seen[x->id] = true;
	if (trial_is_inside(user, x)) {
		for (int i = 0; i < x->nin; i++)
			find_arguments(st, user, x->in[i], seen, out);
		return;
	}
	struct conversion c = {.x = x, .has = stage_seen(st, x)};
	if (st->notes[x->id].is_free || !x->place || out->n == MAX_OPERANDS)
		return;
	c.edits = help_site(st->session, user, x, &c.at);
	if (c.edits)
		out->at[out->n++] = c;
}

/* Inside a library function what is wrong cannot be edited: the call's arguments are converted, so that all of it is
 * right. */
static void propose_arguments(struct proposals *p, const struct node *x)
{
	struct arguments args = {0};
	struct layout *to;
	find_arguments(p->st, p->user, x, ARENA_ARRAY(p->st->arena, bool, p->st->graph->nodes.n), &args);
	for (int i = 0; i < args.n; i++) {
		const struct node *a = args.at[i].x;
		int n = layouts_of(p->st->arena, a->place, &a->shape, false, &to);
		for (int k = 0; k < n && k < MAX_PER_VALUE; k++) {
			args.at[i].to = to[k];
			if (!layout_equal(a->place, &to[k], &args.at[i].has))
				add(p, 1, &args.at[i]);
		}
	}
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
		if (choice_conversions(s->n, &s->choices[k], s->has) >= 0)
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

/* Layouts worth proposing for operand i: those some choice takes. */
static int layouts_taken(const struct search *s, int i, struct layout *out, int max)
{
	int n = 0;
	for (int k = 0; k < s->nchoices && n < max; k++) {
		bool known = layout_equal(s->n->place, &s->has[i], &s->choices[k].in[i]) ||
			     changes_reduction(s->n->place, &s->has[i], &s->choices[k].in[i]);
		for (int m = 0; m < n && !known; m++)
			known = layout_equal(s->n->place, &out[m], &s->choices[k].in[i]);
		if (!known)
			out[n++] = s->choices[k].in[i];
	}
	return n;
}

static bool is_open(const struct search *s, int i)
{
	return !s->out->st->notes[s->n->in[i]->id].is_free && !trial_is_inside(s->n, s->n->in[i]);
}

static struct conversion of_operand(const struct search *s, int i, const struct layout *to)
{
	struct conversion c = {.x = s->n->in[i], .has = s->has[i], .to = *to};
	c.edits = help_site(s->out->st->session, s->n, c.x, &c.at) && !help_is_joined(s->n);
	return c;
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
			s->has[j] = old;
			c[1] = of_operand(s, j, &b[k]);
			s->has[j] = b[k];
			if (is_legal(s))
				add(s->out, 2, c);
		}
		s->has[j] = old;
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
			s->has[i] = old;
			struct conversion c[2] = {of_operand(s, i, &a[k])};
			s->has[i] = a[k];
			if (two)
				try_second(s, c, i);
			else if (is_legal(s))
				add(s->out, 1, c);
		}
		s->has[i] = old;
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
	if (!any_holds(p))
		try_operands(&s, true);
	for (int i = 0; i < n->nin; i++)
		if (trial_is_inside(n, n->in[i]))
			propose_arguments(p, n->in[i]);
	print_best(p, d, finish);
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
	bool inside = trial_is_inside(n, n->in[0]);
	if (inside)
		propose_arguments(p, n->in[0]);
	bool of_call = p->n > 0;
	for (int k = 0; k < count && !of_call; k++) {
		struct conversion c = {
			.x = n->in[0], .at = at, .edits = edits && !inside, .has = *has, .to = would_do[k]};
		add(p, 1, &c);
	}
	print_best(p, d, true);
}

int help_finished(struct arena *a, const struct node *x, const struct layout *has, struct layout **out)
{
	struct layout whole = *has, none = layout_broadcast();
	int n = 0;
	for (int i = 0; i < x->place->naxes; i++)
		if (has->atom[i].kind == SHARD_P)
			whole.atom[i] = none.atom[i];
	*out = ARENA_ARRAY(a, struct layout, 1 + x->place->naxes * MAX_RANK);
	(*out)[n++] = whole;
	for (int i = 0; i < x->place->naxes; i++)
		for (int dim = 0; has->atom[i].kind == SHARD_P && dim < x->shape.rank; dim++) {
			(*out)[n] = whole;
			(*out)[n++].atom[i] = (struct shard_atom){.kind = SHARD_S, .dim = (int8_t)dim};
		}
	return n;
}
