/* watchdog.c — a thread that notices what MPI never does: a rank that waits for one that is stopped, looping or gone.
 * It only reads where the main thread waits (rt->waiting), says so after a while, and ends the job after --timeout. */
#define _POSIX_C_SOURCE 200809L
#include "moves.h"
#include "rt.h"
#include "transfer.h"

#include <pthread.h>
#include <time.h>

enum { FIRST_WORD_S = 10, NEXT_WORD_FACTOR = 4, LOOK_EVERY_MS = 100 };

struct rt_watchdog {
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t stop_now;
	bool stop;
	int64_t said; /* seconds of the present wait after which the next word is due */
	int64_t said_since;
};

static const char *const method_text[] = {
#define REDIST(name, text, collective) text,
#include "redist.def"
#undef REDIST
};

static void describe(const struct pmlrt *rt, char *out, size_t size)
{
	char place[512];
	int32_t id = atomic_load(&rt->waiting.transfer), site = atomic_load(&rt->waiting.site);
	rt_site_text(rt, site, place, sizeof place);
	if (id < 0) {
		const char *what = atomic_load(&rt->waiting.what);
		snprintf(out, size, "%s%s%s", what ? what : "other ranks", place[0] ? ", " : "", place);
		return;
	}
	const struct rt_transfer *t = &rt->transfers[id];
	const char *what = rt->program->sites[site].what;
	snprintf(out, size, "%s of `%s` from `%s` to `%s`%s%s", method_text[t->decl->method], what ? what : "", t->from.place->name,
	         t->to.place->name, place[0] ? ", " : "", place);
}

static void say_waiting(const struct pmlrt *rt, double seconds)
{
	char what[1024];
	describe(rt, what, sizeof what);
	fprintf(stderr, "rank %d has waited %.0f s: %s (step %lld)\n", rt->rank, seconds, what, (long long)atomic_load(&rt->step));
}

static void look(struct pmlrt *rt, struct rt_watchdog *w)
{
	int64_t since = atomic_load_explicit(&rt->waiting.since, memory_order_acquire);
	if (since != w->said_since) {
		w->said_since = since;
		w->said = FIRST_WORD_S;
	}
	if (!since)
		return;
	double seconds = (double)(rt_now() - since) * 1e-9;
	if (rt->options.timeout > 0 && seconds > rt->options.timeout) {
		char what[1024];
		describe(rt, what, sizeof what);
		rt_fail(rt, 0, "rank %d has waited longer than --timeout=%g seconds: %s (step %lld)", rt->rank, rt->options.timeout,
		        what, (long long)atomic_load(&rt->step));
	}
	if (seconds > (double)w->said) {
		w->said *= NEXT_WORD_FACTOR;
		say_waiting(rt, seconds);
	}
}

static void *watch(void *context)
{
	struct pmlrt *rt = context;
	struct rt_watchdog *w = rt->watchdog;
	pthread_mutex_lock(&w->mutex);
	while (!w->stop) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += LOOK_EVERY_MS * 1000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&w->stop_now, &w->mutex, &until);
		look(rt, w);
	}
	pthread_mutex_unlock(&w->mutex);
	return NULL;
}

void rt_watchdog_start(struct pmlrt *rt)
{
	struct rt_watchdog *w = rt->watchdog = rt_alloc(rt, sizeof *w);
	pthread_mutex_init(&w->mutex, NULL);
	pthread_cond_init(&w->stop_now, NULL);
	if (pthread_create(&w->thread, NULL, watch, rt) != 0)
		rt->watchdog = NULL; /* the job runs without one */
}

void rt_watchdog_stop(struct pmlrt *rt)
{
	struct rt_watchdog *w = rt->watchdog;
	if (!w)
		return;
	pthread_mutex_lock(&w->mutex);
	w->stop = true;
	pthread_cond_signal(&w->stop_now);
	pthread_mutex_unlock(&w->mutex);
	pthread_join(w->thread, NULL);
}
