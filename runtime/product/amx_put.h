/* amx_put.h — what becomes of sums of tiles: they are put into C, a few rows at a time, while the next ones are made.
 * What sums of parts (as_bf16.h) make of C is looked at first. Where it is not finite, since what is not, or
 * is close to the largest number, has no parts, and where it is so small that parts of factors may have been lost,
 * below 2^-126, the sum is made again by fused multiply-adds. All others are as exact as these. */
#ifndef RT_PRODUCT_AMX_PUT_H
#define RT_PRODUCT_AMX_PUT_H

#include "amx.h"
#include "as_bf16.h"
#include "job.h"

enum {
	LINES = AMX_LINES,
	TALL = AMX_TALL,
	WIDE = AMX_WIDE,
	LEAST_EXPONENT = 127 - 90, /* of what is not made again: 2^-90 */
	AGAIN_ROWS = 4             /* that are made again at a time */
};

/* Elements of C, rows `pitch` bytes apart, at most TALL times WIDE: from this row and column of the product on. */
struct corner {
	char *at;
	int64_t pitch, rows, columns;
	int64_t row, column;
};

struct beside {
	const struct job *j;
	int64_t k0, k; /* where along K, and how far */
	bool adds, narrows;
	struct corner last; /* whose sums lie in sums[which ^ 1], if it has rows */
	bool is_plain;      /* whole lines of sums of parts, or of what is rounded and not added to C */
	uint32_t doubtful;  /* rows of the last corner that have not been put, since their sums are to be made again */
	int which;
	float (*sums)[TALL][WIDE]; /* two, in turn */
};

static inline __mmask16 some_of(int64_t columns, int64_t j)
{
	return (__mmask16)(columns - j < LINES ? (1U << (columns - j)) - 1 : 0xFFFF);
}

/* Of C, or of an operand of the type. */
static inline __m512 sixteen_of(enum product_type type, __mmask16 some, const void *at)
{
	switch (type) {
	case PRODUCT_BF16:
		return bf16_as_sixteen(_mm256_maskz_loadu_epi16(some, at));
	case PRODUCT_F16:
		return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(some, at));
	case PRODUCT_F32_AS_F16:
		return _mm512_cvtph_ps(_mm512_cvtps_ph(_mm512_maskz_loadu_ps(some, at), TO_NEAREST));
	default:
		return _mm512_maskz_loadu_ps(some, at);
	}
}

static inline __m512 load_c(const struct beside *s, const char *at, __mmask16 some)
{
	return sixteen_of(s->narrows ? s->j->type : PRODUCT_F32, some, at);
}

static inline __m256i narrowed(const struct beside *s, __m512 x)
{
	return s->j->type == PRODUCT_F16 ? _mm512_cvtps_ph(x, TO_NEAREST) : sixteen_as_bf16(x);
}

/* Those neither 0 nor from 2^-90 up to the largest number. */
static inline __mmask16 in_doubt(__m512 x)
{
	enum { EXPONENT = 24, BEYOND = 255 };
	const uint32_t first = (uint32_t)LEAST_EXPONENT << EXPONENT, size = ((uint32_t)BEYOND << EXPONENT) - first;
	__m512i twice = _mm512_slli_epi32(_mm512_castps_si512(x), 1);
	__m512i above = _mm512_sub_epi32(twice, _mm512_set1_epi32((int)first));
	__mmask16 out = _mm512_cmpge_epu32_mask(above, _mm512_set1_epi32((int)size));
	return _mm512_mask_test_epi32_mask(out, twice, twice);
}

static inline const float *sums_of(const struct beside *s, int64_t row)
{
	return s->sums[s->which ^ 1][row];
}

/* ---- rows whose sums become C ---- */

static inline char *row_of_c(const struct beside *s, int64_t row)
{
	return s->last.at + row * s->last.pitch;
}

/* What sums make of C at `to`. */
static inline __m512 value_of(const struct beside *s, __m512 sums, const char *to, __mmask16 some)
{
	float alpha = (float)s->j->p->alpha;
	if (s->adds && (s->j->amx->parts > 1 || alpha != 1))
		return _mm512_fmadd_ps(_mm512_set1_ps(alpha), sums, load_c(s, to, some));
	return alpha == 1 ? sums : _mm512_mul_ps(_mm512_set1_ps(alpha), sums);
}

/* Lanes whose sums are in doubt and count for what they make of C. */
static inline __mmask16 doubt_at(const struct beside *s, __m512 sums, const char *to, __mmask16 some)
{
	__mmask16 doubt = in_doubt(sums) & some;
	return doubt ? in_doubt(value_of(s, sums, to, some)) & doubt : 0;
}

