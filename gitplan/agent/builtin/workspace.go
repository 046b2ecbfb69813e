package builtin

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// workspace is the tree a session works in, as its tools see it. File names are confined twice: locate
// refuses what leads out or to git's own files, and os.Root cannot be led out by links that change meanwhile.
type workspace struct {
	dir  string
	real string // dir with its links followed
	root *os.Root
	env  []string    // the environment of commands, without the model's key
	life *agent.Life // the session's limits

	confine *proc.Confinement // the bounds of commands
	window  int               // the model's context in tokens, on which the size of answers depends; 0 if unknown

	mu    sync.Mutex
	known map[string][sha256.Size]byte // the hash of each file as the session last saw or wrote it
}

const (
	smallWindow = 32_000  // the context, in tokens, up to which answers are halved
	largeWindow = 64_000  // the context, in tokens, from which answers are larger
	maxFile     = 8 << 20 // the maximum size of files that are read and edited, in bytes
)

// limit returns a limit of an answer, halved if the model's context is small.
func (w *workspace) limit(n int) int {
	if w.window > 0 && w.window <= smallWindow {
		return n / 2
	}
	return n
}

// openWorkspace opens a session's tree. What its commands inherit has no variable with the key.
func openWorkspace(s agent.Session, key string, life *agent.Life) (*workspace, error) {
	real, err := filepath.EvalSymlinks(s.Dir)
	var root *os.Root
	if err == nil {
		root, err = os.OpenRoot(s.Dir)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot open the session's tree: %w", err)
	}
	env := s.Env
	if env == nil { // nil would be our own environment, with the key in it
		env = proc.CheckEnv(nil)
	}
	env = slices.DeleteFunc(slices.Clone(env),
		func(kv string) bool { _, v, _ := strings.Cut(kv, "="); return key != "" && v == key })
	if s.ID != "" {
		env = append(env, proc.EnvSession+"="+s.ID)
	}
	seen := map[string][sha256.Size]byte{}
	maps.Copy(seen, s.Prompt.Holds)
	return &workspace{dir: s.Dir, real: real, root: root, env: env, life: life, confine: s.Confine, known: seen}, nil
}

// locate returns the path of the file that a model named, relative to the tree, with all links followed.
func (w *workspace) locate(name string) (string, error) {
	if name == "" || strings.ContainsRune(name, 0) {
		return "", errors.New("the path is empty or not valid")
	}
	outside := fmt.Errorf("%s is outside the work tree", name)
	at, missing := filepath.FromSlash(name), ""
	if !filepath.IsAbs(at) {
		at = w.dir + string(filepath.Separator) + at
	}
	real, err := filepath.EvalSymlinks(at)
	for err != nil {
		if _, nowhere := os.Lstat(at); nowhere == nil || at == filepath.Dir(at) { // a link to nothing, or to itself
			return "", outside
		}
		at, missing = filepath.Dir(at), filepath.Join(filepath.Base(at), missing)
		real, err = filepath.EvalSymlinks(at)
	}
	real, err = filepath.Rel(w.real, filepath.Join(real, missing))
	if err != nil || !filepath.IsLocal(real) {
		return "", outside
	}
	real = filepath.ToSlash(real)
	for part := range strings.SplitSeq(real, "/") {
		if worktree.IsDotGit(part) || strings.HasPrefix(strings.ToLower(part), "git~") { // by any short name
			return "", fmt.Errorf("%s is git's own; it cannot be read or changed here", name)
		}
	}
	return real, nil
}

// readFile returns the content of a file that locate found.
func (w *workspace) readFile(file string) ([]byte, fs.FileInfo, error) {
	info, err := w.root.Stat(file)
	switch {
	case err != nil:
		return nil, nil, plainError(file, err)
	case info.IsDir():
		return nil, nil, fmt.Errorf("%s is a folder", file)
	case !info.Mode().IsRegular(): // opening a pipe would wait for its writer
		return nil, nil, fmt.Errorf("%s is not a regular file", file)
	case info.Size() > maxFile:
		return nil, nil, fmt.Errorf("%s is too large (%d bytes; at most %d)", file, info.Size(), maxFile)
	}
	f, err := w.root.Open(file)
	if err != nil {
		return nil, nil, plainError(file, err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, nil, plainError(file, err)
	}
	return b, info, nil
}

// open reads the text file that a model named. The error for a missing file suggests similar ones.
func (w *workspace) open(ctx context.Context, name string) (file string, content []byte, info fs.FileInfo, err error) {
	if file, err = w.locate(name); err == nil {
		content, info, err = w.readFile(file)
	}
	if isBinary(content) {
		err = fmt.Errorf("%s is binary, %d bytes", file, len(content))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return file, content, info, err
	}
	// Files of the same name in other folders come first, then those with similar names.
	_, files, _ := w.filesIn(ctx, ".", "")
	for _, least := range []float64{1, 0.8} {
		var found []string
		for _, f := range files {
			if visible.Likeness(path.Base(f), path.Base(file)) >= least {
				found = append(found, agent.OneLine(f, 500))
			}
		}
		if len(found) > 0 {
			err = fmt.Errorf("%w; there is %s", err, strings.Join(found[:min(len(found), 5)], ", "))
			break
		}
	}
	return file, nil, nil, err
}

// replaceFile writes a file in one step. A new file gets mode 0666 less the umask; folders are made.
func (w *workspace) replaceFile(file string, content []byte, old fs.FileInfo) error {
	if first, _, _ := strings.Cut(file, "/"); strings.EqualFold(first, ".gitplan") {
		return fmt.Errorf("%s belongs to the plan; no session changes it", file)
	}
	dir := path.Dir(file)
	if err := w.root.MkdirAll(dir, 0o777); err != nil {
		return plainError(dir, err)
	}
	temp := path.Join(dir, ".git-plan-"+rand.Text())
	f, err := w.root.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return plainError(file, err)
	}
	_, err = f.Write(content)
	if old != nil && err == nil {
		err = f.Chmod(old.Mode().Perm())
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = w.root.Rename(temp, file)
	}
	if err != nil {
		_ = w.root.Remove(temp)
		return plainError(file, err)
	}
	w.remember(file, content)
	return nil
}

// remember records the hash of a file that the session saw or wrote.
func (w *workspace) remember(file string, content []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.known[file] = sha256.Sum256(content)
}

// changedSince reports whether a file differs from what the session last saw, and whether it saw it.
func (w *workspace) changedSince(file string, content []byte) (changed, known bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	sum, known := w.known[file]
	return known && sum != sha256.Sum256(content), known
}

// plainError names the file and the problem, without the tree's own path.
func plainError(file string, err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return fmt.Errorf("%s: %w", file, err)
}

func isBinary(b []byte) bool { return bytes.IndexByte(b[:min(len(b), 8000)], 0) >= 0 }
