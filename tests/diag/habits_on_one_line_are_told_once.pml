// What stands behind a sign that means nothing is no news; the line after it is.
main {
    let f = |x| x * 2; //~ PML0004@13
    let c = true ? 1 : 2; //~ PML0001@20
    # a remark in another language //~ PML0004@5
    let z = unheard; //~
}
