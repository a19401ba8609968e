/* test_backend_program.c — a small program made by hand, compiled, linked with the runtime and run under mpiexec on one
 * and two ranks, and one of two roles with its starter and launch file. BUILD_DIR (by default
 * the current folder) has libpmlrt.a and libpmlstart.a; PML_TEST_LINK: what the runtime needs, separated by blanks. */
#define _POSIX_C_SOURCE 200809L
#include "backend/backend.h"
#include "backend/tables.h"
#include "suite.h"

#include <llvm-c/Target.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *environment(const char *name, const char *otherwise)
{
	const char *value = getenv(name);
	return value && *value ? value : otherwise;
}

static struct kernel *read_kernel(struct arena *a, const char *text)
{
	const char *error = NULL;
	struct kernel *k = kernel_read(a, text, &error);
	ck_assert_msg(k != NULL, "%s", error);
	return k;
}

static struct host_expr *expression(struct arena *a, struct host_expr e)
{
	struct host_expr *x = ARENA_NEW(a, struct host_expr);
	*x = e;
	return x;
}

static struct host_expr *float_const(struct arena *a, double v)
{
	return expression(a, (struct host_expr){.kind = HOST_CONST, .type = HOST_FLOAT, .f = v});
}

static struct host_expr *text_const(struct arena *a, const char *text)
{
	struct host_expr *x = ARENA_NEW(a, struct host_expr);
	x->kind = HOST_CONST;
	x->type = HOST_TEXT;
	x->text = text;
	return x;
}

static struct host_expr *int_const(struct arena *a, int64_t v)
{
	return expression(a, (struct host_expr){.kind = HOST_CONST, .type = HOST_INT, .i = v});
}

static struct host_expr *variable(struct arena *a, int v, enum host_type t)
{
	return expression(a, (struct host_expr){.kind = HOST_VAR, .type = t, .index = v});
}

static struct host_expr *apply(struct arena *a, enum host_op op, enum host_type t, struct host_expr *x,
			       struct host_expr *y)
{
	return expression(
		a, (struct host_expr){.kind = HOST_APPLY, .type = t, .op = op, .nargs = y ? 2 : 1, .arg = {x, y}});
}

static struct host_stmt *call(struct arena *a, const char *function, struct host_expr *argument)
{
	struct host_stmt *s = ARENA_NEW(a, struct host_stmt);
	s->kind = HOST_EVAL;
	s->expr = expression(a, (struct host_expr){.kind = HOST_CALL,
						   .type = HOST_VOID,
						   .function = function,
						   .nargs = argument != NULL,
						   .arg = {argument}});
	return s;
}

static struct host_stmt *set(struct arena *a, int var, struct host_expr *e)
{
	struct host_stmt *s = ARENA_NEW(a, struct host_stmt);
	*s = (struct host_stmt){.kind = HOST_SET, .var = var, .expr = e};
	return s;
}

static struct host_stmt *chain(struct host_stmt **all, int n)
{
	for (int i = 0; i + 1 < n; i++)
		all[i]->next = all[i + 1];
	return all[0];
}

/* arena: 0: parts f32[4], 64: sums f32[4], 128: total f32[1].
 * parts = i + x + origin; sums = all-reduce of parts; total = sum of sums. */
