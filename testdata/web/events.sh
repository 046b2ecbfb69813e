#!/bin/sh
# events.sh N [TIMES]: adds N events of failed attempts to the plan of this repository, as fast as git reads
# them; repeated TIMES times, with a tenth of a second between. The reason of each contains its time.
set -eu
add() {
ref=$(git for-each-ref --format='%(refname)' refs/plans) tip=$(git rev-parse "$ref")
head=$(git rev-parse HEAD) now=$(git log -1 --format=%at "$ref")
awk -v n="$1" -v ref="$ref" -v tip="$tip" -v id="${ref#refs/plans/}" -v head="$head" -v now="$now" -v ms="$(date +%s%3N)" 'BEGIN {
	for (i = 0; i < n; i++) {
		step = "s" (int(i / 2) % 1000 + 1)
		body = "work 0/1000 step " step (i % 2 ? ": failed" : ": started") "\n\nPlan-Event: " (i % 2 ? "failed" : "started") "\nPlan-Step: " id "/" step "\nPlan-Head: " head "\nPlan-Attempt: 1\nPlan-By: agent\n"
		if (i % 2) body = body "Plan-Agent: fake\nPlan-Reason: written at " ms "\nPlan-Duration: 1s\n"
		printf "commit %s\ncommitter Someone <someone@example.com> %d +0000\ndata %d\n%s\n", ref, now + i, length(body), body
		if (!i) printf "from %s\n", tip
	}
}' | git fast-import --quiet --force
}
for _ in $(seq "${2:-1}"); do
	add "$1"
	[ -z "${2:-}" ] || sleep 0.1
done
