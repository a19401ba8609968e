/* json.c — a report as JSON and back. One table per record names every field, so that writing and reading agree.
 */
#include "base/json.h"
#include "report.h"

#include <stddef.h>
#include <string.h>

enum field_kind { FIELD_TEXT, FIELD_INT64, FIELD_INT };
struct field {
	const char *key;
	enum field_kind kind;
	size_t at;
};
#define FIELD(type, kind, key, member) \
	{ \
		key, FIELD_##kind, offsetof(struct type, member) \
	}

static const struct field transfer_fields[] = {
	FIELD(report_transfer, INT, "region", region),
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
	{NULL, FIELD_TEXT, 0},
};
static const struct field role_fields[] = {
	FIELD(report_role, TEXT, "name", name),
	FIELD(report_role, INT, "ranks", ranks),
	FIELD(report_role, INT, "kernels", kernels),
	{NULL, FIELD_TEXT, 0},
};
static const struct field memory_fields[] = {
	FIELD(report_memory, INT64, "parameters", parameters),
	FIELD(report_memory, INT64, "state", state),
	FIELD(report_memory, INT64, "values", values),
	FIELD(report_memory, INT64, "arena", arena),
	FIELD(report_memory, INT64, "data", data),
	FIELD(report_memory, INT64, "staging", staging),
	FIELD(report_memory, INT64, "windows", windows),
	{NULL, FIELD_TEXT, 0},
};
static const struct field work_fields[] = {
	FIELD(report_work, INT, "region", region),
	FIELD(report_work, INT64, "flops", flops),
	FIELD(report_work, INT64, "product_flops", product_flops),
	FIELD(report_work, INT, "products", products),
	FIELD(report_work, INT, "kernels", kernels),
	FIELD(report_work, INT, "transfers", transfers),
	FIELD(report_work, INT64, "bytes_sent", sent),
	FIELD(report_work, INT64, "bytes_received", received),
	{NULL, FIELD_TEXT, 0},
};
static const struct field stage_fields[] = {
	FIELD(report_stage, INT, "region", region),
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
	{NULL, FIELD_TEXT, 0},
};
static const struct field loop_fields[] = {
	FIELD(report_loop, INT, "region", region),
	FIELD(report_loop, TEXT, "file", file),
	FIELD(report_loop, INT, "line", line),
	FIELD(report_loop, INT, "column", column),
	FIELD(report_loop, INT64, "turns", turns),
	FIELD(report_loop, INT, "branch", branch),
	FIELD(report_loop, INT, "steps", steps),
	FIELD(report_loop, INT64, "tape", tape),
	{NULL, FIELD_TEXT, 0},
};
static const struct field unrolled_fields[] = {
	FIELD(report_unrolled, TEXT, "file", file),    FIELD(report_unrolled, INT, "line", line),
	FIELD(report_unrolled, INT, "column", column), FIELD(report_unrolled, INT64, "turns", turns),
	FIELD(report_unrolled, TEXT, "why", why),      FIELD(report_unrolled, TEXT, "at_file", at_file),
	FIELD(report_unrolled, INT, "at_line", at),    {NULL, FIELD_TEXT, 0},
};
static const struct field total_fields[] = {
	FIELD(report_total, INT64, "transfers", transfers),
	FIELD(report_total, INT64, "bytes_per_rank", sent_max),
	FIELD(report_total, INT64, "received_per_rank", received_max),
	FIELD(report_total, INT64, "bytes", bytes),
	{NULL, FIELD_TEXT, 0},
};

#define TIMES(type) \
	FIELD(type, INT64, "compute", mean.compute), FIELD(type, INT64, "talk", mean.talk), \
		FIELD(type, INT64, "wait", mean.wait)

static const struct field region_times_fields[] = {
	FIELD(report_region_times, INT, "region", region),
	FIELD(report_region_times, INT64, "ns", ns),
	TIMES(report_region_times),
	{NULL, FIELD_TEXT, 0},
};
static const struct field role_times_fields[] = {
	FIELD(report_role_times, INT, "region", region),
	FIELD(report_role_times, TEXT, "role", role),
	FIELD(report_role_times, INT64, "ranks", ranks),
	FIELD(report_role_times, INT64, "last", last),
	TIMES(report_role_times),
	{NULL, FIELD_TEXT, 0},
};
static const struct field line_times_fields[] = {
	FIELD(report_line_times, INT, "region", region),
	FIELD(report_line_times, TEXT, "file", file),
	FIELD(report_line_times, INT, "line", line),
	FIELD(report_line_times, TEXT, "what", what),
	TIMES(report_line_times),
	FIELD(report_line_times, INT64, "path", path),
	FIELD(report_line_times, INT64, "way", way),
	{NULL, FIELD_TEXT, 0},
};
static const struct field step_times_fields[] = {
	FIELD(report_step_times, INT, "region", region),
	FIELD(report_step_times, TEXT, "role", role),
	FIELD(report_step_times, INT, "step", step),
	FIELD(report_step_times, TEXT, "what", what),
	FIELD(report_step_times, TEXT, "file", file),
	FIELD(report_step_times, INT, "line", line),
	TIMES(report_step_times),
	{NULL, FIELD_TEXT, 0},
};

