/* transfer_exchange.c — the general redistribution: any layout on any placement to any other, by the moves of moves.c.
 * Every rank sends each other rank exactly the box it needs, as messages of its own or none; boxes in one piece travel
 * straight from and to the tensors, others through staging, where ranks that get the same box get it from the same
 * place. Parts of an unfinished tensor are combined in one fixed order. They wait in staging for their turn, in rounds,
 * so that never more than twice the larger shard waits, however many parts there are. A P that ends on several ranks
 * goes in two movements, scattered and then gathered (moves.h). Among hosts each of these may take two rounds
 * (moves/relay.h). Phases follow each other and share their staging. */
#include "exchange.h"

#include "combine.h"
#include "moves/relay.h"

#include <string.h>

/* Context of the visits that build a phase. */
struct builder {
	struct pmlrt *rt;
	struct rt_transfer *t;
	struct phase *p;
	struct relays *relays; /* NULL: no rounds */
	struct box from, to;   /* what this rank holds on either side */
	bool staged;           /* every message goes through staging */
	bool wide;             /* parts are combined in f32 */
	int64_t most;          /* elements that may wait in a round */
	int32_t round;
	int64_t waiting; /* elements in staging in this round */
	int64_t sums;    /* elements of the sums that are sent on, so far */
	int32_t end;     /* for whom the last of them is; -1: there is none yet */
	int64_t *packed; /* where the box of a number lies, plus one */
	relay_visitor *visit;
};

static void visit_move(void *context, const struct move *m)
{
	const struct builder *b = context;
	struct relay r = {.move = *m, .end = m->to};
	b->visit(context, &r);
}

static void visit_legs(struct builder *b, bool sends, relay_visitor *visit)
{
	b->visit = visit;
	b->sums = 0;
	b->end = -1;
	if (b->relays)
		(sends ? relays_from : relays_to)(b->relays, b->rt->rank, b->p->round, visit, b);
	else
		(sends ? moves_from : moves_to)(&b->p->from, &b->p->to, b->rt->rank, visit_move, b);
}

/* The sums for one rank after the other lie behind each other: where that of this rank begins. */
static int64_t sum_at(struct builder *b, const struct relay *r)
{
	int64_t volume = box_volume(b->p->from.rank, &r->move.box);
	b->sums += b->end == r->end ? 0 : volume;
	b->end = r->end;
	return b->sums - volume;
}

/* ---- holes: what a rank would copy from its own source, and nobody reads ---- */

static struct box hole_of(const struct builder *b)
{
	const struct pmlrt_transfer *t = b->t->decl;
	struct box hole;
	for (int d = 0; d < b->p->to.rank; d++) {
		hole.begin[d] = b->to.begin[d] + t->hole_begin[d];
		hole.end[d] = b->to.begin[d] + t->hole_end[d];
	}
	return hole;
}

/* A move within this rank, around the hole: slices of one dimension after the other. */
static void visit_around(struct builder *b, const struct relay *r, relay_visitor *visit)
{
	struct box hole, common;
	int rank = b->p->to.rank;
	bool own = r->move.from == b->rt->rank && r->move.to == b->rt->rank && r->end == b->rt->rank &&
		   b->t->decl->hole_begin[0] < b->t->decl->hole_end[0];
	if (own)
		hole = hole_of(b);
	if (!own || !box_intersect(rank, &hole, &r->move.box, &common)) {
		visit(b, r);
		return;
	}
	struct relay piece = *r;
	for (int d = 0; d < rank; d++)
		for (int side = 0; side < 2; side++) {
			piece.move.box.begin[d] = side ? common.end[d] : r->move.box.begin[d];
			piece.move.box.end[d] = side ? r->move.box.end[d] : common.begin[d];
			if (piece.move.box.begin[d] < piece.move.box.end[d])
				visit(b, &piece);
			piece.move.box.begin[d] = common.begin[d];
			piece.move.box.end[d] = common.end[d];
		}
}

