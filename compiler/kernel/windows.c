/* windows.c — sums of products whose operands are no matrices as they lie in memory: convolutions and their gradients,
 * and dimensions that lie apart. One operand is read through its windows, of a part of the tensor at a time, which is
 * copied with zeros around it, or operands are gathered into matrices, a part at a time so that it stays in cache, and
 * multiplied there: what is known as im2col (Chellapilla, Puri, Simard, "High Performance Convolutional Neural Networks
 * for Document Processing", 2006), for any number of dimensions, strides, dilations, and for gradients, whose windows
 * are transposed. Points that leave the tensor are zeros. */
#include "matrices.h"

#include <string.h>

/* Elements of a gathered matrix, or of a part of a tensor, so that it fits in the second cache; of a part that does
 * beside what it is multiplied by and the result, in small ones too; of an operand that is packed once. */
enum { PACK_LIMIT = 1 << 18, NEAR_LIMIT = 1 << 16, ONCE_LIMIT = 1 << 22 };

/* In multiplications, as in matrices.c: an element gathered; one of a part that is copied; one of C each time that it
 * is made, of an operand that is packed, or read again in turns that are many so that their parts are small; a call; a
 * point of loops over windows, and over plain indices. */
enum {
	GATHER_COST = 32,
	PART_COST = 4,
	MADE_COST = 8,
	OPERAND_COST = 16,
	AGAIN_COST = 8,
	TURN_COST = 1 << 14,
	WINDOW_COST = 32,
	PLAIN_COST = 8
};
/* What reading a part that is not near adds to each multiplication. */
static const double FAR_COST = 1.0 / 16;

/* Elements of an operand that stay packed from turn to turn, and lanes for which windows are worth it. */
enum { KEPT_LIMIT = 800000, LEAST_LANES = 3 };

/* The operand on the left or on the right: its tensor, how it is read, and whether it is gathered or, if not all of it
 * need be, read through windows. */
struct side {
	const struct access *x;
	struct strided at;
	bool is_window, packs, through;
	int64_t step[MAX_FACTORS]; /* elements in memory between neighbours along a factor; not of windows with a
				      divisor */
};

/* Factors of one role, outermost first; those from `first` on are of the matrix, the others are loops. Of `first`
 * itself only so many points in a row may be (0: all), and what goes through its parts is a loop: each begins `apart`
 * points behind the one before, where the last points of that are computed again if it is less than a part. */
struct factors {
	int n, first;
	int64_t part, apart;
	int f[MAX_FACTORS];
};

struct windows {
	struct arena *arena; /* of what is described */
	const struct phys_node *node;
	const struct rule *rule;
	struct side side[2];
	int64_t out[MAX_FACTORS]; /* step in the result */
	struct factors role[ROLES];
	bool sums_first; /* parts are of sums, where a tensor is too large */
	bool near;       /* parts of a tensor are to be small */
	bool rounds;     /* factors are rounded before they are multiplied */
};

/* Every index can be computed from local values: where factors or the tensor are shards, the shift of one is that of
 * the other. */
static bool is_local(const struct phys_node *n, int k, bool *is_window)
{
	const struct access *a = &n->rule->operand[k];
	for (int d = 0; d < a->rank; d++) {
		const struct index *x = &a->index[d];
		int had = n->origins ? n->origins->operand[k][d].type : -1;
		bool shifts = had >= 0;
		for (int i = 0; i < x->nterms && n->origins; i++)
			shifts = shifts || n->origins->factor[x->term[i].factor].type >= 0;
		bool plain = index_shifted_factor(x) >= 0 && !x->guarded;
		if (x->data >= 0 || (shifts && (!plain || n->origins->factor[x->term[0].factor].type != had)))
			return false;
		*is_window = *is_window || (!plain && (x->nterms > 0 || x->guarded));
	}
	return true;
}

