/* verify.c — what every plan obeys: buffers live when used and not overlapping while live, values written before they
 * are read, parameters that fit their buffers, every begun transfer ended once. */
#include "verify.h"

#include "../../runtime/pmlrt.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int plan_step_buffers(const struct plan_step *s, int *list, int max, int from)
{
	int n = 0, seen = 0;
#define NAME(b) \
	do { \
		if ((b) >= 0 && seen++ >= from && n < max) \
			list[n++] = (b); \
	} while (0)
	for (int i = 0; i < s->buffers.n; i++)
		NAME(s->buffers.at[i]);
	for (int i = 0; i < s->scalars.n; i++)
		NAME(s->scalars.at[i].kind == OPERAND_ELEMENT ? s->scalars.at[i].argument : -1);
	if (s->kind == STEP_GEMM) {
		NAME(s->gemm->a);
		NAME(s->gemm->b);
		NAME(s->gemm->c);
		NAME(s->gemm->grid);
		NAME(s->gemm->workspace);
		NAME(s->gemm->alpha.kind == OPERAND_ELEMENT ? s->gemm->alpha.argument : -1);
		NAME(s->gemm->beta.kind == OPERAND_ELEMENT ? s->gemm->beta.argument : -1);
		return n;
	}
	NAME(s->src);
	NAME(s->dst);
	if (s->kind == STEP_SORTED)
		NAME(s->sorted->workspace);
	if (s->kind == STEP_FACTORS)
		NAME(s->factors->workspace);
	if (s->kind == STEP_FOURIER) {
		NAME(s->fourier->in.second);
		NAME(s->fourier->out.second);
		NAME(s->fourier->workspace);
	}
#undef NAME
	return n;
}

bool verify_names(struct checker *c, int step, int b)
{
	if (b < 0 || b >= c->p->buffers.n) {
		FAIL(c, "step %d names buffer %d, which does not exist", step, b);
		return false;
	}
	const struct buffer *x = &c->p->buffers.at[b];
	if (c->gone[b])
		FAIL(c, "step %d uses buffer %d after its slot was exchanged", step, b);
	if (step < x->first_step || step > x->last_step)
		FAIL(c, "step %d uses buffer %d outside of its life %d..%d", step, b, x->first_step, x->last_step);
	return true;
}

bool verify_holds(const struct checker *c, int b)
{
	return c->written[b] || c->p->buffers.at[b].kind == BUFFER_SLOT;
}

static void reads(struct checker *c, int step, int b)
{
	if (verify_names(c, step, b) && !verify_holds(c, b))
		FAIL(c, "step %d reads buffer %d before anything is written to it", step, b);
	if (!c->error && c->missing[b])
		FAIL(c, "step %d reads buffer %d before all parts of it are written", step, b);
	for (int i = 0; i < c->begun.n && !c->error; i++)
		if (c->begun.at[i]->dst == b)
			FAIL(c, "step %d reads buffer %d, which transfer %d has not brought yet", step, b,
			     c->begun.at[i]->transfer);
}

/* Step writes b, and so all that it may lie in. */
static void mark_written(struct checker *c, int step, int b)
{
	const struct buffer *x = &c->p->buffers.at[b];
	c->written[b] = true;
	verify_line(c, step, b);
	for (int i = 0; i < x->within.n; i++)
		mark_written(c, step, x->within.at[i]);
}

void verify_writes(struct checker *c, int step, int b)
{
	if (!verify_names(c, step, b))
		return;
	for (int i = 0; i < c->begun.n; i++)
		if (c->begun.at[i]->src == b || c->begun.at[i]->dst == b)
			FAIL(c, "step %d writes buffer %d, which transfer %d is moving", step, b,
			     c->begun.at[i]->transfer);
	mark_written(c, step, b);
	if ((c->p->buffers.at[b].kind == BUFFER_BATCH) != (c->p->steps.at[step].kind == STEP_BATCH_READ))
		FAIL(c, "step %d writes buffer %d, which is %s", step, b,
		     c->p->buffers.at[b].kind == BUFFER_BATCH ? "a batch" : "none for batches");
}

