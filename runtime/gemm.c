/* gemm.c — contractions: products of matrices and the loops around them, by product/ or by the library that the build
 * was told to use: oneDNN (HAVE_DNNL), which has none of f64, or CBLAS (HAVE_CBLAS). Everything is row-major. What
 * libraries disagree about, an empty extent and alpha 0, stays here. */
#define _GNU_SOURCE
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#include "pack_windows.h"
#include "product/channels.h"
#include "rt.h"
#include "team.h"

#ifdef HAVE_DNNL
#include <dnnl.h>
#endif
#ifdef HAVE_CBLAS
#include <cblas.h>
#endif

#if defined HAVE_DNNL || defined HAVE_CBLAS
#include <dlfcn.h>
#include <stdlib.h>

/* A library's own threads are as many as the rank has. */
static void limit_threads(int threads)
{
	static const char *const setters[] = {"omp_set_num_threads", "openblas_set_num_threads"};
	for (size_t i = 0; i < sizeof setters / sizeof *setters; i++) {
		void (*set)(int);
		*(void **)(void *)&set = dlsym(RTLD_DEFAULT, setters[i]);
		if (set)
			set(threads);
	}
}
#else
static void limit_threads(int threads)
{
	(void)threads;
}
#endif

void rt_gemm_start(struct pmlrt *rt)
{
	limit_threads(rt_team_size(rt));
	rt->product_room = rt_alloc_large(rt, rt_team_size(rt) * product_room());
	rt->product_workspaces = rt_alloc_large(rt, (rt_team_size(rt) - 1) * rt->program->product_workspace);
}

void *rt_product_room(const struct pmlrt *rt, int thread)
{
	return (char *)rt->product_room + thread * product_room();
}

void *rt_product_workspace(const struct pmlrt *rt, void *own, int thread)
{
	return thread ? (char *)rt->product_workspaces + (thread - 1) * rt->program->product_workspace : own;
}

/* C = alpha * op(A) op(B) + beta * C; op is transposition if the flag is set. */
struct gemm {
	int64_t ta, tb, m, n, k, lda, ldb, ldc;
	double alpha, beta;
	const void *a, *b;
	void *c;
};

static struct product product_of(const struct gemm *g)
{
	return (struct product){.m = g->m,
				.n = g->n,
				.k = g->k,
				.a = {g->a, g->ta ? 1 : g->lda, g->ta ? g->lda : 1},
				.b = {g->b, g->tb ? 1 : g->ldb, g->tb ? g->ldb : 1},
				.c = g->c,
				.ldc = g->ldc,
				.alpha = g->alpha,
				.beta = g->beta};
}

#ifdef HAVE_CBLAS
#define CBLAS(f, T, g) \
	f(CblasRowMajor, (g)->ta ? CblasTrans : CblasNoTrans, (g)->tb ? CblasTrans : CblasNoTrans, (int)(g)->m, \
	  (int)(g)->n, (int)(g)->k, (T)(g)->alpha, (g)->a, (int)(g)->lda, (g)->b, (int)(g)->ldb, (T)(g)->beta, (g)->c, \
	  (int)(g)->ldc)
#endif

static bool is_of_library(enum product_type type)
{
#ifdef HAVE_DNNL
	return type == PRODUCT_F32;
#elif defined HAVE_CBLAS
	return type == PRODUCT_F32 || type == PRODUCT_F64;
#else
	(void)type;
	return false;
#endif
}

