/* plan_run.h — a region over a fixture, laid out, planned and run on simulated ranks, compared with what its graph
 * means. */
#ifndef PML_PLAN_RUN_H
#define PML_PLAN_RUN_H

#include "layout_fixture.h"
#include "plan_simulate.h"

#include <check.h>
#include <math.h>

struct run {
	struct fixture f;
	struct sim sim;
	struct tensor_value *slots, arguments[8];
	const struct graph *meant; /* what the region is to compute; NULL: what its graph says */
};

static inline void fill(struct run *r, struct tensor_value *v, enum dtype t, const struct shape *s, uint64_t *state,
			int64_t limit)
{
	int64_t n = shape_volume(s);
	*v = (struct tensor_value){
		.dtype = t, .shape = *s, .at = ARENA_ARRAY(r->f.session->arena, union scalar_value, n + 1)};
	for (int64_t i = 0; i < n; i++) {
		if (dtype_is_float(t))
			v->at[i].f = ((double)(fixture_random(state) % 33) - 16) / 8;
		else
			v->at[i].i = (int64_t)(fixture_random(state) % (uint64_t)limit);
	}
}

/* A placement of all ranks there are. */
static inline const struct place *line_of(struct run *r, int ranks)
{
	struct place *world = r->f.program->places.at[0];
	world->count = world->extent[0] = ranks;
	return fixture_place(r->f.program, "p", 0, ranks);
}

/* The fixture's graph as the only region. */
static inline void begin_program(struct run *r, int64_t nranks)
{
	struct program *p = r->f.program;
	struct region *region = ARENA_NEW(p->arena, struct region);
	*region = (struct region){.name = "test", .graph = r->f.graph};
	vec_push(p->arena, &p->regions, region);
	p->nranks = nranks;
	vec_push(p->arena, &p->sites, ((struct span){0}));
	vec_push(p->arena, &p->site_names, "");
}

/* Plans a laid-out graph; slots get values. */
static inline void plan_program(struct run *r)
{
	struct program *p = r->f.program;
	if (getenv("PLAN_PRINT"))
		fprintf(stderr, "%s", fixture_print(r->f.graph));
	compiler_pipeline(p);
	compiler_plan(p);
	uint64_t state = 42;
	r->slots = ARENA_ARRAY(p->arena, struct tensor_value, p->slots.n);
	sim_init(&r->sim, p, p->arena);
	r->sim.arguments = r->arguments;
	for (int i = 0; i < p->slots.n; i++) {
		fill(r, &r->slots[i], p->slots.at[i]->dtype, &p->slots.at[i]->shape, &state, 5);
		sim_set_slot(&r->sim, i, r->slots[i].at);
	}
}

/* Wraps the fixture's graph as the only region, lays it out and plans it. False if it cannot be laid out. */
static inline bool prepare(struct run *r, int64_t nranks)
{
	struct program *p = r->f.program;
	begin_program(r, nranks);
	for (int i = 0; i < p->slots.n; i++)
		if (p->slots.at[i]->slot_class == SLOT_PARAM && p->slots.at[i]->layout.form == LAYOUT_INFER)
			p->slots.at[i]->layout = given("B");
	compiler_layout(p);
	compiler_simplify(p);
	if (!p->session->errors)
		compiler_unfinished(p);
	if (p->session->errors)
		return false;
	plan_program(r);
	return true;
}

static inline void prepare_laid_out(struct run *r, int64_t nranks)
{
	begin_program(r, nranks);
	plan_program(r);
}

static inline void print_plans(const struct run *r)
{
	struct text t;
	text_init(&t, r->f.session->arena);
	graph_print(&t, r->f.program->regions.at[0]->graph);
	for (int i = 0; i < r->f.program->roles.n; i++) {
		const struct role *role = r->f.program->roles.at[i];
		text_printf(&t, "role `%s`\n", role->name);
		if (role->plans[0])
			plan_print(&t, role->plans[0]);
		for (int k = 0; k < role->kernels.n; k++)
			kernel_print(&t, role->kernels.at[k]);
	}
	fprintf(stderr, "%s", text_get(&t));
}