static struct plan *make_plan(struct arena *a)
{
	struct plan *p = ARENA_NEW(a, struct plan);
	static const int64_t elements[] = {4, 4, 1};
	for (int i = 0; i < 3; i++)
		vec_push(a, &p->buffers,
			 ((struct buffer){
				 .kind = BUFFER_ARENA, .type = DT_F32, .elements = elements[i], .offset = 64 * i}));
	struct plan_step fill = {.kind = STEP_KERNEL, .name = "fill"}, total = {.kind = STEP_KERNEL, .name = "total"};
	fill.kernel = read_kernel(a, "kernel \"fill\"(out b0: f32[4], scalar %0: f32, scalar %1: i64) flops 0 {\n"
				     " vloop i0 4 { %2 = index 1*i0 + 1*%1 %3 = cast f32 %2 %4 = + f32 %3, %0\n"
				     "   store b0[1*i0] %4 } }");
	vec_push(a, &fill.buffers, 0);
	vec_push(a, &fill.scalars, ((struct plan_scalar){.kind = OPERAND_ARGUMENT, .type = DT_F32, .argument = 0}));
	vec_push(a, &fill.scalars,
		 ((struct plan_scalar){.kind = OPERAND_ORIGIN, .type = DT_I64, .origin = {.type = 2, .dim = 0}}));
	total.kernel = read_kernel(a, "kernel \"total\"(in b0: f32[4], out b1: f32[1]) flops 0 {\n"
				      " vloop i0 4 reduce(%0: f32 = sum) { %1 = load f32 b0[1*i0] %0 <- %1 }\n"
				      " store b1[0] %0 }");
	vec_push(a, &total.buffers, 1);
	vec_push(a, &total.buffers, 2);
	struct plan_step result = {.kind = STEP_RESULT, .result = 0};
	vec_push(a, &result.scalars, ((struct plan_scalar){.kind = OPERAND_ELEMENT, .type = DT_F32, .argument = 2}));
	vec_push(a, &p->steps, fill);
	vec_push(a, &p->steps, ((struct plan_step){.kind = STEP_TRANSFER_BEGIN, .transfer = 0, .src = 0, .dst = 1}));
	vec_push(a, &p->steps, ((struct plan_step){.kind = STEP_TRANSFER_END, .transfer = 0, .src = 0, .dst = 1}));
	vec_push(a, &p->steps, total);
	vec_push(a, &p->steps, result);
	p->arena_bytes = 192;
	return p;
}

/* x = 0; i = 0; while i < 3 { r = region(float(i)); x = x + r; i = i + 1 }  print x 7 // 2 2 ** 10. */
static struct host_function *make_main(struct arena *a)
{
	enum { X, I, R };
	struct host_function *f = ARENA_NEW(a, struct host_function);
	f->name = "main";
	vec_push(a, &f->vars, ((struct host_var){.name = "x", .type = HOST_FLOAT}));
	vec_push(a, &f->vars, ((struct host_var){.name = "i", .type = HOST_INT}));
	vec_push(a, &f->vars, ((struct host_var){.name = "r", .type = HOST_FLOAT}));
	struct host_stmt *region = ARENA_NEW(a, struct host_stmt), *loop = ARENA_NEW(a, struct host_stmt);
	region->kind = HOST_REGION;
	vec_push(a, &region->args, apply(a, HOST_FLOAT_OF_INT_OP, HOST_FLOAT, variable(a, I, HOST_INT), NULL));
	vec_push(a, &region->results, R);
	loop->kind = HOST_WHILE;
	loop->expr = apply(a, HOST_AND_OP, HOST_BOOL,
			   apply(a, HOST_LT_OP, HOST_BOOL, variable(a, I, HOST_INT), int_const(a, 3)),
			   apply(a, HOST_GE_OP, HOST_BOOL, variable(a, X, HOST_FLOAT), float_const(a, 0)));
	struct host_stmt *turn[] = {
		region,
		set(a, X, apply(a, HOST_ADD_OP, HOST_FLOAT, variable(a, X, HOST_FLOAT), variable(a, R, HOST_FLOAT))),
		set(a, I, apply(a, HOST_ADD_OP, HOST_INT, variable(a, I, HOST_INT), int_const(a, 1))),
	};
	loop->body = chain(turn, 3);
	struct host_stmt *all[] = {
		loop,
		call(a, "print_float", variable(a, X, HOST_FLOAT)),
		call(a, "print_int", apply(a, HOST_FLOOR_DIV_OP, HOST_INT, int_const(a, 7), int_const(a, 2))),
		call(a, "print_int", apply(a, HOST_LEFT_SHIFT_OP, HOST_INT, int_const(a, 2), int_const(a, 9))),
		call(a, "print_end", text_const(a, "\n")),
	};
	f->body = chain(all, 5);
	return f;
}

