/** Shows the panel of a step: its sender, its actions and their results. */
import type { Frame, Result, Screen } from './model.js'
import { foreign, make } from './dom.js'
import { actionWords, durationWords, senderWords, statusWords } from './words.js'

/**
 * @param before the screen before the step
 * @param count the number of all steps
 */
export function showDetails(
  into: HTMLElement,
  { step, number }: Frame,
  before: Screen | null,
  count: number,
): void {
  const head = make('h2', {}, `Step ${number + 1} of ${count} `)
  head.append(make('span', { class: `status ${safeWord(step.status)}`, text: statusWords(step) }))
  const facts = make('dl')
  const fact = (name: string, value: Node | string): void =>
    facts.append(make('dt', { text: name }), make('dd', {}, value))
  const time = make('time', { text: new Date(step.started_at).toLocaleString() })
  time.dateTime = step.started_at
  fact('Time', time)
  if (step.duration_ms !== null) fact('Took', durationWords(step.duration_ms))
  fact('From', foreign(senderWords(step.by)))
  fact('Request', make('code', { text: step.request_id }))
  if (!step.text_kept && step.actions.some(({ type }) => type === 'type')) fact('Typed text', 'is not kept')
  const list = make('ol', { class: 'actions' })
  step.actions.forEach((action, index) => {
    const result = step.results.find((each) => each.index === index)
    const item = make('li', { class: classOf(result) }, foreign(actionWords(action, before)))
    if (result) item.append(make('span', { class: 'ms', text: durationWords(result.ms) }))
    if (result?.changed === false && action.type !== 'shell')
      item.append(make('span', { class: 'ms', text: stillWords(result) }))
    const output = [result?.stdout, result?.stderr].filter(Boolean).join('\n')
    if (result?.exit_code !== undefined) {
      const end = result.exit_code === null ? 'was ended' : `exit code ${result.exit_code}`
      item.append(make('span', { class: 'ms', text: end }))
    }
    if (output !== '') item.append(make('pre', {}, foreign(output)))
    if (result?.error)
      item.append(
        make(
          'p',
          { class: 'error' },
          make('code', { text: result.error.code }),
          ' ',
          foreign(result.error.message),
        ),
      )
    list.append(item)
  })
  into.replaceChildren(head, facts, list)
  if (step.error)
    into.append(
      make(
        'p',
        { class: 'error' },
        make('code', { text: step.error.code }),
        ' ',
        foreign(step.error.message),
      ),
    )
}

const stillWords = ({ repeated }: Result): string =>
  repeated === undefined ? 'nothing was drawn' : `nothing was drawn, ${repeated} times`

const classOf = (result: Result | undefined): string => (result ? (result.ok ? 'ok' : 'failed') : 'not-run')

/** Converts a word to a class name. */
export const safeWord = (word: string): string => (/^[a-z_]+$/.test(word) ? word : 'other')