/* Where an element of the destination lies: a gap takes no memory. */
static int64_t without_gap(const struct builder *b, int64_t at)
{
	int64_t begin = 0;
	for (int d = 0; d < b->p->to.rank; d++)
		begin = begin * (b->to.end[d] - b->to.begin[d]) + b->t->decl->hole_begin[d];
	return b->t->decl->gap && at >= begin + b->t->decl->gap ? at - b->t->decl->gap : at;
}

static void count_send(void *context, const struct relay *r)
{
	struct builder *b = context;
	b->p->nsend += r->move.to != r->move.from;
}

static void count_piece(void *context, const struct relay *r)
{
	struct builder *b = context;
	b->p->nreceive += r->move.to == b->rt->rank;
}

static void count_receive(void *context, const struct relay *r)
{
	struct builder *b = context;
	if (r->move.to != b->rt->rank)
		return;
	visit_around(b, r, count_piece);
	if (r->end != b->rt->rank)
		sum_at(b, r);
}

/* Receivers with the same number hold the same box, so one packed copy serves them all. */
static int64_t pack_at(struct builder *b, const struct move *m, int64_t volume)
{
	if (!b->packed[m->number]) {
		b->packed[m->number] = b->p->send_room + 1;
		b->p->send_room += volume;
	}
	return b->packed[m->number] - 1;
}

static void add_send(void *context, const struct relay *r)
{
	struct builder *b = context;
	const struct move *m = &r->move;
	if (m->to == m->from)
		return;
	struct leg *leg = &b->p->send[b->p->nsend++];
	leg->peer = m->to;
	leg->on = r->on;
	bool sum = r->on && b->p->sums;
	boxcopy_make(&leg->copy, b->p->from.rank, &m->box, sum ? &m->box : r->on ? &b->to : &b->from, &m->box);
	leg->copy.from = sum ? leg->copy.from + sum_at(b, r) : r->on ? without_gap(b, leg->copy.from) : leg->copy.from;
	bool straight = boxcopy_is_run(&leg->copy) && !b->staged;
	leg->at = straight ? -1 : pack_at(b, m, leg->copy.volume);
	b->p->send_requests += transfer_messages(b->rt, leg->copy.volume);
	b->t->sends += leg->copy.volume * b->t->size;
}

/* A place in staging; where a round would need more than its share, another round begins. */
static int64_t wait_at(struct builder *b, int64_t volume)
{
	if (b->waiting > 0 && b->waiting + volume > b->most && !b->staged) {
		b->waiting = 0;
		b->round++;
	}
	int64_t at = b->waiting;
	b->waiting += volume;
	if (b->waiting > b->p->receive_room)
		b->p->receive_room = b->waiting;
	return at;
}

static void add_piece(void *context, const struct relay *r)
{
	struct builder *b = context;
	const struct move *m = &r->move;
	struct leg *leg = &b->p->receive[b->p->nreceive++];
	bool self = m->from == b->rt->rank;
	leg->peer = m->from;
	leg->first = m->first;
	leg->on = r->end != b->rt->rank;
	boxcopy_make(&leg->copy, b->p->from.rank, &m->box, self ? &b->from : &m->box, leg->on ? &m->box : &b->to);
	leg->copy.to = leg->on ? leg->copy.to + sum_at(b, r) : without_gap(b, leg->copy.to);
	leg->at = -1;
	if (!self && (b->staged || b->wide || !boxcopy_is_run(&leg->copy) || !m->first))
		leg->at = wait_at(b, leg->copy.volume);
	leg->round = b->round;
}

static void add_receive(void *context, const struct relay *r)
{
	visit_around(context, r, add_piece);
}

static struct box own_box(const struct side *s, int32_t rank)
{
	int64_t position = mesh_position(s->place, rank);
	return position < 0 ? (struct box){{0}, {0}} : side_box(s, position);
}

