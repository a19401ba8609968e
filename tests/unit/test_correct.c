/* test_correct.c — a machine corrected by a run: what was measured on a machine that is slower in some things is found
 * in these and in nothing else; files that no run wrote are refused, and damaged ones never taken for what they are
 * not. */
#include "suite.h"

#include "compiler/seconds/correct.h"
#include "compiler/seconds/price.h"
#include "compiler/seconds/route.h"
#include "compiler/seconds/transfer.h"
#include "compiler/seconds/work_json.h"

#include <stdlib.h>
#include <string.h>

static const char machine_text[] =
	"{\"name\": \"two\",\n"
	" \"processors\": [{\"name\": \"one\", \"vector_bytes\": 32,\n"
	"  \"start_us\": {\"region\": 0.5, \"kernel\": 0.2, \"vector_loop\": 0.01},\n"
	"  \"memory\": [[10000, 100], [100000, 50], [1000000, 20], [10000000, 10]],\n"
	"  \"operations\": {\"arithmetic\": 8, \"division\": 1, \"function\": 1, \"random\": 0.5, \"gather\": 1,\n"
	"   \"scalar\": 2, \"prefix\": 2, \"pack\": 1, \"sort\": 0.5},\n"
	"  \"products\": {\"f32\": {\"m\": [1, 1000], \"n\": [1, 1000], \"k\": [1, 1000],\n"
	"   \"gigaflops\": [1, 2, 3, 4, 5, 6, 7, 50]}}}],\n"
	" \"hosts\": [{\"count\": 1, \"ranks\": 2, \"processor\": \"one\",\n"
	"  \"link\": {\"latency_us\": 2, \"start_us\": 0.1, \"gigabytes_per_second\": 2, \"overlap\": 0}}],\n"
	" \"networks\": []}\n";

static struct machine *read_machine(struct arena *a)
{
	const char *error = NULL;
	struct machine *m = machine_read(a, machine_text, strlen(machine_text), &error);
	ck_assert_msg(m != NULL, "%s", error);
	return m;
}

/* Again and again: its bytes are as far away as they are many. */
static struct step_work kernel_of(struct arena *a, double bytes, enum machine_operation o, double operations)
{
	struct step_work w = {.kind = WORK_KERNEL, .kernel = {.loops = 2, .bytes = bytes}};
	w.kernel.vector[o] = operations;
	reuse_add(a, &w.reuses, bytes, bytes);
	return w;
}

/* Kinds of work bound by different things, the last two by what the run does not have. */
enum { KINDS = 8, SEEN = 6 };
static void find_works(struct arena *a, struct step_work *w)
{
	w[0] = kernel_of(a, 5e6, OPERATION_ARITHMETIC, 100);
	w[1] = kernel_of(a, 8e6, OPERATION_ARITHMETIC, 3.2e6); /* half of what bytes take, and meanwhile */
	w[2] = kernel_of(a, 1000, OPERATION_FUNCTION, 50000);
	w[3] = (struct step_work){
		.kind = WORK_PRODUCT, .type = DT_F32, .m = 128, .n = 256, .k = 512, .turns = 3, .amount = 10};
	w[4] = kernel_of(a, 100, OPERATION_ARITHMETIC, 8);
	w[5] = (struct step_work){.kind = WORK_SORT, .amount = 4000};
	w[6] = kernel_of(a, 50000, OPERATION_ARITHMETIC, 10);
	w[7] = kernel_of(a, 1000, OPERATION_DIVISION, 50000);
}

static const char *const transfers[] = {
	"{\"kind\": \"all-reduce\", \"src\": 0, \"dst\": 1, \"bucket\": -1, \"calls\": 20, \"alone_ns\": %.0f}",
	"{\"kind\": \"all-reduce\", \"src\": 2, \"dst\": 3, \"bucket\": -1, \"calls\": 20, \"alone_ns\": %.0f}",
};
/* Parts of a megabyte and of eight bytes, and both as they are when they are added up. */
static const char places[] = "\"places\": [{\"extents\": [2], \"first\": 0}],\n\"types\": [\n"
			     " {\"type\": \"f32\", \"place\": 0, \"shape\": [250000], \"atoms\": [[2, 0]]},\n"
			     " {\"type\": \"f32\", \"place\": 0, \"shape\": [250000], \"atoms\": [[0, 0]]},\n"
			     " {\"type\": \"f32\", \"place\": 0, \"shape\": [2], \"atoms\": [[2, 0]]},\n"
			     " {\"type\": \"f32\", \"place\": 0, \"shape\": [2], \"atoms\": [[0, 0]]}],\n";

