/* plan.c — from laid-out regions to roles and plans: the order of things, and what all roles must agree on. */
#include "compiler.h"

#include "../layout/exchange.h"
#include "../op/intern.h"

#include "../pipeline/pipeline.h"
#include "../roles/roles.h"
#include "feeds.h"
#include "planner.h"
#include "progress.h"
#include "transfers.h"

#include <string.h>

struct phys_node *planner_root(struct phys_node *n)
{
	while (n->kind == PHYS_VIEW)
		n = n->in[0];
	return n;
}

int planner_segment(const struct phys_node *n)
{
	return n->node ? n->node->segment : 0;
}

void planner_find_users(struct planner *p)
{
	int n = p->graph->nodes.n;
	int *at = ARENA_ARRAY(p->scratch, int, n);
	memset(p->uses, 0, sizeof *p->uses * (size_t)n);
	for (int i = 0; i < n; i++)
		for (int k = 0; k < p->graph->nodes.at[i]->nin; k++)
			p->uses[p->graph->nodes.at[i]->in[k]->id]++;
	for (int i = 0; i < n; i++)
		p->users[i] = ARENA_ARRAY(p->scratch, struct phys_node *, p->uses[i] + 1);
	for (int i = 0; i < n; i++) {
		struct phys_node *x = p->graph->nodes.at[i];
		for (int k = 0; k < x->nin; k++)
			p->users[x->in[k]->id][at[x->in[k]->id]++] = x;
	}
	for (int i = 0; i < p->graph->outputs.n; i++)
		p->uses[p->graph->outputs.at[i].node->id]++;
}

/* Room by node id: planning adds nodes for coefficients and saved values. */
static void make_room(struct planner *p)
{
	int n = 4 * p->graph->nodes.n + 2 * p->graph->outputs.n + 16;
	p->treat = ARENA_ARRAY(p->scratch, enum treatment, n);
	p->must_store = ARENA_ARRAY(p->scratch, bool, n);
	p->stored = ARENA_ARRAY(p->scratch, bool, n);
	p->epoch = ARENA_ARRAY(p->scratch, int, n);
	p->asked = ARENA_ARRAY(p->scratch, bool, n);
	p->uses = ARENA_ARRAY(p->scratch, int, n);
	p->users = ARENA_ARRAY(p->scratch, struct phys_node **, n);
	p->group_of = ARENA_ARRAY(p->scratch, struct group *, n);
	p->maker = ARENA_ARRAY(p->scratch, struct unit *, n);
	p->buffer = ARENA_ARRAY(p->scratch, int, n);
	p->in_slot = ARENA_ARRAY(p->scratch, int, n);
	p->in_spare = ARENA_ARRAY(p->scratch, int, n);
	p->halo = ARENA_ARRAY(p->scratch, struct halo *, n);
	p->cut = ARENA_ARRAY(p->scratch, struct halo_cut *, n);
	p->rows = ARENA_ARRAY(p->scratch, enum scatter_rows, n);
	p->readers = ARENA_ARRAY(p->scratch, struct readers, n);
	for (int i = 0; i < n; i++)
		p->buffer[i] = p->in_slot[i] = p->in_spare[i] = -1;
}

struct plan *plan_region(struct program *program, struct role *role, const struct region *region, const int *transfers,
			 struct map *kernels)
{
	struct arena *scratch = arena_new("planning");
	struct phys_graph *g = physical_graph(program, scratch, role, region->graph, transfers);
	struct planner p = {.program = program,
			    .role = role,
			    .region = region,
			    .arena = program->arena,
			    .scratch = scratch,
			    .graph = g,
			    .fuse = !program->session->options.separate,
			    .kernels = kernels};
	if (!g) {
		arena_free(scratch);
		return NULL;
	}
	p.plan = ARENA_NEW(program->arena, struct plan);
	planner_split_phases(program, scratch, g);
	planner_add_lines(program, scratch, g);
	planner_widen(program, scratch, g);
	for (int i = 0; i < g->nodes.n; i++)
		map_compare_index(scratch, g->nodes.at[i]);
	planner_turn_operands(program, scratch, g);
	p.lowerings = lowerings_new(scratch, program->session->options.verify_each);
	make_room(&p);
	planner_find_users(&p);
	planner_find_loops(&p);
	planner_arrange(&p);
	for (int i = 0; i < g->nodes.n; i++)
		if (g->nodes.at[i]->rule)
			g->nodes.at[i]->rule = rule_intern(program->rules, g->nodes.at[i]->rule);
	planner_find_sorts(&p);
	planner_find_transforms(&p);
	planner_find_products(&p);
	planner_find_elements(&p);
	planner_find_sparse(&p);
	planner_find_groups(&p);
	planner_find_halos(&p);
	planner_make_units(&p);
	planner_update_slots(&p);
	planner_order_units(&p);
	planner_write_steps(&p);
	const char *wrong = plan_verify(scratch, p.plan);
	BUG_IF(wrong, "plan of region %s, role %s: %s", region->name, role->name, wrong);
	arena_free(scratch);
	return p.plan->steps.n ? p.plan : NULL;
}

static uint64_t hash_int(uint64_t h, int64_t v)
{
	return hash_bytes(h, &v, sizeof v);
}

