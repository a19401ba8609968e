/* arena.h — memory by lifetime: everything allocated from an arena is freed with it, nothing singly.
 * Allocation never fails to the caller: when the machine has no memory left, arena_alloc writes one line to stderr
 * and ends the process with status 70, because no pass could go on. */
#ifndef PML_ARENA_H
#define PML_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena;

/* A new, empty arena. The name (a literal) shows in `pmlc --time -v`. */
struct arena *arena_new(const char *name);
void arena_free(struct arena *a);

/* One that is freed with another, never by itself. */
struct arena *arena_inner(struct arena *outer, const char *name);

/* As if it were new: all that was allocated is gone, and its memory is used again. */
void arena_empty(struct arena *a);

/* size bytes, zeroed, aligned to 16. A size of 0 gives a valid pointer. */
void *arena_alloc(struct arena *a, size_t size);

/* Bytes handed out so far. */
size_t arena_used(const struct arena *a);

/* Copies: n bytes of s and a terminating 0; a whole string; a printf. */
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_strdup(struct arena *a, const char *s);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap);

#define ARENA_NEW(a, T)      ((T *)arena_alloc((a), sizeof(T)))
#define ARENA_ARRAY(a, T, n) ((T *)arena_alloc((a), sizeof(T) * (size_t)(n)))

#endif