/* The file of a run on two ranks of that machine; ns of transfers as given. */
static const char *file_of(struct arena *a, const struct machine *m, const double *ns)
{
	struct step_work works[KINDS];
	struct text t;
	text_init(&t, a);
	find_works(a, works);
	text_add(&t, "{\"traceEvents\": [{\"name\": \"a ] \\\" [\", \"args\": [1, {}]}],\n\"transfers\": [");
	for (int i = 0; i < 2; i++) {
		char row[200];
		snprintf(row, sizeof row, transfers[i], ns[i]);
		text_printf(&t, "%s%s", i ? ", " : "", row);
	}
	text_add(&t,
		 "],\n\"program\": {\"format\": 2, \"name\": \"p\", \"tensors\": \"0123456789abcdef\", \"ranks\": 2, "
		 "\"vector_bytes\": 32},\n");
	text_add(&t, places);
	text_add(&t, "\"ranks\": [");
	for (int rank = 0; rank < 2; rank++) {
		text_printf(&t, "%s\n {\"rank\": %d, \"work\": [", rank ? "," : "", rank);
		for (int i = 0; i < SEEN; i++) {
			text_add(&t, i ? ",\n  {" : "\n  {");
			work_print(&t, &works[i], "a kernel");
			text_printf(&t, ", \"calls\": %d, \"ns\": %.0f}", 10 * (i + 1),
				    price_step_work(&m->processors.at[0], &works[i]));
		}
		text_add(&t, "]}");
	}
	text_add(&t, "]}\n");
	return text_get(&t);
}

static const struct measured *read_file(struct arena *a, const char *text)
{
	const char *error = NULL;
	const struct measured *by = measured_read(a, text, strlen(text), &error);
	ck_assert_msg(by != NULL, "%s", error);
	return by;
}

/* ns of both transfers on a machine. */
static void time_transfers(struct arena *a, const struct machine *m, double *ns)
{
	const double none[2] = {0, 0};
	const struct measured *by = read_file(a, file_of(a, m, none));
	struct routes *routes = routes_new(a, by->program, m);
	for (int i = 0; i < 2; i++)
		ns[i] = transfer_alone(m, routes, i, 2);
}

static struct machine *slower(struct arena *a)
{
	struct machine *m = read_machine(a);
	struct machine_processor *p = &m->processors.at[0];
	struct machine_link *l = &m->hosts.at[0].link;
	p->memory.points.at[2].rate /= 3;
	p->memory.points.at[3].rate /= 3;
	p->operation[OPERATION_FUNCTION] /= 2;
	for (int i = 0; i < p->products[DT_F32].rate.n; i++)
		p->products[DT_F32].rate.at[i] /= 1.5;
	l->latency *= 2;
	l->start *= 2;
	l->rate.points.at[0].rate /= 4;
	return m;
}

static void check_near(double is, double wanted, const char *what)
{
	ck_assert_msg(is > 0.97 * wanted && is < 1.03 * wanted, "%s: %g instead of %g", what, is, wanted);
}

