/* reuse.c — see reuse.h. All memory of the rank is one line of bytes, cut where any step's part of a buffer begins or
 * ends. The steps are walked in their order, with loops turned a few times: once to find the cuts, once so that
 * everything was touched before, and once to see how far back that was. When a piece was touched last is kept in a
 * Fenwick tree over time, so what was touched since is a sum in logarithmic time. */
#include "reuse.h"

#include "base/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Turns of a loop that are walked, by how many loops are around it, not counting those of one turn at the most: each
 * stands for as many of all. Those far inside are walked once, for what is walked is the product of all. */
static const int turns_walked[] = {4, 3, 2, 2, 2, 1};
enum { DEPTHS = sizeof turns_walked / sizeof *turns_walked };

/* Where a buffer lies; for one that moves, in all turns that the one being walked stands for. */
struct range {
	double begin, length; /* bytes; length 0: nobody knows yet */
};

/* What a step touches of the line. */
struct touched_range {
	const struct touch *touch;
	struct range range;
	int piece; /* the first of it; of WARM and RECORD */
};

enum phase { COLLECT, WARM, RECORD };
enum { WALKS = RECORD - COLLECT }; /* in which time goes on */

struct walk {
	struct arena *arena;
	const struct plan *plan;
	const struct touches *touched;
	struct reuses *out;
	enum phase phase;
	struct range *at; /* by buffer */
	int *visits;      /* by step, of RECORD */
	VEC(double) cuts;
	struct map cut;                   /* those that are among them, by their bits */
	VEC(struct touched_range) ranges; /* of a step */
	int64_t *last;                    /* by piece: when it was touched, -1: never */
	double *at_time; /* Fenwick tree: bytes of the pieces that were touched then for the last time */
	int64_t now, times;
	int depth;
};

double reuse_round(double distance)
{
	int exponent;
	double part = frexp(distance, &exponent);
	return distance > 0 ? ldexp(round(part * 4) / 4, exponent) : 0;
}

void reuse_add(struct arena *a, struct reuses *to, double distance, double bytes)
{
	for (int i = 0; i < to->all.n; i++)
		if (to->all.at[i].distance == distance) {
			to->all.at[i].bytes += bytes;
			return;
		}
	vec_push(a, &to->all, ((struct reuse){distance, bytes}));
}

/* ---- the line of bytes ---- */

/* A buffer before this one that is the same memory, -1: none. */
static int same_before(const struct plan *plan, int buffer)
{
	const struct buffer *b = &plan->buffers.at[buffer];
	if (b->kind == BUFFER_SLOT || b->kind == BUFFER_SPARE)
		for (int i = 0; i < buffer; i++)
			if (plan->buffers.at[i].kind == b->kind && plan->buffers.at[i].slot == b->slot)
				return i;
	return -1;
}

