/* math_erf.c — erf, its inverse, the normal distribution function, and lgamma. */
#include "math_parts.h"

#include <math.h>

/* Polynomials of erf: |x| < 0.93: x + x near(x^2); else 1 - exp(far(|x| - shift)), where far is log erfc; from `end`
 * on erf is 1 to the last bit. */
struct fit {
	double end, shift;
	int nears, fars;
	double near[13], far[18];
};
static const struct fit fits[] = {
	{4.0,
	 0.0,
	 7,
	 7,
	 {0.128379167, -0.376126332, 0.112836872, -0.0268589415, 0.00519990669, -0.000813001284, 8.31677577e-05},
	 {-0.000166456809, -1.1277972, -0.636976154, -0.104113613, 0.0223151799, -0.00306548159, 0.000198218728}},
	{5.93,
	 1.0,
	 13,
	 18,
	 {0x1.06eba8214db69p-3, -0x1.812746b0379e7p-2, 0x1.ce2f21a042bbcp-4, -0x1.b82ce31287c60p-6,
	  0x1.565bcd0e38b60p-8, -0x1.c02db3f3fd412p-11, 0x1.f9a3250740185p-14, -0x1.f4d22723fc6bfp-17,
	  0x1.b9e2e88c2ab0ap-20, -0x1.5f422b762ea1ap-23, 0x1.f9590f3ea8605p-27, -0x1.3e375c9ac8d12p-30,
	  0x1.16b8bed4bdef9p-34},
	 {-0x1.d97fbf27aa2a1p+0, -0x1.51c9b0006c234p+1, -0x1.afabc11a28e9ap-1, -0x1.5477f09ce1ec2p-5,
	  0x1.48c9d40fdc715p-7, -0x1.033f68964410dp-9, 0x1.f1b3f8e9555b1p-13, 0x1.b8ddb01d3c6a7p-16,
	  -0x1.c7ba4bef501bbp-16, 0x1.42e57f05dcc8ep-17, -0x1.17b9f5adc0bb5p-19, 0x1.6d889eedacd8fp-23,
	  0x1.47806a8f7db3fp-24, -0x1.5a32d823ff9dcp-25, 0x1.6388ff235e98ap-27, -0x1.c28d0634a93b0p-30,
	  0x1.4f6e519e72857p-33, -0x1.c31188c3af39fp-38}},
};

/* Of f64 by pieces of 3/8: c + t q(t), t being what is beyond the beginning of the piece; of the first, where c is 0,
 * it is t + t q(t). Beyond `end` it is 1. */
