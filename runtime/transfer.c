/* transfer.c — the transfers of the program's table: prepared at start, begun and ended by generated code, polled
 * everywhere. What a family does is in transfer_*.c; here is what all have in common: rounds of requests, waiting,
 * and the counters of calls, bytes and time that --profile prints. */
#include "transfer.h"

#include "hosts.h"
#include "windows.h"

/* One row per method of redist.def. */
static const struct rt_method *const methods[] = {
#define REDIST(name, text, most) METHOD_##name,
#define METHOD_LOCAL             &rt_method_local
#define METHOD_EXCHANGE          &rt_method_exchange
#define METHOD_ALL_TO_ALL        &rt_method_all_to_all
#define METHOD_ALL_GATHER        &rt_method_all_gather
#define METHOD_HALO              &rt_method_exchange
#define METHOD_REDUCE_SCATTER    &rt_method_reduce_scatter
#define METHOD_ALL_REDUCE        &rt_method_bucket
#define METHOD_REDUCE_SEND       &rt_method_exchange
#define METHOD_ROW_GATHER        &rt_method_rows
#define METHOD_ROW_SCATTER       &rt_method_row_boxes
#define METHOD_ROW_RETURN        &rt_method_row_boxes
#include "redist.def"
#undef REDIST
};

uint32_t transfer_axes(const struct rt_transfer *t)
{
	return mesh_same(t->from.place, t->to.place) ? side_changes(&t->from, &t->to) : 0;
}

int transfer_axis(const struct rt_transfer *t)
{
	uint32_t axes = transfer_axes(t);
	return axes && !(axes & (axes - 1)) ? __builtin_ctz(axes) : -1;
}

uint32_t transfer_finished_axes(const struct rt_transfer *t)
{
	uint32_t axes = transfer_axes(t);
	for (int a = 0; a < t->from.place->naxes; a++)
		if (axes >> a & 1 && (t->from.atom[a].kind != SHARD_P || t->to.atom[a].kind != SHARD_B))
			return 0;
	return axes;
}

bool transfer_splits_plainly(const struct side *s, int d, int axis)
{
	return (side_splits(s, d) & ~(UINT32_C(1) << axis)) == 0;
}

static int64_t message_elements(const struct pmlrt *rt)
{
	return rt->message_elements ? rt->message_elements : SHARD_MESSAGE_ELEMENTS;
}

bool transfer_fits(const struct pmlrt *rt, const struct rt_transfer *t)
{
	return side_most(&t->from) <= message_elements(rt) && side_most(&t->to) <= message_elements(rt);
}

bool transfer_parts_hosts(const struct pmlrt *rt, const struct rt_transfer *t, uint32_t axes)
{
	return mesh_parts_hosts(t->from.place, axes, rt->host);
}

bool transfer_spans_hosts(const struct pmlrt *rt, const struct rt_transfer *t)
{
	int32_t host = host_of(rt, mesh_rank(t->from.place, 0));
	bool spans = transfer_parts_hosts(rt, t, UINT32_MAX);
	for (int64_t i = 0; rt->host && !spans && i < t->to.place->count; i++)
		spans = host_of(rt, mesh_rank(t->to.place, i)) != host;
	return spans;
}

int transfer_messages(const struct pmlrt *rt, int64_t n)
{
	return (int)((n + message_elements(rt) - 1) / message_elements(rt));
}

void transfer_send(struct pmlrt *rt, struct rt_transfer *t, int32_t peer, const char *from, int64_t n, MPI_Request *at)
{
	t->crossed += host_of(rt, peer) != host_of(rt, rt->rank) ? n * t->size : 0;
	for (int64_t most = message_elements(rt); n > 0; n -= most, from += most * t->size)
		RT_CHECK_AT(rt, t->site,
			    MPI_Isend(from, (int)(n < most ? n : most), rt_dtype_mpi(t->dtype), peer, t->id, rt->wire,
				      at++));
}

void transfer_crosses(const struct pmlrt *rt, struct rt_transfer *t, int32_t peer, int64_t elements)
{
	t->collective_crosses += host_of(rt, peer) != host_of(rt, rt->rank) ? elements * t->size : 0;
}

