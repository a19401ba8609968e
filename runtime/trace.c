/* trace.c — --profile=FILE: regions, transfers, waits and passes over micro-batches of all ranks as a Chrome trace
 * (Perfetto reads it), and the tables of --profile in numbers, with what
 * steps took (work.c). Events go to a buffer of fixed size taken at start; when
 * it is full, the rest is left out and the trace says so. */
#define _POSIX_C_SOURCE 200809L
#include "rt.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

static const char *const pass_kinds[] = {
#define PASS_KIND(name, text, marks) text,
#include "pass.def"
#undef PASS_KIND
};

enum { PASS_KINDS = sizeof pass_kinds / sizeof *pass_kinds };
enum { TRACE_ROOM = 1 << 17, TRACE_TAG = 1 };

struct rt_event {
	int64_t begin, end;
	int64_t amount; /* TRANSFER: bytes this rank sends; PASS: processor time outside of waits, in ns */
	int32_t kind, id;
};

struct rt_trace {
	FILE *file; /* on rank 0, from the start on: that it cannot be written is not said after hours */
	int64_t n, lost, epoch;
	/* The pass under way: its id, -1 none, when it began, and the processor time used outside of waits until then.
	 */
	int32_t pass;
	int64_t pass_begun_ns, pass_processor_ns;
	int64_t wait_processor_ns, waits_processor_ns; /* when the last wait began; in all waits */
	struct rt_event events[];
};

/* All clocks of one machine agree; those of several are lined up by a barrier here, roughly. */
void rt_trace_start(struct pmlrt *rt)
{
	if (!rt->options.trace)
		return;
	rt->trace = rt_alloc_large(rt, (int64_t)(sizeof *rt->trace + TRACE_ROOM * sizeof(struct rt_event)));
	if (rt->rank == 0)
		rt->trace->file = rt_create_stream(rt->options.trace, O_TRUNC);
	if (rt->rank == 0 && !rt->trace->file)
		rt_fail(rt, 0, "cannot write --profile=%s: %s", rt->options.trace, rt_file_error(errno));
	rt->trace->pass = -1;
	rt_barrier(rt, "--profile", 0);
	rt->trace->epoch = rt_now();
}

static void add(struct rt_trace *t, struct rt_event e)
{
	e.begin -= t->epoch;
	e.end -= t->epoch;
	if (t->n == TRACE_ROOM)
		t->lost++;
	else
		t->events[t->n++] = e;
}

void rt_trace_event(struct pmlrt *rt, int32_t kind, int32_t id, int64_t begin_ns, int64_t end_ns, int64_t amount)
{
	if (rt->trace)
		add(rt->trace, (struct rt_event){begin_ns, end_ns, amount, kind, id});
}

void rt_trace_wait(struct pmlrt *rt, bool begins)
{
	struct rt_trace *t = rt->trace;
	if (!t || t->pass < 0)
		return;
	int64_t now = rt_processor_now();
	if (begins)
		t->wait_processor_ns = now;
	else
		t->waits_processor_ns += now - t->wait_processor_ns;
}

void pmlrt_pass(struct pmlrt *rt, void **cells, int64_t cell, int32_t micro, int32_t kind)
{
	struct rt_trace *t = rt->trace;
	if (!t || (micro < 0 && t->pass < 0))
		return;
	if (cell >= 0)
		micro += (int32_t)((const int64_t *)(cells + cell))[0];
	int64_t now = rt_now(), used = rt_processor_now() - t->waits_processor_ns;
	if (t->pass >= 0)
		add(t, (struct rt_event){.begin = t->pass_begun_ns,
					 .end = now,
					 .amount = used - t->pass_processor_ns,
					 .kind = RT_EVENT_PASS,
					 .id = t->pass});
	t->pass = micro < 0 ? -1 : PASS_KINDS * micro + kind;
	t->pass_begun_ns = now;
	t->pass_processor_ns = used;
}

