/* report.c — collects what `pmlc plan` shows from a planned program: see report.h. */
#include "report.h"

#include "../../runtime/moves/room.h"
#include "../../runtime/pmlrt.h"
#include "../compiler.h"
#include "../layout/exchange.h"
#include "../op/signature.h"
#include "holding.h"
#include "runs.h"

#include <inttypes.h>
#include <string.h>

/* What travels in a bucket is copied into it as well (runtime/transfer_bucket.c). */
static int64_t staging_of(const struct program *p, const struct transfer *t, int32_t rank)
{
	const struct placed_type *src = &p->types.at[t->src], *dst = &p->types.at[t->dst];
	if (place_position(src->place, rank) < 0 && place_position(dst->place, rank) < 0)
		return 0;
	int64_t bytes =
		redist_staging(&t->redist, src->dtype, &src->shape, src->place, &src->layout, dst->place, &dst->layout);
	return t->bucket < 0 ? bytes : count_add(bytes, report_local_bytes(src, rank));
}

/* Of a transfer that others travel with, what goes through shared memory is one array of all of them. */
static struct room_taken shared_of(struct arena *a, const struct program *p, int id, int32_t rank)
{
	const struct transfer *t = &p->transfers.at[id];
	const struct placed_type *src = &p->types.at[t->src], *dst = &p->types.at[t->dst];
	if (t->bucket < 0)
		return redist_shared(&t->redist, src->dtype, &src->shape, src->place, &src->layout, dst->place,
				     &dst->layout, rank);
	if (t->bucket != id || place_position(src->place, rank) < 0)
		return (struct room_taken){0};
	int64_t *elements = ARENA_ARRAY(a, int64_t, id + 1);
	int n = 0;
	for (int i = 0; i <= id; i++)
		if (p->transfers.at[i].bucket == id)
			elements[n++] =
				report_local_bytes(&p->types.at[p->transfers.at[i].src], rank) / dtype_size(src->dtype);
	return redist_shared_bucket(src->dtype, &src->shape, src->place, &src->layout, dst->place, &dst->layout,
				    elements, n);
}

/* The block of memory that a rank shares with others (runtime/windows.h). */
static int64_t windows_of(struct arena *a, const struct program *p, int32_t rank)
{
	int64_t bytes = 0, passing = 0, most = 0;
	for (int i = 0; i < p->transfers.n; i++) {
		struct room_taken s = shared_of(a, p, i, rank);
		bytes = s.own ? count_add(bytes, room_of_part(s.own)) : bytes;
		passing = count_add(passing, s.passing);
		most = s.passing > most ? s.passing : most;
	}
	bytes = count_add(bytes, room_of_pool(passing, most));
	return bytes ? count_add(bytes, room_of_table(p->transfers.n)) : 0;
}

static struct report_memory memory_of(struct arena *a, const struct program *p, const struct role *r)
{
	struct report_memory m = {.arena = r->arena_bytes, .data = count_mul(1 + PMLRT_PREFETCH, r->batch_bytes)};
	int32_t rank = r->ranks.at[0];
	for (int i = 0; i < p->slots.n; i++) {
		int64_t bytes = report_local_bytes(&p->types.at[p->slots.at[i]->type], rank);
		if (p->slots.at[i]->members.n)
			continue;
		switch (p->slots.at[i]->slot_class) {
		case SLOT_PARAM:
			m.parameters = count_add(m.parameters, bytes);
			break;
		case SLOT_STATE:
			m.state = count_add(m.state, bytes);
			break;
		case SLOT_VALUE:
			m.values = count_add(m.values, bytes);
			break;
		}
	}
	for (int i = 0; i < p->transfers.n; i++)
		m.staging = count_add(m.staging, staging_of(p, &p->transfers.at[i], rank));
	m.windows = windows_of(a, p, rank);
	return m;
}

