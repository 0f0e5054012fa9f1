package lint

import "testing"

func TestGlobs(t *testing.T) {
	tests := []struct {
		pattern string
		match   []string
		not     []string
	}{
		{"a.yaml", []string{"a.yaml", "a.yaml/b"}, []string{"b/a.yaml", "a.yamlx", "xa.yaml", "aXyaml"}},
		{"drafts", []string{"drafts", "drafts/a.yaml", "drafts/b/c.yaml"}, []string{"drafts2/a.yaml", "x/drafts/a.yaml"}},
		{"./drafts/", []string{"drafts/a.yaml"}, nil},
		{"drafts/*.yaml", []string{"drafts/a.yaml", "drafts/.yaml"}, []string{"drafts/b/a.yaml", "drafts/a.json"}},
		{"third-party/**", []string{"third-party/a", "third-party/a/b/c"}, []string{"third-party", "third-partya/b"}},
		{"**/gen/*.json", []string{"gen/a.json", "x/gen/a.json", "x/y/gen/a.json"}, []string{"xgen/a.json", "gen/x/a.json"}},
		{"a/**/b.yaml", []string{"a/b.yaml", "a/x/y/b.yaml"}, []string{"a/xb.yaml"}},
		{"v?.yaml", []string{"v1.yaml", "vé.yaml"}, []string{"v10.yaml", "v/.yaml"}},
		{"v[0-2].yaml", []string{"v1.yaml"}, []string{"v3.yaml"}},
		{"v[!0-2].yaml", []string{"v3.yaml"}, []string{"v1.yaml"}},
		{"a(b)+.yaml", []string{"a(b)+.yaml"}, []string{"abb.yaml"}},
		{"../other/*.yaml", []string{"../other/a.yaml"}, []string{"other/a.yaml"}},
	}
	for _, test := range tests {
		glob, err := compileGlob(test.pattern)
		if err != nil {
			t.Errorf("%s: %v", test.pattern, err)
			continue
		}
		for _, path := range test.match {
			if !glob.MatchString(path) {
				t.Errorf("%s does not match %s", test.pattern, path)
			}
		}
		for _, path := range test.not {
			if glob.MatchString(path) {
				t.Errorf("%s matches %s", test.pattern, path)
			}
		}
	}
	for _, pattern := range []string{"", "/", "a[", "a[]", "a[z-a]"} {
		if _, err := compileGlob(pattern); err == nil {
			t.Errorf("%q is taken", pattern)
		}
	}
}
