/* test_seconds.c — what kernels do, counted from their text, and what that takes on a processor made for the purpose.
 */
#include "suite.h"

#include "compiler/seconds/price.h"

static struct kernel_work work_of(struct arena *a, const char *text, int vector_bytes)
{
	const char *error;
	const struct kernel *k = kernel_read(a, text, &error);
	ck_assert_msg(k != NULL, "%s", error);
	return kernel_work(k, vector_bytes);
}

START_TEST(vectors_count_as_full_ones)
{
	struct arena *a = arena_new("test");
	static const char text[] = "kernel \"rows\"(out b0: f32[5], in b1: f32[50]) flops 50 {\n"
				   "  loop i0 5 {\n"
				   "    vloop i1 10 reduce(%0: f32 = sum) {\n"
				   "      %1 = load f32 b1[10*i0 + 1*i1]\n"
				   "      %2 = exp f32 %1\n"
				   "      %0 <- %2\n"
				   "    }\n"
				   "    store b0[1*i0] %0\n"
				   "  }\n"
				   "}\n";
	struct kernel_work w = work_of(a, text, 32);
	/* 10 points are two vectors of 8: a load and a sum each, in 5 rows. */
	ck_assert_double_eq(w.vector[OPERATION_ARITHMETIC], 5 * 16 * 2);
	ck_assert_double_eq(w.vector[OPERATION_FUNCTION], 5 * 16);
	ck_assert_double_eq(w.single[OPERATION_ARITHMETIC], 5);
	ck_assert_double_eq(w.loops, 5);
	ck_assert_double_eq(w.bytes, 4 * (50 + 5));
	ck_assert_double_eq(work_of(a, text, 64).vector[OPERATION_FUNCTION], 5 * 16);
	ck_assert_double_eq(work_of(a, text, 8).vector[OPERATION_FUNCTION], 5 * 10);
	arena_free(a);
}
END_TEST

START_TEST(scattered_elements_are_gathered_and_turned_blocks_are_not)
{
	struct arena *a = arena_new("test");
	struct kernel_work w = work_of(a,
				       "kernel \"diagonal\"(out b0: f64[64], in b1: f64[4096]) flops 0 {\n"
				       "  vloop i0 64 {\n    %0 = load f64 b1[65*i0]\n    store b0[1*i0] %0\n  }\n}\n",
				       32);
	/* f64 counts twice. */
	ck_assert_double_eq(w.vector[OPERATION_GATHER], 128);
	ck_assert_double_eq(w.vector[OPERATION_ARITHMETIC], 128);
	ck_assert_double_eq(w.bytes, 8 * 128);
	w = work_of(a,
		    "kernel \"transpose\"(out b0: f32[4096], in b1: f32[4096]) flops 0 {\n"
		    "  loop i0 64 {\n    vloop i1 64 {\n      %0 = load f32 b1[1*i0 + 64*i1]\n"
		    "      store b0[64*i0 + 1*i1] %0\n    }\n  }\n}\n",
		    32);
	ck_assert_double_eq(w.vector[OPERATION_GATHER], 0);
	ck_assert_double_eq(w.vector[OPERATION_ARITHMETIC], 2 * 4096);
	arena_free(a);
}
END_TEST

START_TEST(a_kernel_takes_its_operations_or_its_bytes)
{
	struct arena *a = arena_new("test");
	struct machine_processor p = {.vector_bytes = 32};
	for (int i = 0; i < OPERATIONS; i++)
		p.operation[i] = 4;
	p.operation[OPERATION_FUNCTION] = 1;
	p.operation[OPERATION_SCALAR] = 2;
	p.start[START_KERNEL] = 100;
	p.start[START_LOOP] = 10;
	struct curve_point slow = {1, 0.5};
	vec_push(a, &p.memory.points, slow);
	struct kernel_work w = {.loops = 3, .bytes = 50};
	w.vector[OPERATION_ARITHMETIC] = 400;
	w.vector[OPERATION_FUNCTION] = 20;
	w.single[OPERATION_FUNCTION] = 5; /* 4 times an addition: 2 ns each */
	ck_assert_double_eq(price_work(&p, &w), 100 + 30 + 100 + 20 + 5 * 2);
	w.bytes = 500;
	ck_assert_double_eq(price_work(&p, &w), 100 + 1000);
	ck_assert_double_eq(price_copy(&p, 40), 160);
	arena_free(a);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "seconds", 60);
	tcase_add_test(t, vectors_count_as_full_ones);
	tcase_add_test(t, scattered_elements_are_gathered_and_turned_blocks_are_not);
	tcase_add_test(t, a_kernel_takes_its_operations_or_its_bytes);
	return suite_end(s);
}
