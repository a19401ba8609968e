/* builtin_host.c — what main does besides computing: log; random keys; ints. */
#include "builtin.h"
#include "../operators/operators.h"
#include "../gradients/gradients.h"

#include <string.h>

const struct value *builtin_none(struct elab *e, struct arguments *args)
{
	elab_error(e, PML0208, args->span, "`none` cannot be called");
	return &value_error;
}

const struct value *builtin_is_known(struct elab *e, struct arguments *args)
{
	const struct argument *a = builtin_need(e, args, BUILTIN_is_known, "x");
	if (!a || !builtin_done(e, args, BUILTIN_is_known))
		return &value_error;
	return value_bool(e, !value_is_tensor(a->value) && (a->value->kind != VALUE_HOST || a->value->host.known));
}

const struct value *builtin_is_list(struct elab *e, struct arguments *args)
{
	const struct argument *a = builtin_need(e, args, BUILTIN_is_list, "x");
	if (!a || !builtin_done(e, args, BUILTIN_is_list))
		return &value_error;
	return value_bool(e, a->value->kind == VALUE_LIST);
}

const struct value *builtin_is_tensor(struct elab *e, struct arguments *args)
{
	const struct argument *a = builtin_need(e, args, BUILTIN_is_tensor, "x");
	if (!a || !builtin_done(e, args, BUILTIN_is_tensor))
		return &value_error;
	return value_bool(e, value_is_tensor(a->value));
}

const struct value *builtin_pairs(struct elab *e, struct arguments *args)
{
	const struct argument *a = builtin_need(e, args, BUILTIN_pairs, "a");
	const struct argument *b = a ? builtin_need(e, args, BUILTIN_pairs, "b") : NULL;
	if (!b || !builtin_done(e, args, BUILTIN_pairs))
		return &value_error;
	return gradient_pairs(e, a->value, b->value, args->span, a->span, b->span);
}

/* ---- log ---- */

static const char *log_name(struct elab *e, const struct argument *a)
{
	struct text t;
	if (a->name)
		return a->name;
	text_init(&t, e->a);
	if (a->expr)
		ast_print_expr(&t, a->expr);
	return text_get(&t);
}

/* What every record has of itself. */
static bool log_name_is_free(struct elab *e, const char *name, struct span at)
{
	static const char *const own[] = {"step", "time", "site", "done"};
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (!strcmp(name, own[i])) {
			struct diag *d = elab_error(e, PML0203, at, "`log` writes a `%s` of its own", name);
			diag_help(d, "call this one otherwise: `log(my_%s = ...)`", name);
			return false;
		}
	return true;
}

static const char *log_call(enum host_type t)
{
	return t == HOST_FLOAT ? "log_float" : t == HOST_BOOL ? "log_bool" : t == HOST_TEXT ? "log_text" : "log_int";
}

/* Now, or behind the region that computes it. */
static void log_value(struct elab *e, bool waits, const char *name, const struct value *v, struct span at)
{
	struct host_expr *x[2] = {host_text(e, name), NULL};
	struct shown shown = {.arg = 1};
	if (value_is_tensor(v)) {
		shown.node = region_shown(e, v, "argument of `log`", at, at);
		shown.as = host_type_of(shown.node->dtype);
		region_behind(e, host_call(e, log_call(shown.as), HOST_VOID, at, 2, x), 1, &shown, at);
		return;
	}
	v = waits ? host_freeze(e, v, NULL, at) : v;
	x[1] = host_of(e, &v->host);
	region_say(e, waits, host_call(e, log_call(v->host.type), HOST_VOID, at, 2, x), at);
}

/* A number as it is logged; apart: in the midst of what is computed as one, see builtin_print.c. */
static const struct value *logged(struct elab *e, const struct value *v, bool apart, struct span at)
{
	if (!apart)
		return read_scalar(e, v, at);
	v = number_as_tensor(e, v, at);
	return !value_is_tensor(v) || is_one_number(e, v, at) ? v : &value_error;
}

/* A logarithm that is a statement of its own. */
static const struct value *logarithm_unread(struct elab *e, const struct argument *a, struct span call)
{
	struct diag *d = elab_error(e, PML0203, call, "this is the logarithm of a number, and nobody reads it");
	diag_help(d, "what `log` writes has a name");
	diag_edit(d, (struct span){a->span.file, a->span.begin, a->span.begin},
		  a->expr && a->expr->kind == EXPR_NAME ? arena_printf(e->a, "%s = ", a->expr->name.text) : "value = ");
	return &value_error;
}

const struct value *builtin_log(struct elab *e, struct arguments *args)
{
	if (args->at.n == 1 && !args->at.at[0].name) {
		const struct argument *a = &args->at.at[0];
		if (e->unread && e->unread->span.begin == args->span.begin && e->unread->span.end == args->span.end &&
		    e->unread->span.file == args->span.file)
			return logarithm_unread(e, a, args->span);
		return call_prelude(e, "ln", args->span, 1, &a->value, &a->span);
	}
	bool apart = region_stays_open(e);
	if (!graph_loop_shows(e, args->span, "`log`"))
		return &value_error;
	const struct value **v = ARENA_ARRAY(e->a, const struct value *, args->at.n + 1);
	for (int i = 0; i < args->at.n; i++) {
		const struct argument *a = &args->at.at[i];
		v[i] = logged(e, a->value, apart, a->span);
		if (value_failed(v[i]))
			return v[i];
		bool fits = value_is_tensor(v[i]) ||
			    (v[i]->kind == VALUE_HOST && v[i]->host.type != HOST_HANDLE && v[i]->host.type != HOST_KEY);
		if (!fits) {
			struct diag *d =
				elab_error(e, PML0506, a->span, "%s cannot be logged", value_describe(e, v[i]));
			elab_help_sort(e, d, v[i], a->span);
			return &value_error;
		}
		if (!log_name_is_free(e, log_name(e, a), a->span))
			return &value_error;
	}
	bool waits = apart || region_has_behind(e);
	for (int i = 0; i < args->at.n; i++)
		log_value(e, waits, log_name(e, &args->at.at[i]), v[i], args->at.at[i].span);
	struct host_expr *site = host_int(e, elab_site_id(e, args->span, "log"));
	region_say(e, waits, host_call(e, "log_end", HOST_VOID, args->span, 1, &site), args->span);
	return &value_nothing;
}

