package cli

import (
	"io"
	"log/slog"
	"strings"

	"github.com/weft-flow/weft/arazzo/source"
)

// newLogger gives a logger that writes what is of a level or above; one that writes
// nothing where no level is asked for.
func newLogger(level string, to io.Writer) (*slog.Logger, error) {
	if level == "" {
		return slog.New(slog.DiscardHandler), nil
	}
	levels := map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}
	least, ok := levels[strings.ToLower(level)]
	if !ok {
		return nil, usage("--log-level %s: expected debug, info, warn or error", level)
	}
	return slog.New(slog.NewTextHandler(to, &slog.HandlerOptions{Level: least})), nil
}

// logDocument tells where what a document is run with comes from.
func (s *session) logDocument(d document, set *source.Set, settings settings) {
	if settings.file != nil {
		s.log.Info("configuration", "document", d.path, "file", settings.file.Path)
	}
	names := source.NamesOf(set)
	names.Each(func(description *source.Description) {
		s.log.Info("source", "document", d.path, "name", names.Qualified(description), "type", description.Type, "location", source.Display(description.Location))
	})
}
