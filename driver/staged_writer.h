/* staged_writer.h — a plain program while it is written with stages. Shared by the files of staged.h: staged_text.c,
 * staged_types.c, staged_loops.c, staged_again.c. */
#ifndef PML_STAGED_WRITER_H
#define PML_STAGED_WRITER_H

#include "edits.h"
#include "staged.h"

struct writer {
	struct arena *arena;
	const struct chain *chain;
	const struct stages *stages;
	struct edits *files;       /* by file of the chain */
	struct edits *edits;       /* of the file that is written (staged_enter) */
	const struct module *home; /* where all but `on`, `piece` and `last` is declared */
	/* Names that are free: the placement, where a layer is, the parameter of structs, the number of the last stage;
	 * the number of pieces, one of them, its first layer. */
	const char *grid, *stage, *on, *last, *pieces, *piece, *first;
	VEC(const struct item *) structs;
};

/* ---- staged_text.c: names and places in the text ---- */

/* `wanted`, or that with a number behind it: no name of the program. */
const char *staged_free_name(struct arena *a, const struct chain *c, const char *wanted);
/* A word that the sources have nowhere, as long as this text if there is one: positions behind it are the same. */
const char *staged_word(const struct chain *c, struct arena *a, const char *text);
/* What begins a new statement at a position: a line of its own, indented as what stands there is, or a blank. */
const char *staged_gap(struct edits *w, uint32_t at);
const struct stmt *stmt_first(const struct stmt *body);
/* Its semicolon included. */
uint32_t stmt_end(const struct edits *w, const struct stmt *s);
void staged_before(struct edits *w, const struct stmt *s, const char *text);
void staged_behind(struct edits *w, const struct stmt *s, const char *text);

/* ---- staged.c: files, and where things are ---- */

/* Nothing changed yet, by file of the chain. */
struct edits *staged_edits(struct arena *a, const struct chain *c);
/* What changed, and the main file. */
struct file_texts staged_texts(struct arena *a, const struct chain *c, struct edits *files);

/* What is written from now on is in the file of that module. */
void staged_enter(struct writer *w, const struct module *m);
/* What the home declares by that name as this file names it: "model.grid". */
const char *staged_name(struct writer *w, const char *name);
/* The last stage: "grid[pp = 3]". */
const char *staged_last(struct writer *w);
/* Whether a param or state is read behind the layers alone; the stage where it is. */
bool staged_is_last(const struct writer *w, const struct item *slot);
const char *staged_home(struct writer *w, const struct item *slot);

/* ---- staged_types.c: params, states, and structs and functions of layers say where they are ---- */

/* w->structs gets those of the type, and of their fields. */
void staged_find_structs(struct writer *w, const struct type *t);
/* Everything in the type is at that place. */
void staged_put(struct writer *w, const struct type *t, const char *place);
/* Whether a struct needs one more parameter, the placement: what it has says nothing of where it is, and its file is
 * written. */
bool staged_adds_generic(const struct writer *w, const struct item *it);
/* One more parameter of a struct or function: the placement. */
void staged_add_generic(struct writer *w, const struct item *it);
void staged_write_function(struct writer *w, const struct item *it);
void staged_write_slot(struct writer *w, const struct item *it);

/* ---- staged_loops.c: loops over layers, and what is brought to a stage ---- */

void staged_write_uses(struct writer *w);
/* `for i in a..b { … }` as a loop over the pieces around one over the layers of each. */
void staged_write_loop(struct writer *w, const struct chain_loop *l);

/* ---- staged_again.c: micro-batches, and layers that are computed again ---- */

/* schedule: "" or ", schedule = \"zb\"". */
void staged_write_micro(struct edits *w, const struct chain *c, int micro, const char *schedule);

#endif
