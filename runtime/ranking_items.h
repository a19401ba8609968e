/* ranking_items.h — sorting items, written once for both kinds (ranking.h): ITEM is the type, BEFORE(x, y) their order,
 * KEY(x) the part of the key that digits are taken of, NAME(f) what the functions are called. */

static void NAME(insert_all)(ITEM *v, int64_t n)
{
	for (int64_t i = 1; i < n; i++) {
		ITEM x = v[i];
		int64_t k = i;
		for (; k > 0 && BEFORE(x, v[k - 1]); k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
}

/* How many of n items have each value of each digit; digits have so many bits, from bit `from` of the key on. */
static ALWAYS void NAME(count_of)(const ITEM *v, int64_t n, int from, int bits, int digits,
				  uint32_t count[][1 << DIGIT_BITS])
{
	uint32_t mask = (1u << bits) - 1;
	for (int64_t i = 0; i < n; i++) {
		uint64_t key = KEY(v[i]) >> from;
		UNROLLED
		for (int d = 0; d < digits; d++)
			count[d][key >> d * bits & mask]++;
	}
}

static void NAME(count)(const ITEM *v, int64_t n, int from, int bits, int digits, uint32_t count[][1 << DIGIT_BITS])
{
	for (int d = 0; d < digits; d++)
		memset(count[d], 0, sizeof count[d][0] << bits);
	if (digits == DIGITS && bits == DIGIT_BITS)
		NAME(count_of)(v, n, from, DIGIT_BITS, DIGITS, count);
	else if (digits == DIGITS)
		NAME(count_of)(v, n, from, 8, DIGITS, count);
	else
		NAME(count_of)(v, n, from, bits, digits, count);
}

/* By the digit of the key that begins at bit `shift`, of which count says how many there are; equal ones in the order
 * in which they are. */
static void NAME(distribute)(const ITEM *from, ITEM *to, int64_t n, int shift, int bits, uint32_t *count)
{
	uint32_t mask = (1u << bits) - 1, sum = 0;
	for (uint32_t d = 0; d <= mask; d++) {
		uint32_t here = count[d];
		count[d] = sum;
		sum += here;
	}
	for (int64_t i = 0; i < n; i++)
		to[count[KEY(from[i]) >> shift & mask]++] = from[i];
}

static ITEM *NAME(sort)(ITEM *v, ITEM *room, int64_t n);

/* Those that the bits of the key from `from` on do not tell apart, which are neighbours, in order of the bits below. */
static void NAME(finish)(ITEM *v, ITEM *room, int64_t n, int from)
{
	for (int64_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && KEY(v[end]) >> from == KEY(v[i]) >> from;)
			end++;
		if (end - i > 1) {
			const ITEM *sorted = NAME(sort)(v + i, room, end - i);
			if (sorted == room)
				memcpy(v + i, room, sizeof *v * (size_t)(end - i));
		}
	}
}

/* All n in order; equal ones stay in theirs. Where they are then: v, or the room of as many. Of the bits in which keys
 * differ the leading ones go first, DIGITS digits, each from the lowest on (Knuth, The Art of Computer Programming 3,
 * 5.2.5): they tell most keys apart. A digit that is the same in all is left out. */
static ITEM *NAME(sort)(ITEM *v, ITEM *room, int64_t n)
{
	uint32_t count[DIGITS][1 << DIGIT_BITS];
	uint64_t differ = 0;
	int top = 0, bottom = 0, bits = n < LONG_LINE ? 8 : DIGIT_BITS; /* of those that differ */
	if (n <= FEW) {
		NAME(insert_all)(v, n);
		return v;
	}
	for (int64_t i = 1; i < n; i++)
		differ |= KEY(v[i]) ^ KEY(v[0]);
	if (differ == 0)
		return v;
	while ((differ >> bottom & 1) == 0)
		bottom++;
	while (top < 64 && differ >> top > 0)
		top++;
	int from = top - DIGITS * bits > bottom ? top - DIGITS * bits : bottom;
	int digits = (top - from + bits - 1) / bits;
	NAME(count)(v, n, from, bits, digits, count);
	for (int d = 0; d < digits; d++) {
		int shift = from + d * bits;
		if (count[d][KEY(v[0]) >> shift & ((1u << bits) - 1)] == n)
			continue;
		NAME(distribute)(v, room, n, shift, bits, count[d]);
		ITEM *t = v;
		v = room;
		room = t;
	}
	if (from > bottom)
		NAME(finish)(v, room, n, from);
	return v;
}

/* The middle one of three items that a generator draws. */
static ITEM NAME(pivot)(const ITEM *v, int64_t n, uint64_t *state)
{
	ITEM x[3];
	for (int i = 0; i < 3; i++) {
		*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		x[i] = v[(*state >> 33) % (uint64_t)n];
	}
	bool ab = BEFORE(x[0], x[1]), bc = BEFORE(x[1], x[2]), ac = BEFORE(x[0], x[2]);
	return ab == bc ? x[1] : ab == ac ? x[2] : x[0];
}

/* Puts those of begin..end that do not come after the pivot, one of them, in front: where the last of these is, which
 * is not the last of all (Hoare, Quicksort, 1962). */
static int64_t NAME(partition)(ITEM *v, int64_t begin, int64_t end, ITEM pivot)
{
	int64_t i = begin - 1, k = end;
	for (;;) {
		do
			i++;
		while (BEFORE(v[i], pivot));
		do
			k--;
		while (BEFORE(pivot, v[k]));
		if (i >= k)
			return k + 1 == end ? k - 1 : k;
		ITEM t = v[i];
		v[i] = v[k];
		v[k] = t;
	}
}

/* Keeps the first k of the n > k items, in the order in which they are, and returns the last of them. Pivots are drawn,
 * so no order of the data is slow (Hoare, Find, 1961). */
static ITEM NAME(keep_first)(ITEM *v, ITEM *room, int64_t n, int64_t k)
{
	uint64_t state = 1;
	int64_t begin = 0, end = n, kept = 0;
	memcpy(room, v, sizeof *v * (size_t)n);
	while (end - begin > FEW) {
		int64_t last = NAME(partition)(room, begin, end, NAME(pivot)(room + begin, end - begin, &state));
		*(k - 1 <= last ? &end : &begin) = last + 1;
	}
	NAME(insert_all)(room + begin, end - begin);
	ITEM bound = room[k - 1];
	for (int64_t i = 0; i < n; i++)
		if (!BEFORE(bound, v[i]))
			v[kept++] = v[i];
	return bound;
}

/* Keeps of n items those whose keys begin with the digits of what stands at *from .. *from + count, and is counted from
 * them: how many these are. Digits are looked at until they tell no more items apart. */
static int64_t NAME(keep_middle)(ITEM *v, int64_t n, int64_t *from, int64_t count)
{
	static const uint32_t mask = (1u << DIGIT_BITS) - 1;
	while (n > FEW) {
		uint32_t of[1 << DIGIT_BITS] = {0};
		uint64_t differ = 0;
		int top = 0;
		for (int64_t i = 1; i < n; i++)
			differ |= KEY(v[i]) ^ KEY(v[0]);
		while (top < 64 && differ >> top > 0)
			top++;
		if (top == 0)
			return n;
		int shift = top > DIGIT_BITS ? top - DIGIT_BITS : 0;
		for (int64_t i = 0; i < n; i++)
			of[KEY(v[i]) >> shift & mask]++;
		struct ranking_digits d = rt_ranking_digits(of, *from, count);
		int64_t kept = 0;
		for (int64_t i = 0; i < n; i++) {
			uint32_t digit = KEY(v[i]) >> shift & mask;
			v[kept] = v[i];
			kept += digit - d.low <= d.high - d.low;
		}
		*from -= d.before;
		if (kept == n)
			return n;
		n = kept;
	}
	return n;
}
