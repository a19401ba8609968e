/* fuzz_front.c — throws damaged programs at the front end, in process: it may report errors, it may not crash, hang or
 * leak. Deterministic: the same seed files and count give the same inputs.
 *
 *   fuzz_front N FILE.pml ...    N mutations of the files
 *   fuzz_front 0 FILE ...        the files as they are (to look at one input)
 *
 * Accepted inputs are printed, parsed and printed again: both texts must be equal. LLVMFuzzerTestOneInput is the entry
 * for libFuzzer (compile with -DFUZZ_LIBFUZZER). */
#define _POSIX_C_SOURCE 200809L
#include "fuzz.h"
#include "lang.h"
#include "parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOW_MS = 2000 };

/* ---- the property ---- */

static char *printed(const char *bytes, size_t size, bool *clean)
{
	struct session *s = session_new();
	struct text t;
	uint32_t file = session_add_source(s, "again.pml", bytes, size);
	struct module *m = module_parse(s, "again", file);
	text_init(&t, s->arena);
	ast_print_module(&t, m);
	*clean = s->errors == 0;
	char *copy = strdup(text_get(&t));
	session_free(s);
	return copy;
}

/* What is accepted must print to a text that is accepted and prints the same. */
static void check_printer(const char *bytes, size_t size)
{
	bool clean, again;
	char *once = printed(bytes, size, &clean);
	if (clean) {
		char *twice = printed(once, strlen(once), &again);
		if (!again || strcmp(once, twice)) {
			fprintf(stderr, "the printed program reads back differently:\n%s\n----\n%s\n", once, twice);
			abort();
		}
		free(twice);
	}
	free(once);
}

static void check_messages(struct session *s, FILE *sink)
{
	VEC(struct diag *) kept = {0};
	for (int i = 0; i < s->diags.n; i++)
		vec_push(s->arena, &kept, s->diags.at[i]);
	for (int form = DIAG_FULL; form <= DIAG_JSON; form++) {
		s->diags.n = 0;
		for (int i = 0; i < kept.n; i++)
			vec_push(s->arena, &s->diags, kept.at[i]);
		s->options.diag_format = (enum diag_format)form;
		s->options.max_errors = 20;
		s->options.color = WHEN_ALWAYS;
		rewind(sink);
		diag_flush(s, sink);
	}
}

static void run_one(const unsigned char *data, size_t size, FILE *sink)
{
	struct session *s = session_new();
	struct text t;
	lang_load_text(s, "fuzz.pml", (const char *)data, size);
	check_messages(s, sink);
	text_init(&t, s->arena);
	if (s->sources.n > 1)
		lang_print_tokens(s, 1, &t);
	session_free(s);
	check_printer((const char *)data, size);
}

#ifdef FUZZ_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *sink = fopen("/dev/null", "w");
	run_one(data, size < MAX_INPUT ? size : MAX_INPUT, sink);
	fclose(sink);
	return 0;
}
#else

/* ---- mutations ---- */

static const char *const pieces[] = {
	"(",
	")",
	"[",
	"]",
	"{",
	"}",
	";",
	",",
	":",
	"@",
	"..",
	"->",
	"=>",
	"=",
	"==",
	"+=",
	"<",
	">=",
	"!",
	"**",
	"*",
	"-",
	".",
	"\"",
	"/*",
	"*/",
	"//",
	"///",
	"_",
	" ",
	"\n",
	"\t",
	"0",
	"1",
	"1.5",
	"1e400",
	"99999999999999999999",
	"0x",
	"0..3",
	"x",
	"sum[k] ",
	"max[i, j] -",
	"argmax[k]",
	"S(0)",
	"P(sum)",
	"B",
	"auto",
	"(dp=S(0), tp=P)",
	" to ",
	" to @",
	" as ",
	" as [_, 3]",
	" as (a = 2)",
	"fn f(",
	"fn ",
	"op o(a[..]) -> [..] = a;",
	"struct S { ",
	"main {",
	"test \"t\" {",
	"param w : ",
	"state v : like ",
	"config c : ",
	"const C : ",
	"place p = ",
	"ranks(",
	"import ",
	"import a.b;",
	"let ",
	"let q[i] = ",
	"var ",
	"for i in ",
	"each (p, d) in ",
	"while ",
	"every 3 {",
	"if ",
	"else ",
	"return ",
	"microbatch(2) {",
	"remat {",
	"mixed bf16 {",
	"using ",
	"f32[n]",
	"[3] S[p]",
	"\xff",
	"\xc3\xa9",
	"\xe6\x97\xa5",
	"\\",
	"#",
	"&&",
	"||",
	"%",
	"true",
	"f(x)(y)[z].w",
	"\xef\xbb\xbf",
	"\r\n",
	"\x1b[31m",
};
enum { PIECES = sizeof pieces / sizeof *pieces };

