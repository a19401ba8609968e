/* proposals.h — conversions that might make a program right: collected, priced, tried, and the best of them printed. */
#ifndef PML_LAYOUT_PROPOSALS_H
#define PML_LAYOUT_PROPOSALS_H

#include "help.h"
#include "trial.h"

#include "base/diag.h"

enum { MAX_PROPOSALS = 256, MAX_PER_VALUE = 64 };

struct proposal {
	int n; /* conversions */
	struct conversion c[TRIAL_PATCHES];
	int64_t bytes; /* over all ranks */
	bool plain;    /* axes stay as they are or become B */
	bool leaves;   /* some rank has nothing */
	bool single;   /* an axis of one rank does not stay as it is */
	int changed;   /* axes that do not stay as they are */
	int order;
};

struct proposals {
	struct stage *st;
	const struct node *user;
	int n;
	struct proposal at[MAX_PROPOSALS];
};

void proposals_add(struct proposals *p, int n, const struct conversion *c);
/* Inside a library function what is wrong cannot be edited: the arguments of the call, of which x is computed, are
 * converted, so that all of it is right. */
void proposals_add_arguments(struct proposals *p, const struct node *x);
/* Whether what follows is right with one of the cheapest. */
bool proposals_any_holds(struct proposals *p);
/* At most one that leaves axes as they are or makes them B, and one that does not, of either the cheapest, with the
 * conversions of the source that follow, under which every rank has something. Those that leave fewest errors come
 * first; then, where `plain_first` is not set, the cheaper. */
void proposals_print_best(struct proposals *p, struct diag *d, bool plain_first);
void proposals_print_one(struct stage *st, struct diag *d, bool other, const struct conversion *of);

#endif
