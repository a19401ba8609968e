/* test_op_range.c — ranges of rules: what is said of each rule, and that no element is ever outside of it. */
#include "compiler/op/range.h"
#include "suite.h"

enum { MOST_ELEMENTS = 64, TRIES = 200 };

struct ranged {
	const char *rule;
	struct range in[2], out;
};

static const struct range all = {INT64_MIN, INT64_MAX}, all_i32 = {INT32_MIN, INT32_MAX};

#define I32 \
	{ \
		INT32_MIN, INT32_MAX \
	}
#define I64 \
	{ \
		INT64_MIN, INT64_MAX \
	}
static const struct ranged rules[] = {
	{"iota() -> [n] = n {n=7}", {{0, 0}}, {0, 6}},
	{"neg(a[i]: i32) -> [i] = -a {i=4}", {{-3, 9}}, {-9, 3}},
	{"neg(a[i]: i64) -> [i] = -a {i=4}", {I64}, I64},
	{"sub(a[i]: i32, b[i]: i32) -> [i] = a - b {i=4}", {{0, 5}, {-2, 3}}, {-3, 7}},
	{"sub(a[i]: i32, b[i]: i32) -> [i] = a - b {i=4}", {I32, {0, 1}}, I32},
	{"mul(a[i]: i32, b[i]: i32) -> [i] = a * b {i=4}", {{-2, 5}, {-3, 4}}, {-15, 20}},
	{"mul(a[i]: i64, b[i]: i64) -> [i] = a * b {i=4}", {I64, {0, 2}}, I64},
	{"mod(a[i]: i32) -> [i] = a % 5 {i=4}", {{0, 100}}, {0, 4}},
	{"mod(a[i]: i32) -> [i] = a % 5 {i=4}", {{0, 2}}, {0, 2}},
	{"mod(a[i]: i32) -> [i] = a % 5 {i=4}", {I32}, {-4, 4}},
	{"mod(a[i]: i32, b[i]: i32) -> [i] = a % b {i=4}", {{0, 9}, {-1, 5}}, I32},
	{"div(a[i]: i32) -> [i] = a / 3 {i=4}", {{0, 8}}, {0, 2}},
	{"div(a[i]: i32) -> [i] = a / 3 {i=4}", {{-7, 8}}, {-3, 2}},
	{"div(a[i]: i64) -> [i] = a / 1 {i=4}", {I64}, I64},
	{"clamp(a[i]: i32) -> [i] = min(max(a, 0), 9) {i=4}", {I32}, {0, 9}},
	{"abs(a[i]: i32) -> [i] = abs(a) {i=4}", {{-5, 3}}, {-5, 5}},
	{"where(a[i]: i32) -> [i] = where(a < 3, a, 7) {i=4}", {{0, 5}}, {0, 7}},
	{"cast(a[i]: i32) -> [i] = u8(a) {i=4}", {{0, 255}}, {0, 255}},
	{"cast(a[i]: i32) -> [i] = u8(a) {i=4}", {{0, 256}}, {0, 255}},
	{"cast(a[i]: u8) -> [i] = i64(a) {i=4}", {{0, 255}}, {0, 255}},
	{"over(a[i]: i64, b[i]: i64) -> [i] = add_overflows(a, b) {i=4}", {{0, INT64_MAX - 2}, {-5, 2}}, {0, 0}},
	{"over(a[i]: i64, b[i]: i64) -> [i] = add_overflows(a, b) {i=4}", {{0, INT64_MAX - 2}, {-5, 3}}, {0, 1}},
	{"over(a[i]: i64, b[i]: i64) -> [i] = add_overflows(a, b) {i=4}", {{INT64_MIN, 0}, {-5, 0}}, {0, 1}},
	{"over(a[i]: i64, b[i]: i64) -> [i] = sub_overflows(a, b) {i=4}", {{-1, 0}, {0, INT64_MAX}}, {0, 0}},
	{"over(a[i]: i64, b[i]: i64) -> [i] = sub_overflows(a, b) {i=4}", {{-2, 0}, {0, INT64_MAX}}, {0, 1}},
	{"over(a[i]: i64, b[i]: i64) -> [i] = mul_overflows(a, b) {i=4}", {{-4, 3}, {0, (int64_t)1 << 61}}, {0, 0}},
	{"over(a[i]: i64, b[i]: i64) -> [i] = mul_overflows(a, b) {i=4}", {{-4, 4}, {0, (int64_t)1 << 61}}, {0, 1}},
	{"less(a[i]: i32) -> [i] = i64(a) < i {i=4}", {I32}, {0, 1}},
	{"sum(a[i, k]: i32) -> [i] = sum[k] a {i=4, k=3}", {{1, 5}}, {0, 15}},
	{"sum(a[i, k]: i32) -> [i] = sum[k] a {i=4, k=3}", {I32}, I32},
	{"max(a[i, k]: i32) -> [i] = max[k] a {i=4, k=3}", {{2, 5}}, {2, 5}},
	{"pad(a[i - 1:3]: i32) -> [i] = a {i=5}", {{2, 5}}, {0, 5}},
	{"pool(a[i + p - 1:3]: i32) -> [i] = min[p] a {i=5, p=1}", {{2, 5}}, I32},
	{"argmax(a[i, k]: i32) -> [i] = argmax[k] a {i=4, k=3}", {I32}, {0, 2}},
	{"at(a[n]: i32, b[n]: i32) -> [b:4] = sum[n] a {n=6}", {{0, 3}, {-1, 5}}, {0, 18}},
	{"position(k: u64, c[i]: i64) -> [i] = random_position<i32>(k, c, 5) {i=4}", {I64, {0, 4}}, {0, 4}},
	{"position(k: u64, c[i]: i64) -> [i] = random_position<i32>(k, c, 5) {i=4}", {I64, {-2, 7}}, {-2, 7}},
	{"prod(a[i, k]: i32) -> [i] = prod[k] a {i=4, k=3}", {{0, 2}}, I32},
};

