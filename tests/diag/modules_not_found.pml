import lib.nothing;       //~ PML0103@8
import lib.helper;
import std.no_such_thing; //~ PML0103@8
