/* library_steps.c — steps that the runtime's own code computes: products of matrices, sorting, transforms of lines,
 * factors of matrices; with the room that they use. */
#include "writer.h"

#include "../../runtime/pmlrt.h"

/* Room that a step uses while it runs. */
static int workspace_buffer(struct writer *w, const struct phys_node *n, enum dtype type, int64_t elements)
{
	int b = writer_new_buffer(w, BUFFER_ARENA, n, -1);
	w->p->plan->buffers.at[b].type = type;
	w->p->plan->buffers.at[b].elements = elements;
	w->p->plan->buffers.at[b].name = NULL;
	return b;
}

static int64_t packed_elements(const struct contraction *c)
{
	int64_t packed = 0;
	if (c->filter)
		return product_filter_room(&c->filter->f);
	for (int side = 0; side < 2; side++)
		packed += c->pack[side] ? product_pack_room(c->pack[side]) : 0;
	return packed;
}

/* Of its products of matrices. */
static int64_t filter_flops(const struct product_filter *f)
{
	struct filter_kinds k = filter_kinds_of(f);
	struct filter_blocks b = filter_blocks_of(f, &k);
	return count_mul(2 * filter_multiplications(&k, &b), count_mul(f->channels, f->filters));
}

/* A step of the unit's product into buffer dst: c, which is the piece of so many, 0: all of it. */
static void piece_step(struct writer *w, const struct unit *u, const struct contraction *c, int dst, int workspace,
		       int piece, int pieces)
{
	struct planner *p = w->p;
	const struct phys_node *n = u->product->result;
	struct plan_step *s = writer_add_step(w, STEP_GEMM, n);
	s->gemm = ARENA_NEW(p->arena, struct plan_gemm);
	*s->gemm = (struct plan_gemm){.type = c->type,
				      .type_b = c->type_b,
				      .factors = c->factors,
				      .exact = c->exact,
				      .ta = c->ta,
				      .tb = c->tb,
				      .m = c->m,
				      .n = c->n,
				      .k = c->k,
				      .lda = c->lda,
				      .ldb = c->ldb,
				      .ldc = c->ldc,
				      .alpha = u->alpha,
				      .beta = u->beta,
				      .c = dst,
				      .grid = -1,
				      .offset_a = c->offset_a,
				      .offset_b = c->offset_b,
				      .offset_c = c->offset_c,
				      .offset_grid = c->offset_grid,
				      .nloops = c->nloops,
				      .loop = c->loop,
				      .pack_a = c->pack[0],
				      .pack_b = c->pack[1],
				      .filter = c->filter,
				      .workspace = workspace};
	s->piece = piece;
	s->pieces = pieces;
	if (piece == pieces)
		writer_note_written(w, s, n, dst);
	s->gemm->a = writer_buffer(w, c->a);
	s->gemm->b = writer_buffer(w, c->b);
	if (c->grid)
		s->gemm->grid = writer_buffer(w, c->grid);
	if (u->alpha_node)
		s->gemm->alpha.argument = writer_buffer(w, u->alpha_node);
	if (u->beta_node)
		s->gemm->beta.argument = writer_buffer(w, u->beta_node);
	s->flops = count_mul(count_mul(2 * c->m, c->n), c->k);
	for (int i = 0; i < c->nloops; i++)
		s->flops = count_mul(s->flops, c->loop[i].extent);
	if (c->filter)
		s->flops = filter_flops(&c->filter->f);
}

void writer_product_step(struct writer *w, struct unit *u)
{
	const struct product *x = u->product;
	const struct contraction *piece;
	int onto = x->onto && u->part <= 1 ? writer_buffer(w, x->onto) : -1;
	bool dies = onto >= 0 && writer_may_take_over(w, onto) && w->readers[onto] == 1;
	int dst = u->part > 1 ? writer_buffer(w, x->result) : writer_make_buffer(w, x->result, dies ? onto : -1);
	if (onto >= 0 && onto != dst)
		writer_copy_step(w, x->result, w->p->in_slot[x->result->id], onto, dst);
	int pieces = u->part || x->c.filter ? 1 : contraction_pieces(w->p->arena, &x->c, &piece);
	int64_t packed = packed_elements(&x->c);
	int workspace = packed ? workspace_buffer(w, x->result, x->c.type, packed) : -1;
	if (pieces == 1)
		piece_step(w, u, &x->c, dst, workspace, u->part, u->parts);
	for (int i = 0; i < pieces && pieces > 1; i++)
		piece_step(w, u, &piece[i], dst, workspace, i + 1, pieces);
}

