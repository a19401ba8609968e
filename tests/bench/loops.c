/* loops.c — the kernels of loops.pml as plain C has them: `loops ROUNDS` prints the least time of a round in ms and the
 * sum of the result. KERNEL, N and TURNS as there. */
#define _POSIX_C_SOURCE 200809L
#include "rounds.h"

#include <math.h>
#include <string.h>

#define M         (KERNEL == 5 ? N : 1)
#define MAX(x, y) ((x) > (y) ? (x) : (y))

static double a[N][N], b[N][N], c[N][N], cube[N][M][M], other[N][M][M];
static int letters[N], pairs[N][N];

static void mix(double x[N][N], long s)
{
	for (long i = 0; i < N; i++)
		for (long j = 0; j < N; j++)
			x[i][j] = (double)((i * 7 + j * 7 + i * j * 3 + s * 5) % 31) / 31.0;
}

static void begin(void)
{
	mix(a, 1);
	for (long i = 0; i < N; i++) {
		a[i][i] += KERNEL < 2 ? N : 0;
		letters[i] = (int)((i * 7 + i * i % 5) % 4);
	}
	if (KERNEL == 4 || KERNEL == 12)
		memcpy(b, a, sizeof b);
	for (long i = 0; KERNEL == 5 && i < N; i++)
		for (long j = 0; j < M; j++)
			for (long k = 0; k < M; k++)
				cube[i][j][k] = (double)((i * 7 + j * 11 + k * 5 + i * j * 3 + 5) % 31) / 31.0;
	memcpy(other, cube, sizeof other);
	if (KERNEL == 6 || KERNEL == 10 || KERNEL == 11) {
		mix(b, 2);
		mix(c, 3);
	}
	memset(pairs, 0, sizeof pairs);
}

static void cholesky(void)
{
	for (long i = 0; i < N; i++) {
		for (long j = 0; j < i; j++) {
			for (long k = 0; k < j; k++)
				a[i][j] -= a[i][k] * a[j][k];
			a[i][j] /= a[j][j];
		}
		for (long k = 0; k < i; k++)
			a[i][i] -= a[i][k] * a[i][k];
		a[i][i] = sqrt(a[i][i]);
	}
}

static void lu(void)
{
	for (long i = 0; i < N; i++) {
		for (long j = 0; j < i; j++) {
			for (long k = 0; k < j; k++)
				a[i][j] -= a[i][k] * a[k][j];
			a[i][j] /= a[j][j];
		}
		for (long j = i; j < N; j++)
			for (long k = 0; k < i; k++)
				a[i][j] -= a[i][k] * a[k][j];
	}
}

static void nussinov(void)
{
	for (long i = N - 1; i >= 0; i--)
		for (long j = i + 1; j < N; j++) {
			int *t = &pairs[i][j];
			*t = MAX(*t, pairs[i][j - 1]);
			if (i + 1 < N)
				*t = MAX(*t, pairs[i + 1][j]);
			*t = MAX(*t, pairs[i + 1][j - 1] + (i < j - 1 && letters[i] + letters[j] == 3));
			for (long k = i + 1; k < j; k++)
				*t = MAX(*t, pairs[i][k] + pairs[k + 1][j]);
		}
}

static void seidel(void)
{
	for (long t = 0; t < TURNS; t++)
		for (long i = 1; i < N - 1; i++)
			for (long j = 1; j < N - 1; j++)
				a[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j] +
					   a[i][j + 1] + a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1]) /
					  9.0;
}

static void five(double to[N][N], double x[N][N])
{
	for (long i = 1; i < N - 1; i++)
		for (long j = 1; j < N - 1; j++)
			to[i][j] = 0.2 * (x[i][j] + x[i][j - 1] + x[i][j + 1] + x[i + 1][j] + x[i - 1][j]);
}

static void seven(double to[N][M][M], double x[N][M][M])
{
	for (long i = 1; i < N - 1; i++)
		for (long j = 1; j < M - 1; j++)
			for (long k = 1; k < M - 1; k++)
				to[i][j][k] = 0.125 * (x[i + 1][j][k] - 2.0 * x[i][j][k] + x[i - 1][j][k]) +
					      0.125 * (x[i][j + 1][k] - 2.0 * x[i][j][k] + x[i][j - 1][k]) +
					      0.125 * (x[i][j][k + 1] - 2.0 * x[i][j][k] + x[i][j][k - 1]) + x[i][j][k];
}

/* a, b and c: ex, ey and hz. */
static void wave(long t)
{
	for (long j = 0; j < N; j++)
		b[0][j] = (double)t;
	for (long i = 1; i < N; i++)
		for (long j = 0; j < N; j++)
			b[i][j] -= 0.5 * (c[i][j] - c[i - 1][j]);
	for (long i = 0; i < N; i++)
		for (long j = 1; j < N; j++)
			a[i][j] -= 0.5 * (c[i][j] - c[i][j - 1]);
	for (long i = 0; i < N - 1; i++)
		for (long j = 0; j < N - 1; j++)
			c[i][j] -= 0.7 * (a[i][j + 1] - a[i][j] + b[i + 1][j] - b[i][j]);
}

static void paths(void)
{
	for (long k = 0; k < N; k++)
		for (long i = 0; i < N; i++)
			for (long j = 0; j < N; j++)
				a[i][j] = a[i][j] < a[i][k] + a[k][j] ? a[i][j] : a[i][k] + a[k][j];
}

