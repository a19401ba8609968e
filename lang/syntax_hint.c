/* syntax_hint.c — see syntax_hint.h: `=` for `==`, signs that are missing or stand twice, habits from other languages.
 */
#include "syntax_hint.h"

#include "habit.h"

#include "parser.h"

#include <ctype.h>
#include <string.h>

/* An operator behind `x to B`, which goes as far as it can. */
static void hint_behind_to(struct parse *p, struct diag *d, const char *sign)
{
	const struct span *to = &p->moved;
	if (to->end != p->previous.end) {
		diag_note(d, "`to` and layouts end an operation; put parentheses around it: `(x to B) %s y`", sign);
		return;
	}
	diag_help(d, "`to` moves all that stands in front of it; put parentheses around both");
	diag_edit(d, (struct span){to->file, to->begin, to->begin}, "(");
	diag_edit(d, (struct span){to->file, to->end, to->end}, ")");
}

static void hint_assignment(struct parse *p, struct diag *d, bool condition)
{
	if (p->previous_token == DOTDOT) {
		diag_help(d, "a range has its first number and not its end: `1..11` is 1 to 10");
		return;
	}
	if (!condition) {
		diag_note(d, "named axes stand in parentheses: `(dp=S(0))`; to compare, write `==`");
		return;
	}
	diag_help(d, "to compare, write `==`");
	diag_edit(d, p->last, "==");
}

/* What is meant by a word where none can stand: `found` is the token's text, `before` that of the one before. */
static const char *habit_of(struct parse *p, const char *found, const char *before)
{
	bool adjacent = p->previous.end == p->last.begin;
	if (p->last_token == STRING && adjacent)
		return habit_here(HABIT_BEHIND,
				  p->previous_token == NAME ? arena_printf(p->session->arena, "%s\"", before) : before);
	if (p->previous_token == '.')
		return habit_here(HABIT_FIELD, found);
	const char *here = habit_here(HABIT_BEHIND, before);
	return here ? here : habit_here(HABIT_AT, found);
}

static bool is_type_word(const char *word)
{
	return type_is_dtype(word) || type_is_host(word) || habit_here(HABIT_TYPE, word) || !strcmp(word, "void") ||
	       !strcmp(word, "auto");
}

/* Whether the last token stands before a bracket as a function's name does. */
static bool is_called(const struct parse *p)
{
	const struct source *s = &p->session->sources.at[p->last.file];
	return p->last.end < s->size && s->bytes[p->last.end] == '(';
}

/* A word of the language where a name is to stand. */
static bool hint_reserved(struct parse *p, struct diag *d, const char *found, bool wants_name)
{
	if (!wants_name || p->last_token == NAME || !isalpha((unsigned char)*found))
		return false;
	if (p->last_token == VAR && is_called(p)) {
		diag_help(d, "`var` begins a statement; the variance is called `variance`: `variance(x)`");
		return true;
	}
	if (p->last_token == LET || p->last_token == VAR) {
		diag_help(d, "a loop counts by itself: `for i in 0..10 { }`");
		return true;
	}
	diag_help(d, "`%s` is a word of the language; take another name", found);
	p->reserved = p->last_token;
	return true;
}

static bool hint_word(struct parse *p, struct diag *d, const char *found, const char *before, bool wants_name)
{
	const char *here = *found ? habit_of(p, found, before) : NULL;
	if (p->last_token == NAME && is_type_word(before))
		diag_help(d, "the type stands behind the name: `let %s : %s = ...;`", found, before);
	else if (hint_reserved(p, d, found, wants_name && p->previous_token != '.'))
		return true;
	else if (here)
		diag_help(d, "%s", here);
	else if ((!strcmp(before, "let") || !strcmp(before, "var")) && p->last_token == '[')
		diag_help(d, "several names stand in parentheses: `%s (a, b) = ...;`", before);
	else if (!strcmp(before, "let") || !strcmp(before, "const"))
		diag_help(d, "the name comes first, then `: type`");
	else
		return false;
	return true;
}

bool syntax_compares(int t)
{
	return t == EQ || t == NE || t == LE || t == GE || t == '<' || t == '>';
}

