/* test_roles.c — classes of ranks: exact, named, and found in a time that does not grow with tensors times ranks. */
#define _POSIX_C_SOURCE 200809L
#include "compiler/roles/roles.h"
#include "layout_fixture.h"
#include "suite.h"

#include <time.h>

/* A program with slots only: names of places with their ranks, tensors with their layouts. */
struct setting {
	struct session *session;
	struct program *program;
};

static struct setting setting_new(int64_t nranks)
{
	struct setting s = {.session = session_new()};
	s.program = program_new(s.session, "test", "test.pml");
	s.program->nranks = nranks;
	fixture_place(s.program, "world", 0, (int64_t)nranks);
	return s;
}

static void add_tensor(struct setting *s, const struct place *p, struct shape shape, const char *layout)
{
	struct slot *slot = ARENA_NEW(s->program->arena, struct slot);
	*slot = (struct slot){.id = s->program->slots.n,
			      .dtype = DT_F32,
			      .shape = shape,
			      .place = p,
			      .laid_out = layout_text(layout),
			      .is_laid_out = true};
	vec_push(s->program->arena, &s->program->slots, slot);
}

static const char *names(const struct program *p)
{
	struct text t;
	text_init(&t, p->arena);
	for (int i = 0; i < p->roles.n; i++)
		text_printf(&t, "%s[%s:%d]", i ? " " : "", p->roles.at[i]->name, p->roles.at[i]->ranks.n);
	return text_get(&t);
}

/* Every rank is in one role; ranks of a role are in the same places and hold shards of the same sizes. */
static void check_partition(const struct program *p)
{
	int64_t count = 0;
	for (int i = 0; i < p->roles.n; i++) {
		const struct role *r = p->roles.at[i];
		count += r->ranks.n;
		for (int k = 1; k < r->ranks.n; k++)
			for (int j = 0; j < p->slots.n; j++) {
				const struct slot *s = p->slots.at[j];
				int64_t a = place_position(s->place, r->ranks.at[0]),
					b = place_position(s->place, r->ranks.at[k]);
				ck_assert((a < 0) == (b < 0));
				if (a < 0)
					continue;
				struct shape x = layout_local_shape(s->place, &s->laid_out, &s->shape, a);
				struct shape y = layout_local_shape(s->place, &s->laid_out, &s->shape, b);
				ck_assert_msg(shape_equal(&x, &y), "ranks %d and %d", (int)r->ranks.at[0],
					      (int)r->ranks.at[k]);
			}
	}
	ck_assert_int_eq(count, p->nranks);
}

START_TEST(one_role_has_no_name)
{
	struct setting s = setting_new(4);
	add_tensor(&s, s.program->places.at[0], SHAPE(8, 3), "S0");
	roles_find(s.program);
	ck_assert_str_eq(names(s.program), "[:4]");
}
END_TEST

START_TEST(roles_are_named_after_placements)
{
	struct setting s = setting_new(5);
	struct place *left = fixture_place(s.program, "left", 0, 2),
		     *right = fixture_place(s.program, "right[tp=0]", 2, 2);
	add_tensor(&s, left, SHAPE(8), "S0");
	add_tensor(&s, right, SHAPE(8), "B");
	roles_find(s.program);
	ck_assert_str_eq(names(s.program), "[left:2] [right-tp-0:2] [rest:1]");
	check_partition(s.program);
}
END_TEST

START_TEST(uneven_shards_make_numbered_roles)
{
	struct setting s = setting_new(4);
	struct place *left = fixture_place(s.program, "left", 0, 4);
	add_tensor(&s, left, SHAPE(10), "S0");
	add_tensor(&s, left, SHAPE(7, 3), "S0");
	roles_find(s.program);
	ck_assert_str_eq(names(s.program), "[left:2] [left.1:1] [left.2:1]");
	check_partition(s.program);
}
END_TEST

START_TEST(placements_nobody_uses_make_no_roles)
{
	struct setting s = setting_new(4);
	fixture_place(s.program, "left", 0, 2);
	add_tensor(&s, s.program->places.at[0], SHAPE(8), "S0");
	roles_find(s.program);
	ck_assert_str_eq(names(s.program), "[:4]");
}
END_TEST

START_TEST(overlapping_placements_are_told_apart)
{
	struct setting s = setting_new(6);
	struct place *a = fixture_place(s.program, "a", 0, 4), *b = fixture_place(s.program, "b", 2, 4);
	add_tensor(&s, a, SHAPE(8), "B");
	add_tensor(&s, b, SHAPE(8), "B");
	roles_find(s.program);
	ck_assert_str_eq(names(s.program), "[a:2] [a+b:2] [b:2]");
	check_partition(s.program);
}
END_TEST

START_TEST(random_meshes_are_partitioned_exactly)
{
	uint64_t dice = (uint64_t)_i;
	int64_t n0 = 1 + (int64_t)(fixture_random(&dice) % 5), n1 = 1 + (int64_t)(fixture_random(&dice) % 5);
	struct setting s = setting_new(n0 * n1 + 1);
	struct place *grid = fixture_place(s.program, "grid", 0, n0 * n1);
	grid->naxes = 2;
	grid->axis[0] = intern(s.session->names, "x");
	grid->axis[1] = intern(s.session->names, "y");
	grid->extent[0] = n0;
	grid->extent[1] = n1;
	static const char *const layouts[] = {"S0,S0", "S0,S1", "S1,S0", "B,S0", "S1,B", "B,P", "S1,S1"};
	for (int i = 0; i < 3; i++)
		add_tensor(&s, grid,
			   SHAPE((int64_t)(fixture_random(&dice) % 40), (int64_t)(fixture_random(&dice) % 40)),
			   layouts[fixture_random(&dice) % 7]);
	roles_find(s.program);
	check_partition(s.program);
}
END_TEST

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

START_TEST(many_ranks_and_tensors_take_no_time)
{
	struct setting s = setting_new(20000);
	for (int i = 0; i < 2000; i++)
		add_tensor(&s, s.program->places.at[0], SHAPE(20000 * (1 + i % 3) + 7, 64), "S0");
	double start = seconds();
	roles_find(s.program);
	ck_assert_msg(seconds() - start < 2, "took %g s", seconds() - start);
	ck_assert_str_eq(names(s.program), "[world:7] [world.1:19993]");
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *t = suite_begin(&suite, "roles");
	tcase_add_test(t, one_role_has_no_name);
	tcase_add_test(t, roles_are_named_after_placements);
	tcase_add_test(t, uneven_shards_make_numbered_roles);
	tcase_add_test(t, placements_nobody_uses_make_no_roles);
	tcase_add_test(t, overlapping_placements_are_told_apart);
	tcase_add_loop_test(t, random_meshes_are_partitioned_exactly, 0, 200);
	tcase_add_test(t, many_ranks_and_tensors_take_no_time);
	return suite_end(suite);
}
