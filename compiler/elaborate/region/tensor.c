/* tensor.c — tensors as values: where their node is, and how a later region gets at it. */
#include "region_build.h"

const struct value *tensor_value_of(struct elab *e, struct node *n)
{
	if (!n)
		return &value_error;
	struct value *v = value_new(e, VALUE_TENSOR);
	v->tensor = ARENA_NEW(e->a, struct tensor);
	v->tensor->node = n;
	v->tensor->home = e->region;
	return v;
}

enum dtype tensor_dtype(struct elab *e, const struct value *v)
{
	return v->kind == VALUE_PARAM ? e->p->slots.at[v->slot]->dtype : v->tensor->node->dtype;
}

const struct shape *tensor_shape(struct elab *e, const struct value *v)
{
	return v->kind == VALUE_PARAM ? &e->p->slots.at[v->slot]->shape : &v->tensor->node->shape;
}

const struct place *tensor_place(struct elab *e, const struct value *v)
{
	return v->kind == VALUE_PARAM ? e->p->slots.at[v->slot]->place : v->tensor->node->place;
}

/* The slot that keeps a node of a closed region. */
static int kept_slot(struct elab *e, struct region_build *home, struct node *n, const char *name)
{
	struct slot *s = map_get(&home->kept, n);
	if (s)
		return s->id;
	struct slot like = {.name = name ? name : n->name,
			    .slot_class = SLOT_VALUE,
			    .dtype = n->dtype,
			    .shape = n->shape,
			    .place = n->place,
			    .span = n->span};
	int id = slot_new(e, &like);
	map_set(&home->kept, n, e->p->slots.at[id]);
	graph_output(home->region->graph, OUTPUT_SLOT, id, n, n->span);
	return id;
}

static struct node *copy_unplaced(struct elab *e, struct region_build *home, struct node *n);

/* The loop in the open region that stands for one of home. */
static struct loop *copy_loop(struct elab *e, struct region_build *home, const struct loop *l)
{
	struct graph *g = region_graph(e);
	struct loop *copy = l ? map_get(&e->region->loops, l) : NULL;
	if (!l || copy)
		return copy;
	copy = graph_loop(g, copy_loop(e, home, l->outer), l->turns, l->span);
	copy->most = l->most;
	copy->is_branch = l->is_branch;
	map_set(&e->region->loops, l, copy);
	copy->count = l->count ? copy_unplaced(e, home, l->count) : NULL;
	copy->condition = l->condition ? copy_unplaced(e, home, l->condition) : NULL;
	return copy;
}

static struct node *end_of(const struct region_build *home, const struct node *carry)
{
	const struct graph *g = home->region->graph;
	for (int i = 0; i < g->nodes.n; i++)
		if (g->nodes.at[i]->kind == NODE_END && g->nodes.at[i]->in[0] == carry)
			return g->nodes.at[i];
	return NULL;
}

/* An entry or exit of a loop. With what is carried comes what it becomes. */
static struct node *copy_of_loop(struct elab *e, struct region_build *home, const struct node *n,
				 const struct node_site *site, struct node *const *in)
{
	struct graph *g = region_graph(e);
	struct loop *l = copy_loop(e, home, n->of);
	struct node *copy = map_get(&e->region->copies, n), *end;
	if (copy)
		return copy;
	switch (n->kind) {
	case NODE_TURN:
		return graph_turn(g, site, l);
	case NODE_CARRY:
		copy = graph_carry(g, site, l, in[0]);
		map_set(&e->region->copies, n, copy);
		end = end_of(home, n);
		if (end)
			copy_unplaced(e, home, end);
		return copy;
	case NODE_LINE:
		return graph_line(g, site, l, n->nin, in, n->line.first, n->line.step, n->line.back);
	case NODE_END:
		return graph_end(g, site, in[0], in[1]);
	default:
		BUG_IF(n->kind != NODE_STACK, "a node of kind %d is none of a loop", (int)n->kind);
		return graph_stack(g, site, l, in[0], n->line.back);
	}
}

