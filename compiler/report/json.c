/* json.c — a report as JSON and back. One table per record names every member of it, lists and records within too, so
 * that writing and reading agree.
 */
#include "base/json.h"
#include "report.h"

#include <stddef.h>
#include <string.h>

/* NUMBER is where the record stands in its list, which is written and not read. REGION is one of the report's, which
 * come first; ONCE an int64 that is 1 where nothing is said; LATER a list that plans of older versions have not. */
enum field_kind {
	FIELD_TEXT,
	FIELD_INT64,
	FIELD_ONCE,
	FIELD_INT,
	FIELD_REGION,
	FIELD_BOOL,
	FIELD_WORD,
	FIELD_NUMBER,
	FIELD_OBJECT,
	FIELD_LIST,
	FIELD_LATER
};
struct field {
	const char *key;
	enum field_kind kind;
	size_t at;
	const struct field *of;   /* OBJECT, LIST: its fields */
	size_t size;              /* LIST: of an item */
	const char *(*word)(int); /* WORD: of an enum of `words` */
	int words;
};
/* Any VEC. */
struct items {
	void *at;
	int n, cap;
};

#define FIELD(type, kind, key, member) \
	{ \
		key, FIELD_##kind, offsetof(struct type, member), NULL, 0, NULL, 0 \
	}
#define WORD(type, key, member, word, words) \
	{ \
		key, FIELD_WORD, offsetof(struct type, member), NULL, 0, word, words \
	}
#define WITHIN(type, kind, key, member, of, item) \
	{ \
		key, FIELD_##kind, offsetof(struct type, member), of, sizeof(struct item), NULL, 0 \
	}
#define END \
	{ \
		NULL, FIELD_TEXT, 0, NULL, 0, NULL, 0 \
	}

static const char *when_text(int i)
{
	return report_when_text((enum report_when)i);
}

static const char *phase_text(int i)
{
	return report_phase_text((enum report_phase)i);
}

static const struct field region_fields[] = {
	FIELD(report_region, TEXT, "name", name),
	WORD(report_region, "when", runs.when, when_text, REPORT_WHENS),
	FIELD(report_region, INT64, "times", runs.times),
	FIELD(report_region, ONCE, "every", runs.every),
	FIELD(report_region, ONCE, "sides", runs.sides),
	FIELD(report_region, INT64, "flops", flops),
	FIELD(report_region, BOOL, "exact", is_exact),
	END,
};
static const struct field transfer_fields[] = {
	FIELD(report_transfer, NUMBER, "id", region),
	WORD(report_transfer, "phase", phase, phase_text, REPORT_PHASES),
	FIELD(report_transfer, REGION, "region", region),
	FIELD(report_transfer, TEXT, "kind", kind),
	FIELD(report_transfer, TEXT, "axes", axes),
	FIELD(report_transfer, TEXT, "tensor", tensor),
	FIELD(report_transfer, TEXT, "type", type),
	FIELD(report_transfer, TEXT, "from", from),
	FIELD(report_transfer, TEXT, "to", to),
	FIELD(report_transfer, INT64, "bytes_per_rank", sent_max),
	FIELD(report_transfer, INT64, "received_per_rank", received_max),
	FIELD(report_transfer, INT64, "bytes", bytes),
	FIELD(report_transfer, INT64, "bytes_if_spread", spread),
	FIELD(report_transfer, TEXT, "file", file),
	FIELD(report_transfer, INT, "line", line),
	FIELD(report_transfer, INT, "column", column),
	FIELD(report_transfer, TEXT, "around", around),
	FIELD(report_transfer, INT, "bucket", bucket),
	FIELD(report_transfer, INT64, "turns", turns),
	END,
};
static const struct field memory_fields[] = {
	FIELD(report_memory, INT64, "parameters", parameters),
	FIELD(report_memory, INT64, "state", state),
	FIELD(report_memory, INT64, "values", values),
	FIELD(report_memory, INT64, "arena", arena),
	FIELD(report_memory, INT64, "data", data),
	FIELD(report_memory, INT64, "staging", staging),
	FIELD(report_memory, INT64, "windows", windows),
	END,
};
static const struct field work_fields[] = {
	FIELD(report_work, REGION, "region", region),
	FIELD(report_work, INT64, "flops", flops),
	FIELD(report_work, INT64, "product_flops", product_flops),
	FIELD(report_work, INT, "products", products),
	FIELD(report_work, INT, "kernels", kernels),
	FIELD(report_work, INT, "transfers", transfers),
	FIELD(report_work, INT64, "bytes_sent", sent),
	FIELD(report_work, INT64, "bytes_received", received),
	END,
};
static const struct field role_fields[] = {
	FIELD(report_role, TEXT, "name", name),
	FIELD(report_role, INT, "ranks", ranks),
	FIELD(report_role, INT, "kernels", kernels),
	WITHIN(report_role, OBJECT, "memory", memory, memory_fields, report_memory),
	WITHIN(report_role, LIST, "regions", work, work_fields, report_work),
	END,
};
static const struct field stage_fields[] = {
	FIELD(report_stage, REGION, "region", region),
	FIELD(report_stage, INT, "block", block),
	FIELD(report_stage, TEXT, "schedule", schedule),
	FIELD(report_stage, INT, "micro_batches", micro_batches),
	FIELD(report_stage, TEXT, "name", name),
	FIELD(report_stage, INT64, "ranks", ranks),
	FIELD(report_stage, INT, "level", level),
	FIELD(report_stage, INT64, "forward", forward),
	FIELD(report_stage, INT64, "backward", backward),
	FIELD(report_stage, INT64, "weights", weights),
	FIELD(report_stage, INT, "held", held),
	FIELD(report_stage, INT, "idle_thousandths", idle),
	FIELD(report_stage, INT, "idle_thousandths_between", between),
	FIELD(report_stage, TEXT, "picture", picture),
	END,
};
static const struct field loop_fields[] = {
	FIELD(report_loop, REGION, "region", region),
	FIELD(report_loop, TEXT, "file", file),
	FIELD(report_loop, INT, "line", line),
	FIELD(report_loop, INT, "column", column),
	FIELD(report_loop, INT64, "turns", turns),
	FIELD(report_loop, INT, "branch", branch),
	FIELD(report_loop, INT, "steps", steps),
	FIELD(report_loop, INT64, "tape", tape),
	END,
};
static const struct field unrolled_fields[] = {
	FIELD(report_unrolled, TEXT, "file", file),
	FIELD(report_unrolled, INT, "line", line),
	FIELD(report_unrolled, INT, "column", column),
	FIELD(report_unrolled, INT64, "turns", turns),
	FIELD(report_unrolled, INT64, "kept", kept),
	FIELD(report_unrolled, TEXT, "why", why),
	FIELD(report_unrolled, TEXT, "at_file", at_file),
	FIELD(report_unrolled, INT, "at_line", at),
	END,
};
static const struct field total_fields[] = {
	FIELD(report_total, INT64, "transfers", transfers),
	FIELD(report_total, INT64, "bytes_per_rank", sent_max),
	FIELD(report_total, INT64, "received_per_rank", received_max),
	FIELD(report_total, INT64, "bytes", bytes),
	END,
};

