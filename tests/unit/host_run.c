/* host_run.c — host code by walking its tree. */
#include "host_run.h"
#include "op/scalars/function.h"

#include "../../runtime/philox.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

union word {
	int64_t i;
	double f;
	const char *text;
};

struct activation {
	struct host_run *run;
	const struct host_function *f;
	union word *vars;
	int batch;                /* of the innermost loop over batches */
	enum host_stmt_kind left; /* HOST_BREAK or HOST_CONTINUE while a loop is being left, else HOST_SET */
};

static union word eval(struct activation *a, const struct host_expr *x);

static union word eval_const(const struct host_expr *x)
{
	union word w = {.i = x->i};
	if (x->type == HOST_FLOAT)
		w.f = x->f;
	if (x->type == HOST_TEXT)
		w.text = x->text;
	return w;
}

static union word of_int(int64_t i)
{
	return (union word){.i = i};
}

static union word of_float(double f)
{
	return (union word){.f = f};
}

static union word apply_floats(enum host_op op, double x, double y)
{
	switch (op) {
	case HOST_ADD_OP:
		return of_float(x + y);
	case HOST_SUB_OP:
		return of_float(x - y);
	case HOST_MUL_OP:
		return of_float(x * y);
	case HOST_DIV_OP:
		return of_float(x / y);
	case HOST_MOD_OP:
		return of_float(fmod(x, y));
	case HOST_POW_OP:
		return of_float(pow(x, y));
	case HOST_NEG_OP:
		return of_float(-x);
	case HOST_EQ_OP:
		return of_int(x == y);
	case HOST_NE_OP:
		return of_int(x != y);
	case HOST_LT_OP:
		return of_int(x < y);
	case HOST_LE_OP:
		return of_int(x <= y);
	case HOST_GT_OP:
		return of_int(x > y);
	case HOST_GE_OP:
		return of_int(x >= y);
	case HOST_MIN_OP:
		return of_float(fmin(x, y));
	case HOST_MAX_OP:
		return of_float(fmax(x, y));
	case HOST_EXP_OP:
		return of_float(exp(x));
	case HOST_LOG_OP:
		return of_float(log(x));
	case HOST_SQRT_OP:
		return of_float(sqrt(x));
	case HOST_COS_OP:
		return of_float(cos(x));
	case HOST_SIN_OP:
		return of_float(sin(x));
	case HOST_TANH_OP:
		return of_float(tanh(x));
	case HOST_ERF_OP:
		return of_float(erf(x));
	case HOST_LOG1P_OP:
		return of_float(log1p(x));
	case HOST_EXPM1_OP:
		return of_float(expm1(x));
	case HOST_SOFTPLUS_OP:
		return of_float((x > 0 ? x : 0) + log1p(exp(-fabs(x))));
	case HOST_SIGMOID_OP:
		return of_float((x > 0 ? 1 : exp(x)) / (1 + exp(-fabs(x))));
	case HOST_ROUND_OP:
		return of_float(nearbyint(x));
	case HOST_TAN_OP:
		return of_float(tan(x));
	case HOST_ATAN2_OP:
		return of_float(atan2(x, y));
	case HOST_ASIN_OP:
		return of_float(asin(x));
	case HOST_ACOS_OP:
		return of_float(acos(x));
	case HOST_ERFINV_OP:
		return of_float(scalar_functions[SC_ERFINV]->float1(x));
	case HOST_LGAMMA_OP:
		return of_float(lgamma(x));
	case HOST_NORMAL_CDF_OP:
		return of_float(scalar_functions[SC_NORMAL_CDF]->float1(x));
	case HOST_FLOOR_OP:
		return of_float(floor(x));
	case HOST_INT_OF_FLOAT_OP:
		return of_int((int64_t)x);
	case HOST_BITWISE_AND_OP:
	case HOST_BITWISE_OR_OP:
	case HOST_BITWISE_XOR_OP:
	case HOST_LEFT_SHIFT_OP:
	case HOST_RIGHT_SHIFT_OP:
	case HOST_FLOAT_OF_INT_OP:
	case HOST_CONVERT_OP:
	case HOST_FITS_OP:
	case HOST_FLOOR_DIV_OP:
	case HOST_AND_OP:
	case HOST_OR_OP:
	case HOST_NOT_OP:
		break;
	}
	return of_int(0);
}

