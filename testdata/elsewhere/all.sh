#!/bin/sh
# all.sh [ENGINE...]: sessions run by workers, through real engines (ssh slurm podman docker), which it installs, as root.
set -u
cd "$(dirname "$0")/../.."
go build -o testdata/elsewhere/git-plan ./cmd/git-plan && go test -c -vet=off -o testdata/elsewhere/stories ./cmd/git-plan || exit
testdata/elsewhere/engines.sh testdata/elsewhere/git-plan "$PWD/testdata/elsewhere/stories" "$@"
code=$?
rm -f testdata/elsewhere/git-plan testdata/elsewhere/stories
exit $code