static void check_scalar(struct checker *c, int step, const struct plan_scalar *s)
{
	if (s->kind == OPERAND_ELEMENT)
		reads(c, step, s->argument);
}

/* Elements that the instructions store to a parameter, in so many turns of the loops around them. */
static int64_t stored(const struct kernel_instr *in, int param, int64_t turns)
{
	int64_t n = 0;
	for (; in; in = in->next) {
		n += in->kind == K_STORE && in->param == param && in->guard < 0 ? turns : 0;
		if (in->kind == K_LOOP)
			n += stored(in->body, param, turns * in->extent);
	}
	return n;
}

/* Parts of a result, which have n elements each, follow each other, and make all of it. */
static void check_part(struct checker *c, int step, const struct plan_step *s, int64_t n, int b)
{
	if (s->piece == 1 && c->missing[b])
		FAIL(c, "step %d begins buffer %d again before all parts of it are written", step, b);
	c->missing[b] = (s->piece == 1 ? c->p->buffers.at[b].elements : c->missing[b]) - n;
	if (c->missing[b] < 0 || (s->piece == s->pieces) != (c->missing[b] == 0))
		FAIL(c, "step %d: part %d of %d leaves %" PRId64 " elements of buffer %d", step, s->piece, s->pieces,
		     c->missing[b], b);
}

static void check_kernel(struct checker *c, int step, const struct plan_step *s)
{
	int buffer = 0, scalar = 0;
	for (int pass = 0; pass < 2; pass++) {
		buffer = 0;
		for (int i = 0; i < s->kernel->params.n && !c->error; i++) {
			const struct kernel_param *k = &s->kernel->params.at[i];
			if (k->kind == KP_SCALAR) {
				scalar += pass;
				continue;
			}
			if (buffer == s->buffers.n) {
				FAIL(c, "step %d: kernel %s wants more buffers", step, s->kernel->name);
				return;
			}
			int64_t from = plan_step_from(s, buffer);
			int b = s->buffers.at[buffer++];
			const struct buffer *x = &c->p->buffers.at[b];
			if (pass == 0 && k->kind == KP_IN)
				reads(c, step, b);
			else if (pass == 1 && k->kind != KP_IN)
				verify_writes(c, step, b);
			if (pass == 1 && k->kind != KP_IN && s->piece && !c->error)
				check_part(c, step, s, stored(s->kernel->body, i, 1), b);
			if (!c->error &&
			    (x->type != k->type || from < 0 ||
			     (k->kind == KP_IN ? from + k->size > x->elements : from || x->elements != k->size)))
				FAIL(c, "step %d: buffer %d does not fit parameter %d of kernel %s", step, b, i,
				     s->kernel->name);
		}
	}
	if (!c->error && (buffer != s->buffers.n || scalar != s->scalars.n))
		FAIL(c, "step %d: kernel %s takes %d buffers and %d scalars", step, s->kernel->name, buffer, scalar);
}

/* Only parameters that say so share a buffer with one that is written. */
static void check_sharing(struct checker *c, int step, const struct plan_step *s)
{
	int of[128], n = 0;
	for (int i = 0; i < s->kernel->params.n; i++)
		if (s->kernel->params.at[i].kind != KP_SCALAR && n < 128)
			of[n++] = i;
	for (int i = 0; i < n && i < s->buffers.n; i++)
		for (int j = 0; j < n && j < s->buffers.n; j++) {
			const struct kernel_param *out = &s->kernel->params.at[of[i]];
			if (i == j || out->kind == KP_IN || s->buffers.at[i] != s->buffers.at[j] ||
			    out->same == of[j] || s->kernel->params.at[of[j]].same == of[i])
				continue;
			FAIL(c, "step %d: kernel %s writes buffer %d, which it has twice", step, s->kernel->name,
			     s->buffers.at[i]);
		}
}

