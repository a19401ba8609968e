/* backend.h — planned program to executables. The only folder that includes llvm-c. */
#ifndef PML_BACKEND_H
#define PML_BACKEND_H

#include "cache.h"
#include "program.h"

enum emit { EMIT_EXECUTABLE, EMIT_OBJECT, EMIT_ASSEMBLY, EMIT_LLVM_IR };

/* The linker itself: its words before the objects, the libraries of the runtime as files, its words at the end. Each
 * NULL-terminated, found by configure (linker.sh). */
struct linker {
	const char *const *first, *const *libraries, *const *last;
};

struct backend_options {
	enum emit emit;
	const char *output;            /* path of the executable (or of the text/object for one role) */
	const char *runtime_lib;       /* path of libpmlrt.a */
	const char *starter;           /* path of the starter's object, for programs of several roles */
	const char *const *link_flags; /* NULL-terminated: what the runtime needs (-lmpich …), found by configure */
	const char *const *linker;   /* NULL-terminated: the system's compiler driver and its options; it links only */
	const struct linker *direct; /* NULL: not known. What the driver would call, tried first */
	const char *needs;           /* NULL, or a folder: what the runtime takes of shared libraries (needs.sh) */
	const char *version;
	bool debug_info; /* the runtime's is linked, too */
	bool keep_objects;
	struct object_cache cache; /* of executables and objects */
	const char *const *inputs; /* NULL-terminated, or NULL: files that must not be written */
};

/* What was spent, for --time: seconds, and how many objects were looked for in the cache. */
struct backend_times {
	double build, optimise, codegen, link;
	int objects, found; /* found: of the objects */
};

/* Compiles all roles and links. One role: `output`. Several: output.<role> each, the launch file output.mpi, and the
 * starter `output`, which reads its rank and becomes its role. All files appear together, and what an earlier
 * compilation of the same output left over is removed; after an error (in the session) nothing has changed, and false
 * is returned. */
bool backend_compile(struct program *p, const struct backend_options *o, struct backend_times *times);

/* The LLVM IR or assembly of all roles as text. */
bool backend_print(struct program *p, const struct backend_options *o, struct text *out);

/* For tests: compiles one kernel in memory, NULL with a message at *error. *address is that of a function
 * void (void *const *buffers, const union scalar_value *scalars): the parameters that are buffers, aligned to 64, and
 * those that are scalars, each in their order. streams: as if no cache could keep its results. The jit must be freed
 * after use. */
struct backend_jit;
struct backend_jit *backend_jit_kernel(struct session *s, const struct kernel *k, bool streams, void **address,
				       const char **error);
void backend_jit_free(struct backend_jit *j);

/* Elements of f32 in a vector of the session's target; 1 if there is no target. */
int backend_lanes(const struct session *s);

/* Whether the session's target multiplies matrices of bf16 faster than those of f32. */
bool backend_multiplies_bf16(const struct session *s);

/* "LLVM 19.1.7, target x86-64 with avx512f, 16 lanes of f32". */
void backend_describe(struct text *t, const struct session *s);

#endif
