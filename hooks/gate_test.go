package hooks_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/hooks"
	"github.com/git-plan/git-plan/reviewers"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/panel"
	"github.com/git-plan/git-plan/testdata/hooked"
	"github.com/git-plan/git-plan/testdata/race"
)

// project is a repository whose main is pushed, with a branch feature of one commit, checked out.
func project(t *testing.T) bench {
	t.Helper()
	b := bench{hooked.NewBench(t)}
	hooked.Write(t, b.Hook(), hooked.Keeps, 0o755)
	hooked.Git(t, b.Repo, "push", "--quiet", "origin", "main")
	hooked.Git(t, b.Repo, "switch", "--quiet", "-c", "feature")
	hooked.Commit(t, b.Repo, "a.txt", "one\n", "Add a")
	t.Chdir(b.Repo)
	return b
}

// push asks git what `git push args` would push, and passes that to the gate.
func (b bench) push(t *testing.T, args ...string) hooks.Decision {
	t.Helper()
	remote, pushes := b.said(t, args...)
	return b.judge(t, hooks.Gate{}, remote, pushes)
}

func (b bench) said(t *testing.T, args ...string) (remote []string, pushes []hooks.Push) {
	t.Helper()
	e := hooked.Run(t, b.Repo, "", "git", append([]string{"push", "--dry-run", "--quiet"}, args...)...)
	if e.Code != 0 {
		t.Fatalf("git push --dry-run: %s", e.Stderr)
	}
	pushes, err := hooks.ParsePush(strings.NewReader(b.Saw(t, "theirs.stdin")))
	hooked.Must(t, err)
	return strings.Split(strings.TrimSpace(b.Saw(t, "theirs.args")), "\n"), pushes
}

func (b bench) judge(t *testing.T, g hooks.Gate, remote []string, pushes []hooks.Push) hooks.Decision {
	t.Helper()
	c, err := checkout.Open(context.Background())
	hooked.Must(t, err)
	defer c.Close()
	g.Checkout = c
	d, err := g.PrePush(context.Background(), remote[0], remote[1], pushes)
	hooked.Must(t, err)
	for _, l := range d.Lines {
		if strings.ContainsAny(l, "\n\x1b\u202e") {
			t.Errorf("a line that a terminal would obey: %q", l)
		}
	}
	return d
}

// goes checks that the push passes, and what is printed, in any order.
func goes(t *testing.T, d hooks.Decision, parts ...string) {
	t.Helper()
	said(t, d, false, parts...)
}

// stops checks that the push is stopped, and that the bypass is named.
func stops(t *testing.T, d hooks.Decision, parts ...string) {
	t.Helper()
	said(t, d, true, append(parts, "the push is stopped")...)
}

// said expects each line to contain its part, and no other lines.
func said(t *testing.T, d hooks.Decision, stop bool, parts ...string) {
	t.Helper()
	all := strings.Join(d.Lines, "\n")
	hooked.Contains(t, all, parts...)
	if d.Stop != stop || len(d.Lines) != len(parts) {
		t.Errorf("stop %v, want %v, %d lines, want %d:\n%s", d.Stop, stop, len(d.Lines), len(parts), all)
	}
}

const unreviewed = "was not reviewed: git plan review"

// token has the form of a credential; it is assembled here so that this file contains none.
func token() string { return "ghp" + "_" + "4kT9wQz7Lm2Xv8Rb" + "1Nc6Hy3Jd5Gf0Ps4UaWe" }

const conflict = "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n"

func TestCleanPushPasses(t *testing.T) {
	b := project(t)
	goes(t, b.push(t, "origin", "feature"), "feature: this push "+unreviewed)
	goes(t, b.push(t, "origin", "HEAD:refs/heads/elsewhere"), "elsewhere: this push "+unreviewed)
	goes(t, b.push(t, "origin", "main:copy")) // pushes nothing new
	goes(t, b.push(t, b.Remote, "feature"), unreviewed)
}

