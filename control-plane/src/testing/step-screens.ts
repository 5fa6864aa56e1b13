/** Screens with which an agent double answers batches, for tests of steps. */
import { type ActionResult, type Element, type Observation } from '@phonerack/shared'
import { type Batch } from './agent-double/types.js'

let count = 0
export const snapshot = (): string =>
  `snp_${(count += 1).toString(8).padStart(12, '0').replaceAll('0', 'a').replaceAll('1', 'b')}`

export const element = (ref: number, more: Partial<Element>): Element => ({
  ref,
  type: 'TextView',
  text: null,
  desc: null,
  id: null,
  bounds: [0, 20 * ref, 100, 20 * ref + 20],
  center: [50, 20 * ref + 10],
  state: [],
  ...more,
})
const quotedLine = ({ ref, type, text, id, state, center }: Element): string =>
  [
    `[${ref}]`,
    type,
    ...(text === null ? [] : [JSON.stringify(text)]),
    ...(id === null ? [] : [`#${id}`]),
    ...state,
    `(${center.join(',')})`,
  ].join(' ')

export function screenOf(elements: Element[]): Observation {
  return {
    snapshot_id: snapshot(),
    taken_at: new Date().toISOString(),
    app: { package: 'com.example.app', activity: null },
    keyboard: { visible: false, focused_editable: false },
    screen: { width: 100, height: 200 },
    elements,
    truncated: false,
    text: ['app com.example.app', 'keyboard hidden', 'screen 100x200', ...elements.map(quotedLine)].join(
      '\n',
    ),
  }
}

export const pictureData = Buffer.from('a picture').toString('base64')

export const pictured = (elements: Element[]) => ({
  ...screenOf(elements),
  screenshot: { format: 'jpeg', width: 72, height: 144, scale: 0.72, data: pictureData } as const,
})

/** Answers that each action succeeded, with the screen `screen`. */
export const answering =
  (
    screen: object | null,
    change: (result: ActionResult) => ActionResult = (result) => result,
    elementBounds?: Buffer,
  ): Batch =>
  ({ actionsJson }, send) => {
    const actions = JSON.parse(Buffer.from(actionsJson).toString('utf8')) as { type: string }[]
    const results = actions.map(({ type }, index) => change({ index, type, ok: true, ms: 1 }))
    send({
      $case: 'ended',
      value: {
        observationJson: screen === null ? Buffer.alloc(0) : Buffer.from(JSON.stringify(screen)),
        resultsJson: Buffer.from(JSON.stringify(results)),
        ...(elementBounds ? { elementBounds } : {}),
      },
    })
    return Promise.resolve()
  }
