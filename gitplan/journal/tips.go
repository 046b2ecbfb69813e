package journal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// expected is where the ref of a plan has to be while sessions work. Only this program moves it then;
// the stores of one process share it, since several sessions may be at work at once.
type expected struct {
	mu   sync.Mutex
	plan string
	tip  string
}

// ExpectTip says where the ref of the plan is: its text is locked, so only this program moves it on.
func (s *Store) ExpectTip(plan, tip string) {
	s.expected.mu.Lock()
	defer s.expected.mu.Unlock()
	s.expected.plan, s.expected.tip = plan, tip
}

// RestoreRef puts the ref of the plan back if a session moved it, and returns where it was and where it
// is now. What it was moved to stays in its reflog.
func (s *Store) RestoreRef(ctx context.Context, plan string) (was, is string, moved bool, err error) {
	s.expected.mu.Lock() // else another session's event could come between the look and the comparison
	defer s.expected.mu.Unlock()
	now, err := s.Repo.Resolve(ctx, RefPrefix+plan)
	if err != nil && !errors.Is(err, git.ErrMissing) {
		return "", "", false, err
	}
	if now == s.expected.tip {
		return "", "", false, nil
	}
	return now, s.expected.tip, true, s.Repo.UpdateRef(ctx, RefPrefix+plan, s.expected.tip, now, "plan: put back after a session")
}

// outdated reports whether another session of this program has moved the ref since a document was read.
func (s *Store) outdated(d *Document) bool {
	s.expected.mu.Lock()
	defer s.expected.mu.Unlock()
	return s.expected.plan == d.ID && s.expected.tip != "" && s.expected.tip != d.Tip
}

// move moves the ref of a plan to a new tip.
func (s *Store) move(ctx context.Context, d *Document, tip, reflog string) error {
	s.expected.mu.Lock()
	defer s.expected.mu.Unlock()
	err := s.Repo.UpdateRef(ctx, RefPrefix+d.ID, tip, d.Tip, reflog)
	if err == nil && s.expected.plan == d.ID {
		s.expected.tip = tip
	}
	return err
}

// Anyone who may write to the repository can put a commit on a plan's chain that says a step is done. So
// this clone notes the tips that it wrote, or fetched because a person asked for that. Other events are
// not believed: nothing of the plan is executed until a person was shown them and approved it.

// keptTips is how many tips count: a few, since a tip is noted before the ref is moved to it, and
// another writer may be faster.
const keptTips = 8

// TipsNote returns the note of the tips of a plan that this clone knows.
func TipsNote(r *git.Repo, id string) Note { return NotesOf(r, "tips").Note(id + NoteExt) }

// TrustedTips returns the last few tips that this clone wrote or fetched knowingly, the
// newest last.
func TrustedTips(r *git.Repo, id string) []string {
	text, _ := TipsNote(r, id).Read()
	tips := strings.Fields(string(text))
	return tips[max(0, len(tips)-keptTips):]
}

// TrustTip notes a commit as the next of a plan's chain, if the commit that it builds on (""
// for none) was noted too.
func TrustTip(r *git.Repo, id, before, tip string) error {
	tips := TrustedTips(r, id)
	if before != "" && !slices.Contains(tips, before) {
		return nil
	}
	return TipsNote(r, id).Write([]byte(strings.Join(append(tips, tip), "\n") + "\n"))
}

// Describe returns what an event itself says, in a line. It ignores the commit's subject.
func (e Event) Describe() string {
	text := string(e.Kind)
	if len(e.Steps) > 0 {
		text += " " + strings.Join(e.Steps, ", ")
	}
	if e.By != "" {
		text += ", by " + string(e.By)
	}
	if e.Head != "" {
		text += fmt.Sprintf(", at %.10s", e.Head)
	}
	return visible.OneLine(text, 200)
}
