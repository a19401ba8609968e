/* compare.c — what happened against what had to happen.
 *   compare errors EXPECTED ERRORS       ERRORS: pmlc check --diagnostics=short; every program is accepted or rejected
 * as written
 *   compare output EXPECTED OUT [OTHER]  what a program printed, and what it printed elsewhere; bits: with the same
 * digits compare bytes PROFILE                what was sent against what was announced; prints the transfers that
 * differ Prints a line for each program that differs, then counts: "N accepted, N rejected, N wrong" (on stderr; on
 * stdout the seeds that were rejected) or "N compared, N wrong". */
#define _POSIX_C_SOURCE 200809L
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_all(const char *path)
{
	FILE *f = fopen(path, "r");
	size_t n = 0, room = 1 << 16;
	char *text = malloc(room);
	if (!f || !text) {
		perror(path);
		exit(2);
	}
	for (size_t got; (got = fread(text + n, 1, room - n - 1, f)) > 0;) {
		n += got;
		if (room - n < 2 && !(text = realloc(text, room *= 2)))
			exit(2);
	}
	text[n] = 0;
	fclose(f);
	return text;
}

/* ---- errors ---- */

struct program {
	unsigned long long seed;
	int items, items_end, first, last, wrong;
};

static bool next_program(const char **at, struct program *p)
{
	while (*at && **at) {
		const char *here = *at;
		int n = sscanf(here, "program %llu %d %d %d %d %d", &p->seed, &p->items, &p->items_end, &p->first,
			       &p->last, &p->wrong);
		*at = strchr(here, '\n');
		*at = *at ? *at + 1 : here + strlen(here);
		if (n == 6)
			return true;
	}
	return false;
}

/* Errors of the layout stage are PML03..; a message begins FILE.pml:LINE:COLUMN: error[CODE]. */
static bool next_error(const char **at, int *line, const char **message)
{
	while (*at && **at) {
		const char *here = *at, *colon = strstr(here, ".pml:"), *end = strchr(here, '\n');
		int column;
		char severity[16];
		*at = end ? end + 1 : here + strlen(here);
		if (colon && colon < *at && sscanf(colon, ".pml:%d:%d: %15[a-z][", line, &column, severity) == 3 &&
		    !strcmp(severity, "error")) {
			*message = colon + 5;
			return true;
		}
	}
	return false;
}

enum outcome { ACCEPTED, REJECTED, WRONG };

static enum outcome check_program(const struct program *p, const char *errors, bool *rejected)
{
	const char *message, *other = NULL;
	int line;
	bool found = false;
	while (next_error(&errors, &line, &message)) {
		bool mine = (line >= p->first && line <= p->last) || (line >= p->items && line <= p->items_end);
		const char *code = strstr(message, "error[PML03");
		bool expected = line == p->wrong && code && code < message + 20;
		found |= expected;
		if (mine && !expected && !other)
			other = message;
	}
	*rejected = found || other;
	if (other)
		fprintf(stderr, "seed %llu: rejected: %.*s\n", p->seed, (int)strcspn(other, "\n"), other);
	else if (p->wrong && !found)
		fprintf(stderr, "seed %llu: line %d is accepted\n", p->seed, p->wrong);
	return other || (p->wrong && !found) ? WRONG : found ? REJECTED : ACCEPTED;
}

/* Prints the seeds of the programs that were rejected, for generate --skip. */
static int errors(const char *expected_path, const char *errors_path)
{
	char *expected = read_all(expected_path), *text = read_all(errors_path);
	const char *at = expected, *message, *comma = "";
	struct program p;
	int count[WRONG + 1] = {0}, line;
	while (next_program(&at, &p)) {
		bool rejected;
		count[check_program(&p, text, &rejected)]++;
		if (rejected)
			printf("%s%llu", comma, p.seed), comma = ",";
	}
	printf("\n");
	const char *any = text;
	if (*text && !next_error(&any, &line, &message)) {
		fprintf(stderr, "not an error message: %.300s\n", text);
		count[WRONG]++;
	}
	fprintf(stderr, "%d accepted, %d rejected, %d wrong\n", count[ACCEPTED], count[REJECTED], count[WRONG]);
	free(expected);
	free(text);
	return count[WRONG] > 0;
}

/* ---- output ---- */

/* The next number, word or bracket. */
static size_t token(const char **at)
{
	while (isspace((unsigned char)**at) || **at == ',')
		++*at;
	if (**at == '[' || **at == ']')
		return 1;
	return strcspn(*at, " ,\n[]");
}

static const char *find_label(const char *output, const char *label, size_t n)
{
	for (const char *p = output; p && *p; p = strchr(p, '\n'), p = p ? p + 1 : p)
		if (!strncmp(p, label, n) && isspace((unsigned char)p[n]))
			return p + n;
	return NULL;
}

static bool same_token(const char *a, size_t na, const char *b, size_t nb, double tolerance, bool known, bool signs)
{
	if (na == nb && !strncmp(a, b, na))
		return true;
	if (tolerance < 0)
		return false;
	char *ea, *eb;
	double x = strtod(a, &ea), y = strtod(b, &eb);
	if (ea != a + na || eb != b + nb || !na || !nb)
		return !known && isalpha((unsigned char)*a) && isalpha((unsigned char)*b);
	if (known && (isinf(x) || isinf(y) || isnan(x) || isnan(y)))
		return x == y || (isnan(x) && isnan(y));
	/* Exact numbers are 0 or not nearly so, but for the smallest there are. */
	if (known && tolerance == 0 && ((x == 0) != (y == 0) || (signs && x == 0 && signbit(x) != signbit(y))))
		return false;
	double scale = fmax(1, fmax(fabs(x), fabs(y)));
	/* Prints have six digits. Of numbers drawn at random the magnitude is not known beforehand. */
	return !known || fabs(x - y) <= tolerance + 6e-6 * scale;
}

