/* rule_read.c — the notation of rule_print, for tests and for graphs that are read back.
 *
 *   rule    = name "(" operands ")" "->" access "=" [combiner "[" names "]"] body ["using" "gemm"] ["{" extents "}"]
 *   operand = name [access] [":" type]
 *   access  = "[" index {"," index} "]"      index = (sum | "(" sum ")" "/" int | operand) [":" int] ["?"]
 * The extents come last but are needed first, so the braces are found before the rest is read. Names of rules may hold
 * anything but a parenthesis that is not closed ("d(matmul)/da"): the operands open with the last "(" before "->" at
 * depth 0. */
#include "rule.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 200 };

struct reader {
	struct arena *arena;
	const char *at;
	const char *error; /* the first one; reading goes on until it is noticed */
	struct rule *rule;
	const char *operand[MAX_OPERANDS];
	int depth;
};

/* A number without a type takes the type of what it meets. */
struct value {
	const struct scalar *s;
	bool untyped;
};

static void fail(struct reader *r, const char *what)
{
	if (!r->error)
		r->error = arena_printf(r->arena, "%s at \"%.20s\"", what, r->at);
}

static void skip(struct reader *r)
{
	while (*r->at == ' ' || *r->at == '\n' || *r->at == '\t')
		r->at++;
}

static bool accept(struct reader *r, const char *word)
{
	skip(r);
	size_t n = strlen(word);
	if (r->error || strncmp(r->at, word, n))
		return false;
	if ((isalnum((unsigned char)word[n - 1])) && (isalnum((unsigned char)r->at[n]) || r->at[n] == '_'))
		return false;
	r->at += n;
	return true;
}

static void expect(struct reader *r, const char *word)
{
	if (!accept(r, word))
		fail(r, arena_printf(r->arena, "expected `%s`", word));
}

/* Length of the name here, 0 if there is none. */
static int peek_name(struct reader *r)
{
	int n = 0;
	skip(r);
	if (!r->error && (isalpha((unsigned char)*r->at) || *r->at == '_'))
		while (isalnum((unsigned char)r->at[n]) || r->at[n] == '_')
			n++;
	return n;
}

static const char *read_name(struct reader *r)
{
	int n = peek_name(r);
	if (!n)
		fail(r, "expected a name");
	const char *name = arena_strndup(r->arena, r->at, (size_t)n);
	r->at += n;
	return name;
}

static int64_t read_int(struct reader *r)
{
	skip(r);
	char *end;
	errno = 0;
	long long v = strtoll(r->at, &end, 10);
	if (r->error || !isdigit((unsigned char)*r->at) || errno)
		fail(r, "expected a number");
	else
		r->at = end;
	return v;
}

static int find(const char *const *names, int n, const char *name)
{
	for (int k = 0; k < n; k++)
		if (names[k] && !strcmp(names[k], name))
			return k;
	return -1;
}

static int find_factor(const struct rule *rule, const char *name)
{
	for (int f = 0; f < rule->nfactors; f++)
		if (!strcmp(rule->factor[f].name, name))
			return f;
	return -1;
}

/* ---- body ---- */

static struct value read_level(struct reader *r, int level);

static struct value number(struct reader *r, const char *text, const char *end)
{
	bool is_float = strpbrk(text, ".ein") && strpbrk(text, ".ein") < end;
	struct value v = {.untyped = true};
	v.s = is_float ? scalar_float(r->arena, DT_F64, strtod(text, NULL))
		       : scalar_int(r->arena, DT_I64, strtoll(text, NULL, 10));
	return v;
}

static const struct scalar *with_type(struct reader *r, struct value v, enum dtype t)
{
	if (!v.untyped)
		return v.s;
	union scalar_value x = {.i = v.s->i};
	if (v.s->type == DT_F64)
		x.f = v.s->f;
	x = scalar_convert(x, v.s->type, t);
	return dtype_is_float(t) ? scalar_float(r->arena, t, x.f) : scalar_int(r->arena, t, x.i);
}

static const struct scalar *with_own_type(struct reader *r, struct value v)
{
	return with_type(r, v, v.s->type == DT_F64 ? DT_F32 : DT_I64);
}

