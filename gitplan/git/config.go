package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Config is the merged configuration that git sees, read once.
type Config struct {
	values   map[string][]string // all values by key, the one in force last
	kept     map[string][]string // the values without those of a command line (git -c)
	from     map[string]Origin   // the origin of the value in force, by key
	files    []string            // the files that were read, and those that git would read if they existed
	included []string            // the files that includes name
	read     map[string]bool     // the files that were read
}

// Origin is the source of a value: its scope (system, global, local, worktree, command) and file, as git prints them.
type Origin struct{ Scope, Place string }

// Config reads the configuration in force by one git process, which executes nothing that is configured.
func (r *Repo) Config(ctx context.Context) (*Config, error) {
	out, err := r.Ask(ctx, listConfig...)
	return parseConfig(r, out), err
}

var listConfig = []string{"config", "--list", "-z", "--includes", "--show-origin", "--show-scope"}

// Ask is Output for a query about the configuration, without our own settings. It executes nothing configured.
func (r *Repo) Ask(ctx context.Context, args ...string) (string, error) {
	out, err := r.Capture(ctx, Command{Args: args, isConfigQuery: true})
	return strings.TrimSuffix(out, "\n"), err
}

func parseConfig(r *Repo, out string) *Config {
	c := &Config{values: map[string][]string{}, kept: map[string][]string{}, from: map[string]Origin{},
		read: map[string]bool{}}
	fields := strings.Split(out, "\x00")
	for ; len(fields) >= 3; fields = fields[3:] {
		key, value, ok := strings.Cut(fields[2], "\n")
		if !ok {
			value = "true" // a key without "=" is true
		}
		c.values[key] = append(c.values[key], value)
		if fields[0] != "command" {
			c.kept[key] = append(c.kept[key], value)
		}
		c.from[key] = Origin{fields[0], fields[1]}
		if file, ok := strings.CutPrefix(fields[1], "file:"); ok {
			file = resolvePath(file, r.dir())
			c.files, c.read[file] = append(c.files, file), true
			if key == "include.path" || strings.HasPrefix(key, "includeif.") && strings.HasSuffix(key, ".path") {
				included := resolvePath(value, filepath.Dir(file))
				c.included, c.files = append(c.included, included), append(c.files, included) // it may be created later
			}
		}
	}
	home, _ := os.UserHomeDir()
	for _, f := range []string{
		filepath.Join(r.CommonDir, "config"), filepath.Join(r.GitDir, "config.worktree"), os.Getenv("GIT_CONFIG_GLOBAL"),
		filepath.Join(home, ".gitconfig"), filepath.Join(home, ".config", "git", "config"),
		filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "git", "config"),
	} {
		if filepath.IsAbs(f) {
			c.files = append(c.files, f)
		}
	}
	c.files = slices.Compact(slices.Sorted(slices.Values(c.files)))
	return c
}

// Expand returns the absolute path that a setting names, as git resolves it.
func (r *Repo) Expand(path string) string { return resolvePath(path, r.dir()) }

// resolvePath resolves a path in the configuration; a relative one starts at from.
func resolvePath(path, from string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home, _ := os.UserHomeDir()
		return filepath.Join(home, rest)
	}
	if !filepath.IsAbs(path) {
		return filepath.Join(from, path)
	}
	return path
}

// Files returns the files that the configuration was read from, and those that git would read if they existed.
func (c *Config) Files() []string { return c.files }

// InactiveIncludes returns the included files in a folder that were not read, so that Sums lacks their values.
func (c *Config) InactiveIncludes(in string) (out []string) {
	for _, file := range c.included {
		if rel, err := filepath.Rel(in, file); err == nil && filepath.IsLocal(rel) && !c.read[file] {
			out = append(out, file)
		}
	}
	return out
}

// Sums are hashes of the values by key, except those of git -c; so they contain no secret.
type Sums map[string]string

// Sums returns the hashes of all values, except those of git -c.
func (c *Config) Sums() Sums {
	out := make(Sums, len(c.kept))
	for key, values := range c.kept {
		sum := sha256.Sum256([]byte(strings.Join(values, "\x00")))
		out[key] = hex.EncodeToString(sum[:])
	}
	return out
}

// Differs returns the keys whose values differ, sorted, except those for which skip is true.
func (s Sums) Differs(now Sums, skip func(key string) bool) []string {
	all := maps.Clone(now)
	maps.Copy(all, s)
	maps.DeleteFunc(all, func(key, _ string) bool { return s[key] == now[key] || skip(key) })
	return slices.Sorted(maps.Keys(all))
}

// Get returns the value in force of a key, and whether it is set.
func (c *Config) Get(key string) (string, bool) {
	all := c.values[canonical(key)]
	if len(all) == 0 {
		return "", false
	}
	return all[len(all)-1], true
}

// Origin returns where the value in force of a key comes from.
func (c *Config) Origin(key string) Origin { return c.from[canonical(key)] }

// Keys returns the keys of a section that are set, sorted.
func (c *Config) Keys(section string) []string {
	prefix := strings.ToLower(section) + "."
	return slices.DeleteFunc(c.AllKeys(), func(key string) bool { return !strings.HasPrefix(key, prefix) })
}

// AllKeys returns all keys that are set, sorted.
func (c *Config) AllKeys() []string { return slices.Sorted(maps.Keys(c.values)) }

// All returns every value of a key, in git's order: the one in force is the last.
func (c *Config) All(key string) []string { return c.values[canonical(key)] }

// Bool returns a boolean as git reads it, or def if the key is not set or not a boolean.
func (c *Config) Bool(key string, def bool) bool {
	v, ok := c.Get(key)
	if !ok {
		return def
	}
	switch strings.ToLower(v) {
	case "true", "yes", "on", "1":
		return true
	case "false", "no", "off", "0", "":
		return false
	}
	return def
}

// Subsections returns each x for which a key section.x.variable is set, sorted.
func (c *Config) Subsections(section, variable string) []string {
	var out []string
	prefix, suffix := strings.ToLower(section)+".", "."+strings.ToLower(variable)
	for _, key := range c.AllKeys() {
		if strings.HasPrefix(key, prefix) && strings.HasSuffix(key, suffix) && len(key) > len(prefix)+len(suffix) {
			out = append(out, key[len(prefix):len(key)-len(suffix)])
		}
	}
	return out
}

// canonical returns a key with section and variable in lower case, and the subsection unchanged.
func canonical(key string) string {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first < 0 || first == last {
		return strings.ToLower(key)
	}
	return strings.ToLower(key[:first]) + key[first:last] + strings.ToLower(key[last:])
}

// SetConfig sets one key of this repository's own configuration.
func (r *Repo) SetConfig(ctx context.Context, key, value string) error {
	return r.Run(ctx, Command{Args: []string{"config", "--local", "--replace-all", key, value}})
}

// UnsetConfig removes one key from this repository's own configuration, if it is set.
func (r *Repo) UnsetConfig(ctx context.Context, key string) error {
	return Allow(5, r.Run(ctx, Command{Args: []string{"config", "--local", "--unset-all", key}})) // 5: it is not set
}
