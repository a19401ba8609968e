/* start.c — pmlrt_main: the order of a program's life. Mistakes of the command line are found first, but said only when
 * MPI is up and rank 0 is known (alone, at once): a process that ends before MPI starts can hang its job. */
#define _POSIX_C_SOURCE 200809L
#include "cores.h"
#include "hosts.h"
#include "peers.h"
#include "product/product.h"
#include "streams.h"
#include "team.h"
#include "windows.h"

#include <stdlib.h>

enum { STATUS_OK, STATUS_FAILED, STATUS_USAGE };

/* What needs no run: --help, --version, a wrong command line. True if that was all; *status is set. */
static bool answered(struct pmlrt *rt, int *status)
{
	const struct rt_options *o = &rt->options;
	if (!o->help && !o->version && !o->error)
		return false;
	*status = o->help || o->version ? STATUS_OK : STATUS_USAGE;
	if (rt->rank != 0)
		return true;
	if (o->help)
		rt_options_help(rt, stdout);
	else if (o->version)
		printf("%s, compiled from %s by pmlc %s, plan %016llx\n", rt->program->name, rt->program->source,
		       rt->program->version, (unsigned long long)rt->program->fingerprint);
	else
		fprintf(stderr, "error: %s\n", o->error);
	if (ferror(stdout) || fflush(stdout) != 0) {
		fprintf(stderr, "error: cannot write to the standard output\n");
		*status = STATUS_FAILED;
	}
	return true;
}

/* Subnormal numbers, read or made by vector instructions, are zeros from here on, in threads started later too: bits
 * DAZ and FTZ. Without being asked where derivatives are computed: those of long chains fade through these numbers, in
 * which they say nothing. */
static void flush_subnormals(struct pmlrt *rt)
{
	enum rt_when when = rt->options.flush_subnormals;
	if (when == RT_NEVER || (when == RT_AUTO && !rt->program->differentiates))
		return;
#ifdef __SSE2__
	__builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 1 << 6 | 1 << 15);
#else
	if (when == RT_ALWAYS)
		rt_fail(rt, 0, "--flush-subnormals: this processor is not an x86-64; leave the option out");
#endif
}

/* The code of products is most of the runtime: programs that call none are linked without it. */
#pragma weak rt_gemm_start
#pragma weak rt_fourier_start

/* The narrowest level of all ranks: what they hold whole copies of stays the same. Ranks whose roles multiply nothing
 * take part as well, since the others wait for them. */
static void agree_on_products(struct pmlrt *rt)
{
	int level = (int)product_level(rt->program->vector_bytes, rt->program->bf16_pairs);
	if (rt->size > 1)
		rt_all_reduce(rt, &level, 1, MPI_INT, MPI_MIN, "all ranks at the start", 0);
	rt->product_level = (int)product_level_here((enum product_level)level);
}

static void prepare(struct pmlrt *rt)
{
	flush_subnormals(rt);
	hosts_find(rt);
	rt_team_start(rt);
	agree_on_products(rt);
	if (rt_gemm_start)
		rt_gemm_start(rt);
	if (rt_fourier_start)
		rt_fourier_start(rt);
	rt_places_prepare(rt);
	rt_transfers_prepare(rt);
	rt_wait_begin(rt, "communicators of all ranks", -1, 0);
	rt_places_connect(rt);
	rt_transfers_connect(rt);
	rt_wait_end(rt);
	rt_memory_prepare(rt);
	rt_log_start(rt);
	rt_regions_start(rt);
	rt_trace_start(rt);
	rt_works_start(rt);
}

/* Params and states as they are when a program begins; every test begins so, whatever the one before it did. */
static void initialise(struct pmlrt *rt)
{
	if (rt->program->init)
		rt->program->init(rt);
	if (rt->options.weights)
		pmlrt_load(rt, rt->options.weights, -1, 0);
}

static bool run(struct pmlrt *rt)
{
	const struct pmlrt_program *p = rt->program;
	initialise(rt);
	rt->entry_ns = rt_now();
	rt->wait_ns = 0;
	if (p->entry)
		p->entry(rt);
	return rt_tests_run(rt, initialise);
}

static void finish(struct pmlrt *rt)
{
	rt_stop_finish(rt);
	rt_transfers_end(rt);
	rt_progress_clear(rt);
	fflush(stdout);
	rt_barrier(rt, "the end of the program", 0);
	rt_footer(rt);
	if (rt->options.memory)
		rt_memory_print_peak(rt);
	if (rt->options.profile)
		rt_profile_print(rt);
	rt_trace_write(rt);
	rt_log_close(rt, true);
}

static void dispose(struct pmlrt *rt)
{
	rt_team_end(rt);
	rt_witness_end(rt);
	windows_end(rt);
	rt_free_all(rt);
	rt_shared_free(rt, sizeof *rt);
}

_Noreturn void rt_leave(struct pmlrt *rt, int status)
{
	finish(rt);
	rt_ranks_end(rt, false);
	fflush(stdout);
	rt_outlive(rt);
	dispose(rt);
	exit(status);
}

static int started(struct pmlrt *rt)
{
	int status;
	if (!rt_ranks_compare(rt))
		return STATUS_FAILED;
	if (answered(rt, &status))
		return status;
	if (!rt_ranks_check(rt))
		return STATUS_FAILED;
	prepare(rt);
	atomic_store(&rt->phase, RT_RUNNING);
	if (rt->options.memory)
		rt_memory_print(rt);
	rt_header(rt);
	rt_cores_check(rt);
	bool ok = true;
	if (!rt->options.dry_run) {
		ok = run(rt);
		finish(rt);
	}
	return ok ? STATUS_OK : STATUS_FAILED;
}

int pmlrt_main(int argc, char **argv, const struct pmlrt_program *program)
{
	streams_keep();
	struct pmlrt *rt = rt_shared(sizeof *rt);
	int status;
	if (!rt)
		return STATUS_FAILED;
	atomic_store(&rt->life.size, (int64_t)sizeof *rt);
	rt->program = program;
	rt->call = getenv("PMLRT_CALL");
	rt->self = rt->call ? rt->call : argc > 0 ? argv[0] : program->name;
	rt->start_ns = rt_now();
	rt->launched = rt_is_launched();
	rt->size = rt->local_size = 1;
	rt_options_read(rt, argc, argv);
	if (rt->launched || !answered(rt, &status)) {
		rt_ranks_start(rt, &argc, &argv);
		status = started(rt);
		rt_ranks_end(rt, status == STATUS_OK);
	}
	fflush(stdout);
	dispose(rt);
	return status;
}
