main { print("café"); } //~ PML0010@18
