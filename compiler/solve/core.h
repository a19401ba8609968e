/* core.h — a problem in the form that is worked on: variables, tables over two of them, and rows of memory. It shrinks
 * by exact steps, each of which says how the values of nodes follow from others', so that an assignment of what is left
 * gives one of all nodes.
 *
 * Costs are scaled by 2^scale: whole numbers stay whole, and messages have digits behind the point; a problem whose
 * costs add up to more than fits has a negative scale, and its costs are rounded down. So a least cost of a core,
 * scaled back and rounded up, is always a bound of the problem's. */
#ifndef PML_SOLVE_CORE_H
#define PML_SOLVE_CORE_H

#include "problem.h"

#include "base/vec.h"

/* What a table holds for what must not be chosen; sums of two do not overflow. All other sums of entries, one of each
 * table, stay below CORE_LARGEST. */
#define CORE_FORBIDDEN (INT64_C(1) << 60)
#define CORE_LARGEST   (INT64_C(1) << 56)

static inline int64_t core_add(int64_t a, int64_t b)
{
	int64_t c = a + b;
	return c < CORE_FORBIDDEN / 2 ? c : CORE_FORBIDDEN;
}

static inline bool core_forbids(int64_t c)
{
	return c >= CORE_FORBIDDEN / 2;
}

/* Memory by value, in the rows from … to - 1. */
struct core_item {
	int from, to;
	int64_t *usage;
};

struct core_var {
	int n;
	int64_t *cost; /* by value */
	int node;      /* stands for the variable: every value is another choice of it, */
	int *label;    /* this one */
	VEC(struct core_item) items;
	VEC(int) edges;
};

/* A table over two variables, a < b, row-major; tables may be shared. */
struct core_edge {
	int a, b;
	const int64_t *at;
};

/* The choice of a node by those of up to two others, row-major. */
struct core_step {
	int node, nby, by[2];
	const int *choice;
};

struct core {
	struct arena *arena; /* of all but the steps */
	int nvars, nedges, nrows;
	struct core_var *var;
	struct core_edge *edge;
	int64_t *limit; /* by row: what is left for the variables */
	double *price;  /* by row: of a byte, in scaled cost, where somebody has found it (dual.h); a hint */
	int64_t constant;
	int scale;
	bool infeasible;
	bool compares; /* values that others dominate are looked for, which takes longest */
	int64_t spent; /* effort (search.h), by the core_reduce that it came from */
	int nnodes; /* of the problem, and behind them one for each edge over more than two nodes; or, of a core made by
		     * core_sub, the variables of the other core */
	int *nchoices; /* by node */
	struct core_history *history;
};

/* How the nodes that are no variable any more follow; grows, in an arena of its own. */
struct core_history {
	struct arena *arena;
	VEC(struct core_step) steps;
};

/* The problem as it stands: a variable per node. The history lives in h, which outlives the core. */
struct core *core_new(const struct problem *p, struct core_history *h);
/* A copy that may be reduced alone. Its nodes are the variables of c, its choices their values. */
struct core *core_sub(const struct core *c, struct core_history *h);
/* The part of c that n of its variables are, ascending, with all others at their values; used: by row, by all. Its
 * nodes are these variables in order. */
struct core *core_part(const struct core *c, struct core_history *h, int n, const int *vars, const int *value,
		       const int64_t *used);
void core_free(struct core *c);

/* An empty core that goes on where c stands: scale, history, constant, rows. */
struct core *core_next(const struct core *c);
/* A copy of a variable without its edges, that stands for `node` and whose values are this one's choices. */
struct core_var core_copy_var(struct arena *a, const struct core_var *x, int node);
/* Says how a node follows: a table of choices, zeroed, for the caller to fill. */
int *core_determine(struct core *c, int node, int nby, const int *by);
/* Lists the edges of each variable, once the core has its edges. */
void core_connect(struct core *c);

/* The choices of all nodes for values of the variables; room for c->nnodes. */
void core_choices(const struct core *c, const int *value, int *choice);

/* A cost of the problem in the core's scale (rounded up); a scaled bound as a bound of the problem (rounded up). */
int64_t core_scaled(const struct core *c, wide cost);
wide core_unscaled(const struct core *c, int64_t bound);

static inline int64_t core_entry(const struct core *c, const struct core_edge *e, int x, int y)
{
	return e->at[(int64_t)x * c->var[e->b].n + y];
}

/* What an assignment costs, scaled; CORE_FORBIDDEN if something in it is. */
int64_t core_cost(const struct core *c, const int *value);
/* The memory it takes, by row; used has room for nrows + 1. False if some row has less. */
bool core_memory(const struct core *c, const int *value, int64_t *used);

/* How much there is to look at: entries of all tables, about. */
int64_t core_entries(const struct core *c);
/* The effort of a look at all of it: its entries, and what goes from one table and variable to the next. */
int64_t core_effort(const struct core *c);

/* Fewer rows (rows.c): what every value takes is taken off the limits; rows that others imply go. */
void core_prune_rows(struct core *c);

/* The least core that exact steps lead to; frees c. `alive` by variable and value, or NULL: values that may go. */
struct core *core_reduce(struct core *c, bool **alive);

/* Whether elimination of all its variables is the answer, and takes milliseconds: no rows, small tables (narrow.c). */
bool core_is_narrow(const struct core *c);

/* One round of it (merge.c): drops dead values, makes one variable of those that determine each other and one edge of
 * parallel ones, folds variables of one value into what surrounds them. `gone` by variable: its costs are in its
 * neighbours already. */
struct core *core_merge(const struct core *c, bool **alive, const bool *gone);

#endif
