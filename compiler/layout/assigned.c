/* assigned.c — slices that are assigned, `x[1..63] = e to S(0)`: the `to` brings the rows to where x has them. What is
 * put into x is fetched for that, and what the `to` gives is not S(0) of the rows, but these as x is cut: so e is
 * computed, or finished, where its rows belong. Example: x[..8] of 9 rows over 4 ranks: shares of 3, 2, 2 and 1. */
#include "../graph/known.h"
#include "../program.h"
#include "infer.h"

#include <string.h>

/* elaborate/operators/update.c: what is put, and what chooses between it, its second operand, and what was there. */
static bool is_called(const struct node *n, const char *name)
{
	return n->kind == NODE_MAP && strcmp(n->rule->name, name) == 0;
}

static bool is_update(const struct node *n)
{
	return is_called(n, "update");
}

static bool is_put(const struct node *n)
{
	return is_called(n, "put");
}

/* `x[1..63] *= e` multiplies by ones with e put into them: one statement. */
static bool is_part_of(const struct node *x, const struct node *statement)
{
	struct span a = x->span, b = statement->span;
	return a.file == b.file && a.begin >= b.begin && a.end <= b.end;
}

struct node *stage_rows_put(const struct node *n)
{
	if (n->nin == 2 && is_update(n))
		n = n->in[1];
	return n->nin == 1 && is_put(n) ? n->in[0] : NULL;
}

/* What the node puts into its first operand; NULL: it does not join one with what is put into it. */
static struct node *put_of(const struct node *n)
{
	struct node *put = n->nin > 1 ? n->in[1] : NULL;
	if (put && !is_update(n) && is_update(put) && is_part_of(put, n))
		put = put->in[1];
	return put && is_put(put) ? put : NULL;
}

bool stage_puts(const struct node *n)
{
	return put_of(n);
}

/* The `to` that ends what is put, also one that changes nothing; NULL: there is none. */
static struct node *end_of(const struct stage *st, const struct node *put)
{
	struct node *v = put->in[0];
	while (st->notes[v->id].is_alias && v->kind != NODE_TO)
		v = v->in[0];
	return v->kind == NODE_TO && v->origin == ORIGIN_SOURCE && stage_is_written(v) ? v : NULL;
}

const struct node *stage_put_end(const struct node *n)
{
	const struct node *v = stage_puts(n) ? n->in[1] : NULL;
	if (!v || !is_put(v))
		return NULL;
	for (v = v->in[0]; v->kind != NODE_TO && node_is_identity(v);)
		v = v->in[0];
	return v->kind == NODE_TO && v->origin == ORIGIN_SOURCE && stage_is_written(v) ? v : NULL;
}

bool stage_is_assigned(const struct stage *st, const struct node *n)
{
	const struct node *put = put_of(n);
	return put && end_of(st, put);
}

/* ---- where the rows belong ---- */

/* What the node reads of its first operand along an axis for a result in this layout: where it can, a part. */
static struct shard_atom read_for(struct arena *a, const struct node *n, struct shard_atom result)
{
	const struct signature *s;
	struct shard_atom *room = ARENA_ARRAY(a, struct shard_atom, n->nin);
	int count = signatures_of_known(n->rule, n->in, &s);
	for (int k = 0; k < count; k++) {
		struct signature cut = signature_cut(&s[k], n->rule, result, room);
		if (s[k].factor >= 0 && atom_equal(cut.out, result) && cut.operand[0].kind != SHARD_B)
			return cut.operand[0];
	}
	return (struct shard_atom){.kind = SHARD_B};
}

/* Whether what the `to` gives along an axis is, or is part of, what is read for x: then halos bring it. */
static bool axis_reaches(struct shard_atom has, struct shard_atom reads)
{
	bool split = reads.kind == SHARD_WINDOW || reads.kind == SHARD_S;
	return has.kind == SHARD_B || (has.kind == SHARD_S && split && has.dim == reads.dim);
}

