/* interpret.c — runs a kernel point by point on the host, with the scalar semantics of op/eval.c: the oracle that
 * generated code and fusion are held against. Buffers are arrays of the parameter's element type. */
#include "build.h"

#include <stdlib.h>
#include <math.h>
#include <string.h>

struct machine {
	const struct kernel *k;
	void **buffers; /* by parameter */
	union scalar_value *reg;
	enum dtype *type;              /* by register */
	int64_t *loop;                 /* by loop: its variable */
	const struct kernel_acc **acc; /* by register: the accumulator that it is */
};

static double float_of_half(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16, e = h >> 10 & 31, m = h & 1023, bits;
	float f;
	if (e == 0) {
		f = (float)m * 0x1p-24f;
		return sign ? -f : f;
	}
	bits = sign | (e == 31 ? 255u << 23 : (e + 112) << 23) | m << 13;
	memcpy(&f, &bits, sizeof f);
	return f;
}

/* The 16 bits of a number that is already rounded to the type. */
static uint16_t half_of_float(double v)
{
	float f = (float)v;
	uint32_t bits;
	memcpy(&bits, &f, sizeof bits);
	uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
	uint32_t e = bits >> 23 & 255, m = bits & 0x7fffff;
	if (e == 255)
		return (uint16_t)(sign | 0x7c00 | (m ? 0x200 : 0));
	if (e < 113)
		return (uint16_t)(sign | (uint16_t)((f < 0 ? -f : f) * 0x1p24f));
	return (uint16_t)(sign | (e - 112) << 10 | m >> 13);
}

union scalar_value kernel_load_element(const void *at, enum dtype t, int64_t i)
{
	union scalar_value v = {.i = 0};
	uint32_t bits;
	float f;
	switch (t) {
	case DT_F32:
		v.f = ((const float *)at)[i];
		break;
	case DT_F64:
		v.f = ((const double *)at)[i];
		break;
	case DT_BF16:
		bits = (uint32_t)((const uint16_t *)at)[i] << 16;
		memcpy(&f, &bits, sizeof f);
		v.f = f;
		break;
	case DT_F16:
		v.f = float_of_half(((const uint16_t *)at)[i]);
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
		v.i = ((const int64_t *)at)[i];
		break;
	case DT_U8:
		v.i = ((const uint8_t *)at)[i];
		break;
	case DT_U16:
		v.i = ((const uint16_t *)at)[i];
		break;
	case DT_U32:
		v.i = ((const uint32_t *)at)[i];
		break;
	case DT_U64:
		v.i = (int64_t)((const uint64_t *)at)[i];
		break;
	case DT_BOOL:
		v.i = ((const uint8_t *)at)[i] != 0;
		break;
	case DT_COUNT:
		break;
	}
	return v;
}

void kernel_store_element(void *at, enum dtype t, int64_t i, union scalar_value v)
{
	uint32_t bits;
	float f;
	switch (t) {
	case DT_F32:
		((float *)at)[i] = (float)v.f;
		break;
	case DT_F64:
		((double *)at)[i] = v.f;
		break;
	case DT_BF16:
		f = (float)v.f;
		memcpy(&bits, &f, sizeof bits);
		((uint16_t *)at)[i] = (uint16_t)(bits >> 16);
		break;
	case DT_F16:
		((uint16_t *)at)[i] = half_of_float(v.f);
		break;
	case DT_I8:
		((int8_t *)at)[i] = (int8_t)v.i;
		break;
	case DT_I16:
		((int16_t *)at)[i] = (int16_t)v.i;
		break;
	case DT_I32:
		((int32_t *)at)[i] = (int32_t)v.i;
		break;
	case DT_I64:
		((int64_t *)at)[i] = v.i;
		break;
	case DT_U8:
		((uint8_t *)at)[i] = (uint8_t)v.i;
		break;
	case DT_U16:
		((uint16_t *)at)[i] = (uint16_t)v.i;
		break;
	case DT_U32:
		((uint32_t *)at)[i] = (uint32_t)v.i;
		break;
	case DT_U64:
		((uint64_t *)at)[i] = (uint64_t)v.i;
		break;
	case DT_BOOL:
		((uint8_t *)at)[i] = v.i != 0;
		break;
	case DT_COUNT:
		break;
	}
}

static int64_t address(const struct machine *m, const struct kernel_affine *at)
{
	int64_t v = at->offset;
	for (int i = 0; i < at->nterms; i++)
		v += at->term[i].coef * m->loop[at->term[i].loop];
	return at->reg < 0 ? v : v + at->scale * m->reg[at->reg].i;
}

static void apply(struct machine *m, const struct kernel_instr *in)
{
	const int arg[] = {in->a, in->b, in->c};
	enum dtype type[3];
	union scalar_value value[3];
	for (int i = 0; i < scalar_arity(in->fn); i++) {
		type[i] = m->type[arg[i]];
		value[i] = m->reg[arg[i]];
	}
	m->reg[in->reg] = scalar_eval_function(in->fn, in->type, type, value);
	m->type[in->reg] = in->type;
}

