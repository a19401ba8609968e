/* help_way.c — what a conversion that a help writes sends in the end, which may be less than between the two layouts
 * that it names. What is given in parts for others to add up, x[5], is computed where it goes from what that reads; of
 * what is gathered only to be sliced, the slices travel; of rows that are put into zeros, the rows, and of rows by
 * index those, whatever is computed of their elements. Example: x:S(0), `x[5] to B`: not an all-reduce of zeros but row
 * 5, from its owner to the others. */
#include "../program.h"
#include "choice.h"
#include "convert.h"
#include "help.h"
#include "owners.h"

#include <string.h>

static int64_t bytes_of(struct stage *st, const struct help_movement *m)
{
	const struct node *x = m->x;
	return convert_bytes(st->costs, x->dtype, &x->shape, x->place, &m->from, x->place, &m->to);
}

int64_t help_way_bytes(struct stage *st, const struct help_way *w)
{
	int64_t bytes = 0;
	for (int i = 0; i < w->n; i++)
		bytes = count_add(bytes, bytes_of(st, &w->at[i]));
	return bytes;
}

static struct help_way one_way(const struct node *x, const struct layout *from, const struct layout *to)
{
	return (struct help_way){1, {{x, *from, *to}}};
}

static void take(struct stage *st, struct help_way *best, const struct node *x, const struct layout *from,
		 const struct layout *to)
{
	struct help_way way = one_way(x, from, to);
	if (layout_can_become(x->place, from, x->place, to) && help_way_bytes(st, &way) < help_way_bytes(st, best))
		*best = way;
}

/* Whether nobody but what the help is for reads a value, or one map, as several of its operands. */
static bool is_read_once(const struct stage *st, const struct node *x)
{
	const struct node *user = NULL;
	for (int i = 0; i < st->graph->nodes.n; i++)
		for (int k = 0; k < st->graph->nodes.at[i]->nin; k++) {
			if (st->graph->nodes.at[i]->in[k] != x)
				continue;
			if (user && user != st->graph->nodes.at[i])
				return false;
			user = st->graph->nodes.at[i];
		}
	return user != NULL;
}

/* Windows of one value that are had together for no more are one. */
static void join_windows(struct stage *st, struct help_way *w)
{
	const struct help_movement first = w->at[0];
	struct wanted wanted[HELP_MOVEMENTS] = {0};
	for (int i = 0; i < w->n; i++) {
		if (w->at[i].x != first.x || !layout_equal(first.x->place, &w->at[i].from, &first.from))
			return;
		wanted[i] = (struct wanted){.layout = w->at[i].to, .readers = 1};
	}
	w->n = convert_join_windows(st->costs, first.x->dtype, &first.x->shape, first.x->place, &first.from, w->n,
				    wanted);
	for (int i = 0; i < w->n; i++)
		w->at[i] = (struct help_movement){first.x, first.from, wanted[i].layout};
}

static void add_movements(struct help_way *w, const struct help_way *more)
{
	for (int i = 0; i < more->n; i++) {
		bool is_there = false;
		for (int k = 0; k < w->n; k++)
			is_there = is_there || (w->at[k].x == more->at[i].x &&
						layout_equal(w->at[k].x->place, &w->at[k].to, &more->at[i].to));
		if (!is_there && w->n < HELP_MOVEMENTS)
			w->at[w->n++] = more->at[i];
	}
}

enum { MAPS_OPENED = 4 /* one behind the other */ };
static void take_opened(struct stage *st, struct help_way *best, const struct node *x, const struct layout *to,
			int depth);

/* The ways of a map's operands where it is computed as a choice says; false: there are none, or too many. */
static bool way_of(struct stage *st, const struct node *x, const struct choice *c, int depth, struct help_way *out)
{
	*out = (struct help_way){0};
	for (int k = 0; k < x->nin; k++) {
		const struct node *in = x->in[k];
		struct layout has = stage_seen(st, in);
		if (layout_equal(x->place, &has, &c->in[k]) ||
		    layout_converts_freely(x->place, &in->shape, &has, &c->in[k]))
			continue;
		struct help_way way = {0};
		if (in->place == x->place && layout_can_become(in->place, &has, in->place, &c->in[k]))
			way = one_way(in, &has, &c->in[k]);
		take_opened(st, &way, in, &c->in[k], depth);
		if (in->place != x->place || way.n == 0)
			return false;
		add_movements(out, &way);
		if (out->n == HELP_MOVEMENTS)
			return false;
	}
	if (out->n > 1)
		join_windows(st, out);
	return out->n > 0;
}

static int windows_of(const struct help_way *w)
{
	int n = 0;
	for (int i = 0; i < w->n; i++)
		n += layout_has_window(w->at[i].x->place, &w->at[i].to);
	return n;
}

/* Of ways with equal bytes, that which leaves values where they are: it fetches what is read around them. */
static bool is_better(struct stage *st, const struct help_way *w, const struct help_way *best)
{
	int64_t bytes = help_way_bytes(st, w), least = help_way_bytes(st, best);
	return best->n == 0 || bytes < least || (bytes == least && windows_of(w) > windows_of(best));
}