/* Elements from the first to the last that gathering may read. */
static int64_t pack_reach(const struct product_pack *p)
{
	int64_t last = 0;
	for (int d = 0; d < p->rank; d++)
		last += (p->dim[d].extent - 1) * p->dim[d].stride;
	return last;
}

/* Elements of C that a product makes. Turns that leave C where it is add up; some begin where the last elements of the
 * turn before are. */
static int64_t made(const struct plan_gemm *g)
{
	int64_t rows = g->m, columns = g->n, turns = 1;
	for (int i = 0; i < g->nloops; i++) {
		const struct product_loop *l = &g->loop[i];
		if (l->c > 0 && l->c < g->n)
			columns += (l->extent - 1) * l->c;
		else if (l->c % g->ldc == 0 && l->c > 0 && l->c / g->ldc < g->m)
			rows += (l->extent - 1) * (l->c / g->ldc);
		else
			turns *= l->c ? l->extent : 1;
	}
	return rows * columns * turns;
}

static void check_gemm(struct checker *c, int step, const struct plan_step *s)
{
	const struct plan_gemm *g = s->gemm;
	bool adds = g->beta.kind != OPERAND_CONST || g->beta.number.f != 0;
	reads(c, step, g->a);
	reads(c, step, g->b);
	if (g->grid >= 0)
		reads(c, step, g->grid);
	if (adds && s->piece <= 1) /* a later part adds to what its elements held before the first */
		reads(c, step, g->c);
	check_scalar(c, step, &g->alpha);
	check_scalar(c, step, &g->beta);
	verify_writes(c, step, g->c);
	if (g->workspace >= 0)
		verify_writes(c, step, g->workspace);
	if (s->piece && !c->error)
		check_part(c, step, s, made(g), g->c);
	if (c->error)
		return;
	const struct buffer *buffer[] = {&c->p->buffers.at[g->a], &c->p->buffers.at[g->b], &c->p->buffers.at[g->c]};
	const int64_t rows[] = {g->ta ? g->k : g->m, g->tb ? g->n : g->k, g->m};
	const int64_t cols[] = {g->ta ? g->m : g->k, g->tb ? g->k : g->n, g->n};
	const struct product_pack *pack[] = {g->pack_a, g->pack_b, NULL};
	const int64_t ld[] = {g->lda, g->ldb, g->ldc}, offset[] = {g->offset_a, g->offset_b, g->offset_c};
	int64_t last[] = {offset[0], offset[1], offset[2]}; /* where the last turn begins */
	for (int i = 0; i < g->nloops; i++) {
		const int64_t stride[] = {g->loop[i].a, g->loop[i].b, g->loop[i].c};
		for (int t = 0; t < 3; t++)
			last[t] += (g->loop[i].extent - 1) * stride[t];
		if (g->loop[i].extent < 1)
			FAIL(c, "step %d: a loop of the product without turns", step);
	}
	int64_t room = g->workspace < 0 ? 0 : c->p->buffers.at[g->workspace].elements;
	for (int i = 0; i < 3; i++) {
		int64_t end = last[i] + (pack[i] ? pack_reach(pack[i]) : (rows[i] - 1) * ld[i] + cols[i] - 1);
		if (ld[i] < cols[i] || (rows[i] > 0 && cols[i] > 0 && end >= buffer[i]->elements))
			FAIL(c, "step %d: operand %d of the product leaves its buffer", step, i);
		if (!pack[i])
			continue;
		room -= g->filter ? 0 : product_pack_room(pack[i]);
		if (product_pack_elements(pack[i]) != rows[i] * cols[i] || ld[i] != cols[i] || room < 0)
			FAIL(c, "step %d: what a product gathers of operand %d is not its matrix", step, i);
	}
	if (g->filter && room < product_filter_room(&g->filter->f))
		FAIL(c, "step %d: a filter has too small a workspace", step);
	if (g->grid >= 0 && last[2] - g->offset_c + g->offset_grid + (g->m - 1) * g->ldc + g->n - 1 >=
				    c->p->buffers.at[g->grid].elements)
		FAIL(c, "step %d: the grids of a product leave their buffer", step);
	if (g->a == g->c || g->b == g->c || g->grid == g->c)
		FAIL(c, "step %d: a product writes what it reads", step);
}

