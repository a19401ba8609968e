/* read.c — the text of print.c back to a kernel. Anything else gives NULL and what was expected. */
#include "build.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NESTING = 64 };

struct around {
	const struct kernel_instr *loop;
	const struct around *outer;
};

struct reader {
	struct arena *arena;
	const char *at, *error;
	struct kernel *k;
	int depth;
	const struct around *around; /* the innermost loop around us */
};

static void blanks(struct reader *r)
{
	while (isspace((unsigned char)*r->at))
		r->at++;
}

static bool accept(struct reader *r, const char *word)
{
	blanks(r);
	size_t n = strlen(word);
	if (strncmp(r->at, word, n))
		return false;
	if (isalpha((unsigned char)word[n - 1]) && char_is_word(r->at[n]))
		return false;
	r->at += n;
	return true;
}

static bool expect(struct reader *r, const char *word)
{
	if (r->error)
		return false;
	if (accept(r, word))
		return true;
	r->error = arena_printf(r->arena, "expected `%s` at `%.20s`", word, r->at);
	return false;
}

static int64_t read_int(struct reader *r)
{
	blanks(r);
	char *end;
	int64_t v = strtoll(r->at, &end, 10);
	if (end == r->at && !r->error)
		r->error = arena_printf(r->arena, "expected a number at `%.20s`", r->at);
	r->at = end;
	return v;
}

/* A small number behind a sigil: %3, b0, i2. */
static int read_ref(struct reader *r, const char *sigil)
{
	blanks(r);
	size_t n = strlen(sigil);
	if (strncmp(r->at, sigil, n) || !isdigit((unsigned char)r->at[n])) {
		if (!r->error)
			r->error = arena_printf(r->arena, "expected `%s` and a number at `%.20s`", sigil, r->at);
		return 0;
	}
	r->at += n;
	int64_t v = read_int(r);
	if (v > 1000000 && !r->error)
		r->error = "a number is too large";
	return v > 1000000 ? 0 : (int)v;
}

static const char *read_word(struct reader *r)
{
	blanks(r);
	const char *begin = r->at;
	while (*r->at && !isspace((unsigned char)*r->at) && !strchr(",)[]{}:", *r->at))
		r->at++;
	return arena_strndup(r->arena, begin, (size_t)(r->at - begin));
}

static const char *read_quoted(struct reader *r)
{
	blanks(r);
	if (*r->at != '"')
		return NULL;
	const char *begin = ++r->at;
	while (*r->at && *r->at != '"')
		r->at++;
	const char *s = arena_strndup(r->arena, begin, (size_t)(r->at - begin));
	if (*r->at)
		r->at++;
	return s;
}

static enum dtype read_dtype(struct reader *r)
{
	enum dtype t = dtype_of_text(read_word(r));
	if (t == DT_COUNT && !r->error)
		r->error = "expected an element type";
	return t == DT_COUNT ? DT_F32 : t;
}

static int need_reg(struct reader *r, int reg)
{
	if (reg >= r->k->nregs)
		r->k->nregs = reg + 1;
	return reg;
}

static int read_reg(struct reader *r)
{
	return need_reg(r, read_ref(r, "%"));
}

static union scalar_value read_number(struct reader *r, enum dtype type)
{
	union scalar_value v;
	if (!dtype_is_float(type)) {
		v.i = read_int(r);
		return v;
	}
	blanks(r);
	char *end;
	v.f = strtod(r->at, &end);
	if (end == r->at && !r->error)
		r->error = "expected a number";
	r->at = end;
	return v;
}

static struct kernel_affine read_affine(struct reader *r)
{
	struct kernel_affine at = {.reg = -1};
	do {
		int64_t v = read_int(r);
		if (!accept(r, "*")) {
			at.offset = v;
			continue;
		}
		blanks(r);
		if (*r->at == '%') {
			at.reg = read_reg(r);
			at.scale = v;
			continue;
		}
		if (at.nterms == MAX_FACTORS) {
			r->error = "an address has too many terms";
			return at;
		}
		at.term[at.nterms].loop = read_ref(r, "i");
		at.term[at.nterms++].coef = v;
	} while (!r->error && accept(r, "+"));
	return at;
}

static struct kernel_affine read_place(struct reader *r, int *param)
{
	*param = read_ref(r, "b");
	expect(r, "[");
	struct kernel_affine at = read_affine(r);
	expect(r, "]");
	return at;
}

static void read_guard(struct reader *r, struct kernel_instr *in)
{
	if (accept(r, "if"))
		in->guard = read_reg(r);
}

static struct kernel_instr *read_body(struct reader *r);

static void read_accs(struct reader *r, struct kernel_instr *in)
{
	do {
		if (in->naccs == MAX_ACCS) {
			r->error = "a loop has too many accumulators";
			return;
		}
		struct kernel_acc *acc = &in->acc[in->naccs++];
		acc->index_reg = -1;
		acc->reg = read_reg(r);
		expect(r, ":");
		acc->type = read_dtype(r);
		expect(r, "=");
		const char *word = read_word(r);
		for (acc->combiner = COMBINE_NONE + 1; acc->combiner < COMBINE_COUNT; acc->combiner++)
			if (!strcmp(combiner_text(acc->combiner), word))
				break;
		if (acc->combiner == COMBINE_COUNT && !r->error)
			r->error = "expected a combiner";
		if (accept(r, "at"))
			acc->index_reg = read_reg(r);
	} while (!r->error && accept(r, ","));
	expect(r, ")");
}

