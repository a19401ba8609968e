/* steps.c — the ordered units as the plan's steps, and the life of every buffer. A kernel's result takes the place of
 * an input that dies with it where the kernel reads every element before it writes it. */
#include "writer.h"

#include "../layout/help.h"
#include "../pipeline/pipeline.h"

int writer_new_buffer(struct writer *w, enum buffer_kind kind, const struct phys_node *n, int slot)
{
	struct planner *p = w->p;
	struct buffer b = {.kind = kind,
			   .type = n->dtype,
			   .elements = shape_volume(&n->shape),
			   .slot = slot,
			   .name = n->name,
			   .first_step = p->plan->steps.n,
			   .last_step = p->plan->steps.n};
	vec_push(p->arena, &p->plan->buffers, b);
	BUG_IF(p->plan->buffers.n > w->nbuffers, "more buffers than values");
	return p->plan->buffers.n - 1;
}

static int buffer_of_slot(struct writer *w, int slot, const struct phys_node *n)
{
	if (w->slot_buffer[slot] < 0)
		w->slot_buffer[slot] = writer_new_buffer(w, BUFFER_SLOT, n, slot);
	return w->slot_buffer[slot];
}

static int buffer_of_spare(struct writer *w, int slot, const struct phys_node *n)
{
	int64_t *bytes = &w->p->role->spare[slot];
	int b = writer_new_buffer(w, BUFFER_SPARE, n, slot);
	*bytes = plan_buffer_bytes(&w->p->plan->buffers.at[b]);
	return b;
}

int writer_buffer(struct writer *w, struct phys_node *n)
{
	n = planner_root(n);
	struct planner *p = w->p;
	if (n->kind == PHYS_SLOT)
		return buffer_of_slot(w, n->slot, n);
	if (p->in_slot[n->id] >= 0)
		return buffer_of_slot(w, p->in_slot[n->id], n);
	BUG_IF(p->buffer[n->id] < 0, "node %%%d has no buffer yet", n->id);
	return p->buffer[n->id];
}

int writer_make_buffer(struct writer *w, struct phys_node *n, int reuse)
{
	struct planner *p = w->p;
	if (p->in_slot[n->id] >= 0)
		return buffer_of_slot(w, p->in_slot[n->id], n);
	if (p->in_spare[n->id] >= 0 && p->buffer[n->id] < 0)
		p->buffer[n->id] = buffer_of_spare(w, p->in_spare[n->id], n);
	else if (reuse >= 0 && p->buffer[n->id] < 0)
		p->buffer[n->id] = reuse;
	else if (p->buffer[n->id] < 0)
		p->buffer[n->id] = writer_new_buffer(w, n->kind == PHYS_DATA ? BUFFER_BATCH : BUFFER_ARENA, n, -1);
	w->readers[p->buffer[n->id]] += p->readers[n->id].list.n;
	return p->buffer[n->id];
}

struct plan_step *writer_add_step(struct writer *w, enum plan_step_kind kind, const struct phys_node *n)
{
	struct plan_step s = plan_step_of(kind);
	if (n && n->node)
		s.span = n->node->span;
	s.name = n ? n->name : NULL;
	vec_push(w->p->arena, &w->p->plan->steps, s);
	return &w->p->plan->steps.at[w->p->plan->steps.n - 1];
}

/* What computes a node that has no name: "/", and "mul in layernorm" of what the library computes with in a call. */
static const char *operator_name(const struct writer *w, const struct node *x)
{
	struct session *s = w->p->program->session;
	if (!x || x->kind != NODE_MAP || !x->rule->name)
		return "value";
	const char *call = x->in_library ? help_called(s, x->span) : NULL;
	return call && strcmp(call, x->rule->name) != 0 ? arena_printf(s->arena, "%s in %s", x->rule->name, call)
							: help_sign(s, x);
}

