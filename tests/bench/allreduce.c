/* allreduce.c — what allreduce.pml does, by MPI_Allreduce: a part is copied, then summed up over all ranks. Prints the median in ms.
 *   mpiexec -n 2 ./allreduce ELEMENTS STEPS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int n = argc > 2 ? atoi(argv[1]) : 0, steps = argc > 2 ? atoi(argv[2]) : 0;
	size_t bytes = (size_t)n * sizeof(float);
	float *part = malloc(bytes), *sum = malloc(bytes);
	double *ms = malloc((size_t)steps * sizeof *ms);
	if (!part || !sum || !ms || n < 1 || steps < 1)
		MPI_Abort(MPI_COMM_WORLD, 2);
	for (int i = 0; i < n; i++)
		part[i] = (float)(i % 7);
	for (int i = 0; i < steps; i++) {
		double start = MPI_Wtime();
		memcpy(sum, part, bytes);
		MPI_Allreduce(MPI_IN_PLACE, sum, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
		ms[i] = (MPI_Wtime() - start) * 1e3;
	}
	qsort(ms, (size_t)steps, sizeof *ms, order);
	if (rank == 0)
		printf("%.6f\n", ms[steps / 2]);
	free(ms);
	free(sum);
	free(part);
	MPI_Finalize();
	return 0;
}