/* A rank that gets the identity: the destination is a P of several parts. */
static void phase_fill(struct phase *p, const struct builder *b)
{
	if (!side_uses(&p->to, SHARD_P) || mesh_position(p->to.place, b->rt->rank) < 0)
		return;
	p->fill = true;
	p->fill_combiner = side_combiner(&p->to);
}

/* The most messages under way at once: all that are sent, and the received ones of the fullest round. */
static int phase_requests(struct pmlrt *rt, const struct phase *p)
{
	int most = 0, n = 0;
	for (int i = 0; i < p->nreceive; i++) {
		if (i > 0 && p->receive[i].round != p->receive[i - 1].round)
			n = 0;
		if (p->receive[i].peer != rt->rank)
			n += transfer_messages(rt, p->receive[i].copy.volume);
		most = n > most ? n : most;
	}
	return p->send_requests + most;
}

/* Counts of legs; takes room for the sums that are sent on. */
static void phase_count(struct builder *b)
{
	struct phase *p = b->p;
	visit_legs(b, true, count_send);
	visit_legs(b, false, count_receive);
	int64_t source = box_volume(p->from.rank, &b->from), target = box_volume(p->to.rank, &b->to);
	b->most = 2 * (source > target ? source : target);
	p->target_count = target;
	p->sums_count = b->sums;
	if (b->wide && p->round <= 0)
		p->wide = transfer_staging(b->rt, b->t, target * (int64_t)sizeof *p->wide);
	if (b->sums) {
		p->sums = transfer_staging(b->rt, b->t, b->sums * b->t->size);
		b->most = source > b->sums ? source - b->sums : 0;
		if (b->wide)
			p->wide_sums = transfer_staging(b->rt, b->t, b->sums * (int64_t)sizeof *p->wide_sums);
	}
	p->send = rt_alloc(b->rt, p->nsend * (int64_t)sizeof *p->send);
	p->receive = rt_alloc(b->rt, p->nreceive * (int64_t)sizeof *p->receive);
	p->nsend = p->nreceive = 0;
}

static void phase_prepare(struct pmlrt *rt, struct rt_transfer *t, struct phase *p, bool staged)
{
	struct builder b = {.rt = rt, .t = t, .p = p, .staged = staged};
	struct relays relays;
	int32_t *room = p->round < 0 ? NULL : rt_alloc(rt, relay_room(rt->size) * (int64_t)sizeof *room);
	if (room) {
		relays = relays_make(&p->from, &p->to, rt->host, rt->size, room);
		b.relays = &relays;
	}
	b.wide = moves_widen(t->dtype, &p->from, &p->to);
	b.from = own_box(&p->from, rt->rank);
	b.to = own_box(&p->to, rt->rank);
	phase_count(&b);
	int64_t held = side_division(&p->from).contributions, wanted = side_division(&p->to).contributions;
	b.packed = rt_alloc(rt, (held > wanted ? held : wanted) * (int64_t)sizeof *b.packed);
	visit_legs(&b, true, add_send);
	rt_release(rt, b.packed);
	visit_legs(&b, false, add_receive);
	if (room)
		rt_release(rt, room);
	if (p->round <= 0)
		phase_fill(p, &b);
	transfer_requests(rt, t, phase_requests(rt, p));
}

void exchange_stage(struct pmlrt *rt, struct rt_transfer *t, struct exchange *x)
{
	int64_t most = 0;
	for (int i = 0; i < x->nphases; i++) {
		int64_t room = x->phase[i].send_room + x->phase[i].receive_room;
		most = room > most ? room : most;
	}
	char *stage = transfer_staging(rt, t, most * t->size);
	for (int i = 0; i < x->nphases; i++) {
		x->phase[i].send_stage = stage;
		x->phase[i].receive_stage = stage ? stage + x->phase[i].send_room * t->size : NULL;
	}
}

