/* rule_read.c — the notation of rule_print, for tests and for graphs that are read back.
 *
 *   rule    = name "(" operands ")" "->" access "=" [combiner "[" names "]"] body ["using" "gemm"] ["{" extents "}"]
 *   operand = name [access] [":" type]
 *   access  = "[" index {"," index} "]"      index = (sum | "(" sum ")" "/" int | operand) [":" int] ["?"]
 * The extents come last but are needed first, so the braces are found before the rest is read. Names of rules may hold
 * anything but a parenthesis that is not closed ("d(matmul)/da"): the operands open with the last "(" before "->" at
 * depth 0. */
#include "rule_read.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

void read_fail(struct reader *r, const char *what)
{
	if (!r->error)
		r->error = arena_printf(r->arena, "%s at \"%.20s\"", what, r->at);
}

void read_skip(struct reader *r)
{
	while (*r->at == ' ' || *r->at == '\n' || *r->at == '\t')
		r->at++;
}

bool read_accept(struct reader *r, const char *word)
{
	read_skip(r);
	size_t n = strlen(word);
	if (r->error || strncmp(r->at, word, n))
		return false;
	if (char_is_word(word[n - 1]) && char_is_word(r->at[n]))
		return false;
	r->at += n;
	return true;
}

void read_expect(struct reader *r, const char *word)
{
	if (!read_accept(r, word))
		read_fail(r, arena_printf(r->arena, "expected `%s`", word));
}

int read_peek(struct reader *r)
{
	int n = 0;
	read_skip(r);
	if (!r->error && (isalpha((unsigned char)*r->at) || *r->at == '_'))
		while (char_is_word(r->at[n]))
			n++;
	return n;
}

const char *read_name(struct reader *r)
{
	int n = read_peek(r);
	if (!n)
		read_fail(r, "expected a name");
	const char *name = arena_strndup(r->arena, r->at, (size_t)n);
	r->at += n;
	return name;
}

int64_t read_int(struct reader *r)
{
	read_skip(r);
	char *end;
	errno = 0;
	long long v = strtoll(r->at, &end, 10);
	if (r->error || !isdigit((unsigned char)*r->at) || errno)
		read_fail(r, "expected a number");
	else
		r->at = end;
	return v;
}

int find_name(const char *const *names, int n, const char *name)
{
	for (int k = 0; k < n; k++)
		if (names[k] && !strcmp(names[k], name))
			return k;
	return -1;
}

int find_factor(const struct rule *rule, const char *name)
{
	for (int f = 0; f < rule->nfactors; f++)
		if (!strcmp(rule->factor[f].name, name))
			return f;
	return -1;
}

/* ---- accesses ---- */

static void read_term(struct reader *r, struct index *x, int sign)
{
	int64_t c = sign;
	read_skip(r);
	if (isdigit((unsigned char)*r->at)) {
		int64_t n = read_int(r);
		c = sign * n;
		if (!read_accept(r, "*")) {
			x->offset += c;
			return;
		}
	}
	const char *name = read_name(r);
	int f = find_factor(r->rule, name);
	if (f < 0)
		read_fail(r, arena_printf(r->arena, "`%s` is not a factor", name));
	else if (x->nterms == MAX_TERMS)
		read_fail(r, "too many factors in one index");
	else {
		x->term[x->nterms].factor = f;
		x->term[x->nterms++].coef = c;
	}
}

static void read_sum(struct reader *r, struct index *x)
{
	read_term(r, x, read_accept(r, "-") ? -1 : 1);
	for (;;) {
		if (read_accept(r, "+"))
			read_term(r, x, 1);
		else if (read_accept(r, "-"))
			read_term(r, x, -1);
		else
			return;
	}
}

static void read_index(struct reader *r, struct access *at)
{
	if (at->rank == MAX_RANK) {
		read_fail(r, "too many dimensions");
		return;
	}
	struct index *x = &at->index[at->rank];
	int64_t low, high, dim = 0;
	*x = (struct index){.div = 1, .data = -1};
	int n = read_peek(r),
	    data = n ? find_name(r->operand, MAX_OPERANDS, arena_strndup(r->arena, r->at, (size_t)n)) : -1;
	if (data >= 0) {
		r->at += n;
		x->data = data;
		x->guarded = true;
	} else if (read_accept(r, "(")) {
		read_sum(r, x);
		read_expect(r, ")");
		read_expect(r, "/");
		x->div = read_int(r);
	} else {
		read_sum(r, x);
	}
	if (!r->error && x->data < 0 && index_range(r->rule, x, &low, &high))
		dim = index_factor(x) >= 0 ? r->rule->factor[index_factor(x)].extent
		      : high < 0           ? 0
					   : high / (x->div > 0 ? x->div : 1) + 1;
	at->dim[at->rank] = read_accept(r, ":") ? read_int(r) : dim;
	if (!r->error && x->div > 0)
		x->guarded = index_needs_guard(r->rule, x, at->dim[at->rank]);
	x->guarded = read_accept(r, "?") || x->guarded;
	at->rank++;
}

