# machine.sh — machine files for parts of this suite.

# machine NAME HOSTS RANKS OVERLAP ARITHMETIC: links of 100 us and 1 GB/s within and between hosts.
machine() {
	link="{\"latency_us\": 100, \"start_us\": 0, \"gigabytes_per_second\": 1, \"overlap\": $4}"
	cat >"$work/$1.json" <<-EOF
		{"name": "$1",
		 "processors": [{"name": "p", "vector_bytes": 32, "start_us": {"region": 0, "kernel": 0, "vector_loop": 0}, "memory": 1e6,
		   "operations": {"arithmetic": $5, "division": 1e6, "function": 1e6, "random": 1e6, "gather": 1e6, "scalar": 1e6, "prefix": 1e6, "pack": 1e6, "sort": 1e6},
		   "products": {"f32": {"m": [1], "n": [1], "k": [1], "gigaflops": [2]}}}],
		 "hosts": [{"count": $2, "ranks": $3, "processor": "p", "link": $link}],
		 "networks": [{"name": "net", "joins": 64, "link": $link}]}
	EOF
}
