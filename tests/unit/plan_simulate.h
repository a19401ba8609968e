/* plan_simulate.h — runs the plans of all roles on simulated ranks in one process, for tests: kernels are interpreted,
 * products computed by loops, transfers carried out on logical tensors. A rank stops at a transfer until all its
 * participants have begun it; if all are stopped the plans deadlock. */
#ifndef PML_PLAN_SIMULATE_H
#define PML_PLAN_SIMULATE_H

#include "compiler/compiler.h"
#include "compiler/kernel/build.h"
#include "runtime/product_loops.h"

#include <stdio.h>
#include <math.h>
#include <string.h>

enum { SIM_MAX_RANKS = 16 };

struct sim_rank {
	int32_t rank;
	const struct role *role;
	unsigned char *memory; /* arena */
	void **slots, **spares;
	const struct plan *plan;
	void **cell;             /* by buffer of the plan: where a batch is, or one that moves */
	int64_t *lines, *before; /* by buffer: of a tape, lines it has, and had when its loop began */
	int pc;
	struct sim_loop {
		int64_t turn, turns;
	} * loop;                /* by loop of the plan */
	int *begun, *ended;      /* by transfer: how often */
	VEC(const void *) * src; /* by transfer, each time */
	void **dst;              /* by transfer */
	union scalar_value results[16];
};

struct sim {
	struct program *program;
	struct arena *arena;
	struct tensor_value *arguments; /* as graph_interpret's */
	int nranks;
	struct sim_rank rank[SIM_MAX_RANKS];
	const char *error;
	/* NULL: kernel_interpret. */
	void (*run_kernel)(struct sim *s, const struct kernel *k, void *const *buffers,
			   const union scalar_value *scalars);
};

static inline int64_t sim_bytes(int64_t elements, enum dtype t)
{
	return elements * dtype_size(t) + 64;
}

static inline struct shape sim_local(const struct placed_type *t, int32_t rank, int64_t *begin)
{
	int64_t end[MAX_RANK];
	struct shape s = t->shape;
	layout_box(t->place, &t->layout, &t->shape, place_position(t->place, rank), begin, end);
	for (int d = 0; d < s.rank; d++)
		s.dim[d] = end[d] - begin[d];
	return s;
}

/* Offset in the logical tensor of element i of a local box. */
static inline int64_t sim_offset(const struct shape *whole, const struct shape *local, const int64_t *begin, int64_t i)
{
	int64_t at[MAX_RANK], offset = 0;
	for (int d = local->rank - 1; d >= 0; d--) {
		at[d] = begin[d] + i % local->dim[d];
		i /= local->dim[d];
	}
	for (int d = 0; d < whole->rank; d++)
		offset = offset * whole->dim[d] + at[d];
	return offset;
}

/* The logical value of shards; data(ctx, rank) gives a rank's shard. *bad is set if holders of a B disagree. */
static inline union scalar_value *sim_gather(struct sim *s, const struct placed_type *t, void *const *shard, bool *bad)
{
	int64_t n = shape_volume(&t->shape);
	union scalar_value *out = ARENA_ARRAY(s->arena, union scalar_value, n + 1);
	bool *seen = ARENA_ARRAY(s->arena, bool, n + 1);
	enum combiner c = COMBINE_SUM;
	bool partial = false;
	for (int a = 0; a < t->place->naxes; a++)
		if (t->layout.atom[a].kind == SHARD_P) {
			static const enum combiner of[] = {COMBINE_SUM, COMBINE_MAX, COMBINE_MIN, COMBINE_PROD};
			c = of[t->layout.atom[a].combiner];
			partial = true;
		}
	for (int64_t p = 0; p < t->place->count; p++) {
		int64_t coordinate[MAX_AXES], begin[MAX_RANK];
		bool first = true;
		place_coordinates(t->place, p, coordinate);
		for (int a = 0; a < t->place->naxes; a++)
			first = first && (t->layout.atom[a].kind != SHARD_B || coordinate[a] == 0);
		int32_t rank = place_rank(t->place, p);
		struct shape local = sim_local(t, rank, begin);
		for (int64_t i = 0; i < shape_volume(&local); i++) {
			int64_t o = sim_offset(&t->shape, &local, begin, i);
			union scalar_value v = kernel_load_element(shard[rank], t->dtype, i);
			if (!first && !partial && seen[o] && memcmp(&v, &out[o], sizeof v))
				*bad = true;
			if (!first)
				continue;
			out[o] = seen[o] ? combiner_apply(c, t->dtype, out[o], v) : v;
			if (dtype_is_float(t->dtype))
				out[o] = scalar_convert(out[o], DT_F64, t->dtype);
			seen[o] = true;
		}
	}
	return out;
}

