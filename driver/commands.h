/* commands.h — the commands that have a file of their own; the others are in main.c. Each returns an exit status. */
#ifndef PML_COMMANDS_H
#define PML_COMMANDS_H

#include "drive.h"

int command_check(struct session *s, const struct cli *cli);
int command_test(struct session *s, const struct cli *cli);
int command_solve(struct session *s, const struct cli *cli);
int command_search(struct session *s, const struct cli *cli);
int command_simulate(struct session *s, const struct cli *cli);
int command_calibrate(struct session *s, const struct cli *cli);
int command_plan(struct session *s, const struct cli *cli);

#endif
