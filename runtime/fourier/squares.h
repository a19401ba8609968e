/* squares.h — lines as matrices of rows x columns numbers, in the vectors of columns.h, which includes it: columns are
 * transformed, turned and transposed, then rows, as columns of that. */

#define UNROLL_ALL _Pragma("GCC unroll 16")
typedef T QUARTER __attribute__((vector_size(16), aligned(sizeof(T)), may_alias));
typedef T HALF __attribute__((vector_size(VECTOR_BYTES / 2), aligned(sizeof(T)), may_alias));
#define TRANSPOSE_F32(x) \
	{ \
		V t0 = LOW_F32(x[0], x[1]), t1 = LOW_F32(x[2], x[3]); \
		V t2 = HIGH_F32(x[0], x[1]), t3 = HIGH_F32(x[2], x[3]); \
		x[0] = LOW_PAIRS(t0, t1); \
		x[1] = HIGH_PAIRS(t0, t1); \
		x[2] = LOW_PAIRS(t2, t3); \
		x[3] = HIGH_PAIRS(t2, t3); \
	}
#define TRANSPOSE_F64(x) \
	{ \
		V t0 = LOW_F64(x[0], x[1]), t1 = HIGH_F64(x[0], x[1]); \
		x[0] = t0; \
		x[1] = t1; \
	}
#define LOAD_QUARTER(p) (*(const QUARTER *)(p))

/* `columns`, whole chunks, of LANES rows. */
static ALWAYS void transpose_rows(const T *const *row, int64_t columns, T *to, int64_t to_step)
{
	for (int64_t k = 0; k < columns; k += CHUNK, to += CHUNK * to_step) {
		V x[CHUNK];
		UNROLL
		for (int r = 0; r < CHUNK; r++)
			x[r] = JOIN(LOAD_QUARTER, row, r, k);
		TRANSPOSE(x);
		UNROLL
		for (int r = 0; r < CHUNK; r++)
			*(MEMORY *)(to + r * to_step) = x[r];
	}
}

/* Rows of a vector each, `rows` of them, to columns of a matrix whose rows are `step` apart; fewer than a vector of
 * them are filled up. */
static ALWAYS void transpose_block(const T *from, int64_t rows, T *to, int64_t step)
{
	for (int64_t r = 0; r < rows; r += LANES) {
		const T *row[LANES];
		int64_t first = r + LANES <= rows || rows < LANES ? r : rows - LANES;
		if (rows >= LANES) {
			const T *base = from + first * LANES;
			UNROLL_ALL
			for (int i = 0; i < LANES; i++)
				row[i] = base + i * LANES;
			transpose_rows(row, LANES, to + first, step);
		} else {
			for (int i = 0; i < LANES; i++)
				row[i] = from + (i < rows ? i : rows - 1) * LANES;
			transpose_rows(row, LANES, to, step);
		}
	}
}

/* A chunk of numbers of every line, lines `each` apart. Compilers would keep addresses of lines in memory for want of
 * registers: they are not told what these are made of. */
static ALWAYS void chunk_across(const T *from, int64_t each, T *to)
{
	int64_t one = each * (int64_t)sizeof(T), three = 3 * one;
	const T *row[LANES];
	UNROLL_ALL
	for (int g = 0; g < LANES / CHUNK; g++) {
		const char *group = (const char *)(from + g * CHUNK * each);
		__asm__("" : "+r"(group));
		UNROLL
		for (int r = 0; r < CHUNK; r++)
			row[g * CHUNK + r] = (const T *)(group + (r == 3 ? three : r * one));
	}
	transpose_rows(row, CHUNK, to, LANES);
}

static void across(int64_t lines, int64_t count, const void *from, int64_t each, void *to)
{
	const T *first = from, *row[LANES];
	if (count < CHUNK) {
		for (int64_t i = 0; i < count * LANES; i++)
			((T *)to)[i] = first[(i % LANES < lines ? i % LANES : lines - 1) * each + i / LANES];
		return;
	}
	for (int64_t k = 0; k < count; k += CHUNK) {
		int64_t at = k + CHUNK <= count ? k : count - CHUNK;
		if (lines == LANES) {
			chunk_across(first + at, each, (T *)to + at * LANES);
			continue;
		}
		for (int64_t l = 0; l < LANES; l++)
			row[l] = first + (l < lines ? l : lines - 1) * each + at;
		transpose_rows(row, CHUNK, (T *)to + at * LANES, LANES);
	}
}

