/* write.c — a machine as a file for machine_read: four digits of every number, one line for each field. */
#include "machine.h"

static void write_curve(struct text *t, const struct curve *c)
{
	if (c->points.n == 1) {
		text_printf(t, "%.4g", c->points.at[0].rate);
		return;
	}
	text_add(t, "[");
	for (int i = 0; i < c->points.n; i++)
		text_printf(t, "%s[%.10g, %.4g]", i ? ", " : "", c->points.at[i].size, c->points.at[i].rate);
	text_add(t, "]");
}

static void write_link(struct text *t, const struct machine_link *l)
{
	text_printf(t, "{\"latency_us\": %.4g, \"start_us\": %.4g, \"overlap\": %.4g, \"gigabytes_per_second\": ",
		    l->latency / 1e3, l->start / 1e3, l->overlap);
	write_curve(t, &l->rate);
	if (l->both_ways > 0)
		text_printf(t, ", \"duplex\": %.4g", 1 / (1 + l->both_ways));
	if (l->shared_memory) {
		text_add(t, ",\n       \"shared_memory\": ");
		write_link(t, l->shared_memory);
	}
	text_add(t, "}");
}

static void write_numbers(struct text *t, const char *key, const double *at, int n)
{
	text_printf(t, "\"%s\": [", key);
	for (int i = 0; i < n; i++)
		text_printf(t, "%s%.4g", i ? ", " : "", at[i]);
	text_add(t, "]");
}

static void write_products(struct text *t, const struct machine_processor *p)
{
	static const char *const names[] = {
#define DTYPE(name, text, ctype, size, kind) [PMLRT_##name] = text,
#include "../../runtime/dtype.def"
#undef DTYPE
	};
	const char *separator = "";
	text_add(t, "     \"products\": {");
	for (int i = 0; i < PMLRT_DTYPES; i++) {
		const struct machine_products *x = &p->products[i];
		if (!p->has_products[i])
			continue;
		text_printf(t, "%s\n       \"%s\": {", separator, names[i]);
		write_numbers(t, "m", x->m.at, x->m.n);
		text_add(t, ", ");
		write_numbers(t, "n", x->n.at, x->n.n);
		text_add(t, ", ");
		write_numbers(t, "k", x->k.at, x->k.n);
		text_add(t, ",\n         ");
		write_numbers(t, "gigaflops", x->rate.at, x->rate.n);
		text_add(t, "}");
		separator = ",";
	}
	text_add(t, "}");
}

static void write_factors(struct text *t, const struct machine_processor *p)
{
	const char *before = "     \"factors\": {";
	for (int i = 0; i < FACTORS_WAYS; i++) {
		const struct curve *of = p->factors[i];
		if (!of[0].points.n && !of[1].points.n)
			continue;
		text_printf(t, "%s\n       \"%s\": {", before, factors_text((enum factors_way)i));
		for (int k = 0; k < 2; k++)
			if (of[k].points.n) {
				text_printf(t, "%s\"%s\": ", k && of[0].points.n ? ", " : "", k ? "f64" : "f32");
				write_curve(t, &of[k]);
			}
		text_add(t, "}");
		before = ",";
	}
	if (*before == ',')
		text_add(t, "},\n");
}

static void write_processor(struct text *t, const struct machine_processor *p)
{
	static const char *const starts[] = {
#define START(name, text, meaning) text,
#include "start.def"
#undef START
	};
	text_add(t, "    {\"name\": ");
	text_json(t, p->name);
	text_printf(t, ",\n     \"vector_bytes\": %lld,\n     \"start_us\": {", (long long)p->vector_bytes);
	for (int i = 0; i < STARTS; i++)
		text_printf(t, "%s\"%s\": %.4g", i ? ", " : "", starts[i], p->start[i] / 1e3);
	text_add(t, "},\n     \"memory\": ");
	write_curve(t, &p->memory);
	text_add(t, ",\n     \"operations\": {");
	for (int i = 0; i < OPERATIONS; i++)
		text_printf(t, "%s\"%s\": %.4g", i ? ", " : "", machine_operation_text((enum machine_operation)i),
			    p->operation[i]);
	text_add(t, "},\n");
	write_factors(t, p);
	write_products(t, p);
	text_add(t, "}");
}

void machine_write(struct text *t, const struct machine *m)
{
	text_add(t, "{\n  \"name\": ");
	text_json(t, m->name);
	text_add(t, ",\n  \"processors\": [");
	for (int i = 0; i < m->processors.n; i++) {
		text_add(t, i ? ",\n" : "\n");
		write_processor(t, &m->processors.at[i]);
	}
	text_add(t, "\n  ],\n  \"hosts\": [");
	for (int i = 0; i < m->hosts.n; i++) {
		const struct machine_hosts *h = &m->hosts.at[i];
		text_printf(t, "%s\n    {\"count\": %lld, \"ranks\": %lld, \"processor\": ", i ? "," : "",
			    (long long)h->count, (long long)h->ranks);
		text_json(t, m->processors.at[h->processor].name);
		if (h->processors)
			text_printf(t, ", \"processors\": %lld, \"turn_us\": %.4g", (long long)h->processors,
				    h->turn / 1e3);
		if (h->link.rate.points.n) {
			text_add(t, ", \"link\": ");
			write_link(t, &h->link);
		}
		text_add(t, "}");
	}
	text_add(t, "\n  ],\n  \"networks\": [");
	for (int i = 0; i < m->networks.n; i++) {
		const struct machine_network *n = &m->networks.at[i];
		text_add(t, i ? ",\n    {\"name\": " : "\n    {\"name\": ");
		text_json(t, n->name);
		text_printf(t, ", \"joins\": %lld, \"link\": ", (long long)n->joins);
		write_link(t, &n->link);
		text_add(t, "}");
	}
	text_add(t, m->networks.n ? "\n  ]\n}\n" : "]\n}\n");
}
