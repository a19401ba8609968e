/* search.h — the open layouts of a program that take least time on a machine, by the cost model of model.h: the best
 * ones in their order, with a bound that no choice undercuts. A caller that wants to know what a plan really takes
 * compiles it and plays it (seconds/play.h). */
#ifndef PML_SEARCH_SEARCH_H
#define PML_SEARCH_SEARCH_H

#include "../machine/machine.h"
#include "../program.h"
#include "../solve/solver.h"

struct search;

/* Of a program that was elaborated with options.searches and not simplified; it stays as it is. */
struct search *search_new(struct arena *a, const struct program *p, const struct machine *m);
/* Of one in which no layout is open: there is one plan, of which nothing is said, 0 ns and 0 bytes. */
struct search *search_nothing(struct arena *a);

/* Why there is nothing to search, as text: a limit of the model, a node whose inputs fit in no layout. NULL: nothing
 * stands in the way, though memory may. */
const char *search_refused(const struct search *x);

/* The choices: open layouts of the program that say `auto`, in the order of program.open. */
int search_opens(const struct search *x);
const struct open_layout *search_open(const struct search *x, int open);
int search_layouts(const struct search *x, int open);
const struct layout *search_layout(const struct search *x, int open, int number);

struct search_plan {
	int *number;    /* of the layout, by choice */
	bool *moves;    /* by choice: a `to` there changes something, were it but to take a part */
	double ns;      /* of a step, by the cost model */
	int64_t memory; /* bytes of a rank by the model */
};

/* The best plans, cheapest first, at most k, and fewer of large programs; plans differ in a layout. What was found is
 * kept: one more than last time takes what one takes. memory: bytes a rank may take by the model, 0:
 * any number. ns below which no plan is by the model; is_best: the first one is not above it. */
struct search_result {
	VEC(struct search_plan) plans;
	double bound;
	bool is_best;
};
struct search_result search_best(struct search *x, int k, int64_t memory);

/* The best plan in which a choice has that layout; false: none fits. */
bool search_forced(struct search *x, int open, int number, int64_t memory, struct search_plan *out);

/* The least memory by the model that a plan takes: 0 if there is none at all. */
int64_t search_least_memory(struct search *x);

/* Size of the problem: variables, and entries of its tables. */
void search_size(const struct search *x, int *variables, int64_t *entries);

#endif
