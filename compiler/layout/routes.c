/* routes.c — see routes.h. Between S and B one exchange sends what is missing and no more, so a way is sought only from
 * parts, where one movement does not reach the least that any can send, or is one message to each of many ranks.
 * Layouts in between are made axis by axis; where these are too many, B axes are split along the longest dimension
 * alone. */
#include "routes.h"

#include "owners.h"
#include "returns.h"

#include "../../runtime/moves/mesh.h"
#include "../program.h"
#include "exchange.h"
#include "timing.h"

#include "base/memo.h"

#include <assert.h>
#include <string.h>

enum { MAX_CANDIDATES = 96, SOME_MESSAGES = 16 };

static bool is_less(const struct route_cost *x, const struct route_cost *y)
{
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes;
	return x->busiest != y->busiest ? x->busiest < y->busiest : x->messages < y->messages;
}

static struct route_cost add(const struct route_cost *x, const struct route_cost *y)
{
	return (struct route_cost){count_add(x->bytes, y->bytes), count_add(x->busiest, y->busiest),
				   count_add(x->messages, y->messages)};
}

/* ---- what movements send ---- */

/* Of one tensor on one place: struct route_cost, of which bytes or messages may be UNKNOWN. */
struct tensor_steps {
	enum dtype dtype;
	struct shape shape;
	const struct place *place;
	struct map even;    /* by the code of both layouts */
	struct memo uneven; /* where one has none */
	struct tensor_steps *next;
};
enum { UNKNOWN = -1 };

struct route_steps {
	struct arena *arena;
	struct map tensors; /* lists of those of equal hash */
};

struct route_steps *route_steps_new(struct arena *a)
{
	struct route_steps *known = ARENA_NEW(a, struct route_steps);
	known->arena = a;
	map_init(&known->tensors, a);
	return known;
}

static struct tensor_steps *steps_of(struct route_steps *known, enum dtype t, const struct shape *s,
				     const struct place *p)
{
	int ids[] = {p->id, (int)t};
	size_t bytes = sizeof *s->dim * (size_t)s->rank;
	uint64_t key = hash_bytes(hash_bytes(HASH_SEED, s->dim, bytes), ids, sizeof ids);
	struct tensor_steps *first = map_get_u64(&known->tensors, key);
	for (struct tensor_steps *x = first; x; x = x->next)
		if (x->dtype == t && x->place == p && x->shape.rank == s->rank && !memcmp(x->shape.dim, s->dim, bytes))
			return x;
	struct tensor_steps *x = ARENA_NEW(known->arena, struct tensor_steps);
	*x = (struct tensor_steps){.dtype = t, .shape = *s, .place = p, .next = first};
	map_init(&x->even, known->arena);
	memo_init(&x->uneven, known->arena);
	map_set_u64(&known->tensors, key, x);
	return x;
}

/* A layout as a number, in front of another; 0: it has none. An axis takes five bits: B, S(d) in equal shares, P, each
 * operation. */
static uint64_t code_behind(uint64_t front, const struct place *p, const struct layout *l)
{
	enum { BITS = 5, SPLIT = 1, PARTS = SPLIT + MAX_RANK };
	static_assert(2 * MAX_AXES * BITS < 64, "two layouts are one key");
	for (int a = 0; a < p->naxes; a++) {
		struct shard_atom x = l->atom[a];
		int code = x.kind == SHARD_B ? 0 : x.kind == SHARD_S ? SPLIT + x.dim : PARTS + x.combiner;
		if (x.kind > SHARD_P || x.shares || code >= 1 << BITS)
			return 0;
		front = front << BITS | (uint64_t)code;
	}
	return front;
}

struct search {
	struct tensor_steps *known; /* NULL: nothing is remembered */
	enum dtype dtype;
	const struct shape *shape;
	struct route_via from, to;
	bool bytes_only;
	struct route_way best; /* so far */
};

/* Layouts in between, with what the first and the last step cost. */
struct candidates {
	int n;
	struct route_via via[MAX_CANDIDATES];
	struct route_cost first[MAX_CANDIDATES], last[MAX_CANDIDATES];
};

static struct route_cost *new_step(struct arena *a)
{
	struct route_cost *c = ARENA_NEW(a, struct route_cost);
	*c = (struct route_cost){.bytes = UNKNOWN, .messages = UNKNOWN};
	return c;
}

