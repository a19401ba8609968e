/* parser.y — the grammar of PML. `pmlc --print=grammar` prints this file without its actions (grammar.awk).
 *
 * Nodes live in the session's arena, so no symbol needs a destructor: what error recovery drops goes with the arena.
 * After an error the parser goes on at the next `;`, block or item, so that all errors of a file are reported. */
%code requires {
#include "parse.h"
}
%code top {
#include "parse.h"
}

%define api.pure full
%define api.prefix {pml}
%define api.value.union.name parse_value
%define api.location.type {struct span}
%define parse.error custom
%locations
%expect 0
%param {struct parse *p}

%code {
#define pmllex lexer_next
#define YYMAXDEPTH 4000
/* Node stacks are copied by plain assignment, so they may move when they grow. */
#define YYLLOC_DEFAULT(now, rhs, n)                                                                                    \
	((now) = (n) ? span_join(YYRHSLOC(rhs, 1), YYRHSLOC(rhs, n))                                                   \
		     : (struct span){YYRHSLOC(rhs, 0).file, YYRHSLOC(rhs, 0).end, YYRHSLOC(rhs, 0).end})
#define PUSH(list, x) vec_push(p->session->arena, &(list)->v, x)
#define NEW(T) ARENA_NEW(p->session->arena, T)

static const struct name no_name;
static void pmlerror(const struct span *at, struct parse *p, const char *message);
}

%union {
	struct name name;
	struct expr *expr;
	struct stmt *stmt;
	struct type *type;
	struct item *item;
	struct pattern *pattern;
	struct args *args;
	struct exprs *exprs;
	struct types *types;
	struct dims *dims;
	struct names *names;
	struct generics *generics;
	struct params *params;
	struct patterns *patterns;
	struct stmts stmts;
	struct where where;
	struct ast_layout *layout;
	struct ast_atom atom;
	struct ast_dim dim;
	struct arg arg;
	struct param param;
	struct generic generic;
	enum assign_op assign_op;
}

/* What is parsed: a file, or the expression of a -D option. */
%token START_MODULE "begin of file" START_EXPR "begin of expression"
%token YYEOF 0 "end of file"

%token IMPORT "`import`" CONST "`const`" CONFIG "`config`" PLACE "`place`" STRUCT "`struct`" PARAM "`param`"
%token STATE "`state`" CACHE "`cache`" OP "`op`" FN "`fn`" NAMES "`names`" MAIN "`main`" TEST "`test`"
%token LET "`let`" VAR "`var`" FOR "`for`" EACH "`each`" IN "`in`" WHILE "`while`" IF "`if`" ELSE "`else`"
%token EVERY "`every`" RETURN "`return`" BREAK "`break`" CONTINUE "`continue`" TO "`to`" AS "`as`" USING "`using`" TRUE "`true`" FALSE "`false`"
%token <name> AUTO "`auto`" RANKS "`ranks`" MICROBATCH "`microbatch`" REMAT "`remat`" MIXED "`mixed`"
%token LIKE "`like`"
%token DOTDOT "`..`" ARROW "`->`" THEN "`=>`" EQ "`==`" NE "`!=`" LE "`<=`" GE "`>=`" AND "`&&`" OR "`||`" POW "`**`"
%token ADD_SET "`+=`" SUB_SET "`-=`" MUL_SET "`*=`" DIV_SET "`/=`"
%token '+' "`+`" '-' "`-`" '*' "`*`" '/' "`/`" '%' "`%`" '@' "`@`" '=' "`=`" '<' "`<`" '>' "`>`" '!' "`!`" '.' "`.`"
%token ',' "`,`" ';' "`;`" ':' "`:`" '(' "`(`" ')' "`)`" '{' "`{`" '}' "`}`" '[' "`[`" ']' "`]`" '?' "`?`"
%token <expr> INT "an integer" FLOAT "a number" STRING "a string"
%token <name> NAME "a name" COMBINER "a reduction"

