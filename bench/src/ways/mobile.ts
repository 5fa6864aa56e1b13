/**
 * The same scripts with `@mobilenext/mobile-mcp`: elements have coordinates. Actions between two reads of the
 * list are one batch, which ends with the list of elements.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type Element } from '@phonerack/shared'
import { z } from 'zod'
import { type Action, type Screen } from '@phonerack/e2e/tasks/way.js'
import { startMobileMcp } from './mobile-mcp.js'
import { byteLength, Count, type CountedWay } from './counted.js'

/** A line of the default text form: `Type text="…" label="…" id="…" at=x,y size=WxH focused`. */
const linePattern =
  /^(?:@\S+ )?(\S+)((?: (?:text|label|name|value|id)="(?:\\.|[^"\\])*")*) at=(-?\d+),(-?\d+) size=(\d+)x(\d+)((?: \w+)*)$/
const fieldPattern = /(\w+)=("(?:\\.|[^"\\])*")/g

/** The first line of the list. */
const listHead = 'One element per line'

/**
 * The number of reads while a screen changes, since `wait_idle` and the waits of actions have no counterpart.
 */
const looks = { count: 5, pauseMs: 300 }

export async function countedMobile(serial: string, env: NodeJS.ProcessEnv): Promise<CountedWay> {
  const count = new Count()
  const mcp = await startMobileMcp(serial, env)
  const call = async (tool: string, args: Record<string, unknown> = {}): Promise<string> => {
    const sent = JSON.stringify({ tool, args })
    try {
      const text = await mcp.call(tool, args)
      count.add(byteLength(sent) + byteLength(text), sent, text)
      // Failures are texts too.
      if (/^(Error|Failed)/i.test(text)) throw new Error(`${tool}: ${text}`)
      return text
    } catch (error) {
      count.add(byteLength(sent) + byteLength(String(error)), sent, String(error))
      throw error
    }
  }

  const size = /(\d+)x(\d+)/.exec(await call('mobile_get_screen_size'))
  const screen = { width: Number(size?.[1]), height: Number(size?.[2]) }
  /** Actions that are not sent yet. They are sent in one call, together with the next list of elements. */
  let steps: { name: string; arguments: Record<string, unknown> }[] = []
  /** The last list, if no action was sent after it. */
  let last: Screen | null = null

  const step = (name: string, args: Record<string, unknown>): void => {
    steps.push({ name, arguments: args })
    last = null
  }
  const look = async (): Promise<Screen> => {
    const text = await sendSteps(true)
    return (last = { snapshot_id: '', screen, elements: elementsIn(text), text })
  }
  /** @returns the list of elements, if the caller requests it */
  async function sendSteps(isListed: boolean): Promise<string> {
    const sent = steps
    steps = []
    if (sent.length === 0) return isListed ? call('mobile_list_elements_on_screen') : ''
    const text = await call('mobile_batch_commands', {
      steps: sent,
      ...(isListed ? { listElementsAtEnd: true } : {}),
    })
    const failed = /^Step \d+ \(\w+\) failed: .*/m.exec(text)?.[0]
    if (failed !== undefined) throw new Error(failed)
    return text.slice(Math.max(0, text.indexOf(listHead)))
  }
  type Target = Extract<Action, { type: 'tap' }>['target']
  const find = async (target: Target): Promise<[number, number]> => {
    if ('x' in target) return [target.x, target.y]
    for (let round = 0; ; round += 1) {
      const { elements } = last ?? (await look())
      const found = elements.find((element) => isTarget(element, target))
      if (found) return found.center
      if (round === looks.count) throw new Error(`${JSON.stringify(target)} is not on the screen`)
      await pause(looks.pauseMs)
      last = null
    }
  }
  const click = async (target: Target, tool = 'mobile_click_on_screen_at_coordinates'): Promise<void> => {
    const [x, y] = await find(target)
    step(tool, { x, y })
  }

  const run = async (action: Action): Promise<void> => {
    switch (action.type) {
      case 'tap':
        return click(action.target)
      case 'long_press':
        return click(action.target, 'mobile_long_press_on_screen_at_coordinates')
      case 'type':
        if (action.target) await click(action.target)
        return step('mobile_type_keys', { text: action.text, submit: false })
      case 'hide_keyboard':
      case 'back':
        return step('mobile_press_button', { button: 'BACK' })
      case 'home':
        return step('mobile_press_button', { button: 'HOME' })
      case 'open_app':
        return step('mobile_launch_app', { packageName: action.package })
      case 'close_app':
        return step('mobile_terminate_app', { packageName: action.package })
      case 'open_url':
        return step('mobile_open_url', { url: action.url })
      case 'swipe':
        return step('mobile_swipe_on_screen', swipeOf(action))
      case 'scroll_to':
        for (let round = 0; round < 10; round += 1) {
          if ((last ?? (await look())).elements.some((element) => isTarget(element, action.target))) return
          step('mobile_swipe_on_screen', { direction: 'up' })
        }
        throw new Error(`${JSON.stringify(action.target)} was not found by scrolling`)
      default:
        throw new Error(`mobile-mcp has no ${action.type}`)
    }
  }
  return {
    count,
    async act(actions, observe) {
      for (const action of actions) await run(action)
      if (observe !== 'none') return last ?? look()
      await sendSteps(false)
      return null
    },
    observe: look,
    stop: () => mcp.stop(),
  }
}

