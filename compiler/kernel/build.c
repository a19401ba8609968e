/* build.c — the kernel builder: scopes, placement of instructions, reuse of equal ones, affine arithmetic. */
#include "build.h"
#include "base/map.h"

#include <string.h>

struct scope {
	struct kernel_instr *loop; /* NULL: the kernel's root */
	struct kernel_instr *first, **tail;
	int serial; /* tells scopes that come one after another apart */
};

struct reg_info {
	enum dtype type;
	int depth; /* of the scope that defines it, and which one */
	int serial;
	const struct kernel_instr *made; /* by this; NULL: by a parameter, a loop's result */
};

/* Pure instructions whose fields have one hash. */
struct alike {
	const struct kernel_instr *in;
	struct alike *next;
};

struct kernel_builder {
	struct arena *arena;
	struct kernel *k;
	int depth, nscopes;
	struct scope scope[MAX_LOOP_DEPTH + 1];
	VEC(struct reg_info) regs;
	VEC(int) loop_depth;  /* by loop: depth of the scope inside it; 0 once closed */
	VEC(int64_t) extents; /* by loop */
	VEC(bool) written;    /* by parameter */
	struct map pure;      /* by hash_instr: struct alike */
};

struct kernel_builder *build_new(struct arena *a, const char *name)
{
	struct kernel_builder *b = ARENA_NEW(a, struct kernel_builder);
	b->arena = a;
	b->k = ARENA_NEW(a, struct kernel);
	b->k->name = name;
	b->scope[0].tail = &b->scope[0].first;
	map_init(&b->pure, a);
	return b;
}

struct kernel *build_finish(struct kernel_builder *b)
{
	BUG_IF(b->depth != 0, "kernel %s: %d loops are still open", b->k->name, b->depth);
	b->k->body = b->scope[0].first;
	b->k->nregs = b->regs.n;
	b->k->nloops = b->extents.n;
	return b->k;
}

struct kernel *build_kernel(struct kernel_builder *b)
{
	return b->k;
}

int build_depth(const struct kernel_builder *b)
{
	return b->depth;
}

enum dtype build_type(const struct kernel_builder *b, int reg)
{
	return b->regs.at[reg].type;
}

static int new_reg(struct kernel_builder *b, enum dtype type, int depth)
{
	vec_push(b->arena, &b->regs, ((struct reg_info){type, depth, b->scope[depth].serial, NULL}));
	return b->regs.n - 1;
}

int build_buffer(struct kernel_builder *b, enum kernel_param_kind kind, enum dtype type, int64_t size, const char *name)
{
	struct kernel_param p = {.kind = kind, .type = type, .size = size, .same = -1, .name = name, .reg = -1};
	vec_push(b->arena, &b->k->params, p);
	vec_push(b->arena, &b->written, kind != KP_IN);
	return b->k->params.n - 1;
}

int build_scalar(struct kernel_builder *b, enum dtype type, const char *name)
{
	struct kernel_param p = {.kind = KP_SCALAR, .type = type, .same = -1, .name = name};
	p.reg = new_reg(b, type, 0);
	vec_push(b->arena, &b->k->params, p);
	vec_push(b->arena, &b->written, false);
	return p.reg;
}

void build_mark_written(struct kernel_builder *b, int param)
{
	b->written.at[param] = true;
}

bool build_sees(const struct kernel_builder *b, int reg)
{
	const struct reg_info *r = &b->regs.at[reg];
	return r->depth <= b->depth && b->scope[r->depth].serial == r->serial;
}

static int reg_depth(const struct kernel_builder *b, int reg)
{
	return reg < 0 ? 0 : b->regs.at[reg].depth;
}

static int affine_depth(const struct kernel_builder *b, const struct kernel_affine *at)
{
	int depth = reg_depth(b, at->reg);
	for (int i = 0; i < at->nterms; i++) {
		int d = b->loop_depth.at[at->term[i].loop];
		BUG_IF(d == 0, "kernel %s uses the variable of a closed loop", b->k->name);
		if (d > depth)
			depth = d;
	}
	return depth;
}

