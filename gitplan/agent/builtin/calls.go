package builtin

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/model"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// toolError is the prefix of the answer to a failed call.
const toolError = "error: "

// answer runs the calls of a turn: read-only ones concurrently, the others in order. The result is nil until the end.
func (c *conversation) answer(ctx context.Context, t model.Turn) ([]string, *agent.Result) {
	answers := make([]string, len(t.Calls))
	c.work.window = c.context.window // the endpoint may have reported it meanwhile
	var reading sync.WaitGroup
	defer reading.Wait()
	for i, k := range t.Calls {
		u, err := c.parseCall(i, k, t.Cut && i == len(t.Calls)-1)
		if err != nil {
			answers[i] = toolError + err.Error()
			if c.malformed >= maxMalformed {
				return answers, unsaid("%d tool calls in a row could not be read; the last: %v", c.malformed, err)
			}
			continue
		}
		if ctx.Err() != nil {
			break
		}
		switch {
		case u.tool.End != nil && i < len(t.Calls)-1:
			answers[i] = toolError + u.tool.Name + " must be the last of your calls"
		case u.tool.End != nil:
			reading.Wait()
			if slices.ContainsFunc(answers[:i], func(a string) bool { return strings.HasPrefix(a, toolError) }) {
				answers[i] = toolError + "another of your calls failed, so the session goes on; look at its answer"
				break
			}
			text, end := c.acceptResult(ctx, u)
			answers[i] = text
			if end != nil {
				return answers, end
			}
		case u.tool.Changes:
			reading.Wait()
			answers[i] = c.runTool(ctx, u)
		default:
			reading.Go(func() { answers[i] = c.runTool(ctx, u) })
		}
	}
	reading.Wait()
	return c.bounded(answers), c.repeated(t.Calls, answers)
}

// parsedCall is a valid call.
type parsedCall struct {
	tool   tool
	values values
	result agent.Result // the session's result, from a tool that ends it
}

// parseCall parses the call with index i of a turn. cut: the model's answer ended there at its length limit.
func (c *conversation) parseCall(i int, k model.Call, cut bool) (u parsedCall, err error) {
	if i >= agent.MaxCalls {
		return u, fmt.Errorf("too many calls in one turn; at most %d", agent.MaxCalls)
	}
	u.tool, err = toolNamed(c.tools, k.Name)
	bad := k.Bad
	if cut && k.Args == "{}" {
		bad = cmp.Or(bad, "no arguments arrived") + "; your answer was cut off at its length limit: write less in one call"
	}
	if err == nil && bad != "" {
		err = errors.New(bad)
	}
	if err == nil {
		u.values, err = u.tool.read(k.Args)
	}
	if err == nil && u.tool.End != nil {
		u.result, err = u.tool.End(c.session, u.values)
	}
	if err != nil {
		c.malformed++
		return u, err
	}
	c.malformed = 0
	c.session.Report(agent.Event{Kind: agent.CalledTool, Tool: u.tool.Name, Text: u.values.summary(u.tool)}, c.log.Key)
	return u, nil
}

func (c *conversation) runTool(ctx context.Context, u parsedCall) string {
	if u.tool.Changes {
		c.unchanged = nil
	}
	text, err := u.tool.Run(ctx, c.work, u.values)
	c.work.life.Beat()
	if err != nil {
		return toolError + err.Error()
	}
	return text
}

// acceptResult asks Session.Accept about a result. If that refuses it, the model learns why.
func (c *conversation) acceptResult(ctx context.Context, u parsedCall) (string, *agent.Result) {
	r := u.result
	if r.Status != agent.Done || c.session.Accept == nil {
		return "ok", &r
	}
	first := "nothing was changed since; "
	if c.unchanged == nil || !c.session.Role.Writes() { // checks give the same answer for the same tree
		c.work.life.Stop() // checks may print nothing for long
		c.unchanged, first = c.session.Accept(ctx, c.withUsage(r)), ""
		c.work.life.Beat()
	}
	err := c.unchanged
	if err == nil {
		return "ok", &r
	}
	if c.refused++; c.refused > maxRefused {
		f := agent.Fail("its result was refused %d times: %s", c.refused, visible.FirstLine(err.Error()))
		f.Unaccepted = true
		return err.Error(), &f
	}
	tool := u.tool.Name
	advice, last := "Correct this, then call "+tool+" again.", "The next call of "+tool+" is the last."
	if c.session.Role.Writes() {
		advice = "Find the cause before you edit again, then call " + tool + " again."
		last += " If you cannot make it pass, call it with \"failed\" and say what you found out and what you tried: " +
			"the next session reads it."
	}
	if c.refused == maxRefused {
		advice = last
	}
	text := visible.Cut(err.Error(), c.context.maxAnswers()/2)
	return fmt.Sprintf("Not accepted (%d of %d): %s%s\n%s", c.refused, 1+maxRefused, first, text, advice), nil
}

// bounded cuts the answers to the calls of one turn to maxAnswers together.
func (c *conversation) bounded(answers []string) []string {
	left := c.context.maxAnswers()
	for i, a := range answers {
		if len(a) > left {
			a = visible.Cut(a, left) + "\n[cut: the answers of one turn are too long together; ask for less at once]"
		}
		answers[i] = a
		left = max(0, left-len(a))
	}
	return answers
}

// repeat is a call with its answer.
type repeat struct {
	sum    [sha256.Size]byte
	writes bool // it changed the tree
}

// repeated warns of a call that is repeated with the same answer, and later returns a result that ends the session. After
// a new change of the tree only changes are remembered: a model may alternate between two of them.
func (c *conversation) repeated(calls []model.Call, answers []string) *agent.Result {
	for i, k := range calls {
		t, _ := toolNamed(c.tools, k.Name)
		writes := t.Writes && !strings.HasPrefix(answers[i], toolError)
		sum := sha256.Sum256([]byte(k.Name + "\x00" + k.Args + "\x00" + agent.Fingerprint(answers[i])))
		n := 1
		for _, before := range c.recentCalls {
			if before.sum == sum {
				n++
			}
		}
		if writes && n == 1 {
			c.recentCalls = slices.DeleteFunc(c.recentCalls, func(r repeat) bool { return !r.writes })
		}
		c.recentCalls = append(c.recentCalls, repeat{sum, writes})
		c.recentCalls = c.recentCalls[max(0, len(c.recentCalls)-max(repeatWindow, maxRepeats*len(calls))):]
		switch {
		case n >= maxRepeats:
			return unsaid("repeats itself: %s with the same arguments and the same answer, %d times",
				agent.OneLine(k.Name, 80), n)
		case n >= warnRepeats:
			answers[i] += fmt.Sprintf("\n[You made this call %d times with the same answer. Do something else.]", n)
		}
	}
	return nil
}

func runRunCommand(ctx context.Context, w *workspace, v values) (string, error) {
	line := v.text("command")
	if strings.TrimSpace(line) == "" || strings.ContainsRune(line, 0) {
		return "", fmt.Errorf("the command is empty or not valid")
	}
	seconds := min(max(1, v.integer("timeout", commandTime)), commandTimeMax)
	name, args := proc.Shell(line)
	out := &proc.Tail{Size: w.limit(proc.DefaultTail)}
	both := io.MultiWriter(out, w.life)
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
		return fmt.Sprintf("%s[killed after %d seconds, its time limit: if it needs longer, call it with timeout; "+
			"if it waits for input, call it in another way]", text, seconds), nil
	}
	return fmt.Sprintf("%s[exit code %d]", text, exit.Code), nil
}
