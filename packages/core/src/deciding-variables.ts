const deciding =
  /^(?:PATH|(?:LD|DYLD)_.*|NODE_OPTIONS|NODE_PATH|NPM_CONFIG_.*|PYTHON(?:PATH|HOME|STARTUP|INSPECT)|RUBY(?:OPT|LIB)|PERL5?(?:OPT|LIB)|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|CLASSPATH|BASH_ENV|ENV|SHELL|DENO_.*|BUN_.*|UV_.*|PIP_.*)$/i

/** Reports whether a variable decides which program runs or what it loads. */
export function isDeciding(name: string): boolean {
  return deciding.test(name)
}
