/* log.c — what the program logs: a line on stderr, and with --log one JSON object per line in a file. Rank 0 writes. */
#define _POSIX_C_SOURCE 200809L
#include "rt.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LINE(rt, ...)   rt_line_add(&(rt)->line, &(rt)->line_length, &(rt)->line_room, __VA_ARGS__)
#define RECORD(rt, ...) rt_line_add(&(rt)->record, &(rt)->record_length, &(rt)->record_room, __VA_ARGS__)

void rt_log_start(struct pmlrt *rt)
{
	if (rt->rank != 0 || !rt->options.log)
		return;
	rt->log_file = rt_create_stream(rt->options.log, O_TRUNC);
	if (!rt->log_file)
		rt_fail(rt, 0, "cannot write --log=%s: %s", rt->options.log, rt_file_error(errno));
}

/* The last record says whether the program came to its end. */
void rt_log_close(struct pmlrt *rt, bool ok)
{
	if (rt->log_file) {
		fprintf(rt->log_file, "{\"done\": %s, \"time\": %.6f}\n", ok ? "true" : "false",
			(double)(rt_now() - rt->start_ns) * 1e-9);
		int failed = ferror(rt->log_file);
		if (fclose(rt->log_file) != 0 || failed)
			rt_fail(rt, 0, "cannot write --log=%s: %s", rt->options.log, strerror(errno));
		rt->log_file = NULL;
	}
	free(rt->record);
	free(rt->line);
	rt->record = rt->line = NULL;
	rt->record_room = rt->line_room = rt->line_length = rt->record_length = 0;
}

static void add_json_text(struct pmlrt *rt, const char *text)
{
	RECORD(rt, "\"");
	for (const char *p = text; *p; p++) {
		if (*p == '"' || *p == '\\')
			RECORD(rt, "\\%c", *p);
		else if ((unsigned char)*p < ' ')
			RECORD(rt, "\\u%04x", (unsigned char)*p);
		else
			RECORD(rt, "%c", *p);
	}
	RECORD(rt, "\"");
}

static bool named(struct pmlrt *rt, const char *name)
{
	if (rt->rank != 0)
		return false;
	LINE(rt, "  %s ", name);
	RECORD(rt, ", ");
	add_json_text(rt, name);
	RECORD(rt, ": ");
	return true;
}

void pmlrt_log_float(struct pmlrt *rt, const char *name, double v)
{
	if (!named(rt, name))
		return;
	LINE(rt, "%.6g", v);
	if (!isfinite(v))
		RECORD(rt, "\"%g\"", v);
	else
		RECORD(rt, (double)(float)v == v ? "%.9g" : "%.17g", v);
}

void pmlrt_log_int(struct pmlrt *rt, const char *name, int64_t v)
{
	if (!named(rt, name))
		return;
	LINE(rt, "%lld", (long long)v);
	RECORD(rt, "%lld", (long long)v);
}

void pmlrt_log_text(struct pmlrt *rt, const char *name, const char *v)
{
	if (!named(rt, name))
		return;
	LINE(rt, "%s", v);
	add_json_text(rt, v);
}

static void write_site(FILE *f, const char *place)
{
	fprintf(f, ", \"site\": \"");
	for (; *place; place++) {
		if (strchr("\"\\", *place))
			fputc('\\', f);
		fputc(*place, f);
	}
	fputc('"', f);
}

static void write_record(struct pmlrt *rt, int32_t site)
{
	char place[512];
	fprintf(rt->log_file, "{\"step\": %lld, \"time\": %.6f", (long long)atomic_load(&rt->step),
		(double)(rt_now() - rt->start_ns) * 1e-9);
	if (rt_site_text(rt, site, place, sizeof place)[0])
		write_site(rt->log_file, place);
	fprintf(rt->log_file, "%s}\n", rt->record ? rt->record : "");
	fflush(rt->log_file);
}

void pmlrt_log_end(struct pmlrt *rt, int32_t site)
{
	if (rt->rank != 0)
		return;
	if (!rt->options.quiet) {
		rt_progress_clear(rt);
		fprintf(stderr, "step %lld%s\n", (long long)atomic_load(&rt->step), rt->line_length ? rt->line : "");
	}
	if (rt->log_file)
		write_record(rt, site);
	rt->line_length = rt->record_length = 0;
}
