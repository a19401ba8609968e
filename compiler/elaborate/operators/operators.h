/* operators.h — what operators do to values. */
#ifndef PML_OPERATORS_H
#define PML_OPERATORS_H

#include "../values/values.h"

/* ---- arithmetic (arith.c) ---- */

const struct value *expr_unary(struct elab *e, const struct expr *x);
const struct value *expr_binary(struct elab *e, const struct expr *x);
/* "+" for the prelude's `add`, else the name itself. */
const char *binary_sign(const char *op);
const struct value *binary_apply(struct elab *e, enum binary_op op, const struct value *l, const struct value *r,
				 struct span at, struct span lspan, struct span rspan);
const struct value *unary_apply(struct elab *e, enum unary_op op, const struct value *v, struct span at);

/* ---- quotients of ints (division.c) ---- */

/* An error: a known number that no int holds. */
const struct value *elab_int_overflow(struct elab *e, struct span at, const char *op, int64_t x, const int64_t *y);
/* Reports `/` between ints of tensors. left, right: operands to convert, NULL for those that are literals. */
void elab_int_quotient(struct elab *e, struct span at, enum dtype t, const struct span *left, const struct span *right);
/* floor_div(a, b), of numbers of the host or tensors; a_at, b_at: where they are written. */
const struct value *int_floor_div(struct elab *e, const struct value *a, const struct value *b, struct span at,
				  struct span a_at, struct span b_at);

/* ---- functions of host numbers (scalar_host.c) ---- */

/* v[1] or v[2], host values, by v[0], a bool of the running program. spans: of the three; at: of all. */
const struct value *host_choose(struct elab *e, const struct value *const *v, const struct span *spans, struct span at);
/* A scalar function of host values: computed now where they are known, else by the host where it can. */
const struct value *scalar_on_host(struct elab *e, enum scalar_fn fn, const struct arguments *args);

/* ---- shapes, lists, tuples (sequence.c) ---- */

/* Shapes, lists, tuples and structs (-1: something else): `==`, and `+` of lists and shapes, which joins them to a
 * list. */
int sequence_length(const struct value *v);
bool sequence_joins(const struct value *v);
/* Whether the two may be equal: items both, or structs of one kind. */
bool sequence_compares(const struct value *l, const struct value *r);
const struct value *sequence_equal(struct elab *e, const struct value *l, const struct value *r, struct span at);
const struct value *sequence_joined(struct elab *e, const struct value *l, const struct value *r, struct span at);
/* `v[1..3]`: the items of a shape, list or tuple in a range of known ends, as a list or tuple. */
bool sequence_is_sliced(const struct expr *x);
const struct value *sequence_slice(struct elab *e, const struct value *v, const struct expr *x);

/* ---- gradients as values (gradient.c) ---- */

/* The derivative by a param, in the turns of a loop over its list too; NULL: there is none. */
const struct value *gradient_by(struct elab *e, const struct value *g, const struct value *param, struct span at);
/* The gradient of the param `name`, or of all that begin with `name.` */
const struct value *gradient_part(struct elab *e, const struct value *g, const char *name, struct span at);
/* v as the derivative by the param of a slot: a tensor of its shape, where the param is; value_error after a message.
 */
const struct value *gradient_fit(struct elab *e, const struct value *v, int slot, struct span at);
/* Gradients are added and subtracted, multiplied and divided by numbers; negated. */
bool gradient_has(enum binary_op op, const struct value *l, const struct value *r);
/* v with the entries of gradients in it by themselves, no lines of others. */
const struct value *parts_alone(struct elab *e, const struct value *v, struct span at);
/* What two values of one form consist of, as tensors in pairs: a list. */
const struct value *gradient_pairs(struct elab *e, const struct value *l, const struct value *r, struct span at,
				   struct span ls, struct span rs);
const struct value *gradient_binary(struct elab *e, enum binary_op op, const struct value *l, const struct value *r,
				    struct span at, struct span ls, struct span rs);
/* Beside a param, or a struct, list or tuple of params, that g is by, at least by one: what g has for them,
 * in their form, and zeros for those that the function does not read. Else g itself. */
const struct value *gradient_beside(struct elab *e, const struct value *g, const struct value *params, struct span at);
/* The derivative by a param that the function does not read. */
const struct value *no_slope(struct elab *e, const struct value *param, struct span at);
const struct value *gradient_unary(struct elab *e, enum unary_op op, const struct value *g, struct span at);
/* How many elements the list of params has whose derivatives g has, MAX_UNROLLED if it has no such
 * (gradient_element.c).
 */
int64_t gradient_elements(struct elab *e, const struct value *g);
/* x = `g[i]`, by an int that only the running program knows: what g has for that element, in its form. NULL: it has
 * none of a list, or they are not alike. */
const struct value *gradient_element(struct elab *e, const struct value *g, const struct expr *x);

/* ---- ranges of indices (slice.c) ---- */

struct slice {
	const struct value *from; /* where it begins, if only the running program knows; NULL: `begin` */
	int64_t begin, width;
};
/* Of a dimension of that extent (-1: of a list with as many items); x is a range. False after an error. */
bool slice_eval(struct elab *e, const struct expr *x, int dim, int64_t extent, struct slice *out);
/* Where one with `from` begins, an int, checked; of: as in check_range. */
struct node *slice_begin(struct elab *e, const struct slice *s, const char *of, int dim, int64_t extent,
			 struct span at);
