/** Types of `allowance.mjs`, for tests in TypeScript. Keys are paths, values numbers of hits. */
export type Counts = Map<string, number>

export function parseAllowance(text: string): Counts
export function formatAllowance(allowed: Counts): string
export function overAllowance(allowed: Counts, counts: Counts): string[]
export function lowered(allowed: Counts, counts: Counts): Counts
