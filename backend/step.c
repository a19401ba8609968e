/* step.c — from the steps of a plan to forms and words. Whatever may differ between equal layers is a word. */
#include "step_writer.h"

#include "../runtime/loop.h"

#include <string.h>

static void number(struct writer *w, int64_t v)
{
	argument(w, (struct step_argument){.kind = FROM_WORD, .from = DT_I64, .via = DT_I64, .to = DT_I64});
	word(w, v);
}

/* The buffer behind the last stands for "none": its address is NULL. */
static void buffer_words(struct writer *w, int b, int64_t bytes)
{
	word(w, b < 0 ? w->plan->buffers.n : b);
	word(w, b < 0 ? 0 : bytes);
}

static void buffer(struct writer *w, int b, int64_t bytes)
{
	argument(w, (struct step_argument){.kind = FROM_BUFFER});
	buffer_words(w, b, bytes);
}

static void cell(struct writer *w, int b)
{
	argument(w, (struct step_argument){.kind = FROM_CELL});
	word(w, b);
}

static void region_argument(struct writer *w, int i, enum dtype via, enum dtype to)
{
	argument(w, (struct step_argument){.kind = FROM_REGION,
					   .from = cell_dtype(w->region->arguments.at[i]),
					   .via = via,
					   .to = to,
					   .index = (int)w->region->arguments.at[i]});
	word(w, i);
}

void step_scalar(struct writer *w, const struct plan_scalar *s, enum dtype to)
{
	struct step_argument a = {.from = s->type, .via = s->type, .to = to};
	int64_t bits;
	switch (s->kind) {
	case OPERAND_ARGUMENT:
		region_argument(w, s->argument, s->type, to);
		return;
	case OPERAND_CONST:
		a.kind = FROM_WORD;
		memcpy(&bits, &s->number, sizeof bits);
		word(w, s->type == DT_BOOL ? s->number.i != 0 : bits);
		break;
	case OPERAND_ORIGIN:
		a.kind = FROM_ORIGIN;
		a.from = DT_I64;
		a.index = s->origin.type;
		a.dim = s->origin.dim;
		break;
	case OPERAND_ELEMENT:
		a.kind = FROM_ELEMENT;
		a.from = w->plan->buffers.at[s->argument].type;
		buffer_words(w, s->argument, 0);
		break;
	}
	argument(w, a);
}

static void calls(struct writer *w, const char *name)
{
	w->form->callee = CALLEE_RUNTIME;
	w->form->name = name;
}

static void write_kernel(struct writer *w, const struct plan_step *s)
{
	const struct kernel *k = s->kernel;
	int buffers = 0, scalars = 0;
	w->form->callee = CALLEE_KERNEL;
	w->form->kernel = k;
	for (int i = 0; i < k->params.n; i++) {
		if (k->params.at[i].kind == KP_SCALAR) {
			BUG_IF(scalars >= s->scalars.n, "step %s passes too few scalars", s->name ? s->name : "");
			step_scalar(w, &s->scalars.at[scalars++], k->params.at[i].type);
		} else {
			BUG_IF(buffers >= s->buffers.n, "step %s passes too few buffers", s->name ? s->name : "");
			buffer(w, s->buffers.at[buffers],
			       plan_step_from(s, buffers) * dtype_size(k->params.at[i].type));
			buffers++;
		}
	}
}

static void pack_factors(struct writer *w, const struct pack_factor *f, int n, int rank)
{
	for (int i = 0; i < n; i++) {
		word(w, f[i].extent);
		for (int d = 0; d < rank; d++)
			word(w, f[i].coef[d]);
	}
}

/* As runtime/pack.h has them. */
static void pack_words(struct writer *w, const struct product_pack *p, int nloops)
{
	argument(w, (struct step_argument){.kind = FROM_WORDS});
	int begin = w->words->list.n;
	word(w, p ? p->rank : 0);
	if (p) {
		word(w, p->nrows);
		word(w, p->ncols);
		word(w, nloops);
		word(w, p->way);
		for (int d = 0; d < p->rank; d++) {
			word(w, p->dim[d].extent);
			word(w, p->dim[d].stride);
			word(w, p->dim[d].offset);
			word(w, p->dim[d].div);
		}
		pack_factors(w, p->row, p->nrows, p->rank);
		pack_factors(w, p->col, p->ncols, p->rank);
		for (int i = 0; i < nloops; i++)
			for (int d = 0; d < p->rank; d++)
				word(w, p->loop[i][d]);
	}
	w->arguments.at[w->arguments.n - 1].index = w->words->list.n - begin;
}

