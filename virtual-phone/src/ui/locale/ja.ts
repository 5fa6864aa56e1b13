export const JA: Readonly<Record<string, string>> = {}
