/* work.c — see work.h. A walk over the loops with the number of turns around each instruction. */
#include "work.h"

#include "../kernel/across.h"

#include <math.h>

struct counter {
	const struct kernel *k;
	struct kernel_work work;
	int vector_bytes;
	const struct kernel_nest *nest; /* that is read tile by tile, or NULL */
	double *touched;                /* by parameter: loads and stores */
	bool *varies;                   /* by register: from lane to lane */
	bool *is_const;                 /* by register */
};

/* Where an instruction stands. */
struct around {
	double turns;   /* of the loops that are no vector loops */
	int vector;     /* the vector loop, -1: none */
	int64_t extent; /* of it */
};

static const enum machine_operation operation_of[] = {
	[EFFORT_ARITHMETIC] = OPERATION_ARITHMETIC,
	[EFFORT_DIVISION] = OPERATION_DIVISION,
	[EFFORT_FUNCTION] = OPERATION_FUNCTION,
	[EFFORT_RANDOM] = OPERATION_RANDOM,
};

enum machine_operation work_operation(enum scalar_fn fn)
{
	return operation_of[scalar_effort(fn)];
}

/* 16-bit floats are computed in f32. */
static int size_of(enum dtype t)
{
	return dtype_is_float(t) && dtype_size(t) < 4 ? 4 : dtype_size(t);
}

static int64_t lanes_of(const struct counter *c, enum dtype t)
{
	int64_t lanes = c->vector_bytes / size_of(t);
	return lanes > 0 ? lanes : 1;
}

/* So many operations at each point around the instruction. */
static void count(struct counter *c, const struct around *a, enum machine_operation o, enum dtype t, bool varies,
		  double times)
{
	if (a->vector < 0) {
		c->work.single[o] += a->turns * times;
		return;
	}
	int64_t lanes = lanes_of(c, t);
	double vectors = (double)((a->extent + lanes - 1) / lanes);
	c->work.vector[o] += a->turns * vectors * (varies ? (double)lanes : 1) * size_of(t) / 4 * times;
}

/* What is the same in all lanes is computed once for them; an integer is divided by a constant without a division. */
static void count_apply(struct counter *c, const struct around *a, const struct kernel_instr *i)
{
	const int argument[] = {i->a, i->b, i->c};
	enum machine_operation o = work_operation(i->fn);
	for (int k = 0; k < 3; k++)
		c->varies[i->reg] |= argument[k] >= 0 && c->varies[argument[k]];
	if (o == OPERATION_DIVISION && !dtype_is_float(i->type) && i->b >= 0 && c->is_const[i->b])
		o = OPERATION_ARITHMETIC;
	count(c, a, o, i->type, c->varies[i->reg], 1);
}

/* A load or store: one for all lanes, of neighbours, or of lanes that are no neighbours: across the nest (into the tile
 * and out of it again, and as many shuffles as it takes to transpose one), a few elements apart (a row of neighbours
 * for each, joined two by two), or scattered. */
static void count_access(struct counter *c, const struct around *a, const struct kernel_instr *i)
{
	enum dtype t = c->k->params.at[i->param].type;
	int64_t coef = a->vector < 0 ? 0 : affine_coef(&i->at, a->vector);
	bool named = i->at.reg >= 0 && c->varies[i->at.reg];
	bool varies = a->vector >= 0 && (coef || named);
	enum machine_operation o = OPERATION_ARITHMETIC;
	double times = 1;
	if (a->vector >= 0 && c->nest && kernel_nest_load(c->nest, i) >= 0)
		times = 3 + log2((double)lanes_of(c, t));
	else if (a->vector >= 0 && kernel_is_apart(coef) && i->at.reg < 0)
		times = (double)(3 * coef - 2);
	else if (a->vector >= 0 && (coef ? coef != 1 && coef != -1 : named))
		o = OPERATION_GATHER;
	if (i->kind == K_LOAD)
		c->varies[i->reg] = varies || (i->guard >= 0 && c->varies[i->guard]);
	count(c, a, o, t, varies || i->kind == K_STORE, times);
	c->touched[i->param] += a->turns * (a->vector >= 0 && (coef || i->at.reg >= 0) ? (double)a->extent : 1);
}

static void walk(struct counter *c, const struct kernel_instr *first, const struct around *a);

static void walk_loop(struct counter *c, const struct kernel_instr *i, const struct around *a)
{
	struct around in = {a->turns, a->vector, a->extent};
	struct kernel_nest nest;
	if (i->vector) {
		c->work.loops += a->turns;
		in.vector = i->loop;
		in.extent = i->extent;
		walk(c, i->body, &in);
		for (int k = 0; k < i->naccs; k++)
			c->varies[i->acc[k].reg] = false;
	} else {
		in.turns *= (double)i->extent;
		c->nest = kernel_is_nest(i, &nest) ? &nest : NULL;
		walk(c, i->body, &in);
		c->nest = NULL;
	}
}

