/* trial.h — what would follow if a value were converted at a place of the source: inference of what comes after, taken
 * back again. Helps are tried so before they are offered. */
#ifndef PML_LAYOUT_TRIAL_H
#define PML_LAYOUT_TRIAL_H

#include "stage.h"

enum { TRIAL_PATCHES = 2 };

/* Where `value` is read as `layout`: by `user`, or, if that is inside a library function, by all of that call. */
struct trial_patch {
	const struct node *user, *value;
	struct layout layout;
};

/* Whether x belongs to the same call of a library function as n: then it cannot be edited. */
bool trial_is_inside(const struct node *n, const struct node *x);

/* What nodes and outputs would give which depend on the patched values. */
struct trial_result {
	int errors;    /* messages */
	bool mends;    /* who reads the first of them is right, whatever errors there are behind it */
	int64_t bytes; /* sent by all ranks for the conversions of the source among them, each counted once */
};

/* Nothing when the stage has tried too much already, or infers for nothing. */
struct trial_result trial_run(struct stage *st, const struct trial_patch *patches, int n);

#endif
