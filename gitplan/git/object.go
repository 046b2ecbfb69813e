package git

import (
	"bufio"
	"context"
	"io"
	"strings"

	"github.com/git-plan/git-plan/gitplan/proc"
)

// Read returns the object that name refers to: an object name, "HEAD", "<ref>",
// "<commit>:<path>" and so on. The error is ErrMissing if there is none.
func (r *Repo) Read(ctx context.Context, name string) (Object, error) {
	if err := ctx.Err(); err != nil {
		return Object{}, err
	}
	if oddName(name) {
		return r.readOdd(ctx, name)
	}
	return r.read(name)
}

// oddName reports whether cat-file --batch would read another name: a line ends at a newline, and git
// takes a carriage return before it away.
func oddName(name string) bool { return strings.ContainsAny(name, "\n\r\x00") }

// readOdd reads an object whose name cat-file --batch cannot be told.
func (r *Repo) readOdd(ctx context.Context, name string) (Object, error) {
	oid, err := r.Output(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name)
	if err != nil {
		return Object{}, ErrMissing
	}
	return r.read(oid)
}

func (r *Repo) read(name string) (Object, error) {
	d := r.objects
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := r.startReader(); err != nil {
		return Object{}, err
	}
	o, err := d.ask(name)
	if err != nil && err != ErrMissing {
		d.drop() // out of step: the next read starts another
	}
	return o, err
}

// startReader starts the process that reads objects, unless it runs.
func (r *Repo) startReader() error {
	d := r.objects
	if d.in != nil {
		return nil
	}
	in, out, wait, err := proc.Pipe(proc.Cmd{
		Name: "git", Outside: true, Args: []string{"cat-file", "--batch"},
		Dir: r.dir(), Env: append(r.environ(Command{}), "LC_ALL=C"), Apart: true,
	})
	if err == nil {
		d.in, d.out, d.wait = in, bufio.NewReaderSize(out, 64<<10), wait
	}
	return err
}

// Resolve returns the full name of the object that name refers to, or ErrMissing.
func (r *Repo) Resolve(ctx context.Context, name string) (string, error) {
	o, err := r.ReadOnly(ctx, "", name)
	return o.OID, err
}

// maxContents is how large a blob may be, in bytes, to be held as a whole for a rule.
const maxContents = 16 << 20

// ReadOnly is Read, but Data is nil unless the object is of the type kind and at most 16 MiB.
func (r *Repo) ReadOnly(ctx context.Context, kind, name string) (o Object, err error) {
	if err := ctx.Err(); err != nil {
		return Object{}, err
	}
	if oddName(name) {
		return r.readOdd(ctx, name)
	}
	d := r.objects
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := r.startReader(); err != nil {
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
		d.drop() // out of step: the next read starts another
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

// Paths lists the files of a commit or tree, by one git process.
func (r *Repo) Paths(ctx context.Context, name string) ([]string, error) {
	out, err := r.Bytes(ctx, "ls-tree", "-r", "-z", "--name-only", "--full-tree", "--end-of-options", name)
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), err
}
