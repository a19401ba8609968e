/* print.c — a plan as text: buffers with their places and lives, then the steps. */
#include "plan.h"

#include <inttypes.h>

static void print_scalar(struct text *t, const struct plan_scalar *s)
{
	switch (s->kind) {
	case OPERAND_ARGUMENT:
		text_printf(t, "argument %d as %s", s->argument, dtype_text(s->type));
		return;
	case OPERAND_CONST:
		if (dtype_is_float(s->type))
			text_printf(t, "%.9g", s->number.f);
		else
			text_printf(t, "%" PRId64, s->number.i);
		return;
	case OPERAND_ORIGIN:
		text_printf(t, "origin of dimension %d of type %d", s->origin.dim, s->origin.type);
		return;
	case OPERAND_ELEMENT:
		text_printf(t, "b%d[0]", s->argument);
		return;
	}
}

static void print_list(struct text *t, const char *what, const int *buffer, int n)
{
	text_add(t, what);
	for (int i = 0; i < n; i++)
		text_printf(t, "%s b%d", i ? "," : "", buffer[i]);
}

static void print_buffer(struct text *t, int number, const struct buffer *b)
{
	text_printf(t, "  b%d: %s[%" PRId64 "]", number, dtype_text(b->type), b->elements);
	if (b->kind == BUFFER_SLOT)
		text_printf(t, " slot %d", b->slot);
	else if (b->kind == BUFFER_SPARE)
		text_printf(t, " spare of slot %d", b->slot);
	else if (b->kind == BUFFER_BATCH)
		text_printf(t, " batch steps %d..%d", b->first_step, b->last_step);
	else if (b->kind == BUFFER_TAPE)
		text_printf(t, " a line of a tape, steps %d..%d", b->first_step, b->last_step);
	else if (b->kind == BUFFER_MOVING)
		print_list(t, " moves in", b->within.at, b->within.n);
	else
		text_printf(t, " arena %" PRId64 " steps %d..%d", b->offset, b->first_step, b->last_step);
	text_printf(t, b->name ? "  %s\n" : "\n", b->name);
}

static void print_coefs(struct text *t, const int64_t *coef, int rank)
{
	for (int d = 0; d < rank; d++)
		text_printf(t, "%s%" PRId64, d ? "," : "(", coef[d]);
	text_add(t, ")");
}

static void print_factors(struct text *t, const char *name, const struct pack_factor *f, int n, int rank)
{
	text_add(t, name);
	for (int i = 0; i < n; i++) {
		text_printf(t, " %" PRId64, f[i].extent);
		print_coefs(t, f[i].coef, rank);
	}
}

static void print_pack(struct text *t, const char *operand, const struct product_pack *p, int nloops)
{
	if (!p)
		return;
	static const char *const way[] = {
		[WAY_GATHERED] = "gathers", [WAY_THROUGH] = "looks at", [WAY_EITHER] = "looks at or gathers"};
	text_printf(t, " %s %s of", way[p->way], operand);
	for (int d = 0; d < p->rank; d++)
		text_printf(t, " %" PRId64 "*%" PRId64 "%+" PRId64 "/%" PRId64, p->dim[d].extent, p->dim[d].stride,
			    p->dim[d].offset, p->dim[d].div);
	print_factors(t, " rows", p->row, p->nrows, p->rank);
	print_factors(t, " columns", p->col, p->ncols, p->rank);
	for (int i = 0; i < nloops; i++) {
		text_add(t, i ? " " : " moves ");
		print_coefs(t, p->loop[i], p->rank);
	}
}

static void print_gemm(struct text *t, const struct plan_gemm *g)
{
	text_printf(t, "gemm %s%s", g->exact ? "exact " : "", dtype_text(g->type));
	if (g->type_b != g->type)
		text_printf(t, " %s", dtype_text(g->type_b));
	if (g->factors != DT_F32)
		text_printf(t, " as %s", dtype_text(g->factors));
	text_printf(t, " b%d = ", g->c);
	if (g->grid >= 0)
		text_printf(t, "b%d", g->grid);
	else
		print_scalar(t, &g->alpha);
	text_printf(t, " * b%d%s b%d%s + ", g->a, g->ta ? "'" : "", g->b, g->tb ? "'" : "");
	print_scalar(t, &g->beta);
	text_printf(t, " * b%d, m %" PRId64 " n %" PRId64 " k %" PRId64 " ld %" PRId64 " %" PRId64 " %" PRId64, g->c,
		    g->m, g->n, g->k, g->lda, g->ldb, g->ldc);
	if (g->offset_a || g->offset_b)
		text_printf(t, " at %" PRId64 " %" PRId64, g->offset_a, g->offset_b);
	if (g->offset_c)
		text_printf(t, " to %" PRId64, g->offset_c);
	for (int i = 0; i < g->nloops; i++)
		text_printf(t, " %s%" PRId64 " strides %" PRId64 " %" PRId64 " %" PRId64, i ? "" : "loops ",
			    g->loop[i].extent, g->loop[i].a, g->loop[i].b, g->loop[i].c);
	print_pack(t, "a", g->pack_a, g->nloops);
	print_pack(t, "b", g->pack_b, g->nloops);
	if (g->filter)
		text_printf(t, " by a filter%s, %" PRId64 " images %" PRId64 " channels %" PRId64 " filters",
			    g->filter->f.of_weights ? " of weights" : "", g->filter->f.images, g->filter->f.channels,
			    g->filter->f.filters);
	for (int i = 0; g->filter && i < FILTER_SIDES; i++)
		if (g->filter->f.side[i].apart > 1)
			text_printf(t, ", points %" PRId64 " apart along %d", g->filter->f.side[i].apart, i);
	if (g->workspace >= 0)
		text_printf(t, " in b%d", g->workspace);
}

