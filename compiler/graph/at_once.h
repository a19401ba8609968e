/* at_once.h — the turns of a loop that hands nothing on, all of them at once: every node of the loop becomes one for
 * all turns, with a dimension more, the lines.
 *
 *   %2 = line(%x) of 0                          (what is mapped: %x itself)
 *   %3 = carry(%h) of 1      loop 1 in loop 0   %3 = carry(%h, once a line) of 1      loop 1, where loop 0 was
 *   %4 = map(%3, %2) {tanh(h + x)}              %4 = map(%3, %x) {tanh(h[t] + x[t])}
 *   %5 = end(%3, %4) of 1                       %5 = end(%3, %4) of 1
 *   %6 = stack(%5) of 0                         %5
 *
 * Loops inside stay loops, over all lines at once. They go on as long as any line does, whose own turns come first, or
 * last if they are read from the end; a line that makes no turn keeps what it has. Branches that lines take or not are
 * computed for all of them. What is checked is checked of lines that come by. */
#ifndef PML_GRAPH_AT_ONCE_H
#define PML_GRAPH_AT_ONCE_H

#include "graph.h"

struct at_once;

/* Why there is none, and what makes it so. */
struct one_by_one {
	const char *why;
	struct span where;
};

/* Of the loop, of so many turns, whose nodes are those from number `from` on; the loop and all in it become the graph's
 * past. written: the turn's text is the program's (node.lines). NULL if some node cannot be written so, and `why` says
 * which; the graph is as it was. That is: a loop of unequal numbers of turns that reads lines from both ends,
 * micro-batches, a layout parameter, more dimensions than there may be. */
struct at_once *graph_at_once(struct graph *g, struct loop *l, int64_t lines, int from, bool slopes, bool written,
			      struct one_by_one *why);
/* What x was in a turn, of all turns: with the lines in front; NULL if it is the same in each. */
struct node *at_once_lines(struct at_once *a, struct node *x);
/* The same where x is no different from turn to turn. */
struct node *at_once_same(struct at_once *a, struct node *x);
/* x, which is the same in all turns, once for each. */
struct node *at_once_repeated(struct at_once *a, struct node *x);
/* Whether what turns of l show, a loop inside, can be shown line by line; else `why` says why not. */
bool at_once_may_show(struct at_once *a, const struct loop *l, struct one_by_one *why);
/* In `lines`, a loop over the lines: the loop that makes the turns of l once more, as often as the line made them. */
struct loop *at_once_again(struct at_once *a, struct loop *l, struct loop *lines);
/* x, which l shows, in such a turn. */
struct node *at_once_shown(struct at_once *a, struct node *x, struct loop *l, struct loop *lines);
/* Back to the graph as it was before graph_at_once. */
void at_once_forget(struct at_once *a);
/* Nothing more is asked: drops the loop and what stood in it. */
void at_once_end(struct at_once *a);

#endif
