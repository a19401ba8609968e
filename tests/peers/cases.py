"""All cases, in parts."""
import sys

import beside
import flow_branch  # noqa: F401, as are the others: they state cases
import flow_lines
import flow_loops
import flow_scan

sys.exit(beside.main(sys.argv[1:]))
