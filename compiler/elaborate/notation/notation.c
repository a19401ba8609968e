/* notation.c — factors of index notation and their extents: from the operands' dimensions they stand at alone, from
 * attributes of their name (`op iota(n: int) -> [n] = n`), then from windows (`x[y + p]`: y has what p leaves of x). */
#include "notation_build.h"
#include "../operators/operators.h"

#include <string.h>

struct notation *notation_new(struct elab *e, const char *name, struct span at)
{
	struct notation *n = e->notations;
	if (n)
		e->notations = n->next;
	else
		n = ARENA_NEW(e->a, struct notation);
	*n = (struct notation){.e = e, .name = name, .at = at};
	map_init(&n->tensors, e->a);
	return n;
}

void notation_end(struct notation *n)
{
	n->next = n->e->notations;
	n->e->notations = n;
}

void notation_fail(struct notation *n)
{
	n->failed = true;
}

int notation_factor(const struct notation *n, const char *name)
{
	for (int i = 0; i < n->nfactors; i++)
		if (n->factor[i].name == name)
			return i;
	return -1;
}

int notation_add_factor(struct notation *n, const char *name)
{
	int f = notation_factor(n, name);
	if (f >= 0)
		return f;
	if (n->nfactors == MAX_FACTORS) {
		if (!n->failed)
			elab_error(n->e, PML0606, n->at, "`%s` has more than %d factors", n->name, (int)MAX_FACTORS);
		notation_fail(n);
		return 0;
	}
	n->factor[n->nfactors] = (struct noted_factor){.name = name, .extent = -1};
	return n->nfactors++;
}

struct noted_param *notation_param(struct notation *n, const char *name)
{
	for (int i = 0; i < n->nparams; i++)
		if (n->param[i].decl->name.text == name)
			return &n->param[i];
	return NULL;
}

/* Whether `x @ y` is written where the operands of a call stand. */
static bool is_written_as_product(const struct notation *n)
{
	if (n->nparams != 2)
		return false;
	const struct span *x = &n->param[0].span, *y = &n->param[1].span;
	if (x->file != y->file || elab_is_of_library(n->e, *x) || x->end > y->begin)
		return false;
	const char *source = n->e->s->sources.at[x->file].bytes;
	return memchr(source + x->end, '@', y->begin - x->end) != NULL;
}

bool notation_is_sign(const struct notation *n)
{
	return !elab_is_of_library(n->e, n->at) && (binary_sign(n->name) != n->name || is_written_as_product(n));
}

const char *notation_called(const struct notation *n)
{
	return elab_called(n->e, is_written_as_product(n) ? "@" : binary_sign(n->name));
}

static const char *in_words(struct notation *n, struct extent_source s)
{
	const char *quote = s.what && s.is_name ? "`" : "", *what = s.what ? s.what : "this";
	if (s.dim < 0)
		return arena_printf(n->e->a, "%s%s%s", quote, what, quote);
	return arena_printf(n->e->a, "dimension %d of %s%s%s", s.dim, quote, what, quote);
}

/* At what a message is about, or, of what the library was handed and has another word for, at what the program wrote.
 * What is computed within the library has no place there. */
static void label_extent(struct notation *n, struct diag *d, struct span at, struct extent_source from, int64_t extent)
{
	const char *words = arena_printf(n->e->a, "%s is %lld", in_words(n, from), (long long)extent);
	const struct node *made = from.what || !from.param ? NULL : from.param->node;
	if (from.what && span_equal(d->primary.span, at) && !d->primary.text)
		diag_primary(d, "%s", words);
	else if (from.what)
		elab_label(n->e, d, at, "%s", words);
	else if (made && made->span.file && !span_equal(made->span, d->primary.span))
		diag_label(d, made->span, "%s", words);
	else
		diag_note(d, "dimension %d of an operand is %lld", from.dim, (long long)extent);
}

/* Where `[.., k]` of parameter p goes along the last dimension because nobody said another, and another one has
 * the extent that k should. */
static void help_dim(struct notation *n, struct diag *d, const struct noted_param *p, int64_t extent)
{
	if (!p || !p->node || n->has_dim || notation_is_sign(n) ||
	    elab_is_of_library(n->e, n->at) || /* signs take no `dim` */
	    !notation_leaves_a_dim(p->decl->dims.at, p->decl->dims.n))
		return;
	for (int k = 0; k < p->node->shape.rank - 1; k++)
		if (p->node->shape.dim[k] == extent) {
			diag_help(d, "say along which dimension if not the last: `dim = %d`", k);
			return;
		}
}

