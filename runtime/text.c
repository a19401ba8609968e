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
