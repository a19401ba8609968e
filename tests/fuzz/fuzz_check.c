/* fuzz_check.c — throws programs with exchanged tokens at the compiler up to the plan, in process: it may report
 * errors; it may not crash, hang, or use memory by the extents a program names. Deterministic: seed files and number
 * decide an input.
 *
 *   fuzz_check N FILE.pml ...    N mutations of the files
 *   fuzz_check 0 FILE ...        the files as they are (to look at one input)
 *
 * Batches of inputs run in a child process, so one run finds many failures: each is kept as FUZZ_DIR/fuzz-NUMBER.pml
 * (default: the working folder) and counted. PML_STDLIB names the folder of std/, FUZZ_SEED the series (default 1),
 * FUZZ_ACCEPTED=1 prints how many inputs came how far. FUZZ_LOOPS=1: whether a program is accepted may not depend on
 * whether its loops stay loops. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include "compiler.h"
#include "fuzz.h"
#include "plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
enum { LIMIT_SECONDS = 60 }; /* a sixth of the speed */
#else
enum { LIMIT_SECONDS = 10 };
#endif
enum { BATCH = 64, LIMIT_BYTES = 1 << 30 };
enum reached { REACHED_NOTHING, REACHED_AST, REACHED_GRAPH, REACHED_LAYOUT, REACHED_PLAN, REACHED_COUNT };

/* What a child tells its parent, in shared memory. */
struct progress {
	long input; /* at hand */
	long reached[REACHED_COUNT];
	bool accepted[MAX_SEEDS];
};

/* ---- the property ---- */

static void print_all(struct program *p, struct text *t)
{
	compiler_print_plan(p, t, false);
	compiler_print_plan(p, t, true);
	for (int r = 0; r < p->roles.n; r++) {
		const struct role *role = p->roles.at[r];
		for (int i = 0; i < p->regions.n; i++)
			if (role->plans[i])
				plan_print(t, role->plans[i]);
		for (int i = 0; i < role->kernels.n; i++)
			kernel_print(t, role->kernels.at[i]);
	}
}

static enum reached compile(struct session *s, struct program_ast *ast, enum elaborate_what what)
{
	struct text t;
	if (s->errors)
		return REACHED_NOTHING;
	struct program *p = compiler_elaborate(ast, what);
	if (s->errors)
		return REACHED_AST;
	compiler_check_layouts(p);
	if (s->errors)
		return REACHED_GRAPH;
	compiler_simplify(p);
	if (s->errors)
		return REACHED_GRAPH;
	compiler_layout(p);
	if (s->errors)
		return REACHED_GRAPH;
	compiler_simplify(p);
	if (!s->errors)
		compiler_hoist(p);
	if (!s->errors)
		compiler_unfinished(p);
	if (s->errors)
		return REACHED_LAYOUT;
	compiler_pipeline(p);
	compiler_plan(p);
	if (s->errors)
		return REACHED_LAYOUT;
	text_init(&t, s->arena);
	print_all(p, &t);
	return REACHED_PLAN;
}

/* How far the input comes, and in *large whether it was told that turn by turn it is too large. */
static enum reached run_with(const struct input *b, bool unroll, FILE *sink, bool *large)
{
	struct session *s = session_new();
	s->options.stdlib_path = getenv("PML_STDLIB");
	s->options.opt_level = 2;
	s->options.verify_each = !unroll;
	s->options.unroll_loops = unroll;
	struct program_ast *ast = lang_load_text(s, "fuzz.pml", (const char *)b->at, b->n);
	enum reached reached = compile(s, ast, ELABORATE_MAIN);
	if (reached == REACHED_PLAN && !unroll)
		compile(s, ast, ELABORATE_TESTS);
	*large = false;
	for (int i = 0; i < s->diags.n; i++)
		*large |= s->diags.at[i]->code == PML0511;
	rewind(sink);
	diag_flush(s, sink);
	BUG_IF(!unroll && arena_used(s->arena) > LIMIT_BYTES, "%zu bytes for one small program", arena_used(s->arena));
	session_free(s);
	return reached;
}

static enum reached run_one(const struct input *b, FILE *sink)
{
	bool large, is_compared = getenv("FUZZ_LOOPS");
	enum reached kept = run_with(b, false, sink, &large);
	if (!is_compared || kept == REACHED_NOTHING)
		return kept;
	enum reached unrolled = run_with(b, true, sink, &large);
	BUG_IF(!large && (kept == REACHED_PLAN) != (unrolled == REACHED_PLAN), "%s with loops, %s turn by turn",
	       kept == REACHED_PLAN ? "accepted" : "refused", unrolled == REACHED_PLAN ? "accepted" : "refused");
	return kept;
}

/* ---- the run ---- */

