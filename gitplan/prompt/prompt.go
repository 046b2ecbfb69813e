package prompt

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// frame marks text as data: it stands between two lines that its author could
// not know, and no line of it can pass for a heading of the prompt. The word in
// these lines is a hash of the text, so that the text cannot hold it, and the
// same text is framed alike in every session: providers keep it cached.
func frame(kind, text string) string {
	text = strings.ToValidUTF8(strings.TrimRight(text, "\n"), "\uFFFD")
	word := FrameWord(kind, text)
	var b strings.Builder
	fmt.Fprintf(&b, "--- data %s: %s ---\n", word, kind)
	for _, line := range strings.Split(text, "\n") {
		fmt.Fprintf(&b, "| %s\n", line)
	}
	fmt.Fprintf(&b, "--- end %s ---\n", word)
	return b.String()
}

// Unframed is a prompt for people: what Frame marked in it stands there as it is.
func Unframed(prompt string) string {
	frame := regexp.MustCompile(`(?m)^--- data [0-9a-f]{24}: .* ---\n((?:\|.*\n)*)--- end [0-9a-f]{24} ---$`)
	return frame.ReplaceAllStringFunc(prompt, func(s string) string {
		body := frame.FindStringSubmatch(s)[1]
		return strings.TrimSuffix(strings.TrimPrefix(strings.ReplaceAll("\n"+body, "\n| ", "\n"), "\n"), "\n")
	})
}

// FrameWord is a word of 96 bits that a text cannot hold, since it is the
// text's own hash.
func FrameWord(kind, text string) string {
	sum := sha256.Sum256([]byte(kind + "\x00" + text))
	return hex.EncodeToString(sum[:12])
}

// InstructionFiles are the project's own words to whoever works on it.
var InstructionFiles = []string{"AGENTS.md", "CLAUDE.md", ".gitplan/rules.md"}

// maxInstructions bounds each of them in a prompt, in bytes.
const maxInstructions = 32 << 10

// Instructions reads the project's own instructions from the work tree. A file
// that only points to another one (CLAUDE.md: "@AGENTS.md") adds nothing.
func Instructions(top string) string { return InstructionsUpTo(top, maxInstructions) }

// instructions are those of each file up to so many bytes of a prompt.
func InstructionsUpTo(top string, most int) string {
	root, err := os.OpenRoot(top)
	if err != nil {
		return ""
	}
	defer root.Close()
	var b strings.Builder
	for _, name := range InstructionFiles {
		text, err := ReadSmall(root, name)
		switch text = strings.TrimSpace(text); {
		case errors.Is(err, fs.ErrNotExist) || err == nil && (text == "" || strings.HasPrefix(text, "@")):
			continue
		case err != nil:
			text = "(" + visible.OneLine(err.Error(), 200) + ")"
		}
		fmt.Fprintf(&b, "# %s\n\n%s\n\n", filepath.Base(name), Shortened(text, most))
	}
	return b.String()
}

// parts are the variables of a prompt template: each is a section with its
// heading, or nothing.
type parts map[string]string

func Section(title, text string) string {
	if text = strings.TrimRight(text, "\n"); strings.TrimSpace(text) == "" {
		return ""
	}
	return fmt.Sprintf("## %s\n\n%s\n\n", title, text)
}

func data(title, kind, text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return Section(title, frame(kind, text))
}

func bullets(title string, items []string) string {
	if len(items) == 0 {
		return ""
	}
	return Section(title, "- "+strings.Join(items, "\n- "))
}

// project is what is the same in every prompt of a plan.
func project(pl *plan.Plan, instructions string) parts {
	p := parts{"instructions": data("The project's instructions", "files of the repository", instructions)}
	if pl != nil {
		p["rules"] = Section("The plan's rules", pl.Rules)
		p["plan"] = Section("The plan", "# "+pl.Title+"\n\n"+pl.Summary)
	}
	return p
}

// soFar tells what the attempts before this one left.
func soFar(try Attempt) string {
	start := ""
	if try.Resumed {
		start = Section("Where you start", Resumed)
	}
	return start + data("Why the last attempt failed", "output of commands", try.Failure) +
		data("What the attempts so far changed (it is in the work tree)", "diff", try.Diff)
}

// Resumed is what a session is told that goes on from another one's work.
const Resumed = "A session before you was interrupted. What it had done is in the work tree, not committed. Look at it first (git status, git diff) and go on from there."

// Step is what a session for one step is told. Its parts stand in the order in
// which they change, so that providers' caches hold; what is about other steps
// has a budget of its own, in bytes, and does not grow with the plan.
func (t Prompts) Step(pl *plan.Plan, pr *progress.Progress, step *plan.Step, try Attempt, instructions string, budget int) agent.Prompt {
	p := sharedParts(pl, instructions)
	maps.Copy(p, ownParts(pl, pr, step, try, budget))
	return t.fill(agent.Executor, p)
}

