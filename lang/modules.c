/* modules.c — files to modules: reads, parses and orders what a program is made of.
 * A module is loaded after all it imports, so program->modules is in an order in which everything is known before it
 * is used; the prelude comes first and belongs to every module. */
#define _POSIX_C_SOURCE 200809L
#include "lang.h"

#include "habit.h"
#include "parse.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

extern const unsigned char lang_prelude_bytes[];
extern const size_t lang_prelude_size;

/* A file on the way from first mention to loaded module. */
struct loading {
	const char *path;       /* interned; what tells files apart */
	const char *name;       /* as imported */
	struct module *module;  /* NULL while its imports are being loaded */
	struct loading *parent; /* who imported it first */
	struct span import;     /* where */
	bool is_library;
};

struct loader {
	struct session *session;
	struct program_ast *program;
	struct map files; /* path -> struct loading */
	int depth;
};

enum { MAX_IMPORT_DEPTH = 100 };

/* ---- reading ---- */

/* Bytes given in place of the file's, or NULL. */
static char *given_text(const struct session *s, const char *path, size_t *size)
{
	for (int i = 0; i < s->options.texts.n; i++) {
		const struct file_text *t = &s->options.texts.at[i];
		char *bytes = strcmp(t->path, path) ? NULL : malloc(t->size + 1);
		if (!bytes)
			continue;
		memcpy(bytes, t->bytes, t->size);
		*size = t->size;
		return bytes;
	}
	return NULL;
}

/* The whole file, or NULL with *why set. The caller frees. */
static char *read_file(const struct session *s, const char *path, size_t *size, const char **why)
{
	char *given = given_text(s, path, size);
	if (given)
		return given;
	FILE *f = fopen(path, "rb");
	struct stat st;
	char *bytes = NULL;
	if (!f) {
		*why = strerror(errno);
		return NULL;
	}
	if (fstat(fileno(f), &st) == 0 && S_ISDIR(st.st_mode)) {
		*why = "it is a folder";
	} else if ((bytes = malloc(MAX_SOURCE + 1))) {
		*size = fread(bytes, 1, MAX_SOURCE + 1, f);
		if (ferror(f)) {
			*why = "reading failed";
			free(bytes);
			bytes = NULL;
		}
	} else {
		*why = "there is too little memory";
	}
	fclose(f);
	return bytes;
}

/* Length of the valid UTF-8 sequence at s of n bytes (no surrogates, no overlong forms, no NUL), or 0. */
static size_t utf8_at(const unsigned char *s, size_t n)
{
	if (s[0] < 0x80)
		return s[0] != 0;
	size_t length = s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
	if (length == 0 || length > n)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
	bool outside = (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf4 && s[1] > 0x8f);
	return overlong || outside ? 0 : length;
}

/* Behind bytes from i on that are 1 to 127, but for the last ones. */
static uint32_t skip_ascii(const struct source *src, uint32_t i)
{
	const uint64_t ones = 0x0101010101010101, tops = ones << 7;
	for (uint64_t eight; i + sizeof eight <= src->size; i += (uint32_t)sizeof eight) {
		memcpy(&eight, src->bytes + i, sizeof eight);
		if ((eight | (eight - ones)) & tops)
			break;
	}
	return i;
}

bool source_check_text(struct session *s, uint32_t file)
{
	const struct source *src = &s->sources.at[file];
	for (uint32_t i = 0; i < src->size;) {
		i = skip_ascii(src, i);
		if (i == src->size)
			break;
		size_t n = utf8_at((const unsigned char *)src->bytes + i, src->size - i);
		if (n == 0) {
			diag_error(s, PML0010, (struct span){file, i, i + 1}, "byte 0x%02x is not UTF-8 text",
				   (unsigned char)src->bytes[i]);
			return false;
		}
		i += (uint32_t)n;
	}
	return true;
}

