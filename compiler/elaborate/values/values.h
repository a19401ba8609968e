/* values.h — fitting values to types, and each other. */
#ifndef PML_VALUES_H
#define PML_VALUES_H

#include "../region/region.h"

/* ---- types as written (types.c) ---- */

/* A compile-time size; false after an error. */
bool size_eval(struct elab *e, const struct expr *x, int64_t *out);
bool size_of_value(struct elab *e, const struct value *v, struct span at, int64_t *out);
/* Unequal shares (shares.c): of a list of numbers, and as they cut an axis of a placement; NULL there if they are even.
 */
bool shares_of_value(struct elab *e, const struct value *v, struct span at, const int32_t **out);
bool shares_on_axis(struct elab *e, struct span at, const struct place *p, int axis, const int32_t **shares);
/* Layouts (layouts.c): as written, for a tensor of `rank` dimensions on p; and as a value, `(dp=S(0), tp=B)`. */
bool layout_combiner(struct elab *e, struct name name, uint8_t *out);
bool layout_resolve(struct elab *e, const struct ast_layout *l, const struct place *p, int rank,
		    struct layout_spec *out);
const struct value *layout_eval(struct elab *e, const struct expr *x);
/* Element type by name: a dtype, or a dtype parameter in scope; DT_COUNT after an error. */
enum dtype dtype_resolve(struct elab *e, const struct type *t);
/* A declared tensor type without open sizes. place NULL and layout INFER where left out. */
struct tensor_type {
	enum dtype dtype;
	struct shape shape;
	const struct place *place;
	struct layout_spec layout;
};
bool type_resolve(struct elab *e, const struct type *t, struct tensor_type *out);

/* ---- a value to a declared type (unify.c, unify_tensor.c) ---- */

/* Binds one argument to a declared type: generics of `item` not bound yet are bound in the current scope. Gives the
 * value as the function sees it (host numbers converted, contracts added). what: "parameter `x` of `forward`". */
const struct value *unify_value(struct elab *e, struct item *item, const struct type *t, const struct value *v,
				struct span at, const char *what);
/* An unfinished tensor passes into or out of a user's function only where the signature says so. */
const struct value *unify_boundary(struct elab *e, const struct value *v, struct span at, const char *what,
				   struct span where);

/* Which parameter of the item is fitted next, those that are done left out (ready.c): the first whose type needs no
 * size or placement that only another tells; of these one that is not late, where the caller says which are (NULL:
 * none). -1: none is left. */
int next_ready(struct elab *e, const struct item *item, const bool *done, const bool *late);

/* Says that a config, if one is what makes a number unknown when compiling, may be a const; false if none is. */
bool help_config(struct elab *e, struct diag *d, const struct value *v);
/* Says of a value in whose place an int stands that is known when compiling what it is. */
void note_not_known(struct elab *e, struct diag *d, const char *what, const struct value *v);

/* ---- structs (construct.c) ---- */

/* Sizes, placements and element types as `Net[4, 2, all]` has them, into out; false after an error. Placements at the
 * end may be left out: then out has fewer. */
bool struct_arguments(struct elab *e, const struct item *s, int n, struct expr *const *args, struct span at,
		      struct value *out);
/* What `Net` means in an expression, and `Net[4, 2, all]`; what either makes of fields. */
const struct value *struct_type(struct elab *e, struct item *s);
const struct value *struct_type_index(struct elab *e, const struct value *type, const struct expr *x);
const struct value *struct_construct(struct elab *e, const struct value *type, const struct arguments *args);

/* ---- placements (place.c) ---- */

const struct value *place_eval(struct elab *e, const struct expr *x);
/* Whether the value of x, which stands behind `@`, is a placement; a message if not. */
bool place_is_one(struct elab *e, const struct expr *x, const struct value *v);
/* Whether it is that of `auto(ranks(...))`, of which nobody knows yet what mesh it is. */
bool place_is_open(const struct elab *e, const struct place *p);
/* Which axes it has, if they have names. */
void place_note_axes(struct elab *e, struct diag *d, const struct place *p);
const struct value *place_index(struct elab *e, const struct place *p, const struct expr *x);
void place_collect(struct elab *e);
const struct place *place_intern(struct elab *e, const struct place *p);
/* The placement as compiled for fewer ranks: rank r becomes r * ranks / total, each rank once. Axes get shorter, the
 * inner ones first; where the ranks left do not fill a grid that is no longer on any axis, the last of them are not
 * used. */
const struct place *place_fold(struct elab *e, const struct place *p, int64_t ranks, int64_t total);

