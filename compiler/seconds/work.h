/* work.h — what the steps of a plan do, whatever it takes: of a kernel operations by class, bytes of its buffers and
 * vector loops entered, counted from its loops; of a product its extents. Nothing here knows a speed; machine/ has
 * those, price.h brings both together. */
#ifndef PML_SECONDS_WORK_H
#define PML_SECONDS_WORK_H

#include "../program.h"
#include "../machine/machine.h"
#include "reuse.h"

struct kernel_work {
	double vector[OPERATIONS]; /* of 4 bytes each, in full vectors: a last one that is not full counts as one */
	double single[OPERATIONS]; /* outside of vector loops */
	double loops;              /* vector loops that are entered */
	double bytes;              /* read and written, each element of a buffer once */
};

/* Of one parameter's buffer: bytes that are touched, and bytes that go to and fro for them. */
struct param_bytes {
	double touched, moved;
};

/* vector_bytes: of the machine's vectors. bytes: by parameter of the kernel; may be NULL. */
struct kernel_work kernel_work(const struct kernel *k, int vector_bytes, struct param_bytes *bytes);

/* As what a scalar function counts. */
enum machine_operation work_operation(enum scalar_fn fn);

enum work_kind {
	WORK_NONE, /* what belongs to transfers, or takes nothing */
	WORK_KERNEL,
	WORK_PRODUCT,
	WORK_SORT,
	WORK_FOURIER,
	WORK_FACTORS,
	WORK_COPY,
	WORK_CHECK,
	WORK_TURN, /* of a loop */
};
struct step_work {
	enum work_kind kind;
	struct kernel_work kernel; /* KERNEL */
	enum dtype type;           /* PRODUCT: what its factors are, or are rounded to; … */
	int64_t m, n, k;           /* … its extents, … */
	double turns;              /* … how often it is made, … */
	enum factors_way way;      /* FACTORS: of `turns` matrices of n lines */
	double amount; /* … elements that are gathered one by one for it, of 4 bytes; SORT: element and level, of 4
			  bytes; FOURIER: operations, of 4 bytes; FACTORS: those of a matrix; COPY: bytes; CHECK:
			  elements */
	struct reuses reuses; /* the bytes that go to and fro, by how far away they are */
};

/* The works of one program's steps; of kernels each is counted when first asked for, and of plans all steps. */
struct works {
	struct arena *arena;
	const struct program *program;
	int vector_bytes;
	struct counted_kernel {
		struct kernel_work work;
		struct param_bytes *bytes; /* by parameter; NULL: not counted yet */
	} * kernel;                        /* by kernel of the program */
	const struct plan *plan;           /* the last that was asked for, */
	const struct reuses *reuse;        /* and where its steps' bytes come from */
};
struct works works_of(struct arena *a, const struct program *p, int vector_bytes);
struct step_work work_of_factors(enum factors_way way, enum dtype type, int64_t n, double matrices);
/* Bytes that a step reads and writes at least, each element once; 0 where that says nothing. */
double work_bytes(const struct step_work *w);
/* s: one of the plan's. */
struct step_work step_work(struct works *w, const struct plan *plan, const struct plan_step *s);

#endif
