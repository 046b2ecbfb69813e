package terminal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/git-plan/git-plan/gitplan/proc"
)

// ErrEditor is an editor that exited with another code than 0.
var ErrEditor = errors.New("the editor ended")

// ErrUnchanged is a text of which nothing was typed.
var ErrUnchanged = errors.New("nothing was typed, so nothing is stored")

// Edit runs an editor, a shell command as git takes it, on a file, and returns what the
// file has then: nothing if the editor removed it.
func Edit(ctx context.Context, editor, path string) ([]byte, error) {
	exit, err := proc.Run(ctx, proc.Cmd{
		Name: "sh", Outside: true, Env: append(os.Environ(), "PATH="+proc.PathOutside()), Args: []string{"-c", editor + ` "$@"`, editor, path},
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
