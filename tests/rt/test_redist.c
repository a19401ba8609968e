/* test_redist.c — through an MPI what tests/sim does on simulated ranks with far more cases: every way from one
 * placement and layout to another, against an oracle that knows only index sets. ranks: 4.  A "program" is made here by
 * hand: a table of all pairs of tensor types on eight placements of four ranks (subsets, overlapping, permuted,
 * disjoint, and a 2x2 grid), for many shapes and element types. Every transfer is run by its own method and, on one
 * placement, by the general exchange as well; several are in flight at once. Values are small integers, so every order
 * of summation gives the same bits. Bytes are compared with the table of layouts and, for layouts of S and B, with the
 * least that index sets allow. TEST_EVERY=N takes one pair of N. */
#define _POSIX_C_SOURCE 200809L
#include "combine.h"
#include "half.h"
#include "pmlrt.h"
#include "transfer.h"

#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 4, MOST_TYPES = 60000, MOST_TRANSFERS = 400000, MOST_ELEMENTS = 7 * 5 * 2, AT_ONCE = 64 };

static const int32_t permuted[] = {3, 0, 1, 2}, backwards[] = {2, 0}, grid_ranks[] = {2, 1, 3, 0};
static const int32_t permuted_order[] = {1, 2, 3, 0}, grid_order[] = {3, 1, 0, 2}; /* positions by ascending rank */
static const struct pmlrt_place places[] = {
	{.name = "world", .naxes = 1, .axis = {""}, .extent = {4}, .count = 4},
	{.name = "low", .naxes = 1, .axis = {""}, .extent = {2}, .count = 2},
	{.name = "high", .naxes = 1, .axis = {""}, .extent = {2}, .count = 2, .first = 2},
	{.name = "first3", .naxes = 1, .axis = {""}, .extent = {3}, .count = 3},
	{.name = "middle", .naxes = 1, .axis = {""}, .extent = {2}, .count = 2, .first = 1},
	{.name = "turned",
	 .naxes = 1,
	 .axis = {""},
	 .extent = {4},
	 .count = 4,
	 .ranks = permuted,
	 .order = permuted_order},
	{.name = "one", .naxes = 1, .axis = {""}, .extent = {1}, .count = 1, .first = 2},
	{.name = "back", .naxes = 1, .axis = {""}, .extent = {2}, .count = 2, .ranks = backwards},
	{.name = "grid",
	 .naxes = 2,
	 .axis = {"a", "b"},
	 .extent = {2, 2},
	 .count = 4,
	 .ranks = grid_ranks,
	 .order = grid_order},
};
enum { PLACES = sizeof places / sizeof *places, GRID = PLACES - 1, FEW_PLACES = 4 };

static const struct shard_atom atoms[] = {
	{.kind = SHARD_B},
	{.kind = SHARD_S, .dim = 0},
	{.kind = SHARD_S, .dim = 1},
	{.kind = SHARD_P, .combiner = SHARD_SUM},
	{.kind = SHARD_P, .combiner = SHARD_MAX},
	{.kind = SHARD_P, .combiner = SHARD_MIN},
	{.kind = SHARD_P, .combiner = SHARD_PROD},
};
enum { ATOMS = sizeof atoms / sizeof *atoms };

enum method {
#define REDIST(name, text, most) name##_METHOD,
#include "redist.def"
#undef REDIST
};

static struct pmlrt_type types[MOST_TYPES];
static struct pmlrt_transfer transfers[MOST_TRANSFERS];
static struct pmlrt_program program;
static int failures;
static int64_t cases, table_cases, yardstick_cases;

static bool is_partial(const struct pmlrt_type *t)
{
	for (int a = 0; a < places[t->place].naxes; a++)
		if (t->atom[a].kind == SHARD_P && places[t->place].extent[a] > 1)
			return true;
	return false;
}

static int combiner_of(const struct pmlrt_type *t)
{
	for (int a = 0; a < places[t->place].naxes; a++)
		if (t->atom[a].kind == SHARD_P && places[t->place].extent[a] > 1)
			return t->atom[a].combiner;
	return SHARD_SUM;
}

/* ---- the table ---- */

