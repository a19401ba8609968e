/* filter.c — convolutions, and their gradients, that take fewer multiplications in another way
 * (runtime/product_filter.h):
 *
 *   y[n, k, i, j] = sum[c, u, v] x[n, c, s i + u - 1, s j + v - 1] * w[k, c, u, v]        results
 *   w[k, c, u, v] = sum[n, i, j] x[n, c, s i + u - 1, s j + v - 1] * y[n, k, i, j]        the gradient of weights
 *
 * in one to three dimensions, with any strides s, or points of windows apart, d u for u. Windows may go backwards, as
 * those of the gradient of x do, x[n, k, i - u + 1, j - v + 1]: then weights do. */
#include "matrices.h"

enum { SIDES = FILTER_SIDES };
enum { OF_X, OF_OTHER, OF_RESULT };

/* A dimension of x along which windows lie, or one that each window has a point of: then there is no tap. */
struct filter_side {
	int dim;                /* of x */
	int position, tap;      /* factors; -1: none */
	int64_t stride, offset; /* of windows, and where the first one begins */
	int64_t apart;          /* points of a window */
	bool backwards;
};

/* What is found: the sum's factors by what they are. x: the tensor that windows see, other: the second operand. */
struct filter_match {
	const struct rule *rule;
	const struct access *x, *other;
	int64_t step_x[MAX_RANK], step_other[MAX_RANK], step_result[MAX_RANK]; /* of dimensions, in elements */
	bool of_weights;
	int nsides;
	struct filter_side side[SIDES]; /* of the last one neighbours in x are neighbours in memory */
};

/* Factors that step as one: images, channels or filters. */
struct group {
	int64_t extent, step[TENSORS];
};

static int64_t step_in(const struct filter_match *m, int tensor, int factor)
{
	return tensor == OF_X       ? step_along(m->x, m->step_x, factor)
	       : tensor == OF_OTHER ? step_along(m->other, m->step_other, factor)
				    : step_along(&m->rule->out, m->step_result, factor);
}

/* Whether a factor is in x, the other operand and the result as those of this role are. */
static bool is_in(const struct filter_match *m, int factor, bool x, bool other, bool result)
{
	return access_uses(m->x, factor) == x && access_uses(m->other, factor) == other &&
	       access_uses(&m->rule->out, factor) == result;
}

/* Whether windows of all remainders by how far their points are apart are as many, and see as much in the same place.
 */
static bool remainders_are_alike(const struct filter_match *m, int dim, int position, int64_t stride, int64_t apart,
				 int64_t offset)
{
	return apart > 1 && stride == 1 && offset % apart == 0 && m->x->dim[dim] % apart == 0 &&
	       m->rule->factor[position].extent % apart == 0;
}

/* The factors of a dimension of x that is seen by windows: position * stride + tap * apart + offset, or less that. */
static bool find_window(const struct filter_match *m, struct filter_side *s)
{
	const struct index seen = index_of_many_values(m->rule, &m->x->index[s->dim]), *at = &seen;
	if (at->nterms != 2 || at->data >= 0 || at->div != 1)
		return false;
	for (int i = 0; i < 2; i++) {
		int tap = at->term[i].factor, position = at->term[!i].factor;
		int64_t coef = index_coef(at, tap), stride = index_coef(at, position);
		int64_t apart = coef < 0 ? -coef : coef;
		if (m->rule->factor[tap].extent > FILTER_TAPS || stride < 1 ||
		    (apart != 1 && !remainders_are_alike(m, s->dim, position, stride, apart, at->offset)) ||
		    !is_in(m, tap, true, !m->of_weights, m->of_weights) ||
		    !is_in(m, position, true, m->of_weights, !m->of_weights))
			continue;
		*s = (struct filter_side){s->dim, position, tap, stride, at->offset, apart, coef < 0};
		return true;
	}
	return false;
}

/* The dimensions of x with windows: of columns are neighbours in memory. */
static bool find_windows(struct filter_match *m)
{
	int columns = -1;
	for (int d = 0; d < m->x->rank; d++) {
		struct filter_side s = {.dim = d};
		if (index_of_many_values(m->rule, &m->x->index[d]).nterms < 2)
			continue;
		if (m->nsides == SIDES || !find_window(m, &s))
			return false;
		if (m->step_x[d] == 1)
			columns = m->nsides;
		m->side[m->nsides++] = s;
	}
	if (columns < 0)
		return false;
	struct filter_side last = m->side[columns];
	m->side[columns] = m->side[m->nsides - 1];
	m->side[m->nsides - 1] = last;
	return true;
}

