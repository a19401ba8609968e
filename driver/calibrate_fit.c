/* calibrate_fit.c — from the times of probes to the numbers of a machine file. A number that the model of
 * compiler/seconds uses is found by asking the model: it is the one at which the probe's region takes as long as
 * measured. What stands in tables (products, memory, messages) is divided out. */
#include "calibrate.h"

#include "compiler/seconds/price.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* What a number can be at the least and at the most, as machine_read has it. */
static const double LEAST = 1e-6, MOST = 1e6, MOST_BOTH_WAYS = 9;

static const struct {
	size_t at;
	bool is_rate;
} operations[] = {
#define PROBE(field, is_rate, has_products, items, statement) {offsetof(struct machine_processor, field), is_rate},
#include "calibrate.def"
#undef PROBE
};

struct fit {
	const struct probes *all;
	const struct program *program;
	struct machine_processor *processor;
	struct price price;
	struct curve memory; /* as far as it was measured */
	enum link link;      /* that is being fitted */
	struct machine_link of[LINKS];
	double compute;   /* what the next exchange takes without messages */
	bool has_overlap; /* of this link; … */
	double unlike;    /* … how far its kernel was from taking as long as its bytes */
	double written;   /* what writing the next message takes */
};

/* The bisection's middle is by logarithms: numbers are positive, and their size is not known. */
static void fit_number(struct fit *f, const struct probe *x, double *number, bool is_rate)
{
	const struct plan *plan = probe_plan(f->all, f->program, x);
	double low = LEAST, high = MOST;
	for (int i = 0; i < 60; i++) {
		*number = sqrt(low * high);
		bool too_long = price_plan(&f->price, plan) > x->ns[f->link];
		if (too_long == is_rate)
			low = *number;
		else
			high = *number;
	}
}

/* What a probe takes beside the region around it; never nothing. */
static double alone(const struct fit *f, const struct probe *x)
{
	double ns = x->ns[f->link] - f->processor->start[START_REGION];
	return ns > 1 ? ns : 1;
}

static double at_most(double rate)
{
	return rate < MOST ? rate : MOST;
}

/* Adds a point, with a rate at which more does not take less. */
static void add_point(struct arena *a, struct curve *c, double size, double ns)
{
	const struct curve_point *last = c->points.n ? &c->points.at[c->points.n - 1] : NULL;
	double least = last ? last->size / last->rate : 0;
	/* Written with four digits, it must hold as well. */
	struct curve_point p = {size, at_most(size / (ns > least * 1.002 ? ns : least * 1.002))};
	vec_push(a, &c->points, p);
}

/* A kernel that runs again and again: its bytes are as far away as it touches. They take what it takes, but for its
 * start, unless its operations take as long. */
static void fit_memory(struct fit *f, const struct probe *x)
{
	const struct plan *plan = probe_plan(f->all, f->program, x);
	double distance = 0, moved = 0, ns = x->ns[f->link], computing = 0;
	for (int i = 0; i < plan->steps.n; i++) {
		if (!probe_times(plan, i))
			continue;
		struct step_work w = step_work(&f->price.works, plan, &plan->steps.at[i]);
		double part[PRICE_PARTS];
		price_parts(f->processor, &w, part);
		ns -= part[PRICE_START];
		for (int o = 0; o < OPERATIONS; o++)
			computing += part[PRICE_OPERATION + o];
		for (int k = 0; k < w.reuses.all.n; k++) {
			distance = fmax(distance, w.reuses.all.at[k].distance);
			moved += w.reuses.all.at[k].bytes;
		}
	}
	add_point(f->all->arena, &f->memory, distance, (ns > computing ? ns : 0) * distance / moved);
}

#define PUSH_NEW(a, v, x) \
	do { \
		if (!(v)->n || (v)->at[(v)->n - 1] < (x)) \
			vec_push((a), (v), (x)); \
	} while (0)

/* Probes come with k's extents fastest, m's slowest: each list is complete once, from the least on. */
static void fit_product(struct fit *f, const struct probe *x)
{
	struct arena *a = f->all->arena;
	struct machine_products *t = &f->processor->products[x->type];
	f->processor->has_products[x->type] = true;
	PUSH_NEW(a, &t->m, (double)x->m);
	PUSH_NEW(a, &t->n, (double)x->n);
	PUSH_NEW(a, &t->k, (double)x->k);
	double rate = at_most(2 * (double)x->m * (double)x->n * (double)x->k / alone(f, x));
	vec_push(a, &t->rate, rate);
}

/* Probes of a way come with the fewest lines first. */
static void fit_factors(struct fit *f, const struct probe *x)
{
	enum factors_way way = (enum factors_way)x->row;
	add_point(f->all->arena, &f->processor->factors[way][x->type == DT_F64],
		  work_of_factors(way, x->type, x->n, 1).amount, alone(f, x) / (double)x->m);
}

/* Two elements from rank 0 to rank 1 and one back are two latencies; more bytes there take what is beyond. */
static void fit_message(struct fit *f, const struct probe *x)
{
	struct machine_link *link = &f->of[f->link];
	double ns = alone(f, x) - f->written;
	ns = ns > 1 ? ns : 1;
	if (!link->latency) {
		link->latency = ns / 2;
		return;
	}
	add_point(f->all->arena, &link->rate, (double)x->bytes, ns - 2 * link->latency);
}

static void fit_burst(struct fit *f, const struct probe *x)
{
	struct machine_link *link = &f->of[f->link];
	double start = (alone(f, x) - 2 * link->latency) / (BURST_MESSAGES - 1);
	link->start = start > 0 ? (start < link->latency ? start : link->latency) : 0;
}

