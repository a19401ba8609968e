/* profile.c — --profile: per transfer what was announced and what was counted, and the time of every region, gathered
 * from all ranks at the end. The bytes the compiler announced are compared with the counters, and a difference is
 * shown: it is a bug of ours, but for all-reduces that hosts do each for themselves (moves/levels.h). */
#include "rt.h"
#include "transfer.h"

#include <string.h>

enum { CALLS, BYTES, MOST_BYTES, CROSSED, MOVING, WAITED, MOST_WAITED, COLUMNS };
static const int summed[] = {BYTES, CROSSED, MOVING, WAITED};

enum { REGION_CALLS, MEDIAN, LEAST, TOTAL, PROCESSOR, REGION_COLUMNS };

static const char *const method_text[] = {
#define REDIST(name, text, most) text,
#include "redist.def"
#undef REDIST
};
/* Whether what is announced is the most that may be counted. */
static const bool is_most[] = {
#define REDIST(name, text, most) most,
#include "redist.def"
#undef REDIST
};
static const char *const direction_text[] = {
	[PMLRT_FORWARD] = "forward", [PMLRT_BACKWARD] = "backward", [PMLRT_UPDATE] = "update", [PMLRT_HOST] = "host"};

/* Sums over ranks in the columns that are summed, maxima in the others. Release the table with rt_release. */
static int64_t *collect(struct pmlrt *rt)
{
	int64_t n = rt->program->ntransfers;
	int64_t *table = rt_alloc(rt, n * COLUMNS * (int64_t)sizeof *table),
		*sums = rt_alloc(rt, n * COLUMNS * (int64_t)sizeof *sums);
	for (int64_t i = 0; i < n; i++) {
		const struct rt_transfer *t = &rt->transfers[i];
		int64_t row[COLUMNS] = {t->calls,     t->bytes,     t->bytes,    t->crossed,
					t->moving_ns, t->waited_ns, t->waited_ns};
		memcpy(table + i * COLUMNS, row, sizeof row);
	}
	memcpy(sums, table, (size_t)(n * COLUMNS) * sizeof *sums);
	rt_all_reduce(rt, sums, (int)(n * COLUMNS), MPI_INT64_T, MPI_SUM, "--profile", 0);
	rt_all_reduce(rt, table, (int)(n * COLUMNS), MPI_INT64_T, MPI_MAX, "--profile", 0);
	for (int64_t i = 0; i < n; i++)
		for (size_t k = 0; k < sizeof summed / sizeof *summed; k++)
			table[i * COLUMNS + summed[k]] = sums[i * COLUMNS + summed[k]];
	rt_release(rt, sums);
	return table;
}

/* Of the rank that took longest. */
static int64_t *collect_regions(struct pmlrt *rt)
{
	int64_t n = rt->program->nregions, *table = rt_alloc(rt, n * REGION_COLUMNS * (int64_t)sizeof *table);
	for (int32_t i = 0; i < n; i++) {
		struct rt_region_times r = rt_region_times(rt, i);
		int64_t row[REGION_COLUMNS] = {r.calls, r.median_ns, r.least_ns, r.total_ns, r.processor_ns};
		memcpy(table + i * REGION_COLUMNS, row, sizeof row);
	}
	rt_all_reduce(rt, table, (int)(n * REGION_COLUMNS), MPI_INT64_T, MPI_MAX, "--profile", 0);
	return table;
}

/* How many transfers travel as one with this one. */
static int bucket_size(const struct pmlrt *rt, const struct rt_transfer *t)
{
	int n = 0;
	for (int32_t i = 0; i < rt->program->ntransfers; i++)
		n += rt->program->transfers[i].bucket == t->decl->bucket;
	return n;
}

/* The part of the time under way in which ranks did not wait, of all ranks together. */
static double hidden(const int64_t *row)
{
	return row[MOVING] > row[WAITED] ? 1 - (double)row[WAITED] / (double)row[MOVING] : 0;
}

static const char *tensor_of(const struct pmlrt *rt, int64_t i)
{
	const char *name = rt->program->sites[rt->transfers[i].decl->site].what;
	return name ? name : "";
}

