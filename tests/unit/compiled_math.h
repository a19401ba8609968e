/* compiled_math.h — functions of numbers compiled as kernels, for this machine's processor and for others. */
#ifndef TEST_COMPILED_MATH_H
#define TEST_COMPILED_MATH_H

#include "compiled_kernel.h"

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

static inline void put(void *at, enum dtype t, int64_t i, union scalar_value v)
{
	float f = (float)v.f;
	uint32_t bits;
	memcpy(&bits, &f, 4);
	switch (t) {
	case DT_F32:
		((float *)at)[i] = f;
		break;
	case DT_F64:
		((double *)at)[i] = v.f;
		break;
	case DT_BF16:
		((uint16_t *)at)[i] = (uint16_t)(bits >> 16 | (v.f != v.f ? 0x40 : 0));
		break;
	case DT_F16: {
		_Float16 h = (_Float16)f;
		memcpy((uint16_t *)at + i, &h, 2);
		break;
	}
	case DT_I8:
	case DT_U8:
		((int8_t *)at)[i] = (int8_t)v.i;
		break;
	case DT_I16:
	case DT_U16:
		((int16_t *)at)[i] = (int16_t)v.i;
		break;
	case DT_I32:
	case DT_U32:
		((int32_t *)at)[i] = (int32_t)v.i;
		break;
	case DT_I64:
	case DT_U64:
		((int64_t *)at)[i] = v.i;
		break;
	case DT_BOOL:
		((uint8_t *)at)[i] = v.i != 0;
		break;
	case DT_COUNT:
		break;
	}
}

static inline union scalar_value get(const void *at, enum dtype t, int64_t i)
{
	union scalar_value v = {.i = 0};
	uint32_t bits;
	float f;
	_Float16 h;
	switch (t) {
	case DT_F32:
		v.f = (double)((const float *)at)[i];
		break;
	case DT_F64:
		v.f = ((const double *)at)[i];
		break;
	case DT_BF16:
		bits = (uint32_t)((const uint16_t *)at)[i] << 16;
		memcpy(&f, &bits, 4);
		v.f = (double)f;
		break;
	case DT_F16:
		memcpy(&h, (const uint16_t *)at + i, 2);
		v.f = (double)h;
		break;
	case DT_I8:
		v.i = ((const int8_t *)at)[i];
		break;
	case DT_I16:
		v.i = ((const int16_t *)at)[i];
		break;
	case DT_I32:
		v.i = ((const int32_t *)at)[i];
		break;
	case DT_I64:
	case DT_U64:
		v.i = ((const int64_t *)at)[i];
		break;
	case DT_U8:
	case DT_BOOL:
		v.i = ((const uint8_t *)at)[i];
		break;
	case DT_U16:
		v.i = ((const uint16_t *)at)[i];
		break;
	case DT_U32:
		v.i = ((const uint32_t *)at)[i];
		break;
	case DT_COUNT:
		break;
	}
	return v;
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
