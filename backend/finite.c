/* finite.c — see finite.h. NaN is never wanted; an infinity may be: masks are made of it. So it counts where a step
 * makes one out of finite numbers, and what a step reads has to be known as well as what it writes. */
#include "finite.h"

#include <math.h>

struct lister {
	struct emitter *e;
	const struct region *region;
	const struct plan *plan;
	const struct plan_step *s;
	struct step_words *words;
};

static bool is_written(const struct plan_step *s, int buffer)
{
	for (int i = 0; i < s->writes.n; i++)
		if (s->writes.at[i].buffer == buffer)
			return true;
	return false;
}

static void word(struct lister *l, int64_t v)
{
	vec_push(l->e->arena, &l->words->list, v);
}

/* Sets the count that was left open at `at`, of entries of `size` words behind it. */
static void close_list(struct lister *l, int at, int size)
{
	l->words->list.at[at] = (l->words->list.n - at - 1) / size;
}

static bool floats(const struct lister *l, int buffer)
{
	return buffer >= 0 && dtype_is_float(l->plan->buffers.at[buffer].type);
}

static void extent(struct lister *l, int buffer)
{
	const struct buffer *b = &l->plan->buffers.at[buffer];
	word(l, buffer);
	word(l, b->type);
	word(l, b->elements);
}

/* ---- infinities that the program writes down itself ---- */

/* Whether reg is loaded from a parameter of the kernel. */
static bool is_load_of(const struct kernel_instr *in, int reg, int param)
{
	for (; in; in = in->next)
		if ((in->kind == K_LOAD && in->reg == reg && in->param == param) ||
		    (in->kind == K_LOOP && is_load_of(in->body, reg, param)))
			return true;
	return false;
}

/* Whether reg is the greater, or the lesser, of another number and what the parameter holds. */
static bool joins_extremum(const struct kernel_instr *in, const struct kernel_instr *body, int reg, int param)
{
	for (; in; in = in->next) {
		bool found = in->kind == K_APPLY && in->reg == reg && (in->fn == SC_MAX || in->fn == SC_MIN) &&
			     (is_load_of(body, in->a, param) || is_load_of(body, in->b, param));
		if (found || (in->kind == K_LOOP && joins_extremum(in->body, body, reg, param)))
			return true;
	}
	return false;
}

/* Whether every element of the parameter is made a maximum or minimum, of what it holds and something else: some are
 * not where indices that are data say which, or a guard does. */
static bool holds_extrema(const struct kernel_instr *in, const struct kernel_instr *body, int param)
{
	for (; in; in = in->next) {
		bool stores = in->kind == K_STORE && in->param == param && in->guard < 0 && in->at.reg < 0;
		if ((stores && joins_extremum(body, body, in->a, param)) ||
		    (in->kind == K_LOOP && holds_extrema(in->body, body, param)))
			return true;
	}
	return false;
}

/* Whether a number is but what maxima and minima begin with. */
static bool is_begin(const struct kernel_instr *in, const struct kernel_instr *body, int reg)
{
	for (; in; in = in->next) {
		bool reads = in->a == reg || in->b == reg || in->c == reg;
		bool begins = in->kind == K_STORE && in->guard < 0 && holds_extrema(body, body, in->param);
		if (in->kind == K_LOOP ? !is_begin(in->body, body, reg) : in->kind != K_CONST && reads && !begins)
			return false;
	}
	return true;
}

static bool has_infinity(const struct kernel_instr *in, const struct kernel_instr *body)
{
	for (; in; in = in->next) {
		bool has_number = in->kind == K_CONST || (in->kind == K_LOAD && in->guard >= 0);
		if (has_number && dtype_is_float(in->type) && isinf(in->number.f) &&
		    !(in->kind == K_CONST && is_begin(body, body, in->reg)))
			return true;
		if (in->kind == K_LOOP && has_infinity(in->body, body))
			return true;
	}
	return false;
}

