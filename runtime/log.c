/* log.c — what the program logs: a line on stderr, and with --log one JSON object per line in a file. Rank 0 writes. A
 * program that resumes goes on in the file of the run before, from the checkpoint's step on. */
#define _POSIX_C_SOURCE 200809L
#include "element.h"
#include "rt.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE(rt, ...)   rt_line_add(&(rt)->line, &(rt)->line_length, &(rt)->line_room, __VA_ARGS__)
#define RECORD(rt, ...) rt_line_add(&(rt)->record, &(rt)->record_length, &(rt)->record_room, __VA_ARGS__)

/* What an earlier run left in the file stays until it is known whether this one goes on from a checkpoint: until it
 * resumes, or has something to write. */
void rt_log_start(struct pmlrt *rt)
{
	if (rt->rank != 0 || !rt->options.log)
		return;
	rt->log_file = rt_create_stream(rt->options.log, 0);
	if (!rt->log_file)
		rt_fail(rt, 0, "cannot write --log=%s: %s", rt->options.log, rt_file_error(errno));
	rt->log_is_old = true;
}

static void begin_file(struct pmlrt *rt)
{
	if (rt->log_is_old && ftruncate(fileno(rt->log_file), 0) != 0 && errno != EINVAL)
		rt_fail(rt, 0, "cannot write --log=%s: %s", rt->options.log, strerror(errno));
	rt->log_is_old = false;
}

/* Copies the records up to a step; all else, such as the last record of a run that ended, is left out. False and errno:
 * it cannot be done. */
static bool copy_records(FILE *from, FILE *to, int64_t step)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	while ((n = getline(&line, &room, from)) > 0) {
		long long at;
		if (line[n - 1] == '\n' && sscanf(line, "{\"step\": %lld,", &at) == 1 && at <= step)
			fwrite(line, 1, (size_t)n, to);
	}
	free(line);
	return !ferror(from) && fflush(to) == 0;
}

void rt_log_continue(struct pmlrt *rt, int64_t step)
{
	struct stat about;
	const char *path = rt->options.log;
	if (!rt->log_file || fstat(fileno(rt->log_file), &about) != 0 || !S_ISREG(about.st_mode))
		return;
	char *partial = rt_format(rt, "%s.partial", path);
	FILE *from = fopen(path, "re"), *to = rt_create_stream(partial, O_TRUNC);
	bool ok = from && to && copy_records(from, to, step) && rename(partial, path) == 0;
	int code = errno;
	if (from)
		fclose(from);
	if (!ok)
		rt_fail(rt, 0, "cannot go on writing --log=%s: %s", path, rt_file_error(code));
	fclose(rt->log_file);
	rt->log_file = to;
	rt->log_is_old = false;
	rt_release(rt, partial);
}

/* The last record says whether the program came to its end. */
void rt_log_close(struct pmlrt *rt, bool ok)
{
	if (rt->log_file) {
		begin_file(rt);
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
	char shown[RT_JSON_CHARACTER];
	RECORD(rt, "\"");
	while (*text) {
		text += rt_json_character(text, shown);
		RECORD(rt, "%s", shown);
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

/* JSON has no word for what is not finite: "nan", "inf" and "-inf" are strings. */
void pmlrt_log_float(struct pmlrt *rt, const char *name, double v)
{
	char text[32];
	if (!named(rt, name))
		return;
	if (!isfinite(v) && !rt->not_finite)
		rt->not_finite = name;
	LINE(rt, "%s", element_of_host(v, true, text, sizeof text));
	RECORD(rt, isfinite(v) ? "%s" : "\"%s\"", element_of_host(v, false, text, sizeof text));
}

void pmlrt_log_bool(struct pmlrt *rt, const char *name, bool v)
{
	if (!named(rt, name))
		return;
	LINE(rt, "%s", v ? "true" : "false");
	RECORD(rt, "%s", v ? "true" : "false");
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

/* The head of the record is made last: it stands before what was collected. */
static void write_record(struct pmlrt *rt, int32_t site)
{
	char place[512];
	size_t values = rt->record_length;
	begin_file(rt);
	fprintf(rt->log_file, "{\"step\": %lld, \"time\": %.6f", (long long)rt_step(rt),
		(double)(rt_now() - rt->start_ns) * 1e-9);
	if (rt_site_text(rt, site, place, sizeof place)[0]) {
		add_json_text(rt, place);
		fprintf(rt->log_file, ", \"site\": %s", rt->record + values);
	}
	fprintf(rt->log_file, "%.*s}\n", (int)values, rt->record ? rt->record : "");
	fflush(rt->log_file);
}

void pmlrt_log_end(struct pmlrt *rt, int32_t site)
{
	if (rt->rank != 0)
		return;
	if (!rt->has_warned)
		rt->not_finite_site = site;
	rt_warn_not_finite(rt);
	if (!rt->options.quiet) {
		rt_progress_clear(rt);
		fprintf(stderr, "step %lld%s\n", (long long)rt_step(rt), rt->line_length ? rt->line : "");
	}
	if (rt->log_file)
		write_record(rt, site);
	rt->line_length = rt->record_length = 0;
}
