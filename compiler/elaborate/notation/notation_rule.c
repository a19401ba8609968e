/* notation_rule.c — factors, accesses and body become a rule and the rule a node. Factors are renumbered: those of the
 * result in its order, then the reduced ones, and those that nothing reads are left out. */
#include "notation_build.h"
#include "../values/values.h"

#include <string.h>

/* ---- combiners ---- */

struct reduction {
	enum combiner combiner;
	bool mean, logic; /* divide by the extents; any and all: max and min of bools */
};

static bool find_combiner(struct notation *n, struct name name, struct reduction *out)
{
	*out = (struct reduction){.combiner = COMBINE_NONE};
	for (int c = COMBINE_NONE + 1; c < COMBINE_COUNT; c++)
		if (strcmp(combiner_text((enum combiner)c), name.text) == 0)
			out->combiner = (enum combiner)c;
	if (strcmp(name.text, "mean") == 0)
		*out = (struct reduction){.combiner = COMBINE_SUM, .mean = true};
	if (strcmp(name.text, "any") == 0)
		*out = (struct reduction){.combiner = COMBINE_MAX, .logic = true};
	if (strcmp(name.text, "all") == 0)
		*out = (struct reduction){.combiner = COMBINE_MIN, .logic = true};
	if (out->combiner == COMBINE_NONE)
		elab_error(n->e, PML0604, name.span, "`%s` is not a reduction", name.text);
	return out->combiner != COMBINE_NONE;
}

static enum dtype result_type(enum combiner c, enum dtype body)
{
	return c == COMBINE_ARGMAX || c == COMBINE_ARGMIN ? DT_I32 : body;
}

/* ---- the rule ---- */

struct numbering {
	int to[MAX_FACTORS]; /* new number of a factor, or -1 */
	int n;
};

static void number_factor(struct numbering *m, int f)
{
	if (m->to[f] < 0)
		m->to[f] = m->n++;
}

static void number_access(struct numbering *m, const struct access *a)
{
	for (int d = 0; d < a->rank; d++)
		for (int i = 0; i < a->index[d].nterms; i++)
			number_factor(m, a->index[d].term[i].factor);
}

static void renumber(struct access *a, const struct numbering *m)
{
	for (int d = 0; d < a->rank; d++)
		for (int i = 0; i < a->index[d].nterms; i++)
			a->index[d].term[i].factor = m->to[a->index[d].term[i].factor];
}

static const char *factor_name(struct notation *n, int f)
{
	const char *name = n->factor[f].name;
	static const char *const rest[MAX_RANK] = {"z1", "z2", "z3", "z4", "z5", "z6", "z7", "z8"};
	return name[0] == '.' ? rest[(name[2] - '0') % MAX_RANK] : name;
}

static bool extents_known(struct notation *n, const struct numbering *m, struct span at)
{
	for (int f = 0; f < n->nfactors; f++)
		if (m->to[f] >= 0 && n->factor[f].extent < 0) {
			struct diag *d = elab_error(n->e, PML0602, at, "the extent of factor `%s` is not known",
						    n->factor[f].name);
			diag_note(
				d,
				"a factor has the extent of a dimension it stands at alone, or that windows leave it");
			diag_help(d, "where it is only computed with, `iota(n)[%s]` says how many it counts",
				  n->factor[f].name);
			return false;
		}
	return true;
}

/* Every factor that is read is in the result or reduced. */
static bool factors_used(struct notation *n, const struct numbering *m, const struct access *out,
			 const struct expr *reduce, struct span at)
{
	for (int f = 0; f < n->nfactors; f++) {
		if (m->to[f] < 0)
			continue;
		bool there = false;
		for (int d = 0; d < out->rank; d++)
			for (int i = 0; i < out->index[d].nterms; i++)
				there = there || out->index[d].term[i].factor == f;
		for (int i = 0; reduce && i < reduce->reduce.factors.n; i++)
			there = there || reduce->reduce.factors.at[i].text == n->factor[f].name;
		if (there)
			continue;
		struct diag *d = elab_error(n->e, PML0605, at, "factor `%s` is neither in the result nor reduced",
					    n->factor[f].name);
		diag_help(d, "add it to the result's indices, or reduce it: `sum[%s] ...`", n->factor[f].name);
		return false;
	}
	return true;
}

