/* math_pieces.c — polynomials by pieces, whose coefficients lie in registers: what a lane takes of sixteen f64 or 32
 * f32 is one instruction of AVX-512, so that short polynomials do where others need many steps. */
#include "math_parts.h"

bool math_has_tables(const struct emitter *e)
{
	return e->target->scalef;
}

static LLVMValueRef table_of(LLVMTypeRef element, const double *table, int n)
{
	LLVMValueRef number[32];
	for (int i = 0; i < n; i++)
		number[i] = emit_float(element, table[i]);
	return LLVMConstVector(number, (unsigned)n);
}

LLVMValueRef math_of_table(struct emitter *e, LLVMValueRef index, const double *table)
{
	LLVMTypeRef t = LLVMTypeOf(index);
	bool wide = emit_element(t) == e->i64;
	int lanes = emit_lanes(t), half = wide ? 8 : 16;
	if (!lanes)
		return emit_lane(e, math_of_table(e, emit_splat(e, index, half), table), 0);
	if (lanes > half) {
		LLVMValueRef low = math_of_table(e, emit_half(e, index, false), table);
		return emit_joined(e, low, math_of_table(e, emit_half(e, index, true), table));
	}
	LLVMTypeRef element = wide ? e->f64 : e->f32;
	LLVMValueRef arguments[] = {table_of(element, table, half), index, table_of(element, table + half, half)};
	return emit_intrinsic(e, wide ? "llvm.x86.avx512.vpermi2var.pd.512" : "llvm.x86.avx512.vpermi2var.ps.512", NULL,
			      0, arguments, 3);
}

LLVMValueRef math_polynomial_of_piece(struct emitter *e, LLVMValueRef x, LLVMValueRef index, const double *tables,
				      int n)
{
	int pieces = math_is_f64(e, x) ? MATH_PIECES : 2 * MATH_PIECES;
	LLVMValueRef p = math_of_table(e, index, tables + (n - 1) * pieces);
	for (int i = n - 2; i >= 0; i--)
		p = emit_fma(e, p, x, math_of_table(e, index, tables + i * pieces));
	return p;
}

LLVMValueRef math_piece_of(struct emitter *e, LLVMValueRef x, double width, LLVMValueRef *rest)
{
	LLVMBuilderRef b = e->builder;
	LLVMValueRef rounder = math_constant(x, math_is_f64(e, x) ? 0x1.8p52 : 0x1.8p23);
	LLVMValueRef middle = LLVMBuildFSub(b, x, math_constant(x, width / 2), "");
	/* A little less than 1 / width, lest 0 be before the first. */
	LLVMValueRef rounded = emit_fma(e, middle, math_constant(x, (1 - 0x1p-20) / width), rounder);
	LLVMValueRef n = LLVMBuildFSub(b, rounded, rounder, "");
	*rest = emit_fma(e, n, math_constant(x, -width), x);
	return LLVMBuildBitCast(b, rounded, math_bits_type(e, x), "");
}

/* The exponent of x, or x by the power of two that puts it between 1 and 2; f64, positive. */
static LLVMValueRef part_of(struct emitter *e, LLVMValueRef x, bool exponent)
{
	int lanes = emit_lanes(LLVMTypeOf(x));
	if (!lanes)
		return emit_lane(e, part_of(e, emit_splat(e, x, 8), exponent), 0);
	if (lanes > 8) {
		LLVMValueRef low = part_of(e, emit_half(e, x, false), exponent);
		return emit_joined(e, low, part_of(e, emit_half(e, x, true), exponent));
	}
	LLVMValueRef all = emit_int(e->i8, -1), current = emit_i32(e, 4);
	if (exponent)
		return emit_intrinsic(e, "llvm.x86.avx512.mask.getexp.pd.512", NULL, 0,
				      (LLVMValueRef[]){x, x, all, current}, 4);
	return emit_intrinsic(e, "llvm.x86.avx512.mask.getmant.pd.512", NULL, 0,
			      (LLVMValueRef[]){x, emit_i32(e, 0), x, all, current}, 5);
}

/* x = m 2^n, of m, which is from 1 to 2, a sixteenth: times the inverse of what lies in its middle it is 1 + r. */
LLVMValueRef math_log_beside_one(struct emitter *e, LLVMValueRef x)
{
	static const double inverse[] = {
		0x1.f000000000000p-1, 0x1.d400000000000p-1, 0x1.bb00000000000p-1, 0x1.a400000000000p-1,
		0x1.9000000000000p-1, 0x1.7d00000000000p-1, 0x1.6c00000000000p-1, 0x1.5d00000000000p-1,
		0x1.4e00000000000p-1, 0x1.4100000000000p-1, 0x1.3500000000000p-1, 0x1.2a00000000000p-1,
		0x1.1f00000000000p-1, 0x1.1600000000000p-1, 0x1.0d00000000000p-1, 0x1.0400000000000p-1};
	static const double logs[] = {
		0x1.0415d89e74444p-5, 0x1.700d30aeac0e1p-4, 0x1.28753bc11aba5p-3, 0x1.95a5adcf7017fp-3,
		0x1.f991c6cb3b379p-3, 0x1.2e9e2bce12286p-2, 0x1.5d5bddf595f30p-2, 0x1.8873658327ccfp-2,
		0x1.b56fa04462909p-2, 0x1.de16b56ef90f0p-2, 0x1.028d2d6a963f4p-1, 0x1.151c3f6f29612p-1,
		0x1.285e0842ca384p-1, 0x1.38ae2171976e7p-1, 0x1.4987ace0dabb0p-1, 0x1.5af405c3649e0p-1};
	static const double c[] = {-0x1.0000000000000p-1, 0x1.55555555872e4p-2,  -0x1.000000002cdd2p-2,
				   0x1.99998d23ae84dp-3,  -0x1.55554a1e567b4p-3, 0x1.24f5f0d7c0917p-3,
				   -0x1.0059b0f4702dbp-3};
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef it = math_bits_type(e, x);
	LLVMValueRef index = LLVMBuildLShr(b, LLVMBuildBitCast(b, x, it, ""), emit_int(it, 48), "");
	LLVMValueRef r = emit_fma(e, part_of(e, x, false), math_of_table(e, index, inverse), math_constant(x, -1));
	LLVMValueRef base =
		emit_fma(e, part_of(e, x, true), math_constant(x, 0x1.62e42fefa39efp-1), math_of_table(e, index, logs));
	LLVMValueRef tail = emit_fma(e, LLVMBuildFMul(b, r, r, ""), math_polynomial(e, r, c, 7), r);
	return LLVMBuildFAdd(b, base, tail, "");
}