static struct side side_of(struct phys_node *n, int k, bool is_window)
{
	struct side s = {.x = &n->rule->operand[k], .at = strided_of(n->in[k]), .is_window = is_window};
	for (int f = 0; f < n->rule->nfactors; f++)
		s.step[f] = step_along(s.x, s.at.stride, f);
	return s;
}

static bool find_roles(struct windows *w)
{
	const struct rule *r = w->rule;
	int64_t stride[MAX_RANK];
	row_major(&w->node->shape, stride);
	for (int f = 0; f < r->nfactors; f++) {
		enum factor_role role;
		if (r->factor[f].extent == 1)
			continue;
		if (r->factor[f].extent == 0 || !role_of_factor(w->side[0].x, w->side[1].x, &r->out, f, &role))
			return false;
		w->out[f] = step_along(&r->out, stride, f);
		w->role[role].f[w->role[role].n++] = f;
	}
	return w->role[IN_K].n > 0;
}

/* Points of a factor that are of the matrix. */
static int64_t points_of(const struct windows *w, const struct factors *l, int i)
{
	return i == l->first && l->part ? l->part : w->rule->factor[l->f[i]].extent;
}

static int64_t extent_of(const struct windows *w, const struct factors *l)
{
	int64_t n = 1;
	for (int i = l->first; i < l->n; i++)
		n *= points_of(w, l, i);
	return n;
}

static void sort_by(struct factors *l, const int64_t *step)
{
	for (int i = 1; i < l->n; i++)
		for (int j = i; j > 0 && step[l->f[j - 1]] < step[l->f[j]]; j--) {
			int f = l->f[j];
			l->f[j] = l->f[j - 1];
			l->f[j - 1] = f;
		}
}

/* The last factors that step as one in a tensor; others become loops. */
static void keep_even(const struct windows *w, struct factors *l, const int64_t *step)
{
	for (int i = l->n - 1; i > l->first; i--)
		if (step[l->f[i - 1]] != step[l->f[i]] * w->rule->factor[l->f[i]].extent)
			l->first = i;
}

/* The largest part of an extent that is at most so long and goes through it evenly. */
static int64_t even_part(int64_t extent, int64_t most)
{
	for (int64_t n = (extent + most - 1) / most; n < extent; n++)
		if (extent % n == 0)
			return extent / n;
	return 1;
}

/* Parts at most so long of which fewest points are computed twice: 31 as two of 16, not as 31. */
static void find_parts(struct factors *l, int64_t extent, int64_t most)
{
	int64_t least = INT64_MAX, fewest = (extent + most - 1) / most;
	for (int64_t n = fewest; n <= 2 * fewest && n <= extent; n++) {
		int64_t apart = extent / n, part = extent - (n - 1) * apart;
		if (part > most || n * part >= least)
			continue;
		least = n * part;
		l->part = part;
		l->apart = apart;
	}
}

/* What the factors of a list see of a dimension of the tensor. */
static struct product_reach reach_of(const struct windows *w, const struct factors *l, const struct index *x)
{
	struct product_reach r = {0, 0, 0};
	for (int i = l->first; i < l->n; i++)
		product_reach_add(&r, points_of(w, l, i), index_coef(x, l->f[i]));
	return r;
}

/* Elements of what a turn has of an operand: a matrix, or a part of the tensor. */
static int64_t size_of(const struct windows *w, const struct side *s, const struct factors *own,
		       const struct factors *k)
{
	int64_t v = 1;
	if (!s->through)
		return extent_of(w, own) * extent_of(w, k);
	for (int d = 0; d < s->x->rank; d++) {
		const struct index *x = &s->x->index[d];
		struct product_planes p = product_planes_of(reach_of(w, own, x), reach_of(w, k, x));
		v *= p.count * p.extent;
	}
	return v;
}

/* What is packed for a product through windows is read once: it need not be in the cache as it was gathered. */
static int64_t most_of(const struct windows *w, const struct side *s)
{
	bool beside = (w->side[0].through || w->side[1].through) && !s->through && !s->is_window;
	return beside ? ONCE_LIMIT : s->through && w->near ? NEAR_LIMIT : PACK_LIMIT;
}

