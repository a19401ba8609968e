/* fuzz.h — what the fuzz programs share: seeds, random numbers, edits of a text, the input at hand on disk. */
#ifndef PML_FUZZ_H
#define PML_FUZZ_H

#include <stddef.h>
#include <stdint.h>

enum { MAX_INPUT = 64 * 1024, MAX_SEEDS = 1000 };

struct input {
	unsigned char *at; /* MAX_INPUT bytes of room */
	size_t n;
};

uint64_t next_random(uint64_t *state);
size_t below(uint64_t *state, size_t n); /* 0 if n is 0 */

/* Replaces cut bytes at `at` by n bytes of s, as far as there is room. */
void splice(struct input *b, size_t at, size_t cut, const void *s, size_t n);

/* The file's first MAX_INPUT bytes; ends the process if it cannot be read. */
struct input read_seed(const char *path);

/* Processor time of this process alone: a busy machine makes no input slow. */
double now_ms(void);

/* Keeps the input where it can be looked at if the process dies. */
void remember(const char *path, const struct input *b);

/* One random change of a PML program token by token, so that most results still parse: names, numbers, layouts, element
 * types and operators are exchanged, statements deleted, doubled, moved, or taken from another program. */
void mutate_tokens(struct input *b, const struct input *other, uint64_t *r);

/* One random change of a file of data: bytes, pieces, and numbers in digits or in binary. */
void mutate_bytes(struct input *b, const struct input *other, uint64_t *r);

#endif
