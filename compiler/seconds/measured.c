/* measured.c — see measured.h. The runtime writes these members: runtime/work.c, runtime/profile.c. */
#include "measured.h"

#include "../../runtime/pmlrt.h"
#include "work_json.h"

#include <stdlib.h>
#include <string.h>

struct reader {
	struct arena *arena;
	struct measured *m;
	VEC(struct place *) places;
	VEC(bool) is_simple; /* by type: its layout is known */
	const char *error;
};

#define FAIL(r, ...) ((r)->error = (r)->error ? (r)->error : arena_printf((r)->arena, __VA_ARGS__))

/* ---- the text ---- */

/* Behind a string that begins at `at`. */
static size_t behind_string(const char *text, size_t n, size_t at)
{
	for (at++; at < n && text[at] != '"'; at++)
		at += text[at] == '\\';
	return at + 1;
}

/* The text without what the list `key` of the outermost object holds: a timeline is long, and nobody here reads it. */
static const char *without(struct arena *a, const char *text, size_t *n, const char *key)
{
	size_t length = strlen(key), depth = 0, begin = 0, end = 0;
	for (size_t at = 0; at < *n && !end; at++) {
		char c = text[at];
		if (c == '"') {
			size_t behind = behind_string(text, *n, at);
			if (depth == 1 && behind - at == length + 2 && behind <= *n &&
			    !strncmp(text + at + 1, key, length))
				begin = behind;
			at = behind - 1;
		} else if (c == '[' || c == '{') {
			depth++;
			begin = begin && depth == 2 && c == '[' ? at + 1 : begin;
		} else if (c == ']' || c == '}') {
			depth -= depth > 0;
			end = begin && depth == 1 ? at : 0;
		}
	}
	if (!end)
		return text;
	char *rest = ARENA_ARRAY(a, char, *n - (end - begin) + 1);
	memcpy(rest, text, begin);
	memcpy(rest + begin, text + end, *n - end);
	*n -= end - begin;
	return rest;
}

/* ---- members ---- */

/* A whole number from low to high. */
static int64_t read_count(struct reader *r, const struct json *j, const char *key, int64_t low, int64_t high)
{
	const struct json *x = json_get(j, key);
	bool good = x && x->kind == JSON_IS_NUMBER && x->number == (double)x->integer && x->integer >= low &&
		    x->integer <= high;
	if (!good)
		FAIL(r, "`%s` is no number from %lld to %lld", key, (long long)low, (long long)high);
	return good ? x->integer : low;
}

static void each(struct reader *r, const struct json *j, const char *key,
		 void (*one)(struct reader *, const struct json *))
{
	const struct json *list = json_get(j, key);
	if (!list || list->kind != JSON_IS_LIST)
		FAIL(r, "`%s` is missing", key);
	for (int i = 0; !r->error && i < list->items.n; i++) {
		one(r, list->items.at[i]);
		if (r->error)
			r->error = arena_printf(r->arena, "%s[%d]: %s", key, i, r->error);
	}
}

/* At most `most` whole numbers from low to high; how many. */
static int read_numbers(struct reader *r, const struct json *j, const char *key, int most, int64_t low, int64_t high,
			int64_t *to)
{
	const struct json *list = json_get(j, key);
	bool good = list && list->kind == JSON_IS_LIST && list->items.n <= most;
	for (int i = 0; good && i < list->items.n; i++) {
		const struct json *x = list->items.at[i];
		good = x->kind == JSON_IS_NUMBER && x->integer >= low && x->integer <= high;
		to[i] = good ? x->integer : 0;
	}
	if (!good)
		FAIL(r, "`%s` is no list of at most %d numbers from %lld to %lld", key, most, (long long)low,
		     (long long)high);
	return good ? list->items.n : 0;
}

static void read_program(struct reader *r, const struct json *j)
{
	struct measured *m = r->m;
	const char *tensors = json_get_text(j, "tensors");
	char *end;
	if (read_count(r, j, "format", 1, INT32_MAX) != PMLRT_PROFILE_FORMAT && !r->error)
		FAIL(r, "it is of another version of pmlc; run the program again, compiled by this one");
	m->name = json_get_text(j, "name");
	m->tensors = strtoull(tensors, &end, 16);
	if (strlen(tensors) != 16 || *end)
		FAIL(r, "`tensors` is no hash");
	m->ranks = read_count(r, j, "ranks", 1, 1000000);
	m->vector_bytes = (int)read_count(r, j, "vector_bytes", 4, 4096);
}

/* ---- types and transfers ---- */

