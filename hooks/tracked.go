package hooks

import (
	"context"
	"strings"
)

// What refs/remotes says of the remote whoever may write to the repository can say, too: a
// session that sets refs/remotes/origin/main to its own commit would have nothing of it
// looked at. Of a ref that is pushed the remote itself has just said what it has there:
// that counts, and what is noted here of the same ref does not.

// tracking are the pushed refs by the name below refs/remotes that stands for each.
func (p *pushing) tracking() map[string]Push {
	names := map[string]Push{}
	for _, one := range p.all {
		if branch, ok := one.Branch(); ok && p.named && !p.isForeign(p.remote+"/"+branch) {
			names[p.remote+"/"+branch] = one
		}
	}
	return names
}

// tracked are the commits that refs/remotes says the remote has. A symbolic ref there says
// what another one says, which may be one that does not count.
func (p *pushing) tracked(ctx context.Context) (oids []string, err error) {
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

// said are the commits that the remote itself says it has.
func (p *pushing) said() (oids []string) {
	for _, one := range p.all {
		if !one.New() {
			oids = append(oids, one.RemoteOID)
		}
	}
	return oids
}

// tip is what a base is at the remote, where that says so; else the base itself. It is
// empty where the remote has none, or one that was never fetched.
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

// tellDoubted tells of a ref below refs/remotes that has more than the remote has.
func (p *pushing) tellDoubted(ctx context.Context, one Push, name string, d *Decision) {
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
		d.say("%s: refs/remotes/%s is here, but %s has no such branch, so that is not believed: git fetch --prune", name, printable(tracking), printable(p.remote))
		return
	}
	if old, err := p.Repo.IsAncestor(ctx, here, one.RemoteOID); err == nil && !old {
		d.say("%s: refs/remotes/%s is not what %s has, so it is not believed: git fetch", name, printable(tracking), printable(p.remote))
	}
}

// tellUnseen tells of a new ref of which nothing is looked at on the word of refs/remotes
// alone, where the gate is to let nothing pass unseen.
func (p *pushing) tellUnseen(ctx context.Context, one Push, r *reach, name string, d *Decision) {
	if p.mode != mustPass || !one.New() || !p.named {
		return
	}
	l, err := p.walk(ctx, []string{r.head.OID}, p.said(), "--max-count=1")
	if err == nil && len(l.parents) == 0 {
		return // what it said itself is enough
	}
	d.say("%s: nothing of it was looked at, since refs/remotes/%s says that the remote has all of it: git fetch --prune, if in doubt", name, printable(p.remote))
}
