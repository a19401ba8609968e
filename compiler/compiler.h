/* compiler.h — checked AST to what the backend compiles; the interface of this folder. The driver calls these in order
 * and stops after the one that left errors in the session; each has one input and one output, printable as text. */
#ifndef PML_COMPILER_H
#define PML_COMPILER_H

#include "lang.h"
#include "program.h"

/* UNCALLED: functions of the main file that the elaborations before have not met, to be checked only. */
enum elaborate_what { ELABORATE_MAIN, ELABORATE_TESTS, ELABORATE_UNCALLED };

/* elaborate/: checked AST to logical graphs and host code; gradients are derived on the way, where the source asks for
 * them. Never NULL; usable only if session->errors is 0. */
struct program *compiler_elaborate(struct program_ast *ast, enum elaborate_what what);

/* layout/: whether layouts are legal, before anything is simplified. The program stays as it is. */
void compiler_check_layouts(struct program *p);

/* simplify/: on every region, before layouts are solved and once more after. */
void compiler_simplify(struct program *p);

/* layout/: infers layouts that are left out, places backward communication; graphs become GRAPH_LAID_OUT. */
void compiler_layout(struct program *p);

/* hoist/: what a loop of the host would compute alike in every turn, though main says it in front of the loop, and what one
 * region after the other would compute alike, is computed once and kept in a slot. */
void compiler_hoist(struct program *p);

/* unfinished/: laid-out graphs in which nothing is computed from parts that would come out otherwise from whole values,
 * infinities and signs of 0 included; with --reproducible, no bit depends on ranks and layouts. */
void compiler_unfinished(struct program *p);

/* pipeline/: the nodes of laid-out graphs in the order of their micro-batches. */
void compiler_pipeline(struct program *p);

/* roles/, plan/, kernel/: roles, transfers, kernels, schedules, memory. */
void compiler_plan(struct program *p);

/* What `pmlc plan` prints, as text or JSON: every transfer with bytes and source line, memory per rank by class, FLOPs.
 */
void compiler_print_plan(struct program *p, struct text *t, bool json);

/* `--print=ops` and `--print=layout-rules[=op]`, from the prelude's declarations. */
void compiler_print_ops(struct program_ast *ast, struct text *t);
void compiler_print_layout_rules(struct program_ast *ast, const char *op, struct text *t);

#endif
