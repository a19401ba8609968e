/* elaborate.c — checked AST to program: params, main or tests, each walked once (elab.h says how). */
#include "elaborate.h"
#include "values/values.h"
#include "statements/statements.h"
#include "../../runtime/moves/count.h"

#include <string.h>

static struct code *new_code(struct elab *e, const char *name)
{
	struct code *c = ARENA_NEW(e->a, struct code);
	c->fn = ARENA_NEW(e->a, struct host_function);
	c->fn->name = name;
	c->tail = &c->fn->body;
	return c;
}

static struct host_function *walk_body(struct elab *e, const struct item *item, const char *name)
{
	e->code = new_code(e, name);
	e->frame = ARENA_NEW(e->a, struct frame);
	e->module = item->module;
	e->scope = NULL;
	e->call = NULL;
	env_push(e);
	stmt_block(e, item->body->body);
	region_close(e);
	return e->code->fn;
}

/* kinds: bits 1 << enum item_kind */
static void walk_items(struct elab *e, unsigned kinds)
{
	for (int m = 0; m < e->ast->modules.n; m++) {
		struct module *mod = e->ast->modules.at[m];
		for (int i = 0; i < mod->items.n; i++) {
			struct item *it = mod->items.at[i];
			if (kinds >> it->kind & 1)
				item_value(e, it, it->span);
		}
	}
}

/* Names in files stand for params, so these come first. */
static void walk_slots(struct elab *e)
{
	walk_items(e, 1u << ITEM_PARAM | 1u << ITEM_STATE | 1u << ITEM_CACHE | 1u << ITEM_CONFIG | 1u << ITEM_CONST);
	walk_items(e, 1u << ITEM_NAMES);
}

static void walk_tests(struct elab *e)
{
	struct module *m = e->ast->main;
	const char *only = e->s->options.only_tests;
	for (int i = 0; i < m->items.n; i++) {
		struct item *it = m->items.at[i];
		if (it->kind != ITEM_TEST)
			continue;
		if (only && !strstr(it->name.text, only)) {
			vec_push(e->a, &e->p->other_tests, it->name.text);
			continue;
		}
		struct test_case t = {
			.title = it->name.text, .span = it->span, .site = program_site(e->p, it->span, it->name.text)};
		t.function = walk_body(e, it, elab_intern(e, "test%d", e->p->tests.n + 1));
		vec_push(e->a, &e->p->tests, t);
	}
}

static void walk_main(struct elab *e)
{
	struct module *m = e->ast->main;
	for (int i = 0; i < m->items.n; i++)
		if (m->items.at[i]->kind == ITEM_MAIN)
			e->p->main = walk_body(e, m->items.at[i], "main");
}

static void walk_functions(struct elab *e)
{
	struct module *m = e->ast->main;
	for (int i = 0; i < m->items.n; i++) {
		e->code = new_code(e, "uncalled");
		e->frame = ARENA_NEW(e->a, struct frame);
		e->module = m;
		e->scope = NULL;
		e->call = NULL;
		env_push(e);
		walk_uncalled(e, m->items.at[i]);
	}
}

/* The init code is made on the side; its region ends when everything else is known. */
static void finish_init(struct elab *e)
{
	e->code = e->init_code;
	e->region = e->init_region;
	e->call = NULL;
	region_close(e);
	e->p->init = e->init_code->fn;
}

static void verify_host(struct elab *e, const struct host_function *f)
{
	const char *wrong = f ? host_verify(e->a, f) : NULL;
	BUG_IF(wrong, "host code of %s: %s", f->name, wrong);
}

/* All derivatives are taken. */
static void finish_rules(struct elab *e)
{
	for (int i = 0; i < e->p->regions.n; i++) {
		const struct node *left = graph_finish_ruled(e->p->regions.at[i]->graph);
		if (!left)
			continue;
		struct diag *m = diag_error(e->s, PML0416, left->span, "the rule is not linear in its tangents");
		diag_note(m, "its derivative needs the value of a tangent, and a tangent has none");
		diag_help(m, "a rule adds up its tangents and multiplies them by what does not depend on them");
		return;
	}
}

