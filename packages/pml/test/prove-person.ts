import { connect } from 'node:net'
import { proofOfPerson } from '../src/machine/person/prove-person.ts'
import { linuxProcesses } from '../src/machine/person/linux-processes.ts'

// Sends the proof of a person that this process has to a socket: prove-person <socket> <user> [--orphaned]
const [socket = '', user = '0', wait] = process.argv.slice(2)

const check = () => {
  // Waits until its parent has exited.
  if (wait === '--orphaned' && process.ppid !== 1) return void setTimeout(check, 5)
  const proof = proofOfPerson({
    processes: linuxProcesses(Number(user)),
    pid: process.pid,
    env: process.env,
  })
  connect(socket).end(JSON.stringify(proof))
}
check()