/* How often each step is made: once, but for those in loops of known turns. */
static int64_t *times_of_steps(struct arena *a, const struct plan *plan)
{
	int64_t *times = ARENA_ARRAY(a, int64_t, plan->steps.n);
	for (int i = 0; i < plan->steps.n; i++)
		times[i] = 1;
	for (int l = 0; l < plan->loops.n; l++) {
		const struct plan_loop *loop = &plan->loops.at[l];
		for (int i = loop->begin; i <= loop->end; i++)
			times[i] = count_mul(times[i], loop->turns >= 0 ? loop->turns : 1);
	}
	return times;
}

static struct report_work work_of(struct arena *a, const struct program *p, const struct role *r, int region)
{
	struct report_work w = {.region = region};
	const struct plan *plan = r->plans[region];
	const int64_t *times = times_of_steps(a, plan);
	for (int i = 0; i < plan->steps.n; i++) {
		const struct plan_step *s = &plan->steps.at[i];
		int64_t flops = count_mul(s->flops, times[i]);
		w.flops = count_add(w.flops, flops);
		w.product_flops = count_add(w.product_flops, s->kind == STEP_GEMM ? flops : 0);
		w.products += s->kind == STEP_GEMM;
		w.kernels += s->kind == STEP_KERNEL;
		w.transfers += s->kind == STEP_TRANSFER_BEGIN;
	}
	for (int i = 0; i < p->transfers.n; i++) {
		const struct transfer *t = &p->transfers.at[i];
		const struct placed_type *src = &p->types.at[t->src], *dst = &p->types.at[t->dst];
		if (t->region != region)
			continue;
		int64_t turns = t->turns ? t->turns : 1;
		int32_t rank = r->ranks.at[0];
		int64_t sent = redist_bytes_sent(&t->redist, src->dtype, &src->shape, src->place, &src->layout,
						 dst->place, &dst->layout, rank);
		int64_t received = redist_bytes_received(&t->redist, src->dtype, &src->shape, src->place, &src->layout,
							 dst->place, &dst->layout, rank);
		w.sent = count_add(w.sent, count_mul(sent, turns));
		w.received = count_add(w.received, count_mul(received, turns));
	}
	return w;
}

/* ---- texts ---- */

static const char *layout_text(struct arena *a, const struct placed_type *t)
{
	struct text out;
	text_init(&out, a);
	text_printf(&out, "@%s : ", t->place->name);
	layout_print(&out, t->place, &t->layout);
	return text_get(&out);
}

static const char *tensor_text(struct arena *a, const struct placed_type *t)
{
	struct text out;
	text_init(&out, a);
	type_print(&out, t->dtype, &t->shape);
	return text_get(&out);
}

/* The axes whose atoms differ, where the placement stays. */
static const char *axes_text(struct arena *a, const struct placed_type *from, const struct placed_type *to)
{
	struct text out;
	text_init(&out, a);
	if (!place_same_mesh(from->place, to->place))
		return "";
	for (int i = 0; i < from->place->naxes; i++)
		if (from->place->extent[i] > 1 && !atom_equal(from->layout.atom[i], to->layout.atom[i]))
			text_printf(&out, "%s%s", out.n ? "," : "", from->place->axis[i]);
	return text_get(&out);
}

/* At most, over the ranks. */
static const char *halo_text(struct arena *a, const struct redist *r, const struct placed_type *from,
			     const struct placed_type *to)
{
	struct text out;
	if (r->method != REDIST_HALO)
		return "";
	struct redist_halo h = redist_halo(&from->shape, from->place, &from->layout, &to->layout);
	text_init(&out, a);
	for (int d = 0; d < from->shape.rank; d++)
		if (h.beyond[d])
			text_printf(&out, "%s%" PRId64 " of dimension %d", out.n ? ", " : "", h.beyond[d], d);
	text_printf(&out, " from %" PRId64 " rank%s", h.ranks, h.ranks == 1 ? "" : "s");
	return text_get(&out);
}