START_TEST(what_is_slower_is_found)
{
	struct arena *a = arena_new("test");
	const struct machine *file = read_machine(a), *real = slower(a);
	struct step_work works[KINDS];
	double ns[2], got[2];
	const char *error = NULL;
	time_transfers(a, real, ns);
	const struct corrected *x = machine_correct(a, file, read_file(a, file_of(a, real, ns)), &error);
	ck_assert_msg(x != NULL, "%s", error);
	find_works(a, works);
	for (int i = 0; i < KINDS; i++)
		check_near(price_step_work(&x->machine->processors.at[0], &works[i]),
			   price_step_work(&real->processors.at[0], &works[i]), arena_printf(a, "work %d", i));
	time_transfers(a, x->machine, got);
	for (int i = 0; i < 2; i++)
		check_near(got[i], ns[i], arena_printf(a, "transfer %d", i));
	check_near(x->machine->hosts.at[0].link.latency, 4000, "latency");
	check_near(x->machine->hosts.at[0].link.rate.points.at[0].rate, 0.5, "bandwidth");
	/* Memory, function, products, starts, sorts; messages of either kind. */
	ck_assert_int_eq(x->rows.n, 7);
	for (int i = 0; i < x->rows.n; i++)
		check_near(x->rows.at[i].corrected, x->rows.at[i].measured, x->rows.at[i].what);
	arena_free(a);
}
END_TEST

/* What a run says of a cache, and nothing of what lies beyond it, may be more than the file has for larger sizes. */
START_TEST(more_bytes_take_no_less_time)
{
	struct arena *a = arena_new("test");
	struct machine *file = read_machine(a), *real = read_machine(a);
	struct curve *said = &file->processors.at[0].memory, *slow = &real->processors.at[0].memory;
	double ns[2];
	const char *error = NULL;
	said->points.at[3].rate = slow->points.at[3].rate = 150;
	slow->points.at[2].rate /= 4;
	time_transfers(a, real, ns);
	const struct corrected *x = machine_correct(a, file, read_file(a, file_of(a, real, ns)), &error);
	ck_assert_msg(x != NULL, "%s", error);
	const struct curve *c = &x->machine->processors.at[0].memory;
	for (int i = 1; i < c->points.n; i++) {
		double before = c->points.at[i - 1].size / c->points.at[i - 1].rate;
		double time = c->points.at[i].size / c->points.at[i].rate;
		ck_assert_msg(time >= before * (1 - 1e-12), "point %d takes %g ns, the one before it %g", i, time,
			      before);
	}
	arena_free(a);
}
END_TEST

/* The few bytes go through it, the many as messages. */
START_TEST(shared_memory_is_corrected_by_what_goes_through_it)
{
	struct arena *a = arena_new("test");
	struct machine *both[] = {read_machine(a), slower(a)};
	for (int i = 0; i < 2; i++) {
		struct machine_link *l = &both[i]->hosts.at[0].link, *shared = ARENA_NEW(a, struct machine_link);
		*shared = (struct machine_link){.latency = i ? 900 : 300, .start = i ? 30 : 10};
		vec_push(a, &shared->rate.points, ((struct curve_point){1, 5}));
		l->shared_memory = shared;
	}
	double ns[2];
	const char *error = NULL;
	time_transfers(a, both[1], ns);
	const struct corrected *x = machine_correct(a, both[0], read_file(a, file_of(a, both[1], ns)), &error);
	ck_assert_msg(x != NULL, "%s", error);
	const struct machine_link *l = &x->machine->hosts.at[0].link;
	check_near(l->shared_memory->latency, 900, "latency of shared memory");
	check_near(l->shared_memory->rate.points.at[0].rate, 5, "bandwidth of shared memory");
	ck_assert_double_eq(l->latency, 2000);
	ck_assert_msg(l->rate.points.at[0].rate < 0.6, "bandwidth of messages: %g", l->rate.points.at[0].rate);
	ck_assert_double_eq(both[0]->hosts.at[0].link.shared_memory->latency, 300);
	arena_free(a);
}
END_TEST

START_TEST(as_the_file_says_nothing_changes)
{
	struct arena *a = arena_new("test");
	const struct machine *m = read_machine(a);
	double ns[2];
	const char *error = NULL;
	time_transfers(a, m, ns);
	const struct corrected *x = machine_correct(a, m, read_file(a, file_of(a, m, ns)), &error);
	ck_assert_msg(x != NULL, "%s", error);
	check_near(x->machine->processors.at[0].start[START_KERNEL], 200, "start");
	for (int o = 0; o < OPERATIONS; o++)
		check_near(x->machine->processors.at[0].operation[o], m->processors.at[0].operation[o], "operation");
	for (int i = 0; i < 4; i++)
		check_near(x->machine->processors.at[0].memory.points.at[i].rate,
			   m->processors.at[0].memory.points.at[i].rate, "memory");
	arena_free(a);
}
END_TEST

