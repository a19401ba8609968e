/* transfer.c — see transfer.h. The messages of route.h over the links of network.h, round by round: a rank's next round
 * begins when all messages of the last one are there and put in place. */
#include "transfer.h"

#include "network.h"
#include "price.h"
#include "route.h"

#include "../layout/redist.h"

#include <string.h>

struct transfer_times {
	struct arena *arena;
	const struct machine *machine;
	const struct program *program;
	struct memo known;
};

struct transfer_times *transfer_times_new(struct arena *a, const struct machine *m, const struct program *p)
{
	struct transfer_times *t = ARENA_NEW(a, struct transfer_times);
	*t = (struct transfer_times){.arena = a, .machine = m, .program = p};
	memo_init(&t->known, a);
	return t;
}

/* Of one round: what each rank sends goes off when it is packed and started. */
static void send_round(const struct machine *m, struct network *net, const struct route *routes, int nranks, int round,
		       const double *ready, double *done)
{
	for (int r = 0; r < nranks; r++) {
		if (round >= routes[r].rounds.n)
			continue;
		const struct route_round *x = &routes[r].rounds.at[round];
		double clock = ready[r];
		if (x->packed)
			clock += price_copy(machine_place_of(m, r).processor, (double)x->packed);
		for (int i = 0; i < x->messages.n; i++) {
			const struct route_message *msg = &x->messages.at[i];
			clock += network_start(net, (int32_t)r, msg->peer);
			if (!msg->sends)
				continue;
			struct arrival a = network_send(net, (int32_t)r, msg->peer, msg->bytes, clock);
			clock += a.busy;
			double there = a.arrived + a.busy;
			done[msg->peer] = done[msg->peer] > there ? done[msg->peer] : there;
		}
		done[r] = done[r] > clock ? done[r] : clock;
	}
}

static double play_alone(const struct machine *m, const struct route *routes, int nranks, struct arena *a)
{
	struct network *net = network_new(a, m, nranks);
	double *ready = ARENA_ARRAY(a, double, nranks), *done = ARENA_ARRAY(a, double, nranks), end = 0;
	int rounds = 0;
	for (int r = 0; r < nranks; r++)
		rounds = routes[r].rounds.n > rounds ? routes[r].rounds.n : rounds;
	for (int round = 0; round < rounds; round++) {
		memcpy(done, ready, sizeof *done * (size_t)nranks);
		send_round(m, net, routes, nranks, round, ready, done);
		for (int r = 0; r < nranks; r++) {
			ready[r] = done[r];
			if (round < routes[r].rounds.n && routes[r].rounds.at[round].settled)
				ready[r] += price_copy(machine_place_of(m, r).processor,
						       (double)routes[r].rounds.at[round].settled);
		}
	}
	for (int r = 0; r < nranks; r++)
		end = ready[r] > end ? ready[r] : end;
	return end;
}

static double time_of(const struct transfer_times *t, const struct placed_type *src, const struct placed_type *dst)
{
	struct arena *scratch = arena_new("seconds: transfer");
	int nranks = (int)t->program->nranks;
	struct route *routes = ARENA_ARRAY(scratch, struct route, nranks);
	enum redist_method method = redist_method_of(&src->shape, src->place, &src->layout, dst->place, &dst->layout);
	for (int r = 0; r < nranks; r++)
		routes[r] = route_between(scratch, src, dst, method, (int32_t)r);
	double ns = play_alone(t->machine, routes, nranks, scratch);
	arena_free(scratch);
	return ns;
}

static void add_layout(struct memo *m, const struct place *p, const struct layout *l)
{
	memo_add_pointer(m, p);
	for (int a = 0; a < p->naxes; a++)
		memo_add(m, (uint64_t)l->atom[a].kind << 16 | (uint64_t)l->atom[a].combiner << 8 |
				    (uint8_t)l->atom[a].dim);
}

double transfer_time(struct transfer_times *t, enum dtype dtype, const struct shape *s, const struct place *from,
		     const struct layout *a, const struct place *to, const struct layout *b)
{
	if (from == to && layout_same(from, a, b))
		return 0;
	memo_begin(&t->known);
	memo_add(&t->known, (uint64_t)dtype_size(dtype));
	for (int d = 0; d < s->rank; d++)
		memo_add(&t->known, (uint64_t)s->dim[d]);
	add_layout(&t->known, from, a);
	add_layout(&t->known, to, b);
	void **known = memo_find(&t->known);
	if (*known)
		return *(double *)*known;
	const struct placed_type src = {dtype, *s, from, *a}, dst = {dtype, *s, to, *b};
	double *ns = ARENA_NEW(t->arena, double);
	*ns = time_of(t, &src, &dst);
	*known = ns;
	return *ns;
}
