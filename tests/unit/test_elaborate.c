/* test_elaborate.c — what programs mean after elaboration: `test` blocks and mains run by host code in the test and the
 * reference interpreter (host_run.h). One rank is enough: layouts never change results, and their own tests show that.
 */
#define _POSIX_C_SOURCE 200809L
#include "host_run.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct session *open_session(void)
{
	struct session *s = session_new();
	const char *build = getenv("BUILD_DIR");
	s->options.stdlib_path = arena_printf(s->arena, "%s/stdlib", build ? build : ".");
	return s;
}

static struct program *elaborate(struct session *s, const char *source, enum elaborate_what what)
{
	struct program *p = host_run_elaborate(s, source, what);
	if (!p)
		diag_flush(s, stdout);
	ck_assert_msg(p != NULL, "the program has errors");
	return p;
}

/* Every `test` block of the source must pass, and hold at least one check. */
static void tests_pass(const char *source)
{
	struct session *s = open_session();
	struct program *p = elaborate(s, source, ELABORATE_TESTS);
	ck_assert_int_gt(p->tests.n, 0);
	for (int i = 0; i < p->tests.n; i++) {
		struct host_run r;
		host_run_init(&r, p);
		host_run_function(&r, p->tests.at[i].function);
		ck_assert_msg(r.checks > 0, "`%s` checks nothing", p->tests.at[i].title);
		ck_assert_msg(!r.failures, "`%s`: %s", p->tests.at[i].title, r.first);
	}
	session_free(s);
}

static void main_prints(const char *source, const char *expected)
{
	struct session *s = open_session();
	struct program *p = elaborate(s, source, ELABORATE_MAIN);
	struct host_run r;
	host_run_init(&r, p);
	host_run_function(&r, p->main);
	ck_assert_str_eq(text_get(&r.printed), expected);
	session_free(s);
}

/* ---- operators ---- */

START_TEST(elementwise_operators_compute_what_they_say)
{
	tests_pass("test \"signs\" { let a[i] = iota(5)[i] as f32; let b[i] = a[i] + 1.0;\n"
		   "  assert_close(sum(a + b), 25.0); assert_close(sum(a - b), -5.0); assert_close(sum(a * b), 40.0);\n"
		   "  assert_close(sum(b / 2.0), 7.5); assert_close(sum(-a), -10.0); assert_close(sum(a ** 2), 30.0);\n"
		   "  assert_equal(sum(a < 2.0), 2); assert_equal(sum(a >= 2.0), 3); assert_equal(sum(a == b), 0);\n"
		   "  assert_equal(sum(!(a == 0.0)), 4); assert_equal(sum(a > 0.0 && a < 3.0), 2); assert_equal(sum(7 "
		   "% (iota(3) + 2)), 5); }\n"
		   "test \"functions\" { let a = full(0.5, [3]);\n"
		   "  assert_close(exp(a), full(1.6487212, [3])); assert_close(log(a), full(-0.6931472, [3]));\n"
		   "  assert_close(sqrt(a), full(0.70710678, [3])); assert_close(rsqrt(a), full(1.4142135, [3]));\n"
		   "  assert_close(tanh(a), full(0.46211715, [3])); assert_close(erf(a), full(0.5204999, [3]));\n"
		   "  assert_close(sigmoid(a), full(0.62245934, [3])); assert_close(silu(a), full(0.31122967, [3]));\n"
		   "  assert_close(gelu(a), full(0.34573123, [3])); assert_close(softplus(a), full(0.974077, [3]));\n"
		   "  assert_close(relu(a - 1.0), zeros([3])); assert_close(abs(a - 1.0), a); assert_close(sin(a), "
		   "full(0.47942555, [3]));\n"
		   "  assert_close(cos(a), full(0.87758255, [3])); assert_close(a ** 0.5, sqrt(a)); "
		   "assert_close(floor(a * 3.0), ones([3]));\n"
		   "  assert_close(max(a, 0.7), full(0.7, [3])); assert_close(min(a, 0.3), full(0.3, [3]));\n"
		   "  assert_close(clamp(a, 0.6, 0.9), full(0.6, [3])); assert_close(square(a), a * a);\n"
		   "  assert_close(where(a > 0.4, a, 0.0), a); assert_close(if a > 0.4 => a else -a, a); }\n");
}
END_TEST

