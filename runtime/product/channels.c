/* channels.c — see channels.h. Rows of A are packed as words of the same channels, for each place of a window; sums of
 * all of K stay in registers, and are put into C, line by line without what lies between lines, while the next ones are
 * made. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#include "channels.h"

#ifdef HAVE_AMX
#include "avx512.h"

#include "amx_sums.h"

#include <string.h>

enum {
	PLANES = LINES,        /* of words, that a tile multiplies */
	CHANNELS = 2 * PLANES, /* of them */
};

/* In multiplications of tiles, for a position: a word, and an element that is gathered and packed. */
static const double WORD_COST = 0.4, GATHERED_COST = 0.8;

static int64_t words_of_a(const struct product_channels *c)
{
	return c->taps * c->groups * PLANES + AMX_APART;
}

/* Positions of all lines, and what lies between them. */
static int64_t positions(const struct product_windows *w)
{
	return (w->lines - 1) * w->pitch + w->extent;
}

/* What a place in a window adds, from the least on; in words. */
static int64_t place_at(const struct product_channels *c, const struct product_windows *w, int64_t t)
{
	return w->offset[t] - c->low;
}

static int64_t tap_at(const struct product_channels *c, const struct product_windows *w, int64_t t)
{
	return place_at(c, w, t) / c->plane * c->step + place_at(c, w, t) % c->plane;
}

/* Where a channel begins. */
static int64_t channel_at(const struct product_channels *c, const struct product_windows *w, int64_t i)
{
	return w->offset[i * c->taps] - w->offset[0] + c->low;
}

/* In a room words lie behind what places add. */
static int64_t taps_room(const struct product_channels *c)
{
	return parts(c->taps * (int64_t)sizeof(int64_t), LINE_BYTES) * LINE_BYTES;
}

static bool is_regular(const struct product *p, const struct product_windows *w, const struct product_channels *c)
{
	int64_t most = c->volume - c->reach - (c->planes - 1) * c->plane;
	for (int64_t k = 0; k < p->k; k++) {
		int64_t at = channel_at(c, w, k / c->taps);
		if (at < 0 || at > most || w->offset[k] != at + place_at(c, w, k % c->taps))
			return false;
	}
	return true;
}

double product_channels_cost(enum product_level level, enum product_type type, const struct product *p,
			     const struct product_windows *w, struct product_channels *c)
{
	const struct product_amx *amx = product_amx_of(level, type);
	int64_t furthest = 0;
	if (!amx || amx->parts > 1 || amx->kind != BF16 || w->left || !w->lines || p->k % c->count ||
	    (w->lines > 1 && w->pitch < w->extent))
		return 0;
	c->taps = p->k / c->count;
	c->low = w->offset[0];
	c->planes = 1;
	for (int64_t t = 0; t < c->taps; t++)
		c->low = least(c->low, w->offset[t]);
	for (int64_t t = 0; t < c->taps; t++) {
		int64_t plane = place_at(c, w, t) / c->plane, at = place_at(c, w, t) % c->plane;
		c->planes = plane >= c->planes ? plane + 1 : c->planes;
		furthest = at > furthest ? at : furthest;
	}
	c->reach = positions(w) + furthest;
	c->groups = parts(c->count, CHANNELS);
	c->step = parts(parts(positions(w), WIDE) * WIDE + furthest, LINES) * LINES;
	/* An odd number of lines of the cache, so that pairs do not share its sets. */
	c->pitch = (c->planes * c->step / LINES | 1) * LINES;
	if (!is_regular(p, w, c) || parts(p->m, TALL) * TALL * words_of_a(c) * 4 > AMX_ROOM ||
	    c->groups * PLANES * c->pitch * 4 + taps_room(c) > CHANNELS_ROOM)
		return 0;
	double rows = (double)parts(p->m, LINES), per_position = (double)positions(w) / (double)p->n;
	double cost = per_position * (rows * (double)(c->taps * c->groups) +
				      WORD_COST * (double)(c->groups * c->pitch * PLANES) / (double)positions(w));
	double gathered = rows * (double)parts(p->k, CHANNELS) + GATHERED_COST * (double)p->k;
	return cost < gathered ? cost : 0;
}

static inline __m512i words_at(enum product_type type, __mmask16 some, const char *first, const char *second)
{
	if (type == PRODUCT_F32_AS_BF16)
		return pairs_as_bf16(_mm512_maskz_loadu_ps(some, first),
				     second ? _mm512_maskz_loadu_ps(some, second) : _mm512_setzero_ps());
	__m512i low = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(some, first));
	__m512i high = second ? _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(some, second)) : _mm512_setzero_si512();
	return _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
}

static int64_t size_of(enum product_type type)
{
	return type == PRODUCT_F32_AS_BF16 ? sizeof(float) : sizeof(uint16_t);
}

