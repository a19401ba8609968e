/* verify.c — what every kernel obeys, so that the backend need not ask: registers are assigned once and before use,
 * where they can be seen; types fit; unguarded addresses without registers stay in range; vector loops do not nest. */
#include "kernel.h"

#include <inttypes.h>

struct checker {
	struct arena *arena;
	const struct kernel *k;
	const char *error;
	bool *known;                       /* by register: visible now */
	bool *assigned;                    /* by register: ever */
	enum dtype *type;                  /* by register */
	bool *open;                        /* by loop: its variable is visible */
	bool *used_loop;                   /* by loop: its number was taken */
	int64_t *extent;                   /* by loop */
	const struct kernel_acc **acc;     /* by register: the accumulator of a loop around us that it is */
	const struct kernel_instr *loop;   /* just around us */
	const struct kernel_instr **joins; /* by register of an accumulator: the last that joins it */
	VEC(int) visible;                  /* registers in the order they became known */
};

#define FAIL(c, ...) ((c)->error = (c)->error ? (c)->error : arena_printf((c)->arena, __VA_ARGS__))

static void define(struct checker *c, int reg, enum dtype type)
{
	if (reg < 0 || reg >= c->k->nregs) {
		FAIL(c, "register %%%d does not exist", reg);
		return;
	}
	if (c->assigned[reg])
		FAIL(c, "register %%%d is assigned twice", reg);
	c->assigned[reg] = c->known[reg] = true;
	c->type[reg] = type;
	vec_push(c->arena, &c->visible, reg);
}

static bool uses(struct checker *c, int reg)
{
	if (reg < 0 || reg >= c->k->nregs || !c->known[reg]) {
		FAIL(c, "register %%%d is used before it is assigned, or outside of its loop", reg);
		return false;
	}
	return true;
}

static void uses_typed(struct checker *c, int reg, enum dtype type, const char *what)
{
	if (uses(c, reg) && c->type[reg] != type)
		FAIL(c, "%s: register %%%d is %s, not %s", what, reg, dtype_text(c->type[reg]), dtype_text(type));
}

static void check_affine(struct checker *c, const struct kernel_affine *at)
{
	if (at->nterms < 0 || at->nterms > MAX_FACTORS) {
		FAIL(c, "an address has %d terms", at->nterms);
		return;
	}
	for (int i = 0; i < at->nterms; i++)
		if (at->term[i].loop < 0 || at->term[i].loop >= c->k->nloops || !c->open[at->term[i].loop])
			FAIL(c, "the variable of loop i%d is used outside of it", at->term[i].loop);
	if (at->reg >= 0)
		uses_typed(c, at->reg, DT_I64, "address");
}

/* The range of a plain address must be inside the buffer; an empty loop around it makes it vacuous. */
static void check_range(struct checker *c, const struct kernel_affine *at, int64_t size, bool vacuous)
{
	int64_t low = at->offset, high = at->offset;
	for (int i = 0; i < at->nterms; i++) {
		int64_t reach;
		if (__builtin_mul_overflow(c->extent[at->term[i].loop] - 1, at->term[i].coef, &reach)) {
			FAIL(c, "an address overflows");
			return;
		}
		*(reach < 0 ? &low : &high) += reach;
	}
	if (!vacuous && (low < 0 || high >= size))
		FAIL(c, "addresses %" PRId64 "..%" PRId64 " leave a buffer of %" PRId64, low, high, size);
}

static void check_access(struct checker *c, const struct kernel_instr *in, bool vacuous)
{
	if (in->param < 0 || in->param >= c->k->params.n || c->k->params.at[in->param].kind == KP_SCALAR) {
		FAIL(c, "b%d is not a buffer", in->param);
		return;
	}
	const struct kernel_param *p = &c->k->params.at[in->param];
	check_affine(c, &in->at);
	if (in->guard >= 0)
		uses_typed(c, in->guard, DT_BOOL, "guard");
	if (in->type != p->type)
		FAIL(c, "b%d holds %s, not %s", in->param, dtype_text(p->type), dtype_text(in->type));
	if (!c->error && in->guard < 0 && in->at.reg < 0)
		check_range(c, &in->at, p->size, vacuous);
	if (in->kind == K_STORE && p->kind == KP_IN)
		FAIL(c, "b%d is only read, yet stored to", in->param);
}

static void check_apply(struct checker *c, const struct kernel_instr *in)
{
	const int arg[] = {in->a, in->b, in->c};
	if (in->fn >= SC_FN_COUNT) {
		FAIL(c, "no such function");
		return;
	}
	for (int i = 0; i < scalar_arity(in->fn); i++)
		if (!uses(c, arg[i]))
			return;
	if (in->fn == SC_WHERE) {
		uses_typed(c, in->a, DT_BOOL, "where");
		uses_typed(c, in->b, in->type, "where");
		uses_typed(c, in->c, in->type, "where");
	} else if (scalar_arity(in->fn) == 2 && scalar_result_kind(in->fn) != SCALAR_FROM) {
		uses_typed(c, in->b, c->type[in->a], scalar_text(in->fn));
	}
}

static void check_body(struct checker *c, const struct kernel_instr *body, bool vector, bool vacuous);

