/* test_plan_contractions.c — which maps become products of matrices, with which flags, and which of these go by
 * filters; plans are also run and compared. */
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
	plan_rule(&r, recognised[_i].rule, recognised[_i].a, recognised[_i].b);
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
	session_free(r.f.session);
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
	/* Points of windows two and three apart, where remainders are alike, and where they are not. */
	{"conv(x[n, c, i + 2 * u - 2:28, j + 3 * v - 3:42], w[k, c, u, v]) -> [n, k, i, j] = sum[c, u, v] x * w "
	 "{n=16, c=32, k=48, i=28, j=42, u=3, v=3}",
	 {16, 32, 28, 42},
	 {48, 32, 3, 3},
	 "results of 16 x 32 x 48, 14 x 14 from -1 -1, weights at 0 by 3 1, points 2 3 apart"},
	{"dx(y[n, k, i - 2 * u + 2:28, j - 2 * v + 2:28], w[k, c, u, v]) -> [n, c, i, j] = sum[k, u, v] y * w "
	 "{n=16, c=32, k=48, i=28, j=28, u=3, v=3}",
	 {16, 48, 28, 28},
	 {48, 32, 3, 3},
	 "results of 16 x 48 x 32, 14 x 14 from -1 -1, weights at 8 by -3 -1, points 2 2 apart"},
	{"conv(x[n, c, i + 2 * u - 2:28, j + 2 * v - 2:27], w[k, c, u, v]) -> [n, k, i, j] = sum[c, u, v] x * w "
	 "{n=16, c=32, k=48, i=28, j=27, u=3, v=3}",
	 {16, 32, 28, 27},
	 {48, 32, 3, 3},
	 ""},
	{"conv(x[n, c, i + 2 * u - 1:28, j + 2 * v - 2:28], w[k, c, u, v]) -> [n, k, i, j] = sum[c, u, v] x * w "
	 "{n=16, c=32, k=48, i=26, j=28, u=3, v=3}",
	 {16, 32, 28, 28},
	 {48, 32, 3, 3},
	 ""},
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
	plan_rule(&r, filtered[_i].rule, filtered[_i].a, filtered[_i].b);
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
	if (f && f->side[2].apart != 1)
		snprintf(found + strlen(found), sizeof found - strlen(found), ", points %d %d apart",
			 (int)f->side[1].apart, (int)f->side[2].apart);
	if (f && f->side[0].windows != 1)
		snprintf(found + strlen(found), sizeof found - strlen(found), ", %d from %d by %d",
			 (int)f->side[0].windows, (int)f->side[0].first, (int)f->side[0].w);
	if (f && g->filter->offset_x)
		snprintf(found + strlen(found), sizeof found - strlen(found), ", x at %d", (int)g->filter->offset_x);
	ck_assert_msg(!strcmp(found, filtered[_i].filter), "%s: `%s`, not `%s`", filtered[_i].rule, found,
		      filtered[_i].filter);
	session_free(r.f.session);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *t = suite_begin(&suite, "contractions");
	tcase_add_loop_test(t, contractions_are_recognised, 0, sizeof recognised / sizeof *recognised);
	tcase_add_loop_test(t, convolutions_go_by_filters, 0, sizeof filtered / sizeof *filtered);
	return suite_end(suite);
}