/* Whether a library has done it. */
static bool by_library(enum product_type type, const struct gemm *g)
{
	if (!is_of_library(type) || g->m <= 0 || g->n <= 0 || g->k <= 0 || g->alpha == 0)
		return false;
#ifdef HAVE_DNNL
	if (type == PRODUCT_F32)
		return dnnl_sgemm(g->ta ? 'T' : 'N', g->tb ? 'T' : 'N', g->m, g->n, g->k, (float)g->alpha, g->a, g->lda,
				  g->b, g->ldb, (float)g->beta, g->c, g->ldc) == dnnl_success;
#endif
#ifdef HAVE_CBLAS
	if (type == PRODUCT_F32)
		CBLAS(cblas_sgemm, float, g);
	if (type == PRODUCT_F64)
		CBLAS(cblas_dgemm, double, g);
	return type == PRODUCT_F32 || type == PRODUCT_F64;
#endif
	(void)type;
	return false;
}

/* A product and the loops around it, as a call gives them. */
struct work {
	struct pmlrt *rt;
	enum product_type type;
	struct gemm g;
	int64_t nloops, turns;
	const int64_t *loops, *pack_a, *pack_b;
	void *workspace;
	int parts;     /* threads that make it */
	bool by_turns; /* each makes some of the turns; else a part of each */
};

/* Threads share turns if there are enough that write different elements, or as many for each, else each product. */
static struct work shared_out(struct work w)
{
	int threads = is_of_library(w.type) ? 1 : rt_team_size(w.rt);
	double work = (double)w.g.m * (double)w.g.n * (double)w.g.k;
	w.by_turns = true;
	w.turns = 1;
	for (int64_t i = 0; i < w.nloops; i++) {
		const int64_t *l = w.loops + i * LOOP_WORDS;
		w.turns *= l[LOOP_EXTENT];
		w.by_turns = w.by_turns && (l[LOOP_EXTENT] == 1 || l[LOOP_C]);
	}
	w.by_turns = w.by_turns && (w.turns >= 2 * threads || w.turns % threads == 0);
	w.parts = work * (w.by_turns ? (double)w.turns : 1) < TEAM_LEAST_PRODUCT ? 1 : threads;
	w.by_turns = w.by_turns || w.parts == 1;
	return w;
}

/* An operand that is read through windows, if one is. */
struct through {
	bool is, left;
	struct windows windows;
	const void *other; /* the operand of the last turn */
	struct product_channels channels;
	void *words; /* of them, in a room of products; NULL: they are read as they lie */
};

/* Of channels, which are outer factors of K, whatever is fastest: whether B is read so, and there is room for the part
 * that is seen where its matrix would be. */
static bool has_channels(const struct work *w, void *room, struct through *t)
{
	enum product_level level = (enum product_level)w->rt->product_level;
	int64_t size = w->type == PRODUCT_BF16 ? sizeof(uint16_t) : sizeof(float), bytes = pack_room(w->pack_b) * size;
	if (!product_has_pairs(level, w->type) || !w->pack_b[PACK_RANK] || w->pack_a[PACK_WAY] == WAY_THROUGH)
		return false;
	struct packing p = packing_of(w->pack_b);
	const int64_t *of_k = w->g.tb ? p.col : p.row;
	int64_t nk = w->g.tb ? p.ncols : p.nrows, plane = 1, planes = 1;
	for (int64_t d = 0; d < p.rank; d++) {
		struct product_planes x = packing_planes(&p, d);
		plane *= x.extent;
		planes *= x.count;
		if (p.dim[d * PACK_DIM_WORDS + PACK_DIV] != 1)
			return false;
	}
	int64_t places = (w->g.n + w->g.k + 1) * (int64_t)sizeof(int64_t);
	if (!nk || places + planes * plane * size > bytes)
		return false;
	struct product of = product_of(&w->g);
	t->windows = windows_of_channels(level, size, w->pack_b, w->g.tb, w->g.b, room);
	double best = 0;
	for (int64_t i = 1; i <= nk; i++) {
		struct product_channels c = {
			.count = packing_volume(&p, of_k, i), .plane = plane, .volume = planes * plane};
		double cost = product_channels_cost(level, w->type, &of, &t->windows.w, &c);
		if (cost > 0 && (best == 0 || cost < best)) {
			best = cost;
			t->channels = c;
		}
	}
	return best > 0;
}