static void walk(struct counter *c, const struct kernel_instr *first, const struct around *a)
{
	for (const struct kernel_instr *i = first; i; i = i->next)
		switch (i->kind) {
		case K_CONST:
			c->is_const[i->reg] = true;
			break;
		case K_LOOPVAR:
			c->varies[i->reg] = a->vector >= 0 && affine_coef(&i->at, a->vector) != 0;
			break;
		case K_APPLY:
			count_apply(c, a, i);
			break;
		case K_LOAD:
		case K_STORE:
			count_access(c, a, i);
			break;
		case K_REDUCE:
			c->varies[i->reg] |= a->vector >= 0 && c->varies[i->a];
			count(c, a, OPERATION_ARITHMETIC, i->type, c->varies[i->reg], 1);
			break;
		case K_PREFIX: {
			double elements = a->turns * (double)(a->vector >= 0 ? a->extent : 1);
			c->varies[i->reg] = a->vector >= 0;
			c->work.vector[OPERATION_PREFIX] += elements * size_of(i->type) / 4;
			break;
		}
		case K_LOOP:
			walk_loop(c, i, a);
			break;
		}
}

/* Each element once; of scalars nothing. */
static struct param_bytes bytes_of(const struct kernel_param *p, double touched)
{
	double size = (double)p->size * (double)dtype_size(p->type), bytes = touched * (double)dtype_size(p->type);
	double once = bytes < size ? bytes : size, both = bytes < 2 * size ? bytes : 2 * size;
	if (p->kind == KP_SCALAR)
		return (struct param_bytes){0, 0};
	return (struct param_bytes){once, p->kind == KP_INOUT ? both : p->kind == KP_OUT ? 2 * once : once};
}

struct kernel_work kernel_work(const struct kernel *k, int vector_bytes, struct param_bytes *bytes)
{
	struct arena *scratch = arena_new("work");
	struct counter c = {.k = k, .vector_bytes = vector_bytes};
	c.touched = ARENA_ARRAY(scratch, double, k->params.n);
	c.varies = ARENA_ARRAY(scratch, bool, k->nregs);
	c.is_const = ARENA_ARRAY(scratch, bool, k->nregs);
	struct around outside = {1, -1, 1};
	walk(&c, k->body, &outside);
	for (int i = 0; i < k->params.n; i++) {
		struct param_bytes b = bytes_of(&k->params.at[i], c.touched[i]);
		c.work.bytes += k->params.at[i].kind == KP_OUT ? b.touched : b.moved;
		if (bytes)
			bytes[i] = b;
	}
	arena_free(scratch);
	return c.work;
}

/* ---- steps ---- */

struct works works_of(struct arena *a, const struct program *p, int vector_bytes)
{
	return (struct works){.arena = a,
			      .program = p,
			      .vector_bytes = vector_bytes,
			      .kernel = ARENA_ARRAY(a, struct counted_kernel, p->kernels.n)};
}

static double buffer_bytes(const struct plan *plan, int b)
{
	return b < 0 ? 0 : (double)buffer_size(&plan->buffers.at[b]);
}

/* Elements of a row of a gathered matrix that are neighbours in the tensor. */
static int64_t line_length(const struct product_pack *p)
{
	const struct pack_factor *f = p->ncols ? &p->col[p->ncols - 1] : NULL;
	bool are_neighbours = f;
	for (int d = 0; f && d < p->rank; d++)
		are_neighbours &= !f->coef[d] || (f->coef[d] == 1 && p->dim[d].stride == 1 && p->dim[d].div == 1);
	return are_neighbours ? f->extent : 1;
}

/* Elements that are gathered into a matrix, or copied to be read through windows, in all turns in which they are
 * others. A line of neighbours is gathered as vectors: it takes as long as an element, and another one for each. */
static double packed_elements(const struct plan_gemm *g, const struct product_pack *pack, int64_t lanes)
{
	if (!pack)
		return 0;
	double elements = (double)product_pack_volume(pack);
	if (pack->way == WAY_GATHERED) {
		double length = (double)line_length(pack), each = 1 + length / (double)lanes;
		elements = (double)product_pack_elements(pack) * (each < length ? each / length : 1);
	}
	for (int i = 0; i < g->nloops; i++) {
		bool moves = false;
		for (int d = 0; d < pack->rank; d++)
			moves |= pack->loop[i][d] != 0;
		elements *= moves ? (double)g->loop[i].extent : 1;
	}
	return elements;
}