func TestCertainFindingsStopThePush(t *testing.T) {
	b := project(t)
	hooked.Commit(t, b.Repo, "x\x1b[31m.go", conflict, "Merge")
	d := b.push(t, "origin", "feature")
	stops(t, d, unreviewed, ".go:1: unresolved merge conflict")

	hooked.Commit(t, b.Repo, "x\x1b[31m.go", "package x\n", "Fix")
	hooked.Commit(t, b.Repo, "config.js", "const t = \""+token()+"\"\n", "Configure")
	d = b.push(t, "origin", "feature")
	stops(t, d, unreviewed, "config.js:1: GitHub token")
	if strings.Contains(strings.Join(d.Lines, ""), token()) {
		t.Error("the secret is printed")
	}

	// Advice does not stop a push.
	hooked.Commit(t, b.Repo, "config.js", "console.log(1) // TODO\n", "fixup! Configure")
	d = b.push(t, "--force", "origin", "HEAD:again")
	hooked.Contains(t, strings.Join(d.Lines, "\n"), "is a fixup! commit")
}

// The difference does not show a secret that a later commit removed, but the remote would keep it for ever.
func TestSecretInTheHistoryStopsThePush(t *testing.T) {
	b := project(t)
	added := hooked.Commit(t, b.Repo, "config.js", token()+"\n", "Configure")
	hooked.Commit(t, b.Repo, "config.js", "none\n", "Remove the token")
	stops(t, b.push(t, "origin", "feature"), unreviewed, "config.js: GitHub token (ghp_… 40 characters), in commit "+added[:10])

	// Once it is on the remote it stops no later push.
	hooked.Git(t, b.Repo, "push", "--quiet", "--no-verify", "origin", "feature")
	hooked.Commit(t, b.Repo, "b.txt", "two\n", "Go on")
	hooked.Commit(t, b.Repo, "c.txt", "three\n", "Go on")
	goes(t, b.push(t, "origin", "feature"), unreviewed)
}

// However old a commit is, and however many parents it has.
func TestSecretInOldCommitsOrAMergeStopsThePush(t *testing.T) {
	race.Skip(t)
	b := project(t)
	added := hooked.Commit(t, b.Repo, "config.js", token()+"\n", "Configure")
	hooked.Git(t, b.Repo, "rm", "--quiet", "config.js")
	for range 250 {
		hooked.Git(t, b.Repo, "commit", "--quiet", "--allow-empty", "-m", "Go on")
	}
	stops(t, b.push(t, "origin", "feature"), unreviewed, "config.js: GitHub token (ghp_… 40 characters), in commit "+added[:10])

	for name, content := range map[string]string{"text": token() + "\n", "binary": "\x00\x01" + token()} {
		hooked.Git(t, b.Repo, "switch", "--quiet", "-c", name, "main")
		hooked.Commit(t, b.Repo, "a.txt", "ours\n", "Ours")
		hooked.Git(t, b.Repo, "switch", "--quiet", "-c", "with-"+name, "main")
		hooked.Commit(t, b.Repo, "b.txt", "theirs\n", "Theirs")
		hooked.Git(t, b.Repo, "merge", "--quiet", "--no-commit", name)
		merge := hooked.Commit(t, b.Repo, "x.js", content, "Merge")
		hooked.Git(t, b.Repo, "rm", "--quiet", "x.js")
		hooked.Git(t, b.Repo, "commit", "--quiet", "-m", "Take it back")
		stops(t, b.push(t, "origin", "with-"+name), unreviewed, "x.js: GitHub token (ghp_… 40 characters), in commit "+merge[:10])
	}

	// What any parent contained before is not the merge's.
	hooked.Git(t, b.Repo, "switch", "--quiet", "-c", "past", "main")
	hooked.Commit(t, b.Repo, "k.js", "one\n"+token()+"\n1\n2\n3\n4\n", "Configure")
	hooked.Git(t, b.Repo, "push", "--quiet", "--no-verify", "origin", "past")
	hooked.Git(t, b.Repo, "switch", "--quiet", "-c", "next")
	hooked.Commit(t, b.Repo, "k.js", "ours\n"+token()+"\n1\n2\n3\n4\n", "Ours")
	hooked.Git(t, b.Repo, "switch", "--quiet", "past")
	hooked.Commit(t, b.Repo, "k.js", "one\n"+token()+"\n1\n2\n3\ntheirs\n", "Theirs")
	hooked.Git(t, b.Repo, "merge", "--quiet", "--no-edit", "next")
	goes(t, b.push(t, "origin", "past"), unreviewed)
}

