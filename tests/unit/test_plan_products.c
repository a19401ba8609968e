/* test_plan_products.c — which maps become products of matrices, with which flags, and what is folded into them; each
 * plan is also run and compared. */
#include "plan_run.h"
#include "suite.h"

/* A rule over slots a and b, and the product it becomes: "m n k flags loops", or "" for a kernel. */
static const struct {
	const char *rule;
	int a[6], b[6]; /* shapes, ended by 0 */
	const char *product;
} recognised[] = {
	{"mm(a[m, k], b[k, n]) -> [m, n] = sum[k] a * b {m=16, k=17, n=18}", {16, 17}, {17, 18}, "16 18 17 --"},
	{"mm(a[m, k], b[k, n]) -> [m, n] = sum[k] b * a {m=16, k=17, n=18}", {16, 17}, {17, 18}, "16 18 17 --"},
	{"nt(a[m, k], b[n, k]) -> [m, n] = sum[k] a * b {m=16, k=17, n=18}", {16, 17}, {18, 17}, "16 18 17 -t"},
	{"tn(a[k, m], b[k, n]) -> [m, n] = sum[k] a * b {m=16, k=17, n=18}", {17, 16}, {17, 18}, "16 18 17 t-"},
	{"tt(a[k, m], b[n, k]) -> [m, n] = sum[k] a * b {m=16, k=17, n=18}", {17, 16}, {18, 17}, "16 18 17 tt"},
	/* The result transposed: the sides change places. */
	{"mm(a[m, k], b[k, n]) -> [n, m] = sum[k] a * b {m=16, k=17, n=18}", {16, 17}, {17, 18}, "18 16 17 tt"},
	/* Dimensions that step evenly are one. */
	{"mm(a[x, m, k], b[k, n]) -> [x, m, n] = sum[k] a * b {x=3, m=16, k=17, n=18}",
	 {3, 16, 17},
	 {17, 18},
	 "48 18 17 --"},
	{"mm(a[m, x, k], b[x, k, n]) -> [m, n] = sum[x, k] a * b {x=3, m=16, k=17, n=18}",
	 {16, 3, 17},
	 {3, 17, 18},
	 "16 18 51 --"},
	/* Batches, also in the middle. */
	{"bmm(a[x, m, k], b[x, k, n]) -> [x, m, n] = sum[k] a * b {x=3, m=16, k=17, n=18}",
	 {3, 16, 17},
	 {3, 17, 18},
	 "16 18 17 -- 3"},
	{"bmm(a[m, x, k], b[k, x, n]) -> [m, x, n] = sum[k] a * b {x=3, m=16, k=17, n=18}",
	 {16, 3, 17},
	 {17, 3, 18},
	 "16 18 17 -- 3"},
	/* Two batch dimensions in another order: two loops. */
	{"att(a[x, t, h, k], b[x, s, h, k]) -> [x, h, t, s] = sum[k] a * b {x=2, t=16, h=3, k=17, s=18}",
	 {2, 16, 3, 17},
	 {2, 18, 3, 17},
	 "16 18 17 -t 2x3"},
	/* Dimensions that do not merge: an operand for all turns, turns that add up. */
	{"q(a[x, t, d], b[d, h, k]) -> [x, h, t, k] = sum[d] a * b {x=2, t=16, d=17, h=3, k=18}",
	 {2, 16, 17},
	 {17, 3, 18},
	 "16 18 17 -- 2x3"},
	{"o(a[x, h, t, k], b[h, k, d]) -> [x, t, d] = sum[h, k] a * b {x=2, t=16, d=17, h=3, k=18}",
	 {2, 3, 16, 18},
	 {3, 18, 17},
	 "16 17 18 -- 2x3"},
	{"q(a[x, t, d], b[d, c, h, k]) -> [c, x, h, t, k] = sum[d] a * b {x=5, t=16, d=16, c=3, h=10, k=16}",
	 {5, 16, 16},
	 {16, 3, 10, 16},
	 "16 16 16 -- 5x3x10"},
	/* Of dimensions that do not merge the one of the matrix is the longest that may be. */
	{"q(a[t, x, d], b[d, k]) -> [x, t, k] = sum[d] a * b {x=40, t=3, d=17, k=18}",
	 {3, 40, 17},
	 {17, 18},
	 "40 18 17 -- 3"},
	/* Lines times thin matrices, unless those are long: loops. */
	{"thin(a[x, k], b[x, k, n]) -> [x, n] = sum[k] a * b {x=2, k=1100, n=4}", {2, 1100}, {2, 1100, 4}, ""},
	{"thin(a[x, k, m], b[x, k]) -> [m, x] = sum[k] a * b {x=2, k=3, m=1500}", {2, 3, 1500}, {2, 3}, ""},
	{"thin(a[x, k], b[x, k, n]) -> [x, n] = sum[k] a * b {x=2, k=1100, n=5}",
	 {2, 1100},
	 {2, 1100, 5},
	 "1 5 1100 -- 2"},
	{"thin(a[x, k], b[x, k, n]) -> [x, n] = sum[k] a * b {x=2, k=2100, n=4}",
	 {2, 2100},
	 {2, 2100, 4},
	 "1 4 2100 -- 2"},
	{"thin(a[x, k], b[x, k, n]) -> [x, n] = sum[k] a * b {x=2, k=5, n=900}", {2, 5}, {2, 5, 900}, "1 900 5 -- 2"},
	/* Lines times lines, however long: loops. */
	{"columns(a[k, x], b[k, x]) -> [x] = sum[k] a * b {k=4100, x=40}", {4100, 40}, {4100, 40}, ""},
	{"dot(a[k], b[k]) -> [] = sum[k] a * b {k=9000}", {9000}, {9000}, ""},
	/* Windows of one point are none, wherever dimensions lie. */
	{"one(a[o, c, p], b[n, y - p, o]) -> [n, c, y] = sum[o, p] b * a {n=3, o=40, y=50, c=32, p=1}",
	 {40, 32, 1},
	 {3, 50, 40},
	 "32 50 40 tt 3"},
	{"one(a[o, c, p], b[n, o, y - p + 7]) -> [n, c, y] = sum[o, p] b * a {n=3, o=40, y=50, c=32, p=1}",
	 {40, 32, 1},
	 {3, 40, 57},
	 "32 50 40 t- 3"},
	/* A vector is one row. */
	{"mv(a[m, k], b[k]) -> [m] = sum[k] a * b {m=70, k=80}", {70, 80}, {80}, "1 70 80 -t"},
	/* Scaled by a number. */
	{"mm(a[m, k], b[k, n]) -> [m, n] = sum[k] 0.5 * a * b {m=16, k=17, n=18}", {16, 17}, {17, 18}, "16 18 17 --"},
	/* Too small, no product, no sum, one operand twice, a factor of one operand alone. */
	{"mm(a[m, k], b[k, n]) -> [m, n] = sum[k] a * b {m=4, k=5, n=6}", {4, 5}, {5, 6}, ""},
	{"dist(a[m, k], b[n, k]) -> [m, n] = sum[k] (a - b) * (a - b) {m=16, k=17, n=18}", {16, 17}, {18, 17}, ""},
	{"mx(a[m, k], b[k, n]) -> [m, n] = max[k] a * b {m=16, k=17, n=18}", {16, 17}, {17, 18}, ""},
	{"sq(a[m, k], b[k]) -> [m] = sum[k] a * a {m=70, k=80}", {70, 80}, {80}, ""},
	{"ab(a[m, k], b[k, n]) -> [m] = sum[k, n] a * b {m=16, k=17, n=18}", {16, 17}, {17, 18}, ""},
	/* Windows are read where they lie, v, or gathered, w. Padded, with a stride, dilated, moved by loops. */
	{"conv(a[y + p:40], b[p, q]) -> [y, q] = sum[p] a * b {y=30, p=11, q=16}", {40}, {11, 16}, "30 16 11 v-"},
	{"conv(a[n, c, y + p - 1:9, x + q - 1:7], b[o, c, p, q]) -> [n, o, y, x] = sum[c, p, q] a * b "
	 "{n=3, c=4, y=9, x=7, o=8, p=3, q=3}",
	 {3, 4, 9, 7},
	 {8, 4, 3, 3},
	 "8 63 36 -v 3"},
	{"conv(a[n, c, 2 * y + 2 * p - 2:11, 3 * x + q - 1:11], b[o, c, p, q]) -> [n, o, y, x] = sum[c, p, q] a * b "
	 "{n=2, c=4, y=5, x=4, o=8, p=3, q=3}",
	 {2, 4, 11, 11},
	 {8, 4, 3, 3},
	 "8 20 36 -v 2"},
	/* Its gradients: windows of the gradient, transposed and with a divisor; sums over rows. */
	{"da(a[n, o, (y - p + 1) / 2:5, (x - 2 * q + 1) / 3:4], b[o, c, p, q]) -> [n, c, y, x] = sum[o, p, q] a * b "
	 "{n=2, c=4, y=9, x=10, o=8, p=3, q=3}",
	 {2, 8, 5, 4},
	 {8, 4, 3, 3},
	 "4 90 72 ww 2"},
	{"db(a[n, c, y + p - 1:9, x + q - 1:7], b[n, o, y, x]) -> [o, c, p, q] = sum[n, y, x] a * b "
	 "{n=3, c=4, y=9, x=7, o=8, p=3, q=3}",
	 {3, 4, 9, 7},
	 {3, 8, 9, 7},
	 "8 36 63 -v 3"},
	/* Both operands, one index of two factors of the result, three of one. */
	{"both(a[y + p:20, k + p:14], b[k + p:14, x]) -> [y, x] = sum[p, k] a * b {y=16, p=5, k=10, x=9}",
	 {20, 14},
	 {14, 9},
	 "16 9 50 vw"},
	{"diagonal(a[y + x + p:40, q], b[p, q, o]) -> [o, y, x] = sum[p, q] a * b {y=10, x=12, p=6, q=5, o=8}",
	 {40, 5},
	 {6, 5, 8},
	 "8 120 30 tv"},
	/* Gathered matrices stay small: of rows of pixels, of one long row, of what is summed up, a part at a time. */
	{"conv(a[c, y + p - 1:240, x + q - 1:72], b[o, c, p, q]) -> [o, y, x] = sum[c, p, q] a * b "
	 "{c=16, y=240, x=72, o=3, p=3, q=3}",
	 {16, 240, 72},
	 {3, 16, 3, 3},
	 "3 3456 144 -v 5"},
	/* 61 lines, which go through no number of parts evenly: three of 21, of which each begins with the last line of
	 * the one before. */
	{"conv(a[c, y + p - 1:61, x + q - 1:72], b[o, c, p, q]) -> [o, y, x] = sum[c, p, q] a * b "
	 "{c=16, y=61, x=72, o=2, p=3, q=3}",
	 {16, 61, 72},
	 {2, 16, 3, 3},
	 "2 1512 144 -w 3"},
	{"conv(a[c, y + p:34], b[o, c, p]) -> [o, y] = sum[c, p] a * b {c=700, y=32, o=9, p=3}",
	 {700, 34},
	 {9, 700, 3},
	 "9 32 2100 -v"},
	{"conv(a[c, y + p:34, z], b[o, c, p, z]) -> [o, y] = sum[c, p, z] a * b {c=700, y=32, o=9, p=3, z=15}",
	 {700, 34, 15},
	 {9, 700, 3, 15},
	 "9 32 15750 -v 2"},
	/* Dimensions of the sum that lie apart in one operand. */
	{"apart(a[k, m, h], b[h, n, k]) -> [m, n] = sum[k, h] a * b {k=9, m=16, h=8, n=18}",
	 {9, 16, 8},
	 {8, 18, 9},
	 "16 18 72 wv"},
	/* One channel each: gathering would cost more than it saves. */
	{"depthwise(a[n, c, y + p - 1:9], b[c, p]) -> [n, c, y] = sum[p] a * b {n=3, c=16, y=9, p=3}",
	 {3, 16, 9},
	 {16, 3},
	 ""},
};

