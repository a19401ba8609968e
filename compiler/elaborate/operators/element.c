/* element.c — elements of lists: the one of a number that is known; in the turns of a loop a line of them (line.c);
 * else, by an int that only the running program knows, one of values that are alike. Of params that lie in one slot
 * that is a line of the slot; other tensors, and numbers, are stacked; texts are chosen by the host. Lists, tuples and
 * structs are taken member by member. */
#include "operators.h"
#include "../values/values.h"

#include "base/diag.h"

#include <string.h>

bool value_is_unknown_int(struct elab *e, const struct value *v)
{
	if (value_is_tensor(v))
		return !tensor_shape(e, v)->rank && dtype_kind(tensor_dtype(e, v)) != DTYPE_FLOAT &&
		       dtype_kind(tensor_dtype(e, v)) != DTYPE_BOOL;
	return v->kind == VALUE_HOST && v->host.type == HOST_INT && !v->host.known;
}

const struct value *position_to_check(struct elab *e, const struct expr *x, int64_t count)
{
	const struct value *i = x->args.n == 1 && x->args.at[0].value ? expr_eval(e, x->args.at[0].value) : NULL;
	bool is_known = i && i->kind == VALUE_HOST && i->host.type == HOST_INT && i->host.known;
	bool checked = is_known ? count > 0 && index_waits(e, i->host.i, count) : i && value_is_unknown_int(e, i);
	return checked ? i : NULL;
}

static struct diag *report_unknown(struct elab *e, struct span at)
{
	struct diag *d = elab_error(e, PML0205, at, "which element this is must be known when compiling");
	diag_note(d, "the program computes this int when it runs");
	return d;
}

static void help_unroll(const struct elab *e, struct diag *d)
{
	if (!e->frame->item)
		diag_help(d, "a `const` is known; so is, in a function, the variable of a `for` over constants");
}

bool index_position(struct elab *e, const struct expr *x, int64_t count, const char *what, int64_t *out)
{
	if (x->args.n != 1 || !x->args.at[0].value) {
		elab_error(e, PML0204, x->span, "one index is needed here");
		return false;
	}
	const struct value *v = expr_eval(e, x->args.at[0].value);
	if (value_is_tensor(v)) {
		struct diag *d = elab_error(e, PML0204, x->args.at[0].span,
					    "elements of a list are taken by an int, this is %s", value_describe(e, v));
		if (tensor_shape(e, v)->rank)
			literal_help(e, d, NULL);
		return false;
	}
	if (value_is_unknown_int(e, v) && !number_is_known(e, v, x->args.at[0].span, out)) {
		help_unroll(e, report_unknown(e, x->args.at[0].span));
		return false;
	}
	if (!size_of_value(e, v, x->args.at[0].value->span, out))
		return false;
	int64_t given = *out;
	if (given < 0)
		*out += count;
	if (*out >= 0 && *out < count)
		return true;
	const struct expr *i = x->args.at[0].value;
	if (i->kind == EXPR_INT && elab_is_of_library(e, i->span)) /* of the shape of what it was handed */
		elab_error(e, PML0211, i->span, "`%s` takes a tensor of at least %lld dimensions here, this has %lld",
			   elab_called(e, what), (long long)given + 1, (long long)count);
	else
		elab_error(e, PML0210, i->span, "index %lld is out of range, there are %lld %s", (long long)given,
			   (long long)count, what);
	return false;
}

/* ---- one of values that are alike ---- */

/* The slot that holds them in this order, as the region finds it; NULL: none does. */
static const struct slot *slot_of_all(struct elab *e, const struct value *const *v, int n)
{
	const struct slot *list = v[0]->kind == VALUE_PARAM ? e->p->slots.at[v[0]->slot]->list : NULL;
	bool all = list && list->members.n == n;
	for (int i = 0; i < n && all; i++)
		all = v[i]->kind == VALUE_PARAM && !v[i]->line && list->members.at[i]->id == v[i]->slot;
	if (all && e->region && !region_list_may_be_read(e, list)) {
		if (region_stays_open(e))
			return NULL;
		region_close(e);
	}
	return all ? list : NULL;
}

static const struct layout_spec *declared(const struct elab *e, const struct value *v)
{
	return v->kind == VALUE_PARAM ? &e->p->slots.at[v->slot]->layout : NULL;
}

