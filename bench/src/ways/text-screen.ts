/** Reads the text form of a screen, like a client that sees only text. */
import { type Element } from '@phonerack/shared'
import { type Screen } from '@phonerack/e2e/tasks/way.js'

const linePattern = /^\[(\d+)\] (\S+)(?: "((?:\\.|[^"\\])*)")?(?: #(\S+))?((?: [\w-]+)*) \((-?\d+),(-?\d+)\)$/

const unescape = (text: string): string =>
  text.replace(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign))

/** The screen of a client that applies changes to what it knows. Elements that only moved keep their old places. */
export function changedScreen(known: Screen | null, text: string, snapshotId: string): Screen {
  const now = screenIn(text.replaceAll(/^[+~] /gm, ''), snapshotId)
  if (!known || !/^(?:same as snp_\w+|kept \d+)$/m.test(text)) return now
  const elements = new Map(known.elements.map((element) => [element.ref, element]))
  const gone = /^- ((?:\[\d+\] ?)+)$/m.exec(text)?.[1] ?? ''
  for (const ref of gone.match(/\d+/g) ?? []) elements.delete(Number(ref))
  for (const element of now.elements) elements.set(element.ref, element)
  const [left, top] = [0, 1] as const
  const ordered = [...elements.values()].sort(
    (a, b) => a.center[top] - b.center[top] || a.center[left] - b.center[left],
  )
  return { ...now, elements: ordered }
}

/** Other lines, such as the results of actions, are ignored. The bounds are only the center. */
export function screenIn(text: string, snapshotId: string): Screen {
  const app = /^app (\S+)$/m.exec(text)?.[1] ?? ''
  const size = /^screen (\d+)x(\d+)/m.exec(text)
  if (!size) throw new Error(`no screen in ${text}`)
  const elements = text.split('\n').flatMap((line): Element[] => {
    const found = linePattern.exec(line)
    if (!found) return []
    const [, ref, type = '', words, id, state = '', x, y] = found
    const [left, top] = [Number(x), Number(y)]
    return [
      {
        ref: Number(ref),
        type,
        text: words === undefined ? null : unescape(words),
        desc: null,
        id: id === undefined ? null : id.includes(':') ? id : `${app}:id/${id}`,
        bounds: [left, top, left, top],
        center: [left, top],
        state: state.split(' ').filter(Boolean),
      },
    ]
  })
  return {
    snapshot_id: snapshotId,
    screen: { width: Number(size[1]), height: Number(size[2]) },
    elements,
    text,
  }
}
