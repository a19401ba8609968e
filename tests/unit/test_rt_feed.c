/* test_rt_feed.c — batches read ahead: a slow source whose batches are whole when they are taken if the rank waits long
 * enough, random moments, slices and refusals, credits, and datasets whose order and rows are the same however far
 * ahead they were read. */
#define _POSIX_C_SOURCE 200809L
#include "data.h"
#include "feed.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PARTS = 3, ROWS = 20, MOST_SLOTS = 8, SLOT = PARTS * ROWS };

static struct pmlrt_program program;
static struct pmlrt rt = {.program = &program, .size = 1, .rank = 0};
static uint64_t state;

static uint64_t dice(uint64_t n)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (state >> 33) % n;
}

/* ---- a source made by hand ---- */

/* A feed first, as the runtime's own source has it. */
struct hand {
	struct feed feed;
	struct feed_part parts[PARTS];
	char slots[MOST_SLOTS * SLOT];
	int64_t row_ns;   /* that a row takes */
	bool refuses;     /* now and then there is nothing it can do without waiting */
	int64_t beside;   /* rows made in slices */
	int64_t unwanted; /* of a part that no step has read */
	int64_t worst_ns; /* of a slice beyond its time */
};

static char element(int64_t batch, int32_t part, int64_t row)
{
	return (char)(batch * 37 + part * 11 + row * 5 + 1);
}

static int64_t make_by_hand(struct pmlrt *r, struct feed *f, int64_t batch, int32_t part, int64_t first, char *slot,
			    int64_t until)
{
	struct hand *h = (struct hand *)f;
	bool sliced = until != INT64_MAX;
	int64_t n = f->parts[part].rows, i = first;
	(void)r;
	ck_assert_int_lt(first, n);
	ck_assert_int_ge(batch, f->current);
	ck_assert_int_lt(batch, f->current + f->nslots);
	ck_assert_int_lt(batch, f->total);
	ck_assert(slot >= f->slots && slot < f->slots + f->nslots * SLOT && (slot - f->slots) % SLOT == 0);
	if (batch != f->current && f->slot[f->current % f->nslots] >= 0 && f->current >= 0)
		ck_assert(slot != f->slots + f->slot[f->current % f->nslots] * SLOT);
	if (!sliced)
		ck_assert_int_eq(batch, f->current);
	if (sliced && h->refuses && dice(3) == 0)
		return 0;
	while (i < n && (!sliced || i == first || rt_now() < until)) {
		for (int64_t begun = rt_now(); rt_now() - begun < h->row_ns;)
			;
		slot[part * ROWS + i] = element(batch, part, i);
		i++;
		h->beside += sliced;
		h->unwanted += sliced && !f->parts[part].wanted;
	}
	if (sliced && rt_now() - until > h->worst_ns)
		h->worst_ns = rt_now() - until;
	return i - first;
}

static const struct feed_source by_hand = {make_by_hand};

static void begin(struct hand *h, int64_t credits, int64_t first, int64_t total)
{
	*h = (struct hand){.feed = {.source = &by_hand, .nparts = PARTS, .slot_bytes = SLOT, .total = total}};
	h->feed.parts = h->parts;
	h->feed.slots = h->slots;
	for (int32_t i = 0; i < PARTS; i++)
		h->parts[i].rows = i == 1 ? ROWS / 2 : ROWS;
	memset(&rt.counted, 0, sizeof rt.counted);
	feed_begin(&rt, &h->feed, credits, first);
}

static void read_part(struct hand *h, int32_t part)
{
	const char *slot = feed_read(&rt, &h->feed, part);
	for (int64_t i = 0; i < h->parts[part].rows; i++)
		ck_assert_int_eq(slot[part * ROWS + i], element(h->feed.current, part, i));
}

static bool may_act(const struct feed *f)
{
	return f->actor.ready > 0 && f->actor.credits > 0;
}

