package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Agent runs sessions. All implementations play the same stories (testdata/contract).
type Agent interface {
	Name() string // under which it is configured
	// Run runs one session to its end. The result has a status, and every process that was started has ended.
	Run(ctx context.Context, s Session) Result
	FullPrompt(s Session) string // the whole text that it is sent
	MayWrite() bool              // it is a program that could change files in a role that only reads
}

// Role is what a session is for. It decides what the session may do.
type Role string

// The roles. Executor and Fixer may write files and run commands; the others read.
const (
	Planner  Role = "planner"
	Critic   Role = "critic" // of a plan, before a person reads it
	Executor Role = "executor"
	Reviewer Role = "reviewer"
	Verifier Role = "verifier"
	Fixer    Role = "fixer"
)

// Writes reports whether sessions of this role may change the tree and run commands.
func (r Role) Writes() bool { return r == Executor || r == Fixer }

// Answers reports whether the result of such a session is its answer rather than its changes.
func (r Role) Answers() bool { return r == Planner || r == Critic || r == Reviewer || r == Verifier }

// Prompt is what a session is given to read. System is the same for every session of a role (so that
// providers can cache it), and so are the first Shared bytes of User for other sessions.
type Prompt struct {
	System, User string
	Shared       int
	Holds        map[string][32]byte // SHA-256 of the files that the prompt shows whole
	Form         string              // the JSON object that answers it, and its fields in words, for agents that print it
}

func (p Prompt) Text() string { return p.System + "\n" + p.User }

// Session is one conversation that an agent is to have. A worker on another machine is sent it as JSON.
type Session struct {
	ID      string // names the session everywhere, and marks every process of it
	Role    Role
	Plan    string // plan id; empty without a plan
	Step    string // step id; empty outside steps
	Branch  string
	Attempt int    // 1 is the first
	Beside  bool   // others work at the same time, each in a clone
	Dir     string `json:"-"` // absolute path of the tree the session works in
	Prompt  Prompt
	Nonce   string // must come back in what command-line agents and commands print

	Model, Effort string        // empty: the agent's own default
	Timeout       time.Duration // for the whole session
	Idle          time.Duration // without any sign of life
	MaxTurns      int           // model calls
	MaxUSD        float64       // 0: without limit; for a program that knows only itself what a call costs
	Env           []string      `json:"-"` // the complete environment of what the session starts

	Confine *proc.Confinement `json:"-"` // what its commands can do to files; nil is unbounded
	Review  Review            // what a reviewer, verifier or fixer works on

	// Accept is called with the result when the session says that it is done. The session is told an
	// error, and may try again a few times; a program cannot be told, and skips it. Nil accepts.
	Accept func(ctx context.Context, r Result) error `json:"-"`
	// Ask puts questions to a person and returns an answer to each; nil if that is not possible.
	// The built-in agent asks in its session; a program ends it with Result.Questions.
	Ask func([]Question) ([]string, error) `json:"-"`
	// Spend is called with what the session has used so far: before each model call, for a program whenever it
	// reports that, for a command before it starts. An error ends the session with [Stopped]. Nil allows everything.
	Spend      func(Tokens, Cost) error `json:"-"`
	On         func(Event)              `json:"-"` // called as things happen, never twice at once; may be nil
	Stopping   func() bool              `json:"-"` // no other session follows this one; may be nil
	Transcript io.Writer                `json:"-"` // receives every turn before the next begins; may be nil
}

// Review is what a session of a review is about.
type Review struct {
	Base, Head string // full object names
	Reviewer   string
	Round      int
	Findings   string   // path of a JSON file with the findings and their ids, for verifier and fixer
	Hidden     []string `json:"-"` // files of Head that no model sees, since a secret was found in them
}

// Event is something that happened in a session.
type Event struct {
	Kind EventKind
	Text string // the model's words, the tool and its argument in short, or the reason for waiting
	Tool string
	Wait time.Duration // of Waiting; 0 if that is not known
}

// EventKind is what kind of event it is.
type EventKind string

const (
	SaidText   EventKind = "text"
	CalledTool EventKind = "tool"
	Waiting    EventKind = "waiting" // for a retry
)

