/* file_names.c — a `names` block: under which names, and how arranged, other programs keep the params in files.
 *
 *   blocks[i].wq[d, h, k] = "h.{i}.q.weight"[K * h + k, d];
 *
 * A line is expanded for every number its layer indices can have; each expansion joins one slot with one tensor of a
 * file, or with several of which the first that is there counts (`||`). The index notation says where every element
 * stands, so one line serves reading and writing. stored.c checks that what stands in one tensor of a file fills it. */
#include "stored.h"
#include "../values/values.h"

#include <string.h>

enum { MAX_INDICES = 16 };

/* A name in an index on the left: the number of a layer, or a dimension of the param. */
struct line_index {
	struct name name;
	bool is_layer;
	int64_t layer;
	int dim;
};

struct line {
	struct elab *e;
	struct file_names *out;
	const struct stmt *stmt;
	VEC(const struct expr *) steps; /* of the left side, from the param's name on: fields and indices */
	int nindices;
	struct line_index index[MAX_INDICES];
	bool indexed; /* the param's dimensions have names */
	int errors;   /* of the session before the line: one for all layers is enough */
};

static struct diag *error_at(struct line *l, struct span at, const char *message)
{
	return elab_error(l->e, PML0223, at, "%s", message);
}

static const struct line_index *find_index(const struct line *l, const char *name)
{
	for (int i = 0; i < l->nindices; i++)
		if (l->index[i].name.text == name)
			return &l->index[i];
	return NULL;
}

/* ---- the right side ---- */

/* At most one part in brackets, and only characters that every tool takes; `{...}` is not looked into. */
static bool check_text(struct line *l, const struct expr *x)
{
	int open = 0, close = 0;
	bool plain = *x->string && strcmp(x->string, "__metadata__");
	for (const char *s = x->string; *s; s++) {
		plain &= *s > ' ' && *s <= '~';
		open += *s == '[';
		close += *s == ']';
		if (close > open || open > 1)
			break;
	}
	if (!plain)
		error_at(l, x->span, "the name of a tensor is made of letters, digits and signs");
	else if (open != close || open > 1)
		error_at(l, x->span,
			 "what may be missing in a name stands in one pair of brackets: \"[model.]norm.weight\"");
	return plain && open == close && open <= 1;
}

/* "h.{i}.q.weight" with the numbers of the layers filled in; NULL after an error. */
static const char *expand_text(struct line *l, const struct expr *x)
{
	struct text t;
	text_init(&t, l->e->a);
	const char *at = x->string;
	if (!check_text(l, x))
		return NULL;
	for (const char *open; (open = strchr(at, '{')); at = strchr(open, '}') + 1) {
		const char *close = strchr(open, '}');
		if (!close) {
			error_at(l, x->span, "a `{` in the text is not closed");
			return NULL;
		}
		const char *name = elab_intern(l->e, "%.*s", (int)(close - open - 1), open + 1);
		const struct line_index *i = find_index(l, name);
		if (!i || !i->is_layer) {
			elab_error(l->e, PML0223, x->span, "`{%s}` is not the number of a layer", name);
			return NULL;
		}
		text_add_n(&t, at, (size_t)(open - at));
		text_printf(&t, "%lld", (long long)i->layer);
	}
	text_add(&t, at);
	return elab_intern(l->e, "%s", text_get(&t));
}

static bool mentions_index(const struct line *l, const struct expr *x)
{
	if (x->kind == EXPR_NAME)
		return find_index(l, x->name.text) != NULL;
	if (x->kind == EXPR_BINARY)
		return mentions_index(l, x->lhs) || mentions_index(l, x->rhs);
	return false;
}

/* offset + sum of step[d] * (index of the param's dimension d) */
struct affine {
	int64_t offset, step[MAX_RANK];
};

static bool affine_add(struct affine *a, const struct affine *b, int64_t factor)
{
	int64_t t;
	bool over = __builtin_mul_overflow(b->offset, factor, &t) || __builtin_add_overflow(a->offset, t, &a->offset);
	for (int d = 0; d < MAX_RANK; d++)
		over |= __builtin_mul_overflow(b->step[d], factor, &t) ||
			__builtin_add_overflow(a->step[d], t, &a->step[d]);
	return !over;
}

static bool read_affine(struct line *l, const struct expr *x, struct affine *out)
{
	struct affine a = {0}, b = {0};
	const struct line_index *i = x->kind == EXPR_NAME ? find_index(l, x->name.text) : NULL;
	*out = (struct affine){0};
	if (i) {
		*(i->is_layer ? &out->offset : &out->step[i->dim]) = i->is_layer ? i->layer : 1;
		return true;
	}
	if (!mentions_index(l, x))
		return size_eval(l->e, x, &out->offset);
	bool product = x->op == BIN_MUL, sum = x->op == BIN_ADD || x->op == BIN_SUB;
	if ((product && mentions_index(l, x->lhs) && mentions_index(l, x->rhs)) || (!product && !sum)) {
		error_at(l, x->span, "a position in the file is a sum of indices, each with a factor");
		return false;
	}
	if (!read_affine(l, x->lhs, &a) || !read_affine(l, x->rhs, &b))
		return false;
	bool fits = sum ? affine_add(out, &a, 1) && affine_add(out, &b, x->op == BIN_SUB ? -1 : 1)
			: affine_add(out, mentions_index(l, x->lhs) ? &a : &b,
				     mentions_index(l, x->lhs) ? b.offset : a.offset);
	if (!fits)
		error_at(l, x->span, "a position in the file is larger than any file");
	return fits;
}

