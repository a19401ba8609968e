/* element.c — one element of a tensor as text, and text as an element: for printing and for CSV files. */
#define _POSIX_C_SOURCE 200809L
#include "element.h"
#include "half.h"
#include "rt.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Digits of a number that 64 bits hold; letters of one that is read. */
enum { DIGITS_MOST = 18, TEXT_MOST = 512 };

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

static bool reads_back(int32_t dtype, double v, const char *text)
{
	uint64_t a = 0, b = 0;
	double back = strtod(text, NULL);
	store_float(dtype, v, &a);
	store_float(dtype, back, &b);
	return a == b;
}

/* The fewest digits that read back as the same element; brief: not more than the six that every decimal number keeps in
 * an f32, or the fifteen it keeps in an f64. A NaN without its sign, which depends on the machine. */
static void float_text(int32_t dtype, bool brief, double v, char *buffer, size_t size)
{
	int least = rt_dtype_size(dtype) == 2 ? 1 : 6, most = 17;
	if (brief && dtype == PMLRT_F32)
		most = 6;
	if (brief && dtype == PMLRT_F64)
		most = 15;
	if (!isfinite(v)) {
		snprintf(buffer, size, "%g", v == v ? v : (double)NAN);
		return;
	}
	for (int digits = least; digits <= most; digits++) {
		snprintf(buffer, size, "%.*g", digits, v);
		if (reads_back(dtype, v, buffer))
			return;
	}
}

