/**
 * A model on this machine that speaks the protocols of OpenAI and Anthropic, and answers from a script. It keeps no state:
 * the number of tool results in a request selects the turn, so a client can repeat a request.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { messages } from './anthropic.js'
import { responses } from './openai.js'

/** The tool's name without the prefix of the framework. */
export type Turn =
  | { tool: string; input: (phoneId: string) => Record<string, unknown> }
  | { say: string }
  | { refuse: number }

export interface ModelRequest {
  /** The names of the request's tools, as the framework sends them. */
  tools: readonly string[]
  /** The number of tool results in the request. */
  results: number
}

/** An answer of the model, with its number, since frameworks join messages with the same ID. */
export type Reply = { turn: number } & (
  | { text: string }
  | { call: { name: string; id: string; input: Record<string, unknown> } }
)

/** A provider's protocol, in the form that the frameworks request. */
export interface Protocol {
  /** @throws Error for another form */
  read(body: unknown): ModelRequest
  type: string
  write(reply: Reply): string
}

const protocols: Readonly<Record<string, Protocol>> = { '/v1/responses': responses, '/v1/messages': messages }

export interface Model {
  /** The environment variables through which the providers' clients find the model. */
  env: Readonly<Record<string, string>>
  /** The bodies of the requests that had tools. */
  requests: string[]
  stop(): Promise<void>
}

export async function startModel(script: readonly Turn[]): Promise<Model> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    answer(request, response, script, requests).catch((error: unknown) => {
      response.writeHead(500).end(String(error))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    env: {
      OPENAI_BASE_URL: `${address}/v1`,
      OPENAI_API_KEY: 'scripted',
      ANTHROPIC_BASE_URL: address,
      ANTHROPIC_API_KEY: 'scripted',
    },
    requests,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  script: readonly Turn[],
  requests: string[],
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost')
  const body = await text(request)
  const protocol = request.method === 'POST' ? protocols[pathname] : undefined
  if (protocol === undefined) return void response.writeHead(404).end()
  const asked = protocol.read(JSON.parse(body))
  // Frameworks also request titles and summaries, without tools.
  const turn: Turn = (asked.tools.length > 0 ? script[asked.results] : undefined) ?? { say: 'A title' }
  if (asked.tools.length > 0) requests.push(body)
  if ('refuse' in turn) {
    const error = { type: 'invalid_request_error', message: 'The model refuses this request.' }
    response.writeHead(turn.refuse, { 'content-type': 'application/json' })
    return void response.end(JSON.stringify({ type: 'error', error }))
  }
  response.writeHead(200, { 'content-type': protocol.type })
  response.end(protocol.write(replyFor(turn, asked, body)))
}

/** @throws Error when the request lacks the tool or the phone */
function replyFor(
  turn: Exclude<Turn, { refuse: number }>,
  { tools, results }: ModelRequest,
  body: string,
): Reply {
  if ('say' in turn) return { turn: results, text: turn.say }
  const name = tools.find((each) => each === turn.tool || each.endsWith(`_${turn.tool}`))
  if (name === undefined) throw new Error(`there is no tool ${turn.tool} among ${tools.join(', ')}`)
  const phoneId = /\bph_[a-z2-7]{12}\b/.exec(body)?.[0]
  if (phoneId === undefined) throw new Error('the request does not name a phone')
  return { turn: results, call: { name, id: `call_${results}`, input: turn.input(phoneId) } }
}
