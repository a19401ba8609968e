/* repeats.c — what regions compute alike one after the other (hoist.h): statements are walked in the order in which they run, with
 * a number for each value that there is (values.h). */
#include "values.h"

/* Who has computed a value. */
struct provider {
	struct region *region; /* NULL: nobody who has run each time the walk comes here */
	struct node *node;     /* of its graph */
	int slot;              /* that it has put it in; -1: in none */
};

struct repeats {
	struct program *p;
	const struct host_function *f;
	const int *runs;
	bool is_looked_at; /* whether what is walked is */
	struct values values;
	struct arena *arena;
	VEC(struct provider) providers; /* by number of the value */
	VEC(int) found;                 /* the numbers of those there are, in the order they came */
};

static struct provider *provider_of(struct repeats *r, int number)
{
	while (r->providers.n <= number)
		vec_push(r->arena, &r->providers, ((struct provider){0}));
	return &r->providers.at[number];
}

/* What was found in an arm or in turns that may not have been run is not there behind it. */
static void lose(struct repeats *r, int n)
{
	while (r->found.n > n)
		provider_of(r, r->found.at[--r->found.n])->region = NULL;
}

/* The slot that has what has this number, which its region keeps from now on. */
static int slot_of(struct repeats *r, int number)
{
	struct provider *s = provider_of(r, number);
	if (s->slot < 0 || r->values.slots.at[s->slot] != number) {
		s->slot = kept_slot(r->p, s->node);
		graph_output(s->region->graph, OUTPUT_SLOT, s->slot, s->node, s->node->span);
		values_kept(&r->values, s->slot, number);
	}
	return s->slot;
}

/* By node: whether another region has computed its value. A loop that leaves anything else is computed here, and so is all that
 * it leaves. */
static bool *find_same(struct repeats *r, const struct graph *g, const int *number)
{
	bool *same = ARENA_ARRAY(r->arena, bool, g->nodes.n);
	for (int i = 0; i < g->nodes.n;) {
		int begin = i, end = graph_whole_end(g, i);
		bool all = true;
		for (; i < end; i++) {
			same[i] = provider_of(r, number[i])->region != NULL;
			all = all && (same[i] || g->nodes.at[i]->loop);
		}
		for (i = begin; i < end; i++)
			same[i] = same[i] && all;
	}
	return same;
}

/* A region reads what others have computed; whether there was any of that. */
static bool read_others(struct repeats *r, struct region *region, struct host_stmt *run, const int *number)
{
	struct graph *g = region->graph;
	const bool *same = find_same(r, g, number);
	struct kept_nodes kept = kept_find(g, same, false);
	int *slots = ARENA_ARRAY(r->arena, int, kept.nodes.n);
	for (int i = 0; i < kept.nodes.n; i++)
		slots[i] = slot_of(r, number[kept.nodes.at[i]->id]);
	if (kept.nodes.n)
		kept_read(r->p, r->f, region, run, &kept, slots);
	return kept.nodes.n > 0;
}

/* The slot of class VALUE that the graph leaves a node's value in; -1: none. */
static int slot_with(const struct repeats *r, const struct graph *g, const struct node *n)
{
	for (int i = 0; i < g->outputs.n; i++) {
		const struct output *o = &g->outputs.at[i];
		if (o->node == n && o->kind == OUTPUT_SLOT && r->p->slots.at[o->index]->slot_class == SLOT_VALUE)
			return o->index;
	}
	return -1;
}

static void walk_region(struct repeats *r, struct host_stmt *s)
{
	struct region *region = r->p->regions.at[s->region];
	const struct graph *g = region->graph;
	bool is_only = r->is_looked_at && r->runs[s->region] == 1;
	int *number = values_of_graph(&r->values, g, s);
	if (is_only && read_others(r, region, s, number))
		number = values_of_graph(&r->values, g, s);
	for (int i = 0; is_only && i < g->nodes.n; i++) {
		struct provider *x = provider_of(r, number[i]);
		if (x->region || !can_be_kept(g->nodes.at[i]))
			continue;
		*x = (struct provider){region, g->nodes.at[i], slot_with(r, g, g->nodes.at[i])};
		vec_push(r->arena, &r->found, number[i]);
	}
	values_after(&r->values, s, number);
}

static void walk(struct repeats *r, struct host_stmt *first);

/* What is found there is lost behind it. */
static void walk_apart(struct repeats *r, struct host_stmt *first)
{
	int n = r->found.n;
	walk(r, first);
	lose(r, n);
}

static void walk_arms(struct repeats *r, const struct host_stmt *s)
{
	struct values before = values_copy(&r->values);
	walk_apart(r, s->body);
	values_back(&r->values, &before);
	walk_apart(r, s->other);
	struct changes c = changes_find(r->arena, r->p, s);
	values_forget(&r->values, &c);
}

/* Any turn may be the one that is walked: in front of it, and of what follows each turn, is what other turns have left. */
static void walk_loop(struct repeats *r, const struct host_stmt *s)
{
	struct changes c = changes_find(r->arena, r->p, s);
	values_forget(&r->values, &c);
	bool around = r->is_looked_at;
	r->is_looked_at = true;
	walk_apart(r, s->body);
	values_forget(&r->values, &c);
	walk_apart(r, s->other);
	values_forget(&r->values, &c);
	r->is_looked_at = around;
}

static void walk(struct repeats *r, struct host_stmt *first)
{
	for (struct host_stmt *s = first; s; s = s->next)
		switch (s->kind) {
		case HOST_SET:
		case HOST_EVAL:
			values_after(&r->values, s, NULL);
			break;
		case HOST_REGION:
			walk_region(r, s);
			break;
		case HOST_IF:
			walk_arms(r, s);
			break;
		case HOST_WHILE:
			walk_loop(r, s);
			break;
		case HOST_BREAK:
		case HOST_CONTINUE:
			break;
		}
}

void repeats_keep(struct program *p, const struct host_function *f, const int *runs, bool in_turns)
{
	struct repeats r = {.p = p, .f = f, .runs = runs, .is_looked_at = !in_turns, .arena = arena_new("repeats")};
	values_begin(&r.values, r.arena, p, f);
	walk(&r, f->body);
	arena_free(r.arena);
}