/* Each role has its own, as if they were unlike. */
static void add_kernels(struct program *p, const struct plan *plan)
{
	for (int i = 0; i < plan->steps.n; i++) {
		struct kernel *k = (struct kernel *)plan->steps.at[i].kernel;
		if (k) {
			k->id = p->kernels.n;
			vec_push(p->session->arena, &p->kernels, k);
		}
	}
}

static struct program *make_program(struct session *s, int nranks, int nroles)
{
	struct arena *a = s->arena;
	struct program *p = program_new(s, "tiny", "tiny.pml");
	struct place *world = ARENA_NEW(a, struct place);
	p->nranks = nranks;
	p->fingerprint = 42;
	*world = (struct place){.name = "world", .naxes = 1, .axis = {""}, .extent = {nranks}, .count = nranks};
	vec_push(a, &p->places, world);
	struct placed_type t = {.dtype = DT_F32, .shape = {.rank = 1, .dim = {4}}, .place = world};
	t.layout.atom[0] = (struct shard_atom){.kind = SHARD_P, .combiner = SHARD_SUM};
	vec_push(a, &p->types, t);
	t.layout.atom[0] = (struct shard_atom){.kind = SHARD_B};
	vec_push(a, &p->types, t);
	t.layout.atom[0] = (struct shard_atom){.kind = SHARD_S, .dim = 0};
	t.shape.dim[0] = 5;
	vec_push(a, &p->types, t);
	vec_push(a, &p->transfers,
		 ((struct transfer){.src = 0,
				    .dst = 1,
				    .bucket = -1,
				    .redist = {.method = REDIST_ALL_REDUCE,
					       .bytes_total = nranks > 1 ? 2 * (nranks - 1) * 16 : 0}}));
	struct region *r = ARENA_NEW(a, struct region);
	r->name = "main:1";
	vec_push(a, &r->arguments, HOST_FLOAT);
	vec_push(a, &r->results, HOST_FLOAT);
	vec_push(a, &p->regions, r);
	for (int i = 0; i < nroles; i++) {
		struct role *role = ARENA_NEW(a, struct role);
		role->name = nroles == 1 ? "" : i ? "right" : "left";
		for (int32_t rank = 0; rank < nranks; rank++)
			if (rank % nroles == i)
				vec_push(a, &role->ranks, rank);
		role->plans = ARENA_ARRAY(a, struct plan *, 1);
		role->plans[0] = make_plan(a);
		add_kernels(p, role->plans[0]);
		role->arena_bytes = 192;
		role->holes = ARENA_ARRAY(a, struct transfer_hole, p->transfers.n);
		role->spare = ARENA_ARRAY(a, int64_t, p->slots.n);
		vec_push(a, &p->roles, role);
	}
	p->main = make_main(a);
	return p;
}

static struct backend_options make_options(struct arena *a, const char *output)
{
	static const char *const linker[] = {"cc", NULL};
	VEC(const char *) flags = {0};
	char *text = arena_strdup(a, environment("PML_TEST_LINK", "-lmpich -lz -ljansson -lpthread -lm"));
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
		vec_push(a, &flags, word);
	vec_push(a, &flags, NULL);
	return (struct backend_options){
		.emit = EMIT_EXECUTABLE,
		.output = output,
		.runtime_lib = arena_printf(a, "%s/libpmlrt.a", environment("BUILD_DIR", ".")),
		.starter = arena_printf(a, "%s/libpmlstart.a", environment("BUILD_DIR", ".")),
		.link_flags = flags.at,
		.linker = linker,
		.version = "test",
	};
}