static bool is_in_doubt(const struct beside *s, int64_t row)
{
	int64_t size = s->narrows ? 2 : 4;
	__mmask16 doubt = 0;
	for (int64_t j = 0; j < s->last.columns; j += LINES)
		doubt |= doubt_at(s, _mm512_load_ps(sums_of(s, row) + j), row_of_c(s, row) + j * size,
				  some_of(s->last.columns, j));
	return doubt != 0;
}

/* again: NULL, or the sums made again, which those in doubt are replaced by. */
static void put_row(const struct beside *s, int64_t row, const float *again)
{
	int64_t size = s->narrows ? 2 : 4;
	for (int64_t j = 0; j < s->last.columns; j += LINES) {
		__mmask16 some = some_of(s->last.columns, j);
		char *to = row_of_c(s, row) + j * size;
		__m512 x = _mm512_load_ps(sums_of(s, row) + j);
		if (again)
			x = _mm512_mask_loadu_ps(x, doubt_at(s, x, to, some), again + j);
		x = value_of(s, x, to, some);
		if (s->narrows)
			_mm256_mask_storeu_epi16(to, some, narrowed(s, x));
		else
			_mm512_mask_storeu_ps(to, some, x);
	}
}

/* The same for whole lines that are rounded. */
static inline void round_line(const float *sums, char *to, __m512 alpha)
{
	__m512 x = _mm512_mul_ps(alpha, _mm512_load_ps(sums)), y = _mm512_mul_ps(alpha, _mm512_load_ps(sums + LINES));
	_mm512_storeu_si512(to, many_as_bf16(x, y));
}

/* Of sums of parts. False: they are in doubt. */
static inline bool narrow_line(const float *sums, uint16_t *to, bool adds, __m512 alpha)
{
	__m256i line[WIDE / LINES];
	_Pragma("GCC unroll 2") for (int i = 0; i < WIDE / LINES; i++)
	{
		__m512 x = _mm512_load_ps(sums + i * LINES);
		if (in_doubt(x))
			return false;
		x = adds ? _mm512_fmadd_ps(alpha, x, sixteen_of(PRODUCT_F16, 0xFFFF, to + i * LINES))
			 : _mm512_mul_ps(alpha, x);
		line[i] = _mm512_cvtps_ph(x, TO_NEAREST);
	}
	_mm512_storeu_si512(to, _mm512_inserti64x4(_mm512_castsi256_si512(line[0]), line[1], 1));
	return true;
}

static inline bool put_line(const float *sums, float *to, bool adds, __m512 alpha)
{
	__m512 x = _mm512_load_ps(sums), y = _mm512_load_ps(sums + LINES);
	if (in_doubt(x) | in_doubt(y))
		return false;
	if (adds) {
		x = _mm512_fmadd_ps(alpha, x, _mm512_loadu_ps(to));
		y = _mm512_fmadd_ps(alpha, y, _mm512_loadu_ps(to + LINES));
	} else {
		x = _mm512_mul_ps(alpha, x);
		y = _mm512_mul_ps(alpha, y);
	}
	_mm512_storeu_ps(to, x);
	_mm512_storeu_ps(to + LINES, y);
	return true;
}

/* Sums of some rows of the last corner become C, but for those that are to be made again. */
static void put_rows(struct beside *s, int64_t row, int64_t end)
{
	bool of_parts = s->j->amx->parts > 1;
	__m512 alpha = _mm512_set1_ps((float)s->j->p->alpha);
	for (; row < end; row++)
		if (s->is_plain && s->narrows && !of_parts)
			round_line(sums_of(s, row), row_of_c(s, row), alpha);
		else if (s->is_plain && s->narrows &&
			 narrow_line(sums_of(s, row), (uint16_t *)(void *)row_of_c(s, row), s->adds, alpha))
			continue;
		else if (s->is_plain && !s->narrows &&
			 put_line(sums_of(s, row), (float *)(void *)row_of_c(s, row), s->adds, alpha))
			continue;
		else if (of_parts && is_in_doubt(s, row))
			s->doubtful |= 1U << row;
		else
			put_row(s, row, NULL);
}

static inline void put(struct beside *s, int64_t row, int64_t end)
{
	end = least(end, s->last.rows);
	if (row < end)
		put_rows(s, row, end);
}

/* ---- sums that are made again ---- */

/* Where a row of A, or a column of B, begins. */
static const char *row_of_a(const struct beside *s, int64_t row)
{
	return element(s->j, &s->j->p->a, s->last.row + row, s->k0);
}

static const char *column_of_b(const struct beside *s, int64_t column)
{
	return element(s->j, &s->j->p->b, s->k0, s->last.column + column);
}

