/* finder.c — see finder.h.
 *
 * compiler/search/ has the best plans by its cost model, with a bound. A plan is a text: the source with layouts in
 * their places (search_text.h). The best few are compiled and played on the machine as `pmlc simulate` does, and the
 * one that takes least there is the best. The model knows of memory what it can without a plan, so its limit is put
 * where the plans that were compiled say that the real one is. */
#include "finder.h"

#include "compiler/seconds/simulate.h"
#include "compiler/seconds/times.h"
#include "compiler/seconds/transfer.h"
#include "machine_file.h"
#include "search_text.h"
#include "staged.h"

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

/* Compiles and plays a text of the program; says_why: messages are printed; by_bytes: as it is compiled where no
 * machine is named. */
static void play(struct finder *x, struct played *p, bool says_why, bool by_bytes)
{
	struct session *own = drive_session(x->session);
	own->options.machine = by_bytes ? NULL : x->machine;
	const struct play_options as_it_is = {.slow_rank = -1};
	vec_push(own->arena, &own->options.texts, p->text);
	struct drive *d = drive_new(own, x->cli);
	if (drive_front(d, ELABORATE_MAIN, STAGE_NONE)) {
		const struct report *r = report_of(own->arena, d->program);
		const char *refused = times_refused(own->arena, d->program, x->machine);
		x->refused = refused ? arena_strdup(x->arena, refused) : x->refused;
		p->memory = report_memory_most(r);
		p->holding = report_holding_of(x->arena, d->program, r);
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
	int *next = ARENA_ARRAY(x->arena, int, x->forms.n), left = x->cli->tries;
	for (int at; left > 0 && !x->refused && (at = cheapest(x, from, plays, next)) >= 0;) {
		struct opened *o = &x->forms.at[at];
		struct played p = {.of = at, .plan = o->found.plans.at[next[at]++]};
		if ((!plays || next[at] < plays) && left > 1)
			o->found = search_best(o->search, next[at] + 1, o->limit);
		p.text = search_text(x->arena, o->drive->ast, o->drive->program, o->search, &p.plan);
		if (o->form.staged)
			p.text = staged_dealt(x->arena, o->form.staged, &p.text);
		if (is_played(x, &p.text))
			continue;
		play(x, &p, false, false);
		vec_push(x->arena, &x->played, p);
		consider(x, x->played.n - 1);
		left--;
	}
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

/* The best plan; the next one is looked for when it is played. */
static void search_form(struct opened *o, int64_t limit)
{
	o->found = (struct search_result){.is_best = false};
	o->limit = limit;
	if (!search_refused(o->search))
		o->found = search_best(o->search, 1, limit);
}

bool finder_fits(const struct finder *x, int from)
{
	for (int i = 0; i < x->played.n; i++)
		if (x->played.at[i].of >= from && fits(x, &x->played.at[i]))
			return true;
	return false;
}

/* Plans that take less and less by the model, until one fits; in the end those that take least. */
void finder_search(struct finder *x, int from, int plays)
{
	enum { ROUNDS = 5 };
	int64_t *limit = ARENA_ARRAY(x->arena, int64_t, x->forms.n);
	for (int i = from; i < x->forms.n; i++)
		search_form(&x->forms.at[i], 0);
	play_best(x, from, plays);
	for (int round = 0; x->cli->memory && round < ROUNDS && !finder_fits(x, from) && !x->refused; round++) {
		for (int i = from; i < x->forms.n; i++) {
			int64_t next = next_limit(x, i);
			limit[i] = !limit[i] || next < limit[i] ? next : limit[i] - limit[i] / 10;
			if (round == ROUNDS - 1 && !search_refused(x->forms.at[i].search))
				limit[i] = search_least_memory(x->forms.at[i].search);
			if (limit[i])
				search_form(&x->forms.at[i], limit[i]);
		}
		play_best(x, from, plays);
	}
}

/* ---- what is said of it ---- */

const struct search *finder_search_of(const struct finder *x, const struct played *p)
{
	return x->forms.at[p->of].search;
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
	text_printf(&t, "pmlc: no choice fits into %" PRId64 " bytes: the least that was found takes %" PRId64 "\n",
		    x->cli->memory, least->memory);
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
		play(x, &x->played.at[0], true, false);
	}
	return EXIT_NONE;
}

/* A plain program runs on one rank as it is: what is slower is no plan, if one rank has the memory. */
static bool is_slower_than_one(struct finder *x)
{
	const struct drive *d = x->forms.at[0].drive;
	const struct played *best = &x->played.at[x->best];
	const struct source *source = &d->session->sources.at[d->ast->main->file];
	struct played one = {.text = {source->path, source->bytes, source->size}};
	if (!x->is_plain)
		return false;
	play(x, &one, false, false);
	if (!fits(x, &one) || best->ns < one.ns)
		return false;
	fprintf(stderr,
		"pmlc: no plan is faster than one rank, on which a step takes %s: the best, on %s, takes %s, of which "
		"a rank computes %s and sends or waits %s\n",
		report_ns_text(x->arena, one.ns), finder_mesh_text(x, best), report_ns_text(x->arena, best->ns),
		report_ns_text(x->arena, (int64_t)best->compute), report_ns_text(x->arena, (int64_t)best->talk));
	return true;
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
	if (is_slower_than_one(x))
		return EXIT_NONE;
	if (x->compiles)
		return EXIT_OK;
	struct played by_bytes = {.text = x->played.at[x->best].text};
	play(x, &by_bytes, false, true);
	x->by_bytes = by_bytes.ns;
	return EXIT_OK;
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

bool finder_add(struct finder *x, const struct form *f)
{
	struct opened o = {.form = *f, .drive = finder_open(x, f)};
	if (o.drive->session->errors) {
		session_free(o.drive->session);
		return false;
	}
	o.search = search_new(x->arena, o.drive->program, x->machine);
	vec_push(x->arena, &x->forms, o);
	return true;
}

/* A form that has to compile: as the source says, or on a mesh. */
static int add(struct finder *x, const struct form *f)
{
	if (finder_add(x, f))
		return EXIT_OK;
	struct drive *d = finder_open(x, f);
	int status = drive_finish(d);
	session_free(d->session);
	return status;
}

/* All ways to write n as a product of so many factors in order, each at least 2, the first one falling; f has those
 * before. */
static int add_meshes(struct finder *x, struct form *f, int64_t n, int naxes)
{
	int status = EXIT_OK;
	f->extent[f->naxes++] = n;
	if (naxes == 1)
		status = add(x, f);
	for (int64_t outer = n / 2; naxes > 1 && outer >= 2 && status == EXIT_OK; outer--) {
		f->extent[f->naxes - 1] = outer;
		if (n % outer == 0)
			status = add_meshes(x, f, n / outer, naxes - 1);
	}
	f->naxes--;
	return status;
}

static int add_forms(struct finder *x)
{
	struct form f = {.naxes = 0, .what = ""};
	if (!x->is_plain)
		return add(x, &f);
	int status = EXIT_OK;
	for (int naxes = 1; naxes <= x->cli->axes && status == EXIT_OK; naxes++)
		status = add_meshes(x, &f, x->ranks, naxes);
	return status;
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
	int64_t ranks = x->is_plain ? x->cli->nranks : d->program->nranks;
	if (!x->compiles && output && x->cli->edit) {
		fprintf(stderr, "pmlc: -o %s: with --edit the source itself is written\n", output);
		return EXIT_USAGE;
	}
	if (!x->compiles && output && drive_is_source(d->session, output) && strcmp(output, file)) {
		fprintf(stderr, "pmlc: -o %s: this file is a source of the program\n", output);
		return EXIT_USAGE;
	}
	if (!x->is_plain && x->cli->nranks && x->cli->nranks != ranks) {
		fprintf(stderr, "pmlc: -n %d: the placements of `%s` have %" PRId64 " ranks\n", x->cli->nranks, file,
			ranks);
		return EXIT_USAGE;
	}
	if (machine_ranks(x->machine) < ranks) {
		fprintf(stderr, "pmlc: %s: the machine has %" PRId64 " ranks, and the program %" PRId64 "\n",
			x->cli->machine, machine_ranks(x->machine), ranks);
		return EXIT_ERRORS;
	}
	if (!x->is_plain && !has_open(d->program) && !x->compiles) {
		fprintf(stderr, "pmlc: %s: no param, state or `to` has the layout `auto`: there is nothing to choose\n",
			file);
		return EXIT_ERRORS;
	}
	if (x->is_plain && (ranks == 1 || (!ranks && machine_ranks(x->machine) == 1))) {
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
		fprintf(stderr, "pmlc: %s: there is no tensor that ranks could share\n", x->cli->file);
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
		session_free(x->forms.at[i].drive->session);
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
