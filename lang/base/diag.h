/* diag.h — messages about the user's program: a code, a place, both sides, why, and how to fix it.
 *
 *   struct diag *d = diag_error(s, PML0307, span, "`%s` is an unfinished sum and cannot be used by `%s`", y, "relu");
 *   diag_label(d, other, "contracts a dimension that is split over `right`");
 *   diag_note(d, "relu is not linear: relu(a) + relu(b) is not relu(a + b)");
 *   diag_help(d, "finish the sum (all-reduce, 2.6 kB sent per rank)");
 *   diag_edit(d, (struct span){file, end, end}, " to B");          // belongs to the help before it
 *
 * Messages are collected in the session and printed by diag_flush, ordered by place, equal ones once.
 * Texts are lower case, matter of fact, no full stop, code in backticks. The codes are the rows of diag.def. */
#ifndef PML_DIAG_H
#define PML_DIAG_H

#include "session.h"
#include "text.h"

#include <stdio.h>

enum diag_code {
#define DIAG(code, severity, title, explanation) code,
#include "diag.def"
#undef DIAG
	DIAG_COUNT
};

enum diag_severity { SEVERITY_ERROR, SEVERITY_WARNING };

struct diag_label {
	struct span span;
	const char *text; /* may be NULL: just underline */
};
struct diag_edit {
	struct span span; /* an empty span inserts */
	const char *text;
};
struct diag_help {
	const char *text;
	int64_t bytes; /* what the edits make a rank send; -1: not known, or nothing to do with it */
	VEC(struct diag_edit) edits;
};
struct diag {
	struct session *session;
	enum diag_code code;
	enum diag_severity severity;
	struct diag_label primary;
	const char *message;
	VEC(struct diag_label) labels;
	VEC(const char *) notes;
	VEC(struct diag_help) helps;
};

/* A new message. The severity is that of the code's row (a warning becomes an error under -Werror). Never NULL.
 * The text under the main underline is set by diag_primary. */
struct diag *diag_error(struct session *s, enum diag_code code, struct span at, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* A message that nobody reads, for what follows from one that was told. */
struct diag *diag_unheard(struct session *s, enum diag_code code);
void diag_primary(struct diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void diag_label(struct diag *d, struct span at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void diag_note(struct diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void diag_help(struct diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void diag_edit(struct diag *d, struct span at, const char *replacement);
/* Says of the last help what it makes a rank send at most. */
void diag_bytes(struct diag *d, int64_t bytes);

/* Where an earlier message is mended by the same edits, d, the last one, is no message but a label of that one. */
void diag_join(struct diag *d, const char *label);

/* The messages so far in the order they are printed, equal ones once. */
struct diag **diag_sorted(const struct session *s, int *n);

/* "did you mean" : the candidate that differs in case alone, or else the nearest one to name (Damerau-Levenshtein, at
 * most a third of its length), or NULL. */
const char *diag_nearest(const char *name, const char *const *candidates, int n);

/* Prints and forgets what was collected, in the session's format. color: the stream is a terminal or --color=always. */
void diag_flush(struct session *s, FILE *out);

/* One line "path:line:column: error[CODE]: message", for tests. */
void diag_short(const struct diag *d, struct text *out);

/* "PML0307" -> row, or DIAG_COUNT. */
enum diag_code diag_code_of(const char *text);
const char *diag_code_name(enum diag_code code);
const char *diag_title(enum diag_code code);
/* The longer story for `pmlc explain`: what it means, a wrong program, a right one. */
const char *diag_explanation(enum diag_code code);

#endif
