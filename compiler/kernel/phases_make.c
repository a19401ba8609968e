/* phases_make.c — a kernel again with some loops in phases or written out, where sums of loop variables, remainders and
 * conditions are known wherever they are the same at all points. */
#include "build.h"
#include "fold.h"
#include "phases.h"

#include "../op/scalars/function.h"

#include <string.h>

/* What is known of a register of the new kernel. */
struct fact {
	enum { KNOWN_NOT, KNOWN_NUMBER, KNOWN_AFFINE, KNOWN_NOT_ZERO } kind;
	union scalar_value number;
	struct kernel_affine at; /* KNOWN_AFFINE, or a number that is an int */
};

struct maker {
	struct arena *scratch;
	const struct loop_way *way;
	struct kernel_builder *b;
	const struct kernel_acc **acc; /* by register: the accumulator that it is */
	int *reg;                      /* by old register: the new one */
	struct kernel_affine *loop;    /* by old loop: its variable by those of new loops */
	VEC(struct fact) fact;         /* by new register */
};

static const struct fact *fact_of(struct maker *p, int reg)
{
	static const struct fact nothing = {.kind = KNOWN_NOT};
	return reg >= 0 && reg < p->fact.n ? &p->fact.at[reg] : &nothing;
}

static int learn(struct maker *p, int reg, struct fact f)
{
	while (p->fact.n <= reg)
		vec_push(p->scratch, &p->fact, ((struct fact){.kind = KNOWN_NOT}));
	p->fact.at[reg] = f;
	return reg;
}

static int number(struct maker *p, enum dtype t, union scalar_value v)
{
	return learn(p, build_const(p->b, t, v), (struct fact){KNOWN_NUMBER, v, affine_const(v.i)});
}

static int place(struct maker *p, const struct kernel_affine *at)
{
	if (at->nterms == 0 && at->reg < 0)
		return number(p, DT_I64, (union scalar_value){.i = at->offset});
	int reg = build_loopvar(p->b, at);
	return at->reg >= 0 ? reg : learn(p, reg, (struct fact){.kind = KNOWN_AFFINE, .at = *at});
}

static int known_bool(struct maker *p, int reg)
{
	const struct fact *f = fact_of(p, reg);
	return f->kind == KNOWN_NUMBER ? f->number.i != 0 : UNKNOWN;
}

/* The register as a sum of loop variables; NULL: it is none. */
static const struct kernel_affine *sum_in(struct maker *p, int reg)
{
	const struct fact *f = fact_of(p, reg);
	bool is_int = reg >= 0 && build_type(p->b, reg) == DT_I64;
	return is_int && (f->kind == KNOWN_NUMBER || f->kind == KNOWN_AFFINE) ? &f->at : NULL;
}

static struct kernel_affine affine_in(struct maker *p, const struct kernel_affine *old)
{
	struct kernel_affine at = affine_const(old->offset);
	for (int i = 0; i < old->nterms; i++)
		affine_sum(p->b, &at, &p->loop[old->term[i].loop], old->term[i].coef);
	if (old->reg < 0)
		return at;
	const struct kernel_affine *sum = sum_in(p, p->reg[old->reg]);
	struct kernel_affine reg = affine_reg(p->reg[old->reg]);
	affine_sum(p->b, &at, sum ? sum : &reg, old->scale);
	return at;
}

/* x / by or x % by, where it is the same for all that the loop variables can be, or steps evenly; -1: it does not. */
static int divide(struct maker *p, enum scalar_fn fn, const struct kernel_affine *x, int64_t by)
{
	int64_t low = -1, high;
	for (int i = 0; i < x->nterms; i++)
		if (x->term[i].coef % by)
			return -1;
	if (by < 2 || (x->offset % by && (!affine_range(p->b, x, &low, &high) || low < 0)))
		return -1;
	struct kernel_affine at = *x;
	int64_t rest = (x->offset % by + by) % by;
	at.offset = (x->offset - rest) / by;
	for (int i = 0; i < at.nterms; i++)
		at.term[i].coef /= by;
	return fn == SC_DIV ? place(p, &at) : number(p, DT_I64, (union scalar_value){.i = rest});
}

/* A remainder that is not the same everywhere, for its sign is not, but nowhere 0. */
static bool is_never_divided(const struct kernel_affine *x, int64_t by)
{
	for (int i = 0; i < x->nterms; i++)
		if (x->term[i].coef % by)
			return false;
	return x->offset % by != 0;
}