static void read_loop(struct reader *r, struct kernel_instr *in)
{
	in->kind = K_LOOP;
	in->type = DT_I64;
	in->loop = read_ref(r, "i");
	if (in->loop >= r->k->nloops)
		r->k->nloops = in->loop + 1;
	in->extent = read_int(r);
	in->loop_name = read_quoted(r);
	if (accept(r, "reduce"))
		if (expect(r, "("))
			read_accs(r, in);
	if (++r->depth > MAX_NESTING && !r->error)
		r->error = "loops are nested too deeply";
	struct around here = {in, r->around};
	r->around = &here;
	if (expect(r, "{"))
		in->body = read_body(r);
	r->around = here.outer;
	r->depth--;
}

static void read_apply(struct reader *r, struct kernel_instr *in)
{
	in->kind = K_APPLY;
	in->fn = scalar_fn_of_text(read_word(r));
	if (in->fn == SC_FN_COUNT) {
		if (!r->error)
			r->error = "expected a scalar function";
		return;
	}
	in->type = read_dtype(r);
	int *arg[] = {&in->a, &in->b, &in->c};
	for (int i = 0; i < scalar_arity(in->fn); i++)
		if (!i || expect(r, ","))
			*arg[i] = read_reg(r);
}

/* The type of the accumulator that a loop around us has for the register. */
static enum dtype acc_type(const struct reader *r, int reg)
{
	for (const struct around *x = r->around; x; x = x->outer)
		for (int i = 0; i < x->loop->naccs; i++)
			if (x->loop->acc[i].reg == reg)
				return x->loop->acc[i].type;
	return DT_F32;
}

static void read_assignment(struct reader *r, struct kernel_instr *in)
{
	in->reg = read_reg(r);
	if (accept(r, "<-")) {
		in->kind = K_REDUCE;
		in->a = read_reg(r);
		if (accept(r, "*"))
			in->c = read_reg(r);
		if (accept(r, "at"))
			in->b = read_reg(r);
		read_guard(r, in);
		in->type = acc_type(r, in->reg);
		return;
	}
	expect(r, "=");
	if (accept(r, "const")) {
		in->kind = K_CONST;
		in->type = read_dtype(r);
		in->number = read_number(r, in->type);
	} else if (accept(r, "index")) {
		in->kind = K_LOOPVAR;
		in->type = DT_I64;
		in->at = read_affine(r);
	} else if (accept(r, "load")) {
		in->kind = K_LOAD;
		in->type = read_dtype(r);
		in->at = read_place(r, &in->param);
		read_guard(r, in);
	} else if (accept(r, "prefix")) {
		in->kind = K_PREFIX;
		in->b = read_reg(r);
		expect(r, "<-");
		in->a = read_reg(r);
		in->type = acc_type(r, in->b);
	} else {
		read_apply(r, in);
	}
}

static struct kernel_instr *read_instr(struct reader *r)
{
	struct kernel_instr *in = ARENA_NEW(r->arena, struct kernel_instr);
	*in = kernel_blank(K_CONST, DT_F32);
	if (accept(r, "vloop")) {
		in->vector = true;
		read_loop(r, in);
	} else if (accept(r, "loop")) {
		read_loop(r, in);
	} else if (accept(r, "store")) {
		in->kind = K_STORE;
		in->at = read_place(r, &in->param);
		if (in->param < r->k->params.n)
			in->type = r->k->params.at[in->param].type;
		in->a = read_reg(r);
		read_guard(r, in);
	} else {
		read_assignment(r, in);
	}
	return in;
}

static struct kernel_instr *read_body(struct reader *r)
{
	struct kernel_instr *first = NULL, **tail = &first;
	while (!r->error && !accept(r, "}")) {
		*tail = read_instr(r);
		tail = &(*tail)->next;
	}
	return first;
}

static void read_param(struct reader *r)
{
	struct kernel_param p = {.same = -1, .reg = -1};
	if (accept(r, "scalar")) {
		p.kind = KP_SCALAR;
		p.reg = read_reg(r);
		expect(r, ":");
		p.type = read_dtype(r);
	} else {
		p.kind = accept(r, "inout") ? KP_INOUT : accept(r, "out") ? KP_OUT : KP_IN;
		if (p.kind == KP_IN)
			expect(r, "in");
		if (read_ref(r, "b") != r->k->params.n && !r->error)
			r->error = "parameters are numbered in order";
		expect(r, ":");
		p.type = read_dtype(r);
		expect(r, "[");
		p.size = read_int(r);
		expect(r, "]");
	}
	if (accept(r, "same"))
		p.same = read_ref(r, "b");
	p.name = read_quoted(r);
	vec_push(r->arena, &r->k->params, p);
}

struct kernel *kernel_read(struct arena *a, const char *text, const char **error)
{
	struct reader r = {.arena = a, .at = text, .k = ARENA_NEW(a, struct kernel)};
	expect(&r, "kernel");
	r.k->name = read_quoted(&r);
	expect(&r, "(");
	if (!accept(&r, ")")) {
		do
			read_param(&r);
		while (!r.error && accept(&r, ","));
		expect(&r, ")");
	}
	expect(&r, "flops");
	r.k->flops = read_int(&r);
	if (expect(&r, "{"))
		r.k->body = read_body(&r);
	if (!r.error)
		r.error = kernel_verify(a, r.k);
	*error = r.error;
	return r.error ? NULL : r.k;
}