/* ---- writing ---- */

static void write_text(struct text *t, const char *key, const char *value)
{
	text_printf(t, "\"%s\": ", key);
	text_json(t, value ? value : "");
}

/* The members of a record, without braces. */
static void write_fields(struct text *t, const struct field *f, const void *record)
{
	for (int i = 0; f[i].key; i++) {
		const char *at = (const char *)record + f[i].at;
		text_add(t, i ? ", " : "");
		if (f[i].kind == FIELD_TEXT)
			write_text(t, f[i].key, *(const char *const *)(const void *)at);
		else
			text_printf(t, "\"%s\": %lld", f[i].key,
				    f[i].kind == FIELD_INT ? (long long)*(const int *)(const void *)at
							   : (long long)*(const int64_t *)(const void *)at);
	}
}

typedef void item_writer(struct text *t, const struct report *r, int i);

/* A list of objects, of which `write` writes the members of one. */
static void write_list(struct text *t, const struct report *r, const char *key, int n, item_writer *write)
{
	text_printf(t, ",\n  \"%s\": [", key);
	for (int i = 0; i < n; i++) {
		text_add(t, i ? ",\n    {" : "\n    {");
		write(t, r, i);
		text_add(t, "}");
	}
	text_add(t, "\n  ]");
}

static void write_object(struct text *t, const char *key, const struct field *f, const void *record)
{
	text_printf(t, ", \"%s\": {", key);
	write_fields(t, f, record);
	text_add(t, "}");
}

static void write_region(struct text *t, const struct report *r, int i)
{
	const struct report_region *g = &r->regions.at[i];
	write_text(t, "name", g->name);
	text_printf(
		t,
		", \"when\": \"%s\", \"times\": %lld, \"every\": %lld, \"sides\": %lld, \"flops\": %lld, \"exact\": %s",
		report_when_text(g->runs.when), (long long)g->runs.times, (long long)g->runs.every,
		(long long)g->runs.sides, (long long)g->flops, g->is_exact ? "true" : "false");
}

static void write_transfer(struct text *t, const struct report *r, int i)
{
	text_printf(t, "\"id\": %d, \"phase\": \"%s\", ", i, report_phase_text(r->transfers.at[i].phase));
	write_fields(t, transfer_fields, &r->transfers.at[i]);
}

static void write_loop(struct text *t, const struct report *r, int i)
{
	write_fields(t, loop_fields, &r->loops.at[i]);
}

static void write_unrolled(struct text *t, const struct report *r, int i)
{
	write_fields(t, unrolled_fields, &r->unrolled.at[i]);
}

static void write_stage(struct text *t, const struct report *r, int i)
{
	write_fields(t, stage_fields, &r->stages.at[i]);
}

static void write_role(struct text *t, const struct report *r, int i)
{
	const struct report_role *role = &r->roles.at[i];
	write_fields(t, role_fields, role);
	write_object(t, "memory", memory_fields, &role->memory);
	text_add(t, ", \"regions\": [");
	for (int k = 0; k < role->work.n; k++) {
		text_add(t, k ? ", {" : "{");
		write_fields(t, work_fields, &role->work.at[k]);
		text_add(t, "}");
	}
	text_add(t, "]");
}

static void write_totals(struct text *t, const struct report *r)
{
	text_add(t, ",\n  \"totals\": {");
	for (int w = 0; w < REPORT_WHENS; w++) {
		enum report_when when = (enum report_when)w;
		struct report_total all = report_total(r, when, REPORT_PHASES, NULL);
		text_printf(t, "%s\n    \"%s\": {\"flops\": %lld", w ? "," : "", report_when_text(when),
			    (long long)report_flops(r, when));
		write_object(t, "all", total_fields, &all);
		for (int p = 0; p < REPORT_PHASES; p++) {
			struct report_total one = report_total(r, when, (enum report_phase)p, NULL);
			if (one.transfers)
				write_object(t, report_phase_text((enum report_phase)p), total_fields, &one);
		}
		for (int k = 0; report_kind(k); k++) {
			struct report_total one = report_total(r, when, REPORT_PHASES, report_kind(k));
			if (one.transfers)
				write_object(t, report_kind(k), total_fields, &one);
		}
		text_add(t, "}");
	}
	text_add(t, "\n  }");
}

