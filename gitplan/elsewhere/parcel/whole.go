package parcel

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// What a pack that comes back may hold, in bytes and objects.
const (
	maxObjects = 200_000
	maxTree    = 16 << 20 // of one object that is no blob: git reads it whole
	maxWhole   = 1 << 30  // of all objects together
)

// whole copies a pack, and fails before anything is copied that a small pack could grow by: an
// object that is made of another one, or that is too large.
func whole(format string, in io.Reader, out io.Writer) error {
	p := &passing{in: bufio.NewReaderSize(in, 64<<10), out: bufio.NewWriterSize(out, 64<<10)}
	var head [12]byte
	if _, err := io.ReadFull(p, head[:]); err != nil {
		return err
	}
	count := binary.BigEndian.Uint32(head[8:])
	if !bytes.Equal(head[:8], []byte("PACK\x00\x00\x00\x02")) {
		return errors.New("it is no pack")
	}
	if count > maxObjects {
		return fmt.Errorf("it has %d objects, and may have %d", count, maxObjects)
	}
	left := int64(maxWhole)
	for range count {
		if err := p.object(&left); err != nil {
			return err
		}
	}
	sum := make([]byte, 20)
	if format == "sha256" {
		sum = make([]byte, 32)
	}
	if _, err := io.ReadFull(p, sum); err != nil {
		return err
	}
	if _, err := p.in.ReadByte(); err != io.EOF {
		return errors.Join(errors.New("something follows it"), err)
	}
	return p.out.Flush()
}

// object passes one object on.
func (p *passing) object(left *int64) error {
	kind, size, err := p.header()
	if err != nil {
		return err
	}
	const commit, blob, tag = 1, 3, 4
	switch {
	case kind < commit || kind > tag:
		return errors.New("it has an object that is made of another one")
	case kind != blob && size > maxTree:
		return fmt.Errorf("it has a tree of %d bytes", size)
	case size > *left:
		return fmt.Errorf("what is in it is larger than %d MiB", maxWhole>>20)
	}
	*left -= size
	z, err := zlib.NewReader(p)
	if err != nil {
		return err
	}
	if n, err := io.Copy(io.Discard, io.LimitReader(z, size+1)); err != nil || n != size {
		return errors.Join(errors.New("it has an object of another size than it says"), err)
	}
	return nil
}

// header reads what an object is, and how large.
func (p *passing) header() (kind byte, size int64, err error) {
	b, err := p.ReadByte()
	kind, size = b>>4&7, int64(b&15)
	for shift := 4; err == nil && b&0x80 != 0; shift += 7 {
		if shift > 40 {
			return 0, 0, errors.New("it has an object without a size")
		}
		b, err = p.ReadByte()
		size |= int64(b&127) << shift
	}
	return kind, size, err
}

// passing copies what is read of it, byte for byte: nothing is read ahead.
type passing struct {
	in  *bufio.Reader
	out *bufio.Writer
}

func (p *passing) ReadByte() (byte, error) {
	b, err := p.in.ReadByte()
	if err == nil {
		err = p.out.WriteByte(b)
	}
	return b, err
}

func (p *passing) Read(b []byte) (int, error) {
	n, err := p.in.Read(b)
	if n > 0 {
		if _, werr := p.out.Write(b[:n]); werr != nil {
			return n, werr
		}
	}
	return n, err
}