static enum kernel_hint hint_of(struct notation *n, enum combiner c, const struct scalar *body)
{
	if (n->op && n->op->hint.text && strcmp(n->op->hint.text, "gemm") == 0)
		return HINT_GEMM;
	return !n->op && c == COMBINE_SUM && scalar_is_product(body) ? HINT_GEMM : HINT_NONE;
}

/* Where an operand stands: in the call, if it is a parameter of an op, which reads it by index. */
static struct span span_of_operand(const struct notation *n, int i)
{
	for (int k = 0; n->op && !n->inlined && k < n->nparams; k++)
		if (n->param[k].node == n->operand[i].node)
			return n->param[k].span;
	return n->operand[i].span;
}

static struct node *make_node(struct notation *n, const struct rule *made)
{
	struct node *in[MAX_OPERANDS];
	struct span spans[MAX_OPERANDS];
	for (int i = 0; i < n->noperands; i++) {
		in[i] = n->operand[i].node;
		spans[i] = span_of_operand(n, i);
	}
	if (!tensor_same_place(n->e, n->noperands, in, spans, n->at, n->op != NULL))
		return NULL;
	const struct rule *r = graph_rule(region_graph(n->e), made);
	const char *wrong = rule_check(n->e->a, r);
	BUG_IF(wrong, "rule of `%s`: %s", n->name, wrong);
	struct node_site site = elab_site(n->e, n->at);
	site.names_factors = !site.in_library && (!n->op || !elab_is_of_library(n->e, n->op->span));
	return (n->replaces ? graph_map_pruned : graph_map)(region_graph(n->e), &site, r, in);
}

static bool volume_fits(struct notation *n, const struct access *a)
{
	struct shape s = {.rank = a->rank};
	memcpy(s.dim, a->dim, sizeof s.dim);
	if (shape_volume(&s) >= 0)
		return true;
	elab_error(n->e, PML0207, n->at, "the result of `%s` has more elements than can be counted", n->name);
	return false;
}

static struct node *finish_rule(struct notation *n, struct access out, enum combiner c, const struct scalar *body,
				const struct expr *reduce)
{
	struct numbering m = {.n = 0};
	memset(m.to, -1, sizeof m.to);
	number_access(&m, &out);
	for (int i = 0; reduce && i < reduce->reduce.factors.n; i++)
		number_factor(&m, notation_factor(n, reduce->reduce.factors.at[i].text));
	for (int k = 0; k < n->noperands; k++)
		number_access(&m, &n->operand[k].access);
	for (int f = 0; f < n->nfactors; f++)
		if (scalar_uses_factor(body, f))
			number_factor(&m, f);
	if (!extents_known(n, &m, n->at) || !factors_used(n, &m, &out, reduce, n->at) || !volume_fits(n, &out) ||
	    !notation_has_points(n))
		return NULL;
	struct rule r = {.name = n->name, .nfactors = m.n};
	int map[MAX_FACTORS];
	for (int f = 0; f < n->nfactors; f++) {
		map[f] = m.to[f] < 0 ? 0 : m.to[f];
		if (m.to[f] >= 0)
			r.factor[m.to[f]] = (struct factor){factor_name(n, f), n->factor[f].extent};
	}
	struct access *operand = rule_own_operands(n->e->a, &r, n->noperands);
	r.noperands = n->noperands;
	for (int k = 0; k < n->noperands; k++) {
		operand[k] = n->operand[k].access;
		renumber(&operand[k], &m);
	}
	out.type = result_type(c, body->type);
	r.out = out;
	renumber(&r.out, &m);
	r.combiner = c;
	r.hint = hint_of(n, c, body);
	r.body = scalar_substitute(n->e->a, body, NULL, map);
	if (n->e->factors != DT_F32)
		rule_narrow_factors(n->e->a, &r, n->e->factors);
	for (int k = 0; k < n->noperands; k++)
		if (!notation_indices_fit(n, &r, &operand[k], span_of_operand(n, k)))
			return NULL;
	return notation_indices_fit(n, &r, &r.out, n->at) ? make_node(n, &r) : NULL;
}

