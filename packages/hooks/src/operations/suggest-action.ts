import type { Operation } from '../policy/policy.ts'
import { actionTemplates, type SpawnAction } from './action-templates.ts'

/** The action that does the operation the right way, with what the text says of its arguments. */
export function suggestAction(operation: Operation, text: string): SpawnAction {
  const action = templateFor(operation, text)
  // The policy may assign the operation to a server other than the template's.
  return { ...action, servers: [operation.server, ...action.servers.slice(1)] }
}

function templateFor({ name, server, example }: Operation, text: string): SpawnAction {
  switch (name) {
    case 'telegram': {
      const channel = /-?\d{8,}|@\w{5,}/.exec(text)?.[0] ?? '<channel>'
      if (/sendPhoto|send_photo|\.(?:png|jpe?g|webp)\b/i.test(text))
        return actionTemplates.sendImage({ channel, path: '<path>' })
      return actionTemplates.sendMessage({ channel, text: '<text>' })
    }
    case 'imagen':
      return actionTemplates.generateImage({ prompt: '<prompt>', path: '<path>' })
    case 'fetch':
      return actionTemplates.fetchUrl({ url: /https?:\/\/[^\s'"`<>()]+/.exec(text)?.[0] ?? '<url>' })
    case 'etherscan':
      return actionTemplates.queryChain({
        address: /0x[0-9a-fA-F]{40}/.exec(text)?.[0] ?? '<address>',
        question: '<question>',
      })
    default:
      return { type: 'spawn_worker', task: example, servers: [server] }
  }
}
