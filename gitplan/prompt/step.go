package prompt

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// project returns the parts that every prompt of a plan, which may be nil, has alike; own is what the project says.
func project(p *plan.Plan, own string) parts {
	v := parts{"instructions": framed(instructions, "The project's instructions", "files of the repository", own)}
	if p != nil {
		v["rules"] = Section("The plan's rules", p.Rules) +
			Section("The plan's bounds, which your work must stay within", p.BodyOf("Bounds"))
		v["plan"] = framed(instructions, "The goal", "what a person asked for", p.Goal) +
			Section("The plan", "# "+p.Title+"\n\n"+p.Summary) +
			framed(data, "What was learned so far", "a planner's notes", p.Learned)
	}
	return v
}

// soFar returns the sections about the attempts before this one.
func soFar(try Attempt) string {
	start := ""
	if try.Resumed {
		start = Section("Where you start", Resumed)
	}
	if try.Aside != "" {
		start += Section("Files that were put aside", "These files were changed while a session before you worked, or later, perhaps by a person. Your step does not name them, and that session said nothing of them, so they are as they were before: "+try.Aside+". Change them again only if the step needs it, and name them under `drift`.")
	}
	if try.Reopened != "" {
		start += Section("Why your step is open again",
			"A person has reopened it, for the reason below. What is on the branch already is not what they want yet.\n\n"+
				frame(data, "the person's reason", try.Reopened))
	}
	if try.Question != "" {
		start += Section("An unanswered question", "The session before you asked this. Choose the simplest reading that serves the plan, do the step by it, and say under `assumed` what you assumed when you end. End as blocked again only if every reading could do harm.\n\n"+
			frame(data, "the question", try.Question))
	}
	if try.AnotherWay {
		start += Section("Another way", "The last two attempts failed in the same way, so do not try that again. First find out why it fails: read what the check runs, and what it expects. Then do the step another way, and take back what did not help. If it cannot be done as it is written, end as blocked, and say under `amendments` how the plan should change.")
	}
	return start + framed(data, "Why earlier attempts failed", "what sessions and commands said", try.Earlier) +
		framed(data, "Why the last attempt failed", "what its session and commands said", try.Failure) +
		framed(data, "What the last session said of its work", "its words", try.Notes) +
		framed(data, "What the attempts so far changed (it is in the work tree)", "diff", try.Diff)
}

// Resumed is what a session reads that continues another session's work.
const Resumed = "A session before you was interrupted. What it had done is in the work tree, not committed. Look at it first (git status, git diff) and go on from there."

// Budget is how many bytes of a prompt may be about other steps.
const Budget = 24_000

// Step returns the prompt of a session for one step. The parts that change least come first, so that providers'
// caches hit; budget bounds the text about other steps, in bytes.
func (t Prompts) Step(p *plan.Plan, at *progress.Progress, step *plan.Step, try Attempt, own string, budget int) agent.Prompt {
	v := project(p, own)
	v["context"] = planContext(p)
	v["repository"] = framed(data, "The repository", "its folders, and the files at its top", try.Code.Folders)
	shared := t.fill(agent.Executor, v).User
	files := ""
	if len(step.Files) > 0 {
		files = "Its files: " + visible.OneLine(strings.Join(step.Files, ", "), 1000) + ". "
	}
	maps.Copy(v, parts{
		"steps":    Section("The other steps", otherSteps(p, at, step, budget)),
		"step":     Section("Your step", step.Approved()),
		"checks":   bullets("Checks", plan.Commands(step.Checks, p.Checks)) + system(),
		"files":    Section("The files that your step names, as they are now", try.Code.Files),
		"attempts": soFar(try),
		"facts": Section("Now",
			fmt.Sprintf("Step: %s\nAttempt: %d\n\nDo the step %q, attempt %d of %d. %sWhen all of it is there, end the session.",
				step.ID, try.N, step.Title, try.N, try.Of, files)),
	})
	out := t.fill(agent.Executor, v)
	out.Shared, out.Holds = alike(shared, out.User), try.Code.Sums
	return out
}

