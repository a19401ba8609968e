/* graph.h — the logical program of one region: a list of nodes in order of computation, each one tensor.
 *
 * Values are whole (logical) tensors. A node's placement is known when it is built (from its inputs, or a `to`); its
 * layout is decided by the layout stage. Elaboration builds graphs; autodiff appends to them; passes rewrite them. A
 * graph prints to text and reads back (graph_print, graph_read), so every pass can be tested alone.
 *
 *   %3 = map matmul(%1, %2) {…rule…} : f32[64, 256] @left
 */
#ifndef PML_GRAPH_H
#define PML_GRAPH_H

#include "../mesh/layout.h"
#include "../op/rule.h"
#include "base/diag.h"
#include "base/map.h"

#include "../../runtime/factors_way.h"

struct program;

enum node_kind {
#define NODE(name, text, inputs) NODE_##name,
#include "node.def"
#undef NODE
	NODE_KINDS
};

/* Where an inlined function was called from; messages show the chain. */
struct call_site {
	const struct call_site *outer; /* NULL: in main or a test */
	struct span span;              /* the call */
	const char *function;
	const char *doc; /* of a function of the library: its doc comment; else NULL */
	int nargs;       /* arguments, by the names of the parameters */
	const struct call_argument {
		const char *name;
		struct span span;
		int n; /* of a list as it stands there: its elements */
		const struct span *element;
	} * args;
};

/* A `remat { … }` of the source, or a loop of any number of turns inside of a loop: what is made inside is computed
 * again where gradients need it. */
struct remat {
	const struct remat *outer; /* that it stands in; NULL: none */
	struct loop *in; /* of a loop: the loop around it, outside of which there is nothing of the block; NULL: of
			    the source */
};

enum schedule {
#define SCHEDULE(name, text, splits, description) SCHEDULE_##name,
#include "schedule.def"
#undef SCHEDULE
	SCHEDULES
};

/* What a stage does of a micro-batch at a time. Where a schedule splits backward passes, BACKWARD is what the stage
 * before waits for, WEIGHTS the rest; else BACKWARD is all. */
enum pass_kind {
#define PASS_KIND(name, text, marks) PASS_##name,
#include "../../runtime/pass.def"
#undef PASS_KIND
	PASS_KINDS
};

/* A `microbatch` of the source. Its body stands in the graph once for every micro-batch. */
struct given {
	const struct node **at;
	int n, cap;
};

struct microbatch {
	int id;    /* in the order of the program */
	int count; /* of micro-batches */
	enum schedule schedule;
	int hold; /* most that a set of ranks keeps activations of, where the schedule splits; 0: as many as 1F1B */
	struct span span;
	struct given given; /* by the first micro-batch, before it is averaged: tensors that are no gradients */
	bool gives_gradients;
};

/* A loop of the graph. What is computed in its turns is what depends on its entries (TURN, CARRY, LINE): everything
 * else stands outside, whoever wrote it where, and is read in every turn as it is. Its results are its exits (END,
 * STACK). All carried values are replaced at once when a turn ends. Without a turn an END is its start. A branch is a
 * loop of one turn or none: what an arm reads from outside is carried, so that it is not computed where the arm is not
 * taken. */
struct loop {
	struct loop *outer;     /* NULL: none */
	int id;                 /* position in graph.loops */
	int64_t turns;          /* known when compiling; -1: by count or condition, one of which is given then */
	struct node *count;     /* outside: an i64 scalar, the number of turns; none if it is negative */
	struct node *condition; /* inside: a bool scalar, asked before every turn: whether it is made */
	VEC(struct node *)
	elsewhere;    /* placed: count or condition on the other placements that the loop has nodes on,
			 each on one: copies, or what a TO brings there */
	int64_t most; /* turns at the most, as the program states; -1: not stated */
	bool is_branch;
	const struct microbatch *batch; /* of which the turns are the micro-batches: each computes on its own what it
					   needs, as memory for all of them is what they are to save; NULL: of none */
	bool stages;                    /* placed: turns are periods of a pipeline (pipeline/steady.h): in each, passes
					   over several micro-batches in their order, by `segment` */
	const struct remat *remat;      /* the innermost it was made in; as of nodes */
	struct span span;
};