static LLVMValueRef erf_by_pieces(struct emitter *e, LLVMValueRef x)
{
	static const double end = 5.99;
	static const double begun[] = {0x0.0p+0,
				       0x1.9dd0d2b721f39p-2,
				       0x1.6c1c9759d0e5fp-1,
				       0x1.c6dad2829ec62p-1,
				       0x1.eea5557137ae0p-1,
				       0x1.fbe61eef4cf6ap-1,
				       0x1.ff404760319b4p-1,
				       0x1.ffe514bbdc197p-1,
				       0x1.fffd1ac4135f9p-1,
				       0x1.ffffc316d9ed0p-1,
				       0x1.fffffc2f171e3p-1,
				       0x1.ffffffd169d0cp-1,
				       0x1.fffffffe4fa30p-1,
				       0x1.fffffffff4188p-1,
				       0x1.ffffffffffc05p-1,
				       0x1.ffffffffffff0p-1};
	static const double q[][MATH_PIECES] = {
		{0x1.06eba8214db68p-3, 0x1.f5f0cdaf15312p-1, 0x1.492e42d78d2c7p-1, 0x1.45e99bcbb7914p-2,
		 0x1.e723726b824a4p-4, 0x1.12ceb37ff9bc9p-5, 0x1.d4143a9dfe96fp-8, 0x1.2ce898809242cp-10,
		 0x1.2408e9ba33261p-13, 0x1.abe09e9144d08p-17, 0x1.d9371e2ff8074p-21, 0x1.8b0cfce056a40p-25,
		 0x1.f1e3523b365fap-30, 0x1.d9a880f2d607fp-35, 0x1.5422ef5d1494fp-40, 0x1.70beaf9b1df7dp-46},
		{0x1.5e721d7554f11p-49, -0x1.78749a434fd37p-2, -0x1.edc5644353f07p-2, -0x1.6ea6cf452e77cp-2,
		 -0x1.6d5a95d0a19c7p-3, -0x1.01a1c847fa3d6p-4, -0x1.074b60f8df501p-6, -0x1.8af14828bf41ap-9,
		 -0x1.b60d5e974c1adp-12, -0x1.690585ca967b4p-15, -0x1.bba3ac4d03d00p-19, -0x1.976564c7300d0p-23,
		 -0x1.180fde405c2b0p-27, -0x1.20a2ae8ff67fdp-32, -0x1.be6dda16f5abfp-38, -0x1.0346135bfc4a1p-43},
		{-0x1.812746b039369p-2, -0x1.e106c51d28642p-3, 0x1.b6e859202b470p-6, 0x1.4cb3cf0a9a7fdp-3,
		 0x1.1c2a02beaf539p-3, 0x1.143d1c6f56bdbp-4, 0x1.63ef61e82ba4bp-6, 0x1.407fbd18d8786p-8,
		 0x1.9db74b1d081dbp-11, 0x1.84522fe91b585p-14, 0x1.0b6a7b0fe1466p-17, 0x1.0fdac556e53dap-21,
		 0x1.99b86634d33eap-26, 0x1.cb2a2dc8b097ap-31, 0x1.7f8a0dea78540p-36, 0x1.de74bcd49f547p-42},
		{0x1.74e2149f23fe8p-36, 0x1.5529abce54f7ap-3, 0x1.349b5ea6a9476p-3, 0x1.ca50831d55e4cp-6,
		 -0x1.6d5a95cc86413p-5, -0x1.5a316522dc0a7p-5, -0x1.38a9832892f31p-6, -0x1.62d4c6d12d906p-8,
		 -0x1.11c85b1d07f19p-10, -0x1.298f8d50b0cd3p-13, -0x1.d06f587c57d74p-17, -0x1.07600c74b3286p-20,
		 -0x1.b598c8f31c370p-25, -0x1.0bc6e8024b02dp-29, -0x1.e4cb331cc8eadp-35, -0x1.459c5d4509c99p-40},
		{0x1.ce2f2174185fdp-4, 0x1.7488b83400a77p-5, -0x1.b42a176ccc4a1p-5, -0x1.f65d1639e30efp-5,
		 -0x1.e72373cc68e98p-7, 0x1.779b1f0d341c6p-7, 0x1.5d3b17e8dd847p-7, 0x1.146c4af4d58fap-8,
		 0x1.0a7b55255d07bp-10, 0x1.5775786db66bdp-13, 0x1.3436bdcb544d5p-16, 0x1.89ca73186312fp-20,
		 0x1.6b1b9656d6cd7p-24, 0x1.e7b9ecd8a65a5p-29, 0x1.e043b366ae6a1p-34, 0x1.5c5d5d5696eb2p-39},
		{0x1.8d830e1c36d29p-27, -0x1.9a793f5e2f342p-5, -0x1.b84798f7d771ap-6, 0x1.fd1c7b5013555p-7,
		 0x1.3ca3e0c8fe72cp-6, 0x1.0d0988e1f6edcp-8, -0x1.7cae172ebaa49p-9, -0x1.267f33d696a0fp-9,
		 -0x1.82f231fd40466p-11, -0x1.330ab7e165a88p-13, -0x1.4357c5c01b18fp-16, -0x1.d73a6b3e3a3f0p-20,
		 -0x1.e64f881702023p-24, -0x1.68905edf24842p-28, -0x1.83e34672c85abp-33, -0x1.30d92491c2316p-38},
		{-0x1.b82d7223533a8p-6, -0x1.65c30002393d8p-8, 0x1.2e0c238da85abp-6, 0x1.3acbed64e47c9p-7,
		 -0x1.36d8a752e0761p-8, -0x1.42fc03cbe9e0fp-8, -0x1.5f8195fcd5979p-11, 0x1.64f767d4ab748p-11,
		 0x1.998affd897e11p-12, 0x1.ac9a817644d8cp-14, 0x1.110e81cb65222p-16, 0x1.cd9bf214ad08ep-20,
		 0x1.0d6122c800621p-23, 0x1.bc0f12f8fbc1cp-28, 0x1.0637ce2340d2dp-32, 0x1.c020bf29c708bp-38},
		{0x1.12bf2785be3a3p-20, 0x1.70a1672fb42d8p-7, 0x1.2d768b61e41fcp-9, -0x1.8b3cf6f0cdd62p-8,
		 -0x1.359b609f9c5dep-9, 0x1.76eccfa54ecd4p-10, 0x1.05fdd7b6fd450p-10, 0x1.2318d1bc3c3c2p-15,
		 -0x1.1aa20895aa07fp-13, -0x1.cc2172b8d8141p-15, -0x1.756efe71a6b3ep-17, -0x1.7702fcfe5fd89p-20,
		 -0x1.f59df955b7af4p-24, -0x1.cf574d2e0eec6p-28, -0x1.2de47a804e23dp-32, -0x1.195abd8c971c6p-37},
		{0x1.560225c6909d2p-8, 0x1.f7e928811b191p-14, -0x1.038486208949bp-8, -0x1.7b875b8299d4ep-12,
		 0x1.bf8614d634872p-10, 0x1.7d2bda166022cp-12, -0x1.82f179fa485c4p-12, -0x1.409342056a53ep-13,
		 0x1.d175353db4df2p-17, 0x1.65340997077abp-16, 0x1.9a449a872ab3bp-18, 0x1.fb9c7402ff4c6p-21,
		 0x1.8b9f08cf8f7d7p-24, 0x1.9cf3ce66e4099p-28, 0x1.2a08408eb4271p-32, 0x1.2f4b030c1790fp-37},
		{0x1.3da13aaaac35cp-16, -0x1.058c9b8bb952ap-9, 0x1.4d9b06ceadfcbp-13, 0x1.2fab4245e5f13p-10,
		 -0x1.60bb69f1ca171p-14, -0x1.9d4a4a957aff9p-12, -0x1.aaa588f1b96cdp-17, 0x1.39bf18c45acefp-14,
		 0x1.0812f2a7999b0p-16, -0x1.3a91f61ba4557p-18, -0x1.5f81ed792cdb1p-19, -0x1.1c4233c0f6787p-21,
		 -0x1.070d151347e2bp-24, -0x1.37f7549533779p-28, -0x1.f28a11400ae5ap-33, -0x1.140169260451fp-37},
		{-0x1.d767c38bc2adcp-11, 0x1.5bd03216cbcbap-14, 0x1.667ca72e6ddcfp-11, -0x1.871ea1153dbd8p-13,
		 -0x1.202db3f7f6eebp-12, 0x1.592e85e529656p-14, 0x1.1decfc951162ap-14, -0x1.99888bcded373p-17,
		 -0x1.74979ff136cc7p-17, -0x1.f595cd2e6bb0ep-22, 0x1.b464576bb4bf1p-21, 0x1.ff4139911accap-23,
		 0x1.1d0247be7157dp-25, 0x1.7eded95981dd9p-29, 0x1.4fd93affaecc3p-33, 0x1.907c5d13a6b74p-38},
		{0x1.0acfb60f6d678p-14, 0x1.7398cd14bbb07p-12, -0x1.936f6d3066753p-13, -0x1.15b46e1c5777cp-13,
		 0x1.c9e3bb99bfa39p-14, 0x1.99af647a6b212p-16, -0x1.d197490412480p-16, -0x1.0ae7695c7908dp-18,
		 0x1.df91d1185f6a5p-19, 0x1.a8a97ba88db6fp-21, -0x1.46194d4432fd6p-23, -0x1.5161606805a2ap-24,
		 -0x1.c526f3305499dp-27, -0x1.538e5fc31557ap-30, -0x1.41a5877824e2bp-34, -0x1.96c5b40c93b6dp-39},
		{0x1.3c4430e662019p-14, -0x1.929ccd4a0ec91p-14, -0x1.21ebb0d5929c8p-18, 0x1.a4dd7287a4a59p-15,
		 -0x1.9003a9b8fe7b5p-17, -0x1.a1b114050b090p-17, 0x1.164a6e7c15f7dp-18, 0x1.00ac9edb2c2e2p-19,
		 -0x1.10f934534e76bp-21, -0x1.e4a54bb4665c1p-23, 0x1.3248f146c4042p-27, 0x1.ee4d472414a5cp-27,
		 0x1.87a1ca24dfc97p-29, 0x1.3fa071eb58365p-32, 0x1.40947970654f8p-36, 0x1.a71eb863d4890p-41}};
	LLVMBuilderRef b = e->builder;
	LLVMValueRef a = emit_intrinsic1(e, "llvm.fabs", x), t, most = math_constant(x, end);
	a = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOGT, a, most, ""), most, a, "");
	LLVMValueRef piece = math_piece_of(e, a, 0.375, &t), c = math_of_table(e, piece, begun);
	c = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOGT, c, t, ""), c, t, "");
	LLVMValueRef slope = math_polynomial_of_piece(e, t, piece, q[0], sizeof q / sizeof *q);
	return math_copy_sign(e, emit_fma(e, t, slope, c), x);
}