START_TEST(dimensions_broadcast_from_the_last_and_where_they_are_one)
{
	tests_pass(
		"test \"broadcast\" { let a[i, j] = (iota(3)[i] * 10 + iota(4)[j]) as f32; let r = iota(4) as f32;\n"
		"  assert_close((a + r)[2, 3], 26.0); assert_close(sum(a + 1.0), sum(a) + 12.0);\n"
		"  let c = reshape(iota(3) as f32, [3, 1]); assert_close((a * c)[2, 1], 42.0);\n"
		"  let o = c + reshape(r, [1, 4]); assert_close(o[1, 3], 4.0); assert(shape(o)[0] == 3 && shape(o)[1] "
		"== 4);\n"
		"  assert_close(sum(broadcast(r, [2, 4])), 12.0); assert_close(sum(broadcast(c, [3, 5])), 15.0); }\n");
}
END_TEST

START_TEST(reductions_go_over_all_or_one_dimension)
{
	tests_pass(
		"test \"reduce\" { let a[i, j] = (iota(2)[i] * 3 + iota(3)[j] + 1) as f32;\n" /* 1 2 3 / 4 5 6 */
		"  assert_close(sum(a), 21.0); assert_close(mean(a), 3.5); assert_close(prod(a), 720.0);\n"
		"  assert_close(max(a), 6.0); assert_close(min(a), 1.0); assert_close(sum(a, dim = 0)[1], 7.0);\n"
		"  assert_close(sum(a, dim = 1)[1], 15.0); assert_close(sum(a, dim = -2)[0], 5.0); assert_close(max(a, "
		"dim = 0)[2], 6.0);\n"
		"  assert_close(mean(a, dim = 0)[0], 2.5); assert_close(variance(a)[0], 0.6666667);\n"
		"  assert_equal(argmax(a)[1], 2); assert_equal(argmax(a, dim = 0)[1], 1); assert_equal(argmin(a)[0], "
		"0);\n"
		"  assert(all(a > 0.0)); assert(any(a > 5.0)); assert(!any(a > 6.0)); assert_equal(sum(a > 2.0), 4);\n"
		"  assert_equal(sum(any(a > 3.0, dim = 1)), 1); assert_equal(sum(all(a > 3.0, dim = 1)), 1); }\n"
		"test \"of three dimensions\" { let a = reshape(iota(24) as f32, [2, 3, 4]);\n"
		"  assert_close(sum(a, dim = 1)[1, 2], 54.0); assert_close(sum(a), 276.0); assert_close(max(a, dim = "
		"0)[2, 3], 23.0); }\n");
}
END_TEST

START_TEST(products_of_matrices_and_vectors)
{
	tests_pass("test \"products\" { let a = reshape(iota(6) as f32, [2, 3]); let b = reshape(iota(12) as f32, [3, "
		   "4]);\n"
		   "  let v = iota(3) as f32; let c = a @ b;\n"
		   "  assert_close(c[1, 2], 80.0); assert_close((a @ v)[1], 14.0); assert_close((v @ b)[1], 23.0); "
		   "assert_close(v @ v, 5.0);\n"
		   "  assert_close(outer(v, v)[2, 1], 2.0); assert_close(bias(a, v)[1, 2], 7.0); "
		   "assert_close(transpose(a)[2, 1], 5.0);\n"
		   "  let q[i, j] = sum[k] a[i, k] * b[k, j]; assert_close(q, c);\n"
		   "  let t = reshape(iota(12) as f32, [2, 2, 3]); let s = t @ b; assert_close(s[1, 0, 3], 155.0);\n"
		   "  let u = reshape(iota(24) as f32, [2, 3, 4]); let w = t @ u; assert_close(w[1, 1, 0], 488.0);\n"
		   "  let r[b, i] = sum[k] t[b, i, k] * v[k]; assert_close(r, t @ v); }\n");
}
END_TEST