static int add_types(int32_t dtype, const struct pmlrt_type *shape, int nplaces, bool grid)
{
	int first = program.ntypes;
	for (int p = 0; p < nplaces; p++)
		for (int a = 0; a < ATOMS; a++)
			for (int b = 0; b < (places[p].naxes == 2 ? ATOMS : 1); b++) {
				struct pmlrt_type t = *shape;
				t.dtype = dtype;
				t.place = p;
				t.atom[0] = atoms[a];
				t.atom[1] = atoms[b];
				bool fits =
					t.rank > 1 ||
					((atoms[a].kind != SHARD_S || atoms[a].dim < t.rank) &&
					 (places[p].naxes == 1 || atoms[b].kind != SHARD_S || atoms[b].dim < t.rank));
				if (fits && !atoms_mix(places[t.place].naxes, t.atom) && (p != GRID || grid))
					types[program.ntypes++] = t;
			}
	return first;
}

/* The method a compiler would choose. */
static int method_for(const struct pmlrt_type *s, const struct pmlrt_type *d)
{
	if (s->place != d->place)
		return is_partial(s) ? REDUCE_SEND_METHOD : EXCHANGE_METHOD;
	int axis = -1, changed = 0;
	for (int a = 0; a < places[s->place].naxes; a++)
		if (places[s->place].extent[a] > 1 && memcmp(&s->atom[a], &d->atom[a], sizeof s->atom[a])) {
			axis = a;
			changed++;
		}
	if (changed == 0)
		return LOCAL_METHOD;
	if (changed > 1)
		return is_partial(s) ? REDUCE_SEND_METHOD : ALL_TO_ALL_METHOD;
	enum shard_kind from = s->atom[axis].kind, to = d->atom[axis].kind;
	if (from == SHARD_P)
		return to == SHARD_B ? ALL_REDUCE_METHOD : to == SHARD_S ? REDUCE_SCATTER_METHOD : REDUCE_SEND_METHOD;
	if (is_partial(s))
		return REDUCE_SEND_METHOD;
	if (from == SHARD_S && to == SHARD_B)
		return ALL_GATHER_METHOD;
	if (from == SHARD_S && to == SHARD_S)
		return ALL_TO_ALL_METHOD;
	return places[s->place].naxes == 1 ? LOCAL_METHOD : ALL_TO_ALL_METHOD;
}

static void add_transfer(int src, int dst, int method)
{
	if (program.ntransfers == MOST_TRANSFERS) {
		fprintf(stderr, "the table of transfers is too small\n");
		exit(EXIT_FAILURE);
	}
	transfers[program.ntransfers++] = (struct pmlrt_transfer){.src = src, .dst = dst, .method = method};
}

/* Of the pairs one of `every` alone, for each source others. */
static int every = 1;

static void add_pairs(int first)
{
	for (int s = first; s < program.ntypes; s++)
		for (int d = first + (s - first) % every; d < program.ntypes; d += every) {
			int method = method_for(&types[s], &types[d]);
			if (types[s].place == GRID && types[d].place != GRID && types[d].place > 2)
				continue;
			if (types[d].place == GRID && types[s].place != GRID && types[s].place > 2)
				continue;
			add_transfer(s, d, method);
			if (types[s].place == types[d].place && method != LOCAL_METHOD)
				add_transfer(s, d, is_partial(&types[s]) ? REDUCE_SEND_METHOD : EXCHANGE_METHOD);
		}
}

static void make_program(bool full)
{
	static const int64_t few[][2] = {{2, 3}, {4, 4}, {7, 5}};
	int nshapes = full ? 35 : (int)(sizeof few / sizeof *few);
	for (int i = 0; i < nshapes; i++) {
		struct pmlrt_type shape = {.rank = 2,
					   .dim = {full ? 1 + i / 5 : few[i][0], full ? 1 + i % 5 : few[i][1]}};
		add_pairs(add_types(PMLRT_F32, &shape, PLACES, !full && i == 1));
	}
	for (int dtype = 0; dtype < PMLRT_DTYPES; dtype++) {
		struct pmlrt_type shape = {.rank = 2, .dim = {5, 3}};
		if (dtype != PMLRT_F32)
			add_pairs(add_types(dtype, &shape, full ? PLACES : FEW_PLACES, false));
	}
	struct pmlrt_type scalar = {.rank = 0}, vector = {.rank = 1, .dim = {6}}, cube = {.rank = 3, .dim = {3, 5, 2}},
			  empty = {.rank = 2, .dim = {0, 3}};
	add_pairs(add_types(PMLRT_F32, &scalar, PLACES, false));
	add_pairs(add_types(PMLRT_I32, &vector, PLACES, true));
	add_pairs(add_types(PMLRT_F64, &cube, PLACES, false));
	add_pairs(add_types(PMLRT_F32, &empty, PLACES, false));
}

