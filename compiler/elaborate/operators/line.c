/* line.c — `x[2 * i + 1]`, `x[8 * i .. 8 * i + 8]` and `ws[i % 3]` in a loop of the graph, where i counts its turns:
 * one line or block of a tensor, one tensor of a list, for every turn. Only where all turns are known to stay inside:
 * every other index is one that the running program computes. A loop of unknown turns makes as many at the most as a
 * list has values for. */
#include "operators.h"

#include <string.h>

bool number_line_inside(const struct number_line *l, int64_t extent, int64_t *first)
{
	int64_t turns = l->loop->turns >= 0 ? l->loop->turns : l->loop->most, last;
	if (turns < 1 || __builtin_mul_overflow(l->step, turns - 1, &last) ||
	    __builtin_add_overflow(last, l->first, &last))
		return false;
	int64_t low = l->first < last ? l->first : last, high = l->first < last ? last : l->first;
	*first = l->first + (high < 0 ? extent : 0);
	return (low >= 0 && high < extent) || (high < 0 && low >= -extent);
}

struct node *dimension_moved(struct elab *e, struct node *x, int from, int to, struct span at)
{
	struct rule *r = ARENA_NEW(e->a, struct rule);
	struct node_site site = elab_site(e, at);
	if (from == to)
		return x;
	const struct access operand = access_of_shape(x->dtype, &x->shape);
	*r = (struct rule){.name = "transpose", .noperands = 1, .operand = &operand, .nfactors = x->shape.rank};
	r->out = (struct access){.type = x->dtype, .rank = x->shape.rank};
	for (int i = 0; i < x->shape.rank; i++) {
		int rest = i - (i > from), d = i == from ? to : rest + (rest >= to);
		r->factor[i] = (struct factor){arena_printf(e->a, "i%d", i), x->shape.dim[i]};
		r->out.dim[d] = x->shape.dim[i];
		r->out.index[d] = index_of_factor(i);
	}
	r->body = scalar_operand(e->a, x->dtype, 0);
	site.name = x->name;
	return graph_map(region_graph(e), &site, r, &x);
}

/* x's lines of dimension d, of which the turns read those from `first` on. */
static struct node *line_at(struct elab *e, struct node *x, int d, const struct number_line *l, int64_t first,
			    struct span at)
{
	struct node_site site = elab_site(e, at);
	x = dimension_moved(e, x, d, 0, at);
	return graph_line(region_graph(e), &site, l->loop, 1, &x, first, l->step, false);
}

struct node *line_of_tensor(struct elab *e, struct node *x, int d, const struct value *i, struct span at)
{
	struct number_line l;
	int64_t first;
	if (!number_is_line(e, i, &l) || loop_is_in(x->loop, l.loop) ||
	    !number_line_inside(&l, x->shape.dim[d], &first))
		return NULL;
	return line_at(e, x, d, &l, first, at);
}

bool number_is_block(const struct elab *e, const struct value *v, int64_t width, struct number_line *out)
{
	if (width < 1 || !number_is_line(e, v, out) || out->first % width || out->step % width)
		return false;
	out->first /= width;
	out->step /= width;
	return true;
}

/* The layout that is written for what x is made of, as far as that is laid out like x; NULL: none is. */
static const struct layout *written_layout(const struct elab *e, const struct node *x)
{
	for (;;) {
		const struct layout_spec *written = x->kind == NODE_TO || x->kind == NODE_CONTRACT ? &x->target->layout
						    : x->kind == NODE_SLOT ? &e->p->slots.at[x->slot]->layout
									   : NULL;
		if (written && written->form == LAYOUT_GIVEN)
			return &written->layout;
		const struct node *next = node_is_identity(x) ? x->in[0] : NULL;
		for (int i = 0; x->kind == NODE_MAP && rule_is_elementwise(x->rule) && !next && i < x->nin; i++)
			next = x->in[i]->place ? x->in[i] : NULL;
		if (!next || next->place != x->place || next->shape.rank != x->shape.rank)
			return NULL;
		x = next;
	}
}

/* Whether ranks along axis a of x's placement have parts of dimension d. */
static bool splits(const struct node *x, const struct layout *l, int a, int d)
{
	return x->place->extent[a] > 1 && l->atom[a].kind == SHARD_S && l->atom[a].dim == d;
}

