package cli

import "github.com/weft-flow/weft/internal/config"

// parseSize reads a size such as 512KiB, 10MiB, 2MB or a count of bytes.
func parseSize(text string) (int64, error) { return config.ParseSize(text) }
