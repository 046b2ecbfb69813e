package settings

import (
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/markdown"
)

// Setting is one configuration key with its value in force.
type Setting struct {
	Key     string `json:"key"`
	Value   string `json:"value"`
	Default string `json:"default"`
	// Scope is git's, or "default", or "repository" if .gitplan/config proposes the value.
	// A key that is set but unknown to this program has the scope "unknown" and no effect.
	Scope  string `json:"scope"`
	Origin string `json:"origin,omitempty"` // in git's words, as file:.git/config
	Doc    string `json:"doc,omitempty"`
	Kind   Kind   `json:"-"`
}

// Matching returns the settings that a person means by a key: that one, set or not, or,
// by a key with <role> or <name> in it, all that fit. It returns nil if there is no such key.
func (c *Config) Matching(key string) []Setting {
	out := slices.DeleteFunc(c.Settings(), func(s Setting) bool {
		return !strings.EqualFold(s.Key, key) && !Key{Name: key}.names(s.Key)
	})
	if i := slices.IndexFunc(Keys, func(k Key) bool { return k.names(key) }); len(out) == 0 && i >= 0 {
		return []Setting{c.setting(Keys[i], key)}
	}
	return out
}

// NearestKey returns the key that a misspelt one may mean, or "". A key without a section
// is taken as one of "plan".
func NearestKey(key string) string {
	if !strings.Contains(key, ".") {
		key = "plan." + key
	}
	name := ""
	if first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.'); first < last {
		name = key[first+1 : last]
	}
	var all []string
	for _, k := range Keys {
		switch {
		case strings.Contains(k.Name, "<role>"):
			for _, role := range Roles {
				all = append(all, strings.Replace(k.Name, "<role>", string(role), 1))
			}
		case name != "" || !strings.Contains(k.Name, "<name>"):
			all = append(all, strings.Replace(k.Name, "<name>", name, 1))
		}
	}
	return markdown.Nearest(key, all)
}

// sections are the sections of git's configuration that belong to this program.
var sections = []string{"plan", "planAgent", "planReviewer", "planLauncher"}

// Settings returns all keys of the table with their values: a key with <role> or <name>
// in it once for each time it is set, or once. Keys that are set but unknown come last.
func (c *Config) Settings() []Setting {
	var set []string
	for _, s := range sections {
		set = append(set, c.Git.Keys(s)...)
	}
	var out []Setting
	known := map[string]bool{}
	for _, k := range Keys {
		matching := slices.DeleteFunc(slices.Clone(set), func(key string) bool { return !k.names(key) })
		if !strings.Contains(k.Name, "<") || len(matching) == 0 {
			out = append(out, c.setting(k, k.Name))
		}
		for _, key := range matching {
			if known[key] = true; strings.Contains(k.Name, "<") {
				out = append(out, c.setting(k, key))
			}
		}
	}
	for _, key := range set {
		if !known[key] {
			v, _ := c.Get(key)
			out = append(out, Setting{Key: key, Value: v, Scope: "unknown", Origin: c.Git.Origin(key).Place})
		}
	}
	return out
}

// setting returns the value in force of a key that row k describes.
func (c *Config) setting(k Key, key string) Setting {
	s := Setting{Key: k.spelled(key), Value: c.String(key), Default: k.Default, Doc: k.Doc, Kind: k.Kind}
	_, proposed := c.Proposed[strings.ToLower(key)]
	if _, set := c.Get(key); set {
		o := c.Git.Origin(key)
		s.Scope, s.Origin = o.Scope, o.Place
	} else if proposed {
		s.Scope, s.Origin = "repository", RepositoryConfig
	} else {
		s.Scope, s.Value = "default", k.Default
	}
	return s
}

// names reports whether a key fits this row of the table: <role> stands for a role, <name>
// for anything.
func (k Key) names(key string) bool {
	before, rest, variable := strings.Cut(k.Name, "<")
	if !variable {
		return strings.EqualFold(k.Name, key)
	}
	kind, after, _ := strings.Cut(rest, ">")
	at := len(key) - len(after)
	if at <= len(before) || !strings.EqualFold(key[:len(before)], before) || !strings.EqualFold(key[at:], after) {
		return false
	}
	name := key[len(before):at]
	return kind != "role" || slices.ContainsFunc(Roles, func(r agent.Role) bool { return string(r) == name })
}