/* Computes a node that is on no rank once more in the open region. */
static struct node *copy_unplaced(struct elab *e, struct region_build *home, struct node *n)
{
	struct graph *g = region_graph(e);
	struct node *copy = map_get(&e->region->copies, n);
	if (copy)
		return copy;
	if (n->kind == NODE_RULED || n->kind == NODE_PULLED)
		return copy_unplaced(e, home, n->in[0]);
	struct node_site site = {.span = n->span, .call = n->call, .origin = n->origin, .name = n->name};
	struct node **in = ARENA_ARRAY(e->a, struct node *, n->nin);
	for (int i = 0; i < n->nin; i++)
		in[i] = copy_unplaced(e, home, n->in[i]);
	switch (n->kind) {
	case NODE_DATA:
		copy = graph_data(g, &site, region_handle(e, home->args.at[n->data.argument]->index, n->span),
				  n->data.field, n->dtype, &n->shape);
		break;
	case NODE_HOST: {
		struct host_expr *x = home->args.at[n->argument];
		struct host_value h = {.type = x->type, .expr = x};
		copy = graph_host(g, &site, region_argument(e, &h, n->span), n->dtype);
		break;
	}
	case NODE_CONST:
		copy = graph_number(g, &site, n->dtype, n->number);
		break;
	case NODE_MAP:
		copy = graph_map(g, &site, n->rule, in);
		break;
	case NODE_RESHAPE:
		copy = graph_reshape(g, &site, in[0], &n->shape);
		break;
	case NODE_CHECK:
		copy = graph_check(g, &site, in[0], &n->check);
		break;
	case NODE_FACTORS:
		copy = graph_factors(g, &site, in[0], n->factors);
		break;
	case NODE_CONTRACT:
	case NODE_STOP:
	case NODE_REMAT:
		copy = graph_stop(g, &site, in[0]);
		break;
	case NODE_TURN:
	case NODE_CARRY:
	case NODE_LINE:
	case NODE_END:
	case NODE_STACK:
		copy = copy_of_loop(e, home, n, &site, in);
		break;
	case NODE_SLOT:
	case NODE_TO:
	case NODE_TANGENT:
	case NODE_RULED:
	case NODE_PULLED:
	case NODE_KINDS:
		BUG_IF(true, "a node of kind %d is on no rank", (int)n->kind);
	}
	map_set(&e->region->copies, n, copy);
	return copy;
}

/* ---- what loops compute without a placement ---- */

/* A number that a loop counts is on no rank, but its value may hang on tensors that are: those that the loop's count,
 * condition or branches ask of. */
struct search {
	const struct region_build *home;
	bool *seen;
	const struct place *found;
};

static void search_node(struct search *s, const struct node *n);

static void search_loop(struct search *s, const struct loop *l)
{
	for (; l && !s->found; l = l->outer) {
		if (l->count)
			search_node(s, l->count);
		if (l->condition)
			search_node(s, l->condition);
	}
}

static void search_node(struct search *s, const struct node *n)
{
	if (s->found || s->seen[n->id])
		return;
	s->seen[n->id] = true;
	s->found = n->place;
	for (int i = 0; i < n->nin && !s->found; i++)
		search_node(s, n->in[i]);
	search_loop(s, n->of);
	search_loop(s, n->loop);
	const struct node *end = n->kind == NODE_CARRY ? end_of(s->home, n) : NULL;
	if (end)
		search_node(s, end);
}

/* Where the value of an unplaced node of a closed region is known; NULL: anywhere, it can be computed again. */
static const struct place *known_at(struct elab *e, const struct region_build *home, const struct node *n)
{
	const struct graph *g = home->region->graph;
	struct search s = {.home = home};
	if (!g->loops.n)
		return NULL;
	s.seen = ARENA_ARRAY(e->a, bool, g->nodes.n);
	search_node(&s, n);
	return s.found;
}

