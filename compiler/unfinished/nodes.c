/* nodes.c — small nodes and questions about layouts. */
#include "rewrite.h"

#include "../graph/known.h"

bool has_combiner_part(const struct place *p, const struct layout *l, enum shard_combiner c)
{
	for (int a = 0; a < p->naxes; a++)
		if (l->atom[a].kind == SHARD_P && l->atom[a].combiner == c)
			return true;
	return false;
}

bool is_float_part(enum dtype t, const struct place *p, const struct layout *l)
{
	return dtype_is_float(t) && (has_combiner_part(p, l, SHARD_SUM) || has_combiner_part(p, l, SHARD_PROD));
}

struct layout without_parts(const struct place *p, const struct layout *l)
{
	struct layout whole = layout_broadcast(), out = *l;
	for (int a = 0; a < p->naxes; a++)
		if (l->atom[a].kind == SHARD_P)
			out.atom[a] = whole.atom[a];
	return out;
}

bool layout_of_inputs(const struct rule *r, const struct place *p, struct node *const *in, struct layout *out)
{
	const struct signature *s;
	int n = signatures_of_known(r, in, &s);
	*out = layout_broadcast();
	for (int a = 0; a < p->naxes; a++) {
		struct shard_atom given = out->atom[a];
		int k = 0;
		while (k < n && !signature_fits_inputs(&s[k], r, in, out->atom[a], a, &given))
			k++;
		if (k == n)
			return false;
		out->atom[a] = given;
	}
	return true;
}

struct node *add_map(struct rewrite *w, const struct node_site *at, const struct rule *r, struct node *const *in,
		     const struct place *p, const struct layout *l)
{
	struct node *n = graph_map(w->g, at, r, in);
	n->place = p;
	n->layout = *l;
	return n;
}

struct node *add_to(struct rewrite *w, const struct node_site *at, struct node *x, const struct place *p,
		    const struct layout *l)
{
	if (x->place == p && layout_equal(p, &x->layout, l))
		return x;
	if (x->kind == NODE_TO && layout_has_window(x->place, &x->layout))
		x = x->in[0];
	return graph_moved(w->g, at, x, p, l);
}

struct rule *new_rule_over(struct arena *a, const char *name, enum dtype t, const struct shape *s)
{
	struct rule *r = ARENA_NEW(a, struct rule);
	*r = rule_over_shape(name, t, s);
	return r;
}

void rule_reads(struct rewrite *w, struct rule *r, const struct node *x)
{
	const struct access all = access_of_shape(x->dtype, &x->shape);
	rule_add_operand(w->arena, r, &all);
}
