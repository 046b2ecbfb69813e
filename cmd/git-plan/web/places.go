package web

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strconv"
	"sync"

	"github.com/git-plan/git-plan/gitplan/checkout"
)

// A place is another folder whose plans have pages: a work tree of another branch, or another clone. As
// several plans are run by a git plan of each, each place is served by one of its own, which this one
// begins when somebody first looks, and passes requests to: whoever may act here may act there.

// Begin starts git plan web in a folder and returns its addresses. It ends with the context.
type Begin func(ctx context.Context, dir string) (look, act string, err error)

// places are those of a server, by their folders.
type places struct {
	mu   sync.Mutex
	dirs []string
	at   map[string]*place
}

type place struct {
	folder    os.FileInfo // that it begins in: git plan web keeps that one, even if another has its name
	begin     func()      // once
	end       context.CancelFunc
	look, act string
	err       error
}

// number returns the number of a place in addresses.
func (p *places) number(dir string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.dirs, dir)
	if i < 0 {
		i, p.dirs = len(p.dirs), append(p.dirs, dir)
	}
	return i
}

// of returns the place of a number, served; nil if there is none.
func (p *places) of(ctx context.Context, n int, begin Begin) *place {
	p.mu.Lock()
	if n < 0 || n >= len(p.dirs) {
		p.mu.Unlock()
		return nil
	}
	dir := p.dirs[n]
	if p.at == nil {
		p.at = map[string]*place{}
	}
	at, ok := p.at[dir]
	now, _ := os.Stat(dir)
	if ok && !os.SameFile(at.folder, now) { // a work tree that was removed, and added again
		at.end()
		ok = false
	}
	if !ok {
		at = &place{folder: now}
		ctx, at.end = context.WithCancel(ctx)
		at.begin = sync.OnceFunc(func() { at.look, at.act, at.err = begin(ctx, dir) })
		p.at[dir] = at
	}
	p.mu.Unlock()
	at.begin()
	if at.err != nil { // the next request tries again
		at.end()
		p.mu.Lock()
		if p.at[dir] == at {
			delete(p.at, dir)
		}
		p.mu.Unlock()
	}
	return at
}

// elsewhere passes a request to the server of a place.
func (s *Server) elsewhere(until context.Context) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.PathValue("n"))
		if err != nil || s.Begin == nil {
			http.NotFound(w, r)
			return
		}
		at := s.places.of(until, n, s.Begin)
		if at == nil {
			http.NotFound(w, r)
			return
		}
		if at.err != nil {
			http.Error(w, line(at.err.Error()), http.StatusBadGateway)
			return
		}
		to := at.look
		if mayAct(r) && at.act != "" {
			to = at.act
		}
		target, err := url.Parse(to)
		if err != nil {
			http.Error(w, "not found", http.StatusNotFound)
			return
		}
		rest := r.PathValue("rest")
		proxy := &httputil.ReverseProxy{
			FlushInterval: -1,                         // events
			ErrorLog:      log.New(io.Discard, "", 0), // it would print that somebody left
			Rewrite: func(pr *httputil.ProxyRequest) {
				pr.Out.URL.Scheme, pr.Out.URL.Host = target.Scheme, target.Host
				pr.Out.URL.Path, pr.Out.URL.RawPath = target.Path+rest, ""
				pr.Out.Host = pr.In.Host // it looks at that, and at the origin
			},
			ModifyResponse: func(answer *http.Response) error {
				for name := range w.Header() { // it says the same
					answer.Header.Del(name)
				}
				return nil
			},
			ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
				http.Error(w, "git plan web has ended there", http.StatusBadGateway)
			},
		}
		proxy.ServeHTTP(w, r)
	}
}

// parked is a plan that a Server has for looking only, since no work tree has its branch; the zero value
// is none: then it has that of the branch that is checked out.
type parked struct{ plan, branch string }

// up leads from the addresses of the plan to those of the repository.
func (p parked) up() string {
	if p.plan == "" {
		return ""
	}
	return "../../"
}

// ofBranch answers for the plans of branches that no work tree has, each by a Server that nobody can act
// by. What becomes of them elsewhere is followed as here.
func (s *Server) ofBranch(until context.Context) http.HandlerFunc {
	var known sync.Map // handlers, by plans
	return func(w http.ResponseWriter, r *http.Request) {
		plan := r.PathValue("id")
		its, ok := known.Load(plan)
		if !ok {
			var branch string
			err := s.Open(r.Context(), func(co *checkout.Checkout) error {
				list, err := co.Plans(r.Context())
				if i := slices.IndexFunc(list, func(l checkout.Listed) bool { return l.ID == plan && !l.NoBranch }); i >= 0 {
					branch = list[i].Branch
				}
				return err
			})
			if err != nil || branch == "" {
				http.NotFound(w, r)
				return
			}
			open := func(ctx context.Context, do func(*checkout.Checkout) error) error {
				return s.Open(ctx, func(co *checkout.Checkout) error {
					co.On(branch)
					return do(co)
				})
			}
			its, _ = known.LoadOrStore(plan, (&Server{Open: open, parked: parked{plan, branch}, streams: s.streams, waits: s.waits}).onePlan(until))
		}
		http.StripPrefix("/plan/"+plan, its.(http.Handler)).ServeHTTP(w, r)
	}
}

// workTrees returns the folders of the other work trees of a repository, by the branch that each has.
func workTrees(ctx context.Context, co *checkout.Checkout) map[string]string {
	out := map[string]string{}
	trees, err := co.Repo.Trees(ctx)
	if err != nil {
		return nil
	}
	for _, t := range trees {
		if t.Branch != "" && t.Dir != co.Repo.Top {
			out[t.Branch] = t.Dir
		}
	}
	return out
}
