package main

import (
	"context"
	"crypto/sha256"
	_ "embed" // for toolInstructions and skill
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/cmd/git-plan/web"
	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func webCommand(c *command) *cli.Command {
	var port int
	var readOnly bool
	var export string
	c.option(&port, "port", "listen on port `N` instead of any that is free")
	c.option(&readOnly, "read-only", "print only the address at which nothing can be changed")
	c.option(&export, "export", "only write the page to `FILE`, which needs neither server nor script")
	return c.define("web", "", "show the plan in a browser on this machine",
		c.onPlan(0, func(co *checkout.Checkout) error {
			if export != "" {
				return exportPage(c, co, export)
			}
			if err := notNested(); err != nil {
				return err
			}
			s := &web.Server{Open: withRepository}
			if !readOnly {
				s.Acts = actsOf(c.Context, c.Err)
			}
			l, look, act, err := s.Listen(strconv.Itoa(port))
			if err != nil {
				return &exit.Wrong{Text: err.Error(), Hint: "git plan web, without --port, takes any port that is free"}
			}
			say(c.Out, "read-only:    %s", look)
			if s.Acts != nil {
				say(c.Out, "full access:  %s", act)
			}
			say(c.Err,
				"open one in a browser on this machine; anyone who knows it can do the same, so keep it to yourself (Ctrl-C ends it)")
			if err := s.Serve(c.Context, l); err != nil {
				return err
			}
			return &exit.Ended{Code: exit.Interrupted}
		}))
}

func exportPage(c *command, co *checkout.Checkout, file string) error {
	p, err := web.Of(c.Context, co, true)
	if err != nil {
		return err
	}
	text, err := web.File(p)
	if err != nil {
		return err
	}
	return writeNew(file, []byte(text))
}

// actsOf returns the acts of the page; what they print goes to the terminal of git plan web.
func actsOf(until context.Context, w io.Writer) *web.Acts {
	do := func(ctx context.Context, act string, field func(string) string) error {
		return withPlan(ctx, func(co *checkout.Checkout) error {
			c, text := &command{Context: ctx, Err: w, name: act}, field("text")
			switch act {
			case "approve":
				return locked(c, co, func(*journal.Lock) error {
					if field("digest") != digestOf(co) {
						return &exit.Wrong{Text: "what you approve has changed since you read it", Hint: "read it again, then approve it"}
					}
					if err := co.Doc.Plan.Approvable(); err != nil {
						return err
					}
					return approveAsShown(ctx, co, "")
				})
			case "answer":
				if mayBeFinding(co, field("name"), nil) {
					return answerFixer(c, co, field("name"), text)
				}
				return answerByPage(c, until, co, field("name"), text)
			case "dismiss":
				if text == "" {
					return &exit.Wrong{Text: "say why, for readers of the review"}
				}
				return reviewLocked(c, co, func(*journal.Lock) error { return dismiss(c, co, field("finding"), text) })
			case "done": // on the person's word
				return withSteps(c, func(s *gitplan.Steps) error {
					_, _, err := s.Done(ctx, field("name"))
					return err
				})
			case "checked":
				return confirmByHand(c, []string{field("name")})
			case "stop":
				who, working := journal.Working(co.Repo, co.Doc.ID)
				if !working {
					return &exit.Wrong{Text: "nothing runs"}
				}
				return stop(c, co, co.Doc.ID, who, field("now") != "")
			case "go-on":
				return goOn(ctx, co)
			}
			return web.ErrNoAct
		})
	}
	return &web.Acts{Do: do, Approval: func(ctx context.Context, co *checkout.Checkout) (web.Approval, error) {
		return approvalOf(ctx, co), co.Doc.Plan.Approvable()
	}}
}

// answerByPage stores an answer; during a session after that, unless until ends before.
func answerByPage(c *command, until context.Context, co *checkout.Checkout, step, text string) error {
	if text == "" {
		return &exit.Wrong{Text: "nothing was answered"}
	}
	s, err := stepOf(co, step)
	if err != nil {
		return err
	}
	if err := co.RequireBlocked(s.ID); err != nil {
		return err
	}
	if _, busy := journal.Working(co.Repo, co.Doc.ID); !busy {
		return locked(c, co, func(*journal.Lock) error { return storeAnswer(c, co, s.ID, text, false) })
	}
	share.AnswerLater(until, co, s.ID, text,
		func(do func(*checkout.Checkout) error) error { return withPlan(until, do) }, func(err error) {
			say(c.Err, "the answer to step %s is not stored (%s); give it again: git plan answer %s", s.ID, err, s.ID)
		})
	return nil
}

// goOn withdraws a request to stop, or starts a git plan run that outlives this process, and waits for its lock.
func goOn(ctx context.Context, co *checkout.Checkout) error {
	if who, working := journal.Working(co.Repo, co.Doc.ID); working {
		if !journal.AskedToStop(co.Repo, co.Doc.ID, who) {
			return who.Busy()
		}
		return journal.UndoStop(co.Repo, co.Doc.ID)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	path := web.BegunPath(co.Repo, co.Doc.ID)
	_ = os.Remove(path) // an earlier run may still write to its own
	said, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer said.Close()
	ended := make(chan error, 1)
	go func() {
		end, err := proc.Run(context.WithoutCancel(ctx),
			proc.Cmd{Name: self, Args: []string{"run"}, Stdout: said, Stderr: said, OwnProcessGroup: true})
		if err == nil && !end.OK() {
			err = &exit.Wrong{Text: web.Begun(co.Repo, co.Doc.ID)}
		}
		ended <- err
	}()
	for {
		if _, working := journal.Working(co.Repo, co.Doc.ID); working {
			return nil
		}
		select {
		case err := <-ended:
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// approvalOf returns what a person reads before they approve, as git plan approve prints it.
func approvalOf(ctx context.Context, co *checkout.Checkout) web.Approval {
	p := co.Doc.Plan
	a := web.Approval{Plan: p, Text: visible.Text(string(p.Source)), Digest: digestOf(co)}
	a.Budget = views.Limits(co)
	if p.Bounds != nil && p.Bounds.Budget.Text != "" {
		a.Budget = strings.TrimSuffix(p.Bounds.Budget.Text+", "+a.Budget, ", ")
	}
	a.Runs, a.Unchecked = views.Runs(co)
	for _, of := range p.Sections { // nothing that a session reads is left out
		for _, s := range p.Steps {
			of.Body = strings.Replace(of.Body, s.Text, "", 1)
		}
		if of.Body = strings.TrimSpace(of.Body); of.Body != "" && of.Body != p.Goal {
			a.Sections = append(a.Sections, of)
		}
	}
	if text, ok := co.SetupChange(); ok {
		a.Unseen = visible.Text(text + ": it stays as it is now")
	}
	var outlook strings.Builder
	printUnverifiedEvents(&outlook, co)
	views.Expected(ctx, &outlook, 1<<20, co) // the page has no lines of a terminal
	a.Outlook = visible.Text(outlook.String())
	if before, err := integrity.ApprovedMeaning(co.Repo, co.Doc.ID); err == nil && before != nil {
		a.Changed = visible.Text(share.CompareWords(before, plan.Meaning(co.Doc.Plan.Source)))
	}
	return a
}

// digestOf identifies what an approval covers: the text, a changed set-up, and unverified events.
func digestOf(co *checkout.Checkout) string {
	h := sha256.New()
	h.Write(co.Doc.Plan.Source)
	unseen, _ := co.SetupChange()
	h.Write([]byte("\x00" + unseen))
	for _, e := range co.UnverifiedEvents() {
		h.Write([]byte("\x00" + e.Commit))
	}
	return hex.EncodeToString(h.Sum(nil))
}

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
