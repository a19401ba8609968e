/* onehot.c — a scatter of one point per row as a comparison.
 *
 *   out[i, t[i]] += g[i]   becomes   out[i, v] = where(t[i] == v, g[i], 0)
 *
 * Writing the zeros is work a scatter has too; the comparison is vector-wise, needs no order, and fuses with what adds
 * it to something dense, as in the gradient of a cross-entropy. */
#include "lower.h"

static int data_dim(const struct rule *r)
{
	int found = -1;
	for (int d = 0; d < r->out.rank; d++) {
		const struct index *x = &r->out.index[d];
		if (x->data >= 0 && found >= 0)
			return -1;
		if (x->data >= 0)
			found = d;
		else if (index_factor(x) < 0 || x->guarded || r->out.dim[d] != r->factor[index_factor(x)].extent)
			return -1;
	}
	return found;
}

void map_compare_index(struct arena *a, struct phys_node *n)
{
	const struct rule *r = n->rule;
	int dim = n->kind == PHYS_MAP ? data_dim(r) : -1;
	if (dim < 0 || r->nfactors == MAX_FACTORS || (r->combiner != COMBINE_SUM && r->combiner != COMBINE_NONE))
		return;
	for (int f = 0; f < r->nfactors; f++)
		if (r->factor[f].extent != 1 && access_dim_of(&r->out, f) < 0)
			return;
	struct rule *dense = ARENA_NEW(a, struct rule);
	*dense = *r;
	int f = dense->nfactors++, data = r->out.index[dim].data;
	dense->factor[f] = (struct factor){"v", r->out.dim[dim]};
	dense->out.index[dim] = index_of_factor(f);
	const struct scalar *index = scalar_operand(a, r->operand[data].type, data);
	if (index->type != DT_I64)
		index = scalar_apply(a, SC_CAST, DT_I64, index, NULL, NULL);
	const struct scalar *zero = scalar_number(a, r->body->type, (union scalar_value){0});
	const struct scalar *here = scalar_apply(a, SC_EQ, DT_BOOL, index, scalar_factor(a, f), NULL);
	dense->body = scalar_apply(a, SC_WHERE, r->body->type, here, r->body, zero);
	n->rule = dense;
	if (!n->origins)
		return;
	struct phys_origins *o = phys_origins_copy(a, n->origins, r->noperands);
	o->factor[f] = o->out[dim];
	n->origins = o;
}
