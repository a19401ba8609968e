/* print.c — what the program prints: items collected into one line, written to stdout at once by rank 0 (or by all,
 * each line with its rank in front). */
#include "element.h"
#include "rt.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
	EDGE = 3,
	LONG = 10,
	MANY = 1000
}; /* of a tensor of more than MANY elements, dimensions longer than LONG show EDGE at both ends */

bool rt_writes(const struct pmlrt *rt)
{
	return rt->rank == 0 || rt->options.all_ranks;
}

/* The buffer grows by realloc and is kept: it is freed by the last line of the program. */
void rt_line_add(char **line, size_t *length, size_t *room, const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	size_t n = (size_t)vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (*length + n + 1 > *room) {
		size_t more = 2 * (*length + n + 1) + 256;
		char *grown = realloc(*line, more);
		if (!grown)
			abort();
		*line = grown;
		*room = more;
	}
	vsnprintf(*line + *length, n + 1, fmt, again);
	va_end(again);
	*length += n;
}

#define ADD(rt, ...) rt_line_add(&(rt)->line, &(rt)->line_length, &(rt)->line_room, __VA_ARGS__)

static bool item(struct pmlrt *rt)
{
	if (!rt_writes(rt))
		return false;
	if (rt->line_items++ && !rt->line_is_inside)
		ADD(rt, " ");
	else if (rt->line_items == 1 && rt->options.all_ranks && rt->size > 1)
		ADD(rt, "[%d] ", rt->rank);
	rt->line_is_inside = false;
	return true;
}

void pmlrt_print_mark(struct pmlrt *rt, const char *text, bool begins, bool ends)
{
	if (begins ? !item(rt) : !rt_writes(rt))
		return;
	ADD(rt, "%s", text);
	rt->line_is_inside = !ends;
}

void pmlrt_print_name(struct pmlrt *rt, const char *name, int32_t site)
{
	rt->printed = *name ? name : NULL;
	rt->printed_site = site;
}

/* The first that is not finite is what the line's end warns of. */
static void note_floats(struct pmlrt *rt, int32_t dtype, const void *data, int64_t n)
{
	if (rt->rank == 0 && rt->printed && !rt->not_finite && rt_find_not_finite(dtype, data, n, true) >= 0) {
		rt->not_finite = rt->printed;
		rt->not_finite_site = rt->printed_site;
	}
}

void pmlrt_print_text(struct pmlrt *rt, const char *text)
{
	if (item(rt))
		ADD(rt, "%s", text);
}

void pmlrt_print_digits(struct pmlrt *rt, int64_t digits, bool behind_point, int32_t site)
{
	rt_check_digits(rt, digits, behind_point, site);
	rt->line_digits.are_counted = true;
	rt->line_digits.behind_point = behind_point;
	rt->line_digits.n = (int)digits;
}

static const char *float_text(const struct pmlrt *rt, double v, char text[RT_DIGITS_ROOM])
{
	return rt->line_digits.are_counted ? rt_with_digits(v, rt->line_digits.n, rt->line_digits.behind_point, text)
					   : element_of_host(v, true, text, RT_DIGITS_ROOM);
}

void pmlrt_print_int(struct pmlrt *rt, int64_t v)
{
	if (item(rt))
		ADD(rt, "%lld", (long long)v);
}

void pmlrt_print_float(struct pmlrt *rt, double v)
{
	char text[RT_DIGITS_ROOM];
	if (item(rt))
		ADD(rt, "%s", float_text(rt, v, text));
	note_floats(rt, PMLRT_F64, &v, 1);
}

void pmlrt_print_bool(struct pmlrt *rt, bool v)
{
	if (item(rt))
		ADD(rt, "%s", v ? "true" : "false");
}

static void add_element(struct pmlrt *rt, int32_t dtype, const void *p)
{
	char text[RT_DIGITS_ROOM];
	bool counted = rt->line_digits.are_counted && element_is_float(dtype);
	ADD(rt, "%s",
	    counted ? float_text(rt, (double)element_value(dtype, p), text)
		    : element_text(dtype, p, true, text, sizeof text));
}

/* Dimension d of the tensor from an element on; whole: no ends only. */
static void add_nested(struct pmlrt *rt, const struct pmlrt_type *t, bool whole, int d, int64_t at, const char *data)
{
	if (d == t->rank) {
		add_element(rt, t->dtype, data + at * rt_dtype_size(t->dtype));
		return;
	}
	int64_t step = 1, n = t->dim[d];
	for (int i = d + 1; i < t->rank; i++)
		step *= t->dim[i];
	ADD(rt, "[");
	for (int64_t i = 0; i < n; i++) {
		if (i)
			ADD(rt, d == t->rank - 1 ? ", " : ",\n%*s", d + 1, "");
		if (!whole && n > LONG && i == EDGE) {
			ADD(rt, "...%s", d == t->rank - 1 ? ", " : ",\n");
			i = n - EDGE;
		}
		add_nested(rt, t, whole, d + 1, at + i * step, data);
	}
	ADD(rt, "]");
}

void pmlrt_print_tensor(struct pmlrt *rt, int32_t type, const void *data, int64_t line)
{
	if (!item(rt))
		return;
	const struct pmlrt_type *t = &rt->program->types[type];
	int64_t n = 1;
	for (int d = 0; d < t->rank; d++)
		n *= t->dim[d];
	add_nested(rt, t, n <= MANY, 0, line * n, data);
	note_floats(rt, t->dtype, (const char *)data + line * n * rt_dtype_size(t->dtype), n);
}

static long double number_at(const struct pmlrt *rt, int32_t type, const void *data, int64_t line)
{
	int32_t dtype = rt->program->types[type].dtype;
	return element_value(dtype, (const char *)data + line * rt_dtype_size(dtype));
}

int64_t pmlrt_line_int(struct pmlrt *rt, int32_t type, const void *data, int64_t line)
{
	return (int64_t)number_at(rt, type, data, line);
}

double pmlrt_line_float(struct pmlrt *rt, int32_t type, const void *data, int64_t line)
{
	return (double)number_at(rt, type, data, line);
}

void pmlrt_print_end(struct pmlrt *rt, const char *end)
{
	rt->line_digits.are_counted = false;
	if (!rt_writes(rt))
		return;
	rt_progress_clear(rt);
	ADD(rt, "%s", end);
	if (fwrite(rt->line, 1, rt->line_length, stdout) != rt->line_length || fflush(stdout) != 0)
		rt_fail(rt, 0, "cannot write results to the standard output: %s", strerror(errno));
	rt->line_length = 0;
	rt->line_items = 0;
	rt->printed = NULL;
	rt_warn_not_finite(rt);
}