void transfer_receive(struct pmlrt *rt, struct rt_transfer *t, int32_t peer, char *to, int64_t n, MPI_Request *at)
{
	for (int64_t most = message_elements(rt); n > 0; n -= most, to += most * t->size)
		RT_CHECK_AT(
			rt, t->site,
			MPI_Irecv(to, (int)(n < most ? n : most), rt_dtype_mpi(t->dtype), peer, t->id, rt->wire, at++));
}

void *transfer_staging(struct pmlrt *rt, struct rt_transfer *t, int64_t bytes)
{
	t->staging += bytes;
	rt->staging_bytes += bytes;
	return bytes ? rt_alloc_large(rt, bytes) : NULL;
}

void transfer_requests(struct pmlrt *rt, struct rt_transfer *t, int room)
{
	if (room <= t->room)
		return;
	t->requests = rt_alloc(rt, room * (int64_t)sizeof *t->requests);
	t->room = room;
}

static struct side side_of(const struct pmlrt_program *program, int32_t type)
{
	const struct pmlrt_type *t = &program->types[type];
	return side_make(t->rank, t->dim, &program->places[t->place], t->atom);
}

static bool holds_nothing(const struct side *s, int32_t rank)
{
	int64_t position = mesh_position(s->place, rank);
	return position < 0 || side_volume(s, position) == 0;
}

static void transfer_prepare(struct pmlrt *rt, int32_t id)
{
	struct rt_transfer *t = &rt->transfers[id];
	*t = (struct rt_transfer){.decl = &rt->program->transfers[id], .id = id};
	t->site = t->decl->site;
	t->from = side_of(rt->program, t->decl->src);
	t->to = side_of(rt->program, t->decl->dst);
	t->dtype = rt->program->types[t->decl->src].dtype;
	t->size = rt_dtype_size(t->dtype);
	t->empty[0] = holds_nothing(&t->from, rt->rank);
	t->empty[1] = holds_nothing(&t->to, rt->rank);
	if (atoms_mix(t->from.place->naxes, t->from.atom))
		rt_fail(rt, t->site, "an unfinished tensor with two different combiners cannot be moved");
	if (mesh_position(t->from.place, rt->rank) < 0 && mesh_position(t->to.place, rt->rank) < 0)
		return;
	t->method = methods[t->decl->method];
	while (!t->method->prepare(rt, t))
		t->method = t->method->otherwise ? t->method->otherwise : &rt_method_exchange;
}

void rt_transfers_prepare(struct pmlrt *rt)
{
	int64_t n = rt->program->ntransfers;
	rt->transfers = rt_alloc(rt, n * (int64_t)sizeof *rt->transfers);
	rt->active = rt_alloc(rt, n * (int64_t)sizeof *rt->active);
	for (int32_t i = 0; i < n; i++)
		transfer_prepare(rt, i);
}

/* The table is the same on all ranks. */
static bool any_moves(const struct pmlrt *rt)
{
	for (int32_t i = 0; i < rt->program->ntransfers; i++)
		if (methods[rt->program->transfers[i].method] != &rt_method_local)
			return true;
	return false;
}

void rt_transfers_connect(struct pmlrt *rt)
{
	for (int32_t i = 0; i < rt->program->ntransfers; i++) {
		struct rt_transfer *t = &rt->transfers[i];
		if (t->method && t->method->connect)
			t->method->connect(rt, t);
	}
	if (any_moves(rt))
		windows_connect(rt);
}

/* Whether all requests of the round are complete. A test of one lets all of them progress. */
static bool round_complete(struct pmlrt *rt, struct rt_transfer *t)
{
	for (; t->nrequests > t->nheld; t->nrequests--) {
		int done;
		RT_CHECK_AT(rt, t->site, MPI_Test(&t->requests[t->nrequests - 1], &done, MPI_STATUS_IGNORE));
		if (!done)
			return false;
	}
	return true;
}

