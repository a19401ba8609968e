/* defines.c — the -D options: `-D name=value` replaces the value of a const or place, `-D module.name=value` that of
 * one in an imported module. The value is parsed as if it stood in the source; the text of a string const may stand
 * without its quotes, which a shell takes away. */
#include "names.h"

#include <string.h>

enum { REPLACEABLE = 1u << ITEM_CONST | 1u << ITEM_PLACE };

/* The module a qualified name begins with, or NULL. *name is set behind the last dot. */
static struct module *module_of(struct program_ast *program, const char **name)
{
	const char *dot = strrchr(*name, '.');
	if (!dot)
		return program->main;
	size_t n = (size_t)(dot - *name);
	const char *whole = *name;
	*name = dot + 1;
	for (int i = 0; i < program->modules.n; i++) {
		struct module *m = program->modules.at[i];
		const char *last = strrchr(m->name, '.');
		last = last ? last + 1 : m->name;
		if ((strlen(last) == n && !memcmp(last, whole, n)) ||
		    (strlen(m->name) == n && !memcmp(m->name, whole, n)))
			return m;
	}
	return NULL;
}

static void report_no_target(struct program_ast *program, const struct define *def, const struct module *m,
			     const struct item *found, const char *name)
{
	struct session *s = program->session;
	struct diag *d =
		diag_error(s, PML0105, (struct span){0}, "-D %s: there is no const or place of this name", def->name);
	if (!m) {
		diag_note(d, "no imported module is called so");
	} else if (found && found->kind == ITEM_CONFIG) {
		diag_help(d, "`%s` is a config: give it to the compiled program as --%s=%s", name, name, def->value);
	} else if (!found) {
		const char *meant = nearest_item(s, name, &m->scope, REPLACEABLE);
		if (meant)
			diag_help(d, "did you mean `%s`?", meant);
	}
}

/* Whether the value is the text itself and not an expression. */
static bool is_bare_text(const struct item *it, const struct define *def)
{
	return it->kind == ITEM_CONST && it->type && it->type->kind == TYPE_NAMED &&
	       !strcmp(it->type->name.text, "string") && def->value[0] != '"';
}

static struct expr *text_expr(struct session *s, const char *text, uint32_t file)
{
	struct expr *e = ARENA_NEW(s->arena, struct expr);
	e->kind = EXPR_STRING;
	e->span = (struct span){file, 0, (uint32_t)strlen(text)};
	e->string = intern(s->names, text);
	return e;
}

static void apply(struct program_ast *program, struct define *def)
{
	struct session *s = program->session;
	const char *name = def->name;
	struct module *m = module_of(program, &name);
	struct item *it = m ? map_get(&m->scope, intern(s->names, name)) : NULL;
	if (!it || !(REPLACEABLE >> it->kind & 1)) {
		report_no_target(program, def, m, it, name);
		return;
	}
	def->used = true;
	uint32_t file =
		session_add_source(s, arena_printf(s->arena, "-D %s", def->name), def->value, strlen(def->value));
	int diags = s->diags.n, errors = s->errors;
	struct expr *value = is_bare_text(it, def) ? text_expr(s, def->value, file) : ast_parse_expr(s, file);
	if (value) {
		it->value = value;
		return;
	}
	const char *why = s->diags.n > diags ? s->diags.at[diags]->message : "it is empty";
	struct span span = s->diags.n > diags ? s->diags.at[diags]->primary.span : (struct span){0};
	s->diags.n = diags;
	s->errors = errors;
	struct diag *d = diag_error(s, PML0106, span, "the value of -D %s cannot be read", def->name);
	diag_note(d, "%s", why);
}

void defines_apply(struct program_ast *program)
{
	struct options *options = &program->session->options;
	for (int i = 0; i < options->defines.n; i++)
		apply(program, &options->defines.at[i]);
}
