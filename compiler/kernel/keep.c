/* keep.c — what one pass over a row computes and a later one again is kept where the later one's result will be: the
 * exponentials of a softmax, which are first summed up and then divided by their sum.
 *
 *   vloop i1 { … %8 = exp f32 %7   %9 <- %8 }                     vloop i1 { … %8 = exp f32 %7   store b0[at 1*i1] %8
 * %9 <- %8 } vloop i2 { … %14 = exp f32 %13                      becomes %15 = / f32 %14, %9   store b0[at 1*i2] %15 }
 * vloop i2 { %14 = load f32 b0[at 1*i2]   %15 = / f32 %14, %9 … }
 *
 * The same bits, since what is kept is not rounded, or was in either pass. Only functions are worth it, and only in
 * rows that a cache near the core holds. Before outputs take the place of inputs: that is asked of what is left. */
#include "build.h"
#include "lower.h"

enum { ROW_BYTES = 1 << 18 };

/* Two passes of a row. */
struct passes {
	struct kernel *k;
	struct kernel_instr *from, *to;
};

static const struct kernel_instr *made_in(const struct kernel_instr *loop, int reg)
{
	for (const struct kernel_instr *i = loop->body; i; i = i->next)
		if (i->reg == reg && i->kind != K_LOOP && i->kind != K_STORE && i->kind != K_REDUCE)
			return i;
	return NULL;
}

/* Addresses of the two passes at the same point. */
static bool same_place(const struct passes *p, const struct kernel_affine *x, const struct kernel_affine *y)
{
	bool same = x->reg < 0 && y->reg < 0 && x->offset == y->offset && x->nterms == y->nterms;
	for (int i = 0; i < x->nterms && same; i++) {
		int loop = x->term[i].loop == p->from->loop ? p->to->loop : x->term[i].loop;
		same = affine_coef(y, loop) == x->term[i].coef;
	}
	return same;
}

/* Stores to the parameter in the list and in its loops. */
static int stores(const struct kernel_instr *body, int param)
{
	int n = 0;
	for (const struct kernel_instr *i = body; i; i = i->next)
		n += (i->kind == K_STORE && i->param == param) + (i->kind == K_LOOP ? stores(i->body, param) : 0);
	return n;
}

static bool loads(const struct kernel_instr *body, int param)
{
	for (const struct kernel_instr *i = body; i; i = i->next)
		if ((i->kind == K_LOAD && i->param == param) || (i->kind == K_LOOP && loads(i->body, param)))
			return true;
	return false;
}

/* Whether the registers hold the same at the same point of both passes. */
static bool same_value(const struct passes *p, int x, int y)
{
	if (x < 0 || y < 0)
		return x == y;
	const struct kernel_instr *a = made_in(p->from, x), *b = made_in(p->to, y);
	if (!a || !b)
		return !a && !b && x == y;
	if (a->kind != b->kind || a->type != b->type)
		return false;
	switch (a->kind) {
	case K_CONST:
		return a->number.i == b->number.i;
	case K_LOOPVAR:
		return same_place(p, &a->at, &b->at);
	case K_LOAD:
		return a->param == b->param && a->guard < 0 && b->guard < 0 && same_place(p, &a->at, &b->at) &&
		       p->k->params.at[a->param].kind == KP_IN;
	case K_APPLY:
		return a->fn == b->fn && same_value(p, a->a, b->a) && same_value(p, a->b, b->b) &&
		       same_value(p, a->c, b->c);
	default:
		return false;
	}
}

/* Where the later pass stores, behind the value, a number of this type for each of its points, neighbours side by side,
 * and nobody else stores or loads; NULL: nowhere. */
static const struct kernel_instr *place_in(const struct passes *p, const struct kernel_instr *value)
{
	for (const struct kernel_instr *i = value->next; i; i = i->next) {
		const struct kernel_param *to = i->kind == K_STORE ? &p->k->params.at[i->param] : NULL;
		if (to && i->guard < 0 && i->at.reg < 0 && to->kind == KP_OUT && to->type == value->type &&
		    affine_coef(&i->at, p->to->loop) == 1 && stores(p->k->body, i->param) == 1 &&
		    !loads(p->k->body, i->param))
			return i;
	}
	return NULL;
}

/* The store that keeps the value of the earlier pass already. */
static const struct kernel_instr *kept_by(const struct passes *p, int reg, enum dtype type)
{
	for (const struct kernel_instr *i = p->from->body; i; i = i->next)
		if (i->kind == K_STORE && i->a == reg && i->guard < 0 && i->at.reg < 0 &&
		    p->k->params.at[i->param].kind == KP_OUT && p->k->params.at[i->param].type == type &&
		    affine_coef(&i->at, p->from->loop) == 1 && stores(p->k->body, i->param) == 1)
			return i;
	return NULL;
}

static void put_loop(struct kernel_affine *at, int from, int to)
{
	for (int i = 0; i < at->nterms; i++)
		at->term[i].loop = at->term[i].loop == from ? to : at->term[i].loop;
}

/* The value of the earlier pass that this one of the later pass is again. */
static struct kernel_instr *earlier(const struct passes *p, const struct kernel_instr *value)
{
	for (struct kernel_instr *i = p->from->body; i; i = i->next)
		if (i->kind == K_APPLY && same_value(p, i->reg, value->reg))
			return i;
	return NULL;
}

