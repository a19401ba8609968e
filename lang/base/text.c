/* text.c — strings that grow. */
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void text_init(struct text *t, struct arena *a)
{
	*t = (struct text){.arena = a};
}

static void reserve(struct text *t, size_t more)
{
	if (t->n + more + 1 <= t->cap)
		return;
	size_t cap = t->cap ? t->cap * 2 : 128;
	while (cap < t->n + more + 1)
		cap *= 2;
	char *fresh = arena_alloc(t->arena, cap);
	if (t->n)
		memcpy(fresh, t->at, t->n);
	t->at = fresh;
	t->cap = cap;
}

void text_add_n(struct text *t, const char *s, size_t n)
{
	reserve(t, n);
	memcpy(t->at + t->n, s, n);
	t->n += n;
	t->at[t->n] = 0;
}

void text_add(struct text *t, const char *s)
{
	text_add_n(t, s, strlen(s));
}

void text_printf(struct text *t, const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	reserve(t, (size_t)n);
	vsnprintf(t->at + t->n, (size_t)n + 1, fmt, again);
	va_end(again);
	t->n += (size_t)n;
}

/* Length of the valid UTF-8 sequence at s, or 0. */
static int utf8_length(const unsigned char *s)
{
	int n = s[0] < 0x80 ? 1 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc2 ? 2 : 0;
	if (s[0] >= 0xf5)
		return 0;
	for (int i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

void text_json(struct text *t, const char *s)
{
	text_add(t, "\"");
	for (const unsigned char *c = (const unsigned char *)s; *c;) {
		int n = utf8_length(c);
		if (*c == '"' || *c == '\\')
			text_printf(t, "\\%c", *c);
		else if (*c == '\n')
			text_add(t, "\\n");
		else if (*c == '\t')
			text_add(t, "\\t");
		else if (*c < 0x20)
			text_printf(t, "\\u%04x", *c);
		else if (n == 0)
			text_add(t, "\\ufffd");
		else
			text_add_n(t, (const char *)c, (size_t)n);
		c += n ? n : 1;
	}
	text_add(t, "\"");
}

void text_bytes(struct text *t, int64_t bytes)
{
	static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
	if (bytes < 1000) {
		text_printf(t, "%" PRId64 " B", bytes);
		return;
	}
	double v = (double)bytes;
	int u = 0;
	while (v >= 999.5 && u < 6) {
		v /= 1000;
		u++;
	}
	text_printf(t, v < 9.95 ? "%.1f %s" : "%.0f %s", v, unit[u]);
}

const char *text_get(const struct text *t)
{
	return t->n ? t->at : "";
}
