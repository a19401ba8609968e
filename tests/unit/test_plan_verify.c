/* test_plan_verify.c — a legal plan is accepted, and each planted fault is found. */
#include "compiler/plan/plan.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

static struct arena *arena;
static struct plan plan;

/* %2 = f(%0);  %3 = f(%2), three buffers of 16 floats in the arena, the first filled by a transfer. */
static void set_up(void)
{
	arena = arena_new("test");
	memset(&plan, 0, sizeof plan);
	const char *error = NULL;
	struct kernel *k = kernel_read(arena,
				       "kernel \"k\"(in b0: f32[16], out b1: f32[16]) flops 0 { vloop i0 16 { "
				       "%0 = load f32 b0[1*i0] store b1[1*i0] %0 } }",
				       &error);
	ck_assert_msg(k != NULL, "%s", error);
	const int life[3][2] = {{0, 2}, {2, 3}, {3, 4}};
	for (int i = 0; i < 3; i++) {
		struct buffer b = {.kind = BUFFER_ARENA,
				   .type = DT_F32,
				   .elements = 16,
				   .offset = 64 * (i % 2),
				   .first_step = life[i][0],
				   .last_step = life[i][1]};
		vec_push(arena, &plan.buffers, b);
	}
	plan.arena_bytes = 128;
	struct plan_step begin = {.kind = STEP_TRANSFER_BEGIN, .src = -1, .dst = 0}, end = begin;
	end.kind = STEP_TRANSFER_END;
	vec_push(arena, &plan.steps, begin);
	vec_push(arena, &plan.steps, end);
	for (int i = 0; i < 2; i++) {
		struct plan_step s = {.kind = STEP_KERNEL, .kernel = k, .src = -1, .dst = -1};
		vec_push(arena, &s.buffers, i);
		vec_push(arena, &s.buffers, i + 1);
		vec_push(arena, &plan.steps, s);
	}
	struct plan_step result = {.kind = STEP_RESULT, .src = -1, .dst = -1};
	vec_push(arena, &result.scalars,
		 ((struct plan_scalar){.kind = OPERAND_ELEMENT, .type = DT_F32, .argument = 2}));
	vec_push(arena, &plan.steps, result);
}

static void tear_down(void)
{
	arena_free(arena);
}

static void finds(const char *message)
{
	const char *wrong = plan_verify(arena, &plan);
	ck_assert_msg(wrong != NULL, "not found: %s", message);
	ck_assert_msg(strstr(wrong, message) != NULL, "`%s`, not `%s`", wrong, message);
}

START_TEST(legal_plan_is_accepted)
{
	const char *wrong = plan_verify(arena, &plan);
	ck_assert_msg(wrong == NULL, "%s", wrong);
}
END_TEST

START_TEST(overlap_of_live_buffers_is_found)
{
	plan.buffers.at[1].offset = 0;
	finds("overlap while both live");
}
END_TEST

START_TEST(partial_overlap_is_found)
{
	plan.arena_bytes = 256;
	plan.buffers.at[0].elements = 17; /* into the next one */
	finds("overlap while both live");
	plan.buffers.at[0].elements = 16;
	plan.buffers.at[2].elements = 17;
	finds("overlap while both live");
}
END_TEST

START_TEST(use_after_the_end_of_a_life_is_found)
{
	plan.buffers.at[0].last_step = 1;
	finds("outside of its life");
}
END_TEST

START_TEST(reading_what_nobody_wrote_is_found)
{
	plan.steps.at[2].buffers.at[0] = 2;
	plan.buffers.at[2].first_step = 0;
	plan.buffers.at[2].offset = 128;
	plan.arena_bytes = 192;
	finds("before anything is written");
}
END_TEST

START_TEST(transfer_without_end_is_found)
{
	plan.steps.at[1].transfer = 7;
	finds("was not begun");
	plan.steps.at[1] = plan.steps.at[0];
	plan.steps.at[1].transfer = plan.steps.at[1].carrier = 7;
	plan.steps.at[1].dst = -1;
	plan.steps.n = 2;
	finds("never ended");
	plan.steps.n = 1;
	finds("never ended");
}
END_TEST