/* n, or if it is on no rank and cannot be computed again, as its own region has it on some. */
static struct node *as_known(struct elab *e, struct region_build *home, struct node *n, struct span at)
{
	const struct place *p = n->place || home == e->region ? NULL : known_at(e, home, n);
	struct layout_spec whole = {.form = LAYOUT_GIVEN, .layout = layout_broadcast()};
	if (!p)
		return n;
	struct node *placed = map_get(&home->placed, n);
	if (!placed) {
		struct node_site site = elab_site(e, at);
		placed = graph_to(home->region->graph, &site, n, p, &whole);
		map_set(&home->placed, n, placed);
	}
	return placed;
}

struct node *tensor_node(struct elab *e, const struct value *v, struct span at)
{
	if (v->kind == VALUE_PARAM)
		return v->line ? slot_line_read(e, v->line, at) : region_slot_read(e, v->slot, at);
	BUG_IF(v->kind != VALUE_TENSOR, "tensor_node of a value of kind %d", (int)v->kind);
	struct tensor *t = v->tensor;
	region_graph(e);
	if (t->home == e->region)
		return t->node;
	struct node *n = as_known(e, t->home, t->node, at);
	if (!n->place)
		return copy_unplaced(e, t->home, n);
	return region_slot_read(e, kept_slot(e, t->home, n, NULL), at);
}

int tensor_slot(struct elab *e, struct region_build *home, struct node *n, struct span at)
{
	struct cell *c = n->kind == NODE_SLOT ? map_get_u64(&home->cells, (uint64_t)n->slot) : NULL;
	bool is_newest = c && !c->dirty && !region_list_is_newest(e, e->p->slots.at[n->slot]);
	if (is_newest && home == e->region)
		return n->slot;
	n = as_known(e, home, n, at);
	if (n->place)
		return kept_slot(e, home, n, NULL);
	struct layout_spec whole = {.form = LAYOUT_GIVEN, .layout = layout_broadcast()};
	struct node_site site = elab_site(e, at);
	struct graph *g = region_graph(e);
	n = home == e->region ? n : copy_unplaced(e, home, n);
	return kept_slot(e, e->region, graph_to(g, &site, n, e->home_place, &whole), NULL);
}

int tensor_keep(struct elab *e, const struct value *v, const char *name, struct span at)
{
	struct slot like = {.name = name,
			    .slot_class = SLOT_VALUE,
			    .dtype = tensor_dtype(e, v),
			    .shape = *tensor_shape(e, v),
			    .place = tensor_place(e, v),
			    .span = at};
	if (!like.place)
		like.place = e->home_place;
	int id = slot_new(e, &like);
	struct node *n = tensor_node(e, v, at);
	if (!n->place) {
		struct layout_spec whole = {.form = LAYOUT_GIVEN, .layout = layout_broadcast()};
		struct node_site site = elab_site(e, at);
		n = graph_to(region_graph(e), &site, n, like.place, &whole);
	}
	region_slot_write(e, id, n, at);
	return id;
}

struct node *tensor_of_host(struct elab *e, const struct value *v, enum dtype t, struct span at)
{
	struct graph *g = region_graph(e);
	struct node_site site = elab_site(e, at);
	const struct host_value *h = &v->host;
	if (value_is_of_graph(v))
		return number_node(e, v, t, at);
	if (h->known && dtype_is_float(t))
		return graph_float(g, &site, t, h->type == HOST_FLOAT ? h->f : (double)h->i);
	if (h->known)
		return graph_int(g, &site, t, h->i);
	if (dtype_is_float(t))
		v = host_to_float(e, v);
	return graph_host(g, &site, region_argument(e, &v->host, at), t);
}

/* "f32[6, 4] @ left", with the name of the value where it has one and stands elsewhere. */
static const char *type_on_place(struct elab *e, const struct node *n)
{
	struct text t;
	text_init(&t, e->a);
	if (n->name)
		text_printf(&t, "`%s` is ", n->name);
	type_print(&t, n->dtype, &n->shape);
	text_printf(&t, " @ %s", n->place->name);
	return text_get(&t);
}

