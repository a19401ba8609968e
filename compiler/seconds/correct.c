/* correct.c — see correct.h.
 *
 * What a kind of work takes is a sum of parts: a start, bytes, operations, a product (price_parts). A kind belongs to
 * the class of its largest part by the machine file, and says of this class how much longer or shorter it takes, the
 * others being as they are. All kinds of a class together say one factor, so that what takes long counts most. Memory
 * is several classes, one for each point of its curve: what is slower beyond a cache need not be so within. */
#include "correct.h"

#include "price.h"
#include "route.h"
#include "transfer.h"

#include <string.h>

/* Fewer calls are no measure: of the first ones memory is new and code is not in the cache. TURNS: until factors stay,
 * since each says what is left for the others. */
enum { CALLS = 5, TURNS = 4 };

/* What no two machines that go by one name differ by; what is taken for a measure at all. */
static const double MOST = 100, LEAST_PART = 0.05;

static const char *part_text(struct arena *a, int part)
{
	if (part == PRICE_START)
		return "starts of kernels";
	if (part == PRICE_MEMORY)
		return "kernels bound by memory";
	if (part >= PRICE_PRODUCT)
		return arena_printf(a, "products of %s", dtype_text((enum dtype)(part - PRICE_PRODUCT)));
	return arena_printf(a, "kernels bound by %s",
			    machine_operation_text((enum machine_operation)(part - PRICE_OPERATION)));
}

/* What kinds say of something together. */
struct evidence {
	double own, rest, took; /* ns of the part that it is about, of all others, and as measured */
};

static void add_evidence(struct evidence *e, double weight, double own, double all, double took)
{
	e->own += weight * own;
	e->rest += weight * (all - own);
	e->took += weight * took;
}

/* How much slower it is; never so fast that nothing is left. */
static double factor_of(const struct evidence *e)
{
	double took = e->took - e->rest;
	if (e->own <= 0)
		return 1;
	took = took < LEAST_PART * e->own ? LEAST_PART * e->own : took;
	return took / e->own;
}

/* ---- work ---- */

/* One kind on one processor. */
struct kind {
	const struct measured_work *measured;
	enum price_part class;
};

struct kinds {
	VEC(struct kind) all;
};

static double sum(const double *part, int n)
{
	double all = 0;
	for (int i = 0; i < n; i++)
		all += part[i];
	return all;
}

static int largest(const double *part, int n)
{
	int most = 0;
	for (int i = 1; i < n; i++)
		most = part[i] > part[most] ? i : most;
	return most;
}

static enum price_part class_of(const struct machine_processor *p, const struct step_work *w)
{
	double part[PRICE_PARTS];
	price_parts(p, w, part);
	return (enum price_part)largest(part, PRICE_PARTS);
}

static struct kinds find_kinds(struct arena *a, const struct machine *m, int processor, const struct measured *by)
{
	const struct machine_processor *p = &m->processors.at[processor];
	struct kinds kinds = {0};
	for (int i = 0; i < by->works.n; i++) {
		const struct measured_work *w = &by->works.at[i];
		if (w->calls >= CALLS && w->ns > 0 && machine_place_of(m, w->rank).kind->processor == processor &&
		    (w->work.kind != WORK_PRODUCT || p->has_products[w->work.type]))
			vec_push(a, &kinds.all, ((struct kind){w, class_of(p, &w->work)}));
	}
	return kinds;
}

/* How much of the rate at a distance is that of a point of the curve. */
static double share_of(const struct curve *c, int point, double distance)
{
	const struct curve_point *p = c->points.at;
	int next = 0;
	while (next < c->points.n && p[next].size <= distance)
		next++;
	if (next == 0 || next == c->points.n)
		return point == (next ? next - 1 : 0);
	double towards = (distance - p[next - 1].size) / (p[next].size - p[next - 1].size);
	return point == next ? towards : point == next - 1 ? 1 - towards : 0;
}

/* How much of the time that memory takes a step is at a point of the curve. */
static double memory_share(const struct machine_processor *p, const struct reuses *r, int point)
{
	double all = price_memory(p, r), at = 0;
	for (int i = 0; i < r->all.n; i++) {
		double distance = r->all.at[i].distance;
		at += share_of(&p->memory, point, distance) * r->all.at[i].bytes / curve_rate(&p->memory, distance);
	}
	return all > 0 ? at / all : 0;
}

/* Of a point of the memory's curve, -1: of what is none. */
static struct evidence find_evidence(const struct machine_processor *p, const struct kinds *kinds,
				     enum price_part class, int point)
{
	struct evidence e = {0};
	double part[PRICE_PARTS];
	for (int i = 0; i < kinds->all.n; i++) {
		const struct measured_work *w = kinds->all.at[i].measured;
		if (kinds->all.at[i].class != class)
			continue;
		price_parts(p, &w->work, part);
		double share = point < 0 ? 1 : memory_share(p, &w->work.reuses, point);
		add_evidence(&e, share * w->calls, part[class], sum(part, PRICE_PARTS), w->ns);
	}
	return e;
}