/* n ints: begin + 0, begin + 1, ...; back: 0 - begin, 1 - begin, ... */
struct node *slice_places(struct elab *e, struct node *begin, int64_t n, bool back, struct span at);

/* ---- elements and slices (index.c) ---- */

const struct value *expr_index(struct elab *e, const struct expr *x);
/* The same of a tensor. */
const struct value *index_tensor(struct elab *e, const struct value *t, const struct expr *x);
/* Whether it is for the running program to tell that i, which is known, is outside (elab_may_never_come). */
bool index_waits(const struct elab *e, int64_t i, int64_t extent);
/* Pieces of `x[i, 1..5, ..]`. Known positions and ends of ranges count from the end where they are negative;
 * false after an error. rest: how many dimensions each `..` stands for. */
bool index_known(struct elab *e, int64_t i, int dim, int64_t extent, struct span at, int64_t *out);
/* True after an error: `width` elements from v on, in some turn of a loop that stays one, are not all in the dimension.
 */
bool index_leaves(struct elab *e, const struct value *v, int64_t width, bool wraps, int dim, int64_t extent,
		  struct span at);
bool index_is_rest(const struct arg *a);
bool index_count(struct elab *e, const struct expr *x, const struct shape *s, int *rest);

/* ---- elements of lists (element.c) ---- */

/* An int of the host, or a tensor of one int, that only the running program knows. */
bool value_is_unknown_int(struct elab *e, const struct value *v);
/* The int by which x takes one of count elements, if the running program is to say which, or that it is outside; else
 * NULL. */
const struct value *position_to_check(struct elab *e, const struct expr *x, int64_t count);
const struct value *index_list(struct elab *e, const struct value *list, const struct expr *x);
/* The one of n tensors that x says, by such an int; NULL: they are not alike. */
const struct value *one_of_tensors(struct elab *e, const struct value *const *v, int n, const struct expr *x);
/* Which of count elements x names, an index of one that is known when compiling, from the end where it is negative;
 * false after an error, which calls them `what`. */
bool index_position(struct elab *e, const struct expr *x, int64_t count, const char *what, int64_t *out);

/* ---- elements replaced (update.c) ---- */

/* The tensor with the elements that x = `t[..]` names replaced by v: a tensor of their shape, or one number for all. */
const struct value *index_update(struct elab *e, const struct value *t, const struct expr *x, const struct value *v,
				 struct span at);
/* next: what a turn makes of `carry`, leaving a line or block of it for each turn, if it does nothing else with it; as
 * it is behind the loop, in one piece. NULL: it does something else. */
struct node *index_updates(struct elab *e, const struct node *carry, const struct node *next, struct span at);
/* The tensor with `t[..] op v` in those elements: op of all of it and of v there, elsewhere of what op leaves alone, so
 * that no element is read. whole: the statement. */
const struct value *index_combine(struct elab *e, enum binary_op op, const struct value *t, const struct expr *x,
				  const struct value *v, struct span whole, struct span at);

/* ---- elements by the turn of a loop (line.c) ---- */

/* x[.., i, ..], i at dimension d, where i counts turns and names a line in all of them; NULL: it does not. */
struct node *line_of_tensor(struct elab *e, struct node *x, int d, const struct value *i, struct span at);
/* x with dimension `from` as dimension `to`, the others in their order. */
struct node *dimension_moved(struct elab *e, struct node *x, int from, int to, struct span at);
/* Whether what x is made of says that dimension d is split, by an axis of one rank too. */
bool dimension_is_split(const struct elab *e, const struct node *x, int d);
/* What takes the place of lines of l, made since number `from`, for the turns of a loop in segments: elements by
 * number, or lines of parts, of what is written to be split. */
void lines_of_split(struct elab *e, const struct loop *l, int from, struct map *instead);
/* x[.., slice, ..] at dimension d alike, where turns take blocks as long as they are apart. */
struct node *line_of_slice(struct elab *e, struct node *x, int d, const struct slice *s, struct span at);
/* *first: the line of the first turn, from 0 on, where it may be counted from the end. False if a turn is outside of
 * the extent, or any number of turns is possible. */
bool number_line_inside(const struct number_line *l, int64_t extent, int64_t *first);
/* The same as number_is_line in units of `width`, of which the slices that begin at v in each turn are whole ones. */
bool number_is_block(const struct elab *e, const struct value *v, int64_t width, struct number_line *out);
/* list[i] alike, where the elements differ in tensors and numbers only. */
const struct value *line_of_list(struct elab *e, const struct value *list, const struct value *i, struct span at);

/* ---- bytes (text.c) ---- */

/* text[i]: a byte, as an int. */
const struct value *text_index(struct elab *e, const struct value *text, const struct expr *x);

/* ---- layouts and element types changed (move.c) ---- */

const struct value *expr_to(struct elab *e, const struct expr *x);
/* What stands in front of the `to` x is v. */
const struct value *value_to(struct elab *e, const struct value *v, const struct expr *x);
const struct value *expr_as(struct elab *e, const struct expr *x);
const struct value *expr_if(struct elab *e, const struct expr *x);
/* x, which counts only where c holds, or does not: where c is a bool scalar that the running program knows, nothing is
 * asked of ints of x else. at: where c stands. */
const struct value *expr_eval_where(struct elab *e, const struct expr *x, const struct value *c, bool holds,
				    struct span at);

#endif
