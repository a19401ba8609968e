/* place.c — placements: `ranks(0..8) as (dp = 2, tp = 4)`, their parts `grid[tp = 0]`, and folding onto fewer ranks.
 * Equal placements are one struct, found by their printed form, so that they can be compared by pointer. */
#include "values.h"

#include "../../../runtime/moves/count.h"

#include <string.h>

const struct place *place_intern(struct elab *e, const struct place *p)
{
	struct text key;
	text_init(&key, e->a);
	text_printf(&key, "%s:", p->name);
	for (int i = 0; i < p->naxes; i++)
		text_printf(&key, "%s=%lld,", p->axis[i], (long long)p->extent[i]);
	text_printf(&key, " %d+%lld", (int)p->first, (long long)p->count);
	for (int64_t i = 0; p->ranks && i < p->count; i++)
		text_printf(&key, " %d", (int)p->ranks[i]);
	const char *name = intern(e->s->names, text_get(&key));
	struct place *known = map_get(&e->places, name);
	if (known)
		return known;
	struct place *copy = ARENA_NEW(e->a, struct place);
	*copy = *p;
	copy->id = e->p->places.n;
	place_look_up(e->a, copy);
	vec_push(e->a, &e->p->places, copy);
	map_set(&e->places, name, copy);
	return copy;
}

/* Contiguous ranks need no list. */
static void set_ranks(struct elab *e, struct place *p, const int32_t *ranks, int64_t n)
{
	p->count = n;
	p->first = n ? ranks[0] : 0;
	p->ranks = NULL;
	p->table = NULL;
	for (int64_t i = 1; i < n; i++)
		if (ranks[i] != ranks[0] + i) {
			int32_t *copy = ARENA_ARRAY(e->a, int32_t, n);
			memcpy(copy, ranks, sizeof *copy * (size_t)n);
			p->ranks = copy;
			return;
		}
}

/* The distinct ranks that the placement's become, in order of their first appearance; how many. */
static int64_t folded_ranks(const struct place *p, int64_t ranks, int64_t total, int32_t *list)
{
	int64_t n = 0;
	for (int64_t i = 0; i < p->count; i++) {
		int32_t r = (int32_t)(place_rank(p, i) * ranks / total);
		bool seen = false;
		for (int64_t j = n - 1; j >= 0 && !seen; j--)
			seen = list[j] == r;
		if (!seen)
			list[n++] = r;
	}
	return n;
}

/* Extents whose product is n and that are at most those of p, axis by axis; the outer axes stay as long as they can.
 * False if there are none. */
static bool folded_extents(const struct place *p, int axis, int64_t n, int64_t *extent)
{
	if (axis == p->naxes)
		return n == 1;
	for (int64_t k = p->extent[axis]; k >= 1; k--) {
		extent[axis] = k;
		if (n % k == 0 && folded_extents(p, axis + 1, n / k, extent))
			return true;
	}
	return false;
}

const struct place *place_fold(struct elab *e, const struct place *p, int64_t ranks, int64_t total)
{
	struct place f = *p;
	int32_t *list = ARENA_ARRAY(e->a, int32_t, p->count);
	int64_t n = folded_ranks(p, ranks, total, list);
	while (!folded_extents(p, 0, n, f.extent))
		n--;
	set_ranks(e, &f, list, n);
	f.unfolded = p;
	return place_intern(e, &f);
}

static const struct value *finish(struct elab *e, struct place *p, struct span at)
{
	int64_t total = e->source_ranks, fold = e->s->options.fold_ranks;
	for (int64_t i = 0; total > 0 && i < p->count; i++)
		if (place_rank(p, i) >= total) {
			struct diag *d = elab_error(e, PML0215, at, "rank %d is beyond the program's %lld ranks",
						    (int)place_rank(p, i), (long long)total);
			diag_help(d, "declare the placement as an item: `place name = ranks(...);`");
			return &value_error;
		}
	if (total <= 0 || !fold || fold >= total)
		return value_place(e, place_intern(e, p));
	struct place *whole = ARENA_NEW(e->a, struct place);
	*whole = *p;
	return value_place(e, place_fold(e, whole, fold, total));
}