enum asked {
#define ASKED(name, text) ASKED_##name,
#include "../../runtime/asked.def"
#undef ASKED
	ASKED_COUNT
};
const char *asked_text(enum asked a);
/* Whether v is what is asked for. */
bool asked_holds(enum asked a, int64_t extent, int64_t v);

/* What the elements of a CHECK are, or the program ends (runtime/asked.def). */
struct check {
	enum asked asked;
	int64_t extent;    /* NOT_ZERO: 0 */
	const char *range; /* for the message: "dimension 0 of `table` has 8 elements", "`b`",
			      "beyond what an element of `i32` can be" */
	struct span where; /* of what is indexed, of the divisor, or of the number */
	bool is_proved;    /* WITHIN, BELOW: each is in 0..extent - 1 whatever comes, which code that is made of it may
			      take for granted (simplify/checks.c) */
};

/* How a rule of the program's own goes backward (PULLED): of the results of a call and the tensors that its function
 * was given, as they are read, one after the other in `values`, and the cotangents c of those results that are floats,
 * the cotangents of the given tensors in out; NULL: none. False after an error. */
struct pullback {
	bool (*back)(const struct pullback *p, struct node *const *values, struct node *const *c, struct node **out);
	const void *rule;
	int results;
	int lines; /* dimensions in front of all these that the rule does not know of: it is for each line */
};

/* Who made a node, which decides what the layout stage may do with it. */
enum node_origin {
	ORIGIN_SOURCE,   /* the program: its layout is inferred forward and nothing moves but at `to` */
	ORIGIN_BACKWARD, /* autodiff: its layout is free; transfers are placed where they cost least */
};

/* What a target that is a function's result is called begins so. */
#define RESULT_OF "result of "
/* Where a tensor goes. place NULL: where the input is. */
struct node_target {
	const struct place *place;
	struct layout_spec layout;
	const char *what;  /* CONTRACT: "parameter `x` of `forward`", RESULT_OF "`forward`" */
	struct span where; /* the declaration, of a function's parameters in their order */
};

struct node {
	struct node **in; /* what every pass reads comes first */
	int nin;
	int id; /* position in graph.nodes */
	enum node_kind kind;
	enum node_origin origin;
	enum dtype dtype;
	int micro; /* the micro-batch, from 0; nodes that are equal in several belong to the first of them */
	const struct place *place; /* NULL: on no rank in particular (constants, host scalars, data, and what is
				      computed from them) */
	/* BACKWARD: the forward node whose gradient this helps to compute (for placement and plans). */
	const struct node *forward;
	struct node *instead; /* graph_rewrite: what took its place; NULL while it is in a graph */
	union {
		const struct rule *rule;          /* MAP; interned (graph_rule) */
		const struct node_target *target; /* TO and CONTRACT; nodes that are copies of each other share it */
		struct check check;               /* CHECK */
		enum factors_way factors;         /* FACTORS */
		struct {                          /* PULLED */
			const struct pullback *by;
			int result; /* which of them it is */
		} pulled;
		int depth;                        /* TANGENT and RULED: of rules in rules, from 1 */
		int slot;                         /* SLOT */
		struct {                          /* DATA */
			int argument;             /* region argument that holds the batches handle */
			int field;
		} data;
		int argument;              /* HOST: number of the region's argument */
		union scalar_value number; /* CONST: a scalar */
		struct { /* LINE: turn t reads line first + step * t, back: turns + first + step * t, so that first -1
			    is the line of the last turn. STACK: turn t writes line t, back: turns - 1 - t */
			int64_t first, step;
			bool back;
		} line;
	};
	struct shape shape;
	struct layout layout;         /* valid once graph.stage >= GRAPH_LAID_OUT */
	struct span span;             /* the expression */
	const struct call_site *call; /* the calls it stands in */
	int lines;          /* dimensions in front that the source does not write there, for `vmap` goes over them */
	bool is_derived;    /* of a function that is differentiated: its value may be wanted for that alone */
	bool in_library;    /* made inside a function of the library: span is the user's call of it, */
	const char *doc;    /* and this its doc comment; may be NULL */
	bool names_factors; /* the factors of its rule have the names that the program gave them */
	int segment;        /* number of the pass that computes it (pipeline/); 0 where there are none */
	struct loop *loop;  /* the innermost that it stands in; NULL: none; follows from its inputs */
	struct loop *of;    /* TURN, CARRY, LINE: the loop they enter; END, STACK: that they leave */
	const char *name;   /* of the source (`let h`), for messages, plans and LLVM names; may be NULL */
	const struct microbatch *batch; /* that it stands in; NULL: none */
	const struct node *after;       /* REMAT: what reads it is better not computed before this; NULL: nothing */
	const struct remat *remat; /* the innermost it was made in; read by differentiation, of no meaning afterwards */
};