/* The longest part of what is outermost of `drop` with which the operand is small; 0: there is none. */
static int64_t longest_part(const struct windows *w, const struct side *s, struct factors *drop,
			    const struct factors *own, const struct factors *k)
{
	int64_t low = 0, high = w->rule->factor[drop->f[drop->first]].extent;
	while (low < high) {
		drop->part = (low + high + 1) / 2;
		if (size_of(w, s, own, k) <= most_of(w, s))
			low = drop->part;
		else
			high = drop->part - 1;
	}
	drop->part = 0;
	return low;
}

/* Drops what is outermost, or parts of it, until what a turn has of an operand is small; false if it cannot be. */
static bool limit(const struct windows *w, const struct side *s, struct factors *own, struct factors *k)
{
	struct factors *first = w->sums_first ? k : own, *second = w->sums_first ? own : k;
	while (size_of(w, s, own, k) > most_of(w, s)) {
		struct factors *drop = first->first < first->n - 1 ? first : second;
		if (drop->first >= drop->n - 1)
			return false;
		int64_t extent = w->rule->factor[drop->f[drop->first]].extent;
		int64_t most = longest_part(w, s, drop, own, k);
		if (most > 0 && drop == own)
			find_parts(drop, extent, most);
		else if (most > 0)
			drop->part = drop->apart = even_part(extent, most); /* sums take a point once */
		if (drop->part > 1)
			return true;
		drop->part = 0;
		drop->first++;
	}
	return true;
}

/* Which factors are of the matrices, for what is gathered. */
static bool choose_matrices(struct windows *w)
{
	struct factors *m = &w->role[IN_M], *n = &w->role[IN_N], *k = &w->role[IN_K];
	m->first = n->first = k->first = 0;
	m->part = n->part = k->part = 0;
	m->apart = n->apart = k->apart = 0;
	w->role[IN_BATCH].first = w->role[IN_BATCH].n;
	sort_by(m, w->out);
	sort_by(n, w->out);
	keep_even(w, m, w->out);
	keep_even(w, n, w->out);
	if (!w->side[0].packs)
		keep_even(w, m, w->side[0].step);
	if (!w->side[1].packs)
		keep_even(w, n, w->side[1].step);
	for (int i = 0; i < 2; i++)
		if (!w->side[i].packs) {
			sort_by(k, w->side[i].step);
			keep_even(w, k, w->side[i].step);
		}
	return (!w->side[0].packs || limit(w, &w->side[0], m, k)) && (!w->side[1].packs || limit(w, &w->side[1], n, k));
}

static int64_t last_step(const struct factors *l, const int64_t *step)
{
	return l->n > l->first ? step[l->f[l->n - 1]] : 0;
}

static struct pack_factor *pack_factors(const struct windows *w, const struct side *s, const struct factors *l,
					int *count)
{
	*count = l->n - l->first;
	struct pack_factor *out = ARENA_ARRAY(w->arena, struct pack_factor, *count);
	for (int i = 0; i < *count; i++) {
		out[i].extent = points_of(w, l, l->first + i);
		for (int d = 0; d < s->x->rank; d++)
			out[i].coef[d] = index_coef(&s->x->index[d], l->f[l->first + i]);
	}
	return out;
}

/* How many elements in a row are neighbours in memory if these factors are the columns. */
static int64_t run_length(const struct windows *w, const struct factors *l, const int64_t *step)
{
	int64_t s = last_step(l, step);
	return s == 1 || s == -1 ? points_of(w, l, l->n - 1) : 1;
}

/* Windows can be read where they lie: along the tensor's last dimension one by one, nothing left out. */
static bool has_points(const struct side *s)
{
	for (int d = 0; d < s->x->rank; d++)
		if (s->x->index[d].div != 1)
			return false;
	return s->x->rank > 0 && s->at.stride[s->x->rank - 1] == 1;
}

