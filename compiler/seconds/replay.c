/* replay.c — see replay.h. */
#include "replay.h"

static void write_act(struct text *t, int rank, const struct play_act *x)
{
	switch (x->kind) {
	case PLAY_ACT_BUSY:
		text_printf(t, "%d compute %.3f\n", rank, x->ns);
		break;
	case PLAY_ACT_SEND:
		text_printf(t, "%d isend %d %d %lld\n", rank, x->peer, x->tag, (long long)x->bytes);
		break;
	case PLAY_ACT_RECEIVE:
		text_printf(t, "%d irecv %d %d %lld\n", rank, x->peer, x->tag, (long long)x->bytes);
		break;
	case PLAY_ACT_SENT:
		text_printf(t, "%d wait %d %d %d\n", rank, rank, x->peer, x->tag);
		break;
	case PLAY_ACT_RECEIVED:
		text_printf(t, "%d wait %d %d %d\n", rank, x->peer, rank, x->tag);
		break;
	}
}

void replay_trace(struct text *t, const struct play *p)
{
	for (int r = 0; r < p->nranks; r++) {
		text_printf(t, "%d init\n", r);
		for (int i = 0; i < p->rank[r].acts.n; i++)
			write_act(t, r, &p->rank[r].acts.at[i]);
		text_printf(t, "%d finalize\n", r);
	}
}

static const struct machine_link *link_of(const struct machine *m, int rank, int level)
{
	return level ? &m->networks.at[level - 1].link : &machine_place_of(m, rank).kind->link;
}

/* Of level 0 the rank, of level 1 its host, ... */
static int unit_of(const struct machine *m, int rank, int level)
{
	return level ? (int)machine_unit(m, machine_place_of(m, rank).host, level) : rank;
}

static void write_links(struct text *t, const struct machine *m, int nranks)
{
	for (int level = 0; level <= m->networks.n; level++)
		for (int r = 0, last = -1; r < nranks; r++) {
			const struct machine_link *link = link_of(m, r, level);
			int unit = unit_of(m, r, level), n = link->rate.points.n;
			if (unit == last || !n)
				continue;
			last = unit;
			for (int in = 0; in < 2; in++)
				text_printf(t, "  <link id=\"%s%d-%d\" bandwidth=\"%.17gBps\" latency=\"0s\"/>\n",
					    in ? "in" : "out", level, unit, link->rate.points.at[n - 1].rate * 1e9);
			text_printf(t,
				    "  <link id=\"way%d-%d\" bandwidth=\"1e18Bps\" latency=\"%.17gs\" "
				    "sharing_policy=\"FATPIPE\"/>\n",
				    level, unit, link->latency * 1e-9);
		}
}

static void write_route(struct text *t, const struct machine *m, int from, int to)
{
	int top = 0;
	while (top < m->networks.n && unit_of(m, from, top + 1) != unit_of(m, to, top + 1))
		top++;
	int low = top > 0;
	text_printf(t, "  <route src=\"rank%d\" dst=\"rank%d\" symmetrical=\"NO\">", from, to);
	for (int level = low; level <= top; level++)
		text_printf(t, "<link_ctn id=\"out%d-%d\"/>", level, unit_of(m, from, level));
	text_printf(t, "<link_ctn id=\"way%d-%d\"/>", top, unit_of(m, from, top));
	for (int level = top; level >= low; level--)
		text_printf(t, "<link_ctn id=\"in%d-%d\"/>", level, unit_of(m, to, level));
	text_add(t, "</route>\n");
}

void replay_platform(struct text *t, const struct machine *m, int nranks)
{
	text_add(t, "<?xml version=\"1.0\"?>\n"
		    "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
		    "<platform version=\"4.1\">\n <zone id=\"machine\" routing=\"Full\">\n");
	for (int r = 0; r < nranks; r++)
		text_printf(t, "  <host id=\"rank%d\" speed=\"1Gf\"/>\n", r);
	write_links(t, m, nranks);
	for (int from = 0; from < nranks; from++)
		for (int to = 0; to < nranks; to++)
			if (from != to)
				write_route(t, m, from, to);
	text_add(t, " </zone>\n</platform>\n");
}

void replay_hosts(struct text *t, int nranks)
{
	for (int r = 0; r < nranks; r++)
		text_printf(t, "rank%d\n", r);
}
