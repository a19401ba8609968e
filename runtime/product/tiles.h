/* tiles.h — the register tiles of one level for elements T in vectors V (f32.h, f64.h): all numbers of rows up to ROWS,
 * of vectors up to VECTORS. STARTS: behind the rows of B is one more, which is added to all sums. A turn of the loop
 * over k is TURN steps, so that what is not a load, a broadcast or a multiplication is shared by them: a core whose
 * front end another thread shares waits for instructions, not for multipliers. */
#ifndef TURN
#define TURN 1
#endif

/* What is left of a sum: scaled, into C. */
#ifndef PUT
#define PUT(to, scale, sum, adds) \
	do { \
		if (adds) \
			*(to) = FMA(scale, sum, *(to)); \
		else \
			*(to) = (scale) * (sum); \
	} while (0)
#endif

/* So many lines of C are fetched at once; more would take all buffers for lines that come from afar, and what is read
 * meanwhile would wait: then each turn fetches one. */
enum { GROUP = 3, GROUPS = (ROWS + GROUP - 1) / GROUP, LINES_AT_ONCE = 12 };

/* Where a tile reads. Rows of A in place are reached from every third one: base, base + step and base + 2 * step are
 * addresses of one instruction. */
struct tile_source {
	const T *a, *base[GROUPS], *point[ROWS], *b, *line[VECTORS];
	int64_t a_step, b_step;
	const int64_t *column, *row; /* what k adds to points of A, to lines of B */
	const char *fetched;
	const int64_t *offset;
};

static inline __attribute__((always_inline)) bool is_in_place(const int form)
{
	return form == TILE_IN_PLACE || form == TILE_AHEAD;
}

static inline __attribute__((always_inline)) struct tile_source source_of(const int rows, const int vectors,
									  const int form, const void *a, int64_t a_step,
									  const void *b, int64_t b_step)
{
	struct tile_source x = {.a = a, .a_step = a_step, .b = b, .b_step = b_step};
	if (form == TILE_OF_LINES) {
		const struct product_lines_at *lines = b;
		for (int v = 0; v < vectors; v++)
			x.line[v] = lines->at[v];
		x.row = lines->offset;
	}
	if (form == TILE_OF_POINTS) {
		const struct product_points_at *points = a;
		for (int i = 0; i < rows; i++)
			x.point[i] = points->at[i];
		x.column = points->offset;
		x.fetched = points->fetched;
		x.b_step = VECTORS * LANES;
	}
	if (form == TILE_AHEAD) {
		const struct product_ahead *ahead = b;
		x.b = ahead->b;
		x.fetched = ahead->at;
		x.offset = ahead->offset;
		x.b_step = VECTORS * LANES;
	}
	for (int g = 0; is_in_place(form) && g * GROUP < rows; g++)
		x.base[g] = x.a + g * GROUP * a_step;
	return x;
}

/* One step along k, and on to the next. */
static inline __attribute__((always_inline)) void step(const int rows, const int vectors, const int form, int64_t p,
						       struct tile_source *x, V (*sum)[VECTORS])
{
	V y[VECTORS];
	_Pragma("GCC unroll 4") for (int v = 0; v < vectors; v++) y[v] =
		*(const V *)(form == TILE_OF_LINES ? x->line[v] + x->row[p] : x->b + v * LANES);
	const int64_t moved = form == TILE_OF_POINTS ? x->column[p] : 0;
	_Pragma("GCC unroll 16") for (int i = 0; i < rows; i++)
	{
		V z = (form == TILE_OF_POINTS ? x->point[i][moved]
		       : is_in_place(form)    ? x->base[i / GROUP][i % GROUP * x->a_step]
					      : x->a[i]) -
		      (V){0};
		_Pragma("GCC unroll 4") for (int v = 0; v < vectors; v++) ACCUMULATE(sum[i][v], z, y[v]);
	}
	if (form != TILE_OF_LINES)
		x->b += x->b_step;
	if (form == TILE_OF_PANELS || form == TILE_OF_LINES)
		x->a += x->a_step;
	_Pragma("GCC unroll 8") for (int g = 0; g * GROUP < rows; g++) x->base[g] += is_in_place(form);
}

static inline int64_t least_of(int64_t x, int64_t y)
{
	return x < y ? x : y;
}

static inline __attribute__((always_inline)) void turn(const int steps, const int rows, const int vectors,
						       const int form, int64_t p, struct tile_source *x,
						       V (*sum)[VECTORS])
{
	for (int at = 0; form == TILE_OF_POINTS && at < steps * FETCH_STEP; at += FETCH_LINE)
		__builtin_prefetch(x->fetched + p * FETCH_STEP + at, 0, 2);
	_Pragma("GCC unroll 4") for (int s = 0; s < steps; s++)
	{
		if (form == TILE_AHEAD)
			__builtin_prefetch(x->fetched + x->offset[p + s], 0, 2);
		step(rows, vectors, form, p + s, x, sum);
	}
}

