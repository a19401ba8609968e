/* test_plan_random.c — random regions, planned with all fusion and run on 1 to 4 simulated ranks under random layouts,
 * give what the graph means. Arguments: first seed and number of seeds (the default is a short run). */
#include "plan_random.h"
#include "suite.h"

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

static struct seeds seeds = {1, 150};

START_TEST(plans_compute_what_graphs_mean)
{
	int legal = 0;
	for (int i = 0; i < seeds.n; i++)
		legal += run_seed(seeds.first + (uint64_t)i);
	fprintf(stderr, "%d of %d regions could be laid out\n", legal, seeds.n);
	ck_assert_int_gt(legal, seeds.n / 10);
}
END_TEST

int main(int argc, char **argv)
{
	seeds_read(&seeds, argc, argv);
	Suite *suite;
	TCase *t = suite_begin(&suite, "random plans");
	tcase_add_test(t, plans_compute_what_graphs_mean);
	return suite_end(suite);
}
