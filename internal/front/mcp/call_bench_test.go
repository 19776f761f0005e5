package mcp

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/tool"
)

// BenchmarkCalls makes one call at a time through the whole server, for profiling. bench/mcp compares it with others.
func BenchmarkCalls(b *testing.B) {
	dir := b.TempDir()
	for i := range 1000 {
		text := strings.Repeat("a line of the file that says what it always said, and nobody ever changes it\n", 44)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%04d.txt", i)), []byte(text), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	for name, arguments := range map[string]func(i int) string{
		"read_file":      func(int) string { return `{"path":"file0007.txt"}` },
		"list_directory": func(int) string { return `{"path":"."}` },
		"search_files":   func(int) string { return `{"query":"*7.txt","mode":"path"}` },
		"edit_file":      editOf(b, filepath.Join(dir, "file0007.txt")),
	} {
		b.Run(name, func(b *testing.B) { benchCall(b, dir, name, arguments) })
	}
}

// editOf returns edits that change the last line back and forth.
func editOf(b *testing.B, name string) func(i int) string {
	text, err := os.ReadFile(name)
	if err != nil {
		b.Fatal(err)
	}
	sums := [2]string{fmt.Sprintf("%x", sha256.Sum256(append(text, '0', '\n'))), fmt.Sprintf("%x", sha256.Sum256(append(text, '1', '\n')))}
	if err := os.WriteFile(name, append(text, '0', '\n'), 0o666); err != nil {
		b.Fatal(err)
	}
	last := 0
	return func(int) string {
		old := last
		last = 1 - last
		return fmt.Sprintf(`{"path":"file0007.txt","expectedSha256":%q,"edits":[{"oldText":"it\n%d\n","newText":"it\n%d\n"}]}`, sums[old], old, last)
	}
}

func benchCall(b *testing.B, dir, name string, arguments func(i int) string) {
	ws, err := emend.Open(dir, emend.NoSync())
	if err != nil {
		b.Fatal(err)
	}
	defer ws.Close()
	fromClient, client := io.Pipe()
	out, fromServer := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- New(Config{Workspaces: []tool.Workspace{{Workspace: ws}}}).Stdio(context.Background(), fromClient, fromServer)
	}()
	answers := bufio.NewReaderSize(out, 1<<20)
	ask := func(line string) {
		if _, err := io.WriteString(client, line+"\n"); err != nil {
			b.Fatal(err)
		}
		if answer, err := answers.ReadString('\n'); err != nil || strings.Contains(answer, `rror":`) {
			b.Fatal(answer, err)
		}
	}
	ask(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	io.WriteString(client, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	for i := 0; b.Loop(); i++ {
		ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, name, arguments(i)))
	}
	client.Close()
	if err := <-served; err != nil {
		b.Fatal(err)
	}
}
