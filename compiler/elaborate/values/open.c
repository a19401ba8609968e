/* open.c — layouts that the source leaves out: of params and states (then `B`), and of a `to` that gives what is on no
 * rank yet its first placement (then what moves least). None of them may change a result, so `pmlc test --vary-layouts`
 * forces others. The program lists them; session.options.layouts says which are forced. A search leaves open what says
 * `auto`, and, in a program without placements, every layout and a `to` wherever the main file has a tensor as an
 * argument, a value that is bound, or an operand of a product; but not where a derivative is handed on by `each (p, d)
 * in g`, for states are laid out like it. */
#include "values.h"

#include <stdlib.h>
#include <string.h>

static bool read_word(const char **at, const char *word)
{
	size_t n = strlen(word);
	if (strncmp(*at, word, n))
		return false;
	*at += n;
	return true;
}

static bool read_atom(const char **at, int rank, struct shard_atom *out)
{
	*out = layout_broadcast().atom[0];
	if (read_word(at, "B"))
		return true;
	if (!read_word(at, "S("))
		return false;
	char *end;
	long dim = strtol(*at, &end, 10);
	if (end == *at || dim < 0 || dim >= rank)
		return false;
	*at = end;
	*out = (struct shard_atom){.kind = SHARD_S, .dim = (int8_t)dim};
	return read_word(at, ")");
}

/* "B", "S(0)", "(dp=S(0), tp=B)": as layout_print writes finished layouts. */
static bool read_layout(const char *text, const struct place *p, int rank, struct layout *out)
{
	*out = layout_broadcast();
	if (p->naxes == 1 && !*p->axis[0])
		return read_atom(&text, rank, &out->atom[0]) && !*text;
	if (!strcmp(text, "B"))
		return true;
	if (!read_word(&text, "("))
		return false;
	do {
		int a = 0;
		size_t n = strcspn(text, "=");
		while (a < p->naxes && (strlen(p->axis[a]) != n || memcmp(p->axis[a], text, n)))
			a++;
		text += n;
		if (a == p->naxes || !read_word(&text, "=") || !read_atom(&text, rank, &out->atom[a]))
			return false;
	} while (read_word(&text, ", "));
	return read_word(&text, ")") && !*text;
}

static struct open_layout *note(struct elab *e, const char *name, const struct place *p, const struct shape *s)
{
	const char *key = intern(e->s->names, name);
	int *known = map_get(&e->opens, key);
	if (!known) {
		struct open_layout o = {.name = name, .place = p, .shape = *s};
		known = ARENA_NEW(e->a, int);
		*known = e->p->open.n;
		map_set(&e->opens, key, known);
		vec_push(e->a, &e->p->open, o);
	}
	return &e->p->open.at[*known];
}

void open_layout(struct elab *e, const char *name, const struct place *p, const struct shape *s, struct layout_spec *l)
{
	struct layout forced;
	note(e, name, p, s);
	for (int i = 0; i < e->s->options.layouts.n; i++) {
		struct forced_layout *f = &e->s->options.layouts.at[i];
		if (strcmp(f->name, name) || !read_layout(f->layout, p, s->rank, &forced))
			continue;
		f->used = true;
		*l = (struct layout_spec){.form = LAYOUT_GIVEN, .layout = forced, .span = l->span};
	}
}

bool open_owns(const struct elab *e, uint32_t file)
{
	return file == e->ast->main->file || (e->s->options.opened.imported && program_owns(e->ast, file));
}

const char *open_place_name(struct elab *e, struct span at)
{
	if (!open_owns(e, at.file))
		return NULL;
	const struct source *s = &e->s->sources.at[at.file];
	struct line_column lc = source_position(s, at.begin);
	return at.file == e->ast->main->file ? arena_printf(e->a, "%d:%d", lc.line, lc.column)
					     : arena_printf(e->a, "%s:%d:%d", s->path, lc.line, lc.column);
}

/* The atoms that are `auto` become those of the open layout with that name. */
static struct open_layout *number_atoms(struct elab *e, const char *name, const char *of, const struct place *p,
					const struct shape *s, struct layout_spec *l)
{
	int i = *(int *)map_get(&e->opens, intern(e->s->names, name));
	struct open_layout *o = &e->p->open.at[i];
	o->searched = o->searched ? o->searched : of;
	o->span = l->span;
	o->shape = s->rank < o->shape.rank ? *s : o->shape;
	for (int a = 0; a < p->naxes; a++)
		if (atom_open(l->layout.atom[a]) >= 0)
			l->layout.atom[a] = atom_of_open(i);
	o->layout = l->layout;
	return o;
}

