/* builtin_files.c — save, load, checkpoint, resume: params and states in files. */
#include "builtin.h"

static struct host_expr *path_argument(struct elab *e, struct arguments *args, enum builtin b)
{
	const struct argument *a = builtin_need(e, args, b, "path");
	if (!a)
		return NULL;
	if (a->value->kind == VALUE_HOST && a->value->host.type == HOST_TEXT)
		return host_of(e, &a->value->host);
	elab_error(e, PML0209, a->span, "`%s` takes a path, this is %s", builtin_name((int)b),
		   value_describe(e, a->value));
	return NULL;
}

static bool outside_gradient(struct elab *e, struct span at, const char *what)
{
	if (microbatch_refuses(e, at, arena_printf(e->a, "`%s`", what)))
		return false;
	if (!e->grad_depth)
		return true;
	elab_error(e, PML0411, at, "`%s` stands in a function that is differentiated", what);
	return false;
}

/* `names = gpt2`: an index into program.names, -1 where it is left out; false after an error. */
static bool names_argument(struct elab *e, struct arguments *args, enum builtin b, int *names)
{
	const struct argument *a = builtin_take(args, "names");
	*names = -1;
	if (!a)
		return true;
	if (a->value->kind == VALUE_NAMES) {
		*names = a->value->names;
		return true;
	}
	if (!value_failed(a->value))
		elab_error(e, PML0209, a->span, "`names` of `%s` is a `names` block, this is %s", builtin_name((int)b),
			   value_describe(e, a->value));
	return false;
}

const struct value *builtin_save(struct elab *e, struct arguments *args)
{
	struct host_expr *path = path_argument(e, args, BUILTIN_save);
	const struct argument *states = builtin_take(args, "states");
	int names;
	if (!path || !names_argument(e, args, BUILTIN_save, &names) || !builtin_done(e, args, BUILTIN_save) ||
	    !outside_gradient(e, args->span, "save"))
		return &value_error;
	struct host_value all = {.type = HOST_BOOL, .known = true};
	if (states && (states->value->kind != VALUE_HOST || states->value->host.type != HOST_BOOL)) {
		elab_error(e, PML0209, states->span, "`states` is a bool, this is %s",
			   value_describe(e, states->value));
		return &value_error;
	}
	if (states && names >= 0) {
		elab_error(e, PML0209, states->span, "with `names`, what is saved is what has a line there");
		return &value_error;
	}
	struct host_expr *x[4] = {path, host_of(e, states ? &states->value->host : &all), host_int(e, names),
				  host_int(e, elab_site_id(e, args->span, "save"))};
	region_close(e);
	host_eval(e, host_call(e, "save", HOST_VOID, args->span, 4, x), args->span);
	return &value_none;
}

const struct value *builtin_load(struct elab *e, struct arguments *args)
{
	struct host_expr *path = path_argument(e, args, BUILTIN_load);
	int names;
	if (!path || !names_argument(e, args, BUILTIN_load, &names) || !builtin_done(e, args, BUILTIN_load) ||
	    !outside_gradient(e, args->span, "load"))
		return &value_error;
	struct host_expr *x[3] = {path, host_int(e, names), host_int(e, elab_site_id(e, args->span, "load"))};
	region_close(e);
	host_eval(e, host_call(e, "load", HOST_VOID, args->span, 3, x), args->span);
	return &value_none;
}

/* An int by name; the fallback where it is left out. NULL after an error. */
static struct host_expr *int_option(struct elab *e, struct arguments *args, enum builtin b, const char *name,
				    int64_t fallback)
{
	const struct argument *a = builtin_take(args, name);
	if (!a)
		return host_int(e, fallback);
	if (a->value->kind == VALUE_HOST && a->value->host.type == HOST_INT)
		return host_of(e, &a->value->host);
	if (!value_failed(a->value))
		elab_error(e, PML0209, a->span, "`%s` of `%s` is an int, this is %s", name, builtin_name((int)b),
			   value_describe(e, a->value));
	return NULL;
}

const struct value *builtin_checkpoint(struct elab *e, struct arguments *args)
{
	struct host_expr *folder = path_argument(e, args, BUILTIN_checkpoint);
	struct host_expr *step = int_option(e, args, BUILTIN_checkpoint, "step", 0);
	struct host_expr *keep = int_option(e, args, BUILTIN_checkpoint, "keep", 2);
	if (!folder || !step || !keep || !builtin_done(e, args, BUILTIN_checkpoint) ||
	    !outside_gradient(e, args->span, "checkpoint"))
		return &value_error;
	struct host_expr *x[4] = {folder, step, keep, host_int(e, elab_site_id(e, args->span, "checkpoint"))};
	region_close(e);
	e->checkpoints++;
	host_eval(e, host_call(e, "checkpoint", HOST_VOID, args->span, 4, x), args->span);
	return &value_none;
}

/* A call now, of which the program makes sure that a signal ends it well. */
struct host_expr *host_stopping(struct elab *e, struct span at)
{
	e->stops++;
	return host_call(e, "stopping", HOST_BOOL, at, 0, NULL);
}

const struct value *builtin_stopping(struct elab *e, struct arguments *args)
{
	if (!builtin_done(e, args, BUILTIN_stopping) || !outside_gradient(e, args->span, "stopping"))
		return &value_error;
	return host_freeze(e, value_expr(e, host_stopping(e, args->span)), NULL, args->span);
}

const struct value *builtin_resume(struct elab *e, struct arguments *args)
{
	struct host_expr *folder = path_argument(e, args, BUILTIN_resume);
	if (!folder || !builtin_done(e, args, BUILTIN_resume) || !outside_gradient(e, args->span, "resume"))
		return &value_error;
	struct host_expr *x[2] = {folder, host_int(e, elab_site_id(e, args->span, "resume"))};
	region_close(e);
	const struct value *v = value_expr(e, host_call(e, "resume", HOST_INT, args->span, 2, x));
	return host_freeze(e, v, NULL, args->span);
}
