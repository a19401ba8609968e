/* build.h — a loop or arm under construction: graph_loop.c, tried.c. */
#ifndef PML_LOOPS_BUILD_H
#define PML_LOOPS_BUILD_H

#include "loops.h"

struct build {
	const struct stmt *s; /* a `for` or `while`; NULL: a branch, or a loop over lists of params */
	const struct list_loop *lists;
	const struct value *from; /* of a `for`: its first number, */
	const struct value *list; /* or the list it goes over */
	int64_t turns;            /* -1: by count or condition */
	int64_t most;             /* -1: any number */
	struct node *count;
	bool breaks;        /* it has `break` of its own, or `return` */
	bool endless;       /* it ends by `return` alone */
	bool differs;       /* the list's elements do, in more than the graph can say */
	const char *counts; /* a variable by which it hands on numbers, which would be known, or seen by the host, where
			       the loop is walked turn by turn */
	struct span span;
	int64_t every; /* turns in a segment; 0: it is not cut */
	struct loop *loop, *segments;
	struct loop_walk walk;
	struct frame outer;
	const struct remat *remat; /* around it: what a loop of any number of turns keeps is not kept for each turn of
				      another, but computed again */
};

/* Walks the body until what is carried is what it was taken to be; false after an error. */
bool loop_build(struct elab *e, struct build *b);
/* from..to as a loop; false after an error. */
bool loop_build_range(struct elab *e, const struct stmt *s, const struct value *from, const struct value *to,
		      struct build *b);
/* A loop over the list, to be built. */
struct build loop_over_list(struct elab *e, const struct stmt *s, const struct value *list);
/* Whether it may end before its last turn. */
bool loop_may_stop(const struct stmt *s);

#endif
