package worktree

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Attributes returns the values of attributes that the files of a tree set, by path and name;
// an attribute that is not set is left out. With the tree of another branch, a branch cannot
// exempt its own files from being looked at. (The person's own attributes, which are in no
// tree, count as always.)
func Attributes(ctx context.Context, r *git.Repo, tree string, names, paths []string) (map[string]map[string]string, error) {
	if !hasAttributes(ctx, r, tree, paths) {
		return nil, nil
	}
	found := map[string]map[string]string{}
	_, err := inOwnIndex(r, func(index string) (string, error) {
		env := []string{"GIT_INDEX_FILE=" + index} // check-attr --source needs git 2.40
		if err := r.Run(ctx, git.Command{Args: []string{"read-tree", tree}, Env: env}); err != nil {
			return "", err
		}
		var out strings.Builder
		err := r.Run(ctx, git.Command{
			Args: append([]string{"check-attr", "--cached", "--stdin", "-z"}, names...), Env: env,
			Stdin: nulEnded(paths), Stdout: &out,
		})
		fields := strings.Split(out.String(), "\x00")
		for ; len(fields) >= 3; fields = fields[3:] {
			if fields[2] == "unspecified" {
				continue
			}
			if found[fields[0]] == nil {
				found[fields[0]] = map[string]string{}
			}
			found[fields[0]][fields[1]] = fields[2]
		}
		return "", err
	})
	return found, err
}

// hasAttributes reports whether a tree says anything about one of the paths.
func hasAttributes(ctx context.Context, r *git.Repo, tree string, paths []string) bool {
	looked := map[string]bool{}
	for _, p := range paths {
		for dir := path.Dir(p); !looked[dir]; dir = path.Dir(dir) {
			looked[dir] = true
			if o, err := r.Read(ctx, tree+":"+path.Join(dir, ".gitattributes")); err == nil && o.Type == "blob" {
				return true
			}
		}
	}
	return false
}

// mostConverted is how large a file may be, in bytes, that is compared with what a
// checkout would make of it.
const mostConverted = 32 << 20

// checkedOut returns the files of which a checkout, once they are committed, would have other
// bytes, because of line ends, $Id$, an encoding or a filter: their bytes in such a checkout, by
// path. It takes two processes, or none if nothing is configured about any of that.
func checkedOut(ctx context.Context, r *git.Repo, config *git.Config, paths []string) (map[string][]byte, error) {
	root, err := os.OpenRoot(r.Top)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var files []string
	var names strings.Builder
	for _, p := range paths {
		mode, ok := readable(root, p)
		if info, err := root.Lstat(p); ok && mode != modeLink && err == nil && info.Size() <= mostConverted {
			files = append(files, p)
			names.WriteString(quoted(p) + "\n")
		}
	}
	if len(files) == 0 || !mayConvert(r, config, root, files) {
		return nil, nil
	}
	var out bytes.Buffer
	err = r.Run(ctx, git.Command{Args: []string{"-c", "core.safecrlf=false", "hash-object", "-w", "--stdin-paths"}, Stdin: strings.NewReader(names.String()), Stdout: &out})
	oids := strings.Fields(out.String())
	if err != nil || len(oids) != len(files) {
		return nil, nil // what git refuses it reports when they are staged
	}
	var ask strings.Builder
	var asked []string
	for i, p := range files {
		if !strings.Contains(p, "\n") { // else it does not fit on a line
			asked = append(asked, p)
			fmt.Fprintf(&ask, "%s %s\n", oids[i], p)
		}
	}
	// The size in a header is the one before filters, so a random word separates the files.
	word := rand.Text()
	out.Reset()
	if err := r.Run(ctx, git.Command{Args: []string{"cat-file", "--batch=" + word, "--filters"}, Stdin: strings.NewReader(ask.String()), Stdout: &out}); err != nil {
		return nil, err
	}
	parts := strings.Split("\n"+out.String(), "\n"+word+"\n")[1:]
	if len(parts) != len(asked) {
		return nil, fmt.Errorf("git cat-file --filters gave %d files for %d", len(parts), len(asked))
	}
	parts[len(parts)-1] = strings.TrimSuffix(parts[len(parts)-1], "\n")
	other := map[string][]byte{}
	for i, p := range asked {
		if now, err := root.ReadFile(p); err == nil && string(now) != parts[i] {
			other[p] = []byte(parts[i])
		}
	}
	return other, nil
}

// converts matches attributes that make git convert files.
var converts = visible.NewPattern(`(^|[\s!])(text|eol|crlf|ident|filter|working-tree-encoding)\b`)