static struct shape shape_from(const int *dim)
{
	struct shape s = {.rank = 0};
	while (dim[s.rank]) {
		s.dim[s.rank] = dim[s.rank];
		s.rank++;
	}
	return s;
}

static int products(const struct plan *p, const struct plan_gemm **first)
{
	int n = 0;
	for (int i = 0; i < p->steps.n; i++)
		if (p->steps.at[i].kind == STEP_GEMM && !n++)
			*first = p->steps.at[i].gemm;
	return n;
}

/* Gathered, read through windows, transposed, or as it is. */
static char way_of(const struct product_pack *pack, bool transposed)
{
	if (pack)
		return pack->way == WAY_THROUGH ? 'v' : 'w';
	return transposed ? 't' : '-';
}

START_TEST(contractions_are_recognised)
{
	if (!suite_takes(_i, 2))
		return;
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *a = fixture_param(&r.f, "a", shape_from(recognised[_i].a), at, "B");
	struct node *b = fixture_param(&r.f, "b", shape_from(recognised[_i].b), at, "B");
	fixture_keep(&r.f, "y", fixture_map(&r.f, recognised[_i].rule, a, b, NULL));
	ck_assert(prepare(&r, 1));
	compare(&r, 1);
	const struct plan_gemm *g = NULL;
	ck_assert_int_le(products(only_plan(&r), &g), 1);
	char found[64] = "";
	int n = !g ? 0
		   : snprintf(found, sizeof found, "%d %d %d %c%c", (int)g->m, (int)g->n, (int)g->k,
			      way_of(g->pack_a, g->ta), way_of(g->pack_b, g->tb));
	for (int i = 0; g && i < g->nloops; i++)
		n += snprintf(found + n, sizeof found - (size_t)n, "%c%d", i ? 'x' : ' ', (int)g->loop[i].extent);
	ck_assert_msg(!strcmp(found, recognised[_i].product), "%s: `%s`, not `%s`", recognised[_i].rule, found,
		      recognised[_i].product);
}
END_TEST