void notation_unify(struct notation *n, int f, int64_t extent, struct span at, struct extent_source from)
{
	struct noted_factor *k = &n->factor[f];
	if (k->extent < 0) {
		k->extent = extent;
		k->span = at;
		k->from = from;
		return;
	}
	if (k->extent == extent || n->failed)
		return;
	bool is_named = k->name[0] != '.' && !(n->op && elab_is_of_library(n->e, n->op->span));
	const char *what = is_named ? arena_printf(n->e->a, "`%s` is ", k->name) : "";
	struct diag *d = elab_error(n->e, PML0201, at, "sizes of `%s` do not fit: %s%lld and %lld", notation_called(n),
				    what, (long long)k->extent, (long long)extent);
	label_extent(n, d, at, from, extent);
	label_extent(n, d, k->span, k->from, k->extent);
	if (k->name[0] == '.')
		diag_note(d, "the last dimensions stand above each other, and one of extent 1 fits any: `unsqueeze(x, "
			     "dim = 1)` "
			     "makes [n, 1] of [n]");
	bool more = extent > k->extent;
	microbatch_note_rows(n->e, d, more ? extent : k->extent, more ? k->extent : extent,
			     "rows that the block makes itself are not cut: make them in front of it");
	help_dim(n, d, from.param, k->extent);
	help_dim(n, d, k->from.param, extent);
	notation_fail(n);
}

/* ---- `..` ---- */

static const char *rest_name(struct notation *n, int i)
{
	static const char *const names[MAX_RANK + 1] = {"..0", "..1", "..2", "..3", "..4", "..5", "..6", "..7", "..8"};
	return i <= MAX_RANK ? intern(n->e->s->names, names[i]) : elab_intern(n->e, "..%d", i);
}

void notation_note_rest(struct notation *n, int count)
{
	/* Factors of `..` are numbered from the last dimension, which is where operands align. */
	for (; n->nrest < count && !n->failed; n->nrest++) {
		int f = notation_add_factor(n, rest_name(n, n->nrest));
		memmove(n->rest + 1, n->rest, sizeof *n->rest * (size_t)n->nrest);
		n->rest[0] = f;
	}
}

/* Dimensions of extent 1 fit any other. */
static void unify_rest(struct notation *n, int f, int64_t extent, struct span at, struct extent_source from)
{
	struct noted_factor *k = &n->factor[f];
	if (k->extent == 1 && extent != 1)
		k->extent = -1;
	if (extent == 1 && k->extent >= 0)
		return;
	notation_unify(n, f, extent, at, from);
}

bool notation_position(struct notation *n, const struct index_list *l, int rank, int dim, struct position *out)
{
	int rest = index_list_rest(l), extra = rest < 0 ? 0 : rank - (l->n - 1);
	if (n->has_dim && rest == 0 && l->n == 2) {
		int64_t d = n->dim < 0 ? n->dim + rank : n->dim;
		*out = (struct position){dim == d ? 1 : 0, dim < d ? dim : dim - 1};
		return true;
	}
	if (rest < 0 || dim < rest)
		*out = (struct position){dim, 0};
	else if (dim < rest + extra)
		*out = (struct position){rest, dim - rest};
	else
		*out = (struct position){dim - extra + 1, 0};
	return true;
}

/* Where a single number is given, which many take for a tensor that was added up along one dimension. */
static void note_single_numbers(const struct notation *n, struct diag *d)
{
	for (int i = 0; i < n->nparams; i++)
		if (n->param[i].decl->has_dims && n->param[i].node && !n->param[i].node->shape.rank) {
			diag_note(d, "a single number is given, of no dimension: without `dim`, reductions like `sum`, "
				     "`mean` and `norm` are of all elements");
			return;
		}
}

void notation_no_dim(struct notation *n, int rank)
{
	struct diag *d = elab_error(n->e, PML0210, n->at, "a tensor of %d dimension%s has no dimension %lld", rank,
				    rank == 1 ? "" : "s", (long long)n->dim);
	note_single_numbers(n, d);
	notation_fail(n);
}

void notation_extents(struct notation *n, const struct index_list *l, const struct shape *s, struct span at,
		      struct extent_source what)
{
	int rest = index_list_rest(l), extra = rest < 0 ? 0 : s->rank - (l->n - 1);
	if (extra < 0 || (rest < 0 && s->rank != l->n)) {
		if (!n->failed)
			note_single_numbers(n, elab_error(n->e, PML0211, at, "%s has %d dimension%s, `%s` wants %s%d",
							  what.what ? in_words(n, what) : "a tensor", s->rank,
							  s->rank == 1 ? "" : "s", notation_called(n),
							  rest < 0 ? "" : "at least ", rest < 0 ? l->n : l->n - 1));
		notation_fail(n);
		return;
	}
	notation_note_rest(n, extra);
	if (n->has_dim && rest == 0 && l->n == 2 && (n->dim < -s->rank || n->dim >= s->rank)) {
		if (!n->failed)
			notation_no_dim(n, s->rank);
		return;
	}
	for (int d = 0; d < s->rank && !n->failed; d++) {
		struct position p;
		notation_position(n, l, s->rank, d, &p);
		struct extent_source from = {what.what, what.is_name, d, what.param};
		const struct expr *x = l->at[p.item].x;
		if (p.item == rest)
			unify_rest(n, n->rest[n->nrest - extra + p.rest], s->dim[d], at, from);
		else if (x->kind == EXPR_NAME && notation_factor(n, x->name.text) >= 0)
			notation_unify(n, notation_factor(n, x->name.text), s->dim[d], at, from);
	}
}

