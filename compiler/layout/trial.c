/* trial.c — see trial.h. Patched reads get a `to` of their own beside the graph; every node from the first of them on
 * is inferred again, and all that inference writes is put back afterwards. */
#include "trial.h"

#include "../program.h"
#include "convert.h"

#include <string.h>

/* Nodes inferred for trials in one stage, so that a wrong program of any size is answered soon. */
enum { MOST_NODES = 100000 };

bool trial_is_inside(const struct node *n, const struct node *x)
{
	return x->kind != NODE_SLOT && n->in_library && x->in_library && n->span.file == x->span.file &&
	       n->span.begin == x->span.begin && n->span.end == x->span.end;
}

struct saved {
	struct note *notes;
	struct layout *layouts;
	struct bound *vars;
	struct slot *slots;
	int diags, errors;
	struct {
		struct node *node;
		int input;
		struct node *was;
	} * reads;
	int nreads;
};

static void *copy(struct arena *a, const void *from, size_t bytes)
{
	void *to = arena_alloc(a, bytes ? bytes : 1);
	if (bytes)
		memcpy(to, from, bytes);
	return to;
}

static struct saved save(struct stage *st)
{
	const struct graph *g = st->graph;
	struct saved s = {.diags = st->session->diags.n, .errors = st->session->errors};
	s.notes = copy(st->arena, st->notes, sizeof *st->notes * (size_t)g->nodes.n);
	s.vars = copy(st->arena, st->vars, sizeof *st->vars * (size_t)g->nlayout_vars);
	s.layouts = ARENA_ARRAY(st->arena, struct layout, g->nodes.n);
	s.slots = ARENA_ARRAY(st->arena, struct slot, st->program->slots.n);
	for (int i = 0; i < g->nodes.n; i++)
		s.layouts[i] = g->nodes.at[i]->layout;
	for (int i = 0; i < st->program->slots.n; i++)
		s.slots[i] = *st->program->slots.at[i];
	return s;
}

static void put_back(struct stage *st, struct saved *s)
{
	const struct graph *g = st->graph;
	for (int i = 0; i < s->nreads; i++)
		s->reads[i].node->in[s->reads[i].input] = s->reads[i].was;
	memcpy(st->notes, s->notes, sizeof *st->notes * (size_t)g->nodes.n);
	if (g->nlayout_vars)
		memcpy(st->vars, s->vars, sizeof *st->vars * (size_t)g->nlayout_vars);
	for (int i = 0; i < g->nodes.n; i++)
		g->nodes.at[i]->layout = s->layouts[i];
	for (int i = 0; i < st->program->slots.n; i++)
		*st->program->slots.at[i] = s->slots[i];
	st->session->diags.n = s->diags;
	st->session->errors = s->errors;
}

static bool is_reader(const struct trial_patch *p, const struct node *n)
{
	return n == p->user || trial_is_inside(p->user, n);
}

/* The value as converted: a `to` beside the graph that has no input, with the note behind those of the graph. */
static struct node *converted(struct stage *st, const struct trial_patch *p, int number)
{
	struct node *to = ARENA_NEW(st->arena, struct node);
	struct node_target *target = ARENA_NEW(st->arena, struct node_target);
	*target = (struct node_target){.place = p->value->place,
				       .layout = {.form = LAYOUT_GIVEN, .layout = p->layout},
				       .where = p->value->span};
	*to = *p->value;
	to->target = target;
	to->id = st->graph->nodes.n + number;
	to->kind = NODE_TO;
	to->origin = ORIGIN_SOURCE;
	to->layout = p->layout;
	to->nin = 0;
	st->notes[to->id] = (struct note){.is_free = false};
	return to;
}

