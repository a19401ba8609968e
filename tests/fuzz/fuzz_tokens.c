/* fuzz_tokens.c — changes of a program that mostly leave it a program: whole tokens are exchanged, whole statements
 * deleted, doubled or moved. What reaches the stages behind the parser is wrong in meaning rather than in form. The
 * tokens are found by a few lines of its own, not by the compiler's lexer, so that any text can be changed. */
#include "fuzz.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum kind { KIND_NAME, KIND_NUMBER, KIND_STRING, KIND_MARK };
enum { MAX_TOKENS = 16 * 1024, MAX_WORD = 64 };

struct token {
	uint32_t at, n;
	enum kind kind;
};

struct tokens {
	struct token at[MAX_TOKENS];
	size_t n;
};

static bool is_word(unsigned char c)
{
	return isalnum(c) || c == '_';
}

/* Blanks and comments from `at` on. */
static size_t skip(const struct input *b, size_t at)
{
	for (;;) {
		while (at < b->n && isspace(b->at[at]))
			at++;
		if (at + 1 >= b->n || b->at[at] != '/' || b->at[at + 1] != '/')
			return at;
		while (at < b->n && b->at[at] != '\n')
			at++;
	}
}

static size_t mark_length(const unsigned char *p, size_t room)
{
	static const char *const marks[] = {
		"..", "->", "=>", "==", "!=", "<=", ">=", "+=", "-=", "*=", "&&", "||", "**"};
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (room >= 2 && !memcmp(p, marks[i], 2))
			return 2;
	return 1;
}

static size_t token_end(const struct input *b, size_t at, enum kind *kind)
{
	unsigned char c = b->at[at];
	size_t end = at + 1;
	if (c == '"') {
		*kind = KIND_STRING;
		while (end < b->n && b->at[end] != '"' && b->at[end] != '\n')
			end += b->at[end] == '\\' && end + 1 < b->n ? 2 : 1;
		return end < b->n ? end + 1 : b->n;
	}
	*kind = isdigit(c) ? KIND_NUMBER : is_word(c) ? KIND_NAME : KIND_MARK;
	if (*kind == KIND_MARK)
		return at + mark_length(b->at + at, b->n - at);
	while (end < b->n && (is_word(b->at[end]) ||
			      (*kind == KIND_NUMBER && b->at[end] == '.' && end + 1 < b->n && isdigit(b->at[end + 1]))))
		end++;
	return end;
}

static void tokenise(const struct input *b, struct tokens *t)
{
	t->n = 0;
	for (size_t at = skip(b, 0); at < b->n && t->n < MAX_TOKENS; at = skip(b, at)) {
		struct token *k = &t->at[t->n++];
		k->at = (uint32_t)at;
		at = token_end(b, at, &k->kind);
		k->n = (uint32_t)at - k->at;
	}
}

static bool token_is(const struct input *b, const struct token *k, const char *word)
{
	return k->n == strlen(word) && !memcmp(b->at + k->at, word, k->n);
}

/* ---- what goes in instead ---- */

struct list {
	const char *const *at;
	size_t n;
};
#define LIST(...) \
	{ \
		(const char *const[]){__VA_ARGS__}, sizeof(const char *const[]){__VA_ARGS__} / sizeof(char *) \
	}

/* A word of one of these is exchanged for another of the same; the first two are words and marks of types. */
static const struct list classes[] = {
	LIST("f32", "f64", "f16", "bf16", "i8", "i32", "i64", "u8", "bool", "int", "float"),
	LIST("S", "P", "B"),
	LIST("+", "-", "*", "/", "%", "@", "<", "<=", ">", ">=", "==", "!=", "&&", "||", "**"),
	LIST("sum", "max", "min", "mean", "prod", "argmax", "argmin", "any", "all"),
	LIST("relu", "exp", "log", "sqrt", "abs", "square", "sigmoid", "tanh", "neg", "transpose", "reverse", "softmax",
	     "cumsum", "not", "iota", "one_hot", "sort", "argsort"),
	LIST("zeros", "ones", "normal", "uniform", "iota", "full", "zeros_like"),
	LIST("grad", "value_and_grad", "vjp", "jvp", "remat", "stop_gradient"),
	LIST("reshape", "concat", "slice", "pad", "gather", "scatter", "permute", "broadcast", "split", "stack",
	     "where"),
	LIST("let", "var", "param", "state", "const", "config"),
	LIST("if", "while", "for", "every", "microbatch"),
};

