/* test_backend_streams.c — results that go past the caches: the same bits as those that do not, wherever rows and
 * buffers begin within a line, of every element type and width of vectors, made by threads in parts; and nothing beside
 * them. */
#define _POSIX_C_SOURCE 200809L
#include "compiled_kernel.h"

#include "base/text.h"

enum { AROUND = 256, MAX_BUFFERS = 4 }; /* bytes before and behind a buffer that stay as they are */

static const char *const cpus[] = {NULL, "x86-64-v3", "x86-64-v2", "x86-64"};
enum { CPUS = 4 };

/* $t: the type; $p: elements from row to row, $n of them written, from element $o on. */
static const char *const kernels[] = {
	"kernel \"rows\"(in b0: $t[9000], out b1: $t[9000]) flops 0 { loop i0 9 { vloop i1 $n {\n"
	"  %0 = load $t b0[$p*i0 + 1*i1 + $o] %1 = max $t %0, %0 store b1[$p*i0 + 1*i1 + $o] %1 } } }",
	"kernel \"flat\"(in b0: $t[9000], out b1: $t[9000]) flops 0 { vloop i0 $n {\n"
	"  %0 = load $t b0[1*i0] %1 = max $t %0, %0 store b1[1*i0 + $o] %1 } }",
	"kernel \"two results\"(in b0: $t[9000], out b1: $t[9000], out b2: $t[9000]) flops 0 { loop i0 9 { vloop i1 $n "
	"{\n"
	"  %0 = load $t b0[$p*i0 + 1*i1] %1 = max $t %0, %0 store b1[$p*i0 + 1*i1] %1\n"
	"  store b2[$p*i0 + 1*i1 + $o] %0 } } }",
	"kernel \"rows and the largest of each\"(in b0: $t[9000], out b1: $t[9000], out b2: $t[9]) flops 0 { loop i0 9 "
	"{\n"
	"  vloop i1 $n reduce(%9: $t = max) { %0 = load $t b0[$p*i0 + 1*i1 + $o] store b1[$p*i0 + 1*i1 + $o] %0 %9 <- "
	"%0 }\n"
	"  store b2[1*i0] %9 } }",
	"kernel \"largest so far\"(in b0: $t[9000], out b1: $t[9000]) flops 0 { loop i0 9 {\n"
	"  vloop i1 $n reduce(%9: $t = max) { %0 = load $t b0[$p*i0 + 1*i1] %1 = prefix %9 <- %0\n"
	"  store b1[$p*i0 + 1*i1 + $o] %1 } } }",
	"kernel \"transposed\"(in b0: $t[9000], out b1: $t[9000]) flops 0 { loop i0 9 { vloop i1 $n {\n"
	"  %0 = load $t b0[1*i0 + 9*i1] store b1[$p*i0 + 1*i1 + $o] %0 } } }",
	/* Results that must stay where they are read: in the place of an input, loaded again, stored to twice. */
	"kernel \"in place\"(in b0: $t[9000], out b1: $t[9000] same b0) flops 0 { vloop i0 $n {\n"
	"  %0 = load $t b0[1*i0 + $o] %1 = max $t %0, %0 store b1[1*i0 + $o] %1 } }",
	"kernel \"twice\"(in b0: $t[9000], out b1: $t[9000]) flops 0 { loop i0 2 { vloop i1 $n {\n"
	"  %0 = load $t b0[$p*i0 + 1*i1] store b1[1*i1 + $o] %0 } } }",
};

static const char *expand(struct arena *a, const char *text, const char *type, int64_t n, int64_t pitch, int64_t from)
{
	struct text t;
	text_init(&t, a);
	for (const char *c = text; *c; c++) {
		if (*c != '$') {
			text_add_n(&t, c, 1);
			continue;
		}
		c++;
		if (*c == 't')
			text_add(&t, type);
		else
			text_printf(&t, "%lld", (long long)(*c == 'n' ? n : *c == 'p' ? pitch : from));
	}
	return text_get(&t);
}

struct run {
	char *memory[MAX_BUFFERS], *buffer[MAX_BUFFERS];
	size_t bytes[MAX_BUFFERS];
	int n;
};

/* Runs the kernel with buffers that begin so many bytes behind a line. */
static struct run run_kernel(struct session *s, const struct kernel *k, bool streams, const char *what, int64_t behind)
{
	struct run r = {.n = 0};
	for (int i = 0; i < k->params.n; i++) {
		size_t bytes = (size_t)(k->params.at[i].size * dtype_size(k->params.at[i].type));
		bool takes = k->params.at[i].same >= 0;
		r.bytes[r.n] = 2 * AROUND + bytes;
		r.memory[r.n] = aligned(r.bytes[r.n]);
		for (size_t b = 0; b < r.bytes[r.n]; b++)
			r.memory[r.n][b] = (char)(b * 37 % 60); /* no type's NaN */
		r.buffer[r.n] = takes ? r.buffer[k->params.at[i].same] : r.memory[r.n] + AROUND + behind;
		r.n++;
	}
	struct backend_jit *j;
	compiled_kernel(s, k, streams, what, &j)((void *const *)r.buffer, NULL);
	backend_jit_free(j);
	return r;
}

static void check(const char *text, enum dtype type, int64_t n, int64_t pitch, int64_t from, int cpu)
{
	struct session *s = session_new();
	const char *error = NULL, *source = expand(s->arena, text, dtype_text(type), n, pitch, from);
	s->options.target_cpu = cpus[cpu];
	s->options.opt_level = (int)(n % 3);
	struct kernel *k = kernel_read(s->arena, source, &error);
	ck_assert_msg(k != NULL, "%s\n%s", error, source);
	int64_t behind = pitch % 5 * dtype_size(type);
	struct run plain = run_kernel(s, k, false, source, behind), past = run_kernel(s, k, true, source, behind);
	for (int b = 0; b < plain.n; b++) {
		size_t i = 0;
		while (i < plain.bytes[b] && plain.memory[b][i] == past.memory[b][i])
			i++;
		ck_assert_msg(i == plain.bytes[b], "%s %s: byte %zu of buffer %d differs\n%s",
			      cpus[cpu] ? cpus[cpu] : "native", dtype_text(type), i - AROUND, b, source);
		free(plain.memory[b]);
		free(past.memory[b]);
	}
	session_free(s);
}

START_TEST(results_past_the_caches_are_the_same_bits)
{
	static const int64_t extent[] = {1, 15, 64, 67, 127, 128, 300, 777}, pitch[] = {777, 832, 896};
	int at = 0;
	for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
		for (enum dtype t = 0; t < DT_COUNT; t++)
			for (size_t e = 0; e < sizeof extent / sizeof *extent; e++, at++)
				if (at % suite_count(1, 5, 11) == 0)
					check(kernels[k], t, extent[e], pitch[at % 3], at % 7 ? at % 67 : 0, at % CPUS);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *t = suite_begin(&suite, "backend streams");
	tcase_add_test(t, results_past_the_caches_are_the_same_bits);
	return suite_end(suite);
}