static inline bool near(enum dtype t, union scalar_value x, union scalar_value y)
{
	if (!dtype_is_float(t))
		return x.i == y.i;
	double limit = t == DT_F64 ? 1e-10 : t == DT_F32 ? 2e-4 : 0.05;
	return (isnan(x.f) && isnan(y.f)) || x.f == y.f || fabs(x.f - y.f) <= limit * (1 + fabs(x.f));
}

/* Runs `turns` times and compares all slots and results with the interpreter. */
static inline void compare(struct run *r, int turns)
{
	struct program *p = r->f.program;
	const struct graph *g = r->meant ? r->meant : p->regions.at[0]->graph;
	if (getenv("PLAN_PRINT"))
		print_plans(r);
	for (int turn = 0; turn < turns; turn++) {
		struct tensor_value *values = ARENA_ARRAY(p->arena, struct tensor_value, g->nodes.n);
		graph_interpret(g, r->slots, r->arguments, values);
		if (!sim_region(&r->sim, 0)) {
			print_plans(r);
			ck_abort_msg("%s", r->sim.error);
		}
		for (int i = 0; i < p->slots.n; i++) {
			const union scalar_value *v = sim_get_slot(&r->sim, i);
			for (int64_t k = 0; k < shape_volume(&p->slots.at[i]->shape); k++)
				if (!near(p->slots.at[i]->dtype, r->slots[i].at[k], v[k])) {
					print_plans(r);
					ck_abort_msg("slot %s[%d]: %g (%d), not %g (%d)", p->slots.at[i]->name, (int)k,
						     v[k].f, (int)v[k].i, r->slots[i].at[k].f,
						     (int)r->slots[i].at[k].i);
				}
		}
		ck_assert_msg(!r->sim.error, "%s", r->sim.error);
		for (int i = 0; i < g->outputs.n; i++) {
			const struct output *o = &g->outputs.at[i];
			for (int k = 0; o->kind == OUTPUT_HOST && k < r->sim.nranks; k++)
				ck_assert_msg(near(o->node->dtype, values[o->node->id].at[0],
						   r->sim.rank[k].results[o->index]),
					      "result %d on rank %d", o->index, k);
		}
	}
}

static inline struct run start(void)
{
	struct run r = {.f = fixture_new()};
	return r;
}

static inline struct node *host(struct run *r, int argument, double v)
{
	r->arguments[argument] =
		(struct tensor_value){.dtype = DT_F32, .at = ARENA_ARRAY(r->f.session->arena, union scalar_value, 1)};
	r->arguments[argument].at[0] = scalar_convert((union scalar_value){.f = v}, DT_F64, DT_F32);
	return graph_host(r->f.graph, &r->f.site, argument, DT_F32);
}

static inline const struct plan *only_plan(const struct run *r)
{
	return r->f.program->roles.at[0]->plans[0];
}

static inline int count_steps(const struct plan *p, enum plan_step_kind kind)
{
	int n = 0;
	for (int i = 0; i < p->steps.n; i++)
		n += p->steps.at[i].kind == kind;
	return n;
}

/* A program of one rank: everything is on the world. */
static inline const struct place *one_rank(struct run *r)
{
	r->f.program->places.at[0]->count = r->f.program->places.at[0]->extent[0] = 1;
	return r->f.program->places.at[0];
}

/* Of extents that a 0 ends. */
static inline struct shape shape_from(const int *dim)
{
	struct shape s = {.rank = 0};
	while (dim[s.rank]) {
		s.dim[s.rank] = dim[s.rank];
		s.rank++;
	}
	return s;
}

/* What a rule makes of params of these shapes on one rank, kept and planned. */
static inline void plan_rule(struct run *r, const char *rule, const int *a, const int *b)
{
	const struct place *at = one_rank(r);
	struct node *x = fixture_param(&r->f, "a", shape_from(a), at, "B");
	struct node *y = fixture_param(&r->f, "b", shape_from(b), at, "B");
	fixture_keep(&r->f, "y", fixture_map(&r->f, rule, x, y, NULL));
	ck_assert(prepare(r, 1));
}

/* How many products of matrices a plan has; *first is the first one. */
static inline int products(const struct plan *p, const struct plan_gemm **first)
{
	int n = 0;
	for (int i = 0; i < p->steps.n; i++)
		if (p->steps.at[i].kind == STEP_GEMM && !n++)
			*first = p->steps.at[i].gemm;
	return n;
}

#endif
