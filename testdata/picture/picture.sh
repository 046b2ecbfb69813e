#!/bin/sh
# The moving picture in README: the recorded plan of the demo, run for real in a terminal
# of 100 columns. usage: picture.sh PROGRAM SVG. Needs tmux, and Go for the demo's project.
set -eu
program=$1 svg=$2
dir=$(mktemp -d)
tmux() { command tmux -S "$dir/tmux" -f /dev/null "$@"; }
trap 'tmux kill-server 2>/dev/null || true; rm -rf "$dir"' EXIT
# screen prints what the terminal shows below the command, without the following prompt.
screen() { printf '$ git plan run\n'; tmux capture-pane -e -p | sed '/^\$/d'; printf '\f'; }
export XDG_STATE_HOME="$dir/state"
"$program" demo "$dir/demo" >/dev/null
cd "$dir/demo/ledger"
# The recorded plan, with checks that fail before their steps, and turns that cost 3, 0.30 and 15 USD per million tokens.
awk '/"usage"/ { split($0, u, /[:,}] */); sub("}", sprintf(", \"cost\": %f}", (3 * (u[3] - u[5]) + .3 * u[5] + 15 * u[7]) / 1e6)) } { print }' \
	.git/recording.json | sed -E 's#`go test \./([bce])#`go test -run Budget ./\1#g' >../recording.json
mv ../recording.json .git/recording.json
export PATH="$(dirname "$program"):$PATH" GIT_CONFIG_GLOBAL=/dev/null LC_ALL=C.UTF-8
git switch -q main
git plan new -b budgets --yes "warn when a category is over its monthly budget" >/dev/null 2>&1
tmux new-session -d -x 100 -y 40 "PS1='$ ' exec sh"
sleep 1
tmux send-keys 'clear; git plan run; touch '"$dir/done" Enter
until test -e "$dir/done"; do
	sleep 0.2
	screen
done >"$dir/screens"
sleep 1
cd - >/dev/null
{ cat "$dir/screens"; screen; } | go run ./testdata/picture >"$svg"
