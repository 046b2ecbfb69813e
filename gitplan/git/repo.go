package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/storage/filesystem"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// Repo is a repository as seen from one of its work trees. Close it.
type Repo struct {
	Top             string // top folder of the work tree; empty in a bare repository
	GitDir          string // of this work tree
	CommonDir       string // shared by all work trees
	HooksDir        string // where git looks for hooks
	Format          string // object format: sha1 or sha256
	PrivateWorktree bool   // its work tree is a session's alone; see WithFiles

	// OnWrite is called with the process id of each git that writes, and with 0 when it has ended. It may be nil.
	OnWrite func(pid int)

	// Trusted is called before each git of r that may execute something configured, and may prevent it. It may be nil.
	Trusted func(ctx context.Context, r *Repo) error

	env           []string // the person's, see environment
	pinned        []string // what says which repository to use, so that later gits use no other
	transports    []string // see ForbidTransports
	disabledHooks []string // settings that switch configured hooks off
	filters       *filters // shared by what reads the same configuration
	objects       *reader
	store         *filesystem.Storage // see writeObject
}

// Open finds the repository that git finds from dir (empty: the current folder), by one git process. The error is
// ErrNotRepository, ErrTooOld, or git's own.
func Open(ctx context.Context, dir string) (*Repo, error) {
	dir = cmp.Or(dir, ".")
	r := &Repo{GitDir: dir, env: environment(), filters: &filters{}}
	parts, err := findPaths(ctx, r)
	if len(parts) < 3 && err != nil {
		// An empty core.hooksPath, by which some people and gemini's shell switch hooks off, is not a path to git.
		off := &Repo{GitDir: dir, env: WithSettings(environment(), "core.hooksPath", os.DevNull), filters: r.filters}
		if again, _ := findPaths(ctx, off); len(again) >= 3 {
			r, parts, err = off, again, nil
		}
	}
	if len(parts) < 3 {
		_, none := os.Stat(filepath.Join(dir, "HEAD")) // of a bare one that git cannot read
		if e, ok := errors.AsType[*Error](err); ok && e.Code == Fatal && none != nil {
			kind := ErrNotRepository
			if strings.Contains(e.Stderr, "dubious ownership") {
				kind = ErrOwner
			}
			said, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(e.Stderr), "fatal: "), "\n")
			return nil, &fault.Fault{Kind: kind, Text: said, Cause: e}
		}
		if err == nil {
			err = fmt.Errorf("git rev-parse printed no paths, but %q", parts)
		}
		return nil, err
	}
	r.GitDir, r.CommonDir, r.HooksDir = parts[0], parts[1], strings.TrimSuffix(parts[2], "\n"+r.Format)
	r.pinned = []string{"GIT_DIR=" + r.GitDir, "GIT_COMMON_DIR=" + r.CommonDir}
	if len(parts) > 3 && err == nil {
		r.Top = parts[3]
		r.pinned = append(r.pinned, "GIT_WORK_TREE="+r.Top)
	}
	if index := proc.Variable(r.env, "GIT_INDEX_FILE"); index != "" {
		r.pinned = append(r.pinned, "GIT_INDEX_FILE="+index)
	}
	r.objects = &reader{}
	return r, nil
}

const (
	Oldest   = "2.31"                   // the oldest git that takes settings from its environment (GIT_CONFIG_COUNT)
	absolute = "--path-format=absolute" // which git knows since then; an older one prints it
)

// findPaths returns git's answers on where the repository is, and sets its format.
func findPaths(ctx context.Context, r *Repo) ([]string, error) {
	// The name of a folder may contain any byte but NUL, and rev-parse has no -z: the object
	// format, requested between them, separates the paths.
	out, err := r.Ask(ctx, "rev-parse", absolute, "--show-object-format",
		"--git-dir", "--show-object-format", "--git-common-dir", "--show-object-format", "--git-path", "hooks",
		"--show-object-format", "--show-toplevel")
	if strings.HasPrefix(out, absolute+"\n") {
		return nil, ErrTooOld
	}
	format, rest, _ := strings.Cut(out, "\n")
	r.Format = format
	return strings.Split(rest, "\n"+format+"\n"), err
}

// OpenHere is Open from the current folder, together with Config and the process that reads objects: to start
// them at the same time saves a short command most of its time.
func OpenHere(ctx context.Context) (*Repo, *Config, error) {
	here := &Repo{GitDir: ".", env: environment()} // Open finds out meanwhile which repository that is
	here.objects = &reader{}
	var config string
	var configErr error
	var meanwhile sync.WaitGroup
	meanwhile.Go(func() { config, configErr = here.Ask(ctx, listConfig...) })
	meanwhile.Go(func() { _ = startReader(here) }) // if it fails the first read tries again, and reports why
	r, err := Open(ctx, "")
	meanwhile.Wait()
	if err != nil {
		here.objects.close()
		return nil, nil, err
	}
	r.objects = here.objects
	if configErr != nil {
		r.Close()
		return nil, nil, configErr
	}
	return r, adopt(r, config), nil
}