/* ---- values ---- */

static void store(int32_t dtype, int64_t v, void *p)
{
	float f = (float)v;
	double d = (double)v;
	uint16_t h = half_of_float(f, dtype == PMLRT_BF16);
	if (dtype == PMLRT_F32)
		memcpy(p, &f, 4);
	else if (dtype == PMLRT_F64)
		memcpy(p, &d, 8);
	else if (dtype == PMLRT_BF16 || dtype == PMLRT_F16)
		memcpy(p, &h, 2);
	else
		memcpy(p, &v, (size_t)rt_dtype_size(dtype));
}

/* The logical value of an element: 0 or 1 for bool, else 1 … 11, negative for some where that exists. */
static int64_t value_at(int32_t dtype, int64_t linear)
{
	int64_t v = 1 + linear * 7 % 11;
	if (dtype == PMLRT_BOOL)
		return v % 2;
	bool is_signed = dtype <= PMLRT_I64;
	return is_signed && linear % 3 == 1 ? -v : v;
}

/* Part number `part` of `parts` of an element: together they make the value; no part alone does, where that can be. */
static void store_part(int32_t dtype, int combiner, int64_t linear, int64_t part, int64_t parts, void *p)
{
	int64_t v = value_at(dtype, linear), owner = linear % parts;
	combine_identity(dtype, combiner, p, 1);
	if (dtype == PMLRT_BOOL) {
		bool any = combiner == SHARD_SUM || combiner == SHARD_MAX;
		if (part == owner || v == !any)
			store(dtype, part == owner ? v : !any, p);
		return;
	}
	if (combiner == SHARD_SUM)
		store(dtype, part == owner ? v - 2 * (parts - 1) : 2, p);
	else if (combiner == SHARD_PROD)
		store(dtype, part == owner ? v : 1, p);
	else if (part == owner)
		store(dtype, v, p);
	else if (part % 2)
		store(dtype, combiner == SHARD_MAX ? (dtype > PMLRT_I64 ? 0 : v - 1) : v + 1, p);
}

/* Coordinates and the part number of a position. */
static int64_t part_of(const struct pmlrt_type *t, int64_t position, int64_t *parts, int64_t *replica)
{
	const struct pmlrt_place *p = &places[t->place];
	int64_t part = 0, coordinate[2] = {position, 0};
	*parts = 1;
	*replica = 0;
	if (p->naxes == 2) {
		coordinate[0] = position / p->extent[1];
		coordinate[1] = position % p->extent[1];
	}
	for (int a = 0; a < p->naxes; a++) {
		if (t->atom[a].kind == SHARD_P) {
			part = part * p->extent[a] + coordinate[a];
			*parts *= p->extent[a];
		}
		if (t->atom[a].kind == SHARD_B)
			*replica = *replica * p->extent[a] + coordinate[a];
	}
	return part;
}

/* The box by counting: element by element, without shard_box's help for one axis. */
static bool holds(const struct pmlrt_type *t, int64_t position, const int64_t *index)
{
	const struct pmlrt_place *p = &places[t->place];
	int64_t begin[3], end[3], coordinate[2] = {position, 0};
	if (p->naxes == 2) {
		coordinate[0] = position / p->extent[1];
		coordinate[1] = position % p->extent[1];
		shard_box(t->rank, t->dim, 2, p->extent, t->atom, coordinate, begin, end);
		for (int d = 0; d < t->rank; d++)
			if (index[d] < begin[d] || index[d] >= end[d])
				return false;
		return true;
	}
	if (t->atom[0].kind != SHARD_S)
		return true;
	int64_t n = t->dim[t->atom[0].dim], k = p->extent[0], i = index[t->atom[0].dim];
	int64_t long_ones = n % k, boundary = long_ones * (n / k + 1);
	int64_t holder = i < boundary ? i / (n / k + 1) : long_ones + (i - boundary) / (n / k);
	return holder == position;
}

