/* test_rt_files.c — what the runtime reads and writes without other ranks: headers of files, elements as text,
 * 16-bit floats, and files that are cut short while they are mapped. */
#define _DEFAULT_SOURCE
#include "half.h"
#include "data.h"
#include "element.h"
#include "mapped.h"
#include "safetensors.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static struct pmlrt_program program;
static struct pmlrt rt = {.program = &program, .size = 1};
static char file[1 << 16];

/* A file with this header (padded to 64 if short) and so much data. */
static int64_t make_file(const char *json, int64_t data)
{
	int64_t n = (int64_t)strlen(json);
	memset(file, 0, sizeof file);
	for (int i = 0; i < 8; i++)
		file[i] = (char)(n >> (8 * i));
	memcpy(file + 8, json, (size_t)n);
	return 8 + n + data;
}

static const char *read_error(const char *json, int64_t data)
{
	struct st_header h;
	const char *wrong = st_read(&rt, file, make_file(json, data), &h);
	st_free(&rt, &h);
	return wrong;
}

#define F32_6 "\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":"

START_TEST(good_headers_are_read)
{
	ck_assert_ptr_null(read_error("{}", 0));
	ck_assert_ptr_null(read_error("{\"a\":{" F32_6 "[0,24]}}   ", 24));
	ck_assert_ptr_null(read_error("{\"b\":{" F32_6 "[24,48]},\"a\":{" F32_6 "[0,24]}}", 48));
	ck_assert_ptr_null(read_error("{\"__metadata__\":{\"format\":\"pt\"},\"a\":{" F32_6 "[0,24]}}", 24));
	ck_assert_ptr_null(read_error("{\"s\":{\"dtype\":\"BF16\",\"shape\":[],\"data_offsets\":[0,2]},"
				      "\"e\":{\"dtype\":\"BOOL\",\"shape\":[0,4],\"data_offsets\":[0,0]}}",
				      2));
}
END_TEST

