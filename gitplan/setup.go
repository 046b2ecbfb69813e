package gitplan

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// setup is what of a repository decides which commands run and who may do
// what: where it is, its configuration, that of its submodules, the files of the tree that its commands name, its hooks, where its
// objects come from, its .gitplan folder, and of what this program keeps in the common dir that which is this plan's: its approval, its
// marks, and where the review of its branch is. A session, and the checks that
// run what it wrote, must leave all of it alone.
//
// The rest of <common dir>/plan lets nothing happen here: locks, transcripts,
// texts in an editor and what belongs to other plans. The commands of a person
// in another terminal write it at any time. Only what other plans are allowed,
// and what reviews have let pass, is told where it changed, so that nothing is
// approved unseen.
type setup struct {
	places    map[string]fs.FileInfo       // folders, by path: each must still be the same one
	modules   []git.Submodule              // those that were checked out
	files     map[string][sha256.Size]byte // by path
	elsewhere map[string][sha256.Size]byte // by path, see grantsElsewhere
	config    map[string][sha256.Size]byte // the files of the configuration
	approval  []byte                       // of the branch's plan, to be put back
	untouched *git.Config
	bases     map[string]string // what the work is compared with, see Worker.bases
}

// readSetup fingerprints the set-up: files are read here, no process is started.
func (w *Worker) readSetup() setup { return w.readSetupOf(w.Repo.Submodules()) }

// readSetupOf is readSetup where these submodules are, or were, checked out.
func (w *Worker) readSetupOf(modules []git.Submodule) setup {
	r := w.Repo
	s := setup{files: map[string][sha256.Size]byte{}, config: map[string][sha256.Size]byte{}, places: map[string]fs.FileInfo{}, modules: modules, untouched: w.Config.git}
	for _, dir := range []string{r.Top, r.GitDir, r.CommonDir} {
		if info, err := os.Stat(dir); err == nil {
			s.places[dir] = info
		}
	}
	for _, m := range modules {
		for _, f := range m.Files(r.Top) {
			s.file(f)
		}
	}
	s.elsewhere = w.grantsElsewhere()
	for _, f := range w.Config.git.Files() {
		s.config[f] = sumOf(f)
	}
	for _, name := range []string{"info/attributes", "info/exclude", "info/grafts", "objects/info/alternates"} {
		s.file(filepath.Join(r.CommonDir, name))
	}
	s.file(filepath.Join(r.GitDir, "commondir"))
	for _, key := range []string{"core.excludesFile", "core.attributesFile"} {
		if path, ok := w.Config.git.Get(key); ok {
			s.file(r.Expand(path))
		}
	}
	for _, top := range []string{r.Top, w.tree().Top} {
		for _, f := range w.Config.commandFiles(top) {
			s.file(f)
		}
	}
	s.folder(r.HooksDir)
	s.folder(filepath.Join(r.Top, ".gitplan"))
	if w.clone != nil {
		s.folder(filepath.Join(w.clone.Top, ".gitplan"))
		if rel, err := filepath.Rel(r.Top, r.HooksDir); err == nil && filepath.IsLocal(rel) && !proc.Within(r.GitDir, r.HooksDir) {
			s.folder(filepath.Join(w.clone.Top, rel)) // hooks that git tracks
		}
		for _, name := range []string{"HEAD", "config.worktree", "info/sparse-checkout"} {
			s.file(filepath.Join(w.clone.GitDir, name))
		}
	}
	s.folder(ReviewDir(r, w.Branch))
	if w.Doc != nil {
		s.file(approvalPath(r, w.Doc.ID))
		s.file(r.PlanDir(string(MarkAttached), w.Doc.ID))
		s.file(r.PlanDir(string(MarkOpen), w.Doc.ID))
		s.approval, _ = ApprovedMeaning(r, w.Doc.ID)
	}
	return s
}

func (s setup) file(path string) {
	if sum := sumOf(path); sum != ([sha256.Size]byte{}) {
		s.files[path] = sum
	}
}

func (s setup) folder(dir string) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			s.file(path)
		}
		return nil
	})
}

// grantsElsewhere fingerprints, by path, what lets something pass that is not this
// plan's: what is approved of the other plans here, and the verdicts of reviews.
func (w *Worker) grantsElsewhere() map[string][sha256.Size]byte {
	s := setup{files: map[string][sha256.Size]byte{}}
	entries, _ := os.ReadDir(w.Repo.PlanDir())
	for _, e := range entries {
		if w.Doc == nil || e.Name() != w.Doc.ID {
			s.file(approvalPath(w.Repo, e.Name()))
		}
	}
	s.folder(VerdictDir(w.Repo))
	return s.files
}

