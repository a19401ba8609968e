/* syntax_error.c — what to say when a token cannot stand where it stands.
 * The grammar knows which tokens could; this file turns them into a sentence, and tells of a `;` that is forgotten and
 * of brackets left open. What was meant otherwise is found by syntax_hint.c. */
#include "syntax_hint.h"

#include "parser.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

bool syntax_expects(const char *const *expected, int n, const char *what)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(expected[i], what))
			return true;
	return false;
}

/* Tokens by what they begin or go on with: messages name the group instead of its members. */
enum { EXPRESSION = 1, STATEMENT = 2, ITEM = 4, INFIX = 8 };
static const struct {
	int token, groups;
} groups[] = {
	{NAME, EXPRESSION},
	{INT, EXPRESSION},
	{FLOAT, EXPRESSION},
	{STRING, EXPRESSION},
	{TRUE, EXPRESSION},
	{FALSE, EXPRESSION},
	{COMBINER, EXPRESSION},
	{RANKS, EXPRESSION},
	{MICROBATCH, EXPRESSION},
	{REMAT, EXPRESSION},
	{MIXED, EXPRESSION},
	{'!', EXPRESSION},
	{IF, EXPRESSION | STATEMENT},
	{'(', EXPRESSION | INFIX},
	{'[', EXPRESSION | INFIX},
	{'-', EXPRESSION | INFIX},
	{'?', INFIX},
	{LET, STATEMENT},
	{VAR, STATEMENT},
	{FOR, STATEMENT},
	{EACH, STATEMENT},
	{WHILE, STATEMENT},
	{EVERY, STATEMENT},
	{RETURN, STATEMENT},
	{BREAK, STATEMENT},
	{CONTINUE, STATEMENT},
	{'{', STATEMENT},
	{STATE, STATEMENT | ITEM},
	{IMPORT, ITEM},
	{CONST, ITEM},
	{CONFIG, ITEM},
	{PLACE, ITEM},
	{STRUCT, ITEM},
	{PARAM, ITEM},
	{CACHE, ITEM},
	{OP, ITEM},
	{FN, ITEM},
	{NAMES, ITEM},
	{MAIN, ITEM},
	{TEST, ITEM},
	{OR, INFIX},
	{AND, INFIX},
	{EQ, INFIX},
	{NE, INFIX},
	{'<', INFIX},
	{LE, INFIX},
	{'>', INFIX},
	{GE, INFIX},
	{'+', INFIX},
	{'*', INFIX},
	{'/', INFIX},
	{'%', INFIX},
	{'@', INFIX},
	{POW, INFIX},
	{AS, INFIX},
	{TO, INFIX},
	{'.', INFIX},
	{ADD_SET, INFIX},
	{SUB_SET, INFIX},
	{MUL_SET, INFIX},
	{DIV_SET, INFIX},
};

static int groups_of(const char *name)
{
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
		if (!strcmp(parse_token_name(groups[i].token), name))
			return groups[i].groups;
	return 0;
}

/* Replaces the members of groups all of whose members can stand here, told by one that stands in no other context.
 * Operators are dropped: that an expression could go on is no help. Gives the new count. */
static int group_expected(const char *const *names, int n, const char **grouped)
{
	int all = 0, count = 0;
	all |= syntax_expects(names, n, parse_token_name(INT)) ? EXPRESSION : 0;
	all |= syntax_expects(names, n, parse_token_name(RETURN)) ? STATEMENT | EXPRESSION : 0;
	all |= syntax_expects(names, n, parse_token_name(FN)) ? ITEM : 0;
	all |= syntax_expects(names, n, parse_token_name('*')) || syntax_expects(names, n, parse_token_name(TO)) ? INFIX
														 : 0;
	if (all & ITEM)
		grouped[count++] = SYNTAX_ITEM;
	if (all & STATEMENT)
		grouped[count++] = "a statement";
	else if (all & EXPRESSION)
		grouped[count++] = "an expression";
	for (int i = 0; i < n; i++)
		if (!(groups_of(names[i]) & all))
			grouped[count++] = names[i];
	return count;
}

const char *syntax_text(const struct parse *p, struct span at)
{
	return arena_strndup(p->session->arena, p->bytes + at.begin, at.end - at.begin);
}

static bool on_new_line(const struct parse *p)
{
	return memchr(p->bytes + p->previous.end, '\n', p->last.begin - p->previous.end) != NULL;
}

