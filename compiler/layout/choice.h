/* choice.h — the ways a node can be computed: layouts of its operands that together give a layout of its result. */
#ifndef PML_LAYOUT_CHOICE_H
#define PML_LAYOUT_CHOICE_H

#include "../graph/graph.h"

struct choice {
	struct layout out;
	struct layout *in;            /* of choice_nin layouts; NULL in a choice of zeros: B everywhere */
	uint16_t signature[MAX_AXES]; /* of a map, by axis: its number in signatures_of_known */
	bool serves;                  /* parts arise since an operand is served, on some axis */
	int64_t bytes;                /* moved by the node itself: a transfer between placements */
	int64_t work; /* of the busiest rank: operations and bytes written; decides between equal bytes */
};

/* Which of choice.in is that of input i: a LINE takes all its tensors alike, however many they are. */
static inline int choice_operand(const struct node *n, int i)
{
	return n->kind == NODE_LINE ? 0 : i;
}

/* How many layouts choice.in has. */
static inline int choice_nin(const struct node *n)
{
	return n->nin ? choice_operand(n, n->nin - 1) + 1 : 0;
}

/* That of input i. */
const struct layout *choice_input(const struct node *n, const struct choice *c, int i);
/* to becomes the choice, in layouts and shares of its own, which lie in the arena. */
void choice_set(struct arena *a, const struct node *n, struct choice *to, const struct choice *c);

/* All legal choices of a node on its placement, axes combined, in a fixed order; the first has B everywhere, equal ones
 * stand once. For maps by their rules, for reshapes by what survives, for data every split, for a line all of a tensor
 * but splits of its first dimension. Not for `to` nodes. */
int choices_of(struct arena *a, const struct node *n, struct choice **out);

/* Choices that differ from `base` on one axis at most (ALL_AXES: on any; axes of one rank never do), with p standing
 * for the node's placement. A choice of zeros is B everywhere. */
enum { ALL_AXES = -1, NO_AXIS = -2 };
int choices_along(struct arena *a, const struct node *n, const struct place *p, const struct choice *base, int axis,
		  struct choice **out);

/* Whether what a choice has on its axes, put together, is one of the node's: windows and splits of one dimension may
 * not go with each other. Not for `to` nodes. */
bool choice_nests(const struct node *n, const struct choice *c);

/* Of a map: only choices whose operands, axis by axis, are as they are or converted from a B. May be none. */
int choices_fitting(struct arena *a, const struct node *n, const struct layout *has, struct choice **out);

/* Under --reproducible: whether the node takes unfinished floats only to copy them (and those of max and min only
 * through what keeps order exactly), and leaves no unfinished product of floats; from turn to turn no unfinished
 * sum of floats is handed on. p is or stands for the node's
 * placement. */
bool choice_is_reproducible(const struct node *n, const struct place *p, const struct choice *c);

/* Two choices of one node: layouts, signatures, bytes and work. */
bool choice_equal(const struct node *n, const struct place *p, const struct choice *a, const struct choice *b);

/* Whether the node computes from unfinished floats what it may (parts.h): else they are finished first, which may cost
 * more than the choice says. */
bool choice_keeps_parts(const struct node *n, const struct place *p, const struct choice *c);

/* How many operands the choice converts from the layouts they have, without a byte moved, or, with halos, at most what
 * is read around shards; -1 if one would have to move. */
int choice_conversions(const struct node *n, const struct choice *c, const struct layout *has, bool halos);
/* Whether some operand is read through a window. */
bool choice_has_window(const struct node *n, const struct choice *c);

/* Sums of products, those of windows as well: a convolution is planned as products of what it gathers. */
bool choice_multiplies(const struct rule *r);
/* Whether windows begin where only the rank knows: a factor that is cut stands with others in an index of a dimension
 * that is not. Nothing gathers such windows into matrices, so they are no products (kernel/windows.c). */
bool choice_begins_anywhere(const struct node *n, const struct choice *c);

/* How far a choice goes for its operands: what ranks hold; slices of it, which lie within it on any number of ranks;
 * what each rank serves to all; windows that happen to lie within it; windows that reach beyond. */
enum reach { REACH_OWN, REACH_SLICE, REACH_SERVED, REACH_ALIGNED, REACH_HALO, REACHES };

/* What a slice gives, and what is made of it, can be had in three ways. */
enum view {
	VIEW_OWN,   /* split where its rows are */
	VIEW_PARTS, /* each rank serves its rows to all */
	VIEW_APART, /* split as another tensor would be: by windows that may reach beyond, nothing is served; rows
		     * taken by index: whole */
	VIEWS
};

/* The choice that inference takes for operands of these layouts in one of these ways: that of the least reach, and of
 * these the one that converts the fewest operands, and of these the first, or the last. NULL: none fits. */
const struct choice *choice_best(struct arena *a, const struct node *n, const struct layout *has, enum view view,
				 bool last, enum reach *reach);

/* A copy that outlives what it was found with. */
const struct choice *choice_keep(struct arena *a, const struct node *n, const struct choice *c);

/* The layout of a reshaped tensor, axis by axis: B and P stay, a split survives on a dimension under which every rank
 * holds the same elements before and after, in shares of its own if need be, which lie in the arena. False if there is
 * none. */
bool reshape_layout(struct arena *a, const struct place *p, const struct shape *from, const struct layout *l,
		    const struct shape *to, struct layout *out);
/* The micro-batches that a reshape cuts its operand into: rows in columns, of a tensor from outside; NULL if it is
 * another reshape. */
const struct microbatch *reshape_cuts(const struct graph *g, const struct node *n);

/* Every layout of a tensor of that shape on that placement: S of each dimension, B, P(sum) if parts is set. */
int layouts_of(struct arena *a, const struct place *p, const struct shape *s, bool parts, struct layout **out);
/* Those that differ from `base` on one axis at most, as in choices_along. */
int layouts_along(struct arena *a, const struct place *p, const struct shape *s, bool parts, const struct layout *base,
		  int axis, struct layout **out);

#endif
