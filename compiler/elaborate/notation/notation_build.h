/* notation_build.h — index notation on its way to a rule; known to the notation*.c files.
 *
 * notation.c         factors and their extents
 * notation_op.c      a call of an op
 * notation_let.c     `let q[i, j] = …`
 * notation_index.c   one access: `a[.., y + p, t]`, position by position
 * notation_linear.c  one position: a linear form over factors
 * notation_line.c    positions that turns of loops say
 * notation_points.c  whether any point has all the positions it reads
 * notation_left_out.c the warning of points that are left out as a whole
 * notation_body.c    the right-hand side to a point expression
 * notation_type.c    element types of its parts
 * notation_divisor.c ints that are divided by
 * notation_rule.c    puts the rule together */
#ifndef PML_NOTATION_BUILD_H
#define PML_NOTATION_BUILD_H

#include "notation.h"

/* Where an extent came from, put into words where a message needs them: "dimension 1 of `a`". */
struct extent_source {
	const char *what; /* NULL: an operand that the library hands on, for which the program has no word */
	bool is_name;     /* what goes in quotes */
	int dim;          /* -1: `what` alone */
	const struct noted_param *param; /* whose operand it is; NULL: none's */
};
static inline struct extent_source extent_from(const char *what)
{
	return (struct extent_source){.what = what, .dim = -1};
}
static inline struct extent_source extent_of_name(const char *name)
{
	return (struct extent_source){.what = name, .is_name = true, .dim = -1};
}

struct noted_factor {
	const char *name;
	int64_t extent;   /* -1: not known yet */
	bool of_window;   /* found in this round of windows, of which another one may be narrower */
	struct span span; /* where the extent came from */
	struct extent_source from;
};

/* A named thing that the body reads: a parameter of an op. */
struct noted_param {
	const struct param *decl;
	const struct value *value;
	struct node *node; /* operands that are tensors */
	struct span span;
};

struct noted_operand {
	struct node *node;
	struct access access;
	struct span span;
	bool leaves_out; /* written with a `?`: points that it is not read at are meant to be left out */
	bool is_moved;   /* positions that may be outside (POSITION_MOVED) */
};

/* A part of the body: an expression of the point, or a host value that takes the type of what it meets. */
struct term {
	const struct scalar *s; /* NULL: host */
	const struct value *host;
	bool is_index;   /* made of factors alone: an integer that fits any other */
	bool is_operand; /* host: given for an operand of an op */
	bool is_draw;    /* a random draw, whose type `as` chooses */
	bool is_number;  /* s: a choice among number literals, i64 or f64, that takes the type of what it meets */
};

/* Parameters of an elementwise op used inside the body. */
struct noted_bind {
	const char *name;
	struct term term;
	struct noted_bind *next;
};

/* An elementwise op whose body is being read, and where that stands. */
struct written_out {
	const struct item *op;
	const struct written_out *outer;
};

/* What an index that is data is checked against. */
struct noted_range {
	int64_t extent;
	const char *text; /* check_range */
};

struct notation {
	struct elab *e;
	const char *name;
	struct span at;
	struct item *op; /* NULL: a `let` or a reduction in an expression */
	bool failed;
	int nfactors, nrest, noperands, nparams;
	struct noted_factor factor[MAX_FACTORS];
	int rest[MAX_RANK]; /* factors of `..`, outermost first */
	struct noted_operand operand[MAX_OPERANDS];
	struct noted_param *param;
	struct noted_bind *binds;
	const struct written_out *inlined; /* in the body of an elementwise op: only its parameters are seen */
	bool has_dim;                      /* the call says `dim = d`: the named factor behind `..` stands there */
	int64_t dim;
	bool replaces;                   /* operands may be left that nothing reads any more */
	struct map tensors;              /* expr -> node of what is indexed */
	const struct noted_line *lines;  /* taken so far (notation_line.c) */
	const struct noted_range *range; /* while an index is read that is data and is to be checked */
	struct notation *next;           /* of those to be used again */
};

