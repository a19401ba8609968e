// Items of imported modules: constants, placements, params, operators, functions, structs.
//% fold 1 2
import lib.shapes_of;
import lib.deep.numbers;

param mine : shapes_of.Pair[4];
fn loss(x: f32[3] @ shapes_of.both) { return sum(shapes_of.scaled(x)) + sum(mine.a) * 2.0; }

main {
    print(shapes_of.SIDE, shapes_of.AREA, numbers.ONE, shapes_of.area(5));
    let x = iota(3) as f32 to @shapes_of.both;
    print(shapes_of.scaled(x), shapes_of.triple(x), mine.a, mine.b);
    let (l, g) = value_and_grad(loss)(x);
    print(l, g.mine.a);
    each (p, d) in g { print(p + d); }
    let here = full(2.0, [shapes_of.SIDE, 1]) to @shapes_of.both : S(0);
    print(here to B);
}
