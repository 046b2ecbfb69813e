package hooks

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// maxCommits is the maximum number of commits of a ref that are checked one by one.
const maxCommits = 50_000

// pushRange is the commits that one ref brings.
type pushRange struct {
	head    git.Commit   // the pushed commit; of an annotated tag, its commit
	of      string       // the name of the base branch; empty without one
	work    string       // the merge base with the base branch; empty without one
	base    string       // the commit with which head is compared; empty for the empty tree
	commits []git.Commit // the commits that the remote lacks, newest first, at most maxCommits
	rest    string       // the newest commit that must be pushed before commits; empty if there are no more
	diff    *git.Diff    // base..head, without files that equal those in work; nil without a base
	first   bool         // the remote has no ancestor of head, and head is not based on another branch
	known   bool         // the remote has work
	isWork  bool         // the commits need a review
	passed  bool         // a review has passed
}

// workBase returns the base branch: the plan's or, if it is unset or gone, the one that Checkout.Base finds; or "".
func (p *pushCheck) workBase(ctx context.Context, doc *journal.Document) (string, error) {
	given := ""
	if doc != nil {
		given = doc.Plan.Base
	}
	base, err := p.Checkout.Base(ctx, given)
	if errors.Is(err, fault.ErrNoBase) && given != "" {
		base, err = p.Checkout.Base(ctx, "")
	}
	if errors.Is(err, fault.ErrNoBase) {
		return "", nil
	}
	return base, err
}

// rangeOf determines the pushed commits. git.ErrMissing means that the object is not a commit.
func (p *pushCheck) rangeOf(ctx context.Context, one Push, workBase, name string, d *Decision) (*pushRange, error) {
	r := &pushRange{of: workBase}
	var err error
	if r.head, err = p.Checkout.Repo.ReadCommit(ctx, one.LocalOID); err != nil {
		return nil, err
	}
	if tip := p.tip(ctx, workBase); tip != "" {
		if r.work, err = p.mergeBase(ctx, tip, r.head.OID); err != nil {
			return nil, err
		}
	}
	if !one.New() {
		r.base, err = p.mergeBase(ctx, one.RemoteOID, r.head.OID)
		if errors.Is(err, git.ErrMissing) { // never fetched; hooks do not use the network
			d.say("%s: what the remote has is not known here (git fetch), so it is treated as new", name)
		} else if err != nil {
			return nil, err
		}
	}
	if r.base == "" {
		if r.base, err = p.newBase(ctx, r.head.OID, r.work); err != nil {
			return nil, err
		}
	}
	r.first = one.New() && r.base == "" && (r.work == "" || r.work == r.head.OID)
	return r, p.read(ctx, r)
}

func (p *pushCheck) read(ctx context.Context, r *pushRange) error {
	var m *missingCommits
	var err error
	if r.base != "" && !p.knowsRemote() {
		m, err = p.readMissing(ctx, []string{r.head.OID}, []string{r.base})
	} else {
		m, err = p.missing(ctx)
	}
	if err != nil {
		return err
	}
	oids, _ := m.of(r.head.OID, r.base)
	newest := oids[:min(cmp.Or(p.Commits, maxCommits), len(oids))]
	if more := len(oids) - len(newest); more > 0 {
		r.rest = oids[max(len(newest), more)]
	}
	if r.commits, err = p.Checkout.Repo.Commits(ctx, newest); err != nil {
		return err
	}
	if r.base == "" {
		return nil // the rules read the diff with the empty tree as git writes it
	}
	base, err := p.Checkout.Repo.ReadCommit(ctx, r.base)
	if err == nil {
		r.diff, err = p.history.Difference(ctx, base.Tree, r.head.Tree, r.commits)
	}
	if err != nil {
		return err
	}
	r.known = r.work != "" && r.rest == "" && !slices.ContainsFunc(r.commits, func(c git.Commit) bool { return c.OID == r.work })
	if r.known && r.work != r.base { // a merge of the base branch brings its changes into the diff
		r.diff.Files = slices.DeleteFunc(r.diff.Files, func(f git.FileDiff) bool {
			oid, err := p.Checkout.Repo.Resolve(ctx, r.work+":"+f.Path)
			return err == nil && oid == f.NewOID
		})
	}
	return nil
}

