/* plan.h — one role's schedule of one region: steps in order, and where every buffer lives. */
#ifndef PML_PLAN_H
#define PML_PLAN_H

#include "../graph/rows.h"
#include "../kernel/kernel.h"
#include "../kernel/product_pack.h"
#include "../layout/redist.h"
#include "../op/fourier.h"
#include "../../runtime/factors_way.h"
#include "../../runtime/fourier_way.h"
#include "../../runtime/moves/count.h"

enum buffer_kind {
	BUFFER_ARENA,  /* at `offset` in the region's arena */
	BUFFER_SLOT,   /* storage of slot `slot` */
	BUFFER_SPARE,  /* memory as large as that of slot `slot`, which takes turns with it */
	BUFFER_BATCH,  /* where the runtime has the batch: known when a STEP_BATCH_READ is done, and never written */
	BUFFER_MOVING, /* where a loop says, turn by turn: in one of `within` (struct plan_loop) */
	BUFFER_TAPE,   /* lines of a loop of unknown turns, one line `elements` long; grows as the loop goes on, and as
			  loops   around it do if they stack it (plan_loop.rewinds) */
};
struct buffer {
	enum buffer_kind kind;
	enum dtype type;
	int64_t elements; /* local */
	int64_t offset;   /* bytes, multiple of 64 */
	int slot;
	int first_step, last_step;
	VEC(int) within;  /* MOVING: the buffers it may lie in */
	bool is_shared;   /* a moving one may lie in it: nothing else is written in its place */
	const char *name; /* of the source, for `plan --memory` */
};

/* Bytes of its elements, of a tape those of a line. */
static inline int64_t buffer_size(const struct buffer *b)
{
	return count_mul(b->elements, dtype_size(b->type));
}

/* A scalar that a kernel, a gemm or a region result takes: a region argument, a constant, a shard origin of this rank
 * (shard_begin(n, extent of the axis, coordinate on it), summed over nested axes by the runtime coordinate), or element
 * 0 of a buffer. */
enum operand_kind { OPERAND_ARGUMENT, OPERAND_CONST, OPERAND_ORIGIN, OPERAND_ELEMENT };
struct plan_scalar {
	enum operand_kind kind;
	enum dtype type;
	int argument; /* ARGUMENT: number; ELEMENT: buffer */
	union scalar_value number;
	struct { /* ORIGIN of dimension dim of a tensor type on a placement: first global index of this rank's shard */
		int type; /* number in the program's types: shape, placement, layout */
		int dim;
	} origin;
};

enum plan_step_kind {
	STEP_KERNEL,         /* kernel over buffers and scalars (in order of the kernel's params) */
	STEP_GEMM,           /* contraction through the kernel interface */
	STEP_FOURIER,        /* transforms of src's lines into dst */
	STEP_SORTED,         /* ranks of the elements of src's lines into dst, or positions of the first of them */
	STEP_CHECK,          /* the indices src, each in its range, into dst, which may be src */
	STEP_FACTORS,        /* factors of the matrices src into dst */
	STEP_TRANSFER_BEGIN, /* transfer `transfer`, src buffer (-1 none), dst buffer (-1 none); buffers: the indices of
				a row gather */
	STEP_TRANSFER_END,
	STEP_BATCH_READ, /* buffer dst is field `field` of the batches handle in argument `argument`, as type `type`:
			  * part `part` of the loop's feed (feeds.c) */
	STEP_COPY,       /* src buffer to dst buffer, whole */
	STEP_EXCHANGE,   /* src, the spare of the slot dst, is its storage from the next region on */
	STEP_HAND,       /* src, a tape, is the storage of the slot dst, until the region runs again */
	STEP_RESULT,     /* region result `result` = scalar */
	STEP_PASS_BEGIN, /* what follows belongs to the pass of a pipeline over micro-batch `micro`, so many later as
			  * loop `loop` has made turns (-1: in none); micro -1: to none */
	STEP_LOOP_BEGIN, /* of loop `loop`; its scalar is the number of turns, -1 where a condition decides; if there is
			  * none to make, what is behind the end is next */
	STEP_LOOP_TEST,  /* its scalar is the condition; where it does not hold, what is behind the end is next */
	STEP_LOOP_END,   /* what stands behind the begin is next, if a turn is left */
};

