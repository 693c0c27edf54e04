import type { World } from '../world.ts'

/** The registry keeps its keys in its data folder. */
const keyFiles = /(?:^|[/\\])data[/\\](?:admin-key|log-key)$/
const envFiles = /(?:^|[/\\])\.env(?:\.[\w.-]+)?$/
const keyInEnv = /^\s*(?:export\s+)?PML_\w*KEY\s*=\s*['"]?[^\s'"#]/m

/** A file that holds nothing but a key of pml. */
function isKeyFile(path: string): boolean {
  return keyFiles.test(path)
}

/** The first of these files that holds a key of pml: one of the registry's, or an .env in which one is set. */
export function findKeyFile(paths: readonly string[], world: World): string | undefined {
  return paths.find((path) => {
    const real = world.realPath(path)
    if (isKeyFile(path) || isKeyFile(real)) return true
    if (!envFiles.test(path) && !envFiles.test(real)) return false
    const content = world.readFile(real)
    return content.kind === 'text' && keyInEnv.test(content.text)
  })
}
