/* level.h — one subproblem of a search: a core that was made from the parent's, which shrinks as its bound rises. */
#ifndef PML_SOLVE_LEVEL_H
#define PML_SOLVE_LEVEL_H

#include "search.h"

struct level {
	const struct level *parent; /* NULL: the nodes are the root's variables */
	struct core *core;          /* its nodes are the variables of the parent's core */
	struct core_history history;
	int64_t bound;     /* of what is in it */
	struct dual *dual; /* the root's alone, as it stands, as long as its core stays the same; else NULL */
	double step;       /* of its prices */
	size_t held;       /* bytes of its core and its parents', about */
};

/* A copy of a core with the living values only (NULL: all); a root's is reduced already. */
void level_begin(struct level *l, const struct level *parent, const struct core *from, bool **alive);
void level_end(struct level *l);

/* Takes an assignment, if it is allowed and better than the best. */
void level_offer(struct search *s, const struct level *l, const int *value);
/* Bounds and shrinks it in turn as long as that helps; at most so many passes each time. Its bound is above s->upper
 * afterwards if there is nothing in it. */
void level_tighten(struct search *s, struct level *l, int passes);
/* Lifts the bound to the least cost at the prices of its core, if elimination finds it at once; without rows of memory
 * that settles the level. */
void level_eliminate(struct search *s, struct level *l);
/* Whether there is nothing left to look for in it. */
bool level_is_done(const struct search *s, const struct level *l);

/* Marks for all values, all alive. */
bool **level_alive(const struct level *l, struct arena *a);
/* Messages and prices of its core, after some passes. */
struct dual *level_dual(struct search *s, const struct level *l, struct arena *a);

#endif
