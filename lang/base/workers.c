/* workers.c — see workers.h. */
#define _GNU_SOURCE
#include "workers.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

/* MOST: more at a time take memory, and save no time where each task waits for what others have worked out. STACK: as
 * large as that of the main thread usually is. */
enum { MOST = 8, STACK = 8 << 20 };

struct workers {
	int n;
	atomic_int next;
	void (*task)(void *context, int i);
	void *context;
};

static void *work(void *of)
{
	struct workers *w = of;
	for (int i; (i = atomic_fetch_add(&w->next, 1)) < w->n;)
		w->task(w->context, i);
	return NULL;
}

/* That this process may use. */
static int processors(void)
{
	cpu_set_t set;
	return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

/* A thread that cannot be had is one less: this one works as well. */
void workers_run(int n, void (*task)(void *context, int i), void *context)
{
	struct workers w = {.n = n, .task = task, .context = context};
	pthread_t thread[MOST];
	pthread_attr_t attributes;
	int most = processors(), started = 0;
	most = most < MOST ? most : MOST;
	most = most < n ? most : n;
	if (most > 1 && !pthread_attr_init(&attributes)) {
		pthread_attr_setstacksize(&attributes, STACK);
		while (started < most - 1 && !pthread_create(&thread[started], &attributes, work, &w))
			started++;
		pthread_attr_destroy(&attributes);
	}
	work(&w);
	for (int i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
}