static void read_place(struct reader *r, const struct json *j)
{
	struct place *p = ARENA_NEW(r->arena, struct place);
	p->id = r->places.n;
	p->name = "";
	p->naxes = read_numbers(r, j, "extents", MAX_AXES, 1, r->m->ranks, p->extent);
	p->count = 1;
	for (int a = 0; a < p->naxes; a++) {
		p->axis[a] = "";
		p->count = p->count <= r->m->ranks ? p->count * p->extent[a] : p->count;
	}
	p->first = (int32_t)read_count(r, j, "first", 0, r->m->ranks - 1);
	const struct json *listed = json_get(j, "ranks");
	if (r->error || p->count > r->m->ranks || (!listed && p->first + p->count > r->m->ranks)) {
		FAIL(r, "more ranks than the program has");
		return;
	}
	if (listed) {
		int64_t *numbers = ARENA_ARRAY(r->arena, int64_t, p->count);
		int32_t *ranks = ARENA_ARRAY(r->arena, int32_t, p->count);
		if (read_numbers(r, j, "ranks", (int)p->count, 0, r->m->ranks - 1, numbers) != p->count)
			FAIL(r, "`ranks` are not as many as the extents say");
		for (int64_t i = 0; i < p->count; i++)
			ranks[i] = (int32_t)numbers[i];
		p->ranks = ranks;
	}
	place_look_up(r->arena, p);
	for (int64_t i = 0; i < p->count && !r->error; i++)
		if (place_position(p, place_rank(p, i)) != i)
			FAIL(r, "rank %d is there twice", (int)place_rank(p, i));
	vec_push(r->arena, &r->places, p);
}

static enum dtype read_dtype(struct reader *r, const struct json *j)
{
	const char *name = json_get_text(j, "type");
	enum dtype t = dtype_of_text(name);
	if (t != DT_COUNT)
		return t;
	FAIL(r, "`%s` is no element type", name);
	return DT_F32;
}

/* [kind, dimension or combiner]. */
static struct shard_atom read_atom(struct reader *r, const struct json *j, int rank)
{
	const struct json *kind = j->kind == JSON_IS_LIST && j->items.n == 2 ? j->items.at[0] : NULL;
	int64_t k = kind ? kind->integer : -1, of = kind ? j->items.at[1]->integer : -1;
	if (k < SHARD_B || k > SHARD_P || of < 0 || of > (k == SHARD_S ? rank - 1 : SHARD_PROD))
		FAIL(r, "a share of an axis is not known");
	return (struct shard_atom){.kind = (uint8_t)(k > 0 ? k : 0),
				   .combiner = (uint8_t)(k == SHARD_P ? of : 0),
				   .dim = (int8_t)(k == SHARD_S ? of : 0)};
}

static void read_type(struct reader *r, const struct json *j)
{
	struct placed_type t = {.dtype = read_dtype(r, j)};
	t.shape.rank = read_numbers(r, j, "shape", MAX_RANK, 0, INT64_C(1) << 48, t.shape.dim);
	int64_t place = read_count(r, j, "place", -1, r->places.n - 1);
	double elements = 1;
	for (int d = 0; d < t.shape.rank; d++)
		elements *= (double)t.shape.dim[d];
	if (elements > 1e15)
		FAIL(r, "%g elements are more than there can be", elements);
	const struct json *atoms = json_get(j, "atoms");
	if (r->error)
		return;
	t.place = place < 0 ? NULL : r->places.at[place];
	for (int a = 0; atoms && a < atoms->items.n && a < MAX_AXES; a++)
		t.layout.atom[a] = read_atom(r, atoms->items.at[a], t.shape.rank);
	if (atoms && (!t.place || atoms->items.n != t.place->naxes))
		FAIL(r, "`atoms` is not as long as the placement has axes");
	vec_push(r->arena, &r->is_simple, atoms != NULL);
	vec_push(r->arena, &r->m->program->types, t);
}

static int read_method(struct reader *r, const struct json *j)
{
	static const char *const methods[] = {
#define REDIST(name, text, most) text,
#include "../../runtime/redist.def"
#undef REDIST
	};
	int n = (int)(sizeof methods / sizeof *methods), i = 0;
	while (i < n && strcmp(methods[i], json_get_text(j, "kind")))
		i++;
	if (i == n)
		FAIL(r, "`%s` is no kind of transfer", json_get_text(j, "kind"));
	return i < n ? i : 0;
}

/* Rows go from who owns them where they would be added up, or to who owns them where they would be gathered, if the
 * indices were not known. */
static bool is_way(enum redist_method by_layouts, enum redist_method method)
{
	switch (method) {
	case REDIST_ROW_GATHER:
		return by_layouts == REDIST_ALL_REDUCE || by_layouts == REDIST_REDUCE_SEND;
	case REDIST_ROW_SCATTER:
		return by_layouts == REDIST_REDUCE_SCATTER || by_layouts == REDIST_REDUCE_SEND;
	case REDIST_ROW_RETURN:
		return by_layouts == REDIST_ALL_GATHER;
	default:
		return by_layouts == method;
	}
}

