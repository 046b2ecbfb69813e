package integrity

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Snapshot is everything about a repository that decides which commands run and who may do what: where it is,
// its configuration and that of its submodules and other work trees, the files of the tree that its commands
// name, its hooks, where its objects come from, .gitplan, this plan's approval, marks and dismissals, and the
// review of its branch. A session, and the checks that run what it wrote, must leave all of it alone.
//
// Locks, transcripts and what belongs to other plans cannot make anything happen here, and a person in another
// terminal writes those at any time. The approvals of other plans and the verdicts of reviews are only reported
// if they changed, so that nothing is approved unseen.
type Snapshot struct {
	Files   sums
	Config  sums // the files of the configuration
	grants  sums // the approvals of all plans, and the verdicts of reviews
	Keys    git.Sums
	Special map[string]string // see git.SpecialFiles
	Head    []byte            // the file HEAD

	places map[string]fs.FileInfo // folders, by path: each must still be the same one
	clone  fs.FileInfo            // where the session works, if that is a clone
}

// Granted names the approvals of other plans and the verdicts of reviews that were written since s was read; ""
// if there are none.
func (at Target) Granted(s Snapshot) string {
	changed := slices.DeleteFunc(s.grants.changed(), func(path string) bool {
		return at.Plan != "" && path == approvalNote(at.Repo, at.Plan).Path
	})
	if len(changed) == 0 {
		return ""
	}
	return "approvals or verdicts were written during the session; if that was not you, remove them: " + visible.Few(changed)
}

// Tampered returns the reason that fails a session, by what it did.
func Tampered(did ...string) string { return "tampering: " + strings.Join(did, "; ") }

// ChangedDuring says what changed during a session.
func ChangedDuring(changed []string) string {
	return "changed during the session: " + strings.Join(changed, ", ")
}

// Target is what the set-up of a session is read from.
type Target struct {
	Repo         *git.Repo
	Config       *settings.Config
	Clone        *git.Repo // whose files the session is given; nil: it is given the work tree
	Plan, Branch string    // no plan: the session is a review's
	Slot         string    // of the plan
}

// tops returns the folders that the session sees.
func (at Target) tops() []string {
	if at.Clone == nil {
		return []string{at.Repo.Top}
	}
	return []string{at.Repo.Top, at.Clone.Top}
}

// Read fingerprints the set-up: it reads files, and starts no process.
func (at Target) Read() Snapshot {
	r := at.Repo
	s := Snapshot{places: map[string]fs.FileInfo{}, Keys: at.Config.Git.Sums(), Special: git.SpecialFiles(r)}
	for _, dir := range []string{r.Top, r.GitDir, r.CommonDir} {
		if info, err := os.Stat(dir); err == nil {
			s.places[dir] = info
		}
	}
	files, folders := worktree.Neighbours(r)
	s.Files.add(append(files, at.Config.Git.InactiveIncludes(r.Top)...)...)
	for _, dir := range folders {
		s.Files.addFolder(dir)
	}
	s.Head, _ = journal.ReadRegular(filepath.Join(r.GitDir, "HEAD"))
	s.Config.add(at.Config.Git.Files()...)
	for _, name := range []string{"info/attributes", "info/exclude", "info/grafts", "objects/info/alternates"} {
		s.Files.add(filepath.Join(r.CommonDir, name))
	}
	s.Files.add(filepath.Join(r.GitDir, "commondir"))
	for _, key := range []string{"core.excludesFile", "core.attributesFile"} {
		if path, ok := at.Config.Git.Get(key); ok {
			s.Files.add(r.Expand(path))
		}
	}
	for _, top := range at.tops() {
		s.Files.add(commandFiles(at.Config, top, r.GitDir, r.CommonDir)...)
		s.Files.add(filepath.Join(top, ".lfsconfig")) // where git-lfs sends things, with which password
	}
	s.Files.addFolder(r.HooksDir)
	s.Files.addFolder(filepath.Join(r.Top, ".gitplan"))
	if at.Clone != nil {
		s.clone, _ = os.Lstat(at.Clone.Top)
		s.Files.addFolder(filepath.Join(at.Clone.Top, ".gitplan"))
		if rel, err := filepath.Rel(r.Top, r.HooksDir); err == nil && filepath.IsLocal(rel) && !disk.Within(r.GitDir, r.HooksDir) {
			s.Files.addFolder(filepath.Join(at.Clone.Top, rel)) // hooks that git tracks
		}
		for _, name := range []string{"HEAD", "config.worktree", "info/sparse-checkout"} {
			s.Files.add(filepath.Join(at.Clone.GitDir, name))
		}
	}
	s.grants.addFolder(journal.NotesOf(r, approvals).Dir)
	s.grants.addFolder(VerdictDir(r))
	s.Files.addFolder(ReviewDir(r, at.Branch))
	s.Files.add(DismissalNote(r, at.Plan, at.Branch).Path)
	if at.Plan != "" {
		s.Files.add(approvalNote(r, at.Plan).Path, r.PlanDir(string(journal.MarkAttached), at.Plan), r.PlanDir(string(journal.MarkOpen), at.Plan))
	}
	return s
}

