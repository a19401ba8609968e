/* cli_tables.c — see cli_tables.h. */
#include "cli_tables.h"

#include <string.h>

const struct option_row cli_options[OPT_COUNT] = {
#define OPTION(id, letter, name, argument, effect, help) [OPT_##id] = {name, argument, help, letter},
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

bool cli_is_for(enum option_id id, enum command command, const char **first)
{
	const char *help = cli_options[id].help, *colon = strchr(help, ':');
	*first = NULL;
	for (const char *p = help; colon && p < colon;
	     p += p[strcspn(p, ",:")] == ',' ? strcspn(p, ",:") + 2 : strlen(p)) {
		size_t n = strcspn(p, ",:");
		enum command c = 0;
		while (c < COMMAND_COUNT && (strlen(cli_commands[c].name) != n || strncmp(cli_commands[c].name, p, n)))
			c++;
		if (c == COMMAND_COUNT)
			return true;
		*first = *first ? *first : cli_commands[c].name;
		if (c == command)
			return true;
	}
	return !*first;
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
