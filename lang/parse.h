/* parse.h — what the lexer, the grammar and the builders of AST nodes share while one file is parsed.
 * Private to this folder: everybody else includes lang.h. */
#ifndef PML_PARSE_H
#define PML_PARSE_H

#include "ast.h"
#include "base/diag.h"

/* Bounds that keep every recursive walker of the AST within a few hundred frames, whatever the input. */
enum {
	MAX_BRACKETS = 200, /* open ( [ { at one point */
	MAX_DEPTH = 600,    /* nested nodes, statements included */
	MAX_ERRORS = 500,   /* after so many the rest of the file is skipped */
	MAX_SOURCE = 16 * 1024 * 1024,
};

struct bracket {
	int token;
	struct span span;
	bool reported; /* an error was met inside of it */
};

struct parse {
	struct session *session;
	struct module *module; /* receives the items; NULL when one expression is parsed */
	struct expr *expr;     /* the result when one expression is parsed */
	uint32_t file;
	const char *bytes;
	uint32_t size, offset; /* offset: of the next byte to be scanned; size: where what is parsed ends */
	void *scanner;
	int first_token;  /* chooses what is parsed; handed out before the file's tokens, then 0 */
	bool stop;        /* the rest of the file is not read */
	bool too_deep;    /* reported already */
	uint32_t broken;  /* end of an unfinished string, or of a value whose member is a number: what follows it is no
			     news */
	uint32_t foreign; /* end of the last token or character that cannot stand there; the rest of its line is no news
			   */
	int reserved; /* a word of the language that was taken for a name, and told: it is no news where else it stands
		       */
	uint32_t astray; /* where, in an item that has not ended, a bracket was told that cannot stand; 0: nowhere */
	bool mismatched; /* since, a block was closed by a bracket of another kind: what else cannot stand is no news */
	struct span previous; /* the token before the last one read */
	struct span last;     /* the last one read */
	struct span moved;    /* the last `x to B` */
	int last_token, previous_token;
	VEC(struct bracket) open;
	bool holds; /* a token waits until closing brackets that were left out have been handed out */
	int held;
	struct span held_at;
	struct bracket unmatched; /* the bracket that was open when a closing one of another kind came; token 0: none */
};

/* Lists as the grammar collects them. */
struct args {
	VEC(struct arg) v;
};
struct exprs {
	VEC(struct expr *) v;
};
struct types {
	VEC(struct type *) v;
};
struct dims {
	VEC(struct ast_dim) v;
};
struct names {
	VEC(struct name) v;
};
struct generics {
	VEC(struct generic) v;
};
struct params {
	VEC(struct param) v;
};
struct patterns {
	VEC(struct pattern *) v;
};
struct stmts {
	struct stmt *first, *last;
};

/* Where a value goes: `@ placement : layout`, either may be missing. */
struct where {
	struct span span;
	struct expr *placement;
	struct ast_layout *layout;
};

/* Takes the elements of one list over into another of the same element type. */
#define LIST_TAKE(to, from) ((to)->at = (from)->at, (to)->n = (from)->n, (to)->cap = (from)->cap)

/* ---- lexer.l ---- */

union parse_value;
void lexer_open(struct parse *p);
void lexer_close(struct parse *p);
/* The first byte at or after i that is neither space nor comment; p->size at the end. */
uint32_t lexer_skip_space(const struct parse *p, uint32_t i);
/* The next token as the grammar gets it: brackets counted, places remembered. 0 at the end. */
int lexer_next(union parse_value *value, struct span *where, struct parse *p);
/* Whether the name can begin a reduction: sum, prod, max, ... */
bool lexer_is_combiner(const char *text);

/* ---- parser.y ---- */

enum parse_what { PARSE_MODULE, PARSE_EXPR };
/* Parses p->file; messages go to the session. */
void parse_run(struct parse *p, enum parse_what what);
/* A token's name as messages show it: "`let`", "a name". */
const char *parse_token_name(int token);

/* ---- syntax_error.c ---- */

/* Reports that token `found` cannot stand at p->last; expected: names of what can, as parse_token_name gives them. */
void syntax_error(struct parse *p, const char *found, const char *const *expected, int n);
/* Reports that token cannot stand at p->last because a bracket is open. */
void syntax_left_open(struct parse *p, int token);
/* Whether this token begins an item. */
bool syntax_is_item(int token);
void syntax_too_deep(struct parse *p, struct span at);
/* Whether a mistake was met on the line of `at`, before it or behind it. */
bool syntax_told(const struct parse *p, uint32_t at);

/* ---- tree.c: new nodes; a node nested too deeply is reported and replaced by a leaf ---- */

struct expr *tree_expr(struct parse *p, enum expr_kind kind, struct span span);
/* Settles the depth of a node whose children are in place. Every node goes through here once. */
struct expr *tree_done(struct parse *p, struct expr *e);
/* Reports an expression with more than MAX_DEPTH links, which is too long where chains are not followed in loops. */
struct expr *tree_shallow(struct parse *p, struct expr *e);
struct expr *tree_name(struct parse *p, struct name name);
struct expr *tree_unary(struct parse *p, struct span span, enum unary_op op, struct expr *operand);
struct expr *tree_binary(struct parse *p, struct span span, enum binary_op op, struct expr *lhs, struct expr *rhs);
struct expr *tree_range(struct parse *p, struct span span, struct expr *lhs, struct expr *rhs);
struct expr *tree_apply(struct parse *p, enum expr_kind kind, struct span span, struct expr *callee,
			const struct args *args);
