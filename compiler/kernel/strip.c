/* strip.c — strips of a kernel: its outermost loops make one of n equal ranges of their turns, and of what moves along
 * with these turns a strip has a line, one of n equal parts that follow each other in the buffer. The strips, one after
 * the other, do what the kernel does, with the same bits: no loop within is another, and none around joins its turns.
 *
 *   loop i0 64 { … b0[16384*i0 + 128*i1 + 1*i2] … }, b0: f32[1048576]
 *   in 16 strips: loop i0 4 { … }, b0: f32[65536], in each turn of the strips another one of 16 lines */
#include "strip.h"

#include "lower.h"

#include "../../runtime/shard.h"

enum { VECTORS = 64 /* turns of a vector loop that are whole vectors on any machine */ };

int64_t kernel_strips(const struct kernel *k)
{
	int64_t strips = 0;
	for (const struct kernel_instr *i = k->body; i; i = i->next) {
		if (i->kind == K_STORE || (i->kind == K_LOOP && (i->naccs || i->extent < 2)))
			return 1;
		if (i->kind == K_LOOP)
			strips = shard_gcd(strips, i->vector ? i->extent / shard_gcd(i->extent, VECTORS) : i->extent);
	}
	return strips ? strips : 1;
}

struct scan {
	const struct kernel *k;
	int64_t n;
	const int64_t *elements, *from;
	enum strip_way *way;
	const struct kernel_instr *outermost; /* NULL: around all of them */
	bool fits;
};

/* Whether what the first strip touches there lies in the first line. */
static bool is_in_line(const struct scan *s, const struct kernel_instr *i)
{
	const struct kernel_instr *loop = s->outermost;
	int64_t coef = affine_coef(&i->at, loop->loop), line = s->elements[i->param] / s->n;
	int64_t low = s->from[i->param] + i->at.offset, high = low;
	if (i->at.reg >= 0 || coef * loop->extent != s->elements[i->param])
		return false;
	for (int t = 0; t < i->at.nterms; t++) {
		bool moves = i->at.term[t].loop == loop->loop;
		int64_t turns = moves ? loop->extent / s->n : kernel_loop_extent(loop->body, i->at.term[t].loop);
		int64_t most = i->at.term[t].coef * (turns - 1);
		*(most < 0 ? &low : &high) += most;
	}
	return low >= 0 && high < line;
}

static void access(struct scan *s, const struct kernel_instr *i)
{
	bool moves = s->outermost && affine_coef(&i->at, s->outermost->loop) != 0;
	enum strip_way way = moves ? STRIP_LINE : STRIP_WHOLE, *was = &s->way[i->param];
	s->fits = s->fits && (*was == STRIP_UNUSED || *was == way);
	s->fits = s->fits && (!moves || is_in_line(s, i));
	*was = way;
}

static void scan_body(struct scan *s, const struct kernel_instr *body)
{
	for (const struct kernel_instr *i = body; i && s->fits; i = i->next) {
		bool is_outermost = i->kind == K_LOOP && !s->outermost;
		if (i->kind == K_LOAD || i->kind == K_STORE)
			access(s, i);
		/* Where a strip stands among them, none of its turns knows. */
		if (i->kind == K_LOOPVAR && s->outermost && affine_coef(&i->at, s->outermost->loop))
			s->fits = false;
		if (is_outermost)
			s->outermost = i;
		if (i->kind == K_LOOP)
			scan_body(s, i->body);
		if (is_outermost)
			s->outermost = NULL;
	}
}

bool kernel_strip_ways(const struct kernel *k, int64_t n, const int64_t *elements, const int64_t *from,
		       enum strip_way *way)
{
	struct scan s = {.k = k, .n = n, .elements = elements, .from = from, .way = way, .fits = true};
	for (int p = 0; p < k->params.n; p++)
		way[p] = STRIP_UNUSED;
	scan_body(&s, k->body);
	for (int p = 0; p < k->params.n && s.fits; p++) {
		const struct kernel_param *x = &k->params.at[p];
		if (x->kind == KP_SCALAR)
			continue;
		s.fits = (x->kind == KP_IN || way[p] == STRIP_LINE) &&
			 (x->same < 0 || way[p] == way[x->same] || way[x->same] == STRIP_UNUSED);
	}
	return s.fits;
}

struct kernel *kernel_strip(struct arena *a, const struct kernel *k, int64_t n, const int64_t *elements,
			    const enum strip_way *way)
{
	struct kernel *strip = kernel_copy(a, k);
	strip->flops /= n;
	for (struct kernel_instr *i = strip->body; i; i = i->next)
		if (i->kind == K_LOOP)
			i->extent /= n;
	for (int p = 0; p < strip->params.n; p++)
		if (strip->params.at[p].kind != KP_SCALAR && way[p] == STRIP_LINE)
			strip->params.at[p].size -= elements[p] - elements[p] / n;
	return strip;
}
