/* elements.c — maps of all elements of a tensor that change one line of it, or read one. Written down, what is assigned
 * to an element, and the gradient of an element that is read, are tensors: a loop that does it turn by turn would pass
 * over all of it in each turn. A line has a number in one dimension, or in several: x[i, j] is one of one element.
 *
 *   c' = where(i == k, f(v), c)                     t = f(v);  c'[k] = t, the rest of it as c
 *   c' = c + where(i == k, g, 0)                    t = c[k] + g;  c'[k] = t
 *   y  = sum[i] where(i == k, x[i], 0)              y = x[k]
 *   c' = where(i == k && j == m, v, c)              c'[k, m] = v
 *
 * k and m are numbers of the running program. The line t is computed before it is written; where all else that reads c
 * can come first c' lies where c does, and a turn costs as much as a line (in_place.c). A line outside of the tensor is
 * none. The first two are done on the way from a carried value to the one that takes its place, and from a slot to what
 * it holds next, and so are slices (slices.h); the last wherever it is met in a loop. */
#include "slices.h"

#include "../../runtime/moves/count.h"
#include "../op/intern.h"

#include <string.h>

/* What has at least so many lines, and elements, is worth two kernels: less is written whole by a few vectors. */
enum { LINES = 4, ELEMENTS = 64, MOST_FLOPS = 64 };

/* Where the line is in a dimension: the comparison that says so. */
struct mark {
	const struct scalar *here;
	int factor, line; /* which factor, which operand; -1: at the number `at` */
	int64_t at;
};

/* A map, maybe with one that it reads put into it: operands are those of both. */
struct composed {
	struct planner *p;
	struct rule rule;
	struct phys_origins *origins;
	struct phys_node *in[MAX_OPERANDS];
	struct phys_node *inside; /* the other one; NULL */
	/* Found in it: comparisons of factors with one number each. */
	struct mark mark[MAX_FACTORS];
	int nmarks;
};

/* A step on the way from a carried value to what takes its place: `to` is `from` but for a line, or a slice. */
struct step {
	struct phys_node *from, *to;
	struct slice slice; /* of width 0: a line */
	struct composed c;
	const struct scalar *value; /* of the line, with the operands of c */
};

static bool add_operands(struct composed *c, const struct phys_node *n, const int *factor_map)
{
	int base = c->rule.noperands;
	if (base + n->nin > MAX_OPERANDS)
		return false;
	for (int k = 0; k < n->nin; k++) {
		struct access a = n->rule->operand[k];
		for (int d = 0; d < a.rank; d++) {
			struct index *x = &a.index[d];
			for (int t = 0; t < x->nterms && factor_map; t++)
				x->term[t].factor = (int8_t)factor_map[x->term[t].factor];
			if (x->data >= 0)
				x->data = (int8_t)(x->data + base);
		}
		c->in[base + k] = n->in[k];
		memcpy(c->origins->operand[base + k], n->origins->operand[k], sizeof c->origins->operand[base + k]);
		rule_add_operand(c->p->scratch, &c->rule, &a);
	}
	return true;
}

/* Which factor of the outer map each factor of the inner one is, whose result operand k reads; false if some is not
 * one. */
static bool map_factors(const struct phys_node *outer, int k, const struct phys_node *inner, int *factor_map)
{
	for (int f = 0; f < inner->rule->nfactors; f++) {
		int d = access_dim_of(&inner->rule->out, f);
		const struct index *x = d >= 0 ? &outer->rule->operand[k].index[d] : NULL;
		factor_map[f] = x && !x->guarded ? index_factor(x) : -1;
		if (factor_map[f] < 0 || outer->rule->factor[factor_map[f]].extent != inner->rule->factor[f].extent ||
		    outer->origins->factor[factor_map[f]].type != inner->origins->factor[f].type)
			return false;
	}
	return true;
}

static bool is_plain(const struct planner *p, const struct phys_node *n)
{
	return n->kind == PHYS_MAP && n->origins && !n->owned && !n->part && p->treat[n->id] == TREAT_NONE &&
	       !rule_is_guarded(n->rule) && scalar_flops(n->rule->body) <= MOST_FLOPS && !scalar_draws(n->rule->body);
}

