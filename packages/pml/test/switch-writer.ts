// Switches the servers of a file one after the other when its input has ended.
import { openServerSwitches } from '../src/servers/discover/server-switches.ts'

const [file = '', ...names] = process.argv.slice(2)
process.stdout.write('ready\n')
await process.stdin.resume().toArray()
const switches = openServerSwitches(file)
for (const name of names) await switches.set(name, false)
