/* structs.c — structs that contain themselves, also through others, lists and tuples: no value could ever be whole.
 * Told once for each circle, at the field that closes it, whether or not anything uses the struct. */
#include "names.h"

#include "../visit.h"

enum state { UNSEEN, OPEN, DONE };

struct circles {
	struct visitor visitor; /* of types; first: that is how it comes back */
	struct checker *c;
	struct map seen; /* struct item -> a pointer into `states` */
	enum state states[3];
	VEC(const struct item *) open;
};

static enum state *state_of(struct circles *w, const struct item *s)
{
	enum state *found = map_get(&w->seen, s);
	return found ? found : &w->states[UNSEEN];
}

static void tell(struct circles *w, const struct type *t)
{
	struct diag *d = diag_error(w->c->session, PML0220, t->span, "`%s` contains itself", t->item->name.text);
	const char *by = w->open.at[w->open.n - 1]->name.text;
	if (by != t->item->name.text) {
		diag_label(d, t->item->name.span, "declared here");
		diag_note(d, "`%s` is a part of `%s`", by, t->item->name.text);
	}
	diag_help(d, "what there are several of is a list: `param rows : [4] Row;`");
}

static void walk_struct(struct circles *w, const struct item *s);

static bool see_type(struct visitor *v, const struct type *t)
{
	struct circles *w = (struct circles *)v;
	enum state *state = t->item ? state_of(w, t->item) : NULL;
	if (state && *state == OPEN)
		tell(w, t);
	else if (state && *state == UNSEEN)
		walk_struct(w, t->item);
	return true;
}

static void walk_struct(struct circles *w, const struct item *s)
{
	map_set(&w->seen, s, &w->states[OPEN]);
	vec_push(w->c->session->arena, &w->open, s);
	for (int i = 0; i < s->params.n; i++)
		visit_type(&w->visitor, s->params.at[i].type);
	w->open.n--;
	map_set(&w->seen, s, &w->states[DONE]);
}

void check_structs(struct checker *c, struct item *const *items, int n)
{
	struct circles w = {.visitor = {.type = see_type}, .c = c, .states = {UNSEEN, OPEN, DONE}};
	map_init(&w.seen, c->session->arena);
	for (int i = 0; i < n; i++)
		if (items[i]->kind == ITEM_STRUCT && *state_of(&w, items[i]) == UNSEEN)
			walk_struct(&w, items[i]);
}
