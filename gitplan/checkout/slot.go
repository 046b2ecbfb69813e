package checkout

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/sandbox"
	"github.com/git-plan/git-plan/gitplan/setup"
)

// Beside returns another view of this work tree and its plan, for sessions that work at the same
// time as others, in a slot of the plan: a name for the clone and the notes of one session. The two
// share configuration and prompts, which nobody changes; what each reads of the plan, and each
// process that reads objects, is its own, so that none waits for the other. Close it.
func (c *Checkout) Beside(ctx context.Context, slot string) (*Checkout, error) {
	repo := c.Repo.Again()
	b := &Checkout{Repo: repo, Config: c.Config, Store: c.Store.Again(repo), Branch: c.Branch, Slot: slot, Prompts: c.Prompts, filters: &once{}}
	b.Sandbox = sandbox.Of(repo, c.Config)
	repo.Trusted = b.readyToRun
	repo.Moving = func(ref, new, old string) error { return setup.NoteMove(repo, ref, new, old) }
	doc := *c.Doc
	doc.Events = slices.Clip(doc.Events)
	b.Doc, b.Walked, b.walkedFor = &doc, c.Walked, c.walkedFor
	if err := cmp.Or(b.Reload(ctx), b.Derive(ctx)); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// Slots returns the slots of a plan in which a session works, or in which one was when git plan was
// killed: what it left is not seen to yet.
func Slots(r *git.Repo, plan string) []string {
	var out []string
	for _, dir := range journal.NotesOf(r, tasks).Dirs() {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			name, note := strings.CutSuffix(e.Name(), journal.NoteExt)
			if of, slot := setup.OfSlot(name); note && of == plan && slot != "" {
				out = append(out, slot)
			}
		}
	}
	folders, _ := filepath.Glob(r.PlanDir(setup.InSlot(plan, "*"), "clone"))
	for _, folder := range folders { // half made
		_, slot := setup.OfSlot(filepath.Base(filepath.Dir(folder)))
		out = append(out, slot)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
