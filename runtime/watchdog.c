/* watchdog.c — a thread that notices what MPI never does: a rank that waits for one that is stopped, or gone. It only
 * reads where the main thread waits (rt->waiting) and looks at the ranks beside it (peers.h); it says after a while
 * what is waited for, and ends the job when --timeout seconds went by in vain. A rank that computes is waited for
 * longer (peers_are_lost). Looks are counted, not the clock: what was stopped as a whole has not waited.
 * Signals that ask a job to end are blocked everywhere else and arrive here, so that a job that is interrupted ends
 * like any other that fails: with one message and a status; or, where the program writes checkpoints, after one
 * (stop.c). (A launcher may take ranks that die of SIGTERM for a success.) */
#define _GNU_SOURCE
#include "peers.h"
#include "transfer.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_WORD_S = 10, NEXT_WORD_FACTOR = 4, LOOK_EVERY_MS = 100, LONGEST_LOOK_S = 1, LEAST_WORK = 20 };

struct rt_watchdog {
	pthread_t thread;
	clockid_t main_clock;                   /* processor time of the thread that computes */
	int64_t looked_ns, processor_ns, since; /* at the last look */
	double waited;                          /* seconds of looks within the present wait */
	int64_t said;                           /* after which the next word is due */
	struct rt_peers peers;
};

static const char *const method_text[] = {
#define REDIST(name, text, most) text,
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

static void late_ranks(const struct pmlrt *rt, const struct rt_watchdog *w, char *out, size_t size)
{
	size_t used = (size_t)snprintf(out, size, "\n  ");
	peers_describe(rt, &w->peers, out + used, size - used);
	if (!out[used])
		out[0] = 0;
}

static const char *step_text(struct pmlrt *rt, char *out, size_t size)
{
	out[0] = 0;
	if (atomic_load(&rt->phase) != RT_STARTING)
		snprintf(out, size, " (step %lld)", (long long)atomic_load(&rt->step));
	return out;
}

static void say_waiting(struct pmlrt *rt, const struct rt_watchdog *w)
{
	char what[RT_DOING], step[64], late[1600], line[2600];
	describe(rt, what, sizeof what);
	late_ranks(rt, w, late, sizeof late);
	int n = snprintf(line, sizeof line, "rank %d has waited %.0f s: %s%s%s\n", rt->rank, w->waited, what,
			 step_text(rt, step, sizeof step), late);
	if (write(STDERR_FILENO, line, (size_t)n) < 0)
		return;
}

static _Noreturn void give_up(struct pmlrt *rt, const struct rt_watchdog *w)
{
	char what[RT_DOING], step[64], late[1600];
	describe(rt, what, sizeof what);
	late_ranks(rt, w, late, sizeof late);
	rt_fail(rt, 0, "rank %d has waited longer than --timeout=%g seconds: %s%s%s", rt->rank, rt->options.timeout,
		what, step_text(rt, step, sizeof step), late);
}

static int64_t processor_ns(clockid_t clock)
{
	struct timespec t;
	return clock_gettime(clock, &t) == 0 ? (int64_t)t.tv_sec * 1000000000 + t.tv_nsec : 0;
}

/* What this rank did since the last look, `passed` seconds ago, for those who look at it. One that only wakes to sleep
 * on computes nothing. */
static void publish(struct pmlrt *rt, struct rt_watchdog *w, int64_t since, double passed)
{
	int64_t processor = processor_ns(w->main_clock);
	bool computes = (double)(processor - w->processor_ns) * 1e-9 > passed / LEAST_WORK;
	bool moved = since ? since != w->since : w->since || computes;
	if (since != w->since && since)
		describe(rt, rt->life.doing, sizeof rt->life.doing);
	atomic_store(&rt->life.waits, since != 0);
	atomic_store(&rt->life.used, processor);
	if (moved)
		atomic_fetch_add(&rt->life.moves, 1);
	atomic_fetch_add(&rt->life.beats, 1);
	w->processor_ns = processor;
}

static void look(struct pmlrt *rt, struct rt_watchdog *w)
{
	int64_t since = atomic_load_explicit(&rt->waiting.since, memory_order_acquire), now = rt_now();
	double passed = (double)(now - w->looked_ns) * 1e-9;
	passed = passed < LONGEST_LOOK_S ? passed : LONGEST_LOOK_S;
	w->looked_ns = now;
	publish(rt, w, since, passed);
	if (since != w->since) {
		w->since = since;
		w->waited = 0;
		w->said = FIRST_WORD_S;
		peers_reset(&w->peers);
		return;
	}
	if (!since)
		return;
	w->waited += passed;
	peers_look(rt, &w->peers, passed);
	if (rt->options.timeout > 0 && w->waited > rt->options.timeout &&
	    peers_are_lost(&w->peers, rt->options.timeout))
		give_up(rt, w);
	if (w->waited > (double)w->said) {
		w->said *= NEXT_WORD_FACTOR;
		say_waiting(rt, w);
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

static void signals_take(int how)
{
	sigset_t set = ending_signals();
	pthread_sigmask(how, &set, NULL);
}

void rt_watchdog_hold_signals(void)
{
	signals_take(SIG_BLOCK);
}

static _Noreturn void interrupted(struct pmlrt *rt, int signal)
{
	char when[64] = " before all ranks had started";
	if (atomic_load(&rt->phase) != RT_STARTING)
		step_text(rt, when, sizeof when);
	rt_fail_with(rt, RT_SIGNAL_STATUS + signal, "rank %d was told to end by %s%s", rt->rank, rt_signal_text(signal),
		     when);
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

void rt_watchdog_start(struct pmlrt *rt)
{
	struct rt_watchdog *w = rt->watchdog = rt_alloc(rt, sizeof *w);
	sigset_t stop;
	sigemptyset(&stop);
	sigaddset(&stop, stop_signal());
	pthread_sigmask(SIG_BLOCK, &stop, NULL);
	w->looked_ns = rt_now();
	if (pthread_getcpuclockid(pthread_self(), &w->main_clock) != 0)
		w->main_clock = CLOCK_MONOTONIC;
	peers_begin(rt, &w->peers);
	/* Without a thread the job goes on. */
	if (pthread_create(&w->thread, NULL, watch, rt) == 0)
		return;
	peers_end(&w->peers);
	rt->watchdog = NULL;
	signals_take(SIG_UNBLOCK);
}

void rt_watchdog_stop(struct pmlrt *rt)
{
	if (!rt->watchdog)
		return;
	pthread_kill(rt->watchdog->thread, stop_signal());
	pthread_join(rt->watchdog->thread, NULL);
	peers_end(&rt->watchdog->peers);
	rt->watchdog = NULL;
	signals_take(SIG_UNBLOCK);
}