static const struct list numbers = LIST("0", "1", "2", "3", "4", "5", "7", "8", "16", "100", "-1", "-2", "0.5", "1e9",
					"1e-30", "1e300", "65536", "2147483647", "2147483648", "1000000000000",
					"9223372036854775807", "9223372036854775808", "4611686018427387904");
static const struct list layouts = LIST("B", "S(0)", "S(1)", "S(2)", "S(-1)", "S(9)", "P", "P(sum)", "P(max)", "P(min)",
					"auto", "S(0) S(1)", "(dp=S(0))", "(dp=S(0), tp=P)", "l", "S(1000000)");
static const struct list around =
	LIST("sum(", "-", "relu(", "transpose(", "exp(", "(1 + ", "(1.5 * ", "max(", "grad(", "iota(", "f32[", "(x, ",
	     "argmax(", "softmax(", "stop_gradient(", "zeros_like(", "print(");
static const struct list behind =
	LIST(" to B", " to S(0)", " to S(1)", " to P", " as f32", " as i32", " as bool", "[0]", "[0..1]", "[.., 0]",
	     "[-1]", "[i]", "[i, j]", "[0..2, ..]", " @ x", " + 1", " * x", " to @p", " to @p : S(0)", " to @p : P",
	     ".x", " as [_]", " as [2, _]", "()", " == 0", "[0..0]");

static const char *one_of(const struct list *l, uint64_t *r)
{
	return l->at[below(r, l->n)];
}

static void put(struct input *b, const struct token *k, const char *text)
{
	splice(b, k->at, k->n, text, strlen(text));
}

/* ---- the changes: false if this token does not lend itself to it ---- */

struct change {
	struct input *b;
	const struct input *other;
	const struct tokens *t, *u; /* of b, of other */
	size_t i;                   /* the token */
	uint64_t *r;
};

static bool is_called(const struct input *b, const struct tokens *t, size_t i)
{
	return i + 1 < t->n && token_is(b, &t->at[i + 1], "(");
}

/* The token's text for another one's of the same kind, mostly of the neighbourhood, where names are known too. */
static bool exchange(const struct change *c)
{
	enum { NEAR = 60 };
	const struct token *k = &c->t->at[c->i];
	bool foreign = below(c->r, 10) == 0;
	const struct tokens *from = foreign ? c->u : c->t;
	const struct input *text = foreign ? c->other : c->b;
	unsigned char word[MAX_WORD];
	if (k->kind == KIND_MARK || !from->n)
		return false;
	for (int tries = 0; tries < 20; tries++) {
		size_t first = foreign || c->i < NEAR ? 0 : c->i - NEAR;
		size_t j = first + below(c->r, foreign || from->n - first < NEAR ? from->n - first : NEAR);
		const struct token *with = &from->at[j];
		if (with->kind != k->kind || with->n > sizeof word ||
		    is_called(text, from, j) != is_called(c->b, c->t, c->i))
			continue;
		memcpy(word, text->at + with->at, with->n);
		splice(c->b, k->at, k->n, word, with->n);
		return true;
	}
	return false;
}

static bool renumber(const struct change *c)
{
	if (c->t->at[c->i].kind != KIND_NUMBER)
		return false;
	put(c->b, &c->t->at[c->i], one_of(&numbers, c->r));
	return true;
}

