/* known.c — see known.h. */
#include "known.h"

#include "../op/intern.h"

#include <string.h>

/* The number that every element of n is, if n is one of the program, moved or reshaped. A conversion that
 * layout/trial.c tries out has no input. */
static const struct node *number_of(const struct node *n)
{
	while (n->nin == 1 && (node_is_identity(n) || n->kind == NODE_RESHAPE))
		n = n->in[0];
	return n->kind == NODE_CONST ? n : NULL;
}

const struct rule *rule_with_number(const struct rule *r, int operand, union scalar_value number)
{
	uint64_t bits;
	memcpy(&bits, &number, sizeof bits);
	struct derived *d = rule_derived(r, DERIVE_NUMBER, (uint64_t)operand, bits);
	if (!d->is_wanted)
		return d->rule;
	struct rules *table = rule_facts(r)->table;
	struct arena *a = rules_arena(table);
	enum dtype t = r->operand[operand].type;
	const struct scalar *to[MAX_OPERANDS] = {NULL};
	to[operand] = dtype_is_float(t) ? scalar_float(a, t, number.f) : scalar_int(a, t, number.i);
	struct rule fresh = *r;
	fresh.body = scalar_substitute(a, r->body, to, NULL);
	return rule_derived_is(d, rule_intern(table, &fresh));
}

const struct rule *rule_of_known(const struct rule *r, struct node *const *in)
{
	for (int k = 0; rule_facts(r) && k < r->noperands; k++) {
		const struct node *number = scalar_uses_operand(r->body, k) ? number_of(in[k]) : NULL;
		if (number)
			r = rule_with_number(r, k, number->number);
	}
	return r;
}

static bool is_listed(const struct rule *r, const struct signature *s, const struct signature *list, int n)
{
	for (int i = 0; i < n; i++) {
		bool same = atom_equal(s->out, list[i].out);
		for (int k = 0; same && k < r->noperands; k++)
			same = atom_equal(s->operand[k], list[i].operand[k]);
		if (same)
			return true;
	}
	return false;
}

/* What is kept with a rule stays as it is: a longer list is in `room`. */
static void append(const struct signature *s, struct signature *room, const struct signature **list, int *n)
{
	if (*list != room)
		memcpy(room, *list, sizeof *room * (size_t)*n);
	*list = room;
	room[(*n)++] = *s;
}

int signatures_of_known(const struct rule *r, struct node *const *in, struct signature *room,
			const struct signature **list)
{
	const struct rule *known = rule_of_known(r, in);
	const struct signature *more;
	struct signature more_room[MAX_SIGNATURES];
	int n = rule_signature_list(r, room, list);
	int count = known == r ? 0 : rule_signature_list(known, more_room, &more), listed = n;
	for (int i = 0; i < count && n < MAX_SIGNATURES; i++)
		if (signature_takes_parts(&more[i], r) && !is_listed(r, &more[i], *list, listed))
			append(&more[i], room, list, &n);
	count = rule_window_list(r, more_room, &more);
	for (int i = 0; i < count && n < MAX_SIGNATURES; i++)
		append(&more[i], room, list, &n);
	return n;
}

bool signature_fits_inputs(const struct signature *s, const struct rule *r, struct node *const *in,
			   struct shard_atom out, int axis, struct signature *cut)
{
	struct shard_atom operand[MAX_OPERANDS];
	for (int k = 0; k < r->noperands; k++)
		operand[k] = in[k]->layout.atom[axis];
	*cut = signature_cut(s, r, signature_cuts(s, r, operand, out));
	for (int k = 0; k < r->noperands; k++)
		if (!atom_serves(operand[k], cut->operand[k], r->operand[k].dim))
			return false;
	return true;
}

bool signature_fits(const struct signature *s, const struct rule *r, struct node *const *in, struct shard_atom out,
		    int axis)
{
	struct signature cut;
	return signature_fits_inputs(s, r, in, out, axis, &cut) && atom_equal(cut.out, out);
}