static struct kernel_instr *append(struct kernel_builder *b, int depth, struct kernel_instr in)
{
	struct kernel_instr *fresh = ARENA_NEW(b->arena, struct kernel_instr);
	*fresh = in;
	*b->scope[depth].tail = fresh;
	b->scope[depth].tail = &fresh->next;
	if (kernel_is_value(fresh))
		b->regs.at[fresh->reg].made = fresh;
	return fresh;
}

static bool same_instr(const struct kernel_instr *x, const struct kernel_instr *y)
{
	return x->kind == y->kind && x->type == y->type && x->fn == y->fn && x->a == y->a && x->b == y->b &&
	       x->c == y->c && x->param == y->param && x->guard == y->guard && affine_equal(&x->at, &y->at) &&
	       !memcmp(&x->number, &y->number, sizeof x->number);
}

static uint64_t hash_instr(const struct kernel_instr *in, int serial)
{
	const int64_t fields[] = {in->kind,  in->type,      in->fn,        in->a,      in->b,        in->c, in->param,
				  in->guard, in->at.offset, in->at.nterms, in->at.reg, in->at.scale, serial};
	uint64_t h = hash_bytes(HASH_SEED, &in->number, sizeof in->number);
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		h = hash_number(h, (uint64_t)fields[i]);
	return h;
}

/* Puts a pure instruction at its depth, or finds the equal one that is there already. */
static int pure(struct kernel_builder *b, int depth, struct kernel_instr in)
{
	int serial = b->scope[depth].serial;
	uint64_t key = hash_instr(&in, serial);
	struct alike *first = map_get_u64(&b->pure, key);
	for (const struct alike *o = first; o; o = o->next)
		if (b->regs.at[o->in->reg].serial == serial && same_instr(o->in, &in))
			return o->in->reg;
	in.reg = new_reg(b, in.type, depth);
	struct alike *fresh = ARENA_NEW(b->arena, struct alike);
	*fresh = (struct alike){append(b, depth, in), first};
	map_set_u64(&b->pure, key, fresh);
	return in.reg;
}

struct kernel_instr kernel_blank(enum kernel_instr_kind kind, enum dtype type)
{
	return (struct kernel_instr){.kind = kind,
				     .type = type,
				     .reg = -1,
				     .a = -1,
				     .b = -1,
				     .c = -1,
				     .param = -1,
				     .guard = -1,
				     .at.reg = -1};
}

bool kernel_is_value(const struct kernel_instr *in)
{
	return in->kind == K_CONST || in->kind == K_LOOPVAR || in->kind == K_APPLY || in->kind == K_LOAD;
}

int64_t kernel_length(const struct kernel_instr *body)
{
	int64_t n = 0;
	for (const struct kernel_instr *in = body; in; in = in->next)
		n += 1 + (in->kind == K_LOOP ? kernel_length(in->body) : 0);
	return n;
}

int build_const(struct kernel_builder *b, enum dtype type, union scalar_value v)
{
	struct kernel_instr in = kernel_blank(K_CONST, type);
	in.number = v;
	return pure(b, 0, in);
}

int build_int(struct kernel_builder *b, enum dtype type, int64_t v)
{
	return build_const(b, type, (union scalar_value){.i = v});
}

int build_float(struct kernel_builder *b, enum dtype type, double v)
{
	return build_const(b, type, (union scalar_value){.f = v});
}

int build_number(struct kernel_builder *b, enum dtype type, double v)
{
	return dtype_is_float(type) ? build_float(b, type, v) : build_int(b, type, (int64_t)v);
}

/* What is loaded where a condition holds, and else the number: a load under this condition gives that by itself. */
static bool is_guarded_load(const struct kernel_builder *b, int condition, int loaded, int number)
{
	const struct kernel_instr *load = build_sees(b, loaded) ? b->regs.at[loaded].made : NULL;
	const struct kernel_instr *other = load && load->kind == K_LOAD ? b->regs.at[number].made : NULL;
	return other && other->kind == K_CONST && load->guard == condition &&
	       !memcmp(&load->number, &other->number, sizeof other->number);
}

