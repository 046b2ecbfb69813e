#!/bin/sh
# packaging/smoke.sh: the git plan on PATH does a plan of two commands, whatever the system is.
# It needs git, and neither a key nor the network.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" XDG_STATE_HOME="$dir/state" GIT_CONFIG_NOSYSTEM=1
cd "$dir"
git config --global user.name Smoke
git config --global user.email smoke@example.com
git init -q -b main repository
cd repository
echo one >file.txt
git add file.txt
git commit -q -m 'Begin'
git plan new --yes -F - <<'END'
# Greet people

## Steps
- [ ] **Say hello** {#hello}
  - Run: `echo hello >greeting.txt`
  - Check: `grep -q hello greeting.txt`
- [ ] **Say goodbye** {#goodbye}
  - Run: `echo goodbye >>greeting.txt`
  - Check: `grep -q goodbye greeting.txt`
END
git plan run --no-review
test "$(git plan status --porcelain | grep '^state')" = "$(printf 'state\tdone')"
test "$(git log --oneline main.. | wc -l)" -eq 2
git plan undo
git plan status
git plan version
