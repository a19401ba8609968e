/* finder.c — see finder.h.
 *
 * compiler/search/ has the best plans by its cost model, with a bound. A plan is a text: the source with layouts in
 * their places (search_text.h). The best few are compiled and played on the machine as `pmlc simulate` does, and the
 * one that takes least there is the best. The model knows of memory what it can without a plan, so its limit is put
 * where the plans that were compiled say that the real one is.
 *
 * Forms are opened and searched, and plans are played, on all processors at a time; in which order they are looked at
 * does not hang on that. */
#include "finder.h"

#include "compiler/seconds/simulate.h"
#include "compiler/seconds/times.h"
#include "compiler/seconds/transfer.h"
#include "machine_file.h"
#include "search_text.h"
#include "staged.h"
#include "workers.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* ---- plans ---- */

static void add_shares(struct played *p, const struct simulation *s)
{
	for (int i = 0; i < s->regions.n; i++)
		for (int r = 0; r < s->nranks; r++) {
			const struct play_times *t = &s->regions.at[i].play->rank[r].times;
			double share = (double)s->regions.at[i].times / s->nranks;
			p->compute += t->compute * share;
			p->talk += (t->talk + t->wait) * share;
		}
}

/* Compiles and plays a text of the program, and what is to be kept of it lies in an arena of its own; says_why:
 * messages are printed; by_bytes: as it is compiled where no machine is named. */
static void play(const struct finder *x, struct played *p, struct arena *kept, bool says_why, bool by_bytes)
{
	struct session *own = drive_session(x->session);
	own->options.machine = by_bytes ? NULL : x->machine;
	const struct play_options as_it_is = {.slow_rank = -1};
	vec_push(own->arena, &own->options.texts, p->text);
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
	play(p->finder, p->all[i].played, p->all[i].kept, false, p->all[i].by_bytes);
}

/* by_bytes: the first so many; the others as they are compiled for the machine. */
static void play_all(struct finder *x, struct played *list[], int n, int by_bytes)
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

static bool fits(const struct finder *x, const struct played *p)
{
	return p->is_legal && (!x->cli->memory || p->memory <= x->cli->memory);
}

/* Of equally good ones the first found stays. */
static void consider(struct finder *x, int i)
{
	const struct played *p = x->played.at;
	if (p[i].is_legal && (x->least < 0 || p[i].memory < p[x->least].memory))
		x->least = i;
	if (!fits(x, &p[i]))
		return;
	if (x->best < 0 || p[i].ns < p[x->best].ns) {
		x->second = x->best;
		x->best = i;
	} else if (x->second < 0 || p[i].ns < p[x->second].ns) {
		x->second = i;
	}
}

/* The same text was played: plans may differ in a `to` that changes nothing. */
static bool is_played(const struct finder *x, const struct file_text *text)
{
	for (int i = 0; i < x->played.n; i++)
		if (x->played.at[i].text.size == text->size &&
		    !memcmp(x->played.at[i].text.bytes, text->bytes, text->size))
			return true;
	return false;
}

/* The form from that number on whose next plan is the cheapest, of those of which there may be more; -1: none. */
static int cheapest(const struct finder *x, int from, int plays, const int *next)
{
	int at = -1;
	for (int i = from; i < x->forms.n; i++) {
		const struct search_result *r = &x->forms.at[i].found;
		if (next[i] < r->plans.n && (!plays || next[i] < plays) &&
		    (at < 0 || r->plans.at[next[i]].ns < x->forms.at[at].found.plans.at[next[at]].ns))
			at = i;
	}
	return at;
}

/* Of the best plans of all forms the best ones, as many as there may be. */
static void play_best(struct finder *x, int from, int plays)
{
	int *next = ARENA_ARRAY(x->arena, int, x->forms.n), left = x->cli->tries, first = x->played.n;
	for (int at; left > 0 && (at = cheapest(x, from, plays, next)) >= 0;) {
		struct opened *o = &x->forms.at[at];
		struct played p = {.of = at, .plan = o->found.plans.at[next[at]++]};
		if ((!plays || next[at] < plays) && left > 1)
			o->found = search_best(o->search, next[at] + 1, o->limit);
		p.text = search_text(x->arena, o->drive->ast, o->drive->program, o->search, &p.plan);
		if (o->form.staged)
			p.text = staged_dealt(x->arena, o->form.staged, &p.text);
		if (is_played(x, &p.text))
			continue;
		vec_push(x->arena, &x->played, p);
		left--;
	}
	struct played **list = ARENA_ARRAY(x->arena, struct played *, x->played.n - first + 1);
	for (int i = first; i < x->played.n; i++)
		list[i - first] = &x->played.at[i];
	play_all(x, list, x->played.n - first, 0);
	for (int i = first; i < x->played.n; i++)
		consider(x, i);
}

