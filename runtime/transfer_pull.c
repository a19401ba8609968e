/* transfer_pull.c — the all-reduce of transfer_levels.c among few ranks of one host that may read each other's memory
 * (windows.h), of arrays that are too long for the window: who owns a share reads the parts that others have of it
 * where these have them, in pieces that stay in the second cache, and all others read its sum where it is. What is
 * shown (shown.h) is added up in place; what is not a call of the kernel copies to staging first. So each element is
 * copied once on either way, and what is moved is the least that an all-reduce moves. What a rank has may change as
 * soon as all others have told that they are done. Shares and the order of their parts are as by messages. */
#include "publish.h"
#include "transfer_levels.h"
#include "windows.h"

#include <string.h>

/* Of a rank's calls: parts can be read; so can the sum of its share; it has read all it needs. */
enum { READABLE, ADDED, TAKEN };

struct puller {
	struct window *window;
	struct reducer *reducer;
	int64_t piece;     /* elements of a share that are added up at a time */
	char *stage;       /* the parts of others, of one piece */
	const char **part; /* these and the own one */
	int64_t calls;     /* before this one */
	int64_t at;        /* elements of the own share that are added up */
	int taken;         /* sums of others that are here */
	struct publish_way past;
};

static int64_t longest_share(const struct reducer *r)
{
	int64_t longest = 0;
	for (int i = 0; i < r->levels.ranks; i++)
		longest = r->begin[i + 1] - r->begin[i] > longest ? r->begin[i + 1] - r->begin[i] : longest;
	return longest;
}

int64_t puller_staged(const struct puller *p, const struct rt_transfer *t)
{
	return p->piece * (p->reducer->levels.parts - 1) * t->size;
}

struct puller *puller_make(struct pmlrt *rt, struct rt_transfer *t, struct reducer *r, struct window *w)
{
	struct puller *p = rt_alloc(rt, sizeof *p);
	int parts = r->levels.parts;
	int64_t longest = longest_share(r), piece = rt->piece_bytes / (t->size * (parts > 1 ? parts - 1 : 1));
	*p = (struct puller){.window = w, .reducer = r};
	p->piece = piece < 1 ? 1 : piece < longest ? piece : longest;
	p->stage = transfer_staging(rt, t, puller_staged(p, t));
	p->part = rt_alloc(rt, parts * (int64_t)sizeof *p->part);
	return p;
}

static const struct room_arrays *arrays_of(const struct puller *p, int rank)
{
	return (const struct room_arrays *)(const void *)window_data(p->window, rank);
}

static bool have_come(const struct puller *p, int first, int last, int counter)
{
	for (int i = first; i < last; i++)
		if (i != p->window->own && window_seen(p->window, i, counter) <= p->calls)
			return false;
	return true;
}

static int64_t share_bytes(const struct puller *p, const struct rt_transfer *t, int share)
{
	const struct reducer *r = p->reducer;
	return (r->begin[share + 1] - r->begin[share]) * t->size;
}

void puller_begin(struct puller *p, const struct rt_transfer *t)
{
	const struct reducer *r = p->reducer;
	int parts = r->levels.parts, group = r->own / parts * parts;
	int64_t bytes = r->begin[r->levels.ranks] * t->size;
	*(struct room_arrays *)(void *)window_data(p->window, r->own) =
		(struct room_arrays){.parts = r->src,
				     .sums = r->dst,
				     .parts_at = window_place(p->window, r->src, bytes),
				     .sums_at = window_place(p->window, r->dst, bytes)};
	p->at = 0;
	p->taken = 0;
	window_tell(p->window, READABLE, p->calls + 1);
	for (int i = group; i < group + parts; i++)
		if (i != r->own)
			window_message(p->window, i, share_bytes(p, t, i));
}

/* Bytes of a rank's array where it is shown; NULL: it is not. */
static const char *view_of(const struct puller *p, int rank, int64_t place, int64_t begin, int64_t bytes)
{
	return window_view(p->window, rank, place < 0 ? place : place + begin, bytes);
}

/* The next piece of the own share; false: its parts are not all there. */
static bool add_piece(struct puller *p, const struct rt_transfer *t)
{
	const struct reducer *r = p->reducer;
	int parts = r->levels.parts, group = r->own / parts * parts;
	int64_t n = r->begin[r->own + 1] - r->begin[r->own] - p->at, begin = (r->begin[r->own] + p->at) * t->size;
	char *stage = p->stage;
	n = n < p->piece ? n : p->piece;
	for (int i = 0; i < parts; i++) {
		const struct room_arrays *has = arrays_of(p, group + i);
		bool own = group + i == r->own;
		p->part[i] = own ? r->src + begin : view_of(p, group + i, has->parts_at, begin, n * t->size);
		if (p->part[i])
			continue;
		if (!window_read(p->window, group + i, has->parts + begin, stage, n * t->size))
			return false;
		p->part[i] = stage;
		stage += n * t->size;
	}
	bool past = parts > 1 && publish_goes_past(&p->past, n * t->size);
	int64_t since = rt_now();
	reducer_add_up(t, r, past ? p->stage : r->dst + begin, p->part, parts, n);
	if (past)
		publish(r->dst + begin, p->stage, (size_t)(n * t->size));
	publish_took(&p->past, n * t->size, rt_now() - since);
	p->at += n;
	return true;
}

/* The own sum is where others read it. */
static bool add_up(struct puller *p, const struct rt_transfer *t)
{
	const struct reducer *r = p->reducer;
	int parts = r->levels.parts, group = r->own / parts * parts;
	if (!have_come(p, group, group + parts, READABLE))
		return false;
	while (p->at < r->begin[r->own + 1] - r->begin[r->own])
		if (!add_piece(p, t))
			return false;
	window_tell(p->window, ADDED, p->calls + 1);
	for (int i = 0; i < r->levels.ranks; i++)
		if (i != r->own)
			window_message(p->window, i, share_bytes(p, t, r->own));
	return true;
}

/* The sums of others, beginning with those behind this rank, so that not all read from one at first. What was a part
 * there has been read when the sum is made. */
static bool take_sums(struct puller *p, const struct rt_transfer *t)
{
	const struct reducer *r = p->reducer;
	for (; p->taken < r->levels.ranks - 1; p->taken++) {
		int share = (r->own + 1 + p->taken) % r->levels.ranks;
		int64_t begin = r->begin[share] * t->size, bytes = share_bytes(p, t, share);
		if (window_seen(p->window, share, ADDED) <= p->calls)
			return false;
		const struct room_arrays *has = arrays_of(p, share);
		const char *view = view_of(p, share, has->sums_at, begin, bytes);
		if (view)
			memcpy(r->dst + begin, view, (size_t)bytes);
		else if (!window_read(p->window, share, has->sums + begin, r->dst + begin, bytes))
			return false;
	}
	window_tell(p->window, TAKEN, p->calls + 1);
	return true;
}

bool puller_next(struct puller *p, const struct rt_transfer *t)
{
	int own = p->window->own, ranks = p->reducer->levels.ranks;
	if (window_seen(p->window, own, ADDED) <= p->calls && !add_up(p, t))
		return false;
	if (window_seen(p->window, own, TAKEN) <= p->calls && !take_sums(p, t))
		return false;
	if (!have_come(p, 0, ranks, TAKEN))
		return false;
	p->calls++;
	return true;
}
