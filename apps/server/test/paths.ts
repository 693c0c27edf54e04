import { fileURLToPath } from 'node:url'

export const rootDir = fileURLToPath(new URL('../../../', import.meta.url))
export const migrationsDir = `${rootDir}migrations`
export const stdDir = `${rootDir}packages/std/src`
export const serverProgram = `${rootDir}apps/server/dist/main.js`
export const assets = new URL('../dist/docs/reference/', import.meta.url)
export const serverDir = `${rootDir}apps/server`