enum graph_stage {
	GRAPH_LOGICAL,  /* as elaborated and differentiated */
	GRAPH_PLACED,   /* every node has a placement: unplaced values were copied to where they are used */
	GRAPH_LAID_OUT, /* every node has a layout, inputs fit a signature, all movement is in TO nodes; no CONTRACT, no
			   STOP */
};

/* What a region leaves behind. */
enum output_kind {
	OUTPUT_SLOT, /* the value of slot `index` from now on */
	OUTPUT_HOST, /* result `index` of the region for host code: a scalar, finished, brought to every rank */
};
struct output {
	enum output_kind kind;
	int index;
	struct node *node;
	struct span span;
};

struct graph {
	struct session *session;
	struct program *program;
	struct arena *arena;
	enum graph_stage stage;
	VEC(struct node *) nodes;
	VEC(struct output) outputs;
	VEC(struct loop *) loops; /* outer ones first */
	struct loop *open;        /* the innermost whose body is being made; NULL: none */
	int nlayout_vars;
	const struct remat *remat; /* nodes made now are inside of it */
	bool is_exact;             /* laid out: no other layouts of the free values cost less */
	VEC(struct node *) spare;  /* graph_rewrite: memory for the next list of nodes */
	struct node *room;         /* graph_node: memory for the next ones, */
	int nroom;                 /* and for how many */
};

struct graph *graph_new(struct session *s, struct program *p);
/* An empty node, beside the graph's others in memory, that is in no list yet. */
struct node *graph_node(struct graph *g);
const char *node_kind_text(enum node_kind kind);
const char *schedule_text(enum schedule s);
bool schedule_splits(enum schedule s);
/* The schedule of that name; false if there is none. */
bool schedule_find(const char *text, enum schedule *out);
const char *pass_kind_text(enum pass_kind kind);
/* TO, CONTRACT, STOP, REMAT: the value is the input's, whatever else the node says. */
bool node_is_identity(const struct node *n);
/* TANGENT, RULED, PULLED: of a function whose derivative the program gives. */
bool node_is_of_rule(const struct node *n);
/* Writes what n is but for where: kind, element type, shape, number of inputs, and what its kind says. Which inputs,
 * which loop, placement, layout and what a move asks for are left to the caller. */
void node_add_key(struct memo *m, const struct node *n);
/* Whether it is a map that adds two different nodes of its own shape, element by element. */
bool node_is_sum(const struct node *n);

/* Position attached to nodes made from now on is given per call: `like` supplies span, call, origin and forward. */
struct node_site {
	struct span span;
	const struct call_site *call;
	bool is_derived, in_library, names_factors;
	const char *doc;
	enum node_origin origin;
	const struct node *forward;
	const char *name;
	const struct microbatch *batch;
	int micro;
};

/* The program's one rule that equals r, which may be on the stack: what a map's rule is. */
const struct rule *graph_rule(const struct graph *g, const struct rule *r);

/* Builders append a node and return it. They trust shapes and types (elaboration and passes check first: BUG_IF),
 * compute dtype, shape and placement, and fold nothing. Rules are interned. map: all placed inputs must agree on the
 * placement. */