static const char *output_of(struct arena *a, const char *command)
{
	struct text t;
	char line[256];
	text_init(&t, a);
	FILE *f = popen(command, "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof line, f))
		text_add(&t, line);
	int status = pclose(f);
	ck_assert_msg(status == 0, "%s: status %d\n%s", command, status, text_get(&t));
	return text_get(&t);
}

static void compile_to(struct session *s, struct program *p, const char *output)
{
	struct backend_options o = make_options(s->arena, output);
	struct backend_times times = {0};
	bool good = backend_compile(p, &o, &times);
	if (!good)
		diag_flush(s, stderr);
	ck_assert(good);
	ck_assert(times.codegen > 0 && times.link > 0);
}

/* Rank r has origin 0 or 3 of 5 = 3 + 2: parts i + x + origin. Each turn adds up 4 x + 6 + 4 origin over the ranks. */
static void run(int nranks, int nroles, const char *expected)
{
	struct session *s = session_new();
	char folder[] = "/tmp/pml-test-XXXXXX";
	ck_assert_ptr_nonnull(mkdtemp(folder));
	const char *output = arena_printf(s->arena, "%s/tiny", folder);
	s->options.opt_level = 2;
	compile_to(s, make_program(s, nranks, nroles), output);
	const char *said = output_of(s->arena, arena_printf(s->arena, "mpiexec -n %d %s --quiet 2>&1", nranks, output));
	ck_assert_msg(strstr(said, expected) != NULL, "said: %s", said);
	if (nroles > 1) {
		said = output_of(s->arena, arena_printf(s->arena, "cat %s.mpi", output));
		ck_assert_str_eq(said, arena_printf(s->arena,
						    "# made by pmlc: part `mpi` of `tiny`\n"
						    "-n 1 %s.left\n-n 1 %s.right\n",
						    output, output));
		said = output_of(s->arena, arena_printf(s->arena, "mpiexec -configfile %s.mpi 2>&1", output));
		ck_assert_msg(strstr(said, expected) != NULL, "said: %s", said);
	}
	output_of(s->arena, arena_printf(s->arena, "rm -r %s", folder));
	session_free(s);
}

START_TEST(a_program_runs_on_one_rank)
{
	run(1, 1, "30 3 1024");
}
END_TEST

START_TEST(a_program_runs_on_two_ranks)
{
	run(2, 1, "96 3 1024");
}
END_TEST

START_TEST(two_roles_are_two_executables_and_a_starter)
{
	run(2, 2, "96 3 1024");
}
END_TEST

START_TEST(a_missing_library_is_an_error_with_the_linkers_words)
{
	struct session *s = session_new();
	struct program *p = make_program(s, 1, 1);
	struct backend_options o = make_options(s->arena, "/tmp/pml-test-never");
	o.link_flags = (const char *const[]){"-lno-such-library", NULL};
	ck_assert(!backend_compile(p, &o, NULL));
	ck_assert_int_eq(s->errors, 1);
	ck_assert_int_eq(s->diags.at[0]->code, PML0801);
	ck_assert_ptr_nonnull(strstr(s->diags.at[0]->notes.at[0], "no-such-library"));
	session_free(s);
}
END_TEST

START_TEST(a_folder_that_is_not_there_is_an_error)
{
	struct session *s = session_new();
	struct program *p = make_program(s, 1, 1);
	struct backend_options o = make_options(s->arena, "/no/such/folder/a.o");
	o.emit = EMIT_OBJECT;
	ck_assert(!backend_compile(p, &o, NULL));
	ck_assert_int_eq(s->diags.at[0]->code, PML0802);
	session_free(s);
}
END_TEST

START_TEST(the_module_prints_as_text)
{
	struct session *s = session_new();
	struct text t;
	struct backend_options o = {.emit = EMIT_LLVM_IR};
	text_init(&t, s->arena);
	ck_assert(backend_print(make_program(s, 2, 1), &o, &t));
	ck_assert_ptr_nonnull(strstr(text_get(&t), "@kernel.fill"));
	ck_assert_ptr_nonnull(strstr(text_get(&t), "@pmlrt_transfer_begin"));
	o.emit = EMIT_ASSEMBLY;
	ck_assert(backend_print(make_program(s, 2, 1), &o, &t));
	ck_assert_ptr_nonnull(strstr(text_get(&t), "main:"));
	session_free(s);
}
END_TEST

static size_t alignment(const struct table_field *f)
{
	size_t most = 1;
	if (f->kind != TABLE_BYTE || !f->element)
		return table_field_size(f);
	for (int i = 0; i < f->element->nfields; i++)
		most = alignment(&f->element->fields[i]) > most ? alignment(&f->element->fields[i]) : most;
	return most;
}

/* The rows of a struct are all of its members, as C lays them out. */
START_TEST(tables_have_the_layout_of_the_c_structs)
{
	static const struct table_struct *const all[] = {
		&table_program,  &table_config, &table_place, &table_type,    &table_atom, &table_site,
		&table_transfer, &table_slot,   &table_test,  &table_starter, &table_run,  &table_stored,
		&table_piece,    &table_text,   &table_names, &table_part,    &table_feed, &table_region};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		size_t end = 0, most = 1;
		for (int k = 0; k < all[i]->nfields; k++) {
			const struct table_field *f = &all[i]->fields[k];
			size_t size = table_field_size(f), align = alignment(f);
			end = (end + align - 1) / align * align;
			most = align > most ? align : most;
			ck_assert_msg(f->offset == end, "struct %s, member %s", all[i]->name, f->name);
			end += size * (size_t)f->count;
		}
		ck_assert_msg((end + most - 1) / most * most == all[i]->size, "struct %s: %zu bytes, not %zu",
			      all[i]->name, end, all[i]->size);
	}
}
END_TEST

