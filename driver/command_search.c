/* command_search.c — `pmlc search`: layouts for what is `auto`, params, states and moves.
 *
 * compiler/search/ has the best plans by its cost model, with a bound. A plan is a text: the source with layouts in the
 * place of every `auto`. The best few are compiled and played on the machine as `pmlc simulate` does, and the one that
 * takes least there is written. The model knows of memory what it can without a plan, so its limit is put where the
 * plans that were compiled say that the real one is. */
#include "commands.h"

#include "compiler/search/search.h"
#include "compiler/seconds/simulate.h"
#include "compiler/seconds/times.h"
#include "file.h"
#include "machine_file.h"

#include <inttypes.h>
#include <string.h>

/* A plan as it is compiled. */
struct played {
	struct search_plan plan;
	struct file_text text;
	int64_t ns, memory; /* ns 0: it does not compile */
};

struct finder {
	struct session *session;
	const struct cli *cli;
	struct arena *arena;
	const struct machine *machine;
	struct drive *drive; /* of the source, with open layouts */
	struct search *search;
	struct search_result found; /* with the last limit of memory */
	VEC(struct played) played;
	int best, second;     /* among the plans played; -1: none fits */
	int64_t least_memory; /* of those that compile */
	const char *refused;  /* by the machine: nothing can be timed */
};

static const char *layout_text(const struct finder *x, const struct search_plan *p, int i)
{
	struct text t;
	text_init(&t, x->arena);
	layout_print(&t, search_open(x->search, i)->place, search_layout(x->search, i, p->number[i]));
	return text_get(&t);
}

/* The source with the plan's layouts in the place of every `auto`. */
static struct file_text text_of(const struct finder *x, const struct search_plan *p)
{
	const struct source *source = &x->drive->session->sources.at[search_open(x->search, 0)->span.file];
	struct text t;
	uint32_t at = 0;
	text_init(&t, x->arena);
	while (at < source->size) {
		uint32_t next = source->size;
		int which = -1;
		for (int i = 0; i < search_opens(x->search); i++) {
			uint32_t begin = search_open(x->search, i)->span.begin;
			if (begin >= at && begin < next) {
				next = begin;
				which = i;
			}
		}
		text_add_n(&t, source->bytes + at, next - at);
		at = next;
		if (which < 0)
			break;
		text_add(&t, layout_text(x, p, which));
		at = search_open(x->search, which)->span.end;
	}
	return (struct file_text){source->path, text_get(&t), t.n};
}

/* Compiles and plays a plan. */
static void play(struct finder *x, struct played *p)
{
	struct session *own = drive_session(x->session);
	const struct play_options as_it_is = {.slow_rank = -1};
	vec_push(own->arena, &own->options.texts, p->text);
	struct drive *d = drive_new(own, x->cli);
	if (drive_front(d, ELABORATE_MAIN, STAGE_NONE)) {
		const struct report *r = report_of(own->arena, d->program);
		const char *refused = times_refused(own->arena, d->program, x->machine);
		x->refused = refused ? arena_strdup(x->arena, refused) : x->refused;
		p->memory = report_memory_most(r);
		if (!refused)
			p->ns = (int64_t)(simulate_step(own->arena, d->program, r, x->machine, &as_it_is).ns + 0.5);
	}
	session_free(own);
}

static bool fits(const struct finder *x, const struct played *p)
{
	return p->ns && (!x->cli->memory || p->memory <= x->cli->memory);
}

/* Of equally good ones the first found stays. */
static void consider(struct finder *x, int i)
{
	const struct played *p = x->played.at;
	if (p[i].ns && (!x->least_memory || p[i].memory < x->least_memory))
		x->least_memory = p[i].memory;
	if (!fits(x, &p[i]))
		return;
	if (x->best < 0 || p[i].ns < p[x->best].ns) {
		x->second = x->best;
		x->best = i;
	} else if (x->second < 0 || p[i].ns < p[x->second].ns) {
		x->second = i;
	}
}

static bool is_played(const struct finder *x, const struct search_plan *p)
{
	for (int i = 0; i < x->played.n; i++)
		if (!memcmp(x->played.at[i].plan.number, p->number,
			    sizeof *p->number * (size_t)search_opens(x->search)))
			return true;
	return false;
}

static void play_all(struct finder *x)
{
	for (int i = 0; i < x->found.plans.n && !x->refused; i++) {
		struct played p = {.plan = x->found.plans.at[i]};
		if (is_played(x, &p.plan))
			continue;
		p.text = text_of(x, &p.plan);
		play(x, &p);
		vec_push(x->arena, &x->played, p);
		consider(x, x->played.n - 1);
	}
}

/* What the model's memory is to be at most so that a rank takes what it may: by the plan that was nearest. 0: nobody
 * knows. */
static int64_t next_limit(const struct finder *x)
{
	const struct played *least = NULL;
	for (int i = 0; i < x->played.n; i++) {
		const struct played *p = &x->played.at[i];
		if (p->ns && (!least || p->memory < least->memory))
			least = p;
	}
	if (!least)
		return 0;
	return (int64_t)((double)least->plan.memory * (double)x->cli->memory / (double)least->memory);
}

