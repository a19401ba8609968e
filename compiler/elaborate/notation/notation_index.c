/* notation_index.c — one access of index notation: a list of index expressions to linear forms over factors
 * (notation_linear.c), or to data. */
#include "notation_build.h"
#include "../values/values.h"

#include <string.h>

/* ---- lists ---- */

static bool list_full(struct notation *n, int count)
{
	if (count <= MAX_RANK)
		return false;
	elab_error(n->e, PML0606, n->at, "a tensor has at most %d dimensions", (int)MAX_RANK);
	notation_fail(n);
	return true;
}

static bool check_rest(struct notation *n, const struct index_list *l)
{
	int rests = 0;
	for (int i = 0; i < l->n; i++)
		rests += !l->at[i].x;
	if (rests <= 1)
		return true;
	elab_error(n->e, PML0601, n->at, "`..` may stand once in an index list");
	notation_fail(n);
	return false;
}

bool index_list_of_dims(struct notation *n, const struct ast_dim *dims, int count, struct index_list *out)
{
	out->n = 0;
	if (list_full(n, count))
		return false;
	for (int i = 0; i < count; i++) {
		if (dims[i].form == DIM_ANY) {
			elab_error(n->e, PML0601, dims[i].span, "`_` is not an index");
			notation_fail(n);
			return false;
		}
		out->at[out->n].span = dims[i].span;
		out->at[out->n].leaves_out = false;
		out->at[out->n++].x = dims[i].form == DIM_REST ? NULL : dims[i].expr;
	}
	return check_rest(n, out);
}

bool index_list_of_args(struct notation *n, const struct arg *args, int count, struct index_list *out)
{
	out->n = 0;
	if (list_full(n, count))
		return false;
	for (int i = 0; i < count; i++) {
		const struct expr *x = args[i].value;
		if (!x || args[i].name.text || (x->kind == EXPR_RANGE && (x->lhs || x->rhs))) {
			elab_error(n->e, PML0601, args[i].span, "this is not an index of index notation");
			notation_fail(n);
			return false;
		}
		bool leaves_out = x->kind == EXPR_MAYBE && !notation_is_tensor(n, x);
		out->at[out->n].span = args[i].span;
		out->at[out->n].leaves_out = leaves_out;
		out->at[out->n++].x = x->kind == EXPR_RANGE ? NULL : leaves_out ? x->index : x;
	}
	return check_rest(n, out);
}

int index_list_rest(const struct index_list *l)
{
	for (int i = 0; i < l->n; i++)
		if (!l->at[i].x)
			return i;
	return -1;
}

/* ---- what is indexed ---- */

struct node *notation_indexed(struct notation *n, const struct expr *callee)
{
	struct node *known = map_get(&n->tensors, callee);
	if (known)
		return known;
	if (callee->kind == EXPR_MAYBE) {
		if (!n->failed)
			elab_error(n->e, PML0601, callee->span, "`?` stands behind the whole index: `x[i[n]?]`");
		notation_fail(n);
		return NULL;
	}
	if (callee->kind == EXPR_NAME && notation_factor(n, callee->name.text) >= 0)
		return NULL;
	struct noted_param *p = callee->kind == EXPR_NAME ? notation_param(n, callee->name.text) : NULL;
	if (p)
		return p->node;
	const struct value *v = expr_eval(n->e, callee);
	if (value_failed(v))
		notation_fail(n);
	if (!value_is_tensor(v))
		return NULL;
	known = tensor_node(n->e, v, callee->span);
	map_set(&n->tensors, callee, known);
	return known;
}

static const struct expr *strip_maybe(const struct expr *x)
{
	return x->kind == EXPR_MAYBE ? x->index : x;
}