// adopt parses the configuration in force, and switches off the hooks that it configures.
func adopt(r *Repo, text string) *Config {
	config := parseConfig(r, text)
	r.disabledHooks = nil
	for _, name := range config.Subsections("hook", "event") {
		r.disabledHooks = append(r.disabledHooks, "hook."+name+".enabled", "false")
	}
	return config
}

// Outside returns a Repo that runs git outside of any repository, and the configuration there. Close it.
func Outside(ctx context.Context) (*Repo, *Config, error) {
	r := &Repo{GitDir: ".", env: environment(), filters: &filters{}}
	out, err := r.Ask(ctx, listConfig...)
	if err != nil {
		return nil, nil, err
	}
	r.objects = &reader{}
	return r, adopt(r, out), nil
}

// TooOld reports whether a version such as 2.39.5 is older than Oldest.
func TooOld(version string) bool {
	var n, oldest [2]int
	_, _ = fmt.Sscanf(version, "%d.%d", &n[0], &n[1])
	_, _ = fmt.Sscanf(Oldest, "%d.%d", &oldest[0], &oldest[1])
	return slices.Compare(n[:], oldest[:]) < 0
}

// Close ends the process that reads objects.
func (r *Repo) Close() {
	if r != nil && r.objects != nil {
		r.objects.close()
	}
}

// Zero returns the object name that means "no object" in updates of refs.
func (r *Repo) Zero() string { return strings.Repeat("0", len(r.EmptyTree())) }