/* Convolutions, and the filter that each becomes: "what of images x channels x filters, rows x columns from row column,
 * weights at offset by row column", or "" for none. */
static const struct {
	const char *rule;
	int a[6], b[6];
	const char *filter;
} filtered[] = {
	{"conv(x[n, c, i + u - 1:14, j + v - 1:14], w[k, c, u, v]) -> [n, k, i, j] = sum[c, u, v] x * w "
	 "{n=16, c=32, k=48, i=14, j=14, u=3, v=3}",
	 {16, 32, 14, 14},
	 {48, 32, 3, 3},
	 "results of 16 x 32 x 48, 14 x 14 from -1 -1, weights at 0 by 3 1"},
	/* The operands the other way round; nothing beside the tensor. */
	{"conv(w[k, c, u, v], x[n, c, i + u, j + v]) -> [n, k, i, j] = sum[c, u, v] x * w "
	 "{n=16, c=32, k=48, i=12, j=14, u=3, v=3}",
	 {48, 32, 3, 3},
	 {16, 32, 14, 16},
	 "results of 16 x 32 x 48, 12 x 14 from 0 0, weights at 0 by 3 1"},
	/* Windows that go backwards, as the gradient of x reads y: weights do. */
	{"dx(y[n, k, i - u + 1:14, j - v + 1:14], w[k, c, u, v]) -> [n, c, i, j] = sum[k, u, v] y * w "
	 "{n=16, c=32, k=48, i=14, j=14, u=3, v=3}",
	 {16, 48, 14, 14},
	 {48, 32, 3, 3},
	 "results of 16 x 48 x 32, 14 x 14 from -1 -1, weights at 8 by -3 -1"},
	{"dw(x[n, c, i + u - 1:14, j + v - 1:14], y[n, k, i, j]) -> [k, c, u, v] = sum[n, i, j] x * y "
	 "{n=16, c=32, k=48, i=14, j=14, u=3, v=3}",
	 {16, 32, 14, 14},
	 {16, 48, 14, 14},
	 "weights of 16 x 32 x 48, 14 x 14 from -1 -1, weights at 0 by 3 1"},
	/* One image; the two dimensions of windows change places in the weights. */
	{"conv(x[c, i + u - 1:28, j + v - 1:28], w[k, c, v, u]) -> [k, i, j] = sum[c, u, v] x * w "
	 "{c=64, k=64, i=28, j=28, u=3, v=3}",
	 {64, 28, 28},
	 {64, 64, 3, 3},
	 "results of 1 x 64 x 64, 28 x 28 from -1 -1, weights at 0 by 1 3"},
	/* All images but the first. */
	{"conv(x[n + 1, c, i + u - 1:14, j + v - 1:14], w[k, c, u, v]) -> [n, k, i, j] = sum[c, u, v] x * w "
	 "{n=16, c=32, k=48, i=14, j=14, u=3, v=3}",
	 {17, 32, 14, 14},
	 {48, 32, 3, 3},
	 "results of 16 x 32 x 48, 14 x 14 from -1 -1, weights at 0 by 3 1, x at 6272"},
	/* Images in two dimensions that do not step as one. */
	{"conv(x[n, c, m, i + u - 1:14, j + v - 1:14], w[k, c, u, v]) -> [n, m, k, i, j] = sum[c, u, v] x * w "
	 "{n=8, m=2, c=32, k=48, i=14, j=14, u=3, v=3}",
	 {8, 32, 2, 14, 14},
	 {48, 32, 3, 3},
	 ""},
	/* Strides, other windows, other dimensions. */
	{"conv(x[n, c, 2 * i + u - 1:56, 2 * j + v - 1:56], w[k, c, u, v]) -> [n, k, i, j] = sum[c, u, v] x * w "
	 "{n=16, c=64, k=128, i=28, j=28, u=3, v=3}",
	 {16, 64, 56, 56},
	 {128, 64, 3, 3},
	 "results of 16 x 64 x 128, 28 x 28 from -1 -1, weights at 0 by 3 1, strides 2 2"},
	{"conv(x[n, c, i + u - 2:14, j + v - 2:14], w[k, c, u, v]) -> [n, k, i, j] = sum[c, u, v] x * w "
	 "{n=16, c=96, k=128, i=14, j=14, u=5, v=5}",
	 {16, 96, 14, 14},
	 {128, 96, 5, 5},
	 "results of 16 x 96 x 128, 14 x 14 from -2 -2, weights at 0 by 5 1, 5 x 5 taps"},
	{"conv(x[n, c, h + t - 1:16, i + u - 1:32, j + v - 1:32], w[k, c, t, u, v]) -> [n, k, h, i, j] = "
	 "sum[c, t, u, v] x * w {n=2, c=16, k=32, h=16, i=32, j=32, t=3, u=3, v=3}",
	 {2, 16, 16, 32, 32},
	 {32, 16, 3, 3, 3},
	 "results of 2 x 16 x 32, 32 x 32 from -1 -1, weights at 0 by 3 1, 16 from -1 by 9"},
	{"conv(x[n, c, j + v - 1:1024], w[k, c, v]) -> [n, k, j] = sum[c, v] x * w "
	 "{n=16, c=256, k=256, j=1024, v=3}",
	 {16, 256, 1024},
	 {256, 256, 3},
	 "results of 16 x 256 x 256, 1 x 1024 from 0 -1, weights at 0 by 0 1"},
	/* Channels last: no neighbours along rows. Strides that leave no two taps, dilation. Few channels, small
	   images. */
	{"conv(x[n, i + u - 1:14, j + v - 1:14, c], w[k, c, u, v]) -> [n, k, i, j] = sum[c, u, v] x * w "
	 "{n=16, c=32, k=48, i=14, j=14, u=3, v=3}",
	 {16, 14, 14, 32},
	 {48, 32, 3, 3},
	 ""},
	{"conv(x[n, c, 3 * i + u - 1:84, 3 * j + v - 1:84], w[k, c, u, v]) -> [n, k, i, j] = sum[c, u, v] x * w "
	 "{n=16, c=64, k=128, i=28, j=28, u=3, v=3}",
	 {16, 64, 84, 84},
	 {128, 64, 3, 3},
	 ""},
	{"conv(x[n, c, i + 2 * u - 2:14, j + 2 * v - 2:14], w[k, c, u, v]) -> [n, k, i, j] = sum[c, u, v] x * w "
	 "{n=16, c=32, k=48, i=14, j=14, u=3, v=3}",
	 {16, 32, 14, 14},
	 {48, 32, 3, 3},
	 ""},
	{"conv(x[n, c, i + u - 2:14, j + v - 2:14], w[k, c, u, v]) -> [n, k, i, j] = sum[c, u, v] x * w "
	 "{n=16, c=32, k=32, i=14, j=14, u=5, v=5}",
	 {16, 32, 14, 14},
	 {32, 32, 5, 5},
	 "results of 16 x 32 x 32, 14 x 14 from -2 -2, weights at 0 by 5 1, 5 x 5 taps"},
	{"conv(x[n, c, i + u - 1:14, j + v - 1:14], w[k, c, u, v]) -> [n, k, i, j] = sum[c, u, v] x * w "
	 "{n=16, c=4, k=48, i=14, j=14, u=3, v=3}",
	 {16, 4, 14, 14},
	 {48, 4, 3, 3},
	 ""},
	{"conv(x[n, c, i + u - 1:5, j + v - 1:5], w[k, c, u, v]) -> [n, k, i, j] = sum[c, u, v] x * w "
	 "{n=1, c=64, k=64, i=5, j=5, u=3, v=3}",
	 {1, 64, 5, 5},
	 {64, 64, 3, 3},
	 ""},
};

