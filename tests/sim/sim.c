/* sim.c — the scheduler: coroutines by ucontext, events in an order drawn from the seed. */
#define _GNU_SOURCE
#include "sim_world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define VALGRIND_STACK_REGISTER(begin, end) 0
#define VALGRIND_STACK_DEREGISTER(id)       (void)(id)
#endif

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#define BEFORE_SWITCH(save, stack, size) __sanitizer_start_switch_fiber(save, stack, size)
#define AFTER_SWITCH(saved, stack, size) __sanitizer_finish_switch_fiber(saved, stack, size)
#else
#define BEFORE_SWITCH(save, stack, size) (void)(save)
#define AFTER_SWITCH(saved, stack, size) (void)(saved)
#endif

enum { STACK_BYTES = 1 << 18, YIELD_ONE_IN = 8, MOST_LOOKS = 64 };

struct rank {
	ucontext_t context;
	void *saved_stack; /* of the address sanitizer */
	bool live, parked;
	int64_t open;      /* requests not yet seen complete */
	int64_t fruitless; /* tests since the last thing that changed anything for this rank */
	int64_t looks;     /* at windows since then */
	int64_t label;
};

/* MPI's calls name no world and no rank, and a coroutine's first function gets no pointer. */
static struct {
	struct sim_world *world;
	struct rank ranks[SIM_MOST_RANKS];
	ucontext_t scheduler;
	void *scheduler_saved, *stacks[SIM_MOST_RANKS];
	unsigned stack_ids[SIM_MOST_RANKS]; /* of valgrind */
	const void *scheduler_stack;
	size_t scheduler_size;
	void (*body)(void *context, int rank);
	void *context;
	int running; /* -1: the scheduler */
	bool failed;
	char error[1024];
	int64_t error_label;
} sim;

struct sim_world *sim_now(void)
{
	return sim.world;
}

int sim_rank(void)
{
	return sim.running;
}

void sim_label(int64_t label)
{
	sim.ranks[sim.running].label = label;
	sim.ranks[sim.running].fruitless = 0;
}

int64_t sim_current_label(void)
{
	return sim.ranks[sim.running].label;
}

void *sim_alloc(size_t bytes)
{
	struct sim_memory *m = calloc(1, sizeof *m + bytes);
	if (!m)
		abort();
	m->next = sim.world->memory;
	sim.world->memory = m;
	return m + 1;
}

bool sim_chance(int one_in)
{
	return sim_random(&sim.world->random) % (uint64_t)one_in == 0;
}

void sim_event(void (*happen)(void *what), void *what)
{
	struct sim_world *w = sim.world;
	if (w->nevents == w->event_room) {
		w->event_room = w->event_room ? 2 * w->event_room : 64;
		w->events = realloc(w->events, (size_t)w->event_room * sizeof *w->events);
		if (!w->events)
			abort();
	}
	w->events[w->nevents++] = (struct sim_event){happen, what};
}

/* ---- switching ---- */

static void to_scheduler(bool for_good)
{
	struct rank *r = &sim.ranks[sim.running];
	BEFORE_SWITCH(for_good ? NULL : &r->saved_stack, sim.scheduler_stack, sim.scheduler_size);
	swapcontext(&r->context, &sim.scheduler);
	AFTER_SWITCH(r->saved_stack, &sim.scheduler_stack, &sim.scheduler_size);
}

static void rank_begin(void)
{
	AFTER_SWITCH(NULL, &sim.scheduler_stack, &sim.scheduler_size);
	sim.body(sim.context, sim.running);
	sim.ranks[sim.running].live = false;
	to_scheduler(true);
}

static void run_rank(int rank)
{
	sim.running = rank;
	BEFORE_SWITCH(&sim.scheduler_saved, sim.stacks[rank], STACK_BYTES);
	swapcontext(&sim.scheduler, &sim.ranks[rank].context);
	AFTER_SWITCH(sim.scheduler_saved, NULL, NULL);
	sim.running = -1;
}

void sim_yield(void)
{
	if (sim_chance(YIELD_ONE_IN))
		to_scheduler(false);
}

static void fail(const char *fmt, va_list ap)
{
	if (!sim.failed) {
		vsnprintf(sim.error, sizeof sim.error, fmt, ap);
		sim.error_label = sim.running < 0 ? sim.world->error_label : sim.ranks[sim.running].label;
	}
	sim.failed = true;
}

void sim_fail(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fail(fmt, ap);
	va_end(ap);
	if (sim.running < 0)
		abort(); /* events report through requests; only ranks fail */
	for (;;)
		to_scheduler(false);
}

static void scheduler_fails(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fail(fmt, ap);
	va_end(ap);
}

/* ---- requests ---- */

MPI_Request sim_request_make(void)
{
	struct sim_request *r = sim_alloc(sizeof *r);
	r->owner = sim.running;
	sim.ranks[sim.running].open++;
	sim.ranks[sim.running].fruitless = 0;
	return r;
}

void sim_request_complete(MPI_Request r)
{
	r->complete = true;
	sim.ranks[r->owner].parked = false;
	sim.ranks[r->owner].fruitless = sim.ranks[r->owner].looks = 0;
}

int MPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
	(void)status;
	struct sim_request *r = *request;
	*done = 1;
	if (!r)
		return MPI_SUCCESS;
	struct rank *here = &sim.ranks[sim.running];
	if (r->owner != sim.running)
		sim_fail("rank %d tests a request of rank %d", sim.running, r->owner);
	if (r->complete) {
		here->open--;
		here->fruitless = here->looks = 0;
		*request = MPI_REQUEST_NULL;
		sim_yield();
		return MPI_SUCCESS;
	}
	/* A rank that has looked at all it waits for in vain can do nothing until one of its requests completes. It
	 * may look at one more than once before it comes to others, as for each transfer that another carries along. */
	*done = 0;
	here->parked = ++here->fruitless > (here->open + 1) * MOST_LOOKS;
	if (here->parked)
		to_scheduler(false);
	else
		sim_yield();
	return MPI_SUCCESS;
}

