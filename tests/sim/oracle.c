/* oracle.c — sets of indices, and the bounds on bytes. */
#include "oracle.h"

/* How many of n indices coordinate r is dealt: in equal shares the first ones get one more; in others, those before its
 * end have the floor of what is theirs by the shares. */
static int dealt(const struct shard_atom *x, int n, int64_t k, int64_t r)
{
	if (!x->shares)
		return n / (int)k + (r < n % (int)k);
	int all = x->shares[1 + k];
	return n * x->shares[2 + r] / all - n * x->shares[1 + r] / all;
}

/* Deals the indices of a set out over k ranks; order is kept. */
static uint32_t deal(const struct shard_atom *x, uint32_t set, int64_t k, int64_t coordinate)
{
	int n = __builtin_popcount(set), given = 0;
	uint32_t out = 0;
	for (int64_t r = 0; r <= coordinate; r++) {
		int share = dealt(x, n, k, r);
		out = 0;
		for (int i = 0; i < share; i++, given++) {
			out |= set & -set;
			set &= set - 1;
		}
	}
	return out;
}

/* What the numbers of a set read of n indices through a window, from the least to the greatest: those of
 * step * i + low .. step * i + high that div divides, taken together. With step 0 it does not matter which numbers, or
 * whether there are any. */
static uint32_t reads(const struct shard_atom *x, uint32_t share, int64_t n)
{
	int64_t low = INT64_MAX, high = INT64_MIN;
	uint32_t out = 0;
	for (int i = 0; i < 32; i++) {
		int64_t at = (int64_t)x->step * i;
		if (!(share >> i & 1))
			continue;
		low = at + x->low < low ? at + x->low : low;
		high = at + x->high > high ? at + x->high : high;
	}
	for (int64_t k = 0; k < n; k++)
		if (share && k * x->div >= low && k * x->div <= high)
			out |= UINT32_C(1) << k;
	return out;
}

static int dims(const struct pmlrt_type *t)
{
	return t->rank ? t->rank : 1;
}

static int64_t dim(const struct pmlrt_type *t, int d)
{
	return t->rank ? t->dim[d] : 1;
}

static void hold_one(struct holdings *h, const struct pmlrt_place *p, int64_t position, struct holding *out)
{
	int64_t coordinate[PMLRT_MAX_AXES], rest = position;
	for (int a = p->naxes - 1; a >= 0; a--) {
		coordinate[a] = rest % p->extent[a];
		rest /= p->extent[a];
	}
	*out = (struct holding){.on = true};
	for (int d = 0; d < dims(h->type); d++)
		out->set[d] = (UINT32_C(1) << dim(h->type, d)) - 1;
	const struct shard_atom *window[PMLRT_MAX_RANK] = {0};
	uint32_t share[PMLRT_MAX_RANK];
	for (int a = 0; a < p->naxes; a++) {
		const struct shard_atom *atom = &h->type->atom[a];
		if (atom->kind == SHARD_WINDOW && p->extent[a] > 1) {
			if (!window[atom->dim])
				share[atom->dim] = (UINT32_C(1) << atom->of) - 1;
			window[atom->dim] = atom;
			share[atom->dim] = !atom->step ? 1 : deal(atom, share[atom->dim], p->extent[a], coordinate[a]);
		}
		if (atom->kind == SHARD_S)
			out->set[atom->dim] = deal(atom, out->set[atom->dim], p->extent[a], coordinate[a]);
		if (atom->kind == SHARD_P)
			out->part = out->part * (int)p->extent[a] + (int)coordinate[a];
		if (atom->kind == SHARD_B)
			out->replica = out->replica * (int)p->extent[a] + (int)coordinate[a];
	}
	for (int d = 0; d < dims(h->type); d++)
		if (window[d])
			out->set[d] = reads(window[d], share[d], dim(h->type, d));
}

void oracle_hold(struct holdings *h, const struct pmlrt_program *program, int32_t type, int ranks)
{
	const struct pmlrt_type *t = &program->types[type];
	const struct pmlrt_place *p = &program->places[t->place];
	*h = (struct holdings){.type = t, .ranks = ranks, .parts = 1, .replicas = 1};
	for (int a = 0; a < p->naxes; a++) {
		if (t->atom[a].kind == SHARD_P) {
			h->parts *= (int)p->extent[a];
			h->combiner = t->atom[a].combiner;
		}
		if (t->atom[a].kind == SHARD_B)
			h->replicas *= (int)p->extent[a];
	}
	h->partial = h->parts > 1;
	for (int64_t i = 0; i < p->count; i++)
		hold_one(h, p, i, &h->rank[p->ranks ? p->ranks[i] : p->first + i]);
}