func TestForcedPushesAreComparedWithTheMergeBase(t *testing.T) {
	b := project(t)
	hooked.Commit(t, b.Repo, "config.js", token()+"\n", "Configure")
	hooked.Git(t, b.Repo, "push", "--quiet", "--no-verify", "origin", "feature")
	hooked.Git(t, b.Repo, "reset", "--quiet", "--hard", "HEAD~1")
	goes(t, b.push(t, "--force", "origin", "feature")) // removes commits, pushes nothing new
	hooked.Commit(t, b.Repo, "config.js", conflict, "Change the configuration")
	stops(t, b.push(t, "--force", "origin", "feature"), unreviewed, "config.js:1: unresolved merge conflict")
}

func TestRemoteWithUnknownCommits(t *testing.T) {
	b := project(t)
	other := b.Repo + "-other"
	hooked.Git(t, b.Repo, "push", "--quiet", "--no-verify", "origin", "feature")
	hooked.Git(t, b.Repo, "clone", "--quiet", b.Remote, other)
	hooked.Git(t, other, "switch", "--quiet", "feature")
	hooked.Commit(t, other, "theirs.txt", "theirs\n", "Theirs")
	hooked.Git(t, other, "push", "--quiet", "origin", "feature")
	hooked.Commit(t, b.Repo, "config.js", token()+"\n", "Configure")
	stops(t, b.push(t, "--force", "origin", "feature"), "what the remote has is not known here (git fetch)", unreviewed, "config.js:1: GitHub token")
}

func TestDeletionsTagsAndPlans(t *testing.T) {
	b := project(t)
	hooked.Git(t, b.Repo, "push", "--quiet", "--no-verify", "origin", "feature")
	goes(t, b.push(t, "origin", ":feature"))

	hooked.Commit(t, b.Repo, "config.js", token()+"\n", "Configure")
	hooked.Git(t, b.Repo, "tag", "-a", "-m", "v1", "v1")
	stops(t, b.push(t, "origin", "v1"), "refs/tags/v1: this push "+unreviewed, "refs/tags/v1: config.js:1: GitHub token")
	hooked.Git(t, b.Repo, "tag", "good", "HEAD~1")
	goes(t, b.push(t, "origin", "good")) // it is on the remote
	hooked.Git(t, b.Repo, "tag", "file", "HEAD:README.md")
	stops(t, b.push(t, "origin", "file"), "refs/tags/file: it names no commit")

	// All at once: the bad one is found among the others.
	stops(t, b.push(t, "origin", ":feature", "good", "main:copy", "feature:x"), "x: this push "+unreviewed, "x: config.js:1: GitHub token")
}