/* A name or element that is an int tensor, as opposed to a form over factors. */
bool notation_is_tensor(struct notation *n, const struct expr *x)
{
	x = strip_maybe(x);
	if (x->kind == EXPR_NAME && notation_factor(n, x->name.text) >= 0)
		return false;
	if (x->kind == EXPR_NAME) {
		struct noted_param *p = notation_param(n, x->name.text);
		if (p)
			return p->decl->has_dims;
		struct binding *b = env_find(n->e, x->name.text);
		return b && value_is_tensor(b->value);
	}
	return x->kind == EXPR_INDEX && notation_indexed(n, x->callee);
}

/* ---- accesses ---- */

static struct index plain_index(int factor)
{
	return (struct index){.nterms = 1, .term = {{.factor = factor, .coef = 1}}, .div = 1, .data = -1};
}

/* Whether the form can leave 0..dim-1. */
static bool leaves_range(const struct notation *n, const struct index *ix, int64_t dim)
{
	int64_t low = ix->offset, high = ix->offset;
	bool over = false;
	for (int i = 0; i < ix->nterms; i++) {
		int64_t reach;
		over |= __builtin_mul_overflow(ix->term[i].coef, n->factor[ix->term[i].factor].extent - 1, &reach);
		over |= __builtin_add_overflow(reach < 0 ? low : high, reach, reach < 0 ? &low : &high);
	}
	return over || ix->div > 1 || low < 0 || high >= dim;
}

/* `i?`, or what is read of an argument that was given as `i?`. */
static bool may_miss(struct notation *n, const struct expr *x)
{
	if (x->kind == EXPR_MAYBE)
		return true;
	if (x->kind == EXPR_INDEX)
		return may_miss(n, x->callee);
	if (x->kind != EXPR_NAME)
		return false;
	struct noted_param *p = notation_param(n, x->name.text);
	const struct binding *b = p ? NULL : env_find(n->e, x->name.text);
	return p ? p->value->may_miss : b && b->value->may_miss;
}

/* `i[j[n]]`: a rule's indices are read by forms over factors alone. */
static bool reads_through_data(struct notation *n, const struct expr *x)
{
	for (int i = 0; x->kind == EXPR_INDEX && i < x->args.n; i++) {
		const struct expr *by = x->args.at[i].value;
		if (by && by->kind != EXPR_RANGE && notation_is_tensor(n, by))
			return true;
	}
	return false;
}

/* Whether a value is an int that only the running program knows. In a loop whose turns are known one that hangs on them
 * is not taken: turn by turn it may be known, and what reads a split tensor a known number of rows away has a layout.
 * (Lines of such turns are taken before that is asked: notation_line.c.) */
static bool is_computed(const struct elab *e, const struct value *v)
{
	for (const struct loop *l = value_is_of_graph(v) ? region_loop(e) : NULL; l; l = l->outer)
		if (!l->is_branch && l->turns >= 0)
			return false;
	return value_is_tensor(v) || (v->kind == VALUE_HOST && v->host.type == HOST_INT && !v->host.known);
}

static enum position_kind part_kind(struct notation *n, const struct expr *x);

static enum position_kind greater_kind(struct notation *n, enum position_kind kind, const struct expr *x)
{
	enum position_kind other = x ? part_kind(n, x) : POSITION_KNOWN;
	return other > kind ? other : kind;
}

/* Of what is computed otherwise than by arithmetic: data, if elements of tensors are read for it. */
static enum position_kind made_kind(struct notation *n, const struct expr *x)
{
	enum position_kind kind = POSITION_KNOWN;
	if (!notation_mentions_factor(n, x))
		return POSITION_KNOWN;
	for (int i = 0; x->kind == EXPR_CALL && i < x->args.n; i++)
		kind = greater_kind(n, kind, x->args.at[i].value);
	if (x->kind == EXPR_AS)
		kind = part_kind(n, x->as.value);
	if (x->kind == EXPR_REDUCE)
		kind = part_kind(n, x->reduce.body);
	if (x->kind == EXPR_IF)
		kind = greater_kind(n, greater_kind(n, part_kind(n, x->cond.cond), x->cond.then), x->cond.other);
	return kind == POSITION_LISTED ? POSITION_LISTED : POSITION_KNOWN;
}