static bool compares_factor(const struct scalar *s)
{
	bool is_there = false;
	for (int k = 0; s->kind == SCALAR_APPLY && k < scalar_arity(s->fn); k++)
		is_there |= compares_factor(s->arg[k]) || (s->fn == SC_EQ && s->arg[k]->kind == SCALAR_FACTOR);
	return is_there;
}

/* Operands that are constants become numbers, so that x / 1, where nothing is named, is x. */
static void put_constants(struct composed *c)
{
	const struct scalar *to[MAX_OPERANDS] = {NULL};
	for (int k = 0; k < c->rule.noperands; k++)
		if (c->in[k]->kind == PHYS_CONST && c->in[k]->dtype == c->rule.operand[k].type)
			to[k] = scalar_number(c->p->scratch, c->in[k]->dtype, c->in[k]->number);
	c->rule.body = scalar_substitute(c->p->scratch, c->rule.body, to, NULL);
}

/* The map n, with what operand k is in it; k -1: alone. False if it compares no factor. */
static bool compose(struct planner *p, struct phys_node *n, int k, struct composed *c)
{
	const struct phys_node *compares = k < 0 ? n : n->in[k];
	if (compares->kind != PHYS_MAP || scalar_flops(compares->rule->body) > MOST_FLOPS ||
	    !compares_factor(compares->rule->body))
		return false;
	struct arena *a = p->scratch;
	const struct scalar *to[MAX_OPERANDS] = {NULL}, *inner[MAX_OPERANDS] = {NULL};
	int factor_map[MAX_FACTORS];
	*c = (struct composed){.p = p, .rule = *n->rule};
	c->rule.operand = NULL;
	c->rule.noperands = 0;
	c->rule.facts = NULL;
	c->origins = phys_origins_new(a, n->nin + (k < 0 ? 0 : n->in[k]->nin));
	memcpy(c->origins->factor, n->origins->factor, sizeof c->origins->factor);
	memcpy(c->origins->out, n->origins->out, sizeof c->origins->out);
	if (!add_operands(c, n, NULL))
		return false;
	if (k < 0) {
		put_constants(c);
		return true;
	}
	c->inside = n->in[k];
	if (!is_plain(p, c->inside) || c->inside->loop != n->loop || !map_is_pointwise(c->inside) ||
	    !map_factors(n, k, c->inside, factor_map))
		return false;
	int base = c->rule.noperands;
	if (!add_operands(c, c->inside, factor_map))
		return false;
	for (int i = 0; i < c->inside->nin; i++)
		inner[i] = scalar_operand(a, c->in[base + i]->dtype, base + i);
	to[k] = scalar_substitute(a, c->inside->rule->body, inner, factor_map);
	c->rule.body = scalar_substitute(a, n->rule->body, to, NULL);
	put_constants(c);
	return true;
}

/* ---- which line ---- */

static const struct scalar *without_casts(const struct scalar *s)
{
	while (s->kind == SCALAR_APPLY && s->fn == SC_CAST && dtype_is_int(s->type) && dtype_is_int(s->arg[0]->type))
		s = s->arg[0];
	return s;
}

static int mark_of(const struct composed *c, int factor)
{
	int k = 0;
	while (k < c->nmarks && c->mark[k].factor != factor)
		k++;
	return k < c->nmarks ? k : -1;
}

/* Of a dimension that is not split: every rank has the line. */
static bool is_number_inside(const struct composed *c, int factor, const struct scalar *number)
{
	return number->kind == SCALAR_CONST && number->i >= 0 && number->i < c->rule.factor[factor].extent &&
	       c->origins->factor[factor].type < 0;
}

static bool is_line(struct composed *c, const struct scalar *here, const struct scalar *factor,
		    const struct scalar *number)
{
	number = without_casts(number);
	if (factor->kind != SCALAR_FACTOR || mark_of(c, factor->index) >= 0 || !dtype_is_int(number->type))
		return false;
	struct mark m = {here, factor->index, -1, 0};
	if (number->kind == SCALAR_OPERAND && !c->rule.operand[number->index].rank)
		m.line = number->index;
	else if (is_number_inside(c, factor->index, number))
		m.at = number->i;
	else
		return false;
	c->mark[c->nmarks++] = m;
	return true;
}

