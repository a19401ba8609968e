/* pieces.c — loops of joins, padding and masks are cut where a condition on their variable changes, so that each piece
 * knows it: its guards go, what is chosen is what it is, and what nobody reads any more is left out. A concatenation is
 * two copies, which collapse.c makes long.
 *
 *   loop i 8: c = i >= 3; x = load a[i] if c; y = load b[i]; store where(c, x, y)
 *   becomes   loop i 3: store load b[i];   loop i 5: store load a[i + 3]
 *
 * Left as they are: short vector loops in others, whose last lanes would have masks, so that a row stays one loop;
 * loops that join values, whose order would be another one; kernels that would become long. */
#include "build.h"
#include "fold.h"
#include "lower.h"

#include "../op/scalars/function.h"

#include <string.h>

/* Lanes of each piece, on average: of a loop alone, of one that begins anew for every row. Pieces of WHOLE_LANES, or a
 * multiple of it, are vectors without a rest on all machines. */
enum { LEAST_LANES = 32, LEAST_IN_ROW = 128, WHOLE_LANES = 16 };
enum { MAX_PIECES = 32, MOST_INSTRUCTIONS = 256, GROWTH = 2 /* at most, beyond that */ };

struct cutter {
	struct arena *arena;
	struct kernel *k;
	VEC(const struct kernel_instr *) def; /* by register, NULL: a parameter or an accumulator */
};

/* ---- conditions ---- */

static void note_definitions(struct cutter *c, const struct kernel_instr *body)
{
	for (const struct kernel_instr *in = body; in; in = in->next) {
		bool defines = in->kind != K_LOOP && in->kind != K_STORE && in->kind != K_REDUCE && in->reg >= 0;
		while (defines && c->def.n <= in->reg)
			vec_push(c->arena, &c->def, NULL);
		if (defines)
			c->def.at[in->reg] = in;
		if (in->kind == K_LOOP)
			note_definitions(c, in->body);
	}
}

static const struct kernel_instr *definition(const struct cutter *c, int reg)
{
	return reg >= 0 && reg < c->def.n ? c->def.at[reg] : NULL;
}

/* A comparison of coef * i + offset with a number. */
struct condition {
	enum scalar_fn fn;
	int64_t coef, offset, number;
	bool number_first;
};

static bool condition_of(const struct cutter *c, const struct kernel_instr *in, int loop, struct condition *out)
{
	if (in->kind != K_APPLY || scalar_functions[in->fn]->level != LEVEL_COMPARE)
		return false;
	const struct kernel_instr *x = definition(c, in->a), *y = definition(c, in->b);
	bool swapped = x && x->kind == K_CONST;
	const struct kernel_instr *var = swapped ? y : x, *number = swapped ? x : y;
	if (!var || !number || var->kind != K_LOOPVAR || number->kind != K_CONST || dtype_is_float(number->type))
		return false;
	if (var->at.reg >= 0 || var->at.nterms != 1 || var->at.term[0].loop != loop)
		return false;
	*out = (struct condition){in->fn, var->at.term[0].coef, var->at.offset, number->number.i, swapped};
	return true;
}

static bool holds_at(const struct condition *x, int64_t i)
{
	static const enum dtype ints[] = {DT_I64, DT_I64};
	union scalar_value var = {.i = x->coef * i + x->offset}, number = {.i = x->number};
	const union scalar_value in_order[] = {var, number}, swapped[] = {number, var};
	return scalar_eval_function(x->fn, DT_BOOL, ints, x->number_first ? swapped : in_order).i != 0;
}

/* Where pieces begin; n of them. */
struct pieces {
	int n;
	int64_t begin[MAX_PIECES + 1]; /* and the end of the last */
	bool any, too_many;            /* conditions */
};

static void add_begin(struct pieces *p, int64_t at)
{
	int i = 0;
	while (i < p->n && p->begin[i] < at)
		i++;
	if (p->begin[i] == at)
		return;
	if (p->n == MAX_PIECES) {
		p->too_many = true;
		return;
	}
	memmove(&p->begin[i + 1], &p->begin[i], sizeof p->begin[0] * (size_t)(p->n + 1 - i));
	p->begin[i] = at;
	p->n++;
}

/* A comparison changes next to where both sides are equal, if anywhere. */
static void add_changes(struct pieces *p, const struct condition *x, int64_t extent)
{
	int64_t equal = x->coef ? (x->number - x->offset) / x->coef : 0;
	for (int64_t i = equal - 1; i <= equal + 2; i++)
		if (i > 0 && i < extent && holds_at(x, i - 1) != holds_at(x, i))
			add_begin(p, i);
}

