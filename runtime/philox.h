/* philox.h — counter-based random numbers, shared by compiler and runtime so that both draw the same bits.
 *
 * Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC 2011): a 64-bit key and a
 * 128-bit counter give 128 random bits. Element i of a tensor draws with counter (low 64 bits: i, high 64 bits: 0),
 * where i is its global linear index, so a value depends neither on layout nor on the number of ranks. Keys are folded
 * with a nonzero high half of the counter: a folded key never equals a draw.
 *
 * The normal draws are computed in double by Box-Muller and rounded once; an f32 draw is the nearest f32 to the exact
 * value but for rare last-bit cases of the C library's log and cos. Vector code may differ in the last bits. */
#ifndef PML_PHILOX_H
#define PML_PHILOX_H

#include <math.h>
#include <stdint.h>

struct philox {
	uint32_t word[4];
};

#define PHILOX_FOLD_DOMAIN 0x666f6c64u /* "fold" */
#define PHILOX_TRY_DOMAIN  0x74727900u /* "try", and its number: of draws that may be refused */
#define PHILOX_TRIES       32
#define PHILOX_MULTIPLY_0  0xD2511F53u
#define PHILOX_MULTIPLY_1  0xCD9E8D57u
#define PHILOX_ADD_0       0x9E3779B9u
#define PHILOX_ADD_1       0xBB67AE85u
#define PHILOX_MIX_0       0x7feb352du
#define PHILOX_MIX_1       0x846ca68bu
#define PHILOX_ROUNDS      8 /* of a permutation */
#define PHILOX_POSITIONS   0x80000000u

/* The block function. counter_low is words 0 and 1 of the counter, counter_high words 2 and 3. */
static inline struct philox philox4x32(uint64_t key, uint64_t counter_low, uint64_t counter_high)
{
	uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
	struct philox c = {{(uint32_t)counter_low, (uint32_t)(counter_low >> 32), (uint32_t)counter_high,
			    (uint32_t)(counter_high >> 32)}};
	for (int round = 0; round < 10; round++) {
		uint64_t p0 = (uint64_t)PHILOX_MULTIPLY_0 * c.word[0], p1 = (uint64_t)PHILOX_MULTIPLY_1 * c.word[2];
		c = (struct philox){{(uint32_t)(p1 >> 32) ^ c.word[1] ^ k0, (uint32_t)p1,
				     (uint32_t)(p0 >> 32) ^ c.word[3] ^ k1, (uint32_t)p0}};
		k0 += PHILOX_ADD_0;
		k1 += PHILOX_ADD_1;
	}
	return c;
}

/* The words of element i. */
static inline struct philox philox_at(uint64_t key, uint64_t i)
{
	return philox4x32(key, i, 0);
}

/* A new key from a key and a number. */
static inline uint64_t philox_key_fold(uint64_t key, uint64_t data)
{
	struct philox w = philox4x32(key, data, PHILOX_FOLD_DOMAIN);
	return w.word[0] | (uint64_t)w.word[1] << 32;
}

static inline uint32_t philox_bits(uint64_t key, uint64_t i)
{
	return philox_at(key, i).word[0];
}

/* [0, 1) in steps of 2^-24. */
static inline float philox_uniform_f32(uint64_t key, uint64_t i)
{
	return (float)(philox_at(key, i).word[0] >> 8) * 0x1p-24f;
}

static inline uint64_t philox_pair(uint32_t low, uint32_t high)
{
	return (low | (uint64_t)high << 32) >> 11;
}

/* [0, 1) in steps of 2^-53. */
static inline double philox_uniform_f64(uint64_t key, uint64_t i)
{
	struct philox w = philox_at(key, i);
	return (double)philox_pair(w.word[0], w.word[1]) * 0x1p-53;
}

/* u in (0, 1], v in [0, 1). */
static inline double philox_box_muller(double u, double v)
{
	return sqrt(-2.0 * log(u)) * cos(6.283185307179586476925 * v);
}

/* Mean 0, deviation 1, from words 0 and 1 (24 bits each). */
static inline float philox_normal_f32(uint64_t key, uint64_t i)
{
	struct philox w = philox_at(key, i);
	return (float)philox_box_muller(((double)(w.word[0] >> 8) + 1) * 0x1p-24, (double)(w.word[1] >> 8) * 0x1p-24);
}

/* Mean 0, deviation 1, from words 0..3 (53 bits each). */
static inline double philox_normal_f64(uint64_t key, uint64_t i)
{
	struct philox w = philox_at(key, i);
	return philox_box_muller(((double)philox_pair(w.word[0], w.word[1]) + 1) * 0x1p-53,
				 (double)philox_pair(w.word[2], w.word[3]) * 0x1p-53);
}

/* As likely as x^(alpha - 1) exp(-x), of alpha >= 1: d (1 + z / sqrt(9 d))^3 of a normal z, d = alpha - 1/3, taken or
 * refused by a uniform number (Marsaglia, Tsang, 2000). At most one try of 20 is refused, so what all are refused of,
 * once in 10^41 draws, is d. z has words 0 to 2 of a try, the uniform number word 3. */
