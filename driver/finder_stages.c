/* finder_stages.c — forms of a plain program whose layers are a list: on stages of a pipeline, and computed again for
 * gradients. Which cuts, micro-batches and schedules are worth a try is known from what layers take (search/cuts.h);
 * layouts within stages are searched as for any program, and what comes out is compiled and played. */
#include "finder.h"
#include "staged.h"

#include "compiler/search/averaged.h"
#include "compiler/search/cuts.h"
#include "compiler/seconds/transfer.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_MICRO = 64 };

struct plain {
	struct finder *finder;
	struct arena *arena; /* of what is known of the program: kept as long as the forms */
	const struct drive *drive;
	struct chain *chain;
	struct layers *layers[MOST_MICRO + 1]; /* by number of micro-batches, of one of them; NULL: not known yet */
	int64_t limit;        /* of memory, in the estimate: lowered where plans take more than that says; 0: none */
	int parts;            /* the most micro-batches there may be; */
	bool parts_are_known; /* a step is known to be the same in as many */
	const char *what;     /* ", 3 layers computed again" */
};

static const struct file_texts *kept_texts(struct arena *a, struct file_texts texts)
{
	struct file_texts *kept = ARENA_NEW(a, struct file_texts);
	*kept = texts;
	return kept;
}

/* What layers take of a micro-batch. In two stages they stand one by one. NULL: it does not compile. */
static struct layers *find_layers(const struct plain *p, int micro)
{
	const struct finder *x = p->finder;
	struct arena *a = p->arena;
	struct layers *l = NULL;
	VEC(const char *) lists = {0};
	for (int i = 0; i < p->chain->lists.n; i++)
		vec_push(a, &lists, p->chain->lists.at[i]->name.text);
	int n = layers_count(p->drive->program, lists.at, lists.n);
	if (n < 2)
		return NULL;
	struct stages two = {
		.count = 2, .turns = 1, .layers = n, .by_layer = true, .micro = micro, .first = (int[]){0, n / 2}};
	struct staged staged;
	if (!staged_new(a, p->chain, &two, &staged))
		return NULL;
	struct file_texts texts = staged_dealt(a, &staged, &staged.alike);
	struct drive *d = finder_elaborate(x, &(struct form){.texts = &texts, .apart = true});
	if (!d->session->errors)
		l = layers_of(a, d->program, x->machine, lists.at, lists.n);
	session_free(d->session);
	return l && l->n == n ? l : NULL;
}

static struct plain *plain_new(struct finder *x, struct arena *a, const struct drive *d, const char *what)
{
	struct plain *p = ARENA_NEW(a, struct plain);
	*p = (struct plain){.finder = x, .arena = a, .drive = d, .what = what, .limit = x->cli->memory};
	p->chain = chain_find(a, d->ast, x->imported);
	if (p->chain && !p->chain->refused)
		p->layers[1] = find_layers(p, 1);
	if (!p->layers[1])
		return NULL;
	p->parts = p->chain->gradient ? MOST_MICRO : 1;
	return p;
}

struct plain *finder_plain(struct finder *x, struct arena *a, const struct drive *d)
{
	return plain_new(x, a, d, "");
}

/* ---- micro-batches ---- */

static bool may_be_cut(struct plain *p, int parts)
{
	struct finder *x = p->finder;
	struct file_texts texts = staged_micro(x->arena, p->chain, parts);
	struct form f = {.texts = &texts};
	struct drive *d = finder_open(x, &f);
	bool good = !d->session->errors && !averaged_refused(x->arena, p->drive->program, d->program, parts);
	session_free(d->session);
	return good;
}

/* All powers of two up to the number of parts are tried: what holds for many parts holds for fewer. */
static void find_parts(struct plain *p)
{
	int parts = p->parts;
	while (parts > 1 && !may_be_cut(p, parts))
		parts /= 2;
	p->parts = parts;
	p->parts_are_known = true;
}

static double *scaled(const struct plain *p, const double *from, int n, double factor)
{
	double *to = ARENA_ARRAY(p->finder->arena, double, n);
	for (int i = 0; i < n; i++)
		to[i] = from[i] * factor;
	return to;
}

