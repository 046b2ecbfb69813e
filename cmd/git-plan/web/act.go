package web

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// Acts are what a person may do from the page: approve, answer, dismiss, checked, stop and go-on, with the locks and events
// of the commands that do the same.
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
	Text      string         // the whole of it
	Runs      []views.Run    // the commands that it allows
	Unchecked []*plan.Step   // are done on the agent's word
	Sections  []plan.Section // without its steps
	Budget    string         // "" without one
	Outlook   string         // what else a person is told: events of others, sessions that are expected
	Unseen    string         // changes made during a session that are left in place; "" without any
	Changed   string         // since it was approved last; "" if it never was
	Digest    string
}

const mostForm = 64 << 10 // bytes of a form

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
