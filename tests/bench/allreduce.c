/* allreduce.c — what allreduce.pml does: a part is copied, then summed up over all ranks; prints the median in ms.
 *   mpi      by MPI_Allreduce
 *   shared   what two ranks of a host could do at best: by hand, for exactly two ranks whose parts and results lie in
 * memory that both see from the start, with nothing to check, to plan or to wait for but the other rank, and a wait
 * that spins
 *
 *   mpiexec -n 2 ./allreduce mpi|shared ELEMENTS STEPS */
#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- by hand ---- */

enum { FEW = 4096 };

/* A rank's share of the window: how far it is, on lines of its own; a part and a result, of few numbers two that take
 * turns. */
struct share {
	_Alignas(128) atomic_long copied;
	_Alignas(128) atomic_long summed;
	_Alignas(128) float data[];
};

struct shared {
	MPI_Win window;
	struct share *mine, *other;
	int rank;
};

static struct shared shared_new(int rank, size_t n)
{
	struct shared s = {.rank = rank};
	int unit;
	MPI_Aint size = (MPI_Aint)(sizeof(struct share) + 4 * n * sizeof(float));
	void *base, *far;
	MPI_Win_allocate_shared(size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &s.window);
	memset(base, 0, (size_t)size);
	MPI_Win_shared_query(s.window, 1 - rank, &size, &unit, &far);
	s.mine = base;
	s.other = far;
	MPI_Barrier(MPI_COMM_WORLD);
	return s;
}

static void await(atomic_long *at, long turn)
{
	while (atomic_load_explicit(at, memory_order_acquire) < turn)
		;
}

static void add(float *restrict to, const float *restrict a, const float *restrict b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = a[i] + b[i];
}

/* Few numbers: each rank adds up all, which takes one wait, and the other may still read the last turn's. Many: each
 * adds up half and copies the other's, which takes two. */
static void shared_sum(struct shared *s, const float *part, size_t n, long turn)
{
	bool few = n <= FEW;
	size_t slot = few ? (size_t)(turn % 2) * 2 * n : 0, half = n / 2, begin = s->rank ? half : 0,
	       count = s->rank ? n - half : half;
	size_t rest = s->rank ? 0 : half;
	float *my_part = s->mine->data + slot, *my_sum = my_part + n;
	float *its_part = s->other->data + slot, *its_sum = its_part + n;
	memcpy(my_part, part, n * sizeof *part);
	atomic_store_explicit(&s->mine->copied, turn, memory_order_release);
	await(&s->other->copied, turn);
	if (few) {
		add(my_sum, my_part, its_part, n);
		return;
	}
	add(my_sum + begin, my_part + begin, its_part + begin, count);
	atomic_store_explicit(&s->mine->summed, turn, memory_order_release);
	await(&s->other->summed, turn);
	memcpy(my_sum + rest, its_sum + rest, (n - count) * sizeof *part);
}

/* ---- main ---- */

static int order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	int rank, ranks;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	bool by_hand = argc > 1 && !strcmp(argv[1], "shared");
	int n = argc > 3 ? atoi(argv[2]) : 0, steps = argc > 3 ? atoi(argv[3]) : 0;
	if (n < 1 || steps < 1 || (by_hand ? ranks != 2 : strcmp(argv[1], "mpi")))
		MPI_Abort(MPI_COMM_WORLD, 2);
	size_t bytes = (size_t)n * sizeof(float);
	float *part = malloc(bytes), *sum = malloc(bytes);
	double *ms = malloc((size_t)steps * sizeof *ms);
	if (!part || !sum || !ms)
		MPI_Abort(MPI_COMM_WORLD, 2);
	for (int i = 0; i < n; i++)
		part[i] = (float)(i % 7);
	struct shared s = {0};
	if (by_hand)
		s = shared_new(rank, (size_t)n);
	for (int i = 0; i < steps; i++) {
		double start = MPI_Wtime();
		if (by_hand) {
			shared_sum(&s, part, (size_t)n, i + 1);
		} else {
			memcpy(sum, part, bytes);
			MPI_Allreduce(MPI_IN_PLACE, sum, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
		}
		ms[i] = (MPI_Wtime() - start) * 1e3;
	}
	qsort(ms, (size_t)steps, sizeof *ms, order);
	if (rank == 0)
		printf("%.6f\n", ms[steps / 2]);
	if (by_hand)
		MPI_Win_free(&s.window);
	free(ms);
	free(sum);
	free(part);
	MPI_Finalize();
	return 0;
}
