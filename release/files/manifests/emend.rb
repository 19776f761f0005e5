class Emend < Formula
  desc "Applies what coding agents write to files, on record and reversible"
  homepage "[[.Homepage]]"
  version "[[.Version]]"
  license "[[.License]]"

  on_macos do
    on_arm do
      url "[[.Downloads]]/[[archive "darwin" "arm64"]]"
      sha256 "[[sum "darwin" "arm64"]]"
    end
    on_intel do
      url "[[.Downloads]]/[[archive "darwin" "amd64"]]"
      sha256 "[[sum "darwin" "amd64"]]"
    end
  end
  on_linux do
    on_arm do
      url "[[.Downloads]]/[[archive "linux" "arm64"]]"
      sha256 "[[sum "linux" "arm64"]]"
    end
    on_intel do
      url "[[.Downloads]]/[[archive "linux" "amd64"]]"
      sha256 "[[sum "linux" "amd64"]]"
    end
  end

  def install
    bin.install "emend"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/emend.bash" => "emend"
    zsh_completion.install "completions/_emend"
    fish_completion.install "completions/emend.fish"
  end

  test do
    (testpath/"a.txt").write "one\n"
    (testpath/"p").write "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch\n"
    system bin/"emend", "apply", "--dry-run", "p"
    assert_match version.to_s, shell_output("#{bin}/emend version")
  end
end
