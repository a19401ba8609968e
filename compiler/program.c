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
	memo_init(&p->site_numbers, p->arena);
	program_site(p, (struct span){0}, "");
	return p;
}

int program_site(struct program *p, struct span span, const char *what)
{
	memo_begin(&p->site_numbers);
	memo_add(&p->site_numbers, span.file);
	memo_add(&p->site_numbers, (uint64_t)span.begin << 32 | span.end);
	memo_add_pointer(&p->site_numbers, intern(p->session->names, what));
	void **number = memo_find(&p->site_numbers);
	if (!*number) {
		vec_push(p->arena, &p->sites, span);
		vec_push(p->arena, &p->site_names, what);
		*number = (void *)(intptr_t)p->sites.n;
	}
	return (int)(intptr_t)*number - 1;
}

void program_name_region(struct program *p, struct region *r, const char *function, struct span at)
{
	const struct session *s = p->session;
	int line = at.file < (uint32_t)s->sources.n ? source_position(&s->sources.at[at.file], at.begin).line : 0;
	r->span = at;
	r->name = intern(s->names, arena_printf(p->arena, "%s:%d", function, line));
}

/* FNV-1a. */
static void add_bytes(uint64_t *hash, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		*hash = (*hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(1099511628211);
}

uint64_t program_tensors(const struct program *p)
{
	uint64_t all = 0;
	for (int i = 0; i < p->slots.n; i++) {
		const struct slot *s = p->slots.at[i];
		uint64_t hash = UINT64_C(14695981039346656037);
		if (s->slot_class == SLOT_VALUE || s->members.n)
			continue;
		add_bytes(&hash, s->name, strlen(s->name) + 1);
		add_bytes(&hash, &s->dtype, sizeof s->dtype);
		add_bytes(&hash, s->shape.dim, sizeof *s->shape.dim * (size_t)s->shape.rank);
		all += hash; /* in any order */
	}
	return all;
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

bool program_region_assigns(const struct program *p, int region, unsigned classes)
{
	const struct graph *g = p->regions.at[region]->graph;
	for (int i = 0; i < g->outputs.n; i++)
		if (g->outputs.at[i].kind == OUTPUT_SLOT &&
		    classes >> p->slots.at[g->outputs.at[i].index]->slot_class & 1)
			return true;
	return false;
}

void program_unrolled(struct program *p, const struct unrolled *u)
{
	if (u->turns < 2)
		return;
	for (int i = 0; i < p->unrolled.n; i++) {
		const struct unrolled *x = &p->unrolled.at[i];
		if (x->span.file == u->span.file && x->span.begin == u->span.begin && x->turns == u->turns &&
		    !strcmp(x->why, u->why))
			return;
	}
	vec_push(p->arena, &p->unrolled, *u);
}