static inline void sim_scatter(const struct placed_type *t, int32_t rank, const union scalar_value *value, void *to)
{
	int64_t begin[MAX_RANK], coordinate[MAX_AXES];
	struct shape local = sim_local(t, rank, begin);
	place_coordinates(t->place, place_position(t->place, rank), coordinate);
	enum combiner c = COMBINE_SUM;
	bool keep = true;
	for (int a = 0; a < t->place->naxes; a++)
		if (t->layout.atom[a].kind == SHARD_P) {
			static const enum combiner of[] = {COMBINE_SUM, COMBINE_MAX, COMBINE_MIN, COMBINE_PROD};
			c = of[t->layout.atom[a].combiner];
			keep = keep && coordinate[a] == 0;
		}
	for (int64_t i = 0; i < shape_volume(&local); i++) {
		union scalar_value v = value[sim_offset(&t->shape, &local, begin, i)];
		kernel_store_element(to, t->dtype, i, keep ? v : combiner_neutral(c, t->dtype));
	}
}

static inline void *sim_buffer(struct sim_rank *r, int b)
{
	const struct buffer *x = &r->plan->buffers.at[b];
	if (x->kind == BUFFER_BATCH || x->kind == BUFFER_MOVING || x->kind == BUFFER_TAPE)
		return r->cell[b];
	if (x->kind == BUFFER_SPARE)
		return r->spares[x->slot];
	return x->kind == BUFFER_SLOT ? r->slots[x->slot] : (void *)(r->memory + x->offset);
}

static inline void sim_exchange(struct sim_rank *r, int slot)
{
	void *held = r->slots[slot];
	r->slots[slot] = r->spares[slot];
	r->spares[slot] = held;
}

/* The elements of the destination that are in no hole; the gap has no memory. */
static inline void sim_fill(const struct transfer_hole *h, const struct shape *box, enum dtype t, const void *from,
			    void *to)
{
	int64_t size = dtype_size(t), filled = 0;
	for (int64_t i = 0; i < shape_volume(box); i++) {
		bool inside = h->end[0] > h->begin[0];
		int64_t rest = i;
		for (int d = box->rank - 1; d >= 0; d--) {
			int64_t at = rest % box->dim[d];
			rest /= box->dim[d];
			inside = inside && at >= h->begin[d] && at < h->end[d];
		}
		if (!inside)
			memcpy((char *)to + (h->gap ? filled++ : i) * size, (const char *)from + i * size,
			       (size_t)size);
	}
}

static inline union scalar_value sim_scalar(struct sim *s, struct sim_rank *r, const struct plan_scalar *x)
{
	union scalar_value v = x->number;
	int64_t begin[MAX_RANK];
	switch (x->kind) {
	case OPERAND_CONST:
		return v;
	case OPERAND_ARGUMENT:
		return s->arguments[x->argument].at[0];
	case OPERAND_ORIGIN:
		sim_local(&s->program->types.at[x->origin.type], r->rank, begin);
		v.i = begin[x->origin.dim];
		return v;
	case OPERAND_ELEMENT:
		return kernel_load_element(sim_buffer(r, x->argument), x->type, 0);
	}
	return v;
}

