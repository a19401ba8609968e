/* variants.c — see variants.h. Variants of one cause (a placement, a layout left out) are a group; groups take turns,
 * so that a small number of them tries something of each. */
#include "variants.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PER_GROUP = 64, MIXES = 8 };

struct group {
	VEC(const char *) at;
};
struct groups {
	struct arena *arena;
	VEC(struct group) at;
};

static struct group *new_group(struct groups *g)
{
	struct group fresh = {{0}};
	vec_push(g->arena, &g->at, fresh);
	return &g->at.at[g->at.n - 1];
}

static void put(struct groups *g, struct group *to, const char *text)
{
	if (to->at.n < MAX_PER_GROUP)
		vec_push(g->arena, &to->at, text);
}

/* ---- placements ---- */

/* "grid = ranks([3, 2, 1, 0]) as (dp = 4, tp = 1)": ranks in the order `step` positions apart. */
static const char *place_text(struct arena *a, const char *name, const struct place *p, const int64_t *extent,
			      bool reversed)
{
	struct text t;
	text_init(&t, a);
	text_printf(&t, "%s = ranks([", name);
	for (int64_t i = 0; i < p->count; i++)
		text_printf(&t, "%s%d", i ? ", " : "", (int)place_rank(p, reversed ? p->count - 1 - i : i));
	text_add(&t, "])");
	for (int i = 0; i < p->naxes && *p->axis[0]; i++)
		text_printf(&t, "%s%s = %" PRId64, i ? ", " : " as (", p->axis[i], extent[i]);
	text_add(&t, *p->axis[0] ? ")" : "");
	return text_get(&t);
}

/* All ways to write the number of ranks as a product over the axes, but the one there is. */
static void add_extents(struct groups *g, struct group *to, const char *name, const struct place *p, int64_t *extent,
			int axis, int64_t left)
{
	if (axis == p->naxes - 1) {
		extent[axis] = left;
		if (memcmp(extent, p->extent, sizeof *extent * (size_t)p->naxes))
			put(g, to, place_text(g->arena, name, p, extent, false));
		return;
	}
	for (int64_t n = left; n >= 1; n--)
		if (left % n == 0) {
			extent[axis] = n;
			add_extents(g, to, name, p, extent, axis + 1, left / n);
		}
}

static void add_places(struct groups *g, const struct drive *d)
{
	const struct module *m = d->ast->main;
	for (int i = 0; i < m->items.n; i++) {
		const struct item *it = m->items.at[i];
		const struct place *p = NULL;
		for (int k = 0; it->kind == ITEM_PLACE && it->value->kind == EXPR_PLACE && k < d->program->places.n;
		     k++)
			if (!strcmp(d->program->places.at[k]->name, it->name.text))
				p = d->program->places.at[k];
		if (!p || p->count < 2 || p->count > 64)
			continue;
		int64_t extent[MAX_AXES];
		memcpy(extent, p->extent, sizeof extent);
		put(g, new_group(g), place_text(g->arena, it->name.text, p, p->extent, true));
		if (p->naxes > 1)
			add_extents(g, new_group(g), it->name.text, p, extent, 0, p->count);
	}
}

static void add_ranks(struct groups *g, const struct drive *d)
{
	struct group *to = new_group(g);
	for (int64_t n = d->program->nranks - 1; n >= 1; n--)
		put(g, to, arena_printf(g->arena, "ranks %" PRId64, n));
}

/* ---- layouts ---- */

static const char *layout_text(struct arena *a, const struct open_layout *o, const struct layout *l)
{
	struct text t;
	text_init(&t, a);
	text_printf(&t, "%s : ", o->name);
	layout_print(&t, o->place, l);
	return text_get(&t);
}

/* A number with a digit per axis. */
bool variant_layout(const struct open_layout *o, int64_t number, struct layout *out)
{
	*out = layout_broadcast();
	for (int a = 0; a < o->place->naxes; a++) {
		int64_t digit = number % (o->shape.rank + 1);
		number /= o->shape.rank + 1;
		if (digit)
			out->atom[a] = (struct shard_atom){.kind = SHARD_S, .dim = (int8_t)(digit - 1)};
		if (digit && o->place->extent[a] < 2)
			return false;
	}
	return number == 0;
}

