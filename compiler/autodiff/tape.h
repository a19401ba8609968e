/* tape.h — one reverse pass: the cotangents so far, and the turns that are walked backward. */
#ifndef PML_AUTODIFF_TAPE_H
#define PML_AUTODIFF_TAPE_H

#include "adjoint.h"
#include "again.h"

#include "base/map.h"

/* A loop of the forward part and the one that walks its turns backward. */
struct turns {
	struct turns *outer;
	struct loop *forward, *backward;
	struct map lines;           /* value of the forward loop -> the same of this turn, in the backward loop */
	struct map cotangent;       /* value read from outside -> cell: its cotangent so far, turns before included */
	VEC(struct node *) outside; /* these values, as they are met, */
	VEC(struct node *)
	carries;      /* and what carries the cotangent of each to the turn; NULL: nothing, the cell is
			 what the turn adds */
	struct undone *undone; /* undo.c: carried values that are rolled back */
	bool is_told;          /* that it cannot be walked */
};

struct tape {
	struct graph *g;
	const int *varying;      /* by id (adjoint_varying) */
	const bool *is_wrt;      /* by id */
	struct node **cotangent; /* by id; NULL: zero so far */
	struct node **ends;      /* graph_ends, of the nodes before `end` */
	int end;
	struct again *again;
	struct turns *turns;        /* the innermost that is walked; NULL: none */
	const struct remat *around; /* that the reverse pass stands in; NULL: none */
	struct map blocks;          /* block of a loop -> the one that its reverse stands in */
	struct map calls;           /* of functions with rules for cotangents, by pullback (pulled.c) */
};

/* Where the cotangent of x is added up: its own, or in a loop that reads it from outside, that of the turn, which goes
 * on from what came before. So all is added in the order in which it would be without loops. like: what is to be added,
 * where x is on no placement. */
struct node **tape_cell(struct tape *t, struct node *x, const struct node *like);
/* The cotangent of x, of outside, that a turn of t->turns begins with. NULL: a stack of unknown lines, which is added
 * up behind. */
struct node *tape_carried(struct tape *t, struct node *x, const struct node *like);
/* Adds c (NULL: nothing) to x's cotangent. c is brought to x's placement; an x on no placement gathers where its first
 * cotangent is. from: the node whose input x is. */
void tape_add(struct tape *t, const struct node *from, struct node *x, struct node *c);
/* The cotangents of what the nodes from..to-1 read, from theirs, last node first. */
void tape_walk(struct tape *t, int from, int to);
/* The value of x as it is read where the walk is: of a loop that is walked backward, what was kept of the turn, or is
 * computed again. NULL after an error. */
struct node *tape_value(struct tape *t, struct node *x);
/* The loop that walks the turns of l backward; l itself (which may be NULL) if none does. */
struct loop *tape_backward(const struct tape *t, struct loop *l);
/* The block that the reverse of what stands in `block` stands in. */
const struct remat *tape_block(struct tape *t, const struct remat *block);
/* a + b, which are cotangents of a stack whose number of lines is not known. */
struct node *tape_add_lines(struct tape *t, struct node *stack, struct node *a, struct node *b);
/* Finds the calls of functions with rules for cotangents among the nodes from..end-1. */
void tape_find_calls(struct tape *t, int from, int end);
/* Whether the rule of the call that n, a PULLED node, is a result of is to be walked where the walk is at n. */
bool tape_is_due(const struct tape *t, const struct node *n);
/* Walks the rule. */
void tape_backward_call(struct tape *t, struct node *n);
/* The loop whose members are the nodes from..exits-1 and whose exits are exits..end-1. */
void tape_walk_loop(struct tape *t, struct loop *l, int from, int exits, int end);

#endif
