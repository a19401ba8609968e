/* plan_simulate.h — runs the plans of all roles on simulated ranks in one process, for tests: kernels are interpreted,
 * products computed by loops, transfers carried out on logical tensors. A rank stops at a transfer until all its
 * participants have begun it; if all are stopped the plans deadlock. */
#ifndef PML_PLAN_SIMULATE_H
#define PML_PLAN_SIMULATE_H

#include "plan_simulate_library.h"

/* As the runtime does: at a multiple of 64. */
static inline void *sim_aligned(struct arena *a, int64_t bytes)
{
	uintptr_t at = (uintptr_t)arena_alloc(a, (size_t)bytes + 128);
	return (void *)((at + 63) / 64 * 64);
}

/* True if everybody in the transfer has begun it; its destinations on this rank are then filled. */
static inline bool sim_deliver(struct sim *s, struct sim_rank *r, int id)
{
	const struct transfer *t = &s->program->transfers.at[id];
	const struct placed_type *src = &s->program->types.at[t->src], *dst = &s->program->types.at[t->dst];
	void *shard[SIM_MAX_RANKS] = {NULL};
	int time = r->ended[id];
	for (int i = 0; i < s->nranks; i++) {
		bool member = place_position(src->place, i) >= 0 || place_position(dst->place, i) >= 0;
		if (member && s->rank[i].begun[id] <= time)
			return false;
		if (member)
			memcpy(&shard[i], &s->rank[i].src[id].at[time], sizeof shard[i]);
	}
	if (r->dst[id]) {
		bool bad = false;
		int64_t begin[MAX_RANK];
		struct shape box = sim_local(dst, r->rank, begin);
		void *all = sim_aligned(s->arena, sim_bytes(shape_volume(&box), dst->dtype));
		sim_scatter(dst, r->rank, sim_gather(s, src, shard, &bad), all);
		sim_fill(&r->role->holes[id], &box, dst->dtype, all, r->dst[id]);
		if (bad)
			s->error = "the holders of a source disagree";
	}
	r->ended[id]++;
	return true;
}

/* What a source holds when the transfer begins: others may fetch it after this rank has gone on. */
static inline void *sim_snapshot(struct sim *s, struct sim_rank *r, int b)
{
	const struct buffer *x = &r->plan->buffers.at[b];
	size_t n = (size_t)(x->elements * dtype_size(x->type));
	void *copy = arena_alloc(s->arena, n + 1);
	memcpy(copy, sim_buffer(r, b), n);
	return copy;
}

static inline void sim_check(struct sim_rank *r, const struct plan_step *step)
{
	const struct buffer *b = &r->plan->buffers.at[step->src];
	for (int64_t i = 0; i < b->elements; i++) {
		union scalar_value v = kernel_load_element(sim_buffer(r, step->src), b->type, i);
		v.i += step->check->asked == ASKED_WITHIN && v.i < 0 ? step->check->extent : 0;
		kernel_store_element(sim_buffer(r, step->dst), b->type, i, v);
	}
}

static inline void *sim_batch(struct sim *s, const struct sim_rank *r, int b)
{
	const struct buffer *x = &r->plan->buffers.at[b];
	return sim_aligned(s->arena, sim_bytes(x->elements, x->type));
}

/* ---- loops, as struct plan_loop says ---- */

enum { SIM_TAPE = 1 << 20 };

static inline void sim_moves(struct sim *s, struct sim_rank *r, const struct plan_loop *l, const struct sim_loop *now,
			     bool late)
{
	for (int i = 0; i < l->moves.n; i++) {
		const struct plan_move *m = &l->moves.at[i];
		const struct buffer *b = &r->plan->buffers.at[m->buffer];
		int64_t line = m->first + m->step * now->turn + (m->back ? now->turns : 0);
		if (m->late != late)
			continue;
		if (line < 0 || (m->lines && line >= m->lines))
			s->error = "a line that there is not";
		else if (m->of.n > 1)
			r->cell[m->buffer] = sim_buffer(r, m->of.at[line]);
		else
			r->cell[m->buffer] = (char *)sim_buffer(r, m->of.at[0]) +
					     (r->before[m->of.at[0]] + line) * b->elements * dtype_size(b->type);
	}
}

/* A turn is made: its tapes have a line of it. */
static inline void sim_extend_tapes(struct sim_rank *r, const struct plan_loop *l, const struct sim_loop *now)
{
	for (int i = 0; i < l->tapes.n; i++) {
		int b = l->tapes.at[i];
		r->lines[b] = r->before[b] + (now->turns > now->turn ? now->turns : now->turn + 1);
	}
}