/* The first comparison of a factor that has no mark yet with a number. */
static bool find_line(struct composed *c, const struct scalar *s)
{
	if (s->kind != SCALAR_APPLY)
		return false;
	if (s->fn == SC_EQ && (is_line(c, s, s->arg[0], s->arg[1]) || is_line(c, s, s->arg[1], s->arg[0])))
		return true;
	for (int k = 0; k < scalar_arity(s->fn); k++)
		if (find_line(c, s->arg[k]))
			return true;
	return false;
}

/* s where the comparison of a mark holds, or where it does not. */
static const struct scalar *where(const struct composed *c, const struct scalar *s, int mark, bool holds)
{
	const struct scalar *arg[3] = {NULL};
	if (s->kind != SCALAR_APPLY)
		return s;
	if (scalar_equal(s, c->mark[mark].here))
		return scalar_int(c->p->scratch, DT_BOOL, holds);
	for (int k = 0; k < scalar_arity(s->fn); k++)
		arg[k] = where(c, s->arg[k], mark, holds);
	return scalar_apply(c->p->scratch, s->fn, s->type, arg[0], arg[1], arg[2]);
}

/* The value of the line, when the first mark is found and the body is `rest` beside it: further numbers that the line
 * has, in dimensions that `may` takes, are those beside which it is the same. */
static const struct scalar *value_of_line(struct composed *c, const struct scalar *rest,
					  bool (*may)(const struct composed *c, int factor))
{
	const struct scalar *value = where(c, c->rule.body, 0, true);
	while (find_line(c, value)) {
		int last = c->nmarks - 1;
		if (!may(c, c->mark[last].factor) || !scalar_equal(where(c, value, last, false), rest)) {
			c->nmarks--;
			return value;
		}
		value = where(c, value, last, true);
	}
	return value;
}

/* How many lines there are. */
static int64_t lines_of(const struct composed *c)
{
	int64_t lines = 1;
	for (int k = 0; k < c->nmarks; k++)
		lines = count_mul(lines, c->rule.factor[c->mark[k].factor].extent);
	return lines;
}

/* ---- one line of it ---- */

/* Which factor of a line each factor of the whole is; -1: none. How many there are. */
static int factors_of_line(const struct composed *c, int *of)
{
	int n = 0;
	for (int f = 0; f < c->rule.nfactors; f++)
		of[f] = mark_of(c, f) < 0 ? n++ : -1;
	return n;
}

/* At the line where it went through the factors of marks, by the operands data[]; without these factors. */
static bool at_line(struct access *a, const struct composed *c, const int *data)
{
	int of[MAX_FACTORS];
	factors_of_line(c, of);
	for (int d = 0; d < a->rank; d++) {
		struct index *x = &a->index[d];
		int factor = index_factor(x), mark = factor < 0 ? -1 : mark_of(c, factor);
		if (mark >= 0) {
			*x = data[mark] < 0 ? (struct index){.offset = c->mark[mark].at, .div = 1, .data = -1}
					    : (struct index){.div = 1, .data = (int8_t)data[mark], .guarded = true};
			continue;
		}
		for (int t = 0; t < x->nterms; t++) {
			if (of[x->term[t].factor] < 0)
				return false;
			x->term[t].factor = (int8_t)of[x->term[t].factor];
		}
	}
	return true;
}

/* Those of a line. */
static void put_factors(const struct composed *c, struct factor *factor, struct phys_origin *origin)
{
	int of[MAX_FACTORS];
	factors_of_line(c, of);
	for (int f = 0; f < c->rule.nfactors; f++) {
		if (of[f] < 0)
			continue;
		factor[of[f]] = c->rule.factor[f];
		origin[of[f]] = c->origins->factor[f];
	}
}

/* Where the line is. */
static const struct scalar *number_of(const struct composed *c, const struct mark *m)
{
	struct arena *a = c->p->scratch;
	if (m->line < 0)
		return scalar_int(a, DT_I64, m->at);
	const struct scalar *number = scalar_operand(a, c->rule.operand[m->line].type, m->line);
	return number->type == DT_I64 ? number : scalar_apply(a, SC_CAST, DT_I64, number, NULL, NULL);
}