static bool push_rank(struct elab *e, int32_t **list, int64_t *n, int64_t *cap, int64_t r, struct span at)
{
	if (r < 0 || r >= MOST_RANKS) {
		elab_error(e, PML0215, at, "rank %lld is out of range, ranks are 0 to %d", (long long)r,
			   MOST_RANKS - 1);
		return false;
	}
	if (*n == *cap) {
		int64_t more = *cap ? *cap * 2 : 64;
		int32_t *grown = ARENA_ARRAY(e->a, int32_t, more);
		if (*n)
			memcpy(grown, *list, sizeof **list * (size_t)*n);
		*list = grown;
		*cap = more;
	}
	(*list)[(*n)++] = (int32_t)r;
	return true;
}

static bool eval_ranks(struct elab *e, const struct expr *x, int32_t **list, int64_t *n, int64_t *cap)
{
	if (x->kind == EXPR_LIST || x->kind == EXPR_TUPLE) {
		for (int i = 0; i < x->items.n; i++)
			if (!eval_ranks(e, x->items.at[i], list, n, cap))
				return false;
		return true;
	}
	int64_t from, to;
	if (x->kind != EXPR_RANGE)
		return size_eval(e, x, &from) && push_rank(e, list, n, cap, from, x->span);
	if (!x->lhs || !x->rhs) {
		elab_error(e, PML0215, x->span, "a range of ranks needs both ends");
		return false;
	}
	if (!size_eval(e, x->lhs, &from) || !size_eval(e, x->rhs, &to))
		return false;
	for (int64_t r = from; r < to; r++)
		if (!push_rank(e, list, n, cap, r, x->span))
			return false;
	return true;
}

static bool check_ranks(struct elab *e, const int32_t *list, int64_t n, struct span at)
{
	if (!n) {
		elab_error(e, PML0215, at, "a placement needs at least one rank");
		return false;
	}
	int32_t last = -1;
	for (int64_t i = 0; i < n; i++)
		last = list[i] > last ? list[i] : last;
	char *seen = ARENA_ARRAY(e->a, char, (int64_t)last + 1);
	for (int64_t i = 0; i < n; i++)
		if (seen[list[i]]++) {
			elab_error(e, PML0215, at, "rank %d occurs twice in a placement", (int)list[i]);
			return false;
		}
	return true;
}

/* `as auto`: a search puts the axes of a mesh in its place (driver/finder_meshes.c), of which this is one. */
static bool one_axis_for_now(struct elab *e, const struct expr *x, struct place *p)
{
	if (!e->s->options.searches) {
		struct diag *d = elab_error(e, PML0901, x->span, "`as auto` is no mesh yet");
		diag_help(d, "`pmlc search --machine=FILE.json` finds the one on which a step takes least time, and "
			     "writes it here");
		return false;
	}
	p->naxes = 1;
	p->axis[0] = intern(e->s->names, "outer");
	p->extent[0] = p->count;
	return true;
}

static bool eval_axes(struct elab *e, const struct expr *x, struct place *p)
{
	if (!x->place.axes.n) {
		p->naxes = 1;
		p->axis[0] = intern(e->s->names, "");
		p->extent[0] = p->count;
		return true;
	}
	if (expr_is_auto_mesh(x))
		return one_axis_for_now(e, x, p);
	int64_t product = 1;
	for (int i = 0; i < x->place.axes.n; i++) {
		const struct arg *a = &x->place.axes.at[i];
		if (i == MAX_AXES) {
			elab_error(e, PML0213, a->span, "a placement has at most %d axes", (int)MAX_AXES);
			return false;
		}
		if (!a->value || !a->name.text) {
			elab_error(e, PML0213, a->span, "an axis is written `name = extent`");
			return false;
		}
		p->axis[i] = a->name.text;
		if (!size_eval(e, a->value, &p->extent[i]))
			return false;
		for (int j = 0; j < i; j++)
			if (p->axis[j] == p->axis[i]) {
				elab_error(e, PML0213, a->span, "axis `%s` occurs twice", p->axis[i]);
				return false;
			}
		if (p->extent[i] < 1 || __builtin_mul_overflow(product, p->extent[i], &product))
			product = -1;
	}
	p->naxes = x->place.axes.n;
	if (product != p->count) {
		struct diag *d =
			elab_error(e, PML0213, x->span, "the axes do not cover the %lld ranks", (long long)p->count);
		diag_note(d, "the product of the axes' extents is the number of ranks");
		return false;
	}
	return true;
}