START_TEST(normalisations_and_losses)
{
	tests_pass("import std.loss; import std.metrics;\n"
		   "test \"softmax\" { let a = reshape(iota(6) as f32, [2, 3]); let s = softmax(a);\n"
		   "  assert_close(sum(s, dim = 1), ones([2])); assert_close(s[0, 2], 0.66524096); "
		   "assert_close(log(s), log_softmax(a), atol = 1e-5);\n"
		   "  assert_close(softmax(a, dim = 0)[1, 0], 0.95257413); assert_close(logsumexp(a)[0], 2.407606);\n"
		   "  assert_close(softmax(a + 1000.0), s, rtol = 1e-3); }\n"
		   "test \"norms\" { let a = reshape(iota(6) as f32, [2, 3]); let y = layernorm(a, ones([3]), "
		   "zeros([3]));\n"
		   "  assert_close(sum(y, dim = 1), zeros([2]), atol = 1e-5); assert_close(y[0, 2], 1.2247356, rtol = "
		   "1e-4);\n"
		   "  assert_close(rmsnorm(a, ones([3]))[0, 2], 1.5491884, rtol = 1e-4); }\n"
		   "test \"losses\" { let y = reshape(iota(6) as f32, [2, 3]); let t = iota(2) as i32;\n"
		   "  assert_close(loss.cross_entropy(y, t), 1.907606); assert_close(loss.mse(y, zeros([2, 3])), "
		   "9.166667);\n"
		   "  assert_close(loss.binary_cross_entropy(zeros([4]), ones([4])), 0.6931472);\n"
		   "  assert_close(metrics.accuracy(y, t + 1), 0.5); assert_equal(metrics.correct(y, full(2, [2], "
		   "dtype = i32)), 2); }\n");
}
END_TEST

START_TEST(data_as_indices)
{
	tests_pass(
		"test \"lookups\" { let t = reshape(iota(12) as f32, [4, 3]); let i = (3 - iota(4)) as i32;\n"
		"  assert_close(embed(t, i)[0, 1], 10.0); assert_close(t[i], embed(t, i)); assert_close(pick(t, i % "
		"3)[1], 5.0);\n"
		"  assert_close(scatter_add(i, t, 5)[3, 0], 0.0); assert_close(scatter_add(i * 0, t, 2)[0, 0], 18.0);\n"
		"  assert_close(one_hot(i, 4)[0, 3], 1.0); assert_close(sum(one_hot(i, 4)), 4.0); let k = i[2]; "
		"assert_close(t[k], t[1]);\n"
		"  let m = reshape(i, [2, 2]); assert_close(embed(t, m)[1, 1, 2], 2.0); }\n");
}
END_TEST

START_TEST(slices_and_shapes)
{
	tests_pass("test \"slices\" { let a = reshape(iota(24) as f32, [2, 3, 4]);\n"
		   "  assert_close(a[1, 2, 3], 23.0); assert_close(a[1][0, 1], 13.0); assert_close(a[.., 0][1, 1], "
		   "16.0);\n"
		   "  assert_close(a[0..1, 1..3, -1][0, 1], 11.0); assert_close(a[1, .., 2..][0, 1], 15.0); "
		   "assert_close(a[.., ..-2][0, 0, 1], 1.0);\n"
		   "  assert(shape(a[.., 1..])[2] == 3); assert(rank(a[0, 0]) == 1); assert(volume(a) == 24); "
		   "assert(a.shape[1] == 3); }\n"
		   "test \"shapes\" { let a = reshape(iota(6) as f32, [2, 3]);\n"
		   "  assert_close(reshape(a, [3, -1])[2, 1], 5.0); assert_close(flatten(reshape(a, [1, 2, 3]))[0, 4], "
		   "4.0);\n"
		   "  assert_close(permute(reshape(a, [1, 2, 3]), [2, 0, 1])[1, 0, 1], 4.0);\n"
		   "  assert_close(concat([a, a + 10.0], dim = 0)[3, 1], 14.0); assert_close(concat([a, a, a])[1, 7], "
		   "4.0);\n"
		   "  assert_close(pad(a, before = 1, after = 2)[1, 3], 5.0); assert_close(sum(pad(a, before = 2, dim "
		   "= 0)), 15.0); }\n");
}
END_TEST