/* C = alpha * op(A) op(B) + beta * C in every turn of the loops, outermost first; strides and leading dimensions in
 * elements. exact: C is i64 and counts the products of op(A) op(B), or adds them up if beta is 1, in units of the grid
 * that `grid` holds for each element of C, or alpha for all (runtime/contract_exact.h). */
struct plan_gemm {
	enum dtype type, type_b; /* of A and of B; where they are of 8 bits, C is i32, alpha 1 and beta 0 or 1 */
	enum dtype factors;      /* f32 are rounded to it before they are multiplied; DT_F32: they are not */
	bool exact;
	bool ta, tb;
	int64_t m, n, k, lda, ldb, ldc;
	struct plan_scalar alpha, beta;
	int a, b, c; /* buffers */
	int grid;    /* buffer of f64, whose elements lie as those of C; -1: none */
	int64_t offset_a, offset_b, offset_c, offset_grid;
	int nloops;
	const struct product_loop *loop;
	const struct product_pack *pack_a, *pack_b; /* NULL: read in place */
	const struct contraction_filter *filter;    /* by which it is made instead (kernel/filter.c); NULL: it is not */
	int workspace;                              /* buffer for both, A first, or for the filter; -1: none */
};

/* As products of which type they are timed: those that round their factors as of what they are rounded to, those of 8
 * bits, which take no longer, as of f32. */
static inline enum dtype plan_product_type(const struct plan_gemm *g)
{
	if (dtype_is_byte(g->type))
		return DT_F32;
	return g->factors == DT_F32 ? g->type : g->factors;
}

/* Lines of n elements `inner` apart, outer * inner of them; dst is i32: with first 0 as large as src, else lines of
 * `first`, from rank `from` on (see kernel/ranking.h). */
struct plan_sorted {
	enum dtype type;
	bool down;
	int64_t outer, n, inner, from, first;
	int workspace; /* buffer of u64 */
};

/* See kernel/fourier.h. The first part is in src, or dst, the second in the buffer `second`, which may be the same. */
struct plan_fourier_side {
	int second;
	int64_t offset[2], parts, count, step;
	struct plan_scalar part, first;
};
struct plan_fourier {
	enum dtype type;
	int64_t n;
	bool positive;
	enum fourier_numbers numbers;
	double scale;
	bool in_ends_halved, out_ends_halved;
	struct plan_fourier_side in, out;
	int nloops;
	const struct fourier_loop *loop;
	int workspace; /* buffer of u64 */
};

/* count matrices of n lines. */
struct plan_factors {
	enum factors_way way;
	enum dtype type;
	int64_t count, n;
	int workspace; /* buffer of u64 */
};

/* Indices or divisors; src is a shard of `type`. Where they come from
 * the batches of argument `rows.argument`, what is said of a failure names the row. */
struct plan_check {
	int type, site;
	int64_t extent;
	enum asked asked;
	bool is_proved; /* as a node's */
	struct batch_rows rows;
	int loop; /* of the plan: rows.loop; -1: none */
};

/* A tensor that a step writes, as it is called where it has to be named. */
enum plan_write_kind {
	WRITES_VALUE,    /* of the source: "h" */
	WRITES_GRADIENT, /* of a value of the source */
	WRITES_RESULT,   /* of an operator: "div" */
};
struct plan_write {
	enum plan_write_kind kind;
	int buffer, site; /* site: index into the program's sites, with the name */
};

/* A buffer that is another line, or another one of several, in every turn: first + step * turn, back: that many behind
 * the number of turns. */
