export function writeSums(folder: string): void
export function verifySums(folder: string): void
