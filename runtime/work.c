/* work.c — what steps take, for --profile: of each kind of work that the compiler tells apart (program.works) how
 * often it was done and how long it took, and of transfers what they took while nothing else went on. `pmlc
 * --profile-use` corrects its machine by both. The compiler says what each kind is, as members of a JSON object; they
 * are handed on unread.
 *
 * The clock is read behind each step: so long the step has taken, but for what transfers under way took of it, and for
 * what others on the processor did meanwhile. */
#define _POSIX_C_SOURCE 200809L
#include "rt.h"
#include "samples.h"
#include "transfer.h"

#include <string.h>

enum { SAMPLES = 64, WORK_TAG = 2 };

/* Others may use the machine as well, which makes a step longer and never shorter: of ten calls one had it alone. */
enum { UNDISTURBED = 1, LONG = 20000 };

struct rt_works {
	struct rt_samples *kind;   /* by kind of work, */
	int64_t *total_ns;         /* and of all its calls */
	int64_t *alone;            /* by transfer: the least, -1: none */
	int64_t last_ns, poked_ns; /* when the last step ended; what pokes took since */
	int64_t used_ns;           /* of the processor, when that was asked last; … */
	int64_t unasked_ns;        /* … by the clock, of steps since */
	int64_t computed, begun;   /* steps that computed, transfers that began */
	struct {
		int64_t computed, begun;
		bool alone;
	} * flight; /* by transfer, when it began */
};

void rt_works_start(struct pmlrt *rt)
{
	int64_t n = rt->program->nworks, transfers = rt->program->ntransfers;
	if (!rt->options.profile)
		return;
	struct rt_works *w = rt->works = rt_alloc(rt, (int64_t)sizeof *w);
	int64_t *ns = rt_alloc_large(rt, n * SAMPLES * (int64_t)sizeof *ns);
	w->kind = rt_alloc(rt, n * (int64_t)sizeof *w->kind);
	w->total_ns = rt_alloc(rt, n * (int64_t)sizeof *w->total_ns);
	w->alone = rt_alloc(rt, transfers * (int64_t)sizeof *w->alone);
	w->flight = rt_alloc(rt, transfers * (int64_t)sizeof *w->flight);
	for (int64_t i = 0; i < n; i++)
		w->kind[i] = rt_samples_in(ns + i * SAMPLES, SAMPLES);
	for (int64_t i = 0; i < transfers; i++)
		w->alone[i] = -1;
}

bool rt_works_times_steps(const struct pmlrt *rt)
{
	return rt->works && rt->step_clocks;
}

void rt_work_begin(struct pmlrt *rt)
{
	struct rt_works *w = rt->works;
	w->used_ns = rt_processor_now();
	w->unasked_ns = 0;
	w->poked_ns = 0;
	w->last_ns = rt_now();
}

/* What is long enough to be put aside for others took what it had of the processor. Asking for that takes longer than
 * the clock, so short steps, of which the processor is asked now and then, are taken to have had it; they may have had
 * less, so that what a long one behind them had is at the most what all of them had, and at the least what it had. */
static int64_t taken(struct rt_works *w, int64_t clock)
{
	w->unasked_ns += clock;
	if (w->unasked_ns <= LONG && !w->poked_ns)
		return clock;
	int64_t now = rt_processor_now(), used = w->poked_ns ? clock : now - w->used_ns;
	w->used_ns = now;
	w->unasked_ns = 0;
	return used < clock ? used : clock;
}

void rt_work_end(struct pmlrt *rt, int64_t kind)
{
	struct rt_works *w = rt->works;
	int64_t ns = taken(w, rt_now() - w->last_ns - w->poked_ns);
	if (kind >= 0) {
		rt_sample(&w->kind[kind], ns);
		w->total_ns[kind] += ns;
		w->computed++;
	}
	w->poked_ns = 0;
	w->last_ns = rt_now();
}

struct rt_work_taken rt_work_taken(struct pmlrt *rt, int32_t kind)
{
	struct rt_works *w = rt->works;
	return (struct rt_work_taken){w->kind[kind].seen, rt_samples_above(&w->kind[kind], UNDISTURBED),
				      w->total_ns[kind]};
}

void rt_work_poked(struct pmlrt *rt, int64_t since_ns)
{
	if (rt_works_times_steps(rt))
		rt->works->poked_ns += rt_now() - since_ns;
}

/* ---- transfers ---- */

/* Whether what else is under way travels with this one. */
static bool is_alone(const struct pmlrt *rt, const struct rt_transfer *t)
{
	for (int32_t i = 0; i < rt->nactive; i++)
		if (rt->transfers[rt->active[i]].leader != t)
			return false;
	return true;
}

void rt_work_transfer_begins(struct pmlrt *rt, int32_t id)
{
	struct rt_works *w = rt->works;
	if (!w)
		return;
	w->flight[id].alone = is_alone(rt, &rt->transfers[id]);
	w->flight[id].begun = ++w->begun;
	w->flight[id].computed = w->computed;
}

void rt_work_transfer_ends(struct pmlrt *rt, int32_t id, int64_t ns)
{
	struct rt_works *w = rt->works;
	if (w && w->flight[id].alone && w->flight[id].begun == w->begun && w->flight[id].computed == w->computed &&
	    (w->alone[id] < 0 || ns < w->alone[id]))
		w->alone[id] = ns;
}

/* ---- the file ---- */

static void put(char *text, size_t *n, const char *piece)
{
	size_t length = strlen(piece);
	if (text)
		memcpy(text + *n, piece, length);
	*n += length;
}

