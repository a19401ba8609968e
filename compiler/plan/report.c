/* report.c — what `pmlc plan` shows: every transfer with its bytes and source line, memory and work of a rank of every
 * role. Text and JSON hold the same figures. Bytes are those sent between different ranks in one run of the region. */
#include "compiler.h"

#include "plan.h"
#include "../layout/exchange.h"

#include <inttypes.h>
#include <string.h>

static const char *const directions[] = {[DIRECTION_FORWARD] = "forward",
					 [DIRECTION_BACKWARD] = "backward",
					 [DIRECTION_UPDATE] = "update",
					 [DIRECTION_HOST] = "host"};

struct memory {
	int64_t parameters, state, values, arena, data, staging;
};

struct work {
	int64_t flops, products, sent;
	int kernels, calls, transfers;
};

static int64_t local_bytes(const struct placed_type *t, int32_t rank)
{
	int64_t position = t->place ? place_position(t->place, rank) : 0;
	if (position < 0)
		return 0;
	struct shape s = t->place ? layout_local_shape(t->place, &t->layout, &t->shape, position) : t->shape;
	return shape_volume(&s) * dtype_size(t->dtype);
}

/* Bytes that batches take in the arena of a plan. */
static int64_t data_bytes(const struct plan *p)
{
	int64_t sum = 0;
	for (int i = 0; i < p->steps.n; i++)
		if (p->steps.at[i].kind == STEP_BATCH_READ) {
			const struct buffer *b = &p->buffers.at[p->steps.at[i].dst];
			sum += b->kind == BUFFER_ARENA ? b->elements * dtype_size(b->type) : 0;
		}
	return sum;
}

static struct memory memory_of(const struct program *p, const struct role *r)
{
	struct memory m = {.arena = r->arena_bytes};
	int32_t rank = r->ranks.at[0];
	for (int i = 0; i < p->slots.n; i++) {
		int64_t bytes = local_bytes(&p->types.at[p->slots.at[i]->type], rank);
		switch (p->slots.at[i]->slot_class) {
		case SLOT_PARAM:
			m.parameters = count_add(m.parameters, bytes);
			break;
		case SLOT_STATE:
			m.state = count_add(m.state, bytes);
			break;
		case SLOT_VALUE:
			m.values = count_add(m.values, bytes);
			break;
		}
	}
	for (int i = 0; i < p->regions.n; i++)
		if (r->plans[i] && data_bytes(r->plans[i]) > m.data)
			m.data = data_bytes(r->plans[i]);
	for (int i = 0; i < p->transfers.n; i++) {
		const struct transfer *t = &p->transfers.at[i];
		const struct place *src = p->types.at[t->src].place, *dst = p->types.at[t->dst].place;
		if (place_position(src, rank) >= 0 || place_position(dst, rank) >= 0)
			m.staging = count_add(m.staging, t->redist.staging);
	}
	return m;
}

static struct work work_of(const struct program *p, const struct role *r, int region)
{
	struct work w = {.flops = 0};
	const struct plan *plan = r->plans[region];
	for (int i = 0; plan && i < plan->steps.n; i++) {
		const struct plan_step *s = &plan->steps.at[i];
		w.flops = count_add(w.flops, s->flops);
		w.products = count_add(w.products, s->kind == STEP_GEMM ? s->flops : 0);
		w.calls += s->kind == STEP_GEMM;
		w.kernels += s->kind == STEP_KERNEL;
		w.transfers += s->kind == STEP_TRANSFER_BEGIN;
	}
	for (int i = 0; i < p->transfers.n; i++) {
		const struct transfer *t = &p->transfers.at[i];
		const struct placed_type *src = &p->types.at[t->src], *dst = &p->types.at[t->dst];
		if (t->region == region)
			w.sent += redist_bytes_sent(&t->redist, src->dtype, &src->shape, src->place, &src->layout,
						    dst->place, &dst->layout, r->ranks.at[0]);
	}
	return w;
}

static const char *site_text(struct arena *a, const struct program *p, struct span span)
{
	const struct session *s = p->session;
	if (!span.file || (int)span.file >= s->sources.n)
		return "";
	const struct source *f = &s->sources.at[span.file];
	return arena_printf(a, "%s:%d", f->path, source_position(f, span.begin).line);
}

static const char *layout_text(struct arena *a, const struct placed_type *t)
{
	struct text out;
	text_init(&out, a);
	text_printf(&out, "@%s : ", t->place->name);
	layout_print(&out, t->place, &t->layout);
	return text_get(&out);
}

static const char *tensor_text(struct arena *a, const struct placed_type *t)
{
	struct text out;
	text_init(&out, a);
	type_print(&out, t->dtype, &t->shape);
	return text_get(&out);
}

static const char *bytes_text(struct arena *a, int64_t bytes)
{
	struct text out;
	text_init(&out, a);
	text_bytes(&out, bytes);
	return text_get(&out);
}