/* Goes on to the next rounds as far as they are complete. */
static bool transfer_advance(struct pmlrt *rt, struct rt_transfer *t)
{
	if (t->leader && (t->leader->under_way || t->leader->finished))
		t->finished = transfer_advance(rt, t->leader);
	while (!t->finished) {
		if (t->leader || !round_complete(rt, t))
			return false;
		t->finished = t->method->next(rt, t);
		if (t->looks && !t->finished)
			return false;
	}
	t->arrived_ns = t->arrived_ns ? t->arrived_ns : rt_now();
	return true;
}

static void forget_active(struct pmlrt *rt, int32_t id)
{
	for (int32_t i = 0; i < rt->nactive; i++)
		if (rt->active[i] == id) {
			rt->active[i] = rt->active[--rt->nactive];
			return;
		}
}

void pmlrt_transfer_begin(struct pmlrt *rt, int32_t id, const void *src, void *dst)
{
	struct rt_transfer *t = &rt->transfers[id];
	if (!t->method)
		return;
	if (t->under_way)
		rt_fail(rt, t->site, "internal error: transfer %d begins twice", id);
	/* An empty shard may lie where another one does, but MPI takes no address twice. */
	t->src = t->empty[0] ? &t->empty[0] : src;
	t->dst = t->empty[1] ? &t->empty[1] : dst;
	t->under_way = true;
	t->finished = false;
	t->nheld = 0;
	rt_work_transfer_begins(rt, id);
	t->begun_ns = rt_now();
	t->arrived_ns = 0;
	t->calls++;
	t->crossed += t->collective_crosses;
	t->method->begin(rt, t);
	rt->active[rt->nactive++] = id;
}

void pmlrt_transfer_begin_rows(struct pmlrt *rt, int32_t id, const void *src, void *dst, const void *rows)
{
	rt->transfers[id].rows = rows;
	pmlrt_transfer_begin(rt, id, src, dst);
}

/* Looks at a window before it is called a wait, which takes longer to say than a few looks. */
enum { LOOKS = 16 };

static void transfer_wait(struct pmlrt *rt, struct rt_transfer *t)
{
	struct rt_pause pause;
	for (int i = 0; i < (t->looks ? LOOKS : 1); i++)
		if (transfer_advance(rt, t))
			return;
	rt_wait_begin(rt, NULL, t->id, t->site);
	int64_t since = rt->wait_begin_ns;
	rt_pause_begin(rt, &pause);
	while (!transfer_advance(rt, t)) {
		rt_pause(rt, &pause);
		windows_pause(rt);
		for (int32_t i = 0; i < rt->nactive; i++)
			if (rt->active[i] != t->id)
				transfer_advance(rt, &rt->transfers[rt->active[i]]);
	}
	rt_wait_end(rt);
	int64_t now = rt_now();
	t->waited_ns += now - since;
	rt_trace_event(rt, RT_EVENT_WAIT, t->id, since, now, 0);
}

void pmlrt_transfer_end(struct pmlrt *rt, int32_t id)
{
	struct rt_transfer *t = &rt->transfers[id];
	if (!t->method)
		return;
	if (!t->under_way)
		rt_fail(rt, t->site, "internal error: transfer %d ends without a begin", id);
	transfer_wait(rt, t);
	forget_active(rt, id);
	t->under_way = false;
	t->bytes += t->sends;
	t->moving_ns += t->arrived_ns - t->begun_ns;
	rt_work_transfer_ends(rt, id, t->arrived_ns - t->begun_ns);
	if (rt->trace)
		rt_trace_event(rt, RT_EVENT_TRANSFER, id, t->begun_ns, rt_now(), t->sends);
}

void pmlrt_poke(struct pmlrt *rt)
{
	int64_t since = rt_works_times_steps(rt) ? rt_now() : 0;
	rt_came_by(rt);
	for (int32_t i = 0; i < rt->nactive; i++)
		transfer_advance(rt, &rt->transfers[rt->active[i]]);
	rt_work_poked(rt, since);
}

void rt_transfers_end(struct pmlrt *rt)
{
	while (rt->nactive)
		pmlrt_transfer_end(rt, rt->active[0]);
}