static bool goes_so(const struct placed_type *src, const struct placed_type *dst, enum redist_method method)
{
	return !atoms_mix(src->place->naxes, src->layout.atom) && !atoms_mix(dst->place->naxes, dst->layout.atom) &&
	       layout_can_become(src->place, &src->layout, dst->place, &dst->layout) &&
	       is_way(redist_method_of(&src->shape, src->place, &src->layout, dst->place, &dst->layout), method);
}

static void read_transfer(struct reader *r, const struct json *j)
{
	struct program *p = r->m->program;
	struct transfer t = {.src = (int)read_count(r, j, "src", 0, p->types.n - 1),
			     .dst = (int)read_count(r, j, "dst", 0, p->types.n - 1),
			     .name = "",
			     .bucket = (int)read_count(r, j, "bucket", -1, INT32_MAX)};
	t.redist.method = (enum redist_method)read_method(r, j);
	struct measured_transfer x = {p->transfers.n, (double)read_count(r, j, "calls", 0, INT64_MAX / 2),
				      (double)read_count(r, j, "alone_ns", -1, INT64_MAX / 2)};
	if (r->error)
		return;
	const struct placed_type *src = &p->types.at[t.src], *dst = &p->types.at[t.dst];
	bool is_simple = r->is_simple.at[t.src] && r->is_simple.at[t.dst];
	if (src->dtype != dst->dtype || !shape_equal(&src->shape, &dst->shape))
		FAIL(r, "it turns a tensor into another one");
	else if (is_simple && !goes_so(src, dst, t.redist.method))
		FAIL(r, "its tensor does not go so");
	if (x.ns >= 0 && x.calls > 0 && is_simple)
		vec_push(r->arena, &r->m->transfers, x);
	vec_push(r->arena, &p->transfers, t);
}

/* What travels together are all-reduces over the same ranks, and the last of them takes the others along. */
static void check_buckets(struct reader *r)
{
	const struct program *p = r->m->program;
	for (int i = 0; i < p->transfers.n && !r->error; i++) {
		const struct transfer *t = &p->transfers.at[i];
		if (t->bucket < 0)
			continue;
		const struct transfer *last = t->bucket < p->transfers.n ? &p->transfers.at[t->bucket] : NULL;
		bool good = last && t->bucket >= i && last->bucket == t->bucket &&
			    t->redist.method == REDIST_ALL_REDUCE && last->redist.method == REDIST_ALL_REDUCE &&
			    p->types.at[t->src].place == p->types.at[last->src].place && r->is_simple.at[t->src] &&
			    r->is_simple.at[t->dst];
		if (!good)
			FAIL(r, "transfers[%d]: it cannot travel with number %d", i, t->bucket);
	}
}

/* ---- work ---- */

static void read_rank(struct reader *r, const struct json *j)
{
	const struct json *rows = json_get(j, "work");
	int32_t rank = (int32_t)read_count(r, j, "rank", 0, r->m->ranks - 1);
	if (!rows || rows->kind != JSON_IS_LIST)
		FAIL(r, "`work` is missing");
	for (int i = 0; !r->error && i < rows->items.n; i++) {
		struct measured_work w = {.rank = rank};
		r->error = work_read(r->arena, rows->items.at[i], &w.work);
		w.calls = (double)read_count(r, rows->items.at[i], "calls", 1, INT64_MAX / 2);
		w.ns = (double)read_count(r, rows->items.at[i], "ns", 0, INT64_MAX / 2);
		if (r->error)
			r->error = arena_printf(r->arena, "work[%d]: %s", i, r->error);
		vec_push(r->arena, &r->m->works, w);
	}
}

struct measured *measured_read(struct arena *a, const char *text, size_t n, const char **error)
{
	text = without(a, text, &n, "traceEvents");
	const struct json *j = json_read(a, text, n, error);
	return j ? measured_of(a, j, error) : NULL;
}

struct measured *measured_of(struct arena *a, const struct json *j, const char **error)
{
	struct reader r = {.arena = a, .m = ARENA_NEW(a, struct measured)};
	const struct json *program = json_get(j, "program");
	r.m->program = ARENA_NEW(a, struct program);
	if (!program || program->kind != JSON_IS_OBJECT)
		FAIL(&r, "it is not what `--profile=FILE` of a program writes");
	if (!r.error) {
		read_program(&r, program);
		each(&r, j, "places", read_place);
		each(&r, j, "types", read_type);
		each(&r, j, "transfers", read_transfer);
		each(&r, j, "ranks", read_rank);
		check_buckets(&r);
	}
	r.m->program->nranks = r.m->ranks;
	*error = r.error;
	return r.error ? NULL : r.m;
}
