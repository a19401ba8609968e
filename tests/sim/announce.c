/* announce.c — see announce.h. */
#include "announce.h"

#include "layout/redist.h"
#include "moves/room.h"

#include <string.h>

static struct place place_of(const struct pmlrt_place *p)
{
	struct place out = {
		.name = p->name, .naxes = p->naxes, .count = p->count, .first = p->first, .ranks = p->ranks};
	memcpy(out.extent, p->extent, sizeof out.extent);
	return out;
}

static struct layout layout_of(const struct pmlrt_type *t)
{
	struct layout l = {0};
	memcpy(l.atom, t->atom, sizeof l.atom);
	return l;
}

typedef struct redist planner(enum dtype dtype, const struct shape *s, const struct place *from, const struct layout *a,
			      const struct place *to, const struct layout *b);

static void announce_as(planner *plan, struct announced *out, const struct pmlrt_program *program, int32_t src,
			int32_t dst, int ranks)
{
	const struct pmlrt_type *s = &program->types[src], *d = &program->types[dst];
	struct place from = place_of(&program->places[s->place]), to = place_of(&program->places[d->place]);
	const struct place *target = s->place == d->place ? &from : &to;
	struct layout a = layout_of(s), b = layout_of(d);
	struct shape shape = {.rank = s->rank};
	memcpy(shape.dim, s->dim, sizeof shape.dim);
	struct redist r = plan((enum dtype)s->dtype, &shape, &from, &a, target, &b);
	*out = (struct announced){.method = (int)r.method, .total = r.bytes_total};
	out->most = redist_sent_max(&r, (enum dtype)s->dtype, &shape, &from, &a, target, &b);
	out->staging = redist_staging(&r, (enum dtype)s->dtype, &shape, &from, &a, target, &b);
	for (int32_t rank = 0; rank < ranks; rank++) {
		out->sends[rank] = redist_bytes_sent(&r, (enum dtype)s->dtype, &shape, &from, &a, target, &b, rank);
		out->receives[rank] =
			redist_bytes_received(&r, (enum dtype)s->dtype, &shape, &from, &a, target, &b, rank);
		struct room_taken shared = redist_shared(&r, (enum dtype)s->dtype, &shape, &from, &a, target, &b, rank);
		out->shared[rank] = shared.own + shared.passing;
	}
}

void announce(struct announced *out, const struct pmlrt_program *program, int32_t src, int32_t dst, int ranks)
{
	announce_as(redist_plan, out, program, src, dst, ranks);
}

void announce_rows(struct announced *out, const struct pmlrt_program *program, int32_t src, int32_t dst, int ranks)
{
	announce_as(redist_rows, out, program, src, dst, ranks);
}

const char *announced_method(int method)
{
	return redist_text((enum redist_method)method);
}