/* `ranks(4)` looks like four ranks and like rank 4. */
static bool is_list_of_ranks(struct elab *e, const struct expr *x)
{
	int64_t n;
	if (x->kind == EXPR_LIST || x->kind == EXPR_TUPLE || x->kind == EXPR_RANGE)
		return true;
	if (!size_eval(e, x, &n))
		return false;
	struct diag *d = elab_error(e, PML0215, x->span, "a placement is a range or a list of ranks");
	diag_help(d, "for the first %lld ranks write `ranks(0..%lld)`, for rank %lld alone `ranks([%lld])`",
		  (long long)n, (long long)n, (long long)n, (long long)n);
	return false;
}

/* ---- `auto(ranks(0..8))` ---- */

/* The item that says so, which is the only placement of the program; NULL after a message. */
static const struct item *find_open_item(struct elab *e, const struct expr *x)
{
	const struct item *found = NULL, *other = NULL;
	for (int m = 0; m < e->ast->modules.n; m++)
		for (int i = 0; i < e->ast->modules.at[m]->items.n; i++) {
			const struct item *it = e->ast->modules.at[m]->items.at[i];
			if (it->kind == ITEM_PLACE && it->value == x && x->span.file == e->ast->main->file)
				found = it;
			else if (it->kind == ITEM_PLACE)
				other = it;
		}
	if (!found) {
		struct diag *d = elab_error(e, PML0213, x->span, "this stands for no placement here");
		diag_help(d,
			  "write `place grid = auto(ranks(0..8));` as an item of the program's own file, and `grid`");
		return NULL;
	}
	if (other) {
		struct diag *d = elab_error(e, PML0213, x->span, "`%s` is not the only placement", found->name.text);
		diag_label(d, other->span, "declared here");
		diag_note(d, "`auto(...)` leaves open whether these ranks are a mesh or stages, and what is where on "
			     "them, so it is about the whole program");
		diag_help(d, "`ranks(0..8) as auto` leaves open the mesh alone, in a program with several placements");
		return NULL;
	}
	return found;
}

/* What a search takes it for: the mesh it tries (options.opened), else one rank. */
static const struct value *eval_open(struct elab *e, const struct expr *x, const int32_t *list, int64_t n)
{
	struct place one = {.name = "ranks(0..1)", .naxes = 1, .extent = {1}, .count = 1};
	if (!e->s->options.searches) {
		struct diag *d = elab_error(e, PML0901, x->span, "`auto(...)` is no placement yet");
		diag_help(d, "`pmlc search --machine=FILE.json` finds the mesh, or the stages, on which a step takes "
			     "least time, and writes them here");
		return &value_error;
	}
	if (!find_open_item(e, x))
		return &value_error;
	for (int64_t i = 0; i < n; i++)
		if (list[i] != i) {
			elab_error(e, PML0215, x->span, "the ranks of `auto(...)` are those of the program, `0..%lld`",
				   (long long)n);
			return &value_error;
		}
	e->p->open_ranks = n;
	one.axis[0] = intern(e->s->names, "");
	const struct place *p = e->opened_place ? e->opened_place : e->fallback_place;
	return value_place(e, p ? p : place_intern(e, &one));
}

const struct value *place_eval(struct elab *e, const struct expr *x)
{
	struct place p = {.span = x->span};
	int32_t *list = NULL;
	int64_t n = 0, cap = 0;
	if (!is_list_of_ranks(e, x->place.ranks) || !eval_ranks(e, x->place.ranks, &list, &n, &cap) ||
	    !check_ranks(e, list, n, x->span))
		return &value_error;
	if (x->place.is_open)
		return eval_open(e, x, list, n);
	set_ranks(e, &p, list, n);
	if (!eval_axes(e, x, &p))
		return &value_error;
	struct text t;
	text_init(&t, e->a);
	ast_print_expr(&t, x);
	p.name = e->param_name && x->kind == EXPR_PLACE ? e->param_name : intern(e->s->names, text_get(&t));
	return finish(e, &p, x->span);
}

bool place_is_open(const struct elab *e, const struct place *p)
{
	return e->p->open_ranks && (p == e->opened_place || p == e->fallback_place);
}