static bool is_operator(int t)
{
	return t == '+' || t == '-' || t == '*' || t == '/' || t == '%' || t == '@' || t == POW || t == AND || t == OR;
}

/* `import numpy as np`, `import std.nn as nn`. */
static void hint_import(struct diag *d, const char *module)
{
	const char *here = habit_here(HABIT_MODULE, module);
	diag_help(d, "%s", here ? here : "a module has its last name: `import std.nn;`, then `nn.linear`");
}

/* A block behind `=>`: what was meant is the statement. */
static void hint_block(struct parse *p, struct diag *d)
{
	diag_help(d, "behind `=>` stands an expression; a block of statements stands without it");
	diag_edit(d, (struct span){p->file, p->previous.begin, p->last.begin}, "");
}

/* A field ended like a statement. */
static void hint_comma(struct parse *p, struct diag *d)
{
	diag_help(d, "fields of a struct end with `,`");
	diag_edit(d, p->last, ",");
}

const char *syntax_begun(const struct parse *p)
{
	uint32_t at = p->last.begin;
	while (at > 0 && !strchr(";{}", p->bytes[at - 1]))
		at--;
	return syntax_text(p, (struct span){p->file, at, p->last.begin});
}

/* Whether what syntax_begun gives begins so; a comment may stand in front of it. */
static bool begins_with(const struct parse *p, const char *words)
{
	const char *text = syntax_begun(p);
	while (*text && (isspace((unsigned char)*text) || !strncmp(text, "//", 2)))
		text += *text == '/' ? strcspn(text, "\n") : 1;
	return !strncmp(text, words, strlen(words));
}

/* What is called ahead of where the parser is, if that is a habit: whatever reads names does not come to see it. */
static void hint_calls(struct parse *p, struct diag *d, const char *text)
{
	for (const char *open = strchr(text, '('); open; open = strchr(open + 1, '(')) {
		const char *name = open;
		while (name > text && char_is_word(name[-1]))
			name--;
		const char *here =
			habit_here(HABIT_NAME, arena_strndup(p->session->arena, name, (size_t)(open - name)));
		if (here)
			diag_help(d, "%s", here);
	}
}

/* `for i in range(3):`, `if x > 0:`, `fn f(x): f32 {` */
static void hint_body(struct parse *p, struct diag *d)
{
	const char *before = syntax_begun(p);
	diag_note(d, p->previous_token == ')' && strstr(before, "fn ")
			     ? "the body stands in braces, the type of what it gives behind `->`"
			     : "the body stands in braces");
	hint_calls(p, d, before);
}

/* Statements and ends of blocks where an item is to stand. */
static bool hint_item(struct diag *d, int t)
{
	if (t == LET || t == VAR)
		diag_note(d, "statements stand in `main { }`, in a test or in a function; what all of them see is a "
			     "`const n : int = 3;`, a `config` that the command line sets, or a `state`");
	else if (t == FOR || t == IF || t == WHILE || t == RETURN)
		diag_note(d, "statements stand in `main { }`, in a test or in a function");
	else if (t == '}')
		diag_note(d, "this closes nothing that is open");
	else
		return false;
	return true;
}

/* An item within a block. */
static void hint_nested(struct diag *d, int t)
{
	if (t == FN)
		diag_note(d, "functions stand outside of blocks, and are handed what they use");
	else
		diag_note(d, "items (`fn`, `param`, `import`, ...) stand outside of blocks");
	if (t == CONST)
		diag_help(d, "within a block: `let n = 3;`");
}

/* A brace that nothing opens. */
static bool hint_brace(struct parse *p, struct diag *d, const char *const *expected, int n, const char *before)
{
	if (!strcmp(before, "=>"))
		hint_block(p, d);
	else if (syntax_expects(expected, n, "`=>`"))
		diag_note(d, "as an expression a choice is written `if condition => a else b`");
	else if (p->previous_token == ')' && strstr(syntax_begun(p), "mixed("))
		diag_help(d, "the type stands without parentheses: `mixed bf16 { ... }`");
	else if (habit_here(HABIT_BEHIND, before))
		return false;
	else if (p->previous_token == NAME && syntax_expects(expected, n, "`;`"))
		diag_help(d, "a struct is made like a call, its fields by name: `%s(x = 1.0)`", before);
	else if (syntax_expects(expected, n, "an expression"))
		diag_help(d, "braces hold statements, which have no value; values with names are fields of a `struct`");
	else
		return false;
	return true;
}

