/* random.h — random PML programs and what they must do. A program is a list of nodes (program.h) over applications of
 * operators (struct app): sets of points, evaluated one by one. Nothing here is shared with the compiler; what is legal
 * and what comes out is worked out from the language's definition. */
#ifndef PML_RANDOM_H
#define PML_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_DIM = 4, MAX_AXES = 3, MAX_FACTORS = 8, MAX_OPERANDS = 3, MAX_RANKS = 8, MAX_HELD = 4096 };

/* ---- memory and chance ---- */

struct heap {
	struct chunk *last;
};
void *heap_new(struct heap *h, size_t bytes); /* zeroed; ends the process if there is no memory */
char *heap_text(struct heap *h, const char *format, ...) __attribute__((format(printf, 2, 3)));
void heap_free(struct heap *h);

struct dice {
	uint64_t state;
};
uint64_t dice_bits(struct dice *d);
int dice_below(struct dice *d, int n);             /* 0 .. n - 1 */
int dice_range(struct dice *d, int low, int high); /* both included */
bool dice_chance(struct dice *d, int percent);

/* A text that grows. */
struct buffer {
	char *at;
	size_t n, room;
};
void buffer_add(struct buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buffer_free(struct buffer *b);

/* ---- tensors ---- */

enum dtype { F32, F64, I32, BOOL, DTYPES };
extern const char *const dtype_names[DTYPES];
bool dtype_is_float(enum dtype t);

struct shape {
	int rank, dim[MAX_DIM];
};
int shape_volume(const struct shape *s);
bool shape_same(const struct shape *a, const struct shape *b);
const char *shape_text(struct heap *h, const struct shape *s); /* "[3, 4]" */

/* ---- placements and layouts ---- */

enum combiner { SUM, MAX, MIN, PROD, COMBINERS };
enum atom_kind { ATOM_B, ATOM_S, ATOM_P, ATOM_WINDOW }; /* WINDOW: S, and what is read around it was fetched */
struct atom {
	enum atom_kind kind;
	int dim;
	enum combiner combiner;
	int factor; /* of a WINDOW: who reads what a rank's share of this factor reads, has it */
};
bool atom_same(struct atom a, struct atom b);

struct layout {
	struct atom axis[MAX_AXES];
};

/* `text` stands for it in the program; `alone` in the same program with every placement on one rank. */
struct place {
	const char *name, *text, *alone;
	int naxes, size[MAX_AXES], count;
	const char *axis[MAX_AXES];
	int rank[MAX_RANKS];
};

bool layout_same(const struct place *p, const struct layout *a, const struct layout *b);
bool layout_has_part(const struct place *p, const struct layout *l);
bool layout_mixes_parts(const struct place *p, const struct layout *l);
/* Every byte is where it is wanted: a B is seen as S or P. */
bool layout_converts(const struct place *p, const struct layout *from, const struct layout *to, const struct shape *s);
void coordinates_of(const struct place *p, int rank, int *coordinates);
const char *layout_text(struct heap *h, const struct place *p, const struct layout *l);

/* The elements of 0..n that part i of k holds: the first n mod k parts hold one more. */
void part_of(int n, int k, int i, int *begin, int *end);
/* Sets held[e] for the elements of the tensor that a rank (its coordinates on the placement) holds. P holds all. */
void held_elements(const struct place *p, const struct layout *l, const struct shape *s, const int *coordinates,
		   bool *held);

/* ---- bodies: one point of an operator ---- */

enum fn {
	FN_OPERAND,
	FN_CONST,
	FN_FACTOR,
#define FN(name, text, arity) FN_##name,
#include "fn.def"
#undef FN
	FNS
};

struct body {
	enum fn fn;
	enum dtype type;
	const struct body *arg[3];
	double value;
	int index; /* of an operand or factor */
};

struct dual {
	double v, t; /* value and tangent */
};

struct dual body_eval(const struct body *b, const struct dual *operand, const int *factor);
double body_margin(const struct body *b, const struct dual *operand, const int *factor);
bool body_is_exact(const struct body *b);      /* exact results of exact values */
bool body_is_continuous(const struct body *b); /* no comparison, rounding, conversion to ints */

/* ---- operators: sets of points ---- */

struct index {
	int offset, coef[MAX_FACTORS];
	int data; /* the operand that is the index, or -1 */
};
struct access {
	enum dtype type;
	struct shape shape;
	struct index index[MAX_DIM];
};
enum joiner {
	JOIN_NONE,
	JOIN_SUM,
	JOIN_PROD,
	JOIN_MAX,
	JOIN_MIN,
	JOIN_MEAN,
	JOIN_ANY,
	JOIN_ALL,
	JOIN_ARGMAX,
	JOIN_ARGMIN
};
struct app {
	int nfactors, extent[MAX_FACTORS], noperands;
	struct access in[MAX_OPERANDS], out;
	enum joiner joiner;
	bool reduced[MAX_FACTORS];
	const struct body *body;
};

/* What one rank has of an operand: values, tangents (or NULL), and which elements (NULL: all). */
struct operand {
	const double *v, *t;
	const bool *held;
};
/* Evaluates all points whose elements are held. v, t (or NULL): result; full[e] (or NULL): no point of element e was
 * left out; an element without points has the joiner's neutral value. */
void app_eval(const struct app *a, const struct operand *in, double *v, double *t, bool *full);
/* How far the points are from a place where the derivative jumps. Equal elements of a max or min do not count: they
 * share. */
double app_margin(const struct app *a, const struct operand *in);
double join_neutral(enum joiner j);
/* The factor that alone makes up the dimension over its whole extent, or -1. */
int plain_factor(const struct app *a, const struct access *at, int d);

/* ---- the oracle ---- */

enum verdict { LEGAL, ILLEGAL, UNDECIDED };
/* Whether an application to operands of these layouts needs no communication, and the result's layout. ILLEGAL: no
 * layout of the result can be computed from what the ranks hold. UNDECIDED: it can, but not by the rules that the
 * language states, or in two ways that are equally near. */
enum verdict oracle_app(const struct app *a, const struct place *p, const struct layout *in, struct layout *out,
			struct dice *d);
/* The same for a reshape. */
enum verdict oracle_reshape(const struct shape *from, const struct shape *to, const struct place *p,
			    const struct layout *in, struct layout *out);

#endif
