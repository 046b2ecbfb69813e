package lint

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// inSections is about words where only commands have a meaning, and about a Budget that lets nothing be planned again.
func inSections(p *plan.Plan) (out []plan.Weakness) {
	if len(p.Verification) > 0 && len(plan.Commands(p.Verification, p.Checks)) == 0 {
		out = append(out, plan.Weakness{Rule: "no-verification", Line: p.Verification[0].Line,
			Text: "no command verifies the whole", Fix: "write one in backticks, by itself: - `make test`"})
	}
	for _, c := range plan.Criteria(slices.Concat(p.Prerequisites, p.Checks)) {
		out = append(out, plan.Weakness{Rule: "no-check", Line: c.Line, Text: "not a command, so nothing runs it: " + c.Text,
			Fix: "put a command in backticks, by itself: - `make test`"})
	}
	if p.Bounds != nil && p.Bounds.Budget.Steps > 0 && p.Budgeted() > p.Bounds.Budget.Steps {
		out = append(out, plan.Weakness{Rule: "bounds", Line: 1, Fix: "give Budget more steps than the plan has",
			Text: fmt.Sprintf("Budget allows %d steps, and the plan has %d: it cannot be planned again",
				p.Bounds.Budget.Steps, p.Budgeted())})
	}
	return out
}

// stated matches a line that begins with the id of a requirement or a decision.
var stated = visible.NewPattern(`(?m)^[^\pL\pN\n]*(?:\d+[.)]\s*)?[^\pL\pN\n]*([DR]-?\d{1,4})\b`)

// inRequirements is about requirements that the plan does not have, or that no step serves, and steps that serve none.
func inRequirements(p *plan.Plan) (out []plan.Weakness) {
	known := map[string]bool{}
	for _, m := range stated().FindAllStringSubmatch(string(p.Source), -1) {
		known[m[1]] = true
	}
	serving := p.Serving()
	for _, r := range p.Requirements {
		if len(serving[r.ID]) == 0 {
			out = append(out, plan.Weakness{Rule: "requirement", Line: r.Line, Text: "no step serves " + r.ID + ": " + r.Text,
				Fix: "write For: " + r.ID + " in the steps that do, or add one"})
		}
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		unknown := slices.DeleteFunc(s.Serves(), func(id string) bool { return known[id] || !stated().MatchString(id) })
		if len(unknown) > 0 {
			out = append(out, plan.Weakness{Rule: "requirement", Line: s.Line, Step: s.ID, Error: true,
				Text: "the plan has no " + strings.Join(unknown, ", ") + ", which For names",
				Fix:  "correct For, or add the requirement or decision"})
		}
		serves := slices.ContainsFunc(s.Serves(), func(id string) bool { return serving[id] != nil })
		if len(p.Requirements) > 0 && !serves {
			text := "it serves none of the Requirements"
			if s.For != "" {
				text += ": For is " + s.For
			}
			out = append(out, plan.Weakness{Rule: "serves-nothing", Line: s.Line, Step: s.ID, Text: text,
				Fix: "write which under For, or leave the step out"})
		}
	}
	return out
}

// unknownCommands looks for the programs that commands need: only plain first words, and a path only at the
// beginning, since what comes later may be made by what comes before. step is "" for the whole plan's checks.
func unknownCommands(step string, checks []plan.Check, made func(file string) bool,
	around Surroundings) (out []plan.Weakness) {
	for _, c := range checks {
		for n, called := range callsOf(c.Command) {
			program, file, text := called.program, path.Clean(called.file), ""
			switch {
			case n == 0 && called.file != "" && !path.IsAbs(file) && !around.Exists(file) && !made(file):
				text = called.file + " does not exist, and no step makes it"
			case program == "" || strings.Contains(program, "/") || slices.Contains(plan.ShellWords, program):
			case !around.Finds(program):
				text = "there is no program " + program + " here"
			}
			if text != "" {
				out = append(out, plan.Weakness{Rule: "unknown-command", Line: c.Line, Step: step, Text: text,
					Fix: "correct the command, or install the program"})
			}
		}
	}
	return out
}

// mostRead is how many bytes of a command are read: the parser's stack grows with each bracket, without a bound.
const mostRead = 8 << 10

// call is one of a program, "" for no plain word; file is the path that it runs: its own, or a script's.
type call struct{ program, file string }

