package skill

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	_ "embed" // for SKILL.md
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
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

// strayEnd ends the name of the file that becomes the skill. One that was killed leaves it, for Remove.
const strayEnd = ".new"

// State is what there is at a place.
type State int

// The states of a place. Only what this program wrote is Current or Old.
const (
	Missing State = iota
	Current
	Old
	Foreign // of somebody else, or changed by hand
)

var words = map[State]string{
	Missing: "not installed", Current: "installed", Old: "installed, of another version: git plan skill install",
	Foreign: "not as git plan wrote it, so it is left alone",
}

// String returns the state in the words for a person.
func (s State) String() string { return words[s] }

// Place is one file where agents find the skill: in a folder of a repository or of the person.
type Place struct {
	Top  string // that folder
	Name string // of the file, below it, with slashes
	Own  bool   // it is the person's, whose links are followed: many keep such files elsewhere
}

// Places returns those below a folder, which may be the person's own.
func Places(top string, own bool) (out []Place) {
	for _, f := range folders {
		out = append(out, Place{top, f + "/git-plan/SKILL.md", own})
	}
	return out
}

// Everywhere returns those of the person, and those of a repository with its work tree at top; "" is
// none.
func Everywhere(top string) (out []Place) {
	if home, err := os.UserHomeDir(); err == nil {
		out = Places(home, true)
	}
	if top != "" {
		out = append(out, Places(top, false)...)
	}
	return out
}

// Renew writes the skill at those places where an older one is.
func Renew(places []Place) error {
	for _, p := range places {
		if state, err := p.State(); err == nil && state == Old {
			if _, err := p.Install(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Path returns where the file is, as the system writes it.
func (p Place) Path() string { return filepath.Join(p.Top, filepath.FromSlash(p.Name)) }

// State looks at the place.
func (p Place) State() (State, error) {
	return p.found(func(spot, State) error { return nil })
}

// spot is a place behind its links: a folder, outside of which nothing is done, and the file's name in it.
type spot struct {
	*os.Root
	name string
}

// found returns what is at the place, after do has seen to it. An error names the place.
func (p Place) found(do func(at spot, was State) error) (State, error) {
	at, err := p.open()
	if err != nil {
		return Missing, p.because(err)
	}
	defer at.Close()
	was, err := at.state()
	if err == nil {
		err = do(at, was)
	}
	return was, p.because(err)
}

func (p Place) because(err error) error {
	if reason := errors.Unwrap(err); reason != nil { // of what the system says, without its own path
		return fmt.Errorf("%s: %w", p.Path(), reason)
	}
	return err
}

// open follows the links on the way to the file, as far as it may.
func (p Place) open() (spot, error) {
	top, below := p.Top, ""
	for part := range strings.SplitSeq(path.Dir(p.Name), "/") {
		below = path.Join(below, part)
		here := filepath.Join(top, filepath.FromSlash(below))
		if info, err := os.Lstat(here); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		real, err := filepath.EvalSymlinks(here)
		switch {
		case err != nil:
			return spot{}, &fault.Fault{Kind: fault.ErrLink, Text: here + " is a link to nothing", Next: "make the folder that it names, then the same command"}
		case p.Own:
			top, below = real, ""
		case !disk.Within(disk.Real(p.Top), real):
			return spot{}, &fault.Fault{Kind: fault.ErrLink, Text: here + " is a link that leads out of the repository", Next: "make it a folder; or for all your repositories: git plan skill install"}
		}
	}
	root, err := os.OpenRoot(top)
	return spot{root, path.Join(below, path.Base(p.Name))}, err
}

func (s spot) state() (State, error) {
	info, err := s.Lstat(s.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Missing, nil
	case err != nil:
		return Missing, err
	case !info.Mode().IsRegular() || info.Size() > 1<<20:
		return Foreign, nil
	}
	data, err := s.ReadFile(s.name)
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
	return p.found(func(at spot, was State) error {
		if was == Current || was == Foreign {
			return nil
		}
		err := at.write()
		if is, _ := at.state(); is == Current { // another git plan was as quick
			return nil
		}
		return err
	})
}

func (s spot) write() error {
	if err := s.MkdirAll(path.Dir(s.name), 0o777); err != nil {
		return err
	}
	temp := s.name + "." + rand.Text() + strayEnd // its own: several may install at once
	f, err := s.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(Text())
	if err = cmp.Or(err, f.Sync(), f.Close()); err == nil {
		err = s.Rename(temp, s.name)
	}
	if err != nil {
		_ = s.Remove(temp)
	}
	return err
}

// Remove removes what Install wrote, and the folders that are empty without it, but no link. It
// returns what was there.
func (p Place) Remove() (State, error) {
	return p.found(func(at spot, was State) error {
		if was == Missing || was == Foreign {
			return nil
		}
		if err := at.Remove(at.name); err != nil {
			return err
		}
		strays, _ := fs.Glob(at.FS(), at.name+".*"+strayEnd)
		for _, stray := range strays {
			_ = at.Remove(stray)
		}
		for dir := path.Dir(at.name); dir != "."; dir = path.Dir(dir) {
			if info, err := at.Lstat(dir); err != nil || !info.IsDir() || at.Remove(dir) != nil { // it holds more
				break
			}
		}
		return nil
	})
}