/* ---- rows ---- */

static const struct source *source_of(const struct program *p, struct span at)
{
	const struct session *s = p->session;
	return at.file && (int)at.file < s->sources.n ? &s->sources.at[at.file] : NULL;
}

static enum report_phase phase_of(const struct transfer *x, const struct report_runs *r)
{
	if (r->when == REPORT_START)
		return REPORT_INIT;
	switch (x->direction) {
	case DIRECTION_FORWARD:
		return REPORT_FORWARD;
	case DIRECTION_BACKWARD:
		return REPORT_BACKWARD;
	case DIRECTION_UPDATE:
		return REPORT_UPDATE;
	case DIRECTION_HOST:
		return REPORT_HOST;
	}
	return REPORT_FORWARD;
}

/* Of rows that go to one rank each. */
static int64_t spread_bytes(const struct redist *r, const struct placed_type *from, const struct placed_type *to)
{
	if (r->method != REDIST_ROW_SCATTER && r->method != REDIST_ROW_RETURN)
		return 0;
	return redist_rows_spread(from->dtype, &from->shape, from->place, &from->layout, &to->layout);
}

static struct report_transfer transfer_row(struct arena *a, const struct program *p, const struct transfer *x,
					   const struct report_runs *runs)
{
	const struct placed_type *src = &p->types.at[x->src], *dst = &p->types.at[x->dst];
	const struct source *f = source_of(p, x->span);
	struct line_column at = f ? source_position(f, x->span.begin) : (struct line_column){0};
	return (struct report_transfer){
		.region = x->region,
		.phase = phase_of(x, runs),
		.kind = redist_text(x->redist.method),
		.tensor = arena_strdup(a, x->name),
		.type = tensor_text(a, src),
		.from = layout_text(a, src),
		.to = layout_text(a, dst),
		.axes = axes_text(a, src, dst),
		.around = halo_text(a, &x->redist, src, dst),
		.file = f ? arena_strdup(a, f->path) : "",
		.line = at.line,
		.bucket = x->bucket,
		.turns = x->turns,
		.column = at.column,
		.sent_max = redist_sent_max(&x->redist, src->dtype, &src->shape, src->place, &src->layout, dst->place,
					    &dst->layout),
		.received_max = redist_received_max(&x->redist, src->dtype, &src->shape, src->place, &src->layout,
						    dst->place, &dst->layout),
		.bytes = x->redist.bytes_total,
		.spread = spread_bytes(&x->redist, src, dst),
	};
}

static void add_regions(struct report *r, const struct program *p)
{
	int64_t *weight = ARENA_ARRAY(r->arena, int64_t, p->regions.n);
	for (int i = 0; i < p->transfers.n; i++)
		weight[p->transfers.at[i].region] =
			count_add(weight[p->transfers.at[i].region], p->transfers.at[i].redist.bytes_total);
	struct report_runs *runs = runs_of_regions(r->arena, p, weight);
	for (int i = 0; i < p->regions.n; i++) {
		struct report_region row = {.name = arena_strdup(r->arena, p->regions.at[i]->name),
					    .runs = runs[i],
					    .is_exact = p->regions.at[i]->graph->is_exact};
		vec_push(r->arena, &r->regions, row);
	}
}

static void add_roles(struct report *r, const struct program *p)
{
	for (int i = 0; i < p->roles.n; i++) {
		const struct role *role = p->roles.at[i];
		struct report_role row = {.name = arena_strdup(r->arena, role->name),
					  .ranks = role->ranks.n,
					  .kernels = role->kernels.n,
					  .memory = memory_of(r->arena, p, role)};
		for (int k = 0; k < p->regions.n; k++) {
			if (!role->plans[k])
				continue;
			struct report_work w = work_of(r->arena, p, role, k);
			vec_push(r->arena, &row.work, w);
			r->regions.at[k].flops = count_add(r->regions.at[k].flops, count_mul(w.flops, role->ranks.n));
		}
		vec_push(r->arena, &r->roles, row);
	}
}

