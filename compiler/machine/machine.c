/* machine.c — where ranks stand and how long work takes: see machine.h. */
#include "machine.h"

#include <math.h>

const char *machine_operation_text(enum machine_operation o)
{
	static const char *const texts[] = {
#define OPERATION(name, text, meaning) text,
#include "operation.def"
#undef OPERATION
	};
	return texts[o];
}

double curve_time(const struct curve *c, double amount)
{
	const struct curve_point *p = c->points.at;
	int n = c->points.n;
	if (amount <= p[0].size)
		return amount > 0 ? amount / p[0].rate : 0;
	for (int i = 1; i < n; i++) {
		double before = p[i - 1].size / p[i - 1].rate, next = p[i].size / p[i].rate;
		if (amount < p[i].size)
			return before + (next - before) * (amount - p[i - 1].size) / (p[i].size - p[i - 1].size);
	}
	return amount / p[n - 1].rate;
}

double curve_rate(const struct curve *c, double size)
{
	return size > 0 ? size / curve_time(c, size) : c->points.at[0].rate;
}

double machine_factors_time(const struct machine_processor *p, enum factors_way way, bool is_f64, double operations)
{
	const struct curve *c = &p->factors[way][is_f64];
	if (c->points.n)
		return curve_time(c, operations);
	return operations * (is_f64 ? 2 : 1) / p->operation[OPERATION_ARITHMETIC];
}

static void copy_curve(struct arena *a, struct curve *c)
{
	struct curve old = *c;
	*c = (struct curve){0};
	for (int i = 0; i < old.points.n; i++)
		vec_push(a, &c->points, old.points.at[i]);
}

static void copy_link(struct arena *a, struct machine_link *l)
{
	copy_curve(a, &l->rate);
	if (!l->shared_memory)
		return;
	const struct machine_link *old = l->shared_memory;
	l->shared_memory = ARENA_NEW(a, struct machine_link);
	*l->shared_memory = *old;
	copy_curve(a, &l->shared_memory->rate);
}

static void copy_processor(struct arena *a, struct machine_processor *p)
{
	copy_curve(a, &p->memory);
	for (int i = 0; i < 2 * FACTORS_WAYS; i++)
		copy_curve(a, &p->factors[i / 2][i % 2]);
	for (int t = 0; t < PMLRT_DTYPES; t++) {
		struct machine_products *x = &p->products[t], old = *x;
		x->rate.at = NULL;
		x->rate.n = x->rate.cap = 0;
		for (int i = 0; i < old.rate.n; i++)
			vec_push(a, &x->rate, old.rate.at[i]);
	}
}

struct machine *machine_copy(struct arena *a, const struct machine *m)
{
	struct machine *x = ARENA_NEW(a, struct machine);
	x->name = m->name;
	for (int i = 0; i < m->processors.n; i++) {
		vec_push(a, &x->processors, m->processors.at[i]);
		copy_processor(a, &x->processors.at[i]);
	}
	for (int i = 0; i < m->hosts.n; i++) {
		vec_push(a, &x->hosts, m->hosts.at[i]);
		copy_link(a, &x->hosts.at[i].link);
	}
	for (int i = 0; i < m->networks.n; i++) {
		vec_push(a, &x->networks, m->networks.at[i]);
		copy_link(a, &x->networks.at[i].link);
	}
	return x;
}

/* ---- processors that ranks share ---- */

double machine_crowd(const struct machine_hosts *h)
{
	return h->processors && h->processors < h->ranks ? (double)h->ranks / (double)h->processors : 1;
}

static void slow_curve(struct curve *c, double factor)
{
	for (int i = 0; i < c->points.n; i++)
		c->points.at[i].rate /= factor;
}

static void slow_link(struct machine_link *l, double factor)
{
	l->latency *= factor;
	l->start *= factor;
	slow_curve(&l->rate, factor);
	if (l->shared_memory)
		slow_link(l->shared_memory, factor);
}

static void slow_processor(struct machine_processor *p, double factor)
{
	for (int i = 0; i < STARTS; i++)
		p->start[i] *= factor;
	for (int i = 0; i < OPERATIONS; i++)
		p->operation[i] /= factor;
	slow_curve(&p->memory, factor);
	for (int i = 0; i < 2 * FACTORS_WAYS; i++)
		slow_curve(&p->factors[i / 2][i % 2], factor);
	for (int t = 0; t < PMLRT_DTYPES; t++)
		for (int i = 0; i < p->products[t].rate.n; i++)
			p->products[t].rate.at[i] /= factor;
}

