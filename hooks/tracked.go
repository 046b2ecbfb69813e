package hooks

import (
	"context"
	"slices"
	"strings"
)

// A session may write to refs/remotes. But the remote itself has just said which values the pushed refs have there:
// that counts, not refs/remotes.

func (p *pushCheck) tracking() map[string]Push {
	names := map[string]Push{}
	for _, one := range p.all {
		if branch, ok := one.Branch(); ok && p.named {
			names[p.remote+"/"+branch] = one
		}
	}
	return names
}

// tracked returns the options with which git leaves out what refs/remotes says the remote has. The name of the
// default branch is left out: it may point to a ref that does not count.
func (p *pushCheck) tracked() []string {
	if !p.named {
		return nil
	}
	options := []string{"--not", "--exclude=" + p.remote + "/HEAD"}
	for name := range p.tracks {
		options = append(options, "--exclude="+name)
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

// tip returns what a base is at the remote if the remote says so, else the base itself; "" if the remote has no such
// branch, or a commit that was never fetched.
func (p *pushCheck) tip(ctx context.Context, base string) string {
	one, ok := p.tracks[strings.TrimPrefix(base, "refs/remotes/")]
	if !ok {
		return base
	}
	if _, err := p.Checkout.Repo.ReadCommit(ctx, one.RemoteOID); one.New() || err != nil {
		return ""
	}
	return one.RemoteOID
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

// isFetched reports whether a push to address goes to the place from which the remote is fetched, which refs/remotes
// describes.
func (p *pushCheck) isFetched(ctx context.Context, address string) bool {
	if p.remote == "" || p.remote == address || strings.ContainsAny(p.remote, `*?[\`) {
		return false
	}
	pushes := func(key string) bool {
		return strings.HasPrefix(key, "url.") && strings.HasSuffix(key, ".pushinsteadof")
	}
	_, set := p.Checkout.Config.Get("remote." + p.remote + ".pushurl")
	if !set && len(p.Checkout.Config.All("remote."+p.remote+".url")) == 1 && !slices.ContainsFunc(p.Checkout.Config.AllKeys(), pushes) {
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
			for _, to := range append(p.fetchesTo(other), "refs/remotes/"+other+"/*") {
				before, _, many := strings.Cut(to, "*")
				if other != p.remote && (strings.HasPrefix(to, mine) || many && strings.HasPrefix(mine, before)) {
					return true
				}
			}
		}
	}
	return false
}

func (p *pushCheck) fetchesTo(remote string) (refs []string) {
	for _, spec := range p.Checkout.Config.All("remote." + remote + ".fetch") {
		if _, to, _ := strings.Cut(spec, ":"); strings.HasPrefix(to, "remotes/") {
			refs = append(refs, "refs/"+to)
		} else if to != "" {
			refs = append(refs, to)
		}
	}
	return refs
}
