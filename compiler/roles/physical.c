/* physical.c — the part of a laid-out graph that one role computes, with local shapes.
 * All ranks of a role hold shards of equal size, so the first of them stands for all; what differs between them are the
 * origins, and those are named, not computed. Conversions without movement become maps: a slice reads at the shard's
 * origin, padding and keeping-once give the neutral element elsewhere. */
#include "physical.h"

#include "localiser.h"

#include "localise.h"

#include "../kernel/build.h"
#include "../op/intern.h"
#include "../program.h"

static bool holds(const struct localiser *l, const struct place *p)
{
	return p && place_position(p, l->role->ranks.at[0]) >= 0;
}

static int64_t position(const struct localiser *l, const struct place *p)
{
	return place_position(p, l->role->ranks.at[0]);
}

/* The origin of a vector of n elements; none if all ranks have all of it. */
static struct phys_origin origin_of_vector(const struct localiser *l, const struct place *p, const struct layout *v,
					   int64_t n)
{
	struct shape s = {.rank = 1, .dim = {n}};
	if (!split_of_dim(p, v, 0))
		return (struct phys_origin){-1};
	return (struct phys_origin){program_type(l->program, DT_I64, &s, p, v)};
}

/* That of dimension d of a tensor of n elements there. */
static struct phys_origin origin_of_dim(const struct localiser *l, const struct place *p, const struct layout *of,
					int d, int64_t n)
{
	struct layout v = layout_of_dim(p, of, d);
	return origin_of_vector(l, p, &v, n);
}

struct phys_node *localiser_add(struct localiser *l, enum phys_kind kind, const struct node *n)
{
	struct phys_node *x = ARENA_NEW(l->arena, struct phys_node);
	x->id = l->out->nodes.n;
	x->kind = kind;
	x->node = n;
	x->name = n->name;
	x->dtype = n->dtype;
	x->shape = n->shape;
	if (kind != PHYS_SEND)
		x->shape = layout_local_shape(n->place, &n->layout, &n->shape, position(l, n->place));
	x->transfer = x->slot = x->argument = x->field = x->type = -1;
	x->loop = localiser_loop(l, n->loop);
	x->of = localiser_loop(l, n->of);
	vec_push(l->arena, &l->out->nodes, x);
	return x;
}

void localiser_set_inputs(struct localiser *l, struct phys_node *x, const struct node *n)
{
	x->nin = n->nin;
	x->in = ARENA_ARRAY(l->arena, struct phys_node *, n->nin);
	for (int i = 0; i < n->nin; i++) {
		x->in[i] = l->of[n->in[i]->id];
		BUG_IF(!x->in[i], "node %%%d is computed where its input %%%d is not", n->id, n->in[i]->id);
	}
}

struct phys_origins *phys_origins_new(struct arena *a, int n)
{
	struct phys_origins *o = ARENA_NEW(a, struct phys_origins);
	o->operand = arena_alloc(a, sizeof *o->operand * (size_t)n);
	return o;
}

struct phys_origins *phys_origins_copy(struct arena *a, const struct phys_origins *o, int n)
{
	struct phys_origins *copy = phys_origins_new(a, n);
	memcpy(copy->factor, o->factor, sizeof o->factor);
	memcpy(copy->operand, o->operand, sizeof *o->operand * (size_t)n);
	memcpy(copy->out, o->out, sizeof o->out);
	return copy;
}

static struct phys_origins *map_origins(struct localiser *l, const struct node *n, const struct map_split *split)
{
	struct phys_origins *o = phys_origins_new(l->arena, n->nin);
	const struct rule *r = n->rule;
	for (int f = 0; f < r->nfactors; f++)
		o->factor[f] = origin_of_vector(l, n->place, &split->factor[f], r->factor[f].extent);
	for (int i = 0; i < r->noperands; i++)
		for (int d = 0; d < r->operand[i].rank; d++)
			o->operand[i][d] = origin_of_dim(l, n->place, &n->in[i]->layout, d, r->operand[i].dim[d]);
	for (int d = 0; d < r->out.rank; d++)
		o->out[d] = origin_of_dim(l, n->place, &n->layout, d, r->out.dim[d]);
	return o;
}

static bool is_part_of_sum(const struct node *n, int axis)
{
	struct shard_atom x = n->layout.atom[axis];
	return n->place->extent[axis] > 1 && x.kind == SHARD_P && x.combiner == SHARD_SUM;
}

/* Whether the ranks of an axis have an element each of a float that nobody adds anything to. */
static bool makes_owned(const struct node *n)
{
	bool owned = false, given = false;
	if (!dtype_is_float(n->dtype) || n->rule->combiner != COMBINE_NONE || rule_is_scatter(n->rule))
		return false;
	for (int a = 0; a < n->place->naxes; a++) {
		owned = owned || is_part_of_sum(n, a);
		for (int i = 0; i < n->nin; i++)
			given = given || is_part_of_sum(n->in[i], a);
	}
	return owned && !given;
}

