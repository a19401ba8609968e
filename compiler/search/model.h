/* model.h — the layouts of a program as a problem of choice (solve/problem.h): what search.c solves.
 *
 * A variable is an open layout of the program, a node whose inferred signature depends on several variables, or a node
 * that the layout stage decides (gradients). A value of the program has a layout for every value of one variable
 * (struct model_value): what follows from a variable alone needs none of its own, so a long chain of maps is one
 * variable, with the sum of what its nodes take. Costs are picoseconds on the machine, of a node under its signature
 * and of a value that is moved; what inference would refuse is forbidden.
 *
 *   param w : auto; x:S(0) @ w        a variable w: S(0) forbidden, B and S(1) at the product's time
 *   to auto                           a variable; an edge to what is moved with the time of each transfer
 *
 * The program counts twice: as it is written, with what nobody reads, for what is legal, and simplified for what it
 * takes.
 *
 * The time of a step is the sum: nothing overlaps, and nothing is fused. Memory is what is held at the end of the
 * forward pass: slots, gradients, and what the backward pass reads, of loops in all turns; on placements with a part of
 * all ranks their part of it, as if every part had as much. */
#ifndef PML_SEARCH_MODEL_H
#define PML_SEARCH_MODEL_H

#include "../layout/choice.h"
#include "../layout/convert.h"
#include "../program.h"
#include "../seconds/transfer.h"
#include "../solve/solver.h"

struct model_value {
	const struct place *place;
	int var;               /* -1: one layout for certain */
	int n;                 /* layouts: values of the variable, else 1 */
	struct layout *layout; /* by value */
	bool is_free;          /* of data and constants: had in any layout for nothing */
};

struct model_var {
	int n;
	int64_t *cost, *usage; /* by value: ps, bytes */
};

struct model_edge {
	int var[2];
	const int64_t *cost; /* var[1]'s values fastest; edges may share it */
};

/* A `to` whose layout is open. */
struct model_move {
	int open; /* into program.open */
	struct model_value from, to;
};

struct model {
	struct arena *arena;
	const struct program *program;
	const struct machine *machine;
	struct transfer_times *transfers;
	VEC(struct model_var) vars;
	VEC(struct model_edge) edges;
	VEC(struct model_move) moves;
	int64_t cost, usage;           /* of what is certain */
	struct model_value *open;      /* by program.open; without layouts if it is not searched */
	struct model_value *slots;     /* by slot; without layouts until it is met */
	struct memo choices;           /* of maps by operands' layouts */
	struct memo lists, tables;     /* of choices and layouts, each once; of edges: of layers that are alike */
	struct memo shares;            /* of choices, each list once */
	struct map kinds;              /* by list of layouts: which of them are equal */
	int64_t weight;                /* of what is being added: ps of cost for a ns; 0: only what is legal */
	const struct node *impossible; /* whatever is chosen, its inputs do not fit; NULL */
	const char *refused;           /* why the program has no model; NULL */
};

/* A region that is part of a step counts as often as it runs in one, any other a thousandth. */
enum { MODEL_STEP = 1000 };

struct model *model_new(struct arena *a, const struct program *p, const struct machine *m);
/* Without regions: nothing is open. */
struct model *model_of_machine(struct arena *a, const struct program *p, const struct machine *m,
			       struct transfer_times *transfers);
/* All of it as a problem for ../solve/. */
struct problem model_problem(const struct model *m, struct arena *a);
/* For one solution, of which models need milliseconds: in effort, so that every machine finds the same plan. */
#define MODEL_LIMIT ((struct solve_limit){.seconds = 600, .effort = 4 * SOLVE_EFFORT})
/* Within a memory, which is harder: many such problems are solved one after the other, and what a plan takes is not
 * what the model says, so a proof is worth less. */
#define MODEL_LIMIT_WITHIN ((struct solve_limit){.seconds = 600, .effort = SOLVE_EFFORT / 2})

/* ---- what the files of the model share ---- */

int model_variable(struct model *m, int n);
/* Adds ns, weighed, to a variable's value (var -1: to what is certain). */
void model_add_time(struct model *m, int var, int value, double ns);
void model_forbid(struct model *m, int var, int value, const struct node *at);
/* A list (of layouts or choices) that lives as long as the model, the same one for equal lists. */
void *model_list(struct model *m, const void *list, size_t size);
/* So many tensors of that shape. */
void model_add_usage(struct model *m, const struct model_value *v, enum dtype t, const struct shape *s, int64_t times);
/* One layout; one that may have open atoms. */
struct model_value model_fixed(struct model *m, const struct place *p, const struct layout *l);
struct model_value model_given(struct model *m, const struct place *p, const struct layout *l);

/* What it costs, weighed, to have x, made in a, as b; COST_FORBIDDEN: it must not be. */
typedef int64_t model_price(struct model *m, const struct node *x, const struct place *from, const struct layout *a,
			    const struct place *to, const struct layout *b);
/* x is made as `from` says and had as `to` says. */
void model_pay(struct model *m, const struct node *x, const struct model_value *from, const struct model_value *to,
	       model_price *price);
/* The same of rows that the reader of x adds up, each where its index says: `owning` has, by what `to` says, the axes
 * that share the sums out (owners_axes). What is split along these may return to its owners instead of being made
 * whole. */
void model_pay_rows(struct model *m, const struct node *x, const struct model_value *from, const struct model_value *to,
		    const uint32_t *owning);
model_price model_price_move;  /* a transfer, written or placed by the compiler */
model_price model_price_free;  /* only what moves no byte */
model_price model_price_equal; /* nothing */

/* What a map takes under a choice on the slowest of the program's processors, ns. */
double model_time(struct model *m, const struct node *n, const struct choice *c);
/* On one rank. */
double model_time_whole(const struct model *m, const struct node *n);

/* ns of a laid-out graph, which becomes what is compiled, in all its turns: what moves and what maps take, one after
 * the other. */
double model_time_made(struct model *m, struct graph *g);

/* Adds a placed graph; with a weight of 0 what its own nodes demand, and nothing of what it takes. */
void model_add_graph(struct model *m, const struct graph *g, int64_t weight);

#endif
