import { connect } from 'node:net'
import { proofOfPerson } from '../src/machine/person/prove-person.ts'
import { linuxProcesses } from '../src/machine/person/linux-processes.ts'

// Says to a socket what proof of a person this very process has: prove-person <socket> <user> [--orphaned]
const [socket = '', user = '0', wait] = process.argv.slice(2)

const check = () => {
  // Its parent has to be gone first.
  if (wait === '--orphaned' && process.ppid !== 1) return void setTimeout(check, 5)
  const proof = proofOfPerson({
    processes: linuxProcesses(Number(user)),
    pid: process.pid,
    env: process.env,
  })
  connect(socket).end(JSON.stringify(proof))
}
check()