bool place_is_one(struct elab *e, const struct expr *x, const struct value *v)
{
	if (v->kind == VALUE_PLACE)
		return true;
	struct diag *d =
		elab_error(e, PML0204, x->span, "after `@` stands a placement, this is %s", value_describe(e, v));
	if (x->kind == EXPR_NAME && (v->kind == VALUE_FUNCTION || v->kind == VALUE_BUILTIN))
		diag_help(d, "a placement is declared: `place %s = ranks(0..4);`", x->name.text);
	return false;
}

void place_note_axes(struct elab *e, struct diag *d, const struct place *p)
{
	struct text axes;
	text_init(&axes, e->a);
	for (int a = 0; a < p->naxes && *p->axis[a]; a++)
		text_printf(&axes, "%s`%s`", !a ? "" : a == p->naxes - 1 ? " and " : ", ", p->axis[a]);
	if (p->naxes && *p->axis[0])
		diag_note(d, "it has %s", text_get(&axes));
}

static int find_axis(struct elab *e, const struct place *p, const struct arg *a, int position)
{
	if (!a->name.text && position < p->naxes)
		return position;
	if (!a->name.text) {
		struct diag *d = elab_error(e, PML0213, a->span, "placement `%s` has %d ax%s, this is one index more",
					    p->name, p->naxes, p->naxes == 1 ? "is" : "es");
		diag_label(d, p->span, "declared here");
		return -1;
	}
	for (int i = 0; i < p->naxes; i++)
		if (p->axis[i] == a->name.text)
			return i;
	place_note_axes(
		e, elab_error(e, PML0213, a->name.span, "placement `%s` has no axis `%s`", p->name, a->name.text), p);
	return -1;
}

struct selection {
	int64_t begin[MAX_AXES], end[MAX_AXES];
	bool fixed[MAX_AXES];
};

static bool select_axis(struct elab *e, const struct place *p, const struct arg *a, int axis, struct selection *s)
{
	const struct expr *v = a->value;
	bool range = v && v->kind == EXPR_RANGE;
	if (!v || (range && (!v->lhs || !v->rhs))) {
		elab_error(e, PML0213, a->span,
			   "positions of an axis are selected by an index or a range with both ends");
		return false;
	}
	if (!size_eval(e, range ? v->lhs : v, &s->begin[axis]))
		return false;
	s->end[axis] = count_add(s->begin[axis], 1);
	if (range && !size_eval(e, v->rhs, &s->end[axis]))
		return false;
	s->fixed[axis] = !range;
	if (s->begin[axis] < 0 || s->begin[axis] >= s->end[axis] || s->end[axis] > p->extent[axis]) {
		const char *which = p->axis[axis][0] ? arena_printf(e->a, "axis `%s` of ", p->axis[axis]) : "";
		struct diag *d = elab_error(e, PML0213, a->span, "%s`%s` has the positions 0 to %lld", which, p->name,
					    (long long)p->extent[axis] - 1);
		if (s->begin[axis] == s->end[axis] && range)
			diag_note(d, "a range ends before its second number: `0..2` are the positions 0 and 1");
		diag_label(d, p->span, "declared here");
		return false;
	}
	return true;
}

static const struct value *sub_place(struct elab *e, const struct place *p, const struct selection *s, const char *name,
				     struct span at)
{
	struct place q = {.name = name, .span = at};
	int32_t *list = ARENA_ARRAY(e->a, int32_t, p->count);
	int64_t n = 0, c[MAX_AXES];
	for (int64_t i = 0; i < p->count; i++) {
		bool inside = true;
		place_coordinates(p, i, c);
		for (int x = 0; x < p->naxes; x++)
			inside = inside && c[x] >= s->begin[x] && c[x] < s->end[x];
		if (inside)
			list[n++] = place_rank(p, i);
	}
	set_ranks(e, &q, list, n);
	for (int x = 0; x < p->naxes; x++)
		if (!s->fixed[x]) {
			q.axis[q.naxes] = p->axis[x];
			q.extent[q.naxes++] = s->end[x] - s->begin[x];
		}
	if (!q.naxes) {
		q.naxes = 1;
		q.axis[0] = intern(e->s->names, "");
		q.extent[0] = 1;
	}
	return finish(e, &q, at);
}