START_TEST(windows)
{
	tests_pass(
		"test \"convolution\" { let x = reshape(iota(16) as f32, [1, 1, 4, 4]); let w = ones([1, 1, 3, 3]);\n"
		"  let y = conv2d(x, w); assert_close(y[0, 0, 1, 1], 90.0); assert(shape(y)[2] == 2);\n"
		"  let z = conv2d(x, w, pad = 1); assert_close(z[0, 0, 0, 0], 10.0); assert(shape(z)[3] == 4);\n"
		"  assert_close(conv2d(x, w, stride = 2, pad = 1)[0, 0, 1, 1], 90.0);\n"
		"  assert_close(max_pool2d(x)[0, 0, 1, 0], 13.0); assert_close(avg_pool2d(x)[0, 0, 0, 1], 4.5);\n"
		"  let v[n, o, y, q] = sum[c, p, r] x[n, c, y + p, q + r] * w[o, c, p, r]; assert_close(v, y); }\n");
}
END_TEST

START_TEST(index_notation_in_functions)
{
	tests_pass(
		"test \"causal mask\" { let a = ones([3, 3]); let m[i, j] = if j <= i => a[i, j] else 0.0; "
		"assert_close(sum(m), 6.0);\n"
		"  let s = 2.0; let b[i] = s * a[i, 0] + sum[j] a[i, j] / extent(j); assert_close(b, full(3.0, [3]));\n"
		"  let d[i] = a[i, i] + i as f32; assert_close(d[2], 3.0); assert_close(sum[i] a[i, 0], 3.0);\n"
		"  let e[..] = exp(a[..]); assert_close(sum(e), 24.464536); let r[i, j] = a[2 - i, j] + 0.0 * a[i, j]; "
		"assert_close(r, a);\n"
		"  let n[i] = mean[j] a[i, j]; assert_close(n, ones([3])); let h[i] = a[(i) / 1, 0]; assert_close(h, "
		"n); }\n");
}
END_TEST

START_TEST(random_numbers_do_not_depend_on_shape_of_use)
{
	tests_pass(
		"test \"uniform\" { let u = uniform(rng(1), [100, 10]); assert(all(u >= 0.0)); assert(all(u < 1.0));\n"
		"  assert_close(mean(u), 0.5, atol = 0.05); let v = uniform(rng(1), [1000]); assert_close(reshape(u, "
		"[1000]), v);\n"
		"  let w = uniform(rng(1), [10], low = -1.0, high = 3.0); assert_close(w, v[0..10] * 4.0 - 1.0);\n"
		"  let n = normal(rng(2), [2000]); assert_close(mean(n), 0.0, atol = 0.1); assert_close(mean(n * n), "
		"1.0, atol = 0.1);\n"
		"  let (a, b) = (split(rng(3), 2)[0], fold(rng(3), 1)); assert(any(uniform(a, [4]) != uniform(b, "
		"[4])));\n"
		"  assert_close(mean(bernoulli(rng(4), [1000], p = 0.25) as f32), 0.25, atol = 0.05); }\n");
}
END_TEST

/* ---- gradients ---- */