static bool hint_separated(struct parse *p, struct diag *d, const char *const *expected, int n, const char *before)
{
	bool behind_name = p->previous_token == NAME;
	if (n == 1 && syntax_expects(expected, n, "`]`"))
		diag_help(d, "sizes stand behind the element type: `f32[3, 4]`");
	else if (behind_name && syntax_expects(expected, n, "`=`"))
		diag_help(d, "several names stand in parentheses: `let (%s, ...) = ...;`", before);
	else if (behind_name && n == 1 && syntax_expects(expected, n, "`in`"))
		diag_help(d,
			  "several names stand in parentheses: `for (%s, ...) in ...`; numbers are counted by `for %s "
			  "in 0..n { }`",
			  before, before);
	else if (p->open.n && syntax_expects(expected, n, "`;`") && !syntax_expects(expected, n, "a statement"))
		diag_help(d, "several values stand in parentheses: `%s (a, b);`",
			  begins_with(p, "return") ? "return" : "let (x, y) =");
	else
		return false;
	return true;
}

/* Whether what ends with the bracket before is `sum(k)`: a reduction, and a name alone. */
static bool is_reduction(const struct parse *p)
{
	static const char *const words[] = {"sum", "max", "min", "prod", "mean", "any", "all", "argmax", "argmin"};
	const char *end = p->bytes + p->previous.begin, *open = end;
	while (open > p->bytes && (char_is_word(open[-1]) || open[-1] == ' ' || open[-1] == ','))
		open--;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t size = strlen(words[i]) + 1, begun = (size_t)(open - p->bytes);
		if (begun > size && open[-1] == '(' && !strncmp(open - size, words[i], size - 1) &&
		    !char_is_word(open[-1 - (int)size]))
			return true;
	}
	return false;
}

/* Two values next to each other: `f(x low = 1)`, `[1.0 2.0]`, `f32[2 3]`, `let (a b) = ...`, `let x = 3 print(x);`. */
static bool hint_between(struct parse *p, struct diag *d, const char *const *expected, int n)
{
	int t = p->last_token, before = p->previous_token;
	bool begins = t == NAME || t == INT || t == FLOAT || t == STRING || t == TRUE || t == FALSE;
	bool ends = before == NAME || before == INT || before == FLOAT || before == STRING || before == TRUE ||
		    before == FALSE || before == ')' || before == ']';
	bool within = syntax_expects(expected, n, "`)`") || syntax_expects(expected, n, "`]`") ||
		      syntax_expects(expected, n, "`,`");
	const char *behind = p->bytes + p->last.end, *end = p->bytes + p->size;
	while (behind < end && *behind == ' ')
		behind++;
	bool statement = t == NAME && syntax_expects(expected, n, "`;`") && behind < end && strchr("(=.[", *behind);
	bool value = t != NAME && syntax_expects(expected, n, "`=`");
	const char *sign = within ? "," : statement ? ";" : value ? "=" : NULL;
	if (!begins || !ends || !sign || p->previous.end == p->last.begin)
		return false;
	if (statement && before == ')' && is_reduction(p)) {
		diag_help(d, "in index notation what a reduction goes over stands in brackets: `sum[k] a[i, k]`");
		return true;
	}
	diag_help(d, "is a `%s` missing?", sign);
	diag_edit(d, (struct span){p->file, p->previous.end, p->previous.end}, sign[0] == '=' ? " =" : sign);
	return true;
}

/* One sign too many: `;;`, `,,`, `};`. */
static bool hint_twice(struct parse *p, struct diag *d)
{
	int t = p->last_token;
	if (t == p->previous_token)
		diag_help(d, "one `%c` is enough", t);
	else if (t == ';' && p->previous_token == '}')
		diag_help(d, "what ends with `}` needs no `;` behind it");
	else
		return false;
	diag_edit(d, p->last, "");
	return true;
}

