# cable.sh — two hosts on one machine: network namespaces with a cable between them, into which MPICH's launcher starts ranks as by ssh. For scripts
# with a folder $work and the launcher $MPIEXEC.
name=pml$$ net=10.77

# False where namespaces may not be made; then `why` says so.
cable_open() {
	command -v ip >/dev/null || { why="there is no ip (iproute2)"; return 1; }
	{ ip netns add "$name.1" && ip netns add "$name.2"; } 2>"$work/why" || { why="no network namespaces: $(head -1 "$work/why")"; return 1; }
	(
		ip link add cable1 netns "$name.1" type veth peer name cable2 netns "$name.2" &&
			for host in 1 2; do
				ip -n "$name.$host" addr add "$net.0.$host/24" dev cable$host &&
					ip -n "$name.$host" link set cable$host up && ip -n "$name.$host" link set lo up || exit 1
			done
	) 2>"$work/why" || { why="no cable between network namespaces: $(head -1 "$work/why")"; return 1; }
	# As kernels have it unless somebody says otherwise: what paces packets by timers takes most of a processor on such a cable.
	for host in 1 2; do
		ip netns exec "$name.$host" sh -c 'echo cubic >/proc/sys/net/ipv4/tcp_congestion_control' 2>/dev/null
	done
	# The kernel takes a moment to find that both ends are up, and MPI looks once.
	for host in 1 2; do
		tries=0
		while ! ip -n "$name.$host" link show cable$host | grep -q 'state UP' && [ $tries -lt 100 ]; do
			tries=$((tries + 1))
			sleep 0.1
		done
	done
	# As ssh: options, the host, the command.
	cat >"$work/enter" <<-END
		#!/bin/sh
		while [ "\${1#-}" != "\$1" ]; do shift; done
		host=\$1
		shift
		exec ip netns exec "$name.\${host##*.}" sh -c "\$*"
	END
	chmod +x "$work/enter"
}

cable_close() {
	for host in 1 2; do
		for pid in $(ip netns pids "$name.$host" 2>/dev/null); do kill -9 "$pid" 2>/dev/null; done
		ip netns del "$name.$host" 2>/dev/null
	done
}

# cable_rate RATE: as many bits a second each way as tc says: 1gbit, 100mbit. False where that cannot be set. Packets are as small as on a wire, and
# a link that was idle lets at most as many bytes pass at once as it carries in 64 us, by which a timer may be late, or two packets.
cable_rate() {
	case $1 in *gbit) burst=$((${1%gbit} * 8000)) ;; *) burst=$((${1%mbit} * 8)) ;; esac
	[ $burst -ge 3100 ] || burst=3100
	for host in 1 2; do
		ip -n "$name.$host" link set dev cable$host gso_max_segs $((burst < 6200 ? 1 : 2)) 2>"$work/why" &&
			ip netns exec "$name.$host" tc qdisc replace dev cable$host root tbf rate "$1" burst $burst latency 400ms 2>"$work/why" || return 1
	done
}

# job RANKS-OF-HOST-1 RANKS-OF-HOST-2 HOSTS PROGRAM...: messages between ranks by the network alone. Where hosts are taken for one, no memory is
# shared or read either: the ranks of both are processes of one kernel.
job() {
	first=$1 second=$2 map=$3 windows=2097152
	[ "$map" != one ] || windows=0
	shift 3
	ip netns exec "$name.1" env UCX_TLS=tcp,self "PMLRT_HOSTS=$map" PMLRT_WINDOW_BYTES=$windows timeout -k 2 "${JOB_SECONDS:-60}" "$MPIEXEC" -localhost "$net.0.1" -launcher ssh \
		-launcher-exec "$work/enter" -hosts "$net.0.1:$first,$net.0.2:$second" -n $((first + second)) "$@" </dev/null
}
