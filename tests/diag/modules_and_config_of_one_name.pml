import lib.helper;
config helper : path = "/tmp";
main { helper.batches(helper / "x"); }