static const struct slot *slot_of(const struct line *l, const struct piece *p)
{
	return l->e->p->slots.at[p->slot];
}

/* Every dimension of the param stands in one dimension of the file. */
static bool check_used(struct line *l, const struct piece *p, struct span at)
{
	for (int i = 0; i < l->nindices; i++) {
		const struct line_index *x = &l->index[i];
		if (x->is_layer || p->to[x->dim] >= 0)
			continue;
		elab_error(l->e, PML0223, at, "`%s` does not stand on the right", x->name.text);
		return false;
	}
	return true;
}

static bool read_position(struct line *l, const struct expr *x, int dim, struct piece *p)
{
	struct affine a;
	if (!read_affine(l, x, &a))
		return false;
	p->offset[dim] = a.offset;
	for (int d = 0; d < slot_of(l, p)->shape.rank; d++) {
		if (!a.step[d])
			continue;
		if (p->to[d] >= 0) {
			error_at(l, x->span, "an index stands in one dimension of the file only");
			return false;
		}
		p->to[d] = dim;
		p->step[d] = a.step[d];
	}
	return true;
}

static bool read_positions(struct line *l, const struct expr *source, struct piece *p)
{
	if (source->args.n > MAX_RANK) {
		elab_error(l->e, PML0223, source->span, "a tensor has at most %d dimensions", (int)MAX_RANK);
		return false;
	}
	for (int d = 0; d < MAX_RANK; d++)
		p->to[d] = -1;
	p->rank = source->args.n;
	for (int i = 0; i < source->args.n; i++) {
		const struct arg *a = &source->args.at[i];
		if (a->name.text || !a->value || a->value->kind == EXPR_RANGE) {
			error_at(l, a->span, "a position in the file is a sum of indices, each with a factor");
			return false;
		}
		if (!read_position(l, a->value, i, p))
			return false;
	}
	return check_used(l, p, source->span);
}

static bool is_none(const struct expr *x)
{
	return x->kind == EXPR_NAME && !x->item && !strcmp(x->name.text, "none");
}

/* One of the places where the param may stand. */
static void add_piece(struct line *l, const struct expr *x, int slot, int choice)
{
	struct piece p = {.slot = slot, .stored = -1, .choice = choice, .span = x->span};
	const struct expr *text = x->kind == EXPR_INDEX ? x->callee : x;
	if (is_none(x)) {
		vec_push(l->e->a, &l->out->pieces, p);
		return;
	}
	if (text->kind != EXPR_STRING) {
		error_at(l, x->span, "on the right of `=` stands the name of a tensor in a file, a text, or `none`");
		return;
	}
	if (l->indexed != (x->kind == EXPR_INDEX)) {
		struct diag *d = error_at(l, x->span, "either both sides are indexed or none");
		diag_note(
			d,
			"`w = \"weight\";` takes a tensor as it is, `w[n, m] = \"weight\"[m, n];` the transposed one");
		return;
	}
	const char *name = expand_text(l, text);
	p.rank = slot_of(l, &p)->shape.rank;
	for (int d = 0; d < p.rank; d++) {
		p.to[d] = d;
		p.step[d] = 1;
	}
	if (name && (!l->indexed || read_positions(l, x, &p)))
		stored_add(l->e, l->out, name, &p);
}

static void add_choices(struct line *l, const struct expr *x, int slot, int *choice)
{
	if (x->kind == EXPR_BINARY && x->op == BIN_OR) {
		add_choices(l, x->lhs, slot, choice);
		add_choices(l, x->rhs, slot, choice);
		return;
	}
	add_piece(l, x, slot, (*choice)++);
}

/* ---- the left side ---- */

static bool bind_index(struct line *l, struct name name, bool is_layer, int64_t number)
{
	if (l->nindices == MAX_INDICES) {
		error_at(l, name.span, "too many indices");
		return false;
	}
	l->index[l->nindices++] = (struct line_index){name, is_layer, number, (int)number};
	return true;
}

static void walk_param(struct line *l, int slot, int step)
{
	const struct slot *s = l->e->p->slots.at[slot];
	int choice = 0, outer = l->nindices;
	l->indexed = step < l->steps.n;
	const struct expr *x = l->indexed ? l->steps.at[step] : NULL;
	if (x && (x->kind != EXPR_INDEX || step + 1 < l->steps.n || x->args.n != s->shape.rank)) {
		elab_error(l->e, PML0223, x->span, "`%s` has %d dimension%s", s->name, s->shape.rank,
			   s->shape.rank == 1 ? "" : "s");
		return;
	}
	for (int d = 0; x && d < x->args.n; d++) {
		const struct arg *a = &x->args.at[d];
		if (a->name.text || !a->value || a->value->kind != EXPR_NAME) {
			error_at(l, a->span, "an index on the left is a name");
			return;
		}
		if (!bind_index(l, a->value->name, false, d))
			return;
	}
	add_choices(l, l->stmt->value, slot, &choice);
	l->nindices = outer;
}

