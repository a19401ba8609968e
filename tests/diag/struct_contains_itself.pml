struct Own { w : f32[2], inner : Own } //~ PML0220@34
struct First { w : f32[2], next : Second }
struct Second { rest : [3] First } //~ PML0220@28
struct Pair { both : (f32[2], Pair) } //~ PML0220@31
struct Fine { w : f32[2] = ones() }
struct Twice { a : Fine, b : Fine, c : [2] Fine }

param t : Twice;

fn used(x: Own) { return x.w; }

main { print(t.a.w); }