struct bad {
	const char *json;
	int64_t data;
	const char *why;
};
static const struct bad bad_headers[] = {
	{"", 0, "not JSON"},
	{"[1]", 0, "not JSON"},
	{"{", 0, "not JSON"},
	{"{} x", 0, "not JSON"},
	{"{\"a\":1}", 0, "not described"},
	{"{\"a\":{}}", 0, "not described"},
	{"{\"a\":{" F32_6 "[0,24],\"more\":1}}", 24, "not described"},
	{"{\"a\":{" F32_6 "[0,24]},\"a\":{" F32_6 "[0,24]}}", 24, "not JSON as it should be"},
	{"{\"a\":{\"dtype\":\"F99\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8, "unknown dtype"},
	{"{\"a\":{\"dtype\":7,\"shape\":[2],\"data_offsets\":[0,8]}}", 8, "unknown dtype"},
	{"{\"a\":{\"dtype\":\"F32\",\"shape\":[-2],\"data_offsets\":[0,8]}}", 8, "no size"},
	{"{\"a\":{\"dtype\":\"F32\",\"shape\":[2.0],\"data_offsets\":[0,8]}}", 8, "no size"},
	{"{\"a\":{\"dtype\":\"F32\",\"shape\":2,\"data_offsets\":[0,8]}}", 8, "no shape"},
	{"{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,2],\"data_offsets\":[0,8]}}", 8, "too many dimensions"},
	{"{\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904,4],\"data_offsets\":[0,8]}}", 8,
	 "larger than any file"},
	{"{\"a\":{" F32_6 "[0,20]}}", 20, "do not fit its shape"},
	{"{\"a\":{" F32_6 "[24,0]}}", 24, "do not fit its shape"},
	{"{\"a\":{" F32_6 "[-24,0]}}", 24, "do not fit its shape"},
	{"{\"a\":{" F32_6 "[0]}}", 24, "no data_offsets"},
	{"{\"a\":{" F32_6 "[0,24.5]}}", 24, "no data_offsets"},
	{"{\"a\":{" F32_6 "[0,24]},\"b\":{" F32_6 "[0,24]}}", 24, "overlap"},
	{"{\"a\":{" F32_6 "[0,24]},\"b\":{" F32_6 "[20,44]}}", 44, "overlap"},
	{"{\"a\":{" F32_6 "[8,32]}}", 32, "gap"},
	{"{\"a\":{" F32_6 "[0,24]},\"b\":{" F32_6 "[28,52]}}", 52, "gap"},
	{"{\"a\":{" F32_6 "[0,24]}}", 23, "ends before its data"},
	{"{\"a\":{" F32_6 "[0,24]}}", 25, "bytes behind"},
	{"{\"__metadata__\":{\"x\":1}}", 0, "not text"},
	{"{\"__metadata__\":[]}", 0, "not an object"},
};

START_TEST(bad_headers_are_refused_with_the_reason)
{
	for (size_t i = 0; i < sizeof bad_headers / sizeof *bad_headers; i++) {
		const char *wrong = read_error(bad_headers[i].json, bad_headers[i].data);
		ck_assert_msg(wrong && strstr(wrong, bad_headers[i].why), "%s: `%s`, expected `%s`",
			      bad_headers[i].json, wrong ? wrong : "accepted", bad_headers[i].why);
	}
}
END_TEST

START_TEST(bad_lengths_are_refused)
{
	struct st_header h;
	make_file("{}", 0);
	ck_assert_str_eq(st_read(&rt, file, 7, &h), "it is shorter than eight bytes");
	ck_assert_str_eq(st_read(&rt, file, 9, &h), "it ends within its header");
	memset(file, 0xFF, 8);
	ck_assert_str_eq(st_read(&rt, file, 10, &h), "its header is longer than 100 MB");
	file[7] = 0x7F;
	ck_assert_str_eq(st_read(&rt, file, 10, &h), "its header is longer than 100 MB");
}
END_TEST

/* A changed byte of the header either is refused or leaves a header that is legal, never a crash or a wild offset. */
START_TEST(every_changed_byte_is_survived)
{
	int64_t size = make_file(
		"{\"a\":{" F32_6 "[0,24]},\"b\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[24,32]}}", 32);
	int refused = 0, tried = 0;
	for (int64_t i = 0; i < size - 32; i++)
		for (int bit = 0; bit < 8; bit++) {
			struct st_header h;
			file[i] = (char)(file[i] ^ 1 << bit);
			const char *wrong = st_read(&rt, file, size, &h);
			for (int64_t t = 0; !wrong && t < h.ntensors; t++)
				ck_assert(h.tensor[t].begin >= 0 && h.data + h.tensor[t].end <= size);
			refused += wrong != NULL;
			tried++;
			st_free(&rt, &h);
			file[i] = (char)(file[i] ^ 1 << bit);
		}
	ck_assert_msg(refused * 10 > tried * 9, "%d of %d refused", refused, tried);
}
END_TEST

START_TEST(written_headers_read_back)
{
	struct st_tensor t[3] = {{.name = (char[]){"a \"b\""}, .dtype = PMLRT_F32, .rank = 2, .dim = {2, 3}},
				 {.name = (char[]){"b"}, .dtype = PMLRT_BOOL, .rank = 1, .dim = {5}},
				 {.name = (char[]){"\xc3\xa9"}, .dtype = PMLRT_U64, .rank = 0}};
	struct st_header h;
	int64_t size;
	char *header = st_write(&rt, t, 3, &size);
	ck_assert_int_eq(size % 8, 0);
	memcpy(file, header, (size_t)size);
	ck_assert_ptr_null(st_read(&rt, file, size + 24 + 5 + 8, &h));
	for (int i = 0; i < 3; i++) {
		const struct st_tensor *found = st_find(&h, t[i].name);
		ck_assert_ptr_nonnull(found);
		ck_assert(found->dtype == t[i].dtype && found->rank == t[i].rank && found->begin == t[i].begin &&
			  found->end == t[i].end);
	}
	st_free(&rt, &h);
	rt_release(&rt, header);
}
END_TEST

/* "NPY format" in the documentation of NumPy: version 1.0, its length in two bytes, blanks up to 64 and a newline. */
START_TEST(npy_headers_are_those_of_numpy)
{
	const int64_t large = INT64_MAX;
	const struct {
		struct pmlrt_type type;
		const char *text;
		int64_t size;
	} cases[] = {
		{{.dtype = PMLRT_F32, .rank = 2, .dim = {3, 4}},
		 "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }",
		 128},
		{{.dtype = PMLRT_F64, .rank = 1, .dim = {3}},
		 "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }",
		 128},
		{{.dtype = PMLRT_F16, .rank = 0}, "{'descr': '<f2', 'fortran_order': False, 'shape': (), }", 128},
		{{.dtype = PMLRT_BOOL, .rank = 2, .dim = {0, 7}},
		 "{'descr': '|b1', 'fortran_order': False, 'shape': (0, 7), }",
		 128},
		{{.dtype = PMLRT_U8, .rank = 1, .dim = {100}},
		 "{'descr': '|u1', 'fortran_order': False, 'shape': (100,), }",
		 128},
		{{.dtype = PMLRT_I8, .rank = 1, .dim = {1}},
		 "{'descr': '|i1', 'fortran_order': False, 'shape': (1,), }",
		 128},
		/* A header that ends at 128, and one that is a byte longer. */
		{{.dtype = PMLRT_I64,
		  .rank = 8,
		  .dim = {123456789, 1000000, 10000, 10000, 1000, 1000, 100000, 10000000}},
		 "{'descr': '<i8', 'fortran_order': False, 'shape': (123456789, 1000000, 10000, 10000, 1000, 1000, "
		 "100000, 10000000), }",
		 128},
		{{.dtype = PMLRT_I64,
		  .rank = 8,
		  .dim = {123456789, 1000000, 10000, 10000, 1000, 1000, 100000, 100000000}},
		 "{'descr': '<i8', 'fortran_order': False, 'shape': (123456789, 1000000, 10000, 10000, 1000, 1000, "
		 "100000, 100000000), }",
		 192},
		{{.dtype = PMLRT_U16, .rank = 8, .dim = {large, large, large, large, large, large, large, large}},
		 NULL,
		 256},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int64_t size;
		char *header = npy_header(&rt, &cases[i].type, &size);
		ck_assert_int_eq(size, cases[i].size);
		ck_assert_mem_eq(header, "\x93NUMPY\x01\x00", 8);
		ck_assert_int_eq((unsigned char)header[8] + 256 * (unsigned char)header[9], size - 10);
		ck_assert_int_eq(header[size - 1], '\n');
		int64_t n = cases[i].text ? (int64_t)strlen(cases[i].text) : size - 11;
		if (cases[i].text)
			ck_assert_mem_eq(header + 10, cases[i].text, (size_t)n);
		for (int64_t k = 10 + n; k < size - 1; k++)
			ck_assert_int_eq(header[k], ' ');
		rt_release(&rt, header);
	}
}
END_TEST

START_TEST(elements_are_parsed_within_their_range)
{
	struct {
		int32_t dtype;
		const char *text;
		bool ok;
	} cases[] = {{PMLRT_U8, "255", true},
		     {PMLRT_U8, "256", false},
		     {PMLRT_U8, "-1", false},
		     {PMLRT_I8, "-128", true},
		     {PMLRT_I8, "-129", false},
		     {PMLRT_I32, "5.0", true},
		     {PMLRT_I32, "x", false},
		     {PMLRT_I64, "9223372036854775807", true},
		     {PMLRT_I64, "9223372036854775808", false},
		     {PMLRT_F32, "1e-3", true},
		     {PMLRT_F32, ",", false},
		     {PMLRT_BOOL, "true", true},
		     {PMLRT_BOOL, "maybe", false},
		     {PMLRT_BF16, "0.5", true},
		     {PMLRT_U64, "-1", false},
		     {PMLRT_U64, "18446744073709551615", true},
		     {PMLRT_U64, "18446744073709551616", false},
		     {PMLRT_I64, "-9223372036854775808", true},
		     {PMLRT_I32, "", false},
		     {PMLRT_I32, "--1", false},
		     {PMLRT_I32, "1.5", false},
		     {PMLRT_F32, "1e999", false},
		     {PMLRT_F32, "1e39", false},
		     {PMLRT_F64, "1e39", true},
		     {PMLRT_F32, "-inf", true},
		     {PMLRT_F32, ".", false},
		     {PMLRT_F32, "1.2.3", false},
		     {PMLRT_F16, "65520", false},
		     {PMLRT_F32, "0x10", false},
		     {PMLRT_F32, "1,5", false},
		     {PMLRT_F32, "1 2", false}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *text = cases[i].text;
		char value[8];
		bool ok = element_read(cases[i].dtype, text, text + strlen(text), '.', value) == ELEMENT_READ;
		ck_assert_msg(ok == cases[i].ok, "%s", text);
	}
}
END_TEST

START_TEST(numbers_are_written_with_a_comma)
{
	static const struct {
		int32_t dtype;
		const char *text;
		double value; /* NaN: none */
	} cases[] = {{PMLRT_F32, "1,5", 1.5},    {PMLRT_F64, "-0,125", -0.125}, {PMLRT_F64, "1,5e3", 1500},
		     {PMLRT_I32, "7,0", 7},      {PMLRT_I32, "7", 7},           {PMLRT_F32, "1.5", NAN},
		     {PMLRT_F32, "1.500,5", NAN}, {PMLRT_F32, "1,500,5", NAN},  {PMLRT_I32, "7.0", NAN}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *text = cases[i].text;
		char value[8];
		bool read = element_read(cases[i].dtype, text, text + strlen(text), ',', value) == ELEMENT_READ;
		double v = read ? (double)element_value(cases[i].dtype, value) : (double)NAN;
		ck_assert_msg(v == cases[i].value || (!read && isnan(cases[i].value)), "%s", text);
	}
}
END_TEST

/* The short way of short numbers gives what the C library gives. */
START_TEST(decimals_are_rounded_once)
{
	uint64_t state = 1;
	for (int i = 0; i < 200000; i++) {
		char text[64];
		float f;
		double d;
		state = state * 6364136223846793005u + 1442695040888963407u;
		long long digits = (long long)(state >> (20 + (state >> 8) % 40));
		int behind = (int)(state % 19);
		snprintf(text, sizeof text, "%s%lld", state & 64 ? "-" : "", digits);
		int64_t n = (int64_t)strlen(text), whole = n - behind;
		if (whole > 1) {
			memmove(text + whole + 1, text + whole, (size_t)(n - whole + 1));
			text[whole] = '.';
		}
		const char *end = text + strlen(text);
		ck_assert(element_read(PMLRT_F32, text, end, '.', &f) == ELEMENT_READ && f == strtof(text, NULL));
		ck_assert(element_read(PMLRT_F64, text, end, '.', &d) == ELEMENT_READ && d == strtod(text, NULL));
	}
}
END_TEST

START_TEST(elements_print_as_they_are)
{
	char text[32];
	int8_t minus = -3;
	uint64_t big = UINT64_MAX;
	uint16_t half = 0x3E00;
	ck_assert_str_eq(element_text(PMLRT_I8, &minus, false, text, sizeof text), "-3");
	ck_assert_str_eq(element_text(PMLRT_U64, &big, false, text, sizeof text), "18446744073709551615");
	ck_assert_str_eq(element_text(PMLRT_F16, &half, false, text, sizeof text), "1.5");
	ck_assert_str_eq(element_text(PMLRT_BOOL, "\1", false, text, sizeof text), "true");
}
END_TEST

START_TEST(all_16_bit_floats_come_back)
{
	for (int brain = 0; brain < 2; brain++)
		for (uint32_t h = 0; h < 65536; h++) {
			float f = half_to_float((uint16_t)h, brain);
			if (f == f)
				ck_assert_uint_eq(half_of_float(f, brain), h);
			else
				ck_assert(isnan(half_to_float(half_of_float(f, brain), brain)));
		}
}
END_TEST

/* Between two neighbours the nearer one is taken, and the even one in the middle. */
START_TEST(rounding_is_to_nearest_even)
{
	for (int brain = 0; brain < 2; brain++)
		for (uint32_t h = 0; h < (brain ? 0x7F7Fu : 0x7BFFu); h++) {
			double low = half_to_float((uint16_t)h, brain), high = half_to_float((uint16_t)(h + 1), brain);
			float middle = (float)((low + high) / 2);
			if ((double)middle * 2 != low + high)
				continue;
			ck_assert_uint_eq(half_of_float(middle, brain), h + (h & 1));
			ck_assert_uint_eq(half_of_float(nextafterf(middle, -INFINITY), brain), h);
			ck_assert_uint_eq(half_of_float(nextafterf(middle, INFINITY), brain), h + 1);
		}
	ck_assert_uint_eq(half_of_float(65520.0f, false), 0x7C00);
	ck_assert_uint_eq(half_of_float(65519.0f, false), 0x7BFF);
}
END_TEST

START_TEST(floats_print_with_the_fewest_digits_that_come_back)
{
	ck_assert_str_eq(pmlrt_text_of_float(&rt, (double)0.1f), "0.1");
	ck_assert_str_eq(pmlrt_text_of_float(&rt, 0.1), "0.1");
	ck_assert_str_eq(pmlrt_text_of_float(&rt, 1.0 / 3), "0.3333333333333333");
	ck_assert_str_eq(pmlrt_text_of_float(&rt, (double)(1.0f / 3)), "0.33333334");
	ck_assert_str_eq(pmlrt_text_of_float(&rt, 1234567), "1234567");
	ck_assert_str_eq(pmlrt_text_path(&rt, "/a/", "b"), "/a/b");
	ck_assert_str_eq(pmlrt_text_path(&rt, "a", "b"), "a/b");
	ck_assert_str_eq(pmlrt_text_path(&rt, "/", "b"), "/b");
	ck_assert_str_eq(pmlrt_text_path(&rt, "a", "/b"), "/b");
	ck_assert_str_eq(pmlrt_text_path(&rt, "", "b"), "b");
}
END_TEST

/* ---- mapped files ---- */

enum { PAGES = 3, PAGE = 1 << 16 };

/* What a process says that maps a file, cuts it short, and does this with it; its status has to be 1. */
static void says(int64_t left, void deed(struct rt_mapping *m), const char *expected)
{
	static char bytes[PAGES * PAGE];
	char path[] = "/tmp/pml-mapped-XXXXXX", text[1024] = "";
	int fd = mkstemp(path), pipe_ends[2], status;
	ck_assert(fd >= 0 && write(fd, bytes, sizeof bytes) == (ssize_t)sizeof bytes && pipe(pipe_ends) == 0);
	pid_t child = fork();
	if (child == 0) {
		dup2(pipe_ends[1], STDERR_FILENO);
		struct rt_mapping *m = mapped_file(&rt, fd, true, path, sizeof bytes, 0);
		if (truncate(path, left) == 0)
			deed(m);
		_exit(7);
	}
	close(pipe_ends[1]);
	for (ssize_t n = 0, k; (k = read(pipe_ends[0], text + n, sizeof text - 1 - (size_t)n)) > 0; n += k)
		;
	waitpid(child, &status, 0);
	unlink(path);
	close(fd);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == (expected ? 1 : 7), "status %x: %s", status, text);
	ck_assert_msg(strstr(text, expected ? expected : "") != NULL, "said: %s", text);
}

