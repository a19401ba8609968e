/* pipeline.c — the schedule of a region's micro-batches, and its nodes in that order.
 *
 * All passes of all stages are put in one order, that of their ends in the simulation (schedule.c). What a rank does is
 * the part of this order that its stages have; transfers are numbered along it. So every rank's program is a projection
 * of one order in which what is read comes first. That ranks do not wait for each other in a circle is proved
 * afterwards on what was planned (plan/progress.c). */
#include "passes.h"
#include "schedule.h"

#include <stdlib.h>

struct builder {
	struct pass_nodes nodes;
	struct pass_plan plan; /* of the block at hand */
	int phase;
	int *unit;            /* by node id; -1: none of this block */
	int *segment;         /* by unit */
	VEC(int) micro_count; /* by place: passes it has */
	struct map places, units;
};

static int place_of(struct builder *b, const struct node *x)
{
	const struct pass_nodes *n = &b->nodes;
	struct pass_place p = {.ranks = n->ranks[x->id], .level = n->level[x->id], .kind = n->kind[x->id]};
	uint64_t key = ((uint64_t)p.ranks << 34 | (uint64_t)p.level << 2 | p.kind) + 1;
	uintptr_t known = (uintptr_t)map_get_u64(&b->places, key);
	if (known)
		return (int)known - 1;
	vec_push(n->arena, &b->plan.places, p);
	vec_push(n->arena, &b->micro_count, 0);
	map_set_u64(&b->places, key, (void *)(uintptr_t)b->plan.places.n);
	return b->plan.places.n - 1;
}

static int unit_of(struct builder *b, const struct node *x)
{
	int place = place_of(b, x);
	uint64_t key = ((uint64_t)place << 32 | (uint64_t)x->micro) + 1;
	uintptr_t known = (uintptr_t)map_get_u64(&b->units, key);
	if (known)
		return (int)known - 1;
	struct pass_unit u = {.place = place, .micro = x->micro};
	vec_push(b->nodes.arena, &b->plan.units, u);
	b->micro_count.at[place]++;
	map_set_u64(&b->units, key, (void *)(uintptr_t)b->plan.units.n);
	return b->plan.units.n - 1;
}

static void add_edge(struct builder *b, int from, int to)
{
	struct pass_unit *u = &b->plan.units.at[from];
	for (int i = 0; i < u->after.n; i++)
		if (u->after.at[i] == to)
			return;
	vec_push(b->nodes.arena, &u->after, to);
	b->plan.units.at[to].waits++;
}

static void find_units(struct builder *b)
{
	const struct graph *g = b->nodes.graph;
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *x = g->nodes.at[i];
		b->unit[i] = -1;
		if (b->nodes.phase[i] != b->phase)
			continue;
		int u = b->unit[i] = unit_of(b, x);
		b->plan.units.at[u].cost += passes_cost(x);
		for (int k = 0; k < passes_sources(x); k++) {
			int from = b->unit[passes_source(x, k)->id];
			if (from >= 0 && from != u)
				add_edge(b, from, u);
		}
	}
	for (int u = 0; u < b->plan.units.n; u++)
		b->plan.units.at[u].cost += !b->plan.units.at[u].cost;
}

/* Whether every micro-batch passes there: what is computed once for all is no stage of its own. */
static bool is_stage(const struct builder *b, const struct microbatch *m, int place)
{
	return b->micro_count.at[place] == m->count;
}

/* p - s of stage s: as many as there are levels from there on. */
static void give_credits(struct builder *b, const struct microbatch *m)
{
	for (int i = 0; i < b->plan.places.n; i++) {
		struct pass_place *p = &b->plan.places.at[i];
		int last = p->level;
		for (int k = 0; k < b->plan.places.n; k++) {
			const struct pass_place *q = &b->plan.places.at[k];
			if (q->kind == PASS_FORWARD && is_stage(b, m, k) && q->level > last)
				last = q->level;
		}
		p->credits = is_stage(b, m, i) ? last - p->level + 1 : 0;
	}
}

static void find_overlaps(struct builder *b)
{
	int n = b->plan.nranks = b->nodes.sets.n;
	bool *overlap = ARENA_ARRAY(b->nodes.arena, bool, n *n);
	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++)
			overlap[i * n + k] = i == k || place_overlap(b->nodes.sets.at[i], b->nodes.sets.at[k]);
	b->plan.overlap = overlap;
}

/* ---- what plans tell of it ---- */

