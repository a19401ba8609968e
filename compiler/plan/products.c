/* products.c — which maps are matrix multiplications, and what can be folded into them: scaling by host values into
 * alpha, adding to a tensor that is not needed any more into beta. So a plain gradient step w = w - lr * (x^T g) is one
 * product on w's own storage, and momentum v = mu * v + x^T g likewise; sums of gradients accumulate where the first of
 * them lies. */
#include "planner.h"

bool planner_reads_elements(const struct phys_node *n, int k)
{
	const struct access *a = &n->rule->operand[k];
	if (!shape_equal(&n->in[k]->shape, &n->shape))
		return false;
	for (int d = 0; d < a->rank; d++)
		if (a->dim[d] != 1 && (index_factor(&a->index[d]) < 0 || a->index[d].guarded ||
				       index_factor(&a->index[d]) != index_factor(&n->rule->out.index[d])))
			return false;
	return true;
}

static int operand_number(const struct phys_node *n, const struct phys_node *x)
{
	int found = -1;
	for (int k = 0; k < n->nin; k++)
		if (n->in[k] == x)
			found = found < 0 ? k : -2;
	return found;
}

static bool updates_slot(const struct planner *p, const struct phys_node *old, const struct phys_node *fresh)
{
	for (int i = 0; i < p->graph->outputs.n; i++) {
		const struct phys_output *o = &p->graph->outputs.at[i];
		if (o->kind == OUTPUT_SLOT && o->index == old->slot && o->node == fresh)
			return true;
	}
	return false;
}

/* Whether a product may write its result onto this tensor. */
static bool may_take(const struct planner *p, const struct phys_node *onto, const struct phys_node *result)
{
	if (onto->kind == PHYS_SLOT)
		return updates_slot(p, onto, result);
	if (onto->kind == PHYS_LINE)
		return p->users[result->id][0]->onto == onto;
	if (onto->loop != result->loop)
		return false;
	if (onto->kind == PHYS_CARRY)
		return planner_root(onto->end->in[1]) == result;
	if (p->uses[onto->id] != 1)
		return false;
	return onto->kind == PHYS_TRANSFER || onto->kind == PHYS_END ||
	       (onto->kind == PHYS_MAP && p->treat[onto->id] == TREAT_PRODUCT);
}

static bool reads(const struct contraction *c, const struct phys_node *n)
{
	return planner_root(c->a) == n || planner_root(c->b) == n;
}

/* onto = factor * what is behind it: looks through maps that only scale, and are read here alone. They become insides
 * of the product if that is taken; inside[] lists them. */
static struct phys_node *behind_scaling(struct planner *p, struct phys_node *onto, struct coefficient *factor,
					struct phys_node **inside, int *ninside)
{
	struct coefficient c;
	const struct scalar *rest;
	const struct phys_loop *loop = onto->loop;
	while (onto->kind == PHYS_MAP && p->treat[onto->id] == TREAT_NONE && p->uses[onto->id] == 1 &&
	       onto->loop == loop && map_is_pointwise(onto) && *ninside < 4) {
		int k = 0;
		while (k < onto->nin && (scalar_behind(onto->in[k]) || !planner_reads_elements(onto, k)))
			k++;
		if (k == onto->nin || !linear_in_operand(p->scratch, onto, onto->rule->body, k, &c, &rest) || rest ||
		    !coefficient_multiply(factor, &c))
			break;
		inside[(*ninside)++] = onto;
		onto = onto->in[k];
	}
	return onto;
}

/* A pass over a micro-batch does its own products: done in a later one, where the gradient is added up, they would hold
 * what they read until then, and the stage behind would wait for them. */
static bool in_later_pass(const struct phys_node *n, const struct phys_node *user)
{
	return user->node && user->node->batch && planner_segment(user) != planner_segment(n);
}

/* Numbers and arguments of the host alone. What the region computes may be wanted beside the product that it scales, by
 * a gradient say, and then the two are apart: folded into alpha, the product would be rounded otherwise than there. */
static bool is_of_numbers(const struct coefficient *c)
{
	for (int i = 0; i < c->ntimes; i++)
		if (c->times[i]->kind != PHYS_HOST)
			return false;
	for (int i = 0; i < c->nover; i++)
		if (c->over[i]->kind != PHYS_HOST)
			return false;
	return true;
}

/* One map further up: user = coef * current + rest. False if it cannot be taken in. Of two products that are added, the
 * later one takes in the other, so that the first is computed while what it reads is at hand; any: the first does if
 * the later one could not. */
