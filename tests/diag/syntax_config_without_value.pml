config lr : f32; //~ PML0001@16