func (p *pushCheck) knowsRemote() bool { return p.named || len(p.reported()) > 0 }

func (p *pushCheck) missing(ctx context.Context) (*missingCommits, error) {
	if p.lacks != nil {
		return p.lacks, nil
	}
	var tips []string
	for _, one := range p.all {
		if !one.Deletes() {
			tips = append(tips, one.LocalOID)
		}
	}
	var err error
	p.lacks, err = p.readMissing(ctx, tips, p.reported(), p.tracked()...)
	return p.lacks, err
}

// mergeBase returns the merge base of head and another commit, without a git process if possible; "" if there is none.
func (p *pushCheck) mergeBase(ctx context.Context, other, head string) (string, error) {
	at, err := p.Checkout.Repo.ReadCommit(ctx, other)
	if err != nil {
		return "", err
	}
	if p.knowsRemote() {
		m, err := p.missing(ctx)
		if err != nil {
			return "", err
		}
		if _, below := m.of(head, ""); len(below) == 1 && below[0] == at.OID {
			return at.OID, nil
		}
	}
	return p.Checkout.Repo.MergeBase(ctx, at.OID, head)
}

// newBase returns the commit with which a new ref is compared: the merge base with the base branch (work) or, if the
// remote lacks that or work is head, the last commit that the remote has. An unknown remote is assumed to have the
// commits of work that any known remote has.
func (p *pushCheck) newBase(ctx context.Context, head, work string) (string, error) {
	own, lacking := work != "" && work != head, p.missing
	if own && !p.named {
		head, lacking = work, func(ctx context.Context) (*missingCommits, error) {
			return p.readMissing(ctx, []string{work}, p.reported(), "--not", "--exclude=*/HEAD", "--remotes")
		}
	}
	m, err := lacking(ctx)
	if err != nil {
		return "", err
	}
	if _, lacks := m.parents[work]; own && !lacks {
		return work, nil
	}
	_, below := m.of(head, "")
	return append(below, "")[0], nil
}

// missingCommits is the commits that the remote is not known to have, read once for all refs.
type missingCommits struct {
	parents map[string][]string // missing commit -> its parents
	at      map[string]int      // missing or boundary commit -> position in git's list, newest first
}

// readMissing reads the commits reachable from tips and not from others, some of which may be missing here.
func (p *pushCheck) readMissing(ctx context.Context, tips, others []string, options ...string) (*missingCommits, error) {
	var in strings.Builder
	in.WriteString(strings.Join(tips, "\n") + "\n")
	for _, oid := range others {
		in.WriteString("^" + oid + "\n")
	}
	args := []string{"rev-list", "--topo-order", "--parents", "--boundary", "--ignore-missing", "--stdin"}
	out, err := p.Checkout.Repo.Capture(ctx, git.Command{Args: append(args, options...), Stdin: strings.NewReader(in.String())})
	if err != nil {
		return nil, err
	}
	m := &missingCommits{parents: map[string][]string{}, at: map[string]int{}}
	for line := range strings.Lines(out) {
		names := strings.Fields(line)
		oid, below := strings.CutPrefix(names[0], "-")
		if m.at[oid] = len(m.at); !below {
			m.parents[oid] = names[1:]
		}
	}
	return m, nil
}

// of returns the missing commits that head adds to base ("" for none), and their boundary commits, newest first.
func (m *missingCommits) of(head, base string) (commits, below []string) {
	seen, edges := map[string]bool{}, map[string]bool{}
	m.walk(base, seen)
	commits = m.walk(head, seen)
	for _, oid := range commits {
		for _, parent := range m.parents[oid] {
			if _, lacks := m.parents[parent]; !lacks {
				edges[parent] = true
			}
		}
	}
	byAge := func(a, b string) int { return cmp.Compare(m.at[a], m.at[b]) }
	slices.SortFunc(commits, byAge)
	if below = slices.SortedFunc(maps.Keys(edges), byAge); len(commits) == 0 {
		below = []string{head} // the remote has all of it
	}
	return commits, below
}

