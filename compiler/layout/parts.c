/* parts.c — see parts.h. What is known of a value is read off the maps that make it, a few of them back: numbers of the
 * program, conditions and integers, draws, bounded functions. Of params, data and numbers of the host nothing is known.
 */
#include "parts.h"

#include "../op/scalars/function.h"

#include "base/memo.h"

#include <math.h>

enum { MAPS_BACK = 4 };

static unsigned of_number(enum dtype t, double f, int64_t i)
{
	if (!dtype_is_float(t))
		return FACT_FINITE | (i ? FACT_NOT_ZERO : 0);
	return (isinf(f) ? 0 : FACT_FINITE) | (f != 0 ? FACT_NOT_ZERO : 0);
}

static unsigned of_node(const struct node *n, int back);

static unsigned of_scalar(const struct node *n, const struct scalar *s, int back)
{
	unsigned x[3] = {0, 0, 0};
	switch (s->kind) {
	case SCALAR_CONST:
		return of_number(s->type, s->f, s->i);
	case SCALAR_OPERAND:
		return of_node(n->in[s->index], back);
	case SCALAR_FACTOR:
	case SCALAR_EXTENT:
		return FACT_FINITE;
	case SCALAR_APPLY:
		break;
	}
	for (int k = 0; k < 3 && s->arg[k]; k++)
		x[k] = of_scalar(n, s->arg[k], back);
	const struct scalar_function *f = scalar_functions[s->fn];
	return f->always | (f->facts ? f->facts(s, x) : 0) | (dtype_is_float(s->type) ? 0 : FACT_FINITE);
}

/* Points that are left out are 0. */
static unsigned of_map(const struct node *n, int back)
{
	const struct rule *r = n->rule;
	if (r->combiner != COMBINE_NONE || back == 0)
		return 0;
	return of_scalar(n, r->body, back - 1) & (rule_is_guarded(r) || rule_is_scatter(r) ? FACT_FINITE : ~0u);
}

static unsigned of_node(const struct node *n, int back)
{
	while (node_is_identity(n) || n->kind == NODE_RESHAPE)
		n = n->in[0];
	if (n->kind == NODE_CONST)
		return of_number(n->dtype, n->number.f, n->number.i);
	return (n->kind == NODE_MAP ? of_map(n, back) : 0) | (dtype_is_float(n->dtype) ? 0 : FACT_FINITE);
}

static bool reads(const struct scalar *s, uint64_t parts)
{
	if (s->kind == SCALAR_OPERAND)
		return parts >> s->index & 1;
	for (int k = 0; s->kind == SCALAR_APPLY && k < 3 && s->arg[k]; k++)
		if (reads(s->arg[k], parts))
			return true;
	return false;
}

/* What the parts are multiplied with or divided by, anywhere in s, does no harm. */
static bool coefficients_are_safe(const struct node *n, const struct scalar *s, uint64_t parts)
{
	if (s->kind != SCALAR_APPLY || !reads(s, parts))
		return true;
	const unsigned *beside = scalar_functions[s->fn]->beside;
	for (int k = 0; k < 3 && s->arg[k]; k++)
		if (reads(s->arg[k], parts) ? !coefficients_are_safe(n, s->arg[k], parts)
					    : beside[k] & ~of_scalar(n, s->arg[k], MAPS_BACK))
			return false;
	return true;
}

bool parts_are_kept(const struct node *n, uint64_t parts)
{
	return coefficients_are_safe(n, n->rule->body, parts);
}

void parts_add_facts(struct memo *m, const struct node *n)
{
	for (int k = 0; n->kind == NODE_MAP && k < n->nin; k++)
		memo_add(m, of_node(n->in[k], MAPS_BACK));
}

/* Whether -0.0 for the parts gives -0.0. */
static bool keeps_absence(const struct scalar *s, uint64_t parts)
{
	if (s->kind == SCALAR_OPERAND)
		return parts >> s->index & 1;
	if (s->kind != SCALAR_APPLY)
		return false;
	unsigned absence = scalar_functions[s->fn]->absence;
	for (int k = 0; k < 3; k++)
		if (absence >> k & 1 && !keeps_absence(s->arg[k], parts))
			return false;
	return absence != 0;
}

bool parts_stay_owned(const struct node *n, uint64_t parts)
{
	return n->rule->combiner == COMBINE_NONE && !rule_is_guarded(n->rule) && !rule_is_scatter(n->rule) &&
	       keeps_absence(n->rule->body, parts);
}

bool is_float_sum(enum dtype t, const struct place *p, const struct layout *l)
{
	for (int a = 0; p && dtype_is_float(t) && a < p->naxes; a++)
		if (p->extent[a] > 1 && l->atom[a].kind == SHARD_P && l->atom[a].combiner == SHARD_SUM)
			return true;
	return false;
}
