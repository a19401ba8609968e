/* kernel_skip.c — loops of a vector loop all of whose effects hang on one condition that all lanes share, as rows of a
 * window hang on whether they are rows of the image: made behind a branch, which is foreseen, and in which the
 * condition is known. What is left of the guards is what differs from lane to lane. */
#include "kernel_emit.h"

/* Whether the condition holds wherever the guard does. */
static bool follows(const struct kernel_emitter *k, int guard, int condition)
{
	const struct kernel_instr *both = guard >= 0 ? k->scan.reg[guard].both : NULL;
	return guard == condition || (both && (follows(k, both->a, condition) || follows(k, both->b, condition)));
}

static bool makes(const struct kernel_instr *body, int reg)
{
	for (const struct kernel_instr *i = body; i; i = i->next)
		if (i->kind == K_LOOP ? makes(i->body, reg) : i->reg == reg && i->kind != K_REDUCE)
			return true;
	return false;
}

/* What all lanes share of a guard, if it is made before the loop; -1: nothing. */
static int shared_part(const struct kernel_emitter *k, const struct kernel_instr *loop, int guard)
{
	const struct kernel_instr *both = guard >= 0 ? k->scan.reg[guard].both : NULL;
	if (guard >= 0 && !k->scan.reg[guard].vector && !makes(loop->body, guard))
		return guard;
	int part = both ? shared_part(k, loop, both->a) : -1;
	return both && part < 0 ? shared_part(k, loop, both->b) : part;
}

/* The first reduction or store; *all becomes false if one does not hang on the condition. */
static const struct kernel_instr *first_effect(const struct kernel_emitter *k, const struct kernel_instr *body,
					       int condition, bool *all)
{
	const struct kernel_instr *first = NULL;
	for (const struct kernel_instr *i = body; i; i = i->next) {
		bool is_effect = i->kind == K_REDUCE || i->kind == K_STORE || i->kind == K_PREFIX;
		const struct kernel_instr *found = i->kind == K_LOOP ? first_effect(k, i->body, condition, all)
						   : is_effect       ? i
								     : NULL;
		first = first ? first : found;
		*all = *all && (!is_effect || (i->kind != K_PREFIX && follows(k, i->guard, condition)));
	}
	return first;
}

int kernel_skipped_by(const struct kernel_emitter *k, const struct kernel_instr *loop)
{
	bool all = true;
	if (k->vector_loop < 0 || loop->naccs)
		return -1;
	const struct kernel_instr *effect = first_effect(k, loop->body, -1, &all);
	int condition = effect ? shared_part(k, loop, effect->guard) : -1;
	all = condition >= 0;
	first_effect(k, loop->body, condition, &all);
	return all ? condition : -1;
}
