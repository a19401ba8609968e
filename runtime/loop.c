/* loop.c — loops of regions: what comes next, and where buffers are that move from turn to turn. Kernels, products and
 * transfers find the address of a buffer in its cell, so a turn costs no more than setting those that move.
 *
 * A tape is a buffer for as many lines as there happen to be turns. Its addresses are reserved once, its memory is
 * taken as it grows and kept for the next time, so nothing is taken once the longest loop was there. It begins anew
 * with its loop, or with one around it: then the lines of all turns of that one stand behind each other. */
#define _DEFAULT_SOURCE
#include "loop.h"
#include "peers.h"
#include "rt.h"

#include <string.h>
#include <sys/mman.h>

/* One loop, with what its words say behind their numbers. */
struct loop {
	struct pmlrt *rt;
	void **at;
	const int64_t *words;
	int64_t *cell; /* its own */
};

static struct loop loop_of(struct pmlrt *rt, void **at, const int64_t *words)
{
	return (struct loop){rt, at, words, (int64_t *)(at + words[LOOP_STATE])};
}

/* A list of entries; their number at *n. */
static const int64_t *list(const struct loop *l, enum loop_word which, int64_t *n)
{
	const int64_t *words = l->words + l->words[which];
	*n = words[0];
	return words + 1;
}

/* ---- what moves ---- */

static _Noreturn void no_such_line(const struct loop *l, const int64_t *move, int64_t line)
{
	rt_fail(l->rt, (int32_t)move[MOVE_SITE], "turn %lld of the loop reads line %lld of %lld",
		(long long)l->cell[LOOP_CELL_TURN], (long long)line, (long long)move[MOVE_LINES]);
}

static void set_moves(const struct loop *l, enum loop_word which)
{
	int64_t n;
	const int64_t *move = list(l, which, &n);
	for (int64_t i = 0; i < n; i++) {
		const int64_t *of = move + MOVE_HEAD;
		int64_t line = move[MOVE_FIRST] + move[MOVE_STEP] * l->cell[LOOP_CELL_TURN];
		line += move[MOVE_BACK] ? l->cell[LOOP_CELL_TURNS] : 0;
		if (line < 0 || (move[MOVE_LINES] && line >= move[MOVE_LINES]))
			no_such_line(l, move, line);
		if (move[MOVE_TAPE] >= 0)
			line += ((const int64_t *)(l->at + move[MOVE_TAPE]))[TAPE_BEFORE];
		l->at[move[MOVE_CELL]] =
			move[MOVE_BUFFERS] > 1 ? l->at[of[line]] : (char *)l->at[of[0]] + line * move[MOVE_BYTES];
		move = of + move[MOVE_BUFFERS];
	}
}

/* ---- tapes ---- */

/* Bytes of a line of all tapes together. */
static int64_t bytes_of_turn(const struct loop *l)
{
	int64_t n, sum = 0;
	const int64_t *tape = list(l, LOOP_TAPES, &n);
	for (int64_t i = 0; i < n; i++)
		sum += tape[3 * i + 2];
	return sum;
}

/* The least k of which k segments of k turns are as many turns. */
static int64_t root(int64_t turns)
{
	int64_t k = 1;
	while (k < turns / k + (turns % k > 0))
		k++;
	return k;
}

static _Noreturn void no_room(const struct loop *l, int64_t turns)
{
	char all[32], one[32], segments[32];
	int64_t line = bytes_of_turn(l), bytes, kept, k = root(turns);
	bytes = __builtin_mul_overflow(turns, line, &bytes) ? INT64_MAX : bytes;
	kept = __builtin_mul_overflow(2 * k, line, &kept) ? INT64_MAX : kept;
	rt_fail(l->rt, (int32_t)l->words[LOOP_SITE],
		"rank %d: out of memory in turn %lld of this loop: what its gradient needs of each turn, %s, comes to "
		"%s for %lld turns\nhelp: `remat every %lld` before the loop keeps what each %lld turns begin with, "
		"and "
		"computes them again, %lld at a time: at most %s",
		l->rt->rank, (long long)l->cell[LOOP_CELL_TURN], rt_bytes_text(line, one, sizeof one),
		rt_bytes_text(bytes, all, sizeof all), (long long)turns, (long long)k, (long long)k, (long long)k,
		rt_bytes_text(kept, segments, sizeof segments));
}

/* Addresses alone, up to 1 TB: memory comes as the tape grows. At most what leaves as many for each other tape and half
 * of all for whatever else there is: a limit (ulimit -v) or a tool may have made them few. */
