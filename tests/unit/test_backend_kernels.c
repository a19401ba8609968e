/* test_backend_kernels.c — compiled kernels against kernel_interpret: every element type, extents around the width of a
 * vector, every kind of address, positions, guards, rows by index, and draws. */
#include "kernel_check.h"

#include "compiler/op/dtype.h"

#include <stdio.h>

START_TEST(elementwise_on_every_type)
{
	for (enum dtype t = 0; t < DT_COUNT; t++)
		(t == DT_F32 ? check_extents : check_some_extents)(
			"kernel \"f\"(in b0: $t[$n], in b1: $t[$n], out b2: $t[$n]) flops 0 {\n"
			"  vloop i0 $n { %0 = load $t b0[1*i0] %1 = load $t b1[1*i0] %2 = + $t %0, %1 %3 = * $t %2, "
			"%1\n"
			"    %4 = max $t %3, %0  store b2[1*i0] %4 } }",
			dtype_text(t), 0);
}
END_TEST

START_TEST(strides_gather_and_scatter)
{
	static const char *const type[] = {"f32", "f64", "u8", "i16", "i64", "bool", "bf16"}; /* each size first */
	for (int f = 0; f < 7; f++)
		(f > 3 ? check_some_extents : check_extents)(
			"kernel \"transpose\"(in b0: $t[$nn], out b1: $t[$nn]) flops 0 {\n"
			" loop i0 $n { vloop i1 $n { %0 = load $t b0[$n*i1 + 1*i0] store b1[$n*i0 + 1*i1] %0 } } }",
			type[f], 1);
	check_extents("kernel \"transpose\"(in b0: f32[$nn], out b1: f32[$nn]) flops 0 {\n"
		      " loop i0 $n { vloop i1 $n { %0 = load f32 b0[$n*i0 + 1*i1] store b1[$n*i1 + 1*i0] %0 } } }",
		      "f32", 1);
	for (int f = 0; f < 7; f++)
		(f > 3 ? check_some_extents
		       : check_extents)("kernel \"reverse\"(in b0: $t[$n], out b1: $t[$n], out b2: $t[$n]) flops 0 {\n"
					" vloop i0 $n { %0 = load $t b0[-1*i0 + $m] store b1[1*i0] %0\n"
					"   %1 = load $t b0[1*i0] store b2[-1*i0 + $m] %1 } }",
					type[f], 1);
}
END_TEST

/* Lanes up to four elements apart: loads up to the end of a buffer and under a guard, stores that fill each other's gaps,
 * with something between them, and stores that do not. */
START_TEST(lanes_that_are_apart)
{
	static const char *const type[] = {"f32", "f64", "u8", "i16", "i64", "bool", "bf16"};
	static const char *const both =
		"kernel \"both\"(in b0: $t[$2n], out b1: $t[$2n], out b2: $t[$n], out b3: $t[$2n]) flops 0 {\n"
		" %9 = const i64 3 vloop i0 $n { %0 = load $t b0[2*i0 + 1] store b1[2*i0 + 1] %0 %1 = index 1*i0\n"
		"   %2 = >= bool %1, %9 %3 = load $t b0[2*i0 + -5] if %2 store b2[1*i0] %3 %4 = load $t b0[2*i0]\n"
		"   store b1[2*i0] %4 store b3[2*i0] %4 if %2 store b3[2*i0 + 1] %3 if %2 } }";
	for (int f = 0; f < 7; f++)
		(f > 1 ? check_some_extents : check_extents)(both, type[f], 1);
	check_extents("kernel \"three\"(in b0: f32[$4n], out b1: f32[$3n]) flops 0 {\n"
		      " vloop i0 $n { %0 = load f32 b0[3*i0] %1 = load f32 b0[3*i0 + 1] %2 = load f32 b0[4*i0 + 3]\n"
		      "   store b1[3*i0 + 2] %0 store b1[3*i0] %1 store b1[3*i0 + 1] %2 } }",
		      "f32", 2);
	check_extents("kernel \"four\"(in b0: f32[$n], inout b1: f32[$2n], out b2: f32[$4n], out b3: f32[$5n]) flops 0 {\n"
		      " vloop i0 $n { %0 = load f32 b0[1*i0] %1 = + f32 %0, %0 %2 = + f32 %1, %0 %3 = + f32 %1, %1\n"
		      "   store b2[4*i0 + 1] %0 store b2[4*i0 + 3] %3 store b2[4*i0] %2 store b2[4*i0 + 2] %1\n"
		      "   store b1[2*i0] %1 %4 = load f32 b1[2*i0] store b1[2*i0 + 1] %4\n"
		      "   store b3[2*i0 + $3n] %0 store b3[2*i0] %1 store b3[2*i0 + 1] %2 store b3[2*i0 + 1 + $3n] %3 } }",
		      "f32", 2);
}
END_TEST

