/* dtype.c — the table of element types, read from runtime/dtype.def, and shapes. */
#include "dtype.h"

#include "base/session.h"

#include <inttypes.h>
#include <string.h>

static const struct {
	const char *text;
	int64_t size;
	enum dtype_kind kind;
} dtypes[DT_COUNT] = {
#define DTYPE(name, text, ctype, size, kind) [DT_##name] = {text, size, DTYPE_##kind},
#include "../../runtime/dtype.def"
#undef DTYPE
};

const char *dtype_text(enum dtype t)
{
	return t < DT_COUNT ? dtypes[t].text : "?";
}

int64_t dtype_size(enum dtype t)
{
	return dtypes[t].size;
}

enum dtype_kind dtype_kind(enum dtype t)
{
	return dtypes[t].kind;
}

enum dtype dtype_of_text(const char *text)
{
	int t = 0;
	while (t < DT_COUNT && strcmp(dtypes[t].text, text))
		t++;
	return (enum dtype)t;
}

bool shape_equal(const struct shape *a, const struct shape *b)
{
	if (a->rank != b->rank)
		return false;
	for (int d = 0; d < a->rank; d++)
		if (a->dim[d] != b->dim[d])
			return false;
	return true;
}

struct shape shape_of_lines(int64_t n, const struct shape *line)
{
	struct shape s = {.rank = line->rank + 1, .dim = {n}};
	BUG_IF(s.rank > MAX_RANK, "lines of %d dimensions", line->rank);
	memcpy(s.dim + 1, line->dim, sizeof *s.dim * (size_t)line->rank);
	return s;
}

struct shape shape_of_line(const struct shape *s)
{
	struct shape line = {.rank = s->rank - 1};
	BUG_IF(!s->rank, "a line of a scalar");
	memcpy(line.dim, s->dim + 1, sizeof *s->dim * (size_t)line.rank);
	return line;
}

int64_t shape_volume(const struct shape *s)
{
	int64_t v = 1;
	for (int d = 0; d < s->rank; d++)
		if (s->dim[d] == 0)
			return 0;
	for (int d = 0; d < s->rank; d++)
		if (s->dim[d] < 0 || __builtin_mul_overflow(v, s->dim[d], &v) || v >> 52)
			return -1;
	return v;
}

void type_print(struct text *t, enum dtype dtype, const struct shape *s)
{
	text_add(t, dtype_text(dtype));
	for (int d = 0; d < s->rank; d++)
		text_printf(t, "%s%" PRId64, d ? ", " : "[", s->dim[d]);
	if (s->rank)
		text_add(t, "]");
}
