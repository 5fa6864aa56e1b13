export const DE: Readonly<Record<string, string>> = {}
