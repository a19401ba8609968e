/* holding.c — see holding.h. */
#include "holding.h"

#include "../compiler.h"
#include "table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int64_t report_local_bytes(const struct placed_type *t, int32_t rank)
{
	int64_t position = t->place ? place_position(t->place, rank) : 0;
	if (position < 0)
		return 0;
	struct shape s = t->place ? layout_local_shape(t->place, &t->layout, &t->shape, position) : t->shape;
	return shape_volume(&s) * dtype_size(t->dtype);
}

static int by_bytes(const void *x, const void *y)
{
	const struct report_held *a = x, *b = y;
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return strcmp(a->name, b->name);
}

static const char *type_text(struct arena *a, const struct placed_type *x)
{
	struct text t;
	text_init(&t, a);
	placed_type_print(&t, x->dtype, &x->shape, x->place, &x->layout);
	return text_get(&t);
}

struct report_holding report_holding_of(struct arena *a, const struct program *p, const struct report *r)
{
	struct report_holding h = {.rank = 0};
	for (int i = 0; i < r->roles.n; i++)
		if (i == 0 || report_memory_all(&r->roles.at[i].memory) > report_memory_all(&h.memory)) {
			h.memory = r->roles.at[i].memory;
			h.rank = p->roles.at[i]->ranks.at[0];
		}
	for (int i = 0; i < p->slots.n; i++) {
		const struct slot *s = p->slots.at[i];
		const struct placed_type *type = &p->types.at[s->type];
		int64_t bytes = s->list || s->members.n ? 0 : report_local_bytes(type, h.rank);
		for (int k = 0; k < s->members.n; k++)
			bytes += report_local_bytes(&p->types.at[s->members.at[k]->type], h.rank);
		struct report_held x = {arena_strdup(a, s->name ? s->name : "a value"), NULL, bytes};
		if (!bytes)
			continue;
		x.type = type_text(a, type);
		vec_push(a, &h.tensors, x);
	}
	if (h.tensors.n)
		qsort(h.tensors.at, (size_t)h.tensors.n, sizeof *h.tensors.at, by_bytes);
	return h;
}

void report_print_holding(struct text *t, const struct report_holding *h)
{
	const struct report_memory *m = &h->memory;
	const struct {
		const char *what;
		int64_t bytes;
	} rows[] = {{"parameters", m->parameters},
		    {"state", m->state},
		    {"values", m->values},
		    {"activations and gradients", m->arena},
		    {"data", m->data},
		    {"staging of transfers", m->staging},
		    {"shared with ranks of the host", m->windows}};
	text_printf(t, "rank %d: ", h->rank);
	text_bytes(t, report_memory_all(m));
	bool first = true;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!rows[i].bytes)
			continue;
		text_printf(t, "%s%s ", first ? ": " : ", ", rows[i].what);
		text_bytes(t, rows[i].bytes);
		first = false;
	}
}

void report_print_held(struct text *t, const struct report_holding *h)
{
	enum { MOST = 8 }; /* lines */
	int64_t all = report_memory_all(&h->memory);
	struct table rows = {.right = 0x2};
	for (int i = 0; i < h->tensors.n && i < MOST && h->tensors.at[i].bytes >= all / 100; i++) {
		const struct report_held *x = &h->tensors.at[i];
		TABLE_ROW(t->arena, &rows, x->name, bytes_text(t->arena, x->bytes), x->type);
	}
	if (rows.cells.n)
		table_print(t, &rows, "  ");
}