/* n computes the points of one line, whose value is s; operands that it does not read go. False if that is no rule. */
static bool becomes_line(struct phys_node *n, const struct composed *c, const struct scalar *s,
			 const struct access *out, const struct phys_origin *out_origins)
{
	struct arena *a = c->p->scratch;
	struct rule r = c->rule;
	const struct rule *left;
	int of[MAX_FACTORS], data[MAX_FACTORS], kept[MAX_OPERANDS], left_factors = factors_of_line(c, of);
	for (int k = 0; k < c->nmarks; k++) {
		data[k] = c->mark[k].line;
		s = scalar_replace_factor(a, s, c->mark[k].factor, number_of(c, &c->mark[k]));
	}
	r.body = scalar_substitute(a, s, NULL, of);
	struct access *operand = rule_own_operands(a, &r, 0);
	for (int k = 0; k < r.noperands; k++)
		if (!at_line(&operand[k], c, data))
			return false;
	struct phys_origins *o = phys_origins_new(a, r.noperands);
	memcpy(o->factor, c->origins->factor, sizeof o->factor);
	put_factors(c, r.factor, o->factor);
	memcpy(o->out, out_origins, sizeof o->out);
	r.nfactors = left_factors;
	r.out = *out;
	left = rule_prune(a, &r, kept);
	n->rule = rule_intern(c->p->program->rules, left);
	n->origins = o;
	n->nin = left->noperands;
	n->in = ARENA_ARRAY(a, struct phys_node *, n->nin);
	for (int k = 0; k < n->nin; k++) {
		n->in[k] = c->in[kept[k]];
		memcpy(o->operand[k], c->origins->operand[kept[k]], sizeof o->operand[k]);
	}
	return true;
}

/* ---- on the way of what is carried ---- */

static struct phys_node *seen_through(struct phys_node *n)
{
	while (n->kind == PHYS_VIEW && !n->after && n->loop == n->in[0]->loop &&
	       shape_equal(&n->shape, &n->in[0]->shape))
		n = n->in[0];
	return n;
}

static bool is_of_result(const struct composed *c, int factor)
{
	return access_dim_of(&c->rule.out, factor) >= 0;
}

/* Whether, but for a line, c is one of its operands; then s says so. */
static bool keeps_the_rest(struct composed *c, struct step *s)
{
	const struct rule *r = &c->rule;
	const struct scalar *rest = where(c, r->body, 0, false);
	int k = rest->kind == SCALAR_OPERAND ? rest->index : -1;
	if (k < 0 || !is_of_result(c, c->mark[0].factor) || !access_equal(&r->operand[k], &r->out) ||
	    shape_volume(&s->to->shape) < ELEMENTS)
		return false;
	s->from = seen_through(c->in[k]);
	s->value = value_of_line(c, rest, is_of_result);
	s->c = *c;
	return lines_of(c) >= LINES;
}

static bool find_step(struct planner *p, struct phys_node *n, struct step *s)
{
	struct composed c;
	*s = (struct step){.to = n};
	if (!is_plain(p, n) || !map_is_pointwise(n) || n->rule->nfactors != n->shape.rank)
		return false;
	for (int k = -1; k < n->nin; k++)
		if (compose(p, n, k, &c) && find_line(&c, c.rule.body) && keeps_the_rest(&c, s))
			return true;
	if (shape_volume(&n->shape) < ELEMENTS || !planner_slice_step(p, n, &s->slice))
		return false;
	s->from = s->slice.from = seen_through(s->slice.from);
	return true;
}

struct finder {
	struct planner *p;
	struct phys_node **line; /* by node: what is computed before it; NULL: nothing */
	int *put;                /* by node: into how many maps it was put */
};

/* The factors of one line, as a tensor's dimensions. */
static struct access points_of(const struct composed *c, enum dtype t)
{
	struct access a = {.type = t};
	for (int f = 0; f < c->rule.nfactors; f++) {
		if (mark_of(c, f) >= 0)
			continue;
		a.dim[a.rank] = c->rule.factor[f].extent;
		a.index[a.rank] = index_of_factor(a.rank);
		a.rank++;
	}
	return a;
}

