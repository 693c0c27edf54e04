// In its own process, so that sending megabytes does not slow down the clock that measures /healthz.
import { request } from 'node:http'

const CLIENTS = 10
const BODY = Buffer.from(`[${'[],'.repeat((4 * 1024 * 1024) / 3)}[]]`)

const run = { isOver: false, posts: 0 }
process.on('message', (order: { url?: string }) => {
  if (order.url === undefined) run.isOver = true
  else void postAll(order.url).then(() => process.send?.({ posts: run.posts }))
})
process.on('disconnect', () => process.exit())

async function postAll(url: string): Promise<void> {
  const client = async () => {
    for (; !run.isOver; run.posts++) await post(url)
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
}

/** The server may close the connection before it has read the body, so an error counts as a response. */
function post(url: string): Promise<void> {
  return new Promise((done) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': BODY.length }
    const sending = request(url, { method: 'POST', headers, agent: false }, (response) => response.resume())
    sending.on('error', () => {}).on('close', done)
    sending.end(BODY)
  })
}
