/* finder_plays.c — the best plans of forms, compiled and played on all processors at a time; in which order they are
 * looked at does not hang on that. The model knows of memory what it can without a plan, so its limit is put where the
 * plans that were compiled say that the real one is. */
#include "finder.h"

#include "compiler/seconds/simulate.h"
#include "compiler/seconds/times.h"
#include "search_text.h"
#include "staged.h"

#include "base/workers.h"

#include <string.h>

static void add_shares(struct played *p, const struct simulation *s)
{
	for (int i = 0; i < s->regions.n; i++)
		for (int r = 0; r < s->nranks; r++) {
			const struct play_times *t = &s->regions.at[i].play->rank[r].times;
			double share = s->regions.at[i].times / s->nranks;
			p->compute += t->compute * share;
			p->talk += (t->talk + t->wait) * share;
		}
}

void finder_play(const struct finder *x, struct played *p, struct arena *kept, bool says_why, bool by_bytes)
{
	struct session *own = drive_session(x->session);
	own->options.machine = by_bytes ? NULL : x->machine;
	own->options.searches = p->is_alone;
	const struct play_options as_it_is = {.slow_rank = -1};
	for (int i = 0; i < p->texts.all.n; i++)
		vec_push(own->arena, &own->options.texts, p->texts.all.at[i]);
	struct drive *d = drive_new(own, x->cli);
	if (drive_front(d, ELABORATE_MAIN, STAGE_NONE)) {
		const struct report *r = report_of(own->arena, d->program);
		const char *refused = times_refused(own->arena, d->program, x->machine);
		p->refused = refused ? arena_strdup(kept, refused) : NULL;
		p->memory = report_memory_most(r);
		p->holding = report_holding_of(kept, d->program, r);
		if (!refused) {
			struct simulation s = simulate_step(own->arena, d->program, r, x->machine, &as_it_is);
			p->ns = (int64_t)(s.ns + 0.5);
			p->is_legal = true;
			p->is_mean = s.is_mean;
			add_shares(p, &s);
		}
	}
	if (says_why)
		diag_flush(own, stderr);
	session_free(own);
}

/* Some that are played at a time. */
struct playing {
	const struct finder *finder;
	struct {
		struct played *played;
		struct arena *kept;
		bool by_bytes;
	} * all;
};

static void play_one(void *context, int i)
{
	const struct playing *p = context;
	finder_play(p->finder, p->all[i].played, p->all[i].kept, false, p->all[i].by_bytes);
}

/* by_bytes: the first so many; the others as they are compiled for the machine. */
void finder_play_all(struct finder *x, struct played *list[], int n, int by_bytes)
{
	struct playing p = {.finder = x};
	p.all = (void *)arena_alloc(x->arena, sizeof *p.all * (size_t)n);
	for (int i = 0; i < n; i++) {
		struct arena *kept = arena_new("played");
		vec_push(x->arena, &x->kept, kept);
		p.all[i].played = list[i];
		p.all[i].kept = kept;
		p.all[i].by_bytes = i < by_bytes;
	}
	workers_run(n, play_one, &p);
	for (int i = 0; i < n && !x->refused; i++)
		x->refused = list[i]->refused;
}

bool finder_fits_one(const struct finder *x, const struct played *p)
{
	return p->is_legal && (!x->cli->memory || p->memory <= x->cli->memory);
}

/* Of equally good ones the first found stays. */
static void consider(struct finder *x, int i)
{
	const struct played *p = x->played.at;
	if (p[i].is_legal && (x->least < 0 || p[i].memory < p[x->least].memory))
		x->least = i;
	if (!finder_fits_one(x, &p[i]))
		return;
	if (x->best < 0 || p[i].ns < p[x->best].ns) {
		x->second = x->best;
		x->best = i;
	} else if (x->second < 0 || p[i].ns < p[x->second].ns) {
		x->second = i;
	}
}

static bool is_same(const struct file_texts *a, const struct file_texts *b)
{
	bool same = a->all.n == b->all.n;
	for (int i = 0; i < a->all.n && same; i++)
		same = a->all.at[i].size == b->all.at[i].size && !strcmp(a->all.at[i].path, b->all.at[i].path) &&
		       !memcmp(a->all.at[i].bytes, b->all.at[i].bytes, b->all.at[i].size);
	return same;
}

/* The same text was played: plans may differ in a `to` that changes nothing. */
static bool is_played(const struct finder *x, const struct file_texts *texts)
{
	for (int i = 0; i < x->played.n; i++)
		if (is_same(&x->played.at[i].texts, texts))
			return true;
	return false;
}

/* By what a form's next plan is taken in turn: the model knows nothing of what overlaps, so the best of another mesh
 * is worth a look in front of the next ones of this, which differ little from its best, if it takes no more than a
 * tenth longer. */
static double rank_of(const struct search_result *r, int next)
{
	return r->plans.at[next].ns * (next ? 1.1 : 1);
}

/* Of so many forms from that number on the one whose next plan is the cheapest, of those of which there may be more;
 * -1: none. */