static void touch_all(struct rt_mapping *m)
{
	volatile char sum = 0;
	for (int64_t i = 0; i < m->bytes; i += 512)
		sum = (char)(sum + m->begin[i]);
}

static void touch_twice(struct rt_mapping *m)
{
	/* As a program does that loads weights meanwhile. */
	char path[] = "/tmp/pml-mapped-XXXXXX";
	int fd = mkstemp(path);
	if (fd < 0 || write(fd, "abc", 3) != 3)
		_exit(9);
	struct rt_mapping *other = mapped_file(&rt, fd, false, path, 3, 0);
	unlink(path);
	mapped_release(other);
	touch_all(m);
}

static void check_size(struct rt_mapping *m)
{
	mapped_check(m);
}

static void take_more(struct rt_mapping *m)
{
	int fd = open(m->path, O_RDONLY);
	mapped_file(&rt, fd, true, m->path, m->bytes, 0);
}

START_TEST(a_file_that_is_cut_short_ends_the_job_with_its_name)
{
	says(PAGE, touch_all, "was cut short while the program ran: it had 196608 bytes and has 65536\nhelp: ");
	says(PAGE, touch_twice, "error: `/tmp/pml-mapped-");
	says(PAGE, check_size, "was cut short");
	says(PAGES * PAGE - 1, check_size, "it had 196608 bytes and has 196607");
	says(PAGE, take_more, "was cut short");
	says(PAGES * PAGE, touch_all, NULL);
	says(PAGES * PAGE + 1, touch_all, NULL);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "files");
	tcase_add_test(t, good_headers_are_read);
	tcase_add_test(t, bad_headers_are_refused_with_the_reason);
	tcase_add_test(t, bad_lengths_are_refused);
	tcase_add_test(t, every_changed_byte_is_survived);
	tcase_add_test(t, written_headers_read_back);
	tcase_add_test(t, npy_headers_are_those_of_numpy);
	tcase_add_test(t, elements_are_parsed_within_their_range);
	tcase_add_test(t, numbers_are_written_with_a_comma);
	tcase_add_test(t, decimals_are_rounded_once);
	tcase_add_test(t, elements_print_as_they_are);
	tcase_add_test(t, all_16_bit_floats_come_back);
	tcase_add_test(t, rounding_is_to_nearest_even);
	tcase_add_test(t, floats_print_with_the_fewest_digits_that_come_back);
	tcase_add_test(t, a_file_that_is_cut_short_ends_the_job_with_its_name);
	int failed = suite_end(s);
	rt_free_all(&rt);
	return failed;
}
