package git

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/proc"
)

// Object is one git object.
type Object struct {
	OID, Type string
	Data      []byte
}

// reader is one kept `git cat-file --batch`: 2.5 ms to start, 0.1 ms a read,
// never stale, in every kind of repository.
type reader struct {
	repo *Repo
	mu   sync.Mutex
	in   io.WriteCloser
	out  *bufio.Reader
	wait func() error
}

// Read returns the object that name means: an object name, "HEAD", "<ref>",
// "<commit>:<path>" and so on. ErrMissing says that there is none.
func (r *Repo) Read(ctx context.Context, name string) (Object, error) {
	if err := ctx.Err(); err != nil {
		return Object{}, err
	}
	if strings.ContainsAny(name, "\n\x00") {
		return r.readOdd(ctx, name)
	}
	return r.objects.read(name)
}

// readOdd reads what cannot be asked for on a line, a path with a newline.
func (r *Repo) readOdd(ctx context.Context, name string) (Object, error) {
	oid, err := r.Output(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name)
	if err != nil {
		return Object{}, ErrMissing
	}
	return r.objects.read(oid)
}

func (d *reader) read(name string) (Object, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.start(); err != nil {
		return Object{}, err
	}
	o, err := d.ask(name)
	if err != nil && err != ErrMissing {
		d.drop() // out of step: the next read starts afresh
	}
	return o, err
}

// start starts the process if there is none.
func (d *reader) start() error {
	if d.in != nil {
		return nil
	}
	in, out, wait, err := proc.Pipe(proc.Cmd{
		Name: "git", Outside: true, Args: []string{"cat-file", "--batch"},
		Dir: d.repo.dir(), Env: append(d.repo.environ(Command{}), "LC_ALL=C"), Apart: true,
	})
	if err == nil {
		d.in, d.out, d.wait = in, bufio.NewReaderSize(out, 64<<10), wait
	}
	return err
}

func (d *reader) ask(name string) (o Object, err error) {
	o, size, err := d.head(name)
	if err != nil {
		return o, err
	}
	data := make([]byte, size+1) // and a newline
	if _, err := io.ReadFull(d.out, data); err != nil {
		return Object{}, fmt.Errorf("git cat-file: %w", err)
	}
	o.Data = data[:size]
	return o, nil
}

// head asks for an object and reads what git says before its bytes.
func (d *reader) head(name string) (o Object, size int, err error) {
	if _, err := io.WriteString(d.in, name+"\n"); err != nil {
		return o, 0, fmt.Errorf("git cat-file: %w", err)
	}
	head, err := d.out.ReadString('\n')
	if err != nil {
		return o, 0, fmt.Errorf("git cat-file: %w", err)
	}
	head = strings.TrimSuffix(head, "\n")
	rest, ok := strings.CutPrefix(head, name+" ")
	if ok && (rest == "missing" || rest == "ambiguous") {
		return o, 0, ErrMissing
	}
	f := strings.Fields(head)
	if len(f) != 3 {
		return o, 0, fmt.Errorf("git cat-file: unexpected answer %q", head)
	}
	if size, err = strconv.Atoi(f[2]); err != nil {
		return o, 0, fmt.Errorf("git cat-file: unexpected answer %q", head)
	}
	return Object{OID: f[0], Type: f[1]}, size, nil
}

// drop lets the process end. Nobody waits for that, since it holds nothing.
func (d *reader) drop() {
	if d.in != nil {
		_ = d.in.Close()
		go d.wait()
		d.in = nil
	}
}

func (d *reader) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.drop()
}

// Resolve returns the full name of the object that name means.
func (r *Repo) Resolve(ctx context.Context, name string) (string, error) {
	o, err := r.ReadOnly(ctx, "", name)
	return o.OID, err
}

// ReadOnly is Read, but of an object of another type than kind, and of one that is too
// large to be held, it holds no bytes: Data is nil.
func (r *Repo) ReadOnly(ctx context.Context, kind, name string) (o Object, err error) {
	if err := ctx.Err(); err != nil {
		return Object{}, err
	}
	if strings.ContainsAny(name, "\n\x00") {
		return r.readOdd(ctx, name)
	}
	d := r.objects
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.start(); err != nil {
		return Object{}, err
	}
	o, size, err := d.head(name)
	if err == nil && o.Type == kind && size <= maxContents {
		o.Data = make([]byte, size)
		_, err = io.ReadFull(d.out, o.Data)
		size = 0
	}
	if err == nil {
		_, err = io.CopyN(io.Discard, d.out, int64(size)+1) // and a newline
	}
	if err != nil && err != ErrMissing {
		d.drop() // out of step: the next read starts afresh
	}
	return o, err
}

// ReadCommit reads and parses one commit.
func (r *Repo) ReadCommit(ctx context.Context, name string) (Commit, error) {
	o, err := r.Read(ctx, name+"^{commit}")
	if err != nil {
		return Commit{}, err
	}
	return parseCommit(o.OID, string(o.Data)), nil
}

func parseCommit(oid, data string) Commit {
	c := Commit{OID: oid}
	head, body, _ := strings.Cut(data, "\n\n")
	for _, line := range strings.Split(head, "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "tree":
			c.Tree = value
		case "parent":
			c.Parents = append(c.Parents, value)
		case "committer":
			c.Time = isoTime(value)
		}
	}
	c.Message = body
	return c
}
