/* again.c — what a steady pipeline does not carry from turn to turn: what costs little to compute from what is carried
 * anyway, or from what takes no more memory than all that is computed from it so. Plans without a loop store no such
 * values either (plan/storage.c). What products read is in memory already. */
#include "steady.h"

struct search {
	const struct graph *g;
	const struct steady *s;
	int n;
	bool *later;   /* by node of the body: somebody reads it in a later turn, or in another loop */
	bool *product; /* likewise: a sum of products reads it, for several results each */
	bool *again;
};

enum { CHEAP = 6 }; /* operations: about what storing and loading an element takes */

static const struct node *node_of(const struct search *h, int i)
{
	return h->g->nodes.at[h->s->from + i];
}

/* Which node of the body x is, one that is in a pass; else -1. */
static int index_of(const struct search *h, const struct node *x)
{
	int i = x->id - h->s->from;
	return i >= 0 && i < h->n && h->s->place[i] >= 0 ? i : -1;
}

static double bytes_of(const struct node *x)
{
	struct shape local = layout_local_shape(x->place, &x->layout, &x->shape, 0);
	return (double)shape_volume(&local) * (double)dtype_size(x->dtype);
}

static bool sums(const struct rule *r)
{
	for (int f = 0; f < r->nfactors; f++)
		if (r->factor[f].extent != 1 && rule_reduces(r, f))
			return true;
	return false;
}

static bool is_cheap(const struct search *h, int i)
{
	const struct node *x = node_of(h, i);
	if (x->loop != h->s->loop || (x->kind != NODE_MAP && x->kind != NODE_RESHAPE))
		return false;
	if (x->kind == NODE_RESHAPE)
		return true;
	bool moves = x->rule->body->kind == SCALAR_OPERAND;
	return !sums(x->rule) && !rule_is_scatter(x->rule) && !scalar_draws(x->rule->body) &&
	       (moves || (!h->product[i] && scalar_flops(x->rule->body) <= CHEAP));
}

/* Whether elements of operand k are read for several results: those of a product are, those of a sum of x * y are not.
 */
static bool reads_repeatedly(const struct rule *r, int k)
{
	for (int f = 0; f < r->nfactors; f++)
		if (r->factor[f].extent != 1 && !rule_reduces(r, f) && !access_uses(&r->operand[k], f))
			return true;
	return false;
}

static void find_readers(struct search *h)
{
	for (int i = 0; i < h->n; i++) {
		const struct node *x = node_of(h, i);
		if (h->s->place[i] < 0)
			continue;
		bool product = x->kind == NODE_MAP && x->nin > 1 && sums(x->rule);
		for (int k = 0; k < x->nin; k++) {
			int earlier, from = steady_maker(h->s, x->in[k], &earlier);
			if (from < 0 || h->s->place[from] < 0)
				continue;
			h->later[from] |= h->s->in[from] != h->s->in[i] || h->s->first[from] > h->s->first[i] - earlier;
			h->product[from] |= product && reads_repeatedly(x->rule, k);
		}
	}
}

/* Cheap, read later, and computed from x and what is there later anyway. */
static bool follows(const struct search *h, int i, const struct node *x)
{
	const struct node *n = node_of(h, i);
	bool reads = false;
	if (h->s->place[i] < 0 || !h->later[i] || h->again[i] || !is_cheap(h, i))
		return false;
	for (int k = 0; k < n->nin; k++) {
		int from = index_of(h, n->in[k]);
		reads |= n->in[k] == x;
		if (n->in[k]->of == h->s->loop && n->in[k]->kind == NODE_CARRY)
			return false;
		if (n->in[k] != x && from >= 0 &&
		    (!h->later[from] || h->s->first[from] != h->s->first[i] || h->s->in[from] != h->s->in[i]))
			return false;
	}
	return reads;
}

bool *steady_again(struct arena *a, const struct graph *g, const struct steady *s)
{
	struct search h = {.g = g, .s = s, .n = s->extent.exits - s->from};
	h.later = ARENA_ARRAY(a, bool, h.n);
	h.product = ARENA_ARRAY(a, bool, h.n);
	h.again = ARENA_ARRAY(a, bool, h.n);
	find_readers(&h);
	struct {
		VEC(int) at;
	} *readers = arena_alloc(a, sizeof *readers * (size_t)h.n);
	for (int i = 0; i < h.n; i++)
		for (int k = 0; k < node_of(&h, i)->nin; k++) {
			int from = index_of(&h, node_of(&h, i)->in[k]);
			if (from >= 0)
				vec_push(a, &readers[from].at, i);
		}
	for (int i = h.n - 1; i >= 0; i--) {
		double saved = 0;
		for (int k = 0; k < readers[i].at.n; k++)
			if (follows(&h, readers[i].at.at[k], node_of(&h, i)))
				saved += bytes_of(node_of(&h, readers[i].at.at[k]));
		if (s->place[i] < 0 || !saved || (!h.later[i] && saved < bytes_of(node_of(&h, i))))
			continue;
		for (int k = 0; k < readers[i].at.n; k++)
			if (follows(&h, readers[i].at.at[k], node_of(&h, i)))
				h.again[readers[i].at.at[k]] = true;
		h.later[i] = true;
	}
	return h.again;
}
