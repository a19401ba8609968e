/* elab.h — the state of one elaboration and what its files offer each other.
 *
 * main, every test and every initialiser are walked once, functions being walked anew at each call with their sizes,
 * dtypes, placements and layouts bound. Host effects are appended to the current host code; tensor operations go to the
 * graph of the open region. The order of the sections below is the order of the data flow. */
#ifndef PML_ELAB_H
#define PML_ELAB_H

#include "../compiler.h"
#include "../autodiff/autodiff.h"
#include "value.h"

#include "base/diag.h"

/* Bounds that no sensible program meets: depth of calls and expressions, turns of a loop that is unrolled, expressions
 * walked in all (an operator counts as STEPS_PER_OP), so that every program ends. */
enum { MAX_CALL_DEPTH = 100, MAX_EXPR_DEPTH = 3000, MAX_UNROLLED = 4096, MAX_STEPS = 4000000, STEPS_PER_OP = 40 };

/* ---- names in scope (env.c) ---- */

enum binding_kind {
	BIND_LET,  /* fixed */
	BIND_VAR,  /* assignable while elaborating: value is replaced */
	BIND_HOST, /* a variable of host code: value is a HOST_VAR expression, assignment emits HOST_SET */
	BIND_SLOT, /* a tensor variable that outlives regions: value is a VALUE_PARAM of a slot of class VALUE */
	BIND_PARTS, /* a value of several parts, each of which is a variable of the host or a slot */
};
struct binding {
	const char *name;
	struct span span;
	enum binding_kind kind;
	const struct value *value;
	const struct code *code;             /* host code it belongs to */
	const struct microbatch_walk *micro; /* the `microbatch` it was made in; NULL: none */
	struct binding *next;
};
struct scope {
	struct scope *outer; /* NULL: a function's outermost scope */
	struct binding *bindings;
};

void env_push(struct elab *e);
void env_pop(struct elab *e);
struct binding *env_bind(struct elab *e, struct name name, enum binding_kind kind, const struct value *v);
struct binding *env_find(struct elab *e, const char *name);

/* ---- the walk itself (elaborate.c) ---- */

/* A function being inlined. */
/* A loop whose body is walked. */
struct loop_walk {
	struct loop_walk *outer;
	int depth; /* the frame's runtime_depth in its body */
	bool host; /* a loop of the running program; of the graph; else walked turn by turn */
	bool graph;
	bool unknown; /* walked turn by turn, and the running program decides about a `break` */
	bool ends; /* a `break` that is known to be reached was met */
	int done;  /* walked turn by turn, each in a loop of its own that runs once: variable that is true once `break`
		      was reached; -1 */
};

struct frame {
	struct frame *outer;
	struct item *item;          /* NULL: main, a test, an initialiser */
	const struct value *result; /* set by return */
	bool returned;
	int runtime_depth;      /* run-time branches and loops that are open in this frame */
	struct loop_walk *loop; /* the innermost that `break` leaves; NULL: none */
	bool left;              /* by `break` or `continue`: the rest of the block is not reached */
	const char *like;       /* name of the param that `each` stands at, for names of states; NULL outside */
};

/* Host code under construction: statements are appended at tail. */
struct code {
	struct host_function *fn;
	struct host_stmt **tail;
	VEC(int) assigned; /* variables that are set more than once */
};

struct region_build;
struct tensor;