static const struct rule *read(struct arena *a, const char *text)
{
	const char *error = NULL;
	const struct rule *r = rule_read(a, text, &error);
	ck_assert_msg(r != NULL, "%s: %s", text, error);
	return r;
}

START_TEST(ranges_are_as_narrow_as_they_should_be)
{
	struct arena *a = arena_new("ranges");
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		struct range r = range_of_rule(read(a, rules[i].rule), rules[i].in);
		ck_assert_msg(r.low == rules[i].out.low && r.high == rules[i].out.high, "%s: %lld to %lld",
			      rules[i].rule, (long long)r.low, (long long)r.high);
	}
	arena_free(a);
}
END_TEST

static int64_t volume(const struct access *x)
{
	int64_t n = 1;
	for (int d = 0; d < x->rank; d++)
		n *= x->dim[d];
	return n;
}

/* One of the ends now and then. */
static int64_t drawn(uint64_t *dice, struct range r)
{
	*dice = *dice * UINT64_C(6364136223846793005) + 1442695040888963407u;
	uint64_t bits = *dice >> 20, width = (uint64_t)r.high - (uint64_t)r.low;
	if (bits % 8 < 2)
		return bits % 8 ? r.high : r.low;
	return (int64_t)((uint64_t)r.low + (width == UINT64_MAX ? *dice : *dice % (width + 1)));
}

START_TEST(no_element_is_outside)
{
	static const struct rule_origin whole;
	struct arena *a = arena_new("ranges");
	uint64_t dice = 1;
	for (size_t i = 0; i < sizeof rules / sizeof *rules * TRIES; i++) {
		const struct ranged *x = &rules[i / TRIES];
		const struct rule *r = read(a, x->rule);
		union scalar_value room[2][MOST_ELEMENTS], out[MOST_ELEMENTS], *in[2] = {room[0], room[1]};
		for (int k = 0; k < r->noperands; k++)
			for (int64_t e = 0; e < volume(&r->operand[k]); e++)
				room[k][e].i = drawn(&dice, x->in[k]);
		rule_interpret(r, in, out, &whole);
		for (int64_t e = 0; e < volume(&r->out); e++)
			if (out[e].i < x->out.low || out[e].i > x->out.high)
				ck_abort_msg("%s gives %lld", x->rule, (long long)out[e].i);
	}
	arena_free(a);
}
END_TEST

START_TEST(types_have_the_ranges_of_their_bits)
{
	struct range u8 = range_of_type(DT_U8), i16 = range_of_type(DT_I16), u64 = range_of_type(DT_U64);
	ck_assert(u8.low == 0 && u8.high == UINT8_MAX);
	ck_assert(i16.low == INT16_MIN && i16.high == INT16_MAX);
	ck_assert(u64.low == all.low && u64.high == all.high);
	ck_assert(range_hull(u8, i16).high == INT16_MAX && range_hull(all_i32, u8).low == INT32_MIN);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *tc = suite_begin(&suite, "op range");
	tcase_add_test(tc, ranges_are_as_narrow_as_they_should_be);
	tcase_add_test(tc, no_element_is_outside);
	tcase_add_test(tc, types_have_the_ranges_of_their_bits);
	return suite_end(suite);
}
