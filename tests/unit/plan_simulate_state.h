/* plan_simulate_state.h — simulated ranks (plan_simulate.h): what each has, logical values and their shards, where
 * buffers are, kernels interpreted. */
#ifndef PML_PLAN_SIMULATE_STATE_H
#define PML_PLAN_SIMULATE_STATE_H

#include "compiler/compiler.h"
#include "compiler/kernel/build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIM_MAX_RANKS = 16 };

struct sim_rank {
	int32_t rank;
	const struct role *role;
	unsigned char *memory; /* arena */
	void **slots, **spares;
	const struct plan *plan;
	void **cell;             /* by buffer of the plan: where a batch is, or one that moves */
	int64_t *lines, *before; /* by buffer: of a tape, lines it has, and had when its loop began */
	int pc;
	struct sim_loop {
		int64_t turn, turns;
	} * loop;                /* by loop of the plan */
	int *begun, *ended;      /* by transfer: how often */
	VEC(const void *) * src; /* by transfer, each time */
	void **dst;              /* by transfer */
	union scalar_value results[16];
};

struct sim {
	struct program *program;
	struct arena *arena;
	struct tensor_value *arguments; /* as graph_interpret's */
	int nranks;
	struct sim_rank rank[SIM_MAX_RANKS];
	const char *error;
	/* NULL: kernel_interpret. */
	void (*run_kernel)(struct sim *s, const struct kernel *k, void *const *buffers,
			   const union scalar_value *scalars);
};

static inline int64_t sim_bytes(int64_t elements, enum dtype t)
{
	return elements * dtype_size(t) + 64;
}

static inline struct shape sim_local(const struct placed_type *t, int32_t rank, int64_t *begin)
{
	int64_t end[MAX_RANK];
	struct shape s = t->shape;
	layout_box(t->place, &t->layout, &t->shape, place_position(t->place, rank), begin, end);
	for (int d = 0; d < s.rank; d++)
		s.dim[d] = end[d] - begin[d];
	return s;
}

/* Offset in the logical tensor of element i of a local box. */
static inline int64_t sim_offset(const struct shape *whole, const struct shape *local, const int64_t *begin, int64_t i)
{
	int64_t at[MAX_RANK], offset = 0;
	for (int d = local->rank - 1; d >= 0; d--) {
		at[d] = begin[d] + i % local->dim[d];
		i /= local->dim[d];
	}
	for (int d = 0; d < whole->rank; d++)
		offset = offset * whole->dim[d] + at[d];
	return offset;
}

/* The logical value of shards; data(ctx, rank) gives a rank's shard. *bad is set if holders of a B disagree. */
static inline union scalar_value *sim_gather(struct sim *s, const struct placed_type *t, void *const *shard, bool *bad)
{
	int64_t n = shape_volume(&t->shape);
	union scalar_value *out = ARENA_ARRAY(s->arena, union scalar_value, n + 1);
	bool *seen = ARENA_ARRAY(s->arena, bool, n + 1);
	enum combiner c = COMBINE_SUM;
	bool partial = false;
	for (int a = 0; a < t->place->naxes; a++)
		if (t->layout.atom[a].kind == SHARD_P) {
			static const enum combiner of[] = {COMBINE_SUM, COMBINE_MAX, COMBINE_MIN, COMBINE_PROD};
			c = of[t->layout.atom[a].combiner];
			partial = true;
		}
	for (int64_t p = 0; p < t->place->count; p++) {
		int64_t coordinate[MAX_AXES], begin[MAX_RANK];
		bool first = true;
		place_coordinates(t->place, p, coordinate);
		for (int a = 0; a < t->place->naxes; a++)
			first = first && (t->layout.atom[a].kind != SHARD_B || coordinate[a] == 0);
		int32_t rank = place_rank(t->place, p);
		struct shape local = sim_local(t, rank, begin);
		for (int64_t i = 0; i < shape_volume(&local); i++) {
			int64_t o = sim_offset(&t->shape, &local, begin, i);
			union scalar_value v = kernel_load_element(shard[rank], t->dtype, i);
			if (!first && !partial && seen[o] && memcmp(&v, &out[o], sizeof v))
				*bad = true;
			if (!first)
				continue;
			out[o] = seen[o] ? combiner_apply(c, t->dtype, out[o], v) : v;
			if (dtype_is_float(t->dtype))
				out[o] = scalar_convert(out[o], DT_F64, t->dtype);
			seen[o] = true;
		}
	}
	return out;
}

