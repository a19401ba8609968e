/* read.c — a machine file: every field is there, known, and of a size that some machine could have. */
#include "machine.h"

#include "base/diag.h"
#include "base/json.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

struct reader {
	struct arena *arena;
	const char *error; /* the first one */
};

#define FAIL(r, ...) ((r)->error = (r)->error ? (r)->error : arena_printf((r)->arena, __VA_ARGS__))

enum field_kind { FIELD_NUMBER, FIELD_CURVE, FIELD_COUNT, FIELD_TEXT, FIELD_OTHER, FIELD_OPTIONAL };

/* factor: from the file's unit to that of memory. */
struct field {
	const char *key;
	enum field_kind kind;
	size_t at;
	double low, high, factor;
	const char *unit, *meaning;
};

#define MICROSECONDS 0, 1e7, 1e3, "microseconds"
#define RATE         1e-9, 1e6, 1, "gigabytes per second"

/* clang-format off */
#define LINK_FIELDS \
	{"latency_us", FIELD_NUMBER, offsetof(struct machine_link, latency), MICROSECONDS, \
	 "from the begin of an empty message to its arrival"}, \
	{"start_us", FIELD_NUMBER, offsetof(struct machine_link, start), MICROSECONDS, \
	 "of processor time that a message takes at either end"}, \
	{"gigabytes_per_second", FIELD_CURVE, offsetof(struct machine_link, rate), RATE, \
	 "one way, by bytes of a message"}, \
	{"overlap", FIELD_NUMBER, offsetof(struct machine_link, overlap), 0, 1, 1, "", \
	 "part of a message's time in which processors at both ends compute"}, \
	{"duplex", FIELD_OPTIONAL, 0, 0, 0, 0, "", "part of its rate while messages go both ways"}
/* clang-format on */
static const struct field link_fields[] = {LINK_FIELDS, {0}};
static const struct field host_link_fields[] = {
	LINK_FIELDS,
	{"shared_memory", FIELD_OPTIONAL, 0, 0, 0, 0, "", "what goes through memory that ranks share"},
	{0}};

static const struct field network_fields[] = {
	{"name", FIELD_TEXT, offsetof(struct machine_network, name), 0, 0, 0, "", "what people call it"},
	{"joins", FIELD_COUNT, offsetof(struct machine_network, joins), 2, 1e7, 1, "units",
	 "of the level below: hosts, or groups of hosts"},
	{"link", FIELD_OTHER, 0, 0, 0, 0, "", "of each of these units to the others"},
	{0},
};

static const struct field hosts_fields[] = {
	{"count", FIELD_COUNT, offsetof(struct machine_hosts, count), 1, 1e6, 1, "hosts", "that are alike"},
	{"ranks", FIELD_COUNT, offsetof(struct machine_hosts, ranks), 1, 1e5, 1, "ranks", "on each of them"},
	{"processor", FIELD_OTHER, 0, 0, 0, 0, "", "name of one of `processors`"},
	{"link", FIELD_OPTIONAL, 0, 0, 0, 0, "", "between ranks of one host"},
	{"processors", FIELD_OPTIONAL, 0, 0, 0, 0, "", "of each host, if its ranks share them"},
	{"turn_us", FIELD_OPTIONAL, 0, 0, 0, 0, "", "that a processor takes to go from one rank to another"},
	{0},
};

static const struct field processor_fields[] = {
	{"name", FIELD_TEXT, offsetof(struct machine_processor, name), 0, 0, 0, "", "by which hosts refer to it"},
	{"vector_bytes", FIELD_COUNT, offsetof(struct machine_processor, vector_bytes), 4, 4096, 1, "bytes",
	 "of the vectors that programs use there"},
	{"start_us", FIELD_OTHER, 0, 0, 0, 0, "", "what steps take beside their work"},
	{"memory", FIELD_CURVE, offsetof(struct machine_processor, memory), RATE,
	 "of one rank while all ranks of the host compute, by bytes in use"},
	{"operations", FIELD_OTHER, 0, 0, 0, 0, "", "giga per second of each kind"},
	{"factors", FIELD_OPTIONAL, 0, 0, 0, 0, "", "of square matrices, by the way to find them"},
	{"products", FIELD_OTHER, 0, 0, 0, 0, "", "of matrices, by element type"},
	{0},
};

static const struct field start_fields[] = {
#define START(name, text, meaning) \
	{text, FIELD_NUMBER, offsetof(struct machine_processor, start) + START_##name * sizeof(double), MICROSECONDS, \
	 meaning},
#include "start.def"
#undef START
	{0},
};

