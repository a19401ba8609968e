/* region.h — tensor operations on their way into graphs, host code, and what goes between them. */
#ifndef PML_REGION_H
#define PML_REGION_H

#include "../walk/elab.h"

struct at_once;
struct one_by_one;

/* ---- regions (region.c) ---- */

int slot_new(struct elab *e, const struct slot *like);
struct graph *region_graph(struct elab *e); /* of the open region; opens one */
void region_close(struct elab *e);
int region_argument(struct elab *e, const struct host_value *h, struct span at);
/* The batches handle in host variable var as an argument. */
int region_handle(struct elab *e, int var, struct span at);
struct node *region_slot_read(struct elab *e, int slot, struct span at);
/* A param that the derivative which is being made mentions without reading it, as in a loop of no turn. */
void region_param_read(struct elab *e, int slot, struct span at);
bool region_is_mentioned(const struct elab *e, const struct node *n);
void region_slot_write(struct elab *e, int slot, struct node *n, struct span at);
/* A function is walked to be differentiated: until the end it reads params anew, one inside of another by way of the
 * outer one's reads. */
void region_derivative_begin(struct elab *e);
void region_derivative_end(struct elab *e);
/* What is walked belongs to a region that goes on behind it, whatever the host does: a derivative, a micro-batch, or
 * what `vmap` calls for each line. */
static inline bool region_stays_open(const struct elab *e)
{
	return e->grad_depth || e->micro || e->mapped;
}
/* This point of the region, and back to it: what was assigned or put behind the region in between is forgotten. */
struct region_mark;
const struct region_mark *region_mark(struct elab *e);
void region_back(struct elab *e, const struct region_mark *m);
/* Whether n stands for a param or state wherever that is read now. */
bool region_is_read(const struct elab *e, const struct node *n);
/* The slots that were assigned since; at most max. */
int region_assigned(struct elab *e, const struct region_mark *m, int *slots, int max);
enum { MAX_SHOWN = 3 };

/* A value of the open region that host code behind it shows: as argument `arg` of a call, a number if the type is one,
 * or HOST_HANDLE, the address of a tensor, for calls that take a line of it as their last argument. */
struct shown {
	struct node *node;
	int arg;
	enum host_type as;
	int slot; /* that holds it behind the region; set when that closes */
};

/* The host evaluates call once the open region is done, in the order of these calls, with n values that are whole on
 * all ranks there; in a loop or branch of the graph, once for each turn made, in their order. */
void region_behind(struct elab *e, struct host_expr *call, int n, const struct shown *shown, struct span at);
bool region_has_behind(const struct elab *e);
/* Whether what is told of turns of l and of loops in it can be told line by line, all turns of l being made at once;
 * else `why` says why not. */
bool region_may_show(const struct elab *e, const struct loop *l, struct at_once *once, struct one_by_one *why);
/* What it would tell of each turn of l and of loops in it, all turns of l being made at once, it tells of so many lines
 * of that. */
void region_behind_lines(struct elab *e, const struct loop *l, int64_t lines, struct at_once *once, struct span at);
/* What is shown there of a key is read from what it stands for. */
void region_replaced(struct elab *e, const struct map *instead);
/* A tensor that is shown there, which has to be whole. what: "argument of `print`". at: none if that says too little.
 */
struct node *region_shown(struct elab *e, const struct value *v, const char *what, struct span where, struct span at);
/* Evaluated now or, if something is to be behind the open region, there. */
void region_say(struct elab *e, bool waits, struct host_expr *call, struct span at);
void region_finish(struct elab *e);
bool region_writes(struct elab *e); /* the open region has assigned a slot */
/* The slots that the derivative which is being made has read, and what it reads of them. */
struct slot_reads {
	VEC(struct slot_read {
		int slot;
		struct node *node;
	})
	at;
};
struct slot_reads region_reads(struct elab *e);

/* ---- lists of params in one slot (slot_list.c) ---- */

/* Gives slots that stand side by side and are of one type, on one placement, a list, in this order; nothing to one that
 * is like none beside it, or in a list already. */
void slot_list(struct elab *e, int n, struct slot *const *members);
/* Whether the open region has assigned no member, so that the list may be read. */
bool region_list_may_be_read(const struct elab *e, const struct slot *list);

