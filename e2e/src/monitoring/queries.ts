/** The queries of the dashboard and of the alert rules, and the queries that return no figures. */
import { expressionsOfDashboard, selectorsIn, withoutFilters } from '@phonerack/shared/testing/promql'
import { z } from 'zod'
import { scrapeSeconds, type Prometheus } from './prometheus.js'

export interface Query {
  /** The title of the query's panel, or the name of its alert. */
  of: string
  expression: string
}

/** The values of Grafana's variables. The interval of rates is at least four scrapes. */
const variables: Readonly<Record<string, string>> = { $__rate_interval: `${scrapeSeconds * 8}s` }

const panelSchema = z.looseObject({
  title: z.string(),
  targets: z.array(z.looseObject({ expr: z.string() })).default([]),
})
const dashboardSchema = z.looseObject({ panels: z.array(panelSchema) })

/** @param dashboard the JSON of Grafana */
export function queriesOfDashboard(dashboard: string): Query[] {
  const { panels } = dashboardSchema.parse(JSON.parse(dashboard))
  const found = panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => ({ of: title, expression: withVariables(expr) })),
  )
  if (found.length !== expressionsOfDashboard(dashboard).length)
    throw new Error('the dashboard has queries outside of its panels')
  return found
}

const withVariables = (expression: string): string =>
  expression.replaceAll(/\$\w+|\$\{\w+\}/g, (name) => {
    const value = variables[name]
    if (value === undefined) throw new Error(`${name} in ${expression} has no value`)
    return value
  })

/**
 * The parts of a query without a figure since `from`. Parts are each of its selectors, so that an `or` hides
 * none, and the whole query, whose filters a healthy system does not pass.
 */
export async function emptyParts(
  prometheus: Pick<Prometheus, 'points'>,
  { expression }: Query,
  from: number,
): Promise<string[]> {
  const empty: string[] = []
  for (const part of [...selectorsIn(expression), withoutFilters(expression)]) {
    const series = await prometheus.points(part, from)
    if (!series.flat().some(Number.isFinite)) empty.push(part)
  }
  return empty
}