static struct phys_node *local_map(struct localiser *l, const struct node *n)
{
	struct phys_node *x = localiser_add(l, PHYS_MAP, n);
	localiser_set_inputs(l, x, n);
	const struct rule *r = n->rule;
	struct map_split split;
	split_of_map(n, &split);
	struct rule_local local;
	int64_t at = position(l, n->place);
	for (int f = 0; f < r->nfactors; f++)
		local.factor[f] = vector_at(n->place, &split.factor[f], r->factor[f].extent, at).count;
	for (int i = 0; i < r->noperands; i++)
		for (int d = 0; d < r->operand[i].rank; d++)
			local.operand[i][d] = x->in[i]->shape.dim[d];
	for (int d = 0; d < r->out.rank; d++)
		local.out[d] = x->shape.dim[d];
	struct rule part;
	struct access operand[MAX_OPERANDS];
	rule_localise(r, &local, operand, &part);
	struct phys_origins *origins = map_origins(l, n, &split);
	localiser_settle_windows(l, n, &split, &part, operand, origins);
	x->origins = origins;
	x->rule = rule_intern(l->program->rules, &part);
	x->owned = makes_owned(n) ? r : NULL;
	return x;
}

/* Another factor of extent 1 whose value is the rank's coordinate on an axis. */
static const struct scalar *coordinate_of(struct localiser *l, struct rule *r, struct phys_origins *o,
					  const struct place *p, int axis)
{
	int f = r->nfactors++;
	struct layout split = layout_broadcast();
	split.atom[axis].kind = SHARD_S;
	r->factor[f] = (struct factor){"coordinate", 1};
	o->factor[f] = origin_of_vector(l, p, &split, p->extent[axis]);
	return scalar_factor(l->arena, f);
}

static enum combiner combiner_of_partial(struct shard_atom atom)
{
	switch ((enum shard_combiner)atom.combiner) {
	case SHARD_SUM:
		return COMBINE_SUM;
	case SHARD_MAX:
		return COMBINE_MAX;
	case SHARD_MIN:
		return COMBINE_MIN;
	case SHARD_PROD:
		return COMBINE_PROD;
	}
	return COMBINE_SUM;
}

/* Parts of what: of a sum of floats, -0.0 is the element that changes nothing. */
static bool adds_floats(const struct node *to, int axis)
{
	return dtype_is_float(to->dtype) && combiner_of_partial(to->layout.atom[axis]) == COMBINE_SUM;
}

/* A whole value counts once in a sum or product: where the coordinate is not 0 the neutral element stands. */
static void keep_on_first(struct localiser *l, struct rule *r, struct phys_origins *o, const struct node *to, int axis)
{
	enum combiner c = combiner_of_partial(to->layout.atom[axis]);
	if (c == COMBINE_MAX || c == COMBINE_MIN)
		return;
	union scalar_value v = combiner_neutral(c, to->dtype);
	bool floats = adds_floats(to, axis);
	const struct scalar *neutral = dtype_is_float(to->dtype)
					       ? scalar_float(l->arena, to->dtype, floats ? -0.0 : v.f)
					       : scalar_int(l->arena, to->dtype, v.i);
	const struct scalar *is_first = scalar_apply(l->arena, SC_EQ, DT_BOOL, coordinate_of(l, r, o, to->place, axis),
						     scalar_int(l->arena, DT_I64, 0), NULL);
	r->body = scalar_apply(l->arena, SC_WHERE, to->dtype, is_first, r->body, neutral);
	if (r->combiner == COMBINE_NONE && !floats)
		r->combiner = c;
}

/* Every rank holds the same under both layouts: they differ on axes of one rank only, if at all. */
static bool same_shards(const struct place *p, const struct layout *x, const struct layout *y)
{
	for (int a = 0; a < p->naxes; a++)
		if (p->extent[a] > 1 && !atom_equal(x->atom[a], y->atom[a]))
			return false;
	return true;
}

bool physical_is_local(const struct node *to)
{
	const struct node *from = to->in[0];
	if (!place_same_mesh(from->place, to->place))
		return false;
	if (same_shards(to->place, &from->layout, &to->layout))
		return true;
	return redist_method_of(&to->shape, from->place, &from->layout, to->place, &to->layout) == REDIST_LOCAL;
}

static const struct rule leaves_nothing_out;

