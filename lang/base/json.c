/* json.c — a recursive reader of JSON. */
#include "json.h"

#include "text.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 200 };

struct reader {
	struct arena *arena;
	const char *at, *end;
	const char *error;
	int depth;
};

static void skip(struct reader *r)
{
	while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at)
		r->at++;
}

static struct json *fail(struct reader *r, const char *message)
{
	if (!r->error)
		r->error = message;
	return NULL;
}

static bool take(struct reader *r, char c)
{
	skip(r);
	if (r->at >= r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

static bool hex4(struct reader *r, unsigned *out)
{
	*out = 0;
	for (int i = 0; i < 4; i++, r->at++) {
		if (r->at >= r->end)
			return false;
		char c = *r->at;
		unsigned d = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
			     : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
			     : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
						    : 16;
		if (d == 16)
			return false;
		*out = *out * 16 + d;
	}
	return true;
}

static void add_utf8(struct text *t, unsigned c)
{
	char b[4];
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
	for (size_t i = n - 1; i > 0; i--, c >>= 6)
		b[i] = (char)(0x80 | (c & 0x3f));
	b[0] = (char)(lead[n] | c);
	text_add_n(t, b, n);
}

static bool escape(struct reader *r, struct text *t)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	if (r->at >= r->end)
		return false;
	char c = *r->at++;
	const char *known = c ? strchr(from, c) : NULL;
	if (known) {
		text_add_n(t, &to[known - from], 1);
		return true;
	}
	unsigned high, low;
	if (c != 'u' || !hex4(r, &high) || high == 0)
		return false;
	if (high >= 0xd800 && high < 0xdc00) {
		if (r->end - r->at < 6 || r->at[0] != '\\' || r->at[1] != 'u')
			return false;
		r->at += 2;
		if (!hex4(r, &low) || low < 0xdc00 || low > 0xdfff)
			return false;
		high = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
	}
	add_utf8(t, high);
	return true;
}

static const char *read_text(struct reader *r)
{
	struct text t;
	text_init(&t, r->arena);
	if (!take(r, '"')) {
		fail(r, "a string is missing");
		return NULL;
	}
	while (r->at < r->end && *r->at != '"') {
		unsigned char c = (unsigned char)*r->at++;
		if (c < 0x20 || (c == '\\' && !escape(r, &t))) {
			fail(r, "a malformed string");
			return NULL;
		}
		if (c != '\\')
			text_add_n(&t, (const char *)&c, 1);
	}
	if (!take(r, '"')) {
		fail(r, "a string is not finished");
		return NULL;
	}
	return text_get(&t);
}

static struct json *read_number(struct reader *r, struct json *j)
{
	char digits[64], *stop;
	size_t n = 0;
	while (r->at < r->end && n + 1 < sizeof digits && *r->at && strchr("+-.eE0123456789", *r->at))
		digits[n++] = *r->at++;
	digits[n] = 0;
	j->kind = JSON_NUMBER;
	j->number = strtod(digits, &stop);
	if (!n || *stop)
		return fail(r, "not a value");
	if (strpbrk(digits, ".eE"))
		j->integer = j->number > -9e18 && j->number < 9e18 ? (int64_t)j->number : 0;
	else
		j->integer = strtoll(digits, NULL, 10);
	return j;
}

static struct json *read_value(struct reader *r);

static struct json *read_items(struct reader *r, struct json *j, char close)
{
	j->kind = close == ']' ? JSON_LIST : JSON_OBJECT;
	if (take(r, close))
		return j;
	do {
		const char *key = NULL;
		if (close == '}') {
			skip(r);
			key = read_text(r);
			if (!key || !take(r, ':'))
				return fail(r, "a `:` is missing");
		}
		struct json *item = read_value(r);
		if (!item)
			return NULL;
		item->key = key;
		vec_push(r->arena, &j->items, item);
	} while (take(r, ','));
	return take(r, close) ? j : fail(r, "a bracket is not closed");
}

static bool read_word(struct reader *r, const char *word)
{
	size_t n = strlen(word);
	if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n))
		return false;
	r->at += n;
	return true;
}

static struct json *read_value(struct reader *r)
{
	struct json *j = ARENA_NEW(r->arena, struct json), *out;
	if (r->depth == MAX_DEPTH)
		return fail(r, "nested too deeply");
	r->depth++;
	skip(r);
	if (take(r, '[')) {
		out = read_items(r, j, ']');
	} else if (take(r, '{')) {
		out = read_items(r, j, '}');
	} else if (r->at < r->end && *r->at == '"') {
		j->kind = JSON_TEXT;
		j->text = read_text(r);
		out = j->text ? j : NULL;
	} else if (read_word(r, "null")) {
		out = j;
	} else if (read_word(r, "true") || read_word(r, "false")) {
		j->kind = JSON_BOOL;
		j->truth = r->at[-2] == 'u';
		out = j;
	} else {
		out = read_number(r, j);
	}
	r->depth--;
	return out;
}

struct json *json_read(struct arena *a, const char *text, size_t n, const char **error)
{
	struct reader r = {.arena = a, .at = text, .end = text + n};
	struct json *j = read_value(&r);
	skip(&r);
	if (j && r.at != r.end)
		j = fail(&r, "more text follows the value");
	*error = r.error;
	return j;
}

const struct json *json_get(const struct json *j, const char *key)
{
	for (int i = 0; j && j->kind == JSON_OBJECT && i < j->items.n; i++)
		if (!strcmp(j->items.at[i]->key, key))
			return j->items.at[i];
	return NULL;
}

const char *json_get_text(const struct json *j, const char *key)
{
	const struct json *m = json_get(j, key);
	return m && m->kind == JSON_TEXT ? m->text : "";
}

int64_t json_get_int(const struct json *j, const char *key)
{
	const struct json *m = json_get(j, key);
	return m && m->kind == JSON_NUMBER ? m->integer : 0;
}
