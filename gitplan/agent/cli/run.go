package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// Run implements [agent.Agent]. Session.Accept is not asked.
func (c *Agent) Run(ctx context.Context, s agent.Session) agent.Result {
	s.Model = cmp.Or(s.Model, c.Model)
	s.Effort = cmp.Or(s.Effort, c.Effort)
	h := c.stream(s)
	r := c.run(ctx, s, h)
	h.model = cmp.Or(h.model, s.Model)
	r.Tokens, r.Cost = r.Tokens.Believed(), r.Cost.Believed()
	if !r.Cost.Known && r.Tokens != (agent.Tokens{}) {
		r.Cost = c.Price.Of(r.Tokens)
	}
	r.RetryAfter = min(max(0, r.RetryAfter), maxRetryAfter)
	r.Agent = c.AgentName
	if h.model != "" {
		r.Agent += "/" + agent.OneLine(h.model, 100)
	}
	return h.log.Finish(r)
}

func (c *Agent) FullPrompt(s agent.Session) string {
	if c.dialect.acp && !s.Role.Writes() { // some end their turn when they are refused a tool (measured)
		return s.Prompt.Text() + "\n# What you may use here\n\nTools that read and search files. Whatever runs commands, changes files or uses the network is refused.\n" + howToEnd(s)
	}
	if c.dialect.Name == "claude" && s.Role.Writes() {
		return s.Prompt.Text() + heading + "End the session by the tool StructuredOutput, called once with this object:\n\n" +
			resultForm(s.Role, s.Nonce) + "\n"
	}
	return s.Prompt.Text() + howToEnd(s)
}

func (c *Agent) run(ctx context.Context, s agent.Session, h *streamState) agent.Result {
	if err := s.Spent(agent.Tokens{}, agent.Cost{}); err != nil {
		return agent.Result{Status: agent.Stopped, Reason: err.Error()}
	}
	prompt := c.FullPrompt(s)
	if n := utf8.RuneCountInString(prompt); n > maxPrompt {
		return agent.Result{Status: agent.Unusable,
			Reason: fmt.Sprintf("the prompt has %d characters, and %s is given at most %d", n, c.AgentName, maxPrompt)}
	}
	found := c.locate()
	if found.Problem != "" {
		return agent.Result{Status: agent.Unusable, Reason: found.Problem, Next: found.Next}
	}
	scratch, remove, err := disk.TempFolder("session")
	if err != nil {
		return agent.Fail("cannot make a folder for its temporary files: %v", err)
	}
	defer remove()
	start := c.dialect.start(c, s, scratch)
	if start.close != nil {
		defer start.close()
	}
	start.add(c.Args...)
	env := append([][2]string{{"TMPDIR", scratch}, {"TMP", scratch}, {"TEMP", scratch},
		{"TERM", "dumb"}, {"NO_COLOR", "1"}, {"GIT_TERMINAL_PROMPT", "0"}}, start.env...)
	h.log.Write(agent.Record{Session: s.ID, Role: s.Role, Agent: c.AgentName, Model: s.Model,
		Command: strings.Join(append([]string{c.Program}, start.args...), " "), System: s.Prompt.System,
		User: strings.TrimPrefix(prompt, s.Prompt.System+"\n")})
	cmd := proc.Cmd{Name: found.Path, Args: start.args, Dir: s.Dir, Env: s.Environ(env...),
		Stdin: strings.NewReader(prompt), Group: true, Confine: c.confined(s).Allow(scratch)}
	cmd.Interrupt = func(error) time.Duration {
		if ctx.Err() != nil { // a person waits who pressed Ctrl-C
			return proc.Grace
		}
		return interruptGrace
	}
	if p, ok := h.listener.(*acpStream); ok {
		if cmd.Stdin, err = p.begin(prompt); err != nil {
			return agent.Fail("cannot talk to %s: %v", c.AgentName, err)
		}
		defer p.close()
		cmd.Ask = p.cancel
	}
	return c.follow(ctx, s, h, cmd)
}