static void write_region_times(struct text *t, const struct report *r, int i)
{
	write_fields(t, region_times_fields, &r->region_times.at[i]);
}

static void write_role_times(struct text *t, const struct report *r, int i)
{
	write_fields(t, role_times_fields, &r->role_times.at[i]);
}

static void write_line_times(struct text *t, const struct report *r, int i)
{
	write_fields(t, line_times_fields, &r->line_times.at[i]);
}

static void write_step_times(struct text *t, const struct report *r, int i)
{
	write_fields(t, step_times_fields, &r->step_times.at[i]);
}

/* In nanoseconds. */
static void write_times(struct text *t, const struct report *r)
{
	text_add(t, ",\n  ");
	write_text(t, "machine", r->machine);
	text_add(t, ",\n  \"ns\": {");
	for (int w = 0; w < REPORT_WHENS; w++)
		text_printf(t, "%s\"%s\": %lld", w ? ", " : "", report_when_text((enum report_when)w),
			    (long long)report_ns(r, (enum report_when)w));
	text_add(t, "}");
	write_list(t, r, "region_times", r->region_times.n, write_region_times);
	write_list(t, r, "role_times", r->role_times.n, write_role_times);
	write_list(t, r, "line_times", r->line_times.n, write_line_times);
	write_list(t, r, "step_times", r->step_times.n, write_step_times);
}

void report_print_json(struct text *t, const struct report *r)
{
	text_add(t, "{\n  ");
	write_text(t, "program", r->program);
	text_add(t, ",\n  ");
	write_text(t, "source", r->source);
	text_printf(t, ",\n  \"ranks\": %lld,\n  ", (long long)r->ranks);
	write_text(t, "fingerprint", r->fingerprint);
	write_list(t, r, "regions", r->regions.n, write_region);
	write_list(t, r, "transfers", r->transfers.n, write_transfer);
	write_totals(t, r);
	write_list(t, r, "loops", r->loops.n, write_loop);
	write_list(t, r, "unrolled", r->unrolled.n, write_unrolled);
	write_list(t, r, "stages", r->stages.n, write_stage);
	write_list(t, r, "roles", r->roles.n, write_role);
	if (report_has_times(r))
		write_times(t, r);
	text_add(t, "\n}\n");
}

/* ---- reading ---- */

static void read_fields(const struct field *f, const struct json *j, void *record)
{
	for (int i = 0; f[i].key; i++) {
		char *at = (char *)record + f[i].at;
		if (f[i].kind == FIELD_TEXT)
			*(const char **)(void *)at = json_get_text(j, f[i].key);
		else if (f[i].kind == FIELD_INT)
			*(int *)(void *)at = (int)json_get_int(j, f[i].key);
		else
			*(int64_t *)(void *)at = json_get_int(j, f[i].key);
	}
}

/* The number of a word in a table, or -1. */
static int word_number(const char *word, const char *(*text)(int), int n)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(word, text(i)))
			return i;
	return -1;
}

static const char *when_number(int i)
{
	return report_when_text((enum report_when)i);
}

static const char *phase_number(int i)
{
	return report_phase_text((enum report_phase)i);
}

static bool read_region(struct report *r, const struct json *j)
{
	int when = word_number(json_get_text(j, "when"), when_number, REPORT_WHENS);
	const struct json *exact = json_get(j, "exact");
	struct report_region g = {.name = json_get_text(j, "name"),
				  .flops = json_get_int(j, "flops"),
				  .is_exact = exact && exact->kind == JSON_IS_BOOL && exact->truth};
	if (when < 0)
		return false;
	g.runs = (struct report_runs){(enum report_when)when, json_get_int(j, "times"), json_get_int(j, "every"),
				      json_get_int(j, "sides")};
	g.runs.every += !g.runs.every;
	g.runs.sides += !g.runs.sides;
	vec_push(r->arena, &r->regions, g);
	return true;
}

static bool read_transfer(struct report *r, const struct json *j)
{
	struct report_transfer x = {0};
	int phase = word_number(json_get_text(j, "phase"), phase_number, REPORT_PHASES);
	read_fields(transfer_fields, j, &x);
	if (phase < 0 || x.region < 0 || x.region >= r->regions.n)
		return false;
	x.phase = (enum report_phase)phase;
	vec_push(r->arena, &r->transfers, x);
	return true;
}