func TestSecretInATagMessageOrANoteStopsThePush(t *testing.T) {
	b := project(t)
	hooked.Git(t, b.Repo, "tag", "-a", "-m", "The first one", "good", "main")
	hooked.Git(t, b.Repo, "tag", "-a", "-m", "It runs with "+token(), "bad", "main")
	hooked.Git(t, b.Repo, "tag", "-a", "-m", "A tag of it", "worse", "bad")
	said := "holds a secret: GitHub token (ghp_… 40 characters)"
	goes(t, b.push(t, "origin", "good"))
	stops(t, b.push(t, "origin", "bad"), "refs/tags/bad: the message of tag "+hooked.Git(t, b.Repo, "rev-parse", "bad")[:10]+" "+said)
	stops(t, b.push(t, "origin", "worse"), "refs/tags/worse: the message of tag "+hooked.Git(t, b.Repo, "rev-parse", "bad")[:10]+" "+said)

	long := filepath.Join(t.TempDir(), "message")
	hooked.Write(t, long, strings.Repeat("and so on\n", 2<<20), 0o600)
	hooked.Git(t, b.Repo, "tag", "-a", "-F", long, "long", "main")
	stops(t, b.push(t, "origin", "long"), "refs/tags/long: its tag message is too large to be checked")

	hooked.Git(t, b.Repo, "config", "plan.prePush", "block")
	hooked.Git(t, b.Repo, "notes", "add", "-m", "Nothing to hide", "main")
	goes(t, b.push(t, "origin", "refs/notes/commits")) // a review does not cover notes
	hooked.Git(t, b.Repo, "notes", "add", "-m", "It runs with "+token())
	stops(t, b.push(t, "origin", "refs/notes/commits"), "refs/notes/commits: "+hooked.Git(t, b.Repo, "rev-parse", "HEAD")+":1: GitHub token")
	hooked.Git(t, b.Repo, "notes", "remove")
	stops(t, b.push(t, "origin", "refs/notes/commits"), "GitHub token (ghp_… 40 characters), in commit ")
}

// Hosts accept work through refs of their own. It still counts as the branch's work.
func TestWorkNeedsAVerdictUnderAnyRef(t *testing.T) {
	b := project(t)
	goes(t, b.push(t, "origin", "HEAD:refs/for/main"), "refs/for/main: this push "+unreviewed)
	hooked.Git(t, b.Repo, "config", "plan.prePush", "block")
	goes(t, b.push(t, "origin", "main:refs/for/main"), "none of it was checked, because refs/remotes/origin says")
	for _, ref := range []string{"refs/for/main%topic=a", "refs/changes/01/1/1", "refs/pull/1/head"} {
		stops(t, b.push(t, "origin", "feature:"+ref), ref+": no review has passed these commits")
	}

	// The branch's plan applies even if a commit was pushed by its id.
	doc := b.planned(t, "feature")
	b.verdict(t, "feature", doc.Plan, ledger.Clean)
	hooked.Git(t, b.Repo, "update-ref", "refs/plan-remotes/origin/"+doc.ID, "refs/plans/"+doc.ID)
	c, err := checkout.Open(context.Background())
	hooked.Must(t, err)
	defer c.Close()
	hooked.Must(t, integrity.Approve(c.Repo, doc.ID, doc.Plan.Source))
	const todo = "refs/for/main: its plan is not done: 0 of 2 done"
	goes(t, b.push(t, "origin", "HEAD:refs/for/main"), todo)
	goes(t, b.push(t, "origin", hooked.Git(t, b.Repo, "rev-parse", "HEAD")+":refs/for/main"), todo)
}

func TestFirstPushIsCheckedCompletely(t *testing.T) {
	b := project(t)
	hooked.Git(t, b.Repo, "switch", "--quiet", "main")
	hooked.Commit(t, b.Repo, "config.js", token()+"\n", "Configure")
	fresh := b.Repo + "-fresh.git"
	hooked.Git(t, b.Repo, "init", "--quiet", "--bare", fresh)
	hooked.Git(t, b.Repo, "remote", "add", "fresh", fresh)
	stops(t, b.push(t, "fresh", "main"), "was not reviewed: a first push has no base", "config.js:1: GitHub token")

	// A new branch includes its base's commits that the remote lacks, wherever it is pushed.
	hooked.Git(t, b.Repo, "switch", "--quiet", "-c", "next")
	hooked.Commit(t, b.Repo, "b.txt", "two\n", "Go on")
	for _, to := range []string{"origin", "fresh", fresh} {
		stops(t, b.push(t, to, "next"), unreviewed, "config.js:1: GitHub token")
	}
	b.verdict(t, "next", nil, ledger.Clean)
	hooked.Git(t, b.Repo, "config", "plan.prePush", "block")
	stops(t, b.push(t, "fresh", "next"), "its review passed, but commits of main that the remote lacks would be pushed too; first: git -c plan.prePush=warn push fresh main", "config.js:1: GitHub token")
	hooked.Git(t, b.Repo, "push", "--quiet", "--no-verify", "origin", "main")
	goes(t, b.push(t, fresh, "next")) // a published secret is not new there
}

