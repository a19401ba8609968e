/* fixed.h — transforms of columns of some numbers in one or two passes, with the operations of the passes of columns.h,
 * in loops whose counts compilers know. Included by columns.h. */

static ALWAYS void turn_between(struct complex *x, int r, const T *turns)
{
	UNROLL
	for (int t = 1; t < r; t++)
		x[t] = times(x[t], all(turns[2 * t - 2]), all(turns[2 * t - 1]));
}

static ALWAYS void load(struct complex *x, int r, const struct row *from)
{
	UNROLL
	for (int t = 0; t < r; t++)
		x[t] = (struct complex){*re(from, t), *im(from, t)};
}

/* Two passes of radix r and s. */
static ALWAYS void in_two_passes(const struct pass *a, int r, int s, enum turn turn, T *room)
{
	struct fourier_planes between = {room, room + r * s * LANES, LANES};
	struct pass last = *a;
	last.x = &between;
	last.s = r;
	last.m = 1;
	const T *turns = a->f->between;
	for (int p = 0; p < s; p++) {
		struct complex x[8];
		T *to_re = room + r * p * LANES, *to_im = to_re + r * s * LANES;
		if (a->ahead)
			fetch(a->ahead);
		struct row from = row_of(a->x, p, s);
		load(x, r, &from);
		butterfly(x, r, a->f);
		if (p) {
			turn_between(x, r, turns);
			turns += 2 * (r - 1);
		}
		UNROLL
		for (int t = 0; t < r; t++) {
			*(MEMORY *)(to_re + t * LANES) = x[t].re;
			*(MEMORY *)(to_im + t * LANES) = x[t].im;
		}
	}
	for (int q = 0; q < r; q++)
		step(&last, s, 0, q, turn);
}

#define FIXED_SIZES(X) X(8, 8, 1) X(16, 4, 4) X(20, 4, 5) X(25, 5, 5) X(32, 8, 4) X(40, 8, 5) X(64, 8, 8)
#define FIXED_CASE(n, r, s) \
	case n: \
		fixed_##n(&a, room); \
		return;
#define FIXED_WITH(turn, n, r, s) \
	if (s == 1) { \
		struct pass last = *a; \
		last.m = 1; \
		step(&last, r, 0, 0, turn); \
	} else \
		in_two_passes(a, r, s, turn, room); \
	break;
#define FIXED(n, r, s) \
	static void fixed_##n(const struct pass *a, T *room) \
	{ \
		switch (turn_of(a->last)) { \
		case TURN_LAST: \
			FIXED_WITH(TURN_LAST, n, r, s) \
		case TURN_SCALED: \
			FIXED_WITH(TURN_SCALED, n, r, s) \
		case TURN_EACH: \
			FIXED_WITH(TURN_EACH, n, r, s) \
		default: \
			FIXED_WITH(TURN_ALIKE, n, r, s) \
		} \
	}
FIXED_SIZES(FIXED)