/* What is known of layouts in unequal shares is found by all that they have. */
static struct route_cost *uneven_step(struct tensor_steps *known, const struct route_via *a, const struct route_via *b)
{
	struct memo *m = &known->uneven;
	memo_begin(m);
	layout_add_key(m, a->place, &a->layout);
	layout_add_key(m, b->place, &b->layout);
	void **step = memo_find(m);
	if (!*step)
		*step = new_step(m->by_hash.arena);
	return *step;
}

/* What is known of a step; NULL: nothing is remembered of it. */
static struct route_cost *known_step(const struct search *x, const struct route_via *a, const struct route_via *b)
{
	struct tensor_steps *known = x->known;
	if (!known || a->place != known->place || b->place != known->place)
		return NULL;
	uint64_t key = code_behind(1, a->place, &a->layout);
	key = key ? code_behind(key, b->place, &b->layout) : 0;
	if (!key)
		return uneven_step(known, a, b);
	struct route_cost *step = map_get_u64(&known->even, key);
	if (!step) {
		step = new_step(known->even.arena);
		map_set_u64(&known->even, key, step);
	}
	return step;
}

static void find_bytes(const struct search *x, const struct route_via *a, const struct route_via *b,
		       struct route_cost *c)
{
	c->bytes = redist_plan(x->dtype, x->shape, a->place, &a->layout, b->place, &b->layout).bytes_total;
}

static void find_cost(const struct search *x, const struct route_via *a, const struct route_via *b,
		      struct route_cost *c)
{
	struct redist r = redist_plan(x->dtype, x->shape, a->place, &a->layout, b->place, &b->layout);
	*c = (struct route_cost){.bytes = r.bytes_total};
	if (!c->bytes)
		return;
	c->busiest = redist_bytes_received(&r, x->dtype, x->shape, a->place, &a->layout, b->place, &b->layout,
					   place_rank(b->place, 0));
	c->messages = redist_messages(&r, x->shape, a->place, &a->layout, b->place, &b->layout);
}

static struct route_cost step_cost(const struct search *x, const struct route_via *a, const struct route_via *b)
{
	struct route_cost forgotten = {.bytes = UNKNOWN, .messages = UNKNOWN}, *known = known_step(x, a, b);
	struct route_cost *c = known ? known : &forgotten;
	if (!x->bytes_only && c->messages == UNKNOWN)
		find_cost(x, a, b, c);
	else if (c->bytes == UNKNOWN)
		find_bytes(x, a, b, c);
	return x->bytes_only ? (struct route_cost){.bytes = c->bytes} : *c;
}

/* ---- layouts in between ---- */

static bool uses(const struct route_via *v, enum shard_kind kind)
{
	for (int a = 0; a < v->place->naxes; a++)
		if (v->place->extent[a] > 1 && v->layout.atom[a].kind == kind)
			return true;
	return false;
}

static int longest(const struct shape *s)
{
	int d = 0;
	for (int i = 1; i < s->rank; i++)
		d = s->dim[i] > s->dim[d] ? i : d;
	return d;
}

struct choices {
	int n[MAX_AXES];
	struct shard_atom atom[MAX_AXES][MAX_RANK + 2];
};

static void add_choice(struct choices *o, int axis, struct shard_atom atom)
{
	for (int i = 0; i < o->n[axis]; i++)
		if (atom_equal(o->atom[axis][i], atom))
			return;
	o->atom[axis][o->n[axis]++] = atom;
}

/* On each axis what it is in the beginning and in the end, or split. */
static struct choices list_choices(const struct search *x, const struct place *p, const struct layout *a,
				   const struct layout *b, bool all)
{
	struct choices o = {.n = {0}};
	for (int axis = 0; axis < p->naxes; axis++) {
		struct shard_atom from = a->atom[axis], to = b->atom[axis];
		add_choice(&o, axis, from);
		if (p->extent[axis] == 1)
			continue;
		add_choice(&o, axis, to);
		for (int d = 0; d < x->shape->rank; d++)
			if (x->shape->dim[d] >= p->extent[axis] && (all || d == longest(x->shape)))
				add_choice(&o, axis, (struct shard_atom){.kind = SHARD_S, .dim = (int8_t)d});
	}
	return o;
}

