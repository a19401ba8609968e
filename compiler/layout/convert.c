/* convert.c — see convert.h. The tree is found by a table over sets of layouts: a set is reached from a smaller one by
 * adding one layout, converted from the cheapest of those already there. */
#include "convert.h"

#include "../op/windows.h"
#include "owners.h"
#include "routes.h"
#include "timing.h"

#include "base/memo.h"

#include <string.h>

/* One remembered answer; answers of equal hash form a list. */
struct answer {
	enum dtype t;
	struct shape shape;
	const struct place *from, *to;
	struct layout a, b;
	int64_t bytes, work, ps; /* work: bytes of the busiest rank; ps: by c->timing, 0: nobody has asked */
	struct answer *next;
};

enum { MOST_INNER = 48 }; /* layouts of one value that may serve others */

struct convert_costs {
	struct arena *arena;
	bool wide_sums;
	struct map answers;
	struct memo shares;  /* of layouts asked about: equal ones are one */
	struct memo numbers; /* of layouts on their placement, and of element types and shapes: each its own */
	struct map pairs;    /* what a conversion costs, by three such numbers */
	uint64_t count;      /* of numbers */
	struct route_steps *steps;
	struct timing *timing; /* NULL: bytes */
};

struct convert_costs *convert_costs_new(struct arena *a, bool wide_sums)
{
	struct convert_costs *c = ARENA_NEW(a, struct convert_costs);
	c->arena = a;
	c->wide_sums = wide_sums;
	map_init(&c->answers, a);
	memo_init(&c->shares, a);
	memo_init(&c->numbers, a);
	map_init(&c->pairs, a);
	c->steps = route_steps_new(a);
	return c;
}

void convert_costs_by_time(struct convert_costs *c, struct timing *t)
{
	c->timing = t;
	map_init(&c->pairs, c->arena);
}

static uint64_t hash_layout(uint64_t h, const struct place *p, const struct layout *l)
{
	uint64_t word[sizeof *l->atom / sizeof(uint64_t)];
	_Static_assert(sizeof word == sizeof *l->atom, "an atom is whole words");
	for (int a = 0; a < p->naxes; a++) {
		memcpy(word, &l->atom[a], sizeof word);
		for (size_t i = 0; i < sizeof word / sizeof *word; i++)
			h = hash_number(h, word[i]);
	}
	return h;
}

static uint64_t answer_hash(const struct answer *x)
{
	uint64_t h = hash_number(HASH_SEED, (uint64_t)x->t);
	for (int d = 0; d < x->shape.rank; d++)
		h = hash_number(h, (uint64_t)x->shape.dim[d]);
	h = hash_layout(hash_number(h, (uint64_t)x->from->id), x->from, &x->a);
	return hash_layout(hash_number(h, (uint64_t)x->to->id), x->to, &x->b);
}

static bool answer_equal(const struct answer *x, const struct answer *y)
{
	return x->t == y->t && x->from == y->from && x->to == y->to && !memcmp(&x->shape, &y->shape, sizeof x->shape) &&
	       !memcmp(&x->a, &y->a, sizeof x->a) && !memcmp(&x->b, &y->b, sizeof x->b);
}

static bool has_sum(const struct place *p, const struct layout *l)
{
	for (int a = 0; a < p->naxes; a++)
		if (l->atom[a].kind == SHARD_P && l->atom[a].combiner == SHARD_SUM)
			return true;
	return false;
}

static bool is_widened(const struct convert_costs *c, enum dtype t, const struct place *p, const struct layout *l)
{
	return c->wide_sums && dtype_is_float(t) && has_sum(p, l);
}

static bool is_free(const struct shape *s, const struct place *from, const struct layout *a, const struct place *to,
		    const struct layout *b)
{
	return from == to && (layout_same(from, a, b) || layout_converts_freely(from, s, a, b));
}

/* Bytes of the rank that gets most. */
static int64_t work_of(enum dtype t, const struct shape *s, const struct place *to, const struct layout *b)
{
	struct shape local = layout_largest_shape(to, b, s);
	int64_t work;
	return __builtin_mul_overflow(shape_volume(&local), dtype_size(t), &work) ? INT64_MAX : work;
}

/* What is remembered has shares that stay: those of who asks may end with a pass, and others stand in their place then.
 */
