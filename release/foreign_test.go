package main

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestForeign has the binaries for other targets make a first change: those for Linux by this kernel or qemu, that for Windows in wine.
func TestForeign(t *testing.T) {
	needs(t, "tar", "unzip")
	r := release{options: options{version: testVersion}}
	built, err := pickTargets(testTargets())
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range allTargets {
		if target == targetHere() {
			continue
		}
		t.Run(strings.ReplaceAll(target.String(), "/", "-"), func(t *testing.T) {
			if !slices.Contains(built, target) {
				t.Skipf("NOT RUN: %s: not built; EMEND_RELEASE_TARGETS=all builds all", target)
			}
			dir := t.TempDir()
			archive := filepath.Join(dist(t), r.archiveFile(target))
			if target.os == "windows" {
				command(t, dir, "unzip", "-q", archive)
			} else {
				command(t, dir, "tar", "-xzf", archive)
			}
			program := filepath.Join(dir, r.archiveName(target), target.program())
			words, why := playerOf(t, target, program)
			if why != "" {
				t.Skipf("NOT RUN: %s: %s", target, why)
			}
			(&way{t: t, name: target.String()}).firstChange("emend", append(words, program)...)
		})
	}
}

func targetHere() target { return target{runtime.GOOS, runtime.GOARCH} }

// emulators are the programs of qemu, by Go's name for the processor.
var emulators = map[string]string{"386": "qemu-i386-static", "amd64": "qemu-x86_64-static", "arm64": "qemu-aarch64-static", "riscv64": "qemu-riscv64-static"}

// playerOf returns the command that runs a program for a target, or why there is none. A kernel for amd64 may run programs for 386
// itself, and qemu-i386 ends those that make threads.
func playerOf(t *testing.T, of target, program string) (words []string, why string) {
	switch {
	case runtime.GOOS != "linux":
		return nil, "programs of other systems run on Linux only"
	case of.os == "linux" && exec.CommandContext(t.Context(), program, "--version").Run() == nil:
		return nil, ""
	case of.os == "linux":
		path, err := exec.LookPath(emulators[of.arch])
		if err != nil {
			return nil, emulators[of.arch] + " is missing (Debian: qemu-user-static)"
		}
		return []string{path}, ""
	case of.os == "windows" && of.arch == runtime.GOARCH:
		cache, err := os.UserCacheDir() // a way has a home of its own
		if err != nil {
			return nil, err.Error()
		}
		wine, chroot := filepath.Join(t.TempDir(), "wine"), cmp.Or(os.Getenv("EMEND_WINE_CHROOT"), filepath.Join(cache, "emend", "wine-trixie"))
		command(t, "../proof", "go", "build", "-o", wine, "./wine")
		out, err := exec.CommandContext(t.Context(), wine, "-chroot", chroot, "-exec", "nothing.exe").CombinedOutput()
		if said := strings.TrimSpace(string(out)); err != nil && (strings.Contains(said, "there is no chroot") || strings.Contains(said, "not permitted")) {
			return nil, said
		}
		return []string{wine, "-chroot", chroot, "-exec"}, ""
	}
	return nil, "nothing here runs programs for it"
}
