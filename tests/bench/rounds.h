/* rounds.h — what kernels in plain C are timed by: loops.c, livermore.c. */
#ifndef PML_BENCH_ROUNDS_H
#define PML_BENCH_ROUNDS_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* As many rounds as the first argument says: prints the least time of one in ms, and the sum of what the last left. */
static int rounds_main(int argc, char **argv, void (*begin)(void), void (*run)(void), double (*sum_of_result)(void))
{
	double least = 1e9;
	for (int round = argc > 1 ? atoi(argv[1]) : 1; round > 0; round--) {
		begin();
		double from = seconds();
		run();
		double took = seconds() - from;
		least = took < least ? took : least;
	}
	printf("%.6f %.10g\n", 1e3 * least, sum_of_result());
	return 0;
}

#endif