static int64_t tape_bytes(const struct plan *plan, const struct plan_loop *l)
{
	int64_t bytes = 0;
	for (int i = 0; i < l->tapes.n; i++)
		bytes = count_add(bytes, buffer_size(&plan->buffers.at[l->tapes.at[i]]));
	return bytes;
}

/* The loops of a region's graph that some role has steps of. */
static void add_loops(struct report *r, const struct program *p, int region)
{
	const struct graph *g = p->regions.at[region]->graph;
	struct report_loop *rows = ARENA_ARRAY(r->arena, struct report_loop, g->loops.n);
	for (int i = 0; i < p->roles.n; i++) {
		const struct plan *plan = p->roles.at[i]->plans[region];
		for (int k = 0; plan && k < plan->loops.n; k++) {
			const struct plan_loop *l = &plan->loops.at[k];
			if (l->id < 0)
				continue;
			struct report_loop *row = &rows[l->id];
			int steps = l->end - l->begin - 1;
			int64_t tape = tape_bytes(plan, l);
			row->steps = steps > row->steps ? steps : row->steps;
			row->tape = tape > row->tape ? tape : row->tape;
		}
	}
	for (int i = 0; i < g->loops.n; i++) {
		const struct loop *l = g->loops.at[i];
		const struct source *f = source_of(p, l->span);
		struct line_column at = f ? source_position(f, l->span.begin) : (struct line_column){0};
		if (!rows[i].steps)
			continue;
		rows[i].region = region;
		rows[i].file = f ? arena_strdup(r->arena, f->path) : "";
		rows[i].line = at.line;
		rows[i].column = at.column;
		rows[i].turns = l->turns > 0 ? l->turns : 0;
		rows[i].branch = l->is_branch;
		vec_push(r->arena, &r->loops, rows[i]);
	}
}

static void add_unrolled(struct report *r, const struct program *p)
{
	for (int i = 0; i < p->unrolled.n; i++) {
		const struct unrolled *u = &p->unrolled.at[i];
		const struct source *f = source_of(p, u->span), *g = source_of(p, u->where);
		struct line_column at = f ? source_position(f, u->span.begin) : (struct line_column){0};
		struct report_unrolled row = {.file = f ? arena_strdup(r->arena, f->path) : "",
					      .line = at.line,
					      .column = at.column,
					      .turns = u->turns,
					      .kept = u->kept,
					      .why = arena_strdup(r->arena, u->why),
					      .at_file = g ? arena_strdup(r->arena, g->path) : "",
					      .at = g ? source_position(g, u->where.begin).line : at.line};
		vec_push(r->arena, &r->unrolled, row);
	}
}

struct report *report_of(struct arena *a, const struct program *p)
{
	struct report *r = ARENA_NEW(a, struct report);
	*r = (struct report){.arena = a,
			     .program = arena_strdup(a, p->name),
			     .source = arena_strdup(a, p->source),
			     .fingerprint = arena_printf(a, "%016" PRIx64, p->fingerprint),
			     .ranks = p->nranks};
	add_regions(r, p);
	for (int i = 0; i < p->transfers.n; i++) {
		const struct transfer *x = &p->transfers.at[i];
		vec_push(a, &r->transfers, transfer_row(a, p, x, &r->regions.at[x->region].runs));
	}
	report_add_totals(r, p);
	add_roles(r, p);
	for (int i = 0; i < p->regions.n; i++)
		add_loops(r, p, i);
	add_unrolled(r, p);
	report_add_stages(r, p);
	return r;
}

void compiler_print_plan(struct program *p, struct text *t, bool json)
{
	struct arena *scratch = arena_new("plan report");
	struct report *r = report_of(scratch, p);
	(json ? report_print_json : report_print)(t, r);
	arena_free(scratch);
}