// follow runs the program to its end. Our reason to end it counts first, then its own report, then its exit code.
func (c *Agent) follow(ctx context.Context, s agent.Session, h *streamState, cmd proc.Cmd) agent.Result {
	run, life, stop := agent.NewLife(ctx, s)
	defer stop()
	run, cancel := context.WithCancelCause(run)
	h.begin(cancel, life)
	defer h.end()
	stderr, out := &proc.Tail{Size: maxStderr}, &lineWriter{to: h.listener.line}
	cmd.Stdout, cmd.Stderr = out, stderr
	exit, err := proc.Run(run, cmd)
	out.end()
	h.flush()
	h.log.Write(agent.Record{Exit: &exit.Code, Output: stderr.String()})
	e := h.listener.end(exit.Code, stderr.String())
	e.tokens = cmp.Or(e.tokens, h.tokens, agent.Tokens{Unreported: int64(h.turns)}) // codex reports them at its end
	r := agent.Result{Tokens: e.tokens, Cost: e.cost}
	switch cause := context.Cause(run); {
	case err == nil || errors.Is(err, errLingers):
		if e.refused && e.status == agent.Failed && h.turns == 0 { // the next session would be sent the same
			e.status = agent.Unusable
		}
		r = e.result(s)
		r.Next = c.next(e)
		r.ExitCode = &exit.Code
		return r
	case cause == nil:
		r.Status, r.Reason = agent.Unusable, err.Error()
	case errors.Is(cause, errRetrying):
		if r.Status, r.Reason = h.retry.status, h.retry.reason; !h.useless {
			r.Reason = fmt.Sprintf("it did nothing but retry for %s: %s", agent.Short(c.Wait), r.Reason)
		}
		r.Next = c.next(h.retry)
		if r.Status == agent.Limited {
			r.RetryAfter = h.retry.wait
		}
	case errors.Is(cause, errTurns):
		r.Status, r.Reason, r.Unsaid = agent.Failed,
			fmt.Sprintf("all %d turns are used and the session did not finish", s.MaxTurns), true
	case errors.Is(cause, errSpent):
		r.Status, r.Reason = agent.Stopped, h.spent.Error()
	default:
		w := agent.Ended(run, s)
		r.Status, r.Reason = w.Status, w.Reason
		if errors.Is(cause, agent.ErrIdle) && c.dialect.acp && h.turns == 0 { // some wait for a limit without a word (measured)
			r.Status, r.Reason = agent.Unreachable, w.Reason+", nor of its model"
		}
		r.Reason += agent.LastLine(stderr.String()) // perhaps a question
	}
	return r
}

// confined returns what the program may do to files; nil if it has a sandbox of its own.
func (c *Agent) confined(s agent.Session) *proc.Confinement {
	if c.dialect.sandboxed || s.Confine == nil {
		return nil
	}
	var own, settings []string
	for _, path := range c.dialect.Homes {
		path, ok := atHome(path)
		if !ok {
			continue
		}
		if strings.HasSuffix(path, "/") {
			_ = os.MkdirAll(path, 0o700)
			for _, name := range c.dialect.Settings {
				settings = append(append(settings, filepath.Join(path, name)), disk.Glob(path, name)...)
			}
		}
		own = append(own, filepath.Clean(path))
	}
	bounds := s.Confine.Allow(own...).Protect(settings...)
	if c.dialect.acp && !s.Role.Writes() { // only the program itself asks for permissions
		bounds = bounds.Close(s.Dir)
	}
	if s.Review.Findings != "" {
		bounds = bounds.Reveal(s.Review.Findings)
	}
	return bounds
}

// atHome returns the absolute path that one of a dialect's homes stands for.
func atHome(path string) (string, bool) {
	name, rest, _ := strings.Cut(path, "/")
	dir, _ := os.UserHomeDir()
	if variable, ok := strings.CutPrefix(name, "$"); ok {
		dir = os.Getenv(variable)
	}
	return dir + "/" + rest, filepath.IsAbs(dir)
}

const (
	retryWait      = 3 * time.Minute     // the default of Wait, and the longest limit for which a program waits itself
	maxPrompt      = 1_000_000           // characters; codex takes 1,048,576, claude refuses 10 MB (measured)
	interruptGrace = 5 * time.Second     // after SIGINT; claude takes 1.5 s (measured)
	maxRetryAfter  = 31 * 24 * time.Hour // that a program says a limit lasts
	maxStderr      = 16 << 10            // bytes of standard error that are kept
)
