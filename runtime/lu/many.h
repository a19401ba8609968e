/* many.h — the factors of small matrices, one in each lane: element (i, k) of all of them is a vector. What is done to
 * a matrix is what `panel` of lines.h does to one, in the same order, so bits are the same. */

static ALWAYS bool any(I where)
{
	INDEX some = 0;
	for (int i = 0; i < LANES; i++)
		some |= where[i];
	return some != 0;
}

/* The line of column j, from its diagonal on, that has the first of the largest absolute values; j if all are NaN. */
static ALWAYS I pivot_of(int64_t n, const V *a, int64_t j)
{
	struct most m = nothing();
	const I yes = (I){0} == (I){0};
	for (int64_t i = j; i < n; i++)
		look(&m, a[i * n + j], (I){0} + (INDEX)i, yes);
	return choose_place(m.size < 0, (I){0} + (INDEX)j, m.place);
}

/* Lines i and j where it is said, with what they are in the matrices. */
static ALWAYS void exchange_where(I where, int64_t n, V *order, V *a, int64_t i, int64_t j)
{
	V was = order[i];
	order[i] = choose(where, order[j], was);
	order[j] = choose(where, was, order[j]);
	for (int64_t k = 0; k < n; k++) {
		was = a[i * n + k];
		a[i * n + k] = choose(where, a[j * n + k], was);
		a[j * n + k] = choose(where, was, a[j * n + k]);
	}
}

/* What is below the diagonal of column j becomes multipliers: by multiplication where the pivot has a reciprocal. */
static ALWAYS void divide_below(int64_t n, V *a, int64_t j)
{
	V pivot = a[j * n + j], size = size_of(pivot), by = all(1) / pivot;
	I usual = (I)(size >= LEAST) & (I)(size_of(by) >= LEAST), none = (I)(size == 0);
	bool is_usual = !any(~usual);
	for (int64_t i = j + 1; i < n; i++) {
		V x = a[i * n + j], y = x * by;
		a[i * n + j] = is_usual ? y : choose(usual, y, choose(none, x, x / pivot));
	}
}

/* room: n vectors for the order of lines, and n * n of elements behind them. */
static void many(int64_t n, void *room)
{
	V *order = room, *a = order + n;
	for (int64_t i = 0; i < n; i++)
		order[i] = all((T)i);
	for (int64_t j = 0; j < n; j++) {
		I pivot = pivot_of(n, a, j);
		for (int64_t i = j + 1; i < n; i++) {
			I where = pivot == (INDEX)i;
			if (any(where))
				exchange_where(where, n, order, a, j, i);
		}
		divide_below(n, a, j);
		for (int64_t i = j + 1; i < n; i++)
			for (int64_t k = j + 1; k < n; k++)
				a[i * n + k] = FMA(a[i * n + j], -a[j * n + k], a[i * n + k]);
	}
}