/* Those that are known of larger micro-batches in proportion: what is computed of fewer rows at a time takes no less.
 */
static const struct layers *layers_for(struct plain *p, int micro)
{
	int known = micro;
	while (!p->layers[known])
		known /= 2;
	if (known == micro)
		return p->layers[known];
	const struct layers *from = p->layers[known];
	struct layers *l = ARENA_NEW(p->finder->arena, struct layers);
	double share = (double)known / micro;
	*l = *from;
	l->forward = scaled(p, from->forward, from->n, share);
	l->backward = scaled(p, from->backward, from->n, share);
	l->weights = scaled(p, from->weights, from->n, share);
	l->kept = ARENA_ARRAY(p->finder->arena, int64_t, from->n);
	l->message = ARENA_ARRAY(p->finder->arena, int64_t, from->n);
	for (int i = 0; i < from->n; i++) {
		l->kept[i] = (int64_t)((double)from->kept[i] * share);
		l->message[i] = (int64_t)((double)from->message[i] * share);
	}
	return l;
}

/* ---- candidates ---- */

struct candidate {
	struct stages stages;
	struct pipelined takes;
};

/* What it takes to bring a micro-batch's values from one stage to the next: every rank sends its share. */
static double send_time(const struct machine *m, int64_t bytes, int64_t ranks, int64_t all)
{
	double most = 0;
	for (int64_t r = ranks; r < all; r += ranks) {
		const struct machine_link *l = machine_link_between(m, r - 1, r);
		double share = (double)bytes / (double)ranks,
		       ns = l->latency + 2 * l->start + curve_time(&l->rate, share);
		most = ns > most ? ns : most;
	}
	return most;
}

static int held_of(enum schedule s, int pieces, int piece, int micro)
{
	int held = s == SCHEDULE_GPIPE ? micro : s == SCHEDULE_ZERO_BUBBLE ? pieces : pieces - piece;
	return held < micro ? held : micro;
}

static bool estimate(struct plain *p, struct candidate *c)
{
	struct finder *x = p->finder;
	struct stages *s = &c->stages;
	const struct layers *l = layers_for(p, s->micro);
	int pieces = s->count * s->turns, n = l->n;
	int64_t ranks = x->ranks / s->count;
	double *time = ARENA_ARRAY(x->arena, double, n), *send = ARENA_ARRAY(x->arena, double, n), ns;
	int64_t *fixed = ARENA_ARRAY(x->arena, int64_t, n), *kept = ARENA_ARRAY(x->arena, int64_t, n);
	int *held = ARENA_ARRAY(x->arena, int, pieces), *first = ARENA_ARRAY(x->arena, int, pieces);
	for (int i = 0; i < n; i++) {
		time[i] = (l->forward[i] + l->backward[i] + l->weights[i]) / (double)ranks;
		send[i] = send_time(machine_in_turns(x->machine), l->message[i], ranks, x->ranks);
		fixed[i] = l->fixed[i] / ranks;
		kept[i] = l->kept[i] / ranks;
	}
	for (int i = 0; i < pieces; i++)
		held[i] = held_of(s->schedule, pieces, i, s->micro);
	struct cutting cut = {n, pieces, s->micro, time, send, fixed, kept, held, p->limit / s->turns};
	if (!cut_layers(&cut, first, &ns))
		return false;
	s->first = first;
	s->layers = n;
	c->takes = pipeline_takes(
		x->arena, l,
		&(struct pipelining){s->count, s->turns, first, s->micro, s->schedule, (double)ranks, send});
	return true;
}

static bool is_better(const struct candidate *a, const struct candidate *b)
{
	return b->takes.ns == 0 || a->takes.ns < b->takes.ns;
}