static inline void sim_kernel(struct sim *s, struct sim_rank *r, const struct plan_step *step)
{
	void *buffers[128] = {NULL};
	union scalar_value scalars[64];
	for (int i = 0; i < step->buffers.n; i++)
		buffers[i] = (char *)sim_buffer(r, step->buffers.at[i]) +
			     plan_step_from(step, i) * dtype_size(r->plan->buffers.at[step->buffers.at[i]].type);
	for (int i = 0; i < step->scalars.n; i++)
		scalars[i] = sim_scalar(s, r, &step->scalars.at[i]);
	if (s->run_kernel)
		s->run_kernel(s, step->kernel, buffers, scalars);
	else
		kernel_interpret(step->kernel, buffers, scalars);
}

/* Element (i, k) of op(A) and (k, j) of op(B) in a turn of the loops, and where element (i, j) of C is. */
struct sim_turn {
	const struct plan_gemm *g;
	const void *a, *b;
	struct product_turn at;
};

static inline void sim_factors(const struct pack_factor *f, int n, int64_t number, int rank, int64_t *index)
{
	for (int i = n - 1; i >= 0; i--) {
		for (int d = 0; d < rank; d++)
			index[d] += number % f[i].extent * f[i].coef[d];
		number /= f[i].extent;
	}
}

static inline double sim_number(const void *x, enum dtype type, int64_t at)
{
	union scalar_value v = kernel_load_element(x, type, at);
	return dtype_is_float(type) ? v.f : (double)v.i;
}

/* Element (row, column) of what is gathered, by its definition. */
static inline double sim_gathered(const struct sim_turn *t, enum dtype type, const struct product_pack *p,
				  const void *x, int64_t offset, int64_t row, int64_t col)
{
	int64_t index[MAX_RANK], at = offset;
	for (int d = 0; d < p->rank; d++) {
		index[d] = p->dim[d].offset;
		for (int i = 0; i < t->g->nloops; i++)
			index[d] += t->at.at[i] * p->loop[i][d];
	}
	sim_factors(p->row, p->nrows, row, p->rank, index);
	sim_factors(p->col, p->ncols, col, p->rank, index);
	for (int d = 0; d < p->rank; d++) {
		int64_t v = index[d] / p->dim[d].div;
		if (index[d] < 0 || index[d] % p->dim[d].div || v >= p->dim[d].extent)
			return 0;
		at += v * p->dim[d].stride;
	}
	return sim_number(x, type, at);
}

struct sim_matrix {
	enum dtype type;
	const struct product_pack *pack; /* NULL: in place */
	const void *x;
	int64_t offset, turn, ld; /* in place, it begins at offset + turn */
	bool transposed;
};

static inline double sim_element(const struct sim_turn *t, const struct sim_matrix *m, int64_t row, int64_t col)
{
	int64_t stored_row = m->transposed ? col : row, stored_col = m->transposed ? row : col;
	if (m->pack)
		return sim_gathered(t, m->type, m->pack, m->x, m->offset, stored_row, stored_col);
	return sim_number(m->x, m->type, m->offset + m->turn + stored_row * m->ld + stored_col);
}

static inline double sim_left(const struct sim_turn *t, int64_t i, int64_t k)
{
	const struct plan_gemm *g = t->g;
	return sim_element(t, &(struct sim_matrix){g->type, g->pack_a, t->a, g->offset_a, t->at.a, g->lda, g->ta}, i,
			   k);
}

static inline double sim_right(const struct sim_turn *t, int64_t k, int64_t j)
{
	const struct plan_gemm *g = t->g;
	return sim_element(t, &(struct sim_matrix){g->type_b, g->pack_b, t->b, g->offset_b, t->at.b, g->ldb, g->tb}, k,
			   j);
}

/* Sums in units of a grid, as they are defined (compiler/op/scalars/quanta.c). */
static inline void sim_exact(const struct sim_turn *t, int64_t *c, double grid, bool adds)
{
	const struct plan_gemm *g = t->g;
	int64_t bits, sum_bits;
	memcpy(&bits, &grid, sizeof bits);
	for (int64_t i = 0; i < g->m; i++)
		for (int64_t j = 0; j < g->n; j++) {
			uint64_t *to = (uint64_t *)&c[g->offset_c + t->at.c + i * g->ldc + j];
			*to = adds ? *to : 0;
			for (int64_t k = 0; k < g->k; k++) {
				double sum = grid + sim_left(t, i, k) * sim_right(t, k, j);
				memcpy(&sum_bits, &sum, sizeof sum_bits);
				*to += (uint64_t)sum_bits - (uint64_t)bits;
			}
		}
}

