/* search_text.c — see search_text.h. Edits at positions of the source, of which none but an `auto` replaces anything.
 */
#include "search_text.h"

#include "edits.h"
#include "search_home.h"
#include "visit.h"

#include <inttypes.h>
#include <string.h>

/* ---- moves ---- */

/* Whether the expression stands in parentheses of its own. */
static bool is_enclosed(const struct edits *w, struct span at)
{
	uint32_t begin = at.begin, end = at.end;
	while (begin > 0 && strchr(" \t\n", w->source->bytes[begin - 1]))
		begin--;
	while (end < w->source->size && strchr(" \t\n", w->source->bytes[end]))
		end++;
	return begin > 0 && end < w->source->size && w->source->bytes[begin - 1] == '(' && w->source->bytes[end] == ')';
}

/* `to` binds weaker than all operations, and so stands behind all of an expression but another one of its kind. */
static bool binds_weaker(const struct edits *w, struct span at)
{
	for (uint32_t i = at.begin; i + 1 < at.end; i++) {
		const char *c = w->source->bytes + i;
		if (!strncmp(c, " to ", 4) || !strncmp(c, "=>", 2))
			return true;
	}
	return false;
}

/* Whether something that is on no rank yet is not moved, since it stays whole. */
static bool leaves_data(const struct search *x, const struct search_plan *plan)
{
	for (int i = 0; i < search_opens(x); i++)
		if (search_open(x, i)->is_data && !plan->moves[i])
			return true;
	return false;
}

static void add_move(struct edits *w, const struct open_layout *o, const char *layout, const char *place)
{
	const char *to = !place ? arena_printf(w->arena, " to %s", layout)
				: arena_printf(w->arena, " to @%s : %s", place, layout);
	bool operand = o->kind == OPEN_OPERAND && !is_enclosed(w, o->span), whole = binds_weaker(w, o->span);
	uint32_t width = o->span.end - o->span.begin;
	if (operand)
		edits_add(w, o->span.begin, o->span.begin, "(", UINT32_MAX - width);
	if (whole)
		edits_add(w, o->span.begin, o->span.begin, "(", UINT32_MAX - width + 1);
	edits_add(w, o->span.end, o->span.end,
		  arena_printf(w->arena, "%s%s%s", whole ? ")" : "", to, operand ? ")" : ""), width);
}

/* ---- files ---- */

/* One file of the program, with its changes. */
struct written {
	struct edits edits;
	const struct module *module;
	const char *place; /* the placement as the file names it; NULL: nobody asked yet */
};

struct writing {
	struct arena *arena;
	const struct program *program;
	const struct program_ast *ast;
	struct written *files;      /* by module */
	bool *names;                /* by module: whether it names the placement */
	const struct written *home; /* where that is declared; NULL: nothing names it */
};

static struct written *file_of(const struct writing *x, struct span at)
{
	int i = 0;
	while (i < x->ast->modules.n - 1 && x->ast->modules.at[i]->file != at.file)
		i++;
	return &x->files[i];
}

static void names_it(struct writing *x, struct span at)
{
	x->names[file_of(x, at) - x->files] = true;
}

/* "grid"; "model.grid" in files that import it from there, or do from now on. In files that cannot it is what the
 * compiler will say. */
static const char *place_in(const struct writing *x, struct written *f, const struct place *p)
{
	if (!f->place)
		f->place = edits_name_from(&f->edits, x->ast, f->module, x->home->module, p->name);
	return f->place;
}

/* ---- the placement ---- */

/* Instead of what is `auto(...)`, or in front of all items. */
static void add_place(struct written *f, const struct place *p)
{
	struct edits *w = &f->edits;
	const struct item *open = module_open_place(f->module);
	struct text t;
	uint32_t at = edits_begin_of_items(w, f->module);
	text_init(&t, w->arena);
	if (open)
		text_add(&t, edits_text_inside(w, open->value->span));
	else
		text_printf(&t, "place %s = ranks(0..%" PRId64 ")", p->name, p->count);
	for (int a = 0; a < p->naxes && *p->axis[0]; a++)
		text_printf(&t, "%s%s = %" PRId64, a ? ", " : " as (", p->axis[a], p->extent[a]);
	text_add(&t, *p->axis[0] ? ")" : "");
	if (open)
		edits_add(w, open->value->span.begin, open->value->span.end, text_get(&t), 0);
	else
		edits_add(w, at, at, arena_printf(w->arena, "%s;\n\n", text_get(&t)), 0);
}

static void add_arguments(const struct writing *w, const struct left_out *x)
{
	struct written *f = file_of(w, x->behind);
	struct text t;
	text_init(&t, w->arena);
	for (int i = 0; i < x->placements; i++)
		text_printf(&t, "%s%s", i || !x->alone ? ", " : "[", place_in(w, f, x->place));
	text_add(&t, x->alone ? "]" : "");
	edits_add(&f->edits, x->behind.begin, x->behind.end, text_get(&t), 0);
}

/* ---- choices ---- */

const char *search_layout_text(struct arena *a, const struct search *x, const struct search_plan *plan, int open)
{
	struct text t;
	text_init(&t, a);
	layout_print(&t, search_open(x, open)->place, search_layout(x, open, plan->number[open]));
	return text_get(&t);
}

static bool names_place(const struct open_layout *o, const struct search_plan *plan, int i, bool leaves)
{
	bool moves = o->kind == OPEN_MOVE || o->kind == OPEN_OPERAND;
	return o->kind == OPEN_TYPE || (moves && plan->moves[i] && (o->is_data || (o->of_data && leaves)));
}

