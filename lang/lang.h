/* lang.h — source text to checked AST; the interface of this folder. */
#ifndef PML_LANG_H
#define PML_LANG_H

#include "ast.h"
#include "base/diag.h"

struct program_ast {
	struct session *session;
	struct module *main;          /* the file named on the command line */
	VEC(struct module *) modules; /* all, imported before importing; the prelude is [0] */
	VEC(struct item *) unchecked; /* their names are to be resolved next */
};

/* Reads path and everything it imports, parses, resolves names. Messages go to the session; the result is usable for
 * elaboration only if session->errors is 0. NULL if the file cannot be read (an error is recorded). */
struct program_ast *lang_load(struct session *s, const char *path);

/* The same from memory; path is what messages show. */
struct program_ast *lang_load_text(struct session *s, const char *path, const char *bytes, size_t size);

/* What a module declares by that name (interned); NULL if it is nothing, or cannot be parsed. Of the library little is
 * read at first: then it is parsed and checked now. */
struct item *lang_item(struct program_ast *program, const struct module *m, const char *name);

/* The names of the files of the standard library, in their order. */
const char **lang_library_modules(struct session *s, int *n);

/* All that a module declares is parsed and checked. */
void lang_read_all(struct program_ast *program, const struct module *m);

/* Whether a file belongs to the program itself: the main one, and what it imports from its folder or below, but for the
 * library. */
bool program_owns(const struct program_ast *program, uint32_t file);

/* The text of the built-in prelude (stdlib/prelude/, embedded at build time). */
const char *lang_prelude(size_t *size);

/* Tokens of a file, one a line with kind, place and text, for --emit=tokens. */
void lang_print_tokens(struct session *s, uint32_t file, struct text *out);

/* The grammar, for --print=grammar. */
const char *lang_grammar(void);

#endif
