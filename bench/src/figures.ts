/** Times alternating runs and prints a table of the results. Used by every bench. */

export interface Figures {
  name: string
  runs: number
  /** Milliseconds. */
  p50: number
  p99: number
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

/** @param share such as 0.5 for the median */
export const quantile = (times: readonly number[], share: number): number =>
  at(
    [...times].sort((a, b) => a - b),
    share,
  )

export function figures(name: string, times: readonly number[]): Figures {
  const sorted = [...times].sort((a, b) => a - b)
  return { name, runs: sorted.length, p50: at(sorted, 0.5), p99: at(sorted, 0.99) }
}

export interface Contender {
  name: string
  run: () => Promise<unknown>
}

/**
 * Runs the contenders in turn, A B A B …, after `warmup` uncounted rounds, so that a drift of the machine
 * affects all.
 */
export async function alternate(
  contenders: readonly Contender[],
  rounds: number,
  warmup = 5,
): Promise<Figures[]> {
  const times = contenders.map((): number[] => [])
  for (let round = -warmup; round < rounds; round++) {
    for (const [index, contender] of contenders.entries()) {
      const start = performance.now()
      await contender.run()
      if (round >= 0) times[index]?.push(performance.now() - start)
    }
  }
  return contenders.map((contender, index) => figures(contender.name, times[index] ?? []))
}

/**
 * Prints one row per contender. The last column is the ratio of the contender's median to the first
 * contender's median.
 */
export function print(title: string, rows: readonly Figures[]): void {
  const base = rows[0]?.p50 ?? Number.NaN
  const lines = rows.map((row) =>
    [
      row.name.padEnd(46),
      String(row.runs).padStart(5),
      row.p50.toFixed(2).padStart(10),
      row.p99.toFixed(2).padStart(10),
      (row.p50 / base).toFixed(2).padStart(9),
    ].join(' '),
  )
  const head = `${'ms'.padEnd(46)} ${'runs'.padStart(5)} ${'p50'.padStart(10)} ${'p99'.padStart(10)} ${'ratio'.padStart(9)}`
  process.stdout.write(`\n${title}\n${head}\n${lines.join('\n')}\n`)
}

/** Like `print`, but with p95, for few runs. */
export function printShares(title: string, rows: readonly (readonly [string, readonly number[]])[]): void {
  const base = quantile(rows[0]?.[1] ?? [], 0.5)
  const line = (...cells: readonly string[]): string =>
    cells.map((cell, at) => (at === 0 ? cell.padEnd(46) : cell.padStart(10))).join(' ')
  const lines = rows.map(([name, times]) => {
    const [p50, p95] = [quantile(times, 0.5), quantile(times, 0.95)]
    return line(name, String(times.length), p50.toFixed(2), p95.toFixed(2), (p50 / base).toFixed(2))
  })
  process.stdout.write(`\n${[title, line('ms', 'runs', 'p50', 'p95', 'ratio'), ...lines].join('\n')}\n`)
}