#define TIMES(type) \
	FIELD(type, INT64, "compute", mean.compute), FIELD(type, INT64, "talk", mean.talk), \
		FIELD(type, INT64, "wait", mean.wait)

static const struct field region_times_fields[] = {
	FIELD(report_region_times, REGION, "region", region),
	FIELD(report_region_times, INT64, "ns", ns),
	TIMES(report_region_times),
	END,
};
static const struct field role_times_fields[] = {
	FIELD(report_role_times, REGION, "region", region),
	FIELD(report_role_times, TEXT, "role", role),
	FIELD(report_role_times, INT64, "ranks", ranks),
	FIELD(report_role_times, INT64, "last", last),
	TIMES(report_role_times),
	END,
};
static const struct field line_times_fields[] = {
	FIELD(report_line_times, REGION, "region", region),
	FIELD(report_line_times, TEXT, "file", file),
	FIELD(report_line_times, INT, "line", line),
	FIELD(report_line_times, TEXT, "what", what),
	TIMES(report_line_times),
	FIELD(report_line_times, INT64, "path", path),
	FIELD(report_line_times, INT64, "way", way),
	END,
};
static const struct field step_times_fields[] = {
	FIELD(report_step_times, REGION, "region", region),
	FIELD(report_step_times, TEXT, "role", role),
	FIELD(report_step_times, INT, "step", step),
	FIELD(report_step_times, TEXT, "what", what),
	FIELD(report_step_times, TEXT, "file", file),
	FIELD(report_step_times, INT, "line", line),
	TIMES(report_step_times),
	END,
};

