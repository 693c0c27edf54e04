import { PmlError, type Name } from '@pml/core'
import type { Source } from '../db/schema.ts'

export function notFound(name: Name): PmlError {
  return new PmlError('not_found', `MCP '${name}' not in registry`)
}

export function gone(name: Name): PmlError {
  return new PmlError('gone', `MCP '${name}' was retired; its releases stay readable at /blobs/<integrity>`)
}

export function hashMismatch(name: Name, { asked, current }: { asked: string; current: string }): PmlError {
  const message = `Hash '${asked.slice(0, 64)}' does not match current hash '${current}' for ${name}`
  return new PmlError('hash_mismatch', message, { currentFqdn: `${name}.${current}` })
}

export function ofOneMachine(name: Name): PmlError {
  return new PmlError(
    'forbidden',
    `Cannot publish ${name}: names that begin with local are reserved for servers on one machine; choose another org`,
  )
}

export function managedElsewhere(name: Name, source: Source): PmlError {
  const place = source === 'std' ? 'packages/std' : 'config/mcp-servers.json'
  return new PmlError(
    'managed_by_config',
    `Cannot change ${name} here: it comes from ${place}; change it there`,
  )
}
