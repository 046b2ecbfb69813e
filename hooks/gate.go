package hooks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/rules"
	"github.com/git-plan/git-plan/reviewers/secret"
)

// EnvHooks switches the hooks off for one command: GIT_PLAN_HOOKS=0 git push.
const EnvHooks = "GIT_PLAN_HOOKS"

// limit is the maximum time of the gate: hosts drop connections that are silent for some minutes.
const limit = 60 * time.Second

// Gate decides whether a push goes through (pre-push in githooks(5)). It only reads.
type Gate struct {
	Checkout *checkout.Checkout // need not be loaded
	Limit    time.Duration      // the maximum time; 0: a minute
	Commits  int                // the maximum number of commits of a ref that are checked one by one; 0: maxCommits
	First    bool               // no other hook has read standard input, so that empty input means that nothing is pushed
}

// PrePush judges a push to a remote, with the hook's two arguments. A failure of the gate itself, or a timeout, stops
// the push in every mode but off, since unsearched commits may hold a secret. The error is only the context's.
func (g *Gate) PrePush(ctx context.Context, remote, url string, pushes []Push) (Decision, error) {
	var d Decision
	mode, wrong := g.Checkout.Config.Word("plan.prePush")
	switch {
	case os.Getenv(proc.EnvDepth) != "":
		d.Stop = true
		d.say("sessions do not push: this is one (%s is set)", proc.EnvDepth)
		return d, nil
	case mode == off:
		return d, nil
	}
	if wrong != nil {
		d.say("%s; using %s instead", printable(wrong.Error()), mode)
	}
	if bar, wrong := reviewers.BlockOn(g.Checkout); wrong != nil {
		d.say("%s; using %s instead", printable(wrong.Error()), bar)
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(g.Limit, limit))
	defer cancel()
	p := &pushCheck{Gate: g, remote: remote, mode: mode, all: pushes}
	p.named = p.isFetched(ctx, url) && !p.shared() && len(pushes) <= maxTracked
	if len(pushes) > 0 {
		p.refuseAttempts(&d)
		p.history = rules.NewHistory(p.Checkout.Repo)
		return p.judgeAll(ctx, d)
	}
	if !g.First { // that nothing is pushed is credible only if the remote is known to have HEAD, all branches and tags
		m, err := p.readMissing(ctx, []string{"HEAD"}, nil,
			append([]string{"--max-count=1", "--branches", "--tags"}, p.tracked()...)...)
		if err != nil || len(m.parents) > 0 {
			d.Stop = mode == block
			d.say("git named nothing to push here, so nothing was checked: either all of it is up to date, or another hook read its standard input before; have that one pass it on (gitplan-hooks(7))")
		}
	}
	return p.closed(d), nil
}

// judgeAll judges one ref after another. After a timeout the results so far count.
func (p *pushCheck) judgeAll(ctx context.Context, d Decision) (Decision, error) {
	judged := make(chan Decision, len(p.all))
	go func() {
		for _, one := range p.all {
			judged <- p.judge(ctx, one)
		}
	}()
	for at := range p.all {
		var one Decision
		select {
		case <-ctx.Done():
		case one = <-judged:
		}
		switch ctx.Err() {
		case context.DeadlineExceeded: // the result of this ref may be an error of the stopped git
			var unchecked []string
			for _, one := range p.all[at:] {
				unchecked = append(unchecked, shown(secret.Mask(one.RemoteRef)))
			}
			d.say("not checked, because time ran out: %s; push its older commits first, such as: %s",
				printable(strings.Join(unchecked, ", ")), p.push(p.all[at], shown(p.all[at].LocalRef)+"~1000"))
			d.Stop = true // in every mode, since there may be a secret
			return p.closed(d), nil
		case context.Canceled:
			return Decision{Stop: true}, context.Cause(ctx)
		}
		d.add(one)
	}
	return p.closed(d), nil
}

// shown returns the name of a ref as a person types it.
func shown(ref string) string { return strings.TrimPrefix(ref, "refs/heads/") }

