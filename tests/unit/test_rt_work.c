/* test_rt_work.c — what a step takes, for --profile: never less than it had of the processor, whatever others had of
 * the steps in front of it. */
#define _GNU_SOURCE
#include "rt.h"
#include "suite.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SHORT, LONG, KINDS, ROUNDS = 200, SHORTS = 40, BUSY_NS = 100000, AWAY_NS = 5000 };

static void begin(struct pmlrt *rt, struct pmlrt_program *p)
{
	memset(rt, 0, sizeof *rt);
	memset(p, 0, sizeof *p);
	p->nworks = KINDS;
	rt->program = p;
	rt->options.profile = true;
	rt_works_start(rt);
}

static void compute(int64_t ns)
{
	for (int64_t begun = rt_processor_now(); rt_processor_now() - begun < ns;)
		;
}

/* Another thread on the same processor, which has it for some microseconds whenever it is asked to. */
struct other {
	pthread_t thread;
	int asked[2], done[2];
};

static void *other_runs(void *argument)
{
	struct other *o = argument;
	for (char c; read(o->asked[0], &c, 1) == 1;) {
		compute(AWAY_NS);
		if (write(o->done[1], &c, 1) != 1)
			break;
	}
	return NULL;
}

static void other_begin(struct other *o)
{
	cpu_set_t here;
	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	ck_assert_int_eq(sched_setaffinity(0, sizeof here, &here), 0);
	ck_assert(pipe(o->asked) == 0 && pipe(o->done) == 0);
	ck_assert_int_eq(pthread_create(&o->thread, NULL, other_runs, o), 0);
}

static void be_away(struct other *o)
{
	char c = 0;
	ck_assert(write(o->asked[1], &c, 1) == 1 && read(o->done[0], &c, 1) == 1);
}

static void other_end(struct other *o)
{
	close(o->asked[1]);
	pthread_join(o->thread, NULL);
	close(o->asked[0]);
	close(o->done[0]);
	close(o->done[1]);
}

START_TEST(a_long_step_behind_short_ones)
{
	struct pmlrt rt;
	struct pmlrt_program p;
	begin(&rt, &p);
	struct other other;
	other_begin(&other);
	for (int round = 0; round < ROUNDS; round++) {
		rt_work_begin(&rt);
		for (int i = 0; i < SHORTS; i++) {
			be_away(&other);
			rt_work_end(&rt, SHORT);
		}
		compute(BUSY_NS);
		rt_work_end(&rt, LONG);
	}
	other_end(&other);
	ck_assert_int_eq(rt_work_taken(&rt, SHORT).calls, ROUNDS * SHORTS);
	ck_assert_int_eq(rt_work_taken(&rt, LONG).calls, ROUNDS);
	ck_assert_int_ge(rt_work_taken(&rt, LONG).ns, BUSY_NS);
	ck_assert_int_ge(rt_work_taken(&rt, LONG).total_ns, (int64_t)ROUNDS * BUSY_NS);
	rt_free_all(&rt);
}
END_TEST

/* What a step is put aside for is not its own. */
START_TEST(a_long_step_that_waits)
{
	struct pmlrt rt;
	struct pmlrt_program p;
	begin(&rt, &p);
	rt_work_begin(&rt);
	nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
	compute(BUSY_NS);
	rt_work_end(&rt, LONG);
	ck_assert_int_ge(rt_work_taken(&rt, LONG).ns, BUSY_NS);
	ck_assert_int_lt(rt_work_taken(&rt, LONG).ns, 40000000);
	rt_free_all(&rt);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "what steps take");
	tcase_add_test(t, a_long_step_behind_short_ones);
	tcase_add_test(t, a_long_step_that_waits);
	return suite_end(s);
}
