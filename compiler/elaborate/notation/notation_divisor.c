/* notation_divisor.c — ints that are divided by are read through a CHECK node (region/check.c), as indices are:
 * generated code gives 0 where the divisor is 0. A divisor that is computed in the body is one of all points, by a rule
 * of its own, where it is not seen at once that it cannot be 0. */
#include "notation_build.h"
#include "../values/values.h"

#include "../../op/range.h"

/* A notation of the operands that y reads, renumbered in *y. */
static void take_operands(struct notation *sub, const struct notation *n, const struct scalar **y)
{
	const struct scalar *to[MAX_OPERANDS] = {NULL};
	bool is_read[MAX_OPERANDS] = {false};
	int number[MAX_OPERANDS];
	*sub = *n;
	sub->noperands = 0;
	for (int k = 0; k < n->noperands; k++)
		is_read[k] = scalar_uses_operand(*y, k);
	for (int k = 0; k < n->noperands; k++)
		for (int d = 0; is_read[k] && d < n->operand[k].access.rank; d++)
			if (n->operand[k].access.index[d].data >= 0)
				is_read[n->operand[k].access.index[d].data] = true;
	for (int k = 0; k < n->noperands; k++) {
		number[k] = sub->noperands;
		if (!is_read[k])
			continue;
		to[k] = scalar_operand(n->e->a, n->operand[k].node->dtype, sub->noperands);
		sub->operand[sub->noperands++] = n->operand[k];
	}
	for (int k = 0; k < sub->noperands; k++)
		for (int d = 0; d < sub->operand[k].access.rank; d++) {
			struct index *x = &sub->operand[k].access.index[d];
			x->data = x->data < 0 ? -1 : number[x->data];
		}
	*y = scalar_substitute(n->e->a, *y, to, NULL);
}

/* y at each point, over the factors it depends on; 1 where there is none. */
static struct node *divisor_node(struct notation *n, const struct scalar *y, struct access *out)
{
	struct notation *sub = notation_new(n->e, n->name, n->at);
	take_operands(sub, n, &y);
	bool guarded = false;
	*out = (struct access){.type = y->type};
	for (int k = 0; k < sub->noperands; k++)
		for (int d = 0; d < sub->operand[k].access.rank; d++)
			guarded = guarded || sub->operand[k].access.index[d].guarded;
	for (int f = 0; f < n->nfactors; f++) {
		bool depends = scalar_uses_factor(y, f);
		for (int k = 0; k < sub->noperands; k++)
			depends = depends || access_uses(&sub->operand[k].access, f);
		if (!depends)
			continue;
		if (out->rank == MAX_RANK) {
			struct diag *d = elab_error(n->e, PML0211, n->at, "a divisor depends on at most %d factors",
						    (int)MAX_RANK);
			diag_help(d, "compute it by a `let` before");
			notation_end(sub);
			return NULL;
		}
		out->dim[out->rank] = n->factor[f].extent;
		out->index[out->rank++] = index_of_factor(f);
	}
	struct node *x = notation_map(sub, out, guarded ? COMBINE_PROD : COMBINE_NONE, y);
	notation_end(sub);
	return x;
}

static bool cannot_be_zero(const struct node *x)
{
	struct range in[MAX_OPERANDS];
	for (int k = 0; k < x->nin; k++)
		in[k] = range_of_type(x->in[k]->dtype);
	struct range r = range_of_rule(x->rule, in);
	return r.low > 0 || r.high < 0;
}

/* An operand of all points takes the place of y. */
static bool replace_divisor(struct notation *n, struct typed_list *l)
{
	struct access a;
	struct node *x = divisor_node(n, l->s[1], &a);
	if (!x || (x->kind == NODE_MAP && cannot_be_zero(x)))
		return x != NULL && !n->failed;
	struct node *checked = check_divisor(n->e, x, l->span[1]);
	if (checked == x)
		return !n->failed;
	int k = notation_operand(n, checked, &a, l->span[1]);
	l->s[1] = k < 0 ? NULL : scalar_operand(n->e->a, a.type, k);
	l->term[1].is_index = false;
	n->replaces = true;
	return !n->failed;
}

bool notation_divisor(struct notation *n, struct typed_list *l)
{
	const struct scalar *y = l->s[1];
	struct noted_operand *o = y->kind == SCALAR_OPERAND ? &n->operand[y->index] : NULL;
	if (y->kind == SCALAR_CONST && y->i != 0)
		return true;
	if (y->kind == SCALAR_CONST)
		elab_zero_division(n->e, l->span[1]);
	else if (!o)
		return replace_divisor(n, l);
	else if (o->node->kind != NODE_CHECK || o->node->check.asked != ASKED_NOT_ZERO)
		o->node = check_divisor(n->e, o->node, l->span[1]);
	return y->kind != SCALAR_CONST && !n->failed;
}
