/* program_tables.c — fills in the structs of pmlrt.h from the program, and makes one role's module complete: init,
 * main, tests, tables, and the C main that hands over to the runtime. */
#include "program_emit.h"

#include "debug.h"
#include "step.h"
#include "tables.h"
#include "../runtime/pmlrt.h"

#include <stdlib.h>
#include <string.h>

static const struct pmlrt_config *make_configs(struct program_emitter *p)
{
	const struct program *g = p->program;
	struct pmlrt_config *all = ARENA_ARRAY(p->e->arena, struct pmlrt_config, g->configs.n);
	for (int i = 0; i < g->configs.n; i++) {
		const struct config *c = &g->configs.at[i];
		all[i] = (struct pmlrt_config){c->name, c->type, c->doc, c->kind, c->fallback};
	}
	return all;
}

static const struct pmlrt_place *make_places(struct program_emitter *p)
{
	const struct program *g = p->program;
	struct pmlrt_place *all = ARENA_ARRAY(p->e->arena, struct pmlrt_place, g->places.n), room;
	for (int i = 0; i < g->places.n; i++) {
		all[i] = *place_table(g->places.at[i], &room);
		for (int a = 0; a < all[i].naxes; a++)
			all[i].axis[a] = all[i].axis[a] ? all[i].axis[a] : "";
	}
	return all;
}

static const struct pmlrt_type *make_types(struct program_emitter *p)
{
	const struct program *g = p->program;
	struct pmlrt_type *all = ARENA_ARRAY(p->e->arena, struct pmlrt_type, g->types.n);
	for (int i = 0; i < g->types.n; i++) {
		const struct placed_type *from = &g->types.at[i];
		all[i] = (struct pmlrt_type){.dtype = (int32_t)from->dtype,
					     .rank = from->shape.rank,
					     .place = from->place ? from->place->id : -1};
		for (int d = 0; d < from->shape.rank; d++)
			all[i].dim[d] = from->shape.dim[d];
		for (int a = 0; from->place && a < from->place->naxes; a++)
			all[i].atom[a] = from->layout.atom[a];
	}
	return all;
}

static const struct pmlrt_site *make_sites(struct program_emitter *p)
{
	const struct program *g = p->program;
	struct pmlrt_site *all = ARENA_ARRAY(p->e->arena, struct pmlrt_site, g->sites.n);
	for (int i = 0; i < g->sites.n; i++) {
		struct span span = g->sites.at[i];
		const struct source *s =
			span.file < (uint32_t)g->session->sources.n ? &g->session->sources.at[span.file] : NULL;
		struct line_column at = span.file && s ? source_position(s, span.begin) : (struct line_column){0, 0};
		all[i] = (struct pmlrt_site){s && s->path ? s->path : "", at.line, at.column,
					     i < g->site_names.n && g->site_names.at[i] ? g->site_names.at[i] : ""};
	}
	return all;
}

static const struct pmlrt_transfer *make_transfers(struct program_emitter *p)
{
	const struct program *g = p->program;
	struct pmlrt_transfer *all = ARENA_ARRAY(p->e->arena, struct pmlrt_transfer, g->transfers.n);
	for (int i = 0; i < g->transfers.n; i++) {
		const struct transfer *t = &g->transfers.at[i];
		all[i] = (struct pmlrt_transfer){.src = t->src,
						 .dst = t->dst,
						 .method = (int32_t)t->redist.method,
						 .site = t->site,
						 .direction = (int32_t)t->direction,
						 .bytes = t->redist.bytes_total,
						 .bucket = t->bucket + 1,
						 .table = t->rows.table,
						 .table_dim = t->rows.dim,
						 .rows_at = t->rows.at,
						 .rows_rank = t->rows.rank,
						 .rows_dtype = (int32_t)t->rows.dtype};
		const struct transfer_hole *hole = &g->roles.at[p->role]->holes[i];
		memcpy(all[i].hole_begin, hole->begin, sizeof hole->begin);
		memcpy(all[i].hole_end, hole->end, sizeof hole->end);
		all[i].gap = hole->gap;
	}
	return all;
}

