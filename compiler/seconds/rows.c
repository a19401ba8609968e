/* rows.c — rows taken by index that go straight from who owns them to who keeps them, or back. Who owns them the
 * running program knows: each rank is taken to own as many of what each keeps. */
#include "maker.h"

static int64_t bytes_at(const struct maker *m, const struct side *s, int32_t rank)
{
	return m->size * side_volume(s, mesh_position(s->place, rank));
}

void route_rows(struct maker *m, uint32_t axes)
{
	int64_t own = 0, n = mesh_extent(m->src.place, axes);
	const int32_t *ranks = meeting_group(&m->routes->meetings, m->src.place, axes, m->rank, &own);
	bool returns = !side_uses(&m->src, SHARD_P);
	const struct side *kept = returns ? &m->src : &m->dst;
	int64_t here = bytes_at(m, kept, m->rank) / n;
	struct route_round *r = maker_add_round(m);
	r->settled = here;
	for (int64_t i = 0; i < n; i++) {
		if (i == own)
			continue;
		int64_t there = bytes_at(m, kept, ranks[i]) / n, sent = returns ? here : there,
			received = returns ? there : here;
		maker_add_message(m, r, ranks[i], false, received);
		maker_add_message(m, r, ranks[i], true, sent);
		r->packed += sent;
		r->settled += received;
	}
}
