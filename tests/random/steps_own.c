/* steps_own.c — operators of the program's own: random index maps, as an `op` or as `let v[i, j] = ...`. */
#include "program.h"

#include <string.h>

static const char *const factor_names[MAX_FACTORS] = {"i", "j", "k", "l", "m", "n", "o", "p"};

struct own {
	struct app *app;
	int variable[MAX_OPERANDS];
	bool named[MAX_FACTORS]; /* its extent is an attribute: no dimension says it */
	const char *dims[MAX_OPERANDS];
};

static const char *index_text(struct maker *m, const struct app *a, const struct index *ix)
{
	const char *text = "";
	for (int f = 0; f < a->nfactors; f++) {
		if (!ix->coef[f])
			continue;
		const char *sign = *text ? (ix->coef[f] < 0 ? " - " : " + ") : ix->coef[f] < 0 ? "-" : "";
		int c = ix->coef[f] < 0 ? -ix->coef[f] : ix->coef[f];
		text = c == 1 ? heap_text(m->heap, "%s%s%s", text, sign, factor_names[f])
			      : heap_text(m->heap, "%s%s%d * %s", text, sign, c, factor_names[f]);
	}
	if (ix->offset || !*text)
		text = *text ? heap_text(m->heap, "%s %c %d", text, ix->offset < 0 ? '-' : '+',
					 ix->offset < 0 ? -ix->offset : ix->offset)
			     : heap_text(m->heap, "%d", ix->offset);
	return text;
}

static const char *access_text(struct maker *m, const struct app *a, const struct access *at)
{
	const char *text = "";
	for (int d = 0; d < at->shape.rank; d++)
		text = heap_text(m->heap, "%s%s%s", text, d ? ", " : "", index_text(m, a, &at->index[d]));
	return text;
}

/* One operand's dimensions: factors alone; in operators with attributes also windows and offsets. */
static void choose_operand(struct maker *m, struct app *a, int k, bool windows)
{
	struct access *at = &a->in[k];
	int rank = dice_range(&m->dice, 1, a->nfactors < 3 ? a->nfactors : 3), used = 0;
	for (int d = 0; d < rank; d++) {
		int f = dice_below(&m->dice, a->nfactors);
		if (used >> f & 1 && dice_chance(&m->dice, 85)) {
			rank = d;
			break;
		}
		used |= 1 << f;
		add_dim(at, a->extent[f], f);
		if (!windows || !dice_chance(&m->dice, 25))
			continue;
		struct index *ix = &at->index[d];
		int other = dice_below(&m->dice, a->nfactors), what = dice_below(&m->dice, 4);
		if (what == 0) { /* backwards */
			ix->coef[f] = -1;
			ix->offset = a->extent[f] - 1;
		} else if (what == 1 && other != f) { /* a window */
			ix->coef[f] = dice_range(&m->dice, 1, 2);
			ix->coef[other] = 1;
			ix->offset = -dice_below(&m->dice, 2);
			at->shape.dim[d] = ix->coef[f] * (a->extent[f] - 1) + a->extent[other];
		} else { /* a slice or padding */
			ix->offset = dice_range(&m->dice, -2, 2);
			at->shape.dim[d] = a->extent[f] + (ix->offset ? dice_below(&m->dice, 3) : 0);
		}
		if (at->shape.dim[d] < 1)
			at->shape.dim[d] = 1;
	}
}

static void choose_result(struct maker *m, struct app *a)
{
	static const enum joiner joiners[] = {JOIN_SUM, JOIN_SUM, JOIN_SUM, JOIN_MAX, JOIN_MIN, JOIN_MEAN};
	int order[MAX_FACTORS], reduced = 0;
	for (int f = 0; f < a->nfactors; f++)
		order[f] = f;
	for (int f = a->nfactors - 1; f > 0; f--) {
		int o = dice_below(&m->dice, f + 1), was = order[f];
		order[f] = order[o];
		order[o] = was;
	}
	for (int i = 0; i < a->nfactors; i++) {
		int f = order[i];
		a->reduced[f] = a->out.shape.rank == 3 || dice_chance(&m->dice, 35);
		reduced += a->reduced[f];
		if (!a->reduced[f])
			add_dim(&a->out, a->extent[f], f);
	}
	a->joiner = reduced ? joiners[dice_below(&m->dice, 6)] : JOIN_NONE;
}

