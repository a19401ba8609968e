/* tensor.c — memory, chance, shapes, layouts. */
#include "random.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

struct chunk {
	struct chunk *before;
};

static void *must(void *p)
{
	if (!p) {
		fputs("out of memory\n", stderr);
		exit(2);
	}
	return p;
}

void *heap_new(struct heap *h, size_t bytes)
{
	struct chunk *c = must(calloc(1, sizeof *c + 8 + bytes));
	c->before = h->last;
	h->last = c;
	return (char *)c + sizeof *c + 8;
}

char *heap_text(struct heap *h, const char *format, ...)
{
	va_list ap, again;
	va_start(ap, format);
	va_copy(again, ap);
	size_t n = (size_t)vsnprintf(NULL, 0, format, ap) + 1;
	char *text = heap_new(h, n);
	vsnprintf(text, n, format, again);
	va_end(ap);
	va_end(again);
	return text;
}

void heap_free(struct heap *h)
{
	while (h->last) {
		struct chunk *c = h->last;
		h->last = c->before;
		free(c);
	}
}

void buffer_add(struct buffer *b, const char *format, ...)
{
	va_list ap, again;
	va_start(ap, format);
	va_copy(again, ap);
	size_t n = (size_t)vsnprintf(NULL, 0, format, ap);
	if (b->n + n + 1 > b->room) {
		b->room = 2 * (b->n + n + 1);
		b->at = must(realloc(b->at, b->room));
	}
	vsnprintf(b->at + b->n, n + 1, format, again);
	b->n += n;
	va_end(ap);
	va_end(again);
}

void buffer_free(struct buffer *b)
{
	free(b->at);
	*b = (struct buffer){0};
}

/* ---- chance: splitmix64 ---- */

uint64_t dice_bits(struct dice *d)
{
	uint64_t z = d->state += 0x9E3779B97F4A7C15u;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return z ^ z >> 31;
}

int dice_below(struct dice *d, int n)
{
	return n > 0 ? (int)(dice_bits(d) % (uint64_t)n) : 0;
}

int dice_range(struct dice *d, int low, int high)
{
	return low + dice_below(d, high - low + 1);
}

bool dice_chance(struct dice *d, int percent)
{
	return dice_below(d, 100) < percent;
}

/* ---- shapes ---- */

const char *const dtype_names[DTYPES] = {"f32", "f64", "i32", "bool"};

bool dtype_is_float(enum dtype t)
{
	return t == F32 || t == F64;
}

int shape_volume(const struct shape *s)
{
	int v = 1;
	for (int d = 0; d < s->rank; d++)
		v *= s->dim[d];
	return v;
}

bool shape_same(const struct shape *a, const struct shape *b)
{
	return a->rank == b->rank && !memcmp(a->dim, b->dim, sizeof *a->dim * (size_t)a->rank);
}

const char *shape_text(struct heap *h, const struct shape *s)
{
	char *text = heap_text(h, "[");
	for (int d = 0; d < s->rank; d++)
		text = heap_text(h, "%s%s%d", text, d ? ", " : "", s->dim[d]);
	return heap_text(h, "%s]", text);
}

/* ---- layouts ---- */

bool atom_same(struct atom a, struct atom b)
{
	return a.kind == b.kind && (a.kind != ATOM_S || a.dim == b.dim) &&
	       (a.kind != ATOM_P || a.combiner == b.combiner);
}

bool layout_same(const struct place *p, const struct layout *a, const struct layout *b)
{
	for (int x = 0; x < p->naxes; x++)
		if (!atom_same(a->axis[x], b->axis[x]))
			return false;
	return true;
}

bool layout_has_part(const struct place *p, const struct layout *l)
{
	for (int x = 0; x < p->naxes; x++)
		if (l->axis[x].kind == ATOM_P)
			return true;
	return false;
}

bool layout_mixes_parts(const struct place *p, const struct layout *l)
{
	for (int x = 0; x < p->naxes; x++)
		for (int y = 0; y < x; y++)
			if (l->axis[x].kind == ATOM_P && l->axis[y].kind == ATOM_P &&
			    l->axis[x].combiner != l->axis[y].combiner)
				return true;
	return false;
}

static const char *atom_text(struct heap *h, struct atom a)
{
	static const char *const names[COMBINERS] = {"P", "P(max)", "P(min)", "P(prod)"};
	return a.kind == ATOM_B ? "B" : a.kind == ATOM_S ? heap_text(h, "S(%d)", a.dim) : names[a.combiner];
}

/* One axis may go without its name; axes that are B need not be mentioned. */
const char *layout_text(struct heap *h, const struct place *p, const struct layout *l)
{
	const char *text = "";
	bool all_whole = true;
	for (int x = 0; x < p->naxes; x++)
		all_whole &= l->axis[x].kind == ATOM_B;
	if (all_whole)
		return "B";
	if (p->naxes == 1)
		return atom_text(h, l->axis[0]);
	for (int x = 0; x < p->naxes; x++)
		if (l->axis[x].kind != ATOM_B)
			text = heap_text(h, "%s%s%s=%s", text, *text ? ", " : "", p->axis[x], atom_text(h, l->axis[x]));
	return heap_text(h, "(%s)", text);
}

void part_of(int n, int k, int i, int *begin, int *end)
{
	int each = n / k, more = n % k;
	*begin = i * each + (i < more ? i : more);
	*end = *begin + each + (i < more);
}

void held_elements(const struct place *p, const struct layout *l, const struct shape *s, const int *coordinates,
		   bool *held)
{
	int low[MAX_DIM], high[MAX_DIM], volume = shape_volume(s);
	for (int d = 0; d < s->rank; d++) {
		low[d] = 0;
		high[d] = s->dim[d];
	}
	for (int x = 0; x < p->naxes; x++) {
		if (l->axis[x].kind != ATOM_S)
			continue;
		int d = l->axis[x].dim, begin, end;
		part_of(high[d] - low[d], p->size[x], coordinates[x], &begin, &end);
		high[d] = low[d] + end;
		low[d] += begin;
	}
	for (int e = 0; e < volume; e++) {
		int rest = e;
		held[e] = true;
		for (int d = s->rank - 1; d >= 0; d--) {
			int i = rest % s->dim[d];
			rest /= s->dim[d];
			held[e] = held[e] && i >= low[d] && i < high[d];
		}
	}
}

void coordinates_of(const struct place *p, int rank, int *c)
{
	for (int x = p->naxes - 1; x >= 0; x--) {
		c[x] = rank % p->size[x];
		rank /= p->size[x];
	}
}

bool layout_converts(const struct place *p, const struct layout *from, const struct layout *to, const struct shape *s)
{
	int volume = shape_volume(s), c[MAX_AXES];
	bool before[MAX_HELD], after[MAX_HELD];
	for (int x = 0; x < p->naxes; x++) {
		if (atom_same(from->axis[x], to->axis[x]))
			continue;
		if (from->axis[x].kind != ATOM_B)
			return false;
		/* An inner axis has split the dimension already: a share of the whole is no share of that share. */
		for (int y = x + 1; y < p->naxes; y++)
			if (to->axis[x].kind == ATOM_S && p->size[y] > 1 && atom_same(from->axis[y], to->axis[x]))
				return false;
	}
	for (int r = 0; r < p->count; r++) {
		coordinates_of(p, r, c);
		held_elements(p, from, s, c, before);
		held_elements(p, to, s, c, after);
		for (int e = 0; e < volume; e++)
			if (after[e] && !before[e])
				return false;
	}
	return true;
}
