/* test_rt_pool.c — pieces of the pool that a rank's exchanges share: none over another, in the order of their tickets,
 * none again before it has been read. */
#include "pool.h"
#include "suite.h"

enum { PIECES = 4 };

/* The first member is what the pool knows of it. */
struct reading {
	struct pool_piece piece;
	bool read;
};

static bool is_read(const struct pool_piece *p)
{
	return ((const struct reading *)(const void *)p)->read;
}

static void make(struct reading *r)
{
	for (int i = 0; i < PIECES; i++)
		r[i] = (struct reading){.piece.is_read = is_read};
}

static bool take(struct pool *p, struct reading *r, int64_t bytes)
{
	r->read = false;
	return pool_take(p, pool_ticket(p), &r->piece, bytes);
}

START_TEST(pieces_lie_beside_each_other_and_are_given_again)
{
	struct pool p = {.bytes = 100};
	struct reading r[PIECES];
	make(r);
	ck_assert(take(&p, &r[0], 40) && r[0].piece.at == 0);
	ck_assert(take(&p, &r[1], 50) && r[1].piece.at == 40);
	int64_t third = pool_ticket(&p);
	ck_assert(!pool_take(&p, third, &r[2].piece, 40));
	r[0].read = true;
	ck_assert(pool_take(&p, third, &r[2].piece, 40) && r[2].piece.at == 0);
	ck_assert(take(&p, &r[3], 10) && r[3].piece.at == 90);
	r[1].read = r[2].read = r[3].read = true;
	ck_assert(take(&p, &r[0], 100) && r[0].piece.at == 0);
}
END_TEST

START_TEST(nobody_is_served_before_who_came_first)
{
	struct pool p = {.bytes = 100};
	struct reading r[PIECES];
	make(r);
	ck_assert(take(&p, &r[0], 80));
	int64_t large = pool_ticket(&p), little = pool_ticket(&p);
	ck_assert(!pool_take(&p, large, &r[1].piece, 60));
	ck_assert(!pool_take(&p, little, &r[2].piece, 10));
	r[0].read = true;
	ck_assert(!pool_take(&p, little, &r[2].piece, 10));
	ck_assert(pool_take(&p, large, &r[1].piece, 60));
	ck_assert(pool_take(&p, little, &r[2].piece, 10));
	ck_assert(r[1].piece.at + 60 <= r[2].piece.at);
}
END_TEST

START_TEST(a_piece_is_not_given_again_before_it_has_been_read)
{
	struct pool p = {.bytes = 1000};
	struct reading r[PIECES];
	make(r);
	ck_assert(take(&p, &r[0], 10) && take(&p, &r[1], 10));
	int64_t again = pool_ticket(&p);
	ck_assert(!pool_take(&p, again, &r[0].piece, 10));
	r[0].read = true;
	ck_assert(pool_take(&p, again, &r[0].piece, 20) && r[0].piece.at == 20);
	r[0].read = false;
	/* Each stands in the list once. */
	r[1].read = true;
	ck_assert(take(&p, &r[2], 20) && r[2].piece.at == 0);
	ck_assert(!r[1].piece.placed && r[0].piece.placed && p.first == &r[2].piece && r[2].piece.next == &r[0].piece &&
		  !r[0].piece.next);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "the pool of a rank's exchanges");
	tcase_add_test(t, pieces_lie_beside_each_other_and_are_given_again);
	tcase_add_test(t, nobody_is_served_before_who_came_first);
	tcase_add_test(t, a_piece_is_not_given_again_before_it_has_been_read);
	return suite_end(s);
}