static void find_pieces(const struct cutter *c, const struct kernel_instr *body, const struct kernel_instr *loop,
			struct pieces *p)
{
	struct condition x;
	for (const struct kernel_instr *in = body; in && !p->too_many; in = in->next) {
		if (in->kind == K_LOOP) {
			find_pieces(c, in->body, loop, p);
		} else if (condition_of(c, in, loop->loop, &x)) {
			p->any = true;
			add_changes(p, &x, loop->extent);
		}
	}
}

static bool joins_values(const struct kernel_instr *body)
{
	for (const struct kernel_instr *in = body; in; in = in->next)
		if (in->kind == K_REDUCE || in->kind == K_PREFIX ||
		    (in->kind == K_LOOP && (in->naccs || joins_values(in->body))))
			return true;
	return false;
}

/* But that of the last, which the loop had, too. */
static bool leaves_no_rest(const struct pieces *p)
{
	for (int i = 0; i < p->n; i++)
		if (p->begin[i] % WHOLE_LANES)
			return false;
	return true;
}

static bool is_long_enough(const struct kernel_instr *loop, const struct pieces *p, bool outermost)
{
	int64_t least = !loop->vector || leaves_no_rest(p) ? 0 : p->n * (outermost ? LEAST_LANES : LEAST_IN_ROW);
	return p->any && !p->too_many && loop->extent >= least;
}

/* ---- a piece, which is some turns of a loop ---- */

struct turns {
	struct cutter *c;
	const struct kernel_instr *cut; /* the loop, */
	int64_t begin;                  /* of which it is the turns from here on */
	int *reg, *loop;                /* what stands for registers and loops of its body; -1: themselves */
	struct kernel_instr **tail;
};

static int reg_in(const struct turns *p, int reg)
{
	return reg < 0 || p->reg[reg] < 0 ? reg : p->reg[reg];
}

static int known_in(const struct turns *p, int reg)
{
	const struct kernel_instr *in = definition(p->c, reg);
	return in && in->kind == K_CONST && in->type == DT_BOOL ? in->number.i != 0 : UNKNOWN;
}

static struct kernel_affine affine_in(const struct turns *p, struct kernel_affine at)
{
	at.offset += affine_coef(&at, p->cut->loop) * p->begin;
	for (int i = 0; i < at.nterms; i++)
		if (p->loop[at.term[i].loop] >= 0)
			at.term[i].loop = p->loop[at.term[i].loop];
	at.reg = reg_in(p, at.reg);
	affine_sort(&at);
	return at;
}

static void append(struct turns *p, const struct kernel_instr *in)
{
	struct kernel_instr *fresh = ARENA_NEW(p->c->arena, struct kernel_instr);
	*fresh = *in;
	fresh->next = NULL;
	*p->tail = fresh;
	p->tail = &fresh->next;
	if (fresh->kind != K_STORE && fresh->kind != K_LOOP) {
		while (p->c->def.n <= fresh->reg)
			vec_push(p->c->arena, &p->c->def, NULL);
		p->c->def.at[fresh->reg] = fresh;
	}
}

static void append_number(struct turns *p, const struct kernel_instr *of, union scalar_value v)
{
	struct kernel_instr in = kernel_blank(K_CONST, of->type);
	in.reg = p->reg[of->reg] = p->c->k->nregs++;
	in.number = v;
	append(p, &in);
}

static void copy_apply(struct turns *p, const struct kernel_instr *in)
{
	struct condition x;
	if (condition_of(p->c, in, p->cut->loop, &x)) {
		append_number(p, in, (union scalar_value){.i = holds_at(&x, p->begin)});
		return;
	}
	struct kernel_instr fresh = *in;
	fresh.a = reg_in(p, in->a);
	fresh.b = reg_in(p, in->b);
	fresh.c = reg_in(p, in->c);
	int a = known_in(p, fresh.a), b = known_in(p, fresh.b), is = fold_bool(&fresh, a, b);
	int same = is == UNKNOWN ? fold_choice(&fresh, a, b) : -1;
	if (is != UNKNOWN) {
		append_number(p, in, (union scalar_value){.i = is});
	} else if (same >= 0) {
		p->reg[in->reg] = same;
	} else {
		fresh.reg = p->reg[in->reg] = p->c->k->nregs++;
		append(p, &fresh);
	}
}

