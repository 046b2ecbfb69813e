package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/git-plan/git-plan/cmd/git-plan/status"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Server answers requests about the plan of a work tree.
type Server struct {
	// Open opens the repository as a command does, for one request.
	Open func(ctx context.Context, do func(*checkout.Checkout) error) error

	// Acts are what a person may do by the second address that Listen returns; nil for nothing.
	Acts *Acts

	look, act string // the secret parts of the two addresses

	streams atomic.Int32 // open event streams

	waits time.Duration // patience with a client; 0: the default
}

// Listen opens a loopback port, 0 for any, and returns the addresses for looking and for acting.
func (s *Server) Listen(port string) (l net.Listener, look, act string, err error) {
	if l, err = net.Listen("tcp", net.JoinHostPort("127.0.0.1", port)); err != nil {
		return nil, "", "", err
	}
	s.look, s.act = rand.Text(), rand.Text() // 128 bits each, which cannot be guessed
	at := "http://" + l.Addr().String() + "/"
	return l, at + s.look + "/", at + s.act + "/", nil
}

func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.with("page", s.page))
	mux.HandleFunc("GET /main", s.with("main", s.page))
	mux.HandleFunc("GET /events", s.stream)
	mux.HandleFunc("GET /plans", s.with("plans", s.plans))
	mux.HandleFunc("GET /plan/{id}", s.with("elsewhere", s.elsewhere))
	mux.HandleFunc("GET /diff/{step}", s.with("diff-page", s.diff))
	mux.HandleFunc("GET /attempt/{step}/{session}", s.with("attempt", func(r *http.Request, co *checkout.Checkout) (any, error) {
		return sessionOf(r.Context(), co, r.FormValue("plan"), r.PathValue("step"), r.PathValue("session")), nil
	}))
	for _, name := range []string{"live.js", "copy.js", "words.js"} {
		mux.HandleFunc("GET /"+name, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
			http.ServeFileFS(w, r, assets, "assets/"+name)
		})
	}
	if s.Acts != nil {
		mux.HandleFunc("GET /approve", s.with("approve", func(r *http.Request, co *checkout.Checkout) (any, error) {
			if !mayAct(r) {
				return nil, nil
			}
			return s.Acts.Approval(r.Context(), co)
		}))
		mux.HandleFunc("POST /act/{act}", s.do)
	}
	h := &http.Server{
		Handler: s.guarded(mux), BaseContext: func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: s.patience(), IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: log.New(io.Discard, "", 0), // it would print what clients send
	}
	stopped := context.AfterFunc(ctx, func() { _ = h.Close() })
	defer stopped()
	if err := h.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// patience is how long a client may take to send a request, or to read an event.
func (s *Server) patience() time.Duration { return cmp.Or(s.waits, 5*time.Second) }

// with runs one request on the opened repository; what do finds is written by the template of a name.
func (s *Server) with(name string, do func(*http.Request, *checkout.Checkout) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := s.Open(r.Context(), func(co *checkout.Checkout) error {
			if id := r.FormValue("plan"); id != "" && (name == "attempt" || name == "diff-page") {
				l, err := listed(r.Context(), co, id)
				if err == nil {
					err = checkout.LoadElsewhere(r.Context(), co, l.ID, l.Branch)
				}
				if err != nil {
					return err
				}
			} else if err := co.Load(r.Context()); err != nil && name != "plans" && name != "elsewhere" { // of other branches
				return err
			}
			found, err := do(r, co)
			if err == nil && found == nil {
				render(w, http.StatusNotFound, "missing", nil)
			} else if err == nil {
				render(w, http.StatusOK, name, found)
			}
			return err
		})
		if err != nil && r.Context().Err() == nil {
			render(w, http.StatusInternalServerError, "unreadable", err.Error())
		}
	}
}

func (s *Server) page(r *http.Request, co *checkout.Checkout) (any, error) {
	p, err := Of(r.Context(), co, false)
	if err == nil {
		p.Live, p.Acts = true, s.Acts != nil && mayAct(r)
	}
	return p, err
}

// elsewhere is the plan of another branch, for looking.
func (s *Server) elsewhere(r *http.Request, co *checkout.Checkout) (any, error) {
	l, err := listed(r.Context(), co, r.PathValue("id"))
	if err != nil || l.ID == "" {
		return nil, err
	}
	p, err := ofListed(r.Context(), co, l, true)
	p.Linked = true
	return p, err
}

// listed returns the plan with an ID, of any branch; the zero value without one.
func listed(ctx context.Context, co *checkout.Checkout, id string) (checkout.Listed, error) {
	plans, err := co.Plans(ctx)
	for _, l := range plans {
		if l.ID == id && l.Title != "" {
			return l, nil
		}
	}
	return checkout.Listed{}, err
}

