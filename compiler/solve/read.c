/* read.c — see read.h. */
#include "read.h"

#include "base/map.h"
#include "base/vec.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { MAX_DEPTH = 100 };

struct list {
	int n;
	const int64_t *at;
	struct list *next; /* of the same hash */
};

struct lists {
	VEC(const struct list *) at;
	bool is_given;
};

struct reader {
	struct arena *arena, *scratch;
	gzFile file;
	unsigned char buffer[1 << 16];
	int n, at, line;
	struct map known; /* lists by hash */
	VEC(int64_t) numbers;
	const char *error;
	jmp_buf failed;
};

__attribute__((noreturn, format(printf, 2, 3))) static void fail(struct reader *r, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	const char *text = arena_vprintf(r->arena, fmt, ap);
	va_end(ap);
	r->error = r->line ? arena_printf(r->arena, "line %d: %s", r->line, text) : text;
	longjmp(r->failed, 1);
}

/* ---- characters ---- */

/* The next byte, which stays; EOF behind the last. */
static int peek(struct reader *r)
{
	if (r->at < r->n)
		return r->buffer[r->at];
	r->n = gzread(r->file, r->buffer, sizeof r->buffer);
	r->at = 0;
	if (r->n > 0)
		return r->buffer[0];
	int code;
	const char *why = gzerror(r->file, &code);
	if (r->n >= 0 && code == Z_OK) {
		r->n = 0;
		return EOF;
	}
	r->line = 0;
	fail(r, "cannot be read: %s",
	     code == Z_ERRNO       ? strerror(errno)
	     : code == Z_BUF_ERROR ? "the gzip stream is cut off"
				   : why);
}

static int skip_blanks(struct reader *r)
{
	for (;; r->at++) {
		int c = peek(r);
		if (c != ' ' && c != '\t' && c != '\r' && c != '\n')
			return c;
		r->line += c == '\n';
	}
}

__attribute__((noreturn)) static void unexpected(struct reader *r, const char *wanted)
{
	int c = peek(r);
	if (c == EOF)
		fail(r, "the text ends where %s was to come", wanted);
	if (c > ' ' && c < 127)
		fail(r, "`%c` where %s was to come", c, wanted);
	fail(r, "a byte of value %d where %s was to come", c, wanted);
}

static void expect(struct reader *r, char c)
{
	if (skip_blanks(r) != c)
		unexpected(r, (char[]){'`', c, '`', 0});
	r->at++;
}

/* Whether another item follows in a list or an object; takes the comma, or the end. */
static bool more(struct reader *r, bool first, char end)
{
	int c = skip_blanks(r);
	if (c == end)
		return r->at++, false;
	if (first)
		return true;
	if (c != ',')
		unexpected(r, end == ']' ? "`,` or `]`" : "`,` or `}`");
	r->at++;
	if (skip_blanks(r) == end)
		unexpected(r, "an item");
	return true;
}

/* ---- values ---- */

static const char *read_text(struct reader *r)
{
	VEC(char) t = {0};
	expect(r, '"');
	for (int c; (c = peek(r)) != '"'; r->at++) {
		if (c == EOF || c < ' ')
			unexpected(r, "the end of a text");
		vec_push(r->scratch, &t, (char)c);
		if (c == '\\') {
			r->at++;
			if (peek(r) == EOF)
				unexpected(r, "the end of a text");
			vec_push(r->scratch, &t, (char)peek(r));
		}
	}
	r->at++;
	vec_push(r->scratch, &t, 0);
	return t.at;
}