/* Rows and lanes of different numbers, values of the row, what lies along, dear bodies, and guards beside what lies
 * across. */
START_TEST(nests_that_read_across)
{
	static const char *const type[] = {"f32", "f64", "u8", "i16", "i64", "bool", "bf16", "f16"};
	for (int f = 0; f < 8; f++)
		(f > 3 ? check_some_extents : check_extents)(
			"kernel \"both\"(in b0: $t[$2n], in b1: $t[$2n], out b2: $t[$2n], out b3: $t[$2n]) flops 0 {\n"
			" loop i0 $n { vloop i1 2 { %0 = load $t b0[$n*i1 + 1*i0] %1 = load $t b1[2*i0 + 1*i1]\n"
			"   %2 = max $t %0, %1 store b2[2*i0 + 1*i1] %2 } }\n"
			" loop i2 2 { vloop i3 $n { %3 = load $t b0[2*i3 + 1*i2] store b3[$n*i2 + 1*i3] %3 } } }",
			type[f], 1);
	check_extents(
		"kernel \"dear\"(in b0: f32[$nn], in b1: f64[$nn], in b2: f32[$n], out b3: f32[$nn]) flops 0 {\n"
		" loop i0 $n { %9 = load f32 b2[1*i0] %8 = exp f32 %9 vloop i1 $n {\n"
		"   %0 = load f32 b0[$n*i1 + 1*i0] %1 = load f64 b1[$n*i1 + 1*i0] %2 = cast f32 %1 %3 = * f32 %0, %8\n"
		"   %4 = tanh f32 %3 %5 = + f32 %4, %2 %6 = exp f32 %5 store b3[$n*i0 + 1*i1] %6 } } }",
		"f32", 1);
	check_extents("kernel \"guarded\"(in b0: f32[$nn], in b1: f32[$nn], out b2: f32[$nn]) flops 0 {\n"
		      " %9 = const i64 5 loop i0 $n { vloop i1 $n { %0 = load f32 b0[$n*i1 + 1*i0] %1 = index 1*i1\n"
		      "   %2 = < bool %1, %9 %3 = load f32 b1[$n*i0 + 1*i1] if %2 %4 = - f32 %0, %3\n"
		      "   store b2[$n*i0 + 1*i1] %4 if %2 } } }",
		      "f32", 1);
	check_extents("kernel \"back\"(in b0: f32[$nn], out b1: f32[$nn]) flops 0 {\n"
		      " loop i0 $n { vloop i1 $n { %0 = load f32 b0[$n*i1 + 1*i0] store b1[$n*i0 + -1*i1 "
		      "+ $m] %0 "
		      "} } }",
		      "f32", 1);
}
END_TEST

