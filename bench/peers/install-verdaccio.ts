import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../root.ts'

const folder = join(root, 'node_modules', '.cache', 'pml-bench', 'verdaccio')
const manifest = {
  private: true,
  dependencies: { verdaccio: '6.8.0' },
  overrides: { 'node-fetch': '2.7.0' },
}

/** Installs it once per clone from npm's configured registry. Returns the program to start. */
export async function installVerdaccio(tell: (text: string) => void): Promise<string> {
  const finished = join(folder, '.installed')
  if (!existsSync(finished)) {
    tell(`installing verdaccio ${manifest.dependencies.verdaccio}`)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest, null, 2))
    npmInstall()
    await writeFile(finished, '')
  }
  return join(folder, 'node_modules', 'verdaccio', 'bin', 'verdaccio')
}

function npmInstall(): void {
  const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error(`Cannot install verdaccio: npm exited with ${status}`)
}