/* ---- random keys ---- */

static struct host_expr *fold_key(struct elab *e, struct host_expr *key, const struct value *v, struct span at)
{
	v = read_integer(e, v, at);
	if (v->kind != VALUE_HOST || v->host.type != HOST_INT) {
		if (!value_failed(v))
			elab_error(e, PML0209, at, "a random key is made from ints, this is %s", value_describe(e, v));
		return NULL;
	}
	struct host_expr *x[2] = {key, host_of(e, &v->host)};
	return host_call(e, "key_fold", HOST_KEY, at, 2, x);
}

const struct value *builtin_rng(struct elab *e, struct arguments *args)
{
	struct host_expr *key = host_call(e, "key_root", HOST_KEY, args->span, 0, NULL);
	for (int i = 0; i < args->at.n && key; i++)
		key = fold_key(e, key, args->at.at[i].value, args->at.at[i].span);
	return key ? microbatch_key(e, value_expr(e, key), args->span) : &value_error;
}

static const struct value *key_argument(struct elab *e, struct arguments *args, enum builtin b)
{
	const struct argument *a = builtin_need(e, args, b, "key");
	if (!a)
		return NULL;
	if (a->value->kind == VALUE_HOST && a->value->host.type == HOST_KEY)
		return a->value;
	elab_error(e, PML0209, a->span, "`%s` takes a random key, this is %s", builtin_name((int)b),
		   value_describe(e, a->value));
	return NULL;
}

const struct value *builtin_fold(struct elab *e, struct arguments *args)
{
	const struct value *key = key_argument(e, args, BUILTIN_fold);
	if (!key)
		return &value_error;
	struct host_expr *x = host_of(e, &key->host);
	for (int i = 0; i < args->at.n && x; i++)
		x = fold_key(e, x, args->at.at[i].value, args->at.at[i].span);
	return x ? value_expr(e, x) : &value_error;
}

const struct value *builtin_split(struct elab *e, struct arguments *args)
{
	const struct value *key = key_argument(e, args, BUILTIN_split);
	const struct argument *n = key ? builtin_need(e, args, BUILTIN_split, "n") : NULL;
	if (!n || !builtin_done(e, args, BUILTIN_split))
		return &value_error;
	if (!value_is_known(n->value) || n->value->host.type != HOST_INT) {
		struct diag *d = elab_error(e, PML0205, n->span, "how many keys to make must be known when compiling");
		help_config(e, d, n->value);
		return &value_error;
	}
	if (n->value->host.i < 0 || n->value->host.i > MAX_UNROLLED) {
		struct diag *d = elab_error(e, PML0205, n->span, "a list has 0 to %d keys, not %lld", (int)MAX_UNROLLED,
					    (long long)n->value->host.i);
		diag_help(d, "`fold(key, i)` makes one of a number, in a loop or of each line");
		return &value_error;
	}
	struct value *out = value_new(e, VALUE_LIST);
	for (int64_t i = 0; i < n->value->host.i; i++) {
		struct host_expr *x = fold_key(e, host_of(e, &key->host), value_int(e, i), n->span);
		vec_push(e->a, &out->items, value_expr(e, x));
	}
	return out;
}

/* Draws are functions of a point: they stand in bodies of ops. */
static const struct value *draw(struct elab *e, struct arguments *args, enum builtin b)
{
	struct diag *d = elab_error(e, PML0603, args->span, "`%s` stands in index notation only", builtin_name((int)b));
	diag_help(d, "for a tensor of draws use `uniform(key, shape)` or `normal(key, shape)`");
	return &value_error;
}

const struct value *builtin_random_bits(struct elab *e, struct arguments *args)
{
	return draw(e, args, BUILTIN_random_bits);
}

const struct value *builtin_random_uniform(struct elab *e, struct arguments *args)
{
	return draw(e, args, BUILTIN_random_uniform);
}

const struct value *builtin_random_normal(struct elab *e, struct arguments *args)
{
	return draw(e, args, BUILTIN_random_normal);
}

const struct value *builtin_random_gamma(struct elab *e, struct arguments *args)
{
	return draw(e, args, BUILTIN_random_gamma);
}

const struct value *builtin_random_poisson(struct elab *e, struct arguments *args)
{
	return draw(e, args, BUILTIN_random_poisson);
}

const struct value *builtin_random_position(struct elab *e, struct arguments *args)
{
	return draw(e, args, BUILTIN_random_position);
}

/* ---- ints ---- */

const struct value *builtin_floor_div(struct elab *e, struct arguments *args)
{
	const struct argument *a = builtin_need(e, args, BUILTIN_floor_div, "a"),
			      *b = a ? builtin_need(e, args, BUILTIN_floor_div, "b") : NULL;
	if (!b || !builtin_done(e, args, BUILTIN_floor_div))
		return &value_error;
	return int_floor_div(e, a->value, b->value, args->span, a->span, b->span);
}
