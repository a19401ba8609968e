// Fields that are numbers, of the host or tensors of one element: assigned, compared, differentiated.
//% ranks 1 2
const N : int = 1;
place p = ranks(0..N);
struct Point { x : f32, y : f32 }
struct Line { a : Point, b : Point }
struct Option { rate : float, turns : int, name : string }
struct Both { at : int, option : Option }
fn long(l: Line) { return sqrt((l.a.x - l.b.x) ** 2 + (l.a.y - l.b.y) ** 2); }
fn area(ps) { var s = 0.0; for i in 0..3 { let p = ps[i]; let q = ps[(i + 1) % 3]; s += p.x * q.y - q.x * p.y; } return abs(s) / 2.0; }
fn moved(p: Point) { var q = p; q.x = 7; q.y *= 2.0; return q; }

main {
    let l = Line(Point(0.0, 0.0), Point(3, 4.0));
    print(long(l), grad(long)(l), moved(l.b));
    var ps = [Point(0.0, 0.0), Point(4.0, 0.0), Point(0.0, 3.0)];
    ps[1].x = 8;
    ps[2] = Point(x = 0.0, y = 6.0);
    for i in 0..3 { ps[i] = Point(ps[i].x * 2.0, ps[i].y + i); }
    print(area(ps), ps);
    let o = Option(rate = 0.5, turns = 2, name = "o");
    let b = Both(at = 1, option = o);
    print(o == o, o != Option(rate = 0.5, turns = 3, name = "o"), b == Both(1, Option(0.5, 2, "o")), [b] == [b], o == none);
    if b == b && o.name == "o" { print("same"); }
}
