/* fuzz.c — see fuzz.h. */
#define _POSIX_C_SOURCE 200809L
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t next_random(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

size_t below(uint64_t *state, size_t n)
{
	return n ? (size_t)(next_random(state) % n) : 0;
}

void splice(struct input *b, size_t at, size_t cut, const void *s, size_t n)
{
	if (at > b->n)
		at = b->n;
	if (cut > b->n - at)
		cut = b->n - at;
	if (b->n - cut + n > MAX_INPUT)
		return;
	memmove(b->at + at + n, b->at + at + cut, b->n - at - cut);
	memcpy(b->at + at, s, n);
	b->n = b->n - cut + n;
}

struct input read_seed(const char *path)
{
	struct input b = {malloc(MAX_INPUT), 0};
	FILE *f = fopen(path, "rb");
	if (!f || !b.at) {
		fprintf(stderr, "fuzz: cannot read %s\n", path);
		exit(EXIT_FAILURE);
	}
	b.n = fread(b.at, 1, MAX_INPUT, f);
	fclose(f);
	return b;
}

double now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

void remember(const char *path, const struct input *b)
{
	FILE *f = fopen(path, "wb");
	if (f) {
		fwrite(b->at, 1, b->n, f);
		fclose(f);
	}
}