static inline void sim_scatter(const struct placed_type *t, int32_t rank, const union scalar_value *value, void *to)
{
	int64_t begin[MAX_RANK], coordinate[MAX_AXES];
	struct shape local = sim_local(t, rank, begin);
	place_coordinates(t->place, place_position(t->place, rank), coordinate);
	enum combiner c = COMBINE_SUM;
	bool keep = true;
	for (int a = 0; a < t->place->naxes; a++)
		if (t->layout.atom[a].kind == SHARD_P) {
			static const enum combiner of[] = {COMBINE_SUM, COMBINE_MAX, COMBINE_MIN, COMBINE_PROD};
			c = of[t->layout.atom[a].combiner];
			keep = keep && coordinate[a] == 0;
		}
	for (int64_t i = 0; i < shape_volume(&local); i++) {
		union scalar_value v = value[sim_offset(&t->shape, &local, begin, i)];
		kernel_store_element(to, t->dtype, i, keep ? v : combiner_neutral(c, t->dtype));
	}
}

static inline void *sim_buffer(struct sim_rank *r, int b)
{
	const struct buffer *x = &r->plan->buffers.at[b];
	if (x->kind == BUFFER_BATCH || x->kind == BUFFER_MOVING || x->kind == BUFFER_TAPE)
		return r->cell[b];
	if (x->kind == BUFFER_SPARE)
		return r->spares[x->slot];
	return x->kind == BUFFER_SLOT ? r->slots[x->slot] : (void *)(r->memory + x->offset);
}

static inline void sim_exchange(struct sim_rank *r, int slot)
{
	void *held = r->slots[slot];
	r->slots[slot] = r->spares[slot];
	r->spares[slot] = held;
}

/* The elements of the destination that are in no hole; the gap has no memory. */
static inline void sim_fill(const struct transfer_hole *h, const struct shape *box, enum dtype t, const void *from,
			    void *to)
{
	int64_t size = dtype_size(t), filled = 0;
	for (int64_t i = 0; i < shape_volume(box); i++) {
		bool inside = h->end[0] > h->begin[0];
		int64_t rest = i;
		for (int d = box->rank - 1; d >= 0; d--) {
			int64_t at = rest % box->dim[d];
			rest /= box->dim[d];
			inside = inside && at >= h->begin[d] && at < h->end[d];
		}
		if (!inside)
			memcpy((char *)to + (h->gap ? filled++ : i) * size, (const char *)from + i * size,
			       (size_t)size);
	}
}

static inline union scalar_value sim_scalar(struct sim *s, struct sim_rank *r, const struct plan_scalar *x)
{
	union scalar_value v = x->number;
	int64_t begin[MAX_RANK];
	switch (x->kind) {
	case OPERAND_CONST:
		return v;
	case OPERAND_ARGUMENT:
		return s->arguments[x->argument].at[0];
	case OPERAND_ORIGIN:
		sim_local(&s->program->types.at[x->origin.type], r->rank, begin);
		v.i = begin[x->origin.dim];
		return v;
	case OPERAND_ELEMENT:
		return kernel_load_element(sim_buffer(r, x->argument), x->type, 0);
	}
	return v;
}

static inline void sim_kernel(struct sim *s, struct sim_rank *r, const struct plan_step *step)
{
	void *buffers[128] = {NULL};
	union scalar_value scalars[64];
	for (int i = 0; i < step->buffers.n; i++)
		buffers[i] = (char *)sim_buffer(r, step->buffers.at[i]) +
			     plan_step_from(step, i) * dtype_size(r->plan->buffers.at[step->buffers.at[i]].type);
	for (int i = 0; i < step->scalars.n; i++)
		scalars[i] = sim_scalar(s, r, &step->scalars.at[i]);
	if (s->run_kernel)
		s->run_kernel(s, step->kernel, buffers, scalars);
	else
		kernel_interpret(step->kernel, buffers, scalars);
}

#endif
