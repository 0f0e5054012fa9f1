package durable

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// inlineRecord is the size in bytes up to which a record stands in the journal. A
// larger one stands beside it and is named by its digest.
const inlineRecord = 64 << 10

// The first byte of a record tells where it is.
const (
	openRecord   = '=' // JSON follows
	sealedRecord = '*' // base64 of what is encrypted follows
	bodyRecord   = '#' // the digest of a body in hexadecimal follows
)

// write gives the text of a record of a run, and puts a large one beside the journal:
// through c, which may be the transaction of the record.
func (s *Store) write(ctx context.Context, c conn, run string, record any) (string, error) {
	data, err := json.Marshal(record)
	if err != nil {
		return "", fmt.Errorf("write a record: %w", err)
	}
	switch {
	case len(data) > inlineRecord:
		kept := s.seal.close(run, data)
		name := sha256.Sum256(kept)
		err := s.patiently(ctx, c == conn(s.db), func() error {
			_, err := c.exec(ctx, "INSERT INTO weft_body (run, digest, data) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", run, name[:], kept)
			return err
		})
		if err != nil {
			return "", fmt.Errorf("keep a large record: %w", err)
		}
		return string(bodyRecord) + hex.EncodeToString(name[:]), nil
	case s.seal != nil:
		return string(sealedRecord) + base64.StdEncoding.EncodeToString(s.seal.close(run, data)), nil
	default:
		return string(openRecord) + string(data), nil
	}
}

// patiently does again what failed, if it may be, until it is done or the execution
// ends: what is to be recorded has happened, and must not be lost because the database
// is away.
func (s *Store) patiently(ctx context.Context, again bool, do func() error) error {
	const longest = 5 * time.Second
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, longest) {
		err := do()
		if err == nil || !again || ctx.Err() != nil {
			return err
		}
		s.log.Warn("the database takes no record", "error", err)
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// read reads what write gave.
func (s *Store) read(ctx context.Context, run, text string, into any) error {
	if text == "" {
		return errors.New("a record is empty")
	}
	var data []byte
	var err error
	switch mark, rest := text[0], text[1:]; mark {
	case openRecord:
		data = []byte(rest)
	case sealedRecord:
		if data, err = base64.StdEncoding.DecodeString(rest); err == nil {
			data, err = s.seal.open(run, data)
		}
	case bodyRecord:
		data, err = s.body(ctx, run, rest)
	default:
		err = fmt.Errorf("a record begins with %q", mark)
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("read a record: %w", err)
	}
	return nil
}

func (s *Store) body(ctx context.Context, run, name string) ([]byte, error) {
	digest, err := hex.DecodeString(name)
	if err != nil {
		return nil, err
	}
	var kept []byte
	found, err := one(ctx, s.db, "SELECT data FROM weft_body WHERE run = $1 AND digest = $2", []any{run, digest}, &kept)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, fmt.Errorf("the body %s of a record is missing", name)
	}
	return s.seal.open(run, kept)
}
