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

// Snapshot is everything about a repository that decides which commands run and who may do what, and that a session,
// and the checks that run what it wrote, must leave alone: where it is, its configuration and that of its submodules and
// other work trees, the files of the tree that its commands name, its hooks, where its objects come from, .gitplan, this
// plan's approval, marks and dismissals, and the review of its branch.
//
// Locks, transcripts and what belongs to other plans can make nothing happen here; see Target.Moved of the rest.
type Snapshot struct {
	Files   sums
	Config  sums // the files of the configuration
	grants  sums // the approvals of all plans, and the verdicts of reviews
	Keys    git.Sums
	Special map[string]string // see git.SpecialFiles
	Nested  []string          // see worktree.Nested
	Head    []byte            // the file HEAD

	logs   map[string]int64       // see Target.logs
	places map[string]fs.FileInfo // folders, by path: each must still be the same one
	clone  fs.FileInfo            // where the session works, if that is a clone
}

// Tampered returns the reason that fails a session because of its changes.
func Tampered(did ...string) string { return "tampering: " + strings.Join(did, "; ") }

// ChangedDuring says what changed during a session.
func ChangedDuring(changed []string) string {
	return "changed during the session: " + strings.Join(changed, ", ")
}

// Target is the place of a session, whose set-up is read.
type Target struct {
	Repo         *git.Repo
	Config       *settings.Config
	Clone        *git.Repo // the clone in which the session works; nil if it works in the work tree
	Plan, Branch string    // the plan's id and branch; no plan for a session of a review
	Slot         string    // the slot of the plan; "" if one session works at a time
	Others       []string  // the .git entries of the person's repositories in the tree
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
	r, config := at.Repo, at.Config.Git
	s := Snapshot{places: map[string]fs.FileInfo{}, Keys: config.Sums(), Special: git.SpecialFiles(r),
		Nested: worktree.Nested(r), logs: at.logs()}
	for _, dir := range []string{r.Top, r.GitDir, r.CommonDir} {
		if info, err := os.Stat(dir); err == nil {
			s.places[dir] = info
		}
	}
	s.Head, _ = disk.ReadRegular(filepath.Join(r.GitDir, "HEAD"))
	s.Config.Paths = config.Files()
	files, repositories := worktree.Neighbours(r)
	for _, dir := range slices.Concat(s.Nested, at.Others) {
		repositories = append(repositories, dir)
		files = append(files, filepath.Join(dir, "HEAD")) // without it there is no repository
	}
	files = append(files, config.InactiveIncludes(r.Top)...)
	files = append(files, filepath.Join(r.GitDir, "commondir"), filepath.Join(r.GitDir, "info/sparse-checkout"))
	for _, name := range []string{"info/attributes", "info/exclude", "info/grafts", "shallow", "objects/info/alternates"} {
		files = append(files, filepath.Join(r.CommonDir, name))
	}
	for _, key := range []string{"core.excludesFile", "core.attributesFile"} {
		if path, ok := config.Get(key); ok {
			files = append(files, r.Expand(path))
		}
	}
	folders := []string{r.HooksDir, filepath.Join(r.CommonDir, "remotes"), filepath.Join(r.CommonDir, "branches"),
		filepath.Join(r.CommonDir, "refs/replace"), ReviewDir(r, at.Branch)}
	for _, top := range at.tops() {
		files = append(files, filepath.Join(top, ".lfsconfig")) // where git-lfs sends things, with which password
		files = append(files, commandFiles(at.Config, top, r.GitDir, r.CommonDir)...)
		folders = append(folders, filepath.Join(top, ".gitplan"))
	}
	if at.Clone != nil {
		s.clone, _ = os.Lstat(at.Clone.Top)
		if rel, err := filepath.Rel(r.Top, r.HooksDir); err == nil && filepath.IsLocal(rel) && !disk.Within(r.GitDir, r.HooksDir) {
			folders = append(folders, filepath.Join(at.Clone.Top, rel)) // hooks that git tracks
		}
		for _, name := range []string{"HEAD", "config.worktree", "info/sparse-checkout"} {
			files = append(files, filepath.Join(at.Clone.GitDir, name))
		}
	}
	files = append(files, DismissalNote(r, at.Plan, at.Branch).Path)
	if at.Plan != "" {
		files = append(files, approvalNote(r, at.Plan).Path, r.PlanDir(string(journal.MarkAttached), at.Plan),
			r.PlanDir(string(journal.MarkOpen), at.Plan))
	}
	s.Files.Paths, s.Files.Folders, s.Files.Repositories = files, folders, repositories
	s.grants.Folders = []string{journal.NotesOf(r, approvals).Dir, VerdictDir(r)}
	for _, of := range []*sums{&s.Files, &s.Config, &s.grants} {
		of.Of = of.now()
	}
	return s
}

