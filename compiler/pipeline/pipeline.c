/* pipeline.c — the schedule of a region's micro-batches, and its nodes in that order.
 *
 * All passes of all stages are put in one order, that of their ends in the simulation (schedule.c). What a rank does is
 * the part of this order that its stages have; transfers are numbered along it. So every rank's program is a projection
 * of one order in which what is read comes first. That ranks do not wait for each other in a circle is proved
 * afterwards on what was planned (plan/progress.c). */
#include "steady.h"

#include <stdlib.h>

struct builder {
	struct pass_units units;
	int *segment; /* by unit */
};

/* Of a region: blocks of micro-batches that have a steady state. */
struct rolled {
	VEC(struct steady *) at;
};

/* ---- what plans tell of it ---- */

static int64_t mean_cost(const struct builder *b, int place)
{
	int64_t sum = 0;
	for (int u = 0; place >= 0 && u < b->units.plan.units.n; u++)
		if (b->units.plan.units.at[u].place == place)
			sum += b->units.plan.units.at[u].cost;
	return place >= 0 ? sum / b->units.micro_count.at[place] : 0;
}

/* A pass of a forward stage, itself if it is of that kind. The others are on the same ranks, as many changes of
 * placement behind the last stage as the stage is before; -1: there is none. */
static int pass_of(const struct builder *b, int place, enum pass_kind kind)
{
	if (kind == PASS_FORWARD)
		return place;
	const struct pass_place *f = &b->units.plan.places.at[place];
	int best = -1, want = f->level + 2 * (f->credits - 1);
	for (int i = 0; i < b->units.plan.places.n; i++) {
		const struct pass_place *p = &b->units.plan.places.at[i];
		if (p->kind == kind && p->ranks == f->ranks &&
		    (best < 0 || abs(p->level - want) < abs(b->units.plan.places.at[best].level - want)))
			best = i;
	}
	return best;
}

static void describe_units(struct builder *b, struct arena *a, struct pipeline *p, int place, int stage)
{
	for (int i = 0; place >= 0 && i < b->units.plan.units.n; i++) {
		const struct pass_unit *u = &b->units.plan.units.at[i];
		if (u->place == place)
			vec_push(a, &p->units,
				 ((struct pipeline_unit){.stage = stage,
							 .micro = u->micro,
							 .kind = b->units.plan.places.at[place].kind,
							 .segment = b->segment[i],
							 .start = u->start,
							 .finish = u->finish}));
	}
}

/* Thousandths of a time in which ranks do nothing. */
static int idle_share(const struct builder *b, int64_t span)
{
	double all = 0, busy = 0;
	for (int i = 0; i < b->units.plan.nranks; i++) {
		int64_t count = b->units.nodes.sets.at[i]->count;
		if (!b->units.plan.busy[i])
			continue;
		all += (double)span * (double)count;
		busy += (double)b->units.plan.busy[i] * (double)count;
	}
	return all > 0 ? (int)(1000 * (1 - busy / all) + 0.5) : 0;
}

