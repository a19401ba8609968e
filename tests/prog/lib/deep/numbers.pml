// Imported by shapes_of.pml.
const ONE : int = 1;
