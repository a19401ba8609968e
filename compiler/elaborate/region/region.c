/* region.c — collecting tensor operations into regions, as large as the host allows.
 *
 * A region is open from its first operation until host code must see a value of it or branches. Params and states are
 * read from their slots when the region starts and written back when it ends; in between their newest node stands for
 * them. A tensor that a later region uses is kept: its own region, though closed, gets one more output, a slot of class
 * VALUE. What is on no rank yet (data, constants, host scalars and what is computed from them) is not kept but computed
 * again; that turns of loops do not, hoist/ sees to. */
#include "region_build.h"

static struct region_build *region_new(struct elab *e)
{
	struct region_build *b = ARENA_NEW(e->a, struct region_build);
	b->region = ARENA_NEW(e->a, struct region);
	b->region->graph = graph_new(e->s, e->p);
	b->region->graph->remat = e->remat;
	map_init(&b->cells, e->a);
	map_init(&b->kept, e->a);
	map_init(&b->placed, e->a);
	map_init(&b->copies, e->a);
	map_init(&b->loops, e->a);
	map_init(&b->again, e->a);
	map_init(&b->mentioned, e->a);
	vec_push(e->a, &e->regions, b);
	return b;
}

struct graph *region_graph(struct elab *e)
{
	if (!e->region)
		e->region = region_new(e);
	return e->region->region->graph;
}

static struct span first_span(const struct graph *g)
{
	for (int i = 0; i < g->nodes.n; i++)
		if (g->nodes.at[i]->span.file)
			return node_said_at(g->nodes.at[i]);
	return (struct span){0};
}

bool region_has_behind(const struct elab *e)
{
	return e->region && e->region->behind.n;
}

void region_close(struct elab *e)
{
	struct region_build *b = e->region;
	if (!b)
		return;
	struct graph *g = b->region->graph;
	if (g->open && graph_loop_refuses(e, g->open->span, "something that only the host does"))
		return;
	for (int i = 0; i < b->cells.n; i++) {
		struct cell *c = b->cells.entries[i].value;
		if (c->dirty)
			graph_output(g, OUTPUT_SLOT, c->slot, c->now, c->span);
	}
	behind_keep(e, b);
	program_name_region(e->p, b->region, e->code->fn->name, first_span(g));
	b->stmt = host_emit(e, HOST_REGION, b->region->span);
	for (int i = 0; i < b->args.n; i++)
		vec_push(e->a, &b->stmt->args, b->args.at[i]);
	e->region = NULL;
	behind_say(e, b);
}

/* ---- arguments ---- */

static bool same_argument(const struct host_expr *a, const struct host_expr *b)
{
	if (a->kind != b->kind || a->type != b->type)
		return false;
	if (a->kind == HOST_VAR)
		return a->index == b->index;
	return a->i == b->i && memcmp(&a->f, &b->f, sizeof a->f) == 0;
}

static int add_argument(struct elab *e, struct host_expr *x)
{
	region_graph(e);
	struct region_build *b = e->region;
	for (int i = 0; i < b->args.n; i++)
		if (same_argument(b->args.at[i], x))
			return i;
	vec_push(e->a, &b->args, x);
	vec_push(e->a, &b->region->arguments, x->type);
	return b->args.n - 1;
}

int region_argument(struct elab *e, const struct host_value *h, struct span at)
{
	const struct value *v = host_freeze(e, value_host(e, h), NULL, at);
	return add_argument(e, host_of(e, &v->host));
}

int region_handle(struct elab *e, int var, struct span at)
{
	(void)at;
	return add_argument(e, host_var(e, HOST_HANDLE, var));
}

/* ---- slots ---- */

static struct cell *cell_of(struct elab *e, int slot)
{
	region_graph(e);
	struct cell *c = map_get_u64(&e->region->cells, (uint64_t)slot);
	if (!c) {
		c = ARENA_NEW(e->a, struct cell);
		c->slot = slot;
		map_set_u64(&e->region->cells, (uint64_t)slot, c);
	}
	return c;
}