static int64_t count_choices(const struct choices *o, int naxes)
{
	int64_t n = 1;
	for (int a = 0; a < naxes; a++)
		n = count_mul(n, o->n[a]);
	return n;
}

static bool is_candidate(const struct search *x, const struct route_via *v)
{
	const struct route_via *ends[] = {&x->from, &x->to};
	for (int i = 0; i < 2; i++)
		if (v->place == ends[i]->place && layout_same(v->place, &v->layout, &ends[i]->layout))
			return false;
	return !atoms_mix(v->place->naxes, v->layout.atom);
}

static void list_candidates(const struct search *x, struct candidates *l)
{
	const struct place *p = x->from.place;
	const struct layout *a = &x->from.layout, *b = &x->to.layout;
	struct choices o = list_choices(x, p, a, b, true);
	if (count_choices(&o, p->naxes) > MAX_CANDIDATES)
		o = list_choices(x, p, a, b, false);
	int64_t count = count_choices(&o, p->naxes);
	l->n = 0;
	for (int64_t i = 0; i < count && l->n < MAX_CANDIDATES; i++) {
		struct route_via *v = &l->via[l->n];
		int64_t rest = i;
		*v = (struct route_via){p, *b};
		for (int axis = 0; axis < p->naxes; axis++) {
			v->layout.atom[axis] = o.atom[axis][rest % o.n[axis]];
			rest /= o.n[axis];
		}
		l->n += is_candidate(x, v);
	}
}

/* ---- the search ---- */

static bool is_nested(const struct route_via *v)
{
	unsigned dims = 0;
	for (int a = 0; a < v->place->naxes; a++) {
		if (v->place->extent[a] == 1 || v->layout.atom[a].kind != SHARD_S)
			continue;
		if (dims >> v->layout.atom[a].dim & 1)
			return true;
		dims |= 1u << v->layout.atom[a].dim;
	}
	return false;
}

/* Bytes of elements that no rank both has a part of and wants: the axes that split before and after put them apart. */
static int64_t bytes_apart(const struct search *x)
{
	struct layout from = layout_broadcast(), to = layout_broadcast();
	const struct place *p = x->from.place;
	int64_t others = 1;
	if (is_nested(&x->from) || is_nested(&x->to))
		return 0;
	for (int a = 0; a < p->naxes; a++)
		if (x->from.layout.atom[a].kind == SHARD_S && x->to.layout.atom[a].kind == SHARD_S) {
			from.atom[a] = x->from.layout.atom[a];
			to.atom[a] = x->to.layout.atom[a];
		} else {
			others = count_mul(others, p->extent[a]);
		}
	return redist_plan(x->dtype, x->shape, p, &from, p, &to).bytes_total / others;
}

static int64_t copies(const struct route_via *v, enum shard_kind kind)
{
	int64_t n = 1;
	for (int a = 0; a < v->place->naxes; a++)
		n = count_mul(n, v->layout.atom[a].kind == kind ? v->place->extent[a] : 1);
	return n;
}

/* No way from one layout to another sends less, whatever lies between: of every element k contributions become q parts,
 * each new one added up where one of its contributions lies and sent to the others who want it; where no parts are
 * added up, who wants copies beyond those that there are gets them. */
static int64_t least_bytes(const struct search *x, const struct route_via *from, const struct route_via *to)
{
	int64_t had = copies(from, SHARD_P), left = copies(to, SHARD_P), wanted = copies(to, SHARD_B);
	int64_t volume = shape_volume(x->shape) * dtype_size(x->dtype);
	if (had > left)
		return count_mul(volume, count_add(had - left, wanted) - 1);
	int64_t more = wanted - copies(from, SHARD_B);
	return had == left && more > 0 ? count_mul(volume, more) : 0;
}

static void take(struct search *x, int n, const struct route_via *first, const struct route_via *second,
		 const struct route_cost *cost)
{
	if (!is_less(cost, &x->best.cost))
		return;
	x->best = (struct route_way){.n = n, .cost = *cost};
	x->best.via[0] = *first;
	if (n > 1)
		x->best.via[1] = *second;
}

