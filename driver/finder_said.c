/* finder_said.c — what is said of plans: where they are, how good they are, and why there is none. */
#include "finder.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

const struct search *finder_search_of(const struct finder *x, const struct played *p)
{
	return x->forms.at[p->of].search;
}

/* The source of an expression, in one line; what is long is cut. */
static const char *expression_text(struct arena *a, const struct source *source, struct span at)
{
	enum { MOST = 40 };
	struct text t;
	text_init(&t, a);
	for (uint32_t i = at.begin; i < at.end && i < source->size; i++)
		if (!isspace((unsigned char)source->bytes[i]))
			text_add_n(&t, &source->bytes[i], 1);
		else if (t.n && t.at[t.n - 1] != ' ')
			text_add(&t, " ");
	const char *whole = text_get(&t);
	return t.n <= MOST ? arena_printf(a, "`%s`", whole) : arena_printf(a, "`%.*s...`", MOST - 3, whole);
}

const char *finder_open_text(const struct finder *x, const struct opened *of, int open)
{
	const struct open_layout *o = search_open(of->search, open);
	const struct session *s = of->drive->session;
	bool is_named = (o->kind != OPEN_MOVE && o->kind != OPEN_OPERAND) || (int)o->span.file >= s->sources.n;
	bool is_main = o->span.file == of->drive->ast->main->file;
	return arena_printf(x->arena, "%s at %s%s%.*s",
			    is_named ? o->searched : expression_text(x->arena, &s->sources.at[o->span.file], o->span),
			    is_main ? x->cli->file : "", is_main ? ":" : "", (int)strcspn(o->name, "+"), o->name);
}

const char *finder_mesh_text(const struct finder *x, const struct played *p)
{
	return x->forms.at[p->of].where;
}

/* What the best plan costs of all meshes, or of the stages that are the best; bound: what none costs less than. */
static double least_cost(const struct finder *x, bool bound)
{
	double least = -1;
	const struct opened *best = &x->forms.at[x->played.at[x->best].of];
	for (int i = 0; i < x->forms.n; i++) {
		const struct search_result *r = &x->forms.at[i].found;
		const struct form *f = &x->forms.at[i].form;
		bool is_other = best->form.stages ? best != &x->forms.at[i]
						  : f->stages || f->way != best->form.way ||
							    (x->is_plain && !f->way && f->texts != best->form.texts);
		if (is_other)
			continue;
		double ns = !r->plans.n ? -1 : bound ? r->bound : r->plans.at[0].ns;
		least = ns >= 0 && (least < 0 || ns < least) ? ns : least;
	}
	return least;
}

const char *finder_proof(const struct finder *x)
{
	double cost = least_cost(x, false), bound = least_cost(x, true);
	const struct form *best = &x->forms.at[x->played.at[x->best].of].form;
	const char *played = arena_printf(x->arena, "%d plan%s played", x->played.n, x->played.n == 1 ? "" : "s");
	int variables;
	int64_t entries;
	if (!search_opens(finder_search_of(x, &x->played.at[x->best])))
		return played;
	search_size(finder_search_of(x, &x->played.at[x->best]), &variables, &entries);
	return arena_printf(
		x->arena,
		"by the cost model the best %s %s, within %.1f %% of the best there is (bound %s, %d "
		"variable%s); %s",
		best->stages ? "for these stages adds up to"
		: best->way  ? "that is computed so takes"
			     : "takes",
		report_ns_text(x->arena, (int64_t)(cost + 0.5)), cost > bound ? 100 * (cost - bound) / cost : 0,
		report_ns_text(x->arena, (int64_t)(bound + 0.5)), variables, variables == 1 ? "" : "s", played);
}

void finder_print_holding(struct text *t, const struct finder *x, const struct played *p)
{
	text_add(t, "  ");
	report_print_holding(t, &p->holding);
	text_add(t, "; may be ");
	text_bytes(t, x->cli->memory);
	text_add(t, "\n");
	report_print_held(t, &p->holding);
}

/* What the plan needs that needs least, and the limit with which there would be one. */
static void report_too_little(const struct finder *x)
{
	const struct played *least = &x->played.at[x->least];
	struct text t;
	text_init(&t, x->arena);
	text_printf(&t, "pmlc: no choice fits into %" PRId64 " byte%s: the least that was found takes %" PRId64 "\n",
		    x->cli->memory, x->cli->memory == 1 ? "" : "s", least->memory);
	finder_print_holding(&t, x, least);
	text_printf(&t, "  with --memory=%" PRId64 " there is a plan, on %s, with which a step takes %s\n",
		    least->memory, finder_mesh_text(x, least), report_ns_text(x->arena, least->ns));
	fputs(text_get(&t), stderr);
}

