/* sums.c — what a rank sends and receives in several transfers together. The rank that sends most in one need not be
 * the one that does in another: of a roll the first rank sends in one halo, the others in the other. So ranks are added
 * up one by one, but where all send alike. */
#include "../layout/exchange.h"
#include "../layout/redist.h"
#include "../program.h"
#include "report.h"

#include <string.h>

/* By world rank, of the transfers that one total is of. */
struct loads {
	int64_t *sent, *received;
};

static int kinds(void)
{
	int n = 0;
	while (report_kind(n))
		n++;
	return n;
}

static int totals_of_when(void)
{
	return 1 + REPORT_PHASES + kinds();
}

static int kind_number(const char *kind)
{
	int k = 0;
	while (strcmp(report_kind(k), kind))
		k++;
	return k;
}

/* All, phases, kinds. */
static int number_of(enum report_when when, enum report_phase phase, const char *kind)
{
	int within = kind ? 1 + REPORT_PHASES + kind_number(kind) : phase == REPORT_PHASES ? 0 : 1 + (int)phase;
	return (int)when * totals_of_when() + within;
}

struct report_total *report_totals_new(struct arena *a)
{
	return ARENA_ARRAY(a, struct report_total, REPORT_WHENS * totals_of_when());
}

struct report_total *report_total_at(struct report_total *totals, enum report_when when, enum report_phase phase,
				     const char *kind)
{
	return &totals[number_of(when, phase, kind)];
}

struct report_total report_total(const struct report *r, enum report_when when, enum report_phase phase,
				 const char *kind)
{
	return *report_total_at(r->totals, when, phase, kind);
}

static void add(int64_t *load, int64_t bytes, int64_t times)
{
	*load = count_add(*load, count_mul(bytes, times));
}

/* What each rank of a placement sends (or receives), which is `all` together and `most` at most: alike, where that is
 * so many times as much. */
static void add_ranks(int64_t *load, const struct transfer *x, const struct placed_type *src,
		      const struct placed_type *dst, bool sends, int64_t most, int64_t times)
{
	const struct place *p = sends ? src->place : dst->place;
	bool alike = count_mul(most, p->count) == x->redist.bytes_total;
	for (int64_t i = 0; i < p->count; i++) {
		int32_t rank = place_rank(p, i);
		int64_t bytes = alike   ? most
				: sends ? redist_bytes_sent(&x->redist, src->dtype, &src->shape, src->place,
							    &src->layout, dst->place, &dst->layout, rank)
					: redist_bytes_received(&x->redist, src->dtype, &src->shape, src->place,
								&src->layout, dst->place, &dst->layout, rank);
		add(&load[rank], bytes, times);
	}
}

static void add_transfer(struct report_total *t, struct loads *l, const int64_t *sent, const int64_t *received,
			 int32_t ranks, int64_t bytes, int64_t times)
{
	t->transfers = count_add(t->transfers, times);
	t->bytes = count_add(t->bytes, count_mul(bytes, times));
	for (int32_t i = 0; i < ranks; i++) {
		l->sent[i] = count_add(l->sent[i], sent[i]);
		l->received[i] = count_add(l->received[i], received[i]);
	}
}

static int64_t most_of(const int64_t *load, int32_t ranks)
{
	int64_t most = 0;
	for (int32_t i = 0; i < ranks; i++)
		most = load[i] > most ? load[i] : most;
	return most;
}

void report_add_totals(struct report *r, const struct program *p)
{
	struct arena *scratch = arena_new("plan: totals");
	int32_t ranks = (int32_t)p->nranks;
	int n = REPORT_WHENS * totals_of_when();
	struct loads *loads = ARENA_ARRAY(scratch, struct loads, n);
	int64_t *sent = ARENA_ARRAY(scratch, int64_t, ranks), *received = ARENA_ARRAY(scratch, int64_t, ranks);
	r->totals = report_totals_new(r->arena);
	for (int i = 0; i < r->transfers.n; i++) {
		const struct report_transfer *row = &r->transfers.at[i];
		const struct transfer *x = &p->transfers.at[i];
		const struct placed_type *src = &p->types.at[x->src], *dst = &p->types.at[x->dst];
		enum report_when when = r->regions.at[row->region].runs.when;
		int64_t times = report_times(r, row);
		const int of[] = {number_of(when, REPORT_PHASES, NULL), number_of(when, row->phase, NULL),
				  number_of(when, REPORT_PHASES, row->kind)};
		memset(sent, 0, sizeof *sent * (size_t)ranks);
		memset(received, 0, sizeof *received * (size_t)ranks);
		add_ranks(sent, x, src, dst, true, row->sent_max, times);
		add_ranks(received, x, src, dst, false, row->received_max, times);
		for (int k = 0; k < 3; k++) {
			struct loads *l = &loads[of[k]];
			if (!l->sent) {
				l->sent = ARENA_ARRAY(scratch, int64_t, ranks);
				l->received = ARENA_ARRAY(scratch, int64_t, ranks);
			}
			add_transfer(&r->totals[of[k]], l, sent, received, ranks, row->bytes, times);
		}
	}
	for (int k = 0; k < n; k++)
		if (loads[k].sent) {
			r->totals[k].sent_max = most_of(loads[k].sent, ranks);
			r->totals[k].received_max = most_of(loads[k].received, ranks);
		}
	arena_free(scratch);
}
