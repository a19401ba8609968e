/* finder.c — see finder.h.
 *
 * compiler/search/ has the best plans by its cost model, with a bound. A plan is a text: the source with layouts in
 * their places (search_text.h). The best few are compiled and played on the machine as `pmlc simulate` does, and the
 * one that takes least there is the best. Here is which forms of the program are searched. */
#include "finder.h"

#include "compiler/seconds/transfer.h"
#include "file.h"
#include "machine_file.h"
#include "search_home.h"

#include "base/replace.h"

#include "base/workers.h"

#include <inttypes.h>
#include <string.h>

/* A plain program runs on one rank as it is: what is slower is no plan, if one rank has the memory. */
static bool is_slower_than_one(struct finder *x, const struct played *one)
{
	const struct played *best = &x->played.at[x->best];
	if (!x->is_plain || !finder_fits_one(x, one) || best->ns < one->ns)
		return false;
	fprintf(stderr,
		"pmlc: no plan is faster than one rank, on which a step takes %s: the best, on %s, takes %s, of which "
		"a rank computes %s and sends or waits %s\n",
		report_ns_text(x->arena, one->ns), finder_mesh_text(x, best), report_ns_text(x->arena, best->ns),
		report_ns_text(x->arena, (int64_t)best->compute), report_ns_text(x->arena, (int64_t)best->talk));
	finder_note_imported(x);
	return true;
}

/* The best plan without a machine, and the plain program on one rank. */
static bool compare(struct finder *x)
{
	const struct drive *d = x->forms.at[0].drive;
	const struct source *source = &d->session->sources.at[d->ast->main->file];
	struct played by_bytes = {.texts = x->played.at[x->best].texts}, one = {.is_alone = true};
	struct file_text as_it_is = {source->path, source->bytes, source->size};
	struct played *list[] = {&by_bytes, &one};
	int first = x->compiles;
	vec_push(x->arena, &one.texts.all, as_it_is);
	finder_play_all(x, list + first, 1 + x->is_plain - first, !first);
	x->by_bytes = by_bytes.ns;
	return !is_slower_than_one(x, &one);
}

static int search_all(struct finder *x)
{
	finder_search(x, 0, 0);
	if (x->ways.all.n && !x->refused)
		finder_try_ways(x);
	else if (x->is_plain && !x->refused) {
		finder_try_stages(x);
		finder_try_remat(x);
	}
	if (x->best < 0 && x->cli->memory && !x->refused)
		finder_search_least(x);
	if (x->best < 0)
		return finder_report_nothing(x);
	if (!compare(x))
		return EXIT_NONE;
	if (x->is_apart)
		finder_note_imported(x);
	return EXIT_OK;
}

/* ---- the source ---- */

static struct drive *new_drive(const struct finder *x, const struct form *f)
{
	struct session *own = drive_session(x->session);
	own->options.searches = true;
	own->options.turns_apart = f->apart;
	own->options.opened.naxes = f->naxes;
	own->options.opened.imported = x->imported;
	own->options.opened.moves = f->texts && !f->naxes && x->is_plain;
	for (int a = 0; a < f->naxes; a++)
		own->options.opened.extent[a] = f->extent[a];
	for (int i = 0; f->texts && i < f->texts->all.n; i++)
		vec_push(own->arena, &own->options.texts, f->texts->all.at[i]);
	return drive_new(own, x->cli);
}

struct drive *finder_elaborate(const struct finder *x, const struct form *f)
{
	struct drive *d = new_drive(x, f);
	drive_elaborate(d);
	return d;
}

struct drive *finder_open(const struct finder *x, const struct form *f)
{
	struct drive *d = new_drive(x, f);
	drive_check(d);
	return d;
}

static bool has_open(const struct program *p)
{
	for (int i = 0; i < p->open.n; i++)
		if (p->open.at[i].searched)
			return true;
	return false;
}

/* Forms, and behind the last what stages are made of. */
struct opening {
	struct finder *finder;
	struct opened *opened;
	int n;
	const struct drive *plain; /* NULL: they are not asked for */
	struct arena *of_plain;
};

static void open_form(void *context, int i)
{
	const struct opening *of = context;
	struct opened *o = &of->opened[i];
	if (i == of->n) {
		of->finder->plain = finder_plain(of->finder, of->of_plain, of->plain);
		return;
	}
	o->arena = arena_new("search");
	o->drive = finder_open(of->finder, &o->form);
	if (!o->drive->session->errors)
		o->search = has_open(o->drive->program) ? search_new(o->arena, o->drive->program, of->finder->machine)
							: search_nothing(o->arena);
}

void finder_close_form(struct opened *o)
{
	if (o->drive) {
		session_free(o->drive->session);
		arena_free(o->arena);
	}
	o->drive = NULL;
	o->search = NULL;
	o->found = (struct search_result){.is_best = false};
}

