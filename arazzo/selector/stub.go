package selector

func compileXPath(version, text string) (query, error) { panic("todo") }