static bool has_same_axes(const struct place *p, const struct place *q)
{
	bool same = p->naxes == q->naxes;
	for (int a = 0; a < p->naxes && same; a++)
		same = p->axis[a] == q->axis[a];
	return same;
}

/* One word is one layout, and what is found is written by the names of axes. */
static bool fits_first(struct elab *e, const char *name, const struct place *p, struct span at)
{
	const int *known = map_get(&e->opens, intern(e->s->names, name));
	const struct place *first = known ? e->p->open.at[*known].place : p;
	if (has_same_axes(first, p))
		return true;
	struct diag *d =
		elab_error(e, PML0213, at, "`auto` is one layout, here of what is on `%s` and of what is on `%s`",
			   first->name, p->name);
	diag_note(d, "layouts name axes, and those of the placements are different");
	diag_help(d, "write `to auto` behind the calls, or a function for each of the placements");
	return false;
}

/* What `auto` is not yet, what a search chooses, where the file is not its own, and what it finds. */
static void not_yet(struct elab *e, struct span at, const char *what, const char *chooses, const char *finds)
{
	struct diag *d = elab_error(e, PML0901, at, "`auto` is no %s yet", what);
	if (e->s->options.searches)
		diag_note(d, "%s", chooses);
	else
		diag_help(d, "%s", finds);
}

bool open_auto(struct elab *e, const char *of, const struct place *p, const struct shape *s, struct layout_spec *l)
{
	struct span at = l->span;
	if (place_is_open(e, p) &&
	    !e->opened_place) { /* while no mesh is tried it is one rank, on which nothing is open */
		l->layout = layout_broadcast();
		return true;
	}
	const char *name = e->s->options.searches && p ? open_place_name(e, at) : NULL;
	if (!name) {
		not_yet(e, at, "layout",
			"a search chooses layouts in files that it can write: the program's own, and with --edit or -o "
			"FOLDER/ those of its folder",
			"`pmlc search --machine=FILE.json` finds the one that takes least time, and writes it here");
		return false;
	}
	if (!fits_first(e, name, p, at))
		return false;
	open_layout(e, name, p, s, l);
	number_atoms(e, name, of, p, s, l);
	return true;
}

/* ---- how something is computed ---- */

struct open_way *open_way_of(struct elab *e, enum way_kind kind, const struct expr *x)
{
	for (int i = 0; i < e->p->ways.n; i++) {
		struct open_way *w = &e->p->ways.at[i];
		if (w->kind == kind && w->block.file == x->block.head.span.file &&
		    w->block.begin == x->block.head.span.begin)
			return w;
	}
	return NULL;
}

static void no_way_yet(struct elab *e, enum way_kind kind, struct span at)
{
	static const char *const what[] = {[WAY_PARTS] = "number of micro-batches",
					   [WAY_SCHEDULE] = "schedule",
					   [WAY_AGAIN] = "answer to whether the block is computed again"};
	not_yet(e, at, what[kind],
		"a search writes into the program's own file, and with --edit or -o FOLDER/ into those of its folder",
		"`pmlc search --machine=FILE.json` finds the one with which a step takes least time, and writes it "
		"here; `pmlc --machine=FILE.json` compiles with it");
}

bool open_way(struct elab *e, enum way_kind kind, const struct expr *x, struct span at)
{
	if (!e->s->options.searches || !open_owns(e, at.file)) {
		no_way_yet(e, kind, at);
		return false;
	}
	if (!open_way_of(e, kind, x))
		vec_push(e->a, &e->p->ways,
			 ((struct open_way){.kind = kind, .span = at, .block = x->block.head.span, .rows = -1}));
	return true;
}

/* ---- programs without placements ---- */

static bool is_taken(const struct elab *e, const char *name)
{
	bool taken = false;
	for (int i = 0; i < e->ast->modules.n && !taken; i++)
		taken = open_owns(e, e->ast->modules.at[i]->file) && map_get(&e->ast->modules.at[i]->scope, name);
	return taken;
}

const struct place *open_place(struct elab *e)
{
	static const char *const names[] = {"grid", "mesh", "all_ranks", "grid_of_ranks"};
	static const char *const axes[][3] = {{""}, {"outer", "inner"}, {"outer", "middle", "inner"}};
	struct place p = {.naxes = e->s->options.opened.naxes, .count = 1};
	int i = 0;
	while (i < 3 && is_taken(e, intern(e->s->names, names[i])))
		i++;
	p.name = intern(e->s->names, names[i]);
	if (module_open_place(e->ast->main))
		p.name = module_open_place(e->ast->main)->name.text;
	for (int a = 0; a < p.naxes; a++) {
		p.axis[a] = intern(e->s->names, axes[p.naxes - 1][a]);
		p.extent[a] = e->s->options.opened.extent[a];
		p.count *= p.extent[a];
	}
	return place_intern(e, &p);
}

