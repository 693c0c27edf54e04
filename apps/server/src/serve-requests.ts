/** Runs in a side process: answers its requests one after the other. */
export function serveRequests<Request, Answer>(answer: (request: Request) => Answer): void {
  process.on('message', ({ id, request }: { id: number; request: Request }) => {
    process.send?.({ id, answer: answer(request) })
  })
  process.send?.('ready')
}
