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

// maxCommits is how many commits of a ref are checked one by one.
const maxCommits = 50_000

type pushRange struct {
	head    git.Commit   // an annotated tag is peeled
	of      string       // the base of its work, by its name; empty without one
	work    string       // the commit where it left that base; empty without one
	base    string       // the commit it is compared with; empty is the empty tree
	commits []git.Commit // commits that the remote lacks, newest first
	rest    string       // the newest commit to push before them, since there are more; empty without one
	diff    *git.Diff    // base..head, without what the remote has through work; nil without a base
	first   bool         // nothing that it comes from is at the remote, and it is not work on a base
	known   bool         // the remote has work, so nothing below it is brought
	isWork  bool         // it needs a review
	passed  bool         // a review has passed it
}

// workBase returns what the branch's work is compared with: the plan's base, else the one that is found.
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

// rangeOf finds the pushed commits. git.ErrMissing means that the object is not a commit.
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
		if errors.Is(err, git.ErrMissing) { // never fetched, and hooks do not use the network
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
		return nil // all of its files are read as git writes them
	}
	base, err := p.Checkout.Repo.ReadCommit(ctx, r.base)
	if err == nil {
		r.diff, err = p.history.Difference(ctx, base.Tree, r.head.Tree, r.commits)
	}
	if err != nil {
		return err
	}
	r.known = r.work != "" && r.rest == "" && !slices.ContainsFunc(r.commits, func(c git.Commit) bool { return c.OID == r.work })
	if r.known && r.work != r.base { // a merge of the base brings others' changes into the difference
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

// mergeBase returns where head left another commit, without git if possible; "" if they share none.
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

// newBase returns what a new ref is compared with: where it left the base of its work, or, if the remote lacks that, or
// the ref is the base, the last commit that the remote has. A remote not known here has what any other has of that base.
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

// missingCommits is the history that the remote, as far as is known here, lacks, read once for all refs.
type missingCommits struct {
	parents map[string][]string // of each commit in it
	at      map[string]int      // its place in git's list, newest first; also of commits right below it
}

// readMissing reads the commits that tips have and the others lack; some of the others may not exist here.
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

// of returns the commits that head adds to base ("": to what the remote has), and those right below, newest first.
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

// walk returns the commits that a commit leads to and that were not seen yet.
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

// tracked returns the options with which git leaves out what refs/remotes says the remote has. A session may write to
// it: for the pushed refs, what the remote itself has just said counts, and HEAD may point to one that does not.
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

// tip returns what a base is at the remote if it says so, else the base; "" without one that was fetched.
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

// reportUnseen reports a new ref that goes unchecked solely on the word of refs/remotes, if plan.prePush is block.
func (p *pushCheck) reportUnseen(ctx context.Context, one Push, head, name string, d *Decision) {
	if p.mode != block || !one.New() || !p.named {
		return
	}
	m, err := p.readMissing(ctx, []string{head}, p.reported(), "--max-count=1")
	if err == nil && len(m.parents) == 0 {
		return // what the remote said itself is enough
	}
	d.say("%s: none of it was checked, because refs/remotes/%s says that the remote has all of it; if in doubt: git fetch --prune", name, printable(p.remote))
}

// isFetched reports whether a push to address goes where the remote is fetched from, which refs/remotes describes.
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

// shared reports whether another remote may keep refs below this one's name, by its own name or its fetch setting.
func (p *pushCheck) shared() bool {
	mine := "refs/remotes/" + p.remote + "/"
	for _, variable := range []string{"url", "pushurl", "fetch"} {
		for _, other := range p.Checkout.Config.Names("remote", variable) {
			own := "refs/remotes/" + other + "/"
			elsewhere := func(spec string) bool { // below refs/remotes, which may be abbreviated, it may be anywhere
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