/* A loop that goes over lists of n params, its turns being walked. */
struct list_turns {
	struct loop *loop;
	int n;
	bool failed; /* what is walked names one of a list by another way than the turn, or one that is not listed */
	VEC(struct slot_line *) lines;
};
/* What the turn reads of a list, and leaves there. */
struct slot_line {
	const struct slot *list;
	struct list_turns *turns;
	struct node *now; /* NULL: not read yet */
	bool dirty;
	struct span span;
};
struct slot_line *slot_line_in(struct elab *e, struct list_turns *t, const struct slot *list, struct span at);
struct node *slot_line_read(struct elab *e, struct slot_line *l, struct span at);
void slot_line_write(struct elab *e, struct slot_line *l, struct node *n, struct span at);
/* Behind the loop: the lists that its turns have assigned. */
void list_turns_end(struct elab *e, struct list_turns *t);

/* ---- what the host looks at (read.c) ---- */

/* Whether a tensor is; an error if not. */
bool is_one_number(struct elab *e, const struct value *v, struct span at);
/* Whether a value is a tensor of one integer. */
bool is_one_integer(struct elab *e, const struct value *v);
enum host_type host_type_of(enum dtype t);
/* Brings a scalar tensor to the host, as a value of this type, which closes the region; an error inside a function that
 * is differentiated. */
const struct value *read_number(struct elab *e, const struct value *v, enum host_type t, struct span at);
/* The same of the type that the tensor has; what is no tensor as it is. */
const struct value *read_scalar(struct elab *e, const struct value *v, struct span at);
/* One integer of a tensor counts like a number of the host, which reads it; within a graph the graph has it. Anything
 * else is as it is. */
const struct value *read_integer(struct elab *e, const struct value *v, struct span at);

/* ---- tensors across regions (tensor.c) ---- */

struct tensor {
	struct node *node;
	struct region_build *home; /* whose graph it is in */
};
const struct value *tensor_value_of(struct elab *e, struct node *n);
/* The node of a tensor or param in the open region. */
struct node *tensor_node(struct elab *e, const struct value *v, struct span at);
/* Static facts, without touching the region. */
enum dtype tensor_dtype(struct elab *e, const struct value *v);
const struct shape *tensor_shape(struct elab *e, const struct value *v);
const struct place *tensor_place(struct elab *e, const struct value *v);
/* A number as a scalar node of type t. */
struct node *tensor_of_host(struct elab *e, const struct value *v, enum dtype t, struct span at);
/* A node under the name of another placement of the same ranks, which moves nothing. */
struct node *tensor_adopt(struct elab *e, struct node *n, const struct place *p, struct span at);
/* Brings placed nodes to one placement; false after an error. edits: a `to` may be written at the spans. */
bool tensor_same_place(struct elab *e, int n, struct node **nodes, const struct span *spans, struct span at,
		       bool edits);
/* A slot in which host code finds a node of a region behind that region's end. */
int tensor_slot(struct elab *e, struct region_build *home, struct node *n, struct span at);
/* Keeps a tensor in a slot from here on, for variables that outlive the region. */
int tensor_keep(struct elab *e, const struct value *v, const char *name, struct span at);

/* ---- values as messages and `print` name them (describe.c) ---- */

/* "an int", "f32[64, 256] @ left", "a placement": for messages. */
const char *value_describe(struct elab *e, const struct value *v);
/* What is printed of a value that only the compiler knows: a placement, element type, shape, none. NULL: of another. */
const char *value_static_text(struct elab *e, const struct value *v);

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
/* A statement in front of one that has been written already. */
struct host_stmt *host_in_front(struct elab *e, enum host_stmt_kind kind, struct host_expr *x, struct host_stmt *next,
				struct span at);
void host_set(struct elab *e, int var, struct host_expr *x, struct span at);
void host_eval(struct elab *e, struct host_expr *x, struct span at);
/* A value that reads the same whenever it is used: constants and variables that are never assigned again stay, all else
 * is stored in a fresh variable now. */
const struct value *host_freeze(struct elab *e, const struct value *v, const char *name, struct span at);
/* int to float; the same value if it is one already. */
const struct value *host_to_float(struct elab *e, const struct value *v);
/* A number of the host remains one, but knows what it is as a tensor of its own. */
const struct value *host_typed(struct elab *e, const struct value *v, enum dtype t);
/* A float that was computed of these n values is of the widest type that one of them says it is. */
const struct value *host_typed_like(struct elab *e, const struct value *v, int n, const struct value *const *of);
/* The key of which the first value of a param of that name is drawn. */
const struct value *slot_key(struct elab *e, const char *name, struct span at);
/* Statements emitted until host_leave go to *body. */
struct host_stmt **host_enter(struct elab *e, struct host_stmt **body);
void host_leave(struct elab *e, struct host_stmt **outer);

