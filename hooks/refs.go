package hooks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/reviewers/rules"
	"github.com/git-plan/git-plan/reviewers/secret"
)

// attempts is where sessions' unfinished work is kept: no check has passed it, and nobody has read it.
const attempts = "refs/plan-attempts/"

// ofPlans are the prefixes of refs under which this program keeps plans.
var ofPlans = []string{"refs/plans/", "refs/plan-remotes/"}

// refuseAttempts refuses to push what sessions left unfinished.
func (p *pushing) refuseAttempts(d *Decision) {
	rest := slices.DeleteFunc(slices.Clone(p.all), func(one Push) bool {
		return strings.HasPrefix(one.RemoteRef, attempts) && !one.Deletes()
	})
	n := len(p.all) - len(rest)
	for _, one := range p.all {
		if n > 0 && strings.HasPrefix(one.RemoteRef, attempts) && !one.Deletes() {
			more := ""
			if n > 1 {
				more = fmt.Sprintf(" and %d more", n-1)
			}
			d.Stop = true
			d.say("%s%s: a session left this unfinished and nobody has checked it, so it stays here", printable(secret.Mask(one.RemoteRef)), more)
			d.say("git push --all and git push --tags leave it here; git push --no-verify sends it")
			break
		}
	}
	p.all = rest
}

// nameOf returns the name by which messages call a ref. A name that holds a secret stops
// the push.
func nameOf(ref string, d *Decision) string {
	name := printable(strings.TrimPrefix(secret.Mask(ref), "refs/heads/"))
	for _, h := range rules.InRef(ref) {
		d.Stop = true
		d.say("%s: %s", name, inLine(h))
	}
	return name
}

// isWork reports whether what a ref brings needs a review, whatever the ref is called and
// wherever its history begins. Notes and plans need none. What a branch brings in the same push
// is judged there.
func (p *pushing) isWork(ctx context.Context, one Push, r *reach) bool {
	has := func(prefix string) bool { return strings.HasPrefix(one.RemoteRef, prefix) }
	switch {
	case slices.ContainsFunc(ofPlans, has):
		return slices.ContainsFunc(r.commits, func(c git.Commit) bool { return !p.Checkout.Store.IsPlans(ctx, c.OID) })
	case one.Work():
		return true
	case len(r.commits) == 0, slices.ContainsFunc(p.all, func(other Push) bool { return other.Work() && other.LocalOID == r.head.OID }):
		return false
	case r.work != "" || !has("refs/notes/"):
		return true
	}
	return slices.ContainsFunc(r.commits, func(c git.Commit) bool { return !p.isNotes(ctx, c.OID) })
}
