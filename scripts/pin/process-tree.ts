import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Every process below `root`, those that left its group included. Nothing where there is no `ps` to ask. */
export async function descendantsOf(root: number): Promise<number[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=']).catch(() => ({ stdout: '' }))
  const rows = rowsOf(stdout)
  const found = new Set([root])
  for (const pid of found) for (const row of rows) if (row.parent === pid) found.add(row.pid)
  found.delete(root)
  return [...found]
}

function rowsOf(table: string): { pid: number; parent: number }[] {
  return table.split('\n').map((line) => {
    const [pid = Number.NaN, parent = Number.NaN] = line.trim().split(/\s+/).map(Number)
    return { pid, parent }
  })
}