// system returns the section that says what commands meet.
func system() string {
	name, args := proc.Shell("COMMAND")
	return Section("The system", fmt.Sprintf("%s on %s. Commands are run by `%s` at the top of the work tree.",
		runtime.GOOS, runtime.GOARCH, strings.Join(append([]string{name}, args...), " ")))
}

// alike returns how many bytes two texts begin with in common, in whole lines.
func alike(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return strings.LastIndex(a[:n], "\n") + 1
}

// ByHand returns what a person reads who does a step: the step, and the checks that every step has.
func ByHand(p *plan.Plan, step *plan.Step) string {
	text := step.Approved() + "\n"
	if checks := plan.Commands(p.Checks); len(checks) > 0 {
		text += "\nChecks of every step:\n  " + strings.Join(checks, "\n  ") + "\n"
	}
	return text
}

// planContext returns the sections of a plan that have no meaning to the program.
func planContext(p *plan.Plan) (out string) {
	for _, s := range p.Background() {
		out += Section("The plan: "+s.Title, s.Body)
	}
	return out
}

// Fixing is the task of a fixer session.
type Fixing struct {
	Plan     *plan.Plan         // the plan; nil without one
	Progress *progress.Progress // the plan's progress; if it is set, the prompt shows the steps, as for a verification
	Round    int                // the round of the review; 0 is the verification before it
	Found    string             // the problem to fix
	Tried    string             // the commits of earlier fixers
	Own      string             // the project's instructions for agents; see [Instructions]
	Checks   []string           // the commands that judge the work
}

// Fix returns the prompt of a fixer session.
func (t Prompts) Fix(f Fixing, try Attempt) agent.Prompt {
	v := project(f.Plan, f.Own)
	if f.Plan != nil {
		var criteria []string
		for _, c := range plan.Criteria(f.Plan.Verification) {
			criteria = append(criteria, c.Text)
		}
		v["context"] = planContext(f.Plan) + bullets("The plan: criteria that no command checks", criteria)
	}
	if f.Plan != nil && f.Progress != nil {
		var last []int // the last steps get the budget first
		for i := range slices.Backward(f.Plan.Steps) {
			last = append(last, i)
		}
		texts := chosen(f.Plan, f.Progress, last, func(int) bool { return true }, Budget)
		steps := ""
		for _, i := range slices.Sorted(maps.Keys(texts)) {
			steps += texts[i]
		}
		v["steps"] = framed(data, "The steps of the plan", "what was to be done, and what is done",
			steps+unlisted(len(last)-len(texts)))
	}
	v["checks"] = bullets("Checks", f.Checks) + system()
	v["findings"] = framed(findings, "What is to be fixed", "what reviewers found", f.Found)
	v["attempts"] = soFar(try)
	if f.Tried != "" {
		v["attempts"] = Section("What was tried before",
			"This did not settle what is to be fixed. Do not repeat it: find out why it was not enough.\n\n"+
				frame(data, "commits of fixers, and what they changed", f.Tried)) + v["attempts"]
	}
	v["facts"] = Section("Now", fmt.Sprintf("Round: %d\nAttempt: %d\n\nDeal with each finding under \"What is to be "+
		"fixed\", attempt %d of %d. Then end the session.", f.Round, try.N, try.N, try.Of))
	return t.fill(agent.Fixer, v)
}

