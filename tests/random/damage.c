/* damage.c — wrong text: damage --seed=S FILE prints FILE with one to four changes: characters and words exchanged,
 * doubled, left out, lines moved, numbers made large. */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t next(uint64_t *state)
{
	uint64_t z = *state += 0x9E3779B97F4A7C15u;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return z ^ z >> 31;
}

struct text {
	char *at;
	size_t n;
};

static struct text read_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct text t = {malloc(1 << 22), 0};
	if (!f || !t.at) {
		perror(path);
		exit(2);
	}
	t.n = fread(t.at, 1, 1 << 20, f);
	fclose(f);
	return t;
}

/* Replaces n bytes at a place; the buffer has room for many times the file. */
static void splice(struct text *t, size_t at, size_t n, const char *with, size_t m)
{
	if (t->n - n + m >= 1 << 21)
		return;
	memmove(t->at + at + m, t->at + at + n, t->n - at - n);
	memcpy(t->at + at, with, m);
	t->n += m - n;
}

/* A word or sign that begins at or behind a place. */
static size_t word(const struct text *t, size_t at, size_t *n)
{
	while (at < t->n && isspace((unsigned char)t->at[at]))
		at++;
	*n = at < t->n;
	while (at + *n < t->n && isalnum((unsigned char)t->at[at]) && isalnum((unsigned char)t->at[at + *n]))
		++*n;
	return at;
}

static const char *const words[] = {
	"S(0)",
	"S(9)",
	"B",
	"P",
	"P(max)",
	"P(prod)",
	"-1",
	"0",
	"99999999999",
	"1e300",
	"[]",
	"to B",
	"@grid",
	"@one",
	"f32",
	"bool",
	"i32",
	"f64",
	"none",
	"sum",
	"relu",
	"[0]",
	"[..]",
	"(",
	")",
	"{",
	"}",
	";",
	",",
	"..",
	"@",
	"dim = 7",
	"true",
	"\"x\"",
	"for i in 0..3",
	"while true {",
	"grad",
	"let q[i] =",
	"sum[k]",
	"stop_gradient",
	"iota(4)",
	"2 ** 62",
	"reshape(v, [-1])",
};

static void change(struct text *t, uint64_t *dice)
{
	size_t n, m, at = word(t, next(dice) % t->n, &n), from = word(t, next(dice) % t->n, &m);
	char copy[64];
	const char *w = words[next(dice) % (sizeof words / sizeof *words)];
	if (m > sizeof copy)
		m = sizeof copy;
	memcpy(copy, t->at + from, m);
	switch (next(dice) % 6) {
	case 0:
		splice(t, at, n, "", 0);
		break;
	case 1:
		splice(t, at, n, w, strlen(w));
		break;
	case 2:
		splice(t, at, 0, w, strlen(w));
		break;
	case 3:
		splice(t, at, n, copy, m);
		break;
	case 4:
		splice(t, at, 0, copy, m);
		break;
	default:
		if (at < t->n)
			t->at[at] = (char)(32 + next(dice) % 95);
		break;
	}
}

int main(int argc, char **argv)
{
	if (argc != 3 || strncmp(argv[1], "--seed=", 7)) {
		fputs("usage: damage --seed=S FILE\n", stderr);
		return 2;
	}
	uint64_t dice = strtoull(argv[1] + 7, NULL, 10) * 77 + 3;
	struct text t = read_file(argv[2]);
	for (int k = 1 + (int)(next(&dice) % 4); k > 0 && t.n > 0; k--)
		change(&t, &dice);
	fwrite(t.at, 1, t.n, stdout);
	free(t.at);
	return 0;
}
