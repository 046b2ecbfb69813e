package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Run runs git in the repository. If git fails the error is an *Error.
func (r *Repo) Run(ctx context.Context, c Command) error {
	if r.Trusted != nil && !c.runsNothing() {
		if err := r.Trusted(ctx, r); err != nil {
			return err
		}
	}
	env := append(r.environ(c), c.Env...)
	if !c.Localised {
		env = append(env, "LC_ALL=C")
	}
	tail := &proc.Tail{}
	var stderr io.Writer = tail
	if c.Stderr != nil {
		stderr = io.MultiWriter(tail, c.Stderr)
	}
	cmd := proc.Cmd{Name: "git", Outside: true, Args: c.Args, Dir: r.dir(), Env: env, Stdin: c.Stdin,
		Stdout: c.Stdout, Stderr: stderr,
		OwnProcessGroup: !c.Localised}
	if c.Writes {
		var end func()
		ctx, end = withGrace(ctx)
		defer end()
	}
	watched, over := untilHang(ctx, r)
	defer over()
	if c.Writes && r.OnWrite != nil {
		cmd.OnStart = r.OnWrite
		defer r.OnWrite(0)
	}
	exit, err := proc.Run(watched, cmd)
	if err != nil {
		return err
	}
	if exit.Code != 0 {
		return &Error{Args: c.Args, Code: exit.Code, Stderr: tail.String(), Lock: lockedBy(r, c, exit.Code), dir: r.CommonDir,
			confined: r.filters != nil && r.filters.env != nil && !c.runsNothing() && !c.Hooks}
	}
	return nil
}

const (
	Fatal      = 128                    // the exit code for an error; 1 often means no
	writeGrace = 700 * time.Millisecond // the time that a git that writes has to finish after its context has ended
	slowGit    = time.Second            // the time after which the work tree is searched for pipes
)

// withGrace returns a context that ends a while after ctx does, and a function that releases it.
func withGrace(ctx context.Context) (context.Context, func()) {
	later, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		time.AfterFunc(writeGrace, func() { cancel(context.Cause(ctx)) })
	})
	return later, func() {
		stop()
		cancel(nil)
	}
}

// Capture runs git and returns its standard output.
func (r *Repo) Capture(ctx context.Context, c Command) (string, error) {
	var out strings.Builder
	c.Stdout = &out
	err := r.Run(ctx, c)
	return out.String(), err
}

// Output runs a query and returns its standard output without the final newline.
func (r *Repo) Output(ctx context.Context, args ...string) (string, error) {
	out, err := r.Capture(ctx, Command{Args: args})
	return strings.TrimSuffix(out, "\n"), err
}

// Names splits the NUL-separated output of git -z.
func Names(out string) []string {
	return strings.FieldsFunc(out, func(c rune) bool { return c == 0 })
}

// Command is one call of git.
type Command struct {
	Args           []string
	Env            []string // added to the repository's
	Stdin          io.Reader
	Stdout, Stderr io.Writer // Error has the standard error, too
	// Hooks runs the person's own hooks, as if they had typed this command; see environ.
	Hooks bool
	// isConfigQuery marks a query about the configuration, which no setting of ours may override.
	isConfigQuery bool
	// Localised keeps the person's language, terminal and Ctrl-C, for output or questions to them; others have LC_ALL=C.
	Localised bool
	refs      []string // the refs that update-ref changes
	// Writes marks a command that changes the index, the work tree or a ref; see Repo.OnWrite.
	Writes bool
}

// subcommand returns the first argument that is not an option of git itself, and those after it.
func subcommand(args []string) (name string, rest []string) {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "-c", args[i] == "-C":
			i++
		case !strings.HasPrefix(args[i], "-"):
			return args[i], args[i+1:]
		}
	}
	return strings.Join(args, " "), nil
}