static inline double sim_factor(const struct plan_gemm *g, double x)
{
	return g->factors == DT_F32 ? x : scalar_convert((union scalar_value){.f = x}, DT_F32, g->factors).f;
}

static inline void sim_product(const struct sim_turn *t, void *c, double alpha, double beta)
{
	const struct plan_gemm *g = t->g;
	for (int64_t i = 0; i < g->m; i++)
		for (int64_t j = 0; j < g->n; j++) {
			double sum = 0;
			for (int64_t k = 0; k < g->k; k++)
				sum += sim_factor(g, sim_left(t, i, k)) * sim_factor(g, sim_right(t, k, j));
			int64_t ct = g->offset_c + t->at.c + i * g->ldc + j;
			union scalar_value v = {.f = alpha * sum};
			if (dtype_is_byte(g->type)) {
				v.i = (int64_t)sum + (beta != 0 ? kernel_load_element(c, DT_I32, ct).i : 0);
				kernel_store_element(c, DT_I32, ct, scalar_convert(v, DT_I64, DT_I32));
				continue;
			}
			if (beta != 0)
				v.f += beta * kernel_load_element(c, g->type, ct).f;
			kernel_store_element(c, g->type, ct, v);
		}
}

static inline void sim_gemm(struct sim *s, struct sim_rank *r, const struct plan_gemm *g)
{
	double alpha = sim_scalar(s, r, &g->alpha).f, beta = sim_scalar(s, r, &g->beta).f;
	struct sim_turn t = {.g = g, .a = sim_buffer(r, g->a), .b = sim_buffer(r, g->b)};
	int64_t loops[MAX_FACTORS * LOOP_WORDS];
	for (int i = 0; i < g->nloops; i++)
		memcpy(loops + i * LOOP_WORDS, (int64_t[]){g->loop[i].extent, g->loop[i].a, g->loop[i].b, g->loop[i].c},
		       LOOP_WORDS * sizeof *loops);
	do {
		if (g->exact)
			sim_exact(&t, sim_buffer(r, g->c), alpha, beta != 0 || t.at.adds);
		else
			sim_product(&t, sim_buffer(r, g->c), alpha, t.at.adds ? 1 : beta);
	} while (product_next(&t.at, g->nloops, loops));
}

/* True if everybody in the transfer has begun it; its destinations on this rank are then filled. */
/* Counts, as the map says that sorting stands for. */
static inline bool sim_precedes(const struct plan_sorted *p, const void *x, int64_t j, int64_t i)
{
	union scalar_value a = kernel_load_element(x, p->type, j), b = kernel_load_element(x, p->type, i);
	bool floats = dtype_is_float(p->type), a_nan = floats && isnan(a.f), b_nan = floats && isnan(b.f);
	bool less = floats ? a.f < b.f : a.i < b.i, more = floats ? a.f > b.f : a.i > b.i;
	if (a_nan != b_nan)
		return p->down == a_nan;
	if (!a_nan && (less || more))
		return p->down ? more : less;
	return j < i;
}

static inline void sim_sorted(struct sim_rank *r, const struct plan_step *step)
{
	const struct plan_sorted *p = step->sorted;
	const void *x = sim_buffer(r, step->src);
	int32_t *out = sim_buffer(r, step->dst);
	for (int64_t e = 0; e < p->outer * p->n * p->inner; e++) {
		int64_t line = e / p->inner / p->n, k = e % p->inner, i = e / p->inner % p->n;
		int32_t rank = 0;
		for (int64_t j = 0; j < p->n; j++)
			rank += sim_precedes(p, x, e + (j - i) * p->inner, e);
		if (!p->first)
			out[e] = rank;
		else if (rank < p->first)
			out[(line * p->first + rank) * p->inner + k] = (int32_t)i;
	}
}

