/* calibrate_probes.c — the program of probes: params that fill or overflow caches, and a loop for every probe. */
#include "calibrate.h"

#include <inttypes.h>

static const struct {
	bool has_products;
	const char *items, *statement;
} operations[] = {
#define PROBE(field, is_rate, has_products, items, statement) {has_products, items, statement},
#include "calibrate.def"
#undef PROBE
};

enum { NOPERATIONS = sizeof operations / sizeof *operations };

/* Extents of products: f32 is what most programs are made of. */
static const int64_t fine[] = {1, 4, 16, 64, 256, 1024}, coarse[] = {1, 16, 256};
static const struct {
	enum dtype type;
	const int64_t *extent;
	int n;
} products[] = {{DT_F32, fine, 6}, {DT_F64, coarse, 3}, {DT_BF16, coarse, 3}, {DT_F16, coarse, 3}};

/* Lines of matrices that are factored. */
static const int64_t factored[] = {4, 8, 16, 32, 64, 128, 256, 512};

/* Elements of the vectors that memory is measured with, and of messages: 2 at the least, since one that comes back
 * whole would be known not to have changed. */
static const int64_t vectors[] = {1 << 10, 1 << 12, 1 << 14, 1 << 15, 1 << 16, 1 << 17,
				  1 << 18, 1 << 19, 1 << 20, 1 << 21, 1 << 22, 1 << 24};
static const int64_t messages[] = {2, 1 << 6, 1 << 8, 1 << 10, 1 << 12, 1 << 14, 1 << 15, 1 << 16, 1 << 18, 1 << 20};
/* Elements that ranks exchange while they compute: what goes through shared memory, and more than that. */
static const int64_t overlapped[] = {1 << 16, EXCHANGE_WINDOW_BYTES / 2};
/* Elements that are computed with meanwhile, 18 ns each: for about as long as such a message takes within a host, or on
 * wires of 10 Gbit to 100 Mbit, for what the processor does of a longer message could not be seen. */
static const int64_t computed[] = {1 << 11, 1 << 14, 1 << 17, 1 << 20};

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static void add(struct probes *p, const char *text)
{
	text_add(&p->source, text);
	for (; *text; text++)
		p->line += *text == '\n';
}

#define ADD(p, ...) add((p), arena_printf((p)->arena, __VA_ARGS__))

/* The h and l of that number: each size in f32, then in f64. Small ones are many, for of a single one a processor would
 * know by heart where its pivots are. */
static enum dtype factored_type(int i)
{
	return i % 2 ? DT_F64 : DT_F32;
}

static int64_t factored_together(int64_t n)
{
	enum { ELEMENTS = 1 << 14 };
	return n * n < ELEMENTS ? ELEMENTS / (n * n) : 1;
}

