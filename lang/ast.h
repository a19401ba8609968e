/* ast.h — the program as written. Built by parser.y, checked by check/, read by compiler/elaborate alone.
 * Nodes live in the session's arena and are never changed after checking, but for the fields marked "set by check". */
#ifndef PML_AST_H
#define PML_AST_H

#include "base/session.h"
#include "base/text.h"

struct expr;
struct stmt;
struct item;
struct type;
struct module;

struct name {
	const char *text; /* interned */
	struct span span;
};

/* ---- layouts and placements as written ---- */

enum atom_form { ATOM_SPLIT, ATOM_BROADCAST, ATOM_PARTIAL, ATOM_AUTO, ATOM_PARAM };

struct ast_atom {
	struct span span;
	enum atom_form form;
	struct name axis;     /* text NULL: the only axis */
	struct expr *dim;     /* ATOM_SPLIT: a constant int */
	struct expr *shares;  /* ATOM_SPLIT: a list of constant ints; NULL: even ones */
	struct name combiner; /* ATOM_PARTIAL: sum, max, min, prod; text NULL means sum */
	struct name param;    /* ATOM_PARAM: a layout parameter `l` or a const */
	struct item *item;    /* ATOM_PARAM: the const, set by check; NULL for parameters */
};

/* `S(0)`, `B`, `l`, `auto`: one atom without an axis. `(dp=S(0), tp=P(sum))`: parenthesised, atoms with axes. Several
 * atoms without axes parse and are an error: the elaborator, which knows the placement, says what is missing. */
struct ast_layout {
	struct span span;
	bool named_axes;
	VEC(struct ast_atom) atoms;
};

/* ---- types ---- */

enum type_kind {
	TYPE_TENSOR, /* f32[n, 784] @ left : S(0);  f32 alone is a scalar */
	TYPE_NAMED,  /* Block[p], a struct; or a host type: int float bool string path rngkey dataset place layout */
	TYPE_ARRAY,  /* [L] Block[p] */
	TYPE_TUPLE,  /* (f32[n], i32[n]) */
};

enum dim_form { DIM_EXPR, DIM_REST /* `..` */, DIM_ANY /* `_`: known to the file only */ };

struct ast_dim {
	struct span span;
	enum dim_form form;
	struct expr *expr;
};

struct type {
	enum type_kind kind; /* TENSOR or NAMED is settled by check: `b[p]` may be either to the parser */
	struct span span;
	int depth;                  /* of nesting, bounded by the parser (parse.h) */
	struct name qualifier;      /* `nn` of nn.Linear[p]; text NULL: none */
	struct name name;           /* dtype (or dtype parameter), struct or host type; the text of `of` */
	struct expr *of;            /* TYPE_TENSOR: the value that is its dtype, as x.dtype or a const; NULL: name says it */
	bool has_dims;              /* `f32[]` and `f32[n]`, as opposed to `f32` */
	VEC(struct ast_dim) dims;   /* TYPE_TENSOR; TYPE_ARRAY has one */
	struct expr *placement;     /* after `@`, or NULL: inferred */
	struct ast_layout *layout;  /* after `:`, or NULL: inferred */
	VEC(struct expr *) args;    /* TYPE_NAMED: Block[grid[pp=0]] */
	struct type *element;       /* TYPE_ARRAY */
	struct name index;          /* TYPE_ARRAY: `[i in 0..4]`, the number of the element; text NULL: none */
	VEC(struct type *) members; /* TYPE_TUPLE */
	struct item *item;          /* TYPE_NAMED: set by check to the struct; NULL for host types */
};

/* ---- expressions ---- */

enum expr_kind {
#define EXPR(kind, text) EXPR_##kind,
#include "ast.def"
};

enum binary_op {
#define BINARY(kind, text, level) BIN_##kind,
#include "ast.def"
};

enum unary_op { UN_NEG, UN_NOT };

/* An argument of a call, or an entry of an index: `f(x, lr = 0.1)`, `grid[pp = 0]`, `grad(f, out : (dp=S(0)))`. */
struct arg {
	struct name name;   /* text NULL: by position */
	struct expr *value; /* NULL where layout is given, or `auto` */
	struct ast_layout *layout;
	bool is_auto; /* of `microbatch` and `remat`: for a search to say; span: the word alone */
	struct span span;
};