/* Whether ranks are known to hold parts of blocks of dimension d: what x is made of says how it is split. */
static bool splits_blocks(const struct elab *e, const struct node *x, int d, int64_t width)
{
	const struct layout *l = x->place ? written_layout(e, x) : NULL;
	int64_t n = x->shape.dim[d];
	int naxes = 0;
	for (int a = 0; l && a < x->place->naxes; a++)
		naxes += splits(x, l, a, d);
	for (int a = 0; l && a < x->place->naxes; a++) {
		int64_t k = x->place->extent[a];
		if (!splits(x, l, a, d))
			continue;
		/* One within the other: equal parts of whole blocks. */
		if (naxes > 1 && (l->atom[a].shares || n % k))
			return true;
		for (int64_t r = 1; r < k; r++)
			if (cuts_begin(l->atom[a], n, k, r) % width)
				return true;
		n /= k;
	}
	return false;
}

bool dimension_is_split(const struct elab *e, const struct node *x, int d)
{
	const struct layout *l = x->place ? written_layout(e, x) : NULL;
	for (int a = 0; l && a < x->place->naxes; a++)
		if (l->atom[a].kind == SHARD_S && l->atom[a].dim == d)
			return true;
	return false;
}

/* The dimension of the operand that is dimension d of a rule that only puts dimensions in another order, or -1. */
static int dimension_of_operand(const struct rule *r, int d)
{
	if (r->noperands != 1 || r->combiner != COMBINE_NONE || r->body->kind != SCALAR_OPERAND ||
	    r->operand[0].rank != r->out.rank || r->nfactors != r->out.rank)
		return -1;
	for (int i = 0; i < r->out.rank; i++) {
		if (index_factor(&r->operand[0].index[i]) < 0 || index_factor(&r->out.index[i]) < 0)
			return -1;
	}
	for (int i = 0; i < r->out.rank; i++)
		if (index_factor(&r->operand[0].index[i]) == index_factor(&r->out.index[d]))
			return i;
	return -1;
}

/* The dimension of x->in[0] that dimension d of x is, or has the numbers of blocks of, of an x that only puts the
 * elements of it elsewhere (dimension_moved, line_of_slice); -1: x is none. */
static int dimension_before(const struct node *x, int d)
{
	const struct shape *s = x->kind == NODE_RESHAPE ? &x->in[0]->shape : NULL;
	int i = 0;
	if (x->kind == NODE_MAP)
		return dimension_of_operand(x->rule, d);
	if (!s || s->rank + 1 != x->shape.rank)
		return -1;
	while (i < s->rank && s->dim[i] == x->shape.dim[i])
		i++;
	for (int j = i; j < s->rank; j++)
		if (s->dim[j] != (j == i ? x->shape.dim[j] * x->shape.dim[j + 1] : x->shape.dim[j + 1]))
			return -1;
	return d <= i ? d : d - 1;
}

enum split { SPLIT_NOT, SPLIT_BY_ONE, SPLIT_BY_SEVERAL };

/* How dimension d is written to be split: by axes of one rank alone, or of several. */
static enum split split_of(const struct elab *e, const struct node *x, int d)
{
	const struct layout *l = x->place ? written_layout(e, x) : NULL;
	int before = x->nin == 1 ? dimension_before(x, d) : -1;
	enum split found = SPLIT_NOT;
	if (before >= 0)
		return split_of(e, x->in[0], before);
	for (int a = 0; l && a < x->place->naxes && found < SPLIT_BY_SEVERAL; a++)
		if (l->atom[a].kind == SHARD_S && l->atom[a].dim == d)
			found = x->place->extent[a] > 1 ? SPLIT_BY_SEVERAL : SPLIT_BY_ONE;
	return found;
}

/* x as parts of which each is on one rank, so that any line or block of dimension d may be read: what ranks had of it,
 * they keep. The nodes are the same where it is not split, so that derivatives are added up in the same order. */