static void add_items(struct probes *p)
{
	ADD(p, "config links : bool = false; /// probes of links alone\nplace all = ranks(0..%" PRId64 ");\n",
	    p->ranks);
	for (int i = 0; i < NOPERATIONS; i++)
		add(p, operations[i].items);
	add(p, "param still : f32[64] @ all : B = ones();\n"
	       "fn rest(x, turns: int) { var z = x; for i in 0..turns { z = functions(z, z); } return z; }\n");
	for (int i = 0; i < COUNT(vectors); i++)
		for (const char *name = "pqr"; *name; name++)
			ADD(p, "param %c%d : f32[%" PRId64 "] @ all : B = ones();\n", *name, i, vectors[i]);
	for (int t = 0; t < COUNT(products); t++)
		for (int i = 0; i < products[t].n * products[t].n; i++)
			for (const char *name = "xwy"; *name; name++) {
				const char *type = dtype_text(products[t].type);
				int64_t rows = products[t].extent[i / products[t].n],
					columns = products[t].extent[i % products[t].n];
				ADD(p,
				    "param %c%s_%" PRId64 "_%" PRId64 " : %s[%" PRId64 ", %" PRId64
				    "] @ all : B = zeros();\n",
				    *name, type, rows, columns, type, rows, columns);
			}
	for (int i = 0; i < 2 * COUNT(factored); i++) {
		const char *type = dtype_text(factored_type(i));
		int64_t n = factored[i / 2], many = factored_together(n);
		ADD(p,
		    "param h%d : %s[%" PRId64 ", %" PRId64 ", %" PRId64
		    "] @ all : B = normal(std = 1.0);\nparam l%d : %s[%" PRId64 ", %" PRId64 ", %" PRId64
		    "] @ all : B = zeros();\n",
		    i, type, many, n, n, i, type, many, n + 1, n);
	}
	if (p->ranks < 2)
		return;
	add(p, "place left = ranks(0..1);\nplace right = ranks(1..2);\nparam back : f32[1] @ left : B = zeros();\n");
	/* One step: behind each one a transfer goes on. */
	add(p, "place both = ranks(0..2);\nfn once(x) { return tanh(exp(x * 0.1) - ln(1.0 + x * x)); }\n"
	       "fn long(x) { return once(once(once(once(once(once(once(once(x)))))))); }\n");
	for (int i = 0; i < COUNT(overlapped); i++)
		for (const char *name = "efg"; *name; name++)
			ADD(p, "param %c%d : f32[%" PRId64 "] @ both : %s = zeros();\n", *name, i, 2 * overlapped[i],
			    *name == 'f' ? "B" : "S(0)");
	for (int i = 0; i < COUNT(computed); i++)
		ADD(p, "param v%d : f32[%" PRId64 "] @ all : B = ones();\n", i, computed[i]);
	for (int i = 0; i < COUNT(messages); i++)
		ADD(p,
		    "param a%d : f32[%" PRId64 "] @ left : B = zeros();\nparam b%d : f32[%" PRId64
		    "] @ right : B = zeros();\n",
		    i, messages[i], i, messages[i]);
	for (int i = 0; i < BURST_MESSAGES; i++)
		ADD(p, "param c%d : f32[1] @ left : B = zeros();\nparam d%d : f32[1] @ right : B = zeros();\n", i, i);
}

/* A loop that runs a statement so often; the region is named by its line. */
static void add_probe(struct probes *p, struct probe probe, int64_t times, const char *statement)
{
	probe.line = p->line;
	ADD(p, "    for i in 0..%" PRId64 " { %s }\n", times, statement);
	vec_push(p->arena, &p->rows, probe);
}

/* So often that a probe of that much work takes about as long as any other. */
static int64_t times_for(double work, double least)
{
	double times = 4e7 / work;
	return (int64_t)(times < least ? least : times > 300 ? 300 : times);
}

/* Between two passes over what is more than the nearest cache holds it computes there, half a ns for each byte, which
 * is what programs of products do. Caches are shared, with other ranks, programs and guests of the machine: what is
 * touched every millisecond lies further away than what is streamed through again and again. Beyond some milliseconds
 * nothing changes. */
static void add_memory(struct probes *p)
{
	enum { TURN_NS = 5000, LONGEST_NS = 2000000 };
	for (int i = 0; i < COUNT(vectors); i++) {
		int64_t bytes = 3 * 4 * vectors[i];
		int turns = (int)((bytes / 2 < LONGEST_NS ? bytes / 2 : LONGEST_NS) / TURN_NS);
		const char *rest = turns < 2 ? "" : arena_printf(p->arena, " still = rest(still, %d);", turns);
		add_probe(p, (struct probe){.kind = PROBE_MEMORY}, turns < 2 ? 300 : 15,
			  arena_printf(p->arena, "r%d = p%d * 0.5 + q%d;%s", i, i, i, rest));
	}
}

static void add_products(struct probes *p)
{
	for (int t = 0; t < COUNT(products); t++) {
		int n = products[t].n;
		const int64_t *e = products[t].extent;
		const char *type = dtype_text(products[t].type);
		for (int i = 0; i < n * n * n; i++) {
			struct probe x = {.kind = PROBE_PRODUCT,
					  .type = products[t].type,
					  .m = e[i / (n * n)],
					  .n = e[i / n % n],
					  .k = e[i % n]};
			add_probe(p, x, times_for((double)x.m * (double)x.n * (double)x.k, 5),
				  arena_printf(p->arena,
					       "y%s_%" PRId64 "_%" PRId64 " = x%s_%" PRId64 "_%" PRId64
					       " @ w%s_%" PRId64 "_%" PRId64 ";",
					       type, x.m, x.n, type, x.m, x.k, type, x.k, x.n));
		}
	}
}