/* Readers of the patched values; the number of the first, or the graph's size if there is none. */
static int patch(struct stage *st, struct saved *s, const struct trial_patch *patches, int n)
{
	const struct graph *g = st->graph;
	int first = g->nodes.n, most = 0;
	struct node *to[TRIAL_PATCHES];
	for (int k = 0; k < n; k++)
		to[k] = converted(st, &patches[k], k);
	for (int i = 0; i < g->nodes.n; i++)
		most += g->nodes.at[i]->nin;
	s->reads = arena_alloc(st->arena, sizeof *s->reads * (size_t)(most + 1));
	for (int i = 0; i < g->nodes.n; i++) {
		struct node *x = g->nodes.at[i];
		for (int in = 0; in < x->nin; in++)
			for (int k = 0; k < n; k++) {
				if (x->in[in] != patches[k].value || !is_reader(&patches[k], x))
					continue;
				s->reads[s->nreads].node = x;
				s->reads[s->nreads].input = in;
				s->reads[s->nreads++].was = x->in[in];
				x->in[in] = to[k];
				first = i < first ? i : first;
				break;
			}
	}
	return first;
}

/* What follows from the patched reads. A carried value follows from what becomes of it. */
static bool *find_changed(const struct stage *st, const struct saved *s)
{
	const struct graph *g = st->graph;
	bool *changed = ARENA_ARRAY(st->arena, bool, g->nodes.n), more = true;
	for (int i = 0; i < s->nreads; i++)
		changed[s->reads[i].node->id] = true;
	while (more) {
		more = false;
		for (int i = 0; i < g->nodes.n; i++) {
			const struct node *n = g->nodes.at[i];
			bool follows = n->kind == NODE_CARRY && changed[st->ends[i]->id];
			for (int k = 0; k < n->nin && !follows; k++)
				follows = n->in[k]->id < g->nodes.n && changed[n->in[k]->id];
			more |= follows && !changed[i] && g->loops.n;
			changed[i] = changed[i] || follows;
		}
	}
	return changed;
}

static int64_t bytes_of_conversions(struct stage *st, const bool *changed)
{
	int64_t bytes = 0;
	for (int i = 0; i < st->graph->nodes.n; i++) {
		const struct node *n = st->graph->nodes.at[i], *x = n->nin ? n->in[0] : NULL;
		if (!changed[i] || n->kind != NODE_TO || n->origin != ORIGIN_SOURCE || !n->place || !x->place)
			continue;
		struct layout has = stage_seen(st, x);
		if (!st->notes[i].poisoned && layout_can_become(x->place, &has, n->place, &n->layout))
			bytes = count_add(bytes, convert_bytes(st->costs, n->dtype, &n->shape, x->place, &has, n->place,
							       &n->layout));
	}
	return bytes;
}

static struct trial_result infer_again(struct stage *st, const struct saved *s, int first)
{
	struct graph *g = st->graph;
	struct trial_result result;
	bool *is_uneven = st->is_uneven, *changed = find_changed(st, s);
	st->is_uneven = ARENA_ARRAY(st->arena, bool, g->loops.n);
	st->tries = changed;
	st->errors_tried = 0;
	if (first < g->nodes.n)
		stage_infer_nodes(st, NULL, graph_whole_begin(g, first));
	for (int i = 0; i < g->outputs.n; i++) {
		struct layout want;
		int before = st->session->errors;
		stage_infer_output(st, &g->outputs.at[i], &want);
		st->errors_tried += changed[g->outputs.at[i].node->id] ? st->session->errors - before : 0;
	}
	st->tries = NULL;
	st->is_uneven = is_uneven;
	st->must_unroll = false;
	result.errors = st->errors_tried;
	result.bytes = result.errors ? 0 : bytes_of_conversions(st, changed);
	return result;
}

struct trial_result trial_run(struct stage *st, const struct trial_patch *patches, int n)
{
	if (st->is_trial || st->must_unroll || st->tried > MOST_NODES)
		return (struct trial_result){.mends = true};
	/* What inference allocates ends with the trial. */
	struct arena *own = st->arena;
	st->arena = arena_new("trial");
	struct saved s = save(st);
	st->is_trial = true;
	int first = patch(st, &s, patches, n);
	struct trial_result result = infer_again(st, &s, first);
	result.mends = !st->notes[patches[0].user->id].poisoned;
	st->is_trial = false;
	st->tried += st->graph->nodes.n - first;
	put_back(st, &s);
	arena_free(st->arena);
	st->arena = own;
	return result;
}
