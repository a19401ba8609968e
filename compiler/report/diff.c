/* diff.c — two reports side by side. Transfers are matched by what they do (phase, tensor, kind, layouts), then
 * by the tensor alone: what changed in between is shown as a change, not as one removed and one added. */
#include "report.h"
#include "table.h"

#include <inttypes.h>
#include <string.h>

struct match {
	struct arena *arena;
	const struct report *a, *b;
	int *of_a, *of_b; /* by transfer: the other's number, or -1 */
};

static bool same_text(const char *x, const char *y)
{
	return !strcmp(x, y);
}

static enum report_when when_of(const struct report *r, const struct report_transfer *x)
{
	return r->regions.at[x->region].runs.when;
}

/* How alike: 2 the same movement, 1 another movement of the same tensor, 0 nothing in common. */
static int alike(const struct match *m, int i, int k)
{
	const struct report_transfer *x = &m->a->transfers.at[i], *y = &m->b->transfers.at[k];
	if (x->phase != y->phase || when_of(m->a, x) != when_of(m->b, y) || !same_text(x->tensor, y->tensor))
		return 0;
	return same_text(x->kind, y->kind) && same_text(x->from, y->from) && same_text(x->to, y->to) ? 2 : 1;
}

static void match_alike(struct match *m, int least)
{
	for (int i = 0; i < m->a->transfers.n; i++)
		for (int k = 0; m->of_a[i] < 0 && k < m->b->transfers.n; k++)
			if (m->of_b[k] < 0 && alike(m, i, k) >= least) {
				m->of_a[i] = k;
				m->of_b[k] = i;
			}
}

static const char *bytes_change(struct arena *a, int64_t from, int64_t to)
{
	if (from == to)
		return bytes_text(a, from);
	return arena_printf(a, "%s -> %s", bytes_text(a, from), bytes_text(a, to));
}

static const char *text_change(struct arena *a, const char *from, const char *to)
{
	return same_text(from, to) ? from : arena_printf(a, "%s -> %s", from, to);
}

static const char *line_text(struct arena *a, const struct report_transfer *x)
{
	return x->line ? arena_printf(a, "%s:%d", x->file, x->line) : "";
}

static void add_row(struct arena *a, struct table *t, const char *sign, const struct report *r,
		    const struct report_transfer *x)
{
	TABLE_ROW(a, t, sign, report_when_text(when_of(r, x)), report_phase_text(x->phase), x->kind, x->tensor, x->type,
		  x->from, x->to, bytes_text(a, x->sent_max), bytes_text(a, x->bytes), line_text(a, x));
}

static bool differs(const struct report_transfer *x, const struct report_transfer *y)
{
	return x->sent_max != y->sent_max || x->received_max != y->received_max || x->bytes != y->bytes ||
	       x->turns != y->turns || !same_text(x->kind, y->kind) || !same_text(x->type, y->type) ||
	       !same_text(x->from, y->from) || !same_text(x->to, y->to);
}

static void add_change(struct arena *a, struct table *t, const struct match *m, int i)
{
	const struct report_transfer *x = &m->a->transfers.at[i], *y = &m->b->transfers.at[m->of_a[i]];
	if (!differs(x, y))
		return;
	TABLE_ROW(a, t, "~", report_when_text(when_of(m->b, y)), report_phase_text(y->phase),
		  text_change(a, x->kind, y->kind), y->tensor, text_change(a, x->type, y->type),
		  text_change(a, x->from, y->from), text_change(a, x->to, y->to),
		  bytes_change(a, x->sent_max, y->sent_max), bytes_change(a, x->bytes, y->bytes), line_text(a, y));
}

static bool print_transfers(struct text *out, const struct match *m)
{
	struct arena *a = m->arena;
	struct table t = {.right = 1 << 8 | 1 << 9};
	TABLE_ROW(a, &t, "", "when", "phase", "kind", "tensor", "type", "from", "to", "sent", "in all", "source");
	int header = t.cells.n;
	for (int i = 0; i < m->a->transfers.n; i++)
		if (m->of_a[i] < 0)
			add_row(a, &t, "-", m->a, &m->a->transfers.at[i]);
		else
			add_change(a, &t, m, i);
	for (int k = 0; k < m->b->transfers.n; k++)
		if (m->of_b[k] < 0)
			add_row(a, &t, "+", m->b, &m->b->transfers.at[k]);
	if (t.cells.n == header)
		return false;
	text_add(out, "transfers (- only in the first, + only in the second, ~ changed)\n");
	table_print(out, &t, "  ");
	return true;
}

static const char *share(struct arena *a, int64_t from, int64_t to)
{
	if (from == to)
		return "";
	return from ? arena_printf(a, "%+.1f %%", 100 * ((double)to - (double)from) / (double)from) : "new";
}

static void change_row(struct arena *a, struct table *t, const char *what, int64_t from, int64_t to, bool bytes)
{
	if (from != to)
		TABLE_ROW(a, t, what, (bytes ? bytes_text : count_text)(a, from), "->",
			  (bytes ? bytes_text : count_text)(a, to), share(a, from, to));
}

static void total_rows(struct table *t, const struct match *m, enum report_when when, enum report_phase phase,
		       const char *name)
{
	struct arena *a = m->arena;
	struct report_total x = report_total(m->a, when, phase, NULL), y = report_total(m->b, when, phase, NULL);
	const char *w = report_when_text(when);
	change_row(a, t, arena_printf(a, "%s, %s: sent by one rank", w, name), x.sent_max, y.sent_max, true);
	change_row(a, t, arena_printf(a, "%s, %s: received by one rank", w, name), x.received_max, y.received_max,
		   true);
	change_row(a, t, arena_printf(a, "%s, %s: sent in all", w, name), x.bytes, y.bytes, true);
}

