package web

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"html/template"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Server answers requests about the plans of one repository.
type Server struct {
	// Open opens the repository as a command does, for one request.
	Open func(ctx context.Context, do func(*checkout.Checkout) error) error

	// Acts are what a person may do by the address that Listen returns as such; nil if nobody may
	// do anything.
	Acts *Acts

	// Begin serves the plans of other folders: those of Dirs, which a person named, and the other work
	// trees of this repository. If it is nil, only this one has pages.
	Begin Begin
	Dirs  []string

	look, act string // the secret parts of the two addresses

	read    atomic.Pointer[known]
	watch   watch
	places  places
	streams *atomic.Int32 // of events, that browsers have open, of all plans
	parked  parked

	waits time.Duration // for a slow client; 0 is usual
}

// Listen opens a port of this machine that no other machine reaches: port 0 is any. It returns the
// address for whoever may look, and that for whoever may act, too.
func (s *Server) Listen(port string) (l net.Listener, look, act string, err error) {
	if l, err = net.Listen("tcp", net.JoinHostPort("127.0.0.1", port)); err != nil {
		return nil, "", "", err
	}
	s.look, s.act, s.streams = newToken(), newToken(), &atomic.Int32{}
	at := "http://" + l.Addr().String() + "/"
	return l, at + s.look + "/", at + s.act + "/", nil
}

// Serve answers until the context ends.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	mux := s.onePlan(ctx)
	mux.HandleFunc("GET /plans", s.plans)
	mux.HandleFunc("/at/{n}/{rest...}", s.elsewhere(ctx))
	mux.HandleFunc("GET /plan/{id}/{rest...}", s.ofBranch(ctx))
	if s.Acts != nil {
		mux.HandleFunc("GET /approve", s.approval)
		mux.HandleFunc("POST /act/{act}", s.do)
	}
	h := &http.Server{
		Handler: s.guarded(mux), BaseContext: func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: s.patience(), IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: log.New(io.Discard, "", 0), // it would print what anybody sends
	}
	stopped := context.AfterFunc(ctx, func() { _ = h.Close() })
	defer stopped()
	if err := h.Serve(atMost(l, mostClients)); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// planOf returns the id of the plan that is served.
func (s *Server) planOf(ctx context.Context, co *checkout.Checkout) (string, bool) {
	if s.parked.plan == "" {
		return co.PlanID(ctx)
	}
	return s.parked.plan, true
}

// onePlan has the addresses of one plan.
func (s *Server) onePlan(ctx context.Context) *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.page("page"))
	mux.HandleFunc("GET /main", s.page("main"))
	mux.HandleFunc("GET /events", s.live(ctx))
	mux.HandleFunc("GET /step/{step}", s.step)
	mux.HandleFunc("GET /diff/{step}", s.diff)
	mux.HandleFunc("GET /attempt/{step}/{session}", s.attempt)
	mux.HandleFunc("GET /assets/{name}", asset)
	return mux
}

// patience is how long a client may take to send a request, or to read an event.
func (s *Server) patience() time.Duration { return cmp.Or(s.waits, 5*time.Second) }

// with runs one request on the opened repository. What went wrong is said to the
// person, who may read it: it is their own repository.
func (s *Server) with(w http.ResponseWriter, r *http.Request, do func(*checkout.Checkout) error) {
	err := s.Open(r.Context(), func(co *checkout.Checkout) error {
		return do(co)
	})
	if errors.Is(err, fault.ErrNoPlan) && r.URL.Path == "/" {
		w.Header().Set("Location", "plans")
		w.WriteHeader(http.StatusSeeOther)
	} else if err != nil && r.Context().Err() == nil {
		http.Error(w, line(err.Error()), http.StatusInternalServerError)
	}
}

// known is the plan as it was read last, and the store that has its history.
type known struct {
	store *journal.Store
	doc   *journal.Document
}

// Knows hands over a plan that was read: the next request reads only what is newer.
func (s *Server) Knows(co *checkout.Checkout) { s.read.Store(&known{co.Store, co.Doc}) }

// load reads the plan. Of its history only what was added since the request before is read, once for all
// requests.
func (s *Server) load(ctx context.Context, co *checkout.Checkout) error {
	before := s.read.Load()
	if before != nil {
		co.Store = before.store.Again(co.Repo)
	}
	if id, ok := s.planOf(ctx, co); !ok || before == nil || before.doc.ID != id {
		if err := co.LoadFor(ctx, s.parked.plan); err != nil {
			return err
		}
	} else {
		doc, err := co.Store.Newer(ctx, before.doc)
		if err != nil {
			return err
		}
		co.Doc = doc
		if err := co.Derive(ctx); err != nil {
			return err
		}
	}
	s.Knows(co)
	return nil
}

func (s *Server) page(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.with(w, r, func(co *checkout.Checkout) error {
			p, at, err := s.readPage(r.Context(), co)
			if err != nil {
				return err
			}
			shown := *p
			shown.Live, shown.Acts, shown.At, shown.Up = true, s.acts(r), at.String(), s.parked.up()
			return render(w, r, http.StatusOK, name, &shown)
		})
	}
}

// acts reports whether who asks may act.
func (s *Server) acts(r *http.Request) bool { return s.Acts != nil && mayAct(r) }

