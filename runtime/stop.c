/* stop.c — a program that is told to end (SIGINT, SIGTERM, SIGHUP, to all ranks or to one) writes a checkpoint and
 * leaves.
 *
 * The watchdog takes the signal. The program asks once in every turn of its loop; all ranks must get the same answer,
 * so they vote: an all-reduce that begins at one question and ends at a later one, so that no step waits for it. Votes
 * are as many questions apart as take VOTE_NS, a number that is voted on, too; so short steps pay nothing. The
 * checkpoint that comes next in the program is its last statement. A second signal ends the job at once, and so does
 * the first where the program does not ask. */
#define _POSIX_C_SOURCE 200809L
#include "rt.h"

#include <signal.h>

enum { VOTE_NS = 20000000, MOST_QUESTIONS = 1 << 20 };

const char *rt_signal_text(int signal)
{
	return signal == SIGINT ? "SIGINT" : signal == SIGTERM ? "SIGTERM" : "SIGHUP";
}

bool rt_stop_ask(struct pmlrt *rt, int signal)
{
	int none = 0;
	if (atomic_load(&rt->stop.leaves))
		return true;
	if (!atomic_load(&rt->stop.listens) || !atomic_compare_exchange_strong(&rt->stop.asked, &none, signal))
		return false;
	if (rt->rank == 0 && !rt->options.quiet)
		fprintf(stderr, "told to end by %s: a checkpoint is written first; another signal ends at once\n",
			rt_signal_text(signal));
	return true;
}

static void end_vote(struct pmlrt *rt)
{
	struct rt_stop *s = &rt->stop;
	rt_wait_request(rt, &s->request, "agreement on the end", 0);
	s->voting = false;
	s->agreed = (int)s->vote[0];
	s->period = s->vote[1] > 0 ? VOTE_NS / s->vote[1] : MOST_QUESTIONS;
	s->period = s->period < 1 ? 1 : s->period > MOST_QUESTIONS ? MOST_QUESTIONS : s->period;
}

static void begin_vote(struct pmlrt *rt)
{
	struct rt_stop *s = &rt->stop;
	int64_t now = rt_now(), since = s->voted_ns ? s->voted_ns : now - VOTE_NS;
	s->vote[0] = atomic_load(&s->asked);
	s->vote[1] = (now - since) / s->apart;
	s->voted_ns = now;
	s->left = s->apart = s->period;
	RT_CHECK(rt, MPI_Iallreduce(MPI_IN_PLACE, s->vote, 2, MPI_INT64_T, MPI_MAX, rt->control, &s->request));
	s->voting = true;
}

bool pmlrt_stopping(struct pmlrt *rt)
{
	struct rt_stop *s = &rt->stop;
	atomic_store_explicit(&s->listens, true, memory_order_relaxed);
	if (rt->size == 1)
		s->agreed = atomic_load_explicit(&s->asked, memory_order_relaxed);
	if (rt->size == 1 || s->agreed || --s->left > 0)
		return s->agreed != 0;
	if (s->voting)
		end_vote(rt);
	else
		s->period = s->apart = 1;
	if (!s->agreed)
		begin_vote(rt);
	return s->agreed != 0;
}

/* What was asked for during the last turn is not heard any more: the loop is done, what follows it is the program's own
 * end. */
void pmlrt_stopping_over(struct pmlrt *rt)
{
	struct rt_stop *s = &rt->stop;
	rt_stop_finish(rt);
	atomic_store(&s->asked, 0);
	s->agreed = 0;
	s->left = 0;
	s->voted_ns = 0;
}

void rt_stop_finish(struct pmlrt *rt)
{
	if (rt->stop.voting)
		end_vote(rt);
	atomic_store(&rt->stop.listens, false);
}

void rt_stop_at_checkpoint(struct pmlrt *rt, const char *checkpoint)
{
	int signal = rt->stop.agreed;
	if (!signal)
		return;
	/* A launcher passes a signal on to all ranks, to some of them after they have agreed. */
	atomic_store(&rt->stop.leaves, true);
	rt_progress_clear(rt);
	fflush(stdout);
	if (rt->rank == 0)
		fprintf(stderr, "ended by %s with the checkpoint %s; the next run goes on from it\n",
			rt_signal_text(signal), checkpoint);
	rt_leave(rt, RT_SIGNAL_STATUS + signal);
}
