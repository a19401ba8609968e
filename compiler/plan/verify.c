/* verify.c — what every plan obeys: buffers live when used and not overlapping while live, values written before they
 * are read, parameters that fit their buffers, every begun transfer ended once. */
#include "plan.h"

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
		NAME(s->gemm.a);
		NAME(s->gemm.b);
		NAME(s->gemm.c);
		NAME(s->gemm.workspace);
		NAME(s->gemm.alpha.kind == OPERAND_ELEMENT ? s->gemm.alpha.argument : -1);
		NAME(s->gemm.beta.kind == OPERAND_ELEMENT ? s->gemm.beta.argument : -1);
		return n;
	}
	NAME(s->src);
	NAME(s->dst);
	if (s->kind == STEP_SORTED)
		NAME(s->sorted.workspace);
#undef NAME
	return n;
}

struct checker {
	struct arena *arena;
	const struct plan *p;
	const char *error;
	bool *written; /* by buffer */
	bool *left;    /* by transfer: it has begun, and carried its bucket along */
	VEC(const struct plan_step *) begun;
	struct open_loop {
		int turns, begun; /* that are over; under way when it began */
	} * loops;
	int open; /* loop, -1: none */
};

#define FAIL(c, ...) ((c)->error = (c)->error ? (c)->error : arena_printf((c)->arena, __VA_ARGS__))

static bool names_buffer(struct checker *c, int step, int b)
{
	if (b < 0 || b >= c->p->buffers.n) {
		FAIL(c, "step %d names buffer %d, which does not exist", step, b);
		return false;
	}
	const struct buffer *x = &c->p->buffers.at[b];
	if (step < x->first_step || step > x->last_step)
		FAIL(c, "step %d uses buffer %d outside of its life %d..%d", step, b, x->first_step, x->last_step);
	return true;
}

static bool holds_value(const struct checker *c, int b)
{
	return c->written[b] || c->p->buffers.at[b].kind == BUFFER_SLOT;
}

static void reads(struct checker *c, int step, int b)
{
	if (names_buffer(c, step, b) && !holds_value(c, b))
		FAIL(c, "step %d reads buffer %d before anything is written to it", step, b);
}

static void writes(struct checker *c, int step, int b)
{
	if (!names_buffer(c, step, b))
		return;
	const struct buffer *x = &c->p->buffers.at[b];
	c->written[b] = true;
	for (int i = 0; i < x->within.n; i++)
		c->written[x->within.at[i]] = true;
	if ((c->p->buffers.at[b].kind == BUFFER_BATCH) != (c->p->steps.at[step].kind == STEP_BATCH_READ))
		FAIL(c, "step %d writes buffer %d, which is %s", step, b,
		     c->p->buffers.at[b].kind == BUFFER_BATCH ? "a batch" : "none for batches");
}

static void check_scalar(struct checker *c, int step, const struct plan_scalar *s)
{
	if (s->kind == OPERAND_ELEMENT)
		reads(c, step, s->argument);
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
			int b = s->buffers.at[buffer++];
			if (pass == 0 && k->kind == KP_IN)
				reads(c, step, b);
			else if (pass == 1 && k->kind != KP_IN)
				writes(c, step, b);
			if (!c->error &&
			    (c->p->buffers.at[b].type != k->type || c->p->buffers.at[b].elements != k->size))
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

int64_t product_pack_elements(const struct product_pack *p)
{
	int64_t n = 1;
	for (int i = 0; i < p->nrows; i++)
		n *= p->row[i].extent;
	for (int i = 0; i < p->ncols; i++)
		n *= p->col[i].extent;
	return n;
}

static void check_gemm(struct checker *c, int step, const struct plan_gemm *g)
{
	reads(c, step, g->a);
	reads(c, step, g->b);
	if (g->beta.kind != OPERAND_CONST || g->beta.number.f != 0)
		reads(c, step, g->c);
	check_scalar(c, step, &g->alpha);
	check_scalar(c, step, &g->beta);
	writes(c, step, g->c);
	if (g->workspace >= 0)
		writes(c, step, g->workspace);
	if (c->error)
		return;
	const struct buffer *buffer[] = {&c->p->buffers.at[g->a], &c->p->buffers.at[g->b], &c->p->buffers.at[g->c]};
	const int64_t rows[] = {g->ta ? g->k : g->m, g->tb ? g->n : g->k, g->m};
	const int64_t cols[] = {g->ta ? g->m : g->k, g->tb ? g->k : g->n, g->n};
	const struct product_pack *pack[] = {g->pack_a, g->pack_b, NULL};
	const int64_t ld[] = {g->lda, g->ldb, g->ldc}, offset[] = {g->offset_a, g->offset_b, 0};
	int64_t last[] = {offset[0], offset[1], 0}; /* where the last turn begins */
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
		room -= product_pack_elements(pack[i]);
		if (product_pack_elements(pack[i]) != rows[i] * cols[i] || ld[i] != cols[i] || room < 0)
			FAIL(c, "step %d: what a product gathers of operand %d is not its matrix", step, i);
	}
	if (g->a == g->c || g->b == g->c)
		FAIL(c, "step %d: a product writes what it reads", step);
}