static void write_pass(FILE *f, int rank, const struct rt_event *e)
{
	fprintf(f,
		",\n{\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,\"name\":\"%s %d\","
		"\"args\":{\"processor\":%.3f}}",
		rank, e->kind, (double)e->begin * 1e-3, (double)(e->end - e->begin) * 1e-3,
		pass_kinds[e->id % PASS_KINDS], e->id / PASS_KINDS, (double)e->amount * 1e-3);
}

static void write_event(const struct pmlrt *rt, FILE *f, int rank, const struct rt_event *e)
{
	static const char *const names[] = {
		[RT_EVENT_REGION] = "region", [RT_EVENT_TRANSFER] = "transfer", [RT_EVENT_WAIT] = "wait"};
	char place[512] = "", name[512];
	const char *what = "";
	if (e->kind == RT_EVENT_PASS) {
		write_pass(f, rank, e);
		return;
	}
	if (e->kind == RT_EVENT_REGION) {
		what = rt->program->regions[e->id].name;
	} else {
		int32_t site = rt->program->transfers[e->id].site;
		rt_site_text(rt, site, place, sizeof place);
		what = rt->program->sites[site].what ? rt->program->sites[site].what : "";
	}
	snprintf(name, sizeof name, "%s %s#%d", names[e->kind], what, e->id);
	fprintf(f, ",\n{\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,\"name\":", rank, e->kind,
		(double)e->begin * 1e-3, (double)(e->end - e->begin) * 1e-3);
	rt_json_text(f, name);
	fprintf(f, ",\"args\":{\"at\":");
	rt_json_text(f, place);
	fprintf(f, ",\"bytes\":%lld}}", (long long)e->amount);
}

static void write_rank(const struct pmlrt *rt, FILE *f, int rank, const struct rt_event *events, int64_t n,
		       int64_t lost)
{
	fprintf(f, "%s{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_name\",\"args\":{\"name\":\"rank %d%s\"}}",
		rank ? ",\n" : "{\"traceEvents\": [\n", rank, rank, lost ? " (events lost)" : "");
	for (int64_t i = 0; i < n; i++)
		write_event(rt, f, rank, &events[i]);
}

static void receive_rank(struct pmlrt *rt, FILE *f, int rank, struct rt_event *room)
{
	int64_t counts[2];
	RT_CHECK(rt, MPI_Recv(counts, 2, MPI_INT64_T, rank, TRACE_TAG, rt->control, MPI_STATUS_IGNORE));
	RT_CHECK(rt, MPI_Recv(room, (int)(counts[0] * (int64_t)sizeof *room), MPI_BYTE, rank, TRACE_TAG, rt->control,
			      MPI_STATUS_IGNORE));
	write_rank(rt, f, rank, room, counts[0], counts[1]);
}

static void send_rank(struct pmlrt *rt)
{
	const struct rt_trace *t = rt->trace;
	int64_t counts[2] = {t->n, t->lost};
	RT_CHECK(rt, MPI_Send(counts, 2, MPI_INT64_T, 0, TRACE_TAG, rt->control));
	RT_CHECK(rt,
		 MPI_Send(t->events, (int)(t->n * (int64_t)sizeof *t->events), MPI_BYTE, 0, TRACE_TAG, rt->control));
}

void rt_trace_write(struct pmlrt *rt)
{
	struct rt_trace *t = rt->trace;
	if (!t)
		return;
	if (rt->rank != 0) {
		send_rank(rt);
		rt_profile_json(rt, NULL);
		rt_works_json(rt, NULL);
		return;
	}
	FILE *f = t->file;
	write_rank(rt, f, 0, t->events, t->n, t->lost);
	for (int r = 1; r < rt->size; r++)
		receive_rank(rt, f, r, t->events);
	fprintf(f, "\n],\n");
	rt_profile_json(rt, f);
	rt_works_types(rt, f);
	rt_works_json(rt, f);
	fprintf(f, "}\n");
	int failed = ferror(f);
	if (fclose(f) != 0 || failed)
		rt_fail(rt, 0, "cannot write --profile=%s: %s", rt->options.trace, strerror(errno));
}