/* What a written node is called: as the slot it is written to, else as the source has it. */
static void note_write(struct writer *w, struct plan_step *s, const struct phys_node *n, int slot, int buffer)
{
	struct program *p = w->p->program;
	const struct node *x = n->node;
	struct plan_write write = {WRITES_RESULT, buffer, 0};
	const char *name = slot >= 0 ? p->slots.at[slot]->name : NULL;
	name = name ? name : n->name;
	if (name) {
		write.kind = WRITES_VALUE;
	} else if (x && x->forward && x->forward->name) {
		write.kind = WRITES_GRADIENT;
		name = x->forward->name;
	} else {
		name = operator_name(w, x);
	}
	write.site = program_site(p, x ? x->span : s->span, name);
	vec_push(w->p->arena, &s->writes, write);
}

void writer_note_written(struct writer *w, struct plan_step *s, const struct phys_node *n, int buffer)
{
	note_write(w, s, n, w->p->in_slot[n->id], buffer);
}

/* Equal kernels are one, also those of several roles and those whose results take the place of inputs here and not
 * there. */
struct known_kernel {
	struct kernel *kernel;
	const struct role *last; /* that uses it */
	struct known_kernel *next;
};

static struct known_kernel *known_kernel(struct planner *p, const struct kernel *k)
{
	uint64_t h = kernel_hash(k);
	struct known_kernel *first = map_get_u64(p->kernels, h);
	for (struct known_kernel *x = first; x; x = x->next)
		if (kernel_take_in(p->scratch, x->kernel, k))
			return x;
	struct known_kernel *fresh = ARENA_NEW(p->arena, struct known_kernel);
	struct kernel *kept = kernel_copy(p->arena, k);
	*fresh = (struct known_kernel){.kernel = kept, .next = first};
	map_set_u64(p->kernels, h, fresh);
	kept->id = p->program->kernels.n;
	vec_push(p->arena, &p->program->kernels, kept);
	return fresh;
}

/* The program's kernel that is k; most of them it has. */
static struct kernel *intern_kernel(struct planner *p, const struct kernel *k)
{
	struct known_kernel *x = known_kernel(p, k);
	if (x->last != p->role) {
		x->last = p->role;
		vec_push(p->arena, &p->role->kernels, x->kernel);
	}
	return x->kernel;
}

bool writer_may_take_over(const struct writer *w, int b)
{
	const struct buffer *x = &w->p->plan->buffers.at[b];
	return x->kind == BUFFER_ARENA && !x->is_shared;
}

/* An input of the kernel that nobody reads later and whose place the output may take: its parameter, or -1. */
static int dying_input(struct writer *w, const struct unit *u, int out, const bool *taken)
{
	const struct kernel *k = u->lowered->kernel;
	if (k->params.at[out].kind != KP_OUT || k->params.at[out].same >= 0)
		return -1;
	for (int i = 0, at = 0; i < k->params.n; i++) {
		if (k->params.at[i].kind == KP_SCALAR)
			continue;
		struct phys_node *n = u->lowered->buffers.at[at++];
		if (k->params.at[i].kind != KP_IN || taken[i] || n->kind == PHYS_SLOT || w->p->in_slot[n->id] >= 0)
			continue;
		if (!writer_may_take_over(w, writer_buffer(w, n)))
			continue;
		if (w->readers[writer_buffer(w, n)] == 1 && lowered_can_share(u->lowered, i, out))
			return i;
	}
	return -1;
}

/* Nothing where the value lies there already. */
void writer_copy_step(struct writer *w, const struct phys_node *n, int slot, int src, int dst)
{
	if (src == dst)
		return;
	struct plan_step *s = writer_add_step(w, STEP_COPY, n);
	s->src = src;
	s->dst = dst;
	note_write(w, s, n, slot, dst);
}

static void hand_step(struct writer *w, const struct unit *u, int tape)
{
	int dst = buffer_of_slot(w, u->slot, u->node);
	struct plan_step *s = writer_add_step(w, STEP_HAND, u->node);
	s->src = tape;
	s->dst = dst;
}