// EmptyTree returns the object name of the tree without entries.
func (r *Repo) EmptyTree() string {
	if r.Format == "sha256" {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
}

// Shallow reports whether the repository lacks commits that a depth left out.
func (r *Repo) Shallow() bool {
	_, err := os.Stat(filepath.Join(r.CommonDir, "shallow"))
	return err == nil
}

// Operation returns what git is in the middle of: "merge", "rebase", "cherry-pick", "revert", "bisect" or "".
func (r *Repo) Operation() string {
	for _, o := range [...]struct{ file, name string }{
		{"rebase-merge", "rebase"}, {"rebase-apply", "rebase"}, {"MERGE_HEAD", "merge"},
		{"CHERRY_PICK_HEAD", "cherry-pick"}, {"REVERT_HEAD", "revert"}, {"sequencer", "cherry-pick"}, {"BISECT_LOG", "bisect"},
	} {
		if _, err := os.Lstat(filepath.Join(r.GitDir, o.file)); err == nil {
			return o.name
		}
	}
	return ""
}

// PlanDir returns the folder of this program's local state, <common dir>/plan, or a path in it.
func (r *Repo) PlanDir(elem ...string) string {
	return filepath.Join(append([]string{r.CommonDir, "plan"}, elem...)...)
}

// IndexFile returns the path of the index of this work tree.
func (r *Repo) IndexFile() string {
	return cmp.Or(proc.Variable(r.env, "GIT_INDEX_FILE"), filepath.Join(r.GitDir, "index"))
}

// dir returns the folder that git is run in.
func (r *Repo) dir() string {
	if r.Top != "" {
		return r.Top
	}
	return r.GitDir
}

// derive returns a copy of r that is hardened alike, without the process that reads objects, the store, and OnWrite.
func (r *Repo) derive() *Repo {
	e := *r
	e.env, e.pinned, e.transports, e.disabledHooks = slices.Clone(r.env), slices.Clone(r.pinned),
		slices.Clone(r.transports), slices.Clone(r.disabledHooks)
	e.objects, e.store, e.OnWrite = nil, nil, nil
	return &e
}

// WithFiles returns this repository with another work tree, top, and with HEAD and index in gitDir. settings
// are keys and values in turn. Close it.
func (r *Repo) WithFiles(top, gitDir string, settings ...string) *Repo {
	e := r.derive()
	e.Top, e.GitDir, e.HooksDir, e.PrivateWorktree, e.pinned, e.OnWrite, e.objects = top, gitDir, os.DevNull, true,
		nil, r.OnWrite, &reader{}
	e.env = WithSettings(append(withoutRepository(r.env), "GIT_DIR="+gitDir, "GIT_COMMON_DIR="+r.CommonDir,
		"GIT_WORK_TREE="+top), settings...)
	return e
}

// Clone returns this repository for another goroutine, without OnWrite, Trusted and confined filters. Close it.
func (r *Repo) Clone() *Repo {
	e := r.derive()
	e.Trusted, e.filters, e.objects = nil, &filters{}, &reader{}
	return e
}

// Unbound returns a Repo that runs git in dir and leaves it to git to find a repository. It reads no objects.
func (r *Repo) Unbound(dir string, env ...string) *Repo {
	e := r.derive()
	e.Top, e.GitDir, e.CommonDir, e.HooksDir, e.PrivateWorktree = "", dir, "", "", false
	e.pinned, e.filters, e.env = nil, &filters{}, append(withoutRepository(r.env), env...)
	if r.transports != nil {
		e.transports = []string{"GIT_ALLOW_PROTOCOL=file", "GIT_NO_LAZY_FETCH=1"} // to clone this one
	}
	return e
}

// Submodule returns the repository of a submodule or a clone with the work tree top. It reads no objects.
func (r *Repo) Submodule(top, gitDir string) *Repo {
	e := r.derive()
	e.Top, e.GitDir, e.CommonDir, e.HooksDir, e.PrivateWorktree, e.filters = top, gitDir, gitDir, "", false, &filters{}
	e.pinned = []string{"GIT_DIR=" + gitDir, "GIT_WORK_TREE=" + top}
	return e
}

// WithObjectDir returns this repository with another folder for new objects; it reads the objects of both. Close it.
func (r *Repo) WithObjectDir(objects string) *Repo {
	e := r.derive()
	e.OnWrite, e.objects = r.OnWrite, &reader{}
	e.env = append(e.env, "GIT_OBJECT_DIRECTORY="+objects,
		"GIT_ALTERNATE_OBJECT_DIRECTORIES="+strconv.Quote(filepath.Join(r.CommonDir, "objects")))
	return e
}

// Tree is a work tree of a repository, and the short name of the branch that it has; "" for none.
type Tree struct{ Dir, Branch string }

// Trees returns all work trees, as git worktree list has them.
func (r *Repo) Trees(ctx context.Context) (out []Tree, err error) {
	printed, err := r.Output(ctx, "worktree", "list", "--porcelain")
	for line := range strings.SplitSeq(printed, "\n") {
		if dir, ok := strings.CutPrefix(line, "worktree "); ok {
			out = append(out, Tree{Dir: dir})
		} else if branch, ok := strings.CutPrefix(line, "branch refs/heads/"); ok && len(out) > 0 {
			out[len(out)-1].Branch = branch
		}
	}
	return out, err
}

// Lock is a lock file of git.
type Lock struct {
	Path   string
	Shared bool // it locks all work trees, not only this one
	Info   os.FileInfo
}

// Locks returns the lock files that keep git from changing the index, HEAD or its branch in this work tree.
func (r *Repo) Locks() []Lock {
	locks := slices.Concat(lockAt(r.IndexFile(), false), lockAt(filepath.Join(r.GitDir, "HEAD"), false))
	head, _ := disk.ReadRegular(filepath.Join(r.GitDir, "HEAD")) // none if a session put a pipe there
	if ref, ok := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: "); ok && ref != "refs/heads/.invalid" {
		locks = append(locks, r.LocksOf(ref)...)
	}
	return append(locks, r.LocksOf("reftable/tables.list")...)
}

// lockAt returns the lock file of a file, if there is one.
func lockAt(path string, shared bool) []Lock {
	info, err := os.Lstat(path + ".lock")
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return []Lock{{path + ".lock", shared, info}}
}

// SharedLockNames are the files that all work trees share and only few commands write.
var SharedLockNames = []string{"config", "packed-refs", "shallow", "objects/maintenance"}

// LocksOf returns the lock files that exist of some refs, or of other files that all work trees share.
func (r *Repo) LocksOf(names ...string) (locks []Lock) {
	for _, name := range names {
		locks = append(locks, lockAt(filepath.Join(r.CommonDir, filepath.FromSlash(name)), true)...)
	}
	return locks
}

// lockedBy returns the lock file that made git refuse to write, or "".
func lockedBy(r *Repo, c Command, code int) string {
	command, _ := subcommand(c.Args)
	var locks []Lock
	switch {
	case command == "config" && code == 255: // its exit code for a lock
		locks = r.LocksOf("config")
	case !c.Writes || code != Fatal: // its exit code, too, if it cannot lock
	case command == "update-ref":
		locks = append(r.LocksOf(c.refs...), r.LocksOf("packed-refs")...)
	default:
		locks = append(r.Locks(), r.LocksOf("refs/stash", "shallow")...)
	}
	for _, l := range locks {
		return l.Path
	}
	return ""
}
