/* read_safetensors.c — an independent reader: prints `name dtype [shape] values…` for each tensor of a .safetensors
 * file, and fails if the file is not exactly as its format says. Shares no code with the runtime. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *at, *header_end;

static void wrong(const char *why)
{
	fprintf(stderr, "read_safetensors: %s\n", why);
	exit(EXIT_FAILURE);
}

static void skip(void)
{
	while (at < header_end && isspace((unsigned char)*at))
		at++;
}

static int next_is(char c)
{
	skip();
	if (at >= header_end || *at != c)
		return 0;
	at++;
	return 1;
}

static void want(char c)
{
	if (!next_is(c))
		wrong("the header is not JSON of the expected form");
}

static void text(char *out, size_t room)
{
	size_t n = 0;
	want('"');
	while (at < header_end && *at != '"' && *at != '\\' && n + 1 < room)
		out[n++] = *at++;
	out[n] = 0;
	want('"');
}

static int64_t number(void)
{
	char *end;
	skip();
	if (at >= header_end || !isdigit((unsigned char)*at))
		wrong("a number is missing");
	int64_t v = strtoll(at, &end, 10);
	at = end;
	return v;
}

static int numbers(int64_t *out, int most)
{
	int n = 0;
	want('[');
	if (next_is(']'))
		return 0;
	do {
		if (n == most)
			wrong("too many numbers");
		out[n++] = number();
	} while (next_is(','));
	want(']');
	return n;
}

static double half_value(uint16_t h)
{
	int exponent = h >> 10 & 31, fraction = h & 1023;
	double v = exponent == 0    ? ldexp(fraction, -24)
		   : exponent == 31 ? (fraction ? NAN : INFINITY)
				    : ldexp(1024 + fraction, exponent - 25);
	return h & 0x8000 ? -v : v;
}

static int print_element(const char *dtype, const unsigned char *p)
{
	float f;
	double d;
	int32_t i;
	uint16_t h = (uint16_t)(p[0] | p[1] << 8);
	uint32_t wide = (uint32_t)h << 16;
	if (strcmp(dtype, "F32") == 0)
		return memcpy(&f, p, 4), printf(" %.9g", f), 4;
	if (strcmp(dtype, "F64") == 0)
		return memcpy(&d, p, 8), printf(" %.17g", d), 8;
	if (strcmp(dtype, "I32") == 0)
		return memcpy(&i, p, 4), printf(" %" PRId32, i), 4;
	if (strcmp(dtype, "BF16") == 0)
		return memcpy(&f, &wide, 4), printf(" %.9g", f), 2;
	if (strcmp(dtype, "F16") == 0)
		return printf(" %.9g", half_value(h)), 2;
	wrong("an element type this reader does not know");
	return 1;
}

int main(int argc, char **argv)
{
	FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
	static unsigned char bytes[1 << 20];
	if (!f)
		wrong("cannot open the file");
	size_t size = fread(bytes, 1, sizeof bytes - 1, f);
	uint64_t header = 0;
	if (size < 8 || !feof(f))
		wrong("too short or too long");
	for (int i = 7; i >= 0; i--)
		header = header << 8 | bytes[i];
	if (header > size - 8)
		wrong("the header is longer than the file");
	if ((8 + header) % 8 != 0)
		wrong("the data does not begin at a multiple of 8");
	at = (const char *)bytes + 8;
	header_end = at + header;
	const unsigned char *data = bytes + 8 + header;
	int64_t expected = 0;
	want('{');
	do {
		char name[100], key[32], dtype[16] = "";
		int64_t shape[8], offsets[2], volume = 1;
		int rank = -1, noffsets = 0;
		text(name, sizeof name);
		want(':');
		want('{');
		do {
			text(key, sizeof key);
			want(':');
			if (strcmp(key, "dtype") == 0)
				text(dtype, sizeof dtype);
			else if (strcmp(key, "shape") == 0)
				rank = numbers(shape, 8);
			else if (strcmp(key, "data_offsets") == 0)
				noffsets = numbers(offsets, 2);
			else
				wrong("an unknown key");
		} while (next_is(','));
		want('}');
		if (rank < 0 || noffsets != 2 || offsets[0] != expected)
			wrong("a tensor does not follow the one before");
		printf("%s %s [", name, dtype);
		for (int d = 0; d < rank; d++) {
			printf("%s%" PRId64, d ? "," : "", shape[d]);
			volume *= shape[d];
		}
		printf("]");
		const unsigned char *p = data + offsets[0], *end = data + offsets[1];
		if (offsets[1] < offsets[0] || end > bytes + size)
			wrong("a tensor ends outside of the file");
		for (int64_t i = 0; i < volume; i++)
			p += print_element(dtype, p);
		if (p != end)
			wrong("shape and offsets do not fit");
		printf("\n");
		expected = offsets[1];
	} while (next_is(','));
	want('}');
	skip();
	if (at != header_end || data + expected != bytes + size)
		wrong("something follows");
	return EXIT_SUCCESS;
}