static union word apply_ints(enum host_op op, int64_t x, int64_t y)
{
	switch (op) {
	case HOST_ADD_OP:
		return of_int(x + y);
	case HOST_SUB_OP:
		return of_int(x - y);
	case HOST_MUL_OP:
		return of_int(x * y);
	case HOST_DIV_OP:
		return of_float((double)x / (double)y);
	case HOST_FLOOR_DIV_OP:
		return of_int(y ? x / y - (x % y && (x < 0) != (y < 0)) : 0);
	case HOST_MOD_OP:
		return of_int(y ? x % y : 0);
	case HOST_NEG_OP:
		return of_int(-x);
	case HOST_EQ_OP:
		return of_int(x == y);
	case HOST_NE_OP:
		return of_int(x != y);
	case HOST_LT_OP:
		return of_int(x < y);
	case HOST_LE_OP:
		return of_int(x <= y);
	case HOST_GT_OP:
		return of_int(x > y);
	case HOST_GE_OP:
		return of_int(x >= y);
	case HOST_AND_OP:
		return of_int(x && y);
	case HOST_OR_OP:
		return of_int(x || y);
	case HOST_NOT_OP:
		return of_int(!x);
	case HOST_MIN_OP:
		return of_int(x < y ? x : y);
	case HOST_MAX_OP:
		return of_int(x > y ? x : y);
	case HOST_BITWISE_AND_OP:
	case HOST_BITWISE_OR_OP:
	case HOST_BITWISE_XOR_OP:
	case HOST_LEFT_SHIFT_OP:
	case HOST_RIGHT_SHIFT_OP:
		return of_int(scalar_functions[host_op_function(op)]->ints(DT_I64, x, y));
	case HOST_FLOAT_OF_INT_OP:
		return of_float((double)x);
	case HOST_POW_OP:
	case HOST_EXP_OP:
	case HOST_LOG_OP:
	case HOST_SQRT_OP:
	case HOST_COS_OP:
	case HOST_SIN_OP:
	case HOST_TANH_OP:
	case HOST_ERF_OP:
	case HOST_LOG1P_OP:
	case HOST_EXPM1_OP:
	case HOST_SOFTPLUS_OP:
	case HOST_SIGMOID_OP:
	case HOST_ROUND_OP:
	case HOST_TAN_OP:
	case HOST_ATAN2_OP:
	case HOST_ASIN_OP:
	case HOST_ACOS_OP:
	case HOST_ERFINV_OP:
	case HOST_LGAMMA_OP:
	case HOST_NORMAL_CDF_OP:
	case HOST_FLOOR_OP:
	case HOST_INT_OF_FLOAT_OP:
	case HOST_CONVERT_OP:
	case HOST_FITS_OP:
		break;
	}
	return of_int(0);
}

static union word convert(const struct host_expr *x, union word v)
{
	enum dtype t = (enum dtype)x->index, from = host_dtype(x->arg[0]->type);
	union scalar_value s = {.i = v.i};
	if (from == DT_F64)
		s.f = v.f;
	s = scalar_convert(scalar_convert(s, from, t), t, host_dtype(x->type));
	return x->type == HOST_FLOAT ? of_float(s.f) : of_int(s.i);
}

/* ---- the runtime, as far as tests need it ---- */

static union word config(struct host_run *r, const char *function, int64_t i)
{
	const char *text = r->program->configs.at[i].fallback;
	if (!strcmp(function, "config_int"))
		return of_int(!strcmp(text, "true") ? 1 : atoll(text));
	if (!strcmp(function, "config_float"))
		return of_float(atof(text));
	return (union word){.text = text};
}

static bool text_call(struct host_run *r, const char *fn, const union word *x, union word *out)
{
	struct arena *a = r->program->arena;
	if (!strcmp(fn, "text_concat"))
		out->text = arena_printf(a, "%s%s", x[0].text, x[1].text);
	else if (!strcmp(fn, "text_path"))
		out->text = arena_printf(a, "%s/%s", x[0].text, x[1].text);
	else if (!strcmp(fn, "text_of_int"))
		out->text = arena_printf(a, "%lld", (long long)x[0].i);
	else if (!strcmp(fn, "text_of_float"))
		out->text = arena_printf(a, "%g", x[0].f);
	else if (!strcmp(fn, "text_equal"))
		out->i = !strcmp(x[0].text, x[1].text);
	else if (!strcmp(fn, "text_length"))
		out->i = (int64_t)strlen(x[0].text);
	else if (!strcmp(fn, "text_byte"))
		out->i = (unsigned char)x[0].text[x[1].i];
	else if (!strcmp(fn, "text_char"))
		out->text = arena_printf(a, "%c", (char)x[0].i);
	else
		return false;
	return true;
}

