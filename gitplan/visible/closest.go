package visible

import "strings"

// Closest returns where in a text those lines begin, from 0, that are most like wanted; -1 if less than half is alike.
func Closest(lines, wanted []string) int {
	const most = 1 << 22 // comparisons of lines
	best, at := 0.0, -1
	for i := 0; i+len(wanted) <= len(lines) && len(lines)*len(wanted) <= most; i++ {
		like := 0.0
		for j, w := range wanted {
			like += Likeness(lines[i+j], w)
		}
		if like > best {
			best, at = like, i
		}
	}
	if best*2 < float64(len(wanted)) {
		return -1
	}
	return at
}

// Likeness returns how much of two lines begins and ends alike, blanks at their ends aside: from 0 to 1.
func Likeness(a, b string) float64 {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	most, least, same := max(len(a), len(b)), min(len(a), len(b)), 0
	for same < least && a[same] == b[same] {
		same++
	}
	for end := 0; same < least && a[len(a)-1-end] == b[len(b)-1-end]; end++ {
		same++
	}
	if most == 0 || same*2 < most {
		return 0
	}
	return float64(same) / float64(most)
}