/* The runtime's function. */
static const char *gemm_name(const struct plan_gemm *g)
{
	static const char *const product[DT_COUNT] = {
		[DT_F32] = "gemm_f32", [DT_F64] = "gemm_f64", [DT_BF16] = "gemm_bf16",
		[DT_F16] = "gemm_f16", [DT_I8] = "gemm_i8",   [DT_U8] = "gemm_u8"};
	static const char *const exact[DT_COUNT] = {[DT_F32] = "contract_exact_f32", [DT_F64] = "contract_exact_f64"};
	static const char *const rounded[DT_COUNT] = {[DT_BF16] = "gemm_f32_as_bf16", [DT_F16] = "gemm_f32_as_f16"};
	if (g->type != g->type_b)
		return g->type == DT_I8 ? "gemm_i8_u8" : "gemm_u8_i8";
	return g->factors != DT_F32 ? rounded[g->factors] : (g->exact ? exact : product)[g->type];
}

static const char *filter_name(const struct plan_gemm *g)
{
	static const char *const rounded[DT_COUNT] = {[DT_BF16] = "filter_f32_as_bf16", [DT_F16] = "filter_f32_as_f16"};
	return g->factors != DT_F32 ? rounded[g->factors] : g->type == DT_F64 ? "filter_f64" : "filter_f32";
}

static void write_filter(struct writer *w, const struct plan_gemm *g)
{
	const struct contraction_filter *c = g->filter;
	int64_t size = dtype_size(g->type), words[sizeof c->f / sizeof(int64_t)];
	calls(w, filter_name(g));
	runtime(w);
	step_scalar(w, &g->alpha, g->type);
	buffer(w, c->x_is_b ? g->b : g->a, c->offset_x * size);
	buffer(w, c->x_is_b ? g->a : g->b, c->offset_other * size);
	step_scalar(w, &g->beta, g->type);
	buffer(w, g->c, (g->offset_c + c->offset_result) * size);
	memcpy(words, &c->f, sizeof words);
	argument(w, (struct step_argument){.kind = FROM_WORDS, .index = (int)(sizeof words / sizeof *words)});
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		word(w, words[i]);
	buffer(w, g->workspace, 0);
}

/* Behind B stands a factor of C, or whether C is added to. */
static void write_gemm(struct writer *w, const struct plan_gemm *g)
{
	if (g->filter) {
		write_filter(w, g);
		return;
	}
	const char *name = gemm_name(g);
	BUG_IF(!name, "no contraction kernel for %s", dtype_text(g->type));
	bool bytes = dtype_is_byte(g->type);
	int64_t size = dtype_size(g->type);
	int64_t size_c = g->exact ? dtype_size(DT_I64) : bytes ? dtype_size(DT_I32) : size;
	enum dtype factor = g->exact || bytes || g->type == DT_F64 ? DT_F64 : DT_F32;
	calls(w, name);
	if (!g->exact)
		runtime(w);
	number(w, g->ta);
	number(w, g->tb);
	number(w, g->m);
	number(w, g->n);
	number(w, g->k);
	step_scalar(w, &g->alpha, factor);
	if (g->exact)
		buffer(w, g->grid, g->offset_grid * dtype_size(DT_F64));
	buffer(w, g->a, g->offset_a * size);
	number(w, g->lda);
	buffer(w, g->b, g->offset_b * size);
	number(w, g->ldb);
	if (g->exact)
		number(w, g->beta.kind == OPERAND_CONST && g->beta.number.f == 1);
	else
		step_scalar(w, &g->beta, factor);
	buffer(w, g->c, g->offset_c * size_c);
	number(w, g->ldc);
	number(w, g->nloops);
	argument(w, (struct step_argument){.kind = FROM_WORDS, .index = 4 * g->nloops});
	for (int i = 0; i < g->nloops; i++) {
		word(w, g->loop[i].extent);
		word(w, g->loop[i].a);
		word(w, g->loop[i].b);
		word(w, g->loop[i].c);
	}
	pack_words(w, g->pack_a, g->nloops);
	pack_words(w, g->pack_b, g->nloops);
	buffer(w, g->workspace, 0);
}

