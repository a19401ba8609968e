/* test_seconds.c — what kernels do, counted from their text, and what that takes on a processor made for the purpose;
 * messages of transfers against the bytes that the compiler announces, each of them with another end; times of
 * transfers that are remembered against those that are found alone. */
#include "layout_fixture.h"
#include "suite.h"

#include "compiler/layout/choice.h"
#include "compiler/machine/machine.h"
#include "compiler/seconds/price.h"
#include "compiler/seconds/route.h"
#include "compiler/seconds/transfer.h"
#include "runtime/moves/room.h"

#include <math.h>

static struct kernel_work work_of(struct arena *a, const char *text, int vector_bytes)
{
	const char *error;
	const struct kernel *k = kernel_read(a, text, &error);
	ck_assert_msg(k != NULL, "%s", error);
	return kernel_work(k, vector_bytes, NULL);
}

START_TEST(vectors_count_as_full_ones)
{
	struct arena *a = arena_new("test");
	static const char text[] = "kernel \"rows\"(out b0: f32[5], in b1: f32[50]) flops 50 {\n"
				   "  loop i0 5 {\n"
				   "    vloop i1 10 reduce(%0: f32 = sum) {\n"
				   "      %1 = load f32 b1[10*i0 + 1*i1]\n"
				   "      %2 = exp f32 %1\n"
				   "      %0 <- %2\n"
				   "    }\n"
				   "    store b0[1*i0] %0\n"
				   "  }\n"
				   "}\n";
	struct kernel_work w = work_of(a, text, 32);
	/* 10 points are two vectors of 8: a load and a sum each, in 5 rows. */
	ck_assert_double_eq(w.vector[OPERATION_ARITHMETIC], 5 * 16 * 2);
	ck_assert_double_eq(w.vector[OPERATION_FUNCTION], 5 * 16);
	ck_assert_double_eq(w.single[OPERATION_ARITHMETIC], 5);
	ck_assert_double_eq(w.loops, 5);
	ck_assert_double_eq(w.bytes, 4 * (50 + 5));
	ck_assert_double_eq(work_of(a, text, 64).vector[OPERATION_FUNCTION], 5 * 16);
	ck_assert_double_eq(work_of(a, text, 8).vector[OPERATION_FUNCTION], 5 * 10);
	arena_free(a);
}
END_TEST

START_TEST(scattered_elements_are_gathered_and_turned_blocks_are_not)
{
	struct arena *a = arena_new("test");
	struct kernel_work w = work_of(a,
				       "kernel \"diagonal\"(out b0: f64[64], in b1: f64[4096]) flops 0 {\n"
				       "  vloop i0 64 {\n    %0 = load f64 b1[65*i0]\n    store b0[1*i0] %0\n  }\n}\n",
				       32);
	/* f64 counts twice. */
	ck_assert_double_eq(w.vector[OPERATION_GATHER], 128);
	ck_assert_double_eq(w.vector[OPERATION_ARITHMETIC], 128);
	ck_assert_double_eq(w.bytes, 8 * 128);
	w = work_of(a,
		    "kernel \"transpose\"(out b0: f32[4096], in b1: f32[4096]) flops 0 {\n"
		    "  loop i0 64 {\n    vloop i1 64 {\n      %0 = load f32 b1[1*i0 + 64*i1]\n"
		    "      store b0[64*i0 + 1*i1] %0\n    }\n  }\n}\n",
		    32);
	/* Into a tile, out of it, three shuffles of 8 lanes; and the store. */
	ck_assert_double_eq(w.vector[OPERATION_GATHER], 0);
	ck_assert_double_eq(w.vector[OPERATION_ARITHMETIC], (6 + 1) * 4096);
	w = work_of(
		a,
		"kernel \"pairs\"(out b0: f32[64], in b1: f32[128]) flops 64 {\n"
		"  vloop i0 64 {\n    %0 = load f32 b1[2*i0]\n    %1 = load f32 b1[2*i0 + 1]\n    %2 = + f32 %0, %1\n"
		"    store b0[1*i0] %2\n  }\n}\n",
		32);
	/* Two rows and two shuffles for each of the loads. */
	ck_assert_double_eq(w.vector[OPERATION_GATHER], 0);
	ck_assert_double_eq(w.vector[OPERATION_ARITHMETIC], (2 * 4 + 2) * 64);
	arena_free(a);
}
END_TEST