static int64_t mean_cost(const struct builder *b, int place)
{
	int64_t sum = 0;
	for (int u = 0; place >= 0 && u < b->plan.units.n; u++)
		if (b->plan.units.at[u].place == place)
			sum += b->plan.units.at[u].cost;
	return place >= 0 ? sum / b->micro_count.at[place] : 0;
}

/* A pass of a forward stage, itself if it is of that kind. The others are on the same ranks, as many changes of
 * placement behind the last stage as the stage is before; -1: there is none. */
static int pass_of(const struct builder *b, int place, enum pass_kind kind)
{
	if (kind == PASS_FORWARD)
		return place;
	const struct pass_place *f = &b->plan.places.at[place];
	int best = -1, want = f->level + 2 * (f->credits - 1);
	for (int i = 0; i < b->plan.places.n; i++) {
		const struct pass_place *p = &b->plan.places.at[i];
		if (p->kind == kind && p->ranks == f->ranks &&
		    (best < 0 || abs(p->level - want) < abs(b->plan.places.at[best].level - want)))
			best = i;
	}
	return best;
}

static void describe_units(struct builder *b, struct arena *a, struct pipeline *p, int place, int stage)
{
	for (int i = 0; place >= 0 && i < b->plan.units.n; i++) {
		const struct pass_unit *u = &b->plan.units.at[i];
		if (u->place == place)
			vec_push(a, &p->units,
				 ((struct pipeline_unit){.stage = stage,
							 .micro = u->micro,
							 .kind = b->plan.places.at[place].kind,
							 .segment = b->segment[i],
							 .start = u->start,
							 .finish = u->finish}));
	}
}

/* Thousandths of a time in which ranks do nothing. */
static int idle_share(const struct builder *b, int64_t span)
{
	double all = 0, busy = 0;
	for (int i = 0; i < b->plan.nranks; i++) {
		int64_t count = b->nodes.sets.at[i]->count;
		if (!b->plan.busy[i])
			continue;
		all += (double)span * (double)count;
		busy += (double)b->plan.busy[i] * (double)count;
	}
	return all > 0 ? (int)(1000 * (1 - busy / all) + 0.5) : 0;
}

static void describe(struct builder *b, struct arena *a, struct region *r, const struct microbatch *m)
{
	struct pipeline *p = ARENA_NEW(a, struct pipeline);
	int last = 0;
	p->batch = m;
	p->span = b->plan.span;
	p->idle = idle_share(b, b->plan.span);
	p->between = idle_share(b, b->plan.period);
	for (int i = 0; i < b->plan.places.n; i++)
		last = b->plan.places.at[i].level > last ? b->plan.places.at[i].level : last;
	for (int level = 0; level <= last; level++)
		for (int i = 0; i < b->plan.places.n; i++) {
			const struct pass_place *f = &b->plan.places.at[i];
			if (f->kind != PASS_FORWARD || f->level != level || !is_stage(b, m, i))
				continue;
			const struct place *ranks = b->nodes.sets.at[f->ranks];
			struct pipeline_stage s = {
				.name = ranks->name, .ranks = ranks->count, .level = level, .held = f->held};
			for (int k = 0; k < PASS_KINDS; k++) {
				int pass = pass_of(b, i, (enum pass_kind)k);
				s.work[k] = mean_cost(b, pass);
				describe_units(b, a, p, pass, p->stages.n);
			}
			vec_push(a, &p->stages, s);
		}
	vec_push(a, &r->pipelines, p);
}

/* ---- the order ---- */

/* The place of every pass and of its nodes in the order of all; behind `segment`. The last one given. */
static int number_segments(struct builder *b, struct graph *g, int segment)
{
	b->segment = ARENA_ARRAY(b->nodes.arena, int, b->plan.units.n);
	for (int i = 0; i < b->plan.units.n; i++)
		b->segment[b->plan.order[i]] = ++segment;
	for (int i = 0; i < g->nodes.n; i++)
		if (b->unit[i] >= 0)
			g->nodes.at[i]->segment = b->segment[b->unit[i]];
	return segment;
}

static int by_segment(const void *a, const void *b)
{
	const struct node *x = *(const struct node *const *)a, *y = *(const struct node *const *)b;
	return x->segment != y->segment ? x->segment - y->segment : x->id - y->id;
}

