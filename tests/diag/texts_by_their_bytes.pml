// Texts have bytes by number; what prints without end has a text for it.
config word : string = "abc";
place p = ranks(0..2);
param w : f32[3] @ p = zeros();
main {
    let a = word[0..2];         //~ PML0204
    let b = word[0, 1];         //~ PML0204
    let c = word["a"];          //~ PML0209
    let d = word[1.5];          //~ PML0209
    let e = length(w);          //~ PML0209
    let f = length(3);          //~ PML0209
    let g = length();           //~ PML0203
    let h = length(word, word); //~ PML0203
    let i = char(0.5);          //~ PML0209
    let j = char("a");          //~ PML0209
    print(1, end = 2);          //~ PML0209
    print(1, stop = "");        //~ PML0203
    print(char(word[0]), length(word) + 1, end = "");
}
