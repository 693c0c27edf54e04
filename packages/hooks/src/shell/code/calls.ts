/** A language's function calls that change files, and the arguments with the paths. */
export interface FileCall {
  /** Matches up to the arguments; includes an opening parenthesis at its end. */
  readonly call: RegExp
  readonly does: 'write' | 'append' | 'delete' | 'copy' | 'move' | 'link' | 'open' | 'open-first' | 'fetch'
  /** The path is the object of the method: `Path('a').write_text(…)`. */
  readonly onReceiver?: boolean
}

export interface Language {
  readonly name: string
  readonly files: readonly FileCall[]
  /** Calls that pass a text or a list of words to a shell. */
  readonly shells: readonly RegExp[]
  /** Calls that run text as code of the same language. */
  readonly evals: readonly RegExp[]
  /** Text between these is a command: backticks. */
  readonly commands: readonly RegExp[]
  /** Constructs that hide which function is called. */
  readonly hides: readonly RegExp[]
}

const JAVASCRIPT: Language = {
  name: 'javascript',
  files: [
    { call: /\b(?:writeFile|outputFile|writeTextFile|writeJson|outputJson)(?:Sync)?\s*\(/g, does: 'write' },
    { call: /\bBun\s*\.\s*write\s*\(/g, does: 'write' },
    { call: /\bappendFile(?:Sync)?\s*\(/g, does: 'append' },
    { call: /\b(?:createWriteStream|truncate(?:Sync)?)\s*\(/g, does: 'fetch' },
    { call: /\.\s*open(?:Sync)?\s*\(/g, does: 'open' },
    { call: /(?<![\w.])openSync\s*\(/g, does: 'open' },
    { call: /\b(?:copyFile|copyFileSync|cpSync|copySync)\s*\(|\.\s*cp\s*\(/g, does: 'copy' },
    { call: /\brename(?:Sync)?\s*\(|\bmoveSync\s*\(/g, does: 'move' },
    { call: /\b(?:symlink|link)(?:Sync)?\s*\(/g, does: 'link' },
    { call: /\b(?:rm|unlink|rmdir)(?:Sync)?\s*\(|\bDeno\s*\.\s*remove(?:Sync)?\s*\(/g, does: 'delete' },
  ],
  shells: [
    /\b(?:exec|execSync|spawn|spawnSync|execFile|execFileSync|fork)\s*\(/g,
    /\bDeno\s*\.\s*(?:Command|run)\s*\(/g,
  ],
  evals: [/(?<![\w.])eval\s*\(/g, /\bFunction\s*\(/g, /\brunIn(?:New|This)?Context\s*\(/g],
  commands: [/(?:\bBun\s*\.\s*|(?<![\w.]))\$`((?:[^`\\]|\\.)*)`/g],
  hides: [
    /\brequire\s*\(\s*(?!['"`])/g,
    /\bimport\s*\(\s*(?!['"`])/g,
    /\bprocess\s*\.\s*binding\b/g,
    /\b(?:fs|cp|fsp|promises)\s*\[/g,
  ],
}

const PYTHON: Language = {
  name: 'python',
  files: [
    {
      call: /(?<![\w.])open\s*\(|\b(?:io|os|codecs|gzip|bz2|lzma|tarfile|aiofiles|builtins)\s*\.\s*open\s*\(/g,
      does: 'open',
    },
    { call: /\.\s*open\s*\(/g, does: 'open', onReceiver: true },
    { call: /\.\s*(?:write_text|write_bytes)\s*\(/g, does: 'write', onReceiver: true },
    { call: /\bZipFile\s*\(/g, does: 'open' },
    { call: /\.\s*extract(?:all)?\s*\(/g, does: 'fetch' },
    { call: /\bfileinput\s*\.\s*(?:input|FileInput)\s*\((?=[^)]*inplace)/g, does: 'fetch' },
    { call: /\burlretrieve\s*\(/g, does: 'link' },
    { call: /\.\s*touch\s*\(/g, does: 'append', onReceiver: true },
    { call: /\b(?:shutil\s*\.\s*copy|copyfile|copy2|copytree)\s*\(/g, does: 'copy' },
    { call: /\b(?:os\s*\.\s*(?:renames?|replace)|shutil\s*\.\s*move)\s*\(/g, does: 'move' },
    { call: /\bos\s*\.\s*(?:symlink|link)\s*\(/g, does: 'link' },
    { call: /\b(?:os\s*\.\s*(?:remove|unlink|rmdir|removedirs)|shutil\s*\.\s*rmtree)\s*\(/g, does: 'delete' },
    { call: /\.\s*unlink\s*\(/g, does: 'delete', onReceiver: true },
    { call: /\bPath\([^()]*\)\s*\.\s*(?:rename|replace)\s*\(/g, does: 'fetch' },
  ],
  shells: [
    /\bos\s*\.\s*(?:system|popen|execv[pe]*|execl[pe]*|spawn[lvpe]+|posix_spawnp?)\s*\(/g,
    /\bsubprocess\s*\.\s*(?:run|call|check_call|check_output|Popen|getoutput|getstatusoutput)\s*\(/g,
    /\bpty\s*\.\s*spawn\s*\(/g,
  ],
  evals: [/(?<![\w.])(?:exec|eval)\s*\(/g],
  commands: [],
  hides: [
    /\b(?:getattr|setattr)\s*\(\s*(?:os|shutil|subprocess|pathlib|builtins|io|__builtins__)\b/g,
    /\b__import__\s*\(\s*(?!['"])/g,
    /\bimport_module\s*\(\s*(?!['"])/g,
    /\b(?:os|shutil|subprocess)\s*\.\s*__dict__/g,
  ],
}

const PERL: Language = {
  name: 'perl',
  files: [
    { call: /\b(?:sys)?open\s*\(?\s*(?:my\s+|local\s+)?[\w$*{}]+\s*,/g, does: 'open-first' },
    { call: /\bunlink\b\s*\(?/g, does: 'delete' },
    { call: /\brename\b\s*\(?/g, does: 'move' },
    { call: /(?<![\w$>-])(?:File::Copy::)?(?:copy|cp)\s*\(/g, does: 'copy' },
    { call: /(?<![\w$>-])(?:File::Copy::)?(?:move|mv)\s*\(/g, does: 'move' },
    { call: /\b(?:symlink|link)\s*\(/g, does: 'link' },
    { call: /\b(?:write_file|spew|spurt)\s*\(/g, does: 'write' },
  ],
  shells: [/(?<![\w$>:-])(?:system|exec)\b\s*\(?/g],
  evals: [/(?<![\w$])eval\s*\(?(?=\s*["'$q(])/g],
  commands: [/`([^`]*)`/g, /\bqx\s*\{([^}]*)\}/g, /\bqx\s*\(([^)]*)\)/g, /\bqx\s*\/([^/]*)\//g],
  hides: [],
}

const RUBY: Language = {
  name: 'ruby',
  files: [
    { call: /\b(?:File|IO)\s*\.\s*(?:write|binwrite)\b\s*\(?/g, does: 'write' },
    { call: /\bFile\s*\.\s*(?:open|new)\b\s*\(?|(?<![\w.])open\s*\(/g, does: 'open' },
    {
      call: /\bFile\s*\.\s*(?:delete|unlink)\b\s*\(?|\bFileUtils\s*\.\s*rm(?:_r|_f|_rf|_r_f)?\b\s*\(?/g,
      does: 'delete',
    },
    { call: /\bFile\s*\.\s*rename\b\s*\(?|\bFileUtils\s*\.\s*(?:mv|move)\b\s*\(?/g, does: 'move' },
    {
      call: /\bFileUtils\s*\.\s*(?:cp|cp_r|copy|copy_file|install)\b\s*\(?|\bIO\s*\.\s*copy_stream\b\s*\(?/g,
      does: 'copy',
    },
    {
      call: /\bFile\s*\.\s*(?:symlink|link)\b\s*\(?|\bFileUtils\s*\.\s*ln(?:_s|_sf)?\b\s*\(?/g,
      does: 'link',
    },
    { call: /\bFileUtils\s*\.\s*touch\b\s*\(?/g, does: 'append' },
  ],
  shells: [
    /(?<![\w.])(?:Kernel\s*\.\s*)?(?:system|exec|spawn)\b\s*\(?/g,
    /\b(?:IO\s*\.\s*popen|Open3\s*\.\s*\w+)\b\s*\(?/g,
  ],
  evals: [/(?<![\w.])eval\b\s*\(?/g],
  commands: [/`([^`]*)`/g, /%x\(([^)]*)\)/g, /%x\{([^}]*)\}/g, /%x\[([^\]]*)\]/g],
  hides: [/\b(?:File|IO|Kernel|FileUtils)\s*\.\s*(?:public_)?send\b/g],
}

const PHP: Language = {
  name: 'php',
  files: [
    { call: /\bfile_put_contents\s*\(/g, does: 'write' },
    { call: /\bfopen\s*\(/g, does: 'open' },
    { call: /\bunlink\s*\(|\brmdir\s*\(/g, does: 'delete' },
    { call: /(?<![\w>:])copy\s*\(/g, does: 'copy' },
    { call: /(?<![\w>:])rename\s*\(/g, does: 'move' },
    { call: /(?<![\w>:])(?:symlink|link)\s*\(/g, does: 'link' },
    { call: /(?<![\w>:])touch\s*\(/g, does: 'append' },
  ],
  shells: [/(?<![\w>:])(?:system|exec|shell_exec|passthru|popen|proc_open|pcntl_exec)\s*\(/g],
  evals: [/(?<![\w>:])eval\s*\(/g],
  commands: [/`([^`]*)`/g],
  hides: [/\b(?:call_user_func|create_function)\w*\s*\(\s*(?!['"])/g],
}

const LUA: Language = {
  name: 'lua',
  files: [
    { call: /\bio\s*\.\s*open\s*\(?/g, does: 'open' },
    { call: /\bio\s*\.\s*output\s*\(?/g, does: 'fetch' },
    { call: /\bos\s*\.\s*remove\s*\(?/g, does: 'delete' },
    { call: /\bos\s*\.\s*rename\s*\(?/g, does: 'move' },
  ],
  shells: [/\b(?:os\s*\.\s*execute|io\s*\.\s*popen)\s*\(?/g],
  evals: [/(?<![\w.])(?:load|loadstring)\s*\(/g],
  commands: [],
  hides: [],
}

const APPLESCRIPT: Language = {
  name: 'applescript',
  files: [],
  shells: [/\bdo shell script\s+/g, /\bdoShellScript\s*\(/g],
  evals: [/\brun script\s+/g],
  commands: [],
  hides: [/\bopen for access\b/g],
}

export const LANGUAGES = { JAVASCRIPT, PYTHON, PERL, RUBY, PHP, LUA, APPLESCRIPT } as const
