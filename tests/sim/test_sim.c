/* test_sim.c — the simulation itself: right exchanges end, and every kind of mistake it promises to find is found. */
#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 4, SCHEDULES = 50, TAG = 5 };

static void wait_for(MPI_Request *r)
{
	int done = 0;
	while (!done)
		MPI_Test(r, &done, MPI_STATUS_IGNORE);
}

static int rank_here(void)
{
	int rank;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	return rank;
}

static int next_rank(void)
{
	return (rank_here() + 1) % RANKS;
}

static int previous_rank(void)
{
	return (rank_here() + RANKS - 1) % RANKS;
}

/* Two messages with one tag around a ring: their order holds. */
static void ring(void *context, int rank)
{
	int sent[2] = {rank, rank + 100}, got[2];
	MPI_Request r[4];
	(void)context;
	for (int i = 0; i < 2; i++) {
		MPI_Irecv(&got[i], 1, MPI_INT, previous_rank(), TAG, MPI_COMM_WORLD, &r[i]);
		MPI_Isend(&sent[i], 1, MPI_INT, next_rank(), TAG, MPI_COMM_WORLD, &r[2 + i]);
	}
	for (int i = 3; i >= 0; i--)
		wait_for(&r[i]);
	if (got[0] != previous_rank() || got[1] != previous_rank() + 100)
		sim_fail("messages are mixed up");
}

static void collectives(void *context, int rank)
{
	int one = rank + 1, sum = 0, all[RANKS], counts[RANKS] = {1, 1, 1, 1}, at[RANKS] = {3, 2, 1, 0}, mine = 0;
	int sends[RANKS], straight[RANKS] = {0, 1, 2, 3}, gets[RANKS];
	MPI_Request r[4];
	(void)context;
	for (int i = 0; i < RANKS; i++)
		sends[i] = 10 * rank + i;
	MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[0]);
	MPI_Iallgatherv(&one, 1, MPI_INT, all, counts, at, MPI_INT, MPI_COMM_WORLD, &r[1]);
	MPI_Ireduce_scatter(sends, &mine, counts, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &r[2]);
	MPI_Ialltoallv(sends, counts, straight, MPI_INT, gets, counts, straight, MPI_INT, MPI_COMM_WORLD, &r[3]);
	for (int i = 3; i >= 0; i--)
		wait_for(&r[i]);
	bool right = sum == 10 && mine == 30 + rank;
	for (int i = 0; i < RANKS; i++)
		right = right && all[3 - i] == i + 1 && gets[i] == 10 * i + rank;
	if (!right)
		sim_fail("a collective's result is wrong");
}

static void deadlock(void *context, int rank)
{
	int x = 0;
	MPI_Request r;
	(void)context;
	(void)rank;
	MPI_Irecv(&x, 1, MPI_INT, next_rank(), TAG, MPI_COMM_WORLD, &r);
	wait_for(&r);
}

static void other_collective(void *context, int rank)
{
	int x = 1, y;
	MPI_Request r;
	(void)context;
	if (rank == 2)
		MPI_Ibarrier(MPI_COMM_WORLD, &r);
	else
		MPI_Iallreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
	wait_for(&r);
}

static void other_count(void *context, int rank)
{
	int x[2] = {1, 1}, y[2];
	MPI_Request r;
	(void)context;
	MPI_Iallreduce(x, y, 1 + (rank == 1), MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
	wait_for(&r);
}

/* Rank 0 sends as much of a type as rank 1 does not expect. */
static void message(int count, MPI_Datatype type)
{
	char x[16] = {0};
	MPI_Request r = MPI_REQUEST_NULL;
	if (rank_here() == 0)
		MPI_Isend(x, count, type, 1, TAG, MPI_COMM_WORLD, &r);
	if (rank_here() == 1)
		MPI_Irecv(x, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, &r);
	wait_for(&r);
}

static void other_length(void *context, int rank)
{
	(void)context;
	(void)rank;
	message(2, MPI_INT);
}

static void other_type(void *context, int rank)
{
	(void)context;
	(void)rank;
	message(1, MPI_FLOAT);
}

static void unreceived(void *context, int rank)
{
	int x = 0;
	MPI_Request r = MPI_REQUEST_NULL;
	(void)context;
	if (rank == 0)
		MPI_Isend(&x, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, &r);
}

static void overlapping(void *context, int rank)
{
	int x[3] = {0};
	MPI_Request r;
	(void)context;
	(void)rank;
	MPI_Iallreduce(x, x + 1, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
	wait_for(&r);
}

static void untested(void *context, int rank)
{
	MPI_Request r;
	(void)context;
	(void)rank;
	MPI_Ibarrier(MPI_COMM_WORLD, &r);
}

/* A receive buffer is somebody else's until the message is there. */
static void early(void *context, int rank)
{
	static int x; /* in one place for all schedules */
	int *touched = context;
	MPI_Request r = MPI_REQUEST_NULL;
	if (rank == 0) {
		x = 1;
		MPI_Irecv(&x, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, &r);
		*touched += x != 1;
	}
	if (rank == 1)
		MPI_Isend(&rank, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, &r);
	wait_for(&r);
}

static int passed, failed, spoiled;

static void expect(void (*body)(void *context, int rank), const char *name, const char *error)
{
	for (uint64_t seed = 1; seed <= SCHEDULES; seed++) {
		struct sim_options o = {.ranks = RANKS, .seed = seed};
		const char *got = sim_run(&o, body, &spoiled);
		if (error ? got && strstr(got, error) : !got) {
			passed++;
			continue;
		}
		failed++;
		printf("FAILED: %s, schedule %d: %s\n", name, (int)seed, got ? got : "no error");
	}
}

int main(void)
{
	expect(ring, "a ring", NULL);
	expect(collectives, "collectives", NULL);
	expect(deadlock, "a deadlock", "deadlock: a message is expected that nobody sends");
	expect(other_collective, "another collective", "where rank");
	expect(other_count, "another count", "do not fit");
	expect(other_length, "another length", "sends 2 MPI_INT to rank 1 with tag 5, which expects 1 MPI_INT");
	expect(other_type, "another type", "sends 1 MPI_FLOAT");
	expect(unreceived, "a message nobody receives", "left over");
	expect(overlapping, "overlapping buffers", "overlap");
	expect(untested, "a request nobody tests", "never saw 1 requests complete");
	expect(early, "a buffer that is read early", NULL);
	failed += spoiled != SCHEDULES;
	sim_end();
	printf("%d passed, %d failed\n", passed, failed);
	return failed > 0;
}
