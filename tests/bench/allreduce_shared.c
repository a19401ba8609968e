/* allreduce_shared.c — what two ranks of a host could do at best: the sum of allreduce.c by hand, for exactly two ranks
 * whose parts and results lie in memory both see from the start, with nothing to check, to plan or to wait for but the
 * other rank, and a wait that spins. Prints the median in ms. mpiexec -n 2 ./allreduce_shared ELEMENTS STEPS */
#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A rank's share of the window: how far it is, on lines of its own; a part and a result, of few numbers two that take
 * turns. */
struct share {
	_Alignas(128) atomic_long copied;
	_Alignas(128) atomic_long summed;
	_Alignas(128) float data[];
};

enum { FEW = 4096 };

static int order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
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
static void all_reduce(struct share *mine, struct share *other, int rank, const float *part, size_t n, long turn)
{
	bool few = n <= FEW;
	size_t slot = few ? (size_t)(turn % 2) * 2 * n : 0, half = n / 2, begin = rank ? half : 0,
	       count = rank ? n - half : half;
	size_t rest = rank ? 0 : half;
	float *my_part = mine->data + slot, *my_sum = my_part + n;
	float *its_part = other->data + slot, *its_sum = its_part + n;
	memcpy(my_part, part, n * sizeof *part);
	atomic_store_explicit(&mine->copied, turn, memory_order_release);
	await(&other->copied, turn);
	if (few) {
		add(my_sum, my_part, its_part, n);
		return;
	}
	add(my_sum + begin, my_part + begin, its_part + begin, count);
	atomic_store_explicit(&mine->summed, turn, memory_order_release);
	await(&other->summed, turn);
	memcpy(my_sum + rest, its_sum + rest, (n - count) * sizeof *part);
}

int main(int argc, char **argv)
{
	int rank, ranks, unit;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	int n = argc > 2 ? atoi(argv[1]) : 0, steps = argc > 2 ? atoi(argv[2]) : 0;
	if (ranks != 2 || n < 1 || steps < 1)
		MPI_Abort(MPI_COMM_WORLD, 2);
	MPI_Win window;
	MPI_Aint size = (MPI_Aint)(sizeof(struct share) + 4 * (size_t)n * sizeof(float));
	void *base, *far;
	MPI_Win_allocate_shared(size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
	MPI_Win_shared_query(window, 1 - rank, &size, &unit, &far);
	struct share *mine = base, *other = far;
	float *part = malloc((size_t)n * sizeof *part);
	double *ms = malloc((size_t)steps * sizeof *ms);
	if (!part || !ms)
		MPI_Abort(MPI_COMM_WORLD, 2);
	memset(mine, 0, (size_t)sizeof(struct share) + 4 * (size_t)n * sizeof(float));
	for (int i = 0; i < n; i++)
		part[i] = (float)(i % 7);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < steps; i++) {
		double start = MPI_Wtime();
		all_reduce(mine, other, rank, part, (size_t)n, i + 1);
		ms[i] = (MPI_Wtime() - start) * 1e3;
	}
	qsort(ms, (size_t)steps, sizeof *ms, order);
	if (rank == 0)
		printf("%.6f\n", ms[steps / 2]);
	MPI_Win_free(&window);
	free(ms);
	free(part);
	MPI_Finalize();
	return 0;
}
