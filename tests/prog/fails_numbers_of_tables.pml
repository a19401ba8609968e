// Fields that are numbers and something more: a percent sign, a date, blanks within quotes, a unit. Each is told for what it is.
//% fails [--case=1] odd.csv` line 2 column `share`: `50%` is not of type f32
//% fails [--case=1] help: units and percent signs are part of no number
//% fails [--case=2] help: dates and times are no numbers; as texts they are listed in `text = [...]`
//% fails [--case=3] help: blanks within quotes are part of a field, and of no number
//% fails [--case=4] help: units and percent signs are part of no number
import std.data;
config case : int = 0;
config table : path = "tests/prog/tables/edges/odd.csv";
main {
    if case == 1 { print(data.rows(data.csv(table, ["share"]) as f32[_])); }
    if case == 2 { print(data.rows(data.csv(table, ["day"]) as f32[_])); }
    if case == 3 { print(data.rows(data.csv(table, ["weight"]) as f32[_])); }
    if case == 4 { print(data.rows(data.csv(table, ["size"]) as f32[_])); }
}