/* Binding strength, weakest first. `to` is weaker than all of these, calls and indexes are stronger. */
%precedence ELSE
%left OR
%left AND
%nonassoc EQ NE '<' LE '>' GE
%nonassoc DOTDOT
%precedence REDUCTION
%left '+' '-'
%left '*' '/' '%' '@'
%precedence UNARY
%right POW
%precedence AS

%type <expr> expr operation postfix primary type_of_value place_ref placement value_opt value_eq below
%type <type> type plain_type type_opt type_of as_type kind result
%type <name> using
%type <dims> dims dim_list
%type <dim> dim
%type <args> args arg_list block_args block_arg_list index_args index_list axes axis_list
%type <arg> arg block_arg index_arg axis
%type <exprs> exprs expr_list
%type <types> types
%type <names> names path
%type <generics> generics generic_list
%type <generic> generic
%type <params> params param_list fields field_list op_params op_param_list
%type <param> param field op_param
%type <patterns> patterns
%type <pattern> pattern typed_pattern
%type <stmt> stmt block value_block loop if_stmt
%type <stmts> stmts
%type <assign_op> assign_op
%type <where> where
%type <layout> layout atoms bare_atoms
%type <atom> atom named_atom

%start start
%%

start
	: START_MODULE items
	| START_EXPR expr                     { p->expr = $2; }
	;

/* ---- items ---- */

items
	: %empty
	| items item
	| items error                         /* goes on at the next word that begins an item */
	;

item
	: IMPORT path semi                    { tree_import(p, @$, $2); }
	| CONST NAME type_opt '=' expr semi   { tree_value(p, ITEM_CONST, @$, $2, $3, $5); }
	| CONFIG NAME type_of '=' expr semi   { tree_value(p, ITEM_CONFIG, @$, $2, $3, $5); }
	| PLACE NAME '=' placement semi       { tree_value(p, ITEM_PLACE, @$, $2, NULL, $4); }
	| STRUCT NAME generics '{' fields '}' { tree_function(p, ITEM_STRUCT, @$, $2, $3, $5); }
	| PARAM NAME type_of value_opt semi   { tree_value(p, ITEM_PARAM, @$, $2, $3, $4); }
	| STATE NAME type_of value_opt semi   { tree_value(p, ITEM_STATE, @$, $2, $3, $4); }
	| CACHE NAME type_of value_opt semi   { tree_value(p, ITEM_CACHE, @$, $2, $3, $4); }
	| OP NAME generics '(' op_params ')' ARROW '[' dims ']' kind '=' expr using semi {
		struct item *it = tree_function(p, ITEM_OP, @$, $2, $3, $5);
		LIST_TAKE(&it->out_dims, &$9->v);
		it->type = $11;
		it->value = tree_shallow(p, $13);
		it->hint = $14;
	  }
	| FN NAME generics '(' params ')' result block {
		struct item *it = tree_function(p, ITEM_FN, @$, $2, $3, $5);
		it->type = $7;
		it->body = $8;
	  }
	| FN error block                      { yyerrok; }
	| NAMES NAME block                    { tree_item(p, ITEM_NAMES, @$, $2)->body = tree_shallow_lines(p, $3); }
	| MAIN block                          { tree_item(p, ITEM_MAIN, @$, no_name)->body = $2; }
	| TEST STRING block                   { tree_item(p, ITEM_TEST, @$, (struct name){$2->string, @2})->body = $3; }
	;

result
	: %empty                              { $$ = NULL; }
	| ARROW type                          { $$ = $2; }
	;
path
	: NAME                                { $$ = NEW(struct names); PUSH($$, $1); }
	| path '.' NAME                       { $$ = $1; PUSH($$, $3); }
	;

placement
	: expr
	| AUTO '(' RANKS '(' exprs ')' ')'    { $$ = tree_ranks(p, @$, $5); $$->place.is_open = true; }
	;
value_opt
	: %empty                              { $$ = NULL; }
	| value_eq
	;
