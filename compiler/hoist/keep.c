/* keep.c — which values are worth a slot, and reading them from it (hoist.h). */
#include "hoist.h"

/* A value that takes less work per byte than this is computed again as fast as it is read. */
enum { FLOPS_PER_BYTE = 4 };
/* What is quickly made of kept values is kept in their place if it is no more than so many times as large: products
 * need their factors in memory. */
enum { TIMES_AS_LARGE = 4 };

struct search {
	const struct graph *g;
	const bool *same; /* by node */
	bool is_loop;
	struct arena *arena;
	struct kept_nodes *keeps; /* by node: what is kept for those who read it: it, or some of what it is computed from */
	bool *is_kept;
	bool *is_needed;           /* by what is computed here, or left behind; */
	VEC(struct node *) next;   /* of these: whose inputs are to be looked at */
};

static int64_t bytes_of(const struct node *n)
{
	return shape_volume(&n->shape) * dtype_size(n->dtype);
}

/* A loop's result takes its turns, what is finished has been waited for. What is computed of each element alone is made again
 * where it is read, without memory, unless that is in every turn of a loop. */
static bool is_heavy(const struct search *s, const struct node *n)
{
	if (node_is_exit(n) || (n->kind == NODE_TO && layout_has_partial(n->in[0]->place, &n->in[0]->layout)))
		return true;
	return n->kind == NODE_MAP && (s->is_loop || n->rule->combiner != COMBINE_NONE) &&
	       rule_flops(n->rule) / FLOPS_PER_BYTE >= bytes_of(n);
}

bool can_be_kept(const struct node *n)
{
	return n->place && !n->loop && n->kind != NODE_CONST && n->kind != NODE_HOST && n->kind != NODE_SLOT &&
	       bytes_of(n) > 0 && !layout_has_partial(n->place, &n->layout) && !layout_has_window(n->place, &n->layout);
}

static void add(struct search *s, struct kept_nodes *to, struct node *n)
{
	for (int i = 0; i < to->nodes.n; i++)
		if (to->nodes.at[i] == n)
			return;
	vec_push(s->arena, &to->nodes, n);
}

/* Its inputs are looked at. */
static void decide(struct search *s, struct node *n)
{
	struct kept_nodes *keeps = &s->keeps[n->id];
	int64_t bytes = 0;
	for (int i = 0; i < n->nin; i++)
		for (int k = 0; k < s->keeps[n->in[i]->id].nodes.n; k++)
			add(s, keeps, s->keeps[n->in[i]->id].nodes.at[k]);
	for (int k = 0; k < keeps->nodes.n; k++)
		bytes += bytes_of(keeps->nodes.at[k]);
	if (can_be_kept(n) && (is_heavy(s, n) || (bytes && bytes_of(n) / TIMES_AS_LARGE <= bytes))) {
		keeps->nodes.n = 0;
		add(s, keeps, n);
	}
}

/* n is read by what is computed here. */
static void need(struct search *s, struct node *n)
{
	if (s->is_needed[n->id])
		return;
	s->is_needed[n->id] = true;
	if (!s->same[n->id]) {
		vec_push(s->arena, &s->next, n);
		return;
	}
	for (int k = 0; k < s->keeps[n->id].nodes.n; k++)
		s->is_kept[s->keeps[n->id].nodes.at[k]->id] = true;
}

static void find_kept(struct search *s)
{
	const struct graph *g = s->g;
	struct node **ends = graph_ends(g, s->arena);
	for (int i = 0; i < g->nodes.n; i++)
		if (s->same[i] && g->nodes.at[i]->loop == NULL)
			decide(s, g->nodes.at[i]);
	for (int i = 0; i < g->outputs.n; i++)
		need(s, g->outputs.at[i].node);
	while (s->next.n) {
		struct node *n = s->next.at[--s->next.n];
		for (int k = 0; k < n->nin; k++)
			need(s, n->in[k]);
		for (int k = 0; n->of && loop_asked(n->of, k); k++)
			need(s, *loop_asked(n->of, k));
		if (n->kind == NODE_CARRY)
			need(s, ends[n->id]);
	}
}

