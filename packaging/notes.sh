#!/bin/sh
# packaging/notes.sh VERSION: what CHANGELOG.md says of a version, for the page of its release.
set -eu
notes=$(awk -v heading="## [${1#v}]" 'index($0, heading) == 1 { on = 1; next } /^## \[|^\[[^]]*\]: / { on = 0 } on' "$(dirname "$0")/../CHANGELOG.md")
[ -n "$notes" ] || { echo "CHANGELOG.md has no section [${1#v}]" >&2; exit 1; }
printf '%s\n' "$notes"
