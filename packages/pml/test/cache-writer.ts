// Repeatedly writes the same content into a cache and reads it back each time.
import { integrityOf } from '@pml/core'
import { openContentCache } from '../src/registry/content-cache.ts'

const [folder = '', times = '1'] = process.argv.slice(2)
const told: string[] = []
const cache = openContentCache({ folder, tell: (message) => told.push(message), onPut: () => {} })
const bytes = Buffer.alloc(300_000, 'content ')
const integrity = integrityOf(bytes)
for (let count = 0; count < Number(times); count++) {
  await cache.put(integrity, bytes)
  if (!(await cache.find(integrity))?.equals(bytes)) throw new Error('it was not there')
}
if (told.length > 0) throw new Error(told.join('\n'))
