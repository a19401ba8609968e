/* command_check.c — `pmlc check`, and `--fix`: the edits of `help:` lines, made one message at a time and kept only
 * where the compiler then says less.
 *
 * The first message (in order of place) that proposes edits in files of the program, that is, not in the standard
 * library, is taken; its helps are tried from the cheapest in bytes on. An edit stays if the message is gone and no new
 * one came, or if the program now reaches a later stage, whose messages could not be seen before. Where no edit is such
 * a one, an edit may stay after which other messages come. The files are written only if the program compiles in the
 * end. */
#include "commands.h"

#include "base/diag.h"
#include "file.h"
#include "linediff.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_FIXES = 200, MAX_BOLD = 10 };

/* Files of the program as they are on disk and as edited; only those that were asked for. */
struct files {
	int n, cap;
	struct edited_file {
		struct file_text now, before;
	} * at;
};

/* ---- one compilation of the edited files ---- */

/* How far a program comes: messages of later stages are not seen before the earlier ones are silent. */
enum reached {
	REACHED_TEXT,
	REACHED_NAMES,
	REACHED_ELABORATE,
	REACHED_LAYOUT,
	REACHED_TESTS,
	REACHED_UNCALLED,
	REACHED_END
};

struct attempt {
	struct session *session;
	struct drive *drive;
	struct diag **diags; /* in order, equal ones once */
	int n, errors;
	enum reached reached;
};

static enum reached reached_of(const struct drive *d)
{
	const struct session *s = d->session;
	if (!s->errors)
		return REACHED_END;
	enum diag_code first = DIAG_COUNT;
	for (int i = 0; i < s->diags.n; i++)
		if (s->diags.at[i]->severity == SEVERITY_ERROR && s->diags.at[i]->code < first)
			first = s->diags.at[i]->code;
	if (first < PML0201)
		return first < PML0101 ? REACHED_TEXT : REACHED_NAMES;
	return d->checks_uncalled               ? REACHED_UNCALLED
	       : d->checks_tests                ? REACHED_TESTS
	       : d->program && d->is_elaborated ? REACHED_LAYOUT
						: REACHED_ELABORATE;
}

static void check(struct drive *d)
{
	if (!drive_front(d, ELABORATE_MAIN, STAGE_PIPELINE))
		return;
	d->checks_tests = true;
	if (!drive_front(d, ELABORATE_TESTS, STAGE_PIPELINE))
		return;
	d->checks_uncalled = true;
	drive_front(d, ELABORATE_UNCALLED, STAGE_LAYOUT);
}

static struct attempt attempt(const struct session *s, const struct cli *cli, const struct files *files)
{
	struct attempt a = {.session = drive_session(s)};
	for (int i = 0; i < files->n; i++)
		vec_push(a.session->arena, &a.session->options.texts, files->at[i].now);
	a.drive = drive_new(a.session, cli);
	check(a.drive);
	a.diags = diag_sorted(a.session, &a.n);
	for (int i = 0; i < a.n; i++)
		a.errors += a.diags[i]->severity == SEVERITY_ERROR;
	a.reached = reached_of(a.drive);
	return a;
}

/* ---- edits ---- */

static int by_begin(const void *a, const void *b)
{
	const struct diag_edit *x = a, *y = b;
	return x->span.begin != y->span.begin ? (x->span.begin < y->span.begin ? -1 : 1)
	       : x->span.end != y->span.end   ? (x->span.end < y->span.end ? -1 : 1)
					      : 0;
}

/* Bytes in front of the text that places do not count: a byte order mark. */
static uint32_t mark_of(const struct file_text *t)
{
	return t->size >= 3 && !memcmp(t->bytes, "\xef\xbb\xbf", 3) ? 3 : 0;
}

/* The text with those of the edits that are in `file`; false if two overlap. *shift: what a place behind `at` moves. */
static bool edit_text(struct arena *a, const struct diag_help *h, uint32_t file, struct file_text *text, uint32_t at,
		      int64_t *shift)
{
	struct diag_edit *edits = ARENA_ARRAY(a, struct diag_edit, h->edits.n);
	struct text t;
	uint32_t mark = mark_of(text);
	size_t from = 0;
	int n = 0;
	text_init(&t, a);
	*shift = 0;
	for (int i = 0; i < h->edits.n; i++)
		if (h->edits.at[i].span.file == file)
			edits[n++] = h->edits.at[i];
	qsort(edits, (size_t)n, sizeof *edits, by_begin);
	for (int i = 0; i < n; i++) {
		struct span e = edits[i].span;
		if (e.begin > e.end || e.begin + mark < from || e.end + mark > text->size)
			return false;
		text_add_n(&t, text->bytes + from, e.begin + mark - from);
		text_add(&t, edits[i].text);
		from = e.end + mark;
		if (e.end <= at)
			*shift += (int64_t)strlen(edits[i].text) - (int64_t)(e.end - e.begin);
	}
	text_add_n(&t, text->bytes + from, text->size - from);
	text->size = t.n;
	text->bytes = t.n ? t.at : arena_strdup(a, "");
	return true;
}

