package agent

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/fault"
)

// Question is what a session asks a person, with answers it suggests.
type Question struct {
	Text      string   `json:"question"`
	Suggested []string `json:"suggested"`
}

// Status is how a session ended.
type Status string

const (
	Done         Status = "done"         // it says that it did its task
	Blocked      Status = "blocked"      // it needs an answer first: Result.Question
	Failed       Status = "failed"       // it says so, or ended without an answer: Result.Reason
	Limited      Status = "limited"      // rate limit or overload outlasted the waiting: Result.RetryAfter
	Unreachable  Status = "unreachable"  // the endpoint cannot be reached
	Lost         Status = "lost"         // no machine elsewhere brought it to its end
	Unauthorised Status = "unauthorised" // no valid key, or no quota
	Unusable     Status = "unusable"     // misconfigured: no such program, model or endpoint
	TimedOut     Status = "timeout"      // the session's own time limits
	Stopped      Status = "stopped"      // Session.Spend said so
	Cancelled    Status = "cancelled"    // the context ended
)

// faults are the kinds of errors that commands report for ends that are not about the work.
var faults = map[Status]error{
	Blocked: fault.ErrQuestion, Limited: fault.ErrLimited, Unreachable: fault.ErrUnreachable, Lost: fault.ErrLost,
	Unauthorised: fault.ErrNoKey, Unusable: fault.ErrAgentSetup, Stopped: fault.ErrBudget, Cancelled: fault.ErrInterrupted,
}

// Fault returns the kind of error that a command reports for such an end; nil if it is about the work.
func (s Status) Fault() error { return faults[s] }

// CountsAsAttempt reports whether the end says something about the work.
func (s Status) CountsAsAttempt() bool { return faults[s] == nil || s == Blocked }

// Transient reports whether the same session may end otherwise later, with nothing changed.
func (s Status) Transient() bool { return s == Limited || s == Unreachable || s == Lost }

// Known reports whether s is one of the ends of a session.
func (s Status) Known() bool { return faults[s] != nil || s == Done || s == Failed || s == TimedOut }

// MaxCalls is how many tool calls of one turn are answered.
const MaxCalls = 32

// Result is what a session leaves behind in addition to the tree.
type Result struct {
	Status     Status
	Reason     string     // why the session is not done, in one line
	Next       string     // the person's next command if the agent cannot work; empty if unknown
	Question   string     // the question of a blocked session
	Questions  []Question // the questions of a blocked planner; the next session reads the answers
	Unsaid     bool       // a failed session gave no reason, so its work may be right
	Unaccepted bool       // a failed session ended because Session.Accept refused its result
	Refused    bool       // the model or its provider refuses the conversation, and would refuse the next session

	Subject      string  // proposed subject of the commit
	Summary      string  // a summary of the work, for the plan and the commit's body
	Handoff      Handoff // notes for later sessions
	Proposal     string  // proposed changes of the plan
	Assumed      string  // assumptions where the task left something open
	Drift        []Drift // files that an executor changed although its step does not name them
	Dispositions []Disposition
	Answer       string // a planner's plan.md, or the JSON of a critic, reviewer or verifier

	Tokens     Tokens
	Cost       Cost
	RetryAfter time.Duration
	Agent      string // agent and model that ran, as "openai/gpt-5.6"
	ExitCode   *int   // the exit code of a program that ended by itself; otherwise nil
}

// Fail returns the result of a session that failed, and why.
func Fail(format string, args ...any) Result {
	return Result{Status: Failed, Reason: fmt.Sprintf(format, args...)}
}

// NoAnswer returns the result of a session that ended without a usable answer, and why. said is its last text.
func NoAnswer(said, format string, args ...any) Result {
	r := Fail(Silent+format, args...)
	r.Unsaid, r.Summary = true, said
	return r.Tidy()
}

// Silent begins the reason of a session that gave no answer.
const Silent = "gave no answer: "

// Handoff is what a session leaves to the sessions after it.
type Handoff struct {
	Did      string `json:"did,omitempty"`
	Why      string `json:"why,omitempty"`
	Rejected string `json:"rejected,omitempty"`
}

// Amendment is one change of the plan that a session proposes.
type Amendment struct {
	Do      string `json:"do"`   // change, add or drop
	Step    string `json:"step"` // the step's id; for a step to add, that of the one before it
	Text    string `json:"text"` // the step's new text
	Because string `json:"because"`
}

// Drift is a file that was changed although the step does not name it, and why.
type Drift struct {
	File    string `json:"file"`
	Because string `json:"because"`
}

// Disposition is what a fixer did about one finding: fixed, dismissed or asked.
type Disposition struct {
	ID          string `json:"id"`
	Disposition string `json:"disposition"`
	Because     string `json:"because"`
}

// Outcome is the JSON object by which a session reports how it ended. Every field is optional.
type Outcome struct {
	Status       Status        `json:"status"` // done, blocked or failed; empty is done
	Subject      string        `json:"subject"`
	Summary      string        `json:"summary"`
	Question     string        `json:"question"`
	Questions    []Question    `json:"questions"`
	Handoff      Handoff       `json:"handoff"`
	Tokens       Tokens        `json:"tokens"`
	Amendments   []Amendment   `json:"amendments"`
	Assumed      string        `json:"assumed"`
	Drift        []Drift       `json:"drift"`
	Dispositions []Disposition `json:"dispositions"`
}

// statuses maps the words that models use to the ends of a session.
var statuses = map[string]Status{"": "", "done": Done, "completed": Done, "complete": Done, "success": Done,
	"succeeded": Done, "finished": Done,
	"blocked": Blocked, "failed": Failed, "failure": Failed, "error": Failed}

