/* table.c — see table.h. */
#include "table.h"

#include <string.h>

enum { MAX_COLUMNS = 16 };

void table_row(struct arena *a, struct table *t, int n, const char *const *cell)
{
	t->columns = n;
	for (int i = 0; i < n; i++)
		vec_push(a, &t->cells, cell[i]);
}

void table_print(struct text *out, const struct table *t, const char *indent)
{
	int width[MAX_COLUMNS] = {0};
	for (int i = 0; i < t->cells.n; i++) {
		int n = (int)strlen(t->cells.at[i]);
		if (n > width[i % t->columns])
			width[i % t->columns] = n;
	}
	for (int i = 0; i < t->cells.n; i++) {
		int c = i % t->columns;
		if (c == 0)
			text_add(out, indent);
		else if (width[c])
			text_add(out, "  ");
		if (c == t->columns - 1)
			text_printf(out, "%s\n", t->cells.at[i]);
		else
			text_printf(out, (t->right >> c & 1) ? "%*s" : "%-*s", width[c], t->cells.at[i]);
	}
}

const char *bytes_text(struct arena *a, int64_t bytes)
{
	struct text out;
	text_init(&out, a);
	text_bytes(&out, bytes);
	return text_get(&out);
}

const char *count_text(struct arena *a, int64_t n)
{
	static const char *const unit[] = {"", " k", " M", " G", " T", " P", " E"};
	double v = (double)n;
	int u = 0;
	while (v >= 999.5 && u < 6) {
		v /= 1000;
		u++;
	}
	return arena_printf(a, u && v < 9.95 ? "%.1f%s" : "%.0f%s", v, unit[u]);
}