/* n is what was there, with the line written over it. */
static void becomes_whole(struct phys_node *n, const struct step *s, struct phys_node *line)
{
	const struct composed *c = &s->c;
	struct arena *a = c->p->scratch;
	int data[MAX_FACTORS], nin = 0;
	struct rule r = {.name = n->rule->name, .nfactors = c->rule.nfactors - c->nmarks, .combiner = COMBINE_NONE};
	struct phys_origins *o = phys_origins_new(a, c->nmarks + 1);
	memcpy(r.factor, c->rule.factor, sizeof r.factor);
	memcpy(o->factor, c->origins->factor, sizeof o->factor);
	put_factors(c, r.factor, o->factor);
	n->in = ARENA_ARRAY(a, struct phys_node *, c->nmarks + 1);
	for (int k = 0; k < c->nmarks; k++) {
		int number = c->mark[k].line;
		data[k] = number < 0 ? -1 : nin;
		if (number < 0)
			continue;
		n->in[nin] = c->in[number];
		memcpy(o->operand[nin++], c->origins->operand[number], sizeof *o->operand);
		rule_add_operand(a, &r, &c->rule.operand[number]);
	}
	n->in[nin] = line;
	n->nin = nin + 1;
	memcpy(o->operand[nin], line->origins->out, sizeof *o->operand);
	memcpy(o->out, c->origins->out, sizeof o->out);
	rule_add_operand(a, &r, &line->rule->out);
	r.out = c->rule.out;
	at_line(&r.out, c, data);
	r.body = scalar_operand(a, n->dtype, nin);
	n->rule = rule_intern(c->p->program->rules, &r);
	n->origins = o;
	n->onto = s->from;
}

static void take(struct finder *x, const struct step *s)
{
	struct planner *p = x->p;
	if (s->slice.width) {
		planner_slice_write(p, &s->slice, x->line, x->put);
		return;
	}
	struct phys_node *n = s->to, *line = ARENA_NEW(p->scratch, struct phys_node);
	const struct access points = points_of(&s->c, n->dtype);
	struct phys_origin origins[MAX_FACTORS];
	struct factor factor[MAX_FACTORS];
	memcpy(origins, s->c.origins->factor, sizeof origins);
	put_factors(&s->c, factor, origins);
	*line = *n;
	line->shape = (struct shape){.rank = points.rank};
	memcpy(line->shape.dim, points.dim, sizeof line->shape.dim);
	if (!becomes_line(line, &s->c, s->value, &points, origins))
		return;
	becomes_whole(n, s, line);
	p->rows[n->id] = ROWS_ONTO;
	if (s->c.inside)
		x->put[s->c.inside->id]++;
	x->line[n->id] = line;
}

/* From what takes the place of a carried value back to it, if each is the one before but for a line. */
static void find_way(struct finder *x, const struct phys_node *end)
{
	struct planner *p = x->p;
	struct phys_node *carry = end->in[0], *n = seen_through(end->in[1]);
	VEC(struct step) way = {0};
	while (n != carry) {
		struct step s;
		if (n->kind == PHYS_END && n->loop == end->of) { /* a loop in the turn */
			n = seen_through(n->in[0]->in[0]);
			continue;
		}
		if (n->loop != end->of || !find_step(p, n, &s))
			return;
		vec_push(p->scratch, &way, s);
		n = s.from;
	}
	for (int i = 0; i < way.n; i++)
		take(x, &way.at[i]);
}

/* A slot that becomes what it held but for a line, and that nobody reads behind. */
static void find_update(struct finder *x, const struct phys_output *o)
{
	struct planner *p = x->p;
	struct phys_node *n = o->node;
	struct step s;
	if (o->kind != OUTPUT_SLOT || n->loop || !find_step(p, n, &s) || s.from->kind != PHYS_SLOT ||
	    s.from->slot != o->index)
		return;
	for (struct phys_node *const *u = p->users[s.from->id]; *u; u++)
		if ((*u)->id > n->id)
			return;
	take(x, &s);
}

