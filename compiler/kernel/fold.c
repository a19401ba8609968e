/* fold.c — applications of which some arguments are known, and what nobody reads any more. */
#include "fold.h"

#include "build.h"

#include <string.h>

int fold_choice(const struct kernel_instr *in, int a, int b)
{
	if (in->fn == SC_WHERE && a != UNKNOWN)
		return a ? in->b : in->c;
	if (in->fn == SC_AND && (a == 1 || b == 1))
		return a == 1 ? in->b : in->a;
	if (in->fn == SC_OR && (a == 0 || b == 0))
		return a == 0 ? in->b : in->a;
	if ((in->fn == SC_AND || in->fn == SC_OR) && in->a == in->b)
		return in->a;
	return -1;
}

int fold_bool(const struct kernel_instr *in, int a, int b)
{
	if (in->fn == SC_AND && in->type == DT_BOOL && (a == 0 || b == 0))
		return 0;
	if (in->fn == SC_OR && in->type == DT_BOOL && (a == 1 || b == 1))
		return 1;
	return in->fn == SC_NOT && a != UNKNOWN ? !a : UNKNOWN;
}

static void note_use(bool *used, int reg)
{
	if (reg >= 0)
		used[reg] = true;
}

static void note_uses(bool *used, const struct kernel_instr *body)
{
	for (const struct kernel_instr *in = body; in; in = in->next) {
		note_use(used, in->a);
		note_use(used, in->b);
		note_use(used, in->c);
		note_use(used, in->guard);
		note_use(used, in->at.reg);
		if (in->kind == K_LOOP)
			note_uses(used, in->body);
	}
}

static bool drop_unused(const bool *used, struct kernel_instr **at)
{
	bool dropped = false;
	while (*at) {
		struct kernel_instr *in = *at;
		if (in->kind == K_LOOP)
			dropped |= drop_unused(used, &in->body);
		if ((kernel_is_value(in) && !used[in->reg]) || (in->kind == K_LOOP && !in->body && !in->naccs)) {
			*at = in->next;
			dropped = true;
		} else {
			at = &in->next;
		}
	}
	return dropped;
}

void kernel_drop_unused(struct arena *a, struct kernel *k)
{
	bool *used = ARENA_ARRAY(a, bool, k->nregs + 1);
	for (bool again = true; again;) {
		memset(used, 0, sizeof *used * (size_t)k->nregs);
		note_uses(used, k->body);
		again = drop_unused(used, &k->body);
	}
}
