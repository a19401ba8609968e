/* test_backend_reductions.c — compiled reductions against kernel_interpret: every combiner and element type, running
 * values, positions of the greatest and least, and loops in which a vector has a sum in each lane. */
#include "kernel_check.h"

#include "compiler/op/dtype.h"

#include <stdio.h>

START_TEST(reductions_on_every_type)
{
	static const char *const combiner[] = {"sum", "max", "min", "prod"};
	for (enum dtype t = 0; t < DT_COUNT; t++)
		for (int c = 0; c < 4; c++) {
			if (c == 3 && dtype_kind(t) == DTYPE_FLOAT)
				continue;
			char text[600];
			snprintf(text, sizeof text,
				 "kernel \"f\"(in b0: $t[$2n], out b1: $t[2]) flops 0 { loop i0 2 {\n"
				 "  vloop i1 $n reduce(%%0: $t = %s) { %%1 = load $t b0[$n*i0 + 1*i1] %%0 <- %%1 }\n"
				 "  store b1[1*i0] %%0 } }",
				 combiner[c]);
			check_text(text, dtype_text(t), 100, t % 3);
			if (!suite_is_long() && c != (int)t % 3) /* of the other extents one combiner in turn */
				continue;
			check_text(text, dtype_text(t), 7, 0);
			check_text(text, dtype_text(t), 0, 0);
			check_text(text, dtype_text(t), 150, 0);
		}
}
END_TEST

START_TEST(running_values_on_every_type)
{
	static const char *const combiner[] = {"sum", "max", "min"};
	for (enum dtype t = 0; t < DT_COUNT; t++)
		for (int c = 0; c < 3; c++) {
			char text[900];
			snprintf(text, sizeof text,
				 "kernel \"f\"(in b0: $t[$2n], out b1: $t[$2n], out b2: $t[2], out b3: $t[$2n]) flops "
				 "0 {\n"
				 " loop i0 2 {\n"
				 "  vloop i1 $n reduce(%%0: $t = %s) { %%1 = load $t b0[$n*i0 + 1*i1] %%2 = prefix %%0 "
				 "<- %%1\n"
				 "    store b1[$n*i0 + 1*i1] %%2 }  store b2[1*i0] %%0\n"
				 "  vloop i2 $n reduce(%%3: $t = %s) { %%4 = load $t b0[$n*i0 + -1*i2 + $m]\n"
				 "    %%5 = prefix %%3 <- %%4  store b3[$n*i0 + -1*i2 + $m] %%5 } } }",
				 combiner[c], combiner[c]);
			check_text(text, dtype_text(t), 33, t % 3);
			if (!suite_is_long() && c != (int)t % 3)
				continue;
			check_text(text, dtype_text(t), 1, 0);
			check_text(text, dtype_text(t), 100, (t + 1) % 3);
			check_text(text, dtype_text(t), 257, (t + 2) % 3);
		}
}
END_TEST

START_TEST(running_values_of_every_lane)
{
	check_extents("kernel \"rows\"(in b0: f32[$nn], out b1: f32[$nn]) flops 0 {\n"
		      " vloop i0 $n { loop i1 $n reduce(%0: f32 = sum) { %1 = load f32 b0[$n*i1 + 1*i0]\n"
		      "   %2 = prefix %0 <- %1  store b1[$n*i1 + 1*i0] %2 } } }",
		      "f32", 1);
	check_extents("kernel \"points\"(in b0: f32[$n], out b1: f32[$n]) flops 0 {\n"
		      " loop i0 $n reduce(%0: f32 = prod) { %1 = load f32 b0[1*i0] %2 = prefix %0 <- %1\n"
		      "   store b1[1*i0] %2 } }",
		      "f32", 1);
}
END_TEST

/* Where the mask is known, zeros become constants that sizes are compared with. Without TEST_LONG the widths of vectors
 * take turns. */
START_TEST(the_largest_size_of_a_number_and_zeros)
{
	for (int f = 0; f < 2; f++)
		for (int cpu = 0; cpu < 3; cpu++)
			for (int64_t n = 2; n <= 16; n++)
				if (suite_is_long() || n % 3 == cpu || n == 16)
					check_text(
						"kernel \"f\"(in b0: $t[$n], out b1: $t[$n]) flops 0 {\n"
						" %7 = const i64 0 %8 = const $t 0 loop i0 $n { %0 = load $t b0[1*i0]\n"
						"  vloop i1 $n reduce(%1: $t = max) { %2 = index 1*i1 %3 = == bool %2, "
						"%7\n"
						"   %4 = where $t %3, %0, %8 %5 = abs $t %4 %1 <- %5 }\n"
						"  store b1[1*i0] %1 } }",
						f ? "f64" : "f32", n, cpu);
}
END_TEST

START_TEST(argmax_finds_the_first_of_equals)
{
	for (int f = 0; f < 4; f++) {
		static const char *const type[] = {"f32", "f64", "i32", "u8"};
		(f ? check_some_extents : check_extents)(
			"kernel \"f\"(in b0: $t[$2n], out b1: i32[2], out b2: i32[2]) flops 0 { loop i0 2 {\n"
			" vloop i1 $n reduce(%0: $t = argmax at %1, %2: $t = argmin at %3) {\n"
			"   %4 = load $t b0[$n*i0 + 1*i1] %5 = index 1*i1  %0 <- %4 at %5  %2 <- %4 at %5 }\n"
			" %6 = cast i32 %1  store b1[1*i0] %6 %7 = cast i32 %3 store b2[1*i0] %7 } }",
			type[f], 0);
	}
}
END_TEST