struct elab {
	struct session *s;
	struct arena *a;
	struct program_ast *ast;
	struct program *p;
	struct module *module; /* of the code being walked */
	struct scope *scope;
	struct frame *frame;
	const struct call_site *call;
	const struct call_site *op_call; /* the call of the op whose body is being read, for messages; NULL: none */
	struct code *code;
	struct region_build *region; /* the open one, or NULL */
	VEC(struct region_build *) regions;
	VEC(struct tensor *) numbers; /* host numbers that graphs compute, by HOST_NUMBER */
	struct code *init_code;
	struct region_build *init_region;
	bool takes_auto; /* a layout is being read that may be `auto` */
	const struct place *world, *fallback_place;
	int64_t source_ranks;         /* before folding */
	struct map item_values;       /* item -> value; being evaluated: &value_error */
	struct map places;            /* interned text of a placement -> struct place */
	struct map states;            /* interned name of a function's state -> struct state_entry */
	const struct expr *statement; /* the last expression met that is a statement: what it gives is not used */
	const char *param_name; /* set while an initialiser is walked: qualified name, shape and dtype to fill in */
	const struct shape *param_shape;
	enum dtype param_dtype;
	const struct remat *remat;         /* the innermost that is being walked */
	int grad_depth;                    /* > 0 while a function is walked to be differentiated */
	struct microbatch_walk *micro;     /* the micro-batch whose body is walked; NULL: none */
	int nmicrobatches;                 /* blocks met so far */
	struct notation *notations;        /* not in use (notation.h) */
	const struct notation *notation;   /* whose factors `extent(k)` asks of in a size; NULL outside positions */
	const struct gradient_entry *each; /* what the innermost `each` stands at */
	struct span library_call;          /* the last one that a message from inside was about */
	int depth;                         /* of nested expressions */
	int steps;                         /* expressions walked so far */
	int checkpoints;                   /* met so far */
	int stops;                         /* places met so far where the program asks whether it was told to end */
	int loops;                         /* loops of the running program around this place */
	bool scalar_mode; /* inside the body of an op called on host scalars: exp, max and so on mean the scalar
			     functions */
};

/* Ready to walk: placements are known, nothing else has been looked at. */
struct elab *elab_new(struct program_ast *ast);
/* Whether the code being walked is the prelude's or a std module's. */
bool elab_in_library(const struct elab *e);
/* Whether that is written there. */
bool elab_is_of_library(const struct elab *e, struct span at);
/* Counts n steps; false, after one message, when there were too many. */
bool elab_step(struct elab *e, int n, struct span at);
/* The site of nodes made for an expression. */
struct node_site elab_site(struct elab *e, struct span span);
/* Index into program.sites for run-time messages. */
int elab_site_id(struct elab *e, struct span span, const char *what);
/* A message. Of those from inside one call of the library only the first is told, at the call: the others follow from
 * it. */
