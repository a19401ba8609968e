/* compiled_math.h — functions of numbers compiled as kernels, for this machine's processor and for others. */
#ifndef TEST_COMPILED_MATH_H
#define TEST_COMPILED_MATH_H

#include "compiled_kernel.h"
#include "elements.h"

#include "op/scalars/function.h"

#include <float.h>
#include <math.h>

/* What other machines have: the whole of the tests runs on the host's features, a part on each of these. */
static const char *const cpus[] = {NULL, "x86-64-v3", "x86-64-v2", "x86-64"};
enum { CPUS = 4 };

static inline kernel_call *compile(struct session *s, const char *text, struct backend_jit **jit)
{
	const char *error = NULL;
	struct kernel *k = kernel_read(s->arena, text, &error);
	ck_assert_msg(k != NULL, "%s\n%s", error, text);
	return compiled_kernel(s, k, false, text, jit);
}

/* A function of n numbers, one at a time. */
static inline kernel_call *compile_unary(struct session *s, const char *function, enum dtype type, int n,
					 struct backend_jit **jit)
{
	const char *t = dtype_text(type);
	return compile(s,
		       arena_printf(s->arena,
				    "kernel \"f\"(in b0: %s[%d], out b1: %s[%d]) flops 0 { vloop i0 %d {\n"
				    " %%0 = load %s b0[1*i0] %%1 = %s %s %%0 store b1[1*i0] %%1 } }",
				    t, n, t, n, n, t, function, t),
		       jit);
}

static inline double step_of(enum dtype t, double v)
{
	int digits = t == DT_F64 ? 53 : t == DT_F32 ? 24 : t == DT_BF16 ? 8 : 11;
	int least = t == DT_F64 ? -1074 : t == DT_F32 ? -149 : t == DT_BF16 ? -133 : -24, e;
	frexp(v, &e);
	return ldexp(1, e - digits > least ? e - digits : least);
}

/* Beside what a result counts: normal_cdf gives shares of 1, whose own last places nobody needs. */
static inline double counts_beside(const char *fn, double v)
{
	return !strcmp(fn, scalar_text(SC_NORMAL_CDF)) && fabs(v) < 1 ? 1 : v;
}

static inline void print_call(struct text *t, enum scalar_fn fn, enum dtype type, const enum dtype *from, bool vector,
			      int n)
{
	int arity = scalar_arity(fn);
	text_add(t, "kernel \"f\"(");
	for (int i = 0; i < arity; i++)
		text_printf(t, "in b%d: %s[%d], ", i, dtype_text(from[i]), n);
	text_printf(t, "out b%d: %s[%d]) flops 0 { %sloop i0 %d {\n", arity, dtype_text(type), n, vector ? "v" : "", n);
	for (int i = 0; i < arity; i++)
		text_printf(t, " %%%d = load %s b%d[1*i0]\n", i, dtype_text(from[i]), i);
	text_printf(t, " %%9 = %s %s", scalar_text(fn), dtype_text(type));
	for (int i = 0; i < arity; i++)
		text_printf(t, "%s %%%d", i ? "," : "", i);
	text_printf(t, " store b%d[1*i0] %%9 } }", arity);
}

#endif
