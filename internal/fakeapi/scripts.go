package fakeapi

// OpenAIScript has the model make every operation, and one that is refused and sent again as the refusal asks for. Files before and
// after it are those of [Before] and [OpenAIAfter].
var OpenAIScript = [][]Call{
	{
		{Input: `{"type":"update_file","path":"lib/fib.py","diff":"@@\n-def fib(n):\n+def fibonacci(n):\n     if n <= 1:\n         return n\n-    return fib(n-1) + fib(n-2)\n+    return fibonacci(n-1) + fibonacci(n-2)\n"}`},
		{Input: `{"type":"update_file","path":"run.py","diff":"@@ def main():\n-  print(fib(43))\n+  print(fibonacci(42))\n"}`}, // stands nowhere
	}, {
		{Input: `{"type":"update_file","path":"run.py","diff":"@@\n-from lib.fib import fib\n+from lib.fib import fibonacci\n@@ def main():\n-  print(fib(42))\n+  print(fibonacci(42))\n"}`},
		{Input: `{"type":"create_file","path":"docs/notes.md","diff":"+# Notes\n+\n+fib is fibonacci now."}`},
		{Input: `{"type":"delete_file","path":"old.py"}`},
	},
}

// AnthropicScript has the model use every command of both tools, and one that is refused and sent again.
var AnthropicScript = [][]Call{
	{{"memory", `{"command":"view","path":"/memories"}`}, {"str_replace_based_edit_tool", `{"command":"view","path":"lib/fib.py","view_range":[1,2]}`}},
	{{"str_replace_based_edit_tool", `{"command":"str_replace","path":"lib/fib.py","old_str":"fib(n","new_str":"fibonacci(n"}`}}, // three places
	{
		{"str_replace_based_edit_tool", `{"command":"str_replace","path":"lib/fib.py","old_str":"def fib(n):","new_str":"def fibonacci(n):"}`},
		{"str_replace_based_edit_tool", `{"command":"insert","path":"run.py","insert_line":0,"insert_text":"# run me\n"}`},
		{"str_replace_based_edit_tool", `{"command":"create","path":"docs/notes.md","file_text":"# Notes\n"}`},
		{"memory", `{"command":"create","path":"/memories/todo.txt","file_text":"one\n"}`},
		{"memory", `{"command":"insert","path":"/memories/todo.txt","insert_line":1,"insert_text":"two\n"}`},
		{"memory", `{"command":"str_replace","path":"/memories/todo.txt","old_str":"one\n"}`},
		{"memory", `{"command":"rename","old_path":"/memories/todo.txt","new_path":"/memories/done/todo.txt"}`},
		{"memory", `{"command":"create","path":"/memories/draft.txt","file_text":"x\n"}`},
		{"memory", `{"command":"delete","path":"/memories/draft.txt"}`},
	},
}

// Before are the files before a script.
var Before = map[string]string{
	"lib/fib.py": "def fib(n):\n    if n <= 1:\n        return n\n    return fib(n-1) + fib(n-2)\n",
	"run.py":     "from lib.fib import fib\n\ndef main():\n  print(fib(42))\n",
	"old.py":     "x\n",
}

// OpenAIAfter are the files after [OpenAIScript].
var OpenAIAfter = map[string]string{
	"lib/fib.py":    "def fibonacci(n):\n    if n <= 1:\n        return n\n    return fibonacci(n-1) + fibonacci(n-2)\n",
	"run.py":        "from lib.fib import fibonacci\n\ndef main():\n  print(fibonacci(42))\n",
	"docs/notes.md": "# Notes\n\nfib is fibonacci now.\n",
}

// AnthropicAfter are the files after [AnthropicScript].
var AnthropicAfter = map[string]string{
	"lib/fib.py":             "def fibonacci(n):\n    if n <= 1:\n        return n\n    return fib(n-1) + fib(n-2)\n",
	"run.py":                 "# run me\nfrom lib.fib import fib\n\ndef main():\n  print(fib(42))\n",
	"old.py":                 "x\n",
	"docs/notes.md":          "# Notes\n",
	"memories/done/todo.txt": "two\n",
}
