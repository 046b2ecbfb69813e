package git

import (
	"context"
	"strconv"
	"strings"
)

// Config is the merged configuration as git sees it, read once.
type Config struct{ values map[string][]string }

// Config reads the configuration in force, by one git process.
func (r *Repo) Config(ctx context.Context) (*Config, error) {
	out, err := r.Bytes(ctx, "config", "--list", "-z", "--includes")
	if err != nil {
		return nil, err
	}
	c := &Config{values: map[string][]string{}}
	for _, entry := range strings.Split(string(out), "\x00") {
		if entry == "" {
			continue
		}
		key, value, ok := strings.Cut(entry, "\n")
		if !ok {
			value = "true" // a key without "=" is true
		}
		c.values[key] = append(c.values[key], value)
	}
	return c, nil
}

// Get returns the value in force. Section and variable are matched without
// case, a subsection with it, as git does.
func (c *Config) Get(key string) (string, bool) {
	all := c.values[canonical(key)]
	if len(all) == 0 {
		return "", false
	}
	return all[len(all)-1], true
}

// Bool returns a boolean as git reads it, or def where the key is missing or is none.
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
	if n, err := strconv.Atoi(v); err == nil {
		return n != 0
	}
	return def
}

// Subsections are the names x of which a key section.x.variable exists.
func (c *Config) Subsections(section, variable string) []string {
	var out []string
	prefix, suffix := strings.ToLower(section)+".", "."+strings.ToLower(variable)
	for key := range c.values {
		if strings.HasPrefix(key, prefix) && strings.HasSuffix(key, suffix) && len(key) > len(prefix)+len(suffix) {
			out = append(out, key[len(prefix):len(key)-len(suffix)])
		}
	}
	return out
}

// canonical lower-cases section and variable, and leaves the subsection alone.
func canonical(key string) string {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first < 0 || first == last {
		return strings.ToLower(key)
	}
	return strings.ToLower(key[:first]) + key[first:last] + strings.ToLower(key[last:])
}

// SetConfig writes one key of this repository's own configuration.
func (r *Repo) SetConfig(ctx context.Context, key, value string) error {
	return r.Run(ctx, Command{Args: []string{"config", "--local", "--replace-all", key, value}})
}

// UnsetConfig removes one key of this repository's own configuration; a key
// that is not there is no error.
func (r *Repo) UnsetConfig(ctx context.Context, key string) error {
	err := r.Run(ctx, Command{Args: []string{"config", "--local", "--unset-all", key}})
	if Code(err) == 5 {
		return nil
	}
	return err
}
