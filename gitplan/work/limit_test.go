package work

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/prompt"
)

// limited is codex, whose first sessions end by a limit and say when that ends.
const limited = `#!/bin/sh
[ "$1" != --version ] || { echo codex-cli 0.169.0; exit; }
echo session >>"$HOME/sessions"
echo line >>a.txt
cat >"$HOME/told"
echo '{"type":"thread.started"}'
if [ "$(grep -c . "$HOME/sessions")" -le %d ]; then
	echo '{"type":"turn.failed","error":{"message":"rate limit exceeded: Please try again in %s."}}'
	exit 1
fi
nonce=$(sed -n 's/.*{"nonce": "\([0-9a-f]*\)", "status".*/\1/p' "$HOME/told" | tail -n 1)
printf '{"type":"item.completed","item":{"type":"agent_message","text":"{\\"nonce\\": \\"%%s\\", \\"status\\": \\"done\\"}"}}\n' "$nonce"
echo '{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":40,"output_tokens":7}}'
`

// newLimited is a shop whose codex meets a number of limits, each of which ends after a time.
func newLimited(t *testing.T, limits int, after string, set ...string) *shop {
	t.Helper()
	s := newShop(t, `echo line >>a.txt; exit 75`)
	program := filepath.Join(t.TempDir(), "codex")
	s.Write(program, fmt.Sprintf(limited, limits, after))
	s.Fine(executable(program))
	s.Set("plan.executor.agent", "codex", "planAgent.codex.program", program, "plan.waitOnLimit", "10s")
	s.Set(set...)
	return reopened(s.World)
}

// If a program says when a limit ends, that is waited for while no session is there, and the next session continues in
// the same attempt; a fallback comes first, and its own limit is waited for, too.
func TestLimitIsWaitedOut(t *testing.T) {
	for name, c := range map[string]struct {
		set  []string
		want string
	}{
		"alone":    {nil, "codex codex"},
		"fallback": {[]string{"plan.executor.fallback", "m"}, "codex m codex"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newLimited(t, 1, "0.2s", c.set...)
			out := s.works(s.step(fmt.Sprintf("test $(wc -l <a.txt) = %d", len(strings.Fields(c.want)))))
			s.ended(out, agent.Done, "")
			var who []string
			var waited time.Duration
			for _, n := range s.Saw {
				switch {
				case n.Kind == journal.SessionStart:
					who = append(who, n.Agent)
				case n.Until != nil:
					waited = n.Until.Sub(n.Time)
				}
			}
			if strings.Join(who, " ") != c.want || out.Attempts != 1 || waited < time.Second || waited > 2*time.Second {
				t.Errorf("sessions of %s in %d attempts, and it waited for %s", who, out.Attempts, waited)
			}
			if told := s.Read(filepath.Join(os.Getenv("HOME"), "told")); strings.Count(told, prompt.Resumed) != 1 {
				t.Errorf("the last session was told\n%s", told)
			}
		})
	}
}

// A limit that ends after plan.waitOnLimit, or together with earlier ones, ends the task at once.
func TestLimitBeyondTheWait(t *testing.T) {
	s := newLimited(t, 9, "20m")
	s.ended(s.works(s.step()), agent.Limited, "rate limit exceeded")
	s = newLimited(t, 9, "0.01s", "plan.waitOnLimit", "2s")
	s.ended(s.works(s.step()), agent.Limited, "rate limit exceeded")
	if n := s.Count(journal.SessionStart); n != 2 {
		t.Errorf("%d sessions were held", n)
	}
}

// Ctrl-C and git plan stop end the waiting, and what the session did is kept.
func TestWaitingForALimitEnds(t *testing.T) {
	s := newLimited(t, 9, "8m", "plan.waitOnLimit", "9m")
	out, err := s.worksUntil(s.until(filepath.Join(os.Getenv("HOME"), "told")), s.step())
	s.Fine(err)
	if s.ended(out, agent.Cancelled, journal.Interrupted); out.Kept == "" {
		t.Error("nothing is kept")
	}
	s = newLimited(t, 9, "8m", "plan.waitOnLimit", "9m")
	task := s.step()
	task.Pause = func() bool { return true }
	out = s.works(task)
	if s.ended(out, agent.Limited, "rate limit exceeded"); !out.Paused || out.Kept == "" {
		t.Errorf("got %+v", out)
	}
}

// A stop between two attempts keeps the work of the first. If no event can name what is kept, the next command finds the task.
func TestStopBetweenAttempts(t *testing.T) {
	s := newShop(t, "echo one >a.txt")
	task := s.step("false")
	task.Pause = func() bool { return true }
	record, lost := task.Record, errors.New("the disk is full")
	task.Record = func(ctx context.Context, e journal.Event) error {
		if e.Kind == journal.Failed {
			return lost
		}
		return record(ctx, e)
	}
	if _, err := s.worksUntil(s.Context(), task); !errors.Is(err, lost) || s.Checkout.Task().State().Name != "a" {
		t.Errorf("%v, of task %q", err, s.Checkout.Task().State().Name)
	}
	s.Checkout.Task().Forget()
	task.Record = record
	out := s.works(task)
	if s.ended(out, agent.Failed, "`false` exited with 1"); !out.Paused || out.Kept == "" || s.Checkout.Task().State().Name != "" {
		t.Errorf("got %+v", out)
	}
}
