package web

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// Acts are what a person may do from the page, with the locks and events of the commands that do the same.
type Acts struct {
	// Approval returns what a person reads before they approve, and a digest of it.
	Approval func(context.Context, *checkout.Checkout) (Approval, error)
	// Do does an act with the fields of its form; ErrNoAct if none has that name.
	Do func(ctx context.Context, act string, field func(name string) string) error
}

var ErrNoAct = errors.New("there is no such act")

// Approval is what a person reads before approving a plan; hidden characters are escaped.
type Approval struct {
	Plan      *plan.Plan
	Text      string         // the plan as written
	Runs      []views.Run    // commands that the approval allows
	Unchecked []*plan.Step   // steps without a check: done on the agent's word
	Sections  []plan.Section // all but the steps
	Budget    string         // "" for no limit
	Outlook   string         // events of others, and the number of sessions to expect
	Unseen    string         // changes made during a session that are still in place; "" without any
	Changed   string         // diff since the last approval; "" without one
	Digest    string         // of what is shown: an approval of anything else is refused
}

// do is an act by a form, after which the browser reads the page again, or why it was refused.
func (s *Server) do(w http.ResponseWriter, r *http.Request) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.patience()))
	r.Body = http.MaxBytesReader(w, r.Body, mostForm)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "the form is too long, or cannot be read", http.StatusBadRequest)
		return
	}
	field := func(name string) string {
		return strings.TrimSpace(strings.ReplaceAll(r.PostForm.Get(name), "\r\n", "\n"))
	}
	ctx := context.WithoutCancel(r.Context()) // an act that has begun is done, even if the browser leaves
	switch err := s.Acts.Do(ctx, r.PathValue("act"), field); {
	case errors.Is(err, ErrNoAct):
		http.NotFound(w, r)
		return
	case err != nil:
		render(w, http.StatusConflict, "refused", err.Error())
		return
	}
	w.Header().Set("Location", "../")
	w.WriteHeader(http.StatusSeeOther)
}

// BegunPath returns the file with the output of a run that was begun from the page.
func BegunPath(r *git.Repo, id string) string { return journal.LockPath(r, id) + ".begun" }

// Begun returns the last error that the run printed, with its hint; "" if it did not fail.
func Begun(r *git.Repo, id string) string {
	data, _ := disk.ReadRegular(BegunPath(r, id))
	said := ends(string(data))
	if at := strings.LastIndex("\n"+said, "\nerror: "); at >= 0 {
		return strings.TrimSpace(said[at:])
	}
	return ""
}

// policy lets a page have the style that is in it, load its own script and ask its own server, and nothing else.
var policy = sync.OnceValue(func() string {
	style, _ := assets.ReadFile("assets/style.css")
	sum := sha256.Sum256(style)
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; script-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
})

// mayAct reports whether a request came by the address for acts.
func mayAct(r *http.Request) bool { return r.Context().Value(acting{}) != nil }

type acting struct{}

// guarded answers only a browser that has the secret address: a cookie would be sent to other programs' ports,
// too. Host refuses a name that another DNS points here; Origin and Sec-Fetch-Site refuse other sites' requests.
func (s *Server) guarded(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Content-Security-Policy", policy())
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Referrer-Policy", "same-origin") // without a referrer a form would have no origin either
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
		head.Set("Cross-Origin-Opener-Policy", "same-origin")
		head.Set("Cache-Control", "no-store")
		token, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		act := subtle.ConstantTimeCompare([]byte(token), []byte(s.act)) == 1
		look := act || subtle.ConstantTimeCompare([]byte(token), []byte(s.look)) == 1
		changes := r.Method != http.MethodGet && r.Method != http.MethodHead
		name, _, _ := net.SplitHostPort(r.Host)
		loopback := slices.Contains([]string{"127.0.0.1", "localhost", "::1"}, cmp.Or(name, r.Host)) // a tunnel's port may be 80
		switch {
		case !loopback, !own(r), !look:
			render(w, http.StatusNotFound, "lost", nil)
			return
		case changes && (!act || r.Header.Get("Origin") == ""): // every browser names the origin of a form
			http.Error(w, "this address is for looking only", http.StatusForbidden)
			return
		}
		if act {
			r = r.WithContext(context.WithValue(r.Context(), acting{}, true))
		}
		r.URL.Path = "/" + rest
		r.URL.RawPath = ""
		h.ServeHTTP(w, r)
	})
}

// own reports whether a request comes from our page, or was typed or clicked.
func own(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return true
	}
	// a link elsewhere that a person follows
	return r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}