/* The helps of a message with edits, cheapest first; those without known bytes in their order behind. */
static int by_bytes(const void *a, const void *b)
{
	const struct diag_help *x = *(const struct diag_help *const *)a, *y = *(const struct diag_help *const *)b;
	int64_t p = x->bytes < 0 ? INT64_MAX : x->bytes, q = y->bytes < 0 ? INT64_MAX : y->bytes;
	return p != q ? (p < q ? -1 : 1) : x < y ? -1 : x > y;
}

static int helps_of(struct arena *a, const struct diag *d, const struct diag_help ***out)
{
	int n = 0;
	*out = ARENA_ARRAY(a, const struct diag_help *, d->helps.n);
	for (int i = 0; i < d->helps.n; i++)
		if (d->helps.at[i].edits.n)
			(*out)[n++] = &d->helps.at[i];
	qsort(*out, (size_t)n, sizeof **out, by_bytes);
	return n;
}

/* ---- judging an edit ---- */

static bool same_message(const struct diag *a, const struct diag *b, int64_t shift)
{
	int64_t moved = (int64_t)a->primary.span.begin + shift;
	/* What was put in front of an expression may or may not belong to it. */
	return a->code == b->code && a->primary.span.file == b->primary.span.file &&
	       (int64_t)b->primary.span.begin <= moved &&
	       (int64_t)b->primary.span.begin >= moved - (shift > 0 ? shift : 0);
}

/* Whether a help has an edit where one of those that were made stands now. */
static bool edits_there(const struct diag_help *made, const struct diag *d)
{
	for (int i = 0; i < made->edits.n; i++) {
		const struct diag_edit *e = &made->edits.at[i];
		uint32_t begin = e->span.begin, end;
		for (int k = 0; k < made->edits.n; k++) {
			const struct diag_edit *o = &made->edits.at[k];
			if (o->span.file == e->span.file && o->span.end <= e->span.begin &&
			    (k < i || o->span.begin < e->span.begin))
				begin += (uint32_t)strlen(o->text) - (o->span.end - o->span.begin);
		}
		end = begin + (uint32_t)strlen(e->text);
		for (int h = 0; h < d->helps.n; h++)
			for (int k = 0; k < d->helps.at[h].edits.n; k++) {
				struct span at = d->helps.at[h].edits.at[k].span;
				if (at.file == e->span.file && at.begin <= end && at.end >= begin)
					return true;
			}
	}
	return false;
}

static bool has_edits(const struct diag *d)
{
	for (int i = 0; i < d->helps.n; i++)
		if (d->helps.at[i].edits.n)
			return true;
	return false;
}

/* What may be left: fewer messages than before; as many, of which one may have taken its place, elsewhere, as when what
 * was wrong hid it, or there, if it is cured elsewhere: a call may find fault with one argument after the other; or any
 * number, as when it hid several. */
enum left { LEFT_FEWER, LEFT_AS_MANY, LEFT_ANY };

static bool is_cured(const struct attempt *before, const struct attempt *after, const struct diag *d,
		     const struct diag_help *h, int64_t shift, enum left left)
{
	for (int i = 0; i < after->n; i++) {
		const struct diag *now = after->diags[i];
		if (same_message(d, now, shift) && (left == LEFT_FEWER || !has_edits(now) || edits_there(h, now)))
			return false;
	}
	return after->reached > before->reached ||
	       (after->reached == before->reached &&
		(left == LEFT_ANY || after->errors < before->errors + (left == LEFT_AS_MANY)));
}

/* ---- the loop ---- */

struct fixer {
	struct session *session;
	const struct cli *cli;
	struct arena *arena;
	struct files files;
	struct attempt now;
	int passed_over; /* messages in front that could not be cured */
	int made;
	int bold; /* of these: after which there may have been more messages */
};

static void say(const struct fixer *f, const struct diag *d, const struct diag_help *h)
{
	const struct source *src = &f->now.session->sources.at[d->primary.span.file];
	fprintf(stderr, "%s:%d: %s: %s\n", src->path, source_position(src, d->primary.span.begin).line,
		diag_code_name(d->code), h->text);
}

/* A file of the program's own: not built in, not of the standard library. */
static bool is_own(const struct fixer *f, const char *path)
{
	const char *library = f->now.session ? f->now.session->options.stdlib_path : NULL;
	size_t n = library ? strlen(library) : 0;
	return path[0] != '<' && !(n && !strncmp(path, library, n) && path[n] == '/');
}

/* The number of a file among those that are edited, which reads it if need be; -1 if it cannot be edited. */
static int open_file(struct fixer *f, const char *path)
{
	for (int i = 0; i < f->files.n; i++)
		if (!strcmp(f->files.at[i].now.path, path))
			return i;
	struct file_text t = {.path = arena_strdup(f->arena, path)};
	char *bytes = is_own(f, path) ? file_text(f->arena, path, &t.size) : NULL;
	if (!bytes)
		return -1;
	t.bytes = bytes;
	struct edited_file e = {t, t};
	vec_push(f->arena, &f->files, e);
	return f->files.n - 1;
}

