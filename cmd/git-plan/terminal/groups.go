package terminal

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// groups folds each step's lines in the log of a GitHub workflow, and marks what
// failed there. A nil one does nothing.
type groups struct {
	out     io.Writer
	open    bool
	quiet   bool // findings are not annotated here: the result has them
	summary summary
}

func (g *groups) before(n journal.Notice) {
	if g == nil {
		return
	}
	switch n.Kind {
	case journal.StepStart:
		if g.close(); len(n.Steps) == 0 { // the lines of steps side by side are mixed, and each names its own
			g.begin("step " + n.Step + ": " + n.Text)
		}
	case journal.ReviewRound:
		g.begin(lines(n))
	case journal.ReviewEnd:
		g.close()
	case journal.StepBlocked:
		g.close()
		fmt.Fprintf(g.out, "::error title=%s::%s\n", property("step "+n.Step), data(n.Reason))
	case journal.FindingSeen:
		if !g.quiet {
			g.annotate(n)
		}
	}
	g.summary.add(n)
}

// found is a finding, as far as it is shown.
type found struct {
	File, Title, Severity, Status string
	Line                          int
}

func findingOf(n journal.Notice) (f found) {
	if text, err := json.Marshal(n.Finding); err == nil {
		_ = json.Unmarshal(text, &f)
	}
	return f
}

func (f found) place() string {
	switch {
	case f.File == "":
		return "the branch"
	case f.Line == 0:
		return f.File
	}
	return fmt.Sprintf("%s:%d", f.File, f.Line)
}

// annotate marks a finding at its place in the code, where GitHub shows it.
func (g *groups) annotate(n journal.Notice) {
	f := findingOf(n)
	if f.File == "" || f.Line == 0 {
		return
	}
	kind := "warning"
	if f.Severity == "low" {
		kind = "notice"
	}
	fmt.Fprintf(g.out, "::%s file=%s,line=%d,title=%s::%s\n", kind, property(f.File), f.Line, property(f.Severity), data(f.Title))
}

func (g *groups) after(n journal.Notice) {
	if g != nil && n.Kind == journal.StepDone {
		g.close()
	}
}

func (g *groups) begin(title string) {
	g.close()
	g.open = true
	fmt.Fprintf(g.out, "::group::%s\n", data(title))
}

func (g *groups) close() {
	if g == nil || !g.open {
		return
	}
	g.open = false
	fmt.Fprintf(g.out, "::endgroup::\n")
}

// end closes what is open, and adds this process's work to the workflow's page.
func (g *groups) end(own bool) {
	g.close()
	if g == nil || !own {
		return
	}
	if err := g.summary.write(os.Getenv("GITHUB_STEP_SUMMARY")); err != nil {
		fmt.Fprintf(g.out, "::warning::%s\n", data("the step summary cannot be written: "+err.Error()))
	}
}

// data and property escape a text for GitHub's workflow commands, on one line.
func data(s string) string     { return visible.Workflow(visible.Line(s)) }
func property(s string) string { return visible.WorkflowProperty(visible.Line(s)) }

// safe keeps a line of ours from being taken for a command: the runner obeys
// "##[...]" anywhere in a line. Each line of ours begins with a time or a bar,
// so none begins with "::".
func (g *groups) safe(line string) string {
	if g == nil {
		return line
	}
	return strings.ReplaceAll(line, "##[", "# #[")
}