/* Numbers of a few lines of the cache go to a few lines at a time. */
static void along_whole(int64_t count, const T *from, T *to, int64_t each)
{
	enum { AT_A_TIME = 4 * LANES };
	for (int64_t begin = 0; begin < count; begin += AT_A_TIME) {
		int64_t end = begin + AT_A_TIME < count ? begin + AT_A_TIME : count;
		for (int l = 0; l < LANES; l += CHUNK)
			for (int64_t k = begin; k < end; k += LANES) {
				int64_t at = k + LANES <= count ? k : count - LANES;
				const T *row[LANES], *first = from + at * LANES + l;
				UNROLL_ALL
				for (int i = 0; i < LANES; i++)
					row[i] = first + i * LANES;
				transpose_rows(row, CHUNK, to + l * each + at, each);
			}
	}
}

static void along(int64_t lines, int64_t count, const void *from, void *to, int64_t each)
{
	V block[LANES];
	if (lines == LANES && count >= LANES) {
		along_whole(count, from, to, each);
		return;
	}
	for (int64_t k = 0; k < count; k += LANES) {
		int64_t at = k + LANES <= count || count < LANES ? k : count - LANES;
		const T *row[LANES];
		for (int64_t i = 0; i < LANES; i++)
			row[i] = (const T *)from + (at + i < count ? at + i : count - 1) * LANES;
		transpose_rows(row, LANES, (T *)block, LANES);
		for (int64_t l = 0; l < lines; l++)
			memcpy((T *)to + l * each + at, &block[l], (size_t)(count < LANES ? count : LANES) * sizeof(T));
	}
}

static void copy_rows(int64_t rows, int64_t columns, const struct fourier_planes *from, const struct fourier_planes *to)
{
	for (int64_t i = 0; i < rows; i++) {
		memcpy((T *)to->re + i * to->step, (const T *)from->re + i * from->step, (size_t)columns * sizeof(T));
		memcpy((T *)to->im + i * to->step, (const T *)from->im + i * from->step, (size_t)columns * sizeof(T));
	}
}

/* Both addresses by themselves: a vector of them that waits until they are written waits for all that was before. */
static ALWAYS struct fourier_planes behind(const struct fourier_planes *p, int64_t elements, int64_t step)
{
	T *re = p->re, *im = p->im;
	__asm__("" : "+r"(re), "+r"(im));
	return (struct fourier_planes){re + elements, im + elements, step};
}

/* The columns of a line; what they leave is rows of `middle`. Where the last ones are no whole vector, some are
 * computed twice. */
static void columns_of_line(const struct fourier_square *s, const struct fourier_planes *x,
			    const struct fourier_planes *middle, const struct fourier_planes *done, T *room)
{
	int64_t rows = s->first->n, columns_of = s->second->n;
	for (int64_t c = 0; c < columns_of; c += LANES) {
		int64_t column = columns_of < LANES || c + LANES <= columns_of ? c : columns_of - LANES;
		struct fourier_planes from = behind(x, column, columns_of),
				      turned = behind(s->turned, column, s->turned->step);
		struct fourier_planes narrow = {room, room + rows * LANES, LANES};
		T *rest = room;
		if (columns_of < LANES) {
			copy_rows(rows, columns_of, &from, &narrow);
			from = narrow;
			rest += 2 * rows * LANES;
		}
		columns(s->first, &from, &(struct fourier_last){&turned, false, 1}, done, rest, s->ahead);
		transpose_block(done->re, rows, (T *)middle->re + column * middle->step, middle->step);
		transpose_block(done->im, rows, (T *)middle->im + column * middle->step, middle->step);
	}
}

static void rows_of_line(const struct fourier_square *s, const struct fourier_planes *middle,
			 const struct fourier_planes *out, const struct fourier_planes *done, T *room)
{
	int64_t rows = s->first->n, columns_of = s->second->n;
	struct fourier_last last = {.scale = s->scale};
	for (int64_t r = 0; r < rows; r += LANES) {
		int64_t row = rows < LANES || r + LANES <= rows ? r : rows - LANES;
		struct fourier_planes from = behind(middle, row, middle->step), to = behind(out, row, rows);
		columns(s->second, &from, &last, rows < LANES ? done : &to, room, s->ahead);
		if (rows < LANES)
			copy_rows(columns_of, rows, done, &to);
	}
}