/* Ints of 64 bits that 32 have room for, and such that have none: negative ones, divided by 0, products, far away. */
START_TEST(positions_are_ints_of_64_bits)
{
	check_some_extents("kernel \"positions\"(out b0: i64[$n], out b1: f32[$n], out b2: f64[$n], out b3: bool[$n], out b4: i64[$n]) "
		      "flops 0 {\n"
		      " %9 = const i64 -7 %8 = const i64 0 %7 = const i64 1073741800 vloop i0 $n { %0 = index 3*i0 + -50\n"
		      "   %1 = / i64 %0, %9 %2 = % i64 %0, %9 %3 = / i64 %0, %8 %4 = * i64 %1, %2 %5 = + i64 %4, %3\n"
		      "   store b0[1*i0] %5 %6 = cast f32 %0 store b1[1*i0] %6 %10 = * i64 %0, %7 %11 = cast f64 %10\n"
		      "   store b2[1*i0] %11 %12 = < bool %10, %7 store b3[1*i0] %12 %13 = index 5*i0 + 1099511627776\n"
		      "   %14 = - i64 %13, %0 %15 = max i64 %14, %10 store b4[1*i0] %15 } }",
		      "f32", 0);
	check_some_extents("kernel \"differences\"(out b0: i64[$nn], out b1: bool[$nn], out b2: f32[$nn]) flops 0 {\n"
		      " %9 = const i64 1073741700 loop i0 $n { %0 = index 1*i0 %1 = index 1073741000*i0 vloop i1 $n {\n"
		      "   %2 = index 1*i1 %3 = - i64 %2, %0 %4 = + i64 %3, %9 %5 = + i64 %4, %9 store b0[$n*i0 + 1*i1] %5\n"
		      "   %6 = <= bool %3, %0 store b1[$n*i0 + 1*i1] %6 %7 = - i64 %1, %2 %8 = cast f32 %7\n"
		      "   store b2[$n*i0 + 1*i1] %8 } } }",
		      "f32", 0);
}
END_TEST

/* What all of them are compared with may be farther from 0 than 32 bits reach, and is 5 more or less when cut to them.
 */
START_TEST(positions_are_compared_with_any_number)
{
	static const char *const numbers[] = {"2147483647",    "2147483648",           "4294967301",
					      "1099511627781", "-2147483648",          "-2147483649",
					      "-4294967291",   "-9223372036854775807", "5"};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		char text[800];
		snprintf(text, sizeof text,
			 "kernel \"compared\"(in b0: f32[$n], out b1: bool[$n], out b2: bool[$n], out b3: bool[$n], "
			 "out b4: bool[$n],\n"
			 "  out b5: bool[$n], out b6: bool[$n]) flops 0 {\n"
			 " %%8 = const i64 %s  vloop i0 $n { %%9 = index 1*i0 %%0 = == bool %%9, %%8 store b1[1*i0] "
			 "%%0\n"
			 "  %%1 = < bool %%9, %%8 store b2[1*i0] %%1 %%2 = < bool %%8, %%9 store b3[1*i0] %%2\n"
			 "  %%3 = >= bool %%9, %%8 store b4[1*i0] %%3 %%4 = <= bool %%9, %%8 store b5[1*i0] %%4\n"
			 "  %%5 = != bool %%8, %%9 store b6[1*i0] %%5 } }",
			 numbers[i]);
		check_some_extents(text, "f32", 1);
	}
}
END_TEST