/* `:`, `,` and `;`. */
static bool hint_separator(struct parse *p, struct diag *d, const char *const *expected, int n, const char *before)
{
	int t = p->last_token;
	if (t != ':' && hint_twice(p, d))
		return true;
	if (t == ',')
		return hint_separated(p, d, expected, n, before);
	if (t == ':' && syntax_expects(expected, n, "`{`"))
		hint_body(p, d);
	else if (t == ':' && syntax_expects(expected, n, "`]`"))
		diag_note(d, "a range is written `1..3`, a whole dimension `..`; steps: `let y[i] = x[2 * i];`");
	else if (t == ':' && p->previous_token == INT && syntax_expects(expected, n, "`)`"))
		diag_note(d, "a range is written `0..4`");
	else if (t == ';' && syntax_expects(expected, n, "`}`") && !syntax_expects(expected, n, "a statement"))
		hint_comma(p, d);
	else if (t == ';' && n == 1 && syntax_expects(expected, n, "`=`"))
		diag_note(d, "whatever is declared here gets a value");
	else
		return false;
	return true;
}

/* Where the layout of one axis begins that ends at `end`, `S(0)` or `B`; NULL: there is none. */
static const char *atom_before(const char *text, const char *end)
{
	while (end > text && end[-1] == ' ')
		end--;
	bool has_argument = end > text && end[-1] == ')';
	while (has_argument && end > text && end[-1] != '(')
		end--;
	end -= has_argument && end > text;
	bool is_atom = end > text && strchr(has_argument ? "SP" : "BP", end[-1]);
	return is_atom && (end - 1 == text || !char_is_word(end[-2])) ? end - 1 : NULL;
}

/* `to S(0), S(1)`: one behind the other, without axes and parentheses. */
static bool hint_layouts(struct parse *p, struct diag *d)
{
	const char *text = syntax_begun(p), *end = text + strlen(text);
	if (p->last_token == '(') {
		while (end > text && (end[-1] == ' ' || char_is_word(end[-1])))
			end--;
		if (end == text || *--end != ',')
			return false;
	}
	const char *atom = atom_before(text, end);
	while (atom && atom > text && atom[-1] == ' ')
		atom--;
	if (!atom || atom - text < 2 || !(atom[-1] == ':' || (!strncmp(atom - 2, "to", 2) && atom[0] == ' ')))
		return false;
	diag_help(d, "layouts of several axes stand in parentheses, each behind the name of its axis: "
		     "`(dp=S(0), tp=S(1))`");
	return true;
}

/* Whether a layout of one axis begins before the last token that names two dimensions: `S(0, 1)`. */
static bool is_split_twice(const struct parse *p)
{
	const char *text = syntax_begun(p), *end = text + strlen(text);
	if (p->last_token != INT || p->previous_token != ',')
		return false;
	while (end > text && strchr(" ,0123456789", end[-1]))
		end--;
	return end - text >= 2 && !strncmp(end - 2, "S(", 2) && (end - 2 == text || !char_is_word(end[-3]));
}

/* Whether `to` stands in front of the token before. */
static bool follows_to(const struct parse *p)
{
	const char *text = syntax_begun(p), *end = text + (p->previous.begin - (p->last.begin - strlen(text)));
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	return end - text > 2 && !strncmp(end - 2, "to", 2) && !char_is_word(end[-3]);
}