static void sort_nodes(struct graph *g)
{
	qsort(g->nodes.at, (size_t)g->nodes.n, sizeof *g->nodes.at, by_segment);
	for (int i = 0; i < g->nodes.n; i++)
		g->nodes.at[i]->id = i;
	for (int i = 0; i < g->nodes.n; i++)
		for (int k = 0; k < passes_sources(g->nodes.at[i]); k++)
			BUG_IF(passes_source(g->nodes.at[i], k)->id >= i,
			       "a pipeline's node %%%d comes before what it reads", i);
}

static const struct microbatch *block_of_phase(const struct pass_nodes *n, int phase)
{
	for (int i = 0; i < n->graph->nodes.n; i++)
		if (n->phase[i] == phase)
			return n->graph->nodes.at[i]->batch;
	return NULL;
}

static int between(const struct pass_nodes *n, struct graph *g, int phase, int segment)
{
	for (int i = 0; i < g->nodes.n; i++)
		if (n->phase[i] == phase)
			g->nodes.at[i]->segment = segment;
	return segment;
}

static int schedule_block(struct pass_nodes *n, struct program *p, struct region *r, const struct microbatch *m,
			  int segment)
{
	struct builder b = {.nodes = *n, .phase = 2 * m->id + 1};
	b.plan.schedule = m->schedule;
	b.plan.hold = m->hold;
	b.unit = ARENA_ARRAY(n->arena, int, r->graph->nodes.n);
	map_init(&b.places, n->arena);
	map_init(&b.units, n->arena);
	find_units(&b);
	give_credits(&b, m);
	find_overlaps(&b);
	BUG_IF(!schedule_passes(n->arena, &b.plan), "the passes of a pipeline in region %s wait for each other",
	       r->name);
	segment = number_segments(&b, r->graph, segment);
	describe(&b, p->arena, r, m);
	return segment;
}

/* A loop through several stages goes through them in every turn: its turns are passes of their own. False after an
 * error: their number has to be known. */
static bool split_loops(struct pass_nodes *n, struct program *p, struct region *r)
{
	for (const bool *split; (split = passes_split_loops(n->arena, r->graph));) {
		for (int i = 0; i < r->graph->loops.n; i++) {
			const struct loop *l = r->graph->loops.at[i];
			if (!split[i] || l->turns >= 0)
				continue;
			struct diag *d = diag_error(p->session, PML0522, l->span,
						    "this loop goes through several stages of a pipeline");
			diag_note(d, "the passes of a pipeline are put in order when it is compiled, so the number "
				     "of turns has to be known then");
			diag_help(d, "count to a `const`, or leave the loop to one stage");
			return false;
		}
		graph_unroll_marked(r->graph, split);
		graph_compact(r->graph);
	}
	return true;
}

/* The micro-batches of stages have been turns of a loop until now. Whether there are nodes of micro-batches. */
static bool begin_stages(struct arena *a, struct graph *g)
{
	bool *stages = NULL, any = false;
	for (int i = 0; i < g->loops.n && !stages; i++)
		stages = g->loops.at[i]->batch ? passes_split_loops(a, g) : NULL;
	for (int i = 0; stages && i < g->loops.n; i++) {
		stages[i] &= g->loops.at[i]->batch != NULL;
		any |= stages[i];
	}
	if (any) {
		graph_unroll_marked(g, stages);
		graph_compact(g);
	}
	for (int i = 0; i < g->nodes.n; i++)
		if (g->nodes.at[i]->batch)
			return true;
	return false;
}

static void put_passes_in_order(struct pass_nodes *n, struct program *p, struct region *r)
{
	passes_halve_loops(n->arena, r->graph);
	passes_find(n);
	int last = 0, segment = 0;
	for (int i = 0; i < r->graph->nodes.n; i++)
		last = n->phase[i] > last ? n->phase[i] : last;
	for (int phase = 0; phase <= last; phase++) {
		const struct microbatch *m = phase & 1 ? block_of_phase(n, phase) : NULL;
		if (m)
			segment = schedule_block(n, p, r, m, segment);
		else if (!(phase & 1))
			segment = between(n, r->graph, phase, segment + (phase > 0));
	}
	sort_nodes(r->graph);
}

void pipeline_of_region(struct program *p, struct region *r)
{
	struct pass_nodes n = {.arena = arena_new("pipeline"), .graph = r->graph};
	if (begin_stages(n.arena, r->graph) && split_loops(&n, p, r))
		put_passes_in_order(&n, p, r);
	arena_free(n.arena);
}