typedef void element_visitor(void *context, int64_t linear, int64_t local, bool held);

/* Visits all elements of the logical tensor with their place in the shard of a position. */
static void each_element(const struct pmlrt_type *t, int64_t position, element_visitor *visit, void *context)
{
	int64_t volume = rt_type_volume(t), local = 0, index[3];
	for (int64_t linear = 0; linear < volume; linear++) {
		int64_t rest = linear;
		for (int d = t->rank - 1; d >= 0; d--) {
			index[d] = rest % t->dim[d];
			rest /= t->dim[d];
		}
		bool held = position >= 0 && holds(t, position, index);
		visit(context, linear, local, held);
		local += held;
	}
}

struct shard {
	const struct pmlrt_type *type;
	int64_t part, parts, size, elements;
	char data[MOST_ELEMENTS * 8];
	int wrong;
};

static void fill_element(void *context, int64_t linear, int64_t local, bool held)
{
	struct shard *s = context;
	if (held) {
		store_part(s->type->dtype, combiner_of(s->type), linear, s->part, s->parts, s->data + local * s->size);
		s->elements = local + 1;
	}
}

static void shard_fill(struct shard *s, const struct pmlrt_type *t, int64_t position)
{
	int64_t replica;
	memset(s, 0x5A, sizeof *s);
	*s = (struct shard){.type = t, .size = rt_dtype_size(t->dtype)};
	s->part = part_of(t, position, &s->parts, &replica);
	each_element(t, position, fill_element, s);
}

static void compare_element(void *context, int64_t linear, int64_t local, bool held)
{
	struct shard *s = context;
	char expected[8] = {0};
	if (!held)
		return;
	store(s->type->dtype, value_at(s->type->dtype, linear), expected);
	s->wrong += memcmp(expected, s->data + local * s->size, (size_t)s->size) != 0;
}

struct whole {
	struct shard *from;
	char data[MOST_ELEMENTS * 8];
};

static void spread_element(void *context, int64_t linear, int64_t local, bool held)
{
	struct whole *w = context;
	if (held)
		memcpy(w->data + linear * w->from->size, w->from->data + local * w->from->size, (size_t)w->from->size);
}

/* The parts of several transfers, gathered from all ranks at once. */
static char own_parts[AT_ONCE * RANKS * MOST_ELEMENTS * 8], gathered[RANKS * sizeof own_parts];

static int64_t count_replicas(const struct pmlrt_type *t)
{
	int64_t replicas = 1;
	for (int a = 0; a < places[t->place].naxes; a++)
		replicas *= t->atom[a].kind == SHARD_B ? places[t->place].extent[a] : 1;
	return replicas;
}

/* Adds this rank's part, as a whole tensor, for every replica: the identity for those it is not on. */
static int64_t add_parts(struct shard *s, int64_t position, int64_t at)
{
	const struct pmlrt_type *t = s->type;
	int64_t volume = rt_type_volume(t), parts, own_replica, replicas = count_replicas(t);
	part_of(t, position < 0 ? 0 : position, &parts, &own_replica);
	for (int64_t r = 0; r < replicas; r++, at += volume * s->size) {
		struct whole w = {.from = s};
		combine_identity(t->dtype, combiner_of(t), w.data, volume);
		if (position >= 0 && own_replica == r)
			each_element(t, position, spread_element, &w);
		memcpy(own_parts + at, w.data, (size_t)(volume * s->size));
	}
	return at;
}

/* The parts of all ranks of one replica, combined, must be the logical value. */
static int64_t check_parts(struct shard *s, int64_t at, int64_t stride)
{
	const struct pmlrt_type *t = s->type;
	int64_t volume = rt_type_volume(t), replicas = count_replicas(t);
	for (int64_t r = 0; r < replicas; r++, at += volume * s->size) {
		char sum[MOST_ELEMENTS * 8], expected[8];
		memcpy(sum, gathered + at, (size_t)(volume * s->size));
		for (int k = 1; k < RANKS; k++)
			combine(t->dtype, combiner_of(t), sum, sum, gathered + k * stride + at, volume);
		for (int64_t i = 0; i < volume; i++) {
			store(t->dtype, value_at(t->dtype, i), expected);
			s->wrong += memcmp(expected, sum + i * s->size, (size_t)s->size) != 0;
		}
	}
	return at;
}