/* Arguments from `first` on get one type, that of a typed one. */
static void settle(struct reader *r, struct value *v, int first, int n)
{
	enum dtype t = DT_COUNT;
	bool is_float = false;
	for (int k = first; k < n; k++) {
		is_float = is_float || v[k].s->type == DT_F64;
		if (!v[k].untyped && t == DT_COUNT)
			t = v[k].s->type;
	}
	if (t == DT_COUNT)
		t = is_float ? DT_F32 : DT_I64;
	for (int k = first; k < n; k++)
		v[k] = (struct value){with_type(r, v[k], t), false};
}

static struct value apply(struct reader *r, enum scalar_fn fn, enum dtype t, struct value *v)
{
	int n = scalar_arity(fn);
	struct value none = {scalar_int(r->arena, DT_I64, 0), true};
	if (r->error)
		return none;
	if (fn == SC_NEG && v[0].untyped && v[0].s->kind == SCALAR_CONST)
		return (struct value){scalar_apply(r->arena, SC_NEG, DT_I64, v[0].s, NULL, NULL), true};
	if (fn == SC_CAST) {
		const struct scalar *x =
			v[0].untyped ? with_type(r, v[0], t) : scalar_apply(r->arena, fn, t, v[0].s, NULL, NULL);
		return (struct value){x, false};
	}
	if (scalar_result_kind(fn) == SCALAR_FROM)
		v[0].s = with_type(r, v[0], DT_U64), v[1].s = with_type(r, v[1], DT_I64);
	else
		settle(r, v, fn == SC_WHERE, n);
	/* Checked before it is built, because folding computes with the types. */
	struct scalar node = {.kind = SCALAR_APPLY, .fn = fn, .type = t};
	for (int k = 0; k < n; k++)
		node.arg[k] = v[k].s;
	if (scalar_result_kind(fn) != SCALAR_FROM)
		node.type = scalar_result_kind(fn) == SCALAR_PRED  ? DT_BOOL
			    : scalar_result_kind(fn) == SCALAR_INT ? DT_I64
								   : v[fn == SC_WHERE].s->type;
	const char *wrong = scalar_check(r->arena, &node, MAX_OPERANDS, MAX_FACTORS);
	if (wrong) {
		fail(r, wrong);
		return none;
	}
	return (struct value){scalar_apply(r->arena, fn, t, node.arg[0], node.arg[1], node.arg[2]), false};
}

static struct value read_call(struct reader *r, enum scalar_fn fn, enum dtype t)
{
	struct value v[3];
	if (scalar_result_kind(fn) == SCALAR_FROM && fn != SC_CAST) {
		expect(r, "<");
		t = dtype_of_text(read_name(r));
		expect(r, ">");
		if (t == DT_COUNT)
			fail(r, "expected a type");
	}
	expect(r, "(");
	for (int k = 0; k < scalar_arity(fn); k++) {
		if (k)
			expect(r, ",");
		v[k] = read_level(r, 0);
	}
	expect(r, ")");
	return apply(r, fn, t, v);
}

static struct value read_word(struct reader *r)
{
	const char *start = r->at, *name = read_name(r);
	int factor = find_factor(r->rule, name), operand = find(r->operand, r->rule->noperands, name);
	if (operand >= 0)
		return (struct value){scalar_operand(r->arena, r->rule->operand[operand].type, operand), false};
	if (factor >= 0)
		return (struct value){scalar_factor(r->arena, factor), false};
	if (!strcmp(name, "true") || !strcmp(name, "false"))
		return (struct value){scalar_int(r->arena, DT_BOOL, name[0] == 't'), false};
	if (!strcmp(name, "inf") || !strcmp(name, "nan"))
		return number(r, start, r->at);
	if (dtype_of_text(name) < DT_COUNT)
		return read_call(r, SC_CAST, dtype_of_text(name));
	enum scalar_fn fn = scalar_fn_of_text(name);
	if (fn < SC_FN_COUNT && fn != SC_CAST && fn != SC_NEG)
		return read_call(r, fn, DT_F32);
	fail(r, arena_printf(r->arena, "unknown name `%s`", name));
	return (struct value){scalar_int(r->arena, DT_I64, 0), true};
}