static void describe(struct builder *b, struct arena *a, struct region *r, const struct microbatch *m)
{
	struct pipeline *p = ARENA_NEW(a, struct pipeline);
	int last = 0;
	p->batch = m;
	p->span = b->units.plan.span;
	p->idle = idle_share(b, b->units.plan.span);
	p->between = idle_share(b, b->units.plan.period);
	for (int i = 0; i < b->units.plan.places.n; i++)
		last = b->units.plan.places.at[i].level > last ? b->units.plan.places.at[i].level : last;
	for (int level = 0; level <= last; level++)
		for (int i = 0; i < b->units.plan.places.n; i++) {
			const struct pass_place *f = &b->units.plan.places.at[i];
			if (f->kind != PASS_FORWARD || f->level != level || !pass_is_stage(&b->units, m, i))
				continue;
			const struct place *ranks = b->units.nodes.sets.at[f->ranks];
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
	b->segment = ARENA_ARRAY(b->units.nodes.arena, int, b->units.plan.units.n);
	for (int i = 0; i < b->units.plan.units.n; i++)
		b->segment[b->units.plan.order[i]] = ++segment;
	for (int i = 0; i < g->nodes.n; i++)
		if (b->units.unit[i] >= 0)
			g->nodes.at[i]->segment = b->segment[b->units.unit[i]];
	return segment;
}

/* The loop of periods whose border is between x and what it reads; NULL: none is. */
static const struct steady_loop *enters(const struct node *x, const struct node *in, const struct steady *s)
{
	for (int i = 0; i < s->nloops; i++)
		if (node_whole_loop(x) == s->loops[i].now && node_whole_loop(in) != s->loops[i].now)
			return &s->loops[i];
	return NULL;
}

/* The same where the nodes have their places (steady_roll). Others come when they are read first; outside of the loop
 * of periods, before it. */
static int number_rolled(struct builder *b, const struct pass_nodes *n, struct graph *g, const struct steady *s,
			 int segment)
{
	int count = b->units.plan.units.n, *least = ARENA_ARRAY(n->arena, int, g->nodes.n);
	b->segment = ARENA_ARRAY(n->arena, int, count);
	for (int i = 0; i < count; i++)
		b->segment[i] = segment + s->of_unit[i];
	for (int i = g->nodes.n - 1; i >= 0; i--) {
		struct node *x = g->nodes.at[i];
		if (n->phase[i] != b->units.phase)
			continue;
		x->segment = x->segment ? x->segment : least[i] ? least[i] : 1;
		for (int k = 0; k < passes_sources(x); k++) {
			const struct node *in = passes_source(x, k);
			int at = enters(x, in, s) ? enters(x, in, s)->begin + 1 : x->segment;
			least[in->id] = least[in->id] && least[in->id] < at ? least[in->id] : at;
		}
	}
	for (int i = 0; i < g->nodes.n; i++)
		if (n->phase[i] == b->units.phase)
			g->nodes.at[i]->segment += segment;
	return segment + count;
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

static int schedule_block(struct pass_nodes *n, struct program *p, struct region *r, const struct rolled *rolled,
			  const struct microbatch *m, int segment)
{
	struct builder b = {.segment = NULL};
	const struct steady *s = NULL;
	for (int i = 0; i < rolled->at.n; i++)
		s = rolled->at.at[i]->loop->batch == m ? rolled->at.at[i] : s;
	if (s) {
		b.units = s->units;
		segment = number_rolled(&b, n, r->graph, s, segment);
	} else {
		b.units = pass_units_of(n, 2 * m->id + 1);
		BUG_IF(!pass_units_schedule(&b.units, m), "the passes of a pipeline in region %s wait for each other",
		       r->name);
		segment = number_segments(&b, r->graph, segment);
	}
	describe(&b, p->arena, r, m);
	return segment;
}

/* A loop through several stages goes through them in every turn: its turns are passes of their own. False after an
 * error: their number has to be known. */
static bool split_loops(struct pass_nodes *n, struct program *p, struct region *r)
{
	for (const bool *split; (split = passes_split_loops(n->arena, r->graph));) {
		const bool *stays = graph_stacks_tapes(r->graph, n->arena);
		for (int i = 0; i < r->graph->loops.n; i++) {
			const struct loop *l = r->graph->loops.at[i];
			if (!split[i] || (l->turns >= 0 && !stays[i]))
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
static bool begin_stages(struct arena *a, struct graph *g, struct rolled *rolled)
{
	bool *stages;
	while ((stages = passes_split_loops(a, g))) {
		struct loop *l = NULL;
		for (int i = 0; i < g->loops.n && !l; i++)
			l = stages[i] && g->loops.at[i]->batch ? g->loops.at[i] : NULL;
		if (!l)
			break;
		struct steady *s = ARENA_NEW(a, struct steady);
		if (steady_find(a, g, l, s)) {
			steady_roll(a, g, s);
			vec_push(a, &rolled->at, s);
			continue;
		}
		for (int i = 0; i < g->loops.n; i++)
			stages[i] = g->loops.at[i] == l;
		graph_unroll_marked(g, stages);
		graph_compact(g);
	}
	for (int i = 0; i < g->nodes.n; i++)
		if (g->nodes.at[i]->batch)
			return true;
	return false;
}

static void put_passes_in_order(struct pass_nodes *n, struct program *p, struct region *r, const struct rolled *rolled)
{
	passes_halve_loops(n->arena, r->graph);
	passes_find(n);
	int last = 0, segment = 0;
	for (int i = 0; i < r->graph->nodes.n; i++)
		last = n->phase[i] > last ? n->phase[i] : last;
	for (int phase = 0; phase <= last; phase++) {
		const struct microbatch *m = phase & 1 ? block_of_phase(n, phase) : NULL;
		if (m)
			segment = schedule_block(n, p, r, rolled, m, segment);
		else if (!(phase & 1))
			segment = between(n, r->graph, phase, segment + (phase > 0));
	}
	sort_nodes(r->graph);
}

void pipeline_of_region(struct program *p, struct region *r)
{
	struct pass_nodes n = {.arena = arena_new("pipeline"), .graph = r->graph};
	struct rolled rolled = {{0}};
	passes_halve_loops(n.arena, r->graph);
	if (begin_stages(n.arena, r->graph, &rolled) && split_loops(&n, p, r))
		put_passes_in_order(&n, p, r, &rolled);
	arena_free(n.arena);
}
