package proc

import (
	"cmp"
	"fmt"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// Tail keeps the first and the last part of its input, Size bytes in all (0: DefaultTail).
type Tail struct {
	Size int

	mu   sync.Mutex
	head []byte
	ring []byte
	pos  int
	full bool
	n    int64
}

// DefaultTail is how many bytes of a program's output are shown: half from the start, half from the end.
const DefaultTail = 16 << 10

// Write never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Size = cmp.Or(t.Size, DefaultTail)
	written, half := len(p), t.Size/2
	t.n += int64(written)
	if room := half - len(t.head); room > 0 {
		k := min(room, len(p))
		t.head, p = append(t.head, p[:k]...), p[k:]
	}
	if t.ring == nil && len(p) > 0 {
		t.ring = make([]byte, half)
	}
	if len(p) > half {
		p = p[len(p)-half:]
	}
	for len(p) > 0 {
		k := copy(t.ring[t.pos:], p)
		p = p[k:]
		if t.pos += k; t.pos == half {
			t.pos, t.full = 0, true
		}
	}
	return written, nil
}

// colors are what programs write that colour their output even if it is not a terminal: npx, FORCE_COLOR.
var colors = visible.NewPattern(`\x1b\[[0-9;:]*[mK]`)

// String returns the kept text, as valid UTF-8 and without its colours, and how many bytes are missing.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	head, tail := string(t.head), string(t.ring[:t.pos])
	if t.full {
		tail = string(t.ring[t.pos:]) + tail
	}
	missing := t.n - int64(len(head)) - int64(len(tail))
	if missing > 0 {
		if i := strings.LastIndexByte(head, '\n'); i > len(head)/2 {
			missing += int64(len(head) - i - 1)
			head = head[:i+1]
		}
		if i := strings.IndexByte(tail, '\n'); i >= 0 && i < len(tail)/2 {
			missing += int64(i + 1)
			tail = tail[i+1:]
		}
		head += fmt.Sprintf("\n[... %d bytes left out ...]\n", missing)
	}
	text := head + tail
	if strings.Contains(text, "\x1b[") {
		text = colors.ReplaceAllString(text, "")
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// Head keeps the first Max bytes of its input; Over says that there were more.
type Head struct {
	Max  int
	Text []byte
	Over bool
}

// Write never fails, so that no program is ended by its output.
func (h *Head) Write(p []byte) (int, error) {
	k := min(len(p), h.Max-len(h.Text))
	h.Text = append(h.Text, p[:k]...)
	h.Over = h.Over || k < len(p)
	return len(p), nil
}
