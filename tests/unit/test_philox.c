/* test_philox.c — philox_position: a permutation of every number of elements, and as random as can be seen; counts of
 * philox_poisson are distributed as they should be. Draws come of fixed keys, so what passes once passes always; limits
 * are five standard deviations, and four rounds in the place of eight miss them by hundreds. */
#include "../../runtime/philox.h"

#include "suite.h"

static uint64_t key_of(int64_t n)
{
	return philox_key_fold(philox_key_fold(3, (uint64_t)n), 1);
}

static int32_t *order_of(uint64_t key, int64_t n)
{
	int32_t *p = malloc((size_t)n * sizeof *p);
	for (int64_t i = 0; i < n; i++)
		p[i] = (int32_t)philox_position(key, i, n);
	return p;
}

static void check_permutation(uint64_t key, int64_t n)
{
	int32_t *p = order_of(key, n);
	char *seen = calloc((size_t)n + 1, 1);
	for (int64_t i = 0; i < n; i++) {
		ck_assert_msg(p[i] >= 0 && p[i] < n && !seen[p[i]], "of %lld elements %lld stands at %d", (long long)n,
			      (long long)i, p[i]);
		seen[p[i]] = 1;
	}
	free(seen);
	free(p);
}

START_TEST(every_number_of_elements_is_permuted)
{
	for (int64_t n = 1; n < 700; n++)
		check_permutation(key_of(n), n);
	for (int bits = 10; bits <= 18; bits++)
		for (int64_t n = (1 << bits) - 1; n <= (1 << bits) + 1; n++)
			check_permutation(key_of(n), n);
	for (int64_t root = 301; root < 520; root += 107)
		for (int64_t n = root * root - 1; n <= root * (root + 1); n += root / 2)
			check_permutation(key_of(n), n);
	for (uint64_t key = 0; key < 200; key++)
		check_permutation(key, 1000);
}
END_TEST

/* 2^31 elements: neighbours, the first and the last go to different places below it. */
START_TEST(most_elements_there_may_be_are_permuted)
{
	const int64_t n = (int64_t)1 << 31, at[] = {0, 1, 2, 65535, 65536, 65537, n / 2, n - 2, n - 1};
	const int count = sizeof at / sizeof *at;
	for (int64_t less = 0; less < 3; less++)
		for (int i = 0; i < count; i++)
			for (int j = 0; j <= i; j++) {
				int64_t x = philox_position(5, at[i] - less, n - less),
					y = philox_position(5, at[j] - less, n - less);
				ck_assert(at[j] < less || (x >= 0 && x < n - less && (x == y) == (i == j)));
			}
}
END_TEST

START_TEST(what_is_none_of_the_elements_stays)
{
	const int64_t n[] = {0, 1, 5, 4096, ((int64_t)1 << 31) + 1, -1, INT64_MIN, INT64_MAX};
	for (size_t k = 0; k < sizeof n / sizeof *n; k++) {
		const int64_t at[] = {n[k], -1, INT64_MIN, INT64_MAX};
		for (size_t i = 0; i < sizeof at / sizeof *at; i++)
			ck_assert_int_eq(philox_position(9, at[i], n[k]), at[i]);
	}
}
END_TEST

/* ---- how random ---- */

enum { ORDERS_OF_4 = 24, ORDERS_OF_5 = 120, PLACES = 16, SPACINGS = 6, MOST = 8 };

struct seen {
	int32_t n;
	int keys;
	double place[5][PLACES];
	double order4[SPACINGS][ORDERS_OF_4], order5[SPACINGS][ORDERS_OF_5];
	double pair[SPACINGS][PLACES * PLACES];
	double fixed[MOST], next[MOST]; /* elements that stay, neighbours that follow each other, by how many */
	double odd;
	double cycles, inversions, descents; /* sums of deviations from what is expected, in standard deviations */
	double squares[3];                   /* of the same */
};

static int number_of_order(const int32_t *x, int n)
{
	int number = 0;
	for (int i = 0; i < n; i++) {
		int less = 0;
		for (int j = i + 1; j < n; j++)
			less += x[j] < x[i];
		number = number * (n - i) + less;
	}
	return number;
}

