import { list, newId, sendJson, startEvents, type Dialect, type Json } from './dialect.ts'

/** Gemini generateContent. */
export const gemini: Dialect = {
  name: 'gemini',
  speaks: (path) => /:(?:streamG|g)enerateContent$/.test(path),
  read: (body) => {
    const parts = list(body['contents']).flatMap(({ role, parts }) =>
      list(parts).map((part): Json => ({ role, ...part })),
    )
    return {
      tools: list(body['tools']).flatMap(({ functionDeclarations }) =>
        list(functionDeclarations).map(({ name }) => String(name)),
      ),
      prompt: parts
        .filter(({ role, text }) => role === 'user' && text !== undefined)
        .map(({ text }) => String(text))
        .join('\n'),
      results: parts.flatMap(({ functionResponse }) =>
        functionResponse === undefined ? [] : [textIn((functionResponse as Json)['response'])],
      ),
    }
  },
  write: (response, { calls, text }, { body, path }) => {
    const parts: Json[] =
      calls.length > 0
        ? calls.map(({ tool, input }) => ({ functionCall: { name: tool, args: input, id: newId('call') } }))
        : [{ text: wantsJson(body) ? judgement : text }]
    const answer = {
      candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
      modelVersion: 'scripted',
    }
    if (!path.includes('stream')) return sendJson(response, answer)
    startEvents(response)('', answer)
    return void response.end()
  },
}

function textIn(response: unknown): string {
  const { error, output } = (response ?? {}) as { error?: unknown; output?: unknown }
  const said = error ?? output
  return typeof said === 'string' ? said : JSON.stringify(response)
}

/** Requests with a schema ask which model to use and whether to continue. */
function wantsJson({ generationConfig }: Json): boolean {
  const { responseJsonSchema, responseSchema } = (generationConfig ?? {}) as Json
  return responseJsonSchema !== undefined || responseSchema !== undefined
}

const judgement = JSON.stringify({
  reasoning: 'scripted',
  model_choice: 'pro',
  next_speaker: 'user',
  complexity_reasoning: 'scripted',
  complexity_score: 50,
})
