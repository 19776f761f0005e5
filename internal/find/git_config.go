package find

import (
	"os"
	"path/filepath"
	"strings"
)

// GlobalExcludes returns the text of the person's excludes file for all repositories: the one that git's configuration of the
// system or of the person names as core.excludesFile, otherwise git/ignore in the configuration directory. Configuration
// files that are included by others are not read.
func GlobalExcludes() []byte {
	home, _ := os.UserHomeDir()
	file := excludesPath(home, configDir(home))
	if file == "" {
		return nil
	}
	return readAt(file)
}

// configDir returns the person's configuration directory.
func configDir(home string) string {
	config := os.Getenv("XDG_CONFIG_HOME")
	if config == "" && home != "" {
		config = filepath.Join(home, ".config")
	}
	return config
}

// excludesPath returns the absolute path of the excludes file, or "".
func excludesPath(home, config string) string {
	file, said := "", false
	for _, path := range gitConfigs(home, config) {
		if v, ok := excludesFileIn(string(readAt(path))); ok {
			file, said = v, true
		}
	}
	if rest, ok := strings.CutPrefix(file, "~/"); ok && home != "" {
		file = filepath.Join(home, rest)
	}
	if !said && config != "" {
		file = filepath.Join(config, "git", "ignore")
	}
	if !filepath.IsAbs(file) {
		return ""
	}
	return file
}

// gitConfigs lists the files of git's configuration, the most important last.
func gitConfigs(home, config string) (out []string) {
	if os.Getenv("GIT_CONFIG_NOSYSTEM") == "" {
		out = append(out, "/etc/gitconfig")
	}
	if path, ok := os.LookupEnv("GIT_CONFIG_GLOBAL"); ok {
		return append(out, path)
	}
	if config != "" {
		out = append(out, filepath.Join(config, "git", "config"))
	}
	if home != "" {
		out = append(out, filepath.Join(home, ".gitconfig"))
	}
	return out
}

// excludesFileIn returns the last core.excludesFile in the text of a configuration file.
func excludesFileIn(text string) (value string, ok bool) {
	core := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if rest, is := strings.CutPrefix(line, "["); is {
			var name string
			name, line, _ = strings.Cut(rest, "]")
			core = strings.EqualFold(strings.TrimSpace(name), "core")
			line = strings.TrimSpace(line)
		}
		key, v, is := strings.Cut(line, "=")
		if core && is && strings.EqualFold(strings.TrimSpace(key), "excludesfile") {
			value, ok = configValue(v), true
		}
	}
	return value, ok
}

// configValue removes the quotes, the escapes and the comment from a value.
func configValue(v string) string {
	var b strings.Builder
	quoted, kept := false, 0
	v = strings.TrimSpace(v)
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case c == '\\' && i+1 < len(v):
			i++
			b.WriteByte(v[i])
			kept = b.Len()
		case c == '"':
			quoted = !quoted
			kept = b.Len()
		case !quoted && (c == '#' || c == ';'):
			return b.String()[:kept]
		default:
			b.WriteByte(c)
			if quoted || c != ' ' && c != '\t' {
				kept = b.Len()
			}
		}
	}
	return b.String()[:kept]
}
