/* roll.h — the loops of a steady pipeline while they are made: what nodes read in them, ahead of them and behind them.
 */
#ifndef PML_PIPELINE_ROLL_H
#define PML_PIPELINE_ROLL_H

#include "steady.h"

struct older {
	VEC(struct node *) at; /* by turns - 1: CARRY */
};

/* A node that is computed once more ahead of the loops or behind them, for copies of who stands there in loop `in`. */
struct again_at {
	int in, ahead;
	struct node *x;
	struct again_at *next;
};

struct roller {
	struct graph *g;
	struct arena *arena;
	struct steady *s;
	struct loop *l; /* as it was */
	struct node **body;
	int n;
	const bool *is_again; /* by node of the body: computed once more by whoever reads it in a later turn or loop */
	struct node **made;   /* likewise: in its loop of periods; NULL: not yet */
	struct older *older;  /* likewise: what it was turns ago */
	struct node **lines;  /* likewise: all that its loop made; NULL: nobody has asked */
	struct map plain;     /* (micro, node) -> ahead of a loop and behind it */
	struct map again;     /* likewise: struct again_at */
	struct map ends;      /* CARRY of a loop of periods -> its END */
	struct map stacks;    /* STACK of the loop as it was -> what it is behind the loops */
	struct rolled_loop {
		struct map entries; /* (micro ahead of the turn, node) -> in the loop */
		bool is_made;       /* what stands in it is there: ENDs can be made */
	} loops[STEADY_LOOPS];
};

/* Which node of the body x is; -1: none. */
int roll_index_of(const struct roller *r, const struct node *x);
/* In maps: of node i over a micro-batch. */
uint64_t roll_key(const struct roller *r, int64_t micro, int i);
struct loop *roll_loop_of(const struct roller *r, int in);
int roll_first_segment(const struct roller *r, int in);
int roll_last_segment(const struct roller *r, int in);
/* What a carry of a loop is in the next turn; stands behind the loop. */
struct node *roll_end_of(struct roller *r, int in, struct node *carry, struct node *next);
/* Node x of the body over micro-batch turn + ahead, for who stands in loop `in`. */
struct node *roll_value_in_turn(struct roller *r, struct node *x, int in, int ahead);
/* The same over a micro-batch, as it is made, for who stands ahead of the loop or behind it. */
struct node *roll_value_at(struct roller *r, struct node *x, int in, int64_t micro);
/* Likewise for the copy of node `reader` of the body, which computes again there what it does in the loop: so that all
 * copies of a pass are the same code. */
struct node *roll_value_for(struct roller *r, int reader, struct node *x, int64_t micro);
/* What an exit of the loop as it was, a STACK, is behind the loops. */
struct node *roll_stack(struct roller *r, struct node *stack);

#endif