/* "1.2 M": counts for people. */
static const char *count_text(struct arena *a, int64_t n)
{
	static const char *const unit[] = {"", " k", " M", " G", " T", " P", " E"};
	double v = (double)n;
	int u = 0;
	while (v >= 999.5 && u < 6) {
		v /= 1000;
		u++;
	}
	return arena_printf(a, u && v < 9.95 ? "%.1f%s" : "%.0f%s", v, unit[u]);
}

/* Rows of cells, each column as wide as its widest cell; numbers (columns of `right`) to the right. */
enum { MAX_COLUMNS = 10 };
struct table {
	int columns, right;
	VEC(const char *) cells;
};

static void add_row(struct arena *a, struct table *t, int n, const char *const *cell)
{
	t->columns = n;
	for (int i = 0; i < n; i++)
		vec_push(a, &t->cells, cell[i]);
}

static void print_table(struct text *out, const struct table *t, const char *indent)
{
	int width[MAX_COLUMNS] = {0};
	for (int i = 0; i < t->cells.n; i++) {
		int n = (int)strlen(t->cells.at[i]);
		if (n > width[i % t->columns])
			width[i % t->columns] = n;
	}
	for (int i = 0; i < t->cells.n; i++) {
		int c = i % t->columns;
		text_add(out, c ? "  " : indent);
		if (c == t->columns - 1)
			text_printf(out, "%s\n", t->cells.at[i]);
		else
			text_printf(out, (t->right >> c & 1) ? "%*s" : "%-*s", width[c], t->cells.at[i]);
	}
}
#define ROW(a, t, ...)                                                                                                 \
	add_row((a), (t), (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(const char *)),                         \
		(const char *[]){__VA_ARGS__})

static void print_region(struct text *out, struct arena *a, const struct program *p, int region)
{
	struct table t = {.right = 1 << 6 | 1 << 7};
	int64_t per_rank = 0, total = 0;
	for (int i = 0; i < p->transfers.n; i++) {
		const struct transfer *x = &p->transfers.at[i];
		const struct placed_type *src = &p->types.at[x->src], *dst = &p->types.at[x->dst];
		if (x->region != region)
			continue;
		if (!t.cells.n)
			ROW(a, &t, "", "kind", "tensor", "type", "from", "to", "per rank", "total", "source");
		ROW(a, &t, directions[x->direction], redist_text(x->redist.method), x->name, tensor_text(a, src),
		    layout_text(a, src), layout_text(a, dst), bytes_text(a, x->redist.bytes_max_rank),
		    bytes_text(a, x->redist.bytes_total), site_text(a, p, x->span));
		per_rank = count_add(per_rank, x->redist.bytes_max_rank);
		total = count_add(total, x->redist.bytes_total);
	}
	text_printf(out, "region %s: ", p->regions.at[region]->name);
	if (!t.cells.n) {
		text_add(out, "no transfers\n");
		return;
	}
	int n = t.cells.n / t.columns - 1;
	text_printf(out, "%d %s, at most %s sent per rank, %s in all\n", n, n == 1 ? "transfer" : "transfers",
		    bytes_text(a, per_rank), bytes_text(a, total));
	print_table(out, &t, "  ");
}

static const char *role_name(const struct role *r)
{
	return *r->name ? r->name : "all";
}

static int64_t all_of(const struct memory *m)
{
	return count_add(count_add(m->parameters, m->state), count_add(m->values, count_add(m->arena, m->staging)));
}

static void print_memory(struct text *out, struct arena *a, const struct program *p)
{
	struct table t = {.right = 0xfe};
	ROW(a, &t, "role", "ranks", "parameters", "state", "values", "arena", "data", "staging", "total");
	for (int i = 0; i < p->roles.n; i++) {
		const struct role *r = p->roles.at[i];
		struct memory m = memory_of(p, r);
		ROW(a, &t, role_name(r), arena_printf(a, "%d", r->ranks.n), bytes_text(a, m.parameters),
		    bytes_text(a, m.state), bytes_text(a, m.values), bytes_text(a, m.arena), bytes_text(a, m.data),
		    bytes_text(a, m.staging), bytes_text(a, all_of(&m)));
	}
	text_add(out, "memory per rank (arena: activations, gradients and, as shown, data)\n");
	print_table(out, &t, "  ");
}

static void print_work(struct text *out, struct arena *a, const struct program *p)
{
	struct table t = {.right = 0x7c};
	ROW(a, &t, "role", "region", "FLOPs", "in products", "products", "kernels", "transfers", "sent");
	for (int i = 0; i < p->roles.n; i++)
		for (int k = 0; k < p->regions.n; k++) {
			const struct role *r = p->roles.at[i];
			struct work w = work_of(p, r, k);
			if (r->plans[k])
				ROW(a, &t, role_name(r), p->regions.at[k]->name, count_text(a, w.flops),
				    count_text(a, w.products), arena_printf(a, "%d", w.calls),
				    arena_printf(a, "%d", w.kernels), arena_printf(a, "%d", w.transfers),
				    bytes_text(a, w.sent));
		}
	text_add(out, "work per rank\n");
	print_table(out, &t, "  ");
}

