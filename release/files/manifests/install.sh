#!/bin/sh
# Installs emend [[.Version]]: fetches the archive for this machine, checks its sum, and puts the program into a directory.
#
#   curl -fsSL [[.Downloads]]/install.sh | sh
#   sh install.sh --dir ~/bin
#
# --dir DIR        where the program goes (default: ~/.local/bin, or /usr/local/bin for root)
# EMEND_BASE_URL   where the files are fetched from, for mirrors
set -eu

version=[[.Version]]
base=${EMEND_BASE_URL:-[[.Downloads]]}

fail() {
	echo "emend: $1" >&2
	exit 1
}

main() {
	dir=
	while [ $# -gt 0 ]; do
		case $1 in
		--dir) [ $# -gt 1 ] || fail "--dir wants a directory"; dir=$2; shift 2 ;;
		*) fail "$1 is no option; there is --dir DIR" ;;
		esac
	done
	if [ -z "$dir" ]; then
		if [ "$(id -u)" = 0 ]; then dir=/usr/local/bin; else dir=$HOME/.local/bin; fi
	fi

	case $(uname -s) in
	Linux) os=linux ;;
	Darwin) os=darwin ;;
	*) fail "there is no install script for $(uname -s); see [[.Homepage]]" ;;
	esac
	case $(uname -m) in
	x86_64 | amd64) arch=amd64 ;;
	aarch64 | arm64) arch=arm64 ;;
	riscv64) arch=riscv64 ;;
	i386 | i486 | i586 | i686) arch=386 ;;
	*) fail "there is no emend for $(uname -m); build it with Go: [[.Homepage]]" ;;
	esac
	case $os-$arch in
[[- range $os := list "linux" "darwin"]][[range $arch := list "amd64" "arm64" "riscv64" "386"]][[if built $os $arch]]
	[[$os]]-[[$arch]]) want=[[sum $os $arch]] ;;
[[- end]][[end]][[end]]
	*) fail "there is no emend for $os on $arch" ;;
	esac

	name=emend-$version-$os-$arch
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	trap 'exit 1' INT TERM HUP
	if command -v curl >/dev/null; then
		curl -fsSL -o "$work/$name.tar.gz" "$base/$name.tar.gz" || fail "$base/$name.tar.gz cannot be fetched"
	elif command -v wget >/dev/null; then
		wget -q -O "$work/$name.tar.gz" "$base/$name.tar.gz" || fail "$base/$name.tar.gz cannot be fetched"
	else
		fail "neither curl nor wget is there to fetch $base/$name.tar.gz"
	fi

	if command -v sha256sum >/dev/null; then
		got=$(sha256sum "$work/$name.tar.gz" | cut -d ' ' -f 1)
	elif command -v shasum >/dev/null; then
		got=$(shasum -a 256 "$work/$name.tar.gz" | cut -d ' ' -f 1)
	else
		fail "neither sha256sum nor shasum is there to check the archive"
	fi
	[ "$got" = "$want" ] || fail "the archive has the sum $got, not $want. Nothing was installed."

	tar -xzf "$work/$name.tar.gz" -C "$work"
	mkdir -p "$dir"
	# A running emend keeps the old file; the new one takes its name at once.
	cp "$work/$name/emend" "$dir/.emend.new"
	chmod 755 "$dir/.emend.new"
	mv -f "$dir/.emend.new" "$dir/emend"
	echo "emend $version is in $dir"
	case :$PATH: in
	*:"$dir":*) echo "Next: emend setup claude-code (or codex, cursor, vscode, zed, opencode, gemini)" ;;
	*) echo "Next: put $dir into PATH" ;;
	esac
}

main "$@" # at the end, so that half a script does nothing
