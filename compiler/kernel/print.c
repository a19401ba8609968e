/* print.c — kernels as text. Registers are %n, buffers bn (n counts all parameters), loop variables in. */
#include "kernel.h"

#include <inttypes.h>

static void print_affine(struct text *t, const struct kernel_affine *at)
{
	const char *sep = "";
	for (int i = 0; i < at->nterms; i++) {
		text_printf(t, "%s%" PRId64 "*i%d", sep, at->term[i].coef, at->term[i].loop);
		sep = " + ";
	}
	if (at->reg >= 0) {
		text_printf(t, "%s%" PRId64 "*%%%d", sep, at->scale, at->reg);
		sep = " + ";
	}
	if (at->offset || !*sep)
		text_printf(t, "%s%" PRId64, sep, at->offset);
}

static void print_guard(struct text *t, const struct kernel_instr *in)
{
	if (in->guard >= 0)
		text_printf(t, " if %%%d", in->guard);
}

static void print_body(struct text *t, const struct kernel_instr *body, int indent);

static void print_loop(struct text *t, const struct kernel_instr *in, int indent)
{
	text_printf(t, "%s i%d %" PRId64, in->vector ? "vloop" : "loop", in->loop, in->extent);
	if (in->loop_name)
		text_printf(t, " \"%s\"", in->loop_name);
	for (int i = 0; i < in->naccs; i++) {
		const struct kernel_acc *acc = &in->acc[i];
		text_printf(t, "%s%%%d: %s = %s", i ? ", " : " reduce(", acc->reg, dtype_text(acc->type),
			    combiner_text(acc->combiner));
		if (acc->index_reg >= 0)
			text_printf(t, " at %%%d", acc->index_reg);
	}
	text_add(t, in->naccs ? ") {\n" : " {\n");
	print_body(t, in->body, indent + 1);
	text_printf(t, "%*s}\n", 2 * indent, "");
}

static void print_apply(struct text *t, const struct kernel_instr *in)
{
	text_printf(t, "%%%d = %s %s", in->reg, scalar_text(in->fn), dtype_text(in->type));
	const int arg[] = {in->a, in->b, in->c};
	for (int i = 0; i < scalar_arity(in->fn); i++)
		text_printf(t, "%s %%%d", i ? "," : "", arg[i]);
	text_add(t, "\n");
}

static void print_instr(struct text *t, const struct kernel_instr *in, int indent)
{
	text_printf(t, "%*s", 2 * indent, "");
	switch (in->kind) {
	case K_CONST:
		text_printf(t, "%%%d = const %s ", in->reg, dtype_text(in->type));
		number_print(t, in->type, in->number);
		text_add(t, "\n");
		return;
	case K_LOOPVAR:
		text_printf(t, "%%%d = index ", in->reg);
		print_affine(t, &in->at);
		text_add(t, "\n");
		return;
	case K_APPLY:
		print_apply(t, in);
		return;
	case K_LOAD:
		text_printf(t, "%%%d = load %s b%d[", in->reg, dtype_text(in->type), in->param);
		print_affine(t, &in->at);
		text_add(t, "]");
		print_guard(t, in);
		text_add(t, "\n");
		return;
	case K_STORE:
		text_printf(t, "store b%d[", in->param);
		print_affine(t, &in->at);
		text_printf(t, "] %%%d", in->a);
		print_guard(t, in);
		text_add(t, "\n");
		return;
	case K_REDUCE:
		text_printf(t, "%%%d <- %%%d", in->reg, in->a);
		if (in->c >= 0)
			text_printf(t, " * %%%d", in->c);
		if (in->b >= 0)
			text_printf(t, " at %%%d", in->b);
		print_guard(t, in);
		text_add(t, "\n");
		return;
	case K_PREFIX:
		text_printf(t, "%%%d = prefix %%%d <- %%%d\n", in->reg, in->b, in->a);
		return;
	case K_LOOP:
		print_loop(t, in, indent);
		return;
	}
}

static void print_body(struct text *t, const struct kernel_instr *body, int indent)
{
	for (const struct kernel_instr *in = body; in; in = in->next)
		print_instr(t, in, indent);
}

static void print_param(struct text *t, const struct kernel_param *p, int number)
{
	static const char *const kind[] = {
		[KP_IN] = "in", [KP_OUT] = "out", [KP_INOUT] = "inout", [KP_SCALAR] = "scalar"};
	if (p->kind == KP_SCALAR)
		text_printf(t, "scalar %%%d: %s", p->reg, dtype_text(p->type));
	else
		text_printf(t, "%s b%d: %s[%" PRId64 "]", kind[p->kind], number, dtype_text(p->type), p->size);
	if (p->same >= 0)
		text_printf(t, " same b%d", p->same);
	if (p->name)
		text_printf(t, " \"%s\"", p->name);
}

void kernel_print(struct text *t, const struct kernel *k)
{
	text_printf(t, "kernel \"%s\"(", k->name ? k->name : "");
	for (int i = 0; i < k->params.n; i++) {
		text_add(t, i ? ", " : "");
		print_param(t, &k->params.at[i], i);
	}
	text_printf(t, ") flops %" PRId64 " {\n", k->flops);
	print_body(t, k->body, 1);
	text_add(t, "}\n");
}
