package plan

import (
	"maps"
	"strings"
	"testing"

	"github.com/emend-dev/emend/patch"
)

func TestExpectBySection(t *testing.T) {
	sections := []patch.Section{{Op: patch.Update, Path: "./a"}, {Op: patch.Move, Path: "d/../b", To: "c"}, {Op: patch.Update, Path: "a"}, {Op: patch.Add, Path: "/x"}}
	for _, tt := range []struct {
		name   string
		expect map[string]string
		want   map[string]string
		err    string
	}{
		{"none", nil, nil, ""},
		{"another spelling", map[string]string{"a": "1", "./b/": "2"}, map[string]string{"./a": "1", "a": "1", "d/../b": "2"}, ""},
		{"two spellings", map[string]string{"a": "1", "./a": "1"}, map[string]string{"./a": "1", "a": "1"}, ""},
		{"two hashes", map[string]string{"a": "1", "./a": "2"}, nil, `two different hashes are expected of "a"`},
		{"an absolute path", map[string]string{"/x": "1", "/y/../x": "1"}, map[string]string{"/x": "1"}, ""},
		{"is not a relative one", map[string]string{"x": "1"}, nil, `of "x", which no section`},
		{"a path of no section", map[string]string{"a": "1", "d": ""}, nil, `of "d", which no section`},
		{"a destination", map[string]string{"c": ""}, nil, `of "c", which no section`},
		{"no path", map[string]string{"": "1"}, nil, `of "", which no section`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ExpectBySection(sections, tt.expect)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("got %v, want a refusal that says %q", err, tt.err)
				}
				return
			}
			if err != nil || !maps.Equal(got, tt.want) {
				t.Errorf("got %v, %v, want %v", got, err, tt.want)
			}
		})
	}
}