static void check_sorted(struct checker *c, int step, const struct plan_step *s)
{
	const struct plan_sorted *p = &s->sorted;
	int64_t lines = p->outer * p->inner, height = p->first ? p->first : p->n;
	reads(c, step, s->src);
	writes(c, step, s->dst);
	writes(c, step, p->workspace);
	if (c->error)
		return;
	const struct buffer *src = &c->p->buffers.at[s->src], *dst = &c->p->buffers.at[s->dst];
	const struct buffer *room = &c->p->buffers.at[p->workspace];
	if (s->src == s->dst || src->elements != lines * p->n || dst->elements != lines * height || height > p->n ||
	    src->type != p->type || dst->type != DT_I32)
		FAIL(c, "step %d: buffers do not fit the lines that are sorted", step);
	if (room->type != DT_U64 || room->elements < pmlrt_ranking_words(dtype_size(p->type), p->n, p->inner))
		FAIL(c, "step %d: there is no room for sorting", step);
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
		if (s->dst >= 0)
			writes(c, step, s->dst);
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

/* ---- loops: two turns are checked, which stand for all ---- */

static bool lies_in(const struct buffer *x, int other)
{
	for (int i = 0; i < x->within.n; i++)
		if (x->within.at[i] == other)
			return true;
	return false;
}

/* b takes the address of `at`, or of where that lies. */
static void check_within(struct checker *c, int step, int b, int at)
{
	const struct buffer *x = &c->p->buffers.at[b], *y = &c->p->buffers.at[at];
	bool all = y->within.n > 0;
	for (int i = 0; i < y->within.n; i++)
		all = all && lies_in(x, y->within.at[i]);
	if (!all && !lies_in(x, at))
		FAIL(c, "step %d: buffer %d is moved to buffer %d, in which it does not lie", step, b, at);
}

static void check_place(struct checker *c, int step, const struct plan_place *x)
{
	if (!names_buffer(c, step, x->buffer) || !names_buffer(c, step, x->at))
		return;
	const struct buffer *b = &c->p->buffers.at[x->buffer], *at = &c->p->buffers.at[x->at];
	if (b->kind != BUFFER_MOVING || b->type != at->type || b->elements != at->elements)
		FAIL(c, "step %d: buffer %d cannot take the place of buffer %d", step, x->buffer, x->at);
	else
		check_within(c, step, x->buffer, x->at);
}

static void check_move(struct checker *c, int step, const struct plan_loop *l, const struct plan_move *m)
{
	int64_t last = l->turns > 0 ? l->turns - 1 : 0, base = m->first + (m->back ? l->turns : 0);
	if (!names_buffer(c, step, m->buffer) || m->of.n < 1 || (m->of_lines && m->of.n != 1)) {
		FAIL(c, "step %d: a move of no buffer, or of lines of several", step);
		return;
	}
	const struct buffer *b = &c->p->buffers.at[m->buffer];
	for (int i = 0; i < m->of.n && names_buffer(c, step, m->of.at[i]); i++) {
		const struct buffer *of = &c->p->buffers.at[m->of.at[i]];
		int64_t lines = m->of_lines ? m->lines : 1;
		if (b->kind != BUFFER_MOVING || of->type != b->type ||
		    of->elements != b->elements * (of->kind == BUFFER_TAPE ? 1 : lines))
			FAIL(c, "step %d: buffer %d is no line of buffer %d", step, m->buffer, m->of.at[i]);
		check_within(c, step, m->buffer, m->of.at[i]);
	}
	if (l->turns > 0 && m->lines &&
	    (base < 0 || base >= m->lines || base + last * m->step < 0 || base + last * m->step >= m->lines))
		FAIL(c, "step %d: buffer %d leaves its lines", step, m->buffer);
}

static void check_begin(struct checker *c, int step, const struct plan_loop *l)
{
	if (l->begin != step || l->end <= step || l->end >= c->p->steps.n || l->outer != c->open ||
	    l->asks != (l->test >= 0)) {
		FAIL(c, "step %d begins no loop", step);
		return;
	}
	for (int i = 0; i < l->starts.n; i++)
		check_place(c, step, &l->starts.at[i]);
	for (int i = 0; i < l->nexts.n; i++)
		check_place(c, step, &l->nexts.at[i]);
	for (int i = 0; i < l->moves.n; i++)
		check_move(c, step, l, &l->moves.at[i]);
	for (int i = 0; i < l->starts.n && !c->error; i++)
		c->written[l->starts.at[i].buffer] = holds_value(c, l->starts.at[i].at);
	for (int i = 0; i < l->moves.n && !c->error; i++)
		c->written[l->moves.at[i].buffer] = holds_value(c, l->moves.at[i].of.at[0]);
	if (l->turn >= 0)
		writes(c, step, l->turn);
	c->open = c->p->steps.at[step].loop;
	c->loops[c->open] = (struct open_loop){.begun = c->begun.n};
}

/* Nothing is under way from turn to turn. */
static void check_turn(struct checker *c, int step)
{
	const struct plan_loop *l = &c->p->loops.at[c->open];
	if (c->begun.n != c->loops[c->open].begun)
		FAIL(c, "step %d: a transfer crosses the border of a loop", step);
	for (int i = l->begin; i < step; i++)
		if (c->p->steps.at[i].kind == STEP_TRANSFER_BEGIN)
			c->left[c->p->steps.at[i].transfer] = false;
	bool *was = ARENA_ARRAY(c->arena, bool, l->nexts.n);
	for (int i = 0; i < l->nexts.n; i++)
		was[i] = holds_value(c, l->nexts.at[i].at);
	for (int i = 0; i < l->nexts.n; i++)
		c->written[l->nexts.at[i].buffer] = was[i];
}

/* The step behind the begin, test or end of a loop. */
static int check_loop_step(struct checker *c, int step)
{
	const struct plan_step *s = &c->p->steps.at[step];
	if (s->loop < 0 || s->loop >= c->p->loops.n ||
	    (s->kind == STEP_LOOP_BEGIN ? s->scalars.n != 1 : c->open != s->loop)) {
		FAIL(c, "step %d is of no loop", step);
		return step + 1;
	}
	const struct plan_loop *l = &c->p->loops.at[s->loop];
	if (s->kind == STEP_LOOP_BEGIN)
		check_begin(c, step, l);
	else if (s->kind == STEP_LOOP_TEST && (l->test != step || s->scalars.n != 1))
		FAIL(c, "step %d tests no loop", step);
	else if (s->kind == STEP_LOOP_END && l->end != step)
		FAIL(c, "step %d ends no loop", step);
	if (s->kind != STEP_LOOP_END || c->error)
		return step + 1;
	check_turn(c, step);
	if (c->loops[s->loop].turns++ == 0)
		return l->begin + 1;
	c->open = l->outer;
	return step + 1;
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
		check_gemm(c, step, &s->gemm);
		return;
	case STEP_SORTED:
		check_sorted(c, step, s);
		return;
	case STEP_CHECK:
	case STEP_COPY:
		reads(c, step, s->src);
		writes(c, step, s->dst);
		if (!c->error && (c->p->buffers.at[s->src].elements != c->p->buffers.at[s->dst].elements ||
				  c->p->buffers.at[s->src].type != c->p->buffers.at[s->dst].type))
			FAIL(c, "step %d copies between buffers that differ", step);
		return;
	case STEP_TRANSFER_BEGIN:
	case STEP_TRANSFER_END:
		check_transfer(c, step, s);
		return;
	case STEP_BATCH_READ:
		writes(c, step, s->dst);
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

/* Buffers of the arena that are live at one step, by offset. As none of them overlap, one more overlaps its neighbours
 * if any. */
struct live {
	const struct buffer **at;
	int n;
};

static int64_t end_of(const struct buffer *b)
{
	return b->offset + b->elements * dtype_size(b->type);
}

/* The first of the list that does not lie before b. */
static int place_of(const struct live *l, const struct buffer *b)
{
	int low = 0, high = l->n;
	while (low < high) {
		int middle = (low + high) / 2;
		if (l->at[middle]->offset < b->offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void begin_life(struct checker *c, struct live *l, const struct buffer *b)
{
	int at = place_of(l, b), other = at > 0 && end_of(l->at[at - 1]) > b->offset ? at - 1 : at;
	if (other < l->n && l->at[other]->offset < end_of(b))
		FAIL(c, "buffers %d and %d overlap while both live", (int)(l->at[other] - c->p->buffers.at),
		     (int)(b - c->p->buffers.at));
	memmove(l->at + at + 1, l->at + at, sizeof *l->at * (size_t)(l->n++ - at));
	l->at[at] = b;
}

static void end_life(struct live *l, const struct buffer *b)
{
	int at = place_of(l, b);
	if (at < l->n && l->at[at] == b)
		memmove(l->at + at, l->at + at + 1, sizeof *l->at * (size_t)(--l->n - at));
}

static int by_first_step(const void *a, const void *b)
{
	const struct buffer *x = *(const struct buffer *const *)a, *y = *(const struct buffer *const *)b;
	return (x->first_step > y->first_step) - (x->first_step < y->first_step);
}

static int by_last_step(const void *a, const void *b)
{
	const struct buffer *x = *(const struct buffer *const *)a, *y = *(const struct buffer *const *)b;
	return (x->last_step > y->last_step) - (x->last_step < y->last_step);
}

static void check_lives(struct checker *c)
{
	int total = c->p->buffers.n, n = 0, ended = 0;
	const struct buffer **begin = ARENA_ARRAY(c->arena, const struct buffer *, total);
	const struct buffer **end = ARENA_ARRAY(c->arena, const struct buffer *, total);
	struct live live = {ARENA_ARRAY(c->arena, const struct buffer *, total), 0};
	for (int i = 0; i < total; i++) {
		const struct buffer *b = &c->p->buffers.at[i];
		if (b->kind == BUFFER_ARENA && b->elements > 0)
			begin[n] = end[n] = b, n++;
	}
	qsort(begin, (size_t)n, sizeof(*begin), by_first_step);
	qsort(end, (size_t)n, sizeof(*end), by_last_step);
	for (int i = 0; i < n && !c->error; i++) {
		while (ended < n && end[ended]->last_step < begin[i]->first_step)
			end_life(&live, end[ended++]);
		begin_life(c, &live, begin[i]);
	}
}

/* A slot has one buffer. */
static void check_slots(struct checker *c)
{
	struct map known;
	map_init(&known, c->arena);
	for (int i = 0; i < c->p->buffers.n; i++) {
		const struct buffer *b = &c->p->buffers.at[i];
		if (b->kind != BUFFER_SLOT)
			continue;
		if (map_get_u64(&known, (uint64_t)b->slot))
			FAIL(c, "slot %d has two buffers", b->slot);
		map_set_u64(&known, (uint64_t)b->slot, (void *)b);
	}
}

/* What a moving buffer lies in is there as long as it is. */
static void check_moving(struct checker *c)
{
	for (int i = 0; i < c->p->buffers.n; i++) {
		const struct buffer *b = &c->p->buffers.at[i];
		if ((b->kind == BUFFER_MOVING) != (b->within.n > 0))
			FAIL(c, "buffer %d lies nowhere, or in others and does not move", i);
		for (int k = 0; k < b->within.n && b->first_step >= 0; k++) {
			const struct buffer *x = &c->p->buffers.at[b->within.at[k]];
			if (x->first_step > b->first_step || x->last_step < b->last_step)
				FAIL(c, "buffer %d is gone before buffer %d, which lies in it", b->within.at[k], i);
		}
	}
}

static bool crosses(const struct plan_loop *l, const struct buffer *b)
{
	bool before = b->first_step < l->begin && b->last_step >= l->begin && b->last_step < l->end;
	return before || (b->first_step > l->begin && b->first_step <= l->end && b->last_step > l->end);
}

static void check_buffers(struct checker *c)
{
	check_moving(c);
	for (int i = 0; i < c->p->loops.n; i++)
		for (int k = 0; k < c->p->buffers.n; k++)
			if (crosses(&c->p->loops.at[i], &c->p->buffers.at[k]))
				FAIL(c, "buffer %d is used in loop %d and around it, but does not live through it", k,
				     i);
	for (int i = 0; i < c->p->buffers.n; i++) {
		const struct buffer *b = &c->p->buffers.at[i];
		if (b->kind != BUFFER_ARENA)
			continue;
		if (b->offset < 0 || b->offset % 64 ||
		    b->offset + b->elements * dtype_size(b->type) > c->p->arena_bytes)
			FAIL(c, "buffer %d is not inside the arena at a multiple of 64", i);
	}
	check_slots(c);
	check_lives(c);
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

const char *plan_verify(struct arena *a, const struct plan *p)
{
	struct checker c = {.arena = a, .p = p};
	c.written = ARENA_ARRAY(a, bool, p->buffers.n);
	c.left = ARENA_ARRAY(a, bool, transfers_of(p));
	check_buffers(&c);
	c.loops = ARENA_ARRAY(a, struct open_loop, p->loops.n);
	c.open = -1;
	for (int i = 0; i < p->steps.n && !c.error;) {
		check_step(&c, i, &p->steps.at[i]);
		i = plan_step_is_loop(&p->steps.at[i]) ? check_loop_step(&c, i) : i + 1;
	}
	if (c.open >= 0)
		FAIL(&c, "loop %d is never ended", c.open);
	if (c.begun.n)
		FAIL(&c, "transfer %d is never ended", c.begun.at[0]->transfer);
	return c.error;
}