/** The elements in a result of `mobile_list_elements_on_screen`. @throws Error for another form */
export function elementsIn(listed: string): Element[] {
  const [head = '', ...lines] = listed.split('\n')
  if (!head.startsWith(listHead)) throw new Error(`another form: ${head}`)
  return withRows(lines.map(elementOf))
}

function elementOf(line: string, at: number): Element {
  const [, type = '', fields = '', ...rest] = linePattern.exec(line) ?? []
  if (type === '') throw new Error(`another form: ${line}`)
  const named = new Map(
    [...fields.matchAll(fieldPattern)].map(([, name, value = '']) => [
      name,
      z.string().parse(JSON.parse(value)),
    ]),
  )
  const [x = 0, y = 0, width = 0, height = 0] = rest.slice(0, 4).map(Number)
  const states = rest[4]?.split(' ').filter(Boolean) ?? []
  return {
    ref: at + 1,
    type,
    text: named.get('text') ?? null,
    desc: named.get('label') ?? null,
    id: named.get('id') ?? null,
    bounds: [x, y, x + width, y + height],
    center: [Math.round(x + width / 2), Math.round(y + height / 2)],
    state: [...(type.includes('EditText') ? ['editable'] : []), ...states],
  }
}

/**
 * A container without text gets the texts of the elements inside it, as an agent concludes from their
 * positions.
 */
const withRows = (elements: readonly Element[]): Element[] =>
  elements.map((element) => {
    if (element.text !== null || element.desc !== null) return element
    const [left, top, right, bottom] = element.bounds
    const texts = elements.flatMap(({ text, center: [x, y] }) =>
      text !== null && x > left && x < right && y > top && y < bottom ? [text] : [],
    )
    return texts.length < 2 ? element : { ...element, text: texts.join(', ') }
  })

function isTarget(element: Element, target: object): boolean {
  const { text, desc, id, ref } = target as { text?: string; desc?: string; id?: string; ref?: number }
  if (ref !== undefined) return element.ref === ref
  if (text !== undefined) return element.text === text || element.desc === text
  if (desc !== undefined) return element.desc === desc || element.text === desc
  return id !== undefined && (element.id === id || element.id?.endsWith(`:id/${id}`) === true)
}

function swipeOf({ from, to }: Extract<Action, { type: 'swipe' }>): Record<string, unknown> {
  if (!('x' in from && 'x' in to)) throw new Error('a swipe needs points')
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  const isAcross = Math.abs(dx) > Math.abs(dy)
  const direction = isAcross ? (dx > 0 ? 'right' : 'left') : dy > 0 ? 'down' : 'up'
  return { direction, x: from.x, y: from.y, distance: Math.abs(isAcross ? dx : dy) }
}