/* Between hosts: of messages each way that a kernel hardly shortens, which take longer than the same one way. */
static void fit_duplex(const struct fit *f, struct machine_link *link, double bytes, double more)
{
	if (f->all->apart && f->compute < bytes / 10 && more - link->latency > bytes)
		link->both_ways = fmin(fmax(link->both_ways, (more - link->latency) / bytes - 1), MOST_BOTH_WAYS);
}

/* What two messages at a time, one each way, take longer than the kernel without them is not overlapped: at either end
 * the processor has to do with both. What it computes for longer than that could not be seen. */
static void fit_overlap(struct fit *f, const struct probe *x)
{
	struct machine_link *link = &f->of[f->link];
	double bytes = curve_time(&link->rate, (double)x->bytes), more = alone(f, x) - f->compute;
	fit_duplex(f, link, bytes, more);
	bytes *= 1 + link->both_ways;
	double overlap =
		bytes > f->compute ? 1 - (more - (bytes - f->compute)) / (bytes + f->compute) : 1 - more / (2 * bytes);
	double unlike = fabs(log(bytes / f->compute));
	if (f->has_overlap && unlike >= f->unlike)
		return;
	f->has_overlap = true;
	f->unlike = unlike;
	link->overlap = overlap < 0 ? 0 : overlap > 1 ? 1 : overlap;
}

static void fit_probe(struct fit *f, const struct probe *x)
{
	switch (x->kind) {
	case PROBE_OPERATION:
		fit_number(f, x, (double *)(void *)((char *)f->processor + operations[x->row].at),
			   operations[x->row].is_rate);
		return;
	case PROBE_MEMORY:
		fit_memory(f, x);
		return;
	case PROBE_PRODUCT:
		f->processor->memory = f->memory; /* which is known by now */
		fit_product(f, x);
		return;
	case PROBE_FACTORS:
		fit_factors(f, x);
		return;
	case PROBE_WRITE:
		f->written = alone(f, x);
		return;
	case PROBE_MESSAGE:
		fit_message(f, x);
		return;
	case PROBE_BURST:
		fit_burst(f, x);
		return;
	case PROBE_COMPUTE:
		f->compute = alone(f, x);
		return;
	case PROBE_OVERLAP:
		fit_overlap(f, x);
		return;
	}
}

/* Until memory is measured, in probes that stay in the nearest cache, everything is as fast as can be. */
static struct machine_processor fastest(struct arena *a, int vector_bytes)
{
	struct machine_processor p = {.name = "measured", .vector_bytes = vector_bytes};
	for (int i = 0; i < OPERATIONS; i++)
		p.operation[i] = MOST;
	vec_push(a, &p.memory.points, ((struct curve_point){1, MOST}));
	return p;
}

/* What is too long for shared memory is no part of that; what overlaps is asked of messages that are sent as such, the
 * shorter ones between hosts. */
static bool is_of(const struct fit *f, enum link link, const struct probe *x)
{
	bool is_long = x->bytes > EXCHANGE_WINDOW_BYTES;
	if (!probe_is_of_link(x))
		return false;
	if (x->kind < PROBE_COMPUTE)
		return link == LINK_OF_MESSAGES || !is_long;
	return (link == LINK_OF_MESSAGES) == (is_long != f->all->apart);
}

static void fit_link(struct fit *f, enum link link)
{
	f->link = link;
	f->has_overlap = false;
	for (int i = 0; i < f->all->rows.n; i++)
		if (is_of(f, link, &f->all->rows.at[i]))
			fit_probe(f, &f->all->rows.at[i]);
}

/* The link is what joins ranks, and ranks on several hosts are joined by a network. */
static void add_hosts(const struct probes *all, struct machine *m, const struct fit *f)
{
	const struct machine_link *link = &f->of[LINK_OF_MESSAGES];
	struct machine_hosts host = {.count = 1, .ranks = all->ranks, .link = *link};
	if (all->ranks > 1) {
		host.link.shared_memory = ARENA_NEW(all->arena, struct machine_link);
		*host.link.shared_memory = f->of[LINK_AS_IS];
	}
	if (all->apart) {
		struct machine_network between = {.name = "between hosts", .joins = all->ranks, .link = *link};
		host = (struct machine_hosts){.count = all->ranks, .ranks = 1};
		vec_push(all->arena, &m->networks, between);
	}
	vec_push(all->arena, &m->hosts, host);
}

/* Between two uses of a byte the others use as many of theirs: caches are as much smaller. */
static void share_caches(struct curve *c, double factor)
{
	for (int i = 0; i < c->points.n; i++)
		c->points.at[i].size /= factor;
}

struct machine *probes_fit(const struct probes *all, const struct program *p, int vector_bytes, int64_t ranks)
{
	struct machine *m = ARENA_NEW(all->arena, struct machine);
	m->name = arena_printf(all->arena, "measured with %lld %s", (long long)all->ranks,
			       all->ranks == 1 ? "rank" : "ranks");
	vec_push(all->arena, &m->processors, fastest(all->arena, vector_bytes));
	struct fit f = {.all = all, .program = p, .processor = &m->processors.at[0]};
	f.price = price_on(all->arena, p, f.processor);
	for (int i = 0; i < all->rows.n; i++)
		if (!probe_is_of_link(&all->rows.at[i]))
			fit_probe(&f, &all->rows.at[i]);
	for (int i = 0; i < LINKS; i++)
		fit_link(&f, (enum link)i);
	add_hosts(all, m, &f);
	if (ranks > all->ranks) {
		m->name = arena_printf(all->arena, "%s, for %lld that share processors", m->name, (long long)ranks);
		m->hosts.at[0].ranks = ranks;
		m->hosts.at[0].processors = all->ranks;
		share_caches(&m->processors.at[0].memory, (double)ranks / (double)all->ranks);
	}
	return m;
}
