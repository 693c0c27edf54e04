// Replaces npm and fails or hangs, as its first argument says. Writes its process ids into the parent folder.
import { spawn } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'

const manner = process.argv[2]
appendFileSync('../pids', `${process.pid} `)
writeFileSync('../env', Object.keys(process.env).sort().join(' '))

if (manner === 'hangs') {
  const idle = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'
  const child = spawn(process.execPath, ['-e', idle], { stdio: 'ignore', detached: true })
  appendFileSync('../pids', `${child.pid} `)
  writeFileSync('../hanging', '')
  setInterval(() => {}, 1000)
} else {
  console.error(`npm error code ${manner}`)
  console.log(JSON.stringify({ error: { code: manner, summary: `${manner}: because`, detail: '' } }))
  process.exitCode = 1
}