static struct value read_primary(struct reader *r)
{
	struct value v = {scalar_int(r->arena, DT_I64, 0), true};
	char *end;
	skip(r);
	if (r->error)
		return v;
	if (accept(r, "-") || accept(r, "!")) {
		bool minus = r->at[-1] == '-';
		if (++r->depth > 6 * MAX_DEPTH)
			fail(r, "nested too deeply");
		v = read_primary(r);
		r->depth--;
		return apply(r, minus ? SC_NEG : SC_NOT, DT_F32, &v);
	}
	if (accept(r, "(")) {
		v = read_level(r, 0);
		expect(r, ")");
	} else if (isdigit((unsigned char)*r->at)) {
		strtod(r->at, &end);
		v = number(r, r->at, end);
		r->at = end;
	} else {
		v = read_word(r);
	}
	return v;
}

static const struct {
	int level;
	enum scalar_fn fn;
} binaries[] = {
	{0, SC_OR}, {1, SC_AND}, {2, SC_EQ},  {2, SC_NE},  {2, SC_LE},  {2, SC_LT},  {2, SC_GE},
	{2, SC_GT}, {3, SC_ADD}, {3, SC_SUB}, {4, SC_MUL}, {4, SC_DIV}, {4, SC_MOD},
};

static bool accept_binary(struct reader *r, int level, enum scalar_fn *fn)
{
	for (size_t k = 0; k < sizeof binaries / sizeof *binaries; k++) {
		*fn = binaries[k].fn;
		if (binaries[k].level == level && accept(r, scalar_text(*fn)))
			return true;
	}
	return false;
}

static struct value read_level(struct reader *r, int level)
{
	if (++r->depth > 6 * MAX_DEPTH)
		fail(r, "nested too deeply");
	struct value v[2] = {level < 4 && !r->error ? read_level(r, level + 1) : read_primary(r), {0}};
	enum scalar_fn fn;
	while (!r->error && accept_binary(r, level, &fn)) {
		v[1] = level < 4 ? read_level(r, level + 1) : read_primary(r);
		v[0] = apply(r, fn, DT_F32, v);
	}
	r->depth--;
	return v[0];
}

/* ---- accesses ---- */

static void read_term(struct reader *r, struct index *x, int sign)
{
	int64_t c = sign;
	skip(r);
	if (isdigit((unsigned char)*r->at)) {
		int64_t n = read_int(r);
		c = sign * n;
		if (!accept(r, "*")) {
			x->offset += c;
			return;
		}
	}
	const char *name = read_name(r);
	int f = find_factor(r->rule, name);
	if (f < 0)
		fail(r, arena_printf(r->arena, "`%s` is not a factor", name));
	else if (x->nterms == MAX_TERMS)
		fail(r, "too many factors in one index");
	else {
		x->term[x->nterms].factor = f;
		x->term[x->nterms++].coef = c;
	}
}

static void read_sum(struct reader *r, struct index *x)
{
	read_term(r, x, accept(r, "-") ? -1 : 1);
	for (;;) {
		if (accept(r, "+"))
			read_term(r, x, 1);
		else if (accept(r, "-"))
			read_term(r, x, -1);
		else
			return;
	}
}

static void read_index(struct reader *r, struct access *at)
{
	if (at->rank == MAX_RANK) {
		fail(r, "too many dimensions");
		return;
	}
	struct index *x = &at->index[at->rank];
	int64_t low, high, dim = 0;
	*x = (struct index){.div = 1, .data = -1};
	int n = peek_name(r), data = n ? find(r->operand, MAX_OPERANDS, arena_strndup(r->arena, r->at, (size_t)n)) : -1;
	if (data >= 0) {
		r->at += n;
		x->data = data;
		x->guarded = true;
	} else if (accept(r, "(")) {
		read_sum(r, x);
		expect(r, ")");
		expect(r, "/");
		x->div = read_int(r);
	} else {
		read_sum(r, x);
	}
	if (!r->error && x->data < 0 && index_range(r->rule, x, &low, &high))
		dim = index_factor(x) >= 0 ? r->rule->factor[index_factor(x)].extent
		      : high < 0           ? 0
					   : high / (x->div > 0 ? x->div : 1) + 1;
	at->dim[at->rank] = accept(r, ":") ? read_int(r) : dim;
	if (!r->error && x->div > 0)
		x->guarded = index_needs_guard(r->rule, x, at->dim[at->rank]);
	x->guarded = accept(r, "?") || x->guarded;
	at->rank++;
}

static void read_access(struct reader *r, struct access *at)
{
	*at = (struct access){.type = DT_F32};
	if (!accept(r, "[") || accept(r, "]"))
		return;
	do
		read_index(r, at);
	while (accept(r, ","));
	expect(r, "]");
}