// Errors that callers distinguish.
var (
	ErrNotRepository = errors.New("not in a git repository")
	ErrOwner         = fmt.Errorf("%w that git trusts: it belongs to another user", ErrNotRepository)
	// ErrTooOld says that git takes no settings from its environment, which keep it from running anything.
	ErrTooOld  = errors.New("this git is too old: " + Oldest + " or newer is needed")
	ErrMissing = errors.New("no such object")
	ErrMoved   = errors.New("the ref was moved meanwhile")
	// ErrLocked says that a lock file of git prevented a change: another git works here, or one died.
	ErrLocked = errors.New("a lock file of git is in the way")
	// ErrConfined says that git died while filters ran in a sandbox.
	ErrConfined = errors.New("a filter may have failed in the sandbox")
	// ErrWouldHang says that git would wait forever at something in the work tree; a fault names it.
	ErrWouldHang = errors.New("git would wait forever")
)

// Error is a failed git. Stderr is for the person; this program never interprets it.
type Error struct {
	Args   []string
	Code   int
	Stderr string
	Lock   string // the lock file that was in the way, or "": see ErrLocked

	dir      string // the repository's folder
	confined bool   // filters ran in a sandbox, and one may have failed: see ErrConfined
}

// Is reports whether e is an ErrLocked, ErrConfined or ENOSPC, for which git has no exit codes.
func (e *Error) Is(target error) bool {
	return target == ErrLocked && e.Lock != "" || target == ErrConfined && e.confined && e.Code == Fatal ||
		target == syscall.ENOSPC && e.Code == Fatal && disk.Full(e.dir) != nil
}

func (e *Error) Error() string {
	if e.Lock != "" {
		return e.Lock + " is in the way: another git works here, or one died"
	}
	words := cmp.Or(strings.TrimSpace(e.Stderr), fmt.Sprintf("exit code %d", e.Code))
	subcommand, _ := subcommand(e.Args)
	return fmt.Sprintf("git %s: %s", subcommand, words)
}

// Code returns git's exit code if err has an *Error, or -1.
func Code(err error) int {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return -1
}

// Allow returns nil for a git that failed with this exit code, such as 1 for no, and any other error unchanged.
func Allow(code int, err error) error {
	if Code(err) == code {
		return nil
	}
	return err
}

// git waits forever at a pipe named .gitignore. This is rare, so the work tree is searched only if a git takes long.

// openedByGit lists the names in a work tree that git opens without checking that they are files.
var openedByGit = []string{".gitignore", ".gitattributes", ".gitmodules", ".mailmap"}

// untilHang returns a context that ends with ErrWouldHang if its git is slow and the work tree has a pipe to wait at.
func untilHang(ctx context.Context, r *Repo) (context.Context, func()) {
	if r.Top == "" {
		return ctx, func() {}
	}
	watched, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(slowGit, func() {
		if pipes := pipesIn(watched, r.Top); len(pipes) > 0 {
			cancel(&fault.Fault{Kind: ErrWouldHang, Path: visible.Shell(pipes[0]),
				Text: strings.Join(pipes, ", ") + " is not a file, and git would wait forever to read it"})
		}
	})
	return watched, func() {
		timer.Stop()
		cancel(nil)
	}
}

// pipesIn returns the pipes and devices in a work tree at which git would wait. It follows no link except .gitmodules.
func pipesIn(ctx context.Context, top string) (pipes []string) {
	_ = filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return fs.SkipAll
		case err != nil, d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir(), d.Type()&fs.ModeSymlink != 0 && d.Name() != ".gitmodules", !slices.Contains(openedByGit, d.Name()):
			return nil
		}
		if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			pipes = append(pipes, name)
		}
		return nil
	})
	return pipes
}

// MakeTopAccessible restores the user's rights to the top folder, without which git cannot be started there.
func (r *Repo) MakeTopAccessible() {
	if info, err := os.Lstat(r.Top); err == nil && info.IsDir() && info.Mode().Perm()&0o700 != 0o700 {
		_ = os.Chmod(r.Top, info.Mode().Perm()|0o700)
	}
}