// callsOf returns the calls of a command line, up to one after which other programs may be found.
func callsOf(line string) (out []call) {
	file, err := syntax.NewParser().Parse(strings.NewReader(line[:min(len(line), mostRead)]), "")
	if err != nil {
		return nil
	}
	changesPrograms := strings.Fields(". source eval export set alias exec")
	interpreters := strings.Fields("sh bash dash zsh python python3 node ruby perl") // they run the file of their first argument
	over := false
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FuncDecl:
			over = true
		case *syntax.CallExpr:
			if len(n.Args) > 0 && !over {
				c := call{program: n.Args[0].Lit()}
				if strings.Contains(c.program, "/") {
					c.file = c.program
				} else if len(n.Args) > 1 && slices.Contains(interpreters, c.program) {
					if script := n.Args[1].Lit(); path.Ext(script) != "" && script[0] != '-' {
						c.file = script
					}
				}
				out = append(out, c)
				over = slices.Contains(changesPrograms, c.program)
			}
		}
		return !over
	})
	return out
}

var (
	// alwaysPass matches calls that exit with 0 whatever there is.
	alwaysPass = visible.NewPattern(`^(?:true$|:$|exit 0$|echo\b|printf\b)`)
	// passAfter matches programs that exit with 0 whatever happened before them.
	passAfter = visible.NewPattern(`^(?:tail|head|tee|cat|sed|sort|wc|less|more|column|tr|cut|uniq|nl|rm|sleep|kill)\b`)
	// mayFail matches those of them that are checks after all.
	mayFail = visible.NewPattern(`^(?:sort\s.*-(?:c|C|-check)|sed\s.*[qQ]\s*[1-9]|kill\s+-0)`)
	// givesUp matches what may end a command line before its last command.
	givesUp = visible.NewPattern(`\bset -\w*e|\bexit [1-9$]`)
	// notCompared matches a comparison written the wrong way round.
	notCompared = visible.NewPattern(`(?:=<|=>) ?-?\d+(?:\.\d+)?$`)
)

// hidesFailure reports whether a command line exits with 0 although the command that it is about fails.
func hidesFailure(command string) bool {
	file, err := syntax.NewParser().Parse(strings.NewReader(command[:min(len(command), mostRead)]), "")
	if err != nil || len(file.Stmts) == 0 {
		return false
	}
	return len(file.Stmts) == 1 && passes(command, file.Stmts[0]) || lastHides(command, file.Stmts, false)
}

// passes reports whether a statement is a call that exits with 0 whatever there is.
func passes(command string, s *syntax.Stmt) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	return ok && !s.Negated && alwaysPass().MatchString(command[call.Pos().Offset():call.End().Offset()])
}

// lastHides reports whether the last of some statements hides how one before it ended; before says that there is one.
func lastHides(command string, stmts []*syntax.Stmt, before bool) bool {
	last := stmts[len(stmts)-1]
	before = before || len(stmts) > 1 && !givesUp().MatchString(command)
	switch c := last.Cmd.(type) {
	case *syntax.CallExpr:
		text := command[c.Pos().Offset():c.End().Offset()]
		before = before && (passes(command, last) || passAfter().MatchString(text) && !mayFail().MatchString(text))
	case *syntax.BinaryCmd:
		piped := (c.Op == syntax.Pipe || c.Op == syntax.PipeAll) && !strings.Contains(command, "pipefail")
		before = lastHides(command, []*syntax.Stmt{c.Y}, piped || c.Op == syntax.OrStmt) ||
			c.Op == syntax.OrStmt && passes(command, c.X)
	case *syntax.Subshell:
		before = lastHides(command, c.Stmts, before)
	case *syntax.Block:
		before = lastHides(command, c.Stmts, before)
	default:
		before = false
	}
	return last.Background || before && !last.Negated
}

// provesNothing names the commands that pass whatever the repository contains. step is "" for the checks of the
// whole plan, where a bare true says that there is no check.
func provesNothing(step string, checks []plan.Check) (out []plan.Weakness) {
	for _, c := range checks {
		weak := plan.Weakness{Rule: "proves-nothing", Line: c.Line, Step: step}
		if misspelt := notCompared().FindString(c.Command); misspelt != "" {
			weak.Text, weak.Fix = "`"+misspelt+"` is not a comparison, so the shell redirects there", "write <= or >="
			out = append(out, weak)
		}
		if hidesFailure(c.Command) && (step != "" || c.Command != "true") {
			weak.Text = "`" + visible.Blanks(c.Command) + "` passes whatever it finds, so it proves nothing"
			weak.Fix = "put a command that may fail on its own line, or last"
			if strings.ContainsAny(strings.ReplaceAll(c.Command, "||", ""), "|&") {
				weak.Fix += ", without a pipe or &: its output is kept; or say bash -o pipefail -c '...'"
			}
			out = append(out, weak)
		}
	}
	return out
}
