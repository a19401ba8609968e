/* program.h — a random program while it is made: its text, and the nodes that say what it computes. */
#ifndef PML_RANDOM_PROGRAM_H
#define PML_RANDOM_PROGRAM_H

#include "random.h"

enum { MAX_NODES = 2000, MAX_POOL = 200, MAX_PLACES = 6, MAX_VOLUME = 400 };

/* The ranks of a file and the placements its programs use. */
struct world {
	bool is_reproducible; /* its programs are compiled so */
	int ranks, nplaces;
	struct place place[MAX_PLACES];
};
void world_make(struct world *w, struct heap *h, struct dice *d);

enum node_kind { NODE_SOURCE, NODE_APP, NODE_RESHAPE, NODE_SAME };
struct node {
	enum node_kind kind;
	enum dtype type;
	struct shape shape;
	const struct place *place; /* NULL: on no rank yet */
	struct layout layout;
	const struct app *app;
	int in[MAX_OPERANDS], nin;
	int modulus, step, low; /* of a source: element e is e * step % modulus - low, scaled */
	uint16_t odd;           /* of a source: bit r: where e * step % modulus is r, a value of odd_values (odd.c) */
	int odd_first;          /* which of them the first of these is */
	bool stops;             /* stop_gradient */
	bool known;             /* v is what comes out; of random draws only the ranks' agreement is known */
	bool exact;             /* in every order of summation */
	double *v, *t, scale;
};

struct variable {
	const char *text;
	int node;
	bool is_param;
};

struct expectation {
	int node, label;
	const double *v; /* of the moment */
	struct expectation *next;
};

struct maker {
	struct heap *heap;
	struct dice dice;
	const struct world *world;
	uint64_t seed;
	struct node *node;
	int nnodes, names;
	struct variable pool[MAX_POOL];
	int npool;
	struct buffer items, text; /* declarations; statements of main or of the function at hand */
	int indent;
	const char *prefix; /* of all names of the program */
	bool parts;         /* rather unfinished values, of `combiner` */
	enum combiner combiner;
	bool smooth;                /* what is made is differentiated: only continuous functions of floats */
	bool odd;                   /* floats may be infinite, NaN, -0.0, as large or small as there are */
	bool in_function, may_part; /* the result may be P */
	bool failed, undecided;     /* the step at hand cannot be */
	bool finished_wrong;        /* a step may be illegal; */
	bool spoiled;               /* values got out of hand: the program is not used */
	bool is_wrong;              /* it was: the last statement must be rejected */
	struct buffer expected;
	int labels;
	const struct place *at; /* where most things happen */
};

/* ---- nodes ---- */

int node_source(struct maker *m, enum dtype t, const struct shape *s, const struct place *p, const struct layout *l);
/* The application of an operator; sets m->failed or m->undecided. */
int node_apply(struct maker *m, const struct app *a, const int *in);
/* The same of an operator that the language defines over two operands, even if they are one value. */
int node_apply_twice(struct maker *m, const struct app *a, const int *in);
int node_reshape(struct maker *m, int x, const struct shape *s);
int node_move(struct maker *m, int x, const struct place *p, const struct layout *l);
int node_stop(struct maker *m, int x);
/* The nodes from first to before last again, with `from` replaced by `to`; gives the new number of the node `wanted`.
 */
int node_replay(struct maker *m, int first, int last, const int *from, const int *to, int n, int wanted);
/* Values, and with tangents the directional derivative from what t of the sources says. */
void node_evaluate(struct maker *m, int first, int last, bool tangents);
struct layout some_layout(struct maker *m, const struct place *p, const struct shape *s, int parts_percent);
int parts_percent(const struct maker *m, enum dtype t, int percent); /* none of truth values but of their maxima */
bool usable(const struct maker *m, int n);                           /* finite, not too large */

/* ---- values that are no common numbers (odd.c) ---- */