/* A movement as one phase, or among hosts in two. */
static void add_movement(struct pmlrt *rt, struct rt_transfer *t, struct exchange *x, const struct phase *movement,
			 struct exchange_way way)
{
	const struct side *from = &movement->from, *to = &movement->to;
	bool rounds = !way.staged && relays_help(from, to) && transfer_spans_hosts(rt, t);
	for (int round = 0; round < (rounds ? RELAY_ROUNDS : 1); round++) {
		struct phase *p = &x->phase[x->nphases++];
		*p = *movement;
		p->round = rounds ? round : -1;
		p->sums = round > 0 ? p[-1].sums : NULL;
		p->wide = round > 0 ? p[-1].wide : NULL;
		phase_prepare(rt, t, p, way.staged);
	}
}

void exchange_make(struct pmlrt *rt, struct rt_transfer *t, struct exchange *x, struct exchange_way way)
{
	struct side mid;
	struct phase first = {.from = t->from, .to = t->to}, second = {.to = t->to, .from_middle = true};
	t->sends = 0;
	if (way.one_phase || !moves_between(&t->from, &t->to, &mid)) {
		add_movement(rt, t, x, &first, way);
		return;
	}
	first.to = second.from = mid;
	first.to_middle = true;
	struct box own = own_box(&mid, rt->rank);
	x->middle = transfer_staging(rt, t, box_volume(mid.rank, &own) * t->size);
	add_movement(rt, t, x, &first, way);
	add_movement(rt, t, x, &second, way);
}

static void exchange_plan(struct pmlrt *rt, struct rt_transfer *t, struct exchange_way way)
{
	struct exchange *x = t->plan = rt_alloc(rt, sizeof *x);
	if (exchange_by_window(rt, t, x, way))
		return;
	exchange_make(rt, t, x, way);
	exchange_stage(rt, t, x);
}

static bool exchange_prepare(struct pmlrt *rt, struct rt_transfer *t)
{
	exchange_plan(rt, t, (struct exchange_way){0});
	return true;
}

static bool parts_prepare(struct pmlrt *rt, struct rt_transfer *t)
{
	exchange_plan(rt, t, (struct exchange_way){.one_phase = true});
	return true;
}

const void *phase_source(const struct rt_transfer *t, const struct exchange *x)
{
	return x->phase[x->at].from_middle ? x->middle : t->src;
}

void *phase_target(const struct rt_transfer *t, const struct exchange *x)
{
	return x->phase[x->at].to_middle ? x->middle : t->dst;
}

/* The tensor, or the sums, of which a leg is sent. */
static const char *leg_source(const struct phase *p, const struct leg *leg, const void *src, const void *dst)
{
	return leg->on ? (p->sums ? p->sums : (const char *)dst) : (const char *)src;
}

/* Where one goes that is received. */
static char *leg_target(const struct phase *p, const struct leg *leg, void *dst)
{
	return leg->on ? p->sums : (char *)dst;
}

void phase_pack(struct rt_transfer *t, struct phase *p, const void *src, void *dst)
{
	int64_t packed =
		0; /* legs of one box lie in one place, and the first of them comes before all that lie behind it */
	if (p->fill && p->wide)
		combine_identity(PMLRT_F32, p->fill_combiner, p->wide, p->target_count);
	else if (p->fill)
		combine_identity(t->dtype, p->fill_combiner, dst, p->target_count);
	for (int i = 0; i < p->nsend; i++) {
		const struct leg *leg = &p->send[i];
		if (leg->at < packed)
			continue;
		(p->publishes ? boxcopy_publish : boxcopy_run)(&leg->copy, t->size, leg_source(p, leg, src, dst),
							       p->send_stage + leg->at * t->size);
		packed = leg->at + leg->copy.volume;
	}
}