// push returns the command that pushes a commit to the remote ref of one.
func (p *pushCheck) push(one Push, commit string) string {
	return "git push " + visible.Shell(cmp.Or(p.remote, "REMOTE")) + " " + visible.Shell(secret.Mask(commit+":"+one.RemoteRef))
}

// closed adds the last line of a decision that stops the push.
func (p *pushCheck) closed(d Decision) Decision {
	if d.Stop {
		how := "; git push --no-verify bypasses this"
		if d.secret { // an agent that reads this must not be told to bypass the gate
			how = ": revoke the secret, and take it out of these commits (git rebase -i); if it is not a secret: git plan review --no-fix, then git plan dismiss"
		}
		d.say("the push is stopped%s", how)
	}
	return d
}

func (p *pushCheck) judge(ctx context.Context, one Push) Decision {
	var d Decision
	if one.Deletes() {
		return d
	}
	name := printable(shown(secret.Mask(one.RemoteRef)))
	found := rules.InRef(one.RemoteRef)
	d.Stop = len(found) > 0
	d.list(name, found)
	if err := p.judgeRef(ctx, one, name, &d); err != nil {
		d.Stop = true
		next := "git plan doctor"
		if len(p.Checkout.Config.Git.Subsections("remote", "promisor")) > 0 { // a partial clone: hooks do not use the network
			next = "git log -p -m " + visible.Shell(shown(one.LocalRef)) + " --not --remotes=" + visible.Shell(p.remote) +
				" >/dev/null (it fetches what is missing)"
		}
		d.say("%s: could not be checked: %s; %s", name, printable(err.Error()), next)
	}
	return d
}

func (p *pushCheck) judgeRef(ctx context.Context, one Push, name string, d *Decision) error {
	var doc *journal.Document
	var last *ledger.Ledger
	var dismissed ledger.Dismissals
	if one.Work() {
		if branch, all, ok := p.localBranch(ctx, one); ok {
			doc = p.planOf(ctx, branch, name, d)
			dismissed = reviewers.Dismissed(p.Checkout, doc, branch)
			last = p.lastReview(ctx, doc, branch, one.LocalOID)
			if all && doc != nil { // the push of an older commit needs no advice
				d.add(adviseByPlan(p.planFacts(ctx, one, doc, last, name)))
			}
		}
	}
	p.stopByTags(ctx, one.LocalOID, name, d)
	base, err := p.workBase(ctx, doc)
	if err != nil {
		return err
	}
	r, err := p.rangeOf(ctx, one, base, name, d)
	if errors.Is(err, git.ErrMissing) {
		d.Stop = true
		d.say("%s: it names no commit, so nothing here can check what it brings", name)
		return nil
	}
	if err != nil {
		return err
	}
	if r.base != "" && len(r.diff.Files) == 0 && len(r.commits) == 0 { // nothing is pushed
		p.reportUnseen(ctx, one, r.head.OID, name, d)
		return nil
	}
	if r.isWork = p.isWork(ctx, one, r); r.isWork {
		facts := p.reviewFacts(ctx, doc, last, r, name)
		r.passed = facts.passes()
		d.add(decideByReview(facts))
	}
	if r.rest != "" {
		d.Stop = true
		d.say("%s: only the newest %d of its commits were checked one by one; push the older ones first: %s", name,
			len(r.commits), p.push(one, r.rest))
	}
	return p.stopByRules(ctx, r, name, dismissed, d)
}

const off, block = "off", "block"

// maxTracked is the maximum number of pushed refs for which tracked makes options; with more, refs/remotes is not used.
const maxTracked = 500

// pushCheck is one run of the gate.
type pushCheck struct {
	*Gate
	remote  string
	named   bool            // remote is a name, and refs/remotes/<remote> describes the repository that is pushed to
	mode    string          // plan.prePush
	all     []Push          // all pushed refs
	lacks   *missingCommits // the commits that the remote lacks; nil until missing reads them
	history *rules.History
}

// Push is one ref of a push, as git writes it to a pre-push hook.
type Push struct {
	LocalRef  string // the source as the person typed it, or its full name: refs/heads/x, HEAD, an object ID, (delete)
	LocalOID  string // the pushed object; zeros to delete the remote ref
	RemoteRef string
	RemoteOID string // the remote's present object; zeros if the ref is new
}

