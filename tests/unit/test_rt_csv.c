/* test_rt_csv.c — CSV text: what was written is read back, random bytes are survived, and any row of a file is found.
 * Text stands at the end of a page behind which nothing may be read. */
#define _DEFAULT_SOURCE
#include "codes.h"
#include "csv_table.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 1 << 16, FIELDS = 6, LONGEST = 12 };

static struct pmlrt_program program;
static struct pmlrt rt = {.program = &program, .size = 1};
static uint64_t state;
static char *page;

static uint64_t dice(uint64_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (state >> 33) % n;
}

static void set_up(void)
{
	page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert(page != MAP_FAILED && mprotect(page + PAGE, PAGE, PROT_NONE) == 0);
}

/* The text at the end of the page. */
static const char *at_end(const char *text, size_t n)
{
	memcpy(page + PAGE - n, text, n);
	return page + PAGE - n;
}

static size_t random_text(char *out, const char *signs)
{
	size_t n = dice(LONGEST), k = strlen(signs);
	for (size_t i = 0; i < n; i++)
		out[i] = signs[dice(k)];
	out[n] = 0;
	return n;
}

/* Appends a field; in quotes if it has to be, or by chance. */
static size_t write_field(char *out, const char *field, char separator)
{
	size_t n = strlen(field), at = 0;
	bool blank = n && (strchr(" \t\r", field[0]) || strchr(" \t\r", field[n - 1]));
	if (n && !strpbrk(field, "\"\n") && !strchr(field, separator) && !blank && dice(2)) {
		memcpy(out, field, n);
		return n;
	}
	out[at++] = '"';
	for (size_t i = 0; i < n; i++) {
		out[at++] = field[i];
		if (field[i] == '"')
			out[at++] = '"';
	}
	out[at++] = '"';
	return at;
}

START_TEST(fields_that_were_written_are_read_back)
{
	set_up();
	for (state = 0; state < 20000; state++) {
		uint64_t seed = state;
		char fields[FIELDS][LONGEST + 1], text[FIELDS * (2 * LONGEST + 8)], got[LONGEST + 1];
		char separator = ",;\t|"[dice(4)];
		int nfields = 1 + (int)dice(FIELDS);
		size_t n = 0;
		for (int i = 0; i < nfields; i++) {
			random_text(fields[i], "ab\",; \t\n\r|1\xc3\xa9");
			if (i)
				text[n++] = separator;
			for (uint64_t k = dice(3); k > 0; k--)
				text[n++] = ' ';
			n += write_field(text + n, fields[i], separator);
			for (uint64_t k = dice(3); k > 0; k--)
				text[n++] = ' ';
		}
		size_t end = n;
		switch (dice(3)) {
		case 0:
			text[n++] = '\r';
			text[n++] = '\n';
			break;
		case 1:
			text[n++] = '\n';
			break;
		}
		const char *begin = at_end(text, n), *p = begin;
		ck_assert_msg(csv_behind(begin, begin + n, separator) == begin + n, "seed %llu",
			      (unsigned long long)seed);
		bool last = false;
		for (int i = 0; i < nfields; i++) {
			struct csv_field f;
			ck_assert(!last);
			ck_assert_int_eq(csv_take(&p, begin + n, separator, &f, &last), CSV_FINE);
			size_t length = csv_contents(&f, got);
			ck_assert_msg(length == strlen(fields[i]) && memcmp(got, fields[i], length) == 0,
				      "seed %llu field %d", (unsigned long long)seed, i);
		}
		ck_assert(last && p == begin + n && end <= n);
		state = seed;
	}
}
END_TEST

/* However broken a text is, it comes to an end, a record at a time, and csv_behind and csv_take agree where. */
START_TEST(random_text_is_taken_apart)
{
	set_up();
	int64_t records = 0;
	for (state = 0; state < 50000; state++) {
		uint64_t seed = state;
		char text[64];
		size_t n = dice(sizeof text);
		for (size_t i = 0; i < n; i++)
			text[i] = dice(8) ? "\"\"\"\n,, a\r"[dice(9)] : (char)dice(256);
		const char *p = at_end(text, n), *end = p + n;
		while ((p = csv_skip_empty(p, end, ',')) < end) {
			const char *q = p, *behind = csv_behind(p, end, ',');
			bool last = false, open = false;
			while (!last) {
				struct csv_field f;
				const char *before = q;
				open = csv_take(&q, end, ',', &f, &last) == CSV_OPEN_QUOTE;
				ck_assert(f.begin >= before && f.begin <= f.end && f.end <= end && q <= end);
				ck_assert(q > before || last);
			}
			ck_assert_msg(behind == (open ? NULL : q), "seed %llu", (unsigned long long)seed);
			ck_assert(q > p);
			p = q;
			records++;
		}
		state = seed;
	}
	ck_assert_int_gt(records, 50000);
}
END_TEST