// Report passes on an event, made safe for a terminal, without credentials and the key.
func (s Session) Report(e Event, key string) {
	if s.On == nil || e.Text == "" && e.Tool == "" {
		return
	}
	e.Tool = OneLine(e.Tool, 80)
	e.Text = OneLine(Mask(visible.Cut(e.Text, 4*MaxEvent), key), MaxEvent)
	s.On(e)
}

// Spent returns why the session may not go on after using this much; nil if it may.
func (s Session) Spent(t Tokens, c Cost) error {
	if s.Spend == nil {
		return nil
	}
	return s.Spend(t, c)
}

// Environ returns Session.Env with variables that say what the session is about, and more.
func (s Session) Environ(more ...[2]string) []string {
	out := slices.Clone(s.Env)
	if out == nil {
		out = proc.CleanEnv()
	}
	round := ""
	if s.Review.Head != "" || s.Review.Round > 0 {
		round = strconv.Itoa(s.Review.Round)
	}
	reported := [][2]string{
		{proc.EnvSession, s.ID}, {"GIT_PLAN_ROLE", string(s.Role)}, {"GIT_PLAN_ID", s.Plan}, {"GIT_PLAN_STEP", s.Step},
		{"GIT_PLAN_BRANCH", s.Branch}, {"GIT_PLAN_ATTEMPT", strconv.Itoa(s.Attempt)}, {"GIT_PLAN_NONCE", s.Nonce},
		// Of a review; not set elsewhere.
		{"GIT_PLAN_BASE", s.Review.Base}, {"GIT_PLAN_HEAD", s.Review.Head}, {"GIT_PLAN_REVIEWER", s.Review.Reviewer},
		{"GIT_PLAN_ROUND", round}, {"GIT_PLAN_FINDINGS", s.Review.Findings},
	}
	for _, kv := range append(reported, more...) {
		out = slices.DeleteFunc(out, func(e string) bool { return strings.HasPrefix(e, kv[0]+"=") })
		if kv[1] != "" {
			out = append(out, kv[0]+"="+kv[1])
		}
	}
	return out
}

var (
	ErrTime = errors.New("the session's time is over")
	ErrIdle = errors.New("no sign of life")
)

// Life ends a session that shows no sign of life for its idle time.
type Life struct {
	idle         time.Duration
	clock, limit *proc.Clock // of its idle time, and of all its time
}

// NewLife bounds a session's context by its two limits. stop ends both.
func NewLife(ctx context.Context, s Session) (_ context.Context, l *Life, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	l = &Life{s.Idle, proc.NewClock(s.Idle, func() { cancel(ErrIdle) }), proc.NewClock(s.Timeout, func() { cancel(ErrTime) })}
	return ctx, l, func() {
		cancel(nil)
		l.Stop()
		l.limit.Stop()
	}
}

// Beat begins the idle time again.
func (l *Life) Beat() { l.Extend(0) }

// Extend begins the idle time again, after d.
func (l *Life) Extend(d time.Duration) {
	if l.idle > 0 {
		l.clock.Reset(l.idle + d)
	}
}

// Waits makes the session's time longer by what its model is waited for.
func (l *Life) Waits(d time.Duration) { l.limit.Add(d) }

// Stop ends the idle time, until the next Beat or Extend.
func (l *Life) Stop() { l.clock.Stop() }

// Write counts output as a sign of life.
func (l *Life) Write(p []byte) (int, error) {
	l.Beat()
	return len(p), nil
}

// Ended returns the result of a session whose context has ended.
func Ended(ctx context.Context, s Session) Result {
	switch err := context.Cause(ctx); {
	case errors.Is(err, ErrTime):
		return Result{Status: TimedOut, Reason: fmt.Sprintf("the session took longer than %s", Short(s.Timeout))}
	case errors.Is(err, ErrIdle):
		return Result{Status: TimedOut, Reason: fmt.Sprintf("the session showed no sign of life for %s", Short(s.Idle))}
	default:
		return Result{Status: Cancelled, Reason: "the session was cancelled"}
	}
}