LLVMValueRef math_erf(struct emitter *e, LLVMValueRef x)
{
	if (math_is_f64(e, x) && math_has_tables(e))
		return erf_by_pieces(e, x);
	LLVMBuilderRef b = e->builder;
	const struct fit *f = &fits[math_is_f64(e, x)];
	LLVMValueRef z = LLVMBuildFMul(b, x, x, "");
	LLVMValueRef near = emit_fma(e, x, math_polynomial(e, z, f->near, f->nears), x);
	LLVMValueRef a = emit_intrinsic1(e, "llvm.fabs", x);
	LLVMValueRef end = math_constant(x, f->end), beyond = LLVMBuildFCmp(b, LLVMRealOGT, a, end, "");
	LLVMValueRef t = LLVMBuildFSub(b, LLVMBuildSelect(b, beyond, end, a, ""), math_constant(x, f->shift), "");
	/* Of f64 so many steps, each of which waits for the one before, that processors see too few vectors at a time.
	 */
	LLVMValueRef log =
		f->fars > 8 ? math_polynomial_in_pairs(e, t, f->far, f->fars) : math_polynomial(e, t, f->far, f->fars);
	LLVMValueRef lost = math_exp_normal(e, log);
	LLVMValueRef far = math_copy_sign(e, LLVMBuildFSub(b, math_constant(x, 1.0), lost, ""), x);
	return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOLT, a, math_constant(x, 0.93), ""), near, far, "");
}

/* Of f32 for x < 0 by 2^t with t = log2 erfc(|x| / sqrt 2) - 1 = |x| slope(|x|) - 1, from `end` on 0; else what that
 * leaves of 1. The polynomials are off by less than 6e-8 of 1 together, and by nothing at 0. */
static LLVMValueRef normal_cdf_of_f32(struct emitter *e, LLVMValueRef x)
{
	static const double slope[] = {-1.15110553,     -0.459204832,   -0.0525044957,   0.00706492521, -0.000120439497,
				       -0.000207681528, 5.06789582e-05, -5.54777667e-06, 2.44754706e-07};
	static const double power[] = {1, 0.693146978, 0.240222421, 0.0555073388, 0.00967151462, 0.00132646777};
	static const double end = 5.65685424949;
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef it = math_bits_type(e, x);
	LLVMValueRef one = math_constant(x, 1), zero = math_constant(x, 0), rounder = math_constant(x, 0x1.8p23);
	LLVMValueRef a = emit_intrinsic1(e, "llvm.fabs", x);
	LLVMValueRef s =
		e->target->lanes < 16 ? math_polynomial_in_pairs(e, a, slope, 9) : math_polynomial(e, a, slope, 9);
	LLVMValueRef t = emit_fma(e, a, s, math_constant(x, -1)), rounded = LLVMBuildFAdd(b, t, rounder, "");
	LLVMValueRef r = LLVMBuildFSub(b, t, LLVMBuildFSub(b, rounded, rounder, ""), "");
	LLVMValueRef p = LLVMBuildBitCast(b, math_polynomial(e, r, power, 6), it, "");
	LLVMValueRef n = LLVMBuildShl(b, LLVMBuildBitCast(b, rounded, it, ""), emit_int(it, 23), "");
	LLVMValueRef rest = LLVMBuildBitCast(b, LLVMBuildAdd(b, p, n, ""), LLVMTypeOf(x), "");
	rest = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOGT, a, math_constant(x, end), ""), zero, rest, "");
	LLVMValueRef above = LLVMBuildFCmp(b, LLVMRealOGT, x, zero, "");
	return LLVMBuildSelect(b, above, LLVMBuildFSub(b, one, rest, ""), rest, "");
}