static int arithmetic(struct maker *p, enum scalar_fn fn, const struct kernel_affine *x, const struct kernel_affine *y)
{
	struct kernel_affine at = *x;
	bool x_fixed = x->nterms == 0, y_fixed = y->nterms == 0;
	switch (fn) {
	case SC_ADD:
	case SC_SUB:
		if (x->nterms + y->nterms > MAX_FACTORS)
			return -1;
		affine_sum(p->b, &at, y, fn == SC_ADD ? 1 : -1);
		return place(p, &at);
	case SC_MUL:
		if (!x_fixed && !y_fixed)
			return -1;
		at = affine_const(0);
		affine_sum(p->b, &at, x_fixed ? y : x, x_fixed ? x->offset : y->offset);
		return place(p, &at);
	case SC_DIV:
	case SC_MOD:
		return y_fixed ? divide(p, fn, x, y->offset) : -1;
	default:
		return -1;
	}
}

static int holds(enum scalar_fn fn, int64_t apart)
{
	static const enum dtype ints[] = {DT_I64, DT_I64};
	const union scalar_value x[] = {{.i = apart}, {.i = 0}};
	return scalar_eval_function(fn, DT_BOOL, ints, x).i != 0;
}

/* A comparison that comes out the same wherever the loops are. */
static int compare(struct maker *p, enum scalar_fn fn, const struct kernel_affine *x, const struct kernel_affine *y)
{
	struct kernel_affine apart = *x;
	int64_t low, high;
	if (x->nterms + y->nterms > MAX_FACTORS)
		return UNKNOWN;
	affine_sum(p->b, &apart, y, -1);
	if (!affine_range(p->b, &apart, &low, &high))
		return UNKNOWN;
	int is = holds(fn, low);
	bool passes_equal = (fn == SC_EQ || fn == SC_NE) && low <= 0 && high >= 0 && low != high;
	return is == holds(fn, high) && !passes_equal ? is : UNKNOWN;
}

static int known_result(struct maker *p, const struct kernel_instr *in)
{
	const struct kernel_affine *x = sum_in(p, in->a), *y = sum_in(p, in->b);
	if (scalar_functions[in->fn]->level != LEVEL_COMPARE)
		return fold_bool(in, known_bool(p, in->a), known_bool(p, in->b));
	if (x && y)
		return compare(p, in->fn, x, y);
	bool zero = y && y->nterms == 0 && y->offset == 0 && fact_of(p, in->a)->kind == KNOWN_NOT_ZERO;
	return zero && in->fn == SC_EQ ? 0 : zero && in->fn == SC_NE ? 1 : UNKNOWN;
}

/* ---- the kernel again ---- */

static void make_body(struct maker *p, const struct kernel_instr *body);

static int reg_in(const struct maker *p, int reg)
{
	return reg < 0 ? -1 : p->reg[reg];
}

static int make_apply(struct maker *p, const struct kernel_instr *old)
{
	struct kernel_instr in = *old;
	in.a = reg_in(p, old->a);
	in.b = reg_in(p, old->b);
	in.c = reg_in(p, old->c);
	if (in.type == DT_BOOL) {
		int is = known_result(p, &in);
		if (is != UNKNOWN)
			return number(p, DT_BOOL, (union scalar_value){.i = is});
	}
	int same = fold_choice(&in, known_bool(p, in.a), known_bool(p, in.b));
	if (same >= 0)
		return same;
	const struct kernel_affine *x = sum_in(p, in.a), *y = sum_in(p, in.b);
	bool counts = in.type == DT_I64 && x && y;
	bool never = counts && in.fn == SC_MOD && y->nterms == 0 && y->offset > 1 && is_never_divided(x, y->offset);
	int reg = counts ? arithmetic(p, in.fn, x, y) : -1;
	if (reg >= 0)
		return reg;
	reg = build_apply(p->b, in.fn, in.type, in.a, in.b, in.c);
	return never ? learn(p, reg, (struct fact){.kind = KNOWN_NOT_ZERO}) : reg;
}

static int make_load(struct maker *p, const struct kernel_instr *in)
{
	int guard = in->guard < 0 ? 1 : known_bool(p, p->reg[in->guard]);
	if (guard == 0)
		return number(p, in->type, in->number);
	struct kernel_affine at = affine_in(p, &in->at);
	return build_load(p->b, in->param, &at, guard == 1 ? -1 : p->reg[in->guard]);
}

static void make_store(struct maker *p, const struct kernel_instr *in)
{
	int guard = in->guard < 0 ? 1 : known_bool(p, p->reg[in->guard]);
	if (guard == 0)
		return;
	struct kernel_affine at = affine_in(p, &in->at);
	build_store(p->b, in->param, &at, p->reg[in->a], guard == 1 ? -1 : p->reg[in->guard]);
}