func TestSHA256(t *testing.T) {
	b := bench{hooked.NewBench(t)}
	b.Repo, b.Remote = b.Repo+"-256", b.Remote+"-256"
	hooked.Git(t, b.Bin, "init", "--quiet", "--object-format=sha256", "--bare", b.Remote)
	hooked.Git(t, b.Bin, "init", "--quiet", "--object-format=sha256", b.Repo)
	hooked.Git(t, b.Repo, "remote", "add", "origin", b.Remote)
	hooked.Write(t, b.Hook(), hooked.Keeps, 0o755)
	hooked.Commit(t, b.Repo, "config.js", token()+"\n", "Begin")
	t.Chdir(b.Repo)
	stops(t, b.push(t, "origin", "main"), "was not reviewed: a first push has no base", "config.js:1: GitHub token")
}

func TestTheModesOfTheGate(t *testing.T) {
	b := project(t)
	hooked.Commit(t, b.Repo, "config.js", conflict, "Merge")
	hooked.Git(t, b.Repo, "config", "plan.prePush", "off")
	goes(t, b.push(t, "origin", "feature"))
	hooked.Git(t, b.Repo, "config", "plan.prePush", "Block")
	stops(t, b.push(t, "origin", "feature"), "no review has passed these commits, and plan.prePush is block: git plan review", "unresolved")
	hooked.Git(t, b.Repo, "config", "plan.prePush", "blokc")
	stops(t, b.push(t, "origin", "feature"), `plan.prePush is "blokc": it must be off, warn or block; using block instead`, "no review has passed these commits, and plan.prePush is block: git plan review", "unresolved")
	hooked.Git(t, b.Repo, "config", "plan.prePush", "warn")
	hooked.Git(t, b.Repo, "config", "plan.blockOn", "hihg")
	stops(t, b.push(t, "origin", "feature"), `plan.blockOn is "hihg": it must be critical, high, medium or low; using low instead`, unreviewed, "unresolved")
	hooked.Git(t, b.Repo, "config", "--unset", "plan.blockOn")

	hooked.Git(t, b.Repo, "config", "plan.prePush", "block")
	goes(t, b.push(t, "origin", ":main", "main:copy"))
	t.Setenv("GIT_PLAN_DEPTH", "1")
	hooked.Git(t, b.Repo, "config", "plan.prePush", "off")
	said(t, b.push(t, "origin", "main"), true, "sessions do not push")
}

// verdict records the result of a review of main..rev.
func (b bench) verdict(t *testing.T, rev string, p *plan.Plan, end ledger.End) {
	t.Helper()
	ctx := context.Background()
	c, err := checkout.Open(ctx)
	hooked.Must(t, err)
	defer c.Close()
	b.verdictOf(t, c, hooked.Git(t, b.Repo, "merge-base", "main", rev), rev, p, end)
}

// verdictFrom records that a review of base..rev passed.
func (b bench) verdictFrom(t *testing.T, base, rev string) {
	t.Helper()
	c, err := checkout.Open(context.Background())
	hooked.Must(t, err)
	defer c.Close()
	b.verdictOf(t, c, hooked.Git(t, b.Repo, "rev-parse", base), rev, nil, ledger.Clean)
}

