/* passes.c — running passes. A pass is trusted by nobody: the graph is verified when all have run, not after each,
 * which would take as long as the passes. With verify_each it is so after every pass, whose name is then told, and goes
 * through its own text, so that a pass cannot lean on something that printing does not show. */
#include "passes.h"

#include "../program.h"

#include <string.h>

enum { MAX_ROUNDS = 8 };

static const struct pass_row rows[] = {
#define PASS(name, stage, description) {#name, stage, pass_##name, description},
#include "passes.def"
#undef PASS
};

int pass_count(void)
{
	return (int)(sizeof rows / sizeof *rows);
}

const struct pass_row *pass_row(int i)
{
	return &rows[i];
}

const struct pass_row *pass_find(const char *name)
{
	for (int i = 0; i < pass_count(); i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

/* What the text leaves out: where things stand in the source. Outputs and nodes correspond by position. */
static void carry_over(struct graph *to, const struct graph *from)
{
	for (int i = 0; i < to->nodes.n; i++) {
		to->nodes.at[i]->span = from->nodes.at[i]->span;
		to->nodes.at[i]->call = from->nodes.at[i]->call;
		to->nodes.at[i]->is_derived = from->nodes.at[i]->is_derived;
		to->nodes.at[i]->in_library = from->nodes.at[i]->in_library;
		to->nodes.at[i]->doc = from->nodes.at[i]->doc;
		to->nodes.at[i]->names_factors = from->nodes.at[i]->names_factors;
		to->nodes.at[i]->batch = from->nodes.at[i]->batch;
		to->nodes.at[i]->micro = from->nodes.at[i]->micro;
		if (to->nodes.at[i]->kind == NODE_CHECK)
			to->nodes.at[i]->check.where = from->nodes.at[i]->check.where;
		if (to->nodes.at[i]->kind == NODE_TO || to->nodes.at[i]->kind == NODE_CONTRACT) {
			struct node_target *t = graph_retarget(to, to->nodes.at[i]);
			t->where = from->nodes.at[i]->target->where;
			t->layout.span = from->nodes.at[i]->target->layout.span;
		}
	}
	for (int i = 0; i < to->loops.n; i++) {
		to->loops.at[i]->span = from->loops.at[i]->span;
		to->loops.at[i]->batch = from->loops.at[i]->batch;
	}
	for (int i = 0; i < to->outputs.n; i++)
		to->outputs.at[i].span = from->outputs.at[i].span;
}

static void reread(struct session *s, struct graph *g, const char *pass)
{
	struct text before, after;
	struct arena *texts = arena_new("passes: texts");
	text_init(&before, texts);
	text_init(&after, texts);
	graph_print(&before, g);
	const char *error = NULL;
	struct graph *fresh = graph_read(s, g->program, text_get(&before), &error);
	BUG_IF(!fresh, "after pass %s the graph's text does not read back: %s", pass, error);
	graph_print(&after, fresh);
	BUG_IF(strcmp(text_get(&before), text_get(&after)),
	       "after pass %s the graph's text reads back as another graph", pass);
	arena_free(texts);
	carry_over(fresh, g);
	*g = *fresh;
}

static void verify(const struct graph *g, const char *pass)
{
	const char *wrong = graph_verify(g);
	BUG_IF(wrong, "after pass %s: %s", pass, wrong);
}

/* For --print-after. */
static void print_after(const struct session *s, const struct graph *g, const struct pass_row *pass, bool changed)
{
	const struct program *p = g->program;
	if (!s->options.print_after || strcmp(s->options.print_after, pass->name))
		return;
	text_printf(s->options.printed, "after %s", pass->name);
	for (int i = 0; p && i < p->regions.n; i++)
		if (p->regions.at[i]->graph == g)
			text_printf(s->options.printed, ", region %d %s", i, p->regions.at[i]->name);
	text_add(s->options.printed, changed ? "\n" : ": nothing changed\n");
	if (changed)
		graph_print(s->options.printed, g);
}

static bool run_pass(struct session *s, struct graph *g, const struct pass_row *pass)
{
	BUG_IF(g->stage != pass->stage, "pass %s was given a graph of another stage", pass->name);
	bool changed = pass->run(s, g);
	print_after(s, g, pass, changed);
	if (s->options.verify_each)
		verify(g, pass->name);
	if (s->options.verify_each && changed) /* else it has been read back already */
		reread(s, g, pass->name);
	return changed;
}

bool graph_run_pass(struct session *s, struct graph *g, const struct pass_row *pass)
{
	bool changed = run_pass(s, g, pass);
	if (changed)
		verify(g, pass->name);
	return changed;
}

void graph_run_passes(struct session *s, struct graph *g)
{
	enum graph_stage stage = g->stage;
	int n = 0, idle = 0; /* passes of this stage; how many in a row have found nothing */
	for (int i = 0; i < pass_count(); i++)
		n += rows[i].stage == stage;
	for (int round = 0; idle < n && round < MAX_ROUNDS; round++)
		for (int i = 0; i < pass_count() && idle < n; i++)
			if (rows[i].stage == stage)
				idle = run_pass(s, g, &rows[i]) ? 0 : idle + 1;
	verify(g, "one that --verify-each names");
}