/* Of placements and layouts. */
static bool hint_layout(struct parse *p, struct diag *d, const char *const *expected, int n)
{
	int t = p->last_token;
	const char *text = syntax_begun(p);
	if (t == '@' && !syntax_expects(expected, n, "an expression") && !syntax_expects(expected, n, SYNTAX_ITEM))
		diag_note(d, "the placement comes first: `to @p : S(0)`; a product needs parentheses: `(x to B) @ y`");
	else if (is_split_twice(p))
		diag_help(d, "`S(d)` splits one dimension; each axis of a mesh splits its own: `(dp=S(0), tp=S(1))`");
	else if (t == ':' && p->previous_token == NAME && follows_to(p))
		diag_help(d, "a placement stands behind `@`: `to @%s : S(0)`", syntax_text(p, p->previous));
	else if (t == ':' && syntax_expects(expected, n, "`;`") && strchr(text, '@') && !strstr(text, "to @"))
		diag_help(d, "a value is brought to a placement by `to`: `x to @p : S(0)`");
	else if (t == ':' && syntax_expects(expected, n, "`;`"))
		diag_help(d,
			  "the layout of a value stands behind `to`: `x to S(0)`, with a placement `x to @p : S(0)`");
	else if (t == AS && p->previous_token == ')' && strstr(text, "auto("))
		diag_help(d, "which axes there are is open as well: `place grid = auto(ranks(0..8));`");
	else if (p->previous_token == AUTO ||
		 (p->previous_token == '(' && n == 1 && syntax_expects(expected, n, "`ranks`")))
		diag_help(d, "`place grid = auto(ranks(0..8));` leaves open how these ranks are used");
	else if (t == INT && p->previous_token == '(' && !strncmp(text, "place ", 6))
		diag_help(d, "axes have names: `as (dp = 2, tp = 4)`");
	else
		return (t == ',' || t == '(') && hint_layouts(p, d);
	return true;
}

/* Whether the first n bytes of text end with a word, by itself; blanks may stand behind it. */
static bool ends_with_word(const char *text, size_t n, const char *word)
{
	size_t length = strlen(word);
	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	return n >= length && !strncmp(text + n - length, word, length) &&
	       (n == length || !char_is_word(text[n - length - 1]));
}

/* `x => 2.0 * x`, `(x) -> 2.0 * x`, `lambda: 3.0`, `function (x) 2.0 * x`, `fn (x) => 2.0 * x`: functions without
 * names. */
static bool hint_nameless(struct parse *p, struct diag *d, const char *const *expected, int n)
{
	int t = p->last_token;
	const char *text = syntax_begun(p), *open = strrchr(text, '('), *colon = strrchr(text, ':');
	bool value = syntax_expects(expected, n, "an expression");
	bool block = syntax_expects(expected, n, "a statement") || syntax_expects(expected, n, SYNTAX_ITEM);
	bool arrow = (t == THEN || t == ARROW) && !value && !block && !syntax_expects(expected, n, "`=>`") &&
		     !syntax_expects(expected, n, "`{`") && !begins_with(p, "fn ") && !begins_with(p, "op ");
	bool word = (p->previous_token == ')' && open && ends_with_word(text, (size_t)(open - text), "function")) ||
		    (p->previous_token == ':' && colon && ends_with_word(text, (size_t)(colon - text), "lambda"));
	if (!arrow && !word && !(t == FN && !block))
		return false;
	diag_help(d, "%s", habit_here(HABIT_BEHIND, "lambda"));
	return true;
}

