/* help.h — edits that make a wrong program right: where to write `to`, and what it costs. */
#ifndef PML_LAYOUT_HELP_H
#define PML_LAYOUT_HELP_H

#include "stage.h"

#include "base/diag.h"

/* A value converted where it is read. */
struct conversion {
	const struct node *x;
	struct span at;
	bool edits;       /* it can be edited there */
	struct span also; /* and there as well, where its name stands twice; without a file: nowhere */
	struct layout has, to;
	int lines;       /* dimensions of x in front that the text there does not write (node.lines) */
	bool is_read_as; /* who reads it takes of that what it has for nothing */
	struct layout read_as;
};

/* The movements that are made of a conversion in the end: each of a value, between two layouts. */
enum { HELP_MOVEMENTS = 8 };
struct help_movement {
	const struct node *x;
	struct layout from, to;
};
struct help_way {
	int n;
	struct help_movement at[HELP_MOVEMENTS];
};
struct help_way help_way(struct stage *st, const struct conversion *c);
/* Bytes of all ranks. */
int64_t help_way_bytes(struct stage *st, const struct help_way *w);

/* What the edit of a conversion converts. Of the lines of a value that `vmap` takes one after the other that is all of
 * it. */
struct conversion help_as_edited(struct stage *st, const struct conversion *c);

/* A value as it stands at a place of the source: "`y`", "`sum(s)`"; where the text is too long its name; "this value"
 * if it has none. */
const char *help_name(struct session *s, const struct node *n, struct span at);
/* The same without quotes, of an operand inside what `user` computes; NULL if it has no name. */
const char *help_word(struct session *s, const struct node *user, const struct node *x);
/* "f32[64, 10] @ right : P(sum), each rank f32[64, 10]"; without a layout (NULL) "f32[64, 10]". */
const char *help_type(struct arena *a, const struct node *n, const struct layout *l);
/* The layout as the text writes it of a value that has so many dimensions in front which it does not write: false if
 * it splits one of these. */
bool help_written(const struct place *p, const struct layout *l, int lines, struct layout *out);
/* "S(0)". */
const char *help_layout(struct arena *a, const struct place *p, const struct layout *l);

/* Where x stands inside the expression that `user` computes: its own span or that of the call it comes from if that
 * lies there, else the one word there that is its name. False if none of these: then *at is where x is made. */
bool help_site(struct session *s, const struct node *user, const struct node *x, struct span *at);
/* Where its name stands twice there: both places. */
bool help_two_sites(struct session *s, const struct node *user, const struct node *x, struct span at[2]);

/* The same without quotes at a known place; NULL if it has none. */
const char *help_plain_name(struct session *s, const struct node *n, struct span at);
/* What the source calls that which a node computes: `+` for add, `sort` for an operator in the library's sort, `if` for
 * the choice of an expression, `=` where elements are replaced. */
const char *help_sign(struct session *s, const struct node *n);
/* The function that is called there, as the source has it; NULL if it is no call. */
const char *help_called(struct session *s, struct span at);
/* An operator that reads one value where the source names two equal ones: an edit of either alone cures nothing. */
bool help_is_joined(const struct node *n);
/* What a conversion does, for a reader who knows the tensor but not the notation; "all-reduce, 2.6 kB sent per rank".
 */
const char *help_deed(struct arena *a, const struct place *p, const struct layout *from, const struct layout *to);
/* " over `dp` and `tp`", with the word given, for the axes marked; "" on a placement whose one axis has no name. */
const char *help_axes(struct arena *a, const struct place *p, const char *word, const bool *marked);
int64_t help_bytes(const struct help_way *w); /* that one rank sends at most */
const char *help_cost(struct arena *a, const struct help_way *w);
/* Whether a text holds a `to` of its own, so that another one behind it needs brackets. */
bool help_moves(const char *text);
/* Adds the edit ` to layout` behind the expression at `at` to the last help. */
void help_edit(struct stage *st, struct diag *d, struct span at, const char *layout);

/* One help that converts x from layout `has` to `to`; x stands at `at`, where the edit is made if `edits`. */
void help_convert(struct stage *st, struct diag *d, bool other, struct span at, bool edits, const struct node *x,
		  const struct layout *has, const struct layout *to);

/* Up to two helps that make the operands of a map fit: the cheapest conversions of one operand, else of two; one that
 * leaves axes as they are or makes them B, and one that does not. Conversions after which what follows goes wrong come
 * last. Inside a library function the arguments of the call are converted. finish: the one that finishes a P to B comes
 * first. */
void help_operands(struct stage *st, struct diag *d, const struct node *n, bool finish);

/* Up to two helps for what n reads as its only input, among the `count` layouts that would do; at: where it stands,
 * edits: whether it can be edited there. */
void help_layouts(struct stage *st, struct diag *d, const struct node *n, struct span at, bool edits,
		  const struct layout *has, int count, const struct layout *would_do);

/* Layouts that finish a P: first its axes B, then some of them split along dimensions; of many axes or dimensions one.
 */
int help_finished(struct arena *a, const struct node *x, const struct layout *has, struct layout **out);

#endif
