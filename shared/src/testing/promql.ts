/** Expressions of `deploy/monitoring` in PromQL, for tests and checks that compare them with what the programs export. */

const token = /"(?:[^"\\]|\\.)*"|\[[^\]]*\]|[a-zA-Z_:][\w:]*|\d[\w.]*|\s+|[=!<>]=|[=!]~|./gy

/** Operators and numbers with names. */
const operators = new Set(['and', 'or', 'unless', 'offset', 'bool', 'atan2', 'inf', 'nan'])
/** Followed by a list of labels. */
const lists = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right'])
const comparisons = new Set(['==', '!=', '>', '<', '>=', '<='])

/** An expression without spaces. */
const tokensIn = (expression: string): string[] =>
  (expression.match(token) ?? []).filter((text) => text.trim() !== '')

/** The positions of metrics among the tokens, without functions, aggregations, labels and operators. */
function metricsAt(tokens: readonly string[]): number[] {
  const found: number[] = []
  /** The bracket that ends a list of labels or matchers. */
  let end: string | null = null
  for (const [at, text] of tokens.entries()) {
    const next = tokens[at + 1] ?? ''
    if (end !== null) {
      if (text === end) end = null
    } else if (text === '{') end = '}'
    else if (lists.has(text.toLowerCase())) end = ')'
    else if (/^[a-z_:]/i.test(text) && !operators.has(text.toLowerCase()) && !isCall(next)) found.push(at)
  }
  return found
}

/** The names of all metrics. */
export function metricsIn(expression: string): Set<string> {
  const tokens = tokensIn(expression)
  return new Set(metricsAt(tokens).map((at) => tokens[at] ?? ''))
}

/** Each metric with its matchers, without its range: one selector for each value of a list such as `state=~"a|b"`. */
export function selectorsIn(expression: string): Set<string> {
  const tokens = tokensIn(expression)
  const selectors = metricsAt(tokens).flatMap((at) => {
    const end = tokens[at + 1] === '{' ? tokens.indexOf('}', at) : at
    return singleValues(tokens.slice(at, end + 1).join(''))
  })
  return new Set(selectors)
}

function singleValues(selector: string): string[] {
  const [list, values] = /=~"(\w+(?:\|\w+)+)"/.exec(selector) ?? []
  if (list === undefined || values === undefined) return [selector]
  return values.split('|').flatMap((value) => singleValues(selector.replace(list, `="${value}"`)))
}

/** Comparisons that return 0 or 1 (`> bool 0`) instead of nothing, so that a healthy system returns a series too. */
export function withoutFilters(expression: string): string {
  const tokens = expression.match(token) ?? []
  let inMatchers = false
  return tokens
    .map((text, at) => {
      if (text === '{' || text === '}') inMatchers = text === '{'
      const isFilter =
        !inMatchers && comparisons.has(text) && !/^\s*bool$/.test(tokens.slice(at + 1, at + 3).join(''))
      return isFilter ? `${text} bool ` : text
    })
    .join('')
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