/* Hosts of one class of processors may have unlike numbers of them. */
void machine_share(struct arena *a, struct machine *m)
{
	bool shares = false;
	for (int i = 0; i < m->hosts.n; i++)
		shares = shares || machine_crowd(&m->hosts.at[i]) > 1;
	m->in_turns = NULL;
	if (!shares)
		return;
	struct machine *x = machine_copy(a, m);
	for (int i = 0; i < x->hosts.n; i++) {
		struct machine_hosts *h = &x->hosts.at[i];
		double factor = machine_crowd(h);
		if (factor == 1)
			continue;
		struct machine_processor own = x->processors.at[h->processor];
		vec_push(a, &x->processors, own);
		h->processor = x->processors.n - 1;
		copy_processor(a, &x->processors.at[h->processor]);
		slow_processor(&x->processors.at[h->processor], factor);
		x->processors.at[h->processor].crowd = factor;
		slow_link(&h->link, factor);
		h->processors = 0;
	}
	m->in_turns = x;
}

const struct machine *machine_in_turns(const struct machine *m)
{
	return m->in_turns ? m->in_turns : m;
}

int64_t machine_ranks(const struct machine *m)
{
	int64_t n = 0;
	for (int i = 0; i < m->hosts.n; i++)
		n += m->hosts.at[i].count * m->hosts.at[i].ranks;
	return n;
}

struct machine_place machine_place_of(const struct machine *m, int64_t rank)
{
	int64_t host = 0;
	int i = 0;
	for (; i < m->hosts.n - 1; i++) {
		const struct machine_hosts *h = &m->hosts.at[i];
		if (rank < h->count * h->ranks)
			break;
		rank -= h->count * h->ranks;
		host += h->count;
	}
	const struct machine_hosts *h = &m->hosts.at[i];
	return (struct machine_place){host + rank / h->ranks, h, &m->processors.at[h->processor]};
}

int64_t machine_unit(const struct machine *m, int64_t host, int level)
{
	for (int i = 0; i < level - 1; i++)
		host /= m->networks.at[i].joins;
	return host;
}

int machine_level(const struct machine *m, int64_t rank, int64_t peer)
{
	int64_t a = machine_place_of(m, rank).host, b = machine_place_of(m, peer).host;
	int level = a != b;
	while (level && level < m->networks.n && machine_unit(m, a, level + 1) != machine_unit(m, b, level + 1))
		level++;
	return level;
}

const struct machine_link *machine_link_between(const struct machine *m, int64_t rank, int64_t peer)
{
	int level = machine_level(m, rank, peer);
	return level ? &m->networks.at[level - 1].link : &machine_place_of(m, rank).kind->link;
}

/* Between which of n rising numbers x lies, and how far towards the next one, by logarithms. */
struct spot {
	int before, next;
	double part;
};

static struct spot spot_of(const double *at, int n, double x)
{
	int i = 0;
	if (x <= at[0])
		return (struct spot){0, 0, 0};
	while (i + 1 < n && at[i + 1] <= x)
		i++;
	if (i + 1 == n)
		return (struct spot){i, i, 0};
	return (struct spot){i, i + 1, log(x / at[i]) / log(at[i + 1] / at[i])};
}

/* The logarithm of the rate is linear in the logarithm of each extent, between the corners around the product. */
double machine_product_time(const struct machine_processor *p, int dtype, int64_t m, int64_t n, int64_t k)
{
	const struct machine_products *t = &p->products[dtype];
	if (m <= 0 || n <= 0 || k <= 0)
		return 0;
	struct spot s[3] = {spot_of(t->m.at, t->m.n, (double)m), spot_of(t->n.at, t->n.n, (double)n),
			    spot_of(t->k.at, t->k.n, (double)k)};
	double rate = 0;
	for (int corner = 0; corner < 8; corner++) {
		double weight = 1;
		int at[3];
		for (int d = 0; d < 3; d++) {
			bool next = corner >> d & 1;
			weight *= next ? s[d].part : 1 - s[d].part;
			at[d] = next ? s[d].next : s[d].before;
		}
		if (weight > 0)
			rate += weight * log(t->rate.at[(at[0] * t->n.n + at[1]) * t->k.n + at[2]]);
	}
	return 2 * (double)m * (double)n * (double)k / exp(rate);
}
