/* elab.h — the state of one elaboration and what its files offer each other.
 *
 * main, every test and every initialiser are walked once, functions being walked anew at each call with their sizes,
 * dtypes, placements and layouts bound. Host effects are appended to the current host code; tensor operations go to the
 * graph of the open region. The order of the sections below is the order of the data flow. */
#ifndef PML_ELAB_H
#define PML_ELAB_H

#include "../../compiler.h"
#include "../../autodiff/autodiff.h"
#include "value.h"

#include "base/diag.h"

/* Bounds that no sensible program meets: depth of calls and expressions, turns of a loop that is unrolled, expressions
 * walked in all (an operator counts as STEPS_PER_OP), so that every program ends. */
enum { MAX_CALL_DEPTH = 100, MAX_EXPR_DEPTH = 3000, MAX_UNROLLED = 4096, MAX_STEPS = 4000000, STEPS_PER_OP = 40 };

/* ---- names in scope (env.c) ---- */

enum binding_kind {
	BIND_LET,   /* fixed */
	BIND_VAR,   /* assignable while elaborating: value is replaced */
	BIND_HOST,  /* a variable of host code: value is a HOST_VAR expression, assignment emits HOST_SET */
	BIND_SLOT,  /* a tensor variable that outlives regions: value is a VALUE_PARAM of a slot of class VALUE */
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

/* What the arguments of the call that is walked see. */
struct caller {
	const struct scope *scope;
	const struct module *module;
};

void env_push(struct elab *e);
void env_pop(struct elab *e);
struct binding *env_bind(struct elab *e, struct name name, enum binding_kind kind, const struct value *v);
struct binding *env_find(struct elab *e, const char *name);

/* What a function is left with in branches and loops that the running program decides: whether it has been left, and
 * what it gives then, value_nothing as long as nothing has been given. Variables of its outermost scope, by names that
 * no program can write; only functions have them that return in a branch or loop. */
#define HIDDEN_LEFT  "function is left"
#define HIDDEN_GIVEN "function gives"
struct binding *env_hidden(struct elab *e, const char *name); /* NULL: there is none */

/* ---- the walk itself (elaborate.c) ---- */

/* A loop whose body is walked. */
struct loop_walk {
	struct loop_walk *outer;
	int depth; /* the frame's runtime_depth in its body */
	bool host; /* a loop of the running program; of the graph; else walked turn by turn */
	bool graph;
	bool unknown; /* walked turn by turn, and the running program decides about a `break` */
	bool ends;    /* a `break` that is known to be reached was met */
	int done; /* walked turn by turn, each in a loop of its own that runs once: variable that is true once `break`
		     was reached; -1 */
	const struct stmt *stmt;    /* walked turn by turn: the loop; else NULL */
	const struct value *turn;   /* what the turn is for */
	int64_t every;              /* walked turn by turn: turns in a block that is computed again; 0: in none */
	int64_t turns;              /* … those begun so far */
	const struct remat *around; /* these blocks */
};

/* A function being inlined. */
struct frame {
	struct frame *outer;
	struct item *item;          /* NULL: main, a test, an initialiser */
	const struct value *result; /* set by a `return` that is known to be reached */
	bool gave_nothing;          /* a `return` without a value was met that the running program may reach */
	bool returned;              /* what follows here is not reached: the function has been left, on all ways */
	int runtime_depth;          /* run-time branches and loops that are open in this frame */
	struct loop_walk *loop;     /* the innermost that `break` leaves; NULL: none */
	bool left;                  /* by `break` or `continue`: the rest of the block is not reached */
	const struct value **given; /* called by itself: what its parameters are; else NULL */
	int alike;        /* … calls around it, one in the other, that were given what is known to be alike */
	const char *like; /* name of the param that `each` stands at, for names of states; NULL outside */
};

/* Whether what is walked may never come: a turn behind one in which the running program may have left the loop, or
 * what counts only where a guard holds. What is known to be wrong there with ints is for the running program to tell.
 */
bool elab_may_never_come(const struct elab *e);

/* A function that calls itself without end, as was told; errors: how many there were then. A trial that is taken back
 * takes messages back, too. */
struct endless {
	const struct item *item;
	int errors;
};

/* A bool of the running program that holds, or does not, where what is being walked counts: the right side of `&&` and
 * `||`, an arm of a choice. There nothing is asked of ints else (region/check.c). */
struct guard {
	const struct guard *outer;
	const struct value *condition;
	bool holds;
	struct span at;
};

/* A loop that is walked as one, to see whether it can stay one. */
struct tried {
	struct tried *outer;
	const struct item *item; /* the function that it stands in; NULL: none */
	bool again;              /* inside the walk that function called itself too deep */
};

/* Host code under construction: statements are appended at tail. */
struct code {
	struct host_function *fn;
	struct host_stmt **tail;
	VEC(int) assigned; /* variables that are set more than once */
};

struct region_build;
struct tensor;

/* What differed first between values that turns of a loop take. */
struct unlike {
	const char *why; /* NULL: nothing did */
	const struct loop *loop;
	int64_t turn; /* the first that takes another than turn 0; 0: none, they differ in their parts */
	struct span where;
};

struct elab {
	const struct evaluator *evaluator;
	struct session *s;
	struct arena *a;
	struct program_ast *ast;
	struct program *p;
	struct module *module; /* of the code being walked */
	struct scope *scope;
	struct caller caller;
	struct frame *frame;
	const struct call_site *call;
	const struct call_site *op_call; /* the call of the op whose body is being read, for messages; NULL: none */
	struct code *code;
	struct region_build *region; /* the open one, or NULL */
	VEC(struct region_build *) regions;
	VEC(struct tensor *) numbers; /* host numbers that graphs compute, by HOST_NUMBER */
	struct unlike unlike;         /* of the loop that is tried */
	struct map updates;           /* what `x[i] = v` made of x, by the turn -> struct turn_update */
	struct code *init_code;
	struct region_build *init_region;
	bool takes_auto; /* a layout is being read that may be `auto` */
	const struct place *world, *fallback_place, *home_place;
	const struct place *opened_place; /* options.opened: where all is that says nothing else; NULL */
	int64_t source_ranks;             /* before folding */
	struct map item_values;           /* item -> value; being evaluated: &value_error */
	struct map places;                /* interned text of a placement -> struct place */
	struct map declared;              /* interned name of a param of several: its struct or list */
	struct map states;                /* interned name of a function's state -> struct state_entry */
	struct map everies;   /* interned place of an `every` -> number of the slot or variable that counts */
	VEC(int) every_slots; /* those that one counts in */
	struct map of_data;   /* node -> whether it is on no rank but for a `to` of a search (open.c) */
	struct map opens;     /* interned name of a layout the source leaves out -> its number in program.open */
	const struct expr *statement; /* the last expression met that is a statement: what it gives is not used */
	const struct expr *unread;    /* the same, but for the last of a block, which is the value of that */
	int effects; /* grows with all that is done but to compute: assigned, shown, checked, asked of the host */
	const char *param_name; /* set while an initialiser is walked: qualified name, shape and dtype to fill in */
	const struct shape *param_shape;
	enum dtype param_dtype;          /* DT_COUNT: what is converted or compared has its own */
	const struct value *param_key;   /* in place of the key that follows from its name; NULL: that */
	struct initials *later;          /* slots that are being declared get their first values later; NULL: at once */
	bool is_drawn;                   /* the initialiser has taken the key */
	bool is_initial_told; /* elements of a list before had a wrong initial value: those behind get none */
	const struct remat *remat;       /* the innermost that is being walked */
	enum dtype factors;              /* what products of f32 round their factors to (`mixed`); DT_F32: to nothing */
	int grad_depth;                  /* > 0 while a function is walked to be differentiated */
	int orders;                      /* how often what is walked will be differentiated at the most */
	int rule_depth;                  /* rules of `custom_jvp` that are being walked, one in the other */
	bool is_rule;                    /* what is walked is part of such a rule: of a derivative */
	int mapped;                      /* > 0 while a function is walked that `vmap` calls for each line */
	struct microbatch_walk *micro;   /* the micro-batch whose body is walked; NULL: none */
	struct list_turns *turns;        /* the loop over lists of params whose body is walked; NULL: none */
	int nmicrobatches;               /* blocks met so far */
	struct notation *notations;      /* not in use (notation_build.h) */
	const struct notation *notation; /* whose factors `extent(k)` asks of in a size; NULL outside positions */
	const struct gradient_entry *each; /* what the innermost `each` stands at */
	struct span library_call;          /* the last one that a message from inside was about */
	const struct guard *guard;         /* the innermost; NULL: what is walked counts as it is */
	int depth;                         /* of nested expressions */
	struct endless endless;            /* the last one; item NULL: none */
	struct tried *tried;               /* the innermost; NULL: none */
	int steps;                         /* expressions walked so far */
	int64_t computed;                  /* nodes of loops that were computed, for numbers behind them */
	int too_large;       /* number of errors when it was told that these are too many; 0: it was not */
	int checkpoints;     /* met so far */
	struct span resumed; /* a `resume` met so far; file 0: none */
	int stops;           /* places met so far where the program asks whether it was told to end */
	int loops;           /* loops of the running program around this place */
	bool scalar_mode;    /* inside the body of an op called on host scalars: exp, max and so on mean the scalar
				functions */
};

/* ---- what parts of a program mean (evaluate.c) ---- */

/* Evaluated arguments of a call. */
struct argument {
	const char *name; /* NULL: by position */
	const struct value *value;
	const struct ast_layout *layout;
	const struct expr *expr; /* NULL: supplied by the compiler */
	struct span span;
	struct span named; /* where the name stands, if the program gives it */
};
struct arguments {
	struct span span; /* of the call */
	VEC(struct argument) at;
	const char *called; /* what the program calls a function that stands for another; NULL: as it is called */
};

/* A size is an expression, an operator of tensors a function of the prelude, the body of a gradient a block: whoever
 * meets one has it evaluated through this table, which the top of the folder fills in. No room calls one above it in
 * another way. */
struct evaluator {
	const struct value *(*expr)(struct elab *e, const struct expr *x);
	const struct value *(*item)(struct elab *e, struct item *item, struct span use);
	const struct value *(*call)(struct elab *e, const struct value *f, struct arguments *args);
	void (*block)(struct elab *e, const struct stmt *first);
	const struct value *(*block_value)(struct elab *e, const struct stmt *first);
};

void arguments_push(struct elab *e, struct arguments *a, const char *name, const struct value *v, struct span at);
const struct value *item_value(struct elab *e, struct item *item, struct span use);
const struct value *expr_eval(struct elab *e, const struct expr *x);
const struct value *call_value(struct elab *e, const struct value *f, struct arguments *args);
/* Calls an op or fn of the prelude by name. */
const struct value *call_prelude(struct elab *e, const char *name, struct span at, int n, const struct value *const *v,
				 const struct span *spans);
/* The same of a built-in function that the prelude has a part of, which messages name instead. */
const struct value *call_prelude_as(struct elab *e, const char *called, const char *name, struct span at, int n,
				    const struct value *const *v, const struct span *spans);
void stmt_block(struct elab *e, const struct stmt *first);
/* A block that is an expression: the value of its last statement, if that is one. */
const struct value *block_value(struct elab *e, const struct stmt *first);

/* ---- messages and names (message.c) ---- */

/* Whether the code being walked is the prelude's or a std module's. */
bool elab_in_library(const struct elab *e);
/* Whether that is written there. */
bool elab_is_of_library(const struct elab *e, struct span at);
/* Counts n steps; false, after one message, when there were too many. */
bool elab_step(struct elab *e, int n, struct span at);
/* The site of nodes made for an expression. */
struct node_site elab_site(struct elab *e, struct span span);
/* Marks a node as the micro-batch's, if a body of one is walked. */
void elab_site_micro(const struct elab *e, struct node_site *site);
/* Index into program.sites for run-time messages. */
int elab_site_id(struct elab *e, struct span span, const char *what);
/* Of a place in the library the call of it in the user's own file. */
struct span elab_user_span(const struct elab *e, struct span span);
/* In a call of the library that is being walked: the turn of a loop over a list that the program wrote down as its
 * argument. False if this is none. */
struct looked_at {
	const struct call_argument *list;
	int turn;
	const char *name; /* what the loop calls the element */
};
bool elab_looks_at_element(const struct elab *e, const struct call_site *c, struct looked_at *out);
/* A message. Of those from inside one call of the library only the first is told, at the call: the others follow from
 * it. */
struct diag *elab_error(struct elab *e, enum diag_code code, struct span at, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The function that the user has called: `own`, or where library code is walked, the function of the library that the
 * program calls. */
const char *elab_called(const struct elab *e, const char *own);
/* To a message that v, which stands at `at`, is of the wrong sort: of a dataset, and of batches, how their rows are
 * had; of a name of a function, a layout or the like, which name of a value in scope is near. */
void elab_help_sort(struct elab *e, struct diag *d, const struct value *v, struct span at);
/* The same of an argument of the call that is walked. */
void elab_help_argument(struct elab *e, struct diag *d, const struct value *v, struct span at);
/* A label; where it would point into the library, a note without a place. */
void elab_label(struct elab *e, struct diag *d, struct span at, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The edit that converts the expression at `at`: " as f32" behind it, with parentheses where it is more than a name or
 * call. */
void elab_edit_as(struct elab *e, struct diag *d, struct span at, enum dtype t);
/* That edit, with the help that says so. */
void elab_help_as(struct elab *e, struct diag *d, struct span at, enum dtype t);
/* Of a known float without a fraction, 2.0, the help that ints are written 2, with the edit where it is written; false:
 * it is none. */
bool elab_help_whole(struct elab *e, struct diag *d, const struct value *v, struct span at);
/* Of a float of the host where an int is wanted: how it is one. */
void elab_help_int(struct elab *e, struct diag *d, const struct value *v, struct span at);
/* The same of both ends of a range. */
void elab_help_ints(struct elab *e, struct diag *d, const struct value *const *v, const struct span *at);
/* Elements of one type at `at` beside those of another one `there`. */
struct diag *elab_error_mixed(struct elab *e, enum dtype other, struct span there, enum dtype here, struct span at);
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
/* Says of a name, where it stands, that is none of the candidates which it is meant to be, or all it can be where these
 * are few; false if that is not said. it_has: "it has". */
bool elab_help_names(struct elab *e, struct diag *d, const char *name, struct span at, const char *const *candidates,
		     int n, const char *it_has);
/* Says what is meant by a name, and writes it in its place if that is where it stands, in the program. */
void elab_help_meant(struct elab *e, struct diag *d, const char *name, struct span at, const char *meant);

/* Whether a slot is what an `every` that was walked in a graph counts in. */
static inline bool elab_counts_every(const struct elab *e, int slot)
{
	for (int i = 0; i < e->every_slots.n; i++)
		if (e->every_slots.at[i] == slot)
			return true;
	return false;
}

/* ---- what statements do that is seen without walking them (written.c) ---- */

/* Whether the statements may leave the loop that they are the body of: by `break`; by `break` or `continue`, anywhere
 * or in a branch, of which only the running program may know whether it is taken. */
bool stmt_may_break(const struct stmt *first);
bool stmt_may_leave(const struct stmt *first, bool anywhere);
/* Whether a `return` stands in the statements; in a branch or loop of them. */
bool stmt_may_return(const struct stmt *first);
bool stmt_returns_inside(const struct stmt *first);
/* Whether the statement may end the block that it stands in, in part of the ways through it. */
bool stmt_may_end_block(const struct stmt *s);
/* The x of `x[i].w = v`: what such an assignment changes. */
const struct expr *assigned_root(const struct expr *target);

#endif