static void slow_curve(struct curve *c, double factor)
{
	for (int i = 0; i < c->points.n; i++)
		c->points.at[i].rate /= factor;
}

/* Beyond the last point that anything is said of it goes on so; and no more bytes take less time. */
static void correct_memory(struct machine_processor *p, const struct kinds *kinds)
{
	struct curve *c = &p->memory;
	double last = 1;
	for (int i = 0; i < c->points.n; i++) {
		struct evidence e = find_evidence(p, kinds, PRICE_MEMORY, i);
		last = e.own > 0 ? factor_of(&e) : last;
		c->points.at[i].rate /= last;
	}
	for (int i = 1; i < c->points.n; i++) {
		double before = c->points.at[i - 1].size / c->points.at[i - 1].rate;
		if (c->points.at[i].size / c->points.at[i].rate < before)
			c->points.at[i].rate = c->points.at[i].size / before;
	}
}

static void correct_part(struct machine_processor *p, const struct kinds *kinds, enum price_part class)
{
	struct evidence e = find_evidence(p, kinds, class, -1);
	double factor = factor_of(&e);
	if (class == PRICE_MEMORY) {
		correct_memory(p, kinds);
	} else if (class == PRICE_START) {
		p->start[START_KERNEL] *= factor;
		p->start[START_LOOP] *= factor;
	} else if (class < PRICE_PRODUCT) {
		p->operation[class - PRICE_OPERATION] /= factor;
		for (int i = 0; i < 2 * FACTORS_WAYS && class == PRICE_OPERATION + OPERATION_ARITHMETIC; i++)
			for (int k = 0; k < p->factors[i / 2][i % 2].points.n; k++)
				p->factors[i / 2][i % 2].points.at[k].rate /= factor;
	} else {
		struct machine_products *t = &p->products[class - PRICE_PRODUCT];
		for (int i = 0; i < t->rate.n; i++)
			t->rate.at[i] /= factor;
	}
}

/* One kind of work or transfer: what all its calls took, and would by the machine before and after. */
static void add_kind(struct correction *to, double calls, double took, double before, double after)
{
	to->kinds++;
	to->measured += calls * took;
	to->predicted += calls * before;
	to->corrected += calls * after;
}

static void add_row(struct arena *a, struct corrected *x, struct correction *row, const char *what, const char *where)
{
	row->what = what;
	row->where = where;
	if (row->kinds)
		vec_push(a, &x->rows, *row);
}

static void correct_processor(struct corrected *x, const struct machine *m, struct machine *own, int processor,
			      struct arena *a)
{
	const struct machine_processor *before = &m->processors.at[processor];
	struct machine_processor *after = &own->processors.at[processor];
	const struct kinds kinds = find_kinds(a, m, processor, x->by);
	struct correction row[PRICE_PARTS] = {{0}};
	for (int turn = 0; turn < TURNS; turn++)
		for (int c = 0; c < PRICE_PARTS; c++)
			correct_part(after, &kinds, (enum price_part)c);
	for (int i = 0; i < kinds.all.n; i++) {
		const struct measured_work *w = kinds.all.at[i].measured;
		add_kind(&row[kinds.all.at[i].class], w->calls, w->ns, price_step_work(before, &w->work),
			 price_step_work(after, &w->work));
	}
	for (int c = 0; c < PRICE_PARTS; c++)
		add_row(a, x, &row[c], part_text(a, c), before->name);
}

/* ---- transfers ---- */

/* A level's links: what does not hang on bytes, and what does. */
enum { PER_MESSAGE, PER_BYTE, LINK_PARTS };

/* Transfers whose outermost links are of one level. */
struct level {
	struct machine *machine; /* being corrected */
	const struct measured *by;
	struct routes *routes;
	int level;
	bool in_memory; /* of level 0: what goes through memory that ranks share */
	VEC(struct level_transfer {
		const struct measured_transfer *measured;
		int class;
	})
	all;
};

static struct machine_link *link_at(struct machine *m, int level, bool in_memory, int host)
{
	if (level)
		return &m->networks.at[level - 1].link;
	struct machine_link *l = &m->hosts.at[host].link;
	return in_memory && l->shared_memory ? l->shared_memory : l;
}

static void slow_level(const struct level *x, int class, double factor)
{
	int n = x->level ? 1 : x->machine->hosts.n;
	for (int i = 0; i < n; i++) {
		struct machine_link *l = link_at(x->machine, x->level, x->in_memory, i);
		if (class == PER_BYTE) {
			slow_curve(&l->rate, factor);
		} else {
			l->latency *= factor;
			l->start *= factor;
		}
	}
}

static double alone(const struct level *l, const struct machine *m, const struct measured_transfer *t)
{
	return transfer_alone(m, l->routes, t->transfer, l->by->ranks);
}

