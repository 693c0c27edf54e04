import { flatten, list, newId, sendJson, startEvents, type Dialect, type Json } from './dialect.ts'

/** Anthropic Messages. */
export const anthropic: Dialect = {
  name: 'anthropic',
  speaks: (path) => path.endsWith('/messages'),
  read: (body) => {
    const parts = list(body['messages']).flatMap(partsOf)
    return {
      tools: list(body['tools']).map(({ name }) => String(name)),
      prompt: parts
        .filter(({ role, type }) => role === 'user' && type === 'text')
        .map(({ text }) => String(text))
        .join('\n'),
      results: resultsIn(parts),
    }
  },
  write: (response, { calls, text }, { body }) => {
    const usage = { input_tokens: 10, output_tokens: 1 }
    const reason = calls.length > 0 ? 'tool_use' : 'end_turn'
    const blocks: Json[] =
      calls.length > 0
        ? calls.map(({ tool, input }) => ({ type: 'tool_use', id: newId('toolu'), name: tool, input }))
        : [{ type: 'text', text }]
    const message = { id: newId('msg'), type: 'message', role: 'assistant', model: body['model'], usage }
    if (body['stream'] !== true) {
      return sendJson(response, { ...message, content: blocks, stop_reason: reason, stop_sequence: null })
    }
    const send = startEvents(response)
    const opening = { ...message, content: [], stop_reason: null, stop_sequence: null }
    send('message_start', { type: 'message_start', message: opening })
    blocks.forEach((block, index) => {
      const isCall = block['type'] === 'tool_use'
      const start = isCall ? { ...block, input: {} } : { type: 'text', text: '' }
      const delta = isCall
        ? { type: 'input_json_delta', partial_json: JSON.stringify(block['input']) }
        : { type: 'text_delta', text }
      send('content_block_start', { type: 'content_block_start', index, content_block: start })
      send('content_block_delta', { type: 'content_block_delta', index, delta })
      send('content_block_stop', { type: 'content_block_stop', index })
    })
    const delta = { stop_reason: reason, stop_sequence: null }
    send('message_delta', { type: 'message_delta', delta, usage: { output_tokens: 5 } })
    send('message_stop', { type: 'message_stop' })
    return void response.end()
  },
}

/** A hook's message after a call follows the result as a separate text. */
function resultsIn(parts: readonly Json[]): string[] {
  const results: string[] = []
  let isBehind = false
  for (const { role, type, content, text } of parts) {
    if (type === 'tool_result') results.push(flatten(content))
    else if (isBehind && role !== 'assistant' && type === 'text')
      results.push(`${results.pop()}\n${String(text)}`)
    isBehind = role !== 'assistant' && (isBehind || type === 'tool_result')
  }
  return results
}

function partsOf({ role, content }: Json): Json[] {
  return typeof content === 'string'
    ? [{ role, type: 'text', text: content }]
    : list(content).map((part) => ({ role, ...part }))
}
