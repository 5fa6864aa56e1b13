export function isLong(file: string): boolean
export function testFiles(root: string): string[]
export function shardOf(files: string[], shard: string | undefined): string[]
export function sourcesOf(root: string): string
export function beginRecord(record: string, head: object): void
export function headOf(record: string, sources: string): unknown