/* Posts the receives of the next round; the sends, which come first in the list, are waited for in the last one. */
static void receive_round(struct pmlrt *rt, struct rt_transfer *t, struct exchange *x, void *dst)
{
	struct phase *p = &x->phase[x->at];
	int i = x->done, n = p->send_requests;
	int32_t round = i < p->nreceive ? p->receive[i].round : 0;
	for (; i < p->nreceive && p->receive[i].round == round; i++) {
		struct leg *leg = &p->receive[i];
		if (leg->peer == rt->rank)
			continue;
		char *to = leg->at >= 0 ? p->receive_stage + leg->at * t->size
					: leg_target(p, leg, dst) + leg->copy.to * t->size;
		transfer_receive(rt, t, leg->peer, to, leg->copy.volume, &t->requests[n]);
		n += transfer_messages(rt, leg->copy.volume);
	}
	t->nrequests = n;
	t->nheld = i < p->nreceive ? p->send_requests : 0;
}

static void phase_begin(struct pmlrt *rt, struct rt_transfer *t, struct exchange *x)
{
	struct phase *p = &x->phase[x->at];
	const void *src = phase_source(t, x);
	void *dst = phase_target(t, x);
	int n = 0;
	phase_pack(t, p, src, dst);
	for (int i = 0; i < p->nsend; i++) {
		const struct leg *leg = &p->send[i];
		const char *from = leg->at >= 0 ? p->send_stage + leg->at * t->size
						: leg_source(p, leg, src, dst) + leg->copy.from * t->size;
		transfer_send(rt, t, leg->peer, from, leg->copy.volume, &t->requests[n]);
		n += transfer_messages(rt, leg->copy.volume);
	}
	x->done = 0;
	receive_round(rt, t, x, dst);
}

void leg_finish(struct pmlrt *rt, struct rt_transfer *t, const struct phase *p, const struct leg *leg, const void *src,
		void *dst)
{
	bool self = leg->peer == rt->rank;
	if (!self && leg->at < 0)
		return;
	const void *from = self ? src : p->receive_stage + leg->at * t->size;
	void *to = leg_target(p, leg, dst);
	float *wide = leg->on ? p->wide_sums : p->wide;
	if (wide)
		boxcopy_widen(&leg->copy, t->dtype, side_combiner(&p->from), leg->first, from, wide);
	else if (leg->first)
		boxcopy_run(&leg->copy, t->size, from, to);
	else
		boxcopy_combine(&leg->copy, t->dtype, side_combiner(&p->from), from, to);
}

void phase_round(const struct rt_transfer *t, const struct phase *p, void *dst)
{
	if (p->wide_sums)
		combine_narrow(t->dtype, p->sums, p->wide_sums, p->sums_count);
	if (p->wide && p->round != 0)
		combine_narrow(t->dtype, dst, p->wide, p->target_count);
}

/* A round has arrived: unpacks and combines in the order of the moves. True if it was the last of the phase. */
static bool round_finish(struct pmlrt *rt, struct rt_transfer *t, struct exchange *x)
{
	const struct phase *p = &x->phase[x->at];
	int32_t round = x->done < p->nreceive ? p->receive[x->done].round : 0;
	for (; x->done < p->nreceive && p->receive[x->done].round == round; x->done++)
		leg_finish(rt, t, p, &p->receive[x->done], phase_source(t, x), phase_target(t, x));
	return x->done == p->nreceive;
}

static void exchange_begin(struct pmlrt *rt, struct rt_transfer *t)
{
	struct exchange *x = t->plan;
	if (x->window) {
		exchange_window_begin(t, x);
		return;
	}
	x->at = 0;
	phase_begin(rt, t, x);
}

static bool exchange_next(struct pmlrt *rt, struct rt_transfer *t)
{
	struct exchange *x = t->plan;
	if (x->window)
		return exchange_window_next(rt, t, x);
	if (!round_finish(rt, t, x)) {
		receive_round(rt, t, x, phase_target(t, x));
		return false;
	}
	phase_round(t, &x->phase[x->at], phase_target(t, x));
	if (x->at == x->nphases - 1)
		return true;
	x->at++;
	phase_begin(rt, t, x);
	return false;
}

const struct rt_method rt_method_exchange = {
	.prepare = exchange_prepare, .begin = exchange_begin, .next = exchange_next};
const struct rt_method rt_method_parts = {.prepare = parts_prepare, .begin = exchange_begin, .next = exchange_next};
