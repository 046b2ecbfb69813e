package share

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// An answer given while a session works waits in a file of its own, whose lock says that its writer is alive to
// store it. If that process dies, the next command that works on the plan stores it. A session may be able to write
// such a file, too: a person has to approve it then.

// WaitingAnswer is an answer that waits until no session is running.
type WaitingAnswer struct {
	Step string `json:"step"`
	Text string `json:"text"`
	To   string `json:"to"` // the event that blocked the step: only that one is answered

	path string
	lock *flock.Flock
}

func answersDir(r *git.Repo, id string) string { return r.PlanDir(id, "answers") }

// KeepAnswer keeps an answer to a blocked step until Store.
func KeepAnswer(c *checkout.Checkout, step, text string) (*WaitingAnswer, error) {
	if err := c.RequireBlocked(step); err != nil {
		return nil, err
	}
	w := &WaitingAnswer{Step: step, Text: text, To: c.Progress.Steps[step].Last().Commit}
	data, err := json.Marshal(w)
	if err != nil {
		return nil, err
	}
	dir := answersDir(c.Repo, c.Doc.ID)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	w.path = filepath.Join(dir, strconv.FormatInt(time.Now().UnixNano(), 10)+".json")
	w.lock = flock.New(w.path+".lock", flock.SetPermissions(0o600))
	if err := w.lock.Lock(); err != nil {
		return nil, err
	}
	if err := journal.WriteFile(w.path, data); err != nil {
		w.remove()
		return nil, err
	}
	return w, nil
}

// Store stores the answer once no session is running; if the context ends before, the answer keeps waiting.
func (w *WaitingAnswer) Store(ctx context.Context, c *checkout.Checkout) error {
	defer w.lock.Close()
	release, err := c.LockText(ctx, nil)
	if err != nil {
		return err
	}
	defer release()
	_, err = w.store(ctx, c, false)
	return err
}

// store stores the answer, unless the step is no longer blocked by the event that was answered. It reports whether
// it did.
func (w *WaitingAnswer) store(ctx context.Context, c *checkout.Checkout, untrusted bool) (stored bool, err error) {
	if st, ok := c.Progress.Steps[w.Step]; ok && st.Last().Commit == w.To && c.RequireBlocked(w.Step) == nil {
		if _, err := StoreAnswer(ctx, c, w.Step, w.Text, untrusted); err != nil {
			return false, err
		}
		stored = true
	}
	w.remove()
	return stored, nil
}

func (w *WaitingAnswer) remove() {
	_ = os.Remove(w.path)
	_ = w.lock.Close()
	_ = os.Remove(w.lock.Path())
}

// WaitingAnswers returns the waiting answers, in the order in which they were given.
func WaitingAnswers(r *git.Repo, id string) (out []*WaitingAnswer) {
	const most = 100 << 10 // bytes of one
	dir := answersDir(r, id)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if info, err := e.Info(); err != nil || info.Size() > most || !strings.HasSuffix(path, ".json") {
			continue
		}
		w := &WaitingAnswer{path: path, lock: flock.New(path+".lock", flock.SetPermissions(0o600))}
		if data, err := disk.ReadRegular(path); err == nil && json.Unmarshal(data, w) == nil {
			out = append(out, w)
		}
	}
	slices.SortStableFunc(out, func(a, b *WaitingAnswer) int { return cmp.Compare(a.path, b.path) })
	return out
}

// StoreWaiting stores the answers whose writers died, for a person to approve, and returns the steps that are open
// again. The plan's lock must be held.
func StoreWaiting(ctx context.Context, c *checkout.Checkout) (steps []string, err error) {
	for _, w := range WaitingAnswers(c.Repo, c.Doc.ID) {
		if ok, err := w.lock.TryLock(); err != nil || !ok {
			continue // its writer is alive
		}
		stored, err := w.store(ctx, c, true)
		_ = w.lock.Close()
		if err != nil {
			return steps, err
		}
		if stored {
			steps = append(steps, w.Step)
		}
	}
	return steps, nil
}

// StoreAnswer stores an answer in a blocked step, and reports whether the plan is approved with it.
func StoreAnswer(ctx context.Context, c *checkout.Checkout, step, answer string, untrusted bool) (approved bool, err error) {
	if approved, err = integrity.IsApproved(c.Repo, c.Doc.ID, c.Doc.Plan); err != nil {
		return false, err
	}
	if err = c.Answer(ctx, step, answer); err != nil || !approved || untrusted {
		return false, err
	}
	return true, integrity.Approve(c.Repo, c.Doc.ID, c.Doc.Plan.Source)
}
