/* calibrate.h — what `pmlc calibrate` runs and what it makes of it: a PML program with one region per probe, and the
 * machine on which the model of compiler/seconds gives the times that the probes took. */
#ifndef PML_CALIBRATE_H
#define PML_CALIBRATE_H

#include "compiler/machine/machine.h"
#include "cli.h"
#include "compiler/program.h"
#include "runtime/moves/room.h"

enum probe_kind {
	PROBE_OPERATION, /* row `row` of calibrate.def */
	PROBE_MEMORY,    /* a kernel over `bytes`, and a rest */
	PROBE_PRODUCT,   /* m x k times k x n of `type` */
	PROBE_FACTORS,   /* of m matrices of n lines, by way `row` */
	PROBE_WRITE,     /* what the message that follows sends is written, alone */
	PROBE_MESSAGE,   /* `bytes` that have just been written from rank 0 to rank 1, and an element back */
	PROBE_BURST,     /* many messages of an element from rank 0 to rank 1, and one back */
	PROBE_COMPUTE,   /* what the next one does, without messages */
	PROBE_OVERLAP, /* a kernel, while `bytes` that have just been written go from rank 0 to rank 1, and as many back
			*/
};

/* How messages went: as they do, those of few bytes through memory that ranks of a host share; or all of them as
 * messages of MPI, which they are between hosts in any case. */
enum link { LINK_AS_IS, LINK_OF_MESSAGES, LINKS };

struct probe {
	enum probe_kind kind;
	int line; /* of the program, and so its region's name */
	int row;
	enum dtype type;
	int64_t m, n, k, bytes; /* bytes: of the message, also of WRITE, COMPUTE */
	/* Least of all calls of all runs, on the rank that took longest. What goes from rank to rank hangs on how far
	 * apart they run, which an operating system or the host of a virtual machine changes now and then, and on
	 * nothing else running where they wait: of links it is the second least of the least calls of each run, of more
	 * than two: how near they were once is no measure of how near they are. */
	double ns[LINKS];
	VEC(double) runs[LINKS]; /* the least of each, rising */
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

static inline bool probe_is_of_link(const struct probe *x)
{
	return x->kind >= PROBE_WRITE;
}

/* The program, for so many ranks; with one rank there are no messages. With --links=true it does the probes of links
 * alone. */
struct probes *probes_make(struct arena *a, int64_t ranks);

/* The plan of a probe's region. */
const struct plan *probe_plan(const struct probes *all, const struct program *p, const struct probe *x);
/* Whether a step is not in a loop, where a probe of memory rests. */
bool probe_times(const struct plan *plan, int step);

/* Takes the time of each probe from what a run wrote with --profile=FILE, of LINK_OF_MESSAGES of those of links alone.
 * False, having said so, if one is missing. */
bool probes_read(struct probes *all, const struct program *p, enum link link, const char *path);

/* What a region took by a run's profile, `which` being "least_ms" or "median_ms"; 0: nothing is said of it. */
struct json;
double probe_region_ns(const struct json *profile, const char *region, const char *which);

/* Of a set of probes, what part no other run found to be as quick as what is taken of it: of those of what ranks
 * compute to 3 %, of those of links to 15 %. All of them after the first run; none of an empty set. */
enum probe_set { PROBES_COMPUTING, PROBES_OF_LINKS };
double probes_unsettled(const struct probes *all, enum probe_set set);

/* The machine: p is the program as planned. With more ranks than were measured, these share what processors there are;
 * what a turn costs is left to turns_measure. Its name says so. */
struct machine *probes_fit(const struct probes *all, const struct program *p, int vector_bytes, int64_t ranks);

/* Of a machine whose ranks share processors, what it costs to go from one to another, which has to get back what it had
 * in the caches: a program whose ranks compute and meet again and again is run by all ranks, and by as many as there
 * are processors, on `alone`; the model says of what turns the first takes as much longer than the second as it did.
 * False after a message. */
bool turns_measure(const struct session *s, const struct cli *cli, const struct machine *alone, struct machine *m);

#endif
