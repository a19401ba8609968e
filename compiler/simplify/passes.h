/* passes.h — rewritings of graphs, and running them. */
#ifndef PML_PASSES_H
#define PML_PASSES_H

#include "../graph/graph.h"

/* A pass: one file, one function; true if it changed the graph. Rows in passes.def. */
typedef bool graph_pass(struct session *s, struct graph *g);

#define PASS(name, stage, description) graph_pass pass_##name;
#include "passes.def"
#undef PASS

struct pass_row {
	const char *name;
	enum graph_stage stage; /* the pass wants a graph of this stage and leaves one */
	graph_pass *run;
	const char *description;
};
int pass_count(void);
const struct pass_row *pass_row(int i);
const struct pass_row *pass_find(const char *name); /* NULL if there is none */

/* Runs one pass and verifies the graph if it changed. With options.verify_each the graph is also printed, re-read and
 * compared, and what follows works on the re-read one (in the same struct graph; spans, calls and so on are carried
 * over by position). */
bool graph_run_pass(struct session *s, struct graph *g, const struct pass_row *pass);
/* All passes of the graph's stage, in the order of the rows, until nothing changes (at most a few rounds). The graph is
 * verified in the end; with options.verify_each after every pass, as above. */
void graph_run_passes(struct session *s, struct graph *g);

#endif