static struct node *parts_of_dimension(struct elab *e, struct node *x, int d, struct span at)
{
	struct graph *g = region_graph(e);
	struct node_site site = elab_site(e, at);
	int before = x->nin == 1 ? dimension_before(x, d) : -1;
	site.name = x->name;
	if (before >= 0) {
		struct node *y = parts_of_dimension(e, x->in[0], before, at);
		return x->kind == NODE_RESHAPE ? graph_reshape(g, &site, y, &x->shape)
					       : graph_map(g, &site, x->rule, &y);
	}
	const struct layout *l = written_layout(e, x);
	struct layout_spec parts = {.form = LAYOUT_INFER, .span = at};
	for (int a = 0; l && a < x->place->naxes; a++) {
		if (l->atom[a].kind != SHARD_S || l->atom[a].dim != d)
			continue;
		if (parts.form == LAYOUT_INFER)
			parts.layout = *l;
		parts.form = LAYOUT_GIVEN;
		parts.layout.atom[a] = (struct shard_atom){.kind = SHARD_P, .combiner = SHARD_SUM};
	}
	return graph_to(g, &site, x, x->place, &parts);
}

/* x[first + step * turn], by number. */
static struct node *element_of_turn(struct elab *e, const struct node *line)
{
	struct graph *g = region_graph(e);
	struct node_site site = node_site_of(line);
	struct node *number = graph_turn(g, &site, line->of);
	number = graph_pointwise(g, &site, SC_MUL, number, graph_int(g, &site, DT_I64, line->line.step), NULL);
	number = graph_pointwise(g, &site, SC_ADD, number, graph_int(g, &site, DT_I64, line->line.first), NULL);
	return graph_line_at(g, &site, line->in[0], number);
}

static struct node *line_of_parts(struct elab *e, const struct node *line)
{
	struct node_site site = node_site_of(line);
	struct graph *g = region_graph(e);
	const struct remat *block = g->remat;
	g->remat = block->outer; /* of which segments compute nothing again */
	struct node *x = parts_of_dimension(e, line->in[0], 0, line->span);
	g->remat = block;
	return graph_line(g, &site, line->of, 1, &x, line->line.first, line->line.step, line->line.back);
}

/* With --reproducible, where the derivative may not be added up in another order in other layouts, and on one rank,
 * which needs no numbers, lines of parts. */
void lines_of_split(struct elab *e, const struct loop *l, int from, struct map *instead)
{
	const struct graph *g = region_graph(e);
	for (int i = from, n = g->nodes.n; i < n; i++) {
		struct node *x = g->nodes.at[i];
		if (x->kind != NODE_LINE || x->of != l || x->nin != 1)
			continue;
		enum split split = split_of(e, x->in[0], 0);
		bool same = dtype_is_float(x->dtype) && x->place && e->s->options.reproducible;
		if (same || (dtype_is_float(x->dtype) && split == SPLIT_BY_ONE))
			map_set(instead, x, line_of_parts(e, x));
		else if (split != SPLIT_NOT)
			map_set(instead, x, element_of_turn(e, x));
	}
}

/* Blocks that several ranks have parts of are slices that begin where the turn says, whose derivative is a sum of rows
 * in the order of the turns. With --reproducible it may not be another sum than where shares are whole blocks: floats
 * are lines there, too. */
struct node *line_of_slice(struct elab *e, struct node *x, int d, const struct slice *s, struct span at)
{
	struct number_line l;
	struct node_site site = elab_site(e, at);
	struct shape blocks = x->shape;
	int64_t first;
	if (!number_is_block(e, s->from, s->width, &l) || x->shape.dim[d] % s->width || x->shape.rank == MAX_RANK ||
	    loop_is_in(x->loop, l.loop) || !number_line_inside(&l, x->shape.dim[d] / s->width, &first) ||
	    first != l.first)
		return NULL;
	bool parts = splits_blocks(e, x, d, s->width);
	if (parts && !(e->s->options.reproducible && dtype_is_float(x->dtype)))
		return NULL;
	if (parts)
		x = parts_of_dimension(e, x, d, at);
	blocks.rank++;
	for (int i = x->shape.rank; i > d; i--)
		blocks.dim[i] = x->shape.dim[i - 1];
	blocks.dim[d] = x->shape.dim[d] / s->width;
	blocks.dim[d + 1] = s->width;
	site.name = x->name;
	struct node *line = line_at(e, graph_reshape(region_graph(e), &site, x, &blocks), d, &l, first, at);
	line->name = x->name;
	return line;
}

/* ---- lists ---- */

/* What each turn takes: a value for every turn, of which the parts may differ. */
struct each_turn {
	struct elab *e;
	struct loop *loop;
	int n;
	struct span at;
};

