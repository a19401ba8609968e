/* search_text.h — a plan of a search as a program: the user's text with what was found in its place. */
#ifndef PML_SEARCH_TEXT_H
#define PML_SEARCH_TEXT_H

#include "compiler/search/search.h"
#include "lang.h"

/* The files of the program that was searched in which something changes, and last the main one, with layouts for every
 * `auto`; where it was opened (options.opened), with a placement, with placements and layouts behind types, and with a
 * `to` for each move that changes something. Comments and all else stay. In the arena. */
struct file_texts search_text(struct arena *a, const struct program_ast *ast, const struct program *p,
			      const struct search *x, const struct search_plan *plan);

/* The words `auto` of a layout that are no choice, since nothing that main does comes by there: in tests, and in
 * functions that it does not call. They become `B`. */
struct spans {
	struct span *at;
	int n, cap;
};
struct spans search_unread(struct arena *a, const struct program_ast *ast, const struct program *p,
			   const struct search *x);

/* The layout of a choice, as it is written. */
const char *search_layout_text(struct arena *a, const struct search *x, const struct search_plan *plan, int open);

#endif
