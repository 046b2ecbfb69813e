#!/bin/sh
# packaging/deb.sh FILE.deb: installs the package (as root), tries what it brought, and removes
# it again: then nothing of it may be left.
set -eu
dpkg -i "$1"
git plan version
PAGER=cat MANPAGER=cat man git-plan | grep -q 'EXAMPLES'
man -w gitplan-tutorial git-plan-run gitplan-format >/dev/null
bash -c '. /usr/share/bash-completion/completions/git-plan && declare -F _git_plan >/dev/null'
for file in /usr/share/zsh/vendor-completions/_git-plan /usr/share/fish/vendor_completions.d/git-plan.fish; do test -s "$file"; done
sh "$(dirname "$0")/smoke.sh"
files=$(dpkg -L git-plan)
dpkg -P git-plan
for file in $files; do
	[ ! -f "$file" ] || { echo "$file is left" >&2; exit 1; }
done
! command -v git-plan || { echo "git-plan is still on PATH" >&2; exit 1; }
