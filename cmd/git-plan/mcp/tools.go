package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

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
