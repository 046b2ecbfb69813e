package setup

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Plans, what is kept of sessions, and what remotes had are refs that only
// git plan writes. So after a session they are what they were before it, whichever plan they
// belong to, except for what a git plan, of this work tree or another, noted that it was about to
// write.

// planPrefixes begin the names of these refs.
var planPrefixes = []string{journal.RefPrefix, journal.AttemptPrefix, RemotePrefix}

// OfPlans reports whether a ref is one of those that only git plan writes.
func OfPlans(ref string) bool {
	return slices.ContainsFunc(planPrefixes, func(p string) bool { return strings.HasPrefix(ref, p) })
}

// movesExt ends the name of a note of what git plan moves; it lies beside a record of a set-up.
const movesExt = ".moves"

// AnyValue is the new value of a move whose result is not known beforehand.
const AnyValue = "*"

// NoteMove notes, beside every record of a set-up, that git plan is about to move a ref of its
// own; or all refs below a prefix, if ref ends with a star.
func NoteMove(r *git.Repo, ref, new, old string) error {
	if !OfPlans(ref) {
		return nil
	}
	line := fmt.Appendf(nil, "%s %s %s\n", ref, journal.OrNone(new), journal.OrNone(old))
	for _, dir := range journal.NotesOf(r, setUps).Dirs() {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if filepath.Ext(e.Name()) != movesExt || !e.Type().IsRegular() {
				continue
			}
			f, err := os.OpenFile(filepath.Join(dir, e.Name()), os.O_APPEND|os.O_WRONLY, 0)
			if os.IsNotExist(err) {
				continue // its session is over
			}
			if err != nil {
				return err
			}
			_, err = f.Write(line)
			if cerr := f.Close(); err == nil {
				err = cerr
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// readMoves reads what NoteMove noted.
func readMoves(at journal.Note) (moves []Move) {
	text, _ := at.Read()
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 {
			moves = append(moves, Move{Ref: f[0], New: strings.TrimSuffix(f[1], journal.None), Old: strings.TrimSuffix(f[2], journal.None)})
		}
	}
	return moves
}

// strayed returns the moves that put refs back to what they were, or to what git plan itself
// has made of them since. Refs to be removed come first: they may be in the way.
func strayed(before, now map[string]string, noted []Move) (back []Move) {
	all := maps.Clone(now)
	maps.Copy(all, before)
	for _, ref := range slices.Sorted(maps.Keys(all)) {
		if now[ref] == before[ref] {
			continue
		}
		if may, anything := mayBe(ref, before[ref], noted); !anything && !slices.Contains(may, now[ref]) {
			back = append(back, Move{Ref: ref, New: may[len(may)-1], Old: now[ref]})
		}
	}
	slices.SortStableFunc(back, func(a, b Move) int { return min(len(a.New), 1) - min(len(b.New), 1) })
	return back
}

// mayBe returns the values that a ref may have, the newest last: each was noted as the next
// of one before it. anything says that the ref may have any value.
func mayBe(ref, before string, noted []Move) (may []string, anything bool) {
	may = []string{before}
	for _, m := range noted {
		in, many := strings.CutSuffix(m.Ref, "*")
		switch {
		case m.New == AnyValue && (m.Ref == ref || many && strings.HasPrefix(ref, in)):
			return nil, true
		case m.Ref == ref && slices.Contains(may, m.Old):
			may = append(may, m.New)
		}
	}
	return may, false
}

// RefsBack puts the refs of git plan back after a session, and returns a sentence for each. What
// they were moved to stays in their reflogs, if they have one.
func (s Setup) RefsBack(ctx context.Context, r *git.Repo, plan string) (moved []string, err error) {
	if s.Refs == nil {
		return nil, nil
	}
	now, err := r.RefValues(ctx, planPrefixes...)
	if err != nil {
		return nil, err
	}
	for _, m := range strayed(s.Refs, now, readMoves(s.moves)) {
		err := r.ResetRef(ctx, m.Ref, m.New, "plan: put back after a session")
		if _, lost := r.Resolve(ctx, m.New); err != nil && m.New != "" && errors.Is(lost, git.ErrMissing) {
			moved = append(moved, fmt.Sprintf("the session destroyed %s, and what was in it (%.10s) is no longer in the repository", visible.OneLine(m.Ref, 200), m.New))
			continue
		}
		if err != nil {
			return moved, err
		}
		moved = append(moved, m.Undone(plan))
	}
	return moved, nil
}

// Undone returns a sentence about what a session did to a ref that was put back.
func (m Move) Undone(plan string) string {
	switch {
	case plan != "" && m.Ref == journal.RefPrefix+plan && m.Old == "":
		return fmt.Sprintf("the session deleted the plan (%s is back at %.10s)", m.Ref, m.New)
	case plan != "" && m.Ref == journal.RefPrefix+plan:
		return fmt.Sprintf("the session moved the plan to %s (%s is back at %.10s)", visible.OneLine(m.Old, 200), m.Ref, m.New)
	case m.Old == "":
		return fmt.Sprintf("the session removed %s (it is back at %.10s)", visible.OneLine(m.Ref, 200), m.New)
	case m.New == "":
		return fmt.Sprintf("the session made %s, which is gone again (it was at %s)", visible.OneLine(m.Ref, 200), visible.OneLine(m.Old, 100))
	}
	return fmt.Sprintf("the session moved %s to %s (it is back at %.10s)", visible.OneLine(m.Ref, 200), visible.OneLine(m.Old, 100), m.New)
}

// Move is a ref that gets a new value. An empty Old means that the ref is new, an empty New that
// it is removed.
type Move struct{ Ref, New, Old string }

// RemotePrefix begins the refs of what remotes had, as it was last fetched.
const RemotePrefix = "refs/plan-remotes/"