struct diag *elab_error(struct elab *e, enum diag_code code, struct span at, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The function that the user has called: `own`, or where library code is walked, the function of the library that the
 * program calls. */
const char *elab_called(const struct elab *e, const char *own);
/* A label; where it would point into the library, a note without a place. */
void elab_label(struct elab *e, struct diag *d, struct span at, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The edit that converts the expression at `at`: " as f32" behind it, with parentheses where it is more than a name or
 * call. */
void elab_edit_as(struct elab *e, struct diag *d, struct span at, enum dtype t);
/* The edit that puts a text behind the expression at `at`, in the user's files only; around: what stands there goes in
 * brackets together with it. */
void elab_edit_behind(struct elab *e, struct diag *d, struct span at, const char *text, bool around);
/* "not supported yet", with the feature's name. */
const struct value *elab_unsupported(struct elab *e, struct span at, const char *what);
const char *elab_intern(struct elab *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The item called name: in the module of the code being walked, else in the prelude; NULL if there is none. */
struct item *elab_item(struct elab *e, const char *name);
struct item *elab_prelude(struct elab *e, const char *name);
/* Name for users: without the module for the main file and the prelude, else "optim.sgd". */
const char *elab_qualified(struct elab *e, const struct item *item);

/* ---- items (item.c, place.c, slot.c) ---- */

const struct value *item_value(struct elab *e, struct item *item, struct span use);
const struct value *place_eval(struct elab *e, const struct expr *x);
/* Whether the value of x, which stands behind `@`, is a placement; a message if not. */
bool place_is_one(struct elab *e, const struct expr *x, const struct value *v);
const struct value *place_index(struct elab *e, const struct place *p, const struct expr *x);
void place_collect(struct elab *e);
const struct place *place_intern(struct elab *e, const struct place *p);
/* The placement as compiled for fewer ranks: rank r becomes r * ranks / total, each rank once. Axes get shorter, the
 * inner ones first; where the ranks left do not fill a grid that is no longer on any axis, the last of them are not
 * used. */
const struct place *place_fold(struct elab *e, const struct place *p, int64_t ranks, int64_t total);
int slot_new(struct elab *e, const struct slot *like);
const struct value *slot_of_item(struct elab *e, struct item *item);
/* A param or state of a type: a slot, or a struct or list of them with names of their own, "blocks.0.w". */
const struct value *slot_declare(struct elab *e, const struct type *t, enum slot_class class, const char *name,
				 struct span at, const struct expr *init, struct module *m);
/* A struct of params: one slot per field. */
const struct value *struct_declare(struct elab *e, const struct type *t, enum slot_class class, const char *name,
				   struct span at);
/* Makes the initialiser's value in the init code and gives it to the slot. */
void slot_initialise(struct elab *e, int slot, const struct expr *init, struct module *m);

/* ---- types (types.c, unify.c) ---- */

/* A compile-time size; false after an error. */
bool size_eval(struct elab *e, const struct expr *x, int64_t *out);
bool layout_combiner(struct elab *e, struct name name, uint8_t *out);
bool layout_resolve(struct elab *e, const struct ast_layout *l, const struct place *p, int rank,
		    struct layout_spec *out);
/* Element type by name: a dtype, or a dtype parameter in scope; DT_COUNT after an error. */
enum dtype dtype_resolve(struct elab *e, struct name name);
/* A declared tensor type without open sizes. place NULL and layout INFER where left out. */
struct tensor_type {
	enum dtype dtype;
	struct shape shape;
	const struct place *place;
	struct layout_spec layout;
};
bool type_resolve(struct elab *e, const struct type *t, struct tensor_type *out);

/* Binds one argument to a declared type: generics of `item` not bound yet are bound in the current scope. Gives the
 * value as the function sees it (host numbers converted, contracts added). what: "parameter `x` of `forward`". */
const struct value *unify_value(struct elab *e, struct item *item, const struct type *t, const struct value *v,
				struct span at, const char *what);

/* An unfinished tensor passes into or out of a user's function only where the signature says so. */
const struct value *unify_boundary(struct elab *e, const struct value *v, struct span at, const char *what,
				   struct span where);

/* Walks a function that nothing has called with arguments as it declares them, if it declares all (uncalled.c). */
void walk_uncalled(struct elab *e, struct item *f);

/* ---- layouts left out (open.c) ---- */

/* Lists an open layout of the program; *l becomes what --variant forces there, if it does. */
void open_layout(struct elab *e, const char *name, const struct place *p, const struct shape *s, struct layout_spec *l);
/* The same for what says `auto`, of a slot or value of that name; false after an error, where nobody searches. */
bool open_auto(struct elab *e, const char *of, const struct place *p, const struct shape *s, struct layout_spec *l);
/* "12:30" in the main file, else NULL. */
const char *open_place_name(struct elab *e, struct span at);

/* ---- expressions ---- */

struct arguments;

const struct value *expr_eval(struct elab *e, const struct expr *x);
const struct value *expr_name(struct elab *e, const struct expr *x);
/* The gradient of the param `name`, or of all that begin with `name.` */
const struct value *gradient_part(struct elab *e, const struct value *g, const char *name, struct span at);
const struct value *expr_field(struct elab *e, const struct expr *x);
const struct value *expr_unary(struct elab *e, const struct expr *x);
const struct value *expr_binary(struct elab *e, const struct expr *x);
/* "+" for the prelude's `add`, else the name itself. */
const char *binary_sign(const char *op);
/* Reports `/` between ints of tensors. left, right: operands to convert, NULL for those that are literals. */
void elab_int_quotient(struct elab *e, struct span at, enum dtype t, const struct span *left, const struct span *right);
/* The value of `extent(k)` of a factor k; NULL if the call is another one. */
const struct value *notation_extent(const struct notation *n, const struct expr *call);
const struct value *binary_apply(struct elab *e, enum binary_op op, const struct value *l, const struct value *r,
				 struct span at, struct span lspan, struct span rspan);
/* Of what only the compiler knows: placements, element types, shapes, layouts, none. */
bool value_is_same(const struct value *l, const struct value *r);
/* Shapes, lists and tuples (-1: something else): `==`, and `+` of lists and shapes, which joins them to a list. */
int sequence_length(const struct value *v);
bool sequence_joins(const struct value *v);
const struct value *sequence_equal(struct elab *e, const struct value *l, const struct value *r, struct span at);
const struct value *sequence_joined(struct elab *e, const struct value *l, const struct value *r, struct span at);
const struct value *unary_apply(struct elab *e, enum unary_op op, const struct value *v, struct span at);
/* A scalar function of host values: computed now where they are known, else by the host where it can. */
const struct value *scalar_on_host(struct elab *e, enum scalar_fn fn, const struct arguments *args);
const struct value *expr_index(struct elab *e, const struct expr *x);

/* ---- indices that only the running program knows (checked.c) ---- */

/* Whether v can be an index of elements: a host int, or a tensor of ints. */
bool value_is_index(struct elab *e, const struct value *v);
/* v as `v?` is: what it names outside is left out, nothing is checked. */
const struct value *value_that_may_miss(struct elab *e, const struct value *v);
const struct value *expr_maybe(struct elab *e, const struct expr *x);
/* "dimension 0 of `w` has 8 elements"; inside the library, and where no tensor is named, what the op or function that the
 * program calls takes. of: a tensor's name, or NULL. */
const char *check_range(struct elab *e, const char *of, int dim, int64_t extent);
/* The indices, each of which is below extent or ends the program; wraps: or at least -extent and counts from the end,
 * then i64. at: what is indexed. */
struct node *check_indices(struct elab *e, struct node *x, int64_t extent, bool wraps, const char *range,
			   struct span at);
/* Whether the program was told to end. */
struct host_expr *host_stopping(struct elab *e, struct span at);
/* text[i]: a byte, as an int. */
const struct value *text_index(struct elab *e, const struct value *text, const struct expr *x);
/* Pieces of `x[i, 1..5, ..]` (index.c). Known positions and ends of ranges count from the end where they are negative;
 * false after an error. rest: how many dimensions each `..` stands for. */
/* Which of count elements x names, an index of one. */
bool index_position(struct elab *e, const struct expr *x, int64_t count, int64_t *out);
bool index_known(struct elab *e, int64_t i, int dim, int64_t extent, struct span at, int64_t *out);
bool index_range_of(struct elab *e, const struct expr *x, int dim, int64_t extent, int64_t *begin, int64_t *end);
bool index_is_rest(const struct arg *a);
bool index_count(struct elab *e, const struct expr *x, const struct shape *s, int *rest);
/* The tensor with the elements that x = `t[..]` names replaced by v: a tensor of their shape, or one number for all. */
const struct value *index_update(struct elab *e, const struct value *t, const struct expr *x, const struct value *v,
				 struct span at);
/* v at those elements, elsewhere what op leaves alone: so `t[..] += v` is `t + index_neutral`, and no element is read.
 */
const struct value *index_neutral(struct elab *e, const struct value *t, enum binary_op op, const struct expr *x,
				  const struct value *v, struct span at);
const struct value *expr_to(struct elab *e, const struct expr *x);
const struct value *expr_as(struct elab *e, const struct expr *x);
const struct value *expr_if(struct elab *e, const struct expr *x);
const struct value *expr_each(struct elab *e, const struct expr *x);
const struct value *expr_call(struct elab *e, const struct expr *x);
/* A block in the one being walked, to be entered; from now on nodes stand in `block` (NULL: in none). */
const struct remat *remat_new(struct elab *e);
void remat_enter(struct elab *e, const struct remat *block);
const struct value *expr_remat(struct elab *e, const struct expr *x);

/* Evaluated arguments of a call. */
struct argument {
	const char *name; /* NULL: by position */
	const struct value *value;
	const struct ast_layout *layout;
	const struct expr *expr; /* NULL: supplied by the compiler */
	struct span span;
};
struct arguments {
	struct span span; /* of the call */
	VEC(struct argument) at;
};
bool arguments_eval(struct elab *e, const struct expr *call, struct arguments *out);
void arguments_push(struct elab *e, struct arguments *a, const char *name, const struct value *v, struct span at);
const struct value *call_value(struct elab *e, const struct value *f, struct arguments *args);
/* Calls an op or fn of the prelude by name. */
const struct value *call_prelude(struct elab *e, const char *name, struct span at, int n, const struct value *const *v,
				 const struct span *spans);
const struct value *call_function(struct elab *e, struct item *item, struct arguments *args);
/* Distributes arguments over n parameters; slots[i] is NULL where one was not given. False after an error. */
bool arguments_match(struct elab *e, const struct arguments *args, const char *callee, const struct param *params,
		     int n, const struct argument **slots);
const struct value *gradient_call(struct elab *e, const struct derived *d, struct arguments *args);

/* v as the derivative by the param of a slot: a tensor of its shape, where the param is; value_error after a message. */
const struct value *gradient_fit(struct elab *e, const struct value *v, int slot, struct span at);
/* Gradients are added and subtracted, multiplied and divided by numbers; negated. */
bool gradient_has(enum binary_op op, const struct value *l, const struct value *r);
const struct value *gradient_binary(struct elab *e, enum binary_op op, const struct value *l, const struct value *r,
				    struct span at, struct span ls, struct span rs);
const struct value *gradient_unary(struct elab *e, enum unary_op op, const struct value *g, struct span at);
/* entry's gradient again, from a node that is not in its param's layout yet. */
const struct value *gradient_entry_value(struct elab *e, const struct gradient_entry *entry, struct node *g,
					 struct span at);

/* ---- micro-batches (microbatch.c) ---- */

const struct value *expr_microbatch(struct elab *e, const struct expr *x);
/* What a name of a variable means in the body of a `microbatch`: the micro-batch's part of what comes from outside. v
 * without one. */
const struct value *microbatch_outside(struct elab *e, const struct binding *b, const struct value *v, struct span at);
/* A random key made in the body: one for each micro-batch. */
const struct value *microbatch_key(struct elab *e, const struct value *key, struct span at);
/* True after an error, if a body is walked: what cannot stand there. */
bool microbatch_refuses(struct elab *e, struct span at, const char *what);
/* False after an error: the body assigns what is declared outside. */
bool microbatch_may_assign(struct elab *e, const struct binding *b, struct span at);
/* Marks nodes made from now on as the micro-batch's, if a body is walked. */
void microbatch_site(const struct elab *e, struct node_site *site);

/* ---- index notation (notation*.c) ---- */

const struct value *notation_op(struct elab *e, struct item *op, struct arguments *args);
const struct value *notation_let(struct elab *e, const struct pattern *out, const struct expr *body, struct span at);

/* ---- datasets (builtin_data.c) ---- */

/* `dataset as (u8[_, 784], u8[_])`. */
const struct value *data_claim(struct elab *e, const struct value *v, const struct expr *x);
/* The fields of the current batch, as unplaced tensors; handle: the host variable of the batches. */
const struct value *data_batch(struct elab *e, const struct batches *b, int handle, struct span at);

/* ---- names in files (file_names.c) ---- */

/* The value of a `names` block. */
const struct value *file_names_item(struct elab *e, struct item *item);

/* ---- built-ins ---- */

int builtin_find(const char *name); /* -1: none */
const char *builtin_name(int b);
const struct value *builtin_call(struct elab *e, int b, struct arguments *args);

/* ---- statements (stmt.c, assign.c, control.c) ---- */

void stmt_block(struct elab *e, const struct stmt *first);
/* A block that is an expression: the value of its last statement, if that is one. */
const struct value *block_value(struct elab *e, const struct stmt *first);
void stmt_eval(struct elab *e, const struct stmt *s);
void stmt_for(struct elab *e, const struct stmt *s);
void stmt_each(struct elab *e, const struct stmt *s);
void stmt_while(struct elab *e, const struct stmt *s);
void stmt_if(struct elab *e, const struct stmt *s);
void stmt_every(struct elab *e, const struct stmt *s);
/* Whether the statements may leave the loop that they are the body of. */
bool stmt_may_break(const struct stmt *first);
/* One turn of a `for`, with v for its variable. */
void stmt_turn(struct elab *e, const struct stmt *s, const struct value *v);
void stmt_assign(struct elab *e, const struct stmt *s);
/* The x of `x[i].w = v`: what such an assignment changes. */
const struct expr *assigned_root(const struct expr *target);
void pattern_bind(struct elab *e, const struct pattern *p, enum binding_kind kind, const struct value *v,
		  struct span at);
/* A tensor that is computed here gets the name it is bound to; names of the library would say nothing to the user. */
const struct value *binding_named(struct elab *e, const struct value *v, const char *name);
/* What a variable holds: the tensor as it is now, not the param it was read from. */
const struct value *value_snapshot(struct elab *e, const struct value *v, struct span at);
/* A shape comes apart like the list of its sizes. */
const struct value *value_sizes(struct elab *e, const struct value *v);
void binding_assign(struct elab *e, struct binding *b, const struct value *v, struct span at);

/* ---- host code (host_code.c) ---- */

struct host_expr *host_of(struct elab *e, const struct host_value *h);
struct host_expr *host_apply(struct elab *e, enum host_op op, enum host_type t, struct host_expr *x,
			     struct host_expr *y, struct span at);
struct host_expr *host_call(struct elab *e, const char *function, enum host_type t, struct span at, int n,
			    struct host_expr *const *args);
struct host_expr *host_int(struct elab *e, int64_t v);
struct host_expr *host_text(struct elab *e, const char *s);
struct host_expr *host_text_of_bool(struct elab *e, struct host_expr *x); /* "true" or "false" */
struct host_expr *host_var(struct elab *e, enum host_type t, int var);
struct host_expr *host_slot(struct elab *e, int slot, struct span at); /* the data of a slot */
int host_new_var(struct elab *e, const char *name, enum host_type t);
struct host_stmt *host_emit(struct elab *e, enum host_stmt_kind kind, struct span at);
void host_set(struct elab *e, int var, struct host_expr *x, struct span at);
void host_eval(struct elab *e, struct host_expr *x, struct span at);
/* A value that reads the same whenever it is used: constants and variables that are never assigned again stay, all else
 * is stored in a fresh variable now. */
const struct value *host_freeze(struct elab *e, const struct value *v, const char *name, struct span at);
/* int to float; the same value if it is one already. */
const struct value *host_to_float(struct elab *e, const struct value *v);
/* Statements emitted until host_leave go to *body. */
struct host_stmt **host_enter(struct elab *e, struct host_stmt **body);
void host_leave(struct elab *e, struct host_stmt **outer);

/* ---- host numbers that a graph computes (number.c) ---- */

/* The host value that scalar n, i64, f64, bool or u64, stands for. */
const struct value *number_value(struct elab *e, enum host_type t, struct node *n);
bool number_in(const struct host_expr *x);
bool value_is_of_graph(const struct value *v);
/* The element type that keeps all of a host type; DT_COUNT: none does. */
enum dtype number_dtype(enum host_type t);
/* v as a scalar of type t. */
struct node *number_node(struct elab *e, const struct value *v, enum dtype t, struct span at);
/* host_freeze of such a number. */
const struct value *number_freeze(struct elab *e, const struct value *v, struct span at);
/* v, or as a tensor if a graph computes it. */
const struct value *number_as_tensor(struct elab *e, const struct value *v, struct span at);
/* False after an error: host code would read such a number. */
bool number_stays(struct elab *e, const struct host_expr *x, struct span at);
/* v is first + step * t in turn t of a loop of the open region. */
struct number_line {
	struct loop *loop;
	int64_t first, step;
};
bool number_is_line(const struct elab *e, const struct value *v, struct number_line *out);
/* v in that turn of a loop of the open region, which it depends on and on nothing else; NULL: that is not so, or it is
 * no int64. */
struct loop *number_in_turn(const struct elab *e, const struct value *v, int64_t turn, int64_t *out);

/* ---- values of several tensors and numbers (parts.c) ---- */

struct parts {
	VEC(const struct value *) at;
};
/* A tensor, or a number, bool or key of the host. A tuple, list, struct or gradient. */
bool value_is_part(const struct value *v);
bool value_is_composed(const struct value *v);
/* Appends the parts of v in order; v with others in their place. */
void parts_collect(struct elab *e, const struct value *v, struct parts *out);
const struct value *parts_replaced(struct elab *e, const struct value *v, const struct parts *with);
/* A struct, tuple or list with x as its member i. */
const struct value *parts_with_member(struct elab *e, const struct value *v, int i, const struct value *x);
/* Whether the two differ in their parts at most. */
bool parts_alike(const struct value *a, const struct value *b);
/* v with params as the tensors that they are now, and host values as they are now. */
const struct value *parts_now(struct elab *e, const struct value *v, struct span at);

/* ---- loops and branches in graphs (graph_loop.c, arm.c, carried.c, trial.c) ---- */

/* Whether what the running program decides here becomes part of the graph. */
bool graph_loop_wanted(const struct elab *e);
/* Whether a loop of known turns may become part of the graph too. */
bool graph_loop_kept(const struct elab *e);
/* True after an error, if the body of such a loop or branch is walked: what cannot stand there. */
bool graph_loop_refuses(struct elab *e, struct span at, const char *what);
/* A condition: a bool of the host, or a tensor of one; value_error after a message. */
const struct value *graph_condition(struct elab *e, const struct expr *x);
/* c: such a condition that is not known. */
void graph_branch(struct elab *e, const struct stmt *s, const struct value *c);
void graph_loop_range(struct elab *e, const struct stmt *s, const struct value *from, const struct value *to);
/* The same of a range that is known, or a list. False: nothing has been done, the turns differ in more than the graph can
 * say. */
bool graph_loop_tried(struct elab *e, const struct stmt *s, const struct value *v);
void graph_loop_while(struct elab *e, const struct stmt *s);
/* `break` or `continue` of the innermost loop. */
void graph_loop_leave(struct elab *e, bool breaks);
/* What they assign is carried too. */
struct carried_set;
void graph_loop_flags(struct elab *e, struct carried_set *carried, bool breaks, struct span at);
/* True if what was walked may have left the turn: then the rest of the block has been walked, as a branch. */
bool graph_loop_rest(struct elab *e, const struct stmt *rest);

/* x[.., i, ..], i at dimension d, where i counts turns and names a line in all of them; NULL: it does not. */
struct node *line_of_tensor(struct elab *e, struct node *x, int d, const struct value *i, struct span at);
/* list[i] alike, where the elements differ in tensors and numbers only. */
const struct value *line_of_list(struct elab *e, const struct value *list, const struct value *i, struct span at);

/* An arm has been walked, its nodes are those from number `from` on: all that stands in it is put into the loop. Behind
 * the arm what was carried into it for that goes on as it was. */
struct arm;
struct arm *arm_close(struct elab *e, struct loop *l, int from);
void arm_end(struct elab *e, const struct arm *a);

/* A point of the walk, and back to it, as if nothing had been walked since: nodes, assignments, host code and messages
 * are forgotten. In between the region stays open. */
struct trial;
const struct trial *trial_begin(struct elab *e);
void trial_back(struct elab *e, const struct trial *t);
const struct region_mark *trial_mark(const struct trial *t);

/* What turns of a loop hand on to each other: the variables that its body assigns, and slots. */
struct carried_set *carried_by(struct elab *e, const struct stmt *first, const struct stmt *second);
/* One more variable. */
void carried_add(struct elab *e, struct carried_set *c, const char *name, struct span at);
/* Enters l: until carried_end the variables stand for what is carried. */
void carried_begin(struct elab *e, struct carried_set *c, struct loop *l, struct span at);
/* After a walk of the body: whether all is what carried_begin took it to be. If not, it knows better now, and the body
 * is to be walked again. False too after an error, which sets *failed. */
bool carried_fits(struct elab *e, struct carried_set *c, const struct trial *before, bool *failed);
/* Leaves the loop: the variables hold what the last turn left, those that no turn changes what they held before. True
 * if turns hand on host numbers. */
bool carried_end(struct elab *e, struct carried_set *c, struct span at);
/* After an error: nothing is known of the variables. */
void carried_fail(struct carried_set *c);

/* ---- regions (region.c, tensor.c) ---- */

struct tensor {
	struct node *node;
	struct region_build *home; /* whose graph it is in */
};

struct graph *region_graph(struct elab *e); /* of the open region; opens one */
void region_close(struct elab *e);
int region_argument(struct elab *e, const struct host_value *h, struct span at);
/* The batches handle in host variable var as an argument. */
int region_handle(struct elab *e, int var, struct span at);
struct node *region_slot_read(struct elab *e, int slot, struct span at);
void region_slot_write(struct elab *e, int slot, struct node *n, struct span at);
/* A function is walked to be differentiated: until the end it reads params anew, one inside of another by way of the
 * outer one's reads. */
void region_derivative_begin(struct elab *e);
void region_derivative_end(struct elab *e);
/* This point of the region, and back to it: what was assigned or put behind the region in between is forgotten. */
struct region_mark;
const struct region_mark *region_mark(struct elab *e);
void region_back(struct elab *e, const struct region_mark *m);
/* Whether n stands for a param or state wherever that is read now. */
bool region_is_read(const struct elab *e, const struct node *n);
/* The slots that were assigned since; at most max. */
int region_assigned(struct elab *e, const struct region_mark *m, int *slots, int max);
/* The host evaluates call once the open region is done, in the order of these calls; n, if not NULL, is whole on all
 * ranks there and becomes the last argument. */
void region_behind(struct elab *e, struct host_expr *call, struct node *n, struct span at);
bool region_has_behind(const struct elab *e);
/* Brings a scalar to the host: closes the region. */
const struct value *region_read(struct elab *e, const struct value *v, struct span at);
/* The same after checks: a scalar, not inside a function that is differentiated. */
const struct value *read_scalar(struct elab *e, const struct value *v, struct span at);
void region_finish(struct elab *e);
/* Makes the loops of main count steps, and end with them; behind region_finish. */
void steps_mark(struct elab *e);
bool region_writes(struct elab *e); /* the open region has assigned a slot */
/* The slots that the derivative which is being made has read, and what it reads of them; at most max. */
int region_reads(struct elab *e, int *slots, struct node **nodes, int max);

const struct value *tensor_value_of(struct elab *e, struct node *n);
/* The node of a tensor or param in the open region. */
struct node *tensor_node(struct elab *e, const struct value *v, struct span at);
/* Static facts, without touching the region. */
enum dtype tensor_dtype(struct elab *e, const struct value *v);
const struct shape *tensor_shape(struct elab *e, const struct value *v);
const struct place *tensor_place(struct elab *e, const struct value *v);
/* A number as a scalar node of type t. */
struct node *tensor_of_host(struct elab *e, const struct value *v, enum dtype t, struct span at);
/* literal.c: lists that may be tensors; the tensor, of elements t, or value_error after an error; the elements that fit
 * its numbers. */
bool value_is_list(const struct value *v);
const struct value *literal_tensor(struct elab *e, const struct value *v, enum dtype t, struct span at);
enum dtype literal_natural_type(struct elab *e, const struct value *v);
/* A node under the name of another placement of the same ranks, which moves nothing. */
struct node *tensor_adopt(struct elab *e, struct node *n, const struct place *p, struct span at);
/* Brings placed nodes to one placement; false after an error. edits: a `to` may be written at the spans. */
bool tensor_same_place(struct elab *e, int n, struct node **nodes, const struct span *spans, struct span at,
		       bool edits);
/* A slot in which host code finds a node of a region behind that region's end. */
int tensor_slot(struct elab *e, struct region_build *home, struct node *n, struct span at);
/* Keeps a tensor in a slot from here on, for variables that outlive the region. */
int tensor_keep(struct elab *e, const struct value *v, const char *name, struct span at);

#endif