/* Of one line: the sums that a transform stands for. */
static inline void sim_line(struct sim *s, struct sim_rank *r, const struct plan_step *step, int64_t x, int64_t out)
{
	const struct plan_fourier *f = step->fourier;
	int in[] = {step->src, f->in.second}, made[] = {step->dst, f->out.second};
	int64_t part_in = sim_scalar(s, r, &f->in.part).i, first_in = sim_scalar(s, r, &f->in.first).i;
	int64_t part_out = sim_scalar(s, r, &f->out.part).i, first_out = sim_scalar(s, r, &f->out.first).i;
	for (int64_t d = 0; d < f->out.parts; d++)
		for (int64_t k = 0; k < f->out.count; k++) {
			union scalar_value sum = {.f = 0};
			for (int64_t c = 0; c < f->in.parts; c++)
				for (int64_t j = 0; j < f->in.count; j++) {
					int64_t quarters = part_out + d - part_in - c;
					double turns =
						(double)((first_in + j) * (first_out + k) % f->n) / (double)f->n +
						(double)(f->positive ? -quarters : quarters) / 4;
					sum.f += cos(2 * 3.14159265358979323846 * turns) *
						 kernel_load_element(sim_buffer(r, in[c]), f->type,
								     f->in.offset[c] + x + j * f->in.step)
							 .f;
				}
			kernel_store_element(sim_buffer(r, made[d]), f->type, f->out.offset[d] + out + k * f->out.step,
					     sum);
		}
}

static inline void sim_lines(struct sim *s, struct sim_rank *r, const struct plan_step *step, int loop, int64_t x,
			     int64_t out)
{
	const struct plan_fourier *f = step->fourier;
	if (loop == f->nloops)
		sim_line(s, r, step, x, out);
	for (int64_t i = 0; loop < f->nloops && i < f->loop[loop].extent; i++)
		sim_lines(s, r, step, loop + 1, x + i * f->loop[loop].x, out + i * f->loop[loop].out);
}

/* As the runtime does: at a multiple of 64. */
static inline void *sim_aligned(struct arena *a, int64_t bytes)
{
	uintptr_t at = (uintptr_t)arena_alloc(a, (size_t)bytes + 128);
	return (void *)((at + 63) / 64 * 64);
}

static inline bool sim_deliver(struct sim *s, struct sim_rank *r, int id)
{
	const struct transfer *t = &s->program->transfers.at[id];
	const struct placed_type *src = &s->program->types.at[t->src], *dst = &s->program->types.at[t->dst];
	void *shard[SIM_MAX_RANKS] = {NULL};
	int time = r->ended[id];
	for (int i = 0; i < s->nranks; i++) {
		bool member = place_position(src->place, i) >= 0 || place_position(dst->place, i) >= 0;
		if (member && s->rank[i].begun[id] <= time)
			return false;
		if (member)
			memcpy(&shard[i], &s->rank[i].src[id].at[time], sizeof shard[i]);
	}
	if (r->dst[id]) {
		bool bad = false;
		int64_t begin[MAX_RANK];
		struct shape box = sim_local(dst, r->rank, begin);
		void *all = sim_aligned(s->arena, sim_bytes(shape_volume(&box), dst->dtype));
		sim_scatter(dst, r->rank, sim_gather(s, src, shard, &bad), all);
		sim_fill(&r->role->holes[id], &box, dst->dtype, all, r->dst[id]);
		if (bad)
			s->error = "the holders of a source disagree";
	}
	r->ended[id]++;
	return true;
}

/* What a source holds when the transfer begins: others may fetch it after this rank has gone on. */
static inline void *sim_snapshot(struct sim *s, struct sim_rank *r, int b)
{
	const struct buffer *x = &r->plan->buffers.at[b];
	size_t n = (size_t)(x->elements * dtype_size(x->type));
	void *copy = arena_alloc(s->arena, n + 1);
	memcpy(copy, sim_buffer(r, b), n);
	return copy;
}

