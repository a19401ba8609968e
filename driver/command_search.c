/* command_search.c — `pmlc search`: layouts for what is `auto`, params and moves.
 *
 * Choices are made one after the other in the order of the source. What is not chosen yet is not judged (struct slot,
 * is_unknown; a `to` of LAYOUT_AUTO), so an error under some of the choices is one under all that complete them, and
 * none of these is looked at. What is legal as a whole is compiled and played on the machine as `pmlc simulate` does:
 * no part of the cost is guessed from parts. First each choice in turn is changed to what is best beside the others,
 * until no change of one helps; then all combinations are gone through. If they end before the tries do, the best is
 * the best of all there are. */
#include "commands.h"

#include "compiler/seconds/simulate.h"
#include "compiler/seconds/times.h"
#include "file.h"
#include "machine_file.h"
#include "variants.h"

#include <inttypes.h>
#include <string.h>

struct found {
	int64_t *number; /* by layout that is open */
	int64_t ns, memory;
	bool is_there;
};

struct search {
	struct session *session;
	const struct cli *cli;
	struct arena *arena;
	const struct machine *machine;
	const struct program *program; /* with nothing chosen */
	VEC(const struct open_layout *) open;
	int64_t *number; /* the present choices */
	struct found best, second;
	int64_t tried, legal, too_large, least_memory; /* tried: prefixes that were judged */
	bool stopped;
	const char *refused; /* by the machine: nothing can be timed */
};

static const char *layout_of(struct search *x, struct arena *a, int i, int64_t number)
{
	struct text t;
	struct layout l;
	text_init(&t, a);
	variant_layout(x->open.at[i], number, &l);
	layout_print(&t, x->open.at[i]->place, &l);
	return text_get(&t);
}

/* A session in which the first n choices are made. */
static struct drive *drive_with(struct search *x, int n, struct cli *cli)
{
	struct session *own = drive_session(x->session);
	own->options.searches = true;
	for (int i = 0; i < n; i++) {
		struct forced_layout f = {.name = arena_strdup(own->arena, x->open.at[i]->name),
					  .layout = layout_of(x, own->arena, i, x->number[i])};
		vec_push(own->arena, &own->options.layouts, f);
	}
	*cli = *x->cli;
	return drive_new(own, cli);
}

static bool is_legal(struct search *x, int n)
{
	struct cli cli;
	struct drive *d = drive_with(x, n, &cli);
	bool legal = drive_check(d);
	x->tried++;
	session_free(d->session);
	return legal;
}

static bool is_same(const struct search *x, const struct found *f)
{
	return f->is_there && !memcmp(f->number, x->number, sizeof *x->number * (size_t)x->open.n);
}

static void keep(struct search *x, struct found *f, int64_t ns, int64_t memory)
{
	memcpy(f->number, x->number, sizeof *x->number * (size_t)x->open.n);
	f->ns = ns;
	f->memory = memory;
	f->is_there = true;
}

/* The best, and the best of all others. Of equally good ones the first found stays. */
static void consider(struct search *x, int64_t ns, int64_t memory)
{
	if (is_same(x, &x->best) || is_same(x, &x->second))
		return;
	if (!x->best.is_there || ns < x->best.ns) {
		struct found old = x->second;
		x->second = x->best;
		x->best = old;
		keep(x, &x->best, ns, memory);
	} else if (!x->second.is_there || ns < x->second.ns) {
		keep(x, &x->second, ns, memory);
	}
}

/* All choices are made and legal: how long a step takes. */
static int64_t evaluate(struct search *x)
{
	struct cli cli;
	struct drive *d = drive_with(x, x->open.n, &cli);
	int64_t ns = INT64_MAX;
	x->legal++;
	if (drive_front(d, ELABORATE_MAIN, STAGE_NONE)) {
		struct arena *a = d->session->arena;
		const struct report *r = report_of(a, d->program);
		const struct play_options as_it_is = {.slow_rank = -1};
		const char *refused = times_refused(a, d->program, x->machine);
		int64_t memory = report_memory_most(r);
		bool fits = !x->cli->memory || memory <= x->cli->memory;
		x->least_memory = !x->least_memory || memory < x->least_memory ? memory : x->least_memory;
		x->too_large += !fits;
		x->refused = refused ? arena_strdup(x->arena, refused) : x->refused;
		if (!refused && fits) {
			ns = (int64_t)(simulate_step(a, d->program, r, x->machine, &as_it_is).ns + 0.5);
			consider(x, ns, memory);
		}
	}
	session_free(d->session);
	return ns;
}

/* Goes through all that begins with the first n choices; stops at the first whole one if `first`. */
static bool walk(struct search *x, int n, bool first)
{
	enum { PREFIXES = 10 }; /* that may be judged for each legal choice */
	struct layout l;
	x->stopped = x->stopped || (!first && x->legal >= x->cli->tries) || x->tried / PREFIXES >= x->cli->tries;
	if (x->stopped)
		return true;
	if (n == x->open.n) {
		evaluate(x);
		return first || x->refused;
	}
	for (int64_t k = 0; k < variant_layouts(x->open.at[n]); k++) {
		x->number[n] = k;
		if (variant_layout(x->open.at[n], k, &l) && is_legal(x, n + 1) && walk(x, n + 1, first))
			return true;
	}
	return false;
}

