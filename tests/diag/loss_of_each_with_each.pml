import std.loss;
import std.metrics;
main {
    let (column, line) = (ones([3, 1]), ones([3]));
    let (scores, labels) = (ones([3, 4]), zeros([3, 1], dtype = i32));
    print(loss.mse(column, line));                                       //~ PML0203@11
    print(loss.l1(line, column), loss.huber(column, line));              //~ PML0203@11 PML0203@34
    print(loss.log_cosh(column, line), loss.quantile(column, line, 0.5));    //~ PML0203@11 PML0203@40
    print(loss.binary_cross_entropy(column, line), loss.focal(column, line));    //~ PML0203@11 PML0203@52
    print(loss.normal_nll(column, line, column), loss.poisson_nll(column, line));    //~ PML0203@11 PML0203@50
    print(loss.hinge(column, line), loss.margin_ranking(line, column, line), loss.dice(column, line));    //~ PML0203@11 PML0203@37 PML0203@78
    print(loss.cross_entropy(scores, labels), loss.nll(scores, labels));    //~ PML0203@11 PML0203@47
    print(loss.soft_cross_entropy(ones([3, 1, 4]), scores));             //~ PML0203@11
    print(loss.kl_divergence(scores, ones([3, 1, 4])), loss.kl_normal(scores, ones([3, 1, 4])));    //~ PML0203@11 PML0203@56
    print(loss.triplet(scores, ones([3, 1, 4]), scores), loss.cosine(scores, scores, column));    //~ PML0203@11 PML0203@58
    print(metrics.accuracy(scores, labels), metrics.correct(scores, labels));    //~ PML0203@11 PML0203@45
    print(metrics.top_accuracy(scores, labels, 2), metrics.r2(line, column));    //~ PML0203@11 PML0203@52
    print(loss.cross_entropy(eye(4), eye(4, dtype = i32)), metrics.accuracy(eye(4), eye(4, dtype = i32)));    //~ PML0203@11 PML0203@60
    print(loss.cross_entropy(ones([4]), [0, 3] as i32));
    print(loss.mse(scores, ones([4])), loss.mse(ones([4]), scores), loss.mse(line, 2.0), loss.hinge(line, [1.0, -1.0, 1.0]));
    print(loss.cross_entropy(ones([2, 3, 4]), zeros([3], dtype = i32)));
}
