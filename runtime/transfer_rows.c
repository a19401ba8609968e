/* transfer_rows.c — rows taken by index from a table that is split, made whole: every element is on one rank, which all
 * ranks read off the indices, so each is sent once to every other rank and nothing is added up. The flattened tensor is
 * shared out among the ranks of each host, and an element goes from its owner to the rank of the owner's host in whose
 * share it is, from there to one rank of each other host, and from these to the others of theirs. So no rank sends much
 * more than others, whoever owns the rows, and each element crosses to a host once. What indices name outside of the
 * table is 0 on all ranks, and taken from the first. */
#include "hosts.h"
#include "transfer.h"

#include <string.h>

enum level { LEVEL_COLLECT, LEVEL_CROSS, LEVEL_SPREAD, LEVELS };

/* Of the group of ranks that hold the same table between them, one has this. */
struct member {
	int32_t rank, host; /* world rank; its host, by order */
	int64_t begin, end; /* its rows of the table */
};

struct host {
	int32_t first, count; /* of its members, in `by_host` */
};

struct row_gather {
	int32_t n, own, nhosts;
	struct member *member;
	struct host *host;
	int32_t *by_host;  /* members, host by host */
	int32_t *by_begin; /* members with rows, by the first of them */
	int32_t nholders;
	int64_t outer, rows, inner; /* the tensor: outer x rows x inner elements */
	int32_t *owner;             /* of each row: a member */
	int64_t *cut;               /* where shares of some host begin, ascending; one more: the end */
	int32_t ncuts;
	enum level level;
	int64_t passed, packed; /* LEVEL_CROSS: elements that go to all other hosts, visited and packed so far */
	int64_t *sends, *receives; /* by member: elements of this level */
	int64_t *send_at, *receive_at;
	char *send_stage, *receive_stage;
};

/* ---- who owns what ---- */

static int64_t row_number(int32_t dtype, const void *rows, int64_t i)
{
	switch ((enum pmlrt_dtype)dtype) {
	case PMLRT_I8:
		return ((const int8_t *)rows)[i];
	case PMLRT_I16:
		return ((const int16_t *)rows)[i];
	case PMLRT_I32:
		return ((const int32_t *)rows)[i];
	case PMLRT_U8:
		return ((const uint8_t *)rows)[i];
	case PMLRT_U16:
		return ((const uint16_t *)rows)[i];
	case PMLRT_U32:
		return ((const uint32_t *)rows)[i];
	default: /* what does not fit in 63 bits is outside */
		return ((const int64_t *)rows)[i];
	}
}

static int32_t owner_of(const struct row_gather *g, int64_t row)
{
	int32_t low = 0, high = g->nholders;
	while (low < high) {
		int32_t middle = (low + high) / 2;
		if (g->member[g->by_begin[middle]].begin <= row)
			low = middle + 1;
		else
			high = middle;
	}
	int32_t holder = low > 0 ? g->by_begin[low - 1] : 0;
	return row < g->member[holder].end ? holder : 0;
}

/* The member of a host in whose share an element is. */
static int32_t leader_of(const struct row_gather *g, int32_t host, int64_t element)
{
	const struct host *h = &g->host[host];
	return g->by_host[h->first + shard_owner(g->outer * g->rows * g->inner, h->count, element)];
}

/* ---- what goes where ---- */

typedef void piece_visitor(struct row_gather *g, void *context, int32_t peer, int64_t begin, int64_t n, bool sends);