value_eq
	: '=' expr                            { $$ = $2; }
	;
using
	: %empty                              { $$ = no_name; }
	| USING NAME                          { $$ = $2; }
	;
semi
	: ';'
	| error
	;

generics
	: %empty                              { $$ = NEW(struct generics); }
	| '[' generic_list ']'                { $$ = $2; }
	;
generic_list
	: generic                             { $$ = NEW(struct generics); PUSH($$, $1); }
	| generic_list ',' generic            { $$ = $1; PUSH($$, $3); }
	;
generic
	: NAME                                { $$ = (struct generic){.name = $1}; }
	| NAME ':' NAME                       { $$ = (struct generic){.name = $1, .kind = $3}; }
	| DOTDOT                              { $$ = (struct generic){.name = {NULL, @1}, .rest = true}; }
	;

params
	: %empty                              { $$ = NEW(struct params); }
	| param_list
	| param_list ','
	;
param_list
	: param                               { $$ = NEW(struct params); PUSH($$, $1); }
	| param_list ',' param                { $$ = $1; PUSH($$, $3); }
	;
param
	: NAME type_opt value_opt             { $$ = (struct param){.name = $1, .type = $2, .init = $3, .span = @$}; }
	;

fields
	: %empty                              { $$ = NEW(struct params); }
	| field_list
	| field_list ','
	;
field_list
	: field                               { $$ = NEW(struct params); PUSH($$, $1); }
	| field_list ',' field                { $$ = $1; PUSH($$, $3); }
	;
field
	: NAME type_of value_opt              { $$ = (struct param){.name = $1, .type = $2, .init = $3, .span = @$}; }
	;

op_params
	: %empty                              { $$ = NEW(struct params); }
	| op_param_list
	| op_param_list ','
	;
op_param_list
	: op_param                            { $$ = NEW(struct params); PUSH($$, $1); }
	| op_param_list ',' op_param          { $$ = $1; PUSH($$, $3); }
	;
op_param
	: NAME '[' dims ']' kind below value_opt {
		$$ = (struct param){.name = $1, .type = $5, .init = $7, .has_dims = true, .below = $6, .span = @$};
		LIST_TAKE(&$$.dims, &$3->v);
	  }
	| NAME kind value_opt                 { $$ = (struct param){.name = $1, .type = $2, .init = $3, .span = @$}; }
	;
below
	: %empty                              { $$ = NULL; }
	| '<' expr                            { $$ = $2; }
	;
kind
	: %empty                              { $$ = NULL; }
	| ':' NAME                            { $$ = tree_named_type(p, @2, no_name, $2, NULL); }
	;

/* ---- types: f32[n, 784] @ left : S(0);  Block[grid[pp=0]];  [L] Block[p];  (f32[n], i32[n]) ---- */

type_opt
	: %empty                              { $$ = NULL; }
	| type_of
	;
type_of
	: ':' type                            { $$ = $2; }
	;
type
	: plain_type
	| plain_type '@' place_ref            { $$ = tree_placed(p, @$, $1, $3, NULL); }
	| plain_type ':' layout               { $$ = tree_placed(p, @$, $1, NULL, $3); }
	| plain_type '@' place_ref ':' layout { $$ = tree_placed(p, @$, $1, $3, $5); }
	;
plain_type
	: NAME                                { $$ = tree_named_type(p, @$, no_name, $1, NULL); }
	| NAME '[' dims ']'                   { $$ = tree_named_type(p, @$, no_name, $1, $3); }
	| NAME '.' NAME                       { $$ = tree_named_type(p, @$, $1, $3, NULL); }
	| NAME '.' NAME '[' dims ']'          { $$ = tree_named_type(p, @$, $1, $3, $5); }
	| '[' expr ']' plain_type {
		struct type *t = tree_type(p, TYPE_ARRAY, @$);
		vec_push(p->session->arena, &t->dims, tree_dim(p, $2));
		t->has_dims = true;
		t->element = $4;
		$$ = tree_type_done(p, t);
	  }
	| '[' NAME IN expr ']' plain_type {
		struct type *t = tree_type(p, TYPE_ARRAY, @$);
		vec_push(p->session->arena, &t->dims, tree_dim(p, $4));
		t->has_dims = true;
		t->index = $2;
		t->element = $6;
		$$ = tree_type_done(p, t);
	  }
	| '(' types ')' {
		struct type *t = tree_type(p, TYPE_TUPLE, @$);
		LIST_TAKE(&t->members, &$2->v);
		$$ = tree_type_done(p, t);
	  }
	;