/* What is neutral changes nothing: an accumulator of a sum is never -0.0. */
static void make_reduce(struct maker *p, const struct kernel_instr *in)
{
	const struct kernel_acc *acc = p->acc[in->reg];
	const struct fact *f = fact_of(p, p->reg[in->a]);
	union scalar_value neutral = combiner_neutral(acc->combiner, acc->type);
	bool same = f->kind == KNOWN_NUMBER && !memcmp(&f->number, &neutral, sizeof neutral);
	int guard = in->guard < 0 ? 1 : known_bool(p, p->reg[in->guard]);
	if (guard != 0 && (!same || in->c >= 0 || acc->index_reg >= 0))
		build_reduce(p->b, p->reg[in->reg], p->reg[in->a], reg_in(p, in->c), reg_in(p, in->b),
			     guard == 1 ? -1 : p->reg[in->guard]);
}

static void open_loop(struct maker *p, const struct kernel_instr *in, int64_t extent)
{
	p->loop[in->loop] = affine_loop(build_open(p->b, in->loop_name, extent, in->vector));
	for (int i = 0; i < in->naccs; i++) {
		const struct kernel_acc *acc = &in->acc[i];
		int index = -1;
		p->reg[acc->reg] = build_acc(p->b, acc->type, acc->combiner, &index);
		p->acc[acc->reg] = acc;
		if (acc->index_reg >= 0)
			p->reg[acc->index_reg] = index;
	}
}

static void make_turns(struct maker *p, const struct kernel_instr *in, int64_t begin, int64_t end)
{
	for (int64_t i = begin; i < end; i++) {
		p->loop[in->loop] = affine_const(i);
		make_body(p, in->body);
	}
}

static void make_phases(struct maker *p, const struct kernel_instr *in, int64_t phases)
{
	int64_t turns = in->extent / phases;
	open_loop(p, in, turns);
	struct kernel_affine turn = p->loop[in->loop];
	for (int64_t r = 0; r < phases; r++) {
		p->loop[in->loop] = affine_const(r);
		affine_sum(p->b, &p->loop[in->loop], &turn, phases);
		make_body(p, in->body);
	}
	build_close(p->b);
	make_turns(p, in, turns * phases, in->extent);
}

static void make_loop(struct maker *p, const struct kernel_instr *in)
{
	const struct loop_way *l = &p->way[in->loop];
	if (l->written_out) {
		if (in->naccs)
			open_loop(p, in, 1);
		make_turns(p, in, 0, in->extent);
		if (in->naccs)
			build_close(p->b);
		return;
	}
	if (l->phases > 1) {
		make_phases(p, in, l->phases);
		return;
	}
	open_loop(p, in, in->extent);
	make_body(p, in->body);
	build_close(p->b);
}

static void make_body(struct maker *p, const struct kernel_instr *body)
{
	for (const struct kernel_instr *in = body; in; in = in->next) {
		struct kernel_affine at;
		switch (in->kind) {
		case K_CONST:
			p->reg[in->reg] = number(p, in->type, in->number);
			break;
		case K_LOOPVAR:
			at = affine_in(p, &in->at);
			p->reg[in->reg] = place(p, &at);
			break;
		case K_APPLY:
			p->reg[in->reg] = make_apply(p, in);
			break;
		case K_LOAD:
			p->reg[in->reg] = make_load(p, in);
			break;
		case K_STORE:
			make_store(p, in);
			break;
		case K_REDUCE:
			make_reduce(p, in);
			break;
		case K_LOOP:
			make_loop(p, in);
			break;
		case K_PREFIX:
			break;
		}
	}
}

struct kernel *kernel_in_phases(struct arena *a, const struct kernel *k, const struct loop_way *way)
{
	struct maker p = {.scratch = arena_new("made in phases"), .way = way, .b = build_new(a, k->name)};
	p.acc = ARENA_ARRAY(p.scratch, const struct kernel_acc *, k->nregs + 1);
	p.reg = ARENA_ARRAY(p.scratch, int, k->nregs + 1);
	p.loop = ARENA_ARRAY(p.scratch, struct kernel_affine, k->nloops + 1);
	for (int i = 0; i < k->params.n; i++) {
		const struct kernel_param *of = &k->params.at[i];
		if (of->kind == KP_SCALAR)
			p.reg[of->reg] = build_scalar(p.b, of->type, of->name);
		else
			build_buffer(p.b, of->kind, of->type, of->size, of->name);
		build_kernel(p.b)->params.at[i].same = of->same;
	}
	make_body(&p, k->body);
	struct kernel *made = build_finish(p.b);
	made->id = k->id;
	made->span = k->span;
	made->flops = k->flops;
	arena_free(p.scratch);
	kernel_drop_unused(a, made);
	return made;
}
