package mcp

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

const (
	maxText   = 20_000           // bytes of a result: its beginning and its end
	maxOutput = 8 << 20          // bytes that a command may write
	beat      = 5 * time.Second  // between two reports of progress; clients give up on silence
	grace     = 10 * time.Second // for a cancelled command to end its checks
)

// Server runs the tools.
type Server struct {
	Program string // git-plan
	Dir     string // the work tree
	Version string
}

// Serve answers on standard input and output until the client ends, or ctx does.
func (s *Server) Serve(ctx context.Context) error {
	return s.server().Run(ctx, &mcp.StdioTransport{})
}

// call runs a command. What it refuses is a result that says so, never an error of the
// protocol: the model has to read it.
func (s *Server) call(ctx context.Context, request *mcp.CallToolRequest, args ...string) (*mcp.CallToolResult, any, error) {
	defer s.progress(ctx, request, args[0])()
	var out, errs bytes.Buffer
	exit, err := proc.Run(ctx, proc.Cmd{
		Name: s.Program, Args: args, Dir: s.Dir, Stdout: &out, Stderr: &errs, Group: true, MaxOutput: maxOutput,
		Interrupt: func(error) time.Duration { return grace },
	})
	text := strings.TrimSpace(strings.TrimSpace(out.String()) + "\n\n" + strings.TrimSpace(errs.String()))
	switch {
	case err != nil:
		text = strings.TrimSpace(text + "\n" + err.Error())
	case exit.OverLimit > 0:
		text += "\nit " + exit.TooMuch()
	case exit.Code != 0:
		text += fmt.Sprintf("\nexit code %d", exit.Code)
	}
	failed := err != nil || !exit.OK()
	return &mcp.CallToolResult{IsError: failed, Content: []mcp.Content{&mcp.TextContent{Text: shortened(visible.Text(text))}}}, nil, nil
}

// shortened keeps the beginning and the end of a long text.
func shortened(s string) string {
	if len(s) <= maxText {
		return s
	}
	end := s[len(s)-maxText/2:]
	return visible.Cut(s, maxText/2) + "\n[...]\n" + strings.ToValidUTF8(end, "")
}

// progress reports that a command still runs, if the client asked for that.
func (s *Server) progress(ctx context.Context, request *mcp.CallToolRequest, command string) (stop func()) {
	token := request.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	over := make(chan struct{})
	go func() {
		ticker := time.NewTicker(beat)
		defer ticker.Stop()
		for n := 1; ; n++ {
			select {
			case <-over:
				return
			case <-ticker.C:
				_ = request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
					ProgressToken: token, Progress: float64(n), Message: "git plan " + command + " is at work",
				})
			}
		}
	}()
	return func() { close(over) }
}

// instructions are all that some clients show a model before it looks for a tool.
const instructions = `A plan of git plan is bound to this git branch: steps, each with checks that say when it is done.
To do the next step: call next, which opens it and prints what it asks for; change the files in the work tree yourself,
within those that the step names; call done, which runs the checks (that may take minutes), commits and ticks the step. If a
check fails, done says which and why: fix the cause and call it again. Do not commit, do not edit the plan, and never
weaken a check. If only a person can decide, call block with the question, and stop. status says what is done and what
comes next, show prints a step, review what the last review found. Do one step unless the person asks for more.
Approving, editing or skipping steps, dismissing findings, and running sessions is the person's: no tool does that.`

type (
	none struct{}
	step struct {
		Step string `json:"step,omitempty" jsonschema:"the id of a step; empty: the one that is open or comes next"`
	}
	question struct {
		Step   string `json:"step" jsonschema:"the id of the step"`
		Reason string `json:"reason" jsonschema:"what is missing, as a question that a person can answer"`
	}
)

func (s *Server) server() *mcp.Server {
	out := mcp.NewServer(&mcp.Implementation{Name: "git-plan", Version: s.Version}, &mcp.ServerOptions{Instructions: instructions})
	reads := &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: new(bool)}
	writes := &mcp.ToolAnnotations{DestructiveHint: new(bool), OpenWorldHint: new(bool)}
	add(out, "status", "How far the plan of this branch is: each step, what is blocked, what comes next.", reads, func(ctx context.Context, r *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, any, error) {
		return s.call(ctx, r, "status")
	})
	add(out, "show", "The plan, or one step of it with its files and checks.", reads, func(ctx context.Context, r *mcp.CallToolRequest, in step) (*mcp.CallToolResult, any, error) {
		return s.call(ctx, r, named("show", in.Step)...)
	})
	add(out, "next", "Open the next step for yourself, and read all that it asks for. Then do it in the work tree.", writes, func(ctx context.Context, r *mcp.CallToolRequest, in step) (*mcp.CallToolResult, any, error) {
		return s.call(ctx, r, named("next", in.Step)...)
	})
	add(out, "done", "Check the open step, commit what is in the tree, and tick it. It may take minutes, and says what failed.", writes, func(ctx context.Context, r *mcp.CallToolRequest, in step) (*mcp.CallToolResult, any, error) {
		return s.call(ctx, r, named("done", in.Step)...)
	})
	add(out, "block", "Block a step with a question that only a person can answer.", writes, func(ctx context.Context, r *mcp.CallToolRequest, in question) (*mcp.CallToolResult, any, error) {
		return s.call(ctx, r, "block", "-m", in.Reason, "--", in.Step)
	})
	add(out, "review", "What the last review of this branch found, and what became of it. It starts no review.", reads, func(ctx context.Context, r *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, any, error) {
		return s.call(ctx, r, "show", "--review")
	})
	return out
}

func add[In any](s *mcp.Server, name, description string, hints *mcp.ToolAnnotations, do mcp.ToolHandlerFor[In, any]) {
	mcp.AddTool(s, &mcp.Tool{Name: name, Description: description, Annotations: hints}, do)
}

// named is a command with a step, which is never taken for an option.
func named(command, step string) []string {
	if step == "" {
		return []string{command}
	}
	return []string{command, "--", step}
}