void writer_sorted_step(struct writer *w, struct unit *u)
{
	const struct ranking *r = &u->sorted->ranking;
	int src = writer_buffer(w, r->x), dst = writer_make_buffer(w, u->node, -1);
	int64_t room = pmlrt_ranking_words(dtype_size(r->type), r->n, r->inner);
	int workspace = workspace_buffer(w, u->node, DT_U64, room);
	struct plan_step *s = writer_add_step(w, STEP_SORTED, u->node);
	s->sorted = ARENA_NEW(w->p->arena, struct plan_sorted);
	*s->sorted = (struct plan_sorted){r->type, r->down, r->outer, r->n, r->inner, r->from, r->first, workspace};
	s->src = src;
	s->dst = dst;
	writer_note_written(w, s, u->node, dst);
	s->flops = ranking_flops(r);
}

static struct plan_scalar origin_scalar(struct phys_origin o)
{
	struct plan_scalar s = {.kind = OPERAND_CONST, .type = DT_I64};
	if (o.type >= 0)
		s = (struct plan_scalar){.kind = OPERAND_ORIGIN, .type = DT_I64, .origin = {.type = o.type}};
	return s;
}

static struct plan_fourier_side plan_side(const struct fourier_side *s, int second)
{
	struct plan_scalar part = origin_scalar(s->part);
	if (s->part.type < 0)
		part.number.i = s->behind;
	return (struct plan_fourier_side){second, {s->offset[0], s->offset[1]}, s->parts, s->count, s->step,
					  part,   origin_scalar(s->first)};
}

void writer_fourier_step(struct writer *w, struct unit *u)
{
	const struct fourier *f = &u->transformed->fourier;
	bool in_parts = f->out.at[1] != f->out.at[0];
	int src = writer_buffer(w, f->in.at[0]), imaginary = writer_buffer(w, f->in.at[1]);
	int dst = writer_make_buffer(w, f->out.at[0], -1),
	    other = in_parts ? writer_make_buffer(w, f->out.at[1], -1) : dst;
	int64_t room = fourier_room(f->n, f->numbers, dtype_size(f->type)) / dtype_size(DT_U64);
	int workspace = workspace_buffer(w, u->node, DT_U64, room);
	struct plan_step *s = writer_add_step(w, STEP_FOURIER, u->node);
	struct fourier_loop *loop = ARENA_ARRAY(w->p->arena, struct fourier_loop, f->nloops);
	for (int i = 0; i < f->nloops; i++)
		loop[i] = f->loop[i];
	s->fourier = ARENA_NEW(w->p->arena, struct plan_fourier);
	*s->fourier = (struct plan_fourier){f->type,
					    f->n,
					    f->positive,
					    f->numbers,
					    f->scale,
					    f->in_ends_halved,
					    f->out_ends_halved,
					    plan_side(&f->in, imaginary),
					    plan_side(&f->out, other),
					    f->nloops,
					    loop,
					    workspace};
	s->src = src;
	s->dst = dst;
	writer_note_written(w, s, f->out.at[0], dst);
	if (in_parts)
		writer_note_written(w, s, f->out.at[1], other);
	s->flops = fourier_flops(f);
}

void writer_factors_step(struct writer *w, struct unit *u)
{
	enum factors_way way = u->node->node->factors;
	struct phys_node *in = planner_root(u->node->in[0]);
	const struct shape *s = &u->node->in[0]->shape;
	int64_t n = s->dim[s->rank - 1], count = n ? shape_volume(s) / (n * n) : 0;
	int src = writer_buffer(w, in), dst = writer_make_buffer(w, u->node, -1);
	int workspace = workspace_buffer(w, u->node, DT_U64, factors_room(way, n) / dtype_size(DT_U64));
	struct plan_step *step = writer_add_step(w, STEP_FACTORS, u->node);
	step->factors = ARENA_NEW(w->p->arena, struct plan_factors);
	*step->factors = (struct plan_factors){way, u->node->dtype, count, n, workspace};
	step->src = src;
	step->dst = dst;
	writer_note_written(w, step, u->node, dst);
	step->flops = count_mul(count, factors_operations(way, n));
}