/* The rows of this rank; `text` NULL: their length alone. Those that did nothing are left out. */
static size_t write_rows(struct pmlrt *rt, char *text)
{
	size_t n = 0;
	char numbers[128];
	bool first = true;
	for (int32_t i = 0; i < rt->program->nworks; i++) {
		struct rt_work_taken t = rt_work_taken(rt, i);
		if (!t.calls)
			continue;
		snprintf(numbers, sizeof numbers, ", \"calls\": %lld, \"ns\": %lld}", (long long)t.calls,
			 (long long)t.ns);
		put(text, &n, first ? "\n  {" : ",\n  {");
		put(text, &n, rt->program->works[i].text);
		put(text, &n, numbers);
		first = false;
	}
	return n;
}

static void print_rank(FILE *f, int rank, const char *rows, size_t n)
{
	fprintf(f, "%s\n {\"rank\": %d, \"work\": [", rank ? "," : "", rank);
	fwrite(rows, 1, n, f);
	fprintf(f, "]}");
}

static char *rows_of(struct pmlrt *rt, size_t *n)
{
	*n = write_rows(rt, NULL);
	char *text = rt_alloc(rt, (int64_t)*n + 1);
	write_rows(rt, text);
	return text;
}

void rt_works_json(struct pmlrt *rt, FILE *f)
{
	size_t n;
	char *own = rows_of(rt, &n);
	int64_t size = (int64_t)n;
	if (rt->rank != 0) {
		RT_CHECK(rt, MPI_Send(&size, 1, MPI_INT64_T, 0, WORK_TAG, rt->control));
		RT_CHECK(rt, MPI_Send(own, (int)size, MPI_CHAR, 0, WORK_TAG, rt->control));
		return;
	}
	fprintf(f, "\"ranks\": [");
	print_rank(f, 0, own, n);
	for (int r = 1; r < rt->size; r++) {
		RT_CHECK(rt, MPI_Recv(&size, 1, MPI_INT64_T, r, WORK_TAG, rt->control, MPI_STATUS_IGNORE));
		char *rows = rt_alloc(rt, size + 1);
		RT_CHECK(rt, MPI_Recv(rows, (int)size, MPI_CHAR, r, WORK_TAG, rt->control, MPI_STATUS_IGNORE));
		print_rank(f, r, rows, (size_t)size);
		rt_release(rt, rows);
	}
	fprintf(f, "\n]");
}

/* Of the rank that began last it is what the transfer took, and that is the one with the least. */
void rt_works_alone(struct pmlrt *rt, int64_t *ns)
{
	int64_t n = rt->program->ntransfers;
	for (int64_t i = 0; i < n; i++)
		ns[i] = rt->works->alone[i] < 0 ? INT64_MAX : rt->works->alone[i];
	rt_all_reduce(rt, ns, (int)n, MPI_INT64_T, MPI_MIN, "--profile", 0);
	for (int64_t i = 0; i < n; i++)
		ns[i] = ns[i] == INT64_MAX ? -1 : ns[i];
}

static void print_place(FILE *f, const struct pmlrt_place *p)
{
	fprintf(f, "{\"extents\": [");
	for (int a = 0; a < p->naxes; a++)
		fprintf(f, "%s%lld", a ? ", " : "", (long long)p->extent[a]);
	fprintf(f, "], \"first\": %d", p->first);
	for (int64_t i = 0; p->ranks && i < p->count; i++)
		fprintf(f, "%s%d", i ? ", " : ", \"ranks\": [", p->ranks[i]);
	fprintf(f, "%s}", p->ranks ? "]" : "");
}

/* Windows and unequal shares have no form here: "atoms" is left out. */
static void print_type(FILE *f, const struct pmlrt *rt, const struct pmlrt_type *t)
{
	int naxes = t->place < 0 ? 0 : rt->program->places[t->place].naxes;
	bool is_simple = t->place >= 0;
	fprintf(f, "{\"type\": \"%s\", \"place\": %d, \"shape\": [", rt_dtype_text(t->dtype), t->place);
	for (int d = 0; d < t->rank; d++)
		fprintf(f, "%s%lld", d ? ", " : "", (long long)t->dim[d]);
	for (int a = 0; a < naxes; a++)
		is_simple &= t->atom[a].kind <= SHARD_P && !t->atom[a].shares;
	fprintf(f, "]%s", is_simple ? ", \"atoms\": [" : "");
	for (int a = 0; is_simple && a < naxes; a++)
		fprintf(f, "%s[%d, %d]", a ? ", " : "", t->atom[a].kind,
			t->atom[a].kind == SHARD_S ? t->atom[a].dim : t->atom[a].combiner);
	fprintf(f, "%s}", is_simple ? "]" : "");
}

void rt_works_types(const struct pmlrt *rt, FILE *f)
{
	const struct pmlrt_program *p = rt->program;
	fprintf(f, "\"program\": {\"format\": %d, \"name\": ", PMLRT_PROFILE_FORMAT);
	rt_json_text(f, p->name);
	fprintf(f, ", \"tensors\": \"%016llx\", \"ranks\": %lld, \"vector_bytes\": %d},\n\"places\": [",
		(unsigned long long)p->tensors, (long long)p->nranks, p->vector_bytes);
	for (int32_t i = 0; i < p->nplaces; i++) {
		fprintf(f, "%s\n ", i ? "," : "");
		print_place(f, &p->places[i]);
	}
	fprintf(f, "\n],\n\"types\": [");
	for (int32_t i = 0; i < p->ntypes; i++) {
		fprintf(f, "%s\n ", i ? "," : "");
		print_type(f, rt, &p->types[i]);
	}
	fprintf(f, "\n],\n");
}