/* The best numbers of micro-batches, schedules and turns for so many stages. */
static struct candidate best_of(struct plain *p, int count)
{
	struct candidate best = {.takes.ns = 0};
	for (int micro = 1; micro <= p->parts; micro *= 2)
		for (int turns = 1; turns <= (micro > 1 ? 2 : 1) && count * turns <= p->layers[1]->n; turns++)
			for (int s = 0; s < SCHEDULES; s++) {
				struct candidate c = {.takes.ns = 0};
				c.stages =
					(struct stages){.count = count, .turns = turns, .micro = micro, .schedule = s};
				if ((micro > 1 || !s) && estimate(p, &c) && is_better(&c, &best))
					best = c;
			}
	return best;
}

/* ---- forms ---- */

static const char *what_of(const struct plain *p, const struct stages *s)
{
	struct text t;
	text_init(&t, p->finder->arena);
	text_printf(&t, ", %d stages", s->count);
	for (int a = 0; a < s->naxes; a++)
		text_printf(&t, "%s%" PRId64, a ? " x " : " of ", s->extent[a]);
	if (s->turns > 1)
		text_printf(&t, " in %d turns", s->turns);
	if (s->micro > 1)
		text_printf(&t, ", %d micro-batches (%s)", s->micro, schedule_text(s->schedule));
	text_add(&t, p->what);
	return text_get(&t);
}

static void add_staged(struct plain *p, struct forms *all, struct stages s, int naxes, int64_t outer, int64_t inner)
{
	struct finder *x = p->finder;
	struct staged *staged = ARENA_NEW(x->arena, struct staged);
	s.naxes = naxes;
	s.extent[0] = outer;
	s.extent[1] = inner;
	if (!staged_new(x->arena, p->chain, &s, staged))
		return;
	struct stages *kept = ARENA_NEW(x->arena, struct stages);
	*kept = s;
	struct form f = {
		.texts = kept_texts(x->arena, staged->alike), .stages = kept, .staged = staged, .what = what_of(p, &s)};
	vec_push(x->arena, &all->all, f);
}

/* On every mesh of a stage's ranks. */
static void add_meshes(struct plain *p, struct forms *all, const struct candidate *c)
{
	int64_t ranks = p->finder->ranks / c->stages.count;
	if (ranks == 1)
		add_staged(p, all, c->stages, 0, 0, 0);
	else
		add_staged(p, all, c->stages, 1, ranks, 0);
	for (int64_t f = ranks / 2; f >= 2; f--)
		if (ranks % f == 0)
			add_staged(p, all, c->stages, 2, f, ranks / f);
}

/* By the cost model, in which the best found was looked for as well. */
static bool is_worth_it(const struct finder *x, const struct candidate *c)
{
	return c->takes.ns > 0 && (x->best < 0 || c->takes.ns < x->played.at[x->best].plan.ns);
}

/* What is not known yet of so many micro-batches; false if all is. */
static bool learn(struct plain *p, int micro)
{
	if (micro == 1)
		return false;
	if (!p->parts_are_known) {
		find_parts(p);
		return true;
	}
	if (p->layers[micro])
		return false;
	p->layers[micro] = find_layers(p, micro);
	if (!p->layers[micro])
		p->parts = micro / 2;
	return true;
}

static bool is_same(const struct stages *a, const struct stages *b)
{
	return a->count == b->count && a->turns == b->turns && a->micro == b->micro && a->schedule == b->schedule &&
	       !memcmp(a->first, b->first, sizeof *a->first * (size_t)(a->count * a->turns));
}

static bool is_tried(const struct plain *p, int from, const struct stages *s)
{
	const struct finder *x = p->finder;
	bool is = false;
	for (int i = from; i < x->forms.n && !is; i++)
		is = x->forms.at[i].form.stages && is_same(x->forms.at[i].form.stages, s);
	return is;
}

/* The best of every number of stages, but for those among the forms from that number on; false: none is worth a try.
 */