static bool is_of_windows(const struct filter_match *m, int factor)
{
	for (int s = 0; s < m->nsides; s++)
		if (factor == m->side[s].position || factor == m->side[s].tap)
			return true;
	return false;
}

static bool is_window(const struct filter_match *m, const struct access *a, int dim)
{
	for (int s = 0; s < m->nsides && a == m->x; s++)
		if (m->side[s].dim == dim)
			return true;
	return false;
}

/* Adds a factor to its group; false if they do not step as one. */
static bool join(const struct filter_match *m, struct group *g, int factor)
{
	int64_t extent = m->rule->factor[factor].extent;
	bool inner = true, outer = true;
	for (int t = 0; t < TENSORS; t++) {
		int64_t step = step_in(m, t, factor);
		inner = inner && g->step[t] == step * extent;
		outer = outer && step == g->step[t] * g->extent;
	}
	for (int t = 0; t < TENSORS && (inner || g->extent == 1); t++)
		g->step[t] = step_in(m, t, factor);
	bool fits = g->extent == 1 || inner || outer;
	g->extent *= extent;
	return fits;
}

/* All other factors, as images, channels and filters. */
static bool find_groups(const struct filter_match *m, struct group *images, struct group *channels,
			struct group *filters)
{
	*images = *channels = *filters = (struct group){.extent = 1};
	for (int f = 0; f < m->rule->nfactors; f++) {
		struct group *g = is_in(m, f, true, m->of_weights, !m->of_weights)   ? images
				  : is_in(m, f, true, !m->of_weights, m->of_weights) ? channels
				  : is_in(m, f, false, true, true)                   ? filters
										     : NULL;
		if (m->rule->factor[f].extent != 1 && !is_of_windows(m, f) && (!g || !join(m, g, f)))
			return false;
	}
	return true;
}

/* Everything but windows is read where it is: nothing is left out, nothing divided. */
static bool reads_plainly(const struct filter_match *m, const struct access *a)
{
	for (int d = 0; d < a->rank; d++) {
		const struct index *at = &a->index[d];
		if (at->data >= 0 || at->div != 1 || (at->guarded && !is_window(m, a, d)))
			return false;
	}
	return true;
}

static int64_t first_of(const struct filter_match *m, const struct access *a, const int64_t *step)
{
	int64_t at = 0;
	for (int d = 0; d < a->rank; d++)
		if (a->dim[d] != 1 && !is_window(m, a, d))
			at += a->index[d].offset * step[d];
	return at;
}

static void describe(const struct filter_match *m, const struct group *images, const struct group *channels,
		     const struct group *filters, struct contraction_filter *out)
{
	struct product_filter *f = &out->f;
	int of_w = m->of_weights ? OF_RESULT : OF_OTHER, of_y = m->of_weights ? OF_OTHER : OF_RESULT;
	int64_t back = 0;
	*f = (struct product_filter){.of_weights = m->of_weights,
				     .images = images->extent,
				     .channels = channels->extent,
				     .filters = filters->extent,
				     .x_image = images->step[OF_X],
				     .x_channel = channels->step[OF_X],
				     .w_filter = filters->step[of_w],
				     .w_channel = channels->step[of_w],
				     .y_image = images->step[of_y],
				     .y_filter = filters->step[of_y]};
	for (int i = 0; i < SIDES; i++) {
		f->side[i] =
			(struct product_filter_side){.taps = 1, .stride = 1, .windows = 1, .extent = 1, .apart = 1};
		if (i < SIDES - m->nsides)
			continue;
		const struct filter_side *s = &m->side[i - (SIDES - m->nsides)];
		struct product_filter_side w = {.taps = m->rule->factor[s->tap].extent,
						.stride = s->stride,
						.windows = m->rule->factor[s->position].extent / s->apart,
						.extent = m->x->dim[s->dim] / s->apart,
						.first = s->offset / s->apart,
						.x = m->step_x[s->dim] * s->apart,
						.w = step_in(m, of_w, s->tap),
						.y = step_in(m, of_y, s->position) * s->apart,
						.apart = s->apart};
		if (s->backwards) {
			back += (w.taps - 1) * w.w;
			w.first -= w.taps - 1;
			w.w = -w.w;
		}
		f->side[i] = w;
	}
	out->offset_x += first_of(m, m->x, m->step_x);
	out->offset_other += first_of(m, m->other, m->step_other) + (m->of_weights ? 0 : back);
	out->offset_result = m->of_weights ? back : 0;
}