static void exchange_step(struct writer *w, const struct unit *u, int spare)
{
	int dst = buffer_of_slot(w, u->slot, u->node);
	struct plan_step *s = writer_add_step(w, STEP_EXCHANGE, u->node);
	s->src = spare;
	s->dst = dst;
}

static void kernel_step(struct writer *w, struct unit *u)
{
	struct planner *p = w->p;
	struct kernel *k = u->lowered->kernel;
	bool *taken = ARENA_ARRAY(p->scratch, bool, k->params.n);
	int *buffer = ARENA_ARRAY(p->scratch, int, k->params.n);
	for (int i = 0, at = 0; i < k->params.n; i++)
		if (k->params.at[i].kind != KP_SCALAR) {
			struct phys_node *n = u->lowered->buffers.at[at++];
			if (k->params.at[i].kind == KP_IN)
				buffer[i] = writer_buffer(w, n);
		}
	for (int i = 0, at = 0; i < k->params.n; i++) {
		if (k->params.at[i].kind == KP_SCALAR)
			continue;
		struct phys_node *n = u->lowered->buffers.at[at++];
		if (k->params.at[i].kind == KP_IN)
			continue;
		bool has_place = p->in_slot[n->id] >= 0 || p->in_spare[n->id] >= 0 || p->buffer[n->id] >= 0;
		int in = has_place ? -1 : dying_input(w, u, i, taken);
		if (in >= 0) {
			taken[in] = true;
			k->params.at[i].same = in;
		}
		buffer[i] = u->part > 1 ? writer_buffer(w, n) : writer_make_buffer(w, n, in >= 0 ? buffer[in] : -1);
	}
	int onto = u->onto ? writer_buffer(w, u->onto) : -1, result = u->onto ? writer_buffer(w, u->node) : -1;
	if (onto != result)
		writer_copy_step(w, u->node, p->in_slot[u->node->id], onto, result);
	struct plan_step *s = writer_add_step(w, STEP_KERNEL, u->node);
	int64_t *from = ARENA_ARRAY(p->scratch, int64_t, k->params.n);
	s->kernel = k = kernel_rebased(p->scratch, k, from);
	k->span = s->span;
	s->flops = k->flops;
	s->piece = u->part;
	s->pieces = u->parts;
	for (int i = 0, at = 0; i < k->params.n; i++) {
		if (k->params.at[i].kind == KP_SCALAR)
			continue;
		const struct phys_node *n = u->lowered->buffers.at[at++];
		vec_push(p->arena, &s->buffers, buffer[i]);
		vec_push(p->arena, &s->from, from[i]);
		if (k->params.at[i].kind != KP_IN && p->rows[n->id] != ROWS_ALONE && u->part == u->parts)
			writer_note_written(w, s, n, buffer[i]);
	}
	for (int i = 0; i < u->lowered->scalars.n; i++)
		vec_push(p->arena, &s->scalars, u->lowered->scalars.at[i]);
}

/* The slot keeps its value through the region. */
static bool slot_stays(const struct planner *p, int slot)
{
	for (int i = 0; i < p->graph->outputs.n; i++)
		if (p->graph->outputs.at[i].kind == OUTPUT_SLOT && p->graph->outputs.at[i].index == slot)
			return false;
	return true;
}

static void check_step(struct writer *w, struct unit *u)
{
	struct planner *p = w->p;
	const struct node *n = u->node->node;
	struct phys_node *in = planner_root(u->node->in[0]);
	struct batch_rows rows = node_batch_rows(n);
	struct phys_loop *loop = u->node->loop;
	while (loop && rows.loop && loop->loop != rows.loop)
		loop = loop->outer;
	int src = writer_buffer(w, in);
	bool dies =
		in->kind != PHYS_SLOT && p->in_slot[in->id] < 0 && w->readers[src] == 1 && writer_may_take_over(w, src);
	/* What is only looked at may stay where it is. */
	bool stays = in->kind == PHYS_SLOT && n->check.asked != ASKED_WITHIN && slot_stays(p, in->slot);
	int dst = writer_make_buffer(w, u->node, dies || stays ? src : -1);
	struct plan_step *s = writer_add_step(w, STEP_CHECK, u->node);
	s->check = ARENA_NEW(p->arena, struct plan_check);
	*s->check = (struct plan_check){.type = u->node->type,
					.site = program_site(p->program, n->check.where, n->check.range),
					.extent = n->check.extent,
					.asked = n->check.asked,
					.is_proved = n->check.is_proved,
					.rows = rows,
					.loop = rows.loop && loop ? planner_loop(p, loop)->number : -1};
	s->src = src;
	s->dst = dst;
}