struct expr {
	enum expr_kind kind;
	struct span span;
	int depth; /* of nesting, bounded by the parser (parse.h), so that walkers may recurse; the operations of a
		      chain `a + b - c` count as one, so walkers go down its left side in a loop */
	int links; /* the same with every operation counted: bounded in index notation, types and `names` only */
	union {
		struct { /* INT, BOOL; is_beyond: 2^63, which stands behind a minus only (i: -2^63) */
			int64_t i;
			bool is_beyond;
		};
		double f;           /* FLOAT */
		const char *string; /* STRING: escapes resolved, interned */
		struct {            /* NAME; FIELD: object.name */
			struct expr *object;
			struct name name;
		};
		struct expr *index; /* MAYBE: index? */
		struct { /* UNARY (op rhs), BINARY (lhs op rhs), RANGE (lhs..rhs; in an index either may be missing:
			    `..`, `1..`) */
			int op;
			struct expr *lhs, *rhs;
		};
		struct { /* CALL: callee(args); INDEX: callee[args] */
			struct expr *callee;
			VEC(struct arg) args;
		};
		struct { /* TUPLE (a, b), LIST [a, b] */
			VEC(struct expr *) items;
		};
		VEC(struct arg) layout; /* LAYOUT (dp=S(0), tp=rows): a name and a value for each axis */
		struct { /* TO: value to @place : layout (either may be missing) */
			struct expr *value;
			struct expr *placement;
			struct ast_layout *layout;
		} to;
		struct { /* AS: value as type, or value as [n, 784] / [_, 784] (type->name.text NULL: shape claim only)
			  */
			struct expr *value;
			struct type *type;
		} as;
		struct { /* IF: if cond => then else other */
			struct expr *cond, *then, *other;
		} cond;
		struct { /* EACH: each (p, d) in of => body: a gradient */
			struct pattern *pattern;
			struct expr *of, *body;
		} each;
		struct { /* REDUCE: sum[k, l] body  (combiner: sum prod max min argmax argmin any all) */
			struct name combiner;
			VEC(struct name) factors;
			struct expr *body;
		} reduce;
		struct { /* BLOCK: microbatch(8) {…}, mixed bf16 {…}, remat {…}, remat(deep) {…}: head(args) {
			    statements; last expression is the value } */
			struct name head;
			VEC(struct arg) args;
			struct stmt *body;
		} block;
		struct {                    /* PLACE: ranks(0..8) as (dp = 2, tp = 4); ranks([0, 2, 4]) */
			struct expr *ranks; /* RANGE or LIST or any int expression list */
			VEC(struct arg) axes;
			bool is_open; /* auto(ranks(0..8)): how they are used is for a search to say */
		} place;
	};
	/* Set by check: what a NAME, or the FIELD of a module, refers to. NULL for locals and built-ins. */
	struct item *item;
};

/* ---- statements ---- */

enum stmt_kind {
#define STMT(kind, text) STMT_##kind,
#include "ast.def"
};

/* What `let`, `var` and `for` bind: `x`, `(x, t)`, or with factors `q[c, h, n]` (index notation). */
struct pattern {
	struct span span;
	struct name name;              /* text NULL for a tuple; "_" binds nothing */
	bool indexed;                  /* q[..] was written */
	VEC(struct ast_dim) factors;   /* names as NAME expressions, or `..` */
	VEC(struct pattern *) members; /* tuple */
	struct type *type;             /* `let x : f32[n] = …`, or NULL */
};

enum assign_op { ASSIGN_SET, ASSIGN_ADD, ASSIGN_SUB, ASSIGN_MUL, ASSIGN_DIV };

struct stmt {
	enum stmt_kind kind;
	struct span span;
	int depth;               /* of nesting */
	struct stmt *next;       /* in its block */
	struct pattern *pattern; /* LET, VAR, FOR, EACH (names of parameter and gradient) */
	enum assign_op op;       /* ASSIGN */
	struct expr *target;     /* ASSIGN */
	struct expr *value; /* LET, VAR, ASSIGN, EXPR, RETURN (may be NULL), FOR/EACH: what is walked; WHILE, IF, EVERY:
			       condition/count */
	struct expr *every; /* FOR, WHILE: k of `remat every k for …`; NULL: without */
	struct type *type;  /* STATE: a state declared inside a function, `state v : like p = zeros();` has like */
	struct expr *like;  /* STATE: `like p`; with a type, `like p as f32`, of other elements */
	struct stmt *body;  /* FOR, EACH, WHILE, IF, EVERY, BLOCK */
	struct stmt *other; /* IF: else branch */
};

