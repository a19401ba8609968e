/* cursor.c — the small readers behind graph_read. */
#include "cursor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void cursor_fail(struct cursor *c, const char *fmt, ...)
{
	if (c->error)
		return;
	va_list ap;
	va_start(ap, fmt);
	c->error = arena_printf(c->arena, "line %d: %s", c->line, arena_vprintf(c->arena, fmt, ap));
	va_end(ap);
}

static void skip_blanks(struct cursor *c)
{
	while (*c->p == ' ' || *c->p == '\t')
		c->p++;
}

bool cursor_sees(struct cursor *c, const char *word)
{
	skip_blanks(c);
	return !c->error && !strncmp(c->p, word, strlen(word));
}

bool cursor_take(struct cursor *c, const char *word)
{
	if (!cursor_sees(c, word))
		return false;
	c->p += strlen(word);
	return true;
}

void cursor_expect(struct cursor *c, const char *word)
{
	if (!cursor_take(c, word))
		cursor_fail(c, "`%s` expected at `%.20s`", word, c->p);
}

static void skip_comment(struct cursor *c)
{
	if (c->p[0] == '/' && c->p[1] == '/')
		c->p += strcspn(c->p, "\n");
}

void cursor_end_line(struct cursor *c)
{
	skip_blanks(c);
	skip_comment(c);
	if (*c->p && *c->p != '\n')
		cursor_fail(c, "end of line expected at `%.20s`", c->p);
	if (*c->p == '\n') {
		c->p++;
		c->line++;
	}
}

bool cursor_at_end(struct cursor *c)
{
	for (;;) {
		skip_blanks(c);
		skip_comment(c);
		if (c->error || *c->p != '\n')
			return c->error || !*c->p;
		c->p++;
		c->line++;
	}
}

int64_t cursor_int(struct cursor *c)
{
	skip_blanks(c);
	char *end;
	errno = 0;
	long long v = strtoll(c->p, &end, 10);
	if (end == c->p || errno)
		cursor_fail(c, "number expected at `%.20s`", c->p);
	else
		c->p = end;
	return v;
}

int cursor_count(struct cursor *c)
{
	int64_t v = cursor_int(c);
	if (v >= 0 && v <= 1000000000)
		return (int)v;
	cursor_fail(c, "%lld is no count", (long long)v);
	return 0;
}

double cursor_float(struct cursor *c)
{
	skip_blanks(c);
	char *end;
	double v = strtod(c->p, &end);
	if (end == c->p)
		cursor_fail(c, "number expected at `%.20s`", c->p);
	else
		c->p = end;
	return v;
}

static char unescape(struct cursor *c)
{
	char e = *c->p;
	if (e)
		c->p++;
	if (e == 'n')
		return '\n';
	if (e == 't')
		return '\t';
	if (e != 'u')
		return e;
	unsigned v = 0;
	int n = 0;
	for (; n < 4 && strchr("0123456789abcdefABCDEF", *c->p) && *c->p; n++, c->p++)
		v = v * 16 + (unsigned)(*c->p <= '9' ? *c->p - '0' : (*c->p | 32) - 'a' + 10);
	if (n < 4 || v == 0 || v > 0x7f)
		cursor_fail(c, "this escape is not one that the printer writes");
	return (char)v;
}

const char *cursor_string(struct cursor *c)
{
	struct text t;
	text_init(&t, c->arena);
	cursor_expect(c, "\"");
	while (!c->error && *c->p != '"') {
		char ch = *c->p;
		if (ch == 0 || ch == '\n') {
			cursor_fail(c, "a string does not end on its line");
			break;
		}
		c->p++;
		if (ch == '\\')
			ch = unescape(c);
		text_add_n(&t, &ch, 1);
	}
	if (!c->error)
		c->p++;
	return text_get(&t);
}

const char *cursor_word(struct cursor *c)
{
	skip_blanks(c);
	const char *start = c->p;
	int depth = 0;
	for (; *c->p && *c->p != '\n'; c->p++) {
		if (!depth && strchr(" \t;,:]", *c->p))
			break;
		depth += *c->p == '[' ? 1 : *c->p == ']' ? -1 : 0;
	}
	if (c->p == start)
		cursor_fail(c, "word expected at `%.20s`", c->p);
	return arena_strndup(c->arena, start, (size_t)(c->p - start));
}

const char *cursor_braces(struct cursor *c)
{
	cursor_expect(c, "{");
	const char *start = c->p;
	int depth = 1;
	for (; !c->error && *c->p && *c->p != '\n'; c->p++) {
		depth += *c->p == '{' ? 1 : *c->p == '}' ? -1 : 0;
		if (depth == 0)
			return arena_strndup(c->arena, start, (size_t)(c->p++ - start));
	}
	cursor_fail(c, "a `{` without its `}` on the same line");
	return "";
}