static void check_reduce(struct checker *c, const struct kernel_instr *in)
{
	const struct kernel_acc *acc = in->reg >= 0 && in->reg < c->k->nregs ? c->acc[in->reg] : NULL;
	if (!acc) {
		FAIL(c, "%%%d is not an accumulator of a loop around it", in->reg);
		return;
	}
	if (c->joins[in->reg] && c->joins[in->reg]->kind == K_PREFIX)
		FAIL(c, "%%%d has running values and is joined elsewhere, too", in->reg);
	c->joins[in->reg] = in;
	uses_typed(c, in->a, acc->type, "reduction");
	if (in->guard >= 0)
		uses_typed(c, in->guard, DT_BOOL, "guard");
	if (in->c >= 0)
		uses_typed(c, in->c, acc->type, "reduction");
	if (in->c >= 0 && !(acc->combiner == COMBINE_SUM && kernel_contracts(acc->type)))
		FAIL(c, "%%%d joins products, and is no sum of f32 or f64", in->reg);
	if ((acc->index_reg >= 0) != (in->b >= 0))
		FAIL(c, "the reduction into %%%d and its accumulator disagree about an index", in->reg);
	if (in->b >= 0)
		uses_typed(c, in->b, DT_I64, "reduction");
}

static void check_prefix(struct checker *c, const struct kernel_instr *in)
{
	for (int i = 0; c->loop && i < c->loop->naccs; i++) {
		const struct kernel_acc *acc = &c->loop->acc[i];
		if (acc->reg != in->b || acc->index_reg >= 0)
			continue;
		if (c->joins[in->b])
			FAIL(c, "%%%d has running values and is joined elsewhere, too", in->b);
		c->joins[in->b] = in;
		uses_typed(c, in->a, acc->type, "prefix");
		return;
	}
	FAIL(c, "%%%d is not an accumulator of the loop around it that could have running values", in->b);
}

static void check_loop(struct checker *c, const struct kernel_instr *in, bool vector, bool vacuous)
{
	if (in->loop < 0 || in->loop >= c->k->nloops || c->used_loop[in->loop]) {
		FAIL(c, "loop i%d has no number of its own", in->loop);
		return;
	}
	if (in->vector && vector)
		FAIL(c, "vector loop i%d is inside another", in->loop);
	if (in->extent < 0)
		FAIL(c, "loop i%d has a negative extent", in->loop);
	c->used_loop[in->loop] = c->open[in->loop] = true;
	c->extent[in->loop] = in->extent;
	for (int i = 0; i < in->naccs; i++)
		if (in->acc[i].reg >= 0 && in->acc[i].reg < c->k->nregs)
			c->acc[in->acc[i].reg] = &in->acc[i];
	int mark = c->visible.n;
	const struct kernel_instr *outer = c->loop;
	c->loop = in;
	check_body(c, in->body, vector || in->vector, vacuous || in->extent == 0);
	c->loop = outer;
	for (int i = mark; i < c->visible.n; i++)
		c->known[c->visible.at[i]] = false;
	c->visible.n = mark;
	c->open[in->loop] = false;
	for (int i = 0; i < in->naccs; i++) {
		define(c, in->acc[i].reg, in->acc[i].type);
		if (in->acc[i].reg >= 0 && in->acc[i].reg < c->k->nregs)
			c->acc[in->acc[i].reg] = NULL;
		if (in->acc[i].index_reg >= 0)
			define(c, in->acc[i].index_reg, DT_I64);
	}
}

static void check_instr(struct checker *c, const struct kernel_instr *in, bool vector, bool vacuous)
{
	switch (in->kind) {
	case K_CONST:
		define(c, in->reg, in->type);
		return;
	case K_LOOPVAR:
		check_affine(c, &in->at);
		define(c, in->reg, DT_I64);
		return;
	case K_APPLY:
		check_apply(c, in);
		define(c, in->reg, in->type);
		return;
	case K_LOAD:
		check_access(c, in, vacuous);
		define(c, in->reg, in->type);
		return;
	case K_STORE:
		check_access(c, in, vacuous);
		uses_typed(c, in->a, in->type, "store");
		return;
	case K_REDUCE:
		check_reduce(c, in);
		return;
	case K_PREFIX:
		check_prefix(c, in);
		define(c, in->reg, in->type);
		return;
	case K_LOOP:
		check_loop(c, in, vector, vacuous);
		return;
	}
}

static void check_body(struct checker *c, const struct kernel_instr *body, bool vector, bool vacuous)
{
	for (const struct kernel_instr *in = body; in && !c->error; in = in->next)
		check_instr(c, in, vector, vacuous);
}

static void check_params(struct checker *c)
{
	for (int i = 0; i < c->k->params.n; i++) {
		const struct kernel_param *p = &c->k->params.at[i];
		if (p->kind == KP_SCALAR)
			define(c, p->reg, p->type);
		else if (p->size < 0)
			FAIL(c, "b%d has a negative size", i);
		if (p->same < 0)
			continue;
		if (p->kind != KP_OUT || p->same >= c->k->params.n || c->k->params.at[p->same].kind != KP_IN)
			FAIL(c, "b%d cannot be in the place of b%d", i, p->same);
	}
}

const char *kernel_verify(struct arena *a, const struct kernel *k)
{
	struct checker c = {.arena = a, .k = k};
	c.known = ARENA_ARRAY(a, bool, k->nregs);
	c.assigned = ARENA_ARRAY(a, bool, k->nregs);
	c.type = ARENA_ARRAY(a, enum dtype, k->nregs);
	c.open = ARENA_ARRAY(a, bool, k->nloops);
	c.used_loop = ARENA_ARRAY(a, bool, k->nloops);
	c.extent = ARENA_ARRAY(a, int64_t, k->nloops);
	c.acc = ARENA_ARRAY(a, const struct kernel_acc *, k->nregs);
	c.joins = ARENA_ARRAY(a, const struct kernel_instr *, k->nregs);
	check_params(&c);
	check_body(&c, k->body, false, false);
	return c.error;
}
