package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/weft-flow/weft/lint"
)

// fixAll mends the inputs, writes those that have changed, and tells on standard
// error what was done.
func (f lintFlags) fixAll(ctx context.Context, inputs []lint.Input, stdio Stdio) (result lint.Result, unread error) {
	fixed, unread := lint.FixAll(ctx, withoutLinks(inputs, stdio.Err), f.options, f.shown())
	count, files := 0, 0
	for _, file := range fixed.Changed {
		if err := replaceFile(file.Path, file.Before, file.After); err != nil {
			unread = errors.Join(unread, fmt.Errorf("--fix: %w", err)) // the others are mended all the same
			continue
		}
		files++
		for _, done := range file.Fixed {
			at := done.Diagnostic.Span.Start
			fmt.Fprintf(stdio.Err, "fixed %s:%d:%d: %s [%s]\n", file.Path, at.Line, at.Column, done.Fix.Title, done.Diagnostic.Rule)
		}
		count += len(file.Fixed)
	}
	for _, refused := range fixed.Refused {
		fmt.Fprintf(stdio.Err, "not fixed in %s: what rule %s would have written is taken back, for then: %s\n", refused.Path, refused.Rule, refused.Why)
	}
	fmt.Fprintf(stdio.Err, "%s fixed in %s\n", plural(count, "finding"), plural(files, "file"))
	return fixed.Result, unread
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// errReadOnly tells that nobody may write a file: putting another in its place, which
// the folder may allow, is no way around that.
var errReadOnly = errors.New("it is read-only")

// errChanged tells that someone else has written a file.
var errChanged = errors.New("it has changed since it was read")

// replaceFile gives a file another content: whoever reads it meanwhile sees the old
// one or the new one, never a part. Its mode stays, and so does a link to it. It is
// an error if the file no longer has the content before.
func replaceFile(path string, before, after []byte) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write %s: %w", path, err)
		}
	}()
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o222 == 0 {
		return errReadOnly
	}
	if now, err := os.ReadFile(target); err != nil || string(now) != string(before) {
		return errors.Join(err, errChanged)
	}
	next, err := os.CreateTemp(filepath.Dir(target), ".weft-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(next.Name()))
		}
	}()
	_, err = next.Write(after)
	err = errors.Join(err, next.Chmod(info.Mode().Perm()), next.Sync(), next.Close())
	if err != nil {
		return err
	}
	return os.Rename(next.Name(), target)
}
