/* localise.c — what one rank computes of a rule. */
#include "signature.h"

/* A dimension of which only a part is here, while its index runs over more. */
static void set_extents(const struct rule *logical, const struct rule *r, const struct access *at, struct access *local,
			const int64_t *dim)
{
	for (int d = 0; d < at->rank; d++) {
		int f = index_factor(&at->index[d]);
		bool along = f >= 0 && at->dim[d] == logical->factor[f].extent && r->factor[f].extent == dim[d];
		if (dim[d] != at->dim[d] && !along && at->index[d].nterms <= 1)
			local->index[d].guarded = true;
		local->dim[d] = dim[d];
	}
}

void rule_localise(const struct rule *r, const struct rule_local *local, struct access *operand, struct rule *q)
{
	*q = *r;
	q->operand = operand;
	for (int f = 0; f < r->nfactors; f++)
		q->factor[f].extent = local->factor[f];
	for (int k = 0; k < r->noperands; k++) {
		operand[k] = r->operand[k];
		set_extents(r, q, &r->operand[k], &operand[k], local->operand[k]);
	}
	set_extents(r, q, &r->out, &q->out, local->out);
}

static void split_dims(const struct access *at, struct shard_atom atom, int64_t count, int64_t rank, int64_t *dim,
		       int64_t *origin)
{
	for (int d = 0; d < at->rank; d++) {
		bool split = atom.kind == SHARD_S && atom.dim == d;
		dim[d] = split ? shard_count(at->dim[d], count, rank) : at->dim[d];
		origin[d] = split ? shard_begin(at->dim[d], count, rank) : 0;
	}
}

void signature_local(const struct rule *r, const struct signature *s, int64_t count, int64_t rank,
		     struct rule_local *local, struct rule_origin *origin)
{
	*local = (struct rule_local){{0}, {{0}}, {0}};
	*origin = (struct rule_origin){{0}, {{0}}, {0}};
	for (int f = 0; f < r->nfactors; f++) {
		int64_t n = r->factor[f].extent;
		local->factor[f] = f == s->factor ? shard_count(n, count, rank) : n;
		origin->factor[f] = f == s->factor ? shard_begin(n, count, rank) : 0;
	}
	for (int k = 0; k < r->noperands; k++)
		split_dims(&r->operand[k], s->operand[k], count, rank, local->operand[k], origin->operand[k]);
	split_dims(&r->out, s->out, count, rank, local->out, origin->out);
}
