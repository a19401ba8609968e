/* batch.h — redistributions between two placements, run together on one simulated world and judged by the oracle. */
#ifndef SIM_BATCH_H
#define SIM_BATCH_H

#include "announce.h"
#include "oracle.h"
#include "rows.h"
#include "sim.h"

#include <stdio.h>

enum { BATCH_MOST = 64, BATCH_ROUNDS = 2 };

/* What a run of the suite adds up. */
struct tally {
	int64_t pairs, runs, failures;
	int64_t listed;         /* pairs in the table of docs/layouts.md */
	int64_t whole;          /* pairs of S and B: every rank receives what it lacks */
	int64_t reduced, least; /* from P to S and B; of these, those with the fewest bytes any plan could need */
	int64_t crossing;       /* pairs with bytes between hosts, which are checked */
	int64_t holes, gaps;    /* that ranks left in destinations; of these, without memory */
	int64_t unstaged;       /* pairs that need no staging on any rank */
	int64_t shared;         /* ranks of pairs that have memory which ranks share */
	int64_t taken;          /* elements that row gathers moved */
	int shown;
};

struct batch {
	struct pmlrt_program program;
	struct pmlrt_place places[2];
	struct pmlrt_type types[3 * BATCH_MOST]; /* from and to of every transfer; then tables */
	struct pmlrt_transfer transfers[BATCH_MOST];
	struct holdings holds[2 * BATCH_MOST];
	struct announced announced[BATCH_MOST];
	struct rows rows[BATCH_MOST]; /* of row gathers */
	struct sim_traffic traffic[BATCH_MOST * SIM_MOST_RANKS];
	int n, ranks;
	int rounds; /* calls of every transfer, up to BATCH_ROUNDS */
	uint64_t seed;
	int64_t few_ranks, message_elements, piece_bytes, window_bytes, pull_bytes; /* message_elements 0: as the runtime has it */
	bool has_holes;                           /* halos leave out what ranks do not read of their own (holes.h) */
	struct pmlrt_program own[SIM_MOST_RANKS]; /* of every rank: the same, but for holes */
	struct pmlrt_transfer with_holes[SIM_MOST_RANKS][BATCH_MOST];
	bool has_hosts;
	int32_t host[SIM_MOST_RANKS]; /* of every rank */

	struct pmlrt *rank[SIM_MOST_RANKS];
	int order[BATCH_ROUNDS][BATCH_MOST]; /* in which all ranks begin */
	void *data[SIM_MOST_RANKS][BATCH_ROUNDS][BATCH_MOST][2];
};

/* Empties a batch for ranks of two placements; both the same: from == to. */
void batch_begin(struct batch *b, const struct pmlrt_place *from, const struct pmlrt_place *to, int ranks);
void batch_add(struct batch *b, const struct pmlrt_type *src, const struct pmlrt_type *dst);
/* Rows taken by index from a table of this type: dim, at, rank and dtype are those of `rows`. */
void batch_add_rows(struct batch *b, const struct pmlrt_type *src, const struct pmlrt_type *dst,
		    const struct pmlrt_type *table, const struct rows *rows);
/* Runs it under one schedule and checks values, bytes, staging. */
void batch_run(struct batch *b, uint64_t seed, struct tally *t);
/* Under several, of dice; some with collectives of MPI, some with messages cut short. */
void batch_run_schedules(struct batch *b, int schedules, uint64_t *dice, struct tally *t);
/* One failure more, of a pair. */
/* Whether a transfer goes in levels: then what a rank sends depends on who lies where, though not what all send. */
bool batch_has_levels(const struct batch *b, int id);
void batch_complain(const struct batch *b, struct tally *t, int id, const char *what);

#endif