START_TEST(guards_keep_out_of_range_points_away)
{
	static const char *const type[] = {"f32", "f64", "i32", "u8", "bool"};
	for (int f = 0; f < 5; f++)
		(f ? check_some_extents : check_extents)(
			"kernel \"shift\"(in b0: $t[$n], out b1: $t[$n]) flops 0 {\n"
			"  %5 = const i64 3  %6 = const i64 $n\n"
			" vloop i0 $n { %0 = index 1*i0 %1 = >= bool %0, %5  %2 = load $t b0[1*i0 + -3] if %1 \n"
			"   %3 = index 1*i0 + 2  %4 = < bool %3, %6  store b1[1*i0 + 2] %2 if %4 } }",
			type[f], 1);
	check_extents("kernel \"shift\"(in b0: f32[$n], out b1: f32[$n]) flops 0 {\n"
		      "  %5 = const i64 3  %6 = const i64 $n\n"
		      " loop i0 $n { %0 = index 1*i0 %1 = >= bool %0, %5  %2 = load f32 b0[1*i0 + -3] if %1 \n"
		      "   %3 = index 1*i0 + 2  %4 = < bool %3, %6  store b1[1*i0 + 2] %2 if %4 } }",
		      "f32", 1);
	/* Whole rows are left out, and the last point of each; two loads ask the same. Of short rows a register has nothing. */
	static const char rows[] = "kernel \"rows\"(in b0: $t[$4n], out b1: $t[$9n]) flops 0 {\n"
				   "  %0 = const i64 0  %1 = const i64 $m\n"
				   " loop i0 9 { %2 = index 1*i0 + -6 %3 = >= bool %2, %0\n"
				   "  vloop i1 $n { %4 = index 1*i1 %5 = < bool %4, %1  %6 = && bool %3, %5\n"
				   "   %7 = load $t b0[$n*i0 + 1*i1 + -$6n] if %6  %8 = load $t b0[$n*i0 + 1*i1 + -$5n] if %6\n"
				   "   %9 = * $t %7, %8  %10 = exp $t %9  store b1[$n*i0 + 1*i1] %10 } } }";
	/* Several conditions say no to one point, with those of rows between them. */
	static const char ends[] = "kernel \"ends\"(in b0: $t[$9n], out b1: $t[$9n]) flops 0 {\n"
				   "  %0 = const i64 0  %1 = const i64 $n  %2 = const $t 2\n"
				   " loop i0 9 { %3 = index 1*i0 + -6 %4 = >= bool %3, %0  %5 = index 1*i0 + -5 %6 = >= bool %5, %0\n"
				   "  vloop i1 $n { %7 = index 1*i1 + 1 %8 = < bool %7, %1  %9 = && bool %4, %8  %10 = && bool %9, %6\n"
				   "   %11 = index 1*i1 + 2 %12 = < bool %11, %1  %13 = && bool %10, %12  %14 = && bool %13, %4\n"
				   "   %15 = index 1*i1 + -1 %16 = >= bool %15, %0  %17 = && bool %14, %16\n"
				   "   %18 = load $t b0[$n*i0 + 1*i1 + 1] if %17\n"
				   "   %19 = && bool %6, %16  %20 = && bool %19, %4  %21 = index 1*i1 + -2 %22 = >= bool %21, %0\n"
				   "   %23 = && bool %20, %22  %24 = && bool %23, %6  %25 = load $t b0[$n*i0 + 1*i1 + -2] if %24\n"
				   "   %26 = * $t %25, %2  %27 = where $t %24, %26, %18  %28 = + $t %18, %27\n"
				   "   store b1[$n*i0 + 1*i1] %28 } } }";
	for (int f = 0; f < 2; f++) {
		for (int n = 2; n < 8; n++)
			for (int cpu = 0; cpu < 3; cpu++) {
				check_text(rows, type[f], n, cpu);
				check_text(ends, type[f], n, cpu);
			}
		check_some_extents(rows, type[f], 1);
		check_some_extents(ends, type[f], 1);
	}
}
END_TEST

START_TEST(data_indices_are_followed)
{
	static const char *const type[] = {"f32", "f64", "i16"};
	for (int f = 0; f < 3; f++)
		(f ? check_some_extents : check_extents)(
			"kernel \"embed\"(in b0: $t[$nn], in b1: u8[$n], out b2: $t[$nn], scalar %9: i64) flops 0 {\n"
			" %7 = const i64 $n %8 = const i64 0\n"
			" loop i0 $n { %0 = load u8 b1[1*i0]  %1 = cast i64 %0  %2 = < bool %1, %7\n"
			"  vloop i1 $n { %3 = load $t b0[1*i1 + $n*%1] if %2  store b2[$n*i0 + 1*i1] %3 } } }",
			type[f], 1);
	check_extents(
		"kernel \"pick\"(in b0: f32[$nn], in b1: i32[$n], out b2: f32[$n], inout b3: f32[$nn]) flops 0 {\n"
		" %7 = const i32 $n %8 = const i32 0\n"
		" vloop i0 $n { %0 = load i32 b1[1*i0]  %1 = < bool %0, %7 %2 = >= bool %0, %8 %3 = && bool %1, %2\n"
		"   %5 = cast i64 %0 %4 = load f32 b0[$n*i0 + 1*%5] if %3  store b2[1*i0] %4\n"
		"   store b3[$n*i0 + 1*%5] %4 if %3 } }",
		"f32", 1);
}
END_TEST

/* Rows of a large tensor that a list names, some of which are none. */
START_TEST(rows_that_a_list_names_are_summed_up)
{
	for (int cpu = 0; cpu < 3; cpu++)
		check_text("kernel \"bags\"(in b0: $t[1048576], in b1: i32[$nn], out b2: $t[$nn]) flops 0 {\n"
			   " %9 = const i64 0 loop i0 $n { vloop i1 $n { loop i2 $n reduce(%0: $t = sum) {\n"
			   "   %1 = load i32 b1[$n*i0 + 1*i2] %2 = cast i64 %1 %3 = >= bool %2, %9\n"
			   "   %4 = load $t b0[1*i1 + $n*%2] if %3 %0 <- %4 } store b2[$n*i0 + 1*i1] %0 } } }",
			   cpu ? "f32" : "f64", 50, cpu);
}
END_TEST

