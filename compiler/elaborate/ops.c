/* ops.c — the prelude's operators for people: `--print=ops` and `--print=layout-rules[=op]`.
 * Layout rules are those of the operator called on sample tensors: `..` is one dimension, every factor has 12 elements.
 */
#include "elaborate.h"
#include "region/region.h"
#include "notation/notation.h"

#include "../op/signature.h"

#include <string.h>

enum { SAMPLE = 12, SAMPLE_WINDOW = 3 };

static void print_declaration(struct program_ast *ast, const struct item *op, struct text *t)
{
	const struct source *s = &ast->session->sources.at[op->span.file];
	if (op->doc)
		text_printf(t, "/// %s\n", op->doc);
	text_add_n(t, s->bytes + op->span.begin, op->span.end - op->span.begin);
	text_add(t, "\n");
}

void compiler_print_ops(struct program_ast *ast, struct text *t)
{
	const struct module *prelude = ast->modules.at[0];
	lang_read_all(ast, prelude);
	for (int i = 0; i < prelude->items.n; i++)
		if (prelude->items.at[i]->kind == ITEM_OP)
			print_declaration(ast, prelude->items.at[i], t);
}

/* ---- layout rules ---- */

static enum dtype sample_dtype(const struct param *p, const struct item *op)
{
	static const struct {
		const char *op;
		enum dtype t;
	} odd[] = {{"logical_and", DT_BOOL},
		   {"logical_or", DT_BOOL},
		   {"logical_not", DT_BOOL},
		   {"any_along", DT_BOOL},
		   {"all_along", DT_BOOL}};
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
		if (!strcmp(odd[i].op, op->name.text))
			return odd[i].t;
	const char *kind = p->type ? p->type->name.text : "float";
	if (!strcmp(kind, "int"))
		return DT_I32;
	if (!strcmp(kind, "rngkey"))
		return DT_U64;
	return dtype_of_text(kind) != DT_COUNT ? dtype_of_text(kind) : DT_F32;
}

/* Filters are smaller than what they slide over. */
static bool is_window(const struct item *op, const char *factor)
{
	return op->value->kind == EXPR_REDUCE && strlen(factor) == 1 && strchr("pq", *factor) &&
	       strchr(op->name.text, '2');
}

static const struct value *sample_operand(struct elab *e, const struct item *op, const struct param *p)
{
	struct shape s = {0};
	for (int i = 0; i < p->dims.n; i++) {
		const struct expr *x = p->dims.at[i].expr;
		s.dim[s.rank++] = x && x->kind == EXPR_NAME && is_window(op, x->name.text) ? SAMPLE_WINDOW : SAMPLE;
	}
	struct slot like = {.name = p->name.text,
			    .slot_class = SLOT_VALUE,
			    .dtype = sample_dtype(p, op),
			    .shape = s,
			    .place = e->fallback_place,
			    .layout = {.form = LAYOUT_GIVEN}};
	struct value *v = value_new(e, VALUE_PARAM);
	v->slot = slot_new(e, &like);
	return v;
}

static const struct value *sample_attribute(struct elab *e, const struct item *op, const struct param *p)
{
	const char *kind = p->type ? p->type->name.text : "int";
	struct shape s = {.rank = 1, .dim = {SAMPLE}};
	if (!strcmp(kind, "shape"))
		return value_shape(e, &s);
	if (!strcmp(kind, "dtype"))
		return value_dtype(e, DT_F32);
	if (!strcmp(p->name.text, "stride"))
		return value_int(e, 1);
	if (!strcmp(p->name.text, "pad") || !strcmp(p->name.text, "before"))
		return value_int(e, 0);
	return value_int(e, is_window(op, p->name.text) ? SAMPLE_WINDOW : SAMPLE - 2);
}

static void print_rules(struct elab *e, struct item *op, struct text *t)
{
	struct arguments args = {.span = op->span};
	for (int i = 0; i < op->params.n; i++) {
		const struct param *p = &op->params.at[i];
		arguments_push(e, &args, p->name.text,
			       p->has_dims ? sample_operand(e, op, p) : sample_attribute(e, op, p), op->span);
	}
	const struct value *v = notation_op(e, op, &args);
	if (!value_is_tensor(v))
		return;
	const struct rule *r = tensor_node(e, v, op->span)->rule;
	const struct signature *list;
	int n = tensor_node(e, v, op->span)->kind == NODE_MAP ? rule_signatures(e->a, r, &list) : 0;
	text_printf(t, "%s\n", op->name.text);
	for (int i = 0; i < n; i++) {
		text_add(t, "    ");
		signature_print(t, r, &list[i]);
		text_add(t, "\n");
	}
}

void compiler_print_layout_rules(struct program_ast *ast, const char *name, struct text *t)
{
	struct elab *e = elab_new(ast);
	const struct module *prelude = ast->modules.at[0];
	lang_read_all(ast, prelude);
	const char *names[512];
	int count = 0, printed = 0;
	for (int i = 0; i < prelude->items.n; i++) {
		struct item *op = prelude->items.at[i];
		if (op->kind != ITEM_OP)
			continue;
		if (count < 512)
			names[count++] = op->name.text;
		if (name && strcmp(name, op->name.text) != 0)
			continue;
		print_rules(e, op, t);
		printed++;
	}
	if (printed || !name)
		return;
	struct diag *d = diag_error(e->s, PML0607, (struct span){0}, "there is no operator `%s`", name);
	const char *near = diag_nearest(name, names, count);
	if (near)
		diag_help(d, "did you mean `%s`?", near);
}
