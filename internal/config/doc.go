// Package config reads weft.yaml: what a user knows of each source (its server,
// credentials, certificates, idempotency keys), how runs are made, and how documents
// are linted. It owns the typed Config, the place of each setting, and every fault
// of the file.
//
// It imports arazzo (for the tree with places), arazzo/value and idempotency, and
// must never hold business rules: it says what was configured, and others what
// follows. It sends nothing, and opens no file but the one that it reads.
package config
