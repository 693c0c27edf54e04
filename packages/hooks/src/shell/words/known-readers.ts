/**
 * What programs do with the files named to them. `reads`: they change none. `keeps`: they rewrite them with the same meaning,
 * as formatters do. `acts`: they may do anything. This list is the only source.
 */
export type Conduct = 'reads' | 'keeps' | 'acts'

/** Changes nothing, or only with an argument that matches the pattern. */
type Unless = RegExp | undefined

const always: Unless = undefined

const words = (text: string) => text.trim().split(/\s+/)

function each(names: string, unless: Unless = always): Record<string, Unless> {
  return Object.fromEntries(words(names).map((name) => [name, unless]))
}

const READERS: Readonly<Record<string, Unless>> = {
  ...each(`cat tac head tail less more bat batcat nl od hexdump wc cut tr comm join fold fmt pr expand unexpand
    column grep egrep fgrep zgrep ag ack ugrep ls dir vdir eza exa lsd stat file du df realpath readlink
    md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum shasum md5 strings cmp colordiff sdiff
    which whereis type hash whoami id groups hostname uname arch date uptime free ps pgrep top htop lsof nproc seq factor
    numfmt printenv locale tty stty clear reset tput history jobs bg fg wait kill pkill killall ulimit umask nvm fnm asdf mise
    jq gron fx tokei cloc scc loc code cursor subl open xdg-open zcat bzcat xzcat zless exit return break
    continue set shopt umask times logout dirs bind complete compgen compopt disown suspend enable caller help let
    getopts mapfile readarray read printf echo pwd unset export declare local readonly typeset sync true false : test [ sleep
    ping dig nslookup host nc netstat ss ip ifconfig traceroute pg_isready
    chmod chown chgrp mkdir mkfifo systemctl journalctl service sysctl dmesg
    pml claude codex gemini copilot opencode`),
  ...each('diff', /^--(?:to|from)-file$/),
  ...each('rg', /^--pre(?:=|$)/),
  ...each('fd fdfind', /^-(?:x|X)$|^--exec/),
  ...each('tree', /^-o/),
  ...each('yq dasel', /^-[a-zA-Z]*i|^--in-?place|^-w$|^--write/),
  ...each('delta difft', always),
  ...each('ctags etags', /^-[fo]/),
  ...each(
    'eslint oxlint xo standard tslint stylelint rubocop',
    /^--output-file|^-o$|^--fix|^-[aA]$|^--auto-?correct/,
  ),
}

/** Programs that read the files named to them, and write only where an option says so. */
const TOOLS = new Set(
  words(`vitest jest mocha ava tap tape uvu jasmine karma playwright cypress wdio testcafe qunit borp airtap zuul nodeunit
    istanbul c8 nyc stryker vows lab buster web-test-runner wtr lost-pixel
    pytest py.test unittest nose2 tox nox coverage trial rspec cucumber minitest phpunit pest paratest busted bats
    shellspec ctest gotestsum nextest tarpaulin swift xcodebuild gradle gradlew mvn mvnw sbt dotnet rake mix rails artisan
    tsc tsgo vue-tsc svelte-check tsd attw publint knip depcheck madge dpdm size-limit are-the-types-wrong dtslint
    mypy pyright basedpyright pyre pytype flake8 pylint pycodestyle pydocstyle bandit vulture radon
    shellcheck hadolint yamllint actionlint markdownlint markdownlint-cli2 cspell codespell typos vale jshint jscs
    golangci-lint staticcheck govulncheck clippy-driver semgrep gitleaks trivy ast-grep sg turbo nx lerna
    concurrently wait-on npm-run-all run-s run-p start-server-and-test
    gcc g++ cc c++ clang clang++ tcc javac kotlinc rustc ghc swiftc asc babel esbuild swc tsup tsdown unbuild rollup webpack
    vite parcel browserify watchify ncc microbundle typedoc jsdoc api-extractor documentation`),
)
const OUTPUT_OPTION =
  /^(?:-[oO]|-d|--?(?:out|output|outFile|outDir|dest)[\w.-]*|-M[FT]|--(?:junit-?xml|test-?reporter-destination|log-file|report-file|binaryFile|textFile|declarationDir|tsBuildInfoFile|reporter-options|coverageDirectory|cov-report))(?:=|$)|^-o./

