const A : int = 3px;    //~ PML0013@17
const B : f32 = 1.5f;   //~ PML0013@17
const C : f32 = 12e;    //~ PML0013@17
