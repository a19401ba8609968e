/* finder.h — a search: the program on each mesh that is tried, the plans that were compiled and played, and the best of
 * these. What `pmlc search` prints and explains, and what a source with `auto` is compiled as. */
#ifndef PML_FINDER_H
#define PML_FINDER_H

#include "compiler/report/holding.h"
#include "compiler/search/search.h"
#include "drive.h"

struct plain;
struct stages;
struct staged;

/* A word `auto` in the head of a block, and what may stand in its place: numbers of micro-batches, schedules, or
 * whether the block is computed again. The first is what it is while nothing else is tried. */
struct way {
	struct open_way open;
	bool is_read; /* what main does comes by */
	VEC(int) values;
	const char *why; /* PARTS: why there is no other number; NULL */
};
struct ways {
	VEC(struct way) all;
};

/* The program in one form: as it is, or with layers computed again, or in stages. */
struct form {
	const struct file_texts *texts; /* NULL: as it is */
	const int *way; /* which value of each of the finder's ways: one list for all forms that have it; NULL: none */
	const char *mesh; /* "outer = 2, inner = 4": in the place of the word of `as auto`; NULL: there is none */
	int naxes;                    /* of the mesh that a program without placements is put on; 0: it has some */
	int64_t extent[3];
	const struct stages *stages; /* staged.h; NULL: none */
	const struct staged *staged; /* likewise: how its text goes with the layers where they belong */
	const char *what;            /* ", 8 micro-batches": said behind the ranks; "" */
	bool apart;                  /* layers on other stages than others stand one by one, each on its own */
};

/* A form with open layouts. */
struct opened {
	struct form form;
	const char *where;   /* "8 ranks, outer = 2, inner = 4", "4 ranks, pp = 4, 8 micro-batches" */
	struct arena *arena; /* of the search */
	struct drive *drive; /* errors may be in its session; then there is no search */
	struct search *search; /* NULL, as the drive is: closed, since others are better (finder_close_form) */
	struct search_result found;
	int64_t limit; /* of memory, in the model: what `found` keeps to; 0: none */
	int64_t least; /* of memory that any plan takes by the model; 0: nobody has asked */
	int64_t most;  /* that the best plan takes where there is no limit; 0: there is none */
};

struct forms {
	VEC(struct form) all;
};

/* A plan as it is compiled. */
struct played {
	int of; /* form */
	struct search_plan plan;
	struct file_texts texts;
	bool is_alone;       /* the program as it is on one rank: what is `auto` is that, and whole */
	bool is_legal;       /* it compiles */
	bool is_mean;        /* ns is a step's on average */
	const char *refused; /* by the machine; NULL: it is not */
	int64_t ns, memory;
	struct report_holding holding; /* of the rank that takes most memory */
	double compute, talk;          /* ns of a step, means over ranks: computing; messages and waiting */
};

struct finder {
	struct session *session;
	const struct cli *cli;
	struct arena *arena;
	const struct machine *machine;
	bool compiles; /* a source in which nothing is open is compiled as it is, and only `auto` is searched */
	bool is_plain; /* the source has no placement, or one that is `auto(ranks(...))` */
	bool imported; /* what the program imports from its folder is open as well, as it can be written */
	bool is_apart; /* it is not, since no file can be imported by all that would name the placement */
	int64_t ranks; /* is_plain: of which meshes are made */
	struct drive *as_it_is;
	VEC(struct span) mesh_words; /* of `as auto` */
	struct ways ways;
	VEC(struct opened) forms;
	VEC(struct played) played;
	VEC(struct arena *) kept; /* of what is known of these */
	struct plain *plain;      /* is_plain: of which stages are made; NULL: it has no layers */
	int best, second;         /* among the plans played; -1: none fits */
	int least;                /* the one that takes least memory of those that compile; -1: none does */
	int64_t by_bytes;         /* ns of the best where no machine is named when it is compiled */
	const char *refused;      /* by the machine: nothing can be timed */
	struct text said;         /* where something was found, on stderr */
};

/* Looks for the best plan of cli->file on the session's machine, which must be there; EXIT_OK, or another status after
 * a message that says why there is none. x->best is -1 if x->compiles and nothing is open. */
int finder_find(struct finder *x, struct session *s, const struct cli *cli);
void finder_close(struct finder *x);

/* ---- what the files of the finder share ---- */

