package rounds

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/panel"
	"github.com/git-plan/git-plan/testdata/branches"
	"github.com/git-plan/git-plan/testdata/race"
)

// asked counts sessions by role and round.
type asked struct {
	mu   sync.Mutex
	list []string
}

func (a *asked) hold(name string, h panel.RunSession) panel.RunSession {
	return func(ctx context.Context, s agent.Session) agent.Result {
		r := h(ctx, s)
		if r.Status == agent.Done {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.list = append(a.list, fmt.Sprint(name, s.Review.Round))
		}
		return r
	}
}

// interruptible is a review with two reviewers that takes two rounds. It writes its progress into kept, and
// is killed after that many writes.
func (b *branch) interruptible(a *asked, kept *[]byte, killAfter int, kill func()) *Loop {
	l := b.loop()
	l.Subject = "these reviewers"
	l.Reviewers = nil
	for _, name := range []string{"one", "two"} {
		l.Reviewers = append(l.Reviewers, persona(name, a.hold(name, hold(branches.Script(b.T, "finds-bugs.sh")))))
	}
	l.Fix = func(ctx context.Context, r Repair) (ledger.FixRecord, error) {
		if ctx.Err() != nil {
			return ledger.FixRecord{Status: agent.Cancelled}, nil
		}
		a.list = append(a.list, fmt.Sprint("fixer", r.Review.Round))
		return b.writes("first\nall is well\n")(ctx, r)
	}
	if *kept != nil {
		l.Resume = &Progress{}
		if err := json.Unmarshal(*kept, l.Resume); err != nil {
			b.T.Fatal(err)
		}
	}
	l.Keep = func(p *Progress) {
		data, err := json.Marshal(p)
		if err != nil {
			b.T.Error(err)
		}
		*kept = data
		if killAfter--; killAfter == 0 {
			kill()
		}
	}
	return l
}

// A review that is killed at any point resumes: it ends as if uninterrupted, and reviewers that answered are
// not asked again.
func TestKilledReviewResumes(t *testing.T) {
	race.Skip(t)
	whole := []string{"fixer1", "one1", "one2", "two1", "two2"}
	for at := 1; ; at++ {
		b := newBranch(t)
		b.Commit("a.txt", "first\nBUG here\n")
		a, kept := &asked{}, []byte(nil)
		ctx, kill := context.WithCancel(t.Context())
		killed := b.interruptible(a, &kept, at, kill)
		_, err := killed.Run(ctx)
		kill()
		if err == nil { // it did not write that often
			if at != 7 { // 2 answers, judged, fixed, 2 answers: and one too many
				t.Errorf("a review of two rounds was kept %d times", at-1)
			}
			return
		}
		before := slices.Clone(a.list)
		out := b.run(b.interruptible(a, &kept, 0, nil))
		b.expect(out, ledger.Clean, "")
		got := slices.Sorted(slices.Values(a.list))
		if !slices.Equal(slices.Compact(slices.Clone(got)), whole) {
			t.Errorf("killed after %d: asked %q, then %q", at, before, a.list[len(before):])
		}
		// A session that had ended but was not yet recorded when the other answer came is repeated.
		if extra := len(got) - len(whole); extra > 1 || extra > 0 && !strings.HasPrefix(before[len(before)-1], "one") && !strings.HasPrefix(before[len(before)-1], "two") {
			t.Errorf("killed after %d: asked %q, then %q", at, before, a.list[len(before):])
		}
		if n := len(out.Ledger.Rounds); n != 2 || out.Ledger.Findings[0].Status != finding.Fixed {
			t.Errorf("killed after %d: %d rounds, %+v", at, n, out.Ledger.Findings)
		}
	}
}