static void walk_target(struct line *l, const struct value *v, int step);

static void walk_list(struct line *l, const struct value *v, int step)
{
	const struct expr *x = step < l->steps.n ? l->steps.at[step] : NULL;
	const struct expr *i =
		x && x->kind == EXPR_INDEX && x->args.n == 1 && !x->args.at[0].name.text ? x->args.at[0].value : NULL;
	int64_t number;
	if (!i) {
		error_at(l, x ? x->span : l->stmt->target->span,
			 "this is a list of params: `[i]` stands for each of them");
		return;
	}
	if (i->kind == EXPR_NAME) {
		for (int k = 0; k < v->items.n && bind_index(l, i->name, true, k); k++) {
			walk_target(l, v->items.at[k], step + 1);
			l->nindices--;
		}
	} else if (size_eval(l->e, i, &number)) {
		if (number >= 0 && number < v->items.n)
			walk_target(l, v->items.at[number], step + 1);
		else
			elab_error(l->e, PML0210, i->span, "there are elements 0 to %d", v->items.n - 1);
	}
}

static void walk_struct(struct line *l, const struct value *v, int step)
{
	const struct expr *x = step < l->steps.n ? l->steps.at[step] : NULL;
	if (!x || x->kind != EXPR_FIELD) {
		elab_error(l->e, PML0223, x ? x->span : l->stmt->target->span,
			   "%s has several params: name one of its fields", value_describe(l->e, v));
		return;
	}
	for (int i = 0; i < v->object.fields.n; i++)
		if (v->object.fields.at[i].name == x->name.text) {
			walk_target(l, v->object.fields.at[i].value, step + 1);
			return;
		}
	elab_error(l->e, PML0216, x->name.span, "%s has no `%s`", value_describe(l->e, v), x->name.text);
}

static void walk_target(struct line *l, const struct value *v, int step)
{
	if (value_failed(v) || l->e->s->errors != l->errors || !elab_step(l->e, 1, l->stmt->span))
		return;
	if (v->kind == VALUE_PARAM)
		walk_param(l, v->slot, step);
	else if (v->kind == VALUE_LIST)
		walk_list(l, v, step);
	else if (v->kind == VALUE_STRUCT)
		walk_struct(l, v, step);
	else
		elab_error(l->e, PML0223, l->stmt->target->span, "this is %s, not a param or state",
			   value_describe(l->e, v));
}

/* `_ = "h.{i}.attn.bias";`: may be in the file, and is not read. */
static void add_ignored(struct line *l)
{
	const struct expr *x = l->stmt->value;
	if (x->kind == EXPR_STRING && !check_text(l, x))
		return;
	const char *open = x->kind == EXPR_STRING ? strchr(x->string, '{') : NULL;
	if (open && !strchr(open, '}'))
		error_at(l, x->span, "a `{` in the text is not closed");
	else if (x->kind == EXPR_STRING)
		vec_push(l->e->a, &l->out->ignored, l->stmt->value->string);
	else
		error_at(l, l->stmt->value->span, "what a file may hold and nobody reads is named by a text");
}

static void collect_steps(struct line *l, const struct expr *x)
{
	if (x->kind == EXPR_INDEX || x->kind == EXPR_FIELD) {
		collect_steps(l, x->kind == EXPR_INDEX ? x->callee : x->object);
		vec_push(l->e->a, &l->steps, x);
	}
}

static void add_line(struct elab *e, struct file_names *out, const struct stmt *s)
{
	struct line l = {.e = e, .out = out, .stmt = s, .errors = e->s->errors};
	collect_steps(&l, s->target);
	const struct expr *root =
		l.steps.n ? l.steps.at[0]->kind == EXPR_INDEX ? l.steps.at[0]->callee : l.steps.at[0]->object
			  : s->target;
	if (root->kind == EXPR_NAME && !strcmp(root->name.text, "_") && !l.steps.n)
		add_ignored(&l);
	else if (root->kind == EXPR_NAME && root->item)
		walk_target(&l, item_value(e, root->item, root->span), 0);
	else
		error_at(&l, s->target->span, "on the left of `=` stands a param or state");
}

const struct value *file_names_item(struct elab *e, struct item *item)
{
	struct file_names *out = ARENA_NEW(e->a, struct file_names);
	out->name = item->name.text;
	int errors = e->s->errors;
	for (const struct stmt *s = item->body->body; s; s = s->next)
		add_line(e, out, s);
	if (e->s->errors == errors)
		stored_check(e, out, item->name.span);
	if (e->s->errors != errors)
		return &value_error;
	struct value *v = value_new(e, VALUE_NAMES);
	v->names = e->p->names.n;
	vec_push(e->a, &e->p->names, out);
	return v;
}