static const struct body *choose_body(struct maker *m, struct app *a, enum dtype t, const char **text)
{
	const struct body *x = b_operand(m, 0, t), *y = b_operand(m, 1, t), *z = b_operand(m, 2, t);
#define OP(fn, p, q) b_fn(m, FN_##fn, t, p, q, NULL)
	if (a->noperands == 1) {
		int f = dice_below(&m->dice, a->nfactors), g = dice_below(&m->dice, a->nfactors);
		switch (dice_below(&m->dice, dtype_is_float(t) ? 5 : 4)) {
		case 4:
			return *text = "tanh(#x)", b_fn(m, FN_TANH, t, x, NULL, NULL);
		case 0:
			return *text = "#x", x;
		case 1:
			return *text = "#x * #x", OP(MUL, x, x);
		case 2:
			*text = heap_text(m->heap, "where(%s <= %s, #x, 0)", factor_names[f], factor_names[g]);
			return b_fn(m, FN_WHERE, t, b_fn(m, FN_LE, BOOL, b_factor(m, f), b_factor(m, g), NULL), x,
				    b_const(m, t, 0));
		default:
			return *text = "2 * #x + 1", OP(ADD, OP(MUL, b_const(m, t, 2), x), b_const(m, t, 1));
		}
	}
	if (a->noperands == 2)
		switch (dice_below(&m->dice, 6)) {
		case 0:
			return *text = "#x + #y", OP(ADD, x, y);
		case 1:
			return *text = "#x - 2 * #y", OP(SUB, x, OP(MUL, b_const(m, t, 2), y));
		case 2:
			return *text = "max(#x, #y)", OP(LARGER, x, y);
		case 3:
			return *text = "(#x - #y) * (#x - #y)", OP(MUL, OP(SUB, x, y), OP(SUB, x, y));
		default:
			return *text = "#x * #y", OP(MUL, x, y);
		}
	if (dice_chance(&m->dice, 50))
		return *text = "#x * #y + #z", OP(ADD, OP(MUL, x, y), z);
	return *text = "#x * #y * #z", OP(MUL, OP(MUL, x, y), z);
#undef OP
}

/* The body with `#x`, `#y`, `#z` as written in the notation at hand. */
static const char *fill_in(struct maker *m, const char *body, const char *const *operand)
{
	char *out = heap_text(m->heap, "%s", "");
	for (const char *p = body; *p; p++) {
		if (*p == '#')
			out = heap_text(m->heap, "%s%s", out, operand[*++p - 'x']);
		else
			out = heap_text(m->heap, "%s%c", out, *p);
	}
	return out;
}

static const char *reduction_text(struct maker *m, const struct app *a)
{
	static const char *const names[] = {"", "sum", "prod", "max", "min", "mean", "any", "all", "argmax", "argmin"};
	const char *text = "";
	if (a->joiner == JOIN_NONE)
		return text;
	for (int f = 0; f < a->nfactors; f++)
		if (a->reduced[f])
			text = heap_text(m->heap, "%s%s%s", text, *text ? ", " : "", factor_names[f]);
	return heap_text(m->heap, "%s[%s] ", names[a->joiner], text);
}

/* Extents are known from a dimension, or named. Every factor is read: one that is in the result alone would need a
 * name. */
static void name_extents(struct own *o)
{
	const struct app *a = o->app;
	for (int f = 0; f < a->nfactors; f++) {
		o->named[f] = true;
		for (int k = 0; k < a->noperands; k++)
			for (int d = 0; d < a->in[k].shape.rank; d++)
				o->named[f] &= plain_factor(a, &a->in[k], d) != f;
	}
}

