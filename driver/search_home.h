/* search_home.h — which file of a program declares the placement that several of them name: one that all of these can
 * import. A file imports what is in its folder and below. */
#ifndef PML_SEARCH_HOME_H
#define PML_SEARCH_HOME_H

#include "lang.h"

/* "parts.block": as `from` may import `to`, or "block", the name by which it does; NULL: it cannot, or has another
 * module by that name. In the arena. */
const char *home_path(struct arena *a, const struct program_ast *ast, const struct module *from,
		      const struct module *to);

/* The first module of the program's own, by number in ast->modules, that all those marked can import, or are, so that
 * no module comes to import itself: one of them, or another one; -1: there is none. */
int home_of(struct arena *a, const struct program_ast *ast, const bool *names);

/* Whether there is one for all that declare params, states or structs. */
bool home_for_all(struct arena *a, const struct program_ast *ast);

#endif
