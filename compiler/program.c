/* program.c — the program's tables: sites and tensor types, each once. */
#include "program.h"

#include <string.h>

struct program *program_new(struct session *s, const char *name, const char *source)
{
	struct program *p = ARENA_NEW(s->arena, struct program);
	p->session = s;
	p->arena = s->arena;
	p->name = name;
	p->source = source;
	struct span none = {0};
	vec_push(p->arena, &p->sites, none);
	vec_push(p->arena, &p->site_names, "");
	return p;
}

int program_site(struct program *p, struct span span, const char *what)
{
	for (int i = 0; i < p->sites.n; i++) {
		const struct span *s = &p->sites.at[i];
		if (s->file == span.file && s->begin == span.begin && s->end == span.end &&
		    !strcmp(p->site_names.at[i], what))
			return i;
	}
	vec_push(p->arena, &p->sites, span);
	vec_push(p->arena, &p->site_names, what);
	return p->sites.n - 1;
}

int program_type(struct program *p, enum dtype dtype, const struct shape *s, const struct place *place,
		 const struct layout *l)
{
	for (int i = 0; i < p->types.n; i++) {
		const struct placed_type *t = &p->types.at[i];
		if (t->dtype == dtype && shape_equal(&t->shape, s) && t->place == place &&
		    (!place || layout_equal(place, &t->layout, l)))
			return i;
	}
	struct placed_type t = {.dtype = dtype, .shape = *s, .place = place, .layout = *l};
	vec_push(p->arena, &p->types, t);
	return p->types.n - 1;
}
