package specs

import "embed"

// OrderFlow holds the bundled order flow: a folder orderflow with an Arazzo 1.1
// document, the OpenAPI 3.1 descriptions that it builds on, and a README. A new
// project starts from a copy of it.
//
//go:embed orderflow
var OrderFlow embed.FS
