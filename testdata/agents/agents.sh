#!/bin/sh
# agents.sh [go test flags]: git plan with the real agent command lines, against
# scripted model servers on 127.0.0.1. AGENTS_ONLY="codex claude" narrows it.
#
# Nothing of the person's environment is passed on, and where the machine allows
# it there is no network but loopback, so whatever else a command line tries to
# reach is not there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT

# shellcheck disable=SC2086 # names, parted by blanks
installed=$(sh "$here/install.sh" ${AGENTS_ONLY:-}) || {
	[ -n "$installed" ] || exit 1
	echo "make agents: goes on with what could be installed" >&2
}
cd "$top"
go build -o "$bin/models" ./testdata/agents/models
go test -c -tags urfave_cli_no_docs -o "$bin/agents.test" ./cmd/git-plan

set -- env -i PATH="$PATH" HOME="$bin" LC_ALL=C TMPDIR="${TMPDIR:-/tmp}" \
	AGENTS="$installed" MODELS="$bin/models" \
	"$bin/agents.test" -test.run 'TestAgents' -test.timeout 30m "$@"
cd cmd/git-plan
only_loopback='ip link set lo up && exec "$@"'
if unshare -n sh -c "$only_loopback" sh true 2>/dev/null; then
	unshare -n sh -c "$only_loopback" sh "$@"
elif unshare -rn sh -c "$only_loopback" sh true 2>/dev/null; then
	unshare -rn sh -c "$only_loopback" sh "$@"
else
	echo "make agents: the network is not shut off here: unshare -n is not allowed" >&2
	"$@"
fi