START_TEST(use_of_what_a_transfer_moves_is_found)
{
	struct plan_step end = plan.steps.at[1];
	plan.steps.at[1] = plan.steps.at[2];
	plan.steps.at[2] = end;
	plan.buffers.at[1].first_step = 1;
	finds("step 1 reads buffer 0, which transfer 0 has not brought yet");
	plan.steps.at[0].src = plan.steps.at[2].src = 1;
	plan.buffers.at[1].kind = BUFFER_SLOT;
	plan.buffers.at[1].first_step = 0;
	plan.steps.at[1].buffers.at[0] = 1;
	plan.steps.at[1].buffers.at[1] = 1;
	finds("step 1 writes buffer 1, which transfer 0 is moving");
}
END_TEST

/* b2 = f(b1) in two parts. */
START_TEST(parts_that_do_not_make_the_whole_are_found)
{
	const char *error = NULL, *half = "kernel \"half\"(in b0: f32[16], out b1: f32[16]) flops 0 { vloop i0 8 { "
					  "%%0 = load f32 b0[1*i0] store b1[1*i0 + %d] %%0 } }";
	for (int i = 0; i < 2; i++) {
		struct plan_step s = plan.steps.at[3];
		s.kernel = kernel_read(arena, arena_printf(arena, half, 8 * i), &error);
		ck_assert_msg(s.kernel != NULL, "%s", error);
		s.piece = i + 1;
		s.pieces = 2;
		if (i)
			vec_push(arena, &plan.steps, plan.steps.at[4]);
		plan.steps.at[3 + i] = s;
	}
	plan.buffers.at[1].last_step = 4;
	plan.buffers.at[2].last_step = 5;
	const char *wrong = plan_verify(arena, &plan);
	ck_assert_msg(wrong == NULL, "%s", wrong);
	plan.steps.at[4].pieces = 3;
	finds("part 2 of 3 leaves 0 elements");
	plan.steps.at[4] = plan.steps.at[3];
	finds("begins buffer 2 again");
	plan.steps.at[4] = plan.steps.at[5];
	finds("reads buffer 2 before all parts of it are written");
}
END_TEST

START_TEST(an_exchange_that_is_none_is_found)
{
	struct plan_step exchange = {.kind = STEP_EXCHANGE, .src = 2, .dst = 1};
	plan.buffers.at[1].kind = BUFFER_SLOT;
	plan.buffers.at[2].kind = BUFFER_SPARE;
	plan.buffers.at[1].last_step = plan.buffers.at[2].last_step = 5;
	vec_push(arena, &plan.steps, exchange);
	const char *wrong = plan_verify(arena, &plan);
	ck_assert_msg(wrong == NULL, "%s", wrong);
	plan.steps.at[5] = plan.steps.at[4];
	plan.steps.at[4] = exchange;
	finds("step 5 uses buffer 2 after its slot was exchanged");
	plan.buffers.at[2].slot = 1;
	finds("exchanges what is not a slot and its spare");
}
END_TEST

START_TEST(a_tape_is_handed_to_a_slot_without_memory)
{
	struct plan_step hand = {.kind = STEP_HAND, .src = 2, .dst = 1};
	plan.buffers.at[1].kind = BUFFER_SLOT;
	plan.buffers.at[2].kind = BUFFER_TAPE;
	plan.buffers.at[1].last_step = plan.buffers.at[2].last_step = 5;
	vec_push(arena, &plan.steps, hand);
	finds("hands what is not a tape, or to what is not a slot of its own");
	struct buffer empty = plan.buffers.at[1];
	empty.elements = 0;
	empty.slot = 1;
	vec_push(arena, &plan.buffers, empty);
	plan.steps.at[5].dst = 3;
	const char *wrong = plan_verify(arena, &plan);
	ck_assert_msg(wrong == NULL, "%s", wrong);
	plan.buffers.at[2].kind = BUFFER_ARENA;
	finds("hands what is not a tape, or to what is not a slot of its own");
}
END_TEST

