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
	to[operand] = scalar_number(a, t, number);
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

/* The signatures of a rule where the numbers among the inputs make another of it. */
struct known_signatures {
	int n;
	const struct signature *list;
};

static int derive_known(struct arena *a, const struct rule *r, const struct rule *known, const struct signature **list)
{
	const struct signature *own, *more, *windows;
	int n = rule_signatures(a, r, &own), nmore = known == r ? 0 : rule_signatures(a, known, &more);
	int nwindows = rule_windows(a, r, &windows), count = n;
	struct signature *all = ARENA_ARRAY(a, struct signature, n + nmore + nwindows);
	memcpy(all, own, sizeof *all * (size_t)n);
	for (int i = 0; i < nmore; i++)
		if (signature_takes_parts(&more[i], r) && !is_listed(r, &more[i], own, n))
			all[count++] = more[i];
	memcpy(all + count, windows, sizeof *all * (size_t)nwindows);
	*list = all;
	return count + nwindows;
}

int signatures_of_known(const struct rule *r, struct node *const *in, const struct signature **list)
{
	struct rule_facts *facts = rule_facts(r);
	BUG_IF(!facts, "the signatures of `%s`, which is not interned", r->name);
	const struct rule *known = rule_of_known(r, in);
	struct known_signatures *k = map_get(&facts->known, known);
	if (!k) {
		struct arena *a = rules_arena(facts->table);
		k = ARENA_NEW(a, struct known_signatures);
		k->n = derive_known(a, r, known, &k->list);
		map_set(&facts->known, known, k);
	}
	*list = k->list;
	return k->n;
}

bool signature_fits_inputs(const struct signature *s, const struct rule *r, struct node *const *in,
			   struct shard_atom out, int axis, struct shard_atom *cut_out)
{
	struct shard_atom operand[MAX_OPERANDS], room[MAX_OPERANDS];
	for (int k = 0; k < r->noperands; k++)
		operand[k] = in[k]->layout.atom[axis];
	struct signature cut = signature_cut(s, r, signature_cuts(s, r, operand, out), room);
	*cut_out = cut.out;
	for (int k = 0; k < r->noperands; k++)
		if (!atom_serves(operand[k], cut.operand[k], r->operand[k].dim))
			return false;
	return true;
}

bool signature_fits(const struct signature *s, const struct rule *r, struct node *const *in, struct shard_atom out,
		    int axis)
{
	struct shard_atom given;
	return signature_fits_inputs(s, r, in, out, axis, &given) && atom_equal(given, out);
}