static int64_t reserve(const struct pmlrt *rt, void **at, int64_t wanted)
{
	int64_t shares = 2 * rt->program->ntapes;
	for (int64_t size = INT64_C(1) << 40; size >= wanted; size /= 4) {
		size_t all = (size_t)size * (size_t)shares;
		char *p = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (p == MAP_FAILED)
			continue;
		munmap(p + size, all - (size_t)size);
		*at = p;
		return size;
	}
	return 0;
}

/* By half of what it has, so that it is rarely asked for. */
static int64_t grown(int64_t has, int64_t wanted)
{
	enum { PAGES = 1 << 16 };
	int64_t size = has + has / 2 > wanted ? has + has / 2 : wanted;
	return (size + PAGES - 1) / PAGES * PAGES;
}

/* What takes little is not asked for. */
static bool is_available(int64_t more)
{
	int64_t available = more > INT64_C(1) << 26 ? rt_memory_available() : -1;
	return available < 0 || more <= available;
}

/* Room for the line of the turn, or of all turns if it is known how many there are: lines are written from the last on,
 * too. */
static void extend_tape(const struct loop *l, const int64_t *tape)
{
	int64_t line = tape[2], wanted, *cell = (int64_t *)(l->at + tape[1]);
	bool is_counted = l->cell[LOOP_CELL_TURNS] > l->cell[LOOP_CELL_TURN];
	cell[TAPE_LINES] = cell[TAPE_BEFORE] + (is_counted ? l->cell[LOOP_CELL_TURNS] : l->cell[LOOP_CELL_TURN] + 1);
	if (__builtin_mul_overflow(cell[TAPE_LINES], line, &wanted))
		wanted = INT64_MAX / 4;
	if (wanted <= cell[TAPE_BYTES] && l->at[tape[0]])
		return;
	if (!l->at[tape[0]])
		cell[TAPE_RESERVED] = reserve(l->rt, &l->at[tape[0]], wanted);
	int64_t size = grown(cell[TAPE_BYTES], wanted);
	size = size < cell[TAPE_RESERVED] ? size : cell[TAPE_RESERVED];
	if (size < wanted || !is_available(size - cell[TAPE_BYTES]) ||
	    mprotect(l->at[tape[0]], (size_t)size, PROT_READ | PROT_WRITE))
		no_room(l, cell[TAPE_LINES]);
	l->rt->tape_bytes += size - cell[TAPE_BYTES];
	cell[TAPE_BYTES] = size;
}

static void extend_tapes(const struct loop *l)
{
	int64_t n;
	const int64_t *tape = list(l, LOOP_TAPES, &n);
	for (int64_t i = 0; i < n; i++)
		extend_tape(l, tape + 3 * i);
}

/* Those that begin anew do, and all go on behind what they have. */
static void begin_tapes(const struct loop *l)
{
	int64_t n;
	const int64_t *rewind = list(l, LOOP_REWINDS, &n);
	for (int64_t i = 0; i < n; i++)
		((int64_t *)(l->at + rewind[i]))[TAPE_LINES] = 0;
	const int64_t *tape = list(l, LOOP_TAPES, &n);
	for (int64_t i = 0; i < n; i++) {
		int64_t *cell = (int64_t *)(l->at + tape[3 * i + 1]);
		cell[TAPE_BEFORE] = cell[TAPE_LINES];
	}
}

void pmlrt_loop_tapes(struct pmlrt *rt, void **at, const int64_t *words, int64_t turns)
{
	struct loop l = loop_of(rt, at, words);
	l.cell[LOOP_CELL_TURN] = 0;
	l.cell[LOOP_CELL_TURNS] = turns > 0 ? turns : 0;
	begin_tapes(&l);
	if (turns > 0)
		extend_tapes(&l);
}

/* ---- turns ---- */

/* What every turn begins with. */
static void begin_turn(const struct loop *l)
{
	if (l->words[LOOP_TURN] >= 0)
		*(int64_t *)l->at[l->words[LOOP_TURN]] = l->cell[LOOP_CELL_TURN];
	if (!l->words[LOOP_ASKS])
		extend_tapes(l);
	set_moves(l, LOOP_MOVES);
}

static void set_starts(const struct loop *l)
{
	int64_t n;
	const int64_t *start = list(l, LOOP_STARTS, &n);
	for (int64_t i = 0; i < n; i++)
		l->at[start[2 * i]] = l->at[start[2 * i + 1]];
	const int64_t *cleared = list(l, LOOP_CLEARED, &n);
	for (int64_t i = 0; i < n; i++)
		memset(l->at[cleared[2 * i]], 0, (size_t)cleared[2 * i + 1]);
	begin_tapes(l);
}