static struct answer *answer_of(struct convert_costs *c, enum dtype t, const struct shape *s, const struct place *from,
				const struct layout *a, const struct place *to, const struct layout *b)
{
	struct answer x = {.t = t, .from = from, .to = to, .a = *a, .b = *b};
	layout_intern_shares(&c->shares, from, &x.a);
	layout_intern_shares(&c->shares, to, &x.b);
	x.shape.rank = s->rank;
	memcpy(x.shape.dim, s->dim, sizeof *s->dim * (size_t)s->rank);
	uint64_t key = answer_hash(&x);
	struct answer *first = map_get_u64(&c->answers, key);
	for (struct answer *y = first; y; y = y->next)
		if (answer_equal(&x, y))
			return y;
	bool is_wide = is_widened(c, t, from, a);
	struct answer *y = ARENA_NEW(c->arena, struct answer);
	*y = x;
	y->bytes = is_free(s, from, a, to, b) ? 0 : route_bytes(c->steps, is_wide ? DT_I64 : t, s, from, a, to, b);
	y->work = work_of(t, s, to, b);
	y->next = first;
	map_set_u64(&c->answers, key, y);
	return y;
}

int64_t convert_bytes(struct convert_costs *c, enum dtype t, const struct shape *s, const struct place *from,
		      const struct layout *a, const struct place *to, const struct layout *b)
{
	return is_free(s, from, a, to, b) ? 0 : answer_of(c, t, s, from, a, to, b)->bytes;
}

/* Not 0; what takes a quarter of an hour is as bad as all that takes longer. */
static int64_t picoseconds(double ns)
{
	const double most = 1e15;
	return (int64_t)(1000 * ns < most ? 1000 * ns : most) + 1;
}

struct cost convert_cost(struct convert_costs *c, enum dtype t, const struct shape *s, const struct place *from,
			 const struct layout *a, const struct place *to, const struct layout *b)
{
	if (!layout_can_become(from, a, to, b))
		return (struct cost){.forbidden = true};
	struct answer *known = answer_of(c, t, s, from, a, to, b);
	struct cost cost = {.bytes = known->bytes, .work = known->work};
	if (cost.bytes && c->timing) {
		if (!known->ps)
			known->ps = picoseconds(c->timing->way(c->timing, t, s, from, a, to, b));
		cost.bytes = known->ps;
	}
	return cost_add(cost, (struct cost){.work = cost.bytes ? WORK_PER_TRANSFER : 0});
}

bool convert_parts_split(const struct place *p, const struct shape *s, int number, struct layout *l)
{
	for (int a = 0; a < p->naxes; a++) {
		if (l->atom[a].kind != SHARD_P)
			continue;
		l->atom[a] = (struct shard_atom){.kind = SHARD_S, .dim = (int8_t)(number % s->rank)};
		number /= s->rank;
	}
	return number == 0;
}

/* What each rank receives is at most what it is to have. */
static struct cost cost_of_return(struct convert_costs *c, enum dtype t, const struct shape *s, const struct place *p,
				  const struct layout *a, const struct layout *b)
{
	struct cost cost = {.bytes = redist_rows_spread(t, s, p, a, b), .work = work_of(t, s, p, b)};
	if (c->timing)
		cost.bytes = picoseconds(c->timing->returned(c->timing, t, s, p, a, b));
	return cost_add(cost, (struct cost){.work = WORK_PER_TRANSFER});
}

struct cost convert_returned(struct convert_costs *c, enum dtype t, const struct shape *s, const struct place *p,
			     const struct layout *a, const struct wanted *to, struct layout *via, bool *has_via)
{
	enum { MOST_BETWEEN = 96 };
	struct cost least = {.forbidden = true};
	struct layout l = *a;
	for (int i = 0; s->rank && i < MOST_BETWEEN && convert_parts_split(p, s, i, &l); i++, l = *a) {
		if (atoms_mix(p->naxes, l.atom) || !owners_return(p, &l, &to->layout, to->owning))
			continue;
		bool between = !layout_equal(p, a, &l);
		if (between && is_widened(c, t, p, a)) /* what is finished is rounded behind its last movement */
			continue;
		struct cost cost = cost_times(cost_of_return(c, t, s, p, &l, &to->layout), to->readers);
		cost = between ? cost_add(cost, convert_cost(c, t, s, p, a, p, &l)) : cost;
		if (!cost_less(cost, least))
			continue;
		least = cost;
		*has_via = between;
		*via = l;
	}
	return least;
}

/* The number of what the key of c->numbers says. */
static uint64_t number_of_key(struct convert_costs *c)
{
	void **known = memo_find(&c->numbers);
	if (!*known) {
		uint64_t *number = ARENA_NEW(c->arena, uint64_t);
		*number = c->count++;
		*known = number;
	}
	return *(const uint64_t *)*known;
}

static uint64_t number_of_type(struct convert_costs *c, enum dtype t, const struct shape *s)
{
	memo_begin(&c->numbers);
	memo_add(&c->numbers, (uint64_t)t << 8 | (uint64_t)s->rank);
	for (int d = 0; d < s->rank; d++)
		memo_add(&c->numbers, (uint64_t)s->dim[d]);
	return number_of_key(c);
}

