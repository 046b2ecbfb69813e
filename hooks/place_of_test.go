package hooks

import "testing"

// Many fetch by https and push by ssh: that is one place. Whatever is not plainly the
// same is another.
func TestAPlaceIsItsHostAndPath(t *testing.T) {
	for _, row := range []struct {
		a, b string
		same bool
	}{
		{"https://github.com/a/b.git", "git@github.com:a/b.git", true},
		{"https://github.com/a/b", "ssh://git@GitHub.com/a/b.git", true},
		{"../x.git", "../x.git", true},
		{"https://github.com/a/b.git", "git@github.com:a/c.git", false},
		{"https://github.com/a/b.git", "git@gitlab.com:a/b.git", false},
		{"https://example.com/a/b.git", "https://example.com:8443/a/b.git", false},
		{"https://example.com/a/b.git?x", "https://example.com/a/b.git", false},
		{"../x.git", "../x", false},
		{"", "../x", false},
		{"host:/a/b", "https://host/a/b", false},
		{"ext::sh -c x", "ext::sh -c y", false},
		{"github.com/a:b", "https://github.com/a/b", false},
	} {
		if got := samePlace(row.a, row.b); got != row.same {
			t.Errorf("%q and %q: %v", row.a, row.b, got)
		}
	}
}
