/* tiles.h — the register tiles of one level for elements T in vectors V (f32.h, f64.h): all numbers of rows up to ROWS,
 * of vectors up to VECTORS. STARTS: behind the rows of B is one more, which is added to all sums. A turn of
 * the loop over k is one step, or OF_A_TURN: with 16 registers there is none left for more, and a core that has its
 * front end to itself needs none. */
#ifndef OF_A_TURN
#define OF_A_TURN "GCC unroll 1"
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

/* Rows of A in place are reached from every third one: base, base + step and base + 2 * step are addresses of one
 * instruction. */
static inline __attribute__((always_inline)) void tile(const int rows, const int vectors, const int form, int64_t k,
						       const void *of_a, int64_t a_step, const void *of_b,
						       int64_t b_step, T *c, int64_t ldc, T alpha, bool adds)
{
	const bool in_place = form == TILE_IN_PLACE || form == TILE_AHEAD;
	const struct product_lines_at *lines = of_b;
	const struct product_points_at *points = of_a;
	const T *a = form == TILE_OF_POINTS ? NULL : of_a;
	const int64_t *column = form == TILE_OF_POINTS ? points->offset : NULL;
	const struct product_ahead *ahead = of_b;
	const T *b = form == TILE_AHEAD ? ahead->b : of_b;
	const char *fetched = form == TILE_AHEAD ? ahead->at : form == TILE_OF_POINTS ? points->fetched : NULL;
	const int64_t *offset = form == TILE_AHEAD ? ahead->offset : NULL;
	enum { GROUP = 3, GROUPS = (ROWS + GROUP - 1) / GROUP };
	V sum[ROWS][VECTORS];
	const T *base[GROUPS], *point[ROWS];
	_Pragma("GCC unroll 16") for (int i = 0; i < rows; i++)
	{
		_Pragma("GCC unroll 4") for (int v = 0; v < vectors; v++)
			__builtin_prefetch(c + i * ldc + v * LANES, 1);
		if (form == TILE_OF_POINTS)
			point[i] = points->at[i];
		else if (i % GROUP == 0)
			base[i / GROUP] = a + (in_place ? i * a_step : i);
		_Pragma("GCC unroll 4") for (int v = 0; v < vectors; v++) sum[i][v] = (V){0};
	}
	_Pragma(OF_A_TURN) for (int64_t p = 0; p < k; p++, b += b_step)
	{
		V y[VECTORS];
		if (form == TILE_AHEAD)
			__builtin_prefetch(fetched + offset[p], 0, 2);
		if (form == TILE_OF_POINTS)
			__builtin_prefetch(fetched + p * FETCH_STEP, 0, 2);
		_Pragma("GCC unroll 4") for (int v = 0; v < vectors; v++) y[v] = *(
			const V *)(form == TILE_OF_LINES ? (const T *)lines->at[v] + lines->offset[p] : b + v * LANES);
		const int64_t moved = form == TILE_OF_POINTS ? column[p] : 0;
		_Pragma("GCC unroll 16") for (int i = 0; i < rows; i++)
		{
			V x = (form == TILE_OF_POINTS ? point[i][moved]
			       : in_place             ? base[i / GROUP][i % GROUP * a_step]
						      : a[i]) -
			      (V){0};
			_Pragma("GCC unroll 4") for (int v = 0; v < vectors; v++) ACCUMULATE(sum[i][v], x, y[v]);
		}
		if (form == TILE_OF_POINTS)
			continue;
		a += a_step;
		_Pragma("GCC unroll 8") for (int g = 0; g * GROUP < rows; g++) base[g]++;
	}
#ifdef STARTS
	_Pragma("GCC unroll 4") for (int v = 0; v < vectors; v++)
	{
		V y = *(const V *)(b + v * LANES);
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
	EACH_ROWS(X, vectors, TILE_OF_PANELS) EACH_ROWS(X, vectors, TILE_OF_LINES) \
		EACH_ROWS(X, vectors, TILE_OF_POINTS)
#define TILES(vectors) EACH_FORM(TILE, vectors)
EACH_VECTORS(TILES)

#define TILE_MEMBER(rows, vectors, form) .tile[form][(vectors)-1][(rows)-1] = form##_##vectors##_##rows,
#define TILES_MEMBERS(vectors)           EACH_FORM(TILE_MEMBER, vectors)
#define TILE_MEMBERS \
	EACH_VECTORS(TILES_MEMBERS).size = sizeof(T), .lanes = LANES, .rows = ROWS, .vectors = VECTORS, .steps = 1, \
	.units = 1, .most = {M_BLOCK, N_WHOLE, N_BLOCK, K_BLOCK * 4 / sizeof(T)}
