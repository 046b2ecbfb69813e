package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/settings"
)

// What one command notes for the next to act on is not kept below .git, where a session may
// write under some sandboxes, but where it may under none: in the state folder, beside the
// clones. Only if that cannot be written is it kept in .git, and believed there.

// Notes are the notes of one kind about one repository.
type Notes struct {
	Dir      string // empty: there is no state folder
	fallback string
}

// NotesOf returns the notes of a kind about a repository.
func NotesOf(r *git.Repo, kind string) Notes {
	n := Notes{fallback: r.PlanDir(kind)}
	if state, err := StateFolder(); err == nil {
		sum := sha256.Sum256([]byte(r.CommonDir))
		n.Dir = filepath.Join(state, "git-plan", kind, hex.EncodeToString(sum[:12]))
	}
	return n
}

// Dirs returns the folders in which notes are looked for. They are written to the first that
// accepts them.
func (n Notes) Dirs() []string {
	switch _, err := os.Lstat(n.fallback); {
	case n.Dir == "":
		return []string{n.fallback}
	case n.fallback == "":
		return []string{n.Dir}
	case err == nil && CanWrite(n.Dir): // then none of ours is in the other
		return []string{n.Dir}
	}
	return []string{n.Dir, n.fallback}
}

// CanWrite reports whether files can be made in a folder, which need not exist.
func CanWrite(dir string) bool {
	if _, known := foldersTried.Load(dir); known {
		return true
	}
	if os.MkdirAll(dir, 0o700) != nil {
		return false
	}
	defer removeEmpty(dir)
	f, err := os.CreateTemp(dir, ".tmp-")
	if err != nil {
		return false
	}
	_ = f.Close()
	if os.Remove(f.Name()) != nil {
		return false
	}
	foldersTried.Store(dir, true)
	return true
}

// foldersTried are the folders in which CanWrite has made a file: a run asks many times.
var foldersTried sync.Map

// removeEmpty removes the folder of a repository's notes, and that of their kind, if they
// are empty.
func removeEmpty(dir string) {
	if os.Remove(dir) == nil {
		_ = os.Remove(filepath.Dir(dir))
	}
}

// Note is a file that is read as a whole and replaced as a whole.
type Note struct {
	Of   Notes
	Name string
}

// Read returns the content of a note, or fs.ErrNotExist.
func (n Note) Read() ([]byte, error) {
	for _, path := range n.Paths() {
		if data, err := ReadRegular(path); err == nil {
			return data, nil
		}
	}
	return nil, fs.ErrNotExist
}

// Paths returns the files in which the note is looked for.
func (n Note) Paths() (out []string) {
	for _, dir := range n.Of.Dirs() {
		out = append(out, filepath.Join(dir, n.Name))
	}
	return out
}

// Write replaces the note.
func (n Note) Write(data []byte) (err error) {
	for _, dir := range n.Of.Dirs() {
		for range 3 { // the end of another task may take an empty folder away
			if err = WriteFile(filepath.Join(dir, n.Name), data); err == nil {
				return nil
			}
		}
	}
	return err
}

// append adds to a note without replacing it, which is ten times faster. It fails unless the
// note lies in the state folder: there no session can write, and nobody else does.
func (n Note) append(data []byte) error {
	if n.Of.Dir == "" {
		return fs.ErrNotExist
	}
	f, err := os.OpenFile(filepath.Join(n.Of.Dir, n.Name), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// Remove removes the note, and its folder if that is empty.
func (n Note) Remove() {
	for _, dir := range n.Of.Dirs() {
		_ = os.Remove(filepath.Join(dir, n.Name))
		if dir == n.Of.Dir {
			removeEmpty(dir)
		} else {
			_ = os.Remove(dir) // in .git: if it is empty
		}
	}
}

// NoteExt ends the name of a note.
const NoteExt = ".note"

// EncodeNote encodes a value and keeps every byte of its strings: names of files need not be
// UTF-8, which JSON requires.
func EncodeNote(v any) ([]byte, error) {
	var out bytes.Buffer
	err := gob.NewEncoder(&out).Encode(v)
	return out.Bytes(), err
}

// DecodeNote decodes what EncodeNote made.
func DecodeNote(data []byte, v any) error { return gob.NewDecoder(bytes.NewReader(data)).Decode(v) }

// Note returns the note of a name.
func (n Notes) Note(name string) Note { return Note{n, name} }

// WriteFile replaces a private file whole: another process sees the old or the
// new one.
func WriteFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".tmp-")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
	return err
}

// ReadRegular reads a regular file. It follows no link, and never opens a pipe, which would
// not end.
func ReadRegular(path string) ([]byte, error) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return nil, fs.ErrNotExist
	}
	return os.ReadFile(path)
}

// StateFolder returns the folder for what programs keep across restarts: XDG_STATE_HOME, or
// ~/.local/state.
func StateFolder() (string, error) {
	if state := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return state, nil
	}
	home, err := settings.HomeFolder()
	return filepath.Join(home, ".local", "state"), err
}

// Mark is a folder below <common dir>/plan with a file for each plan that the
// hooks have something to do for; without one the folder is gone too. The lines
// in git's hooks look for it, so that most commits, checkouts and rebases start
// no program. A mark decides nothing: one that a crash left behind costs a look
// at the plan, and one that is missing is set again by the plan's next event.
type Mark string

// The marks.
const (
	MarkAttached Mark = "attached" // a branch has the plan, or had it and was deleted since
	MarkOpen     Mark = "open"     // a step of it is open by git plan next
)

// Set marks a plan. A failure is no error: only hooks miss the mark.
func (m Mark) Set(r *git.Repo, id string) {
	path := r.PlanDir(string(m), id)
	if _, err := os.Lstat(path); err != nil {
		_ = WriteFile(path, nil)
	}
}

// Clear takes a plan's mark away.
func (m Mark) Clear(r *git.Repo, id string) {
	path := r.PlanDir(string(m), id)
	_ = os.Remove(path)
	_ = os.Remove(filepath.Dir(path)) // which fails while another plan has its mark there
}

// Plans returns the ids of the plans that have the mark.
func (m Mark) Plans(r *git.Repo) []string {
	entries, _ := os.ReadDir(r.PlanDir(string(m)))
	var ids []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") { // one that is just being written
			ids = append(ids, e.Name())
		}
	}
	return ids
}