static double inversions(const int32_t *p, int32_t n)
{
	int32_t *tree = calloc((size_t)n + 1, sizeof *tree);
	double sum = 0;
	for (int32_t i = n; i-- > 0;) {
		for (int32_t j = p[i]; j; j -= j & -j)
			sum += tree[j];
		for (int32_t j = p[i] + 1; j <= n; j += j & -j)
			tree[j]++;
	}
	free(tree);
	return sum;
}

static int32_t cycles(const int32_t *p, int32_t n)
{
	char *met = calloc((size_t)n, 1);
	int32_t count = 0;
	for (int32_t i = 0; i < n; i++) {
		count += !met[i];
		for (int32_t j = i; !met[j]; j = p[j])
			met[j] = 1;
	}
	free(met);
	return count;
}

static void add_deviation(double *sum, double *squares, double x)
{
	*sum += x;
	*squares += x * x;
}

static void look_at(struct seen *s, const int32_t *p, uint64_t key)
{
	int32_t n = s->n, half = 1;
	while (half * half < n)
		half *= 2;
	const int32_t at[] = {0, 1, n / 2, n - 1, half}, spacing[SPACINGS] = {1, 2, half / 2, half, half + 1, n / 5};
	for (int i = 0; i < 5; i++)
		s->place[i][(int64_t)p[at[i]] * PLACES / n]++;
	for (int i = 0; i < SPACINGS; i++) {
		int32_t x[5], begin = (int32_t)((uint64_t)philox_bits(key, 1) * (uint64_t)n >> 32);
		for (int j = 0; j < 5; j++)
			x[j] = p[(begin + (int64_t)j * spacing[i]) % n];
		s->order4[i][number_of_order(x, 4)]++;
		s->order5[i][number_of_order(x, 5)]++;
		s->pair[i][(int64_t)x[0] * PLACES / n * PLACES + (int64_t)x[1] * PLACES / n]++;
	}
	int fixed = 0, next = 0, descents = 0;
	double mean = 0, variance = 0;
	for (int32_t i = 0; i < n; i++) {
		fixed += p[i] == i;
		next += i && p[i] == p[i - 1] + 1;
		descents += i && p[i] < p[i - 1];
		mean += 1.0 / (i + 1);
		variance += 1.0 / (i + 1) - 1.0 / ((double)(i + 1) * (i + 1));
	}
	s->fixed[fixed < MOST ? fixed : MOST - 1]++;
	s->next[next < MOST ? next : MOST - 1]++;
	int32_t c = cycles(p, n);
	s->odd += (n - c) % 2;
	double pairs = (double)n * (n - 1);
	add_deviation(&s->cycles, &s->squares[0], (c - mean) / sqrt(variance));
	add_deviation(&s->inversions, &s->squares[1],
		      (inversions(p, n) - pairs / 4) / sqrt(pairs * (2.0 * n + 5) / 72));
	add_deviation(&s->descents, &s->squares[2], (descents - (n - 1) / 2.0) / sqrt((n + 1) / 12.0));
}

static void check_deviation(const struct seen *s, const char *what, double z)
{
	ck_assert_msg(fabs(z) < 5, "%s of %d elements under %d keys: %.1f standard deviations", what, s->n, s->keys, z);
}

/* How far chi squared is from what it should be, by Wilson and Hilferty (1931). */
static void check_counts(const struct seen *s, const char *what, const double *count, const double *share, int n)
{
	double sum = 0, degrees = n - 1, ninth = 2 / (9 * degrees);
	for (int i = 0; i < n; i++) {
		double expected = s->keys * (share ? share[i] : 1.0 / n), off = count[i] - expected;
		sum += off * off / expected;
	}
	check_deviation(s, what, (cbrt(sum / degrees) - (1 - ninth)) / sqrt(ninth));
}

