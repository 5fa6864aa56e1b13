/**
 * The helpers with which a task's script drives a phone, over `/v1` or another way. They use only the results
 * of that way.
 */
import { type Element } from '@phonerack/shared'
import { type Action, type Screen, type Way } from './way.js'

/** A text, another form of target, or a condition that selects the element on the screen. */
type What = string | { id: string } | { desc: string } | ((element: Element) => boolean)

export class PhoneAgent {
  constructor(private readonly way: Way) {}

  /** Runs a batch and returns the screen after it. Throws with the failed action. */
  async act(...actions: Action[]): Promise<Screen> {
    // An answer can have no screen, when the screen could not be read.
    return (await this.way.act(actions, 'ui')) ?? this.look()
  }

  /** Runs a batch where the screen cannot be read, or need not be read. */
  async actBlindly(...actions: Action[]): Promise<void> {
    await this.way.act(actions, 'none')
  }

  /** Reads the screen. `bounds`: with the bounds of the elements in addition to their centers. */
  look({ bounds = false }: { bounds?: boolean } = {}): Promise<Screen> {
    return this.way.observe(bounds)
  }

  /** Opens an app at its first screen. */
  open(name: string): Promise<Screen> {
    return this.act({ type: 'close_app', package: name }, { type: 'open_app', package: name })
  }

  openUrl(url: string): Promise<Screen> {
    return this.act({ type: 'open_url', url })
  }

  async tap(...whats: What[]): Promise<Screen> {
    let seen: Screen | undefined
    for (const what of whats) {
      if (typeof what === 'function') {
        const { snapshot_id, elements, text } = await this.look()
        const element = elements.find(what)
        if (!element) throw new Error(`nothing to tap for ${what.toString()} on\n${text}`)
        seen = await this.act({ type: 'tap', target: { ref: element.ref, snapshot_id } })
      } else seen = await this.act({ type: 'tap', target: typeof what === 'string' ? { text: what } : what })
    }
    return seen ?? this.look()
  }

  longPress(text: string): Promise<Screen> {
    return this.act({ type: 'long_press', target: { text } })
  }

  /** Replaces the content of a field, and closes the keyboard. */
  write(field: { id: string } | { text: string }, text: string): Promise<Screen> {
    return this.act({ type: 'type', target: field, text, clear: true }, { type: 'hide_keyboard' })
  }

  scrollTo(text: string): Promise<Screen> {
    return this.act({ type: 'scroll_to', target: { text } })
  }

  /** Pulls the shade down from the top of the screen. */
  async pullShade(): Promise<Screen> {
    const { width, height } = (await this.look()).screen
    const x = Math.round(width / 2)
    return this.act({ type: 'swipe', from: { x, y: 4 }, to: { x, y: Math.round(height * 0.7) } })
  }

  swipe(from: [number, number], to: [number, number]): Promise<Screen> {
    const [a, b] = [
      { x: from[0], y: from[1] },
      { x: to[0], y: to[1] },
    ]
    return this.act({ type: 'swipe', from: a, to: b })
  }

  home(): Promise<Screen> {
    return this.act({ type: 'home' })
  }
}

/** Returns the pattern's first group in the first matching text on the screen. */
export function readText(screen: Screen, pattern: RegExp): string {
  for (const { text } of screen.elements) {
    const found = text === null ? null : pattern.exec(text)
    if (found) return found[1] ?? found[0]
  }
  throw new Error(`no text like ${pattern.source} on\n${screen.text}`)
}

/** Returns the elements with this resource ID, in screen order. */
export const withId = (screen: Screen, id: string): Element[] =>
  screen.elements.filter((element) => element.id?.endsWith(`:id/${id}`))
