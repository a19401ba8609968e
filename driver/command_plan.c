/* command_plan.c — `pmlc plan`: print, store and check a budget, compare two plans. */
#include "commands.h"

#include "base/replace.h"
#include "compiler/report/report.h"
#include "compiler/seconds/times.h"
#include "file.h"
#include "machine_file.h"

#include <stdio.h>
#include <string.h>

/* False after a message. */
static bool add_times(struct report *r, const struct program *p, const struct cli *cli)
{
	const struct play_options as_it_is = {.slow_rank = -1, .spans = true};
	const struct machine *m = p->session->options.machine;
	const char *refused = times_refused(r->arena, p, m);
	if (refused)
		fprintf(stderr, "pmlc: %s: %s\n", cli->machine, refused);
	else
		times_add(r, p, m, &as_it_is);
	return !refused;
}

/* By element type: whether the program multiplies matrices of it, and those of f32 whose elements it rounds to it. */
struct products {
	bool stored[DT_COUNT], rounded[DT_COUNT];
};

static void find_products(const struct program *p, struct products *x)
{
	for (int i = 0; i < p->roles.n; i++)
		for (int r = 0; r < p->regions.n; r++) {
			const struct plan *plan = p->roles.at[i]->plans[r];
			for (int k = 0; plan && k < plan->steps.n; k++) {
				const struct plan_step *s = &plan->steps.at[k];
				if (s->kind == STEP_GEMM && !s->gemm->exact)
					x->stored[s->gemm->type] = x->rounded[s->gemm->factors] = true;
			}
		}
}

/* Narrow types that gain no time in products on the processor that the program is for. */
static void print_slow_products(struct text *t, const struct session *s, const struct products *x)
{
	static const enum dtype narrow[] = {DT_BF16, DT_F16};
	for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++) {
		enum dtype type = narrow[i];
		if ((!x->stored[type] && !x->rounded[type]) || (type == DT_BF16 && s->options.multiplies_bf16))
			continue;
		if (x->stored[type])
			text_printf(t,
				    "products of %s are widened to f32: this processor has nothing faster for them, "
				    "they save "
				    "memory and bytes sent, not time\n",
				    dtype_text(type));
		if (x->rounded[type])
			text_printf(t,
				    "products in `mixed %s` are of f32 rounded to it: this processor has nothing "
				    "faster for them\n",
				    dtype_text(type));
	}
}

/* The plan of the program `file`; NULL after messages. multiplies: may be NULL. */
static struct report *plan_program(struct session *s, const struct cli *cli, struct products *multiplies)
{
	struct drive *d = drive_new(s, cli);
	bool ok = drive_front(d, ELABORATE_MAIN, STAGE_NONE);
	drive_finish(d);
	ok = ok && machine_is_for(d->program, cli);
	if (ok)
		fputs(machine_corrections(s->arena, s), stderr);
	struct report *r = ok ? report_of(s->arena, d->program) : NULL;
	if (r && multiplies)
		find_products(d->program, multiplies);
	return r && cli->machine && !add_times(r, d->program, cli) ? NULL : r;
}

/* A stored plan, or that of a program; NULL after messages. Every program is compiled in a session of its own. */
static struct report *plan_of(struct arena *a, const struct session *s, const struct cli *cli, const char *file)
{
	if (!path_ends_with(file, ".pml")) {
		size_t n;
		const char *error, *text = file_text(a, file, &n);
		struct report *r = text ? report_read(a, text, n, &error) : NULL;
		if (text && !r)
			fprintf(stderr, "pmlc: %s: %s\n", file, error);
		return r;
	}
	struct session *own = drive_session(s);
	struct cli one = *cli;
	one.file = file;
	struct report *r = plan_program(own, &one, NULL), *copy = NULL;
	if (r) {
		struct text t;
		const char *error;
		text_init(&t, a);
		report_print_json(&t, r);
		copy = report_read(a, text_get(&t), t.n, &error);
	}
	session_free(own);
	return copy;
}

static int diff(struct session *s, const struct cli *cli)
{
	struct report *a = plan_of(s->arena, s, cli, cli->file), *b = a ? plan_of(s->arena, s, cli, cli->other) : NULL;
	if (!a || !b)
		return EXIT_ERRORS;
	struct text t;
	text_init(&t, s->arena);
	report_diff(&t, a, b);
	fputs(text_get(&t), stdout);
	return EXIT_OK;
}

static int check_budget(struct session *s, const struct cli *cli, const struct report *r)
{
	size_t n;
	const char *error, *budget = file_text(s->arena, cli->budget, &n);
	struct text t;
	if (!budget)
		return EXIT_ERRORS;
	text_init(&t, s->arena);
	bool fits = report_check_budget(&t, r, budget, cli->file, &error);
	if (error)
		fprintf(stderr, "pmlc: %s: %s\n", cli->budget, error);
	fputs(text_get(&t), stderr);
	if (!fits && !error)
		fprintf(stderr, "%s is the budget; if the bytes are meant: pmlc plan --write-budget=%s %s\n",
			cli->budget, cli->budget, cli->file);
	return fits ? EXIT_OK : EXIT_ERRORS;
}

/* What a plan under --reproducible sends and holds, against that of the same program without. */
static bool print_price(struct text *t, struct session *s, const struct cli *cli, const struct report *r)
{
	struct session *own = drive_session(s);
	own->options.reproducible = false;
	struct report *plain = plan_program(own, cli, NULL);
	text_add(t, "\nthe price of --reproducible: the same program without it has\n");
	for (int w = 0; plain && w < REPORT_WHENS; w++) {
		struct report_total with = report_total(r, w, REPORT_PHASES, NULL);
		struct report_total without = report_total(plain, w, REPORT_PHASES, NULL);
		if (!with.transfers && !without.transfers)
			continue;
		text_printf(t, "  %s: ", report_when_text(w));
		text_bytes(t, without.bytes);
		text_printf(t, " in %lld transfers, not ", (long long)without.transfers);
		text_bytes(t, with.bytes);
		text_printf(t, " in %lld\n", (long long)with.transfers);
	}
	if (plain) {
		text_add(t, "  memory of a rank: ");
		text_bytes(t, report_memory_most(plain));
		text_add(t, ", not ");
		text_bytes(t, report_memory_most(r));
		text_add(t, "\n");
	}
	session_free(own);
	return plain != NULL;
}

int command_plan(struct session *s, const struct cli *cli)
{
	if (cli->diff)
		return diff(s, cli);
	struct products multiplies = {0};
	struct report *r = plan_program(s, cli, &multiplies);
	if (!r)
		return EXIT_ERRORS;
	struct text t;
	text_init(&t, s->arena);
	if (cli->write_budget) {
		if (drive_is_source(s, cli->write_budget)) {
			fprintf(stderr, "pmlc: --write-budget=%s: this file is a source of the program\n",
				cli->write_budget);
			return EXIT_USAGE;
		}
		report_write_budget(&t, r);
		return file_replace(s->arena, cli->write_budget, text_get(&t), t.n) ? EXIT_OK : EXIT_ERRORS;
	}
	(cli->json ? report_print_json : report_print)(&t, r);
	if (!cli->json)
		print_slow_products(&t, s, &multiplies);
	if (s->options.reproducible && !cli->json && !print_price(&t, s, cli, r))
		return EXIT_ERRORS;
	fputs(text_get(&t), stdout);
	return cli->budget ? check_budget(s, cli, r) : EXIT_OK;
}