/* What the model's memory is to be at most so that a rank takes what it may: by the plan that was nearest. 0: nobody
 * knows. */
static int64_t next_limit(const struct finder *x, int form)
{
	const struct played *least = NULL;
	for (int i = 0; i < x->played.n; i++) {
		const struct played *p = &x->played.at[i];
		if (p->is_legal && p->of == form && (!least || p->memory < least->memory))
			least = p;
	}
	return least ? (int64_t)((double)least->plan.memory * (double)x->cli->memory / (double)least->memory) : 0;
}

/* The best plan within o->limit; the next one is looked for when it is played. */
static void search_form(void *context, int i)
{
	struct opened *o = ((struct opened **)context)[i];
	o->found = (struct search_result){.is_best = false};
	if (!search_refused(o->search))
		o->found = search_best(o->search, 1, o->limit);
}

/* The limit is the least with which there is any plan, 0 if there is none with any. */
static void find_least(void *context, int i)
{
	struct opened *o = ((struct opened **)context)[i];
	if (!search_refused(o->search))
		o->limit = search_least_memory(o->search);
}

bool finder_fits(const struct finder *x, int from)
{
	for (int i = 0; i < x->played.n; i++)
		if (x->played.at[i].of >= from && fits(x, &x->played.at[i]))
			return true;
	return false;
}

/* A limit that is nearer to what fits than the last one; the last of all is the least that there is. */
static void lower_limits(struct finder *x, struct opened **list, int n, bool to_the_least)
{
	for (int i = 0; i < n; i++) {
		int64_t next = next_limit(x, (int)(list[i] - x->forms.at)), last = list[i]->limit;
		list[i]->limit = !last || next < last ? next : last - last / 10;
	}
	if (to_the_least)
		workers_run(n, find_least, list);
}

/* Plans that take less and less by the model, until one fits; in the end those that take least. */
void finder_search(struct finder *x, int from, int plays)
{
	enum { ROUNDS = 5 };
	int n = x->forms.n - from;
	struct opened **list = ARENA_ARRAY(x->arena, struct opened *, n + 1);
	for (int i = 0; i < n; i++)
		list[i] = &x->forms.at[from + i];
	workers_run(n, search_form, list);
	play_best(x, from, plays);
	for (int round = 0; x->cli->memory && round < ROUNDS && !finder_fits(x, from) && !x->refused; round++) {
		lower_limits(x, list, n, round == ROUNDS - 1);
		int limited = 0;
		struct opened **again = ARENA_ARRAY(x->arena, struct opened *, n + 1);
		for (int i = 0; i < n; i++)
			if (list[i]->limit)
				again[limited++] = list[i];
		workers_run(limited, search_form, again);
		play_best(x, from, plays);
	}
}

/* ---- what is said of it ---- */

const struct search *finder_search_of(const struct finder *x, const struct played *p)
{
	return x->forms.at[p->of].search;
}

/* The source of an expression, in one line; what is long is cut. */
static const char *expression_text(struct arena *a, const struct source *source, struct span at)
{
	enum { MOST = 40 };
	struct text t;
	text_init(&t, a);
	for (uint32_t i = at.begin; i < at.end && i < source->size; i++)
		if (!isspace((unsigned char)source->bytes[i]))
			text_add_n(&t, &source->bytes[i], 1);
		else if (t.n && t.at[t.n - 1] != ' ')
			text_add(&t, " ");
	const char *whole = text_get(&t);
	return t.n <= MOST ? arena_printf(a, "`%s`", whole) : arena_printf(a, "`%.*s...`", MOST - 3, whole);
}

const char *finder_open_text(const struct finder *x, const struct opened *of, int open)
{
	const struct open_layout *o = search_open(of->search, open);
	const struct session *s = of->drive->session;
	bool is_named = (o->kind != OPEN_MOVE && o->kind != OPEN_OPERAND) || (int)o->span.file >= s->sources.n;
	return arena_printf(x->arena, "%s at %s:%.*s",
			    is_named ? o->searched : expression_text(x->arena, &s->sources.at[o->span.file], o->span),
			    x->cli->file, (int)strcspn(o->name, "+"), o->name);
}