/* What a position is for this part of it (notation_position_kind). */
static enum position_kind part_kind(struct notation *n, const struct expr *x)
{
	if (x->kind == EXPR_UNARY || x->kind == EXPR_BINARY)
		return greater_kind(n, x->lhs ? part_kind(n, x->lhs) : POSITION_KNOWN, x->rhs);
	if (x->kind == EXPR_CALL || x->kind == EXPR_AS || x->kind == EXPR_REDUCE || x->kind == EXPR_IF)
		return made_kind(n, x);
	if (notation_is_tensor(n, x))
		return POSITION_LISTED;
	if (x->kind != EXPR_NAME || notation_factor(n, x->name.text) >= 0)
		return POSITION_KNOWN;
	struct noted_param *p = notation_param(n, x->name.text);
	return is_computed(n->e, p ? p->value : expr_eval(n->e, x)) ? POSITION_MOVED : POSITION_KNOWN;
}

enum position_kind notation_position_kind(struct notation *n, const struct expr *x)
{
	const struct expr *i = strip_maybe(x);
	enum position_kind kind = part_kind(n, i);
	return kind == POSITION_MOVED && !notation_mentions_factor(n, i) ? POSITION_LISTED : kind;
}

bool notation_data_index(struct notation *n, const struct expr *x, const char *of, int dim, int64_t extent,
			 bool leaves_out, struct index *out)
{
	const struct noted_range range = {extent, check_range(n->e, of, dim, extent)}, *outer = n->range;
	bool is_moved = notation_position_kind(n, x) == POSITION_MOVED;
	n->range = is_moved || leaves_out || may_miss(n, x) ? NULL : &range;
	const struct expr *i = strip_maybe(x);
	bool is_made = !notation_is_tensor(n, i) || reads_through_data(n, i);
	struct term t = is_made ? notation_inner_term(n, i) : notation_term(n, i);
	n->range = outer;
	if (n->failed)
		return false;
	if (!t.s || t.s->kind != SCALAR_OPERAND || !dtype_is_int(t.s->type)) {
		elab_error(n->e, PML0601, x->span, "an index that is data comes from an int tensor");
		notation_fail(n);
		return false;
	}
	n->operand[t.s->index].is_moved = is_moved;
	*out = (struct index){.div = 1, .data = t.s->index, .guarded = true};
	return true;
}

/* A position without factors is one element, as in `x[6]`, and is there. */
static bool check_element(struct notation *n, const struct index *ix, int d, int64_t dim, struct span at)
{
	if (ix->offset >= 0 && ix->offset < dim)
		return true;
	struct diag *g = elab_error(n->e, PML0210, at, "index %lld is out of range, dimension %d has %lld elements",
				    (long long)ix->offset, d, (long long)dim);
	if (g && ix->offset < 0 && ix->offset >= -dim)
		diag_help(g, "positions of index notation count from the front: `%lld`", (long long)(ix->offset + dim));
	else if (g && dim > 0)
		diag_help(g, "the last one is %lld; one that may be outside, where the result is 0, is written `i?`",
			  (long long)(dim - 1));
	notation_fail(n);
	return false;
}

static bool read_index(struct notation *n, const struct expr *x, const char *of, int d, int64_t dim, bool leaves_out,
		       struct index *out)
{
	if (notation_position_kind(n, x) != POSITION_KNOWN)
		return notation_data_index(n, x, of, d, dim, leaves_out, out);
	if (!notation_linear(n, x, out))
		return false;
	out->guarded = leaves_range(n, out, dim);
	bool is_one = !out->nterms && !leaves_out && !may_miss(n, x);
	if (is_one && out->guarded && elab_may_never_come(n->e))
		return notation_data_index(n, x, of, d, dim, leaves_out, out);
	return !is_one || check_element(n, out, d, dim, x->span);
}

/* The access to node through l, of what the turns of loops leave of it (notation_line.c); *drop marks dimensions of
 * extent 1 that broadcast. */