/* A notation is large and there are many, so each is used again. */
struct notation *notation_new(struct elab *e, const char *name, struct span at);
/* What the program calls the op that is applied: a sign, or of the library's inner ones the function that was called.
 */
const char *notation_called(const struct notation *n);
bool notation_is_sign(const struct notation *n);
void notation_end(struct notation *n);

/* An index list as written: of a declaration or of an expression. */
struct index_list {
	int n;
	struct {
		const struct expr *x; /* NULL: `..` */
		struct span span;
		bool leaves_out; /* `(i - 1)?`, whose x is `i - 1` */
	} at[MAX_RANK + 1];
};
bool index_list_of_dims(struct notation *n, const struct ast_dim *dims, int count, struct index_list *out);
bool index_list_of_args(struct notation *n, const struct arg *args, int count, struct index_list *out);
int index_list_rest(const struct index_list *l); /* position of `..`, or -1 */

void notation_fail(struct notation *n);
static inline struct term fail_term(struct notation *n)
{
	notation_fail(n);
	return (struct term){0};
}
static inline struct term host_term(const struct value *v)
{
	return (struct term){.host = v};
}
static inline struct term typed_term(const struct scalar *s)
{
	return (struct term){.s = s};
}
static inline bool term_ok(const struct notation *n, struct term t)
{
	return !n->failed && (t.s || t.host);
}
int notation_factor(const struct notation *n, const char *name); /* -1: none */
int notation_add_factor(struct notation *n, const char *name);
struct noted_param *notation_param(struct notation *n, const char *name);
/* The extent of factor f is at least said to be extent, by `from`. */
void notation_unify(struct notation *n, int f, int64_t extent, struct span at, struct extent_source from);
/* `[.., i]`: a call may say which dimension that is. */
bool notation_leaves_a_dim(const struct ast_dim *dims, int ndims);
/* Makes room for count dimensions at `..`. */
void notation_note_rest(struct notation *n, int count);
/* `i < extent` of a result's index: the index alone. */
const struct expr *notation_strip_extent(const struct expr *x);
/* Visits the expressions that x is made of, where index notation has a meaning for it. */
typedef void notation_visitor(struct notation *n, const struct expr *x, void *context);
void notation_each_operand(struct notation *n, const struct expr *x, notation_visitor *visit, void *context);
/* Adds the factors of every reduction in x. */
void notation_note_reduced(struct notation *n, const struct expr *x);
/* The error of a `dim` that a tensor of this rank does not have. */
void notation_no_dim(struct notation *n, int rank);
/* Extents from one access to the tensor `what`: named factors, `..`, and (second round) windows. */
void notation_extents(struct notation *n, const struct index_list *l, const struct shape *s, struct span at,
		      struct extent_source what);
void notation_windows(struct notation *n, const struct index_list *l, const struct shape *s);
/* Ends a round of windows, after all accesses: what they left is known now. Whether it is worth another round, of
 * windows over these: the order in which windows stand does not matter. */
bool notation_settle(struct notation *n);
/* Where dimension i of a tensor with `extra` dimensions for `..` is written: item of the list and number within `..`.
 */
struct position {
	int item, rest;
};
bool notation_position(struct notation *n, const struct index_list *l, int rank, int dim, struct position *out);

/* What the turns of loops leave of x; by: of each of its dimensions, what the position in l is: a number of turns that
 * all stay inside, of which they read a line or which is data, or another one. */
enum by_turns { BY_TURNS_NOT, BY_TURNS_LINE, BY_TURNS_DATA };
struct node *notation_lines(struct notation *n, const struct index_list *l, struct node *x, enum by_turns *by);
/* The index that the int tensor x supplies, or what the running program computes of ints and factors, of a dimension
 * `dim` of the tensor called `of` (or NULL) that has `extent` elements; leaves_out: it may be outside. False after an
 * error. */
bool notation_data_index(struct notation *n, const struct expr *x, const char *of, int dim, int64_t extent,
			 bool leaves_out, struct index *out);
