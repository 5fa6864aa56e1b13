export const AR: Readonly<Record<string, string>> = {}
