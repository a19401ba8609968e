/* share.c — whether a kernel may write where it reads: an output takes the buffer of an input that dies with it.
 *
 * Let P be the loops around both a read and a write. The read must come first within one turn of P, or be of other
 * elements than the write, and turns must touch separate stretches of the buffer: the coefficients of P's variables are
 * those of a mixed-radix number whose smallest unit is no less than what one turn reads and writes. A read before the
 * loops of the write, with P empty, is always fine. What is read back of the output has been written before. */
#include "lower.h"

enum { MAX_PATH = 64, MAX_ACCESSES = 64 };

struct site {
	const struct kernel_instr *in;
	const struct kernel_instr *path[MAX_PATH]; /* loops around it, outermost first */
	int depth, order;
};

struct sites {
	struct site load[MAX_ACCESSES], store[MAX_ACCESSES];
	int nloads, nstores, order;
	bool too_many;
	const struct kernel_instr *path[MAX_PATH];
	int depth;
};

static void note(struct sites *s, struct site *list, int *n, const struct kernel_instr *in)
{
	if (*n == MAX_ACCESSES) {
		s->too_many = true;
		return;
	}
	struct site *at = &list[(*n)++];
	at->in = in;
	at->depth = s->depth;
	at->order = s->order;
	for (int i = 0; i < s->depth; i++)
		at->path[i] = s->path[i];
}

static void collect(struct sites *s, const struct kernel_instr *body, int read, int written)
{
	for (const struct kernel_instr *in = body; in; in = in->next) {
		s->order++;
		if (in->kind == K_LOAD && in->param == read)
			note(s, s->load, &s->nloads, in);
		if (in->kind == K_STORE && in->param == written)
			note(s, s->store, &s->nstores, in);
		if (in->kind != K_LOOP)
			continue;
		if (s->depth == MAX_PATH) {
			s->too_many = true;
			return;
		}
		s->path[s->depth++] = in;
		collect(s, in->body, read, written);
		s->depth--;
	}
}

/* The range of an address over the loops inside the first `common` of its path. */
static void inner_range(const struct site *s, int common, int64_t *low, int64_t *high)
{
	*low = *high = s->in->at.offset;
	for (int i = common; i < s->depth; i++) {
		int64_t reach = (s->path[i]->extent - 1) * affine_coef(&s->in->at, s->path[i]->loop);
		if (s->path[i]->extent > 0)
			*(reach < 0 ? low : high) += reach;
	}
}

/* The loops' coefficients, sorted, each at least the reach of the smaller ones: turns touch separate stretches. */
static bool mixed_radix(const struct kernel_affine *at, const struct site *s, int common, int64_t unit)
{
	bool used[MAX_PATH] = {false};
	for (int turn = 0; turn < common; turn++) {
		int best = -1;
		for (int i = 0; i < common; i++)
			if (!used[i] &&
			    (best < 0 || affine_coef(at, s->path[i]->loop) < affine_coef(at, s->path[best]->loop)))
				best = i;
		used[best] = true;
		int64_t coef = affine_coef(at, s->path[best]->loop);
		if (s->path[best]->extent <= 1)
			continue;
		if (coef < unit)
			return false;
		unit = coef * s->path[best]->extent;
	}
	return true;
}

static bool read_is_safe(const struct site *load, const struct site *store)
{
	int common = 0;
	while (common < load->depth && common < store->depth && load->path[common] == store->path[common])
		common++;
	bool later = load->order > store->order;
	if (common == 0 && !later)
		return true;
	if (load->in->at.reg >= 0)
		return false;
	for (int i = 0; i < common; i++)
		if (affine_coef(&load->in->at, load->path[i]->loop) != affine_coef(&store->in->at, load->path[i]->loop))
			return false;
	int64_t low, high, low2, high2;
	inner_range(load, common, &low, &high);
	inner_range(store, common, &low2, &high2);
	if (later && low <= high2 && low2 <= high)
		return false;
	int64_t first = low < low2 ? low : low2, last = high > high2 ? high : high2;
	return mixed_radix(&store->in->at, store, common, last - first + 1);
}

bool kernel_can_share(const struct kernel *k, int in, int out)
{
	const struct kernel_param *a = &k->params.at[in], *b = &k->params.at[out];
	if (a->kind != KP_IN || b->kind != KP_OUT || a->type != b->type || a->size != b->size)
		return false;
	struct sites s; /* large, so only what counts is set */
	s.nloads = s.nstores = s.order = s.depth = 0;
	s.too_many = false;
	collect(&s, k->body, in, out);
	for (int n = 0; n < s.nstores && !s.too_many; n++) {
		if (s.store[n].in->at.reg >= 0)
			return false;
		for (int i = 0; i < s.nloads; i++)
			if (!read_is_safe(&s.load[i], &s.store[n]))
				return false;
	}
	return !s.too_many && s.nstores > 0;
}
