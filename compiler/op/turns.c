/* turns.c — a rule for all turns of a loop at once: one factor more, t, along which lines are read and written.
 *
 *   matmul(a[m, k], b[k, n]) -> [m, n] = sum[k] a * b,  a is line t of A      matmul(a[t, m, k], b[k, n]) -> [t, m, n]
 * = …
 *
 * t is the last factor, so that the others keep their numbers and a reduction its order. */
#include "rule.h"

static bool add_dimension(struct access *a, int64_t extent, int factor, int64_t first, int64_t step)
{
	if (a->rank == MAX_RANK)
		return false;
	for (int d = a->rank++; d > 0; d--) {
		a->dim[d] = a->dim[d - 1];
		a->index[d] = a->index[d - 1];
	}
	a->dim[0] = extent;
	a->index[0] = (struct index){
		.nterms = 1, .term = {{.factor = factor, .coef = step}}, .offset = first, .div = 1, .data = -1};
	return true;
}

static bool is_read_as_index(const struct rule *r, int operand)
{
	for (int d = 0; d < r->out.rank; d++)
		if (r->out.index[d].data == operand)
			return true;
	return rule_reads_index(r, operand);
}

const struct rule *rule_over_turns(struct arena *a, const struct rule *r, int64_t turns, const struct rule_turn *in,
				   bool add_up)
{
	const struct scalar *to[MAX_OPERANDS] = {NULL};
	struct rule *all = ARENA_NEW(a, struct rule);
	int t = r->nfactors;
	*all = *r;
	struct access *operand = rule_own_operands(a, all, 0);
	if (t == MAX_FACTORS || (add_up && r->combiner != COMBINE_NONE && r->combiner != COMBINE_SUM))
		return NULL;
	if (add_up && rule_is_scatter(r) && r->combiner == COMBINE_NONE)
		return NULL;
	all->factor[all->nfactors++] = (struct factor){"t", turns};
	for (int i = 0; i < r->noperands; i++) {
		if (in[i].kind == TURN_LINE && !add_dimension(&operand[i], in[i].extent, t, in[i].first, in[i].step))
			return NULL;
		if (in[i].kind != TURN_NUMBER)
			continue;
		if (is_read_as_index(r, i))
			return NULL;
		to[i] = scalar_apply(a, SC_MUL, DT_I64, scalar_factor(a, t), scalar_int(a, DT_I64, in[i].step), NULL);
		to[i] = scalar_apply(a, SC_ADD, DT_I64, to[i], scalar_int(a, DT_I64, in[i].first), NULL);
	}
	all->body = scalar_substitute(a, r->body, to, NULL);
	if (add_up)
		all->combiner = COMBINE_SUM;
	else if (!add_dimension(&all->out, turns, t, 0, 1))
		return NULL;
	return rule_check(a, all) ? NULL : all;
}
