#!/bin/sh
# linters.sh: reviews by the real staticcheck, golangci-lint, eslint and shellcheck, as gitplan-review(7) sets
# them up; reviewdog and a validator of SARIF read what git plan writes. Needs npm, and root for apt-get.
set -eu
cd "$(dirname "$0")/../.."
# git ignores bin/, and Go ignores a folder with such a name: one of npm's packages contains Go code.
linters=$PWD/bin/_linters
mkdir -p "$linters"
for module in honnef.co/go/tools/cmd/staticcheck@v0.8.2 github.com/golangci/golangci-lint/v2/cmd/golangci-lint@latest github.com/reviewdog/reviewdog/cmd/reviewdog@v0.21.0; do
	program=${module%@*}
	[ -x "$linters/${program##*/}" ] || GOFLAGS= GOBIN="$linters" go install "$module"
done
npm install --silent --prefix "$linters" eslint@10 @microsoft/sarif-multitool@5
command -v shellcheck >/dev/null && command -v jq >/dev/null || apt-get install -qy shellcheck jq
LINTERS=1 npm_config_cache=$(npm config get cache) GOPATH=$(go env GOPATH) GOCACHE=$(go env GOCACHE) \
	PATH="$linters:$linters/node_modules/.bin:$PATH" go test -vet=off -count=1 -timeout 20m -v -run TestLinters ./cmd/git-plan