static void json_text(struct text *t, const char *key, const char *value)
{
	text_printf(t, "\"%s\": ", key);
	text_json(t, value ? value : "");
}

static void json_transfer(struct text *t, struct arena *a, const struct program *p, int i)
{
	const struct transfer *x = &p->transfers.at[i];
	const struct placed_type *src = &p->types.at[x->src], *dst = &p->types.at[x->dst];
	const struct source *f = x->span.file && (int)x->span.file < p->session->sources.n
					 ? &p->session->sources.at[x->span.file]
					 : NULL;
	text_printf(t, "    {\"id\": %d, \"region\": %d, ", i, x->region);
	json_text(t, "direction", directions[x->direction]);
	text_add(t, ", ");
	json_text(t, "kind", redist_text(x->redist.method));
	text_add(t, ", ");
	json_text(t, "tensor", x->name);
	text_add(t, ", ");
	json_text(t, "type", tensor_text(a, src));
	text_add(t, ", ");
	json_text(t, "from", layout_text(a, src));
	text_add(t, ", ");
	json_text(t, "to", layout_text(a, dst));
	text_printf(t, ", \"bytes_per_rank\": %" PRId64 ", \"bytes\": %" PRId64 ", ", x->redist.bytes_max_rank,
		    x->redist.bytes_total);
	json_text(t, "file", f ? f->path : "");
	text_printf(t, ", \"line\": %d}", f ? source_position(f, x->span.begin).line : 0);
}

static void json_role(struct text *t, const struct program *p, const struct role *r)
{
	struct memory m = memory_of(p, r);
	text_add(t, "    {");
	json_text(t, "name", r->name);
	text_printf(t,
		    ", \"ranks\": %d, \"kernels\": %d, \"memory\": {\"parameters\": %" PRId64 ", \"state\": %" PRId64
		    ", \"values\": %" PRId64 ", \"arena\": %" PRId64 ", \"data\": %" PRId64 ", \"staging\": %" PRId64
		    "}, \"regions\": [",
		    r->ranks.n, r->kernels.n, m.parameters, m.state, m.values, m.arena, m.data, m.staging);
	const char *sep = "";
	for (int k = 0; k < p->regions.n; k++) {
		struct work w = work_of(p, r, k);
		if (!r->plans[k])
			continue;
		text_printf(t,
			    "%s{\"region\": %d, \"flops\": %" PRId64 ", \"product_flops\": %" PRId64
			    ", \"products\": %d, \"kernels\": %d, \"transfers\": %d, \"bytes_sent\": %" PRId64 "}",
			    sep, k, w.flops, w.products, w.calls, w.kernels, w.transfers, w.sent);
		sep = ", ";
	}
	text_add(t, "]}");
}

static void print_json(struct text *t, struct arena *a, const struct program *p)
{
	text_add(t, "{\n  ");
	json_text(t, "program", p->name);
	text_printf(t, ",\n  \"ranks\": %" PRId64 ",\n  \"fingerprint\": \"%016" PRIx64 "\",\n  \"regions\": [",
		    p->nranks, p->fingerprint);
	for (int i = 0; i < p->regions.n; i++) {
		text_add(t, i ? ", " : "");
		text_json(t, p->regions.at[i]->name);
	}
	text_add(t, "],\n  \"transfers\": [");
	for (int i = 0; i < p->transfers.n; i++) {
		text_add(t, i ? ",\n" : "\n");
		json_transfer(t, a, p, i);
	}
	text_add(t, "\n  ],\n  \"roles\": [");
	for (int i = 0; i < p->roles.n; i++) {
		text_add(t, i ? ",\n" : "\n");
		json_role(t, p, p->roles.at[i]);
	}
	text_add(t, "\n  ]\n}\n");
}

void compiler_print_plan(struct program *p, struct text *t, bool json)
{
	struct arena *scratch = arena_new("plan report");
	if (json) {
		print_json(t, scratch, p);
	} else {
		text_printf(t, "%s: %" PRId64 " %s, %d %s\n\n", p->name, p->nranks, p->nranks == 1 ? "rank" : "ranks",
			    p->roles.n, p->roles.n == 1 ? "role" : "roles");
		for (int i = 0; i < p->regions.n; i++)
			print_region(t, scratch, p, i);
		text_add(t, "\n");
		print_memory(t, scratch, p);
		text_add(t, "\n");
		print_work(t, scratch, p);
	}
	arena_free(scratch);
}
