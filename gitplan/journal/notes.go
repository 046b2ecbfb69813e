package journal

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/settings"
)

// Notes are the notes of one kind about one repository, which one command leaves for the next.
type Notes struct{ Dir string }

// NotesOf returns the notes of a kind in the state folder, where no session may write; without one in .git.
func NotesOf(r *git.Repo, kind string) Notes {
	state, err := StateFolder()
	if err != nil {
		return Notes{r.PlanDir(kind)}
	}
	sum := sha256.Sum256([]byte(r.CommonDir))
	return Notes{filepath.Join(state, "git-plan", kind, hex.EncodeToString(sum[:12]))}
}

// NotesWithin is NotesOf for notes about files and refs, which a new repository at the same path does not inherit.
func NotesWithin(r *git.Repo, kind string) Notes {
	return Notes{NotesOf(r, kind).Dir + "-" + proc.Born(r.CommonDir)}
}

// Note returns the note with a name.
func (n Notes) Note(name string) Note { return Note{filepath.Join(n.Dir, name)} }

// Note is a file that is read as a whole and replaced as a whole.
type Note struct{ Path string }

// Read returns the content of a note, or fs.ErrNotExist.
func (n Note) Read() ([]byte, error) { return disk.ReadRegular(n.Path) }

func (n Note) Write(data []byte) (err error) {
	for range 3 { // the end of another task may remove the folder while it is empty
		if err = WriteFile(n.Path, data); err == nil {
			return nil
		}
	}
	return err
}

// Remove removes the note, and its folders if they are empty.
func (n Note) Remove() {
	_ = os.Remove(n.Path)
	if dir := filepath.Dir(n.Path); os.Remove(dir) == nil {
		_ = os.Remove(filepath.Dir(dir))
	}
}

// NoteExt ends the name of a note.
const NoteExt = ".note"

// Save replaces the note by a value, and keeps every byte of its strings: file names need not be UTF-8.
func (n Note) Save(v any) error {
	var out bytes.Buffer
	if err := gob.NewEncoder(&out).Encode(v); err != nil {
		return err
	}
	return n.Write(out.Bytes())
}

// Load reads what Save wrote.
func (n Note) Load(v any) error {
	data, err := n.Read()
	if err != nil {
		return err
	}
	return gob.NewDecoder(bytes.NewReader(data)).Decode(v)
}

// Loaded returns what Save wrote, or the zero value if that cannot be read.
func Loaded[T any](n Note) (v T) {
	if n.Load(&v) != nil {
		return *new(T)
	}
	return v
}

// WriteFile replaces a private file whole: another process sees the old or the new one.
func WriteFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".tmp-")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
	return err
}

// StateFolder returns the folder for what programs keep across restarts: XDG_STATE_HOME, or ~/.local/state.
func StateFolder() (string, error) {
	if state := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return state, nil
	}
	home, err := settings.HomeFolder()
	return filepath.Join(home, ".local", "state"), err
}

// Mark is a folder below <common dir>/plan with a file for each plan that concerns git's hooks. The shell lines in the
// hooks test for it, so that most git commands start no program. A mark decides nothing: with a stale one the program
// starts and reads the plan, and the plan's next event sets a missing one.
type Mark string

const (
	MarkAttached Mark = "attached" // a branch has the plan, or had it and was deleted since
	MarkOpen     Mark = "open"     // a step of it was opened by git plan next
)

// Set marks a plan; only hooks miss a mark that cannot be written.
func (m Mark) Set(r *git.Repo, id string) {
	path := r.PlanDir(string(m), id)
	_, unmarked := os.Lstat(path)
	if _, err := os.Stat(r.CommonDir); unmarked != nil && err == nil { // not where the repository was moved away
		_ = WriteFile(path, nil)
	}
}

// Clear takes a plan's mark away.
func (m Mark) Clear(r *git.Repo, id string) {
	path := r.PlanDir(string(m), id)
	_ = os.Remove(path)
	_ = os.Remove(filepath.Dir(path)) // fails while another plan has the mark
}

// Plans returns the ids of the plans that have the mark.
func (m Mark) Plans(r *git.Repo) []string {
	entries, _ := os.ReadDir(r.PlanDir(string(m)))
	var ids []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") { // WriteFile's temporary file
			ids = append(ids, e.Name())
		}
	}
	return ids
}

// keptTips is the number of trusted tips: several, since a tip is recorded before the ref moves, which may fail.
const keptTips = 8

// TipsNote returns the note of the tips of a plan that this clone wrote or knowingly fetched. Others can write to
// the chain too, so nothing of the plan runs until a person was shown such events and approved it.
func TipsNote(r *git.Repo, id string) Note { return NotesOf(r, "tips").Note(id + NoteExt) }

// TrustedTips returns the last few trusted tips, the newest last.
func TrustedTips(r *git.Repo, id string) []string {
	text, _ := TipsNote(r, id).Read()
	tips := strings.Fields(string(text))
	return tips[max(0, len(tips)-keptTips):]
}

// TrustTip trusts a commit as the next of a plan's chain if the one it builds on ("" for none) is trusted.
func TrustTip(r *git.Repo, id, before, tip string) error {
	tips := TrustedTips(r, id)
	if before != "" && !slices.Contains(tips, before) {
		return nil
	}
	tips = slices.DeleteFunc(tips, func(t string) bool { return t == before }) // so that failed moves do not push it out
	return TipsNote(r, id).Write([]byte(strings.Join(append(tips, before, tip), "\n") + "\n"))
}

// Unverified returns the events since the last one that this clone wrote or fetched, oldest first.
func (s *Store) Unverified(d *Document) []Event {
	tips, from := TrustedTips(s.Repo, d.ID), len(d.Events)
	for from > 0 && !slices.Contains(tips, d.Events[from-1].Commit) {
		from--
	}
	if from == 0 { // more events than keptTips may have been written since d was read
		now, err := s.Newer(context.Background(), d)
		read := func(e Event) bool { return e.Commit == d.Tip }
		if err == nil && now.Tip != d.Tip && slices.ContainsFunc(now.Events, read) {
			return s.Unverified(now)
		}
	}
	return d.Events[from:]
}
