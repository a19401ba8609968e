/* livermore.c — the kernels of livermore.pml as plain C has them: `livermore ROUNDS` prints the least time of a round
 * in ms and the sum of what there is behind it. KERNEL and N as there. */
#define _POSIX_C_SOURCE 200809L
#include "rounds.h"

enum { GRID = 64, LONG = 2 * N + 2 };

static double x[LONG], v[LONG], w[LONG], px[N][25], cx[N][25], vy[25][25], p[N][4], h[GRID][GRID];
static double u1[2][N][5], u2[2][N][5], u3[2][N][5], b[GRID][GRID], c[GRID][GRID], y[2 * GRID], z[2 * GRID];
static double vx[N], xx[N], xi[N], ex1[N], dex1[N], rx[N], du1[N], du2[N], du3[N];
static long ix[N], ir[N];

static void mix(double *to, long n, long s, double by, double plus)
{
	for (long i = 0; i < n; i++)
		to[i] = plus + by * ((double)((i * 7 + i * i % 13 * 3 + s * 5) % 31) / 31.0);
}

static void begin(void)
{
	mix(x, LONG, 1, KERNEL == 14 ? N - 2 : 1, KERNEL == 14);
	mix(v, LONG, 2, 1, 0);
	mix(w, LONG, 3, 1, 0);
	if (KERNEL == 8) {
		mix(u1[0][0], 2 * N * 5, 1, 1, 0);
		mix(u2[0][0], 2 * N * 5, 2, 1, 0);
		mix(u3[0][0], 2 * N * 5, 3, 1, 0);
	}
	if (KERNEL == 9 || KERNEL == 10 || KERNEL == 21) {
		mix(px[0], N * 25, 1, 1, 0);
		mix(cx[0], N * 25, 2, 1, 0);
		mix(vy[0], 25 * 25, 3, 1, 0);
	}
	if (KERNEL == 13) {
		mix(p[0], N * 4, 1, 40, 0);
		mix(h[0], GRID * GRID, 2, 1, 0);
		mix(b[0], GRID * GRID, 3, 1, 0);
		mix(c[0], GRID * GRID, 4, 1, 0);
		mix(y, 2 * GRID, 5, 1, 0);
		mix(z, 2 * GRID, 6, 1, 0);
	}
}

static void iccg(void)
{
	long left = N, from, at = 0;
	do {
		from = at;
		at += left;
		left /= 2;
		long i = at;
		for (long k = from + 1; k < at && i < at + left; k += 2) {
			i++;
			x[i] = x[k] - v[k] * x[k - 1] - v[k + 1] * x[k + 1];
		}
	} while (left > 1);
}

static void adi(void)
{
	const double sig = 0.5;
	for (long kx = 1; kx < 3; kx++)
		for (long k = 1; k < N - 1; k++) {
			du1[k] = u1[0][k + 1][kx] - u1[0][k - 1][kx];
			du2[k] = u2[0][k + 1][kx] - u2[0][k - 1][kx];
			du3[k] = u3[0][k + 1][kx] - u3[0][k - 1][kx];
			u1[1][k][kx] = u1[0][k][kx] + 0.1 * du1[k] + 0.2 * du2[k] + 0.3 * du3[k] +
				       sig * (u1[0][k][kx + 1] - 2.0 * u1[0][k][kx] + u1[0][k][kx - 1]);
			u2[1][k][kx] = u2[0][k][kx] + 0.4 * du1[k] + 0.5 * du2[k] + 0.6 * du3[k] +
				       sig * (u2[0][k][kx + 1] - 2.0 * u2[0][k][kx] + u2[0][k][kx - 1]);
			u3[1][k][kx] = u3[0][k][kx] + 0.7 * du1[k] + 0.8 * du2[k] + 0.9 * du3[k] +
				       sig * (u3[0][k][kx + 1] - 2.0 * u3[0][k][kx] + u3[0][k][kx - 1]);
		}
}

static void integrated(void)
{
	for (long i = 0; i < N; i++)
		px[i][0] = 0.7 * px[i][12] + 0.6 * px[i][11] + 0.5 * px[i][10] + 0.4 * px[i][9] + 0.3 * px[i][8] +
			   0.2 * px[i][7] + 0.1 * px[i][6] + 0.25 * (px[i][4] + px[i][5]) + px[i][2];
}

static void differences(void)
{
	for (long i = 0; i < N; i++) {
		double d = cx[i][4];
		for (long k = 4; k < 13; k++) {
			double old = px[i][k];
			px[i][k] = d;
			d -= old;
		}
		px[i][13] = d;
	}
}

static void particles_2d(void)
{
	for (long k = 0; k < N; k++) {
		long i1 = (long)p[k][0] & (GRID - 1), j1 = (long)p[k][1] & (GRID - 1);
		p[k][2] += b[j1][i1];
		p[k][3] += c[j1][i1];
		p[k][0] += p[k][2];
		p[k][1] += p[k][3];
		long i2 = (long)p[k][0] & (GRID - 1), j2 = (long)p[k][1] & (GRID - 1);
		p[k][0] += y[i2 + 32];
		p[k][1] += z[j2 + 32];
		h[(j2 + 1) & (GRID - 1)][(i2 + 1) & (GRID - 1)] += 1.0;
	}
}

/* x: where particles are; v: of cells, and w, which is added to. */
static void particles_1d(void)
{
	for (long k = 0; k < N; k++) {
		vx[k] = 0.0;
		xx[k] = 0.0;
		ix[k] = (long)x[k];
		xi[k] = (double)ix[k];
		ex1[k] = v[ix[k] - 1];
		dex1[k] = w[ix[k] - 1];
	}
	for (long k = 0; k < N; k++) {
		vx[k] = vx[k] + ex1[k] + (xx[k] - xi[k]) * dex1[k];
		xx[k] = xx[k] + vx[k] + 0.01;
		ir[k] = (long)xx[k];
		rx[k] = xx[k] - (double)ir[k];
		ir[k] = ((ir[k] % N) + N) % N;
		x[k] = rx[k] + (double)ir[k];
	}
	for (long k = 0; k < N; k++) {
		w[ir[k]] += 1.0 - rx[k];
		w[ir[k] + 1] += rx[k];
	}
}

static void added(void)
{
	for (long k = 0; k < 25; k++)
		for (long i = 0; i < 25; i++)
			for (long j = 0; j < N; j++)
				px[j][i] += vy[k][i] * cx[j][k];
}

static void run(void)
{
	if (KERNEL == 2)
		iccg();
	if (KERNEL == 8)
		adi();
	if (KERNEL == 9)
		integrated();
	if (KERNEL == 10)
		differences();
	if (KERNEL == 13)
		particles_2d();
	if (KERNEL == 14)
		particles_1d();
	if (KERNEL == 21)
		added();
}

static double sum_of(const double *of, long n)
{
	double sum = 0;
	for (long i = 0; i < n; i++)
		sum += of[i];
	return sum;
}

static double sum_of_result(void)
{
	return sum_of(x, LONG) + sum_of(v, LONG) + sum_of(w, LONG) + sum_of(px[0], N * 25) + sum_of(p[0], N * 4) +
	       sum_of(h[0], GRID * GRID) + sum_of(u1[0][0], 2 * N * 5) + sum_of(u2[0][0], 2 * N * 5) +
	       sum_of(u3[0][0], 2 * N * 5);
}

int main(int argc, char **argv)
{
	return rounds_main(argc, argv, begin, run, sum_of_result);
}
