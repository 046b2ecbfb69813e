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

// limit is how long the gate may take: hosts drop connections that are silent for some minutes.
const limit = 60 * time.Second

// Gate decides whether a push goes through (pre-push in githooks(5)). It only reads.
type Gate struct {
	Checkout *checkout.Checkout // need not be loaded
	Limit    time.Duration      // 0: a minute
	Commits  int                // how many of a ref are checked one by one; 0: maxCommits
	First    bool               // nothing has read standard input before, so no line of git's is a push of nothing
}

// PrePush judges a push to a remote, with the hook's two arguments. An error in the gate itself, or a timeout,
// stops it in every mode but off, since unsearched commits may hold a secret. The only error is the context's.
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
	if !g.First { // all is up to date only if the remote is known to have HEAD, all branches and tags
		m, err := p.readMissing(ctx, []string{"HEAD"}, nil,
			append([]string{"--max-count=1", "--branches", "--tags"}, p.tracked()...)...)
		if err != nil || len(m.parents) > 0 {
			d.Stop = mode == block
			d.say("git named nothing to push here, so nothing was checked: either all of it is up to date, or another hook read its standard input before; have that one pass it on (gitplan-hooks(7))")
		}
	}
	return p.closed(d), nil
}

// judgeAll judges one ref after another. What was found before the time was up counts.
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
		case context.DeadlineExceeded: // an error of the git that was stopped says nothing
			var late []string
			for _, one := range p.all[at:] {
				late = append(late, shown(secret.Mask(one.RemoteRef)))
			}
			d.say("not checked, because time ran out: %s; push its older commits first, such as: %s",
				printable(strings.Join(late, ", ")), p.push(p.all[at], shown(p.all[at].LocalRef)+"~1000"))
			d.Stop = true // in every mode, as a secret would
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

// push returns the command that pushes a commit to where one goes.
func (p *pushCheck) push(one Push, commit string) string {
	return "git push " + visible.Shell(cmp.Or(p.remote, "REMOTE")) + " " + visible.Shell(secret.Mask(commit+":"+one.RemoteRef))
}

func (p *pushCheck) closed(d Decision) Decision {
	if d.Stop {
		how := "; git push --no-verify bypasses this"
		if d.secret { // the first to read this may be an agent
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
		if len(p.Checkout.Config.Names("remote", "promisor")) > 0 { // a partial clone: hooks do not use the network
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
			if all && doc != nil { // a partial push says nothing of the plan
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

// maxTracked is how many refs a push may have for refs/remotes to be believed of the others.
const maxTracked = 500

type pushCheck struct {
	*Gate
	remote  string
	named   bool // remote is the name of the remote that is pushed to, so refs/remotes says what it has
	mode    string
	all     []Push
	lacks   *missingCommits // nil: not read yet
	history *rules.History
}

// Push is one ref of a push, as git writes it to a pre-push hook.
type Push struct {
	LocalRef  string // what the person typed, or its full name: refs/heads/x, HEAD, an oid, (delete)
	LocalOID  string // zeros: the ref is to be deleted
	RemoteRef string
	RemoteOID string // what the remote has; zeros: the ref is new there
}

func (p Push) Deletes() bool { return !rules.IsObject(p.LocalOID) }
func (p Push) New() bool     { return !rules.IsObject(p.RemoteOID) }

// Work reports whether the push brings work: to a branch, or to a ref such as Gerrit's refs/for/main.
func (p Push) Work() bool {
	return !slices.ContainsFunc(noWork, func(prefix string) bool { return strings.HasPrefix(p.RemoteRef, prefix) })
}

// noWork are the prefixes of refs other than branches that git itself uses.
var noWork = []string{"refs/tags/", "refs/notes/", "refs/stash", "refs/remotes/", "refs/replace/",
	"refs/original/", "refs/bisect/"}

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
		if line = strings.TrimSuffix(line, "\n"); line == "" { // a hook that passes on what it read may add one
			continue
		}
		m := pushLine.FindStringSubmatch(line)
		if m == nil {
			return nil,
				fmt.Errorf("%q is not a line that git writes for pre-push: <local ref> <local oid> <remote ref> <remote oid>", line)
		}
		out = append(out, Push{m[1], m[2], m[3], m[4]})
	}
	return out, nil
}

// refuseAttempts refuses to push sessions' unfinished work, and copies of files that no commit has, by whatever name.
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

// isWork reports whether what a ref brings needs a review, whatever the ref is called. Notes and plans need none,
// and what a branch brings in the same push is judged there.
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
