// Writes the lockfile of a workspace as its arguments say, and prints a line after each write.
import { join } from 'node:path'
import { emptyWorkspaceConfig, noTrustParts, withEntry } from '@pml/core'
import { openDepsFile } from '../src/workspace/consent.ts'
import { openLockStore } from '../src/workspace/lock-store.ts'
import { changeConfig } from '../src/workspace/change-config.ts'
import { clientIdOf } from '../src/workspace/client-id.ts'
import { workspaceFilesOf } from '../src/workspace/workspace-files.ts'
import { entryOf, generation } from './lock-entries.ts'

const [way = '', root = '', number = '0'] = process.argv.slice(2)
const files = workspaceFilesOf(root)
const store = openLockStore({
  files,
  config: { read: async () => emptyWorkspaceConfig },
  isFrozen: false,
  tell: () => {},
})
const say = (text: string) => new Promise((done) => process.stdout.write(`${text}\n`, done))

// All writers start together when their input ends.
if (way.startsWith('one ') || way === 'client id') {
  await say('ready')
  await process.stdin.resume().toArray()
}
switch (way) {
  case 'for ever':
    for (let at = Number(number); ; at++) {
      await store.update(() => generation(at))
      await say(String(at))
    }
  case 'one entry':
    await store.update((lockfile) => withEntry(lockfile, entryOf(Number(number))))
    break
  case 'one rule': {
    // Stores no consent: only the file is under test.
    const trust = { change: async () => noTrustParts }
    await changeConfig({ files, trust }, (text) => {
      const config = JSON.parse(text) as { permissions: { allow: string[] } }
      config.permissions.allow.push(`text:tool${number}`)
      return JSON.stringify(config)
    })
    break
  }
  case 'one dependency':
    await openDepsFile(join(files.state, 'deps.json')).put(entryOf(Number(number)).name, {
      kind: 'command',
      commandLine: `run ${number}`,
      approvedAt: '2026-01-07T12:00:00Z',
    })
    break
  case 'stops inside': {
    let isFirst = true
    await store.update((lockfile) => {
      if (isFirst) process.stdout.write('inside\n')
      if (isFirst) process.kill(process.pid, 'SIGSTOP')
      isFirst = false
      return withEntry(lockfile, entryOf(Number(number)))
    })
    break
  }
  case 'client id':
    await say(await clientIdOf(files))
    break
  default:
    throw new Error(`no such way: ${way}`)
}