/* Whether so many bytes are too many. Where nothing else counts, as many as the best has are. */
static bool is_too_much(const struct search *x, int64_t bytes)
{
	return bytes > x->best.cost.bytes || (x->bytes_only && bytes == x->best.cost.bytes);
}

static void search_one(struct search *x, struct candidates *l)
{
	for (int i = 0; i < l->n; i++) {
		const struct route_via *v = &l->via[i];
		int64_t rest = least_bytes(x, v, &x->to);
		l->first[i] = l->last[i] = (struct route_cost){.bytes = INT64_MAX};
		if (is_too_much(x, count_add(least_bytes(x, &x->from, v), rest)))
			continue; /* nor can it be the first or the last of two */
		l->first[i] = step_cost(x, &x->from, v);
		if (is_too_much(x, count_add(l->first[i].bytes, rest)))
			continue;
		l->last[i] = step_cost(x, v, &x->to);
		struct route_cost c = add(&l->first[i], &l->last[i]);
		take(x, 1, v, NULL, &c);
	}
}

/* Of three steps the first or the last is a slice, or keeps what is whole as a part: one that moves nothing. */
static void search_two(struct search *x, const struct candidates *l)
{
	for (int i = 0; i < l->n; i++)
		for (int k = 0; k < l->n && !is_too_much(x, l->first[i].bytes); k++) {
			const struct route_via *v = &l->via[i], *u = &l->via[k];
			struct route_cost ends = add(&l->first[i], &l->last[k]);
			if (i == k || (l->first[i].bytes && l->last[k].bytes) || is_too_much(x, l->last[k].bytes) ||
			    !is_less(&ends, &x->best.cost) ||
			    is_too_much(x, count_add(ends.bytes, least_bytes(x, v, u))))
				continue;
			struct route_cost between = step_cost(x, v, u);
			ends = add(&ends, &between);
			take(x, 2, v, u, &ends);
		}
}

static bool has_steps(const struct route_via *from, const struct route_via *to)
{
	return uses(from, SHARD_P) && place_same_mesh(from->place, to->place) &&
	       !layout_has_window(from->place, &from->layout) && !layout_has_window(to->place, &to->layout);
}

bool route_has_steps(const struct place *from, const struct layout *a, const struct place *to, const struct layout *b)
{
	const struct route_via begin = {from, *a}, end = {to, *b};
	return has_steps(&begin, &end);
}

/* Whether another way could be better than the best so far. An all-reduce is none of messages to each other rank. */
static bool may_gain(const struct search *x)
{
	const struct route_cost *c = &x->best.cost;
	if (c->bytes == 0 || c->bytes == INT64_MAX || !has_steps(&x->from, &x->to))
		return false;
	if (uses(&x->to, SHARD_P) || c->bytes > count_add(least_bytes(x, &x->from, &x->to), bytes_apart(x)))
		return true;
	if (x->bytes_only)
		return false;
	enum redist_method m = redist_method_of(x->shape, x->from.place, &x->from.layout, x->to.place, &x->to.layout);
	return m == REDIST_REDUCE_SEND && c->messages > SOME_MESSAGES;
}

static struct route_way find(struct search *x)
{
	x->best.cost = step_cost(x, &x->from, &x->to);
	if (!may_gain(x))
		return x->best;
	struct candidates l;
	list_candidates(x, &l);
	search_one(x, &l);
	if (may_gain(x))
		search_two(x, &l);
	return x->best;
}

struct route_way route_find(struct route_steps *known, enum dtype dtype, const struct shape *s,
			    const struct place *from, const struct layout *a, const struct place *to,
			    const struct layout *b)
{
	struct search x = {.dtype = dtype, .shape = s, .from = {from, *a}, .to = {to, *b}};
	x.known = known ? steps_of(known, dtype, s, from) : NULL;
	return find(&x);
}

int64_t redist_bytes(enum dtype dtype, const struct shape *s, const struct place *from, const struct layout *a,
		     const struct place *to, const struct layout *b)
{
	struct search x = {.dtype = dtype, .shape = s, .from = {from, *a}, .to = {to, *b}, .bytes_only = true};
	return find(&x).cost.bytes;
}

