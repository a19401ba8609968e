/* text.h — a growable string in an arena, for printers. */
#ifndef PML_TEXT_H
#define PML_TEXT_H

#include "arena.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>

/* A letter, digit or underscore. */
static inline bool char_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

struct text {
	struct arena *arena;
	char *at; /* always 0-terminated once something was added; NULL before */
	size_t n, cap;
};

void text_init(struct text *t, struct arena *a);
void text_add(struct text *t, const char *s);
void text_add_n(struct text *t, const char *s, size_t n);
void text_printf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A JSON string with its quotes: control characters, quotes and backslashes escaped, invalid UTF-8 replaced. */
void text_json(struct text *t, const char *s);

/* Bytes for people: "0 B", "640 B", "2.6 kB", "1.3 MB" (powers of 1000, two significant digits below 10). */
void text_bytes(struct text *t, int64_t bytes);

/* The text so far ("" if nothing was added). */
const char *text_get(const struct text *t);

#endif