static void finish(struct elab *e)
{
	finish_init(e);
	if (e->s->errors)
		return;
	region_finish(e);
	if (e->s->errors)
		return;
	steps_mark(e);
	endless_mark(e);
	verify_host(e, e->p->init);
	verify_host(e, e->p->main);
	for (int i = 0; i < e->p->tests.n; i++)
		verify_host(e, e->p->tests.at[i].function);
	finish_rules(e);
	for (int i = 0; i < e->p->regions.n; i++) {
		const char *wrong = graph_order(e->p->regions.at[i]->graph);
		BUG_IF(wrong, "graph of %s: %s", e->p->regions.at[i]->name, wrong);
		wrong = graph_verify(e->p->regions.at[i]->graph);
		BUG_IF(wrong, "graph of %s: %s", e->p->regions.at[i]->name, wrong);
	}
}

static const char *base_name(struct elab *e, const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
	return dot && dot != base ? arena_strndup(e->a, base, (size_t)(dot - base)) : base;
}

static const struct evaluator evaluator = {
	.expr = expr_of_kind,
	.item = item_evaluated,
	.call = call_of_kind,
	.block = block_walked,
	.block_value = block_evaluated,
};

struct elab *elab_new(struct program_ast *ast)
{
	struct session *s = ast->session;
	const char *path = s->sources.at[ast->main->file].path;
	struct elab *e = ARENA_NEW(s->arena, struct elab);
	*e = (struct elab){.evaluator = &evaluator, .s = s, .a = s->arena, .ast = ast, .module = ast->main};
	e->p = program_new(s, base_name(e, path), path);
	map_init(&e->item_values, e->a);
	map_init(&e->places, e->a);
	map_init(&e->declared, e->a);
	map_init(&e->states, e->a);
	map_init(&e->everies, e->a);
	map_init(&e->of_data, e->a);
	map_init(&e->opens, e->a);
	map_init(&e->updates, e->a);
	e->init_code = new_code(e, "init");
	e->code = e->init_code;
	e->frame = ARENA_NEW(e->a, struct frame);
	env_push(e);
	place_collect(e);
	return e;
}

/* As many nodes as a graph has turn by turn: of the loop with the most in *most. */
static int64_t nodes_unrolled(const struct graph *g, const struct loop **most)
{
	int64_t *of = ARENA_ARRAY(g->arena, int64_t, g->loops.n + 1), all = 0, largest = 0;
	for (int i = 0; i < g->nodes.n; i++) {
		int64_t times = 1;
		const struct loop *outermost = NULL;
		for (const struct loop *l = g->nodes.at[i]->loop; l; outermost = l, l = l->outer)
			times = l->turns >= 0 ? count_mul(times, l->turns) : times;
		all = count_add(all, times);
		if (outermost && (of[outermost->id] = count_add(of[outermost->id], times)) > largest) {
			largest = of[outermost->id];
			*most = outermost;
		}
	}
	return all;
}

static void unroll_loops(struct program *p)
{
	for (int i = 0; i < p->regions.n; i++) {
		struct graph *g = p->regions.at[i]->graph;
		const struct loop *most = NULL;
		int64_t nodes = nodes_unrolled(g, &most);
		if (nodes <= MAX_STEPS || !most) {
			graph_unroll(g);
			continue;
		}
		struct diag *d = diag_error(p->session, PML0511, most->span,
					    "turn by turn this loop is too large: %lld operations", (long long)nodes);
		diag_help(d, "without `--loops=unrolled` it stays a loop");
	}
}

struct program *compiler_elaborate(struct program_ast *ast, enum elaborate_what what)
{
	struct elab *e = elab_new(ast);
	walk_slots(e);
	switch (what) {
	case ELABORATE_MAIN:
		walk_main(e);
		break;
	case ELABORATE_TESTS:
		walk_tests(e);
		break;
	case ELABORATE_UNCALLED:
		walk_functions(e);
		break;
	}
	finish(e);
	if (e->s->options.unroll_loops && !e->s->errors)
		unroll_loops(e->p);
	return e->p;
}
