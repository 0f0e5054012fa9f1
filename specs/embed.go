package specs

import _ "embed"

// The URIs that the schemas give themselves ($id). They name, they do not
// locate: nothing is ever fetched from them.
const (
	Arazzo10ID   = "https://github.com/weft-flow/weft/specs/arazzo-1.0.schema.json"
	Arazzo11ID   = "https://github.com/weft-flow/weft/specs/arazzo-1.1.schema.json"
	ExtensionsID = "https://github.com/weft-flow/weft/specs/x-weft.schema.json"
)

//go:embed arazzo-1.0.schema.json
var arazzo10 string

//go:embed arazzo-1.1.schema.json
var arazzo11 string

//go:embed x-weft.schema.json
var extensions string

// Arazzo10 gives the JSON Schema (2020-12) of Arazzo 1.0 documents. It refers to
// the schema of the extensions.
func Arazzo10() string { return arazzo10 }

// Arazzo11 gives the JSON Schema (2020-12) of Arazzo 1.1 documents. It refers to
// the schema of the extensions.
func Arazzo11() string { return arazzo11 }

// Extensions gives the JSON Schema (2020-12) of the x-weft- extensions.
func Extensions() string { return extensions }