static void transfer_step(struct writer *w, struct unit *u)
{
	struct phys_node *n = u->node;
	int src = n->nin ? writer_buffer(w, n->in[0]) : -1, dst = -1;
	if (n->kind == PHYS_TRANSFER)
		dst = u->kind == UNIT_BEGIN ? writer_make_buffer(w, n, -1) : writer_buffer(w, n);
	struct plan_step *s = writer_add_step(w, u->kind == UNIT_BEGIN ? STEP_TRANSFER_BEGIN : STEP_TRANSFER_END, n);
	int bucket = w->p->program->transfers.at[n->transfer].bucket;
	s->transfer = n->transfer;
	s->carrier = bucket < 0 ? n->transfer : bucket;
	s->src = src;
	s->dst = dst;
	if (n->nin > 1 && u->kind == UNIT_BEGIN)
		vec_push(w->p->arena, &s->buffers, writer_buffer(w, n->in[1]));
	bool has_hole = w->p->halo[n->id] && w->p->halo[n->id]->has_hole;
	if (u->kind == UNIT_END && dst >= 0 && !has_hole)
		writer_note_written(w, s, n, dst);
}

static void read_step(struct writer *w, struct unit *u)
{
	int dst = writer_make_buffer(w, u->node, -1);
	struct plan_step *s = writer_add_step(w, STEP_BATCH_READ, u->node);
	s->argument = u->node->argument;
	s->field = u->node->field;
	s->type = u->node->type;
	s->dst = dst;
}

struct plan_scalar writer_scalar(struct writer *w, struct phys_node *n)
{
	n = planner_root(n);
	struct plan_scalar v = {.kind = OPERAND_CONST, .type = n->dtype, .number = n->number};
	if (n->kind == PHYS_HOST) {
		v.kind = OPERAND_ARGUMENT;
		v.argument = n->argument;
	} else if (n->kind != PHYS_CONST) {
		v.kind = OPERAND_ELEMENT;
		v.argument = writer_buffer(w, n);
	}
	return v;
}

static void result_step(struct writer *w, struct unit *u)
{
	struct plan_scalar v = writer_scalar(w, u->node);
	struct plan_step *s = writer_add_step(w, STEP_RESULT, u->node);
	s->result = u->result;
	vec_push(w->p->arena, &s->scalars, v);
}

static void write_unit(struct writer *w, struct unit *u)
{
	switch (u->kind) {
	case UNIT_KERNEL:
		kernel_step(w, u);
		break;
	case UNIT_PRODUCT:
		writer_product_step(w, u);
		break;
	case UNIT_SORTED:
		writer_sorted_step(w, u);
		break;
	case UNIT_FOURIER:
		writer_fourier_step(w, u);
		break;
	case UNIT_CHECK:
		check_step(w, u);
		break;
	case UNIT_FACTORS:
		writer_factors_step(w, u);
		break;
	case UNIT_BEGIN:
	case UNIT_END:
		transfer_step(w, u);
		break;
	case UNIT_READ:
		read_step(w, u);
		break;
	case UNIT_COPY: {
		int src = writer_buffer(w, u->node);
		if (u->exchanges)
			exchange_step(w, u, src);
		else if (w->p->plan->buffers.at[src].kind == BUFFER_TAPE)
			hand_step(w, u, src);
		else
			writer_copy_step(w, u->node, u->slot, src,
					 u->slot >= 0 ? buffer_of_slot(w, u->slot, u->node)
						      : writer_make_buffer(w, u->writes.at[0], -1));
		break;
	}
	case UNIT_RESULT:
		result_step(w, u);
		break;
	case UNIT_LOOP_BEGIN:
		writer_loop_begin(w, u);
		break;
	case UNIT_LOOP_TEST:
		writer_loop_test(w, u);
		break;
	case UNIT_LOOP_END:
		writer_loop_end(w, u);
		break;
	}
	for (int i = 0; i < u->reads.n; i++) {
		const struct phys_node *n = u->reads.at[i];
		if (n->kind != PHYS_SLOT && w->p->in_slot[n->id] < 0)
			w->readers[writer_buffer(w, u->reads.at[i])]--;
	}
}