/* What counts is whole, and an f64 more often than not: 268435456 is not 2.6843546e+08, which an f32 reads back. */
const char *element_of_host(double v, bool brief, char *buffer, size_t size)
{
	bool narrow = (double)(float)v == v;
	float_text(narrow ? PMLRT_F32 : PMLRT_F64, brief, v, buffer, size);
	if (narrow && !brief && v == trunc(v) && !reads_back(PMLRT_F64, v, buffer))
		float_text(PMLRT_F64, false, v, buffer, size);
	return buffer;
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

const char *element_text(int32_t dtype, const void *p, bool brief, char *buffer, size_t size)
{
	uint64_t bits = 0;
	int shift = 64 - 8 * (int)rt_dtype_size(dtype);
	memcpy(&bits, p, (size_t)rt_dtype_size(dtype));
	switch (kinds[dtype]) {
	case KIND_FLOAT:
		float_text(dtype, brief, load_float(dtype, p), buffer, size);
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

/* ---- text as an element ---- */

/* Digits with a sign and a point: the number is digits / 10^behind. Not more digits than are exact. */
struct decimal {
	bool negative;
	int64_t digits;
	int behind;
};

/* False: the text is more than that. */
static bool read_decimal(const char *p, const char *end, char sign, struct decimal *d)
{
	bool point = false;
	int n = 0;
	*d = (struct decimal){.negative = p < end && *p == '-'};
	for (p += d->negative || (p < end && *p == '+'); p < end; p++) {
		if (*p == sign && !point) {
			point = true;
			continue;
		}
		if (*p < '0' || *p > '9' || ++n > DIGITS_MOST)
			return false;
		d->digits = 10 * d->digits + (*p - '0');
		d->behind += point;
	}
	return n > 0;
}

/* A quotient of two numbers that the type has is rounded once, as the text's own value would be (Clinger, 1990). */
static bool read_exactly(int32_t dtype, const struct decimal *d, void *p)
{
	static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
				       1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
	double v = (double)d->digits;
	if (rt_dtype_size(dtype) == 4 && d->digits <= 1 << 24 && d->behind <= 10)
		v = (float)v / (float)power[d->behind];
	else if (rt_dtype_size(dtype) == 8 && d->digits <= (int64_t)1 << 53)
		v /= power[d->behind];
	else
		return false;
	store_float(dtype, d->negative ? -v : v, p);
	return true;
}

static enum element_reading read_float(int32_t dtype, const char *text, void *p)
{
	char *behind;
	bool word = strpbrk(text, "nN"); /* inf, nan */
	if (strpbrk(text, "xX"))         /* in base 16 to the C library; ints are decimal, too */
		return ELEMENT_NONE;
	double v = rt_dtype_size(dtype) == 8 ? strtod(text, &behind) : (double)strtof(text, &behind);
	if (behind == text || *behind)
		return ELEMENT_NONE;
	store_float(dtype, v, p);
	return isinf(load_float(dtype, p)) && !word ? ELEMENT_LARGE : ELEMENT_READ;
}

/* An integer of a type's sign and size. */
static bool store_integer(int32_t dtype, bool negative, uint64_t digits, void *p)
{
	int64_t size = rt_dtype_size(dtype);
	uint64_t top = kinds[dtype] == KIND_INT ? ((uint64_t)1 << (8 * size - 1)) - !negative
		       : negative               ? 0
		       : size == 8              ? UINT64_MAX
						: ((uint64_t)1 << (8 * size)) - 1;
	uint64_t bits = negative ? 0 - digits : digits;
	memcpy(p, &bits, (size_t)size);
	return digits <= top;
}

/* An integer that a file may have written with a fraction of zeros ("5.0"). */
static enum element_reading read_integer(int32_t dtype, const char *text, void *p)
{
	const char *at = text + (*text == '-' || *text == '+');
	char *behind;
	errno = 0;
	unsigned long long digits = strtoull(at, &behind, 10);
	bool large = errno != 0;
	if (behind == at || *at < '0' || *at > '9')
		return ELEMENT_NONE;
	if (*behind == '.')
		for (behind++; *behind == '0'; behind++)
			;
	if (*behind)
		return ELEMENT_NONE;
	return store_integer(dtype, *text == '-', digits, p) && !large ? ELEMENT_READ : ELEMENT_LARGE;
}

static enum element_reading read_bool(const char *text, void *p)
{
	static const struct {
		const char *word;
		bool value;
	} words[] = {{"0", false},     {"1", true},    {"false", false}, {"true", true},
		     {"False", false}, {"True", true}, {"FALSE", false}, {"TRUE", true}};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(text, words[i].word) == 0) {
			memcpy(p, &words[i].value, 1);
			return ELEMENT_READ;
		}
	return ELEMENT_NONE;
}

/* The text with a point where it has `point`, ended by a 0. False: it has a point elsewhere. */
static bool with_point(const char *begin, const char *end, char point, char *text)
{
	char *to = text;
	for (; begin < end; begin++) {
		if (*begin == '.' && point != '.')
			return false;
		*to++ = *begin == point ? '.' : *begin;
	}
	*to = 0;
	return true;
}

enum element_reading element_read(int32_t dtype, const char *begin, const char *end, char point, void *p)
{
	char text[TEXT_MOST];
	struct decimal d;
	if (begin == end || end - begin >= TEXT_MOST)
		return ELEMENT_NONE;
	if (kinds[dtype] != KIND_BOOL && read_decimal(begin, end, point, &d)) {
		if (kinds[dtype] == KIND_FLOAT && read_exactly(dtype, &d, p))
			return ELEMENT_READ;
		if (kinds[dtype] != KIND_FLOAT && !d.behind)
			return store_integer(dtype, d.negative, (uint64_t)d.digits, p) ? ELEMENT_READ : ELEMENT_LARGE;
	}
	if (!with_point(begin, end, point, text))
		return ELEMENT_NONE;
	if (kinds[dtype] == KIND_FLOAT)
		return read_float(dtype, text, p);
	return kinds[dtype] == KIND_BOOL ? read_bool(text, p) : read_integer(dtype, text, p);
}

bool element_of_number(int32_t dtype, double v, void *p)
{
	if (kinds[dtype] == KIND_FLOAT) {
		store_float(dtype, v, p);
		return true;
	}
	if (!(fabs(v) <= 0x1p53) || v != floor(v) || (kinds[dtype] == KIND_BOOL && v != 0 && v != 1))
		return false;
	return store_integer(dtype, v < 0, (uint64_t)fabs(v), p);
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
