package share

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// Pushed is the outcome of pushing one plan.
type Pushed struct {
	ID    string
	There bool   // the remote already had the plan
	Err   error  // why the plan did not arrive (ErrBehind, ErrRemote); else nil
	words string // git's message about a refusal
}

// Push sends plans to a remote, all if ids is nil. A plan must descend from the value that was last seen there, which
// the remote must still have: nothing that others pushed is ever overwritten. A single plan's error is in its Err.
func Push(ctx context.Context, c *checkout.Checkout, remote string, ids []string) ([]Pushed, error) {
	refs, err := sharedPlans(ctx, c, remote)
	if err != nil {
		return nil, err
	}
	if ids == nil {
		ids = slices.Sorted(maps.Keys(refs.here))
	}
	p := &pushing{Checkout: c, remote: remote, shared: refs}
	ids, out, err := p.behind(ctx, ids)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return out, nil
	}
	sent, err := p.push(ctx, ids)
	return append(out, sent...), err
}

// HasPlan reports whether a remote was last seen with the current plan, ignoring approvals, which count only here.
func HasPlan(ctx context.Context, c *checkout.Checkout, remote string, d *journal.Document) bool {
	oid, err := c.Repo.Resolve(ctx, seenPrefix(remote)+d.ID)
	if err != nil {
		return false
	}
	for _, e := range slices.Backward(d.Events) {
		if e.Commit == oid || e.Kind != journal.Approved {
			return e.Commit == oid
		}
	}
	return false
}

// KnowPlan returns the remotes that have a plan, as far as is known here.
func KnowPlan(ctx context.Context, c *checkout.Checkout, id string) []string {
	return slices.DeleteFunc(c.Config.Git.Subsections("remote", "url"), func(name string) bool {
		_, err := c.Repo.Resolve(ctx, seenPrefix(name)+id)
		return err != nil
	})
}

// pushing is one push of plans.
type pushing struct {
	Checkout *checkout.Checkout
	remote   string
	branch   string // the ref to push together with the plans, all or none; "" for none
	way      Way
	shared
}

// behind divides plans into those that lack known commits of the remote, with ErrBehind, and the others. After a fetch
// with a conflict a lease alone would let the former pass.
func (p *pushing) behind(ctx context.Context, ids []string) (others []string, out []Pushed, err error) {
	for _, id := range ids {
		here, seen := p.here[id], p.seen[id]
		if here == "" {
			return nil, nil, fault.New(fault.ErrPlanGone, "there is no plan %s in this repository", id)
		}
		descends, err := p.Checkout.Repo.IsAncestor(ctx, cmp.Or(seen, here), here)
		switch {
		case err != nil:
			return nil, nil, err
		case descends:
			others = append(others, id)
		default:
			out = append(out, Pushed{ID: id, Err: p.tooOld(id)})
		}
	}
	return others, out, nil
}

// tooOld returns the ErrBehind of a plan.
func (p *pushing) tooOld(id string) error {
	return fault.New(fault.ErrBehind, "plan %s is not pushed: %s has changes of it that are not here", id, p.remote)
}

// push runs one git push of the plans and the branch without what the person's configuration adds; hooks run.
func (p *pushing) push(ctx context.Context, ids []string) ([]Pushed, error) {
	args := []string{"--recurse-submodules=no"}
	if p.branch != "" {
		args = []string{"--atomic"}
	}
	for _, id := range ids {
		args = append(args, "--force-with-lease="+journal.RefPrefix+id+":"+p.seen[id])
	}
	args = append(args, "--", p.remote)
	if p.branch != "" {
		args = append(args, p.branch+":"+p.branch)
	}
	for _, id := range ids {
		args = append(args, p.here[id]+":"+journal.RefPrefix+id)
	}
	flags, failed := p.run(ctx, args)
	if failed != nil && (len(flags) == 0 || !errors.Is(failed, fault.ErrRemote)) {
		return nil, failed
	}
	return p.record(ctx, ids, flags, failed)
}

// run runs a git push, and returns the outcome for each ref that it names. If none was judged, a hook refused: the
// error has the hook's words, verbatim.
func (p *pushing) run(ctx context.Context, args []string) (map[string]pushedRef, error) {
	push := []string{"push", "--no-follow-tags", "--porcelain"}
	if p.Checkout.Config.Git.Bool("remote."+p.remote+".mirror", false) { // only the named refs are pushed
		push = append([]string{"-c", "remote." + p.remote + ".mirror=false"}, push...)
	}
	var said bytes.Buffer
	command := p.way.command(append(push, args...)...)
	command.Stdout = &said
	err := remotely(ctx, p.Checkout, command)
	flags := map[string]pushedRef{} // ref or plan ID -> git's line
	for line := range strings.Lines(said.String()) {
		if f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3); len(f) == 3 {
			_, to, _ := strings.Cut(f[1], ":")
			flags[strings.TrimPrefix(to, journal.RefPrefix)] = pushedRef{f[0], f[2]}
		}
	}
	var refused *git.Error
	if len(flags) == 0 && git.Code(err) == 1 && errors.As(err, &refused) {
		words, _, _ := strings.Cut(refused.Stderr, "error: failed to push some refs") // git's last line
		return nil, &fault.Fault{Kind: fault.ErrPushStopped, Text: "the pre-push hook stops the push:",
			Cause: errors.New(strings.TrimSpace(words))}
	}
	return flags, err
}