/* Whether where the indices of an access lie can be counted, in elements, beyond the tensor as well; else an error at
 * `at`. Divisors become no larger than they need be for that. */
bool notation_indices_fit(struct notation *n, const struct rule *r, struct access *x, struct span at);
/* A size written in terms of constants and factors' extents; false after an error. */
bool notation_size(struct notation *n, const struct expr *x, int64_t *out);
/* A position without factors, in which `extent(k)` may stand. */
const struct value *notation_number(struct notation *n, const struct expr *x);
/* A linear form over factors with an optional division. */
bool notation_linear(struct notation *n, const struct expr *x, struct index *out);
/* Whether the factors that x asks `extent` of have theirs already. */
bool notation_extents_known(const struct notation *n, const struct expr *x);
bool notation_is_tensor(struct notation *n, const struct expr *x);
bool notation_mentions_factor(const struct notation *n, const struct expr *x);
/* What a position is: a form over factors; one over factors that an int moves which only the running program knows, and
 * which names what the same number names when compiling; or one that such an int or an int tensor says, which is
 * checked. The latter two are data. */
enum position_kind { POSITION_KNOWN, POSITION_MOVED, POSITION_LISTED };
enum position_kind notation_position_kind(struct notation *n, const struct expr *x);
/* The tensor that an INDEX expression reads, NULL if it reads none (an element of a list, say). */
struct node *notation_indexed(struct notation *n, const struct expr *callee);
/* Where nothing is reduced: warns of points that are left out as a whole, although not all that they read is outside.
 */
void notation_warn_left_out(struct notation *n, const struct scalar *body, struct span at);

int notation_operand(struct notation *n, struct node *node, const struct access *a, struct span at);
/* Reads node through l as an operand; -1 after an error. */
int notation_read(struct notation *n, struct node *node, const struct index_list *l, struct span at);
struct term notation_term(struct notation *n, const struct expr *x);
struct term notation_call_term(struct notation *n, const struct expr *x);
/* A host value or a tensor of one element, which messages place at `at`. */
struct term notation_value_term(struct notation *n, const struct value *v, struct span at);
/* Where x was written: of a parameter its argument. */
struct span notation_span(struct notation *n, const struct expr *x);
/* As a point expression of type t (DT_COUNT: its own). */
const struct scalar *notation_typed(struct notation *n, struct term t, enum dtype type, struct span at);

/* Of the operands read so far; false after an error. */
bool notation_has_points(struct notation *n);
/* One rule: the reduction `reduce` of body into out. */
struct node *notation_reduce(struct notation *n, const struct expr *reduce, const struct access *out,
			     const struct scalar *body);
/* One rule without a reduction; what is at points that are not there, c says (COMBINE_NONE: 0). */
struct node *notation_map(struct notation *n, const struct access *out, enum combiner c, const struct scalar *body);
/* x at each point, computed by a rule of its own over the factors it reads and does not reduce. */
struct term notation_inner_term(struct notation *n, const struct expr *x);
/* Arguments of a scalar function on their way to one type. */
struct typed_list {
	int n;
	struct term term[3];
	struct span span[3];
	const struct scalar *s[3];
};
bool notation_host_fits(const struct value *v, enum dtype t);
/* What a number is where nothing says: i32 or f32. */
enum dtype notation_natural_type(const struct value *v);
bool notation_is_draw(enum scalar_fn fn);
/* Ints, of one type: the second of l, the divisor, is not 0 at any point (notation_divisor.c). False after an error. */
bool notation_divisor(struct notation *n, struct typed_list *l);
/* Ints: the quotient rounded down. */
struct term notation_floor_div(struct notation *n, struct typed_list *l, struct span at);
struct term notation_apply(struct notation *n, enum scalar_fn fn, struct typed_list *l, struct span at);
struct term notation_where(struct notation *n, struct term c, struct term x, struct term y, const struct span *spans);

/* Makes the node for `combiner over factors of body`, with the result's indices in out. Extents are known. */
struct node *notation_build(struct notation *n, const struct index_list *out, const struct expr *body);

#endif
