/* dce.c — drops the nodes that no output needs. Nothing has effects of its own: even a random draw is a function of its
 * key. */
#include "passes.h"

bool pass_dce(struct session *s, struct graph *g)
{
	(void)s;
	int before = g->nodes.n;
	graph_compact(g);
	return g->nodes.n < before;
}