/* What stands behind the token before this one is a comment that ends like code: `7 // 2;`. */
static bool hint_quotient(const struct parse *p, struct diag *d)
{
	const char *at = p->bytes + p->previous.end, *end = p->bytes + p->last.begin;
	while (at < end && *at == ' ')
		at++;
	if (end - at < 3 || at[0] != '/' || at[1] != '/' || at[2] == '/')
		return false;
	const char *line = memchr(at, '\n', (size_t)(end - at));
	line = line ? line : end;
	while (line > at && isspace((unsigned char)line[-1]))
		line--;
	if (!strchr(";),{}", line[-1]))
		return false;
	diag_help(d, "`//` begins a comment; the whole quotient is `floor_div(a, b)`");
	return true;
}

/* `fn f(x) -> f32 { x + 1.0 }`: blocks of expressions end in their value, bodies of functions return it. */
static bool hint_result(struct parse *p, struct diag *d, struct span end)
{
	uint32_t at = p->last.begin, depth = 0, head;
	while (at > 0 && (p->bytes[at - 1] != '{' || depth)) {
		at--;
		depth += p->bytes[at] == '}';
		depth -= p->bytes[at] == '{';
	}
	for (head = at ? at - 1 : 0; head > 0 && !strchr(";{}", p->bytes[head - 1]);)
		head--;
	while (isspace((unsigned char)p->bytes[head]))
		head++;
	const char *body = syntax_begun(p), *equals = strchr(body, '=');
	bool gives = at && !strncmp(p->bytes + head, "fn ", 3) && (!equals || equals[1] == '=' || equals[1] == '>');
	if (!gives || (p->previous_token == ')' && !strstr(syntax_text(p, (struct span){p->file, head, at}), "->")))
		return false;
	uint32_t begin = p->last.begin;
	while (begin > at && !strchr(";{}", p->bytes[begin - 1]))
		begin--;
	while (isspace((unsigned char)p->bytes[begin]))
		begin++;
	if (!strncmp(p->bytes + begin, "return", 6))
		return false;
	diag_help(d, "what a function gives is returned");
	diag_edit(d, (struct span){p->file, begin, begin}, "return ");
	diag_edit(d, end, ";");
	return true;
}

/* A `;` is wanted and the next token begins a line, closes the block or begins a statement: say so at the end before.
 */
static bool missing_semicolon(struct parse *p, const char *const *expected, int n)
{
	int t = p->last_token;
	bool begins = t == LET || t == VAR || t == RETURN || t == FOR || t == WHILE || t == EVERY || t == EACH ||
		      t == BREAK || t == CONTINUE;
	if (!syntax_expects(expected, n, "`;`") || !(on_new_line(p) || begins || t == '}' || t == 0))
		return false;
	if (p->previous_token == 0 || p->unmatched.token)
		return false;
	struct span end = {p->file, p->previous.end, p->previous.end};
	struct diag *d = diag_error(p->session, PML0002, end, "a `;` is missing");
	if (hint_quotient(p, d) || (t == '}' && hint_result(p, d, end)))
		return true;
	diag_help(d, "end the line before with `;`");
	diag_edit(d, end, ";");
	return true;
}

static const char *closing_name(int opening)
{
	return opening == '(' ? "`)`" : opening == '[' ? "`]`" : "`}`";
}

bool syntax_is_item(int t)
{
	return t == FN || t == OP || t == PARAM || t == STRUCT || t == IMPORT || t == CONST || t == CONFIG ||
	       t == PLACE || t == NAMES || t == MAIN || t == TEST;
}

static void report_open(struct parse *p, const struct bracket *open, int token)
{
	struct diag *d = diag_error(p->session, PML0003, p->last, "expected %s, found %s", closing_name(open->token),
				    parse_token_name(token));
	diag_label(d, open->span, "opened here");
	hint_quotient(p, d);
	if (open->token == '{' && syntax_is_item(token))
		diag_note(d, "items (`fn`, `param`, `import`, ...) stand outside of blocks");
}

/* A closing bracket or `;` came while a bracket of another kind was open. */
static bool unclosed_bracket(struct parse *p)
{
	if (!p->unmatched.token)
		return false;
	report_open(p, &p->unmatched, p->last_token);
	p->foreign = p->last.end;
	p->mismatched = p->unmatched.token == '{';
	return true;
}

/* A bracket that cannot stand was told, and blocks do not end where they were meant to: nor does the item. */
static bool is_astray(const struct parse *p)
{
	return p->astray && p->mismatched;
}

void syntax_left_open(struct parse *p, int token)
{
	const struct bracket *open = &p->open.at[p->open.n - 1];
	if (!open->reported && !is_astray(p) && open->span.begin + 1 != p->astray)
		report_open(p, open, token);
}

