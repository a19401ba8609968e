/* command_simulate.c — `pmlc simulate`: a step of a program on all ranks of a machine, with a timeline, and what would
 * be if a rank were slower or links were faster. */
#include "commands.h"

#include "compiler/report/table.h"
#include "compiler/seconds/replay.h"
#include "compiler/seconds/times.h"
#include "file.h"
#include "machine_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *percent(struct arena *a, double part, double whole)
{
	return arena_printf(a, "%.1f %%", whole > 0 ? 100 * part / whole : 0.0);
}

static const char *ns_text(struct arena *a, double ns)
{
	return report_ns_text(a, (int64_t)(ns + 0.5));
}

/* Ranks that idle least and most, and the mean. */
static void print_idle(struct text *t, struct arena *a, const struct simulation *s)
{
	int least = 0, most = 0;
	double sum = 0;
	for (int r = 0; r < s->nranks; r++) {
		least = s->busy[r] > s->busy[least] ? r : least;
		most = s->busy[r] < s->busy[most] ? r : most;
		sum += s->busy[r];
	}
	text_printf(t, "  ranks idle %s of it on average, least rank %d (%s), most rank %d (%s)\n",
		    percent(a, s->ns - sum / s->nranks, s->ns), least, percent(a, s->ns - s->busy[least], s->ns), most,
		    percent(a, s->ns - s->busy[most], s->ns));
}

static void print_links(struct text *t, struct arena *a, const struct machine *m, const struct simulation *s)
{
	struct table rows = {.right = 0x1e};
	TABLE_ROW(a, &rows, "links", "messages", "bytes", "busy", "busiest", "");
	for (int i = 0; i < s->links.n; i++) {
		const struct play_use *x = &s->links.at[i];
		if (!x->messages)
			continue;
		TABLE_ROW(a, &rows, x->level ? m->networks.at[x->level - 1].name : "within hosts",
			  count_text(a, (int64_t)x->messages), bytes_text(a, (int64_t)x->bytes),
			  percent(a, x->mean, s->ns), percent(a, x->most, s->ns),
			  arena_printf(a, "%s %d",
				       x->level == 0   ? "rank"
				       : x->level == 1 ? "host"
						       : "group",
				       x->unit));
	}
	if (rows.cells.n > rows.columns)
		table_print(t, &rows, "  ");
}

static void print_simulation(struct text *t, struct arena *a, const struct machine *m, const struct simulation *s)
{
	text_printf(t, "  a step takes %s\n", ns_text(a, s->ns));
	if (s->is_mean)
		text_printf(t, "  %s\n", report_mean);
	print_idle(t, a, s);
	print_links(t, a, m, s);
}

static void print_json(struct text *t, const struct program *p, const struct machine *m, const struct simulation *s,
		       const struct simulation *other)
{
	text_add(t, "{\"program\": ");
	text_json(t, p->name);
	text_add(t, ", \"machine\": ");
	text_json(t, m->name);
	text_printf(t, ", \"ranks\": %d, \"ns\": %.0f", s->nranks, s->ns);
	if (other)
		text_printf(t, ", \"ns_otherwise\": %.0f", other->ns);
	text_add(t, ",\n \"links\": [");
	for (int i = 0; i < s->links.n; i++) {
		const struct play_use *x = &s->links.at[i];
		text_printf(t,
			    "%s\n  {\"level\": %d, \"messages\": %.0f, \"bytes\": %.0f, \"busy\": %.0f, \"busiest\": "
			    "%.0f, \"unit\": %d}",
			    i ? "," : "", x->level, x->messages, x->bytes, x->mean, x->most, x->unit);
	}
	text_add(t, "\n ],\n \"busy\": [");
	for (int r = 0; r < s->nranks; r++)
		text_printf(t, "%s%.0f", r ? ", " : "", s->busy[r]);
	text_add(t, "]}\n");
}