static const struct field operation_fields[] = {
#define OPERATION(name, text, meaning) \
	{text, \
	 FIELD_NUMBER, \
	 offsetof(struct machine_processor, operation) + OPERATION_##name * sizeof(double), \
	 1e-9, \
	 1e6, \
	 1, \
	 "giga per second", \
	 meaning},
#include "operation.def"
#undef OPERATION
	{0},
};

static const struct field machine_fields[] = {
	{"name", FIELD_TEXT, offsetof(struct machine, name), 0, 0, 0, "", "of the machine"},
	{"processors", FIELD_OTHER, 0, 0, 0, 0, "", "a list: the classes of processors"},
	{"hosts", FIELD_OTHER, 0, 0, 0, 0, "", "a list: hosts in the order of their ranks"},
	{"networks", FIELD_OTHER, 0, 0, 0, 0, "", "a list: what joins the hosts, from within; [] for one host"},
	{0},
};

static const struct field product_fields[] = {
	{"m", FIELD_OTHER, 0, 0, 0, 0, "", "rows that were measured, rising"},
	{"n", FIELD_OTHER, 0, 0, 0, 0, "", "columns that were measured, rising"},
	{"k", FIELD_OTHER, 0, 0, 0, 0, "", "inner extents that were measured, rising"},
	{"gigaflops", FIELD_OTHER, 0, 0, 0, 0, "", "a number for each of their combinations, k's fastest"},
	{0},
};

/* ---- values ---- */

static double read_number(struct reader *r, const struct json *j, const char *path, const struct field *f)
{
	if (j->kind != JSON_IS_NUMBER)
		FAIL(r, "%s: a number is expected (%s%s%s)", path, f->unit, *f->unit ? " " : "", f->meaning);
	else if (!(j->number >= f->low && j->number <= f->high))
		FAIL(r, "%s: %g is not from %g to %g (%s%s%s)", path, j->number, f->low, f->high, f->unit,
		     *f->unit ? " " : "", f->meaning);
	return j->kind == JSON_IS_NUMBER ? j->number * f->factor : 0;
}

static int64_t read_count(struct reader *r, const struct json *j, const char *path, const struct field *f)
{
	double v = read_number(r, j, path, f);
	if (!r->error && v != floor(v))
		FAIL(r, "%s: %g is no whole number (%s %s)", path, v, f->unit, f->meaning);
	return r->error ? 0 : (int64_t)v;
}

/* A number, or a list of [size, rate]. */
static void read_curve(struct reader *r, const struct json *j, const char *path, const struct field *f, struct curve *c)
{
	if (j->kind == JSON_IS_NUMBER) {
		struct curve_point p = {1, read_number(r, j, path, f)};
		vec_push(r->arena, &c->points, p);
		return;
	}
	if (j->kind != JSON_IS_LIST || !j->items.n) {
		FAIL(r, "%s: a number is expected, or a list of points [bytes, %s] (%s)", path, f->unit, f->meaning);
		return;
	}
	for (int i = 0; i < j->items.n && !r->error; i++) {
		const struct json *pair = j->items.at[i];
		const char *at = arena_printf(r->arena, "%s[%d]", path, i);
		static const struct field bytes = {
			.low = 1, .high = 1e15, .factor = 1, .unit = "bytes", .meaning = "in use"};
		if (pair->kind != JSON_IS_LIST || pair->items.n != 2) {
			FAIL(r, "%s: a point has two numbers, [bytes, %s]", at, f->unit);
			return;
		}
		struct curve_point p = {read_number(r, pair->items.at[0], at, &bytes),
					read_number(r, pair->items.at[1], at, f)};
		if (r->error)
			return;
		const struct curve_point *last = i ? &c->points.at[i - 1] : NULL;
		if (last && p.size <= last->size)
			FAIL(r, "%s: %g bytes do not come behind %g: points stand in rising order", at, p.size,
			     last->size);
		else if (last && p.size / p.rate < last->size / last->rate)
			FAIL(r, "%s: %g bytes would take less time than %g", at, p.size, last->size);
		vec_push(r->arena, &c->points, p);
	}
}

/* The members of an object by a table: all of them, and no others. What is FIELD_OTHER or OPTIONAL is left to the
 * caller. */
