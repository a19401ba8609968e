/* names.h — scopes, and what the files of the name check share: scope.c looks names up, names*.c walk the tree. */
#ifndef PML_NAMES_H
#define PML_NAMES_H

#include "../lang.h"
#include "../parse.h"

enum local_kind {
	LOCAL_LET,
	LOCAL_VAR,
	LOCAL_STATE,
	LOCAL_LOOP,
	LOCAL_EACH,
	LOCAL_PARAM,
	LOCAL_FACTOR,
	LOCAL_SIZE,
	LOCAL_DTYPE,
	LOCAL_PLACE,
	LOCAL_LAYOUT,
};

struct local {
	enum local_kind kind;
	struct span span;
};

struct scope {
	struct scope *outer;
	struct map names; /* interned name -> struct local * */
};

/* A name that nothing declares: told where it stands first in an item, and how often it does behind that. */
struct unknown {
	struct name name;
	const struct item *item;
	struct diag *diag;
	struct span next, last; /* where it stands then, if it does */
	int more;
};

struct checker {
	struct session *session;
	struct program_ast *program;
	struct module *module;
	struct scope *scope;
	const struct item *item; /* being checked */
	struct map ended;        /* locals of its blocks that are over: interned name -> struct local * */
	struct map told; /* names that nothing declares: interned name -> the struct unknown that was told last */
	VEC(struct unknown *) unknown;
	int blocks;              /* block expressions around this place */
	int loops;               /* loops around it that `break` can leave */
};

/* ---- scope.c ---- */

void scope_push(struct checker *c, struct scope *scope);
void scope_pop(struct checker *c);
/* Declares a local; `_` declares nothing, a second one of the name in this scope is an error. */
void scope_declare(struct checker *c, struct name name, enum local_kind kind);
struct local *scope_local(const struct checker *c, const char *name);
/* An item of the module, read if it has waited; NULL: there is none. */
struct item *scope_member(struct program_ast *program, const struct module *m, const char *name);
/* An item of this module, or of the prelude. */
struct item *scope_item(const struct checker *c, const char *name);
/* The module that `name.` refers to, or NULL. */
struct item *scope_import(const struct checker *c, const char *name);
bool scope_is_builtin(const char *name);
/* The message about a name that nothing declares; one that nobody reads (message NULL) where it was told before. */
struct diag *scope_tell_unknown(struct checker *c, struct name name);
/* Adds to messages about names that nothing declares where else these stand, when all has been looked at. */
void scope_tell_others(struct checker *c);
/* Reports a name that nothing declares, with what it may be meant to be: once an item, once a module if it is a word
 * from elsewhere. */
struct diag *scope_unknown(struct checker *c, struct name name);
/* The same where it is assigned: nearest are those that may be. */
struct diag *scope_unknown_target(struct checker *c, struct name name);
/* Adds the help that proposes `meant`, if it is not NULL. */
void suggest(struct diag *d, struct span at, const char *meant);
/* The nearest name of the entries of a map, or NULL. kinds: bits 1 << enum item_kind of items that come into question.
 */
const char *nearest_item(struct session *s, const char *name, const struct map *items, unsigned kinds);

/* Fills m->scope and m->imports; reports what is declared twice. */
void scope_fill(struct session *s, struct module *m);

/* ---- defines.c ---- */

/* Replaces values as the -D options say. */
void defines_apply(struct program_ast *program);

/* ---- file_names.c ---- */

void check_file_names(struct checker *c, struct item *it);

/* ---- structs.c ---- */

/* Tells of structs among these items, whose types have been checked, that contain themselves. */
void check_structs(struct checker *c, struct item *const *items, int n);

/* ---- types.c ---- */

void check_type(struct checker *c, struct type *t);
void check_layout(struct checker *c, struct ast_layout *l);
/* An expression after `@`. */
void check_place(struct checker *c, struct expr *e);

/* ---- names_expr.c ---- */

void check_expr(struct checker *c, struct expr *e);
void check_optional(struct checker *c, struct expr *e); /* NULL: nothing */
void check_args(struct checker *c, struct arg *args, int n);

/* ---- names_stmt.c ---- */

void check_stmt(struct checker *c, struct stmt *s);
void declare_pattern(struct checker *c, struct pattern *pat, enum local_kind kind);

/* Whether the standard library has a module of this name. */
bool library_has_module(struct session *s, const char *name);

/* The modules of the standard library that declare a name for programs, with a doc comment, the prelude aside: how
 * many, at most LIBRARY_MODULES, in the order of their names. */
enum { LIBRARY_MODULES = 3 };
int library_modules_with(struct session *s, const char *name, const char *found[static LIBRARY_MODULES]);

/* Says which modules of the standard library have a name, in place of what stands in `before` where they are imported;
 * false if none has. */
bool suggest_library(struct checker *c, struct diag *d, struct name name, struct span before);

#endif
