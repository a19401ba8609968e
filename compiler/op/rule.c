/* rule.c — questions about a rule that need no more than its record. */
#include "intern.h"

#include "base/map.h"

#include <string.h>

static const char *const combiners[COMBINE_COUNT] = {
	[COMBINE_NONE] = "",
#define COMBINER(name, text, result, partial, join) [COMBINE_##name] = text,
#include "combiner.def"
#undef COMBINER
};

const char *combiner_text(enum combiner c)
{
	return combiners[c];
}

enum scalar_fn combiner_fn(enum combiner c)
{
	static const enum scalar_fn join[COMBINE_COUNT] = {
		[COMBINE_NONE] = SC_FN_COUNT,
#define COMBINER(name, text, result, partial, join) [COMBINE_##name] = SC_##join,
#include "combiner.def"
#undef COMBINER
	};
	return join[c];
}

struct index index_of_factor(int factor)
{
	struct index x = {.nterms = 1, .div = 1, .data = -1};
	x.term[0].factor = factor;
	x.term[0].coef = 1;
	return x;
}

int index_shifted_factor(const struct index *x)
{
	bool shifted = x->data < 0 && x->nterms == 1 && x->term[0].coef == 1 && x->div == 1;
	return shifted ? x->term[0].factor : -1;
}

int index_factor(const struct index *x)
{
	return x->offset == 0 ? index_shifted_factor(x) : -1;
}

bool index_is_fixed(const struct index *x)
{
	return x->nterms == 0 && x->data < 0 && x->div == 1;
}

bool index_add_term(struct index *x, int factor, int64_t coef)
{
	int i = 0;
	while (i < x->nterms && x->term[i].factor != factor)
		i++;
	if (i == x->nterms) {
		if (coef == 0 || i == MAX_TERMS)
			return coef == 0;
		x->nterms++;
		x->term[i].factor = (int8_t)factor;
		x->term[i].coef = 0;
	}
	if (__builtin_add_overflow(x->term[i].coef, coef, &coef))
		return false;
	x->term[i].coef = coef;
	if (coef)
		return true;
	for (x->nterms--; i < x->nterms; i++)
		x->term[i] = x->term[i + 1];
	return true;
}

int64_t index_coef(const struct index *x, int factor)
{
	int64_t c = 0;
	for (int i = 0; i < x->nterms; i++)
		c += x->term[i].factor == factor ? x->term[i].coef : 0;
	return c;
}

bool index_equal(const struct index *a, const struct index *b)
{
	if (a->nterms != b->nterms || a->offset != b->offset || a->div != b->div || a->data != b->data ||
	    a->guarded != b->guarded)
		return false;
	for (int k = 0; k < a->nterms; k++)
		if (a->term[k].factor != b->term[k].factor || a->term[k].coef != b->term[k].coef)
			return false;
	return true;
}

bool index_range(const struct rule *r, const struct index *x, int64_t *low, int64_t *high)
{
	*low = *high = x->offset;
	for (int k = 0; k < x->nterms; k++) {
		int64_t last = r->factor[x->term[k].factor].extent - 1, span;
		if (last <= 0)
			continue;
		if (__builtin_mul_overflow(x->term[k].coef, last, &span) ||
		    __builtin_add_overflow(span < 0 ? *low : *high, span, span < 0 ? low : high))
			return false;
	}
	return true;
}

bool index_needs_guard(const struct rule *r, const struct index *x, int64_t dim)
{
	int64_t low, high;
	if (x->data >= 0 || !index_range(r, x, &low, &high))
		return true;
	for (int k = 0; k < x->nterms; k++)
		if (r->factor[x->term[k].factor].extent == 0)
			return false; /* there is no point */
	if (low < 0 || high / x->div >= dim || x->offset % x->div)
		return true;
	for (int k = 0; k < x->nterms; k++)
		if (x->term[k].coef % x->div)
			return true;
	return false;
}

int access_dim_of(const struct access *a, int factor)
{
	for (int d = 0; d < a->rank; d++)
		if (index_factor(&a->index[d]) == factor)
			return d;
	return -1;
}

bool access_uses(const struct access *a, int factor)
{
	for (int d = 0; d < a->rank; d++)
		for (int k = 0; k < a->index[d].nterms; k++)
			if (a->index[d].term[k].factor == factor)
				return true;
	return false;
}

bool rule_reduces(const struct rule *r, int factor)
{
	return !access_uses(&r->out, factor);
}

bool rule_reads_index(const struct rule *r, int operand)
{
	for (int k = 0; k <= r->noperands; k++) {
		const struct access *a = k < r->noperands ? &r->operand[k] : &r->out;
		for (int d = 0; d < a->rank; d++)
			if (a->index[d].data == operand)
				return true;
	}
	return false;
}

/* Distinct plain factors; whole: each over the full dimension. */
static bool is_plain(const struct rule *r, const struct access *a)
{
	bool seen[MAX_FACTORS] = {false};
	for (int d = 0; d < a->rank; d++) {
		int f = index_factor(&a->index[d]);
		if (f < 0 || seen[f] || a->dim[d] != r->factor[f].extent || a->index[d].guarded)
			return false;
		seen[f] = true;
	}
	return true;
}

bool rule_is_scatter(const struct rule *r)
{
	return !is_plain(r, &r->out);
}

bool rule_reads_in_place(const struct rule *r, int i)
{
	const struct access *in = &r->operand[i], *out = &r->out;
	bool same = r->combiner == COMBINE_NONE && in->rank == out->rank;
	for (int d = 0; same && d < out->rank; d++)
		same = index_factor(&in->index[d]) >= 0 && index_equal(&in->index[d], &out->index[d]) &&
		       in->dim[d] == out->dim[d];
	return same;
}