/* Loads the value where it is computed again. */
static bool keep(struct arena *a, const struct passes *p, struct kernel_instr *value)
{
	struct kernel_instr *first = earlier(p, value);
	if (!first)
		return false;
	const struct kernel_instr *kept = kept_by(p, first->reg, value->type),
				  *place = kept ? NULL : place_in(p, value);
	if (!kept && !place)
		return false;
	struct kernel_instr load = {.kind = K_LOAD,
				    .next = value->next,
				    .reg = value->reg,
				    .type = value->type,
				    .a = -1,
				    .b = -1,
				    .c = -1,
				    .param = kept ? kept->param : place->param,
				    .guard = -1,
				    .at = kept ? kept->at : place->at};
	put_loop(&load.at, p->from->loop, p->to->loop);
	*value = load;
	if (kept)
		return true;
	struct kernel_instr *store = ARENA_NEW(a, struct kernel_instr);
	*store = *place;
	store->a = first->reg;
	put_loop(&store->at, p->to->loop, p->from->loop);
	store->next = first->next;
	first->next = store;
	return true;
}

static bool uses(const struct kernel_instr *body, int reg)
{
	for (const struct kernel_instr *i = body; i; i = i->next) {
		bool reads = i->kind == K_APPLY || i->kind == K_STORE || i->kind == K_REDUCE || i->kind == K_PREFIX;
		if (i->kind == K_LOOP ? uses(i->body, reg)
				      : (reads && (i->a == reg || i->b == reg || i->c == reg)) || i->guard == reg ||
						i->at.reg == reg)
			return true;
	}
	return false;
}

/* Leaves out what nobody uses. */
static void prune(struct kernel *k, struct kernel_instr *loop)
{
	for (bool again = true; again;) {
		again = false;
		for (struct kernel_instr **at = &loop->body; *at;) {
			bool goes = kernel_is_value(*at) && !uses(k->body, (*at)->reg);
			again |= goes;
			if (goes)
				*at = (*at)->next;
			else
				at = &(*at)->next;
		}
	}
}

static bool is_function(const struct kernel_instr *i)
{
	return i && i->kind == K_APPLY && scalar_effort(i->fn) == EFFORT_FUNCTION;
}

/* A function, or one that is rounded, of which a row may be kept. */
static bool is_dear(const struct kernel_instr *loop, const struct kernel_instr *i)
{
	bool rounds = i->kind == K_APPLY && i->fn == SC_CAST && is_function(made_in(loop, i->a));
	return (rounds || is_function(i)) && dtype_is_float(i->type) && loop->extent * dtype_size(i->type) <= ROW_BYTES;
}

static bool has_dear(const struct kernel_instr *loop)
{
	const struct kernel_instr *i = loop->body;
	while (i && !is_dear(loop, i))
		i = i->next;
	return i != NULL;
}

static bool is_pass(const struct kernel_instr *loop)
{
	bool flat = loop->kind == K_LOOP && loop->vector;
	for (const struct kernel_instr *i = flat ? loop->body : NULL; i && flat; i = i->next)
		flat = i->kind != K_LOOP && i->kind != K_PREFIX;
	return flat;
}

static struct kernel_instr *copied(struct arena *a, const struct kernel_instr *body)
{
	struct kernel_instr *first = NULL, **to = &first;
	for (; body; body = body->next, to = &(*to)->next) {
		*to = ARENA_NEW(a, struct kernel_instr);
		**to = *body;
	}
	return first;
}

/* By input and output, whether one may take the place of the other. */
static void find_sharing(const struct kernel *k, bool *shares)
{
	for (int in = 0; in < k->params.n; in++)
		for (int out = 0; out < k->params.n; out++)
			shares[in * k->params.n + out] = kernel_can_share(k, in, out);
}

/* Keeps what it can for a later pass, unless an input that an output may take the place of were read behind it then. */
static void keep_for(struct arena *a, const struct passes *p)
{
	struct kernel *k = p->k;
	int n = k->params.n * k->params.n;
	bool found = false, lost = false, *before = ARENA_ARRAY(a, bool, n), *after = ARENA_ARRAY(a, bool, n);
	find_sharing(k, before);
	struct kernel_instr *from = copied(a, p->from->body), *to = copied(a, p->to->body);
	for (struct kernel_instr *i = p->to->body; i; i = i->next)
		found |= is_dear(p->to, i) && keep(a, p, i);
	if (!found)
		return;
	prune(k, p->to);
	find_sharing(k, after);
	for (int i = 0; i < n; i++)
		lost |= before[i] && !after[i];
	if (lost) {
		p->from->body = from;
		p->to->body = to;
	}
}

static void keep_in_list(struct arena *a, struct kernel *k, struct kernel_instr *list)
{
	for (struct kernel_instr *from = list; from; from = from->next) {
		if (from->kind == K_LOOP && !from->vector)
			keep_in_list(a, k, from->body);
		for (struct kernel_instr *to = is_pass(from) ? from->next : NULL; to; to = to->next) {
			struct passes p = {k, from, to};
			if (is_pass(to) && to->extent == from->extent && has_dear(to) && has_dear(from))
				keep_for(a, &p);
		}
	}
}

void kernel_keep(struct arena *a, struct kernel *k)
{
	keep_in_list(a, k, k->body);
}