/* ---- the result's indices ---- */

bool notation_size(struct notation *n, const struct expr *x, int64_t *out)
{
	env_push(n->e);
	for (int f = 0; f < n->nfactors; f++)
		if (n->factor[f].extent >= 0)
			env_bind(n->e, (struct name){n->factor[f].name, n->at}, BIND_LET,
				 value_int(n->e, n->factor[f].extent));
	bool ok = size_eval(n->e, x, out);
	env_pop(n->e);
	if (ok && *out < 0) {
		elab_error(n->e, PML0207, x->span, "a size cannot be negative, this is %lld", (long long)*out);
		return false;
	}
	return ok;
}

static bool out_index(struct notation *n, const struct expr *x, int number, int64_t *dim, struct index *ix)
{
	const struct expr *form = x->kind == EXPR_BINARY && x->op == BIN_LT ? x->lhs : x;
	*dim = -1;
	if (form != x && !notation_size(n, x->rhs, dim))
		return false;
	int f = form->kind == EXPR_NAME ? notation_factor(n, form->name.text) : -1;
	if (f >= 0) {
		*ix = (struct index){.nterms = 1, .term = {{.factor = f, .coef = 1}}, .div = 1, .data = -1};
		if (*dim >= 0)
			notation_unify(n, f, *dim, form->span, extent_from("the result's size"));
		*dim = n->factor[f].extent < 0 ? 0 : n->factor[f].extent;
		return !n->failed;
	}
	if (*dim < 0) {
		elab_error(n->e, PML0602, x->span, "the size of this dimension of the result is not known");
		return false;
	}
	if (!notation_is_tensor(n, form)) {
		ix->guarded = true;
		bool ok = notation_linear(n, form, ix);
		ix->guarded = true;
		return ok;
	}
	return notation_data_index(n, form, n->name, number, *dim, false, ix);
}

static bool out_access(struct notation *n, const struct index_list *l, struct access *out)
{
	int rest = index_list_rest(l), rank = l->n + (rest < 0 ? 0 : n->nrest - 1);
	*out = (struct access){.rank = rank};
	if (rank > MAX_RANK) {
		elab_error(n->e, PML0211, n->at, "a tensor has at most %d dimensions", (int)MAX_RANK);
		return false;
	}
	for (int d = 0; d < rank; d++) {
		struct position p;
		notation_position(n, l, rank, d, &p);
		if (p.item == rest) {
			int f = n->rest[p.rest];
			out->dim[d] = n->factor[f].extent;
			out->index[d] =
				(struct index){.nterms = 1, .term = {{.factor = f, .coef = 1}}, .div = 1, .data = -1};
		} else if (!out_index(n, l->at[p.item].x, d, &out->dim[d], &out->index[d])) {
			return false;
		}
	}
	return true;
}

/* ---- bodies ---- */

/* Bools are counted as i32. */
static const struct scalar *countable(struct notation *n, enum combiner c, const struct scalar *body)
{
	bool counts = c == COMBINE_SUM || c == COMBINE_PROD;
	return counts && body->type == DT_BOOL ? scalar_apply(n->e->a, SC_CAST, DT_I32, body, NULL, NULL) : body;
}

static double count_of(struct notation *n, const struct expr *reduce)
{
	double count = 1;
	for (int i = 0; i < reduce->reduce.factors.n; i++)
		count *= (double)n->factor[notation_factor(n, reduce->reduce.factors.at[i].text)].extent;
	return count;
}

static bool has_mean(struct notation *n, const struct scalar *body)
{
	if (dtype_is_float(body->type))
		return true;
	struct diag *d =
		elab_error(n->e, PML0202, n->at, "`mean` wants floats, not `%s` elements", dtype_text(body->type));
	diag_help(d, "convert them first: `as f32`");
	return false;
}

/* The mean of what was summed up. Of 16 bits every term is divided before: rounded once, and never beyond the largest.
 */
static struct node *divide(struct notation *n, struct node *x, const struct expr *reduce)
{
	struct node_site site = elab_site(n->e, n->at);
	struct graph *g = region_graph(n->e);
	return graph_pointwise(g, &site, SC_DIV, x, graph_float(g, &site, x->dtype, count_of(n, reduce)), NULL);
}