static void print_kernel(struct text *t, const struct plan_step *s)
{
	int buffer = 0, scalar = 0;
	text_printf(t, "kernel %d %s(", s->kernel->id, s->kernel->name);
	for (int i = 0; i < s->kernel->params.n; i++) {
		text_add(t, i ? ", " : "");
		enum kernel_param_kind kind = s->kernel->params.at[i].kind;
		if (kind == KP_SCALAR)
			print_scalar(t, &s->scalars.at[scalar++]);
		else
			text_printf(t, "%sb%d",
				    kind == KP_IN    ? ""
				    : kind == KP_OUT ? "out "
						     : "inout ",
				    s->buffers.at[buffer]);
		if (kind != KP_SCALAR && plan_step_from(s, buffer++))
			text_printf(t, "[%" PRId64 "..]", plan_step_from(s, buffer - 1));
	}
	text_add(t, ")");
}

static void print_sorted(struct text *t, const struct plan_step *s)
{
	if (s->sorted->from)
		text_printf(t, "%" PRId64 " from %" PRId64, s->sorted->first, s->sorted->from);
	else if (s->sorted->first)
		text_printf(t, "first %" PRId64, s->sorted->first);
	else
		text_add(t, "ranks");
	text_printf(t, " of b%d into b%d, %s, %" PRId64 " x %" PRId64 " lines of %" PRId64 " in b%d", s->src, s->dst,
		    s->sorted->down ? "down" : "up", s->sorted->outer, s->sorted->inner, s->sorted->n,
		    s->sorted->workspace);
}

static void print_side(struct text *t, const char *what, int buffer, const struct plan_fourier_side *s)
{
	text_printf(t, " %s b%d[%" PRId64 "..]", what, buffer, s->offset[0]);
	if (s->parts == 2)
		text_printf(t, " and b%d[%" PRId64 "..]", s->second, s->offset[1]);
	text_printf(t, ", %" PRId64 " parts from ", s->parts);
	print_scalar(t, &s->part);
	text_printf(t, " x %" PRId64 " numbers %" PRId64 " apart from ", s->count, s->step);
	print_scalar(t, &s->first);
}

static void print_fourier(struct text *t, const struct plan_step *s)
{
	const struct plan_fourier *f = s->fourier;
	static const char *const numbers[] = {"", " of real numbers", " to real numbers"};
	text_printf(t, "fourier %s %s%" PRId64 "%s", dtype_text(f->type), f->positive ? "+" : "-", f->n,
		    numbers[f->numbers]);
	if (f->scale != 1)
		text_printf(t, " times %.17g", f->scale);
	if (f->in_ends_halved || f->out_ends_halved)
		text_printf(t, " ends of %s halved", f->in_ends_halved ? "lines" : "results");
	print_side(t, "of", s->src, &f->in);
	print_side(t, "into", s->dst, &f->out);
	for (int i = 0; i < f->nloops; i++)
		text_printf(t, " %s%" PRId64 " strides %" PRId64 " %" PRId64, i ? "" : "loops ", f->loop[i].extent,
			    f->loop[i].x, f->loop[i].out);
	text_printf(t, " in b%d", f->workspace);
}

static void print_check(struct text *t, const struct plan_step *s)
{
	text_printf(t, "check b%d", s->src);
	if (s->dst != s->src)
		text_printf(t, " into b%d", s->dst);
	text_printf(t, " %s %" PRId64 "%s", asked_text(s->check->asked), s->check->extent,
		    s->check->is_proved ? " proved" : "");
}

static void print_transfer(struct text *t, const struct plan_step *s)
{
	text_printf(t, "%s transfer %d", s->kind == STEP_TRANSFER_BEGIN ? "begin" : "end", s->transfer);
	if (s->src >= 0)
		text_printf(t, " from b%d", s->src);
	if (s->dst >= 0)
		text_printf(t, " to b%d", s->dst);
	for (int i = 0; i < s->buffers.n; i++)
		text_printf(t, " by b%d", s->buffers.at[i]);
}

