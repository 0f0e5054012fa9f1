package lint

// Passed tells whether the file, whose content is data, is passed over in silence: it
// was found in a directory and is no Arazzo document.
func (in Input) Passed(data []byte) bool {
	return in.Found && !isArazzoName(in.Path) && !looksLikeArazzo(data)
}
