import lib.helper;
import lib.helper;
fn f(p: helper.Pair, q: helper.Pear) {   //~ PML0111@32
    helper.batch(p);                     //~ PML0110@12
    helper.batches(p);
    helpr.batches(p);                    //~ PML0101@5
    return helper.K;
}
fn g(p: helpr.Pair) { }                  //~ PML0101@9
