/* fuzz_json.c — throws damaged machine files and problems at what reads them in pmlc; see fuzz_files.h. What is taken
 * has to be usable: times of a machine are numbers and not negative, and it is read as it was written; a solution costs
 * what the problem says. */
#define _DEFAULT_SOURCE
#include "compiler/machine/machine.h"
#include "compiler/solve/read.h"
#include "compiler/solve/solver.h"
#include "fuzz_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct target targets[] = {
	{"machine", "cluster.json"}, {"machine", "unlike.json"}, {"machine", "workstation.json"},
	{"solve", "limited.json"},   {"solve", "problem.json"},  {"solve", "problem.json.gz"},
};

#define SECONDS 0.05 /* of the search; what it has found by then is looked at */

static void want(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static bool is_time(double ns)
{
	return ns >= 0 && !isnan(ns);
}

static void check_link(const struct machine_link *l)
{
	double before = 0;
	for (double size = 1; size < 1e12; size *= 8) {
		double ns = curve_time(&l->rate, size);
		want(is_time(ns) && ns >= before, "the time of a message");
		before = ns;
	}
	want(is_time(l->latency) && is_time(l->start) && l->overlap >= 0 && l->overlap <= 1, "a link");
}

static void check_processor(const struct machine_processor *p)
{
	for (double size = 1; size < 1e12; size *= 8)
		want(is_time(curve_time(&p->memory, size)), "the time of memory");
	for (int i = 0; i < OPERATIONS; i++)
		want(p->operation[i] > 0, "the rate of an operation");
	for (int i = 0; i < STARTS; i++)
		want(is_time(p->start[i]), "a start");
	for (int type = 0; type < PMLRT_DTYPES; type++)
		for (int64_t m = 1; p->has_products[type] && m < 1 << 20; m *= 64)
			for (int64_t k = 1; k < 1 << 20; k *= 32)
				want(is_time(machine_product_time(p, type, m, 3 * k, k)), "the time of a product");
}

static void check_places(const struct machine *m)
{
	int64_t ranks = machine_ranks(m);
	want(ranks > 0, "ranks");
	for (int64_t rank = 0; rank < ranks && rank < 70; rank++) {
		struct machine_place place = machine_place_of(m, rank);
		check_processor(place.processor);
		for (int level = 0; level < m->networks.n; level++)
			want(machine_unit(m, place.host, level) >= 0, "a unit");
		if (rank > 0)
			check_link(machine_link_between(m, rank, rank / 2));
	}
	if (ranks > 1)
		check_link(machine_link_between(m, 0, ranks - 1));
}

static int read_machine(struct arena *a, const char *path)
{
	struct input b = read_seed(path);
	char *text = malloc(b.n + 1);
	const char *error = NULL;
	struct text again;
	memcpy(text, b.at, b.n);
	text[b.n] = 0;
	struct machine *m = machine_read(a, text, b.n, &error);
	free(text);
	free(b.at);
	if (!m) {
		fprintf(stderr, "error: %s\n", error);
		return 1;
	}
	check_places(m);
	text_init(&again, a);
	machine_write(&again, m);
	const char *written = text_get(&again);
	if (!machine_read(a, written, strlen(written), &error)) {
		fprintf(stderr, "what is written cannot be read: %s\n%s\n", error, written);
		abort();
	}
	return 0;
}

static int read_problem(struct arena *a, const char *path)
{
	const char *error = NULL;
	wide cost;
	int64_t peak;
	struct problem *p = problem_read(a, path, &error);
	if (!p) {
		fprintf(stderr, "error: %s\n", error);
		return 1;
	}
	struct solution s = problem_solve(p, a, (struct solve_limit){.seconds = SECONDS});
	if (!s.value)
		return 0;
	want(problem_evaluate(p, s.value, &cost, &peak) == VERDICT_GOOD, "the solution is none");
	want(cost == s.cost && peak == s.peak, "the solution costs something else");
	want(s.bound <= s.cost, "the bound is above the cost");
	want(s.kind != SOLUTION_OPTIMAL || s.bound == s.cost, "the best is not at its bound");
	return 0;
}

static int reads(void *context, const struct target *t)
{
	(void)context;
	struct arena *a = arena_new("json");
	int status = strcmp(t->reader, "machine") ? read_problem(a, t->file) : read_machine(a, t->file);
	arena_free(a);
	return status;
}

int main(void)
{
	return fuzz_files(targets, sizeof targets / sizeof *targets, reads, NULL, NULL);
}
