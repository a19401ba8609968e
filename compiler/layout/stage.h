/* stage.h — the layout stage of one graph: what its files share.
 *
 *   place.c    copies what is on no rank to where it is used                    GRAPH_LOGICAL -> GRAPH_PLACED
 *   infer.c    decides the layouts of the program's own nodes, in order; checks what is declared; infer_loop.c what is
 *              carried from turn to turn; assigned.c where rows go; pending.c hands over to solve.c what is read
 *              around shards
 *   solve.c    decides the layouts left free (gradients, data, constants) so that the fewest bytes move
 *   narrow.c   lets splits reach back to what is whole
 *   timed.c    both, where a machine is named: for the least time
 *   rebuild.c  writes the decisions down: conversions become `to` nodes           GRAPH_PLACED -> GRAPH_LAID_OUT
 *
 * A node is free if it is backward, or read or computed from data and constants only; all others are fixed by infer.c.
 * What a node wants of its inputs is kept beside the graph (struct note) until rebuild.c makes it nodes. */
#ifndef PML_LAYOUT_STAGE_H
#define PML_LAYOUT_STAGE_H

#include "../graph/graph.h"
#include "choice.h"
#include "convert.h"

/* What the stage knows of one node beside its layout. */
struct note {
	bool is_free;   /* solve.c decides the layout */
	bool is_opened; /* the program's own, inferred, and yet free: what it gives is moved behind it (pending.c) */
	bool is_open;   /* a transfer whose layout is fixed, but solve.c decides in which layout it takes its input */
	bool is_alias;  /* says nothing of its own: stands for its input */
	bool is_live;   /* an output needs it */
	bool is_late;   /* a contract in front of a loop, whose layout parameter is bound in it */
	bool fetches; /* a slice is assigned here by a statement with a `to`: what it reads around shards is fetched */
	bool is_pending; /* reads windows of what is split: a `to` says where, then solve.c decides (pending.c) */
	bool serves;     /* a map that gives parts because each rank computes where its part of an operand is read */
	bool has[VIEWS]; /* a slice, or made of slices: it can be had in this way as well, */
	bool is_viewed;  /* and somebody takes it otherwise than it is */
	bool poisoned;   /* an error was reported for it or for what it is computed from */
	struct layout view[VIEWS];
	struct layout *want; /* per input: the layout it is wanted in */
	/* A layout that the value is converted to on its way to those that are wanted; NULL: none but these. */
	const struct layout *between;
};

/* A carried value, as it begins a turn. */
struct carried {
	bool is_free;
	struct layout layout; /* as it is seen */
};

struct stage {
	struct session *session;
	struct program *program;
	struct graph *graph;
	struct arena *arena;        /* ends with the stage */
	struct note *notes;         /* by node id */
	struct layout *output_want; /* by output: the layout it is wanted in, at the node's placement */
	bool *output_poisoned;
	struct bound { /* layout variables */
		bool is_bound;
		const struct place *place;
		struct layout layout;
		struct span span;
		const char *what;
	} * vars;
	struct node **ends;      /* by CARRY: its END */
	struct carried *carried; /* by CARRY: what it is in the turn that is inferred */
	struct node **binders;   /* by layout parameter: who stands first among the parameters of the call */
	VEC(struct node *) late; /* contracts that stand in front of the loop of a binder, in order */
	bool *stacks_tapes;      /* by loop: graph_stacks_tapes */
	bool *is_uneven;         /* by loop: its turns have not all the same layouts, */
	bool must_unroll;        /* one of them, so that it is unrolled and all is inferred once more */
	struct convert_costs *costs;
	struct map inferred;       /* infer_map.c: choices of maps by rule, placement and layouts of the operands */
	bool by_axes;              /* for tests: solve axis by axis even where all fits */
	bool exact;                /* stage_solve: no other layouts cost less */
	const bool *slot_poisoned; /* by slot: its layout could not be found in an earlier region */
	bool is_trial;             /* a help is tried (trial.h): messages will be taken back, */
	const bool *tries;         /* by node: and those of these nodes are counted */
	int errors_tried;
	int tried; /* nodes inferred for trials */
};

/* All steps on one graph; the graph is laid out unless errors were reported. slot_poisoned may be NULL; backward (may
 * be NULL) becomes what stage_solve gives. */
bool stage_layout(struct session *s, struct graph *g, bool *slot_poisoned, struct cost *backward);

/* The layouts slots are declared with; a message for each that cannot be, and the slot is poisoned. */
void stage_lay_out_slots(struct program *p, bool *poisoned);
/* Slots that a wrong region keeps its values in: what reads them later is silent. */
void stage_poison_slots(const struct stage *st, bool *poisoned);
/* A layout that is written needs a placement: asked before copies are made, while it still shows. */
bool stage_check_unplaced(struct session *s, const struct graph *g);