struct node *graph_slot(struct graph *g, const struct node_site *at, int slot);
struct node *graph_data(struct graph *g, const struct node_site *at, int argument, int field, enum dtype t,
			const struct shape *s);
struct node *graph_host(struct graph *g, const struct node_site *at, int argument, enum dtype t);
struct node *graph_float(struct graph *g, const struct node_site *at, enum dtype t, double v);
struct node *graph_int(struct graph *g, const struct node_site *at, enum dtype t, int64_t v);
/* Of any type: v.f of floats, else v.i. */
struct node *graph_number(struct graph *g, const struct node_site *at, enum dtype t, union scalar_value v);
struct node *graph_map(struct graph *g, const struct node_site *at, const struct rule *r, struct node *const *in);
struct node *graph_reshape(struct graph *g, const struct node_site *at, struct node *x, const struct shape *s);
/* A copy of the target of n, which has one from then on if it had none, to be changed. */
struct node_target *graph_retarget(struct graph *g, struct node *n);
struct node *graph_to(struct graph *g, const struct node_site *at, struct node *x, const struct place *p,
		      const struct layout_spec *l);
/* The same of a laid-out graph. */
struct node *graph_moved(struct graph *g, const struct node_site *at, struct node *x, const struct place *p,
			 const struct layout *l);
struct node *graph_contract(struct graph *g, const struct node_site *at, struct node *x, const struct place *p,
			    const struct layout_spec *l, const char *what, struct span where);
/* x, each element of which is as asked; of WITHIN those below 0 counted from the end. */
struct node *graph_check(struct graph *g, const struct node_site *at, struct node *x, const struct check *c);
/* Factors of a[.., n, n], of f32 or f64 (factors.c): [.., n + 1, n], a line in front of a matrix
 * (../../runtime/factors.def). A constant for derivatives. */
struct node *graph_factors(struct graph *g, const struct node_site *at, struct node *x, enum factors_way way);
/* For people. */
const char *factors_what(enum factors_way way);
/* For each matrix of n lines, about. */
int64_t factors_operations(enum factors_way way, int64_t n);
struct shape factors_shape(const struct shape *a);
bool factors_fit(enum dtype t, const struct shape *a, const struct shape *out);
/* Whether no rank has a part of a matrix. */
bool factors_take(const struct node *n, const struct layout *l);
void factors_interpret(enum factors_way way, enum dtype t, const struct shape *a, const union scalar_value *in,
		       union scalar_value *out);
struct node *graph_stop(struct graph *g, const struct node_site *at, struct node *x);
/* A function with a derivative of its own (`custom_jvp`): x, what it gives, which moves as the rule says when its
 * arguments do. The rule stands in the graph as what makes y, of x's type, of tangents, one for each of n arguments:
 * tangent i is of argument i. Neither is left when a region is whole (ruled.c). depth: 1, or one more than the rule has
 * that this stands in. */
struct node *graph_tangent(struct graph *g, const struct node_site *at, int depth, int n, struct node *const *argument,
			   int i);
struct node *graph_ruled(struct graph *g, const struct node_site *at, int depth, struct node *x, struct node *y, int n,
			 struct node *const *argument);
/* tensor[i] of n, of which the first p->results are the results of a call, and of the others, which its function was
 * given, p makes the cotangents. The results with the same pullback and tensors are of one call. */
struct node *graph_pulled(struct graph *g, const struct node_site *at, const struct pullback *p, int i, int n,
			  struct node *const *tensor);
/* Which input of n that a tensor is that graph_pulled was given as number i, and the other way round. */
int pulled_input(const struct node *n, int i);
/* What is RULED or PULLED is its value from here on. A tangent whose value somebody needs then, for no rule is linear
 * in it: NULL if there is none. */
const struct node *graph_finish_ruled(struct graph *g);
/* The value of x for what is computed from it once more: equal to nothing else, so that it is not merged with what was
 * computed the first time, and wanted only when `after` (may be NULL) is there. */
struct node *graph_remat(struct graph *g, const struct node_site *at, struct node *x, const struct node *after);
void graph_output(struct graph *g, enum output_kind kind, int index, struct node *x, struct span span);

