export function writeSums(folder: string): void
export function verifySums(folder: string): void
export function hashOf(file: string, algorithm?: string, encoding?: 'hex' | 'base64'): string
