// Runs inside Deno, with the permissions of the module that it is given. Reads {url, args, mark} from stdin, writes the
// outcome after `mark` to stdout; whatever the module prints itself goes to stderr.
const { url, args, mark } = JSON.parse(readAll())
console.log = console.info = console.debug = console.error
// They would fail at their first use; code that looks whether they are there can do without them.
delete globalThis.localStorage
delete globalThis.caches
let outcome
try {
  const module = await import(url)
  outcome =
    args === undefined
      ? { permissions: module.permissions === undefined ? {} : module.permissions }
      : { result: await call(module) }
} catch (error) {
  outcome = { error: describe(error) }
}
write(`\n${mark}${print(outcome)}\n`)
Deno.exit(0)

async function call({ default: run }) {
  if (typeof run !== 'function') throw new Error('the module has no function as its default export')
  return (await run(args)) ?? null
}

function print(value) {
  try {
    return JSON.stringify(value)
  } catch (error) {
    return JSON.stringify({
      error: { ...describe(error), message: `its result is no JSON: ${error.message}` },
    })
  }
}

function describe(error) {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), stack: '' }
  // Its address is all of its code.
  const [message, stack] = [error.message, error.stack ?? ''].map((text) => text.replaceAll(url, 'module.ts'))
  return { name: error.name, message, stack }
}

/** Plain reads: a stream costs a third of the start-up time. */
function readAll() {
  const parts = []
  const part = new Uint8Array(65_536)
  for (let length = Deno.stdin.readSync(part); length !== null; length = Deno.stdin.readSync(part))
    parts.push(part.slice(0, length))
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const one of parts) {
    whole.set(one, at)
    at += one.length
  }
  return new TextDecoder().decode(whole)
}

function write(text) {
  let bytes = new TextEncoder().encode(text)
  while (bytes.length > 0) bytes = bytes.subarray(Deno.stdout.writeSync(bytes))
}
