/* command_check.c — `pmlc check`, and `--fix`: the edits of `help:` lines, made one message at a time and kept only
 * where the compiler then says less.
 *
 * The first message (in order of place) that proposes edits in the file itself is taken; its helps are tried from the
 * cheapest in bytes on. An edit stays if the message is gone and no new one came, or if the program now reaches a later
 * stage, whose messages could not be seen before. The file is written only if it compiles in the end. */
#include "commands.h"

#include "base/diag.h"
#include "file.h"
#include "linediff.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_FIXES = 200 };

/* ---- one compilation of a text ---- */

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
	if (!drive_front(d, ELABORATE_MAIN, STAGE_LAYOUT))
		return;
	d->checks_tests = true;
	if (!drive_front(d, ELABORATE_TESTS, STAGE_LAYOUT))
		return;
	d->checks_uncalled = true;
	drive_front(d, ELABORATE_UNCALLED, STAGE_LAYOUT);
}

static struct attempt attempt(const struct session *s, const struct cli *cli, const char *text, size_t n)
{
	struct attempt a = {.session = drive_session(s)};
	a.drive = drive_new(a.session, cli);
	a.drive->text = text;
	a.drive->text_size = n;
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

/* The text with the edits of a help; NULL if one is in another file or two overlap. *shift: what a place behind `at`
 * moves. */
static char *edited(struct arena *a, const struct diag_help *h, uint32_t file, const char *text, size_t n, size_t *out,
		    uint32_t at, int64_t *shift)
{
	struct diag_edit *edits = ARENA_ARRAY(a, struct diag_edit, h->edits.n);
	struct text t;
	size_t from = 0;
	text_init(&t, a);
	*shift = 0;
	for (int i = 0; i < h->edits.n; i++)
		edits[i] = h->edits.at[i];
	qsort(edits, (size_t)h->edits.n, sizeof *edits, by_begin);
	for (int i = 0; i < h->edits.n; i++) {
		struct span at_edit = edits[i].span;
		if (at_edit.file != file || at_edit.begin < from || at_edit.end > n || at_edit.begin > at_edit.end)
			return NULL;
		text_add_n(&t, text + from, at_edit.begin - from);
		text_add(&t, edits[i].text);
		from = at_edit.end;
		if (at_edit.end <= at)
			*shift += (int64_t)strlen(edits[i].text) - (int64_t)(at_edit.end - at_edit.begin);
	}
	text_add_n(&t, text + from, n - from);
	*out = t.n;
	return t.n ? t.at : arena_strdup(a, "");
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

/* strict: there are fewer messages than before; else one may have taken its place elsewhere, as when what was wrong hid
 * it. */
static bool is_cured(const struct attempt *before, const struct attempt *after, const struct diag *d, int64_t shift,
		     bool strict)
{
	for (int i = 0; i < after->n; i++)
		if (same_message(d, after->diags[i], shift))
			return false;
	return after->reached > before->reached ||
	       (after->reached == before->reached && after->errors < before->errors + !strict);
}

/* ---- the loop ---- */

struct fixer {
	struct session *session;
	const struct cli *cli;
	struct arena *arena;
	char *text;
	size_t n;
	struct attempt now;
	int passed_over; /* messages in front that could not be cured */
	int made;
};

static void say(const struct fixer *f, const struct diag *d, const struct diag_help *h)
{
	const struct source *src = &f->now.session->sources.at[d->primary.span.file];
	fprintf(stderr, "%s:%d: %s: %s\n", src->path, source_position(src, d->primary.span.begin).line,
		diag_code_name(d->code), h->text);
}

static bool try_help(struct fixer *f, const struct diag *d, const struct diag_help *h, bool strict)
{
	size_t n;
	int64_t shift;
	char *text =
		edited(f->arena, h, f->now.drive->ast->main->file, f->text, f->n, &n, d->primary.span.begin, &shift);
	if (!text)
		return false;
	struct attempt after = attempt(f->session, f->cli, text, n);
	if (!is_cured(&f->now, &after, d, shift, strict)) {
		session_free(after.session);
		return false;
	}
	say(f, d, h);
	session_free(f->now.session);
	f->now = after;
	f->text = text;
	f->n = n;
	f->made++;
	return true;
}

static bool fix_one(struct fixer *f)
{
	for (int i = f->passed_over; i < f->now.n; i++) {
		const struct diag *d = f->now.diags[i];
		const struct diag_help **helps;
		if (!f->now.drive->ast)
			return false;
		int n = d->severity == SEVERITY_ERROR ? helps_of(f->arena, d, &helps) : 0;
		for (int k = 0; k < 2 * n; k++)
			if (try_help(f, d, helps[k % n], k < n))
				return true;
		f->passed_over++;
	}
	return false;
}

static int finish(struct fixer *f, const char *before, size_t n)
{
	bool whole = f->now.errors == 0;
	int status = whole ? EXIT_OK : EXIT_ERRORS;
	diag_flush(f->now.session, stderr);
	if (f->cli->fix_print) {
		struct text t;
		text_init(&t, f->arena);
		linediff(&t, f->cli->file, before, n, f->text, f->n);
		fputs(text_get(&t), stdout);
	} else if (f->made && whole) {
		status = file_replace(f->arena, f->cli->file, f->text, f->n) ? EXIT_OK : EXIT_ERRORS;
	}
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
	size_t n;
	char *text = file_bytes(s->arena, cli->file, &n);
	if (!text)
		return EXIT_ERRORS;
	struct fixer f = {.session = s, .cli = cli, .arena = s->arena, .text = text, .n = n};
	f.now = attempt(s, cli, text, n);
	while (f.now.errors && f.made < MAX_FIXES && fix_one(&f))
		;
	return finish(&f, text, n);
}

int command_check(struct session *s, const struct cli *cli)
{
	if (cli->fix)
		return fix(s, cli);
	struct drive *d = drive_new(s, cli);
	check(d);
	return drive_finish(d);
}
