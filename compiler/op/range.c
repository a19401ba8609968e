/* range.c — interval arithmetic over bodies and combiners, so that an index that cannot leave its dimension is not
 * checked while the program runs. Ints wrap: where an end leaves the type, all of the type is the answer. */
#include "range.h"

#include "scalars/function.h"

#include "../../runtime/moves/count.h"

/* Bodies share subtrees; past so many steps a body is not looked into any further. */
enum { MAX_STEPS = 2048 };

const struct range range_everything = {INT64_MIN, INT64_MAX};
static const struct range zero_or_one = {0, 1}, none = {0, 0};

struct bounds {
	const struct rule *rule;
	const struct range *operands;
	int steps;
};

struct range range_of_type(enum dtype t)
{
	int bits = 8 * (int)dtype_size(t);
	switch (dtype_kind(t)) {
	case DTYPE_INT:
		return bits == 64 ? range_everything
				  : (struct range){-((int64_t)1 << (bits - 1)), ((int64_t)1 << (bits - 1)) - 1};
	case DTYPE_UINT:
		return bits == 64 ? range_everything : (struct range){0, ((int64_t)1 << bits) - 1};
	case DTYPE_BOOL:
		return zero_or_one;
	case DTYPE_FLOAT:
		break;
	}
	return range_everything;
}

struct range range_hull(struct range a, struct range b)
{
	return (struct range){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

static struct range in_type(enum dtype t, struct range r)
{
	struct range all = range_of_type(t);
	return r.low < all.low || r.high > all.high ? all : r;
}

struct range range_sum(struct range a, struct range b)
{
	struct range r;
	bool over = __builtin_add_overflow(a.low, b.low, &r.low);
	over |= __builtin_add_overflow(a.high, b.high, &r.high);
	return over ? range_everything : r;
}

struct range range_negative(struct range a)
{
	return a.low == INT64_MIN ? range_everything : (struct range){-a.high, -a.low};
}

struct range range_product(struct range a, struct range b)
{
	int64_t p[4];
	bool over = __builtin_mul_overflow(a.low, b.low, &p[0]);
	over |= __builtin_mul_overflow(a.low, b.high, &p[1]);
	over |= __builtin_mul_overflow(a.high, b.low, &p[2]);
	over |= __builtin_mul_overflow(a.high, b.high, &p[3]);
	struct range r = {p[0], p[0]};
	for (int i = 1; i < 4 && !over; i++)
		r = range_hull(r, (struct range){p[i], p[i]});
	return over ? range_everything : r;
}

static struct range range_of(struct bounds *b, const struct scalar *s);

static struct range of_apply(struct bounds *b, const struct scalar *s)
{
	const struct scalar_function *f = scalar_functions[s->fn];
	struct range x[3];
	bool ints = true;
	if (!f->range)
		return range_of_type(s->type);
	for (int i = 0; i < f->arity; i++) {
		bool is_key = f->draws && i == 0; /* of which no range of draws asks */
		x[i] = range_of(b, s->arg[i]);
		ints = ints && !dtype_is_float(s->arg[i]->type) &&
		       (is_key || s->arg[i]->type != DT_U64 || x[i].low >= 0);
	}
	if (!ints)
		return range_of_type(s->type);
	return f->range(x);
}

static struct range range_of(struct bounds *b, const struct scalar *s)
{
	if (dtype_is_float(s->type) || b->steps++ > MAX_STEPS)
		return range_of_type(s->type);
	switch (s->kind) {
	case SCALAR_CONST:
		return in_type(s->type, (struct range){s->i, s->i});
	case SCALAR_OPERAND:
		return b->operands[s->index];
	case SCALAR_FACTOR:
		return (struct range){0, b->rule->factor[s->index].extent - 1};
	case SCALAR_EXTENT:
		return (struct range){b->rule->factor[s->index].extent, b->rule->factor[s->index].extent};
	case SCALAR_APPLY:
		return in_type(s->type, of_apply(b, s));
	}
	return range_everything;
}

struct range range_of_body(const struct rule *r, const struct scalar *s, const struct range *operands)
{
	struct bounds b = {.rule = r, .operands = operands};
	return range_of(&b, s);
}

/* Of up to n terms, each in a. */
static struct range up_to(struct range a, int64_t n)
{
	return range_product(range_hull(a, none), (struct range){0, n});
}

struct range range_of_rule(const struct rule *r, const struct range *operands)
{
	struct bounds b = {.rule = r, .operands = operands};
	int64_t points = 1, reduced = 1;
	bool scatters = rule_is_scatter(r), drops = scatters || rule_is_guarded(r);
	for (int f = 0; f < r->nfactors; f++) {
		points = count_mul(points, r->factor[f].extent);
		reduced = rule_reduces(r, f) ? count_mul(reduced, r->factor[f].extent) : reduced;
	}
	struct range all = range_of_type(r->out.type);
	if (!points || dtype_is_float(r->out.type))
		return all;
	struct range body = range_of(&b, r->body);
	switch (r->combiner) {
	case COMBINE_NONE:
		return in_type(r->out.type, drops ? range_hull(body, none) : body);
	case COMBINE_SUM:
		return in_type(r->out.type, up_to(body, scatters ? points : reduced));
	case COMBINE_MAX:
	case COMBINE_MIN:
		return drops ? all : in_type(r->out.type, body);
	case COMBINE_ARGMAX:
	case COMBINE_ARGMIN:
		return drops ? all : in_type(r->out.type, (struct range){0, reduced - 1});
	case COMBINE_PROD:
	case COMBINE_COUNT:
		break;
	}
	return all;
}
