/** A task for a worker and its servers. */
export interface SpawnAction {
  readonly type: 'spawn_worker'
  readonly task: string
  readonly servers: readonly string[]
}

/** Ready-made actions that include the required servers. */
export const actionTemplates = {
  sendMessage: ({ channel, text }: { channel: string; text: string }) =>
    spawn(`Send message to Telegram channel ${channel}: ${text}`, ['telegram']),
  sendImage: ({ channel, path, caption }: { channel: string; path: string; caption?: string }) =>
    spawn(`Send image ${path} to Telegram channel ${channel}${caption ? `: ${caption}` : ''}`, [
      'telegram',
      'filesystem',
    ]),
  generateImage: ({ prompt, path, model }: { prompt: string; path: string; model?: string }) =>
    spawn(`Generate image: ${prompt}. Save it to ${path}${model ? `. Model: ${model}` : ''}`, [
      'imagen',
      'filesystem',
    ]),
  fetchUrl: ({ url, purpose }: { url: string; purpose?: string }) =>
    spawn(`Fetch ${url}${purpose ? ` to ${purpose}` : ''}`, ['fetch']),
  queryChain: ({ address, question }: { address: string; question: string }) =>
    spawn(`Query Etherscan for ${address}: ${question}`, ['etherscan']),
} as const

function spawn(task: string, servers: readonly string[]): SpawnAction {
  return { type: 'spawn_worker', task, servers }
}

/** As an agent writes it. */
export function printActions(actions: readonly SpawnAction[]): string {
  return JSON.stringify({ actions })
}