types
	: type                                { $$ = NEW(struct types); PUSH($$, $1); }
	| types ',' type                      { $$ = $1; PUSH($$, $3); }
	;

dims
	: %empty                              { $$ = NEW(struct dims); }
	| dim_list
	;
dim_list
	: dim                                 { $$ = NEW(struct dims); PUSH($$, $1); }
	| dim_list ',' dim                    { $$ = $1; PUSH($$, $3); }
	;
dim
	: expr                                { $$ = tree_dim(p, $1); }
	| DOTDOT                              { $$ = (struct ast_dim){.span = @1, .form = DIM_REST}; }
	;

place_ref
	: NAME                                { $$ = tree_name(p, $1); }
	| place_ref '.' NAME                  { $$ = tree_field(p, @$, $1, $3); }
	| place_ref '[' index_args ']'        { $$ = tree_apply(p, EXPR_INDEX, @$, $1, $3); }
	| RANKS '(' exprs ')'                 { $$ = tree_ranks(p, @$, $3); }
	;

layout
	: atom                                { $$ = tree_layout(p, @$); vec_push(p->session->arena, &$$->atoms, $1); }
	| '(' atoms ')'                       { $$ = $2; $$->span = @$; }
	| '(' bare_atoms ')'                  { $$ = $2; $$->span = @$; } /* several: told when the placement is known */
	;
bare_atoms
	: atom                                { $$ = tree_layout(p, @$); vec_push(p->session->arena, &$$->atoms, $1); }
	| bare_atoms ',' atom                 { $$ = $1; vec_push(p->session->arena, &$$->atoms, $3); }
	;
atom
	: NAME                                { $$ = tree_atom(p, @$, $1, NULL); }
	| NAME '(' expr ')'                   { $$ = tree_atom(p, @$, $1, $3); }
	| NAME '(' expr ',' NAME '=' expr ')' { $$ = tree_shares(p, @$, $1, $3, $5, $7); }
	| AUTO                                { $$ = (struct ast_atom){.span = @$, .form = ATOM_AUTO}; }
	;
atoms
	: named_atom {
		$$ = tree_layout(p, @$);
		$$->named_axes = true;
		vec_push(p->session->arena, &$$->atoms, $1);
	  }
	| atoms ',' named_atom                { $$ = $1; vec_push(p->session->arena, &$$->atoms, $3); }
	;
named_atom
	: NAME '=' atom                       { $$ = $3; $$.axis = $1; $$.span = @$; }
	;

/* ---- statements ---- */

block
	: '{' stmts '}'                       { $$ = tree_block(p, @$, &$2); }
	| '{' stmts error '}'                 { $$ = tree_block(p, @$, &$2); yyerrok; }
	;
/* The block of an expression: its last expression is its value. */
value_block
	: '{' stmts '}'                       { $$ = tree_block(p, @$, &$2); }
	| '{' stmts expr '}' {
		tree_append(&$2, tree_simple(p, STMT_EXPR, @3, NULL, $3, NULL));
		$$ = tree_block(p, @$, &$2);
	  }
	| '{' stmts error '}'                 { $$ = tree_block(p, @$, &$2); yyerrok; }
	;
stmts
	: %empty                              { $$ = (struct stmts){NULL, NULL}; }
	| stmts stmt                          { $$ = $1; tree_append(&$$, $2); }
	;