/* A product for each kind of sum in each block, and what is made of the tensors for them. */
static struct step_work filter_work(const struct product_filter *f, enum dtype type)
{
	struct filter_kinds k = filter_kinds_of(f);
	struct filter_blocks b = filter_blocks_of(f, &k);
	int64_t tiles = b.block * b.line;
	double blocks = (double)filter_parts(b.lines, b.block),
	       made = (double)(b.lines * b.line * (k.kinds * f->channels + k.groups * f->filters));
	return (struct step_work){.kind = WORK_PRODUCT,
				  .type = type,
				  .m = f->filters,
				  .n = f->of_weights ? f->channels : tiles,
				  .k = f->of_weights ? tiles : f->channels,
				  .turns = k.kinds * blocks,
				  .amount = made / FILTER_SUMS};
}

static struct step_work product_work(const struct plan_gemm *g, int vector_bytes)
{
	struct step_work w = {
		.kind = WORK_PRODUCT, .type = plan_product_type(g), .m = g->m, .n = g->n, .k = g->k, .turns = 1};
	for (int i = 0; i < g->nloops; i++)
		w.turns *= (double)g->loop[i].extent;
	int64_t lanes = vector_bytes / size_of(g->type);
	if (g->filter)
		return filter_work(&g->filter->f, w.type);
	double packed = packed_elements(g, g->pack_a, lanes) + packed_elements(g, g->pack_b, lanes);
	w.amount = packed * (double)dtype_size(g->type) / 4;
	return w;
}

static const struct counted_kernel *counted(struct works *w, const struct kernel *k)
{
	struct counted_kernel *c = &w->kernel[k->id];
	if (!c->bytes) {
		c->bytes = ARENA_ARRAY(w->arena, struct param_bytes, k->params.n + 1);
		c->work = kernel_work(k, w->vector_bytes, c->bytes);
	}
	return c;
}

/* ---- what steps touch ---- */

static void add_touch(struct arena *a, struct touches *to, int buffer, int64_t from, struct param_bytes bytes)
{
	if (buffer >= 0 && bytes.touched > 0)
		vec_push(a, &to->all, ((struct touch){buffer, from, bytes.touched, bytes.moved}));
}

static void touch_read(struct arena *a, struct touches *to, int buffer, int64_t from, double bytes)
{
	add_touch(a, to, buffer, from, (struct param_bytes){bytes, bytes});
}

static void touch_written(struct arena *a, struct touches *to, int buffer, int64_t from, double bytes)
{
	add_touch(a, to, buffer, from, (struct param_bytes){bytes, 2 * bytes});
}

/* Bytes of a matrix in all turns of a product, each element once. */
static double matrix_bytes(const struct plan *plan, const struct plan_gemm *g, int buffer, int64_t from,
			   double elements)
{
	const struct buffer *b = &plan->buffers.at[buffer];
	for (int i = 0; i < g->nloops; i++)
		elements *= (double)g->loop[i].extent;
	double most = (double)(b->elements - from);
	return (elements < most ? elements : most) * (double)dtype_size(b->type);
}

static void touch_product(struct arena *a, const struct plan *plan, const struct plan_gemm *g, struct touches *to)
{
	double m = (double)g->m, n = (double)g->n, k = (double)g->k;
	touch_read(a, to, g->a, g->offset_a, matrix_bytes(plan, g, g->a, g->offset_a, m * k));
	touch_read(a, to, g->b, g->offset_b, matrix_bytes(plan, g, g->b, g->offset_b, k * n));
	if (g->grid >= 0)
		touch_read(a, to, g->grid, g->offset_grid, matrix_bytes(plan, g, g->grid, g->offset_grid, m * n));
	touch_written(a, to, g->c, g->offset_c, matrix_bytes(plan, g, g->c, g->offset_c, m * n));
}

static void touch_kernel(struct arena *a, struct works *w, const struct plan_step *s, struct touches *to)
{
	const struct param_bytes *bytes = counted(w, s->kernel)->bytes;
	for (int i = 0, buffer = 0; i < s->kernel->params.n; i++)
		if (s->kernel->params.at[i].kind != KP_SCALAR) {
			add_touch(a, to, s->buffers.at[buffer], plan_step_from(s, buffer), bytes[i]);
			buffer++;
		}
}