static const struct pmlrt_slot *make_slots(struct program_emitter *p)
{
	const struct program *g = p->program;
	struct pmlrt_slot *all = ARENA_ARRAY(p->e->arena, struct pmlrt_slot, g->slots.n);
	for (int i = 0; i < g->slots.n; i++) {
		const struct slot *s = g->slots.at[i];
		bool is_named = s->slot_class != SLOT_VALUE && !s->members.n;
		all[i] = (struct pmlrt_slot){.name = is_named ? s->name : NULL,
					     .type = s->type,
					     .slot_class = s->members.n ? PMLRT_LIST : (int32_t)s->slot_class,
					     .list = s->list ? s->list->id : -1,
					     .member = s->member,
					     .spare = g->roles.at[p->role]->spare[i]};
	}
	return all;
}

static const struct pmlrt_stored *make_stored(struct program_emitter *p, const struct file_names *from)
{
	struct pmlrt_stored *all = ARENA_ARRAY(p->e->arena, struct pmlrt_stored, from->stored.n);
	for (int i = 0; i < from->stored.n; i++) {
		const struct stored *s = &from->stored.at[i];
		all[i] = (struct pmlrt_stored){.name = s->name, .dtype = (int32_t)s->dtype, .rank = s->shape.rank};
		for (int d = 0; d < s->shape.rank; d++)
			all[i].dim[d] = s->shape.dim[d];
	}
	return all;
}

static const struct pmlrt_piece *make_pieces(struct program_emitter *p, const struct file_names *from)
{
	struct pmlrt_piece *all = ARENA_ARRAY(p->e->arena, struct pmlrt_piece, from->pieces.n);
	for (int i = 0; i < from->pieces.n; i++) {
		const struct piece *s = &from->pieces.at[i];
		all[i] = (struct pmlrt_piece){.slot = s->slot, .stored = s->stored, .choice = s->choice};
		for (int d = 0; d < MAX_RANK; d++) {
			all[i].offset[d] = s->offset[d];
			all[i].to[d] = s->to[d];
			all[i].step[d] = s->step[d];
		}
	}
	return all;
}

static const struct pmlrt_names *make_names(struct program_emitter *p)
{
	const struct program *g = p->program;
	struct pmlrt_names *all = ARENA_ARRAY(p->e->arena, struct pmlrt_names, g->names.n);
	for (int i = 0; i < g->names.n; i++) {
		const struct file_names *from = g->names.at[i];
		struct pmlrt_text *ignored = ARENA_ARRAY(p->e->arena, struct pmlrt_text, from->ignored.n);
		for (int k = 0; k < from->ignored.n; k++)
			ignored[k].text = from->ignored.at[k];
		all[i] = (struct pmlrt_names){.name = from->name,
					      .nstored = from->stored.n,
					      .npieces = from->pieces.n,
					      .nignored = from->ignored.n,
					      .stored = make_stored(p, from),
					      .pieces = make_pieces(p, from),
					      .ignored = ignored};
	}
	return all;
}

static const struct pmlrt_feed *make_feeds(struct program_emitter *p)
{
	const struct program *g = p->program;
	struct pmlrt_feed *all = ARENA_ARRAY(p->e->arena, struct pmlrt_feed, g->nfeeds + 1);
	for (int i = 0; i < g->nfeeds; i++) {
		const struct feed *from = &g->roles.at[p->role]->feeds[i];
		struct pmlrt_part *parts = ARENA_ARRAY(p->e->arena, struct pmlrt_part, from->parts.n + 1);
		for (int k = 0; k < from->parts.n; k++)
			parts[k] = (struct pmlrt_part){from->parts.at[k].field, from->parts.at[k].type,
						       from->parts.at[k].offset};
		all[i] = (struct pmlrt_feed){from->parts.n, parts, from->bytes, from->offset};
	}
	return all;
}