/* The report: what stands before the totals, what behind them, and with a machine file times in nanoseconds. */
#define ROWS(kind, key, member, of, item) WITHIN(report, kind, key, member, of, item)
static const struct field first_fields[] = {
	FIELD(report, TEXT, "program", program),
	FIELD(report, TEXT, "source", source),
	FIELD(report, INT64, "ranks", ranks),
	FIELD(report, TEXT, "fingerprint", fingerprint),
	ROWS(LIST, "regions", regions, region_fields, report_region),
	ROWS(LIST, "transfers", transfers, transfer_fields, report_transfer),
	END,
};
static const struct field other_fields[] = {
	ROWS(LIST, "loops", loops, loop_fields, report_loop),
	ROWS(LATER, "unrolled", unrolled, unrolled_fields, report_unrolled),
	ROWS(LIST, "stages", stages, stage_fields, report_stage),
	ROWS(LIST, "roles", roles, role_fields, report_role),
	END,
};
static const struct field times_fields[] = {
	FIELD(report, TEXT, "machine", machine),
	ROWS(LIST, "region_times", region_times, region_times_fields, report_region_times),
	ROWS(LIST, "role_times", role_times, role_times_fields, report_role_times),
	ROWS(LIST, "line_times", line_times, line_times_fields, report_line_times),
	ROWS(LIST, "step_times", step_times, step_times_fields, report_step_times),
	END,
};

static struct items items_of(const void *list)
{
	struct items v;
	memcpy(&v, list, sizeof v);
	return v;
}

/* ---- writing ---- */

/* What stands between the members of the report, which have lines of their own, and between those of what is in it. */
static const char *between(bool is_report)
{
	return is_report ? ",\n  " : ", ";
}

static void write_fields(struct text *t, const struct field *f, const void *record, int number, bool is_report);

static void write_list(struct text *t, const struct field *f, const void *list, bool is_report)
{
	struct items v = items_of(list);
	const char *line = is_report ? "\n    " : "";
	text_add(t, "[");
	for (int i = 0; i < v.n; i++) {
		text_printf(t, "%s%s{", i ? is_report ? "," : ", " : "", line);
		write_fields(t, f->of, (const char *)v.at + (size_t)i * f->size, i, false);
		text_add(t, "}");
	}
	text_add(t, is_report ? "\n  ]" : "]");
}

/* The members of a record, without braces. number: which it is in its list. */
static void write_fields(struct text *t, const struct field *f, const void *record, int number, bool is_report)
{
	for (int i = 0; f[i].key; i++) {
		const char *bytes = (const char *)record + f[i].at;
		const void *at = bytes;
		text_printf(t, "%s\"%s\": ", i ? between(is_report) : "", f[i].key);
		switch (f[i].kind) {
		case FIELD_TEXT:
			text_json(t, *(const char *const *)at ? *(const char *const *)at : "");
			break;
		case FIELD_INT64:
		case FIELD_ONCE:
			text_printf(t, "%lld", (long long)*(const int64_t *)at);
			break;
		case FIELD_INT:
		case FIELD_REGION:
			text_printf(t, "%d", *(const int *)at);
			break;
		case FIELD_BOOL:
			text_add(t, *(const bool *)at ? "true" : "false");
			break;
		case FIELD_WORD:
			text_printf(t, "\"%s\"", f[i].word(*(const int *)at));
			break;
		case FIELD_NUMBER:
			text_printf(t, "%d", number);
			break;
		case FIELD_OBJECT:
			text_add(t, "{");
			write_fields(t, f[i].of, at, 0, false);
			text_add(t, "}");
			break;
		case FIELD_LIST:
		case FIELD_LATER:
			write_list(t, &f[i], at, is_report);
			break;
		}
	}
}

static void write_total(struct text *t, const char *key, const struct report_total *total)
{
	text_printf(t, ", \"%s\": {", key);
	write_fields(t, total_fields, total, 0, false);
	text_add(t, "}");
}

static void write_totals(struct text *t, const struct report *r)
{
	text_add(t, ",\n  \"totals\": {");
	for (int w = 0; w < REPORT_WHENS; w++) {
		enum report_when when = (enum report_when)w;
		struct report_total all = report_total(r, when, REPORT_PHASES, NULL);
		text_printf(t, "%s\n    \"%s\": {\"flops\": %lld", w ? "," : "", report_when_text(when),
			    (long long)report_flops(r, when));
		write_total(t, "all", &all);
		for (int p = 0; p < REPORT_PHASES; p++) {
			struct report_total one = report_total(r, when, (enum report_phase)p, NULL);
			if (one.transfers)
				write_total(t, report_phase_text((enum report_phase)p), &one);
		}
		for (int k = 0; report_kind(k); k++) {
			struct report_total one = report_total(r, when, REPORT_PHASES, report_kind(k));
			if (one.transfers)
				write_total(t, report_kind(k), &one);
		}
		text_add(t, "}");
	}
	text_add(t, "\n  }");
}