static void add_factors(struct probes *p)
{
	static const char *const function[] = {[FACTORS_EIGEN] = "symmetric_eigen", [FACTORS_LU] = "pivoted_lu"};
	for (int way = 0; way < FACTORS_WAYS; way++)
		for (int i = 0; i < 2 * COUNT(factored); i++) {
			int64_t n = factored[i / 2];
			struct probe x = {.kind = PROBE_FACTORS,
					  .row = way,
					  .type = factored_type(i),
					  .m = factored_together(n),
					  .n = n};
			double work = (double)x.m * (double)n * (double)n * (double)n;
			add_probe(p, x, times_for(4 * work, 5),
				  arena_printf(p->arena, "l%d = %s(h%d);", i, function[way], i));
		}
}

/* What is sent has just been written: what was sent before would lie in the receiver's cache still. */
static const char *written(struct probes *p, int i)
{
	return arena_printf(p->arena, "a%d = a%d * 0.5;", i, i);
}

static const char *sent(struct probes *p, int i)
{
	return arena_printf(p->arena, "%s b%d = a%d to @right;", written(p, i), i, i);
}

/* A rank's own part is put in place as well. */
static void add_overlap(struct probes *p, int i, int n)
{
	struct probe x = {.kind = PROBE_COMPUTE, .bytes = 4 * overlapped[i]};
	int64_t times = n + 1 == COUNT(computed) ? 10 : i ? 20 : 50;
	add_probe(p, x, times,
		  arena_printf(p->arena, "e%d = e%d * 0.5; g%d = e%d; v%d = long(v%d);", i, i, i, i, n, n));
	x.kind = PROBE_OVERLAP;
	add_probe(p, x, times,
		  arena_printf(p->arena, "e%d = e%d * 0.5; f%d = e%d to B; v%d = long(v%d);", i, i, i, i, n, n));
}

static void add_messages(struct probes *p)
{
	struct text burst;
	text_init(&burst, p->arena);
	for (int i = 0; i < COUNT(messages); i++) {
		struct probe x = {.kind = PROBE_MESSAGE, .bytes = 4 * messages[i]};
		int64_t times = times_for((double)messages[i] * 4, 20);
		add_probe(p, (struct probe){.kind = PROBE_WRITE, .bytes = x.bytes}, times, written(p, i));
		add_probe(p, x, times, arena_printf(p->arena, "%s back = b%d[0..1] to @left;", sent(p, i), i));
	}
	for (int i = 0; i < BURST_MESSAGES; i++)
		text_printf(&burst, "d%d = c%d to @right; ", i, i);
	text_printf(&burst, "back = d%d to @left;", BURST_MESSAGES - 1);
	add_probe(p, (struct probe){.kind = PROBE_BURST}, 300, text_get(&burst));
	for (int i = 0; i < COUNT(overlapped); i++)
		for (int n = 0; n < COUNT(computed); n++)
			add_overlap(p, i, n);
}

static void add_operations(struct probes *p, bool has_products)
{
	for (int i = 0; i < NOPERATIONS; i++)
		if (operations[i].has_products == has_products)
			add_probe(p, (struct probe){.kind = PROBE_OPERATION, .row = i}, 300, operations[i].statement);
}

struct probes *probes_make(struct arena *a, int64_t ranks)
{
	struct probes *p = ARENA_NEW(a, struct probes);
	*p = (struct probes){.arena = a, .ranks = ranks, .line = 1};
	text_init(&p->source, a);
	add_items(p);
	add(p, "main {\n    if !links {\n");
	add_operations(p, false);
	add_memory(p);
	add_products(p);
	add_factors(p);
	add_operations(p, true);
	add(p, "    }\n");
	if (ranks > 1)
		add_messages(p);
	add(p, "}\n");
	return p;
}