START_TEST(convolutions_go_by_filters)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *a = fixture_param(&r.f, "a", shape_from(filtered[_i].a), at, "B");
	struct node *b = fixture_param(&r.f, "b", shape_from(filtered[_i].b), at, "B");
	fixture_keep(&r.f, "y", fixture_map(&r.f, filtered[_i].rule, a, b, NULL));
	ck_assert(prepare(&r, 1));
	const struct plan_gemm *g = NULL;
	ck_assert_int_eq(products(only_plan(&r), &g), 1);
	char found[256] = "";
	const struct product_filter *f = g->filter ? &g->filter->f : NULL;
	if (f)
		snprintf(found, sizeof found, "%s of %d x %d x %d, %d x %d from %d %d, weights at %d by %d %d",
			 f->of_weights ? "weights" : "results", (int)f->images, (int)f->channels, (int)f->filters,
			 (int)f->side[1].windows, (int)f->side[2].windows, (int)f->side[1].first, (int)f->side[2].first,
			 (int)(f->of_weights ? g->filter->offset_result : g->filter->offset_other), (int)f->side[1].w,
			 (int)f->side[2].w);
	if (f && f->side[2].taps != 3)
		snprintf(found + strlen(found), sizeof found - strlen(found), ", %d x %d taps", (int)f->side[1].taps,
			 (int)f->side[2].taps);
	if (f && f->side[2].stride != 1)
		snprintf(found + strlen(found), sizeof found - strlen(found), ", strides %d %d", (int)f->side[1].stride,
			 (int)f->side[2].stride);
	if (f && f->side[0].windows != 1)
		snprintf(found + strlen(found), sizeof found - strlen(found), ", %d from %d by %d",
			 (int)f->side[0].windows, (int)f->side[0].first, (int)f->side[0].w);
	if (f && g->filter->offset_x)
		snprintf(found + strlen(found), sizeof found - strlen(found), ", x at %d", (int)g->filter->offset_x);
	ck_assert_msg(!strcmp(found, filtered[_i].filter), "%s: `%s`, not `%s`", filtered[_i].rule, found,
		      filtered[_i].filter);
}
END_TEST