stmt
	: LET typed_pattern '=' expr semi     { $$ = tree_simple(p, STMT_LET, @$, $2, $4, NULL); }
	| VAR typed_pattern '=' expr semi     { $$ = tree_simple(p, STMT_VAR, @$, $2, $4, NULL); }
	| STATE NAME ':' type '=' expr semi   { $$ = tree_state(p, @$, $2, $4, NULL, $6); }
	| STATE NAME ':' LIKE postfix '=' expr semi { $$ = tree_state(p, @$, $2, NULL, $5, $7); }
	| STATE NAME ':' LIKE postfix AS NAME '=' expr semi {
		$$ = tree_state(p, @$, $2, tree_named_type(p, @7, no_name, $7, NULL), $5, $9);
	  }
	| expr assign_op expr semi            { $$ = tree_assign(p, @$, $1, $2, $3); }
	| expr semi                           { $$ = tree_simple(p, STMT_EXPR, @$, NULL, $1, NULL); }
	| RETURN semi                         { $$ = tree_simple(p, STMT_RETURN, @$, NULL, NULL, NULL); }
	| RETURN expr semi                    { $$ = tree_simple(p, STMT_RETURN, @$, NULL, $2, NULL); }
	| BREAK semi                          { $$ = tree_simple(p, STMT_BREAK, @$, NULL, NULL, NULL); }
	| CONTINUE semi                       { $$ = tree_simple(p, STMT_CONTINUE, @$, NULL, NULL, NULL); }
	| loop
	| REMAT EVERY expr loop               { $$ = tree_every(p, @$, $3, $4); }
	| EACH pattern IN expr block          { $$ = tree_simple(p, STMT_EACH, @$, $2, $4, $5); }
	| EVERY expr block                    { $$ = tree_simple(p, STMT_EVERY, @$, NULL, $2, $3); }
	| if_stmt
	| block
	| error ';'                           { $$ = NULL; yyerrok; }
	| error block                         { $$ = $2; yyerrok; }
	;

loop
	: FOR pattern IN expr block           { $$ = tree_simple(p, STMT_FOR, @$, $2, $4, $5); }
	| WHILE expr block                    { $$ = tree_simple(p, STMT_WHILE, @$, NULL, $2, $3); }
	;

if_stmt
	: IF expr block                       { $$ = tree_if(p, @$, $2, $3, NULL); }
	| IF expr block ELSE block            { $$ = tree_if(p, @$, $2, $3, $5); }
	| IF expr block ELSE if_stmt          { $$ = tree_if(p, @$, $2, $3, $5); }
	;

assign_op
	: '='                                 { $$ = ASSIGN_SET; }
	| ADD_SET                             { $$ = ASSIGN_ADD; }
	| SUB_SET                             { $$ = ASSIGN_SUB; }
	| MUL_SET                             { $$ = ASSIGN_MUL; }
	| DIV_SET                             { $$ = ASSIGN_DIV; }
	;

pattern
	: NAME                                { $$ = tree_pattern(p, @$, $1); }
	| NAME '[' dims ']' {
		$$ = tree_pattern(p, @$, $1);
		$$->indexed = true;
		LIST_TAKE(&$$->factors, &$3->v);
	  }
	| '(' patterns ')' {
		struct pattern *tuple = tree_pattern(p, @$, no_name);
		LIST_TAKE(&tuple->members, &$2->v);
		$$ = tuple->members.n == 1 ? tuple->members.at[0] : tuple;
	  }
	;
patterns
	: pattern                             { $$ = NEW(struct patterns); PUSH($$, $1); }
	| patterns ',' pattern                { $$ = $1; PUSH($$, $3); }
	;
typed_pattern
	: pattern type_opt                    { $$ = $1; $$->type = $2; }
	;

/* ---- expressions ---- */

expr
	: operation
	| expr TO where                       { $$ = tree_to(p, @$, $1, &$3); }
	;