/* Of b and c the first rows. */
static void durbin(void)
{
	double beta = 1.0, alpha = -0.01 * a[0][0], *y = b[0], *z = c[0];
	y[0] = alpha;
	for (long k = 1; k < N; k++) {
		double s = 0.0;
		beta *= 1.0 - alpha * alpha;
		for (long i = 0; i < k; i++)
			s += 0.01 * a[0][k - i - 1] * y[i];
		alpha = -(0.01 * a[0][k] + s) / beta;
		for (long i = 0; i < k; i++)
			z[i] = y[i] + alpha * y[k - i - 1];
		for (long i = 0; i < k; i++)
			y[i] = z[i];
		y[k] = alpha;
	}
	memcpy(a[0], y, sizeof a[0]);
}

static void recurrence(void)
{
	double *w = b[0];
	for (long i = 0; i < N; i++)
		w[i] = 0.01;
	for (long i = 1; i < N; i++)
		for (long k = 0; k < i; k++)
			w[i] += 0.01 * a[k][i] * w[i - k - 1];
	memcpy(a[0], w, sizeof a[0]);
}

static void elimination(void)
{
	for (long i = 0; i < N; i++)
		for (long j = 1; j < N; j++)
			a[i][j] = b[i][j] * (c[i][j] - a[i][j - 1]);
}

/* a: vxne; b: vsp and vlr; c: vstp and vlin. */
static void conditional(void)
{
	for (long i = 0; i < N; i++) {
		double m = 1.0 / 3.0;
		for (long k = N - 1; k > 0; k--) {
			double e3 = m * 0.3 * b[i][k] + 0.3 * c[i][k], old = a[i][k];
			if (m > 5.0 / 3.0 * e3 || old > 5.0 / 3.0 * e3) {
				m = m * 0.2 * b[i][k] + 0.2 * c[i][k];
				a[i][k] = m;
			} else {
				m = e3 + e3 - m;
				a[i][k] = e3 + e3 - old;
			}
		}
	}
}

/* The first rows of a and b. */
static void three(double *to, const double *x)
{
	for (long i = 1; i < N - 1; i++)
		to[i] = 0.33333 * (x[i - 1] + x[i] + x[i + 1]);
}

/* u: a; p and q: b and c. */
static void adi(void)
{
	static double v[N][N];
	const double A = -((double)(N * N) / TURNS), B = 1 - 2 * A, D = 0.5 * A, E = 1 - 2 * D;
	for (long t = 0; t < TURNS; t++) {
		for (long i = 1; i < N - 1; i++) {
			v[0][i] = 1.0;
			b[i][0] = 0.0;
			c[i][0] = v[0][i];
			for (long j = 1; j < N - 1; j++) {
				b[i][j] = -A / (A * b[i][j - 1] + B);
				c[i][j] = (-D * a[j][i - 1] + (1.0 + 2.0 * D) * a[j][i] - D * a[j][i + 1] -
					   A * c[i][j - 1]) /
					  (A * b[i][j - 1] + B);
			}
			v[N - 1][i] = 1.0;
			for (long j = N - 2; j >= 1; j--)
				v[j][i] = b[i][j] * v[j + 1][i] + c[i][j];
		}
		for (long i = 1; i < N - 1; i++) {
			a[i][0] = 1.0;
			b[i][0] = 0.0;
			c[i][0] = a[i][0];
			for (long j = 1; j < N - 1; j++) {
				b[i][j] = -D / (D * b[i][j - 1] + E);
				c[i][j] = (-A * v[i - 1][j] + (1.0 + 2.0 * A) * v[i][j] - A * v[i + 1][j] -
					   D * c[i][j - 1]) /
					  (D * b[i][j - 1] + E);
			}
			a[i][N - 1] = 1.0;
			for (long j = N - 2; j >= 1; j--)
				a[i][j] = b[i][j] * a[i][j + 1] + c[i][j];
		}
	}
}

static void run(void)
{
	if (KERNEL == 0)
		cholesky();
	if (KERNEL == 1)
		lu();
	if (KERNEL == 2)
		nussinov();
	if (KERNEL == 3)
		seidel();
	for (long t = 0; KERNEL == 4 && t < TURNS; t++) {
		five(b, a);
		five(a, b);
	}
	for (long t = 0; KERNEL == 5 && t < TURNS; t++) {
		seven(other, cube);
		seven(cube, other);
	}
	for (long t = 0; KERNEL == 6 && t < TURNS; t++)
		wave(t);
	if (KERNEL == 7)
		paths();
	if (KERNEL == 8)
		durbin();
	if (KERNEL == 9)
		recurrence();
	if (KERNEL == 10)
		elimination();
	if (KERNEL == 11)
		conditional();
	for (long t = 0; KERNEL == 12 && t < TURNS; t++) {
		three(b[0], a[0]);
		three(a[0], b[0]);
	}
	if (KERNEL == 13)
		adi();
}

static double sum_of_result(void)
{
	double sum = 0;
	for (long i = 0; i < (KERNEL == 8 || KERNEL == 9 || KERNEL == 12 ? 1 : N); i++)
		for (long j = 0; j < (KERNEL == 5 ? M : N); j++)
			for (long k = 0; k < M; k++)
				sum += KERNEL == 2 ? pairs[i][j] : KERNEL == 5 ? cube[i][j][k] : a[i][j];
	return sum;
}

int main(int argc, char **argv)
{
	return rounds_main(argc, argv, begin, run, sum_of_result);
}