static struct node *pw(struct run *r, enum scalar_fn fn, struct node *x, struct node *y)
{
	return graph_pointwise(r->f.graph, &r->f.site, fn, x, y, NULL);
}

/* x^T g with x 16 × 17, g 16 × 18, shaped like w. */
static struct node *gradient(struct run *r, const struct place *at)
{
	struct node *x = fixture_param(&r->f, "x", SHAPE(16, 17), at, "B"),
		    *g = fixture_param(&r->f, "g", SHAPE(16, 18), at, "B");
	return fixture_map(&r->f, "tn(a[k, m], b[k, n]) -> [m, n] = sum[k] a * b {k=16, m=17, n=18}", x, g, NULL);
}

static void update(struct run *r, struct node *slot, struct node *x)
{
	graph_output(r->f.graph, OUTPUT_SLOT, slot->slot, x, (struct span){0});
}

static const struct plan *run(struct run *r)
{
	ck_assert(prepare(r, 1));
	compare(r, 2);
	return only_plan(r);
}

START_TEST(plain_gradient_step_is_one_product_in_place)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *w = fixture_param(&r.f, "w", SHAPE(17, 18), at, "B"), *g = gradient(&r, at);
	update(&r, w, pw(&r, SC_SUB, w, pw(&r, SC_MUL, g, graph_float(r.f.graph, &r.f.site, DT_F32, 0.25))));
	const struct plan *p = run(&r);
	ck_assert_int_eq(p->steps.n, 1);
	ck_assert_int_eq(p->arena_bytes, 0);
	ck_assert_double_eq(p->steps.at[0].gemm->alpha.number.f, -0.25);
	ck_assert_double_eq(p->steps.at[0].gemm->beta.number.f, 1);
}
END_TEST

START_TEST(rate_of_the_host_and_weight_decay_fold_too)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *w = fixture_param(&r.f, "w", SHAPE(17, 18), at, "B"), *g = gradient(&r, at),
		    *lr = host(&r, 0, 0.1);
	struct node *keep = graph_float(r.f.graph, &r.f.site, DT_F32, 0.5);
	update(&r, w, pw(&r, SC_SUB, pw(&r, SC_MUL, w, keep), pw(&r, SC_MUL, g, lr)));
	const struct plan *p = run(&r);
	ck_assert_int_eq(count_steps(p, STEP_GEMM), 1);
	ck_assert_int_le(p->steps.n, 3);
}
END_TEST