START_TEST(what_is_overwritten_goes_to_and_fro)
{
	struct arena *a = arena_new("test");
	const char *error;
	const struct kernel *k =
		kernel_read(a,
			    "kernel \"moved\"(out b0: f32[64], inout b1: f32[64], in b2: f32[64]) flops 128 {\n"
			    "  vloop i0 64 {\n    %0 = load f32 b1[1*i0]\n    %1 = load f32 b2[1*i0]\n"
			    "    %2 = + f32 %0, %1\n    store b0[1*i0] %2\n    store b1[1*i0] %2\n  }\n}\n",
			    &error);
	ck_assert_msg(k != NULL, "%s", error);
	struct param_bytes bytes[3];
	struct kernel_work w = kernel_work(k, 32, bytes);
	const double moved[] = {512, 512, 256};
	for (int i = 0; i < 3; i++) {
		ck_assert_double_eq(bytes[i].touched, 256);
		ck_assert_double_eq(bytes[i].moved, moved[i]);
	}
	/* The least that the kernel reads and writes: it need not read what it overwrites. */
	ck_assert_double_eq(w.bytes, 1024);
	arena_free(a);
}
END_TEST

START_TEST(what_all_lanes_share_counts_once)
{
	struct arena *a = arena_new("test");
	struct kernel_work w = work_of(a,
				       "kernel \"shared\"(out b0: f32[64], in b1: f32[4]) flops 0 {\n"
				       "  %0 = const i64 3\n"
				       "  loop i0 4 {\n"
				       "    vloop i1 16 {\n"
				       "      %1 = load f32 b1[1*i0]\n"
				       "      %2 = exp f32 %1\n"
				       "      %3 = index 1*i1\n"
				       "      %4 = / i64 %3, %0\n"
				       "      %5 = cast f32 %4\n"
				       "      %6 = / f32 %5, %2\n"
				       "      store b0[16*i0 + 1*i1] %6\n"
				       "    }\n"
				       "  }\n"
				       "}\n",
				       32);
	/* exp once for 8 lanes; an integer is divided by a constant without a division. */
	ck_assert_double_eq(w.vector[OPERATION_FUNCTION], 4 * 2);
	ck_assert_double_eq(w.vector[OPERATION_DIVISION], 4 * 16);
	ck_assert_double_eq(w.vector[OPERATION_ARITHMETIC], 4 * (2 + 2 * 16 + 16 + 16));
	arena_free(a);
}
END_TEST

/* A 6 x 32 matrix that is gathered of a tensor whose rows are 40 elements apart, and of the rows each second, or so
 * many elements apart in them, is taken. */
static double gathered(struct arena *a, int64_t row, int64_t step, int64_t div, int vector_bytes)
{
	struct product_pack pack = {.rank = 2, .nrows = 1, .ncols = 1, .way = WAY_GATHERED};
	struct pack_factor rows = {6, {row, 0}}, columns = {32, {0, step}};
	struct plan_gemm g = {.type = DT_F32, .m = 6, .n = 4, .k = 32, .pack_a = &pack, .b = 1, .c = 2};
	struct plan plan = {.arena_bytes = 0};
	const struct program none = {.arena = a};
	pack.dim[0].extent = 12;
	pack.dim[0].stride = 40;
	pack.dim[1].extent = 40;
	pack.dim[0].div = pack.dim[1].stride = 1;
	pack.dim[1].div = div;
	pack.row = &rows;
	pack.col = &columns;
	for (int i = 0; i < 3; i++)
		vec_push(a, &plan.buffers, ((struct buffer){.kind = BUFFER_SLOT, .type = DT_F32, .elements = 480}));
	struct plan_step step_of = plan_step_of(STEP_GEMM);
	step_of.gemm = &g;
	vec_push(a, &plan.steps, step_of);
	struct works w = works_of(a, &none, vector_bytes);
	return step_work(&w, &plan, &plan.steps.at[0]).amount;
}