bool stage_put_reaches(struct arena *a, const struct node *n, const struct layout *to, const struct layout *x)
{
	bool reaches = !layout_has_partial(n->place, x);
	for (int axis = 0; axis < n->place->naxes && reaches; axis++)
		reaches = axis_reaches(to->atom[axis], read_for(a, put_of(n), x->atom[axis]));
	return reaches;
}

bool stage_put_as(struct stage *st, const struct node *n)
{
	const struct node *put = put_of(n), *to = put ? end_of(st, put) : NULL;
	const struct layout x = stage_seen(st, n->in[0]);
	if (!to || !stage_put_reaches(st->arena, n, &to->layout, &x))
		return false;
	for (const struct node *v = n->in[1];; v = v->in[1]) {
		st->notes[v->id].has[VIEW_APART] = true;
		st->notes[v->id].view[VIEW_APART] = x;
		if (v == put)
			return true;
	}
}

/* What ranks read along an axis through windows, one behind the other, as a split of it. */
static struct shard_atom split_as_read(struct arena *a, const struct place *p, int axis, struct shard_atom reads,
				       const struct shape *s)
{
	struct layout one = layout_broadcast();
	int64_t k = p->extent[axis], distance = 1, *count = ARENA_ARRAY(a, int64_t, k);
	bool even = true;
	one.atom[axis] = reads;
	for (int i = axis + 1; i < p->naxes; i++)
		distance *= p->extent[i];
	for (int64_t r = 0; r < k; r++) {
		struct shape part = layout_local_shape(p, &one, s, r * distance);
		count[r] = part.dim[reads.dim];
		even = even && count[r] == shard_count(s->dim[reads.dim], k, r);
	}
	return (struct shard_atom){.kind = SHARD_S, .dim = reads.dim, .shares = even ? NULL : shares_of(a, k, count)};
}

/* The layout of the `to` with its splits as what is put is read for x; false: ranks would still lack some. */
static bool find_rows(struct arena *a, const struct node *put, const struct node *to, const struct layout *x,
		      struct layout *rows)
{
	const struct place *p = to->place;
	struct layout reads = layout_broadcast();
	*rows = to->layout;
	for (int axis = 0; axis < p->naxes; axis++) {
		struct shard_atom has = rows->atom[axis], r = read_for(a, put, x->atom[axis]);
		reads.atom[axis] = r;
		if (r.kind == SHARD_WINDOW && has.kind == SHARD_S && has.dim == r.dim)
			rows->atom[axis] = split_as_read(a, p, axis, r, &to->shape);
	}
	return layout_converts_freely(p, &to->shape, rows, &reads);
}

/* Nobody but the assignment has what the `to` gives. */
static bool is_for_it_alone(const struct node *put, const struct node *to, const int *reads)
{
	const struct node *x = put;
	while (x != to && reads[x->id] == 1)
		x = x->in[0];
	return x == to && reads[to->id] == 1;
}

/* Nothing else of what was inferred changes: the put is had in any layout. */
static void bring(struct stage *st, const struct node *put, struct node *to, const struct layout *rows)
{
	struct note *note = &st->notes[to->id];
	for (struct node *x = put->in[0]; x != to; x = x->in[0])
		x->layout = st->notes[x->id].want[0] = *rows;
	to->layout = *rows;
	infer_want_of_to(st, to);
	note->is_alias = false;
	place_note_cuts(st->program->arena, st->program->places.at[to->place->id], rows, &to->shape);
}

void stage_bring_rows(struct stage *st)
{
	const struct graph *g = st->graph;
	int *reads = NULL;
	for (int id = 0; id < g->nodes.n; id++) {
		const struct note *note = &st->notes[id];
		if (!note->fetches || !note->is_live)
			continue;
		reads = reads ? reads : graph_count_reads(g, st->arena);
		struct node *put = put_of(g->nodes.at[id]), *to = end_of(st, put);
		struct layout rows;
		if (is_for_it_alone(put, to, reads) && find_rows(st->program->arena, put, to, &note->want[1], &rows) &&
		    !layout_equal(to->place, &rows, &to->layout))
			bring(st, put, to, &rows);
	}
}
