#!/bin/bash
# Proves emend on a real Mac, and prints a report to paste. docs/windows.md says what has been shown without one.
#
#   bash proof/macos-proof.sh            some 20 minutes; needs Go and, for a part of the tests, git
#
# It changes nothing but a directory of its own, mounts disk images in it (no administrator needed), and writes macos-report.md to the
# current directory.
#
# What happens in a power cut a script cannot show alone. This makes changes until the machine loses power, and prints each number that
# emend has acknowledged; note the last one on the screen:
#
#   bash proof/macos-proof.sh power-cut DIR
#   bash proof/macos-proof.sh after-power-cut DIR LAST         after the restart
set -uo pipefail

repository=$(cd "$(dirname "$0")/.." && pwd)
report=$PWD/macos-report.md
scratch=$(mktemp -d "${TMPDIR:-/tmp}/emend-proof.XXXXXX")
mounts=()
failed=0

clean() {
	local m
	for m in ${mounts[@]+"${mounts[@]}"}; do hdiutil detach -quiet -force "$m"; done
	rm -rf "$scratch"
}
trap clean EXIT

build() { (cd "$repository" && go build -o "$1" ./cmd/emend) || exit 1; }

if [[ ${1-} == power-cut ]]; then
	mkdir -p "$2/.emend"
	build "$2.emend"
	echo 0 >"$2/number"
	echo 'Turn the power off at any moment, and note the last number.'
	for ((n = 1; ; n++)); do
		echo "$n" | "$2.emend" -C "$2" write number >/dev/null || exit 1
		echo "$n"
	done
fi

if [[ ${1-} == after-power-cut ]]; then
	"$2.emend" -C "$2" recover
	"$2.emend" -C "$2" verify || { echo 'power cut: the log is not whole: LOST'; exit 1; }
	have=$(<"$2/number")
	if ((have == $3 || have == $3 + 1)); then
		echo "power cut: the log is whole, the last acknowledged number is $3, and the file has $have: kept"
		exit 0
	fi
	echo "power cut: the last acknowledged number is $3, and the file has $have: LOST"
	exit 1
fi

say() { printf '%s\n' "$*" | tee -a "$report"; }

# tests NAME DIR PACKAGE...: runs tests in DIR with TMPDIR as it is, and adds a row.
tests() {
	local name=$1 dir=$2 begin=$SECONDS out=$scratch/out status=0
	shift 2
	(cd "$repository/$dir" && go test -count 1 -timeout 30m -v "$@") >"$out" 2>&1 || status=$?
	say "| $name | $(grep -cE '^ *--- PASS:' "$out") | $(grep -cE '^ *--- FAIL:' "$out") | $(grep -cE '^ *--- SKIP:' "$out") | $((SECONDS - begin)) |"
	{
		if ((status != 0)); then
			printf '\n%s, exit code %d:\n\n' "$name" "$status"
			grep -E '^ *--- FAIL|_test\.go:[0-9]+:|^panic:|^FAIL' "$out" | head -60 | sed 's/^/    /'
		fi
		grep -F 'NOT RUN' "$out" | sort -u | sed 's/^ */    /'
	} >>"$scratch/details"
	((status == 0)) || failed=$((failed + 1))
}

# volume NAME FORMAT: makes a disk image with a file system and mounts it; prints where.
volume() {
	local image=$scratch/$1.dmg at=$scratch/$1
	mkdir -p "$at"
	hdiutil create -quiet -size 400m -fs "$2" -volname "emend-$1" "$image" && hdiutil attach -quiet -nobrowse -mountpoint "$at" "$image" && echo "$at"
}

: >"$report"
: >"$scratch/details"
build "$scratch/emend"
say '# emend on macOS'
say ''
say '| | |'
say '|---|---|'
say "| macOS | $(sw_vers -productVersion 2>/dev/null || echo unknown), $(uname -m) |"
say "| file system of the tests | $(diskutil info "$(df "$scratch" | awk 'END{print $1}')" 2>/dev/null | sed -n 's/.*File System Personality: *//p') |"
say "| Go | $(go version) |"
say "| git | $(git --version 2>/dev/null || echo none) |"
say "| emend | $(git -C "$repository" describe --always --dirty 2>/dev/null || echo unknown) |"
say ''
say 'What `emend doctor` says:'
say ''
mkdir -p "$scratch/tree/.emend"
echo one >"$scratch/tree/a.txt"
"$scratch/emend" -C "$scratch/tree" edit a.txt --old one --new two >/dev/null
"$scratch/emend" -C "$scratch/tree" doctor 2>&1 | sed 's/^/    /' | tee -a "$report"
say ''
say 'Attributes that a change must keep:'
say ''
# A program that was downloaded, with a resource fork and an access list.
f=$scratch/tree/a.txt
xattr -w com.apple.quarantine '0081;00000000;proof;' "$f"
xattr -w com.apple.ResourceFork fork "$f"
xattr -w user.note kept "$f"
chmod +a "$(id -un) allow read" "$f"
before=$(xattr "$f" | sort | tr '\n' ' ') acl=$(ls -le "$f" | sed 1d)
"$scratch/emend" -C "$scratch/tree" edit a.txt --old two --new three 2>&1 | sed 's/^/    /' | tee -a "$report"
after=$(xattr "$f" | sort | tr '\n' ' ') aclafter=$(ls -le "$f" | sed 1d)
say "    extended attributes before: $before"
say "    extended attributes after:  $after"
say "    access list before: $acl"
say "    access list after:  $aclafter"
say ''
say '| tests | passed | failed | skipped | seconds |'
say '|---|---:|---:|---:|---:|'
for p in ./internal/vfs/... ./internal/guard ./internal/commit ./internal/history/... ./internal/audit ./internal/find/... ./internal/look ./internal/workspace ./cmd/emend; do
	tests "$p" . "$p"
done
tests proof/escape proof ./escape
EMEND_WINDOWS_ANYWHERE=1 EMEND_WINDOWS_KILLS=100 EMEND_WINDOWS_WRITING=30s tests 'proof/windows: kills, writers, a server' proof ./windows
while read -r name format; do
	if at=$(volume "$name" "$format"); then
		mounts+=("$at")
		TMPDIR=$at tests "$format: vfs, guard, commit" . ./internal/vfs/... ./internal/guard ./internal/commit
	else
		say "| $format: NOT RUN, no such image could be made | | | | |"
	fi
done <<'LIST'
sensitive Case-sensitive APFS
hfs HFS+
exfat ExFAT
LIST
tee -a "$report" <"$scratch/details"
say ''
if ((failed > 0)); then say "$failed runs FAILED"; else say 'all runs passed'; fi
echo
echo "The report is in $report: paste it whole."
exit "$failed"