/* Whether a search chooses for what the file declares. */
static bool is_searched(const struct finder *x, uint32_t file)
{
	const struct program_ast *ast = x->forms.at[0].drive->ast;
	return file == ast->main->file || (x->imported && program_owns(ast, file));
}

/* The first type of a tensor in t, fields of structs among them, that stands in another file and names no placement. */
static const struct type *imported_type(const struct finder *x, const struct type *t)
{
	const struct type *found = NULL;
	if (!t)
		return NULL;
	if (t->kind == TYPE_TENSOR)
		return t->placement || is_searched(x, t->span.file) ? NULL : t;
	if (t->kind == TYPE_ARRAY)
		return imported_type(x, t->element);
	for (int i = 0; i < t->members.n && !found; i++)
		found = imported_type(x, t->members.at[i]);
	for (int i = 0; t->item && i < t->item->params.n && !found; i++)
		found = imported_type(x, t->item->params.at[i].type);
	return found;
}

static const struct type *imported_slot(const struct finder *x, const struct module *m)
{
	const struct type *found = NULL;
	for (int i = 0; i < m->items.n && !found; i++)
		if (item_is_slot(m->items.at[i]))
			found = imported_type(x, m->items.at[i]->type);
	return found;
}

void finder_say(struct finder *x, const char *text)
{
	fputs(text, stderr);
	text_add(&x->said, text);
}

void finder_note_imported(struct finder *x)
{
	const struct drive *d = x->forms.at[0].drive;
	const struct program_ast *ast = d->ast;
	const struct type *found = NULL;
	for (int i = 0; x->is_plain && i < ast->modules.n && !found; i++)
		if (i && strncmp(ast->modules.at[i]->name, "std.", 4))
			found = imported_slot(x, ast->modules.at[i]);
	if (!found)
		return;
	const struct source *s = &d->session->sources.at[found->span.file];
	struct line_column at = source_position(s, found->span.begin);
	const char *note;
	if (x->is_apart)
		note = arena_printf(
			x->arena,
			"pmlc: layouts are chosen for what `%s` itself declares, not for what has the type at "
			"%s:%d:%d: the placement would stand in a file that all others with params, states and structs "
			"can import, and there is none, since a file imports what is in its folder and below\n",
			x->cli->file, s->path, at.line, at.column);
	else if (!x->imported && program_owns(ast, found->span.file))
		note = arena_printf(
			x->arena,
			"pmlc: layouts are chosen for what `%s` itself declares; with -o FOLDER/, or --edit, for what "
			"has the type at %s:%d:%d as well\n",
			x->cli->file, s->path, at.line, at.column);
	else
		note = arena_printf(x->arena,
				    "pmlc: layouts are chosen for what the program itself declares; what has the type "
				    "at %s:%d:%d stays "
				    "on one rank: move it there, or give its struct a placement (`struct Layer[p: "
				    "place] { w : f32[8, 8] "
				    "@ p }`)\n",
				    s->path, at.line, at.column);
	finder_say(x, note);
}

void finder_note_ways(struct finder *x)
{
	for (int i = 0; i < x->ways.all.n; i++) {
		const struct way *w = &x->ways.all.at[i];
		const char *where = finder_way_text(x, w), *is = finder_value_text(x, w, w->values.at[0]);
		if (!w->is_read)
			finder_say(x, arena_printf(x->arena,
						   "pmlc: %s: nothing that `main` does comes by this `auto`, which "
						   "becomes `%s`\n",
						   where, is));
		else if (w->why)
			finder_say(x, arena_printf(x->arena,
						   "pmlc: %s: a step in more micro-batches is not known to be the same "
						   "step: %s; a number that is written is taken as it is\n",
						   where, w->why));
	}
}

int finder_report_nothing(struct finder *x)
{
	const char *refused = NULL;
	if (x->refused) {
		fprintf(stderr, "pmlc: %s: %s\n", x->cli->machine, x->refused);
		return EXIT_ERRORS;
	}
	for (int i = 0; i < x->forms.n && !refused; i++)
		refused = !x->forms.at[i].search ? NULL : search_refused(x->forms.at[i].search);
	if (refused)
		fprintf(stderr, "pmlc: %s\n", refused);
	else if (x->least >= 0 && x->cli->memory)
		report_too_little(x);
	else if (!x->played.n)
		fprintf(stderr, "pmlc: whatever is chosen, the program is not legal%s\n",
			x->cli->memory ? " or takes more memory" : "");
	else {
		fprintf(stderr,
			"pmlc: the best plans by the cost model do not compile, the first one for this reason:\n");
		finder_play(x, &x->played.at[0], x->arena, true, false);
		finder_note_imported(x);
	}
	return EXIT_NONE;
}
