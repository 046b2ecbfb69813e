#!/bin/sh
# packaging/texts.sh FOLDER VERSION DATE: the manual pages and completions of a release, in FOLDER;
# man.gz has the pages as distributions install them. The same commit gives the same bytes.
set -eu
folder=$1 version=$2 day=${3%%T*}
rm -rf "$folder"
mkdir -p "$folder/man" "$folder/man.gz" "$folder/completions"
CGO_ENABLED=0 go build -tags urfave_cli_no_docs,manual -trimpath -ldflags "-X main.version=$version -X main.day=$day" -o "$folder/git-plan" ./cmd/git-plan
"$folder/git-plan" man --install "$folder/man"
for shell in bash zsh fish; do
	"$folder/git-plan" completion "$shell" >"$folder/completions/git-plan.$shell"
done
rm "$folder/git-plan"
(cd "$folder/man" && find . -type f) | while read -r page; do
	mkdir -p "$(dirname "$folder/man.gz/$page")"
	gzip -9n <"$folder/man/$page" >"$folder/man.gz/$page.gz"
done
