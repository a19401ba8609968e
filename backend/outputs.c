/* outputs.c — see outputs.h. Files are written in memory (link.h) and come to their places together, so a compilation
 * that fails, is killed or finds the disk full leaves the program of before. Files of pmlc carry a mark that says whose
 * part they are: a file without one is not taken for a role's executable, and one whose part is gone is removed. */
#define _GNU_SOURCE
#include "outputs.h"

#include "kernel_parts.h"

#include "base/diag.h"
#include "base/replace.h"
#include "link.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define LAUNCH_START "# "
static const char mark_start[] = "made by pmlc: part `";

const char *output_mark(struct arena *a, const char *output, const char *part)
{
	char *mark = arena_printf(a, "%s%s` of `%s`", mark_start, part, path_name(output));
	for (char *c = mark; *c; c++)
		if ((unsigned char)*c < ' ')
			*c = '?';
	return mark;
}

/* ---- files there are ---- */

struct mapped {
	char *at;
	size_t n;
};

static struct mapped map_file(const char *path)
{
	struct mapped m = {NULL, 0};
	struct stat info;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return m;
	if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0) {
		m.at = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		m.n = m.at == MAP_FAILED ? 0 : (size_t)info.st_size;
	}
	close(fd);
	return m;
}

/* Whether a file of a kind that we make holds the mark. */
static bool has_mark(const char *path, const char *mark)
{
	struct mapped m = map_file(path);
	bool ours = (m.n > SELFMAG && !memcmp(m.at, ELFMAG, SELFMAG)) ||
		    (m.n > strlen(LAUNCH_START) && !memcmp(m.at, LAUNCH_START, strlen(LAUNCH_START)));
	bool found = ours && memmem(m.at, m.n, mark, strlen(mark));
	if (m.n)
		munmap(m.at, m.n);
	return found;
}

static bool is_read(struct arena *a, const struct backend_options *o, const char *path)
{
	for (int i = 0; o->inputs && o->inputs[i]; i++)
		if (is_same_file(a, o->inputs[i], path))
			return true;
	return false;
}

