/* test_pipeline.c — random pipelines: stages of one to three ranks and one to four layers, which split rows, weights or
 * both; some sharing ranks or come back to, values that skip stages, a weight that the first and the last stage share,
 * layers that are computed again, rows that ranks do not divide, one or more micro-batches, all schedules. Planned
 * with gradients, every second one simplified, run on simulated ranks that wait for each other at every transfer, and
 * compared with what the graph means. Then faults are planted in the plans: the proof of progress and the simulation
 * must agree. Arguments: first seed and number of seeds; 3000 with TEST_LONG. */
#include "plan_run.h"
#include "suite.h"

#include "compiler/autodiff/autodiff.h"
#include "compiler/pipeline/pipeline.h"
#include "compiler/plan/progress.h"
#include "compiler/simplify/passes.h"

enum { MOST = 5, RANKS = 8 };

/* How the ranks of a stage share a layer. */
enum scheme {
	SCHEME_DATA,   /* rows split, weights whole */
	SCHEME_TENSOR, /* columns of the weight split, rows split again behind it */
	SCHEME_SHARES, /* rows split, the weight in shares, whole where it is used */
	SCHEMES
};

struct shape_of_pipeline {
	int stages, micro;
	int64_t rows;
	enum scheme scheme[MOST];
	bool again[MOST]; /* the stage's layers are computed again for gradients */
	bool tied;        /* the last stage ends with the weight of the first */
	enum schedule schedule;
	int hold; /* where the schedule splits backward passes; 0: as usual */
	const struct place *at[MOST];
	bool skip;  /* a value goes past a stage */
	bool turns; /* micro-batches are turns of a loop, as programs have them, not one by one in the graph */
	int width[MOST];
};

static int roll(uint64_t *dice, int n)
{
	return (int)(fixture_random(dice) % (uint64_t)n);
}

static struct node *product(struct run *r, struct node *x, struct node *w)
{
	return fixture_map(&r->f,
			   arena_printf(r->f.session->arena,
					"mm(a[m, k]: f64, b[k, n]: f64) -> [m, n] = sum[k] a * b {m=%d, k=%d, n=%d}",
					(int)x->shape.dim[0], (int)x->shape.dim[1], (int)w->shape.dim[1]),
			   x, w, NULL);
}

static struct node *to(struct run *r, struct node *x, const struct place *p)
{
	return graph_to(r->f.graph, &r->f.site, x, p, &(struct layout_spec){.form = LAYOUT_INFER});
}

static struct node *laid(struct run *r, struct node *x, const struct place *p, const char *layout)
{
	struct layout_spec l = given(layout);
	return graph_to(r->f.graph, &r->f.site, x, p, &l);
}

/* tanh(h w), h and the result with rows split. */
static struct node *layer(struct run *r, enum scheme scheme, struct node *h, struct node *w, const struct place *p)
{
	struct graph *g = r->f.graph;
	if (scheme == SCHEME_SHARES)
		w = laid(r, w, p, "B");
	if (scheme == SCHEME_TENSOR)
		h = laid(r, h, p, "B");
	struct node *y = graph_pointwise(g, &r->f.site, SC_TANH, product(r, h, w), NULL, NULL);
	return scheme == SCHEME_TENSOR ? laid(r, y, p, "S0") : y;
}

/* One micro-batch, forward; its loss. */
static struct node *forward(struct run *r, const struct shape_of_pipeline *s, struct node *x, struct node **w)
{
	struct graph *g = r->f.graph;
	struct node *h = x, *early = NULL;
	for (int i = 0; i < s->stages; i++) {
		h = to(r, h, s->at[i]);
		for (int k = 0; k < s->width[i]; k++) {
			g->remat = s->again[i] ? ARENA_NEW(r->f.program->arena, struct remat) : NULL;
			h = layer(r, s->scheme[i], h, w[i], s->at[i]);
			g->remat = NULL;
		}
		if (s->skip && i >= 2)
			h = graph_pointwise(g, &r->f.site, SC_ADD, h, to(r, early, s->at[i]), NULL);
		early = i == 0 ? h : early;
	}
	if (s->tied)
		h = product(r, h, laid(r, w[0], s->at[s->stages - 1], "B"));
	h = graph_pointwise(g, &r->f.site, SC_MUL, h, h, NULL);
	return graph_reduce(g, &r->f.site, COMBINE_SUM, h, (bool[]){true, true});
}