/* What is outside is left as it is (graph_interpret). */
static inline void sim_eigen(struct sim *s, struct sim_rank *r, const struct plan_step *step)
{
	struct shape a = {.rank = 3, .dim = {step->eigen->count, step->eigen->n, step->eigen->n}},
		     made = eigen_shape(&a);
	int64_t in = shape_volume(&a), out = shape_volume(&made);
	union scalar_value *x = ARENA_ARRAY(s->arena, union scalar_value, in + 1),
			   *y = ARENA_ARRAY(s->arena, union scalar_value, out + 1);
	for (int64_t i = 0; i < in; i++)
		x[i] = kernel_load_element(sim_buffer(r, step->src), step->eigen->type, i);
	eigen_interpret(step->eigen->type, &a, x, y);
	for (int64_t i = 0; i < out; i++)
		kernel_store_element(sim_buffer(r, step->dst), step->eigen->type, i, y[i]);
}

static inline void sim_check(struct sim_rank *r, const struct plan_step *step)
{
	const struct buffer *b = &r->plan->buffers.at[step->src];
	for (int64_t i = 0; i < b->elements; i++) {
		union scalar_value v = kernel_load_element(sim_buffer(r, step->src), b->type, i);
		v.i += step->check->asked == ASKED_WITHIN && v.i < 0 ? step->check->extent : 0;
		kernel_store_element(sim_buffer(r, step->dst), b->type, i, v);
	}
}

static inline void *sim_batch(struct sim *s, const struct sim_rank *r, int b)
{
	const struct buffer *x = &r->plan->buffers.at[b];
	return sim_aligned(s->arena, sim_bytes(x->elements, x->type));
}

/* ---- loops, as struct plan_loop says ---- */

enum { SIM_TAPE = 1 << 20 };

static inline void sim_moves(struct sim *s, struct sim_rank *r, const struct plan_loop *l, const struct sim_loop *now,
			     bool late)
{
	for (int i = 0; i < l->moves.n; i++) {
		const struct plan_move *m = &l->moves.at[i];
		const struct buffer *b = &r->plan->buffers.at[m->buffer];
		int64_t line = m->first + m->step * now->turn + (m->back ? now->turns : 0);
		if (m->late != late)
			continue;
		if (line < 0 || (m->lines && line >= m->lines))
			s->error = "a line that there is not";
		else if (m->of.n > 1)
			r->cell[m->buffer] = sim_buffer(r, m->of.at[line]);
		else
			r->cell[m->buffer] = (char *)sim_buffer(r, m->of.at[0]) +
					     (r->before[m->of.at[0]] + line) * b->elements * dtype_size(b->type);
	}
}

/* A turn is made: its tapes have a line of it. */
static inline void sim_extend_tapes(struct sim_rank *r, const struct plan_loop *l, const struct sim_loop *now)
{
	for (int i = 0; i < l->tapes.n; i++) {
		int b = l->tapes.at[i];
		r->lines[b] = r->before[b] + (now->turns > now->turn ? now->turns : now->turn + 1);
	}
}

static inline void sim_begin_turn(struct sim *s, struct sim_rank *r, const struct plan_loop *l,
				  const struct sim_loop *now)
{
	if (l->turn >= 0)
		*(int64_t *)sim_buffer(r, l->turn) = now->turn;
	if (!l->asks)
		sim_extend_tapes(r, l, now);
	sim_moves(s, r, l, now, false);
}

static inline void sim_loop_begin(struct sim_rank *r, struct sim *s, const struct plan_loop *l)
{
	for (int i = 0; i < l->tapes.n; i++)
		if (!r->cell[l->tapes.at[i]])
			r->cell[l->tapes.at[i]] = sim_aligned(s->arena, SIM_TAPE);
	for (int i = 0; i < l->rewinds.n; i++)
		r->lines[l->rewinds.at[i]] = 0;
	for (int i = 0; i < l->tapes.n; i++)
		r->before[l->tapes.at[i]] = r->lines[l->tapes.at[i]];
	for (int i = 0; i < l->starts.n; i++)
		r->cell[l->starts.at[i].buffer] = sim_buffer(r, l->starts.at[i].at);
	for (int i = 0; i < l->cleared.n; i++) {
		const struct buffer *b = &r->plan->buffers.at[l->cleared.at[i]];
		memset(sim_buffer(r, l->cleared.at[i]), 0, (size_t)(b->elements * dtype_size(b->type)));
	}
}