/* The same by pieces, of what lies beyond |x|, to 4e-9. */
static LLVMValueRef normal_cdf_by_pieces(struct emitter *e, LLVMValueRef x)
{
	static const double pieces[][2 * MATH_PIECES] = {
		{0.5,
		 0.428698957,
		 0.359657288,
		 0.294921875,
		 0.236147478,
		 0.184476182,
		 0.140488997,
		 0.104229793,
		 0.0752879903,
		 0.0529189073,
		 0.0361777358,
		 0.0240455531,
		 0.0155320745,
		 0.00974724907,
		 0.0059410762,
		 0.00351613178,
		 0.00202013715,
		 0.00112647528,
		 0.000609546085,
		 0.000320009247,
		 0.000162976154,
		 8.05066884e-05,
		 3.85684943e-05,
		 1.79175167e-05,
		 8.07092329e-06,
		 3.52475445e-06,
		 1.49230709e-06,
		 6.12460042e-07,
		 2.43644706e-07,
		 9.39437257e-08,
		 3.51062432e-08,
		 1.27140201e-08},
		{-0.398941278,    -0.392552674,    -0.373994082,    -0.34499222,     -0.308128297,    -0.266459733,
		 -0.223104998,    -0.180869192,    -0.141970292,    -0.107896619,    -0.0793954581,   -0.0565666966,
		 -0.0390214399,   -0.0260629151,   -0.0168546531,   -0.0105534317,   -0.00639800495,  -0.00375553919,
		 -0.00213440484,  -0.0011745136,   -0.000625771645, -0.000322812411, -0.000161235614, -7.79736802e-05,
		 -3.65099586e-05, -1.65520105e-05, -7.26551116e-06, -3.08785957e-06, -1.27064641e-06, -5.06253002e-07,
		 -1.9529277e-07,  -7.29424343e-08},
		{-4.45569603e-05, 0.0352301933,  0.0671757981,  0.092974931,    0.11073745,     0.119715035,
		 0.120291941,     0.11377722,    0.10206712,    0.0872657821,   0.0713467151,   0.0559121035,
		 0.0420726575,    0.0304392278,  0.0211960748,  0.014217427,    0.00919214543,  0.00573162083,
		 0.00344823371,   0.00200233702, 0.00112262939, 0.000607871334, 0.000317953643, 0.000160686846,
		 7.84760996e-05,  3.7042646e-05, 1.6901804e-05, 7.45560556e-06, 3.17978834e-06, 1.31135607e-06,
		 5.22983044e-07,  2.01712552e-07},
		{0.0671861395,    0.0639152676,    0.0547013804,    0.0409760103,    0.0247730892,    0.00831224397,
		 -0.0064182533,   -0.0179803893,   -0.0256462563,   -0.0293880589,   -0.0297324695,   -0.0275406782,
		 -0.0237798914,   -0.0193376914,   -0.0149063291,   -0.0109396093,   -0.00766724534,  -0.00514365407,
		 -0.00330864685,  -0.00204343791,  -0.00121303089,  -0.000692724134, -0.000380836747, -0.000201682284,
		 -0.00010293589,  -5.06551405e-05, -2.40435802e-05, -1.10111741e-05, -4.86686395e-06, -2.07660241e-06,
		 -8.55541714e-07, -3.40406046e-07},
		{-0.00444280077, -0.0126268659, -0.0188597701,  -0.0223095287,   -0.0227122623,  -0.0203753635,
		 -0.0160458982,  -0.0106947199, -0.0052841967,  -0.000581270026, 0.00294655864,  0.00514534302,
		 0.0061178375,   0.00612853421, 0.00550413039,  0.00455390895,   0.00352145545,  0.00256730919,
		 0.00177467626,  0.00116776803, 0.000733555993, 0.000440843403,  0.000253883278, 0.000140299657,
		 7.44759382e-05, 3.8009639e-05, 1.86641355e-05, 8.82321001e-06,  4.01771285e-06, 1.76303752e-06,
		 7.45839941e-07, 3.04285066e-07}};
	LLVMBuilderRef b = e->builder;
	LLVMValueRef one = math_constant(x, 1), zero = math_constant(x, 0), t, a = emit_intrinsic1(e, "llvm.fabs", x);
	LLVMValueRef piece = math_piece_of(e, a, 0.1796875, &t);
	LLVMValueRef rest = math_polynomial_of_piece(e, t, piece, pieces[0], sizeof pieces / sizeof *pieces);
	rest = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOGE, a, math_constant(x, 5.74), ""), zero, rest, "");
	LLVMValueRef above = LLVMBuildFCmp(b, LLVMRealOGT, x, zero, "");
	return LLVMBuildSelect(b, above, LLVMBuildFSub(b, one, rest, ""), rest, "");
}

LLVMValueRef math_normal_cdf(struct emitter *e, LLVMValueRef x)
{
	if (!math_is_f64(e, x))
		return math_has_tables(e) ? normal_cdf_by_pieces(e, x) : normal_cdf_of_f32(e, x);
	LLVMValueRef y = math_erf(e, LLVMBuildFMul(e->builder, x, math_constant(x, 0.70710678118654752440), ""));
	LLVMValueRef both = LLVMBuildFAdd(e->builder, math_constant(x, 1), y, "");
	return LLVMBuildFMul(e->builder, both, math_constant(x, 0.5), "");
}

/* Of f32, with w = -log(1 - x^2) for |x| < 1: |x| + |x| near(w), from w = 5 on, where few are, |x| far(sqrt w - 3); as
 * good as in f64 to 3e-9. */