static void check_sorted(struct checker *c, int step, const struct plan_step *s)
{
	const struct plan_sorted *p = s->sorted;
	int64_t lines = p->outer * p->inner, height = p->first ? p->first : p->n;
	reads(c, step, s->src);
	verify_writes(c, step, s->dst);
	verify_writes(c, step, p->workspace);
	if (c->error)
		return;
	const struct buffer *src = &c->p->buffers.at[s->src], *dst = &c->p->buffers.at[s->dst];
	const struct buffer *room = &c->p->buffers.at[p->workspace];
	if (s->src == s->dst || src->elements != lines * p->n || dst->elements != lines * height || p->from < 0 ||
	    p->from > p->n - height || src->type != p->type || dst->type != DT_I32)
		FAIL(c, "step %d: buffers do not fit the lines that are sorted", step);
	if (room->type != DT_U64 || room->elements < pmlrt_ranking_words(dtype_size(p->type), p->n, p->inner))
		FAIL(c, "step %d: there is no room for sorting", step);
}

/* Elements that a part reaches up to, its own and those of the loops; -1: it reaches before the first. */
static int64_t reach_of(const struct plan_fourier *f, const struct plan_fourier_side *s, int part)
{
	int64_t low = s->offset[part], high = s->offset[part];
	for (int i = -1; i < f->nloops; i++) {
		int64_t turns = i < 0 ? s->count : f->loop[i].extent;
		int64_t by = i < 0 ? s->step : s == &f->in ? f->loop[i].x : f->loop[i].out;
		if (turns == 0)
			return 0;
		*(by < 0 ? &low : &high) += (turns - 1) * by;
	}
	return low < 0 ? -1 : high + 1;
}

static void check_fourier(struct checker *c, int step, const struct plan_step *s)
{
	const struct plan_fourier *f = s->fourier;
	const int in[] = {s->src, f->in.second}, out[] = {s->dst, f->out.second};
	for (int part = 0; part < 2; part++) {
		reads(c, step, in[part]);
		verify_writes(c, step, out[part]);
	}
	verify_writes(c, step, f->workspace);
	if (c->error)
		return;
	const struct buffer *room = &c->p->buffers.at[f->workspace];
	for (int part = 0; part < 2; part++) {
		const struct buffer *from = &c->p->buffers.at[in[part]], *to = &c->p->buffers.at[out[part]];
		int64_t read = part < f->in.parts ? reach_of(f, &f->in, part) : 0;
		int64_t written = part < f->out.parts ? reach_of(f, &f->out, part) : 0;
		if (read < 0 || written < 0 || read > from->elements || written > to->elements ||
		    from->type != f->type || to->type != f->type || in[0] == out[part] || in[1] == out[part] ||
		    f->nloops > MAX_FACTORS)
			FAIL(c, "step %d: buffers do not fit the lines that are transformed", step);
	}
	if (room->type != DT_U64 || room->elements * 8 < fourier_room(f->n, f->numbers, dtype_size(f->type)))
		FAIL(c, "step %d: there is no room for transforms", step);
}

