/* announce.h — what the compiler says of a redistribution, asked through the types of the runtime. */
#ifndef SIM_ANNOUNCE_H
#define SIM_ANNOUNCE_H

#include "oracle.h"

struct announced {
	int method; /* a row of redist.def */
	int64_t total, most, staging;
	int64_t sends[ORACLE_MOST_RANKS], receives[ORACLE_MOST_RANKS];
	int64_t shared[ORACLE_MOST_RANKS]; /* bytes in memory that ranks share, if all are on one host */
};

void announce(struct announced *out, const struct pmlrt_program *program, int32_t src, int32_t dst, int ranks);
/* Of rows taken by index: of every rank the most that it may send and receive, if all ranks are on one host. */
void announce_rows(struct announced *out, const struct pmlrt_program *program, int32_t src, int32_t dst, int ranks);
const char *announced_method(int method);

#endif
