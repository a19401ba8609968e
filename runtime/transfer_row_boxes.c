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

/* A row of what a member keeps, and its owner; where its elements begin in the whole tensor and in what is kept. */
struct kept_row {
	int32_t keeper, owner;
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

/* Those that a member keeps, in the order in which they lie there. */
static void visit_kept(struct row_boxes *x, const struct rt_transfer *t, int32_t keeper, row_visitor *visit)
{
	const struct kept *k = &x->kept[keeper];
	int first = t->decl->rows_at, dims = first + t->decl->rows_rank;
	int64_t at[PMLRT_MAX_RANK];
	struct kept_row row = {.keeper = keeper};
	if (k->out.volume == 0 || box_volume(dims, &k->box) == 0)
		return;
	memcpy(at, k->box.begin, sizeof at);
	do {
		row.owner = x->o.owner[number_in(&x->o.box, first, dims, at)];
		row.whole = number_in(&x->o.box, 0, dims, at) * x->o.inner;
		visit(x, t, &row);
		row.kept += k->inner;
	} while (next_row(&k->box, dims, at));
}

/* What this rank has to do with: what it keeps itself, and what others keep of its own. */
static void visit_all(struct row_boxes *x, const struct rt_transfer *t, row_visitor *visit)
{
	for (int32_t i = 0; i < x->o.n; i++)
		visit_kept(x, t, i, visit);
}

static bool is_mine(const struct row_boxes *x, const struct kept_row *row)
{
	return row->keeper == x->o.own && row->owner == x->o.own;
}

/* To or from whom a row travels that this rank sends, or receives; -1: it does neither, or nobody does. */
static int32_t peer_of(const struct row_boxes *x, const struct kept_row *row, bool sends)
{
	int32_t from = x->returns ? row->keeper : row->owner, to = x->returns ? row->owner : row->keeper;
	if (from == to || (sends ? from : to) != x->o.own)
		return -1;
	return sends ? to : from;
}

static void count_row(struct row_boxes *x, const struct rt_transfer *t, const struct kept_row *row)
{
	(void)t;
	int32_t to = peer_of(x, row, true), from = peer_of(x, row, false);
	if (to >= 0)
		x->m.sends[to] += x->kept[row->keeper].inner;
	if (from >= 0)
		x->m.receives[from] += x->kept[row->keeper].inner;
}

/* A row from the whole tensor, or from what is kept. */
static void pack_row(struct row_boxes *x, const struct rt_transfer *t, const struct kept_row *row)
{
	const struct kept *k = &x->kept[row->keeper];
	int32_t to = peer_of(x, row, true);
	const char *from = t->src;
	if (to < 0)
		return;
	char *stage = x->m.send_stage + x->m.send_at[to] * t->size;
	if (x->returns)
		memcpy(stage, from + row->kept * t->size, (size_t)(k->inner * t->size));
	else
		boxcopy_run(&k->out, t->size, from + row->whole * t->size, stage);
	x->m.send_at[to] += k->inner;
}

static void unpack_row(struct row_boxes *x, const struct rt_transfer *t, const struct kept_row *row)
{
	const struct kept *k = &x->kept[row->keeper];
	int32_t from = peer_of(x, row, false);
	char *to = t->dst;
	if (from < 0)
		return;
	const char *stage = x->m.receive_stage + x->m.receive_at[from] * t->size;
	if (x->returns)
		boxcopy_run(&k->back, t->size, stage, to + row->whole * t->size);
	else
		memcpy(to + row->kept * t->size, stage, (size_t)(k->inner * t->size));
	x->m.receive_at[from] += k->inner;
}

static void copy_own(struct row_boxes *x, const struct rt_transfer *t, const struct kept_row *row)
{
	const struct kept *k = &x->kept[row->keeper];
	const char *from = t->src;
	char *to = t->dst;
	if (!is_mine(x, row))
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
	visit_all(x, t, count_row);
	place_messages(x, t);
	visit_all(x, t, pack_row);
	place_messages(x, t);
	if (x->returns)
		memset(t->dst, 0, (size_t)(all * t->size));
	visit_kept(x, t, x->o.own, copy_own);
	row_messages_start(rt, t, &x->o, &x->m);
}

static bool boxes_next(struct pmlrt *rt, struct rt_transfer *t)
{
	struct row_boxes *x = t->plan;
	(void)rt;
	if (box_volume(t->to.rank, &x->o.box) > 0)
		visit_all(x, t, unpack_row);
	return true;
}

const struct rt_method rt_method_row_boxes = {.prepare = boxes_prepare, .begin = boxes_begin, .next = boxes_next};
