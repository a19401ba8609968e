/* machine.h — what a machine can do, as a machine file says it: classes of processors, hosts, and the links between
 * ranks, each with what was measured of it. Everything that a prediction in seconds is made of is here; no other file
 * of the compiler knows a speed.
 *
 * Ranks stand on hosts in their order: the first host has ranks 0..n, the next one those behind. Hosts that belong
 * together are joined level by level: `joins` hosts by the first network, so many of these groups by the second, …
 * Units in memory are nanoseconds and bytes (or operations) per nanosecond. */
#ifndef PML_MACHINE_H
#define PML_MACHINE_H

#include "../../runtime/factors_way.h"
#include "../../runtime/pmlrt.h"
#include "base/arena.h"
#include "base/text.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* A rate by size: measured points with sizes that rise. The time that an amount takes is linear between two points;
 * outside of them the rate is that of the first or last one. */
struct curve_point {
	double size, rate;
};
struct curve {
	VEC(struct curve_point) points;
};
/* Nanoseconds that so much takes: 0 for nothing, and never less for more (machine_read makes sure of the points). */
double curve_time(const struct curve *c, double amount);
double curve_rate(const struct curve *c, double size);

/* What one end of a message passes through. */
struct machine_link {
	double latency;    /* ns from the begin of an empty message to its arrival */
	double start;      /* ns of processor time that a message takes at either end */
	struct curve rate; /* bytes per ns by bytes of the message */
	double overlap;    /* part of the time its bytes take in which processors at both ends compute: 0..1 */
	double both_ways;  /* how many times as long its bytes take in addition while messages go both ways: 0..9 */
	/* Within a host: the same of what goes through memory that its ranks share (runtime/moves/room.h); NULL: as all
	 * messages. */
	struct machine_link *shared_memory;
};

enum machine_operation {
#define OPERATION(name, text, meaning) OPERATION_##name,
#include "operation.def"
#undef OPERATION
	OPERATIONS
};

/* As machine files call it. */
const char *machine_operation_text(enum machine_operation o);

enum machine_start {
#define START(name, text, meaning) START_##name,
#include "start.def"
#undef START
	STARTS
};

/* Rates of products of matrices of m rows, n columns and an inner extent of k: a table over all combinations, m's
 * slowest. */
struct machine_products {
	VEC(double) m, n, k, rate; /* flops per ns */
};

struct machine_processor {
	const char *name;
	int64_t vector_bytes; /* of the vectors that code is made for */
	double start[STARTS]; /* ns that a step takes beside its work */
	struct curve memory;  /* bytes per ns by the bytes that a kernel reads and writes */
	double crowd;         /* ranks that take turns on it, of which each has so small a part of its caches that
			       * `memory` says; 0: it is one rank's */
	double operation[OPERATIONS]; /* per ns, of 4 bytes each */
	/* Operations per ns by those that a matrix takes, of f32 and of f64; no points: as arithmetic. */
	struct curve factors[FACTORS_WAYS][2];
	bool has_products[PMLRT_DTYPES];
	struct machine_products products[PMLRT_DTYPES];
};

/* `count` hosts that are alike. */
struct machine_hosts {
	int64_t count, ranks; /* ranks of each */
	int processor;
	int64_t processors;       /* of each, which its ranks take turns on if they are fewer; 0: one for each rank */
	double turn;              /* ns that a processor takes to go from one rank to another */
	struct machine_link link; /* between ranks of one host; may be left out where there is one */
};

struct machine_network {
	const char *name;
	int64_t joins; /* units of the level below */
	struct machine_link link;
};

struct machine {
	const char *name;
	VEC(struct machine_processor) processors;
	VEC(struct machine_hosts) hosts;
	VEC(struct machine_network) networks; /* the innermost first */
	const struct machine *in_turns;       /* machine_share; NULL: no ranks share processors */
};

/* Reads what a machine file says; NULL and a message at *error, which names the field, what it means and what it may
 * be. */
struct machine *machine_read(struct arena *a, const char *text, size_t n, const char **error);
/* One whose rates may be changed. */
struct machine *machine_copy(struct arena *a, const struct machine *m);
/* Says anew what machine_in_turns gives, once rates have changed. */
void machine_share(struct arena *a, struct machine *m);
/* Ranks that share processors, each looked at alone: all that they do takes as many times as long as there are ranks
 * for a processor. For what is not played rank by rank. The machine itself where none share. */
const struct machine *machine_in_turns(const struct machine *m);
/* How many ranks there are for a processor: 1 at the least. */
double machine_crowd(const struct machine_hosts *h);
/* As a machine file, with four digits. */
void machine_write(struct text *t, const struct machine *m);

/* ---- where ranks stand ---- */

int64_t machine_ranks(const struct machine *m);
struct machine_place {
	int64_t host; /* its number */
	const struct machine_hosts *kind;
	const struct machine_processor *processor;
};
/* rank < machine_ranks. */
struct machine_place machine_place_of(const struct machine *m, int64_t rank);
/* The unit of the level below `level` that a host belongs to; each has one link of that level, out and in. */
int64_t machine_unit(const struct machine *m, int64_t host, int level);
/* Of the innermost links that join two different ranks: 0 within a host, then that of the network. */
int machine_level(const struct machine *m, int64_t rank, int64_t peer);
/* What a message between two different ranks passes through: the links of the innermost level that joins them. */
const struct machine_link *machine_link_between(const struct machine *m, int64_t rank, int64_t peer);

/* ---- what work takes, in ns ---- */

/* Of a matrix that takes so many operations. */
double machine_factors_time(const struct machine_processor *p, enum factors_way way, bool is_f64, double operations);
/* A product of 2 m n k flops; the element type must have rates. */
double machine_product_time(const struct machine_processor *p, int dtype, int64_t m, int64_t n, int64_t k);

#endif
