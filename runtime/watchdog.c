/* watchdog.c — a thread that notices what MPI never does: a rank that waits for one that is stopped, looping or gone.
 * It only reads where the main thread waits (rt->waiting), says so after a while, and ends the job after --timeout.
 * Signals that ask a job to end are blocked everywhere else and arrive here, so that a job that is interrupted ends
 * like any other that fails: with one message and a status; or, where the program writes checkpoints, after one
 * (stop.c). (A launcher may take ranks that die of SIGTERM for a success.) */
#define _POSIX_C_SOURCE 200809L
#include "rt.h"
#include "transfer.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

enum { FIRST_WORD_S = 10, NEXT_WORD_FACTOR = 4, LOOK_EVERY_MS = 100 };

struct rt_watchdog {
	pthread_t thread;
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
	snprintf(out, size, "%s of `%s` from `%s` to `%s`%s%s", method_text[t->decl->method], what ? what : "",
		 t->from.place->name, t->to.place->name, place[0] ? ", " : "", place);
}

static void say_waiting(const struct pmlrt *rt, double seconds)
{
	char what[1024];
	describe(rt, what, sizeof what);
	fprintf(stderr, "rank %d has waited %.0f s: %s (step %lld)\n", rt->rank, seconds, what,
		(long long)atomic_load(&rt->step));
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
		rt_fail(rt, 0, "rank %d has waited longer than --timeout=%g seconds: %s (step %lld)", rt->rank,
			rt->options.timeout, what, (long long)atomic_load(&rt->step));
	}
	if (seconds > (double)w->said) {
		w->said *= NEXT_WORD_FACTOR;
		say_waiting(rt, seconds);
	}
}

static sigset_t ending_signals(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	return set;
}

void rt_signals_hold(void)
{
	sigset_t set = ending_signals();
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void signals_release(void)
{
	sigset_t set = ending_signals();
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static _Noreturn void interrupted(struct pmlrt *rt, int signal)
{
	rt_fail_with(rt, RT_SIGNAL_STATUS + signal, "rank %d was told to end by %s (step %lld)", rt->rank,
		     rt_signal_text(signal), (long long)atomic_load(&rt->step));
}

/* The signal that ends this thread alone. */
static int stop_signal(void)
{
	return SIGRTMIN;
}

static void *watch(void *context)
{
	struct pmlrt *rt = context;
	sigset_t set = ending_signals();
	sigaddset(&set, stop_signal());
	for (;;) {
		int signal = sigtimedwait(&set, NULL, &(struct timespec){.tv_nsec = LOOK_EVERY_MS * 1000000});
		if (signal == stop_signal())
			return NULL;
		if (signal > 0 && !rt_stop_ask(rt, signal))
			interrupted(rt, signal);
		look(rt, rt->watchdog);
	}
}

static void *watch_start(void *context)
{
	struct pmlrt *rt = context;
	sigset_t set = ending_signals();
	int signal = 0;
	sigaddset(&set, stop_signal());
	if (sigwait(&set, &signal) == 0 && signal != stop_signal())
		rt_fail_with(rt, RT_SIGNAL_STATUS + signal,
			     "rank %d was told to end by %s before all ranks had started", rt->rank,
			     rt_signal_text(signal));
	return NULL;
}

/* Starts a thread; without one the job goes on. */
static void begin(struct pmlrt *rt, void *(*run)(void *))
{
	struct rt_watchdog *w = rt->watchdog = rt_alloc(rt, sizeof *w);
	sigset_t stop;
	sigemptyset(&stop);
	sigaddset(&stop, stop_signal());
	pthread_sigmask(SIG_BLOCK, &stop, NULL);
	if (pthread_create(&w->thread, NULL, run, rt) != 0)
		rt->watchdog = NULL;
}

static void end(struct pmlrt *rt)
{
	if (!rt->watchdog)
		return;
	pthread_kill(rt->watchdog->thread, stop_signal());
	pthread_join(rt->watchdog->thread, NULL);
	rt->watchdog = NULL;
}

void rt_start_watch_begin(struct pmlrt *rt)
{
	begin(rt, watch_start);
}

void rt_start_watch_end(struct pmlrt *rt)
{
	end(rt);
}

void rt_watchdog_start(struct pmlrt *rt)
{
	begin(rt, watch);
	if (!rt->watchdog)
		signals_release();
}

void rt_watchdog_stop(struct pmlrt *rt)
{
	if (!rt->watchdog)
		return;
	end(rt);
	signals_release();
}
