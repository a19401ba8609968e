/* kernel_check.c — see kernel_check.h. */
#define _DEFAULT_SOURCE
#include "kernel_check.h"
#include "compiled_kernel.h"
#include "elements.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_BUFFERS = 8 };

static const int64_t extents[] = {0, 1, 7, 10, 16, 17, 33, 64, 100, 257};

static const char *expand(struct arena *a, const char *text, const char *type, int64_t n)
{
	struct text t;
	text_init(&t, a);
	for (const char *c = text; *c; c++) {
		if (!strncmp(c, "$nn", 3)) {
			text_printf(&t, "%lld", (long long)(n * n));
			c += 2;
		} else if (c[0] == '$' && c[1] >= '2' && c[1] <= '9' && c[2] == 'n') {
			text_printf(&t, "%lld", (long long)((c[1] - '0') * n));
			c += 2;
		} else if (!strncmp(c, "$m", 2)) {
			text_printf(&t, "%lld", (long long)(n - 1));
			c++;
		} else if (!strncmp(c, "$n", 2)) {
			text_printf(&t, "%lld", (long long)n);
			c++;
		} else if (!strncmp(c, "$t", 2)) {
			text_add(&t, type);
			c++;
		} else {
			text_add_n(&t, c, 1);
		}
	}
	return text_get(&t);
}

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

/* Numbers that sums and products of a few keep exactly, or nearly so. */
static void fill(void *at, enum dtype t, int64_t n, uint64_t *state)
{
	for (int64_t i = 0; i < n; i++) {
		int64_t v = (int64_t)(next_random(state) % 41) - 20;
		union scalar_value x = {.i = v * (dtype_size(t) == 1 ? 5 : dtype_size(t) == 2 ? 999 : 1)};
		if (t == DT_BOOL)
			x.i = v > 0;
		if (dtype_kind(t) == DTYPE_FLOAT)
			x.f = (double)v * (t == DT_F64 ? 0.3 : 0.25);
		put(at, t, i, x);
	}
}

static double number_at(const void *at, enum dtype t, int64_t i)
{
	union scalar_value v = get(at, t, i);
	return dtype_kind(t) == DTYPE_FLOAT ? v.f : t == DT_U64 ? (double)(uint64_t)v.i : (double)v.i;
}

static double tolerance(enum dtype t)
{
	return t == DT_F64 ? 1e-13 : t == DT_F32 ? 2e-5 : t == DT_BF16 ? 0.05 : t == DT_F16 ? 0.01 : 0;
}

/* Memory for a buffer and 64 bytes behind it, between pages that may not be touched: from the first byte of a page on.
 */
struct fenced {
	char *at;
	size_t bytes;
};

static void *fenced_new(struct fenced *f, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	f->bytes = (bytes + 64 + page - 1) / page * page + 2 * page;
	f->at = mmap(NULL, f->bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert(f->at != MAP_FAILED);
	ck_assert(mprotect(f->at + page, f->bytes - 2 * page, PROT_READ | PROT_WRITE) == 0);
	return f->at + page;
}

/* Buffers twice with equal contents: one set for the compiled kernel, one for the interpreter; then they are compared.
 * Bytes behind each buffer must stay as they are. Every ck_assert writes to a file, so none stands in loops over
 * elements. */
static void compare(struct session *s, const struct kernel *k, bool streams, const char *what,
		    const union scalar_value *scalars)
{
	void *mine[MAX_BUFFERS], *theirs[MAX_BUFFERS];
	struct fenced fence[MAX_BUFFERS];
	enum dtype type[MAX_BUFFERS];
	int64_t size[MAX_BUFFERS];
	int n = 0;
	uint64_t state = 7;
	for (int i = 0; i < k->params.n; i++) {
		if (k->params.at[i].kind == KP_SCALAR)
			continue;
		type[n] = k->params.at[i].type;
		size[n] = k->params.at[i].size;
		size_t bytes = (size_t)(size[n] * dtype_size(type[n]));
		mine[n] = fenced_new(&fence[n], bytes);
		theirs[n] = aligned(bytes);
		fill(mine[n], type[n], size[n], &state);
		memset((char *)mine[n] + bytes, 0x5a, 64);
		memcpy(theirs[n], mine[n], bytes);
		n++;
	}
	struct backend_jit *j;
	compiled_kernel(s, k, streams, what, &j)(mine, scalars);
	kernel_interpret(k, theirs, scalars);
	for (int b = 0; b < n; b++) {
		for (int64_t i = 0; i < size[b]; i++) {
			double x = number_at(mine[b], type[b], i), y = number_at(theirs[b], type[b], i);
			bool same =
				x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= tolerance(type[b]) * (fabs(y) + 1);
			if (!same)
				ck_abort_msg("%s: buffer %d[%lld] is %.17g, not %.17g", what, b, (long long)i, x, y);
		}
		for (int i = 0; i < 64; i++)
			if (((unsigned char *)mine[b])[size[b] * dtype_size(type[b]) + i] != 0x5a)
				ck_abort_msg("%s: wrote behind buffer %d", what, b);
		munmap(fence[b].at, fence[b].bytes);
		free(theirs[b]);
	}
	backend_jit_free(j);
}

static const char *const cpus[] = {NULL, "x86-64-v3", "x86-64-v2"};

void check_text(const char *text, const char *type, int64_t n, int cpu)
{
	if (!suite_takes((int)(strlen(text) + (size_t)type[0] + (size_t)type[1] + (size_t)n) + cpu, 3))
		return;
	struct session *s = session_new();
	const char *error = NULL, *source = expand(s->arena, text, type, n);
	union scalar_value scalars[4] = {{.i = 12345}, {.i = 3}, {.i = 1}, {.i = 2}};
	s->options.opt_level = n == 3 || n == 7 ? 0 : n == 17 ? 1 : n == 64 ? 3 : 2;
	s->options.target_cpu = cpus[cpu];
	struct kernel *k = kernel_read(s->arena, source, &error);
	ck_assert_msg(k != NULL, "%s\n%s", error, source);
	compare(s, k, (n + cpu) % 2 == 1, source, scalars);
	session_free(s);
}

void check_extents(const char *text, const char *type, int64_t least)
{
	for (size_t i = 0; i < sizeof extents / sizeof *extents; i++)
		if (extents[i] >= least)
			for (int cpu = 0; cpu < (extents[i] == 33 || (suite_is_long() && extents[i] == 100) ? 3 : 1);
			     cpu++)
				check_text(text, type, extents[i], cpu);
}

void check_some_extents(const char *text, const char *type, int64_t least)
{
	static const int64_t some[] = {0, 7, 33, 100};
	for (int i = 0; i < 4 && !suite_is_long(); i++)
		if (some[i] >= least)
			check_text(text, type, some[i], i % 3);
	if (suite_is_long())
		check_extents(text, type, least);
}