/* The matrix of an operand that is not one in memory. If it is gathered its columns are the group of factors with the
 * longer run of neighbours in memory, else those of a matrix that is not transposed. */
static struct product_pack *describe_pack(const struct windows *w, const struct side *s, const struct factors *own,
					  const struct factors *k, int nloops, bool *k_is_columns)
{
	struct product_pack *p = ARENA_NEW(w->arena, struct product_pack);
	bool is_left = s == &w->side[0];
	*k_is_columns = s->through ? is_left : run_length(w, k, s->step) >= run_length(w, own, s->step);
	bool other = w->side[is_left].through,
	     either = w->rounds && !other && *k_is_columns == is_left && has_points(s);
	p->way = s->through ? WAY_THROUGH : either ? WAY_EITHER : WAY_GATHERED;
	p->rank = s->x->rank;
	for (int d = 0; d < p->rank; d++) {
		p->dim[d].extent = s->x->dim[d];
		p->dim[d].stride = s->at.stride[d];
		p->dim[d].offset = s->x->dim[d] == 1 && !s->x->index[d].guarded ? 0 : s->x->index[d].offset;
		p->dim[d].div = s->x->index[d].div;
	}
	p->row = pack_factors(w, s, *k_is_columns ? own : k, &p->nrows);
	p->col = pack_factors(w, s, *k_is_columns ? k : own, &p->ncols);
	p->loop = arena_alloc(w->arena, sizeof *p->loop * (size_t)nloops);
	return p;
}

/* A loop over a factor, or over parts of it that begin so many points behind each other. */
static void add_loop(const struct windows *w, struct contraction *c, int f, int64_t turns, int64_t points)
{
	int at = c->nloops++;
	c->loop[at] = (struct product_loop){turns, c->pack[0] ? 0 : w->side[0].step[f] * points,
					    c->pack[1] ? 0 : w->side[1].step[f] * points, w->out[f] * points};
	for (int s = 0; s < 2; s++)
		for (int d = 0; c->pack[s] && d < w->side[s].x->rank; d++)
			c->pack[s]->loop[at][d] = index_coef(&w->side[s].x->index[d], f) * points;
}

static int loops_over(const struct factors *l)
{
	return l->first + (l->part != 0);
}

static void add_loops(const struct windows *w, struct contraction *c, const struct factors *l)
{
	for (int i = 0; i < l->first; i++)
		add_loop(w, c, l->f[i], w->rule->factor[l->f[i]].extent, 1);
	if (l->part)
		add_loop(w, c, l->f[l->first], (w->rule->factor[l->f[l->first]].extent - l->part) / l->apart + 1,
			 l->apart);
	c->overlaps |= l->part > l->apart;
}

/* An operand that is read in place, with the first element it reads. */
static bool in_place(const struct side *s, int64_t rows, int64_t cols, int64_t row_step, int64_t col_step, bool *t,
		     int64_t *ld, int64_t *offset)
{
	*offset = first_element(&s->at, s->x);
	return strides_as_matrix(rows, cols, row_step, col_step, t, ld);
}

/* Of what is gathered, or may be, the operand with more elements. */
static int larger_pack(const struct contraction *c)
{
	if (!c->pack[0] || !c->pack[1])
		return c->pack[1] != NULL;
	return product_pack_elements(c->pack[1]) > product_pack_elements(c->pack[0]);
}