/* Coefficients that are worked out are worked out once if they are the same: of the same scalars. */
START_TEST(coefficients_of_other_scalars_are_others)
{
	struct run r = start();
	struct arena *a = r.f.session->arena;
	const struct place *at = one_rank(&r);
	struct node *c[] = {host(&r, 0, 0.1), host(&r, 1, 0.5)},
		    *factor[] = {c[0], c[1], pw(&r, SC_MUL, c[0], c[1]), c[0]};
	for (int i = 0; i < 4; i++) {
		struct node *w = fixture_param(&r.f, arena_printf(a, "w%d", i), SHAPE(17, 18), at, "B"),
			    *x = fixture_param(&r.f, arena_printf(a, "x%d", i), SHAPE(16, 17), at, "B"),
			    *y = fixture_param(&r.f, arena_printf(a, "y%d", i), SHAPE(16, 18), at, "B"),
			    *g = fixture_map(&r.f, "tn(a[k, m], b[k, n]) -> [m, n] = sum[k] a * b {k=16, m=17, n=18}",
					     x, y, NULL);
		update(&r, w, pw(&r, SC_SUB, w, pw(&r, SC_MUL, g, factor[i])));
	}
	const struct plan *p = run(&r);
	ck_assert_int_eq(count_steps(p, STEP_GEMM), 4);
	ck_assert_int_eq(count_steps(p, STEP_KERNEL), 3);
}
END_TEST

/* In one map: what scales is a quotient, of which each side is a coefficient. */
START_TEST(quotients_of_scalars_are_coefficients)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *w = fixture_param(&r.f, "w", SHAPE(17, 18), at, "B"),
		    *in[] = {gradient(&r, at), host(&r, 0, 0.75), host(&r, 1, 0.5)};
	struct node *scaled = fixture_map(&r.f, "scale(a[i, j], b[], c[]) -> [i, j] = a * (b / (c * 4.0)) {i=17, j=18}",
					  in[0], in[1], in[2]);
	update(&r, w, pw(&r, SC_SUB, w, scaled));
	const struct plan *p = run(&r);
	ck_assert_int_eq(count_steps(p, STEP_GEMM), 1);
	ck_assert_int_eq(p->steps.n, 2);
}
END_TEST

START_TEST(momentum_folds_into_the_product)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *w = fixture_param(&r.f, "w", SHAPE(17, 18), at, "B"),
		    *v = fixture_param(&r.f, "v", SHAPE(17, 18), at, "B");
	struct node *mu = graph_float(r.f.graph, &r.f.site, DT_F32, 0.5), *lr = host(&r, 0, 0.1);
	struct node *next = pw(&r, SC_ADD, pw(&r, SC_MUL, v, mu), gradient(&r, at));
	update(&r, v, next);
	update(&r, w, pw(&r, SC_SUB, w, pw(&r, SC_MUL, next, lr)));
	const struct plan *p = run(&r);
	ck_assert_int_eq(p->steps.n, 2);
	ck_assert_double_eq(p->steps.at[0].gemm->beta.number.f, 0.5);
	ck_assert_int_eq(p->arena_bytes, 0);
}
END_TEST

START_TEST(gradient_that_is_read_elsewhere_is_not_folded)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *w = fixture_param(&r.f, "w", SHAPE(17, 18), at, "B"), *g = gradient(&r, at);
	update(&r, w, pw(&r, SC_SUB, w, g));
	fixture_keep(&r.f, "g", g);
	const struct plan *p = run(&r), *unused = p;
	(void)unused;
	for (int i = 0; i < p->steps.n; i++)
		if (p->steps.at[i].kind == STEP_GEMM)
			ck_assert_double_eq(p->steps.at[i].gemm->beta.number.f, 0);
}
END_TEST

START_TEST(sum_of_products_accumulates)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *a = fixture_param(&r.f, "a", SHAPE(17, 20), at, "B"),
		    *b = fixture_param(&r.f, "b", SHAPE(20, 18), at, "B");
	struct node *ab =
		fixture_map(&r.f, "mm(a[m, k], b[k, n]) -> [m, n] = sum[k] a * b {m=17, k=20, n=18}", a, b, NULL);
	fixture_keep(&r.f, "y", pw(&r, SC_ADD, ab, gradient(&r, at)));
	const struct plan *p = run(&r);
	ck_assert_int_eq(count_steps(p, STEP_GEMM), 2);
	ck_assert_int_eq(count_steps(p, STEP_KERNEL), 0);
}
END_TEST

START_TEST(weights_read_after_their_gradient_are_updated_last)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *w = fixture_param(&r.f, "w", SHAPE(17, 18), at, "B"), *g = gradient(&r, at);
	update(&r, w, pw(&r, SC_SUB, w, g));
	struct node *x = fixture_param(&r.f, "late", SHAPE(16, 18), at, "B");
	fixture_keep(&r.f, "back",
		     fixture_map(&r.f, "nt(a[m, k], b[n, k]) -> [m, n] = sum[k] a * b {m=16, k=18, n=17}", x, w, NULL));
	const struct plan *p = run(&r);
	ck_assert_int_eq(count_steps(p, STEP_GEMM), 2);
	ck_assert_int_eq(count_steps(p, STEP_COPY), 0);
}
END_TEST

START_TEST(value_needed_old_and_new_is_copied)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	/* The old w is read by something that needs the new one. */
	struct node *w = fixture_param(&r.f, "w", SHAPE(17, 18), at, "B"), *g = gradient(&r, at);
	struct node *next = pw(&r, SC_SUB, w, g);
	update(&r, w, next);
	fixture_keep(
		&r.f, "y",
		fixture_map(&r.f, "nt(a[m, k], b[n, k]) -> [m, n] = sum[k] a * b {m=17, k=18, n=17}", next, w, NULL));
	run(&r);
}
END_TEST