/** By the first word that is not an option. */
const VERBS: Readonly<Record<string, { readonly reads: RegExp; readonly unless?: RegExp }>> = {
  git: {
    reads:
      /^(?:status|diff|log|show|add|stage|commit|blame|annotate|grep|ls-files|ls-tree|ls-remote|rev-parse|rev-list|branch|tag|fetch|push|remote|describe|reflog|shortlog|cat-file|check-ignore|check-attr|name-rev|merge-base|diff-tree|diff-index|diff-files|for-each-ref|show-ref|show-branch|whatchanged|count-objects|fsck|gc|help|version|notes|range-diff|cherry|init|var|hash-object|write-tree|commit-tree|update-ref|symbolic-ref|verify-commit|bugreport|maintenance|config|worktree|bisect|stash|update-index|interpret-trailers|send-email|request-pull|format-patch|archive|restore|checkout|switch|mv|rm|clean|apply|am|reset|pull|merge|rebase|cherry-pick|revert|clone|submodule)$/,
    unless:
      /^--output(?:=|$)|^-O|^--open-files-in-pager|^--ext-diff$|^--exec(?:=|$)|^-x$|^--extcmd|^run$|^foreach$/,
  },
  cargo: {
    reads: /^(?:test|t|check|c|clippy|build|b|bench|run|r|nextest|doc|tree|metadata|llvm-cov)$/,
    unless: /^--fix$/,
  },
  go: {
    reads: /^(?:test|vet|build|list|doc|version|env|tool|mod|install|get)$/,
    unless: /^-o$|^-(?:cpu|mem)profile|^-coverprofile/,
  },
  deno: { reads: /^(?:test|check|lint|info|doc|bench|task)$/, unless: /^--fix$/ },
  bun: { reads: /^(?:test|install|i|x)$/, unless: /^--reporter-outfile/ },
  gh: {
    reads: /^(?:pr|issue|api|run|repo|auth|search|workflow|status|browse|label)$/,
    unless: /^clone$|^download$|^checkout$/,
  },
  glab: { reads: /^(?:mr|issue|api|ci)$/, unless: /^checkout$/ },
  kubectl: { reads: /^(?:get|describe|logs|apply|create|explain|top|diff)$/ },
  biome: { reads: /^(?:check|lint|ci|format)$/, unless: /^--(?:write|fix|apply)/ },
  ruff: { reads: /^(?:check|rule|linter)$/, unless: /^--fix|^--output-file|^-o$/ },
  hg: { reads: /^(?:status|diff|log|add|commit|annotate|cat)$/ },
  svn: { reads: /^(?:status|diff|log|add|commit|blame|cat|info)$/ },
}

const FORMATTERS: Readonly<Record<string, Unless>> = {
  ...each(
    `prettier prettierd oxfmt dprint black isort autopep8 yapf gofmt goimports gofumpt rustfmt clang-format shfmt
    eslint oxlint xo standard stylelint biome ruff rubocop rubyfmt ktlint scalafmt swiftformat php-cs-fixer pint
    markdownlint taplo stylua ormolu fourmolu nixfmt zprint google-java-format`,
    /^--output-file|^-o$|^--output(?:=|$)|^--plugin|^--rulesdir|^--resolve-plugins/,
  ),
}

/** Names of scripts and tasks that check: `test:unit`, `run-tests.sh`, `lint`. */
const CHECKING =
  /(?:^|[-_.:/])(?:t|tests?|unit|e2e|spec|integration|checks?|types?|typecheck|tsc|lint|ci|verify|coverage|cov|conformance|bench|vitest|jest|mocha|ava|pytest|playwright|cypress)(?:$|[-_.:])/i
