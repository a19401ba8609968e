/* routes.h — movements in several steps: a value is first moved to one or two layouts in between where that sends less
 * than one movement does. Example: (a=P, b=B) to (a=S(0), b=B): sliced over b, scattered over a, gathered over b. */
#ifndef PML_ROUTES_H
#define PML_ROUTES_H

#include "../graph/graph.h"
#include "redist.h"

enum { ROUTE_VIA = 2 };

struct route_via {
	const struct place *place;
	struct layout layout;
};

/* What a way costs: bytes of all ranks; those that the first rank receives, which has the most; its messages. The first
 * difference counts. */
struct route_cost {
	int64_t bytes, busiest, messages;
};

struct route_way {
	int n; /* layouts in between */
	struct route_via via[ROUTE_VIA];
	struct route_cost cost;
};

/* Whether there may be a way of several steps at all: from parts, on one mesh. */
bool route_has_steps(const struct place *from, const struct layout *a, const struct place *to, const struct layout *b);
/* What single movements of a tensor send, remembered: between all layouts of a place there are many ways, of few
 * movements. */
struct route_steps;
struct route_steps *route_steps_new(struct arena *a);

/* The best way; known: NULL, or what is remembered. One movement is a way, so none costs more than it; nor more than any
 * way over one or two layouts whose axes are those of the beginning, those of the end, or split what is whole on both
 * sides. */
struct route_way route_find(struct route_steps *known, enum dtype dtype, const struct shape *s,
			    const struct place *from, const struct layout *a, const struct place *to,
			    const struct layout *b);

/* redist_bytes, with such a memory. */
int64_t route_bytes(struct route_steps *known, enum dtype dtype, const struct shape *s, const struct place *from,
		    const struct layout *a, const struct place *to, const struct layout *b);

/* Writes the steps of movements down, as nodes. */
bool routes_write(struct graph *g);

#endif