static void write_sorted(struct writer *w, const struct plan_step *s)
{
	calls(w, "ranking");
	number(w, s->sorted->type);
	number(w, s->sorted->down);
	number(w, s->sorted->outer);
	number(w, s->sorted->n);
	number(w, s->sorted->inner);
	number(w, s->sorted->from);
	number(w, s->sorted->first);
	buffer(w, s->src, 0);
	buffer(w, s->dst, 0);
	buffer(w, s->sorted->workspace, 0);
}

static void side_words(struct writer *w, const struct plan_fourier_side *s, bool ends_halved)
{
	word(w, s->parts);
	word(w, s->count);
	word(w, s->step);
	word(w, ends_halved);
}

static void write_fourier(struct writer *w, const struct plan_step *s)
{
	const struct plan_fourier *f = s->fourier;
	int64_t size = dtype_size(f->type), scale;
	calls(w, "fourier");
	runtime(w);
	number(w, f->type);
	number(w, f->n);
	number(w, f->positive);
	step_scalar(w, &f->in.part, DT_I64);
	step_scalar(w, &f->in.first, DT_I64);
	step_scalar(w, &f->out.part, DT_I64);
	step_scalar(w, &f->out.first, DT_I64);
	buffer(w, s->src, f->in.offset[0] * size);
	buffer(w, f->in.second, f->in.offset[1] * size);
	buffer(w, s->dst, f->out.offset[0] * size);
	buffer(w, f->out.second, f->out.offset[1] * size);
	argument(w, (struct step_argument){.kind = FROM_WORDS,
					   .index = FOURIER_JOB_WORDS + FOURIER_LOOP_WORDS * f->nloops});
	memcpy(&scale, &f->scale, sizeof scale);
	side_words(w, &f->in, f->in_ends_halved);
	side_words(w, &f->out, f->out_ends_halved);
	word(w, f->numbers);
	word(w, scale);
	word(w, f->nloops);
	for (int i = 0; i < f->nloops; i++) {
		word(w, f->loop[i].extent);
		word(w, f->loop[i].x);
		word(w, f->loop[i].out);
	}
	buffer(w, f->workspace, 0);
}

static void write_factors(struct writer *w, const struct plan_step *s)
{
	calls(w, "factors");
	runtime(w);
	number(w, s->factors->way);
	number(w, s->factors->type);
	number(w, s->factors->count);
	number(w, s->factors->n);
	buffer(w, s->src, 0);
	buffer(w, s->dst, 0);
	buffer(w, s->factors->workspace, 0);
}

/* Which row of a batch an element comes from is told where it is known. */
static void write_check(struct writer *w, const struct plan_step *s)
{
	const struct plan_check *c = s->check;
	bool known = c->rows.argument >= 0;
	calls(w, known ? "check_rows" : "check_indices");
	runtime(w);
	number(w, c->type);
	buffer(w, s->src, 0);
	buffer(w, s->dst, 0);
	number(w, w->plan->buffers.at[s->src].elements);
	number(w, c->extent);
	number(w, c->asked);
	number(w, c->site);
	if (!known)
		return;
	enum dtype handle = cell_dtype(w->region->arguments.at[c->rows.argument]);
	region_argument(w, c->rows.argument, handle, handle);
	number(w, c->rows.field);
	number(w, c->rows.first);
	number(w, c->rows.per);
	number(w, c->rows.step);
	argument(w, (struct step_argument){.kind = FROM_CELLS});
	number(w, c->loop >= 0 ? step_cell_of_loop(w->plan, c->loop) + LOOP_CELL_TURN : -1);
	number(w, c->rows.turn);
}

static void write_transfer(struct writer *w, const struct plan_step *s, bool begins)
{
	bool rows = begins && s->buffers.n;
	calls(w, rows ? "transfer_begin_rows" : begins ? "transfer_begin" : "transfer_end");
	runtime(w);
	number(w, s->transfer);
	if (begins) {
		buffer(w, s->src, 0);
		buffer(w, s->dst, 0);
	}
	if (rows)
		buffer(w, s->buffers.at[0], 0);
}

static void write_batch_read(struct writer *w, const struct plan_step *s)
{
	enum dtype handle = cell_dtype(w->region->arguments.at[s->argument]);
	calls(w, "batch_read");
	runtime(w);
	region_argument(w, s->argument, handle, handle);
	number(w, s->part);
	cell(w, s->dst);
}

