/* host_native.c — see host_native.h.
 *
 * To run a region costs some 30 ns, for the words of its steps and what the runtime does around it: ten times the work
 * where a turn computes a number that is a state or an element. In a loop all regions of which are small their steps
 * stand where they are run, and slots of one element are stack slots, which the optimiser turns into registers:
 *
 *   while $1 < $0 {               s = *slot 1;
 *       region 2()                while (k < n) { s = 3.7 * s * (1 - s); k = k + 1; }
 *       $1 = ($1 + 1)             *slot 1 = s;
 *   }
 *
 * Nothing in the loop but regions looks at slots: it prints, logs and saves nothing. */
#include "host_native.h"

#include "native_emit.h"

/* Steps of all regions of a loop. */
enum { MOST_STEPS = 128 };

struct host_natives {
	LLVMValueRef *element; /* by slot: the stack slot that holds its one element; NULL: none does */
	LLVMTypeRef *type;     /* of that */
	LLVMValueRef *cells;   /* by region: the addresses of its buffers; NULL: it is not run in the loop */
};

/* ---- which loops ---- */

/* What is found in the statements of a loop. */
struct survey {
	const struct program *p;
	int role, steps;
	bool fits;
};

static const struct plan *plan_of(const struct program *p, int role, int region)
{
	const struct role *r = p->roles.at[role];
	const struct plan *plan = r->plans ? r->plans[region] : NULL;
	return plan && plan->steps.n ? plan : NULL;
}

static bool sees_numbers_alone(const struct host_expr *x)
{
	if (!x)
		return true;
	if (x->kind == HOST_SLOT || (x->kind == HOST_CALL && !host_call_is_blind(x->function)))
		return false;
	for (int i = 0; i < x->nargs; i++)
		if (!sees_numbers_alone(x->arg[i]))
			return false;
	return true;
}

static void survey_region(struct survey *v, int region)
{
	const struct plan *plan = plan_of(v->p, v->role, region);
	if (!plan)
		return;
	v->steps += plan->steps.n;
	v->fits &= v->steps <= MOST_STEPS && plan_is_small(plan);
	for (int i = 0; i < plan->buffers.n && v->fits; i++) {
		const struct buffer *b = &plan->buffers.at[i];
		v->fits = b->kind == BUFFER_ARENA || b->kind == BUFFER_MOVING ||
			  (b->kind == BUFFER_SLOT && !(b->elements == 1 && b->is_shared));
	}
}

static void survey_block(struct survey *v, const struct host_stmt *s)
{
	for (; s && v->fits; s = s->next) {
		v->fits = sees_numbers_alone(s->expr);
		for (int i = 0; i < s->args.n; i++)
			v->fits &= sees_numbers_alone(s->args.at[i]);
		if (s->kind == HOST_REGION)
			survey_region(v, s->region);
		survey_block(v, s->body);
		survey_block(v, s->other);
	}
}

bool host_loop_is_native(const struct program *p, int role, const struct host_stmt *loop)
{
	struct survey v = {p, role, 0, !p->session->options.debug_info && sees_numbers_alone(loop->expr)};
	survey_block(&v, loop->body);
	survey_block(&v, loop->other);
	return v.fits && v.steps > 0;
}

static bool block_has_native_loops(const struct program *p, int role, const struct host_stmt *s)
{
	for (; s; s = s->next)
		if ((s->kind == HOST_WHILE && host_loop_is_native(p, role, s)) ||
		    block_has_native_loops(p, role, s->body) || block_has_native_loops(p, role, s->other))
			return true;
	return false;
}

static bool function_has_native_loops(const struct program *p, int role, const struct host_function *f)
{
	return f && block_has_native_loops(p, role, f->body);
}

bool role_has_native_host_loops(const struct program *p, int role)
{
	bool any = function_has_native_loops(p, role, p->main) || function_has_native_loops(p, role, p->init);
	for (int i = 0; i < p->tests.n && !any; i++)
		any = function_has_native_loops(p, role, p->tests.at[i].function);
	return any;
}

/* ---- before and behind ---- */

static bool is_element(const struct buffer *b)
{
	return b->kind == BUFFER_SLOT && b->elements == 1;
}

static LLVMValueRef slot_address(const struct host_emitter *h, int slot)
{
	return abi_call(h->e, "slot", (LLVMValueRef[]){h->rt, emit_i64(h->e, slot)}, 2);
}