/* ---- bytes ---- */

struct need {
	const struct pmlrt_type *other;
	int64_t position, missing;
};

static void count_missing(void *context, int64_t linear, int64_t local, bool held)
{
	struct need *n = context;
	int64_t index[3];
	(void)local;
	for (int d = n->other->rank - 1; d >= 0; d--) {
		index[d] = linear % n->other->dim[d];
		linear /= n->other->dim[d];
	}
	n->missing += held && (n->position < 0 || !holds(n->other, n->position, index));
}

/* Elements that somebody must receive, for layouts of S and B: the sum of |dst without src| over ranks. */
static int64_t least_elements(const struct pmlrt_type *s, const struct pmlrt_type *d)
{
	int64_t sum = 0;
	for (int32_t r = 0; r < RANKS; r++) {
		struct need n = {s, mesh_position(&places[s->place], r), 0};
		each_element(d, mesh_position(&places[d->place], r), count_missing, &n);
		sum += n.missing;
	}
	return sum;
}

static bool disjoint(const struct pmlrt_place *a, const struct pmlrt_place *b)
{
	for (int32_t r = 0; r < RANKS; r++)
		if (mesh_position(a, r) >= 0 && mesh_position(b, r) >= 0)
			return false;
	return true;
}

/* The table's entry in elements, -1 where it has none (overlapping placements, grids, S(i) -> S(j)). */
static int64_t table_elements(const struct pmlrt_type *s, const struct pmlrt_type *d)
{
	const struct pmlrt_place *p = &places[s->place], *q = &places[d->place];
	int64_t T = rt_type_volume(s), p1 = p->count, p2 = q->count;
	enum shard_kind from = s->atom[0].kind, to = d->atom[0].kind;
	if (p->naxes > 1 || q->naxes > 1)
		return -1;
	if (p == q && p1 == 1)
		return 0;
	if (p == q) {
		if (from == SHARD_S)
			return to == SHARD_B                                       ? (p1 - 1) * T
			       : to == SHARD_P || s->atom[0].dim == d->atom[0].dim ? 0
										   : -1;
		if (from == SHARD_B)
			return 0;
		if (to == SHARD_P)
			return s->atom[0].combiner == d->atom[0].combiner ? 0 : -1;
		return to == SHARD_S ? (p1 - 1) * T : 2 * (p1 - 1) * T;
	}
	if (!disjoint(p, q))
		return -1;
	if (from == SHARD_P && p1 > 1)
		return to == SHARD_B ? (p1 + p2 - 1) * T : p1 * T;
	return to == SHARD_B ? p2 * T : T;
}

static void complain(const struct pmlrt_transfer *x, const char *what, int64_t a, int64_t b)
{
	static const char *const methods[] = {
#define REDIST(name, text, most) text,
#include "redist.def"
#undef REDIST
	};
	static const char *const combiners[] = {"sum", "max", "min", "prod"};
	char text[2][80];
	for (int i = 0; i < 2; i++) {
		const struct pmlrt_type *t = &types[i ? x->dst : x->src];
		int n = snprintf(text[i], sizeof text[i], "%s:", places[t->place].name);
		for (int k = 0; k < places[t->place].naxes; k++)
			n += snprintf(text[i] + n, sizeof text[i] - (size_t)n,
				      t->atom[k].kind == SHARD_B   ? " B"
				      : t->atom[k].kind == SHARD_S ? " S(%s%d)"
								   : " P(%s)",
				      t->atom[k].kind == SHARD_P ? combiners[t->atom[k].combiner] : "", t->atom[k].dim);
	}
	char shape[64];
	if (failures++ < 20)
		fprintf(stderr, "%s -> %s, %s, by %s: %s (%" PRId64 ", %" PRId64 ")\n", text[0], text[1],
			rt_type_text(&types[x->src], shape, sizeof shape), methods[x->method], what, a, b);
}