/* `old`, which is there, becomes `new`. */
static const char *edited(struct arena *a, const char *text, const char *old, const char *new)
{
	const char *at = strstr(text, old);
	ck_assert_msg(at != NULL, "no `%s`", old);
	return arena_printf(a, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
}

START_TEST(other_files_are_refused)
{
	static const struct {
		const char *old, *new, *message;
	} cases[] = {
		{"{\"traceEvents\"", "[\"traceEvents\"", "line 1: "},
		{"\"program\"", "\"porgram\"", "it is not what `--profile=FILE` of a program writes"},
		{"\"format\": 2", "\"format\": 1", "it is of another version of pmlc"},
		{"\"tensors\": \"0123", "\"tensors\": \"x123", "`tensors` is no hash"},
		{"\"ranks\": 2", "\"ranks\": 0", "`ranks` is no number from 1 to 1000000"},
		{"\"extents\": [2]", "\"extents\": [3]",
		 "places[0]: `extents` is no list of at most 6 numbers from 1 to 2"},
		{"\"first\": 0", "\"first\": 1", "places[0]: more ranks than the program has"},
		{"\"first\": 0", "\"first\": 0, \"ranks\": [1, 1]", "places[0]: rank 1 is there twice"},
		{"\"type\": \"f32\"", "\"type\": \"f31\"", "types[0]: `f31` is no element type"},
		{"[250000]", "[-1]", "types[0]: `shape` is no list"},
		{"[[2, 0]]", "[[7, 0]]", "types[0]: a share of an axis is not known"},
		{"[[2, 0]]", "[[1, 1]]", "types[0]: a share of an axis is not known"},
		{"[[2, 0]]", "[[2, 0], [0, 0]]", "types[0]: `atoms` is not as long as the placement has axes"},
		{"[[2, 0]]", "[[1, 0]]", "transfers[0]: its tensor does not go so"},
		{"\"dst\": 1", "\"dst\": 9", "transfers[0]: `dst` is no number from 0 to 3"},
		{"\"dst\": 1", "\"dst\": 3", "transfers[0]: it turns a tensor into another one"},
		{"\"all-reduce\"", "\"all-reduction\"", "transfers[0]: `all-reduction` is no kind of transfer"},
		{"\"bucket\": -1", "\"bucket\": 7", "transfers[0]: it cannot travel with number 7"},
		{"\"rank\": 0", "\"rank\": 2", "ranks[0]: `rank` is no number from 0 to 1"},
		{"\"kernel\"", "\"colonel\"", "ranks[0]: work[0]: it says of no work what it is"},
		{"\"bytes\": 5", "\"bytes\": -5", "ranks[0]: work[0]: `bytes` is no number from 0 on"},
		{"\"reuse\": [[", "\"reuse\": [[1], [",
		 "ranks[0]: work[0]: `reuse` is no list of pairs of positive numbers"},
		{"\"reuse\": [[", "\"reuse\": [[0, 4], [",
		 "ranks[0]: work[0]: `reuse` is no list of pairs of positive numbers"},
		{"\"reuse\"", "\"use\"", "ranks[0]: work[0]: `reuse` is no list of pairs of positive numbers"},
		{"\"calls\": 10, \"ns\"", "\"calls\": 10, \"us\"", "ranks[0]: work[0]: `ns` is no number"},
	};
	struct arena *a = arena_new("test");
	const struct machine *m = read_machine(a);
	const double ns[2] = {1000, 1000};
	const char *text = file_of(a, m, ns);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *error = NULL, *damaged = edited(a, text, cases[i].old, cases[i].new);
		ck_assert_msg(!measured_read(a, damaged, strlen(damaged), &error), "%s is taken", cases[i].new);
		if (!strstr(error, cases[i].message))
			ck_abort_msg("%s: \"%s\" instead of \"%s\"", cases[i].new, error, cases[i].message);
	}
	arena_free(a);
}
END_TEST

