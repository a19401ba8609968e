struct Net { w : f32[3] = ones(), inner : [2] f32[2] = zeros() }
param net : Net;

fn by(n, x) { return sum(n.w * x); }
fn counted(n, k) { return sum(n.w) * k; }

main {
    var m = net;
    m.w = ones([4]);                    //~ PML0505@11
    m.w = ones([3]) as f64;             //~ PML0505@11
    m.w = 1.0;                          //~ PML0505@11
    m.v = ones([3]);                    //~ PML0216
    m.inner[2] = ones([2]);             //~ PML0210
    m.inner = ones([2]);                //~ PML0505@15
    let k = m;
    k.w = ones([3]);                    //~ PML0502
}