/* ---- host numbers that a graph computes (number.c) ---- */

/* The host value that scalar n, i64, f64, bool or u64, stands for. */
const struct value *number_value(struct elab *e, enum host_type t, struct node *n);
bool number_in(const struct host_expr *x);
bool value_is_of_graph(const struct value *v);
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
/* Whether v, an int, is such a line, each of whose numbers elements of the type hold. */
bool number_surely_fits(const struct elab *e, const struct value *v, enum dtype t);
/* Whether v is one all of whose numbers are from least to most. */
bool number_is_within(const struct elab *e, const struct value *v, int64_t least, int64_t most);
/* A value outside of least..end - 1 that v has in a turn of the loops around, each of which is walked whole and to its
 * end: the first one. False if there is none, or nothing is known of it. */
bool number_leaves(const struct elab *e, const struct value *v, int64_t least, int64_t end, int64_t *value);
/* Whether v is an int that is known when compiling, if only as one value in all turns of a loop of known turns, on
 * whose turn alone it depends. That turns differ is noted (e->unlike). at: where it is read. */
bool number_is_known(struct elab *e, const struct value *v, struct span at, int64_t *value);
/* v in that turn of a loop of the open region, which it depends on and on nothing else; NULL: that is not so, or it is
 * no int64. */
struct loop *number_in_turn(const struct elab *e, const struct value *v, int64_t turn, int64_t *out);

/* ---- what the running program checks (check.c) ---- */

/* The indices, each of which is below extent or ends the program; wraps: or at least -extent and counts from the end,
 * then i64. at: what is indexed. */
struct node *check_indices(struct elab *e, struct node *x, int64_t extent, bool wraps, const char *range,
			   struct span at);
/* x, no element of which is 0. at: the divisor in the source. */
struct node *check_divisor(struct elab *e, struct node *x, struct span at);
/* x, i64, as elements of a narrower type of ints, which hold each element of it. at: the number in the source. */
struct node *check_fits(struct elab *e, struct node *x, enum dtype t, struct span at);
/* r, which is left_shift(x, y) of i64 scalars, or the program ends as it does not fit. */
struct node *check_shifted(struct elab *e, struct node *x, struct node *y, struct node *r, struct span at);
/* r, which is floor_div(x, y) of i64 scalars, or the program ends as it does not fit. */
struct node *check_quotient(struct elab *e, struct node *x, struct node *y, struct node *r, struct span at);
/* r, which is the sum, difference or product (fn) of i64 scalars x and y, or the program ends as it does not fit. */
struct node *check_overflow(struct elab *e, enum scalar_fn fn, struct node *x, struct node *y, struct node *r,
			    struct span at);
/* The error of a division by what is 0 now. */
void elab_zero_division(struct elab *e, struct span at);

/* ---- walking again (trial.c) ---- */

/* A point of the walk, and back to it, as if nothing had been walked since: nodes, assignments, host code and messages
 * are forgotten. In between the region stays open. */
struct trial;
const struct trial *trial_begin(struct elab *e);
void trial_back(struct elab *e, const struct trial *t);
const struct region_mark *trial_mark(const struct trial *t);
/* The first error since; NULL: none. */
const struct diag *trial_diag(const struct elab *e, const struct trial *t);

/* ---- what cannot stand here (refuse.c) ---- */

/* True after an error, if a body is walked: what cannot stand there. */
bool microbatch_refuses(struct elab *e, struct span at, const char *what);
/* To a message that `want` rows are wanted and `rows` are there: that a micro-batch has a part of them, if that is why.
 */
void microbatch_note_rows(struct elab *e, struct diag *d, int64_t want, int64_t rows, const char *help);
/* The innermost loop or branch of the open region whose body is walked; NULL: none. */
const struct loop *region_loop(const struct elab *e);
/* Whether what is walked may be shown behind the region, `what` saying how; false after an error. A region that ends
 * where something is shown has no loop then: turns are walked one by one. */
bool graph_loop_shows(struct elab *e, struct span at, const char *what);
/* True after an error, if the body of such a loop or branch is walked: what cannot stand there. */
bool graph_loop_refuses(struct elab *e, struct span at, const char *what);

#endif