/* Notes and memory for a placed graph, which may be told again that its nodes are others; the arena is freed by the
 * caller. */
void stage_init(struct stage *st, struct session *s, struct graph *g, const bool *slot_poisoned);
void stage_renew(struct stage *st);

/* Copies unplaced values to the placements that use them; those only the host or nobody sees go to the world. */
void stage_place(struct graph *g);

/* Errors go to the session. False if there was one: the later steps are then left out. Loops whose turns are known and
 * have other layouts are unrolled. */
bool stage_infer(struct stage *st);

/* One node, whose inputs are inferred; one output: false if it is wrong. */
void stage_infer_node(struct stage *st, struct node *n);
/* What stands in `in` (NULL: all) from the node at `from` on, loops as often as their layouts change; where it ends. */
int stage_infer_nodes(struct stage *st, const struct loop *in, int from);
bool stage_infer_output(struct stage *st, const struct output *o, struct layout *want);

/* Whether one who stands before n in the call is in a loop that n is not in. */
bool stage_binds_late(const struct stage *st, const struct node *n);
/* Whether the loop's turns are known, and few enough, and it stacks nothing that has no known size. */
bool stage_can_unroll(const struct stage *st, const struct loop *l);
/* The loop's turns have not all the same layouts: what is inferred goes on for nothing. */
/* at, why: what makes its turns unlike. */
void stage_unroll(struct stage *st, const struct loop *l, struct span at, const char *why);

/* Whether a map joins x with what is put into a slice of it, where a `to` of the source gives that: `x[1..63] = e to
 * S(0)`. The `to` ends the statement, so what is put is fetched from where it says to where x has the slice. */
bool stage_is_assigned(const struct stage *st, const struct node *n);
/* The rows that a node puts into others, or into zeros, which `x[1..63] += e` adds: e; NULL: it puts none. */
struct node *stage_rows_put(const struct node *n);
/* Notes that what is put there can be had as x is cut, however that is,
 * if the `to` splits it along the same dimensions. */
bool stage_put_as(struct stage *st, const struct node *n);
/* After inference: such a `to` gives the rows as x is cut, if nobody else has what it gives. */
void stage_bring_rows(struct stage *st);
/* Whether a TO or CONTRACT says which layout, itself or by a layout parameter. */
bool stage_is_written(const struct node *n);
/* What becomes of a pending value, of which nothing is fetched before a `to`, by node n that reads it as input i: n is
 * pending, too; it ends there, or gradients make it anew; n cannot stand behind it. */
enum waiting { WAITING_GOES_ON, WAITING_ENDS, WAITING_REFUSED };
enum waiting stage_waiting(const struct node *n, int i);
/* Whether the node joins a tensor and what is put into it, `x[a..b] = e`: it fetches e, if a `to` ends that. */
bool stage_puts(const struct node *n);
/* The written `to` that ends what n puts into its first operand, as it is and nothing else; NULL: there is none.
 * Whether what that gives in layout `to` can be brought to where x, the operand, has these rows. */
const struct node *stage_put_end(const struct node *n);
bool stage_put_reaches(struct arena *a, const struct node *n, const struct layout *to, const struct layout *x);
/* Whether the node's inputs are pending and it cannot stand behind them: an error is reported, at what reads the
 * window. A map that takes them in place, and what says nothing of its own, becomes pending itself. */
bool stage_refuses_pending(struct stage *st, struct node *n);
/* After inference: what reads windows, or serves what it owns of a slice, and is then moved, becomes free. */
void stage_open_windows(struct stage *st);

/* Decides free nodes. cost (may be NULL) becomes theirs, with what fixed values are converted for fixed users: of the
 * program's own `to`s nothing is in it. */
void stage_solve(struct stage *st, struct cost *cost);
/* The same, but gradients for least time first, where they can be; false: it has no say in them. t NULL: none has. */
struct timing;
bool stage_solve_for(struct stage *st, struct timing *t, struct cost *cost);

/* After that: what is whole and wanted in shares alone is computed in shares, where that moves nothing. */
void stage_narrow(struct stage *st);

/* Both, on the machine that the program is compiled for the way that takes least time of those that are tried. */
void stage_decide(struct stage *st, struct cost *cost);

void stage_rebuild(struct stage *st);

/* The layout a value has as far as inference is concerned: free values are like B, which converts to all others. */
struct layout stage_seen(const struct stage *st, const struct node *n);

/* The value that a node stands for: itself, or the one behind nodes that say nothing of their own (a stop, a contract
 * or a `to` that changes nothing). */
struct node *stage_value(const struct stage *st, struct node *n);

/* What a user (NULL: an output, or a loop) wants of value v, on p, which is or stands for its placement: layout l, for
 * a result of its own of layout `out`. */
struct wanted stage_wanted(const struct stage *st, const struct node *v, const struct place *p, const struct node *user,
			   const struct layout *l, const struct layout *out);

#endif
