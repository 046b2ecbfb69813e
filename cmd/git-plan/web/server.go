package web

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// mostStreams is how many streams of events browsers can keep open at once; others are refused.
const mostStreams = 30

// Server answers requests about the plan of a work tree.
type Server struct {
	// Open opens the repository as a command does, for one request.
	Open func(ctx context.Context, do func(*checkout.Checkout) error) error

	// Acts are what a person may do by the second address that Listen returns; nil for nothing.
	Acts *Acts

	look, act string // the secret parts of the two addresses

	reading sync.Mutex // one page is read at a time
	hub     hub
	streams atomic.Int32 // of events, that browsers have open

	waits time.Duration // for a slow client; 0 is usual
}

// Listen opens a loopback port, 0 for any, and returns the addresses for looking and for acting.
func (s *Server) Listen(port string) (l net.Listener, look, act string, err error) {
	if l, err = net.Listen("tcp", net.JoinHostPort("127.0.0.1", port)); err != nil {
		return nil, "", "", err
	}
	s.look, s.act = newToken(), newToken()
	at := "http://" + l.Addr().String() + "/"
	return l, at + s.look + "/", at + s.act + "/", nil
}

func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.page("page"))
	mux.HandleFunc("GET /main", s.page("main"))
	mux.HandleFunc("GET /events", s.stream(ctx))
	mux.HandleFunc("GET /diff/{step}", s.diff)
	mux.HandleFunc("GET /attempt/{step}/{session}", s.attempt)
	mux.HandleFunc("GET /assets/{name}", asset)
	if s.Acts != nil {
		mux.HandleFunc("GET /approve", s.approval)
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

// with runs one request on the opened repository.
func (s *Server) with(w http.ResponseWriter, r *http.Request, do func(*checkout.Checkout) error) {
	if err := s.Open(r.Context(), do); err != nil && r.Context().Err() == nil {
		http.Error(w, line(err.Error()), http.StatusInternalServerError)
	}
}

func (s *Server) readPage(ctx context.Context, co *checkout.Checkout) (*Page, error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	if err := co.Load(ctx); err != nil {
		return nil, err
	}
	return Of(ctx, co, false)
}

func (s *Server) page(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.with(w, r, func(co *checkout.Checkout) error {
			p, err := s.readPage(r.Context(), co)
			if err != nil {
				return err
			}
			p.Live, p.Acts = true, s.Acts != nil && mayAct(r)
			return render(w, r, http.StatusOK, name, p)
		})
	}
}

func (s *Server) diff(w http.ResponseWriter, r *http.Request) {
	s.with(w, r, func(co *checkout.Checkout) error {
		if err := co.Load(r.Context()); err != nil {
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
		return render(w, r, http.StatusOK, "diff", d)
	})
}

// attempt answers with what a session did, and with the output of the check that failed it.
func (s *Server) attempt(w http.ResponseWriter, r *http.Request) {
	s.with(w, r, func(co *checkout.Checkout) error {
		if err := co.Load(r.Context()); err != nil {
			return err
		}
		did, ok := sessionOf(r.Context(), co, r.PathValue("step"), r.PathValue("session"))
		if !ok {
			http.NotFound(w, r)
			return nil
		}
		return render(w, r, http.StatusOK, "attempt", did)
	})
}

// render writes nothing if a template fails in its middle.
func render(w http.ResponseWriter, r *http.Request, status int, name string, data any) error {
	var b bytes.Buffer
	if err := pages().ExecuteTemplate(&b, name, data); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	accepts := r.Header.Get("Accept-Encoding")
	if !strings.Contains(accepts, "gzip") || strings.Contains(accepts, "gzip;q=0") {
		w.WriteHeader(status)
		_, _ = b.WriteTo(w) // the browser may have left
		return nil
	}
	w.Header().Set("Content-Encoding", "gzip")
	w.WriteHeader(status)
	packed, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
	_, _ = b.WriteTo(packed)
	_ = packed.Close()
	return nil
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
