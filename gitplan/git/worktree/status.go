package worktree

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// Status is the state of a work tree as git sees it. All paths are below the top folder, with
// slashes.
type Status struct {
	Head      string // the commit; empty on an unborn branch
	Branch    string // its short name; empty if HEAD is detached
	Changed   []Change
	Untracked []string // without ignored ones
	Ignored   []string // files, and folders with a slash; only from ReadStatusIgnored
	Artefacts []string // what only tools write and git would not ignore, as in Ignored; see ArtefactLine
	Rewritten []string // tracked files that only tools write, which differ from the index
	Unignored []string // those of Untracked that only rules ignore which do not count; callers set it
	Inside    []string // submodules in which something is not committed
	Unread    []string // what git could not read: folders, with a slash, and files that it reads itself, see git.Repo.Unread
}

// Change is one tracked path that differs from HEAD in the index or the tree.
type Change struct {
	Path     string
	XY       string // as `git status --porcelain=v2` prints it: index, work tree; "." is unchanged
	Unmerged bool

	Submodule bool
}

// Clean reports whether nothing is staged or modified; untracked files do not count.
func (s *Status) Clean() bool { return len(s.Changed) == 0 }

// Paths returns the paths of all changes.
func (s *Status) Paths() []string {
	out := make([]string, len(s.Changed))
	for i, c := range s.Changed {
		out[i] = c.Path
	}
	return out
}

// Unstaged returns the paths whose files differ from the index.
func (s *Status) Unstaged() (out []string) {
	for _, c := range s.Changed {
		if c.Unmerged || c.XY[1] != '.' {
			out = append(out, c.Path)
		}
	}
	return out
}

// ignores reports whether git ignores a path, or a folder above it.
func (s *Status) ignores(path string) bool {
	return slices.ContainsFunc(s.Ignored, func(p string) bool {
		return p == path || strings.HasSuffix(p, "/") && strings.HasPrefix(path, p)
	})
}

// has reports whether a path is changed.
func (s *Status) has(path string) bool {
	return slices.ContainsFunc(s.Changed, func(c Change) bool { return c.Path == path })
}

// Unmerged returns the paths with conflicts that are not resolved.
func (s *Status) Unmerged() (out []string) {
	for _, c := range s.Changed {
		if c.Unmerged {
			out = append(out, c.Path)
		}
	}
	return out
}

// ReadStatus returns the state of the work tree and of its submodules, by one git process and
// one for each submodule. The error is a *BadIndex if git cannot read the index, and a
// *git.Barred if git would wait forever at something.
func ReadStatus(ctx context.Context, r *git.Repo) (*Status, error) { return readStatus(ctx, r) }

// ReadStatusIgnored is ReadStatus with the files and folders that are ignored.
func ReadStatusIgnored(ctx context.Context, r *git.Repo) (*Status, error) {
	return readStatus(ctx, r, "--ignored=matching")
}

func readStatus(ctx context.Context, r *git.Repo, more ...string) (*Status, error) {
	// To look into a submodule git would run git there, under the settings there.
	submodules := "--ignore-submodules=dirty"
	if err := r.BarredAtTop(); err != nil {
		return nil, err
	}
	if r.PrivateWorktree {
		if err := unskip(ctx, r); err != nil {
			return nil, err
		}
	}
	var out, said bytes.Buffer
	err := r.Run(ctx, git.Command{Stdout: &out, Stderr: &said, Args: append([]string{"--no-optional-locks", "status", "--porcelain=v2", "-z", "--branch",
		"--untracked-files=all", submodules, "--no-renames", "--no-ahead-behind"}, more...)})
	if err != nil {
		return nil, orBadIndex(ctx, r, err)
	}
	s := &Status{}
	for _, entry := range strings.Split(out.String(), "\x00") {
		s.add(entry)
	}
	s.ignoreArtefacts(len(more) > 0)
	if said.Len() > 0 { // a warning, perhaps about what it could not read
		s.Unread = slices.DeleteFunc(r.Unread(ctx), s.ignores)
	}
	if r.PrivateWorktree {
		return s, nil // git never checks out a submodule there
	}
	return s, inSubmodules(ctx, r, s)
}

// add adds one entry of git status --porcelain=v2.
func (s *Status) add(entry string) {
	if len(entry) < 2 {
		return
	}
	switch rest := entry[2:]; entry[0] {
	case '#':
		key, value, _ := strings.Cut(rest, " ")
		if key == "branch.oid" && value != "(initial)" {
			s.Head = value
		}
		if key == "branch.head" && value != "(detached)" {
			s.Branch = value
		}
	case '1': // XY sub mH mI mW hH hI path
		if f := strings.SplitN(rest, " ", 8); len(f) == 8 {
			s.Changed = append(s.Changed, Change{Path: f[7], XY: f[0], Submodule: f[1][0] == 'S'})
		}
	case 'u': // XY sub m1 m2 m3 mW h1 h2 h3 path
		if f := strings.SplitN(rest, " ", 10); len(f) == 10 {
			s.Changed = append(s.Changed, Change{Path: f[9], XY: f[0], Unmerged: true})
		}
	case '?':
		s.Untracked = append(s.Untracked, rest)
	case '!':
		s.Ignored = append(s.Ignored, rest)
	}
}

