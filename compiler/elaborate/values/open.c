/* open.c — layouts that the source leaves out: of params and states (then `B`), and of a `to` that gives what is on no
 * rank yet its first placement (then what moves least). None of them may change a result, so `pmlc test --vary-layouts`
 * forces others. The program lists them; session.options.layouts says which are forced. */
#include "values.h"

#include <stdlib.h>
#include <string.h>

static bool read_word(const char **at, const char *word)
{
	size_t n = strlen(word);
	if (strncmp(*at, word, n))
		return false;
	*at += n;
	return true;
}

static bool read_atom(const char **at, int rank, struct shard_atom *out)
{
	*out = layout_broadcast().atom[0];
	if (read_word(at, "B"))
		return true;
	if (!read_word(at, "S("))
		return false;
	char *end;
	long dim = strtol(*at, &end, 10);
	if (end == *at || dim < 0 || dim >= rank)
		return false;
	*at = end;
	*out = (struct shard_atom){.kind = SHARD_S, .dim = (int8_t)dim};
	return read_word(at, ")");
}

/* "B", "S(0)", "(dp=S(0), tp=B)": as layout_print writes finished layouts. */
static bool read_layout(const char *text, const struct place *p, int rank, struct layout *out)
{
	*out = layout_broadcast();
	if (p->naxes == 1 && !*p->axis[0])
		return read_atom(&text, rank, &out->atom[0]) && !*text;
	if (!strcmp(text, "B"))
		return true;
	if (!read_word(&text, "("))
		return false;
	do {
		int a = 0;
		size_t n = strcspn(text, "=");
		while (a < p->naxes && (strlen(p->axis[a]) != n || memcmp(p->axis[a], text, n)))
			a++;
		text += n;
		if (a == p->naxes || !read_word(&text, "=") || !read_atom(&text, rank, &out->atom[a]))
			return false;
	} while (read_word(&text, ", "));
	return read_word(&text, ")") && !*text;
}

static void note(struct elab *e, const char *name, const struct place *p, const struct shape *s)
{
	for (int i = 0; i < e->p->open.n; i++)
		if (!strcmp(e->p->open.at[i].name, name))
			return;
	struct open_layout o = {.name = name, .place = p, .shape = *s};
	vec_push(e->a, &e->p->open, o);
}

void open_layout(struct elab *e, const char *name, const struct place *p, const struct shape *s, struct layout_spec *l)
{
	struct layout forced;
	note(e, name, p, s);
	for (int i = 0; i < e->s->options.layouts.n; i++) {
		struct forced_layout *f = &e->s->options.layouts.at[i];
		if (strcmp(f->name, name) || !read_layout(f->layout, p, s->rank, &forced))
			continue;
		f->used = true;
		*l = (struct layout_spec){.form = LAYOUT_GIVEN, .layout = forced, .span = l->span};
	}
}

const char *open_place_name(struct elab *e, struct span at)
{
	if (at.file != e->ast->main->file)
		return NULL;
	struct line_column lc = source_position(&e->s->sources.at[at.file], at.begin);
	return arena_printf(e->a, "%d:%d", lc.line, lc.column);
}

/* The atoms that are `auto` become those of the open layout with that name. */
static void number_atoms(struct elab *e, const char *name, const char *of, const struct place *p, const struct shape *s,
			 struct layout_spec *l)
{
	int i = 0;
	while (strcmp(e->p->open.at[i].name, name))
		i++;
	struct open_layout *o = &e->p->open.at[i];
	o->searched = o->searched ? o->searched : of;
	o->span = l->span;
	o->shape = s->rank < o->shape.rank ? *s : o->shape;
	for (int a = 0; a < p->naxes; a++)
		if (atom_open(l->layout.atom[a]) >= 0)
			l->layout.atom[a] = atom_of_open(i);
	o->layout = l->layout;
}

bool open_auto(struct elab *e, const char *of, const struct place *p, const struct shape *s, struct layout_spec *l)
{
	struct span at = l->span;
	const char *name = e->s->options.searches && p ? open_place_name(e, at) : NULL;
	if (!name) {
		struct diag *d = elab_error(e, PML0901, at, "`auto` is no layout yet");
		if (e->s->options.searches)
			diag_note(d, "a search chooses layouts in the program's own file alone");
		else
			diag_help(d, "`pmlc search --machine=FILE.json` finds the one that takes least time, and "
				     "writes it here");
		return false;
	}
	open_layout(e, name, p, s, l);
	number_atoms(e, name, of, p, s, l);
	return true;
}