/* What it would take if bytes took nothing, and what they take. */
static void find_link_parts(const struct level *l, const struct measured_transfer *t, double *part)
{
	static const double AS_GOOD_AS_NO_TIME = 1e-9;
	double all = alone(l, l->machine, t);
	slow_level(l, PER_BYTE, AS_GOOD_AS_NO_TIME);
	part[PER_MESSAGE] = alone(l, l->machine, t);
	slow_level(l, PER_BYTE, 1 / AS_GOOD_AS_NO_TIME);
	part[PER_BYTE] = all - part[PER_MESSAGE];
}

static void find_transfers(struct arena *a, struct level *l)
{
	for (int i = 0; i < l->by->transfers.n; i++) {
		struct level_transfer t = {.measured = &l->by->transfers.at[i]};
		double part[LINK_PARTS];
		if (t.measured->calls < CALLS ||
		    transfer_level(l->machine, l->routes, t.measured->transfer, l->by->ranks) != l->level ||
		    transfer_in_memory(l->routes, t.measured->transfer, l->by->ranks) != l->in_memory)
			continue;
		find_link_parts(l, t.measured, part);
		t.class = largest(part, LINK_PARTS);
		vec_push(a, &l->all, t);
	}
}

static void correct_links(const struct level *l, int class)
{
	struct evidence e = {0};
	double part[LINK_PARTS];
	for (int i = 0; i < l->all.n; i++) {
		const struct measured_transfer *t = l->all.at[i].measured;
		if (l->all.at[i].class != class)
			continue;
		find_link_parts(l, t, part);
		add_evidence(&e, t->calls, part[class], sum(part, LINK_PARTS), t->ns);
	}
	slow_level(l, class, factor_of(&e));
}

/* Processors are corrected before: what a transfer copies is theirs. */
static void correct_level(struct corrected *x, const struct machine *m, struct machine *own, struct routes *routes,
			  int level, bool in_memory, struct arena *a)
{
	static const char *const names[][LINK_PARTS] = {{"messages: latency", "messages: bandwidth"},
							{"shared memory: latency", "shared memory: bandwidth"}};
	struct level l = {.machine = own, .by = x->by, .routes = routes, .level = level, .in_memory = in_memory};
	struct correction row[LINK_PARTS] = {{0}};
	find_transfers(a, &l);
	for (int turn = 0; turn < TURNS; turn++)
		for (int c = 0; c < LINK_PARTS; c++)
			correct_links(&l, c);
	for (int i = 0; i < l.all.n; i++) {
		const struct measured_transfer *t = l.all.at[i].measured;
		add_kind(&row[l.all.at[i].class], t->calls, t->ns, alone(&l, m, t), alone(&l, own, t));
	}
	for (int c = 0; c < LINK_PARTS; c++)
		add_row(a, x, &row[c], names[in_memory][c], level ? m->networks.at[level - 1].name : "within hosts");
}

/* ---- the whole ---- */

static const char *refusal(struct arena *a, const struct machine *m, const struct measured *by)
{
	if (machine_ranks(m) < by->ranks)
		return arena_printf(a, "the run had %lld ranks, and the machine has %lld", (long long)by->ranks,
				    (long long)machine_ranks(m));
	for (int i = 0; i < m->processors.n; i++)
		if (m->processors.at[i].vector_bytes != by->vector_bytes)
			return arena_printf(a,
					    "the run had vectors of %d bytes, and processor `%s` has %lld: compile for "
					    "it (--target-cpu)",
					    by->vector_bytes, m->processors.at[i].name,
					    (long long)m->processors.at[i].vector_bytes);
	return NULL;
}

struct corrected *machine_correct(struct arena *a, const struct machine *m, const struct measured *by,
				  const char **error)
{
	struct corrected *x = ARENA_NEW(a, struct corrected);
	struct machine *own = machine_copy(a, m);
	*x = (struct corrected){.by = by, .machine = own};
	if ((*error = refusal(a, m, by)))
		return NULL;
	struct routes *routes = routes_new(a, by->program, m);
	for (int i = 0; i < m->processors.n; i++)
		correct_processor(x, m, own, i, a);
	correct_level(x, m, own, routes, 0, true, a);
	for (int level = 0; level <= m->networks.n; level++)
		correct_level(x, m, own, routes, level, false, a);
	for (int i = 0; i < x->rows.n; i++) {
		const struct correction *c = &x->rows.at[i];
		double factor = c->measured / c->predicted;
		if (!*error && !(factor < MOST && factor > 1 / MOST))
			*error = arena_printf(a,
					      "%s (%s) took %.3g times what the machine file says: the run was on "
					      "another machine, or with others on it all the time",
					      c->what, c->where, factor);
	}
	if (!x->rows.n)
		*error = "nothing in it was done five times: run more steps";
	machine_share(a, own);
	return *error ? NULL : x;
}
