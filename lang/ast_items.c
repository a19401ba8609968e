/* ast_items.c — prints statements, items and whole modules as PML text that parses to the same tree. */
#include "print.h"

#include <string.h>

void print_newline(struct printer *p)
{
	text_add(p->text, "\n");
	for (int i = 0; i < p->indent; i++)
		text_add(p->text, "    ");
}

static void print_value(struct printer *p, const char *before, const struct expr *e)
{
	if (!e)
		return;
	text_add(p->text, before);
	print_expr(p, e);
}

static void print_type_of(struct printer *p, const struct type *t)
{
	if (!t)
		return;
	text_add(p->text, " : ");
	print_type(p, t);
}

/* ---- statements ---- */

void print_pattern(struct printer *p, const struct pattern *pat)
{
	if (pat->members.n) {
		text_add(p->text, "(");
		for (int i = 0; i < pat->members.n; i++) {
			text_add(p->text, i ? ", " : "");
			print_pattern(p, pat->members.at[i]);
		}
		text_add(p->text, ")");
	} else {
		text_add(p->text, pat->name.text);
	}
	if (pat->indexed) {
		text_add(p->text, "[");
		print_dims(p, pat->factors.at, pat->factors.n);
		text_add(p->text, "]");
	}
	print_type_of(p, pat->type);
}

/* `let`, `var`, `for`, `each` and their pattern, what stands between, and the value. */
static void print_binding(struct printer *p, const struct stmt *s, const char *word, const char *between)
{
	text_add(p->text, word);
	print_pattern(p, s->pattern);
	text_add(p->text, between);
	print_expr(p, s->value);
}

static void print_body(struct printer *p, const struct stmt *s)
{
	text_add(p->text, " ");
	print_block(p, s->body, false);
}

static void print_if(struct printer *p, const struct stmt *s)
{
	for (;;) {
		text_add(p->text, "if ");
		print_expr(p, s->value);
		print_body(p, s);
		if (!s->other)
			return;
		text_add(p->text, " else ");
		if (s->other->kind != STMT_IF)
			break;
		s = s->other;
	}
	print_block(p, s->other, false);
}

static void print_state(struct printer *p, const struct stmt *s)
{
	text_add(p->text, "state ");
	print_pattern(p, s->pattern);
	if (s->like)
		print_value(p, " : like ", s->like);
	if (s->like && s->type) {
		text_add(p->text, " as ");
		print_type(p, s->type);
	} else
		print_type_of(p, s->type);
	print_value(p, " = ", s->value);
}

static void print_assign(struct printer *p, const struct stmt *s)
{
	static const char *const ops[] = {[ASSIGN_SET] = " = ",
					  [ASSIGN_ADD] = " += ",
					  [ASSIGN_SUB] = " -= ",
					  [ASSIGN_MUL] = " *= ",
					  [ASSIGN_DIV] = " /= "};
	print_expr(p, s->target);
	print_value(p, ops[s->op], s->value);
}

static void print_every(struct printer *p, const struct stmt *s)
{
	if (!s->every)
		return;
	print_value(p, "remat every ", s->every);
	text_add(p->text, " ");
}

/* One statement without its `;`; true if it takes one. */
static bool print_stmt(struct printer *p, const struct stmt *s)
{
	switch (s->kind) {
	case STMT_LET:
		print_binding(p, s, "let ", " = ");
		return true;
	case STMT_VAR:
		print_binding(p, s, "var ", " = ");
		return true;
	case STMT_STATE:
		print_state(p, s);
		return true;
	case STMT_ASSIGN:
		print_assign(p, s);
		return true;
	case STMT_EXPR:
		print_expr(p, s->value);
		return true;
	case STMT_RETURN:
		text_add(p->text, "return");
		print_value(p, " ", s->value);
		return true;
	case STMT_BREAK:
		text_add(p->text, "break");
		return true;
	case STMT_CONTINUE:
		text_add(p->text, "continue");
		return true;
	case STMT_FOR:
		print_every(p, s);
		print_binding(p, s, "for ", " in ");
		break;
	case STMT_EACH:
		print_binding(p, s, "each ", " in ");
		break;
	case STMT_WHILE:
		print_every(p, s);
		print_value(p, "while ", s->value);
		break;
	case STMT_EVERY:
		print_value(p, "every ", s->value);
		break;
	case STMT_IF:
		print_if(p, s);
		return false;
	case STMT_BLOCK:
		print_block(p, s, false);
		return false;
	}
	print_body(p, s);
	return false;
}

void print_block(struct printer *p, const struct stmt *block, bool value)
{
	text_add(p->text, "{");
	p->indent++;
	for (const struct stmt *s = block->body; s; s = s->next) {
		print_newline(p);
		bool closed = print_stmt(p, s);
		bool is_value = value && !s->next && s->kind == STMT_EXPR;
		text_add(p->text, closed && !is_value ? ";" : "");
	}
	p->indent--;
	if (block->body)
		print_newline(p);
	text_add(p->text, "}");
}

/* ---- items ---- */

