import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { denoPath } from '../../../test/test-workspace.ts'
import { findDeno } from './find-deno.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'find-deno-'))
})
afterEach(() => rm(folder, { recursive: true }))

const find = (env: Record<string, string>) =>
  findDeno({ env, platform: 'linux', workspace: join(folder, 'work'), own: join(folder, 'pml.js') })

async function program(...path: string[]): Promise<string> {
  const file = join(folder, ...path)
  await mkdir(join(file, '..'), { recursive: true })
  await writeFile(file, '#!/bin/sh\n')
  await chmod(file, 0o755)
  return file
}

async function npmPackage(...where: string[]): Promise<string> {
  const file = await program(...where, 'node_modules', 'deno', 'deno')
  await writeFile(join(file, '..', 'package.json'), '{"name":"deno","version":"2.0.0"}')
  return file
}

describe('Deno', () => {
  it('is the one that PML_DENO names, else the first on the path, else the npm package', async () => {
    const installed = await npmPackage()
    const [first, second] = [await program('a', 'deno'), await program('b', 'deno')]
    const PATH = ['a', 'b'].map((name) => join(folder, name)).join(delimiter)
    expect(await find({ PML_DENO: denoPath, PATH })).toBe(denoPath)
    expect(await find({ PATH })).toBe(first)
    await chmod(first, 0o644)
    expect(await find({ PATH })).toBe(second)
    expect(await find({})).toBe(installed)
  })

  it('is never the package of the workspace', async () => {
    await npmPackage('work')
    await expect(find({})).rejects.toMatchObject({ code: 'missing_program' })
  })

  it.each([
    ['in the workspace', () => join(folder, 'work', 'bin')],
    ['in the workspace, written with dots', () => join(folder, 'work') + '/../work/bin'],
    ['that is relative', () => relative(process.cwd(), join(folder, 'work', 'bin'))],
    ['that is the working directory', () => '.'],
    ['that is a link into the workspace', () => join(folder, 'link')],
    ['in the workspace that is a link out of it', () => join(folder, 'work', 'out')],
  ])('is not taken from a PATH entry %s', async (_what, entry) => {
    await program('work', 'bin', 'deno')
    const other = await program('b', 'deno')
    await symlink(join(folder, 'work', 'bin'), join(folder, 'link'))
    await program('c', 'deno')
    await symlink(join(folder, 'c'), join(folder, 'work', 'out'))
    expect(await find({ PATH: [entry(), join(folder, 'b')].join(delimiter) })).toBe(other)
  })

  it('is not a link on the PATH to a program of the workspace', async () => {
    const own = await program('work', 'node_modules', '.bin', 'deno')
    await mkdir(join(folder, 'a'))
    await symlink(own, join(folder, 'a', 'deno'))
    await expect(find({ PATH: join(folder, 'a') })).rejects.toMatchObject({ code: 'missing_program' })
  })

  it('in PML_DENO needs a whole path: a relative one would depend on the folder', async () => {
    const path = relative(process.cwd(), denoPath)
    await expect(find({ PML_DENO: path })).rejects.toMatchObject({ code: 'missing_program' })
  })

  it.each([
    ['that is not there', '/nowhere/deno'],
    ['that is a folder', tmpdir()],
  ])('in PML_DENO %s is an error that names the fix', async (_what, path) => {
    await expect(find({ PML_DENO: path })).rejects.toMatchObject({
      code: 'missing_program',
      message: `Cannot start Deno: PML_DENO is ${path}, which is not a program; set it to the absolute path of Deno, or unset it and run "npm install -g deno"`,
    })
  })

  it('that is nowhere is an error that says how to get it', async () => {
    await expect(find({ PATH: folder })).rejects.toMatchObject({
      code: 'missing_program',
      exitCode: 1,
      message: expect.stringMatching(/not installed; run "npm install -g deno".*PML_DENO/),
    })
  })
})
