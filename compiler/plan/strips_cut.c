/* strips_cut.c — the loop whose turns are the strips of a run: its buffers, which lie in lines of others, and its
 * steps. */
#include "strips.h"

#include <string.h>

/* Whether a step outside of the run names the buffer, or another buffer may lie in it. */
static bool is_inside(const struct run *r, int b)
{
	const struct buffer *x = buffer_at(r, b);
	bool inside = x->kind == BUFFER_ARENA && !x->is_shared;
	for (int i = 0; i < r->plan->steps.n && inside; i++) {
		int used[64], n = 0;
		if (i >= r->first && i <= r->last)
			continue;
		for (int more = 0; (n = plan_step_buffers(&r->plan->steps.at[i], used, 64, more)) > 0; more += n)
			for (int k = 0; k < n; k++)
				inside = inside && used[k] != b;
	}
	return inside;
}

/* A buffer that lies in one line of b after the other. */
static int line_of(struct run *r, struct plan_loop *l, int b)
{
	struct plan *plan = r->plan;
	struct arena *a = r->p->arena;
	struct buffer line = plan->buffers.at[b];
	line = (struct buffer){.kind = BUFFER_MOVING,
			       .type = line.type,
			       .elements = line.elements / r->strips,
			       .slot = -1,
			       .name = line.name};
	vec_push(a, &line.within, b);
	plan->buffers.at[b].is_shared = true;
	vec_push(a, &plan->buffers, line);
	struct plan_move m = {
		.buffer = plan->buffers.n - 1, .of_lines = true, .step = 1, .lines = r->strips, .site = l->site};
	vec_push(a, &m.of, b);
	vec_push(a, &l->moves, m);
	vec_push(a, &l->buffers, m.buffer);
	return m.buffer;
}

static void replace(int *b, const int *line)
{
	if (*b >= 0 && line[*b] >= 0)
		*b = line[*b];
}

static void cut_product(struct run *r, struct plan_step *s, const int *line)
{
	struct plan_gemm *g = s->gemm;
	struct product_loop *loop = ARENA_ARRAY(r->p->arena, struct product_loop, g->nloops);
	memcpy(loop, g->loop, sizeof *loop * (size_t)g->nloops);
	loop[0].extent /= r->strips;
	bool is_one = loop[0].extent == 1;
	g->loop = loop + is_one;
	g->nloops -= is_one;
	replace(&g->a, line);
	replace(&g->b, line);
	replace(&g->c, line);
}

static void cut_kernel(struct run *r, struct plan_step *s, const int *line)
{
	struct kernel_buffers k = strip_kernel_buffers(r, s);
	bool fits = kernel_strip_ways(s->kernel, r->strips, k.elements, k.from, k.way);
	BUG_IF(!fits, "kernel %s has no strips", s->kernel->name);
	s->kernel = kernel_strip(r->p->scratch, s->kernel, r->strips, k.elements, k.way);
	for (int i = 0, at = 0; i < s->kernel->params.n; i++)
		if (s->kernel->params.at[i].kind != KP_SCALAR) {
			if (k.way[i] == STRIP_LINE)
				replace(&s->buffers.at[at], line);
			at++;
		}
}

/* The steps of the run, each for one strip, in the buffers of the loop. */
static void cut_steps(struct run *r, struct plan_loop *l)
{
	struct plan *plan = r->plan;
	int *line = ARENA_ARRAY(r->p->scratch, int, plan->buffers.n), n = plan->buffers.n;
	bool *shrinks = ARENA_ARRAY(r->p->scratch, bool, n);
	for (int b = 0; b < n; b++)
		line[b] = -1;
	for (int i = 0; i < r->nuses; i++) {
		const struct use *u = &r->use[i];
		if (!u->is_line || u->step < r->first || u->step > r->last || line[u->buffer] >= 0 ||
		    shrinks[u->buffer])
			continue;
		shrinks[u->buffer] = is_inside(r, u->buffer);
		if (!shrinks[u->buffer])
			line[u->buffer] = line_of(r, l, u->buffer);
	}
	for (int i = r->first; i <= r->last; i++) {
		struct plan_step *s = &plan->steps.at[i];
		if (s->kind == STEP_GEMM)
			cut_product(r, s, line);
		else if (s->kind == STEP_KERNEL)
			cut_kernel(r, s, line);
		replace(&s->src, line);
		replace(&s->dst, line);
		s->flops /= r->strips;
		for (int k = 0; k < s->writes.n; k++)
			replace(&s->writes.at[k].buffer, line);
	}
	for (int b = 0; b < n; b++)
		plan->buffers.at[b].elements /= shrinks[b] ? r->strips : 1;
}

static struct plan_step loop_step(const struct run *r, enum plan_step_kind kind, int loop)
{
	const struct plan_loop *l = &r->plan->loops.at[loop];
	struct plan_step s = plan_step_of(kind);
	s.span = r->plan->steps.at[r->first].span;
	s.loop = loop;
	for (int i = 0; i < l->buffers.n; i++)
		vec_push(r->p->arena, &s.buffers, l->buffers.at[i]);
	if (kind == STEP_LOOP_BEGIN)
		vec_push(r->p->arena, &s.scalars,
			 ((struct plan_scalar){.kind = OPERAND_CONST, .type = DT_I64, .number = {.i = r->strips}}));
	return s;
}

/* A step before the one that has this number. */
static void insert_step(struct run *r, int at, struct plan_step s)
{
	struct plan *plan = r->plan;
	vec_push(r->p->arena, &plan->steps, s);
	memmove(plan->steps.at + at + 1, plan->steps.at + at, sizeof s * (size_t)(plan->steps.n - 1 - at));
	plan->steps.at[at] = s;
	for (int i = 0; i < plan->loops.n; i++) {
		struct plan_loop *l = &plan->loops.at[i];
		l->begin += l->begin >= at;
		l->test += l->test >= at;
		l->end += l->end >= at;
	}
}

void strips_cut(struct run *r, int outer)
{
	struct plan *plan = r->plan;
	struct plan_loop l = {.id = -1,
			      .outer = outer,
			      .begin = r->first,
			      .test = -1,
			      .end = r->last + 2,
			      .turns = r->strips,
			      .most = -1,
			      .turn = -1,
			      .site = program_site(r->p->program, plan->steps.at[r->first].span, "strips")};
	int number = plan->loops.n;
	cut_steps(r, &l);
	vec_push(r->p->arena, &plan->loops, l);
	struct plan_step begin = loop_step(r, STEP_LOOP_BEGIN, number), end = loop_step(r, STEP_LOOP_END, number);
	plan->loops.n--; /* while the others move on */
	insert_step(r, r->first, begin);
	insert_step(r, r->last + 2, end);
	plan->loops.n++;
}
