package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"time"
)

// errOffline marks what was not tried because the network is not to be used.
var errOffline = errors.New("not tried, because the network is switched off (--offline)")

// ErrAbsent marks a place where there is nothing: the search goes on.
var ErrAbsent = errors.New("nothing there")

// reader gets the bytes of a location, within the limits of its loader.
type reader struct {
	client   *http.Client
	offline  bool
	maxBytes int64
	timeout  time.Duration
	through  func(context.Context, string, ReadFunc) ([]byte, string, error) // nil: none
}

// read gives the bytes of a file or http(s) URL and the URL that they came from
// in the end. An error that wraps ErrAbsent says that nothing is there.
func (r *reader) read(ctx context.Context, location string) ([]byte, string, error) {
	if r.through != nil {
		return r.through(ctx, location, r.readItself)
	}
	return r.readItself(ctx, location)
}

func (r *reader) readItself(ctx context.Context, location string) ([]byte, string, error) {
	u, err := url.Parse(location)
	if err != nil {
		return nil, "", fmt.Errorf("%s is no URL: %w", quote(location), err)
	}
	switch u.Scheme {
	case "file":
		data, err := r.readFile(ctx, filePath(u))
		return data, location, err
	case "http", "https":
		return r.fetch(ctx, location)
	default:
		return nil, "", fmt.Errorf("%w: a %s: URI names something, but not where it can be fetched", ErrAbsent, u.Scheme)
	}
}

func (r *reader) readFile(ctx context.Context, name string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w: no such file", ErrAbsent)
	case err != nil:
		return nil, reason(err)
	case info.IsDir():
		return nil, errors.New("it is a folder")
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no regular file") // a pipe or device would block, or never end
	case info.Size() > r.maxBytes:
		return nil, r.tooLarge()
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, reason(err)
	}
	defer f.Close()
	return r.readAll(f, info.Size())
}

// reason strips the path from an error of the file system: the message names it already.
func reason(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

func (r *reader) fetch(ctx context.Context, location string) ([]byte, string, error) {
	if r.offline {
		return nil, "", errOffline
	}
	ctx, cancel := context.WithTimeoutCause(ctx, r.timeout, fmt.Errorf("no answer within %s", r.timeout))
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, location, nil)
	if err != nil {
		return nil, "", err
	}
	request.Header.Set("Accept", "application/yaml, application/json, text/yaml;q=0.9, */*;q=0.5")
	response, err := r.client.Do(request)
	if err != nil {
		return nil, "", fetchFailure(ctx, err)
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusNotFound || response.StatusCode == http.StatusGone {
		return nil, "", fmt.Errorf("%w: the server answered %s", ErrAbsent, response.Status)
	}
	if response.StatusCode != http.StatusOK {
		return nil, "", fmt.Errorf("the server answered %s", response.Status)
	}
	data, err := r.readAll(response.Body, response.ContentLength)
	if err != nil {
		return nil, "", fetchFailure(ctx, err)
	}
	return data, withoutFragment(response.Request.URL).String(), nil
}

// fetchFailure says why a fetch failed without repeating the URL.
func fetchFailure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var at *url.Error
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// readAll reads to the end, or to the limit.
func (r *reader) readAll(from io.Reader, size int64) ([]byte, error) {
	if size > r.maxBytes {
		return nil, r.tooLarge()
	}
	limited := io.LimitReader(from, r.maxBytes+1)
	data := make([]byte, 0, max(size, 0)+512)
	for {
		n, err := limited.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if int64(len(data)) > r.maxBytes {
			return nil, r.tooLarge()
		}
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}

func (r *reader) tooLarge() error {
	return fmt.Errorf("it is larger than the limit of %s", bytesText(r.maxBytes))
}

func bytesText(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	default:
		return fmt.Sprintf("%d bytes", n)
	}
}
