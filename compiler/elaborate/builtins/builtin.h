/* builtin.h — one function per row of lang/builtin.def: builtin_<name>, and what they share. */
#ifndef PML_BUILTIN_H
#define PML_BUILTIN_H

#include "builtins.h"

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
/* An argument by name, a host value of a type; *out is NULL if it is not given. False after an error. */
bool builtin_option(struct elab *e, struct arguments *args, enum builtin b, const char *name, enum host_type t,
		    const struct value **out);
/* How many digits floats are written with, an int: behind the point, or in all. NULL: it is not said. */
struct digits {
	const struct value *count;
	bool behind_point;
};
/* `digits` or `significant`. False after an error. */
bool builtin_digits(struct elab *e, struct arguments *args, enum builtin b, struct digits *out);

/* ---- datasets (builtin_data.c). Each gives NULL after an error. ---- */
const struct value *data_value(struct elab *e, struct host_expr *handle, int nfiles, struct span at);
const struct dataset *data_of(struct elab *e, const struct argument *a);
struct host_expr *data_path(struct elab *e, const struct value *v, struct span at, enum builtin b);
struct host_expr *data_int(struct elab *e, const struct argument *a, const char *what);
/* The paths of an argument: one, or a list of them, whose rows stand behind each other. */
struct data_paths {
	int n;
	struct host_expr **path;
};
bool data_paths(struct elab *e, const struct argument *a, enum builtin b, struct data_paths *out);

#endif