/* Plans that take less and less by the model, until one fits or there are none. */
static void search(struct finder *x)
{
	enum { ROUNDS = 6 };
	int64_t limit = 0;
	x->best = x->second = -1;
	for (int round = 0; round < ROUNDS && x->best < 0 && !x->refused; round++) {
		x->found = search_best(x->search, x->cli->tries, limit);
		play_all(x);
		if (!x->cli->memory || !x->found.plans.n)
			break;
		int64_t next = next_limit(x);
		limit = !limit || next < limit ? next : limit - limit / 10;
		if (limit <= 0)
			break;
	}
	if (x->best >= 0 || x->refused || !x->cli->memory)
		return;
	x->found = search_best(x->search, x->cli->tries, search_least_memory(x->search));
	play_all(x);
}

/* ---- what comes of it ---- */

static void print_found(struct text *t, struct finder *x)
{
	const struct played *best = &x->played.at[x->best], *second = x->second < 0 ? NULL : &x->played.at[x->second];
	double cost = x->found.plans.at[0].ns, bound = x->found.bound;
	int variables;
	int64_t entries;
	search_size(x->search, &variables, &entries);
	text_printf(t, "a step takes %s on `%s`, a rank ", report_ns_text(x->arena, best->ns), x->machine->name);
	text_bytes(t, best->memory);
	text_add(t, ", with\n");
	for (int i = 0; i < search_opens(x->search); i++) {
		const struct open_layout *o = search_open(x->search, i);
		text_printf(t, "  %s at %s:%s: %s\n", o->searched, x->cli->file, o->name,
			    layout_text(x, &best->plan, i));
	}
	if (second) {
		text_printf(t, "the next best takes %s, with\n", report_ns_text(x->arena, second->ns));
		for (int i = 0; i < search_opens(x->search); i++)
			if (second->plan.number[i] != best->plan.number[i])
				text_printf(t, "  %s: %s\n", search_open(x->search, i)->searched,
					    layout_text(x, &second->plan, i));
	}
	text_printf(
		t,
		"by the cost model the best takes %s, within %.1f %% of the best there is (bound %s, %d variables); "
		"%d plan%s played\n",
		report_ns_text(x->arena, (int64_t)(cost + 0.5)),
		cost > bound && !x->found.is_best ? 100 * (cost - bound) / cost : 0.0,
		report_ns_text(x->arena, (int64_t)(bound + 0.5)), variables, x->played.n, x->played.n == 1 ? "" : "s");
}

static int report_nothing(const struct finder *x)
{
	const char *refused = x->refused ? x->refused : search_refused(x->search);
	if (x->refused) {
		fprintf(stderr, "pmlc: %s: %s\n", x->cli->machine, refused);
		return EXIT_ERRORS;
	}
	if (refused) {
		fprintf(stderr, "pmlc: %s\n", refused);
		return EXIT_NONE;
	}
	if (x->least_memory && x->cli->memory)
		fprintf(stderr,
			"pmlc: no choice fits into %" PRId64 " bytes: the least that was found takes %" PRId64 "\n",
			x->cli->memory, x->least_memory);
	else
		fprintf(stderr, "pmlc: whatever is chosen for `auto`, the program is not legal: `pmlc check` with "
				"layouts in their place says why\n");
	return EXIT_NONE;
}

static int search_and_write(struct finder *x)
{
	x->search = search_new(x->arena, x->drive->program, x->machine);
	if (!search_opens(x->search)) {
		fprintf(stderr, "pmlc: %s: no param, state or `to` has the layout `auto`: there is nothing to choose\n",
			x->cli->file);
		return EXIT_ERRORS;
	}
	x->best = -1;
	if (!search_refused(x->search))
		search(x);
	if (x->best < 0)
		return report_nothing(x);
	struct text t;
	text_init(&t, x->arena);
	print_found(&t, x);
	fputs(text_get(&t), stdout);
	const struct file_text *text = &x->played.at[x->best].text;
	return !x->cli->output || file_replace(x->arena, x->cli->output, text->bytes, text->size) ? EXIT_OK
												  : EXIT_ERRORS;
}

int command_search(struct session *s, const struct cli *cli)
{
	if (!cli->machine) {
		fprintf(stderr, "pmlc: `pmlc search` needs a machine: --machine=FILE.json (docs/machines.md)\n");
		return EXIT_USAGE;
	}
	struct finder x = {
		.session = s, .cli = cli, .arena = s->arena, .machine = machine_of_file(s->arena, cli->machine)};
	if (!x.machine)
		return EXIT_ERRORS;
	struct session *own = drive_session(s);
	own->options.searches = true;
	x.drive = drive_new(own, cli);
	bool good = drive_check(x.drive);
	int status = drive_finish(x.drive);
	if (good && cli->output && drive_is_source(own, cli->output) && strcmp(cli->output, cli->file)) {
		fprintf(stderr, "pmlc: -o %s: this file is a source of the program\n", cli->output);
		status = EXIT_USAGE;
	} else if (good && machine_ranks(x.machine) < x.drive->program->nranks) {
		fprintf(stderr, "pmlc: %s: the machine has %" PRId64 " ranks, and the program %" PRId64 "\n",
			cli->machine, machine_ranks(x.machine), x.drive->program->nranks);
		status = EXIT_ERRORS;
	} else if (good) {
		compiler_simplify(x.drive->program);
		status = search_and_write(&x);
	}
	session_free(own);
	return status;
}
