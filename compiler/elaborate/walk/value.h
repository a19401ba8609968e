/* value.h — what an expression stands for while a program is walked.
 *
 * Elaboration runs the program on values of three sorts at once: those known now (sizes, shapes, placements,
 * functions), host values (known when the program runs, alike on every rank) and tensors (nodes of a graph). All are
 * one tagged struct. Values are immutable and live in the session's arena; a failed expression gives value_error, which
 * every operation accepts and passes on silently, so that one mistake makes one message. */
#ifndef PML_VALUE_H
#define PML_VALUE_H

#include "../../program.h"
#include "ast.h"

struct value;
struct tensor;

enum value_kind {
	VALUE_ERROR,  /* already reported */
	VALUE_NONE,   /* `none`, and what a function without `return` gives */
	VALUE_HOST,   /* int, float, bool, text, key; known now or when the program runs */
	VALUE_TENSOR, /* a node */
	VALUE_PARAM,  /* a param or state: its tensor now, and a place to assign to */
	VALUE_PLACE,
	VALUE_LAYOUT,
	VALUE_DTYPE,
	VALUE_SHAPE, /* [12, 784]: also what a list of ints turns into */
	VALUE_TUPLE,
	VALUE_LIST,
	VALUE_RANGE,
	VALUE_STRUCT,      /* an instance of a struct: fields by name */
	VALUE_STRUCT_TYPE, /* a struct by its name, with its arguments or without: `object` has no fields */
	VALUE_FUNCTION,    /* fn or op */
	VALUE_BUILTIN,
	VALUE_DERIVED,  /* grad(f), value_and_grad(f), vjp(f), jvp(f) */
	VALUE_GRADIENT, /* what they give: one tensor per param */
	VALUE_DATASET,
	VALUE_BATCHES,
	VALUE_NAMES, /* a `names` block */
};

/* A host scalar. known: i, f or text hold it (bool and int in i); expr may say what was compared to know it. Otherwise
 * expr computes it. */
struct host_value {
	enum host_type type;
	bool known;
	int64_t i;
	double f;
	struct {
		int64_t of, by;
	} ratio; /* by is not 0: f is a quotient of ints that is not whole, for messages */
	const char *text;
	struct host_expr *expr;
	bool is_typed; /* the program has said `as`: the element type that it has as a tensor of its own */
	enum dtype dtype;
};

/* VMAP: no derivative, but called alike. */
enum derivation {
	DERIVE_GRAD,
	DERIVE_VALUE_AND_GRAD,
	DERIVE_VJP,
	DERIVE_JVP,
	DERIVE_VMAP,
	DERIVE_CUSTOM_JVP,
	DERIVE_CUSTOM_VJP
};

/* One argument that `over = ("x", 1)` names. */
struct mapped_argument {
	const char *name; /* NULL: by position */
	int64_t position;
	struct span span;
};

/* One thing named by `wrt = (encoder, head)`: a param, or all params of a struct or array. */
struct wrt_params {
	VEC(int) slots;
	struct span span;
};

struct derived {
	enum derivation how;
	const struct value *function;
	VEC(struct name) wrt;             /* names of arguments; empty: params */
	VEC(struct wrt_params) only;      /* the params; empty: all that f reads */
	const struct ast_layout *layout;  /* of the gradients, if the program asks for one */
	VEC(struct mapped_argument) over; /* VMAP: whose lines f is called for; empty: of all */
	const struct value *rule;         /* CUSTOM: what gives f's tangent, or the arguments' cotangents, */
	struct span rule_span;            /* and where it is named */
	struct span span;
};

/* One entry of a gradient: d belongs to slot `slot`, or (slot -1) to the argument `name`. */
struct gradient_entry {
	int slot;
	const char *name;
	const struct value *d;     /* NULL: to be taken out of `all` (gradient_d) */
	struct layout_spec layout; /* of d, for a slot */
	const struct value *all;   /* of which d is line `turn`: the derivative by the slot's list; NULL: none */
	int turn;
};