static bool access(struct notation *n, const struct index_list *l, struct node **node, struct access *out, bool *drop)
{
	const struct node *whole = *node;
	int rest = index_list_rest(l), extra = rest < 0 ? 0 : whole->shape.rank - (l->n - 1);
	enum by_turns by[MAX_RANK];
	*node = notation_lines(n, l, *node, by);
	*out = (struct access){.type = whole->dtype};
	for (int d = 0; d < whole->shape.rank; d++) {
		struct position p;
		int64_t extent = whole->shape.dim[d];
		notation_position(n, l, whole->shape.rank, d, &p);
		if (by[d] == BY_TURNS_LINE)
			continue;
		int k = out->rank++;
		out->dim[k] = extent;
		drop[k] = false;
		if (p.item != rest) {
			bool is_data = by[d] == BY_TURNS_DATA, leaves_out = l->at[p.item].leaves_out;
			if (!(is_data ? notation_data_index : read_index)(n, l->at[p.item].x, whole->name, d, extent,
									  leaves_out, &out->index[k]))
				return false;
			continue;
		}
		int f = n->rest[n->nrest - extra + p.rest];
		out->index[k] = plain_index(f);
		drop[k] = extent == 1 && n->factor[f].extent != 1;
	}
	return true;
}

static bool same_access(const struct access *a, const struct access *b)
{
	if (a->rank != b->rank)
		return false;
	for (int d = 0; d < a->rank; d++) {
		const struct index *x = &a->index[d], *y = &b->index[d];
		if (x->nterms != y->nterms || x->offset != y->offset || x->div != y->div || x->data != y->data)
			return false;
		for (int i = 0; i < x->nterms; i++)
			if (x->term[i].factor != y->term[i].factor || x->term[i].coef != y->term[i].coef)
				return false;
	}
	return true;
}

/* The indices checked: those of an operand where the same check is made already. */
static struct node *checked(struct notation *n, struct node *x, const struct noted_range *range, struct span at)
{
	for (int i = 0; i < n->noperands; i++) {
		struct node *known = n->operand[i].node;
		if (known->kind == NODE_CHECK && known->in[0] == x && known->check.asked == ASKED_BELOW &&
		    known->check.extent == range->extent)
			return known;
	}
	return check_indices(n->e, x, range->extent, false, range->text, at);
}

/* Of indices the part that is read, `i[a, 0]` of i[a, b]: what stands beside it need not name anything here. Without
 * such a position x itself. */
static struct node *part_read(struct notation *n, struct node *x, struct access *a, struct span at)
{
	struct access read = {.type = a->type, .rank = a->rank}, rest = {.type = a->type};
	struct access *operand = ARENA_NEW(n->e->a, struct access);
	struct rule *r = ARENA_NEW(n->e->a, struct rule);
	*r = (struct rule){.name = "index", .noperands = 1, .operand = operand, .out = {.type = a->type}};
	for (int d = 0; d < a->rank; d++) {
		const struct index *ix = &a->index[d];
		read.dim[d] = a->dim[d];
		read.index[d] = *ix;
		if (!ix->nterms && ix->data < 0 && !ix->guarded)
			continue;
		read.index[d] = index_of_factor(r->nfactors);
		r->factor[r->nfactors] = (struct factor){elab_intern(n->e, "i%d", d), a->dim[d]};
		r->out.index[r->out.rank] = index_of_factor(r->nfactors++);
		r->out.dim[r->out.rank++] = a->dim[d];
		rest.dim[rest.rank] = a->dim[d];
		rest.index[rest.rank++] = *ix;
	}
	if (rest.rank == a->rank)
		return x;
	*a = rest;
	*operand = read;
	for (int i = 0; i < n->noperands; i++) {
		struct node *known = n->operand[i].node;
		known = known->kind == NODE_CHECK ? known->in[0] : known;
		if (known->kind == NODE_MAP && known->in[0] == x && known->rule->noperands == 1 &&
		    known->rule->name == r->name && same_access(&known->rule->operand[0], &read))
			return known;
	}
	r->body = scalar_operand(n->e->a, a->type, 0);
	struct node_site site = elab_site(n->e, at);
	return graph_map(region_graph(n->e), &site, r, &x);
}