static void print_doc(struct printer *p, const char *doc)
{
	while (doc) {
		const char *end = strchr(doc, '\n');
		text_add(p->text, "/// ");
		text_add_n(p->text, doc, end ? (size_t)(end - doc) : strlen(doc));
		print_newline(p);
		doc = end ? end + 1 : NULL;
	}
}

static void print_generics(struct printer *p, const struct item *it)
{
	if (!it->generics.n)
		return;
	text_add(p->text, "[");
	for (int i = 0; i < it->generics.n; i++) {
		const struct generic *g = &it->generics.at[i];
		text_printf(p->text, "%s%s", i ? ", " : "", g->rest ? ".." : g->name.text);
		if (g->kind.text)
			text_printf(p->text, ": %s", g->kind.text);
	}
	text_add(p->text, "]");
}

static void print_param(struct printer *p, const struct param *param)
{
	text_add(p->text, param->name.text);
	if (param->has_dims) {
		text_add(p->text, "[");
		print_dims(p, param->dims.at, param->dims.n);
		text_add(p->text, "]");
	}
	print_type_of(p, param->type);
	print_value(p, " < ", param->below);
	print_value(p, " = ", param->init);
}

/* Parameters on one line, or one a line where one has a doc comment or they are fields. */
static void print_params(struct printer *p, const struct item *it)
{
	bool lines = it->kind == ITEM_STRUCT;
	for (int i = 0; i < it->params.n; i++)
		lines |= it->params.at[i].doc != NULL;
	p->indent++;
	for (int i = 0; i < it->params.n; i++) {
		text_add(p->text, i ? (lines ? "," : ", ") : "");
		if (lines)
			print_newline(p);
		print_doc(p, it->params.at[i].doc);
		print_param(p, &it->params.at[i]);
	}
	p->indent--;
	if (lines && it->params.n) {
		text_add(p->text, ",");
		print_newline(p);
	}
}

static void print_import(struct printer *p, const struct item *it)
{
	text_add(p->text, "import ");
	for (int i = 0; i < it->path.n; i++)
		text_printf(p->text, "%s%s", i ? "." : "", it->path.at[i].text);
	text_add(p->text, ";");
}

static void print_declaration(struct printer *p, const char *word, const struct item *it)
{
	text_printf(p->text, "%s %s", word, it->name.text);
	print_type_of(p, it->type);
	print_value(p, " = ", it->value);
	text_add(p->text, ";");
}

static void print_struct(struct printer *p, const struct item *it)
{
	text_printf(p->text, "struct %s", it->name.text);
	print_generics(p, it);
	text_add(p->text, " {");
	print_params(p, it);
	text_add(p->text, "}");
}

static void print_op(struct printer *p, const struct item *it)
{
	text_printf(p->text, "op %s", it->name.text);
	print_generics(p, it);
	text_add(p->text, "(");
	print_params(p, it);
	text_add(p->text, ") -> [");
	print_dims(p, it->out_dims.at, it->out_dims.n);
	text_add(p->text, "]");
	print_type_of(p, it->type);
	print_value(p, " = ", it->value);
	if (it->hint.text)
		text_printf(p->text, " using %s", it->hint.text);
	text_add(p->text, ";");
}

static void print_fn(struct printer *p, const struct item *it)
{
	text_printf(p->text, "fn %s", it->name.text);
	print_generics(p, it);
	text_add(p->text, "(");
	print_params(p, it);
	text_add(p->text, ")");
	if (it->type) {
		text_add(p->text, " -> ");
		print_type(p, it->type);
	}
	print_body(p, &(struct stmt){.body = it->body});
}

static void print_item(struct printer *p, const struct item *it)
{
	static const char *const words[] = {
#define ITEM(kind, text) text,
#include "ast.def"
	};
	switch (it->kind) {
	case ITEM_IMPORT:
		print_import(p, it);
		break;
	case ITEM_CONST:
	case ITEM_CONFIG:
	case ITEM_PLACE:
	case ITEM_PARAM:
	case ITEM_STATE:
	case ITEM_CACHE:
		print_declaration(p, words[it->kind], it);
		break;
	case ITEM_STRUCT:
		print_struct(p, it);
		break;
	case ITEM_OP:
		print_op(p, it);
		break;
	case ITEM_FN:
		print_fn(p, it);
		break;
	case ITEM_NAMES:
		text_printf(p->text, "names %s ", it->name.text);
		print_block(p, it->body, false);
		break;
	case ITEM_MAIN:
		text_add(p->text, "main ");
		print_block(p, it->body, false);
		break;
	case ITEM_TEST:
		text_add(p->text, "test ");
		print_string(p, it->name.text);
		text_add(p->text, " ");
		print_block(p, it->body, false);
		break;
	}
}

void ast_print_module(struct text *t, const struct module *m)
{
	struct printer p = {.text = t};
	for (int i = 0; i < m->items.n; i++) {
		print_doc(&p, m->items.at[i]->doc);
		print_item(&p, m->items.at[i]);
		text_add(t, "\n");
	}
}