/* "grid[dp = 0, tp = 1..3]": by what was selected, whatever the source calls the placement there. */
static const char *selection_name(struct elab *e, const struct place *p, const struct selection *s)
{
	struct text t;
	text_init(&t, e->a);
	text_add(&t, p->name);
	const char *before = "[";
	for (int x = 0; x < p->naxes; x++) {
		if (!s->fixed[x] && s->end[x] - s->begin[x] == p->extent[x])
			continue;
		text_printf(&t, "%s%s%s%lld", before, p->axis[x], p->axis[x][0] ? " = " : "", (long long)s->begin[x]);
		if (!s->fixed[x])
			text_printf(&t, "..%lld", (long long)s->end[x]);
		before = ", ";
	}
	text_add(&t, before[0] == '[' ? "" : "]");
	return intern(e->s->names, text_get(&t));
}

const struct value *place_index(struct elab *e, const struct place *p, const struct expr *x)
{
	struct selection s;
	if (place_is_open(e, p)) {
		struct diag *d = elab_error(e, PML0213, x->span, "which parts `%s` has is open", p->name);
		diag_help(d, "`@ %s : auto` is where a search puts it", p->name);
		return &value_error;
	}
	/* What is selected is a part of the placement as the source has it, and then folded itself. */
	p = p->unfolded ? p->unfolded : p;
	for (int i = 0; i < p->naxes; i++) {
		s.begin[i] = 0;
		s.end[i] = p->extent[i];
		s.fixed[i] = false;
	}
	for (int i = 0; i < x->args.n; i++) {
		int axis = find_axis(e, p, &x->args.at[i], i);
		if (axis < 0 || !select_axis(e, p, &x->args.at[i], axis, &s))
			return &value_error;
	}
	return sub_place(e, p, &s, selection_name(e, p, &s), x->span);
}

/* Every placement a file names, evaluated once before everything else to learn how many ranks the program has. */
static void visit_places(struct elab *e)
{
	for (int m = 0; m < e->ast->modules.n; m++) {
		struct module *mod = e->ast->modules.at[m];
		e->module = mod;
		for (int i = 0; i < mod->items.n; i++) {
			struct item *it = mod->items.at[i];
			if (it->kind == ITEM_PLACE)
				item_value(e, it, it->span);
			else if (item_is_slot(it) && it->type && it->type->placement &&
				 it->type->placement->kind == EXPR_PLACE)
				expr_eval(e, it->type->placement);
		}
	}
}

/* Where what is on no rank yet is kept: on the placement of all ranks, if the source has one, so that it is where its
 * params are; where it has several, or none, on the world. */
static const struct place *home_of(const struct elab *e)
{
	const struct place *home = NULL;
	for (int i = 0; i < e->p->places.n; i++) {
		const struct place *p = e->p->places.at[i], *written = p->unfolded ? p->unfolded : p;
		bool is_written = p != e->world && (p != e->fallback_place || p == e->opened_place);
		if (!is_written || written->count != e->source_ranks)
			continue;
		if (home)
			return e->world;
		home = p;
	}
	return home ? home : e->world;
}

void place_collect(struct elab *e)
{
	e->source_ranks = 0;
	visit_places(e);
	int64_t total = 1;
	for (int i = 0; i < e->p->places.n; i++)
		for (int64_t r = 0; r < e->p->places.at[i]->count; r++)
			if (place_rank(e->p->places.at[i], r) >= total)
				total = place_rank(e->p->places.at[i], r) + 1;
	bool opened = total == 1 && e->s->options.opened.naxes;
	for (int i = 0; opened && i < e->s->options.opened.naxes; i++)
		total *= e->s->options.opened.extent[i];
	e->source_ranks = total;
	e->p->places.n = 0;
	map_init(&e->places, e->a);
	map_init(&e->item_values, e->a);
	int64_t fold = e->s->options.fold_ranks;
	e->p->nranks = fold && fold < total ? fold : total;
	e->p->source_ranks = total;
	struct place world = {.name = "world",
			      .naxes = 1,
			      .axis = {intern(e->s->names, "")},
			      .extent = {e->p->nranks},
			      .count = e->p->nranks};
	e->world = place_intern(e, &world);
	const struct item *open = module_open_place(e->ast->main);
	struct place first = {.name = open ? open->name.text : "ranks(0..1)",
			      .naxes = 1,
			      .axis = {world.axis[0]},
			      .extent = {1},
			      .count = 1};
	e->fallback_place = place_intern(e, &first);
	if (opened)
		e->fallback_place = e->opened_place = open_place(e);
	if (!e->s->errors)
		visit_places(e);
	e->home_place = home_of(e);
}