// Changed names the differences from a snapshot. It must be called before any other git runs after a session, since
// that might execute a changed set-up. Only if a configuration file was written is git asked for its content, which
// executes nothing. Of the keys of branches only those that redirects names count; lost reports whether this branch
// lost its plan, since that is restored. If the repository is gone or replaced, the error is ErrNoLonger.
func (at Target) Changed(ctx context.Context, before Snapshot) (out []string, lost bool, err error) {
	for _, path := range slices.Sorted(maps.Keys(before.places)) { // a folder before what lies in it
		was := before.places[path]
		is, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, false, fault.New(fault.ErrNoLonger, "%s was removed during the session; its content is gone", path)
		case !os.SameFile(was, is):
			return nil, false, fault.New(fault.ErrNoLonger, "%s was replaced by another folder during the session", path)
		}
	}
	files, keys, config, err := before.changed(ctx, at.Repo)
	if err == nil && config != nil && at.Plan != "" {
		id, _ := config.Get(PlanKey(at.Branch))
		lost = id != at.Plan
	}
	return changedNames(files, keys, at.tops()), lost, err
}

// changed returns the changed files and keys. The configuration is read, and returned, only if its files were written.
func (s Snapshot) changed(ctx context.Context, r *git.Repo) (files, keys []string, config *git.Config, err error) {
	files = slices.Concat(git.Planted(r, s.Special), s.nestedSince(r), slices.DeleteFunc(s.Files.changed(), worktree.Deserted))
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
		value, _ := config.Get(key)
		return strings.HasPrefix(key, "branch.") && !redirects(key, s.Keys, config) ||
			key == "lfs.repositoryformatversion" && value == "0" // git-lfs sets it when it first runs, as our git's filter
	})
	return files, keys, config, nil
}

func changedNames(files, keys, tops []string) (out []string) {
	for _, path := range files {
		name := short(path, tops)
		if _, err := os.Lstat(path); err == nil && filepath.Base(path) == ".git" { // RemovePlanted removes it
			name += " (now in .git/plan/nested)"
		}
		out = append(out, name)
	}
	for _, key := range keys {
		out = append(out, "the configuration ("+visible.OneLine(key, 100)+")")
	}
	return out
}

// logs returns the sizes of the logs of HEAD, the branch and the stash.
func (at Target) logs() map[string]int64 {
	out := map[string]int64{}
	shared := filepath.Join(at.Repo.CommonDir, "logs/refs")
	for _, path := range []string{filepath.Join(at.Repo.GitDir, "logs/HEAD"), filepath.Join(shared, "heads", at.Branch),
		filepath.Join(shared, "stash")} {
		if info, err := os.Lstat(path); err == nil {
			out[path] = info.Size()
		}
	}
	return out
}

// Moved names what changed since s was read and people also change at any time: shorter logs of refs, new work trees,
// approvals of other plans, verdicts of reviews, and what branches follow that busy does not name.
func (at Target) Moved(ctx context.Context, s Snapshot, busy func(ref string) bool) (out []string) {
	now := at.logs()
	for path, size := range s.logs {
		if now[path] < size {
			out = append(out, short(path, at.tops())+" (shorter)")
		}
	}
	for _, dir := range disk.Glob(filepath.Join(at.Repo.CommonDir, "worktrees"), "*") {
		names := filepath.Join(dir, "gitdir")
		gitDir, _ := disk.ReadRegular(names)
		if top := filepath.Dir(strings.TrimSpace(string(gitDir))); !slices.Contains(s.Files.Paths, names) &&
			!disk.Within(at.Repo.PlanDir(), top) {
			out = append(out, "a new work tree in "+visible.OneLine(top, 200))
		}
	}
	for _, path := range s.grants.changed() {
		if at.Plan == "" || path != approvalNote(at.Repo, at.Plan).Path {
			out = append(out, "an approval or a verdict, to be removed if that was not you: "+visible.OneLine(path, 400))
		}
	}
	if len(s.Config.changed()) == 0 {
		return out
	}
	config, err := at.Repo.Config(ctx)
	if err != nil {
		return append(out, "the configuration (it cannot be read: "+err.Error()+")")
	}
	return append(out, s.Keys.Differs(config.Sums(), func(key string) bool {
		dot := strings.LastIndexByte(key, '.')
		branch, ok := strings.CutPrefix(key[:dot], "branch.")
		return !ok || !slices.Contains([]string{"merge", "rebase", "remote"}, key[dot+1:]) || busy("refs/heads/"+branch)
	})...)
}

