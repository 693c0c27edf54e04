import type { Agent } from 'node:http'
import { readAnswer } from '../raw-answer.ts'

export interface TimedPage {
  readonly total: number
  readonly nextCursor: string | undefined
  readonly ms: number
}

export async function readCatalogPage(url: string, agent: Agent): Promise<TimedPage> {
  const began = performance.now()
  const { status, body } = await readAnswer(url, { agent })
  const ms = performance.now() - began
  if (status !== 200) throw new Error(`Cannot read ${url}: expected 200, got ${status}`)
  const page = JSON.parse(new TextDecoder().decode(body)) as { total: number; nextCursor?: string }
  return { total: page.total, nextCursor: page.nextCursor, ms }
}