/* ---- 8 rows, where vectors have 8 numbers or 16 of two lines ---- */

#if WIDTH == 16
#define TOGETHER 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define FIRST    0, 1, 2, 3, 4, 5, 6, 7
#define LAST     8, 9, 10, 11, 12, 13, 14, 15
/* Of vectors of quarters a b c d and A B C D: a A c C and b B d D. */
#define EVEN_QUARTERS(x, y) __builtin_shufflevector(x, y, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27)
#define ODD_QUARTERS(x, y)  __builtin_shufflevector(x, y, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31)

static ALWAYS V halves_at(const T *first, const T *second)
{
	return __builtin_shufflevector(*(const HALF *)first, *(const HALF *)second, TOGETHER);
}

static ALWAYS void put_halves(V x, T *first, T *second)
{
	*(HALF *)first = __builtin_shufflevector(x, x, FIRST);
	*(HALF *)second = __builtin_shufflevector(x, x, LAST);
}
#elif WIDTH == 8
#define EVEN_QUARTERS(x, y) __builtin_shufflevector(x, y, 0, 1, 2, 3, 8, 9, 10, 11)
#define ODD_QUARTERS(x, y)  __builtin_shufflevector(x, y, 4, 5, 6, 7, 12, 13, 14, 15)
#endif

#if WIDTH >= 8
/* Matrices of 8 x 8 numbers: all of a vector, or either half of it. */
static ALWAYS void transpose_8x8(V *x)
{
#if CHUNK == 4
	TRANSPOSE(x);
	TRANSPOSE((x + 4));
	UNROLL
	for (int r = 0; r < 4; r++) {
		V even = EVEN_QUARTERS(x[r], x[r + 4]), odd = ODD_QUARTERS(x[r], x[r + 4]);
		x[r] = even;
		x[r + 4] = odd;
	}
#else
	UNROLL
	for (int r = 0; r < 8; r += 2)
		TRANSPOSE((x + r));
	UNROLL
	for (int c = 0; c < 2; c++) {
		V a = __builtin_shufflevector(x[c], x[c + 2], 0, 1, 4, 5, 8, 9, 12, 13);
		V b = __builtin_shufflevector(x[c], x[c + 2], 2, 3, 6, 7, 10, 11, 14, 15);
		V d = __builtin_shufflevector(x[c + 4], x[c + 6], 0, 1, 4, 5, 8, 9, 12, 13);
		V e = __builtin_shufflevector(x[c + 4], x[c + 6], 2, 3, 6, 7, 10, 11, 14, 15);
		x[c] = __builtin_shufflevector(a, d, 0, 1, 4, 5, 8, 9, 12, 13);
		x[c + 4] = __builtin_shufflevector(a, d, 2, 3, 6, 7, 10, 11, 14, 15);
		x[c + 2] = __builtin_shufflevector(b, e, 0, 1, 4, 5, 8, 9, 12, 13);
		x[c + 6] = __builtin_shufflevector(b, e, 2, 3, 6, 7, 10, 11, 14, 15);
	}
#endif
}