// redirects reports whether a key of a branch sends the person's next push to another place, or gives their next
// merge options. Setting up a branch to follow an existing remote does not.
func redirects(key string, before git.Sums, now *git.Config) bool {
	value, set := now.Get(key)
	switch {
	case strings.HasSuffix(key, ".pushremote"), strings.HasSuffix(key, ".mergeoptions"):
		return set
	case strings.HasSuffix(key, ".remote"):
		_, known := before["remote."+value+".url"]
		return set && value != "." && !known
	}
	return false
}

// short returns a path as a person in one of some work trees would write it.
func short(path string, tops []string) string {
	for _, top := range tops {
		if rel, err := filepath.Rel(top, path); err == nil && filepath.IsLocal(rel) {
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

// StillClone reports whether a folder is still the session's clone, and not a link to another.
func (s Snapshot) StillClone(path string) bool {
	is, err := os.Lstat(path)
	return err == nil && os.SameFile(s.clone, is)
}

// runByGit matches the keys whose commands a git of ours may run outside of every sandbox.
var runByGit = visible.NewPattern(`^(filter\..*\.(clean|smudge|process)|diff\..*\.(textconv|command)|diff\.external|merge\..*\.driver|` +
	`gpg(\..*)?\.program|gpg\.ssh\.defaultkeycommand|core\.(sshcommand|gitproxy|askpass)|credential(\..*)?\.helper|trailer\..*\.(cmd|command)|` +
	`remote\..*\.(uploadpack|receivepack)|hook\..*\.command)$`)

// commandFiles returns the files of a work tree, and those below .git (gitDirs), that the commands of git's
// configuration name, such as filter.x.clean=./tools/clean.sh: a session may write them, and git runs them.
func commandFiles(c *settings.Config, top string, gitDirs ...string) (out []string) {
	for _, key := range c.Git.AllKeys() {
		if !runByGit().MatchString(strings.ToLower(key)) {
			continue
		}
		for _, command := range c.Git.All(key) {
			out = append(out, NamedFiles(command, top)...)
			for _, word := range wordsOf(command) {
				if slices.ContainsFunc(gitDirs,
					func(dir string) bool { return filepath.IsAbs(word) && disk.Within(dir, filepath.Clean(word)) }) {
					out = append(out, filepath.Clean(word))
				}
			}
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(out)))
}

// NamedFiles returns the paths in a work tree that the words of a command may name, whether a file exists or not. A
// variable or a command in front of a path is taken to stand for the work tree.
func NamedFiles(command, top string) (out []string) {
	for _, word := range wordsOf(command) {
		if rel, err := filepath.Rel(top, word); filepath.IsAbs(word) && err == nil && filepath.IsLocal(rel) {
			word = rel
		}
		for strings.HasPrefix(word, "/") || strings.Contains(word, "$") {
			_, rest, more := strings.Cut(word, "/")
			if !more {
				break
			}
			word = rest
		}
		if word = filepath.Clean(word); word != "." && filepath.IsLocal(word) && !strings.Contains(word, "$") {
			out = append(out, filepath.Join(top, word))
		}
	}
	return out
}

// wordsOf splits a command into words, roughly as a shell does.
func wordsOf(command string) []string {
	return strings.FieldsFunc(command, func(c rune) bool { return strings.ContainsRune(" \t\n;|&()<>\"'`=!", c) })
}