static bool describe(const struct windows *w, struct contraction *c)
{
	const struct factors *m = &w->role[IN_M], *n = &w->role[IN_N], *k = &w->role[IN_K];
	const struct side *a = &w->side[0], *b = &w->side[1];
	bool t, columns;
	c->a = a->at.base;
	c->b = b->at.base;
	c->m = extent_of(w, m);
	c->n = extent_of(w, n);
	c->k = extent_of(w, k);
	c->offset_a = a->at.offset;
	c->offset_b = b->at.offset;
	int nloops = loops_over(&w->role[IN_BATCH]) + loops_over(m) + loops_over(n) + loops_over(k);
	c->nloops = 0;
	c->overlaps = false;
	c->loop = ARENA_ARRAY(w->arena, struct product_loop, nloops);
	c->pack[0] = c->pack[1] = NULL;
	if (a->packs) {
		c->pack[0] = describe_pack(w, a, m, k, nloops, &columns);
		c->ta = !columns;
		c->lda = columns ? c->k : c->m;
	} else if (!in_place(a, c->m, c->k, last_step(m, a->step), last_step(k, a->step), &c->ta, &c->lda,
			     &c->offset_a)) {
		return false;
	}
	if (b->packs) {
		c->pack[1] = describe_pack(w, b, n, k, nloops, &columns);
		c->tb = columns;
		c->ldb = columns ? c->k : c->n;
	} else if (!in_place(b, c->k, c->n, last_step(k, b->step), last_step(n, b->step), &c->tb, &c->ldb,
			     &c->offset_b)) {
		return false;
	}
	if (c->pack[0] && c->pack[1] && c->pack[0]->way == WAY_EITHER && c->pack[1]->way == WAY_EITHER)
		c->pack[!larger_pack(c)]->way = WAY_GATHERED; /* a product reads one operand through windows */
	add_loops(w, c, &w->role[IN_BATCH]);
	add_loops(w, c, m);
	add_loops(w, c, n);
	add_loops(w, c, k);
	return strides_as_matrix(c->m, c->n, last_step(m, w->out), last_step(n, w->out), &t, &c->ldc) && !t &&
	       (c->n == 1 || last_step(n, w->out) == 1);
}

static bool moves(const struct contraction *c, int side, int loop)
{
	bool any = false;
	for (int d = 0; c->pack[side] && d < c->pack[side]->rank; d++)
		any = any || c->pack[side]->loop[loop][d];
	return any || (!c->pack[side] && (side ? c->loop[loop].b : c->loop[loop].a));
}

/* Turns of the loops down to the last that moves an operand: in each it is gathered, copied or packed again. */
static double turns_of(const struct contraction *c, int side)
{
	double turns = 1, all = 1;
	for (int i = 0; i < c->nloops; i++) {
		all *= (double)c->loop[i].extent;
		turns = moves(c, side, i) ? all : turns;
	}
	return turns;
}

static double gathering(const struct contraction *c, int side)
{
	return turns_of(c, side) * (double)product_pack_elements(c->pack[side]) * GATHER_COST;
}

/* One operand is read through windows, the other one packed, once where it stays. */
static double cost_through(const struct windows *w, const struct contraction *c, int side)
{
	double m = (double)c->m, n = (double)c->n, k = (double)c->k, other = k * (side ? m : n), turns = 1;
	double part = (double)product_pack_volume(c->pack[side]), each = part > NEAR_LIMIT ? 1 + FAR_COST : 1;
	bool adds = false;
	for (int i = 0; i < c->nloops; i++) {
		turns *= (double)c->loop[i].extent;
		adds = adds || (c->loop[i].extent > 1 && c->loop[i].c == 0);
	}
	double packed = other > KEPT_LIMIT ? turns : turns_of(c, !side);
	return turns * (m * n * (k * each + (adds ? 2 * MADE_COST : MADE_COST)) + TURN_COST) +
	       turns_of(c, side) * part * PART_COST + packed * other * OPERAND_COST +
	       (w->near ? turns * other * AGAIN_COST : 0) + (c->pack[!side] ? gathering(c, !side) : 0);
}

static double cost_of(const struct windows *w, const struct contraction *c)
{
	for (int i = 0; i < 2; i++)
		if (w->side[i].through)
			return cost_through(w, c, i);
	return contraction_cost(c) + (c->pack[0] ? gathering(c, 0) : 0) + (c->pack[1] ? gathering(c, 1) : 0);
}