START_TEST(with_time_to_wait_every_batch_of_a_slow_source_is_read_ahead)
{
	static struct hand h;
	begin(&h, 2, 0, 50);
	h.row_ns = 20000;
	for (int64_t n = 0; n < 50; n++) {
		feed_next(&rt, &h.feed);
		for (int32_t i = 0; i < PARTS; i++)
			read_part(&h, i);
		while (rt_actors_act(&rt))
			;
		ck_assert(!may_act(&h.feed));
		ck_assert_int_eq(h.feed.making, n + 3 < 50 ? n + 3 : 50);
	}
	ck_assert_int_eq(rt.counted.taken, 50);
	ck_assert_int_eq(rt.counted.ahead, 49);
	ck_assert_int_eq(h.beside, 49 * (2 * ROWS + ROWS / 2));
	ck_assert(rt.counted.ahead_ns >= h.beside * h.row_ns);
	feed_end(&rt, &h.feed);
	ck_assert(rt.actors == NULL);
}
END_TEST

START_TEST(a_slice_is_as_long_as_it_may_be_and_a_row)
{
	static struct hand h;
	int64_t slices = 0;
	begin(&h, 4, 0, 5);
	h.row_ns = 10000;
	feed_next(&rt, &h.feed);
	for (int32_t i = 0; i < PARTS; i++)
		read_part(&h, i);
	for (; rt_actors_act(&rt); slices++)
		;
	ck_assert_int_eq(h.feed.making, 5);
	/* 200 rows of 10 us in slices of at most 30 us and what the last row takes; others use the machine, too. */
	ck_assert_int_ge(slices, 200 / 5);
	ck_assert_int_lt(h.worst_ns, 100000000);
	feed_end(&rt, &h.feed);
}
END_TEST

START_TEST(without_time_to_wait_steps_make_what_they_read)
{
	static struct hand h;
	begin(&h, 3, 4, 10);
	for (int64_t n = 4; n < 10; n++) {
		feed_next(&rt, &h.feed);
		read_part(&h, 2);
		ck_assert(feed_read(&rt, &h.feed, 0) == h.slots); /* always the slot that is in the cache */
		read_part(&h, 0);
	}
	ck_assert_int_eq(rt.counted.ahead, 0);
	ck_assert_int_eq(h.beside, 0);
	feed_end(&rt, &h.feed);
}
END_TEST

START_TEST(without_credits_nothing_is_read_ahead)
{
	static struct hand h;
	begin(&h, 0, 0, 10);
	for (int64_t n = 0; n < 10; n++) {
		feed_next(&rt, &h.feed);
		read_part(&h, 0);
		ck_assert(!rt_actors_act(&rt));
		read_part(&h, 1);
	}
	ck_assert_int_eq(h.beside, 0);
	feed_end(&rt, &h.feed);
}
END_TEST

START_TEST(what_the_last_step_did_not_read_is_not_made_for_the_next)
{
	static struct hand h;
	begin(&h, 2, 0, 30);
	for (int64_t n = 0; n < 30; n++) {
		feed_next(&rt, &h.feed);
		read_part(&h, 0);
		if (n % 10 == 3)
			read_part(&h, 1);
		while (n % 10 != 3 && rt_actors_act(&rt))
			;
	}
	ck_assert_int_eq(h.unwanted, 0);
	/* Part 0 of all but the first batch, and part 1 where one has just been read: of the batch in use and two more.
	 */
	ck_assert_int_eq(h.beside, 29 * ROWS + 3 * 3 * ROWS / 2);
	feed_end(&rt, &h.feed);
}
END_TEST