/* The arena first, and behind it what has memory of its own. A tape has a line for each turn that is walked. */
static void lay_out(struct walk *w)
{
	double end = (double)w->plan->arena_bytes;
	for (int i = 0; i < w->plan->buffers.n; i++) {
		const struct buffer *b = &w->plan->buffers.at[i];
		double bytes = (double)buffer_size(b) * (b->kind == BUFFER_TAPE ? turns_walked[0] : 1);
		int same = same_before(w->plan, i);
		w->at[i] = (struct range){end, bytes};
		if (b->kind == BUFFER_ARENA)
			w->at[i].begin = (double)b->offset;
		else if (b->kind == BUFFER_MOVING)
			w->at[i].length = 0;
		else if (same >= 0)
			w->at[i].begin = w->at[same].begin;
		else
			end += bytes;
	}
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void sort_cuts(struct walk *w)
{
	if (w->cuts.n)
		qsort(w->cuts.at, (size_t)w->cuts.n, sizeof *w->cuts.at, by_size);
}

/* The piece that begins at a cut. */
static int piece_at(const struct walk *w, double begin)
{
	int low = 0, high = w->cuts.n - 1;
	while (low < high) {
		int middle = (low + high) / 2;
		if (w->cuts.at[middle] < begin)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- time ---- */

static void add_at(struct walk *w, int64_t time, double bytes)
{
	for (int64_t i = time + 1; i <= w->times; i += i & -i)
		w->at_time[i] += bytes;
}

static double touched_until(const struct walk *w, int64_t time)
{
	double sum = 0;
	for (int64_t i = time + 1; i > 0; i -= i & -i)
		sum += w->at_time[i];
	return sum;
}

/* ---- a step ---- */

/* What of the line a touch means: its part of where the buffer lies. */
static struct range part_of(const struct walk *w, const struct touch *t)
{
	double all = (double)buffer_size(&w->plan->buffers.at[t->buffer]);
	double from = (double)t->from * (double)dtype_size(w->plan->buffers.at[t->buffer].type);
	double bytes = t->bytes < all - from ? t->bytes : all - from;
	struct range r = w->at[t->buffer];
	if (all <= 0 || bytes <= 0)
		return (struct range){0, 0};
	return (struct range){floor(r.begin + r.length * (from / all)), ceil(r.length * (bytes / all))};
}

static void cut(struct walk *w, double at)
{
	uint64_t bits;
	memcpy(&bits, &at, sizeof bits);
	if (map_get_u64(&w->cut, bits))
		return;
	map_set_u64(&w->cut, bits, w);
	vec_push(w->arena, &w->cuts, at);
}

/* Adds what a touch moves at the distance of each of its pieces; further by those of the turns that it stands for. */
static void record(struct walk *w, int step, const struct touched_range *t, double own)
{
	const struct range *r = &t->range;
	double all = touched_until(w, w->times - 1), bytes = t->touch->bytes;
	double others = r->length > bytes ? r->length - bytes : 0;
	for (int p = t->piece; p < w->cuts.n - 1 && w->cuts.at[p] < r->begin + r->length; p++) {
		double length = w->cuts.at[p + 1] - w->cuts.at[p];
		double since = w->last[p] < 0 ? all : all - touched_until(w, w->last[p]);
		reuse_add(w->arena, &w->out[step], reuse_round(since + others + own),
			  t->touch->moved * length / r->length);
	}
}

static void touch(struct walk *w, const struct touched_range *t)
{
	const struct range *r = &t->range;
	for (int p = t->piece; p < w->cuts.n - 1 && w->cuts.at[p] < r->begin + r->length; p++) {
		double length = w->cuts.at[p + 1] - w->cuts.at[p];
		if (w->last[p] == w->now)
			continue;
		if (w->last[p] >= 0)
			add_at(w, w->last[p], -length);
		add_at(w, w->now, length);
		w->last[p] = w->now;
	}
}

static void walk_step(struct walk *w, int step)
{
	const struct touches *t = &w->touched[step];
	double own = 0;
	w->ranges.n = 0;
	for (int i = 0; i < t->all.n; i++) {
		struct touched_range r = {&t->all.at[i], part_of(w, &t->all.at[i]), 0};
		own += r.touch->bytes;
		if (r.range.length <= 0)
			continue;
		if (w->phase != COLLECT)
			r.piece = piece_at(w, r.range.begin);
		vec_push(w->arena, &w->ranges, r);
	}
	for (int i = 0; i < w->ranges.n; i++) {
		const struct touched_range *r = &w->ranges.at[i];
		if (w->phase == COLLECT) {
			cut(w, r->range.begin);
			cut(w, r->range.begin + r->range.length);
		} else if (w->phase == RECORD) {
			record(w, step, r, own);
		}
	}
	for (int i = 0; i < w->ranges.n && w->phase != COLLECT; i++)
		touch(w, &w->ranges.at[i]);
	w->visits[step] += w->phase == RECORD;
	w->times += w->phase == COLLECT;
	w->now += w->phase != COLLECT;
}

/* ---- loops ---- */

/* From turn `first` to turn `last` of so many. */
struct turns {
	int64_t all, first, last;
};

static struct range moved(const struct walk *w, const struct plan_move *m, const struct turns *t)
{
	int64_t base = m->first + (m->back ? t->all : 0), from = base + m->step * t->first,
		to = base + m->step * t->last;
	if (!m->of_lines) {
		int64_t n = m->of.n;
		return w->at[m->of.at[(from % n + n) % n]];
	}
	struct range r = w->at[m->of.at[0]];
	int64_t lines = m->lines > 0 ? m->lines : t->all, low = from < to ? from : to, high = from < to ? to : from;
	double line = r.length / (double)lines;
	low = low < 0 ? 0 : low < lines ? low : lines - 1;
	high = high < low ? low : high < lines ? high : lines - 1;
	return (struct range){r.begin + line * (double)low, line * (double)(high - low + 1)};
}

static void begin_turn(struct walk *w, const struct plan_loop *l, const struct turns *t)
{
	for (int i = 0; i < l->moves.n; i++)
		w->at[l->moves.at[i].buffer] = moved(w, &l->moves.at[i], t);
}

static void place_all(struct walk *w, const struct plan_place *place, int n)
{
	struct range *new = ARENA_ARRAY(w->arena, struct range, n + 1);
	for (int i = 0; i < n; i++)
		new[i] = w->at[place[i].at];
	for (int i = 0; i < n; i++)
		w->at[place[i].buffer] = new[i];
}

static void walk_steps(struct walk *w, int begin, int end);

static void walk_loop(struct walk *w, const struct plan_loop *l)
{
	int walked = turns_walked[w->depth < DEPTHS ? w->depth : DEPTHS - 1];
	int64_t guess = l->most >= 0 && l->most < walked ? l->most : walked;
	int64_t all = l->turns < 0 ? guess : l->turns;
	int64_t n = all < walked ? all : walked;
	place_all(w, l->starts.at, l->starts.n);
	w->depth += all > 1;
	for (int64_t i = 0; i < n; i++) {
		struct turns t = {all, i * all / n, (i + 1) * all / n - 1};
		begin_turn(w, l, &t);
		walk_steps(w, l->begin + 1, l->end);
		place_all(w, l->nexts.at, l->nexts.n);
	}
	w->depth -= all > 1;
}

static void walk_steps(struct walk *w, int begin, int end)
{
	for (int i = begin; i < end; i++) {
		const struct plan_step *s = &w->plan->steps.at[i];
		if (s->kind == STEP_LOOP_BEGIN) {
			walk_loop(w, &w->plan->loops.at[s->loop]);
			i = w->plan->loops.at[s->loop].end;
		} else {
			walk_step(w, i);
		}
	}
}

static void walk(struct walk *w, enum phase phase)
{
	w->phase = phase;
	lay_out(w);
	walk_steps(w, 0, w->plan->steps.n);
}

static void start_clock(struct walk *w)
{
	w->times *= WALKS;
	w->at_time = ARENA_ARRAY(w->arena, double, w->times + 1);
	w->last = ARENA_ARRAY(w->arena, int64_t, w->cuts.n + 1);
	for (int i = 0; i < w->cuts.n; i++)
		w->last[i] = -1;
}

void find_reuses(struct arena *a, const struct plan *plan, const struct touches *touched, struct reuses *out)
{
	struct arena *scratch = arena_new("reuse");
	struct walk w = {.arena = scratch,
			 .plan = plan,
			 .touched = touched,
			 .out = ARENA_ARRAY(scratch, struct reuses, plan->steps.n + 1),
			 .at = ARENA_ARRAY(scratch, struct range, plan->buffers.n + 1),
			 .visits = ARENA_ARRAY(scratch, int, plan->steps.n + 1)};
	map_init(&w.cut, scratch);
	walk(&w, COLLECT);
	sort_cuts(&w);
	start_clock(&w);
	walk(&w, WARM);
	walk(&w, RECORD);
	for (int i = 0; i < plan->steps.n; i++)
		for (int k = 0; k < w.out[i].all.n; k++) {
			const struct reuse *r = &w.out[i].all.at[k];
			vec_push(a, &out[i].all, ((struct reuse){r->distance, r->bytes / w.visits[i]}));
		}
	arena_free(scratch);
}