struct fuzz {
	const struct input *seeds;
	int nseeds;
	long count; /* inputs: the seeds, then the mutations */
	uint64_t series;
	int *accepted, naccepted; /* seeds that compile: the ones worth changing */
	struct progress *progress;
	FILE *sink;
};

static void make_input(const struct fuzz *f, long i, struct input *b)
{
	uint64_t state = f->series * 0x1000000u + (uint64_t)i;
	const struct input *from = &f->seeds[i < f->nseeds ? i : f->accepted[below(&state, (size_t)f->naccepted)]];
	memcpy(b->at, from->at, from->n);
	b->n = from->n;
	if (i >= f->nseeds)
		for (size_t k = 1 + below(&state, 2) * below(&state, 4); k > 0; k--)
			mutate_tokens(b, &f->seeds[below(&state, (size_t)f->nseeds)], &state);
}

/* In the child: the clock is wound up again for every input, and kills the process when it runs out. */
static void run_batch(const struct fuzz *f, long from, long to)
{
	struct input b = {malloc(MAX_INPUT), 0};
	for (long i = from; i < to; i++) {
		struct itimerval limit = {.it_value = {.tv_sec = LIMIT_SECONDS}};
		f->progress->input = i;
		setitimer(ITIMER_PROF, &limit, NULL);
		make_input(f, i, &b);
		enum reached reached = run_one(&b, f->sink);
		f->progress->reached[reached]++;
		if (i < f->nseeds)
			f->progress->accepted[i] = reached == REACHED_PLAN;
	}
	free(b.at);
}

static void keep(const struct fuzz *f, long i, int status)
{
	char path[4096];
	const char *folder = getenv("FUZZ_DIR");
	struct input b = {malloc(MAX_INPUT), 0};
	make_input(f, i, &b);
	snprintf(path, sizeof path, "%s/fuzz-%ld.pml", folder ? folder : ".", i);
	remember(path, &b);
	fprintf(stderr, "input %ld: %s %d, kept in %s\n%.*s\n", i, WIFSIGNALED(status) ? "signal" : "exit status",
		WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), path, (int)b.n, (const char *)b.at);
	free(b.at);
}

/* Runs inputs from..to in a child; the number of the first that was not run. A failing one is kept and counted. */
static long run_child(const struct fuzz *f, long from, long to, int *failed)
{
	int status = 0;
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		run_batch(f, from, to);
		exit(EXIT_SUCCESS);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0) {
		perror("fuzz_check");
		exit(EXIT_FAILURE);
	}
	if (status == 0)
		return to;
	keep(f, f->progress->input, status);
	(*failed)++;
	return f->progress->input + 1;
}

/* Inputs from..to in batches; the number of failures. */
static int run(const struct fuzz *f, long from, long to)
{
	int failed = 0;
	while (from < to)
		from = run_child(f, from, from + BATCH < to ? from + BATCH : to, &failed);
	return failed;
}

int main(int argc, char **argv)
{
	static struct input seeds[MAX_SEEDS];
	static int accepted[MAX_SEEDS];
	int n = 0;
	if (argc < 3) {
		fprintf(stderr, "usage: fuzz_check N FILE.pml ...\n");
		return EXIT_FAILURE;
	}
	for (int i = 2; i < argc && n < MAX_SEEDS; i++)
		seeds[n++] = read_seed(argv[i]);
	const char *series = getenv("FUZZ_SEED");
	struct fuzz f = {.seeds = seeds,
			 .nseeds = n,
			 .count = n + strtol(argv[1], NULL, 10),
			 .accepted = accepted,
			 .series = series ? strtoull(series, NULL, 10) : 1,
			 .sink = fopen("/dev/null", "w")};
	f.progress = mmap(NULL, sizeof *f.progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (f.progress == MAP_FAILED || !f.sink) {
		perror("fuzz_check");
		return EXIT_FAILURE;
	}
	int failed = run(&f, 0, n);
	for (int i = 0; i < n; i++)
		if (f.progress->accepted[i])
			accepted[f.naccepted++] = i;
	if (f.naccepted == 0) {
		fprintf(stderr, "fuzz_check: none of the files compiles\n");
		return EXIT_FAILURE;
	}
	failed += run(&f, n, f.count);
	if (getenv("FUZZ_ACCEPTED"))
		fprintf(stderr, "rejected by the front end %ld, elaborate %ld, layout %ld, plan %ld; planned %ld\n",
			f.progress->reached[REACHED_NOTHING], f.progress->reached[REACHED_AST],
			f.progress->reached[REACHED_GRAPH], f.progress->reached[REACHED_LAYOUT],
			f.progress->reached[REACHED_PLAN]);
	for (int i = 0; i < n; i++)
		free(seeds[i].at);
	fclose(f.sink);
	printf("%ld passed, %d failed\n", f.count - failed, failed);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
