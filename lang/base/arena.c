/* arena.c — a chain of blocks; each is filled from its start and never moved, so pointers stay valid. Blocks double in
 * size: an arena of a few objects is as cheap as one malloc. What is handed out is zeroed then, not blocks as a whole:
 * of those of short lives most is never used. */
#include "arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BLOCK = 4 * 1024, LARGEST_BLOCK = 256 * 1024, ALIGN = 16 };

struct block {
	struct block *next;
	size_t used, size;
	_Alignas(ALIGN) unsigned char data[];
};

struct arena {
	const char *name;
	struct arena *inner,
		*beside;      /* the newest one that is freed with this one; the one before it in the outer one */
	struct block *blocks; /* newest first */
	size_t last;          /* usual size of the newest */
	size_t used;
};

static void *or_die(void *p, const char *name)
{
	if (!p) {
		fprintf(stderr, "pmlc: out of memory (%s)\n", name);
		exit(70);
	}
	return p;
}

struct arena *arena_new(const char *name)
{
	struct arena *a = or_die(calloc(1, sizeof *a), name);
	a->name = name;
	return a;
}

struct arena *arena_inner(struct arena *outer, const char *name)
{
	struct arena *a = arena_new(name);
	a->beside = outer->inner;
	return outer->inner = a;
}

void arena_free(struct arena *a)
{
	if (!a)
		return;
	for (struct arena *i = a->inner, *next; i; i = next) {
		next = i->beside;
		arena_free(i);
	}
	for (struct block *b = a->blocks, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	free(a);
}

void arena_empty(struct arena *a)
{
	struct block *kept = a->blocks;
	if (!kept)
		return;
	for (struct block *b = kept->next, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	kept->next = NULL;
	kept->used = 0;
	a->used = 0;
}

void *arena_alloc(struct arena *a, size_t size)
{
	if (size > SIZE_MAX / 2)
		or_die(NULL, a->name);
	size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	struct block *b = a->blocks;
	if (!b || b->size - b->used < size) {
		size_t usual = a->blocks ? 2 * a->last : FIRST_BLOCK;
		usual = usual < LARGEST_BLOCK ? usual : LARGEST_BLOCK;
		size_t room = size > usual ? size : usual;
		struct block *fresh = or_die(malloc(sizeof *fresh + room), a->name);
		*fresh = (struct block){.size = room};
		/* A block made for one large object goes behind the current one, whose rest stays in use. */
		if (b && size > usual) {
			fresh->next = b->next;
			b->next = fresh;
		} else {
			fresh->next = b;
			a->blocks = fresh;
			a->last = usual;
		}
		b = fresh;
	}
	void *p = b->data + b->used;
	b->used += size;
	a->used += size;
	return memset(p, 0, size);
}

size_t arena_used(const struct arena *a)
{
	return a->used;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p = arena_alloc(a, n + 1);
	memcpy(p, s, n);
	return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	char buffer[256]; /* enough for most, so that they are formatted once */
	va_list again;
	va_copy(again, ap);
	int n = vsnprintf(buffer, sizeof buffer, fmt, ap);
	char *p = arena_alloc(a, (size_t)n + 1);
	if ((size_t)n < sizeof buffer)
		memcpy(p, buffer, (size_t)n);
	else
		vsnprintf(p, (size_t)n + 1, fmt, again);
	va_end(again);
	return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	char *p = arena_vprintf(a, fmt, ap);
	va_end(ap);
	return p;
}
