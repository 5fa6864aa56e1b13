/** The names of metrics in PromQL, for tests that compare `deploy/monitoring` with what the programs export. */

const token = /"(?:[^"\\]|\\.)*"|\[[^\]]*\]|[a-zA-Z_:][\w:]*|\d[\w.]*|\s+|./gy

/** Operators and numbers with names. */
const operators = new Set(['and', 'or', 'unless', 'offset', 'bool', 'atan2', 'inf', 'nan'])
/** Followed by a list of labels. */
const lists = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right'])

/** Leaves out functions, aggregations, labels and operators. */
export function metricsIn(expression: string): Set<string> {
  const tokens = (expression.match(token) ?? []).filter((text) => text.trim() !== '')
  const found = new Set<string>()
  /** The bracket that ends a list of labels or matchers. */
  let end: string | null = null
  for (const [at, text] of tokens.entries()) {
    const next = tokens[at + 1] ?? ''
    if (end !== null) {
      if (text === end) end = null
    } else if (text === '{') end = '}'
    else if (lists.has(text.toLowerCase())) end = ')'
    else if (/^[a-z_:]/i.test(text) && !operators.has(text.toLowerCase()) && !isCall(next)) found.add(text)
  }
  return found
}

/** `sum(…)` and `sum by (…) (…)`. */
const isCall = (next: string): boolean => next === '(' || /^(?:by|without)$/i.test(next)

/** @param dashboard the JSON of Grafana */
export function expressionsOfDashboard(dashboard: string): string[] {
  const found: string[] = []
  JSON.parse(dashboard, (name, value: unknown) => {
    if (name === 'expr' && typeof value === 'string') found.push(value)
    return value
  })
  return found
}

/** @param rules YAML in which each expression is a block (`expr: |-`) */
export const expressionsOfRules = (rules: string): string[] =>
  [...rules.matchAll(/^( *)expr: \|-\n((?:\1 +.*\n)+)/gm)].map(([, , block = '']) => block)

/** Every metric that the dashboard and the rules name. */
export const metricsOf = (dashboard: string, rules: string): string[] => [
  ...new Set(
    [...expressionsOfDashboard(dashboard), ...expressionsOfRules(rules)].flatMap((expression) => [
      ...metricsIn(expression),
    ]),
  ),
]

/** Whether a metric is in this text of Prometheus. A histogram exports three. */
export function exportsMetric(text: string, name: string): boolean {
  const types = new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, of, type]) => [of, type]))
  return types.has(name) || types.get(name.replace(/_(?:bucket|sum|count)$/, '')) === 'histogram'
}