/* All at once. */
static void set_nexts(const struct loop *l)
{
	int64_t n;
	const int64_t *next = list(l, LOOP_NEXTS, &n);
	void **room = (void **)(l->cell + LOOP_CELLS);
	for (int64_t i = 0; i < n; i++)
		room[i] = l->at[next[2 * i + 1]];
	for (int64_t i = 0; i < n; i++)
		l->at[next[2 * i]] = room[i];
}

void pmlrt_loop_goes_too_far(struct pmlrt *rt, int32_t site, int64_t most)
{
	rt_fail(rt, site, "this loop is to make %lld turns at the most, and goes on", (long long)most);
}

void pmlrt_loop_has_too_many(struct pmlrt *rt, int32_t site, int64_t most, int64_t turns)
{
	rt_fail(rt, site, "this loop is to make %lld turns at the most, and would make %lld", (long long)most,
		(long long)turns);
}

static void check_most(const struct loop *l)
{
	int64_t most = l->words[LOOP_MOST], turns = l->cell[LOOP_CELL_TURNS];
	if (most < 0)
		return;
	if (l->words[LOOP_ASKS] && l->cell[LOOP_CELL_TURN] >= most)
		pmlrt_loop_goes_too_far(l->rt, (int32_t)l->words[LOOP_SITE], most);
	if (!l->words[LOOP_ASKS] && turns > most)
		pmlrt_loop_has_too_many(l->rt, (int32_t)l->words[LOOP_SITE], most, turns);
}

static bool may_never_end(const struct loop *l)
{
	return l->words[LOOP_ASKS] && l->words[LOOP_MOST] < 0 && l->rt->options.timeout > 0;
}

static void check_since(struct pmlrt *rt, int32_t site, int64_t began, int64_t turn)
{
	double seconds = (double)(rt_now() - began) / 1e9;
	if (seconds > PEERS_PATIENCE * rt->options.timeout)
		rt_fail(rt, site,
			"this loop goes on after %.3g seconds and %lld turns\nhelp: a larger --timeout lets it, 0 for "
			"ever; "
			"`for i in 0..n` with a `break` ends in any case",
			seconds, (long long)turn);
}

/* Looks at the clock once in many turns. */
static void check_time(const struct loop *l)
{
	enum { TURNS = 1 << 10 };
	int64_t turn = l->cell[LOOP_CELL_TURN];
	if (turn % TURNS == 0 && may_never_end(l))
		check_since(l->rt, (int32_t)l->words[LOOP_SITE], l->cell[LOOP_CELL_BEGAN], turn);
}

int64_t pmlrt_loop_began(struct pmlrt *rt)
{
	(void)rt;
	return rt_now();
}

int64_t pmlrt_loop_goes_on(struct pmlrt *rt, int32_t site, int64_t began, int64_t turns)
{
	if (!began)
		return rt_now();
	if (rt->options.timeout > 0)
		check_since(rt, site, began, turns);
	return began;
}

const int64_t *pmlrt_loop_begin(struct pmlrt *rt, void **at, const int64_t *words, int64_t turns)
{
	struct loop l = loop_of(rt, at, words);
	l.cell[LOOP_CELL_TURN] = 0;
	l.cell[LOOP_CELL_TURNS] = turns > 0 ? turns : 0;
	set_starts(&l);
	if (may_never_end(&l))
		l.cell[LOOP_CELL_BEGAN] = rt_now();
	if (!words[LOOP_ASKS])
		check_most(&l);
	if (turns <= 0 && !words[LOOP_ASKS])
		return words + words[LOOP_BEHIND];
	begin_turn(&l);
	return words + words[LOOP_BODY];
}

const int64_t *pmlrt_loop_test(struct pmlrt *rt, void **at, const int64_t *words, bool goes_on)
{
	struct loop l = loop_of(rt, at, words + words[0]);
	if (!goes_on)
		return l.words + l.words[LOOP_BEHIND];
	check_most(&l);
	check_time(&l);
	extend_tapes(&l);
	set_moves(&l, LOOP_LATE);
	return words + words[1];
}

const int64_t *pmlrt_loop_end(struct pmlrt *rt, void **at, const int64_t *words)
{
	struct loop l = loop_of(rt, at, words + words[0]);
	rt_came_by(rt);
	set_nexts(&l);
	l.cell[LOOP_CELL_TURN]++;
	if (!l.words[LOOP_ASKS] && l.cell[LOOP_CELL_TURN] == l.cell[LOOP_CELL_TURNS])
		return words + words[1];
	begin_turn(&l);
	return l.words + l.words[LOOP_BODY];
}