START_TEST(gradients_by_arguments_and_params)
{
	tests_pass("param w : f32[3] = ones();\n"
		   "fn f[n](x: f32[n]) { return sum(x * x * x); }\n"
		   "fn g(x: f32[3], y: f32[3]) { return sum(x * y * y); }\n"
		   "fn h(x: f32[3]) { return sum(w * w * x); }\n"
		   "fn slope(x: f32[3]) { return sum(grad(f)(x)); }\n"
		   "fn pair(x: f32[3]) { return (sum(x * x), x); }\n"
		   "test \"arguments\" { let x = iota(3) as f32; assert_close(grad(f)(x), 3.0 * x * x);\n"
		   "  let (a, b) = grad(g)(x, x + 1.0); assert_close(a, (x + 1.0) ** 2); assert_close(b, 2.0 * x * (x "
		   "+ 1.0));\n"
		   "  assert_close(grad(g, wrt = \"y\")(x, x), 2.0 * x * x); assert_close(grad(g, wrt = 0)(x, 2.0 * "
		   "x), 4.0 * x * x);\n"
		   "  let (v, d) = value_and_grad(f)(x); assert_close(v, 9.0); assert_close(d, 3.0 * x * x);\n"
		   "  assert_close(grad(slope)(x), 6.0 * x); let ((s, y), e) = value_and_grad(pair)(x); "
		   "assert_close(e, 2.0 * y); }\n"
		   "test \"params\" { let x = iota(3) as f32; let (l, d) = value_and_grad(h)(x); assert_close(l, 3.0); "
		   "assert_close(d.w, 2.0 * x); }\n"
		   "test \"directions\" { let x = iota(3) as f32; let (y, dx) = vjp(f)(x, full(2.0, [])); "
		   "assert_close(dx, 6.0 * x * x);\n"
		   "  let (v, t) = jvp(f)(x, ones([3])); assert_close(v, y); assert_close(t, 15.0);\n"
		   "  assert_close(grad(stopped)(x), x); }\n"
		   "fn stopped(x: f32[3]) { return sum(x * stop_gradient(x)); }\n");
}
END_TEST

START_TEST(optimizers_assign_params_and_keep_states)
{
	main_prints("import std.optim;\nparam w : f32 = ones();\nfn f() { return w * w; }\n"
		    "main { for i in 0..3 { let (l, g) = value_and_grad(f)(); optim.sgd(g, lr = 0.25, momentum = 0.5); "
		    "print(l, w); } }\n",
		    /* v = 2, w = 0.5; v = 2, w = 0; v = 1, w = -0.25 */
		    "1 0.5 \n0.25 0 \n0 -0.25 \n");
}
END_TEST

START_TEST(initial_values_come_from_the_name_and_type_of_the_param)
{
	tests_pass("import std.nn;\nparam a : f32[200, 8] = normal(std = 0.5);\nparam b : f32[200, 8] = normal(std = "
		   "0.5);\n"
		   "param c : f32[50, 4] = nn.he();\nparam d : f32[3] = uniform(low = 2.0, high = 3.0);\nstate s : "
		   "i32[2] = full(7);\nparam z : f32[2] = 0.5;\n"
		   "test \"initial\" { assert(any(a != b)); assert_close(mean(a * a), 0.25, atol = 0.05); "
		   "assert_close(mean(c * c), 0.04, atol = 0.02);\n"
		   "  assert(all(d >= 2.0)); assert_equal(sum(s), 14); assert_close(sum(z), 1.0); }\n");
}
END_TEST

/* ---- host and regions ---- */

START_TEST(host_values_and_control_flow)
{
	main_prints("config steps : int = 3;\nconst K : int = 2 * 3;\n"
		    "main { var total = 0; var x = 1.0; for i in 0..steps { total += i * K; if i == 1 { x = x * 4.0; } "
		    "else { x += 0.5; } every 2 { print(\"even\", i); } }\n"
		    "  print(total, x, total / 4); while total > 10 { total = total - 5; } print(total, if total > 8 "
		    "=> \"big\" else \"small\"); }\n",
		    "even 0 \neven 2 \n18 6.5 4.5 \n8 small \n");
}
END_TEST

