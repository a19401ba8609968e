/* names.c — params from the files of other programs, as a `names` block says: each rank reads what it holds of every
 * param, wherever it stands in the file, and converts between float types. The files are compared with the program
 * first; what does not fit is shown as a table of few rows, with the nearest name in the files. */
#include "names.h"

#include "element.h"
#include "piece.h"
#include "weights.h"

#include <string.h>

enum { MISFIT_ROWS = 6, UNREAD_ROWS = 4, NAME_MOST = 200 };

/* A tensor of one of the files. */
struct found {
	const struct weights_file *file;
	const struct st_tensor *tensor;
};

struct loading {
	struct pmlrt *rt;
	const struct pmlrt_names *names;
	struct weights weights;
	struct found *found;               /* per stored tensor; tensor NULL: not in the files */
	const struct pmlrt_piece **chosen; /* per piece that is first of its slot; NULL: none is read */
	int32_t nchosen;
	bool *told; /* per stored tensor: it has a row */
	char table[3000];
	size_t length;
	int misfits, unread;
	const char *transposed; /* a matrix of the file whose transpose would fit; NULL: none */
};

/* ---- names ---- */

static void find_all(struct loading *l)
{
	for (int i = 0; i < l->weights.nfiles; i++) {
		struct weights_file *f = &l->weights.file[i];
		for (int64_t k = 0; k < f->header.ntensors; k++) {
			const char *name = f->header.tensor[k].name;
			for (int32_t s = 0; s < l->names->nstored; s++) {
				if (l->found[s].tensor || !piece_name_is(l->names->stored[s].name, name))
					continue;
				l->found[s] = (struct found){f, &f->header.tensor[k]};
				f->used[k] = true;
			}
			for (int32_t s = 0; s < l->names->nignored && !f->used[k]; s++)
				f->used[k] = piece_name_is(l->names->ignored[s].text, name);
		}
	}
}

/* Whether one is the other behind a prefix: "model.norm.weight", "norm.weight". */
static bool differ_in_prefix(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	return n > m ? a[n - m - 1] == '.' && strcmp(a + n - m, b) == 0
		     : m > n && b[m - n - 1] == '.' && strcmp(b + m - n, a) == 0;
}

/* The name in the files that nobody reads and is nearest; NULL if none is near. */
static const char *nearest(const struct loading *l, const char *meant)
{
	const char *best = NULL;
	int least = (int)strlen(meant) / 3 + 1;
	for (int i = 0; i < l->weights.nfiles; i++) {
		const struct weights_file *f = &l->weights.file[i];
		for (int64_t k = 0; k < f->header.ntensors && least > 0; k++) {
			const char *name = f->header.tensor[k].name;
			int d = f->used[k]                      ? least
				: differ_in_prefix(meant, name) ? 0
								: rt_distance(meant, name, strlen(name));
			if (d >= least)
				continue;
			best = name;
			least = d;
		}
	}
	return best;
}

/* ---- what does not fit ---- */

static void add_row(struct loading *l, const char *name, const char *program, const char *file)
{
	if (l->length < sizeof l->table)
		l->length += (size_t)snprintf(l->table + l->length, sizeof l->table - l->length,
					      "\n  %-32.80s %-22.80s %.160s", name, program, file);
}

static void add_more(struct loading *l, int n, const char *what)
{
	if (n > 0 && l->length < sizeof l->table)
		l->length += (size_t)snprintf(l->table + l->length, sizeof l->table - l->length, "\n  and %d more%s", n,
					      what);
}

/* Whether the tensor gets a row now: each once, and not too many. */
static bool begin_misfit(struct loading *l, int32_t stored)
{
	if (l->told[stored])
		return false;
	l->told[stored] = true;
	return l->misfits++ < MISFIT_ROWS;
}

static const char *type_text(int32_t dtype, int32_t rank, const int64_t *dim, char *buffer, size_t size)
{
	struct pmlrt_type type = {.dtype = dtype, .rank = rank};
	memcpy(type.dim, dim, sizeof type.dim);
	return rt_type_text(&type, buffer, size);
}

static void check_type(struct loading *l, int32_t stored)
{
	const struct pmlrt_stored *s = &l->names->stored[stored];
	const struct st_tensor *t = l->found[stored].tensor;
	char a[160], b[160];
	bool shape = s->rank == t->rank && memcmp(s->dim, t->dim, (size_t)s->rank * sizeof *s->dim) == 0;
	bool type = s->dtype == t->dtype || (element_is_float(s->dtype) && element_is_float(t->dtype));
	if (!shape && s->rank == 2 && t->rank == 2 && s->dim[0] == t->dim[1] && s->dim[1] == t->dim[0])
		l->transposed = t->name;
	if (!(shape && type) && begin_misfit(l, stored))
		add_row(l, t->name, type_text(s->dtype, s->rank, s->dim, a, sizeof a),
			type_text(t->dtype, t->rank, t->dim, b, sizeof b));
}