struct expr *tree_list(struct parse *p, enum expr_kind kind, struct span span, const struct exprs *items);
struct expr *tree_ranks(struct parse *p, struct span span, const struct exprs *ranks);
/* `ranks(0..8) as auto`: one axis without an extent. */
struct expr *tree_auto_mesh(struct parse *p, struct span span, struct expr *place, struct name word);
struct expr *tree_field(struct parse *p, struct span span, struct expr *object, struct name name);
struct expr *tree_to(struct parse *p, struct span span, struct expr *value, const struct where *to);

/* A layout of one atom: `S(dim)`, `B`, `P(name)`, a layout parameter. arg: what stands in parentheses, or NULL. */
/* `S(0, shares = [2, 1])`. */
struct ast_atom tree_shares(struct parse *p, struct span span, struct name name, struct expr *dim, struct name option,
			    struct expr *value);
struct ast_atom tree_atom(struct parse *p, struct span span, struct name name, struct expr *arg);
struct ast_layout *tree_layout(struct parse *p, struct span span);
struct ast_dim tree_dim(struct parse *p, struct expr *e);

struct type *tree_type(struct parse *p, enum type_kind kind, struct span span);
struct type *tree_type_done(struct parse *p, struct type *t);
/* int, string, path, ... */
bool type_is_host(const char *text);
/* f32, i8, bool, ... */
bool type_is_dtype(const char *text);
/* A type by its name, with what stands in brackets (NULL: nothing). */
/* of: a name and fields, whose value is an element type. */
struct type *tree_type_of_value(struct parse *p, struct span span, struct expr *of);
struct type *tree_named_type(struct parse *p, struct span span, struct name qualifier, struct name name,
			     const struct dims *dims);

/* A type with what stands after `@` and after `:`; either may be NULL. */
struct type *tree_placed(struct parse *p, struct span span, struct type *t, struct expr *placement,
			 struct ast_layout *layout);

/* ---- tree_stmt.c: statements and items ---- */

/* A statement of pattern, value and body; what its kind does not have is NULL. */
struct stmt *tree_simple(struct parse *p, enum stmt_kind kind, struct span span, struct pattern *pattern,
			 struct expr *value, struct stmt *body);
/* `remat every k` before a loop. */
struct stmt *tree_every(struct parse *p, struct span span, struct expr *k, struct stmt *loop);
struct stmt *tree_if(struct parse *p, struct span span, struct expr *cond, struct stmt *then, struct stmt *other);
struct stmt *tree_state(struct parse *p, struct span span, struct name name, struct type *type, struct expr *like,
			struct expr *value);
struct stmt *tree_block(struct parse *p, struct span span, const struct stmts *list);
/* s may be NULL: what error recovery left. */
/* The same for what stands on the lines of a `names` block; the block. */
struct stmt *tree_shallow_lines(struct parse *p, struct stmt *block);
void tree_append(struct stmts *list, struct stmt *s);
struct stmt *tree_assign(struct parse *p, struct span span, struct expr *target, enum assign_op op, struct expr *value);
struct pattern *tree_pattern(struct parse *p, struct span span, struct name name);

/* A new item, added to the module. */
struct item *tree_item(struct parse *p, enum item_kind kind, struct span span, struct name name);
struct item *tree_import(struct parse *p, struct span span, const struct names *path);
/* const, config, place, param, state, cache */
struct item *tree_value(struct parse *p, enum item_kind kind, struct span span, struct name name, struct type *type,
			struct expr *value);
/* fn, op, struct, up to its parameters */
struct item *tree_function(struct parse *p, enum item_kind kind, struct span span, struct name name,
			   const struct generics *generics, const struct params *params);

/* ---- docs.c ---- */

/* Gives the item and its parameters the `///` lines above them or behind them. */
void docs_attach(struct session *s, struct item *it);
/* Whether there are some above it, also of an item that waits: what has none serves its module itself. */
bool docs_stand_above(const struct session *s, const struct item *it);

/* ---- outline.c ---- */

/* Fills m->items with what the text of a library module declares; functions, operators and structs wait until they are
 * referred to (item_read). False if the text is not as this takes it to be: then it is to be parsed as a whole. */
bool outline_module(const struct parse *p, struct module *m);

/* ---- modules.c ---- */

/* Whether the file is UTF-8 text without NUL bytes, which the lexer relies on; reports the first byte that is not. */
bool source_check_text(struct session *s, uint32_t file);
/* Parses a source that is registered already into a new module. */
struct module *module_parse(struct session *s, const char *name, uint32_t file);
/* The same of the library, whose items may wait. */
struct module *module_outline(struct session *s, const char *name, uint32_t file);
/* Parses an item that waits; false after messages, then and from then on (it->is_broken). */
bool item_read(struct session *s, struct item *it);

struct program_ast;
/* lang_load and lang_load_text (lang.h) before names are resolved. */
struct program_ast *modules_load(struct session *s, const char *path);
struct program_ast *modules_load_text(struct session *s, const char *path, const char *bytes, size_t size);

#endif