static void read_access(struct reader *r, struct access *at)
{
	*at = (struct access){.type = DT_F32};
	if (!read_accept(r, "[") || read_accept(r, "]"))
		return;
	do
		read_index(r, at);
	while (read_accept(r, ","));
	read_expect(r, "]");
}

/* ---- the whole ---- */

static void read_extents(struct reader *r)
{
	const char *start = r->at, *open = strrchr(r->at, '{');
	if (open) {
		r->at = open + 1;
		do {
			if (r->rule->nfactors == MAX_FACTORS) {
				read_fail(r, "too many factors");
				break;
			}
			struct factor *f = &r->rule->factor[r->rule->nfactors++];
			f->name = read_name(r);
			read_expect(r, "=");
			f->extent = read_int(r);
		} while (read_accept(r, ","));
		read_expect(r, "}");
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
		read_fail(r, "expected `name(operands) -> [result] = body`");
		return;
	}
	r->rule->name = arena_strndup(r->arena, r->at, (size_t)(p - r->at));
	r->at = p + 1;
}

/* "a[i, j]: f32, b[j]": the names alone, or, where `operand` is given, what is read of them. How many there are. */
static int read_operand_list(struct reader *r, struct access *operand)
{
	int n = 0;
	if (read_accept(r, ")"))
		return 0;
	do {
		struct access skipped, *at = operand ? &operand[n] : &skipped;
		if (n == MAX_OPERANDS) {
			read_fail(r, "too many operands");
			return 0;
		}
		r->operand[n++] = read_name(r);
		read_skip(r);
		if (!operand && *r->at == '[')
			r->at = strchr(r->at, ']') ? strchr(r->at, ']') + 1 : r->at;
		else if (operand)
			read_access(r, at);
		if (read_accept(r, ":") && (at->type = dtype_of_text(read_name(r))) == DT_COUNT)
			read_fail(r, "expected a type");
	} while (read_accept(r, ","));
	read_expect(r, ")");
	return n;
}

/* All names first, because an access may use the name of a later operand. */
static void read_operands(struct reader *r)
{
	const char *start = r->at;
	int n = read_operand_list(r, NULL);
	if (r->error)
		return;
	struct access *operand = rule_own_operands(r->arena, r->rule, n);
	r->rule->noperands = n;
	r->at = start;
	read_operand_list(r, operand);
}

/* "sum[k]" sets the combiner; the names must be the factors that the result lacks. */
static void read_combiner(struct reader *r)
{
	const char *start = r->at;
	int n = read_peek(r), c = COMBINE_NONE + 1, listed = 0;
	const char *name = arena_strndup(r->arena, r->at, (size_t)n);
	while (c < COMBINE_COUNT && strcmp(combiner_text((enum combiner)c), name))
		c++;
	r->at += n;
	if (c == COMBINE_COUNT || !read_accept(r, "[")) {
		r->at = start;
		return;
	}
	r->rule->combiner = (enum combiner)c;
	for (; !read_accept(r, "]") && !r->error; listed++) {
		int f = find_factor(r->rule, read_name(r));
		if (f < 0 || !rule_reduces(r->rule, f))
			read_fail(r, "not a factor that is reduced");
		read_accept(r, ",");
	}
	for (int f = 0; f < r->rule->nfactors; f++)
		listed -= rule_reduces(r->rule, f);
	if (listed)
		read_fail(r, "the factors reduced are not those the result lacks");
}

static void read_rest(struct reader *r)
{
	read_expect(r, "->");
	read_access(r, &r->rule->out);
	read_expect(r, "=");
	read_combiner(r);

	r->rule->body = read_body(r);
	if (r->error)
		return;
	bool index = r->rule->combiner == COMBINE_ARGMAX || r->rule->combiner == COMBINE_ARGMIN;
	r->rule->out.type = index ? DT_I32 : r->rule->body->type;
	if (read_accept(r, "using")) {
		read_expect(r, "gemm");
		r->rule->hint = HINT_GEMM;
	}
	read_skip(r);
	if (!r->error && *r->at && *r->at != '{')
		read_fail(r, "unexpected text");
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