int64_t oracle_volume(const struct pmlrt_type *t)
{
	int64_t n = 1;
	for (int d = 0; d < dims(t); d++)
		n *= dim(t, d);
	return n;
}

int64_t oracle_held(const struct holdings *h, int rank)
{
	int64_t n = h->rank[rank].on;
	for (int d = 0; d < dims(h->type); d++)
		n *= __builtin_popcount(h->rank[rank].set[d]);
	return n;
}

static int64_t common(const struct holdings *a, int i, const struct holdings *b, int j)
{
	int64_t n = a->rank[i].on && b->rank[j].on;
	for (int d = 0; d < dims(a->type); d++)
		n *= __builtin_popcount(a->rank[i].set[d] & b->rank[j].set[d]);
	return n;
}

int64_t oracle_lacking(const struct holdings *src, const struct holdings *dst, int rank)
{
	return oracle_held(dst, rank) - common(src, rank, dst, rank);
}

/* Marks what a rank holds of both, element by element. */
static void mark(const struct holdings *a, const struct holdings *b, int rank, bool *marked)
{
	const struct holding *x = &a->rank[rank], *y = &b->rank[rank];
	int64_t volume = oracle_volume(a->type);
	for (int64_t e = 0; x->on && y->on && e < volume; e++) {
		int64_t rest = e;
		bool both = true;
		for (int d = dims(a->type) - 1; d >= 0; d--) {
			both = both && (x->set[d] & y->set[d]) >> (rest % dim(a->type, d)) & 1;
			rest /= dim(a->type, d);
		}
		marked[e] |= both;
	}
}

/* Elements of which some rank has a part and wants the whole. */
static int64_t met(const struct holdings *src, const struct holdings *dst)
{
	bool marked[ORACLE_MOST_ELEMENTS] = {false};
	int64_t n = 0;
	for (int r = 0; r < src->ranks; r++)
		mark(src, dst, r, marked);
	for (int64_t e = 0; e < oracle_volume(src->type); e++)
		n += marked[e];
	return n;
}

/* Finished values to parts: each element goes to one part, best to one whose ranks have it. */
static int64_t least_to_parts(const struct holdings *src, const struct holdings *dst)
{
	int64_t total = 0;
	for (int64_t e = 0; e < oracle_volume(src->type); e++) {
		int lacks[ORACLE_MOST_RANKS] = {0}, best = ORACLE_MOST_RANKS;
		for (int r = 0; r < src->ranks; r++) {
			const struct holding *x = &src->rank[r], *y = &dst->rank[r];
			int64_t rest = e;
			bool has = x->on, wants = y->on;
			for (int d = dims(src->type) - 1; d >= 0; d--) {
				has = has && x->set[d] >> (rest % dim(src->type, d)) & 1;
				wants = wants && y->set[d] >> (rest % dim(src->type, d)) & 1;
				rest /= dim(src->type, d);
			}
			lacks[y->part] += wants && !has;
		}
		for (int p = 0; p < dst->parts; p++)
			best = lacks[p] < best ? lacks[p] : best;
		total += best;
	}
	return total;
}

/* One placement, and nothing split before: the groups that scatter sums each for itself, one axis of P becoming S; 0:
 * other cases. */
static int64_t groups_apart(const struct pmlrt_program *program, const struct holdings *src, const struct holdings *dst)
{
	const struct pmlrt_place *p = &program->places[src->type->place];
	const struct shard_atom *from = src->type->atom, *to = dst->type->atom;
	int64_t groups = 1;
	int finished = 0;
	if (src->type->place != dst->type->place)
		return 0;
	for (int a = 0; a < p->naxes; a++) {
		if (p->extent[a] == 1)
			continue;
		if (from[a].kind == SHARD_S)
			return 0;
		finished += from[a].kind == SHARD_P ? to[a].kind == SHARD_B ? 2 : 1 : 0;
		groups *= from[a].kind == SHARD_B && to[a].kind == SHARD_B ? p->extent[a] : 1;
		if (from[a].kind == SHARD_B && to[a].kind != SHARD_B)
			finished = 2; /* sliced as well: all at once */
	}
	return finished == 1 ? groups : 1;
}