START_TEST(lines_of_neighbours_are_gathered_as_vectors)
{
	struct arena *a = arena_new("test");
	ck_assert_double_eq(gathered(a, 1, 1, 1, 32), 6 * (1 + 32 / 8));
	ck_assert_double_eq(gathered(a, 2, 1, 1, 64), 6 * (1 + 32 / 16));
	/* Every other element; of what a gradient of windows spreads. */
	ck_assert_double_eq(gathered(a, 1, 2, 1, 32), 6 * 32);
	ck_assert_double_eq(gathered(a, 1, 1, 2, 32), 6 * 32);
	arena_free(a);
}
END_TEST

START_TEST(a_kernel_takes_its_operations_or_its_bytes)
{
	struct arena *a = arena_new("test");
	struct machine_processor p = {.vector_bytes = 32};
	for (int i = 0; i < OPERATIONS; i++)
		p.operation[i] = 4;
	p.operation[OPERATION_FUNCTION] = 1;
	p.operation[OPERATION_SCALAR] = 2;
	p.start[START_KERNEL] = 100;
	p.start[START_LOOP] = 10;
	struct curve_point near = {100, 5}, far = {1000, 0.5};
	vec_push(a, &p.memory.points, near);
	vec_push(a, &p.memory.points, far);
	struct step_work w = {.kind = WORK_KERNEL, .kernel = {.loops = 3, .bytes = 70}};
	w.kernel.vector[OPERATION_ARITHMETIC] = 400;
	w.kernel.vector[OPERATION_FUNCTION] = 20;
	w.kernel.single[OPERATION_FUNCTION] = 5; /* 4 times an addition: 2 ns each */
	ck_assert_double_eq(price_step_work(&p, &w), 100 + 30 + 100 + 20 + 5 * 2);
	reuse_add(a, &w.reuses, 50, 20);
	reuse_add(a, &w.reuses, 5000, 40);
	reuse_add(a, &w.reuses, 5000, 10);
	ck_assert_double_eq(price_step_work(&p, &w), 100 + 30 + 100 + 20 + 5 * 2); /* 4 + 100 meanwhile */
	reuse_add(a, &w.reuses, 5000, 60);
	ck_assert_double_eq(price_step_work(&p, &w), 100 + 30 + 4 + 220 + 5 * 2);
	/* 10 loads and 10 stores of four bytes; 40 bytes read, 40 read and overwritten, all of them nearby: longer than
	 * the 5 of loads and stores. */
	ck_assert_double_eq(price_copy(&p, 40), 24);
	arena_free(a);
}
END_TEST

/* A layout by number: each axis B, S(0), S(1) or P, in turn. */
static struct layout numbered(const struct place *p, int number)
{
	static const char *const atom[] = {"B", "S0", "S1", "P"};
	struct layout l = layout_broadcast();
	for (int a = 0; a < p->naxes; a++, number /= 4)
		l.atom[a] = layout_text(atom[number % 4]).atom[0];
	return l;
}

static int count_layouts(const struct place *p)
{
	return 1 << 2 * p->naxes;
}

/* Bytes of the messages that a rank sends to, or receives from, another, round after round. */
struct sizes {
	VEC(int64_t) bytes;
};

static struct sizes sizes_of(struct arena *a, const struct route *route, int peer, bool sends)
{
	struct sizes s = {0};
	for (int r = 0; r < route->rounds.n; r++)
		for (int i = 0; i < route->rounds.at[r].messages.n; i++) {
			const struct route_message *m = &route->rounds.at[r].messages.at[i];
			int64_t bytes = route_message_bytes(route, m);
			if (m->sends == sends && route_peer(route, m) == peer && bytes)
				vec_push(a, &s.bytes, bytes);
		}
	return s;
}

