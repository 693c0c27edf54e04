import { parseAnswer } from './parse-answer.ts'
import type { Http, HttpRequest } from './http.ts'

/** What the registry answers with, as JSON. Throws the error that it gave. */
export async function readAnswer(
  http: Http,
  registry: URL,
  { path, ...request }: HttpRequest & { readonly path: string },
): Promise<Record<string, unknown>> {
  const { status, headers, bytes } = await http.send(path, request)
  const isOk = status >= 200 && status < 300
  const text = new TextDecoder().decode(bytes)
  return parseAnswer({ isOk, status, text, location: headers['location'] }, registry)
}
