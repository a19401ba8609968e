/* host.h — host code: what `main`, the tests and the initialisers do between regions, alike on every rank.
 *
 * A small typed tree: variables are numbered, loops are structured, effects are calls of runtime functions (rows of
 * runtime/abi.def) and region starts. Elaboration makes it, the backend compiles it. It is independent of roles. */
#ifndef PML_HOST_H
#define PML_HOST_H

#include "../op/scalar.h"

#include "base/session.h"
#include "base/text.h"

enum host_type {
	HOST_VOID,
	HOST_INT /* int64 */,
	HOST_FLOAT /* double */,
	HOST_BOOL,
	HOST_TEXT /* const char * */,
	HOST_KEY /* uint64 */,
	HOST_HANDLE /* void * of the runtime */
};

enum host_op {
#define HOST_OP(name, text, arity, fn) HOST_##name##_OP,
#include "host.def"
#undef HOST_OP
};
const char *host_op_text(enum host_op op);
int host_op_arity(enum host_op op);
/* The scalar function of host.def, or SC_FN_COUNT; and the first operation that has it: false if none does. */
enum scalar_fn host_op_function(enum host_op op);
bool host_op_of_function(enum scalar_fn fn, enum host_op *op);

/* The element type that keeps all of a host type: i64, f64, bool, u64; DT_COUNT: none does. */
enum dtype host_dtype(enum host_type t);

enum host_expr_kind {
	HOST_CONST, /* i, f or text by type */
	HOST_VAR,   /* variable `index` */
	HOST_APPLY, /* op over args; both sides have the same type, casts excepted */
	HOST_CALL, /* runtime function `function` of abi.def; `rt` is passed where its first parameter is the runtime */
	HOST_SELECT, /* args[0] ? args[1] : args[2] */
	HOST_SLOT,   /* address of this rank's storage of slot `index`: HOST_HANDLE */
	HOST_NUMBER, /* while elaborating only: scalar `index` of a graph (elaborate/region/number.c) */
};

struct host_expr {
	enum host_expr_kind kind;
	enum host_type type;
	struct span span;
	enum host_op op;
	int index; /* VAR, SLOT, NUMBER: which; CONVERT, FITS: the element type, enum dtype */
	int64_t i;
	double f;
	const char *text;
	const char *function; /* "print_int" */
	int nargs;
	struct host_expr *arg[10];
	const struct host_expr *is; /* while elaborating: what a variable was set to, of what never changes; NULL */
};

enum host_stmt_kind {
	HOST_SET,      /* variable `var` = expr */
	HOST_EVAL,     /* expr for its effect */
	HOST_IF,       /* expr ? body : other */
	HOST_WHILE,    /* while expr: body, then other. The expression is evaluated before each turn */
	HOST_BREAK,    /* leaves the innermost loop; the last of its block */
	HOST_CONTINUE, /* goes to what follows each turn of it; the last of its block */
	HOST_REGION,   /* run region `region` with args; its results go to the variables `results` */
};

struct host_stmt {
	enum host_stmt_kind kind;
	struct span span;
	struct host_stmt *next;
	struct host_expr *expr;
	int var;
	bool asks; /* WHILE: nothing but its condition ends it */
	struct host_stmt *body, *other;
	int region;
	VEC(struct host_expr *) args; /* by number of the region's argument; batches handles are HOST_HANDLE */
	VEC(int) results;             /* by number of the region's result; -1: not wanted */
};

struct host_var {
	const char *name; /* of the source, or NULL */
	enum host_type type;
	bool counts; /* the turns of a loop that is the running program's alone because it stands in no function */
};

/* One piece of host code: main, a test, the initialisers. Variables start as 0. */
struct host_function {
	const char *name;
	VEC(struct host_var) vars;
	struct host_stmt *body;
};

void host_print(struct text *t, const struct host_function *f);
/* Whether the runtime function sees nothing of tensors; whether nobody hears of it as long as what it checks holds
 * (abi.def). */
bool host_call_is_blind(const char *function);
bool host_call_is_silent(const char *function);
/* Whether one of the statements, or of those within, does. */
bool host_runs_region(const struct host_stmt *s);
/* Whether a loop of it runs no region. */
bool host_turns_alone(const struct host_function *f);
/* Every variable is set with its type, calls fit abi.def, conditions are bool. NULL if legal. */
const char *host_verify(struct arena *a, const struct host_function *f);

#endif
