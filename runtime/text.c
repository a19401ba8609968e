/* text.c — host strings. They live until the process ends: host code makes few. */
#define _POSIX_C_SOURCE 200809L
#include "rt.h"

#include <stdlib.h>
#include <string.h>

const char *pmlrt_text_concat(struct pmlrt *rt, const char *a, const char *b)
{
	return rt_format(rt, "%s%s", a, b);
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

/* The fewest digits that give back the same f32, or the same f64 if v is no f32. */
const char *pmlrt_text_of_float(struct pmlrt *rt, double v)
{
	char text[32];
	bool narrow = (double)(float)v == v;
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, v);
		double back = strtod(text, NULL);
		if (narrow ? (float)back == (float)v : back == v)
			break;
	}
	return rt_format(rt, "%s", text);
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