/* A layout on the placement with all axes open. */
static struct layout_spec add_open(struct elab *e, enum open_kind kind, const char *name, const char *of,
				   const struct place *p, const struct shape *s, struct span at)
{
	struct layout_spec l = {.form = LAYOUT_GIVEN, .layout = layout_broadcast(), .span = at};
	for (int a = 0; a < p->naxes; a++)
		l.layout.atom[a] = atom_of_open(0);
	open_layout(e, name, p, s, &l);
	number_atoms(e, name, of, p, s, &l)->kind = kind;
	return l;
}

void open_type(struct elab *e, const char *of, const struct type *t, const struct shape *s, const struct place **p,
	       struct layout_spec *l)
{
	struct span behind = {t->span.file, t->span.end, t->span.end};
	const char *name = e->opened_place && !t->placement && !t->layout ? open_place_name(e, behind) : NULL;
	if (!name)
		return;
	*p = e->opened_place;
	*l = add_open(e, OPEN_TYPE, name, of, *p, s, behind);
}

void open_arguments(struct elab *e, const struct type *t, int placements)
{
	struct span last = t->args.n ? t->args.at[t->args.n - 1]->span : t->name.span;
	struct left_out x = {{last.file, last.end, last.end}, placements, !t->args.n, e->opened_place};
	if (!placements || !e->opened_place || !open_owns(e, last.file))
		return;
	for (int i = 0; i < e->p->left_out.n; i++)
		if (e->p->left_out.at[i].behind.begin == last.end && e->p->left_out.at[i].behind.file == last.file)
			return;
	vec_push(e->a, &e->p->left_out, x);
}

/* Whether it is read from a file: what is made of numbers alone need be moved nowhere. */
static bool is_data(const struct node *n, int depth)
{
	if (n->kind == NODE_DATA)
		return true;
	for (int i = 0; i < n->nin && depth; i++)
		if (is_data(n->in[i], depth - 1))
			return true;
	return false;
}

/* Whether it may be made of what is on no rank alone, if those `to` are left out that a search adds: of data, numbers,
 * and what an earlier region kept. */
static bool is_of_data(struct elab *e, const struct node *n, int depth)
{
	if (!n->place || (n->kind == NODE_SLOT && e->p->slots.at[n->slot]->slot_class == SLOT_VALUE))
		return true;
	if (!depth || !n->nin)
		return false;
	bool *is = map_get(&e->of_data, n);
	if (is)
		return *is;
	is = ARENA_NEW(e->a, bool);
	*is = true;
	for (int i = 0; i < n->nin && *is; i++)
		*is = is_of_data(e, n->in[i], depth - 1);
	map_set(&e->of_data, n, is);
	return *is;
}

const struct value *open_move(struct elab *e, const struct value *v, const struct expr *x, enum open_kind kind)
{
	enum { DEPTH = 8, FAR = 256 };
	bool moves = e->opened_place || e->s->options.opened.moves;
	const char *at = moves ? open_place_name(e, x->span) : NULL;
	if (!at || !value_is_tensor(v) || (v->kind == VALUE_PARAM && kind != OPEN_OPERAND))
		return v;
	struct node *n = tensor_node(e, v, x->span);
	const struct place *p = n->place ? n->place : e->opened_place;
	if (!p || !p->naxes || (e->opened_place && p != e->opened_place) ||
	    (kind != OPEN_OPERAND && gradient_is_at(e, v, x->span)))
		return v;
	const char *name = arena_printf(e->a, "%s+%d", at, (int)(x->span.end - x->span.begin));
	if (!n->place && !is_data(n, DEPTH)) { /* what a loop begins with may be placed in its turns */
		note(e, name, p, &n->shape)->is_data = true;
		return v;
	}
	struct layout_spec l = add_open(e, kind, name, n->name ? n->name : "value", p, &n->shape, x->span);
	struct open_layout *o = &e->p->open.at[layout_open(p, &l.layout)];
	o->is_data |= !n->place;
	o->of_data |= e->opened_place && is_of_data(e, n, FAR);
	struct node_site site = elab_site(e, x->span);
	site.name = n->name;
	return tensor_value_of(e, graph_to(region_graph(e), &site, n, n->place ? NULL : e->opened_place, &l));
}

const struct value *open_eval(struct elab *e, const struct expr *x)
{
	return open_move(e, expr_eval(e, x), x, OPEN_MOVE);
}
