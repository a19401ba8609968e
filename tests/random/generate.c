/* generate.c — random programs: generate --seed=S --count=N --out=PATH [--skip=S,S,...]
 * writes PATH.pml (programs S .. S+N-1 in one file, each a block of main), PATH.one.pml (the same on one rank) and
 * PATH.expected: for each program a line
 *     program SEED ITEMS-FROM ITEMS-TO FROM TO WRONG     (lines; WRONG 0: it must be accepted)
 * and the tokens that its prints must give. The world (ranks and placements) is that of the group of WORLD seeds. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORLD = 64 };

/* Where the lines of a program are in the file. */
struct lines {
	int item_first, item_last, first, last, wrong;
};

/* A program by its seed; tries again with other dice while its values get out of hand. */
static struct maker *make(uint64_t seed, struct heap *h, const struct world *w)
{
	for (uint64_t again = 0;; again++) {
		struct maker *m = heap_new(h, sizeof *m);
		*m = (struct maker){.heap = h, .dice = {seed * 0x5851F42D4C957F2Du + again}, .world = w, .seed = seed};
		m->node = heap_new(h, sizeof *m->node * MAX_NODES);
		m->prefix = heap_text(h, "%llu_", (unsigned long long)seed);
		program_make(m);
		if (!m->spoiled && !m->failed && !m->undecided)
			return m;
		buffer_free(&m->items);
		buffer_free(&m->text);
		buffer_free(&m->expected);
	}
}

static void write_file(const char *path, const char *suffix, const struct buffer *b)
{
	char name[4096];
	snprintf(name, sizeof name, "%s%s", path, suffix);
	FILE *f = fopen(name, "w");
	if (!f || fwrite(b->at, 1, b->n, f) != b->n || fclose(f)) {
		perror(name);
		exit(2);
	}
}

/* Line of the statement that is marked as wrong, counted in the program. */
static int wrong_line(const char *text)
{
	const char *mark = strstr(text, "//~");
	int n = 1;
	for (const char *p = text; mark && p < mark; p++)
		n += *p == '\n';
	return mark ? n : 0;
}

static int count_lines(const struct buffer *b)
{
	int n = 0;
	for (size_t i = 0; i < b->n; i++)
		n += b->at[i] == '\n';
	return n;
}

static const char *text_of(const struct buffer *b)
{
	return b->at ? b->at : "";
}

/* The text with every `from` replaced. */
static void add_replaced(struct buffer *out, const char *text, const char *from, const char *to)
{
	for (const char *next; (next = strstr(text, from)); text = next + strlen(from))
		buffer_add(out, "%.*s%s", (int)(next - text), text, to);
	buffer_add(out, "%s", text);
}

static void write_program(const struct world *w, struct heap *h, const struct buffer *body, const char *out, bool alone)
{
	struct buffer text = {0};
	world_items(w, h, &text, alone);
	for (int i = 0; i < w->nplaces; i++)
		if (strcmp(w->place[i].text, w->place[i].name))
			add_replaced(&text, body->at, w->place[i].text, alone ? w->place[i].alone : w->place[i].text);
	write_file(out, alone ? ".one.pml" : ".pml", &text);
	buffer_free(&text);
}

static int world_lines(const struct world *w, struct heap *h)
{
	struct buffer text = {0};
	world_items(w, h, &text, false);
	int n = count_lines(&text);
	buffer_free(&text);
	return n;
}

/* Items of all programs, then main with a block for each; expected: where they are and what they print. */
static void assemble(struct maker **m, int n, int lines, struct buffer *body, struct buffer *expected, struct lines *at)
{
	for (int i = 0; i < n; i++) {
		at[i].item_first = lines + 1;
		lines += count_lines(&m[i]->items);
		at[i].item_last = lines;
		buffer_add(body, "%s", text_of(&m[i]->items));
	}
	buffer_add(body, "main {\n");
	lines++;
	for (int i = 0; i < n; i++) {
		const char *text = text_of(&m[i]->text);
		int wrong = m[i]->is_wrong ? wrong_line(text) : 0;
		at[i].first = lines + 1;
		at[i].last = lines += count_lines(&m[i]->text) + 2;
		at[i].wrong = wrong ? at[i].first + wrong : 0;
		buffer_add(body, "    {\n%s    }\n", text);
		buffer_add(expected, "program %llu %d %d %d %d %d\n%s", (unsigned long long)m[i]->seed,
			   at[i].item_first, at[i].item_last, at[i].first, at[i].last, at[i].wrong,
			   text_of(&m[i]->expected));
	}
	buffer_add(body, "}\n");
}

static bool is_listed(const char *list, uint64_t seed)
{
	for (char *end; *list; list = *end ? end + 1 : end)
		if (strtoull(list, &end, 10) == seed)
			return true;
	return false;
}

static void generate(uint64_t seed, int count, const char *out, const char *skip)
{
	struct heap h = {0};
	struct world w;
	struct buffer body = {0}, expected = {0};
	struct dice d = {seed / WORLD * 7919 + 1};
	world_make(&w, &h, &d);
	w.is_reproducible = seed / WORLD % 4 == 2; /* as in batch */
	struct maker **m = heap_new(&h, sizeof *m * (size_t)count);
	int n = 0;
	for (int i = 0; i < count; i++) {
		m[n] = make(seed + (uint64_t)i, &h, &w);
		n += !is_listed(skip, seed + (uint64_t)i);
	}
	assemble(m, n, world_lines(&w, &h), &body, &expected, heap_new(&h, sizeof(struct lines) * (size_t)count));
	write_program(&w, &h, &body, out, false);
	write_program(&w, &h, &body, out, true);
	write_file(out, ".expected", &expected);
	printf("%d\n", w.ranks);
	for (int i = 0; i < n; i++) {
		buffer_free(&m[i]->items);
		buffer_free(&m[i]->text);
		buffer_free(&m[i]->expected);
	}
	buffer_free(&body);
	buffer_free(&expected);
	heap_free(&h);
}

int main(int argc, char **argv)
{
	uint64_t seed = 1;
	int count = 1;
	const char *out = NULL, *skip = "";
	for (int i = 1; i < argc; i++) {
		if (!strncmp(argv[i], "--seed=", 7))
			seed = strtoull(argv[i] + 7, NULL, 10);
		else if (!strncmp(argv[i], "--count=", 8))
			count = atoi(argv[i] + 8);
		else if (!strncmp(argv[i], "--out=", 6))
			out = argv[i] + 6;
		else if (!strncmp(argv[i], "--skip=", 7))
			skip = argv[i] + 7;
		else
			out = NULL, i = argc;
	}
	if (!out || count < 1) {
		fputs("usage: generate --seed=S --count=N --out=PATH [--skip=S,S,...]\n", stderr);
		return 2;
	}
	generate(seed, count, out, skip);
	return 0;
}
