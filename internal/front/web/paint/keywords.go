package paint

// The words of languages.
const (
	goWords = `
		break case chan const continue default defer else fallthrough for func go goto if import interface map package range
		return select struct switch type var module require replace exclude toolchain tool`
	goTypes = `
		any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8
		uint16 uint32 uint64 uintptr true false nil iota append cap clear close copy delete len make max min new panic print
		println recover`

	jsWords = `
		async await break case catch class const continue debugger default delete do else export extends finally for from
		function get if import in instanceof let new of return set static super switch this throw try typeof var void while
		with yield `
	jsTypes = `
		true false null undefined NaN Infinity Array Boolean Date Error Map Number Object Promise RegExp Set String Symbol
		console document globalThis process window `
	tsWords = `
		abstract as asserts declare enum implements infer interface is keyof module namespace override private protected
		public readonly satisfies type unique `
	tsTypes = "any bigint boolean never number object string symbol unknown Partial Pick Omit Readonly Record "

	pyWords = `
		and as assert async await break case class continue def del elif else except finally for from global if import in is
		lambda match nonlocal not or pass raise return try while with yield`
	pyTypes = `
		True False None self cls bool bytes dict float frozenset int list object set str tuple type len print range super
		isinstance enumerate zip open`

	rustWords = `
		as async await break const continue crate dyn else enum extern fn for if impl in let loop macro_rules match mod move
		mut pub ref return static struct super trait type union unsafe use where while`
	rustTypes = `
		bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize self Self true false Box Err None Ok Option
		Result Some String Vec`

	javaWords = `
		abstract assert break case catch class const continue default do else enum extends final finally for goto if
		implements import instanceof interface native new non-sealed package permits private protected public record return
		sealed static strictfp super switch synchronized this throw throws transient try var volatile while yield `
	javaTypes = `
		boolean byte char double float int long short void true false null String Object Integer Long Boolean List Map Set
		Optional `
	dartWords = `
		async await dynamic export external extension factory get hide is late library mixin on operator part required set
		show sync typedef with `
	dartTypes = "bool num Future Stream "

	kotlinWords = `
		abstract actual annotation as break by case catch class companion const constructor continue crossinline data def do
		else enum expect extends external final finally for forSome fun given if implicit import in infix init inline inner
		interface internal is lateinit lazy match new noinline object open operator out override package private protected
		public reified return sealed super suspend tailrec this throw trait try type typealias val var vararg when where while
		with yield`
	kotlinTypes = `
		Any Array Boolean Byte Char Double Float Int List Long Map Nothing Option Seq Set Short String Unit true false null`

	swiftWords = `
		actor any as associatedtype async await break case catch class continue convenience default defer deinit didSet do
		dynamic else enum extension fallthrough fileprivate final for func get guard if import in indirect infix init inout
		internal is lazy let mutating nonisolated open operator optional override postfix precedencegroup prefix private
		protocol public repeat required rethrows return set some static struct subscript super switch throw throws try
		typealias unowned var weak where while willSet`
	swiftTypes = `
		Any Array Bool Character Dictionary Double Float Int Optional Self Set String UInt Void self true false nil`

	cWords = `
		alignas alignof asm auto break case catch class co_await co_return co_yield concept const const_cast consteval
		constexpr constinit continue decltype default delete do dynamic_cast else enum explicit export extern final for friend
		goto if inline mutable namespace new noexcept operator override private protected public register reinterpret_cast
		requires restrict return sizeof static static_assert static_cast struct switch template this thread_local throw try
		typedef typeid typename union using virtual volatile while`
	cTypes = `
		bool char char8_t char16_t char32_t double float int int8_t int16_t int32_t int64_t long short signed size_t ssize_t
		uint8_t uint16_t uint32_t uint64_t unsigned void wchar_t true false nullptr NULL std string vector map`

	csWords = `
		abstract as async await base break case catch checked class const continue default delegate do else enum event
		explicit extern file finally fixed for foreach get goto if implicit in init interface internal is lock nameof
		namespace new operator out override params partial private protected public readonly record ref required return sealed
		set sizeof stackalloc static struct switch this throw try typeof unchecked unsafe using var virtual volatile when
		where while with yield`
	csTypes = `
		bool byte char decimal double dynamic float int long nint nuint object sbyte short string uint ulong ushort void true
		false null String Task List Dictionary`

	rubyWords = `
		BEGIN END alias and begin break case class def defined? do else elsif end ensure extend for if in include loop module
		next not or prepend private protected public raise redo require require_relative rescue retry return super then undef
		unless until when while yield attr_accessor attr_reader attr_writer`
	rubyTypes = "true false nil self Array Hash Integer String Symbol puts"

	phpWords = `
		abstract and array as break callable case catch class clone const continue declare default do echo else elseif
		enddeclare endfor endforeach endif endswitch endwhile enum extends final finally fn for foreach function global goto
		if implements include include_once instanceof insteadof interface isset list match namespace new or print private
		protected public readonly require require_once return static switch throw trait try unset use var while xor yield php`
	phpTypes = "bool false float int iterable mixed never null object parent self string true void"

	shellWords = `
		if then else elif fi for while until do done case esac in function select time return break continue exit export local
		readonly declare set unset shift trap source eval exec`
	shellTypes = "cd echo printf read test true false"

	powerWords = `
		begin break catch class continue data do dynamicparam else elseif end enum exit filter finally for foreach from
		function if in param process return switch throw trap try until using while`

	sqlWords = `
		add all alter and any as asc begin between by case cast check collate column commit constraint create cross database
		default delete desc distinct drop else end except exists explain foreign from full function grant group having if in
		index inner insert intersect into is join key left like limit materialized natural not offset on or order outer over
		partition primary procedure references returning revoke right rollback row rows schema select sequence set table
		temporary then to transaction trigger truncate union unique update using values view when where window with without`
	sqlTypes = `
		bigint bigserial binary bit blob bool boolean bytea char character date datetime decimal double float int integer
		interval json jsonb numeric real serial smallint text time timestamp timestamptz tinyint uuid varchar true false null`

	luaWords = "and break do else elseif end for function goto if in local not or repeat return then until while"
	luaTypes = "true false nil self print pairs ipairs require"

	protoWords = `
		syntax edition package import public option message enum service rpc returns stream oneof map reserved extensions
		extend repeated optional required`
	protoTypes = `
		double float int32 int64 uint32 uint64 sint32 sint64 fixed32 fixed64 sfixed32 sfixed64 bool string bytes true false`

	hclWords = "resource data variable output locals module provider terraform for in if moved import dynamic"
	hclTypes = "true false null string number bool list map object set any"
)
