// pmlc: -Werror
place all = ranks(0..2);
struct Net { w : f32[4] @ all = ones(), b : f32 @ all = 0.0 }
param net : Net;
param nets : [2] Net;
param other : Net;
state mean : Net;

fn restored(from) { net = from; }   //~ PML0512@21

main {
    let start = net;
    var kept = net;
    let first = nets[0];
    let pair = (net, other);
    net.w = 2.0 * net.w;
    net = start;                //~ PML0512@5
    nets[0] = first;            //~ PML0512@5
    nets[1] = first;
    mean = start;
    net = kept;
    net = other;
    restored(start);
    let (a, b) = pair;
    net = a;                    //~ PML0512@5
    print(net, nets, mean, b);
}
