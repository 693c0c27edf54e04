/** How a program is started so that it does one thing and ends. Lists of short and long options, separated by blanks. */
export interface Usage {
  /** Options with a value. */
  readonly values?: string
  /** Options whose value is never a separate word: `-psecret`. */
  readonly attached?: string
  /** Options that make it do one thing. */
  readonly once?: string
  /** Options after which the remaining words belong to the command it runs. */
  readonly last?: string
  /** Options that make it read commands, whatever else is given. */
  readonly typed?: string
  /** First words that make it read commands. */
  readonly typedWords?: string
  /** This many words make it do one thing; without a number none do. */
  readonly words?: number
  /** The first word is a script, and the rest its arguments. */
  readonly isRunner?: true
  /** The words are files that it reads. */
  readonly readsWords?: true
  /** Long options have one dash: `-batch`. */
  readonly hasLongDash?: true
  /** The number of words before a command that it runs. */
  readonly inner?: number
}

const runner = { isRunner: true, words: 1 } as const
const always: Usage = {}

const USAGES: ReadonlyArray<readonly [names: string, usage: Usage]> = [
  [
    'bash sh zsh dash ash ksh ksh93 mksh rbash fish tcsh csh xonsh nu elvish',
    { ...runner, values: 'o O rcfile init-file', once: 'c n command', last: 'c', typed: 's' },
  ],
  [
    'pwsh powershell',
    {
      hasLongDash: true,
      values: 'c command f file',
      once: 'c command f file e ec enc encodedcommand',
      typed: 'noexit noe interactive',
      words: 1,
    },
  ],
  ['cmd', { words: 1, typedWords: '/k /K //k //K' }],
  ['python pypy', { ...runner, values: 'c m W X Q', once: 'c m h V ?', last: 'c m', typed: 'i' }],
  ['ipython bpython ptpython', { ...runner, values: 'c m', once: 'c m', typed: 'i' }],
  [
    'node nodejs ts-node tsx',
    {
      ...runner,
      values:
        'r C e p eval print require import loader conditions env-file experimental-loader input-type run',
      once: 'e p c v h eval print check test run',
      typed: 'i interactive',
      typedWords: 'inspect debug',
    },
  ],
  ['deno', { words: 1, typedWords: 'repl' }],
  ['ruby', { ...runner, values: 'e I r C E', once: 'e v h c' }],
  ['perl', { ...runner, values: 'e E I M m', attached: 'i', once: 'e E v h V c', typed: 'd' }],
  ['php', { ...runner, values: 'r f d c t z S B R E run', once: 'r f v h i m l S B R E run', typed: 'a' }],
  ['lua luajit', { ...runner, values: 'e l', once: 'e v', typed: 'i' }],
  ['rscript', { ...runner, values: 'e', once: 'e' }],
  ['r', { words: 1, values: 'e f file', once: 'e f file' }],
  ['julia', { ...runner, values: 'e E L p t J C', once: 'e E v h eval print', typed: 'i' }],
  ['irb pry', { ...runner, values: 'e I r', once: 'e v h' }],
  ['scala ocaml utop guile racket', { ...runner, values: 'e c s', once: 'e c s v', typed: 'i' }],
  ['tclsh wish expect octave gnuplot', { ...runner, values: 'c e f eval', once: 'c e f eval', typed: 'i' }],
  ['sbcl', { values: 'load eval', once: 'script non-interactive' }],
  ['maxima', { once: 'b batch batch-string' }],
  ['erl', { hasLongDash: true, once: 'noshell noinput' }],
  ['clojure clj', { once: 'e M X T P' }],
  ['swift lein cabal', { words: 1, typedWords: 'repl' }],
  ['stack', { words: 1, typedWords: 'ghci repl' }],
  ['sbt', { words: 1, typedWords: 'console consoleQuick shell' }],
  ['swipl', { values: 'g t c', once: 'g t c' }],
  ['spark-shell pyspark spark-sql', { once: 'e f' }],
  ['osascript', { ...runner, values: 'e l', once: 'e', typed: 'i' }],
  ['jupyter', { words: 1, typedWords: 'console' }],
  ['rails', { words: 1, typedWords: 'c console db dbconsole' }],
  ['ghci jshell iex groovysh evcxr gore bc', always],
  ['dc', { once: 'e f expression file' }],
  ['gdb', { hasLongDash: true, once: 'batch batch-silent v h' }],
  ['lldb', { once: 'b batch v h P' }],
  ['pdb pdb3 ipdb jdb', always],
  ['dlv', { words: 1, typedWords: 'debug exec test attach core connect' }],
  [
    'psql',
    {
      values: 'c d f h p U v o P F R T L command dbname file host port username set variable output',
      once: 'c f l V ? command file list',
    },
  ],
  [
    'mysql mariadb',
    {
      values: 'e h u P D S execute host user port database socket',
      attached: 'p',
      once: 'e V ? execute',
    },
  ],
  [
    'sqlite3 sqlite',
    { hasLongDash: true, values: 'cmd init separator newline', words: 2, typed: 'interactive' },
  ],
  ['duckdb', { hasLongDash: true, values: 'c s f cmd init', once: 'c s f', words: 2 }],
  [
    'redis-cli valkey-cli',
    { values: 'h p n a u s i r user pass', once: 'v eval pipe bigkeys stat scan latency', words: 1 },
  ],
  [
    'mongosh mongo',
    { values: 'eval f file host port u p username password', once: 'eval f file', typed: 'shell' },
  ],
  ['cqlsh', { values: 'e f u p', once: 'e f execute file' }],
  ['clickhouse-client', { once: 'q query queries-file' }],
  ['sqlcmd', { once: 'Q i ?' }],
  ['pgcli mycli litecli mysqlsh', { once: 'e f execute file' }],
  ['usql', { once: 'c f command file' }],
  ['ssh', { values: 'B b c D E e F I i J L l m O o p P Q R S W w', once: 'N V G Q O W', words: 2, inner: 1 }],
  ['mosh telnet ftp sqlplus', always],
  ['sftp', { once: 'b' }],
  ['lftp', { once: 'c f' }],
  ['nc ncat netcat', { once: 'z l h', typed: 'e exec sh-exec' }],
  ['docker podman nerdctl', { words: 1, typedWords: 'attach', values: 'H context' }],
  ['vagrant', { words: 1, typedWords: 'ssh', once: 'c command' }],
  ['distrobox toolbox multipass', { words: 1, typedWords: 'enter shell' }],
  ['tmux byobu', { values: 'f L S', words: 1, typedWords: 'new new-session', once: 'V d' }],
  ['zellij', { words: 1, typedWords: 'attach a' }],
  ['screen', { once: 'l X v m Q w' }],
  ['dtach abduco', always],
  ['su runuser', { values: 'c g G s T w command', once: 'c command session-command' }],
  ['login newgrp', always],
  [
    'sudo doas',
    {
      values: 'u g p C D h r t R T U user group',
      once: 'l v K k V e list validate',
      words: 1,
      isRunner: true,
    },
  ],
  ['chroot', { words: 2 }],
  ['wsl', { values: 'd u distribution user', once: 'l e t list exec shutdown terminate', words: 1 }],
  ['systemd-run', { words: 1, typed: 'S shell' }],
  ['machinectl', { words: 1, typedWords: 'shell login' }],
  ['unshare nsenter', { values: 't S G target', words: 1 }],
  ['script', { values: 'c E I O B T m o command', once: 'c command', words: 2 }],
  ['nix-shell', { once: 'run command' }],
  ['nix', { words: 1, typedWords: 'develop shell repl', once: 'c command' }],
  ['poetry pipenv hatch', { words: 1, typedWords: 'shell' }],
  ['emacs', { once: 'batch script' }],
  ['nano pico micro joe mc mcedit ne kak hx helix ed red', always],
  ['less more most', { once: 'V' }],
  ['at batch', { values: 'f q t', once: 'f l r d c' }],
  ['crontab', { words: 1, once: 'l r', values: 'u', readsWords: true }],
  ['make gmake', { values: 'f C I o W file makefile directory', words: 0 }],
  ['xargs', { once: 'a arg-file' }],
  ['read mapfile readarray', { values: 'u d p n N t i a', once: 'u' }],
  ['cat tac', { words: 1, readsWords: true }],
  ['head tail', { values: 'n c lines bytes', words: 1, readsWords: true }],
  ['tee', always],
  ['source .', { words: 1, isRunner: true }],
]

export const usages: ReadonlyMap<string, Usage> = new Map(
  USAGES.flatMap(([names, usage]) => names.split(' ').map((name) => [name, usage] as const)),
)

/** Programs that only run another one, except those that the reader unwraps. */
export const CARRIERS: ReadonlySet<string> = new Set(
  (
    'rlwrap winpty proxychains proxychains4 gosu su-exec setpriv fakeroot firejail bwrap tini dumb-init ' +
    'ssh-agent dbus-run-session xvfb-run systemd-run valgrind ltrace perf linux32 linux64 setarch aws-vault ' +
    'mise direnv bundle pkexec run0 nsenter faketime heroku'
  ).split(' '),
)