// Attempt is the part of a prompt about the attempt and the ones before it.
type Attempt struct {
	N, Of   int    // the number of the attempt, from 1, and of the last one
	Nonce   string // the nonce of the session
	Session string // the session's id
	Failure string // why the last attempt failed, with the end of the output
	Earlier string // why earlier attempts failed
	Notes   string // the last session's report, and what it rejected
	Diff    string // the changes of the attempts so far

	Declared []agent.Drift // the declared changes of earlier attempts, which still count

	Reopened   string // why a person reopened the step
	Question   string // the unanswered question of the session before
	AnotherWay bool   // the last two attempts failed in the same way

	Resumed bool   // an interrupted session left its work in the tree
	Aside   string // the files of that work that were set aside, since a person may have changed them

	Dir  string  // the folder of the session's tree
	Code CodeMap // the shown part of the repository
}

// otherSteps describes the rest of the plan in at most budget bytes: neighbours and needs in full, others in a line,
// nearest first. Each done step has a frame of its own, which later prompts begin with, too.
func otherSteps(p *plan.Plan, at *progress.Progress, step *plan.Step, budget int) string {
	order, full := nearest(p, at, step)
	texts := chosen(p, at, order, full, budget)
	var done, rest strings.Builder
	for _, i := range slices.Sorted(maps.Keys(texts)) {
		s := &p.Steps[i]
		st := at.Steps[s.ID]
		if st.State != progress.StateDone {
			rest.WriteString(texts[i])
			continue
		}
		line := LineOf(s, st)
		done.WriteString(frame(data, fmt.Sprintf("step %d, which is done", s.N), line))
		if text := strings.TrimPrefix(texts[i], line); text != "" {
			fmt.Fprintf(&rest, "%d. (#%s), which is done:\n%s", s.N, s.ID, text)
		}
	}
	rest.WriteString(unlisted(len(p.Steps) - 1 - len(texts)))
	if rest.Len() > 0 {
		done.WriteString(frame(data, "the steps around yours, and those that come later", rest.String()))
	}
	return done.String()
}

// unlisted says how many steps are not listed.
func unlisted(more int) string {
	if more <= 0 {
		return ""
	}
	return fmt.Sprintf("(%d more steps, further away, are not listed)\n", more)
}

// chosen returns the texts of steps as far as the budget goes, by their indices.
func chosen(p *plan.Plan, at *progress.Progress, order []int, full func(int) bool, budget int) map[int]string {
	texts := map[int]string{}
	for _, i := range order {
		s := &p.Steps[i]
		text := LineOf(s, at.Steps[s.ID])
		if full(i) && len(s.Text) <= budget { // a longer text cannot fit
			body := strings.ReplaceAll(strings.TrimRight(s.Approved(), "\n"), "\n", "\n     ")
			if whole := text + "     " + body + "\n"; len(whole) <= budget {
				text = whole
			}
		}
		if len(text) <= budget {
			budget -= len(text)
			texts[i] = text
		}
	}
	return texts
}

// nearest returns the indices of the steps to list. full: needs and neighbours, unless a previous one is reported.
func nearest(p *plan.Plan, at *progress.Progress, step *plan.Step) (order []int, full func(int) bool) {
	self, whole := step.N-1, map[int]bool{step.N: true}
	if self > 0 {
		before := at.Steps[p.Steps[self-1].ID]
		whole[self-1] = before.State != progress.StateDone || before.Summary == ""
	}
	for _, id := range step.Needs {
		if s, ok := p.Step(id); ok && step.NamesNeeds() { // the default is the step before it
			whole[s.N-1] = true
		}
	}
	for i := range p.Steps {
		if i != self {
			order = append(order, i)
		}
	}
	away := func(i int) int {
		if whole[i] {
			return 0
		}
		return max(i-self, self-i)
	}
	slices.SortStableFunc(order, func(a, b int) int { return away(a) - away(b) })
	return order[:min(len(order), 30)], func(i int) bool { return whole[i] }
}

// LineOf returns the line of a list that names a step and its state.
func LineOf(s *plan.Step, st progress.StepState) string {
	line := fmt.Sprintf("%d. %s (#%s): %s", s.N, s.Title, s.ID, st.State)
	if st.Summary != "" {
		line += "; its session reported: " + st.Summary
	}
	return line + "\n"
}
