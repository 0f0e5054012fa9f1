package cli

import (
	"errors"
	"io/fs"
	"os"
)

// folderFlag is a flag that takes a folder, which must be there: what is looked for
// beneath one that is mistyped would be missed without a word.
type folderFlag string

// String writes the folder (pflag.Value).
func (f *folderFlag) String() string { return string(*f) }

// Set reads a folder (pflag.Value).
func (f *folderFlag) Set(text string) error {
	info, err := os.Stat(text)
	var cause *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("there is no such folder")
	case errors.As(err, &cause):
		return cause.Err
	case err != nil:
		return err
	case !info.IsDir():
		return errors.New("this is a file, expected a folder")
	}
	*f = folderFlag(text)
	return nil
}

// Type names what the flag takes (pflag.Value).
func (*folderFlag) Type() string { return "string" }
