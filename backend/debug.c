/* debug.c — DWARF through LLVM's builder: one compile unit, a file per source, a subprogram per function. */
#include "debug.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

enum { DWARF_VERSION = 4 };

static LLVMMetadataRef file_of(struct emitter *e, struct span at)
{
	const struct session *s = e->session;
	uint32_t n = at.file < (uint32_t)s->sources.n ? at.file : 0;
	void *known = map_get_u64(&e->debug_files, n + 1);
	if (known)
		return known;
	const char *path = s->sources.n ? s->sources.at[n].path : "";
	LLVMMetadataRef file = LLVMDIBuilderCreateFile(e->debug, path, strlen(path), ".", 1);
	map_set_u64(&e->debug_files, n + 1, file);
	return file;
}

static void module_flag(struct emitter *e, const char *key, int value)
{
	LLVMMetadataRef v = LLVMValueAsMetadata(emit_i32(e, value));
	LLVMAddModuleFlag(e->module, LLVMModuleFlagBehaviorWarning, key, strlen(key), v);
}

void debug_begin(struct emitter *e, const char *version)
{
	if (!e->session->options.debug_info)
		return;
	const char *producer = arena_printf(e->arena, "pmlc %s", version ? version : "");
	e->debug = LLVMCreateDIBuilder(e->module);
	map_init(&e->debug_files, e->arena);
	struct span first = {1, 0, 0};
	LLVMDIBuilderCreateCompileUnit(e->debug, LLVMDWARFSourceLanguageC99, file_of(e, first), producer,
				       strlen(producer), 1, "", 0, 0, "", 0, LLVMDWARFEmissionFull, 0, 0, 0, "", 0, "",
				       0);
	module_flag(e, "Debug Info Version", (int)LLVMDebugMetadataVersion());
	module_flag(e, "Dwarf Version", DWARF_VERSION);
}

static unsigned line_of(struct emitter *e, struct span at)
{
	if (!at.file || at.file >= (uint32_t)e->session->sources.n)
		return 0;
	return (unsigned)source_position(&e->session->sources.at[at.file], at.begin).line;
}

void debug_function(struct emitter *e, LLVMValueRef function, const char *name, struct span at)
{
	if (!e->debug)
		return;
	LLVMMetadataRef file = file_of(e, at), type = LLVMDIBuilderCreateSubroutineType(e->debug, file, NULL, 0, 0);
	e->debug_scope = LLVMDIBuilderCreateFunction(e->debug, file, name, strlen(name), name, strlen(name), file,
						     line_of(e, at), type, 1, 1, line_of(e, at), LLVMDIFlagZero, 1);
	LLVMSetSubprogram(function, e->debug_scope);
	LLVMMetadataRef location =
		LLVMDIBuilderCreateDebugLocation(e->context, line_of(e, at), 0, e->debug_scope, NULL);
	LLVMSetCurrentDebugLocation2(e->builder, location);
	e->debug_span = at;
}

void debug_line(struct emitter *e, struct span at)
{
	if (!e->debug || !at.file)
		return;
	LLVMMetadataRef location =
		LLVMDIBuilderCreateDebugLocation(e->context, line_of(e, at), 0, e->debug_scope, NULL);
	LLVMSetCurrentDebugLocation2(e->builder, location);
	e->debug_span = at;
}

void debug_end(struct emitter *e)
{
	if (!e->debug)
		return;
	LLVMDIBuilderFinalize(e->debug);
	LLVMDisposeDIBuilder(e->debug);
	e->debug = NULL;
}
