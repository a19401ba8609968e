// Each is told once, however many ways lead down: loops are walked as one before they are walked turn by turn.
param ws : [3] f32[4] = ones();
fn each_turn(x) { var y = x; for i in 0..10 { y = y + each_turn(x); } return y; }          //~ PML0504@55
fn by_turn(x, d = 0) { var y = x; for i in 0..rank(x) { y = by_turn(y, d = i); } return y; } //~ PML0504@61
fn of_lists(x) { var y = x; for w in ws { y = of_lists(y * w); } return y; }                //~ PML0504@47
fn nested(x) { var y = x; for i in 0..3 { for k in 0..2 { y = nested(y) * 2.0; } } return y; } //~ PML0504@63
fn beside(x, n) { return sum(x) + beside(x, n + 1); }                                       //~ PML0504@35
main {
    print(each_turn(ones([4])), by_turn(ones([4, 2, 3])), of_lists(ones([4])), nested(ones([4])), beside(ones([4]), 0));
}