int64_t route_bytes(struct route_steps *known, enum dtype dtype, const struct shape *s, const struct place *from,
		    const struct layout *a, const struct place *to, const struct layout *b)
{
	struct search x = {.dtype = dtype, .shape = s, .from = {from, *a}, .to = {to, *b}, .bytes_only = true};
	x.known = steps_of(known, dtype, s, from);
	return find(&x).cost.bytes;
}

/* ---- written down ---- */

static double movement_time(struct timing *t, const struct node *n, const struct route_via *from,
			    const struct route_via *to)
{
	return t->movement(t, n->dtype, &n->shape, from->place, &from->layout, to->place, &to->layout);
}

/* Whether the steps take less time on the machine than one movement. */
static bool is_faster(struct timing *t, const struct node *n, const struct route_way *way)
{
	struct route_via begin = {n->in[0]->place, n->in[0]->layout}, end = {n->place, n->layout}, at = begin;
	double steps = 0;
	for (int i = 0; i <= way->n; i++) {
		const struct route_via *next = i < way->n ? &way->via[i] : &end;
		steps += movement_time(t, n, &at, next);
		at = *next;
	}
	return steps < movement_time(t, n, &begin, &end);
}

static struct node *write_step(struct graph *g, const struct node *n, struct node *x, const struct route_via *via)
{
	struct node_site at = node_site_of(n);
	struct node *step = graph_moved(g, &at, x, via->place, &via->layout);
	step->name = n->name ? n->name : n->in[0]->name;
	return step;
}

/* Rows that the indices say the owner of go from their owners first, into this layout, and on from there: the bytes;
 * INT64_MAX: they do not. */
static int64_t bytes_by_rows(const struct node *n, const struct route_via *first)
{
	const struct node *x = n->in[0];
	struct owners owners;
	if (!owners_find(x, first->place, &first->layout, &owners))
		return INT64_MAX;
	struct redist rows = redist_rows(n->dtype, &n->shape, x->place, &x->layout, first->place, &first->layout);
	return count_add(rows.bytes_total,
			 redist_bytes(n->dtype, &n->shape, first->place, &first->layout, n->place, &n->layout));
}

/* Of the layouts that parts may be given first, that of a number: whole, or split along some dimension, on each axis of
 * parts. False: there are fewer. */
static bool finished_layout(const struct node *x, int64_t number, struct layout *l)
{
	int choices = x->shape.rank + 1;
	*l = x->layout;
	for (int a = 0; a < x->place->naxes; a++) {
		if (l->atom[a].kind != SHARD_P)
			continue;
		int d = (int)(number % choices);
		number /= choices;
		l->atom[a] =
			d ? (struct shard_atom){.kind = SHARD_S, .dim = (int8_t)(d - 1)} : layout_broadcast().atom[a];
	}
	return number == 0;
}

/* Whether that sends less than a way does. */
static bool goes_by_rows(const struct node *n, const struct route_way *way, struct route_via *first)
{
	struct route_via v = {.place = n->in[0]->place};
	int64_t least = way->cost.bytes;
	for (int64_t i = 0; i < MAX_CANDIDATES && finished_layout(n->in[0], i, &v.layout); i++) {
		int64_t bytes = bytes_by_rows(n, &v);
		if (bytes >= least)
			continue;
		least = bytes;
		*first = v;
	}
	return least < way->cost.bytes;
}

static struct node *write_route(struct graph *g, struct node *n, void *context, bool *changed)
{
	(void)context;
	struct owners owners;
	if (n->kind != NODE_TO || !n->place || !n->in[0]->place)
		return n;
	if (owners_find(n->in[0], n->place, &n->layout, &owners)) /* no way sends less */
		return n;
	struct node *x = n->in[0];
	struct route_way way = route_find(NULL, n->dtype, &n->shape, x->place, &x->layout, n->place, &n->layout);
	struct route_via first;
	if (goes_by_rows(n, &way, &first))
		way = (struct route_way){.n = 1, .via = {first}};
	else if (g->program && g->program->timing && !is_faster(g->program->timing, n, &way))
		return n;
	for (int i = 0; i < way.n; i++) {
		x = write_step(g, n, x, &way.via[i]);
		*changed = true;
	}
	n->in[0] = x;
	return n;
}

bool routes_write(struct graph *g)
{
	bool returns = returns_write(g);
	return graph_rewrite(g, write_route, NULL) || returns;
}