where
	: '@' place_ref                       { $$ = (struct where){@$, $2, NULL}; }
	| '@' place_ref ':' layout            { $$ = (struct where){@$, $2, $4}; }
	| ':' layout                          { $$ = (struct where){@$, NULL, $2}; }
	| layout                              { $$ = (struct where){@$, NULL, $1}; }
	;

operation
	: postfix
	| operation OR operation              { $$ = tree_binary(p, @$, BIN_OR, $1, $3); }
	| operation AND operation             { $$ = tree_binary(p, @$, BIN_AND, $1, $3); }
	| operation EQ operation              { $$ = tree_binary(p, @$, BIN_EQ, $1, $3); }
	| operation NE operation              { $$ = tree_binary(p, @$, BIN_NE, $1, $3); }
	| operation '<' operation             { $$ = tree_binary(p, @$, BIN_LT, $1, $3); }
	| operation LE operation              { $$ = tree_binary(p, @$, BIN_LE, $1, $3); }
	| operation '>' operation             { $$ = tree_binary(p, @$, BIN_GT, $1, $3); }
	| operation GE operation              { $$ = tree_binary(p, @$, BIN_GE, $1, $3); }
	| operation DOTDOT operation          { $$ = tree_range(p, @$, $1, $3); }
	| operation '+' operation             { $$ = tree_binary(p, @$, BIN_ADD, $1, $3); }
	| operation '-' operation             { $$ = tree_binary(p, @$, BIN_SUB, $1, $3); }
	| operation '*' operation             { $$ = tree_binary(p, @$, BIN_MUL, $1, $3); }
	| operation '/' operation             { $$ = tree_binary(p, @$, BIN_DIV, $1, $3); }
	| operation '%' operation             { $$ = tree_binary(p, @$, BIN_MOD, $1, $3); }
	| operation '@' operation             { $$ = tree_binary(p, @$, BIN_MATMUL, $1, $3); }
	| operation POW operation             { $$ = tree_binary(p, @$, BIN_POW, $1, $3); }
	| '-' operation %prec UNARY           { $$ = tree_unary(p, @$, UN_NEG, $2); }
	| '!' operation %prec UNARY           { $$ = tree_unary(p, @$, UN_NOT, $2); }
	| operation AS as_type {
		struct expr *e = tree_expr(p, EXPR_AS, @$);
		e->as.value = $1;
		e->as.type = $3;
		$$ = tree_done(p, e);
	  }
	| operation AS '(' axes ')' {
		struct expr *e = tree_expr(p, EXPR_PLACE, @$);
		bool plain = expr_is_ranks($1);
		e->place.ranks = plain ? $1->place.ranks : $1;
		LIST_TAKE(&e->place.axes, &$4->v);
		$$ = tree_done(p, e);
	  }
	| operation AS AUTO                   { $$ = tree_auto_mesh(p, @$, $1, $3); }
	/* The body of a reduction takes all products and sums to its right: sum[k] a * b + c is sum[k] (a * b + c). */
	| COMBINER '[' names ']' operation %prec REDUCTION {
		struct expr *e = tree_expr(p, EXPR_REDUCE, @$);
		e->reduce.combiner = $1;
		LIST_TAKE(&e->reduce.factors, &$3->v);
		e->reduce.body = $5;
		$$ = tree_done(p, e);
	  }
	| IF expr THEN expr ELSE operation {
		struct expr *e = tree_expr(p, EXPR_IF, @$);
		e->cond.cond = $2;
		e->cond.then = $4;
		e->cond.other = $6;
		$$ = tree_done(p, e);
	  }
	| EACH pattern IN expr THEN operation %prec ELSE {
		struct expr *e = tree_expr(p, EXPR_EACH, @$);
		e->each.pattern = $2;
		e->each.of = $4;
		e->each.body = $6;
		$$ = tree_done(p, e);
	  }
	;
