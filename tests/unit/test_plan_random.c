/* test_plan_random.c — random regions, planned with all fusion and run on 1 to 4 simulated ranks under random layouts,
 * give what the graph means. Arguments: first seed and number of seeds (the default is a short run). */
#include "plan_random.h"

static int run_seed(uint64_t seed)
{
	struct run r = start();
	if (getenv("PLAN_SEED"))
		fprintf(stderr, "seed %d\n", (int)seed);
	random_region(&r, seed);
	bool legal = prepare(&r, r.f.program->nranks);
	if (legal)
		compare(&r, 2);
	session_free(r.f.session);
	return legal;
}

static uint64_t first_seed = 1;
static int nseeds = 150;

START_TEST(plans_compute_what_graphs_mean)
{
	int legal = 0;
	for (int i = 0; i < nseeds; i++)
		legal += run_seed(first_seed + (uint64_t)i);
	fprintf(stderr, "%d of %d regions could be laid out\n", legal, nseeds);
	ck_assert_int_gt(legal, nseeds / 10);
}
END_TEST

int main(int argc, char **argv)
{
	if (argc > 1)
		first_seed = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		nseeds = atoi(argv[2]);
	Suite *suite = suite_create("random plans");
	TCase *t = tcase_create("all");
	tcase_set_timeout(t, 600);
	tcase_add_test(t, plans_compute_what_graphs_mean);
	suite_add_tcase(suite, t);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