/* Gives some elements of a source of floats such values, maybe. */
void odd_fill(struct maker *m, int node);
/* What stands in the source's text around the expression for its common values. */
const char *odd_text(struct maker *m, int node, const char *all);
bool is_far(double v); /* finite, but so large or small that arithmetic would leave the range of its type */
/* Whether an operator hands on some of what it reads, or its negative, as it is. */
bool app_copies(const struct app *a);
/* Whether what comes of odd operands is not told by the operator's points alone. */
bool app_is_open(const struct maker *m, const struct app *a, const int *in);

/* ---- text ---- */

const char *new_name(struct maker *m, const char *stem);
void line(struct maker *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *place_layout(struct maker *m, const struct place *p, const struct layout *l); /* "@p : S(0)" */
const char *type_text(struct maker *m, int node);                                         /* "f32[3] @p : S(0)" */
/* Binds the value to a name, if it can be (text: an expression, or "[i, j] = ..." in index notation): the nodes since
 * `first` are dropped if not. Gives the variable or -1. */
int define(struct maker *m, int first, int node, const char *text);
int find_variable(struct maker *m, bool (*fits)(const struct maker *, const struct node *, const void *),
		  const void *with);
/* A value of the type on the placement: one there is, or a new one. */
int some_operand(struct maker *m, enum dtype t, const struct shape *s, const struct place *p);
int new_source(struct maker *m, enum dtype t, const struct shape *s, const struct place *p, const struct layout *l);
const char *number(struct maker *m, enum dtype t, double v);
void expect(struct maker *m, int node, const char *text);
void expect_quietly(struct maker *m, int node);     /* the print is written by the caller */
const char *source_text(struct maker *m, int node); /* an expression for the values of a source, on no rank */
void source_fill(struct maker *m, int node);

/* ---- applications ---- */

const struct body *b_operand(struct maker *m, int k, enum dtype t);
const struct body *b_const(struct maker *m, enum dtype t, double v);
const struct body *b_factor(struct maker *m, int f);
const struct body *b_fn(struct maker *m, enum fn fn, enum dtype t, const struct body *x, const struct body *y,
			const struct body *z);
struct app *app_new(struct maker *m, const struct body *b, int noperands);
/* One more dimension of an operand or result: indexed by a factor alone, or -1: by 0. */
void add_dim(struct access *at, int extent, int factor);
/* Elementwise with broadcasting; NULL if the shapes do not fit. */
const struct app *app_pointwise(struct maker *m, const struct body *b, const int *in, int n);
/* The dimension d of x reduced. */
const struct app *app_reduce(struct maker *m, int x, int d, enum joiner j, enum dtype out);
/* x[.., k] and y[..] with k standing for dimension d. */
const struct app *app_along(struct maker *m, enum fn fn, int x, int y, int d);

/* ---- steps: each adds one variable or none ---- */

typedef bool node_test(const struct maker *m, const struct node *n, const void *with);
node_test is_float, is_number, is_bool, is_int, is_any;
int some_variable(struct maker *m, node_test *fits); /* a new one if there is none */
struct shape some_shape(struct maker *m, int rank);
/* The node and text of a variable, now and then moved on the way. */
int take(struct maker *m, int variable, const char **text);
int literal(struct maker *m, enum dtype t, double v); /* a node on no rank */

int step_any(struct maker *m);
int step_move(struct maker *m, int variable);
extern const struct step {
	const char *name;
	int weight;
	bool smooth; /* may be differentiated */
	int (*make)(struct maker *m);
} steps_of_parts[], steps_elementwise[], steps_shape[], steps_product[], steps_library[], steps_own[], steps_order[],
	steps_index[];

/* ---- programs ---- */

void program_make(struct maker *m);
void make_steps(struct maker *m, int least, int most);
void show(struct maker *m, int most); /* prints the last variable and some others, at most so many */
void make_loop(struct maker *m);
void make_remat(struct maker *m);
void make_condition(struct maker *m);
void make_state(struct maker *m);
void make_function(struct maker *m);
void make_gradient(struct maker *m);
void world_items(const struct world *w, struct heap *h, struct buffer *out, bool alone);

#endif