/* The loss of one micro-batch, and its gradients by the weights in d. */
static struct node *with_gradients(struct run *r, const struct shape_of_pipeline *s, struct node *x, struct node **w,
				   struct node **d)
{
	struct graph *g = r->f.graph;
	struct node *own[MOST]; /* as elaboration reads them: in the body */
	for (int i = 0; i < s->stages; i++)
		own[i] = graph_slot(g, &r->f.site, w[i]->slot);
	struct node *l = forward(r, s, x, own);
	struct node_site back = node_site_backward(l);
	ck_assert(autodiff_vjp(g, l, graph_float(g, &back, DT_F64, 1), s->stages, own, d));
	return l;
}

/* The loss of all; gradients of it in sum. */
static struct node *make_each(struct run *r, const struct shape_of_pipeline *s, struct microbatch *b, struct node **w,
			      struct node **sum)
{
	struct graph *g = r->f.graph;
	struct node *loss = NULL, *d[MOST];
	for (int k = 0; k < s->micro; k++) {
		const char *name = arena_printf(r->f.session->arena, "x%d", k);
		struct node *x = fixture_leaf(&r->f, name, DT_F64, SHAPE(s->rows, 4), s->at[0]);
		r->f.program->slots.at[x->slot]->layout = given("S0");
		r->f.site.batch = b;
		r->f.site.micro = k;
		struct node *l = with_gradients(r, s, x, w, d);
		loss = loss ? graph_pointwise(g, &r->f.site, SC_ADD, loss, l, NULL) : l;
		for (int i = 0; i < s->stages; i++) {
			struct node_site site = node_site_of(d[i]);
			site.batch = b;
			site.micro = k;
			sum[i] = sum[i] ? graph_pointwise(g, &site, SC_ADD, sum[i], d[i], NULL) : d[i];
		}
		r->f.site.batch = NULL;
	}
	return loss;
}

static struct node *sum_of_turns(struct run *r, struct loop *l, struct node *x)
{
	struct graph *g = r->f.graph;
	struct node_site at = node_site_of(x);
	struct node *zeros = graph_fill(g, &at, graph_float(g, &at, x->dtype, 0), &x->shape);
	struct node *carry = graph_carry(g, &at, l, zeros);
	return graph_end(g, &at, carry, graph_pointwise(g, &at, SC_ADD, carry, x, NULL));
}

static struct node *make_turns(struct run *r, const struct shape_of_pipeline *s, struct microbatch *b, struct node **w,
			       struct node **sum)
{
	struct graph *g = r->f.graph;
	struct node *all = fixture_leaf(&r->f, "x", DT_F64, SHAPE(s->micro, s->rows, 4), s->at[0]), *d[MOST];
	struct loop *l = g->open = graph_loop(g, NULL, s->micro, r->f.site.span);
	r->f.program->slots.at[all->slot]->layout = given("S1");
	l->batch = b;
	struct node *loss = with_gradients(r, s, graph_line(g, &r->f.site, l, 1, &all, 0, 1, false), w, d);
	g->open = NULL;
	loss = sum_of_turns(r, l, loss);
	for (int i = 0; i < s->stages; i++)
		sum[i] = sum_of_turns(r, l, d[i]);
	return loss;
}

static void make_pipeline(struct run *r, const struct shape_of_pipeline *s)
{
	struct graph *g = r->f.graph;
	struct microbatch *b = ARENA_NEW(r->f.program->arena, struct microbatch);
	struct arena *a = r->f.session->arena;
	struct node *w[MOST], *sum[MOST] = {NULL}, *loss;
	*b = (struct microbatch){.count = s->micro, .schedule = s->schedule, .hold = s->hold};
	static const char *const kept[SCHEMES] = {"B", "S1", "S0"};
	for (int i = 0; i < s->stages; i++) {
		w[i] = fixture_leaf(&r->f, arena_printf(a, "w%d", i), DT_F64, SHAPE(4, 4), s->at[i]);
		r->f.program->slots.at[w[i]->slot]->layout = given(kept[s->scheme[i]]);
	}
	if (s->turns)
		loss = make_turns(r, s, b, w, sum);
	else
		loss = make_each(r, s, b, w, sum);
	struct layout_spec whole = given("B");
	for (int i = 0; i < s->stages; i++) {
		struct node_site back = node_site_backward(w[i]);
		back.batch = NULL;
		struct layout_spec like_w = given(kept[s->scheme[i]]);
		struct node *dw = graph_contract(g, &back, sum[i], s->at[i], &like_w, "gradient", (struct span){0});
		struct node *rate =
			graph_float(g, &r->f.site, DT_F64, 0.001953125); /* small: a step does not amplify rounding */
		dw = graph_pointwise(g, &r->f.site, SC_MUL, dw, rate, NULL);
		graph_output(g, OUTPUT_SLOT, w[i]->slot, graph_pointwise(g, &r->f.site, SC_SUB, w[i], dw, NULL),
			     (struct span){0});
	}
	fixture_keep(&r->f, "loss", graph_to(g, &r->f.site, loss, loss->place, &whole));
	ck_assert_ptr_null(graph_order(g));
}

