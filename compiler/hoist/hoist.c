/* hoist.c — the stage: what a loop of the host computes alike in all its turns, though the program says it in front of
 * the loop, becomes a region of its own there (README.md). */
#include "hoist.h"

#include "../compiler.h"

struct hoist {
	struct program *p;
	const struct host_function *f;
	int *runs; /* by region: how many statements run it */
};

static void count_runs(int *runs, const struct host_stmt *first)
{
	for (const struct host_stmt *s = first; s; s = s->next) {
		if (s->kind == HOST_REGION)
			runs[s->region]++;
		count_runs(runs, s->body);
		count_runs(runs, s->other);
	}
}

static void find_changes(const struct program *p, const struct host_stmt *first, struct changes *c)
{
	for (const struct host_stmt *s = first; s; s = s->next) {
		if (s->kind == HOST_SET)
			c->variables[s->var] = true;
		for (int i = 0; s->kind == HOST_REGION && i < s->results.n; i++)
			if (s->results.at[i] >= 0)
				c->variables[s->results.at[i]] = true;
		const struct graph *g = s->kind == HOST_REGION ? p->regions.at[s->region]->graph : NULL;
		for (int i = 0; g && i < g->outputs.n; i++)
			if (g->outputs.at[i].kind == OUTPUT_SLOT)
				c->slots[g->outputs.at[i].index] = true;
		find_changes(p, s->body, c);
		find_changes(p, s->other, c);
	}
}

static int keep_slot(struct program *p, const struct node *n)
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

/* Arguments that nothing reads any more go, and those that stay get new numbers. */
static void drop_arguments(struct arena *a, struct region *r, struct host_stmt *run)
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

/* By where its first operation stands: "main:24". */
static void name_region(struct program *p, struct region *r, const struct host_function *f)
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

/* A region that computes the nodes, numbered as those of r, into slots; the statement that runs it. */
static struct host_stmt *region_of(const struct hoist *h, const struct region *r, const struct host_stmt *run,
				   const struct invariants *inv, const int *slots)
{
	struct program *p = h->p;
	struct region *fresh = ARENA_NEW(p->arena, struct region);
	fresh->id = p->regions.n;
	fresh->graph = graph_copy(r->graph, p->arena);
	struct graph *g = fresh->graph;
	g->outputs.n = 0;
	for (int i = 0; i < inv->nodes.n; i++)
		graph_output(g, OUTPUT_SLOT, slots[i], g->nodes.at[inv->nodes.at[i]->id], inv->nodes.at[i]->span);
	graph_compact(g);
	name_region(p, fresh, h->f);
	struct host_stmt *s = ARENA_NEW(p->arena, struct host_stmt);
	s->kind = HOST_REGION;
	s->span = fresh->span;
	s->region = fresh->id;
	for (int i = 0; i < r->arguments.n; i++) {
		vec_push(p->arena, &fresh->arguments, r->arguments.at[i]);
		vec_push(p->arena, &s->args, run->args.at[i]);
	}
	drop_arguments(p->arena, fresh, s);
	vec_push(p->arena, &p->regions, fresh);
	return s;
}

struct kept {
	const struct invariants *inv;
	const int *slots;
};

static struct node *read_slot(struct graph *g, struct node *n, void *context, bool *changed)
{
	const struct kept *k = context;
	(void)changed;
	for (int i = 0; i < k->inv->nodes.n; i++)
		if (k->inv->nodes.at[i] == n) {
			struct node_site at = node_site_of(n);
			struct node *s = graph_slot(g, &at, k->slots[i]);
			s->layout = n->layout;
			return s;
		}
	return n;
}

/* Statements to put in front of the loop for what stands at `first` and behind, behind `last`. */
static struct host_stmt **hoist_from(struct hoist *h, const struct changes *c, struct host_stmt *first,
				     struct host_stmt **last)
{
	struct program *p = h->p;
	for (struct host_stmt *s = first; s; s = s->next) {
		last = hoist_from(h, c, s->body, last);
		last = hoist_from(h, c, s->other, last);
		if (s->kind != HOST_REGION || h->runs[s->region] != 1)
			continue;
		struct region *r = p->regions.at[s->region];
		struct invariants inv = invariants_find(p, r->graph, s, c);
		if (!inv.nodes.n)
			continue;
		int *slots = ARENA_ARRAY(p->arena, int, inv.nodes.n);
		for (int i = 0; i < inv.nodes.n; i++)
			slots[i] = keep_slot(p, inv.nodes.at[i]);
		*last = region_of(h, r, s, &inv, slots);
		last = &(*last)->next;
		struct kept k = {&inv, slots};
		graph_rewrite(r->graph, read_slot, &k);
		graph_compact(r->graph);
		drop_arguments(p->arena, r, s);
		name_region(p, r, h->f);
	}
	return last;
}

/* Outer loops first: what does not change in them is gone when inner ones are looked at. */
static void hoist_loops(struct hoist *h, struct host_stmt **at)
{
	for (; *at; at = &(*at)->next) {
		struct host_stmt *s = *at;
		if (s->kind == HOST_WHILE) {
			int nslots = h->p->slots.n;
			struct changes c = {.loop = s,
					    .variables = ARENA_ARRAY(h->p->arena, bool, h->f->vars.n),
					    .slots = ARENA_ARRAY(h->p->arena, bool, nslots)};
			find_changes(h->p, s->body, &c);
			find_changes(h->p, s->other, &c);
			struct host_stmt *before = NULL, **last = hoist_from(h, &c, s->body, &before);
			last = hoist_from(h, &c, s->other, last);
			*last = s;
			*at = before ? before : s;
			at = last;
		}
		hoist_loops(h, &s->body);
		hoist_loops(h, &s->other);
	}
}

static void hoist_function(struct program *p, struct host_function *f, int *runs)
{
	struct hoist h = {.p = p, .f = f, .runs = runs};
	if (f)
		hoist_loops(&h, &f->body);
}

void compiler_hoist(struct program *p)
{
	int *runs = ARENA_ARRAY(p->arena, int, p->regions.n);
	if (p->main)
		count_runs(runs, p->main->body);
	for (int i = 0; i < p->tests.n; i++)
		count_runs(runs, p->tests.at[i].function->body);
	hoist_function(p, p->main, runs);
	for (int i = 0; i < p->tests.n; i++)
		hoist_function(p, p->tests.at[i].function, runs);
}