/* A map that may be computed as its result is wanted: pending.c opens it. So are maps that it is made of. best: what is
 * known so far; without a movement, none. */
static void take_opened(struct stage *st, struct help_way *best, const struct node *x, const struct layout *to,
			int depth)
{
	struct choice *c;
	if (depth == 0 || x->kind != NODE_MAP || x->origin != ORIGIN_SOURCE || !st->notes[x->id].serves ||
	    st->notes[x->id].is_free || !is_read_once(st, x))
		return;
	int n = choices_of(st->arena, x, &c);
	for (int i = 0; i < n; i++) {
		struct help_way way;
		if (layout_equal(x->place, &c[i].out, to) && way_of(st, x, &c[i], depth - 1, &way) &&
		    is_better(st, &way, best))
			*best = way;
	}
}

/* The rows by index that x is computed of, by functions of their elements; NULL: it is of none, or of several. */
static const struct node *rows_behind(struct stage *st, const struct node *x, struct layout *whole)
{
	while (x && x->kind == NODE_MAP && !owners_of_rows(x, whole)) {
		const struct node *parts = NULL;
		for (int k = 0; k < x->nin && st->notes[x->id].has[VIEW_APART]; k++) {
			const struct node *in = x->in[k];
			if (!layout_has_partial(in->place, &in->layout))
				continue;
			if ((parts && parts != in) || !rule_reads_in_place(x->rule, k))
				return NULL;
			parts = in;
		}
		x = parts;
	}
	return x && x->kind == NODE_MAP ? x : NULL;
}

/* Where a conversion does nothing but make them whole, they go themselves, and x is computed of those that have come.
 */
static bool take_rows(struct stage *st, struct help_way *way, const struct conversion *c)
{
	struct layout whole;
	const struct node *rows = rows_behind(st, c->x, &whole);
	if (!rows || rows == c->x || rows->place != c->x->place)
		return false;
	for (int a = 0; a < rows->place->naxes; a++)
		if (rows->layout.atom[a].kind == SHARD_P ? c->to.atom[a].kind != SHARD_B
							 : !atom_equal(c->has.atom[a], c->to.atom[a]))
			return false;
	*way = one_way(rows, &rows->layout, &whole);
	return true;
}

struct help_way help_way(struct stage *st, const struct conversion *c)
{
	struct help_way best = one_way(c->x, &c->has, &c->to);
	if (take_rows(st, &best, c))
		return best;
	const struct node *x = c->x;
	const struct node *rows = x->kind == NODE_MAP ? stage_rows_put(x) : NULL;
	struct layout seen = rows ? stage_seen(st, rows) : c->to;
	if (rows && rows->place == x->place && rows->shape.rank == x->shape.rank &&
	    !layout_has_partial(x->place, &c->to))
		return one_way(rows, &seen, &c->to);
	if (c->is_read_as && layout_converts_freely(x->place, &x->shape, &c->to, &c->read_as)) {
		take(st, &best, x, &c->has, &c->read_as);
		take_opened(st, &best, x, &c->read_as, MAPS_OPENED);
	}
	take_opened(st, &best, x, &c->to, MAPS_OPENED);
	return best;
}

static bool is_at(struct span a, struct span b)
{
	return a.file == b.file && a.begin == b.begin && a.end == b.end;
}

/* The value that x is the line of whose function `vmap` calls line by line, if that stands at a place; else NULL. */
static const struct node *lines_at(struct stage *st, const struct node *x, struct span at)
{
	while (x->nin == 1 && node_is_identity(x))
		x = x->in[0];
	bool is_line = x->kind == NODE_MAP && x->nin == 1 && x->rule->combiner == COMBINE_NONE &&
		       x->rule->operand[0].rank == x->shape.rank + 1 && index_is_fixed(&x->rule->operand[0].index[0]);
	for (int i = 0; is_line && i < st->program->one_by_one.n; i++) {
		struct span call = st->program->one_by_one.at[i].call;
		const struct node *of = x->in[0];
		const char *name = help_plain_name(st->session, of, (struct span){0});
		const char *here = help_plain_name(st->session, x, at);
		bool stands = is_at(of->span, at) || (name && here && !strcmp(name, here));
		if (call.file == at.file && at.begin >= call.begin && at.end <= call.end && stands)
			return of;
	}
	return NULL;
}

struct conversion help_as_edited(struct stage *st, const struct conversion *c)
{
	const struct node *of = c->edits ? lines_at(st, c->x, c->at) : NULL;
	struct conversion all = {.x = of, .at = c->at, .edits = true, .to = c->to};
	if (!of || of->place != c->x->place)
		return *c;
	all.has = stage_seen(st, of);
	for (int a = 0; a < of->place->naxes; a++)
		all.to.atom[a].dim += all.to.atom[a].kind == SHARD_S; /* of a line, which is a dimension less */
	return all;
}