static struct shape_of_pipeline random_shape(struct run *r, uint64_t *dice)
{
	struct shape_of_pipeline s = {.stages = 1 + roll(dice, MOST),
				      .micro = 1 + roll(dice, 6),
				      .skip = roll(dice, 2),
				      .schedule = (enum schedule)roll(dice, SCHEDULES),
				      .rows = 1 + roll(dice, 8),
				      .tied = !roll(dice, 3)};
	s.hold = schedule_splits(s.schedule) ? roll(dice, 8) : 0;
	bool shared = !roll(dice, 4);
	for (int i = 0, rank = 0; i < s.stages; i++) {
		int count = 1 + roll(dice, 3);
		count = rank + count + (s.stages - 1 - i) > RANKS ? 1 : count;
		int first = shared ? roll(dice, RANKS - count + 1) : rank;
		s.width[i] = 1 + roll(dice, 4);
		s.scheme[i] = (enum scheme)roll(dice, SCHEMES);
		s.again[i] = !roll(dice, 3);
		s.at[i] = i >= 2 && !roll(dice, 6)
				  ? s.at[roll(dice, i - 1)]
				  : fixture_place(r->f.program, arena_printf(r->f.session->arena, "p%d", i), first,
						  count);
		rank += count;
	}
	s.turns = roll(dice, 2);
	s.micro += s.turns ? roll(dice, 8) : 0;
	return s;
}

/* Whether the region has a loop of periods of a pipeline. */
static bool has_periods(const struct run *r)
{
	const struct graph *g = r->f.program->regions.at[0]->graph;
	for (int i = 0; i < g->loops.n; i++)
		if (g->loops.at[i]->stages)
			return true;
	return false;
}

/* Micro-batches that the ranks of a stage may hold: as many as 1F1B has of all their stages at most. */
static int customary_hold(const struct pipeline *p, int last)
{
	int most = 1;
	for (int i = 0; i < p->stages.n; i++) {
		int sum = 0;
		for (int k = 0; k < p->stages.n; k++)
			if (p->stages.at[k].name == p->stages.at[i].name)
				sum += last - p->stages.at[k].level + 1;
		most = sum > most ? sum : most;
	}
	return most;
}

/* In stage s of p there are never more than p - s micro-batches; where gradients of weights wait, as many as may. */
static void check_held(const struct run *r, const struct shape_of_pipeline *s, int seed)
{
	const struct region *region = r->f.program->regions.at[0];
	if (s->turns && !region->pipelines.n) /* one stage, whose micro-batches stay a loop */
		return;
	ck_assert_int_eq(region->pipelines.n, 1);
	const struct pipeline *p = region->pipelines.at[0];
	int last = 0;
	for (int i = 0; i < p->stages.n; i++)
		last = p->stages.at[i].level > last ? p->stages.at[i].level : last;
	for (int i = 0; i < p->stages.n; i++) {
		int most = s->schedule == SCHEDULE_GPIPE   ? s->micro
			   : !schedule_splits(s->schedule) ? last - p->stages.at[i].level + 1
			   : s->hold                       ? s->hold
							   : customary_hold(p, last);
		ck_assert_msg(p->stages.at[i].held <= most, "seed %d: stage %d holds %d micro-batches, may %d", seed, i,
			      p->stages.at[i].held, most);
	}
}

static struct seeds seeds = {1, 60};