const FORMATTING = /(?:^|[-_.:/])(?:format|fmt|prettier|fix)(?:$|[-_.:])/i
const TEST_MODULES =
  /^(?:pytest|unittest|nose2?|doctest|coverage|mypy|flake8|pylint|tox|py_compile|ast|tokenize|json\.tool|compileall|pyflakes|pycodestyle|http\.server|this|pip|venv)$/

/** Returns what a program does with these words. */
export function conductOf(name: string, args: readonly string[]): Conduct {
  const own = args.map((arg) => arg.replaceAll('\0', ''))
  const verbs = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined
  if (verbs && verbs.reads.test(verbOf(own)) && !fits(verbs.unless, own)) return 'reads'
  if (TOOLS.has(toolName(name)) || (Object.hasOwn(READERS, name) && !fits(READERS[name], own))) return 'reads'
  if (Object.hasOwn(FORMATTERS, name) && !fits(FORMATTERS[name], own)) return 'keeps'
  if (name === 'make' || name === 'just' || name === 'task') return taskConduct(own)
  return isScript(name) ? namedConduct(name) : 'acts'
}

/** The values of options that say where a tool writes. */
export function outputsOf(name: string, args: readonly string[]): readonly string[] {
  if (!TOOLS.has(toolName(name))) return []
  return args.flatMap((arg, at) => {
    if (!OUTPUT_OPTION.test(arg)) return []
    const value = /^-o./.test(arg) ? arg.slice(2) : /=([^]*)$/.exec(arg)?.[1]
    return [value ?? args[at + 1] ?? '']
  })
}

/** `bin/rails` is rails. */
function toolName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1)
}

/** The effect of a package.json script by its name; the script itself is not read. */
export function scriptConduct(name: string): Conduct {
  return TOOLS.has(toolName(name)) ? 'reads' : namedConduct(name)
}

/** `python -m pytest` */
export function moduleConduct(name: string, args: readonly string[]): Conduct {
  if (TEST_MODULES.test(name)) return name === 'json.tool' && args.length > 1 ? 'acts' : 'reads'
  return conductOf(name, args)
}

function fits(pattern: Unless, args: readonly string[]): boolean {
  return pattern !== undefined && args.some((arg) => pattern.test(arg))
}

function verbOf(args: readonly string[]): string {
  const at = args.findIndex((arg, index) => !/^[-+]/.test(arg) && !/^-[CcR]$/.test(args[index - 1] ?? ''))
  return args[at] ?? ''
}

function taskConduct(args: readonly string[]): Conduct {
  if (args.some((arg) => /^-[a-zA-Z]*f|^--(?:file|makefile|eval)/.test(arg))) return 'acts'
  const targets = args.filter((arg) => !/^-|=/.test(arg))
  return targets.length > 0 && targets.every((target) => CHECKING.test(target)) ? 'reads' : 'acts'
}

function namedConduct(name: string): Conduct {
  if (CHECKING.test(name)) return 'reads'
  return FORMATTING.test(name) ? 'keeps' : 'acts'
}

function isScript(name: string): boolean {
  return name.includes('/') || /\.(?:sh|bash|py|rb|m?[jt]s|cjs)$/.test(name)
}

/** Variables that tell a program what to run or where to write. */
export const STEERING =
  /^(?:GIT_(?!AUTHOR|COMMITTER|TERMINAL|SSH_VARIANT|EDITOR$)\w+|BASH_ENV|ENV|LD_\w+|DYLD_\w+|PS[0-4]|PROMPT_COMMAND|NODE_OPTIONS|NODE_REDIRECT_WARNINGS|NODE_V8_COVERAGE|PYTHONSTARTUP|PYTHONPATH|PYTHONHOME|PERL5\w+|PERLLIB|RUBYOPT|RUBYLIB|(?:GIT_|VISUAL_)?EDITOR|VISUAL|(?:GIT_|MAN)?PAGER|LESSOPEN|LESSCLOSE|TAR_OPTIONS|SIMPLE_BACKUP_SUFFIX|MAKEFLAGS|MAKEFILES|JAVA_TOOL_OPTIONS|BASH_FUNC_\w+|SHELLOPTS|BASH_XTRACEFD|HISTFILE)$/