/* Tokens up to the end of a's line of expectation, or up to the next label in an output. */
static bool same_value(const char *a, const char *b, double tolerance, bool known, bool signs, char *why, size_t room)
{
	for (;;) {
		size_t na = token(&a), nb = token(&b);
		bool end_a = !na || *a == '#' || !strncmp(a, "program", 7), end_b = !nb || *b == '#';
		if (end_a || end_b) {
			snprintf(why, room, "another shape");
			return end_a && end_b;
		}
		if (!same_token(a, na, b, nb, tolerance, known, signs)) {
			snprintf(why, room, "%.*s instead of %.*s", (int)nb, b, (int)na, a);
			return false;
		}
		a += na;
		b += nb;
	}
}

struct label {
	const char *text;
	size_t n;
	bool known;
	double tolerance;
	const char *value;
};

static bool check_label(const struct label *l, const char *many, const char *one, bool bits)
{
	char why[200];
	const char *a = find_label(many, l->text, l->n), *b = one ? find_label(one, l->text, l->n) : NULL;
	int n = (int)l->n;
	if (!a || (one && !b))
		return printf("%.*s: not printed%s\n", n, l->text, a ? " on one rank" : ""), false;
	if (!same_value(l->value, a, l->tolerance, l->known, false, why, sizeof why))
		return printf("%.*s: %s\n", n, l->text, why), false;
	if (b && !same_value(l->value, b, l->tolerance, l->known, false, why, sizeof why))
		return printf("%.*s: on one rank %s\n", n, l->text, why), false;
	if (b && !same_value(b, a, bits ? -1 : l->tolerance, true, true, why, sizeof why))
		return printf("%.*s: %s on one rank\n", n, l->text, why), false;
	return true;
}

/* bits: both print the same digits, whatever was expected of them. */
static int output(const char *expected_path, const char *many_path, const char *one_path, bool bits)
{
	char *expected = read_all(expected_path), *many = read_all(many_path),
	     *one = one_path ? read_all(one_path) : NULL;
	int compared = 0, wrong = 0;
	for (const char *at = expected, *end; *at; at = end + 1) {
		struct label l = {.text = at};
		char known[16];
		int used = 0;
		end = strchr(at, '\n');
		if (!end)
			break;
		if (*at != '#')
			continue;
		l.n = strcspn(at, " ");
		if (sscanf(at + l.n, " %15s %lf%n", known, &l.tolerance, &used) != 2)
			continue;
		l.known = !strcmp(known, "known");
		l.value = at + l.n + used;
		compared++;
		wrong += !check_label(&l, many, one, bits);
	}
	printf("%d compared, %d wrong\n", compared, wrong);
	free(expected);
	free(many);
	free(one);
	return wrong > 0;
}

/* ---- bytes ---- */

/* Rows go to who keeps them, or back to who owns them: how many, only the program knows, and what is announced is the
 * most. */
static bool is_most(const char *transfer)
{
	char kind[32] = "";
	const char *at = strstr(transfer, "\"kind\": \"");
	if (at)
		sscanf(at, "\"kind\": \"%31[^\"]", kind);
	return !strcmp(kind, "row-scatter") || !strcmp(kind, "row-return");
}

/* Per transfer of a profile: what was sent is what the compiler announced, as often as it ran. Prints the lines that
 * differ. */
static int bytes(const char *profile_path)
{
	char *text = read_all(profile_path);
	const char *list = strstr(text, "\"transfers\": [");
	int wrong = 0;
	for (const char *at = list, *next; at && (at = strstr(at, "{\"id\": ")); at = next) {
		int id, line;
		long long calls = -1, sent = -1, announced = -1;
		next = at + 1;
		const char *c = strstr(at, "\"calls\": "), *b = strstr(at, "\"bytes\": "),
			   *a = strstr(at, "\"announced\": ");
		if (sscanf(at, "{\"id\": %d, \"line\": %d", &id, &line) != 2 || !c || !b || !a)
			break;
		sscanf(c, "\"calls\": %lld", &calls);
		sscanf(b, "\"bytes\": %lld", &sent);
		sscanf(a, "\"announced\": %lld", &announced);
		if (sent == announced * calls || (is_most(at) && sent >= 0 && sent < announced * calls))
			continue;
		printf("transfer %d of line %d: %lld bytes sent in %lld calls, %lld announced\n", id, line, sent, calls,
		       announced);
		wrong++;
	}
	if (!list)
		printf("no profile\n");
	free(text);
	return !list || wrong;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "bytes"))
		return bytes(argv[2]);
	if (argc == 4 && !strcmp(argv[1], "errors"))
		return errors(argv[2], argv[3]);
	if ((argc == 4 || argc == 5) && (!strcmp(argv[1], "output") || !strcmp(argv[1], "bits")))
		return output(argv[2], argv[3], argc == 5 ? argv[4] : NULL, !strcmp(argv[1], "bits"));
	fputs("usage: compare errors EXPECTED ERRORS\n       compare output|bits EXPECTED OUT [OTHER]\n       compare "
	      "bytes PROFILE\n",
	      stderr);
	return 2;
}