/* Before any change of a cell. */
static void change(struct elab *e, struct cell *c)
{
	struct cell was = *c;
	was.inner.at = NULL;
	was.inner.n = was.inner.cap = 0;
	for (int i = 0; i < c->inner.n; i++)
		vec_push(e->a, &was.inner, c->inner.at[i]);
	vec_push(e->a, &e->region->changes, was);
	c->was = e->region->changes.n;
}

static struct node *read_now(struct elab *e, struct cell *c, struct span at)
{
	if (!c->now) {
		change(e, c);
		struct node_site site = elab_site(e, at);
		site.name = e->p->slots.at[c->slot]->name;
		c->now = graph_slot(region_graph(e), &site, c->slot);
	}
	return c->now;
}

/* A derivative inside of others reads a param by way of what the one around it reads, so that the outer one is by the
 * same param wherever it is read. */
static struct node *read_inner(struct elab *e, struct cell *c, int depth, struct span at)
{
	if (depth < 2)
		return read_now(e, c, at);
	if (c->inner.n < depth - 1 || !c->inner.at[depth - 2]) {
		struct node *outer = read_inner(e, c, depth - 1, at);
		change(e, c);
		while (c->inner.n < depth - 1)
			vec_push(e->a, &c->inner, NULL);
		struct node_site site = elab_site(e, at);
		struct layout_spec same = {.form = LAYOUT_INFER};
		site.name = outer->name;
		c->inner.at[depth - 2] = graph_to(region_graph(e), &site, outer, outer->place, &same);
	}
	return c->inner.at[depth - 2];
}

/* In a loop over lists they are read and written by turn alone, so that its turns are those of the program. */
static void note_list(struct elab *e, const struct slot *s)
{
	if (e->turns && (s->list || s->members.n))
		e->turns->failed = true;
}

struct node *region_slot_read(struct elab *e, int slot, struct span at)
{
	struct cell *c = cell_of(e, slot);
	const struct slot *s = e->p->slots.at[slot];
	note_list(e, s);
	if (region_list_is_newest(e, s))
		return region_list_line(e, s, at);
	bool varies = s->slot_class == SLOT_PARAM && !c->dirty;
	return varies ? read_inner(e, c, e->region->derivatives, at) : read_now(e, c, at);
}

void region_param_read(struct elab *e, int slot, struct span at)
{
	struct cell *c = cell_of(e, slot);
	if (e->p->slots.at[slot]->slot_class == SLOT_PARAM && !c->dirty)
		map_set(&e->region->mentioned, read_inner(e, c, e->region->derivatives, at), c);
}

bool region_is_mentioned(const struct elab *e, const struct node *n)
{
	return map_get(&e->region->mentioned, n) != NULL;
}

void region_cell_set(struct elab *e, int slot, struct node *n, bool dirty, struct span at)
{
	struct cell *c = cell_of(e, slot);
	change(e, c);
	c->now = n;
	c->dirty = dirty;
	c->span = at;
}

void region_slot_write(struct elab *e, int slot, struct node *n, struct span at)
{
	const struct slot *s = e->p->slots.at[slot];
	region_graph(e);
	note_list(e, s);
	if (region_list_is_newest(e, s))
		region_list_scatter(e, s->list, at);
	region_cell_set(e, slot, n, true, at);
	e->effects++;
}

bool region_is_read(const struct elab *e, const struct node *n)
{
	const struct node *slot = n;
	while (slot->kind == NODE_TO)
		slot = slot->in[0];
	const struct cell *c = slot->kind == NODE_SLOT ? map_get_u64(&e->region->cells, (uint64_t)slot->slot) : NULL;
	bool found = c && c->now == n;
	for (int i = 0; c && i < c->inner.n && !found; i++)
		found = c->inner.at[i] == n;
	return found;
}

struct region_mark {
	int nchanges, nbehind, noutputs, nresults;
};

const struct region_mark *region_mark(struct elab *e)
{
	region_graph(e);
	struct region_mark *m = ARENA_NEW(e->a, struct region_mark);
	m->nbehind = e->region->behind.n;
	m->noutputs = e->region->region->graph->outputs.n;
	m->nresults = e->region->region->nresults;
	m->nchanges = e->region->changes.n;
	return m;
}