as_type
	: NAME                                { $$ = tree_named_type(p, @$, no_name, $1, NULL); }
	| NAME '[' dims ']'                   { $$ = tree_named_type(p, @$, no_name, $1, $3); }
	| type_of_value                       { $$ = tree_type_of_value(p, @$, $1); }
	| '(' types ')' {
		struct type *t = tree_type(p, TYPE_TUPLE, @$);
		LIST_TAKE(&t->members, &$2->v);
		$$ = tree_type_done(p, t);
	  }
	| '[' dims ']' {
		struct type *t = tree_type(p, TYPE_TENSOR, @$);
		t->has_dims = true;
		LIST_TAKE(&t->dims, &$2->v);
		$$ = tree_type_done(p, t);
	  }
	;
/* `x as y.dtype` */
type_of_value
	: NAME '.' NAME                       { $$ = tree_field(p, @$, tree_name(p, $1), $3); }
	| type_of_value '.' NAME              { $$ = tree_field(p, @$, $1, $3); }
	;

postfix
	: primary
	| postfix '(' args ')'                { $$ = tree_apply(p, EXPR_CALL, @$, $1, $3); }
	| postfix '[' index_args ']'          { $$ = tree_apply(p, EXPR_INDEX, @$, $1, $3); }
	| postfix '.' NAME                    { $$ = tree_field(p, @$, $1, $3); }
	| postfix '?' {
		struct expr *e = tree_expr(p, EXPR_MAYBE, @$);
		e->index = $1;
		$$ = tree_done(p, e);
	  }
	;
primary
	: NAME                                { $$ = tree_name(p, $1); }
	| INT                                 { $$ = tree_done(p, $1); }
	| FLOAT                               { $$ = tree_done(p, $1); }
	| STRING                              { $$ = tree_done(p, $1); }
	| TRUE                                { $$ = tree_expr(p, EXPR_BOOL, @$); $$->i = 1; }
	| FALSE                               { $$ = tree_expr(p, EXPR_BOOL, @$); }
	| '(' expr ')'                        { $$ = $2; }
	| '(' expr ',' exprs ')' {
		struct exprs all = {{0}};
		PUSH(&all, $2);
		for (int i = 0; i < $4->v.n; i++)
			PUSH(&all, $4->v.at[i]);
		$$ = tree_list(p, EXPR_TUPLE, @$, &all);
	  }
	| '[' exprs ']'                       { $$ = tree_list(p, EXPR_LIST, @$, $2); }
	| '(' axes ')' {
		struct expr *e = tree_expr(p, EXPR_LAYOUT, @$);
		LIST_TAKE(&e->layout, &$2->v);
		$$ = tree_done(p, e);
	  }
	| RANKS '(' exprs ')'                 { $$ = tree_ranks(p, @$, $3); }
	| MICROBATCH '(' block_args ')' value_block {
		struct expr *e = tree_expr(p, EXPR_BLOCK, @$);
		e->block.head = $1;
		LIST_TAKE(&e->block.args, &$3->v);
		e->block.body = $5;
		$$ = tree_done(p, e);
	  }
	| MIXED NAME value_block {
		struct expr *e = tree_expr(p, EXPR_BLOCK, @$);
		struct args *type = NEW(struct args);
		PUSH(type, ((struct arg){.value = tree_name(p, $2), .span = @2}));
		e->block.head = $1;
		LIST_TAKE(&e->block.args, &type->v);
		e->block.body = $3;
		$$ = tree_done(p, e);
	  }
	| REMAT value_block {
		struct expr *e = tree_expr(p, EXPR_BLOCK, @$);
		e->block.head = $1;
		e->block.body = $2;
		$$ = tree_done(p, e);
	  }
	| REMAT '(' block_args ')' value_block {
		struct expr *e = tree_expr(p, EXPR_BLOCK, @$);
		e->block.head = $1;
		LIST_TAKE(&e->block.args, &$3->v);
		e->block.body = $5;
		$$ = tree_done(p, e);
	  }
	;

block_args
	: %empty                              { $$ = NEW(struct args); }
	| block_arg_list
	| block_arg_list ','
	;