/* "2*i-1", "-i". */
static int32_t read_reach(struct cursor *c, struct shard_atom *atom)
{
	bool minus = cursor_take(c, "-"), plain = cursor_take(c, "i");
	int64_t step = plain ? 1 : cursor_int(c);
	if (!plain && !cursor_take(c, "*")) {
		atom->step = 0;
		return (int32_t)(minus ? -step : step);
	}
	if (!plain && !cursor_take(c, "i"))
		cursor_fail(c, "`i` expected at `%.20s`", c->p);
	atom->step = (int32_t)(minus ? -step : step);
	if (cursor_sees(c, "+") || cursor_sees(c, "-"))
		return (int32_t)cursor_int(c);
	return 0;
}

/* Behind "S(0)[": "2*i-1..2*i+1 of 32]", "(i..i+1)/2 of 32]", "5]". */
static void read_window(struct cursor *c, struct shard_atom *atom)
{
	bool divides = cursor_take(c, "(");
	atom->kind = SHARD_WINDOW;
	atom->low = atom->high = read_reach(c, atom);
	if (cursor_take(c, ".."))
		atom->high = read_reach(c, atom);
	atom->div = 1;
	if (divides) {
		cursor_expect(c, ")");
		cursor_expect(c, "/");
		atom->div = cursor_int(c);
	}
	if (atom->step)
		cursor_expect(c, "of");
	atom->of = atom->step ? cursor_int(c) : 1;
	cursor_expect(c, "]");
	if (atom->div < 1 || atom->of < 0 || atom->high < atom->low)
		cursor_fail(c, "no such window");
}

/* Behind "S(0, shares = [": "2, 1]". */
static const int32_t *read_shares(struct cursor *c)
{
	VEC(int32_t) list = {0};
	int64_t all = 0;
	vec_push(c->arena, &list, 0);
	vec_push(c->arena, &list, 0);
	do {
		all += cursor_count(c);
		vec_push(c->arena, &list, (int32_t)all);
	} while (!c->error && all <= INT32_MAX && cursor_take(c, ","));
	cursor_expect(c, "]");
	if (all < 1 || all > INT32_MAX)
		cursor_fail(c, "no such shares");
	list.at[0] = list.n - 2;
	return list.at;
}

static struct shard_atom read_atom(struct cursor *c)
{
	static const char *const combiner[] = {
		[SHARD_SUM] = "sum", [SHARD_MAX] = "max", [SHARD_MIN] = "min", [SHARD_PROD] = "prod"};
	struct shard_atom atom = {.kind = SHARD_B};
	if (cursor_take(c, "S(")) {
		atom.kind = SHARD_S;
		int64_t d = cursor_int(c);
		if (d < 0 || d >= MAX_RANK)
			cursor_fail(c, "there is no dimension %lld", (long long)d);
		else
			atom.dim = (int8_t)d;
		if (cursor_take(c, ", shares = ["))
			atom.shares = read_shares(c);
		cursor_expect(c, ")");
		if (cursor_take(c, "["))
			read_window(c, &atom);
	} else if (cursor_take(c, "P(")) {
		atom.kind = SHARD_P;
		int i = 0;
		while (i < 4 && !cursor_take(c, combiner[i]))
			i++;
		if (i == 4)
			cursor_fail(c, "combiner expected at `%.20s`", c->p);
		atom.combiner = (uint8_t)(i & 3);
		cursor_expect(c, ")");
	} else if (cursor_take(c, "?")) {
		atom = atom_of_variable(cursor_count(c));
	} else if (cursor_take(c, "auto")) {
		atom = atom_of_open(cursor_count(c));
	} else if (cursor_take(c, "P")) {
		atom.kind = SHARD_P;
	} else {
		cursor_expect(c, "B");
	}
	return atom;
}

struct layout cursor_layout(struct cursor *c, const struct place *p)
{
	struct layout l = {0};
	if (!cursor_take(c, "(")) {
		l.atom[0] = read_atom(c);
		return l;
	}
	for (bool first = true; !c->error && !cursor_take(c, ")"); first = false) {
		if (!first)
			cursor_expect(c, ",");
		int axis = 0;
		skip_blanks(c);
		size_t n = strcspn(c->p, "=\n");
		while (axis < p->naxes && (strlen(p->axis[axis]) != n || strncmp(p->axis[axis], c->p, n)))
			axis++;
		if (axis == p->naxes) {
			cursor_fail(c, "`%s` has no axis `%.*s`", p->name, (int)n, c->p);
			break;
		}
		c->p += n;
		cursor_expect(c, "=");
		l.atom[axis] = read_atom(c);
	}
	return l;
}

void cursor_type(struct cursor *c, enum dtype *t, struct shape *s)
{
	skip_blanks(c);
	size_t n = strspn(c->p, "abcdefghijklmnopqrstuvwxyz0123456789");
	*t = dtype_of_text(arena_strndup(c->arena, c->p, n));
	*s = (struct shape){0};
	if (*t == DT_COUNT) {
		cursor_fail(c, "element type expected at `%.20s`", c->p);
		return;
	}
	c->p += n;
	if (!cursor_take(c, "["))
		return;
	for (bool first = true; !c->error && !cursor_take(c, "]"); first = false) {
		if (!first)
			cursor_expect(c, ",");
		if (s->rank == MAX_RANK)
			cursor_fail(c, "more than %d dimensions", MAX_RANK);
		else
			s->dim[s->rank++] = cursor_int(c);
	}
}