static void report_missing(struct loading *l, const struct pmlrt_piece *first)
{
	char a[160], b[300];
	const struct pmlrt_stored *s = &l->names->stored[first->stored];
	if (!begin_misfit(l, first->stored))
		return;
	char *name = piece_name_plain(l->rt, s->name);
	const char *near = nearest(l, name);
	snprintf(b, sizeof b, "not in the file%s%s", near ? "; near: " : "", near ? near : "");
	add_row(l, name, type_text(s->dtype, s->rank, s->dim, a, sizeof a), b);
	rt_release(l->rt, name);
}

/* Chooses the place of every slot: the first that the files have. */
static void choose(struct loading *l)
{
	const struct pmlrt_names *n = l->names;
	l->chosen = rt_alloc(l->rt, (n->npieces + 1) * (int64_t)sizeof *l->chosen);
	for (int32_t i = 0, next; i < n->npieces; i = next) {
		const struct pmlrt_piece *piece = NULL;
		bool optional = false;
		for (next = i; next < n->npieces && (next == i || n->pieces[next].choice); next++) {
			optional |= n->pieces[next].stored < 0;
			if (!piece && n->pieces[next].stored >= 0 && l->found[n->pieces[next].stored].tensor)
				piece = &n->pieces[next];
		}
		if (piece) {
			check_type(l, piece->stored);
			l->chosen[l->nchosen++] = piece;
		} else if (!optional) {
			report_missing(l, &n->pieces[i]);
		}
	}
}

static void report_unread(struct loading *l)
{
	char b[160];
	for (int i = 0; i < l->weights.nfiles; i++) {
		const struct weights_file *f = &l->weights.file[i];
		for (int64_t k = 0; k < f->header.ntensors; k++) {
			const struct st_tensor *t = &f->header.tensor[k];
			if (!f->used[k] && l->unread++ < UNREAD_ROWS)
				add_row(l, t->name, "nobody reads it",
					type_text(t->dtype, t->rank, t->dim, b, sizeof b));
		}
	}
}

static void report(struct loading *l, const char *path, int32_t site)
{
	int wrong = l->misfits + l->unread;
	const char *help = "";
	if (l->transposed)
		help = rt_format(l->rt, "\nhelp: what is stored transposed is read so: `w[i, j] = \"%.*s\"[j, i];`",
				 NAME_MOST, l->transposed);
	if (wrong)
		rt_fail(l->rt, site, "%d tensor%s of `%s` do%s not fit `%s`\n  %-32s %-22s %s%s%s", wrong,
			wrong == 1 ? "" : "s", path, wrong == 1 ? "es" : "", l->names->name, "name", "program", "file",
			l->table, help);
}

/* ---- reading ---- */

struct taking {
	int32_t to_dtype, from_dtype;
	char *to;
	const char *from;
};

static bool take_run(void *context, const struct piece_run *run)
{
	const struct taking *t = context;
	int64_t to_size = rt_dtype_size(t->to_dtype), from_size = rt_dtype_size(t->from_dtype);
	element_convert(t->to_dtype, t->to + run->local * to_size, run->local_step, t->from_dtype,
			t->from + run->stored * from_size, run->stored_step, run->n);
	return true;
}

static void take(struct loading *l, const struct pmlrt_piece *p)
{
	const struct found *f = &l->found[p->stored];
	struct taking t = {l->names->stored[p->stored].dtype, f->tensor->dtype, l->rt->slots[p->slot],
			   f->file->bytes + f->file->header.data + f->tensor->begin};
	t.to_dtype = l->rt->program->types[l->rt->program->slots[p->slot].type].dtype;
	piece_each(l->rt, l->names, p, take_run, &t);
}

void rt_load_names(struct pmlrt *rt, const char *path, const struct pmlrt_names *names, int32_t site)
{
	struct loading l = {.rt = rt, .names = names};
	int64_t ranks = 1;
	weights_open(rt, path, &l.weights, site);
	l.found = rt_alloc(rt, (names->nstored + 1) * (int64_t)sizeof *l.found);
	l.told = rt_alloc(rt, names->nstored + 1);
	find_all(&l);
	choose(&l);
	add_more(&l, l.misfits - MISFIT_ROWS, "");
	report_unread(&l);
	add_more(&l, l.unread - UNREAD_ROWS, " that nobody reads");
	report(&l, path, site);
	for (int32_t i = 0; i < l.nchosen; i++)
		take(&l, l.chosen[i]);
	weights_close(rt, &l.weights);
	rt_release(rt, l.found);
	rt_release(rt, l.told);
	rt_release(rt, l.chosen);
	/* Files that only some ranks can read end the job here, not steps later. */
	rt_all_reduce(rt, &ranks, 1, MPI_INT64_T, MPI_SUM, "load", site);
}
