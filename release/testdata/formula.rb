# Loads a formula without Homebrew, as each of its systems would, and prints what it says, a line each:
#
#     ruby formula.rb emend.rb macos|linux arm|intel [INSTALL-DIR UNPACKED-DIR]
#
# With the directories it installs what an archive was unpacked to, and runs the formula's test there. It knows the words of
# Homebrew's formulae that this one uses; brew audit and brew style know more.
require "fileutils"
require "pathname"

SYSTEM, PROCESSOR = ARGV[1], ARGV[2]

class Place < Pathname
  # Copies files here. A hash gives one of them another name.
  def install(*what)
    mkpath
    what.flatten.each do |w|
      (w.is_a?(Hash) ? w : { w => File.basename(w) }).each do |from, to|
        raise "#{from} is not in the archive" unless File.file?(from)
        FileUtils.cp(from, self / to, preserve: true)
      end
    end
  end

  def /(other) = Place.new(super.to_s)
end

class Formula
  class << self
    attr_reader :said, :tested

    def inherited(klass) = ($formula = klass) && klass.instance_variable_set(:@said, {})

    %i[desc homepage version license url sha256].each do |word|
      define_method(word) do |value|
        raise "#{word} is said twice" if said.key?(word)
        said[word] = value
      end
    end

    def on_macos = SYSTEM == "macos" && yield
    def on_linux = SYSTEM == "linux" && yield
    def on_arm = PROCESSOR == "arm" && yield
    def on_intel = PROCESSOR == "intel" && yield
    def test(&block) = @tested = block
  end

  def initialize(root) = @root = Place.new(root)

  def version = self.class.said[:version]
  def testpath = (@root / "test").tap(&:mkpath)

  { bin: "bin", man1: "share/man/man1", bash_completion: "etc/bash_completion.d", zsh_completion: "share/zsh/site-functions",
    fish_completion: "share/fish/vendor_completions.d" }.each { |name, dir| define_method(name) { @root / dir } }

  def system(*args) = Kernel.system(*args.map(&:to_s)) || raise("#{args.join(" ")} failed")
  def shell_output(line) = `#{line}`.tap { raise "#{line} failed" unless $?.success? }
  def assert_match(part, text) = text.include?(part) || raise("#{text.inspect} has no #{part.inspect}")
end

load File.expand_path(ARGV[0])
$formula.said.each { |word, value| puts "#{word} #{value}" }
if ARGV[3]
  f = $formula.new(ARGV[3])
  Dir.chdir(ARGV[4]) { f.install }
  Dir.chdir(f.testpath) { f.instance_eval(&$formula.tested) }
end