struct kept_nodes kept_find(struct graph *g, const bool *same, bool is_loop)
{
	struct kept_nodes found = {0};
	struct arena *a = arena_new("kept");
	struct search s = {.g = g, .same = same, .is_loop = is_loop, .arena = a};
	s.keeps = ARENA_ARRAY(a, struct kept_nodes, g->nodes.n);
	s.is_kept = ARENA_ARRAY(a, bool, g->nodes.n);
	s.is_needed = ARENA_ARRAY(a, bool, g->nodes.n);
	find_kept(&s);
	for (int i = 0; i < g->nodes.n; i++)
		if (s.is_kept[i])
			vec_push(g->arena, &found.nodes, g->nodes.at[i]);
	arena_free(a);
	return found;
}

int kept_slot(struct program *p, const struct node *n)
{
	struct slot *s = ARENA_NEW(p->arena, struct slot);
	*s = (struct slot){.id = p->slots.n,
			   .name = n->name,
			   .slot_class = SLOT_VALUE,
			   .dtype = n->dtype,
			   .shape = n->shape,
			   .place = n->place,
			   .laid_out = n->layout,
			   .is_laid_out = true,
			   .span = n->span};
	vec_push(p->arena, &p->slots, s);
	return s->id;
}

void drop_arguments(struct arena *a, struct region *r, struct host_stmt *run)
{
	int *to = ARENA_ARRAY(a, int, r->arguments.n);
	for (int i = 0; i < r->graph->nodes.n; i++) {
		const struct node *n = r->graph->nodes.at[i];
		if (n->kind == NODE_HOST || n->kind == NODE_DATA)
			to[n->kind == NODE_HOST ? n->argument : n->data.argument] = 1;
	}
	int kept = 0;
	for (int i = 0; i < r->arguments.n; i++) {
		if (!to[i])
			continue;
		r->arguments.at[kept] = r->arguments.at[i];
		run->args.at[kept] = run->args.at[i];
		to[i] = kept++;
	}
	r->arguments.n = run->args.n = kept;
	for (int i = 0; i < r->graph->nodes.n; i++) {
		struct node *n = r->graph->nodes.at[i];
		if (n->kind == NODE_HOST)
			n->argument = to[n->argument];
		else if (n->kind == NODE_DATA)
			n->data.argument = to[n->data.argument];
	}
}

void name_region(struct program *p, struct region *r, const struct host_function *f)
{
	for (int i = 0; i < r->graph->nodes.n; i++) {
		const struct node *n = r->graph->nodes.at[i];
		struct span at = node_said_at(n);
		if (n->kind == NODE_SLOT || n->kind == NODE_CONST || !at.file)
			continue;
		program_name_region(p, r, f->name, at);
		return;
	}
}

struct kept {
	const struct program *p;
	const struct kept_nodes *nodes;
	const int *slots;
};

/* Where n is: the slot may be on a placement of another name and the same mesh, which nothing moves to. */
static struct node *slot_at(struct graph *g, const struct node *n, const struct slot *slot)
{
	struct node_site at = node_site_of(n);
	struct node *s = graph_slot(g, &at, slot->id);
	s->layout = slot->laid_out;
	if (slot->place == n->place)
		return s;
	struct layout_spec as_it_is = {.form = LAYOUT_GIVEN, .layout = n->layout};
	s = graph_to(g, &at, s, n->place, &as_it_is);
	s->layout = n->layout;
	return s;
}

static struct node *read_slot(struct graph *g, struct node *n, void *context, bool *changed)
{
	const struct kept *k = context;
	(void)changed;
	for (int i = 0; i < k->nodes->nodes.n; i++)
		if (k->nodes->nodes.at[i] == n)
			return slot_at(g, n, k->p->slots.at[k->slots[i]]);
	return n;
}

void kept_read(struct program *p, const struct host_function *f, struct region *r, struct host_stmt *run,
	       const struct kept_nodes *nodes, const int *slots)
{
	struct kept k = {p, nodes, slots};
	graph_rewrite(r->graph, read_slot, &k);
	graph_compact(r->graph);
	drop_arguments(p->arena, r, run);
	name_region(p, r, f);
}
