/**
 * Anthropic's protocol for models, `POST /v1/messages`, limited to the parts that agents use: server-sent
 * events. Pure.
 */
import { z } from 'zod'
import type { Protocol, Reply } from './scripted-model.js'

const block = z.looseObject({ type: z.string() })
const body = z.looseObject({
  messages: z.array(z.looseObject({ content: z.union([z.string(), z.array(block)]) })),
  tools: z.array(z.looseObject({ name: z.string() })).default([]),
  stream: z.literal(true),
})

const usage = { input_tokens: 1, output_tokens: 1 }

/** A block of content, and the deltas that are added to it. */
const partsOf = (reply: Reply) =>
  'text' in reply
    ? [
        { type: 'text', text: '' },
        { type: 'text_delta', text: reply.text },
      ]
    : [
        { type: 'tool_use', id: reply.call.id, name: reply.call.name, input: {} },
        { type: 'input_json_delta', partial_json: JSON.stringify(reply.call.input) },
      ]

function eventsOf(reply: Reply): { type: string; [field: string]: unknown }[] {
  const [content_block, delta] = partsOf(reply)
  const message = {
    id: `msg_${reply.turn}`,
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  }
  const stop_reason = 'text' in reply ? 'end_turn' : 'tool_use'
  return [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]
}

export const messages: Protocol = {
  read(given) {
    const read = body.parse(given)
    const blocks = read.messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))
    return {
      tools: read.tools.map(({ name }) => name),
      results: blocks.filter(({ type }) => type === 'tool_result').length,
    }
  },
  type: 'text/event-stream',
  write: (reply) =>
    eventsOf(reply)
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join(''),
}