static struct through through_of(const struct work *w, void *room_a, void *room_b, int thread)
{
	enum product_level level = (enum product_level)w->rt->product_level;
	struct through t = {.is = true, .words = rt_product_room(w->rt, thread)};
	if (has_channels(w, room_b, &t))
		return t;
	t = (struct through){.left = w->pack_a[PACK_RANK] && w->pack_a[PACK_WAY] != WAY_GATHERED};
	const int64_t *words = t.left ? w->pack_a : w->pack_b;
	if (!words[PACK_RANK] || words[PACK_WAY] == WAY_GATHERED)
		return t;
	/* Windows are of f32, and gathering costs less than pairs gain. */
	if (words[PACK_WAY] == WAY_EITHER && product_has_pairs(level, w->type))
		return t;
	t.is = true;
	struct product of = product_of(&w->g);
	t.windows = windows_of(level, w->type, words, w->loops, &of, t.left ? w->g.a : w->g.b, t.left,
			       t.left ? room_a : room_b);
	return t;
}

/* Makes the windows those of this turn, whose other operand is there, gathered anew or not. */
static void look_through(struct through *t, const struct work *w, const struct gemm *g, const struct product_turn *turn,
			 bool is_fresh)
{
	const void *other = t->left ? g->b : g->a;
	struct product_windows *x = &t->windows.w;
	struct product_turn next = *turn;
	bool more = product_next(&next, w->nloops, w->loops), stays = x->goes_on;
	bool is_new = windows_at(&t->windows, turn);
	if (is_new && t->words)
		product_channels_pack(w->type, &t->channels, x, t->words);
	x->kept = other == t->other && !is_fresh;
	x->stays = stays;
	x->goes_on = more && next.c == turn->c;
	t->other = other;
}

static void multiply(const struct work *w, const struct gemm *g, const struct through *t, struct product_part part,
		     int thread)
{
	enum product_level level = (enum product_level)w->rt->product_level;
	void *room = rt_product_room(w->rt, thread);
	struct product p = product_of(g);
	if (t->is && t->words)
		product_run_channels(w->type, &p, &t->windows.w, &t->channels, t->words, part, room);
	else if (t->is)
		product_run_windows(level, w->type, &p, &t->windows.w, part, room);
	else if (!by_library(w->type, g))
		product_run(level, w->type, &p, part, room);
}

/* One turn, whose operands are there, for all threads. */
struct turn {
	const struct work *work;
	struct gemm g;
	const struct through *through;
	void *left, *right;            /* operands that are to be gathered, NULL: none; from their indices on */
	int64_t index_left[PACK_RANK_MAX], index_right[PACK_RANK_MAX];
};

static void make_part(void *turn, int thread)
{
	const struct turn *t = turn;
	multiply(t->work, &t->g, t->through, (struct product_part){thread, t->work->parts}, thread);
}