/* ---- loops (loop.c) ---- */

/* A loop in `outer` (NULL: none) of that many turns; -1: set count or condition before the graph is used. */
struct loop *graph_loop(struct graph *g, struct loop *outer, int64_t turns, struct span span);
struct node *graph_turn(struct graph *g, const struct node_site *at, struct loop *l); /* i64 */
struct node *graph_carry(struct graph *g, const struct node_site *at, struct loop *l, struct node *start);
/* n = 1: x[0] without its first dimension; else one of n tensors alike. */
struct node *graph_line(struct graph *g, const struct node_site *at, struct loop *l, int n, struct node *const *x,
			int64_t first, int64_t step, bool back);
/* carry is of l; next: the value that the next turn has instead, inside or outside of l. */
struct node *graph_end(struct graph *g, const struct node_site *at, struct node *carry, struct node *next);
/* As many lines as the loop has turns. Where these are not known but bounded, as many as the bound, of which those of
 * turns that are not made are 0; where nothing is stated the first extent is 0, and only LINE reads it. Of what has no
 * size itself: one behind the other, the lines of all turns that were made. Nothing but another STACK reads that, or,
 * as lines of this size, a RESHAPE. */
struct node *graph_stack(struct graph *g, const struct node_site *at, struct loop *l, struct node *x, bool back);

/* Lines that a stack of the loop has; 0 if that is not known. */
int64_t loop_lines(const struct loop *l);
/* Whether n is a STACK whose size only the running program knows: of a loop of any number of turns, or of such stacks.
 */
bool node_is_tape(const struct node *n);
/* Whether it is one that several loops put lines on, one around the other. */
bool node_is_tape_of_tapes(const struct node *n);
/* By loop: whether it stacks such. Then it stays a loop, since nothing else puts them behind each other. */
bool *graph_stacks_tapes(const struct graph *g, struct arena *a);
/* The number of turns, outside of the loop, i64: where a condition decides, counted in the loop. */
struct node *graph_turns(struct graph *g, const struct node_site *at, struct loop *l);
/* TURN, CARRY, LINE; END, STACK. */
bool node_is_entry(const struct node *n);
bool node_is_exit(const struct node *n);
/* The layout parameters that a TO or CONTRACT names, in list (of MAX_AXES): how many. */
int node_variables(const struct node *n, int *list);
/* Of two of one call, which stands first: its parameters in their order, then what is in it. */
bool node_names_before(const struct node *n, const struct node *other);
/* Whether inner is outer or stands in it; outer NULL: always. */
bool loop_is_in(const struct loop *inner, const struct loop *outer);
bool remat_is_in(const struct remat *inner, const struct remat *outer);
/* The innermost block that n was made in, and stands in as well, entries and exits in that of their loop; NULL: in
 * none. */
const struct remat *node_block(const struct node *n);
/* Of a loop in `around` (or of `around` itself: then it is): the loop directly in `around` that it stands in. */
struct loop *loop_below(struct loop *l, const struct loop *around);
/* Which loop n stands in, by its inputs, and where; NULL: on no rank, as what a turn begins with may be. */
struct loop *node_loop(const struct node *n);
/* The loop that n is a part of, inside of it or as an exit, and the outermost such loop; NULL: of none. */
struct loop *node_part_of(const struct node *n);
struct loop *node_whole_loop(const struct node *n);
/* Where those of the nodes are that are anywhere; NULL: none is. The same of a node's inputs. */
const struct place *nodes_place(int n, struct node *const *nodes);
const struct place *node_place_of_inputs(const struct node *n);
/* What ranks of p ask for the number of turns, or before every turn: count or condition there. NULL: the turns are
 * known, or the loop has nothing on p. */
struct node *loop_asks(const struct loop *l, const struct place *p);
/* One after the other all that the loop asks, from i = 0 on: count or condition, then elsewhere. NULL: no more. */
struct node **loop_asked(struct loop *l, int i);