// What compilers, interpreters and test runners write for themselves, whenever they run, is
// no one's work: it never belongs to a commit, and no session can help writing it. A repository
// whose .gitignore lacks a line for it, or that tracks it from of old, is common. So a status has
// it as if that line were there. The list has only names without another meaning: build output has no
// name of its own, and node_modules is committed in some repositories.
var (
	artefactFolders = []string{"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".tox", ".nox", ".nyc_output"}
	artefactFiles   = []string{".coverage", ".DS_Store", "Thumbs.db"}
	fixtureFolders  = []string{"testdata", "fixtures", "fixture", "__fixtures__"}
)

// ArtefactLine returns the line of .gitignore for a path that only a tool writes, and the part of
// the path that it is about; "" for any other path. In a folder of fixtures it may be one.
func ArtefactLine(path string) (line, at string) {
	from := 0
	for name := range strings.SplitSeq(path, "/") {
		to := from + len(name)
		switch last := to == len(path); {
		case slices.Contains(fixtureFolders, name):
			return "", ""
		case !last && slices.Contains(artefactFolders, name):
			return name + "/", path[:to+1]
		case last && slices.Contains(artefactFiles, name):
			return name, path
		}
		from = to + 1
	}
	return "", ""
}

// ignoreArtefacts takes artefacts out of what is changed and untracked, and has them among what is
// ignored if that is asked for. One that is staged or deleted is meant.
func (s *Status) ignoreArtefacts(ignored bool) {
	s.Changed = slices.DeleteFunc(s.Changed, func(c Change) bool {
		line, _ := ArtefactLine(c.Path)
		if line == "" || c.XY != ".M" {
			return false
		}
		s.Rewritten = append(s.Rewritten, c.Path)
		return true
	})
	s.Untracked = slices.DeleteFunc(s.Untracked, func(path string) bool {
		line, at := ArtefactLine(path)
		if line == "" {
			return false
		}
		if !slices.Contains(s.Artefacts, at) {
			s.Artefacts = append(s.Artefacts, at)
			if ignored {
				s.Ignored = append(s.Ignored, at)
			}
		}
		return true
	})
}

// NotIgnored returns those of some paths that git would not ignore if its .gitignore files were
// these: rules has their contents by path. It does not depend on what is in the work tree.
func NotIgnored(ctx context.Context, r *git.Repo, rules map[string][]byte, paths []string) (out []string, err error) {
	_, err = inOwnIndex(r, func(index string) (string, error) {
		top := filepath.Join(filepath.Dir(index), "rules")
		if err := os.Mkdir(top, 0o700); err != nil {
			return "", err
		}
		root, err := os.OpenRoot(top)
		if err != nil {
			return "", err
		}
		defer root.Close()
		for path, text := range rules {
			if err := root.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				return "", err
			}
			if err := root.WriteFile(path, text, 0o600); err != nil {
				return "", err
			}
		}
		ignored, err := checkIgnore(ctx, r, git.Command{Args: []string{"-C", top, "check-ignore", "-z", "--stdin", "--no-index"},
			Env: []string{"GIT_DIR=" + r.GitDir, "GIT_WORK_TREE=" + top}}, paths)
		for _, p := range paths {
			if !ignored[p] {
				out = append(out, p)
			}
		}
		return "", err
	})
	return out, err
}

// WouldIgnore returns those of some paths that git ignores, whether they exist or not. git does
// not ignore what is tracked.
func WouldIgnore(ctx context.Context, r *git.Repo, paths []string) (map[string]bool, error) {
	return checkIgnore(ctx, r, git.Command{Args: []string{"check-ignore", "-z", "--stdin"}}, paths)
}

func checkIgnore(ctx context.Context, r *git.Repo, c git.Command, paths []string) (map[string]bool, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	var out bytes.Buffer
	c.Stdin, c.Stdout = nulEnded(paths), &out
	err := r.Run(ctx, c)
	if git.Code(err) == 1 { // none is ignored
		err = nil
	}
	ignored := map[string]bool{}
	for p := range strings.SplitSeq(strings.TrimSuffix(out.String(), "\x00"), "\x00") {
		ignored[p] = true
	}
	return ignored, err
}