/* ---- sums ---- */

static bool is_nothing(const struct scalar *s)
{
	return s->kind == SCALAR_CONST && (dtype_is_float(s->type) ? s->f == 0 : s->i == 0);
}

static bool is_summed(const struct composed *c, int factor)
{
	return rule_reduces(&c->rule, factor);
}

/* A sum over lines of which all but one are 0 is that line. */
static void find_sum(struct finder *x, struct phys_node *n)
{
	struct planner *p = x->p;
	struct composed c;
	const int none[MAX_FACTORS] = {0}; /* the result has no summed factor */
	if (!is_plain(p, n) || n->rule->combiner != COMBINE_SUM || rule_is_scatter(n->rule))
		return;
	for (int k = -1; k < n->nin; k++) {
		if (!compose(p, n, k, &c) || !find_line(&c, c.rule.body) || !is_summed(&c, c.mark[0].factor))
			continue;
		const struct scalar *rest = where(&c, c.rule.body, 0, false);
		if (!is_nothing(rest))
			continue;
		const struct scalar *value = value_of_line(&c, rest, is_summed);
		struct access out = c.rule.out;
		if (lines_of(&c) < LINES || !at_line(&out, &c, none) ||
		    !becomes_line(n, &c, value, &out, c.origins->out))
			continue;
		if (c.inside)
			x->put[c.inside->id]++;
		return;
	}
}

/* ---- all of it ---- */

/* What was put into all maps that read it, as what is added twice, is not computed. */
static void leave_out_what_was_put(struct finder *x)
{
	struct planner *p = x->p;
	for (int i = 0; i < p->graph->nodes.n; i++) {
		if (x->put[i] && x->put[i] == p->uses[i]) {
			p->treat[i] = TREAT_ABSORBED;
			p->graph->nodes.at[i]->nin = 0; /* it reads nothing any more */
		}
		x->put[i] = 0;
	}
}

/* What is computed before a node stands before it. */
static void put_in_order(struct finder *x, int count)
{
	struct planner *p = x->p;
	struct phys_graph *g = p->graph;
	struct phys_node **old = physical_take_nodes(p->scratch, g);
	enum treatment *treat = ARENA_ARRAY(p->scratch, enum treatment, count);
	enum scatter_rows *rows = ARENA_ARRAY(p->scratch, enum scatter_rows, count);
	memcpy(treat, p->treat, sizeof *treat * (size_t)count);
	memcpy(rows, p->rows, sizeof *rows * (size_t)count);
	for (int i = 0; i < count; i++) {
		if (x->line[i])
			vec_push(p->scratch, &g->nodes, x->line[i]);
		vec_push(p->scratch, &g->nodes, old[i]);
	}
	for (int i = 0; i < g->nodes.n; i++) {
		struct phys_node *n = g->nodes.at[i];
		bool is_old = old[n->id] == n;
		p->treat[i] = is_old ? treat[n->id] : TREAT_NONE;
		p->rows[i] = is_old ? rows[n->id] : ROWS_ALL;
		n->id = i;
	}
}

void planner_find_elements(struct planner *p)
{
	struct phys_graph *g = p->graph;
	int count = g->nodes.n;
	struct finder x = {.p = p,
			   .line = ARENA_ARRAY(p->scratch, struct phys_node *, count + 1),
			   .put = ARENA_ARRAY(p->scratch, int, count + 1)};
	for (int i = 0; i < count; i++)
		if (g->nodes.at[i]->loop)
			find_sum(&x, g->nodes.at[i]);
	leave_out_what_was_put(&x);
	planner_find_users(p);
	for (int i = 0; i < g->outputs.n; i++)
		find_update(&x, &g->outputs.at[i]);
	for (int i = 0; i < count; i++)
		if (g->nodes.at[i]->kind == PHYS_END && !g->nodes.at[i]->of->loop->stages)
			find_way(&x, g->nodes.at[i]);
	for (int i = 0; i < count; i++)
		planner_slice_read(p, g->nodes.at[i], x.line, x.put);
	leave_out_what_was_put(&x);
	put_in_order(&x, count);
	planner_find_users(p);
}