const char *finder_mesh_text(const struct finder *x, const struct played *p)
{
	const struct place *place = search_open(finder_search_of(x, p), 0)->place;
	struct text t;
	text_init(&t, x->arena);
	const struct opened *o = &x->forms.at[p->of];
	text_printf(&t, "%" PRId64 " ranks", o->drive->program->nranks);
	for (int a = 0; a < place->naxes && place->naxes > 1 && o->form.naxes; a++)
		text_printf(&t, ", %s = %" PRId64, place->axis[a], place->extent[a]);
	text_add(&t, o->form.what);
	return text_get(&t);
}

/* What the best plan costs of all meshes, or of the stages that are the best; bound: what none costs less than. */
static double least_cost(const struct finder *x, bool bound)
{
	double least = -1;
	const struct opened *best = &x->forms.at[x->played.at[x->best].of];
	for (int i = 0; i < x->forms.n; i++) {
		const struct search_result *r = &x->forms.at[i].found;
		if (best->form.stages ? best != &x->forms.at[i]
				      : x->forms.at[i].form.stages || x->forms.at[i].form.text != best->form.text)
			continue;
		double ns = !r->plans.n ? -1 : bound ? r->bound : r->plans.at[0].ns;
		least = ns >= 0 && (least < 0 || ns < least) ? ns : least;
	}
	return least;
}

const char *finder_proof(const struct finder *x)
{
	double cost = least_cost(x, false), bound = least_cost(x, true);
	int variables;
	int64_t entries;
	search_size(finder_search_of(x, &x->played.at[x->best]), &variables, &entries);
	return arena_printf(
		x->arena,
		"by the cost model the best %s %s, within %.1f %% of the best there is (bound %s, %d "
		"variables); %d plan%s played",
		x->forms.at[x->played.at[x->best].of].form.stages ? "for these stages adds up to" : "takes",
		report_ns_text(x->arena, (int64_t)(cost + 0.5)), cost > bound ? 100 * (cost - bound) / cost : 0,
		report_ns_text(x->arena, (int64_t)(bound + 0.5)), variables, x->played.n, x->played.n == 1 ? "" : "s");
}

void finder_print_holding(struct text *t, const struct finder *x, const struct played *p)
{
	text_add(t, "  ");
	report_print_holding(t, &p->holding);
	text_add(t, "; may be ");
	text_bytes(t, x->cli->memory);
	text_add(t, "\n");
	report_print_held(t, &p->holding);
}

/* What the plan needs that needs least, and the limit with which there would be one. */
static void report_too_little(const struct finder *x)
{
	const struct played *least = &x->played.at[x->least];
	struct text t;
	text_init(&t, x->arena);
	text_printf(&t, "pmlc: no choice fits into %" PRId64 " byte%s: the least that was found takes %" PRId64 "\n",
		    x->cli->memory, x->cli->memory == 1 ? "" : "s", least->memory);
	finder_print_holding(&t, x, least);
	text_printf(&t, "  with --memory=%" PRId64 " there is a plan, on %s, with which a step takes %s\n",
		    least->memory, finder_mesh_text(x, least), report_ns_text(x->arena, least->ns));
	fputs(text_get(&t), stderr);
}

static int report_nothing(struct finder *x)
{
	const char *refused = NULL;
	if (x->refused) {
		fprintf(stderr, "pmlc: %s: %s\n", x->cli->machine, x->refused);
		return EXIT_ERRORS;
	}
	for (int i = 0; i < x->forms.n && !refused; i++)
		refused = search_refused(x->forms.at[i].search);
	if (refused)
		fprintf(stderr, "pmlc: %s\n", refused);
	else if (x->least >= 0 && x->cli->memory)
		report_too_little(x);
	else if (!x->played.n)
		fprintf(stderr, "pmlc: whatever is chosen, the program is not legal%s\n",
			x->cli->memory ? " or takes more memory" : "");
	else {
		fprintf(stderr,
			"pmlc: the best plans by the cost model do not compile, the first one for this reason:\n");
		play(x, &x->played.at[0], x->arena, true, false);
	}
	return EXIT_NONE;
}

/* A plain program runs on one rank as it is: what is slower is no plan, if one rank has the memory. */
static bool is_slower_than_one(const struct finder *x, const struct played *one)
{
	const struct played *best = &x->played.at[x->best];
	if (!x->is_plain || !fits(x, one) || best->ns < one->ns)
		return false;
	fprintf(stderr,
		"pmlc: no plan is faster than one rank, on which a step takes %s: the best, on %s, takes %s, of which "
		"a rank computes %s and sends or waits %s\n",
		report_ns_text(x->arena, one->ns), finder_mesh_text(x, best), report_ns_text(x->arena, best->ns),
		report_ns_text(x->arena, (int64_t)best->compute), report_ns_text(x->arena, (int64_t)best->talk));
	return true;
}

