struct Layer {
    w : f32[2, 2];                            //~ PML0001@18
    b : f32[2]
}
