/* build.h — makes kernels: every instruction is put as far out as its operands allow.
 *
 * Loops are opened and closed like brackets. A pure instruction (constant, function, load from a buffer that the kernel
 * does not write) lands in the outermost open loop that has all it needs, and equal ones are made once; so whoever
 * lowers an operator need not think about invariants. Stores, reductions and loads from written buffers stay where they
 * are put. */
#ifndef PML_KERNEL_BUILD_H
#define PML_KERNEL_BUILD_H

#include "kernel.h"

enum { MAX_LOOP_DEPTH = 2 * MAX_FACTORS };

struct kernel_builder;

/* An instruction without register, operands, buffer and guard. */
struct kernel_instr kernel_blank(enum kernel_instr_kind kind, enum dtype type);
/* Whether it gives a register its value and does nothing else; how many instructions a list has, those of its loops
 * included. */
bool kernel_is_value(const struct kernel_instr *in);
int64_t kernel_length(const struct kernel_instr *body);

struct kernel_builder *build_new(struct arena *a, const char *name);
struct kernel *build_finish(struct kernel_builder *b);
/* The kernel in the making, for its name. */
struct kernel *build_kernel(struct kernel_builder *b);

/* A buffer parameter: its number. A scalar parameter: its register. */
int build_buffer(struct kernel_builder *b, enum kernel_param_kind kind, enum dtype type, int64_t size,
		 const char *name);
int build_scalar(struct kernel_builder *b, enum dtype type, const char *name);
/* The kernel writes a buffer that was only read so far (reads keep their place from now on). */
void build_mark_written(struct kernel_builder *b, int param);

enum dtype build_type(const struct kernel_builder *b, int reg);
/* Whether the scope that defines a register is still open. */
bool build_sees(const struct kernel_builder *b, int reg);

int build_const(struct kernel_builder *b, enum dtype type, union scalar_value v);
int build_int(struct kernel_builder *b, enum dtype type, int64_t v);
int build_float(struct kernel_builder *b, enum dtype type, double v);
/* Any number of a type: v is converted. */
int build_number(struct kernel_builder *b, enum dtype type, double v);
int build_apply(struct kernel_builder *b, enum scalar_fn fn, enum dtype type, int x, int y, int z);
/* An i64 register that holds the affine value. */
int build_loopvar(struct kernel_builder *b, const struct kernel_affine *at);
int build_load(struct kernel_builder *b, int param, const struct kernel_affine *at, int guard);
void build_store(struct kernel_builder *b, int param, const struct kernel_affine *at, int value, int guard);

/* Opens a loop; its number. */
int build_open(struct kernel_builder *b, const char *name, int64_t extent, bool vector);
/* An accumulator of the innermost open loop; *index_reg is set for ARGMAX and ARGMIN. -1 if there is no room. */
int build_acc(struct kernel_builder *b, enum dtype type, enum combiner c, int *index_reg);
/* factor >= 0: of a sum, whose summand is value * factor. */
void build_reduce(struct kernel_builder *b, int acc, int value, int factor, int index, int guard);
/* Joins the value with an accumulator of the innermost open loop: what it has come to. */
int build_prefix(struct kernel_builder *b, int acc, int value);
void build_close(struct kernel_builder *b);
int build_depth(const struct kernel_builder *b);

/* Affine values. sum: *at += by * scale, combining registers with instructions where both have one. */
struct kernel_affine affine_const(int64_t v);
struct kernel_affine affine_loop(int loop);
struct kernel_affine affine_reg(int reg);
void affine_sum(struct kernel_builder *b, struct kernel_affine *at, const struct kernel_affine *by, int64_t scale);
/* Terms in the order of their loops, as all others here leave them. */
void affine_sort(struct kernel_affine *at);
bool affine_equal(const struct kernel_affine *x, const struct kernel_affine *y);
/* The least and greatest value over the open loops; false if a register takes part. */
bool affine_range(const struct kernel_builder *b, const struct kernel_affine *at, int64_t *low, int64_t *high);

#endif