/* Rows of some 0 to 3 kB; each is found by its number, in the line where it was written. */
START_TEST(any_row_of_a_file_is_found)
{
	enum { ROWS = 400 };
	static int64_t line_of[ROWS];
	char path[] = "/tmp/pml-csv-XXXXXX";
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");
	int64_t line = 2;
	state = 5;
	fputs("\xef\xbb\xbfnumber,\"a \"\"name\"\"\"\n", f);
	for (int row = 0; row < ROWS; row++) {
		for (uint64_t k = dice(3); k > 0; k--, line++)
			fputs(" \r\n", f);
		line_of[row] = line;
		fprintf(f, "%d,\"", row);
		for (uint64_t k = dice(8) ? dice(20) : dice(3000); k > 0; k--) {
			char c = "x,\n"[dice(3)];
			fputc(c, f);
			line += c == '\n';
		}
		fputs("\"\n", f);
		line++;
	}
	fclose(f);
	struct csv_table *t = csv_table_open(&rt, path, ',', 0);
	csv_table_count(&rt, t, true, 0);
	ck_assert_int_eq(t->rows, ROWS);
	ck_assert_int_eq(t->fields, 2);
	ck_assert_int_lt(t->nmarks, (t->end - t->text) / CSV_MARK_BYTES + 2);
	ck_assert_int_eq(csv_column(t, &(struct csv_name){"a \"name\"", -1}), 1);
	ck_assert_int_eq(csv_column(t, &(struct csv_name){"name", -1}), -1);
	ck_assert_int_eq(csv_column(t, &(struct csv_name){NULL, 2}), -1);
	for (int i = 0; i < 2 * ROWS; i++) {
		int64_t row = i < ROWS ? i : (int64_t)dice(ROWS);
		const char *begin, *end, *p = csv_row(t, row);
		ck_assert_int_eq(strtol(p, NULL, 10), row);
		ck_assert_int_eq(csv_line(t, row), line_of[row]);
		csv_row_piece(t, row, &begin, &end);
		ck_assert(begin <= p && p < end);
	}
	unlink(path);
}
END_TEST

/* Also with columns that have no name, whose numbers are no names. */
START_TEST(a_name_that_is_nearly_right_is_found)
{
	char path[] = "/tmp/pml-csv-XXXXXX", near[80];
	FILE *f = fdopen(mkstemp(path), "w");
	fputs(",height,\"wei\tght\",\n0,1,2,3\n", f);
	fclose(f);
	struct csv_table *t = csv_table_open(&rt, path, ',', 0);
	csv_table_count(&rt, t, true, 0);
	ck_assert_str_eq(csv_nearest_column(t, "heigth", near, sizeof near), "height");
	ck_assert_str_eq(csv_nearest_column(t, "wei gth", near, sizeof near), "wei ght");
	ck_assert_ptr_null(csv_nearest_column(t, "", near, sizeof near));
	ck_assert_ptr_null(csv_nearest_column(t, "1", near, sizeof near));
	ck_assert_ptr_null(csv_nearest_column(t, "column 0", near, sizeof near));
	unlink(path);
}
END_TEST

START_TEST(codes_follow_the_order_of_texts)
{
	struct codes *c = codes_new(&rt);
	char text[16];
	for (int i = 0; i < 3000; i++) {
		int n = snprintf(text, sizeof text, "t%d", (i * 7919) % 1000);
		codes_add(c, text, n);
	}
	ck_assert_int_eq(c->n, 1000);
	codes_sort(c);
	for (int i = 0; i < 1000; i++) {
		ck_assert(i == 0 || strcmp(c->text[i - 1].text, c->text[i].text) < 0);
		ck_assert_int_eq(codes_find(c, c->text[i].text, c->text[i].length), i);
	}
	ck_assert_int_eq(codes_find(c, "t1000", 5), -1);
	ck_assert_int_eq(codes_find(c, "t1", 1), -1);
	ck_assert_int_eq(codes_add(c, "t1000", 5), 1000);
	ck_assert_int_eq(codes_find(codes_new(&rt), "", 0), -1);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "csv");
	tcase_add_test(t, fields_that_were_written_are_read_back);
	tcase_add_test(t, random_text_is_taken_apart);
	tcase_add_test(t, any_row_of_a_file_is_found);
	tcase_add_test(t, a_name_that_is_nearly_right_is_found);
	tcase_add_test(t, codes_follow_the_order_of_texts);
	int failed = suite_end(s);
	rt_free_all(&rt);
	return failed;
}
