/* parts.c — see parts.h. What is known of a value is read off the maps that make it, a few of them back: numbers of the
 * program, conditions and integers, draws, bounded functions. Of params, data and numbers of the host nothing is known.
 */
#include "parts.h"

#include <math.h>

enum { FINITE = 1, NOT_ZERO = 2 }; /* never an infinity; never 0. Both may be NaN, of which everything becomes NaN */

enum { MAPS_BACK = 4 };

static unsigned of_number(enum dtype t, double f, int64_t i)
{
	if (!dtype_is_float(t))
		return FINITE | (i ? NOT_ZERO : 0);
	return (isinf(f) ? 0 : FINITE) | (f != 0 ? NOT_ZERO : 0);
}

static unsigned of_node(const struct node *n, int back);

static unsigned of_cast(const struct scalar *s, unsigned x)
{
	enum dtype from = s->arg[0]->type;
	if (!dtype_is_float(s->type))
		return FINITE;
	if (!dtype_is_float(from))
		return s->type == DT_F16 && dtype_size(from) > 1 ? x & NOT_ZERO : x;
	return from == s->type || dtype_size(from) < dtype_size(s->type) ? x : 0;
}

static unsigned of_apply(const struct scalar *s, const unsigned *x)
{
	switch (s->fn) {
	case SC_TANH:
	case SC_ERF:
	case SC_SIN:
	case SC_COS:
	case SC_ATAN2:
	case SC_RANDOM_UNIFORM:
	case SC_RANDOM_NORMAL:
		return FINITE;
	case SC_NEG:
	case SC_ABS:
		return x[0];
	case SC_FLOOR:
	case SC_ROUND:
	case SC_SQRT:
		return x[0] & FINITE;
	case SC_MIN:
	case SC_MAX:
		return x[0] & x[1];
	case SC_WHERE:
		return x[1] & x[2];
	case SC_CAST:
		return of_cast(s, x[0]);
	case SC_ADD:
	case SC_SUB:
	case SC_MUL:
	case SC_DIV:
	case SC_MOD:
	case SC_POW:
	case SC_EXP:
	case SC_LOG:
	case SC_RSQRT:
	case SC_LOG1P:
	case SC_EXPM1:
	case SC_SOFTPLUS:
	case SC_LGAMMA:
	case SC_EQ:
	case SC_NE:
	case SC_LT:
	case SC_LE:
	case SC_GT:
	case SC_GE:
	case SC_AND:
	case SC_OR:
	case SC_NOT:
	case SC_RANDOM_BITS:
	case SC_FOLD_KEY:
	case SC_SUM_GRID:
	case SC_QUANTA:
	case SC_OF_QUANTA:
	case SC_REINTERPRET:
	case SC_FN_COUNT:
		break;
	}
	return 0;
}

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
		return FINITE;
	case SCALAR_APPLY:
		break;
	}
	for (int k = 0; k < 3 && s->arg[k]; k++)
		x[k] = of_scalar(n, s->arg[k], back);
	return of_apply(s, x) | (dtype_is_float(s->type) ? 0 : FINITE);
}

/* Points that are left out are 0. */
static unsigned of_map(const struct node *n, int back)
{
	const struct rule *r = n->rule;
	if (r->combiner != COMBINE_NONE || back == 0)
		return 0;
	return of_scalar(n, r->body, back - 1) & (rule_is_guarded(r) || rule_is_scatter(r) ? FINITE : ~0u);
}

static unsigned of_node(const struct node *n, int back)
{
	while (node_is_identity(n) || n->kind == NODE_RESHAPE)
		n = n->in[0];
	if (n->kind == NODE_CONST)
		return of_number(n->dtype, n->number.f, n->number.i);
	return (n->kind == NODE_MAP ? of_map(n, back) : 0) | (dtype_is_float(n->dtype) ? 0 : FINITE);
}

static bool reads(const struct scalar *s, unsigned parts)
{
	if (s->kind == SCALAR_OPERAND)
		return parts >> s->index & 1;
	for (int k = 0; s->kind == SCALAR_APPLY && k < 3 && s->arg[k]; k++)
		if (reads(s->arg[k], parts))
			return true;
	return false;
}

/* Of a product or quotient that reads parts: the other side, and what it must be. NULL for all other functions. */
static const struct scalar *coefficient(const struct scalar *s, unsigned parts, unsigned *wanted)
{
	*wanted = s->fn == SC_DIV ? NOT_ZERO : FINITE;
	if (s->fn == SC_DIV)
		return s->arg[1];
	return s->fn == SC_MUL ? s->arg[reads(s->arg[0], parts)] : NULL;
}

static bool coefficients_are_safe(const struct node *n, const struct scalar *s, unsigned parts)
{
	unsigned wanted;
	if (s->kind != SCALAR_APPLY || !reads(s, parts))
		return true;
	const struct scalar *c = coefficient(s, parts, &wanted);
	if (c && !(of_scalar(n, c, MAPS_BACK) & wanted))
		return false;
	for (int k = 0; k < 3 && s->arg[k]; k++)
		if (!coefficients_are_safe(n, s->arg[k], parts))
			return false;
	return true;
}

bool parts_are_kept(const struct node *n, unsigned parts)
{
	return coefficients_are_safe(n, n->rule->body, parts);
}

unsigned parts_facts(const struct node *n)
{
	unsigned facts = 0;
	for (int k = 0; n->kind == NODE_MAP && k < n->nin; k++)
		facts = facts << 2 | of_node(n->in[k], MAPS_BACK);
	return facts;
}

/* Whether -0.0 for the parts gives -0.0. */
static bool keeps_absence(const struct scalar *s, unsigned parts)
{
	if (s->kind == SCALAR_OPERAND)
		return parts >> s->index & 1;
	if (s->kind != SCALAR_APPLY)
		return false;
	if (s->fn == SC_CAST)
		return keeps_absence(s->arg[0], parts);
	if (s->fn == SC_WHERE)
		return keeps_absence(s->arg[1], parts) && keeps_absence(s->arg[2], parts);
	return s->fn == SC_ADD && keeps_absence(s->arg[0], parts) && keeps_absence(s->arg[1], parts);
}

bool parts_stay_owned(const struct node *n, unsigned parts)
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