static const struct pmlrt_region *make_regions(struct program_emitter *p)
{
	const struct program *g = p->program;
	struct pmlrt_region *all = ARENA_ARRAY(p->e->arena, struct pmlrt_region, g->regions.n);
	for (int i = 0; i < g->regions.n; i++)
		all[i].name = g->regions.at[i]->name;
	return all;
}

static const struct pmlrt_test *make_tests(struct program_emitter *p, LLVMValueRef *functions)
{
	const struct program *g = p->program;
	struct pmlrt_test *all = ARENA_ARRAY(p->e->arena, struct pmlrt_test, g->tests.n);
	for (int i = 0; i < g->tests.n; i++) {
		all[i] = (struct pmlrt_test){.title = g->tests.at[i].title, .site = g->tests.at[i].site};
		table_set_function(&all[i].run, functions[i]);
	}
	return all;
}

/* For every rank whether this role serves it; NULL if there is one role only. */
static const uint8_t *make_rank_roles(struct program_emitter *p)
{
	const struct program *g = p->program;
	const struct role *role = g->roles.at[p->role];
	if (g->roles.n < 2)
		return NULL;
	uint8_t *all = ARENA_ARRAY(p->e->arena, uint8_t, g->nranks);
	for (int i = 0; i < role->ranks.n; i++)
		if (role->ranks.at[i] >= 0 && role->ranks.at[i] < g->nranks)
			all[role->ranks.at[i]] = 1;
	return all;
}

static int64_t count_tapes(const struct role *r, int nregions)
{
	int64_t n = 0;
	for (int i = 0; i < nregions; i++)
		for (int l = 0; r->plans[i] && l < r->plans[i]->loops.n; l++)
			n += r->plans[i]->loops.at[l].tapes.n;
	return n;
}

static const struct pmlrt_transform *make_transforms(struct program_emitter *p, int32_t *n)
{
	const struct role *r = p->program->roles.at[p->role];
	VEC(struct pmlrt_transform) all = {0};
	for (int i = 0; i < p->program->regions.n; i++)
		for (int s = 0; r->plans[i] && s < r->plans[i]->steps.n; s++) {
			const struct plan_fourier *f = r->plans[i]->steps.at[s].fourier;
			bool known = !f;
			for (int k = 0; f && k < all.n; k++)
				known = known || (all.at[k].n == f->n && all.at[k].dtype == (int32_t)f->type &&
						  all.at[k].numbers == (int32_t)f->numbers);
			if (!known)
				vec_push(p->e->arena, &all,
					 ((struct pmlrt_transform){(int32_t)f->type, (int32_t)f->numbers, f->n}));
		}
	*n = all.n;
	return all.at;
}

/* In whole lines of the cache. */
static int64_t largest_workspace(const struct role *r, int nregions)
{
	enum { LINE = 64 };
	int64_t most = 0;
	for (int i = 0; i < nregions; i++)
		for (int s = 0; r->plans[i] && s < r->plans[i]->steps.n; s++) {
			const struct plan_step *step = &r->plans[i]->steps.at[s];
			if (step->kind != STEP_GEMM || step->gemm->workspace < 0)
				continue;
			const struct buffer *b = &r->plans[i]->buffers.at[step->gemm->workspace];
			int64_t bytes = buffer_size(b);
			most = bytes > most ? bytes : most;
		}
	return (most + LINE - 1) / LINE * LINE;
}

