package hooks

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers/rules"
	"github.com/git-plan/git-plan/reviewers/secret"
)

// Push is one ref of a push, as git writes it to a pre-push hook.
type Push struct {
	LocalRef  string // what the person typed, or its full name: refs/heads/x, HEAD, an oid, (delete)
	LocalOID  string // zeros: the ref is to be deleted
	RemoteRef string
	RemoteOID string // what the remote has; zeros: the ref is new there
}

func (p Push) Deletes() bool { return zeros(p.LocalOID) }
func (p Push) New() bool     { return zeros(p.RemoteOID) }

// Branch returns the short name of the branch at the remote; ok is false if the ref is not a branch.
func (p Push) Branch() (name string, ok bool) { return strings.CutPrefix(p.RemoteRef, "refs/heads/") }

// Work reports whether the push brings work: to a branch, or to a ref such as Gerrit's refs/for/main.
func (p Push) Work() bool {
	return !slices.ContainsFunc(noWork, func(prefix string) bool { return strings.HasPrefix(p.RemoteRef, prefix) })
}

// noWork are the prefixes of refs other than branches that git itself uses.
var noWork = []string{"refs/tags/", "refs/notes/", "refs/stash", "refs/remotes/", "refs/replace/", "refs/original/", "refs/bisect/"}

func zeros(oid string) bool { return strings.Trim(oid, "0") == "" }

// pushLine is read from the right: only the local ref may have blanks in it, as in HEAD^{/some words}.
var pushLine = visible.NewPattern(`^(.*) ([0-9a-f]{40}|[0-9a-f]{64}) ([^ ]+) ([0-9a-f]{40}|[0-9a-f]{64})$`)

// ParsePush reads git's lines for a pre-push hook: none if everything is up to date.
func ParsePush(stdin io.Reader) ([]Push, error) {
	data, err := io.ReadAll(stdin)
	if err != nil {
		return nil, fmt.Errorf("standard input of pre-push: %w", err)
	}
	var out []Push
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSuffix(line, "\n"); line == "" {
			continue
		}
		m := pushLine.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("%q is not a line that git writes for pre-push: <local ref> <local oid> <remote ref> <remote oid>", line)
		}
		out = append(out, Push{m[1], m[2], m[3], m[4]})
	}
	return out, nil
}

// attempts is where sessions' unfinished work is kept: no check has passed it, and it has not been reviewed.
const attempts = "refs/plan-attempts/"

var ofPlans = []string{"refs/plans/", "refs/plan-remotes/"}

// refuseAttempts refuses to push what sessions left unfinished.
func (p *pushCheck) refuseAttempts(d *Decision) {
	kept := func(one Push) bool { return strings.HasPrefix(one.RemoteRef, attempts) && !one.Deletes() }
	if i := slices.IndexFunc(p.all, kept); i >= 0 {
		d.Stop = true
		d.say("%s: a session left this unfinished and nothing has checked it, so it stays here", printable(secret.Mask(p.all[i].RemoteRef)))
		d.say("git push --all and git push --tags leave it here; git push --no-verify sends it")
	}
	p.all = slices.DeleteFunc(slices.Clone(p.all), kept)
}

// nameOf returns the name of a ref in messages. A name that holds a secret stops the push.
func nameOf(ref string, d *Decision) string {
	name := printable(strings.TrimPrefix(secret.Mask(ref), "refs/heads/"))
	for _, h := range rules.InRef(ref) {
		d.Stop = true
		d.say("%s: %s", name, h)
	}
	return name
}

// isWork reports whether what a ref brings needs a review, whatever the ref is called. Notes and plans need none,
// and what a branch brings in the same push is judged there.
func (p *pushCheck) isWork(ctx context.Context, one Push, r *pushRange) bool {
	has := func(prefix string) bool { return strings.HasPrefix(one.RemoteRef, prefix) }
	switch {
	case slices.ContainsFunc(ofPlans, has):
		return slices.ContainsFunc(r.commits, func(c git.Commit) bool { return !p.Checkout.Store.IsPlanCommit(ctx, c.OID) })
	case one.Work():
		return true
	case len(r.commits) == 0, slices.ContainsFunc(p.all, func(other Push) bool { return other.Work() && other.LocalOID == r.head.OID }):
		return false
	case r.work != "" || !has("refs/notes/"):
		return true
	}
	return slices.ContainsFunc(r.commits, func(c git.Commit) bool { return !p.isNotes(ctx, c.OID) })
}

// isNotes reports whether a commit is one of git notes, whose files are named after objects.
func (p *pushCheck) isNotes(ctx context.Context, commit string) bool {
	paths, err := p.Checkout.Repo.Paths(ctx, commit)
	return err == nil && !slices.ContainsFunc(paths, func(path string) bool {
		name := strings.ReplaceAll(path, "/", "")
		return len(name) != len(commit) || strings.Trim(name, "0123456789abcdef") != ""
	})
}
