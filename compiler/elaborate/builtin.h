/* builtin.h — one function per row of lang/builtin.def: builtin_<name>, and what they share. */
#ifndef PML_BUILTIN_H
#define PML_BUILTIN_H

#include "elab.h"

enum builtin {
#define BUILTIN(name, call, doc) BUILTIN_##name,
#include "builtin.def"
#undef BUILTIN
	BUILTIN_COUNT
};

#define BUILTIN(name, call, doc) const struct value *builtin_##name(struct elab *e, struct arguments *args);
#include "builtin.def"
#undef BUILTIN

/* Takes an argument by name, or the next one by position (name NULL: by position only); NULL if it is not there. */
const struct argument *builtin_take(struct arguments *args, const char *name);
/* False, with a message, if arguments are left. */
bool builtin_done(struct elab *e, const struct arguments *args, enum builtin b);
/* One argument that must be there. */
const struct argument *builtin_need(struct elab *e, struct arguments *args, enum builtin b, const char *name);

#endif
