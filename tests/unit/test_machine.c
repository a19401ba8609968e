/* test_machine.c — machine files: the examples of the docs, which survive being written and read, what the errors of
 * fields say, random changes, times that grow with the amount, where ranks stand. */
#include "suite.h"

#include "compiler/machine/machine.h"

#include <stdio.h>
#include <string.h>

#define FOLDER PML_TEST_SOURCE "/examples/machines/"

static const char *const examples[] = {"workstation", "ethernet", "cluster", "unlike"};

static char *file_text(struct arena *a, const char *name)
{
	FILE *f = fopen(arena_printf(a, FOLDER "%s.json", name), "r");
	ck_assert_msg(f != NULL, "%s: cannot be read", name);
	char *text = arena_alloc(a, 1 << 16);
	size_t n = fread(text, 1, (1 << 16) - 1, f);
	ck_assert(n > 0 && n < (1 << 16) - 1);
	fclose(f);
	return text;
}

static struct machine *read_text(struct arena *a, const char *text)
{
	const char *error;
	struct machine *m = machine_read(a, text, strlen(text), &error);
	ck_assert_msg(m != NULL, "%s", error);
	return m;
}

static const char *written(struct arena *a, const struct machine *m)
{
	struct text t;
	text_init(&t, a);
	machine_write(&t, m);
	return text_get(&t);
}

START_TEST(examples_survive_writing_and_reading)
{
	struct arena *a = arena_new("test");
	const char *once = written(a, read_text(a, file_text(a, examples[_i])));
	ck_assert_str_eq(once, written(a, read_text(a, once)));
	arena_free(a);
}
END_TEST

/* In the workstation's file, the first `from` is replaced; the error must be the one given. */
static const struct {
	const char *from, *to, *error;
} changes[] = {
	{"\"latency_us\": 0.6, ", "",
	 "hosts[0].link.latency_us is missing: microseconds from the begin of an empty message to its arrival"},
	{"\"latency_us\": 0.6", "\"latency_us\": -1",
	 "hosts[0].link.latency_us: -1 is not from 0 to 1e+07 (microseconds from the begin of an empty message to its "
	 "arrival)"},
	{"\"latency_us\": 0.6", "\"latency_us\": \"0.6\"",
	 "hosts[0].link.latency_us: a number is expected (microseconds from the begin of an empty message to its "
	 "arrival)"},
	{"\"vector_bytes\": 32", "\"vector_bytes\": 31",
	 "processors[0].vector_bytes: 31 is no power of two (bytes of the vectors that programs use there)"},
	{"\"latency_us\"", "\"latencyus\"",
	 "hosts[0].link.latencyus: there is no such field, did you mean `latency_us`?"},
	{"\"overlap\": 0", "\"overlap\": 1.5",
	 "hosts[0].link.overlap: 1.5 is not from 0 to 1 (part of a message's time in which processors at both ends "
	 "compute)"},
	{"\"overlap\": 0}}", "\"overlap\": 0, \"shared_memory\": {\"latency_us\": 1}}}",
	 "hosts[0].link.shared_memory.start_us is missing: microseconds of processor time that a message takes at "
	 "either "
	 "end"},
	{"\"overlap\": 0}}", "\"overlap\": 0, \"shared_memory\": 3}}",
	 "hosts[0].link.shared_memory: an object is expected"},
	{"\"overlap\": 0}}", "\"overlap\": 0, \"shared_memor\": 3}}",
	 "hosts[0].link.shared_memor: there is no such field, did you mean `shared_memory`?"},
	{"[65536, 6]", "[65536, 900]",
	 "hosts[0].link.gigabytes_per_second[2]: 65536 bytes would take less time than 4096"},
	{"[65536, 6]", "[4096, 6]",
	 "hosts[0].link.gigabytes_per_second[2]: 4096 bytes do not come behind 4096: points stand in rising order"},
	{"[65536, 6]", "[65536]",
	 "hosts[0].link.gigabytes_per_second[2]: a point has two numbers, [bytes, gigabytes per second]"},
	{"[65536, 6]", "[65536, 0]",
	 "hosts[0].link.gigabytes_per_second[2]: 0 is not from 1e-09 to 1e+06 (gigabytes per second one way, by bytes "
	 "of a message)"},
	{"\"ranks\": 8", "\"ranks\": 2.5", "hosts[0].ranks: 2.5 is no whole number (ranks on each of them)"},
	{"\"ranks\": 8", "\"ranks\": 0", "hosts[0].ranks: 0 is not from 1 to 100000 (ranks on each of them)"},
	{"\"overlap\": 0}}", "\"overlap\": 0, \"duplex\": 0}}",
	 "hosts[0].link.duplex: 0 is not from 0.1 to 1 (part of its rate while messages go both ways)"},
	{"\"ranks\": 8", "\"ranks\": 8, \"processors\": 2", "hosts[0].turn_us is missing: beside hosts[0].processors"},
	{"\"ranks\": 8", "\"ranks\": 8, \"turn_us\": 2", "hosts[0].processors is missing: beside hosts[0].turn_us"},
	{"\"ranks\": 8", "\"ranks\": 8, \"processors\": 0, \"turn_us\": 2",
	 "hosts[0].processors: 0 is not from 1 to 100000 (processors of each host)"},
	{"\"ranks\": 8", "\"ranks\": 8, \"processors\": 4, \"turn_us\": -2",
	 "hosts[0].turn_us: -2 is not from 0 to 1e+07 (microseconds that a processor takes to go from one rank to "
	 "another)"},
	{"\"count\": 1", "\"count\": 2", "networks: they join 1 hosts, and there are 2"},
	{"\"processor\": \"desktop\"", "\"processor\": \"laptop\"",
	 "hosts[0].processor: `laptop` is none of `processors`"},
	{"\"region\": 0.4, ", "",
	 "processors[0].start_us.region is missing: microseconds a region: entering and leaving it"},
	{"\"division\": 2", "\"division\": 1e300",
	 "processors[0].operations.division: 1e+300 is not from 1e-09 to 1e+06 (giga per second divisions, roots and "
	 "remainders "
	 "in vectors)"},
	{"\"f32\"", "\"f31\"", "processors[0].products.f31: there is no such element type"},
	{"\"m\": [1, 16, 256]", "\"m\": [1, 256]",
	 "processors[0].products.f32.gigaflops has 27 numbers, not 18: one for each of 2 x 3 x 3 products"},
	{"\"m\": [1, 16, 256]", "\"m\": [1, 16, 16]",
	 "processors[0].products.f32.m[2]: 16 does not come behind 16: extents stand in rising order"},
	{"\"m\": [1, 16, 256]", "\"m\": []", "processors[0].products.f32.m: a list that is not empty is expected"},
	{"\"networks\": []", "\"networks\": {}", "networks: a list is expected"},
	{"\"networks\": []", "\"network\": []", "network: there is no such field, did you mean `networks`?"},
	{"\"name\": \"desktop\"", "\"name\": \"\"",
	 "processors[0].name: a text is expected (by which hosts refer to it)"},
	{"\"hosts\": [", "\"hosts\": [[", "line 22: "},
};