/* The other end of each message is that of the same message. */
static void check_pairs(const struct route *routes, int n)
{
	for (int rank = 0; rank < n; rank++)
		for (int r = 0; r < routes[rank].rounds.n; r++)
			for (int i = 0; i < routes[rank].rounds.at[r].messages.n; i++) {
				const struct route_message *m = &routes[rank].rounds.at[r].messages.at[i];
				const struct route *there = &routes[route_peer(&routes[rank], m)];
				const struct route_message *other = &there->rounds.at[m->round].messages.at[m->index];
				ck_assert_int_eq(route_peer(there, other), rank);
				ck_assert_int_eq(other->sends, !m->sends);
				ck_assert_int_eq(other->round, r);
				ck_assert_int_eq(other->index, i);
				ck_assert_int_eq(route_message_bytes(there, other),
						 route_message_bytes(&routes[rank], m));
			}
}

/* Every message has another end, in the same order; the bytes of all. */
static int64_t check_ends(struct arena *a, const struct route *routes, int n)
{
	int64_t all = 0;
	check_pairs(routes, n);
	for (int from = 0; from < n; from++)
		for (int to = 0; to < n; to++) {
			struct sizes sent = sizes_of(a, &routes[from], to, true),
				     received = sizes_of(a, &routes[to], from, false);
			if (sent.bytes.n != received.bytes.n)
				ck_abort_msg("%d to %d: %d sends, %d receives", from, to, sent.bytes.n,
					     received.bytes.n);
			for (int i = 0; i < sent.bytes.n; i++) {
				if (sent.bytes.at[i] != received.bytes.at[i])
					ck_abort_msg("%d to %d, message %d: %lld bytes sent, %lld received", from, to,
						     i, (long long)sent.bytes.at[i], (long long)received.bytes.at[i]);
				all += sent.bytes.at[i];
			}
		}
	return all;
}

/* Hosts of 4 ranks; copies, messages and links take time of their own each. */
static const char hosts_text[] =
	"{\"name\": \"hosts\", \"processors\": [{\"name\": \"p\", \"vector_bytes\": 32, \"start_us\": {\"region\": 1, "
	"\"kernel\": 0.1, \"vector_loop\": 0.01}, \"memory\": [[1000, 20], [100000, 5]], \"operations\": "
	"{\"arithmetic\": 10, \"division\": 1, \"function\": 1, \"random\": 1, \"gather\": 1, \"scalar\": 1, "
	"\"prefix\": 1, \"pack\": "
	"1, "
	"\"sort\": 1}, \"products\": {\"f32\": {\"m\": [1], \"n\": [1], \"k\": [1], \"gigaflops\": [50]}}}], "
	"\"hosts\": [{\"count\": 12, \"ranks\": 4, \"processor\": \"p\", \"link\": {\"latency_us\": 0.5, \"start_us\": "
	"0.2, \"gigabytes_per_second\": [[64, 0.3], [4096, 6]], \"overlap\": 0}}], \"networks\": [{\"name\": \"n\", "
	"\"joins\": 12, \"link\": {\"latency_us\": 20, \"start_us\": 2, \"gigabytes_per_second\": 1.1, \"overlap\": "
	"0.5}}]}";

/* The same with so many ranks on each, and memory that these share. */
static const struct machine *hosts_of(struct arena *a, int ranks, bool share)
{
	static const char field[] = "\"ranks\": ";
	char *text = arena_strdup(a, hosts_text);
	strstr(text, field)[strlen(field)] = (char)('0' + ranks);
	const char *error;
	struct machine *m = machine_read(a, text, strlen(text), &error);
	ck_assert_msg(m != NULL, "%s", error);
	if (share) {
		struct machine_link *l = ARENA_NEW(a, struct machine_link);
		*l = (struct machine_link){.latency = 100, .start = 10, .overlap = 0.5};
		vec_push(a, &l->rate.points, ((struct curve_point){1, 12}));
		m->hosts.at[0].link.shared_memory = l;
	}
	return m;
}

/* Least and most of the bytes announced that messages have: all, but for what MPI does among many, and for hosts that
 * add up the same, each for itself. */
struct bounds {
	double least, most;
};