/* Any number of credits, any moments, parts read or not, refusals: steps find what they should. */
START_TEST(random_moments_change_nothing)
{
	static struct hand h, inner;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		state = seed;
		int64_t first = (int64_t)dice(5), total = first + (int64_t)dice(40);
		begin(&h, (int64_t)dice(MOST_SLOTS), first, total);
		h.refuses = dice(2);
		for (int64_t n = first; n < total; n++) {
			feed_next(&rt, &h.feed);
			for (int32_t i = 0; i < 2 * PARTS; i++) {
				for (uint64_t k = dice(4); k > 0; k--)
					rt_actors_act(&rt);
				if (dice(4))
					read_part(&h, (int32_t)dice(PARTS));
			}
			if (dice(6) == 0) { /* another loop in its body */
				begin(&inner, 2, 0, 3);
				for (int k = 0; k < 3; k++) {
					feed_next(&rt, &inner.feed);
					read_part(&inner, 1);
					rt_actors_act(&rt);
				}
				feed_end(&rt, &inner.feed);
			}
		}
		feed_end(&rt, &h.feed);
		ck_assert(rt.actors == NULL);
	}
}
END_TEST

/* ---- datasets ---- */

enum { DATA_ROWS = 23, DATA_WIDTH = 40, BATCH = 5, STEPS = 13 };

static struct pmlrt_type types[] = {{PMLRT_U8, 1, {DATA_WIDTH}, -1, {{0}}},
				    {PMLRT_U8, 2, {BATCH, DATA_WIDTH}, -1, {{0}}}};
/* The rows twice. */
enum { DATA_PART = 256, DATA_SLOT = 2 * DATA_PART };
static const struct pmlrt_part data_parts[] = {{0, 1, 0}, {0, 1, DATA_PART}};
static const struct pmlrt_feed data_feed = {2, data_parts, DATA_SLOT, 0};

/* A dataset of a new file; its name takes the place of the template. */
static void *new_data(char *path)
{
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	FILE *f = fdopen(fd, "wb");
	ck_assert_ptr_nonnull(f);
	for (int i = 0; i < DATA_ROWS * DATA_WIDTH; i++)
		fputc((i * 7 + i / DATA_WIDTH * 3) & 0xff, f);
	fclose(f);
	program.types = types;
	program.ntypes = 2;
	void *data = pmlrt_data_bytes(&rt, path, 0);
	pmlrt_data_claim(&rt, data, 0, 0, DATA_ROWS, 0);
	return data;
}

/* The text of a row names the row that has these bytes. */
static void tells_rows(void *batches, const void *batch)
{
	for (int i = 0; i < BATCH; i++) {
		char text[256];
		int row = -1;
		ck_assert_int_eq(
			sscanf(batch_row_text(batches, 0, i, text, sizeof text), "row %d of `/tmp/pml-feed-", &row), 1);
		ck_assert_int_eq(((const unsigned char *)batch)[i * DATA_WIDTH],
				 (row * DATA_WIDTH * 7 + row * 3) & 0xff);
	}
}

/* All batches first to STEPS - 1 behind each other; with slices of work at random moments. The second part is read now
 * and then, when the next pass may have begun already for batches ahead. */
static void read_all(void *data, bool shuffled, int64_t ahead, int64_t first, char *out)
{
	static char slots[MOST_SLOTS * DATA_SLOT];
	rt.options.prefetch = ahead;
	rt.options.steps = INT64_MAX;
	rt.options.quiet = true;
	rt.batches = slots;
	void *b = pmlrt_batches_begin(&rt, data, BATCH, shuffled, 99, first, false, STEPS, false, 0, 0), *at, *again;
	for (int64_t n = first; pmlrt_batches_next(&rt, b); n++) {
		for (uint64_t k = dice(4); k > 0; k--)
			rt_actors_act(&rt);
		pmlrt_batch_read(&rt, b, 0, &at);
		for (uint64_t k = dice(5); k > 0; k--)
			rt_actors_act(&rt);
		memcpy(out + n * BATCH * DATA_WIDTH, at, BATCH * DATA_WIDTH);
		tells_rows(b, at);
		if (dice(2)) {
			pmlrt_batch_read(&rt, b, 1, &again);
			ck_assert_mem_eq(again, at, BATCH * DATA_WIDTH);
		}
	}
	pmlrt_batches_end(&rt, b);
}