block_arg_list
	: block_arg                           { $$ = NEW(struct args); PUSH($$, $1); }
	| block_arg_list ',' block_arg        { $$ = $1; PUSH($$, $3); }
	;
block_arg
	: arg
	| AUTO                                { $$ = (struct arg){.is_auto = true, .span = @$}; }
	| NAME '=' AUTO                       { $$ = (struct arg){.name = $1, .is_auto = true, .span = @3}; }
	;

args
	: %empty                              { $$ = NEW(struct args); }
	| arg_list
	| arg_list ','
	;
arg_list
	: arg                                 { $$ = NEW(struct args); PUSH($$, $1); }
	| arg_list ',' arg                    { $$ = $1; PUSH($$, $3); }
	;
arg
	: expr                                { $$ = (struct arg){.value = $1, .span = @$}; }
	| NAME '=' expr                       { $$ = (struct arg){.name = $1, .value = $3, .span = @$}; }
	| NAME ':' layout                     { $$ = (struct arg){.name = $1, .layout = $3, .span = @$}; }
	;

index_args
	: %empty                              { $$ = NEW(struct args); }
	| index_list
	;
index_list
	: index_arg                           { $$ = NEW(struct args); PUSH($$, $1); }
	| index_list ',' index_arg            { $$ = $1; PUSH($$, $3); }
	;
index_arg
	: expr                                { $$ = (struct arg){.value = $1, .span = @$}; }
	| NAME '=' expr                       { $$ = (struct arg){.name = $1, .value = $3, .span = @$}; }
	| DOTDOT                              { $$ = (struct arg){.value = tree_range(p, @$, NULL, NULL), .span = @$}; }
	| operation DOTDOT                    { $$ = (struct arg){.value = tree_range(p, @$, $1, NULL), .span = @$}; }
	| DOTDOT operation                    { $$ = (struct arg){.value = tree_range(p, @$, NULL, $2), .span = @$}; }
	;

axes
	: axis_list
	| axis_list ','
	;
axis_list
	: axis                                { $$ = NEW(struct args); PUSH($$, $1); }
	| axis_list ',' axis                  { $$ = $1; PUSH($$, $3); }
	;
axis
	: NAME '=' expr                       { $$ = (struct arg){.name = $1, .value = $3, .span = @$}; }
	;

exprs
	: %empty                              { $$ = NEW(struct exprs); }
	| expr_list
	| expr_list ','
	;
expr_list
	: expr                                { $$ = NEW(struct exprs); PUSH($$, $1); }
	| expr_list ',' expr                  { $$ = $1; PUSH($$, $3); }
	;

names
	: NAME                                { $$ = NEW(struct names); PUSH($$, $1); }
	| names ',' NAME                      { $$ = $1; PUSH($$, $3); }
	;

%%

/* Called by bison only when its stack is full: other errors go through yyreport_syntax_error. */
static void pmlerror(const struct span *at, struct parse *p, const char *message)
{
	(void)message;
	syntax_too_deep(p, *at);
}

static int yyreport_syntax_error(const yypcontext_t *context, struct parse *p)
{
	enum { MAX_EXPECTED = 100 };
	yysymbol_kind_t kinds[MAX_EXPECTED];
	const char *names[MAX_EXPECTED];
	int n = yypcontext_expected_tokens(context, kinds, MAX_EXPECTED);
	for (int i = 0; i < n; i++)
		names[i] = yysymbol_name(kinds[i]);
	syntax_error(p, yysymbol_name(yypcontext_token(context)), names, n);
	return n < 0 ? n : 0;
}

const char *parse_token_name(int token)
{
	return yysymbol_name(YYTRANSLATE(token));
}

void parse_run(struct parse *p, enum parse_what what)
{
	p->first_token = what == PARSE_MODULE ? START_MODULE : START_EXPR;
	lexer_open(p);
	pmlparse(p);
	lexer_close(p);
}