/* T: of C; packed: how pack.h calls elements of A and B. */
#define LOOPS(name, T, packed) \
	static struct operands_##packed operands_of_##name(const struct work *w, int thread) \
	{ \
		return operands_##packed((enum product_level)w->rt->product_level, w->g.a, w->pack_a, w->g.b, \
					 w->pack_b, rt_product_workspace(w->rt, w->workspace, thread)); \
	} \
	static void make_turns_##name(void *work, int thread) \
	{ \
		const struct work *w = work; \
		struct operands_##packed o = operands_of_##name(w, thread); \
		struct product_turn t = {0}; \
		struct through x = through_of(w, o.left.room, o.right.room, thread); \
		for (int64_t i = 0, more = 1; more; i++, more = product_next(&t, w->nloops, w->loops)) { \
			struct gemm g = w->g; \
			if (i * w->parts / w->turns != thread) \
				continue; \
			g.beta = t.adds ? 1 : g.beta; \
			g.a = x.is && x.left ? NULL : packed_at_##packed(&o.left, &t, t.a); \
			g.b = x.is && !x.left ? NULL : packed_at_##packed(&o.right, &t, t.b); \
			g.c = (T *)g.c + t.c; \
			if (x.is) \
				look_through(&x, w, &g, &t, o.left.is_fresh || o.right.is_fresh); \
			multiply(w, &g, &x, product_whole(), thread); \
		} \
	} \
	static void gather_##name(void *turn, int thread) \
	{ \
		const struct turn *t = turn; \
		struct product_part part = {thread, t->work->parts}; \
		if (t->left) \
			packed_rows_##packed(t->left, t->index_left, part); \
		if (t->right) \
			packed_rows_##packed(t->right, t->index_right, part); \
	} \
	static void make_parts_##name(const struct work *w) \
	{ \
		struct operands_##packed o = operands_of_##name(w, 0); \
		struct product_turn at = {0}; \
		struct through x = through_of(w, o.left.room, o.right.room, 0); \
		struct turn t = {.work = w, .g = w->g, .through = &x}; \
		bool left = !x.is || !x.left, right = !x.is || x.left; \
		do { \
			t.left = left && packed_moves_##packed(&o.left, &at, t.index_left) ? &o.left : NULL; \
			t.right = right && packed_moves_##packed(&o.right, &at, t.index_right) ? &o.right : NULL; \
			if (t.left || t.right) \
				rt_team_run(w->rt, gather_##name, &t); \
			t.g.beta = at.adds ? 1 : w->g.beta; \
			t.g.a = left ? packed_at_##packed(&o.left, &at, at.a) : NULL; \
			t.g.b = right ? packed_at_##packed(&o.right, &at, at.b) : NULL; \
			t.g.c = (T *)w->g.c + at.c; \
			if (x.is) \
				look_through(&x, w, &t.g, &at, t.left || t.right); \
			rt_team_run(w->rt, make_part, &t); \
		} while (product_next(&at, w->nloops, w->loops)); \
	} \
	static void make_##name(const struct work *call) \
	{ \
		struct work w = shared_out(*call); \
		if (w.parts == 1) \
			make_turns_##name(&w, 0); \
		else if (w.by_turns) \
			rt_team_run(w.rt, make_turns_##name, &w); \
		else \
			make_parts_##name(&w); \
	}
LOOPS(f32, float, f32)
LOOPS(f64, double, f64)
LOOPS(half, uint16_t, half)
LOOPS(bytes, int32_t, byte)

/* R: of factors. */
#define CALL(name, TYPE, R, loops_of) \
	void pmlrt_gemm_##name(struct pmlrt *rt, int64_t ta, int64_t tb, int64_t m, int64_t n, int64_t k, R alpha, \
			       const void *a, int64_t lda, const void *b, int64_t ldb, R beta, void *c, int64_t ldc, \
			       int64_t nloops, const int64_t *loops, const int64_t *pack_a, const int64_t *pack_b, \
			       void *workspace) \
	{ \
		make_##loops_of( \
			&(struct work){.rt = rt, \
				       .type = PRODUCT_##TYPE, \
				       .g = {ta, tb, m, n, k, lda, ldb, ldc, (double)alpha, (double)beta, a, b, c}, \
				       .nloops = nloops, \
				       .loops = loops, \
				       .pack_a = pack_a, \
				       .pack_b = pack_b, \
				       .workspace = workspace}); \
	}
CALL(f32, F32, float, f32)
CALL(f64, F64, double, f64)
CALL(bf16, BF16, float, half)
CALL(f16, F16, float, half)
CALL(f32_as_bf16, F32_AS_BF16, float, f32)
CALL(f32_as_f16, F32_AS_F16, float, f32)
CALL(i8, I8, double, bytes)
CALL(u8, U8, double, bytes)
CALL(i8_u8, I8_U8, double, bytes)
CALL(u8_i8, U8_I8, double, bytes)