/* Params that are laid out differently have no layout in common. */
static bool is_like(struct elab *e, const struct value *a, const struct value *b)
{
	const struct layout_spec *l = declared(e, a), *m = declared(e, b);
	const struct place *p = tensor_place(e, a);
	bool same = !l || !m || !p || l->form != LAYOUT_GIVEN || m->form != LAYOUT_GIVEN;
	return tensor_dtype(e, a) == tensor_dtype(e, b) && shape_equal(tensor_shape(e, a), tensor_shape(e, b)) &&
	       p == tensor_place(e, b) && (same || layout_equal(p, &l->layout, &m->layout));
}

const struct value *one_of_tensors(struct elab *e, const struct value *const *v, int n, const struct expr *x)
{
	const struct slot *list = slot_of_all(e, v, n);
	if (list)
		return index_tensor(e, tensor_value_of(e, region_slot_read(e, list->id, x->span)), x);
	struct value *all = value_new(e, VALUE_LIST);
	for (int i = 0; i < n; i++) {
		if (!is_like(e, v[0], v[i]) || tensor_shape(e, v[i])->rank == MAX_RANK)
			return NULL;
		vec_push(e->a, &all->items, v[i]);
	}
	const struct value *args[2] = {all, value_int(e, 0)};
	struct span spans[2] = {x->span, x->span};
	const struct value *stacked = call_prelude(e, "stack", x->span, 2, args, spans);
	return value_failed(stacked) ? stacked : index_tensor(e, stacked, x);
}

static const struct value *one_of_numbers(struct elab *e, const struct value *const *v, int n, const struct expr *x)
{
	enum host_type type = v[0]->host.type;
	const struct value **t = ARENA_ARRAY(e->a, const struct value *, n);
	for (int i = 0; i < n; i++) {
		if (v[i]->host.type != type || host_dtype(type) == DT_COUNT)
			return NULL;
		t[i] = tensor_value_of(e, tensor_of_host(e, v[i], host_dtype(type), x->span));
	}
	const struct value *one = one_of_tensors(e, t, n, x);
	if (!one || value_failed(one))
		return one;
	return region_stays_open(e) ? number_value(e, type, tensor_node(e, one, x->span))
				    : read_number(e, one, type, x->span);
}

/* Texts are no elements of tensors: the host takes the one whose number it is. */
static const struct value *one_of_texts(struct elab *e, const struct value *const *v, int n, const struct expr *x)
{
	const struct value **number = ARENA_ARRAY(e->a, const struct value *, n);
	for (int i = 0; i < n; i++) {
		if (v[i]->host.type != HOST_TEXT)
			return NULL;
		number[i] = value_int(e, i);
	}
	if (region_stays_open(e))
		return NULL;
	const struct value *at = one_of_numbers(e, number, n, x);
	if (value_failed(at))
		return at;
	at = host_freeze(e, at, NULL, x->span);
	struct host_expr *text = host_of(e, &v[n - 1]->host);
	for (int i = n - 2; i >= 0; i--) {
		struct host_expr *s = ARENA_NEW(e->a, struct host_expr);
		*s = (struct host_expr){.kind = HOST_SELECT, .type = HOST_TEXT, .span = x->span, .nargs = 3};
		s->arg[0] = host_apply(e, HOST_EQ_OP, HOST_BOOL, host_of(e, &at->host), host_int(e, i), x->span);
		s->arg[1] = host_of(e, &v[i]->host);
		s->arg[2] = text;
		text = s;
	}
	return value_expr(e, text);
}

static const struct value *one_of(struct elab *e, const struct value *const *v, int n, const struct expr *x);

static const struct value *one_of_composed(struct elab *e, const struct value *const *v, int n, const struct expr *x)
{
	bool is_struct = v[0]->kind == VALUE_STRUCT;
	int members = is_struct ? v[0]->object.fields.n : v[0]->items.n;
	const struct value **of = ARENA_ARRAY(e->a, const struct value *, n);
	struct value *out = value_new(e, v[0]->kind);
	*out = *v[0];
	if (is_struct)
		out->object.fields.at = ARENA_ARRAY(e->a, struct struct_field, members);
	else
		out->items.at = ARENA_ARRAY(e->a, const struct value *, members);
	for (int k = 0; k < members; k++) {
		for (int i = 0; i < n; i++) {
			if (v[i]->kind != v[0]->kind ||
			    (is_struct ? v[i]->object.item != v[0]->object.item : v[i]->items.n != members))
				return NULL;
			of[i] = is_struct ? v[i]->object.fields.at[k].value : v[i]->items.at[k];
		}
		const struct value *one = one_of(e, of, n, x);
		if (!one || value_failed(one))
			return one;
		if (is_struct)
			out->object.fields.at[k] = (struct struct_field){v[0]->object.fields.at[k].name, one};
		else
			out->items.at[k] = one;
	}
	return out;
}

