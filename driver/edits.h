/* edits.h — a source with changes at positions of it: what `pmlc search` writes. */
#ifndef PML_EDITS_H
#define PML_EDITS_H

#include "lang.h"

struct edit {
	uint32_t begin, end; /* what is replaced; nothing where they are equal */
	const char *text;
	uint32_t inner; /* of edits at one position the least comes first: those of inner expressions */
};

struct edits {
	struct arena *arena;
	const struct source *source;
	VEC(struct edit) list;
};

void edits_add(struct edits *w, uint32_t begin, uint32_t end, const char *text, uint32_t inner);
/* The source with all of them; in the arena. */
struct file_text edits_apply(struct edits *w);
/* What stands there. */
const char *edits_text(const struct edits *w, struct span at);
/* What stands there between the first parenthesis and the last. */
const char *edits_text_inside(const struct edits *w, struct span at);
/* In front of the first item that may use a placement, and of the comments that are about it. */
uint32_t edits_begin_of_items(const struct edits *w, const struct module *m);
/* What another module of the program declares, as this file, of module m, names it: "model.grid"; "grid" in that module
 * itself. It is imported if it is not yet. */
const char *edits_name_from(struct edits *w, const struct program_ast *ast, const struct module *m,
			    const struct module *home, const char *name);

#endif
