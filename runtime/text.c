/* text.c — host strings. They live until the process ends: host code makes few. */
#define _POSIX_C_SOURCE 200809L
#include "element.h"
#include "rt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a program puts together turn by turn may double each time. */
const char *pmlrt_text_concat(struct pmlrt *rt, const char *a, const char *b)
{
	enum { MOST_BYTES = 1 << 26 };
	size_t n = strlen(a), m = strlen(b);
	if (n + m > MOST_BYTES)
		rt_fail(rt, 0, "a string would have %zu bytes, at most %d are possible", n + m, (int)MOST_BYTES);
	char *text = rt_alloc(rt, (int64_t)(n + m) + 1);
	memcpy(text, a, n);
	memcpy(text + n, b, m + 1);
	return text;
}

const char *pmlrt_text_path(struct pmlrt *rt, const char *a, const char *b)
{
	size_t n = strlen(a);
	if (b[0] == '/' || n == 0)
		return b;
	while (n > 1 && a[n - 1] == '/')
		n--;
	return rt_format(rt, "%.*s%s%s", (int)n, a, a[n - 1] == '/' ? "" : "/", b);
}

const char *pmlrt_text_of_int(struct pmlrt *rt, int64_t v)
{
	return rt_format(rt, "%lld", (long long)v);
}

const char *pmlrt_text_of_float(struct pmlrt *rt, double v)
{
	char text[32];
	return rt_format(rt, "%s", element_of_host(v, false, text, sizeof text));
}

static void check_count(struct pmlrt *rt, int64_t n, int64_t least, int64_t most, const char *what, int32_t site)
{
	if (n < least || n > most)
		rt_fail(rt, site, "`%s` is %lld to %lld, not %lld", what, (long long)least, (long long)most,
			(long long)n);
}

void rt_check_digits(struct pmlrt *rt, int64_t digits, bool behind_point, int32_t site)
{
	enum { MOST = 100 };
	check_count(rt, digits, behind_point ? 0 : 1, MOST, behind_point ? "digits" : "significant", site);
}

const char *rt_with_digits(double v, int digits, bool behind_point, char text[RT_DIGITS_ROOM])
{
	if (!isfinite(v))
		return element_of_host(v, false, text, RT_DIGITS_ROOM);
	snprintf(text, RT_DIGITS_ROOM, behind_point ? "%.*f" : "%.*g", digits, v);
	return text;
}

static const char *with_digits(struct pmlrt *rt, double v, int64_t digits, bool behind_point, int32_t site)
{
	char text[RT_DIGITS_ROOM];
	rt_check_digits(rt, digits, behind_point, site);
	return rt_format(rt, "%s", rt_with_digits(v, (int)digits, behind_point, text));
}

const char *pmlrt_text_fixed(struct pmlrt *rt, double v, int64_t digits, int32_t site)
{
	return with_digits(rt, v, digits, true, site);
}

const char *pmlrt_text_significant(struct pmlrt *rt, double v, int64_t digits, int32_t site)
{
	return with_digits(rt, v, digits, false, site);
}

const char *pmlrt_text_pad(struct pmlrt *rt, const char *text, int64_t width, const char *fill, int32_t site)
{
	enum { WIDEST = 10000 };
	size_t letters = 0, bytes = strlen(text), sign = (text[0] == '-' || text[0] == '+') && fill[0] == '0';
	check_count(rt, width, -WIDEST, WIDEST, "width", site);
	if (strlen(fill) != 1)
		rt_fail(rt, site, "`fill` is one character, not `%s`", fill);
	for (size_t i = 0; i < bytes; i++)
		letters += ((unsigned char)text[i] & 0xc0) != 0x80;
	size_t wanted = (size_t)(width < 0 ? -width : width), more = wanted > letters ? wanted - letters : 0;
	char *padded = rt_alloc(rt, (int64_t)(bytes + more + 1));
	if (width < 0) {
		memcpy(padded, text, bytes);
		memset(padded + bytes, fill[0], more);
	} else {
		memcpy(padded, text, sign);
		memset(padded + sign, fill[0], more);
		memcpy(padded + sign + more, text + sign, bytes - sign);
	}
	return padded;
}

bool pmlrt_text_equal(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

int64_t pmlrt_text_length(const char *text)
{
	return (int64_t)strlen(text);
}

int64_t pmlrt_text_byte(struct pmlrt *rt, const char *text, int64_t i, int32_t site)
{
	int64_t n = (int64_t)strlen(text);
	if (i < 0 || i >= n)
		rt_fail(rt, site, "byte %lld of a text of %lld", (long long)i, (long long)n);
	return (unsigned char)text[i];
}

const char *pmlrt_text_char(struct pmlrt *rt, int64_t byte, int32_t site)
{
	enum { BYTES = 256 };
	if (byte < 0 || byte >= BYTES)
		rt_fail(rt, site, "a byte is 0 to 255, this is %lld", (long long)byte);
	if (!rt->chars) {
		rt->chars = rt_alloc(rt, 2 * BYTES);
		for (int i = 0; i < BYTES; i++)
			rt->chars[2 * i] = (char)i;
	}
	return rt->chars + 2 * byte;
}

int rt_distance(const char *a, const char *b, size_t n)
{
	enum { LONGEST = 200 };
	int row[LONGEST + 1];
	size_t na = strlen(a) < LONGEST ? strlen(a) : LONGEST, nb = n < LONGEST ? n : LONGEST;
	for (size_t j = 0; j <= nb; j++)
		row[j] = (int)j;
	for (size_t i = 1; i <= na; i++) {
		int diagonal = row[0];
		row[0] = (int)i;
		for (size_t j = 1; j <= nb; j++) {
			int replace = diagonal + (a[i - 1] != b[j - 1]),
			    least = row[j] < row[j - 1] ? row[j] : row[j - 1];
			diagonal = row[j];
			row[j] = replace < least + 1 ? replace : least + 1;
		}
	}
	return row[nb];
}

/* How many bytes of UTF-8 a character takes, 0 if there is none. */
static int character(const unsigned char *p)
{
	int n = p[0] < 0x80                   ? 1
		: p[0] >= 0xc2 && p[0] < 0xe0 ? 2
		: p[0] >= 0xe0 && p[0] < 0xf0 ? 3
		: p[0] >= 0xf0 && p[0] < 0xf5 ? 4
					      : 0;
	for (int i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	bool overlong = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90);
	bool surrogate = p[0] == 0xed && p[1] >= 0xa0, beyond = p[0] == 0xf4 && p[1] >= 0x90;
	return n > 2 && (overlong || surrogate || beyond) ? 0 : n;
}

int rt_json_character(const char *text, char shown[RT_JSON_CHARACTER])
{
	const unsigned char *p = (const unsigned char *)text;
	int n = character(p);
	if (*p == '"' || *p == '\\')
		snprintf(shown, RT_JSON_CHARACTER, "\\%c", *p);
	else if (*p < ' ' || !n)
		snprintf(shown, RT_JSON_CHARACTER, "\\u%04x", *p);
	else
		snprintf(shown, RT_JSON_CHARACTER, "%.*s", n, text);
	return n ? n : 1;
}

void rt_json_text(FILE *f, const char *text)
{
	char shown[RT_JSON_CHARACTER];
	fputc('"', f);
	while (*text) {
		text += rt_json_character(text, shown);
		fputs(shown, f);
	}
	fputc('"', f);
}