START_TEST(slots_can_exchange_values)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *a = fixture_param(&r.f, "a", SHAPE(9), at, "B"), *b = fixture_param(&r.f, "b", SHAPE(9), at, "B");
	struct node *c = fixture_param(&r.f, "c", SHAPE(9), at, "B");
	update(&r, a, b);
	update(&r, b, c);
	update(&r, c, a);
	run(&r);
}
END_TEST

/* Also where it reads the old one, which is in another shape there, element for element; not where it turns it. */
START_TEST(value_in_another_shape_is_made_in_its_slot)
{
	static const char *const rule[] = {"add(a[i, j], b[i, j]) -> [i, j] = a + b {i=3, j=3}",
					   "turned(a[j, i], b[i, j]) -> [i, j] = a + b {i=3, j=3}"};
	for (int turned = 0; turned < 2; turned++) {
		struct run r = start();
		const struct place *at = one_rank(&r);
		struct node *a = fixture_param(&r.f, "a", SHAPE(9), at, "B"),
			    *b = fixture_param(&r.f, "b", SHAPE(3, 3), at, "B");
		struct node *x = graph_reshape(r.f.graph, &r.f.site, a, (struct shape[]){SHAPE(3, 3)});
		struct node *y = fixture_map(&r.f, rule[turned], x, b, NULL);
		update(&r, a, graph_reshape(r.f.graph, &r.f.site, y, (struct shape[]){SHAPE(9)}));
		const struct plan *p = run(&r);
		ck_assert_int_eq(count_steps(p, STEP_COPY), turned);
	}
}
END_TEST

/* What a loop leaves is added to where it lies, unless somebody else reads it. */
START_TEST(sums_go_on_behind_their_loop)
{
	for (int others = 0; others < 2; others++) {
		struct run r = start();
		struct graph *g = r.f.graph;
		const struct place *at = one_rank(&r);
		struct node *v = fixture_param(&r.f, "v", SHAPE(17, 18), at, "B"),
			    *u = fixture_param(&r.f, "u", SHAPE(17, 18), at, "B");
		struct loop *l = graph_loop(g, NULL, 3, (struct span){0});
		struct node *sum = graph_carry(g, &r.f.site, l, pw(&r, SC_MUL, v, v));
		struct node *end = graph_end(g, &r.f.site, sum, pw(&r, SC_ADD, sum, v));
		struct node *x = pw(&r, SC_ADD, pw(&r, SC_ADD, end, gradient(&r, at)), gradient(&r, at));
		update(&r, u, pw(&r, SC_MUL, x, x));
		if (others)
			update(&r, v, end);
		const struct plan *p = run(&r);
		ck_assert_int_eq(count_steps(p, STEP_GEMM), 2);
		ck_assert_int_eq(count_steps(p, STEP_KERNEL), 3);
		ck_assert_int_eq(count_steps(p, STEP_COPY), others); /* into v */
		for (int i = 0; i < p->steps.n; i++)
			if (p->steps.at[i].kind == STEP_GEMM)
				ck_assert_double_eq(p->steps.at[i].gemm->beta.number.f, !others);
	}
}
END_TEST

START_TEST(value_that_goes_to_two_slots_is_made_once)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *a = fixture_param(&r.f, "a", SHAPE(9), at, "B"), *b = fixture_param(&r.f, "b", SHAPE(9), at, "B");
	struct node *s = pw(&r, SC_MUL, a, b);
	update(&r, a, s);
	update(&r, b, s);
	const struct plan *p = run(&r);
	ck_assert_int_eq(count_steps(p, STEP_KERNEL), 1);
}
END_TEST

/* What is added would be added twice where turns overlap. */
START_TEST(nothing_is_added_in_turns_that_overlap)
{
	static const int lines[] = {60, 61};
	for (int i = 0; i < 2; i++) {
		struct run r = start();
		struct arena *arena = r.f.session->arena;
		const struct place *at = one_rank(&r);
		struct node *a = fixture_param(&r.f, "a", SHAPE(16, lines[i], 72), at, "B"),
			    *b = fixture_param(&r.f, "b", SHAPE(2, 16, 3, 3), at, "B"),
			    *z = fixture_param(&r.f, "z", SHAPE(2, lines[i], 72), at, "B");
		struct node *y = fixture_map(&r.f,
					     arena_printf(arena,
							  "conv(a[c, y + p - 1:%d, x + q - 1:72], b[o, c, p, q]) -> "
							  "[o, y, x] = sum[c, p, q] a * b "
							  "{c=16, y=%d, x=72, o=2, p=3, q=3}",
							  lines[i], lines[i]),
					     a, b, NULL);
		y = fixture_map(&r.f,
				arena_printf(arena,
					     "add(a[o, y, x], b[o, y, x]) -> [o, y, x] = a + b {o=2, y=%d, x=72}",
					     lines[i]),
				z, y, NULL);
		graph_output(r.f.graph, OUTPUT_SLOT, z->slot, y, (struct span){0});
		const struct plan *p = run(&r);
		ck_assert_int_eq(p->steps.n, i == 0 ? 1 : 2);
		ck_assert_int_eq(p->steps.at[0].kind, STEP_GEMM);
		ck_assert(p->steps.at[0].gemm->beta.number.f == (i == 0 ? 1 : 0));
	}
}
END_TEST

