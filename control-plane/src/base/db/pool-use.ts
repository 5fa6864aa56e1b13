/** The connections of a pool, for metrics. */
import type pg from 'pg'
import { type PoolUse } from '../metrics/metrics.js'

export type { PoolUse }

export const poolUseOf = ({ options, totalCount, idleCount, waitingCount }: pg.Pool): PoolUse => ({
  max: options.max,
  total: totalCount,
  idle: idleCount,
  waiting: waitingCount,
})