// sharedParts are those of a step's prompt that are the same for all steps.
func sharedParts(pl *plan.Plan, instructions string) parts {
	p := project(pl, instructions)
	p["context"] = planContext(pl)
	return p
}

func ownParts(p *plan.Plan, pr *progress.Progress, step *plan.Step, try Attempt, budget int) parts {
	return parts{
		"steps":    data("The other steps", "what is done and what comes later", otherSteps(p, pr, step, budget)),
		"step":     Section("Your step", step.Approved()),
		"checks":   bullets("Commands that are run when you are done", append(plan.Commands(step.Checks), plan.Commands(p.Checks)...)),
		"attempts": soFar(try),
		"facts":    Section("Facts", facts("Step", step.ID, "Attempt", fmt.Sprint(try.N), "Nonce", try.Nonce)),
	}
}

// StepSize is about how many bytes the prompt of each step has. What all of them share
// is measured once, so that the time is linear in the plan.
func (t Prompts) StepSize(p *plan.Plan, instructions string, budget int) func(*plan.Step) int {
	open := &progress.Progress{Steps: map[string]progress.StepState{}}
	shared := len(t.fill(agent.Executor, sharedParts(p, instructions)).Text()) + len(bullets("", plan.Commands(p.Checks)))
	used := map[string]bool{}
	for _, m := range variable.FindAllStringSubmatch(t.template(agent.Executor), -1) {
		used[m[1]] = true
	}
	unchecked := *p
	unchecked.Checks = nil
	return func(s *plan.Step) int {
		size := shared
		for name, text := range ownParts(&unchecked, open, s, Attempt{N: 1}, budget) {
			if used[name] {
				size += len(text)
			}
		}
		return size
	}
}

// planContext are the sections of a plan that have no meaning of their own.
func planContext(p *plan.Plan) string {
	var b strings.Builder
	for _, s := range p.Sections {
		if plan.SectionMeaning(s.Title) == "" {
			b.WriteString(Section("The plan: "+s.Title, s.Body))
		}
	}
	return b.String()
}

// Fix is what a fixer session is told: the plan's goal and rules, and the
// findings, which are data.
func (t Prompts) Fix(pl *plan.Plan, findings, instructions string, round int, checks []string, try Attempt) agent.Prompt {
	p := project(pl, instructions)
	p["checks"] = bullets("Commands that are run when you are done", checks)
	p["findings"] = data("What is to be repaired", "findings", findings)
	p["attempts"] = soFar(try)
	p["facts"] = Section("Facts", facts("Round", fmt.Sprint(round), "Attempt", fmt.Sprint(try.N), "Nonce", try.Nonce))
	return t.fill(agent.Fixer, p)
}