static inline void sim_next(struct sim *s, struct sim_rank *r, const struct plan_loop *l)
{
	void **next = ARENA_ARRAY(s->arena, void *, l->nexts.n);
	for (int i = 0; i < l->nexts.n; i++)
		next[i] = sim_buffer(r, l->nexts.at[i].at);
	for (int i = 0; i < l->nexts.n; i++)
		r->cell[l->nexts.at[i].buffer] = next[i];
}

/* The next step. */
static inline int sim_loop_step(struct sim *s, struct sim_rank *r, const struct plan_step *step)
{
	const struct plan_loop *l = &r->plan->loops.at[step->loop];
	struct sim_loop *now = &r->loop[step->loop];
	if (step->kind == STEP_LOOP_BEGIN) {
		now->turn = 0;
		now->turns = sim_scalar(s, r, &step->scalars.at[0]).i;
		sim_loop_begin(r, s, l);
	} else if (step->kind == STEP_LOOP_TEST) {
		if (sim_scalar(s, r, &step->scalars.at[0]).i) {
			sim_extend_tapes(r, l, now);
			sim_moves(s, r, l, now, true);
		}
		return sim_scalar(s, r, &step->scalars.at[0]).i ? r->pc + 1 : l->end + 1;
	} else {
		sim_next(s, r, l);
		now->turn++;
	}
	if (!l->asks && now->turn >= now->turns)
		return l->end + 1;
	sim_begin_turn(s, r, l, now);
	return l->begin + 1;
}

static inline bool sim_step(struct sim *s, struct sim_rank *r)
{
	const struct plan_step *step = &r->plan->steps.at[r->pc];
	const struct placed_type *type;
	switch (step->kind) {
	case STEP_KERNEL:
		sim_kernel(s, r, step);
		break;
	case STEP_GEMM:
		sim_gemm(s, r, step->gemm);
		break;
	case STEP_FOURIER:
		sim_lines(s, r, step, 0, 0, 0);
		break;
	case STEP_SORTED:
		sim_sorted(r, step);
		break;
	case STEP_EIGEN:
		sim_eigen(s, r, step);
		break;
	case STEP_CHECK:
		sim_check(r, step);
		break;
	case STEP_TRANSFER_BEGIN:
		while (r->src[step->transfer].n <= r->begun[step->transfer])
			vec_push(s->arena, &r->src[step->transfer], NULL);
		r->src[step->transfer].at[r->begun[step->transfer]++] =
			step->src >= 0 ? sim_snapshot(s, r, step->src) : NULL;
		r->dst[step->transfer] = step->dst >= 0 ? sim_buffer(r, step->dst) : NULL;
		break;
	case STEP_TRANSFER_END:
		if (!sim_deliver(s, r, step->transfer))
			return false;
		break;
	case STEP_BATCH_READ:
		r->cell[step->dst] = sim_batch(s, r, step->dst);
		type = &s->program->types.at[step->type];
		sim_scatter(type, r->rank, s->arguments[step->argument].field[step->field].at,
			    sim_buffer(r, step->dst));
		break;
	case STEP_COPY:
		memcpy(sim_buffer(r, step->dst), sim_buffer(r, step->src),
		       (size_t)(r->plan->buffers.at[step->src].elements *
				dtype_size(r->plan->buffers.at[step->src].type)));
		break;
	case STEP_EXCHANGE:
		sim_exchange(r, r->plan->buffers.at[step->dst].slot);
		break;
	case STEP_HAND:
		r->slots[r->plan->buffers.at[step->dst].slot] = sim_buffer(r, step->src);
		break;
	case STEP_PASS_BEGIN:
		break;
	case STEP_RESULT:
		r->results[step->result] = sim_scalar(s, r, &step->scalars.at[0]);
		break;
	case STEP_LOOP_BEGIN:
	case STEP_LOOP_TEST:
	case STEP_LOOP_END:
		r->pc = sim_loop_step(s, r, step);
		return true;
	}
	r->pc++;
	return true;
}