static bool read_fields(struct reader *r, const struct json *j, const char *path, const struct field *fields,
			void *record)
{
	const char *names[16];
	int n = 0;
	if (!r->error && (!j || j->kind != JSON_IS_OBJECT))
		FAIL(r, "%s: an object is expected", *path ? path : "machine");
	for (; fields[n].key; n++)
		names[n] = fields[n].key;
	for (int i = 0; !r->error && i < j->items.n; i++) {
		const char *key = j->items.at[i]->key, *nearest = diag_nearest(key, names, n);
		bool known = false;
		for (int f = 0; f < n; f++)
			known |= !strcmp(names[f], key);
		if (!known && nearest)
			FAIL(r, "%s%s%s: there is no such field, did you mean `%s`?", path, *path ? "." : "", key,
			     nearest);
		else if (!known)
			FAIL(r, "%s%s%s: there is no such field", path, *path ? "." : "", key);
	}
	for (int f = 0; f < n && !r->error; f++) {
		const struct json *value = json_get(j, fields[f].key);
		const char *at = arena_printf(r->arena, "%s%s%s", path, *path ? "." : "", fields[f].key);
		char *to = (char *)record + fields[f].at;
		if (!value && fields[f].kind == FIELD_OPTIONAL)
			continue;
		if (!value) {
			FAIL(r, "%s is missing: %s%s%s", at, fields[f].unit, *fields[f].unit ? " " : "",
			     fields[f].meaning);
			break;
		}
		switch (fields[f].kind) {
		case FIELD_NUMBER:
			*(double *)(void *)to = read_number(r, value, at, &fields[f]);
			break;
		case FIELD_CURVE:
			read_curve(r, value, at, &fields[f], (struct curve *)(void *)to);
			break;
		case FIELD_COUNT:
			*(int64_t *)(void *)to = read_count(r, value, at, &fields[f]);
			break;
		case FIELD_TEXT:
			if (value->kind != JSON_IS_TEXT || !*value->text)
				FAIL(r, "%s: a text is expected (%s)", at, fields[f].meaning);
			*(const char **)(void *)to = value->kind == JSON_IS_TEXT ? value->text : "";
			break;
		case FIELD_OTHER:
		case FIELD_OPTIONAL:
			break;
		}
	}
	return !r->error;
}

/* A list; NULL after an error. */
static const struct json *read_list(struct reader *r, const struct json *j, const char *path, bool may_be_empty)
{
	if (!j || j->kind != JSON_IS_LIST || (!may_be_empty && !j->items.n))
		FAIL(r, "%s: a list%s is expected", path, may_be_empty ? "" : " that is not empty");
	return r->error ? NULL : j;
}

/* ---- processors ---- */

#define NUMBERS(r, j, path, field, to) \
	do { \
		const struct json *list_ = read_list((r), (j), (path), false); \
		for (int i_ = 0; list_ && i_ < list_->items.n && !(r)->error; i_++) { \
			double v_ = read_number((r), list_->items.at[i_], \
						arena_printf((r)->arena, "%s[%d]", (path), i_), (field)); \
			vec_push((r)->arena, (to), v_); \
		} \
	} while (0)

static void check_rising(struct reader *r, const double *at, int n, const char *path)
{
	for (int i = 1; i < n && !r->error; i++)
		if (at[i] <= at[i - 1])
			FAIL(r, "%s[%d]: %g does not come behind %g: extents stand in rising order", path, i, at[i],
			     at[i - 1]);
}

static void read_product(struct reader *r, const struct json *j, const char *path, struct machine_products *p)
{
	static const struct field extent = {.low = 1, .high = 1e9, .factor = 1, .unit = "", .meaning = "an extent"};
	static const struct field rate = {
		.low = 1e-9, .high = 1e6, .factor = 1, .unit = "gigaflops", .meaning = "of a rank"};
	if (!read_fields(r, j, path, product_fields, p))
		return;
	const char *m = arena_printf(r->arena, "%s.m", path), *n = arena_printf(r->arena, "%s.n", path),
		   *k = arena_printf(r->arena, "%s.k", path), *g = arena_printf(r->arena, "%s.gigaflops", path);
	NUMBERS(r, json_get(j, "m"), m, &extent, &p->m);
	NUMBERS(r, json_get(j, "n"), n, &extent, &p->n);
	NUMBERS(r, json_get(j, "k"), k, &extent, &p->k);
	NUMBERS(r, json_get(j, "gigaflops"), g, &rate, &p->rate);
	check_rising(r, p->m.at, p->m.n, m);
	check_rising(r, p->n.at, p->n.n, n);
	check_rising(r, p->k.at, p->k.n, k);
	int64_t want = (int64_t)p->m.n * p->n.n * p->k.n;
	if (!r->error && p->rate.n != want)
		FAIL(r, "%s has %d numbers, not %lld: one for each of %d x %d x %d products", g, p->rate.n,
		     (long long)want, p->m.n, p->n.n, p->k.n);
}