static void read_word(struct reader *r, const char *word)
{
	for (; *word; word++, r->at++)
		if (peek(r) != *word)
			unexpected(r, "null, true, false or a number");
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static const char *name_of(struct reader *r, const char *what, int item)
{
	return item < 0 ? what : arena_printf(r->scratch, "%s[%d]", what, item);
}

static const char *kind_of(int c)
{
	return c == '['   ? "a list"
	       : c == '{' ? "an object"
	       : c == '"' ? "a text"
	       : c == EOF ? "the end"
			  : "something else";
}

/* A whole number; one that does not fit is the largest or smallest there is. item: in a list, or -1. */
static int64_t read_number(struct reader *r, const char *what, int item)
{
	int c = skip_blanks(r);
	bool negative = c == '-';
	uint64_t v = 0, most = INT64_MAX;
	r->at += negative;
	c = negative ? peek(r) : c;
	if (!is_digit(c) && !negative)
		fail(r, "%s: a whole number was to come, not %s", name_of(r, what, item), kind_of(c));
	if (!is_digit(c))
		unexpected(r, "a digit");
	for (; is_digit(c); r->at++, c = peek(r))
		v = v > (most - 9) / 10 ? most : v * 10 + (uint64_t)(c - '0');
	if (c == '.' || c == 'e' || c == 'E')
		fail(r, "%s: not a whole number", name_of(r, what, item));
	return negative ? -(int64_t)v : (int64_t)v;
}

static void skip_number(struct reader *r)
{
	int n = 0;
	for (int c = peek(r); is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'; c = peek(r))
		r->at++, n++;
	if (!n)
		unexpected(r, "a value");
}

static void skip_value(struct reader *r, int depth)
{
	int c = skip_blanks(r);
	if (depth > MAX_DEPTH)
		fail(r, "lists and objects nest deeper than %d", MAX_DEPTH);
	if (c == '"') {
		read_text(r);
	} else if (c == '[' || c == '{') {
		char end = c == '[' ? ']' : '}';
		r->at++;
		for (bool first = true; more(r, first, end); first = false) {
			if (c == '{') {
				read_text(r);
				expect(r, ':');
			}
			skip_value(r, depth + 1);
		}
	} else if (c == 't' || c == 'f' || c == 'n') {
		read_word(r, c == 't' ? "true" : c == 'f' ? "false" : "null");
	} else {
		skip_number(r);
	}
}

/* ---- lists ---- */

static const struct list *keep_list(struct reader *r)
{
	uint64_t hash = HASH_SEED;
	size_t bytes = sizeof *r->numbers.at * (size_t)r->numbers.n;
	for (int i = 0; i < r->numbers.n; i++)
		hash = hash_number(hash, (uint64_t)r->numbers.at[i]);
	struct list *first = map_get_u64(&r->known, hash);
	for (struct list *l = first; l; l = l->next)
		if (l->n == r->numbers.n && (!bytes || !memcmp(l->at, r->numbers.at, bytes)))
			return l;
	struct list *l = ARENA_NEW(r->arena, struct list);
	int64_t *copy = arena_alloc(r->arena, bytes);
	if (bytes)
		memcpy(copy, r->numbers.at, bytes);
	*l = (struct list){r->numbers.n, copy, first};
	map_set_u64(&r->known, hash, l);
	return l;
}

static void read_lists(struct reader *r, const char *what, struct lists *to)
{
	if (to->is_given)
		fail(r, "%s is there twice", what);
	to->is_given = true;
	if (skip_blanks(r) != '[')
		unexpected(r, arena_printf(r->scratch, "the list of %s", what));
	r->at++;
	for (bool first = true; more(r, first, ']'); first = false) {
		if (skip_blanks(r) != '[')
			unexpected(r, arena_printf(r->scratch, "the list %s[%d]", what, to->at.n));
		r->at++;
		r->numbers.n = 0;
		for (bool start = true; more(r, start, ']'); start = false) {
			int64_t v = read_number(r, what, to->at.n);
			vec_push(r->scratch, &r->numbers, v);
		}
		vec_push(r->scratch, &to->at, keep_list(r));
	}
}

/* ---- the problem ---- */

struct parts {
	struct lists intervals, costs, usages, nodes, tables;
	bool has_problem, has_limit;
	int64_t limit;
};

/* The next key of an object; NULL at its end. */
static const char *next_key(struct reader *r, bool first)
{
	if (!more(r, first, '}'))
		return NULL;
	const char *key = read_text(r);
	expect(r, ':');
	return key;
}

/* Lists of lists by name: a member of the problem. */
struct member {
	const char *key, *name; /* the latter with the member's own */
	struct lists *to;
};

static void read_members(struct reader *r, int n, const struct member *m)
{
	const char *key;
	expect(r, '{');
	for (bool first = true; (key = next_key(r, first)); first = false) {
		int i = 0;
		while (i < n && strcmp(key, m[i].key))
			i++;
		if (i < n)
			read_lists(r, m[i].name, m[i].to);
		else
			skip_value(r, 0);
	}
}

static void read_limit(struct reader *r, struct parts *p)
{
	if (p->has_limit)
		fail(r, "usage_limit is there twice");
	p->has_limit = skip_blanks(r) != 'n';
	if (!p->has_limit) {
		read_word(r, "null");
		return;
	}
	p->limit = read_number(r, "usage_limit", -1);
	if (p->limit < 0)
		fail(r, "usage_limit is negative");
}

static void read_problem(struct reader *r, struct parts *p)
{
	const struct member nodes[] = {{"intervals", "nodes.intervals", &p->intervals},
				       {"costs", "nodes.costs", &p->costs},
				       {"usages", "nodes.usages", &p->usages}};
	const struct member edges[] = {{"nodes", "edges.nodes", &p->nodes}, {"costs", "edges.costs", &p->tables}};
	const char *key;
	if (p->has_problem)
		fail(r, "problem is there twice");
	p->has_problem = true;
	expect(r, '{');
	for (bool first = true; (key = next_key(r, first)); first = false)
		if (!strcmp(key, "nodes"))
			read_members(r, 3, nodes);
		else if (!strcmp(key, "edges"))
			read_members(r, 2, edges);
		else if (!strcmp(key, "usage_limit"))
			read_limit(r, p);
		else
			skip_value(r, 0);
}

static void read_all(struct reader *r, struct parts *p)
{
	const char *key;
	expect(r, '{');
	for (bool first = true; (key = next_key(r, first)); first = false)
		if (!strcmp(key, "problem"))
			read_problem(r, p);
		else
			skip_value(r, 0);
	if (skip_blanks(r) != EOF)
		unexpected(r, "the end of the text");
	r->line = 0;
}

static void want(struct reader *r, const struct lists *l, const char *name, const char *as, int n)
{
	if (!l->is_given)
		fail(r, "%s is missing", name);
	if (as && l->at.n != n)
		fail(r, "%s has %d items and %s %d", name, l->at.n, as, n);
}

static void make_nodes(struct reader *r, const struct parts *p, struct problem *to)
{
	to->node = ARENA_ARRAY(r->arena, struct problem_node, to->nnodes);
	for (int i = 0; i < to->nnodes; i++) {
		const struct list *cost = p->costs.at.at[i], *usage = p->usages.at.at[i],
				  *interval = p->intervals.at.at[i];
		if (interval->n != 2)
			fail(r, "nodes.intervals[%d] has %d items, not 2", i, interval->n);
		if (cost->n < 1)
			fail(r, "nodes.costs[%d] is empty: a node has at least one choice", i);
		if (usage->n != cost->n)
			fail(r, "nodes.usages[%d] has %d items and nodes.costs[%d] %d", i, usage->n, i, cost->n);
		for (int v = 0; v < usage->n; v++)
			if (usage->at[v] < 0)
				fail(r, "nodes.usages[%d][%d] is negative", i, v);
		to->node[i] = (struct problem_node){cost->n, cost->at, usage->at, interval->at[0], interval->at[1]};
	}
}

static void make_edges(struct reader *r, const struct parts *p, struct problem *to)
{
	to->edge = ARENA_ARRAY(r->arena, struct problem_edge, to->nedges);
	for (int k = 0; k < to->nedges; k++) {
		const struct list *nodes = p->nodes.at.at[k], *table = p->tables.at.at[k];
		int *node = ARENA_ARRAY(r->arena, int, nodes->n);
		if (nodes->n < 1)
			fail(r, "edges.nodes[%d] is empty", k);
		for (int i = 0; i < nodes->n; i++) {
			if (nodes->at[i] < 0 || nodes->at[i] >= to->nnodes)
				fail(r, "edges.nodes[%d] names node %lld, and there are %d", k, (long long)nodes->at[i],
				     to->nnodes);
			node[i] = (int)nodes->at[i];
		}
		to->edge[k] = (struct problem_edge){nodes->n, node, table->at};
		int64_t entries = problem_entries(to, &to->edge[k]);
		if (entries != table->n)
			fail(r, "edges.costs[%d] has %d items, and its nodes have %lld choices together", k, table->n,
			     (long long)entries);
	}
}

static struct problem *make_problem(struct reader *r, const struct parts *p)
{
	struct problem *to = ARENA_NEW(r->arena, struct problem);
	if (!p->has_problem)
		fail(r, "problem is missing");
	want(r, &p->costs, "nodes.costs", NULL, 0);
	want(r, &p->intervals, "nodes.intervals", "nodes.costs", p->costs.at.n);
	want(r, &p->usages, "nodes.usages", "nodes.costs", p->costs.at.n);
	want(r, &p->nodes, "edges.nodes", NULL, 0);
	want(r, &p->tables, "edges.costs", "edges.nodes", p->nodes.at.n);
	*to = (struct problem){
		.nnodes = p->costs.at.n, .nedges = p->nodes.at.n, .has_limit = p->has_limit, .limit = p->limit};
	make_nodes(r, p, to);
	make_edges(r, p, to);
	const char *error = problem_check(to, r->arena);
	if (error)
		fail(r, "%s", error);
	return to;
}

struct problem *problem_read(struct arena *a, const char *path, const char **error)
{
	struct arena *scratch = arena_new("solve: reading");
	struct reader *r = ARENA_NEW(scratch, struct reader);
	struct parts *parts = ARENA_NEW(scratch, struct parts);
	struct problem *volatile p = NULL;
	r->arena = a;
	r->scratch = scratch;
	r->line = 1;
	map_init(&r->known, scratch);
	r->file = gzopen(path, "rb");
	if (!r->file) {
		*error = arena_printf(a, "cannot be read: %s", strerror(errno));
	} else if (!setjmp(r->failed)) {
		read_all(r, parts);
		p = make_problem(r, parts);
	} else {
		*error = r->error;
	}
	if (r->file)
		gzclose(r->file);
	arena_free(scratch);
	return p;
}