static LLVMValueRef erfinv_of_f32(struct emitter *e, LLVMValueRef x)
{
	static const double near[] = {-0.113773073,    0.232013556,     0.0115503353,   -0.00233854009,
				      -0.000122003225, 4.04871953e-05,  5.83546306e-06, -2.49784063e-06,
				      3.09790978e-07,  -1.71608533e-08, 3.35522536e-10};
	static const double far[] = {2.8329768,      1.00167509,   0.00944568144,   -0.00763938704,  0.00568320147,
				     -0.00358710514, 0.0014957681, -7.63923265e-05, -0.000318643723, 0.000128813203};
	LLVMBuilderRef b = e->builder;
	LLVMValueRef one = math_constant(x, 1.0), a = emit_intrinsic1(e, "llvm.fabs", x);
	LLVMValueRef v = LLVMBuildFMul(b, LLVMBuildFSub(b, one, a, ""), LLVMBuildFAdd(b, one, a, ""), "");
	LLVMValueRef w = LLVMBuildFNeg(b, math_log(e, v), "");
	LLVMValueRef close = emit_fma(e, a, math_polynomial(e, w, near, 11), a);
	struct math_branch few = math_rarely(e, LLVMBuildFCmp(b, LLVMRealUGE, w, math_constant(x, 5.0), ""));
	LLVMValueRef root = emit_intrinsic1(e, "llvm.sqrt", w);
	LLVMValueRef t = LLVMBuildFSub(b, root, math_constant(x, 3.0), "");
	LLVMValueRef distant = LLVMBuildFMul(b, a, math_polynomial(e, t, far, 10), "");
	LLVMValueRef y = math_mixed(e, &few, distant, close);
	LLVMValueRef end = LLVMBuildFCmp(b, LLVMRealOEQ, a, one, "");
	return math_copy_sign(e, LLVMBuildSelect(b, end, math_constant(x, INFINITY), y, ""), x);
}

/* Of f64 likewise: |x| + |x| near(w - 1), from w = 6.24 on, where few are, t + t far(t - 17/4) with t = sqrt w,
 * and what the root loses. With tables near is one of sixteen polynomials, and w is computed once more where it is far.
 */
