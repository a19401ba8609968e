/* simulate.h — a step of a program on all its ranks: how long it takes, who idles, which links are busy, and a timeline
 * for Perfetto. */
#ifndef PML_SECONDS_SIMULATE_H
#define PML_SECONDS_SIMULATE_H

#include "../report/report.h"
#include "play.h"

/* A region that is part of a step. */
struct simulated {
	int region;
	double times; /* in a step, on average */
	struct play *play;
};

struct simulation {
	double ns;    /* of a step */
	bool is_mean; /* steps differ: one on average */
	int nranks;
	double *busy; /* by rank: ns of a step in which it computes or talks */
	VEC(struct simulated) regions;
	VEC(struct play_use) links; /* by level: over the whole step */
};

/* r: the report of the program, which says what a step is. Everything is in the arena. */
struct simulation simulate_step(struct arena *a, const struct program *p, const struct report *r,
				const struct machine *m, const struct play_options *o);

/* As a Chrome trace: a process for each rank, times in microseconds. Steps so short that they would not be seen are put
 * together with those beside them. */
void simulate_trace(struct text *t, const struct program *p, const struct simulation *s);

#endif