/* `dp=S(0)` in a layout that is a value. */
struct axis_layout {
	struct name axis;
	struct span span;
	const struct layout_spec *layout; /* of one axis, as in struct value */
};

/* A field (column) of a dataset. */
struct data_field {
	enum dtype dtype;
	struct shape row;
};
struct dataset {
	struct host_expr *handle;
	int nfiles; /* how many fields the reader has; -1: known to the file only */
	bool claimed;
	VEC(struct data_field) fields;
	struct span span; /* the reader's call */
};
struct batches {
	const struct dataset *data;
	const struct host_value *key; /* NULL: in order */
	int64_t size;
	bool rest; /* the rows left over make a last batch, and a member more says which rows are there */
	struct host_expr *first, *steps; /* numbers of the first batch and behind the last */
	bool once;                       /* one pass, whatever steps */
	struct span span;
};

struct struct_field {
	const char *name;
	const struct value *value;
};

struct value {
	enum value_kind kind;
	bool may_miss;          /* HOST, TENSOR, PARAM: `i?`, an index that may name nothing */
	struct slot_line *line; /* PARAM: in the turns of a loop over its list, of which `slot` is the first; NULL: it
				   is `slot` */
	union {
		struct host_value host;
		struct tensor *tensor;
		int slot; /* PARAM */
		const struct place *place;
		struct { /* LAYOUT: of any axis, a variable of the graph, or GIVEN with one atom, in atom[0]; … */
			const struct layout_spec *layout;
			VEC(struct axis_layout) axes; /* … with layout NULL: of axes by name, others are `B` */
		};
		enum dtype dtype;
		struct shape shape;
		VEC(const struct value *) items; /* TUPLE, LIST */
		struct {
			const struct value *from, *to;
		} range;
		struct {
			struct item *item;
			VEC(const struct value *) args; /* sizes, placements, element types of the instance */
			VEC(struct struct_field) fields;
		} object;
		struct item *function;
		int builtin; /* enum builtin */
		const struct derived *derived;
		VEC(struct gradient_entry) gradient;
		const struct dataset *dataset;
		const struct batches *batches;
		int names; /* index into program.names */
	};
};

extern const struct value value_error, value_none;
/* What a function gives that ends without `return`: nobody may use it. */
extern const struct value value_nothing;

struct elab;

const struct value *value_host(struct elab *e, const struct host_value *h);
const struct value *value_int(struct elab *e, int64_t i);
const struct value *value_float(struct elab *e, double f);
const struct value *value_bool(struct elab *e, bool b);
const struct value *value_text(struct elab *e, const char *text);
/* A host value computed at run time. */
const struct value *value_expr(struct elab *e, struct host_expr *expr);
const struct value *value_place(struct elab *e, const struct place *p);
const struct value *value_dtype(struct elab *e, enum dtype t);
const struct value *value_shape(struct elab *e, const struct shape *s);
const struct value *value_layout(struct elab *e, const struct layout_spec *l);
/* A layout of one atom; a dim below 0 counts from the end. */
const struct value *value_atom(struct elab *e, enum shard_kind kind, int dim, int combiner);
const struct value *value_tuple(struct elab *e, int n, const struct value *const *items);
struct value *value_new(struct elab *e, enum value_kind kind);

static inline bool value_failed(const struct value *v)
{
	return v->kind == VALUE_ERROR;
}
static inline bool value_is_known(const struct value *v)
{
	return v->kind == VALUE_HOST && v->host.known;
}
/* Whether both are known, and the same to the last bit: 0.0 is not -0.0. */
bool host_known_same(const struct host_value *l, const struct host_value *r);
bool value_is_number(const struct value *v); /* host int or float */
bool value_is_tensor(const struct value *v); /* tensor or param */

const char *host_type_text(enum host_type t);

#endif
