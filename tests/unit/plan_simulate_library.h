/* plan_simulate_library.h — what the runtime's own code computes (compiler/plan/library_steps.c), by its definition:
 * products, sorting, transforms of lines, factors of matrices. */
#ifndef PML_PLAN_SIMULATE_LIBRARY_H
#define PML_PLAN_SIMULATE_LIBRARY_H

#include "plan_simulate_state.h"

#include "runtime/product_loops.h"

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
static inline void sim_exact(const struct sim_turn *t, int64_t *c, double grid, const double *grids, bool adds)
{
	const struct plan_gemm *g = t->g;
	int64_t bits, sum_bits;
	for (int64_t i = 0; i < g->m; i++)
		for (int64_t j = 0; j < g->n; j++) {
			uint64_t *to = (uint64_t *)&c[g->offset_c + t->at.c + i * g->ldc + j];
			*to = adds ? *to : 0;
			if (grids)
				grid = grids[g->offset_grid + t->at.c + i * g->ldc + j];
			memcpy(&bits, &grid, sizeof bits);
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
			sim_exact(&t, sim_buffer(r, g->c), alpha, g->grid < 0 ? NULL : sim_buffer(r, g->grid),
				  beta != 0 || t.at.adds);
		else
			sim_product(&t, sim_buffer(r, g->c), alpha, t.at.adds ? 1 : beta);
	} while (product_next(&t.at, g->nloops, loops));
}

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
		else if (rank >= p->from && rank < p->from + p->first)
			out[(line * p->first + rank - p->from) * p->inner + k] = (int32_t)i;
	}
}

/* Numbers of real lines that are their own conjugates count half, and their imaginary parts do not. */
static inline double sim_share(const struct plan_fourier *f, bool ends_halved, int64_t part, int64_t number)
{
	return !ends_halved || (number != 0 && 2 * number != f->n) ? 1 : part ? 0 : 0.5;
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
					sum.f += cos(2 * 3.14159265358979323846 * turns) * f->scale *
						 sim_share(f, f->in_ends_halved, part_in + c, first_in + j) *
						 sim_share(f, f->out_ends_halved, part_out + d, first_out + k) *
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

/* What is outside is left as it is (graph_interpret). */
static inline void sim_matrices(struct sim *s, struct sim_rank *r, const struct plan_step *step)
{
	struct shape a = {.rank = 3, .dim = {step->factors->count, step->factors->n, step->factors->n}},
		     made = factors_shape(&a);
	int64_t in = shape_volume(&a), out = shape_volume(&made);
	union scalar_value *x = ARENA_ARRAY(s->arena, union scalar_value, in + 1),
			   *y = ARENA_ARRAY(s->arena, union scalar_value, out + 1);
	for (int64_t i = 0; i < in; i++)
		x[i] = kernel_load_element(sim_buffer(r, step->src), step->factors->type, i);
	factors_interpret(step->factors->way, step->factors->type, &a, x, y);
	for (int64_t i = 0; i < out; i++)
		kernel_store_element(sim_buffer(r, step->dst), step->factors->type, i, y[i]);
}

#endif
