/* proposals.c — see proposals.h. Bytes are the planner's; inference of what follows is tried with a proposal before it
 * is offered. */
#include "proposals.h"

#include "../op/signature.h"
#include "choice.h"
#include "exchange.h"
#include "help.h"

#include <stdlib.h>

enum { MAX_TRIALS = 24, MAX_HELPS = 2, UNMENDED = 1 << 20 };

static bool is_plain(const struct conversion *c)
{
	struct layout whole = layout_broadcast();
	for (int a = 0; a < c->x->place->naxes; a++)
		if (!atom_equal(c->to.atom[a], c->has.atom[a]) && !atom_equal(c->to.atom[a], whole.atom[a]))
			return false;
	return true;
}

static int axes_changed(const struct conversion *c)
{
	int n = 0;
	for (int a = 0; a < c->x->place->naxes; a++)
		n += !atom_equal(c->to.atom[a], c->has.atom[a]);
	return n;
}

static bool changes_single(const struct conversion *c)
{
	for (int a = 0; a < c->x->place->naxes; a++)
		if (c->x->place->extent[a] == 1 && !atom_equal(c->to.atom[a], c->has.atom[a]))
			return true;
	return false;
}

/* Whether a rank has nothing of it, as of rows that are fewer than ranks: nobody means that. */
static bool leaves_ranks(const struct conversion *c)
{
	const struct place *p = c->x->place;
	struct shape last = layout_local_shape(p, &c->to, &c->x->shape, p->count - 1);
	return shape_volume(&last) == 0 && shape_volume(&c->x->shape) > 0;
}

/* Dimensions of what a map reads in front of those that the text writes: those that it goes over as the result does. */
static int lines_read(const struct node *user, int i)
{
	const struct access *a = &user->rule->operand[i];
	int n = 0;
	while (n < user->lines && n < a->rank && index_factor(&a->index[n]) >= 0 &&
	       index_factor(&a->index[n]) == index_factor(&user->rule->out.index[n]))
		n++;
	return n;
}

/* The dimensions of a value in front that the text, at the place where `user` reads it, does not write. Of what a
 * function of the library reads somewhere on its way it is not known, -1. */
static int lines_of(const struct node *user, const struct node *x)
{
	if (x->lines || !user->lines)
		return x->lines;
	for (int i = 0; i < user->nin; i++)
		if (user->in[i] == x)
			return user->kind == NODE_MAP ? lines_read(user, i) : user->lines;
	return -1;
}

void proposals_add(struct proposals *p, int n, const struct conversion *given)
{
	struct conversion c[TRIAL_PATCHES];
	struct layout written;
	for (int i = 0; i < n; i++) {
		c[i] = given[i];
		c[i].lines = lines_of(p->user, c[i].x);
		c[i].edits = c[i].edits && c[i].lines >= 0;
		c[i].lines = c[i].lines < 0 ? 0 : c[i].lines;
		if (!help_written(c[i].x->place, &c[i].to, c[i].lines, &written))
			return;
	}
	if (p->n == MAX_PROPOSALS)
		return;
	struct proposal *new = &p->at[p->n];
	*new = (struct proposal){.n = n, .plain = true, .order = p->n};
	p->n++;
	for (int i = 0; i < n; i++) {
		struct conversion as_written = help_as_edited(p->st, &c[i]);
		as_written.is_read_as = false;
		struct help_way w = help_way(p->st, &as_written);
		new->c[i] = c[i];
		new->bytes = count_add(new->bytes, help_way_bytes(p->st, &w));
		new->plain = new->plain &&is_plain(&c[i]);
		new->leaves |= leaves_ranks(&c[i]);
		new->single |= changes_single(&c[i]);
		new->changed += axes_changed(&c[i]);
	}
}

/* ---- trying ---- */

static struct trial_result try(const struct proposals *p, const struct proposal *x)
{
	struct trial_patch patches[TRIAL_PATCHES];
	for (int i = 0; i < x->n; i++)
		patches[i] = (struct trial_patch){p->user, x->c[i].x, x->c[i].to};
	struct trial_result result = trial_run(p->st, patches, x->n);
	/* What is wrong still hides what is wrong behind it. */
	result.errors += result.errors && !result.mends ? UNMENDED : 0;
	return result;
}

/* What changes an axis of one rank sends nothing for that, and mostly cures nothing: it comes behind the others. */
static int by_bytes(const void *a, const void *b)
{
	const struct proposal *x = a, *y = b;
	if (x->plain != y->plain)
		return x->plain ? -1 : 1;
	if (x->leaves != y->leaves)
		return x->leaves ? 1 : -1;
	if (x->single != y->single)
		return x->single ? 1 : -1;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? -1 : 1;
	return x->changed != y->changed ? x->changed - y->changed : x->order - y->order;
}

/* The cheapest of a kind that holds, with what the program's own conversions send behind it: where a sum goes `to
 * S(1)`, the part that is not split so is better converted than the other. If none of the first few holds, that which
 * leaves fewest errors, of a single conversion rather than of two: other mistakes of the program leave theirs whatever
 * is done here. *errors: what it leaves. -1: there is none. */
