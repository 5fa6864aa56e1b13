/** The compact text form of a screen, as `format=text` answers it. Pure. Rules: `decisions.md`, Observations and results. */
import type { Element, Observation } from '@phonerack/shared'

type Head = Pick<Observation, 'app' | 'keyboard' | 'screen'>

/** The three lines above the elements. */
export function headLines({ app, keyboard, screen }: Head): string {
  const focused = keyboard.focused_editable ? ' focused' : ''
  return [
    // An unknown package leaves the word alone.
    `app ${escape(app.package)}`.trimEnd(),
    keyboard.visible ? `keyboard visible${focused}` : 'keyboard hidden',
    `screen ${screen.width}x${screen.height}${screen.on === false ? ' off' : ''}`,
  ].join('\n')
}

/**
 * `[ref] Type "text" #id flags (x,y)`; the quotes hold the text, else the description. An id of the app in front is written
 * without its package: targets by `id` take that form too.
 */
export function elementLine(element: Element, app: string): string {
  const words = element.text ?? element.desc
  const parts = [`[${element.ref}]`, escape(element.type)]
  if (words) parts.push(`"${escape(words)}"`)
  if (element.id) parts.push(`#${escape(shortId(element.id, app))}`)
  parts.push(...element.state, `(${element.center.join(',')})`)
  return parts.join(' ')
}

function shortId(id: string, app: string): string {
  const prefix = `${app}:id/`
  return id.startsWith(prefix) && id.length > prefix.length ? id.slice(prefix.length) : id
}

/** What an app writes stays inside its quotes and on its line: else a note's title could pass for an element. */
const escape = (text: string): string =>
  text.replace(/["\\]/g, '\\$&').replace(/\r\n|[\n\r\v\f\u2028\u2029\u0085]/g, '\\n')