/* The best plan without a machine, and the plain program on one rank. */
static bool compare(struct finder *x)
{
	const struct drive *d = x->forms.at[0].drive;
	const struct source *source = &d->session->sources.at[d->ast->main->file];
	struct played by_bytes = {.text = x->played.at[x->best].text};
	struct played one = {.text = {source->path, source->bytes, source->size}};
	struct played *list[] = {&by_bytes, &one};
	if (!x->compiles)
		play_all(x, list, x->is_plain ? 2 : 1, 1);
	x->by_bytes = by_bytes.ns;
	return !is_slower_than_one(x, &one);
}

static int search_all(struct finder *x)
{
	finder_search(x, 0, 0);
	if (x->is_plain && !x->refused) {
		finder_try_stages(x);
		finder_try_remat(x);
	}
	if (x->best < 0)
		return report_nothing(x);
	return compare(x) ? EXIT_OK : EXIT_NONE;
}

/* ---- the source ---- */

struct drive *finder_open(const struct finder *x, const struct form *f)
{
	struct session *own = drive_session(x->session);
	own->options.searches = true;
	own->options.opened.naxes = f->naxes;
	own->options.opened.moves = f->text && !f->naxes;
	for (int a = 0; a < f->naxes; a++)
		own->options.opened.extent[a] = f->extent[a];
	if (f->text)
		vec_push(own->arena, &own->options.texts, *f->text);
	struct drive *d = drive_new(own, x->cli);
	drive_check(d);
	return d;
}

struct opening {
	const struct finder *finder;
	struct opened *opened;
};

static void open_form(void *context, int i)
{
	const struct opening *of = context;
	struct opened *o = &of->opened[i];
	o->arena = arena_new("search");
	o->drive = finder_open(of->finder, &o->form);
	if (!o->drive->session->errors)
		o->search = search_new(o->arena, o->drive->program, of->finder->machine);
}

static void close_form(struct opened *o)
{
	session_free(o->drive->session);
	arena_free(o->arena);
}

void finder_add(struct finder *x, const struct forms *f)
{
	struct opening of = {x, ARENA_ARRAY(x->arena, struct opened, f->all.n + 1)};
	for (int i = 0; i < f->all.n; i++)
		of.opened[i].form = f->all.at[i];
	workers_run(f->all.n, open_form, &of);
	for (int i = 0; i < f->all.n; i++)
		if (of.opened[i].search)
			vec_push(x->arena, &x->forms, of.opened[i]);
		else
			close_form(&of.opened[i]);
}

/* Forms that have to compile: as the source says, or on a mesh. */
static int add_all(struct finder *x, const struct forms *f)
{
	finder_add(x, f);
	if (x->forms.n == f->all.n)
		return EXIT_OK;
	int status = EXIT_OK;
	for (int i = 0; i < f->all.n && status == EXIT_OK; i++) {
		struct drive *d = finder_open(x, &f->all.at[i]);
		status = drive_finish(d);
		session_free(d->session);
	}
	return status;
}

/* All ways to write n as a product of so many factors in order, each at least 2, the first one falling; f has those
 * before. */
static void find_meshes(struct finder *x, struct forms *all, struct form *f, int64_t n, int naxes)
{
	f->extent[f->naxes++] = n;
	if (naxes == 1)
		vec_push(x->arena, &all->all, *f);
	for (int64_t outer = n / 2; naxes > 1 && outer >= 2; outer--) {
		f->extent[f->naxes - 1] = outer;
		if (n % outer == 0)
			find_meshes(x, all, f, n / outer, naxes - 1);
	}
	f->naxes--;
}

static int add_forms(struct finder *x)
{
	struct form f = {.naxes = 0, .what = ""};
	struct forms all = {0};
	if (!x->is_plain)
		vec_push(x->arena, &all.all, f);
	for (int naxes = 1; x->is_plain && naxes <= x->cli->axes; naxes++)
		find_meshes(x, &all, &f, x->ranks, naxes);
	return add_all(x, &all);
}

static bool is_plain(const struct drive *d)
{
	for (int i = 0; i < d->ast->main->items.n; i++) {
		const struct item *it = d->ast->main->items.at[i];
		if (it->kind == ITEM_PLACE || (item_is_slot(it) && it->type && it->type->placement))
			return false;
	}
	return d->program->source_ranks == 1;
}

static bool has_open(const struct program *p)
{
	for (int i = 0; i < p->open.n; i++)
		if (p->open.at[i].searched)
			return true;
	return false;
}

