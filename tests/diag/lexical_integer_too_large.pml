const A : int = 9223372036854775807;
const B : int = 9223372036854775809; //~ PML0008@17
const C : int = 0xffffffffffffffffff; //~ PML0008@17
const D : int = 1_000_000;
const E : int = 0x7fff_ffff;
const F : int = 0x; //~ PML0013@17
