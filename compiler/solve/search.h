/* search.h — the least cost of a core: branch and bound, with a bound of every subproblem (dual.h) and everything exact
 * that makes it smaller (core.h).
 *
 * What a search may take is told in effort: table entries that it looks at, about. It does not depend on the machine,
 * so what is found does not either, unless the seconds of its limit end it. */
#ifndef PML_SOLVE_SEARCH_H
#define PML_SOLVE_SEARCH_H

#include "dual.h"
#include "solver.h"

/* What a search and those of its parts may take in all. */
struct deadline {
	double time; /* of search_clock */
	int64_t effort;
};

struct search {
	const struct core *root;
	int *best;     /* values of the root's variables */
	int64_t cost;  /* of these, scaled; */
	bool found;    /* once there are any */
	int64_t upper; /* the most that an assignment still worth finding costs */
	int64_t bound; /* of all assignments, scaled; above `upper`: the best is found, or there is none */
	int64_t unit;  /* costs differ by at least as much */
	struct deadline deadline;
	int64_t effort, most_effort, nodes, most_nodes;
	bool stopped;      /* by one of these */
	struct level *top; /* the root as it has shrunk */
};

/* Seconds of a clock that only goes forward. */
double search_clock(void);
struct deadline search_deadline(struct solve_limit limit);
/* Whether the deadline has passed, by either. */
bool search_is_late(const struct search *s);

/* The root outlives the search, and so does the arena. */
void search_init(struct search *s, const struct core *root, struct arena *a, struct deadline deadline);
void search_end(struct search *s);

/* The bound of the whole, with about so much effort, and what the messages find on the way. Again, it goes on from
 * there; what has become too dear meanwhile is ruled out. */
void search_root(struct search *s, int64_t effort);
/* Branch and bound, with so much effort and so many subproblems; to its end if s->stopped is false then. */
void search_run(struct search *s, int64_t effort, int64_t nodes);
/* Looks for some assignment in one go, most certain values first. */
void search_dive(struct search *s, int64_t effort);

#endif
