/**
 * Draws the figures of `./scripts/bench scale` as one SVG, with a panel per figure and a curve per label.
 * Pure.
 */

/** The figures of one size, as `--save` writes them. */
export interface SavedScale {
  label: string
  figures: Record<string, number>
}

interface Panel {
  title: string
  /** The name of a field of the figures. */
  field: string
  /** Converts to the unit of the title. */
  unit?: number
  /** The goal in the unit of the title, drawn as a dashed line. */
  goal?: number
}

const panels: readonly Panel[] = [
  { title: 'Creates a second, until ready', field: 'createsPerSecond', goal: 100 },
  { title: 'Lateness of parks, p99, ms', field: 'parkP99', goal: 1000 },
  { title: 'List of 50 phones, p99, ms', field: 'listP99' },
  { title: 'Idle control plane, ms of CPU a second', field: 'idleCpuMs' },
  { title: 'Idle Postgres, ms of CPU a second', field: 'idlePostgresMs' },
  { title: 'Memory of the control plane, MB', field: 'memoryPeak', unit: 1e6, goal: 500 },
]

const size = { width: 300, height: 190, gap: 24, columns: 3 }
const inset = { left: 52, right: 14, top: 34, bottom: 28 }
const colors = ['#1f6feb', '#d1872c', '#6e7781', '#2da44e']

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const at = (value: number): string => value.toFixed(1)

/** @param saved in any order; a line joins the sizes of one label */
export function drawScale(saved: readonly SavedScale[]): string {
  const labels = [...new Set(saved.map(({ label }) => label))]
  const rows = Math.ceil(panels.length / size.columns)
  const width = size.columns * (size.width + size.gap) + size.gap
  const height = rows * (size.height + size.gap) + size.gap + 28
  const drawn = panels.map((panel, index) => {
    const x = size.gap + (index % size.columns) * (size.width + size.gap)
    const y = size.gap + 28 + Math.floor(index / size.columns) * (size.height + size.gap)
    return `<g transform="translate(${x} ${y})">${drawPanel(panel, saved, labels)}</g>`
  })
  const legend = labels.map((label, index) => {
    const x = size.gap + index * 280
    return `<rect x="${x}" y="17" width="14" height="4" fill="${colorOf(index)}"/><text x="${x + 20}" y="24" class="t">${escape(label)}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<style>text{font:11px system-ui,sans-serif;fill:#424a53}.t{font-size:12px;font-weight:600;fill:#1f2328}</style>
<rect width="100%" height="100%" fill="#ffffff"/>
${legend.join('\n')}
${drawn.join('\n')}
</svg>
`
}

const colorOf = (index: number): string => colors[index % colors.length] ?? '#1f6feb'

function drawPanel(panel: Panel, saved: readonly SavedScale[], labels: readonly string[]): string {
  const { title, field, unit = 1, goal } = panel
  const points = saved.flatMap(({ label, figures }) => {
    const [x, y] = [figures['phones'], figures[field]]
    return x === undefined || y === undefined || !Number.isFinite(y) ? [] : [{ label, x, y: y / unit }]
  })
  const sizes = [...new Set(points.map(({ x }) => x))].sort((a, b) => a - b)
  const values = [...points.map(({ y }) => y), ...(goal === undefined ? [] : [goal])].filter((y) => y > 0)
  const [low, high] = decades(values)
  const [left, right] = [Math.log10(sizes[0] ?? 1), Math.log10(sizes.at(-1) ?? 10)]
  const plot = {
    width: size.width - inset.left - inset.right,
    height: size.height - inset.top - inset.bottom,
  }
  const toX = (phones: number): number =>
    inset.left + (right === left ? 0.5 : (Math.log10(phones) - left) / (right - left)) * plot.width
  const toY = (value: number): number =>
    inset.top + (1 - (Math.log10(Math.max(value, 10 ** low)) - low) / (high - low)) * plot.height
  const parts = [
    `<text x="0" y="14" class="t">${escape(title)}</text>`,
    ...ticks(low, high).map((value) => {
      const y = at(toY(value))
      return `<line x1="${inset.left}" x2="${size.width - inset.right}" y1="${y}" y2="${y}" stroke="#d8dee4"/><text x="${inset.left - 6}" y="${at(toY(value) + 4)}" text-anchor="end">${short(value)}</text>`
    }),
    ...sizes.map(
      (phones) =>
        `<text x="${at(toX(phones))}" y="${size.height - 10}" text-anchor="middle">${short(phones)}</text>`,
    ),
  ]
  if (goal !== undefined) {
    const y = at(toY(goal))
    parts.push(
      `<line x1="${inset.left}" x2="${size.width - inset.right}" y1="${y}" y2="${y}" stroke="#cf222e" stroke-dasharray="4 3"/>`,
    )
  }
  for (const [index, label] of labels.entries()) {
    const mine = points.filter((point) => point.label === label).sort((a, b) => a.x - b.x)
    const color = colorOf(index)
    const line = mine.map(({ x, y }) => `${at(toX(x))},${at(toY(y))}`).join(' ')
    parts.push(`<polyline points="${line}" fill="none" stroke="${color}" stroke-width="2"/>`)
    for (const { x, y } of mine)
      parts.push(`<circle cx="${at(toX(x))}" cy="${at(toY(y))}" r="3" fill="${color}"/>`)
  }
  return parts.join('\n')
}

/** Returns powers of ten around the values, at least one decade apart. */
function decades(values: readonly number[]): [number, number] {
  if (values.length === 0) return [0, 1]
  const low = Math.floor(Math.log10(Math.min(...values)))
  return [low, Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))))]
}

const ticks = (low: number, high: number): number[] =>
  Array.from({ length: high - low + 1 }, (_, step) => 10 ** (low + step))

const short = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 3 })
