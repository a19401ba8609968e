/* transfer_row_boxes.c — rows taken by index from a table that is split, between their owners and the ranks that keep
 * them: of the result each of these has a box, which is split along the axes that share the table out. Scattered, a row
 * goes from its owner to who keeps it; returned, from who keeps it to the owner, to whom alone it matters, and what
 * others have of it is 0. All ranks read the owners off the indices, so an element is sent once or not at all, and
 * nothing is added up. What indices name outside of the table is taken from the first rank, and returned to none. */
#include "row_owners.h"

#include <string.h>

/* What a member keeps of the tensor. */
struct kept {
	struct box box;
	int64_t inner;            /* elements of a row of it */
	struct boxcopy out, back; /* of a row: from the whole one, and onto it */
};

struct row_boxes {
	struct row_owners o;
	struct kept *kept; /* by member */
	bool returns;
	struct row_messages m;
};

/* ---- what goes where ---- */

/* A row of what a member keeps that this rank keeps or owns, and with whom it has it in common: the owner of what it
 * keeps, which may be itself, else the keeper; where its elements begin in the whole tensor and in what is kept. */
struct kept_row {
	int32_t keeper, peer;
	int64_t whole, kept;
};

typedef void row_visitor(struct row_boxes *x, const struct rt_transfer *t, const struct kept_row *row);

/* The next of the rows of a box, dimension by dimension; false behind the last. */
static bool next_row(const struct box *b, int dims, int64_t *at)
{
	for (int d = dims - 1; d >= 0; d--) {
		if (++at[d] < b->end[d])
			return true;
		at[d] = b->begin[d];
	}
	return false;
}

/* The number of coordinates in a box, of the dimensions from `first` on. */
static int64_t number_in(const struct box *b, int first, int last, const int64_t *at)
{
	int64_t n = 0;
	for (int d = first; d < last; d++)
		n = n * (b->end[d] - b->begin[d]) + at[d] - b->begin[d];
	return n;
}

/* n rows behind each other, of which there is an owner each. */
static void visit_run(struct row_boxes *x, const struct rt_transfer *t, struct kept_row row, const int32_t *owner,
		      int64_t n, row_visitor *visit)
{
	const bool keeps = row.keeper == x->o.own;
	const int64_t inner = x->kept[row.keeper].inner;
	for (int64_t i = 0; i < n; i++, row.whole += x->o.inner, row.kept += inner) {
		if (keeps ? owner[i] < 0 : owner[i] != x->o.own)
			continue;
		row.peer = keeps ? owner[i] : row.keeper;
		visit(x, t, &row);
	}
}

/* Those that a member keeps, in the order in which they lie there: the last dimension of the indices, one run for each
 * place in front of it. */
static void visit_kept(struct row_boxes *x, const struct rt_transfer *t, int32_t keeper, row_visitor *visit)
{
	const struct kept *k = &x->kept[keeper];
	int first = t->decl->rows_at, dims = first + t->decl->rows_rank, front = t->decl->rows_rank ? dims - 1 : dims;
	int64_t at[PMLRT_MAX_RANK], n = front < dims ? k->box.end[front] - k->box.begin[front] : 1;
	struct kept_row row = {.keeper = keeper};
	if (k->out.volume == 0 || box_volume(dims, &k->box) == 0)
		return;
	memcpy(at, k->box.begin, sizeof at);
	do {
		row.whole = number_in(&x->o.box, 0, dims, at) * x->o.inner;
		visit_run(x, t, row, x->o.owner + number_in(&x->o.box, first, dims, at), n, visit);
		row.kept += n * k->inner;
	} while (next_row(&k->box, front, at));
}

/* What others keep of the rows that this rank owns. */
static void visit_others(struct row_boxes *x, const struct rt_transfer *t, row_visitor *visit)
{
	for (int32_t i = 0; i < x->o.n; i++)
		if (i != x->o.own)
			visit_kept(x, t, i, visit);
}

/* Returned, what this rank keeps is sent; scattered, received. */
static void count_row(struct row_boxes *x, const struct rt_transfer *t, const struct kept_row *row)
{
	(void)t;
	bool sends = (row->keeper == x->o.own) == x->returns;
	if (row->peer != x->o.own)
		(sends ? x->m.sends : x->m.receives)[row->peer] += x->kept[row->keeper].inner;
}

/* A row from the whole tensor, or from what is kept. */
static void pack_row(struct row_boxes *x, const struct rt_transfer *t, const struct kept_row *row)
{
	const struct kept *k = &x->kept[row->keeper];
	const char *from = t->src;
	if (row->peer == x->o.own)
		return;
	char *stage = x->m.send_stage + x->m.send_at[row->peer] * t->size;
	if (x->returns)
		memcpy(stage, from + row->kept * t->size, (size_t)(k->inner * t->size));
	else
		boxcopy_run(&k->out, t->size, from + row->whole * t->size, stage);
	x->m.send_at[row->peer] += k->inner;
}