// ofListed is the page of a plan. That of another branch has to be checked out before anything else.
func ofListed(ctx context.Context, co *checkout.Checkout, l checkout.Listed, file bool) (*Page, error) {
	if err := checkout.LoadElsewhere(ctx, co, l.ID, l.Branch); err != nil {
		return &Page{Listed: l}, err
	}
	p, err := Of(ctx, co, file)
	if err != nil {
		return &Page{Listed: l}, err
	}
	p.Listed, p.Elsewhere = l, !l.Here
	first := "git switch " + visible.Shell(l.Branch) + " && "
	switch then := p.Next.Command; {
	case l.Unattached != "":
		p.Next = status.Advice{Text: "its branch " + l.Unattached}
	case !p.Elsewhere || file || strings.HasPrefix(then, "git switch ") || then == "git status":
	case then == "": // a command is named all the same
		p.Next.Text = strings.Replace(p.Next.Text, ": git plan ", ": "+first+"git plan ", 1)
	default:
		p.Next = status.Advice{Command: first + then, Text: strings.Replace(p.Next.Text, then, first+then, 1)}
	}
	return p, nil
}

// plans are the pages of all plans, which say how far each is and what comes next; without Plan if that cannot be read.
func (s *Server) plans(r *http.Request, co *checkout.Checkout) (any, error) {
	plans, err := co.Plans(r.Context())
	own, _ := co.PlanID(r.Context())
	pages := make([]*Page, len(plans))
	for i := range plans {
		plans[i].Here = plans[i].ID == own
		pages[i], _ = ofListed(r.Context(), co, plans[i], false)
	}
	return pages, err
}

func (s *Server) diff(r *http.Request, co *checkout.Checkout) (any, error) {
	step, ok := co.Doc.Plan.Step(r.PathValue("step"))
	if !ok || step.ID != r.PathValue("step") {
		return nil, nil
	}
	steps := views.AllSteps(co)
	is := steps[step.N-1]
	if is.Commit == "" {
		return nil, nil
	}
	d, _, err := diffOf(r.Context(), co, is.Commit, mostDiff)
	if err == nil {
		d.Plan, d.At, d.Step, d.Steps = co.Doc.Plan, r.FormValue("plan"), is, steps
	}
	return d, err
}

// render writes only an error if a template fails in its middle.
func render(w http.ResponseWriter, code int, name string, data any) {
	text, err := written(name, data)
	if err != nil {
		http.Error(w, "the page cannot be written", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_, _ = io.WriteString(w, text) // the browser may have left
}

// news is what a browser is sent.
type news struct {
	Changed bool  `json:"changed,omitempty"` // the page must be read again
	Call    *Call `json:"call,omitempty"`
}

// stream follows the plan for a browser, and writes server-sent events until it leaves, or stops reading them. The first
// is a change: one may have been missed since the page was read.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	defer s.streams.Add(-1)
	if s.streams.Add(1) > mostStreams {
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	ctx, end := context.WithCancel(r.Context())
	defer end()
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w)
	send := func(n news) {
		text, _ := json.Marshal(n) // never fails
		_ = flush.SetWriteDeadline(time.Now().Add(s.patience()))
		fmt.Fprintf(w, "data: %s\n\n", text)
		if flush.Flush() != nil {
			end()
		}
	}
	_ = flush.Flush() // a browser that has the head knows that the server is there
	changed := func() { send(news{Changed: true}) }
	heard := 0
	_ = s.Open(ctx, func(co *checkout.Checkout) error {
		id, _ := co.PlanID(ctx) // not all of the plan, for as long as a page is open
		return journal.Follow(ctx, co.Repo, id, journal.Following{
			Began: func(journal.Holder) { changed() },
			Notice: func(n journal.Notice) {
				switch n.Kind {
				case journal.StepStart, journal.StepDone, journal.StepBlocked, journal.StepFailed, journal.ReviewRound,
					journal.ReviewEnd, journal.RunEnd, journal.SessionStart:
					changed()
				}
				if c := callOf(n); c.Text != "" {
					heard++
					c.N = heard
					send(news{Call: &c})
				}
			},
			Ended:   changed,
			Changed: func(bool) error { changed(); return ctx.Err() },
		})
	})
}

// Call is one line about what a running session does, or what is done for it. N counts them.
type Call struct {
	N     int    `json:"n"`
	Step  string `json:"step"` // "" for a review
	Who   string `json:"who"`
	Time  string `json:"time"`
	Text  string `json:"text"`
	Fresh bool   `json:"fresh,omitempty"` // its session begins
}

// callOf returns a notice as the terminal shows it; its text is empty if the page shows it elsewhere.
func callOf(n journal.Notice) Call {
	c := Call{Step: n.Step, Who: strings.TrimSpace(string(n.Role) + " " + visible.OneLine(n.Reviewer, 60)),
		Time: n.Time.Local().Format("15:04:05"), Fresh: n.Kind == journal.SessionStart}
	switch n.Kind {
	case journal.SessionStart, journal.SessionTool, journal.SessionText, journal.SessionEnd, journal.CheckStart,
		journal.CheckEnd, journal.ReviewerEnd, journal.FixEnd, journal.StepNote:
		c.Text = visible.OneLine(strings.TrimSpace(terminal.Lines(n)), 300)
	}
	return c
}