static uint64_t hash_types(uint64_t h, const struct program *p)
{
	for (int i = 0; i < p->types.n; i++) {
		const struct placed_type *t = &p->types.at[i];
		h = hash_int(hash_int(hash_int(h, t->dtype), t->shape.rank), t->place ? t->place->id : -1);
		for (int d = 0; d < t->shape.rank; d++)
			h = hash_int(h, t->shape.dim[d]);
		for (int a = 0; t->place && a < t->place->naxes; a++) {
			struct shard_atom atom = t->layout.atom[a];
			h = hash_int(h, atom.kind);
			h = hash_int(h, atom.kind == SHARD_P ? atom.combiner : atom.kind == SHARD_B ? 0 : atom.dim);
			int64_t window[] = {atom.of, atom.step, atom.low, atom.high, atom.div};
			if (atom.kind == SHARD_WINDOW)
				h = hash_bytes(h, window, sizeof window);
		}
	}
	return h;
}

/* Of what is computed: texts, the library's too, and what was said beside them. The processor is left out: hosts may
 * have executables of their own. */
static uint64_t hash_source(uint64_t h, const struct session *s)
{
	const struct options *o = &s->options;
	for (int i = 0; i < s->sources.n; i++)
		h = hash_bytes(hash_int(h, (int64_t)s->sources.at[i].size), s->sources.at[i].bytes,
			       s->sources.at[i].size);
	for (int i = 0; i < o->defines.n; i++)
		h = hash_string(hash_string(h, o->defines.at[i].name), o->defines.at[i].value);
	for (int i = 0; i < o->layouts.n; i++)
		h = hash_string(hash_string(h, o->layouts.at[i].name), o->layouts.at[i].layout);
	return hash_int(hash_int(h, o->reproducible), o->last_choice);
}

/* Of everything that ranks must agree on: what they compute, and what they send each other. */
static uint64_t fingerprint(const struct program *p)
{
	uint64_t h = hash_types(hash_source(hash_int(HASH_SEED, p->nranks), p->session), p);
	for (int i = 0; i < p->places.n; i++) {
		const struct place *x = p->places.at[i];
		h = hash_int(h, x->count);
		for (int a = 0; a < x->naxes; a++)
			h = hash_int(h, x->extent[a]);
		h = hash_int(h, x->first);
		for (int64_t k = 0; x->ranks && k < x->count; k++)
			h = hash_int(h, x->ranks[k]);
	}
	for (int i = 0; i < p->transfers.n; i++) {
		const struct transfer *t = &p->transfers.at[i];
		h = hash_int(hash_int(hash_int(h, t->src), t->dst), t->redist.method);
		h = hash_int(hash_int(hash_int(h, t->redist.bytes_total), t->region), t->bucket);
		h = hash_int(hash_int(hash_int(h, t->rows.table), t->rows.dim), t->rows.at);
	}
	for (int i = 0; i < p->slots.n; i++) {
		const struct slot *s = p->slots.at[i];
		h = hash_int(hash_int(hash_string(h, s->name ? s->name : ""), s->slot_class), s->type);
	}
	return h;
}

/* Spares lie behind what regions have in the arena one after the other. */
static void place_spares(const struct program *p, struct role *role)
{
	for (int i = 0; i < p->slots.n; i++) {
		int64_t bytes = role->spare[i];
		role->spare[i] = bytes ? role->arena_bytes + 1 : 0;
		role->arena_bytes = count_add(role->arena_bytes, bytes);
	}
}

static void plan_role(struct program *p, struct role *role, struct map *kernels)
{
	role->plans = ARENA_ARRAY(p->arena, struct plan *, p->regions.n);
	role->holes = ARENA_ARRAY(p->arena, struct transfer_hole, p->transfers.n);
	role->spare = ARENA_ARRAY(p->arena, int64_t, p->slots.n);
	for (int i = 0; i < p->regions.n; i++) {
		role->plans[i] = plan_region(p, role, p->regions.at[i], p->regions.at[i]->transfer_of, kernels);
		if (role->plans[i] && role->plans[i]->arena_bytes > role->arena_bytes)
			role->arena_bytes = role->plans[i]->arena_bytes;
	}
	place_spares(p, role);
}

static void prove_progress(const struct program *p)
{
	for (int i = 0; i < p->regions.n; i++) {
		struct arena *scratch = arena_new("progress");
		const char *wrong = plan_progress(scratch, p, i);
		BUG_IF(wrong, "region %s: %s", p->regions.at[i]->name, wrong);
		arena_free(scratch);
	}
}

void compiler_pipeline(struct program *p)
{
	for (int i = 0; i < p->regions.n; i++) {
		graph_compact(p->regions.at[i]->graph);
		pipeline_of_region(p, p->regions.at[i]);
	}
}

void compiler_plan(struct program *p)
{
	for (int i = 0; i < p->slots.n; i++) {
		struct slot *s = p->slots.at[i];
		s->type = program_type(p, s->dtype, &s->shape, s->place, &s->laid_out);
	}
	for (int i = 0; i < p->regions.n; i++)
		transfers_of_region(p, p->regions.at[i]);
	roles_find(p);
	struct map kernels;
	map_init(&kernels, p->arena);
	for (int i = 0; i < p->roles.n; i++)
		plan_role(p, p->roles.at[i], &kernels);
	struct feed_loops loops = feeds_of_loops(p);
	for (int i = 0; i < p->roles.n; i++)
		feeds_of_role(p, p->roles.at[i], &loops);
	prove_progress(p);
	p->fingerprint = fingerprint(p);
}