START_TEST(a_tape_that_never_begins_anew_or_twice_is_found)
{
	struct plan_loop outer = {.begin = 0, .end = 3, .test = -1, .outer = -1, .turns = 2, .turn = -1}, inner = outer;
	struct plan_step steps[] = {{.kind = STEP_LOOP_BEGIN, .loop = 0},
				    {.kind = STEP_LOOP_BEGIN, .loop = 1},
				    {.kind = STEP_LOOP_END, .loop = 1},
				    {.kind = STEP_LOOP_END, .loop = 0}};
	inner.begin = 1;
	inner.end = 2;
	inner.outer = 0;
	plan.buffers.at[2].kind = BUFFER_TAPE;
	plan.steps.n = 0;
	for (int i = 0; i < 4; i++) {
		if (steps[i].kind == STEP_LOOP_BEGIN)
			vec_push(arena, &steps[i].scalars,
				 ((struct plan_scalar){.kind = OPERAND_CONST, .type = DT_I64}));
		vec_push(arena, &plan.steps, steps[i]);
	}
	for (int i = 0; i < plan.buffers.n; i++)
		plan.buffers.at[i].first_step = plan.buffers.at[i].last_step = -1;
	vec_push(arena, &inner.tapes, 2);
	vec_push(arena, &outer.rewinds, 2);
	vec_push(arena, &plan.loops, outer);
	vec_push(arena, &plan.loops, inner);
	const char *wrong = plan_verify(arena, &plan);
	ck_assert_msg(wrong == NULL, "%s", wrong);
	vec_push(arena, &plan.loops.at[1].rewinds, 2);
	finds("the lines of tape 2 begin with no loop, or with several");
	plan.loops.at[0].rewinds.n = plan.loops.at[1].rewinds.n = 0;
	finds("the lines of tape 2 begin with no loop, or with several");
}
END_TEST

START_TEST(what_others_lie_in_and_does_not_say_so_is_found)
{
	plan.buffers.at[2].kind = BUFFER_MOVING;
	vec_push(arena, &plan.buffers.at[2].within, 1);
	plan.buffers.at[1].last_step = plan.buffers.at[2].last_step;
	finds("buffer 2 lies in buffer 1, which is not shared");
}
END_TEST

START_TEST(transfer_that_begins_twice_is_found)
{
	plan.steps.at[1] = plan.steps.at[0];
	finds("a second time");
}
END_TEST

/* Transfer 0 is carried by transfer 1: the order of what they begin and end, and what is wrong with it. */
static const struct {
	const char *order, *wrong;
} buckets[] = {
	{"b0 b1 e1 e0", NULL},
	{"b0 b1 e0 e1", NULL},
	{"b1 b0 e0 e1", "after transfer 1, which carries it, has left"},
	{"b0 e0 b1 e1", "before transfer 1, which carries it, has begun"},
};

START_TEST(bucket_that_leaves_without_a_member_is_found)
{
	plan.steps.n = 0;
	for (const char *p = buckets[_i].order; *p; p += p[2] ? 3 : 2) {
		struct plan_step s = {.kind = *p == 'b' ? STEP_TRANSFER_BEGIN : STEP_TRANSFER_END,
				      .transfer = p[1] - '0',
				      .carrier = 1,
				      .src = -1,
				      .dst = -1};
		vec_push(arena, &plan.steps, s);
	}
	if (buckets[_i].wrong)
		finds(buckets[_i].wrong);
	else
		ck_assert_ptr_eq(plan_verify(arena, &plan), NULL);
}
END_TEST

START_TEST(buffer_outside_of_the_arena_is_found)
{
	plan.arena_bytes = 100;
	finds("not inside the arena");
	plan.arena_bytes = 128;
	plan.buffers.at[1].offset = 32;
	finds("not inside the arena");
}
END_TEST

START_TEST(buffer_that_does_not_fit_its_parameter_is_found)
{
	plan.buffers.at[1].elements = 8;
	finds("does not fit parameter");
}
END_TEST

START_TEST(writing_what_is_read_is_found_unless_the_kernel_allows_it)
{
	plan.steps.at[2].buffers.at[1] = 0;
	plan.steps.at[3].buffers.at[0] = 0;
	plan.buffers.at[0].last_step = 3;
	plan.buffers.at[1].first_step = plan.buffers.at[1].last_step = -1;
	plan.buffers.at[2].offset = 64;
	finds("which it has twice");
	plan.steps.at[2].kernel->params.at[1].same = 0;
	const char *wrong = plan_verify(arena, &plan);
	ck_assert_msg(wrong == NULL, "%s", wrong);
}
END_TEST

START_TEST(missing_buffer_is_found)
{
	plan.steps.at[3].buffers.at[0] = 9;
	finds("does not exist");
}
END_TEST

