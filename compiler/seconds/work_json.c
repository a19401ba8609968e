/* work_json.c — see work_json.h. */
#include "work_json.h"

#include <math.h>
#include <string.h>

enum { MAX_LINES = 1 << 20 }; /* of a matrix: its operations are a number */

/* Doubles that are whole numbers for the most part. */
static void print_number(struct text *t, const char *name, double v)
{
	text_printf(t, ", \"%s\": %.17g", name, v);
}

static void print_operations(struct text *t, const char *name, const double *n)
{
	bool first = true;
	text_printf(t, ", \"%s\": {", name);
	for (int o = 0; o < OPERATIONS; o++)
		if (n[o] > 0) {
			text_printf(t, "%s\"%s\": %.17g", first ? "" : ", ",
				    machine_operation_text((enum machine_operation)o), n[o]);
			first = false;
		}
	text_add(t, "}");
}

static void print_reuses(struct text *t, const struct reuses *r)
{
	text_add(t, ", \"reuse\": [");
	for (int i = 0; i < r->all.n; i++)
		text_printf(t, "%s[%.17g, %.17g]", i ? ", " : "", r->all.at[i].distance, r->all.at[i].bytes);
	text_add(t, "]");
}

void work_print(struct text *t, const struct step_work *w, const char *name)
{
	switch (w->kind) {
	case WORK_NONE:
	case WORK_TURN:
	case WORK_CHECK:
		break;
	case WORK_KERNEL:
		text_add(t, "\"kernel\": ");
		text_json(t, name);
		print_number(t, "bytes", w->kernel.bytes);
		print_number(t, "loops", w->kernel.loops);
		print_operations(t, "vector", w->kernel.vector);
		print_operations(t, "single", w->kernel.single);
		break;
	case WORK_PRODUCT:
		text_printf(t, "\"product\": \"%s\", \"m\": %lld, \"n\": %lld, \"k\": %lld", dtype_text(w->type),
			    (long long)w->m, (long long)w->n, (long long)w->k);
		print_number(t, "turns", w->turns);
		print_number(t, "packed", w->amount);
		break;
	case WORK_FOURIER:
		text_printf(t, "\"fourier\": %.17g", w->amount);
		break;
	case WORK_FACTORS:
		text_printf(t, "\"factors\": \"%s\", \"type\": \"%s\", \"n\": %lld", factors_text(w->way),
			    dtype_text(w->type), (long long)w->n);
		print_number(t, "turns", w->turns);
		break;
	case WORK_SORT:
		text_printf(t, "\"sort\": %.17g", w->amount);
		break;
	case WORK_COPY:
		text_printf(t, "\"copy\": %.17g", w->amount);
		break;
	}
	if (work_bytes(w) > 0)
		print_reuses(t, &w->reuses);
}

const char *work_name(struct arena *a, const struct step_work *w, const char *kernel)
{
	switch (w->kind) {
	case WORK_KERNEL:
		return arena_printf(a, "kernel %s", kernel);
	case WORK_PRODUCT: {
		const char *times = w->turns > 1 ? arena_printf(a, "%.0f times ", w->turns) : "";
		return arena_printf(a, "product %s%lld x %lld x %lld %s", times, (long long)w->m, (long long)w->k,
				    (long long)w->n, dtype_text(w->type));
	}
	case WORK_FOURIER:
		return "transform";
	case WORK_FACTORS:
		return "factors";
	case WORK_SORT:
		return "sort";
	case WORK_COPY:
		return "copy";
	case WORK_NONE:
	case WORK_CHECK:
	case WORK_TURN:
		break;
	}
	return "";
}

/* ---- reading ---- */

struct reader {
	struct arena *arena;
	const char *error;
};

static double read_amount(struct reader *r, const struct json *j, const char *name)
{
	const struct json *x = json_get(j, name);
	bool good = x && x->kind == JSON_IS_NUMBER && x->number >= 0 && x->number <= 1e18;
	if (!good && !r->error)
		r->error = arena_printf(r->arena, "`%s` is no number from 0 on", name);
	return good ? x->number : 0;
}