/* ---- items ---- */

enum item_kind {
#define ITEM(kind, text) ITEM_##kind,
#include "ast.def"
};

/* [n, t: float, p: place] of functions and structs. */
struct generic {
	struct name name;
	struct name kind; /* text NULL: a size; "place", "layout", "float", "int", "number", or a dtype class */
	bool rest;        /* `..`: any leading dimensions */
};

struct param {
	struct name name;
	struct type *type; /* NULL: anything (host value, tensor, struct) */
	struct expr *init; /* default value, or NULL */
	bool has_dims;     /* ITEM_OP: `a[]`, `a[m, k]` (an operand), as opposed to `slope: float` (an attribute) */
	VEC(struct ast_dim) dims; /* ITEM_OP: index expressions a[m, k], x[n, c, y+p, z+q] */
	struct expr *below;       /* ITEM_OP, an operand of ints: `i[..]: int < k`, indices of k elements; or NULL */
	const char *doc;
	struct span span;
};

struct item {
	enum item_kind kind;
	struct span span;
	struct name name;             /* IMPORT: last component; MAIN: text NULL; TEST: its title */
	const char *doc;              /* `///` comment lines, joined, or NULL */
	struct module *module;        /* where it stands */
	VEC(struct name) path;        /* IMPORT a.b.c */
	struct module *target;        /* IMPORT: set by modules.c */
	VEC(struct generic) generics; /* FN, STRUCT */
	VEC(struct param) params;     /* FN, OP; fields of STRUCT */
	struct type *type; /* CONST, CONFIG, PARAM, STATE, CACHE; result of FN (NULL: inferred or none) and OP (dtype,
			      or NULL) */
	VEC(struct ast_dim) out_dims; /* OP: the result's index expressions */
	struct expr *value;           /* CONST, CONFIG, PLACE, PARAM/STATE/CACHE initialiser, OP's right-hand side */
	struct name hint;             /* OP: `using gemm` */
	struct stmt *body; /* FN, MAIN, TEST: a BLOCK; NAMES: one of assignments, what is in the program = what in the
			      file */
	bool is_called;    /* FN: set by elaboration */
	/* FN, OP, STRUCT of the library: kind, span, name and module are known, the rest when something refers to it
	 * (lang_item). is_broken: it cannot be parsed. */
	bool waits, is_broken;
};

struct module {
	const char *name; /* "std.optim"; the main file: its base name */
	uint32_t file;
	VEC(struct item *) items;
	struct map scope;   /* interned name -> struct item *, imports included where no other item has the name; set by
			       check */
	struct map imports; /* interned name -> struct item * of an import; set by check. `data.idx` looks here first,
			     * so a config `data` and a module `data` may live side by side */
};

/* `ranks(0..8) as auto`: its only axis, which is the word, has no extent. */
static inline bool expr_is_auto_mesh(const struct expr *e)
{
	return e->kind == EXPR_PLACE && e->place.axes.n == 1 && !e->place.axes.at[0].value;
}

/* `ranks(0..8)`, no more: axes may follow. */
static inline bool expr_is_ranks(const struct expr *e)
{
	return e->kind == EXPR_PLACE && !e->place.axes.n && !e->place.is_open;
}

/* `place grid = auto(ranks(0..8));` */
static inline bool item_is_open_place(const struct item *it)
{
	return it->kind == ITEM_PLACE && it->value->kind == EXPR_PLACE && it->value->place.is_open;
}

/* NULL: the file has none. */
static inline const struct item *module_open_place(const struct module *m)
{
	for (int i = 0; i < m->items.n; i++)
		if (item_is_open_place(m->items.at[i]))
			return m->items.at[i];
	return NULL;
}

/* A tensor that is kept: param, state or cache. */
static inline bool item_is_slot(const struct item *it)
{
	return it->kind == ITEM_PARAM || it->kind == ITEM_STATE || it->kind == ITEM_CACHE;
}

/* Parses nothing but one expression, for -D values. NULL after errors. */
struct expr *ast_parse_expr(struct session *s, uint32_t file);

/* Prints the program back as PML text that parses to the same tree. */
void ast_print_module(struct text *t, const struct module *m);
void ast_print_expr(struct text *t, const struct expr *e);
void ast_print_type(struct text *t, const struct type *ty);

#endif
