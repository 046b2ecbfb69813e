package hooks

import (
	"context"
	"strings"
)

// What refs/remotes says of the remote whoever may write to the repository can say, too: a
// session that sets refs/remotes/origin/main to its own commit would have nothing of it
// looked at. Of a ref that is pushed the remote itself has just said what it has there:
// that counts, and what is noted here of the same ref does not.

// tracking is the name of the ref below refs/remotes that stands for a pushed one.
func (p *pushing) tracking(one Push) (name string, ok bool) {
	branch, ok := one.Branch()
	name = p.remote + "/" + branch
	return name, ok && p.named && !p.isForeign(name)
}

// tracked are the arguments that exclude what the remote has, as far as that is known.
func (p *pushing) tracked(ctx context.Context) (args []string) {
	if !p.named {
		return nil
	}
	for _, one := range p.all {
		if name, ok := p.tracking(one); ok {
			args = append(args, "--exclude="+name)
		}
	}
	for _, pattern := range p.others {
		args = append(args, "--exclude="+pattern)
	}
	args = append(args, "--remotes="+p.remote)
	for _, one := range p.all {
		if _, err := p.Repo.ReadCommit(ctx, one.RemoteOID); !one.New() && err == nil {
			args = append(args, one.RemoteOID)
		}
	}
	return args
}

// tip is what a base is at the remote, where that says so; else the base itself. It is
// empty where the remote has none, or one that was never fetched.
func (p *pushing) tip(ctx context.Context, base string) string {
	for _, one := range p.all {
		if name, ok := p.tracking(one); !ok || name != strings.TrimPrefix(base, "refs/remotes/") {
			continue
		}
		if _, err := p.Repo.ReadCommit(ctx, one.RemoteOID); one.New() || err != nil {
			return ""
		}
		return one.RemoteOID
	}
	return base
}

// tellDoubted tells of a ref below refs/remotes that has more than the remote has.
func (p *pushing) tellDoubted(ctx context.Context, one Push, name string, d *Decision) {
	tracking, ok := p.tracking(one)
	if !ok {
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
	for _, other := range p.all {
		if has, err := p.Repo.IsAncestor(ctx, r.head.OID, other.RemoteOID); !other.New() && err == nil && has {
			return
		}
	}
	d.say("%s: nothing of it was looked at, since refs/remotes/%s says that the remote has all of it: git fetch --prune, if in doubt", name, printable(p.remote))
}
