/* transfer_rows.c — rows taken by index from a table that is split, made whole: every element is on one rank, which all
 * ranks read off the indices, so each is sent once to every other rank and nothing is added up. The flattened tensor is
 * shared out among the ranks of each host, and an element goes from its owner to the rank of the owner's host in whose
 * share it is, from there to one rank of each other host, and from these to the others of theirs. So no rank sends much
 * more than others, whoever owns the rows, and each element crosses to a host once. What indices name outside of the
 * table is 0 on all ranks, and taken from the first. */
#include "hosts.h"
#include "row_owners.h"

#include <string.h>

enum level { LEVEL_COLLECT, LEVEL_CROSS, LEVEL_SPREAD, LEVELS };

struct host {
	int32_t first, count; /* of its members, in `by_host` */
};

struct row_gather {
	struct row_owners o;
	int32_t nhosts;
	int32_t *host_of; /* by member: its host, by order */
	struct host *host;
	int32_t *by_host; /* members, host by host */
	int64_t *cut;     /* where shares of some host begin, ascending; one more: the end */
	int32_t ncuts;
	enum level level;
	int64_t passed, packed; /* LEVEL_CROSS: elements that go to all other hosts, visited and packed so far */
	struct row_messages m;  /* of this level */
};

static int64_t elements_of(const struct row_gather *g)
{
	return g->o.outer * g->o.rows * g->o.inner;
}

/* The member of a host in whose share an element is. */
static int32_t leader_of(const struct row_gather *g, int32_t host, int64_t element)
{
	const struct host *h = &g->host[host];
	return g->by_host[h->first + shard_owner(elements_of(g), h->count, element)];
}

/* ---- what goes where ---- */

typedef void piece_visitor(struct row_gather *g, void *context, int32_t peer, int64_t begin, int64_t n, bool sends);

/* The part that this rank has in the way of elements that one rank owns and one of each host passes on. */
static void visit_piece(struct row_gather *g, int32_t owner, int64_t begin, int64_t n, piece_visitor *visit,
			void *context)
{
	int32_t home = g->host_of[owner], here = g->host_of[g->o.own];
	int32_t first = leader_of(g, home, begin), leader = leader_of(g, here, begin);
	if (g->level == LEVEL_COLLECT && owner != first) {
		if (g->o.own == owner)
			visit(g, context, first, begin, n, true);
		else if (g->o.own == first)
			visit(g, context, owner, begin, n, false);
	}
	if (g->level == LEVEL_CROSS && g->o.own == first) {
		for (int32_t h = 0; h < g->nhosts; h++)
			if (h != home)
				visit(g, context, leader_of(g, h, begin), begin, n, true);
		g->passed += n;
	} else if (g->level == LEVEL_CROSS && g->o.own == leader && here != home) {
		visit(g, context, first, begin, n, false);
	}
	if (g->level == LEVEL_SPREAD && g->o.own == leader) {
		const struct host *h = &g->host[here];
		for (int32_t i = h->first; i < h->first + h->count; i++)
			if (g->by_host[i] != g->o.own && g->by_host[i] != owner)
				visit(g, context, g->by_host[i], begin, n, true);
	} else if (g->level == LEVEL_SPREAD && g->o.own != owner) {
		visit(g, context, leader, begin, n, false);
	}
}

/* Pieces of one owner and one share of each host, in the order of elements. */
static void visit_pieces(struct row_gather *g, piece_visitor *visit, void *context)
{
	int64_t all = elements_of(g);
	g->passed = g->packed = 0;
	for (int64_t begin = 0, cut = 0, end; begin < all; begin = end) {
		int32_t owner = g->o.owner[begin / g->o.inner % g->o.rows];
		while (g->cut[cut] <= begin)
			cut++;
		end = (begin / g->o.inner + 1) * g->o.inner;
		while (end < g->cut[cut] && g->o.owner[end / g->o.inner % g->o.rows] == owner)
			end += g->o.inner;
		end = end < g->cut[cut] ? end : g->cut[cut];
		visit_piece(g, owner, begin, end - begin, visit, context);
	}
}

static void count_piece(struct row_gather *g, void *context, int32_t peer, int64_t begin, int64_t n, bool sends)
{
	(void)context;
	(void)begin;
	if (g->level == LEVEL_CROSS && sends && !g->m.sends[peer])
		g->m.send_at[peer] = g->passed;
	*(sends ? &g->m.sends[peer] : &g->m.receives[peer]) += n;
}

/* Of what goes to all other hosts each leader there gets a run, since its share is one: it is packed once for all. */
static void pack_once(struct row_gather *g, const struct rt_transfer *t, int64_t begin, int64_t n)
{
	if (g->packed > g->passed)
		return;
	memcpy(g->m.send_stage + g->passed * t->size, (const char *)t->dst + begin * t->size, (size_t)(n * t->size));
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
	memcpy(g->m.send_stage + g->m.send_at[peer] * t->size, from + begin * t->size, (size_t)(n * t->size));
	g->m.send_at[peer] += n;
}