/* out[i…] = in[i…] in global indices, the neutral element where `in` has nothing. */
static struct phys_node *local_conversion(struct localiser *l, const struct node *to)
{
	const struct node *from = to->in[0];
	struct phys_node *in = l->of[from->id];
	if (same_shards(to->place, &from->layout, &to->layout)) {
		l->of[to->id] = in;
		return in;
	}
	struct phys_node *x = localiser_add(l, PHYS_MAP, to);
	localiser_set_inputs(l, x, to);
	struct rule *r = ARENA_NEW(l->arena, struct rule);
	struct access *operand = ARENA_NEW(l->arena, struct access);
	struct phys_origins *o = phys_origins_new(l->arena, 1);
	*r = (struct rule){.name = "local", .nfactors = x->shape.rank, .noperands = 1, .operand = operand};
	*operand = r->out = access_of_shape(to->dtype, &x->shape);
	for (int i = 0; i < MAX_FACTORS; i++)
		o->factor[i].type = -1;
	for (int d = 0; d < x->shape.rank; d++) {
		r->factor[d] = (struct factor){"i", x->shape.dim[d]};
		operand->dim[d] = in->shape.dim[d];
		uint32_t had = split_of_dim(to->place, &from->layout, d), has = split_of_dim(to->place, &to->layout, d);
		/* One shard lies within the other, and is all of it: then they begin at the same element. */
		bool same = (!(had & ~has) || !(has & ~had)) && in->shape.dim[d] == x->shape.dim[d];
		operand->index[d].guarded = (had & ~has) != 0 && !same;
		o->factor[d] = o->out[d] = origin_of_dim(l, to->place, &to->layout, d, to->shape.dim[d]);
		o->operand[0][d] = same ? o->out[d] : origin_of_dim(l, to->place, &from->layout, d, to->shape.dim[d]);
	}
	r->body = scalar_operand(l->arena, to->dtype, 0);
	for (int a = 0; a < to->place->naxes; a++) {
		if (to->place->extent[a] == 1 || to->layout.atom[a].kind != SHARD_P ||
		    from->layout.atom[a].kind == SHARD_P)
			continue;
		if (from->layout.atom[a].kind != SHARD_S)
			keep_on_first(l, r, o, to, a);
		else if (!adds_floats(to, a))
			r->combiner = combiner_of_partial(to->layout.atom[a]);
	}
	x->rule = r;
	x->origins = o;
	x->owned = r->combiner == COMBINE_NONE ? &leaves_nothing_out : NULL;
	return x;
}

static struct phys_node *transfer(struct localiser *l, const struct node *to)
{
	struct phys_node *in = l->of[to->in[0]->id];
	bool here = holds(l, to->place);
	if (!here && !in)
		return NULL;
	struct phys_node *x = localiser_add(l, here ? PHYS_TRANSFER : PHYS_SEND, to);
	x->transfer = l->transfers[to->id];
	const struct node *indices = l->program->transfers.at[x->transfer].rows.indices;
	if (in) {
		x->nin = indices ? 2 : 1;
		x->in = ARENA_ARRAY(l->arena, struct phys_node *, x->nin);
		x->in[0] = in;
	}
	if (in && indices)
		x->in[1] = l->of[indices->id];
	return here ? x : NULL;
}

/* Every slot, and every field of the batch in one layout, is one node, however often the graph names it. */
static struct phys_node *known_leaf(const struct localiser *l, const struct node *n)
{
	if (n->kind == NODE_SLOT)
		return l->slot[n->slot];
	for (int i = 0; i < l->data.n; i++) {
		const struct node *x = l->data.at[i];
		if (x->place == n->place && x->data.argument == n->data.argument && x->data.field == n->data.field &&
		    layout_equal(n->place, &x->layout, &n->layout))
			return l->of[x->id];
	}
	return NULL;
}

static struct phys_node *leaf(struct localiser *l, const struct node *n, enum phys_kind kind)
{
	bool shared = kind == PHYS_SLOT || kind == PHYS_DATA;
	struct phys_node *x = shared ? known_leaf(l, n) : NULL;
	if (x)
		return x;
	x = localiser_add(l, kind, n);
	if (n->kind == NODE_DATA)
		vec_push(l->arena, &l->data, n);
	if (n->kind == NODE_SLOT)
		l->slot[n->slot] = x;
	x->slot = n->kind == NODE_SLOT ? n->slot : -1;
	x->argument = n->kind == NODE_HOST ? n->argument : n->kind == NODE_DATA ? n->data.argument : -1;
	if (n->kind == NODE_CONST)
		x->number = n->number;
	if (n->kind == NODE_DATA) {
		x->field = n->data.field;
		x->type = program_type(l->program, n->dtype, &n->shape, n->place, &n->layout);
	}
	return x;
}