static bool try_once(struct plain *p, int from)
{
	enum { PLAYS = 1 }; /* those that differ in a layout within stages take about the same */
	struct finder *x = p->finder;
	struct forms all = {0};
	int first = x->forms.n;
	bool any = false;
	for (int count = 2; count <= x->ranks && count <= p->layers[1]->n; count++) {
		if (x->ranks % count)
			continue;
		struct candidate c = best_of(p, count);
		while (is_worth_it(x, &c) && learn(p, c.stages.micro))
			c = best_of(p, count);
		any |= is_worth_it(x, &c);
		if (is_worth_it(x, &c) && !is_tried(p, from, &c.stages))
			add_meshes(p, &all, &c);
	}
	finder_add(x, &all);
	if (x->forms.n > first)
		finder_search(x, first, PLAYS);
	return any;
}

/* What a plan takes is known when it is compiled: where that is more than there may be, other cuts and numbers of
 * micro-batches are taken, as if there were less. */
void finder_try_stages(struct finder *x)
{
	enum { TRIES = 10 };
	struct plain *p = x->plain;
	int from = x->forms.n;
	for (int i = 0; p && i < TRIES; i++) {
		if (!try_once(p, from) || !x->cli->memory || finder_fits(x, from))
			return;
		p->limit -= p->limit / 10;
	}
}

/* ---- layers that are computed again ---- */

/* The fastest plan that was played, of forms with stages or of those without; -1: none. */
static int fastest(const struct finder *x, bool staged)
{
	int best = -1;
	for (int i = 0; i < x->played.n; i++) {
		const struct played *p = &x->played.at[i];
		if (p->is_legal && (x->forms.at[p->of].form.stages != NULL) == staged &&
		    (best < 0 || p->ns < x->played.at[best].ns))
			best = i;
	}
	return best;
}

static struct arena *kept_arena(struct finder *x)
{
	struct arena *a = arena_new("layers computed again");
	vec_push(x->arena, &x->kept, a);
	return a;
}

/* The form of that number with the first layers computed again; the memory of its best plan, -1 if it has none. */
static int64_t try_again(struct plain *p, int of, int layers)
{
	struct finder *x = p->finder;
	struct file_texts texts;
	struct form f = x->forms.at[of].form;
	const char *what = arena_printf(x->arena, ", %d layer%s computed again", layers, layers == 1 ? "" : "s");
	struct forms all = {0};
	int from = x->forms.n, played = x->played.n;
	if (!staged_remat(x->arena, p->chain, layers, p->layers[1]->n, &texts))
		return -1;
	struct drive *d = f.stages ? finder_open(x, &(struct form){.texts = &texts}) : NULL;
	struct plain *again = d && !d->session->errors ? plain_new(x, kept_arena(x), d, what) : NULL;
	if (again) {
		add_staged(again, &all, *f.stages, f.stages->naxes, f.stages->extent[0], f.stages->extent[1]);
	} else if (!f.stages) {
		f.texts = kept_texts(x->arena, texts);
		f.what = what;
		vec_push(x->arena, &all.all, f);
	}
	finder_add(x, &all);
	if (d)
		session_free(d->session);
	if (x->forms.n > from)
		finder_search(x, from, 1);
	return x->played.n > played && x->played.at[played].is_legal ? x->played.at[played].memory : -1;
}

/* As few layers as make the plan fit. What each of them saves is about the same. */
static void try_fewest(struct plain *p, int played)
{
	struct finder *x = p->finder;
	int of = x->played.at[played].of, n = p->layers[1]->n;
	double without = (double)x->played.at[played].memory, with = (double)try_again(p, of, n);
	if (with < 0 || with >= without)
		return;
	int layers = (int)ceil(n * (without - (double)x->cli->memory) / (without - with));
	for (bool too_few = false; layers > 0 && layers < n; layers += too_few ? 1 : -1) {
		int64_t memory = try_again(p, of, layers);
		bool fits = memory >= 0 && memory <= x->cli->memory;
		if (fits && too_few)
			return;
		too_few |= !fits;
	}
}

void finder_try_remat(struct finder *x)
{
	for (int staged = 0; x->plain && x->cli->memory && staged <= 1; staged++) {
		int played = fastest(x, staged);
		if (played < 0 || x->played.at[played].memory <= x->cli->memory ||
		    (x->best >= 0 && x->played.at[played].ns >= x->played.at[x->best].ns))
			continue;
		try_fewest(x->plain, played);
	}
}