static const char *const dtype_names[] = {
#define DTYPE(name, text, ctype, size, kind) [PMLRT_##name] = text,
#include "../../runtime/dtype.def"
#undef DTYPE
};

static void read_products(struct reader *r, const struct json *j, const char *path, struct machine_processor *p)
{
	if (!r->error && j->kind != JSON_IS_OBJECT)
		FAIL(r, "%s: an object is expected, with a member for each element type", path);
	for (int i = 0; !r->error && i < j->items.n; i++) {
		const struct json *one = j->items.at[i];
		const char *at = arena_printf(r->arena, "%s.%s", path, one->key);
		int type = 0;
		while (type < PMLRT_DTYPES && strcmp(dtype_names[type], one->key))
			type++;
		if (type == PMLRT_DTYPES) {
			FAIL(r, "%s: there is no such element type", at);
			return;
		}
		p->has_products[type] = true;
		read_product(r, one, at, &p->products[type]);
	}
}

static void read_factors(struct reader *r, const struct json *j, const char *path, struct machine_processor *p)
{
	static const struct field rate = {.low = 1e-9,
					  .high = 1e6,
					  .factor = 1,
					  .unit = "giga per second",
					  .meaning = "by the operations of a matrix"};
	if (!r->error && j->kind != JSON_IS_OBJECT)
		FAIL(r, "%s: an object is expected, with a member for each way to factor", path);
	for (int i = 0; !r->error && i < j->items.n; i++) {
		const struct json *one = j->items.at[i];
		const char *at = arena_printf(r->arena, "%s.%s", path, one->key);
		int way = 0;
		while (way < FACTORS_WAYS && strcmp(factors_text((enum factors_way)way), one->key))
			way++;
		if (way == FACTORS_WAYS)
			FAIL(r, "%s: there is no such way to factor", at);
		else if (one->kind != JSON_IS_OBJECT)
			FAIL(r, "%s: an object is expected, with a member for f32 and one for f64", at);
		for (int k = 0; !r->error && k < one->items.n; k++) {
			const char *type = one->items.at[k]->key, *of = arena_printf(r->arena, "%s.%s", at, type);
			if (strcmp(type, "f32") && strcmp(type, "f64"))
				FAIL(r, "%s: there is no such element type", of);
			else
				read_curve(r, one->items.at[k], of, &rate, &p->factors[way][!strcmp(type, "f64")]);
		}
	}
}

static void read_processor(struct reader *r, const struct json *j, const char *path, struct machine *m)
{
	struct machine_processor p = {0};
	if (!read_fields(r, j, path, processor_fields, &p) ||
	    !read_fields(r, json_get(j, "start_us"), arena_printf(r->arena, "%s.start_us", path), start_fields, &p) ||
	    !read_fields(r, json_get(j, "operations"), arena_printf(r->arena, "%s.operations", path), operation_fields,
			 &p))
		return;
	if (p.vector_bytes & (p.vector_bytes - 1))
		FAIL(r, "%s.vector_bytes: %lld is no power of two (bytes of the vectors that programs use there)", path,
		     (long long)p.vector_bytes);
	const struct json *factors = json_get(j, "factors");
	if (factors)
		read_factors(r, factors, arena_printf(r->arena, "%s.factors", path), &p);
	read_products(r, json_get(j, "products"), arena_printf(r->arena, "%s.products", path), &p);
	for (int i = 0; i < m->processors.n; i++)
		if (!strcmp(m->processors.at[i].name, p.name))
			FAIL(r, "%s.name: there is another processor `%s`", path, p.name);
	vec_push(r->arena, &m->processors, p);
}

/* ---- hosts and networks ---- */

static bool read_link(struct reader *r, const struct json *j, const char *path, const struct field *fields,
		      struct machine_link *l)
{
	static const struct field duplex = {.low = 0.1,
					    .high = 1,
					    .factor = 1,
					    .unit = "",
					    .meaning = "part of its rate while messages go both ways"};
	if (!read_fields(r, j, path, fields, l))
		return false;
	if (json_get(j, "duplex"))
		l->both_ways = 1 / fmax(read_number(r, json_get(j, "duplex"), arena_printf(r->arena, "%s.duplex", path),
						    &duplex),
					duplex.low) -
			       1;
	return !r->error;
}

