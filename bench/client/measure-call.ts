import { openPml } from '@pml-registry/pml'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Bench } from '../bench.ts'
import { moduleText } from '../registry/module-text.ts'
import { publishModule } from '../registry/publish-modules.ts'
import type { Registry } from '../registry/start-registry.ts'
import { makeTempFolder } from '../temp-folder.ts'
import { timed, type Timed } from './alternate.ts'
import { makeBenchWorkspace } from './bench-workspace.ts'
import { compare } from './compare.ts'

const MODULE_BYTES = 2048
const rounds = { warmUps: 5, rounds: 40 }
const deno = join(dirname(createRequire(import.meta.url).resolve('deno/package.json')), 'deno')
const args = { text: 'three plain words' }
const expected = JSON.stringify({ words: 3 })

/** A call of a locked, cached and unchanged module, compared with Deno started on the same file by a one-line program. */
export async function measureCall(bench: Bench, registry: Registry): Promise<void> {
  const code = moduleText('words', MODULE_BYTES)
  await publishModule(registry, 'bench.client.calling.words', code)
  const { root, env } = await makeBenchWorkspace(bench.stops, { allow: ['calling:*'] })
  const pml = await openPml({ workspace: root, env: { ...env, PML_DENO: deno }, registry: registry.url })
  bench.stops.add(pml.close)
  await compare(bench, 'run-deno', {
    ...rounds,
    ours: () =>
      timed(async () => {
        const called = await pml.call('calling:words', args)
        requireExpected('result' in called ? JSON.stringify(called.result) : 'a question')
      }),
    peer: await denoByHand(bench, code),
    against: 'Deno by hand',
  })
}

async function denoByHand({ stops }: Bench, code: string): Promise<Timed> {
  const folder = await makeTempFolder(stops)
  const main = join(folder, 'main.ts')
  await writeFile(join(folder, 'words.ts'), code)
  await writeFile(
    main,
    `import run from './words.ts'\nconsole.log(JSON.stringify(await run(JSON.parse(Deno.args[0]))))\n`,
  )
  const { PATH = '' } = process.env
  const env = { PATH, DENO_DIR: join(folder, 'deno'), DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' }
  return () =>
    timed(async () => {
      const child = spawn(deno, ['run', main, JSON.stringify(args)], { cwd: folder, env })
      child.stderr.pipe(process.stderr)
      child.stdin.end()
      const [printed] = await Promise.all([text(child.stdout), once(child, 'close')])
      requireExpected(printed.trim())
    })
}

function requireExpected(found: string): void {
  if (found !== expected) throw new Error(`Cannot compare: expected ${expected}, got ${found}`)
}