// A fixer's commit that the review did not record is reviewed from the beginning.
func TestFixCommittedBeforeTheKillIsReviewed(t *testing.T) {
	b := newBranch(t)
	b.Commit("a.txt", "first\nBUG here\n")
	a, kept := &asked{}, []byte(nil)
	ctx, kill := context.WithCancel(t.Context())
	l := b.interruptible(a, &kept, 0, nil)
	fix := l.Fix
	l.Fix = func(ctx context.Context, r Repair) (ledger.FixRecord, error) {
		defer kill()
		return fix(ctx, r)
	}
	if _, err := l.Run(ctx); err == nil {
		t.Fatal("it was not killed")
	}
	b.expect(b.run(b.interruptible(a, &kept, 0, nil)), ledger.Clean, "")
	if got := sortedRounds(a.list); got != "one1 two1 fixer1 one1 two1" {
		t.Errorf("asked %q", got)
	}
}

// sortedRounds lists the sessions, those of one panel in the order of their names.
func sortedRounds(list []string) string {
	for i := 0; i+1 < len(list); i++ {
		if strings.HasPrefix(list[i], "two") && strings.HasPrefix(list[i+1], "one") {
			list[i], list[i+1] = list[i+1], list[i]
		}
	}
	return strings.Join(list, " ")
}

// Stored progress is used by the same review only.
func TestProgressIsForTheSameReviewOnly(t *testing.T) {
	for name, change := range map[string]func(b *branch, l *Loop){
		"other reviewers": func(b *branch, l *Loop) { l.Subject = "others" },
		"another commit":  func(b *branch, l *Loop) { b.Commit("b.txt", "x\n") },
		"another base":    func(b *branch, l *Loop) { l.Change.Base = b.Repo.EmptyTree() },
		"another branch":  func(b *branch, l *Loop) { b.Git("switch", "-q", "-c", "other") },
		"another schema":  func(b *branch, l *Loop) { l.Resume.Schema = 9 },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBranch(t)
			b.Commit("a.txt", "first\nfine\n")
			a, kept := &asked{}, []byte(nil)
			ctx, kill := context.WithCancel(t.Context())
			defer kill()
			if _, err := b.interruptible(a, &kept, 2, kill).Run(ctx); err == nil {
				t.Fatal("it was not killed")
			}
			again := b.interruptible(a, &kept, 0, nil)
			change(b, again)
			b.expect(b.run(again), ledger.Clean, "")
			if len(a.list) != 4 {
				t.Errorf("asked %q", a.list)
			}
		})
	}
}

// If a reviewer fails, the next command reuses the others' answers.
func TestOnlyFailedReviewersAreAskedAgain(t *testing.T) {
	b := newBranch(t)
	b.Commit("a.txt", "first\nfine\n")
	a, kept := &asked{}, []byte(nil)
	l := b.interruptible(a, &kept, 0, nil)
	l.Reviewers[1].RunSession = hold("exit 1")
	b.expect(b.run(l), ledger.Incomplete, "reviewer two")
	b.expect(b.run(b.interruptible(a, &kept, 0, nil)), ledger.Clean, "")
	if got := strings.Join(a.list, " "); got != "one1 two1" {
		t.Errorf("asked %q", got)
	}
}

// After a fixer was killed, a report-only review, or one with fewer rounds, uses the round's answers, and
// runs no fixer.
func TestReportAfterAKilledFixerRunsNoSession(t *testing.T) {
	for name, change := range map[string]struct {
		set func(*Loop)
		end ledger.End
	}{
		"only report": {func(l *Loop) { l.NoFix = true }, ledger.Found},
		"one round":   {func(l *Loop) { l.Rounds = 1 }, ledger.RoundsUp},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBranch(t)
			b.Commit("a.txt", "first\nBUG here\n")
			a, kept := &asked{}, []byte(nil)
			ctx, kill := context.WithCancel(t.Context())
			defer kill()
			if _, err := b.interruptible(a, &kept, 3, kill).Run(ctx); err == nil {
				t.Fatal("it was not killed")
			}
			l := b.interruptible(a, &kept, 0, nil)
			change.set(l)
			out := b.run(l)
			b.expect(out, change.end, "1 finding blocks")
			if got := sortedRounds(a.list); got != "one1 two1" || len(out.Ledger.Rounds) != 1 {
				t.Errorf("asked %q in %d rounds", got, len(out.Ledger.Rounds))
			}
		})
	}
}