START_TEST(tensors_live_on_across_regions)
{
	main_prints("config n : int = 3;\nstate count : f32 = zeros();\n"
		    "main { let a = ones([4]) to @ranks(0..1) : B; var s = a; for i in 0..n { s = s + a; count = count "
		    "+ 1.0; if i == 1 { s = s * 2.0; } }\n"
		    "  print(sum(s), count, sum(a)); let u = iota(3) as f32 * 2.0; print(sum(u)); print(max(u)); }\n",
		    "28 3 4 \n6 \n4 \n");
}
END_TEST

START_TEST(batches_are_walked_and_counted)
{
	main_prints("import std.data;\nmain { let d = data.npy(\"x.npy\", \"y.npy\") as (f32[_, 3], i32[_]); var t = "
		    "0.0; var k = 0;\n"
		    "  for (x, y) in data.batches(d[0..8], size = 4, shuffle = rng(1)) { t += sum(x to @ranks(0..1) : "
		    "B); k += 1; every 2 { log(t = sum(x), y = sum(y)); } }\n"
		    "  print(t, k, data.rows(d)); }\n",
		    "t=48 y=24 \n102 2 1000 \n");
}
END_TEST

START_TEST(a_training_step_is_one_region)
{
	struct session *s = open_session();
	struct program *p =
		elaborate(s,
			  "import std.data; import std.loss; import std.optim;\nparam w : f32[3, 2] = ones();\n"
			  "fn f(x, t) { return loss.cross_entropy(x @ w, t); }\n"
			  "main { let d = data.npy(\"x\", \"y\") as (f32[_, 3], i32[_]);\n"
			  "  for (x, t) in data.batches(d, size = 4) { let (l, g) = value_and_grad(f)(x, t);\n"
			  "    optim.sgd(g, lr = 0.1); every 10 { log(l = l); } } }\n",
			  ELABORATE_MAIN);
	ck_assert_int_eq(p->regions.n, 3); /* initial values, step, reading the loss */
	const struct graph *step = p->regions.at[1]->graph;
	int slots = 0, hosts = 0, gemms = 0;
	for (int i = 0; i < step->outputs.n; i++) {
		slots += step->outputs.at[i].kind == OUTPUT_SLOT;
		hosts += step->outputs.at[i].kind == OUTPUT_HOST;
	}
	for (int i = 0; i < step->nodes.n; i++)
		gemms += step->nodes.at[i]->kind == NODE_MAP && step->nodes.at[i]->rule->hint == HINT_GEMM;
	ck_assert_int_eq(slots, 2); /* w and the loss */
	ck_assert_int_eq(hosts, 0);
	ck_assert_int_eq(gemms, 2); /* forward, gradient by w: none by x */
	session_free(s);
}
END_TEST

/* ---- functions ---- */

START_TEST(functions_are_polymorphic)
{
	tests_pass(
		"place left = ranks(0..2);\n"
		"fn twice[n, t: number, p: place](x: t[n] @ p) -> t[n] @ p { return x + x; }\n"
		"fn rows[.., d](x: f32[.., d]) -> f32[..] { return sum(x, dim = -1); }\n"
		"fn keep[n, l: layout](x: f32[n] @ left : l) -> f32[n] @ left : l { return x * 2.0; }\n"
		"fn early(k: int) { if k > 2 { return \"big\"; } return \"small\"; }\n"
		"fn power(x, n: int) { var y = x; for i in 1..n { y = y * x; } return y; }\n"
		"test \"functions\" { let a = iota(4) as f32 to @left : S(0); assert_close(sum(twice(a) to B), 12.0); "
		"assert_equal(sum(twice(iota(4))), 12);\n"
		"  assert_close(rows(ones([2, 3, 4])), full(4.0, [2, 3])); assert_close(keep(a) to B, a * 2.0 to B);\n"
		"  assert(early(3) == \"big\"); assert(early(1) == \"small\"); assert_close(power(2.0, 5), 32.0); "
		"assert_close(power(a, 3)[3], 27.0); }\n");
}
END_TEST

