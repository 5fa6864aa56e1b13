/** The tool that reads the steps of a phone. */
import { z } from 'zod'
import { type StepJson } from '../../../phone-io/steps/types.js'
import { path } from '../api.js'
import { pageAnswer, pageOutput } from '../lists.js'
import { next, phoneId } from '../schemas.js'
import { entryLine } from '../text.js'
import { defineTool, reads } from '../tool.js'

/** One step, with the error of the action that failed. */
function stepLine({ id, status, started_at: at, by, actions, results, error }: StepJson): string {
  const failed = (results as { error?: { code: string } }[]).find((result) => result.error)?.error
  return entryLine({
    id,
    status,
    at,
    via: by.via,
    client: by.client,
    actions,
    error: failed?.code ?? error?.code,
  })
}

export const stepTools = [
  defineTool({
    name: 'list_steps',
    title: 'List steps',
    description: 'List the batches of actions that ran on a phone, newest first, with senders and results.',
    input: z.strictObject({
      phone_id: phoneId,
      session: z.string().min(1).optional(),
      cursor: z.string().min(1).optional(),
    }),
    output: { ...pageOutput, next },
    annotations: reads,
    async run({ phone_id: id, session, cursor }, api) {
      const read = (limit = 20) =>
        api.json<{ data: StepJson[]; next_cursor: string | null }>({
          method: 'GET',
          path: path`/v1/phones/${id}/steps`,
          query: { observations: 'none', limit, session, cursor },
        })
      const hint = `A replay is at GET /v1/phones/${id}/steps/export?format=html with the API key; format=ts or python is a script that repeats it.`
      const { structured, text } = await pageAnswer(read, 'steps', stepLine)
      return { structured: { ...structured, next: hint }, text: `${hint}\n${text}` }
    },
  }),
]
