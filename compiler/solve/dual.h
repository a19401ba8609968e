/* dual.h — a proved lower bound of a core, and prices and messages that show where it is cheap.
 *
 * Every row of memory has a price per byte, so that its limit becomes part of the costs (Lagrange); costs are moved
 * between variables and tables by messages, so that each table and each variable taken alone says as much as possible
 * (sequential reweighted message passing: Kolmogorov, "Convergent tree-reweighted message passing", 2006). Whatever
 * prices and messages are, the least entries add up to a bound; all of it is integers, so the bound is exact. */
#ifndef PML_SOLVE_DUAL_H
#define PML_SOLVE_DUAL_H

#include "core.h"

enum { PRICE_BITS = 24 }; /* of a price, behind the point */

struct dual {
	const struct core *core;
	struct arena *arena;
	double *price;   /* by row, in scaled cost per byte */
	int64_t **theta; /* by variable and value: cost and priced memory */
	int64_t **to[2]; /* by edge: messages to a and to b, by their values */
	int64_t base;    /* the constant, less the priced limits */
	int64_t *total;  /* scratch, as long as the widest variable */
	int64_t *share, *part;
	double *direction; /* of the prices */
	int64_t *used;     /* by row, + 1: of the last decoded assignment */
};

/* Prices as the core has them, messages 0. */
struct dual *dual_new(const struct core *c, struct arena *a);
/* After prices have been changed. */
void dual_price(struct dual *d);
/* One pass over the variables forward and one back; the bound then. */
int64_t dual_pass(struct dual *d);
/* Costs of a variable with what the messages bring. */
void dual_total(const struct dual *d, int var, int64_t *total);
/* A value per variable, one after the other as the messages say; memory counts by its prices only. */
void dual_decode(struct dual *d, int *value);
/* Whether the memory that values take is there; remembers where it is too much, or less. */
bool dual_fits(struct dual *d, const int *value);
/* Moves the prices along that. `step` in scaled cost: how far the bound is to go. */
void dual_step(struct dual *d, double step);
/* A copy of prices and messages, and back. */
struct dual *dual_copy(const struct dual *d, struct arena *a);
void dual_take(struct dual *d, const struct dual *from);
/* Kills values with which no assignment costs `upper` or less, straight after a pass that gave `bound`; how many. */
int dual_fix(struct dual *d, int64_t bound, int64_t upper, bool **alive);

#endif