/* From a turn on that is before the first, within a chunk, at its end, or behind the last. */
START_TEST(conditions_that_end_are_known_in_whole_chunks)
{
	static const char *const type[][3] = {{"f32", "bf16", "i16"}, {"f32", "f64", "i16"}};
	static const char *const text[] = {
		"kernel \"seen\"(in b0: $t[$nn], out b1: $t[$nn], out b2: $t[$n]) flops 0 {\n"
		" %9 = const $t -2 %8 = const i64 40 loop i0 $n { %7 = index 3*i0 + -100\n"
		"  vloop i1 $n reduce(%0: $t = max) { %1 = load $t b0[$n*i0 + 1*i1] %2 = index 1*i1 %3 = - i64 %2, %7\n"
		"   %4 = <= bool %3, %8 %5 = where $t %4, %1, %9 %6 = + $t %5, %9 store b1[$n*i0 + 1*i1] %6 %0 <- %6 "
		"}\n"
		"  store b2[1*i0] %0 } }",
		"kernel \"before\"(in b0: $t[$nn], inout b1: $t[$nn], out b2: $t[$n]) flops 0 {\n"
		" %8 = const i64 20 loop i0 $n { %7 = index -2*i0 + 9\n"
		"  vloop i1 $n reduce(%0: $t = sum) { %2 = index 1*i1 + -1*i0 %3 = + i64 %7, %2\n"
		"   %4 = < bool %3, %8 %1 = load $t b0[$n*i0 + 1*i1] %5 = load $t b1[$n*i0 + 1*i1] %6 = where $t %4, "
		"%1, %5\n"
		"   store b1[$n*i0 + 1*i1] %6 %0 <- %6 }\n"
		"  store b2[1*i0] %0 } }"};
	for (int i = 0; i < 2; i++)
		for (int t = 0; t < 3; t++)
			for (int64_t n = 256; n < 300; n += 21)
				for (int cpu = 0; cpu < 3; cpu++)
					check_text(text[i], type[i][t], n, cpu);
}
END_TEST

START_TEST(in_place_kernels_may_share_their_buffer)
{
	check_extents(
		"kernel \"step\"(inout b0: f32[$n], in b1: f32[$n], scalar %9: i64, scalar %8: i32) flops 0 {\n"
		" %3 = cast f32 %8\n"
		" vloop i0 $n { %0 = load f32 b0[1*i0] %1 = load f32 b1[1*i0] %2 = * f32 %1, %3 %4 = - f32 %0, %2\n"
		"  store b0[1*i0] %4 } }",
		"f32", 0);
}
END_TEST

START_TEST(draws_are_those_of_philox)
{
	/* Below 2^32, beyond, on both sides in one vector, and below 0. */
	static const char *const first[] = {"0", "5000000000", "4294967291", "-5"};
	for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
		char text[700];
		snprintf(text, sizeof text,
			 "kernel \"draw\"(out b0: u32[$n], out b1: f32[$n], out b2: f64[$n], out b3: f32[$n], out b4: "
			 "f64[$n],\n"
			 "  scalar %%9: u64) flops 0 {\n"
			 " vloop i0 $n { %%0 = index 1*i0 + %s  %%1 = random_bits u32 %%9, %%0 store b0[1*i0] %%1\n"
			 "  %%2 = random_uniform f32 %%9, %%0 store b1[1*i0] %%2  %%3 = random_uniform f64 %%9, %%0\n"
			 "  store b2[1*i0] %%3 %%4 = random_normal f32 %%9, %%0 store b3[1*i0] %%4\n"
			 "  %%5 = random_normal f64 %%9, %%0 store b4[1*i0] %%5 } }",
			 first[i]);
		check_extents(text, "f32", 0);
	}
	check_extents("kernel \"keys\"(out b0: u64[$n], out b1: u32[$n], scalar %9: u64) flops 0 {\n"
		      " vloop i0 $n { %0 = index 1*i0 + -3 %1 = fold_key u64 %9, %0 store b0[1*i0] %1\n"
		      "  %2 = random_bits u32 %1, %0 store b1[1*i0] %2 } }",
		      "f32", 0);
	check_extents(
		"kernel \"rows\"(out b0: f32[$nn], out b1: f32[$nn], in b2: u64[$n], scalar %9: u64) flops 0 {\n"
		" loop i0 $n { %0 = index 1*i0 %1 = fold_key u64 %9, %0 %2 = load u64 b2[1*i0]\n"
		"  vloop i1 $n { %3 = index 1*i1 + $n*i0 %4 = random_uniform f32 %1, %3 store b0[1*i1 + $n*i0] %4\n"
		"   %5 = random_normal f32 %2, %3 store b1[1*i1 + $n*i0] %5 } } }",
		"f32", 0);
	check_extents("kernel \"draw\"(out b0: u32[$n], out b1: f32[$n], scalar %9: u64) flops 0 {\n"
		      " loop i0 $n { %0 = index 1*i0 %1 = random_bits u32 %9, %0 store b0[1*i0] %1\n"
		      "  %4 = random_normal f32 %9, %0 store b1[1*i0] %4 } }",
		      "f32", 0);
}
END_TEST