static void unpack_row(struct row_boxes *x, const struct rt_transfer *t, const struct kept_row *row)
{
	const struct kept *k = &x->kept[row->keeper];
	char *to = t->dst;
	if (row->peer == x->o.own)
		return;
	const char *stage = x->m.receive_stage + x->m.receive_at[row->peer] * t->size;
	if (x->returns)
		boxcopy_run(&k->back, t->size, stage, to + row->whole * t->size);
	else
		memcpy(to + row->kept * t->size, stage, (size_t)(k->inner * t->size));
	x->m.receive_at[row->peer] += k->inner;
}

static void copy_own(struct row_boxes *x, const struct rt_transfer *t, const struct kept_row *row)
{
	const struct kept *k = &x->kept[row->keeper];
	const char *from = t->src;
	char *to = t->dst;
	if (row->peer != x->o.own)
		return;
	if (x->returns)
		boxcopy_run(&k->back, t->size, from + row->kept * t->size, to + row->whole * t->size);
	else
		boxcopy_run(&k->out, t->size, from + row->whole * t->size, to + row->kept * t->size);
}

/* Behind each other in staging, those that are sent first. */
static void place_messages(struct row_boxes *x, const struct rt_transfer *t)
{
	int64_t send = 0, receive = 0;
	for (int32_t i = 0; i < x->o.n; i++) {
		x->m.send_at[i] = send;
		x->m.receive_at[i] = receive;
		send += x->m.sends[i];
		receive += x->m.receives[i];
	}
	x->m.receive_stage = x->m.send_stage + send * t->size;
}

/* ---- preparing ---- */

/* Of each member, in the whole tensor of the group, which has it all. */
static void find_kept(struct row_boxes *x, const struct rt_transfer *t, const struct side *split)
{
	int dims = t->decl->rows_at + t->decl->rows_rank, inner = split->rank - dims;
	struct box whole;
	memcpy(whole.begin, x->o.box.begin + dims, sizeof *whole.begin * (size_t)inner);
	memcpy(whole.end, x->o.box.end + dims, sizeof *whole.end * (size_t)inner);
	for (int32_t i = 0; i < x->o.n; i++) {
		struct kept *k = &x->kept[i];
		struct box row;
		k->box = side_box(split, mesh_position(split->place, x->o.member[i].rank));
		memcpy(row.begin, k->box.begin + dims, sizeof *row.begin * (size_t)inner);
		memcpy(row.end, k->box.end + dims, sizeof *row.end * (size_t)inner);
		k->inner = box_volume(inner, &row);
		boxcopy_make(&k->out, inner, &row, &whole, &row);
		boxcopy_make(&k->back, inner, &row, &row, &whole);
	}
}

static bool boxes_prepare(struct pmlrt *rt, struct rt_transfer *t)
{
	struct row_boxes *x = t->plan = rt_alloc(rt, sizeof *x);
	x->returns = !side_uses(&t->from, SHARD_P);
	const struct side *whole = x->returns ? &t->to : &t->from, *split = x->returns ? &t->from : &t->to;
	row_owners_prepare(rt, t, transfer_axes(t), whole, &x->o);
	x->kept = rt_alloc(rt, x->o.n * (int64_t)sizeof *x->kept);
	find_kept(x, t, split);
	/* What is sent and what is received are different elements of the whole tensor. */
	row_messages_prepare(rt, t, x->o.n, box_volume(whole->rank, &x->o.box), &x->m);
	return true;
}

/* ---- a transfer ---- */

static void boxes_begin(struct pmlrt *rt, struct rt_transfer *t)
{
	struct row_boxes *x = t->plan;
	int64_t all = box_volume(t->to.rank, &x->o.box);
	t->sends = 0;
	t->nrequests = 0;
	if (all == 0)
		return;
	row_owners_find(t, x->returns ? -1 : 0, &x->o);
	memset(x->m.sends, 0, (size_t)x->o.n * sizeof *x->m.sends);
	memset(x->m.receives, 0, (size_t)x->o.n * sizeof *x->m.receives);
	visit_kept(x, t, x->o.own, count_row);
	visit_others(x, t, count_row);
	place_messages(x, t);
	if (x->returns)
		visit_kept(x, t, x->o.own, pack_row);
	else
		visit_others(x, t, pack_row);
	place_messages(x, t);
	row_messages_start(rt, t, &x->o, &x->m);
	if (x->returns)
		memset(t->dst, 0, (size_t)(all * t->size));
	visit_kept(x, t, x->o.own, copy_own);
}

static bool boxes_next(struct pmlrt *rt, struct rt_transfer *t)
{
	struct row_boxes *x = t->plan;
	(void)rt;
	if (box_volume(t->to.rank, &x->o.box) == 0)
		return true;
	if (x->returns)
		visit_others(x, t, unpack_row);
	else
		visit_kept(x, t, x->o.own, unpack_row);
	return true;
}

const struct rt_method rt_method_row_boxes = {.prepare = boxes_prepare, .begin = boxes_begin, .next = boxes_next};