int64_t variant_layouts(const struct open_layout *o)
{
	int64_t n = 1;
	for (int a = 0; a < o->place->naxes; a++)
		n *= o->shape.rank + 1;
	return n;
}

static void add_layouts(struct groups *g, const struct drive *d)
{
	for (int i = 0; i < d->program->open.n; i++) {
		const struct open_layout *o = &d->program->open.at[i];
		struct group *to = new_group(g);
		struct layout l;
		for (int64_t n = 1; n < variant_layouts(o); n++)
			if (variant_layout(o, n, &l))
				put(g, to, layout_text(g->arena, o, &l));
	}
}

/* Everything left out forced at once, pseudo-randomly but always alike. */
static void add_mixes(struct groups *g, const struct drive *d)
{
	struct group *to = new_group(g);
	for (int mix = 0; mix < MIXES && d->program->open.n > 1; mix++) {
		struct text t;
		text_init(&t, g->arena);
		for (int i = 0; i < d->program->open.n; i++) {
			const struct open_layout *o = &d->program->open.at[i];
			struct layout l;
			int64_t number =
				(int64_t)(hash_string(HASH_SEED + (uint64_t)mix, o->name) >> 8) % variant_layouts(o);
			if (number && variant_layout(o, number, &l))
				text_printf(&t, "%s%s", t.n ? "; " : "", layout_text(g->arena, o, &l));
		}
		if (t.n)
			put(g, to, text_get(&t));
	}
}

struct variants variants_of(struct arena *a, const struct drive *d, int max)
{
	struct groups g = {.arena = a};
	struct variants out = {.found = 0};
	add_places(&g, d);
	add_ranks(&g, d);
	put(&g, new_group(&g), "last choice");
	add_layouts(&g, d);
	add_mixes(&g, d);
	for (int i = 0; i < g.at.n; i++)
		out.found += g.at.at[i].at.n;
	for (int turn = 0; turn < MAX_PER_GROUP; turn++)
		for (int i = 0; i < g.at.n && out.at.n < max; i++)
			if (turn < g.at.at[i].at.n)
				vec_push(a, &out.at, g.at.at[i].at.at[turn]);
	return out;
}

/* ---- applying ---- */

static char *trimmed(struct arena *a, const char *from, const char *to)
{
	while (from < to && isspace((unsigned char)*from))
		from++;
	while (to > from && isspace((unsigned char)to[-1]))
		to--;
	return arena_strndup(a, from, (size_t)(to - from));
}

static bool apply_one(struct session *s, const char *text)
{
	const char *equals = strchr(text, '='), *colon = strstr(text, " : "), *end = text + strlen(text);
	if (!strcmp(text, "last choice")) {
		s->options.last_choice = true;
		return true;
	}
	if (!strncmp(text, "ranks ", 6) && isdigit((unsigned char)text[6])) {
		s->options.fold_ranks = atoi(text + 6);
		return s->options.fold_ranks > 0;
	}
	if (colon && (!equals || colon < equals)) {
		struct forced_layout f = {.name = trimmed(s->arena, text, colon),
					  .layout = trimmed(s->arena, colon + 3, end)};
		vec_push(s->arena, &s->options.layouts, f);
		return true;
	}
	if (!equals)
		return false;
	struct define d = {.name = intern(s->names, trimmed(s->arena, text, equals)),
			   .value = trimmed(s->arena, equals + 1, end)};
	vec_push(s->arena, &s->options.defines, d);
	return true;
}

bool variant_apply(struct session *s, const char *text)
{
	for (const char *at = text; *at;) {
		const char *end = strstr(at, "; ");
		end = end ? end : at + strlen(at);
		if (!apply_one(s, trimmed(s->arena, at, end))) {
			fprintf(stderr, "pmlc: --variant=%s: no variant as `--vary-layouts` names them\n", text);
			return false;
		}
		at = *end ? end + 2 : end;
	}
	return true;
}

bool variant_was_used(const struct session *s, const char *text)
{
	for (int i = 0; i < s->options.layouts.n; i++) {
		const struct forced_layout *f = &s->options.layouts.at[i];
		if (f->used)
			continue;
		fprintf(stderr, "pmlc: --variant=%s: the source leaves no layout out at `%s`, or `%s` is none for it\n",
			text, f->name, f->layout);
		return false;
	}
	return true;
}
