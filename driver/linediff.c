/* linediff.c — see linediff.h. The texts are walked side by side; where lines differ, the nearest pair of equal lines
 * ahead joins them again. */
#include "linediff.h"

#include "base/vec.h"

#include <stdbool.h>
#include <string.h>

enum { CONTEXT = 3, LOOK_AHEAD = 64 };

struct line {
	const char *at;
	size_t n; /* with the line feed, if it has one */
};
struct lines {
	VEC(struct line) v;
};
/* Lines a..a+n of one side against b..b+m of the other; kept: they are equal. */
struct piece {
	bool kept;
	int a, n, b, m;
};

static void split(struct arena *arena, struct lines *out, const char *text, size_t n)
{
	while (n) {
		const char *end = memchr(text, '\n', n);
		struct line l = {text, end ? (size_t)(end - text) + 1 : n};
		vec_push(arena, &out->v, l);
		text += l.n;
		n -= l.n;
	}
}

static bool same(const struct lines *x, int i, const struct lines *y, int j)
{
	return x->v.at[i].n == y->v.at[j].n && !memcmp(x->v.at[i].at, y->v.at[j].at, x->v.at[i].n);
}

/* The nearest i and j from here on where the sides agree again; the ends if there is none. */
static void rejoin(const struct lines *x, const struct lines *y, int *i, int *j)
{
	for (int far = 1; far <= 2 * LOOK_AHEAD; far++)
		for (int k = 0; k <= far; k++) {
			int p = *i + k, q = *j + far - k;
			if (p < x->v.n && q < y->v.n && same(x, p, y, q)) {
				*i = p;
				*j = q;
				return;
			}
		}
	*i = x->v.n;
	*j = y->v.n;
}

struct pieces {
	VEC(struct piece) v;
};

static void compare(struct arena *arena, struct pieces *out, const struct lines *x, const struct lines *y)
{
	for (int i = 0, j = 0; i < x->v.n || j < y->v.n;) {
		struct piece p = {.a = i, .b = j};
		p.kept = i < x->v.n && j < y->v.n && same(x, i, y, j);
		while (p.kept && i < x->v.n && j < y->v.n && same(x, i, y, j)) {
			i++;
			j++;
		}
		if (!p.kept)
			rejoin(x, y, &i, &j);
		p.n = i - p.a;
		p.m = j - p.b;
		vec_push(arena, &out->v, p);
	}
}

static void print_line(struct text *out, char sign, const struct line *l)
{
	text_add_n(out, &sign, 1);
	text_add_n(out, l->at, l->n);
	if (!l->n || l->at[l->n - 1] != '\n')
		text_add(out, "\n\\ No newline at end of file\n");
}

/* Pieces first..last of a hunk, whose first and last are kept and cut to the context. */
static void print_hunk(struct text *out, const struct lines *x, const struct lines *y, const struct piece *first,
		       const struct piece *last)
{
	int before = first->kept ? (first->n < CONTEXT ? first->n : CONTEXT) : 0;
	int after = last->kept ? (last->n < CONTEXT ? last->n : CONTEXT) : 0;
	int a = first->kept ? first->a + first->n - before : first->a,
	    b = first->kept ? first->b + first->m - before : first->b;
	int na = (last->kept ? last->a + after : last->a + last->n) - a;
	int nb = (last->kept ? last->b + after : last->b + last->m) - b;
	text_printf(out, "@@ -%d,%d +%d,%d @@\n", na ? a + 1 : a, na, nb ? b + 1 : b, nb);
	for (const struct piece *p = first; p <= last; p++) {
		int from = p == first && p->kept ? p->n - before : 0, to = p == last && p->kept ? after : p->n;
		for (int i = from; i < to; i++)
			print_line(out, p->kept ? ' ' : '-', &x->v.at[p->a + i]);
		for (int j = 0; j < p->m && !p->kept; j++)
			print_line(out, '+', &y->v.at[p->b + j]);
	}
}

void linediff(struct text *out, const char *path, const char *a, size_t na, const char *b, size_t nb)
{
	struct arena *arena = arena_new("diff");
	struct lines x = {0}, y = {0};
	struct pieces p = {0};
	split(arena, &x, a, na);
	split(arena, &y, b, nb);
	compare(arena, &p, &x, &y);
	bool any = false;
	for (int i = 0; i < p.v.n; i++) {
		if (p.v.at[i].kept)
			continue;
		int first = i > 0 ? i - 1 : i, last = i;
		/* Differences with little between them are one hunk. */
		while (last + 2 < p.v.n && p.v.at[last + 1].n <= 2 * CONTEXT)
			last += 2;
		i = last;
		last += last + 1 < p.v.n;
		if (!any)
			text_printf(out, "--- %s\n+++ %s\n", path, path);
		any = true;
		print_hunk(out, &x, &y, &p.v.at[first], &p.v.at[last]);
	}
	arena_free(arena);
}