static bool reclass(const struct change *c)
{
	const struct token *k = &c->t->at[c->i];
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		for (size_t j = 0; j < classes[i].n; j++)
			if (token_is(c->b, k, classes[i].at[j])) {
				put(c->b, k, one_of(&classes[i], c->r));
				return true;
			}
	return false;
}

/* A layout, with what stands in parentheses after it, becomes another. */
static bool relayout(const struct change *c)
{
	const struct token *k = &c->t->at[c->i], *end = k;
	if (!token_is(c->b, k, "S") && !token_is(c->b, k, "P") && !token_is(c->b, k, "B"))
		return false;
	if (c->i + 3 < c->t->n && token_is(c->b, k + 1, "(") && token_is(c->b, k + 3, ")"))
		end = k + 3;
	const char *text = one_of(&layouts, c->r);
	splice(c->b, k->at, end->at + end->n - k->at, text, strlen(text));
	return true;
}

static bool wrap(const struct change *c)
{
	const struct token *k = &c->t->at[c->i];
	if (k->kind != KIND_NAME && k->kind != KIND_NUMBER)
		return false;
	if (below(c->r, 2)) {
		const char *text = one_of(&behind, c->r);
		splice(c->b, k->at + k->n, 0, text, strlen(text));
		return true;
	}
	const char *text = one_of(&around, c->r);
	if (strpbrk(text, "([")) {
		const char *close = strchr(text, '[') ? "]" : ")";
		splice(c->b, k->at + k->n, 0, close, 1);
	}
	splice(c->b, k->at, 0, text, strlen(text));
	return true;
}

static bool drop(const struct change *c)
{
	put(c->b, &c->t->at[c->i], "");
	return true;
}

/* ---- statements ---- */

/* The statement around token i: bytes from..end. */
static void statement(const struct input *b, const struct tokens *t, size_t i, size_t *from, size_t *end)
{
	size_t first = i, last = i;
	int depth = 0;
	while (first > 0 && !strchr(";{}", b->at[t->at[first - 1].at]))
		first--;
	for (last = first; last < t->n; last++) {
		unsigned char c = b->at[t->at[last].at];
		depth += c == '(' || c == '[' || c == '{';
		depth -= c == ')' || c == ']' || c == '}';
		if ((c == ';' && depth <= 0) || (c == '}' && depth <= 0))
			break;
	}
	*from = t->at[first].at;
	*end = last < t->n ? t->at[last].at + t->at[last].n : b->n;
}

static bool statement_out(const struct change *c)
{
	size_t from, end;
	statement(c->b, c->t, c->i, &from, &end);
	splice(c->b, from, end - from, "", 0);
	return true;
}

/* A statement of this program or the other, here as well. */
static bool statement_in(const struct change *c)
{
	bool foreign = below(c->r, 2);
	const struct tokens *t = foreign ? c->u : c->t;
	const struct input *text = foreign ? c->other : c->b;
	unsigned char copy[2048];
	size_t from, end, here, unused;
	if (!t->n)
		return false;
	statement(text, t, below(c->r, t->n), &from, &end);
	if (end - from > sizeof copy)
		return false;
	memcpy(copy, text->at + from, end - from);
	statement(c->b, c->t, c->i, &here, &unused);
	splice(c->b, here, 0, copy, end - from);
	return true;
}

void mutate_tokens(struct input *b, const struct input *other, uint64_t *r)
{
	static bool (*const changes[])(const struct change *) = {
		exchange, exchange, exchange, renumber, renumber,      reclass,      reclass,
		relayout, relayout, wrap,     wrap,     statement_out, statement_in, drop,
	};
	static struct tokens t, u;
	tokenise(b, &t);
	tokenise(other, &u);
	if (!t.n)
		return;
	bool (*change)(const struct change *) = changes[below(r, sizeof changes / sizeof *changes)];
	for (int tries = 0; tries < 200; tries++) {
		struct change c = {b, other, &t, &u, below(r, t.n), r};
		if (change(&c))
			return;
	}
}
