/* session.c — the life of a compilation, its source files, and how a byte offset becomes line and column. */
#include "session.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct session *session_new(void)
{
	struct arena *arena = arena_new("session");
	struct session *s = ARENA_NEW(arena, struct session);
	s->arena = arena;
	s->names = interner_new(arena);
	s->options.opt_level = 2;
	session_add_source(s, "<built-in>", "", 0);
	return s;
}

void session_free(struct session *s)
{
	if (s)
		arena_free(s->arena);
}

uint32_t session_add_source(struct session *s, const char *path, const char *bytes, size_t size)
{
	struct source src = {.path = arena_strdup(s->arena, path)};
	src.bytes = arena_strndup(s->arena, bytes, size);
	src.size = (uint32_t)size;
	vec_push(s->arena, &src.lines, 0);
	for (uint32_t i = 0; i < src.size; i++)
		if (bytes[i] == '\n')
			vec_push(s->arena, &src.lines, i + 1);
	vec_push(s->arena, &s->sources, src);
	return (uint32_t)s->sources.n - 1;
}

uint32_t source_line(const struct source *src, uint32_t offset)
{
	return offset - (uint32_t)(source_position(src, offset).column - 1);
}

struct line_column source_position(const struct source *src, uint32_t offset)
{
	int low = 0, high = src->lines.n - 1;
	while (low < high) {
		int mid = (low + high + 1) / 2;
		if (src->lines.at[mid] <= offset)
			low = mid;
		else
			high = mid - 1;
	}
	return (struct line_column){.line = low + 1, .column = (int)(offset - src->lines.at[low]) + 1};
}

struct span span_join(struct span a, struct span b)
{
	if (a.file != b.file)
		return a.file ? a : b;
	return (struct span){a.file, a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end};
}

_Noreturn void session_bug(const char *file, int line, const char *fmt, ...)
{
	va_list ap;
	fflush(stdout);
	fprintf(stderr, "pmlc: internal error at %s:%d: ", file, line);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\npmlc: this is a bug of pmlc, not of your program; please report it with the program and the"
			" line above\n");
	exit(70);
}