static void print_pass(struct text *t, const struct plan_step *s)
{
	if (s->micro < 0)
		text_add(t, "no pass");
	else
		text_printf(t, "pass %s over micro-batch %d%s", pass_kind_text(s->pass), s->micro,
			    s->loop < 0 ? "" : " + turn");
}

static void print_places(struct text *t, const char *what, const struct plan_place *place, int n)
{
	for (int i = 0; i < n; i++)
		text_printf(t, "%s b%d at b%d", i ? "," : what, place[i].buffer, place[i].at);
}

static void print_move(struct text *t, const struct plan_move *m)
{
	text_printf(t, "; b%d ", m->buffer);
	if (m->of_lines)
		text_printf(t, "line");
	text_printf(t, " %s%" PRId64 "%+" PRId64 "*turn", m->back ? "turns" : "", m->first, m->step);
	print_list(t, m->of_all ? " of all of" : m->of_lines ? " of" : " of these:", m->of.at, m->of.n);
	if (m->late)
		text_add(t, " behind the test");
}

static void print_loop(struct text *t, const struct plan_loop *l, const struct plan_scalar *count)
{
	text_add(t, "loop ");
	if (l->asks) {
		text_add(t, "while its test holds");
	} else {
		print_scalar(t, count);
		text_add(t, " turns");
	}
	if (l->most >= 0)
		text_printf(t, ", at most %" PRId64, l->most);
	if (l->turn >= 0)
		text_printf(t, "; turn in b%d", l->turn);
	print_places(t, "; first", l->starts.at, l->starts.n);
	for (int i = 0; i < l->moves.n; i++)
		print_move(t, &l->moves.at[i]);
	if (l->cleared.n)
		print_list(t, "; clears", l->cleared.at, l->cleared.n);
	if (l->tapes.n)
		print_list(t, "; tapes", l->tapes.at, l->tapes.n);
	if (l->rewinds.n)
		print_list(t, "; rewinds", l->rewinds.at, l->rewinds.n);
}

static void print_step(struct text *t, const struct plan *p, int number)
{
	const struct plan_step *s = &p->steps.at[number];
	text_printf(t, "  %d: ", number);
	switch (s->kind) {
	case STEP_KERNEL:
		print_kernel(t, s);
		break;
	case STEP_GEMM:
		print_gemm(t, s->gemm);
		break;
	case STEP_FOURIER:
		print_fourier(t, s);
		break;
	case STEP_SORTED:
		print_sorted(t, s);
		break;
	case STEP_FACTORS:
		text_printf(t, "factors %s %s of b%d into b%d, %" PRId64 " of %" PRId64 " lines in b%d",
			    factors_text(s->factors->way), dtype_text(s->factors->type), s->src, s->dst,
			    s->factors->count, s->factors->n, s->factors->workspace);
		break;
	case STEP_CHECK:
		print_check(t, s);
		break;
	case STEP_TRANSFER_BEGIN:
	case STEP_TRANSFER_END:
		print_transfer(t, s);
		break;
	case STEP_BATCH_READ:
		text_printf(t, "read field %d of argument %d as type %d into b%d", s->field, s->argument, s->type,
			    s->dst);
		break;
	case STEP_COPY:
		text_printf(t, "copy b%d to b%d", s->src, s->dst);
		break;
	case STEP_EXCHANGE:
		text_printf(t, "exchange b%d and b%d", s->src, s->dst);
		break;
	case STEP_HAND:
		text_printf(t, "hand b%d to b%d", s->src, s->dst);
		break;
	case STEP_RESULT:
		text_printf(t, "result %d = ", s->result);
		print_scalar(t, &s->scalars.at[0]);
		break;
	case STEP_PASS_BEGIN:
		print_pass(t, s);
		break;
	case STEP_LOOP_BEGIN:
		print_loop(t, &p->loops.at[s->loop], &s->scalars.at[0]);
		break;
	case STEP_LOOP_TEST:
		text_add(t, "test ");
		print_scalar(t, &s->scalars.at[0]);
		break;
	case STEP_LOOP_END:
		text_printf(t, "next turn of step %d", p->loops.at[s->loop].begin);
		print_places(t, "; then", p->loops.at[s->loop].nexts.at, p->loops.at[s->loop].nexts.n);
		break;
	}
	text_printf(t, s->name ? "  %s\n" : "\n", s->name);
}

void plan_print(struct text *t, const struct plan *p)
{
	text_printf(t, "arena %" PRId64 "\n", p->arena_bytes);
	for (int i = 0; i < p->buffers.n; i++)
		print_buffer(t, i, &p->buffers.at[i]);
	for (int i = 0; i < p->steps.n; i++)
		print_step(t, p, i);
}
