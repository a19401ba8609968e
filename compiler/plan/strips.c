/* strips.c — products and kernels that follow each other over the same batch are made strip by strip, where what one
 * leaves for the next is too large for the cache: scores of attention, their exponentials and probabilities. A strip is
 * a turn of a loop in the plan, whose turns move along lines of what the steps read and write; what nobody else sees
 * has memory for one strip alone.
 *
 *   gemm b0 = b1 b2', loops 64               loop 16 turns; b4 line of b1, b5 line of b2, b6 line of b3
 *   kernel softmax(out b0, b0)       becomes   gemm b0 = b4 b5', loops 4
 *   gemm b3 = b0 b7, loops 64                  kernel softmax(out b0, b0), a sixteenth as long …
 *
 * Each step of a run must be one whose n-th parts touch n-th parts of the buffers, or all of what no step of it writes.
 * No bits change: whatever is summed up is summed up within one strip, as before. */
#include "strips.h"

#include "../../runtime/shard.h"

enum {
	RUN_MOST = 16, /* steps */
	/* Bytes. What is left for a later step is worth it from MADE on; what is touched from when it is made until it
	 * is read should be STRIP, and no more than half as much again: a second cache has 1 or 2 MB. */
	LINES_MOST_K = 1 << 30, /* in thousands */
	MADE_LEAST = 1 << 20,
	STRIP = 1 << 20,
	STRIP_MOST = STRIP + STRIP / 2,
};

/* ---- what a strip of a step touches ---- */

/* Whether memory of b may be memory of `other`: one lies in the other, or both in a third. */
static bool meets(const struct run *r, int b, int other)
{
	if (b == other)
		return true;
	for (int i = 0; i < buffer_at(r, b)->within.n; i++)
		if (meets(r, buffer_at(r, b)->within.at[i], other))
			return true;
	for (int i = 0; i < buffer_at(r, other)->within.n; i++)
		if (meets(r, b, buffer_at(r, other)->within.at[i]))
			return true;
	return false;
}

static void add_use(struct run *r, int step, int buffer, bool is_line, bool writes)
{
	r->fits = r->fits && r->nuses < USES_MOST && (is_line || !writes) && buffer_at(r, buffer)->kind != BUFFER_TAPE;
	for (int i = 0; i < r->nuses && r->fits; i++) {
		const struct use *u = &r->use[i];
		bool apart = !(u->writes || writes) || !meets(r, u->buffer, buffer);
		r->fits = apart || (u->buffer == buffer && u->is_line && is_line);
	}
	if (r->fits)
		r->use[r->nuses++] = (struct use){step, buffer, is_line, writes};
}

static void add_scalar(struct run *r, int step, const struct plan_scalar *s)
{
	if (s->kind == OPERAND_ELEMENT)
		add_use(r, step, s->argument, false, false);
}

/* An operand of a product, whose matrix has so many elements from its first to its last. */
static void add_operand(struct run *r, int step, int buffer, int64_t offset, int64_t reach, const int64_t *stride,
			bool writes)
{
	const struct plan_gemm *g = r->plan->steps.at[step].gemm;
	int64_t low = offset, high = offset + reach - 1, elements = buffer_at(r, buffer)->elements;
	for (int i = 0; i < g->nloops; i++) {
		int64_t turns = i ? g->loop[i].extent : g->loop[0].extent / r->strips;
		int64_t most = stride[i] * (turns - 1);
		*(most < 0 ? &low : &high) += most;
	}
	bool is_line = stride[0] != 0;
	r->fits = r->fits &&
		  (!is_line || (stride[0] * g->loop[0].extent == elements && low >= 0 && high < elements / r->strips));
	if (r->fits)
		add_use(r, step, buffer, is_line, writes);
}