/* ---- layouts left out (open.c) ---- */

/* Lists an open layout of the program; *l becomes what --variant forces there, if it does. */
void open_layout(struct elab *e, const char *name, const struct place *p, const struct shape *s, struct layout_spec *l);
/* The same for what says `auto`, of a slot or value of that name; false after an error, where nobody searches. */
bool open_auto(struct elab *e, const char *of, const struct place *p, const struct shape *s, struct layout_spec *l);
/* The same for an `auto` at that place in the head of the block x, which is 1, the first
 * there is, or false until one is tried. */
bool open_way(struct elab *e, enum way_kind kind, const struct expr *x, struct span at);
/* What it lists of that block; NULL: nothing of the kind is open. */
struct open_way *open_way_of(struct elab *e, enum way_kind kind, const struct expr *x);
/* With options.opened: the placement, by a name that the program does not use; … */
const struct place *open_place(struct elab *e);
/* … where and how a slot with the type t is that says nothing of it, … */
void open_type(struct elab *e, const char *of, const struct type *t, const struct shape *s, const struct place **p,
	       struct layout_spec *l);
/* … what the type of a struct leaves out, so many placements, … */
void open_arguments(struct elab *e, const struct type *t, int placements);
/* … the value of an expression as it may be moved: the same where it is no tensor of the main file, … */
const struct value *open_move(struct elab *e, const struct value *v, const struct expr *x, enum open_kind kind);
/* … and of one that stands as a whole, an argument or what is bound to a name. */
const struct value *open_eval(struct elab *e, const struct expr *x);
/* Whether a search may write the file: the main one; with options.opened.imported, what it imports from its folder. */
bool open_owns(const struct elab *e, uint32_t file);
/* "12:30" in the main file, "lib/net.pml:12:30" in another one of those, else NULL. */
const char *open_place_name(struct elab *e, struct span at);

/* ---- values of several tensors and numbers (parts.c) ---- */

struct parts {
	VEC(const struct value *) at;
	VEC(bool) by_list; /* collected: whether it is the derivative by a list of params, a line for each of them */
};
/* Of what only the compiler knows: placements, element types, shapes, layouts, none. */
bool value_is_same(const struct value *l, const struct value *r);
/* A tensor, or a number, bool or key of the host. A tuple, list, struct or gradient. */
bool value_is_part(const struct value *v);
bool value_is_composed(const struct value *v);
/* How many members what is composed has; member i of it. */
int value_members(const struct value *v);
const struct value *value_member(struct elab *e, const struct value *v, int i);
/* Appends the parts of v in order; v with others in their place. */
void parts_collect(struct elab *e, const struct value *v, struct parts *out);
const struct value *parts_replaced(struct elab *e, const struct value *v, const struct parts *with);
/* What `change` makes of v, or of each part of it. */
typedef const struct value *part_change(struct elab *e, const struct value *part, struct span at);
const struct value *parts_changed(struct elab *e, const struct value *v, part_change *change, struct span at);
/* A struct, tuple or list with x as its member i. */
const struct value *parts_with_member(struct elab *e, const struct value *v, int i, const struct value *x);
/* Whether the two differ in their parts at most, or in the form of gradients (entries.c). */
bool parts_alike(const struct value *a, const struct value *b);
/* v, which is like form, with gradients in its form, so that the parts of both belong to each other in order. */
const struct value *parts_in_form(struct elab *e, const struct value *form, const struct value *v, struct span at);
/* v with params as the tensors that they are now, and host values as they are now. */
const struct value *parts_now(struct elab *e, const struct value *v, struct span at);

/* ---- entries of gradients (entries.c) ---- */

/* What g has for the slot; NULL: nothing. */
const struct gradient_entry *gradient_entry_for(const struct value *g, int slot);
/* The derivative that an entry of a gradient holds. */
const struct value *gradient_d(struct elab *e, const struct gradient_entry *d, struct span at);
/* Whether v is the derivative that the innermost `each` stands at, as it is or handed to functions. */
bool gradient_is_at(struct elab *e, const struct value *v, struct span at);
/* Whether both are by the same params. */
bool gradients_alike(const struct value *a, const struct value *b);
/* To a message that a gradient is wanted and v is given, which may be the derivative by an argument. */
void gradient_help(struct diag *d, const struct value *v);
/* g, which is like form, with entries in its order, and lines of derivatives by lists where its entries are. */
const struct value *gradient_in_form(struct elab *e, const struct value *form, const struct value *g, struct span at);

/* ---- lists as tensors (literal.c) ---- */