func (b bench) verdictOf(t *testing.T, c *checkout.Checkout, base, rev string, p *plan.Plan, end ledger.End) {
	t.Helper()
	ctx := context.Background()
	all, err := reviewers.Configured(ctx, c, base, nil, nil)
	hooked.Must(t, err)
	j := ledger.Judgeable{
		BaseTree: hooked.Git(t, b.Repo, "rev-parse", base+"^{tree}"), HeadTree: hooked.Git(t, b.Repo, "rev-parse", rev+"^{tree}"),
		Reviewers: panel.Digest(all), BlockOn: finding.High,
	}
	if p != nil {
		j.Meaning = p.Digest()
	}
	hooked.Must(t, ledger.SaveVerdict(integrity.VerdictDir(c.Repo), j, &ledger.Verdict{Schema: 1, End: end}))
}

func TestVerdictForTheSameTreesPasses(t *testing.T) {
	b := project(t)
	hooked.Git(t, b.Repo, "config", "plan.prePush", "block")
	hooked.Commit(t, b.Repo, "b.txt", "two\n", "Go on")
	stops(t, b.push(t, "origin", "feature"), "no review has passed")
	for _, end := range []ledger.End{ledger.Clean, ledger.Notes, ledger.Explained} {
		b.verdict(t, "feature", nil, end)
		goes(t, b.push(t, "origin", "feature"))
	}
	// Other commits with the same trees keep the verdict, another tree does not.
	hooked.Git(t, b.Repo, "commit", "--quiet", "--amend", "-m", "Go on, said better")
	goes(t, b.push(t, "origin", "feature"))
	hooked.Commit(t, b.Repo, "c.txt", "three\n", "And on")
	stops(t, b.push(t, "origin", "feature"), "no review has passed")

	// A later push contains part of what was reviewed.
	b.verdict(t, "feature", nil, ledger.Clean)
	hooked.Git(t, b.Repo, "push", "--quiet", "--no-verify", "origin", "feature~1:refs/heads/feature")
	goes(t, b.push(t, "origin", "feature"))

	b.verdict(t, "feature", nil, ledger.Found)
	stops(t, b.push(t, "origin", "feature"), "no review has passed")
	hooked.Git(t, b.Repo, "config", "plan.prePush", "warn")
	goes(t, b.push(t, "origin", "feature"), `its review ended with "findings", which alone does not stop the push (plan.prePush is warn): git plan show --review`)
}

// A copy of the branch passed its review; findings of this branch's own review of the same files still block.
func TestFindingsOfTheBranchsOwnReviewBlock(t *testing.T) {
	b := project(t)
	hooked.Git(t, b.Repo, "config", "plan.prePush", "block")
	hooked.Git(t, b.Repo, "branch", "copy")
	b.found(t, "feature")
	b.verdict(t, "copy", nil, ledger.Clean)
	stops(t, b.push(t, "origin", "feature"), "feature: no review has passed these commits (blocking findings: 1), and plan.prePush is block")
	goes(t, b.push(t, "origin", "copy"))
	hooked.Git(t, b.Repo, "config", "plan.prePush", "warn")
	goes(t, b.push(t, "origin", "feature"), "feature: no review has passed these commits (blocking findings: 1): git plan show --review")

	// They do not apply to other files.
	hooked.Git(t, b.Repo, "config", "plan.prePush", "block")
	hooked.Commit(t, b.Repo, "a.txt", "fixed\n", "Fix a")
	b.verdict(t, "feature", nil, ledger.Clean)
	goes(t, b.push(t, "origin", "feature"))
}

