package panel

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/cli"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/testdata/branches"
)

// sessions runs sessions with a command of the person's own.
func sessions(line string, env ...string) RunSession {
	return func(ctx context.Context, s agent.Session) agent.Result {
		s.Env = append(proc.CleanEnv(), env...)
		return (&cli.Command{AgentName: "fake", Line: line}).Run(ctx, s)
	}
}

// judge is a persona whose sessions are run by runs.
func judge(name string, h RunSession) *Reviewer {
	return &Reviewer{Persona: Persona{Name: name, Rounds: Every, Blocking: true, Text: "Look."}, RunSession: h}
}

// program is a reviewer that is a program of the person's own.
func program(name, line string) *Reviewer {
	return &Reviewer{Persona: Persona{Name: name, Blocking: true}, Command: &Command{Line: line, Env: proc.CleanEnv()}}
}

// change is a branch that changes a.txt, with a bug, and the target of a round.
func change(t *testing.T) (*branches.Branch, *Target) {
	t.Helper()
	b := branches.New(t)
	return b, target(b, b.Commit("a.txt", "first\nBUG here\n"))
}

// target is the target of a round on the branch up to head.
func target(b *branches.Branch, head string) *Target {
	b.T.Helper()
	d, err := git.DiffTrees(b.T.Context(), b.Repo, "main", head)
	if err != nil {
		b.T.Fatal(err)
	}
	return &Target{Base: b.Git("rev-parse", "main"), Head: head, Round: 1, Nonce: integrity.Random(12), Diff: d, Judge: d, Repo: b.Repo}
}