static bool print_call(struct host_run *r, const char *fn, const union word *x)
{
	struct text *t = &r->printed;
	if (!strcmp(fn, "print_text"))
		text_printf(t, "%s ", x[0].text);
	else if (!strcmp(fn, "print_int"))
		text_printf(t, "%lld ", (long long)x[0].i);
	else if (!strcmp(fn, "print_float"))
		text_printf(t, "%g ", x[0].f);
	else if (!strcmp(fn, "print_bool"))
		text_printf(t, "%s ", x[0].i ? "true" : "false");
	else if (!strcmp(fn, "log_float"))
		text_printf(t, "%s=%g ", x[0].text, x[1].f);
	else if (!strcmp(fn, "log_int"))
		text_printf(t, "%s=%lld ", x[0].text, (long long)x[1].i);
	else if (!strcmp(fn, "log_text"))
		text_printf(t, "%s=%s ", x[0].text, x[1].text);
	else if (!strcmp(fn, "print_end"))
		text_add(t, x[0].text);
	else if (!strcmp(fn, "print_name"))
		return true;
	else if (!strcmp(fn, "log_end"))
		text_add(t, "\n");
	else
		return false;
	return true;
}

static void check(struct host_run *r, bool ok, const char *message)
{
	r->checks++;
	if (ok)
		return;
	if (!r->failures++)
		r->first = message;
}

static union word call(struct activation *a, const struct host_expr *e, const union word *x)
{
	struct host_run *r = a->run;
	const char *fn = e->function;
	union word out = {.i = 0};
	if (text_call(r, fn, x, &out) || print_call(r, fn, x))
		return out;
	if (!strncmp(fn, "config_", 7))
		return config(r, fn, x[0].i);
	if (!strcmp(fn, "key_root"))
		return of_int(12345);
	if (!strcmp(fn, "key_fold"))
		return of_int((int64_t)philox_key_fold((uint64_t)x[0].i, (uint64_t)x[1].i));
	if (!strcmp(fn, "check_near"))
		check(r, x[1].f == x[2].f || fabs(x[1].f - x[2].f) <= x[4].f + x[3].f * fabs(x[2].f), x[0].text);
	else if (!strncmp(fn, "check", 5))
		check(r, x[0].i != 0, x[1].text);
	if (!strcmp(fn, "batches_begin"))
		a->batch = 0;
	if (!strcmp(fn, "steps_left"))
		out.i = 1;
	if (!strcmp(fn, "batches_next"))
		out.i = a->batch++ < 2;
	if (!strcmp(fn, "data_rows"))
		out.i = 1000;
	return out;
}

static union word eval(struct activation *a, const struct host_expr *x)
{
	union word v[10];
	for (int i = 0; i < x->nargs; i++)
		v[i] = eval(a, x->arg[i]);
	switch (x->kind) {
	case HOST_CONST:
		return eval_const(x);
	case HOST_VAR:
		return a->vars[x->index];
	case HOST_APPLY:
		if (x->op == HOST_FITS_OP)
			return v[0];
		if (x->op == HOST_CONVERT_OP)
			return convert(x, v[0]);
		if (x->arg[0]->type == HOST_FLOAT)
			return apply_floats(x->op, v[0].f, x->nargs > 1 ? v[1].f : 0);
		return apply_ints(x->op, v[0].i, x->nargs > 1 ? v[1].i : 0);
	case HOST_CALL:
		return call(a, x, v);
	case HOST_SELECT:
		return v[0].i ? v[1] : v[2];
	case HOST_SLOT:
	case HOST_NUMBER:
		break;
	}
	return of_int(0);
}

/* ---- regions ---- */

static union scalar_value *room(struct arena *a, const struct shape *s)
{
	return ARENA_ARRAY(a, union scalar_value, shape_volume(s) + 1);
}

static void fill_field(struct tensor_value *t, int batch, int field)
{
	int64_t n = shape_volume(&t->shape);
	for (int64_t i = 0; i < n; i++) {
		int64_t v = (i * 7 + batch * 3 + field * 5) % 10;
		if (dtype_is_float(t->dtype))
			t->at[i].f = (double)v;
		else
			t->at[i].i = v;
	}
}

