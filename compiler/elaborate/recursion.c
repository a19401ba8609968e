/* recursion.c — functions that call themselves. A call is walked in its caller, so the calls have to end by what is
 * known when compiling: within MAX_CALL_DEPTH, and not if nothing that is known changes from call to call. */
#include "elaborate.h"
#include "values/values.h"

/* ---- what is known ---- */

static bool same_number(const struct host_value *l, const struct host_value *r)
{
	if (l->type != r->type || l->known != r->known || l->is_typed != r->is_typed)
		return false;
	return l->known ? host_known_same(l, r) : l->type != HOST_INT; /* the turn of a loop may tell an int */
}

/* Whether a function does with r what it does with l, by all that is known of them; false where that is not sure. */
static bool known_alike(struct elab *e, const struct value *l, const struct value *r)
{
	if (l->kind != r->kind || l->may_miss != r->may_miss || l->line != r->line)
		return false;
	switch (l->kind) {
	case VALUE_HOST:
		return same_number(&l->host, &r->host);
	case VALUE_TENSOR:
		return tensor_dtype(e, l) == tensor_dtype(e, r) &&
		       shape_equal(tensor_shape(e, l), tensor_shape(e, r)) &&
		       tensor_place(e, l) == tensor_place(e, r) &&
		       (tensor_shape(e, l)->rank > 0 || !dtype_is_int(tensor_dtype(e, l)));
	case VALUE_PARAM:
		return l->slot == r->slot;
	case VALUE_FUNCTION:
		return l->function == r->function;
	case VALUE_BUILTIN:
		return l->builtin == r->builtin;
	case VALUE_TUPLE:
	case VALUE_LIST:
		for (int i = 0; i < l->items.n && l->items.n == r->items.n; i++)
			if (!known_alike(e, l->items.at[i], r->items.at[i]))
				return false;
		return l->items.n == r->items.n;
	case VALUE_STRUCT:
		if (l->object.item != r->object.item || l->object.fields.n != r->object.fields.n)
			return false;
		for (int i = 0; i < l->object.fields.n; i++)
			if (!known_alike(e, l->object.fields.at[i].value, r->object.fields.at[i].value))
				return false;
		return true;
	case VALUE_NONE:
	case VALUE_PLACE:
	case VALUE_DTYPE:
	case VALUE_SHAPE:
	case VALUE_LAYOUT:
	case VALUE_ERROR:
	case VALUE_RANGE:
	case VALUE_STRUCT_TYPE:
	case VALUE_DERIVED:
	case VALUE_GRADIENT:
	case VALUE_DATASET:
	case VALUE_BATCHES:
	case VALUE_NAMES:
		return value_is_same(l, r);
	}
	return false;
}

/* ---- depth ---- */

/* How many calls of it are being walked. */
static int times_open(const struct frame *frames, const struct item *item)
{
	int n = 0;
	for (const struct frame *f = frames; f; f = f->outer)
		n += f->item == item;
	return n;
}

/* It is told once, and no further call of the function is walked. */
static void refuse(struct elab *e, struct item *item, struct diag *d)
{
	e->endless = (struct endless){item, e->s->errors};
	for (struct tried *t = e->tried; t; t = t->outer)
		t->again |= t->item && times_open(e->frame, t->item) > 1;
	const struct call_site *c = e->call;
	for (int i = 0; c && i < 3; i++, c = c->outer)
		diag_label(d, c->span, "`%s` called here", c->function);
	diag_note(d,
		  "functions are compiled into their callers: where the calls end must be known when compiling (by a "
		  "size, a const, a number that is handed on), at most %d deep; what the running program decides is "
		  "repeated by a loop",
		  (int)MAX_CALL_DEPTH);
}

bool recursion_may_call(struct elab *e, struct item *item, struct span at)
{
	if (e->endless.item == item && e->s->errors >= e->endless.errors)
		return false;
	int depth = 0;
	for (struct frame *f = e->frame; f; f = f->outer)
		depth++;
	if (depth < MAX_CALL_DEPTH)
		return true;
	bool itself = times_open(e->frame, item);
	/* What is called by a function that calls itself is walked, so that it is that call which is told. */
	for (struct frame *f = e->frame; f && !itself; f = f->outer)
		if (f->item && times_open(f->outer, f->item))
			return true;
	if (itself)
		refuse(e, item,
		       elab_error(e, PML0504, at, "`%s` calls itself more than %d deep", item->name.text,
				  (int)MAX_CALL_DEPTH));
	else
		elab_error(e, PML0510, at, "calls are nested more than %d deep", (int)MAX_CALL_DEPTH);
	return false;
}

bool recursion_goes_on(struct elab *e, struct span at)
{
	enum { MOST_ALIKE = 4 }; /* the first is of other circumstances, as one that is not differentiated yet */
	struct frame *f = e->frame, *before = f->outer;
	struct item *item = f->item;
	while (before && before->item != item)
		before = before->outer;
	if (!before)
		return true;
	f->given = ARENA_ARRAY(e->a, const struct value *, item->params.n + 1);
	bool alike = before->given != NULL;
	for (int i = 0; i < item->params.n; i++) {
		f->given[i] = env_find(e, item->params.at[i].name.text)->value;
		alike = alike && known_alike(e, before->given[i], f->given[i]);
	}
	f->alike = alike ? before->alike + 1 : 0;
	if (f->alike < MOST_ALIKE)
		return true;
	struct diag *d = elab_error(e, PML0504, at, "`%s` calls itself without end", item->name.text);
	diag_note(d, "from call to call nothing changes of what is known when compiling");
	refuse(e, item, d);
	return false;
}
