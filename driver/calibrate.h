/* calibrate.h — what `pmlc calibrate` runs and what it makes of it: a PML program with one region per probe, and the
 * machine on which the model of compiler/seconds gives the times that the probes took. */
#ifndef PML_CALIBRATE_H
#define PML_CALIBRATE_H

#include "compiler/machine/machine.h"
#include "compiler/program.h"

enum probe_kind {
	PROBE_OPERATION, /* row `row` of calibrate.def */
	PROBE_MEMORY,    /* a kernel over `bytes`, and a rest */
	PROBE_PRODUCT,   /* m x k times k x n of `type` */
	PROBE_MESSAGE,   /* `bytes` from rank 0 to rank 1, and an element back */
	PROBE_BURST,     /* many messages of an element from rank 0 to rank 1, and one back */
	PROBE_COMPUTE,   /* a kernel alone */
	PROBE_OVERLAP,   /* the same, while `bytes` go from rank 0 to rank 1, and an element back */
};

struct probe {
	enum probe_kind kind;
	int line; /* of the program, and so its region's name */
	int row;
	enum dtype type;
	int64_t m, n, k, bytes;
	double ns; /* least of all calls of all runs, on the rank that took longest */
};

struct probes {
	struct arena *arena;
	int64_t ranks;
	bool apart; /* they were on several hosts */
	struct text source;
	int line;
	VEC(struct probe) rows;
};

enum { BURST_MESSAGES = 16 };

/* The program, for so many ranks; with one rank there are no messages. */
struct probes *probes_make(struct arena *a, int64_t ranks);

/* The plan of a probe's region. */
const struct plan *probe_plan(const struct probes *all, const struct program *p, const struct probe *x);
/* Whether a step is not in a loop, where a probe of memory rests. */
bool probe_times(const struct plan *plan, int step);

/* Takes the least time of each probe from what a run wrote with --profile=FILE; *gain: by which part they became less,
 * in the mean. False, having said so, if one is missing. */
bool probes_read(struct probes *all, const struct program *p, const char *path, double *gain);

/* The machine: p is the program as planned. */
struct machine *probes_fit(const struct probes *all, const struct program *p, int vector_bytes);

#endif
