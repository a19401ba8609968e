/* time.c — what a map takes under a choice of layouts: a product what was measured for its shape, and what is copied of
 * windows before; all else its operations and the bytes of its result. */
#include "model.h"

#include "../graph/known.h"
#include "../op/prefix.h"
#include "../seconds/work.h"

static struct shard_atom cuts_of(const struct node *n, const struct choice *c, const struct signature *s, int axis)
{
	struct shard_atom operand[MAX_OPERANDS];
	for (int i = 0; i < n->nin; i++)
		operand[i] = c->in[i].atom[axis];
	return signature_cuts(s, n->rule, operand, c->out.atom[axis]);
}

/* Of the busiest rank, by factor. */
static void local_extents(const struct node *n, const struct choice *c, int64_t *extent)
{
	const struct signature *s;
	signatures_of_known(n->rule, n->in, &s);
	for (int f = 0; f < n->rule->nfactors; f++)
		extent[f] = n->rule->factor[f].extent;
	for (int a = 0; a < n->place->naxes; a++) {
		int f = s[c->signature[a]].factor;
		if (f >= 0)
			extent[f] = cuts_most(cuts_of(n, c, &s[c->signature[a]], a), extent[f], n->place->extent[a]);
	}
}

static bool is_product(const struct node *n, const struct machine_processor *p)
{
	return (n->rule->hint == HINT_GEMM || choice_multiplies(n->rule)) && n->nin == 2 && p->has_products[n->dtype];
}

static double product_time(const struct machine_processor *p, const struct node *n, const int64_t *extent)
{
	int64_t rows = 1, columns = 1, inner = 1;
	double turns = 1;
	for (int f = 0; f < n->rule->nfactors; f++) {
		bool left = access_uses(&n->rule->operand[0], f), right = access_uses(&n->rule->operand[1], f);
		if (rule_reduces(n->rule, f))
			inner *= extent[f];
		else if (left && right)
			turns *= (double)extent[f];
		else if (left)
			rows *= extent[f];
		else
			columns *= extent[f];
	}
	return rows && columns && inner ? turns * machine_product_time(p, (int)n->dtype, rows, columns, inner) : 0;
}

/* What a rank does of a map. */
struct share {
	int64_t extent[MAX_FACTORS];
	struct shape shape; /* what it holds of the result */
	double windowed;    /* elements that it holds of operands that are read through windows */
	bool gathers;       /* every factor of a product is read by itself */
	const struct scalar *body;
	int prefix; /* the factor that a running sum, or its like, goes along in one go; -1: it is none */
};

static struct share share_of(const struct model *m, const struct node *n)
{
	struct prefix prefix;
	bool is_prefix = prefix_of_rule(m->arena, n->rule, &prefix);
	return (struct share){.body = is_prefix ? prefix.value : n->rule->body, .prefix = is_prefix ? prefix.over : -1};
}

/* Of one point. */
static double body_time(const struct machine_processor *p, const struct scalar *s)
{
	if (s->kind != SCALAR_APPLY)
		return 0;
	double ns = 1 / p->operation[work_operation(s->fn)];
	for (int k = 0; k < 3 && s->arg[k]; k++)
		ns += body_time(p, s->arg[k]);
	return ns;
}

static double time_on(const struct machine_processor *p, const struct node *n, const struct share *s)
{
	const int64_t *extent = s->extent;
	if (is_product(n, p) && !s->gathers)
		return product_time(p, n, extent) +
		       s->windowed * (double)dtype_size(n->dtype) / 4 / p->operation[OPERATION_PACK];
	double points = 1, each = 1 / p->operation[OPERATION_ARITHMETIC] + body_time(p, s->body);
	for (int f = 0; f < n->rule->nfactors; f++)
		points *= f == s->prefix ? 1 : (double)extent[f];
	each += s->prefix >= 0 ? (double)dtype_size(n->dtype) / 4 / p->operation[OPERATION_PREFIX] : 0;
	double bytes = (double)shape_volume(&s->shape) * (double)dtype_size(n->dtype);
	double reads = s->gathers && is_product(n, p) ? points / p->operation[OPERATION_GATHER] : 0;
	return points * each + reads + curve_time(&p->memory, bytes);
}

/* On the slowest of the processors that the program's ranks stand on. */
static double slowest(const struct model *m, const struct node *n, const struct share *s)
{
	double most = 0;
	int64_t first = 0;
	for (int i = 0; i < m->machine->hosts.n && first < m->program->nranks; i++) {
		const struct machine_hosts *h = &m->machine->hosts.at[i];
		double ns = time_on(&m->machine->processors.at[h->processor], n, s);
		most = ns > most ? ns : most;
		first += h->count * h->ranks;
	}
	return most;
}

/* Elements of operand i, of which a rank holds so many, that are copied before a product reads them: all that it reads
 * through windows. */
static double windowed(const struct node *n, int i, const struct shape *local)
{
	bool any = false;
	for (int d = 0; d < n->rule->operand[i].rank; d++)
		any |= n->rule->operand[i].index[d].nterms > 1;
	return any ? (double)shape_volume(local) : 0;
}

double model_time(struct model *m, const struct node *n, const struct choice *c)
{
	if (n->kind != NODE_MAP)
		return 0;
	struct share s = share_of(m, n);
	s.shape = layout_largest_shape(n->place, &c->out, &n->shape);
	s.gathers = choice_begins_anywhere(n, c);
	for (int i = 0; i < n->nin && choice_multiplies(n->rule); i++) {
		struct shape local = layout_largest_shape(n->place, &c->in[i], &n->in[i]->shape);
		s.windowed += windowed(n, i, &local);
	}
	local_extents(n, c, s.extent);
	return slowest(m, n, &s);
}

double model_time_whole(const struct model *m, const struct node *n)
{
	if (n->kind != NODE_MAP)
		return 0;
	struct share s = share_of(m, n);
	s.shape = n->shape;
	for (int f = 0; f < n->rule->nfactors; f++)
		s.extent[f] = n->rule->factor[f].extent;
	for (int i = 0; i < n->nin && choice_multiplies(n->rule); i++)
		s.windowed += windowed(n, i, &n->in[i]->shape);
	return slowest(m, n, &s);
}
