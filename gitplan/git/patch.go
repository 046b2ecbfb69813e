package git

import (
	"bufio"
	"errors"
	"strconv"
	"strings"
)

// ReadPatch parses the output of WritePatch, which may be cut.
func ReadPatch(text string) *Diff {
	const begin = "diff --git "
	d := &Diff{}
	for _, part := range strings.Split("\n"+text, "\n"+begin)[1:] {
		names, head, _ := strings.Cut(part, "\n")
		f := FileDiff{Path: names[strings.LastIndex(names, " b/")+len(" b/"):], Status: 'M'}
		switch f.OldPath = f.Path; {
		case strings.HasPrefix(head, "new file"):
			f.Status = 'A'
		case strings.HasPrefix(head, "deleted file"):
			f.Status = 'D'
		}
		p := &patchReader{in: bufio.NewReader(strings.NewReader(begin + part)), memory: maxDiff}
		p.file(&f)
		d.Files = append(d.Files, f)
	}
	return d
}

// patchReader parses the output of git diff-tree --raw --patch -z as it arrives.
type patchReader struct {
	in     *bufio.Reader
	memory int // the memory that is left for lines, in bytes

	begin func(*Diff)     // the function of WalkDiff for all files; nil for a Diff in memory
	piece func(*FileDiff) // the function of WalkDiff that takes a piece, whose memory is then free

	// next is the line at which the next difference begins; empty for the last. A line of a patch cannot be mistaken
	// for it: the lines of files are counted, and git's own begin with words.
	next string
}

// diff reads records of the form ":oldmode newmode oldoid newoid status\0path\0[path\0]" and,
// after one more \0, their patches in the same order: two of them for a changed type.
func (p *patchReader) diff() *Diff {
	d := &Diff{}
	for p.peek(":") {
		f := strings.Fields(p.field()[1:])
		if len(f) != 5 {
			return d
		}
		fd := FileDiff{OldMode: f[0], NewMode: f[1], OldOID: f[2], NewOID: f[3], Status: f[4][0]}
		fd.Path = p.field()
		if fd.OldPath = fd.Path; fd.Status == 'R' || fd.Status == 'C' {
			fd.Path = p.field()
		}
		d.Files = append(d.Files, fd)
	}
	if p.peek("\x00") {
		_, _ = p.in.ReadByte()
	}
	if p.begin != nil {
		p.begin(d)
	}
	for i := range d.Files {
		f := &d.Files[i]
		p.file(f)
		if f.Status == 'T' {
			p.file(f)
		}
		if p.piece != nil {
			p.passPiece(f)
		}
	}
	return d
}

// passPiece passes the hunks so far to piece.
func (p *patchReader) passPiece(f *FileDiff) {
	p.piece(f)
	f.Hunks, f.Later, p.memory = nil, true, maxDiff
}

// field reads up to a NUL.
func (p *patchReader) field() string {
	s, _ := p.in.ReadString(0)
	return strings.TrimSuffix(s, "\x00")
}

// line reads one line without its newline: at most maxLine bytes of it; lost is the number of the other bytes.
func (p *patchReader) line() (text string, lost int, ok bool) {
	part, err := p.in.ReadSlice('\n')
	text = string(part)
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = p.in.ReadSlice('\n')
		lost += len(part)
	}
	return strings.TrimSuffix(text, "\n"), lost, err == nil || text != ""
}

// peek reports whether the rest of the output begins with prefix.
func (p *patchReader) peek(prefix string) bool {
	next, _ := p.in.Peek(len(prefix))
	return string(next) == prefix
}

// file reads the patch of one file, as far as memory allows.
func (p *patchReader) file(f *FileDiff) {
	const begin = "diff --git "
	if !p.peek(begin) {
		return
	}
	held := min(p.memory, maxFile)
	p.memory -= held
	for first := true; first || !p.peek(begin) && (p.next == "" || !p.peek(p.next)); first = false {
		line, _, ok := p.line()
		if !ok {
			break
		}
		if strings.HasPrefix(line, "@@ ") {
			held = p.hunk(f, line, held)
		}
	}
	p.memory += held
	if f.Binary {
		f.Hunks = nil
	}
}

// hunk reads as many lines as its header says, so that a line of a file cannot be mistaken for a header. It keeps them
// as far as room, in bytes, allows, and returns the rest of room.
func (p *patchReader) hunk(f *FileDiff, header string, room int) int {
	h, oldLeft, newLeft := parseHeader(header)
	oldLine, newLine := h.OldStart, h.NewStart
	for oldLeft > 0 || newLeft > 0 {
		line, lost, ok := p.line()
		if !ok {
			break
		}
		kind, text := byte(' '), ""
		if line != "" {
			kind, text = line[0], line[1:]
		}
		l := DiffLine{Kind: kind, Text: strings.TrimSuffix(text, "\r")}
		switch kind {
		case '+':
			l.New = newLine
			newLine, newLeft = newLine+1, newLeft-1
		case '-':
			l.Old = oldLine
			oldLine, oldLeft = oldLine+1, oldLeft-1
		case ' ':
			l.Old, l.New = oldLine, newLine
			oldLine, newLine, oldLeft, newLeft = oldLine+1, newLine+1, oldLeft-1, newLeft-1
		default: // "\ No newline at end of file"
			continue
		}
		f.Binary = f.Binary || strings.IndexByte(text, 0) >= 0
		if kind == '+' {
			f.Added += len(text) + 1 + lost
		}
		const perLine = 64 // the approximate size of a DiffLine without its text, in bytes
		room -= len(line) + perLine
		if room < 0 && p.piece != nil && !f.Binary {
			f.Hunks = append(f.Hunks, h)
			p.passPiece(f)
			h.OldStart, h.NewStart, h.Lines, room = oldLine, newLine, nil, maxFile
		}
		if room < 0 || f.Binary {
			f.Cut = f.Cut || !f.Binary
			continue
		}
		f.Cut = f.Cut || lost > 0
		h.Lines = append(h.Lines, l)
	}
	f.Hunks = append(f.Hunks, h)
	return max(room, 0)
}

// parseHeader reads "@@ -start,count +start,count @@ symbol".
func parseHeader(s string) (h Hunk, oldCount, newCount int) {
	f := strings.SplitN(s, " ", 5)
	if len(f) < 4 {
		return h, 0, 0
	}
	h.OldStart, oldCount = parseRange(f[1])
	h.NewStart, newCount = parseRange(f[2])
	if len(f) == 5 {
		h.Symbol = f[4]
	}
	return h, oldCount, newCount
}

func parseRange(s string) (start, count int) {
	first, second, ok := strings.Cut(s[1:], ",")
	start, _ = strconv.Atoi(first)
	if count = 1; ok {
		count, _ = strconv.Atoi(second)
	}
	return start, count
}
