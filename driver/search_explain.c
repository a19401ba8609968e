/* search_explain.c — why a choice of a search is as it is: what the best plan takes with each other layout in its
 * place, all else chosen anew, by the cost model; and whether it is memory that stands in the way. */
#include "finder.h"

#include "compiler/report/report.h"

#include <string.h>

struct forced {
	const struct layout *layout;
	struct search_plan plan;
	bool is_there, is_too_large;
};

/* Layouts that are possible before those that are not, cheaper ones first. */
static bool is_before(const struct forced *a, const struct forced *b)
{
	if (a->is_there != b->is_there)
		return a->is_there;
	return a->is_there ? a->plan.ns < b->plan.ns : a->is_too_large && !b->is_too_large;
}

static void sort(struct forced *f, int n)
{
	for (int i = 1; i < n; i++)
		for (int k = i; k > 0 && is_before(&f[k], &f[k - 1]); k--) {
			struct forced swap = f[k];
			f[k] = f[k - 1];
			f[k - 1] = swap;
		}
}

static void print_forced(struct text *t, const struct place *p, const struct forced *f, double best)
{
	enum { COLUMN = 28 };
	text_add(t, "  ");
	int from = (int)t->n, width;
	layout_print(t, p, f->layout);
	width = COLUMN - ((int)t->n - from);
	text_printf(t, "%*s", width > 1 ? width : 1, "");
	if (f->is_there)
		text_printf(t, "%-8s  %+.1f %%\n", report_ns_text(t->arena, (int64_t)(f->plan.ns + 0.5)),
			    best > 0 ? 100 * (f->plan.ns - best) / best : 0);
	else
		text_add(t, f->is_too_large ? "takes too much memory\n" : "is not legal, whatever else is chosen\n");
}

static void explain(struct text *t, const struct finder *x, struct opened *o, const struct search_plan *plan, int open)
{
	const struct open_layout *is = search_open(o->search, open);
	int n = search_layouts(o->search, open);
	struct forced *f = ARENA_ARRAY(x->arena, struct forced, n);
	double best = o->found.plans.at[0].ns;
	for (int k = 0; k < n; k++) {
		struct search_plan without;
		f[k].layout = search_layout(o->search, open, k);
		f[k].is_there = search_forced(o->search, open, k, o->limit, &f[k].plan);
		f[k].is_too_large = !f[k].is_there && o->limit && search_forced(o->search, open, k, 0, &without);
	}
	text_printf(t, "%s is ", finder_open_text(x, o, open));
	layout_print(t, is->place, search_layout(o->search, open, plan->number[open]));
	text_add(t, "; by the cost model the best plan takes with\n");
	sort(f, n);
	for (int k = 0; k < n; k++)
		print_forced(t, is->place, &f[k], best);
}

/* What the limit of memory costs: the fastest plan that was played and takes more. */
static void explain_memory(struct text *t, const struct finder *x)
{
	const struct played *best = &x->played.at[x->best], *any = best;
	if (!x->cli->memory)
		return;
	for (int i = 0; i < x->played.n; i++)
		if (x->played.at[i].is_legal && x->played.at[i].ns < any->ns)
			any = &x->played.at[i];
	if (any == best) {
		text_add(t, "--memory does not bind: no plan that was played is faster\n");
		return;
	}
	text_printf(t, "--memory binds: a step would take %s, on %s, with ", report_ns_text(x->arena, any->ns),
		    finder_mesh_text(x, any));
	text_bytes(t, any->memory);
	text_add(t, " on a rank\n");
	finder_print_holding(t, x, any);
	text_printf(t, "  the best plan that fits takes %s (%+.1f %%), ", report_ns_text(x->arena, best->ns),
		    any->ns ? 100 * ((double)best->ns - (double)any->ns) / (double)any->ns : 0);
	text_bytes(t, best->memory);
	text_add(t, " on a rank\n");
}