static char *changed(struct arena *a, const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	ck_assert_msg(at != NULL, "there is no %s", from);
	return arena_printf(a, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

static const char shared_memory[] = "\"overlap\": 0, \"shared_memory\": {\"latency_us\": 0.1, \"start_us\": 0.05, "
				    "\"overlap\": 0.5, \"gigabytes_per_second\": [[64, 1], [4096, 10]]}}}";

/* They are as quick as arithmetic where nothing was measured, of f64 half as quick. */
START_TEST(factors_take_what_was_measured_of_their_size)
{
	struct arena *a = arena_new("test");
	const char *plain = file_text(a, "workstation"), *error = NULL;
	const struct machine_processor *p = &read_text(a, plain)->processors.at[0];
	double n = 6e6, as_arithmetic = n / p->operation[OPERATION_ARITHMETIC];
	ck_assert_double_eq_tol(machine_factors_time(p, FACTORS_LU, false, n), as_arithmetic, 1e-3);
	ck_assert_double_eq_tol(machine_factors_time(p, FACTORS_LU, true, n), 2 * as_arithmetic, 1e-3);
	const char *text = changed(a, plain, "\"products\": {",
				   "\"factors\": {\"eigen\": {\"f64\": [[384, 0.5], [3072, 1]]}, \"lu\": {\"f32\": 4, "
				   "\"f64\": 3}}, \"products\": {");
	const struct machine *m = read_text(a, text);
	p = &m->processors.at[0];
	ck_assert_double_eq_tol(machine_factors_time(p, FACTORS_LU, false, n), n / 4, 1e-3);
	ck_assert_double_eq_tol(machine_factors_time(p, FACTORS_EIGEN, true, 384), 768, 1e-9);
	ck_assert_double_eq_tol(machine_factors_time(p, FACTORS_EIGEN, true, (384 + 3072) / 2), (768 + 3072) / 2, 1e-9);
	ck_assert_double_eq_tol(machine_factors_time(p, FACTORS_EIGEN, false, n), as_arithmetic, 1e-3);
	const char *once = written(a, m);
	ck_assert_str_eq(once, written(a, read_text(a, once)));
	ck_assert_str_eq(once, written(a, machine_copy(a, m)));
	ck_assert(strstr(once, "\"eigen\": {\"f64\": [[384, 0.5], [3072, 1]]}") != NULL);
	text = changed(a, plain, "\"products\": {", "\"factors\": {\"qr\": {}}, \"products\": {");
	ck_assert(machine_read(a, text, strlen(text), &error) == NULL);
	ck_assert_str_eq(error, "processors[0].factors.qr: there is no such way to factor");
	text = changed(a, plain, "\"products\": {", "\"factors\": {\"lu\": {\"f16\": 2}}, \"products\": {");
	ck_assert(machine_read(a, text, strlen(text), &error) == NULL);
	ck_assert_str_eq(error, "processors[0].factors.lu.f16: there is no such element type");
	text = changed(a, plain, "\"ranks\": 8", "\"ranks\": 8, \"processors\": 2, \"turn_us\": 3");
	text = changed(a, text, "\"products\": {", "\"factors\": {\"lu\": {\"f32\": 4}}, \"products\": {");
	p = machine_place_of(machine_in_turns(read_text(a, text)), 0).processor;
	ck_assert_double_eq_tol(machine_factors_time(p, FACTORS_LU, false, n), n, 1e-3);
	arena_free(a);
}
END_TEST

/* Within hosts; links between hosts have none. */
START_TEST(links_of_hosts_may_have_shared_memory)
{
	struct arena *a = arena_new("test");
	const char *text = changed(a, file_text(a, "workstation"), "\"overlap\": 0}}", shared_memory), *error = NULL;
	const struct machine *m = read_text(a, text);
	const struct machine_link *l = m->hosts.at[0].link.shared_memory;
	ck_assert_ptr_nonnull(l);
	ck_assert_double_eq(l->latency, 100);
	ck_assert_int_eq(l->rate.points.n, 2);
	const char *once = written(a, m);
	ck_assert_str_eq(once, written(a, read_text(a, once)));
	ck_assert_str_eq(once, written(a, machine_copy(a, m)));
	ck_assert_ptr_ne(machine_copy(a, m)->hosts.at[0].link.shared_memory->rate.points.at, l->rate.points.at);
	text = changed(a, file_text(a, "ethernet"), "\"overlap\": 0.5}}", "\"overlap\": 0.5, \"shared_memory\": {}}}");
	ck_assert(machine_read(a, text, strlen(text), &error) == NULL);
	ck_assert_str_eq(error, "networks[0].link.shared_memory: there is no such field");
	arena_free(a);
}
END_TEST

/* What is looked at rank by rank is as much slower as there are ranks for a processor. */
START_TEST(ranks_that_share_processors_are_slower_alone)
{
	struct arena *a = arena_new("test");
	const char *text = file_text(a, "workstation");
	const struct machine *own = read_text(a, text);
	ck_assert_ptr_eq(machine_in_turns(own), own);
	text = changed(a, text, "\"ranks\": 8", "\"ranks\": 8, \"processors\": 2, \"turn_us\": 3");
	const struct machine *m = read_text(a, text), *slow = machine_in_turns(m);
	ck_assert_double_eq(m->hosts.at[0].turn, 3000);
	ck_assert_double_eq(machine_crowd(&m->hosts.at[0]), 4);
	ck_assert_ptr_ne(slow, m);
	const struct machine_processor *p = machine_place_of(m, 0).processor, *q = machine_place_of(slow, 0).processor;
	ck_assert_double_eq_tol(machine_product_time(q, PMLRT_F32, 64, 64, 64),
				4 * machine_product_time(p, PMLRT_F32, 64, 64, 64), 1e-6);
	ck_assert_double_eq_tol(curve_time(&q->memory, 1e6), 4 * curve_time(&p->memory, 1e6), 1e-3);
	ck_assert_double_eq_tol(curve_time(&slow->hosts.at[0].link.rate, 1e6),
				4 * curve_time(&m->hosts.at[0].link.rate, 1e6), 1e-3);
	ck_assert_double_eq(slow->hosts.at[0].link.latency, 4 * m->hosts.at[0].link.latency);
	/* The file keeps its own numbers. */
	const char *once = written(a, m);
	ck_assert(strstr(once, "\"processors\": 2, \"turn_us\": 3, ") != NULL);
	ck_assert_str_eq(once, written(a, read_text(a, once)));
	ck_assert_double_eq(p->start[START_REGION], own->processors.at[0].start[START_REGION]);
	arena_free(a);
}
END_TEST

START_TEST(every_error_names_the_field)
{
	struct arena *a = arena_new("test");
	const char *error = NULL, *text = changed(a, file_text(a, "workstation"), changes[_i].from, changes[_i].to);
	ck_assert(machine_read(a, text, strlen(text), &error) == NULL);
	if (strncmp(changes[_i].error, "line", 4) == 0)
		ck_assert_msg(strncmp(error, "line", 4) == 0, "%s", error);
	else
		ck_assert_str_eq(error, changes[_i].error);
	arena_free(a);
}
END_TEST

/* Bytes changed, taken out and doubled: an error with a text, or a machine that can be written. */
START_TEST(random_changes_give_an_error_or_a_machine)
{
	uint64_t seed = 7;
	int refused = 0;
	for (int i = 0; i < 4000; i++) {
		struct arena *a = arena_new("test");
		char *text = file_text(a, examples[i % 4]);
		size_t n = strlen(text);
		for (int k = 0; k < 1 + i % 3; k++) {
			static const char letters[] = "0123456789-.e,:[]{}\" \nabx";
			seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
			text[(seed >> 33) % n] = letters[(seed >> 20) % (sizeof letters - 1)];
		}
		const char *error = NULL;
		struct machine *m = machine_read(a, text, n, &error);
		if (!m && (!error || !*error))
			ck_abort_msg("refused without a reason: %s", text);
		if (m) {
			struct text out;
			text_init(&out, a);
			machine_write(&out, m);
			if (!machine_read(a, text_get(&out), out.n, &error))
				ck_abort_msg("%s", error);
		}
		refused += !m;
		arena_free(a);
	}
	ck_assert(refused > 100 && refused < 3900);
}
END_TEST

START_TEST(more_takes_no_less_time)
{
	struct arena *a = arena_new("test");
	const struct machine *m = read_text(a, file_text(a, examples[_i]));
	for (int i = 0; i < m->hosts.n; i++) {
		const struct machine_processor *p = &m->processors.at[m->hosts.at[i].processor];
		double last[3] = {0};
		for (double bytes = 1; bytes < 1e12; bytes *= 1.3) {
			double now[3] = {curve_time(&m->hosts.at[i].link.rate, bytes), curve_time(&p->memory, bytes),
					 machine_product_time(p, PMLRT_F32, (int64_t)bytes % 4096, 64,
							      1 + (int64_t)bytes / 4096)};
			for (int k = 0; k < 2; k++) {
				ck_assert(now[k] >= last[k]);
				last[k] = now[k];
			}
			ck_assert(now[2] >= 0);
		}
	}
	arena_free(a);
}
END_TEST

START_TEST(a_measured_product_takes_what_was_measured)
{
	struct arena *a = arena_new("test");
	const struct machine *m = read_text(a, file_text(a, "workstation"));
	const struct machine_processor *p = &m->processors.at[0];
	/* m 16, n 256, k 1: the 15th number of the table. */
	ck_assert_double_eq_tol(machine_product_time(p, PMLRT_F32, 16, 256, 1), 2.0 * 16 * 256 / 9.54, 1e-6);
	ck_assert_double_eq(machine_product_time(p, PMLRT_F32, 0, 256, 1), 0);
	/* Beyond the table the rate stays. */
	ck_assert_double_eq_tol(machine_product_time(p, PMLRT_F32, 512, 512, 512) / 8,
				machine_product_time(p, PMLRT_F32, 256, 256, 256), 1);
	arena_free(a);
}
END_TEST

START_TEST(ranks_stand_on_hosts_in_their_order)
{
	struct arena *a = arena_new("test");
	const struct machine *m = read_text(a, file_text(a, "unlike"));
	ck_assert_int_eq(machine_ranks(m), 12);
	ck_assert_int_eq(machine_place_of(m, 7).host, 0);
	ck_assert_int_eq(machine_place_of(m, 8).host, 1);
	ck_assert_str_eq(machine_place_of(m, 8).processor->name, "older");
	m = read_text(a, file_text(a, "cluster"));
	ck_assert_int_eq(machine_ranks(m), 1024);
	ck_assert_int_eq(machine_place_of(m, 1023).host, 63);
	ck_assert_int_eq(machine_unit(m, 35, 1), 35);
	ck_assert_int_eq(machine_unit(m, 35, 2), 2);
	arena_free(a);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "machine");
	tcase_add_loop_test(t, examples_survive_writing_and_reading, 0, 4);
	tcase_add_loop_test(t, every_error_names_the_field, 0, (int)(sizeof changes / sizeof *changes));
	tcase_add_test(t, factors_take_what_was_measured_of_their_size);
	tcase_add_test(t, links_of_hosts_may_have_shared_memory);
	tcase_add_test(t, ranks_that_share_processors_are_slower_alone);
	tcase_add_test(t, random_changes_give_an_error_or_a_machine);
	tcase_add_loop_test(t, more_takes_no_less_time, 0, 4);
	tcase_add_test(t, a_measured_product_takes_what_was_measured);
	tcase_add_test(t, ranks_stand_on_hosts_in_their_order);
	return suite_end(s);
}
