/* loops.h — loops and branches that become part of a graph. */
#ifndef PML_LOOPS_H
#define PML_LOOPS_H

#include "../region/region.h"

struct carried_set; /* what turns hand on */

/* ---- loops and branches (graph_loop.c) ---- */

/* One turn of a `for`, with v for its variable. */
void stmt_turn(struct elab *e, const struct stmt *s, const struct value *v);
/* Whether what the running program decides here becomes part of the graph. */
bool graph_loop_wanted(const struct elab *e);
/* Whether a loop of known turns may become part of the graph too. */
bool graph_loop_kept(const struct elab *e);
/* A condition: a bool of the host, or a tensor of one; value_error after a message. */
const struct value *graph_condition(struct elab *e, const struct expr *x);
/* c: such a condition that is not known. */
void graph_branch(struct elab *e, const struct stmt *s, const struct value *c);
void graph_loop_range(struct elab *e, const struct stmt *s, const struct value *from, const struct value *to);
/* Over a list. False: its elements differ in more than the graph can say, which is not told. */
bool graph_loop_list(struct elab *e, const struct stmt *s, const struct value *list);
void graph_loop_while(struct elab *e, const struct stmt *s);
/* Walked as a branch unless c, a bool that a graph computes. */
struct arm_body;
void graph_unless(struct elab *e, const struct value *c, const struct arm_body *body, struct span at);

/* ---- turns that may become a loop (tried.c) ---- */

/* Turns of a `for` that cannot all be one loop: runs of them are loops, others are walked one by one. {0}: all are. */
struct loop_runs {
	const struct stmt *s;
	const struct value *over; /* a range that is known, or a list */
	int64_t turns;
	int64_t begin, end;   /* of the run at hand, as far as is known */
	int64_t alone;        /* up to this one turns are walked by themselves */
	bool is_behind_first; /* the first turn of the run was, since it begins with something else */
	int nshort;           /* runs of a turn or two that came last */
	int64_t kept;         /* turns that became loops */
	struct unrolled why;
};
/* All of them, of a range that is known or a list, as one loop. False: nothing has been done, they differ in more than
 * the graph can say; *rest is how to go on. */
bool graph_loop_tried(struct elab *e, const struct stmt *s, const struct value *v, struct loop_runs *rest);
/* How many turns, from that one on, have become a loop; 0: it is to be walked by itself. */
int64_t graph_loop_run(struct elab *e, struct loop_runs *r, int64_t turn);
/* For `pmlc plan`, when all turns are walked. */
void graph_loop_unrolled(struct elab *e, const struct loop_runs *r);
/* A loop over lists of params, in the turns of which `turn` walks the statements, if there are any, with the lines that
 * `turns` then has. */
struct list_loop {
	struct list_turns *turns;
	const struct stmt *body;
	void (*turn)(struct elab *e, void *context);
	void *context;
};
bool graph_loop_lists(struct elab *e, const struct list_loop *of, struct span at);

/* ---- leaving turns and functions (leave.c) ---- */

/* Variables of a loop that no program can name. */
#define GOES_ON "loop goes on"
#define IS_LEFT "turn is left"
bool carried_is_hidden(const char *name); /* which no program can name (carried.c) */

/* What an arm of a branch does: the statements; or walk(e, x), which assigns what they do and the variable `adds`. */
struct arm_body {
	const struct stmt *statements;
	void (*walk)(struct elab *e, const void *x);
	const void *x;
	const char *adds; /* NULL: none */
};
void arm_walk(struct elab *e, const struct arm_body *body);
/* `break` or `continue` of the innermost loop. */
void graph_loop_leave(struct elab *e, bool breaks);
/* `return v` where the running program decides whether it is reached. */
void graph_return(struct elab *e, const struct value *v, struct span at);
/* The error of returns that differ; was, is: as messages describe values. */
void return_differs(struct elab *e, const char *was, const char *is, struct span at);
/* Behind a loop that may have returned: the turn of the loop around it is left, too. */
void graph_loop_left(struct elab *e, struct span at);
/* What such a statement assigns is carried too. */
void graph_leave_flags(struct elab *e, struct carried_set *carried, const struct stmt *leaves);
/* True if what was walked may have left the turn or the function: then body has been walked, as a branch. */
bool graph_unless_left(struct elab *e, const struct arm_body *body, struct span at);

/* ---- what arms read (arm.c) ---- */

/* An arm has been walked, its nodes are those from number `from` on: all that stands in it is put into the loop. Behind
 * the arm what was carried into it for that goes on as it was. */
struct arm;
struct arm *arm_close(struct elab *e, struct loop *l, int from);
void arm_end(struct elab *e, const struct arm *a);

/* ---- what turns hand on (carried.c) ---- */

/* What turns of a loop hand on to each other: the variables that its body assigns, and slots. */
struct carried_set *carried_by(struct elab *e, const struct stmt *first, const struct stmt *second);
/* One more variable. */
void carried_add(struct elab *e, struct carried_set *c, const char *name, struct span at);
/* Enters l: until carried_end the variables stand for what is carried. */
void carried_begin(struct elab *e, struct carried_set *c, struct loop *l, struct span at);
/* After a walk of the body: whether all is what carried_begin took it to be. If not, it knows better now, and the body
 * is to be walked again. False too after an error, which sets *failed. */
bool carried_fits(struct elab *e, struct carried_set *c, const struct trial *before, bool *failed);
/* Leaves the loop: the variables hold what the last turn left, those that no turn changes what they held before. */
void carried_end(struct elab *e, struct carried_set *c, struct span at);
/* Behind it: numbers that are known there become so. The name of a variable that would hold one which is known, or seen
 * by the host, where the turns are walked one by one, and here is not; NULL: there is none. */
const char *carried_numbers(struct elab *e, struct carried_set *c);
/* Then, where the host goes on behind the region: it takes the numbers that are not known. Closes the region if there
 * are any. */
void carried_read(struct elab *e, struct carried_set *c, struct span at);
/* After an error: nothing is known of the variables. */
void carried_fail(struct carried_set *c);

/* ---- what is computed again (remat.c) ---- */

/* A block in the one being walked, to be entered, of a loop that stands in `in`, or (NULL) of the source; from now on
 * nodes stand in `block` (NULL: in none). */
const struct remat *remat_new(struct elab *e, struct loop *in);
void remat_enter(struct elab *e, const struct remat *block);
const struct value *expr_remat(struct elab *e, const struct expr *x);

/* The k of `remat every k` before a loop; 0: it says none. False after an error. */
bool remat_every(struct elab *e, const struct stmt *s, int64_t *k);

/* A loop that is cut in segments (graph/segments.c). Begun before it is made, as graph.open is then; what it does
 * stands in a block. Ended when it is done, with its nodes and readers from number `from` on. */
struct loop *segments_begin(struct elab *e, struct span at);
void segments_end(struct elab *e, struct loop *segments, struct loop *l, int64_t k, int from);
/* They are not made: l goes on alone, and what it does stands in the block around. */
void segments_forget(struct elab *e, struct loop *segments, const struct loop *l, int from);

#endif
