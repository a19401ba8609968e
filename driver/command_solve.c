/* command_solve.c — `pmlc solve`: the layout search's solver alone, on a problem in a file. */
#include "commands.h"

#include "compiler/solve/read.h"
#include "compiler/solve/search.h"
#include "compiler/solve/solver.h"

static void print_wide(const char *name, wide v)
{
	char digits[64], *at = digits + sizeof digits - 1;
	bool negative = v < 0;
	*at = 0;
	do {
		int d = (int)(v % 10);
		*--at = (char)('0' + (d < 0 ? -d : d));
		v /= 10;
	} while (v);
	printf("%s %s%s\n", name, negative ? "-" : "", at);
}

static void print_values(const struct problem *p, const int *value)
{
	for (int i = 0; i < p->nnodes; i++)
		printf("%s%d", i ? ", " : "[", value[i]);
	printf("%s]\n", p->nnodes ? "" : "[");
}

/* Why nothing can do: too little memory whatever is chosen, or what is forbidden, alone or together. */
static void print_infeasible(const struct problem *p)
{
	int64_t time, least = problem_least_memory(p, &time);
	if (p->has_limit && least > p->limit)
		printf("infeasible: the nodes alive at time %lld take at least %lld bytes, and usage_limit is %lld\n",
		       (long long)time, (long long)least, (long long)p->limit);
	else
		printf("infeasible: whatever is chosen, something in it is forbidden%s\n",
		       p->has_limit ? " or takes more memory than usage_limit" : "");
}

int command_solve(struct session *s, const struct cli *cli)
{
	double start = search_clock();
	const char *error;
	struct problem *p = problem_read(s->arena, cli->file, &error);
	if (!p) {
		fprintf(stderr, "pmlc: %s: %s\n", cli->file, error);
		return EXIT_ERRORS;
	}
	struct solution found =
		problem_solve(p, s->arena, (struct solve_limit){.seconds = cli->seconds - (search_clock() - start)});
	if (found.kind == SOLUTION_INFEASIBLE) {
		print_infeasible(p);
		return EXIT_NONE;
	}
	if (found.kind == SOLUTION_UNKNOWN) {
		printf("no solution found in %d seconds\n", cli->seconds);
		print_wide("bound", found.bound);
		return EXIT_TIME;
	}
	print_wide("cost", found.cost);
	print_wide("bound", found.bound);
	printf("gap %.4f %%%s\n", 100 * solution_gap(&found), found.kind == SOLUTION_OPTIMAL ? ", optimal" : "");
	if (p->has_limit)
		printf("memory %lld of %lld\n", (long long)found.peak, (long long)p->limit);
	print_values(p, found.value);
	return EXIT_OK;
}