static void unpack_piece(struct row_gather *g, void *context, int32_t peer, int64_t begin, int64_t n, bool sends)
{
	const struct rt_transfer *t = context;
	if (sends)
		return;
	memcpy((char *)t->dst + begin * t->size, g->m.receive_stage + g->m.receive_at[peer] * t->size,
	       (size_t)(n * t->size));
	g->m.receive_at[peer] += n;
}

static void count_level(struct row_gather *g, enum level level)
{
	g->level = level;
	memset(g->m.sends, 0, (size_t)g->o.n * sizeof *g->m.sends);
	memset(g->m.receives, 0, (size_t)g->o.n * sizeof *g->m.receives);
	visit_pieces(g, count_piece, NULL);
}

/* Behind each other in staging; how many elements are sent. Those that go to all other hosts have their place. */
static int64_t place_messages(struct row_gather *g)
{
	int64_t send = 0, receive = 0;
	for (int32_t i = 0; i < g->o.n; i++) {
		if (g->level != LEVEL_CROSS)
			g->m.send_at[i] = send;
		g->m.receive_at[i] = receive;
		send += g->m.sends[i];
		receive += g->m.receives[i];
	}
	return g->level == LEVEL_CROSS ? g->passed : send;
}

/* ---- preparing ---- */

/* The hosts of the members, in the order in which they come. */
static void find_hosts(const struct pmlrt *rt, struct row_gather *g)
{
	int32_t at = 0;
	for (int32_t i = 0; i < g->o.n; i++)
		g->host_of[i] = -1;
	for (int32_t i = 0; i < g->o.n; i++) {
		if (g->host_of[i] >= 0)
			continue;
		struct host *h = &g->host[g->nhosts];
		h->first = at;
		for (int32_t k = i; k < g->o.n; k++) {
			if (host_of(rt, g->o.member[k].rank) != host_of(rt, g->o.member[i].rank))
				continue;
			g->host_of[k] = g->nhosts;
			g->by_host[at++] = k;
			h->count++;
		}
		g->nhosts++;
	}
}

static void find_cuts(struct row_gather *g)
{
	int64_t all = elements_of(g);
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

static bool rows_prepare(struct pmlrt *rt, struct rt_transfer *t)
{
	uint32_t axes = 0;
	for (int a = 0; a < t->from.place->naxes; a++)
		axes |= t->from.atom[a].kind == SHARD_P ? UINT32_C(1) << a : 0;
	struct row_gather *g = t->plan = rt_alloc(rt, sizeof *g);
	row_owners_prepare(rt, t, axes, &t->to, &g->o);
	g->host_of = rt_alloc(rt, g->o.n * (int64_t)sizeof *g->host_of);
	g->host = rt_alloc(rt, g->o.n * (int64_t)sizeof *g->host);
	g->by_host = rt_alloc(rt, g->o.n * (int64_t)sizeof *g->by_host);
	find_hosts(rt, g);
	g->cut = rt_alloc(rt, (g->o.n + 1) * (int64_t)sizeof *g->cut);
	find_cuts(g);
	/* In no level does more than all wait on either side: what is its own, its share, or what it lacks. */
	row_messages_prepare(rt, t, g->o.n, 2 * elements_of(g), &g->m);
	return true;
}

/* ---- a transfer ---- */

static void begin_level(struct pmlrt *rt, struct rt_transfer *t, enum level level)
{
	struct row_gather *g = t->plan;
	count_level(g, level);
	g->m.receive_stage = g->m.send_stage + place_messages(g) * t->size;
	visit_pieces(g, pack_piece, t);
	place_messages(g);
	row_messages_start(rt, t, &g->o, &g->m);
}

static void copy_own(struct row_gather *g, const struct rt_transfer *t)
{
	for (int64_t o = 0; o < g->o.outer; o++)
		for (int64_t r = 0; r < g->o.rows; r++) {
			int64_t at = (o * g->o.rows + r) * g->o.inner * t->size;
			if (g->o.owner[r] == g->o.own && g->o.inner > 0)
				memcpy((char *)t->dst + at, (const char *)t->src + at, (size_t)(g->o.inner * t->size));
		}
}

static void rows_begin(struct pmlrt *rt, struct rt_transfer *t)
{
	struct row_gather *g = t->plan;
	int64_t all = elements_of(g);
	t->sends = 0;
	t->nrequests = 0;
	g->level = LEVELS;
	if (all == 0)
		return;
	row_owners_find(t, 0, &g->o);
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
