/* taps.c — products whose turns see fewer points of what is summed up than there are: of a 3 x 3 window with stride 2,
 * phase by phase (plan/phases.c), some phases have two points along a dimension and others one, and the second one is a
 * zero beside the operand. Each such turn becomes a product of its own, over the points that it sees:
 *
 *   gemm k 512 of 128 x 2 x 2, loops 2, 2     becomes   four with k 128, 256, 256 and 512
 *
 * A point that is left out is a term that the sum does not have. */
#include "contraction.h"

#include <string.h>

enum { MOST = 16, SAVED = 8 /* one term in so many at least */, PRODUCT_LOOPS = 16 };

/* The factors of k of an operand, in order. */
struct sum {
	struct pack_factor *f;
	int n;
};

static struct sum sum_of(const struct contraction *c, int side)
{
	const struct product_pack *p = c->pack[side];
	return (side ? c->tb : !c->ta) ? (struct sum){p->col, p->ncols} : (struct sum){p->row, p->nrows};
}

static bool sums_agree(const struct contraction *c)
{
	struct sum x = sum_of(c, 0), y = sum_of(c, 1);
	bool same = x.n == y.n;
	for (int i = 0; i < x.n && same; i++)
		same = x.f[i].extent == y.f[i].extent;
	return same;
}

/* The only factor of rows and columns that goes along a dimension, and is one of k; -1: there is none. */
static int alone_along(const struct contraction *c, int side, int d)
{
	const struct product_pack *p = c->pack[side];
	struct sum k = sum_of(c, side),
		   own = k.f == p->col ? (struct sum){p->row, p->nrows} : (struct sum){p->col, p->ncols};
	int found = -1, n = 0;
	for (int i = 0; i < own.n; i++)
		n += own.f[i].coef[d] != 0;
	for (int i = 0; i < k.n; i++)
		if (k.f[i].coef[d]) {
			found = i;
			n++;
		}
	return n == 1 && p->dim[d].div == 1 ? found : -1;
}

/* Points begin..end of each factor of k that lie in the tensors, in one turn of the loops that are taken apart. */
struct seen {
	int64_t begin[MAX_FACTORS], end[MAX_FACTORS], terms;
};

static int64_t offset_at(const struct product_pack *p, int nloops, const int64_t *turn, int d)
{
	int64_t at = p->dim[d].offset;
	for (int l = 0; l < nloops; l++)
		at += turn[l] * p->loop[l][d];
	return at;
}

static void look(const struct contraction *c, const int64_t *turn, struct seen *s)
{
	struct sum k = sum_of(c, 0);
	for (int i = 0; i < k.n; i++) {
		s->begin[i] = 0;
		s->end[i] = k.f[i].extent;
	}
	for (int side = 0; side < 2; side++)
		for (int d = 0; d < c->pack[side]->rank; d++) {
			int i = alone_along(c, side, d);
			int64_t at = i < 0 ? 0 : offset_at(c->pack[side], c->nloops, turn, d);
			int64_t coef = i < 0 ? 0 : sum_of(c, side).f[i].coef[d];
#define OUTSIDE(x) (at + (x)*coef < 0 || at + (x)*coef >= c->pack[side]->dim[d].extent)
			while (i >= 0 && s->begin[i] < s->end[i] && OUTSIDE(s->begin[i]))
				s->begin[i]++;
			while (i >= 0 && s->begin[i] < s->end[i] && OUTSIDE(s->end[i] - 1))
				s->end[i]--;
#undef OUTSIDE
		}
	s->terms = 1;
	for (int i = 0; i < k.n; i++)
		s->terms *= s->end[i] - s->begin[i];
	/* What sums up nothing sums up zeros. */
	for (int i = 0; i < k.n && !s->terms; i++) {
		s->begin[i] = 0;
		s->end[i] = 1;
	}
	s->terms = s->terms ? s->terms : 1;
}

