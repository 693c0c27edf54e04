/** Serves requests inside a side process, one at a time. */
export function serveRequests<Request, Answer>(answer: (request: Request) => Answer): void {
  process.on('message', ({ id, request }: { id: number; request: Request }) => {
    process.send?.({ id, answer: answer(request) })
  })
  process.send?.('ready')
}