static bool fold_user(struct planner *p, struct product *x, bool any)
{
	struct phys_node *n = x->result, *user = p->users[n->id][0];
	if (!dtype_is_float(n->dtype) || dtype_size(n->dtype) <= 2 || p->uses[n->id] != 1 || !user ||
	    user->kind != PHYS_MAP || user->dtype != n->dtype || !map_is_pointwise(user) ||
	    p->treat[user->id] != TREAT_NONE || x->onto || user->loop != n->loop || in_later_pass(n, user))
		return false;
	int k = operand_number(user, n);
	struct coefficient coef, beta = {.number = 1}, alpha = x->c.alpha;
	const struct scalar *rest, *nothing;
	if (k < 0 || !planner_reads_elements(user, k) ||
	    !linear_in_operand(p->scratch, user, user->rule->body, k, &coef, &rest) || !is_of_numbers(&coef) ||
	    !coefficient_multiply(&alpha, &coef))
		return false;
	struct phys_node *onto = NULL;
	for (int i = 0; rest && i < user->nin; i++)
		if (i != k && scalar_uses_operand(rest, i) && !scalar_behind(user->in[i])) {
			if (onto || !planner_reads_elements(user, i))
				return false;
			onto = user->in[i];
		}
	struct phys_node *inside[4];
	int ninside = 0;
	if (rest) {
		if (x->c.overlaps)
			return false;
		int j = onto ? operand_number(user, onto) : -1;
		if (j < 0 || !linear_in_operand(p->scratch, user, rest, j, &beta, &nothing) || nothing)
			return false;
		onto = behind_scaling(p, onto, &beta, inside, &ninside);
		if (onto->dtype != user->dtype || !may_take(p, onto, user) || reads(&x->c, onto))
			return false;
		if (!any && onto->id > n->id && p->treat[onto->id] == TREAT_PRODUCT)
			return false;
	}
	for (int i = 0; i < user->nin; i++)
		if (user->in[i]->dtype != user->dtype)
			return false;
	while (ninside > 0)
		p->treat[inside[--ninside]->id] = TREAT_ABSORBED;
	p->treat[n->id] = TREAT_ABSORBED;
	p->treat[user->id] = TREAT_PRODUCT;
	x->result = user;
	x->onto = onto;
	x->beta = beta;
	x->c.alpha = alpha;
	return true;
}

bool planner_contraction(const struct planner *p, struct arena *a, struct phys_node *n, struct contraction *c)
{
	const struct options *o = &p->program->session->options;
	bool found = contraction_of_map(a, n, c);
	if (found && (o->reproducible || (c->factors == DT_BF16 && o->multiplies_bf16)))
		c->filter = NULL;
	return found;
}

void planner_find_products(struct planner *p)
{
	for (int i = 0; i < p->graph->nodes.n; i++) {
		struct phys_node *n = p->graph->nodes.at[i];
		if (n->kind != PHYS_MAP || n->rule->combiner != COMBINE_SUM || p->treat[n->id] != TREAT_NONE)
			continue;
		struct product x = {.map = n, .result = n};
		if (!planner_contraction(p, p->arena, n, &x.c))
			continue;
		struct product *kept = ARENA_NEW(p->scratch, struct product);
		*kept = x;
		p->treat[n->id] = TREAT_PRODUCT;
		vec_push(p->scratch, &p->products, kept);
	}
	for (int any = 0; any < 2; any++)
		for (int i = 0; i < p->products.n; i++)
			while (fold_user(p, p->products.at[i], any))
				;
}

static void keep_sort(struct planner *p, struct phys_node *n, const struct ranking *r)
{
	struct sorted *kept = ARENA_NEW(p->scratch, struct sorted);
	*kept = (struct sorted){n, *r};
	p->treat[n->id] = TREAT_SORTED;
	vec_push(p->scratch, &p->sorts, kept);
}

/* Whether all who read ranks, or ranks less a number, read them for positions. */
static bool are_places(const struct planner *p, const struct phys_node *ranks)
{
	struct ranking r;
	int n = 0;
	for (struct phys_node **user = p->users[ranks->id]; *user; user++, n++)
		if (!order_of_map(*user, &r))
			return false;
	return n > 0 && n == p->uses[ranks->id];
}

/* Whether ranks are read for positions alone: these are found without them. */
static bool only_orders(const struct planner *p, const struct phys_node *ranks)
{
	struct ranking r;
	int64_t from;
	int n = 0;
	for (struct phys_node **user = p->users[ranks->id]; *user; user++, n++)
		if (!order_of_map(*user, &r) && (ranks_from(*user, &from) != ranks || !are_places(p, *user)))
			return false;
	return n > 0 && n == p->uses[ranks->id];
}