// walk returns the missing commits reachable from a commit that are not in seen, and adds them to seen.
func (m *missingCommits) walk(from string, seen map[string]bool) (found []string) {
	for next := []string{from}; len(next) > 0; {
		oid := next[len(next)-1]
		next = next[:len(next)-1]
		parents, lacks := m.parents[oid]
		if !lacks || seen[oid] {
			continue
		}
		seen[oid] = true
		found, next = append(found, oid), append(next, parents...)
	}
	return found
}

// tracked returns the options by which git leaves out the commits that the remote has according to refs/remotes, where
// a session may write. For the pushed refs the remote's own report counts instead, and HEAD may point to one of them.
func (p *pushCheck) tracked() []string {
	if !p.named {
		return nil
	}
	options := []string{"--not", "--exclude=" + p.remote + "/HEAD"}
	for _, one := range p.all {
		if branch, ok := strings.CutPrefix(one.RemoteRef, "refs/heads/"); ok {
			options = append(options, "--exclude="+p.remote+"/"+branch)
		}
	}
	return append(options, "--remotes="+p.remote)
}

func (p *pushCheck) reported() (oids []string) {
	for _, one := range p.all {
		if !one.New() {
			oids = append(oids, one.RemoteOID)
		}
	}
	return oids
}

// tip returns the commit of a base branch as the remote reports it, else the base; "" if that commit was never fetched.
func (p *pushCheck) tip(ctx context.Context, base string) string {
	branch, ok := strings.CutPrefix(strings.TrimPrefix(base, "refs/remotes/"), p.remote+"/")
	i := slices.IndexFunc(p.all, func(one Push) bool { return one.RemoteRef == "refs/heads/"+branch })
	if !ok || i < 0 || !p.named {
		return base
	}
	if _, err := p.Checkout.Repo.ReadCommit(ctx, p.all[i].RemoteOID); p.all[i].New() || err != nil {
		return ""
	}
	return p.all[i].RemoteOID
}

// reportUnseen reports a new ref that is unchecked only because of refs/remotes, if plan.prePush is block.
func (p *pushCheck) reportUnseen(ctx context.Context, one Push, head, name string, d *Decision) {
	if p.mode != block || !one.New() || !p.named {
		return
	}
	m, err := p.readMissing(ctx, []string{head}, p.reported(), "--max-count=1")
	if err == nil && len(m.parents) == 0 {
		return // the remote's own report is enough
	}
	d.say("%s: none of it was checked, because refs/remotes/%s says that the remote has all of it; if in doubt: git fetch --prune", name, printable(p.remote))
}

// isFetched reports whether the push's address is the remote's fetch address, so that refs/remotes describes it.
func (p *pushCheck) isFetched(ctx context.Context, address string) bool {
	if p.remote == "" || p.remote == address || strings.ContainsAny(p.remote, `*?[\`) {
		return false
	}
	pushes := func(key string) bool {
		return strings.HasPrefix(key, "url.") && strings.HasSuffix(key, ".pushinsteadof")
	}
	_, set := p.Checkout.Config.Get("remote." + p.remote + ".pushurl")
	if !set && len(p.Checkout.Config.Git.All("remote."+p.remote+".url")) == 1 &&
		!slices.ContainsFunc(p.Checkout.Config.Git.AllKeys(), pushes) {
		return true
	}
	fetched, err := p.Checkout.Repo.Output(ctx, "remote", "get-url", "--", p.remote)
	return err == nil && fetched == address
}

// shared reports whether another remote may write refs below refs/remotes/<remote>, by its name or its fetch setting.
func (p *pushCheck) shared() bool {
	mine := "refs/remotes/" + p.remote + "/"
	for _, variable := range []string{"url", "pushurl", "fetch"} {
		for _, other := range p.Checkout.Config.Git.Subsections("remote", variable) {
			own := "refs/remotes/" + other + "/"
			elsewhere := func(spec string) bool { // refs/remotes may be abbreviated
				_, to, _ := strings.Cut(spec, ":")
				return strings.Contains(to, "remotes/") && !strings.HasPrefix(to, own)
			}
			if other != p.remote && (strings.HasPrefix(own, mine) || strings.HasPrefix(mine, own) ||
				slices.ContainsFunc(p.Checkout.Config.Git.All("remote."+other+".fetch"), elsewhere)) {
				return true
			}
		}
	}
	return false
}