/* The part that this rank has in the way of elements that one rank owns and one of each host passes on. */
static void visit_piece(struct row_gather *g, int32_t owner, int64_t begin, int64_t n, piece_visitor *visit,
			void *context)
{
	int32_t home = g->member[owner].host, here = g->member[g->own].host;
	int32_t first = leader_of(g, home, begin), leader = leader_of(g, here, begin);
	if (g->level == LEVEL_COLLECT && owner != first) {
		if (g->own == owner)
			visit(g, context, first, begin, n, true);
		else if (g->own == first)
			visit(g, context, owner, begin, n, false);
	}
	if (g->level == LEVEL_CROSS && g->own == first) {
		for (int32_t h = 0; h < g->nhosts; h++)
			if (h != home)
				visit(g, context, leader_of(g, h, begin), begin, n, true);
		g->passed += n;
	} else if (g->level == LEVEL_CROSS && g->own == leader && here != home) {
		visit(g, context, first, begin, n, false);
	}
	if (g->level == LEVEL_SPREAD && g->own == leader) {
		const struct host *h = &g->host[here];
		for (int32_t i = h->first; i < h->first + h->count; i++)
			if (g->by_host[i] != g->own && g->by_host[i] != owner)
				visit(g, context, g->by_host[i], begin, n, true);
	} else if (g->level == LEVEL_SPREAD && g->own != owner) {
		visit(g, context, leader, begin, n, false);
	}
}

/* Pieces of one owner and one share of each host, in the order of elements. */
static void visit_pieces(struct row_gather *g, piece_visitor *visit, void *context)
{
	int64_t all = g->outer * g->rows * g->inner;
	g->passed = g->packed = 0;
	for (int64_t begin = 0, cut = 0, end; begin < all; begin = end) {
		int32_t owner = g->owner[begin / g->inner % g->rows];
		while (g->cut[cut] <= begin)
			cut++;
		end = (begin / g->inner + 1) * g->inner;
		while (end < g->cut[cut] && g->owner[end / g->inner % g->rows] == owner)
			end += g->inner;
		end = end < g->cut[cut] ? end : g->cut[cut];
		visit_piece(g, owner, begin, end - begin, visit, context);
	}
}

static void count_piece(struct row_gather *g, void *context, int32_t peer, int64_t begin, int64_t n, bool sends)
{
	(void)context;
	(void)begin;
	if (g->level == LEVEL_CROSS && sends && !g->sends[peer])
		g->send_at[peer] = g->passed;
	*(sends ? &g->sends[peer] : &g->receives[peer]) += n;
}

/* Of what goes to all other hosts each leader there gets a run, since its share is one: it is packed once for all. */
static void pack_once(struct row_gather *g, const struct rt_transfer *t, int64_t begin, int64_t n)
{
	if (g->packed > g->passed)
		return;
	memcpy(g->send_stage + g->passed * t->size, (const char *)t->dst + begin * t->size, (size_t)(n * t->size));
	g->packed += n;
}

static void pack_piece(struct row_gather *g, void *context, int32_t peer, int64_t begin, int64_t n, bool sends)
{
	const struct rt_transfer *t = context;
	if (!sends)
		return;
	if (g->level == LEVEL_CROSS) {
		pack_once(g, t, begin, n);
		return;
	}
	const char *from = g->level == LEVEL_COLLECT ? t->src : t->dst;
	memcpy(g->send_stage + g->send_at[peer] * t->size, from + begin * t->size, (size_t)(n * t->size));
	g->send_at[peer] += n;
}

static void unpack_piece(struct row_gather *g, void *context, int32_t peer, int64_t begin, int64_t n, bool sends)
{
	const struct rt_transfer *t = context;
	if (sends)
		return;
	memcpy((char *)t->dst + begin * t->size, g->receive_stage + g->receive_at[peer] * t->size,
	       (size_t)(n * t->size));
	g->receive_at[peer] += n;
}

static void count_level(struct row_gather *g, enum level level)
{
	g->level = level;
	memset(g->sends, 0, (size_t)g->n * sizeof *g->sends);
	memset(g->receives, 0, (size_t)g->n * sizeof *g->receives);
	visit_pieces(g, count_piece, NULL);
}

/* Behind each other in staging; how many elements are sent. Those that go to all other hosts have their place. */
static int64_t place_messages(struct row_gather *g)
{
	int64_t send = 0, receive = 0;
	for (int32_t i = 0; i < g->n; i++) {
		if (g->level != LEVEL_CROSS)
			g->send_at[i] = send;
		g->receive_at[i] = receive;
		send += g->sends[i];
		receive += g->receives[i];
	}
	return g->level == LEVEL_CROSS ? g->passed : send;
}

