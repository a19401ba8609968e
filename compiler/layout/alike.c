/* alike.c — values that are wanted alike: of equal type, made in equal layouts, with users that choose from equal
 * domains. Their factors have equal tables, so the ones of the first serve all: a model's layers are priced once. */
#include "../graph/known.h"
#include "parts.h"
#include "solve.h"

/* What was made for the first of the values. */
struct priced {
	int factor, nfactors; /* of the network: the first one, how many */
	int var, nvars;       /* the same of auxiliary variables, which follow from others */
	int *local;           /* by variable of each factor in turn: its number among `locals`, auxiliary ones behind */
	bool exact;
};

static void add_shape(struct memo *m, const struct node *n)
{
	memo_add(m, (uint64_t)n->dtype << 8 | (uint64_t)n->shape.rank);
	for (int d = 0; d < n->shape.rank; d++)
		memo_add(m, (uint64_t)n->shape.dim[d]);
}

static void add_bytes(struct memo *m, const struct place *p, const uint8_t *by_axis)
{
	uint64_t word = 0;
	for (int a = 0; a < p->naxes; a++)
		word = word << 8 | by_axis[a];
	memo_add(m, word);
}

void alike_domain(struct solve *s, const struct node *n, struct memo *m)
{
	const struct place *p = solve_place(s, n);
	const struct choice *base = &s->base[n->id];
	bool is_open = s->st->notes[n->id].is_open;
	memo_begin(m);
	memo_add(m, (uint64_t)n->kind << 1 | is_open);
	memo_add_pointer(m, p);
	memo_add(m, (uint64_t)solve_turns(n->loop));
	if (n->kind == NODE_MAP) {
		memo_add_pointer(m, n->rule);
		memo_add_pointer(m, rule_of_known(n->rule, n->in));
		memo_add(m, parts_facts(n));
	} else {
		add_shape(m, n);
	}
	if (is_open) {
		struct layout fixed = solve_fixed(s, n, &n->layout);
		layout_add_key(m, p, &fixed);
	}
	add_bytes(m, p, base->signature);
	layout_add_key(m, p, &base->out);
	memo_add(m, (uint64_t)n->nin);
	for (int i = 0; i < n->nin; i++) {
		const struct node *v = stage_value(s->st, n->in[i]);
		const struct place *q = solve_place(s, v);
		bool stays = solve_is_own(s->st, v) && !s->is_moved[v->id];
		if (n->kind != NODE_MAP) {
			memo_add_pointer(m, q);
			add_shape(m, v);
		}
		layout_add_key(m, q, &base->in[choice_operand(n, i)]);
		add_bytes(m, q, s->parts[v->id]);
		memo_add(m, stays);
		if (stays) {
			struct layout has = solve_fixed(s, v, &v->layout);
			layout_add_key(m, q, &has);
		}
	}
}

/* The variables that the factors of a value can mention: its own, and its users', whose uses follow each other. */
static int locals_of(struct solve *s, const struct node *v, int **out)
{
	const struct value *value = &s->values[v->id];
	int *list = ARENA_ARRAY(s->net.arena, int, value->uses.n + 1), n = 0;
	if (s->var[v->id] >= 0)
		list[n++] = s->var[v->id];
	for (int u = 0; u < value->uses.n; u++)
		if (value->uses.at[u].var >= 0 && (u == 0 || value->uses.at[u].var != value->uses.at[u - 1].var))
			list[n++] = value->uses.at[u].var;
	*out = list;
	return n;
}

static void write_key(struct solve *s, const struct node *v, struct memo *m)
{
	const struct place *p = solve_place(s, v);
	const struct value *value = &s->values[v->id];
	memo_begin(m);
	memo_add_pointer(m, p);
	memo_add(m, (uint64_t)solve_turns(v->loop));
	add_shape(m, v);
	if (s->var[v->id] >= 0) {
		memo_add_pointer(m, s->choices[v->id]);
	} else {
		struct layout has = solve_fixed(s, v, &v->layout);
		memo_add(m, v->origin == ORIGIN_SOURCE);
		layout_add_key(m, p, &has);
	}
	for (int u = 0; u < value->uses.n; u++) {
		const struct use *use = &value->uses.at[u];
		bool again = u && use->var == value->uses.at[u - 1].var;
		memo_add(m, (uint64_t)use->operand << 2 | (uint64_t)again << 1 | (use->var >= 0));
		if (use->var >= 0)
			memo_add_pointer(m, use->choices);
		else
			layout_add_key(m, p, &use->layout);
	}
}

