/* transfer_window.c — the all-reduce of transfer_levels.c among few ranks of one host through a window (windows.h): who
 * has a part of a share writes it where its owner adds it up, who has added it up writes the sum where all others read
 * it. So each rank writes what it would send, and reads what it would receive, with no call of the kernel between; two
 * ranks write all they have, and both add up all of it, a wait less. It goes in pieces that stay in the second cache,
 * some of which are under way: a piece of the array's own goes where the last but so many was, when that has been read.
 * What is added up with what, and in which order, is as by messages. */
#include "publish.h"
#include "shown.h"
#include "transfer_levels.h"
#include "windows.h"

#include <string.h>

/* Of a rank's pieces, counted on from call to call: whose parts it has written; that it has added up, of which it has
 * read the parts of others; whose sums it has read. */
enum { WRITTEN, ADDED, TAKEN };

struct by_window {
	struct window window;
	struct reducer *reducer;
	struct sums_room room;
	int first;              /* of the shares of the own group */
	int64_t begun, done[3]; /* pieces of calls before this one; what this rank has told */
	const char **part;      /* those of one piece of a share, in their order */
	struct publish_way past;
	struct puller *puller; /* of long arrays, if memory can be read; else NULL */
};

/* Of a share in a piece: where it begins in the share, and how many elements it has of the longest. */
static int64_t piece_at(const struct by_window *b, int64_t piece)
{
	return (piece - b->begun) * b->room.piece;
}

static int64_t least(int64_t x, int64_t y)
{
	return x < y ? x : y;
}

struct span {
	int64_t begin, n; /* elements of the array */
};

static struct span span_of(const struct by_window *b, int share, int64_t piece)
{
	const struct reducer *r = b->reducer;
	int64_t begin = b->room.at_once ? 0 : r->begin[share],
		end = r->begin[b->room.at_once ? r->levels.ranks : share + 1];
	int64_t at = least(begin + piece_at(b, piece), end);
	return (struct span){at, least(b->room.piece, end - at)};
}

/* Where a rank's window has this piece of a share. Its group may be another one, with shares of its own. */
static char *place_of(const struct by_window *b, const struct rt_transfer *t, int rank, int share, int64_t piece)
{
	int64_t whole = b->room.piece, wide = least(whole, b->room.longest - piece_at(b, piece));
	wide = b->room.pieces > b->room.slots ? whole : wide;
	int64_t at = piece % b->room.slots * b->room.shares * b->room.piece + share % b->room.shares * wide;
	return window_data(&b->window, rank) + room_lines((int64_t)sizeof(struct room_arrays)) + at * t->size;
}

/* Whether ranks from first to last - 1 have told that they are so far. */
static bool have_come(const struct by_window *b, int first, int last, int counter, int64_t to)
{
	for (int i = first; i < last; i++)
		if (i != b->window.own && window_seen(&b->window, i, counter) < to)
			return false;
	return true;
}

static void tell(struct by_window *b, int counter)
{
	window_tell(&b->window, counter, ++b->done[counter]);
}

static void put(struct by_window *b, char *to, const char *from, int64_t bytes)
{
	if (bytes < PUBLISH_LEAST) {
		memcpy(to, from, (size_t)bytes);
		return;
	}
	int64_t since = rt_now();
	if (publish_goes_past(&b->past, bytes))
		publish(to, from, (size_t)bytes);
	else
		memcpy(to, from, (size_t)bytes);
	publish_took(&b->past, bytes, rt_now() - since);
}

/* The next piece, for those who add it up, if they have read what lies there. */
static bool write_parts(struct rt_transfer *t, struct by_window *b)
{
	const struct reducer *r = b->reducer;
	int64_t piece = b->done[WRITTEN];
	int last = b->first + b->room.shares;
	if (piece == b->begun + b->room.pieces ||
	    !have_come(b, b->room.at_once ? 0 : b->first, b->room.at_once ? 2 : last, ADDED, piece + 1 - b->room.slots))
		return false;
	for (int s = b->first; s < last; s++) {
		struct span x = span_of(b, s, piece);
		if (x.n && (b->room.at_once || s != r->own))
			put(b, place_of(b, t, r->own, s, piece), r->src + x.begin * t->size, x.n * t->size);
	}
	tell(b, WRITTEN);
	for (int s = b->first; s < last; s++)
		if (b->room.at_once || s != r->own)
			window_message(&b->window, b->room.at_once ? 1 - r->own : s, span_of(b, s, piece).n * t->size);
	return true;
}