// mayConvert reports whether git may convert any of some files, by the configuration and by the
// files of attributes that apply to them.
func mayConvert(r *git.Repo, config *git.Config, root *os.Root, files []string) bool {
	if v, _ := config.Get("core.autocrlf"); v != "" && !strings.EqualFold(v, "false") {
		return true
	}
	outside := []string{filepath.Join(r.CommonDir, "info", "attributes")}
	if home, err := os.UserHomeDir(); err == nil {
		outside = append(outside, filepath.Join(home, ".config", "git", "attributes"))
	}
	if xdg := os.Getenv("XDG_CONFIG_HOME"); xdg != "" {
		outside = append(outside, filepath.Join(xdg, "git", "attributes"))
	}
	if named, ok := config.Get("core.attributesFile"); ok {
		outside = append(outside, r.Expand(named))
	}
	for _, name := range append(outside, "/etc/gitattributes") {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			if text, _ := os.ReadFile(name); converts.Match(text) {
				return true
			}
		}
	}
	seen := map[string]bool{}
	for _, p := range files {
		for dir := path.Dir(p); !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			name := path.Join(dir, ".gitattributes")
			if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() {
				continue
			}
			if text, _ := root.ReadFile(name); converts.Match(text) {
				return true
			}
		}
	}
	return false
}

// modesSince returns the files that were changed since a moment and of which a checkout would have
// another mode, if core.fileMode is off: whether each would be executable, by path. New files,
// added, would not be.
func modesSince(r *git.Repo, since time.Time, added []string) map[string]bool {
	out := map[string]bool{}
	note := func(p string, executable bool) {
		info, err := os.Lstat(filepath.Join(r.Top, filepath.FromSlash(p)))
		if err == nil && info.Mode().IsRegular() && (info.Mode()&0o100 != 0) != executable && !git.Changed(info).Before(since) {
			out[p] = executable
		}
	}
	data, _ := os.ReadFile(r.IndexFile())
	eachEntry(data, len(r.Zero())/2, func(e indexEntry) {
		if e.mode>>12 == 0o10 {
			note(e.name, e.mode&0o100 != 0)
		}
	})
	for _, p := range added {
		note(p, false)
	}
	return out
}

// What is committed may differ from what is in the tree: git converts line ends, removes what
// $Id$ expands to, runs filters, and with core.fileMode off ignores modes. Checks see files as a
// checkout will have them. Afterwards the files are as they were, except those that a check
// wrote.

// AsCommitted makes some files, changed and added, what a checkout would have, until back is
// called, which names them. Modes are looked at if they changed since a moment, and not if that is
// zero.
func AsCommitted(ctx context.Context, r *git.Repo, config *git.Config, changed, added []string, since time.Time) (back func() []string, err error) {
	root, err := os.OpenRoot(r.Top)
	if err != nil {
		return nil, err
	}
	other, err := checkedOut(ctx, r, config, append(changed, added...))
	if err != nil {
		root.Close()
		return nil, err
	}
	var undo []func() string
	for _, path := range slices.Sorted(maps.Keys(other)) {
		info, err := root.Lstat(path)
		if err != nil {
			continue
		}
		was, err := root.ReadFile(path)
		if err != nil || overwriteFile(root, path, info.Mode(), other[path]) != nil {
			continue
		}
		undo = append(undo, func() string {
			if now, err := root.ReadFile(path); err == nil && bytes.Equal(now, other[path]) {
				_ = overwriteFile(root, path, info.Mode(), was)
				_ = root.Chtimes(path, info.ModTime(), info.ModTime())
			}
			return path
		})
	}
	modes := map[string]bool{}
	if !since.IsZero() && !config.Bool("core.filemode", true) {
		modes = modesSince(r, since, added)
	}
	for path, executable := range modes {
		info, err := root.Lstat(path)
		if err != nil {
			continue
		}
		mode := info.Mode().Perm() &^ 0o111
		if executable {
			mode |= 0o100
		}
		if root.Chmod(path, mode) == nil {
			undo = append(undo, func() string {
				_ = root.Chmod(path, info.Mode().Perm())
				return path
			})
		}
	}
	return func() (names []string) {
		defer root.Close()
		for _, do := range undo {
			names = append(names, do())
		}
		return names
	}, nil
}

// overwriteFile writes into a file that may be read-only.
func overwriteFile(root *os.Root, p string, mode fs.FileMode, data []byte) error {
	if mode.Perm()&0o200 == 0 {
		if err := root.Chmod(p, mode.Perm()|0o200); err != nil {
			return err
		}
		defer func() { _ = root.Chmod(p, mode.Perm()) }()
	}
	return root.WriteFile(p, data, mode.Perm())
}
