package worktree

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/pattern"
)

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
var converts = pattern.Of(`(^|[\s!])(text|eol|crlf|ident|filter|working-tree-encoding)\b`)

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