/* Of the column of names. */
static int widest_name(const struct pmlrt *rt)
{
	enum { NARROWEST = 14, WIDEST = 28 };
	size_t width = NARROWEST;
	for (int64_t i = 0; i < rt->program->ntransfers; i++)
		if (strlen(tensor_of(rt, i)) > width)
			width = strlen(tensor_of(rt, i));
	return width > WIDEST ? WIDEST : (int)width;
}

static void print_row(const struct pmlrt *rt, int64_t i, const int64_t *row, int width)
{
	const struct rt_transfer *t = &rt->transfers[i];
	char place[512], all[32], most[32], method[32];
	snprintf(method, sizeof method, "%s", method_text[t->decl->method]);
	rt_site_text(rt, t->decl->site, place, sizeof place);
	size_t n = strlen(place);
	const char *where = n > 30 ? place + n - 30 : place;
	int64_t calls = row[CALLS] ? row[CALLS] : 1;
	if (t->leader || t->method == &rt_method_bucket)
		snprintf(method, sizeof method, "%s +%d", method_text[t->decl->method], bucket_size(rt, t) - 1);
	printf("%-30s %-14s %-8s %-*s %8lld %10s %10s %10.3f %6.0f%%", where, method,
	       direction_text[t->decl->direction], width, tensor_of(rt, i), (long long)row[CALLS],
	       rt_bytes_text(row[BYTES], all, sizeof all), rt_bytes_text(row[MOST_BYTES] / calls, most, sizeof most),
	       (double)row[MOST_WAITED] * 1e-9, 100 * hidden(row));
	int64_t announced = t->decl->bytes * row[CALLS];
	if (is_most[t->decl->method] ? row[BYTES] > announced : row[BYTES] != announced)
		printf("  announced %s per call, counted %lld", rt_bytes_text(t->decl->bytes, all, sizeof all),
		       (long long)(row[BYTES] / calls));
	printf("\n");
}

static void print_level(const struct pmlrt *rt, const char *level, int64_t bytes)
{
	int64_t steps = rt_step(rt) - rt->resumed_step;
	char all[32], step[32];
	printf("%-14s %10s", level, rt_bytes_text(bytes, all, sizeof all));
	if (steps > 0)
		printf(" %10s a step", rt_bytes_text(bytes / steps, step, sizeof step));
	printf("\n");
}

static void print_transfers(const struct pmlrt *rt, const int64_t *table)
{
	int64_t total = 0, crossed = 0;
	char text[32];
	int width = widest_name(rt);
	printf("%-30s %-14s %-8s %-*s %8s %10s %10s %10s %7s\n", "source", "transfer", "", width, "tensor", "calls",
	       "sent", "per call", "waited", "hidden");
	for (int64_t i = 0; i < rt->program->ntransfers; i++) {
		print_row(rt, i, table + i * COLUMNS, width);
		total += table[i * COLUMNS + BYTES];
		crossed += table[i * COLUMNS + CROSSED];
	}
	printf("%s sent in all (per call: by the rank that sends most; waited: seconds of the rank that waited most; "
	       "hidden: "
	       "of the time under way, what no rank waited)\n",
	       rt_bytes_text(total, text, sizeof text));
	print_level(rt, "within a host", total - crossed);
	print_level(rt, "between hosts", crossed);
}

static void print_regions(const struct pmlrt *rt, const int64_t *table)
{
	for (int32_t i = 0; i < rt->program->nregions; i++) {
		const int64_t *row = table + i * REGION_COLUMNS;
		printf("region %-23s %8lld calls  median %.4g ms  total %.3f s  processor %.4g ms\n",
		       rt->program->regions[i].name, (long long)row[REGION_CALLS], (double)row[MEDIAN] * 1e-6,
		       (double)row[TOTAL] * 1e-9, (double)row[PROCESSOR] * 1e-6);
	}
}

/* Batches that a rank took, at most, and those that were not whole by then; ns that went into others than the one in
 * use, at most. */
struct batch_counts {
	int64_t taken, late, ahead_ns;
};