START_TEST(transposed_operands_are_flags)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *a = fixture_param(&r.f, "a", SHAPE(17, 16), at, "B"),
		    *b = fixture_param(&r.f, "b", SHAPE(17, 18), at, "B");
	struct node *t = fixture_map(&r.f, "t(a[i, j]) -> [j, i] = a {i=17, j=16}", a, NULL, NULL);
	fixture_keep(&r.f, "y",
		     fixture_map(&r.f, "mm(a[m, k], b[k, n]) -> [m, n] = sum[k] a * b {m=16, k=17, n=18}", t, b, NULL));
	const struct plan *p = run(&r);
	ck_assert_int_eq(p->steps.n, 1);
	ck_assert(p->steps.at[0].gemm->ta);
}
END_TEST

/* Of 8 bits are those that are widened, here by maps of their own and seen through a transposition; an i32 that is
 * computed is none. */
START_TEST(products_of_8_bits_read_them_as_they_are)
{
	for (int computed = 0; computed < 2; computed++) {
		struct run r = start();
		struct graph *g = r.f.graph;
		const struct node_site *site = &r.f.site;
		const struct place *at = one_rank(&r);
		struct node *a = graph_cast(g, site, fixture_param(&r.f, "a", SHAPE(17, 16), at, "B"), DT_I8),
			    *b = graph_cast(g, site, fixture_param(&r.f, "b", SHAPE(17, 18), at, "B"), DT_U8);
		fixture_keep(&r.f, "bytes", a);
		fixture_keep(&r.f, "more", b);
		struct node *wide = graph_cast(g, site, a, DT_I32);
		wide = fixture_map(&r.f, "t(a[i, j]: i32) -> [j, i] = a {i=17, j=16}", wide, NULL, NULL);
		if (computed)
			wide = pw(&r, SC_ADD, wide, wide);
		fixture_keep(&r.f, "y",
			     fixture_map(&r.f,
					 "mm(a[m, k]: i32, b[k, n]: i32) -> [m, n] = sum[k] a * b {m=16, k=17, n=18}",
					 wide, graph_cast(g, site, b, DT_I32), NULL));
		const struct plan *p = run(&r);
		const struct plan_gemm *product = NULL;
		ck_assert_int_eq(products(p, &product), !computed);
		if (!product)
			continue;
		ck_assert_int_eq(product->type, DT_I8);
		ck_assert_int_eq(product->type_b, DT_U8);
		ck_assert(product->ta);
	}
}
END_TEST

/* In turns that add up nothing may round: their factors become f32. In one turn they stay. */
START_TEST(products_of_16_bits_in_turns_are_of_f32)
{
	for (int turns = 1; turns < 4; turns += 2) {
		struct run r = start();
		struct graph *g = r.f.graph;
		const struct node_site *site = &r.f.site;
		const struct place *at = one_rank(&r);
		struct node *a = graph_cast(g, site, fixture_param(&r.f, "a", SHAPE(turns, 16, 17), at, "B"), DT_BF16),
			    *b = graph_cast(g, site, fixture_param(&r.f, "b", SHAPE(18, turns, 17), at, "B"), DT_BF16);
		fixture_keep(&r.f, "a", a);
		fixture_keep(&r.f, "b", b);
		struct node *y = fixture_map(&r.f,
					     turns == 1 ? "mm(a[x, m, k]: bf16, b[n, x, k]: bf16) -> [m, n] = sum[x, "
							  "k] a * b {x=1, m=16, n=18, k=17}"
							: "mm(a[x, m, k]: bf16, b[n, x, k]: bf16) -> [m, n] = sum[x, "
							  "k] a * b {x=3, m=16, n=18, k=17}",
					     a, b, NULL);
		fixture_keep(&r.f, "y", y);
		const struct plan_gemm *product = NULL;
		ck_assert_int_eq(products(run(&r), &product), 1);
		ck_assert_int_eq(product->type, turns == 1 ? DT_BF16 : DT_F32);
		ck_assert_int_eq(product->nloops, turns > 1);
	}
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *t = suite_begin(&suite, "products");
	tcase_add_loop_test(t, contractions_are_recognised, 0, sizeof recognised / sizeof *recognised);
	tcase_add_loop_test(t, convolutions_go_by_filters, 0, sizeof filtered / sizeof *filtered);
	tcase_add_test(t, plain_gradient_step_is_one_product_in_place);
	tcase_add_test(t, rate_of_the_host_and_weight_decay_fold_too);
	tcase_add_test(t, coefficients_of_other_scalars_are_others);
	tcase_add_test(t, quotients_of_scalars_are_coefficients);
	tcase_add_test(t, momentum_folds_into_the_product);
	tcase_add_test(t, gradient_that_is_read_elsewhere_is_not_folded);
	tcase_add_test(t, sum_of_products_accumulates);
	tcase_add_test(t, weights_read_after_their_gradient_are_updated_last);
	tcase_add_test(t, value_needed_old_and_new_is_copied);
	tcase_add_test(t, slots_can_exchange_values);
	tcase_add_test(t, value_in_another_shape_is_made_in_its_slot);
	tcase_add_test(t, sums_go_on_behind_their_loop);
	tcase_add_test(t, value_that_goes_to_two_slots_is_made_once);
	tcase_add_test(t, nothing_is_added_in_turns_that_overlap);
	tcase_add_test(t, transposed_operands_are_flags);
	tcase_add_test(t, products_of_8_bits_read_them_as_they_are);
	tcase_add_test(t, products_of_16_bits_in_turns_are_of_f32);
	return suite_end(suite);
}