/* A load or store: without its guard if that holds, and not made at all if it does not. */
static void copy_access(struct turns *p, const struct kernel_instr *in)
{
	struct kernel_instr fresh = *in;
	int guard = in->guard < 0 ? 1 : known_in(p, reg_in(p, in->guard));
	fresh.guard = guard == 1 ? -1 : reg_in(p, in->guard);
	fresh.at = affine_in(p, in->at);
	if (guard == 0 && in->kind == K_LOAD)
		append_number(p, in, in->number);
	if (guard == 0)
		return;
	if (in->kind == K_LOAD)
		fresh.reg = p->reg[in->reg] = p->c->k->nregs++;
	else
		fresh.a = reg_in(p, in->a);
	append(p, &fresh);
}

static void copy_body(struct turns *p, const struct kernel_instr *body);

static void copy_loop(struct turns *p, const struct kernel_instr *in, int64_t extent)
{
	struct kernel_instr fresh = *in;
	struct kernel_instr **tail;
	fresh.loop = p->loop[in->loop] = p->c->k->nloops++;
	fresh.extent = extent;
	fresh.body = NULL;
	struct kernel_instr **at = p->tail;
	append(p, &fresh);
	tail = p->tail;
	p->tail = &(*at)->body;
	copy_body(p, in->body);
	p->tail = tail;
}

static void copy_body(struct turns *p, const struct kernel_instr *body)
{
	for (const struct kernel_instr *in = body; in; in = in->next) {
		struct kernel_instr fresh = *in;
		switch (in->kind) {
		case K_APPLY:
			copy_apply(p, in);
			break;
		case K_LOAD:
		case K_STORE:
			copy_access(p, in);
			break;
		case K_LOOP:
			copy_loop(p, in, in->extent);
			break;
		case K_CONST:
		case K_LOOPVAR:
		case K_REDUCE:
		case K_PREFIX:
			fresh.at = affine_in(p, in->at);
			fresh.reg = p->reg[in->reg] = p->c->k->nregs++;
			append(p, &fresh);
			break;
		}
	}
}

/* The pieces of a loop, one behind the other, in its place. */
static void cut(struct cutter *c, struct kernel_instr **at, const struct pieces *pieces)
{
	const struct kernel_instr *loop = *at;
	int nregs = c->k->nregs, nloops = c->k->nloops;
	struct kernel_instr **tail = at;
	for (int i = 0; i < pieces->n; i++) {
		struct turns t = {.c = c, .cut = loop, .begin = pieces->begin[i], .tail = tail};
		t.reg = ARENA_ARRAY(c->arena, int, nregs);
		t.loop = ARENA_ARRAY(c->arena, int, nloops);
		memset(t.reg, -1, sizeof *t.reg * (size_t)nregs);
		memset(t.loop, -1, sizeof *t.loop * (size_t)nloops);
		copy_loop(&t, loop, pieces->begin[i + 1] - pieces->begin[i]);
		tail = t.tail;
	}
	*tail = loop->next;
}

static struct kernel_instr **loop_in(struct kernel_instr **at, int loop)
{
	struct kernel_instr **found = NULL;
	for (; *at && !found; at = &(*at)->next)
		if ((*at)->kind == K_LOOP)
			found = (*at)->loop == loop ? at : loop_in(&(*at)->body, loop);
	return found;
}

/* Pieces of a short body, or such that each needs but a part of it, as many matrices that are put together: a copy of
 * the kernel is cut to see. */
static bool stays_short(const struct cutter *c, const struct kernel_instr *loop, const struct pieces *p)
{
	if (p->n * kernel_length(loop->body) <= MOST_INSTRUCTIONS)
		return true;
	struct cutter trial = {.arena = c->arena, .k = kernel_copy(c->arena, c->k)};
	note_definitions(&trial, trial.k->body);
	cut(&trial, loop_in(&trial.k->body, loop->loop), p);
	kernel_drop_unused(trial.arena, trial.k);
	return kernel_length(trial.k->body) <= GROWTH * kernel_length(c->k->body);
}

static void cut_loops(struct cutter *c, struct kernel_instr **at, bool outermost)
{
	for (; *at; at = &(*at)->next) {
		const struct kernel_instr *loop = *at;
		if (loop->kind != K_LOOP)
			continue;
		struct pieces p = {.n = 1, .begin = {0, loop->extent}};
		if (!joins_values(loop->body) && !loop->naccs && loop->extent > 0)
			find_pieces(c, loop->body, loop, &p);
		if (is_long_enough(loop, &p, outermost) && stays_short(c, loop, &p))
			cut(c, at, &p);
		cut_loops(c, &(*at)->body, false);
	}
}

void kernel_cut(struct arena *a, struct kernel *k)
{
	struct cutter c = {.arena = a, .k = k};
	int nloops = k->nloops;
	note_definitions(&c, k->body);
	cut_loops(&c, &k->body, true);
	if (k->nloops > nloops)
		kernel_drop_unused(a, k);
}
