/* timing.h — what the layout stage asks of a machine, where the program is compiled for one (--machine): the layouts of
 * gradients for least time, where it would else have least bytes. Nothing of this is about what is legal. */
#ifndef PML_LAYOUT_TIMING_H
#define PML_LAYOUT_TIMING_H

#include "../mesh/layout.h"

struct graph;
struct stage;

struct timing {
	/* Of a graph whose own layouts are inferred: decides the free nodes of gradients, which then have a layout, say
	 * what they want of their inputs and are free no more (struct note). What it leaves is decided as without a
	 * machine. False: nothing, since the graph has none, or what it does not know. */
	bool (*decide)(struct timing *t, struct stage *st);
	/* ns that a laid-out graph takes, which becomes what is compiled. */
	double (*takes)(struct timing *t, struct graph *g);
	/* ns of one movement alone; of the steps that it becomes where these take less. */
	double (*movement)(struct timing *t, enum dtype dtype, const struct shape *s, const struct place *from,
			   const struct layout *a, const struct place *to, const struct layout *b);
	double (*way)(struct timing *t, enum dtype dtype, const struct shape *s, const struct place *from,
		      const struct layout *a, const struct place *to, const struct layout *b);
	/* Of rows that return to their owners. */
	double (*returned)(struct timing *t, enum dtype dtype, const struct shape *s, const struct place *p,
			   const struct layout *a, const struct layout *b);
};

#endif