static void write_copy(struct writer *w, const struct plan_step *s)
{
	const struct buffer *src = &w->plan->buffers.at[s->src], *dst = &w->plan->buffers.at[s->dst];
	int64_t n = dst->elements < src->elements ? dst->elements : src->elements;
	w->form->callee = CALLEE_COPY;
	buffer(w, s->dst, 0);
	buffer(w, s->src, 0);
	number(w, n * dtype_size(dst->type));
}

static void write_exchange(struct writer *w, const struct plan_step *s)
{
	calls(w, "slot_exchange");
	runtime(w);
	number(w, w->plan->buffers.at[s->dst].slot);
}

static void write_hand(struct writer *w, const struct plan_step *s)
{
	calls(w, "slot_hand");
	runtime(w);
	number(w, w->plan->buffers.at[s->dst].slot);
	buffer(w, s->src, 0);
}

static void write_result(struct writer *w, const struct plan_step *s)
{
	w->form->callee = CALLEE_STORE;
	step_scalar(w, &s->scalars.at[0], cell_dtype(w->region->results.at[s->result]));
	word(w, w->region->arguments.n + s->result);
}

static void write_pass(struct writer *w, const struct plan_step *s)
{
	calls(w, "pass");
	runtime(w);
	argument(w, (struct step_argument){.kind = FROM_CELLS});
	number(w, s->loop >= 0 ? step_cell_of_loop(w->plan, s->loop) + LOOP_CELL_TURN : -1);
	number(w, s->micro);
	number(w, s->pass);
}

static void write_step(struct writer *w, const struct plan_step *s)
{
	switch (s->kind) {
	case STEP_KERNEL:
		write_kernel(w, s);
		break;
	case STEP_GEMM:
		write_gemm(w, s->gemm);
		break;
	case STEP_FOURIER:
		write_fourier(w, s);
		break;
	case STEP_SORTED:
		write_sorted(w, s);
		break;
	case STEP_FACTORS:
		write_factors(w, s);
		break;
	case STEP_CHECK:
		write_check(w, s);
		break;
	case STEP_TRANSFER_BEGIN:
	case STEP_TRANSFER_END:
		write_transfer(w, s, s->kind == STEP_TRANSFER_BEGIN);
		break;
	case STEP_BATCH_READ:
		write_batch_read(w, s);
		break;
	case STEP_COPY:
		write_copy(w, s);
		break;
	case STEP_EXCHANGE:
		write_exchange(w, s);
		break;
	case STEP_HAND:
		write_hand(w, s);
		break;
	case STEP_RESULT:
		write_result(w, s);
		break;
	case STEP_PASS_BEGIN:
		write_pass(w, s);
		break;
	case STEP_LOOP_BEGIN:
	case STEP_LOOP_TEST:
	case STEP_LOOP_END:
		step_write_loop(w, s);
		break;
	}
}

struct step_form *step_form_of(struct emitter *e, const struct region *region, const struct plan *plan,
			       const struct plan_step *s, bool pending, struct step_words *words)
{
	struct step_form *f = ARENA_NEW(e->arena, struct step_form);
	struct writer w = {.e = e, .region = region, .plan = plan, .form = f, .words = words};
	bool computes = s->kind == STEP_KERNEL || s->kind == STEP_GEMM || s->kind == STEP_SORTED ||
			s->kind == STEP_FOURIER || s->kind == STEP_FACTORS;
	f->pokes = pending && computes;
	if (e->debug)
		f->span = s->span;
	write_step(&w, s);
	f->argument = w.arguments.at;
	f->narguments = w.arguments.n;
	return f;
}

const char *step_form_key(struct emitter *e, const struct step_form *f)
{
	struct text t;
	text_init(&t, e->arena);
	text_printf(&t, "%d %s %p %d %d:%d", f->callee, f->name ? f->name : "", (const void *)f->kernel, f->pokes,
		    (int)f->span.file, (int)f->span.begin);
	for (int i = 0; i < f->narguments; i++) {
		const struct step_argument *a = &f->argument[i];
		char packed[] = {' ', (char)('a' + a->kind), (char)('a' + a->from), (char)('a' + a->via),
				 (char)('a' + a->to)};
		text_add_n(&t, packed, sizeof packed);
		if (a->index || a->dim)
			text_printf(&t, "%d.%d", a->index, a->dim);
	}
	return intern(e->session->names, text_get(&t));
}