START_TEST(product_outside_of_its_operands_is_found)
{
	struct plan_step s = {.kind = STEP_GEMM, .src = -1, .dst = -1};
	struct product_loop loop = {2, 0, 1, 0};
	struct plan_gemm gemm = {.type = DT_F32,
				 .m = 4,
				 .n = 4,
				 .k = 4,
				 .lda = 4,
				 .ldb = 4,
				 .ldc = 4,
				 .a = 0,
				 .b = 1,
				 .c = 2,
				 .loop = &loop,
				 .workspace = -1};
	gemm.alpha.kind = gemm.beta.kind = OPERAND_CONST;
	s.gemm = &gemm;
	plan.steps.at[3] = s;
	plan.buffers.at[0].last_step = 3;
	plan.buffers.at[2].offset = 128;
	plan.arena_bytes = 192;
	const char *wrong = plan_verify(arena, &plan);
	ck_assert_msg(wrong == NULL, "%s", wrong);
	gemm.offset_c = 1;
	finds("leaves its buffer");
	gemm.offset_c = 0;
	gemm.k = 5;
	finds("leaves its buffer");
	gemm.k = 4;
	gemm.ta = true;
	gemm.offset_a = 1;
	finds("leaves its buffer");
	gemm.offset_a = 0;
	gemm.nloops = 1;
	finds("leaves its buffer");
	loop = (struct product_loop){0, 0, 0, 0};
	finds("without turns");
	gemm.nloops = 0;
	gemm.ta = false;
	gemm.m = 3;
	plan.steps.at[3].piece = 1;
	plan.steps.at[3].pieces = 2;
	finds("step 4 reads buffer 2 before all parts of it are written");
	plan.steps.at[3].pieces = 1;
	finds("part 1 of 1 leaves 4 elements of buffer 2");
}
END_TEST

/* The first buffer is read from a batch instead of a transfer. */
START_TEST(writing_a_batch_is_found)
{
	plan.buffers.at[0].kind = BUFFER_BATCH;
	plan.buffers.at[1].offset = 0;
	plan.steps.at[0] = (struct plan_step){.kind = STEP_BATCH_READ, .src = -1, .dst = 0};
	plan.steps.at[1] = (struct plan_step){.kind = STEP_COPY, .src = 0, .dst = 1};
	plan.buffers.at[1].first_step = 1;
	plan.buffers.at[2].offset = 64;
	const char *wrong = plan_verify(arena, &plan);
	ck_assert_msg(wrong == NULL, "%s", wrong);
	plan.steps.at[1] = (struct plan_step){.kind = STEP_COPY, .src = 1, .dst = 0};
	plan.buffers.at[1].kind = BUFFER_SLOT;
	finds("writes buffer 0, which is a batch");
	plan.buffers.at[0].kind = BUFFER_ARENA;
	finds("writes buffer 0, which is none for batches");
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *t = suite_begin(&suite, "plan verifier");
	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, legal_plan_is_accepted);
	tcase_add_test(t, overlap_of_live_buffers_is_found);
	tcase_add_test(t, partial_overlap_is_found);
	tcase_add_test(t, use_after_the_end_of_a_life_is_found);
	tcase_add_test(t, reading_what_nobody_wrote_is_found);
	tcase_add_test(t, transfer_without_end_is_found);
	tcase_add_test(t, use_of_what_a_transfer_moves_is_found);
	tcase_add_test(t, parts_that_do_not_make_the_whole_are_found);
	tcase_add_test(t, an_exchange_that_is_none_is_found);
	tcase_add_test(t, a_tape_is_handed_to_a_slot_without_memory);
	tcase_add_test(t, a_tape_that_never_begins_anew_or_twice_is_found);
	tcase_add_test(t, what_others_lie_in_and_does_not_say_so_is_found);
	tcase_add_test(t, transfer_that_begins_twice_is_found);
	tcase_add_loop_test(t, bucket_that_leaves_without_a_member_is_found, 0, sizeof buckets / sizeof buckets[0]);
	tcase_add_test(t, buffer_outside_of_the_arena_is_found);
	tcase_add_test(t, buffer_that_does_not_fit_its_parameter_is_found);
	tcase_add_test(t, writing_what_is_read_is_found_unless_the_kernel_allows_it);
	tcase_add_test(t, missing_buffer_is_found);
	tcase_add_test(t, product_outside_of_its_operands_is_found);
	tcase_add_test(t, writing_a_batch_is_found);
	return suite_end(suite);
}