/* y + p over a dimension of n: y takes what the largest p leaves, of several windows what the narrowest leaves. Of n -
 * y what is there from n down to the first. */
static void solve_window(struct notation *n, const struct index *ix, int64_t dim)
{
	int64_t top = ix->offset, most, room;
	int unknown = -1;
	bool counts = true;
	for (int i = 0; i < ix->nterms; i++) {
		const struct noted_factor *k = &n->factor[ix->term[i].factor];
		bool open = k->extent < 0 || k->of_window;
		if (open && unknown >= 0)
			return;
		if (open)
			unknown = i;
		else if (ix->term[i].coef > 0)
			counts = counts && !__builtin_mul_overflow(ix->term[i].coef, k->extent - 1, &most) &&
				 !__builtin_add_overflow(top, most, &top);
	}
	if (unknown < 0)
		return;
	int64_t coef = ix->term[unknown].coef, extent;
	bool backwards = coef < 0 && ix->nterms == 1 && ix->div == 1 && ix->offset >= 0 && ix->offset < dim;
	if (coef <= 0 && !backwards)
		return;
	counts = counts && !__builtin_mul_overflow(dim, ix->div, &most) && !__builtin_sub_overflow(most, top, &room);
	/* What lies further away than can be counted is outside for any extent. */
	extent = backwards ? ix->offset / -coef + 1 : !counts || room < 1 ? 0 : (room - 1) / coef + 1;
	struct noted_factor *k = &n->factor[ix->term[unknown].factor];
	if (k->extent >= 0 && k->extent <= extent)
		return;
	k->extent = extent;
	k->of_window = true;
	k->span = n->at;
	k->from = extent_from("the window");
}

bool notation_settle(struct notation *n)
{
	bool any = false;
	for (int i = 0; i < n->nfactors; i++) {
		any = any || n->factor[i].of_window;
		n->factor[i].of_window = false;
	}
	return any && !n->failed;
}

void notation_windows(struct notation *n, const struct index_list *l, const struct shape *s)
{
	int rest = index_list_rest(l);
	for (int d = 0; d < s->rank && !n->failed; d++) {
		struct position p;
		notation_position(n, l, s->rank, d, &p);
		const struct expr *x = l->at[p.item].x;
		if (p.item == rest || x->kind == EXPR_NAME || !notation_mentions_factor(n, x) ||
		    notation_position_kind(n, x) != POSITION_KNOWN)
			continue;
		struct index ix;
		if (notation_extents_known(n, x) && notation_linear(n, x, &ix))
			solve_window(n, &ix, s->dim[d]);
	}
}

/* ---- reading declarations ---- */

const struct expr *notation_strip_extent(const struct expr *x)
{
	return x->kind == EXPR_BINARY && x->op == BIN_LT ? x->lhs : x;
}

void notation_each_operand(struct notation *n, const struct expr *x, notation_visitor *visit, void *context)
{
	switch (x->kind) {
	case EXPR_REDUCE:
		visit(n, x->reduce.body, context);
		break;
	case EXPR_UNARY:
	case EXPR_BINARY:
		if (x->lhs)
			visit(n, x->lhs, context);
		visit(n, x->rhs, context);
		break;
	case EXPR_CALL:
	case EXPR_INDEX:
		for (int i = 0; i < x->args.n; i++)
			if (x->args.at[i].value)
				visit(n, x->args.at[i].value, context);
		break;
	case EXPR_AS:
		visit(n, x->as.value, context);
		break;
	case EXPR_MAYBE:
		visit(n, x->index, context);
		break;
	case EXPR_IF:
		visit(n, x->cond.cond, context);
		visit(n, x->cond.then, context);
		visit(n, x->cond.other, context);
		break;
	case EXPR_INT:
	case EXPR_FLOAT:
	case EXPR_STRING:
	case EXPR_BOOL:
	case EXPR_NAME:
	case EXPR_FIELD:
	case EXPR_RANGE:
	case EXPR_TUPLE:
	case EXPR_LIST:
	case EXPR_LAYOUT:
	case EXPR_TO:
	case EXPR_EACH:
	case EXPR_BLOCK:
	case EXPR_PLACE:
		break;
	}
}

static void note_reduced(struct notation *n, const struct expr *x, void *context)
{
	for (int i = 0; x->kind == EXPR_REDUCE && i < x->reduce.factors.n; i++)
		notation_add_factor(n, x->reduce.factors.at[i].text);
	notation_each_operand(n, x, note_reduced, context);
}

void notation_note_reduced(struct notation *n, const struct expr *x)
{
	note_reduced(n, x, NULL);
}