/* What one attempt does: which operand is on the left, what is packed, what of it is read through windows. */
struct attempt {
	bool swapped, packs[2], sums_first, near;
	int through; /* side; -1: none */
};

static bool is_sensible(const struct windows *w, const struct attempt *t)
{
	for (int i = 0; i < 2; i++)
		if (w->side[i].is_window && !t->packs[i])
			return false;
	if (t->through < 0)
		return (t->packs[0] || t->packs[1]) && !t->sums_first;
	return t->packs[t->through] && has_points(&w->side[t->through]) &&
	       !(w->side[!t->through].is_window && !w->side[t->through].is_window);
}

/* Whether c, which is filled in, is a way to compute the map. */
static bool attempt(struct windows *w, const struct attempt *t, struct contraction *c)
{
	for (int i = 0; i < 2; i++) {
		w->side[i].packs = t->packs[i];
		w->side[i].through = t->through == i;
	}
	w->sums_first = t->sums_first;
	w->near = t->near;
	if (!is_sensible(w, t) || !find_roles(w) || !choose_matrices(w) || !describe(w, c))
		return false;
	return t->through < 0 || (t->through ? c->m : c->n) >= LEAST_LANES;
}

/* Whether pairs of bf16, which machines that have them multiply twice as fast as f32, gain more than it takes to gather
 * the windows for them: each element is multiplied by so many of the other operand, and gathering goes along lines of
 * the tensor. The limit is measured with AVX512-BF16: an element of lines of 7, 14 and 32 takes 0.8, 0.3 and 0.12 ns,
 * and pairs gain 0.015 ns for each that it is multiplied by. */
static bool gains_by_pairs(const struct contraction *c)
{
	enum { LEAST = 256 };
	int side = larger_pack(c);
	const struct product_pack *p = c->pack[side];
	int64_t line = 1;
	if (!p)
		return true;
	for (int i = 0; i < p->nrows + p->ncols; i++) {
		const struct pack_factor *f = i < p->nrows ? &p->row[i] : &p->col[i - p->nrows];
		if (p->rank && f->coef[p->rank - 1] && f->extent > line)
			line = f->extent;
	}
	return (side ? c->m : c->n) * line >= LEAST;
}

bool contraction_by_windows(struct arena *a, struct phys_node *n, struct contraction *c, int ka, int kb)
{
	bool is_window[2] = {false, false}, found = false;
	if (!is_local(n, ka, &is_window[0]) || !is_local(n, kb, &is_window[1]))
		return false;
	bool through = dtype_is_float(n->dtype) && dtype_size(n->dtype) >= 4;
	double least = is_window[0] || is_window[1] ? WINDOW_COST : PLAIN_COST;
	for (int f = 0; f < n->rule->nfactors; f++)
		least *= (double)n->rule->factor[f].extent;
	const struct side of_a = side_of(n, ka, is_window[0]), of_b = side_of(n, kb, is_window[1]);
	enum { GATHERED = 16, ALL = 5 * GATHERED }; /* attempts; the others through windows of either side */
	for (int try = 0; try < (through ? ALL : GATHERED); try++) {
		int way = try / GATHERED;
		if (try == GATHERED && found && c->factors == DT_BF16 && gains_by_pairs(c))
			break;
		struct attempt t = {.swapped = try >> 2 & 1,
				    .packs = {try & 1, try >> 1 & 1},
				    .sums_first = try >> 3 & 1,
				    .near = way > 2,
				    .through = way ? (way - 1) % 2 : -1};
		struct windows w = {.arena = a, .node = n, .rule = n->rule, .rounds = c->factors != DT_F32};
		w.side[t.swapped] = of_a;
		w.side[!t.swapped] = of_b;
		struct contraction x = *c;
		double cost = attempt(&w, &t, &x) ? cost_of(&w, &x) : least;
		if (cost >= least)
			continue;
		least = cost;
		*c = x;
		found = true;
	}
	return found;
}