/* Whether it is a param or state that no `@` puts anywhere. */
static bool is_declared_nowhere(const struct elab *e, const struct node *n)
{
	bool found = false;
	for (int i = 0; n->name && n->place == e->fallback_place && i < e->p->slots.n && !found; i++)
		found = e->p->slots.at[i]->slot_class != SLOT_VALUE && strcmp(e->p->slots.at[i]->name, n->name) == 0;
	return found;
}

/* The param or state of which a slot is a field, `net` of "net.up.w"; NULL: there is none, as of a function's state. */
static const struct item *declaration_of(const struct elab *e, const char *slot)
{
	size_t n = strcspn(slot, ".");
	for (int m = 0; m < e->ast->modules.n; m++)
		for (int i = 0; i < e->ast->modules.at[m]->items.n; i++) {
			const struct item *x = e->ast->modules.at[m]->items.at[i];
			if (item_is_slot(x) && strlen(x->name.text) == n && memcmp(x->name.text, slot, n) == 0)
				return x;
		}
	return NULL;
}

/* How it is put on another's placement: a param behind its type, a field by what its struct is given. */
static void help_declared_nowhere(const struct elab *e, struct diag *d, const char *name, const char *place)
{
	const char *last = strrchr(name, '.');
	const struct item *of = declaration_of(e, name);
	const struct type *t = of ? of->type : NULL;
	while (t && t->kind == TYPE_ARRAY)
		t = t->element;
	const char *group = t && t->item ? t->item->name.text : "Net";
	if (!last || (last[1] >= '0' && last[1] <= '9'))
		diag_help(d, "`%s` is declared without a placement, which is rank 0: write `@ %s` behind its type",
			  name, place);
	else
		diag_help(d,
			  "`%s` is declared without a placement, which is rank 0: its struct takes one, `struct "
			  "%s[p: place] { … @ p }`, and is given it, `%s : %s[%s]`",
			  name, group, of ? of->name.text : "net", group, place);
}

static void report_places(struct elab *e, struct node **nodes, const struct span *spans, int a, int b, struct span at,
			  bool edits)
{
	const char *pa = nodes[a]->place->name, *pb = nodes[b]->place->name;
	const char *ta = type_on_place(e, nodes[a]), *tb = type_on_place(e, nodes[b]);
	struct diag *d = elab_error(e, PML0212, at, "operands are on different placements, `%s` and `%s`", pa, pb);
	if (spans) {
		elab_label(e, d, spans[a], "%s", ta);
		elab_label(e, d, spans[b], "%s", tb);
		diag_help(d, "move one of them%s: `to @%s`", edits ? "" : " before", pa);
		if (edits)
			elab_edit_behind(e, d, spans[b], arena_printf(e->a, " to @%s", pa), true);
	}
	bool first = is_declared_nowhere(e, nodes[a]);
	if (first || is_declared_nowhere(e, nodes[b]))
		help_declared_nowhere(e, d, nodes[first ? a : b]->name, first ? pb : pa);
	diag_note(d, "nothing moves unless the source says `to`");
}

struct node *tensor_adopt(struct elab *e, struct node *n, const struct place *p, struct span at)
{
	if (!n->place || n->place == p)
		return n;
	struct node_site site = elab_site(e, at);
	site.name = n->name;
	return graph_to(region_graph(e), &site, n, p, &(struct layout_spec){.form = LAYOUT_INFER});
}

bool tensor_same_place(struct elab *e, int n, struct node **nodes, const struct span *spans, struct span at, bool edits)
{
	int first = -1;
	for (int i = 0; i < n; i++) {
		if (!nodes[i]->place)
			continue;
		if (first < 0) {
			first = i;
			continue;
		}
		const struct place *p = nodes[first]->place, *q = nodes[i]->place;
		if (p == q)
			continue;
		if (!place_same_mesh(p, q)) {
			report_places(e, nodes, spans, first, i, at, edits);
			return false;
		}
		nodes[i] = tensor_adopt(e, nodes[i], p, at);
	}
	return true;
}
