// A transform is of one number at least, and real numbers that one gives are, too.
import std.fft;
place p = ranks(0..1);
param none_of: f32[3, 0] @ p = zeros();
param one_of: f32[3, 1] @ p = zeros();
main {
    let (a, b) = fft.fft(none_of, none_of); //~ PML0203@18
    let (c, d) = fft.ifft(none_of, none_of); //~ PML0203@18
    print(fft.irfft(one_of, one_of)); //~ PML0203@11
    print(fft.irfft(one_of, one_of, n = 1));
}
