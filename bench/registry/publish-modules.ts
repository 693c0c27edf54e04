import { moduleText } from './module-text.ts'
import type { Registry } from './start-registry.ts'

const MODULES = 60
const MODULE_BYTES = 2048

/** Publishes more modules than a page of the catalog contains. Returns their FQDNs. */
export async function publishModules(registry: Registry): Promise<string[]> {
  const fqdns: string[] = []
  for (let index = 0; index < MODULES; index++) {
    const id = `m_${String(index).padStart(3, '0')}`
    fqdns.push(await publishModule(registry, `bench.http.modules.${id}`, moduleText(id, MODULE_BYTES)))
  }
  return fqdns
}

/** Returns the FQDN. */
export async function publishModule(
  { url, adminKey }: Registry,
  name: string,
  text: string,
): Promise<string> {
  const answer = await fetch(`${url}/mcp/${name}`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${adminKey}`, 'Content-Type': 'application/typescript' },
    body: text,
  })
  if (answer.status !== 201) throw new Error(`Cannot publish ${name}: ${await answer.text()}`)
  const { fqdn } = (await answer.json()) as { fqdn: string }
  return fqdn
}
