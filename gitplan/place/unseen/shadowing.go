package unseen

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
)

// Checks look for programs in the tree, too: in what a virtual environment or a package manager
// puts on PATH. git ignores these folders, so no diff shows what was added there.

// systems are programs that come with a system, and that nothing installs into a tree.
var systems = strings.Fields("awk basename bash cat chmod cmp comm cp cut date dd diff dirname echo env expr false find fgrep egrep grep head id " +
	"install ln ls make gmake mkdir mktemp mv od printf ps pwd readlink realpath rm rmdir sed sh sleep sort stat tail tar tee test timeout touch tr true " +
	"uname uniq wc xargs zsh dash git")

// programFolders are the folders of programs, relative to a folder that git ignores.
var programFolders = []string{"", "bin", ".bin", "Scripts", "node_modules/.bin"}

// mostPrograms bounds the programs of a folder that are looked at.
const mostPrograms = 10_000

// Shadowing returns programs that were added in such folders since a moment, and that would run
// in place of the system's own.
func (l Look) Shadowing(s *worktree.Status, since time.Time) (out []string) {
	root, err := os.OpenRoot(l.Tree.Top)
	if err != nil {
		return nil
	}
	defer root.Close()
	for _, ignored := range s.Ignored {
		if !strings.HasSuffix(ignored, "/") {
			if file := path.Clean(ignored); shadowsSystems(file) && inProgramFolder(file) && l.cameSince(root, file, since) {
				out = append(out, file)
			}
			continue
		}
		for _, below := range programFolders {
			dir := path.Join(ignored, below)
			if below == "" && !inProgramFolder(dir+"/x") {
				continue
			}
			for _, name := range programsIn(root, dir) {
				if file := path.Join(dir, name); shadowsSystems(file) && l.cameSince(root, file, since) {
					out = append(out, file)
				}
			}
		}
	}
	return out
}

// shadowsSystems reports whether a program has the name of one of the system's.
func shadowsSystems(p string) bool {
	return slices.Contains(systems, strings.TrimSuffix(path.Base(p), ".exe"))
}

// inProgramFolder reports whether a path lies in a folder of programs.
func inProgramFolder(p string) bool {
	name := path.Base(path.Dir(p))
	return name != "." && slices.Contains(programFolders, name)
}

// programsIn returns the names in a folder.
func programsIn(root *os.Root, dir string) (names []string) {
	f, err := root.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ = f.Readdirnames(mostPrograms)
	return names
}

// cameSince reports whether a program was written since some time. A link out of the tree counts
// by what it leads to.
func (l Look) cameSince(root *os.Root, name string, since time.Time) bool {
	info, err := root.Lstat(name)
	if err != nil || info.IsDir() || git.Changed(info).Before(since) || l.byCheck(name) {
		return false
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		return true
	}
	_, err = root.Stat(name)
	return err == nil
}