func (p Push) Deletes() bool { return !rules.IsObject(p.LocalOID) }
func (p Push) New() bool     { return !rules.IsObject(p.RemoteOID) }

// Work reports whether the push goes to a branch, or to a ref for branches such as Gerrit's refs/for/main.
func (p Push) Work() bool {
	return !slices.ContainsFunc(noWork, func(prefix string) bool { return strings.HasPrefix(p.RemoteRef, prefix) })
}

// noWork has the prefixes of git's own refs other than branches.
var noWork = []string{"refs/tags/", "refs/notes/", "refs/stash", "refs/remotes/", "refs/replace/",
	"refs/original/", "refs/bisect/"}

// pushLine matches a line of pre-push. Only the local ref may have spaces, as in HEAD^{/some words}.
var pushLine = visible.NewPattern(`^(.*) ([0-9a-f]{40}|[0-9a-f]{64}) ([^ ]+) ([0-9a-f]{40}|[0-9a-f]{64})$`)

// ParsePush reads git's lines for a pre-push hook; there are none if everything is up to date.
func ParsePush(stdin io.Reader) ([]Push, error) {
	data, err := io.ReadAll(stdin)
	if err != nil {
		return nil, fmt.Errorf("standard input of pre-push: %w", err)
	}
	var out []Push
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSuffix(line, "\n"); line == "" { // another hook that passes on the lines may add an empty one
			continue
		}
		m := pushLine().FindStringSubmatch(line)
		if m == nil {
			return nil,
				fmt.Errorf("%q is not a line that git writes for pre-push: <local ref> <local oid> <remote ref> <remote oid>", line)
		}
		out = append(out, Push{m[1], m[2], m[3], m[4]})
	}
	return out, nil
}

// refuseAttempts stops the push of kept attempts and of a task's refs, under any name, and removes them from p.all.
func (p *pushCheck) refuseAttempts(d *Decision) {
	kept := func(one Push) bool {
		is := func(prefix string) bool {
			return strings.HasPrefix(one.RemoteRef, prefix) || strings.HasPrefix(one.LocalRef, prefix)
		}
		return !one.Deletes() && (is(journal.AttemptPrefix) || is(checkout.TaskRefs))
	}
	if i := slices.IndexFunc(p.all, kept); i >= 0 {
		d.Stop = true
		d.say("%s: a session left this unfinished and nothing has checked it, so it stays here",
			printable(secret.Mask(p.all[i].RemoteRef)))
		d.say("git push --all and git push --tags leave it here; git push --no-verify sends it")
	}
	p.all = slices.DeleteFunc(slices.Clone(p.all), kept)
}

// isWork reports whether the commits of a ref need a review, whatever the ref's name. Notes and plans need none, nor do
// commits that a branch brings in the same push.
func (p *pushCheck) isWork(ctx context.Context, one Push, r *pushRange) bool {
	has := func(prefix string) bool { return strings.HasPrefix(one.RemoteRef, prefix) }
	switch {
	case has("refs/plans/"), has("refs/plan-remotes/"):
		return slices.ContainsFunc(r.commits, func(c git.Commit) bool { return !p.Checkout.Store.IsPlanCommit(ctx, c.OID) })
	case one.Work():
		return true
	case len(r.commits) == 0,
		slices.ContainsFunc(p.all, func(other Push) bool { return other.Work() && other.LocalOID == r.head.OID }):
		return false
	case r.work != "" || !has("refs/notes/"):
		return true
	}
	return slices.ContainsFunc(r.commits, func(c git.Commit) bool {
		paths, err := p.Checkout.Repo.Paths(ctx, c.OID) // those of git notes are named after objects
		return err != nil || slices.ContainsFunc(paths, func(path string) bool {
			name := strings.ReplaceAll(path, "/", "")
			return len(name) != len(c.OID) || strings.Trim(name, "0123456789abcdef") != ""
		})
	})
}