static void write_times(struct text *t, const struct report *r)
{
	text_add(t, ",\n  \"ns\": {");
	for (int w = 0; w < REPORT_WHENS; w++)
		text_printf(t, "%s\"%s\": %lld", w ? ", " : "", report_when_text((enum report_when)w),
			    (long long)report_ns(r, (enum report_when)w));
	text_add(t, "},\n  ");
	write_fields(t, times_fields, r, 0, true);
}

void report_print_json(struct text *t, const struct report *r)
{
	text_add(t, "{\n  ");
	write_fields(t, first_fields, r, 0, true);
	write_totals(t, r);
	text_add(t, ",\n  ");
	write_fields(t, other_fields, r, 0, true);
	if (report_has_times(r))
		write_times(t, r);
	text_add(t, "\n}\n");
}

/* ---- reading ---- */

static bool read_fields(const struct report *r, const struct field *f, const struct json *j, void *record);

static bool read_list(const struct report *r, const struct field *f, const struct json *list, void *record)
{
	struct items v = {NULL, 0, 0};
	if (!list || list->kind != JSON_IS_LIST)
		return !list && f->kind == FIELD_LATER;
	for (int i = 0; i < list->items.n; i++) {
		vec_reserve_(r->arena, (void *)&v.at, v.n, &v.cap, f->size);
		void *item = (char *)v.at + (size_t)v.n++ * f->size;
		memset(item, 0, f->size);
		if (!read_fields(r, f->of, list->items.at[i], item))
			return false;
	}
	memcpy(record, &v, sizeof v);
	return true;
}

/* The number of a word, or -1. */
static int word_number(const struct field *f, const char *word)
{
	for (int i = 0; i < f->words; i++)
		if (!strcmp(word, f->word(i)))
			return i;
	return -1;
}

/* False where the text is something else. */
static bool read_field(const struct report *r, const struct field *f, const struct json *j, void *at)
{
	const struct json *value = json_get(j, f->key);
	int64_t number = json_get_int(j, f->key);
	switch (f->kind) {
	case FIELD_TEXT:
		*(const char **)at = json_get_text(j, f->key);
		return true;
	case FIELD_ONCE:
	case FIELD_INT64:
		*(int64_t *)at = f->kind == FIELD_ONCE && !number ? 1 : number;
		return true;
	case FIELD_INT:
	case FIELD_REGION:
		*(int *)at = (int)number;
		return f->kind == FIELD_INT || (number >= 0 && number < r->regions.n);
	case FIELD_BOOL:
		*(bool *)at = value && value->kind == JSON_IS_BOOL && value->truth;
		return true;
	case FIELD_WORD:
		*(int *)at = word_number(f, json_get_text(j, f->key));
		return *(int *)at >= 0;
	case FIELD_NUMBER:
		return true;
	case FIELD_OBJECT:
		return value && read_fields(r, f->of, value, at);
	case FIELD_LIST:
	case FIELD_LATER:
		return read_list(r, f, value, at);
	}
	return false;
}

static bool read_fields(const struct report *r, const struct field *f, const struct json *j, void *record)
{
	for (int i = 0; f[i].key; i++)
		if (!read_field(r, &f[i], j, (char *)record + f[i].at))
			return false;
	return true;
}

static bool read_totals(struct report *r, const struct json *j)
{
	r->totals = report_totals_new(r->arena);
	for (int w = 0; j && w < REPORT_WHENS; w++) {
		enum report_when when = (enum report_when)w;
		const struct json *of = json_get(j, report_when_text(when));
		read_fields(r, total_fields, json_get(of, "all"),
			    report_total_at(r->totals, when, REPORT_PHASES, NULL));
		for (int p = 0; p < REPORT_PHASES; p++)
			read_fields(r, total_fields, json_get(of, report_phase_text((enum report_phase)p)),
				    report_total_at(r->totals, when, (enum report_phase)p, NULL));
		for (int k = 0; report_kind(k); k++)
			read_fields(r, total_fields, json_get(of, report_kind(k)),
				    report_total_at(r->totals, when, REPORT_PHASES, report_kind(k)));
	}
	return j != NULL;
}

struct report *report_read(struct arena *a, const char *text, size_t n, const char **error)
{
	struct json *j = json_read(a, text, n, error);
	if (!j)
		return NULL;
	struct report *r = ARENA_NEW(a, struct report);
	r->arena = a;
	if (read_fields(r, first_fields, j, r) && read_totals(r, json_get(j, "totals")) &&
	    read_fields(r, other_fields, j, r) && (!json_get(j, "machine") || read_fields(r, times_fields, j, r)))
		return r;
	*error = "not a plan as `pmlc plan --json` prints it";
	return NULL;
}
