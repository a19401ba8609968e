/* units.h — the passes over the micro-batches of one block, as schedule.h wants them, from the nodes of a graph. */
#ifndef PML_PIPELINE_UNITS_H
#define PML_PIPELINE_UNITS_H

#include "passes.h"
#include "schedule.h"

struct pass_units {
	struct pass_nodes nodes;
	struct pass_plan plan;
	int phase;            /* of the block's nodes */
	int *unit;            /* by node id; -1: none of this block */
	VEC(int) micro_count; /* by place: passes it has */
	struct map places, units;
};

/* Of the nodes that `nodes` tells of, those of the phase. */
struct pass_units pass_units_of(const struct pass_nodes *nodes, int phase);
/* The pass of a place over a micro-batch; a new one if there is none. */
int pass_unit(struct pass_units *b, int place, int micro);
void pass_edge(struct pass_units *b, int from, int to);
/* The order of all, for this `microbatch`: of what it counts only places that each of them passes are stages. False:
 * they wait for each other in a circle. */
bool pass_units_schedule(struct pass_units *b, const struct microbatch *m);
/* Whether every micro-batch passes there: what is computed once for all is no stage of its own. */
bool pass_is_stage(const struct pass_units *b, const struct microbatch *m, int place);

#endif
