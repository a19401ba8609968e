/* test_report.c — a report is what its JSON says: written, read and written again it is the same text; what is none is
 * refused. */
#include "suite.h"

#include "compiler/report/report.h"

#include <string.h>

static struct report *report_made(struct arena *a, bool has_times)
{
	struct report *r = ARENA_NEW(a, struct report);
	*r = (struct report){.arena = a, .program = "net", .source = "a \"net\".pml", .fingerprint = "1f", .ranks = 8};
	r->totals = report_totals_new(a);
	for (int i = 0; i < 2; i++) {
		struct report_region g = {
			.name = i ? "main:7" : "main:3",
			.runs = {.when = (enum report_when)i, .times = 3 * i, .every = 1 + 49 * i, .sides = 1 + i},
			.flops = (int64_t)1 << 60,
			.is_exact = i};
		struct report_transfer x = {.region = i,
					    .phase = (enum report_phase)i,
					    .kind = report_kind(i),
					    .tensor = "w",
					    .type = "f32[2]",
					    .from = "B",
					    .to = "S(0)",
					    .axes = "dp",
					    .file = "net.pml",
					    .line = 7 + i,
					    .column = 5,
					    .around = "",
					    .bucket = i - 1,
					    .turns = 2,
					    .sent_max = 10 + i,
					    .received_max = 20,
					    .bytes = 30,
					    .spread = i};
		struct report_loop l = {.region = i,
					.file = "net.pml",
					.line = 2,
					.column = 1,
					.turns = 9,
					.branch = i,
					.steps = 4,
					.tape = 8};
		struct report_unrolled u = {.file = "net.pml",
					    .line = 4,
					    .column = 3,
					    .turns = 5,
					    .why = "a size",
					    .at_file = "net.pml",
					    .at = 6};
		struct report_stage s = {.region = i,
					 .block = 1,
					 .schedule = "1f1b",
					 .name = "first",
					 .micro_batches = 4,
					 .ranks = 2,
					 .level = i,
					 .forward = 5,
					 .backward = 6,
					 .weights = 7,
					 .held = 2,
					 .idle = 90,
					 .between = 80,
					 .picture = "01.."};
		struct report_role role = {
			.name = i ? "left" : "", .ranks = 4, .kernels = 3, .memory = {1, 2, 3, 4, 5, 6, 7 + i}};
		struct report_work w = {.region = i,
					.flops = 1,
					.product_flops = 2,
					.sent = 3,
					.received = 4,
					.products = 5,
					.kernels = 6,
					.transfers = 7};
		vec_push(a, &r->regions, g);
		vec_push(a, &r->transfers, x);
		vec_push(a, &r->loops, l);
		vec_push(a, &r->unrolled, u);
		vec_push(a, &r->stages, s);
		vec_push(a, &role.work, w);
		vec_push(a, &role.work, w);
		vec_push(a, &r->roles, role);
		if (!has_times)
			continue;
		struct report_region_times rt = {.region = i, .ns = 100, .mean = {1, 2, 3}};
		struct report_role_times ro = {.region = i, .role = "left", .ranks = 4, .last = 99, .mean = {4, 5, 6}};
		struct report_line_times li = {.region = i,
					       .file = "net.pml",
					       .what = "relu",
					       .line = 8,
					       .mean = {7, 8, 9},
					       .path = 1,
					       .way = 2};
		struct report_step_times st = {.region = i,
					       .role = "left",
					       .what = "matmul",
					       .file = "net.pml",
					       .step = 3,
					       .line = 8,
					       .mean = {1, 1, 1}};
		r->machine = "a.json";
		vec_push(a, &r->region_times, rt);
		vec_push(a, &r->role_times, ro);
		vec_push(a, &r->line_times, li);
		vec_push(a, &r->step_times, st);
	}
	for (int w = 0; w < REPORT_WHENS; w++)
		*report_total_at(r->totals, (enum report_when)w, REPORT_PHASES, NULL) =
			(struct report_total){1 + w, 2, 3, 4};
	return r;
}

static const char *text_of(struct arena *a, const struct report *r)
{
	struct text t;
	text_init(&t, a);
	report_print_json(&t, r);
	return text_get(&t);
}

START_TEST(reports_are_read_as_they_are_written)
{
	struct arena *a = arena_new("report");
	const char *error = NULL, *text = text_of(a, report_made(a, _i));
	const struct report *r = report_read(a, text, strlen(text), &error);
	ck_assert_msg(r != NULL, "%s", error);
	ck_assert_str_eq(text_of(a, r), text);
	ck_assert_int_eq(r->roles.at[1].work.n, 2);
	ck_assert_int_eq(r->step_times.n, _i ? 2 : 0);
	arena_free(a);
}
END_TEST

static const char *const changes[][2] = {
	{"\"region\": 1", "\"region\": 2"},
	{"\"region\": 1", "\"region\": -1"},
	{"\"roles\": [", "\"role\": ["},
	{"\"memory\": {", "\"memories\": {"},
	{"\"when\": \"", "\"when\": \"never "},
	{"\"transfers\": [", "\"transfers\": 1, \"x\": ["},
	{"\"totals\"", "\"total\""},
	{"\"line_times\": [", "\"lines\": ["},
};

START_TEST(what_is_no_plan_is_refused)
{
	struct arena *a = arena_new("report");
	const char *error = NULL, *text = text_of(a, report_made(a, true)), *at = strstr(text, changes[_i][0]);
	ck_assert_msg(at != NULL, "no %s", changes[_i][0]);
	const char *wrong =
		arena_printf(a, "%.*s%s%s", (int)(at - text), text, changes[_i][1], at + strlen(changes[_i][0]));
	ck_assert_ptr_null(report_read(a, wrong, strlen(wrong), &error));
	ck_assert_ptr_nonnull(error);
	arena_free(a);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "report");
	tcase_add_loop_test(t, reports_are_read_as_they_are_written, 0, 2);
	tcase_add_loop_test(t, what_is_no_plan_is_refused, 0, (int)(sizeof changes / sizeof *changes));
	return suite_end(s);
}