int build_apply(struct kernel_builder *b, enum scalar_fn fn, enum dtype type, int x, int y, int z)
{
	if (fn == SC_WHERE && is_guarded_load(b, x, y, z))
		return y;
	struct kernel_instr in = kernel_blank(K_APPLY, type);
	in.fn = fn;
	in.a = x;
	in.b = y;
	in.c = z;
	int depth = reg_depth(b, x);
	depth = reg_depth(b, y) > depth ? reg_depth(b, y) : depth;
	depth = reg_depth(b, z) > depth ? reg_depth(b, z) : depth;
	return pure(b, depth, in);
}

int build_loopvar(struct kernel_builder *b, const struct kernel_affine *at)
{
	if (at->nterms == 0 && at->reg < 0)
		return build_int(b, DT_I64, at->offset);
	if (at->nterms == 0 && at->offset == 0 && at->scale == 1)
		return at->reg;
	struct kernel_instr in = kernel_blank(K_LOOPVAR, DT_I64);
	in.at = *at;
	return pure(b, affine_depth(b, at), in);
}

int build_load(struct kernel_builder *b, int param, const struct kernel_affine *at, int guard)
{
	struct kernel_instr in = kernel_blank(K_LOAD, b->k->params.at[param].type);
	in.param = param;
	in.guard = guard;
	in.at = *at;
	if (b->written.at[param]) {
		in.reg = new_reg(b, in.type, b->depth);
		append(b, b->depth, in);
		return in.reg;
	}
	int depth = affine_depth(b, at);
	return pure(b, reg_depth(b, guard) > depth ? reg_depth(b, guard) : depth, in);
}

void build_store(struct kernel_builder *b, int param, const struct kernel_affine *at, int value, int guard)
{
	struct kernel_instr in = kernel_blank(K_STORE, b->k->params.at[param].type);
	in.param = param;
	in.guard = guard;
	in.at = *at;
	in.a = value;
	append(b, b->depth, in);
}

int build_open(struct kernel_builder *b, const char *name, int64_t extent, bool vector)
{
	BUG_IF(b->depth >= MAX_LOOP_DEPTH, "kernel %s nests too many loops", b->k->name);
	struct kernel_instr *loop = ARENA_NEW(b->arena, struct kernel_instr);
	*loop = kernel_blank(K_LOOP, DT_I64);
	loop->loop = b->extents.n;
	loop->loop_name = name;
	loop->extent = extent;
	loop->vector = vector;
	b->depth++;
	vec_push(b->arena, &b->extents, extent);
	vec_push(b->arena, &b->loop_depth, b->depth);
	struct scope *s = &b->scope[b->depth];
	s->loop = loop;
	s->first = NULL;
	s->tail = &s->first;
	s->serial = ++b->nscopes;
	return loop->loop;
}

int build_acc(struct kernel_builder *b, enum dtype type, enum combiner c, int *index_reg)
{
	struct kernel_instr *loop = b->scope[b->depth].loop;
	if (!loop || loop->naccs == MAX_ACCS)
		return -1;
	struct kernel_acc *acc = &loop->acc[loop->naccs++];
	*acc = (struct kernel_acc){.type = type, .combiner = c, .index_reg = -1};
	acc->reg = new_reg(b, type, b->depth - 1);
	if (c == COMBINE_ARGMAX || c == COMBINE_ARGMIN)
		acc->index_reg = new_reg(b, DT_I64, b->depth - 1);
	if (index_reg)
		*index_reg = acc->index_reg;
	return acc->reg;
}

void build_reduce(struct kernel_builder *b, int acc, int value, int factor, int index, int guard)
{
	struct kernel_instr in = kernel_blank(K_REDUCE, build_type(b, acc));
	in.reg = acc;
	in.a = value;
	in.b = index;
	in.c = factor;
	in.guard = guard;
	append(b, b->depth, in);
}

int build_prefix(struct kernel_builder *b, int acc, int value)
{
	struct kernel_instr in = kernel_blank(K_PREFIX, build_type(b, acc));
	in.a = value;
	in.b = acc;
	in.reg = new_reg(b, in.type, b->depth);
	append(b, b->depth, in);
	return in.reg;
}