static bool is_equal(enum dtype t, union scalar_value x, union scalar_value y)
{
	return dtype_is_float(t) ? x.f == y.f || (isnan(x.f) && isnan(y.f)) : x.i == y.i;
}

/* The first among equals wins, in whatever order they come. */
static void reduce_index(struct machine *m, const struct kernel_acc *acc, const struct kernel_instr *in)
{
	union scalar_value *best = &m->reg[acc->reg], *at = &m->reg[acc->index_reg], x = m->reg[in->a];
	union scalar_value winner = combiner_apply(acc->combiner, acc->type, *best, x);
	bool same = !memcmp(&winner, best, sizeof winner);
	bool is_first = is_equal(acc->type, x, *best) && m->reg[in->b].i < at->i;
	if (at->i >= 0 && same && !is_first)
		return;
	*best = x;
	*at = m->reg[in->b];
}

static void join(struct machine *m, const struct kernel_acc *acc, union scalar_value x)
{
	union scalar_value v = combiner_apply(acc->combiner, acc->type, m->reg[acc->reg], x);
	m->reg[acc->reg] = dtype_is_float(acc->type) ? scalar_convert(v, DT_F64, acc->type) : v;
}

static void reduce(struct machine *m, const struct kernel_instr *in)
{
	const struct kernel_acc *acc = m->acc[in->reg];
	if (acc->index_reg >= 0) {
		reduce_index(m, acc, in);
		return;
	}
	union scalar_value x = m->reg[in->a];
	if (in->c >= 0)
		x = scalar_convert((union scalar_value){.f = x.f * m->reg[in->c].f}, DT_F64, acc->type);
	join(m, acc, x);
}

static void run(struct machine *m, const struct kernel_instr *body);

static void run_loop(struct machine *m, const struct kernel_instr *in)
{
	for (int i = 0; i < in->naccs; i++) {
		const struct kernel_acc *acc = &in->acc[i];
		m->reg[acc->reg] = combiner_neutral(acc->combiner, acc->type);
		m->type[acc->reg] = acc->type;
		m->acc[acc->reg] = acc;
		if (acc->index_reg >= 0) {
			m->reg[acc->index_reg].i = -1;
			m->type[acc->index_reg] = DT_I64;
		}
	}
	for (int64_t i = 0; i < in->extent; i++) {
		m->loop[in->loop] = i;
		run(m, in->body);
	}
	/* No point at all: the index of a winner that is none is 0. */
	for (int i = 0; i < in->naccs; i++)
		if (in->acc[i].index_reg >= 0 && m->reg[in->acc[i].index_reg].i < 0)
			m->reg[in->acc[i].index_reg].i = 0;
}

static void run(struct machine *m, const struct kernel_instr *body)
{
	for (const struct kernel_instr *in = body; in; in = in->next) {
		bool on = in->guard < 0 || m->reg[in->guard].i;
		if (in->reg >= 0 && in->kind != K_REDUCE)
			m->type[in->reg] = in->type;
		switch (in->kind) {
		case K_CONST:
			m->reg[in->reg] = in->number;
			break;
		case K_LOOPVAR:
			m->reg[in->reg].i = address(m, &in->at);
			break;
		case K_APPLY:
			apply(m, in);
			break;
		case K_LOAD:
			m->reg[in->reg] = on ? kernel_load_element(m->buffers[in->param], in->type, address(m, &in->at))
					     : in->number;
			break;
		case K_STORE:
			if (on)
				kernel_store_element(m->buffers[in->param], in->type, address(m, &in->at),
						     m->reg[in->a]);
			break;
		case K_REDUCE:
			if (on)
				reduce(m, in);
			break;
		case K_PREFIX:
			join(m, m->acc[in->b], m->reg[in->a]);
			m->reg[in->reg] = m->reg[in->b];
			break;
		case K_LOOP:
			run_loop(m, in);
			break;
		}
	}
}

void kernel_interpret(const struct kernel *k, void *const *buffers, const union scalar_value *scalars)
{
	struct arena *a = arena_new("kernel interpreter");
	struct machine m = {.k = k};
	m.buffers = ARENA_ARRAY(a, void *, k->params.n);
	m.reg = ARENA_ARRAY(a, union scalar_value, k->nregs);
	m.type = ARENA_ARRAY(a, enum dtype, k->nregs);
	m.loop = ARENA_ARRAY(a, int64_t, k->nloops);
	m.acc = ARENA_ARRAY(a, const struct kernel_acc *, k->nregs);
	int scalar = 0, buffer = 0;
	for (int i = 0; i < k->params.n; i++)
		if (k->params.at[i].kind != KP_SCALAR) {
			m.buffers[i] = buffers[buffer++];
		} else {
			m.reg[k->params.at[i].reg] = scalars[scalar++];
			m.type[k->params.at[i].reg] = k->params.at[i].type;
		}
	run(&m, k->body);
	arena_free(a);
}