/* Loops whose turns decide what is seen; false: some of them add up, or there are too many turns. */
static bool find_apart(const struct contraction *c, bool *apart, int64_t *turns)
{
	*turns = 1;
	for (int l = 0; l < c->nloops; l++) {
		apart[l] = false;
		for (int side = 0; side < 2; side++)
			for (int d = 0; d < c->pack[side]->rank; d++)
				apart[l] |= c->pack[side]->loop[l][d] && alone_along(c, side, d) >= 0;
		if (apart[l] && (!c->loop[l].c || c->loop[l].extent > MOST || (*turns *= c->loop[l].extent) > MOST))
			return false;
	}
	return *turns > 1;
}

/* The number of a turn among those of the loops taken apart, as one of each loop; of the others the first. */
static void turn_of(const struct contraction *c, const bool *apart, int64_t number, int64_t *turn)
{
	for (int l = c->nloops - 1; l >= 0; l--) {
		turn[l] = apart[l] ? number % c->loop[l].extent : 0;
		number /= apart[l] ? c->loop[l].extent : 1;
	}
}

static struct product_pack *pack_at(struct arena *a, const struct contraction *c, int side, const bool *apart,
				    const int64_t *turn, const struct seen *s)
{
	const struct product_pack *old = c->pack[side];
	struct product_pack *p = ARENA_NEW(a, struct product_pack);
	bool columns = sum_of(c, side).f == old->col;
	*p = *old;
	p->row = ARENA_ARRAY(a, struct pack_factor, old->nrows);
	p->col = ARENA_ARRAY(a, struct pack_factor, old->ncols);
	p->loop = arena_alloc(a, sizeof *p->loop * (size_t)(c->nloops + 1));
	memcpy(p->row, old->row, sizeof *p->row * (size_t)old->nrows);
	memcpy(p->col, old->col, sizeof *p->col * (size_t)old->ncols);
	struct sum k = columns ? (struct sum){p->col, p->ncols} : (struct sum){p->row, p->nrows};
	for (int d = 0; d < p->rank; d++) {
		p->dim[d].offset = offset_at(old, c->nloops, turn, d);
		for (int i = 0; i < k.n; i++)
			p->dim[d].offset += s->begin[i] * k.f[i].coef[d];
	}
	for (int i = 0; i < k.n; i++)
		k.f[i].extent = s->end[i] - s->begin[i];
	for (int l = 0, to = 0; l < c->nloops; l++)
		if (!apart[l])
			memcpy(p->loop[to++], old->loop[l], sizeof *p->loop);
	return p;
}

static struct contraction piece_at(struct arena *a, const struct contraction *c, const bool *apart, const int64_t *turn)
{
	struct contraction x = *c;
	struct seen s;
	look(c, turn, &s);
	x.k = s.terms;
	x.lda = c->ta ? c->m : x.k;
	x.ldb = c->tb ? x.k : c->n;
	x.loop = ARENA_ARRAY(a, struct product_loop, c->nloops + 1);
	x.nloops = 0;
	for (int l = 0; l < c->nloops; l++) {
		if (!apart[l])
			x.loop[x.nloops++] = c->loop[l];
		x.offset_c += turn[l] * c->loop[l].c;
	}
	for (int side = 0; side < 2; side++)
		x.pack[side] = pack_at(a, c, side, apart, turn, &s);
	return x;
}

int contraction_pieces(struct arena *a, const struct contraction *c, const struct contraction **pieces)
{
	bool apart[PRODUCT_LOOPS];
	int64_t turn[PRODUCT_LOOPS], turns, terms = 0;
	*pieces = c;
	if (!c->pack[0] || !c->pack[1] || c->exact || c->overlaps || c->nloops > PRODUCT_LOOPS || !sums_agree(c) ||
	    !find_apart(c, apart, &turns))
		return 1;
	for (int64_t i = 0; i < turns; i++) {
		struct seen s;
		turn_of(c, apart, i, turn);
		look(c, turn, &s);
		terms += s.terms;
	}
	if (terms > turns * c->k - turns * c->k / SAVED)
		return 1;
	struct contraction *list = ARENA_ARRAY(a, struct contraction, turns);
	for (int64_t i = 0; i < turns; i++) {
		turn_of(c, apart, i, turn);
		list[i] = piece_at(a, c, apart, turn);
	}
	*pieces = list;
	return (int)turns;
}
