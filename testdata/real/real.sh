#!/bin/sh
# Steps on a third-party module: github.com/sergi/go-diff is downloaded from the
# module proxy and becomes a git repository, and an agent that really edits files
# does a plan beside this file. The module's own tests check it.
#
# usage: real.sh PATH-OF-GIT-PLAN [JOBS]
#
# Without JOBS there are three steps, one after the other; with it six independent
# ones, so many of them in parallel.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=$1
jobs=${2:-1}
plan=plan.md steps=3
[ "$jobs" = 1 ] || plan=plan-jobs.md steps=6
module=github.com/sergi/go-diff@v1.4.0

work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/home"
ln -s "$program" "$work/bin/git-plan"
PATH=$work/bin:$PATH
GIT_CONFIG_GLOBAL=$work/home/gitconfig GIT_CONFIG_NOSYSTEM=1
export PATH GIT_CONFIG_GLOBAL GIT_CONFIG_NOSYSTEM
unset GIT_PLAN_DEPTH || true

fail() { echo "real: $*" >&2; exit 1; }

echo "== $module as a repository"
source=$(cd "$work" && GOFLAGS=-mod=mod go mod download -json "$module" | sed -n 's/^[[:space:]]*"Dir": "\(.*\)",\{0,1\}$/\1/p')
[ -d "$source" ] || fail "$module did not come"
cp -R "$source" "$work/go-diff"
chmod -R u+w "$work/go-diff"
cd "$work/go-diff"
git config --global user.name 'git plan'
git config --global user.email plan@localhost
git init --quiet --initial-branch=main
git add .
git commit --quiet --message="$module"
go test ./... >/dev/null || fail "the module's own tests fail before anything was done"

echo "== $steps steps"
git config plan.agent editor
git config planAgent.editor.command "sh '$here/agent.sh'"
git plan new -F "$here/$plan" --yes
git plan run --no-review --jobs "$jobs"
git plan verify

echo "== proof"
[ "$(git plan status --porcelain | sed -n 's/^progress\t//p')" = "$steps	$steps" ] || fail "not all steps are done"
[ "$(git rev-list --count --no-merges main..HEAD)" = "$steps" ] && [ "$(git rev-list --count main..HEAD)" = "$steps" ] || fail "not one commit a step"
[ "$(git log --format=%b main..HEAD | grep -c '^Plan-Step: ')" = "$steps" ] || fail "a commit does not name its step"
[ -z "$(git status --porcelain)" ] || fail "the tree is not clean"
if [ "$jobs" = 1 ]; then
	git plan log builder | grep -q 'failed' || fail "the first session's slip was not seen"
else
	grep -q 'func characters' diffmatchpatch/*ed.go && grep -q 'func [a-z]*edCharacters' diffmatchpatch/*ed.go || fail "nobody saw what fails only together"
fi
for commit in $(git rev-list --reverse main..HEAD); do
	git checkout --quiet "$commit"
	go test -count=1 ./... >/dev/null || fail "the module's tests fail at $commit"
	git log -1 --format='%h %s: the module'"'"'s own tests pass'
done
git fsck --strict >/dev/null 2>&1 || fail "git fsck finds something"
echo "real: $steps steps, $steps commits, each proved by the module's own tests"