static void add_product(struct run *r, int step)
{
	const struct plan_gemm *g = r->plan->steps.at[step].gemm;
	r->fits = g->nloops > 0 && !g->pack_a && !g->pack_b && !g->exact && g->workspace < 0;
	if (!r->fits)
		return;
	int64_t *stride = ARENA_ARRAY(r->p->scratch, int64_t, 3 * g->nloops);
	for (int i = 0; i < g->nloops; i++) {
		stride[i] = g->loop[i].a;
		stride[g->nloops + i] = g->loop[i].b;
		stride[2 * g->nloops + i] = g->loop[i].c;
	}
	r->strips = shard_gcd(r->strips, g->loop[0].extent);
	add_operand(r, step, g->a, g->offset_a, ((g->ta ? g->k : g->m) - 1) * g->lda + (g->ta ? g->m : g->k), stride,
		    false);
	add_operand(r, step, g->b, g->offset_b, ((g->tb ? g->n : g->k) - 1) * g->ldb + (g->tb ? g->k : g->n),
		    stride + g->nloops, false);
	add_operand(r, step, g->c, g->offset_c, (g->m - 1) * g->ldc + g->n, stride + 2 * g->nloops, true);
	add_scalar(r, step, &g->alpha);
	add_scalar(r, step, &g->beta);
}

struct kernel_buffers strip_kernel_buffers(const struct run *r, const struct plan_step *s)
{
	int n = s->kernel->params.n, at = 0;
	struct arena *a = r->p->scratch;
	struct kernel_buffers k = {ARENA_ARRAY(a, int64_t, n), ARENA_ARRAY(a, int64_t, n), ARENA_ARRAY(a, int, n),
				   ARENA_ARRAY(a, enum strip_way, n)};
	for (int i = 0; i < n; i++) {
		if (s->kernel->params.at[i].kind == KP_SCALAR)
			continue;
		k.from[i] = plan_step_from(s, at);
		k.buffer[i] = s->buffers.at[at++];
		k.elements[i] = buffer_at(r, k.buffer[i])->elements;
	}
	return k;
}

static void add_kernel(struct run *r, int step)
{
	const struct plan_step *s = &r->plan->steps.at[step];
	r->strips = shard_gcd(r->strips, kernel_strips(s->kernel));
	r->fits = r->strips > 1;
	if (!r->fits)
		return;
	struct kernel_buffers k = strip_kernel_buffers(r, s);
	r->fits = kernel_strip_ways(s->kernel, r->strips, k.elements, k.from, k.way);
	for (int i = 0; i < s->kernel->params.n && r->fits; i++)
		if (s->kernel->params.at[i].kind != KP_SCALAR)
			add_use(r, step, k.buffer[i], k.way[i] == STRIP_LINE, s->kernel->params.at[i].kind != KP_IN);
	for (int i = 0; i < s->scalars.n; i++)
		add_scalar(r, step, &s->scalars.at[i]);
}

static void add_copy(struct run *r, int step)
{
	const struct plan_step *s = &r->plan->steps.at[step];
	r->strips = shard_gcd(r->strips, buffer_at(r, s->dst)->elements);
	add_use(r, step, s->src, true, false);
	add_use(r, step, s->dst, true, true);
}

/* Whether the step can be the next of the run. */
static bool add_step(struct run *r, int step)
{
	const struct plan_step *s = &r->plan->steps.at[step];
	struct run before = *r;
	r->fits = !s->piece && step - r->first < RUN_MOST;
	if (s->kind == STEP_GEMM && r->fits)
		add_product(r, step);
	else if (s->kind == STEP_KERNEL && r->fits)
		add_kernel(r, step);
	else if (s->kind == STEP_COPY && r->fits)
		add_copy(r, step);
	else
		r->fits = false;
	if (r->fits && r->strips > 1) {
		r->last = step;
		return true;
	}
	*r = before;
	return false;
}

/* ---- whether strips are worth it ---- */

