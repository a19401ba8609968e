/* at_once_lines.h — what the parts of at_once know of a turn: which nodes differ from line to line and which loops
 * lines make unequally often (at_once_turns.c), which lines are in a turn of those (at_once_masks.c), and what each
 * node has become (at_once_value.c). */
#ifndef PML_GRAPH_AT_ONCE_LINES_H
#define PML_GRAPH_AT_ONCE_LINES_H

#include "at_once.h"

/* What a node of a turn has become. */
struct lined {
	struct node *x;      /* of all turns, or the same in each */
	int at;              /* the dimension of the lines; -1: it has none */
	struct node *second; /* x with the lines second, if somebody asked */
};
enum { SAME = -1 };

/* A loop inside. */
struct inner {
	struct loop *now; /* over all lines; NULL: a branch that lines take or not, which is computed for all */
	bool is_late;     /* of unequal numbers of turns: a line makes its last turn with the others, not its first */
	bool asks;        /* what decides whether a turn is made is being made */
	struct node *count, *most; /* of unequal numbers of turns: how many each line makes, and the most */
	struct node *active;       /* the lines that are in the turn; of a branch, that take it; NULL so far */
	struct loop *again;        /* makes the turns of a line once more, for what is shown; NULL so far */
};

struct at_once {
	struct graph *g;
	struct loop *loop;
	int64_t n;                 /* lines */
	int from, end;             /* the nodes that there were */
	int nloops;                /* and loops */
	const struct remat *remat; /* what was open */
	bool slopes;               /* it will be differentiated */
	bool written;              /* the turn is of a function of the program: messages show its text */
	struct map lined;          /* by node: struct lined */
	struct map inner;          /* by loop: struct inner */
	struct map blocks;         /* by remat block made inside: what it is now */
	struct map pullbacks;      /* by that of a call: the one for each line */
	bool *varies;              /* by number from `from` on: may differ from line to line */
};

/* Stands in the loop or deeper. */
bool at_once_is_inside(const struct at_once *a, const struct node *x);
struct inner *at_once_inner(const struct at_once *a, const struct loop *l);
/* x is mapped, with all that it is computed from; false if that cannot be written. */
bool at_once_need(struct at_once *a, struct node *x);
/* ---- at_once_value.c ---- */

struct lined *at_once_lined(struct at_once *a, struct node *x);
/* n is x from now on, whose lines are dimension `at`. */
void at_once_become(struct at_once *a, struct node *n, struct node *x, int at);
/* The loop that l is now: where a branch that lines take or not was, and where the turns were, what is around it. */
struct loop *at_once_loop_now(const struct at_once *a, struct loop *l);
/* The innermost block that there is now for one that may have been made inside. That of a loop with no loop around it
 * any more is none: nothing makes it several times. */
const struct remat *at_once_block(struct at_once *a, const struct remat *r);
/* Of r, whose operands of a line each have `lines` of them, or none. NULL if it cannot be written. */
struct node *at_once_mapped(struct at_once *a, const struct node_site *at, const struct rule *r, struct node *const *in,
			    const bool *lines);
/* With the lines in front; what has none as it is; NULL: a tape, which is read line by line alone. */
struct node *at_once_in_front(struct at_once *a, struct lined *l);
/* What has lines, with the lines behind one other dimension at least: what a loop reads line by line. NULL as above. */
struct node *at_once_behind(struct at_once *a, struct lined *l, int *at);
/* As it is read by what has lines in any case. */
struct node *at_once_repeat(struct at_once *a, struct node *x);
/* x with the lines in front, however it is read; NULL if it cannot be written. */
struct node *at_once_with_lines(struct at_once *a, struct node *x);
/* x where the mask is, a bool for each line, else y: nodes of one shape but for the lines, which x, y have in front or
 * not. NULL if it cannot be written. */
struct node *at_once_chosen(struct at_once *a, const struct node_site *at, struct node *mask, struct node *x,
			    bool x_has_lines, struct node *y, bool y_has_lines);
/* x of the lines that are in the turn of l, else y. */
struct node *at_once_chosen_in(struct at_once *a, const struct node_site *at, struct loop *l, struct node *x,
			       struct node *y);

/* ---- at_once_turns.c ---- */

/* Finds what differs from line to line; at_once_inner of each loop inside is there from then on. */
void at_once_find_varying(struct at_once *a);
bool at_once_varies(const struct at_once *a, const struct node *x);
/* Lines may make unequal numbers of turns of it, or of a branch. */
bool at_once_turns_vary(const struct at_once *a, const struct loop *l);
/* Loops inside can stay loops over all lines, or else `why` says what is in the way. */
bool at_once_loops_may_stay(struct at_once *a, struct one_by_one *why);

/* ---- at_once_masks.c ---- */

/* Of l, of which lines make unequal numbers of turns: the lines that are in its turn, bool [n]. NULL if it cannot be
 * written. */
struct node *at_once_active(struct at_once *a, struct loop *l);
/* The same for what stands in l, the innermost such loop around counts; *mask NULL: all lines are. False if it cannot
 * be written. */
bool at_once_mask(struct at_once *a, struct loop *l, struct node **mask);
/* x, on all ranks that there are; l: the loop in which something computes with it, where it is on none yet, or NULL. */
struct node *at_once_whole(struct at_once *a, struct node *x, const struct loop *l);
/* How many turns of l each line has made, i64 [n], or without lines all of them; where l was. */
struct node *at_once_made(struct at_once *a, struct loop *l, bool *has_lines);
/* Which turn it is of the line, of a loop of unequal numbers of turns. */
struct node *at_once_turn(struct at_once *a, const struct node *turn);
/* What loop l, of unequal numbers of turns, asks from now on; false if it cannot be written. */
bool at_once_ask_unequal(struct at_once *a, struct loop *l);

#endif