static void check_transfer(struct program *p, const struct machine *on, const struct place *from, int src,
			   const struct place *to, int dst, struct shape s, struct bounds bounds)
{
	struct arena *a = arena_new("test");
	struct layout x = numbered(from, src), y = numbered(to, dst);
	struct transfer t = {.bucket = -1, .redist = redist_plan(DT_F32, &s, from, &x, to, &y)};
	struct route routes[64];
	int n = from->first + (int)from->count, m = to->first + (int)to->count;
	n = n > m ? n : m;
	t.src = program_type(p, DT_F32, &s, from, &x);
	t.dst = program_type(p, DT_F32, &s, to, &y);
	p->transfers.n = 0;
	vec_push(p->arena, &p->transfers, t);
	p->nranks = n;
	struct routes *known = routes_new(a, p, on);
	for (int r = 0; r < n; r++)
		routes[r] = *route_of(known, 0, r);
	int64_t bytes = check_ends(a, routes, n);
	double announced = (double)t.redist.bytes_total;
	if ((double)bytes < floor(bounds.least * announced) || (double)bytes > bounds.most * announced)
		ck_abort_msg("%s, layouts %d to %d on %d and %d ranks: %lld bytes in messages, %lld announced",
			     redist_text(t.redist.method), src, dst, (int)from->count, (int)to->count, (long long)bytes,
			     (long long)t.redist.bytes_total);
	arena_free(a);
}

static struct place *mesh(struct fixture *f, int32_t first, int64_t rows, int64_t columns)
{
	const char *name = arena_printf(f->session->arena, "p%d", f->program->places.n);
	struct place *p = fixture_place(f->program, name, first, rows * columns);
	p->naxes = columns > 1 ? 2 : 1;
	p->extent[0] = rows;
	p->extent[1] = columns;
	p->axis[0] = "r";
	p->axis[1] = "c";
	return p;
}

/* Shapes that do not divide, or are smaller than the mesh, as well; on one host, and on hosts of 1, 2 and 4 ranks. */
START_TEST(messages_have_the_bytes_announced)
{
	static const int64_t shapes[][2] = {{24, 36}, {5, 7}, {1, 3}};
	static const int ranks[] = {0, 1, 2, 4, 2, 6};
	struct fixture f = fixture_new();
	struct shape shape = {2, {shapes[_i % 3][0], shapes[_i % 3][1]}};
	const struct machine *m = _i < 3 ? NULL : hosts_of(f.session->arena, ranks[_i / 3], _i >= 12);
	struct place *places[] = {mesh(&f, 0, 2, 1), mesh(&f, 0, 3, 1), mesh(&f, 0, 2, 2), mesh(&f, 2, 4, 1),
				  mesh(&f, 0, 2, 3)};
	for (int i = 0; i < 5; i++)
		for (int k = 0; k < 5; k++)
			for (int s = 0; s < count_layouts(places[i]); s++)
				for (int d = 0; d < count_layouts(places[k]); d++)
					check_transfer(f.program, m, places[i], s, places[k], d, shape,
						       (struct bounds){1, m && i == k ? 2 : 1});
}
END_TEST

START_TEST(collectives_of_many_ranks_have_two_ends)
{
	static const int64_t ranks[] = {17, 24, 32, 37, 64};
	struct fixture f = fixture_new();
	struct place *p = mesh(&f, 0, ranks[_i], 1);
	for (int s = 0; s < 4; s++)
		for (int d = 0; d < 4; d++)
			check_transfer(f.program, NULL, p, s, p, d, (struct shape){2, {640, 96}},
				       (struct bounds){0.5, INFINITY});
}
END_TEST