static inline void sim_begin_turn(struct sim *s, struct sim_rank *r, const struct plan_loop *l,
				  const struct sim_loop *now)
{
	if (l->turn >= 0)
		*(int64_t *)sim_buffer(r, l->turn) = now->turn;
	if (!l->asks)
		sim_extend_tapes(r, l, now);
	sim_moves(s, r, l, now, false);
}

static inline void sim_loop_begin(struct sim_rank *r, struct sim *s, const struct plan_loop *l)
{
	for (int i = 0; i < l->tapes.n; i++)
		if (!r->cell[l->tapes.at[i]])
			r->cell[l->tapes.at[i]] = sim_aligned(s->arena, SIM_TAPE);
	for (int i = 0; i < l->rewinds.n; i++)
		r->lines[l->rewinds.at[i]] = 0;
	for (int i = 0; i < l->tapes.n; i++)
		r->before[l->tapes.at[i]] = r->lines[l->tapes.at[i]];
	for (int i = 0; i < l->starts.n; i++)
		r->cell[l->starts.at[i].buffer] = sim_buffer(r, l->starts.at[i].at);
	for (int i = 0; i < l->cleared.n; i++) {
		const struct buffer *b = &r->plan->buffers.at[l->cleared.at[i]];
		memset(sim_buffer(r, l->cleared.at[i]), 0, (size_t)(b->elements * dtype_size(b->type)));
	}
}

static inline void sim_next(struct sim *s, struct sim_rank *r, const struct plan_loop *l)
{
	void **next = ARENA_ARRAY(s->arena, void *, l->nexts.n);
	for (int i = 0; i < l->nexts.n; i++)
		next[i] = sim_buffer(r, l->nexts.at[i].at);
	for (int i = 0; i < l->nexts.n; i++)
		r->cell[l->nexts.at[i].buffer] = next[i];
}

/* The next step. */
static inline int sim_loop_step(struct sim *s, struct sim_rank *r, const struct plan_step *step)
{
	const struct plan_loop *l = &r->plan->loops.at[step->loop];
	struct sim_loop *now = &r->loop[step->loop];
	if (step->kind == STEP_LOOP_BEGIN) {
		now->turn = 0;
		now->turns = sim_scalar(s, r, &step->scalars.at[0]).i;
		sim_loop_begin(r, s, l);
	} else if (step->kind == STEP_LOOP_TEST) {
		if (sim_scalar(s, r, &step->scalars.at[0]).i) {
			sim_extend_tapes(r, l, now);
			sim_moves(s, r, l, now, true);
		}
		return sim_scalar(s, r, &step->scalars.at[0]).i ? r->pc + 1 : l->end + 1;
	} else {
		sim_next(s, r, l);
		now->turn++;
	}
	if (!l->asks && now->turn >= now->turns)
		return l->end + 1;
	sim_begin_turn(s, r, l, now);
	return l->begin + 1;
}

static inline bool sim_step(struct sim *s, struct sim_rank *r)
{
	const struct plan_step *step = &r->plan->steps.at[r->pc];
	const struct placed_type *type;
	switch (step->kind) {
	case STEP_KERNEL:
		sim_kernel(s, r, step);
		break;
	case STEP_GEMM:
		sim_gemm(s, r, step->gemm);
		break;
	case STEP_FOURIER:
		sim_lines(s, r, step, 0, 0, 0);
		break;
	case STEP_SORTED:
		sim_sorted(r, step);
		break;
	case STEP_FACTORS:
		sim_matrices(s, r, step);
		break;
	case STEP_CHECK:
		sim_check(r, step);
		break;
	case STEP_TRANSFER_BEGIN:
		while (r->src[step->transfer].n <= r->begun[step->transfer])
			vec_push(s->arena, &r->src[step->transfer], NULL);
		r->src[step->transfer].at[r->begun[step->transfer]++] =
			step->src >= 0 ? sim_snapshot(s, r, step->src) : NULL;
		r->dst[step->transfer] = step->dst >= 0 ? sim_buffer(r, step->dst) : NULL;
		break;
	case STEP_TRANSFER_END:
		if (!sim_deliver(s, r, step->transfer))
			return false;
		break;
	case STEP_BATCH_READ:
		r->cell[step->dst] = sim_batch(s, r, step->dst);
		type = &s->program->types.at[step->type];
		sim_scatter(type, r->rank, s->arguments[step->argument].field[step->field].at,
			    sim_buffer(r, step->dst));
		break;
	case STEP_COPY:
		memcpy(sim_buffer(r, step->dst), sim_buffer(r, step->src),
		       (size_t)(r->plan->buffers.at[step->src].elements *
				dtype_size(r->plan->buffers.at[step->src].type)));
		break;
	case STEP_EXCHANGE:
		sim_exchange(r, r->plan->buffers.at[step->dst].slot);
		break;
	case STEP_HAND:
		r->slots[r->plan->buffers.at[step->dst].slot] = sim_buffer(r, step->src);
		break;
	case STEP_PASS_BEGIN:
		break;
	case STEP_RESULT:
		r->results[step->result] = sim_scalar(s, r, &step->scalars.at[0]);
		break;
	case STEP_LOOP_BEGIN:
	case STEP_LOOP_TEST:
	case STEP_LOOP_END:
		r->pc = sim_loop_step(s, r, step);
		return true;
	}
	r->pc++;
	return true;
}