START_TEST(debug_information_names_source_lines)
{
	struct session *s = session_new();
	struct text t;
	struct backend_options o = {.emit = EMIT_LLVM_IR, .version = "test"};
	static const char source[] = "main {\n let x = 1;\n x + x;\n}\n";
	uint32_t file = session_add_source(s, "tiny.pml", source, strlen(source));
	struct program *p = make_program(s, 2, 1);
	p->regions.at[0]->span = (struct span){file, 0, 4};
	p->roles.at[0]->plans[0]->steps.at[3].span = (struct span){file, 22, 27};
	s->options.debug_info = true;
	s->options.opt_level = 2;
	text_init(&t, s->arena);
	ck_assert(backend_print(p, &o, &t));
	ck_assert_ptr_nonnull(strstr(text_get(&t), "DISubprogram(name: \"main:1\""));
	ck_assert_ptr_nonnull(strstr(text_get(&t), "DISubprogram(name: \"total\""));
	ck_assert_ptr_nonnull(strstr(text_get(&t), "DILocation(line: 3"));
	ck_assert_ptr_nonnull(strstr(text_get(&t), "filename: \"tiny.pml\""));
	session_free(s);
}
END_TEST

START_TEST(an_unknown_processor_is_an_error)
{
	struct session *s = session_new();
	struct text t;
	struct backend_options o = {.emit = EMIT_LLVM_IR};
	text_init(&t, s->arena);
	s->options.target_cpu = "pentium-9";
	ck_assert(!backend_print(make_program(s, 2, 1), &o, &t));
	ck_assert_int_eq(s->diags.at[0]->code, PML0803);
	session_free(s);
}
END_TEST

START_TEST(bogus_features_are_left_out)
{
	struct arena *a = arena_new("test");
	static const char host[] = "+avx10.1-512,+sse4.2,-avx512f,+prfchw,+avx2,+rtm,+avx512bf16,+fma";
	ck_assert_str_eq(target_clean_features(a, host), "+sse4.2,+avx2,+fma,+avx512bf16");
	ck_assert_str_eq(target_level(host), "x86-64");
	ck_assert_str_eq(target_level("+cx16,+sahf,+popcnt,+sse3,+ssse3,+sse4.1,+sse4.2"), "x86-64-v2");
	arena_free(a);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *t = suite_begin(&suite, "backend program");
	tcase_add_test(t, tables_have_the_layout_of_the_c_structs);
	tcase_add_test(t, debug_information_names_source_lines);
	tcase_add_test(t, an_unknown_processor_is_an_error);
	tcase_add_test(t, bogus_features_are_left_out);
	tcase_add_test(t, the_module_prints_as_text);
	tcase_add_test(t, a_folder_that_is_not_there_is_an_error);
	tcase_add_test(t, a_missing_library_is_an_error_with_the_linkers_words);
	tcase_add_test(t, a_program_runs_on_one_rank);
	tcase_add_test(t, a_program_runs_on_two_ranks);
	tcase_add_test(t, two_roles_are_two_executables_and_a_starter);
	return suite_end(suite);
}
