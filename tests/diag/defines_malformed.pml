// pmlc: -D 'N=4;' -D M= -D K=unknown
//~? PML0106 PML0106 PML0101
const N : int = 3;
const M : int = 3;
const K : int = 3;
