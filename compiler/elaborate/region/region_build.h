/* region_build.h — a region under construction; known to the files of this folder. */
#ifndef PML_REGION_BUILD_H
#define PML_REGION_BUILD_H

#include "region.h"

#include <string.h>

/* What a slot holds at this point of the region. */
struct cell {
	int slot;
	struct node *now;         /* NULL: not read yet */
	VEC(struct node *) inner; /* a param, as the derivatives inside of the outermost one read it; NULL: not yet */
	bool dirty;               /* assigned: written back when the region closes */
	struct span span;
	int was; /* the newest of the region's changes that tells what this held before it, + 1; 0: none */
};

/* What host code does once the region is done; see region_behind. */
struct behind {
	struct host_expr *call;
	struct shown shown[MAX_SHOWN]; /* the host has these values as slots where `slot` is set */
	int nshown;
	struct loop *loop; /* once for each of its turns; NULL: once */
	struct span span;
};

struct region_build {
	struct region *region;
	struct host_stmt *stmt; /* set when it closes */
	VEC(struct host_expr *) args;
	struct map cells;         /* slot -> struct cell */
	VEC(struct cell) changes; /* each cell as it was before a change, so that they can be taken back */
	struct map kept;          /* node -> struct slot, of those that later regions use */
	struct map placed;        /* unplaced node that loops compute of what is placed -> the same on some ranks */
	struct map copies;        /* unplaced node of an earlier region -> its copy here */
	struct map loops;         /* loop of an earlier region -> its copy here */
	VEC(struct behind) behind;
	struct map again;           /* loop of the graph -> how many turns the host makes once more: */
	VEC(struct again *) agains; /* all of them */
	struct map mentioned; /* param as a derivative reads it that is by it, whether or not it comes to anything */
	int derivatives;      /* that are being made, one inside of the other */
};

/* A node whole on all ranks, as a slot of its own that host code finds behind the region. */
int region_whole_value(struct elab *e, struct node *n, struct span at);
/* Before the region is closed: what lines behind it show is kept; behind it: they are said. */
void behind_keep(struct elab *e, struct region_build *b);
void behind_say(struct elab *e, struct region_build *b);

/* From here on the slot holds n; NULL: what it held when the region began. */
void region_cell_set(struct elab *e, int slot, struct node *n, bool dirty, struct span at);
/* Whether the member is a line of its list, which the open region has assigned. */
bool region_list_is_newest(const struct elab *e, const struct slot *member);
/* A member as a line of its list. */
struct node *region_list_line(struct elab *e, const struct slot *member, struct span at);
/* The members hold what the list does, each for itself. */
void region_list_scatter(struct elab *e, const struct slot *list, struct span at);

#endif
