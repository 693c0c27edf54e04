#!/usr/bin/env node
// Commands are linked when packages are installed, which is before anything is built: so the link leads here. This file is
// CommonJS, as the hook is, and one file with what loads it: an agent waits for it at every call.
const { readFileSync, statSync } = require('node:fs')
const { join } = require('node:path')
const { Script } = require('node:vm')

const folder = join(__dirname, '..', 'bundle', 'hook')
const fileOf = (name) => join(folder, name)

/**
 * Runs a file of the hook, and those that it asks for, once each. What V8 made of a file before is taken where it is there
 * and fits: to make it again takes as long as the decision. `onLoad` is given each file with its script.
 */
function loadHook(name, onLoad = () => {}, loaded = new Map()) {
  const known = loaded.get(name)
  if (known) return known.exports
  const file = fileOf(name)
  const text = `(function (exports, require, module, __dirname) {${readFileSync(file, 'utf8')}\n})`
  const script = new Script(text, { filename: file, cachedData: findCompiled(file) })
  onLoad(file, script)
  const module = { exports: {} }
  loaded.set(name, module)
  const requireFrom = (id) => (id.startsWith('./') ? loadHook(id, onLoad, loaded) : require(id))
  script.runInThisContext()(module.exports, requireFrom, module, folder)
  return module.exports
}

/** V8 itself compares no more than the length of the text: what is older than the text is of another one. */
function findCompiled(file) {
  try {
    const compiled = compiledOf(file)
    return statSync(compiled).mtimeMs < statSync(file).mtimeMs ? undefined : readFileSync(compiled)
  } catch {
    return undefined
  }
}

/** One for each Node that runs it. */
function compiledOf(file) {
  return `${file}.${process.version}-${process.arch}`
}

module.exports = { compiledOf, fileOf, findCompiled, loadHook }

if (require.main === module) {
  if (process.argv[2] === 'hook') loadHook('main.cjs')
  else import('../bundle/main.js')
}