void tables_emit(struct program_emitter *p, const char *version, LLVMValueRef init, LLVMValueRef entry,
		 LLVMValueRef *tests)
{
	const struct program *g = p->program;
	struct pmlrt_program t = {
		.abi = PMLRT_ABI,
		.name = g->name,
		.source = g->source ? g->source : "",
		.version = version ? version : "",
		.role = g->roles.at[p->role]->name ? g->roles.at[p->role]->name : "",
		.fingerprint = g->fingerprint,
		.tensors = program_tensors(g),
		.nranks = g->nranks,
		.arena_bytes = g->roles.at[p->role]->arena_bytes,
		.batch_bytes = g->roles.at[p->role]->batch_bytes,
		.product_workspace = largest_workspace(g->roles.at[p->role], g->regions.n),
		.ntapes = count_tapes(g->roles.at[p->role], g->regions.n),
		.vector_bytes = 4 * p->e->target->lanes,
		.bf16_pairs = p->e->target->bf16_pairs && !p->e->session->options.reproducible,
		.differentiates = g->differentiates,
		.nconfigs = g->configs.n,
		.nplaces = g->places.n,
		.ntypes = g->types.n,
		.nsites = g->sites.n,
		.ntransfers = g->transfers.n,
		.nslots = g->slots.n,
		.nnames = g->names.n,
		.nfeeds = g->nfeeds,
		.nregions = g->regions.n,
		.nworks = p->work_rows.n,
		.ntests = g->tests.n,
		.configs = make_configs(p),
		.places = make_places(p),
		.types = make_types(p),
		.sites = make_sites(p),
		.transfers = make_transfers(p),
		.slots = make_slots(p),
		.names = make_names(p),
		.feeds = make_feeds(p),
		.regions = make_regions(p),
		.works = p->work_rows.at,
		.tests = make_tests(p, tests),
		.rank_roles = make_rank_roles(p),
	};
	t.transforms = make_transforms(p, &t.ntransforms);
	table_set_function(&t.init, init);
	table_set_function(&t.entry, entry);
	table_global(p->e, &table_program, &t, "program");
}

/* int main(int argc, char **argv) { return pmlrt_main(argc, argv, &program); } */
static void emit_main(struct emitter *e)
{
	LLVMTypeRef types[] = {e->i32, e->ptr, e->ptr};
	LLVMTypeRef type = LLVMFunctionType(e->i32, types, 2, 0), runtime_type = LLVMFunctionType(e->i32, types, 3, 0);
	LLVMValueRef f = LLVMAddFunction(e->module, "main", type);
	LLVMValueRef runtime = LLVMAddFunction(e->module, "pmlrt_main", runtime_type);
	emit_function_attributes(e, f);
	LLVMPositionBuilderAtEnd(e->builder, LLVMAppendBasicBlockInContext(e->context, f, "entry"));
	if (e->debug)
		LLVMSetCurrentDebugLocation2(e->builder, NULL);
	LLVMValueRef arguments[] = {LLVMGetParam(f, 0), LLVMGetParam(f, 1), LLVMGetNamedGlobal(e->module, "program")};
	LLVMBuildRet(e->builder, LLVMBuildCall2(e->builder, runtime_type, runtime, arguments, 3, ""));
}

struct program_emitter *program_emitter_new(struct emitter *e, struct program *p, int role)
{
	struct program_emitter *out = ARENA_NEW(e->arena, struct program_emitter);
	out->e = e;
	out->program = p;
	out->role = role;
	out->region = ARENA_ARRAY(e->arena, LLVMValueRef, p->regions.n + 1);
	out->works = works_of(e->arena, p, 4 * e->target->lanes);
	map_init(&out->work_numbers, e->arena);
	map_init(&out->forms.numbers, e->arena);
	out->forms.table = LLVMAddGlobal(e->module, e->ptr, "forms");
	return out;
}

void program_emit(struct program_emitter *p, const char *version)
{
	const struct program *g = p->program;
	debug_begin(p->e, version);
	LLVMValueRef init = g->init ? host_function_emit(p, g->init, "host.init") : NULL;
	LLVMValueRef entry = g->main ? host_function_emit(p, g->main, "host.main") : NULL;
	LLVMValueRef *tests = ARENA_ARRAY(p->e->arena, LLVMValueRef, g->tests.n + 1);
	for (int i = 0; i < g->tests.n; i++)
		tests[i] = host_function_emit(p, g->tests.at[i].function, arena_printf(p->e->arena, "host.test.%d", i));
	step_forms_emit(p);
	tables_emit(p, version, init, entry, tests);
	emit_main(p->e);
	debug_end(p->e);
}
