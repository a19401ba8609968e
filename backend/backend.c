/* backend.c — the interface: every role compiled, and where there are several, the starter and the launch file. */
#include "backend.h"

#include "compile.h"
#include "target.h"

#include <string.h>

void backend_times_add(struct backend_times *sum, const struct backend_times *t)
{
	sum->build += t->build;
	sum->optimise += t->optimise;
	sum->codegen += t->codegen;
	sum->link += t->link;
	sum->objects += t->objects;
	sum->found += t->found;
}

/* The outcome's error, if there is one, as a message of the session. */
static bool report(struct session *s, const struct outcome *outcome)
{
	if (outcome->ok)
		return true;
	struct span nowhere = {0, 0, 0};
	if (outcome->code == PML0801)
		diag_note(diag_error(s, PML0801, nowhere, "the program cannot be linked"), "%s", outcome->message);
	else if (outcome->code == PML0803)
		diag_error(s, PML0803, nowhere, "no code can be generated: %s", outcome->message);
	else
		diag_error(s, PML0802, nowhere, "%s", outcome->message);
	return false;
}

bool backend_compile(struct program *p, const struct backend_options *o, struct backend_times *times)
{
	struct outcome roles, starter = {.ok = true};
	struct outputs out;
	const char *error;
	if (!outputs_plan(&out, p, o))
		return false;
	compile_roles(p, &out, &roles);
	if (out.starter >= 0 && roles.ok)
		compile_starter(p, &out, &starter);
	if (times) {
		backend_times_add(times, &roles.times);
		backend_times_add(times, &starter.times);
	}
	bool good = report(p->session, &roles) && report(p->session, &starter);
	if (!good)
		outputs_drop(&out);
	if (!good || outputs_commit(&out, &error))
		return good;
	diag_error(p->session, PML0802, (struct span){0}, "%s", error);
	return false;
}

bool backend_print(struct program *p, const struct backend_options *o, struct text *out)
{
	for (int i = 0; i < p->roles.n; i++) {
		struct outcome outcome = {.ok = true};
		if (p->roles.n > 1)
			text_printf(out, "%s role %s\n", o->emit == EMIT_ASSEMBLY ? "#" : ";", p->roles.at[i]->name);
		if (!compile_print(p, o, i, out, &outcome))
			return report(p->session, &outcome);
	}
	return true;
}

int backend_lanes(const struct session *s)
{
	struct session copy = *s;
	const char *error = NULL;
	struct target *target = target_new(&copy, copy.options.opt_level, &error);
	int lanes = target ? target->lanes : 1;
	target_free(target);
	return lanes;
}

bool backend_multiplies_bf16(const struct session *s)
{
	struct session copy = *s;
	const char *error = NULL;
	struct target *target = target_new(&copy, copy.options.opt_level, &error);
	bool fast = target && target->bf16_pairs;
	target_free(target);
	return fast;
}

void backend_describe(struct text *t, const struct session *s)
{
	unsigned major, minor, patch;
	struct session copy = *s;
	const char *error = NULL;
	LLVMGetVersion(&major, &minor, &patch);
	struct target *target = target_new(&copy, copy.options.opt_level, &error);
	text_printf(t, "LLVM %u.%u.%u", major, minor, patch);
	if (target)
		text_printf(t, ", target %s, %d lanes of f32", target->name, target->lanes);
	else
		text_printf(t, ", no target (%s)", error);
	target_free(target);
}