/* Elements of two channels, or of one, and zeros. */
static void pack_plane(enum product_type type, const struct product_channels *c, const char *first, const char *second,
		       uint32_t *words)
{
	int64_t size = size_of(type);
	for (int64_t j = 0; j < c->reach; j += LINES) {
		__mmask16 some = some_of(c->reach, j);
		_mm512_mask_storeu_epi32(words + j, some,
					 words_at(type, some, first + j * size, second ? second + j * size : NULL));
	}
}

void product_channels_pack(enum product_type type, const struct product_channels *c, const struct product_windows *w,
			   void *room)
{
	int64_t size = size_of(type);
	for (int64_t t = 0; t < c->taps; t++)
		((int64_t *)room)[t] = tap_at(c, w, t);
	for (int64_t i = 0; i < c->groups * PLANES; i++) {
		uint32_t *words = (uint32_t *)(void *)((char *)room + taps_room(c)) + i * c->pitch;
		if (2 * i >= c->count)
			memset(words, 0, (size_t)c->pitch * sizeof *words);
		for (int64_t s = 0; s < c->planes && 2 * i < c->count; s++) {
			const char *at = (const char *)w->at + s * c->plane * size;
			const char *first = at + channel_at(c, w, 2 * i) * size;
			const char *second = 2 * i + 1 < c->count ? at + channel_at(c, w, 2 * i + 1) * size : NULL;
			pack_plane(type, c, first, second, words + s * c->step);
		}
	}
}

/* Some rows of A. */
static void pack_rows(enum product_type type, const struct product_channels *c, const struct product_operand *a,
		      int64_t begin, int64_t n, char *room)
{
	int64_t size = size_of(type), step = c->taps * a->column * size;
	for (int64_t i = 0; i < n; i++) {
		const char *row = (const char *)a->at + (begin + i) * a->row * size;
		char *to = room + i * words_of_a(c) * 4;
		for (int64_t t = 0; t < c->taps; t++, row += a->column * size) {
			const char *from = row;
			for (int64_t q = 0; q < c->groups * CHANNELS; q += CHANNELS, to += sizeof(__m512i)) {
				int64_t some = least(CHANNELS, c->count - q);
				if (type == PRODUCT_F32_AS_BF16) {
					float x[CHANNELS] = {0};
					for (int64_t r = 0; r < some; r++, from += step)
						x[r] = *(const float *)(const void *)from;
					_mm512_storeu_si512(
						to, many_as_bf16(_mm512_loadu_ps(x), _mm512_loadu_ps(x + LINES)));
				} else {
					uint16_t *x = (uint16_t *)(void *)to;
					for (int64_t r = 0; r < some; r++, from += step)
						x[r] = *(const uint16_t *)(const void *)from;
					memset(x + some, 0, (size_t)(CHANNELS - some) * sizeof *x);
				}
			}
		}
	}
}

/* Sums of some rows and positions, which are to become C. */
struct made {
	const struct product *p;
	const struct product_windows *w;
	enum product_type type;
	int64_t row, rows, position, positions;
	float (*sums)[WIDE];
};

static inline __m512 value_of_sums(const struct product *p, __m512 sums, __m512 old)
{
	__m512 x = _mm512_mul_ps(_mm512_set1_ps((float)p->alpha), sums);
	return p->beta == 0 ? x : _mm512_fmadd_ps(_mm512_set1_ps((float)p->beta), old, x);
}

/* Positions [from, to) of the sums of a row, which go to C at `at` + from. */
static inline void put_positions(const struct made *s, const float *sums, int64_t from, int64_t to, char *at)
{
	uint32_t all = (uint32_t)((1ULL << to) - (1ULL << from));
	bool reads = s->p->beta != 0;
	if (s->type == PRODUCT_BF16) {
		__m512i old = reads ? _mm512_maskz_loadu_epi16(all, at) : _mm512_setzero_si512();
		__m512 x = value_of_sums(s->p, _mm512_load_ps(sums), bf16_as_sixteen(_mm512_castsi512_si256(old)));
		__m512 y = value_of_sums(s->p, _mm512_load_ps(sums + LINES),
					 bf16_as_sixteen(_mm512_extracti64x4_epi64(old, 1)));
		_mm512_mask_storeu_epi16(at, all, many_as_bf16(x, y));
		return;
	}
	for (int64_t j = 0; j < WIDE; j += LINES) {
		__mmask16 some = (__mmask16)(all >> j);
		float *c = (float *)(void *)at + j;
		__m512 old = reads ? _mm512_maskz_loadu_ps(some, c) : _mm512_setzero_ps();
		_mm512_mask_storeu_ps(c, some, value_of_sums(s->p, _mm512_load_ps(sums + j), old));
	}
}

