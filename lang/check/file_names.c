/* file_names.c — the lines of a `names` block: `blocks[i].w[n, m] = "h.{i}.w"[m, n];`. A bare name in an index on the
 * left is an index of the line, whatever else has that name; all other names are looked up as anywhere. */
#include "names.h"

#include <string.h>

static void declare_indices(struct checker *c, const struct expr *target)
{
	for (; target->kind == EXPR_INDEX || target->kind == EXPR_FIELD;
	     target = target->kind == EXPR_INDEX ? target->callee : target->object) {
		if (target->kind == EXPR_FIELD)
			continue;
		for (int i = 0; i < target->args.n; i++) {
			const struct arg *a = &target->args.at[i];
			if (a->value && a->value->kind == EXPR_NAME)
				scope_declare(c, a->value->name, LOCAL_FACTOR);
		}
	}
}

static void check_line(struct checker *c, struct stmt *s)
{
	struct scope scope;
	if (s->kind != STMT_ASSIGN || s->op != ASSIGN_SET) {
		struct diag *d = diag_error(c->session, PML0223, s->span, "this is not a line of `names`");
		diag_note(d, "a line says where a param is found in a file: `w[n, m] = \"layer.weight\"[m, n];`");
		return;
	}
	scope_push(c, &scope);
	declare_indices(c, s->target);
	if (s->target->kind != EXPR_NAME || strcmp(s->target->name.text, "_"))
		check_expr(c, s->target);
	check_expr(c, s->value);
	scope_pop(c);
}

void check_file_names(struct checker *c, struct item *it)
{
	for (struct stmt *s = it->body->body; s; s = s->next)
		check_line(c, s);
}