static void check_bytes(struct pmlrt *rt)
{
	int64_t n = program.ntransfers, *sent = calloc((size_t)n, sizeof *sent);
	for (int64_t i = 0; i < n; i++)
		sent[i] = rt->transfers[i].sends;
	MPI_Allreduce(MPI_IN_PLACE, sent, (int)n, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
	for (int64_t i = 0; rt->rank == 0 && i < n; i++) {
		const struct pmlrt_type *s = &types[transfers[i].src], *d = &types[transfers[i].dst];
		int64_t size = rt_dtype_size(s->dtype), expected = table_elements(s, d);
		if (expected >= 0 && sent[i] != expected * size)
			complain(&transfers[i], "bytes sent differ from the table", sent[i], expected * size);
		table_cases += expected >= 0;
		if (is_partial(s) || is_partial(d))
			continue;
		expected = least_elements(s, d) * size;
		if (sent[i] != expected)
			complain(&transfers[i], "bytes sent are not the least", sent[i], expected);
		yardstick_cases++;
	}
	free(sent);
}

/* ---- running ---- */

static void run_some(struct pmlrt *rt, int32_t first, int32_t n)
{
	static struct shard src[AT_ONCE], dst[AT_ONCE];
	int64_t position[AT_ONCE];
	for (int i = 0; i < n; i++) {
		const struct pmlrt_type *s = &types[transfers[first + i].src], *d = &types[transfers[first + i].dst];
		int64_t at = mesh_position(&places[s->place], rt->rank);
		if (at >= 0)
			shard_fill(&src[i], s, at);
		position[i] = mesh_position(&places[d->place], rt->rank);
		memset(&dst[i], 0x5A, sizeof dst[i]);
		dst[i].type = d;
		dst[i].size = rt_dtype_size(d->dtype);
		dst[i].wrong = 0;
		pmlrt_transfer_begin(rt, first + i, at >= 0 ? src[i].data : NULL,
				     position[i] >= 0 ? dst[i].data : NULL);
	}
	pmlrt_poke(rt);
	for (int i = 0; i < n; i++) {
		int k = (i + 1) % n;
		pmlrt_transfer_end(rt, first + k);
	}
	int64_t bytes = 0, at = 0;
	for (int i = 0; i < n; i++)
		if (is_partial(dst[i].type))
			bytes = add_parts(&dst[i], position[i], bytes);
	MPI_Request request;
	MPI_Iallgather(own_parts, (int)bytes, MPI_BYTE, gathered, (int)bytes, MPI_BYTE, rt->control, &request);
	rt_wait_request(rt, &request, "the parts", 0);
	for (int i = 0; i < n; i++) {
		cases++;
		if (is_partial(dst[i].type))
			at = check_parts(&dst[i], at, bytes);
		else if (position[i] >= 0)
			each_element(dst[i].type, position[i], compare_element, &dst[i]);
		if (dst[i].wrong)
			complain(&transfers[first + i], "wrong values", dst[i].wrong, rt->rank);
	}
}

static void entry(struct pmlrt *rt)
{
	double begin = MPI_Wtime();
	for (int32_t i = 0; i < program.ntransfers; i += AT_ONCE)
		run_some(rt, i, program.ntransfers - i < AT_ONCE ? program.ntransfers - i : AT_ONCE);
	check_bytes(rt);
	MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (rt->rank == 0)
		printf("%" PRId64 " redistributions, bytes of %" PRId64 " compared with the table, of %" PRId64
		       " with the least; %.1f s\n"
		       "%" PRId64 " passed, %d failed\n",
		       cases, table_cases, yardstick_cases, MPI_Wtime() - begin, cases - failures, failures);
}

int main(int argc, char **argv)
{
	static const struct pmlrt_site sites[] = {{"test", 0, 0, "x"}};
	program = (struct pmlrt_program){.abi = PMLRT_ABI,
					 .name = "test_redist",
					 .source = "test_redist.c",
					 .version = "test",
					 .role = "",
					 .fingerprint = 1,
					 .nranks = RANKS,
					 .arena_bytes = 64,
					 .entry = entry,
					 .nplaces = PLACES,
					 .places = places,
					 .types = types,
					 .transfers = transfers,
					 .nsites = 1,
					 .sites = sites};
	if (getenv("TEST_EVERY"))
		every = atoi(getenv("TEST_EVERY"));
	make_program(getenv("TEST_LONG") != NULL);
	int status = pmlrt_main(argc, argv, &program);
	return status ? status : failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