// StatusOf returns the status that a model's word means, and whether it means one.
func StatusOf(word string) (Status, bool) {
	s, ok := statuses[strings.ToLower(strings.TrimSpace(word))]
	return s, ok
}

// ReadOutcome reads a session's report, without fields of a wrong type. The error is about its status or question.
func ReadOutcome(object []byte) (a Outcome, err error) {
	if err := json.Unmarshal(object, &a); err != nil && !errors.As(err, new(*json.UnmarshalTypeError)) {
		return Outcome{}, errors.New("it is not JSON")
	}
	status, known := StatusOf(string(a.Status))
	if !known {
		return a, fmt.Errorf("status must be done, blocked or failed, not %q", OneLine(string(a.Status), 40))
	}
	if a.Status = status; status == Blocked && strings.TrimSpace(a.Question) == "" && len(a.Questions) == 0 {
		return a, errors.New("blocked needs a question")
	}
	return a, nil
}

func (a Outcome) Result() Result {
	const maxAmendments = 20
	var proposed []string
	for _, m := range a.Amendments[:min(len(a.Amendments), maxAmendments)] {
		line := m.Do + " step " + m.Step
		if m.Do == "add" {
			line = strings.TrimSuffix("add a step after "+m.Step, " after ")
		}
		for _, part := range [][2]string{{": ", m.Text}, {", because ", m.Because}} {
			if part[1] != "" {
				line += part[0] + part[1]
			}
		}
		proposed = append(proposed, line)
	}
	r := Result{Status: a.Status, Question: a.Question, Questions: a.Questions, Subject: a.Subject, Summary: a.Summary,
		Proposal: strings.Join(proposed, ";\n"), // an event has them on one line
		Assumed:  a.Assumed, Handoff: a.Handoff, Drift: a.Drift, Dispositions: a.Dispositions, Tokens: a.Tokens}.Tidy()
	r.Status = cmp.Or(r.Status, Done)
	if r.Question == "" && len(r.Questions) > 0 {
		r.Question = r.Questions[0].Text
	}
	if r.Status != Done {
		r.Reason = cmp.Or(r.Summary, r.Question, "the session says that it failed, and not why")
	}
	return r
}

// Tokens is the usage that a provider reports. Cached and Written are parts of In: read from its cache, written to it.
type Tokens struct {
	In         int64 `json:"in"`
	Cached     int64 `json:"cached"`
	Written    int64 `json:"written,omitempty"`
	Out        int64 `json:"out"`
	Unreported int64 `json:"unreported,omitempty"` // the number of model calls without reported usage
}

func (t Tokens) Add(o Tokens) Tokens {
	return Tokens{In: t.In + o.In, Cached: t.Cached + o.Cached, Written: t.Written + o.Written, Out: t.Out + o.Out,
		Unreported: t.Unreported + o.Unreported}
}

// String returns the numbers for people, or "tokens unknown".
func (t Tokens) String() string {
	if t.Unreported > 0 && t.In+t.Out == 0 {
		return "tokens unknown"
	}
	cache := ""
	if t.Cached > 0 {
		cache = fmt.Sprintf(", %d cached", t.Cached)
	}
	if t.Written > 0 {
		cache += fmt.Sprintf(", %d written", t.Written)
	}
	if cache != "" {
		cache = " (" + cache[len(", "):] + ")"
	}
	s := fmt.Sprintf("%d tokens in%s, %d out", t.In, cache, t.Out)
	if t.Unreported > 0 {
		s = "at least " + s
	}
	return s
}

// Believed returns t with negative and implausible values replaced by bounds, so that sums cannot overflow.
func (t Tokens) Believed() Tokens {
	for _, n := range []*int64{&t.In, &t.Cached, &t.Written, &t.Out, &t.Unreported} {
		*n = min(max(*n, 0), 1e12)
	}
	return t
}

// Cost is an amount of money in US dollars; Known is false if the price is not known.
type Cost struct {
	USD   float64
	Known bool
}

// Add returns the sum of both; it is known if either is.
func (c Cost) Add(o Cost) Cost { return Cost{USD: Dollars(c.USD + o.USD), Known: c.Known || o.Known} }

// Believed returns c with a negative or implausible amount replaced by a bound.
func (c Cost) Believed() Cost { return Cost{USD: min(max(c.USD, 0), 1e9), Known: c.Known} }

// Dollars rounds an amount to the millionth, so that the numbers printed for programs add up.
func Dollars(usd float64) float64 { return math.Round(usd*1e6) / 1e6 }

func (c Cost) String() string {
	switch {
	case !c.Known:
		return ""
	case c.USD > 0 && c.USD < 0.005: // two digits would show 0.00
		return fmt.Sprintf("%.4f USD", c.USD)
	}
	return fmt.Sprintf("%.2f USD", c.USD)
}

// Price has the prices of a model in US dollars per million tokens. The zero value is unknown.
type Price struct{ In, Cached, Out, Written float64 }

// WrittenToIn is the ratio of Price.Written to Price.In at Anthropic, and at OpenAI since GPT-5.6.
const WrittenToIn = 1.25

// Of returns what tokens cost; unknown if some were not reported.
func (p Price) Of(t Tokens) Cost {
	if p == (Price{}) || t.Unreported > 0 {
		return Cost{}
	}
	fresh := max(0, t.In-t.Cached-t.Written)
	return Cost{Known: true,
		USD: (float64(fresh)*p.In + float64(t.Cached)*p.Cached + float64(t.Written)*p.Written + float64(t.Out)*p.Out) / 1e6}
}