int region_assigned(struct elab *e, const struct region_mark *m, int *slots, int max)
{
	int n = 0;
	for (int i = 0; i < e->region->cells.n && n < max; i++) {
		const struct cell *c = e->region->cells.entries[i].value, *before = c;
		while (before->was > m->nchanges)
			before = &e->region->changes.at[before->was - 1];
		if (c->dirty && c->now != (before->dirty ? before->now : NULL))
			slots[n++] = c->slot;
	}
	return n;
}

void region_back(struct elab *e, const struct region_mark *m)
{
	struct region *r = e->region->region;
	e->region->behind.n = m->nbehind;
	r->graph->outputs.n = m->noutputs;
	r->nresults = r->results.n = m->nresults;
	if (e->region->stmt)
		e->region->stmt->results.n = m->nresults;
	while (e->region->changes.n > m->nchanges) {
		const struct cell *was = &e->region->changes.at[--e->region->changes.n];
		*cell_of(e, was->slot) = *was;
	}
}

void region_derivative_begin(struct elab *e)
{
	region_graph(e);
	int depth = ++e->region->derivatives;
	for (int i = 0; i < e->region->cells.n; i++) {
		struct cell *c = e->region->cells.entries[i].value;
		if (depth == 1 ? c->dirty || !c->now : c->inner.n <= depth - 2)
			continue;
		change(e, c);
		if (depth == 1)
			c->now = NULL;
		else
			c->inner.at[depth - 2] = NULL;
	}
}

void region_derivative_end(struct elab *e)
{
	e->region->derivatives--;
}

bool region_writes(struct elab *e)
{
	if (e->region)
		for (int i = 0; i < e->region->cells.n; i++)
			if (((struct cell *)e->region->cells.entries[i].value)->dirty)
				return true;
	return false;
}

struct slot_reads region_reads(struct elab *e)
{
	struct slot_reads r = {0};
	int depth = e->region->derivatives;
	for (int i = 0; i < e->region->cells.n; i++) {
		struct cell *c = e->region->cells.entries[i].value;
		struct node *read = depth < 2 ? c->now : c->inner.n > depth - 2 ? c->inner.at[depth - 2] : NULL;
		if (read && !c->dirty)
			vec_push(e->a, &r.at, ((struct slot_read){c->slot, read}));
	}
	return r;
}

/* ---- reading scalars ---- */

int slot_new(struct elab *e, const struct slot *like)
{
	struct slot *s = ARENA_NEW(e->a, struct slot);
	*s = *like;
	s->id = e->p->slots.n;
	vec_push(e->a, &e->p->slots, s);
	return s->id;
}

/* ---- the end ---- */

static void drop_statements(struct elab *e, struct host_stmt **at)
{
	while (*at) {
		struct host_stmt *s = *at;
		if (s->kind == HOST_REGION && e->regions.at[s->region]->region->id < 0) {
			*at = s->next;
			continue;
		}
		if (s->kind == HOST_REGION)
			s->region = e->regions.at[s->region]->region->id;
		drop_statements(e, &s->body);
		drop_statements(e, &s->other);
		at = &s->next;
	}
}

/* Numbers the regions that leave something behind; the others and their statements go. */
void region_finish(struct elab *e)
{
	for (int i = 0; i < e->regions.n; i++) {
		struct region_build *b = e->regions.at[i];
		struct graph *g = b->region->graph;
		if (b->stmt)
			b->stmt->region = i;
		b->region->id = -1;
		vec_push(e->a, &e->p->written, g);
		if (!b->stmt || !g->outputs.n)
			continue;
		b->region->id = e->p->regions.n;
		vec_push(e->a, &e->p->regions, b->region);
	}
	drop_statements(e, &e->p->init->body);
	if (e->p->main)
		drop_statements(e, &e->p->main->body);
	for (int i = 0; i < e->p->tests.n; i++)
		drop_statements(e, &e->p->tests.at[i].function->body);
}
