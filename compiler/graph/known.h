/* known.h — the legal layouts of a map some of whose inputs are numbers of the program. A rule says what holds for all
 * values of its operands: a * b takes no P(max), since b may be negative. With 2 for b it does. */
#ifndef PML_GRAPH_KNOWN_H
#define PML_GRAPH_KNOWN_H

#include "../op/windows.h"
#include "graph.h"

/* r with the number for an operand that supplies no index: its body no longer reads it. Both are interned. */
const struct rule *rule_with_number(const struct rule *r, int operand, union scalar_value number);

/* The interned rule with the numbers among the inputs written into its body; r itself if there are none. It keeps all
 * operands of r, read or not. */
const struct rule *rule_of_known(const struct rule *r, struct node *const *in);

/* The signatures of r, which is interned, over these inputs: rule_signatures, after them those that take parts because
 * of the numbers, and those of rule_windows. They are kept with the rule. */
int signatures_of_known(const struct rule *r, struct node *const *in, const struct signature **list);

/* Whether inputs of a map that are laid out, and its result in `out`, fit a signature on an axis; of the inputs alone,
 * what the result is then. */
bool signature_fits(const struct signature *s, const struct rule *r, struct node *const *in, struct shard_atom out,
		    int axis);
bool signature_fits_inputs(const struct signature *s, const struct rule *r, struct node *const *in,
			   struct shard_atom out, int axis, struct shard_atom *cut_out);

#endif
