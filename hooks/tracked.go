package hooks

import (
	"context"
	"net/url"
	"slices"
	"strings"
)

// Whoever may write to the repository can also write to refs/remotes: nothing of a session's
// commit would be checked if the session sets refs/remotes/origin/main to it. But for a ref
// that is pushed the remote itself has just said what it has there: that counts, and what
// refs/remotes says of the same ref does not.

// tracking returns the pushed refs by the name below refs/remotes that tracks each.
func (p *pushing) tracking() map[string]Push {
	names := map[string]Push{}
	for _, one := range p.all {
		if branch, ok := one.Branch(); ok && p.named {
			names[p.remote+"/"+branch] = one
		}
	}
	return names
}

// tracked returns the commits that refs/remotes says the remote has. A symbolic ref is left
// out: it may point to one that does not count.
func (p *pushing) tracked(ctx context.Context) (oids []string, err error) {
	if !p.named {
		return nil, nil
	}
	out, err := p.Checkout.Repo.Output(ctx, "for-each-ref", "--format=%(objectname) %(refname) %(symref)", "refs/remotes/"+p.remote+"/")
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		name := strings.TrimPrefix(f[1], "refs/remotes/")
		if _, pushed := p.tracks[name]; !pushed && len(f) == 2 {
			oids = append(oids, f[0])
		}
	}
	return oids, err
}

// said returns the commits that the remote itself says it has.
func (p *pushing) said() (oids []string) {
	for _, one := range p.all {
		if !one.New() {
			oids = append(oids, one.RemoteOID)
		}
	}
	return oids
}

// tip returns what a base is at the remote if the remote says so, else the base itself. It
// is empty if the remote has no such branch, or a commit that was never fetched.
func (p *pushing) tip(ctx context.Context, base string) string {
	one, ok := p.tracks[strings.TrimPrefix(base, "refs/remotes/")]
	if !ok {
		return base
	}
	if _, err := p.Checkout.Repo.ReadCommit(ctx, one.RemoteOID); one.New() || err != nil {
		return ""
	}
	return one.RemoteOID
}

// reportDoubted reports a ref below refs/remotes that has more than the remote has.
func (p *pushing) reportDoubted(ctx context.Context, one Push, name string, d *Decision) {
	branch, _ := one.Branch()
	tracking := p.remote + "/" + branch
	if p.tracks[tracking] != one {
		return
	}
	here, err := p.Checkout.Repo.Resolve(ctx, "refs/remotes/"+tracking)
	if err != nil || here == one.RemoteOID {
		return
	}
	if one.New() {
		d.say("%s: refs/remotes/%s is here, but %s has no such branch, so it is ignored: git fetch --prune", name, printable(tracking), printable(p.remote))
		return
	}
	if old, err := p.Checkout.Repo.IsAncestor(ctx, here, one.RemoteOID); err == nil && !old {
		d.say("%s: refs/remotes/%s is not what %s has, so it is ignored: git fetch", name, printable(tracking), printable(p.remote))
	}
}

// reportUnseen reports a new ref that goes unchecked solely on the word of refs/remotes, if plan.prePush is block.
func (p *pushing) reportUnseen(ctx context.Context, one Push, head, name string, d *Decision) {
	if p.mode != block || !one.New() || !p.named {
		return
	}
	l, err := readLacking(ctx, p.Checkout.Repo, []string{head}, p.said(), "--max-count=1")
	if err == nil && len(l.parents) == 0 {
		return // what the remote said itself is enough
	}
	d.say("%s: none of it was checked, because refs/remotes/%s says that the remote has all of it; if in doubt: git fetch --prune", name, printable(p.remote))
}

// What refs/remotes/NAME says is about one address only: the one that NAME is fetched
// from. A push may go elsewhere by the same name, and another remote may keep refs there.

// isFetched reports whether a push to address goes to where the remote is fetched from, so
// that refs/remotes says what is there. For most remotes that needs no git process.
func (p *pushing) isFetched(ctx context.Context, address string) bool {
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
	return err == nil && samePlace(fetched, address)
}

// samePlace reports whether two addresses are one repository: the same text, or the same
// path on the same host, which many read by https and write by ssh.
func samePlace(a, b string) bool {
	if a == b {
		return true
	}
	at, ok := placeOf(a)
	other, also := placeOf(b)
	return ok && also && at == other
}

// placeOf returns the host and the path of an address, without user and protocol; ok is
// false for one with a port, or without a host.
func placeOf(address string) (place string, ok bool) {
	if !strings.Contains(address, "://") { // user@host:path
		host, path, found := strings.Cut(address, ":")
		if !found || strings.Contains(host, "/") || strings.HasPrefix(path, ":") || strings.HasPrefix(path, "/") {
			return "", false
		}
		address = "ssh://" + host + "/" + path
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Port() != "" || u.RawQuery != "" || !slices.Contains([]string{"https", "http", "ssh", "git"}, u.Scheme) {
		return "", false
	}
	return strings.ToLower(u.Hostname()) + "/" + strings.TrimSuffix(strings.Trim(u.Path, "/"), ".git"), true
}

// shared reports whether another remote may keep refs below this one's name: one whose own name begins
// with it and a slash, or one that fetches to there. Then none of them are believed.
func (p *pushing) shared() bool {
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

// fetchesTo returns the right sides of what a remote is configured to fetch.
func (p *pushing) fetchesTo(remote string) (refs []string) {
	for _, spec := range p.Checkout.Config.All("remote." + remote + ".fetch") {
		if _, to, _ := strings.Cut(spec, ":"); strings.HasPrefix(to, "remotes/") {
			refs = append(refs, "refs/"+to)
		} else if to != "" {
			refs = append(refs, to)
		}
	}
	return refs
}