static inline double philox_gamma(uint64_t key, uint64_t i, double alpha)
{
	double d = alpha - 1.0 / 3.0, scale = 1.0 / sqrt(9.0 * d);
	for (uint32_t n = 0; n < PHILOX_TRIES; n++) {
		struct philox w = philox4x32(key, i, PHILOX_TRY_DOMAIN + n);
		double z = philox_box_muller(((double)philox_pair(w.word[0], w.word[1]) + 1) * 0x1p-53,
					     (double)w.word[2] * 0x1p-32);
		double u = ((double)w.word[3] + 1) * 0x1p-32, v = 1.0 + z * scale;
		v = v * v * v;
		if (v > 0 && log(u) < 0.5 * z * z + d * (1.0 - v + log(v)))
			return d * v;
	}
	return d;
}

/* The logarithm of k!, of a whole number k >= 0: Stirling's series, whose next term is less than 2e-12. */
#define PHILOX_FACTORIALS 9 /* that are not by the series */
static const double philox_log_factorials[PHILOX_FACTORIALS] = {0,
								0,
								0.69314718055994531,
								1.7917594692280550,
								3.1780538303479458,
								4.7874917427820458,
								6.5792512120101012,
								8.5251613610654147,
								10.604602902745251};
static const double philox_stirling[] = {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680};
static inline double philox_log_factorial(double k)
{
	if (k < PHILOX_FACTORIALS)
		return philox_log_factorials[(int)k];
	const double *c = philox_stirling;
	double by = 1.0 / k, square = by * by, tail = c[0] + square * (c[1] + square * (c[2] + square * c[3]));
	return (k + 0.5) * log(k) - k + 0.91893853320467274178 + by * tail;
}

/* How often something happens that does at this rate. Below PHILOX_FEW, which none passes PHILOX_STEPS times: how many
 * sums of probabilities the uniform number of philox_uniform_f64 is above. From there on the transformed one of a try
 * (Hoermann, The transformed rejection method for generating Poisson random variables, 1993), of which three of ten are
 * refused at the most; what all are refused of, once in 10^16 draws, is the rate's whole part. */
#define PHILOX_FEW   10
#define PHILOX_STEPS 40
static inline double philox_poisson(uint64_t key, uint64_t i, double rate)
{
	if (rate < PHILOX_FEW) {
		double u = philox_uniform_f64(key, i), p = exp(-rate), total = p, n = 0;
		for (int k = 1; k <= PHILOX_STEPS && u > total; k++) {
			n++;
			p *= rate * (1.0 / k);
			total += p;
		}
		return n;
	}
	double b = 0.931 + 2.53 * sqrt(rate), a = 0.02483 * b - 0.059, scale = 1.1239 + 1.1328 / (b - 3.4);
	for (uint32_t n = 0; n < PHILOX_TRIES; n++) {
		struct philox w = philox4x32(key, i, PHILOX_TRY_DOMAIN + n);
		double u = (double)philox_pair(w.word[0], w.word[1]) * 0x1p-53 - 0.5, s = 0.5 - fabs(u);
		double v = ((double)philox_pair(w.word[2], w.word[3]) + 1) * 0x1p-53;
		double k = floor((2.0 * a / s + b) * u + rate + 0.43);
		if (k >= 0 && log(v * scale / (a / (s * s) + b)) <= k * log(rate) - rate - philox_log_factorial(k))
			return k;
	}
	return floor(rate);
}

/* A word of a word and two of the key: multiplied and shifted twice, by the numbers of Wellons (Prospecting for hash
 * functions, 2018). */
static inline uint32_t philox_mix(uint32_t x, uint32_t k0, uint32_t k1)
{
	x = (x ^ k0) * PHILOX_MIX_0;
	x = (x ^ k1 ^ x >> 15) * PHILOX_MIX_1;
	return x ^ x >> 16;
}

/* Where element i of n stands in an order that the key decides: a permutation of 0..n of every key. A Feistel network
 * whose halves are numbers below two bounds, the power of two next to sqrt(n) and what n needs beside it, to which
 * words are added in turn; of what it makes of i the first that is below n, for it may be told to go on from what is
 * not (Black, Rogaway: Ciphers with arbitrary finite domains, 2002). The words of rounds come of keys that Philox
 * counts on, so keys that differ by little have orders that are alike: those of philox_key_fold do not. An i that is
 * not in 0..n, or an n above 2^31, gives i. */
static inline int64_t philox_position(uint64_t key, int64_t i, int64_t n)
{
	if (n > PHILOX_POSITIONS || i < 0 || i >= n)
		return i;
	int bits = 0;
	while ((2 * n - 1) >> (bits + 1))
		bits++;
	bits /= 2;
	uint32_t x = (uint32_t)i, mask = ((uint32_t)1 << bits) - 1, upper = ((uint32_t)n + mask) >> bits;
	do {
		uint32_t low = x & mask, high = x >> bits, k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
		for (int round = 0; round < PHILOX_ROUNDS; round++) {
			if (round % 2)
				high = (uint32_t)((high + ((uint64_t)philox_mix(low, k0, k1) * upper >> 32)) % upper);
			else
				low = (low + philox_mix(high, k0, k1)) & mask;
			k0 += PHILOX_ADD_0;
			k1 += PHILOX_ADD_1;
		}
		x = high << bits | low;
	} while (x >= (uint32_t)n);
	return (int64_t)x;
}

#endif