static int choose(const struct proposals *p, bool plain, int *errors)
{
	int best = -1, tried = 0;
	int64_t least = 0;
	for (int i = 0; i < p->n; i++) {
		const struct proposal *x = &p->at[i];
		if (x->plain != plain)
			continue;
		tried = i > 0 && x->single != p->at[i - 1].single ? 0 : tried;
		if (tried == MAX_TRIALS)
			continue;
		if (best >= 0 && *errors == 0 && x->leaves != p->at[best].leaves)
			break;
		if (best >= 0 && *errors == 0 && x->bytes >= least)
			continue;
		tried++;
		struct trial_result result = try(p, x);
		int64_t bytes = count_add(x->bytes, result.bytes);
		bool better = best < 0 || result.errors < *errors;
		if (!better && result.errors == *errors)
			better = result.errors ? x->n < p->at[best].n : bytes < least;
		if (!better)
			continue;
		best = i;
		least = bytes;
		*errors = result.errors;
	}
	return best;
}

bool proposals_any_holds(struct proposals *p)
{
	int errors;
	qsort(p->at, (size_t)p->n, sizeof *p->at, by_bytes);
	return (choose(p, true, &errors) >= 0 && errors == 0) || (choose(p, false, &errors) >= 0 && errors == 0);
}

/* ---- printing ---- */

void proposals_print_one(struct stage *st, struct diag *d, bool other, const struct conversion *of)
{
	struct session *s = st->session;
	const struct conversion edited = help_as_edited(st, of), *c = &edited;
	const struct node *x = c->x;
	struct layout written;
	if (!help_written(x->place, &c->to, c->lines, &written))
		return;
	const char *layout = help_layout(s->arena, x->place, &written);
	const char *name = help_plain_name(s, x, c->edits ? c->at : (struct span){0});
	bool moves = help_moves(name);
	struct help_way way = help_way(st, c);
	diag_help(d, "%s%s (%s): `%s%s%s to %s`", other ? "or " : "", help_deed(s->arena, x->place, &c->has, &c->to),
		  help_cost(s->arena, &way), moves ? "(" : "", name ? name : "…", moves ? ")" : "", layout);
	diag_bytes(d, help_bytes(&way));
	if (c->edits)
		help_edit(st, d, c->at, layout);
	if (c->edits && c->also.file)
		help_edit(st, d, c->also, layout);
}

static void print_two(struct stage *st, struct diag *d, bool other, const struct conversion *of)
{
	struct session *s = st->session;
	const struct conversion c[2] = {help_as_edited(st, &of[0]), help_as_edited(st, &of[1])};
	struct layout written[2];
	struct text t;
	int64_t bytes = 0;
	text_init(&t, s->arena);
	for (int i = 0; i < 2; i++) {
		const struct node *x = c[i].x;
		struct help_way way = help_way(st, &c[i]);
		help_written(x->place, &c[i].to, c[i].lines, &written[i]);
		text_printf(&t, "%s%s to %s (%s)", i ? " and " : "",
			    help_name(s, x, c[i].edits ? c[i].at : (struct span){0}),
			    help_layout(s->arena, x->place, &written[i]), help_cost(s->arena, &way));
		bytes = count_add(bytes, help_bytes(&way));
	}
	diag_help(d, "%sconvert both: %s", other ? "or " : "", text_get(&t));
	diag_bytes(d, bytes);
	bool apart = c[0].at.end <= c[1].at.begin || c[1].at.end <= c[0].at.begin;
	bool once = !c[0].also.file && !c[1].also.file;
	for (int i = 0; i < 2 && c[0].edits && c[1].edits && apart && once; i++)
		help_edit(st, d, c[i].at, help_layout(s->arena, c[i].x->place, &written[i]));
}

static void print(struct proposals *p, struct diag *d, int i, bool other)
{
	(p->at[i].n == 1 ? proposals_print_one : print_two)(p->st, d, other || d->helps.n, p->at[i].c);
}

void proposals_print_best(struct proposals *p, struct diag *d, bool plain_first)
{
	int errors[MAX_HELPS];
	qsort(p->at, (size_t)p->n, sizeof *p->at, by_bytes);
	int best[MAX_HELPS] = {choose(p, true, &errors[0]), choose(p, false, &errors[1])};
	bool both = best[0] >= 0 && best[1] >= 0;
	int first = best[0] >= 0 ? 0 : 1;
	if (both && errors[0] != errors[1])
		first = errors[0] < errors[1] ? 0 : 1;
	else if (both && !plain_first && p->at[best[1]].bytes < p->at[best[0]].bytes)
		first = 1;
	if (best[first] < 0 || (errors[first] && d->helps.n)) /* there is something better than what may not do */
		return;
	print(p, d, best[first], false);
	if (both && errors[first] == errors[1 - first])
		print(p, d, best[1 - first], true);
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

void proposals_add_arguments(struct proposals *p, const struct node *x)
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
				proposals_add(p, 1, &args.at[i]);
		}
	}
}