static inline void put_made(const struct made *s, int64_t row, int64_t end)
{
	int64_t size = s->type == PRODUCT_BF16 ? 2 : 4;
	const struct product_windows *w = s->w;
	if (end > s->rows)
		end = s->rows;
	for (; row < end; row++) {
		char *c = (char *)s->p->c + (s->row + row) * s->p->ldc * size;
		for (int64_t from = 0; from < s->positions;) {
			int64_t line = w->lines > 1 ? (s->position + from) / w->pitch : 0;
			int64_t in_line = s->position + from - line * w->pitch;
			int64_t to = least(s->positions, from + w->extent - in_line);
			if (from < to)
				put_positions(s, s->sums[row], from, to,
					      c + (line * w->extent + in_line - from) * size);
			from += w->pitch && w->lines > 1 ? w->pitch - in_line : s->positions;
		}
	}
}

/* What is multiplied for two tiles of rows by two of positions. */
struct factors {
	const struct product_channels *c;
	const char *a, *b;
	const int64_t *tap;
};

static inline __attribute__((always_inline)) void
multiply_channels(const bool tall, const bool wide, const struct factors *f, struct made *last, float (*sums)[WIDE])
{
	const int64_t pitch_a = words_of_a(f->c) * 4, pitch_b = f->c->pitch * 4, groups = f->c->groups;
	const int64_t rows = parts(TALL, f->c->taps * groups);
	const char *a = f->a;
	struct {
		char *c;
		int64_t pitch_c;
	} to = {(char *)sums, sizeof *sums}, *s = &to;
	int64_t put = 0;
	EACH_OF_C(tall, wide, ZERO_OF_C);
	for (int64_t t = 0; t < f->c->taps; t++) {
		const char *b = f->b + f->tap[t] * 4;
		for (int64_t g = 0; g < groups; g++, a += LINE_BYTES, b += PLANES * pitch_b, put += rows) {
			STEP(BF16, a, true, b, true);
			if (put < last->rows)
				put_made(last, put, put + rows);
		}
	}
	EACH_OF_C(tall, wide, STORE_OF_C);
}

static void multiply_any(const struct factors *f, bool tall, bool wide, struct made *last, float (*sums)[WIDE])
{
	if (tall && wide)
		multiply_channels(true, true, f, last, sums);
	else if (tall)
		multiply_channels(true, false, f, last, sums);
	else if (wide)
		multiply_channels(false, true, f, last, sums);
	else
		multiply_channels(false, false, f, last, sums);
}

/* Blocks of rows, or of positions where those are not enough. */
static void run_blocks(enum product_type type, const struct product *p, const struct product_windows *w,
		       const struct product_channels *c, const char *words, const char *packed, struct share rows,
		       struct share columns)
{
	_Alignas(LINE_BYTES) float sums[2][TALL][WIDE];
	struct made last = {.rows = 0};
	int which = 0;
	open_tiles();
	for (int64_t i = 0; i < rows.extent; i += TALL)
		for (int64_t j = 0; j < columns.extent; j += WIDE, which ^= 1) {
			struct made next = {.p = p,
					    .w = w,
					    .type = type,
					    .row = rows.begin + i,
					    .rows = least(TALL, rows.extent - i),
					    .position = columns.begin + j,
					    .positions = least(WIDE, columns.extent - j),
					    .sums = sums[which]};
			struct factors f = {c, packed + i * words_of_a(c) * 4, words + taps_room(c) + next.position * 4,
					    (const int64_t *)(const void *)words};
			multiply_any(&f, next.rows > LINES, next.positions > LINES, &last, next.sums);
			last = next;
		}
	CLOSE_TILES();
	put_made(&last, 0, TALL);
}

void product_run_channels(enum product_type type, const struct product *p, const struct product_windows *w,
			  const struct product_channels *c, const void *words, struct product_part part, void *room)
{
	bool by_rows = parts(p->m, TALL) >= part.n;
	struct product_part whole = product_whole();
	struct share rows = share_of(p->m, TALL, by_rows ? part : whole),
		     columns = share_of(positions(w), WIDE, by_rows ? whole : part);
	if (rows.extent <= 0 || columns.extent <= 0)
		return;
	char *packed = (char *)room + CHANNELS_ROOM;
	if (!w->kept)
		pack_rows(type, c, &p->a, rows.begin, rows.extent, packed);
	run_blocks(type, p, w, c, words, packed, rows, columns);
}

#else
double product_channels_cost(enum product_level level, enum product_type type, const struct product *p,
			     const struct product_windows *w, struct product_channels *c)
{
	(void)level, (void)type, (void)p, (void)w, (void)c;
	return 0;
}

void product_channels_pack(enum product_type type, const struct product_channels *c, const struct product_windows *w,
			   void *room)
{
	(void)type, (void)c, (void)w, (void)room;
}

void product_run_channels(enum product_type type, const struct product *p, const struct product_windows *w,
			  const struct product_channels *c, const void *words, struct product_part part, void *room)
{
	(void)type, (void)p, (void)w, (void)c, (void)words, (void)part, (void)room;
}
#endif