// found records what a review with a finding of a branch without a plan records.
func (b bench) found(t *testing.T, branch string) {
	t.Helper()
	id, tree := "0123456789ab", hooked.Git(t, b.Repo, "rev-parse", branch+"^{tree}")
	l := ledger.Ledger{
		Schema: 1, Branch: branch, HeadTree: tree, End: ledger.Found,
		Rounds:   []ledger.Round{{N: 1, Tree: tree, Blocking: []string{id}}},
		Findings: []finding.Finding{{ID: id, File: "a.txt", Severity: finding.High, Status: finding.Confirmed, Title: "wrong"}},
	}
	data, err := l.Bytes()
	hooked.Must(t, err)
	hooked.Write(t, filepath.Join(integrity.ReviewDir(hooked.Open(t, b.Repo), branch), journal.ReviewFile), string(data), 0o600)
}

func TestVerdictDoesNotCoverHistory(t *testing.T) {
	b := project(t)
	hooked.Git(t, b.Repo, "config", "plan.prePush", "block")
	hooked.Commit(t, b.Repo, "config.js", token()+"\n", "Configure")
	b.verdict(t, "feature", nil, ledger.Explained) // say the token is not a secret
	goes(t, b.push(t, "origin", "feature"))

	hooked.Commit(t, b.Repo, "config.js", "none\n", "fixup! Configure")
	b.verdict(t, "feature", nil, ledger.Clean)
	stops(t, b.push(t, "origin", "feature"), "config.js: GitHub token", "is a fixup! commit")
}

// A verdict is about the branch against its base; a push may contain more.
func TestVerdictDoesNotCoverTheBase(t *testing.T) {
	b := project(t)
	hooked.Git(t, b.Repo, "switch", "--quiet", "main")
	hooked.Commit(t, b.Repo, "config.js", token()+"\n", "Configure")
	hooked.Git(t, b.Repo, "switch", "--quiet", "-c", "next")
	hooked.Commit(t, b.Repo, "b.txt", "two\n", "Go on")
	b.verdict(t, "next", nil, ledger.Clean)
	stops(t, b.push(t, "origin", "next"), "its review passed, but commits of main that the remote lacks would be pushed too; first: git push origin main", "config.js:1: GitHub token")
	hooked.Git(t, b.Repo, "push", "--quiet", "--no-verify", "origin", "main")
	goes(t, b.push(t, "origin", "next"))
}

func TestMergedCommitsOfTheBaseAreNotChecked(t *testing.T) {
	b := project(t)
	hooked.Git(t, b.Repo, "push", "--quiet", "--no-verify", "origin", "feature")
	hooked.Git(t, b.Repo, "switch", "--quiet", "main")
	hooked.Commit(t, b.Repo, "config.js", token()+"\n", "Configure")
	hooked.Git(t, b.Repo, "push", "--quiet", "--no-verify", "origin", "main")
	hooked.Git(t, b.Repo, "switch", "--quiet", "feature")
	hooked.Git(t, b.Repo, "merge", "--quiet", "--no-edit", "main")
	goes(t, b.push(t, "origin", "feature"), unreviewed)
	hooked.Git(t, b.Repo, "config", "plan.prePush", "block")
	b.verdict(t, "feature", nil, ledger.Clean)
	goes(t, b.push(t, "origin", "feature"))

	hooked.Commit(t, b.Repo, "other.js", conflict, "Merge")
	stops(t, b.push(t, "origin", "feature"), "no review has passed", "other.js:1: unresolved")
}

// A push with an unreadable object is stopped, since it cannot be searched, and the next command is named.
func TestUnreadableObjectStopsThePush(t *testing.T) {
	b := project(t)
	blob := hooked.Git(t, b.Repo, "rev-parse", "feature:a.txt")
	hooked.Must(t, os.Remove(filepath.Join(b.Repo, ".git", "objects", blob[:2], blob[2:])))
	hooked.Must(t, os.Remove("a.txt")) // git would read the same content there
	stops(t, b.push(t, "origin", "feature"), "feature: could not be checked: git diff-tree: fatal: unable to read "+blob+"; git plan doctor")
	hooked.Git(t, b.Repo, "config", "remote.origin.promisor", "true")
	stops(t, b.push(t, "origin", "feature"), "; git log -p -m feature --not --remotes=origin >/dev/null (it fetches what is missing)")
}