static void check_seen(const struct seen *s)
{
	double poisson[MOST], left = 1, term = exp(-1.0);
	for (int i = 0; i < MOST; i++) {
		poisson[i] = i < MOST - 1 ? term : left;
		left -= term;
		term /= i + 1;
	}
	for (int i = 0; i < 5; i++)
		check_counts(s, "places", s->place[i], NULL, PLACES);
	for (int i = 0; i < SPACINGS; i++) {
		check_counts(s, "orders of four", s->order4[i], NULL, ORDERS_OF_4);
		check_counts(s, "orders of five", s->order5[i], NULL, ORDERS_OF_5);
		check_counts(s, "pairs", s->pair[i], NULL, PLACES * PLACES);
	}
	check_counts(s, "elements that stay", s->fixed, poisson, MOST);
	check_counts(s, "neighbours that stay neighbours", s->next, poisson, MOST);
	check_deviation(s, "odd orders", (s->odd - s->keys / 2.0) / sqrt(s->keys / 4.0));
	const double sum[] = {s->cycles, s->inversions, s->descents};
	const char *const name[] = {"cycles", "inversions", "descents"};
	for (int i = 0; i < 3; i++) {
		check_deviation(s, name[i], sum[i] / sqrt(s->keys));
		check_deviation(s, name[i], (s->squares[i] / s->keys - 1) * sqrt(s->keys / 2.0));
	}
}

START_TEST(logarithms_of_factorials_are_those_of_gamma)
{
	for (double k = 0; k < 3e9; k = k < 100 ? k + 1 : floor(1.1 * k)) {
		double right = lgamma(k + 1), off = fabs(philox_log_factorial(k) - right);
		ck_assert_msg(off <= 4e-12 + 1e-15 * right, "of %.0f off by %g", k, off);
	}
}
END_TEST

/* Neither side of the rate from which tries are made, nor large ones. */
START_TEST(counts_are_distributed_by_poisson)
{
	const double rates[] = {0.3, 3, 9.99, 10, 11.5, 40, 1000};
	for (int r = 0; r < (int)(sizeof rates / sizeof *rates); r++) {
		double rate = rates[r], count[PLACES] = {0}, share[PLACES] = {0};
		double first = fmax(0, floor(rate - 3 * sqrt(rate))), width = ceil((6 * sqrt(rate) + 2) / PLACES);
		struct seen s = {.n = (int32_t)rate, .keys = 200000};
		for (int i = 0; i < s.keys; i++) {
			double place = floor((philox_poisson(7, (uint64_t)i, rate) - first) / width);
			count[(int)fmax(0, fmin(PLACES - 1, place))]++;
		}
		double left = 1;
		for (double k = 0; k < first + (PLACES - 1) * width; k++) {
			double p = exp(k * log(rate) - rate - lgamma(k + 1));
			share[(int)fmax(0, floor((k - first) / width))] += p;
			left -= p;
		}
		share[PLACES - 1] += left;
		int n = PLACES; /* what hardly ever comes counts with what is in front of it */
		for (; n > 1 && s.keys * share[n - 1] < 10; n--) {
			share[n - 2] += share[n - 1];
			count[n - 2] += count[n - 1];
		}
		check_counts(&s, "counts", count, share, n);
	}
}
END_TEST

static void check_randomness(int32_t n, int keys)
{
	struct seen *s = calloc(1, sizeof *s);
	s->n = n;
	s->keys = keys;
	for (int k = 0; k < keys; k++) {
		uint64_t key = philox_key_fold(11, (uint64_t)k);
		int32_t *p = order_of(key, n);
		look_at(s, p, key);
		free(p);
	}
	check_seen(s);
	free(s);
}

/* From the bound on from which the library draws orders this way: halves of 64, one of 64 and one of 65, and others. */
START_TEST(orders_cannot_be_told_from_random_ones)
{
	check_randomness(1025, suite_slowly(suite_count(100000, 8000, 4000)));
	check_randomness(4097, suite_slowly(suite_count(50000, 2000, 1000)));
	check_randomness(10000, suite_slowly(suite_count(20000, 800, 400)));
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "philox");
	tcase_add_test(t, every_number_of_elements_is_permuted);
	tcase_add_test(t, most_elements_there_may_be_are_permuted);
	tcase_add_test(t, what_is_none_of_the_elements_stays);
	tcase_add_test(t, orders_cannot_be_told_from_random_ones);
	tcase_add_test(t, logarithms_of_factorials_are_those_of_gamma);
	tcase_add_test(t, counts_are_distributed_by_poisson);
	return suite_end(s);
}
