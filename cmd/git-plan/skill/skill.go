package skill

import (
	"cmp"
	"crypto/sha256"
	_ "embed" // for SKILL.md
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
)

//go:embed SKILL.md
var text string

// folders are where agents look: Claude Code in the second, others in the first.
var folders = []string{".agents/skills", ".claude/skills"}

// Text is the skill as it is installed, with its mark as the last line.
func Text() string { return text + mark(text) }

func mark(text string) string {
	return fmt.Sprintf("\n<!-- git-plan skill sha256:%x (git plan skill remove) -->\n", sha256.Sum256([]byte(text)))
}

var markLine = pattern.Of(`\n<!-- git-plan skill sha256:[0-9a-f]{64} \(git plan skill remove\) -->\n$`)

// State is what there is at a place.
type State int

// The states of a place. Only what this program wrote is Current or Old.
const (
	Missing State = iota
	Current
	Old
	Foreign // of somebody else, or changed by hand
)

// Place is one file where agents find the skill: in a folder of a repository or of the person.
type Place struct {
	Top  string // that folder
	Name string // of the file, below it, with slashes
}

// Places returns those below a folder.
func Places(top string) (out []Place) {
	for _, f := range folders {
		out = append(out, Place{top, f + "/git-plan/SKILL.md"})
	}
	return out
}

// Path returns where the file is, as the system writes it.
func (p Place) Path() string { return filepath.Join(p.Top, filepath.FromSlash(p.Name)) }

// State looks at the place.
func (p Place) State() (State, error) {
	return p.found(func(*os.Root, State) error { return nil })
}

// found returns what is at the place, after do has seen to it.
func (p Place) found(do func(root *os.Root, was State) error) (State, error) {
	root, err := os.OpenRoot(p.Top)
	if err != nil {
		return Missing, err
	}
	defer root.Close()
	was, err := p.state(root)
	if err == nil {
		err = do(root, was)
	}
	return was, err
}

func (p Place) state(root *os.Root) (State, error) {
	info, err := root.Lstat(p.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Missing, nil
	case err != nil:
		return Missing, err
	case !info.Mode().IsRegular() || info.Size() > 1<<20:
		return Foreign, nil
	}
	data, err := root.ReadFile(p.Name)
	if err != nil {
		return Missing, err
	}
	at := markLine.FindStringIndex(string(data))
	switch {
	case string(data) == Text():
		return Current, nil
	case at != nil && mark(string(data[:at[0]])) == string(data[at[0]:]):
		return Old, nil
	}
	return Foreign, nil
}

// Install writes the skill, unless it is there as it is now, and returns what was there. A
// Foreign file is left alone.
func (p Place) Install() (State, error) {
	return p.found(func(root *os.Root, was State) error {
		if was == Current || was == Foreign {
			return nil
		}
		return p.write(root)
	})
}

func (p Place) write(root *os.Root) error {
	if err := root.MkdirAll(path.Dir(p.Name), 0o777); err != nil {
		return err
	}
	temp := p.Name + ".new"
	_ = root.Remove(temp) // of one that was killed
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(Text())
	if err = cmp.Or(err, f.Sync(), f.Close()); err == nil {
		err = root.Rename(temp, p.Name)
	}
	if err != nil {
		_ = root.Remove(temp)
	}
	return err
}

// Remove removes what Install wrote, and the folders that are empty without it. It returns what
// was there.
func (p Place) Remove() (State, error) {
	return p.found(func(root *os.Root, was State) error {
		if was == Missing || was == Foreign {
			return nil
		}
		if err := root.Remove(p.Name); err != nil {
			return err
		}
		for dir := path.Dir(p.Name); strings.Contains(dir, "/"); dir = path.Dir(dir) { // .agents may be there for more
			if root.Remove(dir) != nil { // not empty
				return nil
			}
		}
		_ = root.Remove(path.Dir(path.Dir(path.Dir(p.Name))))
		return nil
	})
}