/* Of gradients by the same params. */
static const struct value *one_of_gradients(struct elab *e, const struct value *const *v, int n, const struct expr *x)
{
	struct parts *of = ARENA_ARRAY(e->a, struct parts, n), out = {0};
	const struct value **t = ARENA_ARRAY(e->a, const struct value *, n);
	for (int i = 0; i < n; i++) {
		if (!gradients_alike(v[0], v[i]))
			return NULL;
		parts_collect(e, gradient_in_form(e, v[0], v[i], x->span), &of[i]);
	}
	for (int k = 0; k < of[0].at.n; k++) {
		for (int i = 0; i < n; i++)
			t[i] = of[i].at.at[k];
		const struct value *one = one_of_tensors(e, t, n, x);
		if (!one || value_failed(one))
			return one;
		vec_push(e->a, &out.at, one);
	}
	return parts_replaced(e, v[0], &out);
}

/* The one that x says, by an int that only the running program knows; NULL: they differ in more than tensors and
 * numbers. */
static const struct value *one_of(struct elab *e, const struct value *const *v, int n, const struct expr *x)
{
	bool tensors = true, hosts = true, same = true, gradients = true;
	for (int i = 0; i < n; i++) {
		tensors &= value_is_tensor(v[i]);
		hosts &= v[i]->kind == VALUE_HOST;
		gradients &= v[i]->kind == VALUE_GRADIENT;
		same &= v[i] == v[0] || value_is_same(v[i], v[0]);
	}
	bool composed = v[0]->kind == VALUE_TUPLE || v[0]->kind == VALUE_LIST || v[0]->kind == VALUE_STRUCT;
	bool texts = hosts && v[0]->host.type == HOST_TEXT;
	return tensors     ? one_of_tensors(e, v, n, x)
	       : texts     ? one_of_texts(e, v, n, x)
	       : hosts     ? one_of_numbers(e, v, n, x)
	       : composed  ? one_of_composed(e, v, n, x)
	       : gradients ? one_of_gradients(e, v, n, x)
	       : same      ? v[0]
			   : NULL;
}

/* ---- lists ---- */

/* The first element that is another kind of value than the first of all; NULL: none is, by what messages say of them.
 */
static const struct value *find_unlike(struct elab *e, const struct value *list, int *at)
{
	for (*at = 1; *at < list->items.n; ++*at)
		if (strcmp(value_describe(e, list->items.at[0]), value_describe(e, list->items.at[*at])))
			return list->items.at[*at];
	return NULL;
}

/* Elements that differ cannot be chosen between by the running program. */
static const struct value *refuse_unlike(struct elab *e, const struct value *list, const struct expr *x)
{
	int k;
	const struct value *other = find_unlike(e, list, &k);
	struct diag *d = report_unknown(e, x->args.at[0].span);
	if (other)
		diag_note(d, "so what it takes has to be of one kind, and [0] is %s, [%d] is %s",
			  value_describe(e, list->items.at[0]), k, value_describe(e, other));
	else
		diag_note(d, "so what it takes has to be of one kind, with all that is in it");
	help_unroll(e, d);
	return &value_error;
}

/* In a loop of the graph the element may be another one in each turn. */
const struct value *index_list(struct elab *e, const struct value *list, const struct expr *x)
{
	const struct value *i = position_to_check(e, x, list->items.n), *one = NULL;
	int64_t known;
	if (i && !value_is_tensor(i) && e->region && region_graph(e)->open)
		one = line_of_list(e, list, i, x->span);
	if (i && !one && list->items.n && !e->turns)
		one = one_of(e, list->items.at, list->items.n, x);
	if (one)
		return one;
	if (i && !value_is_tensor(i) && list->items.n > 1 && !e->turns && !region_stays_open(e))
		return refuse_unlike(e, list, x);
	return index_position(e, x, list->items.n, "elements", &known) ? list->items.at[known] : &value_error;
}
