package hint

import "testing"

func TestSay(t *testing.T) {
	all := Agent(func(string, string) bool { return true })
	none := Agent(func(string, string) bool { return false })
	for _, tt := range []struct{ hint, terminal, all, none string }{
		{"Send it again.", "Send it again.", "Send it again.", "Send it again."},
		{"With ‹lenient› it applies.", "With --lenient it applies.", "With lenient: true it applies.", "With lenient: true it applies."},
		{"Leave it out‹idempotent:, or send {}, which skips it›.", "Leave it out, or send --idempotent, which skips it.",
			"Leave it out, or send idempotent: true, which skips it.", "Leave it out."},
		{"‹Run doctor›. Then ‹run recover›.", "Run emend doctor. Then run emend recover.",
			"Ask a person to run emend doctor. Then ask a person to run emend recover.", "Ask a person to run emend doctor. Then ask a person to run emend recover."},
		{"A person can raise ‹option max-file›.", "A person can raise --max-file.", "A person can raise emend's option max-file.", "A person can raise emend's option max-file."},
		{"‹what is this› and ‹", "‹what is this› and ‹", "‹what is this› and ‹", "‹what is this› and ‹"},
		{"‹ and ‹lenient›", "‹ and --lenient", "‹ and lenient: true", "‹ and lenient: true"},
	} {
		for name, r := range map[string]struct {
			Reader
			want string
		}{"terminal": {Reader{}, tt.terminal}, "all": {all, tt.all}, "none": {none, tt.none}} {
			if got := r.Say(tt.hint); got != r.want {
				t.Errorf("%s: %q, want %q", name, got, r.want)
			}
		}
	}
}

// A reader that has other names for arguments reads those.
func TestNaming(t *testing.T) {
	agent := Agent(func(string, string) bool { return true })
	for _, tt := range []struct {
		Reader
		want string
	}{
		{Reader{}, "Send --new again."},
		{agent, "Send newText again."},
		{agent.Naming(map[string]string{"newText": "new_str"}), "Send new_str again."},
	} {
		if got := tt.Say("Send ‹newText› again."); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