static void touch_all(struct arena *a, struct works *w, const struct plan *plan, const struct plan_step *s,
		      struct touches *to)
{
	switch (s->kind) {
	case STEP_KERNEL:
		touch_kernel(a, w, s, to);
		return;
	case STEP_GEMM:
		touch_product(a, plan, s->gemm, to);
		return;
	case STEP_FOURIER:
		touch_read(a, to, s->src, 0, buffer_bytes(plan, s->src));
		touch_written(a, to, s->dst, 0, buffer_bytes(plan, s->dst));
		if (s->fourier->in.second != s->src)
			touch_read(a, to, s->fourier->in.second, 0, buffer_bytes(plan, s->fourier->in.second));
		if (s->fourier->out.second != s->dst)
			touch_written(a, to, s->fourier->out.second, 0, buffer_bytes(plan, s->fourier->out.second));
		return;
	case STEP_SORTED:
	case STEP_FACTORS:
	case STEP_CHECK:
	case STEP_BATCH_READ:
	case STEP_COPY:
	case STEP_TRANSFER_BEGIN:
	case STEP_TRANSFER_END:
		touch_read(a, to, s->src, 0, buffer_bytes(plan, s->src));
		touch_written(a, to, s->dst, 0, buffer_bytes(plan, s->dst));
		return;
	case STEP_EXCHANGE:
	case STEP_HAND:
	case STEP_RESULT:
	case STEP_PASS_BEGIN:
	case STEP_LOOP_BEGIN:
	case STEP_LOOP_TEST:
	case STEP_LOOP_END:
		return;
	}
}

static const struct reuses *reuses_of(struct works *w, const struct plan *plan)
{
	struct arena *scratch = arena_new("touches");
	struct touches *touched = ARENA_ARRAY(scratch, struct touches, plan->steps.n + 1);
	struct reuses *out = ARENA_ARRAY(w->arena, struct reuses, plan->steps.n + 1);
	for (int i = 0; i < plan->steps.n; i++)
		touch_all(scratch, w, plan, &plan->steps.at[i], &touched[i]);
	find_reuses(w->arena, plan, touched, out);
	arena_free(scratch);
	return out;
}

/* ---- */

/* Levels of a comparison sort: what ranking_flops counts, two for each element and level. */
static struct step_work work_alone(struct works *w, const struct plan *plan, const struct plan_step *s)
{
	switch (s->kind) {
	case STEP_KERNEL:
		return (struct step_work){.kind = WORK_KERNEL, .kernel = counted(w, s->kernel)->work};
	case STEP_GEMM:
		return product_work(s->gemm, w->vector_bytes);
	case STEP_FOURIER:
		return (struct step_work){.kind = WORK_FOURIER,
					  .amount = (double)s->flops * (double)dtype_size(s->fourier->type) / 4};
	case STEP_SORTED:
		return (struct step_work){.kind = WORK_SORT,
					  .amount = (double)s->flops / 2 * (double)dtype_size(s->sorted->type) / 4};
	case STEP_FACTORS:
		return work_of_factors(s->factors->way, s->factors->type, s->factors->n, (double)s->factors->count);
	case STEP_CHECK:
		return (struct step_work){.kind = WORK_CHECK, .amount = (double)plan->buffers.at[s->src].elements};
	case STEP_BATCH_READ:
	case STEP_COPY:
		return (struct step_work){.kind = WORK_COPY, .amount = buffer_bytes(plan, s->dst)};
	case STEP_LOOP_TEST:
	case STEP_LOOP_END:
		return (struct step_work){.kind = WORK_TURN};
	case STEP_TRANSFER_BEGIN:
	case STEP_TRANSFER_END:
	case STEP_EXCHANGE:
	case STEP_HAND:
	case STEP_RESULT:
	case STEP_PASS_BEGIN:
	case STEP_LOOP_BEGIN:
		break;
	}
	return (struct step_work){.kind = WORK_NONE};
}

struct step_work step_work(struct works *w, const struct plan *plan, const struct plan_step *s)
{
	struct step_work work = work_alone(w, plan, s);
	if (w->plan != plan) {
		w->reuse = reuses_of(w, plan);
		w->plan = plan;
	}
	if (work_bytes(&work) > 0)
		work.reuses = w->reuse[s - plan->steps.at];
	return work;
}

struct step_work work_of_factors(enum factors_way way, enum dtype type, int64_t n, double matrices)
{
	return (struct step_work){.kind = WORK_FACTORS,
				  .way = way,
				  .type = type,
				  .n = n,
				  .turns = matrices,
				  .amount = (double)factors_operations(way, n)};
}

double work_bytes(const struct step_work *w)
{
	switch (w->kind) {
	case WORK_KERNEL:
		return w->kernel.bytes;
	case WORK_PRODUCT:
		return w->turns * (double)dtype_size(w->type) *
		       ((double)w->m * (double)w->k + (double)w->k * (double)w->n + (double)w->m * (double)w->n);
	case WORK_COPY:
		return 2 * w->amount;
	case WORK_NONE:
	case WORK_SORT:
	case WORK_FOURIER:
	case WORK_FACTORS:
	case WORK_CHECK:
	case WORK_TURN:
		break;
	}
	return 0;
}