/* Its sum: into the destination, and where others read it. */
static bool add_up(struct rt_transfer *t, struct by_window *b)
{
	const struct reducer *r = b->reducer;
	int64_t piece = b->done[ADDED];
	int parts = r->levels.parts, group = r->own / parts * parts, share = b->room.at_once ? 0 : r->own;
	if (piece == b->done[WRITTEN] || !have_come(b, group, group + parts, WRITTEN, piece + 1) ||
	    (!b->room.at_once && !have_come(b, 0, r->levels.ranks, TAKEN, piece + 1 - b->room.slots)))
		return false;
	struct span x = span_of(b, share, piece);
	char *out = r->dst + x.begin * t->size;
	for (int i = 0; i < parts; i++)
		b->part[i] = group + i == r->own ? r->src + x.begin * t->size : place_of(b, t, group + i, share, piece);
	reducer_add_up(t, r, out, b->part, parts, x.n);
	if (!b->room.at_once && x.n)
		put(b, place_of(b, t, r->own, share, piece), out, x.n * t->size);
	tell(b, ADDED);
	for (int i = 0; !b->room.at_once && i < r->levels.ranks; i++)
		if (i != r->own)
			window_message(&b->window, i, x.n * t->size);
	return true;
}

static bool take_sums(struct rt_transfer *t, struct by_window *b)
{
	const struct reducer *r = b->reducer;
	int64_t piece = b->done[TAKEN];
	if (b->room.at_once || piece == b->done[ADDED] || !have_come(b, 0, r->levels.ranks, ADDED, piece + 1))
		return false;
	for (int s = 0; s < r->levels.ranks; s++) {
		struct span x = span_of(b, s, piece);
		if (x.n && s != r->own)
			memcpy(r->dst + x.begin * t->size, place_of(b, t, s, s, piece), (size_t)(x.n * t->size));
	}
	tell(b, TAKEN);
	return true;
}

static void refused(struct pmlrt *rt, struct window *w)
{
	struct rt_transfer *t = w->t;
	struct by_window *b = (struct by_window *)(void *)w;
	struct reducer *r = b->reducer;
	r->window = NULL;
	t->looks = false;
	t->shared = 0;
	t->staging -= b->puller ? puller_staged(b->puller, t) : 0;
	rt->staging_bytes -= b->puller ? puller_staged(b->puller, t) : 0;
	reducer_by_messages(rt, t, r);
}

bool reducer_by_window(struct pmlrt *rt, struct rt_transfer *t, struct reducer *r)
{
	const struct levels *l = &r->levels;
	struct room_limits limits = window_limits(rt);
	struct sums_room room;
	int64_t longest = 0;
	for (int i = 0; i < l->ranks; i++)
		longest = r->begin[i + 1] - r->begin[i] > longest ? r->begin[i + 1] - r->begin[i] : longest;
	if (!room_of_sums(&room, &limits, l->ranks, l->parts, r->begin[l->ranks], longest, t->size))
		return false;
	struct by_window *b = rt_alloc(rt, sizeof *b);
	*b = (struct by_window){.reducer = r, .room = room, .first = room.at_once ? 0 : r->own / l->parts * l->parts};
	b->window = (struct window){
		.t = t, .bytes = room.bytes, .ranks = l->ranks, .own = r->own, .rank = l->peer, .refused = refused};
	if (!window_ask(rt, &b->window)) {
		rt_release(rt, b);
		return false;
	}
	b->part = rt_alloc(rt, l->parts * (int64_t)sizeof *b->part);
	if (room.pulls)
		b->puller = puller_make(rt, t, r, &b->window);
	b->window.must_read = room.must_pull;
	b->window.shows = room.pulls && r->begin[l->ranks] * t->size <= SHOWN_BYTES;
	t->shared = b->window.bytes;
	t->looks = true;
	r->window = b;
	return true;
}

void reducer_window_begin(struct rt_transfer *t, struct reducer *r)
{
	struct by_window *b = r->window;
	if (b->puller && b->window.reads) {
		puller_begin(b->puller, t);
		return;
	}
	b->begun = b->done[WRITTEN];
	while (write_parts(t, b))
		continue;
}

bool reducer_window_next(struct rt_transfer *t, struct reducer *r)
{
	struct by_window *b = r->window;
	bool moves = true;
	if (b->puller && b->window.reads)
		return puller_next(b->puller, t);
	while (moves) {
		moves = write_parts(t, b);
		moves |= add_up(t, b);
		moves |= take_sums(t, b);
	}
	return b->done[b->room.at_once ? ADDED : TAKEN] == b->begun + b->room.pieces;
}