void syntax_hint(struct parse *p, struct diag *d, const char *const *expected, int n)
{
	int t = p->last_token;
	const char *found = syntax_text(p, p->last), *before = syntax_text(p, p->previous);
	bool wants_statement = syntax_expects(expected, n, "a statement");
	bool wants_item = syntax_expects(expected, n, SYNTAX_ITEM);
	bool wants_value = syntax_expects(expected, n, "an expression");
	bool in_list = (p->previous_token == '(' || p->previous_token == ',') && syntax_expects(expected, n, "`)`");
	bool wants_name = syntax_expects(expected, n, "a name") || (in_list && n == 1);
	if (t == '=' && n == 1 && syntax_expects(expected, n, "`:`"))
		diag_help(d,
			  "a type stands between name and value: `%s : f32 = ...;`, of a tensor `f32[3, 4]`, of a "
			  "struct its name",
			  before);
	else if (t == '=' && n == 1 && syntax_expects(expected, n, "`{`") && begins_with(p, "fn "))
		diag_help(d, "the body of a function stands in braces: `{ return 2.0 * x; }`");
	else if (t == '=' && (begins_with(p, "for (") || begins_with(p, "for(")))
		diag_help(d, "a loop counts by itself: `for i in 0..10 { }`");
	else if (hint_nameless(p, d, expected, n))
		return;
	else if (t == '(' && is_type_word(before))
		diag_help(d, "a shape stands in brackets: `%s[3, 4]`", before);
	else if (t == NAME && (!strcmp(found, "S") || !strcmp(found, "B") || !strcmp(found, "P")) &&
		 strstr(syntax_begun(p), "to @"))
		diag_help(d, "a layout stands behind a colon: `to @p : %s`", *found == 'S' ? "S(0)" : found);
	else if (wants_value && t == '+' && p->previous_token != '+')
		diag_help(d, "a number has no `+` in front of it%s",
			  p->previous_token == '=' ? "; `x += 1` adds to a variable" : "");
	else if (wants_value && t == '=' && is_operator(p->previous_token))
		diag_help(d, "there is `+=`, `-=`, `*=` and `/=`; else write `x = x %s y`", before);
	else if (t == '=' && !wants_statement && !wants_item && !syntax_expects(expected, n, "a name"))
		hint_assignment(p, d, syntax_expects(expected, n, "`{`") || syntax_expects(expected, n, "`)`"));
	else if (hint_layout(p, d, expected, n))
		return;
	else if (t == EQ && n == 1 && syntax_expects(expected, n, "`=`"))
		diag_help(d, "`==` compares; a name is bound by `=`");
	else if ((is_operator(t) || syntax_compares(t)) && !wants_value && !wants_item)
		hint_behind_to(p, d, found);
	else if (wants_item && hint_item(d, t))
		return;
	else if (wants_statement && syntax_is_item(t))
		hint_nested(d, t);
	else if (p->previous_token == ']' && (t == NAME || t == '(') && syntax_expects(expected, n, "`;`"))
		diag_note(d,
			  "reductions are `sum[k]`, `prod`, `max`, `min`, `argmax`, `argmin`, `mean`, `any` and `all`");
	else if (t == ELSE)
		diag_note(d,
			  "as an expression: `if condition => a else b`; as a statement: `if condition { } else { }`");
	else if ((t == '+' || t == '-') && !strcmp(before, found))
		diag_note(d, "there is no `++` and no `--`; write `%s= 1`", found);
	else if (wants_value && (t == '<' || t == '>') && !strcmp(before, found))
		diag_help(d, "bits are shifted by `%s(a, n)`", t == '<' ? "left_shift" : "right_shift");
	else if (t == '=' && p->previous_token == ':')
		diag_help(d, "write `=`");
	else if (t == ARROW && syntax_expects(expected, n, "`=>`"))
		diag_help(d, "a choice is written `if condition => a else b`");
	else if (t == '{' && hint_brace(p, d, expected, n, before))
		return;
	else if (t == '[' && p->previous_token == ']')
		diag_help(d, "a list of tensors has its number in front: `[4] f32[8, 8]`");
	else if (t == '.' && p->previous_token == DOTDOT)
		diag_help(d, "two points, `x[.., 0]`, stand for all dimensions that are left");
	else if (t == FOR &&
		 (syntax_expects(expected, n, "`]`") || (syntax_expects(expected, n, "`)`") && !wants_statement)))
		diag_help(d, "a list grows in a loop, `xs = xs + [x];`; a tensor has a rule, `let y[i] = 2.0 * x[i];`");
	else if (t != '{' && p->previous_token == ')' && syntax_expects(expected, n, "`=>`") &&
		 syntax_expects(expected, n, "`{`"))
		diag_note(d, "the body stands in braces, also a single statement");
	else if (t == AS && syntax_expects(expected, n, "`.`"))
		hint_import(d, before);
	else if ((t == ':' || t == ',' || t == ';') && hint_separator(p, d, expected, n, before))
		return;
	else if (p->previous_token == ')' && n == 1 && syntax_expects(expected, n, "`{`") &&
		 strstr(syntax_begun(p), "remat("))
		diag_help(d,
			  "what is computed again stands in braces: `remat { f(x) }`; in parentheses, whether it is: "
			  "`remat(deep) { f(x) }`");
	else if (n == 1 && syntax_expects(expected, n, "`{`"))
		diag_note(d, "the body stands in braces");
	else if (hint_word(p, d, found, before, wants_name) || hint_between(p, d, expected, n))
		return;
	else if (wants_item && t == NAME)
		diag_note(d, "calls and assignments stand in `main { }`, in a test or in a function");
}