static int cheapest(const struct finder *x, int from, int n, int plays, const int *next)
{
	int at = -1;
	double least = 0;
	for (int i = from; i < from + n; i++) {
		const struct search_result *r = &x->forms.at[i].found;
		if (next[i] >= r->plans.n || (plays && next[i] >= plays))
			continue;
		if (at < 0 || rank_of(r, next[i]) < least) {
			at = i;
			least = rank_of(r, next[i]);
		}
	}
	return at;
}

/* Of the best plans of all forms the best ones, as many as there may be. */
static void play_best(struct finder *x, int from, int n, int plays)
{
	int *next = ARENA_ARRAY(x->arena, int, x->forms.n), left = x->cli->tries, first = x->played.n;
	for (int at; left > 0 && (at = cheapest(x, from, n, plays, next)) >= 0;) {
		struct opened *o = &x->forms.at[at];
		struct played p = {.of = at, .plan = o->found.plans.at[next[at]++]};
		if ((!plays || next[at] < plays) && left > 1)
			o->found = search_best(o->search, next[at] + 1, o->limit);
		p.texts = search_text(x->arena, o->drive->ast, o->drive->program, o->search, &p.plan);
		for (int i = 0; i < p.texts.all.n; i++) /* the form may be closed */
			p.texts.all.at[i].path = arena_strdup(x->arena, p.texts.all.at[i].path);
		if (o->form.staged)
			p.texts = staged_dealt(x->arena, o->form.staged, &p.texts);
		if (is_played(x, &p.texts))
			continue;
		vec_push(x->arena, &x->played, p);
		left--;
	}
	struct played **list = ARENA_ARRAY(x->arena, struct played *, x->played.n - first + 1);
	for (int i = first; i < x->played.n; i++)
		list[i - first] = &x->played.at[i];
	finder_play_all(x, list, x->played.n - first, 0);
	for (int i = first; i < x->played.n; i++)
		consider(x, i);
}

void finder_play_more(struct finder *x, int form)
{
	play_best(x, form, 1, 0);
}

/* The plan of a form that takes least; NULL: none was legal. */
static const struct played *least_played(const struct finder *x, int form)
{
	const struct played *least = NULL;
	for (int i = 0; i < x->played.n; i++) {
		const struct played *p = &x->played.at[i];
		if (p->is_legal && p->of == form && (!least || p->memory < least->memory))
			least = p;
	}
	return least;
}

/* What the model's memory is to be at most so that a rank takes what it may: by the plan that was nearest. 0: nobody
 * knows. */
static int64_t next_limit(const struct finder *x, int form)
{
	const struct played *least = least_played(x, form);
	return least ? (int64_t)((double)least->plan.memory * (double)x->cli->memory / (double)least->memory) : 0;
}

/* What one part of so many of the model's memory is, is hardly less: to find what is fastest with so little more than
 * the least takes the solver longest, and says nothing new. */
enum { HARDLY = 200 };

/* Half the way from a limit to the least that there is, all of it where that is hardly less. */
static int64_t nearer_to_least(const struct opened *o, int64_t limit)
{
	int64_t above = (limit - o->least) / 2;
	return above > o->least / HARDLY ? o->least + above : o->least;
}

/* The best plan within o->limit, the next one is looked for when it is played; where the limit is less than any plan
 * takes, half as far above that as the last one was. */
static void search_form(void *context, int i)
{
	struct opened *o = ((struct opened **)context)[i];
	int64_t last = o->found.plans.n ? o->found.plans.at[0].memory : 0;
	o->found = (struct search_result){.is_best = false};
	if (search_refused(o->search))
		return;
	o->found = search_best(o->search, 1, o->limit);
	if (!o->limit && o->found.plans.n)
		o->most = o->found.plans.at[0].memory;
	if (o->found.plans.n || !o->limit || o->least)
		return;
	o->least = search_least_memory(o->search);
	o->limit = nearer_to_least(o, last);
	if (o->least)
		o->found = search_best(o->search, 1, o->limit);
}

/* The limit is the least with which there is any plan, 0 if there is none with any. */
static void find_least(void *context, int i)
{
	struct opened *o = ((struct opened **)context)[i];
	if (!o->least && !search_refused(o->search))
		o->least = search_least_memory(o->search);
	o->limit = o->least;
}

/* Whether a form's plan of the least memory by the model takes far more: no limit within the model helps. */
static bool is_hopeless(const struct finder *x, const struct opened *o, int64_t memory)
{
	enum { FAR = 50 };
	const struct played *least = least_played(x, (int)(o - x->forms.at));
	return least && o->least && least->memory - memory > least->memory / FAR;
}

/* Whether a plan of the forms from that number on fits, of those that were played from the first on. */
static bool fits_since(const struct finder *x, int from, int first)
{
	for (int i = first; i < x->played.n; i++)
		if (x->played.at[i].of >= from && finder_fits_one(x, &x->played.at[i]))
			return true;
	return false;
}

bool finder_fits(const struct finder *x, int from)
{
	return fits_since(x, from, 0);
}

