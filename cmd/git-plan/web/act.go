package web

import (
	"context"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Acts are what a person may do from the page: each is what the command of that name does, with
// the same lock and the same events.
type Acts struct {
	// Approval returns what a person reads before they approve, and a digest of it.
	Approval func(ctx context.Context) (Approval, error)
	// Approve approves the plan, if it is still what has that digest.
	Approve func(ctx context.Context, digest string) error
	Answer  func(ctx context.Context, step, text string) error
	Dismiss func(ctx context.Context, finding, why string) error
	Stop    func(ctx context.Context, now bool) error
	// GoOn takes back a request to stop; if nothing runs, it starts a run.
	GoOn func(ctx context.Context) error
}

// Approval is what a person reads before they approve a plan. Its texts are cleaned: hidden
// characters are seen.
type Approval struct {
	Text    string // the whole plan
	Outlook string // what it lets run, and what that takes at most
	Unseen  string // what changed during a session, and stays as it is; "" if nothing did
	Changed string // since it was approved last; "" if it never was
	Digest  string
}

const mostForm = 64 << 10 // bytes of a form

// approval shows the whole text of the plan, with the button below it.
func (s *Server) approval(w http.ResponseWriter, r *http.Request) {
	if !mayAct(r) {
		http.NotFound(w, r)
		return
	}
	a, err := s.Acts.Approval(r.Context())
	if err == nil {
		err = render(w, http.StatusOK, "approve", a)
	}
	if err != nil {
		http.Error(w, line(err.Error()), http.StatusInternalServerError)
	}
}

// do is an act, by a form: then the browser reads the page again. If it is refused, the person reads
// why.
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
	var err error
	switch r.PathValue("act") {
	case "approve":
		err = s.Acts.Approve(ctx, field("digest"))
	case "answer":
		err = s.Acts.Answer(ctx, field("step"), field("text"))
	case "dismiss":
		err = s.Acts.Dismiss(ctx, field("finding"), field("why"))
	case "stop":
		err = s.Acts.Stop(ctx, field("now") != "")
	case "go-on":
		err = s.Acts.GoOn(ctx)
	default:
		http.NotFound(w, r)
		return
	}
	if err != nil {
		_ = render(w, http.StatusConflict, "refused", visible.Text(err.Error()))
		return
	}
	w.Header().Set("Location", "../")
	w.WriteHeader(http.StatusSeeOther)
}

// BegunPath returns the file with the output of a run that was begun from the page.
func BegunPath(r *git.Repo, id string) string { return journal.LockPath(r, id) + ".begun" }

// Begun returns why that run ended, as it said it last; "" if it did not fail.
func Begun(r *git.Repo, id string) string {
	data, err := journal.ReadRegular(BegunPath(r, id))
	if err != nil {
		return ""
	}
	said := ""
	for l := range strings.Lines(string(data[max(0, len(data)-mostText):])) {
		if strings.HasPrefix(l, "error: ") {
			said = l
		} else if said != "" && strings.HasPrefix(l, "hint: ") {
			said += l
		}
	}
	return strings.TrimSpace(visible.Text(said))
}

// begunSince fills that in if nothing has happened to the plan since, and nothing else on the page says it:
// a step that waits for a person does. Who stopped the run did not fail at anything.
func (p *Page) begunSince(r *git.Repo, id string, last journal.Event) {
	if info, err := os.Stat(BegunPath(r, id)); err == nil && !p.Working && !info.ModTime().Before(last.Time) {
		p.Begun = Begun(r, id)
	}
	if where, ok := strings.CutPrefix(p.Begun, "error: interrupted"); ok {
		where, _, _ = strings.Cut(where, "\n")
		p.Begun, p.Stopped = "", "stopped"+where
	}
	for _, step := range p.Waits {
		if strings.HasPrefix(p.Begun, "error: step "+step+" failed after ") || strings.HasPrefix(p.Begun, "error: step "+step+" is blocked: ") {
			p.Begun = ""
		}
	}
}