static inline void sim_init(struct sim *s, struct program *p, struct arena *a)
{
	*s = (struct sim){.program = p, .arena = a, .nranks = (int)p->nranks};
	for (int i = 0; i < p->roles.n; i++)
		for (int k = 0; k < p->roles.at[i]->ranks.n; k++) {
			struct sim_rank *r = &s->rank[p->roles.at[i]->ranks.at[k]];
			r->rank = p->roles.at[i]->ranks.at[k];
			r->role = p->roles.at[i];
			r->memory = sim_aligned(a, r->role->arena_bytes);
			memset(r->memory, 0xa5, (size_t)r->role->arena_bytes);
			r->slots = ARENA_ARRAY(a, void *, p->slots.n);
			r->spares = ARENA_ARRAY(a, void *, p->slots.n);
			for (int j = 0; j < p->slots.n; j++)
				r->spares[j] = r->memory + (r->role->spare[j] ? r->role->spare[j] - 1 : 0);
			r->begun = ARENA_ARRAY(a, int, p->transfers.n);
			r->ended = ARENA_ARRAY(a, int, p->transfers.n);
			r->src = arena_alloc(a, sizeof *r->src * (size_t)(p->transfers.n + 1));
			r->dst = ARENA_ARRAY(a, void *, p->transfers.n);
		}
	for (int i = 0; i < s->nranks; i++)
		for (int k = 0; k < p->slots.n; k++) {
			const struct placed_type *t = &p->types.at[p->slots.at[k]->type];
			int64_t begin[MAX_RANK];
			if (place_position(t->place, i) < 0)
				continue;
			struct shape local = sim_local(t, i, begin);
			s->rank[i].slots[k] = sim_aligned(a, sim_bytes(shape_volume(&local), t->dtype));
			memset(s->rank[i].slots[k], 0xa5, (size_t)sim_bytes(shape_volume(&local), t->dtype));
		}
}

static inline void sim_set_slot(struct sim *s, int slot, const union scalar_value *value)
{
	const struct placed_type *t = &s->program->types.at[s->program->slots.at[slot]->type];
	for (int i = 0; i < s->nranks; i++)
		if (s->rank[i].slots[slot])
			sim_scatter(t, i, value, s->rank[i].slots[slot]);
}

static inline union scalar_value *sim_get_slot(struct sim *s, int slot)
{
	const struct placed_type *t = &s->program->types.at[s->program->slots.at[slot]->type];
	void *shard[SIM_MAX_RANKS] = {NULL};
	bool bad = false;
	for (int i = 0; i < s->nranks; i++)
		shard[i] = s->rank[i].slots[slot];
	union scalar_value *v = sim_gather(s, t, shard, &bad);
	if (bad)
		s->error = "the holders of a slot disagree";
	return v;
}

/* Runs a region on all ranks; false and an error if they wait for each other. */
static inline bool sim_region(struct sim *s, int region)
{
	for (int i = 0; i < s->nranks; i++) {
		struct sim_rank *r = &s->rank[i];
		r->plan = r->role->plans[region];
		r->cell = ARENA_ARRAY(s->arena, void *, r->plan ? r->plan->buffers.n + 1 : 1);
		r->lines = ARENA_ARRAY(s->arena, int64_t, r->plan ? r->plan->buffers.n + 1 : 1);
		r->before = ARENA_ARRAY(s->arena, int64_t, r->plan ? r->plan->buffers.n + 1 : 1);
		r->loop = ARENA_ARRAY(s->arena, struct sim_loop, r->plan ? r->plan->loops.n : 0);
		r->pc = 0;
		for (int t = 0; t < s->program->transfers.n; t++)
			r->begun[t] = r->ended[t] = 0;
	}
	for (bool moved = true, left = true; left;) {
		left = moved = false;
		for (int i = 0; i < s->nranks; i++) {
			struct sim_rank *r = &s->rank[(i * 7 + 3) % s->nranks];
			if (s->nranks % 7 == 0)
				r = &s->rank[i];
			while (r->plan && r->pc < r->plan->steps.n && sim_step(s, r))
				moved = true;
			left = left || (r->plan && r->pc < r->plan->steps.n);
		}
		if (left && !moved) {
			s->error = "the ranks wait for each other";
			return false;
		}
	}
	return !s->error;
}

#endif