/* A form that is looked at no more; what was played of it is still known. */
void finder_close_form(struct opened *o);
/* The program with open layouts, checked; errors are in its session. */
struct drive *finder_open(const struct finder *x, const struct form *f);
/* The same, layouts not checked. */
struct drive *finder_elaborate(const struct finder *x, const struct form *f);
/* These forms as well, in their order, but for those that do not compile: of these nothing is said. */
void finder_add(struct finder *x, const struct forms *f);
/* Searches and plays the forms from that number on; plays: of each at most so many, 0: the best of all, cli->tries. */
void finder_search(struct finder *x, int from, int plays);
/* Of one form plans that come next. */
void finder_play_more(struct finder *x, int form);
/* Where nothing fits: what takes least memory. */
void finder_search_least(struct finder *x);
/* Compiles and plays a text of the program, and what is to be kept of it lies in an arena of its own; says_why:
 * messages are printed; by_bytes: as it is compiled where no machine is named. */
void finder_play(const struct finder *x, struct played *p, struct arena *kept, bool says_why, bool by_bytes);
/* Several at a time; by_bytes: the first so many. */
void finder_play_all(struct finder *x, struct played *list[], int n, int by_bytes);
/* Whether it compiles and takes no more memory than it may; whether a plan of these forms does. */
bool finder_fits_one(const struct finder *x, const struct played *p);
bool finder_fits(const struct finder *x, int from);
/* The program, d as it is, whose layers are a list, so that they could be cut apart, with what they take, in the arena;
 * NULL: it has none. May be asked for while forms are opened. */
struct plain *finder_plain(struct finder *x, struct arena *a, const struct drive *d);
/* Forms with stages, where they may be faster than what was found, or fit. */
void finder_try_stages(struct finder *x);
/* The best forms with layers computed again, as few as fit, where memory is short. */
void finder_try_remat(struct finder *x);

/* finder_ways.c: the words `auto` in heads of blocks of the program as it is: x->ways. */
void finder_find_ways(struct finder *x);
/* The form with all of its mesh and ways written: texts. */
void finder_write(const struct finder *x, struct form *f);
/* "8", "\"zb\"", "true" */
const char *finder_value_text(const struct finder *x, const struct way *w, int value);
/* "`microbatch` at net.pml:12:20" */
const char *finder_way_text(const struct finder *x, const struct way *w);
/* finder_combined.c: the program in all ways that are open; with the forms that there are, which have the first of
 * each. */
void finder_try_ways(struct finder *x);
/* How many combinations of what is open are tried without anything computed again; more than there may be: -1. */
int finder_combinations(const struct finder *x);

/* All meshes of so many ranks, as forms of a program without placements. */
void finder_find_meshes(const struct finder *x, int64_t ranks, struct forms *all);
/* The program of d, which has placements: as it is, or, where a mesh is `as auto`, with each mesh of its ranks. False
 * after a message. */
bool finder_find_open_meshes(struct finder *x, const struct drive *d, struct forms *all);

/* ---- what is said of it ---- */

/* To the user, and to those who find it again (x->said). */
void finder_say(struct finder *x, const char *text);
const struct search *finder_search_of(const struct finder *x, const struct played *p);
/* "w1 at mlp.pml:3:12", of what is moved its text: "`h @ w2` at mlp.pml:9:12". In the arena of the finder. */
const char *finder_open_text(const struct finder *x, const struct opened *of, int open);
/* Where it runs, and how: opened.where. */
const char *finder_mesh_text(const struct finder *x, const struct played *p);
/* What the rank holds that takes most memory, and the limit that it is above: "rank 0 would hold 8.1 MB of 4.0 MB: …",
 * with its largest tensors. */
void finder_print_holding(struct text *t, const struct finder *x, const struct played *p);
/* "by the cost model the best takes 1.28 ms, within 0.0 % of the best there is (bound 1.28 ms, …)" */
const char *finder_proof(const struct finder *x);

/* Says of the first param or state whose type stands in an imported file of the program, and names no placement, that
 * nothing was chosen for it. */
void finder_note_imported(struct finder *x);
/* What is `auto` in the head of a block, and why it is what it is, where nothing else was tried. */
void finder_note_ways(struct finder *x);
/* Why no plan is the best; the exit status. */
int finder_report_nothing(struct finder *x);

/* finder_kept.c: what searches came to, kept as objects are, for the same source, machine, options and pmlc. */
struct kept {
	const char *said;
	struct file_texts texts;
};
/* By what it is found; as x->as_it_is was read, which left no errors. */
const struct cache_key *finder_key(const struct finder *x);
/* False: nothing is kept. */
bool finder_find_kept(const struct finder *x, const struct cache_key *key, struct kept *out);
void finder_keep(const struct finder *x, const struct cache_key *key, const struct kept *found);

/* The same for a source with `auto`, quietly but for one line: what was found, or is kept since it was, stands in its
 * place from now on. */
int finder_resolve(struct session *s, const struct cli *cli);

/* Prints why choices are as they are: those of that name, or at that place ("12:30"); false after a message if there is
 * none. */
bool search_explain(const struct finder *x, const char *name);

#endif