struct bounds oracle_bounds(const struct pmlrt_program *program, const struct holdings *src, const struct holdings *dst)
{
	struct bounds b = {0, 0};
	int64_t wanted = 0, volume = oracle_volume(src->type), k = src->parts;
	for (int r = 0; r < src->ranks; r++) {
		wanted += oracle_held(dst, r);
		b.least += oracle_lacking(src, dst, r);
	}
	if (!src->partial && !dst->partial) {
		b.most = b.least;
		return b;
	}
	if (!src->partial) {
		b.least = least_to_parts(src, dst);
		b.most = volume * dst->replicas;
		return b;
	}
	if (dst->partial) {
		b.least = 0;
		b.most = volume * (k + dst->parts * (dst->replicas - 1));
		return b;
	}
	b.least = volume * (k - 1) + wanted - met(src, dst);
	b.most = volume * (k - 1) + wanted;
	int64_t groups = groups_apart(program, src, dst);
	if (groups)
		b.most = b.least + volume * (k - 2) * (groups - 1);
	return b;
}

static bool holds_element(const struct holdings *h, int rank, int64_t e)
{
	bool holds = h->rank[rank].on;
	for (int d = dims(h->type) - 1; d >= 0; d--) {
		holds = holds && h->rank[rank].set[d] >> (e % dim(h->type, d)) & 1;
		e /= dim(h->type, d);
	}
	return holds;
}

/* How often an element crosses between hosts at most, to the ranks of one group or (-1) of all. */
static int64_t crossings(const struct holdings *src, const struct holdings *dst, const int32_t *host, int64_t e,
			 int64_t group)
{
	bool has[ORACLE_MOST_RANKS] = {false}, wants[ORACLE_MOST_RANKS] = {false}; /* by host */
	int64_t having = 0, wanting = 0, lacking = 0, met = 0;
	for (int r = 0; r < src->ranks; r++)
		if (group < 0 || (src->rank[r].on && src->rank[r].replica == group)) {
			has[host[r]] |= holds_element(src, r, e);
			wants[host[r]] |= holds_element(dst, r, e);
		}
	for (int h = 0; h < src->ranks; h++) {
		having += has[h];
		wanting += wants[h];
		lacking += wants[h] && !has[h];
		met |= wants[h] && has[h];
	}
	if (!src->partial)
		return lacking;
	return having + wanting - 1 - (group >= 0 ? met : 0);
}

int64_t oracle_crossing(const struct pmlrt_program *program, const struct holdings *src, const struct holdings *dst,
			const int32_t *host)
{
	int64_t crossing = 0, groups = src->partial && !dst->partial ? groups_apart(program, src, dst) : 0;
	for (int64_t e = 0; e < oracle_volume(src->type); e++) {
		int64_t together = crossings(src, dst, host, e, -1), apart = 0;
		for (int64_t g = 0; groups > 1 && g < groups; g++)
			apart += crossings(src, dst, host, e, g);
		crossing += apart > together ? apart : together;
	}
	return crossing;
}

/* How the ranks of two sides lie to each other. */
static int common_ranks(const struct holdings *a, const struct holdings *b)
{
	int n = 0;
	for (int r = 0; r < a->ranks; r++)
		n += a->rank[r].on && b->rank[r].on;
	return n;
}

/* One placement: from P the result is on ranks that all have a part; S(i) to S(j) is exact for even shards only, and
 * left to the index sets. */
static int64_t listed_same(enum shard_kind from, enum shard_kind to, bool alike, int64_t p, int64_t t)
{
	if (from == SHARD_P)
		return to == SHARD_P ? (alike ? 0 : (p - 1) * t) : to == SHARD_B ? 2 * (p - 1) * t : (p - 1) * t;
	return from == SHARD_B || to == SHARD_P ? 0 : to == SHARD_B ? (p - 1) * t : -1;
}

static int64_t listed_apart(enum shard_kind from, enum shard_kind to, int64_t p, int64_t q, int64_t t)
{
	if (from == SHARD_P)
		return to == SHARD_B ? (p + q - 1) * t : p * t;
	return to == SHARD_B ? q * t : t;
}

int64_t oracle_listed(const struct pmlrt_program *program, const struct holdings *src, const struct holdings *dst)
{
	const struct pmlrt_place *p = &program->places[src->type->place], *q = &program->places[dst->type->place];
	enum shard_kind from = src->type->atom[0].kind, to = dst->type->atom[0].kind;
	int64_t t = oracle_volume(src->type);
	if (p->naxes > 1 || q->naxes > 1)
		return -1;
	if (common_ranks(src, dst) == 0)
		return listed_apart(from, to, p->count, q->count, t);
	return p == q ? listed_same(from, to, src->combiner == dst->combiner, p->count, t) : -1;
}