static LLVMValueRef erfinv_of_f64(struct emitter *e, LLVMValueRef x)
{
	static const double pieces[][MATH_PIECES] = {
		{-0x1.d203b725884abp-4, -0x1.609e91a4deb92p-6, 0x1.2c9a6800810f5p-4, 0x1.5c5523bab48a9p-3,
		 0x1.1223babb10b82p-2, 0x1.76467778d0387p-2, 0x1.d9e19e8995bd1p-2, 0x1.1e3169323f10cp-1,
		 0x1.4eabcf9335d0cp-1, 0x1.7e36009c13c50p-1, 0x1.acb393fa3a3e0p-1, 0x1.da13a1ed2c16dp-1,
		 0x1.032742fea3465p+0, 0x1.18b1dd3c8d317p+0, 0x1.2dabf8cb306d4p+0, 0x1.4219be9673480p+0},
		{0x1.db29fb2fee5e3p-3, 0x1.eb670d1f7ce4ap-3, 0x1.f70bf8d75140cp-3, 0x1.fe209d908b97cp-3,
		 0x1.0075759571dfbp-2, 0x1.ffe13eb02a879p-3, 0x1.fb9917a677afbp-3, 0x1.f4b58822742b2p-3,
		 0x1.ebd80d9b13dfcp-3, 0x1.e1955a8ad650cp-3, 0x1.d66e73ba4ba42p-3, 0x1.cacdab7b4a654p-3,
		 0x1.bf0691eb30adap-3, 0x1.b357d5f695f83p-3, 0x1.a7ee30880f241p-3, 0x1.9ce7ab0d3ced4p-3},
		{0x1.7a72e72c1f16ep-7, 0x1.1ddde0f411e17p-7, 0x1.7e63d81d174c7p-8, 0x1.8f1df8f719319p-9,
		 0x1.01c73acb920dcp-11, -0x1.c4d042fb55aa1p-10, -0x1.d25a0ca09a947p-9, -0x1.46d3bc1db9696p-8,
		 -0x1.8b6c33115067ep-8, -0x1.b9ac497b09989p-8, -0x1.d50f7e189811ep-8, -0x1.e1496c00ff127p-8,
		 -0x1.e1e1b30f0eebcp-8, -0x1.d9f838a54b756p-8, -0x1.cc2a2e51d1b1ep-8, -0x1.ba8e33a5f1fe3p-8},
		{-0x1.3211025e1abedp-9, -0x1.42c2f4298c124p-9, -0x1.40738c9bfdb96p-9, -0x1.2d0882e9f8469p-9,
		 -0x1.0c4ed580ce311p-9, -0x1.c6276c97174c0p-10, -0x1.6c65950d48c92p-10, -0x1.13b07b2c335adp-10,
		 -0x1.8457694663de0p-11, -0x1.ee4fac4b6ea10p-12, -0x1.0610050b0bbcdp-12, -0x1.3f85f5a18fe71p-14,
		 0x1.c40a3e41837d1p-15, 0x1.3330d10efac87p-13, 0x1.b540e64c29c7ap-13, 0x1.0297deb38f318p-12},
		{-0x1.0c86b83caf71cp-13, -0x1.21a5a89ad6e1dp-15, 0x1.d1885dceaa05bp-15, 0x1.12a6cc5f83beap-13,
		 0x1.833359fad008cp-13, 0x1.c0c9e27ec72abp-13, 0x1.cf220b7f565cdp-13, 0x1.b7fa62617f066p-13,
		 0x1.879c29a76ba68p-13, 0x1.49f0212bfdcb0p-13, 0x1.08ae226bfa21ep-13, 0x1.955180d4fa22ep-14,
		 0x1.27d077bc6010fp-14, 0x1.98d5834257538p-15, 0x1.0719d27310017p-15, 0x1.2ef0adb0944abp-16},
		{0x1.870149f9edb00p-15, 0x1.9306847ce6a7dp-15, 0x1.6a2f8fb7d8356p-15, 0x1.18d3e457439c4p-15,
		 0x1.64d8334de71e8p-16, 0x1.2cdf84666471ap-17, -0x1.a0679648b943fp-20, -0x1.36223ed65868ap-17,
		 -0x1.d1d1af1aba059p-17, -0x1.09a0aac2c4b41p-16, -0x1.08513a828e3e6p-16, -0x1.e217a8b64a495p-17,
		 -0x1.9c9fdb4de2c1ap-17, -0x1.4fe64112e659bp-17, -0x1.061995aab566ap-17, -0x1.89ac109b27f10p-18},
		{0x1.0f1fa32404192p-19, -0x1.a936e774756d0p-21, -0x1.b4857ae732af6p-19, -0x1.459b0eb265026p-18,
		 -0x1.6999cfeaea3acp-18, -0x1.4dced6cc29daep-18, -0x1.079493a8d333fp-18, -0x1.5fe95bb307204p-19,
		 -0x1.6e979cb8c70fbp-20, -0x1.752f69f09ccc1p-22, 0x1.8481b83bda8aap-22, 0x1.a10e9c9b26ccfp-21,
		 0x1.00cc4c117cbecp-20, 0x1.0541f55ea28e4p-20, 0x1.dee465c3ea21dp-21, 0x1.99b90b1081e36p-21},
		{-0x1.0fd51596f8479p-20, -0x1.0d8cf747bd260p-20, -0x1.9bf50588c85b5p-21, -0x1.a76a90ad75a6bp-22,
		 -0x1.1af9e677fd638p-27, 0x1.377745de147f2p-22, 0x1.e611a7628b155p-22, 0x1.043f74fa11491p-21,
		 0x1.c775df44c1d34p-22, 0x1.54ea85e0e045bp-22, 0x1.b4114956a5937p-23, 0x1.c09e4059dc896p-24,
		 0x1.0e7a723b98722p-25, -0x1.0a4b1369d9379p-26, -0x1.60cad15b2b672p-25, -0x1.b881d88a2169cp-25},
		{-0x1.3fd551813eebap-25, 0x1.8c8931430780fp-25, 0x1.d35d32fec7965p-24, 0x1.1b2cabbe904e8p-23,
		 0x1.efc46903fefcep-24, 0x1.3fc24eb18a5a5p-24, 0x1.e44066079e471p-26, -0x1.30eb8eae9b62cp-27,
		 -0x1.0701f724c89b9p-25, -0x1.45df54182f398p-25, -0x1.2f2a9b0af659ep-25, -0x1.db3d6dcf13f26p-26,
		 -0x1.43d554cc80c07p-26, -0x1.7c12c15445326p-27, -0x1.644642040a436p-28, -0x1.5dffd53091083p-30},
		{0x1.8ce9f139fa552p-26, 0x1.2e2fea87d2bcbp-26, 0x1.cfc92d3a88b39p-28, -0x1.23bf186816a63p-28,
		 -0x1.823e37396044cp-27, -0x1.bbb1d4e7111a6p-27, -0x1.685568510135ap-27, -0x1.adf80aad22323p-28,
		 -0x1.2e3ad66c6a250p-29, 0x1.6330ad5df1ae7p-31, 0x1.209c4b9349b09p-29, 0x1.53b5f5326a08bp-29,
		 0x1.2f20e1e1ab813p-29, 0x1.ccb77e08f2376p-30, 0x1.348786e29fd4cp-30, 0x1.6b79e6fd740c4p-31}};
	static const double near[] = {
		0x1.04dcddb9f1ca7p-3,   0x1.fb8fccc606519p-3,   0x1.16931130fa7edp-8,   -0x1.3779be7c1a9bfp-9,
		0x1.a3f0f04acc2d1p-14,  0x1.4075e57c986dap-15,  -0x1.1eee00e6f564ap-18, -0x1.2f73f4227047fp-21,
		0x1.06ac8dc7b4ff5p-23,  0x1.9f119b79aa62bp-28,  -0x1.9fa11f0d770e9p-29, 0x1.24240167c7a84p-36,
		0x1.28f845b7d79ecp-34,  -0x1.03f01b8ef43d7p-38, -0x1.7e22e95216585p-40, 0x1.333f4b3e7ced6p-43,
		0x1.29a195e5e354bp-45,  -0x1.0127ad287b64bp-47, -0x1.5e0480126bd90p-53, 0x1.0869bb6812664p-52,
		-0x1.64d9b41c7dd9fp-55, 0x1.ee045fc781038p-59,  -0x1.72b5690bcfa06p-63, 0x1.e224c214ac59fp-69};
	static const double far[] = {
		-0x1.301e79ea8e743p-5,  0x1.6b2a4d8a74070p-7,   -0x1.3fd9d1cf422d8p-9,  0x1.c4b4a078cd016p-12,
		-0x1.ba87cd5339f44p-15, -0x1.3d843f3f13a0fp-20, 0x1.edb4d7787f7a8p-19,  -0x1.b7d18ae243b4bp-20,
		0x1.1e7bfbf9c3ecep-21,  -0x1.2c34cb3d1911bp-23, 0x1.bb632bec2d76dp-26,  -0x1.89e01d0abb9fbp-36,
		-0x1.85a0ecf24a2e9p-29, 0x1.b8a2314736f44p-30,  -0x1.2cfe5f1c01f37p-31, 0x1.bdfe4e3861b78p-34,
		0x1.7a8b11c493a02p-38,  -0x1.6edd4611e4c8ap-37, 0x1.a3a9b5ce2a88fp-38,  -0x1.839686154e559p-39,
		0x1.365ec7ccc53f0p-42,  0x1.730c906ac3a1bp-42,  -0x1.b4d260c7b9816p-44, -0x1.41da92cf4c1fdp-47,
		0x1.3c23dd37664bcp-48};
	LLVMBuilderRef b = e->builder;
	LLVMValueRef one = math_constant(x, 1.0), a = emit_intrinsic1(e, "llvm.fabs", x);
	LLVMValueRef v = LLVMBuildFMul(b, LLVMBuildFSub(b, one, a, ""), LLVMBuildFAdd(b, one, a, ""), "");
	bool tables = math_has_tables(e);
	LLVMValueRef w = LLVMBuildFNeg(b, tables ? math_log_beside_one(e, v) : math_log(e, v), ""), more;
	if (tables) {
		LLVMValueRef t, none = math_constant(x, 0);
		w = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOGT, w, none, ""), w, none, "");
		LLVMValueRef piece = math_piece_of(e, w, 25.0 / 64, &t);
		more = math_polynomial_of_piece(e, t, piece, pieces[0], sizeof pieces / sizeof *pieces);
	} else {
		more = math_polynomial_in_pairs(e, LLVMBuildFSub(b, w, one, ""), near, 24);
	}
	LLVMValueRef close = emit_fma(e, a, more, a);
	LLVMValueRef is_far = LLVMBuildFCmp(b, LLVMRealULT, v, math_constant(x, 0x1p-9), "");
	struct math_branch few = math_rarely(e, is_far);
	if (tables)
		w = LLVMBuildFNeg(b, math_log(e, v), "");
	LLVMValueRef t = emit_intrinsic1(e, "llvm.sqrt", w);
	LLVMValueRef slope = math_polynomial_in_pairs(e, LLVMBuildFSub(b, t, math_constant(x, 4.25), ""), far, 25);
	LLVMValueRef lost = emit_fma(e, LLVMBuildFNeg(b, t, ""), t, w); /* of w by the root */
	lost = LLVMBuildFDiv(b, lost, LLVMBuildFAdd(b, t, t, ""), "");
	LLVMValueRef distant = LLVMBuildFAdd(b, t, emit_fma(e, t, slope, lost), "");
	LLVMValueRef end = LLVMBuildFCmp(b, LLVMRealOEQ, a, one, "");
	distant = LLVMBuildSelect(b, end, math_constant(x, INFINITY), distant, "");
	LLVMValueRef result = math_mixed(e, &few, distant, close);
	return math_copy_sign(e, result, x);
}

