/* parts.h — which maps may be computed from the parts of unfinished sums of floats. Linearity (op/linear.h) says which
 * are right for numbers; here is what infinities ask beyond it: parts times infinity need not add up to the sum times
 * infinity (1 - 1, 0 where a rank has nothing), nor parts by 0. So what parts are multiplied with must be known to be
 * finite, and what they are divided by not to be 0. Other such maps are computed from finished sums
 * (compiler/unfinished/). */
#ifndef PML_LAYOUT_PARTS_H
#define PML_LAYOUT_PARTS_H

#include "../graph/graph.h"

/* Whether map n gives parts of its result from parts of the inputs in the mask, whatever values there are. */
bool parts_are_kept(const struct node *n, uint64_t parts);

/* All that parts_are_kept asks of the inputs' values, to a key: of two maps of one rule with equal facts it says the
 * same. */
struct memo;
void parts_add_facts(struct memo *m, const struct node *n);

/* The same for values of which every element is on one rank and -0.0 on the others: whether they stay so, and the sign
 * of a 0 with them. */
bool parts_stay_owned(const struct node *n, uint64_t parts);

/* A value that is an unfinished sum of floats on an axis of several ranks. */
bool is_float_sum(enum dtype t, const struct place *p, const struct layout *l);

#endif