/* "3:1.5": rank 3 takes 1.5 times as long. */
static bool read_slow(const char *word, int64_t nranks, struct play_options *o)
{
	char *end;
	long rank = strtol(word, &end, 10);
	double factor = *end == ':' && end > word ? strtod(end + 1, &end) : 0;
	if (*end || rank < 0 || rank >= nranks || !(factor >= 0.01 && factor <= 1e6)) {
		fprintf(stderr,
			"pmlc: --slow=%s: expected RANK:FACTOR with a rank below %lld and a factor from 0.01 to "
			"1000000, as in --slow=3:1.5\n",
			word, (long long)nranks);
		return false;
	}
	o->slow_rank = (int32_t)rank;
	o->slow_factor = factor;
	return true;
}

static void scale(struct curve *c, double factor)
{
	for (int i = 0; i < c->points.n; i++)
		c->points.at[i].rate *= factor;
}

static void scale_link(struct machine_link *l, double factor)
{
	scale(&l->rate, factor);
	if (l->shared_memory)
		scale(&l->shared_memory->rate, factor);
}

/* "2": all links; "10 Gbit Ethernet:2": those of the network of this name; "host:2": those within hosts. */
static bool read_bandwidth(const char *word, struct machine *m)
{
	const char *colon = strrchr(word, ':'), *number = colon ? colon + 1 : word;
	size_t n = colon ? (size_t)(colon - word) : 0;
	char *end;
	double factor = strtod(number, &end);
	bool found = !colon, within = !colon || (n == 4 && !strncmp(word, "host", n));
	if (!*number || *end || !(factor >= 1e-6 && factor <= 1e6)) {
		fprintf(stderr, "pmlc: --bandwidth=%s: expected a factor from 0.000001 to 1000000, or NETWORK:FACTOR\n",
			word);
		return false;
	}
	for (int i = 0; i < m->hosts.n && within; i++)
		scale_link(&m->hosts.at[i].link, factor);
	for (int i = 0; i < m->networks.n; i++) {
		const char *name = m->networks.at[i].name;
		if (colon && (strlen(name) != n || strncmp(name, word, n)))
			continue;
		scale_link(&m->networks.at[i].link, factor);
		found = true;
	}
	if (!found && !within)
		fprintf(stderr,
			"pmlc: --bandwidth=%s: the machine has no network `%.*s`; links within hosts are `host`\n",
			word, (int)n, word);
	return found || within;
}

static bool write_trace(struct arena *a, const char *path, const struct program *p, const struct simulation *s)
{
	struct text t;
	text_init(&t, a);
	simulate_trace(&t, p, s);
	return file_replace(a, path, text_get(&t), t.n);
}

static bool write_in(struct arena *a, const char *dir, const char *name, const struct text *t)
{
	return file_replace(a, arena_printf(a, "%s/%s", dir, name), text_get(t), t->n);
}

/* DIR/platform.xml, DIR/hosts, and of region i of the step DIR/i.trace and DIR/i, which names it: what `smpirun
 * -replay` takes. */
static bool write_replay(struct arena *a, const char *dir, const struct machine *m, const struct simulation *s)
{
	struct text platform, hosts;
	if (mkdir(dir, 0777) && errno != EEXIST) {
		fprintf(stderr, "pmlc: %s: %s\n", dir, strerror(errno));
		return false;
	}
	text_init(&platform, a);
	text_init(&hosts, a);
	replay_platform(&platform, m, s->nranks);
	replay_hosts(&hosts, s->nranks);
	bool good = write_in(a, dir, "platform.xml", &platform) && write_in(a, dir, "hosts", &hosts);
	for (int i = 0; good && i < s->regions.n; i++) {
		const struct simulated *one = &s->regions.at[i];
		const char *name = arena_printf(a, "%d.trace", i + 1);
		struct text trace, list;
		text_init(&trace, a);
		text_init(&list, a);
		replay_trace(&trace, one->play);
		text_printf(&list, "%s/%s\n", dir, name);
		good = write_in(a, dir, name, &trace) && write_in(a, dir, arena_printf(a, "%d", i + 1), &list);
		if (good)
			printf("%s/%d: %.9f s, %g a step\n", dir, i + 1, one->play->end / 1e9, one->times);
	}
	return good;
}