static bool read_totals(struct report *r, const struct json *j)
{
	r->totals = report_totals_new(r->arena);
	for (int w = 0; j && w < REPORT_WHENS; w++) {
		enum report_when when = (enum report_when)w;
		const struct json *of = json_get(j, report_when_text(when));
		read_fields(total_fields, json_get(of, "all"), report_total_at(r->totals, when, REPORT_PHASES, NULL));
		for (int p = 0; p < REPORT_PHASES; p++)
			read_fields(total_fields, json_get(of, report_phase_text((enum report_phase)p)),
				    report_total_at(r->totals, when, (enum report_phase)p, NULL));
		for (int k = 0; report_kind(k); k++)
			read_fields(total_fields, json_get(of, report_kind(k)),
				    report_total_at(r->totals, when, REPORT_PHASES, report_kind(k)));
	}
	return j != NULL;
}

static bool read_loop(struct report *r, const struct json *j)
{
	struct report_loop x = {0};
	read_fields(loop_fields, j, &x);
	vec_push(r->arena, &r->loops, x);
	return x.region >= 0 && x.region < r->regions.n;
}

static bool read_unrolled(struct report *r, const struct json *j)
{
	struct report_unrolled x = {0};
	read_fields(unrolled_fields, j, &x);
	vec_push(r->arena, &r->unrolled, x);
	return true;
}

static bool read_stage(struct report *r, const struct json *j)
{
	struct report_stage x = {0};
	read_fields(stage_fields, j, &x);
	vec_push(r->arena, &r->stages, x);
	return x.region >= 0 && x.region < r->regions.n;
}

static bool read_role(struct report *r, const struct json *j)
{
	struct report_role role = {0};
	const struct json *work = json_get(j, "regions"), *memory = json_get(j, "memory");
	read_fields(role_fields, j, &role);
	read_fields(memory_fields, memory, &role.memory);
	for (int i = 0; work && i < work->items.n; i++) {
		struct report_work w = {0};
		read_fields(work_fields, work->items.at[i], &w);
		if (w.region < 0 || w.region >= r->regions.n)
			return false;
		vec_push(r->arena, &role.work, w);
	}
	vec_push(r->arena, &r->roles, role);
	return memory != NULL;
}

static bool read_region_times(struct report *r, const struct json *j)
{
	struct report_region_times x = {0};
	read_fields(region_times_fields, j, &x);
	vec_push(r->arena, &r->region_times, x);
	return x.region >= 0 && x.region < r->regions.n;
}

static bool read_line_times(struct report *r, const struct json *j)
{
	struct report_line_times x = {0};
	read_fields(line_times_fields, j, &x);
	vec_push(r->arena, &r->line_times, x);
	return x.region >= 0 && x.region < r->regions.n;
}

static bool read_list(struct report *r, const struct json *list, bool (*one)(struct report *, const struct json *))
{
	if (!list || list->kind != JSON_IS_LIST)
		return false;
	for (int i = 0; i < list->items.n; i++)
		if (!one(r, list->items.at[i]))
			return false;
	return true;
}

/* What a comparison needs: those of regions and lines. */
static bool read_times(struct report *r, const struct json *j)
{
	r->machine = json_get_text(j, "machine");
	return !json_get(j, "machine") || (read_list(r, json_get(j, "region_times"), read_region_times) &&
					   read_list(r, json_get(j, "line_times"), read_line_times));
}

struct report *report_read(struct arena *a, const char *text, size_t n, const char **error)
{
	struct json *j = json_read(a, text, n, error);
	if (!j)
		return NULL;
	struct report *r = ARENA_NEW(a, struct report);
	*r = (struct report){.arena = a,
			     .program = json_get_text(j, "program"),
			     .source = json_get_text(j, "source"),
			     .fingerprint = json_get_text(j, "fingerprint"),
			     .ranks = json_get_int(j, "ranks")};
	if (read_list(r, json_get(j, "regions"), read_region) &&
	    read_list(r, json_get(j, "transfers"), read_transfer) && read_totals(r, json_get(j, "totals")) &&
	    read_list(r, json_get(j, "loops"), read_loop) &&
	    (!json_get(j, "unrolled") || read_list(r, json_get(j, "unrolled"), read_unrolled)) &&
	    read_list(r, json_get(j, "stages"), read_stage) && read_list(r, json_get(j, "roles"), read_role) &&
	    read_times(r, j))
		return r;
	*error = "not a plan as `pmlc plan --json` prints it";
	return NULL;
}
