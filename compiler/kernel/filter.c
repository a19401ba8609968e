/* filter.c — convolutions by windows of 3 x 3, and their gradients, that take fewer multiplications in another way
 * (runtime/product_filter.h):
 *
 *   y[n, k, i, j] = sum[c, u, v] x[n, c, i + u - 1, j + v - 1] * w[k, c, u, v]        results
 *   w[k, c, u, v] = sum[n, i, j] x[n, c, i + u - 1, j + v - 1] * y[n, k, i, j]        the gradient of weights
 *
 * Windows may go backwards, as those of the gradient of x do, x[n, k, i - u + 1, j - v + 1]: then weights do. */
#include "matrices.h"

enum { ROWS, COLUMNS, SIDES };
enum { OF_X, OF_OTHER, OF_RESULT };

/* What is found: the sum's factors by what they are. x: the tensor that windows see, other: the second operand. */
struct filter_match {
	const struct rule *rule;
	const struct access *x, *other;
	int64_t step_x[MAX_RANK], step_other[MAX_RANK], step_result[MAX_RANK]; /* of dimensions, in elements */
	bool of_weights;
	int dim[SIDES];                  /* of x along which windows lie */
	int position[SIDES], tap[SIDES]; /* factors */
	bool backwards[SIDES];
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

/* The factors of a dimension of x that is seen by windows: position + tap + offset, or position - tap. */
static bool find_window(struct filter_match *m, int side)
{
	const struct index seen = index_of_many_values(m->rule, &m->x->index[m->dim[side]]), *at = &seen;
	if (at->nterms != 2 || at->data >= 0 || at->div != 1)
		return false;
	for (int i = 0; i < 2; i++) {
		int tap = at->term[i].factor, position = at->term[!i].factor;
		int64_t coef = index_coef(at, tap);
		if (m->rule->factor[tap].extent != FILTER_TAPS || (coef != 1 && coef != -1) ||
		    index_coef(at, position) != 1 || !is_in(m, tap, true, !m->of_weights, m->of_weights) ||
		    !is_in(m, position, true, m->of_weights, !m->of_weights))
			continue;
		m->tap[side] = tap;
		m->position[side] = position;
		m->backwards[side] = coef < 0;
		return true;
	}
	return false;
}

/* The two dimensions of x with windows: of columns are neighbours in memory. */
static bool find_windows(struct filter_match *m)
{
	int found[SIDES + 1], n = 0;
	for (int d = 0; d < m->x->rank && n <= SIDES; d++)
		if (index_of_many_values(m->rule, &m->x->index[d]).nterms > 1)
			found[n++] = d;
	if (n != SIDES)
		return false;
	bool first = m->step_x[found[0]] == 1;
	m->dim[ROWS] = found[first];
	m->dim[COLUMNS] = found[!first];
	return m->step_x[m->dim[COLUMNS]] == 1 && find_window(m, ROWS) && find_window(m, COLUMNS);
}

static bool is_of_windows(const struct filter_match *m, int factor)
{
	for (int s = 0; s < SIDES; s++)
		if (factor == m->position[s] || factor == m->tap[s])
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
static bool reads_plainly(const struct access *a, const int *window)
{
	for (int d = 0; d < a->rank; d++) {
		const struct index *at = &a->index[d];
		bool is_window = window && (d == window[ROWS] || d == window[COLUMNS]);
		if (at->data >= 0 || at->div != 1 || (at->guarded && !is_window))
			return false;
	}
	return true;
}

static int64_t first_of(const struct access *a, const int64_t *step, const int *window)
{
	int64_t at = 0;
	for (int d = 0; d < a->rank; d++)
		if (a->dim[d] != 1 && !(window && (d == window[ROWS] || d == window[COLUMNS])))
			at += a->index[d].offset * step[d];
	return at;
}

static void describe(const struct filter_match *m, const struct group *images, const struct group *channels,
		     const struct group *filters, struct contraction_filter *out)
{
	struct product_filter *f = &out->f;
	int of_w = m->of_weights ? OF_RESULT : OF_OTHER, of_y = m->of_weights ? OF_OTHER : OF_RESULT;
	int64_t tap[SIDES], first[SIDES], back = 0;
	for (int s = 0; s < SIDES; s++) {
		tap[s] = step_in(m, of_w, m->tap[s]);
		first[s] = m->x->index[m->dim[s]].offset;
		if (!m->backwards[s])
			continue;
		back += (FILTER_TAPS - 1) * tap[s];
		first[s] -= FILTER_TAPS - 1;
		tap[s] = -tap[s];
	}
	*f = (struct product_filter){.of_weights = m->of_weights,
				     .images = images->extent,
				     .channels = channels->extent,
				     .filters = filters->extent,
				     .rows = m->rule->factor[m->position[ROWS]].extent,
				     .columns = m->rule->factor[m->position[COLUMNS]].extent,
				     .x_rows = m->x->dim[m->dim[ROWS]],
				     .x_columns = m->x->dim[m->dim[COLUMNS]],
				     .row = first[ROWS],
				     .column = first[COLUMNS],
				     .x_image = images->step[OF_X],
				     .x_channel = channels->step[OF_X],
				     .x_row = m->step_x[m->dim[ROWS]],
				     .w_filter = filters->step[of_w],
				     .w_channel = channels->step[of_w],
				     .w_row = tap[ROWS],
				     .w_column = tap[COLUMNS],
				     .y_image = images->step[of_y],
				     .y_filter = filters->step[of_y],
				     .y_row = step_in(m, of_y, m->position[ROWS])};
	out->offset_x += first_of(m->x, m->step_x, m->dim);
	out->offset_other += first_of(m->other, m->step_other, NULL) + (m->of_weights ? 0 : back);
	out->offset_result = m->of_weights ? back : 0;
}

/* In multiplications, of which products make one in each lane of a vector at a time: measured for 16 to 512 channels
 * and images of 7 to 56 rows. */
static bool pays(const struct product_filter *f)
{
	enum { TILE = 250 /* what a tile sees of a channel, or its results for a filter */, WEIGHT = 1000 };
	struct filter_blocks b = filter_blocks_of(f);
	double pairs = (double)f->channels * (double)f->filters, tiles = (double)b.lines * (double)b.line;
	double direct = (double)f->images * (double)(f->rows * f->columns * FILTER_TAPS * FILTER_TAPS) * pairs;
	/* How often what is seen, and what weights are, is made. */
	bool is_one = f->of_weights || b.filters >= f->filters;
	double blocks = is_one ? 1 : (double)filter_parts(b.lines, b.block);
	double seen = f->of_weights ? (double)filter_parts(f->filters, b.filters) : 1;
	double filtered = 1.1 * FILTER_KINDS * tiles * pairs +
			  TILE * tiles * (seen * (double)f->channels + (double)f->filters) + WEIGHT * blocks * pairs;
	return f->channels >= FILTER_LANES / 2 && f->filters >= FILTER_LANES / 2 && filtered < direct;
}

/* A line of tiles of all channels is in the workspace at least. */
static bool has_room(const struct product_filter *f)
{
	enum { MOST = 1 << 22 /* elements */ };
	return f->channels < MOST && f->filters < MOST && f->columns < MOST &&
	       (double)f->channels * (double)f->columns < MOST && (double)f->filters * (double)f->columns < MOST &&
	       product_filter_room(f) <= MOST;
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
	if (!find_windows(&m) || !reads_plainly(m.x, m.dim) || !reads_plainly(m.other, NULL) ||
	    !find_groups(&m, &images, &channels, &filters) ||
	    step_in(&m, of_weights ? OF_OTHER : OF_RESULT, m.position[COLUMNS]) != 1)
		return false;
	describe(&m, &images, &channels, &filters, &out);
	out.x_is_b = c->b == x.base && c->a == other.base;
	if ((!out.x_is_b && (c->a != x.base || c->b != other.base)) || !pays(&out.f) || !has_room(&out.f))
		return false;
	struct contraction_filter *kept = ARENA_NEW(a, struct contraction_filter);
	*kept = out;
	c->filter = kept;
	return true;
}

void contraction_find_filter(struct arena *a, const struct phys_node *n, struct contraction *c, int ka, int kb)
{
	bool fits = (n->dtype == DT_F32 || n->dtype == DT_F64) && c->factors == DT_F32 && !c->exact && c->a != c->b;
	for (int way = 0; way < 4 && fits && !c->filter; way++)
		find(a, n, way & 1 ? kb : ka, way & 1 ? ka : kb, way >> 1, c);
}