static bool any_named(const struct own *o)
{
	for (int f = 0; f < o->app->nfactors; f++)
		if (o->named[f])
			return true;
	return false;
}

static bool all_plain(const struct app *a)
{
	for (int k = 0; k < a->noperands; k++)
		for (int d = 0; d < a->in[k].shape.rank; d++)
			if (plain_factor(a, &a->in[k], d) < 0)
				return false;
	return true;
}

static int write_let(struct maker *m, struct own *o, int first, int n, const char *body)
{
	const char *operand[MAX_OPERANDS] = {0};
	for (int k = 0; k < o->app->noperands; k++)
		operand[k] = heap_text(m->heap, "%s[%s]", m->pool[o->variable[k]].text, o->dims[k]);
	return define(m, first, n,
		      heap_text(m->heap, "[%s] = %s(%s)", access_text(m, o->app, &o->app->out),
				reduction_text(m, o->app), fill_in(m, body, operand)));
}

static int write_op(struct maker *m, struct own *o, int first, int n, const char *body, const char *const *texts)
{
	static const char *const names[] = {"x", "y", "z"};
	const char *name = new_name(m, "own"), *list = "", *call = "";
	for (int k = 0; k < o->app->noperands; k++) {
		list = heap_text(m->heap, "%s%s%s[%s]", list, k ? ", " : "", names[k], o->dims[k]);
		call = heap_text(m->heap, "%s%s%s", call, k ? ", " : "", texts[k]);
	}
	for (int f = 0; f < o->app->nfactors; f++)
		if (o->named[f]) {
			list = heap_text(m->heap, "%s, %s: int", list, factor_names[f]);
			call = heap_text(m->heap, "%s, %s = %d", call, factor_names[f], o->app->extent[f]);
		}
	int made = define(m, first, n, heap_text(m->heap, "%s(%s)", name, call));
	if (made >= 0)
		buffer_add(&m->items, "op %s(%s) -> [%s] = %s(%s);\n", name, list, access_text(m, o->app, &o->app->out),
			   reduction_text(m, o->app), fill_in(m, body, names));
	return made;
}

static int make_own(struct maker *m)
{
	struct own o = {0};
	enum dtype t = m->smooth || dice_chance(&m->dice, 85) ? (dice_chance(&m->dice, 60) ? F32 : F64) : I32;
	int nodes[MAX_OPERANDS];
	bool windows = dice_chance(&m->dice, 45);
	struct app *a = o.app = app_new(m, NULL, dice_range(&m->dice, 1, 3));
	a->nfactors = dice_range(&m->dice, 1, 4);
	for (int f = 0; f < a->nfactors; f++)
		a->extent[f] = dice_range(&m->dice, 1, a->nfactors > 2 ? 5 : 8);
	for (int k = 0; k < a->noperands; k++) {
		a->in[k].type = t;
		choose_operand(m, a, k, windows);
	}
	choose_result(m, a);
	a->out.type = t;
	const char *body, *texts[MAX_OPERANDS];
	a->body = choose_body(m, a, t, &body);
	if (a->joiner == JOIN_MEAN && !dtype_is_float(t))
		a->joiner = JOIN_SUM;
	name_extents(&o);
	for (int k = 0; k < a->noperands; k++) {
		o.variable[k] = some_operand(m, t, &a->in[k].shape, m->at);
		o.dims[k] = access_text(m, a, &a->in[k]);
	}
	int first = m->nnodes;
	bool as_let = all_plain(a) && !any_named(&o) && dice_chance(&m->dice, 50);
	for (int k = 0; k < a->noperands; k++) {
		texts[k] = m->pool[o.variable[k]].text;
		nodes[k] = as_let ? m->pool[o.variable[k]].node : take(m, o.variable[k], &texts[k]);
	}
	int n = node_apply(m, a, nodes);
	return as_let ? write_let(m, &o, first, n, body) : write_op(m, &o, first, n, body, texts);
}

const struct step steps_own[] = {{"own", 12, true, make_own}, {NULL, 0, false, NULL}};