static void insert_piece(struct input *b, uint64_t *r)
{
	const char *piece = pieces[below(r, PIECES)];
	splice(b, below(r, b->n + 1), below(r, 3) ? 0 : below(r, 8), piece, strlen(piece));
}

/* A part of the input again, here or elsewhere; sometimes very often, for deep nesting and long chains. */
static void repeat(struct input *b, uint64_t *r)
{
	unsigned char part[64];
	size_t from = below(r, b->n + 1), n = 1 + below(r, sizeof part);
	if (n > b->n - from)
		n = b->n - from;
	memcpy(part, b->at + from, n);
	size_t times = below(r, 20) ? 1 + below(r, 3) : below(r, 3000), at = below(r, b->n + 1);
	for (size_t i = 0; i < times; i++)
		splice(b, at, 0, part, n);
}

static void nest(struct input *b, uint64_t *r)
{
	static const char *const opening[] = {"(",  "[",        "{",       "-",  "!",      "f(",
					      "x[", "if x => ", "sum[k] ", "1+", "x to B", "[3] "};
	const char *piece = opening[below(r, sizeof opening / sizeof *opening)];
	size_t at = below(r, b->n + 1), times = below(r, 8) ? below(r, 10) : below(r, 2500);
	for (size_t i = 0; i < times; i++)
		splice(b, at, 0, piece, strlen(piece));
}

static void cross(struct input *b, const struct input *other, uint64_t *r)
{
	size_t from = below(r, other->n + 1), n = below(r, 400);
	if (n > other->n - from)
		n = other->n - from;
	splice(b, below(r, b->n + 1), below(r, 200), other->at + from, n);
}

static void mutate(struct input *b, const struct input *other, uint64_t *r)
{
	unsigned char byte = (unsigned char)next_random(r);
	switch (below(r, 9)) {
	case 0:
		if (b->n)
			b->at[below(r, b->n)] ^= (unsigned char)(1u << below(r, 8));
		break;
	case 1:
		splice(b, below(r, b->n + 1), 1, &byte, 1);
		break;
	case 2:
		splice(b, below(r, b->n + 1), below(r, 30), "", 0);
		break;
	case 3:
		b->n = below(r, b->n + 1);
		break;
	case 4:
	case 5:
		insert_piece(b, r);
		break;
	case 6:
		repeat(b, r);
		break;
	case 7:
		cross(b, other, r);
		break;
	case 8:
		nest(b, r);
		break;
	}
}

/* ---- the run ---- */

int main(int argc, char **argv)
{
	static struct input seeds[MAX_SEEDS];
	const char *last = getenv("FUZZ_LAST"); /* a file that always holds the input at hand */
	int n = 0, slow = 0;
	if (argc < 3) {
		fprintf(stderr, "usage: fuzz_front N FILE.pml ...\n");
		return EXIT_FAILURE;
	}
	long count = strtol(argv[1], NULL, 10);
	FILE *sink = fopen("/dev/null", "w");
	for (int i = 2; i < argc && n < MAX_SEEDS; i++)
		seeds[n++] = read_seed(argv[i]);
	for (int i = 0; i < n; i++)
		run_one(seeds[i].at, seeds[i].n, sink);
	struct input b = {malloc(MAX_INPUT), 0};
	uint64_t state = getenv("FUZZ_SEED") ? strtoull(getenv("FUZZ_SEED"), NULL, 10) : 1;
	for (long i = 0; i < count; i++) {
		const struct input *from = &seeds[below(&state, (size_t)n)];
		memcpy(b.at, from->at, from->n);
		b.n = from->n;
		for (size_t k = 1 + below(&state, 6); k > 0; k--)
			mutate(&b, &seeds[below(&state, (size_t)n)], &state);
		if (last)
			remember(last, &b);
		double begin = now_ms();
		run_one(b.at, b.n, sink);
		if (now_ms() - begin > SLOW_MS) {
			slow++;
			fprintf(stderr, "input %ld took %.0f ms\n", i, now_ms() - begin);
			remember("fuzz_slow.pml", &b);
		}
	}
	free(b.at);
	for (int i = 0; i < n; i++)
		free(seeds[i].at);
	fclose(sink);
	printf("%ld passed, %d failed\n", (count > 0 ? count : 0) + n - slow, slow);
	return slow ? EXIT_FAILURE : EXIT_SUCCESS;
}
#endif