void build_close(struct kernel_builder *b)
{
	struct scope *s = &b->scope[b->depth];
	struct kernel_instr *loop = s->loop;
	BUG_IF(!loop, "kernel %s closes a loop it did not open", b->k->name);
	loop->body = s->first;
	b->loop_depth.at[loop->loop] = 0;
	b->depth--;
	*b->scope[b->depth].tail = loop;
	b->scope[b->depth].tail = &loop->next;
}

struct kernel_affine affine_const(int64_t v)
{
	return (struct kernel_affine){.offset = v, .reg = -1};
}

struct kernel_affine affine_loop(int loop)
{
	struct kernel_affine at = {.reg = -1, .nterms = 1};
	at.term[0].loop = loop;
	at.term[0].coef = 1;
	return at;
}

struct kernel_affine affine_reg(int reg)
{
	return (struct kernel_affine){.reg = reg, .scale = 1};
}

static void add_term(struct kernel_affine *at, int loop, int64_t coef)
{
	int i = 0;
	while (i < at->nterms && at->term[i].loop < loop)
		i++;
	if (i < at->nterms && at->term[i].loop == loop) {
		at->term[i].coef += coef;
		if (at->term[i].coef)
			return;
		at->nterms--;
		memmove(&at->term[i], &at->term[i + 1], sizeof at->term[0] * (size_t)(at->nterms - i));
		return;
	}
	BUG_IF(at->nterms == MAX_FACTORS, "an address has too many terms");
	memmove(&at->term[i + 1], &at->term[i], sizeof at->term[0] * (size_t)(at->nterms - i));
	at->term[i].loop = loop;
	at->term[i].coef = coef;
	at->nterms++;
}

/* reg * scale as a register. */
static int scaled(struct kernel_builder *b, int reg, int64_t scale)
{
	return scale == 1 ? reg : build_apply(b, SC_MUL, DT_I64, reg, build_int(b, DT_I64, scale), -1);
}

void affine_sum(struct kernel_builder *b, struct kernel_affine *at, const struct kernel_affine *by, int64_t scale)
{
	if (scale == 0)
		return;
	at->offset += by->offset * scale;
	for (int i = 0; i < by->nterms; i++)
		add_term(at, by->term[i].loop, by->term[i].coef * scale);
	if (by->reg < 0)
		return;
	if (at->reg < 0) {
		at->reg = by->reg;
		at->scale = by->scale * scale;
	} else if (at->reg == by->reg) {
		at->scale += by->scale * scale;
	} else {
		at->reg = build_apply(b, SC_ADD, DT_I64, scaled(b, at->reg, at->scale),
				      scaled(b, by->reg, by->scale * scale), -1);
		at->scale = 1;
	}
	if (at->scale == 0)
		at->reg = -1;
}

void affine_sort(struct kernel_affine *at)
{
	for (int i = 1; i < at->nterms; i++)
		for (int j = i; j > 0 && at->term[j - 1].loop > at->term[j].loop; j--) {
			int loop = at->term[j].loop;
			int64_t coef = at->term[j].coef;
			at->term[j] = at->term[j - 1];
			at->term[j - 1].loop = loop;
			at->term[j - 1].coef = coef;
		}
}

bool affine_equal(const struct kernel_affine *x, const struct kernel_affine *y)
{
	if (x->offset != y->offset || x->nterms != y->nterms || x->reg != y->reg ||
	    (x->reg >= 0 && x->scale != y->scale))
		return false;
	for (int i = 0; i < x->nterms; i++)
		if (x->term[i].loop != y->term[i].loop || x->term[i].coef != y->term[i].coef)
			return false;
	return true;
}

bool affine_range(const struct kernel_builder *b, const struct kernel_affine *at, int64_t *low, int64_t *high)
{
	if (at->reg >= 0)
		return false;
	*low = *high = at->offset;
	for (int i = 0; i < at->nterms; i++) {
		int64_t n = b->extents.at[at->term[i].loop];
		int64_t reach = (n > 0 ? n - 1 : 0) * at->term[i].coef;
		*(reach < 0 ? low : high) += reach;
	}
	return true;
}
