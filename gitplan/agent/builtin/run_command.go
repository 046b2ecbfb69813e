package builtin

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/proc"
)

// Time limits of one command, in seconds.
const (
	commandTime    = 120
	commandTimeMax = 1800
)

func runRunCommand(ctx context.Context, w *workspace, v values) (string, error) {
	line := v.text("command")
	if strings.TrimSpace(line) == "" || strings.ContainsRune(line, 0) {
		return "", fmt.Errorf("the command is empty or not valid")
	}
	seconds := min(max(1, v.whole("timeout", commandTime)), commandTimeMax)
	name, args := proc.Shell(line)
	out := &proc.Tail{Size: w.most(proc.DefaultTail)}
	both := io.Writer(out)
	if w.life != nil {
		both = io.MultiWriter(out, w.life)
	}
	exit, err := proc.Run(ctx, proc.Cmd{Name: name, Args: args, Dir: w.dir, Env: w.env,
		Stdout: both, Stderr: both, Group: true, Confine: w.confine, Timeout: time.Duration(seconds) * time.Second})
	if err != nil {
		return "", err
	}
	text := strings.TrimRight(out.String(), "\n")
	if strings.ContainsRune(text, 0) {
		text = "[binary output; send it to a file]"
	}
	if text != "" {
		text += "\n"
	}
	if exit.TimedOut {
		return fmt.Sprintf("%s[killed after %d seconds, its time limit: if it needs longer, call it with timeout; if it waits for input, call it in another way]", text, seconds), nil
	}
	if exit.OverLimit > 0 {
		return fmt.Sprintf("%s[it %s]", text, exit.TooMuch()), nil
	}
	return fmt.Sprintf("%s[exit code %d]", text, exit.Code), nil
}
