/* kernel.h — kernel IR: loops over local buffers, the last form before LLVM. It knows no operators and no ranks.
 *
 * A kernel has parameters (buffers, scalars) and a body of instructions over typed virtual registers, each assigned
 * once. Loops are structured and have constant extents. At most one loop on any path from the root is a vector loop:
 * its points are lanes, everything in it that depends on its variable is a vector, and it may contain plain loops (not
 * vector ones). The backend chooses the number of lanes, masks the tail, and so gives every point the same bits
 * wherever it falls. Running values (K_PREFIX) of a vector loop go from point to point in order.
 *
 *   kernel "softmax"(in b0: f32[2560], out b1: f32[2560]) flops 25600 {
 *     loop i0 256 {
 *       vloop i1 10 reduce(%0: f32 = max) {
 *         %1 = load f32 b0[10*i0 + 1*i1]
 *         %0 <- %1
 *       }
 *       vloop i2 10 reduce(%2: f32 = sum) {
 *         %3 = load f32 b0[10*i0 + 1*i2]
 *         %4 = - f32 %3, %0
 *         %5 = exp f32 %4
 *         %2 <- %5
 *       }
 *       … store b1[10*i0 + 1*i3] %8
 *     }
 *   } */
#ifndef PML_KERNEL_H
#define PML_KERNEL_H

#include "../op/rule.h"
#include "base/session.h"

enum kernel_param_kind { KP_IN, KP_OUT, KP_INOUT, KP_SCALAR };

struct kernel_param {
	enum kernel_param_kind kind;
	enum dtype type;
	int64_t size; /* elements of a buffer; buffers of KP_OUT never overlap others, unless `same` says so. A kernel
			 may load what it stored to KP_OUT or KP_INOUT before */
	int same;     /* parameter whose buffer this may be, element for element (in place), or -1 */
	const char *name; /* of the source, for LLVM names; may be NULL */
	int reg;          /* KP_SCALAR: the register that holds it */
};

enum kernel_instr_kind {
	K_CONST,   /* reg = number */
	K_LOOPVAR, /* reg = value of affine `at` as i64 (global index values: loop variables + scalar params added by
		      K_APPLY) */
	K_APPLY,   /* reg = fn(a, b, c), of scalar.def; arguments are registers */
	K_LOAD,  /* reg = param[at] ; element type param.type. With `guard` >= 0: only where that bool register is true,
		    else `number` */
	K_STORE, /* param[at] = a ; with guard likewise */
	K_REDUCE, /* accumulator reg of a loop around it <- combine(reg, a); for ARGMAX/ARGMIN b is the index value;
		     with c >= 0, of sums of f32 and f64, reg + a * c, rounded once where the machine can. With
		     `guard` only where that holds */
	K_PREFIX, /* accumulator b of the loop just around it <- combine(b, a); reg = what it has come to */
	K_LOOP,
};

/* Address in elements: offset + sum of coef * loop variable + register * scale (data index or run-time offset, reg -1:
 * none). */
struct kernel_affine {
	int64_t offset;
	int nterms;
	struct {
		int loop;
		int64_t coef;
	} term[MAX_FACTORS];
	int reg;
	int64_t scale;
};

/* What a turn of the loop adds to the address, by its variable. */
static inline int64_t affine_coef(const struct kernel_affine *at, int loop)
{
	for (int i = 0; i < at->nterms; i++)
		if (at->term[i].loop == loop)
			return at->term[i].coef;
	return 0;
}

/* Loop-carried value: starts as the combiner's neutral element, joined by K_REDUCE or, once and without an index, by
 * K_PREFIX inside, read after the loop. */
struct kernel_acc {
	int reg;
	int index_reg; /* ARGMAX/ARGMIN: where the winner's index ends up (i64); reg holds its value. Else -1 */
	enum dtype type;
	enum combiner combiner;
};

enum { MAX_ACCS = 8 };

/* Whether products of a sum of this type go into it without being rounded, where the machine can. */
static inline bool kernel_contracts(enum dtype t)
{
	return t == DT_F32 || t == DT_F64;
}

struct kernel_instr {
	enum kernel_instr_kind kind;
	struct kernel_instr *next;
	int reg;
	enum dtype type;
	enum scalar_fn fn;
	int a, b, c; /* registers, -1 if unused */
	int param;
	int guard;
	struct kernel_affine at;
	union scalar_value number;
	/* K_LOOP */
	int loop; /* number of its variable, unique in the kernel */
	const char *loop_name;
	int64_t extent;
	bool vector;
	int naccs;
	struct kernel_acc acc[MAX_ACCS];
	struct kernel_instr *body;
};

struct kernel {
	int id;           /* number in program.kernels */
	const char *name; /* "softmax", "bias_relu": for symbols and traces */
	struct span span; /* of a step it was made for */
	VEC(struct kernel_param) params;
	struct kernel_instr *body;
	int nregs, nloops;
	int64_t flops;
};

void kernel_print(struct text *t, const struct kernel *k);
struct kernel *kernel_read(struct arena *a, const char *text, const char **error);
/* Registers assigned before use, types, ranges of unguarded addresses, one vector loop per path. NULL if legal. */
const char *kernel_verify(struct arena *a, const struct kernel *k);
/* Turns of a loop in the body; 0 if it is not there. */
int64_t kernel_loop_extent(const struct kernel_instr *body, int loop);
/* Exchanges what two loops count, not what they hold (interchange.c). */
void kernel_exchange_loops(struct kernel_instr *x, struct kernel_instr *y);
/* Whether an instruction of the list, not of loops in it, stores to the parameter. */
bool kernel_stores_to(const struct kernel_instr *list, int param);

/* Structural equality but for name, id; what `kernel_take_in` may put together has one hash. */
uint64_t kernel_hash(const struct kernel *k);
bool kernel_equal(const struct kernel *a, const struct kernel *b);
/* Whether k is the code of the other one too: equal, but that results of one or the other may take the place of inputs
 * (`same`), and threads share both or none. k may do it then where either may. */
bool kernel_take_in(struct arena *scratch, struct kernel *k, const struct kernel *other);
/* The loop whose turns threads may share, none of which touches what another one writes; NULL: there is none, or less
 * work than so many instructions at points. */
const struct kernel_instr *kernel_divided(const struct kernel *k, double least_work);
/* Runs a kernel on the host (tests): buffers are arrays of the parameter's C type, in the order of the buffer
 * parameters, scalars in that of the scalar ones. */
void kernel_interpret(const struct kernel *k, void *const *buffers, const union scalar_value *scalars);
/* Element i of an array of a type's C representation. */
union scalar_value kernel_load_element(const void *at, enum dtype t, int64_t i);
void kernel_store_element(void *at, enum dtype t, int64_t i, union scalar_value v);

#endif