func TestGateTimesOut(t *testing.T) {
	b := project(t)
	remote, pushes := b.said(t, "origin", "feature")
	late := hooks.Gate{Limit: time.Nanosecond}
	stops(t, b.judge(t, late, remote, pushes), "not checked, because time ran out: feature; push its older commits first, such as: git push origin 'feature~1000:refs/heads/feature'")
	hooked.Git(t, b.Repo, "config", "plan.prePush", "block")
	stops(t, b.judge(t, late, remote, pushes), "not checked, because time ran out: feature; push its older commits first, such as: git push origin 'feature~1000:refs/heads/feature'")

	c, err := checkout.Open(context.Background())
	hooked.Must(t, err)
	defer c.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if d, err := (&hooks.Gate{Checkout: c}).PrePush(ctx, "origin", "u", pushes); err == nil || !d.Stop {
		t.Errorf("interrupted: %+v, %v", d, err)
	}
}

func TestRulesRunWithUnknownReviewers(t *testing.T) {
	b := project(t)
	hooked.Git(t, b.Repo, "config", "plan.reviewers", "nobody")
	const unknown = `feature: cannot tell whether a review passed it: there is no reviewer "nobody"; `
	goes(t, b.push(t, "origin", "feature"), unknown)
	hooked.Git(t, b.Repo, "config", "plan.prePush", "block")
	stops(t, b.push(t, "origin", "feature"), unknown)

	hooked.Commit(t, b.Repo, "config.js", "const t = \""+token()+"\"\n", "Configure")
	hooked.Commit(t, b.Repo, "b.txt", conflict, "Merge")
	stops(t, b.push(t, "origin", "feature"), unknown, "config.js:1: GitHub token", "b.txt:1: unresolved")
	hooked.Git(t, b.Repo, "config", "plan.prePush", "warn")
	stops(t, b.push(t, "origin", "feature"), unknown, "config.js:1: GitHub token", "b.txt:1: unresolved")
}

func TestManyFindingsAreShortened(t *testing.T) {
	b := project(t)
	for _, n := range strings.Fields("a b c d e f g h i j k l") {
		hooked.Write(t, filepath.Join(b.Repo, n+".go"), conflict, 0o644)
	}
	hooked.Git(t, b.Repo, "add", ".")
	hooked.Git(t, b.Repo, "commit", "--quiet", "-m", "Merge")
	d := b.push(t, "origin", "feature")
	all := strings.Join(d.Lines, "\n")
	if hooked.Contains(t, all, "and 2 more"); len(d.Lines) != 13 || !d.Stop {
		t.Errorf("%d lines:\n%s", len(d.Lines), all)
	}
}

// bench is a repository with a remote, to push from.
type bench struct{ hooked.Bench }

// An empty list of refs counts as an empty push only if no hook can have read git's lines, or the remote has
// all branches.
func TestEmptyRefListDoesNotPass(t *testing.T) {
	b := project(t)
	remote := []string{"origin", b.Remote}
	const says = "git named nothing to push here, so nothing was checked"
	goes(t, b.judge(t, hooks.Gate{}, remote, nil), says)
	hooked.Git(t, b.Repo, "config", "plan.prePush", "block")
	stops(t, b.judge(t, hooks.Gate{}, remote, nil), says)
	goes(t, b.judge(t, hooks.Gate{First: true}, remote, nil))
	hooked.Git(t, b.Repo, "switch", "--quiet", "main")
	stops(t, b.judge(t, hooks.Gate{}, remote, nil), says) // feature may be the pushed branch
	hooked.Git(t, b.Repo, "push", "--quiet", "--no-verify", "origin", "feature")
	goes(t, b.judge(t, hooks.Gate{}, remote, nil)) // everything is up to date
}