/* Whether it is to stand beside what is no file itself, as /dev/stdout: there is no folder of ours then. */
static bool beside_device(const struct outputs *out, const struct output_file *f)
{
	struct stat info;
	return strcmp(f->path, out->options->output) != 0 && stat(out->options->output, &info) == 0 &&
	       !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

/* Why a file cannot or must not be written; NULL if it can. */
static const char *hindrance(const struct outputs *out, const struct output_file *f)
{
	struct arena *a = out->arena;
	const char *folder = path_folder(a, f->path);
	struct stat info;
	bool known = stat(f->path, &info) == 0;
	if (known && S_ISDIR(info.st_mode))
		return "it is a folder";
	if (beside_device(out, f))
		return arena_printf(a, "`%s` takes one file, and this program has several; choose a name with -o",
				    out->options->output);
	if (is_read(a, out->options, f->path))
		return "it is read by this compilation; choose another name with -o, or another for the placement";
	if (known && *f->part && out->options->emit == EMIT_EXECUTABLE && !has_mark(f->path, mark_start))
		return "it is there and was not made by pmlc; choose another name with -o, or move it away";
	if ((!known || S_ISREG(info.st_mode)) && access(folder, W_OK) != 0)
		return arena_printf(a, "%s: %s", folder, strerror(errno));
	return NULL;
}

/* ---- names ---- */

static int add_file(struct outputs *out, const char *part, bool is_executable, const char *path)
{
	struct output_file f = {.part = part, .is_executable = is_executable, .path = path};
	vec_push(out->arena, &out->at, f);
	return out->at.n - 1;
}

static int add(struct outputs *out, const char *part, bool is_executable)
{
	return add_file(out, part, is_executable,
			arena_printf(out->arena, "%s%s%s", out->options->output, *part ? "." : "", part));
}

/* The object or text of a role: "a.left.o", "a.left.s", whether it was called "a" or "a.o". Its name is no
 * executable's. */
static void add_object(struct outputs *out, const char *role)
{
	const char *output = out->options->output, *ending = out->options->emit == EMIT_OBJECT ? ".o" : ".s";
	size_t n = strlen(output), m = strlen(ending);
	n -= n > m && !strcmp(output + n - m, ending) ? m : 0;
	add_file(out, role, false, arena_printf(out->arena, "%.*s.%s%s", (int)n, output, role, ending));
}

static void name_all(struct outputs *out, const struct program *p)
{
	const struct backend_options *o = out->options;
	int n = p->roles.n;
	bool links = o->emit == EMIT_EXECUTABLE;
	out->role = 0;
	out->object = out->kernels = out->starter = out->launch = -1;
	for (int i = 0; i < n; i++)
		if (links || n == 1)
			add(out, n == 1 ? "" : p->roles.at[i]->name, links);
		else
			add_object(out, p->roles.at[i]->name);
	for (int i = 0; i < n && links && o->keep_objects; i++) {
		int at = add(out, n == 1 ? "o" : arena_printf(out->arena, "%s.o", p->roles.at[i]->name), false);
		out->object = i ? out->object : at;
	}
	int nkernels = links && o->keep_objects ? kernel_parts_count(p) : 0;
	for (int i = 0; i < nkernels; i++) {
		int at = add(out, arena_printf(out->arena, "kernels.%d.o", i), false);
		out->kernels = i ? out->kernels : at;
	}
	if (n > 1 && links) {
		out->starter = add(out, "", true);
		out->launch = add(out, "mpi", false);
	}
}

bool outputs_plan(struct outputs *out, struct program *p, const struct backend_options *o)
{
	struct session *s = p->session;
	*out = (struct outputs){.arena = s->arena, .options = o};
	name_all(out, p);
	for (int i = 0; i < out->at.n; i++) {
		struct output_file *f = &out->at.at[i];
		const char *why = hindrance(out, f);
		if (why) {
			diag_error(s, PML0802, (struct span){0}, "`%s` cannot be written: %s", f->path, why);
			return false;
		}
	}
	for (int i = 0; i < out->at.n; i++) {
		const char *error = NULL;
		out->at.at[i].staged = link_temporary(out->arena, &error);
		if (!out->at.at[i].staged) {
			diag_error(s, PML0802, (struct span){0}, "%s", error);
			outputs_drop(out);
			return false;
		}
	}
	return true;
}

void outputs_drop(struct outputs *out)
{
	for (int i = 0; i < out->at.n && out->at.at[i].staged; i++)
		link_forget(out->at.at[i].staged);
}

/* ---- into place ---- */

static bool is_wanted(const struct outputs *out, const char *part)
{
	for (int i = 0; i < out->at.n; i++)
		if (!strcmp(out->at.at[i].part, part))
			return true;
	return false;
}

/* The part whose mark a file has: an object that is kept is a copy of what went into an executable. */
static const char *marked_part(struct arena *a, const char *part)
{
	size_t n = strlen(part);
	if (!strcmp(part, "o"))
		return "";
	return n > 2 && !strcmp(part + n - 2, ".o") ? arena_strndup(a, part, n - 2) : part;
}

/* A file that stood beside an earlier program of this name and is none of this one's. */
static bool is_left_over(const struct outputs *out, const char *path, const char *part)
{
	const char *mark = output_mark(out->arena, out->options->output, marked_part(out->arena, part));
	return !is_wanted(out, part) && has_mark(path, mark) && !is_read(out->arena, out->options, path);
}

static void remove_left_over(const struct outputs *out)
{
	const char *output = out->options->output, *name = path_name(output);
	const char *folder = path_folder(out->arena, output);
	size_t n = strlen(name);
	DIR *d = opendir(folder);
	for (struct dirent *e; d && (e = readdir(d));) {
		if (strncmp(e->d_name, name, n) || e->d_name[n] != '.')
			continue;
		const char *path = arena_printf(out->arena, "%s/%s", folder, e->d_name);
		if (is_left_over(out, path, e->d_name + n + 1))
			unlink(path);
	}
	if (d)
		closedir(d);
}

bool outputs_commit(struct outputs *out, const char **error)
{
	int n = out->at.n;
	struct new_file *files = ARENA_ARRAY(out->arena, struct new_file, n);
	struct mapped *staged = ARENA_ARRAY(out->arena, struct mapped, n);
	for (int i = 0; i < n; i++) {
		const struct output_file *f = &out->at.at[i];
		staged[i] = map_file(f->staged);
		files[i] = (struct new_file){.path = f->path,
					     .bytes = staged[i].at,
					     .n = staged[i].n,
					     .mode = f->is_executable ? 0777 : 0666};
	}
	bool good = replace_files(out->arena, files, n, error);
	for (int i = 0; i < n; i++)
		if (staged[i].n)
			munmap(staged[i].at, staged[i].n);
	outputs_drop(out);
	if (good && out->options->emit == EMIT_EXECUTABLE)
		remove_left_over(out);
	return good;
}
