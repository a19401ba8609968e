/* jit.c — one kernel compiled into this process, by the same path as into a file: object code in memory, linked by
 * LLVM. For tests and benchmarks; produced programs never compile. */
#include "backend.h"

#include "kernel_function.h"
#include "module.h"

#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>

struct backend_jit {
	LLVMOrcLLJITRef jit;
};

static const char *text_of_error(struct session *s, LLVMErrorRef e)
{
	char *message = LLVMGetErrorMessage(e);
	const char *copy = arena_strdup(s->arena, message);
	LLVMDisposeErrorMessage(message);
	return copy;
}

static LLVMErrorRef link_object(struct backend_jit *j, LLVMMemoryBufferRef object, void **address)
{
	LLVMOrcJITDylibRef library = LLVMOrcLLJITGetMainJITDylib(j->jit);
	LLVMOrcDefinitionGeneratorRef process;
	LLVMErrorRef e = LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
		&process, LLVMOrcLLJITGetGlobalPrefix(j->jit), NULL, NULL);
	if (e)
		return e;
	LLVMOrcJITDylibAddGenerator(library, process);
	e = LLVMOrcLLJITAddObjectFile(j->jit, library, object);
	if (e)
		return e;
	LLVMOrcExecutorAddress at = 0;
	e = LLVMOrcLLJITLookup(j->jit, &at, "call");
	*address = (void *)(uintptr_t)at;
	return e;
}

static LLVMMemoryBufferRef compile_kernel(struct session *s, struct arena *a, const struct kernel *k, bool streams,
					  const char **error)
{
	struct target *t = target_new(s, s->options.opt_level, error);
	if (!t)
		return NULL;
	struct emitter *e = emitter_new(s, a, t, "kernel");
	e->least_work = 0;
	e->least_stream = streams ? 0 : e->least_stream;
	kernel_wrapper(e, k, "call");
	module_optimise(e);
	LLVMMemoryBufferRef object = module_code(e, LLVMObjectFile);
	emitter_free(e);
	target_free(t);
	return object;
}

struct backend_jit *backend_jit_kernel(struct session *s, const struct kernel *k, bool streams, void **address,
				       const char **error)
{
	struct arena *a = arena_new("jit");
	LLVMMemoryBufferRef object = compile_kernel(s, a, k, streams, error);
	arena_free(a);
	if (!object)
		return NULL;
	struct backend_jit *j = ARENA_NEW(s->arena, struct backend_jit);
	LLVMErrorRef failed = LLVMOrcCreateLLJIT(&j->jit, NULL);
	if (!failed)
		failed = link_object(j, object, address);
	if (!failed)
		return j;
	*error = text_of_error(s, failed);
	backend_jit_free(j);
	return NULL;
}

void backend_jit_free(struct backend_jit *j)
{
	if (!j->jit)
		return;
	LLVMErrorRef failed = LLVMOrcDisposeLLJIT(j->jit);
	if (failed)
		LLVMConsumeError(failed);
	j->jit = NULL;
}