/* Bytes that a strip touches in steps from..to: lines of so many strips, and all of what is read whole. */
static int64_t touched(const struct run *r, int from, int to, int64_t strips)
{
	int64_t bytes = 0;
	for (int i = 0; i < r->nuses; i++) {
		const struct use *u = &r->use[i];
		bool is_first = u->step >= from && u->step <= to;
		for (int k = 0; k < i && is_first; k++)
			is_first = r->use[k].buffer != u->buffer || r->use[k].step < from;
		if (is_first)
			bytes += plan_buffer_bytes(buffer_at(r, u->buffer)) / (u->is_line ? strips : 1);
	}
	return bytes;
}

struct worth {
	int64_t made,
		most; /* bytes left for later steps where they still lie in the cache; most that is touched till then */
	int first, last; /* steps that leave and take them */
};

/* What the use writes, for later steps that read it. */
static void add_worth(const struct run *r, const struct use *made, int64_t strips, struct worth *w)
{
	bool counts = false;
	for (const struct use *u = made + 1; u < r->use + r->nuses && made->writes; u++) {
		int64_t bytes = u->buffer == made->buffer && u->step > made->step
					? touched(r, made->step, u->step, strips)
					: INT64_MAX;
		if (bytes > STRIP_MOST)
			continue;
		w->most = !counts && bytes > w->most ? bytes : w->most;
		w->first = made->step < w->first ? made->step : w->first;
		w->last = u->step > w->last ? u->step : w->last;
		counts = true;
	}
	w->made += counts ? plan_buffer_bytes(buffer_at(r, made->buffer)) : 0;
}

static struct worth worth_of(const struct run *r, int64_t strips)
{
	struct worth w = {.first = r->last, .last = r->first};
	for (int i = 0; i < r->nuses; i++)
		add_worth(r, &r->use[i], strips, &w);
	return w;
}

/* Whether so many strips leave as much in the cache as the most, and touch little enough: if they do, more do too. */
static bool suffice(const struct run *r, int64_t strips, int64_t most)
{
	struct worth w = worth_of(r, strips);
	return w.made == worth_of(r, most).made && w.most <= STRIP;
}

/* The least divisor of n that is not less than `from`, in steps of the square root of n. */
static int64_t divisor_from(int64_t n, int64_t from)
{
	int64_t d = from;
	for (; d <= n / d; d++)
		if (n % d == 0)
			return d;
	int64_t times = n / d;
	while (n % times)
		times--;
	return n / times;
}

/* As few strips as may be; false: they gain nothing, or no rank has memory for so many lines. The run begins and ends
 * with what gains by it. */
static bool choose_strips(struct run *r)
{
	int64_t most = r->strips, low = 2, high = most;
	if (most > (int64_t)LINES_MOST_K << 10)
		return false;
	while (low < high) {
		int64_t middle = low + (high - low) / 2;
		if (suffice(r, middle, most))
			high = middle;
		else
			low = middle + 1;
	}
	r->strips = divisor_from(most, low);
	struct worth w = worth_of(r, r->strips);
	r->first = w.first;
	r->last = w.last;
	return w.made >= MADE_LEAST;
}

void planner_cut_strips(struct planner *p)
{
	struct run *r = ARENA_NEW(p->scratch, struct run);
	int outer = -1;
	for (int i = 0; i < p->plan->steps.n; i++) {
		const struct plan_step *s = &p->plan->steps.at[i];
		if (s->kind == STEP_LOOP_BEGIN)
			outer = s->loop;
		if (s->kind == STEP_LOOP_END)
			outer = p->plan->loops.at[s->loop].outer;
		if (s->kind != STEP_GEMM || !s->gemm->nloops)
			continue;
		*r = (struct run){.p = p, .plan = p->plan, .first = i, .last = i, .strips = s->gemm->loop[0].extent};
		int next = i;
		while (next < p->plan->steps.n && add_step(r, next))
			next++;
		if (next - i < 2 || !choose_strips(r))
			continue;
		strips_cut(r, outer);
		i = r->last + 2;
	}
}
