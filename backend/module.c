/* module.c — verification, the pass pipeline, and code generation.
 * Vectors of kernels are explicit, so the vectorisers stay off and few passes are left: memory to registers, common
 * subexpressions, loop invariants, dead code. They take a fraction of the time of LLVM's O2 for code of the same speed.
 * Turns that are code get LLVM's vectors where no turn needs the one before: floats keep their order and their bits.
 */
#include "module.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <string.h>

/* By optimisation level. */
static const char *const pipeline[] = {
	"function(sroa)",
	"function(sroa,early-cse)",
	"function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm),early-cse<memssa>,"
	"adce),globaldce",
	"default<O2>",
};

/* Behind that of level 2, where turns are counted by the module itself (native_loop.h): what is known of their numbers
 * decides conditions on the indices computed from them, the first time and, where one was on the way, the second. What
 * a turn reads that the one before has written, x[i - 1], stays in a register; arms that one condition decides are
 * joined. */
static const char counted[] =
	"function(loop(indvars),correlated-propagation,instcombine<no-verify-fixpoint>,simplifycfg,loop(indvars),"
	"correlated-propagation,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm),early-cse<memssa>,"
	"loop-simplify,lcssa,loop-load-elim,jump-threading,loop-simplify,lcssa,loop-rotate,loop-vectorize,"
	"instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm),adce)";

static void verify(struct emitter *e)
{
	char *message = NULL;
	if (LLVMVerifyModule(e->module, LLVMReturnStatusAction, &message)) {
		const char *copy = arena_strdup(e->arena, message);
		BUG_IF(true, "generated code is malformed: %s", copy);
	}
	LLVMDisposeMessage(message);
}

struct module_passes module_passes(const struct emitter *e)
{
	int level = e->session->options.opt_level, last = sizeof pipeline / sizeof *pipeline - 1;
	level = level < 0 ? 0 : level > last ? last : level;
	return (struct module_passes){{pipeline[level], level == 2 && e->counts_turns ? counted : NULL}};
}

void module_optimise(struct emitter *e)
{
	const struct module_passes passes = module_passes(e);
	verify(e);
	LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
	LLVMPassBuilderOptionsSetLoopVectorization(options, 0);
	LLVMPassBuilderOptionsSetSLPVectorization(options, 0);
	LLVMPassBuilderOptionsSetLoopUnrolling(options, 0);
	LLVMErrorRef error = NULL;
	for (int i = 0; i < MODULE_PASSES && passes.text[i] && !error; i++)
		error = LLVMRunPasses(e->module, passes.text[i], e->target->machine, options);
	LLVMDisposePassBuilderOptions(options);
	if (error) {
		char *message = LLVMGetErrorMessage(error);
		BUG_IF(true, "LLVM's passes failed: %s", message);
	}
}

LLVMMemoryBufferRef module_code(struct emitter *e, LLVMCodeGenFileType kind)
{
	LLVMMemoryBufferRef buffer = NULL;
	char *message = NULL;
	bool failed = LLVMTargetMachineEmitToMemoryBuffer(e->target->machine, e->module, kind, &message, &buffer);
	BUG_IF(failed, "no machine code: %s", message ? message : "unknown reason");
	return buffer;
}

/* As the ELF standard has it: three numbers, the owner's name and the text, both filled up to words. */
void module_mark(struct emitter *e, const char *text)
{
	static const char owner[4] = "PML";
	unsigned n = (unsigned)strlen(text) + 1, padded = (n + 3) / 4 * 4;
	char *bytes = arena_alloc(e->arena, padded);
	memcpy(bytes, text, n);
	LLVMValueRef members[] = {
		LLVMConstInt(e->i32, sizeof owner, 0),
		LLVMConstInt(e->i32, padded, 0),
		LLVMConstInt(e->i32, 1, 0),
		LLVMConstStringInContext(e->context, owner, sizeof owner, 1),
		LLVMConstStringInContext(e->context, bytes, padded, 1),
	};
	LLVMValueRef note = LLVMConstStructInContext(e->context, members, 5, 1);
	LLVMValueRef g = emit_constant(e, note, "mark", 4);
	LLVMSetSection(g, ".note.pml");
	LLVMValueRef used = LLVMAddGlobal(e->module, LLVMArrayType(e->ptr, 1), "llvm.used");
	LLVMSetInitializer(used, LLVMConstArray(e->ptr, &g, 1));
	LLVMSetLinkage(used, LLVMAppendingLinkage);
	LLVMSetSection(used, "llvm.metadata");
}

void module_print(struct emitter *e, struct text *out)
{
	char *text = LLVMPrintModuleToString(e->module);
	text_add(out, text);
	LLVMDisposeMessage(text);
}
