/* test_kernel_rules.c — every operator of the table, lowered to a kernel in each way there is, gives what its rule
 * means; its kernel prints, reads back and hashes alike. */
#include "compiler/kernel/build.h"
#include "compiler/kernel/lower.h"
#include "compiler/plan/join.h"
#include "layout_fixture.h"
#include "suite.h"

#include <math.h>

static const char *const rules[] = {
#define RULE(text) text,
#define GRAD(text) text,
#include "test_op_rules.def"
#undef RULE
#undef GRAD
};
enum { NRULES = sizeof rules / sizeof *rules };

struct bench {
	struct arena *arena;
	struct phys_node node, *in[MAX_OPERANDS], operand[MAX_OPERANDS];
	union scalar_value *value[MAX_OPERANDS], *expected;
	void *memory[MAX_OPERANDS], *out;
};

static struct shape shape_of_access(const struct access *a)
{
	return shape_of(a->rank, a->dim);
}

static void fill(struct bench *b, int k, uint64_t *state)
{
	const struct access *a = &b->node.rule->operand[k];
	int64_t n = shape_volume(&b->operand[k].shape);
	b->value[k] = ARENA_ARRAY(b->arena, union scalar_value, n + 1);
	b->memory[k] = arena_alloc(b->arena, (size_t)(n * dtype_size(a->type)) + 8);
	for (int64_t i = 0; i < n; i++) {
		if (dtype_is_float(a->type))
			b->value[k][i].f = ((double)(fixture_random(state) % 33) - 16) / 8;
		else if (dtype_kind(a->type) == DTYPE_BOOL)
			b->value[k][i].i = (int64_t)(fixture_random(state) % 2);
		else
			b->value[k][i].i = (int64_t)(fixture_random(state) % 9) - (dtype_kind(a->type) == DTYPE_INT);
		kernel_store_element(b->memory[k], a->type, i, b->value[k][i]);
	}
}

static void set_up(struct bench *b, struct arena *a, const char *text, uint64_t seed)
{
	static const struct rule_origin whole;
	const char *error = NULL;
	*b = (struct bench){.arena = a};
	const struct rule *r = rule_read(a, text, &error);
	ck_assert_msg(r != NULL, "%s: %s", text, error);
	b->node = (struct phys_node){.kind = PHYS_MAP,
				     .rule = r,
				     .dtype = r->out.type,
				     .nin = r->noperands,
				     .in = b->in,
				     .shape = shape_of_access(&r->out)};
	for (int k = 0; k < r->noperands; k++) {
		b->operand[k] = (struct phys_node){.id = k + 1,
						   .kind = PHYS_SLOT,
						   .slot = k,
						   .dtype = r->operand[k].type,
						   .shape = shape_of_access(&r->operand[k])};
		b->in[k] = &b->operand[k];
		fill(b, k, &seed);
	}
	int64_t n = shape_volume(&b->node.shape);
	b->expected = ARENA_ARRAY(a, union scalar_value, n + 1);
	b->out = arena_alloc(a, (size_t)(n * dtype_size(r->out.type)) + 8);
	memset(b->out, 0x5a, (size_t)(n * dtype_size(r->out.type)));
	rule_interpret(r, b->value, b->expected, &whole);
}

static bool near(enum dtype t, union scalar_value x, union scalar_value y)
{
	if (!dtype_is_float(t))
		return x.i == y.i;
	double limit = t == DT_F64 ? 1e-12 : t == DT_F32 ? 1e-5 : 0.05;
	return (isnan(x.f) && isnan(y.f)) || x.f == y.f || fabs(x.f - y.f) <= limit * (1 + fabs(x.f));
}

static const char *text_of(struct arena *a, const struct kernel *k)
{
	struct text t;
	text_init(&t, a);
	kernel_print(&t, k);
	return text_get(&t);
}

static void run_and_compare(struct bench *b, const struct lowered *l, const char *rule, const char *how)
{
	void *buffers[16] = {NULL};
	for (int i = 0; i < l->buffers.n; i++) {
		const struct phys_node *n = l->buffers.at[i];
		buffers[i] = n == &b->node ? b->out : b->memory[n->id - 1];
	}
	kernel_interpret(l->kernel, buffers, NULL);
	for (int64_t i = 0; i < shape_volume(&b->node.shape); i++) {
		union scalar_value v = kernel_load_element(b->out, b->node.dtype, i);
		ck_assert_msg(near(b->node.dtype, b->expected[i], v), "%s, %s: element %d is %g (%d), not %g (%d)\n%s",
			      rule, how, (int)i, v.f, (int)v.i, b->expected[i].f, (int)b->expected[i].i,
			      text_of(b->arena, l->kernel));
	}
}

static void read_back(struct bench *b, const struct kernel *k)
{
	const char *text = text_of(b->arena, k), *error = NULL;
	struct kernel *again = kernel_read(b->arena, text, &error);
	ck_assert_msg(again != NULL, "%s\n%s", error, text);
	ck_assert_str_eq(text_of(b->arena, again), text);
	ck_assert(kernel_equal(k, again));
	ck_assert(kernel_hash(k) == kernel_hash(again));
}

/* By its own loops, and over a domain where it has one. */
static void lower_and_run(const char *rule, uint64_t seed)
{
	struct arena *a = arena_new("test");
	struct bench b;
	bool stored[MAX_OPERANDS + 1];
	for (int general = 0; general < 2; general++) {
		set_up(&b, a, rule, seed);
		for (int k = 0; k <= MAX_OPERANDS; k++)
			stored[k] = true;
		map_compare_index(a, &b.node);
		struct planner p = {.scratch = a, .epoch = (int[]){0}, .asked = (bool[]){false}};
		struct member m = {.node = &b.node};
		struct group *g = group_new(&p, &m, 0);
		if (general && !map_is_pointwise(&b.node) && !g->general) {
			g->general = true;
		}
		m.stored = true;
		struct lowered *l = lower_group(a, NULL, g, stored);
		run_and_compare(&b, l, rule, g->general ? "general" : "domain");
		read_back(&b, l->kernel);
	}
	arena_free(a);
}

START_TEST(every_operator_lowers_to_what_it_means)
{
	for (uint64_t seed = 1; seed <= 3; seed++)
		lower_and_run(rules[_i], seed);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *t = suite_begin(&suite, "kernels of rules");
	tcase_add_loop_test(t, every_operator_lowers_to_what_it_means, 0, NRULES);
	return suite_end(suite);
}