bool syntax_told(const struct parse *p, uint32_t at)
{
	return p->foreign && (p->foreign > at || !memchr(p->bytes + p->foreign, '\n', at - p->foreign));
}

/* Whether nobody wants to hear of it: what follows an error that was reported already. */
static bool is_echo(const struct parse *p)
{
	if (!p->session->errors)
		return false;
	bool after_string = p->broken && p->broken == p->previous.end;
	bool after_sign = p->foreign && (p->foreign > p->previous.end || syntax_told(p, p->last.begin));
	bool left_open = p->holds || (p->held_at.file && p->held_at.begin == p->last.begin);
	return p->stop || p->session->errors > MAX_ERRORS || after_string || after_sign || left_open || is_astray(p);
}

/* `auto` for something that is no layout. */
static void report_auto(struct parse *p)
{
	const char *before = syntax_begun(p);
	struct diag *d =
		diag_error(p->session, PML0001, p->last,
			   "`auto` stands for layouts of params, states and `to`, and for what `microbatch` and "
			   "`remat` are told, not for what stands here");
	if (p->previous_token == '(' && strstr(before, "S("))
		diag_help(d, "`auto` takes the place of `S(d)`: `(tp=auto)`, or for all axes `@ grid : auto`");
	else if (p->previous_token == '@')
		diag_help(d, "write the placement, then the layout: `@ grid : auto`; with `place grid = "
			     "auto(ranks(0..8));` alone, `pmlc search` places all of the program");
	else if (strstr(before, "ranks") || strstr(before, "place "))
		diag_help(d, "write ranks and axes with numbers, `ranks(0..8) as (dp = 2, tp = 4)`, or leave the mesh "
			     "open, `ranks(0..8) as auto`, or all that is on it, `auto(ranks(0..8))`");
	else
		diag_help(d, "`param w : f32[n, m] @ grid : auto`, `(dp=B, tp=auto)`, `h to auto`");
}

static void report(struct parse *p, const char *found, const char *const *expected, int n, bool after_operation)
{
	struct session *s = p->session;
	struct text list;
	text_init(&list, s->arena);
	for (int i = 0; i < n; i++)
		text_printf(&list, "%s%s", i == 0 ? "expected " : i == n - 1 ? " or " : ", ", expected[i]);
	p->foreign = p->last.end;
	const char *text = p->last_token == NAME ? arena_printf(s->arena, "`%s`", syntax_text(p, p->last)) : found;
	struct diag *d;
	if (p->last_token == AUTO && !syntax_expects(expected, n, "a statement")) {
		report_auto(p);
	} else if (after_operation && (syntax_compares(p->last_token) || p->last_token == DOTDOT)) {
		d = diag_error(s, PML0015, p->last, "%s cannot follow a comparison or range", text);
		diag_note(d, p->last_token == DOTDOT
				     ? "a range has no step: `let y[i] = x[2 * i];` takes every second element, "
				       "`flip(x)` turns the order round"
				     : "comparisons and ranges are not chained; write `a < b && b < c`");
	} else {
		d = n == 0 || n > 6 ? diag_error(s, PML0001, p->last, "unexpected %s", text)
				    : diag_error(s, PML0001, p->last, "%s, found %s", text_get(&list), text);
		if (!hint_quotient(p, d))
			syntax_hint(p, d, expected, n);
	}
}

void syntax_error(struct parse *p, const char *found, const char *const *expected, int n)
{
	const char *grouped[200];
	if (!is_astray(p) && p->last_token && p->last_token < 128 && strchr("()[]{}", p->last_token))
		p->astray = p->last.begin + 1;
	if (is_echo(p) || n < 0 || n > 190)
		return;
	for (int i = 0; i < p->open.n; i++)
		p->open.at[i].reported |= p->open.at[i].token != '{';
	if (p->reserved && p->last_token == p->reserved) {
		p->foreign = p->last.end;
		return;
	}
	bool after_operation = syntax_expects(expected, n, parse_token_name('*'));
	n = group_expected(expected, n, grouped);
	/* A block that a bracket closed which cannot stand there was not to end. */
	if (p->astray && syntax_expects(grouped, n, SYNTAX_ITEM) && p->last.begin + 1 > p->astray)
		return;
	if (!unclosed_bracket(p) && !missing_semicolon(p, grouped, n))
		report(p, found, grouped, n, after_operation);
}

void syntax_too_deep(struct parse *p, struct span at)
{
	if (!p->too_deep)
		diag_error(p->session, PML0011, at, "the program is nested too deeply here");
	p->too_deep = true;
}
