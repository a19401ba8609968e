/* print.c — host code as text, for --emit=host and tests. */
#include "host.h"

static const char *const type_names[] = {
	[HOST_VOID] = "void", [HOST_INT] = "int", [HOST_FLOAT] = "float",  [HOST_BOOL] = "bool",
	[HOST_TEXT] = "text", [HOST_KEY] = "key", [HOST_HANDLE] = "handle"};

static void print_expr(struct text *t, const struct host_function *f, const struct host_expr *x);

static void print_const(struct text *t, const struct host_expr *x)
{
	switch (x->type) {
	case HOST_INT:
		text_printf(t, "%lld", (long long)x->i);
		break;
	case HOST_FLOAT:
		text_printf(t, "%.17g", x->f);
		break;
	case HOST_BOOL:
		text_add(t, x->i ? "true" : "false");
		break;
	case HOST_TEXT:
		text_json(t, x->text);
		break;
	case HOST_KEY:
		text_printf(t, "0x%llx", (unsigned long long)x->i);
		break;
	case HOST_VOID:
	case HOST_HANDLE:
		text_add(t, "null");
		break;
	}
}

static void print_args(struct text *t, const struct host_function *f, const struct host_expr *x)
{
	text_add(t, "(");
	for (int i = 0; i < x->nargs; i++) {
		text_add(t, i ? ", " : "");
		print_expr(t, f, x->arg[i]);
	}
	text_add(t, ")");
}

static void print_var(struct text *t, const struct host_function *f, int var)
{
	const char *name = var >= 0 && var < f->vars.n ? f->vars.at[var].name : NULL;
	text_printf(t, "$%d%s%s", var, name ? ":" : "", name ? name : "");
}

static void print_expr(struct text *t, const struct host_function *f, const struct host_expr *x)
{
	switch (x->kind) {
	case HOST_CONST:
		print_const(t, x);
		break;
	case HOST_VAR:
		print_var(t, f, x->index);
		break;
	case HOST_SLOT:
		text_printf(t, "slot %d", x->index);
		break;
	case HOST_NUMBER:
		text_printf(t, "number %d", x->index);
		break;
	case HOST_CALL:
		text_add(t, x->function);
		print_args(t, f, x);
		break;
	case HOST_SELECT:
		text_add(t, "select");
		print_args(t, f, x);
		break;
	case HOST_APPLY:
		if (host_op_arity(x->op) == 1) {
			text_add(t, host_op_text(x->op));
			if (x->op == HOST_CONVERT_OP || x->op == HOST_FITS_OP)
				text_printf(t, " %s", dtype_text((enum dtype)x->index));
			print_args(t, f, x);
			break;
		}
		text_add(t, "(");
		print_expr(t, f, x->arg[0]);
		text_printf(t, " %s ", host_op_text(x->op));
		print_expr(t, f, x->arg[1]);
		text_add(t, ")");
		break;
	}
}

static void indent(struct text *t, int depth)
{
	for (int i = 0; i < depth; i++)
		text_add(t, "\t");
}

static void print_region(struct text *t, const struct host_function *f, const struct host_stmt *s)
{
	for (int i = 0; i < s->results.n; i++) {
		text_add(t, i ? ", " : "");
		print_var(t, f, s->results.at[i]);
	}
	text_printf(t, "%sregion %d(", s->results.n ? " = " : "", s->region);
	for (int i = 0; i < s->args.n; i++) {
		text_add(t, i ? ", " : "");
		print_expr(t, f, s->args.at[i]);
	}
	text_add(t, ")\n");
}

static void print_block(struct text *t, const struct host_function *f, const struct host_stmt *s, int depth)
{
	for (; s; s = s->next) {
		indent(t, depth);
		switch (s->kind) {
		case HOST_SET:
			print_var(t, f, s->var);
			text_add(t, " = ");
			print_expr(t, f, s->expr);
			text_add(t, "\n");
			break;
		case HOST_EVAL:
			print_expr(t, f, s->expr);
			text_add(t, "\n");
			break;
		case HOST_REGION:
			print_region(t, f, s);
			break;
		case HOST_BREAK:
		case HOST_CONTINUE:
			text_add(t, s->kind == HOST_BREAK ? "break\n" : "continue\n");
			break;
		case HOST_IF:
		case HOST_WHILE:
			text_add(t, s->kind == HOST_IF ? "if " : "while ");
			print_expr(t, f, s->expr);
			text_add(t, " {\n");
			print_block(t, f, s->body, depth + 1);
			indent(t, depth);
			if (s->other) {
				text_add(t, s->kind == HOST_IF ? "} else {\n" : "} then {\n");
				print_block(t, f, s->other, depth + 1);
				indent(t, depth);
			}
			text_add(t, "}\n");
			break;
		}
	}
}

void host_print(struct text *t, const struct host_function *f)
{
	text_printf(t, "host %s {\n", f->name);
	for (int i = 0; i < f->vars.n; i++) {
		text_add(t, "\tvar ");
		print_var(t, f, i);
		text_printf(t, " %s\n", type_names[f->vars.at[i].type]);
	}
	print_block(t, f, f->body, 1);
	text_add(t, "}\n");
}