static inline __attribute__((always_inline)) void tile(const int rows, const int vectors, const int form, int64_t k,
						       const void *of_a, int64_t a_step, const void *of_b,
						       int64_t b_step, T *c, int64_t ldc, T alpha, bool adds)
{
	struct tile_source x = source_of(rows, vectors, form, of_a, a_step, of_b, b_step);
	V sum[ROWS][VECTORS];
	int64_t p = 0;
	_Pragma("GCC unroll 16") for (int i = 0; i < rows; i++)
		_Pragma("GCC unroll 4") for (int v = 0; v < vectors; v++)
	{
		if (rows * vectors <= LINES_AT_ONCE)
			__builtin_prefetch(c + i * ldc + v * LANES, 1);
		sum[i][v] = (V){0};
	}
	if (rows * vectors > LINES_AT_ONCE) {
		const int64_t end = least_of(k, TURN * rows * vectors);
		const T *line = c, *last = c + (vectors - 1) * LANES;
		_Pragma("GCC unroll 1") for (; p + TURN <= end; p += TURN)
		{
			__builtin_prefetch(line, 1);
			line = line == last ? (last += ldc) - (vectors - 1) * LANES : line + LANES;
			turn(TURN, rows, vectors, form, p, &x, sum);
		}
	}
	for (; TURN > 1 && p + TURN <= k; p += TURN)
		turn(TURN, rows, vectors, form, p, &x, sum);
	_Pragma("GCC unroll 1") for (; p < k; p++) turn(1, rows, vectors, form, p, &x, sum);
#ifdef STARTS
	_Pragma("GCC unroll 4") for (int v = 0; v < vectors; v++)
	{
		V y = *(const V *)(x.b + v * LANES);
		_Pragma("GCC unroll 16") for (int i = 0; i < rows; i++) sum[i][v] += y;
	}
#endif
	__asm__("" : "+r"(c), "+r"(ldc)); /* the rows' addresses are made again, not kept in registers until here */
	const V scale = alpha - (V){0};
	_Pragma("GCC unroll 16") for (int i = 0; i < rows; i++)
		_Pragma("GCC unroll 4") for (int v = 0; v < vectors; v++)
	{
		V *to = (V *)(c + i * ldc + v * LANES);
		PUT(to, scale, sum[i][v], adds);
	}
}

#define TILE(rows, vectors, form) \
	static void form##_##vectors##_##rows(int64_t k, const void *a, int64_t a_step, const void *b, int64_t b_step, \
					      void *c, int64_t ldc, double alpha, bool adds) \
	{ \
		tile(rows, vectors, form, k, a, a_step, b, b_step, c, ldc, (T)alpha, adds); \
	}
#define EACH_FORM(X, vectors) \
	EACH_ROWS(X, vectors, TILE_IN_PLACE) \
	EACH_ROWS(X, vectors, TILE_AHEAD) \
	EACH_ROWS(X, vectors, TILE_OF_PANELS) EACH_ROWS(X, vectors, TILE_OF_LINES) EACH_ROWS(X, vectors, TILE_OF_POINTS)
#define TILES(vectors) EACH_FORM(TILE, vectors)
EACH_VECTORS(TILES)

static inline __attribute__((always_inline)) void pack_vectors(const int vectors, int64_t k,
							       const struct product_lines_at *at, T *to)
{
	for (int64_t p = 0; p < k; p++, to += vectors * LANES)
		_Pragma("GCC unroll 4") for (int v = 0; v < vectors; v++) * (V *)(to + v * LANES) =
			*(const V *)((const T *)at->at[v] + at->offset[p]);
}

static void pack_lines(int64_t vectors, int64_t k, const struct product_lines_at *at, void *room)
{
	if (vectors == VECTORS)
		pack_vectors(VECTORS, k, at, room);
	else if (vectors == 2)
		pack_vectors(2, k, at, room);
	else
		pack_vectors(1, k, at, room);
}

#define TILE_MEMBER(rows, vectors, form) .tile[form][(vectors)-1][(rows)-1] = form##_##vectors##_##rows,
#define TILES_MEMBERS(vectors)           EACH_FORM(TILE_MEMBER, vectors)
#define TILE_MEMBERS \
	EACH_VECTORS(TILES_MEMBERS).pack_lines = pack_lines, .size = sizeof(T), .lanes = LANES, .rows = ROWS, \
	.vectors = VECTORS, .most = {M_BLOCK, N_WHOLE, N_BLOCK, K_BLOCK * 4 / sizeof(T)}