/* Keys begin with a word that no type's does. */
static uint64_t number_of_layout(struct convert_costs *c, const struct place *p, const struct layout *l)
{
	memo_begin(&c->numbers);
	memo_add(&c->numbers, UINT64_MAX);
	memo_add_pointer(&c->numbers, p);
	layout_add_key(&c->numbers, p, l);
	return number_of_key(c);
}

/* As convert_cost, where many layouts are looked at with each other: what they are is known by numbers. */
static struct cost cost_between(struct convert_costs *c, enum dtype t, const struct shape *s, const struct place *p,
				const struct layout *a, const struct layout *b, const uint64_t number[3])
{
	enum { BITS = 21 };
	if (c->count >> BITS)
		return convert_cost(c, t, s, p, a, p, b);
	uint64_t key = number[0] << 2 * BITS | number[1] << BITS | number[2];
	struct cost *known = map_get_u64(&c->pairs, key);
	if (!known) {
		known = ARENA_NEW(c->arena, struct cost);
		*known = convert_cost(c, t, s, p, a, p, b);
		map_set_u64(&c->pairs, key, known);
	}
	return *known;
}

/* Costs between the layouts wanted; row n is the layout the value is made in. */
struct costs_between {
	int n;
	struct cost at[MAX_WANTED + 1][MAX_WANTED];
};

/* The cheapest way to reach `next` from the value or the layouts in `set`; ties go to the value, then to the first. */
static struct cost cheapest(const struct costs_between *between, unsigned set, int next, int *from)
{
	struct cost best = between->at[between->n][next];
	*from = -1;
	for (int i = 0; i < between->n; i++)
		if (set >> i & 1 && cost_less(between->at[i][next], best)) {
			best = between->at[i][next];
			*from = i;
		}
	return best;
}

/* The same of layouts that may be converted further. */
static struct cost tree_of(struct convert_costs *c, enum dtype t, const struct shape *s, const struct place *p,
			   const struct layout *made, int n, const struct layout *wanted, int *parent)
{
	struct costs_between between;
	struct cost total[1 << MAX_WANTED], beyond = {0};
	int8_t last[1 << MAX_WANTED];
	uint64_t number[MAX_WANTED + 1], type = number_of_type(c, t, s);
	int from;
	for (; n > MAX_WANTED; n--) {
		parent[n - 1] = -1;
		beyond = cost_add(beyond, convert_cost(c, t, s, p, made, p, &wanted[n - 1]));
	}
	between.n = n;
	for (int i = 0; i <= n; i++)
		number[i] = number_of_layout(c, p, i < n ? &wanted[i] : made);
	for (int i = 0; i <= n; i++)
		for (int k = 0; k < n; k++)
			if (i != k)
				between.at[i][k] = cost_between(c, t, s, p, i < n ? &wanted[i] : made, &wanted[k],
								(uint64_t[]){type, number[i], number[k]});
	total[0] = (struct cost){0};
	for (unsigned set = 1; set < 1u << n; set++) {
		total[set].forbidden = true; /* none yet */
		for (int k = n - 1; k >= 0; k--) {
			unsigned rest = set & ~(1u << k);
			if (rest == set)
				continue;
			struct cost sum = cost_add(total[rest], cheapest(&between, rest, k, &from));
			if (!cost_less(sum, total[set]))
				continue;
			total[set] = sum;
			last[set] = (int8_t)k;
		}
	}
	for (unsigned set = (1u << n) - 1; set; set &= ~(1u << last[set]))
		cheapest(&between, set & ~(1u << last[set]), last[set], &parent[last[set]]);
	return cost_add(total[(1u << n) - 1], beyond);
}

void wanted_join(struct wanted *w, const struct wanted *more)
{
	w->readers = w->readers && more->readers ? w->readers + more->readers : 0;
	w->owning &= more->owning;
}

int wanted_add(const struct place *p, int n, struct wanted *list, const struct wanted *w)
{
	for (int i = 0; i < n; i++) {
		if (!layout_same(p, &list[i].layout, &w->layout))
			continue;
		wanted_join(&list[i], w);
		return n;
	}
	list[n] = *w;
	return n + 1;
}

/* The least layout in which a rank has what both windows read. */
static bool join(const struct shape *s, const struct place *p, const struct layout *x, const struct layout *y,
		 struct layout *hull)
{
	if (!layout_has_window(p, x) || !layout_has_window(p, y))
		return false;
	*hull = *x;
	for (int a = 0; a < p->naxes; a++)
		if (!atom_equal(x->atom[a], y->atom[a]) && !atom_hull(x->atom[a], y->atom[a], s->dim, &hull->atom[a]))
			return false;
	return true;
}