static bool is_infinite(const struct plan_scalar *s)
{
	return s->kind == OPERAND_CONST && dtype_is_float(s->type) && isinf(s->number.f);
}

/* Parts of a sum or a product are finite if the whole is to be; of maxima and what is only moved, other ranks know. */
static bool brings_infinities(const struct program *p, const struct plan_step *s)
{
	const struct placed_type *src = &p->types.at[p->transfers.at[s->transfer].src];
	for (int a = 0; src->place && a < src->place->naxes; a++) {
		struct shard_atom atom = src->layout.atom[a];
		if (atom.kind == SHARD_P && (atom.combiner == SHARD_SUM || atom.combiner == SHARD_PROD))
			return false;
	}
	return true;
}

static bool may_be_infinite(const struct program *p, const struct plan_step *s)
{
	for (int i = 0; i < s->scalars.n; i++)
		if (is_infinite(&s->scalars.at[i]))
			return true;
	if (s->pieces)
		return true; /* what parts before it read is not looked at any more */
	if (s->kind == STEP_KERNEL)
		return has_infinity(s->kernel->body, s->kernel->body);
	if (s->kind == STEP_TRANSFER_END)
		return brings_infinities(p, s);
	return s->kind == STEP_GEMM && (is_infinite(&s->gemm->alpha) || is_infinite(&s->gemm->beta));
}

/* ---- what is read ---- */

static void argument(struct lister *l, const struct plan_scalar *s)
{
	if (s->kind == OPERAND_ARGUMENT && l->region->arguments.at[s->argument] == HOST_FLOAT)
		word(l, s->argument);
}

/* Numbers of the host. */
static void arguments(struct lister *l)
{
	int at = l->words->list.n;
	word(l, 0);
	for (int i = 0; i < l->s->scalars.n; i++)
		argument(l, &l->s->scalars.at[i]);
	if (l->s->kind == STEP_GEMM) {
		argument(l, &l->s->gemm->alpha);
		argument(l, &l->s->gemm->beta);
	}
	close_list(l, at, 1);
}

/* They are looked at behind the step, unless it writes over them. What a step writes first holds nothing yet. */
static void reads(struct lister *l, int step)
{
	int used[64], n = 0, at = l->words->list.n;
	word(l, 0);
	for (int more = 0; (n = plan_step_buffers(l->s, used, 64, more)) > 0; more += n)
		for (int i = 0; i < n; i++) {
			bool over = is_written(l->s, used[i]);
			if (!floats(l, used[i]) || (over && l->plan->buffers.at[used[i]].first_step == step &&
						    l->plan->buffers.at[used[i]].kind != BUFFER_SLOT))
				continue;
			if (l->s->kind == STEP_GEMM && used[i] == l->s->gemm->workspace)
				continue;
			if (l->s->kind == STEP_TRANSFER_END && used[i] == l->s->dst)
				continue;
			extent(l, used[i]);
			word(l, over);
		}
	close_list(l, at, 4);
}

/* ---- what is written ---- */

static void writes(struct lister *l, int step)
{
	int at = l->words->list.n;
	word(l, 0);
	for (int i = 0; i < l->s->writes.n; i++) {
		const struct plan_write *w = &l->s->writes.at[i];
		const struct buffer *b = &l->plan->buffers.at[w->buffer];
		if (!floats(l, w->buffer))
			continue;
		extent(l, w->buffer);
		word(l, w->site);
		word(l, w->kind);
		word(l, l->s->kind == STEP_KERNEL && b->kind == BUFFER_ARENA && b->first_step == step);
	}
	close_list(l, at, 6);
}

void finite_words(struct emitter *e, const struct program *p, const struct region *region, const struct plan *plan,
		  int step, struct step_words *words)
{
	struct lister l = {e, region, plan, &plan->steps.at[step], words};
	if (plan_step_is_loop(l.s)) {
		for (int i = 0; i < 4; i++)
			word(&l, 0);
		return;
	}
	word(&l, may_be_infinite(p, l.s));
	arguments(&l);
	reads(&l, step);
	writes(&l, step);
}