/* ---- the whole ---- */

static void read_extents(struct reader *r)
{
	const char *start = r->at, *open = strrchr(r->at, '{');
	if (open) {
		r->at = open + 1;
		do {
			if (r->rule->nfactors == MAX_FACTORS) {
				fail(r, "too many factors");
				break;
			}
			struct factor *f = &r->rule->factor[r->rule->nfactors++];
			f->name = read_name(r);
			expect(r, "=");
			f->extent = read_int(r);
		} while (accept(r, ","));
		expect(r, "}");
	}
	r->at = start;
}

/* Up to the parenthesis that opens the operands: the one whose partner stands before "->". */
static void read_rule_name(struct reader *r)
{
	const char *arrow = strstr(r->at, "->"), *p = arrow;
	int depth = 0;
	while (p && p > r->at) {
		p--;
		depth += (*p == ')') - (*p == '(');
		if (*p == '(' && depth == 0)
			break;
	}
	if (!p || *p != '(') {
		fail(r, "expected `name(operands) -> [result] = body`");
		return;
	}
	r->rule->name = arena_strndup(r->arena, r->at, (size_t)(p - r->at));
	r->at = p + 1;
}

/* All names first, because an access may use the name of a later operand; then the accesses. */
static void read_operands(struct reader *r)
{
	const char *start = r->at;
	for (int pass = 0; pass < 2 && !r->error; pass++) {
		r->at = start;
		int n = 0;
		if (accept(r, ")"))
			return;
		do {
			if (n == MAX_OPERANDS) {
				fail(r, "too many operands");
				break;
			}
			r->operand[n] = read_name(r);
			struct access *at = &r->rule->operand[n++];
			skip(r);
			if (pass == 0 && *r->at == '[')
				r->at = strchr(r->at, ']') ? strchr(r->at, ']') + 1 : r->at;
			else
				read_access(r, at);
			if (accept(r, ":") && (at->type = dtype_of_text(read_name(r))) == DT_COUNT)
				fail(r, "expected a type");
		} while (accept(r, ","));
		expect(r, ")");
		r->rule->noperands = n;
	}
}

/* "sum[k]" sets the combiner; the names must be the factors that the result lacks. */
static void read_combiner(struct reader *r)
{
	const char *start = r->at;
	int n = peek_name(r), c = COMBINE_NONE + 1, listed = 0;
	const char *name = arena_strndup(r->arena, r->at, (size_t)n);
	while (c < COMBINE_COUNT && strcmp(combiner_text((enum combiner)c), name))
		c++;
	r->at += n;
	if (c == COMBINE_COUNT || !accept(r, "[")) {
		r->at = start;
		return;
	}
	r->rule->combiner = (enum combiner)c;
	for (; !accept(r, "]") && !r->error; listed++) {
		int f = find_factor(r->rule, read_name(r));
		if (f < 0 || !rule_reduces(r->rule, f))
			fail(r, "not a factor that is reduced");
		accept(r, ",");
	}
	for (int f = 0; f < r->rule->nfactors; f++)
		listed -= rule_reduces(r->rule, f);
	if (listed)
		fail(r, "the factors reduced are not those the result lacks");
}

static void read_rest(struct reader *r)
{
	expect(r, "->");
	read_access(r, &r->rule->out);
	expect(r, "=");
	read_combiner(r);
	struct value v = read_level(r, 0);
	if (r->error)
		return;
	r->rule->body = with_own_type(r, v);
	bool index = r->rule->combiner == COMBINE_ARGMAX || r->rule->combiner == COMBINE_ARGMIN;
	r->rule->out.type = index ? DT_I32 : r->rule->body->type;
	if (accept(r, "using")) {
		expect(r, "gemm");
		r->rule->hint = HINT_GEMM;
	}
	skip(r);
	if (!r->error && *r->at && *r->at != '{')
		fail(r, "unexpected text");
}

const struct rule *rule_read(struct arena *a, const char *text, const char **error)
{
	struct reader r = {.arena = a, .at = text, .rule = ARENA_NEW(a, struct rule)};
	read_extents(&r);
	read_rule_name(&r);
	if (!r.error)
		read_operands(&r);
	if (!r.error)
		read_rest(&r);
	if (!r.error)
		r.error = rule_check(a, r.rule);
	if (error)
		*error = r.error;
	return r.error ? NULL : r.rule;
}