/* Ranks 0 and 1 of one host, or of two; what fits goes through memory, and takes less. */
START_TEST(what_ranks_of_a_host_share_is_used_as_the_runtime_does)
{
	enum { PARTS, SHARED, WHOLE };
	static const struct {
		int src, dst;
		int64_t most; /* bytes of the array that go through memory */
	} ways[] = {{PARTS, WHOLE, PULL_BYTES},
		    {SHARED, WHOLE, 2 * EXCHANGE_WINDOW_BYTES},
		    {PARTS, SHARED, 2 * PARTS_WINDOW_BYTES}};
	struct fixture f = fixture_new();
	struct arena *a = f.session->arena;
	struct place *p = mesh(&f, 0, 2, 1);
	const struct layout layout[] = {{{{.kind = SHARD_P}}}, {{{.kind = SHARD_S}}}, {{{.kind = SHARD_B}}}};
	f.program->nranks = 2;
	for (int64_t bytes = 1024; bytes <= 4 * WINDOW_BYTES; bytes *= 2)
		for (int hosts = 1; hosts <= 2; hosts++) {
			double ns[2];
			struct shape s = {1, {bytes / 4}};
			for (int share = 0; share < 2; share++)
				ns[share] =
					transfer_time(transfer_times_new(a, f.program, hosts_of(a, 2 / hosts, share)),
						      DT_F32, &s, p, &layout[ways[_i].src], p, &layout[ways[_i].dst]);
			bool fits = hosts == 1 && bytes <= ways[_i].most;
			if (fits ? ns[1] >= ns[0] : ns[1] != ns[0])
				ck_abort_msg("%lld bytes on %d hosts: %g ns, and %g where memory is shared",
					     (long long)bytes, hosts, ns[0], ns[1]);
		}
	session_free(f.session);
}
END_TEST

/* ---- transfers that take the same time ---- */

static double time_between(struct transfer_times *t, const struct shape *s, const struct place *p,
			   const struct layout *from, const struct layout *to)
{
	return layout_can_become(p, from, p, to) ? transfer_time(t, DT_F32, s, p, from, p, to) : 0;
}

/* What a table remembers of tensors of as many elements is what each takes by itself. */
START_TEST(what_is_remembered_of_a_transfer_holds_for_all_that_are_alike)
{
	static const struct shape shapes[] = {{2, {64, 96}},    {2, {96, 64}},  {3, {8, 8, 96}}, {3, {96, 1, 64}},
					      {3, {4, 16, 96}}, {2, {6144, 1}}, {2, {48, 128}},  {2, {3, 2048}}};
	static const int64_t meshes[][2] = {{8, 1}, {2, 4}, {4, 2}, {12, 4}, {2, 3}};
	const char *error;
	struct fixture f = fixture_new();
	struct place *p = mesh(&f, 0, meshes[_i][0], meshes[_i][1]);
	const struct machine *m = machine_read(f.session->arena, hosts_text, strlen(hosts_text), &error);
	ck_assert_msg(m != NULL, "%s", error);
	f.program->nranks = p->count;
	struct transfer_times *all = transfer_times_new(f.session->arena, f.program, m);
	for (int i = 0; i < (int)(sizeof shapes / sizeof *shapes); i++) {
		struct layout *l;
		int n = layouts_of(f.session->arena, p, &shapes[i], true, &l);
		for (int k = 0; k < n * n; k++) {
			struct arena *own = arena_new("test");
			struct transfer_times *alone = transfer_times_new(own, f.program, m);
			const struct layout *from = &l[k / n], *to = &l[k % n];
			double is = time_between(all, &shapes[i], p, from, to),
			       should = time_between(alone, &shapes[i], p, from, to);
			if (is != should)
				ck_abort_msg("shape %d from %s to %s: %.17g ns remembered, %.17g ns by itself", i,
					     layout_name(&f, p, from), layout_name(&f, p, to), is, should);
			arena_free(own);
		}
	}
	session_free(f.session);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "seconds");
	tcase_add_test(t, vectors_count_as_full_ones);
	tcase_add_test(t, scattered_elements_are_gathered_and_turned_blocks_are_not);
	tcase_add_test(t, what_is_overwritten_goes_to_and_fro);
	tcase_add_test(t, what_all_lanes_share_counts_once);
	tcase_add_test(t, lines_of_neighbours_are_gathered_as_vectors);
	tcase_add_test(t, a_kernel_takes_its_operations_or_its_bytes);
	tcase_add_loop_test(t, messages_have_the_bytes_announced, 0, 18);
	tcase_add_loop_test(t, what_ranks_of_a_host_share_is_used_as_the_runtime_does, 0, 3);
	tcase_add_loop_test(t, collectives_of_many_ranks_have_two_ends, 0, 5);
	tcase_add_loop_test(t, what_is_remembered_of_a_transfer_holds_for_all_that_are_alike, 0, 5);
	return suite_end(s);
}