/* "8 ranks, outer = 2, inner = 4" */
static const char *where_of(const struct finder *x, const struct opened *o)
{
	const struct place *place = search_opens(o->search) ? search_open(o->search, 0)->place : NULL;
	struct text t;
	text_init(&t, x->arena);
	text_printf(&t, "%" PRId64 " rank%s", o->drive->program->nranks, o->drive->program->nranks == 1 ? "" : "s");
	for (int a = 0; place && a < place->naxes && place->naxes > 1 && o->form.naxes; a++)
		text_printf(&t, ", %s = %" PRId64, place->axis[a], place->extent[a]);
	text_add(&t, o->form.what);
	return text_get(&t);
}

static void open_forms(struct finder *x, const struct forms *f, const struct drive *plain)
{
	struct opening of = {x, ARENA_ARRAY(x->arena, struct opened, f->all.n + 1), f->all.n, plain, NULL};
	for (int i = 0; i < f->all.n; i++)
		of.opened[i].form = f->all.at[i];
	if (plain) {
		of.of_plain = arena_new("stages");
		vec_push(x->arena, &x->kept, of.of_plain);
	}
	workers_run(f->all.n + (plain != NULL), open_form, &of);
	for (int i = 0; i < f->all.n; i++)
		if (of.opened[i].search) {
			of.opened[i].where = where_of(x, &of.opened[i]);
			vec_push(x->arena, &x->forms, of.opened[i]);
		} else {
			finder_close_form(&of.opened[i]);
		}
}

void finder_add(struct finder *x, const struct forms *f)
{
	open_forms(x, f, NULL);
}

/* Forms that have to compile: as the source says, or on a mesh; where the source is for some meshes alone, on these. */
static int add_all(struct finder *x, const struct forms *f, const struct drive *d)
{
	open_forms(x, f, x->is_plain && !x->ways.all.n ? d : NULL);
	if (x->forms.n == f->all.n || (x->forms.n && !x->is_plain))
		return EXIT_OK;
	int status = EXIT_OK;
	for (int i = 0; i < f->all.n && status == EXIT_OK; i++) {
		struct drive *form = finder_open(x, &f->all.at[i]);
		status = drive_finish(form);
		session_free(form->session);
	}
	return status;
}

static int add_forms(struct finder *x, const struct drive *d)
{
	struct forms all = {0};
	if (x->is_plain)
		finder_find_meshes(x, x->ranks, &all);
	else if (!finder_find_open_meshes(x, d, &all))
		return EXIT_ERRORS;
	const int *first = ARENA_ARRAY(x->arena, int, x->ways.all.n + 1);
	for (int i = 0; i < all.all.n; i++) {
		all.all.at[i].way = x->ways.all.n ? first : NULL;
		finder_write(x, &all.all.at[i]);
	}
	return add_all(x, &all, d);
}

static bool is_plain(const struct drive *d)
{
	for (int i = 0; i < d->ast->main->items.n && !d->program->open_ranks; i++) {
		const struct item *it = d->ast->main->items.at[i];
		if (it->kind == ITEM_PLACE || (item_is_slot(it) && it->type && it->type->placement))
			return false;
	}
	return d->program->source_ranks == 1;
}

/* Of a program without placements or with `auto(ranks(...))`, 0: all that the machine has; of another its own. */
static int64_t ranks_asked(const struct finder *x, const struct drive *d)
{
	if (!x->is_plain)
		return d->program->nranks;
	return d->program->open_ranks ? d->program->open_ranks : x->cli->nranks;
}