/* Layouts do not say of a sum whether it is of rows that the indices know the owner of. */
START_TEST(rows_go_where_sums_do)
{
	struct arena *a = arena_new("test");
	const struct machine *m = read_machine(a);
	const double ns[2] = {1000, 1000};
	const char *error = NULL, *text = edited(a, file_of(a, m, ns), "\"all-reduce\"", "\"row-gather\"");
	ck_assert_msg(measured_read(a, text, strlen(text), &error) != NULL, "%s", error);
	text = edited(a, text, "[[2, 0]]", "[[0, 0]]");
	ck_assert(!measured_read(a, text, strlen(text), &error));
	ck_assert(strstr(error, "transfers[0]: its tensor does not go so"));
	arena_free(a);
}
END_TEST

static const char *refusal_of(struct arena *a, const char *machine, const char *text)
{
	const char *error = NULL;
	const struct machine *m = machine_read(a, machine, strlen(machine), &error);
	ck_assert_msg(m != NULL, "%s", error);
	ck_assert(!machine_correct(a, m, read_file(a, text), &error));
	return error;
}

START_TEST(runs_on_other_machines_are_refused)
{
	struct arena *a = arena_new("test");
	const double ns[2] = {1000, 1e9};
	const char *text = file_of(a, read_machine(a), ns);
	ck_assert_str_eq(refusal_of(a, edited(a, machine_text, "\"ranks\": 2", "\"ranks\": 1"), text),
			 "the run had 2 ranks, and the machine has 1");
	ck_assert(strstr(refusal_of(a, edited(a, machine_text, "\"vector_bytes\": 32", "\"vector_bytes\": 64"), text),
			 "the run had vectors of 32 bytes, and processor `one` has 64"));
	const char *slow = refusal_of(a, machine_text, text);
	ck_assert_msg(strstr(slow, "messages: latency (within hosts) took ") != NULL, "%s", slow);
	arena_free(a);
}
END_TEST

/* Whatever is cut off or written over: it is taken or refused, and no machine comes of it whose time goes wrong. */
START_TEST(damaged_files_do_no_harm)
{
	struct arena *a = arena_new("test");
	const struct machine *m = read_machine(a);
	double ns[2];
	time_transfers(a, m, ns);
	const char *text = file_of(a, m, ns);
	size_t n = strlen(text);
	char *damaged = malloc(n + 1);
	srand(7);
	for (int i = 0; i < 4000; i++) {
		struct arena *one = arena_new("damaged");
		const char *error = NULL;
		memcpy(damaged, text, n + 1);
		size_t length = i % 4 ? n : (size_t)rand() % n;
		for (int k = 0; k < 1 + i % 3; k++)
			damaged[(size_t)rand() % n] = "0919-[]{},\".e"[rand() % 13];
		const struct measured *by = measured_read(one, damaged, length, &error);
		const struct corrected *x = by ? machine_correct(one, m, by, &error) : NULL;
		ck_assert(x || error);
		for (double bytes = 1; x && bytes < 1e9; bytes *= 10)
			if (!(price_copy(&x->machine->processors.at[0], 10 * bytes) >=
			      price_copy(&x->machine->processors.at[0], bytes)))
				ck_abort_msg("more bytes take less time");
		arena_free(one);
	}
	free(damaged);
	arena_free(a);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "correct");
	tcase_add_test(t, what_is_slower_is_found);
	tcase_add_test(t, more_bytes_take_no_less_time);
	tcase_add_test(t, shared_memory_is_corrected_by_what_goes_through_it);
	tcase_add_test(t, as_the_file_says_nothing_changes);
	tcase_add_test(t, other_files_are_refused);
	tcase_add_test(t, rows_go_where_sums_do);
	tcase_add_test(t, runs_on_other_machines_are_refused);
	tcase_add_test(t, damaged_files_do_no_harm);
	return suite_end(s);
}
