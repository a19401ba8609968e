/* library.c — what the standard library would have had for a name that is not known: a module, or a declaration in one.
 * Only messages ask, so its files are looked through as text; modules that nobody imports are not parsed. */
#include "names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LINE = 512 };

static FILE *open_module(struct session *s, const char *name)
{
	return strcmp(name, "prelude") ? fopen(arena_printf(s->arena, "%s/%s.pml", s->options.stdlib_path, name), "rb")
				       : NULL;
}

bool library_has_module(struct session *s, const char *name)
{
	FILE *f = s->options.stdlib_path ? open_module(s, name) : NULL;
	if (f)
		fclose(f);
	return f;
}

/* Whether a line declares the name. */
static bool declares(const char *line, const char *name)
{
	static const char *const kinds[] = {"fn ", "op ", "const ", "struct "};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		size_t kind = strlen(kinds[i]), n = strlen(name);
		if (!strncmp(line, kinds[i], kind) && !strncmp(line + kind, name, n))
			return line[kind + n] != '_' && !isalnum((unsigned char)line[kind + n]);
	}
	return false;
}

/* Whether the module has a declaration of the name with a doc comment: what has none serves the module itself. */
static bool module_declares(struct session *s, const char *module, const char *name)
{
	FILE *f = open_module(s, module);
	char line[MAX_LINE];
	bool told = false, found = false;
	while (f && !found && fgets(line, sizeof line, f)) {
		found = told && declares(line, name);
		told = !strncmp(line, "///", 3);
	}
	if (f)
		fclose(f);
	return found;
}

int library_modules_with(struct session *s, const char *name, const char *found[static LIBRARY_MODULES])
{
	int count, n = 0;
	const char **modules = lang_library_modules(s, &count);
	for (int i = 0; i < count && n < LIBRARY_MODULES; i++)
		if (module_declares(s, modules[i], name))
			found[n++] = modules[i];
	return n;
}
