import { flatten, list, newId, sendJson, startEvents, type Dialect, type Json } from './dialect.ts'

/** OpenAI Chat Completions. */
export const chat: Dialect = {
  name: 'chat',
  speaks: (path) => path.endsWith('/chat/completions'),
  read: (body) => {
    const messages = list(body['messages'])
    return {
      tools: list(body['tools']).map(({ function: declared }) => String((declared as Json)['name'])),
      prompt: messages
        .filter(({ role }) => role === 'user')
        .map(({ content }) => flatten(content))
        .join('\n'),
      results: messages.filter(({ role }) => role === 'tool').map(({ content }) => flatten(content)),
    }
  },
  write: (response, { calls, text }, { body }) => {
    const head = { id: newId('chatcmpl'), created: 1, model: body['model'] }
    const tool_calls = calls.map(({ tool, input }, index) => ({
      index,
      id: newId('call'),
      type: 'function',
      function: { name: tool, arguments: JSON.stringify(input) },
    }))
    const isCall = calls.length > 0
    const message = { role: 'assistant', ...(isCall ? { content: null, tool_calls } : { content: text }) }
    const finish_reason = isCall ? 'tool_calls' : 'stop'
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
    if (body['stream'] !== true) {
      const choices = [{ index: 0, message, finish_reason }]
      return sendJson(response, { ...head, object: 'chat.completion', choices, usage })
    }
    const send = startEvents(response)
    const chunk = { ...head, object: 'chat.completion.chunk' }
    send('', { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] })
    send('', { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] })
    send('', { ...chunk, choices: [], usage })
    send('', '[DONE]')
    return void response.end()
  },
}
