/* across.c — turns that read single elements of lines of another dimension than the first read them of the tensor:
 * a line is one of the first dimension, so the tensor would be transposed, and that in each turn of a loop that changes
 * it.
 *
 *   %2 = map(%1) {transpose}                                    p[i, j] in the turns of j, of a p that those of i change
 *   %3 = line(%2) of 1 first 0 step 1         becomes
 *   %4 = map(%3, %i) {a[b] -> [] = a}                           %3 = turn of 1
 *                                                               %4 = map(%1, %3, %i) {a[c, b] -> [] = a}
 *
 * A line whose elements are read side by side is worth it. Where every rank has all of the tensor, so that no reader
 * asks for what is elsewhere. */
#include "simplify.h"

struct search {
	struct map kept;    /* lines that something reads otherwise, transposed tensors that something else reads */
	struct map numbers; /* line -> its number in the transposed dimension */
};

static bool is_whole(const struct node *n)
{
	for (int a = 0; n->place && a < n->place->naxes; a++)
		if (n->layout.atom[a].kind != SHARD_B)
			return false;
	return true;
}

/* The result's dimensions are the operand's in another order. */
static bool permutes(const struct node *n)
{
	if (n->kind != NODE_MAP || simplify_view_of(n) != 0 || n->rule->noperands != 1)
		return false;
	const struct access *from = &n->rule->operand[0], *out = &n->rule->out;
	bool is_moved = from->rank == out->rank && out->rank == n->rule->nfactors;
	for (int d = 0; d < from->rank && is_moved; d++) {
		int f = index_factor(&from->index[d]), to = f < 0 ? -1 : access_dim_of(out, f);
		is_moved = to >= 0 && !from->index[d].guarded && from->dim[d] == out->dim[to];
	}
	return is_moved;
}

/* A line of what is transposed for it. */
static bool is_across(const struct node *n)
{
	return n->kind == NODE_LINE && n->nin == 1 && !n->line.back && !n->of->stages && permutes(n->in[0]) &&
	       is_whole(n->in[0]->in[0]) && is_whole(n->in[0]) && is_whole(n);
}

/* Whether n reads nothing of operand k but one element, and there is room for one operand more. */
static bool reads_one(const struct node *n, int k)
{
	if (n->kind != NODE_MAP || rule_reads_index(n->rule, k) || n->rule->noperands == MAX_OPERANDS || !is_whole(n))
		return false;
	const struct access *x = &n->rule->operand[k];
	for (int d = 0; d < x->rank; d++)
		if (x->index[d].nterms)
			return false;
	return true;
}

static void keep(struct search *s, struct node *n)
{
	map_set(&s->kept, n, n);
}

static void find_kept(struct search *s, struct graph *g)
{
	for (int i = 0; i < g->outputs.n; i++)
		keep(s, g->outputs.at[i].node);
	for (int i = 0; i < g->loops.n; i++)
		for (int k = 0; loop_asked(g->loops.at[i], k); k++)
			keep(s, *loop_asked(g->loops.at[i], k));
	for (int i = g->nodes.n - 1; i >= 0; i--) { /* readers of lines first */
		struct node *n = g->nodes.at[i];
		for (int k = 0; k < n->nin; k++) {
			bool is_one = is_across(n->in[k]) && reads_one(n, k);
			bool is_line = is_across(n) && !map_get(&s->kept, n);
			if (!is_one && !is_line)
				keep(s, n->in[k]);
		}
	}
}

/* first + step * turn. */
static struct node *number_of(struct graph *g, const struct node *line)
{
	struct node_site at = node_site_of(line);
	at.name = NULL;
	const int64_t by[] = {line->line.step, line->line.first};
	const bool is_by[] = {by[0] != 1, by[1] != 0};
	const enum scalar_fn fn[] = {SC_MUL, SC_ADD};
	struct node *made[] = {graph_turn(g, &at, line->of), NULL, NULL, NULL, NULL}, *number = made[0];
	for (int i = 0, n = 1; i < 2; i++)
		if (is_by[i]) {
			made[n] = graph_int(g, &at, DT_I64, by[i]);
			made[n + 1] = graph_pointwise(g, &at, fn[i], number, made[n], NULL);
			number = made[n + 1];
			n += 2;
		}
	for (int i = 0; i < 5 && made[i]; i++) {
		made[i]->place = line->place;
		made[i]->layout = line->layout;
	}
	return number;
}

/* Where the transposed tensor's line is read at `at`, by the operand `number`: in what was transposed. */
static struct access of_whole(const struct node *transposed, const struct access *at, int number)
{
	const struct rule *r = transposed->rule;
	struct access x = r->operand[0];
	for (int d = 0; d < x.rank; d++) {
		int to = access_dim_of(&r->out, index_factor(&r->operand[0].index[d]));
		x.index[d] = to ? at->index[to - 1] : (struct index){.div = 1, .data = (int8_t)number, .guarded = true};
	}
	return x;
}

static struct node *look(struct graph *g, struct node *n, void *context, bool *changed)
{
	struct search *s = context;
	struct node *in[MAX_OPERANDS];
	struct rule r;
	bool any = false;
	(void)changed;
	if (is_across(n) && !map_get(&s->kept, n) && !map_get(&s->kept, n->in[0]))
		map_set(&s->numbers, n, number_of(g, n));
	if (n->kind != NODE_MAP)
		return n;
	r = *n->rule;
	for (int k = 0; k < n->nin; k++) {
		struct node *number = map_get(&s->numbers, n->in[k]);
		const struct access scalar = {.type = DT_I64};
		in[k] = n->in[k];
		if (!number || r.noperands == MAX_OPERANDS)
			continue;
		const struct node *transposed = n->in[k]->in[0];
		in[k] = transposed->in[0];
		in[r.noperands] = number;
		rule_add_operand(g->arena, &r, &scalar);
		struct access *own = rule_own_operands(g->arena, &r, 0);
		own[k] = of_whole(transposed, &n->rule->operand[k], r.noperands - 1);
		any = true;
	}
	if (!any)
		return n;
	const struct node_site at = node_site_of(n);
	struct node *fresh = graph_map(g, &at, &r, in);
	fresh->layout = n->layout;
	return fresh;
}

bool pass_across(struct session *session, struct graph *g)
{
	(void)session;
	if (!g->loops.n)
		return false;
	struct arena *scratch = arena_new("across");
	struct search s;
	map_init(&s.kept, scratch);
	map_init(&s.numbers, scratch);
	find_kept(&s, g);
	bool changed = graph_rewrite(g, look, &s);
	arena_free(scratch);
	if (changed)
		graph_compact(g);
	return changed;
}
