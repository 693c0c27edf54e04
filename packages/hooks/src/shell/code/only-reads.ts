import { readArguments } from './expressions.ts'

const list = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

interface Reading {
  /** Functions that change no file. */
  readonly calls: ReadonlySet<string>
  /** Names that code which only reads never contains. */
  readonly never: RegExp
}

const PYTHON: Reading = {
  calls:
    list(`print open read readline readlines splitlines split rsplit strip lstrip rstrip len range enumerate sorted
    reversed list dict set tuple str int float bool bytes sum min max any all zip map filter isinstance type repr format
    join startswith endswith lower upper title replace count find rfind index items keys values get append extend add
    update pop sort load loads dumps findall finditer search match fullmatch group groups sub compile exists isfile isdir
    listdir walk glob rglob iglob Path read_text read_bytes iterdir stat getsize dirname basename abspath relpath splitext
    getcwd exit parse unparse get_docstring iter_child_nodes Counter defaultdict OrderedDict most_common hexdigest sha256
    sha1 md5 encode decode StringIO reader DictReader next iter abs round divmod ord chr hex if elif while for and or not in
    is return yield with assert except print_exc is_file is_dir resolve relative_to with_suffix as_posix strftime now time
    setdefault partition rpartition zfill ljust rjust isdigit isalpha ast literal_eval safe_load`),
  never:
    /\b(?:shutil|subprocess|exec|eval|getattr|setattr|vars|globals|locals|ctypes|posix|builtins|importlib|runpy|pty|socket|sqlite3|tempfile|mmap|fileinput|zipfile|tarfile|logging|asyncio|multiprocessing|threading|urllib|requests|FileIO|truncate|writelines|write\w*|touch|unlink|rename|chdir|dir_fd|remove|rmdir|symlink\w*|hardlink\w*|link_to|partial|dump|atexit|pickle|class|lambda)\b|__\w+__|\bos\s*\.\s*(?!path\b|listdir\b|walk\b|getcwd\b|environ\b|sep\b|stat\b|scandir\b)\w|\bimport\s+\*|\bopen\b(?!\s*\()|(?<!re\s*\.\s*)\bcompile\s*\(|\breplace\([^,()]*\)|\(\s*\*|\)\s*\(|\]\s*\(/,
}

const JAVASCRIPT: Reading = {
  calls:
    list(`require readFileSync readFile readdirSync readdir existsSync statSync stat lstatSync log error warn table dir
    info parse stringify split join map filter forEach reduce some every find findIndex includes startsWith endsWith indexOf
    lastIndexOf slice substring substr trim trimEnd trimStart match matchAll replace replaceAll test exec push pop shift
    unshift concat sort reverse keys values entries fromEntries flat flatMap from of toString toFixed padStart padEnd repeat
    charAt charCodeAt Number String Boolean Array Set Map RegExp Date has get set add resolve then catch all min max floor
    ceil round abs isArray parseInt parseFloat exit if for while switch function return await basename dirname extname
    relative cwd toUpperCase toLowerCase at write`),
  never:
    /\b(?:append\w*|truncate\w*|unlink\w*|rm|rmSync|rmdir\w*|rename\w*|copy\w*|cp\w*|symlink\w*|link\w*|mkdtemp\w*|open|openSync|create\w+|exec\w+|spawn\w*|fork\w*|eval|Function|Worker|binding|getBuiltinModule|mainModule|chdir|chmod\w*|child_process|vm|worker_threads|module|Reflect|apply|call|bind|constructor|globalThis|Bun|Deno|pipe\w*|setTimeout|import|class|\w*[wW]rite[A-Z]\w*|Writ\w+|promisify)\b|(?<!process\.std(?:out|err)\.)\bwrite\b|\?\.\s*\(|\)\s*\(|\]\s*\(|\brequire\b(?!\s*\(\s*['"](?:(?:node:)?(?:fs|fs\/promises|path|os|util)|[^'"]+\.json)['"]\s*\))/,
}

const PERL_NEVER =
  /\b(?:open|sysopen|unlink|rename|truncate|system|exec|qx|copy|move|cp|mv|symlink|link|eval|do|require|use|syscall|creat|rmtree|mkdir|rmdir|chdir|opendir|spew\w*|write_file|POSIX|IO|File)\b|`|\^I|&|->|\bprint\s*\{/

/** Reports whether code in a language certainly changes no file and starts nothing. */
export function onlyReads(language: string, code: string): boolean {
  if (code.length > 20_000) return false
  if (language === 'python') return isReading(code, PYTHON) && opensToRead(code)
  if (language === 'javascript') return isReading(code, JAVASCRIPT)
  return language === 'perl' && !PERL_NEVER.test(code)
}

function isReading(code: string, { calls, never }: Reading): boolean {
  if (never.test(code)) return false
  const own = new Set([...code.matchAll(/\b(?:def|function)\s+([A-Za-z_$][\w$]*)/g)].map(([, name]) => name))
  return [...code.matchAll(/([A-Za-z_$][\w$]*)\s*\(/g)].every(
    ([, name = '']) => calls.has(name) || own.has(name),
  )
}

function opensToRead(code: string): boolean {
  return [...code.matchAll(/\bopen\s*\(/g)].every((match) => {
    const { args } = readArguments(code, match.index + match[0].length, true)
    return args
      .slice(1)
      .every((arg) => /^(?:mode\s*=\s*)?['"]r?[bt]?['"]$|^(?:encoding|errors|newline)\s*=/.test(arg))
  })
}