/* Of n nodes in the order of graph_order, a loop's first one at `from`: where its exits begin and where they end. */
struct loop_extent {
	int exits, end;
};
struct loop_extent loop_extent(const struct loop *l, struct node *const *nodes, int n, int from);
/* Where the outermost loop that the node `at` is a part of begins, and where it ends with its exits; a node of no loop
 * stands for itself. */
int graph_whole_begin(const struct graph *g, int at);
int graph_whole_end(const struct graph *g, int at);
/* By id of a CARRY: its END. */
struct node **graph_ends(const struct graph *g, struct arena *a);
/* Puts the nodes in an order in which each loop stands in one piece, its exits right behind it; inputs come before who
 * reads them, but a loop's END behind what reads its CARRY. Otherwise as they are. Renumbers. NULL, or what makes it
 * impossible: a value that a loop reads and that depends on its result. */
const char *graph_order(struct graph *g);
/* Those from number `from` on alone, while loops around them are open (graph.open), which do not stand in one piece:
 * what was made before keeps its number. */
const char *graph_order_from(struct graph *g, int from);

/* The loops of known turns turn by turn, one after the other, as if no loop had been there: what a loop means. False if
 * some are left because their turns are not known, or they stack what has no known size. */
bool graph_unroll(struct graph *g);
/* The same of those marked, by id, whose turns are known; what nobody reads stays. */
void graph_unroll_marked(struct graph *g, const bool *marked);
/* Cuts l, whose nodes and readers are those from number `from` on, in segments of k turns (segments.c), which are the
 * turns of `segments`: a loop without nodes where l stands. What stands in l stands in a block of its own. `instead`
 * has what is read in the place of its lines, if it is not lines of blocks; then also of its numbers and stacks. Nodes
 * do so already. */
void graph_cut(struct graph *g, const struct node_site *at, struct loop *l, struct loop *segments, int64_t k, int from,
	       struct map *instead);
/* What is added to a sum over micro-batches that begins with 0 is, in the first of them, the sum; else NULL. */
struct node *loop_first_addend(const struct node *n);

/* Common maps built from scalar functions, broadcasting like the prelude's operators (trailing dimensions aligned,
 * extents equal or the operand lacks the dimension): elementwise fn over x, y, z (NULL where not needed). */
struct node *graph_pointwise(struct graph *g, const struct node_site *at, enum scalar_fn fn, struct node *x,
			     struct node *y, struct node *z);
struct node *graph_cast(struct graph *g, const struct node_site *at, struct node *x, enum dtype to);
/* A scalar spread over a shape; zeros of it, of a scalar's the number itself; a sum over the given dimensions (kept out
 * of the result). */
struct node *graph_fill(struct graph *g, const struct node_site *at, struct node *scalar, const struct shape *s);
struct node *graph_zeros(struct graph *g, const struct node_site *at, enum dtype t, const struct shape *s);
struct node *graph_reduce(struct graph *g, const struct node_site *at, enum combiner c, struct node *x,
			  const bool *dims);
/* x with its dimension `from` as dimension `to`, the others in their order. */
struct node *graph_turned(struct graph *g, const struct node_site *at, struct node *x, int from, int to);
/* n times x, one behind the other. */
struct node *graph_repeated(struct graph *g, const struct node_site *at, struct node *x, int64_t n);
/* x[line], and its inverse: zeros of the given shape but for that line. Line t of x in line first + step * t of zeros
 * of the shape, lines that meet added up, those outside of it left out. */
struct node *graph_line_of(struct graph *g, const struct node_site *at, struct node *x, int64_t line);
/* x[line], by a scalar, an i64; zeros where x has no such line. */
struct node *graph_line_at(struct graph *g, const struct node_site *at, struct node *x, struct node *line);
/* The same where the lines of x are blocks of another tensor's dimension, which x is a reshape of, with the blocks in
 * front: that block as a slice of it. NULL: they are not. */
struct node *graph_block_of(struct graph *g, const struct node_site *at, const struct node *x, int64_t line);
/* Whether n is what graph_line_of makes of its input; *line: which line. */
bool graph_is_line_of(struct graph *g, const struct node *n, int64_t *line);
struct node *graph_as_line(struct graph *g, const struct node_site *at, struct node *x, const struct shape *s,
			   int64_t line);