/* What cannot be searched, or not written; EXIT_OK: nothing stands in the way. */
static int refuse(const struct finder *x, const struct drive *d)
{
	const char *file = x->cli->file, *output = x->cli->output;
	int64_t ranks = ranks_asked(x, d), all = machine_ranks(x->machine);
	if (!x->compiles && output && x->cli->edit) {
		fprintf(stderr, "pmlc: -o %s: with --edit the source itself is written\n", output);
		return EXIT_USAGE;
	}
	if (!x->compiles && output && drive_is_source(d->session, output) && strcmp(output, file)) {
		fprintf(stderr, "pmlc: -o %s: this file is a source of the program\n", output);
		return EXIT_USAGE;
	}
	if (!x->compiles && output && file_is_folder(output) &&
	    is_same_file(x->arena, output, path_folder(x->arena, file))) {
		fprintf(stderr, "pmlc: -o %s: this is the program's folder; --edit writes what is there\n", output);
		return EXIT_USAGE;
	}
	if (ranks && x->cli->nranks && x->cli->nranks != ranks) {
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
	if (!x->is_plain && !has_open(d->program) && !d->program->ways.n && !x->compiles) {
		fprintf(stderr,
			"pmlc: %s: no param, state or `to` has the layout `auto`: there is nothing to choose; write "
			"`: auto` where one is open, `microbatch(auto)` or `remat(auto)`, or leave out `place`, `@` "
			"and "
			"`to`, and all is chosen\n",
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
	bool is_open = has_open(d->program) || d->program->ways.n;
	x->is_plain = is_plain(d) && (!x->compiles || d->program->open_ranks);
	x->is_plain &=
		!d->program->ways.n || ranks_asked(x, d) != 1; /* how it is computed is open on one rank as well */
	int status = refuse(x, d);
	if (status != EXIT_OK || (x->compiles && !x->is_plain && !is_open))
		return status;
	int64_t ranks = ranks_asked(x, d);
	x->imported &= !d->program->open_ranks; /* imported files know no placement of the one that imports them */
	if (x->is_plain && x->imported && !home_for_all(x->arena, d->ast)) {
		x->imported = false;
		x->is_apart = true;
	}
	x->ranks = ranks ? ranks : machine_ranks(x->machine);
	x->session->options.transfers =
		transfer_table_new(x->arena, x->machine, x->is_plain ? x->ranks : d->program->nranks);
	finder_find_ways(x);
	if (finder_combinations(x) < 0)
		return EXIT_ERRORS;
	status = add_forms(x, d);
	if (status == EXIT_OK && !x->ways.all.n && !has_open(x->forms.at[0].drive->program)) {
		fprintf(stderr,
			"pmlc: %s: there is no tensor that ranks could share: what gets a layout is params, states, "
			"and "
			"tensors that this file itself passes, binds, returns or multiplies\n",
			x->cli->file);
		finder_note_imported(x);
		return EXIT_ERRORS;
	}
	return status == EXIT_OK ? search_all(x) : status;
}

/* The source is read, and no more. */
static void begin(struct finder *x, struct session *s, const struct cli *cli)
{
	x->session = s;
	x->cli = cli;
	x->arena = s->arena;
	x->best = x->second = x->least = -1;
	x->machine = s->options.machine;
	x->imported = x->compiles || cli->edit || !cli->output || file_is_folder(cli->output);
	text_init(&x->said, x->arena);
	x->as_it_is = new_drive(x, &(struct form){.naxes = 0});
	x->as_it_is->ast = lang_load(x->as_it_is->session, cli->file);
}

/* Warnings of what is compiled are its own. */
static int find(struct finder *x)
{
	struct drive *d = x->as_it_is;
	int status = EXIT_OK;
	if (!drive_check(d) || !x->compiles)
		status = drive_finish(d);
	if (status == EXIT_OK && !machine_is_for(d->program, x->cli))
		status = EXIT_ERRORS;
	if (status == EXIT_OK) {
		finder_say(x, machine_corrections(x->arena, d->session));
		status = open_and_search(x, d);
	}
	return status;
}

int finder_find(struct finder *x, struct session *s, const struct cli *cli)
{
	begin(x, s, cli);
	return find(x);
}

void finder_close(struct finder *x)
{
	for (int i = 0; i < x->forms.n; i++)
		finder_close_form(&x->forms.at[i]);
	for (int i = 0; i < x->kept.n; i++)
		arena_free(x->kept.at[i]);
	if (x->as_it_is)
		session_free(x->as_it_is->session);
}

/* ---- what is compiled ---- */

static void take_texts(struct session *s, const struct file_texts *texts)
{
	for (int i = 0; i < texts->all.n; i++) {
		struct file_text text = texts->all.at[i];
		text.path = arena_strdup(s->arena, text.path);
		vec_push(s->arena, &s->options.texts, text);
	}
}

/* The best, and what is said of it. */
static struct kept found(struct finder *x)
{
	const struct played *best = &x->played.at[x->best];
	finder_note_ways(x);
	finder_say(x, arena_printf(x->arena, "pmlc: a step takes %s on `%s`; %s\n", report_ns_text(x->arena, best->ns),
				   x->machine->name, finder_proof(x)));
	return (struct kept){text_get(&x->said), best->texts};
}

int finder_resolve(struct session *s, const struct cli *cli)
{
	struct finder x = {.compiles = true};
	struct kept kept;
	int status = EXIT_OK;
	double since = drive_now();
	begin(&x, s, cli);
	const struct cache_key *key = x.as_it_is->session->errors ? NULL : finder_key(&x);
	bool is_kept = key && finder_find_kept(&x, key, &kept);
	if (is_kept) {
		fputs(kept.said, stderr);
		take_texts(s, &kept.texts);
	} else {
		status = find(&x);
		if (status == EXIT_OK && x.best >= 0) {
			kept = found(&x);
			take_texts(s, &kept.texts);
			finder_keep(&x, key, &kept);
		}
	}
	finder_close(&x);
	if (cli->time)
		fprintf(stderr, "%8.1f ms  search%s\n", (drive_now() - since) * 1e3, is_kept ? ", done before" : "");
	return status;
}