static inline void sim_init(struct sim *s, struct program *p, struct arena *a)
{
	*s = (struct sim){.program = p, .arena = a, .nranks = (int)p->nranks};
	for (int i = 0; i < p->roles.n; i++)
		for (int k = 0; k < p->roles.at[i]->ranks.n; k++) {
			struct sim_rank *r = &s->rank[p->roles.at[i]->ranks.at[k]];
			r->rank = p->roles.at[i]->ranks.at[k];
			r->role = p->roles.at[i];
			r->memory = sim_aligned(a, r->role->arena_bytes);
			memset(r->memory, 0xa5, (size_t)r->role->arena_bytes);
			r->slots = ARENA_ARRAY(a, void *, p->slots.n);
			r->spares = ARENA_ARRAY(a, void *, p->slots.n);
			for (int j = 0; j < p->slots.n; j++)
				r->spares[j] = r->memory + (r->role->spare[j] ? r->role->spare[j] - 1 : 0);
			r->begun = ARENA_ARRAY(a, int, p->transfers.n);
			r->ended = ARENA_ARRAY(a, int, p->transfers.n);
			r->src = arena_alloc(a, sizeof *r->src * (size_t)(p->transfers.n + 1));
			r->dst = ARENA_ARRAY(a, void *, p->transfers.n);
		}
	for (int i = 0; i < s->nranks; i++)
		for (int k = 0; k < p->slots.n; k++) {
			const struct placed_type *t = &p->types.at[p->slots.at[k]->type];
			int64_t begin[MAX_RANK];
			if (place_position(t->place, i) < 0)
				continue;
			struct shape local = sim_local(t, i, begin);
			s->rank[i].slots[k] = sim_aligned(a, sim_bytes(shape_volume(&local), t->dtype));
			memset(s->rank[i].slots[k], 0xa5, (size_t)sim_bytes(shape_volume(&local), t->dtype));
		}
}

static inline void sim_set_slot(struct sim *s, int slot, const union scalar_value *value)
{
	const struct placed_type *t = &s->program->types.at[s->program->slots.at[slot]->type];
	for (int i = 0; i < s->nranks; i++)
		if (s->rank[i].slots[slot])
			sim_scatter(t, i, value, s->rank[i].slots[slot]);
}

static inline union scalar_value *sim_get_slot(struct sim *s, int slot)
{
	const struct placed_type *t = &s->program->types.at[s->program->slots.at[slot]->type];
	void *shard[SIM_MAX_RANKS] = {NULL};
	bool bad = false;
	for (int i = 0; i < s->nranks; i++)
		shard[i] = s->rank[i].slots[slot];
	union scalar_value *v = sim_gather(s, t, shard, &bad);
	if (bad)
		s->error = "the holders of a slot disagree";
	return v;
}

/* Runs a region on all ranks; false and an error if they wait for each other. */
static inline bool sim_region(struct sim *s, int region)
{
	for (int i = 0; i < s->nranks; i++) {
		struct sim_rank *r = &s->rank[i];
		r->plan = r->role->plans[region];
		r->cell = ARENA_ARRAY(s->arena, void *, r->plan ? r->plan->buffers.n + 1 : 1);
		r->lines = ARENA_ARRAY(s->arena, int64_t, r->plan ? r->plan->buffers.n + 1 : 1);
		r->before = ARENA_ARRAY(s->arena, int64_t, r->plan ? r->plan->buffers.n + 1 : 1);
		r->loop = ARENA_ARRAY(s->arena, struct sim_loop, r->plan ? r->plan->loops.n : 0);
		r->pc = 0;
		for (int t = 0; t < s->program->transfers.n; t++)
			r->begun[t] = r->ended[t] = 0;
	}
	for (bool moved = true, left = true; left;) {
		left = moved = false;
		for (int i = 0; i < s->nranks; i++) {
			struct sim_rank *r = &s->rank[(i * 7 + 3) % s->nranks];
			if (s->nranks % 7 == 0)
				r = &s->rank[i];
			while (r->plan && r->pc < r->plan->steps.n && sim_step(s, r))
				moved = true;
			left = left || (r->plan && r->pc < r->plan->steps.n);
		}
		if (left && !moved) {
			s->error = "the ranks wait for each other";
			return false;
		}
	}
	return !s->error;
}

#endif
