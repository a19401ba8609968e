/* cli_tables.c — see cli_tables.h. */
#include "cli_tables.h"

const struct option_row cli_options[OPT_COUNT] = {
#define OPTION(id, letter, name, argument, help) [OPT_##id] = {name, argument, help, letter},
#include "options.def"
#undef OPTION
};

const struct command_row cli_commands[COMMAND_COUNT] = {
#define COMMAND(name, arguments, summary) [COMMAND_##name] = {#name, arguments, summary},
#include "command.def"
#undef COMMAND
};

static const char *const stage_names[] = {
#define STAGE(id, name) [STAGE_##id] = name,
#include "stage.def"
#undef STAGE
};

bool cli_takes_word(int option)
{
	return cli_options[option].argument && cli_options[option].argument[0] != '[';
}

int cli_names_for(int option, const char *const **out)
{
	static const char *const passes[] = {
#define PASS(name, stage, description) #name,
#include "compiler/simplify/passes.def"
#undef PASS
	};
	*out = option == OPT_EMIT ? stage_names : passes;
	return option == OPT_EMIT          ? (int)(sizeof stage_names / sizeof *stage_names)
	       : option == OPT_PRINT_AFTER ? (int)(sizeof passes / sizeof *passes)
					   : 0;
}
