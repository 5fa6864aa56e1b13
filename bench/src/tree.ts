// bench: from a screen's XML to elements, compared with fast-xml-parser and a plain walk
/**
 * The agent's time for a screen of 1,500 nodes, from the phone's XML to the finished observation, compared with the
 * usual code: fast-xml-parser into objects, and a walk that lists nodes with text or
 * clickable nodes, with their centres. That walk does not merge buttons, clip, hide or order nodes.
 * `./scripts/bench tree`.
 */
import { XMLParser } from 'fast-xml-parser'
import { observationFromXml } from '@phonerack/host-agent/elements'
import { alternate, print } from './figures.js'

const rounds = Number(process.env['ROUNDS'] ?? 100)
const screen = { width: 1344, height: 2992 }

/** All attributes that a phone writes. */
const node = (values: Readonly<Record<string, string>>, children = ''): string => {
  const attributes = {
    index: '0',
    text: '',
    'resource-id': 'com.example.meals:id/view',
    class: 'android.view.View',
    package: 'com.example.meals',
    'content-desc': '',
    ...Object.fromEntries(
      ['checkable', 'checked', 'clickable', 'focusable', 'focused', 'long-clickable'].map((n) => [
        n,
        'false',
      ]),
    ),
    ...Object.fromEntries(['password', 'scrollable', 'selected'].map((name) => [name, 'false'])),
    enabled: 'true',
    'drawing-order': '1',
    ...values,
  }
  const written = Object.entries(attributes).map(([name, value]) => `${name}="${value}"`)
  return `<node ${written.join(' ')}>${children}</node>`
}

/** Rows of a list: picture, name, price, a counter of three parts, a line. Each row has 9 nodes. */
const row = (index: number): string => {
  const top = 100 + index * 17
  const place = (left: number, right: number): Record<string, string> => ({
    bounds: `[${left},${top}][${right},${top + 17}]`,
  })
  const press = { clickable: 'true' }
  const counter = [
    node({ ...press, ...place(1056, 1128), 'content-desc': 'Less' }),
    node({ ...place(1128, 1200), text: String(index) }),
    node({ ...press, ...place(1200, 1272), 'content-desc': 'More' }),
  ]
  const parts = [
    node(place(40, 80)),
    node({ ...place(90, 400), text: `Dish ${index}` }),
    node({ ...place(400, 600), text: `€ ${index}` }),
    node({ ...press, ...place(1056, 1272) }, counter.join('')),
    node(place(36, 1308)),
  ]
  return node({ ...press, ...place(36, 1308) }, parts.join(''))
}

const rows = Array.from({ length: 166 }, (_, index) => row(index)).join('')
const list = node({ scrollable: 'true', bounds: '[0,100][1344,2992]' }, rows)
const xml = `<?xml version="1.0"?><hierarchy rotation="0">${[0, 1, 2, 3, 4].reduce(
  (inner) => node({ bounds: '[0,0][1344,2992]' }, inner),
  list,
)}</hierarchy>`

type Parsed = Readonly<Record<string, unknown>>
const word = (value: unknown): string => (typeof value === 'string' ? value : '')

function plainWalk(source: string): number {
  const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '', preserveOrder: false })
  const found: { words: string; x: number; y: number }[] = []
  const walk = (parsed: Parsed): void => {
    const words = word(parsed['text']) || word(parsed['content-desc'])
    const bounds = /\[(\d+),(\d+)\]\[(\d+),(\d+)\]/.exec(word(parsed['bounds']))
    if (bounds && (words !== '' || parsed['clickable'] === 'true')) {
      const [left = 0, top = 0, right = 0, bottom = 0] = bounds.slice(1).map(Number)
      found.push({ words, x: (left + right) / 2, y: (top + bottom) / 2 })
    }
    const children = parsed['node']
    for (const child of Array.isArray(children) ? children : children ? [children] : []) walk(child as Parsed)
  }
  walk((parser.parse(source) as { hierarchy: Parsed }).hierarchy)
  return found.length
}

const ours = observationFromXml(xml, screen).elements.length
process.stdout.write(
  `${xml.length} characters, ${xml.split('<node ').length - 1} nodes; elements: ours ${ours} (500 at most are listed), plain walk ${plainWalk(xml)}\n`,
)
print(
  'A screen of 1,500 nodes, from XML to elements',
  await alternate(
    [
      {
        name: 'ours: parse, build, observation with its text',
        run: () => Promise.resolve(observationFromXml(xml, screen)),
      },
      { name: 'fast-xml-parser and a plain walk', run: () => Promise.resolve(plainWalk(xml)) },
    ],
    rounds,
  ),
)