static const struct report_role *role_named(const struct report *r, const char *name)
{
	for (int i = 0; i < r->roles.n; i++)
		if (same_text(r->roles.at[i].name, name))
			return &r->roles.at[i];
	return NULL;
}

static void memory_rows(struct table *t, const struct match *m)
{
	static const struct report_role none;
	struct arena *a = m->arena;
	for (int pass = 0; pass < 2; pass++) {
		const struct report *r = pass ? m->b : m->a;
		for (int i = 0; i < r->roles.n; i++) {
			const char *name = r->roles.at[i].name;
			const struct report_role *x = role_named(m->a, name), *y = role_named(m->b, name);
			if (pass && x)
				continue;
			const struct report_memory *p = &(x ? x : &none)->memory, *q = &(y ? y : &none)->memory;
			const char *of = *name ? arena_printf(a, "memory of `%s`", name) : "memory";
			change_row(a, t, arena_printf(a, "%s: parameters", of), p->parameters, q->parameters, true);
			change_row(a, t, arena_printf(a, "%s: state", of), p->state, q->state, true);
			change_row(a, t, arena_printf(a, "%s: values", of), p->values, q->values, true);
			change_row(a, t, arena_printf(a, "%s: arena", of), p->arena, q->arena, true);
			change_row(a, t, arena_printf(a, "%s: staging", of), p->staging, q->staging, true);
			change_row(a, t, arena_printf(a, "%s: windows", of), p->windows, q->windows, true);
			change_row(a, t, arena_printf(a, "%s: in all", of), report_memory_all(p), report_memory_all(q),
				   true);
		}
	}
}

/* Over all regions that run in a step: what stands at a line of the source takes of a rank's time. */
static int64_t line_ns(const struct report *r, const char *file, int line)
{
	int64_t ns = 0;
	for (int i = 0; i < r->line_times.n; i++) {
		const struct report_line_times *x = &r->line_times.at[i];
		const struct report_runs *runs = &r->regions.at[x->region].runs;
		if (x->line == line && same_text(x->file, file))
			ns += (int64_t)((double)(x->mean.compute + x->mean.talk + x->mean.wait) * report_share(runs) +
					0.5);
	}
	return ns;
}

static void time_row(struct arena *a, struct table *t, const char *what, int64_t from, int64_t to)
{
	if (from != to)
		TABLE_ROW(a, t, what, report_ns_text(a, from), "->", report_ns_text(a, to), share(a, from, to));
}

/* Lines are the same where file and number are: of another program they are shown one by one. */
static void time_rows(struct table *t, const struct match *m)
{
	struct arena *a = m->arena;
	for (int w = 0; w < REPORT_WHENS; w++)
		time_row(a, t, arena_printf(a, "%s: time", report_when_text((enum report_when)w)),
			 report_ns(m->a, (enum report_when)w), report_ns(m->b, (enum report_when)w));
	for (int pass = 0; pass < 2; pass++) {
		const struct report *r = pass ? m->b : m->a;
		for (int i = 0; i < r->line_times.n; i++) {
			const struct report_line_times *x = &r->line_times.at[i];
			bool seen = pass && line_ns(m->a, x->file, x->line);
			for (int k = 0; k < i; k++)
				seen |= r->line_times.at[k].line == x->line &&
					same_text(r->line_times.at[k].file, x->file);
			if (!seen)
				time_row(a, t, arena_printf(a, "%s:%d: time of a rank in a step", x->file, x->line),
					 line_ns(m->a, x->file, x->line), line_ns(m->b, x->file, x->line));
		}
	}
}

bool report_diff(struct text *out, const struct report *a, const struct report *b)
{
	struct arena *scratch = arena_new("plan diff");
	struct match m = {scratch, a, b, ARENA_ARRAY(scratch, int, a->transfers.n),
			  ARENA_ARRAY(scratch, int, b->transfers.n)};
	struct table t = {.right = 0x1a};
	for (int i = 0; i < a->transfers.n; i++)
		m.of_a[i] = -1;
	for (int k = 0; k < b->transfers.n; k++)
		m.of_b[k] = -1;
	match_alike(&m, 2);
	match_alike(&m, 1);
	bool any = print_transfers(out, &m);
	change_row(scratch, &t, "ranks", a->ranks, b->ranks, false);
	for (int w = 0; w < REPORT_WHENS; w++) {
		for (int p = 0; p < REPORT_PHASES; p++)
			total_rows(&t, &m, (enum report_when)w, (enum report_phase)p,
				   report_phase_text((enum report_phase)p));
		total_rows(&t, &m, (enum report_when)w, REPORT_PHASES, "total");
		change_row(scratch, &t,
			   arena_printf(scratch, "%s: FLOPs of all ranks", report_when_text((enum report_when)w)),
			   report_flops(a, (enum report_when)w), report_flops(b, (enum report_when)w), false);
	}
	memory_rows(&t, &m);
	if (report_has_times(a) && report_has_times(b))
		time_rows(&t, &m);
	table_print(out, &t, "");
	any = any || t.cells.n;
	if (!any)
		text_add(out, "no difference\n");
	arena_free(scratch);
	return any;
}