/* Nothing is stored in between. */
static ALWAYS void square_8x8_with(const struct fourier_square *s, bool is_scaled)
{
	struct complex z[8];
	V re[8], im[8], scale = all((T)s->scale);
#if WIDTH == 16
	const struct fourier_planes *x = s->x, *out = s->out;
	T unused[2 * 64], *out_re = s->count > 1 ? out[1].re : unused, *out_im = s->count > 1 ? out[1].im : unused + 64;
#endif
	UNROLL
	for (int t = 0; t < 8; t++)
#if WIDTH == 16
		z[t] = (struct complex){halves_at((const T *)x[0].re + 8 * t, (const T *)x[1].re + 8 * t),
					halves_at((const T *)x[0].im + 8 * t, (const T *)x[1].im + 8 * t)};
#else
		z[t] = (struct complex){*vector(s->x[0].re, 8 * t), *vector(s->x[0].im, 8 * t)};
#endif
	of_8(z);
	UNROLL
	for (int t = 0; t < 8; t++) {
		z[t] = times(z[t], *vector(s->turned->re, t * LANES), *vector(s->turned->im, t * LANES));
		re[t] = z[t].re;
		im[t] = z[t].im;
	}
	transpose_8x8(re);
	transpose_8x8(im);
	UNROLL
	for (int t = 0; t < 8; t++)
		z[t] = (struct complex){re[t], im[t]};
	if (!is_scaled)
		z[0] = (struct complex){z[0].re + (T)0, z[0].im + (T)0};
	of_8(z);
	UNROLL
	for (int t = 0; t < 8; t++) {
		if (is_scaled)
			z[t] = (struct complex){FMA(z[t].re, scale, all(0)), FMA(z[t].im, scale, all(0))};
#if WIDTH == 16
		put_halves(z[t].re, (T *)out[0].re + 8 * t, out_re + 8 * t);
		put_halves(z[t].im, (T *)out[0].im + 8 * t, out_im + 8 * t);
#else
		*vector(s->out[0].re, 8 * t) = z[t].re;
		*vector(s->out[0].im, 8 * t) = z[t].im;
#endif
	}
}

static void square_8x8(const struct fourier_square *s)
{
	if (s->scale == 1)
		square_8x8_with(s, false);
	else
		square_8x8_with(s, true);
}
#endif

#if WIDTH == 16
/* Two lines of 8 rows. */
static void square_of_two(const struct fourier_square *s, const struct fourier_planes *middle,
			  const struct fourier_planes *done, T *room)
{
	int64_t columns_of = s->second->n;
	for (int64_t c = 0; c < columns_of; c += LANES) {
		struct fourier_planes turned = behind(s->turned, c, s->turned->step);
		for (int l = 0; l < 2; l++) {
			struct fourier_planes from = behind(&s->x[l], c, columns_of);
			struct row x = row_of(&from, 0, 1), by = row_of(&turned, 0, 1);
			T *re_to = (T *)done->re + l * 8 * LANES, *im_to = (T *)done->im + l * 8 * LANES;
			struct complex z[8];
			UNROLL
			for (int t = 0; t < 8; t++)
				z[t] = (struct complex){*re(&x, t), *im(&x, t)};
			of_8(z);
			UNROLL
			for (int t = 0; t < 8; t++) {
				z[t] = times(z[t], *re(&by, t), *im(&by, t));
				*vector(re_to, t * LANES) = z[t].re;
				*vector(im_to, t * LANES) = z[t].im;
			}
		}
		transpose_block(done->re, LANES, (T *)middle->re + c * LANES, LANES);
		transpose_block(done->im, LANES, (T *)middle->im + c * LANES, LANES);
	}
	columns(s->second, middle, &(struct fourier_last){.scale = s->scale}, done, room, s->ahead);
	for (int l = 0; l < s->count; l++) {
		T *re_to = s->out[l].re, *im_to = s->out[l].im;
		const T *re_of = (const T *)done->re + l * 8, *im_of = (const T *)done->im + l * 8;
		for (int64_t k = 0; k < columns_of; k++) {
			*(HALF *)(re_to + 8 * k) = *(const HALF *)(re_of + k * LANES);
			*(HALF *)(im_to + 8 * k) = *(const HALF *)(im_of + k * LANES);
		}
	}
}
#endif

static void square(const struct fourier_square *s)
{
	int64_t rows = s->first->n, columns_of = s->second->n, longest = rows > columns_of ? rows : columns_of;
	int64_t apart = rows + FOURIER_VECTOR / (int64_t)sizeof(T); /* lest rows share sets of the cache */
	T *room = s->room;
	if (longest < LANES)
		longest = LANES;
	struct fourier_planes done = {room, room + longest * LANES, LANES};
	room += 2 * longest * LANES;
	struct fourier_planes middle = {room, room + apart * columns_of, apart};
	room += 2 * apart * columns_of;
#if WIDTH >= 8
	if (rows == 8 && columns_of == 8) {
		square_8x8(s);
		return;
	}
#endif
#if WIDTH == 16
	if (fourier_lines_in_square(rows, columns_of, LANES) > 1) {
		middle.step = LANES;
		square_of_two(s, &middle, &done, room);
		return;
	}
#endif
	columns_of_line(s, s->x, &middle, &done, room);
	rows_of_line(s, &middle, s->out, &done, room);
}