/* By its name, that of a struct or list it is in (`layers` of layers.0.up), or its place. */
static bool is_meant(const struct open_layout *o, const char *name)
{
	size_t n = strlen(name), place = strcspn(o->name, "+");
	bool is_named = !strncmp(o->searched, name, n) && (!o->searched[n] || o->searched[n] == '.');
	return is_named || (n == place && !strncmp(o->name, name, n));
}

static void report_no_choice(const struct finder *x, const struct search *s, const char *name)
{
	const char **names = ARENA_ARRAY(x->arena, const char *, search_opens(s) + 1);
	for (int i = 0; i < search_opens(s); i++)
		names[i] = search_open(s, i)->searched;
	const char *nearest = diag_nearest(name, names, search_opens(s));
	fprintf(stderr, "pmlc: --explain=%s: nothing of that name, or at that LINE:COLUMN, was chosen%s\n", name,
		nearest ? arena_printf(x->arena, "; did you mean `%s`?", nearest) : "");
}

/* ---- how something is computed ---- */

static bool is_way_meant(const struct finder *x, const struct way *w, const char *name)
{
	const char *text = finder_way_text(x, w);
	size_t word = strcspn(text, " ");
	const struct source *s = &x->as_it_is->session->sources.at[w->open.span.file];
	struct line_column at = source_position(s, w->open.span.begin);
	return (strlen(name) == word && !strncmp(name, text, word)) ||
	       !strcmp(name, arena_printf(x->arena, "%d:%d", at.line, at.column));
}

/* The fastest plan that was played with that value, and fits if that is asked for; -1: none. */
static int fastest_with(const struct finder *x, int way, int number, bool fits)
{
	int best = -1;
	for (int i = 0; i < x->played.n; i++) {
		const struct played *p = &x->played.at[i];
		if (x->forms.at[p->of].form.way[way] == number && p->is_legal && (!fits || finder_fits_one(x, p)) &&
		    (best < 0 || p->ns < x->played.at[best].ns))
			best = i;
	}
	return best;
}

/* What was played, the values in their order. */
static void explain_way(struct text *t, const struct finder *x, int way)
{
	const struct way *w = &x->ways.all.at[way];
	const struct played *best = &x->played.at[x->best];
	text_printf(t, "%s is %s; the best plan that was played takes with\n", finder_way_text(x, w),
		    finder_value_text(x, w, w->values.at[x->forms.at[best->of].form.way[way]]));
	for (int k = 0; k < w->values.n; k++) {
		int with = fastest_with(x, way, k, true);
		text_printf(t, "  %-10s", finder_value_text(x, w, w->values.at[k]));
		if (with >= 0)
			text_printf(t, "%-8s  %+.1f %%\n", report_ns_text(x->arena, x->played.at[with].ns),
				    best->ns ? 100 * ((double)x->played.at[with].ns - (double)best->ns) /
						       (double)best->ns
					     : 0);
		else if (fastest_with(x, way, k, false) >= 0)
			text_add(t, "too much memory\n");
		else
			text_add(t, w->open.kind == WAY_AGAIN ? "not tried: what is faster fits as it is\n"
							      : "no plan that compiles\n");
	}
	if (w->why)
		text_printf(t, "  not in more micro-batches: %s\n", w->why);
}

bool search_explain(const struct finder *x, const char *name)
{
	const struct played *best = &x->played.at[x->best];
	struct opened *o = &x->forms.at[best->of];
	struct text t;
	bool found = false;
	text_init(&t, x->arena);
	for (int i = 0; i < search_opens(o->search); i++) {
		if (!is_meant(search_open(o->search, i), name))
			continue;
		explain(&t, x, o, &best->plan, i);
		found = true;
	}
	for (int i = 0; i < x->ways.all.n; i++) {
		if (!x->ways.all.at[i].is_read || !is_way_meant(x, &x->ways.all.at[i], name))
			continue;
		explain_way(&t, x, i);
		found = true;
	}
	if (!found) {
		report_no_choice(x, o->search, name);
		return false;
	}
	explain_memory(&t, x);
	fputs(text_get(&t), stdout);
	return true;
}