/* Elements of an operand from `from` on, `step` apart, as f32: where they lie if they are. */
static const float *line_of(const struct job *j, const char *from, int64_t step, int64_t n, float *room)
{
	if (step == 1 && j->type == PRODUCT_F32)
		return (const float *)(const void *)from;
	for (int64_t q = 0; step == 1 && q < n; q += LINES)
		_mm512_mask_storeu_ps(room + q, some_of(n, q), sixteen_of(j->type, some_of(n, q), from + q * j->size));
	for (int64_t q = 0; step != 1 && q < n; q++)
		_mm512_mask_storeu_ps(room + q, 1, sixteen_of(j->type, 1, from + q * step * j->size));
	return room;
}

/* Rows of B run along columns: all of them at a time. */
static void rows_again(const struct beside *s, const int *row, float (*again)[WIDE])
{
	int64_t step_a = s->j->p->a.column, step_b = s->j->p->b.row * s->j->size;
	__mmask16 first = some_of(s->last.columns, 0);
	__mmask16 second = s->last.columns > LINES ? some_of(s->last.columns, LINES) : 0;
	float room[AGAIN_ROWS][AMX_DEEPEST];
	const float *a[AGAIN_ROWS];
	const char *b = column_of_b(s, 0);
	__m512 sum[AGAIN_ROWS][2];
	_Pragma("GCC unroll 4") for (int r = 0; r < AGAIN_ROWS; r++)
	{
		a[r] = line_of(s->j, row_of_a(s, row[r]), step_a, s->k, room[r]);
		sum[r][0] = sum[r][1] = _mm512_setzero_ps();
	}
	for (int64_t q = 0; q < s->k; q++, b += step_b) {
		__m512 x = sixteen_of(s->j->type, first, b);
		__m512 y = sixteen_of(s->j->type, second, b + LINES * s->j->size);
		_Pragma("GCC unroll 4") for (int r = 0; r < AGAIN_ROWS; r++)
		{
			__m512 factor = _mm512_set1_ps(a[r][q]);
			sum[r][0] = _mm512_fmadd_ps(factor, x, sum[r][0]);
			sum[r][1] = _mm512_fmadd_ps(factor, y, sum[r][1]);
		}
	}
	_Pragma("GCC unroll 4") for (int r = 0; r < AGAIN_ROWS; r++)
	{
		_mm512_storeu_ps(again[r], sum[r][0]);
		_mm512_storeu_ps(again[r] + LINES, sum[r][1]);
	}
}

static float dot(int64_t k, const float *x, const float *y)
{
	__m512 sum = _mm512_setzero_ps();
	for (int64_t q = 0; q < k; q += LINES) {
		__mmask16 some = some_of(k, q);
		sum = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(some, x + q), _mm512_maskz_loadu_ps(some, y + q), sum);
	}
	return _mm512_reduce_add_ps(sum);
}

/* For any B: column by column. */
static void columns_again(const struct beside *s, const int *row, float (*again)[WIDE])
{
	float room_a[AGAIN_ROWS][AMX_DEEPEST], room_b[AMX_DEEPEST];
	const float *a[AGAIN_ROWS];
	for (int r = 0; r < AGAIN_ROWS; r++)
		a[r] = line_of(s->j, row_of_a(s, row[r]), s->j->p->a.column, s->k, room_a[r]);
	for (int64_t j = 0; j < s->last.columns; j++) {
		const float *b = line_of(s->j, column_of_b(s, j), s->j->p->b.row, s->k, room_b);
		for (int r = 0; r < AGAIN_ROWS; r++)
			again[r][j] = dot(s->k, a[r], b);
	}
}

/* Rows of the last corner that are in doubt, some at a time: if there are fewer, the first stands for those that lack.
 */
static __attribute__((noinline)) void put_doubtful(struct beside *s)
{
	float again[AGAIN_ROWS][WIDE];
	while (s->doubtful) {
		int row[AGAIN_ROWS], n = 0;
		for (; n < AGAIN_ROWS && s->doubtful; s->doubtful &= s->doubtful - 1)
			row[n++] = __builtin_ctz(s->doubtful);
		for (int r = n; r < AGAIN_ROWS; r++)
			row[r] = row[0];
		(s->j->p->b.column == 1 ? rows_again : columns_again)(s, row, again);
		for (int r = 0; r < n; r++)
			put_row(s, row[r], again[r]);
	}
}

/* What is left of the last corner when all its rows have been put. */
static inline void put_end(struct beside *s)
{
	if (s->doubtful)
		put_doubtful(s);
}

/* C as what sums begin with. */
static inline void take(const struct beside *s, const struct corner *c, float (*sums)[WIDE])
{
	int64_t size = s->narrows ? 2 : 4;
	for (int64_t i = 0; i < c->rows; i++)
		for (int64_t j = 0; j < c->columns; j += LINES)
			_mm512_store_ps(sums[i] + j,
					load_c(s, c->at + i * c->pitch + j * size, some_of(c->columns, j)));
}

#endif
