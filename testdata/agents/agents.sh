#!/bin/sh
# agents.sh all|own|quick [go test flags]: git plan with the real agent command
# lines, against scripted model servers on 127.0.0.1. AGENTS_ONLY="codex claude"
# narrows it. NAME-acp is NAME by the Agent Client Protocol.
#
#   all     installs what is missing, and plays every story with each
# own     plays those in which a person asks an agent for the next step, with the skill and with the server
# quick   installs nothing unless CI=true, and plays one story of each kind with each installed one
#
# Nothing of the person's environment is passed on. Where the machine allows it,
# the only network is loopback, so that other hosts which a command line tries to
# reach do not exist.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
mode=$1
shift

# shellcheck disable=SC2086 # names, separated by spaces
case $mode in
quick)
	set -- -test.run '^Test(Own)?Agents$/.*/(success|mcp)$' "$@"
	missing=-n
	[ "${CI:-}" != true ] || missing=
	installed=$(sh "$here/install.sh" $missing ${AGENTS_ONLY:-}) || echo "agents.sh: goes on with what could be installed" >&2
	if [ -z "$installed" ]; then
		echo "the agent command lines are not installed, so none was tried: make agents"
		exit 0
	fi
	;;
*)
	tests='^Test(Own)?Agents$'
	[ "$mode" != own ] || tests=TestOwnAgents
	set -- -test.run "$tests" "$@"
	installed=$(sh "$here/install.sh" ${AGENTS_ONLY:-}) || echo "make agents: goes on with what could be installed" >&2
	[ -n "$installed" ]
	;;
esac

bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
cd "$top"
go build -o "$bin/" ./testdata/agents/models
go test -c -vet=off -o "$bin/agents.test" ./cmd/git-plan

set -- "$bin/agents.test" -test.timeout 240m "$@"
set -- env -i PATH="$PATH" HOME="$bin" LC_ALL=C TMPDIR="${TMPDIR:-/tmp}" AGENTS="$installed" AGENTS_ONLY="${AGENTS_ONLY:-}" MODELS="$bin/models" "$@"

cd cmd/git-plan
# shellcheck disable=SC2016 # for the shell inside
only_loopback='ip link set lo up && exec "$@"'
for cut in 'unshare -n' 'unshare -rn'; do
	if $cut sh -c "$only_loopback" sh true 2>/dev/null; then
		$cut sh -c "$only_loopback" sh "$@"
		exit
	fi
done
echo "make agents: the network is not shut off here: unshare -n is not allowed" >&2
"$@"
