package hooks

import (
	"context"
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
		if branch, ok := one.Branch(); ok && p.named && !p.isForeign(p.remote+"/"+branch) {
			names[p.remote+"/"+branch] = one
		}
	}
	return names
}

// tracked returns the commits that refs/remotes says the remote has. A symbolic ref is left
// out: it may point to one that does not count.
func (p *pushing) tracked(ctx context.Context) (oids []string, err error) {
	if p.receives {
		refs, err := p.Repo.Refs(ctx, "refs/")
		for _, r := range refs {
			oids = append(oids, r.OID)
		}
		return oids, err
	}
	if !p.named {
		return nil, nil
	}
	out, err := p.Repo.Output(ctx, "for-each-ref", "--format=%(objectname) %(refname) %(symref)", "refs/remotes/"+p.remote+"/")
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		name := strings.TrimPrefix(f[1], "refs/remotes/")
		if _, pushed := p.tracks[name]; !pushed && len(f) == 2 && !p.isForeign(name) {
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
	if _, err := p.Repo.ReadCommit(ctx, one.RemoteOID); one.New() || err != nil {
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
	here, err := p.Repo.Resolve(ctx, "refs/remotes/"+tracking)
	if err != nil || here == one.RemoteOID {
		return
	}
	if one.New() {
		d.say("%s: refs/remotes/%s is here, but %s has no such branch, so it is ignored: git fetch --prune", name, printable(tracking), printable(p.remote))
		return
	}
	if old, err := p.Repo.IsAncestor(ctx, here, one.RemoteOID); err == nil && !old {
		d.say("%s: refs/remotes/%s is not what %s has, so it is ignored: git fetch", name, printable(tracking), printable(p.remote))
	}
}

// reportUnseen reports a new ref that goes unchecked solely on the word of refs/remotes, if plan.prePush is block.
func (p *pushing) reportUnseen(ctx context.Context, one Push, head, name string, d *Decision) {
	if p.mode != block || !one.New() || !p.named {
		return
	}
	l, err := readLacking(ctx, p.Repo, []string{head}, p.said(), "--max-count=1")
	if err == nil && len(l.parents) == 0 {
		return // what the remote said itself is enough
	}
	d.say("%s: none of it was checked, because refs/remotes/%s says that the remote has all of it; if in doubt: git fetch --prune", name, printable(p.remote))
}