static const struct scalar *term_of_mean(struct notation *n, const struct scalar *body, const struct expr *reduce)
{
	const struct scalar *count = scalar_float(n->e->a, body->type, count_of(n, reduce));
	return scalar_apply(n->e->a, SC_DIV, body->type, body, count, NULL);
}

/* ---- where the greatest or the least stands ---- */

static bool access_has(const struct access *a, int f)
{
	for (int d = 0; d < a->rank; d++)
		for (int i = 0; i < a->index[d].nterms; i++)
			if (a->index[d].term[i].factor == f)
				return true;
	return false;
}

/* Sums and products of no points are numbers, and so are the greatest and the least, which are infinite; a position
 * there is none. Where the result has no elements nothing is asked. */
static bool has_choice(struct notation *n, const struct expr *reduce, const struct access *out)
{
	for (int d = 0; d < out->rank; d++)
		if (out->dim[d] == 0)
			return true;
	for (int i = 0; i < reduce->reduce.factors.n; i++) {
		struct name f = reduce->reduce.factors.at[i];
		if (n->factor[notation_factor(n, f.text)].extent != 0)
			continue;
		struct diag *d = elab_error(n->e, PML0604, n->at, "`%s` has no element to choose from",
					    reduce->reduce.combiner.text);
		if (!elab_is_of_library(n->e, f.span))
			diag_label(d, f.span, "`%s` takes no values here", f.text);
		return false;
	}
	return true;
}

/* Every element of the result chooses among the points of the reduced factors. */
static bool can_choose(struct notation *n, const struct expr *reduce, const struct access *out)
{
	const char *name = reduce->reduce.combiner.text;
	for (int d = 0; d < out->rank; d++)
		if (out->index[d].data >= 0 || out->index[d].guarded || index_factor(&out->index[d]) < 0) {
			elab_error(n->e, PML0604, reduce->span,
				   "points that meet in one element are not joined by `%s`", name);
			return false;
		}
	for (int i = 0; i < reduce->reduce.factors.n; i++) {
		struct name f = reduce->reduce.factors.at[i];
		if (!access_has(out, notation_factor(n, f.text)))
			continue;
		struct diag *d =
			elab_error(n->e, PML0604, f.span, "`%s` has nothing to choose from along `%s`", name, f.text);
		diag_note(d, "`%s` is an index of the result", f.text);
		return false;
	}
	return has_choice(n, reduce, out);
}

/* The points of the reduced factors as the last dimensions of a tensor. */
static struct node *points_of(struct notation *n, const struct expr *reduce, const struct access *out,
			      const struct scalar *body)
{
	struct access all = *out;
	for (int k = 0; k < n->noperands; k++)
		for (int d = 0; d < n->operand[k].access.rank; d++)
			if (n->operand[k].access.index[d].guarded && n->operand[k].access.index[d].data < 0) {
				struct diag *x = elab_error(
					n->e, PML0604, reduce->span,
					"`%s` over several factors does not pass over points that are not there",
					reduce->reduce.combiner.text);
				diag_help(x, "pad the tensor first, or choose along one factor after the other");
				return NULL;
			}
	for (int i = 0; i < reduce->reduce.factors.n; i++) {
		int f = notation_factor(n, reduce->reduce.factors.at[i].text);
		if (all.rank == MAX_RANK) {
			elab_error(n->e, PML0211, n->at, "a tensor has at most %d dimensions", (int)MAX_RANK);
			return NULL;
		}
		all.dim[all.rank] = n->factor[f].extent;
		all.index[all.rank++] = index_of_factor(f);
	}
	return finish_rule(n, all, COMBINE_NONE, body, reduce);
}