static void set_argument(struct activation *a, const struct region *r, int k, union word w, struct tensor_value *out)
{
	struct arena *arena = a->run->program->arena;
	out->at = ARENA_ARRAY(arena, union scalar_value, 1);
	if (r->arguments.at[k] == HOST_FLOAT)
		out->at[0].f = w.f;
	else
		out->at[0].i = w.i;
	if (r->arguments.at[k] != HOST_HANDLE)
		return;
	struct tensor_value *fields = ARENA_ARRAY(arena, struct tensor_value, 16);
	for (int i = 0; i < r->graph->nodes.n; i++) {
		const struct node *n = r->graph->nodes.at[i];
		if (n->kind != NODE_DATA || n->data.argument != k)
			continue;
		struct tensor_value *t = &fields[n->data.field];
		*t = (struct tensor_value){.dtype = n->dtype, .shape = n->shape, .at = room(arena, &n->shape)};
		fill_field(t, a->batch, n->data.field);
	}
	out->field = fields;
}

static void run_region(struct activation *a, const struct host_stmt *s)
{
	struct host_run *run = a->run;
	const struct region *r = run->program->regions.at[s->region];
	struct arena *arena = run->program->arena;
	struct tensor_value *args = ARENA_ARRAY(arena, struct tensor_value, s->args.n + 1);
	struct tensor_value *values = ARENA_ARRAY(arena, struct tensor_value, r->graph->nodes.n + 1);
	for (int i = 0; i < s->args.n; i++)
		set_argument(a, r, i, eval(a, s->args.at[i]), &args[i]);
	graph_interpret(r->graph, run->slots, args, values);
	for (int i = 0; i < r->graph->outputs.n; i++) {
		const struct output *o = &r->graph->outputs.at[i];
		const struct tensor_value *v = &values[o->node->id];
		if (o->kind == OUTPUT_HOST && o->index < s->results.n && s->results.at[o->index] >= 0) {
			union word *w = &a->vars[s->results.at[o->index]];
			if (dtype_is_float(v->dtype))
				w->f = v->at[0].f;
			else
				w->i = v->at[0].i;
		}
	}
}

static void run_block(struct activation *a, const struct host_stmt *s)
{
	for (; s && a->left == HOST_SET && a->run->steps++ < 1000000; s = s->next) {
		switch (s->kind) {
		case HOST_SET:
			a->vars[s->var] = eval(a, s->expr);
			break;
		case HOST_EVAL:
			eval(a, s->expr);
			break;
		case HOST_IF:
			run_block(a, eval(a, s->expr).i ? s->body : s->other);
			break;
		case HOST_WHILE: {
			while (eval(a, s->expr).i && a->run->steps < 1000000) {
				run_block(a, s->body);
				bool ends = a->left == HOST_BREAK;
				a->left = HOST_SET;
				if (ends)
					break;
				run_block(a, s->other);
			}
			break;
		}
		case HOST_BREAK:
		case HOST_CONTINUE:
			a->left = s->kind;
			break;
		case HOST_REGION:
			run_region(a, s);
			break;
		}
	}
}

/* ---- interface ---- */

void host_run_function(struct host_run *r, const struct host_function *f)
{
	struct activation a = {.run = r, .f = f};
	a.vars = ARENA_ARRAY(r->program->arena, union word, f->vars.n + 1);
	run_block(&a, f->body);
}

void host_run_init(struct host_run *r, struct program *p)
{
	*r = (struct host_run){.program = p};
	text_init(&r->printed, p->arena);
	r->slots = ARENA_ARRAY(p->arena, struct tensor_value, p->slots.n + 1);
	for (int i = 0; i < p->slots.n; i++) {
		const struct slot *s = p->slots.at[i];
		r->slots[i] =
			(struct tensor_value){.dtype = s->dtype, .shape = s->shape, .at = room(p->arena, &s->shape)};
	}
	for (int i = 0; i < p->slots.n; i++) {
		const struct slot *s = p->slots.at[i];
		if (s->list)
			r->slots[i].at = r->slots[s->list->id].at + s->member * shape_volume(&s->shape);
	}
	host_run_function(r, p->init);
}

struct program *host_run_elaborate(struct session *s, const char *source, enum elaborate_what what)
{
	struct program_ast *ast = lang_load_text(s, "main.pml", source, strlen(source));
	if (!ast || s->errors)
		return NULL;
	struct program *p = compiler_elaborate(ast, what);
	return s->errors ? NULL : p;
}