/* ---- windows ---- */

struct sim_window {
	struct sim_window *next;
	int rank, id;
	char *at;
};

void sim_window_make(int id, size_t bytes)
{
	struct sim_window *w = sim_alloc(sizeof *w);
	*w = (struct sim_window){sim.world->windows, sim.running, id, sim_alloc(bytes)};
	sim.world->windows = w;
}

char *sim_window(int rank, int id)
{
	struct sim_window *w = sim.world->windows;
	while (w && (w->rank != rank || w->id != id))
		w = w->next;
	if (!w)
		sim_fail("rank %d has no window for transfer %d", rank, id);
	return w->at;
}

void sim_look(void)
{
	struct rank *here = &sim.ranks[sim.running];
	here->parked = ++here->looks > MOST_LOOKS * MOST_LOOKS;
	if (here->parked)
		to_scheduler(false);
	else
		sim_yield();
}

void sim_told(void)
{
	for (int r = 0; r < sim.world->options.ranks; r++) {
		sim.ranks[r].parked = false;
		sim.ranks[r].fruitless = sim.ranks[r].looks = 0;
	}
	sim_yield();
}

void sim_wait(MPI_Request r)
{
	int done = 0;
	while (!done)
		MPI_Test(&r, &done, MPI_STATUS_IGNORE);
}

/* ---- the schedule ---- */

/* Ranks that can run; their numbers in `which`. */
static int runnable(int *which)
{
	int n = 0;
	for (int r = 0; r < sim.world->options.ranks; r++)
		if (sim.ranks[r].live && !sim.ranks[r].parked)
			which[n++] = r;
	return n;
}

static bool anyone_left(void)
{
	for (int r = 0; r < sim.world->options.ranks; r++)
		if (sim.ranks[r].live)
			return true;
	return false;
}

static void report_deadlock(const char *what)
{
	char messages[400], collectives[400];
	sim_messages_describe(messages, sizeof messages);
	sim_collectives_describe(collectives, sizeof collectives);
	scheduler_fails("%s: %s%s", what, messages, collectives);
}

/* One step: a rank runs, or an event happens. False when there is nothing to do. */
static bool step(void)
{
	struct sim_world *w = sim.world;
	int which[SIM_MOST_RANKS], n = runnable(which);
	if (!n && !w->nevents)
		return false;
	uint64_t pick = sim_random(&w->random) % (uint64_t)(n + w->nevents);
	if (pick < (uint64_t)n) {
		run_rank(which[pick]);
		return true;
	}
	struct sim_event e = w->events[pick - (uint64_t)n];
	w->events[pick - (uint64_t)n] = w->events[--w->nevents];
	e.happen(e.what);
	return true;
}

static void schedule(void)
{
	while (!sim.failed && anyone_left()) {
		if (!step())
			report_deadlock("deadlock");
	}
	while (!sim.failed && sim.world->nevents)
		step();
	const char *left = sim.failed ? NULL : sim_messages_left();
	left = left ? left : sim.failed ? NULL : sim_collectives_left();
	if (left)
		scheduler_fails("left over at the end: %s", left);
	for (int r = 0; !sim.failed && r < sim.world->options.ranks; r++)
		if (sim.ranks[r].open)
			scheduler_fails("left over at the end: rank %d never saw %lld requests complete", r,
					(long long)sim.ranks[r].open);
}

static void rank_prepare(int r)
{
	struct rank *rank = &sim.ranks[r];
	*rank = (struct rank){.live = true};
	if (!sim.stacks[r]) {
		sim.stacks[r] = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (sim.stacks[r] == MAP_FAILED)
			abort();
		sim.stack_ids[r] =
			(unsigned)VALGRIND_STACK_REGISTER(sim.stacks[r], (char *)sim.stacks[r] + STACK_BYTES);
	}
	getcontext(&rank->context);
	rank->context.uc_stack.ss_sp = sim.stacks[r];
	rank->context.uc_stack.ss_size = STACK_BYTES;
	rank->context.uc_link = NULL;
	makecontext(&rank->context, rank_begin, 0);
}

const char *sim_run(const struct sim_options *options, void (*body)(void *context, int rank), void *context)
{
	struct sim_world world = {.options = *options, .random = options->seed * 2 + 1, .error_label = -1};
	static const int eager[] = {1, 2, 1 << 30};
	int all[SIM_MOST_RANKS];
	world.eager_one_in = eager[sim_random(&world.random) % 3];
	if (options->ranks < 1 || options->ranks > SIM_MOST_RANKS)
		return "number of ranks";
	sim.world = &world;
	sim.body = body;
	sim.context = context;
	sim.running = -1;
	sim.failed = false;
	for (int r = 0; r < options->ranks; r++) {
		rank_prepare(r);
		all[r] = r;
	}
	world.world = sim_comm_make(NULL, all, options->ranks);
	schedule();
	while (world.memory) {
		struct sim_memory *m = world.memory;
		world.memory = m->next;
		free(m);
	}
	free(world.events);
	sim.world = NULL;
	return sim.failed ? sim.error : NULL;
}

int64_t sim_error_label(void)
{
	return sim.error_label;
}

void sim_end(void)
{
	for (int r = 0; r < SIM_MOST_RANKS; r++)
		if (sim.stacks[r]) {
			VALGRIND_STACK_DEREGISTER(sim.stack_ids[r]);
			munmap(sim.stacks[r], STACK_BYTES);
		}
	memset(sim.stacks, 0, sizeof sim.stacks);
}
