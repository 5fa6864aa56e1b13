/** Counts the rows that Postgres reads for queries, by repeating the queries under EXPLAIN. */
import pg from 'pg'
import { z } from 'zod'
import { watchQueries } from './query-log.js'
import { type Plane } from './world.js'

interface PlanNode {
  'Node Type': string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number | undefined
  'Rows Removed by Index Recheck'?: number | undefined
  Plans?: PlanNode[] | undefined
}
const planNode: z.ZodType<PlanNode> = z.lazy(() =>
  z.object({
    'Node Type': z.string(),
    'Actual Rows': z.number(),
    'Actual Loops': z.number(),
    'Rows Removed by Filter': z.number().optional(),
    'Rows Removed by Index Recheck': z.number().optional(),
    Plans: z.array(planNode).optional(),
  }),
)
const explained = z.object({ 'QUERY PLAN': z.array(z.object({ Plan: planNode })) })

/** Counts the rows that a plan's scans read, including filtered rows. */
function rowsOf(node: PlanNode): number {
  const isScan = /Scan/.test(node['Node Type']) && !/^(Bitmap Index|Subquery|CTE)/.test(node['Node Type'])
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  const own = isScan ? (node['Actual Rows'] + removed) * node['Actual Loops'] : 0
  return (node.Plans ?? []).reduce((sum, each) => sum + rowsOf(each), own)
}

/** Counts the rows of the reads of `work` that `which` selects; changes and locks are excluded. */
export async function rowsRead(plane: Plane, work: () => Promise<unknown>, which: RegExp): Promise<number> {
  const log = watchQueries()
  try {
    await work()
  } finally {
    log.stop()
  }
  const client = new pg.Client({ connectionString: plane.config.databaseUrl })
  await client.connect()
  try {
    let rows = 0
    for (const { text, values } of log.queries) {
      if (!/^\s*(\/\*.*?\*\/)?\s*select/i.test(text) || /for (update|share)/i.test(text) || !which.test(text))
        continue
      const answer = await client.query(`explain (analyze, format json) ${text}`, values)
      for (const { Plan } of explained.parse(answer.rows[0])['QUERY PLAN']) rows += rowsOf(Plan)
    }
    return rows
  } finally {
    await client.end()
  }
}
