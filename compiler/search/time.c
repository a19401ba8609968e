/* time.c — what a map takes under a choice of layouts: a product what was measured for its shape, all else its
 * operations and the bytes of its result. */
#include "model.h"

#include "../graph/known.h"

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

/* shape: what a rank holds of the result; gathers: every factor of a product is read by itself. */
static double time_on(const struct machine_processor *p, const struct node *n, const int64_t *extent,
		      const struct shape *shape, bool gathers)
{
	if (is_product(n, p) && !gathers)
		return product_time(p, n, extent);
	double points = 1, flops = 1 + scalar_flops(n->rule->body);
	for (int f = 0; f < n->rule->nfactors; f++)
		points *= (double)extent[f];
	double bytes = (double)shape_volume(shape) * (double)dtype_size(n->dtype);
	double reads = gathers && is_product(n, p) ? points / p->operation[OPERATION_GATHER] : 0;
	return points * flops / p->operation[OPERATION_ARITHMETIC] + reads + curve_time(&p->memory, bytes);
}

/* On the slowest of the processors that the program's ranks stand on. */
static double slowest(const struct model *m, const struct node *n, const int64_t *extent, const struct shape *shape,
		      bool gathers)
{
	double most = 0;
	int64_t first = 0;
	for (int i = 0; i < m->machine->hosts.n && first < m->program->nranks; i++) {
		const struct machine_hosts *h = &m->machine->hosts.at[i];
		double ns = time_on(&m->machine->processors.at[h->processor], n, extent, shape, gathers);
		most = ns > most ? ns : most;
		first += h->count * h->ranks;
	}
	return most;
}

double model_time(struct model *m, const struct node *n, const struct choice *c)
{
	int64_t extent[MAX_FACTORS];
	if (n->kind != NODE_MAP)
		return 0;
	struct shape local = layout_largest_shape(n->place, &c->out, &n->shape);
	local_extents(n, c, extent);
	return slowest(m, n, extent, &local, choice_begins_anywhere(n, c));
}

double model_time_whole(const struct model *m, const struct node *n)
{
	int64_t extent[MAX_FACTORS];
	if (n->kind != NODE_MAP)
		return 0;
	for (int f = 0; f < n->rule->nfactors; f++)
		extent[f] = n->rule->factor[f].extent;
	return slowest(m, n, extent, &n->shape, false);
}
