/* rule_print.c — a rule as one line of text; rule_read.c reads it back. */
#include "rule.h"

#include <inttypes.h>
#include <string.h>

static bool is_taken(const char *const *names, int n, const char *name)
{
	for (int k = 0; k < n; k++)
		if (!strcmp(names[k], name))
			return true;
	return false;
}

/* Words of the notation itself cannot name factors. */
static bool is_word(const char *name)
{
	return dtype_of_text(name) < DT_COUNT || scalar_fn_of_text(name) < SC_FN_COUNT || !strcmp(name, "using") ||
	       !strcmp(name, "true") || !strcmp(name, "false") || !strcmp(name, "inf") || !strcmp(name, "nan");
}

/* The factors' names, made distinct by numbers. */
static void factor_names(struct arena *a, const struct rule *r, const char **name)
{
	for (int f = 0; f < r->nfactors; f++) {
		name[f] = r->factor[f].name;
		for (int k = 2; is_taken(name, f, name[f]) || is_word(name[f]); k++)
			name[f] = arena_printf(a, "%s_%d", r->factor[f].name, k);
	}
}

void rule_operand_names(struct arena *a, const struct rule *r, const char **name)
{
	const char *factor[MAX_FACTORS];
	factor_names(a, r, factor);
	for (int k = 0; k < r->noperands; k++) {
		const char *own =
			k < 26 ? arena_printf(a, "%c", 'a' + k) : arena_printf(a, "%c%d", 'a' + k % 26, k / 26);
		name[k] = own;
		for (int j = 2; is_taken(factor, r->nfactors, name[k]); j++)
			name[k] = arena_printf(a, "%s_%d", own, j);
	}
}

struct rule_names {
	const char *factor[MAX_FACTORS], *operand[MAX_OPERANDS];
};

static void print_terms(struct text *t, const struct index *x, const struct rule_names *n)
{
	for (int k = 0; k < x->nterms; k++) {
		int64_t c = x->term[k].coef;
		uint64_t size = c < 0 ? 0 - (uint64_t)c : (uint64_t)c;
		text_add(t, k ? (c < 0 ? " - " : " + ") : (c < 0 ? "-" : ""));
		if (size != 1)
			text_printf(t, "%" PRIu64 " * ", size);
		text_add(t, n->factor[x->term[k].factor]);
	}
	uint64_t size = x->offset < 0 ? 0 - (uint64_t)x->offset : (uint64_t)x->offset;
	if (x->offset || !x->nterms)
		text_printf(t, "%s%" PRIu64, x->nterms ? (x->offset < 0 ? " - " : " + ") : (x->offset < 0 ? "-" : ""),
			    size);
}

/* The extent that an index suggests: one more than its largest value, or -1. */
static int64_t natural_dim(const struct rule *r, const struct index *x)
{
	int64_t low, high;
	if (index_factor(x) >= 0)
		return r->factor[index_factor(x)].extent;
	if (x->data >= 0 || x->div != 1 || !index_range(r, x, &low, &high) || high < 0)
		return -1;
	return high + 1;
}

static void print_index(struct text *t, const struct rule *r, const struct access *at, int d,
			const struct rule_names *n)
{
	const struct index *x = &at->index[d];
	if (x->data >= 0) {
		text_add(t, n->operand[x->data]);
	} else if (x->div != 1) {
		text_add(t, "(");
		print_terms(t, x, n);
		text_printf(t, ") / %" PRId64, x->div);
	} else {
		print_terms(t, x, n);
	}
	if (natural_dim(r, x) != at->dim[d])
		text_printf(t, ":%" PRId64, at->dim[d]);
	if (x->guarded && !index_needs_guard(r, x, at->dim[d]))
		text_add(t, "?");
}

static void print_access(struct text *t, const struct rule *r, const struct access *at, const struct rule_names *n)
{
	text_add(t, "[");
	for (int d = 0; d < at->rank; d++) {
		text_add(t, d ? ", " : "");
		print_index(t, r, at, d, n);
	}
	text_add(t, "]");
}

static void print_combiner(struct text *t, const struct rule *r, const struct rule_names *n)
{
	if (r->combiner == COMBINE_NONE)
		return;
	text_printf(t, "%s[", combiner_text(r->combiner));
	const char *comma = "";
	for (int f = 0; f < r->nfactors; f++) {
		if (!rule_reduces(r, f))
			continue;
		text_printf(t, "%s%s", comma, n->factor[f]);
		comma = ", ";
	}
	text_add(t, "] ");
}

void rule_print(struct text *t, const struct rule *r)
{
	struct rule_names n;
	factor_names(t->arena, r, n.factor);
	rule_operand_names(t->arena, r, n.operand);
	text_printf(t, "%s(", r->name);
	for (int k = 0; k < r->noperands; k++) {
		text_printf(t, "%s%s", k ? ", " : "", n.operand[k]);
		if (r->operand[k].rank)
			print_access(t, r, &r->operand[k], &n);
		if (r->operand[k].type != DT_F32)
			text_printf(t, ": %s", dtype_text(r->operand[k].type));
	}
	text_add(t, ") -> ");
	print_access(t, r, &r->out, &n);
	text_add(t, " = ");
	print_combiner(t, r, &n);
	scalar_print(t, r->body, n.operand, n.factor);
	if (r->hint == HINT_GEMM)
		text_add(t, " using gemm");
	for (int f = 0; f < r->nfactors; f++)
		text_printf(t, "%s%s=%" PRId64, f ? ", " : " {", n.factor[f], r->factor[f].extent);
	text_add(t, r->nfactors ? "}" : "");
}
