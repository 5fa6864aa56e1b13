/**
 * OpenAI's protocol for models, `POST /v1/responses`, limited to the parts that agents use: whole answers as
 * JSON. Pure.
 */
import { z } from 'zod'
import type { Protocol, Reply } from './scripted-model.js'

const body = z.looseObject({
  input: z.array(z.looseObject({ type: z.string().optional() })),
  tools: z.array(z.looseObject({ name: z.string() })).default([]),
  stream: z.literal(false).optional(),
})

const itemOf = (reply: Reply) =>
  'text' in reply
    ? {
        type: 'message',
        id: `msg_${reply.turn}`,
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: reply.text, annotations: [] }],
      }
    : {
        type: 'function_call',
        id: `fc_${reply.turn}`,
        call_id: reply.call.id,
        status: 'completed',
        name: reply.call.name,
        arguments: JSON.stringify(reply.call.input),
      }

export const responses: Protocol = {
  read(given) {
    const { input, tools } = body.parse(given)
    return {
      tools: tools.map(({ name }) => name),
      results: input.filter(({ type }) => type === 'function_call_output').length,
    }
  },
  type: 'application/json',
  write: (reply) =>
    JSON.stringify({
      id: `resp_${reply.turn}`,
      object: 'response',
      created_at: 1,
      model: 'scripted',
      status: 'completed',
      output: [itemOf(reply)],
      error: null,
      incomplete_details: null,
      instructions: null,
      metadata: {},
      parallel_tool_calls: false,
      temperature: 1,
      top_p: 1,
      tool_choice: 'auto',
      tools: [],
      usage: {
        input_tokens: 1,
        output_tokens: 1,
        total_tokens: 2,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens_details: { reasoning_tokens: 0 },
      },
    }),
}