/* ---- passes over micro-batches, told for traces ---- */

static void find_passes(struct writer *w)
{
	const struct region *r = w->p->region;
	for (int i = 0; i < r->pipelines.n; i++)
		for (int k = 0; k < r->pipelines.at[i]->units.n; k++) {
			const struct pipeline_unit *u = &r->pipelines.at[i]->units.at[k];
			while (w->pass.n <= u->segment)
				vec_push(w->p->scratch, &w->pass, NULL);
			if (!w->pass.at[u->segment] || u->micro < w->pass.at[u->segment]->micro)
				w->pass.at[u->segment] = u;
		}
}

/* The loop that begins or ends there has passes in its turns, none around them. */
static bool is_around_passes(const struct unit *u)
{
	return (u->kind == UNIT_LOOP_BEGIN || u->kind == UNIT_LOOP_END) && u->of->phys->loop->stages;
}

/* Of periods of a pipeline; -1: of none. */
static int periods_of(const struct unit *u)
{
	const struct planned_loop *l = u->loop;
	while (l && !l->phys->loop->stages)
		l = l->outer;
	return l ? l->number : -1;
}

/* A step where the unit, which computes, belongs to another pass than the one before. */
static void mark_pass(struct writer *w, const struct unit *u)
{
	bool around = is_around_passes(u);
	const struct pipeline_unit *pass = u->segment < w->pass.n && !around ? w->pass.at[u->segment] : NULL;
	if (u->kind == UNIT_BEGIN || u->kind == UNIT_END || pass == w->now)
		return;
	struct plan_step *s = writer_add_step(w, STEP_PASS_BEGIN, NULL);
	s->micro = pass ? pass->micro : -1;
	s->pass = pass ? pass->kind : PASS_FORWARD;
	s->loop = pass ? periods_of(u) : -1;
	w->now = pass;
}

void planner_write_steps(struct planner *p)
{
	struct writer w = {.p = p};
	/* A value has one, what is carried or stacked two more at the most. */
	w.nbuffers = (p->loops.n ? 3 : 1) * p->graph->nodes.n + 2 * p->program->slots.n + p->units.n;
	w.readers = ARENA_ARRAY(p->scratch, int, w.nbuffers);
	w.slot_buffer = ARENA_ARRAY(p->scratch, int, p->program->slots.n);
	for (int i = 0; i < p->program->slots.n; i++)
		w.slot_buffer[i] = -1;
	/* A unit is a step, some products have a copy before them, a pass has one more. */
	p->plan->steps.cap = p->order.n + p->products.n;
	p->plan->steps.at = arena_alloc(p->arena, sizeof *p->plan->steps.at * (size_t)p->plan->steps.cap);
	find_passes(&w);
	for (int i = 0; i < p->order.n; i++) {
		mark_pass(&w, p->order.at[i]);
		write_unit(&w, p->order.at[i]);
	}
	if (p->fuse)
		planner_cut_strips(p);
	for (int i = 0; i < p->plan->steps.n; i++) {
		struct plan_step *s = &p->plan->steps.at[i];
		if (s->kind == STEP_KERNEL)
			s->kernel = intern_kernel(p, s->kernel);
	}
	plan_measure_lives(p->plan);
	plan_place_buffers(p->scratch, p->plan);
}
