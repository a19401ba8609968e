config epochs : int = 3;
main { for epoch in epochs { print(epoch); } }    //~ PML0501