/* ---- preparing ---- */

/* The hosts of the members, in the order in which they come. */
static void find_hosts(const struct pmlrt *rt, struct row_gather *g)
{
	int32_t at = 0;
	for (int32_t i = 0; i < g->n; i++)
		g->member[i].host = -1;
	for (int32_t i = 0; i < g->n; i++) {
		if (g->member[i].host >= 0)
			continue;
		struct host *h = &g->host[g->nhosts];
		h->first = at;
		for (int32_t k = i; k < g->n; k++) {
			if (host_of(rt, g->member[k].rank) != host_of(rt, g->member[i].rank))
				continue;
			g->member[k].host = g->nhosts;
			g->by_host[at++] = k;
			h->count++;
		}
		g->nhosts++;
	}
}

/* In the order of what they hold: there are few, and they come nearly so. */
static void find_holders(struct row_gather *g)
{
	for (int32_t i = 0; i < g->n; i++) {
		int32_t at = g->nholders;
		if (g->member[i].begin == g->member[i].end)
			continue;
		for (; at > 0 && g->member[g->by_begin[at - 1]].begin > g->member[i].begin; at--)
			g->by_begin[at] = g->by_begin[at - 1];
		g->by_begin[at] = i;
		g->nholders++;
	}
}

static void find_cuts(struct row_gather *g)
{
	int64_t all = g->outer * g->rows * g->inner;
	for (int32_t h = 0; h < g->nhosts; h++)
		for (int32_t k = 1; k <= g->host[h].count; k++) {
			int64_t cut = shard_begin(all, g->host[h].count, k);
			int32_t at = g->ncuts;
			while (at > 0 && g->cut[at - 1] > cut)
				at--;
			if (at > 0 && g->cut[at - 1] == cut)
				continue;
			memmove(&g->cut[at + 1], &g->cut[at], (size_t)(g->ncuts - at) * sizeof *g->cut);
			g->cut[at] = cut;
			g->ncuts++;
		}
}

static void find_members(struct pmlrt *rt, struct rt_transfer *t, struct row_gather *g, uint32_t axes)
{
	const struct pmlrt_type *table = &rt->program->types[t->decl->table];
	const struct pmlrt_place *p = &rt->program->places[table->place];
	struct side held = side_make(table->rank, table->dim, p, table->atom);
	int32_t *rank = rt_alloc(rt, g->n * (int64_t)sizeof *rank);
	g->own = (int32_t)rt_group_ranks(rt, rt->program->types[t->decl->src].place, axes, rank);
	for (int32_t i = 0; i < g->n; i++) {
		struct box b = side_box(&held, mesh_position(p, rank[i]));
		g->member[i] = (struct member){
			.rank = rank[i], .begin = b.begin[t->decl->table_dim], .end = b.end[t->decl->table_dim]};
	}
	rt_release(rt, rank);
	find_hosts(rt, g);
	find_holders(g);
}

/* The part of the tensor that the ranks of the group are to have: outer, rows and inner elements. */
static void find_extents(struct pmlrt *rt, struct rt_transfer *t, struct row_gather *g)
{
	struct box b = side_box(&t->to, rt->places[rt->program->types[t->decl->dst].place].position);
	g->outer = g->rows = g->inner = 1;
	for (int d = 0; d < t->to.rank; d++) {
		int64_t n = b.end[d] - b.begin[d];
		*(d < t->decl->rows_at                        ? &g->outer
		  : d < t->decl->rows_at + t->decl->rows_rank ? &g->rows
							      : &g->inner) *= n;
	}
}

static int64_t *numbers(struct pmlrt *rt, int64_t n)
{
	return rt_alloc(rt, n * (int64_t)sizeof(int64_t));
}

