/* prune.c — a rule without the operands that change nothing. Gradient rules name everything they might read; this is
 * what keeps graphs free of uses that would hold tensors alive or tie layouts together. */
#include "intern.h"

#include <string.h>

static bool repeats(const struct access *at, const struct index *x, int64_t dim)
{
	for (int d = 0; d < at->rank; d++)
		if (at->dim[d] == dim && index_equal(&at->index[d], x))
			return true;
	return false;
}

/* True if a point that operand k drops is dropped by the result or another kept operand too. */
static bool guards_elsewhere(const struct rule *r, const bool *keep, int k)
{
	for (int d = 0; d < r->operand[k].rank; d++) {
		const struct index *x = &r->operand[k].index[d];
		bool found = !x->guarded || repeats(&r->out, x, r->operand[k].dim[d]);
		for (int j = 0; j < r->noperands && !found; j++)
			found = j != k && keep[j] && repeats(&r->operand[j], x, r->operand[k].dim[d]);
		if (!found)
			return false;
	}
	return true;
}

static bool supplies_index(const struct rule *r, const bool *keep, int k)
{
	for (int j = 0; j <= r->noperands; j++) {
		const struct access *at = j < r->noperands ? &r->operand[j] : &r->out;
		if (j < r->noperands && !keep[j])
			continue;
		for (int d = 0; d < at->rank; d++)
			if (at->index[d].data == k)
				return true;
	}
	return false;
}

static bool kept_all(const struct rule *r, const bool *keep)
{
	for (int k = 0; k < r->noperands; k++)
		if (!keep[k])
			return false;
	return true;
}

static void renumber(struct access *at, const int *fresh)
{
	for (int d = 0; d < at->rank; d++)
		if (at->index[d].data >= 0)
			at->index[d].data = fresh[at->index[d].data];
}

static const struct rule *prune(struct arena *a, const struct rule *r, int *kept)
{
	bool keep[MAX_OPERANDS];
	const struct scalar *to[MAX_OPERANDS] = {NULL};
	int fresh[MAX_OPERANDS] = {0};
	for (int k = 0; k < r->noperands; k++)
		keep[k] = true;
	/* Index suppliers go after those they served, so once more as often as something went. */
	for (bool changed = true; changed;) {
		changed = false;
		for (int k = r->noperands - 1; k >= 0; k--) {
			if (!keep[k] || scalar_uses_operand(r->body, k) || supplies_index(r, keep, k) ||
			    !guards_elsewhere(r, keep, k))
				continue;
			keep[k] = false;
			changed = true;
		}
	}
	for (int k = 0, n = 0; k < r->noperands; k++)
		if (keep[k])
			kept[n++] = k;
	if (kept_all(r, keep))
		return r;
	struct rule *q = ARENA_NEW(a, struct rule);
	*q = *r;
	struct access *operand = rule_own_operands(a, q, 0);
	q->noperands = 0;
	for (int k = 0; k < r->noperands; k++) {
		if (!keep[k])
			continue;
		fresh[k] = q->noperands;
		to[k] = scalar_operand(a, r->operand[k].type, q->noperands);
		operand[q->noperands++] = r->operand[k];
	}
	for (int k = 0; k < q->noperands; k++)
		renumber(&operand[k], fresh);
	renumber(&q->out, fresh);
	q->body = scalar_substitute(a, r->body, to, NULL);
	return q;
}

const struct rule *rule_prune(struct arena *a, const struct rule *r, int *kept)
{
	struct rule_facts *facts = rule_facts(r);
	if (!facts)
		return prune(a, r, kept);
	if (!facts->pruned)
		facts->pruned = rule_intern(facts->table, prune(rules_arena(facts->table), r, facts->kept));
	memcpy(kept, facts->kept, sizeof *kept * (size_t)r->noperands);
	return facts->pruned;
}

/* Whether operand k drops points and does nothing else, by indices that are no data. */
static bool only_guards(const struct rule *r, int k)
{
	bool guards = false;
	for (int d = 0; d < r->operand[k].rank; d++) {
		if (r->operand[k].index[d].data >= 0)
			return false;
		guards = guards || r->operand[k].index[d].guarded;
	}
	if (!guards || !dtype_is_float(r->operand[k].type) || scalar_uses_operand(r->body, k))
		return false;
	for (int j = 0; j <= r->noperands; j++) {
		const struct access *at = j < r->noperands ? &r->operand[j] : &r->out;
		for (int d = 0; d < at->rank; d++)
			if (at->index[d].data == k)
				return false;
	}
	return true;
}

/* One operand for each index by which operand k drops points that nothing in q drops yet; false if there is no room. */
static bool add_guards(struct arena *a, struct rule *q, const struct access *from)
{
	for (int d = 0; d < from->rank; d++) {
		bool found = !from->index[d].guarded || repeats(&q->out, &from->index[d], from->dim[d]);
		for (int j = 0; j < q->noperands && !found; j++)
			found = repeats(&q->operand[j], &from->index[d], from->dim[d]);
		if (found)
			continue;
		if (q->noperands == MAX_GIVEN_OPERANDS)
			return false;
		struct access guard = {.type = from->type, .rank = 1};
		guard.dim[0] = from->dim[d];
		guard.index[0] = from->index[d];
		rule_add_operand(a, q, &guard);
	}
	return true;
}

const struct rule *rule_guards_apart(struct arena *a, const struct rule *r, int *kept, int *nkept)
{
	const struct scalar *to[MAX_OPERANDS] = {NULL};
	int fresh[MAX_OPERANDS] = {0};
	struct rule q = *r;
	struct access *operand = rule_own_operands(a, &q, 0);
	q.noperands = 0;
	for (int k = 0; k < r->noperands; k++) {
		if (only_guards(r, k))
			continue;
		fresh[k] = q.noperands;
		kept[q.noperands] = k;
		to[k] = scalar_operand(a, r->operand[k].type, q.noperands);
		operand[q.noperands++] = r->operand[k];
	}
	*nkept = q.noperands;
	if (*nkept == r->noperands)
		return r;
	for (int k = 0; k < *nkept; k++)
		renumber(&operand[k], fresh);
	renumber(&q.out, fresh);
	for (int k = 0; k < r->noperands; k++)
		if (only_guards(r, k) && !add_guards(a, &q, &r->operand[k]))
			return r;
	q.body = scalar_substitute(a, r->body, to, NULL);
	struct rule *apart = ARENA_NEW(a, struct rule);
	*apart = q;
	return apart;
}