// Changed names what differs from a snapshot. It is called before any other git runs after a session, as that
// might execute what is set up now. Only if a file of the configuration was written is git asked what it says,
// and that executes nothing. Of the keys of branches, which editors and `push -u` write at any time, only those
// count that send a push elsewhere; lost reports whether this branch lost its plan, since that is put back.
//
// If the repository is gone, or another one is in its place, the error is ErrNoLonger.
func (at Target) Changed(ctx context.Context, before Snapshot) (out []string, lost bool, err error) {
	for _, path := range slices.Sorted(maps.Keys(before.places)) { // a folder before what lies in it
		was := before.places[path]
		is, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, false, fault.New(fault.ErrNoLonger, "%s was removed during the session; what was in it is gone with it", path)
		case !os.SameFile(was, is):
			return nil, false, fault.New(fault.ErrNoLonger, "%s was replaced by another folder during the session", path)
		}
	}
	files, keys, config, err := before.changed(ctx, at.Repo)
	if err == nil && config != nil && at.Plan != "" {
		id, _ := config.Get(PlanKey(at.Branch))
		lost = id != at.Plan
	}
	return changedNames(files, keys, at.short), lost, err
}

// changed returns the files, and the keys of the configuration, that are no longer as they were.
// The configuration is read, and returned, only if a file of it was written.
func (s Snapshot) changed(ctx context.Context, r *git.Repo) (files, keys []string, config *git.Config, err error) {
	files = append(git.Planted(r, s.Special), slices.DeleteFunc(s.Files.changed(), worktree.Deserted)...)
	written := s.Config.changed()
	odd := slices.DeleteFunc(slices.Clone(written), func(path string) bool { // git would wait forever at a pipe
		info, err := os.Stat(path)
		return err != nil || info.Mode().IsRegular()
	})
	if len(written) == 0 || len(odd) > 0 {
		return append(files, odd...), nil, nil, nil
	}
	if config, err = r.Config(ctx); err != nil {
		return nil, nil, nil, err
	}
	keys = s.Keys.Differs(config.Sums(), func(key string) bool {
		return strings.HasPrefix(key, "branch.") && !redirectsPush(key, s.Keys, config)
	})
	return files, keys, config, nil
}

// changedNames names what changed as a person would.
func changedNames(files, keys []string, short func(path string) string) (out []string) {
	for _, path := range files {
		out = append(out, short(path))
	}
	for _, key := range keys {
		out = append(out, "the configuration ("+visible.OneLine(key, 100)+")")
	}
	return out
}

// redirectsPush reports whether a key of a branch, as it is now, sends the person's next push
// to another place. Setting up a branch to follow a remote that already existed does not.
func redirectsPush(key string, before git.Sums, now *git.Config) bool {
	value, set := now.Get(key)
	switch {
	case strings.HasSuffix(key, ".pushremote"):
		return set
	case strings.HasSuffix(key, ".remote"):
		_, known := before["remote."+value+".url"]
		return set && value != "." && !known
	}
	return false
}

// short returns a path as a person in the repository would write it.
func (at Target) short(path string) string {
	for _, top := range at.tops() {
		if rel, err := filepath.Rel(top, path); err == nil && !strings.HasPrefix(rel, "..") {
			path = rel
		}
	}
	return visible.OneLine(path, 200)
}

// Below returns the paths of the set-up below a folder, relative to it.
func (s Snapshot) Below(dir string) (out []string) {
	for _, path := range slices.Concat(s.Files.Paths, s.Files.Folders) {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			out = append(out, filepath.ToSlash(rel))
		}
	}
	return out
}

// StillClone reports whether a folder is the clone in which the session was to work, and not a link to another.
func (s Snapshot) StillClone(path string) bool {
	is, err := os.Lstat(path)
	return err == nil && os.SameFile(s.clone, is)
}