// Plan is what a planner session is told: about the repository, and the goal.
// answer is its last one, which a fresh session has not seen, problems what is
// wrong with that.
func (t Prompts) Plan(p Planning, about, instructions, nonce, answer, problems string) agent.Prompt {
	v := project(nil, instructions)
	v["repository"] = data("The repository", "its files, how it is built, its last commits", about)
	v["template"] = data("The shape that the plan should have (sections and order; the comments are for you)", "template", p.Template)
	v["goal"] = Section("The goal", p.Goal)
	for _, c := range p.Context {
		v["context"] += data("Given along: "+visible.OneLine(c[0], 200), "text", c[1])
	}
	if p.Old != nil {
		v["plan"] = data("The plan to be written anew", "plan.md", string(p.Old.Source)) +
			data("Where the work stands, and why the plan is written anew", "what happened", p.Stuck)
	}
	v["attempts"] = data("Your last answer", "answer", answer) + data("What is wrong with it", "problems", problems)
	v["facts"] = Section("Facts", facts("Nonce", nonce))
	return t.fill(agent.Planner, v)
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

// maxListed is how many other steps are listed: as many as a plan of ordinary
// size has, so that a plan ten times as long costs the same in every session.
const maxListed = 40

// otherSteps tells of the rest of the plan: the neighbours and whatever the
// step needs in full, a line for each other one, nearest first, until maxListed
// or the budget is reached; the rest is counted.
func otherSteps(p *plan.Plan, pr *progress.Progress, step *plan.Step, budget int) string {
	inFull, order := nearest(p, step)
	texts := map[int]string{}
	for _, i := range order {
		s := &p.Steps[i]
		line := LineOf(s, pr.Steps[s.ID])
		text := line
		if status := s.At.Status; inFull[i] && len(s.Text)-(status.To-status.From) <= budget { // else it is not even read
			text += indent(s.Approved()) + "\n"
		}
		switch {
		case len(text) <= budget:
		case len(line) <= budget:
			text = line
		default:
			continue
		}
		budget -= len(text)
		texts[i] = text
	}
	var b strings.Builder
	for _, i := range slices.Sorted(maps.Keys(texts)) {
		b.WriteString(texts[i])
	}
	if more := len(p.Steps) - 1 - len(texts); more > 0 {
		fmt.Fprintf(&b, "(%d more steps, further away, are not listed)\n", more)
	}
	return b.String()
}

// nearest are the places of the steps to list: first those that are told in
// full, the neighbours and what the step needs, then the others by distance.
func nearest(p *plan.Plan, step *plan.Step) (inFull map[int]bool, order []int) {
	at, inFull := step.N-1, map[int]bool{}
	add := func(i int, full bool) {
		if _, listed := inFull[i]; i >= 0 && i < len(p.Steps) && i != at && !listed {
			order = append(order, i)
			inFull[i] = full
		}
	}
	add(at-1, true)
	add(at+1, true)
	for _, id := range step.Needs {
		if s, ok := p.Step(id); ok {
			add(s.N-1, true)
		}
	}
	for d := 2; d < len(p.Steps) && len(order) < maxListed; d++ {
		add(at-d, false)
		add(at+d, false)
	}
	return inFull, order
}

func LineOf(s *plan.Step, st progress.StepState) string {
	line := fmt.Sprintf("%d. %s (#%s): %s", s.N, s.Title, s.ID, st.State)
	if st.Summary != "" {
		line += "; its session reported: " + st.Summary
	}
	return line + "\n"
}

func indent(text string) string {
	return "     " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n     ")
}

// Attempt is what a session is told about the attempts before it.
type Attempt struct {
	N       int
	Nonce   string
	Session string // its id
	Failure string // why the last attempt failed, with the end of its output
	Diff    string // what was changed so far
	Resumed bool   // an interrupted session left its work in the tree
}

// Planning is what a planner session is asked for.
type Planning struct {
	Goal string
	// Context are texts that a person gave along: what they are called, and
	// what stands in them.
	Context [][2]string
	// Template is the shape that the plan should have; it may be empty.
	Template string
	// Ask puts the planner's questions to a person, once; nil where nobody is
	// asked. What was answered is kept in the plan; what was not is empty.
	Ask func([]agent.Question) ([]string, error)
	// Old is the plan to be written anew, and Stuck why; nil for a new plan.
	Old   *plan.Plan
	Stuck string
}

// ReadSmall reads a file for a prompt. What is no ordinary file is not opened: a
// pipe would wait for ever.
func ReadSmall(root *os.Root, name string) (string, error) {
	info, err := root.Stat(name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSmall {
		return "", fmt.Errorf("%s is no file of up to %d bytes", name, maxSmall)
	}
	data, err := root.ReadFile(name)
	return strings.ToValidUTF8(string(data), "\uFFFD"), err
}

// Shortened is as much of a text as takes room bytes in a prompt, with a word
// about the rest.
func Shortened(s string, room int) string {
	if s = strings.TrimRight(s, "\n"); FramedSize(s) <= room {
		return s
	}
	at := 0
	for room -= len("| \n| [cut here; 1048576 more bytes are not shown]"); at < len(s) && room > 0; at++ {
		if room--; s[at] == '\n' {
			room -= len("| ")
		}
	}
	return fmt.Sprintf("%s\n[cut here; %d more bytes are not shown]", strings.ToValidUTF8(s[:at], ""), len(s)-at)
}

// maxSmall bounds a file of the work tree that is read for a prompt, in bytes.
const maxSmall = 1 << 20

// FramedSize is how many bytes a text takes in a prompt, where each of its lines
// has a mark.
func FramedSize(s string) int { return len(s) + len("| ")*(1+strings.Count(s, "\n")) }

// ByHand is the command with which a person writes the plan instead.
func (p Planning) ByHand() string {
	if p.Old != nil {
		return "git plan edit"
	}
	return "git plan new"
}

// Failed is the error of a session that ended without what was asked.
func (p Planning) Failed(r agent.Result) error {
	text := visible.FirstLine(cmp.Or(r.Question, r.Reason))
	if r.Status == agent.Cancelled {
		text = "interrupted before there was a plan"
	}
	if text == "" {
		text = "the session ended without an answer"
	}
	kind := map[agent.Status]error{
		agent.Limited: fault.ErrLimited, agent.Unreachable: fault.ErrUnreachable, agent.Unauthorised: fault.ErrNoKey,
		agent.Stopped: fault.ErrBudget, agent.Unusable: fault.ErrAgentSetup, agent.Cancelled: fault.ErrInterrupted, agent.Blocked: fault.ErrQuestion,
	}[r.Status]
	if kind == nil {
		return &fault.Fault{Kind: fault.ErrPlanner, Text: "the planner failed: " + text, Next: p.ByHand()}
	}
	return &fault.Fault{Kind: kind, Text: text}
}