// PushWork sends the branch and its plan, whose lock the caller has, to the remote that git would push to, and
// merges changes of the plan there first. Neither is forced. noPlan says why a remote that has never taken the plan
// got the branch alone; "" if both arrived.
func PushWork(ctx context.Context, c *checkout.Checkout, way Way) (remote, noPlan string, err error) {
	if remote, err = c.Remote("", true); err != nil {
		return "", "", err
	}
	noPlan, err = pushBoth(ctx, c, remote, way)
	if errors.Is(err, fault.ErrBehind) {
		if err = fetchOwn(ctx, c, remote, way); err == nil {
			noPlan, err = pushBoth(ctx, c, remote, way)
		}
	}
	return remote, noPlan, err
}

// pushBoth sends both or neither where plans are taken: if only the branch arrived, another clone would do its steps again.
func pushBoth(ctx context.Context, c *checkout.Checkout, remote string, way Way) (noPlan string, err error) {
	refs, err := sharedPlans(ctx, c, remote)
	if err != nil {
		return "", err
	}
	p := &pushing{Checkout: c, remote: remote, branch: "refs/heads/" + c.Branch, way: way, shared: refs}
	ids := []string{c.Doc.ID}
	others, plans, err := p.behind(ctx, ids)
	if err == nil && len(others) > 0 {
		plans, err = p.push(ctx, ids)
	}
	if git.Code(err) == git.Fatal {
		plans, err = p.inTurn(ctx, ids)
	}
	takesNone := func() bool { return err == nil && errors.Is(plans[0].Err, fault.ErrRemote) && p.seen[c.Doc.ID] == "" }
	if takesNone() && p.branch != "" {
		if alone, failed := p.inTurn(ctx, ids); failed == nil {
			plans = alone
		}
	}
	switch {
	case err != nil:
		return "", err
	case takesNone() && p.branch == "": // the branch has arrived
		return plans[0].words, nil
	}
	return "", plans[0].Err
}

// inTurn pushes branch and plan to a remote without --atomic, or neither if the plan would be refused.
func (p *pushing) inTurn(ctx context.Context, ids []string) ([]Pushed, error) {
	moved, err := p.movedThere(ctx, map[string]bool{ids[0]: true})
	if err != nil {
		return nil, err
	}
	if moved[ids[0]] {
		return []Pushed{{ID: ids[0], Err: p.tooOld(ids[0])}}, nil
	}
	flags, err := p.run(ctx, []string{"--", p.remote, p.branch + ":" + p.branch})
	if r := flags[p.branch]; r.flag == "!" {
		err = fault.New(fault.ErrRemote, "%s does not accept the branch: %s", p.remote, r.words)
	}
	if err != nil {
		return nil, err
	}
	p.branch = ""
	return p.push(ctx, ids)
}

// pushedRef is a line of git push --porcelain, "<flag>\t<from>:<to>\t<words>": "!" refused, "=" nothing to do.
type pushedRef struct{ flag, words string }

// record records the remote's current values, asking it about refused plans, since git's words are not parsed.
func (p *pushing) record(ctx context.Context, ids []string, flags map[string]pushedRef, failed error) ([]Pushed, error) {
	var out []Pushed
	refused := map[string]bool{}
	for _, id := range ids {
		r, reported := flags[id]
		one := Pushed{ID: id, There: r.flag == "="}
		switch {
		case r.flag == "!":
			refused[id], one.words = true, r.words
			one.Err = fault.New(fault.ErrRemote, "%s does not accept plan %s: %s", p.remote, id, r.words)
			if b := flags[p.branch]; b.flag == "!" {
				one.Err = fault.New(fault.ErrRemote, "%s accepts neither the branch (%s) nor its plan (%s)", p.remote, b.words, r.words)
			}
		case !reported:
			one.Err = failed
		case p.seen[id] != p.here[id]:
			err := p.Checkout.Repo.UpdateRef(ctx, seenPrefix(p.remote)+id, p.here[id], p.seen[id], "plan: pushed to "+p.remote)
			if err != nil && !errors.Is(err, git.ErrMoved) { // a record that was moved meanwhile is newer than ours
				return out, err
			}
		}
		out = append(out, one)
	}
	moved, err := p.movedThere(ctx, refused)
	for i := range out {
		if moved[out[i].ID] {
			out[i].Err = p.tooOld(out[i].ID)
		}
	}
	return out, err
}

// movedThere asks the remote which plans have moved since they were last seen.
func (p *pushing) movedThere(ctx context.Context, ids map[string]bool) (map[string]bool, error) {
	moved := map[string]bool{}
	if len(ids) == 0 {
		return moved, nil
	}
	args := []string{"ls-remote", "--", p.remote}
	for id := range ids {
		args = append(args, journal.RefPrefix+id)
		moved[id] = p.seen[id] != "" // it may be gone there
	}
	var out bytes.Buffer
	command := p.way.command(args...)
	command.Stdout = &out
	if err := remotely(ctx, p.Checkout, command); err != nil {
		return nil, err
	}
	for line := range strings.Lines(out.String()) {
		oid, ref, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if id, ok := strings.CutPrefix(ref, journal.RefPrefix); ok && ids[id] {
			moved[id] = oid != p.seen[id]
		}
	}
	return moved, nil
}