/* The files with the edits of a help; false if it has one elsewhere, or two overlap. */
static bool edit_files(struct fixer *f, const struct diag *d, const struct diag_help *h, struct files *out,
		       int64_t *shift)
{
	int64_t moved;
	*shift = 0;
	for (int i = 0; i < h->edits.n; i++)
		if (open_file(f, f->now.session->sources.at[h->edits.at[i].span.file].path) < 0)
			return false;
	*out = f->files;
	out->at = ARENA_ARRAY(f->arena, struct edited_file, f->files.n);
	memcpy(out->at, f->files.at, sizeof *out->at * (size_t)f->files.n);
	out->cap = out->n;
	for (int i = 0; i < h->edits.n; i++) {
		uint32_t file = h->edits.at[i].span.file;
		bool first = true;
		for (int k = 0; k < i; k++)
			first = first && h->edits.at[k].span.file != file;
		int at = open_file(f, f->now.session->sources.at[file].path);
		if (first && !edit_text(f->arena, h, file, &out->at[at].now, d->primary.span.begin, &moved))
			return false;
		if (first && file == d->primary.span.file)
			*shift = moved;
	}
	return true;
}

static bool try_help(struct fixer *f, const struct diag *d, const struct diag_help *h, enum left left)
{
	struct files files;
	int64_t shift;
	if (!edit_files(f, d, h, &files, &shift))
		return false;
	struct attempt after = attempt(f->session, f->cli, &files);
	if (!is_cured(&f->now, &after, d, h, shift, left)) {
		session_free(after.session);
		return false;
	}
	say(f, d, h);
	session_free(f->now.session);
	f->now = after;
	f->files = files;
	f->made++;
	return true;
}

/* One of the messages from that number on; *at: the number of the one that was cured. */
static bool fix_from(struct fixer *f, int *at, enum left least, enum left most)
{
	for (; *at < f->now.n; ++*at) {
		const struct diag *d = f->now.diags[*at];
		const struct diag_help **helps = NULL;
		if (!f->now.drive->ast)
			return false;
		int n = d->severity == SEVERITY_ERROR ? helps_of(f->arena, d, &helps) : 0;
		for (enum left left = least; left <= most; left++)
			for (int k = 0; k < n; k++)
				if (try_help(f, d, helps[k], left))
					return true;
	}
	return false;
}

/* What leaves more messages is made where nothing else can be done. */
static bool fix_one(struct fixer *f)
{
	if (fix_from(f, &f->passed_over, LEFT_FEWER, LEFT_AS_MANY))
		return true;
	f->passed_over = 0;
	int first = 0;
	return f->bold++ < MAX_BOLD && fix_from(f, &first, LEFT_ANY, LEFT_ANY);
}

static bool is_edited(const struct edited_file *e)
{
	return e->now.size != e->before.size || memcmp(e->now.bytes, e->before.bytes, e->now.size) != 0;
}

/* All files or none: where one cannot be written, those before it are put back. */
static bool write_files(const struct fixer *f)
{
	for (int i = 0; i < f->files.n; i++) {
		const struct edited_file *e = &f->files.at[i];
		if (!is_edited(e) || file_replace(f->arena, e->now.path, e->now.bytes, e->now.size))
			continue;
		while (i-- > 0)
			if (is_edited(&f->files.at[i]))
				file_replace(f->arena, f->files.at[i].before.path, f->files.at[i].before.bytes,
					     f->files.at[i].before.size);
		return false;
	}
	return true;
}

static void print_diffs(const struct fixer *f)
{
	struct text t;
	text_init(&t, f->arena);
	for (int i = 0; i < f->files.n; i++) {
		const struct edited_file *e = &f->files.at[i];
		linediff(&t, e->now.path, e->before.bytes, e->before.size, e->now.bytes, e->now.size);
	}
	fputs(text_get(&t), stdout);
}

static int finish(struct fixer *f)
{
	bool whole = f->now.errors == 0;
	int status = whole ? EXIT_OK : EXIT_ERRORS;
	diag_flush(f->now.session, stderr);
	if (f->cli->fix_print)
		print_diffs(f);
	else if (f->made && whole)
		status = write_files(f) ? EXIT_OK : EXIT_ERRORS;
	if (f->made && !whole)
		fprintf(stderr,
			"pmlc: %d of the messages could be cured, but not all: %s stays as it was\n      the places "
			"above "
			"are those of the edited text, which `--fix=print` shows\n",
			f->made, f->cli->file);
	session_free(f->now.session);
	return status;
}

static int fix(struct session *s, const struct cli *cli)
{
	struct fixer f = {.session = s, .cli = cli, .arena = s->arena};
	if (open_file(&f, cli->file) < 0)
		return EXIT_ERRORS;
	f.now = attempt(s, cli, &f.files);
	while (f.now.errors && f.made < MAX_FIXES && fix_one(&f))
		;
	return finish(&f);
}

int command_check(struct session *s, const struct cli *cli)
{
	if (cli->fix)
		return fix(s, cli);
	struct drive *d = drive_new(s, cli);
	check(d);
	return drive_finish(d);
}
