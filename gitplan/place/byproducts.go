package place

import (
	"slices"
)

// withoutByproducts notes the files that came while checks ran, and returns
// those of the session that are still there.
func (p *Place) withoutByproducts(before, after []string) []string {
	var out []string
	for _, path := range after {
		if slices.Contains(before, path) {
			out = append(out, path)
		} else {
			p.byproducts[path] = true
		}
	}
	return out
}