// All reviewers run in parallel, and their reports are in the order of the reviewers. A program that changed
// the code under review does not count.
func TestReviewersRunInParallelAndReportInOrder(t *testing.T) {
	_, to := change(t)
	bugs := judge("quality", sessions(branches.Script(t, "finds-bugs.sh")))
	var reported []string
	all := []*Reviewer{program("lint", "echo fixed >a.txt"), bugs, program("lint", "exit 127")}
	got := AskAll(t.Context(), all, to, nil, func(r Report) { reported = append(reported, r.Reviewer) })
	if !strings.HasPrefix(got[0].Incomplete, "it changed its copy: a.txt;") || len(got[1].Findings) != 1 || !strings.Contains(got[2].Incomplete, "127") {
		t.Errorf("%+v", got)
	}
	if len(reported) != 3 {
		t.Errorf("reported %q", reported)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if got := AskAll(ctx, all[1:2], to, nil, func(Report) {}); got[0].Incomplete == "" {
		t.Errorf("an interrupted one has answered: %+v", got[0])
	}
	if Digest(all) != Digest([]*Reviewer{all[2], all[1], all[0]}) || Digest(all) == Digest(all[:2]) {
		t.Error("a set of reviewers is not known by who is in it")
	}
}

// A persona that writes to the code under review does not count.
func TestPersonaThatWritesDoesNotCount(t *testing.T) {
	_, to := change(t)
	bugs := branches.Script(t, "finds-bugs.sh")
	for line, want := range map[string]string{
		"rm base.txt; ":                               "base.txt",
		"git commit -qm x --allow-empty; ":            ".git/HEAD",
		"echo first >a.txt; git checkout -q a.txt; ":  "",
		"touch a.txt; echo x >made; git status -s; ":  "",
		"git config user.name x; rm a.txt base.txt; ": ".git/config, a.txt, base.txt",
	} {
		r := judge("quality", sessions(line+bugs)).Review(t.Context(), to)
		if want == "" && (r.Incomplete != "" || r.Sessions != 1) {
			t.Errorf("%s: %+v", line, r)
		}
		if want != "" && (!strings.HasPrefix(r.Incomplete, "it changed its copy: "+want+";") || r.Sessions != 1 || len(r.Findings) > 0) {
			t.Errorf("%s: %+v", line, r)
		}
	}
}

// A reviewer with a wrong quote is asked once more, with the most similar lines; after that its answer is
// accepted as it is.
func TestWrongQuoteIsAskedForOnce(t *testing.T) {
	_, to := change(t)
	for _, again := range []string{"BUG here", "BUG  there"} {
		var told []string
		r := judge("quality", func(ctx context.Context, s agent.Session) agent.Result {
			quote := "BUG hear"
			if told = append(told, s.Prompt.User); len(told) > 1 {
				quote = again
			}
			return agent.Result{Status: agent.Done, Answer: `{"nonce": "` + s.Nonce + `", "covered": ["a.txt"], "findings": [{"category": "correctness", "severity": "high",` +
				`"file": "a.txt", "quote": "` + quote + `", "title": "t", "detail": "d", "trigger": "x", "remedy": "fix"}]}`}
		}).Review(t.Context(), to)
		if len(told) != 2 || !strings.Contains(told[1], "findings[0]: its quote is not in a.txt; the closest lines are\nBUG here\n") {
			t.Errorf("it was asked %d times, at last\n%s", len(told), told[len(told)-1])
		}
		if r.Incomplete != "" || len(r.Findings) != 1 || r.Findings[0].Unquoted() == (again == "BUG here") {
			t.Errorf("%+v", r)
		}
	}
}

// A reviewer that omits a file which it was shown is asked once more; then its own list counts.
func TestOmittedFileIsAskedForOnce(t *testing.T) {
	b := branches.New(t)
	to := target(b, b.Commit("a.txt", "a\n", "b.txt", "b\n"))
	for again, covers := range map[string]int{`"a.txt"`: 1, `"a.txt", "b.txt"`: 2} {
		var told []string
		r := judge("quality", func(ctx context.Context, s agent.Session) agent.Result {
			covered := `"a.txt"`
			if told = append(told, s.Prompt.User); len(told) > 1 {
				covered = again
			}
			return agent.Result{Status: agent.Done, Answer: `{"nonce": "` + s.Nonce + `", "covered": [` + covered + `], "findings": []}`}
		}).Review(t.Context(), to)
		if len(told) != 2 || !strings.Contains(told[1], `"covered" leaves out what you were shown: b.txt`) || r.Incomplete != "" || len(r.Covered) != covers {
			t.Errorf("asked %d times: %+v", len(told), r)
		}
	}
}

// Read-only reviewers share a clone, without the files in which a secret was found, and a write to it is
// detected all the same.
func TestSharedCloneHidesSecrets(t *testing.T) {
	b := branches.New(t)
	to := target(b, b.Commit("a.txt", "fine\n", "key.txt", "secret\n"))
	if seen, err := to.Fingerprints(); seen != nil || err != nil || to.HideSecrets() != nil {
		t.Errorf("there is no clone: %v, %v", seen, err)
	}
	dir, remove, err := checkout.Throwaway(t.Context(), to.Repo, to.Head, "tree")
	if to.Dir = dir; err != nil {
		t.Fatal(err)
	}
	to.Secret = map[string]bool{"key.txt": true, "gone.txt": true}
	if err := to.HideSecrets(); err != nil {
		t.Fatal(err)
	}
	before, err := to.Fingerprints()
	if _, there := before["key.txt"]; err != nil || there || before["a.txt"] == "" {
		t.Errorf("%v, %v", before, err)
	}
	if err := os.WriteFile(filepath.Join(to.Dir, "a.txt"), []byte("other\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if after, err := to.Fingerprints(); err != nil || after["a.txt"] == before["a.txt"] {
		t.Errorf("the change was not detected: %v", err)
	}
	remove()
	if _, err := os.Stat(to.Dir); err == nil {
		t.Error("it was not removed")
	}
}

// The reason why a command gave no answer is one line.
func TestCommandWithoutAnAnswer(t *testing.T) {
	_, to := change(t)
	for line, want := range map[string]string{
		"exit 127":                 "it ended with exit code 127",
		"echo why >&2; exit 3":     "it ended with exit code 3: why",
		"exit 1":                   "it ended with exit code 1 and gave no findings",
		"echo all good":            "its output cannot be used: there is no JSON",
		"sleep 300":                "it did not end within 200ms",
		`echo '{"findings": [1]}'`: "its output cannot be used: findings[0]",
		`echo '{"covered": ["x"], "findings": []}'`:                              `its output cannot be used: "covered" names no file`,
		`echo '{"message": "m", "location": {"path": "/etc/passwd"}}'`:           "its output cannot be used: it names /etc/passwd, which is not",
		`echo '{"version": "1", "runs": []}'`:                                    "its output cannot be used: the SARIF is not of version",
		`printf '{"covered": ["a.txt"], "findings": []}'; echo odd >&2; kill $$`: "it ",
	} {
		c := program("lint", line)
		if strings.HasPrefix(line, "sleep") {
			c.Command.Timeout = 200 * time.Millisecond
		}
		if r := c.Review(t.Context(), to); !strings.HasPrefix(r.Incomplete, want) || len(r.Covered) > 0 {
			t.Errorf("%s: %+v", line, r)
		}
	}
	linter := program("lint", `echo '{"message": "m", "location": {"path": "'"$PWD"'/a.txt", "range": {"start": {"line": 2}}}}'`)
	if r := linter.Review(t.Context(), to); len(r.Findings) != 1 || r.Findings[0].File != "a.txt" || r.Findings[0].Quote != "BUG here" || !r.Findings[0].Verified {
		t.Errorf("%+v", r)
	}
}

// TestReviewersShareAPrefix: requests of a round's reviewers differ only after the change, so that a
// provider's cache has at least nine tenths.
func TestReviewersShareAPrefix(t *testing.T) {
	b := branches.New(t)
	head := b.Commit("a.txt", strings.Repeat("a line of the change\n", 3000))
	d, err := git.DiffTrees(t.Context(), b.Repo, "main", head)
	if err != nil {
		t.Fatal(err)
	}
	of := &Target{Base: "b", Head: head, Round: 1, Nonce: "n", Diff: d, Judge: d, Repo: b.Repo, Guidelines: "look at locks"}
	parts, _ := of.split(t.Context(), d)
	all := Personas()
	first := reviewerPrompt(of, &all[0], parts[0])
	for i := range all[1:] {
		other := reviewerPrompt(of, &all[1+i], parts[0])
		if first.System != other.System || first.User[:first.Shared] != other.User[:other.Shared] {
			t.Errorf("%s begins in another way", all[1+i].Name)
		}
		if share := float64(len(other.System)+other.Shared) / float64(len(other.Text())); share < 0.9 {
			t.Errorf("%s shares %.2f of what it is sent", all[1+i].Name, share)
		}
	}
}

// TestOneReviewerGoesFirst: of the reviewers that share a service's cache one is started first, and the
// others when it has answered something, or has ended.
func TestOneReviewerGoesFirst(t *testing.T) {
	for _, speaks := range []bool{true, false} {
		var order []string
		var mu sync.Mutex
		hold := func(name string) RunSession {
			return func(ctx context.Context, s agent.Session) agent.Result {
				mu.Lock()
				order = append(order, name)
				mu.Unlock()
				if s.On != nil && speaks {
					s.On(agent.Event{Kind: agent.Waiting})
				}
				return agent.Result{Status: agent.Failed, Reason: "no"}
			}
		}
		b := branches.New(t)
		head := b.Commit("a.txt", "x\n")
		d, err := git.DiffTrees(t.Context(), b.Repo, "main", head)
		if err != nil {
			t.Fatal(err)
		}
		var all []*Reviewer
		for _, name := range []string{"a", "b", "c"} {
			all = append(all, &Reviewer{Persona: Persona{Name: name, Text: "x", Blocking: true}, RunSession: hold(name), Shares: true})
		}
		AskAll(t.Context(), all, &Target{Head: head, Round: 1, Nonce: "n", Diff: d, Judge: d, Repo: b.Repo}, nil, func(Report) {})
		if len(order) != 3 || order[0] != "a" {
			t.Errorf("asked in the order %v", order)
		}
	}
}