/* What cannot be searched, or not written; EXIT_OK: nothing stands in the way. */
static int refuse(const struct finder *x, const struct drive *d)
{
	const char *file = x->cli->file, *output = x->cli->output;
	int64_t ranks = x->is_plain ? x->cli->nranks : d->program->nranks, all = machine_ranks(x->machine);
	if (!x->compiles && output && x->cli->edit) {
		fprintf(stderr, "pmlc: -o %s: with --edit the source itself is written\n", output);
		return EXIT_USAGE;
	}
	if (!x->compiles && output && drive_is_source(d->session, output) && strcmp(output, file)) {
		fprintf(stderr, "pmlc: -o %s: this file is a source of the program\n", output);
		return EXIT_USAGE;
	}
	if (!x->is_plain && x->cli->nranks && x->cli->nranks != ranks) {
		fprintf(stderr, "pmlc: -n %d: the placements of `%s` have %" PRId64 " rank%s\n", x->cli->nranks, file,
			ranks, ranks == 1 ? "" : "s");
		return EXIT_USAGE;
	}
	if (all < ranks) {
		fprintf(stderr, "pmlc: %s: the machine has %" PRId64 " rank%s, and the program %" PRId64 "\n",
			x->cli->machine, all, all == 1 ? "" : "s", ranks);
		return EXIT_ERRORS;
	}
	if (x->is_plain && (ranks ? ranks : all) > MOST_RANKS) {
		fprintf(stderr, "pmlc: %" PRId64 " ranks are more than a program may have, %d; -n N: how many%s\n",
			ranks ? ranks : all, MOST_RANKS, ranks ? "" : " of the machine's");
		return EXIT_ERRORS;
	}
	if (!x->is_plain && !has_open(d->program) && !x->compiles) {
		fprintf(stderr,
			"pmlc: %s: no param, state or `to` has the layout `auto`: there is nothing to choose; write "
			"`: auto` where one is open, or leave out `place`, `@` and `to`, and all is chosen\n",
			file);
		return EXIT_ERRORS;
	}
	if (x->is_plain && (ranks ? ranks : all) == 1) {
		fprintf(stderr, "pmlc: on one rank there is nothing to choose\n");
		return EXIT_ERRORS;
	}
	return EXIT_OK;
}

static int open_and_search(struct finder *x, const struct drive *d)
{
	x->is_plain = is_plain(d) && !x->compiles;
	int status = refuse(x, d);
	if (status != EXIT_OK || (x->compiles && !has_open(d->program)))
		return status;
	x->ranks = x->cli->nranks ? x->cli->nranks : machine_ranks(x->machine);
	x->session->options.transfers =
		transfer_table_new(x->arena, x->machine, x->is_plain ? x->ranks : d->program->nranks);
	status = add_forms(x);
	if (status == EXIT_OK && !has_open(x->forms.at[0].drive->program)) {
		fprintf(stderr,
			"pmlc: %s: there is no tensor that ranks could share: what gets a layout is params, states, "
			"and "
			"tensors that this file itself passes, binds, returns or multiplies\n",
			x->cli->file);
		return EXIT_ERRORS;
	}
	return status == EXIT_OK ? search_all(x) : status;
}

int finder_find(struct finder *x, struct session *s, const struct cli *cli)
{
	x->session = s;
	x->cli = cli;
	x->arena = s->arena;
	x->best = x->second = x->least = -1;
	x->machine = s->options.machine;
	struct drive *d = finder_open(x, &(struct form){.naxes = 0});
	int status = drive_finish(d);
	if (status == EXIT_OK && !machine_is_for(d->program, cli))
		status = EXIT_ERRORS;
	if (status == EXIT_OK)
		status = open_and_search(x, d);
	session_free(d->session);
	return status;
}

void finder_close(struct finder *x)
{
	for (int i = 0; i < x->forms.n; i++)
		close_form(&x->forms.at[i]);
	for (int i = 0; i < x->kept.n; i++)
		arena_free(x->kept.at[i]);
}

int finder_resolve(struct session *s, const struct cli *cli)
{
	struct finder x = {.compiles = true};
	int status = finder_find(&x, s, cli);
	if (status == EXIT_OK && x.best >= 0) {
		const struct played *best = &x.played.at[x.best];
		struct file_text text = {arena_strdup(s->arena, best->text.path), best->text.bytes, best->text.size};
		vec_push(s->arena, &s->options.texts, text);
		fprintf(stderr, "pmlc: a step takes %s on `%s`; %s\n", report_ns_text(s->arena, best->ns),
			x.machine->name, finder_proof(&x));
	}
	finder_close(&x);
	return status;
}
