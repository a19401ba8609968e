/* others.c — see others.h. */
#define _POSIX_C_SOURCE 200809L
#include "others.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* The columns of the line `cpu` in /proc/stat; those behind are part of the first two. */
enum { USER, NICE, SYSTEM, IDLE, IO_WAIT, IRQ, SOFT_IRQ, STEAL, COLUMNS };

static double own_seconds(int who)
{
	struct rusage u;
	if (getrusage(who, &u))
		return 0;
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

struct others others_now(void)
{
	struct others o = {.own = own_seconds(RUSAGE_SELF) + own_seconds(RUSAGE_CHILDREN)};
	double ticks[COLUMNS] = {0}, second = (double)sysconf(_SC_CLK_TCK);
	FILE *f = fopen("/proc/stat", "r");
	if (!f)
		return o;
	int n = fscanf(f, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &ticks[USER], &ticks[NICE], &ticks[SYSTEM],
		       &ticks[IDLE], &ticks[IO_WAIT], &ticks[IRQ], &ticks[SOFT_IRQ], &ticks[STEAL]);
	fclose(f);
	for (int i = 0; n == COLUMNS && second > 0 && i < COLUMNS; i++) {
		o.all += ticks[i] / second;
		o.busy += i == IDLE || i == IO_WAIT ? 0 : ticks[i] / second;
	}
	return o;
}

double others_share(const struct others *from, const struct others *to)
{
	double all = to->all - from->all, taken = to->busy - from->busy - (to->own - from->own);
	if (from->all <= 0 || all <= 0 || taken <= 0)
		return 0;
	return taken < all ? taken / all : 1;
}