static struct batch_counts collect_batches(struct pmlrt *rt)
{
	const struct rt_batches *n = &rt->counted;
	int64_t all[] = {n->taken, n->taken - n->ahead, n->ahead_ns};
	rt_all_reduce(rt, all, 3, MPI_INT64_T, MPI_MAX, "--profile", 0);
	return (struct batch_counts){all[0], all[1], all[2]};
}

static void print_batches(const struct batch_counts *n)
{
	if (n->taken)
		printf("batches %lld, %lld of them read ahead (by the rank with fewest), in %.3f s of waiting\n",
		       (long long)n->taken, (long long)(n->taken - n->late), (double)n->ahead_ns * 1e-9);
}

void rt_profile_print(struct pmlrt *rt)
{
	int64_t *transfers = collect(rt), *regions = collect_regions(rt);
	struct batch_counts batches = collect_batches(rt);
	if (rt->rank == 0) {
		print_transfers(rt, transfers);
		print_regions(rt, regions);
		print_batches(&batches);
		rt_works_print(rt);
		fflush(stdout);
	}
	rt_release(rt, transfers);
	rt_release(rt, regions);
}

static void json_transfer(const struct pmlrt *rt, FILE *f, int32_t i, const int64_t *row, int64_t alone)
{
	const struct rt_transfer *t = &rt->transfers[i];
	const struct pmlrt_site *site = &rt->program->sites[t->decl->site];
	int64_t calls = row[CALLS] ? row[CALLS] : 1;
	fprintf(f,
		"%s\n {\"id\": %d, \"line\": %d, \"kind\": \"%s\", \"direction\": \"%s\", \"calls\": %lld, \"bytes\": "
		"%lld, "
		"\"bytes_per_rank\": %lld, \"between_hosts\": %lld, \"announced\": %lld, \"bucket\": %d, \"waited\": "
		"%.9f, \"hidden\": %.6f, \"src\": %d, \"dst\": %d, \"alone_ns\": %lld}",
		i ? "," : "", i, site->line, method_text[t->decl->method], direction_text[t->decl->direction],
		(long long)row[CALLS], (long long)row[BYTES], (long long)(row[MOST_BYTES] / calls),
		(long long)row[CROSSED], (long long)t->decl->bytes, t->decl->bucket - 1,
		(double)row[MOST_WAITED] * 1e-9, hidden(row), t->decl->src, t->decl->dst, (long long)alone);
}

void rt_profile_json(struct pmlrt *rt, FILE *f)
{
	int64_t *transfers = collect(rt), *regions = collect_regions(rt);
	int64_t *alone = rt_alloc(rt, rt->program->ntransfers * (int64_t)sizeof *alone);
	struct batch_counts batches = collect_batches(rt);
	rt_works_alone(rt, alone);
	if (f) {
		fprintf(f, "\"transfers\": [");
		for (int32_t i = 0; i < rt->program->ntransfers; i++)
			json_transfer(rt, f, i, transfers + i * COLUMNS, alone[i]);
		fprintf(f, "\n],\n\"regions\": [");
		for (int32_t i = 0; i < rt->program->nregions; i++) {
			const int64_t *row = regions + i * REGION_COLUMNS;
			fprintf(f,
				"%s\n {\"name\": \"%s\", \"calls\": %lld, \"median_ms\": %.6f, \"least_ms\": %.6f, "
				"\"total_s\": %.9f, "
				"\"processor_ms\": %.6f}",
				i ? "," : "", rt->program->regions[i].name, (long long)row[REGION_CALLS],
				(double)row[MEDIAN] * 1e-6, (double)row[LEAST] * 1e-6, (double)row[TOTAL] * 1e-9,
				(double)row[PROCESSOR] * 1e-6);
		}
		fprintf(f, "\n],\n\"batches\": {\"taken\": %lld, \"ahead\": %lld, \"ahead_s\": %.9f},\n",
			(long long)batches.taken, (long long)(batches.taken - batches.late),
			(double)batches.ahead_ns * 1e-9);
	}
	rt_release(rt, alone);
	rt_release(rt, transfers);
	rt_release(rt, regions);
}