START_TEST(pipelines_compute_what_graphs_mean)
{
	int periods = 0;
	for (int i = 0; i < seeds.n; i++) {
		uint64_t dice = (seeds.first + (uint64_t)i) * 2654435761u;
		struct run r = start();
		if (getenv("PLAN_SEED"))
			fprintf(stderr, "seed %d\n", (int)seeds.first + i);
		struct shape_of_pipeline s = random_shape(&r, &dice);
		make_pipeline(&r, &s);
		if (i % 2) {
			r.meant = graph_copy(r.f.graph, r.f.session->arena);
			graph_run_passes(r.f.session, r.f.graph);
		}
		ck_assert(prepare(&r, RANKS));
		compare(&r, 2);
		check_held(&r, &s, (int)seeds.first + i);
		periods += has_periods(&r);
		session_free(r.f.session);
	}
	fprintf(stderr, "%d of %d pipelines have periods\n", periods, seeds.n);
	ck_assert_int_ge(periods, seeds.n / 10);
}
END_TEST

/* ---- faults ---- */

static bool is_transfer(const struct plan_step *s)
{
	return s->kind == STEP_TRANSFER_BEGIN || s->kind == STEP_TRANSFER_END;
}

/* Begins and ends of loops that come before a step. */
static int borders_before(const struct plan *p, int step)
{
	int n = 0;
	for (int i = 0; i < p->loops.n; i++)
		n += (p->loops.at[i].begin < step) + (p->loops.at[i].end < step);
	return n;
}

/* Exchanges two transfer steps of one role with no border of a loop between them: buffers that a loop moves are nowhere
 * before it. False if there is no pair. */
static bool damage(struct run *r, uint64_t *dice)
{
	struct plan *p = r->f.program->roles.at[roll(dice, r->f.program->roles.n)]->plans[0];
	if (!p || p->steps.n < 2)
		return false;
	int a = roll(dice, p->steps.n), b = roll(dice, p->steps.n);
	if (a == b || !is_transfer(&p->steps.at[a]) || !is_transfer(&p->steps.at[b]) ||
	    borders_before(p, a) != borders_before(p, b))
		return false;
	struct plan_step t = p->steps.at[a];
	p->steps.at[a] = p->steps.at[b];
	p->steps.at[b] = t;
	return true;
}

START_TEST(ranks_that_wait_for_ever_are_found)
{
	int stuck = 0, tried = 0;
	for (int i = 0; i < 4 * seeds.n; i++) {
		uint64_t dice = (seeds.first + (uint64_t)i) * 40503u + 7;
		struct run r = start();
		struct shape_of_pipeline s = random_shape(&r, &dice);
		make_pipeline(&r, &s);
		ck_assert(prepare(&r, RANKS));
		bool damaged = false;
		for (int k = 0; k < 200 && !damaged; k++)
			damaged = damage(&r, &dice);
		if (damaged) {
			const char *wrong = plan_progress(r.f.session->arena, r.f.program, 0);
			bool ends = sim_region(&r.sim, 0) || !strstr(r.sim.error, "wait for each other");
			ck_assert_msg(ends || wrong, "seed %d: the ranks wait for each other, which is not found", i);
			stuck += !ends;
			tried++;
		}
		session_free(r.f.session);
	}
	fprintf(stderr, "%d of %d faults make ranks wait for ever, all are found\n", stuck, tried);
	ck_assert_int_gt(stuck, tried / 10);
}
END_TEST

/* ---- memory and order of a chain ---- */

static struct shape_of_pipeline chain(struct run *r, int stages, int micro, enum schedule schedule)
{
	struct shape_of_pipeline s = {.stages = stages, .micro = micro, .schedule = schedule, .rows = 6};
	for (int i = 0; i < stages; i++) {
		s.at[i] = fixture_place(r->f.program, arena_printf(r->f.session->arena, "p%d", i), i, 1);
		s.width[i] = 3;
	}
	return s;
}

static int64_t arena_of_chain(int stage, int micro, enum schedule schedule, int hold)
{
	struct run r = start();
	struct shape_of_pipeline s = chain(&r, 3, micro, schedule);
	s.hold = hold;
	make_pipeline(&r, &s);
	ck_assert(prepare(&r, RANKS));
	int64_t bytes = -1;
	for (int i = 0; i < r.f.program->roles.n; i++)
		if (r.f.program->roles.at[i]->ranks.at[0] == stage)
			bytes = r.f.program->roles.at[i]->arena_bytes;
	session_free(r.f.session);
	return bytes;
}