static void read_operations(struct reader *r, const struct json *j, const char *name, double *n)
{
	const struct json *x = json_get(j, name);
	if ((!x || x->kind != JSON_IS_OBJECT) && !r->error)
		r->error = arena_printf(r->arena, "`%s` is no object", name);
	for (int o = 0; o < OPERATIONS && !r->error; o++) {
		const char *operation = machine_operation_text((enum machine_operation)o);
		n[o] = json_get(x, operation) ? read_amount(r, x, operation) : 0;
	}
}

static void read_reuses(struct reader *r, const struct json *j, struct reuses *to)
{
	const struct json *list = json_get(j, "reuse");
	bool good = list && list->kind == JSON_IS_LIST;
	for (int i = 0; good && i < list->items.n; i++) {
		const struct json *x = list->items.at[i];
		good = x->kind == JSON_IS_LIST && x->items.n == 2;
		for (int k = 0; good && k < 2; k++)
			good = x->items.at[k]->kind == JSON_IS_NUMBER && x->items.at[k]->number > 0 &&
			       x->items.at[k]->number <= 1e18;
		if (good)
			reuse_add(r->arena, to, x->items.at[0]->number, x->items.at[1]->number);
	}
	if (!good && !r->error)
		r->error = "`reuse` is no list of pairs of positive numbers";
}

static void read_product(struct reader *r, const struct json *j, struct step_work *w)
{
	const char *type = json_get_text(j, "product");
	enum dtype t = dtype_of_text(type);
	if (t == DT_COUNT)
		r->error = arena_printf(r->arena, "`%s` is no element type", type);
	w->type = t == DT_COUNT ? DT_F32 : t;
	w->m = (int64_t)read_amount(r, j, "m");
	w->n = (int64_t)read_amount(r, j, "n");
	w->k = (int64_t)read_amount(r, j, "k");
	w->turns = read_amount(r, j, "turns");
	w->amount = read_amount(r, j, "packed");
}

static void read_factors(struct reader *r, const struct json *j, struct step_work *w)
{
	const char *text = json_get_text(j, "factors"), *type = json_get_text(j, "type");
	enum dtype t = dtype_of_text(type);
	int way = 0;
	while (way < FACTORS_WAYS && strcmp(factors_text((enum factors_way)way), text))
		way++;
	if (way == FACTORS_WAYS || (t != DT_F32 && t != DT_F64)) {
		r->error = arena_printf(r->arena, "`%s` of `%s` is no way to factor", text, type);
		way = 0;
		t = DT_F32;
	}
	*w = work_of_factors((enum factors_way)way, t, (int64_t)fmin(read_amount(r, j, "n"), MAX_LINES),
			     read_amount(r, j, "turns"));
}

static const struct {
	const char *name;
	enum work_kind kind;
} amounts[] = {{"sort", WORK_SORT}, {"fourier", WORK_FOURIER}, {"copy", WORK_COPY}};

const char *work_read(struct arena *a, const struct json *j, struct step_work *w)
{
	struct reader r = {.arena = a};
	*w = (struct step_work){.kind = WORK_NONE};
	if (json_get(j, "kernel")) {
		w->kind = WORK_KERNEL;
		w->kernel.bytes = read_amount(&r, j, "bytes");
		w->kernel.loops = read_amount(&r, j, "loops");
		read_operations(&r, j, "vector", w->kernel.vector);
		read_operations(&r, j, "single", w->kernel.single);
	} else if (json_get(j, "product")) {
		w->kind = WORK_PRODUCT;
		read_product(&r, j, w);
	} else if (json_get(j, "factors")) {
		read_factors(&r, j, w);
	}
	for (size_t i = 0; i < sizeof amounts / sizeof *amounts && w->kind == WORK_NONE; i++)
		if (json_get(j, amounts[i].name)) {
			w->kind = amounts[i].kind;
			w->amount = read_amount(&r, j, amounts[i].name);
		}
	if (work_bytes(w) > 0)
		read_reuses(&r, j, &w->reuses);
	if (w->kind == WORK_NONE)
		r.error = "it says of no work what it is";
	return r.error;
}
