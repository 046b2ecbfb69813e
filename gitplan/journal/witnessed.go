package journal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Anybody who may write to the repository can put a commit on a plan's chain that says a
// step is done. So this clone notes the tips that it wrote, or fetched because a person
// asked for that, where no sandbox lets a session write (see notes). What else is on a
// chain is not believed: nothing of the plan is executed until a person was shown these
// events and approved it.

// keptTips is how many of them count: a few, since a tip is noted before the ref is moved to
// it, and another writer may be faster. The note of them grows to longestTips.
const (
	keptTips    = 8
	longestTips = 64
)

// TipsNote returns the note of the tips of a plan that this clone knows.
func TipsNote(r *git.Repo, id string) Note { return Note{NotesOf(r, "tips"), id + NoteExt} }

// WitnessedTips returns the last few tips that this clone wrote or fetched knowingly, the
// newest last.
func WitnessedTips(r *git.Repo, id string) []string {
	tips := notedTips(r, id)
	return tips[max(0, len(tips)-keptTips):]
}

func notedTips(r *git.Repo, id string) []string {
	text, _ := TipsNote(r, id).Read()
	return strings.Fields(string(text))
}

// Witness notes a commit as the next of a plan's chain, if the commit that it builds on (""
// for none) was noted too.
func Witness(r *git.Repo, id, before, tip string) error {
	noted := notedTips(r, id)
	tips := noted[max(0, len(noted)-keptTips):]
	if before != "" && !slices.Contains(tips, before) {
		return nil
	}
	if len(noted) < longestTips && TipsNote(r, id).append([]byte(tip+"\n")) == nil {
		return nil
	}
	return TipsNote(r, id).Write([]byte(strings.Join(append(tips, tip), "\n") + "\n"))
}

// Said returns what an event itself says, in a line. It ignores the commit's subject.
func (e Event) Said() string {
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
