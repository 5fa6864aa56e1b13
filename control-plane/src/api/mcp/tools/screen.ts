/** The tools that read the screen and act on it. */
import {
  actionBatchSchema,
  limits,
  snapshotId,
  waitBudget,
  type Action,
  type ActionResult,
  type ObserveMode,
} from '@phonerack/shared'
import { z } from 'zod'
import { maxWidthField } from '../../routes/phones/observe.js'
import { validationFailed } from '../../../base/validation/validation-error.js'
import { errorLines, withToolNext } from '../answers.js'
import { path, times } from '../api.js'
import { cutTexts, maxBytes } from '../lists.js'
import { showScreen, type Seen } from '../observation.js'
import { phoneId } from '../schemas.js'
import { entryLine, oneLine, quoted } from '../text.js'
import { defineTool, reads } from '../tool.js'
import { actionsSchema } from './action-schema.js'
import '../common-words.js'

const elements = z.boolean().optional().describe('Add elements with their bounds')
const since = snapshotId.optional().describe('The last snapshot_id')
const fresh = z.boolean().optional().describe('Read again, even if nothing was drawn')
const fold = z.boolean().optional().describe('false: long lists whole')

/** Characters of a text in a result, and of the output of a shell command. */
const maxResultText = 400
const maxOutput = 4000

interface BatchAnswer {
  results: ActionResult[]
  completed: number
  observation?: Seen
}

const isShell = ({ type }: ActionResult): boolean => type === 'shell'

/** @throws ApiError validation_failed */
function checkWaits(actions: readonly Action[]): void {
  const waits = waitBudget(actions)
  if (waits > times.start)
    throw validationFailed(
      'body',
      [
        {
          path: ['actions'],
          message: `must wait at most ${times.start} milliseconds in total over MCP, not ${waits}`,
          maximum: times.start,
        },
      ],
      'Split the batch into several calls of act. A wait_for without timeout_ms counts as 10000.',
    )
}

/**
 * Returns `0 tap ok changed=false`, the error of the action, whose details hold the candidates, or nothing for an action that did
 * what the model expects: each word costs the model a token in each step.
 * @param front the app on the screen that the answer shows
 */
function resultLines(
  { index, type, ok, ms: _, error, ...facts }: ActionResult,
  front: string | undefined,
): string[] {
  const { matched, moved, at_end, app, repeated, next } = facts
  // Most actions draw something, so `changed` is shown only for actions that drew nothing.
  const changed = facts.changed === false ? false : undefined
  const more = entryLine({
    matched,
    moved,
    at_end,
    in_front: app?.package === front ? undefined : app?.package,
    exit_code: facts.exit_code,
    timed_out: facts.timed_out || undefined,
    truncated: facts.truncated || undefined,
    stdout: facts.stdout,
    stderr: facts.stderr || undefined,
    changed,
    repeated,
  })
  if (ok && more === '') return []
  const head = `${index} ${type} ${ok ? 'ok' : 'failed'}${more === '' ? '' : ` ${more}`}`
  const advice = next === undefined ? [] : [`  next: ${oneLine(next)}`]
  return [head, ...(error ? errorLines(error).map((line) => `  ${line}`) : advice)]
}

export const screenTools = [
  defineTool({
    name: 'observe',
    title: 'Observe the screen',
    description:
      'Read the screen of a ready phone as numbered elements. Observe before you act, and after an unknown outcome. Pass the last snapshot_id as since to get only changes; elements keep their numbers. Ask for a screenshot only when the text does not suffice.',
    input: z.strictObject({
      phone_id: phoneId,
      screenshot: z.boolean().optional().describe('Add a JPEG'),
      max_width: maxWidthField.meta({ description: `Pixels; default ${limits.batchScreenshotWidth}` }),
      since,
      fresh,
      fold,
      elements,
    }),
    output: null,
    annotations: reads,
    async run({ phone_id: id, screenshot, max_width, since: known, fresh: again, ...shown }, api) {
      const picture = screenshot
        ? { screenshot: 'jpeg', max_width: max_width ?? limits.batchScreenshotWidth }
        : {}
      const query = { ...picture, since: known, fresh: again === true ? 'true' : undefined }
      const seen = await api.json<Seen>({ method: 'GET', path: path`/v1/phones/${id}/observe`, query })
      const { structured, lines, images } = showScreen(seen, shown)
      return { structured: { phone_id: id, ...structured }, text: lines.join('\n'), images }
    },
  }),
  defineTool({
    name: 'act',
    title: 'Act on the screen',
    description:
      'Run 1 to 20 actions in order; the first failure stops them. Returns results and the new screen, or its changes if since is given, so no observe is needed after it. Never repeat an action whose outcome is unknown (action_outcome_unknown, a timeout): observe first. No action starts after 40 s. Hand over with hand_off for sign-in and payment.',
    input: z.strictObject({
      phone_id: phoneId,
      actions: actionBatchSchema.shape.actions,
      observe: z
        .enum(['none', 'ui', 'screenshot', 'both'])
        .optional()
        .describe('The screen after success; default ui. A failed batch always returns it'),
      since,
      fold,
      elements,
    }),
    inputOverrides: { actions: actionsSchema },
    output: null,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    async run({ phone_id: id, actions, observe = 'ui', since: known, ...shown }, api) {
      checkWaits(actions)
      const json = { actions, ...observeWith(observe, known, shown.elements === true) }
      const {
        results: raw,
        completed,
        observation,
      } = await api.json<BatchAnswer>({ method: 'POST', path: path`/v1/phones/${id}/actions`, json })
      const results = raw.map((result): ActionResult => {
        const short = cutTexts(result, isShell(result) ? maxOutput : maxResultText) as ActionResult
        if (!result.error) return short
        const details = short.error?.details ?? {}
        return { ...short, error: withToolNext({ ...result.error, details }) }
      })
      const failure = results.find(({ ok }) => !ok)?.error
      const left = maxBytes - Buffer.byteLength(quoted({ results, failure }))
      const screen = observation ? showScreen(observation, shown, left) : null
      const unstarted = actions.length - results.length
      const lines = [
        `${completed} of ${actions.length} actions succeeded`,
        ...results.flatMap((result) => resultLines(result, observation?.app?.package)),
        ...(unstarted > 0 && !failure ? [notStarted(unstarted)] : []),
        ...(screen ? screen.lines : [`next: observe ${quoted({ phone_id: id })}`]),
      ]
      return {
        structured: {
          phone_id: id,
          completed,
          results,
          ...(screen ? { observation: screen.structured } : {}),
          ...(failure ? { error: failure } : {}),
        },
        text: lines.join('\n'),
        images: screen?.images ?? [],
        isError: failure !== undefined,
      }
    },
  }),
]

/** Without elements, the text suffices. */
function observeWith(observe: ObserveMode, since: string | undefined, withElements: boolean) {
  if (observe !== 'ui') return { observe }
  if (since !== undefined) return { observe: 'changes', since }
  return { observe: withElements ? 'ui' : 'text' }
}

const notStarted = (count: number): string =>
  `${count} actions were not started within ${times.start / 1000} s; send them in another call.`