/* 0 / 0 among ones, and nothing but the element that a search begins with. */
START_TEST(argmax_finds_the_first_undefined_or_infinite)
{
	for (int f = 0; f < 2; f++)
		(f ? check_some_extents : check_extents)(
			"kernel \"f\"(in b0: $t[$2n], out b1: i32[2], out b2: i32[2]) flops 0 { %7 = const $t 0\n"
			" %8 = const $t -1 %9 = / $t %8, %7 loop i0 2 {\n"
			" vloop i1 $n reduce(%0: $t = argmax at %1, %2: $t = argmax at %3) {\n"
			"   %4 = load $t b0[$n*i0 + 1*i1] %5 = index 1*i1 %6 = / $t %4, %4 %10 = min $t %9, %4\n"
			"   %0 <- %6 at %5  %2 <- %10 at %5 }\n"
			" %11 = cast i32 %1  store b1[1*i0] %11 %12 = cast i32 %3 store b2[1*i0] %12 } }",
			f ? "f64" : "f32", 0);
}
END_TEST

/* Positions of two loops rise along the outer one as well, or they do not. */
START_TEST(argmax_over_two_dimensions)
{
	for (int f = 0; f < 4; f++)
		(f / 2 ? check_some_extents : check_extents)(
			f % 2 ? "kernel \"f\"(in b0: $t[$nn], out b1: i32[1]) flops 0 {\n"
				" loop i0 $n reduce(%0: $t = argmax at %1) { vloop i1 $n {\n"
				"   %4 = load $t b0[$n*i0 + 1*i1] %5 = index $n*i0 + 1*i1  %0 <- %4 at %5 } }\n"
				" %6 = cast i32 %1  store b1[0] %6 }"
			      : "kernel \"f\"(in b0: $t[$nn], out b1: i32[1]) flops 0 {\n"
				" loop i0 $n reduce(%0: $t = argmax at %1) { vloop i1 $n {\n"
				"   %4 = load $t b0[$n*i1 + 1*i0] %5 = index $n*i1 + 1*i0  %0 <- %4 at %5 } }\n"
				" %6 = cast i32 %1  store b1[0] %6 }",
			f / 2 ? "f64" : "f32", 1);
}
END_TEST

START_TEST(softmax_of_rows)
{
	for (int f = 0; f < 2; f++)
		(f ? check_some_extents : check_extents)(
			"kernel \"softmax\"(in b0: $t[$2n], out b1: $t[$2n]) flops 0 { loop i0 2 {\n"
			" vloop i1 $n reduce(%0: $t = max) { %1 = load $t b0[$n*i0 + 1*i1]  %0 <- %1 }\n"
			" vloop i2 $n reduce(%2: $t = sum) { %3 = load $t b0[$n*i0 + 1*i2]  %4 = - $t %3, %0\n"
			"    %5 = exp $t %4  %2 <- %5 }\n"
			" vloop i3 $n { %7 = load $t b0[$n*i0 + 1*i3] %8 = - $t %7, %0  %9 = exp $t %8\n"
			"    %10 = / $t %9, %2  store b1[$n*i0 + 1*i3] %10 } } }",
			f ? "f64" : "f32", 0);
}
END_TEST

/* The last pass asks for the next row of what is large, and touches nothing behind the last one. */
START_TEST(passes_over_rows_of_a_large_tensor)
{
	for (int cpu = 0; cpu < 3; cpu++)
		check_text(
			"kernel \"centred\"(in b0: $t[$nn], out b1: $t[$nn]) flops 0 { loop i0 $n {\n"
			" vloop i1 $n reduce(%0: $t = max) { %1 = load $t b0[$n*i0 + 1*i1]  %0 <- %1 }\n"
			" vloop i2 $n { %2 = load $t b0[$n*i0 + 1*i2] %3 = - $t %2, %0 store b1[$n*i0 + 1*i2] %3 } } }",
			cpu ? "f64" : "f32", 1030, cpu);
}
END_TEST

START_TEST(a_loop_inside_a_vector_loop_sums_per_lane)
{
	check_extents("kernel \"colsum\"(in b0: f32[$nn], out b1: f32[$n], out b2: i32[$n]) flops 0 {\n"
		      " vloop i0 $n { loop i1 $n reduce(%0: f32 = sum, %2: f32 = argmax at %3) { %1 = load f32 "
		      "b0[$n*i1 + 1*i0]\n"
		      "    %0 <- %1  %4 = index 1*i1  %2 <- %1 at %4 } store b1[1*i0] %0 %5 = cast i32 %3 store "
		      "b2[1*i0] %5 } }",
		      "f32", 1);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *t = suite_begin(&suite, "backend reductions");
	tcase_add_test(t, reductions_on_every_type);
	tcase_add_test(t, running_values_on_every_type);
	tcase_add_test(t, running_values_of_every_lane);
	tcase_add_test(t, the_largest_size_of_a_number_and_zeros);
	tcase_add_test(t, argmax_finds_the_first_of_equals);
	tcase_add_test(t, argmax_finds_the_first_undefined_or_infinite);
	tcase_add_test(t, argmax_over_two_dimensions);
	tcase_add_test(t, softmax_of_rows);
	tcase_add_test(t, passes_over_rows_of_a_large_tensor);
	tcase_add_test(t, a_loop_inside_a_vector_loop_sums_per_lane);
	return suite_end(suite);
}