static struct priced *price(struct solve *s, const struct node *v, int nlocals, const int *locals)
{
	struct priced *x = ARENA_NEW(s->net.arena, struct priced);
	struct map number; /* of a variable among locals, + 1 */
	bool exact = s->exact;
	int n = 0;
	*x = (struct priced){.factor = s->net.factors.n, .var = s->net.domains.n};
	s->exact = true;
	solve_demand(s, v);
	x->exact = s->exact;
	s->exact = exact && x->exact;
	x->nfactors = s->net.factors.n - x->factor;
	x->nvars = s->net.domains.n - x->var;
	map_init(&number, s->net.arena);
	for (int i = 0; i < nlocals; i++)
		map_set_u64(&number, (uint64_t)locals[i], (void *)(uintptr_t)(i + 1));
	for (int i = 0; i < x->nfactors; i++)
		n += s->net.factors.at[x->factor + i].nvars;
	x->local = ARENA_ARRAY(s->net.arena, int, n);
	n = 0;
	for (int i = 0; i < x->nfactors; i++) {
		const struct factor_table *f = &s->net.factors.at[x->factor + i];
		for (int k = 0; k < f->nvars; k++)
			x->local[n++] = f->vars[k] >= x->var
						? nlocals + f->vars[k] - x->var
						: (int)(uintptr_t)map_get_u64(&number, (uint64_t)f->vars[k]) - 1;
	}
	return x;
}

static void price_again(struct solve *s, const struct priced *x, int nlocals, const int *locals)
{
	int first = s->net.domains.n, at = 0, *vars = ARENA_ARRAY(s->net.arena, int, nlocals + x->nvars);
	for (int i = 0; i < x->nvars; i++)
		network_variable(&s->net, s->net.domains.at[x->var + i]);
	for (int i = 0; i < x->nfactors; i++) {
		struct factor_table f = s->net.factors.at[x->factor + i];
		for (int k = 0; k < f.nvars; k++, at++)
			vars[k] = x->local[at] < nlocals ? locals[x->local[at]] : first + x->local[at] - nlocals;
		network_factor_like(&s->net, f.nvars, vars, f.at);
	}
	s->exact = s->exact && x->exact;
}

/* Whether what x says of the value at hand is what pricing it anew gives; the network stays as it was. */
static bool prices_again(struct solve *s, const struct node *v, const struct priced *x, int nlocals, const int *locals)
{
	int nfactors = s->net.factors.n, ndomains = s->net.domains.n, nvars = 0;
	const struct priced *y = price(s, v, nlocals, locals);
	bool same = x->nfactors == y->nfactors && x->nvars == y->nvars && x->exact == y->exact;
	for (int i = 0; same && i < x->nvars; i++)
		same = s->net.domains.at[x->var + i] == s->net.domains.at[y->var + i];
	for (int i = 0; same && i < x->nfactors; i++) {
		const struct factor_table *f = &s->net.factors.at[x->factor + i],
					  *g = &s->net.factors.at[y->factor + i];
		int64_t size = network_size(&s->net, g->nvars, g->vars);
		same = f->nvars == g->nvars && network_size(&s->net, f->nvars, f->vars) == size;
		for (int64_t k = 0; same && k < size; k++)
			same = cost_equal(f->at[k], g->at[k]);
		nvars += g->nvars;
	}
	for (int k = 0; same && k < nvars; k++)
		same = x->local[k] == y->local[k];
	s->net.factors.n = nfactors;
	s->net.domains.n = ndomains;
	return same;
}

void alike_demand(struct solve *s, const struct node *v)
{
	int *locals, nlocals;
	write_key(s, v, &s->demands);
	void **known = memo_find(&s->demands);
	nlocals = locals_of(s, v, &locals);
	if (!*known) {
		*known = price(s, v, nlocals, locals);
		return;
	}
	BUG_IF(s->st->session->options.verify_each && !prices_again(s, v, *known, nlocals, locals),
	       "the memo of layout/alike.c: node %%%d is not wanted like the one it was taken for", v->id);
	price_again(s, *known, nlocals, locals);
}