static void check_factors(struct checker *c, int step, const struct plan_step *s)
{
	const struct plan_factors *e = s->factors;
	reads(c, step, s->src);
	verify_writes(c, step, s->dst);
	verify_writes(c, step, e->workspace);
	if (c->error)
		return;
	const struct buffer *src = &c->p->buffers.at[s->src], *dst = &c->p->buffers.at[s->dst];
	const struct buffer *room = &c->p->buffers.at[e->workspace];
	if (s->src == s->dst || src->elements != e->count * e->n * e->n ||
	    dst->elements != e->count * (e->n + 1) * e->n || src->type != e->type || dst->type != e->type)
		FAIL(c, "step %d: buffers do not fit the matrices", step);
	if (room->type != DT_U64 || room->elements * 8 < factors_room(e->way, e->n))
		FAIL(c, "step %d: there is no room for factors", step);
}

static const struct plan_step *under_way(const struct checker *c, int transfer)
{
	for (int i = 0; i < c->begun.n; i++)
		if (c->begun.at[i]->transfer == transfer)
			return c->begun.at[i];
	return NULL;
}

/* What travels together leaves when its carrier begins: all others have begun by then, and none is waited for before. A
 * carrier's number is the largest of its bucket, and transfers begin in the order of their numbers. */
static void check_bucket(struct checker *c, int step, const struct plan_step *s)
{
	bool begins = s->kind == STEP_TRANSFER_BEGIN;
	if (begins && s->carrier != s->transfer && (s->carrier < s->transfer || c->left[s->carrier]))
		FAIL(c, "step %d begins transfer %d after transfer %d, which carries it, has left", step, s->transfer,
		     s->carrier);
	if (!begins && !c->left[s->carrier])
		FAIL(c, "step %d waits for transfer %d before transfer %d, which carries it, has begun", step,
		     s->transfer, s->carrier);
	if (begins && s->carrier == s->transfer)
		c->left[s->transfer] = true;
}

static void check_transfer(struct checker *c, int step, const struct plan_step *s)
{
	check_bucket(c, step, s);
	if (s->kind == STEP_TRANSFER_BEGIN) {
		if (under_way(c, s->transfer))
			FAIL(c, "step %d begins transfer %d a second time", step, s->transfer);
		if (s->src >= 0)
			reads(c, step, s->src);
		for (int i = 0; i < s->buffers.n; i++)
			reads(c, step, s->buffers.at[i]);
		if (s->dst >= 0)
			verify_writes(c, step, s->dst);
		vec_push(c->arena, &c->begun, s);
		return;
	}
	for (int i = 0; i < c->begun.n; i++) {
		const struct plan_step *b = c->begun.at[i];
		if (b->transfer != s->transfer)
			continue;
		if (b->src != s->src || b->dst != s->dst)
			FAIL(c, "step %d ends transfer %d with other buffers", step, s->transfer);
		c->begun.at[i] = c->begun.at[--c->begun.n];
		return;
	}
	FAIL(c, "step %d ends transfer %d, which was not begun", step, s->transfer);
}

static void check_exchange(struct checker *c, int step, const struct plan_step *s)
{
	reads(c, step, s->src);
	verify_writes(c, step, s->dst);
	if (c->error)
		return;
	const struct buffer *spare = &c->p->buffers.at[s->src], *slot = &c->p->buffers.at[s->dst];
	if (spare->kind != BUFFER_SPARE || slot->kind != BUFFER_SLOT || spare->slot != slot->slot ||
	    spare->elements != slot->elements || spare->type != slot->type || c->open >= 0)
		FAIL(c, "step %d exchanges what is not a slot and its spare, or does so in a loop", step);
	c->gone[s->src] = c->gone[s->dst] = true;
}

static void check_hand(struct checker *c, int step, const struct plan_step *s)
{
	reads(c, step, s->src);
	verify_writes(c, step, s->dst);
	if (!c->error &&
	    (c->p->buffers.at[s->src].kind != BUFFER_TAPE || c->p->buffers.at[s->dst].kind != BUFFER_SLOT ||
	     c->p->buffers.at[s->dst].elements || c->open >= 0))
		FAIL(c, "step %d hands what is not a tape, or to what is not a slot of its own, or does so in a loop",
		     step);
}

