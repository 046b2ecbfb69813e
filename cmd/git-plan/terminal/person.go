package terminal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Ask puts questions to a person, whose next line is read; an empty answer leaves the decision to the planner.
func Ask(next func() (string, error), out io.Writer, questions []agent.Question) ([]string, error) {
	answers := make([]string, len(questions))
	for i, q := range questions {
		fmt.Fprintf(out, "\nquestion %d of %d: %s\n", i+1, len(questions), visible.Line(q.Text))
		for n, s := range q.Suggested {
			fmt.Fprintf(out, "  %d) %s\n", n+1, visible.Line(s))
		}
		empty := "the planner decides"
		if len(q.Suggested) > 0 {
			empty = "1"
		}
		fmt.Fprintf(out, "answer (Enter: %s): ", empty)
		line, err := next()
		if errors.Is(err, io.EOF) {
			fmt.Fprintf(out, "\nthe planner decides what you leave blank\n")
			break
		}
		if err != nil {
			return answers, err
		}
		n, err := strconv.Atoi(cmp.Or(line, "1"))
		if err == nil && n >= 1 && n <= len(q.Suggested) {
			line = q.Suggested[n-1]
		}
		answers[i] = line
	}
	return answers, nil
}

// pasted is the longest time between two lines of one paste; typing is slower.
const pasted = 30 * time.Millisecond

// ReadLine returns the next line typed after the call, or a paste with its lines joined; io.EOF for Ctrl-D.
func ReadLine(ctx context.Context) (string, error) {
	terminal := int(os.Stdin.Fd())
	defer proc.LendKeyboard()()
	proc.Discard(terminal)
	var text []string
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		var line [4096]byte // a terminal gives no longer ones
		for more := proc.AwaitTyped(ctx, terminal); more && err == nil; more = proc.Typed(terminal, pasted) {
			var n int
			n, err = os.Stdin.Read(line[:])
			text = append(text, strings.TrimSpace(string(line[:n])))
		}
	}()
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case <-done:
		return strings.TrimSpace(strings.Join(text, " ")), err
	}
}

// ErrEditor is an editor that exited with a code other than 0.
var ErrEditor = errors.New("the editor ended")

// ErrUnchanged is a text that the person did not change in the editor.
var ErrUnchanged = errors.New("nothing was typed, so nothing is stored")

// Edit runs git's editor command on a file and returns the text; nothing if the editor removed it.
func Edit(ctx context.Context, editor, path string) ([]byte, error) {
	exit, err := proc.Run(ctx, proc.Cmd{
		Name: "sh", Outside: true, Env: append(os.Environ(), "PATH="+proc.PathOutside()),
		Args:  []string{"-c", editor + ` "$@"`, editor, path},
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	})
	if err == nil && exit.Code != 0 {
		err = fmt.Errorf("%w with code %d", ErrEditor, exit.Code)
	}
	now, rerr := os.ReadFile(path)
	if errors.Is(rerr, fs.ErrNotExist) {
		return nil, err
	}
	return now, errors.Join(err, rerr)
}

// Pager returns the pager that git would use, "" for none; configured is core.pager. git --no-pager sets GIT_PAGER=cat.
func Pager(configured string, set bool) string {
	pager, inEnvironment := os.LookupEnv("GIT_PAGER")
	if !inEnvironment {
		pager = configured
	}
	if !inEnvironment && !set {
		pager = cmp.Or(os.Getenv("PAGER"), "less")
	}
	if _, ok := proc.Find("less"); pager == "cat" || pager == "less" && !ok {
		return ""
	}
	return pager
}

// paging is set while a pager has the terminal, and gets Ctrl-C.
var paging atomic.Bool

// Paging reports whether a person is in a pager.
func Paging() bool { return paging.Load() }

// Page shows output in a pager, as git does; leaving the pager early is not an error.
func Page(ctx context.Context, pager string, print func(io.Writer) error) error {
	out, in, err := os.Pipe()
	if err != nil {
		return print(os.Stdout)
	}
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	paging.Store(true)
	defer func() { paging.Store(false); signal.Stop(interrupts) }()
	name, args := proc.Shell(pager)
	began, ended := make(chan int, 1), make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = proc.Run(ctx, proc.Cmd{
			Name: name, Outside: true, Args: args, Env: PagerEnvironment(), Stdin: out, Stdout: os.Stdout, Stderr: os.Stderr,
			OnStart: func(pid int) { began <- pid },
		})
	}()
	select {
	case <-began:
	case <-ended:
	}
	_ = out.Close()
	err = print(in)
	_ = in.Close()
	<-ended
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// PagerEnvironment returns git's environment for a pager, without programs of the work tree.
func PagerEnvironment() []string {
	env := append(os.Environ(), "PATH="+proc.PathOutside())
	for _, kv := range [][2]string{{"LESS", "FRX"}, {"LV", "-c"}} {
		if _, set := os.LookupEnv(kv[0]); !set {
			env = append(env, kv[0]+"="+kv[1])
		}
	}
	return env
}