static bool rows_prepare(struct pmlrt *rt, struct rt_transfer *t)
{
	uint32_t axes = 0;
	for (int a = 0; a < t->from.place->naxes; a++)
		axes |= t->from.atom[a].kind == SHARD_P ? UINT32_C(1) << a : 0;
	struct row_gather *g = t->plan = rt_alloc(rt, sizeof *g);
	g->n = (int32_t)mesh_extent(t->from.place, axes);
	g->member = rt_alloc(rt, g->n * (int64_t)sizeof *g->member);
	g->host = rt_alloc(rt, g->n * (int64_t)sizeof *g->host);
	g->by_host = rt_alloc(rt, g->n * (int64_t)sizeof *g->by_host);
	g->by_begin = rt_alloc(rt, g->n * (int64_t)sizeof *g->by_begin);
	find_members(rt, t, g, axes);
	find_extents(rt, t, g);
	g->owner = rt_alloc(rt, g->rows * (int64_t)sizeof *g->owner);
	g->cut = numbers(rt, g->n + 1);
	find_cuts(g);
	g->sends = numbers(rt, g->n);
	g->receives = numbers(rt, g->n);
	g->send_at = numbers(rt, g->n);
	g->receive_at = numbers(rt, g->n);
	int64_t all = g->outer * g->rows * g->inner;
	/* In no level does more than all wait on either side: what is its own, its share, or what it lacks. */
	g->send_stage = transfer_staging(rt, t, 2 * all * t->size);
	transfer_requests(rt, t, 2 * g->n * (transfer_messages(rt, all) + 1));
	return true;
}

/* ---- a transfer ---- */

static void begin_level(struct pmlrt *rt, struct rt_transfer *t, enum level level)
{
	struct row_gather *g = t->plan;
	count_level(g, level);
	g->receive_stage = g->send_stage + place_messages(g) * t->size;
	visit_pieces(g, pack_piece, t);
	place_messages(g);
	t->nrequests = 0;
	for (int32_t i = 0; i < g->n; i++) {
		transfer_receive(rt, t, g->member[i].rank, g->receive_stage + g->receive_at[i] * t->size,
				 g->receives[i], &t->requests[t->nrequests]);
		t->nrequests += transfer_messages(rt, g->receives[i]);
	}
	for (int32_t i = 0; i < g->n; i++) {
		transfer_send(rt, t, g->member[i].rank, g->send_stage + g->send_at[i] * t->size, g->sends[i],
			      &t->requests[t->nrequests]);
		t->nrequests += transfer_messages(rt, g->sends[i]);
		t->sends += g->sends[i] * t->size;
	}
}

static void copy_own(struct row_gather *g, const struct rt_transfer *t)
{
	for (int64_t o = 0; o < g->outer; o++)
		for (int64_t r = 0; r < g->rows; r++) {
			int64_t at = (o * g->rows + r) * g->inner * t->size;
			if (g->owner[r] == g->own && g->inner > 0)
				memcpy((char *)t->dst + at, (const char *)t->src + at, (size_t)(g->inner * t->size));
		}
}

static void rows_begin(struct pmlrt *rt, struct rt_transfer *t)
{
	struct row_gather *g = t->plan;
	int64_t all = g->outer * g->rows * g->inner;
	t->sends = 0;
	t->nrequests = 0;
	g->level = LEVELS;
	if (all == 0)
		return;
	for (int64_t r = 0; r < g->rows; r++)
		g->owner[r] = owner_of(g, row_number(t->decl->rows_dtype, t->rows, r));
	copy_own(g, t);
	begin_level(rt, t, LEVEL_COLLECT);
}

static bool rows_next(struct pmlrt *rt, struct rt_transfer *t)
{
	struct row_gather *g = t->plan;
	if (g->level == LEVELS)
		return true;
	visit_pieces(g, unpack_piece, t);
	if (g->level + 1 == LEVELS)
		return true;
	begin_level(rt, t, (enum level)(g->level + 1));
	return false;
}

const struct rt_method rt_method_rows = {.prepare = rows_prepare, .begin = rows_begin, .next = rows_next};
