package gitplan

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// The contracts are what every session of a role is told first, word for word
// the same, so that a provider can keep them cached.
var (
	//go:embed prompts/executor.md
	executorContract string
	//go:embed prompts/fixer.md
	fixerContract string
	//go:embed prompts/planner.md
	plannerContract string
)

// Frame marks text as data: it stands between two lines that its author could
// not know, and no line of it can pass for a heading of the prompt.
func Frame(kind, nonce, text string) string {
	text = strings.ToValidUTF8(strings.TrimRight(text, "\n"), "\uFFFD")
	var b strings.Builder
	fmt.Fprintf(&b, "--- data %s: %s ---\n", nonce, kind)
	for _, line := range strings.Split(text, "\n") {
		fmt.Fprintf(&b, "| %s\n", line)
	}
	fmt.Fprintf(&b, "--- end %s ---\n", nonce)
	return b.String()
}

// instructionFiles are the project's own words to whoever works on it.
var instructionFiles = []string{"AGENTS.md", "CLAUDE.md", ".gitplan/rules.md"}

// maxInstructions bounds each of them in a prompt, in bytes.
const maxInstructions = 32 << 10

// Instructions reads the project's own instructions from the work tree. A file
// that only points to another one (CLAUDE.md: "@AGENTS.md") adds nothing.
func Instructions(top string) string {
	root, err := os.OpenRoot(top)
	if err != nil {
		return ""
	}
	defer root.Close()
	var b strings.Builder
	for _, name := range instructionFiles {
		data, err := root.ReadFile(name)
		text := strings.TrimSpace(string(data))
		if err != nil || text == "" || strings.HasPrefix(text, "@") {
			continue
		}
		if len(text) > maxInstructions {
			text = text[:maxInstructions] + "\n[cut here]"
		}
		fmt.Fprintf(&b, "# %s\n\n%s\n\n", filepath.Base(name), text)
	}
	return b.String()
}

// page is a prompt being written: sections, some of them data.
type page struct {
	strings.Builder
	nonce string
}

func (p *page) section(title, text string) {
	if text = strings.TrimRight(text, "\n"); strings.TrimSpace(text) != "" {
		fmt.Fprintf(p, "## %s\n\n%s\n\n", title, text)
	}
}

func (p *page) data(title, kind, text string) {
	if strings.TrimSpace(text) != "" {
		p.section(title, Frame(kind, p.nonce, text))
	}
}

func (p *page) list(title string, items []string) {
	if len(items) > 0 {
		p.section(title, "- "+strings.Join(items, "\n- "))
	}
}

// goal tells what the whole is about.
func (p *page) goal(plan *Plan) {
	p.section("The plan's rules", plan.Rules)
	p.section("The plan", "# "+plan.Title+"\n\n"+plan.Summary)
}

// soFar tells what the attempts before this one left.
func (p *page) soFar(try Attempt) {
	if try.Resumed {
		p.section("Where you start", "A session before you was interrupted. What it had done is in the work tree, not committed. Look at it first (git status, git diff) and go on from there.")
	}
	p.data("Why the last attempt failed", "output of commands", try.Failure)
	p.data("What the attempts so far changed (it is in the work tree)", "diff", try.Diff)
}

// StepPrompt is what a session for one step is told. Its parts stand in the
// order in which they change, so that providers' caches hold; what is about
// other steps has a budget of its own and does not grow with the plan.
func StepPrompt(plan *Plan, progress *Progress, step *Step, try Attempt, instructions string, budget int) agent.Prompt {
	p := &page{nonce: try.Nonce}
	p.data("The project's instructions", "files of the repository", instructions)
	p.goal(plan)
	for _, s := range plan.Sections {
		if sectionMeaning(s.Title) == "" {
			p.section("The plan: "+s.Title, s.Body)
		}
	}
	p.data("The other steps", "what is done and what comes later", otherSteps(plan, progress, step, budget))
	p.section("Your step", step.Approved())
	p.list("Commands that are run when you are done", append(Commands(step.Checks), Commands(plan.Checks)...))
	p.soFar(try)
	p.section("Facts", facts("Step", step.ID, "Attempt", fmt.Sprint(try.N), "Nonce", try.Nonce))
	return agent.Prompt{System: executorContract, User: p.String()}
}

// FixPrompt is what a fixer session is told: the plan's goal and rules, and
// the findings, which are data.
func FixPrompt(plan *Plan, findings, instructions string, round int, checks []string, try Attempt) agent.Prompt {
	p := &page{nonce: try.Nonce}
	p.data("The project's instructions", "files of the repository", instructions)
	if plan != nil {
		p.goal(plan)
	}
	p.list("Commands that are run when you are done", checks)
	p.data("What is to be repaired", "findings", findings)
	p.soFar(try)
	p.section("Facts", facts("Round", fmt.Sprint(round), "Attempt", fmt.Sprint(try.N), "Nonce", try.Nonce))
	return agent.Prompt{System: fixerContract, User: p.String()}
}

// PlanPrompt is what a planner session is told: the goal, and the names of the
// repository's files to begin with. problems are those of its last answer.
func PlanPrompt(goal, files, instructions, nonce, problems string) agent.Prompt {
	p := &page{nonce: nonce}
	p.section("The goal", goal)
	p.data("The project's instructions", "files of the repository", instructions)
	p.data("The repository", "its files", files)
	p.data("What was wrong with your last answer", "problems", problems)
	p.section("Facts", facts("Nonce", nonce))
	return agent.Prompt{System: plannerContract, User: p.String()}
}

// facts are plain lines at the end of a prompt: what a program that answers in
// a model's place may rely on.
func facts(pairs ...string) string {
	var b strings.Builder
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			fmt.Fprintf(&b, "%s: %s\n", pairs[i], pairs[i+1])
		}
	}
	return b.String()
}

// otherSteps tells of the rest of the plan: the neighbours and whatever the
// step needs in full, a line for each other one, nearest first, until the
// budget is used; the rest is counted.
func otherSteps(plan *Plan, progress *Progress, step *Step, budget int) string {
	full := map[string]bool{}
	for _, id := range step.Needs {
		full[id] = true
	}
	at := step.N - 1
	for _, i := range []int{at - 1, at + 1} {
		if i >= 0 && i < len(plan.Steps) {
			full[plan.Steps[i].ID] = true
		}
	}
	texts := make([]string, len(plan.Steps))
	left, folded := budget, 0
	for _, i := range byDistance(at, len(plan.Steps)) {
		s := &plan.Steps[i]
		text := lineOf(s, progress.Steps[s.ID])
		if full[s.ID] {
			text += indent(s.Approved()) + "\n"
		}
		if len(text) > left {
			if text = lineOf(s, progress.Steps[s.ID]); len(text) > left {
				folded++
				continue
			}
		}
		left -= len(text)
		texts[i] = text
	}
	out := strings.Join(texts, "")
	if folded > 0 {
		out += fmt.Sprintf("(%d more distant steps are not listed)\n", folded)
	}
	return out
}

// byDistance lists the places of all other steps, nearest first.
func byDistance(at, n int) []int {
	out := make([]int, 0, n)
	for d := 1; d < n; d++ {
		if at-d >= 0 {
			out = append(out, at-d)
		}
		if at+d < n {
			out = append(out, at+d)
		}
	}
	return out
}

func lineOf(s *Step, st StepState) string {
	line := fmt.Sprintf("%d. %s (#%s): %s", s.N, s.Title, s.ID, st.State)
	if st.Summary != "" {
		line += "; its session reported: " + st.Summary
	}
	return line + "\n"
}

func indent(text string) string {
	return "     " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n     ")
}