// grantedMeanwhile tells which other plans were approved, and which verdicts
// written, since a set-up was taken: by a person in another work tree, or by the
// session.
func (w *Worker) grantedMeanwhile(before setup) []string {
	var out []string
	for path, sum := range w.grantsElsewhere() {
		switch dir := filepath.Dir(path); {
		case before.elsewhere[path] == sum:
		case dir == VerdictDir(w.Repo):
			out = append(out, "the verdict of a review was written meanwhile; if no review of yours ended, remove it: "+w.shortPath(path))
		default:
			out = append(out, fmt.Sprintf("plan %s was approved meanwhile; if it was not you, take it back on its branch: git plan approve --revoke", oneLine(filepath.Base(dir), 80)))
		}
	}
	slices.Sort(out)
	return out
}

// sumOf fingerprints a file with its mode, and a link with where it leads too; zero
// where there is none. Only a regular file is read: a pipe or a device never ends.
func sumOf(path string) (sum [sha256.Size]byte) {
	info, err := os.Lstat(path)
	if err != nil {
		return sum
	}
	h := sha256.New()
	if to, err := os.Stat(path); err == nil && to.Mode().IsRegular() {
		if f, err := os.Open(path); err == nil {
			_, _ = io.Copy(h, f)
			_ = f.Close()
		}
	}
	link, _ := os.Readlink(path) // empty for what is none
	fmt.Fprintf(h, "\x00%v\x00%s", info.Mode(), link)
	h.Sum(sum[:0])
	return sum
}

// changedSetup names what differs from a set-up taken before. It comes before every git
// that is run after a session, which might execute what is set up now. Only if a file of
// the configuration was written is git asked what it says, and that executes nothing. Of
// the keys of branches, which editors and `push -u` write at any time, only those count
// that send a push elsewhere; whether this branch lost its plan is reported apart, since
// that is put back.
//
// If the repository is gone, or another one is in its place, there is nothing to go on
// with: ErrNoLonger.
func (w *Worker) changedSetup(ctx context.Context, before setup) (out []string, lost bool, err error) {
	now := w.readSetupOf(before.modules)
	for path, was := range before.places {
		switch is := now.places[path]; {
		case is == nil:
			return nil, false, fault(ErrNoLonger, "%s was removed during the session; what it held is gone with it", oneLine(path, 400))
		case !os.SameFile(was, is):
			return nil, false, fault(ErrNoLonger, "%s was replaced by another folder during the session", oneLine(path, 400))
		}
	}
	for path, sum := range before.files {
		if now.files[path] != sum {
			out = append(out, w.shortPath(path))
		}
	}
	for path := range now.files {
		if _, ok := before.files[path]; !ok {
			out = append(out, w.shortPath(path))
		}
	}
	slices.Sort(out)
	for path, sum := range before.config {
		if sumOf(path) == sum {
			continue
		}
		config, err := w.Repo.Config(ctx)
		if err != nil {
			return nil, false, err
		}
		for _, key := range before.untouched.Differs(config, func(key string) bool {
			return strings.HasPrefix(key, "branch.") && !redirectsPush(key, before.untouched, config)
		}) {
			out = append(out, "the configuration ("+oneLine(key, 100)+")")
		}
		if w.Doc != nil {
			id, _ := config.Get(planKey(w.Branch))
			lost = id != w.Doc.ID
		}
		break
	}
	return out, lost, nil
}

// redirectsPush reports that a key of a branch, as it is now, sends the person's next push
// to another place. Setting up a branch to follow a remote that there was does not.
func redirectsPush(key string, before, now *git.Config) bool {
	value, set := now.Get(key)
	switch {
	case strings.HasSuffix(key, ".pushremote"):
		return set
	case strings.HasSuffix(key, ".remote"):
		_, known := before.Get("remote." + value + ".url")
		return set && value != "." && !known
	}
	return false
}

// putSetupBack restores what is this program's own: which plan the branch has,
// and what was approved of it. Everything else the person looks at.
func (w *Worker) putSetupBack(ctx context.Context, before setup) error {
	if w.Doc == nil {
		return nil
	}
	if now, err := ApprovedMeaning(w.Repo, w.Doc.ID); err != nil || !bytes.Equal(now, before.approval) {
		if before.approval == nil {
			_ = os.Remove(approvalPath(w.Repo, w.Doc.ID))
		} else if err := WriteFile(approvalPath(w.Repo, w.Doc.ID), before.approval); err != nil {
			return err
		}
	}
	if id, err := w.Repo.Output(ctx, "config", "--get", planKey(w.Branch)); err != nil || id != w.Doc.ID {
		return w.Attach(ctx, w.Doc.ID)
	}
	return nil
}

// shortPath is a path as a person would say it in this repository.
func (w *Worker) shortPath(path string) string {
	for _, top := range []string{w.Repo.Top, w.tree().Top} {
		if rel, err := filepath.Rel(top, path); err == nil && !strings.HasPrefix(rel, "..") {
			path = rel
		}
	}
	return oneLine(path, 200)
}