/* Over several factors: the number of the point in their order, the last one running first. */
static struct node *choose_among(struct notation *n, const struct expr *reduce, const struct access *out,
				 const struct scalar *body)
{
	struct node *x = points_of(n, reduce, out, body);
	if (!x)
		return NULL;
	struct shape flat = {.rank = out->rank + 1}, chosen = {0};
	memcpy(flat.dim, x->shape.dim, sizeof flat.dim);
	for (int d = out->rank; d < x->shape.rank; d++)
		chosen.dim[chosen.rank++] = x->shape.dim[d];
	flat.dim[out->rank] = shape_volume(&chosen);
	if (flat.dim[out->rank] > INT32_MAX) {
		elab_error(n->e, PML0207, n->at, "the number of a point among %lld does not fit an i32",
			   (long long)flat.dim[out->rank]);
		return NULL;
	}
	struct node_site site = elab_site(n->e, n->at);
	const struct value *v = tensor_value_of(n->e, graph_reshape(region_graph(n->e), &site, x, &flat));
	v = call_prelude(n->e, reduce->reduce.combiner.text, n->at, 1, &v, &n->at);
	return value_failed(v) ? NULL : tensor_node(n->e, v, n->at);
}

struct node *notation_map(struct notation *n, const struct access *out, enum combiner c, const struct scalar *body)
{
	return finish_rule(n, *out, c, body, NULL);
}

struct node *notation_reduce(struct notation *n, const struct expr *reduce, const struct access *out,
			     const struct scalar *body)
{
	struct reduction r;
	if (!find_combiner(n, reduce->reduce.combiner, &r))
		return NULL;
	if (r.logic && body->type != DT_BOOL) {
		struct diag *d = elab_error(n->e, PML0202, reduce->span, "`%s` wants bools, not `%s` elements",
					    reduce->reduce.combiner.text, dtype_text(body->type));
		const struct binding *b = env_find(n->e, reduce->reduce.combiner.text);
		if (b) {
			diag_label(d, b->span, "an element of this is not what is written there");
			diag_help(d, "`%s[...]` in front of an operand is a reduction: give the variable another name",
				  b->name);
			return NULL;
		}
		diag_note(d, "a reduction takes the sums and products to its right, but no comparison");
		diag_help(d, "put the condition in parentheses: `%s[...] (a > b)`", reduce->reduce.combiner.text);
		return NULL;
	}
	bool chooses = r.combiner == COMBINE_ARGMAX || r.combiner == COMBINE_ARGMIN;
	if (chooses && !can_choose(n, reduce, out))
		return NULL;
	if (chooses && reduce->reduce.factors.n > 1)
		return choose_among(n, reduce, out, body);
	if (r.mean && !has_mean(n, body))
		return NULL;
	bool first = r.mean && dtype_is_narrow(body->type);
	if (first)
		body = term_of_mean(n, body, reduce);
	struct node *x = finish_rule(n, *out, r.combiner, countable(n, r.combiner, body), reduce);
	return x && r.mean && !first ? divide(n, x, reduce) : x;
}

/* The declared element type of an op's result. */
static const struct scalar *fit_result(struct notation *n, struct term t, const struct expr *body)
{
	enum dtype want = DT_COUNT;
	if (n->op && n->op->type && t.host)
		want = dtype_resolve(n->e, n->op->type);
	const struct scalar *s = notation_typed(n, t, want, body->span);
	if (s && n->op && n->op->type) {
		want = dtype_resolve(n->e, n->op->type);
		if (want != DT_COUNT && want != s->type) {
			elab_error(n->e, PML0202, body->span, "the result of `%s` is declared as %s, this is %s",
				   n->name, dtype_text(want), dtype_text(s->type));
			return NULL;
		}
	}
	return s;
}

struct node *notation_build(struct notation *n, const struct index_list *out, const struct expr *body)
{
	struct access access;
	const struct expr *reduce = body->kind == EXPR_REDUCE ? body : NULL;
	if (!out_access(n, out, &access))
		return NULL;
	struct term t = notation_term(n, reduce ? reduce->reduce.body : body);
	const struct scalar *s = fit_result(n, t, body);
	if (!s || n->failed)
		return NULL;
	if (reduce)
		return notation_reduce(n, reduce, &access, s);
	for (int d = 0; d < access.rank; d++)
		if (access.index[d].data >= 0 || access.index[d].guarded) {
			elab_error(n->e, PML0604, body->span,
				   "several points may meet in one element: say how they are joined, `sum[...]`");
			return NULL;
		}
	struct node *x = finish_rule(n, access, COMBINE_NONE, s, NULL);
	if (x)
		notation_warn_left_out(n, s, body->span);
	return x;
}
