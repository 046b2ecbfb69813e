package main

import (
	"context"
	_ "embed" // for toolInstructions and skill
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func mcpCommand(c *command) *cli.Command {
	return c.define("mcp", "", "serve the plan to your own agent, by the Model Context Protocol", c.do(0, func() error {
		if terminal.Is(os.Stdin) {
			return &exit.Wrong{Text: "git plan mcp is for an agent, which talks to it on standard input",
				Hint: "have an agent start it: claude mcp add git-plan -- git plan mcp; others: man gitplan-agents"}
		}
		program, err := os.Executable()
		if err != nil {
			return err
		}
		if err = toolServer(program).Run(c.Context, &mcp.StdioTransport{}); err != nil && c.Context.Err() == nil {
			err = fmt.Errorf("cannot read a message of the client: %w", err)
		}
		return err
	}))
}

const (
	maxToolText   = 20_000           // bytes of a result: its beginning and its end
	maxToolOutput = 8 << 20          // bytes that a command may write
	toolGrace     = 10 * time.Second // for a cancelled command to end its checks
)

// toolInstructions are all that some clients show a model before it looks for a tool.
//
//go:embed mcp.txt
var toolInstructions string

type (
	noInput   struct{}
	stepInput struct {
		Step string `json:"step,omitempty" jsonschema:"the id of a step; empty: the one that is open or comes next"`
	}
	questionInput struct {
		Step   string `json:"step" jsonschema:"the id of the step"`
		Reason string `json:"reason" jsonschema:"what is missing, as a question that a person can answer"`
	}
)

// toolServer returns the server; each tool runs this program, so that locks, gates and messages are its own.
func toolServer(program string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "git-plan", Version: versionText()},
		&mcp.ServerOptions{Instructions: toolInstructions})
	reads := &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: new(bool)}
	writes := &mcp.ToolAnnotations{DestructiveHint: new(bool), OpenWorldHint: new(bool)}
	ofStep := func(command string) func(stepInput) []string {
		return func(in stepInput) []string {
			if in.Step == "" {
				return []string{command}
			}
			return []string{command, "--", in.Step} // never taken for an option
		}
	}
	addTool(s, program, "status", "How far the plan of this branch is: each step, what is blocked, what comes next.", reads,
		func(noInput) []string { return []string{"status"} })
	addTool(s, program, "show", "The plan, or one step of it with its files and checks.", reads, ofStep("show"))
	addTool(s, program, "next", "Open the next step for yourself, and read all that it asks for. Then do it in the work tree.", writes, ofStep("next"))
	addTool(s, program, "done",
		"Check the open step, commit what is in the tree, and tick it. It may take minutes, and says what failed.", writes,
		func(noInput) []string { return []string{"done"} }) // a step that changed nothing is done by a person's word
	addTool(s, program, "block", "Block a step with a question that only a person can answer.", writes,
		func(in questionInput) []string { return []string{"block", "-m", in.Reason, "--", in.Step} })
	addTool(s, program, "review", "What the last review of this branch found, and what became of it. It starts no review.", reads,
		func(noInput) []string { return []string{"show", "--review"} })
	return s
}

// addTool adds a tool that runs a command; its failure is a result, not an error of the protocol, so that the model reads it.
func addTool[In any](s *mcp.Server, program, name, description string, hints *mcp.ToolAnnotations, args func(In) []string) {
	mcp.AddTool(s, &mcp.Tool{Name: name, Description: description, Annotations: hints},
		func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
			out, errs := proc.Tail{Size: maxToolText / 2}, proc.Tail{Size: maxToolText / 2}
			exit, err := proc.Run(ctx, proc.Cmd{
				Name: program, Args: args(in), Stdout: &out, Stderr: &errs, Group: true, MaxOutput: maxToolOutput,
				Interrupt: func(error) time.Duration { return toolGrace },
			})
			text := strings.TrimSpace(strings.TrimSpace(out.String()) + "\n\n" + strings.TrimSpace(errs.String()))
			switch {
			case err != nil:
				text = strings.TrimSpace(text + "\n" + err.Error())
			case exit.Code != 0:
				text += fmt.Sprintf("\nexit code %d", exit.Code)
			}
			return &mcp.CallToolResult{IsError: err != nil || !exit.OK(),
				Content: []mcp.Content{&mcp.TextContent{Text: visible.Text(text)}}}, nil, nil
		})
}

// skill teaches a person's own agent to work on a plan: agentskills.io.
//
//go:embed SKILL.md
var skill string

func skillCommand(c *command) *cli.Command {
	return c.define("skill", "", "print a skill that teaches your own agent to work on a plan", c.do(0, func() error {
		_, err := io.WriteString(c.Out, skill)
		return err
	}))
}