/* Three passes and a bit, the rest of each left out; each pass has an order of its own. */
START_TEST(batches_of_a_file_are_the_same_however_far_ahead_they_are_read)
{
	static char plain[STEPS * BATCH * DATA_WIDTH], got[sizeof plain];
	char path[] = "/tmp/pml-feed-XXXXXX";
	program.feeds = &data_feed;
	program.nfeeds = 1;
	void *data = new_data(path);
	for (int shuffled = 0; shuffled < 2; shuffled++) {
		memset(&rt.counted, 0, sizeof rt.counted);
		read_all(data, shuffled, 0, 0, plain);
		ck_assert_int_eq(rt.counted.ahead, 0);
		for (uint64_t seed = 0; seed < 60; seed++) {
			state = seed;
			int64_t first = (int64_t)dice(STEPS);
			memset(got, 0, sizeof got);
			memset(&rt.counted, 0, sizeof rt.counted);
			read_all(data, shuffled, 1 + (int64_t)dice(MOST_SLOTS - 1), first, got);
			ck_assert_int_eq(rt.counted.taken, STEPS - first);
			ck_assert_mem_eq(got + first * BATCH * DATA_WIDTH, plain + first * BATCH * DATA_WIDTH,
					 (size_t)(STEPS - first) * BATCH * DATA_WIDTH);
		}
		ck_assert_int_gt(rt.counted.ahead, 0);
	}
	unlink(path);
	rt_free_all(&rt);
}
END_TEST

/* The bytes of the pieces that a row of d is said to lie in, one behind the other, are the row. */
static void lies_in_pieces(struct dataset *d)
{
	struct column *c = d->field[0];
	int64_t pieces = column_pieces(c), rows = dataset_rows(&rt, d, 0);
	ck_assert_int_gt(rows, 0);
	for (int64_t row = 0; row < rows; row++) {
		int64_t at = 0;
		column_load(&rt, c, row);
		const char *whole = column_row(&rt, c, row);
		ck_assert(column_is_loaded(c, row));
		for (int64_t k = 0; k < pieces; k++) {
			struct row_span span;
			ck_assert(column_span(c, row, k, &span));
			ck_assert_mem_eq(span.begin, whole + at, (size_t)(span.end - span.begin));
			at += span.end - span.begin;
		}
		ck_assert_int_eq(at, c->row_elements * rt_dtype_size(c->row.dtype));
	}
}

START_TEST(sequences_are_read_ahead_where_their_rows_lie)
{
	char path[] = "/tmp/pml-feed-XXXXXX";
	void *data = new_data(path);
	void *near = pmlrt_data_sequences(&rt, data, 5, 2, 1, 0), *apart = pmlrt_data_sequences(&rt, data, 4, 1, 3, 0);
	ck_assert(!column_is_loaded(((struct dataset *)near)->field[0], 0));
	ck_assert_int_eq(column_pieces(((struct dataset *)near)->field[0]), 1);
	ck_assert_int_eq(column_pieces(((struct dataset *)apart)->field[0]), 4);
	lies_in_pieces(data);
	lies_in_pieces(near);
	lies_in_pieces(apart);
	lies_in_pieces(pmlrt_data_sequences(&rt, near, 3, 1, 2, 0));
	lies_in_pieces(pmlrt_data_sequences(&rt, apart, 2, 2, 1, 0));
	unlink(path);
	rt_free_all(&rt);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "feed");
	tcase_add_test(t, with_time_to_wait_every_batch_of_a_slow_source_is_read_ahead);
	tcase_add_test(t, a_slice_is_as_long_as_it_may_be_and_a_row);
	tcase_add_test(t, without_time_to_wait_steps_make_what_they_read);
	tcase_add_test(t, without_credits_nothing_is_read_ahead);
	tcase_add_test(t, what_the_last_step_did_not_read_is_not_made_for_the_next);
	tcase_add_test(t, random_moments_change_nothing);
	tcase_add_test(t, batches_of_a_file_are_the_same_however_far_ahead_they_are_read);
	tcase_add_test(t, sequences_are_read_ahead_where_their_rows_lie);
	return suite_end(s);
}