START_TEST(memory_does_not_grow_with_micro_batches)
{
	for (int stage = 0; stage < 3; stage++) {
		int64_t few = arena_of_chain(stage, 4, SCHEDULE_ONE_F_ONE_B, 0),
			many = arena_of_chain(stage, 16, SCHEDULE_ONE_F_ONE_B, 0);
		ck_assert_msg(many <= few, "stage %d: %d bytes for 4 micro-batches, %d for 16", stage, (int)few,
			      (int)many);
		ck_assert_int_gt(arena_of_chain(stage, 16, SCHEDULE_GPIPE, 0), many);
	}
	/* Both send their gradients before those of weights are computed, which the first stage does not. */
	ck_assert_int_gt(arena_of_chain(1, 16, SCHEDULE_ONE_F_ONE_B, 0),
			 arena_of_chain(2, 16, SCHEDULE_ONE_F_ONE_B, 0));
	ck_assert_int_ge(arena_of_chain(0, 16, SCHEDULE_ONE_F_ONE_B, 0),
			 arena_of_chain(1, 16, SCHEDULE_ONE_F_ONE_B, 0));
}
END_TEST

/* Of chains of several lengths: what a stage has of steps and memory; that of gpipe grows by activations alone. */
static void check_growth(int stages, int stage, enum schedule schedule)
{
	int64_t bytes[3] = {0};
	int steps[3] = {0};
	for (int k = 0; k < 3; k++) {
		struct run r = start();
		struct shape_of_pipeline s = chain(&r, stages, 14 + 14 * k, schedule);
		s.turns = true;
		make_pipeline(&r, &s);
		ck_assert(prepare(&r, RANKS));
		ck_assert_msg(has_periods(&r), "%d stages, schedule %d: no periods", stages, (int)schedule);
		for (int i = 0; i < r.f.program->roles.n; i++)
			if (r.f.program->roles.at[i]->ranks.at[0] == stage) {
				bytes[k] = r.f.program->roles.at[i]->arena_bytes;
				steps[k] = r.f.program->roles.at[i]->plans[0]->steps.n;
			}
		session_free(r.f.session);
	}
	ck_assert_int_gt(steps[0], 0);
	ck_assert_int_eq(steps[0], steps[1]);
	ck_assert_int_eq(steps[0], steps[2]);
	if (schedule != SCHEDULE_GPIPE)
		ck_assert_int_eq(bytes[0], bytes[2]);
	else
		ck_assert_int_ge(bytes[1] - bytes[0], bytes[2] - bytes[1]);
}

/* Layers dealt out in two turns: of two ranks each has two stages. */
START_TEST(stages_that_are_come_back_to_have_periods)
{
	for (int k = 0; k < SCHEDULES; k++) {
		int steps[2] = {0};
		for (int many = 0; many < 2; many++) {
			struct run r = start();
			struct shape_of_pipeline s = chain(&r, 4, many ? 64 : 48, (enum schedule)k);
			s.turns = true;
			s.at[2] = s.at[0];
			s.at[3] = s.at[1];
			make_pipeline(&r, &s);
			ck_assert(prepare(&r, RANKS));
			ck_assert_msg(has_periods(&r), "schedule %d: no periods", k);
			compare(&r, 2);
			for (int i = 0; i < r.f.program->roles.n; i++)
				if (r.f.program->roles.at[i]->plans[0])
					steps[many] += r.f.program->roles.at[i]->plans[0]->steps.n;
			session_free(r.f.session);
		}
		ck_assert_int_gt(steps[0], 0);
		/* What is done on the average differs a little. */
		ck_assert_int_le(steps[1], k == SCHEDULE_GPIPE ? steps[0] : steps[0] * 11 / 10);
	}
}
END_TEST

START_TEST(what_is_planned_does_not_grow_with_micro_batches)
{
	for (int k = 0; k < SCHEDULES; k++)
		for (int stages = 2; stages <= 4; stages++)
			for (int stage = 0; stage < stages; stage++)
				check_growth(stages, stage, (enum schedule)k);
}
END_TEST

/* Gradients of weights that wait keep what they are computed from, of as many micro-batches as may be held. */
START_TEST(memory_grows_with_what_may_be_held)
{
	for (int stage = 0; stage < 3; stage++) {
		int64_t last = 0;
		for (int hold = 1; hold <= 5; hold += 2) {
			int64_t bytes = arena_of_chain(stage, 12, SCHEDULE_ZERO_BUBBLE, hold);
			ck_assert_msg(bytes > last - (hold == 5), "stage %d: %d bytes with %d held, %d with two less",
				      stage, (int)bytes, hold, (int)last);
			ck_assert_int_le(arena_of_chain(stage, 24, SCHEDULE_ZERO_BUBBLE, hold), bytes);
			last = bytes;
		}
		ck_assert_int_eq(arena_of_chain(stage, 12, SCHEDULE_ZERO_BUBBLE, 0),
				 arena_of_chain(stage, 12, SCHEDULE_ZERO_BUBBLE, 3));
	}
}
END_TEST