/* A limit that is nearer to what fits than the last one; the last of all is the least that there is. */
static void lower_limits(struct finder *x, struct opened **list, int n, bool to_the_least)
{
	for (int i = 0; i < n; i++) {
		struct opened *o = list[i];
		int64_t next = next_limit(x, (int)(o - x->forms.at)), last = o->limit ? o->limit : o->most;
		next = next < last ? next : last - last / 10;
		o->limit = next < o->least + o->least / HARDLY ? nearer_to_least(o, last) : next;
	}
	if (to_the_least)
		workers_run(n, find_least, list);
}

/* The best plans of those of the forms that there is a limit for. */
static void search_limited(struct finder *x, struct opened **list, int n)
{
	int limited = 0;
	struct opened **again = ARENA_ARRAY(x->arena, struct opened *, n + 1);
	for (int i = 0; i < n; i++)
		if (list[i]->limit)
			again[limited++] = list[i];
	workers_run(limited, search_form, again);
}

/* Plays of each form the plan that takes least by the model, the first so many forms from that number on. */
static void play_least(struct finder *x, struct opened **list, int n, int from)
{
	int64_t *limit = ARENA_ARRAY(x->arena, int64_t, n + 1);
	for (int i = 0; i < n; i++)
		limit[i] = list[i]->limit;
	workers_run(n, find_least, list);
	search_limited(x, list, n);
	play_best(x, from, x->forms.n - from, 1);
	for (int i = 0; i < n; i++)
		list[i]->limit = limit[i];
}

/* Leaves out forms that take more than so much whatever the limit, and their further plans; how many are left. */
static int leave_hopeless(const struct finder *x, struct opened **list, int n, int64_t memory)
{
	int kept = 0;
	for (int i = 0; i < n; i++)
		if (is_hopeless(x, list[i], memory))
			list[i]->found = (struct search_result){.is_best = false};
		else
			list[kept++] = list[i];
	return kept;
}

/* Plans that take less and less by the model, until one fits; in the end those that take least, which are the first to
 * be looked at: where they take far too much the others do. */
void finder_search(struct finder *x, int from, int plays)
{
	enum { ROUNDS = 5 };
	int n = x->forms.n - from;
	struct opened **list = ARENA_ARRAY(x->arena, struct opened *, n + 1);
	for (int i = 0; i < n; i++)
		list[i] = &x->forms.at[from + i];
	workers_run(n, search_form, list);
	play_best(x, from, n, plays);
	if (!x->cli->memory || x->refused || fits_since(x, from, 0))
		return;
	play_least(x, list, n, from);
	int first = x->played.n, hopeful = leave_hopeless(x, list, n, x->cli->memory);
	for (int round = 0; hopeful && round < ROUNDS && !x->refused && !fits_since(x, from, first); round++) {
		lower_limits(x, list, hopeful, round == ROUNDS - 1);
		search_limited(x, list, hopeful);
		play_best(x, from, n, plays);
	}
}

/* The limit of a step on the way from what the best plan takes to the least; 0: it is hardly less than the last one. */
static int64_t least_limit(const struct opened *o, int step, int steps, int64_t *last)
{
	int64_t above = o->most - o->least;
	above = step < steps ? above - above / steps * step : above >> (step - steps + 1);
	if (*last && *last - o->least - above < o->least / HARDLY)
		return 0;
	return *last = o->least + above;
}

/* What takes least by the model is not what takes least, as plans need room besides: limits go down from what the best
 * plan takes to the least by the model, in even steps, and each time the best plan of every form is played; then by
 * halves, and the best of all are. By halves they went already where the least by the model is too much. Forms that can
 * hardly take less than what takes least so far are left out. */
void finder_search_least(struct finder *x)
{
	enum { PLAYS = 48, FEWEST = 3, MOST = 12, HALVES = 5 };
	int n = 0;
	struct opened **list = ARENA_ARRAY(x->arena, struct opened *, x->forms.n + 1);
	for (int i = 0; i < x->forms.n; i++)
		if (x->forms.at[i].search)
			list[n++] = &x->forms.at[i];
	play_least(x, list, n, 0);
	n = x->least < 0 ? n : leave_hopeless(x, list, n, x->played.at[x->least].memory);
	int steps = n && PLAYS / n < MOST ? PLAYS / n : MOST;
	workers_run(n, find_least, list);
	steps = steps > FEWEST ? steps : FEWEST;
	int halves = 0;
	for (int i = 0; i < n; i++)
		halves = list[i]->least <= x->cli->memory ? HALVES : halves;
	int64_t *last = ARENA_ARRAY(x->arena, int64_t, n + 1);
	for (int i = 0; i < n; i++)
		last[i] = list[i]->most;
	for (int step = 1; step < steps + halves && x->best < 0; step++) {
		for (int i = 0; i < n; i++)
			list[i]->limit = least_limit(list[i], step, steps, &last[i]);
		search_limited(x, list, n);
		play_best(x, 0, x->forms.n, step < steps);
	}
}
