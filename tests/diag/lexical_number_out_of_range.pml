const A : f64 = 1e308;
const B : f64 = 1e309; //~ PML0009@17
