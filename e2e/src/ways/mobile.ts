/** The same scripts with `@mobilenext/mobile-mcp`: elements have coordinates, and each gesture is a call. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Element } from '@phonerack/shared'
import { z } from 'zod'
import { type Action, type Screen } from '../tasks/way.js'
import { startMobileMcp } from '../bench/mobile-mcp.js'
import { byteLength, Count, type CountedWay } from './counted.js'

const seenSchema = z.array(
  z.object({
    type: z.string(),
    text: z.string().optional(),
    label: z.string().optional(),
    identifier: z.string().nullish(),
    coordinates: z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }),
  }),
)

/** Looks while a screen changes; `wait_idle` and the waits of actions have no counterpart. */
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
  const look = async (): Promise<Screen> => {
    const text = await call('mobile_list_elements_on_screen')
    const elements = seenSchema.parse(JSON.parse(text.slice(text.indexOf('[{')))).map(elementOf)
    return { snapshot_id: '', screen, elements, text }
  }
  type Target = Extract<Action, { type: 'tap' }>['target']
  const find = async (target: Target): Promise<[number, number]> => {
    if ('x' in target) return [target.x, target.y]
    for (let round = 0; ; round += 1) {
      const { elements } = await look()
      const found = elements.find((element) => isTarget(element, target))
      if (found) return found.center
      if (round === looks.count) throw new Error(`${JSON.stringify(target)} is not on the screen`)
      await pause(looks.pauseMs)
    }
  }
  const click = async (target: Target, tool = 'mobile_click_on_screen_at_coordinates'): Promise<void> => {
    const [x, y] = await find(target)
    await call(tool, { x, y })
  }
  const press = (button: string): Promise<string> => call('mobile_press_button', { button })

  const run = async (action: Action): Promise<void> => {
    switch (action.type) {
      case 'tap':
        return click(action.target)
      case 'long_press':
        return click(action.target, 'mobile_long_press_on_screen_at_coordinates')
      case 'type':
        if (action.target) await click(action.target)
        return void (await call('mobile_type_keys', { text: action.text, submit: false }))
      case 'hide_keyboard':
      case 'back':
        return void (await press('BACK'))
      case 'home':
        return void (await press('HOME'))
      case 'open_app':
        return void (await call('mobile_launch_app', { packageName: action.package }))
      case 'close_app':
        return void (await call('mobile_terminate_app', { packageName: action.package }))
      case 'open_url':
        return void (await call('mobile_open_url', { url: action.url }))
      case 'swipe':
        return void (await call('mobile_swipe_on_screen', swipeOf(action)))
      case 'scroll_to':
        for (let round = 0; round < 10; round += 1) {
          if ((await look()).elements.some((element) => isTarget(element, action.target))) return
          await call('mobile_swipe_on_screen', { direction: 'up' })
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
      return observe === 'none' ? null : look()
    },
    observe: look,
    stop: () => mcp.stop(),
  }
}

function elementOf(seen: z.infer<typeof seenSchema>[number], at: number): Element {
  const { type, text = '', label = '', identifier = null } = seen
  const { x, y, width, height } = seen.coordinates
  return {
    ...{ ref: at + 1, type, text: text === '' ? null : text, desc: label === '' ? null : label },
    ...{ id: identifier, bounds: [x, y, x + width, y + height] },
    center: [Math.round(x + width / 2), Math.round(y + height / 2)],
    state: /EditText/.test(type) ? ['editable'] : [],
  }
}

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