/* In multiplications, of which products make one in each lane of a vector at a time: measured for 16 to 512 channels
 * and images of 7 to 56 rows. */
static bool pays(const struct product_filter *f)
{
	enum { TILE = 16 /* what a tile sees of a channel, or its results for a filter, of a kind */, WEIGHT = 62 };
	struct filter_kinds k = filter_kinds_of(f);
	struct filter_blocks b = filter_blocks_of(f, &k);
	double pairs = (double)f->channels * (double)f->filters, tiles = (double)b.lines * (double)b.line;
	double direct = (double)filter_images(f) * pairs;
	for (int s = 0; s < SIDES; s++)
		direct *= (double)(f->side[s].windows * f->side[s].taps);
	/* How often what is seen, and what weights are, is made. */
	bool is_one = f->of_weights || b.filters >= f->filters;
	double blocks = is_one ? 1 : (double)filter_parts(b.lines, b.block);
	double seen = f->of_weights ? (double)filter_parts(f->filters, b.filters) : 1;
	double filtered = 1.1 * (double)filter_multiplications(&k, &b) * pairs +
			  TILE * tiles * (seen * k.kinds * (double)f->channels + k.groups * (double)f->filters) +
			  WEIGHT * k.kinds * blocks * pairs;
	return f->channels >= FILTER_LANES / 2 && f->filters >= FILTER_LANES / 2 && filtered < direct;
}

/* A line of tiles of all channels is in the workspace at least; tiles along lines are two windows. */
static bool has_room(const struct product_filter *f)
{
	enum { MOST = 1 << 22 /* elements */ };
	const struct product_filter_side *columns = &f->side[FILTER_COLUMNS];
	return f->channels < MOST && f->filters < MOST && columns->taps > columns->stride &&
	       filter_products(f) <= FILTER_KINDS && product_filter_room(f) <= MOST;
}

static bool find(struct arena *a, const struct phys_node *n, int kx, int kother, bool of_weights, struct contraction *c)
{
	struct strided x = strided_of(n->in[kx]), other = strided_of(n->in[kother]);
	struct filter_match m = {.rule = n->rule,
				 .x = &n->rule->operand[kx],
				 .other = &n->rule->operand[kother],
				 .of_weights = of_weights};
	struct group images, channels, filters;
	struct contraction_filter out = {.offset_x = x.offset, .offset_other = other.offset};
	for (int d = 0; d < MAX_RANK; d++) {
		m.step_x[d] = x.stride[d];
		m.step_other[d] = other.stride[d];
	}
	row_major(&n->shape, m.step_result);
	if (!find_windows(&m) || !reads_plainly(&m, m.x) || !reads_plainly(&m, m.other) ||
	    !find_groups(&m, &images, &channels, &filters) ||
	    step_in(&m, of_weights ? OF_OTHER : OF_RESULT, m.side[m.nsides - 1].position) != 1)
		return false;
	describe(&m, &images, &channels, &filters, &out);
	out.x_is_b = c->b == x.base && c->a == other.base;
	if ((!out.x_is_b && (c->a != x.base || c->b != other.base)) || !has_room(&out.f) || !pays(&out.f) ||
	    (c->factors != DT_F32 && !product_filter_rounds(&out.f)))
		return false;
	struct contraction_filter *kept = ARENA_NEW(a, struct contraction_filter);
	*kept = out;
	c->filter = kept;
	return true;
}

void contraction_find_filter(struct arena *a, const struct phys_node *n, struct contraction *c, int ka, int kb)
{
	bool fits = (n->dtype == DT_F32 || n->dtype == DT_F64) && !c->exact && c->a != c->b;
	for (int way = 0; way < 4 && fits && !c->filter; way++)
		find(a, n, way & 1 ? kb : ka, way & 1 ? ka : kb, way >> 1, c);
}