struct plan_move {
	int buffer;
	VEC(int) of; /* one: of its lines, each as long as the buffer; several: of these */
	bool of_lines;
	bool late; /* not before the test */
	bool back;
	int64_t first, step;
	int64_t lines; /* that there are; 0: of a tape */
	bool of_all; /* of a tape: counted from its first line, not from the first of the loop that wrote on it last */
	int site;
};

/* A moving buffer lies where the other one does. */
struct plan_place {
	int buffer, at;
};

/* Around the steps from `begin` to `end`. */
struct plan_loop {
	int id;               /* in the region's graph; -1: of strips (strips.c) */
	int outer;            /* -1: none */
	int begin, test, end; /* steps; test -1: there is none */
	int64_t turns;        /* -1: not known */
	int64_t most;         /* turns that may be made at the most, -1: any number */
	bool asks;            /* a condition decides */
	int turn;             /* buffer that holds the number of the turn, -1: nobody reads it */
	VEC(struct plan_move) moves;
	VEC(struct plan_place) starts; /* set before the first turn */
	VEC(struct plan_place) nexts;  /* set behind every turn, all at once */
	VEC(int) cleared;              /* buffers that are zero before the first turn */
	VEC(int) tapes;                /* that it writes a line of in every turn, */
	VEC(int)
	rewinds; /* and whose first line is written in it: of loops in it, if these write on behind each other */
	VEC(int) buffers; /* all that it moves or keeps from turn to turn */
	int site;
};

struct plan_step {
	enum plan_step_kind kind;
	struct span span;
	const char *name;
	struct kernel *kernel;
	VEC(int) buffers;
	VEC(int64_t)
	from; /* KERNEL: the element of each that is its first for the kernel; 0 for those behind the last said */
	VEC(struct plan_scalar) scalars;
	VEC(struct plan_write) writes; /* a transfer's stand at its end; of batches there are none */
	struct plan_gemm *gemm;        /* these of their kinds of steps alone */
	struct plan_sorted *sorted;
	struct plan_fourier *fourier;
	struct plan_factors *factors;
	struct plan_check *check;
	int transfer, src, dst;
	int carrier; /* the transfer with which `transfer` leaves: itself, or the last of its bucket */
	int argument, field, type, part;
	int result;
	int micro;
	enum pass_kind pass;
	int loop;
	int piece, pieces; /* KERNEL, GEMM: it writes the first, second … of so many parts of its result; 0: all */
	int64_t flops;
};

struct plan {
	VEC(struct buffer) buffers;
	VEC(struct plan_step) steps;
	VEC(struct plan_loop) loops; /* outer ones first */
	int64_t arena_bytes;
};

/* A step that names nothing yet. */
static inline struct plan_step plan_step_of(enum plan_step_kind kind)
{
	return (struct plan_step){.kind = kind,
				  .transfer = -1,
				  .carrier = -1,
				  .src = -1,
				  .dst = -1,
				  .type = -1,
				  .argument = -1,
				  .loop = -1};
}

/* The buffers a step names, from number `from` on, at most max of them; how many were written to list. */
int plan_step_buffers(const struct plan_step *s, int *list, int max, int from);

static inline int64_t plan_step_from(const struct plan_step *s, int buffer)
{
	return buffer < s->from.n ? s->from.at[buffer] : 0;
}

/* Whether it begins, tests or ends a loop, and computes nothing. */
static inline bool plan_step_is_loop(const struct plan_step *s)
{
	return s->kind == STEP_LOOP_BEGIN || s->kind == STEP_LOOP_TEST || s->kind == STEP_LOOP_END;
}

void plan_print(struct text *t, const struct plan *p);
/* Buffers live when used and not overlapping while live, steps refer to what exists, every begin has its end, and what
 * travels together begins before it leaves and ends after. NULL if legal. */
const char *plan_verify(struct arena *a, const struct plan *p);

#endif