int convert_join_windows(struct convert_costs *c, enum dtype t, const struct shape *s, const struct place *p,
			 const struct layout *made, int n, struct wanted *wanted)
{
	struct layout hull;
	for (int i = 1; i < n; i++)
		for (int k = 0; k < i; k++) {
			if (!join(s, p, &wanted[k].layout, &wanted[i].layout, &hull))
				continue;
			struct cost apart = cost_add(convert_cost(c, t, s, p, made, p, &wanted[k].layout),
						     convert_cost(c, t, s, p, made, p, &wanted[i].layout));
			if (cost_less(apart, convert_cost(c, t, s, p, made, p, &hull)))
				continue;
			wanted[k].layout = hull;
			wanted[i] = wanted[--n];
			i = 0; /* the hull may be joined with one that neither was */
			break;
		}
	return n;
}

bool convert_serves(const struct shape *s, const struct place *p, const struct layout *has, const struct layout *need)
{
	bool serves = layout_has_window(p, has) && layout_has_window(p, need);
	for (int a = 0; a < p->naxes && serves; a++)
		serves = p->extent[a] == 1 || atom_serves(has->atom[a], need->atom[a], s->dim);
	return serves;
}

/* Of the layouts that are made whole, in order; `at`: their numbers, as wanted. */
struct inner {
	int n;
	struct layout layout[MOST_INNER];
	int at[MOST_INNER];
};

/* The least way to what ends there, from the value or what is had of it: a window, or rows that go to their owners. */
static struct cost cost_of_end(struct convert_costs *c, enum dtype t, const struct shape *s, const struct place *p,
			       const struct layout *made, const struct inner *had, const struct wanted *to,
			       bool returns, int *parent)
{
	struct cost least = {.forbidden = true};
	struct layout via;
	bool has_via;
	for (int k = -1; k < had->n; k++) {
		const struct layout *from = k < 0 ? made : &had->layout[k];
		struct cost way = returns ? convert_returned(c, t, s, p, from, to, &via, &has_via)
					  : convert_cost(c, t, s, p, from, p, &to->layout);
		if (k >= 0 && !cost_less(way, least))
			continue;
		least = way;
		*parent = k < 0 ? -1 : had->at[k];
	}
	return least;
}

/* Windows are the ends of ways: each takes the shortest there is when all else is had; so are rows that go to their
 * owners, of which `returned` has a bit. What is beyond so many layouts is converted from the value itself. */
static struct cost tree_returning(struct convert_costs *c, enum dtype t, const struct shape *s, const struct place *p,
				  const struct layout *made, int n, const struct wanted *wanted, uint64_t returned,
				  int *parent)
{
	struct inner inner = {0};
	int above[MOST_INNER];
	struct cost total = {0};
	for (int i = 0; i < n; i++) {
		bool ends = layout_has_window(p, &wanted[i].layout) || (i < 64 && returned >> i & 1);
		parent[i] = -1;
		if (!ends && inner.n == MOST_INNER)
			total = cost_add(total, convert_cost(c, t, s, p, made, p, &wanted[i].layout));
		if (ends || inner.n == MOST_INNER)
			continue;
		inner.at[inner.n] = i;
		inner.layout[inner.n++] = wanted[i].layout;
	}
	total = cost_add(total, tree_of(c, t, s, p, made, inner.n, inner.layout, above));
	for (int i = 0; i < inner.n; i++)
		parent[inner.at[i]] = above[i] < 0 ? -1 : inner.at[above[i]];
	for (int i = 0; i < n; i++) {
		bool returns = i < 64 && returned >> i & 1;
		if (returns || layout_has_window(p, &wanted[i].layout))
			total = cost_add(total, cost_of_end(c, t, s, p, made, &inner, &wanted[i], returns, &parent[i]));
	}
	return total;
}

/* The layouts that rows may go to their owners instead of, as bits, not more than a few. */
static uint64_t returnable(int n, const struct wanted *wanted)
{
	enum { MOST_RETURNED = 4 };
	uint64_t set = 0;
	for (int i = 0; i < n && i < 64 && __builtin_popcountll(set) < MOST_RETURNED; i++)
		set |= (uint64_t)(wanted[i].readers > 0 && wanted[i].owning) << i;
	return set;
}

struct cost convert_tree(struct convert_costs *c, enum dtype t, const struct shape *s, const struct place *p,
			 const struct layout *made, int n, const struct wanted *wanted, int *parent)
{
	struct cost least = tree_returning(c, t, s, p, made, n, wanted, 0, parent);
	uint64_t all = returnable(n, wanted);
	struct arena *scratch = all ? arena_new("layout: returned") : NULL;
	int *other = all ? ARENA_ARRAY(scratch, int, n) : NULL;
	for (uint64_t some = all; some; some = (some - 1) & all) {
		struct cost cost = tree_returning(c, t, s, p, made, n, wanted, some, other);
		if (!cost_less(cost, least))
			continue;
		least = cost;
		memcpy(parent, other, sizeof *parent * (size_t)n);
	}
	if (scratch)
		arena_free(scratch);
	return least;
}
