/* builtin_files.c — save, load, checkpoint, resume: params and states in files; data.save_npy: a tensor in one. */
#include "builtin.h"
#include "../values/values.h"

#include <string.h>

static struct host_expr *path_argument(struct elab *e, struct arguments *args, enum builtin b)
{
	const struct argument *a = builtin_need(e, args, b, "path");
	if (!a)
		return NULL;
	if (a->value->kind == VALUE_HOST && a->value->host.type == HOST_TEXT)
		return host_of(e, &a->value->host);
	struct diag *d = elab_error(e, PML0209, a->span, "`%s` takes a path, this is %s", builtin_name((int)b),
				    value_describe(e, a->value));
	diag_note(d, "%s", builtin_describe((int)b));
	return NULL;
}

static bool outside_gradient(struct elab *e, struct span at, const char *what)
{
	if (microbatch_refuses(e, at, arena_printf(e->a, "`%s`", what)))
		return false;
	if (!e->grad_depth)
		return !e->mapped || !graph_loop_refuses(e, at, arena_printf(e->a, "`%s`", what));
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
	return &value_nothing;
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
	return &value_nothing;
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

static bool says_step(const struct arguments *args)
{
	for (int i = 0; i < args->at.n; i++)
		if (args->at.at[i].name ? strcmp(args->at.at[i].name, "step") == 0 : i > 0)
			return true;
	return false;
}

/* What `resume` gives is the step that a checkpoint says. */
static bool begins_again(struct elab *e, struct span at)
{
	if (!e->resumed.file)
		return false;
	struct diag *d = elab_error(e, PML0203, at, "this checkpoint does not say with which step to go on");
	diag_label(d, e->resumed, "takes it from there, and would begin with 0 again");
	diag_help(d, "the next one is meant: `step = step + 1`, where `step` counts the turns");
	return true;
}

const struct value *builtin_checkpoint(struct elab *e, struct arguments *args)
{
	bool said = says_step(args);
	struct host_expr *folder = path_argument(e, args, BUILTIN_checkpoint);
	struct host_expr *step = int_option(e, args, BUILTIN_checkpoint, "step", 0);
	struct host_expr *keep = int_option(e, args, BUILTIN_checkpoint, "keep", 2);
	if (!folder || !step || !keep || !builtin_done(e, args, BUILTIN_checkpoint) ||
	    !outside_gradient(e, args->span, "checkpoint") || (!said && begins_again(e, args->span)))
		return &value_error;
	struct host_expr *x[4] = {folder, step, keep, host_int(e, elab_site_id(e, args->span, "checkpoint"))};
	region_close(e);
	e->checkpoints++;
	host_eval(e, host_call(e, "checkpoint", HOST_VOID, args->span, 4, x), args->span);
	return &value_nothing;
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
	e->resumed = args->span;
	const struct value *v = value_expr(e, host_call(e, "resume", HOST_INT, args->span, 2, x));
	return host_freeze(e, v, NULL, args->span);
}

/* ---- data.save_npy ---- */

/* A finished tensor of elements that NumPy has; NULL after an error. */
static struct node *npy_argument(struct elab *e, const struct argument *a)
{
	if (!value_is_tensor(a->value)) {
		if (value_failed(a->value))
			return NULL;
		struct diag *d = elab_error(e, PML0209, a->span, "`data.save_npy` takes a tensor, this is %s",
					    value_describe(e, a->value));
		if (value_is_list(a->value) || value_is_number(a->value))
			diag_help(d, "a list of numbers is one with its element type: `[1.5, 2.5] as f32`");
		return NULL;
	}
	if (tensor_dtype(e, a->value) == DT_BF16) {
		struct diag *d = elab_error(e, PML0202, a->span, "NumPy has no elements of type bf16, this is %s",
					    value_describe(e, a->value));
		diag_help(d, "f32 has all of its numbers: `x as f32`");
		return NULL;
	}
	struct node *n = tensor_node(e, a->value, a->span);
	/* A param or state is finished, and is written from where it lies. */
	if (!n->place || (n->kind == NODE_SLOT && e->p->slots.at[n->slot]->slot_class != SLOT_VALUE))
		return n;
	struct node_site site = elab_site(e, a->span);
	struct layout_spec any = {.form = LAYOUT_INFER};
	site.name = n->name;
	return graph_contract(region_graph(e), &site, n, n->place, &any, "argument of `data.save_npy`",
			      (struct span){0});
}

const struct value *builtin_data_save_npy(struct elab *e, struct arguments *args)
{
	const struct argument *x = builtin_need(e, args, BUILTIN_data_save_npy, "x");
	struct argument tensor = x ? *x : (struct argument){0};
	const struct argument *path = x ? builtin_need(e, args, BUILTIN_data_save_npy, "path") : NULL;
	if (!path || !builtin_done(e, args, BUILTIN_data_save_npy) || !outside_gradient(e, args->span, "data.save_npy"))
		return &value_error;
	struct host_expr *to = data_path(e, path->value, path->span, BUILTIN_data_save_npy);
	struct node *n = to ? npy_argument(e, &tensor) : NULL;
	if (!n)
		return &value_error;
	int slot = tensor_slot(e, e->region, n, tensor.span);
	struct host_expr *call[3] = {to, host_int(e, slot), host_int(e, elab_site_id(e, args->span, "data.save_npy"))};
	region_close(e);
	host_eval(e, host_call(e, "data_save_npy", HOST_VOID, args->span, 3, call), args->span);
	return &value_nothing;
}
