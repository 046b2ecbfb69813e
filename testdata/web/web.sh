#!/bin/sh
# web.sh all|quick [go test flags]: plays testdata/web/stories, in which real headless Chromium shows the
# pages of git plan web. WEB_ONLY=NAME narrows it; SHOTS=DIR keeps pictures; UPDATE=1 writes outlines again.
#
#   all    installs playwright-core and axe-core from npm, once, under $WEB (default ~/.cache/git-plan/web)
# quick  installs nothing unless CI=true, and plays one story, if everything is installed and the browser starts
#
# CHROMIUM is the browser, else the one on PATH.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mode=$1
shift
playwright=1.65.1
axe=4.14.1
WEB=${WEB:-${XDG_CACHE_HOME:-$HOME/.cache}/git-plan/web}/$playwright-$axe

skipped() {
	echo "SKIPPED: $1, so no browser shows the pages: make web"
	[ "$mode" = quick ]
	exit
}
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
[ -n "$CHROMIUM" ] || skipped "chromium is not installed (apt-get install chromium)"
command -v node >/dev/null || skipped "node is not installed"
if [ ! -e "$WEB/installed" ]; then
	[ "$mode" = all ] || [ "${CI:-}" = true ] || skipped "playwright-core is not installed"
	mkdir -p "$WEB"
	npm install --silent --ignore-scripts --no-audit --no-fund --prefix "$WEB" "playwright-core@$playwright" "axe-core@$axe" </dev/null
	: >"$WEB/installed"
fi
only=${WEB_ONLY:-}
[ "$mode" = all ] || only=${only:-watched}

# The only network is loopback, where the machine allows that: a page requests nothing else.
alone() { "$@"; }
# shellcheck disable=SC2016 # for the shell inside
only_loopback='ip link set lo up && exec "$@"'
for cut in 'unshare -n' 'unshare -rn'; do
	if $cut sh -c "$only_loopback" sh true 2>/dev/null; then
		alone() { $cut sh -c "$only_loopback" sh "$@"; }
		break
	fi
done

# Chromium creates a socket beside its temporary files, and dies if that path has more than 107 bytes:
# neither the folder of a story nor every TMPDIR is short enough.
bin=$(mktemp -d) room=$(mktemp -d /tmp/web.XXXXXX)
trap 'rm -rf "$bin" "$room"' EXIT
GOPATH=$(go env GOPATH) GOCACHE=$(go env GOCACHE) GOMODCACHE=$(go env GOMODCACHE)
export CHROMIUM ROOM="$room" MODULES="$WEB/node_modules" GOPATH GOCACHE GOMODCACHE
alone env HOME="$bin" timeout 120 node "$here/drive.mjs" || skipped "the browser does not start"

cd "$here/../.."
go test -c -vet=off -o "$bin/web.test" ./cmd/git-plan
cd cmd/git-plan
# One after the other: measurements do not share the machine.
alone env HOME="$bin" "$bin/web.test" -test.timeout 30m -test.parallel 1 -test.v -test.run "^TestBrowser\$/$only" "$@"