/* Some walk more than once, some are not below the number, and of some there are too many. */
START_TEST(positions_in_an_order_are_those_of_philox)
{
	const char *const number[] = {"1", "7", "1009", "5000", "4294967295", "-1", "2147483648"};
	for (size_t k = 0; k < sizeof number / sizeof *number; k++)
		for (int vector = 0; vector < 2; vector++) {
			char text[400];
			snprintf(text, sizeof text,
				 "kernel \"order\"(out b0: i64[$n], out b1: i32[$n], scalar %%9: u64) flops 0 {\n"
				 " %sloop i0 $n { %%0 = index 1*i0 + -2 %%3 = const i64 %s\n"
				 "  %%1 = random_position i64 %%9, %%0, %%3 store b0[1*i0] %%1\n"
				 "  %%2 = random_position i32 %%9, %%0, %%3 store b1[1*i0] %%2 } }",
				 vector ? "v" : "", number[k]);
			check_extents(text, "f32", 0);
		}
}
END_TEST

START_TEST(scalar_kernels_without_vector_loops_work)
{
	check_extents(
		"kernel \"dot\"(in b0: f32[$n], in b1: f32[$n], out b2: f32[1]) flops 0 {\n"
		" loop i0 $n reduce(%0: f32 = sum) { %1 = load f32 b0[1*i0] %2 = load f32 b1[1*i0] %3 = * f32 %1, %2\n"
		"  %0 <- %3 } store b2[0] %0 }",
		"f32", 0);
	check_extents("kernel \"mean\"(in b0: f32[$nn], out b1: f32[1]) flops 0 {\n"
		      " loop i0 $n reduce(%0: f32 = sum) { vloop i1 $n reduce(%4: f32 = sum) { %1 = load f32 b0[$n*i0 "
		      "+ 1*i1]\n"
		      "    %2 = exp f32 %1 %3 = * f32 %2, %1  %4 <- %3 } %0 <- %4 } store b1[0] %0 }",
		      "f32", 0);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *t = suite_begin(&suite, "backend kernels");
	tcase_add_test(t, elementwise_on_every_type);
	tcase_add_test(t, strides_gather_and_scatter);
	tcase_add_test(t, lanes_that_are_apart);
	tcase_add_test(t, nests_that_read_across);
	tcase_add_test(t, positions_are_ints_of_64_bits);
	tcase_add_test(t, positions_are_compared_with_any_number);
	tcase_add_test(t, guards_keep_out_of_range_points_away);
	tcase_add_test(t, data_indices_are_followed);
	tcase_add_test(t, rows_that_a_list_names_are_summed_up);
	tcase_add_test(t, conditions_that_end_are_known_in_whole_chunks);
	tcase_add_test(t, in_place_kernels_may_share_their_buffer);
	tcase_add_test(t, draws_are_those_of_philox);
	tcase_add_test(t, positions_in_an_order_are_those_of_philox);
	tcase_add_test(t, scalar_kernels_without_vector_loops_work);
	return suite_end(suite);
}
