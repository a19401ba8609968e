#!/bin/sh
# Set-up for a fresh Debian 12 machine.
#   ./bootstrap.sh demo     install what is missing, build, compile an example, train it on real data under mpiexec
#   ./bootstrap.sh check    the same up to the build, then run the tests
#   ./bootstrap.sh build    install what is missing and build
#   ./bootstrap.sh html     install what is missing, build, and make the documentation a site: build/html/index.html
# Environment: BUILD_DIR (default build), JOBS (default: number of processors).
set -eu
cd "$(dirname "$0")"

packages="gcc make autoconf automake libtool pkg-config flex bison llvm-19-dev mpich libmpich-dev zlib1g-dev
	libjansson-dev check valgrind procps iproute2 dataset-fashion-mnist"
build=${BUILD_DIR:-build}
jobs=${JOBS:-$(nproc)}

say() { printf '== %s\n' "$*"; }

not_root() {
	echo "bootstrap.sh: not root and no sudo. As root run"
	echo "    apt-get update && apt-get install --no-install-recommends$missing"
	echo "and then this again."
}

install_missing() {
	missing=
	for p in $packages; do
		dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
	done
	[ -z "$missing" ] && return
	say "installing:$missing"
	sudo=
	if [ "$(id -u)" -ne 0 ]; then
		command -v sudo >/dev/null || { not_root >&2; exit 1; }
		sudo=sudo
	fi
	$sudo apt-get update -q
	# shellcheck disable=SC2086
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
}

build_all() {
	say "building in $build"
	./autogen.sh
	mkdir -p "$build"
	cd "$build"
	[ -f Makefile ] || ../configure --enable-werror
	make -s -j"$jobs"
	cd ..
}

demo() {
	out=$(mktemp -d)
	trap 'rm -rf "$out"' EXIT
	say "pmlc examples/digits.pml -D N=2 && mpiexec -n 2 ./digits"
	"$build/pmlc" -D N=2 examples/digits.pml -o "$out/digits"
	ln -s "$PWD/examples" "$out/examples"
	(cd "$out" && mpiexec -n 2 ./digits)
	say "pmlc examples/fashion.pml && mpiexec -n 4 ./fashion --epochs=1"
	"$build/pmlc" examples/fashion.pml -o "$out/fashion"
	(cd "$out" && mpiexec -n 4 ./fashion --epochs=1)
	say "done: $build/pmlc is the compiler; README.md tells what to try next"
}

case ${1:-} in
demo)
	install_missing
	build_all
	demo
	;;
check)
	install_missing
	build_all
	make -s -C "$build" -j"$jobs" check
	;;
build)
	install_missing
	build_all
	;;
html)
	packages="$packages cmark-gfm"
	install_missing
	build_all
	make -s -C "$build" html
	;;
*)
	sed -n '2,7s/^# \{0,1\}//p' "$0"
	exit 2
	;;
esac