static void take_elements(struct host_emitter *h, struct host_natives *n, const struct plan *plan)
{
	for (int i = 0; i < plan->buffers.n; i++) {
		const struct buffer *b = &plan->buffers.at[i];
		if (!is_element(b) || n->element[b->slot])
			continue;
		LLVMTypeRef type = n->type[b->slot] = emit_storage_type(h->e, b->type);
		n->element[b->slot] = emit_alloca(h->e, type, "element");
		LLVMBuildStore(h->e->builder, LLVMBuildLoad2(h->e->builder, type, slot_address(h, b->slot), ""),
			       n->element[b->slot]);
	}
}

static void find_cells(struct host_emitter *h, struct host_natives *n, int region, const struct plan *plan)
{
	LLVMValueRef count = emit_i64(h->e, plan->buffers.n);
	LLVMTypeRef type = LLVMArrayType2(h->e->ptr, (uint64_t)plan->buffers.n + 1);
	n->cells[region] = emit_alloca(h->e, type, "buffers");
	abi_call(h->e, "addresses", (LLVMValueRef[]){h->rt, count, region_places(h->p, plan), n->cells[region]}, 4);
}

static void take_regions(struct host_emitter *h, struct host_natives *n, const struct host_stmt *s)
{
	for (; s; s = s->next) {
		const struct plan *plan = s->kind == HOST_REGION ? plan_of(h->p->program, h->p->role, s->region) : NULL;
		if (plan && !n->cells[s->region]) {
			find_cells(h, n, s->region, plan);
			take_elements(h, n, plan);
		}
		take_regions(h, n, s->body);
		take_regions(h, n, s->other);
	}
}

struct host_natives *host_natives_begin(struct host_emitter *h, const struct host_stmt *loop)
{
	struct arena *a = h->e->arena;
	const struct program *p = h->p->program;
	struct host_natives *n = ARENA_NEW(a, struct host_natives);
	*n = (struct host_natives){ARENA_ARRAY(a, LLVMValueRef, p->slots.n + 1),
				   ARENA_ARRAY(a, LLVMTypeRef, p->slots.n + 1),
				   ARENA_ARRAY(a, LLVMValueRef, p->regions.n + 1)};
	h->e->counts_turns = true;
	take_regions(h, n, loop->body);
	take_regions(h, n, loop->other);
	return n;
}

void host_natives_end(const struct host_emitter *h, const struct host_natives *n)
{
	LLVMBuilderRef b = h->e->builder;
	for (int i = 0; i < h->p->program->slots.n; i++)
		if (n->element[i])
			LLVMBuildStore(b, LLVMBuildLoad2(b, n->type[i], n->element[i], ""), slot_address(h, i));
}

/* ---- a region ---- */

/* Where its results go, 0 until a step gives them. */
static LLVMValueRef *results_of(struct host_emitter *h, const struct host_stmt *s, const struct region *region)
{
	LLVMValueRef *at = ARENA_ARRAY(h->e->arena, LLVMValueRef, region->results.n + 1);
	for (int i = 0; i < region->results.n; i++) {
		LLVMTypeRef type = host_llvm_type(h->e, region->results.at[i]);
		bool wanted = i < s->results.n && s->results.at[i] >= 0;
		at[i] = wanted ? host_variable(h, s->results.at[i]) : emit_alloca(h->e, type, "unused");
		LLVMBuildStore(h->e->builder, LLVMConstNull(type), at[i]);
	}
	return at;
}

void host_native_region(struct host_emitter *h, const struct host_stmt *s)
{
	struct emitter *e = h->e;
	const struct region *region = h->p->program->regions.at[s->region];
	const struct plan *plan = plan_of(h->p->program, h->p->role, s->region);
	struct native n = {.e = e, .region = region, .plan = plan, .rt = h->rt, .cells = h->natives->cells[s->region]};
	n.arguments = ARENA_ARRAY(e->arena, LLVMValueRef, s->args.n + 1);
	for (int i = 0; i < s->args.n; i++)
		n.arguments[i] = host_expression(h, s->args.at[i]);
	n.results = results_of(h, s, region);
	if (!plan)
		return;
	n.to = plan->steps.n - 1;
	n.place = ARENA_ARRAY(e->arena, struct spot, plan->buffers.n + 1);
	for (int i = 0; i < plan->buffers.n; i++)
		if (is_element(&plan->buffers.at[i]))
			n.place[i] = (struct spot){IN_SLOT, h->natives->element[plan->buffers.at[i].slot]};
	native_find_places(&n);
	native_find_scalars(&n);
	native_steps(&n);
}