bool rule_is_guarded(const struct rule *r)
{
	for (int i = 0; i < r->noperands; i++)
		for (int d = 0; d < r->operand[i].rank; d++)
			if (r->operand[i].index[d].guarded)
				return true;
	return false;
}

bool rule_is_elementwise(const struct rule *r)
{
	if (r->combiner != COMBINE_NONE || !is_plain(r, &r->out) || r->out.rank != r->nfactors)
		return false;
	for (int k = 0; k <= r->noperands; k++) {
		const struct access *a = k < r->noperands ? &r->operand[k] : &r->out;
		if (!is_plain(r, a))
			return false;
		for (int d = 1; d < a->rank; d++)
			if (index_factor(&a->index[d - 1]) > index_factor(&a->index[d]))
				return false;
	}
	return true;
}

bool rule_is_sum(const struct rule *r)
{
	const struct scalar *b = r->body;
	return r->noperands == 2 && b->kind == SCALAR_APPLY && b->fn == SC_ADD && b->arg[0]->kind == SCALAR_OPERAND &&
	       b->arg[1]->kind == SCALAR_OPERAND && b->arg[0]->index != b->arg[1]->index && rule_is_elementwise(r);
}

struct access *rule_own_operands(struct arena *a, struct rule *r, int more)
{
	struct access *own = ARENA_ARRAY(a, struct access, r->noperands + more);
	for (int k = 0; k < r->noperands; k++)
		own[k] = r->operand[k];
	r->operand = own;
	return own;
}

void rule_add_operand(struct arena *a, struct rule *r, const struct access *x)
{
	struct access *own = rule_own_operands(a, r, 1);
	own[r->noperands++] = *x;
}

struct access access_of_shape(enum dtype t, const struct shape *s)
{
	struct access a = {.type = t, .rank = s->rank};
	for (int d = 0; d < s->rank; d++) {
		a.dim[d] = s->dim[d];
		a.index[d] = index_of_factor(d);
	}
	return a;
}

struct rule rule_over_shape(const char *name, enum dtype t, const struct shape *s)
{
	static const char *const factor[MAX_RANK] = {"i", "j", "k", "l", "m", "n", "o", "p"};
	struct rule r = {.name = name, .nfactors = s->rank, .out = access_of_shape(t, s)};
	for (int d = 0; d < s->rank; d++)
		r.factor[d] = (struct factor){.name = factor[d], .extent = s->dim[d]};
	return r;
}

void access_rename_factors(struct access *a, const int *to)
{
	for (int d = 0; d < a->rank; d++)
		for (int k = 0; k < a->index[d].nterms; k++)
			a->index[d].term[k].factor = (int8_t)to[a->index[d].term[k].factor];
}

bool access_equal(const struct access *a, const struct access *b)
{
	if (a->type != b->type || a->rank != b->rank)
		return false;
	for (int d = 0; d < a->rank; d++)
		if (a->dim[d] != b->dim[d] || !index_equal(&a->index[d], &b->index[d]))
			return false;
	return true;
}

bool rule_equal(const struct rule *a, const struct rule *b)
{
	if (a == b)
		return true;
	const struct rule_facts *x = rule_facts(a), *y = rule_facts(b);
	if (x && y && x->table == y->table)
		return x->same == y->same;
	if (a->nfactors != b->nfactors || a->noperands != b->noperands || a->combiner != b->combiner ||
	    a->hint != b->hint)
		return false;
	for (int f = 0; f < a->nfactors; f++)
		if (a->factor[f].extent != b->factor[f].extent)
			return false;
	for (int k = 0; k < a->noperands; k++)
		if (!access_equal(&a->operand[k], &b->operand[k]))
			return false;
	return access_equal(&a->out, &b->out) && scalar_equal(a->body, b->body);
}

static uint64_t hash_access(uint64_t h, const struct access *a)
{
	h = hash_number(h, (uint64_t)a->type << 32 | (uint32_t)a->rank);
	for (int d = 0; d < a->rank; d++) {
		const struct index *x = &a->index[d];
		h = hash_number(hash_number(hash_number(h, (uint64_t)a->dim[d]), (uint64_t)x->offset),
				(uint64_t)x->div);
		h = hash_number(h, (uint64_t)(x->data + 1) << 32 | (uint64_t)x->nterms << 1 | x->guarded);
		for (int k = 0; k < x->nterms; k++)
			h = hash_number(hash_number(h, (uint64_t)x->term[k].factor), (uint64_t)x->term[k].coef);
	}
	return h;
}

uint64_t rule_hash(const struct rule *r)
{
	const struct rule_facts *known = rule_facts(r);
	if (known && known->hash)
		return known->hash;
	uint64_t h = hash_number(HASH_SEED, (uint64_t)r->nfactors << 32 | (uint64_t)r->noperands);
	h = hash_number(h, (uint64_t)r->combiner << 32 | (uint64_t)r->hint);
	for (int f = 0; f < r->nfactors; f++)
		h = hash_number(h, (uint64_t)r->factor[f].extent);
	for (int k = 0; k < r->noperands; k++)
		h = hash_access(h, &r->operand[k]);
	return scalar_hash(hash_access(h, &r->out), r->body);
}

int64_t rule_flops(const struct rule *r)
{
	int64_t n = scalar_flops(r->body) + (r->combiner != COMBINE_NONE);
	for (int f = 0; f < r->nfactors; f++)
		if (r->factor[f].extent == 0)
			return 0;
	for (int f = 0; f < r->nfactors; f++)
		if (__builtin_mul_overflow(n, r->factor[f].extent, &n))
			return INT64_MAX;
	return n;
}