/* Registers the bytes, or reports why they cannot be a program and gives 0. */
static uint32_t add_source(struct session *s, const char *path, const char *bytes, size_t size)
{
	static const char mark[] = "\xef\xbb\xbf";
	if (size >= 3 && !memcmp(bytes, mark, 3)) {
		bytes += 3;
		size -= 3;
	}
	if (size > MAX_SOURCE) {
		diag_error(s, PML0016, (struct span){0}, "`%s` is larger than %d MB", path, MAX_SOURCE / (1024 * 1024));
		return 0;
	}
	return session_add_source(s, path, bytes, size);
}

/* ---- parsing ---- */

static struct parse parse_of(struct session *s, uint32_t file)
{
	const struct source *src = &s->sources.at[file];
	return (struct parse){.session = s, .file = file, .bytes = src->bytes, .size = src->size};
}

static struct module *new_module(struct session *s, const char *name, uint32_t file)
{
	struct module *m = ARENA_NEW(s->arena, struct module);
	m->name = intern(s->names, name);
	m->file = file;
	map_init(&m->scope, s->arena);
	map_init(&m->imports, s->arena);
	return m;
}

static void parse_whole(struct session *s, struct module *m)
{
	struct parse p = parse_of(s, m->file);
	p.module = m;
	parse_run(&p, PARSE_MODULE);
	for (int i = 0; i < m->items.n; i++)
		docs_attach(s, m->items.at[i]);
}

struct module *module_parse(struct session *s, const char *name, uint32_t file)
{
	struct module *m = new_module(s, name, file);
	if (source_check_text(s, file))
		parse_whole(s, m);
	return m;
}

struct module *module_outline(struct session *s, const char *name, uint32_t file)
{
	struct module *m = new_module(s, name, file);
	struct parse p = parse_of(s, file);
	if (source_check_text(s, file) && !outline_module(&p, m))
		parse_whole(s, m);
	return m;
}

bool item_read(struct session *s, struct item *it)
{
	struct module part = {.name = it->module->name, .file = it->module->file}, *module = it->module;
	struct parse p = parse_of(s, part.file);
	int before = s->errors;
	p.module = &part;
	p.offset = it->span.begin;
	p.size = it->span.end;
	parse_run(&p, PARSE_MODULE);
	it->waits = false;
	it->is_broken = s->errors != before || part.items.n != 1;
	if (it->is_broken)
		return false;
	*it = *part.items.at[0];
	it->module = module;
	docs_attach(s, it);
	return true;
}

struct expr *ast_parse_expr(struct session *s, uint32_t file)
{
	struct parse p = parse_of(s, file);
	int before = s->errors;
	if (source_check_text(s, file))
		parse_run(&p, PARSE_EXPR);
	return s->errors == before ? p.expr : NULL;
}

/* ---- imports ---- */

/* "a.b.c" from component `from` on, joined by `separator`. */
static const char *join_path(struct session *s, const struct item *import, int from, const char *separator)
{
	struct text t;
	text_init(&t, s->arena);
	for (int i = from; i < import->path.n; i++)
		text_printf(&t, "%s%s", i > from ? separator : "", import->path.at[i].text);
	return text_get(&t);
}

static const char *folder_of(struct session *s, const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? arena_strndup(s->arena, path, (size_t)(slash - path)) : ".";
}

static const char *file_in(struct session *s, const char *folder, const char *relative)
{
	const char *path = strcmp(folder, ".") ? arena_printf(s->arena, "%s/%s.pml", folder, relative)
					       : arena_printf(s->arena, "%s.pml", relative);
	FILE *f = fopen(path, "rb");
	if (!f)
		return NULL;
	fclose(f);
	return intern(s->names, path);
}

