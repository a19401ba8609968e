/* element.c — one element of a tensor as text, and text as an element: for printing and for CSV files. */
#define _POSIX_C_SOURCE 200809L
#include "element.h"
#include "combine.h"
#include "rt.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum kind { KIND_FLOAT, KIND_INT, KIND_UINT, KIND_BOOL };

static const enum kind kinds[PMLRT_DTYPES] = {
#define DTYPE(name, text, ctype, size, kind) [PMLRT_##name] = KIND_##kind,
#include "dtype.def"
#undef DTYPE
};

static double load_float(int32_t dtype, const void *p)
{
	float f;
	double d;
	uint16_t h;
	switch (rt_dtype_size(dtype)) {
	case 8:
		memcpy(&d, p, 8);
		return d;
	case 4:
		memcpy(&f, p, 4);
		return f;
	default:
		memcpy(&h, p, 2);
		return half_to_float(h, dtype == PMLRT_BF16);
	}
}

double rt_printable(double v)
{
	return v == v ? v : (double)NAN;
}

long double element_value(int32_t dtype, const void *p)
{
	uint64_t bits = 0;
	int shift = 64 - 8 * (int)rt_dtype_size(dtype);
	if (kinds[dtype] == KIND_FLOAT)
		return load_float(dtype, p);
	memcpy(&bits, p, (size_t)rt_dtype_size(dtype));
	if (kinds[dtype] == KIND_INT)
		return (long double)((int64_t)(bits << shift) >> shift);
	return kinds[dtype] == KIND_BOOL ? bits != 0 : (long double)bits;
}

const char *element_text(int32_t dtype, const void *p, char *buffer, size_t size)
{
	uint64_t bits = 0;
	int shift = 64 - 8 * (int)rt_dtype_size(dtype);
	memcpy(&bits, p, (size_t)rt_dtype_size(dtype));
	switch (kinds[dtype]) {
	case KIND_FLOAT:
		snprintf(buffer, size, "%.6g", rt_printable(load_float(dtype, p)));
		break;
	case KIND_INT:
		snprintf(buffer, size, "%lld", (long long)((int64_t)(bits << shift) >> shift));
		break;
	case KIND_UINT:
		snprintf(buffer, size, "%llu", (unsigned long long)bits);
		break;
	case KIND_BOOL:
		snprintf(buffer, size, "%s", bits ? "true" : "false");
		break;
	}
	return buffer;
}

static void store_float(int32_t dtype, double d, void *p)
{
	float f = (float)d;
	uint16_t h = rt_dtype_size(dtype) == 2 ? half_of_float(f, dtype == PMLRT_BF16) : 0;
	switch (rt_dtype_size(dtype)) {
	case 8:
		memcpy(p, &d, 8);
		break;
	case 4:
		memcpy(p, &f, 4);
		break;
	default:
		memcpy(p, &h, 2);
		break;
	}
}

/* An integer that a file may have written with a fraction of zeros ("5.0"). */
static bool parse_integer(const char *text, char **end, bool is_signed, int64_t size, uint64_t *bits)
{
	errno = 0;
	long long v = strtoll(text, end, 10);
	*bits = (uint64_t)v;
	if (*end != text && **end == '.')
		for (++*end; **end == '0'; ++*end)
			;
	if (*end == text || errno)
		return false;
	if (size == 8)
		return is_signed || v >= 0;
	int64_t top = (int64_t)1 << (8 * size - is_signed);
	return v < top && v >= (is_signed ? -top : 0);
}

static bool parse_bool(const char *text, char **end, uint64_t *bits)
{
	static const struct {
		const char *word;
		uint64_t value;
	} words[] = {{"0", 0}, {"1", 1}, {"false", 0}, {"true", 1}, {"False", 0}, {"True", 1}};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i].word);
		if (strncmp(text, words[i].word, n) == 0) {
			*bits = words[i].value;
			*end = (char *)(uintptr_t)(text + n);
			return true;
		}
	}
	return false;
}

bool element_parse(int32_t dtype, const char *text, char **end, void *p)
{
	uint64_t bits = 0;
	int64_t size = rt_dtype_size(dtype);
	if (kinds[dtype] == KIND_FLOAT) {
		double d = strtod(text, end);
		store_float(dtype, d, p);
		return *end != text;
	}
	bool ok = kinds[dtype] == KIND_BOOL ? parse_bool(text, end, &bits)
					    : parse_integer(text, end, kinds[dtype] == KIND_INT, size, &bits);
	memcpy(p, &bits, (size_t)size);
	return ok;
}

bool element_is_float(int32_t dtype)
{
	return kinds[dtype] == KIND_FLOAT;
}

static void copy_steps(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n, int64_t size)
{
	if (to_step == 1 && from_step == 1) {
		memcpy(to, from, (size_t)(n * size));
		return;
	}
	for (int64_t i = 0; i < n; i++, to += to_step * size, from += from_step * size)
		if (size == 4)
			memcpy(to, from, 4);
		else
			memcpy(to, from, (size_t)size);
}

void element_convert(int32_t to_dtype, void *to, int64_t to_step, int32_t from_dtype, const void *from,
		     int64_t from_step, int64_t n)
{
	int64_t to_size = rt_dtype_size(to_dtype), from_size = rt_dtype_size(from_dtype);
	char *out = to;
	const char *in = from;
	if (to_dtype == from_dtype) {
		copy_steps(out, to_step, in, from_step, n, to_size);
		return;
	}
	for (int64_t i = 0; i < n; i++, out += to_step * to_size, in += from_step * from_size)
		store_float(to_dtype, load_float(from_dtype, in), out);
}
