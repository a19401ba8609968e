/* search_home.c — see search_home.h. */
#include "search_home.h"

#include "base/text.h"

#include <ctype.h>
#include <string.h>

static const char *path_of(const struct program_ast *ast, const struct module *m)
{
	return ast->session->sources.at[m->file].path;
}

/* "parts/block.pml" -> "parts.block"; NULL if a part of it is no name. */
static const char *dotted(struct arena *a, const char *path)
{
	size_t n = strlen(path);
	if (n <= 4 || strcmp(path + n - 4, ".pml"))
		return NULL;
	char *name = arena_strndup(a, path, n - 4);
	for (char *c = name; *c; c++) {
		bool begins = c == name || c[-1] == '.';
		if (*c == '/' && !begins)
			*c = '.';
		else if (!char_is_word(*c) || (begins && isdigit((unsigned char)*c)))
			return NULL;
	}
	return name;
}

const char *home_path(struct arena *a, const struct program_ast *ast, const struct module *from,
		      const struct module *to)
{
	for (int i = 0; i < from->items.n; i++)
		if (from->items.at[i]->kind == ITEM_IMPORT && from->items.at[i]->target == to)
			return from->items.at[i]->name.text;
	const char *importer = path_of(ast, from), *path = path_of(ast, to), *slash = strrchr(importer, '/');
	size_t folder = slash ? (size_t)(slash - importer) + 1 : 0;
	const char *name = strncmp(importer, path, folder) ? NULL : dotted(a, path + folder);
	if (!name)
		return NULL;
	const char *dot = strrchr(name, '.'), *last = dot ? dot + 1 : name;
	for (int i = 0; i < from->items.n; i++) {
		const struct item *it = from->items.at[i];
		if (it->kind == ITEM_IMPORT && !strcmp(it->name.text, last))
			return NULL;
	}
	return name;
}

static int number_of(const struct program_ast *ast, const struct module *m)
{
	int i = 0;
	while (i < ast->modules.n && ast->modules.at[i] != m)
		i++;
	return i;
}

/* Marks the module of that number and what it imports; modules stand behind all they import. */
static void mark_imports(const struct program_ast *ast, int of, bool *reached)
{
	reached[of] = true;
	for (int i = of; i >= 0; i--)
		for (int k = 0; reached[i] && k < ast->modules.at[i]->items.n; k++) {
			const struct item *it = ast->modules.at[i]->items.at[k];
			if (it->kind == ITEM_IMPORT && it->target)
				reached[number_of(ast, it->target)] = true;
		}
}

static bool is_home(struct arena *a, const struct program_ast *ast, int of, const bool *names)
{
	bool *reached = ARENA_ARRAY(a, bool, ast->modules.n + 1);
	mark_imports(ast, of, reached);
	for (int i = 0; i < ast->modules.n; i++)
		if (names[i] && i != of && (reached[i] || !home_path(a, ast, ast->modules.at[i], ast->modules.at[of])))
			return false;
	return true;
}

int home_of(struct arena *a, const struct program_ast *ast, const bool *names)
{
	for (int other = 0; other < 2; other++)
		for (int i = 1; i < ast->modules.n; i++)
			if (names[i] != other && program_owns(ast, ast->modules.at[i]->file) &&
			    is_home(a, ast, i, names))
				return i;
	return -1;
}

bool home_for_all(struct arena *a, const struct program_ast *ast)
{
	bool *names = ARENA_ARRAY(a, bool, ast->modules.n);
	for (int i = 1; i < ast->modules.n; i++) {
		const struct module *m = ast->modules.at[i];
		for (int k = 0; program_owns(ast, m->file) && k < m->items.n; k++)
			names[i] |= item_is_slot(m->items.at[k]) || m->items.at[k]->kind == ITEM_STRUCT;
	}
	return home_of(a, ast, names) >= 0;
}