static void add_layout(const struct writing *w, const struct search *x, const struct search_plan *plan, int i,
		       bool leaves)
{
	const struct open_layout *o = search_open(x, i);
	struct written *f = file_of(w, o->span);
	const char *layout = search_layout_text(w->arena, x, plan, i);
	const char *place = names_place(o, plan, i, leaves) ? place_in(w, f, o->place) : NULL;
	switch (o->kind) {
	case OPEN_WRITTEN:
		edits_add(&f->edits, o->span.begin, o->span.end, layout, 0);
		break;
	case OPEN_TYPE:
		edits_add(&f->edits, o->span.begin, o->span.end,
			  arena_printf(w->arena, strcmp(layout, "B") ? " @ %s : %s" : " @ %s", place, layout), 0);
		break;
	case OPEN_MOVE:
	case OPEN_OPERAND:
		if (plan->moves[i])
			add_move(&f->edits, o, layout, place);
		break;
	}
}

/* Where no file can be imported by all that name the placement, the first of these. */
static int home_among(const struct writing *w)
{
	int home = home_of(w->arena, w->ast, w->names), first = 0;
	while (!w->names[first])
		first++;
	return home < 0 ? first : home;
}

/* ---- `auto` where nothing comes by ---- */

/* Of functions that nothing in main calls, and of tests. */
struct unread {
	struct visitor visitor;
	struct arena *arena;
	const struct search *search;
	struct spans *words;
};

static bool is_chosen(const struct search *x, struct span at)
{
	for (int i = 0; i < search_opens(x); i++) {
		const struct open_layout *o = search_open(x, i);
		if (o->kind == OPEN_WRITTEN && o->span.file == at.file && o->span.begin <= at.begin &&
		    at.end <= o->span.end)
			return true;
	}
	return false;
}

static void find_unread(struct unread *u, const struct ast_layout *l)
{
	for (int i = 0; l && i < l->atoms.n; i++) {
		struct span at = l->atoms.at[i].span; /* with its axis */
		if (l->atoms.at[i].form != ATOM_AUTO || is_chosen(u->search, at))
			continue;
		at.begin = at.end - (uint32_t)strlen("auto");
		vec_push(u->arena, u->words, at);
	}
}

static bool unread_expr(struct visitor *v, const struct expr *e)
{
	if (e->kind == EXPR_TO)
		find_unread((struct unread *)v, e->to.layout);
	return true;
}

static bool unread_type(struct visitor *v, const struct type *t)
{
	find_unread((struct unread *)v, t->layout);
	return true;
}

struct spans search_unread(struct arena *a, const struct program_ast *ast, const struct program *p,
			   const struct search *x)
{
	struct spans words = {0};
	struct unread u = {{.expr = unread_expr, .type = unread_type}, a, x, &words};
	for (int i = 0; i < ast->modules.n; i++) {
		const struct module *m = ast->modules.at[i];
		bool is_written = m == ast->main || (p->session->options.opened.imported && program_owns(ast, m->file));
		for (int k = 0; is_written && k < m->items.n; k++)
			visit_stmts(&u.visitor, m->items.at[k]->body);
	}
	return words;
}

static void add_unread(struct writing *w, const struct search *x)
{
	struct spans words = search_unread(w->arena, w->ast, w->program, x);
	for (int i = 0; i < words.n; i++)
		edits_add(&file_of(w, words.at[i])->edits, words.at[i].begin, words.at[i].end, "B", 0);
}

/* ---- the whole ---- */

/* Finds where the placement is to be declared; which it is, NULL if none is named. */
static const struct place *find_home(struct writing *w, const struct search *x, const struct search_plan *plan,
				     bool leaves)
{
	const struct program *p = w->program;
	const struct place *place = NULL;
	for (int i = 0; i < p->left_out.n; i++) {
		names_it(w, p->left_out.at[i].behind);
		place = p->left_out.at[i].place;
	}
	for (int i = 0; i < search_opens(x); i++)
		if (names_place(search_open(x, i), plan, i, leaves)) {
			names_it(w, search_open(x, i)->span);
			place = search_open(x, i)->place;
		}
	const struct item *open = module_open_place(w->ast->main);
	if (open)
		w->home = file_of(w, open->span);
	else if (place)
		w->home = &w->files[home_among(w)];
	return open && !place ? search_open(x, 0)->place : place;
}

/* Whether what was searched is not what is in the file. */
static bool is_other(const struct session *s, const struct written *f)
{
	bool is = false;
	for (int i = 0; i < s->options.texts.n; i++)
		is |= !strcmp(s->options.texts.at[i].path, f->edits.source->path);
	return is;
}

struct file_texts search_text(struct arena *a, const struct program_ast *ast, const struct program *p,
			      const struct search *x, const struct search_plan *plan)
{
	struct writing w = {.arena = a, .program = p, .ast = ast};
	struct file_texts out = {0};
	bool leaves = leaves_data(x, plan);
	w.files = ARENA_ARRAY(a, struct written, ast->modules.n);
	w.names = ARENA_ARRAY(a, bool, ast->modules.n);
	for (int i = 0; i < ast->modules.n; i++) {
		const struct module *m = ast->modules.at[i];
		w.files[i] = (struct written){{.arena = a, .source = &p->session->sources.at[m->file]}, m, NULL};
	}
	const struct place *place = find_home(&w, x, plan, leaves);
	for (int i = 0; i < search_opens(x); i++)
		add_layout(&w, x, plan, i, leaves);
	for (int i = 0; i < p->left_out.n; i++)
		add_arguments(&w, &p->left_out.at[i]);
	add_unread(&w, x);
	if (place)
		add_place(&w.files[w.home - w.files], place);
	for (int i = 0; i < ast->modules.n; i++)
		if (w.files[i].module == ast->main || w.files[i].edits.list.n || is_other(p->session, &w.files[i]))
			vec_push(a, &out.all, edits_apply(&w.files[i].edits));
	return out;
}