static const struct value *alike(const struct each_turn *t, const struct value *const *v);

/* Slots that are laid out differently are not read by one instruction. */
static bool same_layout(struct elab *e, const struct node *a, const struct node *b)
{
	if (a->kind != NODE_SLOT || b->kind != NODE_SLOT)
		return true;
	const struct layout_spec *l = &e->p->slots.at[a->slot]->layout, *m = &e->p->slots.at[b->slot]->layout;
	return l->form == m->form &&
	       (l->form != LAYOUT_GIVEN || !a->place || layout_equal(a->place, &l->layout, &m->layout));
}

static struct node *line_of_nodes(const struct each_turn *t, struct node **x)
{
	struct node_site site = elab_site(t->e, t->at);
	site.name = x[0]->name;
	for (int i = 0; i < t->n; i++) {
		if (x[i]->dtype != x[0]->dtype || !shape_equal(&x[i]->shape, &x[0]->shape) ||
		    x[i]->place != x[0]->place || !same_layout(t->e, x[0], x[i]) || loop_is_in(x[i]->loop, t->loop))
			return NULL;
	}
	if (t->n == 1)
		return x[0];
	return graph_line(region_graph(t->e), &site, t->loop, t->n, x, 0, 1, false);
}

/* The slot that holds them all in this order; NULL: none does. */
static const struct slot *list_of(const struct each_turn *t, const struct value *const *v)
{
	const struct slot *const *slots = (const struct slot *const *)t->e->p->slots.at;
	const struct slot *list = v[0]->kind == VALUE_PARAM ? slots[v[0]->slot]->list : NULL;
	if (!list || list->members.n != t->n || !region_list_may_be_read(t->e, list))
		return NULL;
	for (int i = 0; i < t->n; i++)
		if (v[i]->kind != VALUE_PARAM || v[i]->line || list->members.at[i]->id != v[i]->slot)
			return NULL;
	return list;
}

static const struct value *tensors(const struct each_turn *t, const struct value *const *v)
{
	const struct slot *list = list_of(t, v);
	if (list) {
		struct node_site site = elab_site(t->e, t->at);
		struct node *all = region_slot_read(t->e, list->id, t->at);
		site.name = list->members.at[0]->name;
		return tensor_value_of(t->e, graph_line(region_graph(t->e), &site, t->loop, 1, &all, 0, 1, false));
	}
	struct node **x = ARENA_ARRAY(t->e->a, struct node *, t->n);
	for (int i = 0; i < t->n; i++)
		x[i] = tensor_node(t->e, v[i], t->at);
	struct node *line = line_of_nodes(t, x);
	return line ? tensor_value_of(t->e, line) : NULL;
}

static const struct value *numbers(const struct each_turn *t, const struct value *const *v)
{
	enum host_type type = v[0]->host.type;
	struct node **x = ARENA_ARRAY(t->e->a, struct node *, t->n);
	bool same = true;
	for (int i = 0; i < t->n; i++)
		same = same && host_known_same(&v[i]->host, &v[0]->host);
	if (same)
		return v[0];
	for (int i = 0; i < t->n; i++) {
		if (v[i]->host.type != type || host_dtype(type) == DT_COUNT)
			return NULL;
		x[i] = tensor_of_host(t->e, v[i], host_dtype(type), t->at);
	}
	struct node *line = line_of_nodes(t, x);
	return line ? number_value(t->e, type, line) : NULL;
}

/* Member k of all. */
static const struct value *member(const struct value *v, int k)
{
	return v->kind == VALUE_STRUCT ? v->object.fields.at[k].value : v->items.at[k];
}

static int members(const struct value *v)
{
	return v->kind == VALUE_STRUCT ? v->object.fields.n : v->items.n;
}

static const struct value *composed(const struct each_turn *t, const struct value *const *v)
{
	struct value *out = value_new(t->e, v[0]->kind);
	const struct value **of = ARENA_ARRAY(t->e->a, const struct value *, t->n);
	*out = *v[0];
	if (v[0]->kind == VALUE_STRUCT)
		out->object.fields.at = ARENA_ARRAY(t->e->a, struct struct_field, members(v[0]));
	else
		out->items.at = ARENA_ARRAY(t->e->a, const struct value *, members(v[0]));
	for (int k = 0; k < members(v[0]); k++) {
		for (int i = 0; i < t->n; i++)
			of[i] = member(v[i], k);
		const struct value *one = alike(t, of);
		if (!one)
			return NULL;
		if (v[0]->kind == VALUE_STRUCT)
			out->object.fields.at[k] = (struct struct_field){v[0]->object.fields.at[k].name, one};
		else
			out->items.at[k] = one;
	}
	return out;
}

