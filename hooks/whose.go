package hooks

import (
	"context"
	"net/url"
	"slices"
	"strings"
)

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
	_, set := p.Config.Get("remote." + p.remote + ".pushurl")
	if !set && len(p.Config.All("remote."+p.remote+".url")) == 1 && !slices.ContainsFunc(p.Config.AllKeys(), pushes) {
		return true
	}
	fetched, err := p.Repo.Output(ctx, "remote", "get-url", "--", p.remote)
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

// foreign returns patterns of names below refs/remotes that begin with this remote's name
// but belong to another: one whose own name begins with this one's and a slash, or one
// that fetches to there.
func (p *pushing) foreign() (patterns []string) {
	mine := "refs/remotes/" + p.remote + "/"
	for _, variable := range []string{"url", "pushurl", "fetch"} {
		for _, other := range p.Config.Names("remote", variable) {
			if other == p.remote {
				continue
			}
			for _, to := range append(p.fetchesTo(other), "refs/remotes/"+other+"/*") {
				before, _, many := strings.Cut(to, "*")
				switch {
				case many && strings.HasPrefix(mine, before):
					patterns = append(patterns, p.remote+"/*")
				case strings.HasPrefix(to, mine):
					patterns = append(patterns, strings.TrimPrefix(to, "refs/remotes/"))
				}
			}
		}
	}
	slices.Sort(patterns)
	return slices.Compact(patterns)
}

// fetchesTo returns the right sides of what a remote is configured to fetch.
func (p *pushing) fetchesTo(remote string) (refs []string) {
	for _, spec := range p.Config.All("remote." + remote + ".fetch") {
		if _, to, _ := strings.Cut(spec, ":"); strings.HasPrefix(to, "remotes/") {
			refs = append(refs, "refs/"+to)
		} else if to != "" {
			refs = append(refs, to)
		}
	}
	return refs
}

// isForeign reports whether a name below refs/remotes belongs to another remote.
func (p *pushing) isForeign(name string) bool {
	return slices.ContainsFunc(p.others, func(pattern string) bool {
		before, after, many := strings.Cut(pattern, "*")
		if !many {
			return name == pattern
		}
		return len(name) >= len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after)
	})
}