/* "012a3bA": passes of a stage in order. */
static const char *passes_of(const struct run *r, int stage)
{
	const struct pipeline *p = r->f.program->regions.at[0]->pipelines.at[0];
	struct text t;
	int64_t last = -1;
	text_init(&t, r->f.session->arena);
	for (;;) {
		const struct pipeline_unit *next = NULL;
		for (int i = 0; i < p->units.n; i++) {
			const struct pipeline_unit *u = &p->units.at[i];
			if (u->stage == stage && u->start > last && (!next || u->start < next->start))
				next = u;
		}
		if (!next)
			return text_get(&t);
		text_printf(&t, "%c", "0aA"[next->kind] + next->micro);
		last = next->start;
	}
}

START_TEST(equal_stages_follow_the_known_orders)
{
	static const char *const orders[SCHEDULES][3] = {{"012a3b4c5def", "01a2b3c4d5ef", "0a1b2c3d4e5f"},
							 {"012345abcdef", "012345abcdef", "012345abcdef"},
							 {"012A3B4C5DEF", "01a2Ab3Bc4Cd5DeEfF", "0a1b2cA3dB4eC5fDEF"}};
	for (int k = 0; k < SCHEDULES; k++) {
		struct run r = start();
		struct shape_of_pipeline s = chain(&r, 3, 6, (enum schedule)k);
		make_pipeline(&r, &s);
		ck_assert(prepare(&r, RANKS));
		for (int i = 0; i < 3; i++)
			ck_assert_str_eq(passes_of(&r, i), orders[k][i]);
		session_free(r.f.session);
	}
}
END_TEST

/* Messages that a role begins ahead of the first pass of a turn of periods: they were made in the turn before. */
static int late_messages(const struct run *r, const struct plan *p)
{
	const struct graph *g = r->f.program->regions.at[0]->graph;
	int late = 0;
	for (int i = 0; p && i < p->loops.n; i++) {
		const struct plan_loop *l = &p->loops.at[i];
		if (l->id < 0 || !g->loops.at[l->id]->stages)
			continue;
		for (int k = l->begin + 1; p->steps.at[k].kind != STEP_PASS_BEGIN && k < l->end; k++)
			late += p->steps.at[k].kind == STEP_TRANSFER_BEGIN && p->steps.at[k].src >= 0;
	}
	return late;
}

/* Who waits for a message would else wait for the gradients of weights that are computed behind it, too. */
START_TEST(messages_leave_in_the_turn_that_makes_them)
{
	for (int k = 0; k < SCHEDULES; k++)
		for (int hold = 0; hold <= 3; hold += 3) {
			struct run r = start();
			struct shape_of_pipeline s = chain(&r, 2, 14, (enum schedule)k);
			s.turns = true;
			s.hold = k == SCHEDULE_ZERO_BUBBLE ? hold : 0;
			make_pipeline(&r, &s);
			ck_assert(prepare(&r, RANKS));
			ck_assert(has_periods(&r));
			for (int i = 0; i < r.f.program->roles.n; i++) {
				int late = late_messages(&r, r.f.program->roles.at[i]->plans[0]);
				ck_assert_msg(!late, "schedule %d, hold %d: %d messages wait", k, hold, late);
			}
			session_free(r.f.session);
		}
}
END_TEST

int main(int argc, char **argv)
{
	seeds.n = suite_count(3000, seeds.n, seeds.n / 2);
	seeds_read(&seeds, argc, argv);
	Suite *suite;
	TCase *t = suite_begin(&suite, "pipelines");
	tcase_add_test(t, pipelines_compute_what_graphs_mean);
	tcase_add_test(t, ranks_that_wait_for_ever_are_found);
	tcase_add_test(t, memory_does_not_grow_with_micro_batches);
	tcase_add_test(t, what_is_planned_does_not_grow_with_micro_batches);
	tcase_add_test(t, stages_that_are_come_back_to_have_periods);
	tcase_add_test(t, memory_grows_with_what_may_be_held);
	tcase_add_test(t, equal_stages_follow_the_known_orders);
	tcase_add_test(t, messages_leave_in_the_turn_that_makes_them);
	return suite_end(suite);
}
