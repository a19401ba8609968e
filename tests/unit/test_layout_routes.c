/* test_layout_routes.c — ways in several steps: no way over a layout in between sends less than what is announced, on
 * all pairs of layouts of small meshes; what is announced is what the steps add up to. */
#include "layout/routes.h"
#include "layout_fixture.h"
#include "suite.h"

enum { MOST_LAYOUTS = 256 };

static const char *const atoms[] = {"B", "S0", "S1", "P", "Pmax"};
enum { ATOMS = sizeof atoms / sizeof *atoms };

static struct place *mesh(struct fixture *f, int naxes, const int64_t *extent)
{
	int64_t count = 1;
	for (int a = 0; a < naxes; a++)
		count *= extent[a];
	struct place *p =
		fixture_place(f->program, arena_printf(f->session->arena, "m%d", f->program->places.n), 0, count);
	p->naxes = naxes;
	for (int a = 0; a < naxes; a++) {
		p->extent[a] = extent[a];
		p->axis[a] = arena_printf(f->session->arena, "x%d", a);
	}
	return p;
}

static int list_layouts(const struct place *p, struct layout *list)
{
	int n = 0, all = 1, kinds = p->naxes > 2 ? ATOMS - 1 : ATOMS;
	for (int a = 0; a < p->naxes; a++)
		all *= kinds;
	for (int i = 0; i < all; i++) {
		char text[32] = "";
		for (int a = 0, k = i; a < p->naxes; a++, k /= kinds) {
			strcat(text, atoms[k % kinds]);
			strcat(text, ",");
		}
		list[n] = layout_text(text);
		n += !atoms_mix(p->naxes, list[n].atom);
	}
	return n;
}

static const char *show(const struct fixture *f, const struct place *p, const struct layout *l)
{
	struct text t;
	text_init(&t, f->session->arena);
	layout_print(&t, p, l);
	return text_get(&t);
}

static void check_steps(const struct shape *s, const struct place *p, const struct layout *a, const struct layout *b)
{
	struct route_way way = route_find(NULL, DT_F32, s, p, a, p, b);
	struct layout at = *a;
	int64_t sum = 0;
	for (int i = 0; i <= way.n; i++) {
		struct layout next = i < way.n ? way.via[i].layout : *b;
		sum += redist_plan(DT_F32, s, p, &at, p, &next).bytes_total;
		at = next;
	}
	ck_assert_int_eq(sum, way.cost.bytes);
	ck_assert_int_eq(sum, redist_bytes(DT_F32, s, p, a, p, b));
}

/* Bytes of all pairs, then every pair over every layout. */
static void check_mesh(struct fixture *f, int naxes, const int64_t *extent, const struct shape *s)
{
	static struct layout list[MOST_LAYOUTS];
	static int64_t bytes[MOST_LAYOUTS][MOST_LAYOUTS];
	struct place *p = mesh(f, naxes, extent);
	int n = list_layouts(p, list);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			bytes[i][j] = redist_bytes(DT_F32, s, p, &list[i], p, &list[j]);
			check_steps(s, p, &list[i], &list[j]);
		}
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			for (int k = 0; k < n; k++)
				ck_assert_msg(bytes[i][j] <= bytes[i][k] + bytes[k][j],
					      "%s to %s sends %lld bytes, over %s %lld", show(f, p, &list[i]),
					      show(f, p, &list[j]), (long long)bytes[i][j], show(f, p, &list[k]),
					      (long long)(bytes[i][k] + bytes[k][j]));
}

START_TEST(no_way_over_another_layout_sends_less)
{
	static const int64_t extents[][3] = {{4, 2}, {2, 4}, {3, 3}, {8}, {2, 2, 2}};
	static const int naxes[] = {2, 2, 2, 1, 3};
	struct fixture f = fixture_new();
	struct shape shapes[] = {SHAPE(16, 24), SHAPE(8, 8), SHAPE(7, 11)};
	for (size_t m = 0; m < sizeof naxes / sizeof *naxes; m++)
		for (size_t s = 0; s < (naxes[m] > 2 ? 1 : sizeof shapes / sizeof *shapes); s++)
			check_mesh(&f, naxes[m], extents[m], &shapes[s]);
	session_free(f.session);
}
END_TEST

/* T bytes on k x m ranks. */
START_TEST(groups_share_the_work)
{
	static const int64_t extent[] = {8, 8};
	struct fixture f = fixture_new();
	struct place *p = mesh(&f, 2, extent);
	struct shape s = SHAPE(64, 64);
	struct layout parts = layout_text("P,B"), shares = layout_text("S0,B"), whole = layout_text("B,B");
	int64_t t = 64 * 64 * 4, k = 8, m = 8;
	ck_assert_int_eq(redist_bytes(DT_F32, &s, p, &parts, p, &shares), (k + m - 2) * t);
	ck_assert_int_eq(redist_bytes(DT_F32, &s, p, &parts, p, &whole), (k * m + k - 2) * t);
	session_free(f.session);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "layout routes");
	tcase_add_test(t, no_way_over_another_layout_sends_less);
	tcase_add_test(t, groups_share_the_work);
	return suite_end(s);
}
