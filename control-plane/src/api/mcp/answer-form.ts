/**
 * The form of an answer of `/mcp`. The protocol requires that clients accept both JSON and a stream of
 * events. Gemini CLI lists only JSON, the Java SDK and the proxy of claude.ai list only the stream, and other
 * clients list neither. docs/mcp.md#clients
 */
const [json, stream] = ['application/json', 'text/event-stream']

export type AnswerForm = 'auto' | 'json' | 'sse'

/** Returns null for a client that accepts neither form. */
export function answerForm(accept = ''): AnswerForm | null {
  const types = accept.split(',').map((type) => type.split(';')[0]?.trim().toLowerCase() ?? '')
  const accepts = (type: string): boolean =>
    types.some((each) => each === type || each === `${type.split('/')[0]}/*`)
  if (accepts(stream)) return accepts(json) ? 'auto' : 'sse'
  return accepts(json) || types.some((type) => type === '' || type === '*/*') ? 'json' : null
}

/** The MCP library refuses a request whose `Accept` lacks either form. */
export const bothForms = `${json}, ${stream}`

/** Returns the last message of the stream as JSON. The messages before it report progress. */
export async function asJson(response: Response): Promise<Response> {
  if (response.headers.get('content-type')?.startsWith(stream) !== true) return response
  const messages = (await response.text()).split(/\r?\n/).filter((line) => line.startsWith('data:'))
  const headers = new Headers(response.headers)
  headers.set('content-type', json)
  return new Response(messages.at(-1)?.slice('data:'.length).trim() ?? '', {
    status: response.status,
    headers,
  })
}
