/* program_emit.h — one role's module: region functions, host functions, tables. */
#ifndef PML_BACKEND_PROGRAM_EMIT_H
#define PML_BACKEND_PROGRAM_EMIT_H

#include "abi.h"
#include "backend.h"
#include "emit.h"

#include "../compiler/seconds/work.h"
#include "../runtime/pmlrt.h"

/* Functions of steps (step.h). */
struct step_forms {
	struct map numbers; /* key of a form -> its number + 1 */
	VEC(LLVMValueRef) list;
	LLVMValueRef table; /* what stands for the array of them until all are known */
};

/* Everything below is emitted for one role of one program. */
struct program_emitter {
	struct emitter *e;
	struct program *program;
	int role;
	LLVMValueRef *region; /* by region: its function, NULL until made */
	struct step_forms forms;
	struct works works;
	VEC(struct pmlrt_work) work_rows; /* what its steps do, each kind once */
	struct map work_numbers;          /* text -> its number + 1 */
};

struct program_emitter *program_emitter_new(struct emitter *e, struct program *p, int role);

/* The type of a host value; HOST_VOID is void. */
LLVMTypeRef host_llvm_type(const struct emitter *e, enum host_type t);
/* The element type of a host value in a cell: host_dtype, and of addresses i64. */
enum dtype cell_dtype(enum host_type t);

/* region.c: void (rt, given); made at first use. `given` are cells of 8 bytes: the arguments, then the addresses of the
 * results. */
LLVMValueRef region_function(struct program_emitter *p, int region);
LLVMTypeRef region_type(const struct emitter *e);
LLVMValueRef region_cell(struct emitter *e, LLVMValueRef given, int i);
/* Where the buffers of a plan are when the region begins, as the runtime's `addresses` takes it. */
LLVMValueRef region_places(struct program_emitter *p, const struct plan *plan);

/* host.c: void (rt) with the given symbol. */
LLVMValueRef host_function_emit(struct program_emitter *p, const struct host_function *f, const char *symbol);

/* Statements of a function's body that set n variables behind each other to what is alike but for `number`. */
struct host_run {
	const struct host_stmt *first;
	int n;
	const struct host_expr *number; /* in that of the first */
	LLVMValueRef at;                /* the variables: i64 each */
};

/* host_call.c: the pieces of expressions. */
struct host_emitter {
	struct program_emitter *p;
	struct emitter *e;
	const struct host_function *function;
	LLVMValueRef rt, *variable; /* stack slots; NULL: in a run */
	VEC(struct host_run) runs;
	const struct host_expr *number; /* of the run that is emitted, and its value; NULL: none is */
	LLVMValueRef number_now;
	LLVMBasicBlockRef after, done;      /* of the innermost loop: what follows a turn, what follows all */
	const struct host_natives *natives; /* of a loop whose regions are code of the turns; NULL: regions are run */
	bool is_walked;                     /* a loop that could be so, and here is not */
};
LLVMValueRef host_expression(struct host_emitter *h, const struct host_expr *x);
LLVMValueRef emit_host_apply(struct host_emitter *h, const struct host_expr *x);
/* Where a variable is. */
LLVMValueRef host_variable(struct host_emitter *h, int var);
/* host_run.c: finds the runs of the body, and makes room for their variables, which are 0. */
void host_find_runs(struct host_emitter *h);
/* The run that sets the variable; NULL: none does. */
const struct host_run *host_run_at(const struct host_emitter *h, int var);
LLVMValueRef host_run_element(struct host_emitter *h, const struct host_run *r, LLVMValueRef i);
/* All of its statements; what follows them. */
const struct host_stmt *host_emit_run(struct host_emitter *h, const struct host_run *r);
/* Ends the job with a message unless ok. */
void host_check(struct host_emitter *h, LLVMValueRef ok, const char *message, const struct host_expr *at);

/* tables.c: the constant pmlrt_program, and main. Last, since code adds sites. */
void tables_emit(struct program_emitter *p, const char *version, LLVMValueRef init, LLVMValueRef entry,
		 LLVMValueRef *tests);

/* A whole role. */
void program_emit(struct program_emitter *p, const char *version);

#endif
