/* make_data.c — writes the data files of tests/rt/run into a folder, good ones and broken ones.
 * 21 rows: images u8[2, 3], labels u8, and three floats with an integer in front as CSV and .npy. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

enum { ROWS = 21, PIXELS = 6 };

static const char *folder;

static void write_file(const char *name, const void *bytes, size_t n, int packed)
{
	char path[1024];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	gzFile f = gzopen(path, packed ? "wb" : "wbT");
	if (!f || gzwrite(f, bytes, (unsigned)n) != (int)n || gzclose(f) != Z_OK) {
		perror(path);
		exit(EXIT_FAILURE);
	}
}

/* The first n bytes of a file as another. */
static void cut_file(const char *from, const char *to, size_t n)
{
	static char bytes[1 << 16];
	char path[1024];
	snprintf(path, sizeof path, "%s/%s", folder, from);
	FILE *f = fopen(path, "rb");
	size_t got = f ? fread(bytes, 1, n, f) : 0;
	if (f)
		fclose(f);
	write_file(to, bytes, got, 0);
}

static void make_idx(const char *where, int packed)
{
	unsigned char images[16 + ROWS * PIXELS] = {0, 0, 8, 3, 0, 0, 0, ROWS, 0, 0, 0, 2, 0, 0, 0, 3};
	unsigned char labels[8 + ROWS] = {0, 0, 8, 1, 0, 0, 0, ROWS};
	char name[64];
	for (int i = 0; i < ROWS * PIXELS; i++)
		images[16 + i] = (unsigned char)(i * 37);
	for (int i = 0; i < ROWS; i++)
		labels[8 + i] = (unsigned char)(i % 10);
	snprintf(name, sizeof name, "%s/images", where);
	write_file(name, images, sizeof images, packed);
	snprintf(name, sizeof name, "%s/labels", where);
	write_file(name, labels, sizeof labels, packed);
	if (packed)
		return;
	write_file("raw", images + 16, ROWS * PIXELS, 0);
	write_file("short_images/images", images, sizeof images - 1, 0);
	write_file("short_images/labels", labels, sizeof labels, 0);
	write_file("long_images/images", images, sizeof images, 0);
	labels[7] = ROWS - 1;
	write_file("uneven/images", images, sizeof images, 0);
	write_file("uneven/labels", labels, sizeof labels - 1, 0);
	images[11] = 3;
	images[15] = 2;
	write_file("reshaped/images", images, sizeof images, 0);
	labels[7] = ROWS;
	write_file("reshaped/labels", labels, sizeof labels, 0);
	images[2] = 9;
	write_file("signed/images", images, sizeof images, 0);
	images[2] = 0x77;
	write_file("unknown/images", images, sizeof images, 0);
	unsigned char huge[16] = {0, 0, 8, 3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
	write_file("huge/images", huge, sizeof huge, 0);
	write_file("empty/images", "", 0, 0);
}

static float number(int row, int column)
{
	return (float)(row * 3 + column) * 0.25f - 4;
}

static void make_csv(const char *name, int packed, const char *heading, const char *bad)
{
	char text[4096];
	size_t n = (size_t)snprintf(text, sizeof text, "%s", heading);
	for (int r = 0; r < ROWS; r++) {
		n += (size_t)snprintf(text + n, sizeof text - n, "%d,%g, %g,%g%s", r % 10, number(r, 0), number(r, 1),
				      number(r, 2), r % 2 ? "\r\n" : "\n");
		if (r == 10)
			n += (size_t)snprintf(text + n, sizeof text - n, "%s", bad);
	}
	write_file(name, text, packed == 2 ? n - 1 : n, packed == 1);
}

static void make_npy(const char *name, const char *descr, const char *shape, const char *order, int version)
{
	char bytes[2048] = "\x93NUMPY";
	int head = version == 1 ? 10 : 12;
	int n = snprintf(bytes + head, sizeof bytes - (size_t)head,
			 "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, order, shape);
	while ((head + n) % 64 != 63)
		bytes[head + n++] = ' ';
	bytes[head + n++] = '\n';
	bytes[6] = (char)version;
	bytes[8] = (char)n;
	bytes[9] = (char)(n >> 8);
	float *out = malloc(ROWS * 3 * sizeof *out);
	for (int i = 0; i < ROWS * 3; i++)
		out[i] = number(i / 3, i % 3);
	memcpy(bytes + head + n, out, ROWS * 3 * sizeof *out);
	free(out);
	write_file(name, bytes, (size_t)(head + n) + ROWS * 3 * sizeof *out, 0);
}

/* 63 tokens of 16 bits, 7 + 1000 k: raw, as .npy, and cut short by a byte. */
static void make_tokens(void)
{
	enum { TOKENS = 63, HEAD = 128 };
	char bytes[HEAD + 2 * TOKENS] = "\x93NUMPY\x01";
	memset(bytes + 10, ' ', HEAD - 10);
	snprintf(bytes + 10, HEAD - 10, "{'descr': '<u2', 'fortran_order': False, 'shape': (%d,), }", TOKENS);
	bytes[10 + strlen(bytes + 10)] = ' ';
	bytes[8] = HEAD - 10;
	bytes[HEAD - 1] = '\n';
	for (int k = 0; k < TOKENS; k++) {
		bytes[HEAD + 2 * k] = (char)(7 + 1000 * k);
		bytes[HEAD + 2 * k + 1] = (char)((7 + 1000 * k) >> 8);
	}
	write_file("tokens", bytes + HEAD, 2 * TOKENS, 0);
	write_file("tokens.gz", bytes + HEAD, 2 * TOKENS, 1);
	write_file("odd", bytes + HEAD, 2 * TOKENS - 1, 0);
	write_file("tokens.npy", bytes, HEAD + 2 * TOKENS, 0);
}

int main(int argc, char **argv)
{
	static const char *const folders[] = {"plain",  "packed",  "short_images", "long_images", "uneven", "reshaped",
					      "signed", "unknown", "huge",         "empty",       "torn"};
	folder = argc > 1 ? argv[1] : ".";
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		char path[1024];
		snprintf(path, sizeof path, "%s/%s", folder, folders[i]);
		mkdir(path, 0777);
	}
	make_idx("plain", 0);
	make_idx("packed", 1);
	cut_file("packed/images", "torn/images", 40);
	cut_file("packed/labels", "torn/labels", 4096);
	make_csv("good.csv", 0, "label,a,b,c\n", "");
	make_csv("bare.csv", 2, "", "\n  \n");
	make_csv("good.csv.gz", 1, "label,a,b,c\n", "");
	make_csv("word.csv", 0, "", "3,1,oops,2\n");
	make_csv("short.csv", 0, "", "3,1\n");
	make_csv("range.csv", 0, "", "99999999999,1,1,1\n");
	write_file("binary.csv", "1,2,3\0\1", 7, 0);
	make_npy("good.npy", "<f4", "(21, 3)", "False", 1);
	make_npy("second.npy", "<f4", "(21, 3)", "False", 2);
	make_npy("twice.npy", "<f4", "(7, 9), \"shape\" : (21, 3)", "False", 1);
	make_npy("fortran.npy", "<f4", "(21, 3)", "True", 1);
	make_npy("big.npy", ">f4", "(21, 3)", "False", 1);
	make_npy("double.npy", "<f8", "(21, 3)", "False", 1);
	make_npy("wide.npy", "<f4", "(9, 7)", "False", 1);
	make_npy("overflow.npy", "<f4", "(9223372036854775807, 9223372036854775807)", "False", 1);
	make_npy("scalar.npy", "<f4", "()", "False", 1);
	cut_file("good.npy", "torn.npy", 70);
	cut_file("good.npy", "header.npy", 200);
	make_csv("mark.csv", 0, "\xef\xbb\xbf", "");
	write_file("blank.csv", "  ", 2, 0);
	make_tokens();
	return EXIT_SUCCESS;
}