/* SMPI has a processor for each rank. */
static bool may_replay(const struct machine *m, const struct cli *cli)
{
	for (int i = 0; cli->replay && i < m->hosts.n; i++)
		if (machine_crowd(&m->hosts.at[i]) > 1) {
			fprintf(stderr, "pmlc: --replay: ranks of `%s` share processors, which SMPI's do not\n",
				m->name);
			return false;
		}
	return true;
}

static int simulate(struct arena *a, const struct program *p, const struct cli *cli)
{
	const struct machine *m = p->session->options.machine;
	struct machine *other = machine_copy(a, m); /* that --bandwidth changes */
	struct play_options as_it_is = {.slow_rank = -1, .spans = cli->trace, .acts = cli->replay}, o = as_it_is;
	const char *refused = times_refused(a, p, m);
	if (refused)
		fprintf(stderr, "pmlc: %s: %s\n", cli->machine, refused);
	if (refused || !machine_is_for(p, cli) || !may_replay(m, cli))
		return EXIT_ERRORS;
	fputs(machine_corrections(a, p->session), stderr);
	if ((cli->slow && !read_slow(cli->slow, p->nranks, &o)) ||
	    (cli->bandwidth && !read_bandwidth(cli->bandwidth, other)))
		return EXIT_USAGE;
	const struct report *r = report_of(a, p);
	bool differs = cli->slow || cli->bandwidth;
	struct simulation plain = simulate_step(a, p, r, m, &as_it_is), changed = {0};
	if (differs)
		changed = simulate_step(a, p, r, other, &o);
	struct text t;
	text_init(&t, a);
	if (cli->json) {
		print_json(&t, p, m, &plain, differs ? &changed : NULL);
	} else {
		text_printf(&t, "%s: %lld %s on `%s`\n", p->name, (long long)p->nranks,
			    p->nranks == 1 ? "rank" : "ranks", m->name);
		print_simulation(&t, a, m, &plain);
	}
	if (differs && !cli->json) {
		text_printf(&t, "with%s%s%s%s: %.3f times as long\n", cli->slow ? " --slow=" : "",
			    cli->slow ? cli->slow : "", cli->bandwidth ? " --bandwidth=" : "",
			    cli->bandwidth ? cli->bandwidth : "", plain.ns > 0 ? changed.ns / plain.ns : 1.0);
		print_simulation(&t, a, other, &changed);
	}
	fputs(text_get(&t), stdout);
	if (cli->replay && !write_replay(a, cli->replay, differs ? other : m, differs ? &changed : &plain))
		return EXIT_ERRORS;
	return !cli->trace || write_trace(a, cli->trace, p, differs ? &changed : &plain) ? EXIT_OK : EXIT_ERRORS;
}

int command_simulate(struct session *s, const struct cli *cli)
{
	if (!cli->machine) {
		fprintf(stderr, "pmlc: `pmlc simulate` needs a machine: --machine=FILE.json (docs/machines.md)\n");
		return EXIT_USAGE;
	}
	struct drive *d = drive_new(s, cli);
	bool ok = drive_front(d, ELABORATE_MAIN, STAGE_NONE);
	if (cli->trace && ok && drive_is_source(s, cli->trace)) {
		fprintf(stderr, "pmlc: --trace=%s: this file is a source of the program\n", cli->trace);
		return EXIT_USAGE;
	}
	int status = drive_finish(d);
	return ok && status == EXIT_OK ? simulate(s->arena, d->program, cli) : EXIT_ERRORS;
}
