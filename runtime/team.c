/* team.c — see team.h. Threads look for work for a while, giving their core away to whoever wants it, before they
 * sleep: pieces of work follow each other closely within a step, and waking up a thread takes longer than many of them.
 */
#define _GNU_SOURCE
#include "team.h"

#include "cores.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STACK = 1 << 20, LOOK_NS = 200000, LOOKS = 16, LINE = 64 };

/* A number that one side raises and the other waits for. */
struct bell {
	_Alignas(LINE) _Atomic uint32_t rung;
	_Atomic uint32_t asleep;
};

struct rt_team {
	int size;
	pthread_t *thread;
	struct bell work, done; /* rung for each piece of work; by each thread that has made its part */
	bool ends;
	rt_part *part;
	void *argument;
};

/* What a thread is given at its start. */
struct member {
	struct rt_team *team;
	int part;
};

static void ring(struct bell *b)
{
	atomic_fetch_add(&b->rung, 1);
	if (atomic_load(&b->asleep))
		syscall(SYS_futex, &b->rung, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* Until the bell has been rung up to `number`. */
static void wait_for(struct bell *b, uint32_t number)
{
	int64_t begin = rt_now();
	for (int looks = 0;; looks++) {
		uint32_t rung = atomic_load_explicit(&b->rung, memory_order_acquire);
		if ((int32_t)(rung - number) >= 0)
			return;
		if (looks % LOOKS) {
			__builtin_ia32_pause();
		} else if (rt_now() - begin < LOOK_NS) {
			sched_yield();
		} else {
			atomic_fetch_add(&b->asleep, 1);
			syscall(SYS_futex, &b->rung, FUTEX_WAIT_PRIVATE, rung, NULL, NULL, 0);
			atomic_fetch_sub(&b->asleep, 1);
		}
	}
}

static void *serve(void *argument)
{
	struct member m = *(struct member *)argument;
	struct rt_team *t = m.team;
	for (uint32_t number = 1;; number++) {
		wait_for(&t->work, number);
		if (t->ends)
			return NULL;
		t->part(t->argument, m.part);
		ring(&t->done);
	}
}

/* Signals that others send are for the watchdog; what a thread does itself it answers for. */
static void block_signals(sigset_t *before)
{
	static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
	sigset_t all;
	sigfillset(&all);
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		sigdelset(&all, own[i]);
	pthread_sigmask(SIG_SETMASK, &all, before);
}

static int64_t wanted_size(struct pmlrt *rt)
{
	enum { MOST = 1024 };
	int64_t n = rt->options.threads ? rt->options.threads : rt_cores_each(rt);
	if (n > MOST)
		rt_fail(rt, 0, "--threads=%lld: a rank has at most %d", (long long)n, MOST);
	return n;
}

void rt_team_start(struct pmlrt *rt)
{
	int64_t size = wanted_size(rt);
	if (size == 1)
		return;
	struct rt_team *t = rt_alloc(rt, (int64_t)sizeof *t + LINE);
	t = (struct rt_team *)(((uintptr_t)t + LINE - 1) & ~(uintptr_t)(LINE - 1));
	*t = (struct rt_team){.size = 1, .thread = rt_alloc(rt, size * (int64_t)sizeof *t->thread)};
	struct member *members = rt_alloc(rt, size * (int64_t)sizeof *members);
	pthread_attr_t attributes;
	sigset_t before;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK);
	block_signals(&before);
	for (; t->size < size; t->size++) {
		members[t->size] = (struct member){t, t->size};
		if (pthread_create(&t->thread[t->size], &attributes, serve, &members[t->size]))
			break;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	rt->team = t;
	if (t->size < size)
		rt_fail(rt, 0, "--threads=%lld: the system allows %d", (long long)size, t->size);
}

void rt_team_end(struct pmlrt *rt)
{
	struct rt_team *t = rt->team;
	if (!t)
		return;
	t->ends = true;
	ring(&t->work);
	for (int i = 1; i < t->size; i++)
		pthread_join(t->thread[i], NULL);
	rt->team = NULL;
}

int rt_team_size(const struct pmlrt *rt)
{
	return rt->team ? rt->team->size : 1;
}

void rt_team_run(struct pmlrt *rt, rt_part *part, void *work)
{
	struct rt_team *t = rt->team;
	if (!t) {
		part(work, 0);
		return;
	}
	uint32_t others = (uint32_t)t->size - 1, done = atomic_load(&t->done.rung);
	t->part = part;
	t->argument = work;
	ring(&t->work);
	part(work, 0);
	wait_for(&t->done, done + others);
}

/* ---- turns of a loop ---- */

struct turns {
	pmlrt_turns *make;
	const int64_t *words;
	int64_t n;
	int parts;
};

static void make_turns(void *work, int part)
{
	const struct turns *t = work;
	int64_t begin = t->n / t->parts * part + t->n % t->parts * part / t->parts;
	int64_t end = t->n / t->parts * (part + 1) + t->n % t->parts * (part + 1) / t->parts;
	if (begin < end)
		t->make(t->words, begin, end);
}

void pmlrt_share(struct pmlrt *rt, pmlrt_turns *turns, const int64_t *words, int64_t n)
{
	struct turns t = {turns, words, n, rt_team_size(rt)};
	rt_team_run(rt, make_turns, &t);
}