/* The first turn that takes something else than turn 0, and what both take. */
static struct unlike difference(const struct each_turn *t, const struct value *const *v)
{
	struct unlike u = {.loop = t->loop, .where = t->loop->span};
	const char *first = value_describe(t->e, v[0]);
	u.why = arena_printf(t->e->p->arena, "what turns take, %s, differs in its parts", first);
	for (int i = 1; i < t->n && !u.turn; i++) {
		const char *other = value_describe(t->e, v[i]);
		if (!strcmp(first, other))
			continue;
		u.why = arena_printf(t->e->p->arena, "turn 0 takes %s, turn %d %s", first, i, other);
		u.turn = i;
	}
	return u;
}

/* What stands for all of them, one in each turn; NULL if they differ in more than their parts. */
static const struct value *alike(const struct each_turn *t, const struct value *const *v)
{
	bool composed_of = v[0]->kind == VALUE_TUPLE || v[0]->kind == VALUE_LIST || v[0]->kind == VALUE_STRUCT;
	bool all_tensors = true, all_numbers = true, all_same = true, all_composed = composed_of;
	for (int i = 0; i < t->n; i++) {
		all_tensors &= value_is_tensor(v[i]);
		all_numbers &= v[i]->kind == VALUE_HOST;
		all_same &= v[i] == v[0] || value_is_same(v[i], v[0]);
		all_composed = all_composed && v[i]->kind == v[0]->kind && members(v[i]) == members(v[0]) &&
			       (v[0]->kind != VALUE_STRUCT || v[i]->object.item == v[0]->object.item);
	}
	if (all_same)
		return v[0];
	const struct value *one = all_tensors    ? tensors(t, v)
				  : all_numbers  ? numbers(t, v)
				  : all_composed ? composed(t, v)
						 : NULL;
	if (!one && !t->e->unlike.why)
		t->e->unlike = difference(t, v);
	return one;
}

/* How many turns read one of the list, from the first on; as many as the loop makes, where that is known. */
static int64_t turns_inside(struct elab *e, const struct value *list, const struct value *i, const struct loop *l)
{
	int64_t most = l->turns >= 0 ? l->turns : l->most >= 0 ? l->most : MAX_UNROLLED, which, turns = 0;
	while (turns < most && turns <= MAX_UNROLLED && number_in_turn(e, i, turns, &which) &&
	       which >= -list->items.n && which < list->items.n)
		turns++;
	return turns;
}

/* In a loop that makes no turn an element stands for all of the list, which is mentioned: its derivatives are zeros. */
static struct loop *loop_without_turns(struct elab *e, const struct value *i)
{
	struct loop *l = region_graph(e)->open;
	bool counts = i->kind == VALUE_HOST && i->host.type == HOST_INT && !i->host.known;
	return counts && l && l->turns == 0 ? l : NULL;
}

const struct value *line_of_list(struct elab *e, const struct value *list, const struct value *i, struct span at)
{
	int64_t which;
	struct loop *none = loop_without_turns(e, i), *l = none ? none : number_in_turn(e, i, 0, &which);
	int64_t turns = none ? list->items.n : l ? turns_inside(e, list, i, l) : 0;
	bool bounded = l && (l->turns >= 0 || l->most >= 0);
	if (turns < 1 || turns >= MAX_UNROLLED || (bounded && turns < loop_lines(l)))
		return NULL;
	if (!bounded)
		l->most = turns; /* a turn more would read what is not there */
	struct each_turn t = {.e = e, .loop = l, .n = (int)turns, .at = at};
	const struct value **v = ARENA_ARRAY(e->a, const struct value *, t.n);
	for (int k = 0; k < t.n; k++) {
		which = k;
		if (!none)
			number_in_turn(e, i, k, &which);
		v[k] = list->items.at[which + (which < 0 ? list->items.n : 0)];
	}
	return alike(&t, v);
}