/* What an operand reads: what is divided by is read through a check. */
static struct node *unchecked(struct node *x)
{
	return x->kind == NODE_CHECK && x->check.asked == ASKED_NOT_ZERO ? x->in[0] : x;
}

static bool is_operand(const struct noted_operand *o, struct node *x, const struct access *a)
{
	return (o->node == x || unchecked(o->node) == x) && same_access(&o->access, a);
}

int notation_operand(struct notation *n, struct node *node, const struct access *a, struct span at)
{
	struct access part = *a;
	if (n->range && dtype_is_int(node->dtype)) {
		node = checked(n, part_read(n, node, &part, at), n->range, at);
		a = &part;
	}
	for (int i = 0; i < n->noperands; i++)
		if (is_operand(&n->operand[i], node, a))
			return i;
	if (n->noperands == MAX_GIVEN_OPERANDS) {
		if (!n->failed)
			elab_error(n->e, PML0606, n->at,
				   "`%s` reads more than %d operands: give parts of it a name with `let`", n->name,
				   (int)MAX_GIVEN_OPERANDS);
		notation_fail(n);
		return -1;
	}
	n->operand[n->noperands] = (struct noted_operand){.node = node, .access = *a, .span = at};
	return n->noperands++;
}

/* Dimensions of extent 1 that meet a longer factor are left out of the operand: once, however often the body names it.
 */
static struct node *drop_dims(struct notation *n, struct node *node, struct access *a, const bool *drop, struct span at)
{
	struct shape s = {0};
	for (int d = 0; d < a->rank; d++) {
		if (drop[d])
			continue;
		a->dim[s.rank] = a->dim[d];
		a->index[s.rank] = a->index[d];
		s.dim[s.rank++] = a->dim[d];
	}
	if (s.rank == a->rank)
		return node;
	a->rank = s.rank;
	for (int i = 0; i < n->noperands; i++) {
		struct node *known = unchecked(n->operand[i].node);
		if (known->kind == NODE_RESHAPE && known->in[0] == node && shape_equal(&known->shape, &s))
			return known;
	}
	struct node_site site = elab_site(n->e, at);
	return graph_reshape(region_graph(n->e), &site, node, &s);
}

int notation_read(struct notation *n, struct node *node, const struct index_list *l, struct span at)
{
	struct access a;
	bool drop[MAX_RANK];
	if (!access(n, l, &node, &a, drop))
		return -1;
	node = drop_dims(n, node, &a, drop, at);
	int k = notation_operand(n, node, &a, at);
	for (int i = 0; i < l->n && k >= 0; i++)
		n->operand[k].leaves_out |= l->at[i].leaves_out;
	return k;
}

/* A divisor beyond all values that are divided leaves 0 alone whole, as the least such divisor does; with that one
 * derivatives count no further than the values do. */
static void bound_divisor(struct index *x, int64_t low, int64_t high)
{
	int64_t most = low < -high ? -low : high;
	if (x->div > most + 1)
		x->div = most + 1;
}

bool notation_indices_fit(struct notation *n, const struct rule *r, struct access *x, struct span at)
{
	int64_t step = 1;
	for (int d = x->rank - 1; d >= 0; d--) {
		const int64_t most = (INT64_C(1) << 62) / step;
		int64_t low, high;
		bool counted = x->index[d].data < 0;
		if (counted && (!index_range(r, &x->index[d], &low, &high) || low < -most || high > most)) {
			elab_error(n->e, PML0207, at, "`%s` reaches further along dimension %d than can be counted",
				   n->name, d);
			return false;
		}
		if (counted)
			bound_divisor(&x->index[d], low, high);
		step *= x->dim[d] > 0 ? x->dim[d] : 1;
	}
	return true;
}