/* Lists that may be tensors; the tensor, of elements t, or value_error after an error; the elements that fit
 * its numbers. */
bool value_is_list(const struct value *v);
const struct value *literal_tensor(struct elab *e, const struct value *v, enum dtype t, struct span at);
/* The same where `as` says so: numbers of the running program and tensors, alike in shape, are converted and put side
 * by side along a new first dimension. */
const struct value *literal_as(struct elab *e, const struct value *v, enum dtype t, struct span at);
enum dtype literal_natural_type(struct elab *e, const struct value *v);
/* That of a number which says so (`x as f64`), else f32, i32, bool; f32 of what is none. */
enum dtype number_type(const struct value *v);
/* How a list, or NULL: one of floats, becomes the tensor that is wanted. */
void literal_help(struct elab *e, struct diag *d, const struct value *list);
/* Whether a number can be an element of the type it meets: an int that is known, says no type of its own and goes
 * beyond cannot, which an error tells. */
bool number_fits(struct elab *e, const struct host_value *h, enum dtype t, struct span at);
/* A number that is not known, or fits, as a node of the type that it is given for: one that the running program
 * computes ends it where it does not fit. */
/* An int that is declared to be of type t stays one; that it fits is told now, or asked wherever it is computed. */
const struct value *number_declared(struct elab *e, const struct value *v, enum dtype t, struct span at);
struct node *number_fitted(struct elab *e, const struct value *v, enum dtype t, struct span at);
/* A number as a tensor of that type; value_error if it is known and does not fit. */
const struct value *number_as(struct elab *e, const struct value *v, enum dtype t, struct span at);

/* ---- indices that only the running program knows (maybe.c) ---- */

/* Whether v can be an index of elements: a host int, or a tensor of ints. */
bool value_is_index(struct elab *e, const struct value *v);
/* v as `v?` is: what it names outside is left out, nothing is checked. */
const struct value *value_that_may_miss(struct elab *e, const struct value *v);
const struct value *expr_maybe(struct elab *e, const struct expr *x);
/* "dimension 0 of `w` has 8 elements"; inside the library, and where no tensor is named, what the op or function that
 * the program calls takes. of: a tensor's name, or NULL. */
const char *check_range(struct elab *e, const char *of, int dim, int64_t extent);

/* ---- arguments to parameters (arguments.c) ---- */

bool arguments_eval(struct elab *e, const struct expr *call, struct arguments *out);
/* The same in a list of their own: a call may change the list that it is given. */
struct arguments arguments_copied(struct elab *e, const struct arguments *args);
/* The error of an argument by a name that no parameter of `callee` has. */
struct diag *argument_unknown(struct elab *e, const struct argument *a, const char *callee, const char *what);
/* Which of n parameters has that name; -1: none. */
int param_named(const struct param *params, int n, const char *name);
/* The n parameters of a function, of the innermost one where derivatives and maps were made of it; NULL: f is none that
 * is written down. */
const struct param *function_params(const struct value *f, int *n);
/* The name of its parameter i, "" if it has none. */
const char *function_param_name(const struct value *f, int64_t i);
/* "`x`, `y` and `dim`". */
const char *param_names(struct elab *e, const struct param *params, int n);
/* Distributes arguments over n parameters, which messages call `what`; slots[i] is NULL where one was not given. False
 * after an error. */
bool arguments_match(struct elab *e, const struct arguments *args, const char *callee, const char *what,
		     const struct param *params, int n, const struct argument **slots);
/* True after the error of arguments that would fit in another order, or as one list (order.c). */
bool arguments_disordered(struct elab *e, const struct item *item, const struct arguments *args);
/* The same of a built-in that takes a tensor and a list of ints. */
bool arguments_of_list(struct elab *e, const char *callee, const struct arguments *args);

/* ---- names and patterns (bind.c) ---- */

void pattern_bind(struct elab *e, const struct pattern *p, enum binding_kind kind, const struct value *v,
		  struct span at);
/* A tensor that is computed here gets the name it is bound to; names of the library would say nothing to the user. */
const struct value *binding_named(struct elab *e, const struct value *v, const char *name);
/* What a variable holds: the tensor as it is now, not the param it was read from. */
const struct value *value_snapshot(struct elab *e, const struct value *v, struct span at);
/* A shape comes apart like the list of its sizes. */
const struct value *value_sizes(struct elab *e, const struct value *v);

/* ---- datasets (claim.c) ---- */

/* `dataset as (u8[_, 784], u8[_])`. */
const struct value *data_claim(struct elab *e, const struct value *v, const struct expr *x);

#endif