/* A count as a sort. Ranks that are read for positions alone are not made, nor are these less a number. */
static void find_sort(struct planner *p, struct phys_node *n)
{
	struct ranking r;
	int64_t from;
	const struct phys_node *ranks = ranks_from(n, &from);
	if (ranks && p->treat[ranks->id] == TREAT_ABSORBED) {
		p->treat[n->id] = TREAT_ABSORBED;
		return;
	}
	if (n->rule->combiner != COMBINE_SUM)
		return;
	bool counts = ranking_of_map(n, &r);
	if (counts && only_orders(p, n))
		p->treat[n->id] = TREAT_ABSORBED;
	else if (counts || (order_of_map(n, &r) && p->treat[n->in[0]->id] == TREAT_ABSORBED))
		keep_sort(p, n, &r);
}

void planner_find_sorts(struct planner *p)
{
	for (int i = 0; i < p->graph->nodes.n; i++) {
		struct phys_node *n = p->graph->nodes.at[i];
		if (n->kind == PHYS_MAP && p->treat[n->id] == TREAT_NONE)
			find_sort(p, n);
	}
}

/* Copies that nobody else reads: the transform does not read them either. */
static void absorb_inputs(struct planner *p, const struct phys_node *n, const struct fourier *f)
{
	for (int k = 0; k < n->nin; k++) {
		struct phys_node *in = n->in[k];
		if (in->kind != PHYS_MAP || p->uses[in->id] != 1 || p->treat[in->id] != TREAT_NONE ||
		    in == f->in.at[0] || in == f->in.at[1])
			continue;
		p->treat[in->id] = TREAT_ABSORBED;
		absorb_inputs(p, in, f);
	}
}

/* Whether what the transform makes is read as two parts, or as one, and nothing else, which then are made. */
static bool makes_parts(const struct planner *p, const struct phys_node *n, struct fourier *f)
{
	struct phys_node **user = p->users[n->id];
	if (p->uses[n->id] == 1 && user[0] && !user[1] && p->treat[user[0]->id] == TREAT_NONE)
		return fourier_make_part(n, user[0], f);
	if (p->uses[n->id] != 2 || !user[0] || !user[1] || user[2] || p->treat[user[0]->id] != TREAT_NONE ||
	    p->treat[user[1]->id] != TREAT_NONE || user[0] == user[1])
		return false;
	return fourier_make_parts(n, user, f) || fourier_make_parts(n, (struct phys_node *[]){user[1], user[0]}, f);
}

void planner_find_transforms(struct planner *p)
{
	for (int i = 0; i < p->graph->nodes.n; i++) {
		struct phys_node *n = p->graph->nodes.at[i];
		struct transformed x = {.result = n};
		if (n->kind != PHYS_MAP || p->treat[n->id] != TREAT_NONE || !fourier_of_map(n, &x.fourier))
			continue;
		fourier_read_through(n, &x.fourier);
		if (x.fourier.in.at[0] != n->in[0])
			absorb_inputs(p, n, &x.fourier);
		if (makes_parts(p, n, &x.fourier))
			p->treat[n->id] = TREAT_ABSORBED;
		struct transformed *kept = ARENA_NEW(p->scratch, struct transformed);
		*kept = x;
		for (int k = 0; k < 2; k++)
			p->treat[x.fourier.out.at[k]->id] = TREAT_FOURIER;
		vec_push(p->scratch, &p->transforms, kept);
	}
}

/* number * times… / over…, as a map over its nodes. */
struct phys_node *planner_coefficient_node(struct planner *p, const struct coefficient *c, enum dtype t,
					   const struct phys_node *like)
{
	struct phys_node *n = ARENA_NEW(p->scratch, struct phys_node);
	struct rule *r = ARENA_NEW(p->scratch, struct rule);
	*n = (struct phys_node){
		.kind = PHYS_MAP, .node = like->node, .dtype = t, .rule = r, .transfer = -1, .slot = -1};
	r->name = "coefficient";
	r->out.type = t;
	const struct scalar *body = scalar_float(p->scratch, t, c->number);
	n->nin = c->ntimes + c->nover;
	struct access *operand = rule_own_operands(p->scratch, r, n->nin);
	r->noperands = n->nin;
	n->in = ARENA_ARRAY(p->scratch, struct phys_node *, n->nin);
	for (int i = 0; i < n->nin; i++) {
		bool over = i >= c->ntimes;
		n->in[i] = over ? c->over[i - c->ntimes] : c->times[i];
		struct access *a = &operand[i];
		a->type = t;
		a->rank = n->in[i]->shape.rank;
		for (int d = 0; d < a->rank; d++) {
			a->dim[d] = 1;
			a->index[d] = (struct index){.div = 1, .data = -1};
		}
		body = scalar_apply(p->scratch, over ? SC_DIV : SC_MUL, t, body, scalar_operand(p->scratch, t, i),
				    NULL);
	}
	r->body = body;
	n->loop = planner_inner_loop(n);
	n->id = p->graph->nodes.n;
	vec_push(p->scratch, &p->graph->nodes, n);
	return n;
}
