package tools

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"os"
	"sync"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// outputPrefix names, for read_file, what commands wrote in full.
const outputPrefix = "output:"

// maxOutput is how much of one command's output is kept, in bytes: more than read_file reads
// would be useless.
const maxOutput = maxFile

// outputs keeps the output of commands that is longer than what is shown, in a folder outside
// the work tree that is removed with the session. It is opened through os.Root, so that a link
// in it leads nobody out.
type outputs struct {
	mu     sync.Mutex
	root   *os.Root // nil until something is kept
	remove func()
}

// output is what one command writes: it goes to a file once it is more than shown.
type output struct {
	proc.Tail
	keep *outputs

	begin []byte // until there is a file
	file  *os.File
	n     int
	sum   hash.Hash
	full  bool // all of it is in the file
}

func (o *outputs) begin(size int) *output {
	return &output{Tail: proc.Tail{Size: size}, keep: o, sum: sha256.New(), full: true}
}

// Write never fails: what cannot be kept is shown as far as it is shown.
func (o *output) Write(p []byte) (int, error) {
	_, _ = o.Tail.Write(p)
	o.n += len(p)
	switch {
	case !o.full:
	case o.n <= o.Size:
		o.begin = append(o.begin, p...)
	case o.n > maxOutput:
		o.drop()
	default:
		if err := o.spill(p); err != nil {
			o.drop()
		}
	}
	return len(p), nil
}

func (o *output) spill(p []byte) (err error) {
	if o.file == nil {
		if o.file, err = o.keep.create(); err != nil {
			return err
		}
		p, o.begin = append(o.begin, p...), nil
	}
	o.sum.Write(p)
	_, err = o.file.Write(p)
	return err
}

// drop forgets the file: half of an output would be taken for all of it.
func (o *output) drop() {
	o.full, o.begin = false, nil
	if o.file != nil {
		o.file.Close()
		_ = o.keep.root.Remove(unfinished)
		o.file = nil
	}
}

// name ends the output and returns the name by which read_file finds all of it; "" if it is
// shown in full, or was too long to be kept. The same output has the same name, so that a
// repeated call is still recognised.
func (o *output) name() string {
	if o.file == nil {
		return ""
	}
	name := hex.EncodeToString(o.sum.Sum(nil)[:6])
	o.file.Close()
	if o.keep.root.Rename(unfinished, name) != nil {
		return ""
	}
	return outputPrefix + name
}

// unfinished is the file of the command that runs: commands run one after the other.
const unfinished = "now"

func (o *outputs) create() (*os.File, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.root == nil {
		dir, remove, err := disk.TempFolder("outputs")
		if err != nil {
			return nil, err
		}
		if o.root, err = os.OpenRoot(dir); err != nil {
			remove()
			return nil, err
		}
		o.remove = remove
	}
	return o.root.OpenFile(unfinished, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
}

// read returns a kept output.
func (o *outputs) read(name string) ([]byte, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if b, err := hex.DecodeString(name); err == nil && len(b) == 6 && o.root != nil {
		if text, err := o.root.ReadFile(name); err == nil {
			return text, nil
		}
	}
	return nil, fmt.Errorf("there is no %s%s", outputPrefix, agent.OneLine(name, 80))
}

func (o *outputs) close() {
	if o.root != nil {
		o.root.Close()
		o.remove()
	}
}
