/**
 * Builds the compact text form of a screen, which `format=text` returns. Pure.
 */
import type { Element, Observation } from '@phonerack/shared'

type Head = Pick<Observation, 'app' | 'keyboard' | 'screen'>

/** Returns the three lines above the elements. */
export function headLines({ app, keyboard, screen }: Head): string {
  const focused = keyboard.focused_editable ? ' focused' : ''
  return [
    // `trimEnd` removes the space when the package is unknown.
    `app ${escape(app.package)}`.trimEnd(),
    keyboard.visible ? `keyboard visible${focused}` : 'keyboard hidden',
    `screen ${screen.width}x${screen.height}${screen.on === false ? ' off' : ''}`,
  ].join('\n')
}

/**
 * Formats an element as `[ref] Type "text" #id flags (x,y)`; the quotes hold the text, or otherwise the description. An
 * ID of the foreground app is written without its package, a form that targets by `id` also accept.
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

/** Keeps app text inside its quotes and on its line, since otherwise a note's title could look like an element. */
const escape = (text: string): string =>
  text.replace(/["\\]/g, '\\$&').replace(/\r\n|[\n\r\v\f\u2028\u2029\u0085]/g, '\\n')
