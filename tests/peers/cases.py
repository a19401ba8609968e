"""All cases, in parts."""
import sys

import arrays  # noqa: F401, as are the others: they state cases
import beside
import flow_branch
import flow_lines
import flow_loops
import flow_scan
import library
import library_models
import methods

sys.exit(beside.main(sys.argv[1:]))