START_TEST(structs_and_lists_of_params)
{
	tests_pass("place left = ranks(0..2);\nconst L : int = 3;\n"
		   "struct Linear[n, m, p: place] { w : f32[n, m] @ p = full(1.0 / n), b : f32[m] @ p = zeros() }\n"
		   "struct Net[p: place] { first : Linear[4, 4, p], rest : [L] Linear[4, 4, p] }\n"
		   "param net : Net[left];\nparam scale : [2] f32[3] @ left = ones();\n"
		   "fn apply[n, m, p: place](l: Linear[n, m, p], x: f32[.., n] @ p) -> f32[.., m] { return x @ l.w + "
		   "l.b; }\n"
		   "fn forward(x) { var y = apply(net.first, x); for i in 0..L { y = apply(net.rest[i], y) * "
		   "scale[1][0]; } return y; }\n"
		   "fn loss(x) { return sum(forward(x)); }\n"
		   "test \"net\" { let x = ones([2, 4]) to @left : B; assert_close(forward(x), x); let g = "
		   "grad(loss)(x);\n"
		   "  assert_close(g.net.first.b, full(2.0, [4])); assert_close(g.net.rest[2].b, full(2.0, [4])); "
		   "assert_close(g.scale[1][0], 24.0);\n"
		   "  net.rest[0].b = net.rest[0].b + 1.0; assert_close(forward(x), x + 1.0); }\n");
}
END_TEST

START_TEST(placements_have_axes_and_parts)
{
	struct session *s = open_session();
	struct program *p = elaborate(
		s,
		"place grid = ranks(0..8) as (dp = 2, tp = 4);\nplace odd = ranks([5, 1, 3]);\n"
		"param w : f32[8, 8] @ grid : (tp=S(1)) = zeros();\nparam v : f32[4] @ grid[dp = 1] : S(0) = zeros();\n"
		"param u : f32[4] @ odd : S(0) = zeros();\nmain { print(\"ok\"); }\n",
		ELABORATE_MAIN);
	ck_assert_int_eq(p->nranks, 8);
	const struct slot *w = p->slots.at[0], *v = p->slots.at[1], *u = p->slots.at[2];
	ck_assert_int_eq(w->place->naxes, 2);
	ck_assert_int_eq(w->layout.layout.atom[0].kind, SHARD_B);
	ck_assert_int_eq(w->layout.layout.atom[1].kind, SHARD_S);
	ck_assert_int_eq(v->place->count, 4);
	ck_assert_int_eq(v->place->first, 4);
	ck_assert_int_eq(place_rank(u->place, 0), 5);
	ck_assert_int_eq(place_rank(u->place, 2), 3);
	session_free(s);
}
END_TEST

START_TEST(placements_fold_onto_fewer_ranks)
{
	static const char source[] =
		"place left = ranks(0..2);\nplace right = ranks(2..4);\nparam a : f32[4] @ left : S(0) = zeros();\n"
		"param b : f32[4] @ right : S(0) = zeros();\nmain { print(\"ok\"); }\n";
	static const int64_t counts[][3] = {{1, 1, 1}, {2, 1, 1}, {4, 2, 2}};
	for (int i = 0; i < 3; i++) {
		struct session *s = open_session();
		s->options.fold_ranks = (int)counts[i][0];
		struct program *p = elaborate(s, source, ELABORATE_MAIN);
		ck_assert_int_eq(p->nranks, counts[i][0]);
		ck_assert_int_eq(p->slots.at[0]->place->count, counts[i][1]);
		ck_assert_int_eq(p->slots.at[1]->place->count, counts[i][2]);
		ck_assert_int_eq(place_rank(p->slots.at[1]->place, 0), counts[i][0] == 4 ? 2 : counts[i][0] - 1);
		session_free(s);
	}
}
END_TEST