/* Changes one choice after the other for the better, from the best known, until none helps. */
static void descend(struct search *x)
{
	struct layout l;
	for (bool better = x->best.is_there; better && x->legal < x->cli->tries;) {
		int64_t before = x->best.ns;
		for (int i = 0; i < x->open.n; i++)
			for (int64_t k = 0; k < variant_layouts(x->open.at[i]) && x->legal < x->cli->tries; k++) {
				memcpy(x->number, x->best.number, sizeof *x->number * (size_t)x->open.n);
				x->number[i] = k;
				if (k != x->best.number[i] && variant_layout(x->open.at[i], k, &l) &&
				    is_legal(x, x->open.n))
					evaluate(x);
			}
		better = x->best.ns < before;
	}
}

/* ---- what comes of it ---- */

static void print_choices(struct text *t, struct search *x, const struct found *f)
{
	for (int i = 0; i < x->open.n; i++) {
		const struct open_layout *o = x->open.at[i];
		text_printf(t, "  %s at %s:%s: %s\n", o->slot, x->cli->file, o->name,
			    layout_of(x, x->arena, i, f->number[i]));
	}
}

static void print_found(struct text *t, struct search *x)
{
	text_printf(t, "a step takes %s on `%s`, a rank ", report_ns_text(x->arena, x->best.ns), x->machine->name);
	text_bytes(t, x->best.memory);
	text_add(t, ", with\n");
	print_choices(t, x, &x->best);
	if (x->second.is_there) {
		text_printf(t, "the next best takes %s, with\n", report_ns_text(x->arena, x->second.ns));
		for (int i = 0; i < x->open.n; i++)
			if (x->second.number[i] != x->best.number[i])
				text_printf(t, "  %s: %s\n", x->open.at[i]->slot,
					    layout_of(x, x->arena, i, x->second.number[i]));
	}
	if (x->stopped)
		text_printf(t,
			    "stopped after %" PRId64
			    " legal choices: no change of one layout is faster, changes of several may be\n",
			    x->legal);
	else
		text_add(t, "all legal choices were looked at: none is faster\n");
}

/* The source with what was found in the place of every `auto`. */
static bool write_source(struct search *x, const char *path)
{
	const struct source *source = &x->program->session->sources.at[x->open.at[0]->span.file];
	struct text t;
	uint32_t at = 0;
	text_init(&t, x->arena);
	while (at < source->size) {
		uint32_t next = source->size;
		int which = -1;
		for (int i = 0; i < x->open.n; i++)
			if (x->open.at[i]->span.begin >= at && x->open.at[i]->span.begin < next) {
				next = x->open.at[i]->span.begin;
				which = i;
			}
		text_add_n(&t, source->bytes + at, next - at);
		at = next;
		if (which < 0)
			break;
		text_add(&t, layout_of(x, x->arena, which, x->best.number[which]));
		at = x->open.at[which]->span.end;
	}
	return file_replace(x->arena, path, text_get(&t), t.n);
}

static int report_nothing(const struct search *x)
{
	if (x->refused) {
		fprintf(stderr, "pmlc: %s: %s\n", x->cli->machine, x->refused);
		return EXIT_ERRORS;
	}
	if (x->too_large)
		fprintf(stderr,
			"pmlc: no choice fits into %" PRId64 " bytes: the least that was found takes %" PRId64 "\n",
			x->cli->memory, x->least_memory);
	else
		fprintf(stderr, "pmlc: whatever is chosen for `auto`, the program is not legal: `pmlc check` with "
				"layouts in their place says why\n");
	return EXIT_NONE;
}

static int search(struct search *x)
{
	for (int i = 0; i < x->program->open.n; i++)
		if (x->program->open.at[i].slot)
			vec_push(x->arena, &x->open, &x->program->open.at[i]);
	if (!x->open.n) {
		fprintf(stderr, "pmlc: %s: no param, state or `to` has the layout `auto`: there is nothing to choose\n",
			x->cli->file);
		return EXIT_ERRORS;
	}
	x->number = ARENA_ARRAY(x->arena, int64_t, x->open.n);
	x->best.number = ARENA_ARRAY(x->arena, int64_t, x->open.n);
	x->second.number = ARENA_ARRAY(x->arena, int64_t, x->open.n);
	walk(x, 0, true);
	descend(x);
	if (!x->refused)
		walk(x, 0, false);
	if (!x->best.is_there)
		return report_nothing(x);
	struct text t;
	text_init(&t, x->arena);
	print_found(&t, x);
	fputs(text_get(&t), stdout);
	return !x->cli->output || write_source(x, x->cli->output) ? EXIT_OK : EXIT_ERRORS;
}

int command_search(struct session *s, const struct cli *cli)
{
	if (!cli->machine) {
		fprintf(stderr, "pmlc: `pmlc search` needs a machine: --machine=FILE.json (docs/machines.md)\n");
		return EXIT_USAGE;
	}
	struct search x = {
		.session = s, .cli = cli, .arena = s->arena, .machine = machine_of_file(s->arena, cli->machine)};
	if (!x.machine)
		return EXIT_ERRORS;
	struct session *own = drive_session(s);
	own->options.searches = true;
	struct drive *d = drive_new(own, cli);
	bool good = drive_check(d);
	if (good && cli->output && drive_is_source(own, cli->output) && strcmp(cli->output, cli->file)) {
		fprintf(stderr, "pmlc: -o %s: this file is a source of the program\n", cli->output);
		session_free(own);
		return EXIT_USAGE;
	}
	x.program = d->program;
	int status = drive_finish(d);
	if (good && status == EXIT_OK)
		status = search(&x);
	session_free(own);
	return good ? status : EXIT_ERRORS;
}