/* A number as a tensor of one element. */
static struct phys_node *number_in(struct localiser *l, const struct node *n)
{
	struct phys_node *x = localiser_add(l, PHYS_MAP, n);
	struct rule fill = rule_over_shape("fill", n->dtype, &x->shape);
	struct access number = {.type = n->dtype};
	fill.operand = &number;
	fill.noperands = 1;
	fill.body = scalar_operand(l->arena, n->dtype, 0);
	x->rule = rule_intern(l->program->rules, &fill);
	return x;
}

struct phys_node *localiser_view(struct localiser *l, const struct node *n, struct phys_node *of)
{
	bool has_memory = of->kind != PHYS_CONST && of->kind != PHYS_HOST;
	if (!has_memory && n->shape.rank == 0)
		return of;
	struct phys_node *x = has_memory ? localiser_add(l, PHYS_VIEW, n) : number_in(l, n);
	x->nin = 1;
	x->in = ARENA_ARRAY(l->arena, struct phys_node *, 1);
	x->in[0] = of;
	BUG_IF(shape_volume(&x->shape) != shape_volume(&of->shape), "node %%%d: local shapes do not reshape", n->id);
	return x;
}

static struct phys_node *localise(struct localiser *l, const struct node *n)
{
	if (n->kind == NODE_TO && l->transfers[n->id] >= 0)
		return transfer(l, n);
	if (!holds(l, n->place))
		return NULL;
	struct phys_node *x;
	switch (n->kind) {
	case NODE_SLOT:
		return leaf(l, n, PHYS_SLOT);
	case NODE_DATA:
		return leaf(l, n, PHYS_DATA);
	case NODE_HOST:
		return leaf(l, n, PHYS_HOST);
	case NODE_CONST:
		return leaf(l, n, PHYS_CONST);
	case NODE_MAP:
		return local_map(l, n);
	case NODE_CHECK:
		x = localiser_add(l, PHYS_CHECK, n);
		localiser_set_inputs(l, x, n);
		x->type = program_type(l->program, n->dtype, &n->shape, n->place, &n->layout);
		return x;
	case NODE_FACTORS:
		x = localiser_add(l, PHYS_FACTORS, n);
		localiser_set_inputs(l, x, n);
		return x;
	case NODE_RESHAPE:
		return localiser_view(l, n, l->of[n->in[0]->id]);
	case NODE_TO:
		return local_conversion(l, n);
	case NODE_REMAT:
		x = localiser_view(l, n, l->of[n->in[0]->id]);
		if (x->kind == PHYS_VIEW) /* else of no memory that could wait */
			x->after = n->after ? l->of[n->after->id] : NULL;
		return x;
	case NODE_TURN:
	case NODE_CARRY:
	case NODE_LINE:
	case NODE_END:
	case NODE_STACK:
		return localiser_border(l, n);
	case NODE_CONTRACT:
	case NODE_STOP:
	case NODE_TANGENT:
	case NODE_RULED:
	case NODE_PULLED:
	case NODE_KINDS:
		break;
	}
	session_bug(__FILE__, __LINE__, "node %%%d of kind %d in a laid-out graph", n->id, n->kind);
}

struct phys_graph *physical_graph(struct program *p, struct arena *a, const struct role *role, const struct graph *g,
				  const int *transfers)
{
	struct localiser l = {.program = p, .arena = a, .role = role, .graph = g, .transfers = transfers};
	l.out = ARENA_NEW(a, struct phys_graph);
	l.slot = ARENA_ARRAY(a, struct phys_node *, p->slots.n);
	l.of = ARENA_ARRAY(a, struct phys_node *, g->nodes.n);
	l.loop = ARENA_ARRAY(a, struct phys_loop *, g->loops.n);
	l.end = graph_ends(g, a);
	for (int i = 0; i < g->nodes.n; i++)
		l.of[i] = localise(&l, g->nodes.at[i]);
	localiser_find_conditions(&l);
	for (int i = 0; i < g->outputs.n; i++) {
		const struct output *o = &g->outputs.at[i];
		struct phys_node *x = l.of[o->node->id];
		if (x)
			vec_push(a, &l.out->outputs, ((struct phys_output){o->kind, o->index, x, o->span}));
	}
	return l.out->nodes.n ? l.out : NULL;
}

struct phys_node **physical_take_nodes(struct arena *a, struct phys_graph *g)
{
	struct phys_node **old = ARENA_ARRAY(a, struct phys_node *, g->nodes.n);
	for (int i = 0; i < g->nodes.n; i++)
		old[i] = g->nodes.at[i];
	g->nodes.n = 0;
	return old;
}

void physical_number(struct phys_graph *g)
{
	for (int i = 0; i < g->nodes.n; i++)
		g->nodes.at[i]->id = i;
}
