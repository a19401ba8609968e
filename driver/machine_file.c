/* machine_file.c — see machine_file.h. */
#include "machine_file.h"

#include "compiler/report/report.h"
#include "compiler/report/table.h"
#include "file.h"

#include <stdio.h>

static struct machine *machine_of_file(struct arena *a, const char *path)
{
	size_t n;
	const char *error = NULL, *text = file_text(a, path, &n);
	struct machine *m = text ? machine_read(a, text, n, &error) : NULL;
	if (text && !m)
		fprintf(stderr, "pmlc: %s: %s\n", path, error);
	return m;
}

static const struct corrected *correct(struct arena *a, const struct machine *m, const char *path)
{
	size_t n;
	const char *error = NULL, *text = file_text(a, path, &n);
	const struct measured *by = text ? measured_read(a, text, n, &error) : NULL;
	const struct corrected *x = by ? machine_correct(a, m, by, &error) : NULL;
	if (text && !x)
		fprintf(stderr, "pmlc: --profile-use=%s: %s\n", path, error);
	return x;
}

bool machine_of_cli(struct session *s, const struct cli *cli)
{
	if (cli->profile && !cli->machine) {
		fprintf(stderr,
			"pmlc: --profile-use=%s corrects a machine: --machine=FILE.json says which "
			"(docs/machines.md)\n",
			cli->profile);
		return false;
	}
	if (cli->machine && !(s->options.machine = machine_of_file(s->arena, cli->machine)))
		return false;
	if (cli->profile && !(s->options.corrected = correct(s->arena, s->options.machine, cli->profile)))
		return false;
	s->options.machine = s->options.corrected ? s->options.corrected->machine : s->options.machine;
	return true;
}

static const char *ns_text(struct arena *a, double ns)
{
	return report_ns_text(a, (int64_t)(ns + 0.5));
}

bool machine_is_for(const struct program *p, const struct cli *cli)
{
	const struct corrected *x = p->session->options.corrected;
	if (!x || x->by->tensors == program_tensors(p))
		return true;
	fprintf(stderr,
		"pmlc: --profile-use=%s: this is what a run of `%s` took, whose params and states are not those of "
		"`%s`\n",
		cli->profile, x->by->name, cli->file);
	return false;
}

const char *machine_corrections(struct arena *a, const struct session *s)
{
	const struct corrected *x = s->options.corrected;
	struct table rows = {.right = 0x3c};
	struct text t;
	if (!x)
		return "";
	TABLE_ROW(a, &rows, "", "", "measured", "by the file", "corrected", "");
	for (int i = 0; i < x->rows.n; i++) {
		const struct correction *c = &x->rows.at[i];
		TABLE_ROW(a, &rows, c->what, c->where, ns_text(a, c->measured), ns_text(a, c->predicted),
			  ns_text(a, c->corrected), arena_printf(a, "x %.2f", c->corrected / c->predicted));
	}
	text_init(&t, a);
	text_printf(&t, "pmlc: `%s`, corrected by a run on %lld %s (all calls of all ranks):\n", x->machine->name,
		    (long long)x->by->ranks, x->by->ranks == 1 ? "rank" : "ranks");
	table_print(&t, &rows, "  ");
	return text_get(&t);
}
