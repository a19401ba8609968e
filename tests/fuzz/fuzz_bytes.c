/* fuzz_bytes.c — changes of a file's bytes: what disks and hands do to it, and numbers where sizes and offsets stand.
 */
#include "fuzz.h"

#include <ctype.h>
#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* A run of digits becomes one of these. */
static const char *const numbers[] = {"0",
				      "-1",
				      "1",
				      "2",
				      "00",
				      "8",
				      "255",
				      "65536",
				      "2147483647",
				      "2147483648",
				      "4294967296",
				      "9223372036854775807",
				      "9223372036854775808",
				      "4611686018427387904",
				      "99999999999999999999999",
				      "1e400",
				      "-1e400",
				      "1e-400",
				      "0.5",
				      "1.5e18",
				      "nan",
				      "inf",
				      "0x10",
				      "1e",
				      "+1",
				      "",
				      " 3",
				      "null",
				      "true",
				      "\"7\"",
				      "[]",
				      "{}"};
/* What means something in one of the formats. */
static const char *const pieces[] = {
	",",       ";",        "\t",  "\n",  "\r\n",    "\r",      "\"",           "\"\"", " ",          "{",
	"}",       "[",        "]",   ":",   "\\u0000", "\\ud800", "\\",           "'",    "NA",         "nan",
	"-",       ".",        "(",   ")",   "[[",      "\xff",    "\xef\xbb\xbf", "0",    "\"a\": 1, ", "#",
	"\"F32\"", "\"BF16\"", "<f4", ">f8", "|u1",     "<U5",     "True",         "\0"};

static const uint64_t extremes[] = {0,
				    1,
				    0x7f,
				    0x80,
				    0xff,
				    0x7fff,
				    0xffff,
				    0x7fffffff,
				    0x80000000,
				    0xffffffff,
				    0x7fffffffffffffff,
				    0x8000000000000000,
				    0xffffffffffffffff};

static void change_bits(struct input *b, const struct input *other, uint64_t *r)
{
	(void)other;
	if (b->n)
		b->at[below(r, b->n)] ^= (unsigned char)(1u << below(r, 8));
}

static void change_byte(struct input *b, const struct input *other, uint64_t *r)
{
	(void)other;
	unsigned char byte = (unsigned char)next_random(r);
	splice(b, below(r, b->n + 1), below(r, 2), &byte, 1);
}

static void leave_out(struct input *b, const struct input *other, uint64_t *r)
{
	(void)other;
	splice(b, below(r, b->n + 1), below(r, 40), "", 0);
}

static void cut(struct input *b, const struct input *other, uint64_t *r)
{
	(void)other;
	b->n = below(r, b->n + 1);
}

static void repeat(struct input *b, const struct input *other, uint64_t *r)
{
	(void)other;
	unsigned char copy[200];
	size_t at = below(r, b->n + 1), n = below(r, sizeof copy);
	if (n > b->n - at)
		n = b->n - at;
	memcpy(copy, b->at + at, n);
	for (size_t k = 1 + below(r, 4); k > 0; k--)
		splice(b, below(r, 3) ? at : below(r, b->n + 1), 0, copy, n);
}

static void cross(struct input *b, const struct input *other, uint64_t *r)
{
	size_t from = below(r, other->n + 1), n = below(r, 200);
	splice(b, below(r, b->n + 1), below(r, 200), other->at + from, n < other->n - from ? n : other->n - from);
}

static void insert(struct input *b, const struct input *other, uint64_t *r)
{
	(void)other;
	const char *piece = pieces[below(r, COUNT(pieces))];
	splice(b, below(r, b->n + 1), below(r, 2), piece, piece[0] ? strlen(piece) : 1);
}

static void renumber(struct input *b, const struct input *other, uint64_t *r)
{
	(void)other;
	const char *number = numbers[below(r, COUNT(numbers))];
	size_t from = below(r, b->n + 1);
	while (from < b->n && !isdigit(b->at[from]))
		from++;
	while (from > 0 && isdigit(b->at[from - 1]))
		from--;
	size_t end = from;
	while (end < b->n && isdigit(b->at[end]))
		end++;
	splice(b, from, end - from, number, strlen(number));
}

/* A binary number of 2, 4 or 8 bytes, of either order, mostly near the beginning. */
static void set_word(struct input *b, const struct input *other, uint64_t *r)
{
	(void)other;
	unsigned char word[8];
	size_t n = (size_t)2 << below(r, 3), most = below(r, 3) ? 16 : b->n;
	uint64_t value = extremes[below(r, COUNT(extremes))] + (below(r, 4) ? 0 : below(r, 9) - 4);
	int little = (int)below(r, 2);
	for (size_t i = 0; i < n; i++)
		word[little ? i : n - 1 - i] = (unsigned char)(value >> (8 * i));
	splice(b, below(r, most < b->n ? most : b->n), n, word, n);
}

/* Two pieces of the file change places. */
static void exchange(struct input *b, const struct input *other, uint64_t *r)
{
	(void)other;
	unsigned char copy[64];
	size_t n = 1 + below(r, sizeof copy);
	if (b->n < 2 * n)
		return;
	size_t from = below(r, b->n - n), to = below(r, b->n - n);
	memcpy(copy, b->at + from, n);
	splice(b, from, n, "", 0);
	splice(b, to, 0, copy, n);
}

void mutate_bytes(struct input *b, const struct input *other, uint64_t *r)
{
	static void (*const changes[])(struct input *, const struct input *, uint64_t *) = {
		change_bits, change_byte, leave_out, cut,      repeat,   cross,    insert,
		insert,      renumber,    renumber,  renumber, renumber, set_word, exchange,
	};
	changes[below(r, COUNT(changes))](b, other, r);
}
