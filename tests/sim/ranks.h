/* ranks.h — the life of one simulated rank. */
#ifndef SIM_RANKS_H
#define SIM_RANKS_H

#include "pmlrt.h"
#include "sim.h"

/* The runtime's structure of a rank; may be called anywhere. few_ranks, message_elements, piece_bytes, window_bytes,
 * host: see rt.h. */
struct pmlrt *rank_start(const struct pmlrt_program *program, int rank, int64_t few_ranks, int64_t message_elements,
			 int64_t piece_bytes, int64_t window_bytes, int64_t pull_bytes, const int32_t *host);
/* On the rank: communicators and transfers are made. */
void rank_prepare(struct pmlrt *rt);
/* Anywhere, also after a run that failed. */
void rank_end(struct pmlrt *rt);

#endif