struct node *graph_spread_lines(struct graph *g, const struct node_site *at, struct node *x, const struct shape *s,
				int64_t first, int64_t step);
/* n lines, of which line t is line first + step * t of x, zeros where x has none. */
struct node *graph_lines(struct graph *g, const struct node_site *at, struct node *x, int64_t n, int64_t first,
			 int64_t step);
/* Two of one shape as one: lines of x, from line `from` on those of y, bit for bit. */
struct node *graph_joined_lines(struct graph *g, const struct node_site *at, struct node *x, struct node *y,
				int64_t from);

/* Text form and back; NULL and a message at `error` if the text is not a graph. Places and slots are found by name. */
void graph_print(struct text *t, const struct graph *g);
struct graph *graph_read(struct session *s, struct program *p, const char *text, const char **error);

/* The legality of the graph's stage: inputs come earlier, types fit rules, placements agree, and so on. NULL if legal.
 * A rule is looked into once, since rules never change. */
const char *graph_verify(const struct graph *g);

/* The same graph once more, in the arena. */
struct graph *graph_copy(const struct graph *g, struct arena *arena);

/* By id: whether `of`, n nodes, are computed from it. What is carried depends on what it becomes, and whoever enters or
 * leaves a loop on its number of turns; by_layout: what names a layout parameter also on the value that it is taken
 * from, even if nobody reads that value. */
bool *graph_needed(const struct graph *g, struct arena *a, int n, struct node *const *of, bool by_layout);

/* By id: how often it is read, by nodes, as an output, and by what loops ask. */
int *graph_count_reads(const struct graph *g, struct arena *a);

/* Rebuilds node ids and drops nodes that no output needs, keeping the order. A dropped node is no one's `forward` any
 * more. */
void graph_compact(struct graph *g);
/* Drops loops without nodes; the others get new ids. */
void graph_drop_loops(struct graph *g);

/* Reference interpreter over logical tensors: values[id] row-major per node, slots and arguments given. For tests and
 * folding. Values of `to` and contracts are their input's. An argument that is a batches handle has `field`s. Where
 * values[id].at is NULL it is allocated in the graph's arena, else it is a buffer of the right size (so that a second
 * run reuses the first's). In the end slots of OUTPUT_SLOT hold their new values. */
struct tensor_value {
	enum dtype dtype;
	struct shape shape;
	union scalar_value *at;
	const struct tensor_value *field; /* DATA: the fields of the current batch; else NULL */
};
void graph_interpret(const struct graph *g, struct tensor_value *slots, const struct tensor_value *arguments,
		     struct tensor_value *values);

/* rule_prune for a rule whose operands are nodes: in[] (of r->noperands) is compacted alike, and operands that read the
 * same elements of the same node become one. Interned; graph_rule(g, r) if there is nothing to drop. in[] NULL: no two
 * operands are the same. Gradients and simplification use it, so that no kernel reads what it does not need. */
const struct rule *rule_prune_inputs(const struct graph *g, const struct rule *r, struct node **in);
/* graph_map of the pruned rule; in[] is left alone. */
struct node *graph_map_pruned(struct graph *g, const struct node_site *at, const struct rule *r,
			      struct node *const *in);

/* Where main, or a test, says it: the outermost call, if it stands in functions. */
struct span node_said_at(const struct node *n);
/* The site of a node, for nodes that take its place; the site of what differentiation derives from it. */
struct node_site node_site_of(const struct node *n);
struct node_site node_site_backward(const struct node *n);

/* Rewriting: f sees every node in order, its inputs rewritten already, and returns n itself (kept; it may have been
 * changed in place) or a node that takes its place: one made just now by a builder or an earlier one. Users, outputs
 * and `forward` follow. True if anything was replaced or f set *changed. */
typedef struct node *graph_rewriter(struct graph *g, struct node *n, void *context, bool *changed);
bool graph_rewrite(struct graph *g, graph_rewriter *f, void *context);

#endif
