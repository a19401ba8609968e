/* codes.c — see codes.h. */
#include "codes.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 14, FIRST_ROOM = 16 };

struct codes *codes_new(struct pmlrt *rt)
{
	struct codes *c = rt_alloc(rt, sizeof *c);
	c->rt = rt;
	return c;
}

/* FNV-1a (Fowler, Noll, Vo). */
static uint64_t hash(const char *text, int64_t length)
{
	uint64_t h = 0xcbf29ce484222325;
	for (int64_t i = 0; i < length; i++)
		h = (h ^ (unsigned char)text[i]) * 0x100000001b3;
	return h;
}

/* The slot of a text, or the free one where it would be. */
static int64_t *slot_of(const struct codes *c, const char *text, int64_t length)
{
	for (uint64_t i = hash(text, length);; i++) {
		int64_t *s = &c->slot[i & (uint64_t)(c->nslots - 1)];
		const struct code_text *t = *s ? &c->text[*s - 1] : NULL;
		if (!t || (t->length == length && memcmp(t->text, text, (size_t)length) == 0))
			return s;
	}
}

int64_t codes_find(const struct codes *c, const char *text, int64_t length)
{
	return c->n ? *slot_of(c, text, length) - 1 : -1;
}

static void place_all(struct codes *c)
{
	memset(c->slot, 0, (size_t)c->nslots * sizeof *c->slot);
	for (int64_t i = 0; i < c->n; i++)
		*slot_of(c, c->text[i].text, c->text[i].length) = 1 + i;
}

/* Twice the room, and four slots for each text. */
static void grow(struct codes *c)
{
	int64_t room = c->room ? 2 * c->room : FIRST_ROOM;
	struct code_text *text = rt_alloc_large(c->rt, room * (int64_t)sizeof *text);
	if (c->n)
		memcpy(text, c->text, (size_t)c->n * sizeof *text);
	rt_release(c->rt, c->text);
	rt_release(c->rt, c->slot);
	c->text = text;
	c->room = room;
	c->nslots = 4 * room;
	c->slot = rt_alloc_large(c->rt, c->nslots * (int64_t)sizeof *c->slot);
	place_all(c);
}

static const char *keep(struct codes *c, const char *text, int64_t length)
{
	if (c->block_left <= length) {
		c->block_left = length + 1 > BLOCK ? length + 1 : BLOCK;
		c->block = rt_alloc(c->rt, c->block_left);
	}
	char *at = c->block;
	memcpy(at, text, (size_t)length);
	at[length] = 0;
	c->block += length + 1;
	c->block_left -= length + 1;
	return at;
}

int64_t codes_add(struct codes *c, const char *text, int64_t length)
{
	if (c->n == c->room)
		grow(c);
	int64_t *s = slot_of(c, text, length);
	if (!*s) {
		c->text[c->n] = (struct code_text){keep(c, text, length), length};
		*s = ++c->n;
	}
	return *s - 1;
}

static int by_bytes(const void *a, const void *b)
{
	const struct code_text *x = a, *y = b;
	return strcmp(x->text, y->text);
}

void codes_sort(struct codes *c)
{
	if (!c->n)
		return;
	qsort(c->text, (size_t)c->n, sizeof *c->text, by_bytes);
	place_all(c);
}
