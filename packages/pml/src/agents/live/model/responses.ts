import type { ToolUse } from '@pml/hooks/agents'
import { flatten, list, newId, sendJson, startEvents, type Dialect, type Json } from './dialect.ts'

/** OpenAI Responses. */
export const responses: Dialect = {
  name: 'responses',
  speaks: (path) => path.endsWith('/responses'),
  read: (body) => {
    const items = list(body['input'])
    // Some models of Codex get their tools in an input item.
    const more = items.filter(({ type }) => type === 'additional_tools').flatMap(({ tools }) => list(tools))
    return {
      tools: [...list(body['tools']), ...more].flatMap(namesOf),
      // A Codex subagent gets its task as a message of another agent.
      prompt: items
        .filter(({ role, type }) => role === 'user' || type === 'agent_message')
        .map(({ content }) => flatten(content))
        .join('\n'),
      results: items
        .filter(({ type }) => String(type).endsWith('_output'))
        .map(({ output }) => flatten(output)),
    }
  },
  write: (response, { calls, text }, { body }) => {
    const output: Json[] = calls.length > 0 ? calls.map(itemOf) : [messageOf(text)]
    const usage = {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 15,
    }
    const head = { id: newId('resp'), object: 'response', model: body['model'] }
    const whole = { ...head, status: 'completed', output, usage }
    if (body['stream'] !== true) return sendJson(response, whole)
    const send = startEvents(response)
    const opening = { ...head, status: 'in_progress', output: [], usage: null }
    send('response.created', { type: 'response.created', response: opening })
    output.forEach((item, output_index) => {
      const started = { ...item, status: 'in_progress' }
      send('response.output_item.added', { type: 'response.output_item.added', output_index, item: started })
      send('response.output_item.done', { type: 'response.output_item.done', output_index, item })
    })
    send('response.completed', { type: 'response.completed', response: whole })
    return void response.end()
  },
}

function namesOf({ type, name, tools }: Json): string[] {
  if (type === 'namespace') return list(tools).map((tool) => `${String(name)}.${String(tool['name'])}`)
  return [String(name ?? type)]
}

function itemOf({ tool, input, namespace }: ToolUse): Json {
  const call = { call_id: newId('call'), name: tool, status: 'completed', ...(namespace && { namespace }) }
  return typeof input === 'string'
    ? { type: 'custom_tool_call', id: newId('ctc'), ...call, input }
    : { type: 'function_call', id: newId('fc'), ...call, arguments: JSON.stringify(input) }
}

function messageOf(text: string): Json {
  const content = [{ type: 'output_text', text, annotations: [] }]
  return { type: 'message', id: newId('msg'), role: 'assistant', status: 'completed', content }
}