static void read_host_link(struct reader *r, const struct json *j, const char *path, struct machine_link *l)
{
	if (!read_link(r, j, path, host_link_fields, l) || !json_get(j, "shared_memory"))
		return;
	l->shared_memory = ARENA_NEW(r->arena, struct machine_link);
	read_link(r, json_get(j, "shared_memory"), arena_printf(r->arena, "%s.shared_memory", path), link_fields,
		  l->shared_memory);
}

/* Both, or neither: a rank has a processor of its own then. */
static void read_sharing(struct reader *r, const struct json *j, const char *path, struct machine_hosts *h)
{
	static const struct field processors = {"processors", FIELD_COUNT, 0, 1, 1e5, 1, "processors", "of each host"},
				  turn = {"turn_us", FIELD_NUMBER, 0, MICROSECONDS,
					  "that a processor takes to go from one rank to another"};
	const struct json *n = json_get(j, processors.key), *ns = json_get(j, turn.key);
	if (!n && !ns)
		return;
	if (!n || !ns) {
		FAIL(r, "%s.%s is missing: beside %s.%s", path, n ? turn.key : processors.key, path,
		     n ? processors.key : turn.key);
		return;
	}
	h->processors = read_count(r, n, arena_printf(r->arena, "%s.%s", path, processors.key), &processors);
	h->turn = read_number(r, ns, arena_printf(r->arena, "%s.%s", path, turn.key), &turn);
}

static void read_hosts(struct reader *r, const struct json *j, const char *path, struct machine *m)
{
	struct machine_hosts h = {.processor = -1};
	if (!read_fields(r, j, path, hosts_fields, &h))
		return;
	const char *at = arena_printf(r->arena, "%s.link", path);
	if (h.ranks > 1 && !json_get(j, "link"))
		FAIL(r, "%s is missing: between ranks of one host", at);
	else if (json_get(j, "link"))
		read_host_link(r, json_get(j, "link"), at, &h.link);
	read_sharing(r, j, path, &h);
	const char *name = json_get_text(j, "processor");
	for (int i = 0; i < m->processors.n; i++)
		if (!strcmp(m->processors.at[i].name, name))
			h.processor = i;
	if (h.processor < 0)
		FAIL(r, "%s.processor: `%s` is none of `processors`", path, name);
	vec_push(r->arena, &m->hosts, h);
}

static void read_network(struct reader *r, const struct json *j, const char *path, struct machine *m)
{
	struct machine_network n = {0};
	if (!read_fields(r, j, path, network_fields, &n) ||
	    !read_link(r, json_get(j, "link"), arena_printf(r->arena, "%s.link", path), link_fields, &n.link))
		return;
	vec_push(r->arena, &m->networks, n);
}

static void each(struct reader *r, const struct json *j, const char *key, bool may_be_empty, struct machine *m,
		 void (*one)(struct reader *, const struct json *, const char *, struct machine *))
{
	const struct json *list = r->error ? NULL : read_list(r, json_get(j, key), key, may_be_empty);
	for (int i = 0; list && i < list->items.n && !r->error; i++)
		one(r, list->items.at[i], arena_printf(r->arena, "%s[%d]", key, i), m);
}

/* The networks join all hosts, and there are not more ranks than can be. */
static void check_size(struct reader *r, const struct machine *m)
{
	double hosts = 0, ranks = 0, joined = 1;
	for (int i = 0; i < m->hosts.n; i++) {
		hosts += (double)m->hosts.at[i].count;
		ranks += (double)m->hosts.at[i].count * (double)m->hosts.at[i].ranks;
	}
	for (int i = 0; i < m->networks.n; i++)
		joined *= (double)m->networks.at[i].joins;
	if (!r->error && joined < hosts)
		FAIL(r, "networks: they join %g hosts, and there are %g", joined, hosts);
	if (!r->error && ranks > 1e6)
		FAIL(r, "hosts: %g ranks are more than a million", ranks);
}

struct machine *machine_read(struct arena *a, const char *text, size_t n, const char **error)
{
	struct reader r = {.arena = a};
	struct json *j = json_read(a, text, n, &r.error);
	struct machine *m = ARENA_NEW(a, struct machine);
	if (j && read_fields(&r, j, "", machine_fields, m)) {
		each(&r, j, "processors", false, m, read_processor);
		each(&r, j, "hosts", false, m, read_hosts);
		each(&r, j, "networks", true, m, read_network);
		check_size(&r, m);
	}
	if (!r.error)
		machine_share(a, m);
	*error = r.error;
	return r.error ? NULL : m;
}
