/** The compact text form of a screen, as `format=text` answers it. Pure. */
import type { Element, Observation } from '@phonerack/shared'

type Head = Pick<Observation, 'app' | 'keyboard' | 'screen'>

/** The three lines above the elements. */
export function headLines({ app, keyboard, screen }: Head): string {
  const focused = keyboard.focused_editable ? ' focused' : ''
  return [
    // An unknown package leaves the word alone.
    `app ${app.package}`.trimEnd(),
    keyboard.visible ? `keyboard visible${focused}` : 'keyboard hidden',
    `screen ${screen.width}x${screen.height}`,
  ].join('\n')
}

/** `[ref] Type "text" #id flags (x,y)`; the quotes hold the text, else the description. */
export function elementLine(element: Element): string {
  const words = element.text ?? element.desc
  const parts = [`[${element.ref}]`, oneLine(element.type)]
  if (words) parts.push(`"${oneLine(words)}"`)
  if (element.id) parts.push(`#${oneLine(element.id)}`)
  parts.push(...element.state, `(${element.center.join(',')})`)
  return parts.join(' ')
}

/** A line of the form is always one element, whatever an app writes. */
const oneLine = (text: string): string => text.replace(/\r\n|[\n\r\u2028\u2029\u0085]/g, '\\n')