static void check_step(struct checker *c, int step, const struct plan_step *s)
{
	for (int i = 0; i < s->scalars.n; i++)
		check_scalar(c, step, &s->scalars.at[i]);
	switch (s->kind) {
	case STEP_KERNEL:
		check_kernel(c, step, s);
		check_sharing(c, step, s);
		return;
	case STEP_GEMM:
		check_gemm(c, step, s);
		return;
	case STEP_FOURIER:
		check_fourier(c, step, s);
		break;
	case STEP_SORTED:
		check_sorted(c, step, s);
		return;
	case STEP_FACTORS:
		check_factors(c, step, s);
		return;
	case STEP_CHECK:
	case STEP_COPY:
		reads(c, step, s->src);
		if (s->kind != STEP_CHECK || s->dst != s->src || c->p->buffers.at[s->src].kind != BUFFER_SLOT)
			verify_writes(c, step, s->dst);
		if (!c->error && (c->p->buffers.at[s->src].elements != c->p->buffers.at[s->dst].elements ||
				  c->p->buffers.at[s->src].type != c->p->buffers.at[s->dst].type))
			FAIL(c, "step %d copies between buffers that differ", step);
		return;
	case STEP_EXCHANGE:
		check_exchange(c, step, s);
		return;
	case STEP_HAND:
		check_hand(c, step, s);
		return;
	case STEP_TRANSFER_BEGIN:
	case STEP_TRANSFER_END:
		check_transfer(c, step, s);
		return;
	case STEP_BATCH_READ:
		verify_writes(c, step, s->dst);
		return;
	case STEP_RESULT:
		if (s->scalars.n != 1)
			FAIL(c, "step %d: a result is one scalar", step);
		return;
	case STEP_PASS_BEGIN:
	case STEP_LOOP_BEGIN:
	case STEP_LOOP_TEST:
	case STEP_LOOP_END:
		return;
	}
}

/* One more than the largest number of a transfer. */
static int transfers_of(const struct plan *p)
{
	int n = 0;
	for (int i = 0; i < p->steps.n; i++) {
		n = p->steps.at[i].transfer >= n ? p->steps.at[i].transfer + 1 : n;
		n = p->steps.at[i].carrier >= n ? p->steps.at[i].carrier + 1 : n;
	}
	return n;
}

/* Few buffers are lines, and loops in loops move many. */
static void find_lines(struct checker *c)
{
	for (int l = 0; l < c->p->loops.n; l++)
		for (int i = 0; i < c->p->loops.at[l].moves.n; i++) {
			const struct plan_move *m = &c->p->loops.at[l].moves.at[i];
			if (m->of_lines)
				c->is_line[m->buffer] = true;
		}
}

const char *plan_verify(struct arena *a, const struct plan *p)
{
	struct checker c = {.arena = a, .p = p};
	c.written = ARENA_ARRAY(a, bool, p->buffers.n);
	c.missing = ARENA_ARRAY(a, int64_t, p->buffers.n);
	c.gone = ARENA_ARRAY(a, bool, p->buffers.n);
	c.left = ARENA_ARRAY(a, bool, transfers_of(p));
	c.is_line = ARENA_ARRAY(a, bool, p->buffers.n);
	verify_buffers(&c);
	if (!c.error)
		find_lines(&c);
	c.loops = ARENA_ARRAY(a, struct open_loop, p->loops.n);
	c.open = -1;
	for (int i = 0; i < p->steps.n && !c.error;) {
		check_step(&c, i, &p->steps.at[i]);
		i = plan_step_is_loop(&p->steps.at[i]) ? verify_loop_step(&c, i) : i + 1;
	}
	if (c.open >= 0)
		FAIL(&c, "loop %d is never ended", c.open);
	if (c.begun.n)
		FAIL(&c, "transfer %d is never ended", c.begun.at[0]->transfer);
	return c.error;
}