LLVMValueRef math_erfinv(struct emitter *e, LLVMValueRef x)
{
	return math_is_f64(e, x) ? erfinv_of_f64(e, x) : erfinv_of_f32(e, x);
}

/* lgamma of f64 to some 10^-14, which is exact enough for f32, also near the zeros below -2: of y = x, or below
 * 1/2 of y = 1 - x by the sine's reflection; y is lifted by 8 where it is less, by y (y + 1) ... (y + 7) = w (w + 6) (w
 * + 10) (w + 12) with w = y (y + 7), and there Stirling's series holds. */
static LLVMValueRef lgamma_anywhere(struct emitter *e, LLVMValueRef x)
{
	static const double series[] = {1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
					1.0 / 1188, -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400};
	LLVMBuilderRef b = e->builder;
	LLVMValueRef one = math_constant(x, 1.0), infinity = math_constant(x, INFINITY);
	LLVMValueRef low = LLVMBuildFCmp(b, LLVMRealOLT, x, math_constant(x, 0.5), "");
	LLVMValueRef y = LLVMBuildSelect(b, low, LLVMBuildFSub(b, one, x, ""), x, "");
	LLVMValueRef w = LLVMBuildFMul(b, y, LLVMBuildFAdd(b, y, math_constant(x, 7), ""), ""), p = w;
	for (int i = 1; i < 4; i++)
		p = LLVMBuildFMul(b, p, LLVMBuildFAdd(b, w, math_constant(x, i * (7 - i)), ""), "");
	LLVMValueRef eight = math_constant(x, 8.0), small = LLVMBuildFCmp(b, LLVMRealOLT, y, eight, "");
	LLVMValueRef z = LLVMBuildSelect(b, small, LLVMBuildFAdd(b, y, eight, ""), y, "");
	p = LLVMBuildSelect(b, small, p, one, "");
	LLVMValueRef mirrored = LLVMBuildFDiv(b, LLVMBuildFMul(b, p, math_constant(x, 3.14159265358979323846), ""),
					      math_size_of_sin_pi(e, x), "");
	LLVMValueRef log = math_log(e, LLVMBuildSelect(b, low, mirrored, p, ""));
	LLVMValueRef inverse = LLVMBuildFDiv(b, one, z, "");
	LLVMValueRef tail =
		LLVMBuildFMul(b, inverse, math_polynomial(e, LLVMBuildFMul(b, inverse, inverse, ""), series, 8), "");
	tail = LLVMBuildFAdd(b, tail, math_constant(x, 0.91893853320467274178), "");
	tail = LLVMBuildFSub(b, tail, z, "");
	LLVMValueRef stirling = emit_fma(e, LLVMBuildFSub(b, z, math_constant(x, 0.5), ""), math_log(e, z), tail);
	LLVMValueRef above = LLVMBuildFSub(b, stirling, log, ""), below = LLVMBuildFSub(b, log, stirling, "");
	LLVMValueRef gamma = LLVMBuildSelect(b, low, below, above, ""), size = emit_intrinsic1(e, "llvm.fabs", x);
	LLVMValueRef zero = LLVMBuildOr(b, LLVMBuildFCmp(b, LLVMRealOEQ, x, one, ""),
					LLVMBuildFCmp(b, LLVMRealOEQ, x, math_constant(x, 2.0), ""), "");
	gamma = LLVMBuildSelect(b, zero, math_constant(x, 0.0), gamma, "");
	return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealUEQ, size, infinity, ""), size, gamma, "");
}