/* The file an import means, or NULL; what was tried is added to `tried`. */
static const char *find_module(struct session *s, const struct item *import, struct text *tried, bool *is_library)
{
	const char *found = NULL, *relative = join_path(s, import, 0, "/");
	const char *here = folder_of(s, s->sources.at[import->module->file].path);
	const char *library = s->options.stdlib_path;
	*is_library = library && import->path.n > 1 && !strcmp(import->path.at[0].text, "std");
	if (*is_library) {
		const char *inside = join_path(s, import, 1, "/");
		text_printf(tried, "%s/%s.pml", library, inside);
		return file_in(s, library, inside);
	}
	text_printf(tried, "%s/%s.pml", here, relative);
	found = file_in(s, here, relative);
	for (int i = 0; i < s->options.include_paths.n && !found; i++) {
		text_printf(tried, ", %s/%s.pml", s->options.include_paths.at[i], relative);
		found = file_in(s, s->options.include_paths.at[i], relative);
	}
	return found;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **lang_library_modules(struct session *s, int *n)
{
	VEC(const char *) modules = {0};
	DIR *d = s->options.stdlib_path ? opendir(s->options.stdlib_path) : NULL;
	for (const struct dirent *e; d && (e = readdir(d));) {
		const char *end = strstr(e->d_name, ".pml");
		if (end && !end[4])
			vec_push(s->arena, &modules,
				 (const char *)arena_strndup(s->arena, e->d_name, (size_t)(end - e->d_name)));
	}
	if (d)
		closedir(d);
	if (modules.n)
		qsort(modules.at, (size_t)modules.n, sizeof *modules.at, compare_names);
	*n = modules.n;
	return modules.at;
}

/* Of a module of the library that is not there, the one whose name is nearest. */
static void suggest_module(struct session *s, struct diag *d, const struct item *import)
{
	const struct name *last = &import->path.at[import->path.n - 1];
	int n;
	const char *const *modules = lang_library_modules(s, &n);
	const char *meant = diag_nearest(last->text, modules, n);
	if (!meant)
		return;
	diag_help(d, "did you mean `std.%s`?", meant);
	diag_edit(d, last->span, meant);
}

static void report_missing(struct session *s, const struct item *import, const char *tried)
{
	struct span span = span_join(import->path.at[0].span, import->name.span);
	struct diag *d = diag_error(s, PML0103, span, "module `%s` is not found", join_path(s, import, 0, "."));
	if (*tried)
		diag_note(d, "looked for %s", tried);
	if (!strcmp(import->path.at[0].text, "std") && !s->options.stdlib_path)
		diag_note(d, "the standard library is not installed where pmlc looks for it");
	else if (!strcmp(import->path.at[0].text, "std") && import->path.n == 1)
		diag_note(d, "modules are imported one by one: `import std.data;`");
	else if (!strcmp(import->path.at[0].text, "std"))
		suggest_module(s, d, import);
	const char *here = habit_here(HABIT_MODULE, import->path.at[0].text);
	if (here)
		diag_help(d, "%s", here);
}

static void report_cycle(struct loader *l, const struct loading *from, const struct loading *to, struct span at)
{
	struct text chain;
	text_init(&chain, l->session->arena);
	const struct loading *steps[MAX_IMPORT_DEPTH + 2];
	int n = 0;
	for (const struct loading *step = from; step && n < MAX_IMPORT_DEPTH + 1;
	     step = step == to ? NULL : step->parent)
		steps[n++] = step;
	for (int i = n; i-- > 0;)
		text_printf(&chain, "`%s` imports ", steps[i]->name);
	text_printf(&chain, "`%s`", to->name);
	struct diag *d = diag_error(l->session, PML0104, at, "module `%s` imports itself", to->name);
	for (int i = n - 1; i-- > 0;)
		diag_label(d, steps[i]->import, "`%s` is imported here", steps[i]->name);
	diag_note(d, "%s", text_get(&chain));
}

static struct module *load_file(struct loader *l, struct loading *file, uint32_t source);

static struct module *load_import(struct loader *l, struct loading *from, struct item *import)
{
	struct session *s = l->session;
	struct text tried;
	text_init(&tried, s->arena);
	bool is_library;
	const char *path = find_module(s, import, &tried, &is_library), *why = "";
	if (!path) {
		report_missing(s, import, text_get(&tried));
		return NULL;
	}
	struct loading *file = map_get(&l->files, path);
	struct span at = span_join(import->path.at[0].span, import->name.span);
	if (file && !file->module)
		report_cycle(l, from, file, at);
	if (file)
		return file->module;
	size_t size = 0;
	char *bytes = l->depth < MAX_IMPORT_DEPTH ? read_file(s, path, &size, &why) : NULL;
	if (!bytes) {
		why = l->depth < MAX_IMPORT_DEPTH ? why : "modules are nested too deeply";
		diag_error(s, PML0103, at, "`%s` cannot be read: %s", path, why);
		return NULL;
	}
	uint32_t source = add_source(s, path, bytes, size);
	free(bytes);
	file = ARENA_NEW(s->arena, struct loading);
	*file = (struct loading){path, intern(s->names, join_path(s, import, 0, ".")), NULL, from, at, is_library};
	return source ? load_file(l, file, source) : NULL;
}

static struct module *load_file(struct loader *l, struct loading *file, uint32_t source)
{
	struct session *s = l->session;
	map_set(&l->files, file->path, file);
	struct module *m = (file->is_library ? module_outline : module_parse)(s, file->name, source);
	l->depth++;
	for (int i = 0; i < m->items.n; i++)
		if (m->items.at[i]->kind == ITEM_IMPORT)
			m->items.at[i]->target = load_import(l, file, m->items.at[i]);
	l->depth--;
	file->module = m;
	vec_push(s->arena, &l->program->modules, m);
	return m;
}

/* ---- whole programs ---- */

/* "dir/mlp.pml" -> "mlp" */
static const char *module_name(struct session *s, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	const char *dot = strrchr(base, '.');
	return intern_n(s->names, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

static struct program_ast *load_program(struct session *s, const char *path, uint32_t source)
{
	struct loader l = {.session = s, .program = ARENA_NEW(s->arena, struct program_ast)};
	map_init(&l.files, s->arena);
	l.program->session = s;
	size_t size;
	const char *text = lang_prelude(&size);
	uint32_t prelude = session_add_source(s, "<prelude>", text, size);
	vec_push(s->arena, &l.program->modules, module_outline(s, "prelude", prelude));
	struct loading *file = ARENA_NEW(s->arena, struct loading);
	*file = (struct loading){.path = intern(s->names, path), .name = module_name(s, path)};
	l.program->main = load_file(&l, file, source);
	return l.program;
}

struct program_ast *modules_load_text(struct session *s, const char *path, const char *bytes, size_t size)
{
	uint32_t source = add_source(s, path, bytes, size);
	return source ? load_program(s, path, source) : NULL;
}

struct program_ast *modules_load(struct session *s, const char *path)
{
	size_t size = 0;
	const char *why;
	char *bytes = read_file(s, path, &size, &why);
	if (!bytes) {
		diag_error(s, PML0103, (struct span){0}, "`%s` cannot be read: %s", path, why);
		return NULL;
	}
	struct program_ast *program = modules_load_text(s, path, bytes, size);
	free(bytes);
	return program;
}

static bool is_below(const char *path, const char *main)
{
	const char *slash = strrchr(main, '/');
	size_t n = slash ? (size_t)(slash - main) + 1 : 0;
	return !strncmp(path, main, n) && path[n] != '/' && strncmp(path + n, "../", 3) != 0;
}

bool program_owns(const struct program_ast *program, uint32_t file)
{
	const struct session *s = program->session;
	const char *library = s->options.stdlib_path;
	bool is_module = false;
	if (file == program->main->file)
		return true;
	for (int i = 1; i < program->modules.n && !is_module; i++) /* the first one is the prelude */
		is_module = program->modules.at[i]->file == file;
	if (!is_module || !is_below(s->sources.at[file].path, s->sources.at[program->main->file].path))
		return false;
	return !library || strncmp(s->sources.at[file].path, library, strlen(library)) != 0;
}

const char *lang_prelude(size_t *size)
{
	*size = lang_prelude_size;
	return (const char *)lang_prelude_bytes;
}
