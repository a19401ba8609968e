/* order.c — see order.h. A heap knows which variable is next, and who shares a factor with whom is kept up to date, so
 * that the time does not grow faster than the number of variables. Only neighbours of what is done get a new price:
 * what is further away may link fewer pairs than its offer says, which makes the order a little worse and nothing
 * wrong. */
#include "order.h"

#include <string.h>

/* Where v is in the list, or would be. */
static int position_of(const struct neighbours *list, int v)
{
	int low = 0, high = list->n;
	while (low < high) {
		int mid = low + (high - low) / 2;
		if (list->at[mid] < v)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void join(struct order *o, int var, int v)
{
	struct neighbours *list = &o->near[var];
	int at = position_of(list, v);
	if (v == var || (at < list->n && list->at[at] == v))
		return;
	vec_reserve_(o->arena, &list->at, list->n, &list->cap, sizeof *list->at);
	memmove(list->at + at + 1, list->at + at, sizeof *list->at * (size_t)(list->n - at));
	list->at[at] = v;
	list->n++;
}

static void part(struct order *o, int var, int v)
{
	struct neighbours *list = &o->near[var];
	int at = position_of(list, v);
	list->n--;
	memmove(list->at + at, list->at + at + 1, sizeof *list->at * (size_t)(list->n - at));
}

static bool offer_less(struct offer x, struct offer y)
{
	if (x.fill != y.fill)
		return x.fill < y.fill;
	return x.table != y.table ? x.table < y.table : x.var < y.var;
}

/* Pairs of neighbours that share no factor yet, by the values that both have. */
static int64_t fill_of(const struct order *o, int var)
{
	const struct neighbours *list = &o->near[var];
	const int *values = o->net->domains.at;
	int64_t fill = 0;
	for (int i = 0; i < list->n; i++) {
		const struct neighbours *other = &o->near[list->at[i]];
		int at = 0;
		for (int k = 0; k < i; k++) {
			while (at < other->n && other->at[at] < list->at[k])
				at++;
			if (at == other->n || other->at[at] != list->at[k])
				fill = count_add(fill, (int64_t)values[list->at[i]] * values[list->at[k]]);
		}
	}
	return fill;
}

/* Finds the price of a variable and puts it on the heap. */
static void put_price(struct order *o, int var)
{
	struct offer f = {.table = network_size(o->net, o->near[var].n, o->near[var].at), .var = var};
	if (o->by == BY_FILL)
		f.fill = fill_of(o, var);
	o->price[var] = f;
	vec_push(o->arena, &o->heap, f);
	int i = o->heap.n - 1;
	for (; i > 0 && offer_less(f, o->heap.at[(i - 1) / 2]); i = (i - 1) / 2)
		o->heap.at[i] = o->heap.at[(i - 1) / 2];
	o->heap.at[i] = f;
}

static void drop_offer(struct order *o)
{
	struct offer last = o->heap.at[--o->heap.n];
	int i = 0, n = o->heap.n;
	for (int k = 1; k < n; k = 2 * i + 1) {
		k += k + 1 < n && offer_less(o->heap.at[k + 1], o->heap.at[k]);
		if (!offer_less(o->heap.at[k], last))
			break;
		o->heap.at[i] = o->heap.at[k];
		i = k;
	}
	if (n)
		o->heap.at[i] = last;
}

int order_next(struct order *o)
{
	for (; o->heap.n; drop_offer(o)) {
		struct offer f = o->heap.at[0], now = o->price[f.var];
		if (!o->done[f.var] && now.table == f.table && now.fill == f.fill)
			return f.var;
	}
	return -1;
}

static void connect(struct order *o, const struct factor_table *f)
{
	for (int i = 0; i < f->nvars; i++)
		for (int k = 0; k < f->nvars && !o->done[f->vars[i]]; k++)
			if (!o->done[f->vars[k]])
				join(o, f->vars[i], f->vars[k]);
}

void order_retire(struct order *o, int var, bool linked)
{
	o->done[var] = true;
	const struct neighbours *near = &o->near[var];
	for (int i = 0; i < near->n; i++)
		part(o, near->at[i], var);
	for (int i = 0; linked && i < near->n; i++)
		for (int k = 0; k < near->n; k++)
			join(o, near->at[i], near->at[k]);
	for (int i = 0; i < near->n; i++)
		put_price(o, near->at[i]);
}

void order_begin(struct order *o, const struct network *n, enum order_by by, struct arena *a)
{
	*o = (struct order){.net = n, .arena = a, .by = by};
	o->near = ARENA_ARRAY(a, struct neighbours, n->domains.n);
	o->price = ARENA_ARRAY(a, struct offer, n->domains.n);
	o->done = ARENA_ARRAY(a, bool, n->domains.n);
	for (int v = 0; v < n->domains.n; v++)
		o->done[v] = n->domains.at[v] == 1;
	for (int i = 0; i < n->factors.n; i++)
		connect(o, &n->factors.at[i]);
	for (int v = 0; v < n->domains.n; v++)
		if (!o->done[v])
			put_price(o, v);
}