START_TEST(loops_that_run_no_region_compute_alone)
{
	static const struct {
		const char *main;
		bool alone;
	} cases[] = {
		{"var x = 0; for i in 0..n { x += i; } print(x);", true},
		{"var x = 0; while x < n { if x > 2 { x += 2; } else { x += 1; } } print(x);", true},
		{"for i in 0..n { if i > 1 { w = 0.5 * w; } else { print(i); } }", false},
		{"for i in 0..n { w = 0.5 * w; }", false},
		{"var x = 0; for i in 0..n { w = 0.5 * w; for j in 0..n { x += j; } } print(x);", true},
		{"w = 0.5 * w; print(n);", false},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct session *s = open_session();
		const char *source = arena_printf(
			s->arena, "config n : int = 3;\nparam w : f32[4] = ones();\nmain { %s }\n", cases[i].main);
		struct program *p = elaborate(s, source, ELABORATE_MAIN);
		ck_assert_msg(host_turns_alone(p->main) == cases[i].alone, "%s", cases[i].main);
		session_free(s);
	}
}
END_TEST

START_TEST(host_code_prints_and_wrong_host_code_is_found)
{
	struct session *s = open_session();
	struct program *p =
		elaborate(s, "config n : int = 3;\nmain { var x = 0; for i in 0..n { x += i; } print(\"x\", x); }\n",
			  ELABORATE_MAIN);
	struct text t;
	text_init(&t, s->arena);
	host_print(&t, p->main);
	ck_assert_ptr_nonnull(strstr(text_get(&t), "while ($"));
	ck_assert_ptr_nonnull(strstr(text_get(&t), "print_text(\"x\")"));
	ck_assert_ptr_null(host_verify(s->arena, p->main));
	struct host_expr wrong = {.kind = HOST_CALL, .type = HOST_VOID, .function = "print_int", .nargs = 0};
	struct host_stmt bad = {.kind = HOST_EVAL, .expr = &wrong};
	struct host_function f = {.name = "f", .body = &bad};
	ck_assert_ptr_nonnull(host_verify(s->arena, &f));
	wrong.function = "no_such_function";
	ck_assert_ptr_nonnull(host_verify(s->arena, &f));
	struct host_expr number = {.kind = HOST_CONST, .type = HOST_INT};
	struct host_stmt branch = {.kind = HOST_IF, .expr = &number};
	f.body = &branch;
	ck_assert_ptr_nonnull(host_verify(s->arena, &f));
	session_free(s);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *c = suite_begin(&suite, "elaborate");
	tcase_add_test(c, elementwise_operators_compute_what_they_say);
	tcase_add_test(c, dimensions_broadcast_from_the_last_and_where_they_are_one);
	tcase_add_test(c, reductions_go_over_all_or_one_dimension);
	tcase_add_test(c, products_of_matrices_and_vectors);
	tcase_add_test(c, normalisations_and_losses);
	tcase_add_test(c, data_as_indices);
	tcase_add_test(c, slices_and_shapes);
	tcase_add_test(c, windows);
	tcase_add_test(c, index_notation_in_functions);
	tcase_add_test(c, random_numbers_do_not_depend_on_shape_of_use);
	tcase_add_test(c, gradients_by_arguments_and_params);
	tcase_add_test(c, optimizers_assign_params_and_keep_states);
	tcase_add_test(c, initial_values_come_from_the_name_and_type_of_the_param);
	tcase_add_test(c, host_values_and_control_flow);
	tcase_add_test(c, tensors_live_on_across_regions);
	tcase_add_test(c, batches_are_walked_and_counted);
	tcase_add_test(c, a_training_step_is_one_region);
	tcase_add_test(c, functions_are_polymorphic);
	tcase_add_test(c, structs_and_lists_of_params);
	tcase_add_test(c, placements_have_axes_and_parts);
	tcase_add_test(c, placements_fold_onto_fewer_ranks);
	tcase_add_test(c, loops_that_run_no_region_compute_alone);
	tcase_add_test(c, host_code_prints_and_wrong_host_code_is_found);
	return suite_end(suite);
}