// readPage reads the plan and what became of it, and what a browser has that shows it.
func (s *Server) readPage(ctx context.Context, co *checkout.Checkout) (*Page, position, error) {
	s.watch.reading.Lock()
	defer s.watch.reading.Unlock()
	if err := s.load(ctx, co); err != nil {
		return nil, position{}, err
	}
	p, err := Of(ctx, co, false)
	if err != nil {
		return nil, position{}, err
	}
	if s.parked.plan != "" {
		p.Next = "git switch " + visible.Shell(s.parked.branch) + " (the branch is not checked out here)"
	}
	return p, s.watch.take(p, co.Branch), nil
}

// step answers with what is below the title of a step, as it was read last.
func (s *Server) step(w http.ResponseWriter, r *http.Request) {
	shown, ok := s.watch.step(r.PathValue("step"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	shown.Live, shown.Acts = true, s.acts(r)
	if alone(r) {
		shown.Way, shown.Acts = "../", false
	}
	if err := renderPart(w, r, "body", shown.Title, shown); err != nil {
		http.Error(w, line(err.Error()), http.StatusInternalServerError)
	}
}

// plans lists the plans of this repository, and the other folders that have pages.
func (s *Server) plans(w http.ResponseWriter, r *http.Request) {
	err := s.Open(r.Context(), func(co *checkout.Checkout) error {
		list, err := co.Plans(r.Context())
		if err != nil {
			return err
		}
		own, _ := co.PlanID(r.Context())
		if p, _, err := s.readPage(r.Context(), co); err == nil { // as git plan list: that of this branch is derived
			for i, l := range list {
				if l.ID == own {
					list[i].State, list[i].Done, list[i].Total = string(p.State), p.Done, p.Total
				}
			}
		}
		out := plansOf(list, filepath.Base(co.Repo.Top), own)
		trees := workTrees(r.Context(), co)
		for i, l := range list {
			if l.NoBranch || out.List[i].Here {
				continue
			}
			if dir, ok := trees[l.Branch]; ok && s.Begin != nil {
				out.List[i].At = "at/" + strconv.Itoa(s.places.number(dir)) + "/"
			} else {
				out.List[i].At, out.List[i].Only = "plan/"+l.ID+"/", "to look at only"
			}
		}
		for _, dir := range s.Dirs {
			out.Others = append(out.Others, Other{Dir: line(dir), At: "at/" + strconv.Itoa(s.places.number(dir)) + "/plans"})
		}
		return render(w, r, http.StatusOK, "plans", out)
	})
	if err != nil {
		http.Error(w, line(err.Error()), http.StatusInternalServerError)
	}
}

// diff answers with what the commit of a step changed.
func (s *Server) diff(w http.ResponseWriter, r *http.Request) {
	s.with(w, r, func(co *checkout.Checkout) error {
		if err := s.load(r.Context(), co); err != nil {
			return err
		}
		st, ok := co.Progress.Steps[r.PathValue("step")]
		if !ok || st.Commit == "" || st.Commit == journal.None {
			http.NotFound(w, r)
			return nil
		}
		d, err := diffOf(r.Context(), co, st.Commit, mostDiff)
		if err != nil {
			return err
		}
		return renderPart(w, r, "diff", "What the commit of "+line(r.PathValue("step"))+" changed", d)
	})
}

// attempt answers with what a session did, and what the check printed that failed it.
func (s *Server) attempt(w http.ResponseWriter, r *http.Request) {
	s.with(w, r, func(co *checkout.Checkout) error {
		if err := s.load(r.Context(), co); err != nil {
			return err
		}
		did, ok := sessionOf(r.Context(), co, r.PathValue("step"), r.PathValue("session"))
		if !ok {
			http.NotFound(w, r)
			return nil
		}
		return renderPart(w, r, "attempt", "A session at "+line(r.PathValue("step")), did)
	})
}

// render writes nothing if a template fails in its middle. A page is packed, to a tenth: no secret is in
// it beside what others wrote, that its size could give away.
func render(w http.ResponseWriter, r *http.Request, status int, name string, data any) error {
	var b bytes.Buffer
	if err := pages().ExecuteTemplate(&b, name, data); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.WriteHeader(status)
		_, _ = b.WriteTo(w) // a browser that left
		return nil
	}
	w.Header().Set("Content-Encoding", "gzip")
	w.WriteHeader(status)
	packed, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
	_, _ = b.WriteTo(packed)
	_ = packed.Close()
	return nil
}

// alone reports whether a browser follows a link to a part of a page, without a script that puts it there.
func alone(r *http.Request) bool { return r.Header.Get("Sec-Fetch-Mode") == "navigate" }

// renderPart answers with a part of a page, or with a page of its own that has it.
func renderPart(w http.ResponseWriter, r *http.Request, name, title string, data any) error {
	if !alone(r) {
		return render(w, r, http.StatusOK, name, data)
	}
	var b strings.Builder
	if err := pages().ExecuteTemplate(&b, name, data); err != nil {
		return err
	}
	back := strings.Repeat("../", strings.Count(r.URL.Path, "/")-1)
	return render(w, r, http.StatusOK, "alone", map[string]any{"Title": title, "Back": back, "Body": template.HTML(b.String())}) // escaped already
}

func asset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	b, err := fs.ReadFile(assets, "assets/"+name)
	kind := map[string]string{".css": "text/css", ".js": "text/javascript"}[filepath.Ext(name)]
	if err != nil || kind == "" || strings.Contains(name, "/") {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", kind+"; charset=utf-8")
	_, _ = w.Write(b)
}