/* lgamma of an f32 as an f64 above -2, to 2^-29 of itself. y as above, z = y or, below 3/2, y + 1; up to 3 lgamma z is
 * t (t + 1) Q(t) with t = z - 2, which is exact at its zeros, and from it is taken log y below 3/2, and it is taken
 * from log(pi / sin(pi x)) below 1/2; from 3 on it is Stirling's, by log(1 / y). So there is one logarithm, of one
 * quotient: of y or 1 by 1, sin(pi x) / pi or y. */
static LLVMValueRef lgamma_above(struct emitter *e, LLVMValueRef x)
{
	static const double q[] = {0x1.b0ee606ff2d8dp-2,   -0x1.9ae64f8a081d0p-4,  0x1.0e0ca4ce3d952p-5,
				   -0x1.95cf90cf5366cp-7,  0x1.4795494a032eep-8,   -0x1.140cf5ed6cd2fp-9,
				   0x1.df6e61fb9bc4ap-11,  -0x1.b275f8e22f219p-12, 0x1.95feeb59463fcp-13,
				   -0x1.3db13d70be199p-14, 0x1.0467504598228p-16};
	static const double series[] = {0x1.555552f54834ep-4, -0x1.6c0114a918892p-9, 0x1.97a98d564947ap-11,
					-0x1.b8dbb04350b37p-12};
	static const double sine[] = {0x1.ffffffffd167ep-1,  -0x1.a51a660cadcebp+0, 0x1.9f9cab7909c97p-1,
				      -0x1.86a6b09c1e279p-3, 0x1.abe350045abc0p-6,  -0x1.24f9c122bb168p-9};
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef it = math_bits_type(e, x);
	LLVMValueRef one = math_constant(x, 1.0), infinity = math_constant(x, INFINITY);
	LLVMValueRef below = LLVMBuildFCmp(b, LLVMRealOLT, x, math_constant(x, 0.5), "");
	LLVMValueRef y = LLVMBuildSelect(b, below, LLVMBuildFSub(b, one, x, ""), x, "");
	LLVMValueRef near = LLVMBuildFCmp(b, LLVMRealOLT, y, math_constant(x, 1.5), "");
	LLVMValueRef large = LLVMBuildFCmp(b, LLVMRealOGE, y, math_constant(x, 3.0), "");
	LLVMValueRef r = LLVMBuildFSub(b, x, emit_intrinsic1(e, "llvm.rint", x), "");
	LLVMValueRef turn = math_polynomial(e, LLVMBuildFMul(b, r, r, ""), sine, 6);
	turn = emit_intrinsic1(e, "llvm.fabs", LLVMBuildFMul(b, r, turn, ""));
	LLVMValueRef over = LLVMBuildSelect(b, near, y, one, "");
	LLVMValueRef under = LLVMBuildSelect(b, large, y, LLVMBuildSelect(b, below, turn, one, ""), "");
	LLVMValueRef quotient = LLVMBuildFDiv(b, over, emit_opaque(e, under), ""), log = math_log_short(e, quotient);
	LLVMValueRef t =
		LLVMBuildFAdd(b, y, LLVMBuildSelect(b, near, math_constant(x, -1.0), math_constant(x, -2.0), ""), "");
	LLVMValueRef little = LLVMBuildFMul(b, emit_fma(e, t, t, t), math_polynomial(e, t, q, 11), "");
	little = LLVMBuildBitCast(b, LLVMBuildFSub(b, little, log, ""), it, "");
	LLVMValueRef sign = LLVMBuildSelect(b, below, emit_int(it, INT64_MIN), emit_int(it, 0), "");
	little = LLVMBuildBitCast(b, LLVMBuildXor(b, little, sign, ""), LLVMTypeOf(x), "");
	LLVMValueRef tail = math_polynomial(e, LLVMBuildFMul(b, quotient, quotient, ""), series, 4);
	tail = emit_fma(e, quotient, tail, LLVMBuildFSub(b, math_constant(x, 0.91893853320467274178), y, ""));
	tail = emit_fma(e, LLVMBuildFSub(b, math_constant(x, 0.5), y, ""), log, tail);
	LLVMValueRef gamma = LLVMBuildSelect(b, large, tail, little, ""), size = emit_intrinsic1(e, "llvm.fabs", x);
	gamma = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOEQ, quotient, infinity, ""), infinity, gamma, "");
	return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealUEQ, size, infinity, ""), size, gamma, "");
}

LLVMValueRef math_lgamma(struct emitter *e, LLVMValueRef x)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(x);
	if (math_is_f64(e, x))
		return math_library(e, "lgamma", x, NULL);
	LLVMValueRef wide = LLVMBuildFPExt(b, x, emit_type_like(e->f64, t), "");
	LLVMValueRef far = LLVMBuildFCmp(b, LLVMRealOLE, x, math_constant(x, -2.0), "");
	LLVMValueRef usual = LLVMBuildFPTrunc(b, lgamma_above(e, wide), t, "");
	struct math_branch branch = math_rarely(e, far);
	return math_mixed(e, &branch, LLVMBuildFPTrunc(b, math_apart(e, "lgamma", lgamma_anywhere, wide), t, ""),
			  usual);
}
